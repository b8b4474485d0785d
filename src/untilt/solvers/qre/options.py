"""The options for computing quantal response and for fitting it to observed play.

Nothing here loads NumPy, because the command line is built from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from untilt.errors import Argument, InvalidOption
from untilt.options.option import Check, Option, Options, integer, number

RESPONSES = ("agent", "counterfactual", "ex-ante")
"""Definitions whose equilibria form a branch."""
DILATED = "dilated"
"""The definition that is another system of equations, see `dilated.py`."""
ARCLENGTH, NEWTON, CLASSIC = "arclength", "newton", "classic"
LIKELIHOOD, EMPIRICAL = "likelihood", "empirical"
MAX_BETA = 1e4
"""The default end of the search along a branch for a fit."""


def schedule_of(text: str) -> tuple[float, ...]:
    """Return the values of β that an option `schedule` lists, or raise ValueError."""
    return tuple(float(entry) for entry in text.split(",") if entry.strip())


def _is_schedule(text: str) -> bool:
    try:
        schedule_of(text)
    except ValueError:
        return False
    return True


BETA = Option(
    "beta",
    float,
    10.0,
    "Rationality of the players; of the more rational one if they differ.",
    check=Check(
        "a finite number, at least 0", lambda value: bool(math.isfinite(value) and value >= 0.0)
    ),
    also=("lambda", "max_beta"),
)
SCALES = tuple(
    Option(
        f"scale{player}",
        float,
        1.0,
        f"Rationality of player {player} as a share of beta; the larger share is 1.",
        check=number(0.0, 1.0),
        is_flag=False,
    )
    for player in (0, 1)
)


def shares_of(text: str) -> tuple[float, ...]:
    """Return the shares of β that the option `shares` lists, or raise ValueError."""
    return tuple(float(entry) for entry in text.split(",") if entry.strip())


def _are_shares(text: str) -> bool:
    try:
        shares = shares_of(text)
    except ValueError:
        return False
    return all(0.0 <= share <= 1.0 for share in shares)


SHARES = Option(
    "shares",
    str,
    "",
    "The same for each of more than two players, separated by commas.",
    check=Check("numbers in [0, 1] separated by commas", _are_shares),
    is_flag=False,
)
DEFINITION = Option(
    "definition", str, "agent", "What players respond to.", choices=(*RESPONSES, DILATED)
)
BRANCH_DEFINITION = replace(DEFINITION, choices=RESPONSES)
"""For problems with a branch: all but `dilated`."""
PATH = Option(
    "path",
    str,
    ARCLENGTH,
    "How the branch is followed.",
    choices=(ARCLENGTH, NEWTON, CLASSIC),
    flag="--method",
    short="-m",
)
TOLERANCE = Option(
    "tolerance",
    float,
    1e-8,
    "Tolerance of the final point.",
    check=Check("a number in (0, 1)", lambda value: bool(0.0 < value < 1.0)),
    also=("tol",),
)
MAX_ITERATIONS = Option(
    "max_iterations",
    int,
    50,
    "Most Newton iterations per step of beta.",
    check=integer(1),
    also=("max_iters",),
)
JACOBIAN = Option(
    "jacobian",
    str,
    "analytic",
    "How newton computes its matrix.",
    choices=("analytic", "finite-difference"),
)
SCHEDULE = Option(
    "schedule",
    str,
    "",
    "Intermediate values of beta (newton, classic).",
    check=Check("ascending numbers separated by commas, such as 0.1,1,10", _is_schedule),
    metavar="B1,B2,…",
)
LIMIT = Option("limit", bool, False, "Continue to the Nash equilibrium of the branch.")
TRACE = Option(
    "trace",
    bool,
    False,
    "Keep every point of the branch, and include them in the result.",
    also=("branch",),
)

OWN_BETAS = tuple(
    replace(
        BETA,
        name=f"beta{player}",
        default=None,
        help=f"Rationality of player {player}, with --beta{1 - player}, for --beta.",
        also=(),
    )
    for player in (0, 1)
)
"""What `untilt qre` takes in place of β and its shares."""
BETAS = Option(
    "betas",
    str,
    "",
    "Rationality of each player, for --beta: as many numbers as the game has players.",
    metavar="B0,B1,…",
)
"""The same for any number of players."""

QRE = (
    DEFINITION,
    PATH,
    BETA,
    *SCALES,
    SHARES,
    TOLERANCE,
    MAX_ITERATIONS,
    JACOBIAN,
    SCHEDULE,
    LIMIT,
    TRACE,
)
"""The options of the method `qre`."""

FIT_METHOD = Option(
    "method",
    str,
    LIKELIHOOD,
    "Maximize the likelihood along the branch of equilibria, or compute payoffs against the "
    "observed frequencies.",
    choices=(LIKELIHOOD, EMPIRICAL),
)
FIT_MAX_BETA = Option(
    "max_beta",
    float,
    MAX_BETA,
    "Largest beta to search.",
    check=Check(
        "a finite number above 0", lambda value: bool(math.isfinite(value) and value > 0.0)
    ),
    metavar="BETA",
)
PER_PLAYER = Option(
    "per_player", bool, False, "Fit a beta for each player, and test whether one is enough."
)

FOLDS = Option(
    "folds",
    int,
    0,
    "Also judge the fit on subjects that it was not made from: hold out one of this many folds of "
    "subjects at a time.",
    check=integer(2),
    metavar="K",
)
SEED = Option("seed", int, 0, "How subjects are dealt into folds.", check=integer(0, 2**64 - 1))

FIT = (PER_PLAYER, BRANCH_DEFINITION, FIT_METHOD, FIT_MAX_BETA)
"""The options of fitting β to observed play."""

CROSS_VALIDATION = (FOLDS, SEED)
"""The options of judging a fit on held-out subjects."""


def verify_scale(scale: tuple[float, ...]) -> None:
    """Raise InvalidOption unless these can be the players' shares of β."""
    if not all(0.0 <= share <= 1.0 for share in scale) or max(scale) != 1.0:
        raise InvalidOption(
            f"the players' shares of beta are {scale}; all must be numbers in [0, 1], and the "
            "largest one must be 1"
        )


