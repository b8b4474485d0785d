"""All kinds of files that we write: how to make a small one, and what commands do with it.

A reader ends with an UntiltError, or what it read makes sense: it asserts that.
"""

import json
import math
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.abstraction.buckets.tables import made_up
from tests.play.blueprints import random_blueprint
from tests.runs import game_runs
from tests.runs.folders import save_often
from tests.runs.forged_hands import (
    decisions_of,
    forger_of_hands,
    make_hands,
    make_review,
    read_hands,
    read_review,
    read_values,
)
from tests.runs.forging import forge_json, forged_container
from tests.runs.game_runs import load
from tests.runs.random_dealer import draw_buckets

import untilt
from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.buckets.recipe import PREFLOP, BucketRecipe
from untilt.abstraction.buckets.store import read_table, write_table
from untilt.dashboard.sources.source import FrameInfo, RunFrames
from untilt.distributed.engine import InProcess
from untilt.distributed.remote_boards import TreeCluster
from untilt.errors import RunError, UntiltError
from untilt.exploitation.measuring.measure import Tally
from untilt.exploitation.measuring.result_file import read_exploitation, write_exploitation
from untilt.formats.base.container import read_container
from untilt.formats.base.files import json_bytes
from untilt.formats.base.store import sealed
from untilt.formats.kinds.regret_file import read_regrets
from untilt.formats.kinds.solution_file import read_solution
from untilt.formats.kinds.strategy_file import read_strategy_and_values
from untilt.formats.kinds.sweep_file import Sweep, read_sweep, write_sweep
from untilt.formats.run.checkpoint import NEWEST, PREVIOUS
from untilt.formats.run.frames import FramesFile, read_frames
from untilt.formats.run.shard_folder import ShardFolder, read_shard
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.solutions import flops
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.games.holdem.spots.spot import Spot
from untilt.games.pushfold.tables.table_text import chart_lines, table_csv
from untilt.runs.batches.flop_report import load_report, report_spot
from untilt.runs.batches.grid import kept_runs, resume_grid, solve_grid
from untilt.runs.batches.pool import InTurn, Tasks
from untilt.runs.blueprints.trainer import BlueprintTrainer, menu_for, rules_for, train_blueprint
from untilt.runs.interrupt import Interrupted
from untilt.runs.pushfold.training import TrainingInterrupted, train
from untilt.runs.pushfold.training_start import prepare
from untilt.runs.solve import solve as solve_spot
from untilt.runs.spots.solutions import load_spot, resume_spot
from untilt.runs.watching import Status

RIVER = Spot("Td9d6hQc2s", ("AA, QJs, 87s:0.4", "KK, JTs, AQs"), 60, 100, Sizes("60%, a"))
TURN = Spot("Td9d6hQc", ("AA, QJs", "KK, JTs"), 60, 100, Sizes("60%"))
FLOP = Spot("Td9d6h", ("AA, QJs", "KK, JTs"), 60, 30, Sizes("a"))
LABELS = BucketRecipe(PREFLOP, 20)

Read = Callable[[Path], None]


class Kind(NamedTuple):
    """A kind of file."""

    make: Callable[[Path], Path]
    """Makes files in an empty folder and returns the one to forge."""
    read: Read
    """Does what commands do with the file, and checks that the result makes sense."""
    num_forgeries: int
    """How many forgeries the long test tries: fewer where reading takes long."""
    is_rebuilt: bool = False
    """Whether a file that is damaged is ignored, because it will be made again."""
    forger: Callable[[Path], Callable[[random.Random], bytes]] | None = None
    """Makes forgeries if `forger_of` does not reach what matters."""


def forger_of(path: Path) -> Callable[[random.Random], bytes]:
    """Return what makes forgeries of a file, whose checksums are right."""
    if path.suffix == ".json":
        document = json.loads(path.read_text(encoding="utf-8"))
        content = {name: value for name, value in document.items() if name != "checksum"}
        is_sealed = document == sealed(content)

        def forged_document(rng: random.Random) -> bytes:
            forged = forge_json(content if is_sealed else document, rng)
            return json_bytes(sealed(forged) if is_sealed else forged)

        return forged_document
    kind = path.read_bytes()[24:40].rstrip(b"\0").decode()
    container = read_container(path, kind, in_memory=True)
    return lambda rng: forged_container(container, rng, _sign)


