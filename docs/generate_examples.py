"""Makes the runs that the home page opens without solving: src/untilt/dashboard/examples.

    python docs/generate_examples.py

A river, a sweep of push/fold charts and Kuhn poker, in the formats of every run and without their
checkpoints, 200 KB in all. Solutions are the same bits each time; times and versions are those of
the machine that made them, whose name and parts are left out.
"""

import json
import shutil
import tempfile
from pathlib import Path

import untilt
from untilt.games.pushfold.game import Stakes
from untilt.runs.pushfold.charts import sweep_charts
from untilt.runs.pushfold.sweep_folder import save_sweep

EXAMPLES = Path(__file__).parents[1] / "src" / "untilt" / "dashboard" / "examples"
STACKS = range(2, 21)
CREATED = "2026-11-01T12:00:00+00:00"
LEFT_OUT = ("checkpoint.bin", "checkpoint-previous.bin", ".lock")

RIVER = untilt.Spot(
    board="Td9d6hQc2s",
    ranges=(
        "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s,53s",
    ),
    pot=200,
    stack=900,
    bb=20,
    sizes=untilt.Sizes("33%, 75%, a", raises="2.5x"),
)


def make(folder: Path) -> None:
    """Write the runs into a folder."""
    untilt.solve("kuhn", "cfr+", iterations=1_000, output=folder / "kuhn")
    untilt.solve(RIVER, target=0.1, output=folder / "river")
    save_sweep(sweep_charts([Stakes(float(stack)) for stack in STACKS]), "lp", folder / "pushfold")
    for run in folder.iterdir():
        for name in LEFT_OUT:
            (run / name).unlink(missing_ok=True)
        file = run / "run.json"
        record = json.loads(file.read_text("utf-8"))
        record |= {"created": CREATED, "machine": {}, "argv": None}
        file.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        make(Path(made) / "examples")
        shutil.rmtree(EXAMPLES, ignore_errors=True)
        shutil.copytree(Path(made) / "examples", EXAMPLES)
