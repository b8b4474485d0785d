"""The solvers by name, with the options that each of them takes.

To add a variant, add a row to `_ROWS`; other packages add methods through the entry points
`untilt.methods`, see `untilt.plugins`. This module loads neither NumPy nor a solver, because the
command line is built from it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from untilt.errors import Argument, InvalidOption, UnknownName, shortened
from untilt.options.option import (
    Option,
    Options,
    Value,
    integer,
    number,
    positive_number,
    renamed,
    verified,
)
from untilt.options.run import METHOD, SAVE, SOLVE
from untilt.plugins import Catalogue
from untilt.regret.rule import LINEAR, QUADRATIC, QUARTIC, UNIFORM, UpdateRule
from untilt.solvers.qre.options import DILATED, QRE, QreOptions

if TYPE_CHECKING:
    from untilt.game.compiled import CompiledGame, Form
    from untilt.game.protocol import Game
    from untilt.solvers.progress import Solver

DEFAULT_METHOD = "sapcfr+"
"""The fastest to exploitability 1e-4 and 1e-6 by measurement, see docs/benchmarks.md."""

AUTOMATIC = 0
"""A batch of four times the number of infosets, at most 200; see `batch_for`."""

_AVERAGES: Mapping[str, float] = MappingProxyType(
    {"uniform": UNIFORM, "linear": LINEAR, "quadratic": QUADRATIC, "quartic": QUARTIC}
)
"""Names of averaging weights t^γ, with their γ."""

_REGRET_RULES: Mapping[str, UpdateRule] = MappingProxyType(
    {
        "rm": UpdateRule(),
        "rm+": UpdateRule(is_clipped=True, gamma=LINEAR),
        "linear": UpdateRule(alpha=1.0, beta=1.0, gamma=LINEAR),
        "discounted": UpdateRule(alpha=1.5, beta=0.0, gamma=QUADRATIC),
    }
)
"""The update rules of sampling solvers, applied at the end of every period."""

AVERAGE = Option(
    "average", str, "quadratic", "Weights of iterations in the average.", choices=tuple(_AVERAGES)
)
ALPHA = Option("alpha", float, math.inf, "Discount exponent of positive regrets.")
BETA = Option("beta", float, math.inf, "Discount exponent of negative regrets.")
GAMMA = Option(
    "gamma", float, UNIFORM, "Exponent of the averaging weight.", check=number(0.0, 100.0)
)
PREDICTION = Option(
    "prediction", float, 0.0, "Share of the prediction that is trusted.", check=number(0.0, 1.0)
)
DEFER_AVERAGING = Option(
    "defer_averaging",
    int,
    0,
    "Iterations left out of the average, at most a tenth of the run.",
    check=integer(0),
)

HORIZON = Option(
    "horizon",
    int,
    1_000,
    "The iteration at which the exponents stop moving.",
    check=integer(1, 2**40),
)

_REGRET = Option("regret", str, "rm", "How regrets are updated.", choices=tuple(_REGRET_RULES))
_SAMPLING = (
    _REGRET,
    Option(
        "average",
        str,
        "stochastic",
        "How the average is summed; lazy is exact.",
        choices=("stochastic", "lazy"),
    ),
    Option(
        "batch",
        int,
        AUTOMATIC,
        "Iterations against one strategy; 1 is sequential, 0 goes by the size of the game. Part "
        "of the result.",
        check=integer(AUTOMATIC, 10_000_000),
    ),
    Option("period", int, 10_000, "Iterations between two discounts.", check=integer(1, 2**40)),
    Option(
        "threads",
        int,
        1,
        "Threads on a tree; the result is the same for any number.",
        check=integer(1, 256),  # more is surely a typo
        is_neutral=True,
        can_change=True,
    ),
    Option(
        "sync",
        str,
        "batch",
        "Whether threads wait for one another; none is faster, but not reproducible.",
        choices=("batch", "none"),
    ),
    Option(
        "on",
        str,
        "auto",
        "Sample the compiled tree or the game's Python objects; auto takes objects if the game "
        "is large.",
        choices=("auto", "tree", "objects"),
    ),
    Option(
        "cache",
        int,
        1_000_000,
        "Histories kept in memory when objects are sampled.",
        check=integer(1_000, 2**31),
    ),
)
_EXPLORATION = Option(
    "exploration",
    float,
    0.6,
    "Share of uniform play.",
    check=positive_number(
        1.0, "without it, actions that are not played would never be tried again"
    ),
)
_BASELINE = Option(
    "baseline", str, "history", "Baselines that reduce variance.", choices=("history", "none")
)


@dataclass(frozen=True)
class Task:
    """The game and the options from which a solver is built."""

    game: "CompiledGame"
    """Without forms if it is known only through its positions."""
    options: Options
    iterations: int | None
    """The number of iterations, if known."""
    seed: int
    root: "Game | None"
    """The game as positions, for solvers that work on them."""


Forms = tuple["type[Form | Game]", ...]
"""Forms of a game that a method can work on, the preferred one first; `Game` stands for positions,
which need no compiling."""


def _sequence_form(options: Options) -> Forms:
    from untilt.game.sequence.sequence_form import SequenceForm

    return (SequenceForm,)


def _any_plan_form(options: Options) -> Forms:
    from untilt.game.sequence.sequence_form import SequenceForm
    from untilt.game.sequence.terminal_form import TerminalForm

    return (SequenceForm, TerminalForm)


@dataclass(frozen=True)
class Method:
    """A solver by name: its options, and how to make it."""

    name: str
    summary: str
    """One line, for tables of methods."""
    make: Callable[[Task], "Solver"]
    takes: tuple[Option, ...] = ()
    """Its options."""
    family: str = "cfr"
    """The family: cfr, mccfr, gambit, or the method's own name."""
    rule: Callable[[Options], UpdateRule] | None = None
    """Its update rule under given options; None for a solver without regrets."""
    short_for: str | None = None
    """The method for which this is another name, perhaps with other defaults."""
    command: str = "solve"
    """The command of the program that offers it."""
    has_iterations: bool = True
    """Whether it runs until it is stopped; otherwise it ends by itself."""
    needs: Callable[[Options], "Forms"] = _sequence_form
    """The forms of a game that it works on, under given options."""
    extra: str | None = None
    """The optional extra of the package that must be installed for it."""

    @property
    def is_sampling(self) -> bool:
        """Whether an iteration is a random sample of the game."""
        return self.family == "mccfr"

    @property
    def is_full_width(self) -> bool:
        """Whether it is a method of `untilt solve` for the whole game that needs no extra."""
        return self.command == "solve" and not self.is_sampling and self.extra is None

    @property
    def defaults(self) -> Options:
        """Every option with its default."""
        return {option.name: option.default for option in self.takes}

    @property
    def neutral(self) -> frozenset[str]:
        """Options that change how the result is computed, not the result."""
        return frozenset(option.name for option in self.takes if option.is_neutral)

    def build(
        self,
        game: "CompiledGame",
        options: Options,
        iterations: int | None,
        *,
        seed: int = 0,
        root: "Game | None" = None,
    ) -> "Solver":
        """Return a new solver of `game`, or of the positions that start at `root`."""
        return self.make(Task(game, options, iterations, seed, root))

    def options(self, given: Mapping[str, Any]) -> Options:
        """Return all options of the method: `given` ones checked, defaults for the others."""
        chosen = renamed(self.takes, given)
        for name in chosen:
            if name not in self.defaults:
                raise self._unknown_option(name)
        return verified(self.takes, chosen)

    def _unknown_option(self, name: str) -> InvalidOption:
        takes: list[str | Argument] = []
        for option in self.takes:
            takes += [", " if takes else "", replace(option.argument, value=option.default)]
        return InvalidOption(
            f"method {self.name} takes no option ",
            Argument(name) if name.isidentifier() else shortened(name),
            "; it takes ",
            *takes or ["none"],
        )


