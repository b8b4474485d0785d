"""Flops up to suit names, their probabilities given two ranges, and small samples of them.

Flops that differ by a renaming of suits are the same spot if the renaming changes neither range:
1,755 of 22,100 are left if the ranges treat all suits alike, and more if they name suits.

The probability of a flop counts everything that can be dealt: the combos of both ranges with their
weights, if they share no card with one another or with the flop. So the probabilities of all flops
sum to 1, and the mean of a result over all flops is what it is worth before the flop.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, groupby, pairwise

import numpy as np
import numpy.typing as npt

from untilt.cards.card import DECK, card_name, cards_of, mask_of, parse_cards, rank_of, suit_of
from untilt.cards.combos import COMBO_MASKS
from untilt.cards.ranges.range import Range
from untilt.cards.suits import RENAMINGS, symmetries
from untilt.errors import Argument, CardError, InvalidOption, shortened
from untilt.numeric.arrays import Floats

ALL = "all"
"""Instead of a list of flops: every one."""

_FLOP_SIZE = 3
_FLOPS_PER_PAIR = 17_296
"""Flops that two hands without a common card leave: 48 choose 3."""
_SUIT_PATTERNS = {1: "monotone", 2: "two-tone", 3: "rainbow"}
_PAIRINGS = {1: "trips", 2: "paired", 3: "unpaired"}
_ACE, _ACE_LOW = 12, -1
_NEAR = 2
"""Ranks of cards at most this far apart make many draws."""
_BOARDS_AT_ONCE = 256
_ROUNDING = 1e-15
"""A probability below this is the rounding error of an impossible flop."""
_LANE_BITS = 16
_LANE = np.uint64((1 << 13) - 1)

Masks = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Flop:
    """A flop that stands for all that differ from it only by the names of suits."""

    cards: tuple[int, ...]
    """Three cards, the highest first."""
    count: int
    """The number of flops that it represents."""
    probability: float
    """The probability that one of these is dealt, given both ranges."""
    weight: float
    """Its weight in a report; the weights of all flops of a report sum to 1."""

    @property
    def name(self) -> str:
        """The cards as text, such as `AsKs2h`."""
        return "".join(map(card_name, self.cards))

    @property
    def suit_pattern(self) -> str:
        """monotone, two-tone or rainbow."""
        return _SUIT_PATTERNS[len({suit_of(card) for card in self.cards})]

    @property
    def pairing(self) -> str:
        """trips, paired or unpaired."""
        return _PAIRINGS[len({rank_of(card) for card in self.cards})]

    @property
    def connectedness(self) -> str:
        """How close the ranks are.

        connected: three ranks within five, so that a straight is possible; one-gap: two ranks that
        are neighbours or have one between them; disconnected: neither. An ace is high and low.
        """
        ranks = {rank_of(card) for card in self.cards}
        ranks |= {_ACE_LOW} if _ACE in ranks else set()
        windows = [len(ranks & set(range(low, low + 5))) for low in range(_ACE_LOW, _ACE)]
        if max(windows) == _FLOP_SIZE:
            return "connected"
        gaps = [high - low for low, high in pairwise(sorted(ranks))]
        return "one-gap" if gaps and min(gaps) <= _NEAR else "disconnected"

    @property
    def height(self) -> tuple[int, ...]:
        """The ranks, the highest first."""
        return tuple(sorted(map(rank_of, self.cards), reverse=True))


@dataclass(frozen=True)
class FlopChoice:
    """The flops of a report, and how they were chosen."""

    flops: tuple[Flop, ...]
    words: str
    """The choice of the flops and the meaning of their weights, in a sentence."""


def all_flops(ranges: tuple[Range, Range]) -> list[Flop]:
    """Return every flop that can be dealt, up to suits, in order of suits, pairing and height."""
    first, second = (each.weights for each in ranges)
    masks = _flop_masks()
    highest = masks
    for number in symmetries([], [first, second]).tolist():
        highest = np.maximum(highest, _renamed(masks, RENAMINGS[number]))
    kept, counts = np.unique(highest, return_counts=True)
    total = _FLOPS_PER_PAIR * float(_met(np.zeros(1, np.uint64), first, second)[0])
    shares = counts * _met(kept, first, second) / total
    flops = []
    for mask, count, probability in zip(
        kept.tolist(), counts.tolist(), shares.tolist(), strict=True
    ):
        if probability > _ROUNDING:
            cards = tuple(sorted(cards_of(mask), key=lambda card: (-rank_of(card), -suit_of(card))))
            flops.append(Flop(cards, count, probability, probability))
    return sorted(flops, key=_place)


def choose_flops(ranges: tuple[Range, Range], wanted: str | int | Sequence[str]) -> FlopChoice:
    """Return the flops that `wanted` means: `all`, a number, or a list such as `AsKs2h, 7c7d2s`.

    A number is a stratified choice among all flops, the same each time. Suit pattern and pairing
    make up to six groups. Each gets its share of the number, and at least one; its deals in order
    of height are cut into as many equal slices, and the flop in the middle stands for its slice. A
    flop weighs as much as its slice, so every group has its exact probability. Fewer flops than
    groups are slices of all deals.
    """
    is_number = isinstance(wanted, int) and not isinstance(wanted, bool)
    is_list = isinstance(wanted, list | tuple) and all(isinstance(name, str) for name in wanted)
    if not (isinstance(wanted, str) or is_number or is_list):
        raise InvalidOption.of("flops", wanted, "give all, a number, or a list such as 'AsKs2h'")
    flops = all_flops(ranges)
    text = wanted.strip() if isinstance(wanted, str) else ""
    if text == ALL:
        return FlopChoice(
            tuple(flops),
            f"all {len(flops):,} flops, weighted by how often they are dealt given both ranges",
        )
    if isinstance(wanted, int):
        return _stratified(flops, wanted)
    if text.replace("_", "").isdecimal():
        return _stratified(flops, int(text))
    names = re.split(r"[\s,;]+", text) if isinstance(wanted, str) else wanted
    return _listed(flops, ranges, [name for name in names if name])


def weighted_choice(
    ranges: tuple[Range, Range], names: Sequence[str], weights: Sequence[float], words: str
) -> FlopChoice:
    """Return flops that were chosen before, with their earlier weights and description.

    Raises ValueError unless there is a possible weight for each.
    """
    if len(names) != len(weights) or not all(0.0 < weight <= 1.001 for weight in weights):
        raise ValueError("its weights are not a number from 0 to 1 for each flop")
    listed = _listed(all_flops(ranges), ranges, list(names))
    flops = zip(listed.flops, weights, strict=True)
    return FlopChoice(tuple(replace(flop, weight=float(weight)) for flop, weight in flops), words)


def _stratified(flops: list[Flop], count: int) -> FlopChoice:
    if not 1 <= count <= len(flops):
        raise InvalidOption(
            Argument("flops"),
            f" is {shortened(count)}; give 1 to {len(flops):,}, all, or a list of flops",
        )
    groups = [list(group) for _, group in groupby(flops, lambda flop: _place(flop)[:2])]
    is_stratified = count >= len(groups)
    if not is_stratified:
        groups = [flops]
    picked: list[Flop] = []
    for group, number in zip(groups, _shares_of(count, groups), strict=True):
        picked += _middles(group, number)
    how = (
        "each suit pattern and pairing has its share, at least one flop, and its exact weight; "
        "its deals in order of height are cut into equal slices"
        if is_stratified
        else "all deals in order of suit pattern, pairing and height are cut into equal slices"
    )
    return FlopChoice(
        tuple(picked),
        f"{count:,} of {len(flops):,} flops ({_tally(picked)}): {how}, and the flop in the "
        "middle of a slice stands for it",
    )


def _shares_of(count: int, groups: Sequence[Sequence[Flop]]) -> list[int]:
    """Return the number of flops of each group: at least 1, at most all, else by probability."""
    weights = [sum(flop.probability for flop in group) for group in groups]
    total = sum(weights)
    shares = [1] * len(groups)
    for _ in range(count - len(groups)):
        # The group that lacks the most; the first of equals.
        lacking = [
            -math.inf if share == len(group) else count * weight / total - share
            for share, weight, group in zip(shares, weights, groups, strict=True)
        ]
        shares[lacking.index(max(lacking))] += 1
    return shares


def _middles(group: Sequence[Flop], count: int) -> list[Flop]:
    """Return the flops in the middle of equal slices of a group, with the weight of a slice."""
    ends = np.cumsum([flop.probability for flop in group])
    middles = (np.arange(count) + 0.5) / count * ends[-1]
    chosen: list[int] = []
    for number, place in enumerate(np.searchsorted(ends, middles).tolist()):
        # Slices may be smaller than a flop: then the next flop is taken, and enough are left.
        least = chosen[-1] + 1 if chosen else 0
        chosen.append(min(max(place, least), len(group) - count + number))
    if count == len(group):  # then nothing has to stand for anything else
        return list(group)
    return [replace(group[place], weight=float(ends[-1]) / count) for place in chosen]


def _listed(flops: list[Flop], ranges: tuple[Range, Range], names: list[str]) -> FlopChoice:
    weights = [each.weights for each in ranges]
    group = [RENAMINGS[number] for number in symmetries([], weights).tolist()]
    known = {mask_of(flop.cards): flop for flop in flops}
    found: dict[int, Flop] = {}
    for name in names:
        cards = tuple(parse_cards(name))
        if len(cards) != _FLOP_SIZE:
            raise CardError(
                Argument("flops"),
                f" has {shortened(name)}, which is {len(cards)} cards: give all, a number, or "
                "flops such as AsKs2h,7c7d2s",
            )
        own = np.array([mask_of(cards)], np.uint64)
        mask = max(int(_renamed(own, renaming)[0]) for renaming in group)
        if mask not in known:
            raise CardError(f"the flop {name} cannot be dealt: it blocks all hands of a range")
        if mask in found:
            raise CardError(
                f"the flops {found[mask].name} and {name} differ only by the names of suits: "
                "give one of them"
            )
        found[mask] = replace(known[mask], cards=cards)
    if not found:
        raise InvalidOption(Argument("flops"), " is empty; give all, a number, or flops")
    total = sum(flop.probability for flop in found.values())
    return FlopChoice(
        tuple(replace(flop, weight=flop.probability / total) for flop in found.values()),
        f"{len(found):,} given flops, {100.0 * total:.3g} % of all deals, weighted by how often "
        "they are dealt given both ranges",
    )


def _tally(flops: Sequence[Flop]) -> str:
    """Return the counts of flops by suit pattern and pairing, as text."""
    words = []
    for names, of in (
        (_SUIT_PATTERNS, [flop.suit_pattern for flop in flops]),
        (_PAIRINGS, [flop.pairing for flop in flops]),
    ):
        words.append(", ".join(f"{of.count(name)} {name}" for name in names.values() if name in of))
    return "; ".join(words)


def _place(flop: Flop) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
    suits = len({suit_of(card) for card in flop.cards})
    ranks = len({rank_of(card) for card in flop.cards})
    height = tuple(-rank for rank in flop.height)
    return suits, -ranks, height, tuple(-card for card in flop.cards)


@cache
def _flop_masks() -> Masks:
    return np.array([mask_of(cards) for cards in combinations(DECK, _FLOP_SIZE)], np.uint64)


def _renamed(masks: Masks, renaming: tuple[int, ...]) -> Masks:
    renamed = np.zeros_like(masks)
    for suit, new_suit in enumerate(renaming):
        lane = masks >> np.uint64(_LANE_BITS * suit) & _LANE
        renamed |= lane << np.uint64(_LANE_BITS * new_suit)
    return renamed


def _met(boards: Masks, first: Floats, second: Floats) -> Floats:
    """Return [boards] the weight of all pairs of hands that can be dealt beside each board."""
    met = np.zeros(len(boards))
    for begin in range(0, len(boards), _BOARDS_AT_ONCE):
        part = slice(begin, begin + _BOARDS_AT_ONCE)
        is_free = COMBO_MASKS & boards[part, None] == 0
        own, other = np.where(is_free, first, 0.0), np.where(is_free, second, 0.0)
        # Pairs with a common card, of which equal combos have two.
        by_card = np.einsum("bc,bc->b", own @ _HOLDS, other @ _HOLDS)
        common = by_card - np.einsum("bh,bh->b", own, other)
        met[part] = own.sum(axis=1) * other.sum(axis=1) - common
    return np.maximum(met, 0.0)


_HOLDS: Floats = np.stack(
    [(COMBO_MASKS >> np.uint64(card) & np.uint64(1)).astype(np.float64) for card in DECK], axis=1
)
"""[1326, 52] whether a combo holds each card."""
