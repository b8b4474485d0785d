"""A blueprint in a real browser: its charts, line by line and card by card, and its training."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.abstraction.buckets.tables import stored
from tests.dashboard.browser import chromium, in_both_themes, screenshot, watched_page
from tests.runs.random_dealer import train_small

from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

pytestmark = pytest.mark.long

__all__ = ["stored"]  # a fixture


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def origin(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("chart-page") / "runs"
    train_small(root / "bp")
    with start_in_thread(Library.of(root), port=0) as running:
        yield running.address


def test_a_street_is_solved_from_a_blueprint(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/bp/chart?line=cc/&board=Td9d6h")
        page.get_by_role("button", name="solve from here").click()
        expect(page.locator(".new-spot-form input[name=board]")).to_have_value("Td9d6h")
        cells = page.locator(".range-editor[data-range=OOP] .cell:not([data-frequency='0.0000'])")
        expect(cells).not_to_have_count(0)
        screenshot(page, "spot-from-blueprint")
        page.goto(f"{origin}#/bp/chart?line=c")
        expect(page.locator(".line-chart .range-summary")).to_contain_text("big blind acts")
        expect(page.get_by_role("button", name="solve from here")).to_be_hidden()


def test_a_line_is_followed_and_cards_are_dealt(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(origin)  # a trained blueprint opens with its chart
        summary = page.locator(".line-chart .range-summary")
        expect(summary).to_contain_text("small blind acts before the flop")
        page.locator(".line-chart .grid [data-hand=AKs]").click()
        expect(page.locator(".spot-combos .combo")).to_have_count(4)
        assert "hand=AKs" in page.url
        page.locator(".share[data-action=call]").click()
        expect(summary).to_contain_text("big blind acts before the flop")
        page.locator(".share[data-action=check]").click()
        expect(page.locator(".spot-runouts h2")).to_have_text("Deal 3 cards for the flop")
        for card in ("Ad", "9d", "6h"):
            page.locator(f".deck-card[data-card='{card}']").click()
        expect(summary).to_contain_text("big blind acts on the flop")
        expect(page.locator(".spot-combos .combo")).to_have_count(3)
        expect(page.get_by_label("Board", exact=True)).to_have_value("Ad9d6h")
        page.get_by_label("Board", exact=True).fill("Td 9d 6h")
        page.keyboard.press("Enter")
        expect(page.locator(".line-strip .station.board")).to_contain_text("T♦")
        page.locator(".line-strip .station.move").first.click()
        page.get_by_role("menuitemradio", name="raise 3 bb").click()
        expect(summary).to_contain_text("big blind acts before the flop")
        expect(page.locator(".line-strip .station.board")).to_have_count(0)
        page.go_back()
        page.locator(".line-strip .station.board").click()
        page.get_by_role("button", name="deal at random").click()
        expect(summary).to_contain_text("acts on the flop")


def test_cards_may_be_dealt_faster_than_the_server_answers(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/bp/chart?line=cc/")
        expect(page.locator(".spot-runouts h2")).to_have_text("Deal 3 cards for the flop")
        page.evaluate(
            """cards => cards.forEach(
                card => document.querySelector(`.deck-card[data-card="${card}"]`).click()
            )""",
            ["Ad", "2c", "9d", "2c", "6h", "Kh"],  # one is taken back, the last one too many
        )
        expect(page.locator(".line-chart .range-summary")).to_contain_text("acts on the flop")
        expect(page.get_by_label("Board", exact=True)).to_have_value("Ad9d6h")


def test_a_place_that_does_not_exist_leads_back(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/bp/chart?line=r7")
        expect(page.locator(".line-chart .problem")).to_contain_text("not on the menu")
        watched.errors.clear()  # the browser notes every answer that is not 200
        page.get_by_role("button", name="go to the first decision").click()
        expect(page.locator(".range-summary")).to_contain_text("small blind acts")


def test_everything_measured_while_training_is_shown(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/bp/convergence")
        read = page.locator(".readout td")
        for name in ("iteration", "seconds", "regret", "drift", "infosets", "speed"):
            expect(read.and_(page.locator(f"[data-column={name}]"))).to_have_count(1)
        expect(page.locator(".readout [data-column=exploitability]")).to_have_count(0)
        expect(page.locator(".readout [data-column=infosets]")).not_to_have_text("–")
        for name in ("infosets", "speed", "drift"):
            page.locator(".right-axis").select_option(name)
            expect(page.locator("path.line.second")).to_have_attribute("d", re.compile("^M.*L"))


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_nothing_is_wider_than_the_window(
    browser: Browser, origin: str, width: int, height: int
) -> None:
    with watched_page(browser, origin, width=width, height=height) as watched:
        page = watched.page
        for name, query in (("flop", "line=cc/b4&board=Td9d6h"), ("deal", "line=cc/")):
            page.goto(f"{origin}#/bp/chart?{query}")
            expected = "acts on the flop" if name == "flop" else "Cards are missing"
            expect(page.locator(".line-chart .range-summary")).to_contain_text(expected)
            stage = page.locator(".stage")
            for shown in in_both_themes(page, f"chart-{name}", str(width)):
                assert stage.evaluate("stage => stage.scrollWidth - stage.clientWidth") <= 0
                screenshot(page, shown)


def test_a_person_plays_the_blueprint_and_sees_what_it_sees(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/bp/play?seed=3&sits=0")
        page.locator(".thoughts summary").click()
        expect(page.locator(".thoughts .hand-grid")).to_have_count(2)
        expect(page.locator(".thoughts .moments button")).to_have_text(["now"])
        page.get_by_label("time to think").select_option("0.3")
        expect(page).to_have_url(re.compile("think=0.3"))
        for _ in range(12):
            expect(page.locator("section.play:not(.waiting)")).to_be_visible()
            if page.locator("section.play.over").count():
                break
            page.locator(".actions").get_by_role("button", name=re.compile("^(check|call)")).click()
        expect(page.locator(".review .basis").first).to_contain_text("worth")
        assert page.locator(".review .decision").count() >= 1
        expect(page.locator(".thoughts .words")).to_contain_text("with its whole range")
