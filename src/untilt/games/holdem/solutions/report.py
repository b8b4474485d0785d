"""One line of betting over many boards: a row per board, and the weighted total.

    report_line(solution, "check, check")            # every next card
    report_line(solution, "check, check / bet 120")  # facing that bet, on every next card

A row has the frequencies of the player who acts, and value, equity and equity realization of both
ranges. Its weight is the probability of the board given that the line was played: it includes card
removal and both strategies. So the total is exact: the weighted mean of values is the value before
the card.
"""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

from untilt.cards.card import DECK, cards_name
from untilt.display import html_table, short_number
from untilt.errors import InvalidOption, require
from untilt.game.actions import Kind
from untilt.game.line import Line, parse_line
from untilt.game.public.public_tree import CHANCE, DECISION
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.solution import (
    KIND_NAMES,
    Solution,
    SolutionNode,
    realized_share,
)
from untilt.number import finite

Pair = tuple[float, float]

if TYPE_CHECKING:
    from pandas import DataFrame

_MAX_SHOWN = 8
"""The number of boards that a notebook shows."""
_PASSIVE = (Kind.CHECK, Kind.CALL)


@dataclass(frozen=True)
class ReportRow:
    """A board; nan where the line is never played."""

    board: str
    """Such as `Td9d6hQc`; `total` for the mean over all."""
    weight: float
    """The weights of all rows sum to 1."""
    frequencies: Mapping[str, float]
    """The frequency of each action of the range."""
    ev: Pair
    """Of both players, in chips: what is taken out of the pot less what is still put in."""
    equity: Pair
    """0–1."""
    eqr: Pair
    """Equity realization: the value divided by the equity's share of the pot."""
    exploitability: float | None = None
    """Of the solution of this board in chips, if each row was solved on its own."""

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain data; None in place of nan."""
        document: dict[str, Any] = {
            "board": self.board,
            "weight": self.weight,
            "frequencies": {name: finite(share) for name, share in self.frequencies.items()},
            "ev": list(map(finite, self.ev)),
            "equity": list(map(finite, self.equity)),
            "eqr": list(map(finite, self.eqr)),
        }
        if self.exploitability is not None:
            document["exploitability"] = self.exploitability
        return document


@dataclass(frozen=True, repr=False)
class Report:
    """Rows of one line over many boards."""

    line: str
    """The betting in words, up to the decision that the rows show."""
    street: str
    player: int
    """The player to act: 0 out of position, 1 in position."""
    pot: int
    actions: tuple[str, ...]
    rows: tuple[ReportRow, ...]
    words: str
    """The boards, and the meaning of their weights, in words."""

    def __repr__(self) -> str:
        return (
            f"<Report of {len(self.rows):,} boards after {self.line or 'the deal'!r}: "
            f"{', '.join(self.actions)}>"
        )

    @property
    def total(self) -> ReportRow:
        """The weighted mean of the rows."""
        return total_row(self.rows, self.actions, self.pot)

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per board, and the columns of `to_csv`."""
        pandas = require("pandas", "to_frame")
        columns: dict[str, list[Any]] = {
            "board": [row.board for row in self.rows],
            "weight": [row.weight for row in self.rows],
        }
        for action in self.actions:
            columns[action] = [row.frequencies[action] for row in self.rows]
        for name in ("ev", "equity", "eqr"):
            for player, seat in enumerate(SEATS):
                columns[f"{name}_{seat}"] = [getattr(row, name)[player] for row in self.rows]
        frame: DataFrame = pandas.DataFrame(columns)
        return frame

    def _repr_html_(self) -> str:
        """Return the first boards and the total as a small table, for notebooks."""
        shown = [*self.rows[:_MAX_SHOWN], self.total]
        rows = [
            [row.board, *(f"{row.frequencies[name]:.1%}" for name in self.actions)]
            + [short_number(ev) for ev in row.ev]
            for row in shown
        ]
        header = ("board", *self.actions, *(f"EV {seat}" for seat in SEATS))
        more = f"{len(shown) - 1} of {len(self.rows):,} boards; .to_frame() has all"
        note = more if len(self.rows) > _MAX_SHOWN else self.words
        return html_table(f"{self.street}: {self.line}", rows, header=header, note=note)

    def sorted(self, column: str) -> "Report":
        """Return the report sorted by a column, largest first: an action, `weight`, `ev` …"""
        allowed = ("board", "weight", "ev", "equity", "eqr", *self.actions)
        if column not in allowed:
            raise InvalidOption.of("sort", column, f"give {', '.join(allowed)}")
        if column == "board":
            return self
        rows = sorted(self.rows, key=lambda row: self._place(row, column))
        return replace(self, rows=tuple(rows))

    def _place(self, row: ReportRow, column: str) -> float:
        """Return the sort key of a row; rows without a number come last."""
        if column in self.actions:
            number = row.frequencies[column]
        elif column == "weight":
            number = row.weight
        else:
            number = {"ev": row.ev, "equity": row.equity, "eqr": row.eqr}[column][self.player]
        return -number if math.isfinite(number) else math.inf

    def to_json(self) -> dict[str, Any]:
        """Return the report as the object that `untilt report --json` prints."""
        return {
            "line": self.line,
            "street": self.street,
            "player": SEATS[self.player],
            "pot": self.pot,
            "actions": list(self.actions),
            "boards": self.words,
            "rows": [row.to_json() for row in self.rows],
            "total": self.total.to_json(),
        }

    def to_csv(self) -> str:
        """Return the report as CSV, with a column per action and player, the total last."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        measures = [f"{name}_{seat}" for name in ("ev", "equity", "eqr") for seat in SEATS]
        writer.writerow(["board", "weight", *self.actions, *measures])
        for row in (*self.rows, self.total):
            numbers = [row.weight, *(row.frequencies[name] for name in self.actions)]
            numbers += [*row.ev, *row.equity, *row.eqr]
            writer.writerow(
                [row.board, *(f"{each:.10g}" if math.isfinite(each) else "" for each in numbers)]
            )
        return text.getvalue()


def report_line(solution: Solution, line: str = "", *, board: str | None = None) -> Report:
    """Return the report of a line over all boards of the street that it leads to.

    A line that ends inside the spot's own street, before its last one, is followed by checks and
    calls up to the next card. `board` fixes the first cards: of a flop solution, a turn.
    """
    street, node = _decision(solution, parse_line(solution.spot.in_chips(line)))
    view = solution.view
    fixed = solution.dealt_cards(board)
    if len(fixed) > street:
        raise InvalidOption.of(
            "board",
            board,
            f"the line leads to the {view.betting.streets[street].name}: give at most "
            f"{len(solution.spot.board) + street} cards",
        )
    view.board_of(fixed)
    found: dict[int, SolutionNode] = {}
    nodes: list[tuple[str, SolutionNode]] = []
    left = [card for card in reversed(DECK) if card not in (*solution.spot.board, *fixed)]
    for more in permutations(left, street - len(fixed)):
        dealt = (*fixed, *more)
        # Boards that are merged have the same numbers, so each is computed once.
        kept = view.board_of(dealt).board
        if kept not in found:
            found[kept] = solution.node(dealt, street, node)
        name = cards_name(solution.spot.board + dealt, "")
        nodes.append((name, found[kept]))
    shown = nodes[0][1]
    masses = {number: float(each.sides[0].mass.sum()) for number, each in found.items()}
    total = sum(masses[each.concrete.board] for _, each in nodes)
    rows = []
    known: dict[int, ReportRow] = {}
    for name, each in nodes:
        kept = each.concrete.board
        if kept not in known:
            known[kept] = row_of(each, masses[kept] / total if total > 0.0 else 0.0)
        rows.append(replace(known[kept], board=name))
    return Report(
        line=shown.line.removesuffix(" / "),
        street=shown.street,
        player=shown.player,
        pot=shown.pot,
        actions=shown.actions,
        rows=tuple(rows),
        words=_words(solution, street, len(rows)),
    )


def row_of(node: SolutionNode, weight: float) -> ReportRow:
    """Return the row of a decision."""
    first, second = node.sides
    return ReportRow(
        board=node.board,
        weight=weight,
        frequencies=node.frequencies,
        ev=(first.mean_ev, second.mean_ev),
        equity=(first.mean_equity, second.mean_equity),
        eqr=(first.mean_eqr, second.mean_eqr),
    )


def total_row(rows: Iterable[ReportRow], actions: Sequence[str], pot: float) -> ReportRow:
    """Return the weighted mean of rows; its equity realization is that of the mean values."""
    counted = [row for row in rows if row.weight > 0.0]
    weight = sum(row.weight for row in counted)

    def mean(numbers: Iterable[float]) -> float:
        pairs = zip(counted, numbers, strict=True)
        return sum(row.weight * number for row, number in pairs) / weight if weight else math.nan

    ev, equity, eqr = [], [], []
    for player in (0, 1):
        ev.append(mean(row.ev[player] for row in counted))
        equity.append(mean(row.equity[player] for row in counted))
        eqr.append(realized_share(ev[-1], equity[-1], pot))
    exploitabilities = [row.exploitability for row in counted if row.exploitability is not None]
    return ReportRow(
        board="total",
        weight=weight,
        frequencies={name: mean(row.frequencies[name] for row in counted) for name in actions},
        ev=(ev[0], ev[1]),
        equity=(equity[0], equity[1]),
        eqr=(eqr[0], eqr[1]),
        exploitability=mean(exploitabilities) if exploitabilities else None,
    )


def _decision(solution: Solution, line: Line) -> tuple[int, int]:
    """Return street and node of the decision that the report of a line shows."""
    betting = solution.view.betting
    street, node = betting.find(line, solution.spot.in_unit)
    has_more = len(betting.streets) > 1
    while has_more and street == 0 and betting.streets[0].kind[node] == DECISION:
        forest = betting.streets[0]
        place = next(
            place for place, move in enumerate(forest.actions[node]) if move.kind in _PASSIVE
        )
        node = int(forest.first_child[node]) + place
        if forest.kind[node] == CHANCE:
            street, node = 1, int(forest.nodes_of(CHANCE).searchsorted(node))
    kind = int(betting.streets[street].kind[node])
    if kind != DECISION:
        words = betting.line(street, node).words
        raise InvalidOption(
            f"after {words!r} nobody acts any more ({KIND_NAMES[kind]}): give a shorter line"
        )
    return street, node


def _words(solution: Solution, street: int, count: int) -> str:
    if not street:
        return "the board of the spot"
    name = solution.view.betting.streets[street].name
    return (
        f"{count:,} boards of the {name}, weighted by how often they are dealt when the line is "
        "played"
    )
