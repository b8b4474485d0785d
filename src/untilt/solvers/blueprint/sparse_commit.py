"""Committing logs to tables in the sparse form, which keeps only positive numbers.

A part of the tables, that is what one player learns on a street, is rewritten after every batch,
bucket by bucket: the row of a bucket is unpacked, what the log adds to it is added in the order of
walks, negative regrets become 0, and the row is packed again. This needs memory for unpacked
numbers of only one row, and time that grows with the tables: batches should be large.
"""

from typing import Any, NamedTuple

import numpy as np

from untilt.game.deals.deal_tree import LANES
from untilt.numeric.arrays import Offsets
from untilt.numeric.half_floats import BFLOAT16, Halves
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.sparse import (
    GROUP,
    PAIR_BYTES,
    Sparse,
    firsts_of,
    pack_group,
    unpack_group,
)
from untilt.numeric.streams import split
from untilt.solvers.blueprint.tables import TrainerTables
from untilt.solvers.blueprint.walk import Floats32, WalkLog, slot_of

REGRETS, SUMS = 0, 1
"""What is written."""

_LANE_BITS, _ENTRY_BITS = 8, 40


class PartSpan(NamedTuple):
    """The updates of one player on a street, and their place in the tables."""

    part: int
    """2 · street + player"""
    origin: int
    width: int
    num_buckets: int


