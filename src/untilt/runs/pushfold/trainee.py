"""The push/fold learner as a solver: iterations are hands, chips are big blinds.

It ends only between two batches, unless the hands of its stop fall inside one. A training that was
stopped and continued therefore has the same bits as one that never stopped.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from untilt.errors import FormatError
from untilt.evaluation.best_response import Evaluation, evaluate_plans
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.formats.base.container import Array
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.strategy.snapshot import SequenceSnapshot
from untilt.games.pushfold.form import build_form
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.learner import MAX_HANDS, RegretLearner, batch_at, end_of_batch
from untilt.numeric.arrays import Floats
from untilt.runs.stop import Stop
from untilt.solvers.moments import next_moment
from untilt.solvers.progress import Progress
from untilt.solvers.saved_state import array_of

_LOOK_SECONDS = 0.1
"""Roughly how long hands are played between two checks of the clock and of Ctrl-C."""
_FIRST_LOOK = 100_000
_FIRST_MARK = 1_000


class Mark(NamedTuple):
    """The quality of the strategy at one of 1, 2, 5, 10 … thousand hands, or at the end."""

    hands: int
    seconds: float
    exploitability_mbb: float
    value_bb: float


@dataclass(frozen=True)
class TrainingProgress(Progress):
    """The progress of a training; every one has an evaluation."""

    is_mark: bool = False
    """Whether it is one of 1, 2, 5, 10 … thousand hands, or the last."""
    is_kept: bool = False
    """Whether the log gets a row. Looks at the clock get none: the log must not depend on it."""

    @property
    def is_moment(self) -> bool:
        """Whether it is one of the moments that are kept."""
        return self.is_kept

    @property
    def mark(self) -> Mark:
        """How good the strategy is."""
        found = self.evaluation
        assert found is not None
        assert self.iteration is not None
        return Mark(self.iteration, self.seconds, 1e3 * found.exploitability, found.value)


@dataclass
class Trainee:
    """A learner with everything that its checkpoints hold."""

    learner: RegretLearner
    stop: Stop = field(default_factory=Stop)
    is_recorded: bool = False
    """Whether there is a log, which has more moments; what is learnt stays the same."""
    seconds: float = 0.0
    """Time spent playing."""
    num_moments: int = 0
    """How many moments have been kept."""
    marks: list[Mark] = field(default_factory=list)
    has_played: bool = False
    """Whether any hand has been played since it was made or restored."""

    def __post_init__(self) -> None:
        self.form: SequenceForm = build_form(Stakes(self.learner.settings.stack))
        self._look = _FIRST_LOOK

    @property
    def iteration(self) -> int:
        """Hands played."""
        return self.learner.hands

    @property
    def is_at_moment(self) -> bool:
        """Whether the strategy must be measured to know whether the end is reached."""
        return False

    def warm_up(self) -> None:
        """Compile the kernels without playing a hand."""
        self.learner.warm_up()

    def progress(self, until: int | None = None) -> Iterator[TrainingProgress]:
        """Play to the stop; yield at marks, at moments, and between them to look at the clock."""
        while not self._is_reached():
            self._play(until)
            yield self.measure(is_last=self._is_reached())
        if not self.marks:
            yield self.measure(is_last=True)

    def outcome(self) -> dict[str, Any]:
        """Return nothing: the strategy is all."""
        return {}

    def measure(self, *, is_last: bool) -> TrainingProgress:
        """Measure the strategy that would play the next hand, and note it if it is a mark."""
        hands, found = self.iteration, self.evaluate()
        # The first end of a batch at or after a mark or moment counts as that mark or moment.
        before = hands - batch_at(max(hands - 1, 0), self.learner.settings.batch)
        is_mark = next_mark(before) <= hands or is_last
        is_kept = is_mark or next_moment(max(before, 0)) <= hands
        now = TrainingProgress(
            *(hands, self.seconds, found, None),
            moment=self.num_moments,
            is_mark=is_mark,
            is_kept=is_kept,
        )
        self.num_moments += is_kept
        if is_mark:
            self.marks.append(now.mark)
        return now

    def _is_reached(self) -> bool:
        return self.stop.is_reached(self.iteration, self.seconds, None)

    def _play(self, until: int | None) -> None:
        """Play to the next moment or clock check, in whole batches except at the end."""
        learner = self.learner
        stop = min(next_mark(learner.hands), learner.hands + self._look)
        if self.is_recorded:
            stop = min(stop, next_moment(learner.hands))
        end = end_of_batch(stop, learner.settings.batch)
        end = end if until is None else min(end, until)
        count = end - learner.hands
        begin = time.perf_counter()
        learner.advance(end)
        spent = time.perf_counter() - begin
        self.seconds += spent
        self.has_played = True
        # Changed by at most a factor of 2: one slow interval says little.
        ideal = count * _LOOK_SECONDS / max(spent, 1e-9)
        self._look = int(min(max(ideal, self._look / 2, 1_000), self._look * 2))

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


def next_mark(hands: int) -> int:
    """Return the first of 1, 2, 5, 10, 20, 50 … thousand that is greater than `hands`."""
    power = _FIRST_MARK
    while 5 * power <= hands:
        power *= 10
    return next(mark for mark in (power, 2 * power, 5 * power) if mark > hands)
