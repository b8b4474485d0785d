"""The table of three-way all-ins: every board of some hands, marginals, its file."""

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.three_way import orders_of

from untilt.cards import parse_cards, preflop_matrix
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_MASKS, NUM_CLASSES, class_index, combo_index
from untilt.cards.data_file import sealed
from untilt.cards.equity import build_three_way as build
from untilt.cards.equity import three_way_file as file
from untilt.cards.equity import three_way_table as table
from untilt.cards.equity.all_in import equity
from untilt.cards.equity.multiway import enumerate_deals
from untilt.cards.equity.runouts import runouts_of
from untilt.cards.equity.three_way_file import ThreeWayWarning, three_way_counts
from untilt.cards.equity.three_way_sums import sorted_triple
from untilt.cards.equity.three_way_table import (
    NUM_BOARDS,
    NUM_ORDERS,
    NUM_TRIPLES,
    ORDER_BEFORE_SORTING,
    ORDERS,
    place_of,
)
from untilt.cards.ranges.range import Range
from untilt.cards.suits import renamed_combos
from untilt.errors import CardError

AA, KK, QQ = (class_index(name) for name in ("AA", "KK", "QQ"))


@pytest.fixture(scope="module")
def parts() -> Any:
    types = build.hand_types()
    return types, build.count_plain_triples(), [build.suited_boards(types, k) for k in (3, 4, 5)]


