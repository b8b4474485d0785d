"""The push/fold regret learner hand by hand, with dictionaries, card names and Python's integers.

Random numbers are those of the documented streams: hand n has the numbers
split(split(root, n), 0), split(split(root, n), 1) and so on.
"""

from bisect import bisect_right
from collections.abc import Callable
from itertools import combinations
from math import exp, floor, log

from tests.reference.hands import DECK, RANKS, best_value

WORD = 2**64
HALF = 2**32
COMBOS = list(combinations(DECK, 2))

Called = Callable[[int, int], float]
"""The mean gain of a called push by the two classes' numbers."""


def hand_class(hand: tuple[str, str]) -> int:
    """Return the number of a hand's class in the order of `regret.dat`."""
    low, high = sorted(RANKS.index(card[0]) for card in hand)
    if low == high:
        return low
    position = low * (25 - low) // 2 + (high - low - 1)
    is_suited = hand[0][1] == hand[1][1]
    return (91 if is_suited else 13) + position


def split(origin: int, number: int) -> int:
    """Return the 64 bits of SplitMix64 (Steele, Lea & Flood 2014) `number` steps on."""
    bits = (origin + (number + 1) * 0x9E3779B97F4A7C15) % WORD
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 % WORD
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % WORD
    return bits ^ bits >> 31


def root_of(seed: int) -> int:
    """Return the first 64 bits of Philox-4x32-10 (Salmon et al. 2011) for block 0."""
    words = [0, 0, 0, 0]
    keys = [seed % HALF, seed // HALF]
    for _ in range(10):
        first, second = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        words = [
            second // HALF ^ words[1] ^ keys[0],
            second % HALF,
            first // HALF ^ words[3] ^ keys[1],
            first % HALF,
        ]
        keys = [(keys[0] + 0x9E3779B9) % HALF, (keys[1] + 0xBB67AE85) % HALF]
    return words[0] + words[1] * HALF


class Linear:
    """Integers of so many bytes that are regrets."""

    def __init__(self, num_bytes: int) -> None:
        half = 1 << 8 * num_bytes - 1
        self.low, self.high = -half, half - 1

    def value(self, code: int) -> float:
        return code

    def added(self, code: int, gain: int, chance: float) -> int:
        return min(max(code + gain, self.low), self.high)


class OneByteLog:
    """Integers −127 … 127 that stand for levels from 0 to 2³¹, each (1 + a) times the last + 1."""

    def __init__(self) -> None:
        small, large = 1e-6, 1.0
        for _ in range(200):
            step = (small + large) / 2
            # (e^{127 k} − 1) / (e^k − 1) against 2³¹; the 1 is nothing beside e^{127 k}.
            if 127 * step - log(exp(step) - 1) < 31 * log(2):
                small = step
            else:
                large = step
        self.levels = [0.0]
        for _ in range(127):
            self.levels.append(self.levels[-1] * exp(small) + 1.0)

    def value(self, code: int) -> float:
        return self.levels[code] if code >= 0 else -self.levels[-code]

    def added(self, code: int, gain: int, chance: float) -> int:
        value = self.value(code) + gain
        below = bisect_right(self.levels, abs(value)) - 1
        if below < 127:
            lower, upper = self.levels[below : below + 2]
            if chance < (abs(value) - lower) / (upper - lower):
                below += 1
        return below if value > 0 else -below


def train(
    hands: int,
    *,
    stack: int = 20,
    seed: int = 0,
    batch: int = 1,
    is_matching: bool = False,
    called: Called | None = None,
    code: Linear | OneByteLog | None = None,
) -> list[int]:
    """Return the encoded regrets after so many hands; `stack` is in small blinds."""
    code = code or Linear(4)
    root = root_of(seed)
    regrets = [0] * (676 if is_matching else 338)
    begin = 0
    while begin < hands:
        size = min(batch, int("1" + "0" * (len(str(begin)) - 2)))
        stop = min((begin // size + 1) * size, hands)
        chances = [_chance(regrets, node, code) for node in range(338)]
        gains: dict[int, int] = {}
        for number in range(begin, stop):
            for node, gain in _learned(split(root, number), chances, stack, is_matching, called):
                gains[node] = gains.get(node, 0) + gain
        origin = split(root, 2**63 + begin)
        for node, gain in gains.items():
            if gain:
                chance = (split(origin, node) >> 11) / 2**53
                regrets[node] = code.added(regrets[node], gain, chance)
        begin = stop
    return regrets


def _chance(regrets: list[int], node: int, code: Linear | OneByteLog) -> float:
    """Return the probability with which a node acts."""
    if len(regrets) == 338:
        return 0.5 if regrets[node] == 0 else float(regrets[node] > 0)
    acting = max(code.value(regrets[node]), 0)
    folding = max(code.value(regrets[node + 338]), 0)
    return acting / (acting + folding) if acting + folding else 0.5


def _learned(
    origin: int, chances: list[float], stack: int, is_matching: bool, called: Called | None
) -> list[tuple[int, int]]:
    """Play one hand; return (node, gain) of everything that is regretted."""
    bits = split(origin, 0)
    own = COMBOS[bits % HALF * 1326 // HALF]
    other = COMBOS[bits // HALF * 1326 // HALF]
    used_numbers = 2
    while set(own) & set(other):
        other = COMBOS[split(origin, used_numbers) // HALF * 1326 // HALF]
        used_numbers += 1
    pusher, caller = hand_class(own), 169 + hand_class(other)
    bits = split(origin, 1)
    pushes = bits % HALF < floor(chances[pusher] * HALF)
    calls = bits // HALF < floor(chances[caller] * HALF)
    if called is not None:
        mean = called(pusher, caller - 169)
        showdown = floor(mean + (split(origin, used_numbers) // HALF) / HALF)
    else:
        showdown = _showdown(own, other, origin, used_numbers, stack)
    gain = showdown if calls else 3
    learned = [(pusher + 338, -gain) if is_matching and pushes else (pusher, gain)]
    if pushes:
        gain = 3 - showdown
        learned.append((caller + 338, -gain) if is_matching and calls else (caller, gain))
    return learned


def _showdown(
    own: tuple[str, str], other: tuple[str, str], origin: int, number: int, stack: int
) -> int:
    board: list[str] = []
    while len(board) < 5:
        bits = split(origin, number)
        number += 1
        for half in (bits % HALF, bits // HALF):
            card = DECK[half * 52 // HALF]
            if len(board) < 5 and card not in (*own, *other, *board):
                board.append(card)
    mine, theirs = best_value([*own, *board]), best_value([*other, *board])
    return 1 + stack * ((mine > theirs) - (mine < theirs))
