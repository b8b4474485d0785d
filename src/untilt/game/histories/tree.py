"""A game's histories, walked once into flat arrays.

The walk is depth first with an explicit stack, so it holds only the positions of one path
and their siblings. A stable sort by depth then gives breadth-first order with contiguous
children. Infosets are interned to integers when first met; in a depth-first walk, this puts
a player's parents before their children.

Forced moves (infosets with one action) are played at once and have no node.
"""

import itertools
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from untilt.errors import GameError
from untilt.game.faults import (
    EQUALITY_REMEDY,
    errors_of_game,
    truth_of,
    verify_infoset_type,
    verify_position_type,
)
from untilt.game.histories.size import PROBE_SECONDS, estimate_size, too_large
from untilt.game.histories.walking import (
    DEFAULT_MAX_DEPTH,
    after_forced_move,
    described_history,
    different_actions,
    listed_outcomes,
    payoff_of,
    replayed_moves,
    same_position,
    too_deep,
    verify_active,
)
from untilt.game.names.infosets import Infosets
from untilt.game.names.labels import knowledge_of_all
from untilt.game.names.names import check_labels, same_label
from untilt.game.protocol import Action, Game, InfoSet, num_players_of
from untilt.game.sequence.sequence_form import Terminals
from untilt.numeric.arrays import Floats, Indices, Ints

CHANCE = -1
"""In `GameTree.player`: a chance node."""

TERMINAL = -2
"""In `GameTree.player`: the end of a history."""

DEFAULT_MAX_NODES = 30_000_000

_ESTIMATE_AT = 100_000
"""The size is first estimated after this many nodes …"""
_ESTIMATE_AFTER_SECONDS = 0.5
"""… or after this much processor time, because positions of some games are slow."""
_ESTIMATE_AGAIN = 8.0
"""It is estimated again, with more plays, when the walk has lasted this many times as long."""
_LOOK_NODES = 64
"""Nodes between two checks of the clock."""
_REPORT_SECONDS = 0.2
"""Seconds before the first call of the watcher, and between two calls."""

_MAX_PROBES = 100_000
"""Random plays of one estimate, at most."""

_NUM_TRIED = 1_000
"""How many infosets per player are queried twice: a mistake in the rules shows early."""


class GameTree(NamedTuple):
    """All histories; N nodes in breadth-first order, the root is node 0."""

    parent: Ints
    """[N] −1 for the root."""
    first_child: Ints
    """[N] children are first_child … first_child + num_children − 1, in action order."""
    num_children: Ints
    """[N] 0 at terminals."""
    player: Ints
    """[N] the player at decisions, CHANCE or TERMINAL elsewhere."""
    infoset: Ints
    """[N] number of the active player's infoset; −1 where nobody decides."""
    probability: Floats
    """[N] chance probability of the move into the node; 1 after a decision."""
    payoffs: Floats
    """[N, players] what each player gains, in chips; 0 at nodes that are not terminal."""

    @property
    def num_players(self) -> int:
        """The number of players."""
        return int(self.payoffs.shape[1])


@dataclass(frozen=True)
class WalkedGame:
    """The result of one walk over all histories."""

    tree: GameTree
    infosets: tuple[Infosets, ...]
    parent_sequences: tuple[Indices, ...]
    terminals: Terminals
    forced: dict[str, str]
    """Label → the only action, for infosets with a forced move."""
    recall_error: str | None
    """The reason that recall is imperfect, or None; if imperfect, ignore the parent sequences."""


@dataclass
class _Interned:
    """One player's infosets as they are met."""

    number: dict[InfoSet, int] = field(default_factory=dict)
    keys: list[InfoSet] = field(default_factory=list)
    actions: list[tuple[Action, ...]] = field(default_factory=list)
    first_sequence: list[int] = field(default_factory=lambda: [1])
    parent_sequence: list[int] = field(default_factory=list)
    forced: dict[InfoSet, tuple[Action, ...]] = field(default_factory=dict)
    met_once: set[int] = field(default_factory=set)
    """Those of the first infosets that have been met only once, so their names are unchecked."""

    def add(self, infoset: InfoSet, actions: tuple[Action, ...], parent_sequence: int) -> int:
        number = self.number[infoset] = len(self.keys)
        self.keys.append(infoset)
        self.actions.append(actions)
        self.first_sequence.append(self.first_sequence[-1] + len(actions))
        self.parent_sequence.append(parent_sequence)
        if number < _NUM_TRIED:
            self.met_once.add(number)
        return number

    def names(self, player: int) -> Infosets:
        shared: dict[tuple[Action, ...], tuple[str, ...]] = {}
        known = knowledge_of_all(self.keys)
        return Infosets(
            player=player,
            labels=tuple(str(key) for key in self.keys),
            actions=tuple(
                shared.setdefault(actions, tuple(str(action) for action in actions))
                for actions in self.actions
            ),
            private=tuple(one.private for one in known),
            public=tuple(one.public for one in known),
            line=tuple(one.line for one in known),
        )


