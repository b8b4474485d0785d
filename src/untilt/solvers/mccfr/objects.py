"""Histories built from the game's own objects when a sample first reaches them.

The kernels run on arrays that grow. At an unknown node they stop, and the game is queried once
to expand it. Infosets are numbered in the order in which they are met. Histories are a cache:
when it is full it is emptied, and only infosets stay.
"""

import time
from collections.abc import Mapping, Sequence

import numpy as np

from untilt.errors import FormatError, NotZeroSum
from untilt.game.compiled import CompiledGame
from untilt.game.faults import errors_of_game
from untilt.game.histories.walking import (
    DEFAULT_MAX_DEPTH,
    NotListed,
    described_history,
    listed_outcomes,
    past_forced_moves,
    payoff_of,
    too_deep,
)
from untilt.game.protocol import Action, Game, InfoSet
from untilt.game.sequence.plan_form import ZERO_SUM_TOLERANCE
from untilt.numeric.arrays import AnyArray
from untilt.numeric.streams import Stream
from untilt.solvers.mccfr.histories import (
    CHANCE,
    DEALT,
    FIRST_CHILD,
    KIND,
    NO_DEALS,
    TERMINAL,
    UNEXPANDED,
    Baselines,
    Histories,
    make_baselines,
    num_columns,
)
from untilt.solvers.mccfr.learned_game import LearnedGame, longer_array
from untilt.solvers.mccfr.saved_histories import are_sound, restored_nodes, saved_nodes
from untilt.solvers.mccfr.traversal import (
    EXTERNAL_SAMPLING,
    OUTCOME_SAMPLING,
    SamplerSpace,
    Scheme,
)
from untilt.solvers.saved_state import array_of

_FIRST_CAPACITY = 1024
_ENDS_TO_JUDGE = 100
"""Terminals after which the largest payoff met counts as the game's largest."""
_SAVED_HISTORIES = ("nodes", "cumulative", "payoff", "parent", "probability")


