"""The charts of a table: for each seat and everyone who may be all-in before it, one grid.

Arrays are [169], in the order of the 13 × 13 grid. Amounts are big blinds per hand that is dealt,
or shares of the pool if there are prizes.
"""

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cards.combos import CLASS_NAMES, NUM_COMBOS_OF_CLASS
from untilt.display import html_table, short_number
from untilt.errors import InvalidOption, require
from untilt.games.pushfold.chart import ChartSide
from untilt.games.pushfold.tables.solver import Ranges, SolvedTable
from untilt.games.pushfold.tables.table import CHOICE, PushFoldTable, TableState
from untilt.lazy import provided
from untilt.numeric.arrays import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.figures.picture import Picture


@dataclass(frozen=True)
class TableDecision(ChartSide):
    """One chart of a table: a seat, and who is all-in before it.

    `fold_ev` is the mean over all hands, because folded cards change what others do.
    """

    state: TableState
    before: tuple[str, ...]
    """The seats that are all-in before."""
    fold_evs: Floats
    """What folding each hand brings."""
    reach: Floats
    """The probability of each hand and of the decision."""

    @property
    def probability(self) -> float:
        """How often the seat comes to this decision."""
        return float(self.reach.sum())

    @property
    def played(self) -> float:
        """How often the seat is all-in when it comes to this decision, 0–1."""
        total = self.probability
        return float(self.frequency @ self.reach) / total if total > 0.0 else math.nan

    @property
    def gain(self) -> Floats:
        """What being all-in with each hand gains over folding; nan if that never happens."""
        return self.ev - self.fold_evs

    @property
    def opponents(self) -> str:
        """Who is all-in before, in words."""
        return " and ".join(f"the {seat}" for seat in self.before)

    @property
    def name(self) -> str:
        """The seat and who is all-in before, such as `big blind vs button, small blind`."""
        return f"{self.player} vs {', '.join(self.before)}" if self.before else self.player

    def to_json(self) -> dict[str, Any]:
        """Return the chart of this decision as plain data."""
        folding = [None if math.isnan(value) else value for value in self.fold_evs.tolist()]
        return {
            "seat": self.player,
            "seat_number": self.state.seat,
            "before": list(self.before),
            "action": self.action,
            "percent": self.percent,
            "probability": self.probability,
            "range": self.range_text(),
            "hands": self.frequency_of_hand(),
            "ev": self.ev_of_hand(),
            "fold_ev": dict(zip(CLASS_NAMES, folding, strict=True)),
        }


