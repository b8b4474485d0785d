"""Local best response on the tree of a blueprint, with real cards, many deals at a time.

`untilt.play.local_best_response` says what the exploiter does. Here its bets are those of the
blueprint's tree, so that betting needs no rules, and a deal is one call of a kernel. The exploiter
compares actions by its share of the pot against the agent's range over all 1,326 combos. Shares
are exact before the flop, on the turn and on the river. On the flop they are means over 48 run-outs
in which every card comes equally often; decisions use other run-outs than results, so that luck in
the first cannot flatter the second.

A showdown is scored by the mean over the agent's range, not by the hand that the agent happens to
hold: the range is the exact probability of each hand, given all that has happened. The expected
result is the same, and fewer deals are needed to estimate it.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.buckets.lookup import (
    LookUpTables,
    board_buckets,
    river_buckets,
    row_of_board,
)
from untilt.abstraction.buckets.rivers import Scratch, new_scratch
from untilt.cards.card import DECK, NUM_CARDS
from untilt.cards.combos import (
    CLASS_OF_COMBO,
    COMBO_CARDS,
    COMBO_MASKS,
    COMBO_OF_CARDS,
    NUM_COMBOS,
)
from untilt.cards.evaluator import rank_of_key
from untilt.cards.evaluator_tables import START_KEY
from untilt.cards.preflop_table import preflop_table, renaming_to_representative
from untilt.cards.suits import renamed_combos
from untilt.game.deal_tree import DECISION, FOLD, SHOWDOWN, DealTree
from untilt.numeric.arrays import Bools, Floats, Offsets, Records
from untilt.numeric.kernel import allocates, inlined, kernel
from untilt.numeric.streams import draw, root_of, split

Bytes = npt.NDArray[np.uint8]
Singles = npt.NDArray[np.float32]
Combos = npt.NDArray[np.int32]

_ONE = np.uint64(1)
_BOARD = 5
_NUM_DEALT = _BOARD + 4
_RUN_OUTS = 2
"""Shuffles of the deck for a flop; each gives 24 run-outs without a common card."""
_NUM_PAIRS = 24
"""Run-outs in which each of the 49 cards that a flop leaves comes once, except one of them."""


class Stakes(NamedTuple):
    """Chips at every node, which follow from the stakes of the tree's ends."""

    level: Singles
    """[nodes] what the player who has put in more has put in"""
    paid: Singles
    """[nodes] what the player to act has put in"""


class Strategy(NamedTuple):
    """The blueprint in one piece."""

    nodes: Records
    bytes: Bytes
    origins: Offsets
    """[streets] where a street's bytes begin"""
    widths: Offsets
    stakes: Stakes


class Cards(NamedTuple):
    """What the kernel needs to know about cards."""

    tables: LookUpTables
    combos: Bytes
    """[1326, 2]"""
    masks: npt.NDArray[np.uint64]
    """[1326]"""
    combo_of: Combos
    """[64 · 64]"""
    deck: Bytes
    class_of: Combos
    renaming: Combos
    """[1326] which of the renamings makes a combo the representative of its class"""
    renamed: Combos
    """[24, 1326]"""
    preflop: Singles
    """[169, 1326] shares of representatives"""


class Work(NamedTuple):
    """Memory of one thread."""

    scratch: Scratch
    buckets: Combos
    """[4, 1326]"""
    shares: Singles
    """[2, 4, 1326] of both hands"""
    counts: Singles
    """[2, 1326]"""
    result: Singles
    """[1326] shares by which an all-in on the flop is counted"""
    known: Bytes
    """[4]: which streets have been looked up"""
    ranks: npt.NDArray[np.int32]
    """[1326], 0 for blocked combos"""
    weights: Singles
    """[1326] the agent's range"""
    cards: Bytes
    """[52] the deck being shuffled"""


