"""`untilt tree`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from untilt.cli.app.sources import parse_parameters, users_code
from untilt.cli.options.option_flags import with_options
from untilt.errors import InvalidOption
from untilt.options.run import MOST_DRAWN, TREE


@with_options(TREE)
def tree(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="A game, as for `untilt solve`, or the folder of a run, whose strategy is drawn.",
            show_default=False,
        ),
    ],
    **given: Any,
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

    as_json, output = given.pop("as_json", False), given.pop("output", None)
    replaced_by = None if given.pop("force", False) else "--force"
    parameters = parse_parameters(given.pop("parameter", None))
    if is_run_folder(game) and (parameters or "strategy" in given):
        flag = "-p" if parameters else "--strategy"
        raise InvalidOption(
            f"{game} is a run, which has its own parameters and strategy; leave {flag} out, "
            "or give the game instead"
        )
    if output is not None:
        verify_tree_file(output, "output", replaced_by=replaced_by)
    with users_code():
        found = drawn_tree(game, parameters=parameters, **given)
    warn(found.drawn.warning)
    file = output or Path(f"{found.drawn.name}-tree{SUFFIX}")
    verify_tree_file(file, "output", replaced_by=replaced_by)
    found.save(file, replace=True)
    drawn = found.outline
    if drawn.num_cut and "depth" not in given:
        most = given.get(MOST_DRAWN.name, MOST_DRAWN.default)
        say(
            f"the tree goes on: it is drawn to depth {drawn.depth}, because the next level would "
            f"exceed --max-nodes {most}; draw another part with --after, or more with --max-nodes"
        )
    if as_json:
        print_json({**found.to_json(), "file": str(file), "bytes": file.stat().st_size})
    else:
        echo(
            f"saved in {file} ({len(drawn.nodes):,} nodes, {len(drawn.infosets()):,} infosets, "
            f"{drawn.num_terminals:,} terminals)"
        )
