"""A game's histories, walked once into flat arrays.

The walk is depth first with an explicit stack, so that it holds only the positions of
one path and its siblings; a stable sort by depth then gives breadth-first order with
children contiguous. Infosets are interned to integers when first met, which in a depth
first walk puts a player's parents before children.

Forced moves (infosets with one action) are played at once and make no node.
"""

import itertools
import math
import random
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from untilt.errors import GameError, GameTooLarge, UntiltError
from untilt.game.faults import (
    EQUALITY_REMEDY,
    errors_of_game,
    number_of,
    truth_of,
    verify_infoset_type,
    verify_position_type,
)
from untilt.game.infosets import Infosets
from untilt.game.labels import knowledge_of_all
from untilt.game.names import check_labels, same_label
from untilt.game.protocol import Action, Game, InfoSet
from untilt.game.sequence_form import Terminals
from untilt.game.walking import (
    DEFAULT_MAX_DEPTH,
    after_forced_move,
    described_history,
    different_actions,
    listed_outcomes,
    no_player,
    possible_moves,
    replayed_moves,
    same_position,
    too_deep,
)
from untilt.numeric.arrays import Floats, Indices, Ints

CHANCE = -1
"""In `GameTree.player`: a chance node."""

TERMINAL = -2
"""In `GameTree.player`: the end of a history."""

DEFAULT_MAX_NODES = 30_000_000

_ESTIMATE_AT = 100_000
"""Number of nodes from which it pays to estimate how many will follow …"""
_ESTIMATE_AFTER_SECONDS = 0.5
"""… or from so long a walk on: positions of some games are slow."""
_ESTIMATE_AGAIN = 8.0
"""Estimated again, with more plays, when the walk has lasted this many times as long."""
_LOOK_NODES = 64
"""Nodes between two looks at the clock."""
_TELL_SECONDS = 0.2
"""Seconds before the first call of the walk's watcher, and between two calls."""

_MAX_PROBES = 100_000
_PROBE_SECONDS = 1.0
"""Processor time for random plays that estimate the size of a game."""
_CERTAINTY = 30.0
"""Plays of a game that fits look like those of one too large with probability exp(−30)."""
_WIDEST = 1e100
"""A play is not followed any further where the tree has become so wide."""

_NUM_TRIED = 1_000
"""How many infosets of a player are asked again: a mistake in the rules shows in the first."""


class GameTree(NamedTuple):
    """All histories; N nodes in breadth-first order, the root is node 0."""

    parent: Ints
    """[N] the node before; −1 for the root."""
    first_child: Ints
    """[N] children are first_child … first_child + num_children − 1, in action order."""
    num_children: Ints
    """[N] 0 at terminals."""
    player: Ints
    """[N] 0 or 1 at decisions, CHANCE or TERMINAL elsewhere."""
    infoset: Ints
    """[N] number of the active player's infoset; −1 where nobody decides."""
    probability: Floats
    """[N] chance probability of the move into the node; 1 after a decision."""
    payoffs: Floats
    """[N, 2] what each player gains, in chips; 0 at nodes that are no end."""


@dataclass(frozen=True)
class WalkedGame:
    """What one walk over all histories gives."""

    tree: GameTree
    infosets: tuple[Infosets, Infosets]
    parent_sequences: tuple[Indices, Indices]
    terminals: Terminals
    forced: dict[str, str]
    """Label → the only action, for infosets that were played through."""
    recall_error: str | None
    """Why recall is imperfect, or None; the parent sequences mean nothing then."""


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
    """Of the first infosets, those whose name has not been compared with a second meeting."""

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
"""Called now and then with the number of histories walked; what it raises stops the walk."""


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


@dataclass(frozen=True)
class SizeEstimate:
    """How many histories a game has, judged by random plays."""

    probes: tuple[float, ...]
    """What each play says; the mean of all possible ones is the number of histories."""
    is_cut: bool
    """Whether a play was not followed to its end, so that it says too little."""
    seconds_per_position: float
    """Processor time of one position."""

    @property
    def num_histories(self) -> float:
        """The mean of the plays."""
        return sum(self.probes) / len(self.probes)

    def is_surely_above(self, limit: float) -> bool:
        """Whether the game is beyond reasonable doubt larger than `limit`.

        The mean alone may be the work of one rare play. If the game had at most `limit`
        histories, a play would exceed c times that number with probability 1/c at most
        (Markov's inequality), and plays are independent: so what counts is how many of them do
        (Chernoff's bound).
        """
        count = len(self.probes)
        ranked = sorted(self.probes, reverse=True)
        for number, probe in enumerate(ranked, start=1):
            excess = probe / limit
            if excess <= 1.0:
                break
            share = number / count
            if share <= 1.0 / excess:
                continue
            doubt = share * math.log(share * excess)
            if share < 1.0:
                doubt += (1.0 - share) * math.log((1.0 - share) / (1.0 - 1.0 / excess))
            if count * doubt > _CERTAINTY:
                return True
        return False


