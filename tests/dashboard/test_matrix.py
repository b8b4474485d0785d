"""Every view of every kind of run, in windows of all sizes, light and dark.

Nothing overlaps, is cut off or hard to read, and an action has one colour everywhere.

The checks themselves are in `page_checks.js`.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.dashboard.browser import chromium, screenshot, watched_page
from tests.dashboard.hand_folders import make_folders

import untilt
from untilt.dashboard.server.assets import STATIC
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library
from untilt.formats.base.files import json_bytes
from untilt.games.pushfold.game import Stakes
from untilt.runs.pushfold.charts import sweep_charts
from untilt.runs.pushfold.sweep_folder import save_sweep
from untilt.runs.pushfold.training import train
from untilt.runs.pushfold.training_start import prepare

CHECKS = (Path(__file__).parent / "page_checks.js").read_text("utf-8")
EXAMPLES = Path(__file__).parents[2] / "examples"
LEAST_CONTRAST = 4.5
PENDING = ".outdated, .waiting, [aria-busy='true']"
"""Marks of what is still another run's, pale or hidden, until the answer about this one arrives."""

SIZES = {
    "laptop": (1440, 900),
    "small": (1024, 768),
    "phone": (390, 844),
    "turned": (844, 390),
    "zoomed": (720, 450),
}
"""Widths and heights; `zoomed` is 1440 × 900 at 200 %."""

CONTENT = {
    "convergence": ".convergence .plot",
    "strategy": ".strategy .row",
    "pushfold": ".pushfold .cell",
    "branch": ".branch .panels",
    "play": ".play .actions button, .play .result",
    "facts": ".facts .panel",
    "runs": ".runs-table tbody tr",
    "home": ".home .door",
    "report": ".flop-report .flop-tile",
    "new": ".new-spot-form .deck-card",
    "spot": ".spot .hand-grid .cell, .spot .deck-card",
    "chart": ".spot .hand-grid .cell, .spot .deck-card",
    "hands": ".hand-list .hand, .replayer .felt, .leak-facts, .study .felt, .tilt-picture",
}
"""What must be in sight as soon as a view is opened."""


TURN = untilt.Spot(
    board="Td9d6hQc",
    ranges=("AA,KQs,JJ,87s", "KK,QQ,AJs,98s"),
    pot=100,
    stack=300,
    sizes=untilt.Sizes("50%", raises="a"),
)


@dataclass
class Served:
    """A server with runs of every kind."""

    origin: str
    views: dict[str, list[str]] = field(default_factory=dict)
    """By the id of a run."""

    def places(self) -> Iterator[tuple[str, str, str]]:
        """Yield run, view and address of every page."""
        for run, views in self.views.items():
            for view in views:
                yield run, view, f"#/{run}/{view}"
        yield "kuhn", "runs", "#/kuhn/runs"
        yield "kuhn", "home", "#/kuhn/home"
        yield "kuhn", "new", "#/kuhn/new"
        yield "flops", "report", "#//report?report=flops&flop=8s8h2d&suits=rainbow"
        for options in (
            *("", "?panel=classes&class=top%20pair", "?panel=equity", "?panel=blockers&hand=AA"),
            *("?ranges=both&show=gain&of=bet%2066", "?panel=hand&unit=bb&show=ev"),
        ):
            yield "river", "spot", f"#/.example-river/spot{options}"
        yield "turn", "spot", "#/turn/spot?line=cc"
        for options in (
            *("folder=hands", "folder=hands&played=0-1", "folder=deep~ring&played=0-3"),
            *("part=leaks", "part=leaks&kind=street&leak=preflop", "part=study", "part=tilt"),
        ):
            yield "kuhn", "hands", f"#/kuhn/hands?{options}"
        yield "turn", "spot", "#/turn/spot?panel=compare&against=turn-noise"
        others = "&".join(f"with={run}" for run in ("sampling", "exact"))
        yield "solve", "convergence", f"#/solve/convergence?{others}&with=missing"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if not (STATIC / "index.html").is_file():
        pytest.fail("the page is not built; run `uv sync --reinstall-package untilt`")
    root = tmp_path_factory.mktemp("matrix") / "runs"
    untilt.solve("kuhn", "cfr+", iterations=300, output=root / "kuhn")
    untilt.solve("leduc", "cfr+", iterations=200, output=root / "solve")
    untilt.solve("leduc", "es", iterations=4000, output=root / "sampling")
    untilt.solve("kuhn", "lp", output=root / "exact")
    untilt.solve("leduc", "qre", beta=20.0, output=root / "branch")
    untilt.solve("leduc", "cfr+", parameters={"ranks": 13}, iterations=5, output=root / "large")
    untilt.solve("pushfold", "cfr+", iterations=60, output=root / "pushfold")
    dice = f"{EXAMPLES / 'liars_dice.py'}:game"
    untilt.solve(dice, "cfr+", parameters={"sides": 3}, iterations=60, output=root / "dice")
    train(prepare(None, {}), hands=200_000, output=root / "training")
    save_sweep(sweep_charts([Stakes(5.0), Stakes(10.0), Stakes(15.0)]), "lp", root / "sweep")
    flops = TURN.replaced(board="Td9d6h")
    untilt.spots.report(flops, flops=["AsKs2h", "8s8h2d"], iterations=4, output=root / "flops")
    untilt.solve(TURN, iterations=30, output=root / "turn")
    make_folders(root)
    untilt.solve(TURN, noise="5%", iterations=10, output=root / "turn-noise")
    library = Library.of(root)
    document = untilt.qre("kuhn", beta=6.0, save=False, trace=True).to_document()
    library.add_document(json_bytes(document), "kuhn.json")
    with start_in_thread(library, port=0) as running:
        found = Served(running.address)
        found.views = {
            source.id: [view for view in source.summary()["views"] if view != "noise"]
            for source in library.sources()
        }
        yield found


