"""The spot that a policy reaches: its street, pot and stacks, and the ranges that get there."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from untilt.cards.card import cards_name, parse_cards
from untilt.cards.ranges.range import Range
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData, Kind
from untilt.game.line import parse_line, with_chips
from untilt.games.holdem.bets.sizes import STREETS
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.rules import BIG_BLIND, BUTTON, HoldemRules
from untilt.lazy import provided
from untilt.numeric.arrays import Floats

_BETS = frozenset({Kind.BET, Kind.RAISE, Kind.ALL_IN})
_FIRST_SPOT = 3
"""Cards on the board of the earliest street that can be a spot."""


class Reached(Protocol):
    """A public state, and how likely each hand is to get there."""

    @property
    def rules(self) -> HoldemRules:
        """The game."""
        ...

    @property
    def betting(self) -> Betting:
        """Chips and turn."""
        ...

    @property
    def board(self) -> tuple[int, ...]:
        """The cards that lie."""
        ...

    @property
    def reach(self) -> tuple[Floats, ...]:
        """By player, [1326] how likely each hand is to have played like this."""
        ...


State = TypeVar("State", bound=Reached)


class Follows(Protocol[State]):
    """A policy that says what it does with all hands, see `untilt.policy.policy`."""

    def start(self, rules: HoldemRules | None = None) -> State:
        """Return the state before the first decision."""
        ...

    def after(self, state: State, action: ActionData) -> State:
        """Return the state after an action."""
        ...

    def dealt(self, state: State, cards: Sequence[int]) -> State:
        """Return the state after the next cards of the board."""
        ...


class HasPath(Protocol):
    """An object that was read from a file or folder, such as a blueprint."""

    @property
    def path(self) -> Path:
        """The file or folder."""
        ...


Reaching: TypeAlias = Follows[Any] | str | os.PathLike[str] | HasPath
"""A policy, or an agent as for `untilt.match`: text, a path, what was loaded from one."""


def reached_spot(
    agent: Reaching,
    line: str,
    board: str | Sequence[int],
    *,
    rules: HoldemRules | None = None,
    trust: bool = False,
) -> dict[str, Any]:
    """Return the arguments of the `Spot` after a line from the beginning of the hand, on a board.

    Amounts are totals on the street, in chips or big blinds: `raise 2.5bb, call`. Raises
    InvalidOption if the line does not lead to the beginning of the street that the board has.
    """
    cards = tuple(parse_cards(board)) if isinstance(board, str) else tuple(board)
    policy: Any = agent
    if not hasattr(agent, "start"):
        policy, rules = provided("an agent of hold'em")(agent, rules, trust=trust)
    state = policy.start(rules)
    bb = state.rules.blinds[BIG_BLIND]
    for action in parse_line(with_chips(line, bb), has_blinds=True).moves:
        state = _on_next_street(policy, state, cards)
        if state.betting.player == NOBODY:
            raise InvalidOption(f"the hand is over before {action.name!r} in {line!r}")
        state = policy.after(state, _legal(state.betting, action, line))
    state = _on_next_street(policy, state, cards)
    betting = state.betting
    is_begun = any(betting.bets) or betting.has_acted or not betting.street
    if betting.player == NOBODY or is_begun:
        raise InvalidOption(
            f"{line!r} on {cards_name(cards) or 'no board'} does not lead to the beginning of a "
            "street: give the betting of whole streets, and the board of the one to solve"
        )
    if len(state.board) != len(cards) or len(cards) < _FIRST_SPOT:
        raise InvalidOption(
            f"the board has {len(cards)} cards, but {line!r} leads to the "
            f"{STREETS[betting.street]}, where {len(state.board)} lie"
        )
    for seat, name in ((BIG_BLIND, "big blind"), (BUTTON, "small blind")):
        if not state.reach[seat].any():
            raise InvalidOption(
                f"the {name} never plays {line!r} on {cards_name(cards)}: give another line"
            )
    # Player 0 of a spot acts first on later streets: the big blind.
    first, second = (
        Range(state.reach[seat] / state.reach[seat].max()) for seat in (BIG_BLIND, BUTTON)
    )
    money = {"pot": betting.pot, "stack": min(betting.stacks), "bb": bb}
    return {"board": cards, "ranges": (first, second), **money}


def _on_next_street(policy: Follows[State], state: State, cards: Sequence[int]) -> State:
    """Return the state with the next cards of the board, if a street has ended."""
    betting, shown = state.betting, len(state.board)
    if betting.player != NOBODY or betting.folded != NOBODY or betting.is_all_in:
        return state
    count = state.rules.num_dealt_next(state.board)
    if not count or shown + count > len(cards):
        return state
    return policy.dealt(state, cards[shown : shown + count])


def _legal(betting: Betting, action: ActionData, line: str) -> ActionData:
    """Return an action of a line as the rules name it; raise InvalidOption if it is illegal."""
    if action.kind not in _BETS:
        found = next((a for a in betting.passive_actions() if a.kind is action.kind), None)
        # A check that is a call in reality, as in `c`.
        if found is None and action.kind is not Kind.FOLD:
            found = betting.passive_actions()[-1]
    else:
        amount = betting.all_in_to if action.amount is None else action.amount
        limits = betting.bet_limits()
        is_legal = limits is not None and amount == int(amount) and limits[0] <= amount <= limits[1]
        found = betting.named_bet(int(amount)) if is_legal else None
    if found is None:
        limits = betting.bet_limits()
        sizes = f", or a bet to {limits[0]} to {limits[1]} chips" if limits is not None else ""
        names = ", ".join(each.name for each in betting.passive_actions())
        raise InvalidOption(
            f"{action.name!r} in {line!r} is not possible there: give {names}{sizes}"
        )
    return found
