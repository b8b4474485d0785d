"""Deals of hold'em for a trainer: buckets on every street and strengths, no cards.

    dealer = CardDealer(CardAbstraction(), seed=1)
    dealer.fill(deals, 0, 256, first=0)

A deal is a shuffle: five cards for the board, two for the opponent, and disjoint pairs of the rest
for the hands of the learning player. Each of these hands by itself is a uniform choice among those
that the board and the opponent leave; since they share no card, they are spread over the deck. The
shuffle is a function of the seed and the number of the deal, so it does not matter who deals, or
when.
"""

import numpy as np
import numpy.typing as npt

from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.buckets.lookup import Buckets, Bytes, LookUpTables, deal_buckets
from untilt.abstraction.buckets.rivers import RiverScratch, new_scratch
from untilt.cards.card import DECK, NUM_CARDS, NUM_HAND_RANKS
from untilt.cards.evaluator.evaluator import rank_of_key
from untilt.cards.evaluator.evaluator_tables import START_KEY
from untilt.errors import InvalidOption
from untilt.game.deals.deal_tree import LANES, TrainerDeals, make_deals
from untilt.numeric.kernel import allocates, kernel
from untilt.numeric.streams import draw, root_of, split

_BOARD = 5
_NUM_HANDS = LANES + 1
_NUM_DEALT = _BOARD + 2 * _NUM_HANDS
_DECK: Bytes = np.array(DECK, dtype=np.uint8)
_ONE = np.uint64(1)


class CardDealer:
    """Deals hands of hold'em as buckets; see the module."""

    def __init__(self, cards: CardAbstraction, seed: int = 0, *, keep_rivers: bool = True) -> None:
        """Without `keep_rivers`, each board's river is computed when it is dealt.

        That saves seconds at the start and 151 MB, and makes a deal ten times as slow.
        """
        if type(seed) is not int or not 0 <= seed < 1 << 64:
            raise InvalidOption.of("seed", seed, "use an integer from 0 to 2⁶⁴ − 1")
        if keep_rivers:
            cards.keep_rivers()
        self.num_buckets: tuple[int, ...] = tuple(cards.sizes.values())
        """Buckets of each street."""
        self._tables = cards.lookup_tables
        # A kernel returns a plain integer, whose type in the next kernel would depend on its size.
        self._root = np.uint64(root_of(np.uint64(seed)))

    def fill(self, deals: TrainerDeals, begin: int, end: int, first: int) -> None:
        """Write deals into the places [begin, end); the one at `begin` is deal number `first`."""
        boards, hands = self.cards_of(first, end - begin)
        _fill(
            self._tables,
            boards,
            hands,
            new_scratch(),
            deals.buckets[begin:end],
            deals.strength[begin:end],
        )

    def cards_of(self, first: int, count: int) -> tuple[Bytes, Bytes]:
        """Return the boards [count, 5] and hands [count, LANES + 1, 2] from deal `first` on."""
        boards = np.empty((count, _BOARD), dtype=np.uint8)
        hands = np.empty((count, _NUM_HANDS, 2), dtype=np.uint8)
        _shuffle(self._root, first, _DECK, boards, hands)
        return boards, hands


class ExploiterDealer:
    """Deals to a learner with card buckets of its own, against a blueprint with different ones.

    On each street the blueprint's buckets are numbered after the learner's. So a trainer's tables
    have rows that only learn, and rows that only play.
    """

    def __init__(self, own: CardAbstraction, frozen: CardAbstraction, seed: int = 0) -> None:
        self._own, self._frozen = CardDealer(own, seed), CardDealer(frozen, seed)
        self.num_own: tuple[int, ...] = self._own.num_buckets
        """The learner's buckets of each street."""
        self.num_buckets: tuple[int, ...] = tuple(
            first + second
            for first, second in zip(self.num_own, self._frozen.num_buckets, strict=True)
        )
        """Buckets of each street, including the blueprint's."""

    def fill(self, deals: TrainerDeals, begin: int, end: int, first: int) -> None:
        """Write deals into the places [begin, end); the one at `begin` is deal number `first`."""
        self._own.fill(deals, begin, end, first)
        other = make_deals(end - begin, len(self.num_own))
        self._frozen.fill(other, 0, end - begin, first)
        offsets = np.array(self.num_own, dtype=np.uint16)
        deals.buckets[begin:end, :, LANES] = other.buckets[:, :, LANES] + offsets


@kernel
@allocates
def _shuffle(root: np.uint64, first: int, deck: Bytes, boards: Bytes, hands: Bytes) -> None:
    cards = np.empty(NUM_CARDS, dtype=np.uint8)
    for deal in range(len(boards)):
        origin = split(root, np.uint64(first + deal))
        cards[:] = deck
        for place in range(_NUM_DEALT):
            other = place + int(draw(origin, place) * (NUM_CARDS - place))
            cards[place], cards[other] = cards[other], cards[place]
        boards[deal] = cards[:_BOARD]
        # The opponent, who is last, comes first in the deck.
        for hand in range(_NUM_HANDS):
            place = _BOARD + 2 * ((hand + 1) % _NUM_HANDS)
            hands[deal, hand, 0] = cards[place]
            hands[deal, hand, 1] = cards[place + 1]


@kernel
def _fill(
    tables: LookUpTables,
    boards: Bytes,
    hands: Bytes,
    scratch: RiverScratch,
    buckets: Buckets,
    strength: npt.NDArray[np.int32],
) -> None:
    deal_buckets(tables, boards, hands, scratch, buckets)
    evaluator = tables.evaluator
    for deal in range(len(boards)):
        board, board_key = np.uint64(0), START_KEY
        for card in boards[deal]:
            board |= _ONE << np.uint64(card)
            board_key += evaluator.card_keys[card]
        for hand in range(hands.shape[1]):
            card, other = hands[deal, hand, 0], hands[deal, hand, 1]
            key = board_key + evaluator.card_keys[card] + evaluator.card_keys[other]
            mask = board | _ONE << np.uint64(card) | _ONE << np.uint64(other)
            strength[deal, hand] = NUM_HAND_RANKS + 1 - np.int32(rank_of_key(evaluator, key, mask))
