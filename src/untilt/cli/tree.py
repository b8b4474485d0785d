"""`untilt tree`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from untilt.cli.sources import Json, Parameters, parse_parameters, read_source, users_code
from untilt.errors import GameError, InvalidOption, RunError
from untilt.game.protocol import Game

if TYPE_CHECKING:
    from collections.abc import Mapping

    from untilt.cli.sources import LoadedProfile
    from untilt.game.outline import Outline
    from untilt.game.strategy import PlainProfile

_SUFFIX = ".svg"


def tree(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="A game, as for `untilt solve`, or the folder of a run, whose strategy is drawn.",
            show_default=False,
        ),
    ],
    strategy: Annotated[
        Path | None,
        typer.Option(
            "-s",
            "--strategy",
            metavar="RUN_OR_STRATEGY.json",
            help="Draw each action as wide as this run or strategy file plays it.",
            show_default=False,
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="MOVES",
            help="Begin after these moves, such as 'J, Q, check'; chance outcomes are moves.",
            show_default=False,
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(min=1, help="Draw at most this many moves.", show_default=False),
    ] = None,
    max_nodes: Annotated[
        int,
        typer.Option(min=2, help="Draw at most this many nodes: as many whole levels as fit."),
    ] = 300,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The SVG file to write; {game}-tree.svg in the current folder by default.",
            show_default=False,
        ),
    ] = None,
    parameter: Parameters = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Draw the game tree with its infosets as an SVG picture.

    Nodes of an infoset share a label and are joined by dashed arcs. A large tree is cut after
    whole levels, and the picture says so; --after, --depth and --max-nodes choose another part.
    With --json the nodes are printed too.
    """
    from untilt.charts.tree_figure import tree_figure
    from untilt.cli.output import echo, print_json, say
    from untilt.formats.files import write_atomically
    from untilt.game.outline import after_moves, outline
    from untilt.game.terms import terms_of
    from untilt.game.walking import NotListed

    with users_code():
        drawn = _drawn(game, parse_parameters(parameter), strategy)
        file = output or Path(f"{drawn.name}-tree{_SUFFIX}")
        _verify_file(file, is_replaced=force)
        moves = [name.strip() for name in after.split(",")] if after else []
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
        terms = terms_of(drawn.root)
    title = drawn.described + (f" after {', '.join(moves)}" if moves else "")
    text = tree_figure(found, title, terms, strategy=drawn.source)
    write_atomically(file, [text.encode()])
    if found.num_cut and depth is None:
        say(
            f"the tree goes on: it is drawn to depth {found.depth}, because the next level would "
            f"exceed --max-nodes {max_nodes}; draw another part with --after, or more with "
            "--max-nodes"
        )
    if as_json:
        print_json(_document(drawn, found, file))
    else:
        echo(
            f"saved in {file} ({len(found.nodes):,} nodes, {len(found.infosets()):,} infosets, "
            f"{found.num_terminals:,} terminals)"
        )


class _Drawn(NamedTuple):
    """What is drawn."""

    name: str
    title: str
    parameters: "Mapping[str, Any]"
    root: Game
    strategy: "PlainProfile | None"
    source: str
    """Where the strategy comes from; empty without one."""

    @property
    def described(self) -> str:
        """The title, with the parameters that are not the usual ones."""
        from untilt.games.recipe import Recipe, changed_parameters

        changed = changed_parameters(Recipe(self.name, self.parameters))
        given = ", ".join(f"{name}={value}" for name, value in changed.items())
        return f"{self.title} ({given})" if given else self.title


def _drawn(game: str, parameters: dict[str, str], strategy: Path | None) -> _Drawn:
    from untilt.games.recipe import Recipe
    from untilt.games.registry import resolve

    path = Path(game)
    if path.is_dir() and not Recipe(game, {}).is_ours:
        if parameters or strategy is not None:
            flag = "-p" if parameters else "--strategy"
            raise InvalidOption(
                f"{game} is a run, which has its own parameters and strategy; leave {flag} out, "
                "or give the game instead"
            )
        return _run_drawn(read_source(path))
    named = resolve(game, parameters)
    if strategy is None:
        return _Drawn(named.name, named.title, named.parameters, named.game, None, "")
    given = [f"{name}={value}" for name, value in named.parameters.items()]
    played = read_source(strategy, game, given)
    return _Drawn(
        named.name, named.title, named.parameters, named.game, played.profile, str(strategy)
    )


def _run_drawn(source: "LoadedProfile") -> _Drawn:
    from untilt.games.recipe import Recipe, Use, rebuild_root

    assert source.run is not None
    request = source.run.request
    use = Use(
        doing="drawing",
        commands=f"untilt tree {request.reference} --strategy {source.path}",
        in_python="untilt.game.outline.outline(position)",
    )
    root = rebuild_root(Recipe(request.reference, request.parameters), source.game, use)
    return _Drawn(
        source.game_name, source.title, source.parameters, root, source.profile, str(source.path)
    )


def _verify_file(file: Path, *, is_replaced: bool) -> None:
    if file.suffix != _SUFFIX:
        raise InvalidOption(f"--output is {file}; the tree is drawn as SVG: end it in {_SUFFIX}")
    if file.exists() and not is_replaced:
        raise RunError(
            f"{file} already exists; choose another --output, or replace it with --force"
        )


def _document(drawn: _Drawn, found: "Outline", file: Path) -> dict[str, Any]:
    from untilt.game.tree import CHANCE, TERMINAL

    kinds = {CHANCE: "chance", TERMINAL: "terminal"}
    return {
        "game": drawn.name,
        "parameters": dict(drawn.parameters),
        "strategy": drawn.source or None,
        "file": str(file),
        "bytes": file.stat().st_size,
        "depth": found.depth,
        "infosets": len(found.infosets()),
        "terminals": found.num_terminals,
        "cut": found.num_cut,
        "nodes": [
            asdict(node)
            | {
                "kind": kinds.get(node.player, "decision"),
                "player": node.player if node.player >= 0 else None,
                "parent": node.parent if node.parent >= 0 else None,
                "payoffs": None if node.payoffs is None else list(node.payoffs),
            }
            for node in found.nodes
        ],
    }
