"""Strategies of the same spot against one another, exactly: one sweep for each pair.

Solutions of a spot differ in method, accuracy, noise or locks, never in the tree. So the tables of
player 0 may come from one and those of player 1 from another, and a sweep that follows both gives
the values of that pair, a second one the gains of best responses to it.
"""

from collections.abc import Sequence
from functools import cached_property

from untilt.errors import InvalidOption, shortened
from untilt.evaluation.best_response import Evaluation
from untilt.game.public.public_snapshot import PublicSnapshot
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.expand_suits import unmerged_tables
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.spots.spot_material import SpotMaterial, prepare_spot
from untilt.runs.spots.spot_request import response_request
from untilt.solvers.public_tree.tables import StoredTable

Tables = tuple[StoredTable, StoredTable]


class SpotPairs:
    """Some solutions of one spot, of which any two can be paired; they are numbered from 0."""

    def __init__(self, solutions: Sequence[Solution], *, threads: int = 0) -> None:
        """Raise InvalidOption unless all are solutions of the same spot, apart from locks.

        Best responses follow the locks of the spot if all solutions have the same.
        """
        verify_same_spot(solutions)
        first = solutions[0]
        same = all(each.spot.locks == first.spot.locks for each in solutions)
        self.spot: Spot = first.spot if same else first.spot.replaced(locks=())
        self.solutions = tuple(solutions)
        self._threads = threads

    @cached_property
    def material(self) -> SpotMaterial:
        """The tree on which all are paired; boards are merged if those of all solutions are."""
        can_merge = all(each.is_merged for each in self.solutions)
        request = response_request(self.spot, SEATS[0], None, (), {"threads": self._threads})
        return prepare_spot(request, can_merge=can_merge)

    @cached_property
    def tables(self) -> tuple[Tables, ...]:
        """The tables of each solution on that tree."""
        return tuple(
            each.snapshot.tables
            if each.is_merged == self.material.is_merged
            else unmerged_tables(each, self.material.form)
            for each in self.solutions
        )

    def evaluation(self, first: int, second: int) -> Evaluation:
        """Return the values if player 0 plays as in `first` and player 1 as in `second`.

        Its gains are those of best responses to the other of the two.
        """
        return self.material.sweeps.evaluate_tables(self._paired(first, second))

    def followed(self, first: int, second: int) -> PublicSnapshot:
        """Return the pair with the values of all deals under it."""
        self.evaluation(first, second)
        return self.material.sweeps.snapshot()

    def answered(self, number: int, player: int) -> PublicSnapshot:
        """Return the pair in which `player` plays a best response to solution `number`."""
        self.material.sweeps.respond(self.tables[number], player, self.material.locks)
        return self.material.sweeps.snapshot()

    def _paired(self, first: int, second: int) -> Tables:
        return self.tables[first][0], self.tables[second][1]


def verify_same_spot(solutions: Sequence[Solution]) -> None:
    """Raise InvalidOption unless all are solutions of the same spot, apart from locks."""
    for each in solutions:
        if not isinstance(each, Solution):
            raise InvalidOption(
                f"{shortened(each)} is not a solved spot: give what untilt.solve(spot) or "
                "untilt.load(folder) returns"
            )
    verify_spots([each.spot for each in solutions])


def verify_spots(spots: Sequence[Spot]) -> None:
    """Raise InvalidOption unless all are the same spot, apart from locks."""
    first = spots[0].replaced(locks=())
    for each in spots[1:]:
        other = each.replaced(locks=())
        if other != first:
            raise InvalidOption(
                f"these are not solutions of the same spot, their {_difference(first, other)} "
                "differ: give solutions with the same board, ranges, pot, stack and sizes"
            )


def _difference(first: Spot, second: Spot) -> str:
    """Return the first part in which two spots differ."""
    one, other = first.to_dict(), second.to_dict()
    return next(name for name in {**one, **other} if one.get(name) != other.get(name))


def player_of(seat: object, argument: str) -> int:
    """Return the player of a seat, 0 or `oop`, 1 or `ip`; an error names the argument."""
    if isinstance(seat, str) and seat in SEATS:
        return SEATS.index(seat)
    if isinstance(seat, int) and not isinstance(seat, bool) and seat in (0, 1):
        return seat
    raise InvalidOption.of(argument, seat, "give 0 or 'oop', 1 or 'ip'")
