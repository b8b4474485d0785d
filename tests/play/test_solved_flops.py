"""Flops that are solved alone: what pairs of hands are worth at their ends, and how they play."""

import random

import numpy as np
import pytest
from tests.play.blueprints import thinking
from tests.play.test_resolving_agent import followed, path, stored, translation

from untilt.abstraction.blueprint_translation import BlueprintTranslation
from untilt.cards.card import parse_cards
from untilt.cards.combos import COMBO_MASKS
from untilt.cards.showdown.showdown_matrix import pair_balance
from untilt.game.actions import action_data
from untilt.game.histories.walking import Choice
from untilt.game.public.public_tree import CHANCE, RUNOUT
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.spots.public_form import compile_first_street, compile_spot
from untilt.games.holdem.spots.subgame import live_on
from untilt.numeric.arrays import Floats
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.hands.turn import Rules
from untilt.policy.resolving import ResolvingPolicy
from untilt.policy.simple import RandomPolicy
from untilt.policy.thinking.blueprint_pairs import PairValues
from untilt.policy.thinking.blueprint_values import blueprint_values, met_by
from untilt.policy.thinking.public_hand import PublicHand
from untilt.policy.thinking.solved_street import FLOP, Effort, compiled_subgame, subgame_of
from untilt.solvers.public_tree.resolve import RULE
from untilt.solvers.public_tree.solver import PublicTreeSolver

__all__ = ["path", "stored", "translation"]  # fixtures

QUICK = Effort(iterations=8, first_street=FLOP)


@pytest.fixture
def few_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let flops be quick: every eighth turn stands for all."""
    draws = PairValues._draws
    monkeypatch.setattr(PairValues, "_draws", lambda self, rivers: draws(self, rivers)[::8])


def few_hands(board: tuple[int, ...], count: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    weights = np.zeros(len(COMBO_MASKS))
    weights[rng.choice(np.flatnonzero(live_on(board)), count, replace=False)] = rng.random(count)
    return weights


def test_leaves_with_their_own_matrices_are_worth_what_the_streets_behind_are(
    translation: BlueprintTranslation,
) -> None:
    """Without bets on turn and river, hands are checked down: both ways to say so are one game."""
    hand = followed(thinking(translation, None), "call", "check", "/Td9d6h")
    ranges = few_hands(hand.board, 24, 1), few_hands(hand.board, 30, 2)
    sizes = Sizes("100%, a", raises="a", max_raises=1, **_NO_LATER)
    whole = compile_spot(subgame_of(hand.board, ranges, hand.betting, sizes), is_merged=False)
    deck = translation.blueprint.rules.deck
    left = [card for card in deck if card not in hand.board]
    boards = [(*hand.board, turn, river) for turn in left for river in left if turn < river]
    balance = pair_balance(boards)
    forest = whole.betting.streets[0]
    values = {
        node: balance * np.float32(state.pot / 2.0 + min(state.bets))
        for node, state in enumerate(forest.states)
        if forest.kind[node] in (CHANCE, RUNOUT)
    }
    assert len(values) > 4
    alone = compile_first_street(subgame_of(hand.board, ranges, hand.betting, sizes), values)
    # The same strategies are worth the same to every hand, and so are best responses to them: the
    # rows of a flop alone are those of the first board.
    one, other = (PublicTreeSolver(each.tree, RULE) for each in (whole, alone))
    rng = np.random.default_rng(3)
    own = [rng.random(len(table), np.float32) for table in other.snapshot().tables]
    tables = [np.zeros_like(table) for table in one.snapshot().tables]
    for table, rows in zip(tables, own, strict=True):
        table[: len(rows)] = rows
    for player in (0, 1):
        for name in ("values_under", "best_values_under"):
            expected = getattr(one, name)((tables[0], tables[1]), player)
            found = getattr(other, name)((own[0], own[1]), player)
            assert found == pytest.approx(expected, abs=1e-5 * float(np.abs(expected).max())), name
    one.close()
    other.close()


_NO_LATER = {"turn_bets": "", "turn_raises": "", "river_bets": "", "river_raises": ""}


@pytest.mark.parametrize("seat", [0, 1])
def test_pairs_win_what_the_blueprint_wins_on_the_turn(
    translation: BlueprintTranslation, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all rivers of one turn and all lines, means over pairs are the values of that turn."""
    monkeypatch.setattr("untilt.policy.thinking.blueprint_pairs._LEAST_CHANCES", (0.0,))
    monkeypatch.setattr("untilt.policy.thinking.blueprint_values._LEAST_CHANCES", (0.0,))
    (card,) = parse_cards("2c")
    flop = followed(thinking(translation, None), "raise 6", "call", "/Td9d6h", "check", "check")
    deck = translation.blueprint.rules.deck
    left = [each for each in deck if each not in (*flop.board, card)]
    monkeypatch.setattr(PairValues, "_draws", lambda *_: [(card, river) for river in left])
    turn = thinking(translation, None).dealt(flop, [card])
    ranges = few_hands(turn.board, 40, 3), few_hands(turn.board, 40, 4)
    pairs = PairValues(translation.blueprint, flop.board, (ranges[0] > 0) | (ranges[1] > 0))
    values = pairs.after(turn.sight)
    form = compiled_subgame(turn.board, ranges, turn.betting, Sizes("100%"))
    expected = blueprint_values(translation.blueprint, turn.sight, form, turn.betting, seat)
    own, other = form.combos[1 - seat], form.combos[seat]
    weights = form.tree.weights[seat]
    disjoint = COMBO_MASKS[own][:, np.newaxis] & COMBO_MASKS[other] == 0
    won = values[np.ix_(own, other)] if seat == 1 else -values[np.ix_(other, own)].T
    met = met_by(form.tree, 1 - seat)
    np.testing.assert_allclose(met, disjoint @ weights, rtol=1e-5)
    np.testing.assert_allclose((disjoint * won) @ weights / met, expected[own], atol=2e-3)


