"""Drives the shards of a computation on any engine, and restores what is lost.

All groups perform the same steps with the same inputs. The inputs since the last checkpoint are
logged: if a worker is lost, the others load its groups from their files and repeat the logged
steps, which gives the same state. That takes a fraction of the time that a new process takes to
start; once a new worker has started, it takes over groups from the others. Which worker holds a
group does not affect the result.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from untilt.distributed.engine import Call, Engine, WorkerLost
from untilt.distributed.memory_check import find_shortage
from untilt.distributed.plan import least_busy, shared_out
from untilt.distributed.shard import Build, Message
from untilt.errors import ClusterError, FormatError
from untilt.formats.run.shard_folder import ShardFolder

MOST_LOSSES = 5
"""How many workers may be lost one after another before a step is done."""
_MOST_LOGGED_BYTES = 256 << 20
_SAVE_SECONDS = 1.5
"""Time between checkpoints that only guard against lost workers; longer if saving is slow."""
_MOST_SAVING_SHARE = 0.025
_SAVED_PER_SECOND = 1e9
"""Bytes of state, assumed until a save has been timed: the speed of a fast disk."""

OnLoss = Callable[[str], None]
"""Called with a message that says what was lost and what is being done about it."""

Answers = dict[int, Any]
Request = tuple[Any, ...]
"""The name of a host's method, and its arguments."""


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
        """`sizes` are the sizes of the groups' states in bytes, by which groups are shared out."""
        self._engine = engine
        self._build = build
        self._sizes = sizes
        self._folder = folder
        self._on_loss = on_loss
        self._held = self._shares()
        self._step = 0
        self._saved: int | None = None
        """The step of the checkpoint from which lost groups are loaded; None: the beginning."""
        self._log: list[Message] = []
        self._logged_bytes = 0
        self._saved_at = time.monotonic()
        self._save_seconds = sum(sizes) / _SAVED_PER_SECOND
        self._losses = 0
        self._can_lose = engine.can_lose_workers
        self._open()

    def advance(self, inputs: Message) -> list[Message]:
        """Let all groups do the next step; return their answers, in the order of the groups.

        Arrays in the answers are valid until the next request to the groups.
        """
        self._welcome()
        step = self._step + 1
        sent = self._engine.post(inputs)
        answers = self._everywhere(lambda groups: ("advance", groups, step, sent))
        self._log.append(inputs)
        self._logged_bytes += _num_bytes(inputs)
        self._step, self._losses = step, 0
        if self._can_lose and self._is_saving_due():
            self._save(lasts=False)
        return _in_order(answers)

    def ask(self, inputs: Message) -> list[Message]:
        """Return what all groups answer, in their order, without changing them.

        Arrays in the answers are valid until the next request to the groups.
        """
        sent = self._engine.post(inputs)
        answers = self._everywhere(lambda groups: ("ask", groups, sent))
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
        folder = self._folder.begin(step, after=self._saved)
        self._everywhere(lambda groups: ("save", groups, folder))
        self._folder.finish(step, len(self._sizes), lasts=lasts)
        self._saved, self._log, self._logged_bytes = step, [], 0
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - begin
        return folder

    def _is_saving_due(self) -> bool:
        """Whether too much would have to be recomputed if a worker were lost now."""
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
        self._everywhere(self._open_request)
        self._losses = 0

    def _open_request(self, groups: list[int]) -> Request:
        return ("open", groups, self._build, *self._beginning())

    def _beginning(self) -> tuple[int, Path | None]:
        """Return the step from which a lost group is recomputed, and where its files are."""
        return (0, None) if self._saved is None else (self._saved, self._folder.at(self._saved))

    def _everywhere(
        self, request: Callable[[list[int]], Request], groups: Iterable[int] | None = None
    ) -> Answers:
        """Call one method for some groups, by default all; return the answer of each group."""
        wanted = set(range(len(self._sizes)) if groups is None else groups)
        answers: Answers = {}
        pending = self._begin(request, wanted)
        # One at a time: all must answer, and workers that take over groups answer this call first.
        while pending:
            call = pending.pop(0)
            try:
                answers.update(call.answer())
            except WorkerLost as error:
                lost, restored = self._recover(call.worker, error)
                pending = [each for each in pending if each.worker not in lost]
                pending += self._begin(request, restored & wanted)
        return answers

    def _begin(self, request: Callable[[list[int]], Request], groups: Iterable[int]) -> list[Call]:
        return [self._engine.call(worker, *request(held)) for worker, held in self._holders(groups)]

    def _holders(self, groups: Iterable[int]) -> list[tuple[int, list[int]]]:
        """Return the workers that hold some of the groups, each with those that it holds."""
        wanted = set(groups)
        shares = ((worker, [g for g in held if g in wanted]) for worker, held in self._held.items())
        return [(worker, held) for worker, held in shares if held]

    def _recover(self, worker: int, reason: Exception) -> tuple[set[int], set[int]]:
        """Bring the groups of a lost worker to the current step on other workers.

        Return all workers that were lost in the process, and all groups whose state is again that
        before the current request.
        """
        lost: set[int] = set()
        groups: set[int] = set()
        while True:
            lost.add(worker)
            groups.update(self._held[worker])
            self._note(worker, reason)
            self._give_away(worker)
            log = self._engine.share(self._log)
            for call in [
                self._engine.call(heir, *self._open_request(held), log)
                for heir, held in self._holders(groups)
            ]:
                try:
                    call.answer()
                except WorkerLost as error:
                    worker, reason = call.worker, error
                    break
            else:
                return lost, groups

    def _give_away(self, worker: int) -> None:
        """Give the groups of a lost worker to the others, or to a new one if they have no room."""
        self._engine.replace(worker)
        orphans = self._held.pop(worker)
        if not self._newcomers() and not self._have_room(orphans):
            self._engine.await_new()
        self._held = {**self._held, **{each: [] for each in self._newcomers()}}
        if not self._held:
            raise ClusterError(
                "the cluster has no workers left; what was saved is kept: resume the run when it "
                "has some",
                is_gone=True,
            )
        self._held = self._with(orphans)

    def _shares(self) -> dict[int, list[int]]:
        """Return the groups that each worker should hold."""
        return shared_out(self._sizes, self._engine.workers)

    def _newcomers(self) -> list[int]:
        return [worker for worker in self._engine.workers if worker not in self._held]

    def _with(self, orphans: Iterable[int]) -> dict[int, list[int]]:
        """Return the groups of all workers if they also take the orphans."""
        held = {worker: list(groups) for worker, groups in self._held.items()}
        for group in orphans:
            heir = least_busy(held, self._sizes)
            held[heir] = sorted([*held[heir], group])
        return held

    def _have_room(self, orphans: Sequence[int]) -> bool:
        """Whether the remaining workers can take over the orphans at once."""
        if not self._held or self._engine.is_one_machine:
            return bool(self._held)
        taken = {
            worker: sum(self._sizes[group] for group in groups if group in orphans)
            for worker, groups in self._with(orphans).items()
        }
        try:
            return find_shortage(self._engine, taken) is None
        except WorkerLost:  # whoever calls it next will notice
            return True

    def _welcome(self) -> None:
        """Give new workers some of the groups that others hold."""
        if not self._newcomers() or self._shares() == self._held:  # more workers than groups
            return
        if self._log:
            self._save(lasts=False)
        held, shares = self._held, self._shares()  # of the workers that remain after saving
        stays = {g for each, taken in shares.items() for g in taken if g in held.get(each, ())}
        moved = set(range(len(self._sizes))) - stays
        self._everywhere(lambda groups: ("drop", groups), moved)
        if self._held is held:  # nobody was lost meanwhile
            self._held = shares
        self._everywhere(self._open_request, moved)

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
