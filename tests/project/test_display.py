"""What notebooks show: escaped, bounded, and drawn without Matplotlib."""

import math
from xml.etree import ElementTree

import pytest

from untilt.display import MAX_ROWS, gain_text, html_table, line_chart, short_number


def test_everything_in_a_table_is_escaped_and_bounded() -> None:
    evil = "<script>alert(1)</script>" * 100
    html = html_table(evil, [[evil, 1.0, evil]] * 10_000, header=[evil] * 50, note=evil)
    assert "<script" not in html
    assert html.count("<tr>") == MAX_ROWS + 1
    assert len(html) < 20_000
    ElementTree.fromstring(html)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0.25, "wins 0.2500"),
        (-0.0032, "loses 0.0032"),
        (0.0, "wins 0.0000"),
        (-0.0, "wins 0.0000"),
        (-0.00001, "wins 0.0000"),
    ],
)
def test_a_loss_is_a_loss_and_not_a_negative_win(amount: float, text: str) -> None:
    assert gain_text(amount, ".4f") == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "–"),
        (math.nan, "–"),
        (3, "3"),
        (1_000_000.0, "1,000,000"),
        (0.000123456, "0.0001235"),
        (math.inf, "inf"),
        (-2.5, "-2.5"),
    ],
)
def test_numbers_are_short(number: float | None, text: str) -> None:
    assert short_number(number) == text


class TestLineChart:
    def test_it_is_valid_and_small_however_many_points_there_are(self) -> None:
        count = 100_000
        svg = line_chart(
            range(1, count + 1),
            [1.0 / place for place in range(1, count + 1)],
            colour="#0b6e8f",
            x_name="<iterations>",
            y_name="exploitability & more",
        )
        assert len(svg) < 6_000
        root = ElementTree.fromstring(svg)
        line = next(part for part in root.iter() if part.tag.endswith("polyline"))
        places = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
        assert places[0] == (52.0, 10.0)  # the largest value, at the left
        assert places[-1] == (350.0, 120.0)
        # A power law is straight on logarithmic axes.
        for x, y in places:
            assert y == pytest.approx(10 + 110 * (x - 52) / 298, abs=0.2)

    @pytest.mark.parametrize("values", [[], [1.0], [0.0, -1.0, math.nan, math.inf]])
    def test_there_is_no_picture_of_less_than_two_points(self, values: list[float]) -> None:
        places = range(1, len(values) + 1)
        assert line_chart(places, values, colour="red", x_name="x", y_name="y") == ""

    def test_equal_values_are_a_level_line(self) -> None:
        svg = line_chart([1, 2, 3], [5.0, 5.0, 5.0], colour="red", x_name="x", y_name="y")
        assert "nan" not in svg
        ElementTree.fromstring(svg)
