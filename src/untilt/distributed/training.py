"""The deals of a blueprint training, walked by the workers of a cluster.

Workers keep no state: a task is a chunk of deals and the tables as they were before the batch. If a
worker is lost, another walks its chunk.
"""

from collections.abc import Iterator
from dataclasses import replace

from untilt.distributed.engine import Engine
from untilt.distributed.plan import cut
from untilt.distributed.tasks import ClusterPool
from untilt.numeric.arrays import AnyArray
from untilt.runs.blueprints.blueprint_material import BlueprintMaterial
from untilt.runs.blueprints.blueprint_request import CHUNKS, BlueprintTask
from untilt.solvers.blueprint.tables import Singles, TrainerTables
from untilt.solvers.blueprint.trainer import DEFAULT_BATCH, Additions, Trainer

Learnt = tuple[AnyArray, AnyArray]
"""Regrets and sums."""


class TrainingCluster:
    """Makes the walkers of a training on an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def walkers(self, request: BlueprintTask) -> "ClusterWalkers":
        """Return the walkers."""
        return ClusterWalkers(self._engine, request)


class ClusterWalkers:
    """Walks batches on the workers of an engine."""

    def __init__(self, engine: Engine, request: BlueprintTask) -> None:
        self._engine = engine
        self._pool = ClusterPool(engine)
        self.num_chunks = int(request.options[CHUNKS])
        # A worker walks its chunks as a trainer with small batches, which need little memory; they
        # change nothing, because its tables stay as they are.
        given = {name: value for name, value in request.options.items() if name != CHUNKS}
        self._request = replace(request, options={**given, "threads": 1, "batch": DEFAULT_BATCH})

    def walk(self, tables: TrainerTables, first: int, weights: Singles) -> Iterator[Additions]:
        """Walk deals; yield what chunks add, in their order."""
        # A copy: what the first chunks add must not be seen by later ones.
        frozen = self._engine.share((tables.regrets.copy(), tables.sums.copy()))
        chunks = cut([1] * len(weights), self.num_chunks)
        tasks = [
            (self._request, frozen, first + begin, weights[begin:end]) for begin, end in chunks
        ]
        done: dict[int, Additions] = {}
        following = 0
        for number, added in self._pool.each(walk_chunk, tasks):
            done[number] = added
            while following in done:
                yield done.pop(following)
                following += 1


def walk_chunk(request: BlueprintTask, frozen: Learnt, first: int, weights: Singles) -> Additions:
    """Return what the deals starting at number `first` add to frozen tables."""
    trainer = _trainer_of(request)
    trainer.tables.regrets[:], trainer.tables.sums[:] = frozen
    return trainer.additions(first, weights.copy())


_trainers: dict[str, Trainer] = {}
"""The last trainer of this process: its buckets take a while to load."""


def _trainer_of(request: BlueprintTask) -> Trainer:
    key = f"{request.subject.fingerprint()} {request.identity()}"
    if key not in _trainers:
        _trainers.clear()
        _trainers[key] = BlueprintMaterial(request).solver
    return _trainers[key]
