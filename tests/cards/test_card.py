"""Cards as integers and sets of cards as masks: names, numberings and refusals."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untilt.cards
from untilt.cards.card import (
    DECK,
    DECK_MASK,
    card_at,
    card_name,
    card_of,
    cards_name,
    cards_of,
    from_number,
    index_of,
    is_card,
    mask_of,
    parse_card,
    parse_cards,
    rank_of,
    strength_of_rank,
    suit_of,
    to_number,
)
from untilt.errors import CardError

some_cards = st.lists(st.sampled_from(DECK), unique=True, max_size=52)


def test_the_deck_is_ordered_by_rank_then_suit() -> None:
    assert cards_name(DECK[:6]) == "2c 2d 2h 2s 3c 3d"
    assert card_name(DECK[-1]) == "As"
    assert len(set(DECK)) == 52


def test_the_ace_of_spades_has_rank_twelve_and_suit_three() -> None:
    card = parse_card("As")
    assert card == 0x3C == card_of(12, 3)
    assert (rank_of(card), suit_of(card)) == (12, 3)


def test_the_set_of_all_cards_has_thirteen_bits_in_each_sixteen() -> None:
    assert DECK_MASK == 0x1FFF1FFF1FFF1FFF == mask_of(DECK)
    assert [card for card in range(-1, 70) if is_card(card)] == sorted(DECK)


def test_numberings_of_other_programs_begin_with_the_deuce_of_clubs() -> None:
    assert [to_number(parse_card(name)) for name in ("2c", "2d", "3c", "As")] == [1, 2, 5, 52]
    assert [index_of(card) for card in DECK] == list(range(52))
    for card in DECK:
        assert from_number(to_number(card)) == card_at(index_of(card)) == card


def test_strength_turns_ranks_around() -> None:
    assert strength_of_rank(1) == 7462
    assert strength_of_rank(7462) == 1


@pytest.mark.parametrize("text", ["AsKhTd", "As Kh Td", "As,Kh,Td", " as kH, tD "])
def test_cards_may_be_written_with_or_without_separators(text: str) -> None:
    assert cards_name(parse_cards(text)) == "As Kh Td"


@given(some_cards)
def test_parsing_inverts_printing_and_sets_keep_their_cards(cards: list[int]) -> None:
    assert parse_cards(cards_name(cards)) == cards
    assert cards_of(mask_of(cards)) == sorted(cards, key=DECK.index)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("AsXh", "cards 'AsXh', character 3 ('X'): a rank is one of 23456789TJQKA"),
        ("10h", "character 1 ('1'): a rank is one of 23456789TJQKA (a ten is T)"),
        ("Az", "character 2 ('z'): a suit is one of cdhs"),
        ("As K", "character 5 (the end): a suit, one of cdhs, is missing"),
        ("A s", "character 2 (' '): a suit is one of cdhs"),
        ("AsKhAs", "character 5 ('A'): As appears twice"),
        ("A♠", "character 2 ('♠'): a suit is one of cdhs"),
    ],
)
def test_an_error_points_at_the_character(text: str, complaint: str) -> None:
    with pytest.raises(CardError) as raised:
        parse_cards(text)
    assert complaint in str(raised.value)


@pytest.mark.parametrize("text", ["", "AsKh"])
def test_one_card_is_one_card(text: str) -> None:
    with pytest.raises(CardError, match="cards: give one, such as"):
        parse_card(text)


def test_what_is_no_card_is_refused() -> None:
    with pytest.raises(CardError, match="no card has rank 13 and suit 0"):
        card_of(13, 0)
    with pytest.raises(CardError, match="13 is not a card"):
        card_name(13)
    with pytest.raises(CardError, match="64 is not a card"):
        mask_of([64])
    with pytest.raises(CardError, match="not cards: 0x2000"):
        cards_of(0x2001)
    with pytest.raises(CardError, match="no card has number 0"):
        from_number(0)
    with pytest.raises(CardError, match="no card has index 52"):
        card_at(52)


def test_a_set_does_not_hold_a_card_twice() -> None:
    with pytest.raises(CardError, match="As appears twice"):
        mask_of(parse_cards("As") * 2)


@pytest.mark.parametrize("name", dir(untilt.cards))
def test_every_public_name_is_found(name: str) -> None:
    assert getattr(untilt.cards, name) is not None
    assert name in dir(untilt.cards)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'joker'"):
        getattr(untilt.cards, "joker")  # noqa: B009


def test_importing_cards_loads_neither_numba_nor_numpy() -> None:
    code = (
        "import sys; from untilt.cards import parse_cards; parse_cards('AsKh');"
        "sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)
