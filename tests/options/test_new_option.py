"""A new option of a kind of run is one row, and everything else comes from it.

The row is put into the source of the options of blueprints, and nothing else is changed: flag,
checks, what is said on resuming, the table of the documentation and the page must know it.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.abstraction.buckets.tables import stored

__all__ = ["stored"]  # a fixture

ROOT = Path(__file__).parents[2]

ROW = """
    Option(
        "grain",
        int,
        3,
        "How coarse the sand is.",
        checked_by(Integer(1, 9)),
        metavar="SIZE",
        also=("grit",),
    ),
"""

CHILD = """
import contextlib, io, json, runpy, sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

row, generator = sys.argv[1:]
spec = find_spec("untilt.options.blueprint")
source = Path(spec.origin).read_text()
assert source.count("    CHUNKS,\\n)") == 1
options = sys.modules[spec.name] = module_from_spec(spec)
source = source.replace("    CHUNKS,\\n)", "    CHUNKS," + row + ")")
exec(compile(source, spec.origin, "exec"), options.__dict__)
import untilt.options
untilt.options.blueprint = options

from untilt.cli.main import run
from untilt.dashboard.sources.run_facts import read_run
from untilt.errors import UntiltError

def command(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        with contextlib.redirect_stderr(io.StringIO()) as err:
            status = run([*arguments])
    return [status, out.getvalue(), err.getvalue()]

def refused(call):
    try:
        call()
    except UntiltError as error:
        return str(error)

train = ("blueprint", "train", "--stack", "5bb", "--menu", "a", "-n", "1", "--preflop", "8",
         "--flop", "200", "--turn", "100", "--river", "50")
found = {
    "help": command("blueprint", "train", "--help"),
    "refused": command(*train, "--grain", "10", "-o", "refused"),
    "trained": command(*train, "--grain", "4", "-o", "runs/bp"),
    "other name": command(*train, "--grit", "5", "-o", "runs/other"),
    "both names": command(*train, "--grit", "5", "--grain", "5", "-o", "both"),
    "resumed": command("blueprint", "train", "--resume", "runs/bp", "--grain", "4"),
}
from untilt.runs.blueprints.blueprint_request import checked_options
from untilt.runs.kinds import BLUEPRINT, read_task

found["python"] = refused(lambda: checked_options({"grain": "much"}))
file = Path("runs/bp/run.json")
stored = json.loads(file.read_text())
found["options"] = stored["options"]
found["other options"] = json.loads(Path("runs/other/run.json").read_text())["options"]
found["facts"] = read_run(file).options
file.write_text(json.dumps({**stored, "options": {**stored["options"], "grain": 99}}))
found["damaged"] = refused(lambda: read_task(Path("runs/bp"), BLUEPRINT))
tables = runpy.run_path(generator)["TABLES"]
found["table"] = list(tables["options of blueprints"]())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a program with the row says and does."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD, ROW, str(ROOT / "docs" / "generate_tables.py")],
        cwd=tmp_path_factory.mktemp("option"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    result: dict[str, Any] = json.loads(child.stdout)
    return result


def test_the_command_has_a_flag_for_it(found: dict[str, Any]) -> None:
    status, out, _ = found["help"]
    assert status == 0
    assert "--grain SIZE How coarse the sand is. By default 3." in " ".join(out.split())
    assert "--grit" not in out
    assert found["trained"][0] == 0, found["trained"]
    assert found["options"]["grain"] == 4


def test_another_name_of_it_is_accepted_but_not_beside_it(found: dict[str, Any]) -> None:
    assert found["other options"]["grain"] == 5
    assert found["both names"][0] == 2
    assert "--grain and --grit mean the same; give one of them" in found["both names"][2]


def test_it_is_checked_in_commands_in_python_and_in_files(found: dict[str, Any]) -> None:
    allowed = "it must be an integer from 1 to 9"
    assert found["refused"][0] == 2
    assert found["refused"][2] == f"error: --grain is 10; {allowed}\n"
    assert found["python"] == f"grain is 'much'; {allowed}"
    assert f"run.json is damaged (the training: 'grain is 99; {allowed}')" in found["damaged"]


def test_a_training_that_is_continued_keeps_it(found: dict[str, Any]) -> None:
    status, _, err = found["resumed"]
    assert status == 2
    assert err == (
        "error: --resume continues a training with its original settings; leave --grain out\n"
    )


def test_the_documentation_and_the_page_show_it(found: dict[str, Any]) -> None:
    row = "| `--grain` | an integer from 1 to 9 | 3 | How coarse the sand is. |"
    assert row in found["table"]
    assert found["facts"]["grain"] == 4
