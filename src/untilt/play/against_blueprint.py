"""What a blueprint wins from an agent that thinks, beyond what it wins from itself.

Until the agent first thinks, both play the blueprint, and what a blueprint wins from itself is 0 on
average over both seats. So only the rest of the hand counts: from there on all pairs of hands are
computed at once, once against the agent and once against the blueprint, and the difference is what
thinking costs or gains. Where a turn ends, one river is drawn, the same for both.
"""

from untilt.games.holdem.betting import NOBODY
from untilt.games.holdem.subgame import live_on
from untilt.numeric.arrays import Floats
from untilt.play.exploiting_bets import Compared, Guesses
from untilt.play.exploiting_turn import drawn_river
from untilt.play.public_hand import PublicHand, Thinker
from untilt.play.river_showdown import RiverShowdown
from untilt.play.streams import LightStream


class AgainstBlueprint:
    """The rest of a hand of the blueprint in `seat` against an agent in the other one."""

    def __init__(
        self, agent: Thinker, seat: int, hands: Compared, key: tuple[int, int, int]
    ) -> None:
        """`hands` compares hands on the present board; `key` is that of a random stream."""
        self._agent = agent
        self._seat = seat
        self._hands = hands
        self._key = key
        self._plain = Thinker(agent.translation, None)

    def gain(self, hand: PublicHand) -> float:
        """Return what the blueprint wins more than from itself, in chips per pair of hands."""
        own, other = hand.ranges[self._seat], hand.ranges[1 - self._seat]
        pairs = float(own @ self._hands.met(other))
        if not pairs > 0.0:
            return 0.0
        against_agent, against_itself = (
            _Rest(each, self._plain, self._seat, LightStream(*self._key)).won(
                hand, hand, self._hands, own, other
            )
            for each in (self._agent, self._plain)
        )
        return (against_agent - against_itself) / pairs


class _Rest:
    """Follows both players to the end; a state is kept as each of them sees it."""

    def __init__(self, agent: Thinker, plain: Thinker, seat: int, rng: LightStream) -> None:
        self._agent = agent
        self._plain = plain
        self._seat = seat
        self._rng = rng

    def won(
        self, hand: PublicHand, seen: PublicHand, hands: Compared, own: Floats, other: Floats
    ) -> float:
        """Return what the blueprint wins from a state on, summed over pairs of hands.

        `seen` is the state as the blueprint sees it, `own` are its weights, `other` the agent's.
        """
        betting = hand.betting
        guesses = Guesses(self._agent, self._seat, hands)
        if betting.folded != NOBODY:
            return float(own @ guesses.paid(betting, other))
        if betting.player == NOBODY:
            if betting.is_all_in or len(hand.board) == 5:
                return float(own @ guesses.shown(betting, other))
            card, scale = drawn_river(self._agent, hand.board, self._rng)
            dealt, dealt_seen = self._agent.deal(hand, [card]), self._plain.deal(seen, [card])
            live = live_on(dealt.board)
            river = RiverShowdown(dealt.board)
            return scale * self.won(dealt, dealt_seen, river, own * live, other * live)
        is_own = betting.player == self._seat
        if not is_own:
            hand = self._agent.thought(hand, betting.player)
        total = 0.0
        moves = self._plain.moves(seen) if is_own else self._agent.moves(hand)
        for action, shares in moves:
            part = (own if is_own else other) * shares
            if part.any():
                total += self.won(
                    self._agent.after(hand, action, None),
                    self._plain.after(seen, action, None),
                    hands,
                    part if is_own else own,
                    other if is_own else part,
                )
        return total
