"""The result of a review of many hands: what a player's decisions cost, and where."""

import csv
import html
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from untilt.display import Cell, html_table
from untilt.errors import require
from untilt.formats.base.files import shown
from untilt.hands.hand import STREET_NAMES
from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.numeric.student import student_quantile
from untilt.play.leaks.choices import REASONS
from untilt.play.leaks.decision_file import WORDS, JudgedDecisions

if TYPE_CHECKING:
    from pandas import DataFrame

GROUPS = {
    "street": "street",
    "position": "position",
    "pot_type": "pot",
    "line": "line before, on the street",
    "action": "action",
    "size": "size of bet",
    "held": "hand",
    "judge": "agent that judges",
}
"""By what the report divides decisions, and its words."""
NUM_DEAREST = 20

_MBB = 1_000.0


@dataclass(frozen=True)
class LeakGroup:
    """Decisions that have something in common."""

    name: str
    count: int
    total_bb: float
    """What they cost together."""
    cost_mbb: float
    """What each cost, in thousandths of a big blind."""
    interval_mbb: tuple[float, float] | None
    """95 % interval of `cost_mbb`, with hands as clusters; None for a single hand."""

    def to_json(self) -> dict[str, Any]:
        """Return the group as plain data."""
        return {
            "name": self.name,
            "count": self.count,
            "total_bb": self.total_bb,
            "cost_mbb": self.cost_mbb,
            "interval_mbb": None if self.interval_mbb is None else list(self.interval_mbb),
        }


