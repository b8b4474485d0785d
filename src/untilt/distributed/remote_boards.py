"""The boards after the trunk of a spot, on the workers of a cluster."""

import mmap
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex

import numpy as np

from untilt.distributed.driver import Driver, OnLoss
from untilt.distributed.engine import Engine
from untilt.distributed.memory_check import answer_of, find_shortage
from untilt.distributed.plan import cut, num_groups, shared_out
from untilt.distributed.tree_shard import TreeGroups, table_bytes
from untilt.errors import Argument, ClusterError, GameTooLarge, InvalidOption
from untilt.formats.base.files import shown, storage_error
from untilt.formats.run.shard_folder import ShardFolder, read_shard
from untilt.game.public.public_layout import Singles, layout_of
from untilt.games.holdem.spots.public_form import SpotForm
from untilt.numeric.arrays import AnyArray
from untilt.runs.spots.spot_request import SpotTask, rule_of
from untilt.solvers.public_tree.board_group import GroupTurn, chunk_bounds, spans_of
from untilt.solvers.public_tree.methods import precision_of
from untilt.solvers.public_tree.sweep import LEARN


class TreeCluster:
    """Makes the crew of a spot on an engine."""

    def __init__(self, engine: Engine, on_loss: OnLoss | None = None) -> None:
        self._engine = engine
        self._on_loss = on_loss

    @property
    def is_one_machine(self) -> bool:
        """Whether all memory is on this machine."""
        return self._engine.is_one_machine

    def crew(self, request: SpotTask, form: SpotForm, folder: Path) -> "RemoteBoards":
        """Return the crew; `folder` is that of the run."""
        return RemoteBoards(self._engine, request, form, folder, self._on_loss)


class RemoteBoards:
    """A driver of tree shards, as the solver of the trunk needs it."""

    def __init__(
        self,
        engine: Engine,
        request: SpotTask,
        form: SpotForm,
        folder: Path,
        on_loss: OnLoss | None,
    ) -> None:
        if len(form.tree.streets) == 1:
            raise InvalidOption(
                "a river has one board, which cannot be shared out: leave out ",
                Argument("cluster"),
            )
        layout, sides = layout_of(form.tree)
        precision = precision_of(request.options)
        num_chunks = len(chunk_bounds(layout)) - 1
        of_chunks = [
            table_bytes(sides, precision, list(spans_of(layout, chunk, chunk + 1)))
            for chunk in range(num_chunks)
        ]
        self._shards = ShardFolder(folder)
        # A resumed run keeps the groups that it began with.
        count = self._shards.num_groups or num_groups(sum(of_chunks))
        self.groups: Sequence[tuple[int, int]] = cut(of_chunks, count)
        sizes = [sum(of_chunks[begin:end]) for begin, end in self.groups]
        self._folder = folder
        verify_shared(engine, folder)
        if not engine.is_one_machine:
            _verify_memory(engine, sizes)
        build = TreeGroups(
            request.subject.spot.to_dict(), rule_of(request), precision, tuple(self.groups)
        )
        self._driver = Driver(engine, build, sizes, self._shards, on_loss)
        self._kept: dict[int, list[Singles]] = {}

    def turn(self, turn: GroupTurn) -> Iterator[Singles]:
        """Compute a turn on all workers; yield the values in the order of groups."""
        inputs = turn._asdict()
        learns = turn.mode == LEARN
        answers = self._driver.advance(inputs) if learns else self._driver.ask(inputs)
        if turn.keeps_dealt:
            self._kept[turn.player] = [answer["kept"].copy() for answer in answers]
        return (answer["values"] for answer in answers)

    def save(self, iteration: int) -> None:
        """Save all groups; an iteration has two steps."""
        folder = self._driver.save()
        assert folder == self._shards.at(2 * iteration)

    def load(self, iteration: int) -> None:
        """Continue from a checkpoint."""
        self._driver.load(2 * iteration)

    def averages(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield strategy sums, read from files: they need not fit into memory all at once."""
        folder = self._driver.save()
        for group in range(len(self.groups)):
            arrays = read_shard(folder, group, int(folder.name))
            yield arrays["strategy_sum_0"], arrays["strategy_sum_1"]

    def dealt(self) -> Iterator[tuple[Singles, Singles]]:
        """Yield the values of deals under the average strategies."""
        yield from zip(self._kept[0], self._kept[1], strict=True)

    def room(self, size: int, dtype: np.dtype[np.generic]) -> AnyArray:
        """Return zeros in an unnamed file, which is removed with the array."""
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                file.truncate(max(size, 1) * dtype.itemsize)
                memory = mmap.mmap(file.fileno(), 0)
        except OSError as error:
            raise storage_error(self._folder, error) from error
        return np.frombuffer(memory, dtype, size)


def verify_shared(engine: Engine, folder: Path) -> None:
    """Raise ClusterError unless all workers can see the files in a folder."""
    token = token_hex(16)
    path = folder.resolve() / f".shared-{token[:8]}"
    try:
        path.write_text(token, encoding="ascii")
    except OSError as error:
        raise storage_error(folder, error) from error
    try:
        calls = [engine.call(worker, "read_token", path) for worker in engine.workers]
        for call in calls:
            if call.answer() != token:
                facts = answer_of(engine, call.worker, "facts")
                raise ClusterError(
                    f"{shown(folder)} is not shared: {facts['machine']} does not see what is "
                    "written there; give a path on a disk that all machines share with ",
                    Argument("output"),
                )
    finally:
        path.unlink(missing_ok=True)


def _verify_memory(engine: Engine, sizes: Sequence[int]) -> None:
    """Raise GameTooLarge unless the groups of each machine's workers fit into its memory."""
    shares = shared_out(sizes, engine.workers).items()
    needed = {worker: sum(sizes[group] for group in groups) for worker, groups in shares}
    found = find_shortage(engine, needed)
    if found is not None:
        raise GameTooLarge(
            f"{found.machine} would hold {found.needed_bytes / 2**30:.1f} GB, but "
            f"{found.free_bytes / 2**30:.1f} GB are free: add machines, or choose ",
            Argument("precision", "int16"),
        )
