"""Strategies on disk: `strategy.bin` of a run, and hand-written `.json` files."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from untilt.errors import FormatError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.base.files import read_given_json, shown
from untilt.game.compiled import CompiledGame
from untilt.game.names.names import Names
from untilt.game.strategy.strategy import PlainProfile, Profile, is_behaviour, profile_from_arrays
from untilt.numeric.arrays import Floats

KIND = "strategy"
FILE_NAME = "strategy.bin"

Values: TypeAlias = tuple[Floats, ...]
"""The value of each action in chips, per player and sequence; nan if unknown."""


@dataclass(frozen=True, eq=False)
class StoredStrategy:
    """The content of `strategy.bin`, per player and sequence."""

    behaviours: tuple[Floats, ...]
    values: Values | None
    """None if they were not saved."""


def write_strategy(
    path: Path,
    profile: Profile,
    fingerprint: str,
    action_values: Values | None = None,
) -> None:
    """Write all players' behaviour, for the game with this fingerprint, atomically.

    `action_values` is the value of each action under the profile per sequence, in chips, given
    that its infoset is reached (nan if it cannot be reached); None if not known.
    """
    arrays = {f"behaviour_{player}": row for player, row in enumerate(profile.behaviours)}
    if action_values is not None:
        arrays |= {f"action_values_{player}": row for player, row in enumerate(action_values)}
    write_container(path, KIND, {"fingerprint": fingerprint}, arrays)


def read_strategy(path: Path, game: CompiledGame) -> Profile:
    """Return the profile that `write_strategy` wrote for `game`."""
    return read_strategy_and_values(path, game)[0]


def read_strategy_and_values(path: Path, game: CompiledGame) -> tuple[Profile, Values | None]:
    """Return profile and action values that `write_strategy` wrote; None if it wrote no values."""
    stored = read_stored_strategy(path, game.fingerprint(), game.infosets)
    return profile_from_arrays(game, stored.behaviours), stored.values


def read_stored_strategy(
    path: Path, fingerprint: str, infosets: tuple[Names, ...]
) -> StoredStrategy:
    """Return the arrays that `write_strategy` wrote for the game with these infosets."""
    container = read_container(path, KIND, in_memory=True)
    if container.meta.get("fingerprint") != fingerprint:
        raise FormatError(f"{shown(path)} is a strategy of another game; solve it again")

    def of_players(name: str) -> tuple[Floats, ...]:
        return tuple(
            container.array(f"{name}_{player}", np.float64, (table.num_sequences,))
            for player, table in enumerate(infosets)
        )

    behaviours = of_players("behaviour")
    if not all(map(is_behaviour, infosets, behaviours)):
        raise container.error("its probabilities do not sum to 1")
    values = of_players("action_values") if "action_values_0" in container.arrays else None
    if values is not None and any(np.isinf(row).any() for row in values):
        raise container.error("an action value is infinite")
    return StoredStrategy(behaviours, values)


def read_plain_strategy(path: Path) -> PlainProfile:
    """Return `{label: {action: probability}}` from a JSON file.

    It is the whole file, or the value of the key `strategy`, as in the output of `--json`.
    """
    return plain_strategy(read_given_json(path), path)


def plain_strategy(parsed: object, path: Path) -> PlainProfile:
    """Return the strategy in the content of the JSON file at `path`."""
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
