"""A real Chromium for the tests of the page, and what makes a page faulty."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    FloatRect,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)
from tests.dashboard.serving import JOB_SECONDS

_LEFT_OUT = (
    # Two pages of the address bar in every window: half of all that a short test costs.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # What Playwright leaves out: only the last such list counts.
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
"""Features of Chromium that no test needs."""

_RESTART = re.compile(r"Failed to load resource: (net::ERR_[A-Z_]+|.* status of 503 )")

_PATIENCE_MS = 60_000
"""How long a condition of a page may take to become true: other processes may need the machine."""
JOB_MS = 1000 * JOB_SECONDS
"""How long a process that the page has started may take."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(_LEFT_OUT)}",
]


def find_chromium() -> str:
    """Return the system's Chromium; without one skip the test, or fail where it is required."""
    for name in _NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    reason = f"no Chromium found ({', '.join(_NAMES)}); install one to test the page"
    if os.environ.get("UNTILT_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser that ends with the block."""
    path = find_chromium()
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page with all that went wrong in it: errors on its console, requests to elsewhere."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._look)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.text} ({message.location})")

    def _look(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.foreign.append(request.url)

    def forget_restart(self) -> None:
        """Forget that requests failed while the server was stopped and started again.

        The browser notes each of them: refused, cut off, or answered that the server is stopping.
        """
        self.errors = [error for error in self.errors if not _RESTART.match(error)]

    def verify(self) -> None:
        """Fail if the page complained or asked anybody else."""
        assert self.errors == [], "\n".join(self.errors)
        assert self.foreign == [], "\n".join(self.foreign)


def box_of(element: Locator) -> FloatRect:
    """Return where an element is shown; a view that is being redrawn is waited for."""
    for _ in range(50):
        expect(element).to_be_visible()
        box = element.bounding_box()  # None if it was replaced since
        if box is not None:
            return box
    raise AssertionError(f"{element} is never still")


@contextmanager
def watched_page(
    browser: Browser,
    origin: str,
    *,
    width: int = 1280,
    height: int = 820,
    is_dark: bool = False,
    has_touch: bool = False,
) -> Iterator[Watched]:
    """Yield a fresh page for the server at `origin` that must not have complained at the end."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if is_dark else "light",
        has_touch=has_touch,
        accept_downloads=True,
    )
    if origin.startswith("http"):  # a file has none to grant
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    watched = Watched(page, origin)
    try:
        yield watched
        watched.verify()
    finally:
        context.close()


def enter(page: Page, address: str) -> None:
    """Load an address from nothing, though not in a new process, even if it differs in its hash."""
    if page.url == "about:blank":
        page.goto(address)
    else:
        page.evaluate("address => history.replaceState(null, '', address)", address)
        page.reload()


def in_both_themes(page: Page, *names: str) -> Iterator[str]:
    """Show a page in light and dark colours, as its system has them; yield a name of each."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme="light" if theme == "light" else "dark")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        yield "-".join((*names, theme))


def screenshot(page: Page, name: str) -> None:
    """Keep a picture where `UNTILT_SCREENSHOTS` says, if it says so."""
    folder = os.environ.get("UNTILT_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"))
