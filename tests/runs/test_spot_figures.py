"""Solved spots as frames, tables of notebooks and figures."""

from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.cards.combos import CLASS_NAMES
from untilt.errors import InvalidOption

SPOT = untilt.Spot("2c2d2h3c3d", ("AA:0.5, QQ", "KK"), 100, 100, untilt.Sizes("50%, 100%"))


@pytest.fixture(scope="module")
def solution() -> untilt.Solution:
    return untilt.solve(SPOT, iterations=300, save=False)


def test_a_frame_has_the_hands_of_the_node(solution: untilt.Solution) -> None:
    pytest.importorskip("pandas")
    node = solution.root
    frame = solution.to_frame()
    assert frame.equals(node.to_frame())
    assert frame["hand"].tolist() == node.hands
    assert frame["weight"].tolist() == [1.0] * 6 + [0.5] * 6
    for name, row, values in zip(node.actions, node.strategy, node.action_ev, strict=True):
        assert frame[name].tolist() == row.tolist()
        assert frame[f"ev of {name}"].tolist() == values.tolist()
    assert frame[list(node.actions)].sum(axis=1).tolist() == pytest.approx([1.0] * 12)
    other = node.to_frame(1)
    assert list(other.columns) == ["hand", "weight", "equity", "ev", "eqr"]
    assert len(other) == 6


@pytest.mark.parametrize("weight", ["1e-9", "1e-12", "1e-300", "5e-324"])
def test_nothing_is_realized_of_almost_no_equity(weight: str) -> None:
    ranges = (f"AA:{weight}, QQ", f"KK:{weight}, JJ")
    spot = untilt.Spot("2c2d2h3c3d", ranges, 100, 100, untilt.Sizes("50%"))
    strong, weak = untilt.solve(spot, iterations=50, save=False).root.sides
    assert strong.mean_eqr == pytest.approx(1.0, abs=0.1)
    assert np.isnan(weak.mean_eqr)
    for side in (strong, weak):
        assert np.abs(side.eqr[~np.isnan(side.eqr)]).max(initial=0.0) < 10.0
    (row,) = untilt.spots.report(untilt.solve(spot, iterations=50, save=False), "check").rows
    assert np.isnan(row.eqr[1])


def test_tables_of_notebooks_are_small(solution: untilt.Solution) -> None:
    assert solution.root._repr_html_().count("<tr>") == 3
    assert "check" in solution.root._repr_html_()
    assert "fold" in solution.at("bet 50", "fold")._repr_html_()
    assert solution.root.table()._repr_html_().count("<tr>") == 13
    assert len(solution._repr_html_()) < 3_000


def test_the_grid_fills_every_cell_by_its_mix(solution: untilt.Solution, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    node = solution.root
    figure = node.plot(tmp_path / "root.svg")
    assert (tmp_path / "root.svg").read_bytes().startswith(b"<?xml")
    axes = figure.axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert [text for text in texts if text in CLASS_NAMES] == list(CLASS_NAMES)
    assert texts.count("50 %") == 1  # half of the aces are here
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        f"{name} {share:.1%}" for name, share in reversed(node.frequencies.items())
    ]
    # The widths of the parts of a cell are how often its hands take each action.
    aces = CLASS_NAMES.index("AA")
    parts = [each for each in axes.patches if (each.get_x() // 1, each.get_y() // 1) == (0.0, 0.0)]  # type: ignore[attr-defined]
    widths = np.array([each.get_width() for each in parts[1:]])  # type: ignore[attr-defined]
    mix = np.array([node.own.by_class(row)[aces] for row in node.strategy])[::-1]
    assert widths / parts[0].get_width() == pytest.approx(mix[mix > 1e-4], abs=1e-9)  # type: ignore[attr-defined]


def test_what_cannot_be_drawn_is_refused(solution: untilt.Solution) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(InvalidOption, match="nobody acts"):
        solution.at("check", "check").plot()
    with pytest.raises(InvalidOption, match=r"\.svg"):
        solution.root.plot("root.txt")
    with pytest.raises(InvalidOption, match="has no convergence"):
        untilt.spots.resolve(SPOT, budget=0.05).plot()


def test_the_convergence_is_that_of_plot(solution: untilt.Solution) -> None:
    pytest.importorskip("matplotlib")
    own, other = solution.plot(by="seconds"), untilt.plot(solution, by="seconds")
    assert own.axes[0].lines[0].get_xydata() == pytest.approx(other.axes[0].lines[0].get_xydata())
