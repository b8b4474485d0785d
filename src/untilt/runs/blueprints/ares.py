"""Blueprints in the plain exchange layout: written from run folders, and read into new ones."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from untilt.abstraction.blueprint import Blueprint, blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.menus import Menu
from untilt.errors import FormatError, InvalidOption, RunError
from untilt.formats.base.files import path_of, shown
from untilt.formats.exchange.ares_file import Header, Learning, Reader, Writer, read_header
from untilt.formats.kinds.blueprint_file import write_blueprint
from untilt.formats.kinds.blueprint_path import FILE_NAME, blueprint_file
from untilt.games.holdem.rules import HoldemRules
from untilt.runs.blueprints.blueprint_material import BlueprintMaterial, TrainedBlueprint
from untilt.runs.blueprints.blueprint_request import BlueprintSubject, discounting_of, request_of
from untilt.runs.blueprints.trainer import rules_for
from untilt.runs.drive import Drive
from untilt.runs.kinds import BLUEPRINT, read_task
from untilt.runs.recorder import Recorder
from untilt.runs.restoring import restore_solver
from untilt.runs.stop import Stop
from untilt.runs.task import describe
from untilt.runs.watching import report_nothing
from untilt.solvers.blueprint.rule import RULES
from untilt.solvers.blueprint.trainer import CHANCE, EXTERNAL, Trainer


class Imported(NamedTuple):
    """The content of a file that was imported."""

    trained: TrainedBlueprint
    is_checkpoint: bool
    num_missing: int
    """Infosets that the file lacks: they play uniformly, or start with no regrets."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as `--json` prints it."""
        return {
            "run": str(self.trained.path),
            "content": "checkpoint" if self.is_checkpoint else "strategy",
            "iterations": self.trained.iterations,
            "infosets": self.trained.num_infosets,
            "missing": self.num_missing,
            "nodes": self.trained.num_nodes,
        }


def strategy_chunks(path: str | Path) -> Iterator[bytes | memoryview]:
    """Yield the strategy of a run folder, or of its file, in the exchange layout."""
    blueprint = Blueprint(blueprint_file(path))
    iterations = blueprint.meta.get("iterations")
    header = Header(
        iterations if type(iterations) is int else 0, 0, _stack_bb(blueprint.rules), None
    )
    tables = [blueprint.table(street) for street in range(len(blueprint.num_buckets))]
    return Writer(blueprint.form.tree, blueprint.num_buckets, header).chunks(tables)


def checkpoint_chunks(path: str | Path) -> Iterator[bytes | memoryview]:
    """Yield the last checkpoint of a training, with regrets and sums, in the exchange layout."""
    folder = path_of(path)
    request, _ = read_task(folder, BLUEPRINT)
    material = BlueprintMaterial(request)
    solver = material.solver
    loaded, _ = restore_solver(request, solver, folder, material.fingerprint, material.is_sound)
    if loaded is None:
        raise RunError(f"{shown(folder)} has no checkpoint; export its strategy instead")
    state, rule = solver.state(), discounting_of(request.options)
    learning = Learning(
        alpha=rule.alpha,
        gamma=rule.gamma,
        deferred=rule.deferred,
        weight=float(state["weight"][0]),
        seed=request.seed,
        hand_nodes=solver.hand_nodes,
        seconds=solver.seconds,
        batch=int(request.options["batch"]),
        is_clipped=rule.is_clipped,
        is_full=request.options["sampling"] == CHANCE,
        has_visits=solver.counts_visits,
    )
    header = Header(solver.iteration, 0, _stack_bb(request.subject.rules), learning)
    visits = list(solver.visits()) if solver.counts_visits else []
    writer = Writer(solver.tree, material.num_buckets, header)
    return writer.chunks(list(solver.learnt()), visits)