class TreeResponse:
    """Plays local best response against a blueprint, or against one that is being learnt.

    `probabilities` are the bytes of all streets and where each begins, as `Blueprint.all_bytes`
    returns them.
    """

    def __init__(
        self,
        tree: DealTree,
        cards: CardAbstraction,
        probabilities: tuple[Bytes, Offsets],
        seed: int = 0,
    ) -> None:
        self._tree = tree
        self._strategy = Strategy(tree.nodes, *probabilities, tree.widths, _stakes_of(tree))
        self._cards = _cards_of(cards)
        self._num_streets = tree.num_streets
        # A kernel returns a plain integer, whose type in the next kernel would depend on its size.
        self._root = np.uint64(root_of(np.uint64(seed)))

    @classmethod
    def of(cls, blueprint: Blueprint, seed: int = 0) -> Self:
        """Return the response to a blueprint."""
        return cls(blueprint.form.tree, blueprint.cards, blueprint.all_bytes(), seed)

    def usual(self) -> Bools:
        """Return [variants, nodes] the bets of the variants by which blueprints are measured.

        They are: none; all-in; all sizes; all sizes from the turn on; all sizes on the river.
        """
        later = [self.allowed(street) for street in range(2, self._num_streets)]
        return np.stack(
            [self.allowed(None), self.allowed(0, all_in_only=True), self.allowed(0), *later]
        )

    def allowed(self, first_street: int | None, *, all_in_only: bool = False) -> Bools:
        """Return [nodes] which bets the exploiter may make, by the node after them.

        It bets on `first_street` and later streets; None if it never bets.
        """
        nodes, stakes = self._tree.nodes, self._strategy.stakes
        found = np.zeros(len(nodes), dtype=np.bool_)
        if first_street is None:
            return found
        decisions = np.flatnonzero((nodes["kind"] == DECISION) & (nodes["street"] >= first_street))
        first = nodes["first_child"][decisions].astype(np.int64)
        counts = nodes["num_actions"][decisions]
        passive = 1 + (nodes["kind"][first] == FOLD)  # fold and call, or check
        for number in range(1, self._tree.most_actions):
            is_bet = (number >= passive) & (number < counts)
            found[first[is_bet] + number] = True
        if all_in_only:
            found &= stakes.level >= stakes.level.max()
        return found

    def gains(self, first: int, count: int, allowed: npt.NDArray[np.bool_]) -> Floats:
        """Return [count, variants, 2] what the exploiter wins as player 0 and 1, in chips.

        `first` is the number of the first deal; `allowed` is [variants, nodes].
        """
        found = np.zeros((count, len(allowed), 2))
        _play(self._strategy, self._cards, self._root, first, allowed, _new_work(), found)
        return found


def _cards_of(cards: CardAbstraction) -> Cards:
    table = preflop_table()
    boards = table.boards.astype(np.float64)
    won = table.wins + table.ties / 2.0
    shares = np.divide(won, boards, out=np.zeros_like(boards), where=boards > 0)
    return Cards(
        tables=cards.lookup_tables,
        combos=COMBO_CARDS.copy(),
        masks=COMBO_MASKS.copy(),
        combo_of=COMBO_OF_CARDS.astype(np.int32).reshape(-1),
        deck=np.array(DECK, dtype=np.uint8),
        class_of=CLASS_OF_COMBO.astype(np.int32),
        renaming=renaming_to_representative().astype(np.int32),
        renamed=renamed_combos().astype(np.int32),
        preflop=shares.astype(np.float32),
    )


def _new_work() -> Work:
    return Work(
        scratch=new_scratch(),
        buckets=np.zeros((4, NUM_COMBOS), dtype=np.int32),
        shares=np.zeros((2, 4, NUM_COMBOS), dtype=np.float32),
        counts=np.zeros((2, NUM_COMBOS), dtype=np.float32),
        result=np.zeros(NUM_COMBOS, dtype=np.float32),
        known=np.zeros(4, dtype=np.uint8),
        ranks=np.zeros(NUM_COMBOS, dtype=np.int32),
        weights=np.zeros(NUM_COMBOS, dtype=np.float32),
        cards=np.zeros(NUM_CARDS, dtype=np.uint8),
    )


def _stakes_of(tree: DealTree) -> Stakes:
    """Return the chips at all decisions: a call or check keeps the level, a fold loses `paid`."""
    level = np.zeros(len(tree.nodes), dtype=np.float32)
    paid = np.zeros(len(tree.nodes), dtype=np.float32)
    _fill_stakes(tree.nodes, level, paid)
    return Stakes(level, paid)


