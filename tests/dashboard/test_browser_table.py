"""Push/fold at a whole table on the page, in a real Chromium."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.dashboard.browser import JOB_MS, chromium, in_both_themes, screenshot, watched_page

import untilt
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("table-page") / "runs"
    untilt.solve("pushfold", "cfr+", iterations=20, output=root / "pushfold")
    with start_in_thread(Library.of(root), port=0) as running:
        yield running.address


def wait_until_solved(page: Page) -> None:
    expect(page.locator(".table-page .job")).to_have_text("solved", timeout=JOB_MS)


def heading(page: Page) -> str:
    return page.locator(".table-page .decision-words").inner_text()


def test_three_seats_are_solved_browsed_and_compared(browser: Browser, origin: str) -> None:
    chart = untilt.pushfold.chart(seats=3, stack=10)
    with watched_page(browser, origin, width=1440, height=1200) as watched:
        page = watched.page
        page.goto(f"{origin}#/pushfold/pushfold")
        page.get_by_role("button", name="more seats, prizes").click()
        wait_until_solved(page)
        rows = page.locator(".table-page .seats tbody tr")
        assert [rows.nth(seat).locator("th").inner_text() for seat in range(3)] == list(chart.seats)
        expect(rows.nth(0)).to_contain_text(f"+{chart.values[0]:.4f}")
        expect(page.locator(".decision-words")).to_contain_text(
            f"button: {chart.decision('button').percent:.2f} %"
        )
        grid = page.locator(".table-page .hand-grid")
        expect(grid.locator("[data-hand=AA]")).to_have_attribute("data-frequency", "1.0000")
        expect(grid.locator("[data-hand='72o']")).to_have_attribute("data-frequency", "0.0000")

        # The big blind after what the others did.
        page.locator("[data-path=seat-2]").click()
        expect(page.locator(".decision-words")).to_contain_text("big blind vs small blind")
        page.locator("[data-path=action-0]").click()
        both = chart.decision("big blind", ("button", "small blind"))
        expect(page.locator(".decision-words")).to_contain_text(
            f"big blind vs button, small blind: {both.percent:.2f} %"
        )
        assert "before=aa" in page.url
        page.go_back()
        expect(page.locator(".decision-words")).to_contain_text("big blind vs small blind")
        page.locator(".decisions [data-line=a]").click()
        expect(page.locator(".decision-words")).to_contain_text("small blind vs button")

        # One's own ranges: what they cost, here and in all.
        page.locator("textarea[name=ranges]").fill("small blind vs button: QQ+\nbutton: 45%")
        expect(page.locator(".verdict")).to_contain_text("Yours cost")
        expect(page.locator(".verdict")).to_contain_text("of it here")
        expect(grid.locator("[data-hand=QQ]")).to_have_class(re.compile("cornered"))
        expect(grid.locator("[data-hand=JJ]")).to_have_class(re.compile("outlined"))
        page.locator(".table-page [data-mode=regret]").click()
        expect(grid.locator("[data-hand=JJ] .detail")).not_to_have_text("0")
        expect(grid.locator("[data-hand=AA] .detail")).to_have_text("0")
        grid.locator("[data-hand=JJ]").hover()
        expect(page.locator(".hand-facts")).to_contain_text("yours costs")
        screenshot(page, "table-compared")
        cost = page.locator(".seats tbody tr").nth(0).locator(".cost")
        assert float(cost.inner_text()) > 0.0

        # Kept instead: the others answer a button that opens 45 %.
        page.locator("input[name=locked]").check()
        expect(page.locator(".verdict")).to_contain_text("solved against these ranges")
        page.locator("[data-path=seat-0]").click()
        opened = re.search(r"button: ([\d.]+) %", heading(page))
        assert opened is not None
        assert float(opened[1]) == pytest.approx(45.0, abs=0.5)


def test_a_stack_slides_and_prizes_count(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1280, height=1000) as watched:
        page = watched.page
        page.goto(f"{origin}#//table?stacks=10%2C6&prizes=60%2C40")
        wait_until_solved(page)
        expect(page.locator("input[name=stack-0]")).to_have_value("10")
        expect(page.locator(".command")).to_have_text("untilt chart --stacks 10,6 --prizes 60,40")
        value = page.locator(".seats tbody tr").nth(0).locator("td.number").first
        chart = untilt.pushfold.chart(stacks=[10, 6], prizes=[60, 40])
        expect(value).to_have_text(f"{100 * chart.values[0]:.3f} %")
        slider = page.get_by_label("stack of the small blind", exact=True)
        slider.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator("input[name=stack-0]")).to_have_value("11")
        other = untilt.pushfold.chart(stacks=[11, 6], prizes=[60, 40])
        expect(value).to_have_text(f"{100 * other.values[0]:.3f} %")
        expect(page.locator(".command")).to_have_text("untilt chart --stacks 11,6 --prizes 60,40")
        # The address is the table.
        page.reload()
        wait_until_solved(page)
        expect(page.locator("input[name=stack-0]")).to_have_value("11")
        expect(value).to_have_text(f"{100 * other.values[0]:.3f} %")
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV").click()
        lines = download.value.path().read_text("utf-8").splitlines()
        assert lines[0] == "seat,before,hand,combos,all_in,ev,fold_ev"
        assert len(lines) == 1 + 2 * 169


def test_what_is_wrong_is_said_in_one_line(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#//table?stacks=10%2C6")
        wait_until_solved(page)
        problem = page.locator(".table-page > .problem")
        prizes = page.locator("input[name=prizes]")
        for given, words in (("20,30", "give the first prize first"), ("x", "is not a number")):
            prizes.fill(given)
            prizes.press("Enter")
            expect(problem).to_contain_text(words)
            expect(page.locator(".table-page")).to_have_class(re.compile("stale"))
        prizes.fill("60,40")
        prizes.press("Enter")
        wait_until_solved(page)
        expect(problem).to_be_hidden()
        # Larger tables are solved on request.
        page.locator("select[name=seats]").select_option("6")
        expect(page.locator(".table-page .job")).to_contain_text("solve it")
        expect(page.locator("input[name=stack-5]")).to_have_value("6")
        expect(page.locator(".table-page .seats tbody th").first).to_have_text("under the gun")
        page.get_by_role("button", name="Solve", exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.locator(".table-page .job")).not_to_contain_text("solving")


def test_it_fits_narrow_pages_in_both_themes(browser: Browser, origin: str) -> None:
    for width, height in ((400, 800), (1000, 700)):
        with watched_page(browser, origin, width=width, height=height) as watched:
            page = watched.page
            page.goto(f"{origin}#//table?stacks=0.5%2C8%2C9&before=a")
            wait_until_solved(page)
            for name in in_both_themes(page, f"table-{width}"):
                screenshot(page, name)
            stage = page.locator("#stage")
            assert stage.evaluate("stage => stage.scrollWidth - stage.clientWidth") <= 0
