"""What a blueprint wins from an agent that thinks, beyond what it wins from itself.

Until the agent first thinks, both play the blueprint, which wins 0 from itself on average over both
seats. So only the rest of the hand counts: from that point, all pairs of hands are computed
together, once against the agent and once against the blueprint, and the difference is what thinking
costs or gains. Where a street ends, one card is drawn, the same for both.
"""

import zlib
from collections.abc import Callable

from untilt.games.holdem.betting import NOBODY
from untilt.games.holdem.subgame import live_on
from untilt.numeric.arrays import Floats
from untilt.play.exploiting_bets import Compared, Guesses
from untilt.play.exploiting_turn import CERTAIN_SHARE, drawn_card
from untilt.play.public_hand import PublicHand, Thinker
from untilt.play.streams import LightStream, Role

On = Callable[[tuple[int, ...]], Compared]
"""How hands compare on a board."""


class AgainstBlueprint:
    """The rest of a hand of the blueprint in `seat` against an agent in the other one."""

    def __init__(self, agent: Thinker, seat: int, compared: On, key: tuple[int, int]) -> None:
        """`compared` says how hands compare on a board; `key` are a seed and a number."""
        self._agent = agent
        self._seat = seat
        self._compared = compared
        self._key = key

    def gain(self, hand: PublicHand, own: Floats, other: Floats) -> float:
        """Return how much more the blueprint wins than from itself, in chips times pairs of hands.

        `own` are the weights of its hands, `other` those of the agent.
        """
        if self._agent.effort is None:
            return 0.0
        plain = Thinker(self._agent.translation, None)
        hands = self._compared(hand.board)
        total = float(own @ hands.met(other))
        against_agent, against_itself = (
            _Rest(each, plain, self._seat, self._compared, self._key, total).won(
                hand, hand, hands, own, other
            )
            for each in (self._agent, plain)
        )
        return against_agent - against_itself


class _Rest:
    """Follows both players to the end; a state is kept as each of them sees it."""

    def __init__(
        self,
        agent: Thinker,
        plain: Thinker,
        seat: int,
        compared: On,
        key: tuple[int, int],
        total: float,
    ) -> None:
        """`total` is the weight of all pairs of hands at the start."""
        self._agent = agent
        self._plain = plain
        self._seat = seat
        self._compared = compared
        self._key = key
        self._total = total

    def won(
        self, hand: PublicHand, seen: PublicHand, hands: Compared, own: Floats, other: Floats
    ) -> float:
        """Return what the blueprint wins from a state onwards, summed over pairs of hands.

        `seen` is the state as the blueprint sees it, `own` are its weights, `other` the agent's.
        """
        betting = hand.betting
        guesses = Guesses(self._agent, self._seat, hands)
        if betting.folded != NOBODY:
            return float(own @ guesses.paid(betting, other))
        if betting.player == NOBODY:
            if betting.is_all_in or len(hand.board) == 5:
                return float(own @ guesses.shown(betting, other))
            return self._dealt(hand, seen, guesses, own, other)
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

    def _dealt(
        self, hand: PublicHand, seen: PublicHand, guesses: Guesses, own: Floats, other: Floats
    ) -> float:
        """Return the same where a street ends: one card, in place of the mean over all of them."""
        # A line has its own random numbers, so that the same card is drawn against both.
        name = zlib.crc32(" ".join(hand.line).encode())
        rng = LightStream(self._key[0] ^ name, self._key[1], Role.FACES)
        down = float(own @ guesses.shown(hand.betting, other))
        share = float(own @ guesses.hands.met(other)) / self._total
        chance = min(share / CERTAIN_SHARE, 1.0)
        if rng.random() >= chance:
            return down
        card, scale = drawn_card(self._agent, hand.board, rng)
        dealt, dealt_seen = self._agent.deal(hand, [card]), self._plain.deal(seen, [card])
        live, hands = live_on(dealt.board), self._compared(dealt.board)
        own, other = own * live, other * live
        won = self.won(dealt, dealt_seen, hands, own, other)
        won -= float(own @ Guesses(self._agent, self._seat, hands).shown(hand.betting, other))
        return down + scale / chance * won
