"""Menus: what they offer, in chips and by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.abstraction.infosets import AnyInfoset, bettings

from untilt.abstraction import (
    Menu,
    all_in_threshold,
    by_street,
    capped_bets,
    menu,
    pot_fractions,
    raise_multiples,
    sizes,
    street,
)
from untilt.abstraction.expressions import parse_menu
from untilt.errors import GameError, InvalidOption
from untilt.game.actions import Kind
from untilt.games.holdem.bets.bet_amounts import bet_amount
from untilt.games.holdem.bets.sizes import Size, Unit
from untilt.games.holdem.betting import Betting, BettingRules

DEEP = Betting.new(0, (400, 400), blinds=(1, 2), rules=BettingRules(2))
FLOP = DEEP.check_or_call().check_or_call().next_street(first=1)

MENUS = [
    pot_fractions(0.5, 1.0, all_in=True),
    pot_fractions(0.25, 0.5),
    pot_fractions(1 / 3),
    raise_multiples(2.5, 4.0),
    sizes("33%, 75%", "2.5x; a"),
    sizes("e, 20c"),
    pot_fractions(0.5) | raise_multiples(3.0),
    capped_bets(pot_fractions(1.0, all_in=True), 3),
    all_in_threshold(pot_fractions(0.5, 1.0), 0.5),
    by_street(sizes("a"), pot_fractions(0.5), capped_bets(pot_fractions(2.0), 1)),
]


def shown(given_menu: Menu, betting: Betting) -> list[str]:
    return [f"{offer.name} = {offer.action.name}" for offer in given_menu.offers(betting)]


def test_bets_are_named_by_size_and_made_in_chips() -> None:
    half_and_pot = pot_fractions(0.5, 1.0, all_in=True)
    # The small blind calls 1, then raises by half of the pot of 4, and by all of it.
    assert shown(half_and_pot, DEEP) == [
        "fold = fold", "call = call", "raise 50% = raise 4", "raise 100% = raise 6",
        "all-in = all-in 400",
    ]  # fmt: skip
    assert shown(half_and_pot, FLOP) == [
        "check = check", "bet 50% = bet 2", "bet 100% = bet 4", "all-in = all-in 398",
    ]  # fmt: skip
    assert [action.name for action in half_and_pot.actions(FLOP)] == [
        "check", "bet 2", "bet 4", "all-in 398",
    ]  # fmt: skip


def test_a_cap_counts_the_blind_as_a_bet() -> None:
    capped = capped_bets(pot_fractions(1.0), 2)
    assert shown(capped, DEEP)[2:] == ["raise 100% = raise 6"]
    assert shown(capped, DEEP.bet_to(6))[2:] == []
    assert shown(capped, FLOP.bet_to(4))[2:] == ["raise 100% = raise 16"]
    assert shown(capped, FLOP.bet_to(4).bet_to(16))[2:] == []


def test_bets_that_leave_little_behind_are_all_in() -> None:
    short = Betting.new(100, (90, 90), rules=BettingRules(2))
    assert shown(pot_fractions(0.75), short)[1:] == ["bet 75% = bet 75"]
    assert shown(all_in_threshold(pot_fractions(0.75), 0.1), short)[1:] == ["all-in = all-in 90"]


def test_streets_have_their_own_menus_and_the_last_serves_all_further() -> None:
    staged = by_street(sizes("a"), pot_fractions(0.5), pot_fractions(1.0))
    assert shown(staged, DEEP)[2:] == ["all-in = all-in 400"]
    assert shown(staged, FLOP)[1:] == ["bet 50% = bet 2"]
    turn = FLOP.check_or_call().check_or_call().next_street(first=1)
    river = turn.check_or_call().check_or_call().next_street(first=1)
    assert shown(staged, turn)[1:] == shown(staged, river)[1:] == ["bet 100% = bet 4"]


def test_a_user_writes_a_menu_as_sizes() -> None:
    @menu
    def pot_then_shove(betting: Betting) -> str:
        return "100%" if betting.street < 1 else "a"

    assert shown(pot_then_shove, DEEP)[2:] == ["raise 100% = raise 6"]
    assert shown(pot_then_shove, FLOP)[1:] == ["all-in = all-in 398"]
    assert not pot_then_shove.is_ready_made

    @menu
    def nonsense(betting: Betting) -> str:
        return "a lot"

    with pytest.raises(GameError, match="the menu 'nonsense' returns 'a lot'"):
        nonsense.offers(DEEP)


@given(bettings(), st.sampled_from(MENUS))
def test_offers_are_legal_distinct_and_ascending(betting: Betting, given_menu: Menu) -> None:
    offers = given_menu.offers(betting)
    names = [offer.name for offer in offers]
    assert len(set(names)) == len(names)
    amounts = []
    for offer in offers:
        betting.apply(offer.action)  # raises if it is not legal
        if offer.action.kind in (Kind.BET, Kind.RAISE, Kind.ALL_IN):
            amounts.append(offer.action.amount or 0.0)
    assert amounts == sorted(set(amounts))
    assert parse_menu(repr(given_menu)) == given_menu


@given(bettings(), st.sampled_from([0.25, 0.5, 1.0, 2.0]))
def test_a_menu_agrees_with_the_chips_of_spots(betting: Betting, fraction: float) -> None:
    if not betting.can_bet():
        return
    wanted = bet_amount(Size(Unit.POT, fraction), betting, betting.street)
    assert wanted is not None
    (amount,) = pot_fractions(fraction).bets(betting)
    assert amount == min(max(wanted, betting.least_to), betting.all_in_to)


def test_menus_are_algebraic() -> None:
    half, pot = pot_fractions(0.5), pot_fractions(1.0)
    assert half | pot == pot | half
    assert half | half == half
    assert (half | pot) | sizes("a") == half | (pot | sizes("a"))
    known = AnyInfoset(0, (0, 1), (), "", DEEP)
    assert (street * half)(known) == (half * street)(known)
    assert half(known) == ("fold", "call", "raise 50%")
    assert shown(half | pot, DEEP)[2:] == ["raise 50% = raise 4", "raise 100% = raise 6"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (pot_fractions, r"pot_fractions\(\) offers no bet"),
        (raise_multiples, "offers no bet"),
        (lambda: sizes(""), "offers no bet"),
        (by_street, "offers no bet"),
        (lambda: pot_fractions(0.0), "give positive numbers"),
        (lambda: pot_fractions(float("nan")), "give positive numbers"),
        (lambda: pot_fractions(True), "give positive numbers"),
        (lambda: raise_multiples(1.0), "more than 1 times"),
        (lambda: capped_bets("half", 3), "give a menu such as"),  # type: ignore[arg-type]
        (lambda: capped_bets(pot_fractions(1.0), -1), "an integer from 0"),
        (lambda: all_in_threshold(pot_fractions(1.0), -0.5), "give positive numbers"),
        (lambda: sizes("2x"), "only be the size of a raise"),
    ],
)
def test_bad_menus_are_refused(make: object, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        make()  # type: ignore[operator]  # a function without arguments
