"""A strategy as a table with bars, one row per infoset, for the terminal."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from untilt.game.infosets import Infosets
from untilt.game.strategy import Profile

PALETTE = ("steel_blue1", "orange3", "red3", "medium_orchid3", "green4", "gold3")
"""Colours of the first, second, … action: passive ones are cool, aggressive ones warm."""

SHADES = "░▓█▒▚"
"""Fill of the first, second, … action."""


@dataclass(frozen=True)
class Row:
    """One infoset as the table shows it."""

    player: int
    label: str
    private: str
    public: str
    line: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    values: tuple[float, ...]
    """Expected value of each action in chips, given that the infoset is reached; may be nan."""
    reach: float
    """Probability that a hand comes here when both follow the profile."""


@dataclass(frozen=True)
class Columns:
    """Which columns a table has besides card, line and bars."""

    values: bool = False
    reach: bool = False
    bar_width: int = 24


RowFilter = Callable[[Row], bool]


def rows_of(
    infosets: tuple[Infosets, Infosets],
    profile: Profile,
    values: tuple[list[float], list[float]],
    reaches: tuple[list[float], list[float]],
) -> Iterator[Row]:
    """Yield a row per infoset, by player and private card, in the order of play.

    `values` are per sequence, `reaches` per infoset.
    """
    cards = dict.fromkeys(infosets[0].private + infosets[1].private)
    first_seen = {card: rank for rank, card in enumerate(cards)}
    for player, table in enumerate(infosets):
        behaviour = profile.behaviours[player].tolist()
        order = sorted(range(len(table)), key=lambda index: first_seen[table.private[index]])
        for index in order:
            block = table.block(index)
            yield Row(
                player=player,
                label=table.labels[index],
                private=table.private[index],
                public=table.public[index],
                line=table.line[index],
                actions=table.actions[index],
                probabilities=tuple(behaviour[block]),
                values=tuple(values[player][block]),
                reach=reaches[player][index],
            )


def most_reached(rows: list[Row], count: int) -> list[Row]:
    """Return the `count` rows that are reached most often, in their old order."""
    if len(rows) <= count:
        return rows
    kept = sorted(range(len(rows)), key=lambda index: -rows[index].reach)[:count]
    return [rows[index] for index in sorted(kept)]


def strategy_table(
    rows: list[Row], columns: Columns, *, label_of: Callable[[Row], str] | None = None
) -> RenderableType:
    """Return one table per player; with `label_of`, rows carry that label instead of cards."""
    tables: list[RenderableType] = []
    for player in (0, 1):
        own = [row for row in rows if row.player == player]
        if own:
            tables.append(_player_table(player, own, columns, label_of))
    return Group(*tables) if tables else Text("no infoset matches")


def _player_table(
    player: int, rows: list[Row], columns: Columns, label_of: Callable[[Row], str] | None
) -> Table:
    table = Table(
        title=f"Player {player}",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        header_style="dim",
    )
    has_cards = label_of is None and any(row.private for row in rows)
    has_public = label_of is None and any(row.public for row in rows)
    has_line = label_of is None and any(row.line for row in rows)
    has_label = not (has_cards or has_public or has_line)
    for name, is_shown in (
        ("infoset", has_label),
        ("card", has_cards),
        ("board", has_public),
        ("line", has_line),
    ):
        if is_shown:
            table.add_column(name, no_wrap=True)
    table.add_column("strategy", no_wrap=True)
    table.add_column("")
    if columns.values:
        table.add_column("value of each action")
    if columns.reach:
        table.add_column("reach", justify="right", no_wrap=True)
    previous = rows[0].private
    for row in rows:
        if has_cards and row.private != previous:
            table.add_section()
            previous = row.private
        cells: list[RenderableType] = []
        if has_label:
            cells.append(label_of(row) if label_of else row.label)
        if has_cards:
            cells.append(Text(row.private, style="bold"))
        if has_public:
            cells.append(row.public)
        if has_line:
            cells.append(row.line or Text("–", style="dim"))
        cells += [bar(row.probabilities, columns.bar_width), _percentages(row)]
        if columns.values:
            cells.append(_values(row))
        if columns.reach:
            cells.append(f"{row.reach:.4f}" if row.reach >= 5e-5 else f"{row.reach:.0e}")
        table.add_row(*cells, style="dim" if row.reach < 1e-9 else None)
    return table


def bar(probabilities: tuple[float, ...], width: int) -> Text:
    """Return a stacked bar of `width` cells; each action has its colour and its shade.

    The shades keep it readable where there is no colour.
    """
    text = Text()
    total, begin = 0.0, 0
    for action, probability in enumerate(probabilities):
        total += probability
        end = width if action == len(probabilities) - 1 else min(width, round(total * width))
        text.append(SHADES[action % len(SHADES)] * (end - begin), style=_colour(action))
        begin = end
    return text


def _colour(action: int) -> str:
    return PALETTE[action % len(PALETTE)]


def _percentages(row: Row) -> Text:
    text = Text()
    for action, (name, probability) in enumerate(zip(row.actions, row.probabilities, strict=True)):
        if action:
            text.append("  ")
        style = _colour(action) if probability >= 5e-4 else "dim"
        text.append(f"{name} {_percent(probability)}", style=style)
    return text


def _percent(probability: float) -> str:
    """Return a probability as a percentage of constant width; 0 and 1 only when exact to 1e-4."""
    return f"{100.0 * probability:5.1f}%"


def _values(row: Row) -> Text:
    parts = [
        f"{name} {'–' if math.isnan(value) else f'{value:+.4f}'}"
        for name, value in zip(row.actions, row.values, strict=True)
    ]
    return Text("  ".join(parts))
