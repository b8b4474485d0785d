"""Reports over flops in a real Chromium: found, filtered, sorted, and left for a spot."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.dashboard.browser import chromium, screenshot, watched_page

import untilt
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

pytestmark = pytest.mark.long

SPOT = untilt.Spot("Td9d6h", ("AA,KQs", "QQ,JTs"), 60, 60, untilt.Sizes("50%", raises="a"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("report-page") / "runs"
    flops = ["AsKs2h", "8s8h2d", "7s6h5d", "KsTh6d"]
    untilt.spots.report(SPOT, flops=flops, iterations=8, output=root / "four")
    untilt.solve(SPOT.replaced(board="8s8h2d"), iterations=8, output=root / "eights")
    with start_in_thread(Library.of(root), port=0) as running:
        yield running.address


def test_a_report_is_found_filtered_and_sorted(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(origin)
        page.locator(".report-item").click()
        expect(page.get_by_role("heading", name="four: OOP acts on 4 flops")).to_be_visible()
        expect(page.locator(".flop-tile")).to_have_count(4)
        screenshot(page, "report")
        page.get_by_label("suits").select_option("rainbow")
        expect(page.locator(".flop-table tbody tr[data-flop]")).to_have_count(3)
        page.get_by_label("connectedness").select_option("connected")
        expect(page.locator(".flop-tile")).to_have_attribute("data-flop", "7s6h5d")
        expect(page).to_have_url(re.compile("suits=rainbow&near=connected"))
        page.get_by_role("button", name="clear", exact=True).click()
        page.locator(".flop-table [data-column='equity 0']").click()
        cells = page.locator(
            ".flop-table tbody tr[data-flop] td[data-order='equity 0']"
        ).all_inner_texts()
        numbers = [float(cell.removesuffix(" %")) for cell in cells]
        assert numbers == sorted(numbers, reverse=True)
        page.locator(".line-strip .follow", has_text="check").click()
        expect(page.get_by_role("heading", name="four: IP acts")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="four: IP acts")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", name="four: OOP acts")).to_be_visible()


def test_a_flop_is_opened_or_solved(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#//report?report=four")
        page.locator(".flop-tile[data-flop='7s6h5d']").click()
        chosen = page.locator(".flop-chosen")
        expect(chosen).to_contain_text("connected")
        expect(chosen.get_by_role("button", name="open its solution")).to_have_count(0)
        chosen.get_by_role("button", name="solve this flop").click()
        expect(page.locator(".new-spot-form input[name=board]")).to_have_value("7s6h5d")
        page.go_back()
        page.locator(".flop-tile[data-flop='8s8h2d']").click()
        chosen.get_by_role("button", name="open its solution").click()
        expect(page.locator(".spot .range-summary")).to_contain_text("OOP acts on the flop")
        expect(page).to_have_url(re.compile("#/eights/spot"))
