"""Hand histories on the page, in a real Chromium."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.dashboard.browser import chromium, watched_page
from tests.dashboard.hand_folders import NUM_RING, NUM_SHORT, make_folders

import untilt
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

pytestmark = pytest.mark.long

LONG = 3_000
"""Hands of a folder whose list has many pages."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hands") / "served"
    make_folders(folder)
    states = (f"STATE:{n}:cr300f:AhKd|QsJc:100|-100:Ann|Bob\n" for n in range(LONG))
    (folder / "match.log").write_text("".join(states), "utf-8")
    untilt.hands.import_hands(folder / "match.log", folder / "long")
    return folder


@pytest.fixture(scope="module")
def origin(root: Path) -> Iterator[str]:
    with start_in_thread(Library.of(root), port=0) as running:
        yield running.address


@pytest.fixture
def page(browser: Browser, origin: str) -> Iterator[Page]:
    with watched_page(browser, origin) as watched:
        watched.page.goto(f"{origin}#//hands")
        expect(watched.page.locator(".hand-list .hand").nth(1)).to_be_visible()
        yield watched.page


def test_the_list_opens_at_the_folder_with_a_review(page: Page) -> None:
    expect(page.locator(".hand-list > p")).to_have_text(f"{NUM_SHORT} hands")
    first = page.locator(".hand-list .rows .row").first
    expect(first).to_contain_text(f"#{NUM_SHORT}")
    expect(first).to_contain_text("BTN of 2")


def test_filters_are_in_the_address_and_come_back(page: Page, origin: str) -> None:
    page.get_by_label("player", exact=True).fill("Bob")
    page.get_by_label("pot in big blinds").fill(">15bb")
    expect(page.locator(".hand-list > p")).to_contain_text(f"{NUM_SHORT // 5} of {NUM_SHORT} hands")
    assert "player=Bob" in page.url
    address = page.url
    page.goto(f"{origin}#/")
    page.goto(address)
    expect(page.get_by_label("player", exact=True)).to_have_value("Bob")
    expect(page.locator(".hand-list > p")).to_contain_text(f"{NUM_SHORT // 5} of")


def test_a_player_who_never_appears_is_answered_with_the_nearest_names(
    browser: Browser, origin: str
) -> None:
    with watched_page(browser, origin) as watched:
        watched.page.goto(f"{origin}#//hands?folder=hands&player=Anne")
        expect(watched.page.locator(".hand-list > p")).to_contain_text("the nearest names are Ann")
        # The browser notes that the server refused.
        (refusal,) = watched.errors
        assert "status of 400" in refusal
        watched.errors.clear()


def test_a_long_list_shows_any_place_and_keeps_few_rows(page: Page) -> None:
    page.get_by_label("folder of hands").select_option("long")
    expect(page.locator(".hand-list > p")).to_have_text(f"{LONG:,} hands")
    scroller = page.locator(".hand-list .scroller")
    for share in (0.5, 1.0, 0.1):
        scroller.evaluate("(box, share) => { box.scrollTop = share * box.scrollHeight; }", share)
        place = min(int(share * LONG) + 1, LONG)
        expect(page.locator(f".hand-list .row[aria-posinset='{place}']")).to_be_visible()
        expect(page.locator(".hand-list .waiting")).to_have_count(0)
        assert page.locator(".hand-list .rows .row").count() < 60
        shown = page.locator(".hand-list .rows .row").evaluate_all(
            "rows => rows.map(row => [row.getAttribute('aria-posinset'), row.innerText])"
        )
        assert all(f"#{LONG - int(place)}\n" in text for place, text in shown)
    scroller.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator(".replayer h3")).to_have_text("ACPC #0")
    page.keyboard.press("p")
    expect(page.locator(".replayer h3")).to_have_text("ACPC #1")
    page.keyboard.press("Escape")
    expect(scroller).to_be_visible()


def test_a_hand_is_played_again_with_the_costs(page: Page) -> None:
    page.goto(f"{page.url}?folder=hands&played=0-1")  # kings are folded
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("fold: costs")
    expect(verdict.locator("tr.best th")).to_have_text("push")
    expect(page.locator(".felt .acting")).to_contain_text("Ann")
    page.keyboard.press("Home")
    expect(page.locator(".felt .acting")).to_have_count(0)
    expect(page.locator(".felt .you .card-text")).to_have_text(["K♠\ufe0e", "K♥\ufe0e"])
    page.keyboard.press("ArrowRight")
    expect(page.locator(".felt .did")).to_contain_text(["", "folds"])
    page.keyboard.press("End")
    expect(page.locator(".felt .seat .won")).to_have_text("+0.50 bb")
    page.keyboard.press("m")
    expect(verdict).to_contain_text("fold: costs")


def test_leaks_lead_to_hands_and_to_study(page: Page, root: Path) -> None:
    page.locator('[data-part="leaks"]').click()
    leaks = untilt.hands.read_leaks(root / "leaks")
    assert leaks.total is not None
    expect(page.locator(".leak-facts")).to_contain_text(f"{leaks.total.total_bb:.1f} bb")
    page.locator('[data-by="held"] button', has_text="pair, tens or better").click()
    expect(page.locator(".mistake")).to_have_count(NUM_SHORT // 5)
    page.locator(".mistake").first.click()
    expect(page.locator(".verdict")).to_contain_text("fold: costs")
    page.go_back()
    page.get_by_role("button", name="study these").click()
    expect(page.locator(".study h3")).to_have_text("preflop, BTN: what would you do?")
    expect(page.locator(".felt .seat:not(.you) .card-text")).to_have_count(0)
    page.locator('[data-answer="push"]').click()
    expect(page.locator(".verdict .won").first).to_have_text(
        "Right. At the table you did: fold (the agent does that 0 % of the time)."
    )
    page.keyboard.press("n")
    page.locator('[data-answer="fold"]:enabled').click()
    expect(page.locator(".verdict")).to_contain_text("less than push")
    page.keyboard.press("n")
    expect(page.locator(".study > p")).to_contain_text("1 of 2 right")
    # The wrong one is asked again.
    expect(page.locator(".study > p")).to_contain_text(f"{NUM_SHORT // 5 - 1} mistakes")


def test_tilt_is_drawn_with_bands(page: Page) -> None:
    page.locator('[data-part="tilt"]').click()
    picture = page.locator(".tilt-picture")
    expect(picture.locator(".band")).to_have_count(1)
    page.get_by_label("hands in a period").select_option("50")
    expect(picture.locator(".band")).to_have_count(2)
    expect(page.locator(".tilt-tables")).to_contain_text("After large losses")


def test_hands_without_a_review_say_how_to_make_one(page: Page) -> None:
    page.get_by_label("folder of hands").select_option("deep~ring")
    expect(page.locator(".hand-list > p")).to_contain_text(f"{NUM_RING} hands")
    page.locator('[data-part="leaks"]').click()
    expect(page.locator(".empty")).to_contain_text("untilt hands review deep/ring/")


def test_without_hands_the_page_says_how_to_import_them(browser: Browser, tmp_path: Path) -> None:
    with (
        start_in_thread(Library.of(tmp_path), port=0) as running,
        watched_page(browser, running.address) as watched,
    ):
        watched.page.goto(running.address)
        watched.page.keyboard.press("y")
        expect(watched.page.locator(".empty")).to_contain_text("untilt hands import")
