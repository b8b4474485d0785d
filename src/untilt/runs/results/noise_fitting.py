"""`untilt.spots.fit`: the noise of players, estimated from the lines that they were seen to take.

The spot is solved at a ladder of noises. A hand of which only the line is known has the probability
of that line over all hands that the ranges allow; cards that were shown restrict the sum. Between
the noises of the ladder, likelihoods are interpolated; see `noise_estimation`.

With one noise per player the ladder is a square: every pair of noises is solved, because in
equilibrium each player's strategy depends on how much the other errs. Lines that the ranges cannot
produce look like mistakes, so the estimate comes with a test of how well lines are predicted.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.stats import chi2

from untilt.display import Cell, html_table
from untilt.errors import FormatError, InvalidOption, UntiltError, require
from untilt.formats.base.files import path_of, shown
from untilt.formats.exchange.observations import read_rows
from untilt.formats.exchange.observed_lines import ObservedLine, ObservedLines, observed_lines
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.line_chances import (
    BettingEnd,
    LineChances,
    PlayedLine,
    betting_ends,
    played_line,
)
from untilt.games.holdem.spots.noise import ladder_ends
from untilt.games.holdem.spots.spot import Spot
from untilt.games.holdem.spots.spot_view import SpotView, view_spot
from untilt.numeric.arrays import Floats
from untilt.options.fit import LADDER, RUNGS
from untilt.options.option import verify
from untilt.runs.results.fitting import numbered_rows
from untilt.runs.solve import solve
from untilt.solvers.qre.estimates.noise_estimation import (
    FrequencyTest,
    Interval,
    NoiseEstimate,
    NoiseGrid,
    frequency_test,
)
from untilt.solvers.qre.options import PER_PLAYER, SEED

if TYPE_CHECKING:
    from pandas import DataFrame

OUTSIDE = 0.01
"""With a smaller p-value, lines are not what the spot predicts at any noise."""
RESIDUAL = 1e-3
"""How exactly the spot is solved: the mean distance from quantal response."""
_RUNGS = (9, 7)
"""Noises of the ladder, by number of axes."""
OnSolved: TypeAlias = Callable[[int, int], None]
"""Called with the number of solutions done, and of all."""
_MAX_SHOWN = 10
"""Lines of the table in a notebook."""

ObservedHands: TypeAlias = (
    "str | os.PathLike[str] | DataFrame | Iterable[Mapping[str, Any]] | Iterable[ObservedLine]"
)
"""Observed hands: a CSV file, a pandas frame, rows as dictionaries, or as `sample_lines` makes."""


@dataclass(frozen=True)
class SpotHands:
    """The observed hands of one spot."""

    name: str
    view: SpotView
    ends: tuple[BettingEnd, ...]
    lines: tuple[PlayedLine, ...]
    """The different hands that were seen, counted together."""
    counts: Floats
    """[lines]"""

    @property
    def of_betting(self) -> Floats:
        """[ends]: how often the betting ended in each way."""
        place = {(end.street, end.node): number for number, end in enumerate(self.ends)}
        counts = np.zeros(len(self.ends))
        for line, count in zip(self.lines, self.counts, strict=True):
            counts[place[line.street, line.node]] += count
        return counts

    @property
    def num_decisions(self) -> int:
        """How many decisions the hands have, of both players."""
        moves = [
            sum(map(len, self.view.place(line.street, line.node).line.streets))
            for line in self.lines
        ]
        return int(np.dot(moves, self.counts))

    @property
    def num_shown(self) -> tuple[int, int]:
        """In how many hands the cards of each player were seen."""
        first, second = (
            sum(
                int(count)
                for line, count in zip(self.lines, self.counts, strict=True)
                if line.shown[player] is not None
            )
            for player in (0, 1)
        )
        return first, second


@dataclass(frozen=True)
class KnownChances:
    """The probabilities of what was observed of one spot, at every point of a grid of noises."""

    lines: Floats
    """[G, lines], or [G, G, lines]: of the different hands that were seen."""
    of_betting: Floats
    """[G, ends], or [G, G, ends]: of the ways in which the betting can end."""


@dataclass(frozen=True, eq=False, repr=False)
class NoiseFit:
    """The estimated noise of players in spots, as shares of the pot."""

    hands: tuple[SpotHands, ...]
    grid: NoiseGrid
    common: NoiseEstimate
    """One noise for both players."""
    per_player: NoiseEstimate | None
    """One for each; None unless asked for."""
    test: FrequencyTest
    """Whether lines are taken as often as the most likely noises say."""
    unused: tuple[str, ...] = ()
    """Columns that mean nothing here."""
    seconds: float = 0.0
    """Wall time, with solving the ladder."""

    @property
    def noise(self) -> float:
        """The most likely noise if both players have the same, as a share of the pot."""
        return self.common.noises[0]

    @property
    def noises(self) -> tuple[float, float]:
        """The noise of each player: two estimates with `per_player`, else the same twice."""
        if self.per_player is None:
            return self.noise, self.noise
        return self.per_player.noises[0], self.per_player.noises[1]

    @property
    def interval(self) -> Interval:
        """The 95 % interval of `noise`."""
        return self.common.intervals[0]

    @property
    def p_value(self) -> float:
        """Of the test of fit: small if the lines are not those of these spots at any noise."""
        return self.test.p_value

    @property
    def is_outside(self) -> bool:
        """Whether the ranges, sizes or amounts cannot be right: then noise explains what is not
        noise."""
        return self.p_value < OUTSIDE

    @property
    def likelihood_ratio(self) -> tuple[float, float] | None:
        """The statistic for one noise against two, and its p-value; None with one noise only."""
        if self.per_player is None:
            return None
        gain = self.per_player.log_likelihood - self.common.log_likelihood
        statistic = max(2.0 * gain, 0.0)
        return statistic, float(chi2.sf(statistic, 1))

    @property
    def num_hands(self) -> int:
        """How many hands were observed."""
        return int(sum(each.counts.sum() for each in self.hands))

    @property
    def num_decisions(self) -> int:
        """How many decisions they have, of both players."""
        return sum(each.num_decisions for each in self.hands)

    def words(self) -> list[str]:
        """Return the estimates in words, a line each."""
        both = self.per_player
        found = [f"noise {noise_words(self.noise, self.interval)}"]
        if both is not None:
            found += [
                f"{seat}: noise {noise_words(noise, interval)}"
                for seat, noise, interval in zip(SEATS, both.noises, both.intervals, strict=True)
            ]
        return found

    def lines(self) -> list[dict[str, Any]]:
        """Return how often each line was taken and should have been, the worst first."""
        return [
            {
                **({"spot": self.hands[row.group].name} if len(self.hands) > 1 else {}),
                "line": self.hands[row.group].ends[row.number].line,
                "observed": row.observed,
                "expected": row.expected,
                "residual": row.residual,
            }
            for row in self.test.lines
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the fit as the object that `untilt fit --spot --json` prints."""
        ratio = self.likelihood_ratio
        return {
            "spots": [
                {
                    "name": each.name,
                    "board": each.view.spot.board_text,
                    "hands": int(each.counts.sum()),
                    "shown": list(each.num_shown),
                }
                for each in self.hands
            ],
            "hands": self.num_hands,
            "decisions": self.num_decisions,
            "ladder": self.grid.noises[::-1].tolist(),
            "common": self.common.to_json(),
            "per_player": None if self.per_player is None else self.per_player.to_json(),
            "likelihood_ratio": None
            if ratio is None
            else {"statistic": ratio[0], "p_value": ratio[1]},
            "goodness": {**self.test.to_json(), "is_outside": self.is_outside},
            "lines": self.lines(),
            "unused_columns": list(self.unused),
            "seconds": self.seconds,
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per line: observed and expected counts, residual."""
        frame: DataFrame = require("pandas", "to_frame").DataFrame(self.lines())
        return frame

    def __repr__(self) -> str:
        return f"<NoiseFit of {self.num_hands:,} hands: {self.words()[0]}, p {self.p_value:.3g}>"

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: the lines that fit worst."""
        rows: list[list[Cell]] = [
            [row["line"], f"{row['observed']:.0f}", f"{row['expected']:.1f}"]
            for row in self.lines()[:_MAX_SHOWN]
        ]
        note = f"p-value of the fit {self.p_value:.3g}"
        title = "; ".join(self.words())
        return html_table(title, rows, header=("line", "observed", "expected"), note=note)


def fit(
    observed: ObservedHands,
    spot: Spot | Mapping[str, Spot],
    *,
    per_player: bool = False,
    ladder: str = LADDER.default,
    rungs: int | None = None,
    seed: int = 0,
    watcher: OnSolved | None = None,
) -> NoiseFit:
    """Return the noise under which the observed hands of a spot, or of several, are most likely.

    `observed` is a CSV file, a pandas frame or rows as dictionaries, with a column `line`, the
    moves up to the end of a hand, and perhaps public, p0, p1, count and spot: see
    `untilt.spots.sample_lines`, which makes such rows. Several spots are given by name. Each is
    solved at `rungs` noises of the `ladder`, by default 9; with `per_player`, at all pairs of them,
    by default 7 × 7. `seed` is that of the test of fit, which is simulated. `watcher` is called
    with the number of solutions done, and of all.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> played = untilt.solve(river, noise="20%", save=False)
    >>> hands = untilt.spots.sample_lines(played, 2_000, seed=1)
    >>> found = untilt.spots.fit(hands, river, rungs=5)
    >>> found.interval.low < 0.2 < found.interval.high
    True
    """
    began = time.perf_counter()
    spots = _spots(spot)
    verify((PER_PLAYER, LADDER, SEED), per_player=per_player, ladder=ladder, seed=seed)
    if rungs is not None:
        RUNGS.verify(rungs)
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "give a function of two numbers")
    axes = 2 if per_player else 1
    grid = NoiseGrid(ladder_noises(ladder, rungs or _RUNGS[axes - 1]), axes)
    hands, unused = hands_of(observed, spots)
    solved = _Counter(len(hands) * len(grid.noises) ** axes, watcher)
    known = [
        known_chances(_solutions(spots[each.name], grid, solved), grid, each) for each in hands
    ]
    return estimated(
        hands,
        known,
        grid,
        np.random.default_rng(seed),
        unused=unused,
        seconds=time.perf_counter() - began,
    )


