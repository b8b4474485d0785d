"""All hands at once: what a policy says of every hand is what it does with that hand."""

import random
from collections import Counter

import numpy as np
import pytest

import untilt
from untilt.abstraction import Translation, abstract, capped_bets, hand_class, pot_fractions, street
from untilt.abstraction.abstract_game import AbstractPosition
from untilt.abstraction.translated_hand import TranslatedHand
from untilt.cards.card import mask_of
from untilt.cards.combos import NUM_COMBOS, blocked_combos
from untilt.errors import InvalidOption
from untilt.game.actions import action_data
from untilt.games import holdem
from untilt.games.holdem.game import Holdem
from untilt.policy.code import as_policy
from untilt.policy.nodes.public_state import HANDS, PublicState, continue_line, follow, hands_of
from untilt.policy.policy import Policy
from untilt.policy.simple import RandomPolicy, always_call
from untilt.policy.tabular import TabularPolicy
from untilt.policy.translated import StatesPolicy, TranslatedPolicy, translated_policy

SMALL = {"stack": 6, "board": "3", "ranks": 4, "suits": 2}
MENU = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 3)


def trained(game: AbstractPosition) -> TranslatedPolicy | StatesPolicy:
    run = untilt.solve(game, "es-linear", iterations=300, save=False)
    policy = translated_policy("trained", Translation(game, run.profile))
    assert isinstance(policy, TranslatedPolicy | StatesPolicy)
    return policy


def bottom_up(policy: Policy, root: Holdem, seed: int) -> PublicState:
    """Return a public state of a random hand that is not over, after a few moves."""
    rng = random.Random(seed)
    state = policy.start(root.rules)
    for _ in range(rng.randint(1, 5)):
        if state.player < 0:
            break
        moves = policy.moves(state)
        after = policy.after(state, rng.choice(moves)[0], rng)
        if after.betting.folded >= 0 or after.betting.is_all_in:
            break
        state = after
        if state.player < 0 and (count := root.rules.num_dealt_next(state.board)):
            left = sorted(root.rules.deck_set.difference(state.board))
            state = policy.dealt(state, rng.sample(left, count))
    return state


@pytest.fixture(scope="module")
def small() -> Holdem:
    return holdem(**SMALL)  # type: ignore[arg-type]


def policies(root: Holdem) -> dict[str, Policy]:
    full = untilt.solve(root, "es-linear", iterations=2_000, save=False)
    compiled = full.game
    return {
        "random": RandomPolicy(),
        "call": always_call(),
        "tabular": TabularPolicy(full.profile, compiled.forced, is_partial=True),
        "menu": trained(abstract(root, street * hand_class, MENU)),
        "states": trained(abstract(root, street * hand_class)),
    }


@pytest.fixture(scope="module")
def every(small: Holdem) -> dict[str, Policy]:
    return policies(small)


@pytest.mark.parametrize("name", ["random", "call", "tabular", "menu", "states"])
def test_what_every_hand_does_sums_to_1_and_is_legal(
    every: dict[str, Policy], small: Holdem, name: str
) -> None:
    policy = every[name]
    for seed in range(20):
        state = bottom_up(policy, small, seed)
        if state.player < 0:
            continue
        live = hands_of(small.rules).astype(bool) & ~blocked_combos(mask_of(state.board))
        total = np.sum([shares for _, shares in policy.moves(state)], axis=0)
        np.testing.assert_allclose(total[live], 1.0)
        legal = state.infoset().actions()
        assert all(legal.named(action.name) is not None for action, _ in policy.moves(state))


@pytest.mark.parametrize("name", ["random", "call", "tabular", "states"])
def test_it_is_what_the_policy_does_with_one_hand(
    every: dict[str, Policy], small: Holdem, name: str
) -> None:
    policy = every[name]
    state = bottom_up(policy, small, 3)
    for combo in np.flatnonzero(hands_of(small.rules) * ~blocked_combos(mask_of(state.board))):
        infoset = state.infoset(int(combo))
        weights = dict(policy.weights(infoset, infoset.actions()))  # type: ignore[attr-defined]
        for action, shares in policy.moves(state):
            assert shares[combo] == pytest.approx(
                weights.get(action, weights.get(action.name, 0.0))
            )


