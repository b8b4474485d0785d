"""Push/fold charts: how often each player plays each of the 169 hands, and what that gains.

Arrays are [169], in the order of the 13 × 13 grid; amounts are big blinds per hand.
"""

import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES, NUM_COMBOS, NUM_COMBOS_OF_CLASS
from untilt.cards.ranges.range import Range
from untilt.display import gain_text, html_table, short_number
from untilt.errors import StrategyError, require
from untilt.game.compiled import CompiledGame
from untilt.game.strategy.strategy import Profile, profile_from_arrays
from untilt.games.pushfold.game import Stakes
from untilt.numeric.arrays import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.figures.picture import Picture

MIXED = 1e-3
"""A hand is mixed if its frequency is further than this from both 0 and 1."""

_MAX_SHOWN = 12
"""Stacks of a sweep that a notebook shows."""

_SHOWN_DIGITS = 4
"""Decimals of the frequencies in a printed range."""


class _Documented:
    """The former name of `to_json`, which works in this version with a warning."""

    def to_json(self) -> dict[str, object]:
        raise NotImplementedError

    def document(self) -> dict[str, object]:
        """Return `to_json()`."""
        warnings.warn("document is now to_json", DeprecationWarning, stacklevel=2)
        return self.to_json()


@dataclass(frozen=True)
class PushFoldPlay:
    """The frequencies of pushes and calls with each hand, 0–1."""

    push: Floats
    call: Floats

    def __post_init__(self) -> None:
        for shares in (self.push, self.call):
            if np.shape(shares) != (NUM_CLASSES,):
                raise StrategyError(
                    f"the frequencies have the shape {np.shape(shares)}; give {NUM_CLASSES}, one "
                    "per hand class"
                )
            if not np.all((shares >= 0.0) & (shares <= 1.0)):  # also refuses nan
                raise StrategyError("a frequency is not a number in [0, 1]")


def play_of(profile: Profile) -> PushFoldPlay:
    """Return the frequencies of a profile of the game."""
    push, call = (behaviour[2::2].copy() for behaviour in profile.behaviours)
    return PushFoldPlay(push, call)


def profile_of(game: CompiledGame, play: PushFoldPlay) -> Profile:
    """Return the profile of the compiled game that plays with these frequencies."""

    def behaviour(shares: Floats) -> Floats:
        # After the empty sequence, each hand has two sequences: fold, and push or call.
        return np.concatenate(([1.0], np.stack((1.0 - shares, shares), axis=1).ravel()))

    return profile_from_arrays(game, (behaviour(play.push), behaviour(play.call)))


@dataclass(frozen=True)
class ChartSide:
    """One player's half of a chart."""

    player: str
    """`small blind` or `big blind`."""
    action: str
    """`push` or `call`."""
    frequency: Floats
    """The frequency with which each hand is played, 0–1."""
    ev: Floats
    """The gain of playing it; nan if the hand never has to decide, or if the value is unknown."""
    fold_ev: float
    """The gain of folding."""

    @property
    def gain(self) -> Floats:
        """[169] the gain of playing each hand over folding it; nan if it never has to decide."""
        return self.ev - self.fold_ev

    @property
    def opponents(self) -> str:
        """Who is all-in before a call, in words."""
        return "a push"

    @property
    def percent(self) -> float:
        """The percentage of the 1,326 combos that is played."""
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
        """Return the gain of playing each hand, by its name."""
        values = [None if math.isnan(value) else value for value in self.ev.tolist()]
        return dict(zip(CLASS_NAMES, values, strict=True))

    def range_text(self) -> str:
        """Return the hands that are played as a range, frequencies rounded to 4 digits."""
        shares = {
            name: round(share, _SHOWN_DIGITS) for name, share in self.frequency_of_hand().items()
        }
        return str(Range.from_classes(shares))