def ladder_noises(ladder: str, rungs: int) -> Floats:
    """Return noises, ascending and evenly by ratio, between the ends of a text `40%..1%`."""
    low, high = ladder_ends(ladder)
    return np.geomspace(low, high, rungs)


class _Counter:
    """Counts solutions for a watcher."""

    def __init__(self, total: int, watcher: OnSolved | None) -> None:
        self._total, self._watcher, self._done = total, watcher, 0

    def count(self) -> None:
        """Report one more."""
        self._done += 1
        if self._watcher is not None:
            self._watcher(self._done, self._total)


def _solutions(spot: Spot, grid: NoiseGrid, solved: _Counter) -> Iterator[LineChances]:
    for point in points_of(grid):
        shares = grid.noises[point[0]], grid.noises[point[-1]]
        first, second = (f"{100.0 * share:.12g}%" for share in shares)
        yield LineChances(solve(spot, noise=(first, second), target=RESIDUAL, save=False))
        solved.count()


def _spots(spot: object) -> dict[str, Spot]:
    """Return spots by name; one without a name is called by its board."""
    if isinstance(spot, Spot):
        return {spot.board_text: spot}
    if (
        isinstance(spot, Mapping)
        and spot
        and all(isinstance(name, str) and isinstance(each, Spot) for name, each in spot.items())
    ):
        return dict(spot)
    raise InvalidOption.of("spot", spot, "give an untilt.Spot, or several by name")