def test_a_translated_strategy_does_it_as_it_reads_the_bets(
    every: dict[str, Policy], small: Holdem
) -> None:
    policy = every["menu"]
    assert isinstance(policy, TranslatedPolicy)
    start = policy.start(small.rules)
    # Between two sizes, so it is read in two ways.
    outcomes = policy.outcomes(start, action_data("raise 5"))
    assert sum(chance for _, chance in outcomes) == pytest.approx(1.0)
    assert len(outcomes) == 2
    hand = HANDS[int(np.flatnonzero(hands_of(small.rules))[0])]
    counts: Counter[str] = Counter()
    for seed in range(4_000):
        played = TranslatedHand(policy.translation, random.Random(seed))
        counts[str(played.act(outcomes[0][0].infoset()._replace(hand=hand)))] += 1
    combo = HANDS.index(hand)
    for name, count in counts.items():
        expected = sum(
            chance * shares[combo]
            for state, chance in outcomes
            for action, shares in policy.moves(state)
            if action.name == name
        )
        assert count / 4_000 == pytest.approx(expected, abs=0.04)


def test_the_reach_is_the_product_of_what_was_done(every: dict[str, Policy], small: Holdem) -> None:
    policy = every["tabular"]
    state = policy.start(small.rules)
    expected = [hands_of(small.rules), hands_of(small.rules)]
    for _ in range(2):
        action, shares = policy.moves(state)[-2]
        expected[state.player] = expected[state.player] * shares
        state = policy.after(state, action)
    np.testing.assert_array_equal(state.reach[0], expected[0])
    np.testing.assert_array_equal(state.reach[1], expected[1])
    again = follow(policy, small.rules, state.letters)
    assert again.line == state.line
    np.testing.assert_array_equal(again.reach[0], expected[0])
    assert continue_line(policy, again, [], ()) is again


@pytest.mark.parametrize("name", ["random", "call", "tabular", "menu", "states"])
def test_a_node_has_the_hands_the_ranges_and_the_mix_of_a_state(
    every: dict[str, Policy], small: Holdem, name: str
) -> None:
    policy = every[name]
    board = tuple(sorted(small.rules.deck_set)[:3])
    state = follow(policy, small.rules, "cc/", board)
    node = policy.at(state)
    assert (node.line, node.kind, node.player, node.street) == ("cc/", "decision", 1, "flop")
    assert node.pot == 4.0
    assert [len(hands) for hands in node.hands] == [10, 10]  # of the five cards left
    combos = node.hands[0].combos
    assert combos is not None
    for player in (0, 1):
        reach = node.reach[player]
        assert reach is not None
        np.testing.assert_array_equal(reach, state.reach[player][combos])
    for (action, shares), row, named in zip(
        policy.moves(state), node.mix, node.actions, strict=True
    ):
        assert action == named
        np.testing.assert_array_equal(row, shares[combos])
    assert node.values is None
    # A check leads to the other player; nobody is left to call a bet that was called.
    kinds = {
        action.name: place.kind
        for action, place in zip(node.actions, node.children, strict=True)
        if place
    }
    assert kinds["check"] == "decision"
    assert policy.at(follow(policy, small.rules, "f")).kind == "fold"
    assert policy.at(follow(policy, small.rules, "cc")).kind == "deal"
    assert policy.at(follow(policy, small.rules, "cc/cc", board)).kind == "showdown"


def test_a_hand_that_the_board_has_a_card_of_is_not_there(small: Holdem) -> None:
    policy = always_call()
    board = tuple(sorted(small.rules.deck_set)[:3])
    state = follow(policy, small.rules, "cc/", board)
    assert state.board == board
    assert not (state.reach[0] * blocked_combos(mask_of(board))).any()
    assert state.reach[0].sum() == 10  # of the five cards left


def test_code_says_nothing_about_other_hands(small: Holdem) -> None:
    policy = as_policy(lambda label: "call")
    with pytest.raises(InvalidOption, match="does not say what it does with other hands"):
        policy.start(small.rules)


def test_a_strategy_of_another_game_is_refused(every: dict[str, Policy]) -> None:
    other = holdem(stack=8, board="3", ranks=4, suits=2)
    with pytest.raises(InvalidOption, match="plays hold'em with"):
        every["menu"].start(other.rules)
    assert isinstance(every["states"], StatesPolicy)
    with pytest.raises(InvalidOption, match="give the rules"):
        every["tabular"].start()
    assert len(every["call"].moves(every["call"].start(other.rules))[0][1]) == NUM_COMBOS
