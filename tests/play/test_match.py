"""Matches: duplicate deals, their confidence interval, and agents by name."""

import json
from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.errors import InvalidOption, RunError, StrategyError, UnknownName, UntiltError
from untilt.evaluation.comparison import head_to_head
from untilt.game.protocol import Uniforms
from untilt.play.agent_spec import MatchGame, load_agents, named_game, parse_agent
from untilt.play.clock import Clock
from untilt.play.entrants import (
    Entrant,
    Mix,
    RandomEntrant,
    StrategyEntrant,
    call_entrant,
    fold_entrant,
    profile_of_entrant,
)
from untilt.play.hand import Hand, Turn
from untilt.play.match import match
from untilt.play.strategy_agent import StrategyAgent
from untilt.play.streams import LightStream, LightStreams, Role

KUHN = named_game("kuhn", {})
LEDUC = named_game("leduc", {})


def _equilibrium(game: str) -> StrategyEntrant:
    run = untilt.solve(game, target=1e-5, save=False)
    return StrategyEntrant("equilibrium", StrategyAgent(run.profile))


@pytest.fixture(scope="module")
def kuhn_agent() -> StrategyEntrant:
    return _equilibrium("kuhn")


def test_a_strategy_gains_exactly_nothing_from_itself(kuhn_agent: StrategyEntrant) -> None:
    result = match(KUHN.root, kuhn_agent, kuhn_agent, 200, seed=3)
    assert result.value == 0.0
    assert result.interval == (0.0, 0.0)
    assert result.as_player[0] == -result.as_player[1] != 0.0


@pytest.mark.parametrize("game", [KUHN, LEDUC])
def test_batches_play_the_same_hands_as_positions(
    game: MatchGame, kuhn_agent: StrategyEntrant
) -> None:
    one: Entrant = kuhn_agent if game is KUHN else call_entrant()
    by_hand = match(game.root, one, RandomEntrant(), 3_000, seed=7)
    in_batches = match(
        game.root,
        one,
        RandomEntrant(),
        3_000,
        seed=7,
        compiled=game.compiled,
    )
    assert by_hand.value == in_batches.value
    assert by_hand.interval == in_batches.interval
    assert by_hand.as_player == in_batches.as_player


def test_the_interval_covers_the_exact_expectation_19_times_in_20(
    kuhn_agent: StrategyEntrant,
) -> None:
    assert KUHN.compiled is not None
    other = RandomEntrant()
    exact = head_to_head(
        KUHN.compiled.exact_form(),
        profile_of_entrant(KUHN.compiled, kuhn_agent),
        profile_of_entrant(KUHN.compiled, other),
    ).mean
    covered = 0
    for seed in range(400):
        found = match(KUHN.root, kuhn_agent, other, 400, seed, compiled=KUHN.compiled)
        assert found.interval is not None
        covered += found.interval[0] <= exact <= found.interval[1]
    # Binomial with p = 0.95: mean 380, standard deviation 4.4.
    assert 364 <= covered <= 396


def test_equal_seeds_play_equal_matches() -> None:
    one = match(LEDUC.root, RandomEntrant(), call_entrant(), 100, seed=5)
    again = match(LEDUC.root, RandomEntrant(), call_entrant(), 100, seed=5)
    other = match(LEDUC.root, RandomEntrant(), call_entrant(), 100, seed=6)
    assert one.value == again.value
    assert one.as_player == again.as_player
    assert one.as_player != other.as_player


def test_streams_of_many_hands_are_those_of_each_hand() -> None:
    hands = np.arange(90, 120, dtype=np.uint64)
    for seed in (0, 1, 2**64 - 1):
        together = LightStreams(seed, hands, Role.PLAYER_1)
        alone = [LightStream(seed, int(hand), Role.PLAYER_1) for hand in hands]
        for _ in range(3):
            drawn = together.random(np.arange(30))
            assert drawn.tolist() == [stream.random() for stream in alone]
            assert ((drawn >= 0.0) & (drawn < 1.0)).all()


def test_streams_of_seeds_hands_and_roles_differ() -> None:
    firsts = {
        LightStream(seed, hand, role).random()
        for seed in range(10)
        for hand in range(10)
        for role in range(4)
    }
    assert len(firsts) == 400
    numbers = [LightStream(1, hand, 0).random() for hand in range(20_000)]
    assert abs(sum(numbers) / len(numbers) - 0.5) < 4 * 12**-0.5 / 20_000**0.5


def test_a_mix_never_draws_an_action_of_probability_zero() -> None:
    class Fixed:
        def __init__(self, number: float) -> None:
            self.number = number

        def random(self) -> float:
            return self.number

    mix = Mix.of([("a", 0.0), ("b", 0.3), ("c", 0.0), ("d", 0.7 - 1e-12), ("e", 0.0)])
    assert mix.draw(Fixed(0.0)) == "b"
    assert mix.draw(Fixed(0.3)) == "d"
    assert mix.draw(Fixed(1.0 - 2**-53)) == "d"


def _bets(label: str) -> str:
    return "call" if label.endswith("b") else "bet"


def test_an_agent_that_folds_to_every_bet_loses_its_antes() -> None:
    assert match(KUHN.root, _bets, fold_entrant(), 200, seed=1).value == 1.0


class Talker:
    """An agent of turns that records what it is told."""

    def __init__(self, level: int = 1) -> None:
        self.level = level
        self.seats: list[int] = []
        self.gains: list[float] = []

    def begin(self, seat: int, rules: object) -> None:
        self.seats.append(seat)

    def act(self, turn: Turn, rng: Uniforms, clock: Clock) -> str:
        return turn.actions[0]

    def end(self, hand: Hand) -> None:
        assert hand.agents[self.seats[-1]] == 0
        assert None not in hand.privates
        self.gains.append(hand.gain(0))


