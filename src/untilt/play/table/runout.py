"""A board for a called all-in that is scored by its equity.

Players of push/fold hold hand classes and are paid the average over all boards. A person still
wants to see cards: one board is dealt from the hand's own stream, and the score ignores it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from untilt.cards.card import parse_cards
from untilt.cards.hand import RankedHand, describe_hand
from untilt.game.protocol import Game, Uniforms
from untilt.play.card_text import deal_board


@dataclass(frozen=True)
class Runout:
    """Five cards dealt for show, and what the score counts instead."""

    faces: list[str]
    words: str
    """Who would win on this board, and with what."""
    equity: float
    """The person's exact share of the pot over all boards, from 0 to 1."""

    def to_json(self) -> dict[str, Any]:
        """Return the runout as plain data for JSON."""
        return {"faces": self.faces, "words": self.words, "equity": self.equity}


def runout_of(
    position: Game, seat: int, hands: Sequence[list[str]], opponent: str, rng: Uniforms
) -> Runout | None:
    """Return a board for a hand that ended with an all-in and a call, else None.

    `hands` are the person's two cards and the opponent's; `opponent` names the opponent's seat.
    """
    equities = getattr(position, "equities", None)
    if equities is None or len(hands) > 2 or not all(hands):
        return None
    faces = deal_board(rng, [*hands[0], *hands[1]])
    own, other = (describe_hand(parse_cards("".join([*hand, *faces]))) for hand in hands)
    return Runout(faces, _words(own, other, opponent), float(equities[seat]))


def _words(own: RankedHand, other: RankedHand, opponent: str) -> str:
    if own.rank == other.rank:
        return f"this board is split: both have {_without_kickers(own)}"
    texts = [_without_kickers(own), _without_kickers(other)]
    if texts[0] == texts[1]:
        texts = [own.text, other.text]
    if own.rank < other.rank:
        return f"you would win this board: {texts[0]} against {texts[1]}"
    return f"{opponent} would win this board: {texts[1]} against {texts[0]}"


def _without_kickers(hand: RankedHand) -> str:
    parts = hand.text.split(", ")
    if hand.category == "pair":
        return parts[0]
    if hand.category == "high card":
        return f"{parts[1].partition('-')[0]} high"
    if hand.category == "flush":
        return f"flush, {parts[1].partition('-')[0]} high"
    return ", ".join(parts[:2])
