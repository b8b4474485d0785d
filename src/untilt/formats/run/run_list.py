"""Summaries of the runs below a folder, made without reading their large files."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from untilt.errors import RunError, UntiltError
from untilt.formats.base.container import open_container
from untilt.formats.base.files import is_there, path_of, shown
from untilt.formats.kinds import solution_file
from untilt.formats.kinds import strategy_file as strategy
from untilt.formats.kinds import sweep_file as sweep
from untilt.formats.run import compiled_game, frames, result_file, run_file
from untilt.formats.run.progress_reader import read_last_row
from untilt.formats.run.result_file import read_result
from untilt.formats.run.run_folder import RunFolder, Status
from untilt.game.terms import Terms

MAX_DEPTH = 4
"""How many levels below the listed folder are searched."""
MAX_RUNS = 2_000
MAX_FOLDERS = 20_000

_SKIPPED = {"node_modules", "__pycache__"}
_MAX_RESULT_BYTES = 2 << 20
"""A larger result holds a whole branch; the last row of the progress has the same numbers."""


@dataclass(frozen=True)
class RunSummary:
    """The summary of one run; None for anything that is not known."""

    path: Path
    name: str
    """The path below the folder that was listed."""
    status: Status
    problem: str | None
    """What is wrong with its files, if it is damaged."""
    kind: str | None
    game: str | None
    title: str | None
    parameters: Mapping[str, Any]
    reference: str | None
    method: str | None
    noise: str | None
    """Of a spot that was solved for players who make mistakes, such as `2%`."""
    iterations: int | None
    exploitability: float | None
    """In the unit of the game."""
    seconds: float | None
    created: str | None
    """As ISO 8601 in UTC; the time run.json was last written if it does not say."""
    terms: Terms | None
    """None if the run does not record them."""

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data, as `untilt runs --json` prints it."""
        return {
            "name": self.name,
            "path": str(self.path),
            "kind": self.kind,
            "game": self.game,
            "title": self.title,
            "parameters": dict(self.parameters),
            "method": self.method,
            "noise": self.noise,
            "status": self.status,
            "problem": self.problem,
            "iterations": self.iterations,
            "exploitability": self.exploitability,
            "unit": None if self.terms is None else self.terms.unit,
            "seconds": self.seconds,
            "created": self.created,
        }


def list_runs(folder: str | os.PathLike[str] = "runs") -> list[RunSummary]:
    """Return the runs in or below a folder, newest first, including unfinished and damaged ones.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=10, output="my-runs/first")
    >>> [(each.name, each.method, each.status) for each in untilt.runs.list_runs("my-runs")]
    [('first', 'cfr+', 'finished')]
    """
    root = path_of(folder)
    if not root.is_dir():
        what = "is not a folder" if is_there(root) else "does not exist"
        raise RunError(
            f"{shown(root)} {what}; give the folder that contains your runs, or make a first run "
            "with `untilt solve kuhn`"
        )
    found = [summarize(each, _name(each, root)) for each in run_folders(root)]
    return sorted(found, key=lambda run: run.created or "", reverse=True)


def run_folders(root: Path) -> Iterator[Path]:
    """Yield the folders of runs in and below `root`, which itself may be a run."""
    waiting = [(root, 0)]
    num_found = 0
    for folder, depth in waiting:
        if is_there(folder / run_file.FILE_NAME):
            yield folder
            num_found += 1
            if num_found == MAX_RUNS:
                return
        elif depth < MAX_DEPTH:
            with suppress(OSError):  # a folder that cannot be read, or that is gone
                names = inner_folders(folder)[: MAX_FOLDERS - len(waiting)]
                waiting += [(folder / name, depth + 1) for name in names]


def inner_folders(folder: Path) -> list[str]:
    """Return the names of the subfolders to search for runs; raise OSError if unreadable.

    Links are not followed, and hidden folders are left out.
    """
    with os.scandir(folder) as entries:
        return sorted(
            entry.name
            for entry in entries
            if not entry.name.startswith(".")
            and entry.name not in _SKIPPED
            and entry.is_dir(follow_symlinks=False)
        )


def summarize(path: Path, name: str) -> RunSummary:
    """Return the summary of the run in the folder `path`, whatever its files contain."""
    folder = RunFolder(path)
    problem: str | None = None
    try:
        record = folder.record()
    except (UntiltError, OSError) as error:
        record, problem = None, str(error)
    numbers: tuple[int | None, float | None, float | None] = (None, None, None)
    try:
        _verify_headers(folder)
        numbers = _numbers(folder)
    except (UntiltError, OSError) as error:
        problem = problem or str(error)
    iterations, exploitability, seconds = numbers
    return RunSummary(
        path=path,
        name=name,
        status="damaged" if problem else folder.status(),
        problem=problem,
        kind=None if record is None else record.kind,
        game=None if record is None else record.game,
        title=None if record is None else record.title,
        parameters={} if record is None else record.parameters,
        reference=None if record is None else record.reference,
        method=None if record is None else record.method,
        noise=None if record is None else _text(record.options.get("noise")),
        iterations=iterations,
        exploitability=exploitability,
        seconds=seconds,
        created=(None if record is None else record.created) or _changed(folder.run_file),
        terms=None if record is None else record.terms,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _verify_headers(folder: RunFolder) -> None:
    """Raise FormatError unless all containers that exist have sound headers."""
    for path, kinds in (
        (folder.game_file, (compiled_game.KIND,)),
        (folder.frames_file, (frames.KIND,)),
        (folder.strategy_file, (strategy.KIND, solution_file.KIND)),
        (folder.sweep_file, (sweep.KIND,)),
    ):
        if is_there(path):
            with open_container(path, *kinds):
                pass


def _numbers(folder: RunFolder) -> tuple[int | None, float | None, float | None]:
    """Return iterations, exploitability and seconds, as far as they are known."""
    path = folder.path / result_file.FILE_NAME
    if is_there(path) and path.lstat().st_size <= _MAX_RESULT_BYTES:
        result = read_result(path)
        seconds = None if "seconds" in result.flaws else result.seconds
        return result.iterations, result.exploitability, seconds
    row = read_last_row(folder.progress_file)
    if row is None:
        return None, None, None
    exploitability, seconds = (
        float(value) if isinstance(value := row.get(name), int | float) else None
        for name in ("exploitability", "seconds")
    )
    return row["iteration"], exploitability, seconds


def _name(folder: Path, root: Path) -> str:
    name = root.resolve().name if folder == root else folder.relative_to(root).as_posix()
    # Names of files need not be UTF-8.
    return name.encode("utf-8", "replace").decode()


def _changed(path: Path) -> str | None:
    try:
        changed = datetime.fromtimestamp(path.lstat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None
    return changed.isoformat(timespec="seconds")