@kernel
def _fill_stakes(nodes: Records, level: Singles, paid: Singles) -> None:
    for node in range(len(nodes) - 1, -1, -1):
        here = nodes[node]
        if here.kind == SHOWDOWN:
            level[node] = here.stake
        elif here.kind == DECISION:
            first = np.int64(here.first_child)
            faces_bet = nodes[first].kind == FOLD
            level[node] = level[first + np.int64(faces_bet)]
            paid[node] = abs(nodes[first].stake) if faces_bet else level[node]


@kernel
@allocates
def _play(
    strategy: Strategy,
    cards: Cards,
    root: np.uint64,
    first: int,
    allowed: npt.NDArray[np.bool_],
    work: Work,
    gains: Floats,
) -> None:
    dealt = np.empty(_NUM_DEALT, dtype=np.uint8)
    hands = np.empty(2, dtype=np.int64)
    for deal in range(len(gains)):
        stream = split(root, np.uint64(first + deal))
        work.cards[:] = cards.deck
        for place in range(_NUM_DEALT):
            other = place + int(draw(stream, np.uint64(place)) * (NUM_CARDS - place))
            work.cards[place], work.cards[other] = work.cards[other], work.cards[place]
        dealt[:] = work.cards[:_NUM_DEALT]
        for seat in range(2):
            low, high = dealt[_BOARD + 2 * seat], dealt[_BOARD + 2 * seat + 1]
            hands[seat] = cards.combo_of[np.int64(low) * 64 + np.int64(high)]
        work.known[:] = 0
        for seat in range(2):
            for variant in range(len(allowed)):
                gains[deal, variant, seat] = _hand(
                    strategy, cards, dealt, hands, seat, allowed[variant], stream, work
                )


@kernel
def _hand(
    strategy: Strategy,
    cards: Cards,
    dealt: Bytes,
    hands: Offsets,
    seat: int,
    allowed: Bools,
    stream: np.uint64,
    work: Work,
) -> float:
    """Return what the exploiter in `seat` wins in one hand."""
    nodes, weights = strategy.nodes, work.weights
    own, other = hands[seat], hands[1 - seat]
    held = _mask(cards, own)
    for combo in range(NUM_COMBOS):
        weights[combo] = np.float32(_mask(cards, combo) & held == np.uint64(0))
    node: Any = np.int64(0)
    street: Any = np.int64(-1)
    depth = np.uint64(1) << np.uint64(20) | np.uint64(seat) << np.uint64(16)
    while nodes[node].kind == DECISION:
        here = nodes[node]
        if np.int64(here.street) != street:
            street = np.int64(here.street)
            _look_up(cards, dealt, hands, street, stream, work)
            for combo in range(NUM_COMBOS):
                if work.buckets[street, combo] < 0:
                    weights[combo] = np.float32(0.0)
        if here.player == seat:
            node = _best(strategy, node, work.shares[seat, street], allowed, work)
        else:
            depth += np.uint64(1)
            count = np.int64(here.num_actions)
            origin, width = strategy.origins[street], strategy.widths[street]
            row = origin + np.int64(work.buckets[street, other]) * width + np.int64(here.row)
            number = np.int64(draw(stream, depth) * 255.0)
            action = np.int64(0)
            left = number - np.int64(strategy.bytes[row])
            while left >= 0 and action < count - 1:
                action += 1
                left -= np.int64(strategy.bytes[row + action])
            base = origin + np.int64(here.row) + action
            for combo in range(NUM_COMBOS):
                bucket = max(np.int64(work.buckets[street, combo]), 0)
                weights[combo] *= np.float32(strategy.bytes[base + bucket * width])
            _rescale(weights)
            node = np.int64(here.first_child) + action
    end = nodes[node]
    if end.kind == FOLD:
        return np.float64(end.stake) if seat == 0 else -np.float64(end.stake)
    if street == 1:
        _look_ahead(cards, dealt, hands, seat, stream, work)
        share = _share(weights, work.result)
    else:
        share = _share(weights, work.shares[seat, street])
    return np.float64(end.stake) * (2.0 * share - 1.0)


@inlined
def _rescale(weights: Singles) -> None:
    """Keep the largest weight at 1: bytes are multiplied again and again."""
    most = np.float32(0.0)
    for combo in range(NUM_COMBOS):
        most = max(most, weights[combo])
    if most > 0.0:
        scale = np.float32(1.0) / most
        for combo in range(NUM_COMBOS):
            weights[combo] *= scale