@dataclass(frozen=True, repr=False)
class Leaks:
    """A review of a player's decisions, as its folder has it."""

    path: Path
    player: str
    agents: tuple[str, ...]
    num_hands: int
    """Hands of the player."""
    decisions: JudgedDecisions
    hands: Path
    """The folder of hands that was reviewed, when it was."""

    def __repr__(self) -> str:
        total = self.total
        cost = "none judged" if total is None else f"{total.cost_mbb:.4g} mbb each"
        return (
            f"<Leaks of {self.player} in {shown(self.path)}: {len(self.decisions):,} decisions, "
            f"{self.num_judged:,} judged, {cost}>"
        )

    @property
    def num_judged(self) -> int:
        """Decisions that were judged."""
        return int(self.decisions.is_judged.sum())

    @cached_property
    def total(self) -> LeakGroup | None:
        """All judged decisions; None if there is none."""
        return self._group("all", self.decisions.is_judged) if self.num_judged else None

    @cached_property
    def not_judged(self) -> dict[str, int]:
        """How many decisions were not judged, by reason."""
        counts = np.bincount(self.decisions.numbers["reason"], minlength=len(REASONS))
        return {
            REASONS[number]: int(count) for number, count in enumerate(counts) if number and count
        }

    @cached_property
    def by(self) -> dict[str, tuple[LeakGroup, ...]]:
        """Judged decisions by street, position and so on; the most expensive group first."""
        return {name: tuple(self._groups(name)) for name in GROUPS}

    def is_in_group(self, by: str, name: str) -> Bools:
        """Return [decisions] which are in a group of `by`, judged or not."""
        codes, words = self._codes(by)
        found: Bools = codes == (words.index(name) if name in words else -1)
        return found

    def _codes(self, by: str) -> "tuple[npt.NDArray[Any], list[str]]":
        """Return [decisions] to which group each belongs, and the names of the groups."""
        if by == "street":
            return self.decisions.numbers["street"], list(STREET_NAMES)
        return self.decisions.codes[by], self.decisions.words[by]

    def _groups(self, name: str) -> Iterator[LeakGroup]:
        decisions = self.decisions
        codes, words = self._codes(name)
        found = [
            self._group(word, decisions.is_judged & (codes == number))
            for number, word in enumerate(words)
            if (decisions.is_judged & (codes == number)).any()
        ]
        yield from sorted(found, key=lambda group: (-group.total_bb, group.name))

    def _group(self, name: str, chosen: Bools) -> LeakGroup:
        costs, hands = self.decisions.costs[chosen], self.decisions.hands[chosen]
        mean, half = clustered_mean(costs, hands)
        interval = None if half is None else (_MBB * (mean - half), _MBB * (mean + half))
        return LeakGroup(name, len(costs), float(costs.sum()), _MBB * mean, interval)

    def dearest(self, count: int = NUM_DEAREST) -> list[dict[str, Any]]:
        """Return the most expensive decisions as plain data."""
        costs = np.where(self.decisions.is_judged, self.decisions.costs, -np.inf)
        order = np.argsort(-costs, kind="stable")[: min(count, self.num_judged)]
        return [self.row(place) for place in order.tolist()]

    def row(self, place: int) -> dict[str, Any]:
        """Return a decision as plain data; chips are in big blinds, None is unknown."""
        decisions = self.decisions
        numbers = {name: column[place].item() for name, column in decisions.numbers.items()}
        is_judged = numbers["reason"] == 0
        return {
            "file": numbers["file"],
            "row": numbers["row"],
            "street": STREET_NAMES[numbers["street"]],
            **{name: decisions.text(name, place) for name in WORDS if name != "choices"},
            "pot_bb": numbers["pot"],
            "judged": is_judged,
            "distance": numbers["distance"] if is_judged else None,
            "reason": None if is_judged else REASONS[numbers["reason"]],
            "cost_bb": numbers["cost"] if is_judged else None,
            "error_bb": numbers["error"] if is_judged else None,
            "frequency": numbers["frequency"] if is_judged else None,
            "values_bb": self.values_of(place) if is_judged else None,
        }

    def values_of(self, place: int) -> dict[str, float]:
        """Return what the agent's actions at a judged decision are worth, in big blinds."""
        decisions = self.decisions
        first, last = self._firsts[place : place + 2].tolist()
        pot = decisions.numbers["pot"][place].item()
        names = decisions.text("choices", place).split("|")
        values = decisions.values[first:last].tolist()
        return {name: value * pot for name, value in zip(names, values, strict=True)}

    @cached_property
    def _firsts(self) -> Offsets:
        return self.decisions.firsts

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        total = self.total
        return {
            "player": self.player,
            "agents": list(self.agents),
            "hands": self.num_hands,
            "decisions": len(self.decisions),
            "judged": self.num_judged,
            "not_judged": self.not_judged,
            "cost_mbb": None if total is None else total.cost_mbb,
            "interval_mbb": None
            if total is None or total.interval_mbb is None
            else list(total.interval_mbb),
            "total_bb": None if total is None else total.total_bb,
            "by": {name: [group.to_json() for group in found] for name, found in self.by.items()},
            "dearest": self.dearest(),
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per decision; chips are in big blinds."""
        pandas = require("pandas", "to_frame")
        frame: DataFrame = pandas.DataFrame(map(self.row, range(len(self.decisions))))
        return frame.drop(columns="values_bb", errors="ignore")

    def to_csv(self) -> str:
        """Return all decisions as CSV."""
        text = io.StringIO()
        writer: csv.DictWriter[str] | None = None
        for place in range(len(self.decisions)):
            row = self.row(place)
            del row["values_bb"]
            if writer is None:
                writer = csv.DictWriter(text, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)
        return text.getvalue()

    def to_html(self) -> str:
        """Return the report as a page that needs nothing else."""
        parts = [self._repr_html_()]
        parts += [
            _table(f"By {GROUPS[name]}", [_cells(group) for group in found], _HEADER)
            for name, found in self.by.items()
        ]
        dearest = [[str(each[name]) for name in _DEAREST] for each in self._rounded()]
        parts.append(_table("The dearest decisions", dearest, _DEAREST))
        title = html.escape(f"Leaks of {self.player}")
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            "<style>body{font:15px sans-serif;margin:2em;max-width:70em}"
            "table{border-collapse:collapse;margin:1em 0}td,th{padding:2px 10px;text-align:left}"
            "tr:nth-child(even){background:#f4f4f4}caption{font-weight:bold;text-align:left}"
            f"</style></head><body><h1>{title}</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
        )

    def _rounded(self) -> list[dict[str, Any]]:
        return [
            {
                name: round(value, 2) if isinstance(value, float) else value
                for name, value in each.items()
            }
            for each in self.dearest()
        ]

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        total = self.total
        rows: list[list[Cell]] = [
            ["hands", f"{self.num_hands:,}"],
            ["decisions", f"{len(self.decisions):,}"],
            ["judged", f"{self.num_judged:,}"],
        ]
        for name, count in self.not_judged.items():
            rows.append([f"not judged: {name}", f"{count:,}"])
        if total is not None:
            rows.append(["cost per decision", cost_words(total)])
            rows.append(["cost in all", f"{total.total_bb:,.1f} bb"])
        return html_table(f"Leaks of {self.player}", rows)


_HEADER = ("", "decisions", "cost each", "in all")
_DEAREST = (
    *("cost_bb", "street", "position", "pot_type", "line", "held", "action", "size", "best"),
    *("pot_bb", "error_bb", "hand"),
)


def _table(title: str, rows: list[list[str]], header: tuple[str, ...]) -> str:
    cells: list[list[Cell]] = [list(row) for row in rows]
    return html_table(title, cells, header=header)


def _cells(group: LeakGroup) -> list[str]:
    return [group.name, f"{group.count:,}", cost_words(group), f"{group.total_bb:,.1f} bb"]


def cost_words(group: LeakGroup) -> str:
    """Return what decisions cost each, with the interval."""
    if group.interval_mbb is None:
        return f"{group.cost_mbb:,.0f} mbb"
    half = (group.interval_mbb[1] - group.interval_mbb[0]) / 2.0
    return f"{group.cost_mbb:,.0f} ± {half:,.0f} mbb"


def clustered_mean(values: Floats, clusters: Offsets) -> tuple[float, float | None]:
    """Return the mean of numbers and half its 95 % interval; None if there is one cluster.

    Numbers of one cluster may depend on each other: the error is that of a ratio of the sums and
    counts of clusters.
    """
    count = len(values)
    mean = float(values.mean())
    _, places = np.unique(clusters, return_inverse=True)
    num_clusters = int(places.max()) + 1
    if num_clusters < 2:
        return mean, None
    rest = np.bincount(places, weights=values - mean)
    variance = float(rest @ rest) * num_clusters / (num_clusters - 1) / count**2
    return mean, student_quantile(num_clusters - 1) * variance**0.5
