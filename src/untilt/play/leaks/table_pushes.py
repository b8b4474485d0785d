"""Pushes, calls of pushes and folds before the flop at larger tables, judged by charts.

    for choice in judged_by_charts(hand, player, choices): ...

A decision of a short stack is judged if everybody before has folded or is all-in. The chart is that
of all stacks at the table (chips, not prizes), see `untilt.pushfold.chart`. Seats that folded
before the first push are left out unless everybody posts an ante: without blinds they matter only
by the cards that they probably did not hold.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from untilt.cards.combos import CLASS_OF_COMBO, combo_index
from untilt.hands.hand import HandAction, HandMove, RecordedHand, big_blind_of
from untilt.lazy import provided
from untilt.play.leaks.choices import (
    ANTES,
    STACKS,
    UNKNOWN_CARDS,
    JudgedChoice,
    PlayedAction,
    judged_by_values,
    played_actions,
)

if TYPE_CHECKING:
    from untilt.games.pushfold.tables.table_chart import TableChart

MOST_STACK = 20.0
"""Larger stacks, in big blinds, are not judged; those of others count as this much."""

_MOST_SEATS = 9
_DIGITS = 1
"""Stacks are rounded to tenths of a big blind."""


def judged_by_charts(
    hand: RecordedHand, player: int, choices: Iterable[JudgedChoice]
) -> Iterator[JudgedChoice]:
    """Yield the decisions of a player, those that charts can judge with what they cost."""
    played = list(played_actions(hand))
    own = [number for number, each in enumerate(played) if each.action.player == player]
    for number, choice in zip(own, choices, strict=True):
        is_open = choice.reason and not played[number].street
        yield _by_chart(hand, player, played[: number + 1], choice) if is_open else choice


def _by_chart(
    hand: RecordedHand, player: int, played: list[PlayedAction], choice: JudgedChoice
) -> JudgedChoice:
    """Return the last of the actions with what it cost; as it was if there is no chart for it."""
    *before, last = [each.action for each in played]
    known = hand.known_stacks
    if known is None:
        return choice._replace(reason=STACKS)
    stack = known[player] / hand.big_blind
    is_called = last.move is HandMove.CALL and any(each.is_all_in for each in before)
    is_played = last.is_all_in or is_called
    is_usual = (
        (is_played or last.move is HandMove.FOLD)
        and all(each.is_all_in or each.move is HandMove.FOLD for each in before)
        and stack <= MOST_STACK
        and hand.num_players <= _MOST_SEATS
        and big_blind_of(hand.posts, hand.big_blind) == 1
        and not any(hand.posts[2:])
    )
    if not is_usual:
        return choice
    held = hand.cards[player]
    if held is None:
        return choice._replace(reason=UNKNOWN_CARDS)
    antes = [round(ante / hand.big_blind, 3) for ante in hand.antes]
    is_even, is_of_bb = len(set(antes)) == 1, antes[1] > 0.0 and not any(antes[:1] + antes[2:])
    if any(antes) and not (is_even or is_of_bb):
        return choice._replace(reason=ANTES)
    # Seats in the order in which they act before the flop.
    seats = [*range(2, hand.num_players), 0, 1]
    if not (is_even and any(antes)):
        seats = seats[_num_folded_first(before) :]
    stacks = tuple(round(min(known[seat] / hand.big_blind, MOST_STACK), _DIGITS) for seat in seats)
    chart = _chart(
        stacks,
        round(hand.posts[0] / hand.big_blind, 3),
        antes[0] if is_even else 0.0,
        0.0 if is_even else antes[1],
    )
    pushed = tuple(seats.index(each.player) for each in before if each.is_all_in)
    decision = chart.decision(seats.index(player), pushed)
    number = int(CLASS_OF_COMBO[combo_index(*held)])
    bb = chart.bb_per_unit
    values = float(decision.fold_evs[number]) * bb, float(decision.ev[number]) * bb
    share, error = float(decision.frequency[number]), float(chart.nash_conv) * bb
    return judged_by_values(
        choice, values, decision.action, share, is_played=is_played, error=error
    )


def _num_folded_first(before: Sequence[HandAction]) -> int:
    """Return how many seats folded before anybody went all-in; blinds post, and stay."""
    folds = [each.move is HandMove.FOLD and each.player > 1 for each in before]
    return folds.index(False) if False in folds else len(folds)


@lru_cache(maxsize=1_000)
def _chart(
    stacks: tuple[float, ...], small_blind: float, ante: float, bb_ante: float
) -> "TableChart":
    """Return the chart of a table, whose seats are in the order in which they act."""
    solve = provided("the chart of push/fold")
    found: TableChart = solve(
        seats=len(stacks), stacks=stacks, small_blind=small_blind, ante=ante, bb_ante=bb_ante
    )
    return found
