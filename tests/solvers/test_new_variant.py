"""A new variant is one row of the table of methods, as CONTRIBUTING.md shows it.

The row is put into the source of the table, and nothing else is changed: the commands, the
explanation of its rule, checkpoints and the tables of the documentation must know it.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

CHILD = """
import contextlib, io, json, runpy, sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

row, generator = sys.argv[1:]
spec = find_spec("untilt.solvers.methods")
source = Path(spec.origin).read_text()
assert source.count("_ROWS = (\\n") == 1
methods = sys.modules[spec.name] = module_from_spec(spec)
exec(compile(source.replace("_ROWS = (\\n", "_ROWS = (\\n" + row), spec.origin, "exec"),
     methods.__dict__)

from untilt.cli.main import run

def untilt(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = run([*arguments])
    return [status, out.getvalue()]

found = {
    "help": untilt("solve", "--help"),
    "whole": untilt("solve", "kuhn", "-m", "sapdcfr+", "-n", "400", "-o", "whole", "--json"),
    "refused": untilt("solve", "kuhn", "-m", "sapdcfr+", "--beta", "0", "--json"),
    "half": untilt("solve", "kuhn", "-m", "sapdcfr+", "-n", "150", "-o", "half", "--json"),
    "resumed": untilt("solve", "--resume", "half", "-n", "400", "--json"),
    "explained": untilt("show", "whole", "--explain", "P0:J:"),
    "tables": {name: list(table()) for name, table in runpy.run_path(generator)["TABLES"].items()},
}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a program with the row of CONTRIBUTING.md says and does."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    row = re.search(r"```text row\n(.*?)```", page, re.DOTALL)
    assert row is not None
    child = subprocess.run(
        [sys.executable, "-c", CHILD, row[1], str(ROOT / "docs" / "generate_tables.py")],
        cwd=tmp_path_factory.mktemp("variant"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    result: dict[str, Any] = json.loads(child.stdout)
    result["stderr"] = child.stderr
    return result


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_new_variant_solves_with_the_options_of_its_row(found: dict[str, Any]) -> None:
    status, out = found["whole"]
    run = json.loads(out)
    assert status == 0
    assert run["options"] == {"alpha": 2.4, "gamma": 6.0, "prediction": 1.0 / 3.0}
    assert run["exploitability"] < 1e-5
    assert found["refused"][0] == 2
    assert "method sapdcfr+ takes no option --beta; it takes --alpha 2.4" in found["stderr"]


def test_a_new_variant_resumes_bit_for_bit(found: dict[str, Any]) -> None:
    whole, resumed = json.loads(found["whole"][1]), json.loads(found["resumed"][1])
    assert json.loads(found["half"][1])["iterations"] == 150
    assert resumed["iterations"] == whole["iterations"] == 400
    assert (resumed["value"], resumed["nash_conv"]) == (whole["value"], whole["nash_conv"])


def test_help_lists_a_new_variant_with_its_defaults(found: dict[str, Any]) -> None:
    text = words(found["help"][1])
    assert "-m, --method <str> sapdcfr+, cfr, cfr+" in text
    assert (
        "By default 2.4 (sapdcfr+), 1 (linear, hs-dcfr), 1.5 (dcfr, dcfr+), 2.3 (pdcfr+, apdcfr+)."
        in text
    )
    assert (
        "By default 0.333 (sapdcfr+, sapcfr+), 1 (pcfr+, pdcfr+, apcfr+, apdcfr+, hs-pcfr+)."
        in text
    )


def test_the_rule_of_a_new_variant_is_explained_by_its_numbers(found: dict[str, Any]) -> None:
    status, out = found["explained"]
    assert status == 0
    assert "multiplied by (t-1)^2.4/((t-1)^2.4+1). Negative sums are set to 0." in words(out)
    assert "each sum plus a prediction, 0.333 times the regret of the last iteration." in words(out)
    assert "The average weights iteration t by t^6." in words(out)


def test_tables_of_the_documentation_have_a_row_for_a_new_variant(found: dict[str, Any]) -> None:
    tables = found["tables"]
    assert "| `sapdcfr+` | 2.4 | – | yes | 1/3 | 6 | alternating |" in tables["rules"]
    assert (
        "| `sapdcfr+` | discounted and predictive regret matching+, polynomial average |"
        in (tables["methods"])
    )
    assert any("2.4 (`sapdcfr+`)" in row for row in tables["options of cfr"])