def verify_ascent(schedule: Sequence[float]) -> None:
    """Raise InvalidOption unless these are values of β in ascending order."""
    for entry in schedule:
        if not BETA.accepts(entry):
            raise InvalidOption(
                Argument("schedule"), f" has {entry}; every value must be {BETA.allowed}"
            )
    for before, after in pairwise(schedule):
        if not before < after:
            raise InvalidOption(
                Argument("schedule"), f" has {before} before {after}; it must be ascending"
            )


@dataclass(frozen=True)
class QreOptions:
    """The request for a quantal response path: the options of `QRE`, verified."""

    definition: str
    path: str
    beta: float
    """The rationality of the more rational player."""
    scale: tuple[float, ...]
    """Each player's share of β; two shares of 1 stand for all players."""
    tolerance: float
    max_iterations: int
    jacobian: str
    schedule: tuple[float, ...]
    """βs for `newton` and `classic`; empty: their own."""
    is_limit: bool
    """Whether to end in the Nash equilibrium that the branch selects."""
    keeps_branch: bool
    """Whether the outcome holds every point in full."""

    @classmethod
    def of(cls, options: Options) -> "QreOptions":
        """Return these options, or raise InvalidOption if they are not compatible."""
        asked = cls(
            definition=str(options["definition"]),
            path=str(options["path"]),
            beta=float(options["beta"]),
            scale=shares_of(str(options["shares"]))
            or (float(options["scale0"]), float(options["scale1"])),
            tolerance=float(options["tolerance"]),
            max_iterations=int(options["max_iterations"]),
            jacobian=str(options["jacobian"]),
            schedule=schedule_of(str(options["schedule"])),
            is_limit=bool(options["limit"]),
            keeps_branch=bool(options["trace"]),
        )
        asked._verify_together()
        return asked

    @property
    def ascent(self) -> tuple[float, ...]:
        """The values of the schedule below β."""
        return tuple(entry for entry in self.schedule if entry < self.beta)

    def _verify_together(self) -> None:
        if self.schedule and self.path == ARCLENGTH:
            raise InvalidOption(
                Argument("schedule"),
                " is for ",
                Argument("path", NEWTON),
                " and ",
                Argument("path", CLASSIC),
                "; add one of them, or leave it out",
            )
        verify_ascent(self.ascent)
        if self.is_limit and self.definition == DILATED:
            raise InvalidOption(
                Argument("limit"),
                " follows a branch, which ",
                Argument("definition", DILATED),
                f" does not have; use {', '.join(RESPONSES[:-1])} or {RESPONSES[-1]}",
            )
        if self.is_limit and self.path != ARCLENGTH:
            raise InvalidOption(
                Argument("limit"), " follows a branch; use ", Argument("path", ARCLENGTH)
            )
