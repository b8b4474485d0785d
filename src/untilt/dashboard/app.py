"""The endpoints: JSON for the page, in the shapes of `web/src/model.ts`.

The endpoints of a single run come from its views, see `views`.

All endpoints are read-only, except for documents, which are kept in memory, and for spots, which
are solved in a process of their own.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import anyio.to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from untilt import __version__
from untilt.dashboard.answers import answer, problem
from untilt.dashboard.assets import STATIC, Assets
from untilt.dashboard.documents import MAX_BYTES
from untilt.dashboard.events import Broadcaster, parse_places
from untilt.dashboard.library import Library
from untilt.dashboard.query import text
from untilt.dashboard.security import Guard
from untilt.dashboard.source import Json, NotAvailable, Source
from untilt.dashboard.spot_solving import MAX_BYTES as MAX_SPOT_BYTES
from untilt.dashboard.spot_solving import SpotSolver, edit_range, measure
from untilt.dashboard.view import Handler
from untilt.dashboard.views import VIEWS, detail_of
from untilt.errors import FormatError, UntiltError
from untilt.formats.files import parse_json
from untilt.formats.frames import FileReplaced

_ATTEMPTS = 4
"""A run writes its frames at most twice a second, and reading them takes milliseconds."""
_THREADS = 3
"""Each thread has its own memory; requests on loopback are few and short."""

_log = logging.getLogger(__name__)

Endpoint = Callable[[Request], Json]


def make_app(
    library: Library,
    broadcaster: Broadcaster,
    *,
    port: int,
    token: str,
    is_dev: bool = False,
    is_private: bool = False,
) -> Starlette:
    """Return the application that serves `library` on loopback `port`.

    Requests that change something must carry `token`; with `is_private`, all requests must.
    `broadcaster` sends the events.
    """
    assets = Assets(port, token, is_dev=is_dev, folder=STATIC)
    solver = SpotSolver(library)

    def session(request: Request) -> Json:
        del request
        return {"version": __version__, "root": library.shown_root, "start": library.start}

    def runs(request: Request) -> Json:
        del request
        return {"runs": [source.summary() for source in library.sources()]}

    def of_run(handler: Handler) -> Callable[[Request], Response]:
        def respond(request: Request) -> Json:
            source = library.source(request.path_params["run"])
            try:
                return _with_retries(handler, source, request)
            except UntiltError as error:
                if source.run is None:
                    raise
                raise type(error)(source.run.message(error)) from error

        return _answering(respond)

    async def events(request: Request) -> Response:
        try:
            runs_given = request.query_params.getlist("run")
            places = parse_places(runs_given, request.headers.get("last-event-id"))
        except UntiltError as error:
            return problem(400, str(error))
        return StreamingResponse(
            broadcaster.listen(places),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )

    def add_document(request: Request, data: bytes) -> Json:
        return {"id": library.add_document(data, (text(request, "name") or "")[:200])}

    def job(request: Request) -> Json:
        del request
        return solver.job()

    def about_spot(handler: Callable[[object], Json]) -> Callable[[Request], Awaitable[Response]]:
        return _posted("request", MAX_SPOT_BYTES, lambda _, data: handler(parse_json(data)))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        yield
        await run_in_threadpool(solver.close)

    return Starlette(
        routes=[
            Route("/", assets.page),
            Route("/api/session", _answering(session)),
            Route("/api/runs", _answering(runs)),
            Route("/api/runs/{run}", of_run(_detail)),
            *(
                Route(f"/api/runs/{{run}}/{path}", of_run(handler))
                for view in VIEWS
                for path, handler in view.routes.items()
            ),
            Route("/api/events", events),
            Route(
                "/api/documents",
                _posted("document", MAX_BYTES, add_document),
                methods=["POST"],
            ),
            Route("/api/spots", _answering(job)),
            *(
                Route(f"/api/spots/{path}", about_spot(handler), methods=["POST"])
                for path, handler in (
                    ("range", edit_range),
                    ("measure", measure),
                    ("solve", solver.start),
                    ("resume", solver.resume),
                    ("respond", solver.respond),
                    ("stop", lambda _: solver.stop()),
                )
            ),
            Route("/{name}", assets.asset),
        ],
        middleware=[Middleware(Guard, port=port, token=token, is_private=is_private)],
        exception_handlers={HTTPException: _refuse},
        lifespan=lifespan,
    )


def _detail(source: Source, request: Request) -> Json:
    del request
    return detail_of(source)


def _with_retries(handler: Handler, source: Source, request: Request) -> Json:
    """Return the handler's result; try again if a file is replaced while it is read."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(FileReplaced):
            return handler(source, request)
    return handler(source, request)


def _answering(endpoint: Endpoint, *, format_status: int = 409) -> Callable[[Request], Response]:
    """Return the endpoint with its result as JSON and its errors as one line.

    `format_status` is the status for damaged data: 409 for files on disk, 400 for uploads.
    """

    def answered(request: Request) -> Response:
        try:
            return answer(endpoint(request))
        except NotAvailable as error:
            return problem(404, str(error))
        except FormatError as error:
            return problem(format_status, str(error))
        except UntiltError as error:
            return problem(400, str(error))
        except Exception:
            _log.exception("%s failed", request.url.path)
            return problem(500, "internal error; see the server's terminal")

    return answered


def _posted(
    what: str, max_bytes: int, handler: Callable[[Request, bytes], Json]
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint for a body of at most `max_bytes`."""

    async def respond(request: Request) -> Response:
        data = bytearray()
        async for piece in request.stream():
            data += piece
            if len(data) > max_bytes:
                return problem(413, f"the {what} is larger than {_shown_size(max_bytes)}")
        answering = _answering(lambda asked: handler(asked, bytes(data)), format_status=400)
        return await run_in_threadpool(answering, request)

    return respond


def _shown_size(num_bytes: int) -> str:
    return f"{num_bytes >> 20} MB" if num_bytes >= 1 << 20 else f"{num_bytes >> 10} kB"


def _refuse(request: Request, error: Exception) -> Response:
    """Respond to a request that no endpoint accepts."""
    del request
    assert isinstance(error, HTTPException)
    lines = {404: "no such address; the dashboard is at /", 405: "use GET here"}
    refusal = problem(error.status_code, lines.get(error.status_code, error.detail))
    refusal.headers.update(error.headers or {})
    return refusal
