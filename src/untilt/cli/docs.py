"""`untilt docs`."""

from pathlib import Path
from typing import Annotated

import typer

from untilt.cli.sources import Json
from untilt.errors import InvalidOption, UnknownName

SITE = Path(__file__).parents[1] / "site"
"""The documentation site, if this installation has it."""

_MADE_BY_SPHINX = ("genindex", "py-modindex", "search")


def docs(
    page: Annotated[
        str,
        typer.Argument(
            metavar="[PAGE]",
            help="A page by its name, such as push-fold; the front page by default.",
            show_default=False,
        ),
    ] = "index",
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print where the page is; do not open a browser.")
    ] = False,
    serve: Annotated[
        bool,
        typer.Option(
            "--serve",
            help="Serve the site on this machine until Ctrl-C, for browsers that may not read "
            "files.",
        ),
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With --serve: the port, 0 for any.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Open the documentation in a browser: guides, explanations, reference, search.

    The site is part of the package and needs no connection. With --json, print the url of the
    page, its path and the names of all pages.
    """
    import webbrowser

    from untilt.cli.output import echo, print_json

    file = _file_of(page)
    if serve:
        _serve(file, port, is_opened=not no_open, as_json=as_json)
        return
    if as_json:
        print_json({"url": file.as_uri(), "path": str(file), "pages": _pages()})
    else:
        echo(str(file))
    if not no_open:
        webbrowser.open(file.as_uri())


def _file_of(page: str) -> Path:
    """Return the file of a page; raise if there is none, or no site."""
    if not (SITE / "index.html").is_file():
        raise InvalidOption(
            "this installation has no documentation site; in a copy of the repository, run "
            "`uv run --group docs python docs/build_site.py`, or read the pages in docs/"
        )
    name = page.removesuffix(".md").removesuffix(".html")
    if name not in _pages():
        raise UnknownName.among("page", page, _pages())
    return SITE / f"{name}.html"


def _pages() -> list[str]:
    """Return the names of the pages, those in folders as folder/name."""
    found = (path.relative_to(SITE).with_suffix("").as_posix() for path in SITE.rglob("*.html"))
    return sorted(name for name in found if name not in _MADE_BY_SPHINX)


def _serve(file: Path, port: int, *, is_opened: bool, as_json: bool) -> None:
    """Serve the site on the loopback interface until Ctrl-C."""
    import threading
    import webbrowser
    from contextlib import suppress
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    from untilt.cli.output import print_json, say

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
            print_json({"url": url, "path": str(file), "pages": _pages()})
        else:
            say(f"serving the documentation at {url}; Ctrl-C ends it")
        if is_opened:
            # In a thread: a browser in the terminal would block the server.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        server.serve_forever()
