"""The gains and the risk of a strategy for one seat of a spot: opponents who err, and the worst.

Every number is exact: one sweep for each pair of strategies. A strategy that expects mistakes wins
more than a Nash equilibrium from an opponent who makes them; the price is what an opponent who
knows it and makes none can win more than against the equilibrium.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from untilt.display import Cell, html_table
from untilt.errors import InvalidOption, require
from untilt.evaluation.best_response import Evaluation
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.noise import MOST_SHARE
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve
from untilt.runs.spots.spot_pairs import SpotPairs, player_of, verify_same_spot

if TYPE_CHECKING:
    from pandas import DataFrame

NASH_TARGET = "0.05%"
"""How exactly the equilibrium is solved that strategies are compared with."""
FACTORS = (0.5, 1.0, 2.0)
"""The noises of opponents, as multiples of the assumed one."""


@dataclass(frozen=True)
class GainAgainst:
    """The gain from one opponent, in chips out of the pot."""

    opponent: str
    noise: float | None
    """The opponent's noise as a share of the pot; None for an equilibrium."""
    value: float
    nash: float
    """What the Nash equilibrium wins from the same opponent."""
    best: float
    """What a best response wins."""

    @property
    def gain(self) -> float:
        """What the strategy wins more than the equilibrium does."""
        return self.value - self.nash

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {**vars(self), "gain": self.gain}


@dataclass(frozen=True, eq=False, repr=False)
class SpotGains:
    """The gains and the risk of a strategy for one seat."""

    spot: Spot
    player: int
    name: str
    """The folder of the solution, or its method."""
    noises: tuple[float, float] | None
    """The noises that the solution assumes, shares of the pot; None if it has none."""
    rows: tuple[GainAgainst, ...]
    """Opponents: as solved, the others, the equilibrium last."""
    taken: float
    """What an opponent gets with a best response to the strategy, in chips out of the pot."""
    nash_taken: float
    """The same with a best response to the equilibrium."""

    @property
    def risk(self) -> float:
        """The exploitability paid: what a best response takes more than from the equilibrium."""
        return self.taken - self.nash_taken

    def percent(self, chips: float) -> float:
        """Return chips as a percentage of the pot."""
        return 100.0 * chips / self.spot.pot

    def to_json(self) -> dict[str, Any]:
        """Return the object that `untilt exploit --json` prints for a spot."""
        return {
            "board": self.spot.board_text,
            "pot": self.spot.pot,
            "solution": self.name,
            "seat": SEATS[self.player],
            "noises": None if self.noises is None else list(self.noises),
            "against": [row.to_json() for row in self.rows],
            "taken": self.taken,
            "nash_taken": self.nash_taken,
            "risk": self.risk,
            "risk_percent": self.percent(self.risk),
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per opponent."""
        pandas = require("pandas", "to_frame")
        frame: DataFrame = pandas.DataFrame([row.to_json() for row in self.rows])
        return frame

    def __repr__(self) -> str:
        won = ", ".join(
            f"{self.percent(row.gain):+.2f} % against {row.opponent}" for row in self.rows[:-1]
        )
        return f"<SpotGains of {SEATS[self.player]}: {won}; risk {self.percent(self.risk):.2f} %>"

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows: list[list[Cell]] = [
            [
                row.opponent,
                f"{self.percent(row.gain):+.2f}",
                f"{self.percent(row.best - row.nash):+.2f}",
            ]
            for row in self.rows
        ]
        title = f"{SEATS[self.player]} on {self.spot.board_text}, % of the pot more than Nash"
        note = f"risk: {self.percent(self.risk):.2f} % of the pot"
        header = ("opponent", "gain", "gain of a best response")
        return html_table(title, rows, header=header, note=note)


def gains(
    solution: Solution,
    seat: int | str | None = None,
    *,
    against: Iterable[Solution] | None = None,
    nash: Solution | None = None,
) -> SpotGains:
    """Return what the strategy of one seat wins from opponents who err, and what it risks.

    `seat` is 0 or `"oop"`, 1 or `"ip"`; by default the one with less noise. The opponents are the
    other seats of the solutions `against`; by default both seats are solved with the noise that
    `solution` assumes of the opponent, half and twice as much, if it assumes any. The strategy is
    compared with that of `nash`, which is solved to 0.05 % of the pot if it is not given.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> careful = untilt.solve(river, noise=("50%", "1%"), save=False)
    >>> found = untilt.spots.gains(careful, "ip")
    >>> found.rows[2].opponent, found.rows[2].gain > 0.0, found.risk > 0.0
    ('noise 50%', True, True)
    """
    verify_same_spot([solution])
    player = _seat(seat, solution)
    if against is not None and not isinstance(against, Iterable):
        raise InvalidOption.of("against", against, "give a list of solutions")
    opponents = [*_opponents(solution, 1 - player)] if against is None else [*against]
    verify_same_spot([solution, *opponents, *([] if nash is None else [nash])])
    if nash is None:
        nash = solve(solution.spot, target=NASH_TARGET, save=False)
    known = [solution, *opponents, nash]
    pairs = SpotPairs(known)
    last = len(known) - 1

    def played(hero: int, other: int) -> Evaluation:
        return pairs.evaluation(*((hero, other) if player == 0 else (other, hero)))

    rows = []
    for number, opponent in enumerate(known):
        mine, theirs = played(0, number), played(last, number)
        rows.append(
            GainAgainst(
                _name(opponent, 1 - player, is_own=number == 0, is_nash=number == last),
                _noise(opponent, 1 - player),
                value=mine.values[player],
                nash=theirs.values[player],
                best=_best(mine, player),
            )
        )
    taken, nash_taken = (_best(played(hero, last), 1 - player) for hero in (0, last))
    return SpotGains(
        solution.spot,
        player,
        f"a solution by {solution.facts.method}" if solution.path is None else str(solution.path),
        None if solution.noise is None else solution.noise.shares(solution.spot.pot),
        tuple(rows),
        taken,
        nash_taken,
    )


def _best(found: Evaluation, player: int) -> float:
    """Return the value of a player's best response."""
    return found.values[player] + found.gains[player]


def _opponents(solution: Solution, player: int) -> Iterator[Solution]:
    """Yield solutions in which both players have the noise assumed of an opponent, or near it."""
    assumed = _noise(solution, player)
    if assumed is None:
        return
    for factor in FACTORS:
        share = min(assumed * factor, MOST_SHARE)
        yield solve(solution.spot, noise=f"{100.0 * share:.12g}%", save=False)


def _noise(solution: Solution, player: int) -> float | None:
    noise = solution.noise
    return None if noise is None else noise.shares(solution.spot.pot)[player]


def _name(solution: Solution, player: int, *, is_own: bool, is_nash: bool) -> str:
    if is_nash:
        return "Nash"
    noise = _noise(solution, player)
    if is_own:
        return "the opponent it was solved with"
    if solution.path is not None:
        return str(solution.path)
    return (
        f"a solution by {solution.facts.method}" if noise is None else f"noise {100 * noise:.3g}%"
    )


def _seat(seat: object, solution: Solution) -> int:
    if seat is None:
        noise = solution.noise
        first, second = (0.0, 0.0) if noise is None else noise.shares(solution.spot.pot)
        return int(second < first)
    return player_of(seat, "seat")