@dataclass(frozen=True, repr=False, eq=False)
class TableChart:
    """The play of a whole table, what it is worth, and what each seat could still gain."""

    table: PushFoldTable
    ranges: Ranges
    """[states, 169] how often each hand is all-in, by the states of the table"""
    decisions: tuple[TableDecision, ...]
    values: Floats
    """[n] what each seat gains, in big blinds; with prizes its share of the pool"""
    values_bb: Floats
    """[n] the chips that each seat gains, in big blinds"""
    gains: Floats
    """[n] what a best response of each seat would gain, in the unit of `values`"""
    returned: str
    """`current` or `average`: the strategy of CFR+ that is better."""
    other_nash_conv: float
    """The sum of the gains against the one that was not returned; nan if unknown."""
    iterations: int

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the seats, in the order in which they act."""
        return self.table.seats

    @property
    def nash_conv(self) -> float:
        """The sum of the gains of all seats."""
        return float(self.gains.sum())

    @property
    def unit(self) -> str:
        """The unit of values: `bb`, or `of the pool`."""
        return "of the pool" if self.table.prizes else "bb"

    @property
    def bb_per_unit(self) -> float:
        """How many big blinds the unit of values is: all chips, if that is the pool."""
        table = self.table
        return math.fsum((*table.stacks, *table.others)) if table.prizes else 1.0

    @property
    def title(self) -> str:
        """The number of seats and what they play for."""
        goal = "prizes" if self.table.prizes else "chips"
        return f"Push/fold with {self.table.num_seats} seats, for {goal}"

    @property
    def stakes_text(self) -> str:
        """Stacks, blinds, antes and prizes in words."""
        table = self.table
        stacks = "/".join(f"{stack:g}" for stack in table.stacks)
        alike = len(set(table.stacks)) == 1
        parts = [f"{table.stacks[0]:g} bb each" if alike else f"stacks {stacks} bb"]
        parts.append(f"blinds {table.small_blind:g}/1")
        if table.ante:
            parts.append(f"ante {table.ante:g} each")
        if table.bb_ante:
            parts.append(f"big-blind ante {table.bb_ante:g}")
        if table.prizes:
            parts.append(f"prizes {'/'.join(f'{prize:g}' for prize in table.prizes)}")
        if table.others:
            parts.append(f"elsewhere {'/'.join(f'{stack:g}' for stack in table.others)}")
        if table.bounties:
            parts.append("with bounties")
        return ", ".join(parts)

    def decision(self, seat: str | int, before: tuple[str | int, ...] = ()) -> TableDecision:
        """Return the chart of a seat after others are all-in, by their names or numbers.

        >>> import untilt
        >>> chart = untilt.pushfold.chart(seats=2, stacks=[10, 10], prizes=[2, 1])
        >>> chart.decision("small blind").action
        'push'
        """
        mask = sum(1 << seat_number(self.table, each) for each in dict.fromkeys(before))
        wanted = TableState(seat_number(self.table, seat), mask)
        for each in self.decisions:
            if each.state == wanted:
                return each
        names = "; ".join(each.name for each in self.decisions[:12])
        raise InvalidOption(
            f"{self.seats[wanted.seat]} has no decision after {self.table.before_text(wanted)} "
            f"went all-in; decisions are {names}{' …' if len(self.decisions) > 12 else ''}"
        )

    def rows(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Yield a row per decision: its name, how often it comes, percentage and range."""
        for each in self.decisions:
            yield (
                each.player,
                ", ".join(each.before) or "–",
                f"{100.0 * each.probability:.2f} %",
                f"{each.percent:.2f} %",
                each.range_text(),
            )

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per decision and hand."""
        pandas = require("pandas", "to_frame")
        parts = [
            pandas.DataFrame(
                {
                    "seat": each.player,
                    "before": ", ".join(each.before),
                    "hand": CLASS_NAMES,
                    "combos": NUM_COMBOS_OF_CLASS,
                    "all_in": each.frequency,
                    "ev": each.ev,
                    "fold_ev": each.fold_evs,
                    "reach": each.reach,
                }
            )
            for each in self.decisions
        ]
        frame: DataFrame = pandas.concat(parts, ignore_index=True)
        return frame

    def plot(self, path: "str | os.PathLike[str] | None" = None) -> "Picture":
        """Return the charts as 13 × 13 grids, those that come most often first.

        With `path`, it is also written as .svg, .png or .pdf.
        """
        from untilt.games.pushfold.sheets import plot_sheet
        from untilt.games.pushfold.tables.table_sheets import table_sheet

        return plot_sheet(table_sheet(self), path)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the charts to a new file, which `untilt.pushfold.load_chart` reads."""
        provided("the file of a table")(path, self)

    def to_json(self) -> dict[str, object]:
        """Return the charts as plain data, as `untilt chart --seats N --json` prints them."""
        scale = self.bb_per_unit
        table = self.table
        found: dict[str, object] = {
            "seats": table.num_seats,
            "seat_names": list(self.seats),
            "stacks_bb": list(table.stacks),
            "small_blind_bb": table.small_blind,
            "ante_bb": table.ante,
            "bb_ante_bb": table.bb_ante,
            "max_all_in": table.max_all_in,
            "values_bb": self.values_bb.tolist(),
            "gains_bb": (scale * self.gains).tolist(),
            "nash_conv_bb": scale * self.nash_conv,
            "returned": self.returned,
            "iterations": self.iterations,
            "charts": [each.to_json() for each in self.decisions],
        }
        if table.prizes:
            found |= {
                "prizes": list(table.prizes),
                "others_bb": list(table.others),
                "bounties": list(table.bounties),
                "values": self.values.tolist(),
                "gains": self.gains.tolist(),
                "nash_conv": self.nash_conv,
            }
        return found

    def __repr__(self) -> str:
        values = ", ".join(f"{value:.5f}" for value in self.values.tolist())
        return (
            f"<TableChart: {self.table.num_seats} seats, {self.stakes_text}: values {values} "
            f"{self.unit}, {len(self.decisions)} charts>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        header = ("seat", "all-in before", "comes", "all-in", "range")
        values = ", ".join(
            f"{name} {short_number(value)}"
            for name, value in zip(self.seats, self.values.tolist(), strict=True)
        )
        note = f"{self.stakes_text}; values {self.unit}: {values}"
        return html_table(self.title, list(self.rows()), header=header, note=note)


_SHORT: Mapping[str, str] = {
    "utg": "under the gun",
    "utg+1": "under the gun + 1",
    "utg+2": "under the gun + 2",
    "lj": "lojack",
    "hj": "hijack",
    "co": "cutoff",
    "btn": "button",
    "bu": "button",
    "sb": "small blind",
    "bb": "big blind",
    "small": "small blind",
    "big": "big blind",
}


def seat_number(table: PushFoldTable, given: str | int) -> int:
    """Return the number of a seat that is given by its name, a usual abbreviation or its number."""
    names = table.seats
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(names):
        return given
    text = " ".join(str(given).lower().split())
    name = _SHORT.get(text.replace(" ", ""), text)
    if name in names:
        return names.index(name)
    raise InvalidOption(f"{str(given)[:40]!r} is not a seat; seats are {', '.join(names)}")


def chart_of(table: PushFoldTable, solved: SolvedTable, values_bb: Floats) -> TableChart:
    """Return the charts of what was solved."""
    measured = solved.measured
    decisions = []
    for node, state in enumerate(table.states):
        if table.decision(state) != CHOICE:
            continue
        reach, folding = measured.reach[node], measured.folding[node]
        total = float(reach.sum())
        is_met = reach > 0.0
        mean = float(reach[is_met] @ folding[is_met]) / total if total > 0.0 else math.nan
        before = tuple(table.seats[seat] for seat in range(state.seat) if state.all_in >> seat & 1)
        decisions.append(
            TableDecision(
                player=table.seats[state.seat],
                action="call" if before else "push",
                frequency=np.clip(solved.ranges[node], 0.0, 1.0),
                ev=measured.all_in[node],
                fold_ev=mean,
                state=state,
                before=before,
                fold_evs=folding,
                reach=reach,
            )
        )
    return TableChart(
        table=table,
        ranges=solved.ranges,
        decisions=tuple(decisions),
        values=measured.values,
        values_bb=values_bb,
        gains=measured.gains,
        returned=solved.returned,
        other_nash_conv=solved.other_nash_conv,
        iterations=solved.iterations,
    )
