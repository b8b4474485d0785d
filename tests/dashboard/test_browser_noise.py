"""A spot at several noises on the page, in a real Chromium."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.dashboard.browser import box_of, chromium, watched_page

import untilt
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library

pytestmark = pytest.mark.long

RIVER = untilt.Spot(
    board="Td9d6hQc2s",
    ranges=("AA,JJ,87s", "KK,QJs"),
    pot=100,
    stack=300,
    sizes=untilt.Sizes("75%", raises="a"),
)
NOISES = ("40%", "10%", "oop=4%,ip=20%", "3%")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("noises") / "runs"
    untilt.solve(RIVER, iterations=300, output=root / "nash")
    for number, noise in enumerate(NOISES):
        untilt.solve(RIVER, noise=noise, output=root / f"noise-{number}")
    other = untilt.Spot(board="2c2d2h3c4s", ranges=("AA", "KK,QQ"), pot=10, stack=20)
    untilt.solve(other, iterations=50, output=root / "other")
    return root


@pytest.fixture(scope="module")
def origin(runs: Path) -> Iterator[str]:
    with start_in_thread(Library.of(runs), port=0) as running:
        yield running.address


def said(page: Page) -> str:
    """Return what the picture says to those who cannot see it, once it is drawn."""
    picture = page.locator(".noise-bands")
    expect(picture).to_have_attribute("aria-label", re.compile("At noise"))
    return picture.get_attribute("aria-label") or ""


def shares(solution: untilt.Solution) -> dict[str, str]:
    return {name: f"{100 * share:.1f} %" for name, share in solution.root.frequencies.items()}


def test_the_picture_has_the_mix_of_every_solution_of_the_spot(
    browser: Browser, origin: str, runs: Path
) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        for name, noise in (("noise-1", "10 %"), ("noise-3", "3 %"), ("nash", "Nash")):
            page.goto("about:blank")
            page.goto(f"{origin}#/{name}/noise")
            expect(page.locator(".noise-slider output")).to_have_text(noise)
            solution = untilt.load(runs / name).result
            words = ", ".join(f"{action} {share}" for action, share in shares(solution).items())
            assert f"At noise {noise}: " in said(page)
            assert said(page).endswith(f"the whole range: {words}")
        # Three noises that are equal for both players, and Nash.
        expect(page.locator(".noise-slider input")).to_have_attribute("max", "3")
        expect(page.locator(".noise-bands .band.nash")).to_have_count(4)


def test_the_slider_keeps_line_and_hand(browser: Browser, origin: str) -> None:
    for view in ("spot", "noise"):
        with watched_page(browser, origin, width=1440, height=900) as watched:
            page = watched.page
            page.goto(f"{origin}#/noise-0/{view}?line=c&hand=KK")
            slider = page.get_by_role("slider", name="Noise")
            expect(slider).to_have_attribute("aria-valuetext", "40 %")
            slider.press("ArrowRight")
            expect(page).to_have_url(re.compile(rf"#/noise-1/{view}\?line=c&hand=KK"))
            slider.press("End")
            expect(page).to_have_url(re.compile(rf"#/nash/{view}\?line=c&hand=KK"))
            expect(slider).to_have_attribute("aria-valuetext", "Nash")


def test_a_click_on_the_picture_shows_the_solution_there(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin, width=1280, height=820) as watched:
        page = watched.page
        page.goto(f"{origin}#/noise-0/noise")
        said(page)
        box = box_of(page.locator(".noise-bands .band.nash >> visible=true").first)
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(page).to_have_url(re.compile("#/nash/noise"))
        expect(page.locator(".noise-bands")).to_have_attribute(
            "aria-label", re.compile("At noise Nash")
        )


def test_unequal_noises_are_a_branch_of_their_own(browser: Browser, origin: str) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/noise-2/noise")
        expect(page.locator(".noise-slider output")).to_have_text("4 % v 20 %")
        expect(page.locator(".noise-slider input")).to_have_attribute("max", "1")


def test_a_spot_solved_once_says_how_to_solve_it_at_other_noises(
    browser: Browser, origin: str, runs: Path
) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/other/noise")
        expect(page.locator(".noise code")).to_have_text(
            f"untilt spot {runs / 'other'} --ladder 20%..1%"
        )
        expect(page.locator(".noise-bands")).to_be_hidden()
        page.goto(f"{origin}#/other/spot")
        expect(page.locator(".spot .grid")).to_be_visible()
        expect(page.locator(".noise-slider")).to_be_hidden()


def test_the_table_has_a_row_for_each_noise(browser: Browser, origin: str, runs: Path) -> None:
    with watched_page(browser, origin) as watched:
        page = watched.page
        page.goto(f"{origin}#/nash/noise?hand=AA")
        said(page)
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV").click()
        header, *rows = Path(download.value.path()).read_text("utf-8").splitlines()
        assert header == "run,noise_oop,noise_ip,AA check,AA bet 75,range check,range bet 75"
        assert [row.split(",")[:3] for row in rows] == [
            ["noise-0", "0.4", "0.4"],
            ["noise-1", "0.1", "0.1"],
            ["noise-3", "0.03", "0.03"],
            ["nash", "0", "0"],
        ]
        found = [float(share) for share in rows[1].split(",")[5:]]
        expected = list(untilt.load(runs / "noise-1").result.root.frequencies.values())
        assert found == pytest.approx(expected, abs=1e-4)


def test_a_ghost_line_leads_to_a_form_that_solves_it_with_noise(
    browser: Browser, origin: str, runs: Path
) -> None:
    with watched_page(browser, origin, width=1440, height=900) as watched:
        page = watched.page
        page.goto(f"{origin}#/other/spot?line=cb6")
        page.get_by_role("button", name="Solve with noise 2%").click()
        form = page.locator(".new-spot-form")
        expect(form.locator("input[name=noise]")).to_have_value("2%")
        expect(form.locator("input[name=board]")).to_have_value("2c2d2h3c4s")
        expect(form.get_by_label("residual, %")).to_be_visible()
        expect(form.locator(".size")).to_contain_text("a residual of 0.1 %")
        form.locator("input[name=noise]").fill("0%")
        expect(form.get_by_label("Solving")).to_contain_text("that is Nash")
        watched.errors[:] = [error for error in watched.errors if "400 (Bad Request)" not in error]
        form.locator("input[name=noise]").fill("")
        expect(form.get_by_label("exploitability, %")).to_be_visible()
        form.locator("input[name=noise]").fill("30%")
        form.get_by_role("button", name="Solve", exact=True).click()
        expect(page).to_have_url(re.compile("spot-2c2d2h3c4s"), timeout=60_000)
    (solved,) = runs.glob("spot-2c2d2h3c4s*/run.json")
    assert '"noise": "30%"' in solved.read_text("utf-8")
