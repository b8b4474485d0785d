"""A game as data: what a run stores of its game, and how the game is made from that again.

A recipe is a reference and parameters, as they stand in run.json. Games that come with Untilt are
made from their recipe by our own rules. Any other reference names code of somebody else, which
runs only if the user says that she trusts it; a game that was compiled with its histories is
played and sampled on these instead.
"""

import random
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from untilt.errors import GameError, InvalidOption, RunError
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.terms import Terms, terms_of
from untilt.game.tree import GameTree
from untilt.game.tree_position import TreePosition
from untilt.game.walking import random_hand
from untilt.games.registry import REGISTRY, resolve

_NUM_TRIED_HANDS = 32
"""Random hands that must fit the names in game.bin before a game is played."""
_MAX_MOVES = 1_000


@dataclass(frozen=True)
class Recipe:
    """How a game is made."""

    reference: str | None
    """What names it; None for a position made in Python, which cannot be made again."""
    parameters: Mapping[str, Any]

    @property
    def is_ours(self) -> bool:
        """Whether the game is made without running anybody else's code."""
        return self.reference in REGISTRY

    @property
    def shown(self) -> str:
        """The reference for a message."""
        return "a position made in Python" if self.reference is None else repr(self.reference[:80])

    def make(self) -> Game:
        """Return the root position, running whatever code the reference names."""
        assert self.reference is not None, "only a game with a reference can be made again"
        return resolve(self.reference, self.parameters).game


def quoted(given: object) -> str:
    """Return a reference or a path as it is typed in a shell."""
    text = str(given)
    return shlex.quote(text) if text.isprintable() else repr(text)


@dataclass(frozen=True)
class Use:
    """What a game is made again for, as messages say it."""

    doing: str
    """Such as `resuming`."""
    commands: str
    """What to type if the code of the run is trusted."""
    in_python: str
    """How to give a position made in Python."""


def root_again(recipe: Recipe, compiled: CompiledGame, use: Use, *, trust: bool = False) -> Game:
    """Return the root of a run's game, by our rules if they make it, else on its histories.

    Code of others runs only where neither serves, and only if the user trusts it.
    """
    if recipe.is_ours:
        return recipe.make()
    if compiled.has(GameTree):
        return TreePosition.root_of(compiled)
    if recipe.reference is None:
        raise InvalidOption(
            f"{use.doing} this run needs its game, a position made in Python, which is not saved "
            f"with it: {use.in_python}"
        )
    if not trust:
        raise RunError(
            f"{use.doing} this run would execute {recipe.shown}, which is named by the run and "
            f"does not come with Untilt; if you trust it: {use.commands}"
        )
    return recipe.make()


def verify_same_game(recipe: Recipe, name: str, given: object, *, may_have_moved: bool) -> None:
    """Raise InvalidOption if `given` names another game than that of a run.

    A game that is not ours `may_have_moved`: then another reference may be where it is found now.
    """
    if not isinstance(given, str) or (may_have_moved and not recipe.is_ours):
        return
    if given not in (recipe.reference, name):
        raise InvalidOption(
            f"this is a run of {recipe.reference or name}, not of {given}; leave the game out: a "
            "run knows its own"
        )


def verify_fits(root: Game, game: CompiledGame, recipe: Recipe) -> None:
    """Raise GameError if random hands from `root` meet what `game` does not know.

    A game that was only sampled may lack infosets, but not all that are met.
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
            f"game.bin is not a game of {recipe.shown}: random hands meet none of its infosets; "
            "solve the game again"
        )


@cache
def registered_terms(reference: str | None) -> Terms:
    """Return the terms of the registered game of this name, the defaults if there is none.

    No code of a user is executed. Terms do not depend on parameters, so that those of a stranger's
    file are not tried: some would take all memory.
    """
    spec = None if reference is None else REGISTRY.get(reference)
    return Terms() if spec is None else terms_of(spec.factory())