@dataclass(frozen=True, repr=False)
class PushFoldChart(_Documented):
    """Both players' play at one stack."""

    stack: float
    small_blind: float
    ante: float
    bb_ante: float
    value: float
    """The gain of the small blind."""
    exploitability: float
    push: ChartSide
    call: ChartSide

    @classmethod
    def of(
        cls,
        stakes: Stakes,
        play: PushFoldPlay,
        evs: tuple[Floats, Floats],
        value: float,
        exploitability: float,
        fold_evs: tuple[float, float] | None = None,
    ) -> "PushFoldChart":
        """Return the chart of `play`, in which pushing and calling gain `evs`.

        Unless `fold_evs` are given, what folding gains follows from the stakes.
        """
        folded, declined = fold_evs or (stakes.folded, -stakes.uncalled)
        return cls(
            stack=stakes.stack,
            small_blind=stakes.small_blind,
            ante=stakes.ante,
            bb_ante=stakes.bb_ante,
            value=value,
            exploitability=exploitability,
            push=ChartSide("small blind", "push", play.push, evs[0], folded),
            call=ChartSide("big blind", "call", play.call, evs[1], declined),
        )

    @property
    def play(self) -> PushFoldPlay:
        """The frequencies alone."""
        return PushFoldPlay(self.push.frequency, self.call.frequency)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of the game that it plays, see `untilt.games.pushfold`."""
        names = ("stack", "small_blind", "ante", "bb_ante")
        return {name: getattr(self, name) for name in names}

    @property
    def seats(self) -> tuple[ChartSide, ChartSide]:
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
        """The stack and the value, as a heading."""
        return (
            f"Push/fold at {self.stack:g} bb: the small blind "
            f"{gain_text(self.value, '.7f')} bb/hand"
        )

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per hand: how often it is played, and what it gains."""
        pandas = require("pandas", "to_frame")
        frame: DataFrame = pandas.DataFrame(
            {
                "hand": CLASS_NAMES,
                "combos": NUM_COMBOS_OF_CLASS,
                "push": self.push.frequency,
                "push_ev": self.push.ev,
                "call": self.call.frequency,
                "call_ev": self.call.ev,
            }
        )
        return frame

    def plot(self, path: "str | os.PathLike[str] | None" = None) -> "Picture":
        """Return both halves as 13 × 13 grids; with `path`, also written as .svg, .png or .pdf."""
        from untilt.games.pushfold.sheets import chart_sheet, plot_sheet

        return plot_sheet(chart_sheet(self), path)

    def __repr__(self) -> str:
        return (
            f"<PushFoldChart at {self.stack:g} bb, {self.stakes_text}: value {self.value:.7f} bb, "
            f"pushes {self.push.percent:.1f} %, calls {self.call.percent:.1f} %>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows = [
            [seat.player, seat.action, f"{seat.percent:.1f} %", seat.range_text()]
            for seat in self.seats
        ]
        note = f"{self.stakes_text}; .plot() draws the grids, .to_frame() has every hand"
        header = ("player", "action", "hands", "range")
        return html_table(self.title, rows, header=header, note=note)

    def to_json(self) -> dict[str, object]:
        """Return the chart as plain data, as `untilt chart --json` prints it."""
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


Intervals = Mapping[str, list[tuple[float, float]]]
"""By hand, the stacks at which it is played, both ends included."""


@dataclass(frozen=True, repr=False)
class PushFoldSweep(_Documented):
    """Charts for many stacks, and for each hand the stacks at which it is played."""

    charts: tuple[PushFoldChart, ...]
    """By ascending stack."""
    push: Intervals
    call: Intervals

    @property
    def halves(self) -> tuple[Intervals, Intervals]:
        """The small blind's intervals, then the big blind's."""
        return self.push, self.call

    @property
    def stacks(self) -> list[float]:
        """All stacks, ascending."""
        return [chart.stack for chart in self.charts]

    @property
    def title(self) -> str:
        """The first and the last stack, as a heading."""
        stacks = self.stacks
        return f"Push/fold from {stacks[0]:g} to {stacks[-1]:g} bb, {len(stacks)} stacks"

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per stack: value, and how many hands are played."""
        pandas = require("pandas", "to_frame")
        frame: DataFrame = pandas.DataFrame(
            {
                "stack": self.stacks,
                "value": [chart.value for chart in self.charts],
                "push_percent": [chart.push.percent for chart in self.charts],
                "call_percent": [chart.call.percent for chart in self.charts],
            }
        )
        return frame

    def plot(self, path: "str | os.PathLike[str] | None" = None) -> "Picture":
        """Return grids with the stacks at which each hand is played; see `PushFoldChart.plot`."""
        from untilt.games.pushfold.sheets import plot_sheet, sweep_sheet

        return plot_sheet(sweep_sheet(self), path)

    def __repr__(self) -> str:
        return f"<PushFoldSweep: {self.title}>"

    def _repr_html_(self) -> str:
        """Return a small table of some stacks, for notebooks."""
        step = max(1, -(-len(self.charts) // _MAX_SHOWN))
        rows = [
            [
                short_number(chart.stack),
                short_number(chart.value),
                f"{chart.push.percent:.1f} %",
                f"{chart.call.percent:.1f} %",
            ]
            for chart in self.charts[::step]
        ]
        return html_table(self.title, rows, header=("stack, bb", "value, bb", "push", "call"))

    def to_json(self) -> dict[str, object]:
        """Return the sweep as plain data, as `untilt chart --sweep --json` prints it."""
        return {
            "stacks": [
                {name: value for name, value in chart.to_json().items() if isinstance(value, float)}
                for chart in self.charts
            ],
            "push": {hand: [list(pair) for pair in pairs] for hand, pairs in self.push.items()},
            "call": {hand: [list(pair) for pair in pairs] for hand, pairs in self.call.items()},
        }
