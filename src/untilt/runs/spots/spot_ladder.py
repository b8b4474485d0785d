"""`untilt.spots.ladder`: a spot at a ladder of noises, each solved from the one before.

The rungs go from much noise to little: at much noise a spot is solved in a few iterations, and the
strategies there are a good start for the next. Every rung is a run of its own, in a folder of the
ladder's, so the page, `compare` and `show` need to know nothing of ladders.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.display import Cell, html_table, short_number
from untilt.errors import Argument, InvalidOption, RunError, require
from untilt.formats.base.files import path_of, shown
from untilt.formats.run.run_file import FILE_NAME as RUN_FILE
from untilt.formats.run.run_folder import RunFolder
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.noise import Noise, ladder_ends
from untilt.games.holdem.spots.spot import Spot
from untilt.options.run import SAVE
from untilt.options.spot import RUNGS
from untilt.runs.folder import create_folder
from untilt.runs.kinds import SPOT, read_task
from untilt.runs.solve import solve
from untilt.runs.spots.solutions import resume_spot
from untilt.runs.spots.spot_pairs import verify_same_spot
from untilt.runs.watching import Watcher, verified

if TYPE_CHECKING:
    from pandas import DataFrame

DEFAULT_RUNGS = 9
_RUNG = "noise-"
"""Folders of rungs begin with this."""

Watching = Callable[[str], AbstractContextManager[Watcher]]
"""Provides the watcher of the run with a noise."""


@dataclass(frozen=True, eq=False, repr=False)
class NoiseLadder:
    """A spot solved at several noises, the largest first."""

    solutions: tuple[Solution, ...]
    folder: Path | None = None
    """Where the runs are; None if they were not saved."""

    @property
    def spot(self) -> Spot:
        """The spot."""
        return self.solutions[0].spot

    @property
    def noises(self) -> tuple[float, ...]:
        """The noises, as shares of the pot."""
        return tuple(map(_share, self.solutions))

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __getitem__(self, number: int) -> Solution:
        return self.solutions[number]

    def rows(self) -> list[dict[str, Any]]:
        """Return what was found at each noise."""
        return [
            {
                "noise": noise,
                "beta": 1.0 / (noise * self.spot.pot),
                "ev": list(each.ev),
                "exploitability_percent": each.exploitability_percent,
                "residual": None if each.residual is None else each.residual.mean,
                "largest_residual": None if each.residual is None else each.residual.largest,
                "iterations": each.iterations,
                "seconds": each.seconds,
                "run": None if each.path is None else str(each.path),
            }
            for noise, each in zip(self.noises, self.solutions, strict=True)
        ]

    def mixes(self, line: str = "", board: str | None = None) -> list[dict[str, Any]]:
        """Return how often each action is taken at a node, and how often play gets there."""
        nodes = [each.at(line, board=board) for each in self.solutions]
        return [
            {"noise": noise, "reach": node.reach, "frequencies": dict(node.frequencies)}
            for noise, node in zip(self.noises, nodes, strict=True)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the ladder as the object that `untilt spot --ladder --json` prints."""
        return {
            "board": self.spot.board_text,
            "pot": self.spot.pot,
            "folder": None if self.folder is None else str(self.folder),
            "rungs": self.rows(),
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per noise."""
        frame: DataFrame = require("pandas", "to_frame").DataFrame(self.rows())
        return frame

    def __repr__(self) -> str:
        first, last = (f"{100.0 * self.noises[place]:g}%" for place in (0, -1))
        return f"<NoiseLadder of {self.spot.board_text}: {len(self)} noises, {first} to {last}>"

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows: list[list[Cell]] = [
            [
                f"{100.0 * row['noise']:g}%",
                short_number(row["exploitability_percent"], 3),
                *(f"{value:.2f}" for value in row["ev"]),
                row["iterations"],
            ]
            for row in self.rows()
        ]
        header = ("noise", "exploitability, % of the pot", "EV oop", "EV ip", "iterations")
        return html_table(f"{self.spot.board_text} by noise", rows, header=header)


def ladder(
    spot: Spot | Solution,
    noises: str | Sequence[str] = "20%..1%",
    *,
    rungs: int | None = None,
    output: str | Path | None = None,
    save: bool = True,
    watcher: Watcher | None = None,
    **options: Any,
) -> NoiseLadder:
    """Return a spot solved at a ladder of noises, the same for both players.

    `noises` are the ends, such as `"20%..1%"`, between which `rungs` are spread evenly by ratio (9
    by default), or the noises themselves. Each is solved from the one before, the first from
    `spot` if that is a solution, whose locks are kept. `options` are those of `untilt.solve`:
    target, target_max, iterations, time, threads, precision. The runs are saved in folders of
    `output`, by default runs/spot-{board}-ladder-{n}, unless `save` is False; those that `output`
    already has are continued, or only loaded if they were finished.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> found = untilt.spots.ladder(river, "40%..10%", rungs=3, save=False)
    >>> found.noises
    (0.4, 0.2, 0.1)
    """
    watch = verified(watcher)
    return watched_ladder(
        spot, rung_noises(noises, rungs), lambda _: nullcontext(watch), output, save=save, **options
    )


def watched_ladder(
    spot: Spot | Solution,
    texts: Sequence[str],
    watching: Watching,
    output: str | Path | None = None,
    *,
    save: bool = True,
    **options: Any,
) -> NoiseLadder:
    """Return the ladder of these noises; `watching` provides the watcher of each run."""
    start = spot if isinstance(spot, Solution) else None
    subject = spot.spot if isinstance(spot, Solution) else spot
    if not isinstance(subject, Spot):
        raise InvalidOption.of("spot", spot, "give an untilt.Spot or a solution of one")
    for name in ("noise", "beta", "start"):
        if name in options:
            raise InvalidOption(
                "a ladder has its own noises and starts: leave out ", Argument(name)
            )
    SAVE.verify(save)
    for text in texts:
        Noise.parse(text).betas(subject.pot)
    folder = None
    if save:
        folder = _folder(subject, None if output is None else path_of(output))
    found: list[Solution] = []
    for text in texts:
        place = None if folder is None else folder / f"noise-{text.removesuffix('%')}"
        with watching(text) as watcher:
            if place is not None and RunFolder(place).run_file.exists():
                found.append(_continued(place, subject, text, options, watcher))
            else:
                before = found[-1] if found else start
                given = {**options, "noise": text, "start": before, "watcher": watcher}
                found.append(solve(subject, output=place, save=save, **given))
    return NoiseLadder(tuple(found), folder)


def holds_ladder(folder: Path) -> bool:
    """Whether a folder is that of a ladder."""
    return not RunFolder(folder).run_file.exists() and bool(_rungs(folder))


def load_ladder(folder: str | Path) -> NoiseLadder:
    """Return the ladder in a folder, as far as it has been solved.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> saved = untilt.spots.ladder(river, "40%..10%", rungs=3)
    >>> len(untilt.spots.load_ladder(saved.folder))
    3
    """
    path = path_of(folder)
    read = [read_task(place, SPOT) for place in _rungs(path)]
    found = [each for task, record in read if (each := SPOT.finished(task, record)) is not None]
    if not found or any(each.noise is None for each in found):
        raise RunError(
            f"{shown(path)} has no solved rung of a ladder; untilt spot --ladder 20%..1% makes some"
        )
    verify_same_spot(found)
    return NoiseLadder(tuple(sorted(found, key=_share, reverse=True)), path)


def rung_noises(noises: str | Sequence[str], rungs: int | None = None) -> list[str]:
    """Return the noises of a ladder as texts, the largest first."""
    if not isinstance(noises, str):
        if rungs is not None:
            raise InvalidOption(
                "the noises are given one by one: leave out ", Argument(RUNGS.name, rungs)
            )
        shares = {Noise.parse(each).shares(1.0) for each in noises}
        if not shares or any(first != second for first, second in shares):
            raise InvalidOption.of("noises", noises, "give noises of both players, such as 5%")
        return [_text(share) for share, _ in sorted(shares, reverse=True)]
    RUNGS.verify(rungs)
    low, high = ladder_ends(noises)
    count = rungs or DEFAULT_RUNGS
    step = math.log(low / high) / (count - 1)
    found = dict.fromkeys(_text(_rounded(high * math.exp(step * rung))) for rung in range(count))
    return list(found)


def _rungs(folder: Path) -> list[Path]:
    """Return the runs of a ladder."""
    return sorted(file.parent for file in folder.glob(f"{_RUNG}*/{RUN_FILE}"))


def _share(solution: Solution) -> float:
    return _noise(solution).shares(solution.spot.pot)[0]


def _rounded(share: float) -> float:
    """Return a share with three digits: names of noises should be short."""
    return float(f"{share:.3g}")


def _text(share: float) -> str:
    return f"{100.0 * share:.12g}%"


def _folder(spot: Spot, output: Path | None) -> Path:
    """Return the folder of the ladder, a new one unless it is given and has some of its runs."""
    if output is not None and output.is_dir() and _rungs(output):
        return output
    return create_folder(output, "spot", f"{spot.board_text}-ladder")


def _continued(
    place: Path, spot: Spot, text: str, options: dict[str, Any], watcher: Watcher
) -> Solution:
    """Return the run of a rung that was begun before; raise RunError if it is another's."""
    task, record = read_task(place, SPOT)
    if task.subject.spot != spot or task.options.get("noise") != text:
        raise RunError(
            f"{shown(place)} is not this spot with noise {text}; choose another ",
            Argument("output"),
        )
    finished = SPOT.finished(task, record)
    if finished is not None:
        return finished
    stops = ("iterations", "target", "time", "target_max", "threads", "cluster")
    kept = {name: value for name, value in options.items() if name in stops}
    return resume_spot(place, watcher=watcher, **kept)


def _noise(solution: Solution) -> Noise:
    assert solution.noise is not None
    return solution.noise
