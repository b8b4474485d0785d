"""Push/fold charts of many stacks on disk (`sweep.bin`), in big blinds per hand.

n stacks, 169 hands in the order of the grid:

    stack, value, exploitability   float64[n]        stacks ascending
    push, call                     float64[n, 169]   how often each hand is played, 0–1
    push_ev, call_ev               float64[n, 169]   gain of playing it; nan if it never decides
    fold_ev                        float64[n, 2]     gain of folding for the small and big blind
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from untilt.cards.combos import NUM_CLASSES
from untilt.formats.base.container import read_container, write_container
from untilt.numeric.arrays import Floats

KIND = "sweep"
FILE_NAME = "sweep.bin"


@dataclass(frozen=True, eq=False)
class Sweep:
    """The charts of n stacks; see the module for units and shapes."""

    small_blind: float
    ante: float
    bb_ante: float
    stack: Floats
    value: Floats
    exploitability: Floats
    push: Floats
    call: Floats
    push_ev: Floats
    call_ev: Floats
    fold_ev: Floats


_STAKES = ("small_blind", "ante", "bb_ante")
_SHARES = ("push", "call")
_LENGTHS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("stack", "value", "exploitability"), ()),
    **dict.fromkeys(("push", "call", "push_ev", "call_ev"), (NUM_CLASSES,)),
    "fold_ev": (2,),
}
_MAX_STACK = 1e12
_MAYBE_UNKNOWN = ("push_ev", "call_ev")
_GAINS = ("value", "exploitability", "fold_ev", *_MAYBE_UNKNOWN)


def write_sweep(path: Path, sweep: Sweep) -> None:
    """Write the charts atomically."""
    meta = {name: getattr(sweep, name) for name in _STAKES}
    arrays = {field.name: getattr(sweep, field.name) for field in fields(sweep)}
    write_container(path, KIND, meta, {name: arrays[name] for name in _LENGTHS})


def read_sweep(path: Path) -> Sweep:
    """Return the charts that `write_sweep` wrote, or raise FormatError saying what is wrong."""
    container = read_container(path, KIND, in_memory=True)
    stakes: dict[str, float] = {}
    for name in _STAKES:
        amount = container.meta.get(name)
        if not isinstance(amount, float) or not 0.0 <= amount <= 1.0:
            raise container.error(f"its {name} is not between 0 and 1 big blind")
        stakes[name] = amount
    count = len(container.array("stack", np.float64, (None,)))
    arrays = {
        name: container.array(name, np.float64, (count, *rest)) for name, rest in _LENGTHS.items()
    }
    stack = arrays["stack"]
    is_sound = (
        count > 0
        and bool(np.all((stack > 0.0) & (stack <= _MAX_STACK)))
        and bool(np.all(stack[:-1] < stack[1:]))
        and all(bool(np.all((arrays[name] >= 0.0) & (arrays[name] <= 1.0))) for name in _SHARES)
    )
    if not is_sound:
        raise container.error("its stacks do not ascend, or a frequency is not between 0 and 1")
    most = 2.0 * (stack + 2.0)  # more than two stacks, blinds and antes
    for name in _GAINS:
        gains = arrays[name].reshape(count, -1)
        is_possible = np.abs(gains) <= most[:, None]
        if name in _MAYBE_UNKNOWN:
            is_possible |= np.isnan(gains)
        if not is_possible.all():
            raise container.error(f"a number of {name} is impossible")
    values: dict[str, Any] = {**stakes, **arrays}
    return Sweep(**values)