def noise_words(noise: float, interval: Interval) -> str:
    """Return an estimate in words, as far as it is known."""
    low, high = f"{100 * interval.low:.3g}%", f"{100 * interval.high:.3g}%"
    if interval.is_open_below and interval.is_open_above:
        return f"not identified: from {low} to {high} everything is as likely"
    if interval.is_open_below:
        return f"below {high} of the pot (95 %): smaller noises are as likely"
    if interval.is_open_above:
        return f"above {low} of the pot (95 %): larger noises are as likely"
    return f"{100 * noise:.3g}% of the pot (95 %: {low} to {high})"


def hands_of(
    observed: Any, spots: Mapping[str, Spot]
) -> tuple[tuple[SpotHands, ...], tuple[str, ...]]:
    """Return what was observed of each spot, and the columns that mean nothing here.

    Raises FormatError, naming the row, if something cannot have happened.
    """
    where = "the observations"
    if isinstance(observed, str | os.PathLike):
        path = path_of(observed)
        where, rows = shown(path), read_rows(path)
    else:
        rows = [] if _are_lines(observed) else numbered_rows(observed)
    try:
        table = observed_lines(rows) if rows else _numbered(observed)
        of_spot: dict[str, list[ObservedLine]] = {name: [] for name in spots}
        for row in table.lines:
            of_spot[_spot_of(row, spots)].append(row)
        found = [_seen(name, spots[name], own) for name, own in of_spot.items() if own]
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from error
    return tuple(found), table.unused