def cfr_variant(
    name: str,
    summary: str,
    *options: Option,
    is_clipped: bool = False,
    is_alternating: bool = True,
    is_discounted_ahead: bool = False,
    is_adaptive: bool = False,
    drifts: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Method:
    """Return a variant of CFR: the fixed traits of its update rule, and the options that set the
    others (`ALPHA`, `BETA`, `GAMMA` or `AVERAGE`, `PREDICTION`, `DEFER_AVERAGING`, `HORIZON`).

    `drifts` is by how much α, β and γ change until the iteration `HORIZON`.
    """

    def rule(options: Options) -> UpdateRule:
        average = options.get("average", "uniform")
        return UpdateRule(
            alpha=float(options.get("alpha", math.inf)),
            beta=float(options.get("beta", math.inf)),
            gamma=float(options.get("gamma", _AVERAGES[str(average)])),
            is_clipped=is_clipped,
            prediction=float(options.get("prediction", 0.0)),
            is_alternating=is_alternating,
            is_discounted_ahead=is_discounted_ahead,
            alpha_drift=drifts[0],
            beta_drift=drifts[1],
            gamma_drift=drifts[2],
            horizon=float(options.get("horizon", HORIZON.default)),
            is_adaptive=is_adaptive,
        )

    def make(task: Task) -> "Solver":
        from untilt.solvers.cfr import CfrSolver

        defer = _deferral(int(task.options.get("defer_averaging", 0)), task.iterations)
        # With more than two players nothing is promised for zero-sum games either.
        several = task.game.num_players > 2
        form = task.game.plan_form() if several else task.game.zero_sum_form()
        return CfrSolver(form, rule(task.options), defer_averaging=defer)

    return Method(name, summary, make, options, rule=rule, needs=_any_plan_form)


def _deferral(defer: int, iterations: int | None) -> list[int]:
    """Return possible starts of the average: after `defer`, but in the first tenth of the run."""
    if iterations is not None:
        return [point for point in [min(defer, iterations // 10)] if point > 0]
    ladder = [10**power for power in range(1, 20) if 10**power < defer]
    return [*ladder, defer] if defer > 0 else []


def _lp(task: Task) -> "Solver":
    from untilt.solvers.lp import LpSolver

    return LpSolver(task.game.zero_sum_form())


def _qre(task: Task) -> "Solver":
    from untilt.solvers.qre.solver import QreSolver

    return QreSolver(task.game, QreOptions.of(task.options))


def _gambit(name: str, summary: str, program: str, *options: Option) -> Method:
    def make(task: Task) -> "Solver":
        from untilt.solvers.gambit import GambitSolver

        return GambitSolver(task.game, program, int(task.options.get("equilibrium", 0)))

    return Method(
        name,
        summary,
        make,
        options,
        family="gambit",
        has_iterations=False,
        needs=_tree_form,
        extra="gambit",
    )


def _tree_form(options: Options) -> Forms:
    from untilt.game.histories.tree import GameTree

    return (GameTree,)


def _quantal_forms(options: Options) -> Forms:
    return (_sequence_form if options["definition"] == DILATED else _tree_form)(options)


_LARGEST_AUTOMATIC_BATCH = 200


def batch_for(game: "CompiledGame") -> int:
    """Return a good batch size for `game`, found by measurement.

    Larger batches are faster, especially with several threads, but converge more slowly on
    small games: see docs/monte-carlo.md.
    """
    if game.is_partial:  # too large to compile
        return _LARGEST_AUTOMATIC_BATCH
    return min(4 * game.num_infosets, _LARGEST_AUTOMATIC_BATCH)


def _sampled_rule(options: Options) -> UpdateRule:
    return _REGRET_RULES[str(options["regret"])]


def _sampled_forms(options: Options) -> Forms:
    from untilt.game.histories.tree import GameTree
    from untilt.game.protocol import Game

    forms: dict[Value, Forms] = {
        "auto": (GameTree, Game),
        "tree": (GameTree,),
        "objects": (Game,),
    }
    return forms[options["on"]]


def _sampling(name: str, summary: str, sampling: str, *options: Option) -> Method:
    def make(task: Task) -> "Solver":
        from untilt.solvers.mccfr.solver import make_solver

        return make_solver(
            sampling,
            _sampled_rule(task.options),
            {**task.options, "batch": task.options["batch"] or batch_for(task.game)},
            game=task.game,
            root=task.root,
            seed=task.seed,
        )

    return Method(
        name,
        summary,
        make,
        options,
        family="mccfr",
        rule=_sampled_rule,
        needs=_sampled_forms,
    )


def _short(name: str, method: Method, **defaults: Value) -> Method:
    """Return `method` by another name, perhaps with other defaults."""
    changes = "".join(f" --{option} {value}" for option, value in defaults.items())
    summary = f"{method.name} with{changes}" if changes else f"short for {method.name}"
    takes = tuple(
        option.by_default(defaults.get(option.name, option.default)) for option in method.takes
    )
    return replace(method, name=name, summary=summary, takes=takes, short_for=method.name)


_CHANCE = _sampling(
    "mccfr-chance", "samples chance, explores all actions of all players", "chance", *_SAMPLING
)
_EXTERNAL = _sampling("mccfr-external", "samples chance and the opponents", "external", *_SAMPLING)
_OUTCOME = _sampling(
    "mccfr-outcome",
    "samples one history at a time, with baselines",
    "outcome",
    _REGRET.by_default("linear"),
    *_SAMPLING[1:],
    _EXPLORATION,
    _BASELINE,
)

_ROWS = (
    cfr_variant(
        "cfr",
        "counterfactual regret minimization: simultaneous updates, uniform average",
        AVERAGE.by_default("uniform"),
        is_alternating=False,
    ),
    cfr_variant(
        "cfr+",
        "regrets never below zero (regret matching+), alternating updates, quadratic average",
        AVERAGE,
        is_clipped=True,
    ),
    cfr_variant(
        "linear",
        "regrets and plans of iteration t weigh t",
        ALPHA.by_default(1.0),
        BETA.by_default(1.0),
        GAMMA.by_default(LINEAR),
    ),
    cfr_variant(
        "dcfr",
        "discounted regrets, polynomial average",
        ALPHA.by_default(1.5),
        BETA.by_default(0.0),
        GAMMA.by_default(QUADRATIC),
    ),
    cfr_variant(
        "dcfr+",
        "discounted regrets, never below zero, averaging deferred",
        ALPHA.by_default(1.5),
        GAMMA.by_default(LINEAR),
        DEFER_AVERAGING.by_default(1000),
        is_clipped=True,
    ),
    cfr_variant(
        "pcfr+",
        "`cfr+` that predicts that the last regret repeats",
        AVERAGE,
        PREDICTION.by_default(1.0),
        is_clipped=True,
    ),
    cfr_variant(
        "sapcfr+",
        "`pcfr+` that trusts a third of its prediction, quartic average",
        AVERAGE.by_default("quartic"),
        PREDICTION.by_default(1.0 / 3.0),
        is_clipped=True,
    ),
    cfr_variant(
        "pdcfr+",
        "`dcfr+` that predicts that the last regret repeats",
        ALPHA.by_default(2.3),
        GAMMA.by_default(5.0),
        PREDICTION.by_default(1.0),
        is_clipped=True,
        is_discounted_ahead=True,
    ),
    cfr_variant(
        "apcfr+",
        "`pcfr+` in which each infoset learns how much its prediction is worth",
        AVERAGE,
        PREDICTION.by_default(1.0),
        is_clipped=True,
        is_adaptive=True,
    ),
    cfr_variant(
        "apdcfr+",
        "`pdcfr+` in which each infoset learns how much its prediction is worth",
        ALPHA.by_default(2.3),
        GAMMA.by_default(5.0),
        PREDICTION.by_default(1.0),
        is_clipped=True,
        is_discounted_ahead=True,
        is_adaptive=True,
    ),
    # The papers' exponents are 1 + 3t/1000, −1 − 2t/1000 and 30 − 5t/1000. They stop at 1000, where
    # the papers' runs end.
    cfr_variant(
        "hs-dcfr",
        "`dcfr` whose exponents move: α from 1 to 4, β from -1 to -3, γ from 30 to 25",
        ALPHA.by_default(1.0),
        BETA.by_default(-1.0),
        GAMMA.by_default(30.0),
        HORIZON,
        drifts=(3.0, -2.0, -5.0),
    ),
    cfr_variant(
        "hs-pcfr+",
        "`pcfr+` whose average forgets early plans faster: γ moves from 30 to 25",
        GAMMA.by_default(30.0),
        PREDICTION.by_default(1.0),
        HORIZON,
        is_clipped=True,
        drifts=(0.0, 0.0, -5.0),
    ),
    Method(
        "lp",
        "the sequence-form linear program, exact",
        _lp,
        family="lp",
        has_iterations=False,
    ),
    Method(
        "qre",
        "a quantal response equilibrium, see `untilt qre`",
        _qre,
        QRE,
        family="qre",
        command="qre",
        has_iterations=False,
        needs=_quantal_forms,
    ),
    _gambit("gambit-lcp", "one Nash equilibrium of any two-player game, found by Gambit", "lcp"),
    _gambit(
        "gambit-enummixed",
        "all extreme Nash equilibria of a small two-player game, found by Gambit",
        "enummixed",
        Option(
            "equilibrium",
            int,
            0,
            "Which of the equilibria is the result, from 1; 0 is the one with the largest sum of "
            "payoffs.",
            check=integer(0),
            metavar="N",
        ),
    ),
    _CHANCE,
    _EXTERNAL,
    _OUTCOME,
    _short("cs", _CHANCE),
    _short("es", _EXTERNAL),
    _short("es+", _EXTERNAL, regret="rm+"),
    _short("es-linear", _EXTERNAL, regret="linear"),
    _short("os", _OUTCOME),
)

_OWN: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ROWS})

RESERVED = frozenset(
    (
        *(option.name for option in (METHOD, SAVE, *SOLVE)),
        *("game", "more", "parameters", "watcher", "json", "help"),
    )
)
"""Names that an option cannot have: `untilt.solve` or the command takes them for itself."""


def _verified_method(name: str, given: object) -> Method:
    """Return a method that other code offers, or raise ValueError."""
    if not isinstance(given, Method):
        raise ValueError(f"{shortened(given)} is not a Method; make one with cfr_variant or Method")
    if given.name != name:
        raise ValueError(f"its Method has the name {given.name!r}")
    types = {
        option.name: option.type for each in METHODS.loaded().values() for option in each.takes
    }
    for option in given.takes:
        if option.name in RESERVED or not option.name.isidentifier():
            raise ValueError(f"its option {option.name!r} has a name that is taken or not allowed")
        known = types.get(option.name, option.type)
        if known is not option.type:
            raise ValueError(
                f"its option {option.name!r} is of type {option.type.__name__}, but other methods "
                f"have an option of that name and type {known.__name__}"
            )
    return given


METHODS = Catalogue("method", "untilt.methods", _OWN, _verified_method)
"""All methods by name: `METHODS.own` come with Untilt, others are registered or come from other
packages."""


def register_method(method: Method, *, replace: bool = False) -> Method:
    """Add a method, for `untilt.solve(game, name)` of this process, and return it.

    A name that is taken is refused; with `replace`, one that was registered before is replaced. To
    add a method to the commands, offer it through an entry point `untilt.methods` of a package.

    >>> import untilt
    >>> from untilt.research import ALPHA, GAMMA, cfr_variant
    >>> variant = cfr_variant(
    ...     "my-dcfr",
    ...     "discounted regrets with other exponents",
    ...     ALPHA.by_default(1.2),
    ...     GAMMA.by_default(3.0),
    ... )
    >>> method = untilt.research.register_method(variant, replace=True)
    >>> untilt.solve("kuhn", "my-dcfr", iterations=500, save=False).exploitability < 1e-3
    True
    """
    if not isinstance(method, Method):
        raise InvalidOption.of("method", method, "give a Method, such as cfr_variant returns")
    return METHODS.register(method.name, method, replace=replace)


def method_named(name: str) -> Method:
    """Return the method of this name, or raise UnknownName with the nearest one."""
    if not isinstance(name, str) or name not in METHODS:
        raise UnknownName.among("method", name, METHODS.names())
    return METHODS[name]
