"""Ranges of a table as text, and charts as lines to print.

A file of ranges has a line for each decision:

    button: 22+,A2s+,K9s+             the button, nobody is all-in before
    small blind vs button: 66+,A9s+   the small blind after the button
    BB vs BTN, SB: QQ+,AKs            usual abbreviations

    CO: 25%                           the best quarter of hands to push

What follows `#` is a comment. The output of `untilt chart --seats N --json` is read as well.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cards.combos import CLASS_NAMES
from untilt.cards.ranges.range import Range
from untilt.display import gain_text
from untilt.errors import FormatError, InvalidOption
from untilt.games.pushfold.tables.table import CHOICE, PushFoldTable, TableState
from untilt.games.pushfold.tables.table_chart import TableChart, seat_number
from untilt.games.pushfold.text import Line, csv_text
from untilt.number import Number
from untilt.numeric.arrays import Floats

if TYPE_CHECKING:
    from untilt.games.pushfold.tables.audit import Audit
    from untilt.games.pushfold.tables.table_analysis import TableComparison

_PERCENT = re.compile(r"[0-9.]+ ?%")
_FORM = "give lines such as 'button: 22+,A2s+' and 'big blind vs button: 66+,ATs+'"


def ranges_of_text(table: PushFoldTable, source: str, text: str) -> dict[int, Floats]:
    """Return the ranges [169] in a text, by node; `source` names it in errors."""
    if text.lstrip().startswith("{"):
        return _of_json(table, source, text)
    found: dict[int, Floats] = {}
    for part in text.replace(";", "\n").splitlines():
        line = part.partition("#")[0].strip()
        if not line:
            continue
        name, colon, written = line.partition(":")
        if not colon:
            raise InvalidOption(f"{source} contains {line[:60]!r}, which has no colon; {_FORM}")
        seat, _, others = name.partition(" vs ")
        before = [each.strip() for each in others.split(",")] if others.strip() else []
        node = node_of(table, seat.strip(), before)
        if node in found:
            raise InvalidOption(f"{source} gives a range for {name.strip()!r} twice; give one")
        bare = written.strip()
        # A percentage alone is one of hands that are good to push.
        found[node] = Range.parse(
            f"push {bare}" if _PERCENT.fullmatch(bare) else bare
        ).class_weights()
    if not found:
        raise InvalidOption(f"{source} has no ranges; {_FORM}")
    return found


def node_of(table: PushFoldTable, seat: str, before: list[str]) -> int:
    """Return the node of the decision of a seat after others are all-in, all given by name."""
    mask = sum(1 << number for number in {seat_number(table, each) for each in before})
    state = TableState(seat_number(table, seat), mask)
    if state not in table.states or table.decision(state) != CHOICE:
        raise InvalidOption(
            f"{table.seats[state.seat]} has no decision after {', '.join(before) or 'all folds'} "
            "at this table; give ranges for its decisions only"
        )
    return table.states.index(state)


def _of_json(table: PushFoldTable, source: str, text: str) -> dict[int, Floats]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{source} is not valid JSON") from error
    found: dict[int, Floats] = {}
    charts = document.get("charts")
    for chart in charts if isinstance(charts, list) else []:
        match chart:
            case {"seat": str() as seat, "before": list() as before, "hands": Mapping() as hands}:
                node = node_of(table, seat, [str(each) for each in before])
                found[node] = _shares(source, hands)
            case _:
                raise FormatError(f"{source} has a chart without seat, before and hands")
    if not found:
        raise FormatError(f"{source} has no charts; give the output of untilt chart --seats --json")
    return found


def _shares(source: str, hands: Mapping[str, object]) -> Floats:
    allowed = Number(least=0.0, most=1.0)
    for name in CLASS_NAMES:
        if not allowed.accepts(hands.get(name)):
            raise FormatError(f"{source} lacks the frequency of {name}, a number from 0 to 1")
    return np.array([float(hands[name]) for name in CLASS_NAMES])  # type: ignore[arg-type]


def chart_lines(chart: TableChart) -> Iterator[Line]:
    """Yield the values of all seats, and the range of every decision."""
    yield chart.title, "bold"
    yield chart.stakes_text, ""
    yield "", ""
    is_for_prizes = bool(chart.table.prizes)
    unit = "of the pool" if is_for_prizes else "bb/hand"
    yield f"{'seat':<18}{'stack':>8}  {f'value, {unit}':>20}  {'best response gains':>20}", "dim"
    for seat, name in enumerate(chart.seats):
        value = f"{chart.values[seat]:.6f}" if is_for_prizes else f"{chart.values[seat]:+.6f}"
        yield (
            f"{name:<18}{chart.table.stacks[seat]:>8g}  {value:>20}  {chart.gains[seat]:>20.2e}",
            "",
        )
    yield "", ""
    width = max(len(row[1]) for row in chart.rows())
    yield f"{'seat':<18}{'all-in before':<{width}}  {'comes':>9}  {'all-in':>9}  range", "dim"
    for seat_name, before, comes, percent, text in chart.rows():
        yield f"{seat_name:<18}{before:<{width}}  {comes:>9}  {percent:>9}  {text}", ""
    yield "", ""
    yield (
        f"best responses gain {chart.nash_conv:.2e} {chart.unit} together against this, the "
        f"{chart.returned} strategy after {chart.iterations} iterations",
        "dim",
    )


def comparison_lines(name: str, comparison: "TableComparison") -> Iterator[Line]:
    """Yield what the ranges `name` cost, seat by seat and hand by hand."""
    chart = comparison.chart
    unit = "bb/100 hands" if not chart.table.prizes else "% of the pool"
    yield "", ""
    yield f"{name} against this chart, in {unit}", "bold"
    for each in comparison.decisions:
        yield f"  {each.decision.name}: costs {100.0 * each.cost:.4f}", ""
        for hand in each.hands[:8]:
            yield (
                f"    {hand.hand:<4} {100.0 * hand.ours:6.1f} % here, {100.0 * hand.theirs:6.1f} % "
                f"in {name}: all-in {gain_text(hand.gain, '.4f', 'gains', 'loses')} over folding, "
                f"costs {100.0 * hand.cost:.4f}",
                "dim",
            )
    for seat, cost in enumerate(comparison.costs.tolist()):
        yield f"  {chart.seats[seat]}: {100.0 * cost:.4f}", ""
    yield (
        f"  best responses gain {100.0 * comparison.nash_conv:.4f} together against {name}, "
        f"{100.0 * chart.nash_conv:.4f} against this chart",
        "",
    )


def audit_lines(audit: "Audit") -> Iterator[Line]:
    """Yield how far the model is from random full deals."""
    chart = audit.chart
    yield "", ""
    yield f"audit by {audit.num_deals:,} random deals (95 % intervals)", "bold"
    yield f"{'seat':<18}{'value, model':>14}  {'value, deals':>26}  {'best response':>26}", "dim"
    for seat, name in enumerate(chart.seats):
        value = f"{audit.values[seat]:+.5f} ± {audit.value_margins[seat]:.5f}"
        gain = f"{audit.gains[seat]:+.5f} ± {audit.gain_margins[seat]:.5f}"
        yield f"{name:<18}{chart.values[seat]:>+14.5f}  {value:>26}  {gain:>26}", ""
    yield (
        f"{'decision':<44}{'all-in, model':>14}  {'all-in, deals':>18}",
        "dim",
    )
    for row in audit.frequencies:
        yield (
            f"{row.decision.name[:43]:<44}{100.0 * row.model:>12.2f} %  "
            f"{100.0 * row.dealt:>9.2f} ± {100.0 * row.margin:.2f} %",
            "",
        )


def table_csv(chart: TableChart) -> bytes:
    """Return the charts as CSV: a line per decision and hand; values in the unit of the chart."""
    rows: list[tuple[object, ...]] = [("seat", "before", "hand", "all_in", "ev", "fold_ev")]
    for each in chart.decisions:
        columns = (
            each.frequency.tolist(),
            each.ev_of_hand().values(),
            [None if math.isnan(value) else value for value in each.fold_evs.tolist()],
        )
        before = ", ".join(each.before)
        rows += [(each.player, before, *row) for row in zip(CLASS_NAMES, *columns, strict=True)]
    return csv_text(rows)


def sweep_document(charts: Sequence[TableChart]) -> dict[str, Any]:
    """Return charts of many stacks as plain data, without single hands."""
    return {
        "tables": [
            {
                **{name: value for name, value in chart.to_json().items() if name != "charts"},
                "charts": [
                    {
                        "seat": each.player,
                        "before": list(each.before),
                        "percent": each.percent,
                        "probability": each.probability,
                        "range": each.range_text(),
                    }
                    for each in chart.decisions
                ],
            }
            for chart in charts
        ]
    }


def sweep_lines(charts: Sequence[TableChart], stacks: Sequence[float]) -> Iterator[Line]:
    """Yield a line per table with the values of all seats, then one with how often they open.

    `stacks` name the tables.
    """
    first = charts[0]
    yield first.title, "bold"
    for heading, numbers in (
        (f"value, {first.unit}", lambda chart: [f"{one:+.5f}" for one in chart.values.tolist()]),
        ("all-in if nobody is before", _opening_texts),
    ):
        yield "", ""
        yield heading, "bold"
        yield "  stack" + "".join(f"{name:>19}" for name in first.seats), "dim"
        for chart, stack in zip(charts, stacks, strict=True):
            texts = "".join(f"{text:>19}" for text in numbers(chart))
            yield f"{stack:>7g}{texts}", ""


def _opening_texts(chart: TableChart) -> list[str]:
    found = {each.state.seat: each.percent for each in chart.decisions if not each.before}
    return [
        f"{found[seat]:.2f} %" if seat in found else "–" for seat in range(chart.table.num_seats)
    ]
