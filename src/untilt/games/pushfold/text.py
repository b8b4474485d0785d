"""Push/fold charts as text, tables and JSON, to print, draw or serve.

Lines of text come with a style: `bold`, `dim` or none.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.display import gain_text
from untilt.games.pushfold.analysis import Answer, Comparison, Match
from untilt.games.pushfold.chart import ChartSide, PushFoldChart, PushFoldSweep
from untilt.games.pushfold.game import Stakes

Line = tuple[str, str]
"""A line and its style."""


def effective_text(stacks: tuple[float, float], stakes: Stakes) -> str:
    """Return how the stack of `stakes` follows from the stacks of the small and the big blind."""
    both = f"{stacks[0]:g} (small blind) and {stacks[1]:g} (big blind)"
    if stakes.stack == min(stacks):
        return f"the effective stack counts: {stakes.stack:g} bb, the smaller of {both}"
    return (
        f"stacks of {both} are played like equal stacks of {stakes.stack:g} bb: the big blind pays "
        "the big-blind ante in addition to the call"
    )


def seat_heading(seat: ChartSide) -> str:
    """Return a heading: the player, the action and how often it is taken."""
    return f"{seat.player}: {seat.action} {seat.percent:.2f} % of hands"


def gains_meaning(seat: ChartSide) -> str:
    """Return the meaning of the gains of hands."""
    return f"bb that {seat.action}ing gains over folding"


def chart_csv(chart: PushFoldChart) -> bytes:
    """Return the chart as CSV: a line per hand, in the order of the grid.

    `push` and `call` are frequencies; the other columns say what each choice gains in bb.
    """
    header = (
        *("hand", "push", "call", "push_ev", "call_ev"),
        *("small_blind_fold_ev", "big_blind_fold_ev"),
    )
    columns = (
        CLASS_NAMES,
        *(seat.frequency.tolist() for seat in chart.seats),
        *(seat.ev_of_hand().values() for seat in chart.seats),
        *([seat.fold_ev] * NUM_CLASSES for seat in chart.seats),
    )
    return csv_text([header, *zip(*columns, strict=True)])


def sweep_csv(sweep: PushFoldSweep) -> bytes:
    """Return the sweep as CSV: a line per hand with the stacks at which it pushes and calls."""
    columns = (
        CLASS_NAMES,
        *([intervals_text(half[name]) for name in CLASS_NAMES] for half in sweep.halves),
    )
    return csv_text([("hand", "push", "call"), *zip(*columns, strict=True)])


def csv_text(rows: Iterable[tuple[object, ...]]) -> bytes:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def interval_texts(intervals: list[tuple[float, float]]) -> list[str]:
    """Return each interval of stacks as `2-7.5`, a single stack as `9`."""
    return [f"{low:g}" if low == high else f"{low:g}-{high:g}" for low, high in intervals]


def intervals_text(intervals: list[tuple[float, float]], between: str = ";") -> str:
    """Return intervals of stacks as `2-7.5;9-12`."""
    return between.join(interval_texts(intervals))


def sweep_lines(sweep: PushFoldSweep) -> Iterator[Line]:
    """Yield value and ranges by stack, and for each hand the stacks at which it is played."""
    yield sweep.title, "bold"
    yield f"{sweep.charts[0].stakes_text}; {STACKS_SHOWN}", ""
    yield "", ""
    yield "  stack  value, bb/hand    push %    call %", "dim"
    for chart in sweep.charts:
        stack, value, push, call = stack_row(chart)
        yield f"{stack:>7}  {value:>14}  {push:>8}  {call:>8}", ""
    yield "", ""
    pushes, calls = (
        [intervals_text(half[name], " ") or "-" for name in CLASS_NAMES] for half in sweep.halves
    )
    width = max(4, *map(len, pushes))
    yield f"hand  {'push':{width}}  call", "dim"
    for name, pushed, called in zip(CLASS_NAMES, pushes, calls, strict=True):
        yield f"{name:<4}  {pushed:{width}}  {called}", ""


STACKS_SHOWN = "intervals of solved stacks, both ends included"


def stack_row(chart: PushFoldChart) -> tuple[str, str, str, str]:
    """Return stack, value and the percentages of hands that are pushed and called."""
    push, call = (f"{seat.percent:.2f}" for seat in chart.seats)
    return f"{chart.stack:g}", f"{chart.value:+.7f}", push, call


def answer_document(answer: Answer) -> dict[str, Any]:
    """Return the best response to a range as plain data for JSON."""
    return {
        "player": answer.seat.player,
        "best_range": answer.seat.range_text(),
        "value_bb": answer.value,
        "equilibrium_range_value_bb": answer.equilibrium_value,
        "game_value_bb": answer.game_value,
        "gain_bb_100": 100.0 * answer.gain,
    }


def answer_lines(answer: Answer) -> Iterator[Line]:
    """Yield the best response to a range as text."""
    seat = answer.seat
    yield "", ""
    yield (
        f"best answer of the {seat.player}: {seat.action} {seat.percent:.2f} % of hands, "
        f"{answer.value:+.7f} bb/hand",
        "bold",
    )
    yield (
        f"the equilibrium range is worth {answer.equilibrium_value:+.7f} against it, so the gain "
        f"is {100.0 * answer.gain:.4f} bb/100; against the equilibrium it is worth "
        f"{answer.game_value:+.7f}",
        "",
    )


def comparison_document(name: str, comparison: Comparison) -> dict[str, Any]:
    """Return a comparison with the strategy `name` as plain data for JSON."""
    match = comparison.match
    return {
        "other": name,
        "cells_that_differ": len(comparison.differences),
        "cells": [
            {
                "action": cell.action,
                "hand": cell.hand,
                "frequency": cell.ours,
                "other_frequency": cell.theirs,
                "ev_difference_bb": cell.ev_difference,
                "cost_bb_100": 100.0 * cell.cost,
            }
            for cell in comparison.differences
        ],
        "push_cost_bb_100": 100.0 * comparison.costs[0],
        "call_cost_bb_100": 100.0 * comparison.costs[1],
        "as_small_blind_bb_100": 100.0 * match.as_small_blind,
        "as_big_blind_bb_100": 100.0 * match.as_big_blind,
        "wins_bb_100": 100.0 * match.mean,
        "loses_to_best_response_bb_100": 100.0 * match.losses[0],
        "other_loses_to_best_response_bb_100": 100.0 * match.losses[1],
    }


MOST_CELLS = 20
"""Most cells that a comparison lists as text."""


def comparison_heading(name: str, comparison: Comparison) -> str:
    """Return the number of cells that differ from the strategy `name`, as text."""
    return f"{len(comparison.differences)} of {2 * NUM_CLASSES} cells differ from {name}"


def comparison_lines(name: str, comparison: Comparison) -> Iterator[Line]:
    """Yield the cost of the differences from the strategy `name`, as text."""
    match, cells = comparison.match, comparison.differences
    if cells:
        yield "action  hand  this chart     other  bb over folding  costs bb/100", "dim"
    for cell in sorted(cells, key=lambda each: -each.cost)[:MOST_CELLS]:
        yield (
            f"{cell.action:6}  {cell.hand:4}  {100.0 * cell.ours:9.2f}%  "
            f"{100.0 * cell.theirs:7.2f}%  {cell.ev_difference:+z15.6f}  "
            f"{100.0 * cell.cost:z12.4f}",
            "",
        )
    if len(cells) > MOST_CELLS:
        yield f"… the {MOST_CELLS} of {len(cells)} that cost most; all of them: --json", "dim"
    pushes, calls = (100.0 * cost for cost in comparison.costs)
    yield (
        f"against this chart, {name} loses {pushes:z.4f} bb/100 by its pushes as small blind and "
        f"{calls:z.4f} by its calls as big blind",
        "",
    )
    yield (
        f"this chart {gain_text(100.0 * match.mean, '.6f')} bb/100 against the other, changing "
        f"seats ({100.0 * match.as_small_blind:+z.6f} as small blind, "
        f"{100.0 * match.as_big_blind:+z.6f} as big blind)",
        "",
    )
    yield (
        f"a best response wins {100.0 * match.losses[0]:.6f} bb/100 from this chart, "
        f"{100.0 * match.losses[1]:.6f} from the other",
        "",
    )


def match_document(stakes: Stakes, names: tuple[str, str], match: Match) -> dict[str, Any]:
    """Return a match of the strategies `names` as plain data for JSON."""
    return {
        "stack_bb": stakes.stack,
        "a": names[0],
        "b": names[1],
        "as_small_blind_bb_100": 100.0 * match.as_small_blind,
        "as_big_blind_bb_100": 100.0 * match.as_big_blind,
        "mean_bb_100": 100.0 * match.mean,
        "a_loses_to_best_response_bb_100": 100.0 * match.losses[0],
        "b_loses_to_best_response_bb_100": 100.0 * match.losses[1],
    }


def match_lines(stakes: Stakes, names: tuple[str, str], match: Match, note: str) -> Iterator[Line]:
    """Yield a match of the strategies `names` as text; `note` says more about the stakes."""
    yield f"A = {names[0]}", ""
    yield f"B = {names[1]}", ""
    yield f"at {stakes.stack:g} bb, exact, in bb/100 for A{'; ' + note if note else ''}", ""
    yield f"  as small blind   {100.0 * match.as_small_blind:+z12.6f}", ""
    yield f"  as big blind     {100.0 * match.as_big_blind:+z12.6f}", ""
    yield f"  changing seats   {100.0 * match.mean:+z12.6f}", "bold"
    yield "a best response, changing seats, wins", ""
    yield f"  from A           {100.0 * match.losses[0]:+z12.6f}", ""
    yield f"  from B           {100.0 * match.losses[1]:+z12.6f}", ""
