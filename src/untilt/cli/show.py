"""`untilt show`."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.sources import (
    GameOption,
    Json,
    LoadedProfile,
    Parameters,
    RunOrStrategy,
    read_source,
    rows_for,
)
from untilt.errors import InvalidOption, UnknownName
from untilt.game.line import canonical_line

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.charts.strategy_table import Columns
    from untilt.game.rows import Row
    from untilt.runs.run import Run


MAX_ROWS = 48
"""Rows of the table at the end of a solve; `untilt show` prints all."""


class Labels(StrEnum):
    """How infosets are named."""

    FULL = "full"
    COMPACT = "compact"
    LETTERS = "letters"


def show(
    run: RunOrStrategy,
    player: Annotated[
        int | None, typer.Option(min=0, max=1, help="Only this player.", show_default=False)
    ] = None,
    card: Annotated[
        str | None, typer.Option(help="Only this private card, such as K.", show_default=False)
    ] = None,
    board: Annotated[
        str | None,
        typer.Option(help="Only this public card; '' before it is dealt.", show_default=False),
    ] = None,
    line: Annotated[
        str | None,
        typer.Option(
            help="Only after this line of betting, such as cb or 'check, bet'; 'cb*' and what "
            "follows it.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Only the N infosets reached most often.", show_default=False
        ),
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Show what each action is worth, in chips.")
    ] = False,
    reach: Annotated[
        bool, typer.Option("--reach", help="Show how often each infoset is reached.")
    ] = False,
    labels: Annotated[
        Labels | None,
        typer.Option(
            help="Name infosets in full (P0:K:cb), compact (3/CB: cards by number) or by "
            "letters (K/CB), instead of by columns.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Show how this infoset learned: regrets and strategy by iteration.",
            show_default=False,
        ),
    ] = None,
    game: GameOption = None,
    parameter: Parameters = None,
    as_json: Json = False,
) -> None:
    """Show the strategy of a run, or of a strategy file, as a table with bars.

    An unfinished run shows its last checkpoint.
    """
    from untilt.cli.explain import print_explanation
    from untilt.cli.output import print_json, stdout
    from untilt.game.rows import most_reached

    source = read_source(run, game, parameter)
    if explain is not None:
        print_explanation(source, explain, as_json=as_json)
        return
    rows = rows_for(source.game, source.profile)
    label_of = _label_of(labels, rows)
    wanted = {"card": card, "board": board, "line": line}
    rows = _filtered(
        rows, player, {name: text for name, text in wanted.items() if text is not None}
    )
    if top is not None:
        rows = most_reached(rows, top)
    if as_json:
        print_json(_document(source, rows, label_of))
        return
    from untilt.charts.strategy_table import Columns, StrategyTable

    console = stdout()
    if source.run is not None:
        print_summary(console, source.run)
    console.print(StrategyTable(rows, Columns(values, reach), label_of if labels else None))


def print_most_reached(console: "Console", run: "Run", columns: "Columns") -> None:
    """Print the rows of the run's strategy that are reached most, and where the rest is."""
    from untilt.charts.strategy_table import StrategyTable
    from untilt.cli.output import quoted
    from untilt.game.rows import most_reached
    from untilt.game.sequence_form import SequenceForm

    rows = rows_for(run.game, run.profile)
    is_known = run.game.has(SequenceForm)
    shown = most_reached(rows, MAX_ROWS) if is_known else rows[:MAX_ROWS]
    console.print(StrategyTable(shown, columns if is_known else replace(columns, reach=False)))
    if len(shown) < len(rows):
        which = "that are reached most often" if is_known else "that were met first"
        note = (
            f"… the {len(shown)} infosets of {len(rows):,} {which}; "
            f"all of them: untilt show {quoted(run.path)}"
        )
    else:
        note = f"saved in {run.path}"
    console.print(note, style="dim", soft_wrap=True, markup=False)


