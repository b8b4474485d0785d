"""Local best response: cases with known answers, and a small hold'em that can be solved exactly."""

from itertools import combinations

import numpy as np
import pytest

import untilt
from untilt.abstraction import abstract, hand_class, pot_fractions, street
from untilt.abstraction.translation import Translation
from untilt.cards.card import parse_cards
from untilt.cards.combos import COMBOS_OF_CLASS, NUM_COMBOS, class_index, combo_index
from untilt.cards.hand import rank_dealt_hand
from untilt.errors import InvalidOption
from untilt.evaluation.best_response import best_response
from untilt.game.actions import ActionData
from untilt.game.compiled import compile as compile_game
from untilt.game.strategy import Profile, random_profile, uniform_profile
from untilt.games.holdem.game import Holdem
from untilt.play.agent_range import AgentRange, range_of
from untilt.play.entrants import (
    CodeEntrant,
    RandomEntrant,
    StrategyEntrant,
    TranslatedEntrant,
    call_entrant,
    fold_entrant,
)
from untilt.play.local_best_response import (
    Variant,
    default_variants,
    local_action,
    local_best_response,
)
from untilt.play.rollout import live_combos, shares
from untilt.play.strategy_agent import StrategyAgent

SMALL = untilt.games.holdem(stack=4, board="3", ranks=4, suits=2)
"""Eight cards, one street after the flop."""
VARIANTS = default_variants(2)


def test_an_agent_that_always_folds_loses_750_mbb() -> None:
    found = local_best_response(untilt.games.holdem(), fold_entrant(), 20)
    # It loses half a big blind as small blind, and a whole one as big blind.
    assert found.result.mbb == 750.0
    assert found.result.interval_mbb == (750.0, 750.0)
    assert found.result.as_player == (2.0, 1.0)


def test_an_agent_that_always_calls_breaks_even_if_nobody_bets() -> None:
    found = local_best_response(
        untilt.games.holdem(stack=20), call_entrant(), 40, variants=[Variant("fold or call")]
    )
    # Both seats of a deal are checked down: what one wins the other loses.
    assert found.result.value == 0.0


@pytest.mark.parametrize("board", ["2c7dKh9s4c", "2c7dKh9s", "2c7dKh"])
def test_shares_are_those_of_brute_force(board: str) -> None:
    rules = untilt.games.holdem(ranks=9 if len(board) == 6 else 13).rules
    hand = tuple(parse_cards("AsAd" if len(board) > 6 else "JsTs"))
    cards = tuple(parse_cards(board if len(board) > 6 else "8c9dKh"))
    own = hand[0], hand[1]
    found = shares(rules, own, cards)
    rng = np.random.default_rng(1)
    live = np.flatnonzero(live_combos(rules, (*own, *cards)))
    for combo in rng.choice(live, 5, replace=False).tolist():
        other = tuple(map(int, untilt.cards.combos.COMBO_CARDS[combo]))
        left = [card for card in rules.deck if card not in (*own, *cards, *other)]
        results = []
        for more in combinations(left, 5 - len(cards)):
            ranks = [rank_dealt_hand((*held, *cards, *more)) for held in (own, other)]
            results.append(1.0 if ranks[0] < ranks[1] else 0.5 if ranks[0] == ranks[1] else 0.0)
        assert found[combo] == pytest.approx(np.mean(results), abs=1e-12)
    assert not found[~live_combos(rules, (*own, *cards))].any()


def test_shares_before_the_flop_are_the_exact_equities() -> None:
    first, second = parse_cards("AhKd"), parse_cards("QsQc")
    found = shares(untilt.games.holdem().rules, (first[0], first[1]), ())
    exact = untilt.cards.equity("AhKd", "QsQc").equities[0]
    assert found[combo_index(*second)] == pytest.approx(exact, abs=1e-12)
    assert (found > 0.0).sum() == 1225


