"""The 13 × 13 grid: what a cell says, and that it fits where it is printed."""

import io
import re

import numpy as np
import numpy.typing as npt
import pytest
from rich.console import Console

from untilt.cards.combos import CLASS_NAMES, class_index
from untilt.cards.ranges.range import Range
from untilt.charts.hand_grid import PALE, STRONG, HandGrid, range_grid, value_grid
from untilt.errors import CardError


def printed(grid: HandGrid, *, is_coloured: bool = False) -> str:
    stream = io.StringIO()
    colours = "truecolor" if is_coloured else None
    Console(file=stream, width=80, force_terminal=is_coloured, color_system=colours).print(grid)  # type: ignore[arg-type]
    return stream.getvalue()


def cells(grid: HandGrid) -> dict[str, str]:
    return {name: cell.plain for name, cell in zip(CLASS_NAMES, grid.cells, strict=True)}


def background(red: int, green: int, blue: int) -> str:
    return f"48;2;{red};{green};{blue}m"


class TestRangeGrid:
    def test_a_range_stands_in_its_place(self) -> None:
        lines = str(range_grid(Range.parse("QQ+,AQs+,AKo,KQs:0.5"))).splitlines()
        assert lines[0].split() == ["AA", "AKs", "AQs", *"." * 10]
        assert lines[1].split() == ["AKo", "KK", "KQs50", *"." * 10]
        assert lines[2].split() == [".", ".", "QQ", *"." * 10]
        assert lines[12].split() == ["."] * 13
        assert lines[13] == "40 combos, 3.02%"
        assert len(lines) == 14

    def test_mixed_cells_show_their_percent(self) -> None:
        shown = cells(range_grid(Range.parse("AA:0.05,AKs,!AsKs,72o:0.335,22:0.996,33:0.001")))
        assert shown["AA"] == "AA  5"
        assert shown["AKs"] == "AKs75"
        assert shown["72o"] == "72o34"
        assert shown["22"] == "22 99"
        assert shown["33"] == "33  1"
        assert shown["44"] == ".    "

    @pytest.mark.parametrize("text", ["random", "none", "random:0.99", "22+,A2s+"])
    def test_it_fits_80_columns_and_is_ascii(self, text: str) -> None:
        grid = range_grid(Range.parse(text))
        assert all(len(line) <= 80 for line in str(grid).splitlines())
        assert str(grid).isascii()

    def test_rich_prints_the_same_without_colour(self) -> None:
        grid = range_grid(Range.parse("22+:0.5,A2s+"))
        assert [line.rstrip() for line in printed(grid).splitlines()] == str(grid).splitlines()

    def test_colour_follows_the_weight(self) -> None:
        text = printed(range_grid(Range.parse("AA,KK:0.5")), is_coloured=True)
        assert background(*STRONG) + "AA   " in text
        middle = [round((pale + strong) / 2) for pale, strong in zip(PALE, STRONG, strict=True)]
        assert background(*middle) + "KK 50" in text
        assert text.count("48;2;") == 2
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert plain.splitlines()[1].startswith(".     KK 50")


class TestValueGrid:
    def test_values_stand_under_their_ranks(self) -> None:
        values = np.zeros(169)
        values[class_index("AKs")] = 12.5
        values[class_index("AKo")] = -3.25
        lines = str(value_grid(values, caption="chips")).splitlines()
        assert lines[0].split() == list("AKQJT98765432")
        assert lines[1].split() == ["A", "0.00", "12.50", *["0.00"] * 11]
        assert lines[2].split() == ["K", "-3.25", *["0.00"] * 12]
        assert lines[14] == "chips"
        assert lines[0].index("K") == lines[1].index("12.50") + 4
        assert str(value_grid(values.reshape(13, 13), "chips")).splitlines() == lines

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0.1234, "0.123"),
            (-0.1234, "-0.12"),
            (-0.0001, "0.00"),
            (1234.5, "1234"),
            (123456.0, "1e5"),
            (-123456.0, "-1e5"),
            (float("nan"), "-"),
            (float("inf"), "inf"),
        ],
    )
    def test_a_number_is_as_long_as_there_is_room(self, value: float, text: str) -> None:
        grid = value_grid(np.full(169, value))
        assert {cell.strip() for cell in cells(grid).values()} <= {text, text + "0"}
        assert all(len(line) <= 80 for line in str(grid).splitlines())

    def test_all_numbers_have_the_same_decimals(self) -> None:
        values = np.full(169, 0.125)
        values[0] = 100.0
        assert set(cells(value_grid(values)).values()) == {"100.0", "  0.1"}

    def test_colour_follows_the_value(self) -> None:
        values = np.full(169, float("nan"))
        values[:3] = 1.0, 2.0, float("inf")
        text = printed(value_grid(values), is_coloured=True)
        assert background(*PALE) + "1.000" in text
        assert background(*STRONG) + "2.000" in text
        assert background(*STRONG) + "  inf" in text
        assert text.count("48;2;") == 3

    @pytest.mark.parametrize("values", [np.full(169, 1.5), np.full(169, np.nan), np.arange(169)])
    def test_equal_undefined_and_whole_numbers_can_be_shown(
        self, values: npt.NDArray[np.float64]
    ) -> None:
        assert len(printed(value_grid(values)).splitlines()) == 14

    @pytest.mark.parametrize("values", [np.zeros(168), np.zeros((13, 12)), np.full(169, "a"), 1.0])
    def test_other_arrays_are_refused(self, values: npt.NDArray[np.float64]) -> None:
        with pytest.raises(CardError, match=r"with the shape \(169,\) or \(13, 13\)"):
            value_grid(values)
