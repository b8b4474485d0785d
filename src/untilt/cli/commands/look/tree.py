"""`untilt tree`."""

from pathlib import Path
from typing import Annotated

import typer

from untilt.cli.app.sources import Json, Parameters, parse_parameters, users_code
from untilt.errors import InvalidOption


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
    from untilt.cli.app.output import echo, print_json, say, warn
    from untilt.runs.results.given_strategies import is_run_folder
    from untilt.runs.results.tree_drawing import SUFFIX, verify_tree_file
    from untilt.runs.results.tree_drawing import tree as drawn_tree

    parameters = parse_parameters(parameter)
    if is_run_folder(game) and (parameters or strategy is not None):
        flag = "-p" if parameters else "--strategy"
        raise InvalidOption(
            f"{game} is a run, which has its own parameters and strategy; leave {flag} out, "
            "or give the game instead"
        )
    replaced_by = None if force else "--force"
    if output is not None:
        verify_tree_file(output, "output", replaced_by=replaced_by)
    with users_code():
        found = drawn_tree(
            game,
            strategy,
            after=after or "",
            depth=depth,
            max_nodes=max_nodes,
            parameters=parameters,
        )
    warn(found.drawn.warning)
    file = output or Path(f"{found.drawn.name}-tree{SUFFIX}")
    verify_tree_file(file, "output", replaced_by=replaced_by)
    found.save(file, replace=True)
    drawn = found.outline
    if drawn.num_cut and depth is None:
        say(
            f"the tree goes on: it is drawn to depth {drawn.depth}, because the next level would "
            f"exceed --max-nodes {max_nodes}; draw another part with --after, or more with "
            "--max-nodes"
        )
    if as_json:
        print_json({**found.to_json(), "file": str(file), "bytes": file.stat().st_size})
    else:
        echo(
            f"saved in {file} ({len(drawn.nodes):,} nodes, {len(drawn.infosets()):,} infosets, "
            f"{drawn.num_terminals:,} terminals)"
        )
