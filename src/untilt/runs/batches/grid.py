"""Many runs of one game: every combination of methods, seeds, options or parameters.

Each run is a separate task, and its result is written when it is done, so a grid that was stopped
can be resumed. The runs themselves are kept as run folders inside the grid's, up to a limit.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from untilt import __version__
from untilt.errors import Argument, FormatError, InvalidOption, RunError, UnknownName, shortened
from untilt.formats.base.entries import Entries
from untilt.formats.base.files import path_of, remove_leftovers, shown
from untilt.formats.base.lock import FolderLock
from untilt.formats.base.store import GRID, Store, fingerprint_of
from untilt.formats.run.run_command import made_by, maker
from untilt.formats.run.run_folder import RunFolder
from untilt.games.registry import resolve
from untilt.number import Integer, Number
from untilt.runs.batches.pool import InTurn, Pool
from untilt.runs.folder import create_folder
from untilt.runs.solve import resume, solve
from untilt.solvers.methods import DEFAULT_METHOD, METHODS, method_named

MOST_RUNS = 100_000
_KEEP = Integer(least=0, most=MOST_RUNS)
MOST_KEPT = 100
"""How many runs are kept unless another number is asked for."""
KEPT_BYTES = 1 << 30
"""Unless a number is asked for, no further run is kept once the kept ones take this much."""
_STOPS: Mapping[str, type] = {"iterations": int, "target": float, "time": float}
_NUMBERS: Mapping[type, Integer | Number] = {int: Integer(), float: Number(or_infinite=True)}
_RANGE = re.compile(r"(\d+):(\d+)(?::(\d+))?")
_LONGEST_NAME = 200
_RUNS = "runs"
"""The folder of the runs that are kept."""
_KEPT = ("iterations", "seconds", "compile_seconds", "value", "exploitability", "nash_conv")

_AMOUNTS = ("iterations", "seconds", "compile_seconds")
"""Of these, those that are never negative."""

OnRun = Callable[[int, int, Path], None]
"""Called with the number of finished runs, the total, and the folder."""


@dataclass(frozen=True)
class Grid:
    """A grid of runs, finished or not."""

    path: Path
    game: str
    axes: Mapping[str, Sequence[Any]]
    rows: Sequence[Mapping[str, Any]]
    """Settings and results of the runs that are done, in the order of the grid."""
    num_runs: int
    runs: Sequence[Path] = ()
    """The folders of the runs that are kept, in the order of the grid."""

    @property
    def num_missing(self) -> int:
        """Runs that are not done yet."""
        return self.num_runs - len(self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return the grid as `--json` prints it."""
        return {
            "game": self.game,
            "axes": {name: list(values) for name, values in self.axes.items()},
            "runs": self.num_runs,
            "missing": self.num_missing,
            "rows": [dict(row) for row in self.rows],
            "grid": str(self.path),
            **({"folders": [str(run) for run in self.runs]} if self.runs else {}),
        }


def parse_axis(text: str) -> tuple[str, list[str]]:
    """Return the name and the values of `method=cfr+,dcfr` or `seed=1:20` (20 included)."""
    name, equals, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name or not values.strip():
        raise InvalidOption.of(
            "grid", text, "give NAME=VALUES, such as method=cfr+,dcfr or seed=1:20"
        )
    found: list[str] = []
    for value in values.split(","):
        is_range = _RANGE.fullmatch(value.strip().replace("_", ""))
        if is_range is None:
            found.append(value.strip())
            continue
        first, last, step = int(is_range[1]), int(is_range[2]), int(is_range[3] or 1)
        if last < first or step < 1 or (last - first) // step >= MOST_RUNS:
            raise InvalidOption.of("grid", text, "a range goes up, such as 1:20 or 10:50:10")
        found += map(str, range(first, last + 1, step))
    if len(set(found)) < len(found) or not all(found):
        raise InvalidOption.of("grid", text, "give each value once, with commas between them")
    return name, found


def solve_grid(
    game: str,
    axes: Sequence[str],
    *,
    common: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    output: str | Path | None = None,
    keep: int | None = None,
    pool: Pool | None = None,
    watcher: OnRun | None = None,
) -> Grid:
    """Solve a game with every combination of the values of `axes`, such as `seed=1:20`.

    An axis is `method`, `seed`, a stop, an option of the methods, or a parameter of the game.
    `common` are arguments of all runs. The first `keep` runs are saved as they are being solved,
    each in its own folder below the grid's; by default the first 100, until they take 1 GiB.
    Machines of a cluster elsewhere keep none.
    """
    if keep is not None:
        keep = _KEEP.read("keep", keep)
    parsed = dict(map(parse_axis, axes))
    if len(parsed) < len(axes):
        raise InvalidOption.of("grid", list(axes), "give each name once")
    asked = {
        "untilt": __version__,
        **maker(),
        "game": game,
        "axes": parsed,
        "common": dict(common or {}),
        "parameters": dict(parameters or {}),
        "keep_runs": MOST_KEPT if keep is None else keep,
        **({"keep_bytes": KEPT_BYTES} if keep is None else {}),
    }
    work = _Work(asked)
    work.verify()
    name = resolve(game, work.cells[0].parameters).name
    folder = create_folder(None if output is None else path_of(output), "grid", name)
    with FolderLock(folder):
        Store(GRID, folder).begin(asked)
        return work.run(folder, pool or InTurn(), watcher)


