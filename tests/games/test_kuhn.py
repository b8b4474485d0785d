"""The rules of Kuhn poker, played by hand."""

import re
from fractions import Fraction
from itertools import product

import pytest
from scipy.optimize import linprog

import untilt
from untilt.errors import GameError, InvalidOption
from untilt.game.terms import chips_of, terms_of
from untilt.games.kuhn import Kuhn, kuhn
from untilt.games.registry import name_position, resolve

from .census import take_census
from .playing import play


@pytest.mark.parametrize(
    ("hand", "payoff"),
    [
        ("J Q check check", -1),
        ("K Q check check", 1),
        ("J K bet fold", 1),
        ("Q J bet call", 2),
        ("Q K bet call", -2),
        ("K J check bet fold", -1),
        ("K J check bet call", 2),
        ("J Q check bet call", -2),
    ],
)
def test_hands_pay_what_the_rules_say(hand: str, payoff: float) -> None:
    end = play(Kuhn(), hand)
    assert end.terminal
    assert end.payoff(0) == payoff
    assert end.payoff(1) == -payoff


def test_labels_and_actions_of_all_infosets() -> None:
    menus = {str(i): actions for i, actions in take_census(Kuhn()).actions_of_infoset.items()}
    assert menus == {
        f"P{player}:{card}:{line}": actions
        for card in "JQK"
        for player, line, actions in (
            (0, "", ("check", "bet")),
            (0, "cb", ("fold", "call")),
            (1, "c", ("check", "bet")),
            (1, "b", ("fold", "call")),
        )
    }


def test_the_second_card_differs_from_the_first() -> None:
    assert Kuhn().apply("Q").chances() == [("J", 0.5), ("K", 0.5)]


@pytest.mark.parametrize(
    ("hand", "move"),
    [("", "A"), ("Q", "Q"), ("Q K", "fold"), ("Q K bet", "check"), ("Q K bet call", "bet")],
)
def test_illegal_moves_are_refused(hand: str, move: str) -> None:
    with pytest.raises(GameError, match=f"'{move}' is not legal here"):
        play(Kuhn(), hand).apply(move)


@pytest.mark.parametrize(
    ("ante", "bet"), [(1, 1), (2, 1), (1, 0.5), (3, 2), (1, 1.9), (1, 2), (1, 3), (0.25, 0.3)]
)
def test_three_cards_are_worth_what_the_closed_form_says(ante: float, bet: float) -> None:
    # J is indifferent between a bluff and a check if Q calls with (2a − b) / (2a + b); Q is
    # indifferent to calling if J bluffs with b / (2a + b). K bets at once only if b ≤ a.
    found = untilt.solve(kuhn(ante=ante, bet=bet), "lp", save=False)
    worth = -bet * max(min(bet, 2 * ante - bet), 0.0) / (6 * (2 * ante + bet))
    assert found.value == pytest.approx(worth, abs=1e-12)


def test_thirteen_cards_cost_the_first_player_six_point_four_cents() -> None:
    # Gordon, "One-card poker", www.cs.cmu.edu/~ggordon/poker: "about 6.4 cents per deal" at stakes
    # of a dollar, and "26 information states and 52 sequences per player".
    found = untilt.solve(kuhn(cards=13), "lp", save=False)
    assert found.value == pytest.approx(-0.064, abs=5e-4)
    assert found.value == pytest.approx(-5 / 78, abs=1e-12)
    assert [len(table) for table in found.game.infosets] == [26, 26]
    assert [table.num_sequences - 1 for table in found.game.infosets] == [52, 52]


@pytest.mark.parametrize(("cards", "value"), [(4, Fraction(-1, 24)), (5, Fraction(-1, 15))])
def test_values_of_larger_decks_are_those_of_the_matrix_of_all_pure_strategies(
    cards: int, value: Fraction
) -> None:
    assert pure_value(cards) == pytest.approx(float(value), abs=1e-9)
    found = untilt.solve(kuhn(cards=cards), "lp", save=False)
    assert found.value == pytest.approx(float(value), abs=1e-12)


