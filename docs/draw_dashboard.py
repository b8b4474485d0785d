"""Draw `docs/dashboard.png`, the picture of the dashboard in the README, and `docs/play.jpg`.

    uv run python docs/draw_dashboard.py

Solves Leduc by three methods, serves the runs and takes pictures of the page in Chromium.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import untilt
from untilt.dashboard.library import Library
from untilt.dashboard.server import start_in_thread

PICTURE = Path(__file__).with_name("dashboard.png")
TABLE = Path(__file__).with_name("play.jpg")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def main() -> None:
    """Solve, serve, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder) / "runs"
        for method in ("cfr", "dcfr", "sapcfr+"):
            untilt.solve("leduc", method, iterations=5_000, output=root / f"leduc-{method}")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with start_in_thread(Library.of(root), port=0) as server:
            page = browser.new_page(viewport={"width": 1180, "height": 720})
            compared = "with=leduc-dcfr&with=leduc-cfr"
            page.goto(f"{server.address}#/leduc-sapcfr+/convergence?{compared}")
            page.wait_for_selector(".convergence svg[data-points]")
            page.wait_for_timeout(1000)
            page.screenshot(path=str(PICTURE))
            page.goto(f"{server.address}#/leduc-sapcfr+/play?seed=4&sits=1")
            for key in "23":  # call, and raise on the second street
                page.wait_for_selector('.play[aria-busy="false"] .actions button:enabled')
                page.keyboard.press(key)
            page.wait_for_selector(".play .result:visible")
            page.screenshot(path=str(TABLE), type="jpeg", quality=80)
        browser.close()


if __name__ == "__main__":
    main()
