"""`untilt show`."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from untilt.cli.app.sources import RunOrStrategy, read_source
from untilt.cli.options.option_flags import with_options
from untilt.durations import shown_duration
from untilt.errors import InvalidOption, UnknownName
from untilt.options.looking import SELECTION, SHOW, SORT

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.charts.strategy_table import TableColumns
    from untilt.game.names.names import Part
    from untilt.game.strategy.rows import Listing, Row
    from untilt.numeric.arrays import Offsets
    from untilt.runs.results.sources import LoadedProfile
    from untilt.runs.run import GameRun


MAX_ROWS = 48
"""Most rows of the table at the end of a solve; `untilt show` prints all."""


@with_options(SHOW)
def show(
    run: RunOrStrategy,
    **given: Any,
) -> None:
    """Show the strategy of a run or strategy file as a table with bars.

    For an unfinished run, it is the strategy of the last checkpoint. For a spot, it is the node
    after --line, on --board: the whole range, a grid of its mix, and its hands. For a ladder of
    noises, it is what was found at each, or the mix after --line.
    """
    from untilt.cli.app.output import print_json, stdout
    from untilt.cli.text.explain import print_explanation
    from untilt.cli.text.noise_ladder import holds_ladder, show_ladder
    from untilt.cli.text.spot_runs import holds_spot, show_spot

    player, card, board, line, top = (given.get(option.name) for option in SELECTION)
    labels, explain = given.get("labels"), given.get("explain")
    game, parameter = given.get("game"), given.get("parameter")
    as_json = given.get("as_json", False)
    others = {"--card": card, "--top": top, "--labels": labels, "--explain": explain}
    flags = {**others, "--game": game, "-p": parameter}
    if holds_ladder(run):
        for flag in (name for name, value in {**flags, "--player": player}.items() if value):
            raise InvalidOption(f"{flag} is not for ladders; use --line and --board")
        show_ladder(run, line, board, as_json=as_json)
        return
    if holds_spot(run):
        for flag in (name for name, value in flags.items() if value is not None):
            raise InvalidOption(
                f"{flag} is not for spots; use --line, --board, --player and --sort"
            )
        sort, is_whole = given.get("sort", SORT.default), "whole" in given
        show_spot(run, line or "", board, player, sort, is_whole=is_whole, as_json=as_json)
        return
    source = read_source(run, game, parameter)
    if explain is not None:
        print_explanation(source, explain, as_json=as_json)
        return
    from untilt.evaluation.snapshots import snapshot_for

    snapshot = snapshot_for(source.game, source.profile)
    label_of = _label_of(labels, snapshot.listing)
    chosen = _chosen(snapshot.listing, player, card, board, line)
    if top is not None:
        chosen = snapshot.most_reached(chosen, top)
    rows = list(snapshot.rows(chosen))
    if as_json:
        print_json(_document(source, rows, label_of))
        return
    from untilt.charts.strategy_table import StrategyTable, TableColumns

    console, columns = stdout(), TableColumns("values" in given, "reach" in given)
    if source.run is not None:
        print_summary(console, source.run)
    label_of_row = label_of if labels else None
    titles = source.terms.headings
    console.print(StrategyTable(rows, columns, label_of_row, titles))


def print_most_reached(console: "Console", run: "GameRun", columns: "TableColumns") -> None:
    """Print the rows of the run's strategy that are reached most, and how to see the others."""
    from untilt.charts.strategy_table import StrategyTable
    from untilt.cli.app.output import quoted
    from untilt.evaluation.snapshots import all_rows, snapshot_for
    from untilt.game.sequence.plan_form import PlanForm

    snapshot = snapshot_for(run.game, run.profile)
    is_known = run.game.has(PlanForm)
    shown = list(snapshot.rows(snapshot.most_reached(all_rows(snapshot), MAX_ROWS)))
    columns = columns if is_known else replace(columns, reach=False)
    console.print(StrategyTable(shown, columns, titles=run.request.terms.headings))
    if len(shown) < run.game.num_infosets:
        which = "that are reached most often" if is_known else "that were reached first"
        note = (
            f"… the {len(shown)} of {run.game.num_infosets:,} infosets {which}; "
            f"all of them: untilt show {quoted(run.path)}"
        )
    else:
        note = f"saved in {run.path}"
    console.print(note, style="dim", soft_wrap=True, markup=False)


def _who_gains(run: "GameRun") -> str:
    """Return what each player gains by a best response, and that nothing else is promised."""
    pairs = zip(run.request.terms.seats, run.gains, strict=True)
    gains = ", ".join(f"{seat} {gain:.3e}" for seat, gain in pairs)
    return (
        f"nash_conv {run.nash_conv:.3e}: best responses gain {gains}; with more than two players "
        "no method promises an equilibrium, so this is how far from one it is"
    )


