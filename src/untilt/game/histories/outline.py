"""The first moves of a game as a list of nodes, for pictures of the tree.

Nothing is compiled: the walk goes level by level from any position and stops before a level that
would exceed the limit, so it works for games of any size. Forced moves have no node, as in
`GameTree`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from untilt.errors import GameTooLarge, UnknownName
from untilt.game.faults import errors_of_game
from untilt.game.histories.tree import CHANCE, TERMINAL
from untilt.game.histories.walking import (
    Place,
    described_history,
    listed_outcomes,
    past_forced_moves,
    payoffs_of,
)
from untilt.game.protocol import Action, Game
from untilt.game.strategy.strategy import PlainProfile

DEFAULT_MAX_OUTLINE = 300
"""Nodes that a picture can show without becoming unreadable."""


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A place in the tree and the move that leads to it."""

    parent: int
    """Number of the parent; −1 for the first node."""
    depth: int
    """Moves since the first node."""
    move: str
    """Name of the move into the node; empty at the first node."""
    probability: float | None
    """Probability of that move, by chance or strategy; None after a decision without a strategy."""
    player: int
    """The player at decisions, CHANCE or TERMINAL elsewhere."""
    infoset: str
    """Label of the active player's infoset; empty where nobody decides."""
    payoffs: tuple[float, ...] | None
    """The gain of each player at a terminal, in chips; None elsewhere."""
    is_cut: bool
    """Whether the moves from here are left out."""


@dataclass(frozen=True)
class Outline:
    """The nodes level by level; children follow in the order of the moves."""

    nodes: tuple[OutlineNode, ...]

    @property
    def depth(self) -> int:
        """Moves to the deepest node shown."""
        return self.nodes[-1].depth

    @property
    def num_cut(self) -> int:
        """Nodes whose moves are left out."""
        return sum(node.is_cut for node in self.nodes)

    @property
    def num_terminals(self) -> int:
        """Ends of the game that are shown."""
        return sum(node.player == TERMINAL for node in self.nodes)

    def infosets(self) -> dict[str, list[int]]:
        """Return the numbers of the nodes shown in each infoset, by label, first met first."""
        found: dict[str, list[int]] = {}
        for number, node in enumerate(self.nodes):
            if node.player >= 0:
                found.setdefault(node.infoset, []).append(number)
        return found

    def is_zero_sum(self) -> bool:
        """Whether the payoffs shown sum to zero."""
        shown = [node.payoffs for node in self.nodes if node.payoffs is not None]
        return all(abs(sum(each)) <= 1e-9 * max(1.0, abs(each[0])) for each in shown)


def outline(
    root: Game,
    *,
    max_nodes: int = DEFAULT_MAX_OUTLINE,
    max_depth: int | None = None,
    strategy: PlainProfile | None = None,
) -> Outline:
    """Return the levels below `root`, at most `max_depth` moves deep and `max_nodes` in all.

    Only whole levels are returned. Raises GameTooLarge if not even the first moves fit.
    """
    walk = _Walk({} if strategy is None else strategy)
    with errors_of_game(walk.history):
        moves = walk.visit(root, _START, 0)
        while moves and walk.depth != max_depth:
            if len(walk.nodes) + len(moves) > max_nodes:
                if not walk.depth:
                    raise GameTooLarge(
                        f"the first move has {len(moves):,} outcomes, and at most {max_nodes:,} "
                        "nodes are drawn; allow more nodes, or begin later in the game"
                    )
                break
            moves = walk.next_level(moves)
    unfollowed = {move.parent for move in moves}
    return Outline(
        tuple(
            replace(node, is_cut=True) if number in unfollowed else node
            for number, node in enumerate(walk.nodes)
        )
    )


def after_moves(root: Game, moves: Sequence[str]) -> Game:
    """Return the position after the moves with these names, chance outcomes included.

    Forced moves are made without being named. Raises UnknownName for a move that is not possible.
    """
    done: list[str] = []

    def history() -> str:
        return described_history(done)

    position = root
    with errors_of_game(history):
        for name in moves:
            place = past_forced_moves(position, history)
            named = {str(action): action for action, _ in _moves(place, history)}
            if name not in named:
                raise UnknownName.among(f"move after {history()}", name, named)
            position = place.position.apply(named[name])
            done.append(name)
    return position


class _Move(NamedTuple):
    """A move that has not been followed yet."""

    parent: int
    action: Action
    probability: float | None


_START = _Move(-1, "", None)


class _Walk:
    """The nodes found so far, and the positions of the deepest level."""

    def __init__(self, strategy: PlainProfile) -> None:
        self.nodes: list[OutlineNode] = []
        self.depth = 0
        self._strategy = strategy
        self._positions: dict[int, Game] = {}
        self._current = _START

    def history(self) -> str:
        """Return the place of the walk, for errors."""
        names, parent = [str(self._current.action)], self._current.parent
        while parent > 0:
            names.append(self.nodes[parent].move)
            parent = self.nodes[parent].parent
        return described_history(names[::-1] if self._current.parent >= 0 else [])

    def next_level(self, moves: Sequence[_Move]) -> list[_Move]:
        """Follow all moves of a level, and return those of the next."""
        self.depth += 1
        before, self._positions = self._positions, {}
        following: list[_Move] = []
        for move in moves:
            self._current = move
            following += self.visit(before[move.parent].apply(move.action), move, self.depth)
        return following

    def visit(self, position: Game, move: _Move, depth: int) -> list[_Move]:
        """Add the node of `position`, which `move` leads to, and return the moves from it."""
        place = past_forced_moves(position, self.history)
        position, number = place.position, len(self.nodes)
        player, payoffs = TERMINAL, None
        if position.terminal:
            payoffs = payoffs_of(position, self.history)
        else:
            self._positions[number] = position
            player = CHANCE if position.chance else position.active
        label = "" if place.infoset is None else str(place.infoset)
        self.nodes.append(
            OutlineNode(
                move.parent,
                depth,
                str(move.action),
                move.probability,
                player,
                label,
                payoffs,
                is_cut=False,
            )
        )
        moves = _moves(place, self.history)
        if label in self._strategy:
            played = self._strategy[label]
            moves = [(action, played.get(str(action), 0.0)) for action, _ in moves]
        return [_Move(number, action, probability) for action, probability in moves]


def _moves(place: Place, history: Callable[[], str]) -> Sequence[tuple[Action, float | None]]:
    """Return the moves at a place, with their probability if they are chance's."""
    if place.infoset is None:
        is_over = place.position.terminal
        return [] if is_over else listed_outcomes(place.position, history)
    return [(action, None) for action in place.actions]
