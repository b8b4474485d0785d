"""Push/fold charts: what one chart holds, and how it looks in a terminal and as CSV.

Two 13 × 13 grids, the small blind's pushes and the big blind's calls. In a cell, the part
that is filled from the left is how often the hand is played. Colours are orange (push) and
blue (call) on a pale grey, which all kinds of colour vision tell apart; they differ in
lightness too, and the text repeats them: a hand that is always played stands with its name,
a mixed one with its name and percent, one that is folded as a dot.

    AA    AKs   AQs50 .     .
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich.color import Color
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from untilt.cards.card import NUM_RANKS
from untilt.cards.combos import CLASS_NAMES, NUM_COMBOS, NUM_COMBOS_OF_CLASS
from untilt.cards.range import Range
from untilt.charts.hand_grid import value_grid

Numbers = npt.NDArray[np.float64]

MIXED = 1e-3
"""A frequency that is further than this from 0 and from 1 is mixed."""

COLOURS = {"push": "#d55e00", "call": "#0072b2"}
FOLD_COLOUR = "#eceff1"

_CELL_WIDTH = 5
_SHOWN_DIGITS = 4
"""Decimals of the frequencies in a printed range."""


@dataclass(frozen=True)
class Seat:
    """One player's half of a chart; arrays are [169], in the order of the grid."""

    player: str
    """`small blind` or `big blind`."""
    action: str
    """`push` or `call`."""
    frequency: Numbers
    """How often each hand is played, 0–1."""
    ev: Numbers
    """What playing it gains, in bb; nan if the hand never has to decide."""
    fold_ev: float
    """What folding gains, in bb."""

    @property
    def percent(self) -> float:
        """How many of the 1,326 combos are played, in percent."""
        return float(100.0 * (self.frequency @ NUM_COMBOS_OF_CLASS) / NUM_COMBOS)

    @property
    def mixed(self) -> dict[str, float]:
        """The hands that are sometimes played and sometimes folded, with their frequency."""
        return {
            name: share
            for name, share in self.frequency_of_hand().items()
            if MIXED < share < 1.0 - MIXED
        }

    def frequency_of_hand(self) -> dict[str, float]:
        """Return every hand's frequency by its name."""
        return dict(zip(CLASS_NAMES, self.frequency.tolist(), strict=True))

    def ev_of_hand(self) -> dict[str, float | None]:
        """Return what playing each hand gains, by its name."""
        values = [None if math.isnan(value) else value for value in self.ev.tolist()]
        return dict(zip(CLASS_NAMES, values, strict=True))

    def range_text(self) -> str:
        """Return the hands that are played as a range, frequencies rounded to 4 digits."""
        shares = {
            name: round(share, _SHOWN_DIGITS) for name, share in self.frequency_of_hand().items()
        }
        return str(Range.from_classes(shares))


@dataclass(frozen=True)
class PushFoldChart:
    """Both players' play at one stack, in big blinds per hand."""

    stack: float
    small_blind: float
    ante: float
    bb_ante: float
    value: float
    """What the small blind gains."""
    exploitability: float
    push: Seat
    call: Seat

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """The small blind's half, then the big blind's."""
        return self.push, self.call

    @property
    def stakes_text(self) -> str:
        """Blinds and antes in words."""
        parts = [f"blinds {self.small_blind:g}/1"]
        if self.ante:
            parts.append(f"ante {self.ante:g} each")
        if self.bb_ante:
            parts.append(f"big-blind ante {self.bb_ante:g}")
        return ", ".join(parts)

    @property
    def title(self) -> str:
        """Stack and value, as a chart's heading."""
        return (
            f"Push/fold at {self.stack:g} bb: the small blind "
            f"{'wins' if self.value >= 0.0 else 'loses'} {abs(self.value):.7f} bb/hand"
        )

    def document(self) -> dict[str, object]:
        """Return the chart as plain data for JSON."""
        return {
            "stack_bb": self.stack,
            "value_bb": self.value,
            "exploitability_mbb": 1000.0 * self.exploitability,
            "push": self.push.frequency_of_hand(),
            "call": self.call.frequency_of_hand(),
            "push_ev": self.push.ev_of_hand(),
            "call_ev": self.call.ev_of_hand(),
            "push_percent": self.push.percent,
            "call_percent": self.call.percent,
        }


@dataclass(frozen=True)
class SeatGrid:
    """The grid of one player as `str` prints it, or Rich in colour."""

    seat: Seat

    def __str__(self) -> str:
        return "\n".join(line.plain.rstrip() for line in self._lines())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._lines()

    def _lines(self) -> Iterator[Text]:
        shares = self.seat.frequency.tolist()
        for row in range(NUM_RANKS):
            line = Text(no_wrap=True, overflow="ignore")
            for column in range(NUM_RANKS):
                hand = row * NUM_RANKS + column
                if column:
                    line.append(" ")
                line.append_text(_cell(CLASS_NAMES[hand], shares[hand], self.seat.action))
            yield line


def ev_grid_caption(seat: Seat) -> str:
    """Return what the numbers of `ev_grid` mean."""
    return f"bb that {seat.action}ing gains over folding ({seat.fold_ev:+g} bb)"


def print_chart(console: Console, chart: PushFoldChart, *, with_ev: bool = False) -> None:
    """Print both grids with their ranges, mixed hands and, if asked, what each hand gains."""
    console.print(chart.title, style="bold", soft_wrap=True)
    console.print(
        f"{chart.stakes_text}; exploitability {1000.0 * chart.exploitability:.4f} mbb/hand",
        soft_wrap=True,
    )
    for seat in chart.seats:
        console.print()
        console.print(
            f"{seat.player}: {seat.action} {seat.percent:.2f} % of hands; "
            f"folding gains {seat.fold_ev:+g} bb",
            style="bold",
            soft_wrap=True,
        )
        console.print(SeatGrid(seat))
        console.print(_legend(seat), soft_wrap=True)
        console.print(f"range: {seat.range_text()}", soft_wrap=True)
        console.print(f"mixed: {_mixed_text(seat)}", soft_wrap=True)
        if with_ev:
            console.print()
            console.print(value_grid(seat.ev - seat.fold_ev, ev_grid_caption(seat)))


