"""The hand evaluator: counts of all hands, a slow twin, other programs, and refusals."""

from collections.abc import Callable
from itertools import chain, combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import hands as reference

from untilt.cards.card import (
    DECK,
    card_name,
    card_of,
    cards_name,
    mask_of,
    parse_card,
    parse_cards,
    rank_of,
    suit_of,
)
from untilt.cards.evaluator.build_evaluator import DATA_FILE, build
from untilt.cards.evaluator.evaluator import (
    _rank_masks,
    count_hands,
    evaluate,
    evaluate_in_numpy,
    rank_of_key,
)
from untilt.cards.evaluator.evaluator_tables import (
    RANK_KEYS,
    START_KEY,
    EvaluatorTables,
    load_tables,
    unpack_arrays,
)
from untilt.cards.evaluator.vector_keys import sum_four_keys, sum_four_keys_one_by_one
from untilt.cards.hand import CATEGORIES, CATEGORY_BEGINS, category_of, describe_hand, rank_hand
from untilt.errors import CardError, FormatError, InvalidOption
from untilt.numeric.kernel import kernel

Cards = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]

# https://en.wikipedia.org/wiki/Poker_probability, straight flush to high card.
COUNTS = {
    5: [40, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540],
    6: [1844, 14664, 165984, 205792, 361620, 732160, 2532816, 9730740, 6612900],
    7: [41584, 224848, 3473184, 4047644, 6180020, 6461620, 31433400, 58627800, 23294460],
}

NASTY = [
    "As Ks Qs Js Ts 9s 8s",  # seven to a royal flush
    "Ac 2c 3c 4c 5c 6d 7d",  # steel wheel beside a higher straight
    "Ac 2c 3c 4c 5c 6c 7d",  # six high beats the wheel
    "Kc Ac 2c 3c 4c 5d 6h",  # no straight around the corner: a flush
    "Qd Kc Ah 2s 3d 4c 9h",  # nor here: high card
    "Ad 2c 3h 4s 5d 5c 5h",  # wheel with trips
    "Ad 2c 3h 4s 5d 6c 7h",  # the higher of three straights
    "Ac Kc Qc Jc 9c Td Th",  # flush beats the straight
    "9c 8c 7c 6c 2c 5d Td",  # straight to the ten, but a flush
    "2c 2d 2h 3c 3d 3h 4s",  # two trips
    "Ac Ad Ah Kc Kd Kh Ks",  # quads below trips
    "2c 2d 2h 2s Ac Ad Ah",
    "2c 2d 3c 3d 4c 4d Ac",  # three pairs and a kicker above
    "Ac Ad Kc Kd Qc Qd Jc",  # three pairs, the third pair is the kicker
    "Ac Ad 3c 3d 2c 2d 2h",  # the pair of aces fills the deuces
    "Ac Ad Ah Kc Kd Qc Qd",  # trips with two pairs
    "7c 5d 4h 3s 2c 8d 9h",
    "Ac Kc Qc Jc 9c 8c 7c",  # seven of a suit
    "2c 3c 4c 5c 7c 8c Ac",
    "Th 9h 8h 7h 6h 5h 4h",  # seven to a straight flush
]


def rows(*hands: str) -> Cards:
    return np.array([parse_cards(hand) for hand in hands], dtype=np.uint8)


def random_hands(num_hands: int, num_cards: int, seed: int) -> Cards:
    order = np.argsort(np.random.default_rng(seed).random((num_hands, 52)), axis=1)
    return np.array(DECK, dtype=np.uint8)[order[:, :num_cards]]


def masks_of(hands: Cards) -> Words:
    masks: Words = np.bitwise_or.reduce(np.uint64(1) << hands.astype(np.uint64), axis=1)
    return masks


def names_of(hand: Cards) -> list[str]:
    return [card_name(int(card)) for card in hand]


@pytest.mark.parametrize("num_cards", COUNTS)
def test_every_category_has_the_known_number_of_hands(num_cards: int) -> None:
    counts = count_hands(num_cards)
    assert counts[0] == 0
    assert counts.sum() == comb(52, num_cards)
    assert np.add.reduceat(counts, CATEGORY_BEGINS).tolist() == COUNTS[num_cards]


def test_all_five_card_hands_fall_into_7462_classes_of_the_right_sizes() -> None:
    # Hands of a class differ by suits only: a kicker's four, six pairs of four suits, …
    size = [4, 4, 24, 4, 4**5 - 4, 4 * 16, 6 * 6 * 4, 6 * 64, 4**5 - 4]
    expected = [size[CATEGORIES.index(category_of(rank))] for rank in range(1, 7463)]
    assert count_hands(5)[1:].tolist() == expected


