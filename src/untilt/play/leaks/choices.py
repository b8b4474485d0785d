"""Decisions of recorded hands: what was done where, and what it cost or why that is not known."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from untilt.cards.evaluator.best_five import best_five_lists, rank_of_suits
from untilt.hands.hand import HandAction, HandMove, RecordedHand
from untilt.play.leaks.spots import line_words, made_hand, pot_type, size_words

JUDGED = "judged"
REASONS = (
    JUDGED,
    "more than two players",
    "limit hold'em",
    "the cards are unknown",
    "antes, which the agent does not have",
    "no agent has stacks near these",
    "the agent never gets here",
    "the agent has no such bet",
    "a fold that costs nothing to avoid",
    "the agent's stacks are all-in already",
    "neither push, call nor fold, at these stacks",
    "before the flop, with more than two players",
    "the hand is not in its preset range",
    "a spot that cannot be solved: too large, or a range is empty on this board",
    "the stacks are not known",
    "the button has the big blind",
)
"""Why a decision was not judged; the first one was."""
(_, MULTIWAY, LIMIT, UNKNOWN_CARDS, ANTES, DEPTH, NEVER, NO_BET, FREE, ALL_IN, NO_PUSH) = range(11)
(BEFORE_FLOP, NOT_IN_RANGE, TOO_LARGE, STACKS, REVERSED) = range(11, len(REASONS))


class JudgedChoice(NamedTuple):
    """A decision and what it cost; chips are in big blinds."""

    hand: str
    """The site and number of the hand."""
    street: int
    position: str
    pot_type: str
    line: str
    """The street's actions before it, in words."""
    held: str
    """The kind of hand: before the flop its class, later what it has made."""
    action: str
    size: str
    pot: float
    reason: int
    """A place in REASONS."""
    judge: str = ""
    """The agent whose values these are."""
    distance: float = 1.0
    """By which factor the stacks of the agent and the hand differ, at least 1."""
    cost: float = np.nan
    error: float = np.nan
    """Half the difference of the two tables; of a solved spot its exploitability, else 0."""
    frequency: float = np.nan
    """How often the agent takes the action."""
    best: str = ""
    choices: str = ""
    """The agent's actions in words, with `|` between them."""
    values: tuple[float, ...] = ()
    """What they are worth, as shares of the pot."""
    chosen: tuple[tuple[int, float], ...] = ()
    """The choice as actions of the agent, with weights."""


def joined(choices: Sequence[str]) -> str:
    """Return the names of actions as one text."""
    return "|".join(choices)


PUSHFOLD = "pushfold"
"""The agent that judges by charts of push/fold."""


def judged_by_values(
    plain: JudgedChoice,
    values: tuple[float, float],
    action: str,
    share: float,
    *,
    is_played: bool,
    error: float,
) -> JudgedChoice:
    """Return a fold, or `action` if it was played, with what it cost by a chart of push/fold.

    `values` are those of folding and of `action`, in big blinds; `share` is how often the chart
    takes the action.
    """
    if not np.isfinite(values).all():
        return plain._replace(reason=NEVER)
    return plain._replace(
        reason=0,
        judge=PUSHFOLD,
        cost=max(values) - values[is_played],
        error=error,
        frequency=share if is_played else 1.0 - share,
        best=action if values[1] > values[0] else "fold",
        choices=joined(("fold", action)),
        values=tuple(value / plain.pot for value in values),
        chosen=((int(is_played), 1.0),),
    )


class PlayedAction(NamedTuple):
    """An action with what it is about, before it is judged."""

    action: HandAction
    street: int
    before: Sequence[HandAction]
    """The actions of the street before it."""
    pot: int
    level: int
    own: int


def played_actions(hand: RecordedHand) -> Iterator[PlayedAction]:
    """Yield all actions of a hand, in order."""
    pot = sum(hand.antes) + sum(hand.posts)
    for number, street in enumerate(hand.streets):
        bets = list(hand.posts) if number == 0 else [0] * hand.num_players
        for place, action in enumerate(street):
            own = bets[action.player]
            yield PlayedAction(action, number, street[:place], pot, max(bets), own)
            pot += action.amount - own
            bets[action.player] = action.amount


def plain_choice(hand: RecordedHand, spot: PlayedAction, reason: int) -> JudgedChoice:
    """Return a decision without what it cost, for a reason."""
    action, player = spot.action, spot.action.player
    held = hand.cards[player]
    num_raises = sum(
        each.move in (HandMove.BET, HandMove.RAISE)
        for each in (hand.streets[0] if spot.street else spot.before)
    )
    rank = 0
    board = hand.board[: (0, 3, 4, 5)[spot.street]]
    if held is not None and board:
        rank = _rank((*held, *board))
    return JudgedChoice(
        hand.title,
        spot.street,
        hand.positions[player],
        pot_type(num_raises),
        line_words(spot.before),
        "" if held is None else made_hand(held, rank),
        action.move.name.lower(),
        size_words(action, spot.level, spot.own, spot.pot),
        spot.pot / hand.big_blind,
        reason,
    )


def _rank(cards: tuple[int, ...]) -> int:
    suits = [0, 0, 0, 0]
    for card in cards:
        suits[card >> 4] |= 1 << (card & 15)
    return rank_of_suits(best_five_lists(), *suits)


def plain_choices(hand: RecordedHand, player: int, reason: int) -> Iterator[JudgedChoice]:
    """Yield the decisions of a player, none of which can be judged."""
    for spot in played_actions(hand):
        if spot.action.player == player:
            yield plain_choice(hand, spot, reason)
