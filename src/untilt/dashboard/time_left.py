"""How long a run will still take, estimated from its rows."""

from dataclasses import dataclass

import numpy as np

from untilt.numeric.arrays import Floats

_MIN_POINTS = 4
_FLATTEST = -0.05
"""Slope of log exploitability over log iteration from which on there is no end in sight."""


@dataclass(frozen=True)
class Stop:
    """When a run ends: at the first of these; None means no such bound."""

    iterations: int | None = None
    target: float | None = None
    seconds: float | None = None


def seconds_left(
    iteration: Floats, seconds: Floats, exploitability: Floats, rate: Floats, stop: Stop
) -> float | None:
    """Return an estimate from the columns of all rows, of which there are some; None if none."""
    bounds = []
    if stop.seconds is not None:
        bounds.append(stop.seconds - float(seconds[-1]))
    now, speed = float(iteration[-1]), float(rate[-1])
    if speed > 0.0:
        if stop.iterations is not None:
            bounds.append((stop.iterations - now) / speed)
        if stop.target is not None and stop.target > 0.0:
            end = _iteration_at(iteration, exploitability, stop.target)
            if end is not None:
                bounds.append((end - now) / speed)
    estimate = min((bound for bound in bounds if np.isfinite(bound)), default=None)
    return None if estimate is None else max(estimate, 0.0)


def _iteration_at(iteration: Floats, exploitability: Floats, target: float) -> float | None:
    """Return where the line through log exploitability over log iteration meets the target.

    Least squares over the last two thirds of the decades: the beginning falls differently.
    """
    with np.errstate(invalid="ignore"):
        is_measured = (iteration > 0.0) & (exploitability > 0.0) & np.isfinite(exploitability)
    x, y = np.log(iteration[is_measured]), np.log(exploitability[is_measured])
    if len(x) < _MIN_POINTS:
        return None
    is_late = x >= x[-1] / 3.0
    x, y = x[is_late], y[is_late]
    spread = x - x.mean()
    if len(x) < 2 or not spread @ spread > 0.0:
        return None
    slope = float(spread @ (y - y.mean()) / (spread @ spread))
    if slope >= _FLATTEST:
        return None
    exponent = float(x[-1]) + (np.log(target) - float(y[-1])) / slope
    return float(np.exp(min(exponent, 60.0)))
