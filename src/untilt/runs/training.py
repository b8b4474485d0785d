"""Training push/fold, new or continued, with a regret file and a run folder."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np

from untilt.errors import InvalidOption
from untilt.formats.files import path_of, shown
from untilt.formats.run_file import RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.games.pushfold.chart import play_of
from untilt.games.pushfold.learner import (
    MAX_HANDS,
    Settings,
)
from untilt.options.pushfold import HANDS
from untilt.options.run import TIME
from untilt.runs.loading import load_run, read_own_game, recorded_without_checkpoints
from untilt.runs.pace import Pace
from untilt.runs.recorder import Recorder
from untilt.runs.request import TrainingRequest, read_request
from untilt.runs.run import Run
from untilt.runs.stop import Stop
from untilt.runs.trainee import request_of, settings_of
from untilt.runs.training_drive import Moment, MomentWatcher, Training, TrainingDrive
from untilt.runs.training_start import Start, options_of, prepare

DEFAULT_HANDS = 10_000_000
"""Hands in total if neither hands nor time are given."""


def train(
    start: Start,
    *,
    hands: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    path: Path | None = None,
    record: bool = False,
    output: Path | None = None,
    pace: float | None = None,
    watcher: MomentWatcher | None = None,
) -> Training:
    """Play until `hands` hands have been played in total, or for `seconds` seconds.

    The regrets are saved to `path` now and then and at the end. With `record`, a run folder
    (`output`, or runs/pushfold-train-{n}) records the training, and `resume_training` can
    continue it. `pace` slows the training down to take that many seconds, for watching. Raises
    TrainingInterrupted on Ctrl-C, after saving.
    """
    if hands is None and seconds is None:
        hands = DEFAULT_HANDS
    stop = _stop(hands, seconds)
    paced = None if pace is None else Pace(pace, stop, {})
    folder: AbstractContextManager[Recorder] = nullcontext(Recorder())
    if record or output is not None:
        folder = Recorder.create(output, "pushfold", "train")
    with folder as recorder:
        request = request_of(start.settings, stop)
        drive = TrainingDrive(start, request, threads, path, recorder, paced, watcher)
        drive.begin()
        return drive.run()


def resume_training(
    path: str | Path,
    *,
    hands: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    regret_file: Path | None = None,
    pace: float | None = None,
    watcher: MomentWatcher | None = None,
) -> Training:
    """Continue the training in the run folder `path`, bit for bit as if never stopped.

    It keeps its stop unless another one is given; a training that has reached its stop is only
    loaded. The regrets are also saved to `regret_file`, if given. The folder does not name that
    file, because it may come from an untrusted source and must not choose which files are written.
    """
    folder = path_of(path)
    _read_training(folder)  # before anything is written
    with Recorder.reopen(folder) as recorder:
        request, record = _read_training(folder)
        game = read_own_game(folder, record)
        settings = settings_of(folder, request)
        is_changed = hands is not None or seconds is not None
        if is_changed:
            request = replace(request, stop=_stop(hands, seconds))
        paced = None if pace is None else Pace(pace, request.stop, {})
        finished = _finished(folder, request)
        if record.hands_before is None:
            if finished is not None:
                return _loaded(finished, settings, threads)
            raise recorded_without_checkpoints(folder)
        start = prepare(regret_file, options_of(settings))
        drive = TrainingDrive(start, request, threads, regret_file, recorder, paced, watcher, game)
        drive.restore(folder, record.hands_before)
        if is_changed:
            recorder.change_stop(request.stop)
        return drive.run() if finished is None else drive.training()


def read_training(path: str | Path) -> tuple[Settings, Stop]:
    """Return the settings and the stop of the training in the run folder `path`."""
    folder = path_of(path)
    request, _ = _read_training(folder)
    return settings_of(folder, request), request.stop


def _stop(hands: int | None, seconds: float | None) -> Stop:
    HANDS.verify(hands)
    TIME.verify(seconds, "seconds")
    return Stop(None if hands == MAX_HANDS else hands, seconds=seconds)


def _read_training(folder: Path) -> tuple[TrainingRequest, RunRecord]:
    request, record = read_request(folder)
    if not isinstance(request, TrainingRequest):
        raise InvalidOption(
            f"{shown(folder)} is a run of the solver {request.method}, not a training; continue "
            f"it with `untilt solve --resume {shown(folder)}`"
        )
    return request, record


def _finished(folder: Path, request: TrainingRequest) -> Run | None:
    """Return the run if it has reached the stop of `request`."""
    if not RunFolder(folder).result_file.exists():
        return None
    run = load_run(folder)
    return run if request.stop.is_reached(run.iterations, run.seconds, None) else None


def _loaded(run: Run, settings: Settings, threads: int) -> Training:
    """Return a finished training from its run alone."""
    play = play_of(run.profile)
    last = Moment(
        hands=run.iterations or 0,
        seconds=run.seconds,
        exploitability_mbb=1e3 * run.exploitability,
        value_bb=run.value,
        is_mark=True,
        folder=run.path,
    )
    probabilities = np.stack((play.push, play.call))
    return Training(settings, threads, probabilities, (last,), 0, None, run.path, 0)
