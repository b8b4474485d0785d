"""The strategy of a run on an abstract game, lifted to the full game to be measured there."""

from dataclasses import dataclass

from untilt.abstraction.abstract_game import AbstractPosition
from untilt.abstraction.lifting import lift
from untilt.abstraction.recipe import verify_abstraction
from untilt.errors import Argument, GameError, RunError
from untilt.game import compiled
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import OnWalked
from untilt.game.strategy.strategy import Profile
from untilt.games.recipe import Recipe
from untilt.games.registry import name_position
from untilt.runs.run import GameRun


@dataclass(frozen=True, eq=False)
class LiftedRun:
    """A strategy in the full game."""

    name: str
    """Short name of the full game."""
    title: str
    game: CompiledGame
    profile: Profile


def lift_run(
    run: GameRun, *, trust: bool = False, watcher: OnWalked | None = None
) -> LiftedRun | None:
    """Return the run's strategy in the full game; None if the run's game is not abstract.

    An abstraction with functions of the user runs the code that the run names, only with `trust`.
    Raises GameTooLarge if the full game does not compile.
    """
    request = run.request
    if request.abstraction is None:
        return None
    recipe = Recipe(request.reference, request.parameters)
    if recipe.reference is None:
        raise RunError(
            "this run is of an abstract game made in Python, which is not saved in the run: lift "
            "its strategy with untilt.abstraction.lifting.lift(game, profile, full)"
        )
    if not recipe.is_ours and not trust:
        raise RunError(
            f"measuring this run in the full game would execute {recipe.shown}, which the run "
            "names and which does not come with Untilt; if you trust it, add ",
            Argument("trust", True),
        )
    root = recipe.make()
    verify_abstraction(root, request.abstraction)
    if not isinstance(root, AbstractPosition):
        raise GameError(f"{recipe.shown} is not abstract any more; solve the game again")
    full = compiled.compile(root.base, watcher=watcher)
    full.plan_form()
    named = name_position(root.base)
    return LiftedRun(named.name, named.title, full, lift(root, run.profile, full))