def chart_csv(chart: PushFoldChart) -> Iterator[bytes]:
    """Yield the chart as CSV: a line per hand, in the order of the grid.

    `push` and `call` are frequencies, the other columns what each choice gains in bb.
    """
    evs = (chart.push.ev_of_hand(), chart.call.ev_of_hand())
    frequencies = (chart.push.frequency_of_hand(), chart.call.frequency_of_hand())
    header = (
        "hand",
        "push",
        "call",
        "push_ev",
        "call_ev",
        "small_blind_fold_ev",
        "big_blind_fold_ev",
    )
    rows = (
        (
            name,
            frequencies[0][name],
            frequencies[1][name],
            evs[0][name],
            evs[1][name],
            chart.push.fold_ev,
            chart.call.fold_ev,
        )
        for name in CLASS_NAMES
    )
    yield _csv_text((header, *rows))


Intervals = Mapping[str, list[tuple[float, float]]]
"""By hand, the stacks at which it is played, both ends included."""


@dataclass(frozen=True)
class PushFoldSweep:
    """Charts over many stacks: for each hand the stacks at which it is played."""

    charts: tuple[PushFoldChart, ...]
    """By ascending stack."""
    push: Intervals
    call: Intervals

    @property
    def stacks(self) -> list[float]:
        """All stacks, ascending."""
        return [chart.stack for chart in self.charts]

    @property
    def title(self) -> str:
        """First and last stack, as a heading."""
        stacks = self.stacks
        return f"Push/fold from {stacks[0]:g} to {stacks[-1]:g} bb, {len(stacks)} stacks"

    def document(self) -> dict[str, object]:
        """Return the sweep as plain data for JSON."""
        return {
            "stacks": [
                {
                    name: value
                    for name, value in chart.document().items()
                    if isinstance(value, float)
                }
                for chart in self.charts
            ],
            "push": {hand: [list(pair) for pair in pairs] for hand, pairs in self.push.items()},
            "call": {hand: [list(pair) for pair in pairs] for hand, pairs in self.call.items()},
        }


def intervals_text(intervals: list[tuple[float, float]], between: str = ";") -> str:
    """Return intervals of stacks as `2-7.5;9-12`; a single stack stands alone."""
    return between.join(
        f"{low:g}" if low == high else f"{low:g}-{high:g}" for low, high in intervals
    )


def sweep_csv(sweep: PushFoldSweep) -> Iterator[bytes]:
    """Yield the sweep as CSV: a line per hand with the stacks at which it pushes and calls."""
    rows = (
        (name, intervals_text(sweep.push[name]), intervals_text(sweep.call[name]))
        for name in CLASS_NAMES
    )
    yield _csv_text((("hand", "push", "call"), *rows))


def print_sweep(console: Console, sweep: PushFoldSweep) -> None:
    """Print value and ranges by stack, and for each hand the stacks at which it is played."""
    console.print(sweep.title, style="bold", soft_wrap=True)
    console.print(f"{sweep.charts[0].stakes_text}; stacks are those solved, both ends included")
    console.print()
    console.print("  stack  value, bb/hand    push %    call %", style="dim")
    for chart in sweep.charts:
        console.print(
            f"{chart.stack:>7g}  {chart.value:>+14.7f}  {chart.push.percent:>8.2f}  "
            f"{chart.call.percent:>8.2f}"
        )
    console.print()
    width = max(4, *(len(intervals_text(sweep.push[name], " ")) for name in CLASS_NAMES))
    console.print(f"hand  {'push':{width}}  call", style="dim")
    for name in CLASS_NAMES:
        pushes = intervals_text(sweep.push[name], " ") or "-"
        calls = intervals_text(sweep.call[name], " ") or "-"
        console.print(f"{name:<4}  {pushes:{width}}  {calls}", soft_wrap=True)


def _csv_text(rows: tuple[tuple[object, ...], ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _cell(name: str, share: float, action: str) -> Text:
    """Return a cell of 5 characters, as many of them filled as the hand is often played."""
    if share <= MIXED:
        text, filled = ".", 0
    elif share >= 1.0 - MIXED:
        text, filled = name, _CELL_WIDTH
    else:
        # What is mixed never shows as folded or as always played.
        text = f"{name:<3}{min(max(round(100.0 * share), 1), 99):>2}"
        filled = min(max(round(share * _CELL_WIDTH), 1), _CELL_WIDTH - 1)
    text = text.ljust(_CELL_WIDTH)
    played = Style(color="white", bgcolor=Color.parse(COLOURS[action]), bold=True)
    folded = Style(color="black", bgcolor=Color.parse(FOLD_COLOUR))
    return Text.assemble((text[:filled], played), (text[filled:], folded))


def _legend(seat: Seat) -> Text:
    return Text.assemble(
        _cell("AA", 1.0, seat.action),
        f" always {seat.action}   ",
        _cell("AA", 0.4, seat.action),
        f" {seat.action} with this percent   ",
        _cell("AA", 0.0, seat.action),
        " fold",
    )


def _mixed_text(seat: Seat) -> str:
    shown = [f"{name} {100.0 * share:.2f} %" for name, share in seat.mixed.items()]
    return ", ".join(shown) or "none"
