"""Dealing a spot again: a hand in which a person reaches a given infoset.

Hands are tried by number until one leads there, with the person taking the given actions and the
opponent playing as always. So the hidden cards have exactly the probabilities that they have at
the infoset in real play, and the hand found is an ordinary one that can be replayed.
"""

import math
import time
from collections.abc import Callable, Sequence

from untilt.errors import UnknownName, shortened
from untilt.play.table.hand import LiveHand
from untilt.play.table.versus import Versus

MAX_TRIED = 4_000
"""Hands tried before giving up; a spot of push/fold comes up once in 100 to 330."""


def find_hand(
    opponent: Versus,
    *,
    seed: int,
    first: int,
    seat: int,
    label: str,
    actions: Sequence[str],
    most: int = MAX_TRIED,
    seconds: float = math.inf,
    check: Callable[[], None] = lambda: None,
) -> int | None:
    """Return the first hand, starting at number `first`, that leads to the infoset `label`.

    `actions` are those that the person in `seat` takes before it. None if none of `most` hands
    does, or if `seconds` are over; raises UnknownName if `seat` has no such infoset. `check` is
    called before each of the opponent's decisions, and may raise to give up.
    """
    if not opponent.has_infoset(seat, label) and not opponent.is_partial:
        raise UnknownName(f"player {seat} has no infoset {shortened(label)} to deal again")
    begin = time.monotonic()
    for number in range(first, first + most):
        if _leads_to(opponent, LiveHand(opponent.root, seed, number), seat, label, actions, check):
            return number
        if time.monotonic() - begin > seconds:
            break
    return None


def _leads_to(
    opponent: Versus,
    live: LiveHand,
    seat: int,
    label: str,
    actions: Sequence[str],
    check: Callable[[], None],
) -> bool:
    states = opponent.begin(seat)
    opponent.play_on(states, live, seat, check)
    for action in actions:
        turn = live.turn
        if turn is None or turn.label == label or action not in turn.actions:
            return False
        live.take(action)
        opponent.play_on(states, live, seat, check)
    return live.turn is not None and live.turn.label == label
