"""Random hands of push/fold, played against fixed choices: the inner loop of the regret learner.

Hand number n draws from stream n of a seed, so it is dealt the same cards on any thread. Both
players' combos come from 32-bit numbers. A combo or card that is already taken is drawn again; no
deck is shuffled. Combos and cards are equally likely up to 1 part in three million.

Units are small blinds, gains are relative to folding, and nodes are numbered as in `learner`.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import DECK, NUM_CARDS
from untilt.cards.combos import (
    CLASS_OF_COMBO,
    COMBO_CARDS,
    COMBO_MASKS,
    GRID_OF_PAIRS_FIRST,
    NUM_CLASSES,
    NUM_COMBOS,
    PAIRS_FIRST_OF_GRID,
)
from untilt.cards.evaluator.evaluator import rank_of_key
from untilt.cards.evaluator.evaluator_tables import START_KEY, EvaluatorTables, load_tables
from untilt.games.pushfold.game import deals
from untilt.numeric.arrays import Floats, Indices, Offsets
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.streams import split

NUM_NODES = 2 * NUM_CLASSES
"""One regret, of acting, for each class of each player: 338."""

BLINDS = 3
"""The gain of an uncalled push, and the sum of the gains of push and call, in small blinds."""

Masks = npt.NDArray[np.uint64]

Thresholds = npt.NDArray[np.uint64]
"""[338] a node acts if a random 32-bit number is below its threshold."""

_LOW_HALF = np.uint64(0xFFFF_FFFF)
_HALF = np.uint64(32)
_NUM_COMBOS = np.uint64(NUM_COMBOS)
_NUM_CARDS = np.uint64(NUM_CARDS)
_HOLE_CARDS, _CHOICES, _BOARD = np.uint64(0), np.uint64(1), np.uint64(2)
"""Counters in a hand's stream; those from `_BOARD` on are for the board and repeated draws."""
_ONE = np.uint64(1)


class Deck(NamedTuple):
    """Tables of combos and cards, by their numbers 0–1325 and 0–51."""

    tables: EvaluatorTables
    """For seven cards."""
    class_of_combo: Indices
    """[1326] in the order "pairs first"."""
    combo_keys: Masks
    """[1326] what both cards add to the evaluator's key."""
    combo_masks: Masks
    """[1326]"""
    card_keys: Masks
    """[52]"""
    card_masks: Masks
    """[52]"""


class HandRules(NamedTuple):
    """The stakes of dealt hands, and the rules by which a hand becomes regrets."""

    stack: int
    """In small blinds."""
    is_exact: bool
    """Whether a called push is worth its exact equity, rather than the result on a random board."""
    is_matching: bool
    """Whether folding has its own regret, at node + 338."""
    called: Floats
    """[169, 169] the mean gain of a called push, row against column, in the order "pairs first"."""


@lru_cache(maxsize=1)
def make_deck() -> Deck:
    """Return the tables of all combos and cards."""
    tables = load_tables(7)
    cards = np.array(DECK, dtype=np.uint64)
    return Deck(
        tables=tables,
        class_of_combo=PAIRS_FIRST_OF_GRID[CLASS_OF_COMBO].astype(np.uint32),
        combo_keys=tables.card_keys[COMBO_CARDS].sum(axis=1, dtype=np.uint64),
        combo_masks=COMBO_MASKS.copy(),
        card_keys=tables.card_keys[cards],
        card_masks=_ONE << cards,
    )


def make_rules(stack: int, *, is_exact: bool, is_matching: bool) -> HandRules:
    """Return the rules for a `stack` in small blinds."""
    table = deals()
    order = np.ix_(GRID_OF_PAIRS_FIRST, GRID_OF_PAIRS_FIRST)
    # win · (S + 1) + tie · 1 + lose · (1 − S)
    called = 1.0 + stack * (2.0 * table.win + table.tie - 1.0)
    return HandRules(stack, is_exact, is_matching, np.ascontiguousarray(called[order]))


@inlined
def _below(number: np.uint64, bound: np.uint64) -> np.uint64:
    """Return a 32-bit number scaled to 0 … bound − 1."""
    return (number * bound) >> _HALF


@inlined
def _called_by_board(
    deck: Deck, stack: int, own: np.uint64, other: np.uint64, origin: np.uint64, counter: np.uint64
) -> int:
    """Return the gain of a called push on a random board."""
    own_mask, other_mask = deck.combo_masks[own], deck.combo_masks[other]
    used = own_mask | other_mask
    key = START_KEY
    missing = 5
    while missing > 0:
        bits = split(origin, counter)
        counter += _ONE
        for _ in range(2):
            card = _below(bits & _LOW_HALF, _NUM_CARDS)
            bits >>= _HALF
            mask = deck.card_masks[card]
            if missing > 0 and not used & mask:
                used |= mask
                key += deck.card_keys[card]
                missing -= 1
    own_rank = rank_of_key(deck.tables, key + deck.combo_keys[own], used ^ other_mask)
    other_rank = rank_of_key(deck.tables, key + deck.combo_keys[other], used ^ own_mask)
    if own_rank < other_rank:
        return 1 + stack
    return 1 if own_rank == other_rank else 1 - stack


@kernel
def play(
    deck: Deck,
    rules: HandRules,
    thresholds: Thresholds,
    root: np.uint64,
    begin: int,
    end: int,
    sums: Offsets,
) -> None:
    """Play the hands `begin` … `end` − 1 and add their regrets to `sums`, [338] or [676]."""
    for hand in range(begin, end):
        origin = split(root, np.uint64(hand))
        bits = split(origin, _HOLE_CARDS)
        own = _below(bits & _LOW_HALF, _NUM_COMBOS)
        other = _below(bits >> _HALF, _NUM_COMBOS)
        counter = _BOARD
        while deck.combo_masks[own] & deck.combo_masks[other]:
            other = _below(split(origin, counter) >> _HALF, _NUM_COMBOS)
            counter += _ONE
        pusher = deck.class_of_combo[own]
        caller = deck.class_of_combo[other] + np.uint32(NUM_CLASSES)
        bits = split(origin, _CHOICES)
        pushes = (bits & _LOW_HALF) < thresholds[pusher]
        calls = (bits >> _HALF) < thresholds[caller]
        called = 0
        if not (pushes or calls):
            pass  # a board would change no regret
        elif rules.is_exact:
            mean = rules.called[pusher, caller - np.uint32(NUM_CLASSES)]
            # Regrets are integers: stochastic rounding keeps the mean.
            share = np.float64(split(origin, counter) >> _HALF) / 4294967296.0
            called = int(np.floor(mean + share))
        else:
            called = _called_by_board(deck, rules.stack, own, other, origin, counter)
        gain = called if calls else BLINDS
        if rules.is_matching and pushes:
            sums[pusher + np.uint32(NUM_NODES)] -= gain
        else:
            sums[pusher] += gain
        if pushes:
            gain = BLINDS - called
            if rules.is_matching and calls:
                sums[caller + np.uint32(NUM_NODES)] -= gain
            else:
                sums[caller] += gain
