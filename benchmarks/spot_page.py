"""Measure how long the page takes from a click on an action of a solved spot to the new grid.

    uv run python -m benchmarks.spot_page [--flop]

A river is solved, with --flop a flop too (for a few iterations: the size of the solution matters).
Each walk begins with a fresh page, so that no node has been shown before, and follows a line of
actions down the tree. A time ends at the frame after the one in which the page has drawn the node.
It needs Chromium on the machine.
"""

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

from benchmarks.dashboard import ARGUMENTS, serving
from benchmarks.spots import SPOTS
from playwright.sync_api import Browser, sync_playwright

import untilt

_SHARES = ".spot .share[data-action]"
_CLICK = """(place) => new Promise((done) => {
    const summary = () => document.querySelector(".spot .range-summary")?.textContent;
    const before = summary();
    const shares = document.querySelectorAll(".spot .share[data-action]");
    const begin = performance.now();
    const drawn = () => performance.now() - begin;
    const look = () => requestAnimationFrame(() => {
        if (summary() !== before) requestAnimationFrame(() => done(drawn()));
        else if (drawn() > 5000) done(-1);
        else look();
    });
    const share = shares[Math.min(place, shares.length - 1)];
    share.dispatchEvent(new MouseEvent("click", {bubbles: true}));
    look();
})"""
_WALKS = ((0, 1, 1), (1, 1), (0, 0), (1, 2), (0, 1, 2), (0, 2))


def walk(browser: Browser, url: str, run: str, places: tuple[int, ...]) -> list[float]:
    """Return the milliseconds of each click on the way, the first look at the root excluded."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{url}#/{run}/spot")
    page.wait_for_selector(_SHARES)
    page.wait_for_timeout(300)
    found = []
    for place in places:
        if page.locator(_SHARES).count() == 0:
            break  # the end of the hand
        found.append(float(page.evaluate(_CLICK, place)))
        page.wait_for_timeout(150)
    context.close()
    return [each for each in found if each >= 0.0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flop", action="store_true", help="a flop too: 400 MB of disk")
    chosen = parser.parse_args()
    names = {"river": 200, **({"flop": 2} if chosen.flop else {})}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for name, iterations in names.items():
            board, oop, ip, sizes, _ = SPOTS[name]
            spot = untilt.Spot(board=board, ranges=(oop, ip), pot=200, stack=900, sizes=sizes)
            untilt.solve(spot, iterations=iterations, output=Path(folder) / name)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )
        with serving(Path(folder)) as (_, url):
            for name in names:
                times = [t for places in _WALKS for t in walk(browser, url, name, places)]
                print(
                    f"{name:6} node to pixel  {statistics.median(times):.0f} ms median, "
                    f"{min(times):.0f} least, {max(times):.0f} most, of {len(times)} clicks"
                )
        browser.close()


if __name__ == "__main__":
    main()
