"""The task of solving a spot, in memory and in `run.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from untilt.errors import Argument, InvalidOption, UnknownName, UntiltError, shortened
from untilt.formats.base.entries import damaged
from untilt.formats.run.run_file import RunRecord
from untilt.game.terms import Terms
from untilt.games.holdem.cost.spot_memory import Storage
from untilt.games.holdem.cost.spot_size import SpotSize
from untilt.games.holdem.cost.spot_time import NOISY_ITERATION, SolvingTime
from untilt.games.holdem.spots.noise import Noise
from untilt.games.holdem.spots.spot import Spot, share_of_pot
from untilt.number import Number, from_plain, number_in, number_of
from untilt.options.option import Options
from untilt.regret.rule import UpdateRule
from untilt.runs.stop import DEFAULT_SECONDS, Stop, make_stop
from untilt.runs.task import RunTask
from untilt.solvers.public_tree.methods import (
    BETA,
    NOISE,
    QUANTAL,
    RESPONSE,
    least_exploitability,
    least_residual,
    num_tables,
    num_threads,
    precision_of,
    spot_method,
)

DEFAULT_TARGET_PERCENT = 0.1
"""In percent of the pot."""
DEFAULT_RESIDUAL = 1e-3
"""For quantal response: one decision in a thousand hands would be made differently."""

TERMS = Terms(seats=("out of position", "in position"), private="hand", public="board")


@dataclass(frozen=True)
class SpotSubject:
    """A spot, or the best response of a player in it."""

    spot: Spot
    response: Mapping[str, Any] | None = None
    """Of a best response: the player, and the solution that is answered."""
    start: Mapping[str, Any] | None = None
    """Of quantal response that began from another solution: the run of that, None if not saved."""

    kind: ClassVar[str] = "spot"
    game: ClassVar[str] = "spot"
    reference: ClassVar[None] = None
    terms: ClassVar[Terms] = TERMS
    abstraction: ClassVar[None] = None

    @property
    def title(self) -> str:
        """The board, and who responds."""
        who = "" if self.response is None else f", {self.response['player'].upper()} responds"
        return f"Spot {self.spot.board_text}{who}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The spot as data, and the response or the start."""
        more = {"response": self.response, "start": self.start}
        given = {name: value for name, value in more.items() if value is not None}
        return {"spot": self.spot.to_dict(), **given}

    def lasting(self, method: str, options: Options) -> Options:
        """Return the options on which the result depends."""
        neutral = spot_method(method).neutral
        return {name: value for name, value in options.items() if name not in neutral}


SpotTask = RunTask[SpotSubject]


def storage_of(options: Options) -> Storage:
    """Return how numbers are stored."""
    return Storage(precision_of(options), num_tables(options), num_threads(options))


def rule_of(task: SpotTask) -> UpdateRule:
    """Return how regrets are updated."""
    rule = spot_method(task.method).rule
    assert rule is not None
    return rule(task.options)


def request_of(spot: Spot, method: str, options: Mapping[str, Any], stop: Stop) -> SpotTask:
    """Return the checked task for a spot."""
    if method == QUANTAL.name:
        task = RunTask(SpotSubject(spot), method, _quantal_options(spot, options), stop)
        verify_reachable(task)
        return task
    return RunTask(SpotSubject(spot), method, spot_method(method).options(options), stop)


def least_residual_of(spot: Spot, noise: Noise, precision: str) -> tuple[float, float]:
    """Return the residuals below which rounding lets none get, mean and largest."""
    return least_residual(precision, noise.betas(spot.pot), spot.pot, spot.stack + spot.pot / 2.0)


@dataclass(frozen=True)
class ExpectedTime:
    """About how long a spot takes on one processor, to where it stops by default."""

    iteration: float
    """Seconds of an iteration."""
    solve: SolvingTime
    goal: str
    """Where it stops, such as `0.1% of the pot`."""


def expected_time(task: SpotTask, size: SpotSize) -> ExpectedTime:
    """Return about how long a task takes."""
    noise, iteration = noise_of(task), size.seconds_per_iteration
    if noise is None:
        return ExpectedTime(iteration, size.seconds, f"{DEFAULT_TARGET_PERCENT:g}% of the pot")
    return ExpectedTime(
        NOISY_ITERATION * iteration,
        size.noisy_seconds(noise.shares(task.subject.spot.pot)),
        f"a residual of {DEFAULT_RESIDUAL:g} with noise {noise}",
    )


def verify_reachable(task: SpotTask) -> None:
    """Raise InvalidOption if a residual is asked for that rounding does not allow."""
    noise = noise_of(task)
    if noise is None:
        return
    precision = precision_of(task.options)
    least = least_residual_of(task.subject.spot, noise, precision)
    asked = task.stop.residual, task.stop.largest_residual
    for name, wanted, bound in zip(("target", "target_max"), asked, least, strict=True):
        if wanted is None or wanted >= bound:
            continue
        exact = least_residual_of(task.subject.spot, noise, "float64")
        with_exact = exact[0] if name == "target" else exact[1]
        if precision == "float32" and wanted >= with_exact:
            raise InvalidOption(
                Argument(name, f"{wanted:g}"),
                " cannot be reached in float32 at this noise, only about ",
                f"{bound:.0e}; add ",
                Argument("precision", "float64"),
            )
        raise InvalidOption(
            Argument(name, f"{wanted:g}"),
            f" cannot be reached at this noise, not even in float64; give {with_exact:.0e} or more",
        )


def noise_of(task: SpotTask) -> Noise | None:
    """Return the noise of a task by quantal response; None for other methods."""
    return Noise.parse(task.options[NOISE.name]) if task.method == QUANTAL.name else None


