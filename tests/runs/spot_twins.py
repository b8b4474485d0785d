"""Solutions of spots as the slow reference plays them: seat 0 from one, seat 1 from another."""

from functools import cache

from tests.reference.spots import SlowSpot

import untilt
from untilt.cards.card import card_name
from untilt.cards.combos import COMBO_CARDS
from untilt.games.holdem.solutions.solution import Solution

Hand = tuple[str, ...]
Hands = tuple[dict[Hand, float], dict[Hand, float]]


def hands_of(spot: untilt.Spot) -> Hands:
    """Return the weight of every hand of both players."""
    first, second = (
        {
            tuple(card_name(card) for card in COMBO_CARDS[combo].tolist()): float(
                spot.ranges[player].weights[combo]
            )
            for combo in spot.combos(player).tolist()
        }
        for player in (0, 1)
    )
    return first, second


def slow_spot(first: Solution, second: Solution) -> SlowSpot:
    """Return the spot in which player 0 plays as in `first` and player 1 as in `second`."""

    @cache
    def mixes(line: str, board: str, player: int) -> dict[frozenset[str], dict[str, float]]:
        node = (first, second)[player].at(line, board=board)
        return {frozenset((row.hand[:2], row.hand[2:])): row.mix for row in node.table()}

    def mix(line: str, hand: Hand, board: Hand, action: str) -> float:
        moves = line.rsplit("/", maxsplit=1)[-1].strip()
        player = moves.count(",") % 2 ^ bool(moves)
        return mixes(line, "".join(board), player)[frozenset(hand)][action]

    @cache
    def offers(line: str) -> tuple[str, ...]:
        street = len(first.spot.board) + line.count("/")
        left = (card for card in range(52) if card not in first.spot.board)
        more = [card_name(next(left)) for _ in range(street - len(first.spot.board))]
        return first.at(line, board=first.spot.board_text + "".join(more)).actions

    spot = first.spot
    return SlowSpot([card_name(card) for card in spot.board], spot.pot, offers, mix)
