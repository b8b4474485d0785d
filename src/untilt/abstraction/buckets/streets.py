"""The buckets of one street, and how they are built.

    preflop   169 hand classes, or fewer: their histograms over all 134,459 complete boards
    flop      histograms over 1,081 run-outs, clustered
    turn      histograms over 46 rivers, clustered

The river needs no table: its buckets are equal parts of the equity, see `rivers`. Clustering uses a
sample of hands in proportion to how often they are dealt; then every hand joins its nearest
centroid. Buckets are numbered by mean equity, the weakest first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, NUM_ROWS, boards_of, row_tables
from untilt.abstraction.buckets.clustering import (
    WHOLE,
    Bytes,
    Centroids,
    cluster,
    nearest_centroids,
    width_of,
)
from untilt.abstraction.buckets.histograms import (
    count_preflop,
    fill_histograms,
    list_equivalents,
    new_scratch,
    spread_buckets,
)
from untilt.abstraction.buckets.recipe import FLOP, PREFLOP, RIVER, TURN, BucketRecipe, check_recipe
from untilt.abstraction.buckets.rivers import ROW_LENGTH, LevelRows, equal_width, fill_rows
from untilt.abstraction.buckets.rivers import new_scratch as new_river_scratch
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_CARDS, NUM_CLASSES
from untilt.cards.evaluator.evaluator_tables import load_tables
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.chunks import in_chunks
from untilt.numeric.streams import Stream

OnStage: TypeAlias = Callable[[str, float], None]
"""Called regularly with the current task and the share of it that is done, 0–1."""

_SAMPLE = 200_000
_SAMPLES_OF_BUCKET = 20
_RESTARTS = 16
"""The few hands before the flop are clustered several times, and the best result is kept."""
_BOARDS_PER_CHUNK = {FLOP: 4, TURN: 16, RIVER: 512}


@dataclass(frozen=True, eq=False)
class StreetTable:
    """The buckets of a street."""

    recipe: BucketRecipe
    buckets: LevelRows
    """[rows, columns], see `board_rows`; before the flop [1, 169] by class, as in the grid"""
    centroids: Bytes
    """[K, W] cumulative histograms"""
    sizes: Offsets
    """[K] how many deals of hand and board are in each bucket"""
    distances: Offsets
    """[K] the sum of their distances from the centroid, 255 B for an EMD of 1"""

    @property
    def num_buckets(self) -> int:
        """The number of buckets, at most as many as were asked for."""
        return len(self.sizes)

    @property
    def spreads(self) -> Floats:
        """[K] the mean EMD of a bucket's hands from its centroid, in units of equity."""
        scale = WHOLE * self.recipe.bins
        spreads: Floats = self.distances / np.maximum(self.sizes, 1) / scale
        return spreads

    @property
    def spread(self) -> float:
        """The mean EMD of all hands from the centroids of their buckets."""
        return float(self.distances.sum() / self.sizes.sum() / (WHOLE * self.recipe.bins))

    @property
    def histograms(self) -> Floats:
        """[K, B] the centroids as plain histograms that sum to 1."""
        cdfs = self.centroids[:, : self.recipe.bins].astype(np.float64) / WHOLE
        return np.diff(cdfs, axis=1, prepend=0.0)

    @property
    def means(self) -> Floats:
        """[K] the mean equity of each centroid."""
        middles = (np.arange(self.recipe.bins) + 0.5) / self.recipe.bins
        means: Floats = self.histograms @ middles
        return means


def smallest_type(num_levels: int) -> "np.dtype[np.unsignedinteger[Any]]":
    """Return the type of a table with this many different numbers."""
    return np.dtype(np.uint8 if num_levels <= 1 << 8 else np.uint16)


