"""Hands of two players as a match plays them, and simulated players with a known noise."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from untilt.formats.exchange.phh import format_phh
from untilt.game.histories.walking import Choice
from untilt.games.holdem.game import Holdem
from untilt.hands.store.importing import import_hands
from untilt.play.review.hand_record import record_hand

Chooses = Callable[[Any, random.Random], Any]
"""Returns the action at a position."""


def folder_of_hands(root: Holdem, players: dict[str, Chooses], count: int, folder: Path) -> Path:
    """Play hands between two players, who change seats, and import them."""
    rng = random.Random(7)
    parts = []
    names = list(players)
    for number in range(count):
        seats = names if number % 2 else names[::-1]
        position, moves = root, []
        while not position.terminal:
            if position.chance:
                move = position.sample(rng)
            else:
                move = players[seats[position.active]](position, rng)
            moves.append(move)
            position = position.apply(move)
        fields = {"players": seats[::-1], "hand": number, "venue": "simulation"}
        parts.append(f"[{number + 1}]\n{format_phh(record_hand(root, moves, fields))}\n")
    folder.mkdir(exist_ok=True)
    (folder / "hands.phhs").write_text("".join(parts), "utf-8")
    import_hands(folder / "hands.phhs", folder / "hands")
    return folder / "hands"


def at_random(position: Any, rng: random.Random) -> Any:
    """Choose fold, call or a bet, all equally likely."""
    asked = Choice(
        position, position.infoset(position.active), position.infoset(position.active).actions()
    )
    actions = asked.actions
    return actions[rng.randrange(min(len(actions), 3))]
