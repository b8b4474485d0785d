"""The page in small and zoomed windows, and the colours of actions, in a real Chromium."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.dashboard.browser import (
    box_of,
    chromium,
    enter,
    in_both_themes,
    screenshot,
    watched_page,
)

import untilt
from untilt.charts.palette import DARK, LIGHT
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

# With a browser in many windows: minutes.
pytestmark = pytest.mark.long

SMALL = {"zoomed": (720, 450), "landscape": (844, 390), "portrait": (390, 844)}

CONTENT = {
    "leduc/convergence": ".convergence svg[data-points]",
    "leduc/strategy": ".strategy .row[data-label]",
    "pushfold/pushfold": ".pushfold .cell.whole",
    "branch/branch": ".branch .panels path.series",
    "leduc/play": ".play .felt",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("layout") / "runs"
    untilt.solve("leduc", "cfr+", iterations=50, output=root / "leduc")
    untilt.solve("kuhn", "qre", beta=5.0, output=root / "branch")
    untilt.solve("pushfold", "cfr+", iterations=20, output=root / "pushfold")
    with start_in_thread(Library.of(root), port=0) as running:
        yield running.address


@pytest.mark.parametrize("size", SMALL)
def test_content_is_visible_on_entry(browser: Browser, origin: str, size: str) -> None:
    width, height = SMALL[size]
    with watched_page(browser, origin, width=width, height=height) as watched:
        page = watched.page
        for place, content in CONTENT.items():
            enter(page, f"{origin}#/{place}")
            for name in in_both_themes(page, place.replace("/", "-"), size):
                box = box_of(page.locator(content).first)
                assert box["y"] + min(box["height"], 24.0) <= height, name
                assert box["x"] >= 0, name
                # The list is folded, the status is one line, the bar of the replay is hidden.
                expect(page.locator(".side")).to_be_hidden()
                expect(page.locator(".rail")).to_be_visible()
                expect(page.locator(".replay")).to_be_hidden()
                top = box_of(page.locator(".top"))
                assert top["height"] < 45.0
                wide = page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, name
                screenshot(page, name)


def test_the_rail_opens_the_list_and_the_button_the_replay(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=844, height=390) as watched:
        page = watched.page
        page.goto(f"{origin}#/leduc/strategy")
        page.locator(".rail").click()
        expect(page.locator(".side")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".side")).to_be_hidden()
        expect(page.locator(".rail")).to_be_focused()
        page.locator(".replay-toggle").click()
        expect(page.locator(".replay")).to_be_visible()


def test_an_action_has_one_colour_in_every_view(browser: Browser, origin: str) -> None:
    def rgb(colour: str) -> str:
        parts = [int(colour[begin : begin + 2], 16) for begin in (1, 3, 5)]
        return f"rgb({parts[0]}, {parts[1]}, {parts[2]})"

    places = {
        "leduc/strategy?line=b": [
            ('.strategy .segment[data-action="call"]', "background-color", "call"),
            ('.strategy .segment[data-action="fold"]', "background-color", "fold"),
            ('.strategy .segment[data-action="raise"]', "background-color", "bet-1"),
        ],
        "pushfold/pushfold": [
            ('.grid[data-action="call"] .cell[data-hand="AA"] .fill', "fill", "call"),
            ('.grid[data-action="push"] .cell[data-hand="AA"] .fill', "fill", "all-in"),
            ('.grid[data-action="call"] .cell[data-hand="32o"] .fill', "fill", "fold"),
        ],
        "branch/branch": [(".panels path.action-check", "stroke", "check")],
        "leduc/play?seed=1&sits=0": [
            ('.play .action[data-action="check"]', "border-bottom-color", "check")
        ],
    }
    with watched_page(browser, origin) as watched:
        page = watched.page
        for place, painted in places.items():
            enter(page, f"{origin}#/{place}")
            for theme in in_both_themes(page):
                colours = DARK if theme == "dark" else LIGHT
                for selector, css_property, name in painted:
                    # Choice again until it holds: a view may redraw the element meanwhile.
                    found = page.locator(selector).first
                    expect(found).to_have_css(css_property, rgb(colours[name]))
