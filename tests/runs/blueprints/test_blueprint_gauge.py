"""Local best response at moments of a training."""

import json
from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.exploitation import exploit
from untilt.exploitation.measuring.variants import ON_TREE
from untilt.exploitation.tree_response import TreeResponse
from untilt.runs.blueprints.trainer import menu_for, resume_blueprint, rules_for, train_blueprint
from untilt.runs.watching import Status

__all__ = ["stored"]  # a fixture

RULES = rules_for("5bb")
MENU = menu_for("1, a", 3)
NUM_DEALS = 150


def rows(folder: Path) -> list[dict[str, float]]:
    lines = (folder / "progress.jsonl").read_text("utf-8").splitlines()
    return [row for row in map(json.loads, lines) if "iteration" in row]


@pytest.mark.long
def test_local_best_response_is_measured_when_training_has_doubled_and_at_its_end(
    stored: Path, tmp_path: Path
) -> None:
    cards = CardAbstraction(flop=200, turn=100, river=50, threads=1)
    told: list[Status] = []
    train_blueprint(
        *(RULES, MENU, cards),
        iterations=300,
        batch=32,
        lbr=NUM_DEALS,
        finish=False,  # the gauge measures what is learnt
        output=tmp_path / "bp",
        watcher=told.append,
    )
    found = {row["iteration"]: row["lbr"] for row in rows(tmp_path / "bp") if "lbr" in row}
    assert list(found) == [32, 64, 128, 256, 300]
    response = TreeResponse.of(Blueprint(tmp_path / "bp" / "blueprint.bin"))
    gains = response.gains(0, NUM_DEALS, response.usual()).mean(axis=2)
    even, odd = gains[::2].mean(axis=0), gains[1::2].mean(axis=0)
    assert found[300] == pytest.approx(250.0 * (even[odd.argmax()] + odd[even.argmax()]))
    assert told[-1].lbr == found[300]
    # It is what is measured afterwards, on the same deals and with the same interval.
    afterwards = exploit.local_best_response(tmp_path / "bp", 2 * NUM_DEALS, variants=ON_TREE)
    assert found[300] == pytest.approx(afterwards.mbb)
    assert afterwards.interval_mbb is not None
    margins = [row["lbr_margin"] for row in rows(tmp_path / "bp") if "lbr" in row]
    assert margins[-1] == pytest.approx(afterwards.interval_mbb[1] - afterwards.mbb)
    assert told[-1].lbr_margin == margins[-1]
    # It changes nothing else, and a training that goes on measures the same.
    train_blueprint(
        *(RULES, MENU, cards), iterations=300, batch=32, finish=False, output=tmp_path / "plain"
    )
    files = [(tmp_path / name / "blueprint.bin").read_bytes() for name in ("bp", "plain")]
    assert files[0] == files[1]
    train_blueprint(
        *(RULES, MENU, cards), iterations=96, batch=32, lbr=NUM_DEALS, output=tmp_path / "part"
    )
    resume_blueprint(tmp_path / "part", iterations=300)
    again = {row["iteration"]: row["lbr"] for row in rows(tmp_path / "part") if "lbr" in row}
    assert again.pop(96)
    assert again == found
