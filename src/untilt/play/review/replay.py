"""The state of a hand against an opponent, as a page or a terminal shows it.

No hand is kept in memory: it is replayed from its number and the actions taken so far. Until the
hand is over, a state contains only what the person may know.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption
from untilt.game.histories.tree_position import TreePosition
from untilt.game.terms import Chips, Terms, chips_of
from untilt.play.card_text import faces_of, faces_of_hands
from untilt.play.narration import (
    choice_words,
    move_words,
    named,
    opening_words,
    outcome_words,
    situation,
    verdict_words,
)
from untilt.play.review.review import Reviewed
from untilt.play.table.hand import LiveHand
from untilt.play.table.runout import Runout, runout_of
from untilt.play.table.versus import Versus
from untilt.policy.hands.streams import Role, hand_stream
from untilt.policy.hands.turn import Decision, Turn

if TYPE_CHECKING:
    from untilt.policy.thinking.insight import Insight
    from untilt.policy.thinking.public_hand import PublicHand


@dataclass(frozen=True)
class OtherPlayer:
    """Another player at the table, as the person sees that seat."""

    seat: int
    private: str | None
    """What the player held, if the hand is over and this is known."""
    faces: list[str] | None
    num_hidden: int
    """How many cards, dice or values the player holds; 0 if nothing."""


@dataclass(frozen=True)
class PlayState:
    """A hand as the person in `seat` sees it, at that person's turn or at the end."""

    hand: int
    seat: int
    private: str
    """What the person holds; empty if the game does not show it."""
    faces: list[str]
    opponents: list[OtherPlayer]
    """The others, in the order of their seats after the person's."""
    public: str
    events: list[Decision]
    """Decisions so far that the person knows; all of them when the hand is over."""
    to_act: Turn | None
    """The person's turn; None when the hand is over."""
    chips: Chips | None
    """Pot, bets and stacks now; None for a game without chips."""
    opening: list[str]
    """The money on the table at the first decision, in words; empty for a game without chips."""
    runout: Runout | None
    """A board for a called all-in that is scored by equity; None at any other end."""
    terms: Terms
    is_zero_sum: bool
    payoffs: tuple[float, ...] | None
    """What each player gained; None before the end."""
    review: list[Reviewed] | None
    """The person's decisions compared with the strategy; before the end None, or those so far."""
    thoughts: "list[Insight]" = field(default_factory=list)
    """What a blueprint thought at its own decisions; none for other opponents."""
    now: "PublicHand | None" = None
    """The person's turn as a blueprint sees it, with both ranges; None for other opponents."""

    @property
    def opponent(self) -> str | None:
        """What the next player held, the only opponent of two; None if this is not known."""
        return self.opponents[0].private

    @property
    def opponent_faces(self) -> list[str] | None:
        """The same as cards."""
        return self.opponents[0].faces

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.to_act is None

    @property
    def payoff(self) -> float | None:
        """What the person gained; None before the end."""
        return None if self.payoffs is None else self.payoffs[self.seat]

    @property
    def outcome(self) -> str | None:
        """How the hand ended, in words; None before the end."""
        if self.payoffs is None:
            return None
        if self.runout is not None:
            return f"called: the score counts your exact equity, {100.0 * self.runout.equity:.1f} %"
        return outcome_words(
            self.events, self.payoffs, self.terms, self.seat, is_zero_sum=self.is_zero_sum
        )

    @property
    def winner(self) -> int | None:
        """Who took the pot; None before the end, if it was split, and if an equity was paid.

        There is no winner either if payoffs do not sum to zero: both may gain.
        """
        if self.payoffs is None or not self.is_zero_sum or self.runout is not None:
            return None
        winners = [seat for seat, payoff in enumerate(self.payoffs) if payoff > 0.0]
        return winners[0] if len(winners) == 1 else None

    @property
    def verdict(self) -> str | None:
        """What the person's mistakes gave away, in words; None before the end."""
        if self.review is None or not self.is_over:
            return None
        if not self.review and any(event.player == self.seat for event in self.events):
            return "not reviewed"
        return verdict_words(
            [each.cost for each in self.review], sum(each.is_mistake for each in self.review)
        )

    def words_of(self, event: Decision) -> str:
        """Return who did what: `you bet 2`, `player 1 calls 2`."""
        return move_words(event, self.terms, is_you=event.player == self.seat)

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain data for JSON."""
        from untilt.policy.thinking.insight import shaded_ranges

        turn = self.to_act
        return {
            "hand": self.hand,
            "seat": self.seat,
            "private": self.private,
            "faces": self.faces,
            "opponent": self.opponent,
            "opponent_faces": self.opponent_faces,
            "num_hidden": self.opponents[0].num_hidden,
            "opponents": [asdict(each) for each in self.opponents],
            "public": self.public,
            "public_faces": faces_of(self.public),
            "events": [
                {
                    "player": event.player,
                    "is_you": event.player == self.seat,
                    "action": event.action,
                    "public": event.public,
                    "words": self.words_of(event),
                }
                for event in self.events
            ],
            "to_act": None
            if turn is None
            else {
                "label": turn.label,
                "words": situation(turn, self.terms),
                "line": turn.line,
                "actions": list(turn.actions),
                "action_data": [
                    {**action.to_json(), "words": choice_words(turn, action)}
                    for action in turn.legal
                ],
            },
            "chips": None if self.chips is None else self.chips._asdict(),
            "opening": self.opening,
            "runout": None if self.runout is None else self.runout.to_json(),
            "terms": self.terms.to_json(),
            "is_over": self.is_over,
            "payoff": self.payoff,
            "payoffs": None if self.payoffs is None else list(self.payoffs),
            "winner": self.winner,
            "outcome": self.outcome,
            "verdict": self.verdict,
            "review": None
            if self.review is None
            else [each.to_json(self.terms) for each in self.review],
            "thoughts": [
                each.to_json() if self.is_over else each.public_json() for each in self.thoughts
            ],
            "ranges": None if self.now is None else shaded_ranges(self.now),
        }


def seat_of_hand(hand: int, seating: str, num_players: int = 2) -> int:
    """Return the person's seat: the given one, or with `alternate` all of them in turn."""
    return hand % num_players if seating == "alternate" else int(seating)


