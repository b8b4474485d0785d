"""`untilt plot`: the convergence of runs as a figure."""

import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from untilt.charts.palette import RUNS_LIGHT


@pytest.fixture(autouse=True)
def _matplotlib() -> None:
    pytest.importorskip("matplotlib")


def test_runs_have_the_colours_of_the_page_in_the_order_given(command: Command, runs: Path) -> None:
    found = command("plot", runs / "kuhn", runs / "cfr")
    assert (found.status, found.err) == (0, "")
    size = Path("convergence.svg").stat().st_size
    assert found.out == f"saved in convergence.svg ({size:,} bytes)\n"
    figure = Path("convergence.svg").read_text(encoding="utf-8")
    first, second = (figure.index(f"stroke: {colour}") for colour in RUNS_LIGHT[:2])
    assert first < second
    assert not any(f"stroke: {colour}" in figure for colour in RUNS_LIGHT[2:])


def test_the_axis_is_iterations_or_seconds(command: Command, runs: Path) -> None:
    command("plot", runs / "kuhn", "-o", "a.svg")
    command("plot", runs / "kuhn", "-o", "b.svg", "--by", "seconds")
    iterations, seconds = (Path(name).read_text(encoding="utf-8") for name in ("a.svg", "b.svg"))
    assert "<!-- iterations -->" in iterations
    assert "<!-- seconds -->" in seconds


def test_json_names_the_file_and_the_runs(command: Command, runs: Path) -> None:
    found = command("plot", runs / "kuhn", "-o", "c.pdf", "--json").json
    assert found["file"] == "c.pdf"
    assert found["bytes"] == Path("c.pdf").stat().st_size
    assert found["runs"] == [str(runs / "kuhn")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere is not a folder"),
        (["kuhn", "-o", "figure.txt"], "--output is figure.txt; give a name that ends in .svg"),
        (["kuhn", "--measure", "luck"], "unknown measure 'luck'"),
        (["kuhn", "--by", "weeks"], "'weeks'"),
        (["lp"], "no run has"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    command: Command,
    runs: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(runs)
    assert message in command("plot", *arguments).error
    assert not (runs / "convergence.svg").exists()


def test_an_existing_figure_is_replaced_only_on_demand(command: Command, runs: Path) -> None:
    Path("convergence.svg").write_text("precious", encoding="utf-8")
    assert "already exists" in command("plot", runs / "kuhn").error
    assert command("plot", runs / "kuhn", "--force").status == 0


def test_without_matplotlib_the_extra_is_named(
    command: Command, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    error = command("plot", runs / "kuhn").error
    assert error.startswith("untilt plot needs matplotlib")
    assert "untilt[plot]" in error