def _sign(meta: dict[str, Any]) -> None:
    """Make the fingerprint that of the spot, as a forger would."""
    if "spot" in meta and "fingerprint" in meta:
        with suppress(UntiltError):
            meta["fingerprint"] = Spot.from_dict(meta["spot"]).fingerprint()


def _is_share(numbers: Any, slack: float = 1e-6) -> bool:
    found = np.asarray(numbers, dtype=np.float64)
    return bool(np.all((found >= -slack) & (found <= 1.0 + slack)))


def _finite(numbers: Iterable[float]) -> bool:
    return all(map(math.isfinite, numbers))


def _solution(spot: Spot, count: int, **options: Any) -> Kind:
    def make(folder: Path) -> Path:
        solve_spot(spot, iterations=20, output=folder / "run", threads=1, **options)
        return folder / "run" / "strategy.bin"

    return Kind(make, read_spot_file, count)


def read_spot_file(path: Path) -> None:
    """Show a solution as `untilt show` and the page do."""
    stored = read_solution(path)
    solution = Solution.from_stored(stored.meta, stored.snapshot)
    json_bytes(solution.to_json(per_hand=True))
    most = solution.spot.pot + solution.spot.stack
    assert _finite((*solution.ev, solution.exploitability))
    assert -0.01 <= solution.exploitability <= most
    assert repr(solution)
    _check_node(solution.root, most)
    if len(solution.spot.board) == 4:
        after = solution.at("check", "check").deal("2c")
        _check_node(after, most)


def _check_node(node: SolutionNode, most: float) -> None:
    assert _is_share(list(node.frequencies.values()))
    assert math.isclose(sum(node.frequencies.values()), 1.0, abs_tol=1e-6)
    for side in node.sides:
        assert _is_share(side.weights)
        assert _is_share(side.equity[np.isfinite(side.equity)])
        values = side.ev[side.mass > 0.0]
        assert np.all(np.abs(values) <= 1.01 * most + 1.0)


def _make_blueprint(folder: Path) -> Path:
    path = folder / "blueprint.bin"
    random_blueprint(path, stack=10, menu=menu_for("1, a", 2))
    return path


def read_blueprint_file(path: Path) -> None:
    """Look at a blueprint as `untilt blueprint chart` and agents do."""
    blueprint = Blueprint(path)
    assert blueprint.num_infosets > 0
    for mix in blueprint.chart().values():
        assert math.isclose(sum(mix.values()), 1.0, abs_tol=1e-6)
    shares = blueprint.probabilities("cc/", "AsKh", "Td9d6h")
    assert math.isclose(sum(shares.values()), 1.0, abs_tol=1e-6)
    reader = blueprint.reader()
    assert math.isclose(sum(reader.row(0, 0)), 1.0, abs_tol=1e-6)
    assert np.abs(blueprint.form.tree.nodes["stake"]).max() <= max(blueprint.rules.stacks)
    blueprint.form.after(blueprint.form.root, 0)


def _make_buckets(folder: Path) -> Path:
    path = folder / "buckets.bin"
    write_table(path, made_up(LABELS))
    return path


def _read_buckets(path: Path) -> None:
    table = read_table(path, LABELS)
    assert int(table.buckets.max()) < LABELS.buckets
    assert 0.0 <= table.spread < 1.0
    assert _is_share(table.centroids / 255)


def _make_run(folder: Path, players: int = 2) -> Path:
    parameters = {"players": players}
    untilt.solve("kuhn", "cfr+", parameters=parameters, iterations=40, output=folder / "run")
    return folder / "run"


def _make_run_of_three(folder: Path) -> Path:
    return _make_run(folder, players=3)


def _read_strategy(path: Path) -> None:
    game = game_runs.load(path.parent).game
    profile, values = read_strategy_and_values(path, game)
    assert all(_is_share(each) for each in profile.behaviours)
    assert not any(np.isinf(row).any() for row in values or ())


def _read_frames(path: Path) -> None:
    read_frames(path)
    file = FramesFile(path)
    infos = [FrameInfo(0, 0, 0.0, None)] * len(file)
    frames = RunFrames(infos, file, None)
    for position in range(len(file)):
        for strategy, values in (frames.row(position), frames.columns(slice(0, 2))):
            assert _is_share(strategy[~np.isnan(strategy)])
            assert strategy.shape == values.shape


