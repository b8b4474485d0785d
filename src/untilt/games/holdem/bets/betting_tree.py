"""The betting tree of a spot: which bets are offered where, street by street.

`bet_amounts` says how sizes become chips. After calling on one street, player 0 may have separate
sizes for betting into the other player on the next: donk bets.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from untilt.errors import Argument, GameTooLarge, InvalidOption, shortened
from untilt.game.actions import ActionData
from untilt.game.line import Line
from untilt.game.public.public_tree import (
    CHANCE,
    DECISION,
    FOLD,
    NO_PARENT,
    RUNOUT,
    SHOWDOWN,
    Kinds,
)
from untilt.games.holdem.bets.bet_amounts import Thresholds, bet_amounts
from untilt.games.holdem.bets.sizes import STREETS, Size, Sizes
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.cost.betting_count import (
    BettingCount,
    CountingWork,
    States,
    count_betting,
    offered_amounts,
    shown_count,
)
from untilt.numeric.arrays import Floats, Ints

LAST_STREET = len(STREETS) - 1
MAX_NODES = 2_000_000
"""The maximum number of betting nodes; larger trees need far more memory than there is."""


@dataclass(frozen=True, eq=False)
class BettingStreet:
    """The betting of one street as a forest, in the order of `public_tree.Street`."""

    name: str
    """flop, turn or river."""
    kind: Kinds
    player: Ints
    parent: Ints
    first_child: Ints
    num_actions: Ints
    states: tuple[Betting, ...]
    """[nodes]"""
    actions: tuple[tuple[ActionData, ...], ...]
    """[nodes] the possible actions; empty at a leaf."""

    @property
    def num_nodes(self) -> int:
        """Nodes of the forest, leaves included."""
        return len(self.kind)

    def nodes_of(self, kind: int) -> Ints:
        """Return the nodes of one kind, ascending."""
        return np.flatnonzero(self.kind == kind).astype(np.int32)

    def num_rows(self, player: int) -> int:
        """Return the number of actions at all nodes of a player."""
        return int(self.num_actions[self.player == player].sum())

    def moves_to(self, node: int) -> tuple[int, tuple[ActionData, ...]]:
        """Return the root above a node and the moves from there."""
        moves: list[ActionData] = []
        while self.parent[node] != NO_PARENT:
            parent = int(self.parent[node])
            moves.append(self.actions[parent][node - int(self.first_child[parent])])
            node = parent
        return node, tuple(reversed(moves))


@dataclass(frozen=True, eq=False)
class BettingTree:
    """The betting of a spot, street by street."""

    streets: tuple[BettingStreet, ...]

    def line(self, street: int, node: int) -> Line:
        """Return the betting that leads to a node of a street."""
        parts: list[tuple[ActionData, ...]] = []
        for number in range(street, -1, -1):
            root, moves = self.streets[number].moves_to(node)
            parts.append(moves)
            if number:
                node = int(self.streets[number - 1].nodes_of(CHANCE)[root])
        return Line(tuple(reversed(parts)))

    def find(self, line: Line, shown: Callable[[str], str] = str) -> tuple[int, int]:
        """Return the street and node that a line leads to.

        At the end of a street the line leads to the next one, even without a `/`. Raises
        InvalidOption, which lists the possible moves, if a move is not in the tree; `shown` returns
        moves in another unit than chips.
        """
        street, node = 0, 0
        for number, moves in enumerate(line.streets):
            if number > street:
                raise InvalidOption(
                    f"the line {shortened(line.words)} begins street {number + 1} too early: the "
                    "betting before is not over"
                )
            for move in moves:
                street, node = self._after(street, node, move, line, shown)
        return street, node

    def _after(
        self, street: int, node: int, move: ActionData, line: Line, shown: Callable[[str], str]
    ) -> tuple[int, int]:
        forest = self.streets[street]
        offered = forest.actions[node]
        for place, action in enumerate(offered):
            is_same = action.kind is move.kind and move.amount in (None, action.amount)
            if is_same and (move.amount is not None or _is_only(action, offered)):
                child = int(forest.first_child[node]) + place
                if forest.kind[child] == CHANCE:
                    roots = forest.nodes_of(CHANCE)
                    return street + 1, int(np.searchsorted(roots, child))
                return street, child
        possible = ", ".join(action.name for action in offered) or "nothing: the hand is over"
        raise InvalidOption(
            f"{shown(move.name)!r} of the line {shortened(shown(line.words))} is not in the tree; "
            f"possible: {shown(possible)}"
        )


def _is_only(action: ActionData, offered: tuple[ActionData, ...]) -> bool:
    return sum(other.kind is action.kind for other in offered) == 1


def build_betting_tree(
    first_street: str,
    pot: int,
    stack: int,
    sizes: Sizes,
    thresholds: Thresholds = Thresholds(),  # noqa: B008  # immutable
) -> BettingTree:
    """Return the betting from the start of a street, with equal stacks and player 0 first.

    Raises InvalidOption if the sizes offer no bet, GameTooLarge for a tree of too many nodes, or of
    too many to count.
    """
    count = count_betting_tree(first_street, pot, stack, sizes, thresholds)
    if count.num_nodes > MAX_NODES or not count.is_complete:
        raise too_many_nodes(count)
    start = Betting.new(pot, (stack, stack))
    return grow_betting_tree(start, STREETS.index(first_street), sizes, thresholds)


def count_betting_tree(
    first_street: str,
    pot: int,
    stack: int,
    sizes: Sizes,
    thresholds: Thresholds = Thresholds(),  # noqa: B008  # immutable
    work: CountingWork | None = None,
) -> BettingCount:
    """Return the size of the tree that `build_betting_tree` grows, in a fraction of a second.

    Raises InvalidOption if the sizes offer no bet.
    """

    def offer(states: States) -> Floats:
        if not sizes.can_raise(states.num_bets):
            return np.empty((0, len(states.pot)))
        name = STREETS[states.street]
        chosen = _chosen_sizes(sizes, name, states.player, states.num_bets, states.is_donk)
        return offered_amounts(chosen, states, thresholds)

    start = Betting.new(pot, (stack, stack))
    street = STREETS.index(first_street)
    count = count_betting(start, street, LAST_STREET + 1, offer, work=work)
    if not any(each.bets for each in count.streets):
        raise InvalidOption(
            "the sizes offer no bet on any street: give ",
            Argument("bets"),
            " such as '60%', or a larger ",
            Argument("add_all_in"),
        )
    return count


def too_many_nodes(count: BettingCount, needed: str = "") -> GameTooLarge:
    """Return the error for a tree of too many nodes, or of too many to count.

    `needed` is the memory that it would take.
    """
    shown = shown_count(count.num_nodes, is_complete=count.is_complete)
    more = "" if count.is_complete else "more than "
    needs = f" and needs {more}{needed}" if needed else ""
    limit = (
        f"at most {MAX_NODES:,} nodes are possible"
        if count.num_nodes > MAX_NODES
        else "too many to count"
    )
    return GameTooLarge(
        f"the betting has {shown} nodes{needs}; {limit}: give fewer sizes, or limit raises with ",
        Argument("max_raises"),
    )


def grow_betting_tree(
    start: Betting,
    street: int,
    sizes: Sizes,
    thresholds: Thresholds = Thresholds(),  # noqa: B008  # immutable
    added: int | None = None,
) -> BettingTree:
    """Return the betting from any state of a street on; `street` counts from before the flop.

    The first player to act may also bet `added`, if that is not among the sizes. Raises
    GameTooLarge for a tree of too many nodes.
    """
    streets: list[BettingStreet] = []
    roots = [_Root(start, is_donk=False)]
    num_left = MAX_NODES
    for number in range(street, LAST_STREET + 1):
        extra = {start: added} if added is not None and number == street else {}
        menu = _Menu(number, sizes, thresholds, extra)
        forest, roots = _grow(menu, roots, num_left)
        num_left -= forest.num_nodes
        streets.append(forest)
    return BettingTree(tuple(streets))


def offered_bets(
    state: Betting, street: int, sizes: Sizes, thresholds: Thresholds
) -> tuple[float, ...]:
    """Return the bets that the sizes offer at a state, ascending."""
    actions = _Menu(street, sizes, thresholds, {}).actions(state, is_donk=False)
    bets = actions[len(state.passive_actions()) :]
    return tuple(action.amount for action in bets if action.amount is not None)


@dataclass(frozen=True)
class _Root:
    state: Betting
    is_donk: bool
    """Whether player 0 called on the previous street."""


@dataclass(frozen=True)
class _Menu:
    """The sizes that one street offers."""

    street: int
    sizes: Sizes
    thresholds: Thresholds
    added: Mapping[Betting, int]
    """Bets that are possible at a state, whatever the sizes."""

    def actions(self, state: Betting, is_donk: bool) -> tuple[ActionData, ...]:
        """Return all actions, bets ascending."""
        passive = state.passive_actions()
        if not state.can_bet():
            return passive
        amounts: set[int] = set()
        if self.sizes.can_raise(state.num_bets):
            street = STREETS[self.street]
            sizes = _chosen_sizes(self.sizes, street, state.player, state.num_bets, is_donk)
            amounts.update(bet_amounts(sizes, state, self.street, self.thresholds))
        if state in self.added:
            amounts.add(self.added[state])
        return passive + tuple(map(state.named_bet, sorted(amounts)))


def _chosen_sizes(
    sizes: Sizes, street: str, player: int, num_bets: int, is_donk: bool
) -> tuple[Size, ...]:
    if num_bets:
        return sizes.raises(street, player, num_bets)
    if is_donk and player == 0:
        return sizes.donk(street)
    return sizes.bets(street, player)


def _grow(menu: _Menu, roots: list[_Root], num_left: int) -> tuple[BettingStreet, list[_Root]]:
    """Return the forest above `roots`, and the roots of the next street."""
    states = [root.state for root in roots]
    kinds: list[int] = []
    players: list[int] = []
    parents = [NO_PARENT] * len(roots)
    first_children: list[int] = []
    actions: list[tuple[ActionData, ...]] = []
    next_roots: list[_Root] = []
    node = 0
    while node < len(states):
        state = states[node]
        kind = _kind(state, menu.street)
        offered: tuple[ActionData, ...] = ()
        first_child = -1
        if kind == DECISION:
            is_donk = node < len(roots) and roots[node].is_donk
            offered = menu.actions(state, is_donk)
            first_child = len(states)
            states.extend(state.apply(action) for action in offered)
            parents.extend([node] * len(offered))
            if len(states) > num_left:
                raise GameTooLarge(
                    f"the betting has more than {MAX_NODES:,} nodes: give fewer sizes, or limit "
                    "raises with ",
                    Argument("max_raises"),
                )
        elif kind == CHANCE:
            # A check that ends a street is player 1's, so what player 0 ended is a call.
            is_donk = states[parents[node]].player == 0
            next_roots.append(_Root(state.next_street(), is_donk))
        kinds.append(kind)
        players.append(state.player if kind == DECISION else NOBODY)
        first_children.append(first_child)
        actions.append(offered)
        node += 1
    num_nodes = len(states)
    forest = BettingStreet(
        name=STREETS[menu.street],
        kind=np.array(kinds, dtype=np.uint8),
        player=np.array(players, dtype=np.int32),
        parent=np.array(parents, dtype=np.int32),
        first_child=np.array(
            [num_nodes if child < 0 else child for child in first_children], dtype=np.int32
        ),
        num_actions=np.array([len(offered) for offered in actions], dtype=np.int32),
        states=tuple(states),
        actions=tuple(actions),
    )
    return forest, next_roots


def _kind(state: Betting, street: int) -> int:
    if state.folded != NOBODY:
        return FOLD
    if state.player != NOBODY:
        return DECISION
    if street == LAST_STREET:
        return SHOWDOWN
    return RUNOUT if state.is_all_in else CHANCE