def fill_rivers(
    num_levels: int, dead: int, threads: int, watcher: OnStage | None = None
) -> LevelRows:
    """Return [134459, 1129] the level of every hand on every complete board, see `rivers`.

    Levels are equal parts of the equity; `dead` stands where a hand holds a card of the board.
    """
    boards = boards_of(RIVER).masks
    levels = equal_width(num_levels)
    table = np.empty((len(boards), ROW_LENGTH), dtype=smallest_type(max(num_levels, dead + 1)))
    evaluator = load_tables()
    size = _BOARDS_PER_CHUNK[RIVER]

    def work(chunk: int) -> None:
        part = slice(chunk * size, (chunk + 1) * size)
        fill_rows(evaluator, boards[part], levels, dead, new_river_scratch(), table[part])

    in_chunks(work, -(-len(boards) // size), threads, _stage(watcher, "river equities"))
    return table


class StreetBuilder:
    """Builds tables of streets that share the bins of all hands on all complete boards."""

    def __init__(self, threads: int = 1, watcher: OnStage | None = None) -> None:
        self._threads = threads
        self._watcher = watcher
        self._rivers = lru_cache(maxsize=1)(self._fill_rivers)

    def build(self, recipe: BucketRecipe) -> StreetTable:
        """Return the table of a street before the river."""
        check_recipe(recipe)
        if recipe.street == PREFLOP:
            return self._preflop(recipe)
        sample = self._sample(recipe)
        watcher = _stage(self._watcher, f"clustering {recipe.name} hands")
        centroids = cluster(
            sample, recipe.buckets, recipe.iterations, recipe.seed, self._threads, watcher
        )
        return self._assigned(recipe, centroids)

    def _fill_rivers(self, num_bins: int) -> Bytes:
        return fill_rivers(num_bins, num_bins, self._threads, self._watcher).astype(
            np.uint8, copy=False
        )

    def _preflop(self, recipe: BucketRecipe) -> StreetTable:
        cdfs = self._preflop_histograms(recipe.bins)
        dealt = cdfs[CLASS_OF_COMBO]
        best: tuple[int, Centroids] | None = None
        for restart in range(_RESTARTS):
            seed = recipe.seed + restart
            centroids = cluster(dealt, recipe.buckets, recipe.iterations, seed)
            total = int(nearest_centroids(centroids, dealt)[1].sum())
            if best is None or total < best[0]:
                best = total, centroids
        assert best is not None
        owners, _ = nearest_centroids(best[1], cdfs)
        buckets = owners.astype(smallest_type(recipe.buckets))
        owners_dealt, distances = nearest_centroids(best[1], dealt)
        count = len(best[1].cdfs)
        sizes = np.bincount(owners_dealt, minlength=count)
        sums = np.bincount(owners_dealt, weights=distances, minlength=count).astype(np.int64)
        return StreetTable(recipe, buckets[None], best[1].cdfs, sizes, sums)

    def _preflop_histograms(self, num_bins: int) -> Bytes:
        """Return [169, W] the cumulative histograms of hand classes over all complete boards."""
        boards = boards_of(RIVER)
        class_of_hand = np.zeros((64, 64), dtype=np.uint8)
        for order in (slice(None), slice(None, None, -1)):
            class_of_hand[tuple(COMBO_CARDS[:, order].T)] = CLASS_OF_COMBO
        bins = np.zeros((NUM_CLASSES, num_bins + 1), dtype=np.int64)
        count_preflop(
            self._rivers(num_bins),
            boards.masks,
            boards.counts,
            class_of_hand,
            np.zeros(64, dtype=np.uint8),
            bins,
        )
        below = np.cumsum(bins[:, :num_bins], axis=1)
        cdfs = np.full((NUM_CLASSES, width_of(num_bins)), WHOLE, dtype=np.uint8)
        cdfs[:, :num_bins] = np.rint(below * (WHOLE / below[:, -1:]))
        return cdfs

    def _sample(self, recipe: BucketRecipe) -> Bytes:
        """Return [N, W] histograms of hands, each deal of hand and board equally likely."""
        size = recipe.street
        boards = boards_of(size)
        num_entries = NUM_ROWS[size] * NUM_COLUMNS[size]
        count = min(max(_SAMPLE, _SAMPLES_OF_BUCKET * recipe.buckets), num_entries)
        stream = Stream(recipe.seed, stream=1)
        # One hand from each of equal parts of all deals in the order of their rows.
        dealt = (np.arange(count) + stream.random()) / count * boards.counts.sum()
        begins = np.searchsorted(dealt, np.concatenate([[0], np.cumsum(boards.counts)]))
        begins[-1] = count
        # Multiples of the golden section fill the columns evenly.
        turns = (stream.random() + np.arange(count) * ((5**0.5 - 1) / 2)) % 1.0
        columns = (turns * NUM_COLUMNS[size]).astype(np.int16)
        return self._histograms(
            recipe, slice(None), columns, begins.astype(np.int64), f"sampling {recipe.name} hands"
        )

    def _histograms(
        self,
        recipe: BucketRecipe,
        boards: slice,
        columns: npt.NDArray[np.int16],
        begins: Offsets,
        stage: str,
    ) -> Bytes:
        """Return the histograms of the hands columns[begins[i]:begins[i + 1]] of each board."""
        masks = boards_of(recipe.street).masks[boards]
        rivers = self._rivers(recipe.bins)
        tables = row_tables()
        cdfs = np.full((begins[-1], width_of(recipe.bins)), WHOLE, dtype=np.uint8)
        size = 8 * _BOARDS_PER_CHUNK[recipe.street]

        def work(chunk: int) -> None:
            first, last = chunk * size, min((chunk + 1) * size, len(masks))
            fill_histograms(
                tables,
                rivers,
                masks[first:last],
                columns,
                begins[first : last + 1],
                new_scratch(recipe.street, recipe.bins),
                cdfs[begins[first] : begins[last]],
            )

        in_chunks(work, -(-len(masks) // size), self._threads, _stage(self._watcher, stage))
        return cdfs

    def _assigned(self, recipe: BucketRecipe, centroids: Centroids) -> StreetTable:
        """Return the table in which every hand is in the bucket of its nearest centroid."""
        size = recipe.street
        boards = boards_of(size)
        count = len(centroids.cdfs)
        table = np.empty((NUM_ROWS[size], NUM_COLUMNS[size]), dtype=smallest_type(count))
        rivers = self._rivers(recipe.bins)
        tables = row_tables()
        step = _BOARDS_PER_CHUNK[size]
        every = np.arange(NUM_COLUMNS[size])

        def work(chunk: int) -> tuple[Offsets, Offsets]:
            part = slice(chunk * step, (chunk + 1) * step)
            masks = boards.masks[part]
            scratch = new_scratch(size, recipe.bins)
            equivalents = np.empty((len(masks), len(every)), dtype=np.int16)
            list_equivalents(masks, scratch, equivalents)
            stands = equivalents == every
            begins = np.concatenate([[0], np.cumsum(stands.sum(axis=1))])
            columns = np.nonzero(stands)[1].astype(np.int16)
            cdfs = np.full((len(columns), width_of(recipe.bins)), WHOLE, dtype=np.uint8)
            fill_histograms(tables, rivers, masks, columns, begins, scratch, cdfs)
            owners, distances = nearest_centroids(centroids, cdfs)
            sizes, sums = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
            weights = boards.counts[part]
            spread_buckets(
                equivalents, begins, owners, distances, weights, table[part], sizes, sums
            )
            return sizes, sums

        watcher = _stage(self._watcher, f"{recipe.name} histograms")
        found = in_chunks(work, -(-len(table) // step), self._threads, watcher)
        sizes = np.sum([sizes for sizes, _ in found], axis=0)
        sums = np.sum([sums for _, sums in found], axis=0)
        return StreetTable(recipe, table, centroids.cdfs, sizes, sums)


def _stage(watcher: OnStage | None, stage: str) -> Callable[[float], None] | None:
    return None if watcher is None else lambda share: watcher(stage, share)