OnWalked = Callable[[int], None]
"""Called regularly with the number of histories walked; an exception stops the walk."""


def walk(
    root: Game,
    *,
    max_nodes: int = DEFAULT_MAX_NODES,
    max_depth: int = DEFAULT_MAX_DEPTH,
    watcher: OnWalked | None = None,
) -> WalkedGame:
    """Walk every history of `root` once and return its tree.

    Raises GameError, naming the infoset or history, for anything the protocol forbids, and
    GameTooLarge as soon as the tree is known not to fit into `max_nodes`.
    """
    walker = _Walker(root, max_nodes, max_depth, watcher)
    with errors_of_game(walker.history):
        walker.walk()
        return walker.finish()


class _Walker:
    """The walk's growing arrays, in depth-first order."""

    def __init__(
        self, root: Game, max_nodes: int, max_depth: int, watcher: OnWalked | None
    ) -> None:
        self.root = root
        self.max_nodes = max_nodes
        self.max_depth = max_depth
        self.watcher = watcher
        self.began = time.thread_time()
        self.reported_at = time.monotonic()
        self.next_estimate = _ESTIMATE_AFTER_SECONDS  # of processor time
        self.num_estimates = 0
        self.parent = array("i")
        self.ordinal = array("i")  # which child of its parent a node is
        self.depth = array("i")
        self.player = array("i")
        self.infoset = array("i")
        self.probability = array("d")
        self.num_children = array("i")
        self.end_node = array("i")
        self.num_players = num_players_of(root)
        self.end_sequence = tuple(array("i") for _ in range(self.num_players))
        self.end_weight = array("d")
        self.end_payoff = tuple(array("d") for _ in range(self.num_players))
        self.interned = tuple(_Interned() for _ in range(self.num_players))
        self.recall_error: str | None = None

    def walk(self) -> None:
        parents, ordinals, depths = self.parent, self.ordinal, self.depth
        players, infosets = self.player, self.infoset
        probabilities, num_children = self.probability, self.num_children
        interned = self.interned
        position_type: type | None = None
        infoset_type: type | None = None
        players_of_game = range(self.num_players)
        # (position, parent node, ordinal, depth, chance probability, reach by chance,
        #  the sequence of each player)
        stack: list[tuple[Game, int, int, int, float, float, tuple[int, ...]]]
        stack = [(self.root, -1, 0, 0, 1.0, 1.0, (0,) * self.num_players)]
        next_look = min(_LOOK_NODES, self.max_nodes)
        while stack:
            position, parent, ordinal, depth, probability, reach, sequences = stack.pop()
            node = len(parents)
            if node >= next_look:
                self._look(node)
                next_look = min(node + _LOOK_NODES, self.max_nodes)
            if depth > self.max_depth:
                raise too_deep(self.max_depth)
            parents.append(parent)
            ordinals.append(ordinal)
            depths.append(depth)
            probabilities.append(probability)
            depth += 1  # of the children, however many forced moves lie between
            forced_moves = 0
            while True:  # again only after a forced move
                if type(position) is not position_type:
                    verify_position_type(position, self.history)
                    position_type = type(position)
                is_terminal: object = position.terminal
                if is_terminal is not False and is_terminal is not True:
                    is_terminal = truth_of("terminal", is_terminal, position, self.history)
                if is_terminal:
                    players.append(TERMINAL)
                    infosets.append(-1)
                    num_children.append(0)
                    self._end(position, node, reach, sequences)
                    break
                is_chance: object = position.chance
                if is_chance is not False and is_chance is not True:
                    is_chance = truth_of("chance", is_chance, position, self.history)
                if is_chance:
                    outcomes = listed_outcomes(position, self.history)
                    players.append(CHANCE)
                    infosets.append(-1)
                    num_children.append(len(outcomes))
                    for child in range(len(outcomes) - 1, -1, -1):
                        outcome, p = outcomes[child]
                        after = position.apply(outcome)
                        if after is position:
                            raise same_position(outcome, self.history())
                        stack.append((after, node, child, depth, p, reach * p, sequences))
                    break
                player = position.active
                if player not in players_of_game:
                    verify_active(player, self.num_players, self.history)
                infoset = position.infoset(player)
                if type(infoset) is not infoset_type:
                    verify_infoset_type(infoset, self.history)
                    infoset_type = type(infoset)
                actions = tuple(infoset.actions())
                known = interned[player]
                own = sequences[player]
                number = known.number.get(infoset)
                is_new = number is None
                if number is None:
                    if len(actions) < 2:
                        position = self._force(position, infoset, actions)
                        forced_moves += 1
                        if forced_moves > self.max_depth:
                            raise too_deep(self.max_depth)
                        continue
                    if infoset in known.forced:
                        raise self._different(infoset, known.forced[infoset], actions)
                    number = known.add(infoset, actions, own)
                else:
                    if known.actions[number] != actions:
                        raise self._different(infoset, known.actions[number], actions)
                    if number in known.met_once:
                        self._verify_name(known, number, infoset)
                    if known.parent_sequence[number] != own and self.recall_error is None:
                        self.recall_error = (
                            f"imperfect recall: at infoset {str(infoset)!r} player {player} has "
                            "forgotten one of the player's own moves or observations (two "
                            "histories in it have different pasts of that player)"
                        )
                players.append(player)
                infosets.append(number)
                num_children.append(len(actions))
                first = known.first_sequence[number]
                before, after_own = sequences[:player], sequences[player + 1 :]
                for child in range(len(actions) - 1, -1, -1):
                    after = position.apply(actions[child])
                    if after is position:
                        raise same_position(actions[child], self.history())
                    moved = (*before, first + child, *after_own)
                    stack.append((after, node, child, depth, 1.0, reach, moved))
                if is_new and number < _NUM_TRIED:
                    self._ask_again(position, infoset)
                break

    def _look(self, num_nodes: int) -> None:
        """Report progress; raise GameTooLarge if the tree exceeds the limit, or surely will."""
        if num_nodes >= self.max_nodes:
            size = estimate_size(self.root, max_depth=self.max_depth)
            raise too_large(size, num_nodes, self.max_nodes)
        now = time.monotonic()
        if self.watcher is not None and now - self.reported_at > _REPORT_SECONDS:
            self.reported_at = now
            self.watcher(num_nodes)
        spent = time.thread_time() - self.began
        is_first = self.num_estimates == 0 and num_nodes >= _ESTIMATE_AT
        if is_first or spent > self.next_estimate:
            self.next_estimate = _ESTIMATE_AGAIN * max(spent, _ESTIMATE_AFTER_SECONDS)
            self.num_estimates += 1
            size = estimate_size(
                self.root,
                limit=self.max_nodes,
                probes=_MAX_PROBES,
                seconds=max(PROBE_SECONDS, spent / 4.0),
                seed=self.num_estimates,
                max_depth=self.max_depth,
            )
            if size.is_surely_above(self.max_nodes):
                raise too_large(size, num_nodes, self.max_nodes)

    def _end(self, position: Game, node: int, reach: float, sequences: tuple[int, ...]) -> None:
        self.end_node.append(node)
        self.end_weight.append(reach)
        for player, sequence in enumerate(sequences):
            self.end_sequence[player].append(sequence)
            self.end_payoff[player].append(payoff_of(position, player, self.history))

    def _ask_again(self, position: Game, infoset: InfoSet) -> None:
        """Raise GameError if a position answers differently after all its moves were made."""
        again = position.infoset(position.active)
        if again == infoset and hash(again) == hash(infoset):
            return
        label, where = str(infoset), self.history()
        if again == infoset:
            raise GameError(
                f"infoset {label!r} at {where} has two hashes: equal infosets must have "
                "equal hashes"
            )
        if again != position.infoset(position.active):
            raise GameError(
                f"infoset {label!r}, queried twice at {where}, is not equal to itself: "
                f"{EQUALITY_REMEDY}"
            )
        raise GameError(
            f"the infoset is {label!r} and then {str(again)!r} at {where}: `apply` changed the "
            "position it was called on; it must return a new one"
        )

    def _verify_name(self, known: _Interned, number: int, infoset: InfoSet) -> None:
        """Raise GameError if an infoset that is met again has another name now."""
        known.met_once.remove(number)
        before, now = str(known.keys[number]), str(infoset)
        if before != now:
            raise GameError(
                f"the infosets {before!r} and {now!r} are equal: equal infosets must have the "
                "same label, so make == compare what str(infoset) shows"
            )

    def _force(self, position: Game, infoset: InfoSet, actions: tuple[Action, ...]) -> Game:
        known = self.interned[position.active].forced.setdefault(infoset, actions)
        if known != actions:
            raise self._different(infoset, known, actions)
        return after_forced_move(position, infoset, actions, self.history)

    def _different(
        self, infoset: InfoSet, before: tuple[Action, ...], now: tuple[Action, ...]
    ) -> GameError:
        return different_actions(infoset, before, now, self.history())

    def history(self) -> str:
        """Return the moves that lead to the node being walked, replayed from the root."""
        if len(self.parent) <= 1:
            return "the root"
        node = len(self.parent) - 1
        ordinals: list[int] = []
        while self.parent[node] >= 0:
            ordinals.append(self.ordinal[node])
            node = self.parent[node]
        names: list[str] = []
        try:
            for name in replayed_moves(self.root, reversed(ordinals)):
                names.append(name)  # noqa: PERF402 — what was replayed stays if the game raises
        except Exception:  # the game that is replayed may raise again
            names.append("…")
        return described_history(names)

    def finish(self) -> WalkedGame:
        """Return the walked game, its nodes sorted into breadth-first order."""
        infosets = tuple(known.names(player) for player, known in enumerate(self.interned))
        check_labels(infosets)
        depth = np.asarray(self.depth, dtype=np.int32)
        order = np.argsort(depth, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        parent = np.asarray(self.parent, dtype=np.int32)[order]
        parent[1:] = rank[parent[1:]]
        num_children = np.asarray(self.num_children, dtype=np.int32)[order]
        first_child = np.ones(len(order), dtype=np.int32)
        first_child[1:] += np.cumsum(num_children[:-1], dtype=np.int32)
        ends = rank[np.asarray(self.end_node, dtype=np.int32)]
        end_payoffs = tuple(np.asarray(column, dtype=np.float64) for column in self.end_payoff)
        payoffs = np.zeros((len(order), self.num_players))
        for player, column in enumerate(end_payoffs):
            payoffs[ends, player] = column
        tree = GameTree(
            parent=parent,
            first_child=first_child,
            num_children=num_children,
            player=np.asarray(self.player, dtype=np.int32)[order],
            infoset=np.asarray(self.infoset, dtype=np.int32)[order],
            probability=np.asarray(self.probability, dtype=np.float64)[order],
            payoffs=payoffs,
        )
        return WalkedGame(
            tree=tree,
            infosets=infosets,
            parent_sequences=tuple(
                np.asarray(known.parent_sequence, dtype=np.uint32) for known in self.interned
            ),
            terminals=Terminals(
                sequences=tuple(
                    np.asarray(column).astype(np.uint32) for column in self.end_sequence
                ),
                weight=np.asarray(self.end_weight, dtype=np.float64),
                payoffs=end_payoffs,
            ),
            forced=self._forced_moves(infosets),
            recall_error=self.recall_error,
        )

    def _forced_moves(self, infosets: tuple[Infosets, ...]) -> dict[str, str]:
        """Return label and action of the forced moves; raise if a label names anything else too."""
        forced: dict[str, str] = {}
        for infoset, actions in itertools.chain(*(known.forced.items() for known in self.interned)):
            label, action = str(infoset), str(actions[0])
            is_choice = any(label in names for names in infosets)
            if is_choice or forced.setdefault(label, action) != action:
                raise same_label(label)
        return forced
