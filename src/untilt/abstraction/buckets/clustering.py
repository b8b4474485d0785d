"""k-means under the one-dimensional earth mover's distance.

The distance of two distributions on a line is the area between their cumulative histograms:

    EMD(p, q) = 1/B Σ_i |P_i − Q_i|        P_i = p_0 + … + p_i, B bins of width 1/B

Cumulative histograms are kept as bytes, 255 for 1, and 64 bins fill one cache line. Two
steps alternate, and neither can increase the sum of distances:

1. Every histogram joins its nearest centroid. The sum of a cumulative histogram is its mean, up to
   sign and scale, and |Σ_i P_i − Σ_i Q_i| ≤ Σ_i |P_i − Q_i|. So the search begins at the
   centroid with the nearest mean, goes outward, and stops where the difference of means exceeds
   the least distance so far. The result is exact.
2. Every centroid becomes the median of its histograms, bin by bin, which minimises the sum of
   absolute differences; the median of cumulative histograms is a cumulative histogram too.

All sums are integers, so the result has the same bits for any number of threads.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.numeric.arrays import Offsets
from untilt.numeric.chunks import in_chunks
from untilt.numeric.kernel import allocates, inlined, kernel
from untilt.numeric.streams import Stream

Bytes: TypeAlias = npt.NDArray[np.uint8]
Sums: TypeAlias = npt.NDArray[np.int32]

WHOLE = 255
"""The integer for 1 in a cumulative histogram."""
LANES = 64
"""Histograms are padded with `WHOLE` to a multiple of this many bins."""
_CHUNK = 1 << 13


class Centroids(NamedTuple):
    """K cumulative histograms, the strongest mean last."""

    cdfs: Bytes
    """[K, W]"""
    sums: Sums
    """[K] of each histogram, descending"""
    begins: Sums
    """[255 W + 1] how many centroids have a greater sum than this"""


def width_of(num_bins: int) -> int:
    """Return the size of a cumulative histogram of `num_bins` bins, in bytes."""
    return -(-num_bins // LANES) * LANES


def centroids_of(cdfs: Bytes) -> Centroids:
    """Return these histograms [K, W], sorted by their mean."""
    sums = cdfs.sum(axis=1, dtype=np.int32)
    order = np.lexsort((*cdfs.T[::-1], -sums))
    ascending = np.sort(sums)
    begins = len(sums) - np.searchsorted(
        ascending, np.arange(WHOLE * cdfs.shape[1] + 1), side="right"
    )
    return Centroids(np.ascontiguousarray(cdfs[order]), sums[order].copy(), begins.astype(np.int32))


def cluster(
    cdfs: Bytes,
    num_clusters: int,
    max_iterations: int,
    seed: int,
    threads: int = 1,
    watcher: Callable[[float], None] | None = None,
) -> Centroids:
    """Return centroids of the cumulative histograms `cdfs` [N, W], at most as many as there are.

    It starts with histograms drawn at random and stops when nothing changes, or after
    `max_iterations`.
    """
    different = np.unique(cdfs, axis=0) if len(cdfs) <= 2 * num_clusters else cdfs
    if len(different) <= num_clusters:
        return centroids_of(different)
    centroids = centroids_of(cdfs[_chosen(len(cdfs), num_clusters, seed)])
    owners = np.full(len(cdfs), -1, dtype=np.int32)
    for iteration in range(max_iterations):
        before = owners
        owners, distances = nearest_centroids(centroids, cdfs, threads)
        if watcher:
            watcher((iteration + 1) / max_iterations)
        if np.array_equal(before, owners):
            break
        centroids = centroids_of(_medians(cdfs, owners, distances, num_clusters, threads))
    return centroids


def nearest_centroids(centroids: Centroids, cdfs: Bytes, threads: int = 1) -> tuple[Sums, Sums]:
    """Return [N] the nearest centroid of each of `cdfs` [N, W], and [N] the sum of differences."""
    owners = np.empty(len(cdfs), dtype=np.int32)
    distances = np.empty(len(cdfs), dtype=np.int32)

    def work(chunk: int) -> None:
        part = slice(chunk * _CHUNK, (chunk + 1) * _CHUNK)
        _assign(centroids, cdfs[part], owners[part], distances[part])

    in_chunks(work, -(-len(cdfs) // _CHUNK), threads, None)
    return owners, distances


def _chosen(count: int, num_chosen: int, seed: int) -> Offsets:
    """Return different numbers below `count`, at random (Floyd's algorithm)."""
    stream = Stream(seed)
    chosen: dict[int, None] = {}
    for most in range(count - num_chosen, count):
        number = int(stream.random() * (most + 1))
        chosen[most if number in chosen else number] = None
    return np.array(sorted(chosen), dtype=np.int64)


def _medians(cdfs: Bytes, owners: Sums, distances: Sums, num_clusters: int, threads: int) -> Bytes:
    """Return [K, W] the medians of all clusters; an empty one moves to the worst histogram."""
    # NumPy uses a radix sort for 16-bit numbers: five times as fast as sorting longer ones.
    order = np.argsort(owners.astype(np.uint16), kind="stable")
    ends = np.searchsorted(owners[order], np.arange(num_clusters), side="right")
    begins = np.concatenate([[0], ends[:-1]])
    medians = np.empty((num_clusters, cdfs.shape[1]), dtype=np.uint8)
    size = -(-num_clusters // (4 * threads))

    def work(chunk: int) -> None:
        part = slice(chunk * size, (chunk + 1) * size)
        _find_medians(cdfs, order, begins[part], ends[part], medians[part])

    in_chunks(work, -(-num_clusters // size), threads, None)
    empty = np.flatnonzero(begins == ends)
    if len(empty):
        worst = np.argsort(-distances, kind="stable")[: len(empty)]
        medians[empty] = cdfs[worst]
    return medians


@inlined
def nearest(centroids: Centroids, cdf: Bytes, total: int) -> tuple[int, int]:
    """Return the centroid nearest to a histogram with this sum, and how far; of equals, the first.

    The distance is the sum of differences; as an EMD it is divided by 255 and the number of bins.
    """
    sums = centroids.sums
    right = int(centroids.begins[total])
    left = right - 1
    far = WHOLE * len(cdf) + 1
    best = far
    chosen = 0
    while True:
        left_gap = int(sums[left]) - total if left >= 0 else far
        right_gap = total - int(sums[right]) if right < len(sums) else far
        if min(left_gap, right_gap) > min(best, far - 1):
            return chosen, best
        if left_gap <= right_gap:
            candidate = left
            left -= 1
        else:
            candidate = right
            right += 1
        distance = _difference(centroids.cdfs[candidate], cdf)
        if distance < best or (distance == best and candidate < chosen):
            best = distance
            chosen = candidate


@inlined
def _difference(first: Bytes, second: Bytes) -> int:
    total = np.int32(0)
    for begin in range(0, len(first), LANES):
        # With a constant length, the loop becomes a few instructions for sums of byte differences.
        these, those = first[begin : begin + LANES], second[begin : begin + LANES]
        for lane in range(LANES):
            total += abs(np.int32(these[lane]) - np.int32(those[lane]))
    return int(total)


@kernel
def _assign(centroids: Centroids, cdfs: Bytes, owners: Sums, distances: Sums) -> None:
    for number in range(len(cdfs)):
        total = 0
        for value in cdfs[number]:
            total += int(value)
        owners[number], distances[number] = nearest(centroids, cdfs[number], total)


@kernel
@allocates
def _find_medians(
    cdfs: Bytes, order: Offsets, begins: Offsets, ends: Offsets, medians: Bytes
) -> None:
    """Write the median, bin by bin, of the histograms order[begins[k]:ends[k]]; lower of two."""
    width = cdfs.shape[1]
    counts = np.empty((width, WHOLE + 1), dtype=np.int32)
    for cluster_ in range(len(begins)):
        counts[:] = 0
        for place in range(begins[cluster_], ends[cluster_]):
            cdf = cdfs[order[place]]
            for lane in range(width):
                counts[lane, cdf[lane]] += 1
        half = (ends[cluster_] - begins[cluster_] + 1) // 2
        for lane in range(width):
            value = 0
            seen = counts[lane, 0]
            while seen < half:
                value += 1
                seen += counts[lane, value]
            medians[cluster_, lane] = value
