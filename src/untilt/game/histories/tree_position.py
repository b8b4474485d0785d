"""A compiled game's tree as positions, to play a saved game without its Python code.

Chance outcomes are the numbers of the children, 0, 1, …; actions are their names.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from dataclasses import dataclass

import numpy as np

from untilt.errors import GameError
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree
from untilt.game.histories.walking import past_forced_moves, possible_moves
from untilt.game.names.names import Names
from untilt.game.protocol import Action, Game
from untilt.game.terms import Chips, Terms, chips_of, terms_of


@dataclass(frozen=True, slots=True, eq=False)
class TreeInfoset:
    """An infoset of a compiled game, equal by player and number."""

    player: int
    number: int
    table: Names

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeInfoset):
            return NotImplemented
        return (self.player, self.number) == (other.player, other.number)

    def __hash__(self) -> int:
        return hash((self.player, self.number))

    def __str__(self) -> str:
        return self.table.label(self.number)

    @property
    def private(self) -> str:
        """The player's private information."""
        return self.table.parts(self.number).private

    @property
    def public(self) -> str:
        """The public information besides the betting."""
        return self.table.parts(self.number).public

    @property
    def line(self) -> str:
        """The public betting so far."""
        return self.table.parts(self.number).line

    def actions(self) -> tuple[str, ...]:
        """Return the names of the legal actions."""
        return self.table.actions(self.number)


@dataclass(frozen=True, slots=True, eq=False)
class TreePosition(Game):
    """A node of a compiled game; `TreePosition.root_of(game)` is the game."""

    tree: GameTree
    infosets: tuple[Names, ...]
    node: int = 0
    rules: Game | None = None
    """The same position under the game's own rules, after forced moves, if available."""

    @classmethod
    def root_of(cls, game: CompiledGame, rules: Game | None = None) -> "TreePosition":
        """Return the root of a game that was compiled with its histories.

        If `rules`, the root of the game itself, are given, positions have its terms and chips.
        """
        known = None if rules is None else _past_forced(rules)
        return cls(game.require(GameTree), game.infosets, 0, known)

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.infosets)

    @property
    def terms(self) -> Terms:
        """The terms of the rules; the defaults without rules."""
        return terms_of(self.rules).for_players(self.num_players)

    @property
    def chips(self) -> Chips | None:
        """The money on the table by the rules; None without rules, or if the game has no chips."""
        return chips_of(self.rules)

    @property
    def terminal(self) -> bool:
        return int(self.tree.player[self.node]) == TERMINAL

    @property
    def chance(self) -> bool:
        return int(self.tree.player[self.node]) == CHANCE

    @property
    def active(self) -> int:
        return int(self.tree.player[self.node])

    def payoff(self, player: int) -> float:
        return float(self.tree.payoffs[self.node, player])

    def chances(self) -> list[tuple[int, float]]:
        first = int(self.tree.first_child[self.node])
        last = first + int(self.tree.num_children[self.node])
        return list(enumerate(self.tree.probability[first:last].tolist()))

    def infoset(self, player: int) -> TreeInfoset:
        number = int(self.tree.infoset[self.node])
        return TreeInfoset(player, number, self.infosets[player])

    def apply(self, action: Action) -> "TreePosition":
        legal = self._moves()
        if action not in legal:
            listed = ", ".join(str(move) for move in legal) or "nothing, the hand is over"
            raise GameError(f"{action!r} is not legal here; legal: {listed}")
        ordinal = legal.index(action)
        rules = self.rules
        if rules is not None:
            rules = _past_forced(rules.apply(possible_moves(rules)[ordinal]))
        child = int(self.tree.first_child[self.node]) + ordinal
        return TreePosition(self.tree, self.infosets, child, rules)

    def seen_decisions(self) -> list[bool]:
        """Return for each decision on the way here whether the player to act has seen it.

        The player has if all histories of the infoset share the move. Bids of a sealed
        auction, for example, stay hidden until the end.
        """
        player, number = self.active, int(self.tree.infoset[self.node])
        same = (self.tree.player == player) & (self.tree.infoset == number)
        own = self._decisions_before(self.node)
        seen = [True] * len(own)
        for node in np.flatnonzero(same).tolist():
            other = self._decisions_before(node)
            for place, move in enumerate(own):
                if place >= len(other) or other[place] != move:
                    seen[place] = False
        return seen

    def _moves(self) -> tuple[Action, ...]:
        if self.terminal:
            return ()
        if self.chance:
            return tuple(range(int(self.tree.num_children[self.node])))
        return self.infoset(self.active).actions()

    def _decisions_before(self, node: int) -> list[tuple[int, str]]:
        """Return player and action of all decisions that lead to `node`, in order."""
        tree = self.tree
        moves: list[tuple[int, str]] = []
        while (parent := int(tree.parent[node])) >= 0:
            player = int(tree.player[parent])
            if player >= 0:
                actions = self.infosets[player].actions(int(tree.infoset[parent]))
                moves.append((player, actions[node - int(tree.first_child[parent])]))
            node = parent
        return moves[::-1]


def _past_forced(rules: Game) -> Game:
    return past_forced_moves(rules, lambda: "a position of the tree").position
