"""The values of a blueprint's actions for every bucket of hands, if both players follow it.

    table = tabulated(blueprint, boards=200)
    table.at(node, bucket)                          # [2, actions], in chips won in the hand

Boards of five cards are drawn. On each, the whole betting tree is followed with all 1,081 hands of
both players, so that nothing else is left to chance. The value of an action with a bucket is the
mean over the bucket's hands on all boards, weighted by how likely the opponent gets there with
hands that can be dealt beside it. Even and odd boards have a table each: a choice that is made with
one and valued with the other is not flattered by chance.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.rivers import new_scratch, rank_board
from untilt.cards.card import DECK, mask_of
from untilt.cards.combos import COMBO_CARDS, NUM_COMBOS
from untilt.cards.evaluator.evaluator_tables import load_tables
from untilt.errors import FormatError, InvalidOption
from untilt.formats.base.container import read_container, write_container
from untilt.formats.base.files import REPEAT
from untilt.game.deals.deal_tree import DECISION, SHOWDOWN
from untilt.numeric.arrays import Floats, Indices, Offsets, Records
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.streams import philox

KIND = "values"
NUM_BOARDS = 200
"""How many boards are drawn by default."""

_BOARD = 5
_NUM_LIVE = 47
_MOST_DEPTH = 128
_LEAST = 1e-9
"""Below this reach of all hands together, a line is not followed."""
_WHOLE = np.float32(1.0 / 255.0)
_HALVES = 2
_SLACK = 1.001
"""Rounding of sums over many hands."""

Floats32 = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]


class _Hands(NamedTuple):
    """The hands of a board, the weakest first."""

    first: Bytes
    """[hands] the place of a card among those that the board leaves."""
    second: Bytes
    ends: Offsets
    """[hands] where the hands of the same strength end."""
    buckets: Offsets
    """[streets, hands]"""


class _Strategy(NamedTuple):
    nodes: Records
    widths: Offsets
    tables: tuple[Bytes, ...]
    """By street, [buckets · width] 255ths."""
    num_buckets: Offsets
    decisions: Offsets
    """[nodes] the number of a decision among those of its street."""


class _Sums(NamedTuple):
    """By street, [width · buckets] and [decisions · buckets]."""

    worth: tuple[Floats32, ...]
    weight: tuple[Floats32, ...]


class _Work(NamedTuple):
    reach: Floats32
    """[depth, hands] of the opponent"""
    values: Floats32
    """[depth, hands] what the player's hands win, times the reach of the hands against them"""
    nodes: Indices
    actions: Offsets
    """[depth] the next action to follow"""
    mass: Floats32
    """[hands] how likely the opponent is here with a hand that can be dealt beside each"""
    on_card: Floats
    """[live cards] the reach of the opponent's hands with each card"""


class BucketValues:
    """The values of actions; see the module."""

    def __init__(
        self,
        nodes: Records,
        num_buckets: tuple[int, ...],
        values: tuple[Floats32, ...],
        boards: int,
    ) -> None:
        self.boards = boards
        self._rows: list[int] = nodes["row"].tolist()
        self._counts: list[int] = nodes["num_actions"].tolist()
        self._streets: list[int] = nodes["street"].tolist()
        self._num_buckets = num_buckets
        self.values = values
        """By street, [2, width, buckets]: chips won in the hand; nan if never reached."""

    def at(self, node: int, bucket: int) -> Floats32:
        """Return [2, actions] what the actions at a decision are worth, by both tables."""
        row = self._rows[node]
        table = self.values[self._streets[node]]
        found: Floats32 = table[:, row : row + self._counts[node], bucket]
        return found

    def write(self, path: Path, fingerprint: str) -> None:
        """Write the values; `fingerprint` says of what they are."""
        arrays = {f"values_{street}": table for street, table in enumerate(self.values)}
        meta = {"boards": self.boards, "of": fingerprint}
        write_container(path, KIND, meta, arrays, remedy=REPEAT)

    @classmethod
    def read(cls, path: Path, blueprint: Blueprint, fingerprint: str) -> "BucketValues | None":
        """Return the values in a file; None if it is missing, damaged or of something else."""
        if not path.is_file():
            return None
        try:
            found = read_container(path, KIND)
            boards = found.meta.get("boards")
            if found.meta.get("of") != fingerprint or type(boards) is not int or boards < 1:
                return None
            tree, sizes = blueprint.form.tree, blueprint.num_buckets
            tables = tuple(
                found.array(
                    f"values_{street}", np.float32, (_HALVES, int(tree.widths[street]), count)
                )
                for street, count in enumerate(sizes)
            )
        except FormatError:
            return None
        most = max(blueprint.rules.stacks) * _SLACK
        # What is never reached is nan, and nobody wins more than a stack.
        if any((np.abs(table) > most).any() for table in tables):
            return None
        return cls(tree.nodes, sizes, tables, boards)


