"""Type information from a user's side: a small project, checked by mypy in its strictest mode."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.long  # mypy reads the types of all that we import

GOOD = """
from pathlib import Path

import untilt
from untilt.cards import parse_cards
from untilt.research import ALPHA, METHODS, Method, Option, cfr_variant

run = untilt.solve("leduc", "cfr+", target=1e-6, save=False)
reveal_type(run)
reveal_type(run.progress["exploitability"])
reveal_type(run.strategy["P0:J::"]["bet"])

spot = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
reveal_type(untilt.solve(spot, iterations=2))

branch = untilt.qre("kuhn", beta=(3.0, 10.0), trace=True)
reveal_type(branch.branch.betas)
reveal_type(untilt.pushfold.chart(10).push.percent)
reveal_type(untilt.cards.equity("AsAh", "KdKc").equities)
reveal_type(untilt.play.StrategyAgent.from_file(Path("fit.json")).probabilities("P0:J:"))
reveal_type(untilt.games.compile(untilt.games.kuhn()).exact_form().num_pairs)
reveal_type(parse_cards("AsKh"))
reveal_type(untilt.compare(run, untilt.strategies.uniform("leduc")).differences[0].distance)
reveal_type(untilt.games.tree("kuhn", run).svg)
reveal_type(untilt.review(Path("hand.phh"), untilt.solve(spot)).costs)
reveal_type(untilt.exploit("bp/", 10, think="0.5s").interval_mbb)

method: Method = cfr_variant("mine", "of mine", ALPHA.by_default(1.0))
untilt.research.register_method(method)
reveal_type(METHODS["cfr+"])


def coins(prize: float = 1.0) -> untilt.Game:
    return untilt.games.matrix(payoffs=f"{prize} -1; -1 1")


reveal_type(untilt.games.register_game("coins", coins).title)
"""

REVEALED = [
    "untilt.runs.run.GameRun",
    "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]",
    "float",
    "untilt.games.holdem.solutions.solution.Solution",
    "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]",
    "float",
    "tuple[float, ...]",
    "dict[str, float]",
    "int",
    "list[int]",
    "float",
    "str",
    "tuple[float, float]",
    "tuple[float, float] | None",
    "untilt.solvers.methods.Method",
    "str",
]

BAD = """
import untilt
from untilt.cards import parse_card

untilt.slove("leduc")
untilt.solve(5)
untilt.pushfold.chart([10])
run = untilt.solve("leduc")
run.seconds = 1.0
run.progress["seconds"].missing
parse_card(3)
"""

ERRORS = {
    5: "attr-defined",
    6: "call-overload",
    7: "call-overload",
    9: "misc",
    10: "attr-defined",
    11: "arg-type",
}
"""The kind of mistake in each line."""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What mypy says about the project, which sees the package as an installed one."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").write_text("[tool.mypy]\nstrict = true\n")
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "good.py", "bad.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.stdout


def test_a_user_sees_the_types_of_results(checked: str) -> None:
    notes = [line for line in checked.splitlines() if line.startswith("good.py")]
    found = [line.partition('Revealed type is "')[2].rstrip('"') for line in notes]
    assert [each.replace("builtins.", "") for each in found] == REVEALED, checked


def test_mistakes_are_errors(checked: str) -> None:
    found = {
        int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]")
        for line in checked.splitlines()
        if line.startswith("bad.py") and ": error:" in line
    }
    assert found == ERRORS, checked
