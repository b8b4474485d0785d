"""The solvers by name, and the options that each of them takes.

To add a variant, add a row to `METHODS`.
"""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from untilt.errors import InvalidOption, UnknownName, shortened
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.regret.rule import LINEAR, QUADRATIC, QUARTIC, UNIFORM, UpdateRule
from untilt.solvers.progress import Solver

AVERAGES: Mapping[str, float] = MappingProxyType(
    {"uniform": UNIFORM, "linear": LINEAR, "quadratic": QUADRATIC, "quartic": QUARTIC}
)
"""Names of averaging weights t^γ, with their γ."""

DEFAULT_METHOD = "sapcfr+"
"""The fastest to exploitability 1e-4 and 1e-6 by measurement, see docs/benchmarks.md."""

MAX_THREADS = 256
"""More is surely a typo."""

AUTOMATIC = 0
"""As a batch: four times the number of infosets, at most 200; see `batch_for`."""

Options = dict[str, float | int | str]
Check = Callable[[str, Any], None]


@dataclass(frozen=True)
class Task:
    """What a solver is made for."""

    game: CompiledGame | None
    """None where the game is only known through its positions."""
    options: Options
    iterations: int | None
    """How many there will be, if that is known."""
    seed: int
    root: Game | None
    """The game as positions, for solvers that work on those."""

    @property
    def compiled(self) -> CompiledGame:
        """The game in arrays, for solvers that work on those."""
        assert self.game is not None, "a solver on arrays was given positions"
        return self.game


@dataclass(frozen=True)
class Method:
    """A solver by name: its options with defaults, and how to make it."""

    name: str
    summary: str
    make: Callable[[Task], Solver]
    defaults: Options = field(default_factory=dict)
    checks: Mapping[str, Check] = field(default_factory=dict)
    """Checks of options, besides those that all methods share."""
    neutral: frozenset[str] = frozenset()
    """Options that change how the result is computed, not the result."""
    has_iterations: bool = True
    """Whether it goes on until it is stopped; else it runs to an end of its own."""
    needs_histories: Callable[[Options], bool] = lambda options: False
    """Whether it works on the tree of histories, not on the sequence form alone."""

    @property
    def is_sampling(self) -> bool:
        """Whether it can work on positions, without compiling the game."""
        return "on" in self.defaults

    def build(
        self,
        game: CompiledGame | None,
        options: Options,
        iterations: int | None,
        *,
        seed: int = 0,
        root: Game | None = None,
    ) -> Solver:
        """Return a fresh solver of `game`, or of the positions from `root` on."""
        return self.make(Task(game, options, iterations, seed, root))

    def options(self, given: Mapping[str, Any]) -> Options:
        """Return all options of the method, `given` ones checked, the others by default."""
        for name, value in given.items():
            if name not in self.defaults:
                takes = ", ".join(f"{known}={d}" for known, d in self.defaults.items())
                raise InvalidOption(
                    f"method {self.name} takes no option {name!r}; it takes {takes or 'none'}"
                )
            check = self.checks.get(name) or _CHECKS.get(name)
            if check is not None:
                check(name, value)
            else:
                _check_kind(name, value, self.defaults[name])
        return {**self.defaults, **given}


_KINDS: Mapping[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "True or False"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "a text"),
}


def _check_kind(name: str, value: object, default: object) -> None:
    """Refuse a value of another kind than the option's default."""
    kinds, words = _KINDS[type(default)]
    is_of_kind = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
    is_huge = isinstance(value, int) and float in kinds and abs(value) > sys.float_info.max
    if not is_of_kind or is_huge:
        raise InvalidOption(f"{name} is {shortened(value)}; it must be {words}")


def _check_average(name: str, value: Any) -> None:
    if not isinstance(value, str) or value not in AVERAGES:
        raise UnknownName.among(name, _text(value), AVERAGES)


def _text(value: object) -> str:
    return value if isinstance(value, str) else shortened(value)


def _check_exponent(name: str, value: Any) -> None:
    _check_kind(name, value, 1.0)
    if math.isnan(value):
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
        raise InvalidOption(f"{name} is {shortened(value)}; it must be a whole number, 0 or more")


def _one_of(*names: str) -> Check:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in names:
            raise UnknownName.among(name, _text(value), names)

    return check


def _within(least: int, most: int) -> Check:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise InvalidOption(
                f"{name} is {shortened(value)}; it must be a whole number from {least:,} to "
                f"{most:,}"
            )

    return check


def _check_exploration(name: str, value: Any) -> None:
    _check_exponent(name, value)
    if not 0.0 < value <= 1.0:
        raise InvalidOption(
            f"{name} is {value}; it must lie in (0, 1]: without it, actions that are not played "
            "would never be tried again"
        )


