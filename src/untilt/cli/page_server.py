"""The process behind `--watch`: serves the page of one run until its standard input closes.

    python -m untilt.cli.page_server FOLDER [--port N] [--no-open]

It prints one JSON object with the page's address. The run need not have begun yet.
"""

import argparse
import json
import signal
import sys
import threading
import webbrowser
from pathlib import Path
from urllib.parse import quote

from untilt.dashboard.library import Library
from untilt.dashboard.server import DashboardServer
from untilt.errors import UntiltError


def main() -> int:
    """Serve until nobody needs it any more."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int)
    parser.add_argument("--no-open", action="store_true")
    asked = parser.parse_args()
    # Runs beside it can be compared with it.
    folder = asked.folder.resolve()
    library = Library(folder.parent, str(asked.folder.parent), start=folder.name)
    try:
        server = DashboardServer(library, port=asked.port, is_dev=False)
    except UntiltError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    address = f"{server.address}#/{quote(folder.name, safe='')}"
    print(json.dumps({"url": address}), flush=True)
    threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
    if not asked.no_open:
        # A browser in the terminal would hold up the server.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    server.run(sockets=[server.socket])
    return 0


def _end_with_input(server: DashboardServer) -> None:
    sys.stdin.read()
    server.should_exit = True


if __name__ == "__main__":
    sys.exit(main())
