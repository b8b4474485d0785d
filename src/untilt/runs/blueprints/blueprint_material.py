"""The training of a blueprint: its betting, its cards, its trainer and its gauge."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.blueprint import Blueprint, blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.dealer import CardDealer
from untilt.cards.combos import CLASS_OF_COMBO, NUM_CLASSES
from untilt.charts.figures.run_curves import RunCurve
from untilt.display import Cell, html_table
from untilt.durations import shown_duration
from untilt.errors import Argument, GameTooLarge, InvalidOption
from untilt.exploitation.tree_response import TreeResponse
from untilt.formats.base.files import shown
from untilt.formats.kinds.blueprint_file import joined, quantised, write_blueprint, write_rows
from untilt.formats.kinds.blueprint_path import FILE_NAME
from untilt.formats.run.progress_table import ProgressTable
from untilt.games.pushfold.game import deals
from untilt.numeric.chosen_variant import Half, chosen_variant
from untilt.numeric.chunks import in_chunks
from untilt.numeric.free_memory import available_bytes
from untilt.result import Run
from untilt.runs.blueprints.blueprint_request import CHUNKS, BlueprintTask, discounting_of
from untilt.runs.games.material import Material, Times
from untilt.runs.recorder import Recorder
from untilt.solvers.blueprint.bucket_pairs import BucketPairs, StreetPairs, count_pairs
from untilt.solvers.blueprint.finishing import finish
from untilt.solvers.blueprint.tables import SPARSE, table_bytes, used_bytes
from untilt.solvers.blueprint.trainer import Reading, Trainer, Walkers

_CHUNK = 64
"""How many deals a thread plays at a time."""


class ResponseGauge:
    """Measures average strategies by `num_deals` deals, each played in both seats.

    The variants are those of `untilt blueprint lbr`, on the same deals each time: what changes from
    one measurement to the next is the strategy, not the luck of the cards.
    """

    def __init__(
        self, form: BettingForm, cards: CardAbstraction, num_deals: int, threads: int = 1
    ) -> None:
        self._form = form
        self._cards = cards
        self._num_deals = num_deals
        self._threads = threads

    def __call__(self, averages: Iterable[npt.NDArray[np.float32]]) -> Reading:
        """Return what the best variant wins, chosen and measured on different halves of the deals.

        It is in thousandths of a big blind per hand.
        """
        tree = self._form.tree
        response = TreeResponse(tree, self._cards, joined(quantised(tree, averages)))
        allowed = response.usual()

        def play(chunk: int) -> npt.NDArray[np.float64]:
            begin = chunk * _CHUNK
            return response.gains(begin, min(_CHUNK, self._num_deals - begin), allowed)

        gains = in_chunks(play, -(-self._num_deals // _CHUNK), self._threads, None)
        won = np.concatenate(gains).mean(axis=2)
        best = chosen_variant(Half.of_gains(won[::2]), Half.of_gains(won[1::2]))
        scale = 1_000.0 / self._form.rules.blinds[1]
        return Reading(scale * best.mean, best.interval and scale * best.margin)


class WalkerMaker(Protocol):
    """Makes the walkers of a training's deals; see `distributed`."""

    def walkers(self, request: BlueprintTask) -> Walkers:
        """Return the walkers."""
        ...


