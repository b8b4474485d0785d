"""The convergence figure: what is drawn, where names stand, and which files it writes."""

import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.charts.figures.convergence_figure import Curve, _apart, convergence_figure
from untilt.charts.palette import RUNS_LIGHT
from untilt.errors import InvalidOption, UnknownName
from untilt.formats.run.progress_table import ProgressTable

pytest.importorskip("matplotlib")


def table(exploitability: list[float], **columns: list[float]) -> ProgressTable:
    names = {"exploitability": exploitability, **columns}
    return ProgressTable(
        {"iteration": place + 1, **{name: column[place] for name, column in names.items()}}
        for place in range(len(exploitability))
    )


def lines_of(figure: Any) -> list[Any]:
    return [line for line in figure.axes[0].lines if not line.get_label().startswith("_")]


def test_each_run_is_a_line_of_its_positive_points_in_the_colours_of_the_page() -> None:
    curves = [Curve(f"run {place}", table([1.0, 0.0, 0.25, np.nan])) for place in range(8)]
    figure = convergence_figure(curves, title="Kuhn Poker")
    lines = lines_of(figure)
    assert [line.get_color() for line in lines] == [*RUNS_LIGHT, *RUNS_LIGHT[:2]]
    assert [line.get_linestyle() for line in lines] == ["-"] * 6 + ["--"] * 2
    for line in lines:
        assert line.get_xydata().tolist() == [[1.0, 1.0], [3.0, 0.25]]
    axes = figure.axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_ylabel() == "exploitability, chips"
    assert axes.get_title() == "Kuhn Poker"
    assert [text.get_text() for text in axes.texts] == [curve.name for curve in curves]


def test_a_single_run_has_no_name_beside_it() -> None:
    figure = convergence_figure([Curve("cfr+", table([1.0, 0.5]))])
    assert not figure.axes[0].texts


def test_names_keep_their_distance_and_their_order() -> None:
    for heights in ([0.5] * 12, [1.0, 0.99, 0.98, 0.0], [0.02, 0.01, 0.0], []):
        placed = _apart(heights, 0.05)
        assert all(upper - lower >= 0.05 - 1e-9 for upper, lower in pairwise(placed))
        assert all(-1e-9 <= place <= 1.0 + 1e-9 for place in placed)


def test_the_measure_is_the_first_that_most_runs_have() -> None:
    sampled = table([np.nan, np.nan], drift=[0.5, 0.25])
    assert convergence_figure([Curve("es", sampled)]).axes[0].get_ylabel() == "drift"
    exact = table([0.5, 0.25])
    both = convergence_figure([Curve("es", sampled), Curve("cfr", exact)])
    assert both.axes[0].get_ylabel() == "exploitability, chips"
    assert convergence_figure([Curve("es", sampled)], by="iteration", measure="drift") is not None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": "hours"}, "unknown axis 'hours'"),
        ({"measure": "beauty"}, "unknown measure 'beauty'"),
        ({"by": "seconds"}, "no run has exploitability above 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises((InvalidOption, UnknownName), match=re.escape(words)):
        convergence_figure([Curve("cfr", table([1.0, 0.5]))], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "magic"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")]
)
def test_the_same_runs_give_the_same_file(name: str, magic: bytes, tmp_path: Path) -> None:
    files = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / name
        convergence_figure([Curve("a <b> $x$", table([1.0, 0.5])), Curve("c", table([2.0]))]).save(
            path
        )
        files.append(path.read_bytes())
    assert files[0] == files[1]
    assert files[0].startswith(magic)


class TestPlot:
    def test_runs_solutions_and_folders_are_drawn_together(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        saved = untilt.solve("kuhn", "cfr+", iterations=20, output="run")
        other = untilt.solve("kuhn", "dcfr", iterations=20, save=False)
        figure = untilt.plot(saved, "run", Path("run"), other, path="all.svg")
        assert Path("all.svg").stat().st_size > 1_000
        drawn = [line.get_xydata() for line in lines_of(figure)]
        assert np.array_equal(drawn[0], drawn[1])
        assert figure.axes[0].get_title() == "Kuhn Poker"
        # From top to bottom, as the lines end.
        names = [text.get_text() for text in untilt.plot(saved, other).axes[0].texts]
        assert names == ["dcfr", "cfr+"]
        assert saved.plot("one.png").axes[0].get_title() == "Kuhn Poker, cfr+"
        saved.plot("one.png", by="seconds")  # a figure of that name is replaced

    def test_runs_of_one_method_are_told_apart_by_what_differs(self) -> None:
        runs = [
            untilt.solve("kuhn", "dcfr", iterations=20, gamma=gamma, save=False)
            for gamma in (1.0, 2.0)
        ]
        names = [text.get_text() for text in untilt.plot(*runs).axes[0].texts]
        assert sorted(names) == ["dcfr, gamma 1.0", "dcfr, gamma 2.0"]
        same = [text.get_text() for text in untilt.plot(runs[0], runs[0]).axes[0].texts]
        assert same == ["1: dcfr", "2: dcfr"]

    @pytest.mark.parametrize("junk", [None, 5, "nowhere", [], {}])
    def test_anything_else_is_refused(self, junk: Any) -> None:
        with pytest.raises(untilt.UntiltError):
            untilt.plot(junk)
        run = untilt.solve("kuhn", "cfr", iterations=2, save=False)
        with pytest.raises(InvalidOption, match=r"\.svg, \.png or \.pdf"):
            untilt.plot(run, path="figure.gif")
        with pytest.raises(InvalidOption, match="at least one run"):
            untilt.plot()

    def test_a_missing_matplotlib_is_named_with_the_command_that_installs_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = untilt.solve("kuhn", "cfr", iterations=2, save=False)
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(InvalidOption, match=r"pip install 'untilt\[plot\]'"):
            run.plot()
