"""Samples of a game that is split into public moves and deals.

Public states become nodes of a graph, each expanded once. A sample asks its deal for keys, stages
and the winner when it gets there; everything else is arrays. Memory is bounded by public states and
infosets; tables that can be rebuilt are emptied when they are full.
"""

from collections.abc import Hashable, Mapping

import numpy as np

from untilt.game.compiled import CompiledGame
from untilt.game.faults import errors_of_game
from untilt.game.histories.split import DealtHand, PublicKind, PublicMoves, Split
from untilt.game.histories.walking import DEFAULT_MAX_DEPTH
from untilt.game.protocol import Game
from untilt.numeric.arrays import AnyArray
from untilt.numeric.streams import Stream
from untilt.solvers.mccfr.histories import (
    DEAL,
    INFOSET,
    KEYED,
    KIND,
    LINK,
    SHOWDOWN,
    STAGE_END,
    TERMINAL,
    UNEXPANDED,
    Histories,
    NextDeals,
    fill_table,
    make_baselines,
    place_in_table,
)
from untilt.solvers.mccfr.learned_game import LearnedGame, longer_array
from untilt.solvers.mccfr.traversal import SamplerSpace, Scheme

_FIRST_CAPACITY = 1024
_FIRST_STAGES = 16
_NUM_SLOTS = 32
"""Deals that are made at once: calling a kernel takes as long as asking for some keys."""
_CHANCE_DRAWS = 1 << 32
"""The first of the deal's random numbers in the stream of a sample; its moves use those before."""


