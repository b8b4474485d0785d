"""Words for a decision: `facing a bet of 120`, `first to act after K on the board`.

They are derived from the betting line of an infoset (see `line`). A line in another notation,
which users' games may have, is shown as it is.
"""

from untilt.game.actions import ActionData, Kind, shown_amount
from untilt.game.line import is_line, parse_line
from untilt.game.names.labels import split_label

_FACING = {
    Kind.BET: "facing a bet",
    Kind.RAISE: "facing a raise",
    Kind.ALL_IN: "facing an all-in",
}

_ANSWERS = (Kind.CALL, Kind.FOLD)


def decision_words(label: str, public: str, line: str, *, has_blinds: bool = False) -> str:
    """Return what the player to act faces, from the `public` cards and the `line` so far.

    An infoset that shows neither is named by its label, unless that says nothing more. With
    `has_blinds` there is something to call when the first street begins.
    """
    if not is_line(line):
        return f"{line}, {public} on the board" if public else line
    if not line and not public:
        player, known = split_label(label)
        is_ours = player is not None and not known.line
        return "opening action" if is_ours else label
    streets = parse_line(line, has_blinds=has_blinds).streets
    player, _ = split_label(label)
    # Of more than two players, a third one may face a bet after another's check.
    may_have_checked = player is None or player < 2
    words = _street_words(
        streets[-1], is_first=len(streets) == 1, may_have_checked=may_have_checked
    )
    if not public:
        return words
    joint = "," if "after" in words else " after"
    return f"{words}{joint} {public} on the board"


def _street_words(street: tuple[ActionData, ...], *, is_first: bool, may_have_checked: bool) -> str:
    if not street:
        return "opening action" if is_first else "first to act"
    last = street[-1]
    # With more than two players, others may have called or folded since.
    faced = next((move for move in reversed(street) if move.kind not in _ANSWERS), last)
    if faced.kind in _FACING:
        size = "" if faced.amount is None else f" of {shown_amount(faced.amount)}"
        words = _FACING[faced.kind] + size
        # The player who checked and faces the bet acts again.
        is_checked = [move.kind for move in street] == [Kind.CHECK, Kind.BET]
        return f"{words} after checking" if is_checked and may_have_checked else words
    if last.kind is Kind.FOLD:
        return "after a fold"
    return "after a check" if last.kind is Kind.CHECK else "after a call"