class SampledObjects(LearnedGame):
    """A game of Python objects: its histories and its store grow as samples meet them."""

    max_depth = DEFAULT_MAX_DEPTH + 1

    def __init__(
        self,
        root: Game | None,
        measure: CompiledGame,
        *,
        cache: int,
        is_lazy: bool = False,
        has_baseline: bool = False,
    ) -> None:
        """Sample `root`; with None, the solver can only show what a checkpoint contains.

        `measure` is the same game; if it was small enough to be compiled, strategies are in its
        order.
        """
        super().__init__(root, measure, is_lazy=is_lazy)
        self._root = root
        self._cache = cache
        self._columns = num_columns(self.num_players)
        self._has_baseline = has_baseline
        self._largest_payoff = 0.0
        self._num_ends = 0
        self._unbalanced = (0.0, "")
        self.clear()

    def clear(self) -> None:
        """Forget all histories; infosets stay."""
        self.histories = Histories(
            nodes=np.zeros((_FIRST_CAPACITY, 4), dtype=np.uint32),
            cumulative=np.full(_FIRST_CAPACITY, 2.0),
            payoff=np.zeros((_FIRST_CAPACITY, self._columns)),
            parent=np.zeros(_FIRST_CAPACITY, dtype=np.uint32),
            probability=np.ones(_FIRST_CAPACITY),
            baselines=make_baselines(_FIRST_CAPACITY * self._columns if self._has_baseline else 0),
            deals=NO_DEALS,
        )
        self.store.clock["num_baselines"] = 0
        self.num_nodes = 0
        # Per node: position and moves where it is expanded, depth, each player's last own entry.
        self._positions: list[Game | None] = []
        self._moves: list[Sequence[Action]] = []
        self._depths: list[int] = []
        self._entries: list[tuple[int, ...]] = []
        self._dealt: dict[int, Action] = {}
        self._allocate(1, 0, 0, (0,) * self.num_players)

    @property
    def is_complete(self) -> bool:
        """Whether all nodes are known: never certain here."""
        return False

    def forget(self) -> None:
        """Forget all histories if the cache is full, or if they cannot be reached again.

        Below a deal that the game draws itself, no sample reaches the same node twice.
        """
        kinds = self.histories.nodes[: self.num_nodes, KIND]
        if self.num_nodes > self._cache or np.any(kinds == DEALT):
            self.clear()

    def expand(self, work: SamplerSpace, scheme: Scheme, deadline: float) -> None:
        """Expand the node at which the workspace's sample has stopped.

        The nodes that the sample will explore from there are expanded too, until `deadline`:
        stopping at each of them would take longer.
        """
        node = int(work.cursor["node"][0])
        explored = _explored_players(scheme, int(work.cursor["sample"][0]), self.num_players)
        ahead = [node] if self.histories.nodes[node, KIND] == UNEXPANDED else []
        with errors_of_game(lambda: self._history(node)):
            while ahead:
                node = ahead.pop()
                self._expand(node)
                kind, first, count, _ = self.histories.nodes[node].tolist()
                if kind in explored and time.perf_counter() < deadline:
                    ahead.extend(range(first, first + count))
            node = int(work.cursor["node"][0])
            if self.histories.nodes[node, KIND] == DEALT:
                self._deal(node, work, int(scheme.seed))

    def _allocate(self, count: int, parent: int, depth: int, entries: tuple[int, ...]) -> int:
        """Return the first of `count` new adjacent nodes, all unexpanded."""
        first = self.num_nodes
        self.num_nodes += count
        capacity = len(self.histories.payoff)
        if self.num_nodes > capacity:
            longer = max(2 * capacity, self.num_nodes)
            fills = {"cumulative": 2.0, "probability": 1.0}
            arrays = self.histories._asdict()
            old = arrays.pop("baselines")
            deals = arrays.pop("deals")
            self.histories = Histories(
                **{
                    name: longer_array(values, longer, fills.get(name, 0.0))
                    for name, values in arrays.items()
                },
                baselines=Baselines(
                    *(
                        longer_array(values, longer * self._columns if self._has_baseline else 0)
                        for values in old
                    )
                ),
                deals=deals,
            )
        new = slice(first, first + count)
        self.histories.nodes[new] = (UNEXPANDED, 0, 0, 0)
        self.histories.parent[new] = parent
        self._positions.extend([None] * count)
        self._moves.extend([()] * count)
        self._depths.extend([depth] * count)
        self._entries.extend([entries] * count)
        return first

    def _position(self, node: int) -> Game:
        """Return the position before forced moves, replayed from the nearest one that is kept."""
        if node == 0:
            assert self._root is not None, "only looked at"
            return self._root
        parent = int(self.histories.parent[node])
        if self._positions[parent] is None:  # after a restored checkpoint
            path = [parent]
            while path[-1] and self._positions[path[-1]] is None:
                path.append(int(self.histories.parent[path[-1]]))
            for ancestor in reversed(path):
                if self._positions[ancestor] is None:
                    self._expand_again(ancestor)
        before = self._positions[parent]
        assert before is not None
        if node in self._dealt:
            return before.apply(self._dealt[node])
        return before.apply(
            self._moves[parent][node - int(self.histories.nodes[parent, FIRST_CHILD])]
        )

    def _expand_again(self, node: int) -> None:
        position, _, actions = self._place(node)
        self._positions[node] = position
        if self.histories.nodes[node, KIND] == CHANCE:
            self._moves[node] = [outcome for outcome, _ in self._outcomes(position, node)]
        else:
            self._moves[node] = actions

    def _place(self, node: int) -> tuple[Game, InfoSet | None, tuple[Action, ...]]:
        """Return the position after forced moves, with its infoset and actions."""
        place = past_forced_moves(self._position(node), lambda: self._history(node))
        return place.position, place.infoset, tuple(place.actions)

    def _expand(self, node: int) -> None:
        depth = self._depths[node]
        if depth > DEFAULT_MAX_DEPTH:
            raise too_deep(DEFAULT_MAX_DEPTH)
        position, infoset, actions = self._place(node)
        if infoset is None and position.terminal:
            self.histories.payoff[node] = self._payoffs(position, node)
            self.histories.nodes[node, KIND] = TERMINAL
            return
        self._positions[node] = position
        entries = self._entries[node]
        if infoset is None:
            try:
                outcomes = self._outcomes(position, node)
            except NotListed:
                self.histories.nodes[node, KIND] = DEALT
                return
            self._moves[node] = [outcome for outcome, _ in outcomes]
            first = self._allocate(len(outcomes), node, depth + 1, entries)
            children = slice(first, first + len(outcomes))
            probabilities = np.array([probability for _, probability in outcomes])
            self.histories.probability[children] = probabilities
            self.histories.cumulative[first : first + len(outcomes) - 1] = np.cumsum(probabilities)[
                :-1
            ]
            self.histories.nodes[node] = (CHANCE, first, len(outcomes), 0)
            return
        player = position.active
        number = self._intern(
            player, infoset, actions, entries[player], lambda: self._history(node)
        )
        self._moves[node] = actions
        begin = int(self.store.first_entry[number])
        first = self._allocate(len(actions), node, depth + 1, entries)
        for action in range(len(actions)):
            own = begin + action
            self._entries[first + action] = (*entries[:player], own, *entries[player + 1 :])
        self.histories.nodes[node] = (player, first, len(actions), number)

    def _deal(self, node: int, work: SamplerSpace, seed: int) -> None:
        """Let the game draw an outcome, and move the sample to a new node after it."""
        if self._positions[node] is None:  # after a restored checkpoint
            self._expand_again(node)
        position = self._positions[node]
        assert position is not None
        rng = Stream(seed, int(work.cursor["sample"][0]), int(work.cursor["num_draws"][0]))
        outcome = position.sample(rng)
        child = self._allocate(1, node, self._depths[node] + 1, self._entries[node])
        self._dealt[child] = outcome
        work.cursor["num_draws"] = rng.counter
        work.cursor["num_nodes"] += 1
        work.cursor["node"] = child

    def _payoffs(self, position: Game, node: int) -> tuple[float, ...]:
        payoffs = tuple(
            payoff_of(position, player, lambda: self._history(node))
            for player in range(self.num_players)
        )
        if self._columns > 1:
            return payoffs
        first, second = payoffs
        self._largest_payoff = max(self._largest_payoff, abs(first), abs(second))
        self._num_ends += 1
        if abs(first + second) > abs(self._unbalanced[0]):
            self._unbalanced = (
                first + second,
                f"{first:g} and {second:g} at {self._history(node)}",
            )
        gap, where = self._unbalanced
        # The size of payoffs is known only after some terminals; until then, assume about 1.
        least = 0.0 if self._num_ends >= _ENDS_TO_JUDGE else 1.0
        size = max(least, self._largest_payoff)
        if abs(gap) > ZERO_SUM_TOLERANCE * size:
            raise NotZeroSum.of_solver(f"the payoffs are {where}")
        return (first,)

    def _outcomes(self, position: Game, node: int) -> list[tuple[Action, float]]:
        return listed_outcomes(position, lambda: self._history(node))

    def _history(self, node: int) -> str:
        names: list[str] = []
        while node:
            parent = int(self.histories.parent[node])
            if node in self._dealt:
                names.append(str(self._dealt[node]))
            else:
                ordinal = node - int(self.histories.nodes[parent, FIRST_CHILD])
                moves = self._moves[parent]
                names.append(str(moves[ordinal]) if ordinal < len(moves) else "…")
            node = parent
        return described_history(names[::-1])

    def state(self) -> dict[str, AnyArray]:
        """Return the names of all infosets with their parent entries, and the histories if
        baselines depend on them.
        """
        state = self.names_state()
        if self._has_baseline:
            for name in _SAVED_HISTORIES:
                state[f"histories_{name}"] = getattr(self.histories, name)[: self.num_nodes]
            state["histories_nodes"] = saved_nodes(state["histories_nodes"])
            if self._columns == 1:
                state["histories_payoff"] = state["histories_payoff"][:, 0]
            state["depths"] = np.array(self._depths, dtype=np.int64)
            state["entries"] = np.array(self._entries, dtype=np.int64)
        return state

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state`, with a fresh store; raise FormatError if it does not fit."""
        self.restore_names(state)
        self.clear()
        if self._has_baseline:
            self._restore_histories(state)

    def _restore_histories(self, state: Mapping[str, AnyArray]) -> None:
        nodes = array_of(state, "histories_nodes", (None, 4), np.uint32)
        size = len(nodes)
        parent = array_of(state, "histories_parent", (size,), np.uint32)
        depths = array_of(state, "depths", (size,), np.int64)
        entries = array_of(state, "entries", (size, self.num_players), np.int64)
        floats = {
            name: array_of(state, f"histories_{name}", (size,), np.float64).copy()
            for name in ("cumulative", "probability")
        }
        shape = (size, self._columns) if self._columns > 1 else (size,)
        payoff = array_of(state, "histories_payoff", shape, np.float64)
        histories = Histories(
            nodes=restored_nodes(nodes),
            parent=parent.copy(),
            payoff=payoff.reshape(size, self._columns).copy(),
            **floats,
            baselines=make_baselines(size * self._columns),
            deals=NO_DEALS,
        )
        players = np.array(self._names.players, dtype=np.int64)
        if not are_sound(histories, depths, entries, self.store.first_entry, players):
            raise FormatError("the histories of the saved state contradict one another")
        self.histories = histories
        self.num_nodes = size
        self._positions = [None] * size
        self._moves = [()] * size
        self._depths = depths.tolist()
        self._entries = [tuple(row) for row in entries.tolist()]


def _explored_players(scheme: Scheme, sample: int, num_players: int) -> tuple[int, ...]:
    """Return the players all of whose actions a sample explores."""
    if scheme.sampling == OUTCOME_SAMPLING:
        return ()
    if scheme.sampling == EXTERNAL_SAMPLING:
        return (sample % num_players,)
    return tuple(range(num_players))
