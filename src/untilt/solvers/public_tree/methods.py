"""The methods that solve public trees, with their options; loads neither NumPy nor a solver.

They are rows of the table of methods, with the defaults that are best here by measurement: for
spots, discounted regrets with β = 0.25 and γ = 5 (Brown & Sandholm 2019 have 0 and 2). With β = 0,
negative regrets are halved each time, and on some turns progress nearly stops at 0.1 % of the pot.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from untilt.errors import UnknownName
from untilt.number import Number
from untilt.options.option import Check, Option, Options, Value, integer
from untilt.solvers.methods import DEFER_AVERAGING, METHODS, Method

DEFAULT_METHOD = "dcfr"

ALL_PROCESSORS = 0

THREADS = Option(
    "threads",
    int,
    ALL_PROCESSORS,
    "Threads; 0 is one per processor. The result is the same for any number.",
    check=integer(ALL_PROCESSORS, 256),
    is_neutral=True,
    can_change=True,
)
PRECISION = Option(
    "precision",
    str,
    "float32",
    "How numbers are stored; int16 halves the memory.",
    choices=("float32", "int16"),
)


def _row(name: str, **defaults: Value) -> Method:
    """Return a method of `untilt solve` for public trees, perhaps with other defaults."""
    method = METHODS[name]
    takes = tuple(
        option.by_default(defaults.get(option.name, option.default))
        for option in method.takes
        # The average of a public tree begins at once: early iterations hardly count in it.
        if option.name != DEFER_AVERAGING.name
    )
    # A prediction needs the differences of regrets, for which 16 bits are too few.
    stored = () if any(option.name == "prediction" for option in takes) else (PRECISION,)
    return replace(method, takes=(*takes, *stored, THREADS), command="spot")


NOISE = Option(
    "noise",
    str,
    None,
    "Solve for players who make mistakes: an action worth this share of the pot less than the best "
    "is taken 1/e as often. 2%, or oop=1%,ip=10%.",
    metavar="NOISE",
)
BETA = Option(
    "beta",
    float,
    None,
    "The noise as its reciprocal per chip, as in `untilt qre`; also without --method, if no other "
    "exponent is given.",
    Check("a finite number above 0", Number(above=0.0).accepts),
)
DOUBLE_PRECISION = replace(
    PRECISION,
    help="How numbers are stored; float64 is for residuals below 1e-6.",
    choices=("float32", "float64"),
)

QUANTAL = replace(
    METHODS["dcfr"],
    name="quantal",
    summary="quantal response: players who make mistakes, the larger the rarer",
    takes=(NOISE, BETA, DOUBLE_PRECISION, THREADS),
    rule=None,
    command="spot",
)
"""What `noise` chooses."""

_ROWS = (
    _row("dcfr", beta=0.25, gamma=5.0),
    _row("dcfr+"),
    _row("cfr+"),
    _row("pcfr+"),
    _row("pdcfr+"),
    _row("hs-dcfr"),
    _row("hs-pcfr+"),
    QUANTAL,
)

SPOT_METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ROWS})


RESPONSE = replace(
    METHODS["dcfr"],
    name="best-response",
    summary="the exact best response to a player of a solved spot",
    takes=(THREADS,),
    command="spot",
    has_iterations=False,
)
"""Not chosen by name: `untilt spot RUN --respond oop` makes such runs."""


METHOD = Option(
    "method",
    str,
    DEFAULT_METHOD,
    "How it is solved.",
    short="-m",
    choices=tuple(SPOT_METHODS),
)


def spot_method(name: str) -> Method:
    """Return the method of this name, or raise UnknownName with the nearest one."""
    if name == RESPONSE.name:
        return RESPONSE
    if not isinstance(name, str) or name not in SPOT_METHODS:
        raise UnknownName.among("method", name, SPOT_METHODS)
    return SPOT_METHODS[name]


_EXPONENTS = {"alpha", "gamma"}
"""Beside one of these, β is an exponent of the default method."""


def method_for(method: str | None, options: Mapping[str, object]) -> str:
    """Return the name of the method: the one that is given, or that which options ask for."""
    if method is not None:
        return method
    given = {name for name, value in options.items() if value is not None}
    has_noise = NOISE.name in given or (BETA.name in given and not given & _EXPONENTS)
    return QUANTAL.name if has_noise else DEFAULT_METHOD


def precision_of(options: Options) -> str:
    """Return the storage of numbers."""
    return str(options.get("precision", PRECISION.default))


_SHARE = 1.1
"""λ as a multiple of the noise, which is a share of the pot. Up to about 1.2 strategies converge on
most trees, and the smaller it is, the more iterations they need."""
_DEEP, _DEEPEST = 5.0, 25.0
"""Where players can lose more than so many pots, λ is smaller in proportion, up to the second: else
rare lines do not settle before λ is cut, and at the whole β that takes many iterations."""
FASTEST = 0.5
"""The largest λ."""


def first_rate(betas: tuple[float, float], pot: float, most: float) -> float:
    """Return λ of quantal response: the share by which strategies move towards their response.

    `betas` are per chip; `most` is the most that a player can lose, in chips.
    """
    share = _SHARE * _DEEP / min(max(most / pot, _DEEP), _DEEPEST)
    return min(share / (math.sqrt(betas[0] * betas[1]) * pot), FASTEST)


RESTING = 30.0
"""Residuals come to rest at up to so many times the least, by measurement."""


def least_exploitability(pot: float) -> float:
    """Return the exploitability, in chips, below which rounding in float32 lets few spots get.

    It has one digit, so that the number that is shown is the bound.
    """
    return float(f"{2.0**-24 * pot:.0e}")


def least_residual(
    precision: str, betas: tuple[float, float], pot: float, most: float
) -> tuple[float, float]:
    """Return the residuals, mean and largest, below which rounding lets none get.

    `betas` are per chip; `most` is the most that a player can lose, in chips.
    """
    rounding = 2.0**-53 if precision == "float64" else 2.0**-24
    beta = (betas[0] + betas[1]) / 2.0
    return rounding * beta * pot / 6.0, rounding * beta * most / 4.0


def num_tables(options: Options) -> int:
    """Return the number of a method's tables: regrets, averages and perhaps predictions."""
    if NOISE.name in options:
        return 1
    return 3 if options.get("prediction") else 2


def num_threads(options: Options) -> int:
    """Return the number of threads to use."""
    return int(options["threads"]) or os.cpu_count() or 1