@dataclass(frozen=True, repr=False)
class TrainedBlueprint(Run[Blueprint]):
    """A training that has reached its end."""

    request: BlueprintTask
    iterations: int
    seconds: float
    hand_nodes: int
    num_nodes: int
    num_infosets: int
    table_bytes: int
    total_seconds: float
    path: Path | None
    """The run folder."""
    num_visits: int | None = None
    """How often a hand has learnt at an infoset, if visits are counted."""
    num_unvisited: int | None = None
    """Infosets at which no hand has ever learnt, if visits are counted."""
    warning: str | None = None
    is_finished: bool = True

    @cached_property
    def result(self) -> Blueprint:
        """The blueprint, read from its file."""
        if self.file is None:
            raise InvalidOption("the training was not saved; save it with BlueprintTrainer.save")
        return Blueprint(self.file)

    @property
    def progress(self) -> ProgressTable | None:
        """How it was trained; None if it was not saved."""
        return None if self.file is None else self.result.progress

    @property
    def curve(self) -> RunCurve:
        """The training with what a figure says about it."""
        return self.result.curve

    @property
    def file(self) -> Path | None:
        """The strategy."""
        return None if self.path is None else self.path / FILE_NAME

    def to_json(self) -> dict[str, Any]:
        """Return the result as `--json` prints it."""
        seconds = max(self.seconds, 1e-9)
        return {
            "infosets": self.num_infosets,
            "nodes": self.num_nodes,
            "table_bytes": self.table_bytes,
            "iterations": self.iterations,
            "iterations_per_second": self.iterations / seconds,
            "hand_nodes_per_second": self.hand_nodes / seconds,
            "seconds": self.seconds,
            "total_seconds": self.total_seconds,
            "threads": self.request.options["threads"],
            "precision": self.request.options["precision"],
            **self._visits,
            "run": None if self.path is None else str(self.path),
        }

    def __repr__(self) -> str:
        place = "not saved" if self.path is None else f"in {shown(self.path)[-120:]}"
        return (
            f"<TrainedBlueprint of hold'em, {self.request.subject.rules}: {self.iterations:,} "
            f"deals, {self.num_infosets:,} infosets, {shown_duration(self.seconds)}, {place}>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows: list[list[Cell]] = [
            ["game", str(self.request.subject.rules)],
            ["deals", self.iterations],
            ["infosets", self.num_infosets],
            ["time", shown_duration(self.seconds)],
            ["run", "not saved" if self.path is None else shown(self.path)],
        ]
        return html_table("Blueprint", rows)

    @property
    def _visits(self) -> dict[str, int]:
        if self.num_visits is None or self.num_unvisited is None:
            return {}
        return {"visits": self.num_visits, "unvisited": self.num_unvisited}