def _exact_value(profile: Profile, variant: Variant, seat: int) -> float:
    """Return the expectation of local best response as player `seat`, over the whole small game."""
    agent = StrategyEntrant("profile", StrategyAgent(profile))
    wins: dict[object, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
    choices: dict[object, ActionData] = {}

    def value(position: Holdem, against: AgentRange) -> float:
        if position.terminal:
            return position.payoff(seat)
        if position.chance:
            total = 0.0
            for outcome, probability in position.chances():
                after = position.apply(outcome)
                later = against.after_deal(after) if not after.terminal else against
                total += probability * value(after, later)
            return total
        assert position.hands is not None
        if position.active == seat:
            own = position.hands[seat]
            key = own, position.board, position.line
            if key not in choices:
                place = own, position.board
                if place not in wins:
                    wins[place] = shares(position.rules, own, position.board)
                choices[key] = local_action(variant, position, own, against, wins[place])
            chosen = choices[key]
            return value(position.apply(chosen), against.after_other(position, chosen))
        infoset = position.infoset(position.active)
        total = 0.0
        for action, weight in agent.weights(infoset, infoset.actions()):
            assert isinstance(action, ActionData)
            if weight > 0.0:
                state = position.board, position.line, action
                if state not in ranges:  # it depends on what is public only
                    ranges[state] = against.after_own(position, action)
                total += weight * value(position.apply(action), ranges[state])
        return total

    ranges: dict[object, AgentRange] = {}
    return value(SMALL, range_of(agent))


@pytest.mark.parametrize("which", [pytest.param("uniform", marks=pytest.mark.long), "random"])
def test_it_wins_no_more_than_the_exact_best_response(which: str) -> None:
    game = compile_game(SMALL)
    rng = np.random.default_rng(4)
    profile = uniform_profile(game) if which == "uniform" else random_profile(game, rng)
    agent = StrategyEntrant("profile", StrategyAgent(profile))
    best = sum(best_response(game.exact_form(), profile, seat)[1] for seat in (0, 1)) / 2.0
    exact = [
        sum(_exact_value(profile, variant, seat) for seat in (0, 1)) / 2.0 for variant in VARIANTS
    ]
    assert 0.0 < max(exact) <= best
    assert max(exact) > 0.3 * best  # local, but no fool
    sampled = local_best_response(SMALL, agent, 300, seed=2, variants=VARIANTS)
    for value, result in zip(exact, sampled.results, strict=True):
        assert result.interval is not None
        low, high = result.interval
        # Twice the interval: four standard errors.
        assert abs(result.value - value) < high - low


def test_agents_that_ignore_their_cards_are_told_like_strategies() -> None:
    # In a limit game there is one bet, so that kinds of actions are actions.
    limit = untilt.games.holdem(stack=9, limit="2", max_raises=1, board="3", ranks=4, suits=2)
    form = compile_game(limit)
    labels = StrategyEntrant("uniform", StrategyAgent(uniform_profile(form)))
    position = limit.apply(limit.sample(np.random.default_rng(1)))
    assert np.allclose(
        range_of(labels).folding(position)[live_combos(limit.rules, ())],
        range_of(RandomEntrant()).folding(position)[live_combos(limit.rules, ())],
    )


def test_ranges_of_translated_strategies_follow_the_menu() -> None:
    root = untilt.games.holdem(stack=40)
    game = abstract(root, street * hand_class, pot_fractions(1, all_in=True))
    # Aces and kings raise the pot before the flop, everything else calls.
    rows = {}
    position = game.apply(game.base.sample(np.random.default_rng(1)))
    infoset = position.infoset(0)
    names = [str(action) for action in infoset.actions()]
    assert "raise 100%" in names
    for hand in ("AA", "KK"):
        rows[str(infoset).replace(infoset.private, hand)] = {"raise 100%": 0.75, "call": 0.25}
    agent = TranslatedEntrant("abstract", Translation(game, rows))
    before = range_of(agent)
    real = position.base
    assert isinstance(real, Holdem)
    raised = next(each for each in real.infoset(0).actions() if each.amount == 6)
    after = before.after_own(real, raised)
    expected = np.zeros(NUM_COMBOS)
    for hand in ("AA", "KK"):
        expected[COMBOS_OF_CLASS[class_index(hand)]] = 0.75
    assert after.weights.tolist() == expected.tolist()
    # A raise between pot and all-in is taken for either; the weights of both sum to the range.
    between = next(each for each in real.apply(raised).infoset(1).actions() if each.amount == 20)
    assert np.allclose(after.after_other(real.apply(raised), between).weights, after.weights)


def test_what_cannot_be_measured_is_refused() -> None:
    root = untilt.games.holdem()
    with pytest.raises(InvalidOption, match="does not say what it does"):
        local_best_response(root, CodeEntrant("bot", lambda label: "call"), 2)
    with pytest.raises(InvalidOption, match="untilt evaluate"):
        local_best_response(untilt.games.kuhn(), call_entrant(), 2)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="even integer"):
        local_best_response(root, call_entrant(), 3)