def opened(page: Page, served: Served, view: str, address: str) -> None:
    """Show an address, and return when everything on it is there."""
    if page.url == "about:blank":
        page.goto(served.origin + address)
    else:
        # The page has its own listener from the start, and so has marked what is pending by then.
        page.evaluate(
            """address => new Promise((followed) => {
                addEventListener("hashchange", followed, { once: true });
                location.hash = address;
            }).then(() => undefined)""",
            address,
        )
    page.locator(CONTENT[view]).locator("visible=true").first.wait_for()
    # Some parts are drawn, or found to be pending, only in the next frames.
    page.evaluate(
        """async (pending) => {
            await document.fonts.ready;
            const latest = performance.now() + 15_000;
            for (let settled = 0; settled < 6;) {
                await new Promise(requestAnimationFrame);
                settled = document.querySelector(pending) === null ? settled + 1 : 0;
                if (performance.now() > latest) throw new Error(`${location} still waits`);
            }
        }""",
        PENDING,
    )


def checked(page: Page, view: str, *, is_layout_known: bool) -> Any:
    """Return what `page_checks.js` finds; boxes are the same in all colours."""
    function = CHECKS[CHECKS.index("({ content") :]
    asked = {"content": CONTENT[view], "leastContrast": LEAST_CONTRAST}
    return page.evaluate(function, {**asked, "isLayoutKnown": is_layout_known})


def look_at(browser: Browser, served: Served, size: str) -> dict[tuple[str, str], set[str]]:
    """Check every page in one size and both themes; return the colours by theme and action."""
    width, height = SIZES[size]
    problems: list[str] = []
    colours: dict[tuple[str, str], set[str]] = {}
    with watched_page(browser, served.origin, width=width, height=height) as watched:
        page = watched.page
        page.emulate_media(reduced_motion="reduce")  # no colours on their way to others
        for run, view, address in served.places():
            opened(page, served, view, address)
            for theme in ("dark", "light"):
                page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
                found = checked(page, view, is_layout_known=theme == "light")
                problems += [f"{address} ({theme}): {problem}" for problem in found["problems"]]
                for kind, painted in found["colours"].items():
                    colours.setdefault((theme, kind), set()).update(painted)
                if os.environ.get("UNTILT_SCREENSHOTS"):
                    more = "-compared" if "with=" in address else ""
                    screenshot(page, f"{size}-{theme}-{run.strip('.')}-{view}{more}")
    assert problems == [], "\n".join(problems)
    return colours


def verify_colours(colours: dict[tuple[str, str], set[str]]) -> None:
    assert {("light", "fold"), ("light", "check"), ("dark", "call")} <= colours.keys()
    for (theme, kind), painted in colours.items():
        assert len(painted) == 1, f"in {theme}, {kind} is painted in {sorted(painted)}"


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_every_view_of_every_run(browser: Browser, served: Served, size: str) -> None:
    verify_colours(look_at(browser, served, size))


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            "<p><button style='min-height:0;height:9px;padding:0'>a</button>"
            "<button style='min-height:0;height:9px;padding:0'>b</button></p>",
            "9 px beside",
        ),
        ("<p id='x'>one</p><p id='x'>two</p>", "two elements have one id"),
        ("<p aria-labelledby='nowhere'>words</p>", "leads to nothing"),
        ("<p role='buton'>words</p>", "unknown role buton"),
        ("<p role='gridcell' aria-label='x'>words</p>", "outside of what has them"),
        ("<p role='slider' aria-label='x' tabindex='0'>words</p>", "without aria-valuenow"),
        ("<p tabindex='3'>words</p>", "out of the order of the tab key"),
        ("<p aria-hidden='true'><button>words</button></p>", "hidden from those who hear"),
        ("<img src='/favicon.svg' width='30' height='30'>", "no text in its place"),
        ("<section role='region'>words</section>", "a region without a name"),
        ("<input style='width:90px'>", "has no name"),
        ("<p style='font-size:9px'>words</p>", "9 px small"),
        ("<p style='color:#999'>words</p>", "has a contrast of"),
        ("<p><b>words</b><b style='position:relative;left:-2em'>others</b></p>", "share"),
    ],
)
def test_the_checks_find_faults(browser: Browser, served: Served, fault: str, said: str) -> None:
    with watched_page(browser, served.origin, width=1440, height=900) as watched:
        page = watched.page
        page.emulate_media(reduced_motion="reduce")
        opened(page, served, "facts", "#/kuhn/facts")
        assert checked(page, "facts", is_layout_known=False)["problems"] == []
        page.evaluate(
            """fault => {
                const place = document.createElement("div");
                place.innerHTML = fault.replaceAll(/style='([^']*)'/g, "data-style='$1'");
                for (const element of place.querySelectorAll("[data-style]")) {
                    element.style.cssText = element.dataset.style;  // no inline styles: the policy
                }
                document.querySelector(".facts").prepend(...place.childNodes);
            }""",
            fault,
        )
        problems = checked(page, "facts", is_layout_known=False)["problems"]
        assert any(said in problem for problem in problems), problems