def print_summary(console: "Console", run: "Run") -> None:
    """Print what was solved, how, and how good the result is."""
    from rich.text import Text

    from untilt.cli.output import quoted

    request = run.request
    parameters = ", ".join(f"{name}={value}" for name, value in request.parameters.items())
    title = Text(request.title, style="bold")
    title.append(f" ({parameters})" if parameters else "", style="not bold")
    title.append(" by ", style="not bold").append(request.method)
    console.print(title, soft_wrap=True)
    done = "" if run.iterations is None else f"{run.iterations:,} iterations in "
    quality = f"value {run.value:+.8f}   exploitability {run.exploitability:.3e}"
    if run.evaluation is None:
        quality = f"{run.game.num_infosets:,} infosets met   exploitability not measured"
    nodes = run.outcome.get("nodes")
    speed = f"   {nodes / max(run.seconds, 1e-9):,.0f} nodes/s" if isinstance(nodes, int) else ""
    console.print(f"{quality}   {done}{run.seconds:.3f} s{speed}", soft_wrap=True)
    if not run.is_finished:
        console.print(
            f"unfinished; continue with: untilt solve --resume {quoted(run.path)}", soft_wrap=True
        )
    console.print()


_CELL_OF: dict[str, Callable[["Row"], str]] = {
    "card": lambda row: row.private,
    "board": lambda row: row.public,
    "line": lambda row: row.line,
}


def _filtered(rows: list["Row"], player: int | None, wanted: dict[str, str]) -> list["Row"]:
    """Return the rows of the player that match; refuse a card, board or line the game has not."""
    kept = [row for row in rows if player is None or row.player == player]
    for name, text in wanted.items():
        cell = _CELL_OF[name]
        cells = dict.fromkeys(cell(row) for row in rows)
        allowed = _matching(cells, text, is_line=name == "line")
        if not allowed:
            raise UnknownName.among(name, text, [value or "''" for value in cells])
        kept = [row for row in kept if cell(row) in allowed]
    return kept


def _matching(cells: Iterable[str], text: str, *, is_line: bool) -> set[str]:
    """Return the cells that a filter lets through; a line may be typed in words, or end in *."""
    if not is_line:
        return {text} & set(cells)
    is_prefix, typed = text.endswith("*"), text.removesuffix("*")
    for line in (typed, canonical_line(typed)):
        found = {
            value for value in cells if (value.startswith(line) if is_prefix else value == line)
        }
        if found:
            return found
    return set()


def _label_of(labels: Labels | None, rows: list["Row"]) -> Callable[["Row"], str]:
    """Return how rows are named, card numbers counted from all rows of the game."""
    if labels in (None, Labels.FULL):
        return lambda row: row.label
    if not any(row.private for row in rows) or not any(row.line for row in rows):
        raise InvalidOption(
            f"--labels {labels} needs infosets with a private card and a line, which this game "
            "has not; use --labels full"
        )
    cards = dict.fromkeys(row.private for row in rows)
    number_of_card = {card: str(number) for number, card in enumerate(cards, start=1)}
    names = number_of_card if labels is Labels.COMPACT else {}

    def label(row: "Row") -> str:
        seen = [names.get(card, card) for card in (row.private, row.public) if card]
        return f"{':'.join(seen)}/{row.line.upper()}"

    return label


def _document(
    source: LoadedProfile, rows: list["Row"], label_of: Callable[["Row"], str]
) -> dict[str, Any]:
    run = source.run
    return {
        "game": source.game_name,
        "parameters": dict(source.parameters),
        "method": None if run is None else run.request.method,
        "iterations": None if run is None else run.iterations,
        "is_finished": None if run is None else run.is_finished,
        "rows": [
            {
                "label": label_of(row),
                "player": row.player,
                "private": row.private,
                "public": row.public,
                "line": row.line,
                "actions": {
                    name: {
                        "probability": probability,
                        "value": None if math.isnan(value) else value,
                    }
                    for name, probability, value in zip(
                        row.actions, row.probabilities, row.values, strict=True
                    )
                },
                "own_reach": None if math.isnan(row.own_reach) else row.own_reach,
                "opponent_reach": (None if math.isnan(row.opponent_reach) else row.opponent_reach),
            }
            for row in rows
        ],
    }
