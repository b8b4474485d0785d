"""The rows of a report over many flops: the decisions of each flop, line by line.

A whole solution takes hundreds of megabytes, its row a kilobyte. All lines of the flop are kept, so
a report can be asked for another line later without solving anything again.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from untilt.errors import FormatError, InvalidOption, shortened
from untilt.game.line import parse_line
from untilt.game.public.public_tree import DECISION
from untilt.games.holdem.bets.betting_tree import BettingTree
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.solutions.flops import FlopChoice
from untilt.games.holdem.solutions.report import Pair, Report, ReportRow, row_of
from untilt.games.holdem.solutions.solution import KIND_NAMES, Solution
from untilt.games.holdem.spots.spot import Spot

_MAX_EQR = 1e300
_ROUNDING = 1e-3
"""Room for rounding errors in bounds, relative to them."""


def flop_document(solution: Solution) -> dict[str, Any]:
    """Return the decisions of the first street of a solution as plain data."""
    lines: dict[str, Any] = {}
    for node in solution.nodes(0):
        row = row_of(node, node.reach).to_json()
        lines[node.place.line.letters] = {
            "reach": row["weight"],
            **{name: row[name] for name in ("frequencies", "ev", "equity", "eqr")},
        }
    return {
        "board": solution.spot.board_text,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "exploitability": solution.exploitability,
        "lines": lines,
    }


def verify_flop_line(spot: Spot, line: str) -> str:
    """Return a line in letters after checking that it ends at a decision of the flop."""
    betting = spot.betting_tree()
    street, node = betting.find(parse_line(spot.in_chips(line)), spot.in_unit)
    forest = betting.streets[street]
    if street or forest.kind[node] != DECISION:
        ending = KIND_NAMES[int(forest.kind[node])]
        what = f"the {forest.name}" if street else f"the end of the hand ({ending})"
        raise InvalidOption(
            f"the line {shortened(line)} leads to {what}: a report over flops shows decisions on "
            "the flop"
        )
    return betting.line(street, node).letters


def report_flops(
    spot: Spot, choice: FlopChoice, documents: Mapping[str, Mapping[str, Any]], line: str = ""
) -> Report:
    """Return the report of a line over the flops that are solved; `documents` are by flop.

    `spot` is the spot on any of the flops.
    """
    letters = verify_flop_line(spot, line)
    betting = spot.betting_tree()
    street, node = betting.find(parse_line(letters))
    forest = betting.streets[street]
    actions = tuple(action.name for action in forest.actions[node])
    rows = [
        _row(
            flop.name,
            flop.weight,
            documents[flop.name],
            letters,
            actions,
            spot,
            forest.states[node],
        )
        for flop in choice.flops
        if flop.name in documents
    ]
    total = sum(row.weight for row in rows)
    words = choice.words
    if len(rows) < len(choice.flops):
        words = f"{len(rows):,} flops solved so far of {words}"
    return Report(
        line=betting.line(street, node).words,
        street=forest.name,
        player=int(forest.player[node]),
        pot=forest.states[node].total_pot,
        actions=actions,
        rows=tuple(replace(row, weight=row.weight / total if total > 0.0 else 0.0) for row in rows),
        words=words,
    )


def verify_flop_document(document: object, spot: Spot, betting: BettingTree) -> None:
    """Raise FormatError unless a document has possible numbers for every line of the flop.

    `betting` is that of the spot, which is the same on every flop.
    """
    forest = betting.streets[0]
    try:
        assert isinstance(document, dict)
        for node in forest.nodes_of(DECISION).tolist():
            actions = [action.name for action in forest.actions[node]]
            letters = betting.line(0, node).letters
            row = _row("", 1.0, document, letters, actions, spot, forest.states[node])
            total = sum(row.frequencies.values())  # nan if the line is never played
            is_known = row.exploitability is not None and not math.isnan(row.exploitability)
            if not is_known or math.isnan(row.weight) or abs(total - 1.0) > _ROUNDING:
                raise ValueError
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        raise FormatError(f"the result of {spot.board_text} is damaged") from error


def _row(
    board: str,
    weight: float,
    document: Mapping[str, Any],
    letters: str,
    actions: Sequence[str],
    spot: Spot,
    state: Betting,
) -> ReportRow:
    """Return a line of a flop; raise ValueError if a number is impossible."""
    kept = document["lines"][letters]
    most = float(spot.pot + 2 * spot.stack)
    return ReportRow(
        board=board,
        weight=weight * _number(kept["reach"], 0.0, 1.0),
        frequencies={name: _number(kept["frequencies"][name], 0.0, 1.0) for name in actions},
        ev=_evs(kept["ev"], state),
        equity=_pair(kept["equity"], 0.0, 1.0),
        eqr=_pair(kept["eqr"], -_MAX_EQR, _MAX_EQR),
        exploitability=_number(document["exploitability"], 0.0, most),
    )


def _evs(numbers: Sequence[float | None], state: Betting) -> Pair:
    """Return the EVs, counted from the node on: nobody wins more than pot and other's stack."""
    first, second = numbers
    pot, (own, other) = state.total_pot, state.stacks
    return _number(first, -own, pot + other), _number(second, -other, pot + own)


def _pair(numbers: Sequence[float | None], low: float, high: float) -> Pair:
    first, second = numbers
    return _number(first, low, high), _number(second, low, high)


def _number(number: float | None, low: float, high: float) -> float:
    """Return a number, nan for None; raise ValueError if it is out of bounds."""
    if number is None:
        return math.nan
    slack = _ROUNDING * max(abs(low), abs(high))
    if type(number) not in (int, float) or not low - slack <= number <= high + slack:
        raise ValueError
    return float(number)
