"""Two solutions of the same spot side by side: where they differ, and what that is worth.

Every decision of the first solution is measured against the opponent of the second: what its answer
loses from there on against a best reply, given that the decision is reached, and how often the
opponent leads there. The difference between the values of a strategy and of the best reply to the
same opponent is the sum, over all decisions on the way, of what each decision alone gives away; so
the column of costs adds up to what a best reply would gain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cards.card import cards_name
from untilt.display import Cell, html_table, short_number
from untilt.errors import InvalidOption, require
from untilt.game.public.public_snapshot import NodeView, PublicSnapshot
from untilt.game.public.public_tree import DECISION
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.ghost import GHOST_REACH
from untilt.games.holdem.solutions.solution import Solution
from untilt.number import Integer, finite
from untilt.numeric.arrays import Floats
from untilt.runs.spots.spot_pairs import SpotPairs

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_BOARDS = 200
"""Streets with more boards are left out unless asked for: each takes several tens of
milliseconds."""
_MAX_SHOWN = 10
"""Decisions of the table in a notebook."""
_ALIKE = 1e-6
"""Distance up to which two solutions agree: tables are rounded to single precision."""


@dataclass(frozen=True)
class ComparedSolution:
    """One of the two solutions."""

    name: str
    """Its folder, or its method if it was not saved."""
    method: str
    iterations: int
    seconds: float
    ev: tuple[float, ...]
    """In chips out of the spot's pot."""
    gains: tuple[float, ...]
    """What a best response of each player gains, in chips."""

    @property
    def exploitability(self) -> float:
        """The mean of both gains, in chips."""
        return sum(self.gains) / 2.0

    def to_json(self) -> dict[str, Any]:
        """Return the solution as plain data."""
        return {
            **asdict(self),
            "ev": list(self.ev),
            "gains": list(self.gains),
            "exploitability": self.exploitability,
        }


@dataclass(frozen=True)
class SpotHeadToHead:
    """The exact value of each pair of strategies to player 0 and 1, in chips out of the pot."""

    first: tuple[float, ...]
    """The first solution against itself."""
    first_oop: tuple[float, ...]
    """The first out of position, against the second in position."""
    first_ip: tuple[float, ...]
    """The first in position, against the second out of position."""
    second: tuple[float, ...]
    """The second solution against itself."""

    @property
    def gains(self) -> tuple[float, float]:
        """What the first wins more than the second from the second's opponent, in each seat."""
        return self.first_oop[0] - self.second[0], self.first_ip[1] - self.second[1]

    def to_json(self) -> dict[str, Any]:
        """Return all pairs as plain data."""
        return {name: list(pair) for name, pair in asdict(self).items()} | {
            "gains": list(self.gains)
        }