def test_the_batch_agrees_with_the_enumeration_on_all_five_card_hands() -> None:
    cards = chain.from_iterable(combinations(DECK, 5))
    hands = np.fromiter(cards, np.uint8, 5 * comb(52, 5)).reshape(-1, 5)
    expected = count_hands(5)
    for batch in (hands, masks_of(hands)):
        ranks = evaluate(batch, threads=2)
        assert np.array_equal(np.bincount(ranks, minlength=7463), expected)


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_the_slow_twin_orders_random_hands_alike(num_cards: int) -> None:
    hands = random_hands(3_000, num_cards, seed=num_cards)
    values = [reference.best_value(names_of(hand)) for hand in hands]
    check_order(values, evaluate(hands).tolist())


def test_the_slow_twin_orders_hands_of_two_suits_and_of_few_ranks_alike() -> None:
    rng = np.random.default_rng(5)
    two_suits = [card for card in DECK if suit_of(card) < 2]
    few_ranks = [card for card in DECK if rank_of(card) in {0, 1, 2, 3, 4, 12}]
    hands = np.array(
        [rng.permutation(deck)[:7] for deck in (two_suits, few_ranks) for _ in range(1_500)],
        dtype=np.uint8,
    )
    values = [reference.best_value(names_of(hand)) for hand in hands]
    ranks = evaluate(hands)
    check_order(values, ranks.tolist())
    # The sample must contain what random hands rarely do.
    assert {category_of(int(rank)) for rank in ranks} == set(CATEGORIES)


def test_the_slow_twin_orders_nasty_hands_alike() -> None:
    values = [reference.best_value(hand.split()) for hand in NASTY]
    check_order(values, evaluate(rows(*NASTY)).tolist())


def check_order(values: list[reference.Value], ranks: list[int]) -> None:
    """The better the value the lower the rank, equal for equal, and categories are the same."""
    rank_of_value = {str(value): rank for value, rank in zip(values, ranks, strict=True)}
    assert [rank_of_value[str(value)] for value in values] == ranks
    best_first = sorted(range(len(values)), key=lambda i: values[i], reverse=True)
    sorted_ranks = [ranks[i] for i in best_first]
    assert sorted_ranks == sorted(ranks)
    assert len(set(ranks)) == len(rank_of_value)
    for value, rank in zip(values, ranks, strict=True):
        assert reference.NAMES[value[0]] == category_of(rank)


def test_ranks_in_numpy_are_those_of_the_kernel() -> None:
    generator = np.random.default_rng(7)
    deck = np.array(DECK, dtype=np.uint64)
    few = deck[generator.random(len(deck)) < 0.35]  # with many flushes and full houses
    for cards in (deck, few, deck[:13]):
        chosen = np.array([generator.permutation(cards)[:7] for _ in range(3000)])
        masks = np.bitwise_or.reduce(np.uint64(1) << chosen, axis=1)
        assert np.array_equal(evaluate_in_numpy(masks), evaluate(masks))


def test_the_best_and_worst_hands_have_ranks_1_and_7462() -> None:
    found = evaluate(rows("AsKsQsJsTs2d3c", "Ac2d3h4s5c7d8h", "AcAdAhAsKcKdKh"))
    assert found.tolist() == [1, 1609, 11]
    assert found.dtype == np.uint16
    assert evaluate(rows("7c5d4h3s2c")).tolist() == [7462]


@pytest.mark.parametrize("num_cards", [5, 6, 7])
@pytest.mark.parametrize("num_hands", [0, 1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 261, 1_000])
def test_batches_of_any_length_agree_with_single_hands(num_hands: int, num_cards: int) -> None:
    hands = random_hands(num_hands, num_cards, seed=num_hands)
    expected = [rank_hand(hand) for hand in hands.tolist()]
    assert evaluate(hands).tolist() == expected
    if num_hands:
        assert evaluate(masks_of(hands)).tolist() == expected


def test_threads_change_nothing() -> None:
    hands = random_hands(120_000, 7, seed=1)
    expected = evaluate(hands)
    assert np.array_equal(evaluate(hands, threads=3), expected)
    assert np.array_equal(evaluate(masks_of(hands)), expected)
    assert np.array_equal(evaluate(masks_of(hands), threads=2), expected)