def tabulated(
    blueprint: Blueprint,
    boards: int = NUM_BOARDS,
    *,
    seed: int = 1,
    watcher: Callable[[int], None] | None = None,
) -> BucketValues:
    """Return the values of all actions of a blueprint, from this many boards.

    The result is a function of the seed and the number of boards. Two threads share the work.
    `watcher` is called with the number of boards that are done, from either thread. Raises
    InvalidOption unless the blueprint plays with the whole deck.
    """
    if set(blueprint.rules.deck) != set(DECK):
        raise InvalidOption("actions are valued with a deck of 52 cards: choose another blueprint")
    strategy = _strategy(blueprint)
    sizes = blueprint.num_buckets
    deck = list(blueprint.rules.deck)
    streets = len(sizes)
    sums = [_new_sums(strategy, sizes) for _ in range(_HALVES)]
    done = [0, 0]
    errors: list[BaseException] = []

    def follow(half: int) -> None:
        work, scratch = _new_work(), new_scratch()
        try:
            for number in range(half, boards, _HALVES):
                board = _board(deck, seed, number)
                hands = _hands(blueprint, board, scratch, streets)
                for seat in range(2):
                    _follow(strategy, hands, seat, sums[half], work)
                done[half] += 1
                if watcher is not None:
                    watcher(sum(done))
                if errors:
                    return
        except BaseException as error:
            errors.append(error)

    other = Thread(target=follow, args=(1,), daemon=True)
    other.start()
    follow(0)
    other.join()
    if errors:
        raise errors[0]
    tables = []
    for street, count in enumerate(sizes):
        width = int(strategy.widths[street])
        table = np.full((_HALVES, width, count), np.nan, np.float32)
        for half in range(_HALVES):
            worth = sums[half].worth[street].reshape(width, count)
            _divide(
                strategy, street, worth, sums[half].weight[street].reshape(-1, count), table[half]
            )
        tables.append(table)
    return BucketValues(strategy.nodes, sizes, tuple(tables), boards)


def _strategy(blueprint: Blueprint) -> _Strategy:
    tree, reader = blueprint.form.tree, blueprint.reader()
    decisions = np.zeros(len(tree.nodes), np.int64)
    for street in range(tree.num_streets):
        is_here = (tree.nodes["kind"] == DECISION) & (tree.nodes["street"] == street)
        decisions[is_here] = np.arange(int(is_here.sum()))
    sizes = np.array(blueprint.num_buckets, np.int64)
    return _Strategy(tree.nodes, tree.widths, reader.tables, sizes, decisions)


def _new_sums(strategy: _Strategy, sizes: tuple[int, ...]) -> _Sums:
    nodes = strategy.nodes
    is_decision = nodes["kind"] == DECISION
    counts = [
        int((is_decision & (nodes["street"] == street)).sum()) for street in range(len(sizes))
    ]
    return _Sums(
        tuple(
            np.zeros(int(strategy.widths[street]) * size, np.float32)
            for street, size in enumerate(sizes)
        ),
        tuple(np.zeros(counts[street] * size, np.float32) for street, size in enumerate(sizes)),
    )


def _new_work() -> _Work:
    hands = _NUM_LIVE * (_NUM_LIVE - 1) // 2
    return _Work(
        np.zeros((_MOST_DEPTH, hands), np.float32),
        np.zeros((_MOST_DEPTH, hands), np.float32),
        np.zeros(_MOST_DEPTH, np.uint32),
        np.zeros(_MOST_DEPTH, np.int64),
        np.zeros(hands, np.float32),
        np.zeros(_NUM_LIVE),
    )


def _board(deck: list[int], seed: int, number: int) -> tuple[int, ...]:
    """Return the cards of a board, drawn from its own random stream."""
    left = list(deck)
    cards = []
    for counter in range(_BOARD):
        word, _ = philox(np.uint64(seed), np.uint64(number), np.uint64(counter))
        cards.append(left.pop(int(word) % len(left)))
    return tuple(cards)


def _combo_table() -> npt.NDArray[np.int64]:
    """Return [64, 64] the number of the combo of two cards."""
    table = np.zeros((64, 64), np.int64)
    first, second = COMBO_CARDS.T
    table[first, second] = table[second, first] = np.arange(NUM_COMBOS)
    return table


_COMBO_OF = _combo_table()


def _hands(blueprint: Blueprint, board: tuple[int, ...], scratch: Any, streets: int) -> _Hands:
    rank_board(load_tables(), np.uint64(mask_of(board)), scratch)
    order = scratch.order.astype(np.int64)
    first, second = scratch.first[order], scratch.second[order]
    ranks = scratch.ranks[order].astype(np.int64)
    begins = np.flatnonzero(np.append(True, np.diff(ranks) != 0))
    ends = np.append(begins[1:], len(ranks))
    combos = _COMBO_OF[scratch.cards[first], scratch.cards[second]]
    buckets = np.empty((streets, len(combos)), np.int64)
    for street in range(streets):
        shown = board[: blueprint.rules.num_shown(street)]
        buckets[street] = blueprint.cards.buckets_on(shown)[combos]
    return _Hands(first, second, np.repeat(ends, ends - begins), buckets)


