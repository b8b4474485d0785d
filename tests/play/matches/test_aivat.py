"""AIVAT is unbiased whatever hands are said to be worth, and needs fewer hands."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint

import untilt
from untilt.evaluation.comparison import head_to_head
from untilt.game.compiled import compile as compile_game
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, Game, InfoSet
from untilt.games.holdem.game import Holdem
from untilt.numeric.arrays import Floats
from untilt.play.matches import holdem_luck
from untilt.play.matches.aivat import Coefficients, Draw, mean_value
from untilt.play.matches.holdem_luck import DealLuck, Observed
from untilt.policy.hands.turn import Rules
from untilt.policy.policy import Stationary

__all__ = ["stored"]  # a fixture


class _Random:
    """Numbers that are drawn once for each name."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._known: dict[object, Floats] = {}

    def mix(self, name: object, count: int) -> Floats:
        if name not in self._known:
            self._known[name] = self._rng.dirichlet(np.ones(count))
        return self._known[name]

    def number(self, name: object) -> float:
        if name not in self._known:
            self._known[name] = self._rng.normal(scale=3.0, size=1)
        return float(self._known[name][0])


def _options(position: Game, mixes: _Random) -> list[tuple[Action, float]]:
    """Return what may follow a position, with probabilities."""
    if position.chance:
        return list(position.chances())
    infoset = position.infoset(position.active)
    actions = infoset.actions()
    return list(zip(actions, mixes.mix(str(infoset), len(actions)).tolist(), strict=True))


def _histories(
    position: Game, mixes: _Random, moves: tuple[Action, ...] = (), chance: float = 1.0
) -> Iterator[tuple[tuple[Action, ...], float]]:
    """Return the moves of all hands, each with its probability."""
    if position.terminal:
        yield moves, chance
        return
    for move, share in _options(position, mixes):
        yield from _histories(position.apply(move), mixes, (*moves, move), chance * share)


def _estimate(
    root: Game, moves: Sequence[Action], seat: int, mixes: _Random, guesses: _Random
) -> float:
    """Return AIVAT of one hand for a player whose strategy is known; card `seat` is the player's.

    What hands are worth is guessed at random.
    """
    cards = [move for move, _ in root.chances()]
    possible = [(*moves[:seat], card, *moves[seat + 1 :]) for card in cards]
    weights = np.ones(len(possible))
    positions: list[Game | None] = [root] * len(possible)
    total = 0.0
    for place in range(len(moves)):
        options: list[dict[str, tuple[Action, float]]] = [
            {}
            if each is None
            else {str(move): (move, share) for move, share in _options(each, mixes)}
            for each in positions
        ]
        names = sorted({name for each in options for name in each})
        actual = root if place == 0 else _after(root, moves[:place])
        is_public_deal = actual.chance and place > 1
        if is_public_deal or actual.active == seat:
            chances = np.array(
                [[each[name][1] if name in each else 0.0 for each in options] for name in names]
            )
            worth = [
                [guesses.number((possible[i][:place], name)) for i in range(len(possible))]
                for name in names
            ]
            draw = Draw(weights, chances, np.array(worth), names.index(str(moves[place])))
            total += draw.correction
        for number, hand in enumerate(possible):
            found = options[number].get(str(hand[place]))
            before = positions[number]
            if found is None or before is None:
                weights[number], positions[number] = 0.0, None
                continue
            if actual.chance or actual.active == seat:
                weights[number] *= found[1]
            positions[number] = before.apply(found[0])
    payoffs = [0.0 if each is None else each.payoff(seat) for each in positions]
    return total + mean_value(weights, np.array(payoffs))


def _after(position: Game, moves: Sequence[Action]) -> Game:
    for move in moves:
        position = position.apply(move)
    return position


@pytest.mark.parametrize("game", [untilt.games.kuhn(), untilt.games.leduc(ranks=2, bets=1)])
@pytest.mark.parametrize("seat", [0, 1])
def test_its_mean_over_all_hands_is_the_exact_value(game: Game, seat: int) -> None:
    mixes, guesses = _Random(3 + seat), _Random(8)
    compiled = compile_game(game)
    profile = untilt.strategies.from_dict(
        compiled,
        {
            label: dict(zip(names, mixes.mix(label, len(names)).tolist(), strict=True))
            for table in compiled.infosets
            for label, names in table.items()
        },
    )
    exact = head_to_head(compiled.exact_form(), profile, profile)
    value = exact.as_player_0 if seat == 0 else exact.as_player_1
    total, mean, spread = 0.0, 0.0, 0.0
    for moves, chance in _histories(game, mixes):
        estimate = _estimate(game, moves, seat, mixes, guesses)
        total += chance
        mean += chance * estimate
        spread += chance * (estimate - value) ** 2
    assert total == pytest.approx(1.0)
    assert mean == pytest.approx(value, abs=1e-12)
    assert spread > 0.1  # of guesses at random


class _Mixes(Stationary):
    """Mixes at random."""

    name = "mixes"

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = _Random(seed)

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        mix = self._random.mix(str(infoset), len(actions)).tolist()
        return list(zip(actions, mix, strict=True))


class _Replayed(Observed):
    """Has seen the decisions of a hand that is given."""

    def see(self, root: Game, moves: Sequence[Action], seat: int) -> None:
        self.seen.clear()
        position = root
        for move in moves:
            if position.active == seat and not (position.chance or position.terminal):
                infoset = position.infoset(seat)
                self.seen.append((None, Choice(position, infoset, infoset.actions()), move))
            position = position.apply(move)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("knows", [True, False])
