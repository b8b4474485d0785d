"""Cards to draw, from the texts of an infoset.

    K → K      Js → Js      AsKd → As Kd      13 → 13      AKs, a hand class → Ah Kh, for example

A random stream of the hand turns a hand class into two cards, the viewer's first: what the viewer
sees must not depend on what the opponent holds.
"""

from collections.abc import Sequence

from untilt.cards.card import BOARD_SIZE, DECK, card_name, parse_cards
from untilt.cards.combos import CLASS_NAMES, COMBO_CARDS, COMBOS_OF_CLASS, class_index
from untilt.errors import CardError
from untilt.game.protocol import Uniforms


def faces_of(text: str) -> list[str]:
    """Return the cards in a text: none if it is empty, the text itself if it names no cards."""
    try:
        faces = [card_name(card) for card in parse_cards(text)]
    except CardError:
        return [text]
    # Parsing is lenient: "ad" in a user's game is a word, not the ace of diamonds.
    return faces if "".join(faces) == text else [text]


def faces_of_class(name: str, rng: Uniforms, taken: list[str]) -> list[str]:
    """Return two cards of the hand class `name`, the higher first, neither of them `taken`."""
    combos = [
        [card_name(int(card)) for card in reversed(COMBO_CARDS[combo])]
        for combo in COMBOS_OF_CLASS[class_index(name)]
    ]
    free = [cards for cards in combos if not set(cards) & set(taken)]
    return free[int(rng.random() * len(free))]


def faces_of_hands(
    texts: Sequence[str | None], rng: Uniforms, *, are_classes: bool
) -> list[list[str]]:
    """Return the cards of each hand, the viewer's first; None means unknown, and gives no cards."""
    if not are_classes:
        return [faces_of(text or "") for text in texts]
    hands: list[list[str]] = []
    for text in texts:
        taken = [card for hand in hands for card in hand]
        hands.append(faces_of_class(text, rng, taken) if text in CLASS_NAMES else [])
    return hands


def deal_board(rng: Uniforms, taken: list[str]) -> list[str]:
    """Return five cards of a shuffled deck, none of them `taken`."""
    free = [name for card in DECK if (name := card_name(card)) not in taken]
    return [free.pop(int(rng.random() * len(free))) for _ in range(BOARD_SIZE)]