def test_layout_and_protection_of_the_array_do_not_matter() -> None:
    hands = random_hands(500, 7, seed=2)
    expected = evaluate(hands)
    locked = hands.copy()
    locked.flags.writeable = False
    shifted = np.concatenate([np.zeros(3, dtype=np.uint8), hands.reshape(-1)])[3:].reshape(-1, 7)
    for same in (locked, shifted, np.asfortranarray(hands), np.repeat(hands, 2, axis=0)[::2]):
        assert np.array_equal(evaluate(same), expected)
    masks = masks_of(hands)
    masks.flags.writeable = False
    assert np.array_equal(evaluate(masks), expected)
    assert np.array_equal(evaluate(np.repeat(masks, 2)[::2]), expected)
    # One compiled version serves them all.
    compiled: Any = _rank_masks
    assert len(compiled.signatures) == 1


@pytest.mark.parametrize("num_cards", [5, 6, 7])
@pytest.mark.parametrize("num_hands", [4, 5, 8, 256])
def test_what_stands_behind_the_array_does_not_matter(num_hands: int, num_cards: int) -> None:
    hands = random_hands(num_hands, num_cards, seed=7)
    memory = np.full(hands.size + 16, 255, dtype=np.uint8)
    memory[: hands.size] = hands.reshape(-1)
    inside = memory[: hands.size].reshape(hands.shape)
    assert np.array_equal(evaluate(inside), evaluate(hands))


some_hand = st.integers(5, 7).flatmap(
    lambda size: st.lists(st.sampled_from(DECK), unique=True, min_size=size, max_size=size)
)