@pytest.mark.usefixtures("few_boards")
def test_a_flop_is_solved_with_the_real_bet(translation: BlueprintTranslation) -> None:
    thinker = thinking(translation, QUICK)
    hand = followed(thinker, "raise 6", "call", "/Td9d6h")
    facing = thinker.thought(thinker.after(hand, action_data("bet 3"), None))
    solved = facing.solved
    assert solved is not None
    assert (solved.added, solved.iterations, solved.has_next_street) == (3, 4, False)
    moves = thinker.moves(facing)
    assert [action.name for action, _ in moves] == ["fold", "call", "raise 21", "all-in 34"]
    np.testing.assert_allclose(sum(shares for _, shares in moves), 1.0, rtol=1e-5)
    # The opponent's range is that of the solution, and the turn begins with it.
    actions, shares = solved.moves(0)
    bet = next(n for n, action in enumerate(actions) if action.name == "bet 3")
    expected = hand.ranges[1] * shares[bet]
    assert np.corrcoef(facing.ranges[1], expected)[0, 1] > 0.9999
    called = thinker.after(facing, action_data("call"), None)
    turn = thinker.dealt(called, parse_cards("2c"))
    assert (turn.root.solved, turn.root.card, turn.solved) == (None, None, None)
    live = live_on(turn.board)
    assert np.corrcoef(turn.ranges[0][live], called.ranges[0][live])[0, 1] > 0.9999


def test_a_flop_that_takes_too_long_follows_the_blueprint(
    translation: BlueprintTranslation,
) -> None:
    thinker = thinking(translation, Effort(seconds=1e-3, first_street=FLOP))
    hand = followed(thinker, "raise 6", "call", "/Td9d6h")
    assert thinker.thought(hand) is hand


@pytest.mark.usefixtures("few_boards")
def test_after_another_bet_a_flop_is_solved_again_with_alternatives(
    translation: BlueprintTranslation,
) -> None:
    thinker = thinking(translation, QUICK)
    hand = thinker.thought(followed(thinker, "raise 6", "call", "/Td9d6h", "check"))
    assert hand.solved is not None
    assert not hand.solved.is_safe
    raised = followed_on(thinker, hand, "bet 6", "raise 13")
    assert raised.solved is None
    again = thinker.thought(raised).solved
    assert again is not None
    assert (again.added, again.is_safe) == (13, True)


def followed_on(thinker: BlueprintPolicy, hand: PublicHand, *moves: str) -> PublicHand:
    for move in moves:
        hand = thinker.after(hand, action_data(move), None)
    return hand


def test_flops_are_solved_only_if_asked_for_and_with_time(
    translation: BlueprintTranslation,
) -> None:
    for streets, think, first in (
        ("flop", 6.0, FLOP),
        ("flop", 5.9, FLOP + 1),
        ("auto", 60.0, FLOP + 1),
        ("turn", 60.0, FLOP + 1),
    ):
        agent = ResolvingPolicy(translation, think, streets=streets)
        assert agent.effort.first_street == first
    assert ResolvingPolicy(translation, iterations=8, streets="flop").effort.first_street == FLOP


@pytest.mark.long
@pytest.mark.usefixtures("few_boards")
def test_it_never_answers_illegally_on_flops(translation: BlueprintTranslation) -> None:
    agent = ResolvingPolicy(translation, iterations=2, streets="flop")
    root, other = Holdem(translation.blueprint.rules), RandomPolicy()
    num_flops = 0
    for seed in range(12):
        rng = random.Random(seed)
        state = agent.begin(seed % 2, Rules.of(root))
        position = root
        while not position.terminal and position.street <= FLOP:
            if position.chance:
                position = position.apply(position.sample(rng))
                continue
            infoset = position.infoset(position.active)
            asked = Choice(position, infoset, infoset.actions())
            if position.active == seed % 2:
                action, state = agent.choose(state, asked, rng)
                assert action in infoset.actions()
                assert (state.solved is not None) == (infoset.street == FLOP)
                num_flops += infoset.street == FLOP
            else:
                action, _ = other.choose(None, asked, rng)
            position = position.apply(action)
    assert num_flops > 3
