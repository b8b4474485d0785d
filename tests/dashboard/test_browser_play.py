"""Playing in a real Chromium: by keys alone, at every size, and with a history that lasts."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.dashboard.browser import (
    box_of,
    chromium,
    enter,
    in_both_themes,
    screenshot,
    watched_page,
)

import untilt
from untilt.dashboard.server.assets import STATIC
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

# With a browser in many windows: minutes.
pytestmark = pytest.mark.long

LIARS_DICE = Path(__file__).parents[2] / "examples" / "liars_dice.py"
GAMES = ("kuhn", "leduc", "pushfold", "liars")
SIZES = {
    "laptop": (1440, 900),
    "zoomed": (720, 450),  # the same at 200 %
    "small": (1024, 768),
    "phone": (390, 844),
    "lying": (844, 390),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not (STATIC / "index.html").is_file():
        pytest.fail("the page is not built; run `uv sync --reinstall-package untilt`")
    root = tmp_path_factory.mktemp("played") / "runs"
    untilt.solve("kuhn", "lp", output=root / "kuhn")
    untilt.solve("leduc", "cfr+", iterations=300, output=root / "leduc")
    three = {"players": 3}
    untilt.solve("kuhn", "cfr+", parameters=three, iterations=500, output=root / "three")
    untilt.solve("pushfold", "cfr+", iterations=60, output=root / "pushfold")
    untilt.solve(f"{LIARS_DICE}:game", "cfr+", iterations=60, output=root / "liars")
    deep = {"stack": 14, "board": "3", "ranks": 7, "suits": 2}
    untilt.solve("holdem", "mccfr-external", parameters=deep, iterations=60, output=root / "holdem")
    untilt.solve("auction", "qre", beta=2.0, output=root / "auction")
    untilt.solve("market-maker", "qre", beta=5.0, output=root / "market")
    with start_in_thread(Library.of(root), port=0) as running:
        yield running.address


def settle(page: Page) -> None:
    """Wait until the table shows the answer to the last key."""
    page.wait_for_selector('.play[aria-busy="false"] .actions button:enabled')


def press(page: Page, key: str) -> None:
    page.keyboard.press(key)
    settle(page)


def is_over(page: Page) -> bool:
    return page.locator(".play .result").is_visible()


def sit_down(page: Page, origin: str, run: str, options: str = "") -> None:
    page.goto(f"{origin}#/{run}/play?{options}")
    settle(page)


def play_out(page: Page, turn: int = 0) -> None:
    """Play the hand on the table to its end, with an action that depends on `turn`."""
    while not is_over(page):
        count = page.locator(".play .actions button").count()
        chosen = turn % count
        turn += 1
        digit = str((chosen + 1) % 10)
        press(page, digit if chosen < 10 else f"Shift+Digit{digit}")


def shown_number(page: Page, field: str) -> float:
    text = page.locator(f'.play .score [data-field="{field}"]').inner_text()
    return float(text.replace("−", "-").replace(",", ""))


class TestByKeysAlone:
    @pytest.mark.parametrize("run", GAMES)
    def test_twenty_hands(self, browser: Browser, origin: str, run: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/{run}/strategy?seed=11")
            page.wait_for_selector(".strategy .row")
            press(page, "p")
            total = 0.0
            for hand in range(1, 21):
                play_out(page, hand)
                gain = page.locator(".play .result .gain").inner_text().replace("−", "-")
                total += float(gain)
                expect(page.locator('.play .score [data-field="hands"]')).to_have_text(str(hand))
                assert re.search(r"mistake|no decision", page.locator(".play .result").inner_text())
                expect(page.locator(".play .review")).to_be_visible()
                if hand == 20:
                    break
                press(page, ("n", "Enter", " ")[hand % 3])
            # Each gain is rounded to cents, and so is the total.
            assert shown_number(page, "total") == pytest.approx(total, abs=0.11)
            expect(page.locator(".play .history .totals")).to_contain_text("20 hands")
            screenshot(page, f"play-{run}")

    def test_thirteen_bids_can_all_be_made(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "liars", "seed=3&sits=0")
            keys = page.locator(".play .actions kbd").all_inner_texts()
            assert keys == [*"1234567890", "⇧1", "⇧2"]
            press(page, "Shift+Digit2")
            expect(page.locator(".play .story")).to_contain_text("you say 2-6")
            press(page, "n")
            # The arrows go round, and Enter takes the action.
            page.keyboard.press("ArrowLeft")
            expect(page.locator(".play .actions button").last).to_be_focused()
            page.keyboard.press("ArrowRight")
            expect(page.locator(".play .actions button").first).to_be_focused()
            press(page, "Enter")
            expect(page.locator(".play .story")).to_contain_text("you say 1-1")

    def test_letters_switch_views_and_digits_do_not(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "kuhn", "seed=1&sits=0")
            for letter, view in (("c", "convergence"), ("s", "strategy"), ("p", "play")):
                tab = page.locator(f'.tabs button[data-view="{view}"]')
                assert tab.locator("kbd").inner_text() == letter
                page.keyboard.press(letter)
                expect(tab).to_have_attribute("aria-current", "page")
            settle(page)
            page.keyboard.press("c")
            page.keyboard.press("2")
            expect(page).to_have_url(re.compile("/convergence"))
            # There is no push/fold chart of Kuhn poker: its letter is left to the browser.
            page.keyboard.press("f")
            expect(page).to_have_url(re.compile("/convergence"))

    def test_the_seed_is_typed_and_no_key_is_taken_from_it(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "kuhn", "seed=1&sits=0")
            field = page.locator(".play .seed")
            expect(field).to_have_value("1")
            field.focus()
            page.keyboard.press("Control+A")
            page.keyboard.type("2cpsn4")
            expect(field).to_have_value("2cpsn4")
            page.keyboard.press("Enter")
            expect(field).to_have_attribute("aria-invalid", "true")
            field.focus()
            page.keyboard.press("Control+A")
            page.keyboard.type("24")
            page.keyboard.press("Enter")
            expect(page).to_have_url(re.compile("seed=24&.*deal=0"))
            settle(page)
            card = page.locator(".play .place.you .card").get_attribute("data-face")
            press(page, "1")
            # The same address deals the same card elsewhere.
            with watched_page(browser, origin) as other:
                sit_down(other.page, origin, "kuhn", "seed=24&sits=0")
                expect(other.page.locator(".play .place.you .card")).to_have_attribute(
                    "data-face", card or ""
                )


class TestMoney:
    def test_the_felt_shows_what_the_server_says(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            with page.expect_response(lambda answer: "/play?" in answer.url) as arrived:
                sit_down(page, origin, "leduc", "seed=4&sits=1")
            for hand in range(8):
                state = arrived.value.json()
                self.verify(page, state)
                while not state["is_over"]:
                    key = str(1 + hand % len(state["to_act"]["actions"]))
                    with page.expect_response(lambda answer: "/play?" in answer.url) as arrived:
                        press(page, key)
                    state = arrived.value.json()
                    self.verify(page, state)
                with page.expect_response(lambda answer: "/play?" in answer.url) as arrived:
                    press(page, "n")

    def verify(self, page: Page, state: Any) -> None:
        chips, seat = state["chips"], state["seat"]
        bets = [chips["bets"][player] for player in (1 - seat, seat)]
        pot = chips["pot"] + (sum(bets) if state["is_over"] else 0.0)
        # The opponent sits above; at the end all bets are in the pot.
        on_felt = [bet for bet in bets if bet and not state["is_over"]]
        found = page.locator(".play .felt .bet")
        amounts = found.evaluate_all("all => all.map(e => Number(e.dataset.amount))")
        assert amounts == on_felt
        expect(page.locator(".play .felt .pot")).to_have_attribute("data-amount", f"{pot:g}")
        if state["to_act"] is not None:
            words = [action["words"] for action in state["to_act"]["action_data"]]
            texts = page.locator(".play .actions button").all_inner_texts()
            assert texts == [f"{number}{text}" for number, text in enumerate(words, start=1)]

    def test_blinds_stacks_and_the_price_of_a_call(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "pushfold", "seed=2&sits=1")
            while is_over(page):
                press(page, "n")
            expect(page.locator(".play .story")).to_contain_text("the small blind posts 0.5")
            expect(page.locator(".play .place.you .stack")).to_have_text("stack 9")
            expect(page.locator(".play .place.opponent .stack")).to_have_text("stack 0")
            expect(page.locator(".play .place.opponent .down")).to_have_count(2)
            expect(page.locator('.play .actions [data-action="call"]')).to_contain_text(
                "call 9 to win 11"
            )
            press(page, "2")
            expect(page.locator(".play .board .card")).to_have_count(5)
            expect(page.locator(".play .turn")).to_contain_text(
                "the score counts your exact equity"
            )
            expect(page.locator(".play .runout")).to_contain_text("this board")
            screenshot(page, "play-runout")

    def test_games_without_cards_have_none(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "liars", "seed=2&sits=0")
            expect(page.locator(".play .card, .play .money")).to_have_count(0)
            expect(page.get_by_label("hidden die")).to_be_visible()
            sit_down(page, origin, "market", "seed=2&sits=1")
            # The market maker holds nothing.
            expect(page.locator(".play .place.opponent .cards > *")).to_have_count(0)
            expect(page.locator(".play .rules")).to_contain_text("half-spread")
            sit_down(page, origin, "auction", "seed=2&sits=1")
            expect(page.get_by_label("hidden value")).to_be_visible()
            press(page, "0")
            assert re.search(r"you \w+ .*, bidder 0 \w+ ", page.locator(".play .turn").inner_text())
            expect(page.locator(".play .winner")).to_have_count(0)


class TestSessions:
    def test_hands_without_a_decision_are_skipped_and_counted(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "pushfold", "seed=5&sits=1")
            page.locator(".play .skips").check()
            settle(page)
            for _ in range(12):
                expect(page.locator('.play .actions [data-action="call"]')).to_be_visible()
                press(page, "1")
                expect(page.locator(".play .result")).to_contain_text("−1.00")
                press(page, "n")
            assert shown_number(page, "hands") > 12
            screenshot(page, "play-skipped")
            # It is a preference, and so outlives the page.
            page.reload()
            settle(page)
            expect(page.locator(".play .skips")).to_be_checked()

    def test_mistakes_are_drilled_until_they_are_put_right(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "kuhn", "seed=1&sits=1")
            drill = page.locator(".play .drill")
            expect(drill).to_be_disabled()
            # Passive with everything: with a king that is a mistake, whatever the line.
            while drill.is_disabled():
                play_out(page)
                if drill.is_disabled():
                    press(page, "n")
            hands = shown_number(page, "hands")
            press(page, "d")
            expect(drill).to_have_attribute("aria-pressed", "true")
            expect(page.locator(".play .turn")).to_contain_text("drill: ")
            expect(page.locator(".play .place.you .card")).to_have_attribute("data-face", "K")
            expect(page.locator(".play .note")).not_to_contain_text("last time")
            screenshot(page, "play-drill")
            press(page, "1")  # the same mistake again
            expect(page.locator(".play .result")).to_contain_text("1 mistake")
            expect(page.locator(".play .history .spots")).to_contain_text("2 times")
            expect(page.locator(".play .note")).to_contain_text("last time: ")
            press(page, "n")
            press(page, "2")  # with a king, betting and calling are right
            expect(page.locator(".play .result")).to_contain_text("no mistakes")
            expect(drill).to_have_text(re.compile("end the drill"))
            press(page, "n")  # nothing is left: back to the session
            expect(drill).to_be_disabled()
            assert shown_number(page, "hands") == hands
            expect(page).to_have_url(re.compile("seed=1&"))

    def test_a_verdict_follows_each_decision_and_is_counted(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "leduc", "seed=3&sits=0")
            verdict = page.locator(".play .verdict")
            expect(verdict).to_be_hidden()
            for _ in range(20):
                press(page, "1")
                if not is_over(page):
                    break
                press(page, "n")
            expect(verdict).to_have_text(re.compile("^(best|fine|mistake): "))
            expect(page.locator(".play .review .decision")).not_to_have_count(0)
            screenshot(page, "play-verdict")
            page.get_by_label("verdict after each move").uncheck()
            settle(page)
            expect(verdict).to_be_hidden()
            play_out(page)
            situations = page.locator(".play .trainer")
            expect(situations).to_contain_text(re.compile(r"of \d+ decisions right"))
            page.get_by_label("seat of the decisions").select_option("1")
            expect(situations).to_contain_text("no such decision yet")
            page.reload()
            settle(page)
            expect(page.get_by_label("verdict after each move")).not_to_be_checked()

    def test_the_history_outlives_the_tab_and_damage(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "kuhn", "seed=1&sits=1")
            for _ in range(3):
                play_out(page)
                press(page, "n")
            context = page.context
            second = context.new_page()
            sit_down(second, origin, "kuhn", "seed=2&sits=1")
            play_out(second)
            totals = second.locator(".play .history .totals")
            expect(totals).to_contain_text("4 hands")
            assert shown_number(second, "hands") == 1
            second.locator(".play .history summary").click()
            rows = second.locator(".play .history tbody tr")
            expect(rows).to_have_count(4)
            # An earlier hand of the same run is shown as it was played.
            rows.last.locator("button").click()
            settle(second)
            expect(second.locator(".play .result")).to_be_visible()
            expect(second.locator(".play .deal")).to_contain_text("next hand")
            keys = second.evaluate(
                "Object.keys(localStorage).filter(k => k.startsWith('untilt-history'))"
            )
            assert len(keys) == 1
            for damage in ("{", '{"version": 1, "hands": -3}', "[]"):
                second.evaluate(
                    "([key, text]) => localStorage.setItem(key, text)", [keys[0], damage]
                )
                second.reload()
                settle(second)
                press(second, "n")
                play_out(second)
                expect(totals).to_contain_text("1 hand")
            second.close()

    def test_another_run_of_the_same_game_has_the_same_history(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            sit_down(page, origin, "kuhn", "seed=1&sits=1")
            play_out(page)
            sit_down(page, origin, "leduc", "seed=1&sits=1")
            play_out(page)
            expect(page.locator(".play .history .totals")).to_contain_text("1 hand ")


HOLDEM: dict[str, Any] = {
    "hand": 0,
    "seat": 1,
    "private": "AsKd",
    "faces": ["As", "Kd"],
    "opponent": None,
    "opponent_faces": None,
    "num_hidden": 2,
    "opponents": [{"seat": 0, "private": None, "faces": None, "num_hidden": 2}],
    "public": "2c7d9hQsTh",
    "public_faces": ["2c", "7d", "9h", "Qs", "Th"],
    "events": [
        {"player": 1, "is_you": True, "action": "check", "public": "2c7d9h", "words": "you check"},
        {
            "player": 0,
            "is_you": False,
            "action": "bet 33",
            "public": "2c7d9h",
            "words": "the button bets 33",
        },
        {"player": 1, "is_you": True, "action": "call", "public": "2c7d9h", "words": "you call 33"},
        {
            "player": 0,
            "is_you": False,
            "action": "bet 120",
            "public": "2c7d9hQsTh",
            "words": "the button bets 120",
        },
    ],
    "to_act": {
        "label": "P1:AsKd:2c7d9hQsTh:cb33c/cc/b120",
        "words": "facing a bet of 120 after 2c7d9hQsTh on the board",
        "line": "cb33c/cc/b120",
        "actions": ["fold", "call", "raise 360", "raise 600", "all-in"],
        "action_data": [
            {"kind": "fold", "amount": None, "name": "fold", "words": "fold"},
            {"kind": "call", "amount": 120.0, "name": "call", "words": "call 120 to win 286"},
            {"kind": "raise", "amount": 360.0, "name": "raise 360", "words": "raise to 360"},
            {"kind": "raise", "amount": 600.0, "name": "raise 600", "words": "raise to 600"},
            {"kind": "all-in", "amount": 900.0, "name": "all-in", "words": "all-in 900"},
        ],
    },
    "chips": {"pot": 166.0, "bets": [120.0, 0.0], "stacks": [780.0, 900.0]},
    "opening": ["100 in the pot"],
    "runout": None,
    "terms": {
        "unit": "chips",
        "seats": ["button", "big blind"],
        "private": "cards",
        "public": "board",
        "has_chips": True,
        "has_forced_moves": False,
        "verbs": ["choose", "choose"],
        "rules": "",
    },
    "is_over": False,
    "payoff": None,
    "payoffs": None,
    "winner": None,
    "outcome": None,
    "verdict": None,
    "review": None,
}


def overlaps(page: Page, selector: str) -> list[str]:
    """Return the pairs of visible elements that overlap, and elements that leave the window."""
    found: list[str] = page.evaluate(
        """selector => {
            const all = [...document.querySelectorAll(selector)]
                .map(e => [e, e.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
            const bad = [];
            const name = e => e.className + " " + e.textContent.slice(0, 20);
            for (const [e, box] of all) {
                const isInside = box.left >= -0.5 && box.right <= innerWidth + 0.5;
                if (!isInside) bad.push("outside: " + name(e));
                if (e.scrollWidth > e.clientWidth + 1) bad.push("clipped: " + name(e));
            }
            all.forEach(([one, a], index) => all.slice(index + 1).forEach(([other, b]) => {
                if (one.contains(other) || other.contains(one)) return;
                const isApart = a.right <= b.left + 0.5 || b.right <= a.left + 0.5
                    || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
                if (!isApart) bad.push(name(one) + " / " + name(other));
            }));
            return bad;
        }""",
        selector,
    )
    return found


class TestSizes:
    @pytest.mark.parametrize("size", SIZES)
    def test_nothing_overlaps_and_the_review_is_in_sight(
        self, browser: Browser, origin: str, size: str
    ) -> None:
        width, height = SIZES[size]
        is_small = width < 1000
        with watched_page(
            browser, origin, width=width, height=height, has_touch=is_small
        ) as watched:
            page = watched.page
            for run in (*GAMES, "auction", "market"):
                enter(page, f"{origin}#/{run}/play?seed=4&sits=1")
                settle(page)
                for name in in_both_themes(page, f"play-{size}", run):
                    self.verify(page)
                    screenshot(page, name)
                    button = box_of(page.locator(".play .actions button").first)
                    assert button["y"] + button["height"] <= height, (name, button)
                play_out(page, 1)
                for name in in_both_themes(page, f"play-{size}", f"{run}-over"):
                    self.verify(page)
                    screenshot(page, name)
                    self.verify_bars(page)
                    review = box_of(page.locator(".play .review"))
                    assert review["y"] + 120 < height, (name, review)

    def verify(self, page: Page) -> None:
        parts = ".play .card, .play .die, .play .money, .play .who, .play .bubble, .play .chip"
        assert overlaps(page, f"{parts}, .play .actions button, .play .result, .play .turn") == []
        assert page.locator(".stage").evaluate("e => e.scrollWidth <= e.clientWidth + 1")

    def verify_bars(self, page: Page) -> None:
        """Fail unless the bars of the review are as long as the shares beside them."""
        bars = page.locator(".play .review .bar").evaluate_all(
            """all => all.map(bar => {
                const [box, whole] = [bar, bar.parentElement].map(e => e.getBoundingClientRect());
                return [box.width / whole.width, box.height, parseFloat(bar.style.width) / 100];
            })"""
        )
        for width, height, share in bars:
            assert width == pytest.approx(share, abs=0.02)
            assert height > 5

    @pytest.mark.parametrize("size", SIZES)
    def test_a_spot_of_holdem_fits(self, browser: Browser, origin: str, size: str) -> None:
        width, height = SIZES[size]

        def answer(route: Route) -> None:
            route.fulfill(body=json.dumps(HOLDEM), content_type="application/json")

        with watched_page(browser, origin, width=width, height=height) as watched:
            page = watched.page
            page.route("**/api/runs/leduc/play?*", answer)
            sit_down(page, origin, "leduc", "seed=4&sits=1")
            expect(page.locator(".play .board .card")).to_have_count(5)
            expect(page.locator(".play .place.you .card")).to_have_count(2)
            expect(page.locator(".play .actions button")).to_have_count(5)
            self.verify(page)
            screenshot(page, f"play-holdem-{size}")


def test_bets_of_many_sizes_are_chosen_with_a_slider_a_number_or_a_share_of_the_pot(
    browser: Browser, origin: str
) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/holdem/play?seed=7&sits=0")
        settle(page)
        names = [button.get_attribute("data-action") for button in page.locator(".action").all()]
        assert names[:3] == ["fold", "call", "all-in 14"]
        bet = page.locator(".sizes .action")
        expect(bet).to_have_text("raise to 4")
        page.locator(".sizes input[type=number]").fill("9")
        expect(bet).to_have_text("raise to 9")
        page.locator(".sizes .share", has_text="pot").click()
        expect(bet).to_have_text("raise to 6")
        page.locator(".sizes input[type=range]").fill("13")
        expect(bet).to_have_text("raise to 13")
        page.locator(".sizes input[type=number]").press("Enter")
        expect(page.locator(".chip", has_text="you raise to 13")).to_be_visible()


@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_a_table_of_three_seats_everybody_and_is_played_to_its_end(
    browser: Browser, origin: str, size: str
) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{origin}#/three/play?seed=4&sits=alternate")
        for hand in range(4):
            expect(page.locator(".play .place")).to_have_count(3)
            expect(page.locator(".play .around .place")).to_have_count(2)
            expect(page.locator(".play .place.you")).to_have_attribute("data-seat", str(hand % 3))
            others = page.locator(".play .around .place").evaluate_all(
                "places => places.map((place) => Number(place.dataset.seat))"
            )
            assert others == [(hand % 3 + step) % 3 for step in (1, 2)]
            while page.locator(".play .result").is_hidden():
                expect(page.locator(".play .card.down")).to_have_count(2)
                page.locator(".play .actions button.action:enabled").first.click()
                page.wait_for_selector(
                    ".play .actions button.action:enabled, .play .deal:visible:enabled"
                )
            expect(page.locator(".play .card.down")).to_have_count(0)
            expect(page.locator(".play .place.winner")).to_have_count(1)
            expect(page.locator(".play .turn")).to_contain_text("win")
            places = [box_of(place) for place in page.locator(".play .around .place").all()]
            assert places[0]["x"] < places[1]["x"] or places[0]["y"] < places[1]["y"]
            page.locator(".play .deal").click()
            expect(page.locator(".play .result")).to_be_hidden()
        page.locator('.play .seat [data-seat="2"]').click()
        expect(page.locator(".play .place.you")).to_have_attribute("data-seat", "2")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        screenshot(page, f"play-three-{size}")
