"""Stretching a solve over some seconds, so that people can watch it.

Small games are solved in milliseconds. A paced run waits after each moment until as much of the
given time has passed as of the way is done; what it computes, and the solver time it counts,
stay the same.
"""

import math
import time
from collections.abc import Callable, Sequence

from untilt.errors import InvalidOption
from untilt.runs.stop import Stop
from untilt.solvers.options import Options
from untilt.solvers.progress import Progress

_SLICE_SECONDS = 0.05
"""How long it waits at most without looking for Ctrl-C."""

LONGEST_PACE = 86_400.0


class Pace:
    """The clock of a run that should take `seconds` to its `stop`."""

    def __init__(self, seconds: float, stop: Stop, options: Options) -> None:
        if not 0.0 < seconds <= LONGEST_PACE:  # also nan
            raise InvalidOption.of(
                "pace",
                seconds,
                "give the seconds over which to stretch the run, more than 0 and at most "
                f"{LONGEST_PACE:,.0f}",
            )
        self._seconds = seconds
        self._stop = stop
        self._last_beta = float(options.get("beta", 0.0)) if "path" in options else None
        self._first_exploitability: float | None = None
        self._began = time.monotonic()

    def begin(self) -> None:
        """Count from now on: compiling is not part of the show."""
        self._began = time.monotonic()

    def wait(self, progress: Progress, check: Callable[[], None]) -> None:
        """Wait until it is time to go on from `progress`, calling `check` on the way."""
        until = self._began + self._seconds * self._share(progress)
        while (left := until - time.monotonic()) > 0.0:
            check()
            time.sleep(min(left, _SLICE_SECONDS))

    def seconds_left(self, progress: Progress) -> float:
        """Return how long those who watch will still wait after `progress`."""
        return self._seconds * (1.0 - self._share(progress))

    def _share(self, progress: Progress) -> float:
        """Return how much of the way is done, 0–1, in steps that look even to the eye."""
        shares = [0.0]
        iteration = progress.iteration or 0
        if self._stop.iterations is not None:
            # Moments are spaced by powers, so the way is measured in them.
            shares.append(math.log1p(iteration) / math.log1p(self._stop.iterations))
        if self._stop.seconds is not None:
            shares.append(progress.seconds / self._stop.seconds)
        if progress.evaluation is not None:
            exploitability = progress.evaluation.exploitability
            if self._first_exploitability is None:
                self._first_exploitability = exploitability
            shares.append(self._stop.share_to_target(self._first_exploitability, exploitability))
        if progress.beta is not None and self._last_beta:
            shares.append(math.log1p(progress.beta) / math.log1p(self._last_beta))
        return min(1.0, max(shares))


def seconds_left(
    pace: Pace | None, stop: Stop, now: Progress, measured: Sequence[Progress], rate: float
) -> float | None:
    """Return how long a run still takes for those who watch it; None if there is no telling.

    `measured` and `rate` are as for `Stop.seconds_left`.
    """
    return stop.seconds_left(now, measured, rate) if pace is None else pace.seconds_left(now)
