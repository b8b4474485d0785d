"""Where a run is stored, what wrote it, and the command that repeats it."""

from starlette.requests import Request

from untilt.dashboard.source import Holdings, Json, NotAvailable, Run, Source
from untilt.dashboard.view import View
from untilt.dashboard.views.pushfold import is_sweep, sweep_of
from untilt.errors import FormatError
from untilt.formats.run_command import command_of
from untilt.formats.run_file import FILE_NAME, read_run_record


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
    # The whole file: the record that is kept in memory has shortened texts.
    whole = run.kept(
        [FILE_NAME],
        lambda folder: read_run_record(folder / FILE_NAME),
        missing="so there are no facts about it",
    )
    command = command_of(whole, stacks=_stacks(run) if is_sweep(whole) else ())
    record = run.record()
    return {
        "folder": run.shown_folder,
        "version": record.version,
        "machine": record.machine,
        "command": command.text,
        "note": command.note or None,
    }


def _stacks(run: Run) -> list[float]:
    try:
        stacks: list[float] = sweep_of(run).stack.tolist()
    except (NotAvailable, FormatError):
        return []
    return stacks


VIEW = View("facts", offered, {"facts": _facts})
