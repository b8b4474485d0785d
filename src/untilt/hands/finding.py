"""Hands of a folder that was imported, with filters."""

import os

from untilt.formats.base.files import path_of
from untilt.hands.reading import HandStream
from untilt.hands.store.filters import Filter
from untilt.hands.store.hand_store import HandStore


def find(
    folder: str | os.PathLike[str],
    *,
    player: str | None = None,
    pot: str | None = None,
    street: str | None = None,
    line: str | None = None,
) -> HandStream:
    """Return the hands of an imported folder in which a player takes part, and so on.

    `player` is a name, or `me` for the owner of the records. `pot` is in big blinds, such as
    `>20bb` or `10-20bb`. `street` is the name of one that the hand got to. `line` are the actions
    with which that street begins, or any street, such as `check, bet, ?`. Raises InvalidOption,
    with the nearest names, if the player takes part in no hand.

    >>> import tempfile, pathlib, untilt
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "match.log").write_text("STATE:0:cr300f:AhKd|QsJc:100|-100:Ann|Bob")
    >>> _ = untilt.hands.import_hands(folder / "match.log", folder / "hands")
    >>> [hand.number for hand in untilt.hands.find(folder / "hands", line="call, raise")]
    ['0']
    >>> len(list(untilt.hands.find(folder / "hands", pot=">20bb")))
    0
    """
    wanted = Filter(player, pot, street, line)
    store = HandStore(path_of(folder))
    store.verify_player(player)
    return HandStream(store.folder, (found.hand for found in store.hands(wanted)))
