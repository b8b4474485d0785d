"""`untilt docs`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from untilt.cli.options.option_flags import with_options
from untilt.errors import InvalidOption, UnknownName
from untilt.options.looking import DOCS

_PACKAGE = Path(__file__).parents[3]
SITE = _PACKAGE / "site"
"""The documentation site, if this installation has it."""
PACKED = _PACKAGE / "pages"
"""The sources of the pages, as they are packed into a wheel."""
CLONE = _PACKAGE.parents[1]
"""The repository, if the package is used from a clone."""

_MADE_BY_SPHINX = ("genindex", "py-modindex", "search")
_GENERATOR = ("sphinx", "furo", "myst_nb")


@with_options(DOCS)
def docs(
    page: Annotated[
        str,
        typer.Argument(
            metavar="[PAGE]",
            help="A page by its name, such as push-fold; the front page by default.",
            show_default=False,
        ),
    ] = "index",
    **given: Any,
) -> None:
    """Open the documentation in a browser: guides, explanations, reference, search.

    The site is part of released packages and needs no connection. In a clone it is built first if
    Sphinx is installed (`uv run --group docs untilt docs`); without it, pages are shown in the
    terminal. With --json, print the url of the page, its path and the names of all pages.
    """
    import webbrowser

    from untilt.cli.app.output import echo, print_json, say

    text, no_open, serve, port, as_json = (
        given.get(option.name, option.default) for option in DOCS
    )
    if text and serve:
        raise InvalidOption("--text shows a page here, --serve in a browser: leave one of them out")
    has_site = not text and _has_site()
    if serve and not has_site:
        raise InvalidOption(f"{_NO_SITE}; leave --serve out to read the pages here")
    pages = _site_pages() if has_site else _source_pages()
    name = page.removesuffix(".md").removesuffix(".ipynb").removesuffix(".html")
    if name not in pages:
        raise UnknownName.among("page", page, sorted(pages))
    file = pages[name]
    if serve:
        _serve(file, port, is_opened=not no_open, as_json=as_json)
        return
    if as_json:
        print_json({"url": file.as_uri(), "path": str(file), "pages": sorted(pages)})
    elif has_site or no_open:
        echo(str(file))
    if no_open or (as_json and not has_site):
        return
    if has_site:
        if not webbrowser.open(file.as_uri()):
            say(f"no browser could be opened; read it here: untilt docs {name} --text")
    else:
        _show(file)
        if not text:
            _say_how_to_get_the_site()


_NO_SITE = "this installation has no documentation site"


def _has_site() -> bool:
    """Whether there is a site; in a clone where it can be built, bring it up to date first."""
    built = SITE / "index.html"
    is_there = built.is_file()
    if _can_build() and not (is_there and _is_newest(built)):
        return _build() or is_there
    return is_there


def _is_newest(built: Path) -> bool:
    """Whether no page of the clone has changed since the site was built."""
    changed = (path.stat().st_mtime for path in _pages_below(CLONE / "docs").values())
    return built.stat().st_mtime >= max(changed, default=0.0)


def _can_build() -> bool:
    """Whether this is a clone, with what makes the site installed."""
    from importlib.util import find_spec

    return _build_script().is_file() and all(map(find_spec, _GENERATOR))


def _build_script() -> Path:
    return CLONE / "docs" / "build_site.py"


def _build() -> bool:
    """Build the site, and say why if that fails."""
    import subprocess
    import sys

    from untilt.cli.app.output import say

    say("building the documentation site, which takes up to half a minute …")
    done = subprocess.run(
        [sys.executable, str(_build_script()), str(SITE)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode == 0:
        return True
    lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    say(f"the site could not be built: {lines[-1]}")
    return False


def _site_pages() -> dict[str, Path]:
    """Return the pages of the site by name, those in folders as folder/name."""
    found = {
        path.relative_to(SITE).with_suffix("").as_posix(): path for path in SITE.rglob("*.html")
    }
    return {name: path for name, path in found.items() if name not in _MADE_BY_SPHINX}


def _source_pages() -> dict[str, Path]:
    """Return the sources of the pages by name; raise if this installation has none."""
    folder = next(
        (root / "docs" for root in (PACKED, CLONE) if (root / "docs" / "index.md").is_file()), None
    )
    if folder is None:
        raise InvalidOption("this installation has no documentation; install untilt again")
    return _pages_below(folder)


def _pages_below(folder: Path) -> dict[str, Path]:
    found = [*folder.glob("*.md"), *folder.glob("notebooks/*.ipynb")]
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in found}


def _show(file: Path) -> None:
    """Show a page in the terminal, page by page; print its Markdown if there is no terminal."""
    import os
    import re

    from rich.markdown import Markdown

    from untilt.cli.app.output import echo, stdout
    from untilt.cli.text.page_text import page_text

    content = page_text(file)
    console = stdout()
    if not console.is_terminal:
        echo(content.rstrip("\n"))
        return
    # As git sets it: colours pass, and a page that fits the screen is only printed.
    os.environ.setdefault("LESS", "FRX")
    # Links to another place of the page are of no use here; those to other pages name them.
    content = re.sub(r"\[([^\]]+)\]\(#[^)]*\)", r"\1", content)
    with console.pager(styles=_pager_has_styles()):
        console.print(Markdown(content, hyperlinks=False))


def _pager_has_styles() -> bool:
    """Whether the pager that Python uses is less, which passes colours on."""
    import os
    import shutil

    chosen = os.environ.get("MANPAGER") or os.environ.get("PAGER") or "less"
    return Path(chosen.split()[0]).stem == "less" and shutil.which("less") is not None


def _say_how_to_get_the_site() -> None:
    from untilt.cli.app.output import say

    advice = "other pages: untilt docs NAME"
    if _build_script().is_file():
        advice += "; as a site in the browser: uv run --group docs untilt docs"
    say(f"{_NO_SITE}, so the page was shown here; {advice}")


def _serve(file: Path, port: int, *, is_opened: bool, as_json: bool) -> None:
    """Serve the site on the loopback interface until Ctrl-C."""
    import threading
    import webbrowser
    from contextlib import suppress
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    from untilt.cli.app.output import print_json, say

    class Quiet(SimpleHTTPRequestHandler):
        """A file server that does not log its requests."""

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            pass

    with (
        ThreadingHTTPServer(("127.0.0.1", port), partial(Quiet, directory=str(SITE))) as server,
        suppress(KeyboardInterrupt),
    ):
        url = f"http://127.0.0.1:{server.server_port}/{file.relative_to(SITE).as_posix()}"
        if as_json:
            print_json({"url": url, "path": str(file), "pages": sorted(_site_pages())})
        else:
            say(f"serving the documentation at {url}; Ctrl-C ends it")
        if is_opened:
            # In a thread: a browser in the terminal would block the server.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        server.serve_forever()
