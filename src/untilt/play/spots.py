"""Dealing a spot again: a hand in which a person reaches a given infoset.

Hands are tried by number until one leads there, with the person taking the given actions and the
opponent playing as always. So the hidden cards have exactly the probabilities that they have at
the infoset in real play, and the hand found is an ordinary one that can be replayed.
"""

from collections.abc import Sequence

from untilt.errors import UnknownName, shortened
from untilt.play.hand import LiveHand
from untilt.play.opponent import AnyOpponent

MAX_TRIED = 4_000
"""Hands tried before giving up; a spot of push/fold comes up once in 100 to 330."""


def find_hand(
    opponent: AnyOpponent,
    *,
    seed: int,
    first: int,
    seat: int,
    label: str,
    actions: Sequence[str],
    most: int = MAX_TRIED,
) -> int | None:
    """Return the first hand, starting at number `first`, that leads to the infoset `label`.

    `actions` are those that the person in `seat` takes before it. None if none of `most` hands
    does; raises UnknownName if `seat` has no such infoset.
    """
    if not opponent.has_infoset(seat, label) and not opponent.is_partial:
        raise UnknownName(f"player {seat} has no infoset {shortened(label)} to deal again")
    for number in range(first, first + most):
        if _leads_to(opponent, seed, number, seat, label, actions):
            return number
    return None


def _leads_to(
    opponent: AnyOpponent, seed: int, number: int, seat: int, label: str, actions: Sequence[str]
) -> bool:
    live = LiveHand(opponent.root, seed, number)
    opponent.begin(1 - seat)
    waiting = list(actions)
    while live.turn is not None:
        if live.turn.player != seat:
            live.take(opponent.act(live))
        elif live.turn.label == label:
            return not waiting
        elif waiting and waiting[0] in live.turn.actions:
            live.take(waiting.pop(0))
        else:
            return False
    return False
