"""Solving a spot for the page: one at a time, in a process of its own that ends with the server.

What a page sends is checked here, and reaches the process only as a file written by `Spot`, as
numbers, as locks whose lines, hands and actions are in the tree, and as the path of a folder below
the served one: a new one, or that of a run to resume or respond to. None of it is part of a command
line; the process reads its arguments from a file.
The process is interrupted, and saves its run, as soon as its standard input closes, which happens
even if the server is killed.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from untilt.cards.combos import COMBOS_OF_CLASS, NUM_COMBOS, class_index
from untilt.cards.ranges.range import Range
from untilt.dashboard.sources.library import Library
from untilt.dashboard.sources.source import Json
from untilt.dashboard.view import may_show
from untilt.errors import FormatError, InvalidOption, shortened
from untilt.formats.base.temporary_folder import remove_abandoned, temporary_folder
from untilt.formats.run.run_command import PAGE_FILES
from untilt.number import Integer, Number

if TYPE_CHECKING:
    from untilt.games.holdem.cost.spot_size import SpotSize
    from untilt.games.holdem.spots.noise import Noise
    from untilt.games.holdem.spots.spot import Spot

MAX_BYTES = 256 << 10
"""The largest request about a spot."""

_BOUNDS = ("target_percent", "seconds", "threads")
_SUBJECT = ("spot", "precision", "locks", "noise")
_ORDER = (*_SUBJECT, *_BOUNDS)
_RESUMPTION = ("run", *_BOUNDS)
_RESPONSE = ("run", "player", "locks", "threads")
_PRECISIONS = ("float32", "int16")
_SEATS = ("oop", "ip")
_MAX_THREADS = 256
_MAX_LOCKS = 100

_MEASURED = ("iteration", "exploitability")
_PROGRAM = ("-m", "untilt.cli.page.spot_process")
_STOPPED = (130, 143, 129)
_MISSED_TARGET = 1
"""Exit status of a run that was saved, but ran out of time."""
_END_SECONDS = 10.0
"""How long an interrupted process may take to save its run."""
_LAST_SECONDS = 0.5
"""How long a server that ends waits for that; the process goes on saving without it."""
_MAX_SECONDS = 7 * 86_400.0
_MAX_MESSAGE = 500


class SpotSolver:
    """Starts, watches and stops the process that solves a spot; safe to share between threads."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._files: tempfile.TemporaryDirectory[str] | None = None
        self._messages: IO[bytes] | None = None
        self._started = 0.0
        self._is_stopped = False
        self._state = _state("idle")
        remove_abandoned(PAGE_FILES)

    def start(self, request: object) -> Json:
        """Solve the spot of a checked `SpotOrder`; return the `SpotJob`."""
        given = _mapping(request, _ORDER)
        spot, noise, precision = _subject(given)
        _measured(spot)  # raises for sizes that offer no bet, and for trees that are too large
        bounds = _bounds(given)
        with self._lock:
            folder, run_id = self._library.new_folder(f"spot-{spot.board_text}")
            file = self._new_files() / "spot.toml"
            file.write_text(spot.to_toml(), encoding="utf-8")
            settings = ["--output", str(folder.resolve()), "--precision", precision]
            settings += [] if noise is None else ["--noise", noise.text]
            return self._launch("solve", run_id, [str(file), *settings, *bounds])

    def resume(self, request: object) -> Json:
        """Continue the stopped run of a checked `SpotResumption`; return the `SpotJob`."""
        given = _mapping(request, _RESUMPTION)
        bounds = _bounds(given)
        run_id, folder = self._spot_run(given)
        if self._library.is_example(run_id):
            raise InvalidOption(
                "an example is not continued; take it as a start in the form, and solve it"
            )
        with self._lock:
            self._new_files()
            return self._launch("resume", run_id, ["--resume", str(folder.resolve()), *bounds])

    def respond(self, request: object) -> Json:
        """Respond to the solution of a checked `SpotAnswer`; return the `SpotJob`."""
        from untilt.dashboard.views.spot import solution_of

        given = _mapping(request, _RESPONSE)
        threads = _threads(given)
        player = given.get("player")
        if player not in _SEATS:
            raise InvalidOption(f"player is {shortened(player)}; give oop or ip")
        run_id, folder = self._spot_run(given)
        spot = solution_of(self._library.source(run_id)).spot
        locks = [f"--lock={lock}" for lock in _verified_locks(spot, _locks(given))]
        with self._lock:
            target, new_id = self._library.new_folder(f"spot-{spot.board_text}-best-response")
            self._new_files()
            settings = ["--respond", player, "--output", str(target.resolve()), *threads]
            return self._launch("respond", new_id, [str(folder.resolve()), *settings, *locks])

    def _spot_run(self, given: Mapping[str, Any]) -> tuple[str, Path]:
        """Return the id and the folder of the run that a request names; it must be of a spot."""
        run_id = given.get("run")
        if not isinstance(run_id, str):
            raise InvalidOption(f"run is {shortened(run_id)}; give the id of a run")
        run = self._library.source(run_id)
        if not may_show(run.record(), "spot"):
            raise InvalidOption(f"{shortened(run_id)} is not the run of a spot; choose one")
        return run_id, run.folder

    def _new_files(self) -> Path:
        """Return a folder for the files of a new process; the last one must have ended."""
        self._look()
        if self._process is not None:
            raise InvalidOption("a spot is being solved; wait for it, or stop it first")
        self._files = temporary_folder(PAGE_FILES)
        return Path(self._files.name)

    def _launch(self, task: str, run_id: str, arguments: list[str]) -> Json:
        assert self._files is not None
        files = Path(self._files.name)
        file = files / "arguments.json"
        file.write_text(json.dumps(arguments), encoding="utf-8")
        self._messages = (files / "messages").open("w+b")
        self._process = subprocess.Popen(
            [sys.executable, *_PROGRAM, str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._messages,
            # Ctrl-C in the terminal reaches the server, which then ends the process cleanly.
            start_new_session=True,
        )
        self._started, self._is_stopped = time.monotonic(), False
        self._state = _state("running", task, run_id)
        return dict(self._state)

    def job(self) -> Json:
        """Return the `SpotJob`: the spot that is being solved, or was solved last."""
        with self._lock:
            self._look()
            state = dict(self._state)
        return state | {"progress": self._progress(state)}

    def _progress(self, state: Json) -> Json | None:
        """Return the last measurement of the run that is being written; None before the first."""
        if state["state"] != "running":
            return None
        self._library.scan()
        run = self._library.find_run(state["run"])
        last = None if run is None else run.summary()["last"]
        return None if last is None else {name: last[name] for name in _MEASURED}

    def stop(self) -> Json:
        """Interrupt the process, which saves its run; return the `SpotJob`."""
        process = self._interrupt()
        if process is not None:
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return self.job()

    def close(self) -> None:
        """Interrupt the process, if there is one; it may outlive the server until it has saved."""
        process = self._interrupt()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LAST_SECONDS)
            self.job()
        if self._files is not None:
            self._files.cleanup()

    def _interrupt(self) -> subprocess.Popen[bytes] | None:
        """Interrupt and return the process; others may ask for the job while it saves its run."""
        with self._lock:
            self._look()
            if self._process is not None:
                self._is_stopped = True
                assert self._process.stdin is not None
                self._process.stdin.close()
            return self._process

    def _look(self) -> None:
        """Bring the state up to date."""
        process = self._process
        if process is None:
            return
        self._state["seconds"] = time.monotonic() - self._started
        status = process.poll()
        if status is None:
            return
        assert process.stdin is not None
        assert self._messages is not None
        assert self._files is not None
        process.stdin.close()
        self._messages.seek(0)
        said = self._messages.read().decode("utf-8", "replace").replace("\r", "\n")
        self._messages.close()
        self._files.cleanup()
        self._process = self._messages = self._files = None
        if status in (0, _MISSED_TARGET):
            self._state["state"] = "finished"
        elif status in _STOPPED or self._is_stopped:
            self._state["state"] = "stopped"
        else:
            self._state |= {"state": "failed", "error": _last_line(said, status)}


