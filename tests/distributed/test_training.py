"""A blueprint whose deals are walked by several workers, with dealt buckets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.counting import Losing
from tests.runs.random_dealer import draw_buckets

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.distributed.engine import InProcess
from untilt.distributed.training import TrainingCluster
from untilt.errors import ClusterError, InvalidOption
from untilt.formats.base.container import read_container
from untilt.formats.run.checkpoint import KIND, NEWEST
from untilt.runs.blueprints.trainer import menu_for, resume_blueprint, rules_for, train_blueprint

RULES = rules_for("5bb")
MENU = menu_for("1, a", 3)
CARDS = CardAbstraction(preflop=169, flop=4, turn=4, river=10)
DEALS = 640


@pytest.fixture(autouse=True)
def without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_buckets(monkeypatch)


def trained(folder: Path, engine: InProcess | None, **options: Any) -> bytes:
    cluster = None if engine is None else TrainingCluster(engine)
    options = {"batch": 128, "iterations": DEALS, **options}
    train_blueprint(RULES, MENU, CARDS, output=folder, cluster=cluster, **options)
    return learnt(folder)


def learnt(folder: Path) -> bytes:
    """Return the last bits of what was learnt; a blueprint's file has only eight of each."""
    arrays = read_container(folder / NEWEST, KIND).arrays
    return arrays["regrets"].tobytes() + arrays["sums"].tobytes()


@pytest.mark.parametrize("rule", ["linear", "dcfr+"])
def test_the_number_of_workers_changes_nothing(rule: str, tmp_path: Path) -> None:
    one = trained(tmp_path / "one", InProcess(1), rule=rule, defer_averaging=0)
    for workers in (2, 3):
        folder = tmp_path / str(workers)
        assert trained(folder, InProcess(workers), rule=rule, defer_averaging=0) == one


def test_lost_workers_change_nothing(tmp_path: Path) -> None:
    expected = trained(tmp_path / "whole", InProcess(1))
    losses = {number: ("before", "after")[number % 2] for number in range(3, 45, 6)}
    engine = Losing(3, losses)
    assert trained(tmp_path / "lossy", engine) == expected
    assert engine.lost >= 5


def test_another_number_of_workers_resumes_the_training(tmp_path: Path) -> None:
    expected = trained(tmp_path / "whole", InProcess(1))
    trained(tmp_path / "halves", InProcess(2), iterations=384)
    cluster = TrainingCluster(InProcess(3))
    resume_blueprint(tmp_path / "halves", iterations=DEALS, cluster=cluster)
    assert learnt(tmp_path / "halves") == expected


@pytest.mark.parametrize("rule", ["linear", "rm"])
def test_the_sum_of_chunks_is_what_one_process_learns_from_the_same_batches(
    rule: str, tmp_path: Path
) -> None:
    """Only the order of additions differs, so numbers differ by rounding."""
    trained(tmp_path / "chunks", InProcess(2), rule=rule, chunks=5)
    trained(tmp_path / "alone", None, rule=rule)
    first, second = (Blueprint(tmp_path / name / "blueprint.bin") for name in ("chunks", "alone"))
    rows = [each.all_bytes()[0].astype(np.int64) for each in (first, second)]
    assert np.mean(np.abs(rows[0] - rows[1]) > 2) < 0.01


def test_the_number_of_chunks_is_part_of_the_result(tmp_path: Path) -> None:
    assert trained(tmp_path / "a", InProcess(2), chunks=2) != trained(
        tmp_path / "b", InProcess(2), chunks=3
    )


def test_a_training_stays_where_it_was_begun(tmp_path: Path) -> None:
    trained(tmp_path / "here", None)
    trained(tmp_path / "there", InProcess(2))
    with pytest.raises(InvalidOption, match="begun on a cluster: continue it there"):
        resume_blueprint(tmp_path / "there", iterations=2 * DEALS)
    cluster = TrainingCluster(InProcess())
    with pytest.raises(InvalidOption, match="begun without a cluster"):
        resume_blueprint(tmp_path / "here", iterations=2 * DEALS, cluster=cluster)
    with pytest.raises(InvalidOption, match="only a cluster walks deals in chunks"):
        trained(tmp_path / "c", None, chunks=2)
    with pytest.raises(InvalidOption, match="a training on a cluster needs float32"):
        trained(tmp_path / "d", InProcess(), precision="bfloat16")


def test_a_chunk_that_loses_every_worker_is_given_up(tmp_path: Path) -> None:
    engine = Losing(2, dict.fromkeys(range(20, 99), "before"))
    with pytest.raises(ClusterError, match="given up after 3 workers were lost with it") as caught:
        trained(tmp_path / "run", engine)
    assert caught.value.is_gone
