"""Infosets of hold'em as a strategy for Hypothesis: any cards, any betting that can come about."""

from typing import NamedTuple

from hypothesis import strategies as st

from untilt.cards.card import DECK
from untilt.games.holdem.betting import NOBODY, Betting, BettingRules

BIG_BLIND = 1


class AnyInfoset(NamedTuple):
    """What an infoset of hold'em offers to abstractions."""

    player: int
    hand: tuple[int, int]
    board: tuple[int, ...]
    line: str
    betting: Betting

    @property
    def street(self) -> int:
        return self.betting.street


@st.composite
def bettings(draw: st.DrawFn) -> Betting:
    """Return a betting state at which somebody is to act."""
    stack = draw(st.integers(20, 400))
    state = start = Betting.new(0, (stack, stack), blinds=(1, 2), rules=BettingRules(2))
    for choice in draw(st.lists(st.integers(0, 99), max_size=8)):
        after = state
        if choice < 50 or not state.can_bet():
            after = state.check_or_call()
        else:
            span = state.all_in_to - state.least_to
            after = state.bet_to(state.least_to + span * (choice - 50) // 100)
        if after.player == NOBODY:
            if after.is_all_in:
                break
            after = after.next_street(first=BIG_BLIND)
        state = after
    return state if state.player != NOBODY else start


@st.composite
def infosets(draw: st.DrawFn) -> AnyInfoset:
    """Return an infoset of hold'em."""
    betting = draw(bettings())
    count = 0 if betting.street == 0 else 2 + betting.street
    cards = draw(st.permutations(DECK))[: 2 + count]
    hand = (max(cards[:2]), min(cards[:2]))
    line = draw(st.sampled_from(["", "c", "r6", "cr6c/"]))
    return AnyInfoset(betting.player, hand, tuple(cards[2:]), line, betting)
