"""Words for a decision: `facing a bet`, `first to act after K on the board`.

They are read off the betting line of an infoset, letters as in labels: c check or call, b the
first bet of a street, r a raise, a all-in, f fold, `/` a new street. A line in another alphabet,
as users' games may have it, stands for itself.
"""

from untilt.game.labels import is_betting_line, split_label

_FACING = {"b": "facing a bet", "r": "facing a raise", "a": "facing an all-in"}


def decision_words(label: str, public: str, line: str) -> str:
    """Return what the player to act faces, from the `public` cards and the `line` so far.

    An infoset that tells neither is named by its label, unless that is all there is to tell.
    """
    if not is_betting_line(line):
        return f"{line}, {public} on the board" if public else line
    if not line and not public:
        player, known = split_label(label)
        is_ours = player is not None and not known.line
        return "opening action" if is_ours else label
    street = line.rsplit("/", 1)[-1]
    words = _street_words(street, is_first="/" not in line)
    if not public:
        return words
    joint = "," if "after" in words else " after"
    return f"{words}{joint} {public} on the board"


def _street_words(street: str, *, is_first: bool) -> str:
    if not street:
        return "opening action" if is_first else "first to act"
    last = street[-1]
    if last in _FACING:
        # Who checked and is bet into acts again.
        return f"{_FACING[last]} after checking" if street == "cb" else _FACING[last]
    if last == "c":
        return "after a check" if set(street) == {"c"} else "after a call"
    return "after a fold"