@dataclass(frozen=True)
class LineDifference:
    """A decision of the betting, over all boards of its street."""

    line: str
    """The moves in words, such as `check, bet 120`."""
    street: str
    player: int
    """0 out of position, 1 in position."""
    distance: float
    """The mean total variation of the actions' probabilities over the combos that the second holds
    here: 0 if they agree, 1 if they never do the same."""
    reaches: tuple[float, float]
    """How often each of the two, in both seats, gets here."""
    reach_against: float
    """How often the first gets here against the second."""
    loss: float
    """What the first's answer, from here to the end, loses against the second, given that this
    decision is reached; in chips, against a best reply. The mean is over the first's range, or the
    second's if the first never leads here itself."""
    cost: float
    """What this decision alone costs the first against the second, in chips per deal of the spot:
    the costs of all decisions of a player sum to what a best reply would gain."""
    worst_board: str
    """The board that costs most."""
    strategies: tuple[dict[str, float], dict[str, float]]
    """How often each of the two takes each action, over its own range here."""

    @property
    def is_ghost(self) -> bool:
        """Whether the first solution almost never gets here."""
        return self.reaches[0] < GHOST_REACH

    @property
    def weighted_loss(self) -> float:
        """The loss times how often the first gets here against the second, in chips per deal."""
        return self.loss * self.reach_against

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data."""
        return {
            **asdict(self),
            "player": SEATS[self.player],
            "reaches": list(self.reaches),
            "strategies": [
                {name: finite(share) for name, share in each.items()} for each in self.strategies
            ],
            "loss": finite(self.loss),
            "distance": finite(self.distance),
            "weighted_loss": finite(self.weighted_loss),
            "is_ghost": self.is_ghost,
        }


@dataclass(frozen=True, eq=False, repr=False)
class SpotComparison:
    """Two solutions of the same spot: the result of `untilt.compare`."""

    first: Solution
    second: Solution
    strategies: tuple[ComparedSolution, ComparedSolution]
    head_to_head: SpotHeadToHead
    lines: tuple[LineDifference, ...]
    """All decisions that were compared, in the order of the betting."""
    left_out: tuple[str, ...]
    """Streets that were not compared, because they have too many boards."""

    @cached_property
    def differences(self) -> tuple[LineDifference, ...]:
        """The decisions at which the two differ, those that cost the first most first."""
        found = [line for line in self.lines if line.distance > _ALIKE]
        return tuple(sorted(found, key=lambda line: (-line.cost, -line.distance)))

    @cached_property
    def ghosts(self) -> tuple[LineDifference, ...]:
        """The decisions that the first almost never reaches, by what its answer there loses."""
        found = [line for line in self.lines if line.is_ghost]
        return tuple(sorted(found, key=lambda line: -line.weighted_loss))

    def to_json(self, top: int | None = None) -> dict[str, Any]:
        """Return the object that `untilt compare --json` prints, with `top` lines of each list."""
        spot = self.first.spot
        return {
            "board": spot.board_text,
            "pot": spot.pot,
            "stack": spot.stack,
            "players": list(SEATS),
            "strategies": [each.to_json() for each in self.strategies],
            "head_to_head": self.head_to_head.to_json(),
            "decisions": len(self.lines),
            "differing_decisions": len(self.differences),
            "left_out": list(self.left_out),
            "lines": [each.to_json() for each in self.differences[:top]],
            "ghost_lines": [each.to_json() for each in self.ghosts[:top]],
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per decision."""
        pandas = require("pandas", "to_frame")
        names = ["line", "street", "player", "distance", "reach_first", "reach_second"]
        names += ["reach_against", "loss", "cost"]
        rows = [
            (
                *(each.line, each.street, SEATS[each.player], each.distance, *each.reaches),
                *(each.reach_against, each.loss, each.cost),
            )
            for each in self.lines
        ]
        frame: DataFrame = pandas.DataFrame(rows, columns=names)
        return frame

    def __repr__(self) -> str:
        one, other = (100.0 * each.exploitability / self._pot for each in self.strategies)
        return (
            f"<SpotComparison of {self.first.spot.board_text}: exploitability {one:.3g} and "
            f"{other:.3g} % of the pot, {len(self.differences):,} of {len(self.lines):,} decisions "
            f"differ, {len(self.ghosts):,} are ghost lines of the first>"
        )

    @property
    def _pot(self) -> int:
        return self.first.spot.pot

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: the decisions that cost most."""
        rows: list[list[Cell]] = [
            [
                *(each.line or "start", SEATS[each.player], short_number(each.distance)),
                *(f"{100.0 * each.reaches[0]:.3g} %", f"{100.0 * each.reaches[1]:.3g} %"),
                *(short_number(100.0 * value / self._pot) for value in (each.loss, each.cost)),
            ]
            for each in self.differences[:_MAX_SHOWN]
        ]
        header = ("line", "player", "distance", "first gets here", "second", "loss", "cost")
        note = "loss and cost of the first against the second, in % of the pot"
        title = f"{self.first.spot.board_text}, two solutions"
        return html_table(title, rows, header=header, note=note)


def compare_spots(first: Any, second: Any, *, streets: int | None = None) -> SpotComparison:
    """Return two solutions of the same spot side by side; see `untilt.compare`.

    `streets` is how many streets are compared, by default those with up to `MOST_BOARDS` boards.
    """
    pairs = SpotPairs((first, second))
    tree = pairs.material.form.tree
    counts = [boards[0].num_boards for boards in tree.boards]
    if streets is None:
        streets = sum(count <= MOST_BOARDS for count in counts)
    elif not Integer(1, len(counts)).accepts(streets):
        raise InvalidOption.of("streets", streets, f"give an integer from 1 to {len(counts)}")
    values = {pair: pairs.evaluation(*pair) for pair in ((0, 0), (0, 1), (1, 0), (1, 1))}
    seen = tuple(_Seen(pairs, player) for player in (0, 1))
    names = [forest.name for forest in first.view.betting.streets]
    return SpotComparison(
        first,
        second,
        strategies=(
            _compared(first, values[0, 0].gains),
            _compared(second, values[1, 1].gains),
        ),
        head_to_head=SpotHeadToHead(
            first=values[0, 0].values,
            first_oop=values[0, 1].values,
            first_ip=values[1, 0].values,
            second=values[1, 1].values,
        ),
        lines=tuple(
            line for street in range(streets) for line in _lines(pairs, (seen[0], seen[1]), street)
        ),
        left_out=tuple(names[streets:]),
    )


def _compared(solution: Solution, gains: tuple[float, ...]) -> ComparedSolution:
    facts = solution.facts
    name = f"a solution by {facts.method}" if facts.path is None else str(facts.path)
    return ComparedSolution(name, facts.method, facts.iterations, facts.seconds, solution.ev, gains)


class _Seen:
    """The first solution in one seat against the second in the other, and the best reply to it."""

    def __init__(self, pairs: SpotPairs, player: int) -> None:
        self.played: PublicSnapshot = pairs.followed(*((0, 1) if player == 0 else (1, 0)))
        self.best: PublicSnapshot = pairs.answered(1, player)


class _Sums:
    """The sums over the boards for one decision."""

    def __init__(self, num_actions: int) -> None:
        self.reaches = np.zeros(2)
        self.against = 0.0
        self.whole = 0.0
        """The weight of the player's hands, whatever they do, against the second."""
        self.distance = np.zeros(2)
        """The sum of weighted distances, and of the weights."""
        self.losses = np.zeros((2, 2))
        """By the first's and the second's range: the sums of weighted losses, and of weights."""
        self.mixes = np.zeros((2, num_actions))
        self.cost = 0.0
        self.worst = (-1.0, 0)
        """The largest cost on one board, and the board."""


