"""A quiz on a push/fold chart: questions, right answers, and what mistakes cost."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from untilt.cards.card import DECK, card_name
from untilt.cards.combos import (
    CLASS_NAMES,
    CLASS_OF_COMBO,
    COMBO_CARDS,
    COMBO_OF_CARDS,
    COMBOS_OF_CLASS,
)
from untilt.games.pushfold.analysis import INDIFFERENT
from untilt.games.pushfold.chart import ChartSide, PushFoldChart
from untilt.numeric.streams import Stream

if TYPE_CHECKING:
    from untilt.games.pushfold.tables.table_chart import TableChart


@dataclass(frozen=True)
class Question:
    """A hand to play or fold."""

    seat: ChartSide
    cards: str
    """Such as `Ks 7h`."""
    hand: int
    """The number of its class."""

    @property
    def text(self) -> str:
        """The question, with the letters that answer it."""
        seat = self.seat
        faced = "" if seat.action == "push" else f" against {seat.opponents}"
        return f"{seat.player}, {self.cards}{faced}: {seat.action} or fold? [{self.letter}/f]"

    @property
    def letter(self) -> str:
        """The letter that plays the hand."""
        return self.seat.action[0]

    def is_played(self, answer: str) -> bool | None:
        """Return whether the answer, in lower case, plays the hand; None if it is not an answer."""
        if answer in (self.letter, self.seat.action):
            return True
        return False if answer in ("f", "fold") else None

    @property
    def gain(self) -> float:
        """The gain of playing the hand over folding, in bb."""
        return float(self.seat.gain[self.hand])


@dataclass
class QuizScore:
    """The answers so far."""

    unit: str = "bb"
    indifferent: float = INDIFFERENT
    """What counts as no gain."""
    num_answers: int = 0
    num_right: int = 0
    cost: float = 0.0
    """The cost of all mistakes together, in bb."""

    @property
    def cost_per_100(self) -> float:
        """The cost of mistakes, in bb per 100 answers."""
        return 100.0 * self.cost / self.num_answers if self.num_answers else 0.0

    def mark(self, question: Question, *, is_played: bool) -> str:
        """Count an answer and return a comment on it."""
        gain, seat = question.gain, question.seat
        is_even = abs(gain) < self.indifferent
        is_right = is_even or (gain > 0.0) == is_played
        self.num_answers += 1
        self.num_right += is_right
        best = f"{seat.action}ing" if gain > 0.0 else "folding"
        name = CLASS_NAMES[question.hand]
        if is_even:
            share = 100.0 * float(seat.frequency[question.hand])
            return f"{name} is mixed: both are worth the same ({seat.action} {share:.1f} %)"
        if is_right:
            return f"right: {best} {name} is {abs(gain):.4f} {self.unit} better"
        self.cost += abs(gain)
        return f"wrong: {best} {name} is right; that costs {abs(gain):.4f} {self.unit}"


def deal_question(chart: PushFoldChart, stream: Stream) -> Question:
    """Return a random hand in a seat that has to decide."""
    while True:
        deck = list(DECK)
        drawn = [deck.pop(int(stream.random() * len(deck))) for _ in range(4)]
        is_small_blind = stream.random() < 0.5
        opponent_class = CLASS_OF_COMBO[COMBO_OF_CARDS[drawn[2], drawn[3]]]
        # The big blind decides only after a push, which says something about the pusher's hand.
        if is_small_blind or stream.random() < chart.push.frequency[opponent_class]:
            own = sorted(drawn[:2], key=DECK.index, reverse=True)
            hand = int(CLASS_OF_COMBO[COMBO_OF_CARDS[own[0], own[1]]])
            cards = " ".join(card_name(card) for card in own)
            return Question(chart.push if is_small_blind else chart.call, cards, hand)


def deal_table_question(chart: "TableChart", stream: Stream) -> Question:
    """Return a random decision of a table, as often as it comes, with a random hand."""
    decisions = chart.decisions
    place = _drawn([each.probability for each in decisions], stream)
    decision = decisions[place]
    hand = _drawn(decision.reach.tolist(), stream)
    combos = COMBOS_OF_CLASS[hand]
    combo = int(combos[int(stream.random() * len(combos))])
    own = sorted(COMBO_CARDS[combo].tolist(), key=DECK.index, reverse=True)
    return Question(decision, " ".join(card_name(card) for card in own), hand)


def _drawn(weights: list[float], stream: Stream) -> int:
    """Return a random place, by weight."""
    left = stream.random() * sum(weights)
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0.0:
            return place
    return max(range(len(weights)), key=weights.__getitem__)
