"""`untilt export`."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.sources import Json, RunFolder, read_source, rows_for
from untilt.errors import InvalidOption, RunError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from untilt.cli.sources import Source


class Form(StrEnum):
    """What a strategy can be exported to."""

    JSON = "json"
    CSV = "csv"
    NPZ = "npz"


def export(
    run: RunFolder,
    to: Annotated[
        Form,
        typer.Option(
            help="json: a strategy file that `untilt evaluate` reads; csv: a line per infoset "
            "and action; npz: NumPy arrays with the sequence form."
        ),
    ] = Form.JSON,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The file to write; {run}.{form} in the current folder by default, - for stdout.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Export the strategy of a run for other programs."""
    from untilt.cli.output import print_json
    from untilt.formats.files import write_atomically

    is_stdout = output == Path("-")
    if is_stdout and (as_json or to is Form.NPZ):
        what = "--json prints there too" if as_json else "npz is not text"
        raise InvalidOption(f"--output - writes to stdout, but {what}; give a file")
    file = output or Path(f"{run.resolve().name}.{to}")
    if not is_stdout and file.exists() and not force:
        raise RunError(f"{file} exists already; choose another --output, or replace it by --force")
    chunks = _chunks(read_source(run), to)
    if is_stdout:
        # Bytes, because the form is UTF-8 whatever the terminal's encoding.
        sys.stdout.buffer.writelines(chunks)
        return
    write_atomically(file, chunks)
    if as_json:
        print_json({"file": str(file), "bytes": file.stat().st_size})
    else:
        typer.echo(f"saved in {file} ({file.stat().st_size:,} bytes)")


def _chunks(source: "Source", form: Form) -> "Iterator[bytes]":
    from untilt.formats.export import to_csv, to_json, to_npz

    if source.run is None:
        raise RunError(f"{source.path} is a file; give the folder of a run")
    match form:
        case Form.JSON:
            return to_json(source.game_name, source.parameters, source.profile)
        case Form.CSV:
            return to_csv(rows_for(source.game, source.profile))
        case Form.NPZ:
            return to_npz(source.game.exact_form(), source.profile)
