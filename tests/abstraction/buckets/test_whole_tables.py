"""All hands of all boards: minutes of work, so these tests are long."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, boards_of
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.buckets.recipe import FLOP, BucketRecipe
from untilt.abstraction.buckets.rivers import ROW_LENGTH
from untilt.abstraction.buckets.streets import StreetBuilder, StreetTable, fill_rivers
from untilt.cards import DECK
from untilt.cards.combos import CLASS_NAMES

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Built:
    """An abstraction that was built from nothing, and what was done for it."""

    cards: CardAbstraction
    stages: set[str]
    folder: Path
    """Where its tables are kept."""


def abstraction(stages: set[str]) -> CardAbstraction:
    return CardAbstraction(preflop=8, threads=2, watcher=lambda stage, share: stages.add(stage))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("whole tables")
    stages: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNTILT_CACHE_DIR", str(folder))
        return Built(abstraction(stages).build(), stages, folder)


@pytest.fixture(scope="module")
def flop(built: Built) -> StreetTable:
    return built.cards.table("flop")


@pytest.fixture(scope="module")
def turn(built: Built) -> StreetTable:
    return built.cards.table("turn")


def test_1950_different_equities_occur_on_the_river() -> None:
    # Measured by an independent prototype; 1,981 would be possible.
    table = fill_rivers(1981, 1981, threads=2)
    seen = np.zeros(1982, dtype=np.bool_)
    for begin in range(0, len(table), 4096):
        seen[table[begin : begin + 4096]] = True
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
    alone = StreetBuilder(threads=1).build(BucketRecipe(FLOP, 200))
    assert np.array_equal(alone.buckets, flop.buckets)
    assert np.array_equal(alone.centroids, flop.centroids)
    assert np.array_equal(alone.distances, flop.distances)


def test_a_few_preflop_buckets_join_similar_hands(built: Built) -> None:
    table = built.cards.table("preflop")
    bucket_of = dict(zip(CLASS_NAMES, table.buckets[0].tolist(), strict=True))
    assert bucket_of["AA"] == 7
    assert bucket_of["72o"] == bucket_of["32o"] == 0
    assert bucket_of["72o"] < bucket_of["76s"] < bucket_of["AKs"] <= bucket_of["KK"]
    assert sorted(set(bucket_of.values())) == list(range(8))


def test_a_built_abstraction_is_opened_the_next_time(
    monkeypatch: pytest.MonkeyPatch, built: Built
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(built.folder))
    assert built.stages >= {"river equities", "flop histograms", "turn histograms"}
    stages: set[str] = set()
    again = abstraction(stages).build()
    assert not stages
    rng = np.random.default_rng(0)
    dealt = np.array([rng.permutation(DECK)[:39] for _ in range(500)], dtype=np.uint8)
    boards = np.ascontiguousarray(dealt[:, :5])
    hands = np.ascontiguousarray(dealt[:, 5:]).reshape(500, 17, 2)
    live = again.deals(boards, hands)
    assert np.array_equal(live, built.cards.keep_rivers().deals(boards, hands))