def state_of_hand(
    opponent: Versus,
    *,
    seed: int,
    hand: int,
    seat: int,
    actions: Sequence[str],
    check: Callable[[], None] = lambda: None,
    feedback: bool = False,
) -> PlayState:
    """Return hand number `hand` after the person in `seat` has taken `actions`.

    With `feedback`, the person's decisions are reviewed as soon as they are made.

    The opponent's moves are made in between, up to the person's next turn or the end. Raises
    UnknownName for an illegal action, and for an action after the end. `check` is called before
    each of the opponent's decisions, and may raise to give up.
    """
    seats = range(opponent.num_players)
    if seat not in seats or isinstance(seat, bool):
        allowed = f"{', '.join(map(str, seats[:-1]))} or {seats[-1]}"
        raise InvalidOption(f"the seat is {str(seat)[:40]!r}; it must be {allowed}")
    live = LiveHand(opponent.root, seed, hand)
    states = opponent.begin(seat)
    opponent.play_on(states, live, seat, check)
    for action in actions:
        live.take(action)
        opponent.play_on(states, live, seat, check)
    is_reviewed = live.is_over or feedback
    return _state(opponent, live, seat, opponent.review(live, seat) if is_reviewed else None)


def _state(opponent: Versus, live: LiveHand, seat: int, review: list[Reviewed] | None) -> PlayState:
    privates, count = live.privates(), opponent.num_players
    others = [(seat + step) % count for step in range(1, count)]
    own, shown = privates[seat], [privates[each] if live.is_over else None for each in others]
    rng = hand_stream(live.seed, live.number, Role.FACES)
    hands = faces_of_hands([own, *shown], rng, are_classes=opponent.has_hand_classes)
    decisions, terms = live.decisions, opponent.terms
    first = decisions[0] if decisions else live.turn
    return PlayState(
        hand=live.number,
        seat=seat,
        private=own or "",
        faces=hands[0],
        opponents=[
            OtherPlayer(each, text, None if text is None else faces, opponent.num_held[each])
            for each, text, faces in zip(others, shown, hands[1:], strict=True)
        ],
        public=live.public(),
        events=list(decisions) if live.is_over else _known(live, seat),
        to_act=live.turn,
        chips=chips_of(live.position),
        opening=opening_words(None if first is None else first.chips, terms, seat),
        runout=runout_of(live.position, seat, hands, named(terms, others[0]), rng)
        if live.is_over
        else None,
        terms=terms,
        is_zero_sum=opponent.is_zero_sum,
        payoffs=live.finished().payoffs if live.is_over else None,
        review=review,
        **_insights(opponent, live, seat),
    )


def _insights(opponent: Versus, live: LiveHand, seat: int) -> dict[str, Any]:
    """Return what a blueprint thinks of the hand; nothing for other opponents."""
    thoughts = opponent.thoughts
    if thoughts is None:
        return {}
    now = None if live.is_over else thoughts.followed(live, 1 - seat)
    return {"thoughts": thoughts.told(live, 1 - seat), "now": now}


def _known(live: LiveHand, seat: int) -> list[Decision]:
    """Return the decisions that the person to act knows: their own, and those they saw.

    In a game without a tree, both players are assumed to see every move, as in poker.
    """
    position = live.position
    if not isinstance(position, TreePosition):
        return list(live.decisions)
    seen = position.seen_decisions()
    return [
        decision
        for decision, is_seen in zip(live.decisions, seen, strict=True)
        if is_seen or decision.player == seat
    ]