def print_summary(console: "Console", run: "GameRun") -> None:
    """Print what was solved, how, and how good the result is."""
    from rich.text import Text

    from untilt.cli.app.output import quoted
    from untilt.runs.kinds import KINDS

    request = run.request
    parameters = ", ".join(f"{name}={value}" for name, value in request.parameters.items())
    title = Text(request.title, style="bold")
    title.append(f" ({parameters})" if parameters else "", style="not bold")
    title.append(" by ", style="not bold").append(request.method)
    console.print(title, soft_wrap=True)
    done = "" if run.iterations is None else f"{run.iterations:,} iterations in "
    quality = f"{run.values_text('+.8f')}   exploitability {run.exploitability:.3e}"
    if run.evaluation is None:
        quality = f"{run.game.num_infosets:,} infosets reached   exploitability not measured"
    nodes = run.outcome.get("nodes")
    speed = f"   {nodes / max(run.seconds, 1e-9):,.0f} nodes/s" if isinstance(nodes, int) else ""
    console.print(f"{quality}   {done}{shown_duration(run.seconds)}{speed}", soft_wrap=True)
    if run.evaluation is not None and run.game.num_players > 2:
        console.print(_who_gains(run), soft_wrap=True)
    if "equilibria" in run.outcome:
        console.print(_which_equilibrium(run.outcome), soft_wrap=True)
    if not run.is_finished:
        command = KINDS[request.kind].command
        console.print(
            f"unfinished; continue with: untilt {command} --resume {quoted(run.path)}",
            soft_wrap=True,
        )
    console.print()


def _which_equilibrium(outcome: Mapping[str, Any]) -> str:
    """Return which of the equilibria that were found is shown."""
    found, saved = outcome["equilibria"], outcome["saved"]
    if len(found) == 1:
        return f"the one equilibrium that Gambit's {outcome['program']} found"
    return (
        f"equilibrium {saved} of {len(found)} that Gambit's {outcome['program']} found "
        f"(by {outcome['chosen_by']}); all of them: --json"
    )


_SHORTEST_WORD = len("bet")

_PARTS: "dict[str, Part]" = {"card": "private", "board": "public", "line": "line"}


def _chosen(
    listing: "Listing",
    player: int | None,
    card: str | None,
    board: str | None,
    line: str | None,
) -> "tuple[Offsets, ...]":
    """Return the matching rows by player; reject a card, board or line that is not in the game."""
    for name, text in (("card", card), ("board", board), ("line", line)):
        if text is not None and not listing.like(_PARTS[name], text):
            known = listing.texts(_PARTS[name])
            if name == "line":
                known = _as_typed(text, known)
            raise UnknownName.among(name, text, [value or "''" for value in known])
    players = range(len(listing.infosets))
    if player is not None and player not in players:
        raise InvalidOption(f"--player {player}: the game has players 0 to {players[-1]}")
    found = (listing.matching(each, private=card, public=board, line=line) for each in players)
    return tuple(
        numbers if player in (None, each) else numbers[:0] for each, numbers in enumerate(found)
    )


def _as_typed(line: str, known: list[str]) -> list[str]:
    """Return the known lines in words, if `line` was typed in words and the game uses letters."""
    from untilt.game.line import is_line, parse_line

    is_in_letters = is_line(line.removesuffix("*")) or len(line) < _SHORTEST_WORD
    if is_in_letters or not all(map(is_line, known)):
        return known
    return [parse_line(one).words for one in known]


def _label_of(labels: str | None, listing: "Listing") -> Callable[["Row"], str]:
    """Return the function that names rows; compact names number the cards from 1."""
    if labels in (None, "full"):
        return lambda row: row.label
    if not any(listing.cards) or not any(listing.texts("line")):
        raise InvalidOption(
            f"--labels {labels} needs infosets with a private card and a line, which this game "
            "does not have; use --labels full"
        )
    number_of_card = {card: str(number) for number, card in enumerate(listing.cards, start=1)}
    names = number_of_card if labels == "compact" else {}

    def label(row: "Row") -> str:
        seen = [names.get(card, card) for card in (row.private, row.public) if card]
        return f"{':'.join(seen)}/{row.line.upper()}"

    return label


def _document(
    source: "LoadedProfile", rows: list["Row"], label_of: Callable[["Row"], str]
) -> dict[str, Any]:
    run = source.run
    return {
        "game": source.game_name,
        "parameters": dict(source.parameters),
        "players": list(source.terms.seats),
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
