"""Training blueprints, new or continued, and the result.

    trainer = BlueprintTrainer(stack="20bb", menu="0.5,1,a", threads=2, checkpoint_dir="bp")
    trainer.train(seconds=60)
    trainer.save("blueprint.bin")

An iteration is one deal: sixteen hands of the learning player against one hand of the opponent, on
one board, learnt from in both seats.
"""

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.blueprint import Blueprint, blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.dealer import CardDealer
from untilt.abstraction.expressions import parse_menu
from untilt.abstraction.menus import Menu, by_street, capped_bets, sizes
from untilt.errors import Argument, GameTooLarge, InvalidOption, RunError
from untilt.evaluation.best_response import Evaluation
from untilt.formats.blueprint_file import write_blueprint
from untilt.formats.blueprint_path import FILE_NAME
from untilt.formats.checkpoint import NEWEST, PREVIOUS
from untilt.formats.files import path_of, shown
from untilt.formats.run_folder import RunFolder
from untilt.games.holdem.rules import LARGEST_STACK, HoldemRules
from untilt.games.holdem.sizes import STREETS
from untilt.number import Amount
from untilt.numeric.arrays import Floats
from untilt.numeric.free_memory import available_bytes
from untilt.options.blueprint import RULE
from untilt.runs.blueprint_gauge import ResponseGauge
from untilt.runs.blueprint_request import (
    CHUNKS,
    BlueprintRequest,
    checked_options,
    read_blueprint_request,
    request_of,
    training_stop,
)
from untilt.runs.drive import Drive
from untilt.runs.loading import restore_solver
from untilt.runs.material import Times
from untilt.runs.recorder import Recorder
from untilt.runs.request import describe
from untilt.runs.stop import Stop
from untilt.runs.watching import Status, Watcher, report_nothing
from untilt.solvers.blueprint.tables import SPARSE, table_bytes, used_bytes
from untilt.solvers.blueprint.trainer import Trainer, Walkers

DEFAULT_MENU = "0.5, 1, 2, a / 0.5, 1, a"
"""Without 2 pots before the flop, raises to 5 big blinds are read as 3 or as all-in, and win."""
DEFAULT_CAP = 4
"""The most bets and raises on a street, a blind among them."""

DEFAULT_RIVER = 9
"""Buckets on the river for each texture of the board: about 200 in all. On a board that is known to
be wet or dry, a coarse equity says more than a fine one on an arbitrary board."""

DEFAULT_CHUNKS = 8
DEFAULT_CLUSTER_BATCH = 1 << 14
"""On a cluster, tables are sent once per batch, so a batch must take longer than that."""

_CHIPS_PER_BLIND = 2


class WalkerMaker(Protocol):
    """Makes the walkers of a training's deals; see `distributed`."""

    def walkers(self, request: BlueprintRequest) -> Walkers:
        """Return the walkers."""
        ...


@dataclass(frozen=True)
class TrainedBlueprint:
    """A training that has reached its end."""

    request: BlueprintRequest
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

    @property
    def _visits(self) -> dict[str, int]:
        if self.num_visits is None or self.num_unvisited is None:
            return {}
        return {"visits": self.num_visits, "unvisited": self.num_unvisited}


