"""The hands of a range at a node as a table: weight, equity, EV, EQR and mix of actions."""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cards.combos import Combos, combo_name
from untilt.display import html_table, short_number
from untilt.errors import UnknownName, require
from untilt.number import finite
from untilt.numeric.arrays import Bools, Floats, Offsets

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("hand", "weight", "equity", "ev", "eqr")
"""The columns before those of the actions."""
_BY_HAND = ("combos", *COLUMNS[1:], "is_locked")

_MAX_SHOWN = 12
"""The number of hands that a notebook shows."""


@dataclass(frozen=True)
class HandRow:
    """One hand of a table; nan for what is not known."""

    hand: str
    combo: int
    weight: float
    """The part of the hand that gets here, 0–1."""
    equity: float
    """0–1."""
    ev: float
    """In chips."""
    eqr: float
    mix: dict[str, float]
    """The frequency of each action; empty for the player who does not act."""
    action_ev: dict[str, float]
    """The value of each action, in chips."""
    is_locked: bool
    """Whether a lock fixes what it does."""

    def to_json(self) -> dict[str, Any]:
        """Return the row for JSON, with null for what is not known."""
        numbers = {name: finite(getattr(self, name)) for name in COLUMNS[1:]}
        more: dict[str, Any] = {}
        if self.mix:
            more["mix"] = self.mix
            more["action_ev"] = {name: finite(ev) for name, ev in self.action_ev.items()}
            more["locked"] = self.is_locked
        return {**numbers, **more}


@dataclass(frozen=True, eq=False, repr=False)
class HandTable:
    """Columns by hand; `sorted` gives them in another order."""

    combos: Combos
    """[hands]"""
    weight: Floats
    equity: Floats
    ev: Floats
    eqr: Floats
    actions: tuple[str, ...]
    mix: Floats
    """[actions, hands]"""
    action_ev: Floats
    """[actions, hands]"""
    is_locked: Bools
    """[hands]: whether a lock fixes what the hand does."""

    def __len__(self) -> int:
        return len(self.combos)

    def __iter__(self) -> Iterator[HandRow]:
        return iter(self.rows())

    def __str__(self) -> str:
        lines = ["  ".join(f"{name:>10}" for name in self.columns)]
        for row in self.rows():
            numbers = [row.weight, row.equity, row.ev, row.eqr, *row.mix.values()]
            lines.append(
                "  ".join([f"{row.hand:>10}", *(f"{number:>10.4g}" for number in numbers)])
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<HandTable of {len(self)} hands: {', '.join(self.columns)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, actions included."""
        return (*COLUMNS, *self.actions)

    @property
    def hands(self) -> list[str]:
        """The names of the hands, such as `AsKh`, in order."""
        return [combo_name(combo) for combo in self.combos.tolist()]

    def rows(self) -> list[HandRow]:
        """Return the hands, in order."""
        return [
            HandRow(
                hand=combo_name(combo),
                combo=combo,
                weight=weight,
                equity=equity,
                ev=ev,
                eqr=eqr,
                mix=dict(zip(self.actions, mix, strict=True)),
                action_ev=dict(zip(self.actions, values, strict=True)),
                is_locked=is_locked,
            )
            for combo, weight, equity, ev, eqr, mix, values, is_locked in zip(
                self.combos.tolist(),
                self.weight.tolist(),
                self.equity.tolist(),
                self.ev.tolist(),
                self.eqr.tolist(),
                self._by_hand(self.mix),
                self._by_hand(self.action_ev),
                self.is_locked.tolist(),
                strict=True,
            )
        ]

    def sorted(self, column: str = "hand", *, descending: bool | None = None) -> "HandTable":
        """Return the table ordered by a column; numbers descend unless specified otherwise.

        `hand` orders by rank of the cards, highest first. Hands that never get here come last.
        """
        if column not in self.columns:
            raise UnknownName.among("column", column, self.columns)
        keys: Floats
        if column == "hand":
            keys = self.combos.astype(np.float64)
        elif column in self.actions:
            keys = self.mix[self.actions.index(column)]
        else:
            keys = getattr(self, column)
        is_descending = True if descending is None else descending
        signed = np.where(np.isnan(keys), np.inf, -keys if is_descending else keys)
        return self._taken(np.lexsort((signed, self.weight <= 0.0)))

    def present(self, least: float = 0.0) -> "HandTable":
        """Return the table without hands of weight `least` or less."""
        return self._taken(np.flatnonzero(self.weight > least))

    def to_dict(self) -> dict[str, Any]:
        """Return `{hand: {weight, equity, ev, eqr, mix, action_ev, locked}}` for JSON."""
        return {row.hand: row.to_json() for row in self.rows()}

    def to_csv(self) -> str:
        """Return the table as CSV, with the values of actions after their frequencies."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.columns, *(f"ev of {name}" for name in self.actions)])
        for row in self.rows():
            numbers = (row.weight, row.equity, row.ev, row.eqr)
            cells = (*numbers, *row.mix.values(), *row.action_ev.values())
            writer.writerow([row.hand, *("" if math.isnan(cell) else repr(cell) for cell in cells)])
        return text.getvalue()

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per hand, its columns those of `to_csv`."""
        pandas = require("pandas", "to_frame")
        columns: dict[str, Any] = {"hand": [combo_name(combo) for combo in self.combos.tolist()]}
        columns |= {name: getattr(self, name) for name in COLUMNS[1:]}
        columns |= dict(zip(self.actions, self.mix, strict=True))
        values = zip(self.actions, self.action_ev, strict=True)
        columns |= {f"ev of {name}": row for name, row in values}
        frame: DataFrame = pandas.DataFrame(columns)
        return frame

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: the hands that are worth most."""
        rows = [
            [row.hand, *map(short_number, (row.weight, row.equity, row.ev, row.eqr))]
            + [f"{share:.1%}" for share in row.mix.values()]
            for row in self.present().sorted("ev").rows()[:_MAX_SHOWN]
        ]
        note = f"{len(rows)} of {len(self):,} hands, by EV; .to_frame() has all"
        return html_table("Hands", rows, header=self.columns, note=note)

    def _by_hand(self, rows: Floats) -> list[list[float]]:
        return rows.T.tolist() if len(rows) else [[] for _ in range(len(self))]

    def _taken(self, order: Offsets) -> "HandTable":
        columns = {name: getattr(self, name)[order] for name in _BY_HAND}
        return replace(self, **columns, mix=self.mix[:, order], action_ev=self.action_ev[:, order])
