"""Committing logs to regrets in the sparse form, of which only positive ones are kept.

A part of the tables, what one player learns on a street, is written again after every batch, bucket
by bucket: the row of a bucket is unpacked, what the log adds to it is added in the order of walks,
negative numbers become 0, and the row is packed again. This takes no memory for unpacked numbers
but that of one row, and a time that grows with the tables: batches should be large.
"""

from typing import NamedTuple

import numpy as np

from untilt.game.deal_tree import LANES
from untilt.numeric.arrays import Offsets
from untilt.numeric.bfloat16 import Halves, add_number, number_at
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.sparse import GROUP, Sparse, Words, firsts_of
from untilt.numeric.streams import split
from untilt.solvers.blueprint.tables import Tables
from untilt.solvers.blueprint.walk import Floats32, Log, slot_of

_LANE_BITS, _ENTRY_BITS = 8, 40
_ONE = np.uint64(1)


class Packed(NamedTuple):
    """A part that was written again."""

    marks: Words
    """[groups of the part]"""
    values: Halves


def commit_sparse(
    logs: Log, num_slots: int, part: int, tables: Tables, num_buckets: int, rounding: np.uint64
) -> Packed:
    """Return the regrets of a part with what the logs add to them."""
    place = part // 2, part % 2
    origin, width = int(tables.origins[place]), int(tables.widths[place])
    groups = num_buckets * width // GROUP
    begins = np.zeros(num_buckets + 1, dtype=np.int64)
    _count(logs, num_slots, part, origin, width, begins)
    order = np.empty(int(begins[-1]), dtype=np.int64)
    _sort(logs, num_slots, part, origin, width, begins.copy(), order)
    marks = np.zeros(groups, dtype=np.uint64)
    # Memory that is never touched takes no room.
    values = np.empty(num_buckets * width, dtype=np.uint16)
    row = np.empty(width, dtype=np.float32)
    count = _rewrite(
        logs, part, tables.regrets, origin, begins, order, rounding, row, marks, values
    )
    return Packed(marks, values[:count].copy())


def put_parts(tables: Tables, parts: list[Packed]) -> Tables:
    """Return the tables with regrets that `commit_sparse` returned for all parts, in order."""
    sparse: Sparse = tables.regrets
    for part, packed in enumerate(parts):
        begin = int(tables.origins[part // 2, part % 2]) // GROUP
        sparse.marks[begin : begin + len(packed.marks)] = packed.marks
    total = sum(len(packed.values) for packed in parts)
    values = sparse.values
    if total > len(values):
        values = np.zeros(total + total // 8 + 1, dtype=np.uint16)
    end = 0
    for packed in parts:
        values[end : end + len(packed.values)] = packed.values
        end += len(packed.values)
    sparse.firsts[:] = firsts_of(sparse.marks)
    return tables._replace(regrets=Sparse(sparse.marks, sparse.firsts, values))


@kernel
def _count(logs: Log, num_slots: int, part: int, origin: int, width: int, begins: Offsets) -> None:
    """Write where the additions to each bucket will begin."""
    column = np.int64(part // 2) * LANES
    stride = logs.bases.shape[2]
    for slot in range(num_slots):
        log = slot_of(logs, slot)
        bases = log.bases.reshape(-1)
        for entry in range(log.num_decisions[part]):
            base = (log.decisions[part, entry, 1] >> 32) * stride + column
            for lane in range(LANES):
                begins[(bases[base + lane] - origin) // width + 1] += 1
    for bucket in range(len(begins) - 1):
        begins[bucket + 1] += begins[bucket]


@kernel
def _sort(
    logs: Log, num_slots: int, part: int, origin: int, width: int, ends: Offsets, order: Offsets
) -> None:
    """List the additions by bucket, those to the same one in the order of walks."""
    column = np.int64(part // 2) * LANES
    stride = logs.bases.shape[2]
    for slot in range(num_slots):
        log = slot_of(logs, slot)
        bases = log.bases.reshape(-1)
        for entry in range(log.num_decisions[part]):
            base = (log.decisions[part, entry, 1] >> 32) * stride + column
            for lane in range(LANES):
                bucket = (bases[base + lane] - origin) // width
                order[ends[bucket]] = slot << _ENTRY_BITS | entry << _LANE_BITS | lane
                ends[bucket] += 1


@kernel
def _rewrite(
    logs: Log,
    part: int,
    sparse: Sparse,
    origin: int,
    begins: Offsets,
    order: Offsets,
    rounding: np.uint64,
    row: Floats32,
    marks: Words,
    values: Halves,
) -> int:
    """Write the rows of all buckets; return how many numbers are kept."""
    key = split(rounding, np.uint64(part))
    count = 0
    width = len(row)
    for bucket in range(len(begins) - 1):
        for place in range(width):
            row[place] = number_at(sparse, origin + bucket * width + place)
        for number in range(begins[bucket], begins[bucket + 1]):
            _add(logs, part, order[number], row)
        count = _pack(row, bucket * width, key, marks, values, count)
    return count


@inlined
def _add(logs: Log, part: int, code: int, row: Floats32) -> None:
    slot, lane = code >> _ENTRY_BITS, code & (1 << _LANE_BITS) - 1
    entry = code >> _LANE_BITS & (1 << _ENTRY_BITS - _LANE_BITS) - 1
    decision = logs.decisions[slot, part, entry, 0]
    first = logs.decisions[slot, part, entry, 1] & 0xFFFFFFFF
    at = decision >> 8
    for action in range(decision & 255):
        instant = logs.instants[slot, first + action * LANES + lane]
        row[at + action] = max(row[at + action] + instant, np.float32(0.0))


@inlined
def _pack(
    row: Floats32, begin: int, key: np.uint64, marks: Words, values: Halves, count: int
) -> int:
    """Write the positive numbers of a row, rounded at random as their places say."""
    for place in range(len(row)):
        if row[place] > 0.0:
            values[count] = 0
            add_number(values, count, row[place], key + np.uint64(begin + place))
            if values[count] > 0:
                marks[(begin + place) >> 6] |= _ONE << np.uint64((begin + place) & 63)
                count += 1
    return count