@kernel
def _follow(strategy: _Strategy, hands: _Hands, seat: int, sums: _Sums, work: _Work) -> None:
    """Follow the whole tree on a board, and add what a player's actions are worth."""
    nodes, count = strategy.nodes, len(hands.first)
    reach, values = work.reach, work.values
    reach[0, :] = np.float32(1.0)
    work.nodes[0] = 0
    work.actions[0] = 0
    depth = 0
    while depth >= 0:
        node = nodes[work.nodes[depth]]
        if node.kind != DECISION:
            if node.kind == SHOWDOWN:
                _compare(hands, reach[depth], node.stake, values[depth], work.on_card)
            else:
                _meet(hands, reach[depth], values[depth], work.on_card)
                gain = node.stake if seat == 0 else -node.stake
                for hand in range(count):
                    values[depth, hand] *= gain
            depth -= 1
            continue
        street: Any = np.int64(node.street)
        width, size = strategy.widths[street], strategy.num_buckets[street]
        table, buckets = strategy.tables[street], hands.buckets[street]
        is_own = node.player == seat
        action = work.actions[depth]
        if action == 0:
            values[depth, :] = np.float32(0.0)
            if is_own:
                _meet(hands, reach[depth], work.mass, work.on_card)
                begin = strategy.decisions[work.nodes[depth]] * size
                weight = sums.weight[street]
                for hand in range(count):
                    weight[begin + buckets[hand]] += work.mass[hand]
        else:  # the child of the last action has its values
            row: Any = np.int64(node.row) + action - 1
            child = values[depth + 1]
            if is_own:
                worth = sums.worth[street]
                for hand in range(count):
                    worth[row * size + buckets[hand]] += child[hand]
                    share = np.float32(table[buckets[hand] * width + row]) * _WHOLE
                    values[depth, hand] += share * child[hand]
            else:
                for hand in range(count):
                    values[depth, hand] += child[hand]
        is_going_on = False
        while action < node.num_actions and not is_going_on:
            row = np.int64(node.row) + action
            total = 0.0
            if is_own:
                for hand in range(count):
                    reach[depth + 1, hand] = reach[depth, hand]
                total = 1.0
            else:
                for hand in range(count):
                    share = np.float32(table[buckets[hand] * width + row]) * _WHOLE
                    reach[depth + 1, hand] = reach[depth, hand] * share
                    total += reach[depth + 1, hand]
            work.nodes[depth + 1] = node.first_child + np.uint32(action)
            action += 1
            is_going_on = total > _LEAST
        work.actions[depth] = action
        if is_going_on:
            depth += 1
            work.actions[depth] = 0
        else:
            depth -= 1


@inlined
def _meet(hands: _Hands, reach: Floats32, met: Floats32, on_card: Floats) -> None:
    """Write how likely the opponent is here with a hand that can be dealt beside each."""
    on_card[:] = 0.0
    total = 0.0
    for hand in range(len(reach)):
        total += reach[hand]
        on_card[hands.first[hand]] += reach[hand]
        on_card[hands.second[hand]] += reach[hand]
    for hand in range(len(reach)):
        blocked = on_card[hands.first[hand]] + on_card[hands.second[hand]]
        met[hand] = np.float32(total - blocked + reach[hand])


@inlined
def _compare(
    hands: _Hands, reach: Floats32, stake: np.float32, values: Floats32, on_card: Floats
) -> None:
    """Write what hands win at a showdown: against the weaker ones, less against the stronger."""
    _meet(hands, reach, values, on_card)
    on_card[:] = 0.0
    below = 0.0
    begin, count = 0, len(reach)
    while begin < count:
        end = hands.ends[begin]
        for hand in range(begin, end):
            blocked = on_card[hands.first[hand]] + on_card[hands.second[hand]]
            values[hand] = np.float32(below - blocked) - values[hand]
        for hand in range(begin, end):
            below += reach[hand]
            on_card[hands.first[hand]] += reach[hand]
            on_card[hands.second[hand]] += reach[hand]
        for hand in range(begin, end):
            blocked = on_card[hands.first[hand]] + on_card[hands.second[hand]]
            even = np.float32(below - blocked + reach[hand])
            values[hand] = (values[hand] + even) * stake
        begin = end


@kernel
def _divide(
    strategy: _Strategy, street: int, worth: Floats32, weight: Floats32, values: Floats32
) -> None:
    """Write means: sums divided by the weight of their decision."""
    for number in range(len(strategy.nodes)):
        node = strategy.nodes[number]
        if node.kind != DECISION or node.street != street:
            continue
        decision = strategy.decisions[number]
        for action in range(node.num_actions):
            row: Any = np.int64(node.row) + action
            for bucket in range(worth.shape[1]):
                if weight[decision, bucket] > 0.0:
                    values[row, bucket] = worth[row, bucket] / weight[decision, bucket]