def _make_sweep(folder: Path) -> Path:
    stacks = np.array([2.0, 5.0, 10.0])
    shares, values = np.full((3, 169), 0.5), np.full((3, 169), 0.1)
    values[:, 0] = math.nan
    facts = {"small_blind": 0.5, "ante": 0.0, "bb_ante": 0.0}
    path = folder / "sweep.bin"
    write_sweep(
        path,
        Sweep(
            **facts,
            stack=stacks,
            value=-stacks / 100.0,
            exploitability=stacks / 1e6,
            push=shares,
            call=shares,
            push_ev=values,
            call_ev=values,
            fold_ev=np.full((3, 2), -0.5),
        ),
    )
    return path


def _read_sweep(path: Path) -> None:
    sweep = read_sweep(path)
    most = 2.0 * (sweep.stack + 2.0)
    for name in ("stack", "value", "exploitability"):
        assert np.all(np.abs(getattr(sweep, name)) <= most), name
    assert np.isfinite(sweep.fold_ev).all()
    for name in ("push_ev", "call_ev"):
        assert not np.isinf(getattr(sweep, name)).any(), name


def _make_table(folder: Path) -> Path:
    chart = untilt.pushfold.chart(seats=3, stacks=[9, 7, 5], prizes=[50, 30, 20])
    chart.save(folder / "bubble.table")
    return folder / "bubble.table"


def _read_table(path: Path) -> None:
    chart = untilt.pushfold.load_chart(path)
    json_bytes(chart.to_json())
    assert repr(chart)
    assert list(chart_lines(chart))
    assert table_csv(chart)
    most = 1.01 * sum(chart.table.stacks)
    for numbers in (chart.values, chart.values_bb, chart.gains):
        assert np.all(np.abs(numbers) <= most)
    assert not abs(chart.other_nash_conv) > most


def _make_report(folder: Path, chosen: str | list[str] = "2") -> Path:
    report_spot(FLOP, chosen, iterations=5, output=folder / "report", threads=1)
    return folder / "report"


_REMEMBERED = lru_cache(64)(flops.all_flops)


def _read_report(path: Path) -> None:
    folder = (
        path if (path / "report.json").exists() else path.parents[int(path.name != "report.json")]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flops, "all_flops", _REMEMBERED)
        report = load_report(folder)
    assert report.num_missing >= 0
    shown = report.at("")
    json_bytes(shown.to_json())
    assert shown.to_csv()
    for row in (*shown.rows, shown.total) if shown.rows else ():
        known = [share for share in row.frequencies.values() if not math.isnan(share)]
        assert _is_share(known)
        assert not any(map(math.isinf, (*row.ev, *row.equity, *row.eqr)))
        assert math.isnan(row.weight) is False
        assert all(abs(value) <= 1.01 * 90 for value in row.ev if not math.isnan(value))
    assert report.num_missed >= 0


class _Unworked(InTurn):
    """Says that every run has been done: a forged grid may ask for any number of iterations."""

    def each(self, function: Callable[..., Any], tasks: Tasks) -> Iterator[tuple[int, Any]]:
        del function
        yield from ((number, {"iterations": 20, "seconds": 0.1}) for number in range(len(tasks)))


def _make_grid(folder: Path) -> Path:
    axes = ["seed=1:2", "method=cfr+,es"]
    solve_grid("kuhn", axes, common={"iterations": 20}, output=folder / "grid", keep=1)
    return folder / "grid"


def _read_grid(path: Path) -> None:
    """Show a grid, and go on with it, as `untilt solve --resume` does."""
    folder = path.parent if path.name == "grid.json" else path.parents[1]
    with suppress(RunError):  # it need not have kept a run
        kept_runs(folder)
    grid = resume_grid(folder, pool=_Unworked())
    assert grid.num_missing == 0
    json_bytes(grid.to_json())
    for row in grid.rows:
        found = [row[name] for name in ("iterations", "seconds", "exploitability", "value")]
        assert found[0] is None or found[0] >= 0
        assert _finite(number for number in found if number is not None)


_MEASURED = {"seed": 4, "best_turn": False}


def _make_measurement(folder: Path) -> Path:
    path = folder / "won.json"
    variants = ("fold or call", "all-in", "best response from the river")
    gains = {name: [0.4 * place, 2.0, -1.0] for place, name in enumerate(variants)}
    agents = {"thinking": gains, "blueprint": gains}
    write_exploitation(path, _MEASURED, Tally(2.0, 750.0, agents, gains, gains, 3.0))
    return path


