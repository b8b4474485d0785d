"""`untilt serve`."""

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from untilt.cli.sources import Json


def serve(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|RUN|FILE.json",
            help="A folder with runs in it, the folder of a run, or a document of `untilt qre`; "
            "the current folder by default.",
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
            help="Answer only to those who have the address with the token, for a machine that "
            "others use too. The address is printed, and no browser is opened.",
        ),
    ] = False,
    dev: Annotated[
        bool,
        typer.Option(
            "--dev",
            help="For work on the page: no caching, and it is built again when its sources change.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show runs on a web page: watch them converge, read strategies, play against them.

    Serves on this machine only, until Ctrl-C. With --json the object has the page's url and the
    root that is served.
    """
    from untilt.cli.output import print_json, say
    from untilt.dashboard.library import Library
    from untilt.dashboard.server import DashboardServer

    library = Library.of(path)
    with ExitStack() as until_the_end:
        if dev:
            from untilt.cli.page_watch import node_command, rebuilt_on_change, source_folder

            until_the_end.enter_context(rebuilt_on_change(source_folder(), node_command(), say))
        server = DashboardServer(library, port=port, is_dev=dev, is_private=private)
        # Ctrl-C is how it ends; the server has ended in good order by the time it passes it on.
        with suppress(KeyboardInterrupt):
            if as_json:
                print_json({"url": server.address, "root": str(path.resolve())})
            else:
                say(f"serving {path.resolve()} at {server.address}; Ctrl-C ends it")
            # Programs are started with the address, and anybody can list them with it.
            if not no_open and not private:
                server.open_browser()
            server.run(sockets=[server.socket])
