"""Drives the shards of a computation on any engine, and repairs what is lost.

All groups do the same steps, each with the same inputs. Inputs are logged since the last
checkpoint: if a worker is lost, another one loads the files of its groups and does the logged
steps again, which gives the same state. Who holds a group does not matter to the result.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from untilt.distributed.engine import Call, Engine, WorkerLost
from untilt.distributed.plan import least_busy, shared_out
from untilt.distributed.shard import Build, Message
from untilt.errors import ClusterError, FormatError
from untilt.formats.shard_folder import ShardFolder

MOST_LOSSES = 5
"""Workers that may be lost one after the other before a step is done."""
_MOST_LOGGED_BYTES = 256 << 20
_SAVE_SECONDS = 1.5
"""Time between two checkpoints that are only for lost workers; longer if saving takes long."""
_MOST_SAVING_SHARE = 0.025

OnLoss = Callable[[str], None]
"""Told in words what was lost and what is done about it."""

Answers = dict[int, Any]


class Driver:
    """The groups of a computation, shared out among the workers of an engine."""

    def __init__(
        self,
        engine: Engine,
        build: Build,
        sizes: Sequence[int],
        folder: ShardFolder,
        on_loss: OnLoss | None = None,
    ) -> None:
        """`sizes` are those of the groups' states, by which they are shared out."""
        self._engine = engine
        self._build = build
        self._sizes = sizes
        self._folder = folder
        self._on_loss = on_loss
        self._held = shared_out(sizes, engine.workers)
        self._step = 0
        self._saved: int | None = None
        """The step of the checkpoint from which lost groups are loaded; None: the beginning."""
        self._log: list[Message] = []
        self._logged_bytes = 0
        self._saved_at = time.monotonic()
        self._save_seconds = 0.0
        self._losses = 0
        self._can_lose = engine.can_lose_workers
        self._open()

    def advance(self, inputs: Message) -> list[Message]:
        """Let all groups do the next step; return what they give, in the order of groups."""
        step = self._step + 1
        answers = self._everywhere(lambda groups: ("advance", groups, step, inputs))
        self._log.append(inputs)
        self._logged_bytes += _num_bytes(inputs)
        self._step, self._losses = step, 0
        if self._can_lose and self._is_saving_due():
            self._save(lasts=False)
        return _in_order(answers)

    def ask(self, inputs: Message) -> list[Message]:
        """Return what all groups answer, in their order, without changing them."""
        answers = self._everywhere(lambda groups: ("ask", groups, inputs))
        self._losses = 0
        return _in_order(answers)

    def digests(self) -> list[str]:
        """Return the digests of all groups."""
        return _in_order(self._everywhere(lambda groups: ("digest", groups)))

    def save(self) -> Path:
        """Write the files of all groups and then the manifest; return their folder."""
        return self._save(lasts=True)

    def _save(self, *, lasts: bool) -> Path:
        step = self._step
        if self._saved == step:
            self._folder.finish(step, len(self._sizes), lasts=lasts)
            return self._folder.at(step)
        begin = time.monotonic()
        folder = self._folder.begin(step)
        self._everywhere(lambda groups: ("save", groups, folder))
        self._folder.finish(step, len(self._sizes), lasts=lasts)
        self._saved, self._log, self._logged_bytes = step, [], 0
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - begin
        return folder

    def _is_saving_due(self) -> bool:
        """Whether too much would have to be computed again if a worker were lost now."""
        waited = time.monotonic() - self._saved_at
        due = max(_SAVE_SECONDS, self._save_seconds / _MOST_SAVING_SHARE)
        return waited >= due or self._logged_bytes > _MOST_LOGGED_BYTES

    def load(self, step: int) -> None:
        """Continue from the checkpoint of `step`; raise FormatError if it does not fit."""
        manifest = self._folder.manifest(step)
        if manifest.get("groups") != len(self._sizes):
            raise FormatError(
                f"the checkpoint has {str(manifest.get('groups'))[:20]} groups, not "
                f"{len(self._sizes)}"
            )
        self._step, self._saved, self._log, self._logged_bytes = step, step, [], 0
        self._open()

    def _open(self) -> None:
        """Let all groups begin from the last checkpoint."""
        self._everywhere(lambda groups: ("open", groups, self._build, *self._beginning()))
        self._losses = 0

    def _beginning(self) -> tuple[int, Path | None]:
        """Return the step from which a lost group is computed again, and where its files are."""
        return (0, None) if self._saved is None else (self._saved, self._folder.at(self._saved))

    def _everywhere(self, request: Callable[[list[int]], tuple[Any, ...]]) -> Answers:
        """Call the same method for all groups; return the answers of every group."""
        answers: Answers = {}
        pending = self._begin(request, range(len(self._sizes)))
        while pending:
            again: set[int] = set()
            for call in self._engine.wait(pending):
                if call not in pending:  # it was of a worker that is lost
                    continue
                pending.remove(call)
                try:
                    answers.update(call.answer())
                except WorkerLost as error:
                    lost, groups = self._recover(call.worker, error)
                    pending = [each for each in pending if each.worker not in lost]
                    again |= groups
            pending += self._begin(request, again)
        return answers

    def _begin(
        self, request: Callable[[list[int]], tuple[Any, ...]], groups: Iterable[int]
    ) -> list[Call]:
        calls = []
        for worker, held in self._holders(groups):
            method, *arguments = request(held)
            calls.append(self._engine.call(worker, method, *arguments))
        return calls

    def _holders(self, groups: Iterable[int]) -> list[tuple[int, list[int]]]:
        """Return the workers that hold some of the groups, with these."""
        wanted = set(groups)
        shares = ((worker, [g for g in held if g in wanted]) for worker, held in self._held.items())
        return [(worker, held) for worker, held in shares if held]

    def _recover(self, worker: int, reason: Exception) -> tuple[set[int], set[int]]:
        """Bring the groups of a lost worker to the present step, somewhere else.

        Return all workers that were lost on the way, and all groups that are now as they were
        before the present request.
        """
        lost: set[int] = set()
        groups: set[int] = set()
        while True:
            lost.add(worker)
            groups.update(self._held[worker])
            self._note(worker, reason)
            self._give_away(worker)
            for heir, held in self._holders(groups):
                try:
                    self._bring_up(heir, held)
                except WorkerLost as error:
                    worker, reason = heir, error
                    break
            else:
                return lost, groups

    def _bring_up(self, worker: int, groups: list[int]) -> None:
        begin, folder = self._beginning()
        self._answer(self._engine.call(worker, "open", groups, self._build, begin, folder))
        if self._log:
            self._answer(self._engine.call(worker, "replay", groups, begin + 1, self._log))

    def _answer(self, call: Call) -> Any:
        self._engine.wait([call])
        return call.answer()

    def _give_away(self, worker: int) -> None:
        """Replace a lost worker, or give its groups to the others."""
        if self._engine.replace(worker):
            return
        orphans = self._held.pop(worker)
        if not self._held:
            raise ClusterError(
                "the cluster has no workers left; what was saved is kept: resume the run when it "
                "has some",
                is_gone=True,
            )
        for group in orphans:
            heir = least_busy(self._held, self._sizes)
            self._held[heir] = sorted([*self._held[heir], group])

    def _note(self, worker: int, error: Exception) -> None:
        self._losses += 1
        if self._losses >= MOST_LOSSES:
            raise ClusterError(
                f"{self._losses} workers were lost one after the other before step "
                f"{self._step + 1} was done (the last: {error}); what was saved is kept: resume "
                "the run, with fewer workers on each machine if memory ran out",
                is_gone=True,
            ) from error
        if self._on_loss is not None:
            self._on_loss(f"worker {worker} was lost ({error}); its part is computed again")


def _in_order(answers: dict[int, Any]) -> list[Any]:
    return [answers[group] for group in sorted(answers)]


def _num_bytes(message: Message) -> int:
    return sum(each.nbytes for each in message.values() if isinstance(each, np.ndarray))
