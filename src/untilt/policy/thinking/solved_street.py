"""A street that was solved at the table: what both players do with every hand, and why.

Seats are those of the hand, 0 for the button. In a spot player 0 is the one who acts first, the
big blind; so seat s is player 1 − s of what was solved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from untilt.cards.combos import NUM_COMBOS
from untilt.game.actions import ActionData, Kind
from untilt.game.public.public_snapshot import PublicSnapshot
from untilt.game.public.public_tree import CHANCE, NO_PARENT
from untilt.games.holdem.bets.sizes import STREETS, Sizes
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.spots.subgame import Subgame, swapped
from untilt.numeric.arrays import Floats
from untilt.policy.thinking.blueprint_values import met_by

if TYPE_CHECKING:
    from untilt.games.holdem.spots.public_form import SpotForm
    from untilt.solvers.public_tree.resolve import Resolved

_PASSIVE = frozenset({Kind.CHECK, Kind.CALL})

FLOP, TURN, RIVER = (STREETS.index(name) for name in ("flop", "turn", "river"))

RIVER_SIZES = Sizes("50%, 100%, a", raises="50%, 100%, a", max_raises=3)
"""Bets of a river that is solved at the table."""
DEEP_RIVER_SIZES = Sizes("50%, 100%, a", raises="100%, a", max_raises=3)
"""The same in small pots with deep stacks, where raises of half the pot would treble the tree, and
most iterations are needed; a raise that the tree lacks is solved when it is made."""
TURN_SIZES = Sizes(
    "50%, 100%, a", raises="100%, a", max_raises=2, river_bets="100%, a", river_raises="a"
)
"""Bets of a turn, and of its rivers: the latter are coarse, since rivers are solved again."""
FLOP_SIZES = Sizes(
    "50%, 100%, a",
    raises="100%, a",
    max_raises=2,
    turn_bets="",
    turn_raises="",
    river_bets="",
    river_raises="",
)
"""Bets of a flop; what follows is the blueprint's, see `blueprint_pairs`."""

_DEEP = 20
"""Stacks are deep if they are more than this many pots."""
_SHARES = {FLOP: 2, TURN: 4, RIVER: 1}
"""Which share of a river's iterations a street gets; each of them takes longer."""
_LEAST_SHARE = 1e-3
"""Hands below this share of the mean weight are left out of the agent's range on a turn."""


