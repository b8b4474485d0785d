"""Files of hands and of what they cost: how to make small ones, and what commands do with them."""

import json
import math
import random
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from tests.play.blueprints import random_blueprint
from tests.play.leaks.hands import Chooses, at_random, folder_of_hands
from tests.runs.forging import forge_json

from untilt.abstraction.menus import capped_bets, pot_fractions
from untilt.formats.base.container import container_chunks, read_container
from untilt.formats.base.files import json_bytes
from untilt.games.holdem.game import Holdem
from untilt.hands.hand_text import hand_lines
from untilt.hands.store.exporting import phhs_chunks
from untilt.hands.store.filters import Filter
from untilt.hands.store.hand_store import HandStore, gains_of
from untilt.play.leaks.reviewing import read_leaks, review
from untilt.play.leaks.tilt import tilt

_BOARDS = 2
_STREETS = 9
"""The place of the actions among the fields of a stored hand."""
_ODD_ACTIONS = ("0b-5", f"1r{10**20}", "9c0", "-1c0", "0x1", "0b", "0b1e9", "0B²", "1c0 1c0", "")


def make_hands(folder: Path) -> Path:
    """Make a blueprint, and a folder with hands that two random players played."""
    menu = capped_bets(pot_fractions(1.0, all_in=True), 2)
    blueprint = random_blueprint(folder / "bp.bin", 20, menu)
    players: dict[str, Chooses] = {"Ann": at_random, "Bob": at_random}
    return next(folder_of_hands(Holdem(blueprint.rules), players, 30, folder).glob("*.hands"))


def read_hands(path: Path) -> None:
    """Look for hands, show them and write them, as `untilt hands` does."""
    store = HandStore(path.parent)
    assert len(store.keys) <= len(store)
    for wanted in (Filter(), Filter(player="Ann"), Filter(pot=">2bb"), Filter(street="river")):
        for hand, player in store.hands(wanted):
            json_bytes(hand.to_json())
            assert repr(hand)
            assert list(hand_lines(hand))
            assert [row["position"] for row in hand.rows()] == list(hand.positions)
            assert player is None or hand.cards[player] is None or hand.positions[player]
    assert b"".join(phhs_chunks(found.hand for found in store.hands()))
    assert math.isfinite(gains_of(store.select(Filter(player="Ann")))[1])


def forger_of_hands(path: Path) -> Callable[[random.Random], bytes]:
    """Return what changes hands within the blocks of a file, whose checksums are right."""
    container = read_container(path, "hands", in_memory=True)
    ends = [0, *container.arrays["block_ends"].tolist()]
    body = container.arrays["blocks"].tobytes()
    blocks = [
        zlib.decompress(body[begin:end]).decode().split("\n") for begin, end in pairwise(ends)
    ]

    def forged(rng: random.Random) -> bytes:
        texts, changed = [list(block) for block in blocks], set[str]()
        for _ in range(rng.choice((1, 1, 2, 3))):
            block = rng.choice(texts)
            place = rng.randrange(len(block))
            hand = json.loads(block[place])
            is_sound = block[place] not in changed
            if is_sound and rng.random() < 0.5:
                street = rng.randrange(len(hand[_STREETS]))
                words = hand[_STREETS][street].split(" ")
                words[rng.randrange(len(words))] = rng.choice(_ODD_ACTIONS)
                hand[_STREETS][street] = " ".join(words)
            else:
                hand = forge_json(hand, rng)
            block[place] = json.dumps(hand, separators=(",", ":"))
            changed.add(block[place])
        packed = [zlib.compress("\n".join(block).encode()) for block in texts]
        arrays = {
            **container.arrays,
            "blocks": np.frombuffer(b"".join(packed), np.uint8),
            "block_ends": np.cumsum([len(each) for each in packed]).astype(np.int64),
            "block_crc32": np.array([zlib.crc32(each) for each in packed], np.uint32),
        }
        return b"".join(container_chunks(container.kind, container.meta, arrays))

    return forged


def make_review(folder: Path) -> Path:
    """Make a review of one of the players."""
    hands = make_hands(folder).parent
    _review(hands)
    return folder / "leaks"


def _review(hands: Path) -> None:
    folder = hands.parent
    leaks = review(
        hands, player="Ann", agent=str(folder / "bp.bin"), output=folder / "leaks", boards=_BOARDS
    )
    json_bytes(leaks.to_json())
    assert repr(leaks)


def decisions_of(folder: Path) -> Path:
    """Return the file with the decisions of a review."""
    return next(make_review(folder).glob("parts/*.bin"))


def read_review(path: Path) -> None:
    """Show a review, as `untilt hands report` and `tilt` do."""
    leaks = read_leaks(path.parent if path.name == "review.json" else path.parents[1])
    json_bytes(leaks.to_json())
    assert repr(leaks)
    assert leaks.to_html()
    assert leaks.to_csv() or not len(leaks.decisions)
    json_bytes(tilt(leaks).to_json())


def read_values(path: Path) -> None:
    """Judge the decisions again with the values of a review."""
    for part in path.parent.glob("parts/*.bin"):
        part.unlink()
    _review(path.parents[1] / "hands")
