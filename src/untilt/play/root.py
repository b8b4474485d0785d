"""The root position of a saved game, without executing anybody's code.

A game that was compiled with its histories is played on its tree. Push/fold, and Leduc with
many ranks, have none: they are made again from the rules that come with this package, and from
nothing else. A reference to a file or module in a stranger's run is never followed.
"""

import random
from collections.abc import Mapping
from typing import Any

from untilt.errors import GameError, RunError
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.tree_position import TreePosition
from untilt.game.walking import random_hand

_NUM_TRIED_HANDS = 32
"""Random hands that must fit the names in game.bin before a game is played."""

_MAX_MOVES = 1_000


def root_of(game: CompiledGame, reference: str | None, parameters: Mapping[str, Any]) -> Game:
    """Return the root of `game`, which was solved as `reference` with `parameters`."""
    if game.tree is not None:
        return TreePosition.root_of(game)
    from untilt.games.registry import REGISTRY, resolve

    if reference is None or reference not in REGISTRY:
        raise RunError(
            f"the run of {_shown(reference)} saved no histories to play on, and its code is not "
            "executed from a run; play the game itself with `untilt play GAME`"
        )
    if game.is_partial:
        raise RunError(
            f"the run of {reference} knows only the infosets that sampling has met; play one "
            "that compiled the game, such as `untilt solve` makes it by default"
        )
    root = resolve(reference, parameters).game
    _verify_names(root, game, reference)
    return root


def _shown(reference: str | None) -> str:
    return "a position made in Python" if reference is None else repr(reference[:80])


def _verify_names(root: Game, game: CompiledGame, reference: str) -> None:
    """Raise GameError if random hands meet an infoset that `game` lacks or has with other moves."""
    rng = random.Random(0)
    for _ in range(_NUM_TRIED_HANDS):
        for position in random_hand(root, rng, _MAX_MOVES):
            if position.terminal or position.chance:
                continue
            infoset = position.infoset(position.active)
            actions = [str(action) for action in infoset.actions()]
            if len(actions) > 1:
                _verify_infoset(game, position.active, str(infoset), actions, reference)


def _verify_infoset(
    game: CompiledGame, player: int, label: str, actions: list[str], reference: str
) -> None:
    table = game.infosets[player]
    if label not in table or list(table.actions(table.index(label))) != actions:
        raise GameError(
            f"game.bin is no game of {reference}: it has no infoset {label!r} with the actions "
            f"{', '.join(actions)}; solve the game again"
        )
