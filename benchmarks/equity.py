"""Measure exact equities, and compare with eval7 where it can answer the same question.

    uv run --with eval7 python benchmarks/equity.py [--json FILE]

Everything runs on one thread. eval7's `py_hand_vs_range_exact` is correct only on complete boards
(it ranks the cards present), so its line is a loop over run-outs and hands with `eval7.evaluate`.
Programs take turns, because machines are noisy. Without eval7, its line is left out.
"""

import argparse
import importlib
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

from untilt.cards import (
    DECK,
    Range,
    card_name,
    equity,
    equity_histograms,
    hand_equities,
    parse_cards,
)
from untilt.cards.combos import COMBO_MASKS, combo_index, combo_name
from untilt.cards.equity.build_preflop import build_matrix
from untilt.cards.equity.match_up import board_ranks, count_match_up
from untilt.cards.evaluator.evaluator_tables import load_tables

ROUNDS = 9
BOARD = "Td9c6h"
PEER_HAND = "AsKd"
PEER_RANGE = "22+,A2s+,KTs+,AJo+"

Work = Callable[[], object]


def match_up() -> object:
    first, second = (COMBO_MASKS[combo_index(*parse_cards(hand))] for hand in ("AsKs", "QdJd"))
    return count_match_up(load_tables(), board_ranks(), first, second, np.uint64(0))


def works() -> dict[str, tuple[Work, int]]:
    """Return what to measure, with the number of rounds."""
    everything = Range.parse("random")
    found: dict[str, tuple[Work, int]] = {
        "169 x 169 matrix from scratch": (build_matrix, 2),
        "preflop, random v random": (lambda: equity(everything, everything), ROUNDS),
        "preflop, 22+,A2s+ v KTs+,AJo+": (lambda: equity("22+,A2s+", "KTs+,AJo+"), ROUNDS),
        "one match-up without the table": (match_up, ROUNDS),
        "flop, random v random": (lambda: equity(everything, everything, board=BOARD), ROUNDS),
        "flop, every hand of both sides": (
            lambda: hand_equities(everything, everything, board=BOARD),
            ROUNDS,
        ),
        "turn, random v random": (
            lambda: equity(everything, everything, board=f"{BOARD}2s"),
            ROUNDS,
        ),
        "flop, histograms of all hands": (
            lambda: equity_histograms(everything, BOARD),
            ROUNDS,
        ),
        "three hands preflop": (lambda: equity("AsAh", "KdKc", "QsQd"), 3),
        "a million random deals, 3 ranges": (
            lambda: equity("AA", "KK,AKs", everything, samples=1_000_000),
            3,
        ),
        "`untilt equity AsAh KdKc`, process": (command, 3),
        f"flop, {PEER_HAND} v range": (
            lambda: equity(PEER_HAND, PEER_RANGE, board=BOARD),
            ROUNDS,
        ),
    }
    peer = eval7_work()
    if peer is not None:
        found[f"eval7: flop, {PEER_HAND} v range"] = (peer, 3)
    return found


def command() -> object:
    code = "from untilt.cli.main import main; main()"
    arguments = [sys.executable, "-c", code, "equity", "AsAh", "KdKc"]
    return subprocess.run(arguments, check=True, capture_output=True)


def eval7_work() -> Work | None:
    try:
        eval7 = importlib.import_module("eval7")
    except ImportError:
        return None
    deck = {card_name(card): eval7.Card(card_name(card)) for card in DECK}
    hand, board = names(PEER_HAND), names(BOARD)
    villains = [names(combo_name(combo)) for combo, _ in Range.parse(PEER_RANGE)]

    def work() -> float:
        won = total = 0.0
        for more in combinations([name for name in deck if name not in {*hand, *board}], 2):
            whole = [*board, *more]
            cards = [deck[name] for name in whole]
            ours = eval7.evaluate([*cards, deck[hand[0]], deck[hand[1]]])
            used = {*whole, *hand}
            for first, second in villains:
                if first not in used and second not in used:
                    theirs = eval7.evaluate([*cards, deck[first], deck[second]])
                    won += (ours > theirs) + (ours == theirs) / 2
                    total += 1
        return won / total

    assert abs(work() - equity(PEER_HAND, PEER_RANGE, board=BOARD).equities[0]) < 1e-12
    return work


def names(text: str) -> list[str]:
    return [card_name(card) for card in parse_cards(text)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    measured: dict[str, list[float]] = {}
    chosen = works()
    for work, _ in chosen.values():
        work()
    for turn in range(ROUNDS):
        for name, (work, rounds) in chosen.items():
            if turn < rounds:
                begin = time.perf_counter()
                work()
                measured.setdefault(name, []).append(time.perf_counter() - begin)
    print(f"{platform.processor() or platform.machine()}, milliseconds")
    results = {}
    for name, seconds in measured.items():
        results[name] = {"median": statistics.median(seconds), "best": min(seconds)}
        row = results[name]
        print(f"{name:36} median {1e3 * row['median']:10.2f}   best {1e3 * row['best']:10.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
