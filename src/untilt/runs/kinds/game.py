"""Solving a game."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from untilt.errors import InvalidOption, nearest, shortened
from untilt.options.run import MAX_NODES, SEED
from untilt.runs.kinds.kind import Changes, Means, RunKind

if TYPE_CHECKING:
    from untilt.formats.run.run_file import RunRecord
    from untilt.game.compiled import CompiledGame
    from untilt.game.protocol import Game
    from untilt.games.recipe import Recipe
    from untilt.games.registry import GameLike
    from untilt.runs.games.game_request import GameTask
    from untilt.runs.games.material import GameMaterial
    from untilt.runs.run import GameRun
    from untilt.runs.watching import Watcher

VIEWS = frozenset({"convergence", "strategy", "pushfold", "branch", "play", "facts"})
"""Of every run whose strategy has infosets."""

_ARGUMENTS = (
    *("method", "parameters", "iterations", "target", "time", "seed", "output", "save"),
    *("max_nodes", "pace", "watcher"),
)


class GameKind(RunKind):
    """The run of a solver on a game."""

    name: ClassVar[str] = "solve"
    noun: ClassVar[str] = "a run of a game"
    command: ClassVar[str] = "solve"
    views: ClassVar[frozenset[str]] = VIEWS
    means: ClassVar[frozenset[str]] = frozenset({"max_nodes", "game", "trust"})
    is_of_game: ClassVar[bool] = True
    takes_the_rest: ClassVar[bool] = True

    def takes(self, subject: object) -> bool:
        """Whether it may be a game: `task` says what is wrong with it."""
        del subject
        return True

    def task(
        self,
        subject: "GameLike",
        /,
        method: str | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        iterations: int | None = None,
        target: float | None = None,
        time: float | None = None,
        seed: int = 0,
        **options: Any,
    ) -> "GameTask":
        """Return the checked task for a game."""
        from untilt.abstraction.recipe import described
        from untilt.game.terms import terms_of
        from untilt.games.registry import name_game
        from untilt.runs.games.game_request import GameSubject
        from untilt.runs.stop import chosen_stop
        from untilt.runs.task import RunTask
        from untilt.solvers.methods import DEFAULT_METHOD, method_named

        chosen = method_named(DEFAULT_METHOD if method is None else method)
        stop = chosen_stop(chosen, iterations, target, time)
        SEED.verify(seed)
        for name, value in options.items():
            if name not in chosen.defaults:
                _explain_unknown(name, value, subject)
        checked = chosen.options(options)
        named = name_game(subject, {} if parameters is None else parameters)
        game = GameSubject(
            game=named.name,
            title=named.title,
            reference=named.reference,
            parameters=named.parameters,
            terms=terms_of(named.game),
            abstraction=described(named.game),
            root=named.game,
        )
        return RunTask(game, chosen.name, checked, stop, int(seed), horizon=stop.iterations)

    def read(self, record: "RunRecord") -> "GameTask":
        """Return the checked task that a run.json describes."""
        from untilt.runs.games.game_request import read_game_request

        return read_game_request(record)

    def prepare(self, task: "GameTask", means: Means) -> "GameMaterial":
        """Return the material of a new run, compiled as its method needs it."""
        from untilt.game.histories.tree import DEFAULT_MAX_NODES
        from untilt.runs.games.material import prepare
        from untilt.runs.watching import Status

        most = DEFAULT_MAX_NODES if means.max_nodes is None else means.max_nodes
        MAX_NODES.verify(most)

        def report_walked(histories: int | None) -> None:
            means.watcher(Status(phase="compiling", folder=means.folder, histories=histories))

        root = task.subject.root
        assert root is not None
        report_walked(None)
        return prepare(root, task, most, report_walked)

    def changed(self, task: "GameTask", folder: Path, changes: Changes, means: Means) -> "GameTask":
        """Return the task of a continued run with the changes."""
        from dataclasses import replace

        from untilt.game.protocol import Game
        from untilt.games.recipe import Recipe, verify_same_game
        from untilt.runs.stop import chosen_stop
        from untilt.solvers.methods import method_named

        del folder
        iterations, target, time, threads, _ = changes
        method = method_named(task.method)
        if threads is not None:
            task = replace(task, options=method.options({**task.options, "threads": threads}))
        if changes.have_stop:
            if isinstance(target, str):
                raise InvalidOption.of(
                    "target", target, "give a number of chips; only spots have a pot"
                )
            if not method.has_iterations:
                raise InvalidOption(f"method {task.method} runs to its end; it takes no new stop")
            task = replace(task, stop=chosen_stop(method, iterations, target, time))
        recipe = Recipe(task.reference, task.parameters)
        is_on_objects = Game in method.needs(task.options)
        verify_same_game(recipe, task.game, means.game, may_have_moved=is_on_objects)
        return task

    def reopen(self, task: "GameTask", record: "RunRecord", means: Means) -> "GameMaterial":
        """Return the material of a continued run: the compiled game of its folder."""
        from untilt.abstraction.recipe import verify_abstraction
        from untilt.game.histories.tree_position import TreePosition
        from untilt.game.protocol import Game
        from untilt.games.recipe import Recipe
        from untilt.runs.games.game_folder import read_own_game
        from untilt.runs.games.material import GameMaterial
        from untilt.solvers.methods import method_named

        folder = record.path.parent
        compiled = read_own_game(folder, record)
        root = None
        if Game in method_named(task.method).needs(task.options):
            recipe = Recipe(task.reference, task.parameters)
            root = _root(folder, recipe, compiled, means)
            if not isinstance(root, TreePosition):
                verify_abstraction(root, task.abstraction)
        return GameMaterial(task, compiled, root)

    def finished(self, task: "GameTask", record: "RunRecord", means: Means) -> "GameRun | None":
        """Return the run if it has a result."""
        from untilt.runs.games.game_folder import load_finished

        del means
        return load_finished(task, record)

    def load(self, record: "RunRecord", watcher: "Watcher") -> "GameRun":
        """Return the run of a folder, finished or not."""
        from untilt.runs.games.game_folder import load_finished, load_unfinished, read_own_game
        from untilt.runs.games.game_request import solver_of

        del watcher
        task = self.read(record)
        finished = load_finished(task, record)
        if finished is not None:
            return finished
        game = read_own_game(record.path.parent, record)
        return load_unfinished(record.path.parent, task, game, solver_of(task, game), self.command)


def _explain_unknown(name: str, value: Any, game: object) -> None:
    """Raise InvalidOption if `name` is a parameter of the game, or nearly another argument."""
    from untilt.games.loading import is_position
    from untilt.games.parameters import parameters_of
    from untilt.games.registry import REGISTRY
    from untilt.solvers.methods import METHODS

    spec = REGISTRY.own.get(game) if isinstance(game, str) else None
    factory = game if spec is None else spec.factory
    if callable(factory) and not is_position(factory):
        known = [one.name for one in parameters_of(factory)]
    else:
        known = []
    if name in known:
        raise InvalidOption(
            f"{name} is a parameter of the game, not of its solver; give parameters="
            f"{{{name!r}: {shortened(value)}}}"
        )
    is_option = any(name in method.defaults for method in METHODS.values())
    near = None if is_option else nearest(name, _ARGUMENTS)
    if near is not None:
        raise InvalidOption(f"solve takes no argument {name}: did you mean {near}?")


def _root(folder: Path, recipe: "Recipe", compiled: "CompiledGame", means: Means) -> "Game":
    """Return the root position of a run on objects: the one given, or a new one."""
    from untilt.games.recipe import Recipe, Use, quoted, rebuild_root

    if isinstance(means.game, str):
        return Recipe(means.game, recipe.parameters).make()
    if means.game is not None:
        return means.game
    named, again = quoted(recipe.reference), f"--resume {quoted(folder)}"
    use = Use(
        doing="resuming",
        advice=(f"untilt solve {named} {again}, or untilt solve {again} --trust",),
        in_python="continue it with untilt.resume(path, game=position)",
    )
    return rebuild_root(recipe, compiled, use, trust=means.trust)