@kernel
def _best(strategy: Strategy, node: int, shares: Singles, allowed: Bools, work: Work) -> int:
    """Return the node after the action that wins most if nobody bets afterwards."""
    nodes, stakes, weights = strategy.nodes, strategy.stakes, work.weights
    here = nodes[node]
    first = np.int64(here.first_child)
    faces_bet = nodes[first].kind == FOLD
    level, paid = np.float64(stakes.level[node]), np.float64(stakes.paid[node])
    pot, price = level + paid, level - paid
    share = _share(weights, shares)
    best: Any = first + np.int64(faces_bet)
    value = share * pot - (1.0 - share) * price
    for child in range(best + 1, first + np.int64(here.num_actions)):
        if not allowed[child]:
            continue
        folds, stays, won = _answers(strategy, child, shares, work)
        total = folds + stays
        chance = folds / total if total > 0.0 else 0.0
        called = won / stays if stays > 0.0 else share
        to = np.float64(stakes.level[child])
        found = chance * pot + (1.0 - chance) * (
            called * (pot + to - level) - (1.0 - called) * (to - paid)
        )
        if found > value:
            value, best = found, child
    if value < 0.0 and faces_bet:
        best = first
    return int(best)


@inlined
def _share(weights: Singles, shares: Singles) -> float:
    total, won, plain, count = 0.0, 0.0, 0.0, 0.0
    for combo in range(NUM_COMBOS):
        total += weights[combo]
        won += weights[combo] * shares[combo]
        plain += shares[combo]
        count += np.float64(shares[combo] > 0.0)
    if total > 0.0:
        return won / total
    return plain / max(count, 1.0)


@inlined
def _answers(
    strategy: Strategy, node: int, shares: Singles, work: Work
) -> tuple[float, float, float]:
    """Return how much of the agent's range folds, how much stays, and how much of that is won."""
    here = strategy.nodes[node]
    street = np.int64(here.street)
    width = strategy.widths[street]
    base = strategy.origins[street] + np.int64(here.row)
    folds, stays, won = 0.0, 0.0, 0.0
    for combo in range(NUM_COMBOS):
        bucket = max(np.int64(work.buckets[street, combo]), 0)
        weight = work.weights[combo]
        folding = weight * np.float32(strategy.bytes[base + bucket * width]) / np.float32(255.0)
        folds += folding
        stays += weight - folding
        won += (weight - folding) * shares[combo]
    return folds, stays, won


@inlined
def _mask(cards: Cards, combo: int) -> np.uint64:
    found: np.uint64 = cards.masks[combo]
    return found


@kernel
def _look_up(
    cards: Cards, dealt: Bytes, hands: Offsets, street: int, stream: np.uint64, work: Work
) -> None:
    """Find buckets and shares of a street, once per deal."""
    if work.known[street]:
        return
    work.known[street] = 1
    tables, buckets = cards.tables, work.buckets[street]
    if street == 0:
        for combo in range(NUM_COMBOS):
            pair = np.int64(cards.combos[combo, 0]) << 6 | np.int64(cards.combos[combo, 1])
            buckets[combo] = np.int32(tables.preflop[pair])
        for seat in range(2):
            renaming = cards.renaming[hands[seat]]
            row = np.int64(cards.class_of[hands[seat]])
            for combo in range(NUM_COMBOS):
                work.shares[seat, 0, combo] = cards.preflop[row, cards.renamed[renaming, combo]]
        return
    board = np.uint64(0)
    for place in range(street + 2):
        board |= _ONE << np.uint64(dealt[place])
    if street == 1:
        board_buckets(tables.rows, tables.flop, board, cards.combos, buckets)
    elif street == 2:
        board_buckets(tables.rows, tables.turn, board, cards.combos, buckets)
    else:
        _river(cards, board, work, buckets)
    work.shares[:, street] = np.float32(0.0)
    work.counts[:] = np.float32(0.0)
    if street == 3:
        _rank(cards, board, work)
        _compare_both(cards, hands, street, work)
    elif street == 2:
        for card in cards.deck:
            if board >> np.uint64(card) & _ONE == np.uint64(0):
                _rank(cards, board | _ONE << np.uint64(card), work)
                _compare_both(cards, hands, street, work)
    else:
        for shuffle in range(_RUN_OUTS):
            _shuffle(cards, board, split(stream, np.uint64(shuffle + 1)), work)
            for number in range(_NUM_PAIRS):
                _rank(cards, board | _pair(work, number), work)
                _compare_both(cards, hands, street, work)
    for seat in range(2):
        for combo in range(NUM_COMBOS):
            if work.counts[seat, combo] > 0.0:
                work.shares[seat, street, combo] /= work.counts[seat, combo]


