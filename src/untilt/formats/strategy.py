"""Strategies on disk: `strategy.bin` of a run, and hand-written `.json` files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from untilt.errors import FormatError
from untilt.formats.container import Container, read_container, write_container
from untilt.formats.files import read_json, shown
from untilt.game.compiled import CompiledGame
from untilt.game.strategy import PlainProfile, Profile, profile_from_arrays
from untilt.numeric.arrays import Floats

KIND = "strategy"


def write_strategy(
    path: Path,
    profile: Profile,
    fingerprint: str,
    action_values: tuple[Floats, Floats] | None = None,
) -> None:
    """Write both players' behaviour, for the game with this fingerprint, atomically.

    `action_values` are what each action is worth under the profile, in chips, given that its
    infoset is reached (nan where it cannot be), per sequence; None if that is not known.
    """
    arrays = {f"behaviour_{player}": row for player, row in enumerate(profile.behaviours)}
    if action_values is not None:
        arrays |= {f"action_values_{player}": row for player, row in enumerate(action_values)}
    write_container(path, KIND, {"fingerprint": fingerprint}, arrays)


def read_strategy(path: Path, game: CompiledGame) -> Profile:
    """Return the profile that `write_strategy` wrote for `game`."""
    container = _read(path, game)
    behaviours = []
    for player, table in enumerate(game.infosets):
        behaviour = container.array(f"behaviour_{player}", np.float64, (table.num_sequences,))
        sums = np.add.reduceat(behaviour, table.first_sequence[:-1]) if len(table) else np.ones(1)
        if not (
            behaviour[0] == 1.0 and np.all(behaviour >= 0.0) and np.all(np.abs(sums - 1.0) <= 1e-9)
        ):
            raise container.error("its probabilities do not sum to 1")
        behaviours.append(behaviour)
    return profile_from_arrays(game, (behaviours[0], behaviours[1]))


def read_action_values(path: Path, game: CompiledGame) -> tuple[Floats, Floats] | None:
    """Return what each action is worth, per sequence, as `write_strategy` wrote it; None if not."""
    container = _read(path, game)
    if "action_values_0" not in container.arrays:
        return None
    first, second = (
        container.array(f"action_values_{player}", np.float64, (table.num_sequences,))
        for player, table in enumerate(game.infosets)
    )
    return first, second


def _read(path: Path, game: CompiledGame) -> Container:
    container = read_container(path, KIND, in_memory=True)
    if container.meta.get("fingerprint") != game.fingerprint():
        raise FormatError(f"{shown(path)} is a strategy of another game")
    return container


def read_plain_strategy(path: Path) -> PlainProfile:
    """Return `{label: {action: probability}}` from a JSON file.

    The file holds it as a whole, or under the key `strategy`, as our own results do.
    """
    parsed = read_json(path)
    if isinstance(parsed, Mapping) and isinstance(parsed.get("strategy"), Mapping):
        parsed = parsed["strategy"]
    if not isinstance(parsed, Mapping):
        raise FormatError(
            f"{shown(path)} is not a strategy: expected {{infoset: {{action: probability}}}}"
        )
    plain: dict[str, dict[str, Any]] = {}
    for label, actions in parsed.items():
        if not isinstance(actions, Mapping):
            raise FormatError(
                f"{shown(path)} is not a strategy: infoset {label[:80]!r} holds "
                f"{str(actions)[:40]!r} instead of {{action: probability}}"
            )
        plain[label] = dict(actions)
    return plain
