"""The strategy of a run for other programs, in the format that a file name or command selects."""

from collections.abc import Iterator
from pathlib import Path

from untilt.errors import InvalidOption
from untilt.evaluation.snapshots import all_rows, snapshot_for
from untilt.formats.efg import players_of
from untilt.formats.export import to_csv, to_json, to_npz
from untilt.formats.files import REPEAT, write_atomically
from untilt.formats.nfg import write_nfg
from untilt.runs.run import GameRun

FORMS = ("json", "csv", "npz", "nfg")


def exported(run: GameRun, form: str) -> Iterator[bytes]:
    """Yield the strategy of a run, or with `nfg` its game, in one of `FORMS`."""
    request = run.request
    match form:
        case "json":
            yield from to_json(request.game, request.parameters, run.profile)
        case "csv":
            snapshot = snapshot_for(run.game, run.profile)
            yield from to_csv(snapshot.rows(all_rows(snapshot)))
        case "npz":
            yield from to_npz(run.game.exact_form(), run.profile)
        case _:
            players = players_of(request.terms)
            yield write_nfg(run.game, request.game, players=players).encode()


def export_run(run: GameRun, file: Path) -> None:
    """Write the strategy of a run to `file`, whose ending names the format."""
    form = file.suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise InvalidOption.of(
            "path", str(file), f"give a name that ends in .{', .'.join(FORMS[:-1])} or .{FORMS[-1]}"
        )
    write_atomically(file, exported(run, form), remedy=REPEAT)