def import_blueprint(
    path: str | Path,
    menu: Menu,
    cards: CardAbstraction,
    *,
    stack: str | int | None = None,
    output: str | Path | None = None,
) -> Imported:
    """Read a file of the exchange layout into a new run folder, and return what it holds.

    The file does not name its menu and cards, so they must be those that it was made with. A
    checkpoint becomes a training that can be resumed. `stack` is only compared with the file's.
    """
    given = path_of(path)
    header = read_header(given)
    rules = _rules_of(given, header, stack)
    request = request_of(
        BlueprintSubject(rules, menu, cards),
        Stop(iterations=max(header.iterations, 1)),
        seed=0 if header.learning is None else header.learning.seed,
        options={} if header.learning is None else _options_of(header.learning),
    )
    material = BlueprintMaterial(request)
    reader = Reader(given, material.form.tree, material.num_buckets)
    folder = None if output is None else path_of(output)
    if header.learning is not None:
        _fill(material.solver, header, header.learning, reader)
    with Recorder.create(folder, "holdem", "blueprint") as recorder:
        if header.learning is not None:
            drive = Drive(material, recorder, None, report_nothing)
            drive.begin()
            trained = drive.run()
        else:
            trained = _write_strategy(material, header, reader, recorder)
    return Imported(trained, header.learning is not None, reader.num_missing)


def _write_strategy(
    material: BlueprintMaterial, header: Header, reader: Reader, recorder: Recorder
) -> TrainedBlueprint:
    request, tree = material.request, material.form.tree
    subject = request.subject
    meta = {
        **blueprint_meta(subject.rules, subject.menu, subject.cards),
        "iterations": header.iterations,
        "seed": None,
        "rule": None,
    }
    assert recorder.folder is not None
    recorder.begin(describe(request, material.fingerprint), is_whole_or_nothing=True)
    trained = TrainedBlueprint(
        request=request,
        iterations=header.iterations,
        seconds=0.0,
        hand_nodes=0,
        num_nodes=len(tree.nodes),
        num_infosets=tree.num_infosets(material.num_buckets),
        table_bytes=material.table_bytes,
        total_seconds=recorder.total_seconds(),
        path=recorder.folder,
    )
    recorder.finish(
        trained.to_json(),
        lambda folder: write_blueprint(
            folder / FILE_NAME, meta, tree, material.num_buckets, reader.tables()
        ),
    )
    return trained


def _fill(solver: Trainer, header: Header, learning: Learning, reader: Reader) -> None:
    """Copy the content of a checkpoint into a trainer."""
    if not header.iterations:
        raise FormatError(f"{shown(reader.path)} has learnt nothing yet: start a new training")
    solver.put_learnt(reader.tables())
    solver.put_visits(reader.visits)
    solver.restore(
        {
            **solver.state(),
            "iteration": np.array([header.iterations], dtype=np.int64),
            "weight": np.array([learning.weight]),
            "total_weight": np.array([solver.rule.total_weight(header.iterations)]),
            "nodes": np.array([learning.hand_nodes], dtype=np.int64),
        }
    )
    solver.seconds = learning.seconds


def _rules_of(path: Path, header: Header, stack: str | int | None) -> HoldemRules:
    chips = header.stack_bb * _CHIPS_PER_BLIND
    if chips != round(chips):
        raise FormatError(
            f"{shown(path)} has a stack of {header.stack_bb:g} bb; whole chips of half a big blind "
            "are possible"
        )
    found = rules_for(round(chips))
    if stack is not None and rules_for(stack).stacks != found.stacks:
        raise InvalidOption.of(
            "stack", stack, f"{shown(path)} was made for {header.stack_bb:g}bb: leave it out"
        )
    return found


def _options_of(learning: Learning) -> dict[str, Any]:
    # Every pair of these traits has one rule.
    is_plain = math.isinf(learning.alpha)
    names = {(rule.is_clipped, math.isinf(rule.alpha)): name for name, rule in RULES.items()}
    return {
        "rule": names[learning.is_clipped, is_plain],
        "alpha": learning.alpha,
        "gamma": learning.gamma,
        "defer_averaging": learning.deferred,
        "batch": learning.batch,
        "sampling": CHANCE if learning.is_full else EXTERNAL,
        "visits": learning.has_visits,
    }


_CHIPS_PER_BLIND = 2


def _stack_bb(rules: HoldemRules) -> float:
    return rules.stacks[0] / rules.blinds[1]
