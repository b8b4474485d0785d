"""A game as a sampling solver sees it: a compiled tree, or Python objects (`objects`)."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from untilt.errors import Argument, NotZeroSum
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import GameTree
from untilt.game.sequence.plan_form import PlanForm
from untilt.numeric.arrays import AnyArray, Floats, Indices, Offsets
from untilt.solvers.mccfr.histories import Histories, pack
from untilt.solvers.mccfr.regret_store import RegretStore, make_store
from untilt.solvers.mccfr.traversal import SamplerSpace, Scheme


class SampledGame(Protocol):
    """A game as a sampling solver sees it: histories, regrets per infoset, and names."""

    num_players: int

    histories: Histories
    store: RegretStore
    max_depth: int
    """No history has more moves than this."""

    @property
    def num_infosets(self) -> int:
        """Infosets known so far, of all players."""
        ...

    @property
    def num_nodes(self) -> int:
        """Nodes known so far."""
        ...

    @property
    def is_complete(self) -> bool:
        """Whether all nodes are known."""
        ...

    def expand(self, work: SamplerSpace, scheme: Scheme, deadline: float) -> None:
        """Expand the node at which the workspace's sample has stopped.

        Further nodes are expanded only until `deadline`, by time.perf_counter().
        """
        ...

    def forget(self) -> None:
        """Forget all nodes if they take more memory than allowed."""
        ...

    def game(self) -> CompiledGame:
        """Return the game in whose order `split` gives its arrays."""
        ...

    def players_of(self, infosets: Indices) -> Offsets:
        """Return the player of each of these infosets, given by number."""
        ...

    def split(self, values: Floats, unmet: float | None = None) -> tuple[Floats, ...]:
        """Return numbers per entry of the store as numbers per sequence.

        Infosets that were never met get `unmet`, or else a uniform strategy.
        """
        ...

    def state(self) -> dict[str, AnyArray]:
        """Return the arrays that `restore` needs in addition to the store, by name."""
        ...

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state`, with a fresh store; raise FormatError if it does not fit."""
        ...


def refuse_general_sum(game: CompiledGame) -> None:
    """Raise NotZeroSum if a game of two players is not zero-sum.

    With more than two players nothing is promised for zero-sum games either.
    """
    if game.num_players == 2 and not game.is_zero_sum:
        raise NotZeroSum.of_solver()


class SampledTree:
    """All histories of a compiled game; each player's infosets follow those of the one before."""

    def __init__(self, game: CompiledGame, *, has_baseline: bool = False) -> None:
        tree = game.require(GameTree, "sample its positions with ", Argument("on", "objects"))
        refuse_general_sum(game)
        self._game = game
        self.num_players = game.num_players
        # Entries without the empty sequences, of which there is one for all players.
        counts = [names.num_sequences - 1 for names in game.infosets]
        self._before = np.concatenate(([0], np.cumsum(counts)))
        self._first_infoset = np.concatenate(([0], np.cumsum([*map(len, game.infosets)])))
        self.histories = pack(tree, self._first_infoset[:-1], has_baseline=has_baseline)
        self.store = make_store(self._first_entry(), self._parent_entry(), game.num_players)
        self.max_depth = _depth(self.histories)

    def _first_entry(self) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        first = [
            names.first_sequence + np.uint32(before)
            for names, before in zip(self._game.infosets, self._before[:-1], strict=True)
        ]
        return np.concatenate((first[0], *(own[1:] for own in first[1:])))

    def _parent_entry(self) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        if not self._game.has(PlanForm):  # imperfect recall: moves have no fixed past
            return np.zeros(self._game.num_infosets, dtype=np.uint32)
        parents = [side.parent_sequence for side in self._game.plan_form().sides]
        moved = [
            np.where(own > 0, own + np.uint32(before), 0)
            for own, before in zip(parents, self._before[:-1], strict=True)
        ]
        return np.concatenate(moved).astype(np.uint32)

    @property
    def num_infosets(self) -> int:
        """Infosets of all players."""
        return self._game.num_infosets

    @property
    def num_nodes(self) -> int:
        """All nodes of the tree."""
        return len(self.histories.parent)

    @property
    def is_complete(self) -> bool:
        """Whether all nodes are known: yes."""
        return True

    def expand(self, work: SamplerSpace, scheme: Scheme, deadline: float) -> None:
        """Never called: all nodes are known."""
        raise AssertionError("a compiled tree has no unknown nodes")

    def forget(self) -> None:
        """Do nothing: the tree is needed."""

    def game(self) -> CompiledGame:
        """Return the compiled game."""
        return self._game

    def players_of(self, infosets: Indices) -> Offsets:
        """Return the player of each of these infosets."""
        return np.searchsorted(self._first_infoset[1:], infosets, side="right")

    def split(self, values: Floats, unmet: float | None = None) -> tuple[Floats, ...]:
        """Return the entries of each player after an empty sequence: player 0's is entry 0."""
        entries = np.split(values, self._before[1:-1] + 1)
        return entries[0].copy(), *(np.concatenate(([1.0], own)) for own in entries[1:])

    def state(self) -> dict[str, AnyArray]:
        """Return nothing: the game is known."""
        return {}

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Do nothing: the store already has its size."""


def _depth(histories: Histories) -> int:
    """Return the number of moves of the longest history."""
    depth = 0
    node = len(histories.parent) - 1  # breadth first: the last node is the deepest
    while node:
        node = int(histories.parent[node])
        depth += 1
    return depth
