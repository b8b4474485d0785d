"""The push/fold learner in the terms of a run: iterations are hands, chips are big blinds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from untilt.errors import FormatError, UntiltError
from untilt.evaluation.best_response import Evaluation, evaluate_plans
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.formats.container import Array
from untilt.formats.entries import damaged
from untilt.formats.run_file import FILE_NAME
from untilt.game.sequence_form import SequenceForm
from untilt.game.snapshot import SequenceSnapshot
from untilt.games.pushfold.form import build_form
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.games.pushfold.learner import MAX_HANDS, RegretLearner, Settings
from untilt.numeric.arrays import Floats
from untilt.runs.request import RunRequest, TrainingRequest
from untilt.runs.stop import Stop
from untilt.runs.training_start import options_of, settings_from
from untilt.solvers.saved_state import array_of

METHOD = "pushfold-learner"
"""The method of a training in run.json."""


def request_of(settings: Settings, stop: Stop) -> TrainingRequest:
    """Return the request of a training."""
    options = options_of(settings)
    for name in ("stack", "seed"):
        del options[name]
    return TrainingRequest(
        game="pushfold",
        title="Push/Fold Hold'em",
        reference="pushfold",
        parameters=PushFold(Stakes(settings.stack)).parameters,
        method=METHOD,
        options=options,
        stop=stop,
        horizon=stop.iterations,
        seed=settings.seed,
        terms=PushFold.terms,
    )


def settings_of(folder: Path, request: RunRequest) -> Settings:
    """Return the settings of the training in `folder`; raise FormatError if they are invalid."""
    try:
        given = {"stack": request.parameters["stack"], "seed": request.seed, **request.options}
        return settings_from(given)
    except (KeyError, TypeError, ValueError, UntiltError) as error:
        raise damaged(folder / FILE_NAME, f"the settings of the training: {error}") from error


@dataclass
class Trainee:
    """A learner with everything that its checkpoints hold."""

    learner: RegretLearner
    form: SequenceForm
    seconds: float = 0.0
    """Time spent playing."""
    num_moments: int = 0
    """How many moments have been recorded."""

    @classmethod
    def of(cls, learner: RegretLearner) -> "Trainee":
        """Return the trainee that starts with `learner`."""
        return cls(learner, build_form(Stakes(learner.settings.stack)))

    @property
    def iteration(self) -> int:
        """Hands played."""
        return self.learner.hands

    def evaluate(self) -> Evaluation:
        """Return value and best-response gains of the current strategy, in big blinds."""
        return evaluate_strategy(self.form, self.learner.probabilities())

    def snapshot(self) -> SequenceSnapshot:
        """Return the current strategy as a run shows it."""
        return sequence_snapshot(
            self.form.infosets, _behaviours(self.learner.probabilities()), self.form
        )

    def state(self) -> dict[str, Array]:
        """Return the arrays that `restore` takes."""
        return {
            "codes": self.learner.codes.astype(np.int64),
            "is_cut": self.learner.is_cut.astype(np.uint8),
            "hands": np.array([self.learner.hands], dtype=np.int64),
            "moments": np.array([self.num_moments], dtype=np.int64),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from `state`; raise FormatError if it does not fit this learner."""
        settings = self.learner.settings
        codes = array_of(state, "codes", (settings.num_regrets,), np.int64)
        is_cut = array_of(state, "is_cut", (settings.num_regrets,), np.uint8)
        hands = int(array_of(state, "hands", (1,), np.int64)[0])
        moments = int(array_of(state, "moments", (1,), np.int64)[0])
        low, high = settings.code.limits
        if not (0 <= hands < MAX_HANDS and 0 <= moments <= hands):
            raise FormatError(f"it has {hands} hands and {moments} moments")
        if not ((low <= codes) & (codes <= high)).all():
            raise FormatError("a regret is too large for its integer")
        self.learner = RegretLearner(
            settings, codes, hands, self.learner.threads, is_cut.astype(np.bool_)
        )
        self.num_moments = moments


def evaluate_strategy(form: SequenceForm, probabilities: Floats) -> Evaluation:
    """Return value and best-response gains, in big blinds, for [2, 169] probabilities to act."""
    return evaluate_plans(form, form.plans(_behaviours(probabilities)))


def _behaviours(probabilities: Floats) -> tuple[Floats, Floats]:
    """Return the probability of each sequence: the empty one, then fold and act by hand class."""
    first, second = (
        np.concatenate(([1.0], np.stack((1.0 - acting, acting), axis=1).ravel()))
        for acting in probabilities
    )
    return first, second