def _read_measurement(path: Path) -> None:
    """Go on with a measurement, and show it, as `untilt exploit --resume` does."""
    known = read_exploitation(path, _MEASURED)
    assert known.so_far.deals == known.deals
    if known.deals:
        found = known.result("agent")
        json_bytes(found.to_json())
        assert repr(found)
        for gain in found.gains:
            assert _finite((gain.mbb, *(gain.interval or ())))


def _watch_until(iteration: int) -> Callable[[Any], None]:
    def watch(status: Any) -> None:
        if isinstance(status, Status):
            progress = status.progress
            if progress is not None and (progress.iteration or 0) >= iteration:
                raise KeyboardInterrupt
        elif getattr(status, "hands", 0) >= iteration:
            raise KeyboardInterrupt

    return watch


def _interrupted(folder: Path, work: Callable[[Path], object]) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        save_often(patch)
        with pytest.raises((Interrupted, TrainingInterrupted)):
            work(folder)
    (folder / PREVIOUS).unlink(missing_ok=True)
    return folder / NEWEST


def _spot_checkpoint(**options: Any) -> Kind:
    def make(folder: Path) -> Path:
        return _interrupted(
            folder / "run",
            lambda run: solve_spot(
                RIVER, iterations=400, output=run, threads=1, watcher=_watch_until(100), **options
            ),
        )

    return Kind(make, read_stopped_spot, 1_200)


def read_stopped_spot(path: Path) -> None:
    """Show the last checkpoint of a spot, and go on from it."""
    solution = load_spot(path.parent)
    most = solution.spot.pot + solution.spot.stack
    assert _finite((*solution.ev, solution.exploitability))
    assert solution.exploitability <= most
    _check_node(solution.root, most)


def _blueprint_checkpoint(precision: str) -> Kind:
    cards = CardAbstraction(preflop=169, flop=4, turn=4, river=10, threads=1)

    def make(folder: Path) -> Path:
        rule = "dcfr+" if precision == "sparse" else "linear"
        with pytest.MonkeyPatch.context() as patch:
            draw_buckets(patch)
            train_blueprint(
                rules_for(8),
                menu_for("a", 2),
                cards,
                iterations=256,
                batch=32,
                threads=1,
                rule=rule,
                precision=precision,
                output=folder / "run",
            )
        (folder / "run" / PREVIOUS).unlink(missing_ok=True)
        return folder / "run" / NEWEST

    return Kind(make, _read_trained, 2_500)


