"""Saving push/fold charts of many stacks as a folder, which the dashboard shows with a slider."""

from pathlib import Path

import numpy as np

from untilt.charts.push_fold import PushFoldSweep
from untilt.errors import RunError
from untilt.formats.files import shown, write_json
from untilt.formats.lock import FolderLock
from untilt.formats.sweep import FILE_NAME, Sweep, write_sweep
from untilt.runs.folder import create_folder, verify_unused
from untilt.runs.run import describe_origin


def verify_output(output: Path) -> None:
    """Raise RunError, before any work, if `output` cannot become the folder of a sweep."""
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise RunError(f"{shown(output)} exists already; choose another --output")


def save_sweep(found: PushFoldSweep, method: str, output: Path | None = None) -> Path:
    """Write the charts to the folder `output`, or runs/pushfold-sweep-{n}, and return it."""
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
    folder = create_folder(output, "pushfold", "sweep")
    with FolderLock(folder):
        verify_unused(folder)
        write_sweep(folder / FILE_NAME, sweep)
        document = {
            **describe_origin(),
            "kind": "sweep",
            "game": "pushfold",
            "title": "Push/Fold Hold'em",
            "method": method,
            "parameters": {
                "stack": f"{charts[0].stack:g}–{charts[-1].stack:g}",
                "small_blind": sweep.small_blind,
                "ante": sweep.ante,
                "bb_ante": sweep.bb_ante,
            },
        }
        write_json(folder / "run.json", document)
        write_json(folder / "result.json", {"stacks": len(charts)})
    return folder