def _lines(pairs: SpotPairs, seen: tuple[_Seen, _Seen], street: int) -> Iterator[LineDifference]:
    """Yield the decisions of a street."""
    form = pairs.material.form
    tree = form.tree
    forest = tree.streets[street]
    decisions = np.flatnonzero(forest.kind == DECISION).tolist()
    sums = {node: _Sums(int(forest.num_actions[node])) for node in decisions}
    by_player = [[n for n in decisions if forest.player[n] == player] for player in (0, 1)]
    for board, chance in enumerate(tree.board_chances(street).tolist()):
        share = chance / tree.total_weight
        played = [
            dict(zip(decisions, each.played.views(street, board, decisions), strict=True))
            for each in seen
        ]
        weights = [
            tree.weights[player][boards.hand[boards.lanes(board)]]
            for player, boards in enumerate(tree.boards[street])
        ]
        for player in (0, 1):
            own = by_player[player]
            for node, best in zip(own, seen[player].best.views(street, board, own), strict=True):
                views = played[player][node], played[1 - player][node], best
                _add(sums[node], player, views, weights[player], share, board)
    for node in decisions:
        place = form.place(street, node)
        found = sums[node]
        held = 0 if found.against >= GHOST_REACH * found.whole else 1
        dealt = form.boards.streets[street].cards[found.worst[1]]
        yield LineDifference(
            line=place.line.words,
            street=place.street_name,
            player=place.player,
            distance=_ratio(*found.distance),
            reaches=(float(found.reaches[0]), float(found.reaches[1])),
            reach_against=found.against,
            loss=_ratio(*found.losses[held]),
            cost=found.cost,
            worst_board=cards_name(pairs.spot.board + dealt, ""),
            strategies=(
                _mix(place.action_names, found.mixes[0]),
                _mix(place.action_names, found.mixes[1]),
            ),
        )


def _add(
    sums: _Sums,
    player: int,
    views: tuple[NodeView, NodeView, NodeView],
    weights: Floats,
    share: float,
    board: int,
) -> None:
    """Add one board; the views are of the first against the second, vice versa, and best reply."""
    mine, swapped, best = views
    own, other = mine.reach[player], swapped.reach[player]
    met, met_first = mine.met[player], swapped.met[player]
    sums.reaches += share * np.array([own @ met_first, other @ met])
    sums.against += share * float(own @ met)
    sums.whole += share * float(weights @ met)
    gap = np.abs(mine.strategy - swapped.strategy).sum(axis=0) / 2.0
    sums.distance += share * np.array([other @ gap, other.sum()])
    for row, (range_here, opposing, mix) in enumerate(
        ((own, met_first, mine.strategy), (other, met, swapped.strategy))
    ):
        sums.mixes[row] += share * (mix @ (range_here * opposing))
    is_met = met > 0.0
    lost = np.where(is_met, best.values[player] - mine.values[player], 0.0)
    for row, range_here in enumerate((own, other)):
        mass = range_here * met
        sums.losses[row] += share * np.array([mass @ lost, mass.sum()])
    followed = np.einsum("al,al->l", mine.strategy, np.where(is_met, best.action_values, 0.0))
    alone = np.where(is_met, best.values[player], 0.0) - followed
    cost = share * float((own * met) @ alone)
    sums.cost += cost
    if cost > sums.worst[0]:
        sums.worst = cost, board


def _ratio(total: float, weight: float) -> float:
    return float(total / weight) if weight > 0.0 else 0.0


def _mix(names: Sequence[str], weights: Floats) -> dict[str, float]:
    total = float(weights.sum())
    shares = weights / total if total > 0.0 else np.full(len(weights), np.nan)
    return dict(zip(names, shares.tolist(), strict=True))
