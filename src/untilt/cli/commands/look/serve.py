"""`untilt serve`."""

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from untilt.cli.app import signals
from untilt.cli.options.option_flags import with_options
from untilt.options.looking import SERVE

_END_SECONDS = 1.9
"""How long the server may take to end after Ctrl-C, whatever it is doing."""


@with_options(SERVE)
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
    **given: Any,
) -> None:
    """Show runs on a web page: watch them converge, read strategies, play against them.

    Serves on this machine only, until Ctrl-C. With --json, print the page's url and the root
    folder that is served.
    """
    from untilt.cli.app.output import print_json, say
    from untilt.dashboard.server.server import DashboardServer
    from untilt.dashboard.sources.library import Library

    dev, private = given.get("dev", False), given.get("private", False)
    library = Library.of(path)
    with ExitStack() as until_the_end:
        if dev:
            from untilt.cli.page.page_watch import node_command, rebuilt_on_change, source_folder

            until_the_end.enter_context(rebuilt_on_change(source_folder(), node_command(), say))
        server = DashboardServer(library, port=given.get("port"), is_dev=dev, is_private=private)
        # Ctrl-C ends it; the server has shut down by the time it raises KeyboardInterrupt.
        with suppress(KeyboardInterrupt), signals.ending_within(_END_SECONDS):
            if "as_json" in given:
                print_json({"url": server.address, "root": str(path.resolve())})
            else:
                say(f"serving {path.resolve()} at {server.address}; Ctrl-C ends it")
            # A browser would be started with the address, which any user can see in a process list.
            if "no_open" not in given and not private:
                server.open_browser()
            server.run(sockets=[server.socket])
    if server.is_busy:
        signals.end_at_once(0)
