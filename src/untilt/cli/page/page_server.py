"""The process behind `--watch`, which serves the page of one run until its stdin closes.

    python -m untilt.cli.page.page_server FOLDER [--with NAME ...] [--port N] [--no-open]

It prints one JSON object with the page's `url`, or with an `error` if the page cannot be served.
The run need not have started yet; the page can compare it with the other runs in the same folder,
and does so from the start with those named by `--with`.
"""

import argparse
import json
import signal
import sys
import threading
from pathlib import Path
from urllib.parse import quote

from untilt.cli.app.signals import end_at_once
from untilt.dashboard.server.server import DashboardServer
from untilt.dashboard.sources.library import Library, id_of_name
from untilt.errors import UntiltError
from untilt.formats.base.files import is_there
from untilt.formats.run.run_file import FILE_NAME as RUN_FILE


def main() -> int:
    """Serve until standard input closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--with", dest="others", action="append", default=[])
    parser.add_argument("--port", type=int)
    parser.add_argument("--no-open", action="store_true")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    run_id = id_of_name(folder.name)
    # A folder that is hidden, or inside a run, is not found from its parent.
    if folder.name.startswith(".") or is_there(folder.parent / RUN_FILE):
        library = Library(folder, str(asked.folder), start=run_id, max_depth=0)
    else:
        library = Library(folder.parent, str(asked.folder.parent), start=run_id, max_depth=1)
    try:
        server = DashboardServer(library, port=asked.port, is_dev=False)
    except UntiltError as error:
        print(json.dumps({"error": error.for_command()}), flush=True)
        return 2
    # uvicorn shuts down on Ctrl-C, and then raises it again.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    address = f"{server.address}#/{quote(run_id, safe='')}{_compared(asked.others)}"
    print(json.dumps({"url": address}), flush=True)
    threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
    if not asked.no_open:
        server.open_browser(address)
    server.run(sockets=[server.socket])
    if server.is_busy:
        end_at_once(0)
    return 0


def _compared(others: list[str]) -> str:
    """Return the part of the page's address that shows other runs beside the first."""
    if not others:
        return ""
    return "/convergence?" + "&".join(f"with={quote(id_of_name(name), safe='')}" for name in others)


def _end_with_input(server: DashboardServer) -> None:
    sys.stdin.read()
    server.should_exit = True


if __name__ == "__main__":
    sys.exit(main())