_CHECKS: Mapping[str, Check] = {
    "average": _check_average,
    "alpha": _check_exponent,
    "beta": _check_exponent,
    "gamma": _check_weight,
    "defer_averaging": _check_count,
    "prediction": _check_share,
    "exploration": _check_exploration,
    "baseline": _one_of("history", "none"),
    "regret": _one_of("rm", "rm+", "linear", "discounted"),
    "on": _one_of("auto", "tree", "objects"),
    "threads": _within(1, MAX_THREADS),
    "batch": _within(AUTOMATIC, 10_000_000),
    "period": _within(1, 2**40),
    "cache": _within(1_000, 2**31),
    "sync": _one_of("batch", "none"),
}


def _cfr(*, is_clipped: bool = False, is_alternating: bool = True) -> Callable[[Task], Solver]:
    def make(task: Task) -> Solver:
        from untilt.solvers.cfr import CfrSolver

        options = task.options
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
        deferral = _deferral(defer, task.iterations)
        return CfrSolver(task.compiled.zero_sum_form(), rule, defer_averaging=deferral)

    return make


def _deferral(defer: int, iterations: int | None) -> list[int]:
    """Return where averaging may start: after `defer`, but within the first tenth of the run."""
    if iterations is not None:
        return [point for point in [min(defer, iterations // 10)] if point > 0]
    ladder = [10**power for power in range(1, 20) if 10**power < defer]
    return [*ladder, defer] if defer > 0 else []


def _lp(task: Task) -> Solver:
    from untilt.solvers.lp import LpSolver

    return LpSolver(task.compiled.zero_sum_form())


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidOption(
            f"--schedule has {text.strip()!r}; it is a list of numbers such as 0.1,1,10"
        ) from None


def _qre(task: Task) -> Solver:
    from untilt.solvers.qre.solver import QreOptions, QreSolver

    options = task.options
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
    return QreSolver(task.compiled, chosen)


_LARGEST_AUTOMATIC_BATCH = 200


def batch_for(game: CompiledGame | None) -> int:
    """Return a batch for `game`, by measurement; None is a game too large to compile.

    Larger batches go faster, above all on threads, but converge more slowly, the more so the
    smaller the game: see docs/monte-carlo.md.
    """
    if game is None:
        return _LARGEST_AUTOMATIC_BATCH
    return min(4 * game.num_infosets, _LARGEST_AUTOMATIC_BATCH)


_REGRET_RULES: Mapping[str, UpdateRule] = MappingProxyType(
    {
        "rm": UpdateRule(),
        "rm+": UpdateRule(is_clipped=True, gamma=LINEAR),
        "linear": UpdateRule(alpha=1.0, beta=1.0, gamma=LINEAR),
        "discounted": UpdateRule(alpha=1.5, beta=0.0, gamma=QUADRATIC),
    }
)
"""The update rules of sampling solvers, applied at the end of every period."""


def _mccfr(sampling: str) -> Callable[[Task], Solver]:
    def make(task: Task) -> Solver:
        from untilt.solvers.mccfr.solver import make_solver

        return make_solver(
            sampling,
            _REGRET_RULES[str(task.options["regret"])],
            {**task.options, "batch": task.options["batch"] or batch_for(task.game)},
            game=task.game,
            root=task.root,
            seed=task.seed,
        )

    return make


def _sampling(name: str, summary: str, sampling: str, **changes: float | int | str) -> Method:
    defaults: Options = {
        "regret": "rm",
        "average": "stochastic",
        "batch": AUTOMATIC,
        "period": 10_000,
        "threads": 1,
        "sync": "batch",
        "on": "auto",
        "cache": 1_000_000,
    }
    if sampling == "outcome":
        defaults |= {"exploration": 0.6, "baseline": "history"}
    return Method(
        name,
        summary,
        _mccfr(sampling),
        {**defaults, **changes},
        checks={"average": _one_of("stochastic", "lazy")},
        neutral=frozenset({"threads"}),
        needs_histories=lambda options: options["on"] != "objects",
    )


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
            _sampling(
                "mccfr-chance", "samples chance, explores all actions of both players", "chance"
            ),
            _sampling("mccfr-external", "samples chance and the opponent, see docs", "external"),
            _sampling(
                "mccfr-outcome",
                "samples one history at a time, with baselines",
                "outcome",
                regret="linear",
            ),
            _sampling("cs", "short for mccfr-chance", "chance"),
            _sampling("es", "short for mccfr-external", "external"),
            _sampling("es+", "mccfr-external with --regret rm+", "external", regret="rm+"),
            _sampling(
                "es-linear", "mccfr-external with --regret linear", "external", regret="linear"
            ),
            _sampling("os", "short for mccfr-outcome", "outcome", regret="linear"),
        )
    }
)


def method_named(name: str) -> Method:
    """Return the method of this name, or raise UnknownName with the nearest one."""
    if not isinstance(name, str) or name not in METHODS:
        raise UnknownName.among("method", str(name), METHODS)
    return METHODS[name]