def _state(state: str, task: str | None = None, run_id: str | None = None) -> Json:
    return {
        "state": state,
        "task": task,
        "run": run_id,
        "error": None,
        "seconds": 0.0,
        "progress": None,
    }


def measure(request: object) -> Json:
    """Return the `SpotMeasure` of a spot: how large its tree is, before anything is solved."""
    from untilt.games.holdem.cost.spot_memory import QUANTAL_TABLES, Storage
    from untilt.games.holdem.cost.spot_size import shown_bytes

    spot, noise, precision = _subject(_mapping(request, _SUBJECT))
    size = _measured(spot)
    storage = Storage(precision) if noise is None else Storage(precision, QUANTAL_TABLES)
    peak = size.peak_bytes(storage)
    seconds = size.seconds if noise is None else size.noisy_seconds(noise.shares(spot.pot))
    return {
        "street": spot.street,
        "nodes": size.nodes,
        "boards": list(size.boards),
        "hands": list(size.hands),
        "memory_bytes": peak,
        "memory": shown_bytes(peak),
        "seconds": list(seconds),
        "is_zero_sum": spot.is_zero_sum,
        "notes": list(spot.notes),
    }


def edit_range(request: object) -> Json:
    """Return the `RangeText` of a range given as text, after some classes were changed."""
    given = _mapping(request, ("text", "changes"))
    text = given.get("text", "")
    if not isinstance(text, str):
        raise InvalidOption(f"text is {shortened(text)}; give a range such as '66+, A8s+'")
    weights = Range.parse(text).weights.copy() if text.strip() else np.zeros(NUM_COMBOS)
    for name, weight in _mapping(given.get("changes", {}), None).items():
        if not Number(least=0, most=1).accepts(weight):
            raise InvalidOption(f"the weight of {name[:10]!r} is {shortened(weight)}; give 0 to 1")
        weights[COMBOS_OF_CLASS[class_index(name)]] = float(weight)
    edited = Range(weights)
    return {
        "text": str(edited) if edited else "",
        "weights": edited.class_weights().round(4).tolist(),
        "combos": edited.num_combos,
        "percent": edited.percent,
    }


