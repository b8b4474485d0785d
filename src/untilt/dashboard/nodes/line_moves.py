"""Betting lines move by move, so the page can draw their tree without parsing them."""

import re
from collections.abc import Collection

from untilt.dashboard.sources.source import Json
from untilt.game.actions import ActionData, action_data
from untilt.game.line import is_line, parse_line

# A new street belongs to the move that ended the previous one.
_MOVE = re.compile(r"(?:[cf]|[bra][\d.]*)?/|[cf]|[bra][\d.]*")
_WORD = re.compile(r"\S+")
_LETTER = re.compile(r"[^/]?/|[^/]")


def line_moves(lines: Collection[str]) -> list[Json]:
    """Return the `LineMove`s that lead to `lines`, each after the one before it.

    Lines that are not in poker notation, which users' games may have, are split at spaces if
    there are any, else letter by letter; their moves are shown as they are.
    """
    is_poker = all(map(is_line, lines))
    pattern = _MOVE if is_poker else _LETTER
    if any(_WORD.fullmatch(line) is None for line in lines if line):
        pattern = _WORD
    found: dict[str, Json] = {}
    for line in lines:
        before = ""
        for move in pattern.finditer(line):
            here = line[: move.end()]
            if here not in found:
                action = _last_move(here) if is_poker else action_data(move[0].removesuffix("/"))
                found[here] = {
                    "line": here,
                    "before": before,
                    "words": _words(here, action) if is_poker else move[0],
                    "action": None if action is None else action.to_json(),
                }
            before = here
    return list(found.values())


def _last_move(line: str) -> ActionData | None:
    """Return the last move of a line; None if a street ends without one."""
    street = parse_line(line.removesuffix("/")).streets[-1]
    return street[-1] if street else None


def _words(line: str, action: ActionData | None) -> str:
    """Return the last move of a line in words: `bet 120`, `call, next street`."""
    names = [] if action is None else [action.name]
    return ", ".join([*names, "next street"] if line.endswith("/") else names)
