"""The request of a solved spot, in memory and in `run.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from untilt.errors import InvalidOption, RunError, UnknownName, UntiltError, shortened
from untilt.formats.entries import damaged
from untilt.formats.files import shown
from untilt.formats.run_file import RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.game.terms import Terms
from untilt.games.holdem.spot import Spot, share_of_pot
from untilt.games.holdem.spot_memory import Storage
from untilt.number import from_plain
from untilt.regret.rule import UpdateRule
from untilt.runs.request import RunRequest
from untilt.runs.stop import DEFAULT_SECONDS, Stop, make_stop
from untilt.solvers.methods import Method
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
class SpotRequest(RunRequest):
    """The request of a solved spot; its parameter is the spot as data.

    A best response has another, `response`: the player and the solution that is answered.
    """

    kind: ClassVar[str] = "spot"

    @property
    def spot(self) -> Spot:
        """What is solved."""
        return Spot.from_dict(self.parameters["spot"])

    @property
    def solving_method(self) -> Method:
        """The method that solves it."""
        return spot_method(self.method)

    @property
    def neutral(self) -> frozenset[str]:
        """Options that change how the result is computed, not the result."""
        return self.solving_method.neutral

    @property
    def storage(self) -> Storage:
        """How numbers are stored."""
        options = self.options
        return Storage(precision_of(options), num_tables(options), num_threads(options))

    @property
    def rule(self) -> UpdateRule:
        """How regrets are updated."""
        rule = self.solving_method.rule
        assert rule is not None
        return rule(self.options)


def request_of(spot: Spot, method: str, options: Mapping[str, Any], stop: Stop) -> SpotRequest:
    """Return the checked request for a spot."""
    return SpotRequest(
        game="spot",
        title=f"Spot {spot.board_text}",
        reference=None,
        parameters={"spot": spot.to_dict()},
        method=method,
        options=spot_method(method).options(options),
        stop=stop,
        horizon=None,
        seed=0,
        terms=TERMS,
    )


def response_request(
    spot: Spot,
    seat: str,
    source: str | None,
    locks: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
) -> SpotRequest:
    """Return the request for the best response of a player to the solution in `source`.

    `locks` are the locks of `spot` that the solution does not have.
    """
    request = request_of(spot, RESPONSE.name, options, Stop(is_default=True))
    response = {"player": seat, "run": source, "locks": [dict(lock) for lock in locks]}
    return replace(
        request,
        title=f"{request.title}, {seat.upper()} responds",
        parameters={**request.parameters, "response": response},
    )


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


def is_spot_run(folder: Path) -> bool:
    """Whether a folder holds a solved spot; raises RunError if it holds no run."""
    return RunFolder(folder).record().kind == SpotRequest.kind


def read_spot_request(folder: Path) -> tuple[SpotRequest, RunRecord]:
    """Return the checked request of the spot in `folder`, and the record in its run.json."""
    record = RunFolder(folder).record()
    if record.kind != SpotRequest.kind:
        raise RunError(
            f"{shown(folder)} is a run of {record.game}, not a spot; continue it with "
            f"`untilt solve --resume {shown(folder)}`"
        )
    record.verify("format", "parameters", "method", "options", "stop", "fingerprint")
    try:
        spot = Spot.from_dict(record.parameters.get("spot"))  # type: ignore[arg-type]
        options = {name: from_plain(value) for name, value in record.options.items()}
        request = request_of(spot, record.method, options, _checked(record))
    except (UnknownName, InvalidOption) as error:
        raise damaged(record.path, str(error)) from error
    except UntiltError as error:
        raise damaged(record.path, f"the spot: {shortened(str(error), 200)}") from error
    if record.fingerprint != spot.fingerprint():
        raise damaged(record.path, "its spot and its fingerprint differ")
    return request, record


def _checked(record: RunRecord) -> Stop:
    stop = Stop(**asdict(record.stop))
    return stop if stop.is_default else make_stop(stop.iterations, stop.target, stop.seconds)
