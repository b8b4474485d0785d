"""What a run works on: the game compiled, as positions, or both."""

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace

from untilt.errors import Argument, GameTooLarge, InvalidOption
from untilt.game.compiled import (
    NOTHING_KNOWN,
    CompiledGame,
    compile,  # noqa: A004
    compile_directly,
    compile_histories,
)
from untilt.game.protocol import Game
from untilt.game.sequence_form import SequenceForm
from untilt.game.size import SizeEstimate, estimate_size
from untilt.game.tree import GameTree, OnWalked
from untilt.runs.request import Request
from untilt.solvers.methods import AUTOMATIC, batch_for

LARGE_TREE = 3_000_000
"""Histories that are still walked when a sampling method may choose: about half a minute."""

SMALL_TREE = 100_000
"""Histories that are walked only to measure a strategy: about a second."""


@dataclass(frozen=True)
class Material:
    """A request with all that its solver is made of."""

    request: Request
    game: CompiledGame
    """Without forms if it is sampled as positions and too large to compile."""
    root: Game | None
    """The positions, if it is sampled as such."""
    note: str | None = None
    """What the user should know about the choice."""


def prepare(
    root: Game, request: Request, max_nodes: int, watcher: OnWalked | None = None
) -> Material:
    """Return the material for `request`, compiled as its method needs it.

    A sampling method with `on` = auto gets the tree of a game of moderate size, and works on
    the positions of a larger one, or of one whose tree would take longer than the time that it
    is to be solved in. What was chosen stands in the request that is returned. `watcher` is told
    how many histories were walked.
    """
    needs = request.solving_method.needs(request.options)
    if Game not in needs:
        compiler = compile_histories if GameTree in needs else compile
        return _checked(
            Material(request, compiler(root, max_nodes=max_nodes, watcher=watcher), None)
        )
    patience = _Patience(request, watcher)
    size = _estimate(root)
    if GameTree in needs:
        game = _tree_of(root, size, max_nodes, patience)
        if game.has(GameTree):
            request = replace(request, options={**request.options, "on": "tree"})
            return _checked(Material(request, game, None))
        request = replace(request, options={**request.options, "on": "objects"})
    game = _measurable(root, size, max_nodes, patience)
    return _checked(Material(request, game, root, patience.note))


class _TooSlow(GameTooLarge):
    """The walk would take longer than solving."""


class _Patience:
    """A watcher of a walk that may be given up: it lasts no longer than the solving is to.

    If no time was given it lasts for ever, so that what is walked does not depend on the clock.
    """

    def __init__(self, request: Request, watcher: OnWalked | None) -> None:
        stop = request.stop
        is_bounded = stop.seconds is not None and not stop.is_default
        self.seconds = stop.seconds if is_bounded and stop.seconds is not None else math.inf
        self.note: str | None = None
        self._began = time.monotonic()
        self._watcher = watcher

    def __call__(self, histories: int) -> None:
        if self._watcher is not None:
            self._watcher(histories)
        if time.monotonic() - self._began > self.seconds:
            self.give_up()
            raise _TooSlow("the game takes longer to walk than it may to solve")

    def give_up(self) -> None:
        """Remember to say that the game was not walked."""
        self.note = (
            f"compiling the game would have taken longer than the {self.seconds:g} s for solving "
            "it, so that its positions were sampled, which is slower; with on=tree it is compiled "
            "in any case"
        )


def _tree_of(
    root: Game, size: SizeEstimate | None, max_nodes: int, patience: _Patience
) -> CompiledGame:
    """Return the game compiled with its tree, or without forms if it is too large for that."""
    if size is None or size.num_histories > min(max_nodes, LARGE_TREE):
        return NOTHING_KNOWN
    if size.num_histories * size.seconds_per_position > patience.seconds:
        patience.give_up()
        return NOTHING_KNOWN
    try:
        return compile_histories(root, max_nodes=max_nodes, watcher=patience)
    except _TooSlow:
        return NOTHING_KNOWN


def _measurable(
    root: Game, size: SizeEstimate | None, max_nodes: int, patience: _Patience
) -> CompiledGame:
    """Return the game compiled, to measure strategies on, or without forms if that costs much."""
    game = compile_directly(root) or NOTHING_KNOWN
    if game.is_partial and size is not None and size.num_histories <= SMALL_TREE:
        with suppress(GameTooLarge):  # the estimate was too low, or there is no time
            limit = min(max_nodes, 4 * SMALL_TREE)
            game = compile_histories(root, max_nodes=limit, watcher=patience)
    return game


def _checked(material: Material) -> Material:
    """Refuse a target that cannot be measured; write down the batch that is used."""
    if not material.request.solving_method.is_sampling:
        return material
    stop, game = material.request.stop, material.game
    options = material.request.options
    if options["batch"] == AUTOMATIC:
        options = {**options, "batch": batch_for(game)}
        material = replace(material, request=replace(material.request, options=options))
    if stop.target is not None and not stop.is_default and not game.has(SequenceForm):
        reason = game.recall_error or "it is too large to compile"
        raise InvalidOption(
            Argument("target", stop.target),
            f" needs the exploitability, which cannot be measured for this game ({reason}); use ",
            Argument("time"),
            " or ",
            Argument("iterations"),
        )
    return material


def _estimate(root: Game) -> SizeEstimate | None:
    """Return about how many histories there are; None if they cannot be listed."""
    try:
        return estimate_size(root)
    except GameTooLarge:
        return None