def estimate_size(
    root: Game,
    *,
    limit: float = math.inf,
    probes: int = 1000,
    seconds: float = _PROBE_SECONDS,
    seed: int = 0,
    max_depth: int = DEFAULT_MAX_DEPTH,
) -> SizeEstimate:
    """Return an estimate of the number of histories, from random plays.

    Knuth 1975, "Estimating the efficiency of backtrack programs": along a random path, the
    product of the numbers of children up to each level has that level's size as its mean.
    A play in which the game raises ends there: the walk will meet and name that history. Plays
    end after so many `seconds` of processor time, or when they have said enough to compare the
    game with `limit`.
    """
    verify_position_type(root, lambda: "the root")
    rng = random.Random(seed)
    found: list[float] = []
    is_cut = False
    num_positions = 0
    begin = time.thread_time()
    # A game that sleeps or waits takes no processor time, but our user's.
    begin_waiting = time.monotonic()

    def is_late() -> bool:
        waited = time.monotonic() - begin_waiting
        return time.thread_time() - begin > seconds or waited > 4.0 * seconds

    while len(found) < probes and not (found and is_late()):
        position, width, depth, total = root, 1.0, 0, 0.0
        while True:
            total += width
            num_positions += 1
            try:
                children = possible_moves(position)
                if not children:
                    break
                if width > _WIDEST or (depth % 16 == 15 and is_late()):
                    is_cut = True
                    break
                position = position.apply(rng.choice(children))
            except UntiltError:
                raise
            except Exception:  # whatever a user's game may raise
                break
            width *= len(children)
            depth += 1
            if depth > max_depth:
                raise too_deep(max_depth)
        found.append(total)
        # Powers of two, for it takes sorting.
        if limit < math.inf and len(found).bit_count() == 1:
            so_far = SizeEstimate(tuple(found), is_cut, 0.0)
            is_small = len(found) > 1000 and 8.0 * so_far.num_histories < limit
            if is_small or so_far.is_surely_above(limit):
                break
    spent = time.thread_time() - begin
    return SizeEstimate(tuple(found), is_cut, spent / num_positions)


