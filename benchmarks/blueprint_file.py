"""Measure a blueprint file of ten million infosets, beside sorted keys with binary search.

    uv run python benchmarks/blueprint_file.py

It writes a file for 100 big blinds with random strategies, and measures its size and the time to
open it, to touch all its pages for the first time, and to look up probabilities and rows: hot (the
same few infosets repeatedly) and at random places. The same look-ups are done in sorted 64-bit keys
with float32 probabilities, as in the exchange layout, which is also written and read. All files are
in the page cache already.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.blueprint import Blueprint, blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.formats.base.files import write_atomically
from untilt.formats.exchange.ares_file import (
    BETTING_BITS,
    BUCKET_BITS,
    Header,
    Reader,
    Writer,
    orders_of,
)
from untilt.formats.kinds.blueprint_file import RowReader, open_blueprint, write_blueprint
from untilt.game.deals.deal_tree import DECISION, DealTree
from untilt.numeric.kernel import kernel
from untilt.runs.blueprints.trainer import menu_for, rules_for

_BUCKETS = 241
_NUM_LOOKUPS = 2_000_000
_NUM_HOT = 512
_PAGE = 4096

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Singles = npt.NDArray[np.float32]


def random_strategies(tree: DealTree, num_buckets: tuple[int, ...]) -> Iterator[Singles]:
    """Yield strategies with a few likely actions, street by street."""
    rng = np.random.default_rng(0)
    for street, count in enumerate(num_buckets):
        weights = rng.uniform(size=(count, int(tree.widths[street]))).astype(np.float32) ** 4
        rows, counts = tree.rows_of(street)
        sums = np.add.reduceat(weights, rows, axis=1)
        yield weights / np.repeat(sums, counts, axis=1)


def best(work: Callable[[], object], repeats: int = 7) -> float:
    """Return the least time in seconds."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


@kernel
def sum_probabilities(table: Bytes, width: int, rows: Numbers, buckets: Numbers) -> int:
    """Look up one probability for each row and bucket."""
    total = 0
    for number in range(len(rows)):
        total += table[np.uint64(buckets[number] * width + rows[number])]
    return total


@kernel
def sum_rows(
    table: Bytes, width: int, rows: Numbers, counts: Numbers, buckets: Numbers
) -> np.float32:
    """Look up all probabilities of each infoset, as numbers from 0 to 1."""
    total = np.float32(0.0)
    for number in range(len(rows)):
        begin = np.uint64(buckets[number] * width + rows[number])
        for action in range(np.uint64(counts[number])):
            total += np.float32(table[begin + action])
    return total / np.float32(255.0)


@kernel
def sum_searched(keys: Keys, firsts: Numbers, values: Singles, wanted: Keys) -> np.float32:
    """Look up one probability for each key by binary search."""
    total = np.float32(0.0)
    for number in range(len(wanted)):
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) >> 1
            if keys[middle] < wanted[number]:
                low = middle + 1
            else:
                high = middle
        total += values[firsts[low]]
    return total


def measure_tables(reader: RowReader, tree: DealTree, num_buckets: int) -> dict[str, float]:
    """Return look-ups per second on the last street, where most infosets are."""
    street = tree.num_streets - 1
    chosen = np.flatnonzero((tree.nodes["kind"] == DECISION) & (tree.nodes["street"] == street))
    rng = np.random.default_rng(1)
    table, width = reader.tables[street], int(tree.widths[street])
    found = {}
    for name, count in (("hot", _NUM_HOT), ("random", _NUM_LOOKUPS)):
        picked = tree.nodes[rng.choice(chosen, count)]
        repeats = _NUM_LOOKUPS // count
        rows = np.tile(picked["row"].astype(np.int64), repeats)
        counts = np.tile(picked["num_actions"].astype(np.int64), repeats)
        buckets = np.tile(rng.integers(num_buckets, size=count), repeats)
        one = best(lambda r=rows, b=buckets: sum_probabilities(table, width, r, b))  # type: ignore[misc]
        whole = best(lambda r=rows, c=counts, b=buckets: sum_rows(table, width, r, c, b))  # type: ignore[misc]
        found[f"probabilities_per_second_{name}"] = len(rows) / one
        found[f"rows_per_second_{name}"] = len(rows) / whole
    nodes = rng.choice(chosen, _NUM_LOOKUPS).astype(np.uint32)
    many = rng.integers(num_buckets, size=_NUM_LOOKUPS).astype(np.uint32)
    found["look_up_rows_per_second_random"] = _NUM_LOOKUPS / best(
        lambda: reader.look_up(nodes, many)
    )
    pairs = list(zip(nodes[:20_000].tolist(), many[:20_000].tolist(), strict=True))
    spent = best(lambda: [reader.row(node, bucket) for node, bucket in pairs])
    found["python_row_microseconds"] = 1e6 * spent / len(pairs)
    return found


