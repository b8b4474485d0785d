"""The page in a real Chromium: watched, scrubbed, filtered, played, and never complaining."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.dashboard.browser import JOB_MS, box_of, chromium, screenshot, watched_page

import untilt
from untilt.dashboard.server.assets import STATIC
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library
from untilt.formats.run.run_command import made_by
from untilt.games.pushfold.game import Stakes
from untilt.runs.pushfold.charts import sweep_charts
from untilt.runs.pushfold.sweep_folder import save_sweep

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def shown_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of every kind that the page shows."""
    root = tmp_path_factory.mktemp("page") / "runs"
    with made_by(["untilt", "solve", "kuhn", "--method", "cfr+", "-n", "500"]):
        untilt.solve("kuhn", "cfr+", iterations=500, output=root / "kuhn")
    untilt.solve("kuhn", "dcfr", iterations=300, output=root / "kuhn-dcfr")
    untilt.solve("leduc", "cfr+", iterations=200, output=root / "leduc")
    untilt.solve("leduc", "cfr+", parameters={"ranks": 13}, iterations=20, output=root / "large")
    untilt.solve("leduc", "qre", beta=20.0, output=root / "branch")
    untilt.solve("pushfold", "cfr+", iterations=60, output=root / "pushfold")
    save_sweep(sweep_charts([Stakes(5.0), Stakes(10.0), Stakes(15.0)]), "lp", root / "sweep")
    return root


@pytest.fixture(scope="module")
def origin(shown_runs: Path) -> Iterator[str]:
    if not (STATIC / "index.html").is_file():
        pytest.fail("the page is not built; run `uv sync --reinstall-package untilt`")
    with start_in_thread(Library.of(shown_runs), port=0) as running:
        yield running.address


def points(page: Page) -> int:
    return int(page.locator(".convergence svg[data-points]").get_attribute("data-points") or 0)


def segment(page: Page, label: str, action: str) -> float:
    found = page.locator(f'.strategy .row[data-label="{label}"] .segment[data-action="{action}"]')
    return float(found.get_attribute("data-probability") or "nan")


