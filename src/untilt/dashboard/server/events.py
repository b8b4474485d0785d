"""Server-sent events: what is new in the runs that pages follow.

One task polls for all connections. A connection is an offset into each of its runs' files and
a queue of text; connections at the same offset share one read. The id of an event is the list of
these offsets, so a browser that reconnects continues where it was.

A page that does not read fast enough loses its queue and is asked to fetch everything again,
which bounds the memory it takes.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from untilt.dashboard.server.workers import ThreadPool, Unwanted
from untilt.dashboard.sources.library import Library
from untilt.dashboard.sources.reading import stamp_of
from untilt.dashboard.sources.run_folder import ServedRun
from untilt.dashboard.sources.source import Json
from untilt.errors import InvalidOption, UntiltError
from untilt.formats.base.files import json_bytes, open_own
from untilt.formats.run.progress_reader import MAX_LINE_BYTES, Resumed, parse_lines, rows_of

POLL_SECONDS = 0.1
HEARTBEAT_SECONDS = 10.0
MAX_RUNS = 100
"""How many runs one connection may follow."""

_SCAN_SECONDS = 0.3
_SCAN_SHARE = 0.02
"""Looking for new runs takes at most this share of a processor."""
_MAX_BEHIND_BYTES = MAX_LINE_BYTES
"""A page that is further behind fetches the progress again, which is thinned."""
_MAX_QUEUED_BYTES = 2 << 20


_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class News:
    """An event of a run; `offset` is the new offset in its file, None if unchanged."""

    event: str
    data: Json
    run: str | None = None
    offset: int | None = None


@dataclass(eq=False)
class Connection:
    """A page that listens; `places` are byte offsets into the progress of its runs, in order."""

    places: dict[str, int]
    _queue: deque[bytes] = field(default_factory=deque)
    _num_bytes: int = 0
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _is_closed: bool = False
    is_new: bool = True
    """Whether it still has to be sent the state of its runs."""

    def send(self, news: News) -> None:
        """Queue one event."""
        if news.run is not None and news.offset is not None:
            self.places[news.run] = news.offset
        self._put(news)
        if self._num_bytes > _MAX_QUEUED_BYTES:
            self._queue.clear()
            self._num_bytes = 0
            self._put(News("library", {}))
            for run in self.places:
                self._put(News("reload", {"run": run}))

    def send_all(self, all_news: Iterable[News]) -> None:
        """Queue several events."""
        for news in all_news:
            self.send(news)

    def close(self) -> None:
        """End the stream."""
        self._is_closed = True
        self._wake.set()

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the queued events, and a comment after a long silence."""
        yield b"retry: 1000\n\n"
        while not self._is_closed:
            if not self._queue:
                self._wake.clear()
                try:
                    await asyncio.wait_for(self._wake.wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield b": still here\n\n"
                continue
            text = b"".join(self._queue)
            self._queue.clear()
            self._num_bytes = 0
            yield text

    def _put(self, news: News) -> None:
        try:
            data = json_bytes(news.data)
        except (ValueError, TypeError):  # one event that cannot be sent must not hold up the others
            _log.exception("an event %r of run %r cannot be sent", news.event, news.run)
            return
        event_id = ",".join(map(str, self.places.values()))
        text = b"id: %b\nevent: %b\ndata: %b\n\n" % (
            event_id.encode(),
            news.event.encode(),
            data,
        )
        self._queue.append(text)
        self._num_bytes += len(text)
        self._wake.set()


def parse_places(runs: Iterable[str], last_event_id: str | None) -> dict[str, int]:
    """Return byte offsets by run from `id@offset` texts; the last event's id overrides them."""
    places: dict[str, int] = {}
    for given in runs:
        run, _, offset = given.rpartition("@")
        if not run or not _is_offset(offset):
            raise InvalidOption(f"run is {given[:80]!r}; use ID@OFFSET with an offset in bytes")
        places[run] = int(offset)
    if len(places) > MAX_RUNS:
        raise InvalidOption(f"cannot follow {len(places)} runs; at most {MAX_RUNS} are allowed")
    offsets = last_event_id.split(",") if last_event_id else []
    if len(offsets) == len(places) and all(map(_is_offset, offsets)):
        places = dict(zip(places, map(int, offsets), strict=True))
    return places


def _is_offset(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


@dataclass
class _Found:
    """The findings of one poll of the files."""

    rows: dict[tuple[str, int], list[News]] = field(default_factory=dict)
    """By run and offset in its progress."""
    common: list[News] = field(default_factory=list)
    """For all connections that follow the run, or for every connection."""
    states: dict[str, list[News]] = field(default_factory=dict)
    """The state of runs, for new connections."""


class Broadcaster:
    """Polls the library while a page is listening."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._pool = ThreadPool(1)
        self._connections: set[Connection] = set()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        self._next_scan = 0.0
        self._generation = -1
        self._frames: dict[str, Any] = {}
        self._states: dict[str, tuple[Any, Any]] = {}

    async def listen(self, places: dict[str, int]) -> AsyncIterator[bytes]:
        """Yield the stream of a new connection until it ends or the server does."""
        connection = Connection(places)
        if self._is_closed:
            return
        self._connections.add(connection)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll())
        try:
            async for text in connection.stream():
                yield text
        finally:
            self._connections.discard(connection)

    def close(self) -> None:
        """End all streams and refuse new ones."""
        self._is_closed = True
        self._pool.close()
        for connection in self._connections:
            connection.close()

    async def _poll(self) -> None:
        # A new connection is sent the current state, so changes before it connected do not matter.
        self._frames.clear()
        self._states.clear()
        self._generation = self._library.generation
        while self._connections and not self._is_closed:
            begin = time.monotonic()
            listening = list(self._connections)
            places: dict[str, set[int]] = {}
            for connection in listening:
                for run, offset in connection.places.items():
                    places.setdefault(run, set()).add(offset)
            new = [connection for connection in listening if connection.is_new]
            greeted = {run for connection in new for run in connection.places}
            try:
                found = await self._pool.run(partial(self._look, places, greeted))
            except Unwanted:
                return
            except Exception:  # one run must not stop the events of all others
                _log.exception("polling for changes failed")
                found = _Found()
            for connection in new:
                connection.is_new = False
                # A run may have appeared since the page fetched the list.
                connection.send(News("library", {}))
                for run in connection.places:
                    connection.send_all(found.states.get(run, ()))
            for connection in listening:
                connection.send_all(
                    news
                    for news in found.common
                    if news.event in {"library", "status"} or news.run in connection.places
                )
                for run, offset in list(connection.places.items()):
                    connection.send_all(found.rows.get((run, offset), ()))
            await asyncio.sleep(max(POLL_SECONDS - (time.monotonic() - begin), 0.01))

    def _look(self, places: dict[str, set[int]], greeted: set[str]) -> _Found:
        """Return what is new beyond these offsets of runs, and the state of the `greeted` runs.

        Called in a thread, never concurrently.
        """
        found = _Found()
        now, used = time.monotonic(), time.thread_time()
        if now >= self._next_scan or greeted:
            found.common += self._scan(places.keys())
            used = time.thread_time() - used
            # A scan on a busy machine takes long without using much, and must not delay the next
            # one by minutes; on a slow disk the other half of the time is for progress.
            spent = time.monotonic() - now
            self._next_scan = now + max(_SCAN_SECONDS, used / _SCAN_SHARE, 2 * spent)
        for run_id, offsets in places.items():
            run = self._library.find_run(run_id)
            if run is None:
                continue
            if run_id in greeted:
                status = News("status", {"run": run_id, "summary": run.summary()}, run_id)
                found.states[run_id] = [status]
            with _skipping_damage(run):
                for offset in offsets:
                    found.rows[run_id, offset] = new_rows(run, offset)
            with _skipping_damage(run):
                found.common += self._new_frames(run)
                if run_id in greeted:
                    found.states[run_id] += _frames_news(run)
        return found

    def _new_frames(self, run: ServedRun) -> list[News]:
        stamp = run.frames_stamp()
        before = self._frames.get(run.id)
        if before == stamp:
            return []
        self._frames[run.id] = stamp
        if before is None:
            return []
        return _frames_news(run)

    def _scan(self, followed: Iterable[str]) -> list[News]:
        """Return what is new about runs: added or removed, or their status or views changed."""
        self._library.scan()
        # Not only the changes of this scan: requests scan as well.
        generation, self._generation = self._generation, self._library.generation
        news = [News("library", {})] if generation != self._generation else []
        runs = self._library.runs()
        follows = set(followed)
        for run in runs:
            with _skipping_damage(run):
                news += self._new_state(run, follows)
        self._states = {run.id: self._states.get(run.id, (0, None)) for run in runs}
        return news

    def _new_state(self, run: ServedRun, follows: set[str]) -> list[News]:
        """Return an event if the status or the views of a run have changed."""
        changed_ns = self._library.changed_ns(run)
        before = self._states.get(run.id)
        is_running = before is not None and before[1] is not None and before[1][0] == "running"
        if before is not None and before[0] == changed_ns and not is_running:
            return []
        if before is None and run.id not in follows and run.status() != "running":
            # Only a change is news; the list of runs has the rest.
            self._states[run.id] = (changed_ns, None)
            return []
        summary = run.summary()
        state = (summary["status"], tuple(summary["views"]), summary["problem"])
        self._states[run.id] = (changed_ns, state)
        if before is None or before[1] == state:
            return []
        return [News("status", {"run": run.id, "summary": summary}, run.id)]


@contextmanager
def _skipping_damage(run: ServedRun) -> Iterator[None]:
    """Leave the block if the files of a run cannot be read; other runs are still polled."""
    try:
        yield
    except (UntiltError, OSError):
        pass  # files may appear, vanish or break while they are read; the summary reports it
    except Exception:
        _log.exception("polling %s failed", run.name)


def _frames_news(run: ServedRun) -> list[News]:
    if run.frames_stamp() == (None, None):
        return []
    frames = [info.to_json() for info in run.frames().infos]
    return [News("frames", {"run": run.id, "frames": frames}, run.id)]


def new_rows(run: ServedRun, offset: int) -> list[News]:
    """Return the progress of `run` beyond `offset` as events."""
    stamp = stamp_of(run.progress_path)
    size = 0 if stamp is None else stamp[1]
    if size == offset:
        return []
    if size == 0:
        return [News("reload", {"run": run.id}, run.id, 0)]
    with open_own(run.progress_path) as file:
        file.seek(max(offset - 1, 0))
        is_line = offset == 0 or file.read(1) == b"\n"
        # An offset beyond the end, or within a line, belongs to a file that was replaced.
        if not is_line or size < offset or size - offset > _MAX_BEHIND_BYTES:
            file.seek(max(size - _MAX_BEHIND_BYTES, 0))
            tail = file.read(_MAX_BEHIND_BYTES)
            rest = len(tail) - (tail.rfind(b"\n") + 1)
            # If the tail is one long line, skip it rather than wait for its end.
            place = size if rest == len(tail) else size - rest
            return [News("reload", {"run": run.id}, run.id, place)]
        data = file.read(_MAX_BEHIND_BYTES)
    end = data.rfind(b"\n") + 1
    if not end:
        return []
    news: list[News] = []
    for item, end_of_item in parse_lines(data[:end]).items:
        place = offset + end_of_item
        if isinstance(item, Resumed):
            said = {"run": run.id, "iteration": item.iteration}
            news.append(News("resumed", said, run.id, place))
        else:
            said = {"run": run.id, "rows": rows_of(item.columns), "offset": place}
            news.append(News("rows", said, run.id, place))
    return news