def measure_searched(tree: DealTree, num_buckets: tuple[int, ...]) -> dict[str, float]:
    """Return look-ups per second in sorted keys, hot and random, and their size."""
    keys, counts = [], []
    for street, order in enumerate(orders_of(tree)):
        buckets = np.arange(num_buckets[street], dtype=np.uint64) | np.uint64(street << BUCKET_BITS)
        keys.append((buckets[:, None] << np.uint64(BETTING_BITS) | order.betting).reshape(-1))
        counts.append(np.tile(order.counts, num_buckets[street]))
    whole, sizes = np.concatenate(keys), np.concatenate(counts)
    firsts = np.cumsum(sizes) - sizes
    values = np.full(int(sizes.sum()), 0.5, dtype=np.float32)
    rng = np.random.default_rng(2)
    hot = np.tile(rng.choice(whole, _NUM_HOT), _NUM_LOOKUPS // _NUM_HOT)
    anywhere = rng.choice(whole, _NUM_LOOKUPS)
    return {
        "searched_per_second_hot": len(hot)
        / best(lambda: sum_searched(whole, firsts, values, hot), 3),
        "searched_per_second_random": len(anywhere)
        / best(lambda: sum_searched(whole, firsts, values, anywhere), 3),
        "searched_bytes": float(9 * len(whole) + values.nbytes),
    }


def measure_exchange(blueprint: Blueprint, path: Path) -> dict[str, float]:
    """Return time and size of the exchange layout, written and read."""
    tree, counts = blueprint.form.tree, blueprint.num_buckets
    tables = [blueprint.table(street) for street in range(len(counts))]
    begin = time.perf_counter()
    write_atomically(path, Writer(tree, counts, Header(1, 0, 100.0, None)).chunks(tables))
    written = time.perf_counter()
    for _ in Reader(path, tree, counts).tables():
        pass
    return {
        "exchange_bytes": float(path.stat().st_size),
        "exchange_write_seconds": written - begin,
        "exchange_read_seconds": time.perf_counter() - written,
    }


def main() -> None:
    """Measure everything, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    is_json = parser.parse_args().json
    rules, menu = rules_for("100bb"), menu_for("0.5, 1, a")
    cards = CardAbstraction(169, _BUCKETS, _BUCKETS, _BUCKETS)
    tree = BettingForm(rules, menu).tree
    counts = tuple(cards.sizes.values())
    found: dict[str, Any] = {"infosets": tree.num_infosets(counts)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "blueprint.bin"
        meta = {**blueprint_meta(rules, menu, cards), "iterations": 1}
        write_blueprint(path, meta, tree, counts, random_strategies(tree, counts))
        found["bytes"] = path.stat().st_size
        found["open_milliseconds"] = 1e3 * best(lambda: Blueprint(path), 30)
        touched = []
        for _ in range(5):
            tables = open_blueprint(path).maps()
            begin = time.perf_counter()
            for table in tables:
                table[::_PAGE].max()
            touched.append(time.perf_counter() - begin)
        found["first_touch_milliseconds"] = 1e3 * min(touched)
        stored = open_blueprint(path)
        assert len(stored.tree.nodes)
        found["reader_milliseconds"] = 1e3 * best(stored.reader, 3)
        found |= measure_tables(stored.reader(), tree, _BUCKETS)
        found |= measure_searched(tree, counts)
        found |= measure_exchange(Blueprint(path), Path(folder) / "exchange.bin")
    found["peak_bytes"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if is_json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name:36} {value:>18,.2f}")


if __name__ == "__main__":
    main()
