"""A street that was solved at the table: what both players do with every hand, and why.

Seats are those of the hand, 0 for the button. In a spot player 0 is the one who acts first, the
big blind; so seat s is player 1 − s of what was solved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from untilt.abstraction.betting_form import Place
from untilt.cards.combos import NUM_COMBOS
from untilt.game.actions import ActionData, Kind
from untilt.game.deal_streets import DealStreets, streets_below
from untilt.game.public_snapshot import PublicSnapshot
from untilt.game.public_tree import DECISION, NO_PARENT, PublicTree
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.sizes import Sizes
from untilt.games.holdem.subgame import Subgame, swapped
from untilt.numeric.arrays import AnyArray, Floats

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.games.holdem.public_form import SpotForm
    from untilt.solvers.public_tree.resolve import Resolved

_PASSIVE = frozenset({Kind.CHECK, Kind.CALL})

RIVER_SIZES = Sizes("50%, 100%, a", raises="50%, 100%, a", max_raises=3)
"""Bets of a river that is solved at the table."""


@dataclass(frozen=True)
class Effort:
    """How long to solve, and how safely."""

    seconds: float = 0.3
    iterations: int | None = None
    """Instead of a time: the result is then always the same."""
    threads: int = 1
    mode: str = "gadget"
    """gadget, maxmargin or unsafe, see `untilt.solvers.public_tree.gadget`."""
    belief: float = 0.8
    """The share of the opponent's hands that are where the ranges say."""
    river: Sizes = RIVER_SIZES


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
        """In chips, of the game that was solved."""
        self.is_safe = is_safe
        """Whether the opponent's alternatives were known."""
        self._snapshot: PublicSnapshot = found.snapshot
        self._node_values = found.node_values
        self._forest = form.betting.streets[0]

    @property
    def pot(self) -> int:
        """All chips in the middle where it begins."""
        return self._forest.states[0].total_pot

    def seat(self, node: int) -> int | None:
        """Return who acts at a node; None at a leaf."""
        player = int(self._forest.player[node])
        return None if player < 0 else 1 - player

    def moves(self, node: int) -> tuple[tuple[ActionData, ...], Floats]:
        """Return the actions at a decision, and [actions, 1326] how often each hand takes them."""
        actions = self._forest.actions[node]
        player = int(self._forest.player[node])
        shares = np.zeros((len(actions), NUM_COMBOS))
        shares[:, self.form.combos[player]] = self._snapshot.strategy(0, 0, node)
        return actions, shares

    def action_number(self, node: int, action: ActionData) -> int | None:
        """Return which of the actions at a node a real one is; None if it is none of them."""
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

        nan for hands that cannot be held.
        """
        player = 1 - seat
        met = self._snapshot.met(0, 0, player, self._reach(node, 1 - player))
        found = np.full(NUM_COMBOS, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            found[self.form.combos[player]] = np.where(
                met > 0.0, self._node_values[player][node] / met, np.nan
            )
        return found

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


def compiled_subgame(
    board: Sequence[int],
    ranges: tuple[Floats, Floats],
    start: Betting,
    sizes: Sizes,
    added: int | None = None,
) -> "SpotForm":
    """Return the rest of a hand to be solved; ranges and betting are by seat."""
    from untilt.games.holdem.public_form import compile_spot

    subgame = Subgame(board, (ranges[1], ranges[0]), swapped(start), sizes, added)
    return compile_spot(subgame, is_merged=False)


def solve_street(
    form: "SpotForm",
    effort: Effort,
    seat: int,
    alternatives: Floats | None,
    added: int | None = None,
) -> SolvedStreet:
    """Solve a subgame for a seat; `alternatives` [1326] are what the opponent's hands were worth.

    Without them the belief is trusted.
    """
    from untilt.solvers.public_tree.gadget import UNSAFE, Gadget
    from untilt.solvers.public_tree.resolve import resolve_tree

    gadget = None
    player = seat  # the opponent's in the subgame
    is_safe = alternatives is not None and effort.mode != UNSAFE
    if is_safe:
        assert alternatives is not None
        met = met_by(form.tree, player)
        known = np.nan_to_num(alternatives[form.combos[player]])
        gadget = Gadget(player, known * met, effort.belief, effort.mode)
    found = resolve_tree(
        form.tree,
        budget=max(effort.seconds, 1e-3),
        iterations=effort.iterations,
        threads=effort.threads,
        gadget=gadget,
    )
    return SolvedStreet(form, found, is_safe=is_safe, added=added)


def met_by(tree: PublicTree, player: int) -> Floats:
    """Return [hands] the weights of the other player that each hand does not exclude."""
    nothing = np.zeros(0, np.float32)
    snapshot = PublicSnapshot(tree, (nothing, nothing), (nothing, nothing))
    return snapshot.met(0, 0, player, tree.weights[1 - player])


def blueprint_values(
    blueprint: "Blueprint", place: Place, form: "SpotForm", real: Betting, seat: int
) -> Floats:
    """Return [1326] what each hand of a seat is worth if both follow a blueprint, in chips won.

    `place` is where the blueprint sees the hand, on the last street, and `form` has the ranges.
    """
    from untilt.solvers.public_tree.resolve import RULE
    from untilt.solvers.public_tree.solver import PublicTreeSolver

    unit = real.total_pot / max(place.betting.total_pot, 1)
    below = streets_below(blueprint.form.tree, place.node, is_swapped=True, unit=unit)
    tree = replace(form.tree, streets=below.streets, runouts=(None,))
    solver = PublicTreeSolver(tree, RULE)
    first, second = (
        blueprint_table(blueprint, below, form.spot.board, form, player) for player in (0, 1)
    )
    player = 1 - seat
    values = solver.values_under((first, second), player)
    solver.close()
    met = met_by(tree, player)
    found = np.full(NUM_COMBOS, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        found[form.combos[player]] = np.where(met > 0.0, values / met, np.nan)
    return found


def blueprint_table(
    blueprint: "Blueprint", below: DealStreets, board: Sequence[int], form: "SpotForm", player: int
) -> AnyArray:
    """Return the table of a player who follows a blueprint on the last street."""
    street, nodes = below.streets[0], below.nodes[0]
    rows = [
        blueprint.mixes_at(int(nodes[node]), board)[form.combos[player]].T
        for node in np.flatnonzero((street.kind == DECISION) & (street.player == player)).tolist()
    ]
    return table_of_rows(rows, len(form.combos[player]))


def table_of_rows(rows: Sequence[Floats], num_lanes: int) -> AnyArray:
    """Return rows [actions, lanes] of a player's decisions, in their order, as a table."""
    from untilt.game.public_layout import padded

    if not rows:
        return np.zeros(0, np.float32)
    joined = np.concatenate(rows)
    table = np.zeros((len(joined), int(padded(num_lanes))), np.float32)
    table[:, :num_lanes] = joined
    return table.ravel()