class TestLive:
    @contextmanager
    def solving(self, folder: Path, *arguments: str) -> Iterator[tuple[Any, str]]:
        """Run `untilt solve … --watch` and yield the process with the page's address."""
        command = [sys.executable, "-m", "untilt", "solve", *arguments]
        command += ["--watch", "--no-open", "--port", "0", "--output", str(folder)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                line = process.stderr.readline()
                address = re.search(r"http://\S+", line)
                assert address is not None, line
                yield process, address[0]
            finally:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=JOB_MS / 1000)

    def test_points_arrive_while_it_is_solved(self, browser: Browser, tmp_path: Path) -> None:
        # Long enough for a browser that waits for a busy machine to see it run.
        with self.solving(tmp_path / "run", "kuhn", "--pace", "15") as (process, address):
            origin = address.partition("#")[0]
            with watched_page(browser, origin) as watched:
                page = watched.page
                page.goto(address)
                status = page.locator('.status [data-field="status"]')
                expect(status).to_contain_text("running")
                page.wait_for_selector(".convergence svg[data-points]")
                first = points(page)
                svg = page.locator(".convergence svg[data-points]")
                expect(svg).not_to_have_attribute("data-points", str(first))
                assert points(page) > first
                # The page itself was not made anew.
                page.evaluate("document.querySelector('.convergence svg').dataset.mark = 'same'")
                expect(status).to_contain_text("finished")
                rows = (tmp_path / "run" / "progress.jsonl").read_text().splitlines()
                expect(svg).to_have_attribute("data-points", str(len(rows)))
                expect(page.locator(".convergence svg[data-mark=same]")).to_have_count(1)
            assert process.poll() is None, "it keeps serving until Ctrl-C"
        assert process.returncode == 0

    def test_an_awaited_run_is_not_called_missing(self, browser: Browser, tmp_path: Path) -> None:
        library = Library(tmp_path, str(tmp_path), start="new", max_depth=1)
        with (
            start_in_thread(library, port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            for address in ("#/new", ""):
                page.goto("about:blank")
                page.goto(running.address + address)
                expect(page.locator(".stage")).to_contain_text("Waiting for new")
                expect(page.locator("body")).not_to_contain_text("There is no run")
            untilt.solve("kuhn", "cfr+", iterations=50, output=tmp_path / "new")
            page.wait_for_selector(".convergence svg[data-points]")
            page.goto(f"{running.address}#/other")
            expect(page.locator(".stage")).to_contain_text("There is no run other")

    def test_the_bare_address_follows_the_run_of_a_restarted_server(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        for name in ("one", "two"):
            untilt.solve("kuhn", "cfr+", iterations=20, output=tmp_path / name)
        library = Library(tmp_path, str(tmp_path), start="one", max_depth=1)
        first = start_in_thread(library, port=0)
        with watched_page(browser, first.address) as watched:
            page = watched.page
            page.goto(first.address)
            expect(page).to_have_url(re.compile("#/one"))
            first.stop()
            library = Library(tmp_path, str(tmp_path), start="two", max_depth=1)
            with start_in_thread(library, port=first.port):
                expect(page).to_have_url(re.compile("#/two"))
            watched.forget_restart()

    def test_a_page_survives_a_restart_of_the_server(
        self, browser: Browser, shown_runs: Path
    ) -> None:
        first = start_in_thread(Library.of(shown_runs), port=0)
        with watched_page(browser, first.address) as watched:
            page = watched.page
            page.goto(f"{first.address}#/kuhn/convergence")
            connection = page.locator('.status [data-field="connection"]')
            expect(connection).to_contain_text("connected")
            page.wait_for_selector(".convergence svg[data-points]")
            before = points(page)
            first.stop()
            expect(connection).to_contain_text("lost")
            with start_in_thread(Library.of(shown_runs), port=first.port):
                expect(connection).to_contain_text("connected")
                # What is written from now on still arrives.
                log = shown_runs / "kuhn" / "progress.jsonl"
                row = json.loads(log.read_text().splitlines()[-1])
                with log.open("a") as file:
                    file.write(json.dumps({**row, "iteration": row["iteration"] + 1}) + "\n")
                svg = page.locator(".convergence svg[data-points]")
                expect(svg).to_have_attribute("data-points", str(before + 1))
            watched.forget_restart()


class TestStrategy:
    def test_scrubbing_moves_the_strategy(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/strategy")
            page.wait_for_selector('.strategy .row[data-label="P1:Q:b"]')
            expect(page.locator(".strategy .row")).to_have_count(12)
            assert segment(page, "P1:Q:b", "call") == pytest.approx(1 / 3, abs=0.01)
            screenshot(page, "strategy-kuhn")
            slider = page.locator(".replay input[type=range]")
            slider.focus()
            page.keyboard.press("Home")
            held = page.locator('.strategy .row[data-label="P1:Q:b"] .segment[data-action="call"]')
            expect(held).to_have_attribute("data-probability", re.compile(r"0\.5"))
            expect(page).to_have_url(re.compile("at=0"))
            page.locator(".replay .step-on").click()
            expect(page).to_have_url(re.compile("at=1"))
            page.locator(".replay .live").click()
            expect(held).to_have_attribute("data-probability", re.compile(r"0\.33"))
            expect(page).not_to_have_url(re.compile("at="))

    def test_filters_by_card_and_line(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/leduc/strategy")
            page.wait_for_selector(".strategy .row")
            page.locator('.strip .filter-card button[data-card="K"]').click()
            expect(page.locator('.strategy .row:not([data-label*=":K:"])')).to_have_count(0)
            expect(page.locator(".strategy .row").first).to_be_visible()
            expect(page).to_have_url(re.compile("hand=K"))
            screenshot(page, "strategy-leduc")
            page.reload()
            page.wait_for_selector(".strategy .row")
            expect(page.locator('.strategy .row:not([data-label*=":K:"])')).to_have_count(0)

    def test_an_infoset_is_linked_to(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/strategy")
            page.locator('.strategy .row[data-label="P0:K:"]').click()
            expect(page.locator(".inspector .detail")).to_contain_text("opening action")
            link = page.url
            screenshot(page, "strategy-detail")
            page.goto("about:blank")
            page.goto(link)
            expect(page.locator(".inspector .detail")).to_contain_text("P0:K:")

    def test_three_players_have_a_column_each_and_runs_of_two_have_two(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        three, runs = {"players": 3}, tmp_path / "runs"
        run = untilt.solve("kuhn", "cfr+", parameters=three, iterations=200, output=runs / "three")
        untilt.solve("kuhn", "cfr+", iterations=20, output=runs / "two")
        untilt.solve("kuhn", "qre", parameters=three, beta=2.0, output=runs / "branch")
        with (
            start_in_thread(Library.of(runs), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            columns, summary = page.locator(".strategy .column"), page.locator(".range-summary")
            page.goto(f"{running.address}#/three/strategy")
            expect(columns.locator("h2")).to_have_text(["Player 0", "Player 1", "Player 2"])
            expect(columns.nth(2).locator(".row")).to_have_count(16)
            screenshot(page, "strategy-three")
            page.goto(f"{running.address}#/three/strategy?line=cc")
            expect(columns.nth(2).locator(".row")).to_have_count(4)
            expect(columns.nth(1)).to_contain_text("Player 1 has no decision here")
            view = untilt.strategies.action_values(run.game, run, 2)
            places = [run.game.infosets[2].index(f"P2:{card}:cc") for card in "TJQK"]
            reached = sum(view.own_reach[place] * view.opponent_reach[place] for place in places)
            expect(summary).to_contain_text(f"reached {100 * reached:.1f} %")
            page.set_viewport_size({"width": 390, "height": 800})
            page.goto(f"{running.address}#/three/strategy")
            expect(columns.nth(0)).to_be_visible()
            page.locator(".players button", has_text="player 2").click()
            expect(columns.nth(2)).to_be_visible()
            expect(columns.nth(0)).to_be_hidden()
            page.goto(f"{running.address}#/two/strategy?seat=2")
            expect(columns).to_have_count(2)
            expect(columns.nth(0)).to_be_visible()
            page.set_viewport_size({"width": 1440, "height": 900})
            page.goto(f"{running.address}#/branch/branch")
            expect(page.locator(".chooser h3")).to_have_text(["player 0", "player 1", "player 2"])

    def test_players_have_the_names_and_values_of_a_general_sum_file(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        file = tmp_path / "dilemma.nfg"
        file.write_text(
            """NFG 1 R "dilemma" { "Ann" "Bob" } { { "C" "D" } { "C" "D" } } 3 3 4 0 0 4 1 1"""
        )
        untilt.qre(str(file), 0.0, output=tmp_path / "runs" / "uniform")
        with (
            start_in_thread(Library.of(tmp_path / "runs"), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            page.goto(f"{running.address}#/uniform/strategy")
            expect(page.locator(".strategy .column h2")).to_have_text(["Ann", "Bob"])
            page.goto(f"{running.address}#/uniform/facts")
            for name in ("Ann", "Bob"):
                expect(page.locator(".facts")).to_contain_text(re.compile(f"value of {name}.*2"))

    def test_a_large_game_is_browsed_by_lines(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/large/strategy")
            page.wait_for_selector(".strategy .row")
            # 5,148 infosets, of which only those in view are in the page.
            assert page.locator(".strategy .row").count() < 200
            screenshot(page, "strategy-large")

    def test_the_strip_leads_down_the_line_and_back(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/leduc/strategy")
            strip = page.locator(".line-strip")
            strip.get_by_role("button", name="go to the start").click()
            strip.get_by_role("button", name="check", exact=True).click()
            expect(page).to_have_url(re.compile("line=c$"))
            strip.get_by_role("button", name="bet", exact=True).click()
            expect(page).to_have_url(re.compile("line=cb$"))
            expect(strip.locator("li")).to_have_count(4)  # start, check, bet, board
            expect(page.locator('.strategy .row:not([data-label$=":cb"])')).to_have_count(0)
            # A station opens its siblings; all of it works by keyboard.
            strip.locator(".station.move").last.focus()
            page.keyboard.press("Enter")
            menu = page.locator(".menu-list")
            expect(menu.get_by_role("menuitemradio")).to_have_text(
                [re.compile("check"), re.compile("bet")]
            )
            page.keyboard.press("Escape")
            expect(menu).to_have_count(0)
            page.keyboard.press("Enter")
            page.keyboard.press("ArrowUp")
            page.keyboard.press("Enter")
            expect(page).to_have_url(re.compile("line=cc%2F$"))
            strip.locator(".station.board").click()
            menu.get_by_role("menuitemradio", name="K").click()
            expect(page).to_have_url(re.compile("line=cc%2F&board=K$"))
            expect(page.locator('.strategy .row:not([data-label$=":K:cc/"])')).to_have_count(0)
            page.go_back()
            expect(page).to_have_url(re.compile("line=cc%2F$"))

    def test_the_summary_is_of_the_whole_range(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/strategy?line=b")
            summary = page.locator(".range-summary")
            expect(summary.locator(".share")).to_have_count(2)
            expect(summary).to_contain_text("EV")
            page.goto(f"{origin}#/leduc/strategy?line=")
            # An action that somebody answers leads down the line.
            summary.get_by_role("button", name="bet").click()
            expect(page).to_have_url(re.compile("line=b$"))
            expect(summary.locator(".share")).to_have_count(3)

    def test_a_second_run_shows_the_largest_differences_first(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/strategy?with=kuhn-dcfr")
            page.wait_for_selector(".strategy .row .difference:not([hidden])")
            for player in (0, 1):
                column = page.locator(f'.strategy .column[data-player="{player}"]')
                texts = column.locator(".row .difference").all_inner_texts()
                shares = [float(text.removesuffix("%").strip()) for text in texts]
                assert len(shares) == 6
                assert shares == sorted(shares, reverse=True)

    @pytest.mark.parametrize("width", [840, 1024, 1440])
    def test_rows_have_their_own_height_and_nothing_is_clipped(
        self, browser: Browser, origin: str, width: int
    ) -> None:
        with watched_page(browser, origin, width=width) as watched:
            page = watched.page
            page.goto(f"{origin}#/large/strategy")
            page.wait_for_selector(".strategy .long .row[data-label]")
            first = page.locator(".strategy .row[data-label]").first.get_attribute("data-label")
            page.locator(".strategy .scroller").evaluate("one => one.scrollTop = 4000")
            # Rows that have left the window are taken out, and others drawn.
            expect(page.locator(f'.strategy .row[data-label="{first}"]')).to_have_count(0)
            faults = page.evaluate(
                """() => [...document.querySelectorAll('.strategy .column')].flatMap((column) => {
                  const rows = [...column.querySelectorAll('.row[data-label]')]
                    .map((row) => ({ row, box: row.getBoundingClientRect() }))
                    .sort((one, other) => one.box.top - other.box.top);
                  const overlap = rows.slice(1)
                    .filter(({ box }, index) => box.top < rows[index].box.bottom - 0.5);
                  const texts = column.querySelectorAll('.row :is(.words, .name, .share, .value)');
                  const clipped = [...texts]
                    .filter((one) => !one.closest('.bar') && one.scrollWidth > one.clientWidth + 1
                      && getComputedStyle(one).display !== 'inline');
                  return [
                    ...overlap.map(() => 'overlap'), ...clipped.map((one) => one.textContent),
                  ];
                })"""
            )
            assert faults == []


class TestConvergence:
    def test_runs_are_compared(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence")
            page.wait_for_selector(".convergence svg[data-points]")
            page.locator('.runs input[data-compare="kuhn-dcfr"]').check()
            expect(page.locator(".convergence")).to_contain_text("dcfr")
            expect(page).to_have_url(re.compile("with=kuhn-dcfr"))
            box = box_of(page.locator(".convergence svg[data-points]"))
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            screenshot(page, "convergence")

    def test_charts_and_rows_are_downloaded(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence")
            page.wait_for_selector(".convergence svg[data-points]")
            for name, begin in {"SVG": b"<svg", "PNG": b"\x89PNG", "CSV": b"run,"}.items():
                with page.expect_download() as caught:
                    page.locator(".convergence").get_by_role("button", name=name).click()
                data = Path(caught.value.path()).read_bytes()
                assert data.startswith(begin), (name, data[:40])
                assert caught.value.suggested_filename.endswith(f".{name.lower()}")

    def test_compared_runs_are_named_hidden_and_lifted(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence?with=kuhn-dcfr&with=leduc")
            names = page.locator(".convergence .names .end text")
            expect(names).to_have_count(3)
            expect(page.locator(".convergence .line.second")).to_have_count(3)
            expect(page.locator(".convergence .right-axis")).to_be_hidden()
            expect(page.locator(".convergence .readout")).to_contain_text(re.compile("T−[0-9]"))
            button = page.locator('.convergence .key button[data-of="kuhn-dcfr"]')
            button.focus()
            expect(page.locator('.line.lifted[data-of="kuhn-dcfr"]')).to_have_count(2)
            button.click()
            expect(button).to_have_attribute("aria-pressed", "false")
            expect(names).to_have_count(2)
            page.locator('[data-option="y=linear"]').click()
            expect(page).to_have_url(re.compile("y=linear"))

    def test_a_run_of_one_point_opens_on_its_strategy(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        untilt.solve("kuhn", "lp", output=tmp_path / "exact")
        with (
            start_in_thread(Library.of(tmp_path), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            watched.page.goto(running.address)
            watched.page.wait_for_selector(".strategy .row")
            watched.page.keyboard.press("c")
            watched.page.wait_for_selector(".convergence .plot")

    def test_pictures_are_light_unless_asked(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin, is_dark=True) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence")
            page.wait_for_selector(".convergence svg[data-points]")
            dark = page.evaluate("getComputedStyle(document.body).backgroundColor")

            def paper() -> str:
                with page.expect_download() as caught:
                    page.locator(".convergence").get_by_role("button", name="SVG").click()
                found = re.search(
                    r'<rect[^>]*fill="([^"]*)"', Path(caught.value.path()).read_text()
                )
                assert found is not None
                return found[1]

            assert paper() == "rgb(251, 250, 247)"
            page.locator(".convergence .as-shown input").check()
            assert paper() == dark
            expect(page.locator("html")).to_have_attribute("data-theme", "dark")


class TestRuns:
    def test_a_table_is_sorted_filtered_and_opened_by_keys(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence")
            page.wait_for_selector(".convergence svg[data-points]")
            page.keyboard.press("r")
            rows = page.locator(".runs-table tbody tr")
            expect(rows).to_have_count(7)
            page.get_by_role("button", name="exploitability", exact=True).click()
            head = page.locator(".runs-table th[aria-sort=ascending]")
            expect(head).to_have_text("exploitability")
            # What has no exploitability comes last.
            expect(rows.last).to_have_attribute("data-run", "sweep")
            page.locator(".runs-table .find").fill("ranks 13")
            expect(rows).to_have_count(1)
            expect(page).to_have_url(re.compile("find=ranks"))
            page.locator(".runs-table tbody a").focus()
            page.keyboard.press("Enter")
            expect(page).to_have_url(re.compile("#/large"))

    def test_the_view_is_reached_with_few_tabs_however_many_runs_there_are(
        self, browser: Browser, shown_runs: Path, tmp_path: Path
    ) -> None:
        for number in range(40):
            shutil.copytree(shown_runs / "kuhn", tmp_path / f"run-{number:02}")
        with (
            start_in_thread(Library.of(tmp_path), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            page.goto(running.address)
            page.wait_for_selector(".convergence svg[data-points]")
            page.keyboard.press("Tab")
            expect(page.locator(".skip")).to_be_focused()
            seen = []
            while not page.evaluate(
                "document.querySelector('.stage').contains(document.activeElement)"
            ):
                page.keyboard.press("Tab")
                seen.append(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
                assert len(seen) < 18, seen
            assert sum("data-run" in one for one in seen) == 1
            # Within the list, arrows move, and Enter chooses.
            page.locator(".runs [data-run][tabindex='0']").focus()
            page.keyboard.press("End")
            focused = page.locator("[data-run]:focus")
            last = focused.get_attribute("data-run")
            page.keyboard.press("Enter")
            expect(page).to_have_url(re.compile(f"#/{last}"))
            page.keyboard.press("ArrowUp")
            assert focused.get_attribute("data-run") != last
            page.keyboard.press("ArrowLeft")
            page.keyboard.press("Space")
            expect(page).to_have_url(re.compile("with="))

    def test_the_command_that_repeats_a_run_is_copied(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/facts")
            page.locator(".facts .copy").click()
            expect(page.locator(".facts .copy")).to_have_text("copied")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied.startswith("untilt solve kuhn --method cfr+ ")

    def test_the_copy_button_stays_when_facts_are_drawn_again(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/facts")
            page.locator(".facts .copy").evaluate("button => { button.dataset.seen = 'yes'; }")
            with page.expect_response("**/api/runs/kuhn/facts*"):
                page.evaluate("location.hash += '?seed=1'")
            page.wait_for_function("document.querySelector('.facts .copy') !== null")
            expect(page.locator(".facts .copy")).to_have_attribute("data-seen", "yes")

    def test_words_are_explained_and_escape_hides_it(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence")
            word = page.locator('.about .term[data-term="exploitability"]')
            word.focus()
            definition = page.locator(".about .definition:popover-open")
            expect(definition).to_contain_text("It is 0 at an equilibrium")
            assert word.get_attribute("aria-describedby") == definition.get_attribute("id")
            page.keyboard.press("Escape")
            expect(definition).to_have_count(0)
            page.locator('.about .term[data-term="regret"]').hover()
            expect(definition).to_contain_text("best fixed choice")


class TestPushFold:
    def test_a_sweep_has_a_slider(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/sweep/pushfold?stack=10")
            cell = page.locator('.pushfold .grid[data-action="push"] .cell[data-hand="43s"]')
            expect(cell).to_have_attribute("data-frequency", re.compile(r"^0\.71"))
            expect(page.locator(".pushfold .grid .cell")).to_have_count(338)
            screenshot(page, "pushfold")
            page.locator(".pushfold input[type=range]").focus()
            page.keyboard.press("ArrowLeft")
            expect(cell).to_have_attribute("data-frequency", "1.0000")
            expect(page).to_have_url(re.compile("stack=5"))
            page.locator('.pushfold .mode button[data-mode="ev"]').click()
            screenshot(page, "pushfold-ev")

    def test_limits_by_stack_for_print(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/sweep/pushfold?stack=10")
            page.wait_for_selector(".pushfold .grid .cell.whole")
            # An exact solution has no regret.
            expect(page.locator('.pushfold .mode button[data-mode="regret"]')).to_be_hidden()
            page.locator('.pushfold .mode button[data-mode="limit"]').click()
            cell = page.locator('.pushfold .grid[data-action="push"] .cell[data-hand="AA"]')
            expect(cell).to_contain_text("15+")
            screenshot(page, "pushfold-limits")
            page.emulate_media(media="print")
            expect(page.locator(".pushfold .print-heading")).to_be_visible()
            expect(page.locator(".pushfold .toolbar")).to_be_hidden()
            expect(page.locator(".side")).to_be_hidden()

    def test_a_run_has_no_slider_that_leads_to_another_run(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/pushfold/pushfold")
            page.wait_for_selector(".pushfold .grid .cell.whole")
            expect(page.locator(".pushfold input[type=range]")).to_be_hidden()

    def test_a_chosen_hand_is_shown_by_the_strategy_too(
        self, browser: Browser, origin: str
    ) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/pushfold/pushfold")
            page.locator('.pushfold .grid[data-action="call"] .cell[data-hand="K5o"]').click()
            expect(page).to_have_url(re.compile("line=a&seat=1&hand=K5o"))
            page.keyboard.press("s")
            expect(page.locator(".strategy .row[data-label]")).to_have_count(1)
            expect(page.locator('.strategy .row[data-label="P1:K5o:a"]')).to_be_visible()

    @pytest.mark.parametrize(
        ("width", "height"), [(1440, 900), (1024, 768), (390, 844), (844, 390), (720, 450)]
    )
    def test_the_read_out_never_lies_on_cells(
        self, browser: Browser, origin: str, width: int, height: int
    ) -> None:
        with watched_page(browser, origin, width=width, height=height) as watched:
            page = watched.page
            page.goto(f"{origin}#/pushfold/pushfold")
            page.wait_for_selector(".pushfold .grid .cell.whole")
            stage, out = (box_of(page.locator(one)) for one in (".stage", ".readout"))
            is_beside = out["x"] >= stage["x"] + stage["width"] - 1
            is_below = out["y"] >= stage["y"] + stage["height"] - 1
            assert is_beside or is_below
            # The first cells are seen on entry.
            cell = page.locator('.pushfold .grid[data-action="push"] .cell').first
            expect(cell).to_be_in_viewport(ratio=0.9)
            assert out["x"] + out["width"] <= width
            assert out["y"] + out["height"] <= height

    def test_a_range_is_copied(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/sweep/pushfold?stack=10")
            page.locator(".pushfold .copy").first.click()
            expect(page.locator(".pushfold .copy").first).to_have_text("copied")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied.startswith("22+,A2+")


class TestBranch:
    def test_a_branch_is_drawn_against_beta(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/branch/branch")
            expect(page.locator(".branch svg").first).to_be_visible()
            expect(page.locator(".branch")).to_contain_text("β")
            screenshot(page, "branch")

    def test_a_document_is_dropped_on_the_page(
        self, browser: Browser, origin: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "kuhn.json"
        subprocess.run(
            [sys.executable, "-m", "untilt", "qre", "kuhn", "--beta", "3", "-o", str(path)],
            check=True,
            capture_output=True,
            cwd=tmp_path,
        )
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(origin)
            page.wait_for_selector(".runs [data-run]")
            drop = """text => {
                const data = new DataTransfer();
                data.items.add(new File([text], "kuhn.json", {type: "application/json"}));
                dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
            }"""
            page.evaluate(drop, path.read_text())
            expect(page.locator(".branch svg").first).to_be_visible()
            expect(page.locator('.status [data-field="game"]')).to_contain_text("Kuhn Poker")
            expect(page.locator(".runs [aria-current] .name")).to_have_text("kuhn.json")

    def test_what_is_no_document_is_refused_in_words(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(origin)
            page.wait_for_selector(".runs [data-run]")
            page.evaluate(
                """() => {
                const data = new DataTransfer();
                data.items.add(new File(["{}"], "x.json", {type: "application/json"}));
                dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
            }"""
            )
            expect(page.locator(".message")).to_contain_text("x.json")
            # A browser logs every answer from 400 on.
            watched.errors = [error for error in watched.errors if "400" not in error]


class TestPlay:
    def test_ten_hands_of_kuhn(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/play?seed=7")
            hands = page.locator('.play .score [data-field="hands"]')
            for number in range(1, 11):
                while True:
                    page.wait_for_selector(
                        ".play .actions button:enabled, .play .deal:visible:enabled"
                    )
                    if page.locator(".play .result").is_visible():
                        break
                    page.locator(".play .actions button:enabled").last.click()
                expect(hands).to_contain_text(str(number))
                expect(page.locator(".play .review")).to_be_visible()
                if number == 10:
                    break
                page.locator(".play .deal").click()
                expect(page.locator(".play .result")).to_be_hidden()
            expect(page.locator('.play .score [data-field="interval"]')).to_contain_text("±")
            screenshot(page, "play")
            # Reloading goes on with the same session.
            page.reload()
            expect(hands).to_contain_text("10")

    def test_played_by_keys(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/play?seed=1&sits=0")
            page.wait_for_selector('.play .actions button[data-action="bet"]:enabled')
            page.keyboard.press("2")
            expect(page.locator(".play .result")).to_be_visible()
            page.keyboard.press("n")
            expect(page.locator('.play .actions button[data-action="bet"]')).to_be_enabled()


class TestPage:
    def test_light_and_dark(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence")
            page.wait_for_selector(".convergence svg[data-points]")
            root = page.locator("html")
            expect(root).to_have_attribute("data-theme", "light")
            light = page.evaluate("getComputedStyle(document.body).backgroundColor")
            page.locator(".theme").click()
            expect(root).to_have_attribute("data-theme", "dark")
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
            screenshot(page, "convergence-dark")
            page.reload()
            expect(root).to_have_attribute("data-theme", "dark")

    def test_the_system_decides_at_first(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin, is_dark=True) as watched:
            watched.page.goto(origin)
            expect(watched.page.locator("html")).to_have_attribute("data-theme", "dark")

    @pytest.mark.parametrize(
        ("address", "drawn"),
        [
            ("#/kuhn/convergence", ".convergence svg[data-points]"),
            ("#/leduc/strategy", ".strategy .row"),
            ("#/large/strategy", ".strategy .row"),
            ("#/sweep/pushfold", ".pushfold .grid .cell"),
            ("#/branch/branch", ".branch svg"),
            ("#/kuhn/play", ".play .actions button"),
        ],
    )
    def test_a_phone_needs_no_sideways_scrolling(
        self, browser: Browser, origin: str, address: str, drawn: str
    ) -> None:
        with watched_page(browser, origin, width=390, height=844, has_touch=True) as watched:
            page = watched.page
            page.goto(origin + address)
            page.wait_for_selector(drawn)
            screenshot(page, f"phone{address.replace('#/', '-').replace('/', '-')}")
            widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert widths[0] <= widths[1]
            stage = page.locator(".stage")
            assert stage.evaluate("e => e.scrollWidth <= e.clientWidth + 1")

    def test_keys_alone_suffice(self, browser: Browser, origin: str) -> None:
        with watched_page(browser, origin) as watched:
            page = watched.page
            page.goto(f"{origin}#/kuhn/convergence")
            page.wait_for_selector(".convergence svg[data-points]")
            page.keyboard.press("s")
            page.wait_for_selector(".strategy .row")
            page.keyboard.press("ArrowLeft")
            expect(page).to_have_url(re.compile("at="))
            page.keyboard.press("End")
            expect(page).not_to_have_url(re.compile("at="))
            page.keyboard.press("?")
            expect(page.locator("dialog.help")).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.locator("dialog.help")).to_be_hidden()
            expect(page.locator("dialog.help:focus-within")).to_have_count(0)
            page.keyboard.press("k")
            expect(page).not_to_have_url(re.compile("#/kuhn/"))

    def test_a_damaged_run_is_listed_with_its_problem(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        untilt.solve("kuhn", "cfr+", iterations=20, output=tmp_path / "good")
        (tmp_path / "bad").mkdir()
        (tmp_path / "bad" / "run.json").write_text("{")
        with (
            start_in_thread(Library.of(tmp_path), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            page.goto(f"{running.address}#/good/convergence")
            page.wait_for_selector(".convergence svg[data-points]")
            expect(page.locator('.runs [data-run="bad"]')).to_contain_text("damaged")
            screenshot(page, "damaged")

    def test_a_name_from_a_strangers_folder_is_no_markup(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        untilt.solve(
            "kuhn", "cfr+", iterations=20, output=tmp_path / "<img src=x onerror=alert(1)>"
        )
        with (
            start_in_thread(Library.of(tmp_path), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            page.goto(running.address)
            page.wait_for_selector(".convergence svg[data-points]")
            expect(page.locator("img")).to_have_count(0)


class TestNames:
    def test_a_run_gets_a_name_a_note_and_a_star(self, browser: Browser, shown_runs: Path) -> None:
        with (
            start_in_thread(Library.of(shown_runs), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            page.goto(f"{running.address}#/kuhn/facts")
            page.get_by_label("name of the run").fill("First steps")
            page.get_by_label("note about the run").fill("to be repeated with dcfr")
            page.get_by_label("★ star").check()
            expect(page.locator(".run-label [role=status]")).to_have_text("saved")
            item = page.locator(".run-item[data-item=kuhn]")
            expect(item.locator(".title")).to_have_text("★ First steps")
            page.goto(f"{running.address}#/kuhn/runs?find=repeated")
            expect(page.locator(".runs-table tbody tr")).to_have_count(1)
            page.goto(f"{running.address}#/kuhn/facts")
            page.reload()
            expect(page.get_by_label("name of the run")).to_have_value("First steps")
            expect(page.get_by_label("note about the run")).to_have_value(re.compile("dcfr"))

    def test_runs_of_a_grid_are_one_entry_that_opens(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        for number in range(4):
            untilt.solve("kuhn", "cfr+", iterations=5, output=tmp_path / "grid" / str(number))
        untilt.solve("kuhn", "cfr+", iterations=5, output=tmp_path / "alone")
        with (
            start_in_thread(Library.of(tmp_path), port=0) as running,
            watched_page(browser, running.address) as watched,
        ):
            page = watched.page
            page.goto(f"{running.address}#/alone/facts")
            expect(page.locator(".run-item")).to_have_count(2)
            group = page.get_by_role("button", name=re.compile("grid.*4 runs"))
            expect(group).to_have_attribute("aria-expanded", "false")
            group.click()
            expect(page.locator(".run-item.inside")).to_have_count(4)
            page.keyboard.press("ArrowLeft")
            expect(page.locator(".run-item")).to_have_count(2)
            page.goto(f"{running.address}#/grid~2/facts")
            page.reload()  # a group is open if it holds the run that is shown
            expect(page.locator(".run-item.inside")).to_have_count(4)