def test_every_correction_of_a_small_holdem_is_zero_on_average(
    monkeypatch: pytest.MonkeyPatch, seat: int, knows: bool
) -> None:
    """Eight cards, with all boards counted: every hand against one of the other agent.

    Both seats and two hands of the other agent, each with all that can happen.
    """
    monkeypatch.setattr(holdem_luck, "_NUM_BOARDS", 1_000)
    root = untilt.games.holdem(stack=4, board="3", ranks=4, suits=2)
    agents = _Replayed(_Mixes(1)), _Replayed(_Mixes(2))
    agents[0].policy.knows_all_hands = knows
    seated = agents if seat == 0 else agents[::-1]
    for other in ((12, 10), (11, 26)):
        found = []
        for move, _ in root.chances():
            assert isinstance(move, tuple)
            if set(move[2 - 2 * seat : 4 - 2 * seat]) == set(other):
                found += _corrections(root.apply(move), (move,), 1.0, root, seated, agents, seat)
        chances = np.array([chance for chance, _ in found])
        rows = np.array([row[:9] for _, row in found])
        assert chances.sum() == pytest.approx(15.0)  # hands of the agent
        np.testing.assert_allclose(chances @ rows, 0.0, atol=1e-11)
        size = chances @ np.abs(rows)
        # The flop; the mean over hands, decisions before the flop and on it.
        assert size[2] > 0.1
        assert (size[[0, 5, 6]] > 0.1).all() == knows


def _corrections(
    position: Holdem,
    moves: tuple[Action, ...],
    chance: float,
    root: Holdem,
    seated: tuple[_Replayed, _Replayed],
    agents: tuple[_Replayed, _Replayed],
    seat: int,
) -> list[tuple[float, Floats]]:
    """Return the corrections of all hands from a position on, with their probabilities."""
    if position.terminal:
        for player, agent in enumerate(seated):
            agent.see(root, moves, player)
        return [(chance, DealLuck(root.rules, 0, 0).corrections(moves, agents, seat))]
    found = []
    options: Sequence[tuple[Action, float]] = position.chances() if position.chance else ()
    if not position.chance:
        policy = seated[position.active].policy
        assert isinstance(policy, Stationary)
        infoset = position.infoset(position.active)
        options = policy.weights(infoset, infoset.actions())
    for move, share in options:
        after = position.apply(move)
        found += _corrections(after, (*moves, move), chance * share, root, seated, agents, seat)
    return found


def test_shares_of_corrections_are_learnt_from_earlier_deals() -> None:
    """Gains that are twice a correction and noise: the share becomes −2, from the right side."""
    rng = np.random.default_rng(5)
    learning = Coefficients(np.array([0.0, 1.0]), trust=50.0)
    luck = rng.normal(size=(4_000, 2))
    noise = rng.normal(size=4_000)
    gains = 2.0 * luck[:, 0] + noise
    corrected = np.array(
        [learning.add(gain, each) for gain, each in zip(gains.tolist(), luck, strict=True)]
    )
    assert np.std(corrected[:8]) > 1.0
    assert np.std(corrected[2_000:]) == pytest.approx(np.std(noise[2_000:]), rel=0.02)
    assert corrected.mean() == pytest.approx(0.0, abs=4.0 / math.sqrt(4_000))


def test_a_match_needs_fewer_hands(stored: Path, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.bin"
    random_blueprint(path)
    plain = untilt.match(path, "call", 400, seed=1, aivat=False)
    result = untilt.match(path, "call", 400, seed=1)
    assert (plain.value, plain.interval, plain.aivat) == (result.value, result.interval, None)
    assert result.hands_saved is not None
    assert result.hands_saved > 3.0
    assert result.interval is not None
    assert result.aivat is not None
    assert result.interval[0] < result.aivat < result.interval[1]
    # Bit for bit the same again, and for the other agent the opposite.
    again = untilt.match(path, "call", 400, seed=1)
    assert again.aivat == result.aivat
    other = untilt.match("call", path, 400, seed=1)
    assert other.aivat == pytest.approx(-result.aivat, abs=0.2)


def test_agents_that_say_nothing_have_their_luck_with_cards_removed(
    stored: Path, tmp_path: Path
) -> None:
    root = untilt.games.holdem(stack=40)

    class Bold:
        """Goes all-in with any ace, and otherwise calls."""

        def act(self, turn: untilt.play.Turn, rng: object, clock: object) -> str:
            is_bold = "A" in turn.private and "all-in" in turn.actions[-1]
            return turn.actions[-1 if is_bold else int("call" in turn.actions)]

    result = untilt.match(Bold(), "call", 600, game=root, seed=2)
    assert result.hands_saved is not None
    assert result.hands_saved > 1.5
    kuhn = untilt.match("random", "call", 100, game="kuhn")
    assert kuhn.aivat is None
    assert kuhn.to_json()["aivat"] is None


def test_rules_are_known_to_what_is_observed() -> None:
    """The wrapper passes on what the table says."""
    policy = _Mixes(1)
    observed = Observed(policy)
    root = untilt.games.holdem(stack=4, board="3", ranks=7, suits=1)
    assert observed.begin(0, Rules.of(root)) is None
    assert observed.name == "mixes"
