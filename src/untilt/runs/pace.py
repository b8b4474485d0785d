"""Slowing a run down to take a given time, so that people can watch it.

Small games are solved in milliseconds. A paced run waits after each moment until the share of the
given time that has passed equals the share of the work that is done. Its results and the solver
time that it reports stay the same.
"""

import math
import time
from collections.abc import Callable, Sequence

from untilt.errors import InvalidOption
from untilt.options.option import Options
from untilt.runs.stop import Stop
from untilt.solvers.progress import Progress

_SLICE_SECONDS = 0.05
"""The longest wait between two checks for Ctrl-C."""

LONGEST_PACE = 86_400.0


class Pace:
    """The clock of a run that should take `seconds` to its `stop`."""

    def __init__(self, seconds: float, stop: Stop, options: Options) -> None:
        if not 0.0 < seconds <= LONGEST_PACE:  # also nan
            raise InvalidOption.of(
                "pace",
                seconds,
                "give the seconds that the run should take, more than 0 and at most "
                f"{LONGEST_PACE:,.0f}",
            )
        self._seconds = seconds
        self._stop = stop
        self._last_beta = float(options.get("beta", 0.0)) if "path" in options else None
        self._first_exploitability: float | None = None
        self._began = time.monotonic()

    def begin(self) -> None:
        """Start the clock; compiling does not count."""
        self._began = time.monotonic()

    def wait(self, progress: Progress, check: Callable[[], None]) -> None:
        """Wait until it is time to continue after `progress`, calling `check` meanwhile."""
        until = self._began + self._seconds * self._share(progress)
        while (left := until - time.monotonic()) > 0.0:
            check()
            time.sleep(min(left, _SLICE_SECONDS))

    def seconds_left(self, progress: Progress) -> float:
        """Return the wall time left after `progress`."""
        return self._seconds * (1.0 - self._share(progress))

    def _share(self, progress: Progress) -> float:
        """Return the share of the work done, 0–1, on a scale that looks even to a viewer."""
        shares = [0.0]
        iteration = progress.iteration or 0
        if self._stop.iterations is not None:
            # Moments are spaced logarithmically, so the share is logarithmic too.
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
    """Return an estimate of the time left until a run ends; None if there is none.

    `measured` and `rate` are as for `Stop.seconds_left`.
    """
    return stop.seconds_left(now, measured, rate) if pace is None else pace.seconds_left(now)
