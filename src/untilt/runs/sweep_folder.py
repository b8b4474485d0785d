"""Saving push/fold charts of many stacks as a folder, which the dashboard shows with a slider."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import numpy as np

from untilt.formats.files import remove, remove_leftovers
from untilt.formats.lock import FolderLock
from untilt.formats.result_file import write_result
from untilt.formats.run_file import write_run_file
from untilt.formats.sweep import FILE_NAME, Sweep, write_sweep
from untilt.games.pushfold.chart import PushFoldSweep
from untilt.games.pushfold.game import Stakes
from untilt.runs.folder import create_folder, remove_unused, verify_unused
from untilt.runs.run import describe_origin


class SweepFolder:
    """A folder for the charts of a sweep, locked from entering to leaving the `with` block."""

    def __init__(self, all_stakes: Sequence[Stakes], method: str, output: Path | None) -> None:
        self._stakes = all_stakes
        self._method = method
        self._is_numbered = output is None
        self.path = create_folder(output, "pushfold", "sweep")

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._lock = stack.enter_context(FolderLock(self.path))
            verify_unused(self.path)
            remove_leftovers(self.path)
            first, last = self._stakes[0], self._stakes[-1]
            document = {
                **describe_origin(),
                "kind": "sweep",
                "game": "pushfold",
                "title": "Push/Fold Hold'em",
                "method": self._method,
                "parameters": {
                    "stack": f"{first.stack:g}–{last.stack:g}",
                    "small_blind": first.small_blind,
                    "ante": first.ante,
                    "bb_ante": first.bb_ante,
                },
            }
            write_run_file(self.path, document)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        with self._stack:
            is_half = kind is not None and not (self.path / FILE_NAME).exists()
            if is_half and self._lock.is_valid():
                # Half a sweep is none.
                remove(self.path / "run.json")
                remove_unused(self._lock, is_numbered=self._is_numbered)

    def save(self, found: PushFoldSweep) -> None:
        """Write the charts."""
        charts = found.charts
        first = charts[0]
        sweep = Sweep(
            small_blind=float(first.small_blind),
            ante=float(first.ante),
            bb_ante=float(first.bb_ante),
            stack=np.array([chart.stack for chart in charts]),
            value=np.array([chart.value for chart in charts]),
            exploitability=np.array([chart.exploitability for chart in charts]),
            push=np.array([chart.push.frequency for chart in charts]),
            call=np.array([chart.call.frequency for chart in charts]),
            push_ev=np.array([chart.push.ev for chart in charts]),
            call_ev=np.array([chart.call.ev for chart in charts]),
            fold_ev=np.array([[seat.fold_ev for seat in chart.seats] for chart in charts]),
        )
        self._lock.verify()
        write_sweep(self.path / FILE_NAME, sweep)
        write_result(self.path / "result.json", {"stacks": len(charts)})


def save_sweep(found: PushFoldSweep, method: str, output: Path | None = None) -> Path:
    """Write the charts to the folder `output`, or runs/pushfold-sweep-{n}, and return it."""
    ends = [
        Stakes(chart.stack, chart.small_blind, chart.ante, chart.bb_ante)
        for chart in (found.charts[0], found.charts[-1])
    ]
    with SweepFolder(ends, method, output) as folder:
        folder.save(found)
    return folder.path
