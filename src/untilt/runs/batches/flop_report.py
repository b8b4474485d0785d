"""The same spot solved on many flops, flop by flop and in several processes.

The process that was started writes all files; others only solve. A flop is written when it is
done, so whatever ends the work, at most the flops in progress are lost.
"""

import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilt import __version__
from untilt.errors import Argument, FormatError, InvalidOption
from untilt.formats.base.files import path_of, remove_leftovers, shown
from untilt.formats.base.lock import FolderLock
from untilt.formats.base.store import REPORT, Store
from untilt.formats.run.run_command import maker
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.flop_rows import flop_document, report_flops, verify_flop_line
from untilt.games.holdem.solutions.flops import FlopChoice, choose_flops
from untilt.games.holdem.solutions.report import Report
from untilt.games.holdem.spots.locks import is_merged_for
from untilt.games.holdem.spots.noise import Noise
from untilt.games.holdem.spots.spot import MAX_BYTES, Spot
from untilt.games.text_file import read_text
from untilt.policy.saved.report_folder import (
    ReportRequest,
    damaged_request,
    read_request,
)
from untilt.runs.batches.pool import Pool, pool_of
from untilt.runs.folder import create_folder
from untilt.runs.solve import solve as solve_spot
from untilt.runs.spots.spot_request import request_of, stop_for
from untilt.solvers.public_tree.methods import NOISE, method_for
from untilt.toml_text import parse_toml

_ANY_FLOP = "2c7dKh"
"""Stands for the board in a file without one."""


@dataclass(frozen=True)
class FlopStatus:
    """The progress of a report."""

    done: int
    """Flops that are solved, those of earlier calls included."""
    count: int
    last: str | None = None
    """The flop solved last."""
    seconds_left: float | None = None
    """None before the first flop of this call is solved."""
    folder: Path | None = None


FlopWatcher = Callable[[FlopStatus], None]
"""Called before the first flop and after each."""


@dataclass(frozen=True)
class FlopReport:
    """A report over flops, finished or not."""

    path: Path
    spot: Spot
    """The spot, on the first of the flops."""
    choice: FlopChoice
    documents: Mapping[str, Mapping[str, Any]]
    """What was found, by flop."""
    target: float | None
    """The requested exploitability, in chips."""

    @property
    def num_missing(self) -> int:
        """Flops that are not solved yet."""
        return len(self.choice.flops) - len(self.documents)

    @property
    def num_missed(self) -> int:
        """Flops whose solution did not reach the target."""
        if self.target is None:
            return 0
        found = (each["exploitability"] for each in self.documents.values())
        return sum(not exploitability <= self.target for exploitability in found)

    def at(self, line: str = "") -> Report:
        """Return the report of a line of the flop; nothing is solved again."""
        return report_flops(self.spot, self.choice, self.documents, line)


def report_spot(
    spot: Spot,
    flops: str | int | Sequence[str],
    *,
    method: str | None = None,
    iterations: int | None = None,
    target: str | float | None = None,
    time: float | None = None,
    output: str | Path | None = None,
    processes: int = 1,
    pool: Pool | None = None,
    line: str = "",
    watcher: FlopWatcher | None = None,
    **options: Any,
) -> FlopReport:
    """Solve a spot on many flops, whatever its own board is, and return the report.

    `flops` are `all`, a number, or a list; see `choose_flops`. The stops apply to each flop. `line`
    is only checked, before anything is solved. A `pool` takes the place of `processes`.
    """
    if not is_merged_for(spot):
        raise InvalidOption(
            "a lock names suits or a card, which other flops do not have: use hands such as AKs, "
            "or give no ",
            Argument("flops"),
        )
    chosen = method_for(method, options)
    if options.get(NOISE.name) is not None:  # as text, which a file can keep
        options = {**options, NOISE.name: Noise.parse(options[NOISE.name]).text}
    choice = choose_flops(spot.ranges, flops)
    wanted = flops if isinstance(flops, str | int) else list(flops)
    asked = {
        "untilt": __version__,
        **maker(),
        "spot": {
            **spot.replaced(board=choice.flops[0].cards).to_dict(),
            # Also hands that the first flop excludes: other flops do not.
            "ranges": dict(zip(SEATS, map(str, spot.ranges), strict=True)),
        },
        "flops": wanted,
        "method": chosen,
        "options": dict(options),
        "stop": {"iterations": iterations, "target": target, "time": time},
        "boards": [flop.name for flop in choice.flops],
        "weights": [flop.weight for flop in choice.flops],
        "words": choice.words,
    }
    work = _Work(ReportRequest.of(asked, choice))
    verify_flop_line(work.request.spot, line)
    workers = pool or pool_of(processes)
    folder = create_folder(None if output is None else path_of(output), "report", "flops")
    with FolderLock(folder):
        Store(REPORT, folder).begin(asked)
        return work.run(folder, workers, watcher)