def resume_grid(
    path: str | Path, *, pool: Pool | None = None, watcher: OnRun | None = None
) -> Grid:
    """Do the runs that a grid lacks, and return it."""
    folder = path_of(path)
    work = _read_work(folder)
    with FolderLock(folder):
        remove_leftovers(Store(GRID, folder).parts)
        return work.run(folder, pool or InTurn(), watcher)


def is_grid_folder(path: Path) -> bool:
    """Whether a path is the folder of a grid."""
    return Store(GRID, path).exists


def run_folders(path: Path) -> list[Path]:
    """Return where the grid at `path` keeps its runs, which may not have begun; empty if none."""
    return _read_work(path).run_folders(path)


def kept_runs(path: Path) -> list[Path]:
    """Return the runs that the grid at `path` has kept so far; refuse one without any."""
    found = _read_work(path).kept(path)
    if not found:
        raise RunError(
            f"{shown(path)} is a grid that kept no runs; solve it again without ",
            Argument("cluster"),
            " or ",
            Argument("keep", 0),
        )
    return found


@dataclass(frozen=True)
class _Cell:
    """The arguments of one run."""

    named: Mapping[str, Any]
    """The values of the axes."""
    arguments: Mapping[str, Any]
    parameters: Mapping[str, Any]


class _Work:
    """The request of a grid."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self.game: str = asked["game"]
        self.axes: dict[str, list[str]] = {name: list(v) for name, v in asked["axes"].items()}
        count = math.prod(map(len, self.axes.values()))
        if not 0 < count <= MOST_RUNS:
            raise InvalidOption.of("grid", f"{count:,} runs", f"allowed are 1 to {MOST_RUNS:,}")
        keep, room = asked.get("keep_runs", 0), asked.get("keep_bytes")
        # 0.1.0 kept all runs, which it wrote as `true`, or none.
        self.most_kept = count if keep is True else min(count, _limit(keep))
        self.kept_bytes = None if room is None else _limit(room)
        # Grids of earlier versions have no command; further runs are made by the one that resumes.
        argv = asked.get("argv", maker()["argv"])
        self.argv = argv if isinstance(argv, list) else None
        combinations = product(*self.axes.values())
        self.cells = [
            _cell(dict(zip(self.axes, values, strict=True)), asked["common"], asked["parameters"])
            for values in combinations
        ]

    def verify(self) -> None:
        """Raise the error of the first run that cannot begin, if there is one."""
        seen: set[str] = set()
        for cell in self.cells:
            given = {name: value for name, value in cell.arguments.items() if name not in _STOPS}
            for name in ("seed", "max_nodes"):
                given.pop(name, None)
            method_named(given.pop("method", DEFAULT_METHOD)).options(given)
            key = repr(sorted(cell.parameters.items()))
            if key not in seen:
                resolve(self.game, cell.parameters)
                seen.add(key)

    def found(self, folder: Path) -> Grid:
        """Return the grid with what is done so far."""
        results = (self._result(folder, number) for number in range(len(self.cells)))
        rows = [
            {**cell.named, **{name: document.get(name) for name in _KEPT}}
            for cell, document in zip(self.cells, results, strict=True)
            if document is not None
        ]
        axes = {name: [cell.named[name] for cell in self.cells] for name in self.axes}
        distinct = {name: list(dict.fromkeys(values)) for name, values in axes.items()}
        return Grid(folder, self.game, distinct, rows, len(self.cells), self.kept(folder))

    def run_folders(self, folder: Path) -> list[Path]:
        """Return where the first runs are kept, as many as may be; empty if none."""
        return [
            folder / _RUNS / _folder_name(number, cell)
            for number, cell in enumerate(self.cells[: self.most_kept])
        ]

    def kept(self, folder: Path) -> list[Path]:
        """Return the folders of the runs that are kept so far."""
        return [path for path in self.run_folders(folder) if RunFolder(path).run_file.exists()]

    def run(self, folder: Path, pool: Pool, watcher: OnRun | None) -> Grid:
        """Do what is missing."""
        count = len(self.cells)
        todo = [n for n in range(count) if self._result(folder, n) is None]
        watch = watcher or _watch_nothing
        watch(count - len(todo), count, folder)
        # Workers may have another working directory; other machines have other disks.
        places = self.run_folders(folder.resolve()) if pool.is_one_machine else []
        keeps = [
            _Keep(place, self.kept_bytes, self.argv, cell.named)
            for place, cell in zip(places, self.cells, strict=False)
        ]
        tasks = [
            (self.game, cell.arguments, cell.parameters, keeps[n] if n < len(keeps) else None)
            for n, cell in ((n, self.cells[n]) for n in todo)
        ]
        store = Store(GRID, folder)
        for done, (task, document) in enumerate(pool.each(_solve_cell, tasks), start=1):
            number = todo[task]
            store.write(_name(number), self._fingerprint(number), document)
            watch(count - len(todo) + done, count, folder)
        return self.found(folder)

    def _result(self, folder: Path, number: int) -> dict[str, Any] | None:
        """Return what a run gave; None if it is not done, or its file holds something else."""
        found = Store(GRID, folder).read(_name(number), self._fingerprint(number))
        return found if found is not None and _is_sound(found) else None

    def _fingerprint(self, number: int) -> str:
        cell = self.cells[number]
        return fingerprint_of([self.game, dict(cell.arguments), dict(cell.parameters)])


@dataclass(frozen=True)
class _Keep:
    """The folder in which a run is kept, if there is room."""

    folder: Path
    room: int | None
    """The bytes that all kept runs may take before this one begins; None without a limit."""
    argv: list[str] | None
    """The command that made the grid; None for Python."""
    cell: Mapping[str, Any]
    """The values of the axes."""

    @property
    def has_begun(self) -> bool:
        """Whether the run was begun before, and then stopped."""
        return RunFolder(self.folder).run_file.exists()

    @property
    def has_room(self) -> bool:
        """Whether the kept runs leave room for this one."""
        return self.room is None or _bytes_below(self.folder.parent) < self.room


def _solve_cell(
    game: str, arguments: Mapping[str, Any], parameters: Mapping[str, Any], keep: _Keep | None
) -> dict[str, Any]:
    if keep is not None and keep.has_begun:
        run = resume(keep.folder, game=resolve(game, parameters).game)
    elif keep is not None and keep.has_room:
        with made_by(keep.argv, keep.cell):
            run = solve(game, parameters=parameters, output=keep.folder, **arguments)
    else:
        run = solve(game, parameters=parameters, save=False, **arguments)
    document: dict[str, Any] = run.to_json()
    return {name: document[name] for name in _KEPT}


def _is_sound(document: Mapping[str, Any]) -> bool:
    """Whether all that is kept of a run is a number, or unknown."""
    entries = Entries(document)
    for name in _KEPT:
        if document.get(name) is not None:
            entries.number(name, at_least=0.0 if name in _AMOUNTS else -math.inf)
    iterations = document.get("iterations")
    return not entries.flaws and (iterations is None or isinstance(iterations, int))


def _bytes_below(folder: Path) -> int:
    """Return the size of the files of all runs in a folder."""
    return sum(path.lstat().st_size for path in folder.glob("*/*"))


def _cell(
    values: Mapping[str, str], common: Mapping[str, Any], parameters: Mapping[str, Any]
) -> _Cell:
    """Return the run with these values, converted to the types of what they name."""
    method = values.get("method", common.get("method", DEFAULT_METHOD))
    if method not in METHODS:
        raise UnknownName.among("method", method, METHODS.names())
    types = {"method": str, "seed": int, **_STOPS}
    types |= {option.name: option.type for each in METHODS.values() for option in each.takes}
    named: dict[str, Any] = {}
    arguments, own = dict(common), dict(parameters)
    for name, text in values.items():
        if name in types:
            named[name] = arguments[name] = _converted(name, text, types[name])
        else:
            named[name] = own[name] = text
    return _Cell(named, arguments, own)


def _converted(name: str, text: str, kind: type) -> Any:
    try:
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        return _NUMBERS[kind].parse(name, text) if kind in _NUMBERS else text
    except (InvalidOption, KeyError):
        words = {int: "an integer", float: "a number", bool: "true or false"}[kind]
        raise InvalidOption.of("grid", f"{name}={text}", f"{name} takes {words}") from None


def _name(number: int) -> str:
    return f"{number:05d}"


def _folder_name(number: int, cell: _Cell) -> str:
    """Return the name of a run's folder: the number, and the values of the axes."""
    values = (re.sub(r"[^A-Za-z0-9.+_-]+", "-", str(value)) for value in cell.named.values())
    return "-".join([f"{number:02d}", *values])[:_LONGEST_NAME]


def _limit(found: Any) -> int:
    """Return a limit of grid.json."""
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise ValueError(f"a limit is {found!r}")
    return found


def _read_work(folder: Path) -> _Work:
    asked = Store(GRID, folder).asked()
    try:
        work = _Work(asked)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(
            f"{shown(folder)}/{GRID.file_name} is damaged ({shortened(str(error))})"
        ) from error
    work.verify()
    return work


def _watch_nothing(done: int, count: int, folder: Path) -> None:
    del done, count, folder
