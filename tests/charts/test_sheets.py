"""Sheets of grids: what cells say in the terminal, as an image and as a page."""

import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES, class_index
from untilt.charts.hand_grid import action_grid, action_legend, print_sheet
from untilt.charts.palette import LIGHT, blend, contrast
from untilt.charts.sheet import (
    PALE_GREY,
    ActionGrid,
    ActionSheet,
    Fill,
    HandNumbers,
    ListGrid,
    ListSheet,
)
from untilt.charts.sheet_page import action_page, list_page

PUSH, CALL = Fill("push", LIGHT["all-in"]), Fill("call", LIGHT["call"])
FOLD = LIGHT["fold"]


def grid(*fills: Fill, **shares: float | tuple[float, ...]) -> ActionGrid:
    """Return a grid in which the named hands take the actions, each worth its place in it."""
    fills = fills or (PUSH,)
    played = np.zeros((NUM_CLASSES, len(fills)))
    for name, share in shares.items():
        played[class_index(name)] = share
    return ActionGrid(
        heading="small blind: push some",
        remark="folding loses 0.5 bb",
        fills=fills,
        rest="fold",
        rest_remark="which loses 0.5 bb",
        shares=played,
        margin=1e-3,
        range_text="AA & more",
        numbers=HandNumbers(
            np.linspace(2.5, -1.5, NUM_CLASSES),
            "bb gained",
            "-0.5 bb",
            "{} bb compared with folding",
        ),
    )


def sheet(*grids: ActionGrid) -> ActionSheet:
    return ActionSheet("a title", "stakes", "remark", grids, "show numbers", "a footnote")


@pytest.fixture
def lists() -> ListSheet:
    lines: list[list[str]] = [[] for _ in CLASS_NAMES]
    lines[0] = ["5-15"]
    lines[class_index("43s")] = ["2", "4", "6", "8", "10"]
    both = tuple(
        ListGrid("stacks", fill, [1.0, *[0.4] * (NUM_CLASSES - 1)], lines) for fill in (PUSH, CALL)
    )
    return ListSheet("a list", "stakes", "remark", both, ("stack", "value"), (("5", "+0.1"),))


def printed(content: object, *, is_coloured: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=80,
        force_terminal=is_coloured,
        color_system="truecolor" if is_coloured else None,
        highlight=False,
    )
    if isinstance(content, ActionSheet):
        print_sheet(console, content, with_numbers=True)
    else:
        console.print(content)
    return stream.getvalue()


def background(colour: str) -> str:
    red, green, blue = (int(colour[begin : begin + 2], 16) for begin in (1, 3, 5))
    return f"48;2;{red};{green};{blue}m"


def test_without_colour_a_cell_says_played_mixed_or_folded() -> None:
    first, second = str(action_grid(grid(AA=1.0, AKs=0.71, AKo=0.002))).splitlines()[:2]
    assert first.split() == ["AA", "AKs71", *["."] * 11]
    assert second.split() == ["AKo", "1", *["."] * 12]


def test_a_grid_fits_eighty_columns() -> None:
    text = str(action_grid(grid(**dict.fromkeys(CLASS_NAMES, 0.5))))
    assert max(map(len, text.splitlines())) == 77
    assert len(text.splitlines()) == 13


def test_a_cell_is_filled_as_often_as_its_hand_is_played() -> None:
    line = printed(action_grid(grid(AKs=0.6)), is_coloured=True).splitlines()[0]
    played, folded = background(PUSH.colour), background(FOLD)
    assert re.search(rf"{re.escape(played)}AKs\x1b\[0m", line)
    assert re.search(rf"{re.escape(folded)}60\x1b\[0m", line)
    assert line.count(played) == 1


def test_a_rarely_played_hand_shows_some_colour_and_an_often_played_one_some_fold() -> None:
    line = printed(action_grid(grid(AA=0.01, AKs=0.99)), is_coloured=True).splitlines()[0]
    played, folded = background(PUSH.colour), background(FOLD)
    assert line.count(played) == 2
    assert line.count(folded) == 13


