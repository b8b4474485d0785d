"""The task of solving a spot, in memory and in `run.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from untilt.errors import InvalidOption, UnknownName, UntiltError, shortened
from untilt.formats.base.entries import damaged
from untilt.formats.run.run_file import RunRecord
from untilt.game.terms import Terms
from untilt.games.holdem.cost.spot_memory import Storage
from untilt.games.holdem.spots.spot import Spot, share_of_pot
from untilt.number import from_plain
from untilt.options.option import Options
from untilt.regret.rule import UpdateRule
from untilt.runs.stop import DEFAULT_SECONDS, Stop, make_stop
from untilt.runs.task import RunTask
from untilt.solvers.public_tree.methods import (
    RESPONSE,
    num_tables,
    num_threads,
    precision_of,
    spot_method,
)

DEFAULT_TARGET_PERCENT = 0.1
"""In percent of the pot."""

TERMS = Terms(seats=("out of position", "in position"), private="hand", public="board")


@dataclass(frozen=True)
class SpotSubject:
    """A spot, or the best response of a player in it."""

    spot: Spot
    response: Mapping[str, Any] | None = None
    """Of a best response: the player, and the solution that is answered."""

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
        """The spot as data, and the response."""
        response = {} if self.response is None else {"response": self.response}
        return {"spot": self.spot.to_dict(), **response}

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
    return RunTask(SpotSubject(spot), method, spot_method(method).options(options), stop)


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

    With nothing given, 0.1 % of the pot or 60 seconds.
    """
    if iterations is None and target is None and seconds is None:
        default = pot * DEFAULT_TARGET_PERCENT / 100.0
        return Stop(target=default, seconds=DEFAULT_SECONDS, is_default=True)
    return make_stop(
        iterations, None if target is None else share_of_pot("target", target, pot), seconds
    )


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
    return stop if stop.is_default else make_stop(stop.iterations, stop.target, stop.seconds)