def counted(parts: Any, hands: tuple[str, str, str]) -> list[int]:
    """Count the boards of three hands by the two parts, the second for one suit after the other."""
    types, plain, boards = parts
    combos = [combo_index(*parse_cards(hand)) for hand in hands]
    x, y, z, way = sorted_triple(
        *(int(types.rank_pair_of_class[CLASS_OF_COMBO[combo]]) for combo in combos)
    )
    total = np.zeros(NUM_ORDERS, dtype=np.int64)
    total[ORDER_BEFORE_SORTING[way]] += plain[place_of(x, y, z)]
    # A renaming for each suit that makes it the spades.
    rotations = [
        next(
            renaming
            for renaming in renamed_combos()
            if renaming[combo_index(*parse_cards(f"A{suit}K{suit}"))]
            == combo_index(*parse_cards("AsKs"))
        )
        for suit in "cdhs"
    ]
    for renaming in rotations:
        masks = [COMBO_MASKS[renaming[combo]] for combo in combos]
        of_masks = [int(types.of_class[np.nonzero(types.members == mask)[:2]][0]) for mask in masks]
        x, y, z, way = sorted_triple(*of_masks)
        num_types = len(types.spades) - x
        for size, both in zip((3, 4, 5), boards, strict=True):
            if types.num_spades[x] + size < 5:
                continue
            rows = np.zeros((num_types * (num_types + 1) // 2, NUM_ORDERS), dtype=np.int32)
            build.correct_types(types, both[0], x, 1, rows)
            build.correct_types(types, both[1], x, -1, rows)
            row = rows[(z - x) * (z - x + 1) // 2 + y - x]
            total[ORDER_BEFORE_SORTING[way]] += row
    return [int(count) for count in total]


@pytest.mark.parametrize(
    "hands",
    [
        ("AsAh", "KdKc", "QsQd"),
        ("Ts9s", "8s7s", "AsKs"),
        ("7c2d", "AhKh", "7d7s"),
        # Nobody holds a spade: five of them still change the order.
        ("2c2d", "4h3h", "AcKd"),
    ],
)
def test_counts_are_those_of_dealing_every_board(parts: Any, hands: tuple[str, str, str]) -> None:
    found = dict(zip(ORDERS, counted(parts, hands), strict=True))
    assert {order: count for order, count in found.items() if count} == orders_of(hands)
    assert sum(found.values()) == NUM_BOARDS


def test_there_are_thirteen_orders_and_338_types_of_hands(parts: Any) -> None:
    assert len(ORDERS) == 13
    types = parts[0]
    assert np.bincount(types.num_spades).tolist() == [91, 169, 78]
    assert np.array_equal(np.sort(types.members[types.members != 0]), np.sort(COMBO_MASKS))
    assert NUM_TRIPLES == place_of(0, 0, NUM_CLASSES) == 818_805


def test_orders_are_those_before_sorting() -> None:
    for hands in permutations((3, 5, 8)):
        *ordered, way = sorted_triple(*hands)
        for order, places in enumerate(ORDERS):
            before = ORDERS[ORDER_BEFORE_SORTING[way, order]]
            expected = dict(zip(hands, before, strict=True))
            assert dict(zip(ordered, places, strict=True)) == expected


def test_aces_against_kings_and_queens_have_their_known_equity() -> None:
    found = equity("AA", "KK", "QQ")
    assert found.method == "table"
    assert found.equities[0] == pytest.approx(0.6697933, abs=5e-8)
    assert sum(found.equities) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    "ranges", [("QQ", "AKs", "JTs"), ("AKo,22", "A5s", "AKo"), ("KK", "KK,A2o:0.5", "QQ:0.25")]
)
def test_ranges_have_the_outcomes_of_enumerated_deals(ranges: tuple[str, ...]) -> None:
    weights = [Range.parse(text).weights for text in ranges]
    expected = enumerate_deals(runouts_of(0, 0, weights), weights, threads=2)
    classes = [table.class_weights(each) for each in weights]
    found = table.range_outcomes(three_way_counts(), [each for each in classes if each is not None])
    assert found == pytest.approx(expected, rel=1e-12)


def test_ranges_that_are_not_of_whole_classes_are_enumerated() -> None:
    found = equity("AsAh", "KK", "QQ")
    assert found.method == "exact"
    # Each combo of a class is as good as any other.
    assert found.equities == pytest.approx(equity("AA", "KK", "QQ").equities, abs=1e-12)
    assert equity("AA", "KK", "QQ", dead="2c").method == "exact"
    assert equity("AA", "KK", "QQ", board="2c3d4h").method == "exact"


@pytest.mark.long
def test_marginals_are_the_table_of_two_hands_in_all_pairs_of_classes() -> None:
    counts = build.build_three_way(2).astype(np.int64)
    assert np.array_equal(counts, three_way_counts())
    matrix = preflop_matrix()
    classes = np.arange(NUM_CLASSES)
    places = np.array(ORDERS)
    wins, ties = np.zeros((2, NUM_CLASSES, NUM_CLASSES), dtype=np.int64)
    deals = 0
    for first in range(NUM_CLASSES):
        for second in range(NUM_CLASSES):
            hands = np.stack(np.broadcast_arrays(first, second, classes))
            sources = np.argsort(hands, axis=0, kind="stable")
            ways = np.array([list(permutations(range(3))).index(tuple(each)) for each in sources.T])
            x, y, z = np.take_along_axis(hands, sources, axis=0)
            rows = counts[z * (z + 1) * (z + 2) // 6 + y * (y + 1) // 2 + x]
            of_hands = places[ORDER_BEFORE_SORTING[ways]]
            wins[first, second] = rows[of_hands[:, :, 0] < of_hands[:, :, 1]].sum()
            ties[first, second] = rows[of_hands[:, :, 0] == of_hands[:, :, 1]].sum()
            deals += int(rows.sum()) // NUM_BOARDS
    # The boards of the third hand: C(48, 2) hands · C(46, 5) / C(48, 5) = C(43, 2).
    assert np.array_equal(wins, 903 * matrix.wins)
    assert np.array_equal(ties, 903 * matrix.ties)
    assert deals == 1326 * 1225 * 1128


def test_a_damaged_file_is_built_again_and_a_link_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = three_way_counts()
    path = tmp_path / "cache" / file.FILE_NAME
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(path.parent))
    monkeypatch.setattr(build, "build_three_way", lambda *_: expected.copy())
    monkeypatch.setattr(file, "_loaded", [])
    assert np.array_equal(three_way_counts(), expected)
    assert path.stat().st_size == 24 + 4 * NUM_ORDERS * NUM_TRIPLES
    assert path.stat().st_mode & 0o777 == 0o600

    content = bytearray(path.read_bytes())
    content[1_000_000] ^= 1
    path.write_bytes(content)
    monkeypatch.setattr(file, "_loaded", [])
    with pytest.warns(ThreeWayWarning, match="is damaged"):
        assert np.array_equal(three_way_counts(), expected)

    # A forged table, whose checksum is right.
    for forged in (np.zeros_like(expected), expected[::-1], np.full_like(expected, 2**32 - 1)):
        path.write_bytes(sealed(file.MAGIC, np.ascontiguousarray(forged).tobytes()))
        monkeypatch.setattr(file, "_loaded", [])
        with pytest.warns(ThreeWayWarning, match="is damaged"):
            assert np.array_equal(three_way_counts(), expected)

    good = path.rename(tmp_path / "elsewhere.bin")
    path.symlink_to(good)
    monkeypatch.setattr(file, "_loaded", [])
    with pytest.warns(ThreeWayWarning):
        three_way_counts()
    assert not path.is_symlink()


def test_too_little_memory_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(file, "_loaded", [])
    monkeypatch.setattr(file, "available_bytes", lambda: 100 << 20)
    with pytest.raises(CardError, match=r"needs 400 MB of memory .* 100 MB are free: close"):
        three_way_counts()
