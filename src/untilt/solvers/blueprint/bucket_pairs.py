"""How two hands meet as buckets: counts over random deals, from which strategies are finished.

    pairs = count_pairs(dealer)

A trainer never needs to know how likely two buckets meet, because deals tell it by sampling. Where
few deals led, these counts replace the missing ones: how likely an opponent has a bucket, given
one's own; who wins if both are all-in; and which bucket a hand has on the next street. The next
bucket is taken to depend on the present one alone.
"""

from typing import NamedTuple, Protocol

import numpy as np

from untilt.game.deals.deal_tree import LANES, TrainerDeals, make_deals
from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.numeric.kernel import kernel

NUM_DEALS = 200_000
"""Each has 16 pairs of hands: with 200 buckets, each pair is met 160 times on average."""
FIRST_DEAL = 1 << 56
"""No training comes this far, so deals are not those that it has learnt from."""
_AT_ONCE = 1_024
WIDTH = 32
"""Columns of a matrix that a kernel adds up together."""

Singles = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


class DealsOfBuckets(Protocol):
    """Deals hands as buckets; see `trainer.Dealer`."""

    @property
    def num_buckets(self) -> tuple[int, ...]:
        """Buckets of hands on each street."""
        ...

    def fill(self, deals: TrainerDeals, begin: int, end: int, first: int) -> None:
        """Write deals into the places [begin, end); the one at `begin` is deal number `first`."""
        ...


class StreetPairs(NamedTuple):
    """Pairs of hands on one street."""

    met: Floats
    """[buckets, buckets]: how often they meet, as a share of all pairs."""
    net: Floats
    """[buckets, buckets]: the same, times what the row wins of 1 chip at showdown."""


class BucketPairs(NamedTuple):
    """Pairs of hands by street, padded to B buckets on each, a multiple of WIDTH.

    Rows of matrices are the opponent's bucket, so that sums over opponents are sums of rows.
    """

    chances: Singles
    """[streets, B]: how likely a hand has a bucket."""
    met: Singles
    """[streets, B · B]: how likely the opponent (row) has a bucket, given one's own (column)."""
    net: Singles
    """[streets, B · B]: the same, times what one's own hand wins of 1 chip at showdown."""
    spans: Offsets
    """[streets, B / WIDTH, 2]: the first row, and the one after the last, with numbers for WIDTH
    columns of `met` and `net`."""
    odds: Singles
    """[streets, B]: what one's own hand wins of 1 chip at showdown against all hands."""
    onward: Singles
    """[streets, B · B]: how likely a hand has a bucket (row) on the next street, given that of this
    street (column)."""
    back: Singles
    """[streets, B · B]: how likely it had a bucket (row) on this street, given that of the next
    (column)."""
    all_rows: Offsets
    """[B / WIDTH, 2]: spans of all rows."""


def count_pairs(
    dealer: DealsOfBuckets, exact: StreetPairs | None = None, num_deals: int = NUM_DEALS
) -> BucketPairs:
    """Return the pairs of a dealer; the first street's are `exact` if they are known."""
    counts = dealer.num_buckets
    streets, most = len(counts), -(-max(counts) // WIDTH) * WIDTH
    met = np.zeros((streets, most, most))
    net = np.zeros((streets, most, most))
    moved = np.zeros((streets, most, most))
    deals = make_deals(_AT_ONCE, streets)
    for first in range(0, num_deals, _AT_ONCE):
        count = min(_AT_ONCE, num_deals - first)
        dealer.fill(deals, 0, count, FIRST_DEAL + first)
        _count(deals, count, met, net, moved)
    num_pairs = 2.0 * num_deals * LANES
    met /= num_pairs
    net /= num_pairs
    if exact is not None:
        used = slice(counts[0])
        met[0, used, used], net[0, used, used] = exact
    chances = met.sum(axis=2)
    # `net` counts what the row wins, and rows are opponents here.
    won = _divided(-net, chances[:, None, :])
    return BucketPairs(
        chances.astype(np.float32),
        _flat(_divided(met, chances[:, None, :])),
        _flat(won),
        _spans(met > 0.0),
        won.sum(axis=1).astype(np.float32),
        _flat(_divided(moved.transpose(0, 2, 1), moved.sum(axis=2)[:, None, :])),
        _flat(_divided(moved, moved.sum(axis=1, keepdims=True))),
        _spans(np.ones((1, most, most), dtype=np.bool_))[0],
    )


def _divided(counts: Floats, totals: Floats) -> Floats:
    return np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0.0)


def _flat(matrices: Floats) -> Singles:
    return np.ascontiguousarray(matrices.reshape(len(matrices), -1), dtype=np.float32)


def _spans(has_number: Bools) -> Offsets:
    streets, most, _ = has_number.shape
    in_block: Bools = np.asarray(has_number.reshape(streets, most, -1, WIDTH).any(axis=3))
    ends = np.where(in_block.any(axis=1), most - in_block[:, ::-1].argmax(axis=1), 0)
    found = np.stack([in_block.argmax(axis=1), ends], axis=2)
    return np.ascontiguousarray(found, dtype=np.int64)


@kernel
def _count(deals: TrainerDeals, count: int, met: Floats, net: Floats, moved: Floats) -> None:
    """Count the pairs of each hand with the opponent's; other hands may share cards."""
    num_streets = deals.buckets.shape[1]
    for deal in range(count):
        for street in range(num_streets):
            opposite = np.int64(deals.buckets[deal, street, LANES])
            for hand in range(LANES + 1):
                own = np.int64(deals.buckets[deal, street, hand])
                if street + 1 < num_streets:
                    moved[street, own, np.int64(deals.buckets[deal, street + 1, hand])] += 1.0
                if hand < LANES:
                    more = deals.strength[deal, hand] - deals.strength[deal, LANES]
                    sign = np.float64((more > 0) - (more < 0))
                    met[street, own, opposite] += 1.0
                    met[street, opposite, own] += 1.0
                    net[street, own, opposite] += sign
                    net[street, opposite, own] -= sign