def _quantal_options(spot: Spot, given: Mapping[str, Any]) -> Options:
    """Return the checked options, with β and any other form of the noise as its text."""
    noise, beta = given.get(NOISE.name), given.get(BETA.name)
    if noise is not None and beta is not None:
        raise InvalidOption(
            Argument(NOISE.name), " and ", Argument(BETA.name), " mean the same; give one of them"
        )
    if noise is None and beta is None:
        raise InvalidOption(
            f"method {QUANTAL.name} needs to know how players err: add ",
            Argument(NOISE.name, "2%"),
        )
    found = Noise(beta=beta) if noise is None else Noise.parse(noise)
    found.betas(spot.pot)
    options = QUANTAL.options({**given, NOISE.name: found.text, BETA.name: None})
    del options[BETA.name]
    return options


def response_request(
    spot: Spot,
    seat: str,
    source: str | None,
    locks: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
) -> SpotTask:
    """Return the task of the best response of a player to the solution in `source`.

    `locks` are the locks of `spot` that the solution does not have.
    """
    response = {"player": seat, "run": source, "locks": [dict(lock) for lock in locks]}
    checked = spot_method(RESPONSE.name).options(options)
    return RunTask(SpotSubject(spot, response), RESPONSE.name, checked, Stop(is_default=True))


def spot_stop(
    pot: int,
    iterations: int | None = None,
    target: str | float | None = None,
    seconds: float | None = None,
) -> Stop:
    """Return the checked stop of a spot: `target` in chips, or `0.1%` of the pot.

    With nothing given, 0.1 % of the pot or 60 seconds. Raises InvalidOption if a target alone is
    below what rounding allows.
    """
    if iterations is None and target is None and seconds is None:
        default = pot * DEFAULT_TARGET_PERCENT / 100.0
        return Stop(target=default, seconds=DEFAULT_SECONDS, is_default=True)
    chips = None if target is None else share_of_pot("target", target, pot)
    stop = make_stop(iterations, chips, seconds)
    least = least_exploitability(pot)
    if iterations is None and seconds is None and stop.target is not None and stop.target < least:
        raise InvalidOption(
            Argument("target"),
            f" {shortened(target)} alone may never be reached: rounding in float32 leaves about "
            f"{least:g} chips at this pot; give more, or add ",
            Argument("iterations"),
            " or ",
            Argument("time"),
        )
    return stop


def stop_for(
    method: str,
    pot: int,
    iterations: int | None = None,
    target: str | float | None = None,
    seconds: float | None = None,
    *,
    largest: float | None = None,
) -> Stop:
    """Return the checked stop of a spot by a method; `largest` is for quantal response only."""
    if method == QUANTAL.name:
        return quantal_stop(iterations, target, seconds, largest)
    if largest is not None:
        raise InvalidOption(
            Argument("target_max"), " is a residual of quantal response: add ", Argument("noise")
        )
    return spot_stop(pot, iterations, target, seconds)


def targets_of(stop: Stop) -> tuple[float | None, float | None]:
    """Return the residuals, mean and largest, that were asked for."""
    return (None, None) if stop.is_default else (stop.residual, stop.largest_residual)


def quantal_stop(
    iterations: int | None = None,
    target: str | float | None = None,
    seconds: float | None = None,
    largest: float | None = None,
) -> Stop:
    """Return the checked stop of a spot by quantal response; targets are residuals.

    With nothing given, a mean residual of 1e-3 or 60 seconds.
    """
    if iterations is None and target is None and seconds is None and largest is None:
        return Stop(residual=DEFAULT_RESIDUAL, seconds=DEFAULT_SECONDS, is_default=True)
    bounds = _residual("target", target), _residual("target_max", largest)
    if bounds == (None, None):
        return make_stop(iterations, None, seconds)
    has_more = iterations is not None or seconds is not None
    rest = make_stop(iterations, None, seconds) if has_more else Stop()
    return replace(rest, residual=bounds[0], largest_residual=bounds[1])


def _residual(name: str, given: str | float | None) -> float | None:
    """Return a residual from a number or a text such as `1e-3` or `0.1%`."""
    if given is None:
        return None
    number = number_of(given) if not isinstance(given, str) else None
    if isinstance(given, str):
        number = number_in(given.strip().removesuffix("%"))
        if number is not None and given.strip().endswith("%"):
            number = number / 100.0
    if number is None or not Number(above=0.0, most=1.0).accepts(number):
        raise InvalidOption.of(
            name, given, "a residual is a distance of probabilities: give 1e-3, or up to 1"
        )
    return float(number)


def read_spot_request(record: RunRecord) -> SpotTask:
    """Return the checked task that the run.json of a spot describes."""
    record.verify("format", "parameters", "method", "options", "stop", "fingerprint")
    try:
        spot = Spot.from_dict(record.parameters.get("spot"))  # type: ignore[arg-type]
        options = {name: from_plain(value) for name, value in record.options.items()}
        task = request_of(spot, record.method, options, _checked(record))
    except (UnknownName, InvalidOption) as error:
        raise damaged(record.path, str(error)) from error
    except UntiltError as error:
        raise damaged(record.path, f"the spot: {shortened(str(error), 200)}") from error
    if record.fingerprint != spot.fingerprint():
        raise damaged(record.path, "its spot and its fingerprint differ")
    return task


def _checked(record: RunRecord) -> Stop:
    stop = Stop(**asdict(record.stop))
    if stop.is_default:
        return stop
    if record.method == QUANTAL.name:
        residuals = stop.residual, stop.largest_residual
        return quantal_stop(stop.iterations, residuals[0], stop.seconds, residuals[1])
    return make_stop(stop.iterations, stop.target, stop.seconds)
