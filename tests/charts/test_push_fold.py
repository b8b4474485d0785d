"""Push/fold charts: what cells say in the terminal, as an image, as CSV and as a page."""

import csv
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES, class_index
from untilt.cards.range import Range
from untilt.charts.push_fold import (
    COLOURS,
    FOLD_COLOUR,
    PushFoldChart,
    PushFoldSweep,
    Seat,
    SeatGrid,
    chart_csv,
    intervals_text,
    print_chart,
    print_sweep,
    sweep_csv,
)
from untilt.charts.push_fold_page import chart_page, sweep_page


def seat(action: str = "push", /, **shares: float) -> Seat:
    """Return a half in which the named hands are played, each worth its place in the grid."""
    frequency = np.zeros(NUM_CLASSES)
    for name, share in shares.items():
        frequency[class_index(name)] = share
    player = "small blind" if action == "push" else "big blind"
    fold = -0.5 if action == "push" else -1.0
    return Seat(player, action, frequency, np.linspace(2.0, -2.0, NUM_CLASSES), fold)


def chart(stack: float = 10.0, value: float = -0.0453708, **changes: float) -> PushFoldChart:
    return PushFoldChart(
        stack=stack,
        small_blind=0.5,
        ante=changes.get("ante", 0.0),
        bb_ante=changes.get("bb_ante", 0.0),
        value=value,
        exploitability=2.5e-6,
        push=seat("push", AA=1.0, AKs=0.71, KK=0.0004, QQ=0.9996),
        call=seat("call", AA=1.0, AKo=0.25),
    )


@pytest.fixture
def sweep() -> PushFoldSweep:
    nothing: dict[str, list[tuple[float, float]]] = {name: [] for name in CLASS_NAMES}
    return PushFoldSweep(
        (chart(5.0), chart(10.0), chart(15.0)),
        push={**nothing, "AA": [(5.0, 15.0)], "43s": [(5.0, 5.0), (15.0, 15.0)]},
        call={**nothing, "AA": [(5.0, 10.0)]},
    )


def printed(content: object, *, is_coloured: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=80,
        force_terminal=is_coloured,
        color_system="truecolor" if is_coloured else None,
        highlight=False,
    )
    if isinstance(content, PushFoldChart):
        print_chart(console, content)
    elif isinstance(content, PushFoldSweep):
        print_sweep(console, content)
    else:
        console.print(content)
    return stream.getvalue()


def background(colour: str) -> str:
    red, green, blue = (int(colour[begin : begin + 2], 16) for begin in (1, 3, 5))
    return f"48;2;{red};{green};{blue}m"


def test_without_colour_a_cell_says_played_mixed_or_folded() -> None:
    first, second = str(SeatGrid(seat(AA=1.0, AKs=0.71, AKo=0.002))).splitlines()[:2]
    assert first.split() == ["AA", "AKs71", *["."] * 11]
    assert second.split() == ["AKo", "1", *["."] * 12]


def test_a_grid_fits_eighty_columns() -> None:
    grid = str(SeatGrid(seat(**dict.fromkeys(CLASS_NAMES, 0.5))))
    assert max(map(len, grid.splitlines())) == 77
    assert len(grid.splitlines()) == 13


def test_a_cell_is_filled_as_often_as_its_hand_is_played() -> None:
    line = printed(SeatGrid(seat(AKs=0.6)), is_coloured=True).splitlines()[0]
    played, folded = background(COLOURS["push"]), background(FOLD_COLOUR)
    assert re.search(rf"{re.escape(played)}AKs\x1b\[0m", line)
    assert re.search(rf"{re.escape(folded)}60\x1b\[0m", line)
    assert line.count(played) == 1


def test_a_rarely_played_hand_shows_some_colour_and_an_often_played_one_some_fold() -> None:
    line = printed(SeatGrid(seat(AA=0.01, AKs=0.99)), is_coloured=True).splitlines()[0]
    played, folded = background(COLOURS["push"]), background(FOLD_COLOUR)
    assert line.count(played) == 2
    assert line.count(folded) == 13


