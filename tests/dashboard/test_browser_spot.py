"""Spots on the page in a real Chromium: made in the form, solved, and browsed node by node."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.dashboard.browser import JOB_MS, chromium, in_both_themes, screenshot, watched_page

import untilt
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

pytestmark = pytest.mark.long

TURN = {
    "board": "2c2d2h3c",
    "pot": 100,
    "stack": 100,
    "ranges": {"oop": "AA,QQ:0.5", "ip": "KK,JJ"},
    "sizes": {"bets": "100%", "raises": "a"},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("spot-page") / "runs"
    untilt.solve(untilt.Spot.from_dict(TURN), iterations=200, output=root / "turn")
    with start_in_thread(Library.of(root), port=0) as running:
        yield running.address


def field(page: Page, name: str, value: str) -> None:
    page.locator(f".new-spot-form input[name={name}]").fill(value)


def test_a_hand_painted_before_the_last_one_is_answered_is_kept(
    browser: Browser, origin: str
) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(origin)
        page.get_by_role("button", name="new spot").click()
        text = page.get_by_label("range OOP as text")
        text.fill("AA")
        oop = page.locator(".range-editor[data-range=OOP]")
        expect(oop.locator("[data-hand=AA]")).to_have_attribute("data-frequency", "1.0000")
        expect(oop.locator("[data-hand=KK]")).to_have_attribute("data-frequency", "0.0000")
        waiting: list[Route] = []

        def hold_first(route: Route) -> None:
            if waiting:
                route.continue_()
            else:
                waiting.append(route)

        page.route("**/api/spots/range", hold_first)
        with page.expect_request("**/api/spots/range"):
            oop.locator("[data-hand=KK]").click()
        oop.locator("[data-hand=QQ]").click()
        waiting[0].continue_()
        expect(text).to_have_value("QQ+")


def test_a_spot_is_made_solved_and_browsed(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(origin)
        page.get_by_role("button", name="new spot").click()
        expect(page.locator(".solve .size")).to_contain_text("27 nodes")
        screenshot(page, "new-spot")
        page.get_by_role("button", name="clear").click()
        expect(page.locator(".solve .size")).to_contain_text("cards")
        for card in ("2c", "2d", "2h", "3c"):
            page.locator(f".deck-card[data-card='{card}']").click()
        page.locator(".deck-card[data-card='4d']").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        board = page.locator(".new-spot-form input[name=board]")
        expect(board).to_have_value("2c2d2h3c3d")
        field(page, "pot", "100")
        field(page, "stack", "100")
        field(page, "bets", "100%")
        oop = page.locator(".range-editor[data-range=OOP]")
        page.get_by_label("range OOP as text").fill("AA, KK")
        # A click toggles what is shown: queens, which the example has, must be gone by then.
        expect(oop.locator("[data-hand=QQ]")).to_have_attribute("data-frequency", "0.0000")
        expect(oop.locator("[data-hand=KK]")).to_have_attribute("data-frequency", "1.0000")
        oop.locator("[data-hand=KK]").click()
        oop.locator("[data-hand=QQ]").click()
        expect(page.get_by_label("range OOP as text")).to_have_value("AA,QQ")
        page.get_by_label("range IP as text").fill("K!")
        expect(page.locator(".range-editor[data-range=IP] > .problem")).to_be_visible()
        page.get_by_label("range IP as text").fill("KK")
        expect(page.locator(".solve .size")).to_contain_text("12 v 6 hands")
        # The browser notes every answer that is not 200, such as those about half a board.
        watched.errors[:] = [error for error in watched.errors if "400 (Bad Request)" not in error]
        page.get_by_role("button", name="Solve", exact=True).click()
        summary = page.locator(".spot .range-summary")
        expect(summary).to_contain_text("OOP acts on the river", timeout=JOB_MS)
        expect(summary.locator("[data-field=EV]")).to_contain_text("75.")
        page.locator(".spot .grid [data-hand=QQ]").click()
        expect(page.locator(".spot-combos .combo")).to_have_count(6)
        expect(page.locator(".spot-table tbody tr")).to_have_count(12)
        page.locator(".spot-table [data-column=equity]").click()
        expect(page.locator(".spot-table tbody tr").first).to_contain_text("A")
        page.locator(".spot .share[data-action='all-in 100']").click()
        expect(summary).to_contain_text("IP acts on the river")
        page.locator(".spot [data-mode=equity]").click()
        expect(page.locator(".spot .grid [data-hand=KK] .detail")).not_to_be_empty()
        page.locator(".line-strip .station.move").click()
        page.get_by_role("menuitemradio", name="check").click()
        expect(page.locator(".line-strip .station.move")).to_contain_text("check")


def test_a_card_is_dealt_and_replaced(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=cc")
        expect(page.locator(".spot-runouts tbody tr")).to_have_count(49)
        screenshot(page, "spot-runouts")
        page.locator(".spot-runouts [data-column=ev]").click()
        page.locator(".deck-card[data-card='9s']").click()
        expect(page.locator(".line-strip .station.board")).to_contain_text("9")
        expect(page.locator(".spot .range-summary")).to_contain_text("on the river")
        page.locator(".spot .share").first.click()
        expect(page.locator(".line-strip .station.move")).to_have_count(3)
        page.locator(".line-strip .station.board").click()
        page.get_by_role("menuitemradio", name="A♠").click()
        expect(page.locator(".line-strip .station.board")).to_contain_text("A")
        expect(page.locator(".line-strip .station.move")).to_have_count(3)


def test_what_follows_a_node_is_fetched_before_it_is_asked_for(
    browser: Browser, origin: str
) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        with page.expect_response(lambda answer: "/spot?line=a" in answer.url) as fetched:
            page.goto(f"{origin}#/turn/spot")
        page.locator(".spot .share[data-action='all-in 100']").click()
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts on the turn")
        assert asked.count(fetched.value.url) == 1


def test_hands_are_played_from_a_node(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=c&board=2c2d2h3c")
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts on the turn")
        page.get_by_role("button", name="drill from here").click()
        expect(page.locator(".play .actions button").first).to_be_enabled()
        screenshot(page, "spot-drill")
        assert "line=c" in page.url
        page.keyboard.press("1")
        expect(page.locator("section.play")).to_have_attribute("aria-busy", "false")


def test_hands_are_locked_at_nodes_and_the_spot_is_solved_around_them(
    browser: Browser, origin: str
) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot")
        expect(page.locator(".spot .range-summary")).to_contain_text("OOP acts on the turn")
        page.locator(".spot .grid [data-hand=QQ]").click()
        panel = page.locator(".spot-lock")
        panel.locator("summary").click()
        expect(panel.get_by_label("hands to lock")).to_have_value("QQ")
        panel.get_by_label("check, percent").fill("100")
        panel.get_by_role("button", name="Add this lock").click()
        expect(panel.locator(".problem")).to_contain_text("not to 100 %")
        panel.get_by_label("all-in 100, percent").fill("0")
        panel.get_by_role("button", name="Add this lock").click()
        expect(panel.locator(".locks li")).to_have_text([": QQ check 100% remove"])
        page.locator(".spot .share[data-action='all-in 100']").click()
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts on the turn")
        panel.get_by_label("hands to lock").fill("all")
        panel.get_by_label("fold, percent").fill("50")
        panel.get_by_label("call, percent").fill("50")
        panel.get_by_role("button", name="Add this lock").click()
        screenshot(page, "spot-lock")
        panel.get_by_role("button", name="Solve with these 2 locks").click()
        locks = page.locator(".new-spot-form textarea[name=locks]")
        expect(locks).to_have_value(": QQ check 100%\nall-in 100: all fold 50% call 50%")
        expect(page.locator(".new-spot-form input[name=board]")).to_have_value("2c2d2h3c")
        expect(page.locator(".new-spot-form input[name=add_all_in]")).to_have_value("1.5")
        # Once this spot is measured, nothing moves the button any more.
        expect(page.locator(".solve .size")).to_contain_text("12 v 12 hands")
        page.get_by_role("button", name="Solve", exact=True).click()
        expect(page.locator(".spot .share").first).to_be_visible(timeout=JOB_MS)
        page.locator(".spot .grid [data-hand=QQ]").click()
        mixes = page.locator(".spot-combos .mixes tbody tr")
        expect(mixes.filter(has_text="check")).to_contain_text(re.compile(r"check\s*100\s%"))
        # What was locked is marked, in the grid, in the table and beside the suits.
        queens = page.locator(".spot .grid [data-hand=QQ]")
        expect(queens).to_have_class(re.compile("cornered"))
        expect(queens).to_have_attribute("aria-label", re.compile("; locked$"))
        expect(page.locator(".spot .grid [data-hand=AA]")).not_to_have_class(re.compile("cornered"))
        expect(page.locator(".lock-legend")).to_contain_text("locked: 6 of 12 hands")
        expect(page.locator(".spot-table tr .locked")).to_have_count(6)
        expect(page.locator(".spot-table tr[data-hand^=Q] .locked")).to_have_count(6)
        expect(page.locator(".spot-combos .combo .locked")).to_have_count(6)
        screenshot(page, "spot-locked")
        page.locator(".spot .share").first.click()
        expect(page.locator(".lock-legend")).to_be_hidden()


def test_a_solution_is_answered_from_the_page(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=a100&board=2c2d2h3c")
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts on the turn")
        lock = page.locator(".spot-lock")
        lock.locator("summary").click()
        lock.get_by_label("hands to lock").fill("all")
        lock.get_by_label("fold, percent").fill("100")
        lock.get_by_label("call, percent").fill("0")
        lock.get_by_role("button", name="Add this lock").click()
        expect(lock.locator(".locks code")).to_have_text("all-in 100: all fold 100%")
        panel = page.locator(".spot-response")
        panel.locator("summary").click()
        expect(panel).to_contain_text("except for the lock above")
        screenshot(page, "spot-response")
        panel.get_by_role("button", name="OOP responds").click()
        # The page says how its process has ended, and only then leads to what that has written.
        status = panel.locator("[role=status]")
        expect(status).to_have_text(re.compile("^(answered|stopped|failed)$"), timeout=JOB_MS)
        assert status.inner_text() == "answered", panel.inner_text()
        expect(page).to_have_url(re.compile(r"best-response-\d+/spot"))
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts on the turn")
        expect(page.locator(".lock-legend")).to_contain_text("locked: 12 of 12 hands")
        page.locator(".line-strip .station.first").click()
        # Nobody calls, so that the worse hands take the pot at once.
        page.locator(".spot .grid [data-hand=QQ]").click()
        bets = page.locator(".spot-combos .mixes tbody tr").filter(has_text="all-in 100")
        expect(bets).to_contain_text(re.compile(r"100\s%"))
        expect(bets).to_contain_text("100.00")


def test_an_answer_is_stopped_or_says_why_it_failed(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("answers") / "runs"
    untilt.solve(untilt.Spot.from_dict(TURN), iterations=20, output=root / "turn")
    with (
        start_in_thread(Library.of(root), port=0) as running,
        watched_page(browser, running.address) as watched,
    ):
        page = watched.page
        page.goto(f"{running.address}#/turn/spot")
        panel = page.locator(".spot-response")
        page.get_by_role("button", name="chosen hand").click()
        panel.locator("summary").click()
        panel.get_by_role("button", name="IP responds").click()
        panel.get_by_role("button", name="Stop").click()
        expect(panel.locator("[role=status]")).to_have_text("stopped", timeout=JOB_MS)
        assert [path.name for path in root.iterdir()] == ["turn"]
        (root / "turn/result.json").write_text("{")
        panel.get_by_role("button", name="IP responds").click()
        expect(panel.locator(".problem")).to_contain_text("result.json", timeout=JOB_MS)
        expect(panel.get_by_role("button", name="IP responds")).to_be_enabled()
        screenshot(page, "spot-response-failed")


def test_a_street_is_solved_again_from_the_page(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=cc/&board=2c2d2h3c9s")
        page.get_by_role("button", name="solve from here").click()
        expect(page.locator(".new-spot-form input[name=board]")).to_have_value("2c2d2h3c9s")
        expect(page.locator(".new-spot-form input[name=pot]")).to_have_value("100")
        expect(page.locator(".solve .size")).to_contain_text("1 board")
        page.goto(f"{origin}#/turn/spot?line=c&board=2c2d2h3c")
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts")
        expect(page.get_by_role("button", name="solve from here")).to_be_hidden()


def test_the_hand_shown_first_is_in_the_range(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=c&board=2c2d2h3c")
        # Kings and jacks alone: the pair of kings comes first of those with the same weight.
        expect(page.locator(".spot-combos h2")).to_contain_text("KK")


def test_ranges_are_compared_and_a_class_filters_the_hands(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot")
        tabs = page.locator(".panel-tabs")
        tabs.get_by_role("button", name="range v range").click()
        curves = page.locator(".equity-graph .curve")
        expect(curves).to_have_count(2)
        expect(page.locator("[data-advantage=range] strong")).to_have_text("OOP")
        screenshot(page, "spot-range-v-range")
        tabs.get_by_role("button", name="blockers").click()
        # Each king is in half of the kings, and the jacks win nothing against aces and queens.
        expect(page.locator(".blocker-panel [data-card=Ks]")).to_have_attribute(
            "data-tone", re.compile("gain|loss")
        )
        tabs.get_by_role("button", name="classes").click()
        rows = page.locator(".class-panel tr[data-class]")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("full house")
        rows.get_by_role("button").click()
        expect(page).to_have_url(re.compile("class=full%20house"))
        expect(page.locator(".filter-state")).to_contain_text("full house: 9.0 of 9.0 combos")
        page.get_by_text("filter hands").click()
        page.get_by_label("with one of these cards").fill("As")
        page.keyboard.press("Enter")
        expect(page.locator(".filter-state")).to_contain_text("3.0 of 9.0 combos")
        expect(page.locator(".spot .grid [data-hand=QQ]")).to_have_attribute(
            "aria-label", re.compile("not here")
        )
        tabs.get_by_role("button", name="hands", exact=True).click()
        expect(page.locator(".spot-table tbody tr")).to_have_count(3)
        page.locator(".filter-state").get_by_role("button", name="clear").click()
        expect(page.locator(".spot-table tbody tr")).to_have_count(12)


def test_amounts_are_shown_in_percent_of_the_pot_and_actions_by_what_they_gain(
    browser: Browser, origin: str
) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot")
        page.get_by_label("unit of amounts").select_option("pot")
        expect(page.locator(".range-summary .share").last).to_contain_text("all-in 100 %")
        expect(page.locator(".spot [data-field=EV]")).to_contain_text("%")
        page.locator(".spot [data-mode=gain]").click()
        page.get_by_label("the action whose gain is shown").select_option("all-in 100")
        expect(page.locator(".spot .grid [data-hand=AA]")).to_have_class(re.compile("gain"))
        page.locator(".spot [data-seat=both]").click()
        expect(page.locator(".spot .hand-grid")).to_have_count(2)
        expect(page.get_by_label("hands of IP", exact=False)).to_be_visible()


def test_a_node_is_shared_as_a_link_and_as_a_picture(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?hand=QQ")
        expect(page.locator(".spot .range-summary")).to_contain_text("OOP acts on the turn")
        page.get_by_role("button", name="share").click()
        page.get_by_role("menuitemradio", name="copy the link").click()
        expect(page.locator(".share-menu [role=status]")).to_have_text("link copied")
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert copied == f"{origin}#/turn/spot?hand=QQ"
        for form, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
            page.get_by_role("button", name="share").click()
            with page.expect_download() as saved:
                page.get_by_role("menuitemradio", name=f"save a picture, {form}").click()
            content = saved.value.path().read_bytes()
            assert content.startswith(start)
            if form == "SVG":
                text = content.decode()
                assert all(part in text for part in ("2♣", "OOP to act", "all-in 100", "equity "))
                assert text.count('class="curve') == 2
        expect(page.locator(".picture-stage")).to_have_count(0)


def test_run_outs_are_a_heat_map_of_the_cards(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=cc")
        cards = page.locator(".spot-runouts .deck-card[data-tone]")
        expect(cards).to_have_count(48)
        # An ace makes the better of OOP's hands still better, a king one of IP's.
        assert (
            page.locator(".spot-runouts .deck-card[data-card=Ks]").get_attribute("data-tone")
            == "loss"
        )
        page.get_by_label("What the cards are shaded by").select_option("mix")
        expect(cards).to_have_count(0)
        page.locator(".spot [data-seat='1']").click()
        page.get_by_label("What the cards are shaded by").select_option("ev")
        expect(page.locator(".spot-runouts .deck-card[data-card=Ks]")).to_have_attribute(
            "data-tone", "gain"
        )


def test_a_place_that_does_not_exist_leads_back(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=b77")
        expect(page.locator(".spot > .problem")).to_be_visible()
        # Nothing of another node, and nothing without content, stays below the message.
        assert page.locator(".spot > :not(.problem):visible").count() == 0
        watched.errors.clear()  # the browser notes every answer that is not 200
        page.get_by_role("button", name="go to the first decision").click()
        expect(page.locator(".spot .range-summary")).to_contain_text("OOP acts on the turn")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_nothing_is_wider_than_the_window(
    browser: Browser, origin: str, width: int, height: int
) -> None:
    with watched_page(browser, origin, width=width, height=height) as watched:
        page = watched.page
        for name, place in (("spot", "turn/spot"), ("form", "turn/new")):
            page.goto(f"{origin}#/{place}")
            expected = "OOP acts" if name == "spot" else "nodes"
            expect(page.locator(".spot .range-summary, .solve .size")).to_contain_text(expected)
            stage = page.locator(".stage")
            for shown in in_both_themes(page, name, str(width)):
                assert stage.evaluate("stage => stage.scrollWidth - stage.clientWidth") <= 0
                screenshot(page, shown)


def test_hands_typed_at_once_into_an_opened_lock_are_kept(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=a100&board=2c2d2h3c")
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts on the turn")
        # What was selected before the page knows that the lock is open is what the typing replaces.
        page.locator(".spot-lock").evaluate(
            """async (lock) => {
                const opened = new Promise((known) => lock.addEventListener("toggle", known));
                lock.querySelector("summary").click();
                const field = lock.querySelector("input[aria-label='hands to lock']");
                field.focus();
                field.select();
                await opened;
                document.execCommand("insertText", false, "all");
            }"""
        )
        lock = page.locator(".spot-lock")
        expect(lock.get_by_label("fold, percent")).to_be_visible()
        expect(lock.get_by_label("hands to lock")).to_have_value("all")
        lock.get_by_label("fold, percent").fill("100")
        lock.get_by_label("call, percent").fill("0")
        lock.get_by_role("button", name="Add this lock").click()
        expect(lock.locator(".locks code")).to_have_text("all-in 100: all fold 100%")


def test_two_solutions_are_compared_side_by_side(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("compared") / "runs"
    river = untilt.Spot.from_dict(TURN | {"board": "2c2d2h3c4d"})
    untilt.solve(river, iterations=100, output=root / "nash")
    untilt.solve(river, noise="10%", iterations=50, output=root / "noisy")
    with (
        start_in_thread(Library.of(root), port=0) as running,
        watched_page(browser, running.address, width=1440, height=900) as watched,
    ):
        page = watched.page
        page.goto(f"{running.address}#/nash/spot")
        page.get_by_role("button", name="compare", exact=True).click()
        page.get_by_label("the other solution").select_option("noisy")
        panel = page.locator(".compare-panel")
        expect(panel).to_contain_text("does something else")
        expect(page.locator(".grid-part.other h3")).to_have_text("noisy (10 %)")
        expect(page.locator(".spot .hand-grid")).to_have_count(2)
        screenshot(page, "spot-compared")
        first = panel.locator(".lines tbody tr").first
        line = first.get_attribute("data-line")
        first.get_by_role("button").click()
        if line:
            expect(page).to_have_url(re.compile(f"line={line}"))
        expect(page).to_have_url(re.compile("against=noisy"))
        expect(panel).to_contain_text("does something else")
        page.get_by_label("the other solution").select_option("")
        expect(page.locator(".spot .hand-grid")).to_have_count(1)


def test_ranges_are_kept_in_a_library_and_loaded(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/turn/spot?line=a100&board=2c2d2h3c")
        expect(page.locator(".spot .range-summary")).to_contain_text("IP acts on the turn")
        share = page.locator(".share-menu")
        share.get_by_role("button", name="share").click()
        page.get_by_role("menuitemradio", name=re.compile("keep the range")).click()
        expect(share).to_contain_text("kept as turn IP a100")
        page.goto(f"{origin}#//new")
        oop = page.locator(".range-editor[data-range=OOP]")
        page.get_by_label("range OOP as text").fill("AA")
        kept = oop.get_by_label("ranges that are kept, for OOP")
        kept.select_option("turn IP a100")
        expect(page.get_by_label("range OOP as text")).to_have_value("KK,JJ")
        expect(oop.locator("[data-hand=JJ]")).to_have_attribute("data-frequency", "1.0000")
        oop.get_by_label("name under which to keep range OOP").fill("pairs")
        oop.get_by_role("button", name="keep").click()
        ip = page.locator(".range-editor[data-range=IP]")
        ip.get_by_label("ranges that are kept, for IP").select_option("pairs")
        expect(page.get_by_label("range IP as text")).to_have_value("KK,JJ")
        oop.get_by_role("button", name="remove").click()
        expect(kept.locator("option")).to_have_count(2)
        watched.errors[:] = [error for error in watched.errors if "400 (Bad Request)" not in error]


def test_hands_come_in_turn_from_the_ticked_spots(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("mixed") / "runs"
    for name, card in (("four", "4d"), ("five", "5d")):
        river = untilt.Spot.from_dict(TURN | {"board": f"2c2d2h3c{card}"})
        untilt.solve(river, iterations=50, output=root / name)
    with (
        start_in_thread(Library.of(root), port=0) as running,
        watched_page(browser, running.address, width=1440, height=900) as watched,
    ):
        page = watched.page
        page.goto(f"{running.address}#/four/play?with=five")
        played: list[str] = []
        for _ in range(4):
            page.wait_for_selector('.play[aria-busy="false"] .actions button:enabled')
            played.append(page.url.split("#/")[1].split("/")[0])
            while not page.locator(".play .result").is_visible():
                page.keyboard.press("2")
                page.wait_for_selector('.play[aria-busy="false"] .actions button:enabled')
            expect(page.locator(".play .note")).to_contain_text("in turn from 2 spots")
            page.keyboard.press("n")
            expect(page).not_to_have_url(re.compile(f"#/{played[-1]}/"))
            expect(page.locator(".play .result")).to_be_hidden()
        assert played == ["four", "five", "four", "five"]
        decisions = page.locator(".play .trainer tbody tr").first.locator("td").first
        expect(decisions).not_to_have_text("0")
