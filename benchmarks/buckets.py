"""Measure building and looking up card buckets, from nothing and with compiled kernels.

    uv run python benchmarks/buckets.py [--json FILE]

Every build runs in its own process with an empty folder for tables; the first one also compiles the
kernels. Build times are wall time on all processors and CPU time; look-up times are CPU time.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import untilt
from untilt.abstraction import equities
from untilt.abstraction.buckets.long_boards import equity_on
from untilt.abstraction.buckets.recipe import FLOP, BucketRecipe
from untilt.abstraction.buckets.streets import StreetBuilder, fill_rivers
from untilt.abstraction.dealer import CardDealer
from untilt.cards import DECK, parse_cards
from untilt.game.deals.deal_tree import make_deals

ROUNDS = 9
NUM_DEALS = 20_000
NUM_HANDS = 17
SHARE = 16
"""Deals that a trainer looks up at a time."""

BUILD = """
import json, resource, time
began = time.monotonic()
import untilt
cards = untilt.abstraction.CardAbstraction(preflop=169, flop=200, turn=200, river=200).build()
seconds = time.monotonic() - began
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"seconds": seconds, "cpu_seconds": used.ru_utime + used.ru_stime,
                  "peak_megabytes": used.ru_maxrss / 1024, "spread": cards.spread}))
"""


def build(folder: str) -> dict[str, object]:
    """Build all tables in a new process."""
    for table in Path(folder).glob("buckets/*.bin"):
        table.unlink()
    done = subprocess.run(
        [sys.executable, "-c", BUILD],
        env={**os.environ, "UNTILT_CACHE_DIR": folder},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least CPU time of one call over several rounds."""
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(repeats):
            work()
        times.append((time.process_time() - began) / repeats)
    return min(times)


def measure_streets(threads: int) -> dict[str, float]:
    found = {}
    began, cpu = time.monotonic(), time.process_time()
    fill_rivers(64, 64, threads)
    found["river equities of 134,459 boards, CPU s"] = time.process_time() - cpu
    found["river equities of 134,459 boards, s"] = time.monotonic() - began
    began, cpu = time.monotonic(), time.process_time()
    StreetBuilder(threads).build(BucketRecipe(FLOP, 200))
    found["flop into 200 buckets, CPU s"] = time.process_time() - cpu
    found["flop into 200 buckets, s"] = time.monotonic() - began
    return found


def measure_look_ups(cards: untilt.abstraction.CardAbstraction) -> dict[str, float]:
    rng = np.random.default_rng(0)
    dealt = np.array([rng.permutation(DECK) for _ in range(NUM_DEALS)], dtype=np.uint8)
    boards = np.ascontiguousarray(dealt[:, :5])
    hands = np.ascontiguousarray(dealt[:, 5 : 5 + 2 * NUM_HANDS]).reshape(NUM_DEALS, NUM_HANDS, 2)
    low, high = parse_cards("AsKh")
    flop, turn, river = (parse_cards("Td9d6h2c3s"[: 2 * size]) for size in (3, 4, 5))
    long_board = [*river, *parse_cards("4h")]
    found = {
        "one hand on the flop, µs": cpu_seconds(lambda: cards.bucket_of(low, high, flop), 5000),
        "one hand on the turn, µs": cpu_seconds(lambda: cards.bucket_of(low, high, turn), 5000),
        "one hand on the river, µs": cpu_seconds(lambda: cards.bucket_of(low, high, river), 5000),
        "one hand on 6 cards, µs": cpu_seconds(lambda: equity_on((low, high), long_board), 2000),
        "all hands of a river board, µs": cpu_seconds(lambda: cards.buckets_on(river), 2000),
    }
    cards.keep_rivers()
    deals = cpu_seconds(lambda: cards.deals(boards, hands), 1)
    found[f"{NUM_HANDS} hands on all streets of a deal, µs"] = deals / NUM_DEALS
    dealer, room = CardDealer(cards), make_deals(SHARE, 4)
    filling = cpu_seconds(lambda: dealer.fill(room, 0, SHARE, 0), 200)
    found["a deal of the dealer, µs"] = filling / SHARE
    states = equities((169, 200, 200, 200), dimension=64, maxiter=25).factors[0].read
    infoset = SimpleNamespace(hand=(low, high), board=tuple(flop))
    found["an infoset of equities(), again, µs"] = cpu_seconds(lambda: states(infoset), 20_000)
    return {name: 1e6 * seconds for name, seconds in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    target = parser.parse_args().json
    results: dict[str, object] = {"machine": platform.processor() or platform.machine()}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("from nothing", "with compiled kernels", "again"):
            results[f"169/200/200/200, {name}"] = build(folder)
            print(name, results[f"169/200/200/200, {name}"])
    threads = os.cpu_count() or 1
    numbers = measure_streets(threads) | measure_look_ups(untilt.abstraction.CardAbstraction())
    for name, number in numbers.items():
        print(f"{name:50} {number:10.3f}")
    results |= numbers
    results["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if target:
        target.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