def _read_trained(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        draw_buckets(patch)
        trainer = BlueprintTrainer.load(path.parent)
        solver = trainer._material.solver
        solver.train(solver.iteration + 64)
        average = solver._first_street()
        assert _is_share(average, 1e-3)
        for name, numbers in solver.state().items():
            assert numbers.dtype.kind != "f" or np.isfinite(numbers).all(), name


def _make_training(folder: Path) -> Path:
    settings = prepare(None, {"seed": 3, "bytes": 2, "stack": 5.0})
    return _interrupted(
        folder / "run",
        lambda run: train(settings, hands=60_000, output=run, watcher=_watch_until(20_000)),
    )


def _read_training(path: Path) -> None:
    run = load(path.parent)
    assert run.evaluation is not None
    assert _finite((run.evaluation.value, run.evaluation.exploitability))
    assert all(_is_share(each) for each in run.profile.behaviours)


def _make_regrets(folder: Path) -> Path:
    path = folder / "regret.dat"
    train(prepare(path, {"seed": 3, "stack": 5.0}), hands=20_000, path=path, output=folder / "run")
    return folder / "regret.dat.json"


def _read_regrets(path: Path) -> None:
    found = read_regrets(path.with_suffix(""))
    prepare(path.with_suffix(""), {})
    assert found.origin is None or found.origin.hands >= 0


def _make_shards(folder: Path) -> Path:
    run = folder / "run"
    cluster = TreeCluster(InProcess(2))
    _interrupted(
        run,
        lambda path: solve_spot(
            TURN, iterations=60, output=path, cluster=cluster, watcher=_watch_until(20)
        ),
    )
    shards = ShardFolder(run)
    return next(shards.at(shards.steps()[-1]).glob("*.bin"))


def _read_shards(path: Path) -> None:
    step = int(path.parent.name)
    run = path.parents[2]
    if path.suffix == ".bin":
        read_shard(path.parent, int(path.stem[-3:]), step)
    solution = resume_spot(run, iterations=step // 2 + 1, cluster=TreeCluster(InProcess(2)))
    assert _finite((*solution.ev, solution.exploitability))


def _named(make: Callable[[Path], Path], name: str) -> Callable[[Path], Path]:
    return lambda folder: make(folder) / name


def _json_of_spot(name: str) -> Kind:
    make = _solution(RIVER, 0).make
    return Kind(
        lambda folder: make(folder).with_name(name), lambda path: _load_spot(path.parent), 1_000
    )


def _load(folder: Path) -> None:
    assert repr(game_runs.load(folder))


def _load_spot(folder: Path) -> None:
    assert repr(game_runs.load_spot(folder))


KINDS: dict[str, Kind] = {
    "solution of a river": _solution(RIVER, 6_000),
    "solution in 16 bits": _solution(RIVER, 3_000, precision="int16"),
    "solution of a turn": _solution(TURN, 4_000),
    "quantal solution of a river": _solution(RIVER, 3_000, noise="5%"),
    "quantal solution of a turn": _solution(TURN, 3_000, noise="oop=2%,ip=10%"),
    "blueprint": Kind(_make_blueprint, read_blueprint_file, 4_000),
    "buckets": Kind(_make_buckets, _read_buckets, 25_000),
    "strategy": Kind(_named(_make_run, "strategy.bin"), _read_strategy, 3_000),
    "frames": Kind(_named(_make_run, "frames.bin"), _read_frames, 3_000),
    "strategy of three players": Kind(
        _named(_make_run_of_three, "strategy.bin"), _read_strategy, 2_000
    ),
    "frames of three players": Kind(_named(_make_run_of_three, "frames.bin"), _read_frames, 1_000),
    "sweep": Kind(_make_sweep, _read_sweep, 18_000),
    "charts of a table": Kind(_make_table, _read_table, 3_000),
    "hands": Kind(make_hands, read_hands, 2_000),
    "hands within their blocks": Kind(make_hands, read_hands, 5_000, forger=forger_of_hands),
    "folder of hands": Kind(
        lambda folder: make_hands(folder).with_name("hands.json"),
        read_hands,
        200,
    ),
    "decisions of a review": Kind(decisions_of, read_review, 1_500),
    "review of hands": Kind(_named(make_review, "review.json"), read_review, 1_000),
    "values of a review": Kind(
        _named(make_review, "values-0.bin"), read_values, 300, is_rebuilt=True
    ),
    "report": Kind(_named(_make_report, "report.json"), _read_report, 4_000),
    "report of named flops": Kind(
        lambda folder: _make_report(folder, ["2c7dKh", "AsKs2h"]) / "report.json",
        _read_report,
        800,
    ),
    "flop of a report": Kind(
        lambda folder: next(_make_report(folder).glob("flops/*.json")),
        _read_report,
        1_500,
        is_rebuilt=True,
    ),
    "grid": Kind(_named(_make_grid, "grid.json"), _read_grid, 1_000),
    "run of a grid": Kind(
        lambda folder: min(_make_grid(folder).glob("cells/*.json")),
        _read_grid,
        1_000,
        is_rebuilt=True,
    ),
    "measurement": Kind(_make_measurement, _read_measurement, 6_000),
    "checkpoint of a spot": _spot_checkpoint(),
    "checkpoint in 16 bits": _spot_checkpoint(precision="int16"),
    "quantal checkpoint of a spot": _spot_checkpoint(noise="1%"),
    **{
        f"checkpoint of a blueprint, {precision}": _blueprint_checkpoint(precision)
        for precision in ("float32", "float16", "bfloat16", "sparse")
    },
    "checkpoint of a training": Kind(_make_training, _read_training, 400),
    "sidecar of regrets": Kind(_make_regrets, _read_regrets, 12_000),
    "run.json": Kind(_named(_make_run, "run.json"), lambda path: _load(path.parent), 4_000),
    "result.json": Kind(_named(_make_run, "result.json"), lambda path: _load(path.parent), 1_500),
    "run.json of three players": Kind(
        _named(_make_run_of_three, "run.json"), lambda path: _load(path.parent), 2_000
    ),
    "result.json of three players": Kind(
        _named(_make_run_of_three, "result.json"), lambda path: _load(path.parent), 500
    ),
    "run.json of a spot": _json_of_spot("run.json"),
    "result.json of a spot": _json_of_spot("result.json"),
    "shard": Kind(_make_shards, _read_shards, 1_000),
    "manifest of shards": Kind(
        lambda folder: _make_shards(folder).with_name("manifest.json"),
        _read_shards,
        300,
        is_rebuilt=True,
    ),
}
