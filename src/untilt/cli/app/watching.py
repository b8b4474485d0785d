"""`--watch`: the dashboard follows a run while it is being solved, and stays until Ctrl-C.

A separate process serves the page and only reads the run folder, so viewers do not slow down
solving.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from untilt.errors import InvalidOption, RunError

_END_SECONDS = 5.0


class Watching:
    """The page of a run, served once its folder is known, until the end of the `with` block."""

    def __init__(self, *, is_wanted: bool, port: int | None, no_open: bool) -> None:
        for option, is_given in {"--port": port is not None, "--no-open": no_open}.items():
            if is_given and not is_wanted:
                raise InvalidOption(f"{option} needs --watch; add --watch, or leave {option} out")
        if is_wanted and port is not None:
            from untilt.dashboard.server.port import listening_socket

            listening_socket(port).close()  # fail before the work begins if the port is taken
        self.is_wanted = is_wanted
        self._port = port
        self._no_open = no_open
        self._server: subprocess.Popen[str] | None = None
        self._url = ""

    @classmethod
    def asked(cls, given: dict[str, Any]) -> Self:
        """Return what is asked for, and take it out of the given options."""
        is_wanted, no_open = given.pop("watch", False), given.pop("no_open", False)
        return cls(is_wanted=is_wanted, port=given.pop("port", None), no_open=no_open)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._server is None:
            return
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        # The server ends when its stdin closes, which also happens if this process is killed.
        with suppress(OSError):
            self._server.stdin.close()
        try:
            self._server.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        finally:
            self._server.stdout.close()

    def follow(self, folder: Path | None, others: Sequence[str] = ()) -> None:
        """Serve the page of the run in `folder`, if that is wanted and not done yet.

        `others` are the names of folders beside it, whose runs are shown together with it.
        """
        from untilt.cli.app.output import say

        if not self.is_wanted or folder is None or self._server is not None:
            return
        # -P: import nothing from the current folder, which may not be trusted.
        command = [sys.executable, "-P", "-m", "untilt.cli.page.page_server"]
        command += [] if self._port is None else ["--port", str(self._port)]
        command += ["--no-open"] if self._no_open else []
        command += [f"--with={name}" for name in others]
        # A separate session: Ctrl-C in the terminal goes to the solver, which then ends the server.
        self._server = subprocess.Popen(
            [*command, "--", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        said = json.loads(line or "{}")
        if "error" in said:
            raise InvalidOption(said["error"])
        if "url" not in said:
            raise RunError("the page could not be served; see the message above")
        self._url = said["url"]
        say(f"watch it at {self._url}")

    def stay(self) -> None:
        """Keep serving until Ctrl-C, or until the server ends."""
        from untilt.cli.app.output import say

        if self._server is None:
            return
        with suppress(KeyboardInterrupt):
            say(f"still serving {self._url}; Ctrl-C ends it")
            while self._server.poll() is None:
                time.sleep(0.2)
