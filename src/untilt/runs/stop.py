"""The end of a run, and the time that is left until then."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from untilt.durations import shown_duration
from untilt.errors import Argument, InvalidOption
from untilt.formats.run.run_file import Bounds
from untilt.options.run import ITERATIONS, TARGET, TIME
from untilt.solvers.methods import Method
from untilt.solvers.progress import Progress

DEFAULT_TARGET = 1e-6
DEFAULT_SECONDS = 60.0

_RESIDUALS = 3
"""The last measurements of a residual from which its fall is estimated."""


@dataclass(frozen=True)
class Stop(Bounds):
    """The end of a run: at the first of its bounds."""

    def is_reached(
        self,
        iteration: int | None,
        seconds: float,
        exploitability: float | None,
        residuals: tuple[float, float] | None = None,
    ) -> bool:
        """Whether a run ends here; `exploitability` is None if it was not measured.

        `residuals`, of quantal response, are the mean and the largest; all that have a bound must
        have reached it.
        """
        if residuals is not None and self.bounds_residual:
            bounds = self.residual, self.largest_residual
            pairs = zip(residuals, bounds, strict=True)
            if all(bound is None or found <= bound for found, bound in pairs):
                return True
        if self.target is not None and exploitability is not None and exploitability <= self.target:
            return True
        if self.seconds is not None and seconds >= self.seconds:
            return True
        return iteration is None or (self.iterations is not None and iteration >= self.iterations)

    @property
    def bounds_residual(self) -> bool:
        """Whether a residual ends the run."""
        return self.residual is not None or self.largest_residual is not None

    def resumed_words(
        self, iteration: int | None, seconds: float, exploitability: float | None
    ) -> str:
        """Return where a resumed run stands and where it ends: bounds count from its beginning."""
        if iteration is None:
            return "nothing to do: the run has come to its end"
        bounds = [] if self.iterations is None else [f"{self.iterations:,} iterations"]
        bounds += [] if self.target is None else [f"exploitability {self.target:g}"]
        bounds += [] if self.residual is None else [f"residual {self.residual:g}"]
        if self.largest_residual is not None:
            bounds.append(f"largest residual {self.largest_residual:g}")
        bounds += [] if self.seconds is None else [shown_duration(self.seconds)]
        done = f"{iteration:,} iterations in {shown_duration(seconds)}"
        if not bounds:
            return f"continuing after {done}"
        end = f"{' or '.join(bounds)} in all"
        if self.is_reached(iteration, seconds, exploitability):
            return f"nothing to do after {done}: the end is {end}"
        return f"continuing after {done}, up to {end}"

    def share_to_target(self, first: float, now: float) -> float:
        """Return the share of the way from the `first` exploitability to the target, 0–1.

        The share is logarithmic, like the fall of exploitability. It is 0 if there is no target, or
        if `first` is already below it.
        """
        return _logarithmic_share(first, now, self.target)

    def share_to_residual(self, first: float, now: float) -> float:
        """Return the same of the mean residual of quantal response."""
        return _logarithmic_share(first, now, self.residual)

    def seconds_left(
        self, now: Progress, measured: Sequence[Progress], rate: float
    ) -> float | None:
        """Return an estimate of the solver time left, or None if there is none.

        `measured` holds the moments so far that have an evaluation, `rate` is in iterations
        per second.
        """
        if now.iteration is None:
            return None
        bounds = []
        if self.seconds is not None:
            bounds.append(self.seconds - now.seconds)
        if self.iterations is not None and rate > 0.0:
            bounds.append((self.iterations - now.iteration) / rate)
        if self.target is not None and rate > 0.0:
            iterations = _iterations_at(measured, self.target)
            if iterations is not None:
                bounds.append((iterations - now.iteration) / rate)
        if self.residual is not None and rate > 0.0:
            iterations = _iterations_at_residual(measured, self.residual)
            if iterations is not None:
                bounds.append((iterations - now.iteration) / rate)
        return max(min(bounds), 0.0) if bounds else None


def _logarithmic_share(first: float, now: float, target: float | None) -> float:
    if not target or first <= target:
        return 0.0
    share = math.log(first / max(now, 1e-300)) / math.log(first / target)
    return min(1.0, max(0.0, share))


def _iterations_at_residual(measured: Sequence[Progress], target: float) -> float | None:
    """Return the iteration at which the mean residual, falling exponentially, is the target."""
    points = [
        (moment.iteration, math.log(moment.residual))
        for moment in measured
        if moment.iteration and moment.residual
    ]
    if len(points) < _RESIDUALS:
        return None
    (before, then), (last, now) = points[-_RESIDUALS], points[-1]
    speed = (then - now) / (last - before)
    return last + (now - math.log(target)) / speed if speed > 0.0 else None


def _iterations_at(measured: Sequence[Progress], target: float) -> float | None:
    """Return the iteration at which a log-log fit of exploitability reaches the target.

    Least squares over the last two thirds of the decades: the beginning has another slope.
    """
    points = [
        (math.log(moment.iteration), math.log(moment.evaluation.exploitability))
        for moment in measured
        if moment.iteration and moment.evaluation and moment.evaluation.exploitability > 0.0
    ]
    if len(points) < 4 or target <= 0.0:
        return None
    points = [point for point in points if point[0] >= points[-1][0] / 3.0]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread <= 0.0:
        return None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    if slope >= -0.05:
        return None
    exponent = points[-1][0] + (math.log(target) - points[-1][1]) / slope
    return math.exp(min(exponent, 60.0))


def make_stop(
    iterations: int | None = None, target: float | None = None, seconds: float | None = None
) -> Stop:
    """Return the checked stop; with nothing given, exploitability 1e-6 or 60 seconds."""
    if iterations is None and target is None and seconds is None:
        return Stop(target=DEFAULT_TARGET, seconds=DEFAULT_SECONDS, is_default=True)
    iterations = ITERATIONS.read(iterations)
    target = None if target is None else float(TARGET.read(target))
    seconds = None if seconds is None else float(TIME.read(seconds))
    if target == 0.0 and iterations is None and seconds is None:
        raise InvalidOption(
            Argument("target"),
            " 0 alone may never be reached; add ",
            Argument("iterations"),
            " or ",
            Argument("time"),
        )
    return Stop(iterations=iterations, target=target, seconds=seconds)


def chosen_stop(
    method: Method,
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
) -> Stop:
    """Return the checked stop of a run by `method`; methods without iterations need none."""
    if method.has_iterations:
        return make_stop(iterations, target, seconds)
    if iterations is not None or seconds is not None:
        raise InvalidOption(
            f"method {method.name} runs to its end; it does not take ",
            Argument("iterations"),
            " or ",
            Argument("time"),
        )
    if target is None:
        return Stop()
    # The method ends without a stop, so even a target of 0 is allowed without another bound.
    return replace(make_stop(iterations=1, target=target), iterations=None)
