"""Tables of made-up buckets, which take no time to build, in a cache folder of their own."""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, NUM_ROWS, boards_of
from untilt.abstraction.buckets.clustering import Bytes, centroids_of, width_of
from untilt.abstraction.buckets.histograms import list_equivalents, new_scratch
from untilt.abstraction.buckets.recipe import PREFLOP, STREETS, BucketRecipe
from untilt.abstraction.buckets.rivers import LevelRows
from untilt.abstraction.buckets.store import path_of, write_table
from untilt.abstraction.buckets.streets import StreetTable, smallest_type
from untilt.numeric.kernel_cache import cache_base


@lru_cache(maxsize=4)
def scattered(street: int, buckets: int) -> LevelRows:
    """Return a bucket for every hand, without a pattern but the same for equivalent hands."""
    if street == PREFLOP:
        return (np.arange(169) * 7919 % buckets).astype(smallest_type(buckets))[None]
    rows = np.arange(NUM_ROWS[street], dtype=np.int64)
    columns = np.empty((len(rows), NUM_COLUMNS[street]), dtype=np.int16)
    list_equivalents(boards_of(street).masks, new_scratch(street, 1), columns)
    numbers = (rows[:, None] * 40_503 + columns.astype(np.int64) * 2_654_435_761 >> 7) % buckets
    return numbers.astype(smallest_type(buckets))


def made_up(recipe: BucketRecipe) -> StreetTable:
    table = scattered(recipe.street, recipe.buckets)
    steps: Bytes = np.full((recipe.buckets, width_of(recipe.bins)), 255, dtype=np.uint8)
    for bucket in range(recipe.buckets):
        steps[bucket, : bucket % recipe.bins] = 0
    counts = np.bincount(table.reshape(-1), minlength=recipe.buckets)
    return StreetTable(recipe, table, centroids_of(steps).cdfs, counts, 100 * counts)


def store_made_up(monkeypatch: pytest.MonkeyPatch, folder: Path, **counts: int) -> None:
    """Make `folder` the cache folder, with tables of so many buckets for the named streets.

    Kernels stay where they are: processes that a test starts need not compile them again.
    """
    if not (folder / "kernels").exists():
        with suppress(OSError):  # on Windows, not all users may make links
            (folder / "kernels").symlink_to(cache_base(), target_is_directory=True)
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(folder))
    for street, name in STREETS.items():
        if name in counts:
            recipe = BucketRecipe(street, counts[name])
            write_table(path_of(recipe), made_up(recipe))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a cache folder with a few tables that of the module's tests; return it."""
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        store_made_up(patch, folder, preflop=8, flop=200, turn=100)
        store_made_up(patch, folder, flop=9)
        yield folder