class SampledDeals(LearnedGame):
    """A split game: its public states and its store grow as samples meet them."""

    max_depth = DEFAULT_MAX_DEPTH + 1

    def __init__(self, root: Game, split: Split, measure: CompiledGame, *, cache: int) -> None:
        """Sample `split`, which is `root` split; `cache` limits nodes and looked-up infosets."""
        super().__init__(root, measure)
        self._parts = split
        self._cache = cache
        self._hands: list[DealtHand | None] = [None] * _NUM_SLOTS
        self.clear()

    def clear(self) -> None:
        """Forget all public states and look-ups; infosets stay."""
        self._version = self._parts.version
        self.num_nodes = 0
        self.histories = Histories(
            nodes=np.zeros((_FIRST_CAPACITY, 4), dtype=np.uint32),
            cumulative=np.zeros(0),
            payoff=np.zeros((_FIRST_CAPACITY, 1)),
            parent=np.zeros(0, dtype=np.uint32),
            probability=np.zeros(0),
            baselines=make_baselines(0),
            deals=NextDeals(
                stage=np.zeros(_FIRST_CAPACITY, dtype=np.uint32),
                sample=np.full(_NUM_SLOTS, -1, dtype=np.int64),
                winner=np.zeros(_NUM_SLOTS, dtype=np.int64),
                has_stage=np.zeros((_NUM_SLOTS, _FIRST_STAGES), dtype=np.int64),
                key=np.zeros((_NUM_SLOTS, 2, _FIRST_STAGES), dtype=np.int64),
                table_key=np.full(_FIRST_CAPACITY, -1, dtype=np.int64),
                table_infoset=np.zeros(_FIRST_CAPACITY, dtype=np.uint32),
            ),
        )
        self._node_of_state: dict[Hashable, int] = {}
        self._states: list[Hashable] = []
        self._clear_table()
        root = self._allocate(2)
        self.histories.nodes[root] = (DEAL, root + 1, 1, 0)
        self._place(root + 1, self._parts.start)

    def _clear_table(self) -> None:
        self._group_number: dict[Hashable, int] = {}
        self._key_number: dict[Hashable, int] = {}
        self._num_looked_up = 0
        self.histories.deals.table_key[:] = -1

    @property
    def is_complete(self) -> bool:
        """Whether all nodes are known: never certain here."""
        return False

    def forget(self) -> None:
        """Forget public states or look-ups if there are too many of them."""
        if self.num_nodes > self._cache:
            self.clear()
        elif self._num_looked_up > self._cache:
            self._clear_table()
            self._number_groups()
            self.histories.deals.sample[:] = -1

    def expand(self, work: SamplerSpace, scheme: Scheme, deadline: float) -> None:
        """Supply what the workspace's sample has stopped for."""
        node, sample = int(work.cursor["node"][0]), int(work.cursor["sample"][0])
        step = int(work.cursor["step"][0])
        with errors_of_game(lambda: self._described(node)):
            kind = int(self.histories.nodes[node, KIND])
            if kind == UNEXPANDED:
                kind = self._expand(node)
            if kind == DEAL:
                samples = range(sample, int(work.cursor["end"][0]), step)
                self._begin(int(scheme.seed), samples[:_NUM_SLOTS])
            elif kind in (KEYED, KEYED + 1):
                self._look_up(node, sample // step % _NUM_SLOTS)

    def _begin(self, seed: int, samples: range) -> None:
        """Deal the hands of these samples."""
        for sample in samples:
            slot = sample // samples.step % _NUM_SLOTS
            self._hands[slot] = self._parts.deal(Stream(seed, sample, _CHANCE_DRAWS))
            self._ask(slot)
            self.histories.deals.sample[slot] = sample

    def _ask(self, slot: int) -> None:
        """Ask a deal for its stages, for the keys of all of them, and for the winner."""
        hand = self._hands[slot]
        assert hand is not None
        version = self._version
        numbers = self._key_number
        stage = 0
        while hand.has_stage(stage):
            if stage + 1 >= self.histories.deals.has_stage.shape[1]:
                self._lengthen_stages()
            deals = self.histories.deals
            deals.has_stage[slot, stage] = 1
            for player in (0, 1):
                key = hand.key(player, stage)
                deals.key[slot, player, stage] = numbers.setdefault(key, len(numbers))
            stage += 1
        self.histories.deals.has_stage[slot, stage] = 0
        self.histories.deals.winner[slot] = hand.winner()
        self._follow_changes()
        if self._version != version:
            self._ask(slot)

    def _look_up(self, node: int, slot: int) -> None:
        """Put the infoset at a decision of a deal into the table."""
        hand = self._hands[slot]
        assert hand is not None
        player = int(self.histories.nodes[node, KIND]) - KEYED
        infoset = self._parts.infoset(self._states[node], hand)
        actions = tuple(infoset.actions())
        number = self._intern(player, infoset, actions, 0, lambda: self._described(node))
        self._follow_changes()
        deals = self.histories.deals
        key = deals.key[slot, player, deals.stage[node]]
        self._add_to_table(int(self.histories.nodes[node, INFOSET]) << 32 | int(key), number)

    def _add_to_table(self, wanted: int, number: int) -> None:
        deals = self.histories.deals
        if 2 * self._num_looked_up >= len(deals.table_key):
            used = np.flatnonzero(deals.table_key >= 0)
            keys, infosets = deals.table_key[used], deals.table_infoset[used]
            size = 4 * len(deals.table_key)
            deals = deals._replace(
                table_key=np.full(size, -1, dtype=np.int64),
                table_infoset=np.zeros(size, dtype=np.uint32),
            )
            fill_table(deals.table_key, deals.table_infoset, keys, infosets)
            self.histories = self.histories._replace(deals=deals)
        place = place_in_table(deals.table_key, wanted)
        self._num_looked_up += int(deals.table_key[place] == -1)
        deals.table_key[place] = wanted
        deals.table_infoset[place] = number

    def _follow_changes(self) -> None:
        """If the game has changed its groups and keys, forget those from before."""
        if self._version == self._parts.version:
            return
        self._version = self._parts.version
        self._clear_table()
        self._number_groups()
        for slot, sample in enumerate(self.histories.deals.sample):
            if sample >= 0:
                self._ask(slot)

    def _number_groups(self) -> None:
        nodes = self.histories.nodes
        for node in np.flatnonzero((nodes[:, KIND] == KEYED) | (nodes[:, KIND] == KEYED + 1)):
            nodes[node, INFOSET] = self._group(self._parts.moves(self._states[node]))

    def _group(self, moves: PublicMoves) -> int:
        return self._group_number.setdefault(moves.group, len(self._group_number))

    def _expand(self, node: int) -> int:
        """Expand a node; return its kind."""
        moves = self._parts.moves(self._states[node])
        if moves.kind is PublicKind.DECISION and len(moves.actions) > 1:
            kind, group = KEYED + moves.player, self._group(moves)
        else:
            kind, group = _KINDS[moves.kind], 0
        first = self._allocate(len(moves.after))
        for place, state in enumerate(moves.after):
            self._place(first + place, state)
        self.histories.nodes[node] = (kind, first, len(moves.after), group)
        self.histories.payoff[node] = moves.payoff
        self.histories.deals.stage[node] = moves.stage
        self._follow_changes()
        return kind

    def _place(self, node: int, state: Hashable) -> None:
        """Let a new node stand for a public state, or lead to the node that does."""
        known = self._node_of_state.setdefault(state, node)
        self._states[node] = state
        self.histories.nodes[node] = (UNEXPANDED, 0, 0, 0) if known == node else (LINK, known, 1, 0)

    def _allocate(self, count: int) -> int:
        """Return the first of `count` new adjacent nodes."""
        first = self.num_nodes
        self.num_nodes += count
        capacity = len(self.histories.payoff)
        if self.num_nodes > capacity:
            length = max(2 * capacity, self.num_nodes)
            old = self.histories
            self.histories = old._replace(
                nodes=longer_array(old.nodes, length),
                payoff=longer_array(old.payoff, length),
                deals=old.deals._replace(stage=longer_array(old.deals.stage, length)),
            )
        self._states.extend([None] * count)
        return first

    def _lengthen_stages(self) -> None:
        deals = self.histories.deals
        length = deals.has_stage.shape[1]
        self.histories = self.histories._replace(
            deals=deals._replace(
                has_stage=np.pad(deals.has_stage, ((0, 0), (0, length))),
                key=np.pad(deals.key, ((0, 0), (0, 0), (0, length))),
            )
        )

    def _described(self, node: int) -> str:
        return f"public state {self._states[node]!r}"

    def state(self) -> dict[str, AnyArray]:
        """Return the names of all infosets with their parent entries."""
        return self.names_state()

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state`, with a fresh store; raise FormatError if it does not fit."""
        self.restore_names(state)
        self.clear()


_KINDS: dict[PublicKind, int] = {
    PublicKind.DECISION: LINK,  # with a single action
    PublicKind.STAGE_END: STAGE_END,
    PublicKind.END: TERMINAL,
    PublicKind.SHOWDOWN: SHOWDOWN,
}