@dataclass(eq=False)
class BlueprintMaterial(Material[TrainedBlueprint]):
    """A task with its betting, its cards and its trainer."""

    request: BlueprintTask
    walkers: Walkers | None = None

    @cached_property
    def form(self) -> BettingForm:
        """The betting."""
        return BettingForm(self.request.subject.rules, self.request.subject.menu)

    @cached_property
    def solver(self) -> Trainer:
        """The trainer, the same each time."""
        options = self.request.options
        self.verify_memory()
        cards, threads = self.request.subject.cards.build(), int(options["threads"])
        num_measured = int(options["lbr"])
        return Trainer(
            self.form.tree,
            CardDealer(cards, self.request.seed),
            discounting_of(options),
            seed=self.request.seed,
            threads=threads,
            batch=int(options["batch"]),
            is_synchronised=bool(options["synchronised"]),
            precision=str(options["precision"]),
            sampling=str(options["sampling"]),
            counts_visits=bool(options["visits"]),
            gauge=ResponseGauge(self.form, cards, num_measured, threads) if num_measured else None,
            walkers=self.walkers,
        )

    @property
    def num_buckets(self) -> tuple[int, ...]:
        """Buckets of hands on each street."""
        return tuple(self.request.subject.cards.sizes.values())

    @property
    def table_bytes(self) -> int:
        """The size of the tables."""
        options = self.request.options
        return table_bytes(
            self.form.size.num_actions,
            self.num_buckets,
            str(options["precision"]),
            has_visits=bool(options["visits"]),
        )

    @property
    def _used_bytes(self) -> int:
        """The current size of the tables; the sparse form knows its size only after training."""
        is_sparse = self.request.options["precision"] == SPARSE
        return used_bytes(self.solver.tables) if is_sparse else self.table_bytes

    def verify_memory(self) -> None:
        """Raise GameTooLarge if the tables do not fit into memory."""
        needed, free = self.table_bytes, available_bytes()
        if needed > free:
            raise GameTooLarge(
                f"{self.form.size.num_nodes:,} betting nodes and {self.num_buckets} buckets need "
                f"{needed / 2**30:,.1f} GB, but {free / 2**30:.1f} GB are free: drop a size of ",
                Argument("menu"),
                ", lower ",
                Argument("cap"),
                ", or use fewer buckets",
            )

    @property
    def size_note(self) -> str:
        """How large the training is, and whether it has enough processors, in words."""
        tree, megabytes = self.form.tree, self.table_bytes / 1e6
        threads, processors = int(self.request.options["threads"]), os.cpu_count() or 1
        crowd = f"; {threads} threads share {processors} processors: fewer would be as fast"
        return (
            f"{len(tree.nodes):,} betting nodes, {tree.num_infosets(self.num_buckets):,} infosets: "
            f"tables of {megabytes:,.0f} MB, and {megabytes:,.0f} MB for checkpoints"
        ) + (crowd if threads > processors else "")

    @property
    def saves_in_background(self) -> bool:
        """Whether there is room for a copy of the tables; without, training waits."""
        return self.table_bytes <= available_bytes()

    @property
    def fingerprint(self) -> str:
        """What its checkpoints must have in common."""
        return self.request.subject.fingerprint()

    def finish(self, recorder: Recorder, times: Times) -> TrainedBlueprint:
        """Write the strategy and the result, and return the result."""
        trained = self.trained(times, recorder.folder)
        recorder.finish(trained.to_json(), lambda folder: self.write(folder / FILE_NAME))
        return trained

    def write(self, path: Path) -> None:
        """Write the strategy found so far."""
        request, solver = self.request, self.solver
        subject = request.subject
        meta = {
            **blueprint_meta(subject.rules, subject.menu, subject.cards),
            "iterations": solver.iteration,
            "seed": request.seed,
            "rule": request.options["rule"],
        }
        tree = self.form.tree
        if not request.options["finish"]:
            write_blueprint(path, meta, tree, self.num_buckets, solver.averages())
            return
        pairs, is_exact = self._bucket_pairs
        learnt, begins = joined(quantised(tree, solver.averages()))
        finished = finish(
            tree, self.num_buckets, pairs, learnt, solver.iteration, is_exact=is_exact
        )
        rows = np.split(finished, begins[1:])
        write_rows(path, {**meta, "finished": True}, tree, self.num_buckets, rows)

    @cached_property
    def _bucket_pairs(self) -> tuple[BucketPairs, bool]:
        """How buckets meet, and whether those before the flop are classes with exact equities."""
        cards = self.request.subject.cards.build()
        exact = None
        if cards.sizes["preflop"] == NUM_CLASSES:
            class_of_bucket = np.empty(NUM_CLASSES, dtype=np.int64)
            class_of_bucket[cards.buckets_on(())] = CLASS_OF_COMBO
            pairs, chosen = deals(), np.ix_(class_of_bucket, class_of_bucket)
            net = pairs.probability * (pairs.win - pairs.win.T)
            exact = StreetPairs(pairs.probability[chosen], net[chosen])
        return count_pairs(self.solver.dealer, exact), exact is not None

    def trained(self, times: Times, folder: Path | None) -> TrainedBlueprint:
        """Return the result of the training so far."""
        num_visits = num_unvisited = None
        if self.solver.counts_visits:
            totals = [
                (int(each.sum(dtype=np.int64)), int((each == 0).sum()))
                for each in self.solver.visits()
            ]
            num_visits, num_unvisited = (sum(column) for column in zip(*totals, strict=True))
        return TrainedBlueprint(
            request=self.request,
            iterations=self.solver.iteration,
            seconds=self.solver.seconds,
            hand_nodes=self.solver.hand_nodes,
            num_nodes=len(self.form.tree.nodes),
            num_infosets=self.form.tree.num_infosets(self.num_buckets),
            table_bytes=self._used_bytes,
            total_seconds=times.total_seconds,
            path=folder,
            num_visits=num_visits,
            num_unvisited=num_unvisited,
            warning=times.warning,
        )


def walkers_of(request: BlueprintTask, cluster: WalkerMaker | None) -> Walkers | None:
    """Return the walkers of the deals; raise InvalidOption if the training began differently."""
    if cluster is not None and CHUNKS not in request.options:
        raise InvalidOption(
            "the training was begun without a cluster, and continues without one: leave out ",
            Argument("cluster"),
        )
    if cluster is None and CHUNKS in request.options:
        raise InvalidOption(
            "the training was begun on a cluster: continue it there, or add ",
            Argument("cluster", "in-process"),
        )
    return None if cluster is None else cluster.walkers(request)