@given(some_hand, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_suits_and_the_order_of_cards_do_not_matter(
    hand: list[int], suits: list[int], random: Any
) -> None:
    other = [card_of(rank_of(card), suits[suit_of(card)]) for card in hand]
    random.shuffle(other)
    assert rank_hand(other) == rank_hand(hand)


@given(some_hand)
def test_a_further_card_never_weakens_a_hand(hand: list[int]) -> None:
    if len(hand) > 5:
        assert rank_hand(hand) == min(
            rank_hand([*hand[:i], *hand[i + 1 :]]) for i in range(len(hand))
        )


@given(some_hand)
def test_the_five_cards_shown_are_of_the_hand_and_worth_as_much(hand: list[int]) -> None:
    found = describe_hand(hand)
    assert len(found.cards) == 5
    assert set(found.cards) <= set(hand)
    assert rank_hand(found.cards) == found.rank == rank_hand(hand)
    assert found.strength == 7463 - found.rank
    assert found.category == category_of(found.rank)


@pytest.mark.parametrize(
    ("hand", "cards", "text"),
    [
        ("As Ks Qs Js Ts 2d 3c", "As Ks Qs Js Ts", "royal flush"),
        ("5c 4c 3c 2c Ac Kd Kh", "5c 4c 3c 2c Ac", "straight flush, five high"),
        ("9c 9d 9h 9s Kc Ad 2h", "9s 9h 9d 9c Ad", "four of a kind, nines, ace kicker"),
        ("Ks Kh Kd 2c 2s 9h 7d", "Ks Kh Kd 2s 2c", "full house, kings full of twos"),
        ("6s 6h 6d 2c 2s 2h 7d", "6s 6h 6d 2s 2h", "full house, sixes full of twos"),
        ("Ah 9h 7h 3h 2h 2d 2c", "Ah 9h 7h 3h 2h", "flush, ace-nine-seven-three-two"),
        ("Ah 2d 3c 4c 5s Ks Kd", "5s 4c 3c 2d Ah", "straight, five high"),
        ("Td Tc Th 9s 8d 2c 3c", "Th Td Tc 9s 8d", "three of a kind, tens, nine and eight kickers"),
        ("Ks Kh 2c 2s 3d 3h As", "Ks Kh 3h 3d As", "two pair, kings and threes, ace kicker"),
        ("Js Jh 2c 5s 7d 8h As", "Js Jh As 8h 7d", "pair of jacks, ace, eight and seven kickers"),
        ("7c 5d 4h 3s 2c", "7c 5d 4h 3s 2c", "high card, seven-five-four-three-two"),
    ],
)
def test_hands_are_described_as_people_say_them(hand: str, cards: str, text: str) -> None:
    found = describe_hand(parse_cards(hand))
    assert cards_name(found.cards) == cards
    assert found.text == text


@kernel
def rank_on_board(
    tables: EvaluatorTables, board: Cards, hole_cards: Cards, ranks: npt.NDArray[np.uint16]
) -> None:
    """What kernels that enumerate do: the board is added once."""
    board_key = START_KEY
    board_mask = np.uint64(0)
    for card in board:
        board_key += tables.card_keys[card]
        board_mask |= np.uint64(1) << np.uint64(card)
    for i in range(len(hole_cards)):
        key = board_key
        mask = board_mask
        for card in hole_cards[i]:
            key += tables.card_keys[card]
            mask |= np.uint64(1) << np.uint64(card)
        ranks[i] = rank_of_key(tables, key, mask)


@pytest.mark.parametrize("board", ["AsKsQs2d7c", "2c3c4c5c9d", "2c2d2hAsAh"])
def test_keys_of_board_and_hole_cards_add_up(board: str) -> None:
    board_cards = np.array(parse_cards(board), dtype=np.uint8)
    rest = [card for card in DECK if card not in board_cards]
    hole_cards = np.array(list(combinations(rest, 2)), dtype=np.uint8)
    ranks = np.zeros(len(hole_cards), dtype=np.uint16)
    rank_on_board(load_tables(7), board_cards, hole_cards, ranks)
    whole = np.concatenate([np.tile(board_cards, (len(hole_cards), 1)), hole_cards], axis=1)
    assert np.array_equal(ranks, evaluate(whole))


@kernel
def four_keys(card_keys: Words, cards: Cards, size: np.uint64, keys: Words) -> None:
    sum_four_keys(card_keys, cards, np.uint64(1), size, keys)


@kernel
def four_keys_one_by_one(card_keys: Words, cards: Cards, size: np.uint64, keys: Words) -> None:
    sum_four_keys_one_by_one(card_keys, cards, np.uint64(1), size, keys)


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_keys_of_four_hands_at_once_are_those_of_adding_cards(num_cards: int) -> None:
    rng = np.random.default_rng(num_cards)
    card_keys = load_tables().card_keys
    together, apart = np.zeros(4, dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    for _ in range(200):
        cards = rng.choice(np.array(DECK, dtype=np.uint8), 40)
        four_keys(card_keys, cards, np.uint64(num_cards), together)
        four_keys_one_by_one(card_keys, cards, np.uint64(num_cards), apart)
        assert np.array_equal(together, apart)


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_sums_of_rank_keys_are_unique(num_cards: int) -> None:
    sums = [
        sum(RANK_KEYS[rank] for rank in ranks)
        for ranks in combinations_with_replacement(range(13), num_cards)
        if max(ranks.count(rank) for rank in set(ranks)) <= 4
    ]
    assert len(set(sums)) == len(sums) == {5: 6_175, 6: 18_395, 7: 49_205}[num_cards]


@pytest.mark.long
def test_the_shipped_tables_are_those_that_the_rules_give() -> None:
    assert DATA_FILE.read_bytes() == build()


@pytest.mark.parametrize("position", [0, 10, 30, 100_000, -1])
def test_a_damaged_data_file_is_refused(position: int) -> None:
    data = bytearray(DATA_FILE.read_bytes())
    unpack_arrays(bytes(data))
    data[position] ^= 1
    with pytest.raises(FormatError, match="damaged"):
        unpack_arrays(bytes(data))
    with pytest.raises(FormatError, match="damaged"):
        unpack_arrays(bytes(data[:-2]))


@pytest.mark.parametrize("wrong", [13, 15, 0x1D, 0x2E, 0x3F, 64, 76, 128, 255])
@pytest.mark.parametrize("row", [0, 3, 256, 299, 998, 999])
@pytest.mark.parametrize("column", [0, 6])
def test_a_number_that_is_no_card_is_found_and_named(wrong: int, row: int, column: int) -> None:
    hands = random_hands(1_000, 7, seed=3)
    hands[row, column] = wrong
    with pytest.raises(CardError, match=f"hand {row} contains {wrong}, which is not a card"):
        evaluate(hands)


def test_a_bad_hand_is_found_in_any_thread() -> None:
    hands = np.repeat(random_hands(1_000, 7, seed=3), 400, axis=0)
    hands[390_000, 2] = 200
    hands[399_000, 2] = 200
    with pytest.raises(CardError, match="hand 390000 contains 200"):
        evaluate(hands, threads=2)


@pytest.mark.parametrize("row", [0, 250, 256, 998, 999])
def test_a_card_twice_in_a_hand_is_found_if_asked(row: int) -> None:
    hands = random_hands(1_000, 7, seed=4)
    assert np.array_equal(evaluate(hands, check=True), evaluate(hands))
    hands[row, 6] = hands[row, 1] = parse_card("9d")
    evaluate(hands)
    with pytest.raises(CardError, match=f"hand {row} contains 9d twice"):
        evaluate(hands, check=True)


def test_even_seven_equal_cards_read_nothing_outside_the_tables() -> None:
    hands = np.repeat(np.array(DECK, dtype=np.uint8), 7).reshape(-1, 7)
    assert len(evaluate(hands)) == 52
    for num_cards in (5, 6, 7):
        tables = load_tables(num_cards)
        assert tables.offsets.max() + (num_cards * RANK_KEYS[-1] >> 13) < len(tables.ranks)


@pytest.mark.parametrize("row", [1, 300, 999])
def test_sets_that_are_no_hands_are_found_and_named(row: int) -> None:
    masks = masks_of(random_hands(1_000, 7, seed=6))
    good = masks[row]
    masks[row] = good | np.uint64(1 << 63)
    with pytest.raises(CardError, match=f"set {row} has bits that are not cards: 0x8000"):
        evaluate(masks)
    masks[row] = mask_of(parse_cards("AsKsQsJsTs9s"))
    with pytest.raises(CardError, match=f"set {row} has 6 cards, set 0 has 7"):
        evaluate(masks)
    masks[row] = mask_of(DECK)
    with pytest.raises(CardError, match=f"set {row} has 52 cards"):
        evaluate(masks)
    with pytest.raises(CardError, match="set 0 has 0 cards"):
        evaluate(np.zeros(3, dtype=np.uint64))


@pytest.mark.parametrize(
    ("hands", "complaint"),
    [
        (np.zeros((3, 7), dtype=np.int64), r"int64 of shape \(3, 7\)"),
        (np.zeros((3, 4), dtype=np.uint8), r"uint8 of shape \(3, 4\)"),
        (np.zeros((3, 53), dtype=np.uint8), r"uint8 of shape \(3, 53\)"),
        (np.zeros(7, dtype=np.uint8), r"uint8 of shape \(7,\)"),
        (np.zeros((2, 2), dtype=np.uint64), r"uint64 of shape \(2, 2\)"),
        (np.zeros(3, dtype=np.float64), "float64"),
        (["As", "Kd"], "<U2"),
    ],
)
def test_arrays_of_another_kind_are_refused(hands: Any, complaint: str) -> None:
    with pytest.raises(CardError, match=complaint):
        evaluate(hands)


def test_no_threads_are_refused() -> None:
    with pytest.raises(InvalidOption, match="threads is 0; use at least 1"):
        evaluate(rows(NASTY[0]), threads=0)


@pytest.mark.parametrize("ranked", [rank_hand, describe_hand])
def test_single_hands_of_other_sizes_are_refused(ranked: Callable[[list[int]], Any]) -> None:
    for cards in ("", "AsKsQsJs"):
        with pytest.raises(CardError, match="cannot be ranked: use 5 or more"):
            ranked(parse_cards(cards))
    with pytest.raises(CardError, match="As appears twice"):
        ranked(parse_cards("AsKsQsJs") + parse_cards("As"))


@pytest.mark.parametrize("rank", [0, 7463])
def test_ranks_end_at_7462(rank: int) -> None:
    with pytest.raises(CardError, match=f"no hand has rank {rank}"):
        category_of(rank)


def test_phevaluator_gives_the_same_ranks() -> None:
    phevaluator: Any = pytest.importorskip("phevaluator")
    for num_cards in (5, 6, 7):
        hands = random_hands(2_000, num_cards, seed=11)
        theirs = [phevaluator.evaluate_cards(*names_of(hand)) for hand in hands]
        assert evaluate(hands).tolist() == theirs


def test_eval7_gives_the_same_order() -> None:
    eval7: Any = pytest.importorskip("eval7")
    hands = random_hands(20_000, 7, seed=12)
    theirs = [eval7.evaluate([eval7.Card(name) for name in names_of(hand)]) for hand in hands]
    ours = evaluate(hands)
    order = np.argsort(theirs, kind="stable")[::-1]
    assert np.all(np.diff(ours[order].astype(int)) >= 0)
    assert len(set(zip(theirs, ours.tolist(), strict=True))) == len(np.unique(ours))