def resume_report(
    path: str | Path,
    *,
    processes: int = 1,
    pool: Pool | None = None,
    watcher: FlopWatcher | None = None,
) -> FlopReport:
    """Solve the flops that a report lacks, and return it."""
    folder = path_of(path)
    work = _read_work(folder)
    workers = pool or pool_of(processes)
    with FolderLock(folder):
        remove_leftovers(Store(REPORT, folder).parts)
        return work.run(folder, workers, watcher)


def load_report(path: str | Path) -> FlopReport:
    """Return a report with the flops that are solved."""
    folder = path_of(path)
    return _read_work(folder).found(folder)


def is_report_folder(path: Path) -> bool:
    """Whether a path is the folder of a report over flops."""
    return Store(REPORT, path).exists


def read_spot_of_flops(path: Path) -> Spot:
    """Return the spot of a file whose board does not matter, and may be missing."""
    text = read_text(path, MAX_BYTES)
    try:
        return Spot.from_dict({"board": _ANY_FLOP, **parse_toml(text, "the spot")})
    except FormatError as error:
        raise FormatError(f"{shown(path)}: ", *error.args) from None


class _Work:
    """The checked request of a report."""

    def __init__(self, request: ReportRequest) -> None:
        self.request = request
        self.options: dict[str, Any] = dict(request.options)
        stop = stop_for(request.method, request.spot.pot, *request.stop.values())
        request_of(request.spot, request.method, self.options, stop)
        self.target = None if stop.is_default else stop.target

    def found(self, folder: Path) -> FlopReport:
        """Return the report with what is solved so far."""
        asked = self.request
        documents = asked.documents(folder)
        return FlopReport(folder, asked.spot, asked.choice, documents, self.target)

    def run(self, folder: Path, pool: Pool, watcher: FlopWatcher | None) -> FlopReport:
        """Solve what is missing."""
        asked = self.request
        done = set(asked.documents(folder))
        missing = [flop.name for flop in asked.choice.flops if flop.name not in done]
        watch = watcher or _watch_nothing
        count = len(asked.choice.flops)
        watch(FlopStatus(len(done), count, folder=folder))
        began = clock.monotonic()
        files = Store(REPORT, folder)
        for number, (name, document) in enumerate(self._solved(missing, pool), start=1):
            files.write(name, asked.fingerprint, document)
            left = (clock.monotonic() - began) / number * (len(missing) - number)
            watch(FlopStatus(len(done) + number, count, name, left, folder))
        return self.found(folder)

    def _solved(self, flops: Sequence[str], pool: Pool) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each flop with what was found, in any order."""
        if pool.size > 1 and not self.options.get("threads"):
            self.options["threads"] = 1  # the result does not depend on it
        for number, document in pool.each(_solve, [(self, flop) for flop in flops]):
            yield flops[number], document

    def solve(self, flop: str) -> dict[str, Any]:
        """Return what is found on a flop."""
        asked = self.request
        spot = asked.spot.replaced(board=flop)
        solution = solve_spot(spot, asked.method, save=False, **asked.stop, **self.options)
        return flop_document(solution)


def _solve(work: _Work, flop: str) -> dict[str, Any]:
    return work.solve(flop)


def _read_work(folder: Path) -> _Work:
    request = read_request(folder)
    try:
        return _Work(request)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise damaged_request(folder, error) from error


def _watch_nothing(status: FlopStatus) -> None:
    del status
