"""Compare the hand evaluator with phevaluator and eval7, and with itself on more threads.

    uv run --with phevaluator --with eval7 python benchmarks/hand_evaluator.py [--json FILE]

Both peers rank one hand per call from Python, with card objects made before the clock starts.
Programs take turns, because machines are noisy: only the ratios of neighbouring measurements
matter. A peer that is not installed is left out. If there is a C compiler, a plain C loop over the
same tables is measured too: it shows what the machine can do.
"""

import argparse
import ctypes
import importlib
import json
import platform
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.cards import DECK, card_name, count_hands, evaluate
from untilt.cards.evaluator.evaluator_tables import load_tables

NUM_DIFFERENT_HANDS = 4_000_000
NUM_HANDS = 4 * NUM_DIFFERENT_HANDS
NUM_PEER_HANDS = 20_000
ROUNDS = 9

Cards = npt.NDArray[np.uint8]
Work = Callable[[], object]

C_SOURCE = """
#include <stddef.h>
#include <stdint.h>
void rank_hands(const uint64_t *card_keys, const uint16_t *flush_ranks, const uint16_t *offsets,
                const uint16_t *ranks, const uint8_t *hands, uint16_t *found, size_t num_hands) {
    for (size_t i = 0; i < num_hands; i++) {
        const uint8_t *hand = hands + 7 * i;
        uint64_t key = 0x3333ull << 48;
        for (int j = 0; j < 7; j++) key += card_keys[hand[j]];
        if (key & 0x8888ull << 48) {
            uint64_t mask = 0;
            for (int j = 0; j < 7; j++) mask |= 1ull << hand[j];
            uint16_t best = 0;
            for (int suit = 0; suit < 4; suit++) {
                uint16_t rank = flush_ranks[mask >> 16 * suit & 0x1fff];
                if (rank > best) best = rank;
            }
            found[i] = best;
        } else {
            uint32_t sum = (uint32_t)key;
            found[i] = ranks[offsets[sum & 0x1fff] + (sum >> 13)];
        }
    }
}
"""


def random_hands(num_hands: int, seed: int) -> Cards:
    rng = np.random.default_rng(seed)
    deck = np.array(DECK, dtype=np.uint8)
    parts = []
    for begin in range(0, num_hands, 250_000):
        size = min(250_000, num_hands - begin)
        order = np.argpartition(rng.random((size, 52), dtype=np.float32), 7, axis=1)
        parts.append(deck[order[:, :7]])
    return np.concatenate(parts)


def c_work(hands: Cards, folder: Path) -> Work | None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    (folder / "rank.c").write_text(C_SOURCE, encoding="utf-8")
    library = folder / "rank.so"
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(folder / "rank.c"), "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).rank_hands
    tables = load_tables(7)
    found = np.empty(len(hands), dtype=np.uint16)
    arrays = (tables.card_keys, tables.flush_ranks, tables.offsets, tables.ranks, hands, found)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]

    def work() -> object:
        function(*pointers, ctypes.c_size_t(len(hands)))
        return arrays  # they must live as long as their pointers

    work()
    assert np.array_equal(found, evaluate(hands))
    return work


def peer_works(hands: Cards) -> dict[str, Work]:
    """Return the loops over `hands` for the peers that are installed."""
    works: dict[str, Work] = {}
    for peer, loop in {"phevaluator": phevaluator_loop, "eval7": eval7_loop}.items():
        try:
            module = importlib.import_module(peer)
        except ImportError:
            continue
        dealt = [[module.Card(card_name(card)) for card in hand] for hand in hands.tolist()]
        works[peer] = partial(loop, module, dealt)
    return works


def phevaluator_loop(phevaluator: Any, dealt: list[list[Any]]) -> list[int]:
    evaluate_cards = phevaluator.evaluate_cards
    return [evaluate_cards(*hand) for hand in dealt]


def eval7_loop(eval7: Any, dealt: list[list[Any]]) -> list[int]:
    evaluate_hand = eval7.evaluate
    return [evaluate_hand(hand) for hand in dealt]


def measure(works: dict[str, tuple[Work, int]]) -> dict[str, list[float]]:
    """Return hands per second of each measurement, round by round."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for work, _ in works.values():
        work()
    for _ in range(ROUNDS):
        for name, (work, num_hands) in works.items():
            begin = time.perf_counter()
            work()
            rates[name].append(num_hands / (time.perf_counter() - begin))
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()

    hands = np.tile(random_hands(NUM_DIFFERENT_HANDS, seed=1), (4, 1))
    masks = np.bitwise_or.reduce(np.uint64(1) << hands.astype(np.uint64), axis=1)
    works: dict[str, tuple[Work, int]] = {
        "cards": (lambda: evaluate(hands), NUM_HANDS),
        "cards, checked": (lambda: evaluate(hands, check=True), NUM_HANDS),
        "cards, 2 threads": (lambda: evaluate(hands, threads=2), NUM_HANDS),
        "masks": (lambda: evaluate(masks), NUM_HANDS),
        "masks, 2 threads": (lambda: evaluate(masks, threads=2), NUM_HANDS),
        "all C(52,7) hands": (lambda: count_hands(7), comb(52, 7)),
    }
    with tempfile.TemporaryDirectory() as folder:
        c = c_work(hands, Path(folder))
        if c is not None:
            works["C, one by one"] = (c, NUM_HANDS)
        for peer, work in peer_works(hands[:NUM_PEER_HANDS]).items():
            works[peer] = (work, NUM_PEER_HANDS)
        rates = measure(works)

    print(f"{platform.processor() or platform.machine()}, millions of seven-card hands per second")
    results: dict[str, dict[str, float]] = {}
    for name, found in rates.items():
        ratios = [ours / other for ours, other in zip(rates["cards"], found, strict=True)]
        results[name] = {
            "median": statistics.median(found),
            "best": max(found),
            "cards_ratio": statistics.median(ratios),
        }
        row = results[name]
        print(
            f"{name:20} median {row['median'] / 1e6:9.3f}   best {row['best'] / 1e6:9.3f}   "
            f"`cards` is {row['cards_ratio']:8.2f} times as fast"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