@dataclass(frozen=True)
class Effort:
    """The time and the safety with which a street is solved."""

    seconds: float = 0.3
    iterations: int | None = None
    """Instead of a time: the result is then always the same."""
    threads: int = 2
    """Only turns are shared out among threads; that does not change the result."""
    mode: str = "gadget"
    """gadget, maxmargin or unsafe, see `untilt.solvers.public_tree.gadget`."""
    belief: float = 0.8
    """The share of the opponent's hands that are believed to follow the ranges."""
    river: Sizes = RIVER_SIZES
    deep_river: Sizes = DEEP_RIVER_SIZES
    turn: Sizes = TURN_SIZES
    flop: Sizes = FLOP_SIZES
    first_street: int = RIVER
    """The first street to solve: FLOP, TURN or RIVER."""

    def sizes(self, start: Betting) -> Sizes:
        """Return the bets from a betting state onwards."""
        if start.street < RIVER:
            return self.flop if start.street == FLOP else self.turn
        is_deep = min(start.stacks) > _DEEP * start.total_pot
        return self.deep_river if is_deep else self.river

    def iterations_on(self, street: int) -> int | None:
        """Return how many iterations a street gets; None if time decides."""
        return None if self.iterations is None else max(self.iterations // _SHARES[street], 1)


class SolvedStreet:
    """The strategy of both players from a betting state to the end of the street."""

    def __init__(
        self, form: "SpotForm", found: "Resolved", *, is_safe: bool, added: int | None = None
    ) -> None:
        self.form = form
        self.added = added
        """A bet at the root that is not among the sizes."""
        self.iterations = found.iterations
        self.seconds = found.seconds
        self.exploitability = found.evaluation.exploitability
        """The exploitability of the solved game, in chips."""
        self.is_safe = is_safe
        """Whether the opponent's alternatives were known."""
        self._snapshot: PublicSnapshot = found.snapshot
        self._node_values = found.node_values
        self._forest = form.betting.streets[0]
        self._deals = self._forest.nodes_of(CHANCE)

    @property
    def has_next_street(self) -> bool:
        """Whether the solution includes the streets that follow."""
        return len(self.form.tree.streets) > 1

    @property
    def pot(self) -> int:
        """All chips in the pot where it begins."""
        return self._forest.states[0].total_pot

    def seat(self, node: int) -> int | None:
        """Return who acts at a node; None at a leaf."""
        player = int(self._forest.player[node])
        return None if player < 0 else 1 - player

    def moves(self, node: int) -> tuple[tuple[ActionData, ...], Floats]:
        """Return the actions at a decision, and [actions, 1326] how often each hand takes them.

        Hands that were left out check or fold.
        """
        actions = self._forest.actions[node]
        player = int(self._forest.player[node])
        shares = np.zeros((len(actions), NUM_COMBOS))
        shares[0] = 1.0
        shares[:, self.form.combos[player]] = self._snapshot.strategy(0, 0, node)
        return actions, shares

    def action_number(self, node: int, action: ActionData) -> int | None:
        """Return the number of a real action among those at a node; None if it is not there."""
        limit = self._forest.states[node].all_in_to
        for number, each in enumerate(self._forest.actions[node]):
            if action.kind in _PASSIVE or action.kind is Kind.FOLD:
                if each.kind is action.kind:
                    return number
            elif each.amount is not None and each.kind not in _PASSIVE:
                amount = limit if action.amount is None else min(action.amount, limit)
                if amount == each.amount:
                    return number
        return None

    def child(self, node: int, number: int) -> int:
        """Return the node after an action, by its number."""
        return int(self._forest.first_child[node]) + number

    def values(self, node: int, seat: int) -> Floats:
        """Return [1326] what each hand of a seat is worth at a node, in chips won in the hand.

        Hands that cannot be held have nan.
        """
        player = 1 - seat
        met = self._snapshot.met(0, 0, player, self._reach(node, 1 - player))
        found = np.full(NUM_COMBOS, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            found[self.form.combos[player]] = np.where(
                met > 0.0, self._node_values[player][node] / met, np.nan
            )
        return found

    def values_after(self, node: int, card: int, seat: int) -> Floats:
        """Return the values when `node` has ended the street and `card` is dealt."""
        player = 1 - seat
        boards = self.form.boards.streets[1].cards
        board, root = boards.index((card,)), int(np.searchsorted(self._deals, node))
        view = self._snapshot.view([(0, node), (board, root)])
        lanes = self.form.tree.boards[1][player]
        found = np.full(NUM_COMBOS, np.nan)
        combos = self.form.combos[player][lanes.hand[lanes.lanes(board)]]
        found[combos] = view.values[player] - self.form.tree.baseline[player]
        return found

    def best_values(self, seat: int, weights: Floats | None = None) -> Floats:
        """Return [nodes, 1326] what each hand of a seat is worth if it plays a best response.

        Values are weighted by the other player's reaches, so they compare actions of a hand. That
        player has the hands of the solution, or those of `weights` [1326].
        """
        from untilt.solvers.public_tree.resolve import RULE
        from untilt.solvers.public_tree.solver import PublicTreeSolver

        player, tree = 1 - seat, self.form.tree
        if weights is not None:
            both = list(tree.weights)
            both[seat] = weights[self.form.combos[seat]]
            tree = replace(tree, weights=(both[0], both[1]))
        solver = PublicTreeSolver(tree, RULE)
        values = solver.best_node_values_under(self._snapshot.tables, player)
        solver.close()
        found = np.zeros((len(values), NUM_COMBOS))
        found[:, self.form.combos[player]] = values
        return found

    @property
    def num_bytes(self) -> int:
        """Memory that it takes."""
        arrays = (*self._snapshot.tables, *self._snapshot.dealt, *self._node_values)
        return sum(array.nbytes for array in arrays)

    def _reach(self, node: int, player: int) -> Floats:
        """Return [hands] a player's reaches at a node."""
        forest = self._forest
        reach = self.form.tree.weights[player].copy()
        while forest.parent[node] != NO_PARENT:
            parent = int(forest.parent[node])
            if int(forest.player[parent]) == player:
                number = node - int(forest.first_child[parent])
                reach *= self._snapshot.strategy(0, 0, parent)[number]
            node = parent
        return reach


def in_range(weights: Floats) -> Floats:
    """Return weights [1326] without hands that have less than a thousandth of the mean weight."""
    mean = weights.sum() / max(np.count_nonzero(weights), 1)
    return np.where(weights < _LEAST_SHARE * mean, 0.0, weights)


def subgame_of(
    board: Sequence[int],
    ranges: tuple[Floats, Floats],
    start: Betting,
    sizes: Sizes,
    added: int | None = None,
) -> Subgame:
    """Return the rest of a hand; ranges and betting are by seat."""
    return Subgame(board, (ranges[1], ranges[0]), swapped(start), sizes, added)


def compiled_subgame(
    board: Sequence[int],
    ranges: tuple[Floats, Floats],
    start: Betting,
    sizes: Sizes,
    added: int | None = None,
) -> "SpotForm":
    """Return the rest of a hand to be solved; see `subgame_of`."""
    from untilt.games.holdem.spots.public_form import compile_spot

    return compile_spot(subgame_of(board, ranges, start, sizes, added), is_merged=False)


def solve_street(
    form: "SpotForm",
    effort: Effort,
    seat: int,
    alternatives: Floats | None,
    added: int | None = None,
    *,
    iterations: int | None = None,
) -> SolvedStreet:
    """Solve a subgame for a seat; `alternatives` [1326] say what the opponent's hands were worth.

    Without them the belief is trusted.
    """
    from untilt.solvers.public_tree.gadget import UNSAFE, Gadget
    from untilt.solvers.public_tree.resolve import resolve_tree

    gadget = None
    player = seat  # the opponent's number in the subgame
    is_safe = alternatives is not None and effort.mode != UNSAFE
    if is_safe:
        assert alternatives is not None
        met = met_by(form.tree, player)
        known = np.nan_to_num(alternatives[form.combos[player]])
        gadget = Gadget(player, known * met, effort.belief, effort.mode)
    found = resolve_tree(
        form.tree,
        budget=max(effort.seconds, 1e-3),
        iterations=iterations,
        threads=effort.threads,
        gadget=gadget,
    )
    return SolvedStreet(form, found, is_safe=is_safe, added=added)
