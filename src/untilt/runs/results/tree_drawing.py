"""The tree of a game as a picture, with the strategy of a run or a file on it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.charts.figures.tree_figure import tree_figure
from untilt.display import Cell, html_table
from untilt.errors import GameError, InvalidOption, RunError, require
from untilt.formats.base.files import REPEAT, path_of, write_atomically
from untilt.game.histories.outline import DEFAULT_MAX_OUTLINE, Outline, after_moves, outline
from untilt.game.histories.tree import CHANCE, TERMINAL
from untilt.game.histories.walking import NotListed
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import PlainProfile
from untilt.game.terms import Terms, terms_of
from untilt.games.parameters import verify_mapping
from untilt.games.recipe import Recipe, Use, changed_parameters, rebuild_root
from untilt.games.registry import GameLike, NamedGame, name_game
from untilt.options.option import verify
from untilt.options.run import DRAWING
from untilt.runs.results.given_strategies import AnyStrategy, is_run_folder, source_of
from untilt.runs.results.sources import LoadedProfile
from untilt.runs.run import GameRun

if TYPE_CHECKING:
    from pandas import DataFrame

SUFFIX = ".svg"

_KINDS = {CHANCE: "chance", TERMINAL: "terminal"}
_MAX_SHOWN = 250_000
"""Characters of a picture that a notebook shows; a larger one has to be saved."""


@dataclass(frozen=True)
class DrawnGame:
    """The game to be drawn."""

    name: str
    title: str
    parameters: Mapping[str, Any]
    root: Game = field(repr=False)
    strategy: PlainProfile | None = field(default=None, repr=False)
    source: str = ""
    """Where the strategy comes from; empty without one."""
    warning: str | None = None
    """What the user should know about the strategy's run."""

    @classmethod
    def of_run(cls, played: LoadedProfile) -> "DrawnGame":
        """Return the game of a run with its strategy."""
        run = played.run
        assert run is not None
        request = run.request
        use = Use(
            doing="drawing",
            advice=(f"untilt tree {request.reference} --strategy {played.name}",),
            in_python="untilt.games.tree(position, strategy=run)",
        )
        root = rebuild_root(Recipe(request.reference, request.parameters), run.game, use)
        known = request.game, request.title, request.parameters
        return cls(*known, root, run.profile, played.name, run.warning)

    @classmethod
    def of_game(cls, named: NamedGame, played: LoadedProfile | None = None) -> "DrawnGame":
        """Return a game, with a strategy for it if there is one."""
        known = named.name, named.title, named.parameters, named.game
        if played is None:
            return cls(*known)
        warning = None if played.run is None else played.run.warning
        return cls(*known, played.profile, played.name, warning)

    @property
    def described(self) -> str:
        """The title, with the parameters that differ from the defaults."""
        changed = changed_parameters(Recipe(self.name, self.parameters))
        given = ", ".join(f"{name}={value}" for name, value in changed.items())
        return f"{self.title} ({given})" if given else self.title


