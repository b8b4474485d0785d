"""One run folder as a source; only what has changed is read again.

A folder may be written while it is read, may be damaged, and may come from a stranger. What is
wrong with it is shown as its `problem`, and never prevents other runs from being shown.
"""

import datetime
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from untilt.dashboard.nodes.infoset_table import InfosetTable
from untilt.dashboard.sources.bounded_cache import BoundedCache
from untilt.dashboard.sources.progress_points import sparkline, thinned_rows, turning_points
from untilt.dashboard.sources.reading import Stamp, WatchedFile, stamp_of
from untilt.dashboard.sources.run_facts import read_run, read_short_result
from untilt.dashboard.sources.source import (
    FinalStrategy,
    FrameInfo,
    Holdings,
    Json,
    NotAvailable,
    RunFrames,
)
from untilt.dashboard.view import may_show
from untilt.dashboard.views import views_of
from untilt.dashboard.views.noise import spot_summary
from untilt.errors import FormatError, UntiltError
from untilt.formats.base.container import open_container
from untilt.formats.base.files import json_bytes
from untilt.formats.kinds.blueprint_path import BLUEPRINT_KIND
from untilt.formats.kinds.blueprint_path import FILE_NAME as BLUEPRINT_FILE
from untilt.formats.kinds.strategy_file import read_stored_strategy
from untilt.formats.run.compiled_game import read_game_facts, read_names
from untilt.formats.run.frames import FramesFile
from untilt.formats.run.progress_reader import ProgressFeed
from untilt.formats.run.run_file import USUAL_KIND, kinds_of_runs
from untilt.formats.run.run_folder import RunFolder
from untilt.formats.run.run_label import FILE_NAME as LABEL_FILE
from untilt.formats.run.run_label import RunLabel, read_label, write_label
from untilt.game.terms import Terms
from untilt.games.recipe import Recipe, changed_parameters
from untilt.number import finite
from untilt.policy.saved.saved_run import terms_of_run

if TYPE_CHECKING:
    from untilt.formats.run.result_file import RunResult
    from untilt.formats.run.run_file import RunRecord

SPARKLINE_POINTS = 40

_log = logging.getLogger(__name__)

T = TypeVar("T")


