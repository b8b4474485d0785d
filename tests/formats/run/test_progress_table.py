"""The progress of a run as a table, saved or not."""

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.runs.game_runs import load, load_spot, resume

import untilt
from untilt.errors import InvalidOption, UnknownName
from untilt.formats.run.progress_table import ProgressTable


def test_an_unsaved_run_converges_in_the_same_rows_as_a_saved_and_a_loaded_one(
    tmp_path: Path,
) -> None:
    unsaved = untilt.solve("kuhn", "cfr+", iterations=200, save=False)
    saved = untilt.solve("kuhn", "cfr+", iterations=200, output=tmp_path / "run")
    loaded = load(tmp_path / "run")
    assert unsaved.progress.num_rows > 20
    for run in (saved, loaded):
        assert list(run.progress) == list(unsaved.progress)
        for name in ("iteration", "exploitability", "nash_conv", "value", "regret"):
            assert np.array_equal(run.progress[name], unsaved.progress[name])
    assert unsaved.progress["exploitability"][-1] == pytest.approx(unsaved.exploitability)


def test_a_resumed_run_has_the_rows_of_both_parts(tmp_path: Path) -> None:
    untilt.solve("kuhn", "cfr+", iterations=50, output=tmp_path / "run")
    resumed = resume(tmp_path / "run", iterations=200)
    whole = untilt.solve("kuhn", "cfr+", iterations=200, save=False)
    assert set(whole.progress["iteration"]) <= set(resumed.progress["iteration"])
    assert np.array_equal(
        resumed.progress["iteration"], load(tmp_path / "run").progress["iteration"]
    )


def test_a_solution_of_a_spot_has_its_convergence(tmp_path: Path) -> None:
    spot = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    solution = untilt.solve(spot, iterations=20, output=tmp_path / "spot")
    assert solution.progress is not None
    loaded = load_spot(tmp_path / "spot")
    assert loaded.progress is not None
    assert np.array_equal(loaded.progress["exploitability"], solution.progress["exploitability"])


class TestTable:
    TABLE = ProgressTable(
        {"iteration": step, "seconds": step / 7, "exploitability": 1 / step, "value": None}
        for step in range(1, 101)
    )

    def test_columns_without_numbers_are_left_out(self) -> None:
        assert list(self.TABLE) == ["iteration", "seconds", "exploitability"]
        assert "value" not in self.TABLE
        with pytest.raises(UnknownName, match="unknown column 'exploitabilty': did you mean"):
            self.TABLE["exploitabilty"]

    def test_arrays_are_read_only(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            self.TABLE["seconds"][0] = 5.0

    def test_the_frame_has_a_row_per_moment(self) -> None:
        pytest.importorskip("pandas")
        frame = self.TABLE.to_frame()
        assert frame.shape == (100, 3)
        assert str(frame["iteration"].dtype) == "int64"
        assert frame["exploitability"].iloc[-1] == 0.01

    def test_without_pandas_the_error_says_how_to_install_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(InvalidOption, match=r"to_frame needs pandas: pip install 'untilt\[pa"):
            self.TABLE.to_frame()

    def test_what_is_shown_is_small(self) -> None:
        assert len(repr(self.TABLE)) < 200
        html = self.TABLE._repr_html_()
        assert len(html) < 4_000
        assert "8 of 100 rows" in html
        assert "<td" in html
        assert len(ProgressTable(())._repr_html_()) < 500