@dataclass(frozen=True, eq=False, repr=False)
class TreeDrawing:
    """A game tree, or its part after some moves: the result of `untilt.games.tree`."""

    drawn: DrawnGame
    moves: tuple[str, ...]
    """The moves before the first node."""
    outline: Outline
    """The nodes, level by level."""
    terms: Terms

    @property
    def title(self) -> str:
        """The heading of the picture."""
        after = f" after {', '.join(self.moves)}" if self.moves else ""
        return self.drawn.described + after

    @cached_property
    def svg(self) -> str:
        """The picture as SVG text."""
        return tree_figure(self.outline, self.title, self.terms, strategy=self.drawn.source)

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> Path:
        """Write the picture to a file that ends in .svg, and return the file.

        An existing file is refused unless `replace` is given.
        """
        given = path_of(path)
        file = verify_tree_file(given, "path", replaced_by=None if replace else "replace=True")
        write_atomically(file, [self.svg.encode()], remedy=REPEAT)
        return file

    def to_json(self) -> dict[str, Any]:
        """Return the nodes as plain data."""
        found = self.outline
        return {
            "game": self.drawn.name,
            "parameters": dict(self.drawn.parameters),
            "strategy": self.drawn.source or None,
            "depth": found.depth,
            "infosets": len(found.infosets()),
            "terminals": found.num_terminals,
            "cut": found.num_cut,
            "nodes": [
                asdict(node)
                | {
                    "kind": _KINDS.get(node.player, "decision"),
                    "player": node.player if node.player >= 0 else None,
                    "parent": node.parent if node.parent >= 0 else None,
                    "payoffs": None if node.payoffs is None else list(node.payoffs),
                }
                for node in found.nodes
            ],
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per node: its parent, the move to it, who decides."""
        pandas = require("pandas", "to_frame")
        frame: DataFrame = pandas.DataFrame(self.to_json()["nodes"]).astype(
            {"parent": "Int64", "player": "Int64"}
        )
        return frame

    def __repr__(self) -> str:
        found = self.outline
        cut = f", goes on below depth {found.depth}" if found.num_cut else ""
        return (
            f"<TreeDrawing of {self.title[:120]}: {len(found.nodes):,} nodes, "
            f"{len(found.infosets()):,} infosets, {found.num_terminals:,} terminals{cut}; "
            "save it with .save('tree.svg')>"
        )

    def _repr_html_(self) -> str:
        """Return the picture for notebooks; a small table if the picture is too large."""
        if len(self.svg) <= _MAX_SHOWN:
            return f'<div style="overflow:auto">{self.svg}</div>'
        found = self.outline
        rows: list[list[Cell]] = [
            ["nodes", len(found.nodes)],
            ["infosets", len(found.infosets())],
            ["terminals", found.num_terminals],
            ["depth", found.depth],
        ]
        note = "too large to show here; .save('tree.svg') writes it"
        return html_table(self.title, rows, note=note)


def tree(
    game: GameLike | GameRun,
    strategy: "AnyStrategy | None" = None,
    *,
    after: str | Iterable[str] = (),
    depth: int | None = None,
    max_nodes: int = 300,
    parameters: Mapping[str, Any] | None = None,
) -> TreeDrawing:
    """Return the tree of a game with its infosets as a picture, for notebooks and `.save(path)`.

    A run, or its folder, is drawn with its strategy, any other game with `strategy` if one is
    given: the more likely an action, the wider its line. `after` lists the moves, such as
    `"J, Q, check"`, that come before the part to draw. `depth` limits the number of moves and
    `max_nodes` the number of nodes: as many whole levels as fit are drawn.

    >>> import untilt
    >>> drawing = untilt.games.tree("kuhn", untilt.strategies.uniform("kuhn"))
    >>> len(drawing.outline.nodes), len(drawing.outline.infosets())
    (58, 12)
    >>> drawing.save("kuhn.svg").name
    'kuhn.svg'
    """
    verify(DRAWING, max_nodes=max_nodes, depth=depth)
    if not isinstance(after, Iterable):
        raise InvalidOption.of("after", after, "give moves, such as 'J, Q, check'")
    moves = after.split(",") if isinstance(after, str) else [str(move) for move in after]
    given = {} if parameters is None else parameters
    verify_mapping(given)
    if is_run_folder(game) or isinstance(game, GameRun):
        if given or strategy is not None:
            raise InvalidOption(
                "a run has its own parameters and strategy; leave others out, or give the game"
            )
        drawn = DrawnGame.of_run(source_of(game, None, {}))
    else:
        named = name_game(game, given)
        played = None if strategy is None else source_of(strategy, named, {})
        drawn = DrawnGame.of_game(named, played)
    wanted = [move.strip() for move in moves if move.strip()]
    return draw_tree(drawn, after=wanted, depth=depth, max_nodes=int(max_nodes))


def draw_tree(
    drawn: DrawnGame,
    *,
    after: Sequence[str] = (),
    depth: int | None = None,
    max_nodes: int = DEFAULT_MAX_OUTLINE,
) -> TreeDrawing:
    """Return the tree of a game: at most `depth` moves deep and `max_nodes` nodes in all."""
    moves = tuple(after)
    try:
        found = outline(
            after_moves(drawn.root, moves),
            max_nodes=max_nodes,
            max_depth=depth,
            strategy=drawn.strategy,
        )
    except NotListed:
        raise GameError(
            f"{drawn.name} does not list its chance outcomes, so its tree cannot be drawn; "
            "draw a smaller version of the game, see `untilt games`"
        ) from None
    return TreeDrawing(drawn, moves, found, terms_of(drawn.root))


def verify_tree_file(file: Path, argument: str, *, replaced_by: str | None) -> Path:
    """Return the file to draw to; raise an error if it cannot be written, before any work.

    `replaced_by` is what the user adds to replace a file that exists; None if it may be replaced.
    """
    if file.suffix != SUFFIX:
        raise InvalidOption.of(argument, str(file), f"the tree is drawn as SVG: end it in {SUFFIX}")
    if file.exists() and replaced_by is not None:
        raise RunError(f"{file} already exists; choose another file, or replace it: {replaced_by}")
    return file