class ServedRun:
    """The run in `folder`; `name` is its path below the served folder, used in messages."""

    def __init__(self, folder: Path, run_id: str, name: str, cache: BoundedCache) -> None:
        self.id = run_id
        self.name = name
        self.folder = folder
        self._cache = cache
        self._lock = RLock()
        self._files = files = RunFolder(folder)
        self._run = WatchedFile(files.run_file, read_run)
        self._result = WatchedFile(files.result_file, read_short_result)
        self._game = WatchedFile(files.game_file, read_game_facts)
        self._frames = WatchedFile(files.frames_file, FramesFile)
        self._frames_header = WatchedFile(files.frames_file, _read_header("frames"))
        self._strategy_header = WatchedFile(files.strategy_file, _read_header("strategy", "public"))
        self._sweep_header = WatchedFile(files.sweep_file, _read_header("sweep"))
        self._blueprint_header = WatchedFile(folder / BLUEPRINT_FILE, _read_header(BLUEPRINT_KIND))
        self._label = WatchedFile(folder / LABEL_FILE, read_label)
        self._damage: dict[Path, tuple[Stamp | None, str]] = {}
        self._outline: tuple[object, Json | None, list[float], bool] | None = None

    @property
    def shown_folder(self) -> str:
        """Path of its folder, as the user gave the served folder."""
        return as_utf8(str(self.folder))

    @property
    def progress_path(self) -> Path:
        """Path of `progress.jsonl`."""
        return self._files.progress_file

    def status(self) -> str:
        """Return `running`, `finished` or `interrupted`, even if files are damaged."""
        return self._files.status()

    def summary(self) -> Json:
        """Return its `RunSummary`, even if files are damaged; it can always be sent."""
        try:
            summary = self._read_summary()
            json_bytes(summary)
        except Exception as error:
            # Show the other runs, and this one with its problem.
            _log.exception("%s cannot be summarized", self.name)
            return self._summary([f"it cannot be shown ({type(error).__name__}); please report it"])
        return summary

    def _read_summary(self) -> Json:
        with self._lock:
            problems: list[str] = []

            def attempt(read: Callable[[], T]) -> T | None:
                try:
                    return read()
                except (UntiltError, OSError) as error:
                    problems.append(self.message(error))
                    return None

            run = attempt(self._run.get)
            if run is None and not problems:
                problems.append("run.json is gone; was the run removed?")
            game = attempt(lambda: self._sound(self._game))
            has_frames = attempt(lambda: self._sound(self._frames_header)) is not None
            has_strategy = attempt(lambda: self._sound(self._strategy_header)) is not None
            attempt(lambda: self._sound(self._sweep_header))
            has_blueprint = attempt(lambda: self._sound(self._blueprint_header)) is not None
            attempt(self._result.get)
            last, curve, is_branch = attempt(self._read_outline) or (None, [], False)
            solved = attempt(lambda: spot_summary(run))
            held = Holdings(has_rows=last is not None)
            if run is not None:
                held = Holdings(
                    record=run,
                    terms=terms_of_run(run),
                    game=game,
                    has_rows=last is not None,
                    is_branch=is_branch,
                    has_strategy=game is not None and (has_frames or has_strategy),
                    has_sweep=self._files.sweep_file.exists(),
                    has_solution=may_show(run, "spot") and has_strategy,
                    has_blueprint=may_show(run, "chart") and has_blueprint,
                )
            return self._summary(problems, run) | {
                "infosets": None if game is None else game.num_infosets,
                "views": views_of(held),
                "last": last,
                "sparkline": curve,
                "spot": solved,
            }

    def _summary(self, problems: Sequence[str], run: "RunRecord | None" = None) -> Json:
        """Return a `RunSummary` with the facts of `run`, without views."""
        terms = Terms() if run is None else terms_of_run(run)
        kind = USUAL_KIND if run is None else run.kind
        return {
            "id": self.id,
            "name": self.name,
            "kind": kind,
            "steps": kinds_of_runs()[kind].steps,
            "game": "" if run is None else run.game,
            "title": self.name if run is None else run.title,
            "method": "" if run is None else run.method,
            "parameters": {} if run is None else run.parameters,
            "changed": {} if run is None else changed_parameters(_recipe(run)),
            "status": "damaged" if problems else self.status(),
            "problem": problems[0] if problems else None,
            "created": None if run is None else run.created,
            "unit": terms.unit,
            "terms": terms.to_json(),
            "infosets": None,
            "views": [],
            "last": None,
            "sparkline": [],
            "spot": None,
            "label": self._shown_label().to_json(),
        }

    def _shown_label(self) -> RunLabel:
        """Return what its user calls it; a label that cannot be read is none."""
        try:
            return self._label.get() or RunLabel()
        except (UntiltError, OSError):
            return RunLabel()

    def set_label(self, label: RunLabel) -> None:
        """Keep what its user calls it in its folder."""
        self.record()  # raises if it is no longer a run
        with self._lock:
            write_label(self.folder / LABEL_FILE, label)

    def record(self) -> "RunRecord":
        """Return the content of `run.json`: what the run was asked to do."""
        with self._lock:
            run = self._run.get()
        if run is None:
            raise NotAvailable(f"{self.name} is no longer a run (run.json is gone)")
        return run

    def asked(self) -> Json:
        """Return options, seed and stop as in `RunDetail`."""
        run = self.record()
        stop = run.stop
        return {
            "options": run.options,
            "seed": run.seed,
            "stop": {
                "iterations": stop.iterations,
                "target": stop.target,
                "seconds": stop.seconds,
            },
        }

    def progress(self, num_points: int) -> Json:
        """Return its `ProgressPage`."""
        with self._lock:
            feed = self._feed()
            positions = thinned_rows(feed, num_points)
            return {
                "columns": feed.to_columns(positions),
                "offset": feed.offset,
                "total": feed.total,
            }

    def table(self) -> InfosetTable:
        """Return the names of its infosets."""
        with self._lock:
            stamp = stamp_of(self._game.path)
            if self._sound(self._game) is None:
                raise NotAvailable(f"{self.name} has no game.bin, so there is no strategy to show")
            with self._noting_damage(self._game.path):
                return self._cache.get(
                    (self.folder, "table"),
                    stamp,
                    lambda: InfosetTable(*read_names(self._game.path)),
                    lambda table: table.num_bytes,
                )

    def frames(self) -> RunFrames:
        """Return its frames, the final strategy last."""
        with self._lock:
            table, feed = self.table(), self._sound_feed()
            infos: list[FrameInfo] = []
            with self._noting_damage(self._frames.path):
                file = self._frames.get()
                if file is not None:
                    if file.num_sequences != table.num_sequences:
                        raise FormatError("frames.bin and game.bin belong to different games")
                    infos = _infos(file, feed)
            final = self._final(table)
            if final is not None:
                end = self._end(feed)
                if infos and (infos[-1].moment, infos[-1].iteration) >= (
                    end.moment,
                    end.iteration,
                ):
                    # The last frame is the final strategy, rounded.
                    infos.pop()
                infos.append(end)
            return RunFrames(infos, file, final)

    def measured(self, info: FrameInfo) -> tuple[float | None, float | None]:
        """Return value and exploitability of a frame; None if they were not measured."""
        with self._lock:
            feed = self._sound_feed()
            if info.moment < len(feed):
                row = feed.row(info.moment)
                if row["iteration"] == info.iteration:
                    return row["value"], row["exploitability"]
            result = self._sound_result()
            if result is None or result.iterations != info.iteration:
                return None, None
            return result.value, result.exploitability

    def folds(self) -> list[float]:
        """Return the values of beta at which its branch turns."""
        with self._lock:
            result = self._sound_result()
            if result is not None and result.folds is not None:
                return list(result.folds)
            betas = self._sound_feed().column("beta")
            return turning_points(betas[np.isfinite(betas)].tolist())

    def kept(
        self,
        names: Sequence[str],
        load: Callable[[Path], T],
        *,
        missing: str,
        scale: float = 1.0,
        least: int = 0,
    ) -> T:
        """Return what `load` makes of the folder, cached until one of these files changes.

        Raises NotAvailable with the explanation `missing` if the first file does not exist. The
        result is assumed to need `scale` times the size of that file, but at least `least` bytes.
        Damage to a single file is noted.
        """
        with self._lock:
            paths = [self.folder / name for name in names]
            stamps = tuple(stamp_of(path) for path in paths)
            first = stamps[0]
            if first is None:
                raise NotAvailable(f"{self.name} has no {names[0]}, {missing}")
            size = max(int(scale * first[1]), least)
            with self._noting_damage(paths[0]) if len(paths) == 1 else nullcontext():
                return self._cache.get(
                    (self.folder, *names), stamps, lambda: load(self.folder), lambda _: size
                )

    def frames_stamp(self) -> tuple[Stamp | None, Stamp | None]:
        """Return a stamp that changes with new frames; None for files that are missing."""
        try:
            return stamp_of(self._frames.path), stamp_of(self._strategy_header.path)
        except FormatError:
            return None, None

    def message(self, error: Exception) -> str:
        """Return the error as one line that names files relative to the run."""
        return str(error).replace(f"{self.folder}{os.sep}", "").replace(str(self.folder), self.name)

    def age_key(self) -> tuple[str, int]:
        """Return the key that sorts runs by age: when the run was created, then written."""
        with self._lock:
            try:
                changed_ns = self._run.path.lstat().st_mtime_ns
                run = self._run.get()
            except (UntiltError, OSError):
                return "", 0
            if run is not None and run.created is not None:
                return run.created, changed_ns
            try:
                changed = datetime.datetime.fromtimestamp(changed_ns / 1e9, datetime.UTC)
            except (ValueError, OverflowError, OSError):  # a year with more than four digits
                return "", changed_ns
            return changed.isoformat(), changed_ns

    def _sound(self, file: WatchedFile[T]) -> T | None:
        """Return the header of a file; raise FormatError also if its content is known to be bad."""
        said = file.get()
        stamp, damage = self._damage.get(file.path, (None, None))
        if damage is not None and stamp == stamp_of(file.path):
            raise FormatError(damage)
        return said

    @contextmanager
    def _noting_damage(self, path: Path) -> Iterator[None]:
        """Remember a FormatError of the block as damage to this file, until the file changes."""
        stamp = stamp_of(path)
        try:
            yield
        except FormatError as error:
            self._damage[path] = (stamp, str(error))
            raise

    def _feed(self) -> ProgressFeed:
        """Return the progress, brought up to date."""
        key = (self.folder, "progress")

        def make() -> ProgressFeed:
            return ProgressFeed(self.progress_path)

        feed = self._cache.get(key, None, make, lambda feed: feed.num_bytes)
        if stamp_of(self.progress_path) is not None:
            before = feed.num_bytes
            feed.update()
            if feed.num_bytes != before:
                self._cache.get(key, None, lambda: feed, lambda feed: feed.num_bytes)
        return feed

    def _sound_feed(self) -> ProgressFeed:
        """Return the progress, an empty one if it is damaged: other views remain."""
        try:
            return self._feed()
        except FormatError:
            return ProgressFeed(self.progress_path)

    def _sound_result(self) -> "RunResult | None":
        """Return the result, None if it is missing or damaged: other views remain."""
        try:
            return self._result.get()
        except FormatError:
            return None

    def _read_outline(self) -> tuple[Json | None, list[float], bool]:
        """Return the last row, the sparkline, and whether there is a branch.

        Kept separately, so listing many runs does not keep all their rows in memory.
        """
        stamp = stamp_of(self.progress_path)
        if self._outline is None or self._outline[0] != stamp:
            feed = self._feed()
            last = feed.row(-1) if len(feed) else None
            self._outline = (stamp, last, sparkline(feed, SPARKLINE_POINTS), feed.is_branch)
        return self._outline[1:]

    def _final(self, table: InfosetTable) -> FinalStrategy | None:
        game, stamp = self._game.get(), stamp_of(self._strategy_header.path)
        if stamp is None or game is None or self.status() != "finished":
            return None
        path = self._strategy_header.path
        with self._noting_damage(path):
            return self._cache.get(
                (self.folder, "strategy"),
                stamp,
                lambda: FinalStrategy(read_stored_strategy(path, game.fingerprint, table.infosets)),
                lambda final: final.num_bytes,
            )

    def _end(self, feed: ProgressFeed) -> FrameInfo:
        """Return when the final strategy was taken."""
        if not len(feed):
            result = self._sound_result()
            if result is None:
                return FrameInfo(0, 0, 0.0, None)
            return FrameInfo(0, result.iterations or 0, finite(result.seconds) or 0.0, None)
        last = feed.row(-1)
        return FrameInfo(len(feed) - 1, last["iteration"], last["seconds"], last["beta"])


def _recipe(run: "RunRecord") -> Recipe:
    # A sweep has no reference: its game is the registered one of that name.
    return Recipe(run.reference or run.game, run.parameters)


def _infos(file: FramesFile, feed: ProgressFeed) -> list[FrameInfo]:
    rows = feed.rows_of_moments(file.number, file.iteration)
    betas = np.append(feed.column("beta"), np.nan)  # found by index −1
    return [
        FrameInfo(number if row < 0 else row, iteration, seconds, finite(beta))
        for row, number, iteration, seconds, beta in zip(
            rows.tolist(),
            file.number.tolist(),
            file.iteration.tolist(),
            file.seconds.tolist(),
            betas[rows].tolist(),
            strict=True,
        )
    ]


def _read_header(*kinds: str) -> Callable[[Path], bool]:
    """Return a reader that checks everything in a container except the content of its arrays."""

    def read(path: Path) -> bool:
        with open_container(path, *kinds):
            return True

    return read


def as_utf8(name: str) -> str:
    """Return a file name as text that JSON and addresses can hold; it need not be valid UTF-8."""
    return name.encode("utf-8", "replace").decode()