def _too_large(size: SizeEstimate, num_nodes: int, max_nodes: int) -> GameTooLarge:
    about = "more than" if size.is_cut else "about"
    return GameTooLarge(
        f"the game has {about} {max(size.num_histories, num_nodes):.1e} histories, more than the "
        f"limit of {max_nodes:,} nodes: raise the limit, shrink the game, or use a sampling "
        "solver (mccfr-external), which needs no tree"
    )


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
        self.told_at = time.monotonic()
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
        self.end_sequence = (array("i"), array("i"))
        self.end_weight = array("d")
        self.end_payoff = (array("d"), array("d"))
        self.interned = (_Interned(), _Interned())
        self.recall_error: str | None = None

    def walk(self) -> None:
        parents, ordinals, depths = self.parent, self.ordinal, self.depth
        players, infosets = self.player, self.infoset
        probabilities, num_children = self.probability, self.num_children
        interned = self.interned
        position_type: type | None = None
        infoset_type: type | None = None
        # (position, parent node, ordinal, depth, chance probability, reach by chance,
        #  player 0's sequence, player 1's sequence)
        stack: list[tuple[Game, int, int, int, float, float, int, int]]
        stack = [(self.root, -1, 0, 0, 1.0, 1.0, 0, 0)]
        next_look = min(_LOOK_NODES, self.max_nodes)
        while stack:
            position, parent, ordinal, depth, probability, reach, seq_0, seq_1 = stack.pop()
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
                    self._end(position, node, reach, seq_0, seq_1)
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
                        stack.append((after, node, child, depth, p, reach * p, seq_0, seq_1))
                    break
                player = position.active
                if player not in (0, 1):
                    raise no_player(player, self.history())
                infoset = position.infoset(player)
                if type(infoset) is not infoset_type:
                    verify_infoset_type(infoset, self.history)
                    infoset_type = type(infoset)
                actions = tuple(infoset.actions())
                table = interned[player]
                own = seq_1 if player else seq_0
                number = table.number.get(infoset)
                is_new = number is None
                if number is None:
                    if len(actions) < 2:
                        position = self._force(position, infoset, actions)
                        forced_moves += 1
                        if forced_moves > self.max_depth:
                            raise too_deep(self.max_depth)
                        continue
                    if infoset in table.forced:
                        raise self._different(infoset, table.forced[infoset], actions)
                    number = table.add(infoset, actions, own)
                else:
                    if table.actions[number] != actions:
                        raise self._different(infoset, table.actions[number], actions)
                    if number in table.met_once:
                        self._verify_name(table, number, infoset)
                    if table.parent_sequence[number] != own and self.recall_error is None:
                        self.recall_error = (
                            f"imperfect recall: at infoset {str(infoset)!r} player {player} has "
                            "forgotten one of the player's own moves or observations (two "
                            "histories in it have different pasts of that player)"
                        )
                players.append(player)
                infosets.append(number)
                num_children.append(len(actions))
                first = table.first_sequence[number]
                for child in range(len(actions) - 1, -1, -1):
                    after = position.apply(actions[child])
                    if after is position:
                        raise same_position(actions[child], self.history())
                    if player:
                        stack.append((after, node, child, depth, 1.0, reach, seq_0, first + child))
                    else:
                        stack.append((after, node, child, depth, 1.0, reach, first + child, seq_1))
                if is_new and number < _NUM_TRIED:
                    self._ask_again(position, infoset)
                break

    def _look(self, num_nodes: int) -> None:
        """Tell how far the walk is; raise GameTooLarge if it leads, or is sure to lead, too far."""
        if num_nodes >= self.max_nodes:
            size = estimate_size(self.root, max_depth=self.max_depth)
            raise _too_large(size, num_nodes, self.max_nodes)
        now = time.monotonic()
        if self.watcher is not None and now - self.told_at > _TELL_SECONDS:
            self.told_at = now
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
                seconds=max(_PROBE_SECONDS, spent / 4.0),
                seed=self.num_estimates,
                max_depth=self.max_depth,
            )
            if size.is_surely_above(self.max_nodes):
                raise _too_large(size, num_nodes, self.max_nodes)

    def _end(self, position: Game, node: int, reach: float, seq_0: int, seq_1: int) -> None:
        self.end_node.append(node)
        self.end_sequence[0].append(seq_0)
        self.end_sequence[1].append(seq_1)
        self.end_weight.append(reach)
        for player in (0, 1):
            payoff = position.payoff(player)
            if type(payoff) is not float or not math.isfinite(payoff):
                payoff = number_of(f"payoff({player})", payoff, self.history)
            self.end_payoff[player].append(payoff)

    def _ask_again(self, position: Game, infoset: InfoSet) -> None:
        """Raise GameError if a position whose moves were all made answers differently now."""
        again = position.infoset(position.active)
        if again == infoset and hash(again) == hash(infoset):
            return
        label, where = str(infoset), self.history()
        if again == infoset:
            raise GameError(
                f"infoset {label!r} at {where} has two hashes: infosets that are equal must hash "
                "alike"
            )
        if again != position.infoset(position.active):
            raise GameError(
                f"infoset {label!r}, asked twice at {where}, is not equal to itself: "
                f"{EQUALITY_REMEDY}"
            )
        raise GameError(
            f"the infoset is {label!r} and then {str(again)!r} at {where}: `apply` changed the "
            "position it was called on; it must return a new one"
        )

    def _verify_name(self, table: _Interned, number: int, infoset: InfoSet) -> None:
        """Raise GameError if an infoset that is met again is called otherwise now."""
        table.met_once.remove(number)
        before, now = str(table.keys[number]), str(infoset)
        if before != now:
            raise GameError(
                f"the infosets {before!r} and {now!r} are equal: equal infosets must have the "
                "same label, so let == compare what str(infoset) shows"
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
        except Exception:  # the very game that raised is replayed here
            names.append("…")
        return described_history(names)

    def finish(self) -> WalkedGame:
        """Return the walked game, its nodes sorted into breadth-first order."""
        infosets = (self.interned[0].names(0), self.interned[1].names(1))
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
        payoffs = np.zeros((len(order), 2))
        for player in (0, 1):
            payoffs[ends, player] = end_payoffs[player]
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
            parent_sequences=(
                np.asarray(self.interned[0].parent_sequence, dtype=np.uint32),
                np.asarray(self.interned[1].parent_sequence, dtype=np.uint32),
            ),
            terminals=Terminals(
                sequences=(
                    np.asarray(self.end_sequence[0]).astype(np.uint32),
                    np.asarray(self.end_sequence[1]).astype(np.uint32),
                ),
                weight=np.asarray(self.end_weight, dtype=np.float64),
                payoffs=(end_payoffs[0], end_payoffs[1]),
            ),
            forced=self._forced_moves(infosets),
            recall_error=self.recall_error,
        )

    def _forced_moves(self, infosets: tuple[Infosets, Infosets]) -> dict[str, str]:
        """Return label and action of the forced moves, whose labels must name nothing else."""
        forced: dict[str, str] = {}
        for infoset, actions in itertools.chain(
            self.interned[0].forced.items(), self.interned[1].forced.items()
        ):
            label, action = str(infoset), str(actions[0])
            is_choice = label in infosets[0] or label in infosets[1]
            if is_choice or forced.setdefault(label, action) != action:
                raise same_label(label)
        return forced
