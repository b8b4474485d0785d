"""`result.json`, the file that marks a run as finished: the result."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilt.formats.base.entries import Entries, damaged, verify
from untilt.formats.base.files import (
    MAX_JSON_BYTES,
    is_within_limits,
    json_bytes,
    read_json,
    write_atomically,
)
from untilt.formats.run.run_file import MAX_ITERATION

FILE_NAME = "result.json"

_LONGEST_SECONDS = 1e18


@dataclass(frozen=True)
class RunResult:
    """The content of result.json; None, or nan for times, in place of an entry with a flaw."""

    path: Path
    iterations: int | None
    """None also for a method without iterations."""
    seconds: float
    compile_seconds: float
    total_seconds: float
    value: float | None
    """Player 0's, in the game's unit; None if it was not measured."""
    exploitability: float | None
    outcome: Mapping[str, Any]
    """What the method reported in addition to the strategy; empty for most."""
    flaws: Mapping[str, str]
    """Faults by the name of the entry."""

    def verify(self, *names: str) -> None:
        """Raise FormatError if one of these entries has a flaw."""
        verify(self.path, self.flaws, *names)

    @property
    def folds(self) -> tuple[float, ...] | None:
        """The betas at which a quantal response path turns; None if the file does not say."""
        folds = self.outcome.get("folds")
        if not isinstance(folds, list):
            return None
        numbers = [fold for fold in folds if isinstance(fold, int | float)]
        return tuple(float(fold) for fold in numbers if abs(fold) < 1e308)


def read_result(path: Path, *, max_bytes: int = MAX_JSON_BYTES) -> RunResult:
    """Return the content of a `result.json`; raise FormatError if it is not a JSON object."""
    given = read_json(path, max_bytes=max_bytes)
    if not isinstance(given, dict):
        raise damaged(path)
    entries = Entries(given)
    iterations = entries.optional("iterations", int)
    if iterations is not None and not 0 <= iterations < MAX_ITERATION:
        entries.flaws["iterations"] = "its iterations are out of range"
        iterations = None
    seconds, compile_seconds, total_seconds = (
        entries.number(name, at_least=0.0, below=_LONGEST_SECONDS)
        for name in ("seconds", "compile_seconds", "total_seconds")
    )
    value, exploitability = entries.number("value"), entries.number("exploitability")
    outcome = given.get("outcome", {})
    return RunResult(
        path=path,
        iterations=iterations,
        seconds=seconds,
        compile_seconds=compile_seconds,
        total_seconds=total_seconds,
        value=None if math.isnan(value) else value,
        exploitability=None if math.isnan(exploitability) else exploitability,
        outcome=outcome if isinstance(outcome, dict) else {},
        flaws=entries.flaws,
    )


def write_result(path: Path, document: Mapping[str, Any]) -> tuple[str, ...]:
    """Write the object that `--json` prints, and return what had to be left out of `outcome`.

    If the file would be too large for readers, the largest entries of `outcome`, such as the
    branch of a long path, are left out and named in `left_out` there.
    """
    left_out: tuple[str, ...] = ()
    data = json_bytes(document, indent=2) + b"\n"
    while not is_within_limits(data):
        outcome = {k: v for k, v in document.get("outcome", {}).items() if k not in left_out}
        if not outcome:
            break
        left_out += (max(outcome, key=lambda name: len(json_bytes(outcome[name]))),)
        del outcome[left_out[-1]]
        kept = {**document, "outcome": {**outcome, "left_out": list(left_out)}}
        data = json_bytes(kept, indent=2) + b"\n"
    write_atomically(path, [data])
    return left_out
