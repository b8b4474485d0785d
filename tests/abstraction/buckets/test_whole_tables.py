"""All hands of all boards: minutes of work, so these tests are long."""

from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, boards_of
from untilt.abstraction.buckets.recipe import FLOP, PREFLOP, TURN, Recipe
from untilt.abstraction.buckets.rivers import ROW_LENGTH
from untilt.abstraction.buckets.streets import StreetBuilder, StreetTable, fill_rivers
from untilt.cards import DECK
from untilt.cards.combos import CLASS_NAMES

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def builder() -> StreetBuilder:
    return StreetBuilder(threads=2)


@pytest.fixture(scope="module")
def flop(builder: StreetBuilder) -> StreetTable:
    return builder.build(Recipe(FLOP, 200))


@pytest.fixture(scope="module")
def turn(builder: StreetBuilder) -> StreetTable:
    return builder.build(Recipe(TURN, 200))


def test_1950_different_equities_occur_on_the_river() -> None:
    # Measured by an independent prototype; 1,981 would be possible.
    table = fill_rivers(1981, 1981, threads=2)
    seen = np.zeros(1982, dtype=np.bool_)
    for begin in range(0, len(table), 4096):
        seen[np.unique(table[begin : begin + 4096])] = True
    assert seen[:1981].sum() == 1950
    assert (table[:, NUM_COLUMNS[5] :] == 1981).all()
    assert table.shape == (134_459, ROW_LENGTH)


def test_spreads_are_as_small_as_those_of_the_literature(
    flop: StreetTable, turn: StreetTable
) -> None:
    assert flop.spread < 0.0185
    assert turn.spread < 0.0218


@pytest.mark.parametrize("street", ["flop", "turn"])
def test_every_deal_is_in_a_bucket_and_every_bucket_has_some(
    street: str, request: pytest.FixtureRequest
) -> None:
    table: StreetTable = request.getfixturevalue(street)
    size = table.recipe.street
    weights = np.repeat(boards_of(size).counts, NUM_COLUMNS[size])
    counted = np.bincount(table.buckets.reshape(-1), weights, minlength=200)
    assert np.array_equal(counted, table.sizes)
    assert table.sizes.min() > 0
    assert (np.diff(table.means) > -1e-9).all()


def test_threads_do_not_change_a_table(flop: StreetTable) -> None:
    alone = StreetBuilder(threads=1).build(Recipe(FLOP, 200))
    assert np.array_equal(alone.buckets, flop.buckets)
    assert np.array_equal(alone.centroids, flop.centroids)
    assert np.array_equal(alone.distances, flop.distances)


def test_a_few_preflop_buckets_join_similar_hands(builder: StreetBuilder) -> None:
    table = builder.build(Recipe(PREFLOP, 8))
    bucket_of = dict(zip(CLASS_NAMES, table.buckets[0].tolist(), strict=True))
    assert bucket_of["AA"] == 7
    assert bucket_of["72o"] == bucket_of["32o"] == 0
    assert bucket_of["72o"] < bucket_of["76s"] < bucket_of["AKs"] <= bucket_of["KK"]
    assert sorted(set(bucket_of.values())) == list(range(8))


def test_a_built_abstraction_is_opened_the_next_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flop: StreetTable
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    stages: list[str] = []
    cards = untilt.CardAbstraction(watcher=lambda stage, share: stages.append(stage)).build()
    assert np.array_equal(cards.table("flop").buckets, flop.buckets)
    assert set(stages) >= {"river equities", "flop histograms", "turn histograms"}
    stages.clear()
    again = untilt.CardAbstraction(watcher=lambda stage, share: stages.append(stage)).build()
    assert not stages
    rng = np.random.default_rng(0)
    dealt = np.array([rng.permutation(DECK)[:39] for _ in range(500)], dtype=np.uint8)
    boards = np.ascontiguousarray(dealt[:, :5])
    hands = np.ascontiguousarray(dealt[:, 5:]).reshape(500, 17, 2)
    live = again.deals(boards, hands)
    assert np.array_equal(live, cards.keep_rivers().deals(boards, hands))