def _mapping(given: object, names: tuple[str, ...] | None) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise FormatError(f"the request is {shortened(given)}; a JSON object is needed")
    for name in given:
        if names is not None and name not in names:
            raise InvalidOption(f"unknown entry {name[:40]!r}; allowed are {', '.join(names)}")
    return given


def _subject(given: Mapping[str, Any]) -> "tuple[Spot, Noise | None, str]":
    """Return the spot of a request, with its locks, the noise and how numbers are stored."""
    from untilt.games.holdem.spots.noise import Noise
    from untilt.games.holdem.spots.spot import Spot

    locks = _locks(given)
    added = {"locks": locks} if locks else {}
    spot = Spot.from_dict({**_mapping(given.get("spot"), None), **added})
    precision = given.get("precision", _PRECISIONS[0])
    if precision not in _PRECISIONS:
        raise InvalidOption(f"precision is {shortened(precision)}; give float32 or int16")
    text = given.get("noise")
    if text is None:
        return spot, None, precision
    noise = Noise.parse(text)
    noise.shares(spot.pot)
    if precision != _PRECISIONS[0]:
        raise InvalidOption("noise needs more digits than 16 bits have; choose 32 bits")
    return spot, noise, precision


def _measured(spot: "Spot") -> "SpotSize":
    """Return the size of a spot, with its boards merged as far as its locks allow."""
    from untilt.games.holdem.cost.spot_size import measure_spot
    from untilt.games.holdem.spots.locks import is_merged_for

    return measure_spot(spot, is_merged=is_merged_for(spot))


def _bounds(given: Mapping[str, Any]) -> list[str]:
    """Return when to stop, and the number of threads, as arguments of the program."""
    percent = _number(given, "target_percent", 1e-4, 100.0)
    seconds = _number(given, "seconds", 0.1, _MAX_SECONDS)
    return ["--target", f"{percent!r}%", "--time", repr(seconds), *_threads(given)]


def _threads(given: Mapping[str, Any]) -> list[str]:
    threads = given.get("threads", 0)
    if isinstance(threads, float) and threads.is_integer():  # JSON of other programs
        threads = int(threads)
    return ["--threads", str(Integer(0, _MAX_THREADS).read("threads", threads))]


def _verified_locks(spot: "Spot", added: list[dict[str, Any]]) -> list[str]:
    """Return locks as text, after checking that they are about lines and hands of the spot."""
    from untilt.games.holdem.spots.locks import is_merged_for, locks_of, verify_locks
    from untilt.games.holdem.spots.spot_view import view_spot

    alone = spot.replaced(locks=added)
    verify_locks(view_spot(alone, is_merged=is_merged_for(alone)))
    return [str(lock) for lock in locks_of(alone)]


def _locks(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    from untilt.games.holdem.spots.locks import parse_lock

    locks = given.get("locks", [])
    if not isinstance(locks, list) or not all(isinstance(text, str) for text in locks):
        raise InvalidOption(f"locks are {shortened(locks)}; give texts such as 'check: AA bet'")
    if len(locks) > _MAX_LOCKS:
        raise InvalidOption(f"there are {len(locks)} locks; give at most {_MAX_LOCKS}")
    return [parse_lock(text) for text in locks]


def _number(given: Mapping[str, Any], name: str, low: float, high: float) -> float:
    return Number(least=low, most=high).read(name.replace("_", " "), given.get(name))


def _last_line(said: str, status: int) -> str:
    if status < 0:
        return f"the solver was ended by signal {-status}; is there enough memory?"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return f"the solver ended with status {status} and said nothing"
    return lines[-1].removeprefix("error: ")[:_MAX_MESSAGE]