def test_two_actions_share_a_cell() -> None:
    both = grid(PUSH, CALL, AKs=(0.4, 0.4), AA=(0.0, 1.0))
    line = printed(action_grid(both), is_coloured=True).splitlines()[0]
    push, call, rest = map(background, (PUSH.colour, CALL.colour, FOLD))
    for part in (f"{call}AA   ", f"{push}AK", f"{call}s8", f"{rest}0"):
        assert part in line
    assert "AKs 80.00 %" in printed(sheet(both))
    legend = action_legend(both).plain
    assert "always push   AA    always call   AKo40 push or call 40 % of the time" in legend
    page = action_page(sheet(both)).decode()
    assert '<i style="width:40.00%"></i>' in page
    assert f'<i style="left:40.00%;width:40.00%;background:{CALL.colour}"></i>' in page
    assert 'title="AKs: push 40 %, call 40 %, +2.476 bb compared with folding"' in page


def test_text_is_readable_at_every_depth_of_a_list() -> None:
    depths = [hand / (NUM_CLASSES - 1) for hand in range(NUM_CLASSES)]
    for fill in (PUSH, CALL):
        listed = ListGrid("a heading", fill, depths, [[]] * NUM_CLASSES)
        for hand, depth in enumerate(depths):
            ink = "#ffffff" if listed.is_white_on(hand) else "#1a1a1a"
            assert contrast(ink, blend(PALE_GREY, fill.colour, depth)) > 4.0


def test_a_printed_sheet_has_titles_ranges_mixed_hands_and_numbers() -> None:
    text = printed(sheet(grid(AA=1.0, AKs=0.71, KK=0.0004, QQ=0.9996), grid()))
    assert "a title\nstakes; remark\n\nsmall blind: push some; folding loses 0.5 bb\n" in text
    assert "range: AA & more\nmixed: AKs 71.00 %\n" in text
    assert "mixed: none" in text
    assert "bb gained (-0.5 bb)" in text


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


def test_a_page_needs_no_other_file_and_no_script(lists: ListSheet) -> None:
    for page in (action_page(sheet(grid(AKs=0.5), grid(CALL))), list_page(lists)):
        text = page.decode()
        reader = _Reader()
        reader.feed(text)
        assert reader.open == []
        assert reader.addresses == []
        assert not {"script", "link", "img", "iframe"} & set(reader.tags)
        assert "url(" not in text
        assert "http://" not in text
        assert "https://" not in text
        assert text.count('class="cell') == 2 * NUM_CLASSES
        for fill in (PUSH, CALL):
            assert (
                text.count(f".{fill.name} i, .rest-{fill.name} {{ background: {fill.colour}; }}")
                == 1
            )


def test_a_page_fills_mixed_cells_and_shows_numbers_on_demand() -> None:
    content = sheet(grid(AKs=0.71))
    text = action_page(content).decode()
    cell = re.search(r'<div class="cell push mixed rest-fold"[^>]*>.*?</div>', text)
    assert cell is not None
    assert "width:71.00%" in cell[0]
    assert "<b>AKs</b><small>71 %</small>" in cell[0]
    # Second hand of the grid.
    assert f'<small class="ev">{2.5 - 4.0 / 168:+.3f}</small>' in cell[0]
    assert "<code>AA &amp; more</code>" in text
    assert 'id="ev">' in text
    assert 'id="ev" checked>' in action_page(content, with_numbers=True).decode()


def test_a_list_that_is_too_long_is_cut_and_shown_on_pointing(lists: ListSheet) -> None:
    text = list_page(lists).decode()
    assert "<small>2<br>4<br>6<br>8 …</small>" in text
    assert 'title="43s: 2;4;6;8;10"' in text
    assert 'title="AKs: never"' in text
    assert "<tr><td>5</td><td>+0.1</td></tr>" in text


@pytest.mark.long
def test_images_are_drawn(lists: ListSheet) -> None:
    pytest.importorskip("matplotlib")
    from untilt.charts.figures.sheet_figure import action_figure, list_figure

    content = sheet(grid(AA=1.0, AKs=0.71), grid(PUSH, CALL, AA=(0.5, 0.5)), grid(CALL))
    png = action_figure(content, "png")
    assert png.startswith(b"\x89PNG\r\n")
    with_numbers = action_figure(content, "svg", with_numbers=True)
    plain = action_figure(content, "svg")
    assert b"<svg" in plain
    assert len(with_numbers) > len(plain)
    assert plain == action_figure(content, "svg"), "the same sheet is the same file"
    for colour in (PUSH.colour, CALL.colour, FOLD):
        assert colour.encode() in plain
    assert b"<svg" in list_figure(lists, "svg")
