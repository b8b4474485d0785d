"""The solvers by name, and the options that each of them takes.

To add a variant, add a row to `METHODS`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from untilt.errors import InvalidOption, UnknownName
from untilt.game.compiled import CompiledGame
from untilt.regret.rule import LINEAR, QUADRATIC, QUARTIC, UNIFORM, UpdateRule
from untilt.solvers.progress import Solver

AVERAGES: Mapping[str, float] = MappingProxyType(
    {"uniform": UNIFORM, "linear": LINEAR, "quadratic": QUADRATIC, "quartic": QUARTIC}
)
"""Names of averaging weights t^γ, with their γ."""

DEFAULT_METHOD = "sapcfr+"
"""The fastest to exploitability 1e-4 and 1e-6 by measurement, see docs/benchmarks.md."""

Options = dict[str, float | int | str]


@dataclass(frozen=True)
class Method:
    """A solver by name: its options with defaults, and how to make it."""

    name: str
    summary: str
    build: Callable[[CompiledGame, Options, int | None], Solver]
    """From a game, all options and the number of iterations, if that is known."""
    defaults: Options = field(default_factory=dict)
    has_iterations: bool = True
    """Whether it goes on until it is stopped; else it runs to an end of its own."""
    needs_histories: Callable[[Options], bool] = lambda options: False
    """Whether it works on the tree of histories, not on the sequence form alone."""

    def options(self, given: Mapping[str, Any]) -> Options:
        """Return all options of the method, `given` ones checked, the others by default."""
        for name, value in given.items():
            if name not in self.defaults:
                takes = ", ".join(f"{known}={d}" for known, d in self.defaults.items())
                raise InvalidOption(
                    f"method {self.name} takes no option {name!r}; it takes {takes or 'none'}"
                )
            if name in _CHECKS:
                _CHECKS[name](name, value)
        return {**self.defaults, **given}


def _check_average(name: str, value: Any) -> None:
    if value not in AVERAGES:
        raise UnknownName.among(name, str(value), AVERAGES)


def _check_exponent(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise InvalidOption(f"{name} is {value!r}; it must be a number")


def _check_weight(name: str, value: Any) -> None:
    _check_exponent(name, value)
    if not 0.0 <= value <= 100.0:
        raise InvalidOption(f"{name} is {value}; it must lie in [0, 100]")


def _check_share(name: str, value: Any) -> None:
    _check_exponent(name, value)
    if not 0.0 <= value <= 1.0:
        raise InvalidOption(f"{name} is {value}; it must lie in [0, 1]")


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidOption(f"{name} is {value!r}; it must be a whole number, 0 or more")


_CHECKS: Mapping[str, Callable[[str, Any], None]] = {
    "average": _check_average,
    "alpha": _check_exponent,
    "beta": _check_exponent,
    "gamma": _check_weight,
    "defer_averaging": _check_count,
    "prediction": _check_share,
}


def _cfr(
    *, is_clipped: bool = False, is_alternating: bool = True
) -> Callable[[CompiledGame, Options, int | None], Solver]:
    def build(game: CompiledGame, options: Options, iterations: int | None) -> Solver:
        from untilt.solvers.cfr import CfrSolver

        gamma = options["gamma"] if "gamma" in options else AVERAGES[str(options["average"])]
        rule = UpdateRule(
            alpha=float(options.get("alpha", math.inf)),
            beta=float(options.get("beta", math.inf)),
            gamma=float(gamma),
            is_clipped=is_clipped,
            prediction=float(options.get("prediction", 0.0)),
            is_alternating=is_alternating,
        )
        defer = int(options.get("defer_averaging", 0))
        return CfrSolver(game.zero_sum_form(), rule, defer_averaging=_deferral(defer, iterations))

    return build


def _deferral(defer: int, iterations: int | None) -> list[int]:
    """Return where averaging may start: after `defer`, but within the first tenth of the run."""
    if iterations is not None:
        return [point for point in [min(defer, iterations // 10)] if point > 0]
    ladder = [10**power for power in range(1, 20) if 10**power < defer]
    return [*ladder, defer] if defer > 0 else []


def _lp(game: CompiledGame, options: Options, iterations: int | None) -> Solver:
    from untilt.solvers.lp import LpSolver

    return LpSolver(game.zero_sum_form())


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidOption(
            f"--schedule has {text.strip()!r}; it is a list of numbers such as 0.1,1,10"
        ) from None


def _qre(game: CompiledGame, options: Options, iterations: int | None) -> Solver:
    from untilt.solvers.qre.solver import QreOptions, QreSolver

    del iterations
    schedule = [_number(entry) for entry in str(options["schedule"]).split(",") if entry.strip()]
    chosen = QreOptions(
        definition=str(options["definition"]),
        path=str(options["path"]),
        beta=float(options["beta"]),
        scale=(float(options["scale0"]), float(options["scale1"])),
        tolerance=float(options["tolerance"]),
        max_iterations=int(options["max_iterations"]),
        jacobian=str(options["jacobian"]),
        schedule=tuple(schedule),
        is_limit=bool(options["limit"]),
        keeps_branch=bool(options["branch"]),
    )
    return QreSolver(game, chosen)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(
                "cfr",
                "regret matching, simultaneous updates, uniform average",
                _cfr(is_alternating=False),
                {"average": "uniform"},
            ),
            Method(
                "cfr+",
                "regret matching+, alternating updates, quadratic average",
                _cfr(is_clipped=True),
                {"average": "quadratic"},
            ),
            Method(
                "linear",
                "regrets and plans of iteration t weigh t",
                _cfr(),
                {"alpha": 1.0, "beta": 1.0, "gamma": 1.0},
            ),
            Method(
                "dcfr",
                "discounted regrets, polynomial average",
                _cfr(),
                {"alpha": 1.5, "beta": 0.0, "gamma": 2.0},
            ),
            Method(
                "dcfr+",
                "discounted regrets clipped at zero, averaging deferred",
                _cfr(is_clipped=True),
                {"alpha": 1.5, "gamma": 1.0, "defer_averaging": 1000},
            ),
            Method(
                "pcfr+",
                "predictive regret matching+, quadratic average",
                _cfr(is_clipped=True),
                {"average": "quadratic", "prediction": 1.0},
            ),
            Method(
                "sapcfr+",
                "pcfr+ that trusts a third of its prediction, quartic average",
                _cfr(is_clipped=True),
                {"average": "quartic", "prediction": 1.0 / 3.0},
            ),
            Method(
                "lp",
                "the sequence-form linear program, exact",
                _lp,
                has_iterations=False,
            ),
            Method(
                "qre",
                "a quantal response equilibrium, see `untilt qre`",
                _qre,
                {
                    "definition": "agent",
                    "path": "arclength",
                    "beta": 10.0,
                    "scale0": 1.0,
                    "scale1": 1.0,
                    "tolerance": 1e-8,
                    "max_iterations": 50,
                    "jacobian": "analytic",
                    "schedule": "",
                    "limit": False,
                    "branch": False,
                },
                has_iterations=False,
                needs_histories=lambda options: options["definition"] != "dilated",
            ),
        )
    }
)


def method_named(name: str) -> Method:
    """Return the method of this name, or raise UnknownName with the nearest one."""
    if name not in METHODS:
        raise UnknownName.among("method", name, METHODS)
    return METHODS[name]