def test_agents_in_python_get_turns_change_seats_and_learn_the_result() -> None:
    agent = Talker()
    result = match(KUHN.root, agent, call_entrant(), 60)
    assert agent.seats == [0, 1] * 30
    assert sum(agent.gains) / 60 == pytest.approx(result.value)
    # Without `end` hands are not recorded, but they are the same hands.
    assert match(KUHN.root, Talker().act, call_entrant(), 60).as_player == result.as_player


@pytest.mark.parametrize("hands", [0, 1, 3, -2, 2.0, True, "10"])
def test_odd_numbers_of_hands_are_refused(hands: object) -> None:
    with pytest.raises(InvalidOption, match="even integer"):
        match(KUHN.root, call_entrant(), call_entrant(), hands)  # type: ignore[arg-type]


def test_an_illegal_answer_and_an_error_name_the_agent() -> None:
    with pytest.raises(UnknownName, match=r"answered 'jump' at infoset 'P0:"):
        match(KUHN.root, lambda label: "jump", call_entrant(), 2)

    def fails(label: str) -> str:
        raise KeyError(label)

    with pytest.raises(UntiltError, match=r"failed at infoset 'P0:.*KeyError"):
        match(KUHN.root, fails, call_entrant(), 2)


def test_an_agent_without_its_only_action_says_so() -> None:
    with pytest.raises(InvalidOption, match="can only check or call"):
        match(untilt.games.pushfold(), call_entrant(), call_entrant(), 2)


@pytest.mark.parametrize(
    ("text", "source", "options"),
    [
        ("random", "random", {}),
        ("  run/ ", "run/", {}),
        ("run/ translation=nearest", "run/", {"translation": "nearest"}),
        ("my runs/a b  level=3 name=x=y", "my runs/a b", {"level": "3", "name": "x=y"}),
        ("push=22+", "push=22+", {}),
    ],
)
def test_options_follow_the_name(text: str, source: str, options: dict[str, str]) -> None:
    spec = parse_agent(text)
    assert (spec.source, spec.options) == (source, options)


def test_a_file_of_another_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.json"
    kuhn = untilt.solve("kuhn", target=1e-3, save=False)
    file.write_text(json.dumps({label: dict(row) for label, row in kuhn.profile.items()}))
    spec = parse_agent(str(file))
    game, agents = load_agents([spec, parse_agent("random")], KUHN)
    assert match(game.root, agents[0], agents[1], 200).value != 0.0
    with pytest.raises(StrategyError, match=r"kuhn\.json.*which the game does not have"):
        load_agents([spec, parse_agent("random")], LEDUC)
    with pytest.raises(InvalidOption, match="add game, such as game='kuhn'"):
        load_agents([spec, parse_agent("random")])


def test_runs_of_different_games_do_not_meet(tmp_path: Path) -> None:
    untilt.solve("kuhn", target=1e-2, output=tmp_path / "kuhn")
    untilt.solve("leduc", target=1.0, output=tmp_path / "leduc")
    specs = [parse_agent(str(tmp_path / name)) for name in ("kuhn", "leduc")]
    with pytest.raises(RunError, match=r"leduc plays leduc\(ranks=3.*, not kuhn"):
        load_agents(specs)


def test_code_runs_only_if_it_is_trusted(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(
        "class Bot:\n"
        "    def __init__(self, level: int = 1) -> None:\n"
        "        self.level = level\n"
        "    def act(self, turn, rng, clock):\n"
        "        return turn.actions[self.level]\n"
    )
    with pytest.raises(InvalidOption, match="add --trust"):
        load_agents([parse_agent(f"{file}:Bot")], KUHN)
    _, [bot] = load_agents([parse_agent(f"{file}:Bot level=0")], KUHN, trust=True)
    assert match(KUHN.root, bot, call_entrant(), 20).hands == 20
    with pytest.raises(InvalidOption, match="level"):
        load_agents([parse_agent(f"{file}:Bot level=high")], KUHN, trust=True)
    with pytest.raises(UntiltError, match="no attribute 'Nobody'"):
        load_agents([parse_agent(f"{file}:Nobody")], KUHN, trust=True)
    with pytest.raises(InvalidOption, match="has no option 'size'"):
        load_agents([parse_agent("random size=3")], KUHN)


def test_bots_of_hold_em_get_a_million_sizes_without_listing_them() -> None:
    asked: list[int] = []

    def bot(turn: Turn, rng: Uniforms, clock: Clock) -> str:
        asked.append(len(turn.actions))
        assert "jump" not in turn.actions
        assert "all-in 1" not in turn.actions
        passive = "check" if "check" in turn.actions else "call"
        assert turn.legal[len(turn.legal) - 1].name == turn.actions[-1]
        return turn.actions[-1] if rng.random() < 0.2 else passive

    root = untilt.games.holdem(stack=1_000_000)
    result = match(root, bot, call_entrant(), 20, seed=1)
    assert max(asked) > 900_000
    assert result.mbb is not None
    with pytest.raises(UnknownName, match="'raise 3'"):
        match(root, lambda label: "raise 3", call_entrant(), 2)
    limit = untilt.games.holdem(limit="2/4")
    assert match(limit, lambda label: "raise" if label.endswith("::") else "fold",
                 fold_entrant(), 2).hands == 2  # fmt: skip
