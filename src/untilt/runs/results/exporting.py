"""The strategy of a run for other programs, in the format that a file name or command selects."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption, RunError, shortened
from untilt.evaluation.snapshots import all_rows, snapshot_for
from untilt.formats.base.files import REPEAT, path_of, write_atomically
from untilt.formats.exchange.efg import players_of
from untilt.formats.exchange.export import to_csv, to_json, to_npz
from untilt.formats.exchange.nfg import write_nfg
from untilt.games.holdem.solutions.solution import Solution
from untilt.options.run import REPLACE
from untilt.runs.loading import load_run
from untilt.runs.run import GameRun

if TYPE_CHECKING:
    from untilt.runs.games.quantal import QuantalResponse

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


def export(
    run: "GameRun | QuantalResponse | Solution | str | os.PathLike[str]",
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    line: str | None = None,
    below: str | None = None,
    board: str | None = None,
    street: str | None = None,
    player: int | str | None = None,
) -> Path:
    """Write the strategy of a run for other programs, and return the file.

    The extension of `path` decides: `.json` is a strategy file, which `untilt.evaluate` and
    `TabularPolicy.from_file` read, `.csv` a line per infoset and action, `.npz` NumPy arrays with
    the sequence form, `.nfg` the game itself as Gambit's table. An existing file is refused, unless
    `replace` is given.

    For a solved spot, `.csv`, `.json` and `.npz` hold every decision with its hands. `line` selects
    a single node, on `board`; `below`, `board`, `street` (`"turn"`) and `player` (`"oop"`, `"ip"`)
    limit the decisions to those from a line onwards, to boards that begin with some cards, to a
    street and to a player.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=100, save=False)
    >>> file = untilt.runs.export(run, "kuhn.json", replace=True)
    >>> untilt.play.StrategyAgent.from_file(file).probabilities("P0:K:").keys()
    dict_keys(['check', 'bet'])
    """
    file = path_of(path)
    given: object = getattr(run, "run", run)
    known = load_run(path_of(given)) if isinstance(given, str | os.PathLike) else given
    if not (isinstance(known, GameRun | Solution)):
        raise InvalidOption(f"{shortened(run)} is not a run; give a run or the folder of one")
    REPLACE.verify(replace)
    if file.exists() and not replace:
        raise RunError(f"{file} already exists; choose another path, or give replace=True")
    chosen: dict[str, Any] = {"line": line, "below": below, "board": board, "street": street}
    for name, value in chosen.items():
        if not (value is None or isinstance(value, str)):
            raise InvalidOption.of(name, value, "give text")
    if isinstance(known, Solution):
        from untilt.runs.results.spot_exporting import export_of

        form = file.suffix.lower().removeprefix(".")
        export_of(known, form, **chosen, player=player).write(file)
        return file
    for name, value in {**chosen, "player": player}.items():
        if value is not None:
            raise InvalidOption.of(name, value, "it is for solved spots: leave it out")
    export_run(known, file)
    return file


def export_run(run: GameRun, file: Path) -> None:
    """Write the strategy of a run to `file`, whose ending names the format."""
    form = file.suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise InvalidOption.of(
            "path", str(file), f"give a name that ends in .{', .'.join(FORMS[:-1])} or .{FORMS[-1]}"
        )
    write_atomically(file, exported(run, form), remedy=REPEAT)
