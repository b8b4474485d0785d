"""The request of a run: in memory, and as `run.json`."""

import datetime
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from untilt import __version__
from untilt.errors import InvalidOption, RunError, UnknownName
from untilt.formats.entries import damaged
from untilt.formats.files import shown
from untilt.formats.run_command import maker
from untilt.formats.run_file import FORMAT, RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.terms import Terms
from untilt.games.recipe import registered_terms
from untilt.number import from_plain, plain
from untilt.options.option import Options
from untilt.runs.stop import Stop, chosen_stop, make_stop
from untilt.solvers.methods import Method, method_named
from untilt.solvers.progress import Solver


@dataclass(frozen=True)
class RunRequest:
    """The request of any run: everything that, with the game, determines it."""

    game: str
    """Short name of the game."""
    title: str
    reference: str | None
    """A reference that resolves to the game; None for a position given from Python."""
    parameters: Mapping[str, Any]
    method: str
    options: Options
    stop: Stop
    horizon: int | None
    """Iterations planned when the run began, if any. Schedules depend on it, so it stays the same
    when a resumed run gets another stop."""
    seed: int
    terms: Terms
    """The words that the game uses, such as the unit of its payoffs."""
    abstraction: Mapping[str, Any] | None = None
    """What an abstract game is made of, with its fingerprint; None for any other game."""

    kind: ClassVar[str] = "solve"
    """As written in run.json."""

    @property
    def neutral(self) -> frozenset[str]:
        """Options that change how the result is computed, not the result."""
        return frozenset()

    def identity(self) -> dict[str, Any]:
        """Return what a checkpoint must have in common with the run, apart from the game."""
        options = {name: value for name, value in self.options.items() if name not in self.neutral}
        return {
            "method": self.method,
            "options": plain(options),
            "horizon": self.horizon,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Request(RunRequest):
    """The request of a solver's run."""

    @property
    def solving_method(self) -> Method:
        """The method that solves it."""
        return method_named(self.method)

    @property
    def neutral(self) -> frozenset[str]:
        """Options that change how the result is computed, not the result."""
        return self.solving_method.neutral

    def solver(self, game: CompiledGame, root: Game | None = None) -> Solver:
        """Return a new solver of the compiled game, or of the positions below `root`."""
        return self.solving_method.build(
            game, self.options, self.horizon, seed=self.seed, root=root
        )


@dataclass(frozen=True)
class TrainingRequest(RunRequest):
    """The request of a push/fold training; its iterations are hands."""

    kind: ClassVar[str] = "training"


def describe(request: RunRequest, fingerprint: str) -> dict[str, Any]:
    """Return the content of `run.json`."""
    return {
        **describe_origin(),
        "game": request.game,
        "title": request.title,
        "reference": request.reference,
        "parameters": plain(request.parameters),
        "stop": asdict(request.stop),
        **request.identity(),
        "options": plain(request.options),
        "fingerprint": fingerprint,
        "terms": request.terms.to_json(),
        **({} if request.abstraction is None else {"abstraction": dict(request.abstraction)}),
        **({} if request.kind == "solve" else {"kind": request.kind}),
    }


def describe_origin() -> dict[str, Any]:
    """Return when, by which command and version, and on which machine a folder is written.

    All `run.json` files have this part.
    """
    from importlib.metadata import version

    return {
        "format": FORMAT,
        **maker(),
        "untilt": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": version("numba"),
        },
    }


def read_request(folder: Path) -> tuple[RunRequest, RunRecord]:
    """Return the checked request of the run in `folder`, and the record in its run.json."""
    record = RunFolder(folder).record()
    if record.kind == "sweep":
        raise RunError(
            f"{shown(folder)} holds push/fold charts of many stacks, not a run of one game; "
            f"look at them with `untilt serve {shown(folder)}`"
        )
    if record.kind == "spot":
        raise RunError(
            f"{shown(folder)} holds a solved spot, not a run of a game; look at it with "
            f"`untilt show {shown(folder)}`, continue it with `untilt spot --resume`"
        )
    if record.kind == "blueprint":
        raise RunError(
            f"{shown(folder)} holds a blueprint, not a run of a game; look at it with "
            f"`untilt blueprint chart {shown(folder)}`, continue it with `untilt blueprint train "
            "--resume`"
        )
    record.verify(
        *("format", "title", "reference", "parameters", "method", "options", "stop"),
        *("horizon", "seed", "fingerprint", "terms"),
    )
    assert record.seed is not None
    is_training = record.kind == TrainingRequest.kind
    try:
        options = {name: _option(value) for name, value in record.options.items()}
        stop = Stop(**asdict(record.stop))
        if not is_training:
            method = method_named(record.method)
            options = method.options(options)
            given = (method, stop.iterations, stop.target, stop.seconds)
            stop = make_stop() if stop.is_default else chosen_stop(*given)
    except (UnknownName, InvalidOption) as error:
        raise damaged(record.path, str(error)) from error
    made = TrainingRequest if is_training else Request
    request = made(
        game=record.game,
        title=record.title,
        reference=record.reference,
        parameters=record.parameters,
        method=record.method,
        options=options,
        stop=stop,
        horizon=record.horizon,
        seed=record.seed,
        terms=record.terms or registered_terms(record.reference),
        abstraction=record.abstraction,
    )
    return request, record


def _option(value: Any) -> float | int | str:
    """Return an option as it was before `plain`."""
    value = from_plain(value)
    if not isinstance(value, float | int | str) or (isinstance(value, int) and abs(value) > 2**63):
        raise InvalidOption("an option is neither a string nor a number below 2⁶³")
    return value