def pure_value(cards: int) -> float:
    """The value of Kuhn poker as a matrix game, by its rules written down once more.

    A pure strategy of player 0 is, for each card, one of: bet; check and fold; check and call. Of
    player 1: for each card, whether she bets after a check and whether she calls a bet.
    """

    def gain(mine: int, yours: int, plan: str, bets: bool, calls: bool) -> int:
        shown = 1 if mine > yours else -1
        if plan == "bet":
            return 2 * shown if calls else 1
        if not bets:
            return shown
        return 2 * shown if plan == "check, call" else -1

    plans = list(product(("bet", "check, fold", "check, call"), repeat=cards))
    # Player 1's best response to a mixture is found card by card, so there is a row per card and
    # answer, not per strategy.
    answers = list(product((False, True), repeat=2))
    deals = cards * (cards - 1)
    # Variables: the weight of each plan, and for each of her cards the least that player 0 gets.
    rows = []
    for yours in range(cards):
        for bets, calls in answers:
            row = [
                -sum(
                    gain(mine, yours, plan[mine], bets, calls)
                    for mine in range(cards)
                    if mine != yours
                )
                / deals
                for plan in plans
            ]
            rows.append([*row, *(float(card == yours) for card in range(cards))])
    found = linprog(
        [0.0] * len(plans) + [-1.0] * cards,
        A_ub=rows,
        b_ub=[0.0] * len(rows),
        A_eq=[[1.0] * len(plans) + [0.0] * cards],
        b_eq=[1.0],
        bounds=[(0, None)] * len(plans) + [(None, None)] * cards,
    )
    assert found.fun is not None
    return -found.fun


def test_plain_kuhn_leaves_no_trace_of_its_parameters() -> None:
    plain, written = resolve("kuhn"), resolve("kuhn", {"cards": "3", "ante": 1, "bet": "1.0"})
    assert plain.parameters == written.parameters == {}
    assert plain.title == "Kuhn Poker"
    assert plain.game == written.game == Kuhn()
    assert name_position(Kuhn()).parameters == {}
    assert terms_of(Kuhn()).rules == (
        "Three cards: J, Q, K. Each player antes 1 and gets one. One bet of 1 may be made; it is "
        "called or folded to. The higher card wins the pot."
    )


def test_only_changed_parameters_are_stored_and_they_make_the_game_again() -> None:
    named = resolve("kuhn", {"cards": 5, "bet": 2})
    assert named.parameters == {"cards": 5, "bet": 2.0}
    assert name_position(named.game).parameters == named.parameters
    assert resolve("kuhn", named.parameters).game == named.game
    assert terms_of(named.game).rules.startswith("5 cards: 9, T, …, K. Each player antes 1 and")


def test_a_deck_has_the_highest_cards_and_its_chips_are_those_of_the_rules() -> None:
    game = kuhn(cards=4, ante=2, bet=3)
    assert [card for card, _ in game.chances()] == ["T", "J", "Q", "K"]
    end = play(game, "T K check bet call")
    assert (end.payoff(0), end.payoff(1)) == (-5.0, 5.0)
    assert chips_of(end) == (4.0, (3.0, 3.0), (None, None))
    assert play(game, "T K bet fold").payoff(0) == 2.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cards": 2}, "kuhn: cards=2; allowed: an integer from 3 to 13"),
        ({"cards": 14}, "kuhn: cards=14; allowed: an integer from 3 to 13"),
        ({"bet": 0.0}, "kuhn: bet=0.0; allowed: a number from 0.001 to 1000"),
        ({"ante": -1.0}, "kuhn: ante=-1.0; allowed: a number from 0.001 to 1000"),
    ],
)
def test_rules_out_of_range_are_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidOption, match=re.escape(message)):
        kuhn(**given)  # type: ignore[arg-type]
