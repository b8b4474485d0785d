"""`untilt export`."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import parse_parameters, read_source, users_code
from untilt.cli.options.option_flags import with_options
from untilt.errors import GameError, InvalidOption, RunError
from untilt.options.run import DRY_RUN, EXPORT, EXPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from untilt.game.protocol import Game
    from untilt.games.registry import NamedGame
    from untilt.runs.results.sources import LoadedProfile
    from untilt.runs.results.spot_exporting import SpotExport


class Form(StrEnum):
    """Formats that a strategy, or the game itself, can be exported to."""

    JSON = "json"
    CSV = "csv"
    NPZ = "npz"
    EFG = "efg"
    NFG = "nfg"
    ARES = "ares"
    HTML = "html"


_BINARY = {Form.NPZ, Form.ARES}
_GAMES = {Form.EFG, Form.NFG}
"""Formats that hold a game without a strategy."""
_NODE = ("line", "board")
"""The options that name a node."""


@with_options(EXPORT)
def export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="The folder of a run; with --to efg or nfg also a game, as for `untilt solve`.",
            show_default=False,
        ),
    ],
    to: Annotated[
        Form,
        typer.Option(
            help="json: a strategy file for `untilt evaluate`; csv: a line per infoset and action; "
            "npz: NumPy arrays with the sequence form; efg: the game, without a strategy, for "
            "Gambit; nfg: the same as a table, if each player decides once; ares: a blueprint in "
            "the plain layout that `untilt import` reads; html: the page of a solved spot or of "
            "push/fold charts as one file that opens anywhere."
        ),
    ] = Form.JSON,
    **given: Any,
) -> None:
    """Export the strategy of a run, or a game, for other programs."""
    from untilt.cli.app.output import echo, print_json, safe
    from untilt.cli.text.spot_runs import export_chunks, holds_spot, spot_export
    from untilt.formats.base.files import REPEAT, write_atomically

    as_json, output = given.get("as_json", False), given.get("output")
    is_dry = given.get("dry_run", False)
    is_stdout = output == Path("-")
    if is_stdout and (as_json or to in _BINARY):
        what = "--json prints there too" if as_json else f"{to} is not text"
        raise InvalidOption(f"--output - writes to stdout, but {what}; give a file")
    game = _named_game(run, to, parse_parameters(given.get("parameter")))
    stem = Path(run).resolve().name if game is None else game.name
    file = output or Path(f"{stem}.{to}")
    if not is_stdout and file.exists() and not given.get("force") and not is_dry:
        raise RunError(
            f"{file} already exists; choose another --output, or replace it with --force"
        )
    if "checkpoint" in given and to is not Form.ARES:
        raise InvalidOption("--checkpoint is for --to ares; leave it out")
    is_spot = game is None and to is not Form.ARES and holds_spot(Path(run))
    for option in (*EXPORTED, DRY_RUN):
        if option.name not in given:
            continue
        if to is Form.HTML and option.name not in _NODE:
            raise InvalidOption(
                f"{option.spelling} is not for --to html; choose a node with --line and --board"
            )
        if not is_spot:
            raise InvalidOption(f"{option.spelling} is for spots; leave it out")
    chosen = {option.name: given.get(option.name) for option in EXPORTED}
    chunks: Iterator[bytes | memoryview]
    if to is Form.ARES:
        chunks = _blueprint_chunks(Path(run), is_checkpoint="checkpoint" in given)
    elif to is Form.HTML:
        from untilt.dashboard.page_file import page_file

        chunks = iter([page_file(Path(run), line=chosen["line"], board=chosen["board"]).encode()])
    elif is_spot:
        export = spot_export(Path(run), to.value, **chosen)
        if is_dry:
            _print_size(export, as_json=as_json)
            return
        chunks = export_chunks(export)
    elif game is None:
        chunks = _chunks(read_source(Path(run)), to)
    else:
        chunks = _game_chunks(game.game, game.title, to)
    if is_stdout:
        if sys.stdout.isatty():
            chunks = (safe(bytes(chunk).decode()).encode() for chunk in chunks)
        # Bytes, because the formats are UTF-8 whatever the terminal's encoding.
        sys.stdout.buffer.writelines(chunks)
        return
    write_atomically(file, chunks, remedy=REPEAT)
    if as_json:
        print_json({"file": str(file), "bytes": file.stat().st_size})
    else:
        echo(f"saved in {file} ({file.stat().st_size:,} bytes)")


def _print_size(export: "SpotExport", *, as_json: bool) -> None:
    from untilt.cli.app.output import echo, print_json
    from untilt.cli.text.spot_runs import export_size

    if as_json:
        size = {"nodes": export.num_nodes, "rows": export.num_rows}
        print_json({**size, "estimated_bytes": export.estimated_bytes()})
    else:
        echo(export_size(export))


def _blueprint_chunks(path: Path, *, is_checkpoint: bool) -> "Iterator[bytes | memoryview]":
    from untilt.runs.blueprints.ares import checkpoint_chunks, strategy_chunks

    return checkpoint_chunks(path) if is_checkpoint else strategy_chunks(path)


def _named_game(run: str, form: Form, parameters: dict[str, str]) -> "NamedGame | None":
    """Return the game that `run` names; None if it is the folder of a run."""
    from untilt.formats.run.run_folder import RunFolder
    from untilt.games.recipe import Recipe
    from untilt.games.registry import resolve

    path = Path(run)
    # A folder may have the name of a game; it takes precedence only if it holds a run.
    is_folder = path.is_dir() and (not Recipe(run, {}).is_ours or RunFolder(path).run_file.exists())
    if form in _GAMES and not is_folder:
        with users_code():
            return resolve(run, parameters)
    if not path.exists() and _may_be_game(run):
        raise InvalidOption(
            f"{run} is a game, and --to {form} exports the strategy of a run; make a run with "
            f"`untilt solve {run}`, or export the game with --to efg or nfg"
        )
    if parameters:
        raise InvalidOption(
            "-p sets a parameter of a game given with --to efg or nfg; a run records its own: "
            "leave -p out"
        )
    return None


def _may_be_game(name: str) -> bool:
    from untilt.games.recipe import Recipe
    from untilt.games.registry import GAMBIT_SUFFIXES

    return (
        Recipe(name, {}).is_ours
        or name.endswith(GAMBIT_SUFFIXES)
        or ".py:" in name
        or name.startswith("openspiel:")
    )


def _chunks(source: "LoadedProfile", form: Form) -> "Iterator[bytes]":
    from untilt.runs.results.exporting import exported

    if source.run is None:
        raise RunError(f"{source.path} is a file; give the folder of a run")
    return _run_chunks(source) if form is Form.EFG else exported(source.run, form.value)


def _run_chunks(source: "LoadedProfile") -> "Iterator[bytes]":
    from untilt.formats.exchange.efg import efg_lines, players_of
    from untilt.game.histories.tree import GameTree
    from untilt.games.recipe import Recipe

    assert source.run is not None
    request = source.run.request
    # A user's game is not executed here, so its chance outcomes stay unnamed.
    recipe = Recipe(request.reference, request.parameters)
    root = recipe.make() if recipe.is_ours else None
    if not source.game.has(GameTree):
        if root is None:
            raise GameError(
                f"{source.path} stores only the sequence form of its game, but an .efg file lists "
                "all histories; give the game instead of the run"
            )
        return _game_chunks(root, request.title, Form.EFG)
    players = players_of(request.terms)
    lines = efg_lines(source.game, request.title, position=root, players=players)
    return (line.encode() for line in lines)


def _game_chunks(root: "Game", title: str, form: Form) -> "Iterator[bytes]":
    from untilt.cli.app.activity import walked
    from untilt.formats.exchange.efg import players_of, write_efg
    from untilt.formats.exchange.nfg import write_nfg
    from untilt.game.compiled import compile_histories
    from untilt.game.terms import terms_of
    from untilt.games.efg import EfgGame

    with users_code():
        compiled = compile_histories(root, watcher=walked)
        players = players_of(terms_of(root))
        if form is Form.NFG:
            yield write_nfg(compiled, title, players=players).encode()
            return
        match root:
            case EfgGame(tree=tree):
                text = write_efg(
                    compiled,
                    tree.title,
                    position=root,
                    players=tree.players,
                    comment=tree.comment,
                )
            case _:
                text = write_efg(compiled, title, position=root, players=players)
    yield text.encode()
