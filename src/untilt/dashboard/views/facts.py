"""The facts of a run: its folder, the version that wrote it, and the command that made it."""

from typing import TYPE_CHECKING

from starlette.requests import Request

from untilt.dashboard.sources.source import Holdings, Json
from untilt.dashboard.view import View
from untilt.formats.run.run_file import kinds_of_runs

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun


def offered(run: Holdings) -> bool:
    """Whether there is a readable `run.json`."""
    return run.record is not None


def _facts(source: "ServedRun", request: Request) -> Json:
    """Return the `RunFacts` of a run."""
    del request
    record = source.record()
    if kinds_of_runs()[record.kind].is_from_elsewhere:
        note = "a document does not say how it was made"
        return {"folder": None, "version": None, "machine": {}, "command": None, "note": note}
    return {
        "folder": source.shown_folder,
        "version": record.version,
        "machine": record.machine,
        "command": record.command.text,
        "note": record.command.note or None,
    }


VIEW = View("facts", offered, {"facts": _facts})