@inlined
def _river(cards: Cards, board: np.uint64, work: Work, buckets: Combos) -> None:
    tables = cards.tables
    river_buckets(tables.evaluator, tables.levels, board, cards.combos, work.scratch, buckets)
    if len(tables.river_offsets):
        offset = np.int32(tables.river_offsets[row_of_board(tables.rows, board)])
        for combo in range(NUM_COMBOS):
            if buckets[combo] >= 0:
                buckets[combo] += offset


@kernel
def _rank(cards: Cards, board: np.uint64, work: Work) -> None:
    """Write the rank of every combo on a complete board, 1 for the best and 0 for blocked ones."""
    evaluator: Any = cards.tables.evaluator
    key = START_KEY
    for card in cards.deck:
        if board >> np.uint64(card) & _ONE:
            key += evaluator.card_keys[card]
    for combo in range(NUM_COMBOS):
        mask = _mask(cards, combo)
        work.ranks[combo] = 0
        if mask & board == np.uint64(0):
            first, second = cards.combos[combo, 0], cards.combos[combo, 1]
            whole = key + evaluator.card_keys[first] + evaluator.card_keys[second]
            work.ranks[combo] = np.int32(rank_of_key(evaluator, whole, board | mask))


@inlined
def _compare_both(cards: Cards, hands: Offsets, street: int, work: Work) -> None:
    for seat in range(2):
        _compare(cards, hands[seat], work.shares[seat, street], work.counts[seat], work)


@kernel
def _compare(cards: Cards, hand: int, shares: Singles, counts: Singles, work: Work) -> None:
    """Add what a hand wins from every combo on the board that was ranked."""
    own = work.ranks[hand]
    if own == 0:  # the hand has one of the cards
        return
    held = _mask(cards, hand)
    for combo in range(NUM_COMBOS):
        rank = work.ranks[combo]
        if rank > 0 and _mask(cards, combo) & held == np.uint64(0):
            won = np.float32(rank > own) + np.float32(0.5) * np.float32(rank == own)
            shares[combo] += won
            counts[combo] += np.float32(1.0)


@kernel
def _shuffle(cards: Cards, dead: np.uint64, stream: np.uint64, work: Work) -> None:
    """Put the cards of the deck that are not dead at the beginning, in random order."""
    count = 0
    for card in cards.deck:
        if dead >> np.uint64(card) & _ONE == np.uint64(0):
            work.cards[count] = card
            count += 1
    for place in range(count - 1):
        other = place + int(draw(stream, np.uint64(place)) * (count - place))
        work.cards[place], work.cards[other] = work.cards[other], work.cards[place]


@inlined
def _pair(work: Work, number: int) -> np.uint64:
    """Return the turn and the river of a run-out, as a mask."""
    low, high = work.cards[2 * number], work.cards[2 * number + 1]
    return _ONE << np.uint64(low) | _ONE << np.uint64(high)


@kernel
def _look_ahead(
    cards: Cards, dealt: Bytes, hands: Offsets, seat: int, stream: np.uint64, work: Work
) -> None:
    """Find the shares by which an all-in on the flop is counted, from run-outs of their own."""
    board = np.uint64(0)
    for place in range(3):
        board |= _ONE << np.uint64(dealt[place])
    work.result[:] = np.float32(0.0)
    work.counts[seat] = np.float32(0.0)
    dead = board | _mask(cards, hands[seat])
    _shuffle(cards, dead, split(stream, np.uint64(_RUN_OUTS + 1)), work)
    for pair in range(_NUM_PAIRS - 1):
        _rank(cards, board | _pair(work, pair), work)
        _compare(cards, hands[seat], work.result, work.counts[seat], work)
    for combo in range(NUM_COMBOS):
        if work.counts[seat, combo] > 0.0:
            work.result[combo] /= work.counts[seat, combo]