def commit_sparse(
    logs: WalkLog,
    num_slots: int,
    kind: int,
    part: int,
    tables: TrainerTables,
    num_buckets: int,
    rounding: np.uint64,
) -> Sparse:
    """Return the regrets or sums of a part with what the logs add to them."""
    place = part // 2, part % 2
    origin, width = int(tables.origins[place]), int(tables.widths[place])
    span = PartSpan(part, origin, width, num_buckets)
    begins = np.zeros(num_buckets + 1, dtype=np.int64)
    _list_additions(logs, num_slots, kind, span, begins[1:], np.empty((0, 2), np.int64))
    np.cumsum(begins, out=begins)
    order = np.empty((int(begins[-1]), 2), dtype=np.int64)
    _list_additions(logs, num_slots, kind, span, begins[:-1].copy(), order)
    groups = num_buckets * width // GROUP
    packed = Sparse(
        np.zeros(groups, dtype=np.uint64),
        np.zeros(groups, dtype=np.uint32),
        np.zeros(groups, dtype=np.uint16),
        # Memory that is never touched takes no physical space.
        np.empty(groups * GROUP // 2 * PAIR_BYTES, dtype=np.uint8),
    )
    numbers = tables.regrets if kind == REGRETS else tables.sums
    row, halves = np.empty(width, dtype=np.float32), np.empty(GROUP, dtype=BFLOAT16)
    key = np.uint64(split(rounding, np.uint64(2 * part + kind)))
    count = _rewrite(logs, kind, span, numbers, begins, order, key, row, halves, packed)
    return packed._replace(values=packed.values[: PAIR_BYTES * count].copy())


def joined(tables: TrainerTables, kind: int, parts: list[Sparse]) -> Sparse:
    """Return the results of `commit_sparse` for all parts, joined in order."""
    sparse: Sparse = tables.regrets if kind == REGRETS else tables.sums
    for part, packed in enumerate(parts):
        begin = int(tables.origins[part // 2, part % 2]) // GROUP
        sparse.marks[begin : begin + len(packed.marks)] = packed.marks
        sparse.bases[begin : begin + len(packed.bases)] = packed.bases
    total = sum(len(packed.values) for packed in parts)
    values = sparse.values
    if total + PAIR_BYTES > len(values):
        values = np.zeros(total + total // 8 + PAIR_BYTES, dtype=np.uint8)
    end = 0
    for packed in parts:
        values[end : end + len(packed.values)] = packed.values
        end += len(packed.values)
    sparse.firsts[:] = firsts_of(sparse.marks)
    return sparse._replace(values=values)


@kernel
def _list_additions(
    logs: WalkLog, num_slots: int, kind: int, span: PartSpan, ends: Offsets, order: Offsets
) -> None:
    """List what is added to a part by bucket, within a bucket in the order of walks.

    `order` [additions, 2] gets slot, entry and lane, and where the numbers begin; `ends` [buckets]
    are the places of the next addition to each bucket. If `order` is empty, they are only counted.
    """
    column, seat = np.int64(span.part // 2) * LANES, 1 - span.part % 2
    end = span.origin + span.num_buckets * span.width
    for slot in range(num_slots):
        log = slot_of(logs, slot)
        first = slot << _ENTRY_BITS
        if kind == REGRETS:
            bases = log.bases.reshape(-1)
            for entry in range(log.num_decisions[span.part]):
                source = log.decisions[span.part, entry, 1]
                base = (source >> 32) * logs.bases.shape[2] + column
                for lane in range(LANES):
                    bucket = (bases[base + lane] - span.origin) // span.width
                    code = first | entry << _LANE_BITS | lane
                    _list(code, (source & 0xFFFFFFFF) + lane, bucket, ends, order)
        else:
            begin: Any = np.int64(0)
            for entry in range(log.num_drawn[seat, 0]):
                at = log.drawn[seat, entry] >> 8
                if span.origin <= at < end:
                    bucket = (at - span.origin) // span.width
                    _list(first | entry << _LANE_BITS, begin, bucket, ends, order)
                begin += log.drawn[seat, entry] & 255


@inlined
def _list(code: int, begin: int, bucket: int, ends: Offsets, order: Offsets) -> None:
    if len(order):
        order[ends[bucket], 0] = code
        order[ends[bucket], 1] = begin
    ends[bucket] += 1


@kernel
def _rewrite(
    logs: WalkLog,
    kind: int,
    span: PartSpan,
    sparse: Sparse,
    begins: Offsets,
    order: Offsets,
    key: np.uint64,
    row: Floats32,
    halves: Halves,
    packed: Sparse,
) -> int:
    """Write the rows of all buckets; return how many pairs of numbers are kept."""
    groups = span.width // GROUP
    end = 0
    for bucket in range(span.num_buckets):
        first = (span.origin + bucket * span.width) // GROUP
        for group in range(groups):
            unpack_group(sparse, first + group, row, group * GROUP)
        for number in range(begins[bucket], begins[bucket + 1]):
            if kind == REGRETS:
                _add_regrets(logs, span.part, order[number, 0], order[number, 1], row)
            else:
                _add_shares(logs, span, bucket, order[number, 0], order[number, 1], row)
        for group in range(groups):
            own = bucket * groups + group
            packed.firsts[own] = end
            end = pack_group(
                row, group * GROUP, key + np.uint64(2 * GROUP * own), halves, packed, own
            )
    return end


@inlined
def _add_regrets(logs: WalkLog, part: int, code: int, begin: int, row: Floats32) -> None:
    decision = logs.decisions[code >> _ENTRY_BITS, part, _entry_of(code), 0]
    at = decision >> 8
    for action in range(decision & 255):
        instant = logs.instants[code >> _ENTRY_BITS, begin + action * LANES]
        row[at + action] = max(row[at + action] + instant, np.float32(0.0))


@inlined
def _add_shares(
    logs: WalkLog, span: PartSpan, bucket: int, code: int, begin: int, row: Floats32
) -> None:
    slot, seat = code >> _ENTRY_BITS, 1 - span.part % 2
    drawn = logs.drawn[slot, seat, _entry_of(code)]
    at = (drawn >> 8) - span.origin - bucket * span.width
    for action in range(drawn & 255):
        row[at + action] += logs.shares[slot, seat, begin + action]


@inlined
def _entry_of(code: int) -> int:
    return code >> _LANE_BITS & (1 << _ENTRY_BITS - _LANE_BITS) - 1
