"""Lines of a spot, all pairs of hands enumerated: probabilities, what replies are worth.

A line is a list of actions on the spot's own street, then of the cards and actions that follow, as
in `["check", "check", "7h", "bet 50", "fold"]`. Nothing is shared with the code under test.
"""

from collections.abc import Mapping, Sequence

from tests.reference.hands import DECK
from tests.reference.spots import SlowSpot

Hand = tuple[str, ...]
Hands = Mapping[Hand, float]


def own_chances(spot: SlowSpot, line: Sequence[str], hand: Hand, player: int) -> float:
    """Return the product of a player's own probabilities on a line."""
    found, board = 1.0, spot.board
    streets: list[list[str]] = [[]]
    for move in line:
        if move in DECK:
            if move in hand:
                return 0.0
            board, streets = (*board, move), [*streets, []]
            continue
        if len(streets[-1]) % 2 == player:
            words = " / ".join(", ".join(street) for street in streets)
            found *= spot.mix(words, hand, board, move)
        streets[-1].append(move)
    return found


def pair_weights(
    spot: SlowSpot,
    line: Sequence[str],
    hands: tuple[Hands, Hands],
    shown: tuple[Hand | None, Hand | None] = (None, None),
) -> dict[tuple[Hand, Hand], float]:
    """Return the probability of every pair of hands together with a line, given what was shown."""
    dealt = [move for move in line if move in DECK]
    total, found = 0.0, {}
    for first, one in hands[0].items():
        for second, other in hands[1].items():
            if {*first} & {*second}:
                continue
            total += one * other
            if {*first, *second} & {*dealt}:
                continue
            weight = one * other
            for number in range(len(dealt)):
                weight /= len(DECK) - len(spot.board) - 4 - number
            weight *= own_chances(spot, line, first, 0) * own_chances(spot, line, second, 1)
            if shown[0] in (None, first) and shown[1] in (None, second):
                found[first, second] = weight
    return {pair: weight / total for pair, weight in found.items()}


def line_chance(
    spot: SlowSpot,
    line: Sequence[str],
    hands: tuple[Hands, Hands],
    shown: tuple[Hand | None, Hand | None] = (None, None),
) -> float:
    """Return the probability of a line, cards included, with what was shown of the hands."""
    return sum(pair_weights(spot, line, hands, shown).values())


def mean_value(
    spot: SlowSpot, line: Sequence[str], hands: tuple[Hands, Hands], player: int
) -> float:
    """Return a player's mean value after a line of the river, counted from an even split."""
    weights = pair_weights(spot, line, hands)
    worth = sum(weight * _from(spot, list(line), pair, player) for pair, weight in weights.items())
    return worth / sum(weights.values())


def best_value(
    spot: SlowSpot,
    line: Sequence[str],
    hands: tuple[Hands, Hands],
    player: int,
) -> float:
    """Return the same if the player's hands, each for itself, reply as well as they can."""
    weights = pair_weights(spot, line, hands)
    total = 0.0
    for hand in hands[player]:
        against = {
            pair[1 - player]: weight for pair, weight in weights.items() if pair[player] == hand
        }
        if against:
            total += _best(spot, list(line), hand, against, player)
    return total / sum(weights.values())


def _from(spot: SlowSpot, line: list[str], pair: tuple[Hand, Hand], player: int) -> float:
    paid = _payoff(spot, line, pair, player)
    if paid is not None:
        return paid
    hand = pair[len(line) % 2]
    words = ", ".join(line)
    return sum(
        spot.mix(words, hand, spot.board, action) * _from(spot, [*line, action], pair, player)
        for action in spot.offers(words)
    )


def _best(
    spot: SlowSpot, line: list[str], hand: Hand, against: dict[Hand, float], player: int
) -> float:
    ends = [
        _payoff(spot, line, (hand, other) if player == 0 else (other, hand), player)
        for other in against
    ]
    if ends[0] is not None:
        return sum(w * (end or 0.0) for w, end in zip(against.values(), ends, strict=True))
    words = ", ".join(line)
    if len(line) % 2 == player:
        return max(
            _best(spot, [*line, action], hand, against, player) for action in spot.offers(words)
        )
    return sum(
        _best(
            spot,
            [*line, action],
            hand,
            {other: w * spot.mix(words, other, spot.board, action) for other, w in against.items()},
            player,
        )
        for action in spot.offers(words)
    )


def _payoff(spot: SlowSpot, line: list[str], pair: tuple[Hand, Hand], player: int) -> float | None:
    """Return what a finished line of the river pays, counted from an even split; else None."""
    put_in = [0, 0]
    for number, move in enumerate(line):
        if move == "call":
            put_in[number % 2] = put_in[1 - number % 2]
        elif " " in move:
            put_in[number % 2] = int(move.split()[1])
    if line and line[-1] == "fold":
        half = spot.pot / 2 + min(put_in)
        return half if len(line) % 2 == player else -half
    if line and (line[-1] == "call" or line[-2:] == ["check", "check"]):
        return spot._showdown(pair, spot.board, put_in)[player]
    return None
