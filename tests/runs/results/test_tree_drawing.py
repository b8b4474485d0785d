"""`untilt.games.tree`: the drawing as an object; the picture itself is tested with the command."""

from pathlib import Path

import pytest

import untilt
from untilt.errors import InvalidOption, RunError, UnknownName


def test_a_run_is_drawn_with_its_strategy_and_a_game_with_any() -> None:
    run = untilt.solve("kuhn", "lp", save=False)
    by_run, by_game = untilt.games.tree(run), untilt.games.tree("kuhn", run)
    assert by_run.to_json()["nodes"] == by_game.to_json()["nodes"]
    assert by_run.drawn.source == "a run by lp"
    plain = untilt.games.tree(untilt.games.kuhn(), run.strategy.to_dict())
    assert plain.to_json()["nodes"] == by_run.to_json()["nodes"]
    with pytest.raises(InvalidOption, match="its own parameters and strategy"):
        untilt.games.tree(run, run)


def test_moves_are_text_or_names() -> None:
    one, other = (
        untilt.games.tree("kuhn", after=moves) for moves in ("J, Q, check", ["J", "Q", "check"])
    )
    assert one.svg == other.svg
    assert one.title == "Kuhn Poker after J, Q, check"
    assert len(untilt.games.tree("kuhn", depth=1).outline.nodes) == 4
    with pytest.raises(UnknownName, match="unknown move"):
        untilt.games.tree("kuhn", after="J, J")


def test_the_picture_is_saved_and_not_replaced_by_accident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    drawing = untilt.games.tree("kuhn")
    assert drawing.save("tree.svg").read_text(encoding="utf-8") == drawing.svg
    with pytest.raises(RunError, match="replace=True"):
        drawing.save("tree.svg")
    drawing.save("tree.svg", replace=True)
    with pytest.raises(InvalidOption, match=r"end it in \.svg"):
        drawing.save("tree.png")


def test_a_notebook_shows_the_picture_unless_it_is_large() -> None:
    small, large = untilt.games.tree("kuhn"), untilt.games.tree("leduc", max_nodes=2_000)
    assert small.svg in small._repr_html_()
    assert len(large._repr_html_()) < 2_000
    assert len(repr(large)) < 300


def test_the_frame_has_a_row_per_node() -> None:
    pytest.importorskip("pandas")
    frame = untilt.games.tree("kuhn").to_frame()
    assert len(frame) == 58
    assert (frame["kind"] == "terminal").sum() == 30
    assert frame["parent"].isna().sum() == 1
