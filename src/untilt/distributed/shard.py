"""A shard, the part of a computation that a worker holds; and the host of a worker's shards.

A shard is a deterministic state machine. Steps are numbered, and a host remembers the last answer
of each shard: a step that is asked for again, because its answer was lost, is not done twice. A
host knows nothing of clusters; an engine calls its methods, here or in another process.
"""

import os
import platform
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from untilt import __version__
from untilt.formats.run.shard_folder import read_shard, write_shard
from untilt.numeric.arrays import AnyArray

Message = Mapping[str, Any]
"""Numbers and arrays by name; those passed to a shard are read-only, and valid until it answers."""

Result = TypeVar("Result")

_FLAGS = ("avx2", "fma", "avx512f")


class Shard(Protocol):
    """A part of a computation: its next state is a function of its state and the inputs."""

    def advance(self, inputs: Message) -> Message:
        """Do one step and return its result."""
        ...

    def ask(self, inputs: Message) -> Message:
        """Return something about the current state, which does not change."""
        ...

    def arrays(self) -> Mapping[str, AnyArray]:
        """Return the state, not copied."""
        ...

    def load(self, arrays: Mapping[str, AnyArray]) -> None:
        """Take a state; raise FormatError if it does not fit."""
        ...


Build = Callable[[int], Shard]
"""Makes the shard of a group in its initial state; sent to workers, so importable there."""


class Host:
    """The shards of one worker, by group."""

    def __init__(self) -> None:
        self._shards: dict[int, Shard] = {}
        self._steps: dict[int, int] = {}
        self._answers: dict[int, Message] = {}

    def facts(self) -> dict[str, Any]:
        """Return what must agree between machines, and where this worker is."""
        return {
            "python": platform.python_version(),
            "untilt": __version__,
            "numba": version("numba"),
            "numpy": np.__version__,
            "processor": _processor(),
            "machine": socket.gethostname(),
            "pid": os.getpid(),
        }

    def echo(self, message: Result) -> Result:
        """Return what was sent, to measure the round trip."""
        return message

    def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Do an independent task."""
        return function(*arguments)

    def read_token(self, path: Path) -> str | None:
        """Return the content of a file, or None: this shows whether a path is shared."""
        try:
            return path.read_text(encoding="ascii")
        except OSError:
            return None

    def open(
        self,
        groups: Iterable[int],
        build: Build,
        step: int,
        folder: Path | None,
        log: Iterable[Message] = (),
    ) -> dict[int, None]:
        """Take over groups at `step`, from the files in `folder`, or in their initial state.

        Then do the steps whose inputs are logged.
        """
        for group in groups:
            shard = build(group)
            if folder is not None:
                shard.load(read_shard(folder, group, step))
            self._shards[group] = shard
            self._steps[group] = step
            self._answers.pop(group, None)
            for number, inputs in enumerate(log, step + 1):
                self._advanced(group, number, inputs)
        return dict.fromkeys(groups)

    def drop(self, groups: Iterable[int]) -> dict[int, None]:
        """Forget groups, which another host will hold."""
        for group in groups:
            for kept in (self._shards, self._steps, self._answers):
                kept.pop(group, None)
        return dict.fromkeys(groups)

    def advance(self, groups: Iterable[int], step: int, inputs: Message) -> dict[int, Message]:
        """Do step number `step` of some groups, and return the result of each."""
        return {group: self._advanced(group, step, inputs) for group in groups}

    def ask(self, groups: Iterable[int], inputs: Message) -> dict[int, Message]:
        """Return the answers of some groups, without changing them."""
        return {group: self._shards[group].ask(inputs) for group in groups}

    def save(self, groups: Iterable[int], folder: Path) -> dict[int, str]:
        """Write the file of each group, and return the names."""
        return {
            group: write_shard(folder, group, self._steps[group], self._shards[group].arrays())
            for group in groups
        }

    def digest(self, groups: Iterable[int]) -> dict[int, str]:
        """Return a digest of the state of each group."""
        return {group: digest_of(self._shards[group].arrays()) for group in groups}

    def _advanced(self, group: int, step: int, inputs: Message) -> Message:
        done = self._steps[group]
        if step == done and group in self._answers:
            return self._answers[group]
        assert step == done + 1, f"group {group} is at step {done}, not before {step}"
        answer = self._shards[group].advance(inputs)
        self._answers[group], self._steps[group] = answer, step
        return answer


def _processor() -> str:
    """Return the processor that kernels are compiled for, as far as it affects the last bits.

    LLVM knows more, but loading it takes tens of megabytes in every worker.
    """
    flags: set[str] = set()
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("flags"):
                flags = set(line.split())
                break
    return " ".join([platform.machine(), *(name for name in _FLAGS if name in flags)])


def digest_of(arrays: Mapping[str, AnyArray]) -> str:
    """Return a digest of arrays with their names and types."""
    digest = blake2b(digest_size=16)
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
