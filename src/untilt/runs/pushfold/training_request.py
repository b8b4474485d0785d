"""The task of training push/fold, in memory and in `run.json`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from untilt.errors import InvalidOption, UntiltError
from untilt.formats.base.entries import damaged
from untilt.formats.run.run_file import RunRecord
from untilt.game.terms import Terms
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.games.pushfold.learner import MAX_HANDS, Settings
from untilt.options.option import Options
from untilt.options.pushfold import HANDS
from untilt.options.run import TIME
from untilt.runs.pushfold.training_start import options_of, settings_from
from untilt.runs.stop import Stop
from untilt.runs.task import RunTask, plain_options

METHOD = "pushfold-learner"
"""The method of a training in run.json."""


@dataclass(frozen=True)
class TrainingSubject:
    """Push/fold at one stack, learnt with these settings."""

    settings: Settings
    threads: int = 1
    """They do not change the result, and are not saved."""

    kind: ClassVar[str] = "training"
    game: ClassVar[str] = "pushfold"
    title: ClassVar[str] = "Push/Fold Hold'em"
    reference: ClassVar[str] = "pushfold"
    terms: ClassVar[Terms] = PushFold.terms
    abstraction: ClassVar[None] = None

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The stakes."""
        return PushFold(Stakes(self.settings.stack)).parameters

    def lasting(self, method: str, options: Options) -> Options:
        """Return the options: all change the result."""
        del method
        return options


TrainingTask = RunTask[TrainingSubject]


def request_of(settings: Settings, stop: Stop) -> TrainingTask:
    """Return the task of a training; its iterations are hands."""
    options = options_of(settings)
    for name in ("stack", "seed"):
        del options[name]
    return RunTask(
        TrainingSubject(settings), METHOD, options, stop, settings.seed, horizon=stop.iterations
    )


def training_stop(hands: int | None, seconds: float | None) -> Stop:
    """Return the checked stop of a training: so many hands in all, or seconds."""
    HANDS.verify(hands)
    TIME.verify(seconds, "seconds")
    return Stop(None if hands == MAX_HANDS else hands, seconds=seconds)


def read_training_request(record: RunRecord) -> TrainingTask:
    """Return the checked task that the run.json of a training describes."""
    record.verify(
        *("format", "title", "reference", "parameters", "method", "options", "stop"),
        *("horizon", "seed", "fingerprint", "terms"),
    )
    assert record.seed is not None
    try:
        options = plain_options(record.options)
    except InvalidOption as error:
        raise damaged(record.path, str(error)) from error
    try:
        given = {"stack": record.parameters["stack"], "seed": record.seed, **options}
        settings = settings_from(given)
    except (KeyError, TypeError, ValueError, UntiltError) as error:
        raise damaged(record.path, f"the settings of the training: {error}") from error
    return RunTask(
        TrainingSubject(settings),
        record.method,
        options,
        Stop(**asdict(record.stop)),
        record.seed,
        record.horizon,
    )
