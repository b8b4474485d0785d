"""Where a run is stored, what wrote it, and the command that made it."""

from starlette.requests import Request

from untilt.dashboard.sources.source import Holdings, Json, Source
from untilt.dashboard.view import View


def offered(run: Holdings) -> bool:
    """Whether there is a readable `run.json`, or a document."""
    return run.record is not None or run.has_rows


def _facts(source: Source, request: Request) -> Json:
    """Return the `RunFacts` of a run or document."""
    del request
    run = source.run
    if run is None:
        note = "a document does not say how it was made"
        return {"folder": None, "version": None, "machine": {}, "command": None, "note": note}
    record = run.record()
    return {
        "folder": run.shown_folder,
        "version": record.version,
        "machine": record.machine,
        "command": record.command.text,
        "note": record.command.note or None,
    }


VIEW = View("facts", offered, {"facts": _facts})
