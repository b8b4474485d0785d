"""Draw the pictures of the dashboard: `docs/page-*.png` and `docs/play.jpg`.

    uv run --extra plot python docs/draw_dashboard.py

Solves a few games, serves the runs and takes pictures of the page in Chromium. The files are
reduced to 96 colours, which is less than half of their size.
"""

import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import untilt
from untilt.cli.main import run
from untilt.dashboard.server.server import start_in_thread
from untilt.dashboard.sources.library import Library
from untilt.games.pushfold.game import Stakes
from untilt.runs.pushfold.charts import sweep_charts
from untilt.runs.pushfold.sweep_folder import save_sweep

DOCS = Path(__file__).resolve().parent
RIVER = untilt.Spot(
    board="Td9d6hQc2s",
    ranges=(
        "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    ),
    pot=200,
    stack=900,
    sizes=untilt.Sizes("60%, a", raises="2.5x"),
)
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
METHODS = ("cfr", "linear", "pcfr+", "dcfr", "dcfr+", "sapcfr+", "cfr+")
NOISES = (40, 28, 20, 14, 10, 7, 5, 3.5, 2.5, 1.8, 1.2, 0.8)
COLOURS = 96

PAGES = {
    "convergence": "leduc-cfr+/convergence?"
    + "&".join(f"with=leduc-{method}" for method in METHODS[:-1]),
    "runs": "leduc-cfr+/runs?sort=exploitability",
    "facts": "leduc-13/facts",
    "branch": "leduc-qre/branch?infoset=P1:Q:K:cbc/c&also=P0:J::",
    "strategy": "leduc-cfr+/strategy",
    "pushfold": "pushfold-sweep/pushfold?stack=10",
    "spot": "river/spot?hand=KQs",
    "noise": "river-noise-5/noise?line=cb120&hand=98s",
}
"""Addresses of the pictures by name."""
TABLE = "/table?stacks=10%2C6%2C4&prizes=50%2C30%2C20&others=5&before=aa"
TABLE_RANGES = "button: 40%\nbig blind vs button, small blind: 88+,ATs+,AQo+"


def main() -> None:
    """Solve, serve, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.chdir(folder)  # so that the pictures show relative paths
        root = Path("runs")
        for method in METHODS:
            untilt.solve("leduc", method, iterations=1_000, output=root / f"leduc-{method}")
        untilt.solve("leduc", "qre", beta=30.0, output=root / "leduc-qre")
        # By the command, which the facts of the run show.
        larger = "solve leduc -p ranks=13 --method cfr+ -n 50 --output runs/leduc-13"
        run(larger.split())
        save_sweep(
            sweep_charts([Stakes(stack) for stack in (5.0, 10.0, 15.0)]),
            "lp",
            root / "pushfold-sweep",
        )
        untilt.solve(RIVER, iterations=500, output=root / "river")
        for percent in NOISES:
            untilt.solve(RIVER, noise=f"{percent}%", output=root / f"river-noise-{percent}")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with start_in_thread(Library.of(root), port=0) as server:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            for name, address in PAGES.items():
                page.goto("about:blank")
                page.goto(f"{server.address}#/{address}")
                page.wait_for_timeout(1500)
                _take(page, DOCS / f"page-{name}.png")
            _draw_table(page, server.address)
            page.set_viewport_size({"width": 1180, "height": 720})
            page.goto(f"{server.address}#/leduc-sapcfr+/play?seed=4&sits=1")
            for key in "23":  # call, and raise on the second street
                page.wait_for_selector('.play[aria-busy="false"] .actions button:enabled')
                page.keyboard.press(key)
            page.wait_for_selector(".play .result:visible")
            page.screenshot(path=str(DOCS / "play.jpg"), type="jpeg", quality=80)
        browser.close()


def _draw_table(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 1180})
    page.goto("about:blank")
    page.goto(f"{address}#/{TABLE}")
    page.wait_for_selector(".table-page .result:visible")
    page.fill("textarea[name=ranges]", TABLE_RANGES)
    page.wait_for_selector(".table-page .verdict:has-text('Yours cost')")
    _take(page, DOCS / "page-table.png")


def _take(page: Page, path: Path) -> None:
    page.screenshot(path=str(path))
    picture = Image.open(path).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