def _are_lines(observed: Any) -> bool:
    is_list = isinstance(observed, Sequence) and not isinstance(observed, str)
    return is_list and bool(observed) and all(isinstance(row, ObservedLine) for row in observed)


def _numbered(lines: Sequence[ObservedLine]) -> ObservedLines:
    return ObservedLines([row._replace(row=n) for n, row in enumerate(lines, start=1)], ())


def _spot_of(row: ObservedLine, spots: Mapping[str, Spot]) -> str:
    if not row.spot and len(spots) == 1:
        return next(iter(spots))
    if row.spot not in spots:
        raise FormatError(
            f"row {row.row}: the spot is {row.spot[:40]!r}; the column spot must name one of "
            f"{', '.join(spots)[:200]}"
        )
    return row.spot


def _seen(name: str, spot: Spot, rows: Sequence[ObservedLine]) -> SpotHands:
    view = view_spot(spot)
    counts: dict[PlayedLine, int] = {}
    for row in rows:
        try:
            line = played_line(view, row.line, row.public, row.hands)
        except UntiltError as error:
            raise FormatError(f"row {row.row}: {error}") from None
        counts[line] = counts.get(line, 0) + row.times
    return SpotHands(
        name, view, betting_ends(view), tuple(counts), np.array([*counts.values()], np.float64)
    )


def chances_of(chances: LineChances, hands: SpotHands) -> tuple[Floats, Floats]:
    """Return [lines] and [ends] the probabilities of what was observed under one solution."""
    of_betting = chances.of_betting(hands.ends)
    place = {(end.street, end.node): number for number, end in enumerate(hands.ends)}
    lines = [
        # Without later cards and hands, the line is an end of the betting: it is known already.
        of_betting[place[line.street, line.node]]
        if line.street == 0 and line.shown == (None, None)
        else chances.chance(line)
        for line in hands.lines
    ]
    return np.array(lines), of_betting


def known_chances(solved: Iterable[LineChances], grid: NoiseGrid, hands: SpotHands) -> KnownChances:
    """Return the probabilities under all solutions of a grid, in the order of `points_of`."""
    shape = (len(grid.noises),) * grid.axes
    lines = np.empty((*shape, len(hands.lines)))
    of_betting = np.empty((*shape, len(hands.ends)))
    for point, chances in zip(points_of(grid), solved, strict=True):
        lines[point], of_betting[point] = chances_of(chances, hands)
    return KnownChances(lines, of_betting)


def points_of(grid: NoiseGrid) -> Iterator[tuple[int, ...]]:
    """Yield all points of a grid from large noises to small ones, each beside the one before."""
    down = range(len(grid.noises) - 1, -1, -1)
    if grid.axes == 1:
        yield from ((each,) for each in down)
        return
    for number, first in enumerate(down):
        yield from ((first, second) for second in (down if number % 2 == 0 else reversed(down)))


def estimated(
    hands: Sequence[SpotHands],
    known: Sequence[KnownChances],
    grid: NoiseGrid,
    rng: np.random.Generator,
    **facts: Any,
) -> NoiseFit:
    """Return the estimates from the probabilities of what was observed."""
    return NoiseFit(
        tuple(hands),
        grid,
        common=_estimate(hands, known, grid.diagonal, grid.on_diagonal),
        per_player=_estimate(hands, known, grid, np.asarray) if grid.axes == 2 else None,
        test=frequency_test(
            grid,
            [each.of_betting for each in known],
            [each.of_betting for each in hands],
            rng,
        ),
        **facts,
    )


def _estimate(
    hands: Sequence[SpotHands],
    known: Sequence[KnownChances],
    grid: NoiseGrid,
    part: Callable[[Floats], Floats],
) -> NoiseEstimate:
    """Return the estimate on a grid, for which `part` selects from what is known."""
    each = [
        grid.log_likelihood(part(one.of_betting), part(one.lines), seen.counts)
        for one, seen in zip(known, hands, strict=True)
    ]
    return grid.estimate(np.sum(each, axis=0))
