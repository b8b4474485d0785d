"""A game as data: what a run stores about its game, and how to rebuild the game from it.

A recipe is a reference and parameters, as in run.json. Games that come with Untilt are rebuilt
from their recipe by their own rules. Any other reference names somebody else's code, which runs
only if the user says that she trusts it. A game that was compiled with its histories is played
and sampled on those histories instead.
"""

import random
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from untilt.errors import Argument, GameError, InvalidOption, RunError
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import GameTree
from untilt.game.histories.tree_position import TreePosition
from untilt.game.histories.walking import random_hand
from untilt.game.protocol import Game
from untilt.game.terms import Terms, terms_of
from untilt.games.parameters import parameters_of
from untilt.games.registry import REGISTRY, resolve

_NUM_TRIED_HANDS = 32
"""Random hands that must fit the names in game.bin before a game is played."""
_MAX_MOVES = 1_000


@dataclass(frozen=True)
class Recipe:
    """The reference and parameters from which a game is made."""

    reference: str | None
    """The reference; None for a position made in Python, which cannot be rebuilt."""
    parameters: Mapping[str, Any]

    @property
    def is_ours(self) -> bool:
        """Whether the game comes with Untilt, so that no other code runs."""
        return self.reference in REGISTRY.own

    @property
    def shown(self) -> str:
        """The reference, for messages."""
        return "a position made in Python" if self.reference is None else repr(self.reference[:80])

    def make(self) -> Game:
        """Return the root position, running whatever code the reference names."""
        assert self.reference is not None, "only a game with a reference can be rebuilt"
        return resolve(self.reference, self.parameters).game


def quoted(given: object) -> str:
    """Return a reference or a path as it is typed in a shell."""
    text = str(given)
    return shlex.quote(text) if text.isprintable() else repr(text)


@dataclass(frozen=True)
class Use:
    """The purpose of rebuilding a game, in the words of messages."""

    doing: str
    """Such as `resuming`."""
    advice: tuple[str | Argument, ...]
    """The advice for users who trust the code of the run."""
    in_python: str
    """The advice for positions made in Python."""


def rebuild_root(recipe: Recipe, compiled: CompiledGame, use: Use, *, trust: bool = False) -> Game:
    """Return the root of a run's game: by its rules if they are ours, else on its histories.

    Other code runs only if neither is possible, and only if the user trusts it.
    """
    if recipe.is_ours:
        return recipe.make()
    if compiled.has(GameTree):
        return TreePosition.root_of(compiled)
    if recipe.reference is None:
        raise InvalidOption(
            f"{use.doing} this run needs its game, a position made in Python that is not saved "
            f"in the run: {use.in_python}"
        )
    if not trust:
        raise RunError(
            f"{use.doing} this run would execute {recipe.shown}, which the run names and which "
            "does not come with Untilt; if you trust it: ",
            *use.advice,
        )
    return recipe.make()


def verify_same_game(recipe: Recipe, name: str, given: object, *, may_have_moved: bool) -> None:
    """Raise InvalidOption if `given` names a game other than the run's.

    With `may_have_moved`, a game that is not ours may have a new reference.
    """
    if not isinstance(given, str) or (may_have_moved and not recipe.is_ours):
        return
    if given not in (recipe.reference, name):
        raise InvalidOption(
            f"this is a run of {recipe.reference or name}, not of {given}; leave the game "
            "out: the run knows its game"
        )


def verify_fits(root: Game, game: CompiledGame, recipe: Recipe) -> None:
    """Raise GameError if random hands from `root` reach infosets that `game` does not have.

    A game that was only sampled may lack some of them, but not all.
    """
    rng = random.Random(0)
    num_known = 0
    for _ in range(_NUM_TRIED_HANDS):
        for position in random_hand(root, rng, _MAX_MOVES):
            if position.terminal or position.chance:
                continue
            infoset = position.infoset(position.active)
            label, actions = str(infoset), tuple(map(str, infoset.actions()))
            table = game.infosets[position.active]
            if label in table and table.actions(table.index(label)) == actions:
                num_known += 1
            elif len(actions) > 1 and (label in table or not game.is_partial):
                raise GameError(
                    f"game.bin is not a game of {recipe.shown}: it has no infoset {label!r} with "
                    f"the actions {', '.join(actions)}; solve the game again"
                )
    if game.is_partial and not num_known:
        raise GameError(
            f"game.bin is not a game of {recipe.shown}: random hands reach none of its infosets; "
            "solve the game again"
        )


def changed_parameters(recipe: Recipe) -> Mapping[str, Any]:
    """Return the parameters that differ from the defaults of the game, all if they are unknown."""
    spec = None if recipe.reference is None else REGISTRY.loaded().get(recipe.reference)
    defaults = () if spec is None else parameters_of(spec.factory)
    default_of = {parameter.name: parameter.default for parameter in defaults}
    return {
        name: value
        for name, value in recipe.parameters.items()
        if name not in default_of or default_of[name] != value
    }


@cache
def registered_terms(reference: str | None) -> Terms:
    """Return the terms of the registered game with this name, or the defaults if there is none.

    No user code is executed. Terms do not depend on parameters, so those in an untrusted file are
    ignored: some would exhaust the memory.
    """
    spec = None if reference is None else REGISTRY.own.get(reference)
    return Terms() if spec is None else terms_of(spec.factory())
