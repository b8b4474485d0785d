"""Runs: tasks that are driven, saved, continued and written for other programs.

    untilt.runs.list_runs("runs")
    untilt.runs.export("runs/leduc-cfr+-1", "leduc.json")

`untilt.solve` makes a run, `untilt.resume` continues it, `untilt.load` reads it from its folder.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.formats.run.run_list import RunSummary as RunSummary
    from untilt.formats.run.run_list import list_runs as list_runs
    from untilt.runs.results.exporting import export as export

_HOME = {
    "RunSummary": "untilt.formats.run.run_list",
    "export": "untilt.runs.results.exporting",
    "list_runs": "untilt.formats.run.run_list",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
