"""`untilt serve`."""

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from untilt.cli.app import signals
from untilt.cli.app.sources import Json

_END_SECONDS = 1.9
"""How long the server may take to end after Ctrl-C, whatever it is doing."""


def serve(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|RUN|FILE.json",
            help="A folder that contains runs, the folder of a run, or a document written by "
            "`untilt qre`; the current folder by default.",
            show_default=False,
        ),
    ] = Path(),
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port on this machine, 0 for any; 8080 or the next free one by default.",
            show_default=False,
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    private: Annotated[
        bool,
        typer.Option(
            "--private",
            help="Answer only requests that carry the token in the printed address, for a machine "
            "that others use too. No browser is opened.",
        ),
    ] = False,
    dev: Annotated[
        bool,
        typer.Option(
            "--dev",
            help="For development of the page: no caching, and rebuild it when its sources change.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show runs on a web page: watch them converge, read strategies, play against them.

    Serves on this machine only, until Ctrl-C. With --json, print the page's url and the root
    folder that is served.
    """
    from untilt.cli.app.output import print_json, say
    from untilt.dashboard.server.server import DashboardServer
    from untilt.dashboard.sources.library import Library

    library = Library.of(path)
    with ExitStack() as until_the_end:
        if dev:
            from untilt.cli.page.page_watch import node_command, rebuilt_on_change, source_folder

            until_the_end.enter_context(rebuilt_on_change(source_folder(), node_command(), say))
        server = DashboardServer(library, port=port, is_dev=dev, is_private=private)
        # Ctrl-C ends it; the server has shut down by the time it raises KeyboardInterrupt.
        with suppress(KeyboardInterrupt), signals.ending_within(_END_SECONDS):
            if as_json:
                print_json({"url": server.address, "root": str(path.resolve())})
            else:
                say(f"serving {path.resolve()} at {server.address}; Ctrl-C ends it")
            # A browser would be started with the address, which any user can see in a process list.
            if not no_open and not private:
                server.open_browser()
            server.run(sockets=[server.socket])
    if server.is_busy:
        signals.end_at_once(0)
