"""Hand histories of other programs, recognised by how they begin; few of them can be read."""

import re

_BEGINNINGS = (
    ("PokerStars", r"PokerStars .{0,60}(?:Hand|Game) #"),
    ("GGPoker", r"Poker Hand #"),
    ("888poker", r"(?:#Game No : \d+\s+)?\*{5} (?:888|Cassava|Pacific)"),
    ("partypoker", r"(?:#Game No : \d+\s+)?\*{5} Hand History for Game "),
    ("Winamax", r"Winamax Poker "),
    ("Ignition or Bovada", r"(?:Ignition|Bovada|Bodog) .{0,60}Hand #"),
    ("CoinPoker", r"CoinPoker Hand #"),
    ("the Winning Poker Network", r"(?:Game )?Hand #\d+ - "),
    ("Full Tilt Poker", r"Full Tilt Poker Game #"),
    ("iPoker", r"(?:<\?xml[^>]{0,100}>\s*)?<session[\s>]"),
    ("Open Hand History", r"\{\s*\"ohh\"\s*:"),
    ("the ACPC dealer", r"(?:#[^\n]*\n)*STATE:\d+:"),
)
READABLE = {"PokerStars", "GGPoker", "the ACPC dealer"}
"""Those that `untilt.hands` reads."""
_ANY = re.compile(
    "|".join(f"(?P<_{place}>{pattern})" for place, (_, pattern) in enumerate(_BEGINNINGS))
)


def program_of(text: str) -> str | None:
    """Return the program or format that wrote a hand history; None if it is not known."""
    found = _ANY.match(text.lstrip("\ufeff \t\r\n")[:1_000])
    if found is None:
        return None
    assert found.lastgroup is not None
    return _BEGINNINGS[int(found.lastgroup[1:])][0]
