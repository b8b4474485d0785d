"""A hand of hold'em that was played here, written as a history that others can read."""

from collections.abc import Mapping, Sequence
from typing import Any

from untilt.errors import InvalidOption
from untilt.formats.exchange.phh import FIXED_LIMIT, NO_LIMIT, HandHistory, PhhAction, Verb
from untilt.game.actions import ActionData, Kind, action_data
from untilt.game.protocol import Action
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.replay import GAME_FIELD, RIVER_OF_BLOOD
from untilt.games.river_of_blood import RiverOfBlood


def record_hand(
    root: Holdem, moves: Sequence[Action], fields: Mapping[str, Any] | None = None
) -> HandHistory:
    """Return the history of deals and actions from the root; raises GameError if one is illegal.

    `fields` are further fields of the format, such as `players` (big blind first) and `year`. A
    hand that is over gets `finishing_stacks`.
    """
    position = root
    actions: list[PhhAction] = []
    is_shown = False
    for move in moves:
        actions.extend(_recorded(position, move))
        position = position.apply(move)
        betting = position.betting
        # Hands are shown when the betting is over, before the rest of the board is dealt.
        is_over = position.terminal or (position.chance and betting.is_all_in)
        if is_over and not is_shown and betting.folded == NOBODY:
            actions += [PhhAction(Verb.SHOW, player, (None, None)) for player in (0, 1)]
            is_shown = True
    more = dict(fields or {})
    if position.terminal:
        stacks = [round(root.rules.stacks[p] + position.payoff(p)) for p in (1, 0)]
        more.setdefault("finishing_stacks", stacks)
    if isinstance(root, RiverOfBlood):
        more[GAME_FIELD] = RIVER_OF_BLOOD
    rules = root.rules
    if rules.limit is None:
        sizes: tuple[int, ...] = (rules.blinds[1],)
    elif len(rules.limit) == 3 and rules.limit[0] == rules.limit[1]:
        sizes = rules.limit[1:]
    else:
        raise InvalidOption(
            f"the limits {rules.limit} cannot be written: a history has one small and one big bet"
        )
    return HandHistory(
        variant=NO_LIMIT if rules.limit is None else FIXED_LIMIT,
        antes=rules.antes,
        blinds=rules.blinds,
        sizes=sizes,
        stacks=rules.stacks[::-1],
        actions=tuple(actions),
        fields=more,
    )


def _recorded(position: Holdem, move: Action) -> list[PhhAction]:
    if not position.chance:
        data = move if isinstance(move, ActionData) else action_data(str(move))
        player = 1 - position.active
        if data.kind is Kind.FOLD:
            return [PhhAction(Verb.FOLD, player)]
        if data.kind in (Kind.CHECK, Kind.CALL):
            return [PhhAction(Verb.CALL, player)]
        amount = max(position.betting.apply(data).bets)
        return [PhhAction(Verb.RAISE, player, amount=_written(position.betting, amount))]
    assert isinstance(move, tuple)
    if position.hands is not None:
        return [PhhAction(Verb.DEAL_BOARD, cards=tuple(move))]
    return [
        PhhAction(Verb.DEAL_HAND, 0, tuple(move[2:])),
        PhhAction(Verb.DEAL_HAND, 1, tuple(move[:2])),
    ]


def _written(betting: Betting, amount: int) -> int:
    """Return a bet as other programs expect it: at least the smallest raise, or all of one's chips.

    Ours may be all-in for the smaller stack of the other player.
    """
    level, own, rules = max(betting.bets), betting.player, betting.rules
    least = max(betting.last_raise, rules.smallest_bet)
    if rules.fixed_bets is not None:
        least = rules.fixed_bets[min(betting.street, len(rules.fixed_bets) - 1)]
    return max(amount, min(level + least, betting.bets[own] + betting.stacks[own]))