@dataclass(eq=False)
class BlueprintMaterial:
    """A request with its betting, its cards and its trainer."""

    request: BlueprintRequest
    walkers: Walkers | None = None
    note: str | None = None
    has_iterations: bool = True
    is_zero_sum: bool = True
    frame_length: int | None = None
    """Frames of a blueprint would be as large as its file."""

    @cached_property
    def form(self) -> BettingForm:
        """The betting."""
        return BettingForm(self.request.rules, self.request.menu)

    @cached_property
    def solver(self) -> Trainer:
        """The trainer, the same each time."""
        options = self.request.options
        self.verify_memory()
        cards, threads = self.request.cards.build(), int(options["threads"])
        num_measured = int(options["lbr"])
        return Trainer(
            self.form.tree,
            CardDealer(cards, self.request.seed),
            self.request.discounting,
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
        return tuple(self.request.cards.sizes.values())

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
    def fingerprint(self) -> str:
        """What its checkpoints must have in common."""
        return self.request.fingerprint()

    def frame(self) -> tuple[Floats, Floats]:
        """Frames are not kept."""
        raise AssertionError("a blueprint has no frames")

    def is_sound(self) -> bool:
        """Whether the restored state gives a strategy: the trainer has checked its numbers."""
        return True

    def evaluate(self) -> Evaluation | None:
        """Return None: the quality of the strategy is not known exactly."""
        return None

    def begin(self, recorder: Recorder) -> None:
        """Write the start of the run."""
        recorder.begin(describe(self.request, self.fingerprint))

    def finish(self, recorder: Recorder, times: Times) -> TrainedBlueprint:
        """Write the strategy and the result, and return the result."""
        trained = self.trained(times, recorder.folder)
        recorder.finish(trained.to_json(), lambda folder: self.write(folder / FILE_NAME))
        return trained

    def write(self, path: Path) -> None:
        """Write the strategy found so far."""
        request, solver = self.request, self.solver
        meta = {
            **blueprint_meta(request.rules, request.menu, request.cards),
            "iterations": solver.iteration,
            "seed": request.seed,
            "rule": request.options["rule"],
        }
        write_blueprint(path, meta, self.form.tree, self.num_buckets, solver.averages())

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


def train_blueprint(
    rules: HoldemRules,
    menu: Menu,
    cards: CardAbstraction,
    *,
    iterations: int | None = None,
    time: float | None = None,
    seed: int = 0,
    output: str | Path | None = None,
    cluster: WalkerMaker | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> TrainedBlueprint:
    """Train a blueprint in a new run folder, and return the result.

    With neither `iterations` nor `time` (seconds) it trains for a minute. With a `cluster`, its
    workers walk the deals, in batches of at least DEFAULT_CLUSTER_BATCH if no other is given.
    """
    stop = training_stop(iterations, time)
    if cluster is not None:
        options = {name: value for name, value in options.items() if value is not None}
        options = {CHUNKS: DEFAULT_CHUNKS, "batch": DEFAULT_CLUSTER_BATCH, **options}
    elif options.get(CHUNKS) is not None:
        raise InvalidOption("only a cluster walks deals in chunks: give a ", Argument("cluster"))
    request = request_of(rules, menu, cards, stop, seed=seed, options=options)
    material = BlueprintMaterial(request, _walkers(request, cluster))
    material.verify_memory()
    if watcher is not None:
        watcher(Status(phase="compiling", note=material.size_note))
    folder_given = None if output is None else path_of(output)
    with Recorder.create(folder_given, "holdem", "blueprint") as recorder:
        drive = _warmed(material, recorder, watcher)
        drive.begin()
        return drive.run()


def resume_blueprint(
    path: str | Path,
    *,
    iterations: int | None = None,
    time: float | None = None,
    threads: int | None = None,
    cluster: WalkerMaker | None = None,
    watcher: Watcher | None = None,
) -> TrainedBlueprint:
    """Continue the training in the folder `path`, bit for bit as if never stopped.

    A new stop counts from its beginning: `time` is the time in all.
    """
    folder = path_of(path)
    read_blueprint_request(folder)  # before anything is written
    with Recorder.reopen(folder) as recorder:
        request, _ = read_blueprint_request(folder)
        _verify_continuable(folder)
        is_changed = iterations is not None or time is not None
        if is_changed:
            request = replace(request, stop=training_stop(iterations, time))
        if threads is not None:
            options = checked_options({**request.options, "threads": threads})
            request = replace(request, options=options)
        material = BlueprintMaterial(request, _walkers(request, cluster))
        drive = _warmed(material, recorder, watcher, is_resumed=True)
        if is_changed:
            recorder.change_stop(request.stop)
        return drive.run()


def _walkers(request: BlueprintRequest, cluster: WalkerMaker | None) -> Walkers | None:
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


def _verify_continuable(folder: Path) -> None:
    """Raise RunError if a finished training has no checkpoint: it would start over."""
    files = RunFolder(folder)
    has_checkpoint = any((folder / name).exists() for name in (NEWEST, PREVIOUS))
    if files.result_file.exists() and not has_checkpoint:
        raise RunError(
            f"{shown(folder)} has a strategy, but no checkpoint to continue from; a strategy that "
            "was imported has none: import a checkpoint"
        )


def _warmed(
    material: BlueprintMaterial,
    recorder: Recorder,
    watcher: Watcher | None,
    *,
    is_resumed: bool = False,
) -> Drive[TrainedBlueprint]:
    watch = watcher or report_nothing
    watch(Status(phase="compiling", folder=recorder.folder))
    drive = _drive(material, recorder, watch)
    if is_resumed:
        drive.restore()
    drive.warm_up()
    return drive


def _drive(
    material: BlueprintMaterial, recorder: Recorder, watcher: Watcher
) -> Drive[TrainedBlueprint]:
    drive = Drive(material, recorder, None, watcher)
    # Without room for a copy of the tables, training waits for its checkpoints.
    if material.table_bytes <= available_bytes():
        recorder.save_in_background(material.solver.state())
    return drive


def rules_for(stack: str | int) -> HoldemRules:
    """Return no-limit hold'em for a stack such as `92.5bb`, or chips; the big blind is 2 chips."""
    allowed = "give big blinds such as 100bb or 92.5bb, or chips of half a big blind each"
    amount = Amount.read("stack", stack, allowed)
    chips = amount.times(_CHIPS_PER_BLIND if amount.is_in_bb else 1)
    if chips is None or chips > LARGEST_STACK:
        raise InvalidOption.of("stack", stack, allowed)
    return HoldemRules(stacks=(chips, chips), blinds=(1, _CHIPS_PER_BLIND))


def menu_for(menu: str | Menu, cap: int | None = None) -> Menu:
    """Return a menu with at most `cap` bets on a street.

    For sizes such as `0.5, 1, a` that is 4 by default. A `/` separates streets, and the last sizes
    apply to all later ones. Text with calls, such as `by_street(sizes('a'), sizes('0.5'))`, is
    otherwise taken as it is.
    """
    if isinstance(menu, str) and "(" not in menu:
        streets = [sizes(each) for each in menu.split("/")]
        if len(streets) > len(STREETS):
            raise InvalidOption.of("menu", menu, f"give sizes of at most {len(STREETS)} streets")
        chosen = streets[0] if len(streets) == 1 else by_street(*streets)
        return capped_bets(chosen, DEFAULT_CAP if cap is None else cap)
    given = parse_menu(menu) if isinstance(menu, str) else menu
    return given if cap is None else capped_bets(given, cap)


def cards_for(**given: Any) -> CardAbstraction:
    """Return card buckets with defaults for what is None or missing.

    Those of the river follow the texture of the board, unless their number or the streets that do
    are given.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    if "river" not in chosen and "texture" not in chosen:
        chosen |= {"river": DEFAULT_RIVER, "texture": "river"}
    return CardAbstraction(**chosen)


class BlueprintTrainer:
    """Trains a blueprint from Python, step by step; see the module."""

    def __init__(
        self,
        stack: str | int = "100bb",
        cards: CardAbstraction | None = None,
        menu: str | Menu = DEFAULT_MENU,
        rule: str = RULE.default,
        *,
        seed: int = 0,
        checkpoint_dir: str | Path | None = None,
        **options: Any,
    ) -> None:
        self._request = request_of(
            rules_for(stack),
            menu_for(menu),
            cards_for() if cards is None else cards,
            Stop(),
            seed=seed,
            options={"rule": rule, **options},
        )
        _walkers(self._request, None)
        self._folder = None if checkpoint_dir is None else path_of(checkpoint_dir)
        self._material = BlueprintMaterial(self._request)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the trainer of a run folder, or of a file in it, at its last checkpoint."""
        folder = path_of(path)
        if folder.is_file():
            folder = folder.parent
        trainer = cls.__new__(cls)
        trainer._request, _ = read_blueprint_request(folder)
        trainer._folder = folder
        _walkers(trainer._request, None)
        trainer._material = material = BlueprintMaterial(trainer._request)
        loaded, _ = restore_solver(
            trainer._request, material.solver, folder, material.fingerprint, material.is_sound
        )
        if loaded is None:
            raise RunError(f"{shown(folder)} has no checkpoint yet")
        return trainer

    @property
    def iterations(self) -> int:
        """Deals learnt from so far."""
        return self._material.solver.iteration

    def train(
        self, seconds: float | None = None, iterations: int | None = None
    ) -> TrainedBlueprint:
        """Train for this time, or for this many more deals, and return the result."""
        before = self._material.solver.seconds, self.iterations
        stop = training_stop(
            None if iterations is None else before[1] + iterations,
            None if seconds is None else before[0] + seconds,
        )
        material = self._material
        material.request = replace(self._request, stop=stop)
        if self._folder is None:
            return _run(_drive(material, Recorder(), report_nothing))
        if RunFolder(self._folder).run_file.exists():
            with Recorder.reopen(self._folder) as recorder:
                drive = _drive(material, recorder, report_nothing)
                drive.restore()
                recorder.change_stop(stop)
                return _run(drive)
        with Recorder.create(self._folder, "holdem", "blueprint") as recorder:
            drive = _drive(material, recorder, report_nothing)
            drive.begin()
            return _run(drive)

    def save(self, path: str | Path) -> Blueprint:
        """Write the strategy found so far, and return it."""
        self._material.write(path_of(path))
        return Blueprint(path)


def _run(drive: Drive[TrainedBlueprint]) -> TrainedBlueprint:
    drive.warm_up()
    return drive.run()
