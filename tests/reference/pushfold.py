"""Push/fold by counting: chips on the table, pairs of exact hands, one loop per question.

Hands are names such as `AKs`; a strategy maps every hand to how often it is played. What a
called push wins comes from outside, as shares of boards won and tied by the first hand.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

Frequencies = Mapping[str, float]
Equities = Mapping[tuple[str, str], tuple[float, float]]

RANKS = "23456789TJQKA"
DECK = [(rank, suit) for rank in range(13) for suit in range(4)]


class Blinds(NamedTuple):
    stack: float
    small_blind: float = 0.5
    ante: float = 0.0
    bb_ante: float = 0.0


def hand_name(first: tuple[int, int], second: tuple[int, int]) -> str:
    (low, one), (high, other) = sorted((first, second))
    if low == high:
        return RANKS[low] * 2
    return RANKS[high] + RANKS[low] + ("s" if one == other else "o")


@lru_cache(maxsize=1)
def num_deals() -> Counter[tuple[str, str]]:
    """Count the ways to deal each pair of hand names from one deck, first hand first."""
    hands = [(set(cards), hand_name(*cards)) for cards in combinations(DECK, 2)]
    return Counter(
        (name, other_name)
        for cards, name in hands
        for other_cards, other_name in hands
        if not cards & other_cards
    )


def chips(blinds: Blinds, end: str, share: float = 0.0) -> float:
    """Return what the small blind has more than at first, all chips counted one by one.

    `end` is fold, uncalled or called; `share` is the part of the pot that she then gets.
    """
    stack, small_blind, ante, bb_ante = blinds
    behind = [stack - ante, stack - ante - bb_ante]
    pot = 2 * ante + bb_ante
    bets = [small_blind, 1.0]
    for player in (0, 1):
        behind[player] -= bets[player]
    if end == "fold":
        return behind[0] - stack
    for player in (0, 1) if end == "called" else (0,):
        bets[player] += behind[player]
        behind[player] = 0.0
    # What nobody matches goes back to whoever bet it.
    matched = min(bets)
    back = bets[0] - matched
    pot += 2 * matched
    won = pot if end == "uncalled" else share * pot
    return behind[0] + back + won - stack


def called(blinds: Blinds, equity: tuple[float, float]) -> float:
    win, tie = equity
    lose = 1.0 - win - tie
    return (
        win * chips(blinds, "called", 1.0)
        + tie * chips(blinds, "called", 0.5)
        + lose * chips(blinds, "called", 0.0)
    )


def value(blinds: Blinds, equities: Equities, push: Frequencies, call: Frequencies) -> float:
    """Return what the small blind gains per hand."""
    total = sum(num_deals().values())
    gained = 0.0
    for (hand, other), count in num_deals().items():
        after_push = call[other] * called(blinds, equities[hand, other]) + (
            1.0 - call[other]
        ) * chips(blinds, "uncalled")
        mean = push[hand] * after_push + (1.0 - push[hand]) * chips(blinds, "fold")
        gained += count * mean
    return gained / total


def gain_of_pushing(blinds: Blinds, equities: Equities, call: Frequencies) -> dict[str, float]:
    """Return, of each hand, what pushing gains on average against the calling range."""
    gained: defaultdict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    for (hand, other), count in num_deals().items():
        counts[hand] += count
        gained[hand] += count * (
            call[other] * called(blinds, equities[hand, other])
            + (1.0 - call[other]) * chips(blinds, "uncalled")
        )
    return {hand: gained[hand] / counts[hand] for hand in counts}


def gain_of_calling(blinds: Blinds, equities: Equities, push: Frequencies) -> dict[str, float]:
    """Return, of each hand of the big blind, what calling gains, given that there is a push."""
    gained: defaultdict[str, float] = defaultdict(float)
    pushes: defaultdict[str, float] = defaultdict(float)
    for (hand, other), count in num_deals().items():
        pushes[other] += count * push[hand]
        gained[other] -= count * push[hand] * called(blinds, equities[hand, other])
    return {hand: gained[hand] / pushes[hand] for hand in pushes}


def best_push_value(blinds: Blinds, equities: Equities, call: Frequencies) -> float:
    """Return what the small blind gains by the best range against `call`."""
    fold = chips(blinds, "fold")
    best = {
        hand: float(gain > fold) for hand, gain in gain_of_pushing(blinds, equities, call).items()
    }
    return value(blinds, equities, best, call)


def best_call_value(blinds: Blinds, equities: Equities, push: Frequencies) -> float:
    """Return what is left to the small blind when the big blind calls as well as possible."""
    fold = -chips(blinds, "uncalled")
    best = {
        hand: float(gain > fold) for hand, gain in gain_of_calling(blinds, equities, push).items()
    }
    return value(blinds, equities, push, best)
