"""Lines of betting, in letters and in words.

    letters   cb120r300c/c      words   check, bet 120, raise 300, call / check

c is a check or a call, b the first bet of a street, r a raise, a all-in, f a fold, `/` a new
street. An amount is the total that the player has put in on the street; over a blind, the first
one to put in more raises. If all bets have one size, as in Leduc, amounts are left out. Labels
and files use letters; people may type either.

What c means follows from the street so far: a call if there is something to call, else a check.
On a street that begins with blinds, there is something to call from the start.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from untilt.errors import UnknownName
from untilt.game.actions import ActionData, Kind, action_data, action_name, shown_amount

_LETTER = re.compile(r"([cfabr])(\d+(?:\.\d+)?)?")
_LETTERS = re.compile(r"(?:[cfabr](?:(?<=[abr])\d+(?:\.\d+)?)?|/)*")
_LETTER_OF = {
    Kind.FOLD: "f",
    Kind.CHECK: "c",
    Kind.CALL: "c",
    Kind.BET: "b",
    Kind.RAISE: "r",
    Kind.ALL_IN: "a",
}
_BLINDS = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*bb\b", re.IGNORECASE)
_KIND_OF = {"f": Kind.FOLD, "b": Kind.BET, "r": Kind.RAISE, "a": Kind.ALL_IN}
_AGGRESSIVE = frozenset({Kind.BET, Kind.RAISE, Kind.ALL_IN})


@dataclass(frozen=True)
class Line:
    """Moves by street, the first street first; there is always one."""

    streets: tuple[tuple[ActionData, ...], ...] = ((),)

    @property
    def letters(self) -> str:
        """The line as in labels, `cb120/c`."""
        return "/".join("".join(map(_letters_of, street)) for street in self.streets)

    @property
    def words(self) -> str:
        """The line in words, `check, bet 120 / check`."""
        return " / ".join(", ".join(move.name for move in street) for street in self.streets)

    @property
    def moves(self) -> Iterator[ActionData]:
        """All moves in order."""
        for street in self.streets:
            yield from street


def is_line(text: str) -> bool:
    """Whether a text is a line in letters; the empty one is."""
    return _LETTERS.fullmatch(text) is not None


def parse_line(text: str, *, has_blinds: bool = False) -> Line:
    """Return the line that `text` spells out, in letters, in words or in both.

    `has_blinds` says that there is something to call when the first street begins. Raises
    UnknownName for a word that is not a move.
    """
    compact = text.strip()
    if is_line(compact):
        return _from_letters(compact, has_blinds)
    streets = []
    for number, part in enumerate(compact.split("/")):
        moves: list[ActionData] = []
        has_bet = has_blinds and number == 0
        for word in filter(None, (piece.strip() for piece in part.split(","))):
            if is_line(word):
                letters = _street_of(word, has_bet or _has_bet(moves))
                moves.extend(letters)
                continue
            move = action_data(" ".join(word.lower().split()))
            if move.kind is Kind.OTHER:
                raise UnknownName(
                    f"{word[:40]!r} is not a move; a line is written like 'check, bet 120' or "
                    "'cb120', with '/' before a new street"
                )
            moves.append(move)
        streets.append(tuple(moves))
    return Line(tuple(streets))


def with_chips(text: str, bb: int) -> str:
    """Return a line or lock with big blinds of `bb` chips as chips: `bet 63` for `bet 6.3bb`."""
    return _BLINDS.sub(lambda found: f"{float(found[1]) * bb:.10g}", text)


def canonical_line(text: str) -> str:
    """Return a line typed by a user in the form of labels; other text stays as it is.

    Users' games may write their lines as they like.
    """
    try:
        return parse_line(text).letters
    except UnknownName:
        return text


def _from_letters(letters: str, has_blinds: bool) -> Line:
    return Line(
        tuple(
            _street_of(street, has_blinds and number == 0)
            for number, street in enumerate(letters.split("/"))
        )
    )


def _street_of(letters: str, has_bet: bool) -> tuple[ActionData, ...]:
    moves: list[ActionData] = []
    for found in _LETTER.finditer(letters):
        kind = _KIND_OF.get(found[1])
        if kind is None:
            kind = Kind.CALL if has_bet else Kind.CHECK
        amount = None if found[2] is None else float(found[2])
        moves.append(ActionData(action_name(kind, amount), kind, amount))
        has_bet = has_bet or kind in _AGGRESSIVE
    return tuple(moves)


def _has_bet(moves: list[ActionData]) -> bool:
    return any(move.kind in _AGGRESSIVE for move in moves)


def _letters_of(move: ActionData) -> str:
    amount = "" if move.amount is None or move.kind is Kind.CALL else shown_amount(move.amount)
    return _LETTER_OF[move.kind] + amount
