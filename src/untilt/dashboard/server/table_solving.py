"""Solving a push/fold table for the page: in a process of its own, which ends with the server.

The process is started by the first request and kept, because it holds the table of three-way
all-ins. It gets requests as lines of JSON on its standard input, never as part of a command line,
and answers on its standard output: `cli.page.table_process`. A newer request replaces the one that
is being answered, as when a stack slides. Only the shape of a request is checked here; the process
says which stacks and prizes are impossible, so that the server needs no solver.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

from untilt.dashboard.sources.source import Json, NotAvailable
from untilt.errors import FormatError, InvalidOption, shortened
from untilt.number import Integer, Number

MAX_BYTES = 64 << 10
"""The largest request about a table."""

_LISTS = ("stacks", "prizes", "others", "bounty")
_NUMBERS = ("small_blind", "ante", "bb_ante")
_TABLE = (*_LISTS, *_NUMBERS, "max_all_in")
_ORDER = (*_TABLE, "ranges", "is_locked")
_MAX_LIST = 32
_MAX_TEXT = 20_000

_PROGRAM = ("-m", "untilt.cli.page.table_process")
_END_SECONDS = 5.0
_MAX_MESSAGE = 500
_KEPT_LINES = 20


class TableProcess:
    """Starts, asks and stops the process that solves tables; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0
        self._started = 0.0
        self._job = _job(0, "idle")
        self._chart: Json | None = None

    def solve(self, request: object) -> Json:
        """Ask for the charts of a checked `TableOrder`; return the `TableJob`."""
        order = _checked(request)
        with self._lock:
            self._number += 1
            self._started = time.monotonic()
            self._job = _job(self._number, "running")
            self._chart = None
            line = json.dumps({"number": self._number, **order}).encode() + b"\n"
            try:
                self._send(line)
            except OSError:  # it has just ended, for example after a long silence
                self._end()
                self._send(line)
        return self.job()

    def job(self) -> Json:
        """Return the `TableJob`: the table that is being solved, or was solved last."""
        with self._lock:
            if self._job["state"] == "running":
                self._job["seconds"] = time.monotonic() - self._started
            return dict(self._job)

    def chart(self, number: int) -> Json:
        """Return the `TableChart` that answers the request of this number, if it is the last."""
        with self._lock:
            if self._chart is None or self._job["number"] != number:
                raise NotAvailable(f"the table {number} is not there any more; solve it again")
            return self._chart

    def stop(self) -> Json:
        """End the process with what it is solving; return the `TableJob`."""
        with self._lock:
            self._end()
            if self._job["state"] == "running":
                self._job["state"] = "stopped"
        return self.job()

    def close(self) -> None:
        """End the process, if there is one."""
        self.stop()

    def _send(self, line: bytes) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            self._end()
            process = self._process = subprocess.Popen(
                [sys.executable, *_PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Ctrl-C in the terminal reaches the server, which then ends the process.
                start_new_session=True,
            )
            said: list[bytes] = []
            diagnostics = threading.Thread(target=_keep, args=(process, said), daemon=True)
            diagnostics.start()
            listening = (process, diagnostics, said)
            threading.Thread(target=self._listen, args=listening, daemon=True).start()
        assert process.stdin is not None
        process.stdin.write(line)
        process.stdin.flush()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.kill()  # it writes nothing that could be left half done
        with suppress(OSError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)

    def _listen(
        self, process: "subprocess.Popen[bytes]", diagnostics: threading.Thread, said: list[bytes]
    ) -> None:
        """Take what the process says, until it ends."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                with self._lock:
                    if process is self._process:
                        self._hear(json.loads(line))
        status = process.wait()
        diagnostics.join()
        with self._lock:
            if process is self._process and self._job["state"] == "running":
                message = _last_line(b"".join(said), status)
                self._job |= {"state": "failed", "error": message}

    def _hear(self, word: Json) -> None:
        """Take an answer; those to earlier requests are of no use any more."""
        if word["number"] != self._number or self._job["state"] != "running":
            return
        self._job["seconds"] = time.monotonic() - self._started
        if "progress" in word:
            self._job |= {"progress": word["progress"], "words": word["words"]}
        elif "chart" in word:
            self._chart = word["chart"] | {"number": word["number"]}
            self._job["state"] = "finished"
        else:
            self._job |= {"state": "failed", "error": word["error"][:_MAX_MESSAGE]}


def _job(number: int, state: str) -> Json:
    return {
        "number": number,
        "state": state,
        "progress": None,
        "words": "",
        "error": None,
        "seconds": 0.0,
    }


def _checked(request: object) -> Json:
    """Return the order for the process; raises for anything that has not the shape of one."""
    if not isinstance(request, dict):
        raise FormatError(f"the request is {shortened(request)}; a JSON object is needed")
    for name in request:
        if name not in _ORDER:
            raise InvalidOption(f"unknown entry {name[:40]!r}; allowed are {', '.join(_ORDER)}")
    ranges, is_locked = request.get("ranges", ""), request.get("is_locked", False)
    if not isinstance(ranges, str) or len(ranges) > _MAX_TEXT:
        raise InvalidOption(
            f"ranges are {shortened(ranges)}; give lines such as 'button: 45%', at most "
            f"{_MAX_TEXT} characters"
        )
    if not isinstance(is_locked, bool):
        raise InvalidOption(f"is_locked is {shortened(is_locked)}; give true or false")
    if "stacks" not in request:
        raise InvalidOption("stacks are missing; give one for each seat")
    return {"table": _table(request), "ranges": ranges.strip(), "is_locked": is_locked}


def _table(request: Mapping[str, Any]) -> Json:
    found: Json = {}
    for name in _LISTS:
        if name in request:
            found[name] = _numbers(name, request[name])
    for name in _NUMBERS:
        if name in request:
            found[name] = Number().read(name, request[name])
    if request.get("max_all_in") is not None:
        found["max_all_in"] = Integer(2, _MAX_LIST).read("max_all_in", request["max_all_in"])
    return found


def _numbers(name: str, given: object) -> list[float]:
    if not isinstance(given, list) or len(given) > _MAX_LIST:
        raise InvalidOption(
            f"{name} is {shortened(given)}; give a list of at most {_MAX_LIST} numbers"
        )
    return [Number().read(name, each) for each in given]


def _keep(process: "subprocess.Popen[bytes]", said: list[bytes]) -> None:
    """Read what the process complains about, and keep the end of it."""
    assert process.stderr is not None
    with process.stderr as stream:
        for line in stream:
            said.append(line[:_MAX_MESSAGE])
            del said[:-_KEPT_LINES]


def _last_line(said: bytes, status: int) -> str:
    if status < 0:
        return f"the solver was ended by signal {-status}; is there enough memory?"
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:_MAX_MESSAGE] if lines else f"the solver ended with status {status}"
