"""The noise of a player over time: whether decisions get worse, when, and after what."""

import html
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.display import Cell, html_table
from untilt.errors import InvalidOption, require
from untilt.hands.hand import STREET_NAMES
from untilt.hands.store.hand_file import UNKNOWN_TIME
from untilt.number import Integer, Number
from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.options.hands import AFTER, LOSS, WINDOW
from untilt.play.leaks.decision_file import JudgedDecisions
from untilt.play.leaks.leaks import Leaks
from untilt.play.leaks.noise import (
    ChoiceGaps,
    NoiseChange,
    PlayerNoise,
    estimate_noise,
    find_changes,
    strength_of_difference,
)
from untilt.play.leaks.reviewing import read_leaks

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.figures.picture import Picture


@dataclass(frozen=True)
class NoisePeriod:
    """Some hands in a row, and the noise in them; hands count those of the player from 0."""

    first: int
    last: int
    begins: datetime | None
    """When the first hand was played; None if unknown."""
    noise: PlayerNoise

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        begins = None if self.begins is None else self.begins.isoformat()
        return {"first": self.first, "last": self.last, "begins": begins, **self.noise.to_json()}


@dataclass(frozen=True)
class AfterLosses:
    """The noise in hands soon after a large loss, and in all others."""

    loss: float
    """In big blinds."""
    hands: int
    """How many hands count as soon after."""
    num_losses: int
    noise: PlayerNoise | None
    """Soon after; None if nothing was judged."""
    otherwise: PlayerNoise | None
    strength: float | None
    """How often a difference as large comes by chance; None if there are no hands to compare."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "loss_bb": self.loss,
            "hands": self.hands,
            "losses": self.num_losses,
            "after": None if self.noise is None else self.noise.to_json(),
            "otherwise": None if self.otherwise is None else self.otherwise.to_json(),
            "strength": self.strength,
        }


@dataclass(frozen=True, repr=False)
class Tilt:
    """The noise of a player, as shares of the pot."""

    player: str
    window: int
    noise: PlayerNoise
    """Of all judged decisions."""
    by_street: dict[str, PlayerNoise]
    periods: tuple[NoisePeriod, ...]
    """One after the other."""
    changes: tuple[NoiseChange, ...]
    after_losses: AfterLosses

    def __repr__(self) -> str:
        count = len(self.changes)
        changes = f"{count} change{'s' if count != 1 else ''}"
        return f"<Tilt of {self.player}: noise {self.noise}, {changes}>"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; None is infinite or unknown."""
        return {
            "player": self.player,
            "window": self.window,
            "noise": self.noise.to_json(),
            "by_street": {name: each.to_json() for name, each in self.by_street.items()},
            "periods": [each.to_json() for each in self.periods],
            "changes": [each.to_json() for each in self.changes],
            "after_losses": self.after_losses.to_json(),
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per period; noise is a share of the pot."""
        pandas = require("pandas", "to_frame")
        rows = [
            {
                "first": each.first,
                "last": each.last,
                "begins": each.begins,
                "noise": each.noise.noise,
                "low": each.noise.low,
                "high": each.noise.high,
                "decisions": each.noise.decisions,
            }
            for each in self.periods
        ]
        frame: DataFrame = pandas.DataFrame(rows)
        return frame

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows: list[list[Cell]] = [["all", str(self.noise), self.noise.decisions]]
        for name, each in self.by_street.items():
            rows.append([name, str(each), each.decisions])
        rows += [
            [f"from hand {each.hand:,} on", str(each.after), each.after.decisions]
            for each in self.changes
        ]
        header = ("", "noise", "decisions")
        return html_table(f"Noise of {html.escape(self.player)}", rows, header=header)

    def plot(self, path: "str | os.PathLike[str] | None" = None) -> "Picture":
        """Return the noise over time as a figure, with bands; with `path`, also written."""
        from untilt.charts.figures.noise_figure import NoiseBand, noise_figure
        from untilt.charts.figures.plot_file import plot_path, saved

        file = plot_path(path)
        bands = [
            NoiseBand(each.first, each.last + 1, each.noise.noise, each.noise.low, each.noise.high)
            for each in self.periods
        ]
        changes = [change.hand for change in self.changes]
        return saved(noise_figure(f"Noise of {self.player}", bands, changes), file)


def tilt(
    leaks: "Leaks | str | os.PathLike[str]",
    *,
    window: int = WINDOW.default,
    loss: float = LOSS.default,
    after: int = AFTER.default,
    seed: int = 1,
) -> Tilt:
    """Return the noise of a player in a review, by street, over time and after large losses.

    `leaks` is a review or its folder. A period has `window` hands of the player. `loss` is how many
    big blinds a large loss has, and `after` how many hands after it are compared with all others.
    Hands are taken in the order of their times, where those are known. Raises InvalidOption if no
    decision was judged.

    >>> import tempfile, untilt
    >>> try:
    ...     untilt.hands.tilt(tempfile.mkdtemp())
    ... except untilt.UntiltError as error:
    ...     print(str(error).rpartition(": ")[2])
    it has no review.json; make one with `untilt hands review`
    """
    if not Integer(1, 10**9).accepts(window):
        raise InvalidOption.of("window", window, "use an integer, at least 1")
    if not Number(above=0).accepts(loss):
        raise InvalidOption.of("loss", loss, "use a number above 0")
    if not Integer(1, 10**6).accepts(after):
        raise InvalidOption.of("after", after, "use an integer, at least 1")
    if not Integer(0, 2**64 - 1).accepts(seed):
        raise InvalidOption.of("seed", seed, "use an integer from 0 to 2⁶⁴ − 1")
    given = leaks if isinstance(leaks, Leaks) else read_leaks(leaks)
    decisions = given.decisions
    order = _in_time(decisions)
    hand_of = _hands_in_time(decisions)
    gaps = choice_gaps(decisions)[order]
    is_judged = decisions.is_judged[order]
    chosen = ChoiceGaps(gaps[is_judged], hand_of[order][is_judged])
    noise = estimate_noise(chosen)
    if noise is None:
        raise InvalidOption("no decision of this review was judged, so there is no noise to see")
    streets = decisions.numbers["street"][order][is_judged]
    by_street = {
        name: found
        for number, name in enumerate(STREET_NAMES)
        if (found := estimate_noise(chosen.only(streets == number))) is not None
    }
    return Tilt(
        given.player,
        window,
        noise,
        by_street,
        tuple(_periods(decisions, chosen, window)),
        find_changes(chosen, seed=seed),
        _after_losses(decisions, chosen, loss, after, seed),
    )


def choice_gaps(decisions: JudgedDecisions) -> Floats:
    """Return [decisions, actions] what actions are worth more than the choice; −∞ beyond them.

    Rows of decisions that were not judged mean nothing.
    """
    firsts, counts = decisions.firsts, decisions.numbers["num_values"].astype(np.int64)
    most = max(int(counts.max(initial=1)), 1)
    places = firsts[:-1, np.newaxis] + np.arange(most)
    is_there = np.arange(most) < counts[:, np.newaxis]
    padded = np.append(decisions.values.astype(np.float64), 0.0)
    values = np.where(is_there, padded[np.minimum(places, len(padded) - 1)], -np.inf)
    first, second = (
        np.maximum(decisions.numbers[name].astype(np.int64), 0) for name in ("first", "second")
    )
    weight = decisions.numbers["weight"].astype(np.float64)
    rows = np.arange(len(decisions))
    with np.errstate(invalid="ignore"):
        has_second = decisions.numbers["second"] >= 0
        own = weight * values[rows, first]
        own = own + np.where(has_second, (1.0 - weight) * values[rows, second], 0.0)
        found: Floats = values - own[:, np.newaxis]
    return found


def _in_time(decisions: JudgedDecisions) -> Offsets:
    """Return the order of the decisions in time; hands without a time keep their places."""
    times = decisions.numbers["time"]
    if (times == UNKNOWN_TIME).any():
        return np.arange(len(decisions), dtype=np.int64)
    found: Offsets = np.argsort(times, kind="stable").astype(np.int64)
    return found


def _hands_in_time(decisions: JudgedDecisions) -> Offsets:
    """Return [decisions] the numbers of their hands, counted in time."""
    order = _in_time(decisions)
    hands = decisions.hands[order]
    if not len(hands):
        return hands
    numbers = np.cumsum(np.append(False, np.diff(hands) != 0)).astype(np.int64)
    found = np.empty_like(numbers)
    found[order] = numbers
    return found


def _periods(decisions: JudgedDecisions, chosen: ChoiceGaps, window: int) -> "list[NoisePeriod]":
    order = _in_time(decisions)
    hands, times = _hands_in_time(decisions)[order], decisions.numbers["time"][order]
    num_hands = int(hands[-1]) + 1
    found = []
    for begin in range(0, num_hands, window):
        end = min(begin + window, num_hands)
        noise = estimate_noise(chosen.only((chosen.hands >= begin) & (chosen.hands < end)))
        if noise is None:
            continue
        seconds = int(times[np.searchsorted(hands, begin)])
        begins = None
        if seconds != UNKNOWN_TIME:
            begins = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
        found.append(NoisePeriod(begin, end - 1, begins, noise))
    return found


def _after_losses(
    decisions: JudgedDecisions, chosen: ChoiceGaps, loss: float, after: int, seed: int
) -> AfterLosses:
    order = _in_time(decisions)
    hands = _hands_in_time(decisions)[order]
    gains = np.full(int(hands[-1]) + 1, np.nan)
    gains[hands] = decisions.numbers["gain"][order]
    losses = np.flatnonzero(gains <= -loss)
    is_soon = np.zeros(len(gains), bool)
    for hand in losses.tolist():
        is_soon[hand + 1 : hand + 1 + after] = True
    special: Bools = is_soon[chosen.hands]
    return AfterLosses(
        loss,
        after,
        len(losses),
        estimate_noise(chosen.only(special)),
        estimate_noise(chosen.only(~special)),
        strength_of_difference(chosen, special, seed=seed),
    )
