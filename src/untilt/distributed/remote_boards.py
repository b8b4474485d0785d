"""The boards after the trunk of a spot, on the workers of a cluster."""

import mmap
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from secrets import token_hex

import numpy as np

from untilt.distributed.driver import Driver, OnLoss
from untilt.distributed.engine import Engine
from untilt.distributed.memory_check import answer_of, find_shortage
from untilt.distributed.plan import cut, num_groups, shared_out
from untilt.distributed.quantal_shard import QuantalGroups
from untilt.distributed.shard import Build, Message
from untilt.distributed.tree_shard import TreeGroups, table_bytes
from untilt.errors import Argument, ClusterError, GameTooLarge, InvalidOption
from untilt.formats.base.files import shown, storage_error
from untilt.formats.run.shard_folder import ShardFolder, read_shard, write_shard
from untilt.game.public.public_layout import Singles, layout_of
from untilt.games.holdem.spots.public_form import SpotForm
from untilt.numeric.arrays import AnyArray
from untilt.runs.spots.spot_request import SpotTask, noise_of, rule_of
from untilt.solvers.public_tree.board_group import GroupTurn, chunk_bounds, spans_of
from untilt.solvers.public_tree.methods import precision_of
from untilt.solvers.public_tree.quantal_group import QuantalAnswer, QuantalTurn
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

    def quantal_crew(
        self, request: SpotTask, form: SpotForm, folder: Path, *, is_merged: bool
    ) -> "RemoteQuantalBoards":
        """Return the crew for quantal response, on boards that are merged or not."""
        return RemoteQuantalBoards(
            self._engine, request, form, folder, self._on_loss, is_merged=is_merged
        )


class _RemoteGroups:
    """A driver of the shards of a spot."""

    def __init__(
        self,
        engine: Engine,
        form: SpotForm,
        folder: Path,
        on_loss: OnLoss | None,
        bytes_per_action: int,
        build: Callable[[tuple[tuple[int, int], ...]], Build],
        smaller: Argument | None,
    ) -> None:
        """`build` gets the chunks of groups; with the option `smaller`, less memory is needed."""
        if len(form.tree.streets) == 1:
            raise InvalidOption(
                "a river has one board, which cannot be shared out: leave out ",
                Argument("cluster"),
            )
        layout, sides = layout_of(form.tree)
        num_chunks = len(chunk_bounds(layout)) - 1
        of_chunks = [
            table_bytes(sides, bytes_per_action, spans_of(layout, chunk, chunk + 1))
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
            _verify_memory(engine, sizes, smaller)
        self._driver = Driver(engine, build(tuple(self.groups)), sizes, self._shards, on_loss)
        self._kept: dict[int, list[AnyArray]] = {}

    def _answers(self, inputs: Message) -> list[Message]:
        """Return the answers of all groups to a turn, in order."""
        learns = inputs["mode"] == LEARN
        answers = self._driver.advance(inputs) if learns else self._driver.ask(inputs)
        if inputs["keeps_dealt"]:
            self._kept[inputs["player"]] = [answer["kept"].copy() for answer in answers]
        return answers

    def _saved(self, name: str) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield arrays of both players, read from files: they need not fit into memory at once."""
        folder = self._driver.save()
        for group in range(len(self.groups)):
            arrays = read_shard(folder, group, int(folder.name))
            yield arrays[f"{name}_0"], arrays[f"{name}_1"]

    def save(self, iteration: int) -> None:
        """Save all groups; an iteration has two steps."""
        folder = self._driver.save()
        assert folder == self._shards.at(2 * iteration)

    def load(self, iteration: int) -> None:
        """Continue from a checkpoint."""
        self._driver.load(2 * iteration)

    def dealt(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield the values of deals that the last turns have kept."""
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


class RemoteBoards(_RemoteGroups):
    """The groups of a spot, as the solver of the trunk needs them."""

    def __init__(
        self,
        engine: Engine,
        request: SpotTask,
        form: SpotForm,
        folder: Path,
        on_loss: OnLoss | None,
    ) -> None:
        precision, spot = precision_of(request.options), request.subject.spot.to_dict()
        super().__init__(
            engine,
            form,
            folder,
            on_loss,
            2 * np.dtype(precision).itemsize,
            lambda groups: TreeGroups(spot, rule_of(request), precision, groups),
            Argument("precision", "int16"),
        )

    def turn(self, turn: GroupTurn) -> Iterator[Singles]:
        """Compute a turn on all workers; yield the values in the order of groups."""
        return (answer["values"] for answer in self._answers(turn._asdict()))

    def averages(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield strategy sums."""
        return self._saved("strategy_sum")


class RemoteQuantalBoards(_RemoteGroups):
    """The groups of a spot with noise, as the solver of the trunk needs them."""

    def __init__(
        self,
        engine: Engine,
        request: SpotTask,
        form: SpotForm,
        folder: Path,
        on_loss: OnLoss | None,
        *,
        is_merged: bool,
    ) -> None:
        precision, spot, noise = (
            precision_of(request.options),
            request.subject.spot,
            noise_of(request),
        )
        assert noise is not None
        betas, data = noise.betas(spot.pot), spot.to_dict()
        super().__init__(
            engine,
            form,
            folder,
            on_loss,
            np.dtype(precision).itemsize,
            lambda groups: QuantalGroups(data, is_merged, betas, precision, groups),
            Argument("precision", "float32") if precision == "float64" else None,
        )

    def begin_with(self, states: Iterator[dict[str, AnyArray]]) -> None:
        """Let groups begin with these, from files: a lost worker's groups also begin with them."""
        folder = self._shards.begin(0, after=None)
        count = 0
        for count, state in enumerate(states, 1):
            write_shard(folder, count - 1, 0, state)
        assert count == len(self.groups)
        self._shards.finish(0, count, lasts=False)
        self._driver.load(0)

    def turn(self, turn: QuantalTurn) -> Iterator[QuantalAnswer]:
        """Compute a turn on all workers; yield the answers in the order of groups."""
        return (QuantalAnswer(**answer) for answer in self._answers(turn._asdict()))

    def logs(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield the logarithms of strategies."""
        return self._saved("logs")


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


def _verify_memory(engine: Engine, sizes: Sequence[int], smaller: Argument | None) -> None:
    """Raise GameTooLarge unless the groups of each machine's workers fit into its memory."""
    shares = shared_out(sizes, engine.workers).items()
    needed = {worker: sum(sizes[group] for group in groups) for worker, groups in shares}
    found = find_shortage(engine, needed)
    if found is not None:
        raise GameTooLarge(
            f"{found.machine} would hold {found.needed_bytes / 2**30:.1f} GB, but "
            f"{found.free_bytes / 2**30:.1f} GB are free: add machines",
            *(() if smaller is None else (", or choose ", smaller)),
        )
