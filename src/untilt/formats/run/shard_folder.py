"""The shards of a run on a path that all workers share: a folder per checkpoint.

    shards/000000000120/group-003.bin   the state of one group at step 120
    shards/000000000120/manifest.json   written last: how many groups there are

Files are written atomically. A folder without a manifest is not complete and is ignored. Folders
that belong to a checkpoint of the run *last*: the newest two of them are kept. The others only save
time if a worker is lost: only the newest is kept.
"""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from untilt.errors import FormatError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.base.files import read_json, shown, storage_error, sync_folder, write_json
from untilt.numeric.arrays import AnyArray

FOLDER = "shards"
KIND = "shard"
FORMAT = 1
_MANIFEST = "manifest.json"
_KEPT = 2


def write_shard(folder: Path, group: int, step: int, arrays: Mapping[str, AnyArray]) -> str:
    """Write the state of a group, and return the name of the file."""
    path = _file_of(folder, group)
    write_container(path, KIND, {"format": FORMAT, "group": group, "step": step}, arrays)
    return path.name


def read_shard(folder: Path, group: int, step: int) -> dict[str, AnyArray]:
    """Return the state of a group, private and writable; raise FormatError unless it is sound."""
    container = read_container(_file_of(folder, group), KIND, in_memory=True)
    found = {name: container.meta.get(name) for name in ("format", "group", "step")}
    if found != {"format": FORMAT, "group": group, "step": step}:
        raise container.error(f"it is {str(found)[:80]}, not group {group} at step {step}")
    return container.arrays


class ShardFolder:
    """The checkpoints of a run's shards."""

    def __init__(self, run: Path) -> None:
        self.path = run.resolve() / FOLDER

    @property
    def exists(self) -> bool:
        """Whether a run has saved shards."""
        return self.path.is_dir()

    def at(self, step: int) -> Path:
        """Return the folder of a checkpoint."""
        return self.path / f"{step:012d}"

    def begin(self, step: int, *, after: int | None) -> Path:
        """Make a folder for a checkpoint, without its manifest, and return it.

        `after` is the step of the previous checkpoint, None for the first one. Checkpoints later
        than `after` come from a command that was killed, and the run did not continue from them.
        """
        self._prune(after)
        folder = self.at(step)
        try:
            (folder / _MANIFEST).unlink(missing_ok=True)
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(folder, error) from error
        return folder

    def finish(self, step: int, num_groups: int, *, lasts: bool) -> None:
        """Write the manifest, which makes a checkpoint complete."""
        folder = self.at(step)
        sync_folder(folder)
        document = {"format": FORMAT, "step": step, "groups": num_groups, "lasts": lasts}
        write_json(folder / _MANIFEST, document)

    def manifest(self, step: int) -> dict[str, Any]:
        """Return the manifest of a checkpoint; raise FormatError if it is not complete."""
        path = self.at(step) / _MANIFEST
        if not path.is_file():
            raise FormatError(f"{shown(self.at(step))} has no {_MANIFEST}: it is not complete")
        found = read_json(path)
        if (
            not isinstance(found, dict)
            or found.get("format") != FORMAT
            or found.get("step") != step
        ):
            raise FormatError(f"{shown(path)} is damaged, or of another version")
        return found

    @property
    def num_groups(self) -> int | None:
        """The number of groups of the last complete checkpoint; None if there is none."""
        steps = self.steps()
        found = self.manifest(steps[-1]).get("groups") if steps else None
        return found if isinstance(found, int) and found > 0 else None

    def steps(self, *, lasting: bool = False) -> list[int]:
        """Return the steps of complete checkpoints, ascending; all, or those that last."""
        if not self.path.is_dir():
            return []
        names = sorted(path.name for path in self.path.iterdir())
        found: list[int] = []
        for name in names:
            with suppress(FormatError, ValueError):
                if self.manifest(int(name)).get("lasts") or not lasting:
                    found.append(int(name))
        return found

    def _prune(self, newest: int | None) -> None:
        """Remove all but the last complete checkpoints up to `newest`, and incomplete ones."""
        kept: set[Path] = set()
        if newest is not None:
            lasting = [step for step in self.steps(lasting=True) if step <= newest]
            kept = {self.at(step) for step in (*lasting[-_KEPT:], newest)}
        for path in self.path.iterdir() if self.path.is_dir() else ():
            if path not in kept:
                shutil.rmtree(path, ignore_errors=True)


def _file_of(folder: Path, group: int) -> Path:
    return folder / f"group-{group:03d}.bin"
