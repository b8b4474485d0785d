"""Lines of betting are read and written in letters and in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilt.errors import UnknownName
from untilt.game.actions import ActionData, Kind, action_data, action_name
from untilt.game.line import Line, canonical_line, is_line, parse_line

PAIRS = [
    ("", ""),
    ("c", "check"),
    ("cb", "check, bet"),
    ("cbc/c", "check, bet, call / check"),
    ("b120r300c/", "bet 120, raise 300, call / "),
    ("a", "all-in"),
    ("cb60a900f", "check, bet 60, all-in 900, fold"),
    ("b2.5r7.25", "bet 2.5, raise 7.25"),
    ("c/c/cb", "check / check / check, bet"),
]


@pytest.mark.parametrize(("letters", "words"), PAIRS)
def test_letters_and_words_say_the_same(letters: str, words: str) -> None:
    assert parse_line(letters).words == words
    assert parse_line(letters).letters == letters
    assert parse_line(words) == parse_line(letters)


def test_over_a_blind_the_first_c_is_a_call_and_the_first_raise_is_r() -> None:
    line = parse_line("cr6c/c", has_blinds=True)
    assert line.words == "call, raise 6, call / check"
    assert line.letters == "cr6c/c"


@pytest.mark.parametrize("text", ["Check,  bet   120", "c, bet 120", "check, b120", " cb120 "])
def test_people_may_mix_letters_and_words(text: str) -> None:
    assert parse_line(text).letters == "cb120"


@pytest.mark.parametrize("text", ["chekc, bet", "bet -1", "bet 1e5", "fold 3", "12", "b120x", "x"])
def test_what_is_not_a_move_is_refused_by_name(text: str) -> None:
    assert not is_line(text)
    with pytest.raises(UnknownName, match="is not a move"):
        parse_line(text)
    assert canonical_line(text) == text


@pytest.mark.parametrize("text", ["c12", "f3", "b1.", "b.5", "b1e3"])
def test_only_bets_raises_and_all_ins_have_amounts_in_letters(text: str) -> None:
    assert not is_line(text)


MOVES = st.one_of(
    st.sampled_from([Kind.FOLD, Kind.CHECK]).map(lambda kind: (kind, None)),
    st.tuples(
        st.sampled_from([Kind.BET, Kind.RAISE, Kind.ALL_IN]),
        st.none() | st.integers(1, 10**12).map(float) | st.integers(1, 10**6).map(lambda n: n / 4),
    ),
)


@given(st.lists(st.lists(MOVES, max_size=5), min_size=1, max_size=4))
def test_every_line_survives_both_notations(
    streets: list[list[tuple[Kind, float | None]]],
) -> None:
    line = Line(
        tuple(tuple(ActionData(action_name(*move), *move) for move in street) for street in streets)
    )
    assert is_line(line.letters)
    assert parse_line(line.letters).letters == line.letters
    assert parse_line(line.words).letters == line.letters


def test_names_of_actions_have_a_kind_and_an_amount() -> None:
    assert action_data("bet 120") == ActionData("bet 120", Kind.BET, 120.0)
    assert action_data("all-in").to_json() == {"kind": "all-in", "amount": None, "name": "all-in"}
    assert action_data("liar").kind is Kind.OTHER
    assert action_data("fold 3").kind is Kind.OTHER
    assert action_data("Bet").kind is Kind.OTHER
