"""Measure blueprint training: hand-nodes per second, and how long it stops for a checkpoint.

    uv run python benchmarks/blueprint_training.py             # rates, some seconds each
    uv run python benchmarks/blueprint_training.py --pause     # tables of one gigabyte

Rates are for 20 big blinds on one thread and for 100 big blinds on all threads, both synchronised
(the same bits for any number of threads) and unsynchronised. The kinds of training take turns. For
the pause, a training run at 100 big blinds, with enough river buckets to fill a gigabyte, saves its
checkpoints as usual; what counts is how long the trainer waits for each.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.formats.base.container import Array
from untilt.runs.background_save import BackgroundSave
from untilt.runs.blueprints.trainer import (
    cards_for,
    menu_for,
    rules_for,
    train_blueprint,
)

_RIVER_OF_A_GIGABYTE = 1_500
_MILLION = 1e6
_MENU = "0.5, 1, a"
"""The menu of the figures in the documentation."""


def rate(stack: str, seconds: float, folder: Path, **options: Any) -> float:
    """Return the hand-nodes per second of a training run, in millions."""
    found = train_blueprint(
        rules_for(stack),
        menu_for(_MENU),
        cards_for(),
        time=seconds,
        output=folder,
        **options,
    ).to_json()
    return round(float(found["hand_nodes_per_second"]) / _MILLION, 1)


def rates(seconds: float, threads: int, repeats: int) -> dict[str, list[float]]:
    """Return the rates of each kind of training, in millions of hand-nodes per second."""
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        "20bb, 1 thread": ("20bb", {"threads": 1}),
        f"100bb, {threads} threads": ("100bb", {"threads": threads}),
        f"100bb, {threads} threads, unsynchronised": (
            "100bb",
            {"threads": threads, "synchronised": False},
        ),
    }
    found: dict[str, list[float]] = {name: [] for name in kinds}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repeats):
            for number, (name, (stack, options)) in enumerate(kinds.items()):
                output = Path(folder) / f"{turn}-{number}"
                found[name].append(rate(stack, seconds, output, **options))
    return found


class Pauses:
    """How long a training run has waited for each checkpoint."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.num_bytes = 0


def measured(pauses: Pauses) -> Callable[..., None]:
    """Return a function that begins to save as usual, and adds the time this takes to `pauses`."""
    usual = BackgroundSave.begin

    def begin(
        save: BackgroundSave, iteration: int, meta: Mapping[str, Any], arrays: Mapping[str, Array]
    ) -> None:
        began = time.perf_counter()
        usual(save, iteration, meta, arrays)
        pauses.seconds.append(round(time.perf_counter() - began, 4))
        pauses.num_bytes = sum(array.nbytes for array in arrays.values())

    return begin


def waits(seconds: float, threads: int) -> dict[str, Any]:
    """Return how long a training run with large tables waits for its checkpoints, in seconds."""
    pauses = Pauses()
    BackgroundSave.begin = measured(pauses)  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        train_blueprint(
            rules_for("100bb"),
            menu_for(_MENU),
            CardAbstraction(river=_RIVER_OF_A_GIGABYTE),
            time=seconds,
            threads=threads,
            output=Path(folder) / "bp",
        )
    return {"bytes": pauses.num_bytes, "seconds": pauses.seconds}


def main() -> None:
    """Print what was measured as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pause", action="store_true", help="measure checkpoints instead of rates")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each training")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    found: dict[str, Any]
    if given.pause:
        found = waits(given.seconds, given.threads)
    else:
        found = dict(rates(given.seconds, given.threads, given.repeats))
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
