"""The task of solving a game, in memory and in `run.json`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from untilt.errors import InvalidOption, UnknownName
from untilt.formats.base.entries import damaged
from untilt.formats.run.run_file import RunRecord
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.terms import Terms
from untilt.games.recipe import registered_terms
from untilt.options.option import Options
from untilt.runs.stop import Stop, chosen_stop, make_stop
from untilt.runs.task import RunTask, Subject, plain_options
from untilt.solvers.methods import method_named
from untilt.solvers.progress import Solver


@dataclass(frozen=True)
class GameSubject:
    """A game, by its root position or by what its folder says of it."""

    game: str
    """Short name."""
    title: str
    reference: str | None
    """A reference that resolves to the game; None for a position given from Python."""
    parameters: Mapping[str, Any]
    terms: Terms
    abstraction: Mapping[str, Any] | None = None
    root: Game | None = field(default=None, compare=False, repr=False)
    """The root position of a new run; a folder holds no code."""

    kind: ClassVar[str] = "solve"

    def lasting(self, method: str, options: Options) -> Options:
        """Return the options on which the result depends."""
        neutral = method_named(method).neutral
        return {name: value for name, value in options.items() if name not in neutral}


GameTask = RunTask[GameSubject]


def solver_of(task: RunTask[Subject], game: CompiledGame, root: Game | None = None) -> Solver:
    """Return a new solver of the compiled game, or of the positions below `root`."""
    method = method_named(task.method)
    return method.build(game, task.options, task.horizon, seed=task.seed, root=root)


def read_game_request(record: RunRecord) -> GameTask:
    """Return the checked task that the run.json of a solver's run describes."""
    record.verify(
        *("format", "title", "reference", "parameters", "method", "options", "stop"),
        *("horizon", "seed", "fingerprint", "terms"),
    )
    assert record.seed is not None
    try:
        options = plain_options(record.options)
        stop = Stop(**asdict(record.stop))
        method = method_named(record.method)
        options = method.options(options)
        given = (method, stop.iterations, stop.target, stop.seconds)
        stop = make_stop() if stop.is_default else chosen_stop(*given)
    except (UnknownName, InvalidOption) as error:
        raise damaged(record.path, str(error)) from error
    subject = GameSubject(
        game=record.game,
        title=record.title,
        reference=record.reference,
        parameters=record.parameters,
        terms=record.terms or registered_terms(record.reference),
        abstraction=record.abstraction,
    )
    return RunTask(subject, record.method, options, stop, record.seed, record.horizon)