def test_colours_differ_in_lightness_as_in_hue() -> None:
    """Readable in black and white: white on the fills and dark on the pale, by WCAG's contrast."""

    def luminance(colour: str) -> float:
        parts = [int(colour[begin : begin + 2], 16) / 255 for begin in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in COLOURS.values():
        assert 1.05 / (luminance(colour) + 0.05) > 3.0
        assert (luminance(FOLD_COLOUR) + 0.05) / (luminance(colour) + 0.05) > 3.0


def test_a_chart_says_stack_value_ranges_and_mixed_hands() -> None:
    text = printed(chart())
    assert "Push/fold at 10 bb: the small blind loses 0.0453708 bb/hand" in text
    assert "exploitability 0.0025 mbb/hand" in text
    assert "mixed: AKs 71.00 %" in text
    assert "mixed: AKo 25.00 %" in text
    assert "range: AA,QQ:0.9996,AKs:0.71,KK:0.0004" in text
    assert "small blind: push" in text
    assert "big blind: call" in text
    assert "wins 0.2000000" in printed(chart(value=0.2))


def test_antes_are_named() -> None:
    assert chart().stakes_text == "blinds 0.5/1"
    assert chart(ante=0.1).stakes_text == "blinds 0.5/1, ante 0.1 each"
    assert chart(bb_ante=1.0).stakes_text == "blinds 0.5/1, big-blind ante 1"


def test_a_percentage_counts_combos() -> None:
    assert seat(AA=1.0, AKs=0.5).percent == pytest.approx(100.0 * 8 / 1326)
    everything = seat(**dict.fromkeys(CLASS_NAMES, 1.0))
    assert everything.percent == pytest.approx(100.0)
    assert everything.range_text() == "random"
    assert Range.parse(seat(AA=1.0, AKs=0.5).range_text()).num_combos == pytest.approx(8.0)


def test_the_document_has_the_fields_of_a_chart() -> None:
    document = chart().document()
    assert list(document) == [
        *("stack_bb", "value_bb", "exploitability_mbb", "push", "call", "push_ev", "call_ev"),
        *("push_percent", "call_percent"),
    ]
    assert document["exploitability_mbb"] == pytest.approx(0.0025)
    assert document["push_percent"] == pytest.approx(chart().push.percent)


def test_an_ev_that_does_not_exist_is_none() -> None:
    values = np.full(NUM_CLASSES, np.nan)
    lonely = Seat("big blind", "call", np.zeros(NUM_CLASSES), values, -1.0)
    assert set(lonely.ev_of_hand().values()) == {None}
    assert "–" in _page_text(PushFoldChart(10.0, 0.5, 0.0, 0.0, -0.5, 0.0, seat(), lonely))


def test_the_csv_has_a_line_per_hand() -> None:
    rows = list(csv.DictReader(b"".join(chart_csv(chart())).decode().splitlines()))
    assert [row["hand"] for row in rows] == list(CLASS_NAMES)
    assert (rows[1]["push"], rows[1]["call"]) == ("0.71", "0.0")
    assert float(rows[0]["push_ev"]) == 2.0
    assert (rows[0]["small_blind_fold_ev"], rows[0]["big_blind_fold_ev"]) == ("-0.5", "-1.0")


def test_intervals_are_written_with_both_ends() -> None:
    assert intervals_text([(2.0, 7.5), (9.0, 9.0)]) == "2-7.5;9"
    assert intervals_text([]) == ""


def test_the_csv_of_a_sweep_has_intervals(sweep: PushFoldSweep) -> None:
    rows = list(csv.DictReader(b"".join(sweep_csv(sweep)).decode().splitlines()))
    by_hand = {row["hand"]: (row["push"], row["call"]) for row in rows}
    assert len(rows) == NUM_CLASSES
    assert by_hand["AA"] == ("5-15", "5-10")
    assert by_hand["43s"] == ("5;15", "")


def test_a_sweep_is_printed_by_stack_and_by_hand(sweep: PushFoldSweep) -> None:
    lines = printed(sweep).splitlines()
    assert lines[0] == "Push/fold from 5 to 15 bb, 3 stacks"
    assert any(line.split() == ["43s", "5", "15", "-"] for line in lines)
    assert any(line.split()[:2] == ["10", "-0.0453708"] for line in lines)


def test_the_document_of_a_sweep_has_scalars_by_stack(sweep: PushFoldSweep) -> None:
    document = sweep.document()
    stacks = document["stacks"]
    assert isinstance(stacks, list)
    assert list(stacks[0]) == [
        *("stack_bb", "value_bb", "exploitability_mbb", "push_percent", "call_percent")
    ]
    push = document["push"]
    assert isinstance(push, dict)
    assert push["43s"] == [[5.0, 5.0], [15.0, 15.0]]


class _Reader(HTMLParser):
    """Collects addresses and checks that every tag is closed in order."""

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _page_text(content: PushFoldChart) -> str:
    return b"".join(chart_page(content)).decode()


def test_a_page_needs_no_other_file_and_no_script(sweep: PushFoldSweep) -> None:
    for text in (_page_text(chart()), b"".join(sweep_page(sweep)).decode()):
        reader = _Reader()
        reader.feed(text)
        assert reader.open == []
        assert reader.addresses == []
        assert not {"script", "link", "img", "iframe"} & set(reader.tags)
        assert "url(" not in text
        assert "http://" not in text
        assert "https://" not in text
        assert text.count('class="cell') == 2 * NUM_CLASSES


def test_a_page_fills_mixed_cells_and_tells_evs_on_demand() -> None:
    text = _page_text(chart())
    cell = re.search(r'<div class="cell push mixed"[^>]*>.*?</div>', text)
    assert cell is not None
    assert "width:71.00%" in cell[0]
    assert "<b>AKs</b><small>71 %</small>" in cell[0]
    # Second hand of the grid: 2 − 4 / 168 bb, half a big blind more than folding.
    assert f'<small class="ev">{2.0 - 4.0 / 168 + 0.5:+.3f}</small>' in cell[0]
    assert 'id="ev">' in text
    assert 'id="ev" checked>' in b"".join(chart_page(chart(), with_ev=True)).decode()


def test_images_are_drawn(sweep: PushFoldSweep) -> None:
    pytest.importorskip("matplotlib")
    from untilt.charts.push_fold_figure import chart_image, sweep_image

    png = chart_image(chart(), "png")
    assert png.startswith(b"\x89PNG\r\n")
    with_ev = chart_image(chart(), "svg", with_ev=True)
    plain = chart_image(chart(), "svg")
    assert b"<svg" in plain
    assert len(with_ev) > len(plain)
    assert plain == chart_image(chart(), "svg"), "the same chart is the same file"
    for colour in (*COLOURS.values(), FOLD_COLOUR):
        assert colour.encode() in plain
    assert b"<svg" in sweep_image(sweep, "svg")
