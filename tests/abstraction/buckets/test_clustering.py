"""Clustering under the earth mover's distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance
from tests.reference import buckets as reference

from untilt.abstraction.buckets.clustering import (
    WHOLE,
    Bytes,
    centroids_of,
    cluster,
    nearest_centroids,
    width_of,
)


def random_cdfs(count: int, seed: int, width: int = 64) -> Bytes:
    """Return cumulative histograms with one or two lumps, many of them equal."""
    rng = np.random.default_rng(seed)
    middles = rng.integers(0, 8, (count, 2)) / 8.0
    shares = rng.integers(0, 5, count) / 4.0
    scale = rng.integers(1, 3, count) / 10.0
    bins = (np.arange(width) + 0.5) / width
    lumps = np.exp(-(((bins - middles[:, :, None]) / scale[:, None, None]) ** 2))
    mass = shares[:, None] * lumps[:, 0] + (1 - shares)[:, None] * lumps[:, 1] + 1e-9
    below = np.cumsum(mass, axis=1)
    return np.rint(WHOLE * below / below[:, -1:]).astype(np.uint8)


@pytest.mark.parametrize("num_centroids", [1, 2, 7, 40])
@pytest.mark.parametrize("width", [64, 128])
def test_the_pruned_search_finds_the_nearest_of_all(num_centroids: int, width: int) -> None:
    cdfs = random_cdfs(300, 1, width)
    centroids = centroids_of(random_cdfs(num_centroids, 2, width))
    owners, distances = nearest_centroids(centroids, cdfs)
    assert (owners.tolist(), distances.tolist()) == reference.nearest(cdfs, centroids.cdfs)


@given(st.integers(0, 10_000), st.integers(1, 20))
def test_the_pruned_search_is_exact_for_any_bytes(seed: int, num_centroids: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.integers(0, 256, (12 + num_centroids, 64)), axis=1).astype(np.uint8)
    centroids = centroids_of(rows[:num_centroids])
    owners, distances = nearest_centroids(centroids, rows)
    assert (owners.tolist(), distances.tolist()) == reference.nearest(rows, centroids.cdfs)


def test_the_sum_of_differences_is_the_earth_movers_distance() -> None:
    cdfs = random_cdfs(20, 3)
    places = (np.arange(64) + 0.5) / 64
    masses = np.diff(cdfs.astype(int), axis=1, prepend=0)
    for first, second in ((0, 1), (2, 9), (5, 5), (7, 14)):
        _, (distance,) = nearest_centroids(centroids_of(cdfs[first : first + 1]), cdfs[[second]])
        emd = distance / WHOLE / 64
        assert emd == pytest.approx(
            wasserstein_distance(places, places, masses[first], masses[second]), abs=1e-12
        )
        assert emd == pytest.approx(
            reference.earth_mover(masses[first].tolist(), masses[second].tolist()), abs=1e-12
        )


def test_centroids_are_sorted_from_weak_to_strong() -> None:
    centroids = centroids_of(random_cdfs(30, 4))
    means = 1 - centroids.cdfs.mean(axis=1) / WHOLE
    assert (np.diff(means) >= 0).all()


def test_every_centroid_is_the_median_of_its_histograms() -> None:
    cdfs = random_cdfs(2000, 5)
    centroids = cluster(cdfs, 12, 1000, seed=0)
    owners, _ = nearest_centroids(centroids, cdfs)
    assert set(owners.tolist()) == set(range(12))
    for number in range(12):
        expected = reference.lower_median(cdfs[owners == number])
        assert centroids.cdfs[number].tolist() == expected


def test_more_steps_never_increase_the_distance() -> None:
    cdfs = random_cdfs(3000, 6)
    totals = [
        int(nearest_centroids(cluster(cdfs, 10, steps, seed=1), cdfs)[1].sum())
        for steps in range(1, 12)
    ]
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] < totals[0]


def test_threads_do_not_change_the_clusters() -> None:
    cdfs = random_cdfs(20_000, 7)
    one, three = (cluster(cdfs, 40, 8, seed=2, threads=threads) for threads in (1, 3))
    assert np.array_equal(one.cdfs, three.cdfs)


def test_clusters_that_lose_everything_begin_again() -> None:
    # A hundred copies of a few histograms: most random starts coincide.
    few = random_cdfs(400, 8)[:9]
    cdfs = np.repeat(few, 100, axis=0)
    centroids = cluster(cdfs, 9, 50, seed=0)
    _, distances = nearest_centroids(centroids, cdfs)
    assert distances.max() == 0


def test_there_are_never_more_clusters_than_different_histograms() -> None:
    cdfs = np.repeat(random_cdfs(3, 9), 2, axis=0)
    assert len(cluster(cdfs, 100, 5, seed=0).cdfs) == len(np.unique(cdfs, axis=0))


def test_histograms_are_padded_to_whole_cache_lines() -> None:
    assert [width_of(bins) for bins in (2, 50, 64, 65, 250)] == [64, 64, 64, 128, 256]
