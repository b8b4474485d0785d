"""What a run works on: the game compiled, as positions, or both."""

from contextlib import suppress
from dataclasses import dataclass, replace

from untilt.errors import GameTooLarge, InvalidOption
from untilt.game.compiled import (
    CompiledGame,
    compile,  # noqa: A004
    compile_directly,
    compile_histories,
)
from untilt.game.protocol import Game
from untilt.game.tree import estimate_nodes
from untilt.runs.run import Request
from untilt.solvers.methods import AUTOMATIC, batch_for

LARGE_TREE = 3_000_000
"""Histories that are still walked when a sampling method may choose: about half a minute."""

SMALL_TREE = 100_000
"""Histories that are walked only to measure a strategy: about a second."""


@dataclass(frozen=True)
class Material:
    """A request with all that its solver is made of."""

    request: Request
    game: CompiledGame | None
    """None for a game that is sampled as positions and is too large to compile."""
    root: Game | None
    """The positions, if it is sampled as such."""


def prepare(root: Game, request: Request, max_nodes: int) -> Material:
    """Return the material for `request`, compiled as its method needs it.

    A sampling method with `on` = auto gets the tree of a game of moderate size, and works on
    the positions of a larger one. What was chosen stands in the request that is returned.
    """
    method = request.solving_method
    if method.is_sampling:
        num_histories = _estimate(root) if request.options["on"] != "tree" else 0.0
        if request.options["on"] == "auto":
            is_small = num_histories <= min(max_nodes, LARGE_TREE)
            options = {**request.options, "on": "tree" if is_small else "objects"}
            request = replace(request, options=options)
        if request.options["on"] == "objects":
            game = _measurable(root, num_histories, max_nodes)
            return _checked(Material(request, game, root))
    needs_histories = method.needs_histories(request.options)
    game = (compile_histories if needs_histories else compile)(root, max_nodes=max_nodes)
    material = Material(request, game, None)
    return _checked(material) if method.is_sampling else material


def _measurable(root: Game, num_histories: float, max_nodes: int) -> CompiledGame | None:
    """Return the game compiled, to measure strategies on, if that comes cheap."""
    game = compile_directly(root)
    if game is None and num_histories <= SMALL_TREE:
        with suppress(GameTooLarge):  # the estimate was too low
            game = compile_histories(root, max_nodes=min(max_nodes, 4 * SMALL_TREE))
    return game


def _checked(material: Material) -> Material:
    """Refuse a target that cannot be measured; write down the batch that is used."""
    stop, game = material.request.stop, material.game
    options = material.request.options
    if options["batch"] == AUTOMATIC:
        options = {**options, "batch": batch_for(game)}
        material = replace(material, request=replace(material.request, options=options))
    if stop.target is not None and not stop.is_default and (game is None or game.form is None):
        reason = "it is too large to compile" if game is None else f"{game.recall_error}"
        raise InvalidOption(
            f"--target {stop.target:g} needs the exploitability, which cannot be measured for "
            f"this game ({reason}); use --time or --iterations"
        )
    return material


def _estimate(root: Game) -> float:
    """Return about how many histories there are; infinite if they cannot be listed."""
    try:
        return estimate_nodes(root)
    except GameTooLarge:
        return float("inf")
