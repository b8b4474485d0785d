"""Measure the dashboard's speed in a real Chromium on loopback.

    uv run python benchmarks/dashboard.py

It measures the size of the page, the time to first paint, the time from a row in the run's log to
a point in the chart, the server's memory with ten runs open, and how much solving slows down while
a page watches it. It needs Chromium on the machine.
"""

import argparse
import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

import untilt
from untilt.dashboard.server.assets import STATIC

ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic"]
_WATCH_POINTS = """() => {
    window.seen = [];
    const svg = document.querySelector(".convergence svg[data-points]");
    new MutationObserver(() => requestAnimationFrame(() => window.seen.push(
        [Number(svg.dataset.points), Date.now()]
    ))).observe(svg, {attributes: true, attributeFilter: ["data-points"]});
    return Number(svg.dataset.points);
}"""


@contextmanager
def serving(root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a server process for the runs below `root`, and its address."""
    command = [sys.executable, "-m", "untilt", "serve", str(root), "--no-open", "--port", "0"]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            text = ""
            while not text.endswith("}\n"):
                text += process.stdout.readline()
            yield process, json.loads(text)["url"]
        finally:
            process.terminate()


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def measure_bundle() -> None:
    files = sorted(path for path in STATIC.iterdir() if path.name != "NOTICE.txt")
    total = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    print(f"page                {total / 1024:.1f} KB gzipped, {len(files)} files")


def measure_paint(browser: Browser, url: str, repeats: int) -> None:
    paints, charts = [], []
    for _ in range(repeats):
        page = browser.new_context().new_page()
        page.goto(f"{url}#/leduc/convergence")
        page.wait_for_selector(".convergence svg[data-points]")
        charts.append(page.evaluate("performance.now()"))
        entry = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        paints.append(page.evaluate(entry))
        page.context.close()
    print(
        f"first paint         {statistics.median(paints):.0f} ms median, {max(paints):.0f} most; "
        f"chart drawn {statistics.median(charts):.0f} ms median"
    )


def measure_latency(browser: Browser, url: str, root: Path, count: int) -> None:
    """Append rows five times a second and measure when the chart has drawn them."""
    page = browser.new_page()
    page.goto(f"{url}#/live/convergence")
    page.wait_for_selector(".convergence svg[data-points]")
    begin = page.evaluate(_WATCH_POINTS)
    log = root / "live" / "progress.jsonl"
    row = json.loads(log.read_text().splitlines()[-1])
    written = {}
    for number in range(1, count + 1):
        row["iteration"] += 100
        with log.open("a") as file:
            file.write(json.dumps(row) + "\n")
        written[begin + number] = time.time() * 1e3
        page.wait_for_timeout(200)
    page.wait_for_timeout(500)
    seen = page.evaluate("window.seen")
    delays = []
    for points, at in written.items():
        delays.append(min(when for shown, when in seen if shown >= points) - at)
    delays.sort()
    print(
        f"point to pixel      {statistics.median(delays):.0f} ms median, "
        f"{delays[int(0.95 * len(delays))]:.0f} ms 95 %, {delays[-1]:.0f} ms most, of {count} "
        "at 5 a second"
    )
    page.close()


def get(url: str, path: str) -> Any:
    with urllib.request.urlopen(url + path) as answer:
        return json.loads(answer.read())


def measure_memory(root: Path) -> None:
    """Open ten runs in every view and measure the server's memory."""
    with serving(root) as (process, url):
        started = resident_mb(process.pid)
        runs = get(url, "api/runs")["runs"]
        for run in runs:
            path = f"api/runs/{urllib.parse.quote(run['id'], safe='')}"
            get(url, path)
            get(url, f"{path}/progress")
            views = run["views"]
            if "strategy" in views:
                for frame in (0, -1):
                    for player in (0, 1):
                        query = f"frame={frame}&player={player}&offset=0&limit=60"
                        page = get(url, f"{path}/strategy?{query}")
                label = urllib.parse.quote(page["rows"][0]["label"])
                get(url, f"{path}/infoset?label={label}")
            if "pushfold" in views:
                get(url, f"{path}/pushfold?frame=-1")
            if "play" in views:
                get(url, f"{path}/play?seed=1&hand=0&seat=0")
        print(
            f"server              {resident_mb(process.pid):.0f} MB with {len(runs)} runs open in "
            f"all views, {started:.0f} MB at the start"
        )


def measure_slowdown(browser: Browser, repeats: int, scratch: Path) -> None:
    """Solve the same game with and without a page that watches, alternately."""
    command = [sys.executable, "-m", "untilt", "solve", "leduc", "-m", "cfr+", "-n", "1_500_000"]
    rates: dict[bool, list[float]] = {False: [], True: []}
    for number in range(2 * repeats):
        is_watched = number % 2 == 1
        folder = scratch / f"solve-{number}"
        watch = ["--watch", "--no-open", "--port", "0"] if is_watched else []
        arguments = [*command, "-o", str(folder), "--json", *watch]
        with subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            page = None
            if is_watched:
                page = browser.new_page()
                page.goto(process.stderr.readline().split()[-1])
            text = ""
            while not text.endswith("}\n"):
                text += process.stdout.readline()
            process.send_signal(2)
            process.communicate()
            if page is not None:
                page.close()
        result = json.loads(text)
        rates[is_watched].append(result["iterations"] / result["seconds"])
    measures: dict[str, Callable[[list[float]], float]]
    measures = {"medians": statistics.median, "best": max}
    for name, of in measures.items():
        plain, watched = of(rates[False]), of(rates[True])
        print(
            f"while watched       {watched:,.0f} it/s, alone {plain:,.0f}: "
            f"{100 * (1 - watched / plain):+.1f} % slower ({name} of {repeats} alternating runs)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder) / "runs"
        untilt.solve("leduc", "cfr+", iterations=5_000, output=root / "leduc")
        untilt.solve("kuhn", "cfr+", iterations=100, output=root / "live")
        untilt.solve("pushfold", "cfr+", iterations=50, output=root / "pushfold")
        untilt.solve("leduc", "qre", beta=20.0, output=root / "branch")
        untilt.solve(
            "leduc", "cfr+", parameters={"ranks": 13}, iterations=200, output=root / "large"
        )
        for number in range(5):
            untilt.solve("leduc", "dcfr", iterations=500, output=root / f"leduc-{number}")
        measure_bundle()
        measure_memory(root)
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        with serving(root) as (_, url):
            measure_paint(browser, url, asked.repeats)
            measure_latency(browser, url, root, asked.points)
        measure_slowdown(browser, asked.repeats, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
