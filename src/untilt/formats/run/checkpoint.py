"""Checkpoints of a run: the newest, and the previous one in case the newest is damaged.

The new checkpoint is complete on disk before `checkpoint.bin` becomes `checkpoint.previous.bin`
and the new one takes its name. A run killed at any moment leaves at least one complete checkpoint.
`meta["fingerprint"]` identifies the game, so no run continues from the checkpoint of another game.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilt.errors import Argument, FormatError
from untilt.formats.base.container import (
    Array,
    Container,
    container_chunks,
    open_container,
    read_container,
)
from untilt.formats.base.files import complete_temporary, rename, shown, storage_error, sync_folder

KIND = "checkpoint"
NEWEST = "checkpoint.bin"
PREVIOUS = "checkpoint.previous.bin"
DAMAGED = "checkpoint.damaged.bin"


@dataclass(frozen=True, eq=False)
class LoadedCheckpoint:
    """The newest usable checkpoint; its arrays are private and writable.

    `damage` is the message for the user if the newest file was damaged and this is the previous.
    """

    container: Container
    damage: str | None


def save_checkpoint(folder: Path, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Save a checkpoint and keep the previous one; `meta` must hold the game's fingerprint."""
    if not isinstance(meta.get("fingerprint"), str):
        raise ValueError("a checkpoint needs the fingerprint of its game")
    newest = folder / NEWEST
    with complete_temporary(newest, container_chunks(KIND, meta, arrays)) as temporary:
        if _is_worth_keeping(newest):
            rename(newest, folder / PREVIOUS)
        rename(temporary, newest)
        sync_folder(folder)


def load_checkpoint(
    folder: Path, fingerprint: str, *, check: Callable[[Container], None] | None = None
) -> LoadedCheckpoint | None:
    """Return the newest sound checkpoint of the folder, None if there is no file at all.

    `check` may raise FormatError for a checkpoint whose content does not fit the solver, which
    then counts as damaged. FormatError if every file is damaged, or if one that would be used
    belongs to another game.
    """
    damages: list[str] = []
    for path in (folder / NEWEST, folder / PREVIOUS):
        try:
            container = read_container(path, KIND, in_memory=True)
            found = container.meta.get("fingerprint")
            if not isinstance(found, str):
                raise container.error("no fingerprint")
            if found == fingerprint and check is not None:
                check(container)
        except FormatError as error:
            # A run killed between the two renames leaves only the previous file: no damage.
            if not isinstance(error.__cause__, FileNotFoundError):
                damages.append(str(error))
            continue
        if found != fingerprint:
            raise FormatError(
                f"{shown(path)} belongs to another game (fingerprint {found[:16]!r}, expected "
                f"{fingerprint[:16]!r}); resume with the game it was made for, or choose another ",
                Argument("output"),
            )
        damage = f"{damages[0]}; using the previous checkpoint" if damages else None
        return LoadedCheckpoint(container, damage)
    if damages:
        raise FormatError(f"no usable checkpoint: {'; '.join(damages)}; start the run again")
    return None


def set_damaged_aside(folder: Path) -> None:
    """Rename the newest checkpoint, which is damaged, so that the previous one is kept.

    Otherwise the next save would replace the previous checkpoint with the damaged one.
    """
    newest = folder / NEWEST
    try:
        if newest.exists():
            rename(newest, folder / DAMAGED)
    except OSError as error:
        raise storage_error(newest, error) from error


def _is_worth_keeping(path: Path) -> bool:
    """Return whether a file looks like a checkpoint; its arrays are not read.

    A truncated file must not replace the previous checkpoint, from which the run was resumed.
    """
    try:
        with open_container(path, KIND):
            return True
    except FormatError:
        return False
