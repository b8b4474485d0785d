"""The language of bet sizes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from untilt.errors import InvalidOption, UnknownName, UntiltError
from untilt.games.holdem.bets.sizes import (
    SIZE_NAMES,
    Size,
    Sizes,
    Unit,
    format_raises,
    format_sizes,
    parse_raises,
    parse_sizes,
)

PERCENTAGES = some.floats(0.01, 1e6).map(lambda percent: percent / 100.0)
COUNTS = some.integers(1, 100).map(float)
CHIPS = some.integers(1, 10**9).map(float)
BETS = (
    some.builds(Size, some.just(Unit.POT), PERCENTAGES)
    | some.builds(Size, some.just(Unit.CHIPS), CHIPS)
    | some.builds(Size, some.just(Unit.GEOMETRIC), COUNTS | some.just(0.0))
    | some.builds(Size, some.just(Unit.GEOMETRIC), COUNTS | some.just(0.0), PERCENTAGES)
    | some.just(Size(Unit.ALL_IN))
)
RAISES = (
    BETS
    | some.builds(Size, some.just(Unit.MULTIPLE), some.floats(1.001, 1e6))
    | some.builds(Size, some.just(Unit.CHIPS), CHIPS, COUNTS)
)


def test_every_form_of_a_size_is_read() -> None:
    assert parse_sizes("60%, 0.6 100c,e 2e,3e200% A") == (
        Size(Unit.POT, 0.6),
        Size(Unit.CHIPS, 100.0),
        Size(Unit.GEOMETRIC),
        Size(Unit.GEOMETRIC, 2.0),
        Size(Unit.GEOMETRIC, 3.0, 2.0),
        Size(Unit.ALL_IN),
    )
    assert parse_sizes("2.5X, 20c3r", is_raise=True) == (
        Size(Unit.MULTIPLE, 2.5),
        Size(Unit.CHIPS, 20.0, 3.0),
    )
    assert parse_sizes(" ") == ()


@given(some.lists(BETS, max_size=5, unique=True).map(tuple))
def test_bets_are_read_as_they_were_written(sizes: tuple[Size, ...]) -> None:
    assert parse_sizes(format_sizes(sizes)) == sizes


@given(some.lists(some.lists(RAISES, max_size=3, unique=True).map(tuple), min_size=1, max_size=3))
def test_raises_are_read_as_they_were_written(lists: list[tuple[Size, ...]]) -> None:
    assert parse_raises(format_raises(tuple(lists))) == tuple(lists)


@given(
    some.dictionaries(some.sampled_from(SIZE_NAMES), some.sampled_from(["50%", "e, a", ""])),
    some.none() | some.integers(0, 5),
)
def test_all_sizes_of_a_spot_are_read_as_they_were_written(
    texts: dict[str, str], max_raises: int | None
) -> None:
    sizes = Sizes.from_dict({**texts, "max_raises": max_raises})
    again = Sizes.from_dict(sizes.to_dict())
    assert again == sizes
    assert hash(again) == hash(sizes)
    assert again.to_dict() == sizes.to_dict()
    assert eval(repr(sizes), {"Sizes": Sizes}) == sizes


def test_sizes_are_shown_as_people_write_them() -> None:
    text = "33%, 112.5%, 0.1%, 100c, e, 2e, 2e200%, a"
    assert format_sizes(parse_sizes(text)) == text
    assert format_raises(parse_raises("2.5x;3x,a ; a")) == "2.5x; 3x, a; a"


def test_the_more_specific_sizes_count() -> None:
    sizes = Sizes("10%", flop_bets="20%", ip_bets="30%", ip_flop_bets="40%", oop_turn_raises="a")
    percent = {
        (street, player): round(100 * sizes.bets(street, player)[0].value)
        for street in ("flop", "turn")
        for player in (0, 1)
    }
    assert percent == {("flop", 0): 20, ("flop", 1): 40, ("turn", 0): 10, ("turn", 1): 30}
    assert sizes.raises("turn", 0, 1) == (Size(Unit.ALL_IN),)
    assert sizes.raises("turn", 1, 1) == (Size(Unit.MULTIPLE, 2.5),)


def test_raises_differ_by_number_and_the_last_list_serves_further_ones() -> None:
    sizes = Sizes("50%", "3x; 50%; a", max_raises=4)
    units = [[size.unit for size in sizes.raises("river", 0, number)] for number in range(1, 6)]
    assert units == [[Unit.MULTIPLE], [Unit.POT], [Unit.ALL_IN], [Unit.ALL_IN], []]


def test_donk_bets_are_those_of_bets_unless_given() -> None:
    assert Sizes("50%").donk("turn") == parse_sizes("50%")
    assert Sizes("50%", donk="").donk("turn") == ()
    assert Sizes("50%", donk="", river_donk="25%").donk("river") == parse_sizes("25%")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("60", None),
        ("-60%", "'-60%' is not a bet size; write 60%"),
        ("0%", "must be positive"),
        ("nan", "'nan' is not a bet size"),
        ("1e9e", "is not a bet size"),
        ("12.5c", "is not a bet size"),
        ("0e", "the number of streets must be from 1 to 100"),
        ("101e", "the number of streets must be from 1 to 100"),
        ("2e50", "is not a bet size"),
        ("1e400%%", "is not a bet size"),
        ("2.5x", "can only be the size of a raise"),
        ("20c3r", "can only be the size of a raise"),
        ("bet", "is not a bet size"),
        ("9999999999999c", "must be positive, to 1e9"),
    ],
)
def test_other_words_are_refused_with_examples(text: str, why: str | None) -> None:
    if why is None:
        assert parse_sizes(text) == (Size(Unit.POT, 60.0),)
        return
    with pytest.raises(InvalidOption, match=why):
        parse_sizes(text)


def test_a_multiple_of_one_is_not_a_raise() -> None:
    with pytest.raises(InvalidOption, match="give a multiple above 1"):
        parse_sizes("1x", is_raise=True)


def test_an_error_says_which_sizes_are_wrong() -> None:
    with pytest.raises(InvalidOption, match=r"^river_donk: '3x' is a multiple"):
        Sizes("50%", river_donk="3x")
    with pytest.raises(UnknownName, match="did you mean 'turn_bets'"):
        Sizes("50%", turn_bet="3x")
    with pytest.raises(InvalidOption, match="max_raises is -1"):
        Sizes(max_raises=-1)
    with pytest.raises(UntiltError, match="bet sizes are 60"):
        Sizes(60)  # type: ignore[arg-type]


def test_sizes_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        Sizes().max_raises = 3


def test_variants_leave_out_one_size_each() -> None:
    found = dict(Sizes("33%, a", "2.5x; a").variants())
    assert found == {
        "33% of bets": Sizes("a", "2.5x; a"),
        "a of bets": Sizes("33%", "2.5x; a"),
        "2.5x of raises": Sizes("33%, a", "; a"),
        "a of raises": Sizes("33%, a", "2.5x; "),
    }
    assert math.isinf(Size(Unit.ALL_IN).cap)
