"""The endpoints: JSON for the page, in the shapes of `web/src/model.ts`.

The endpoints of a single run come from its views, see `views`.

All endpoints are read-only, except for documents, which become runs in a temporary folder, for
spots and push/fold tables, which are solved in processes of their own, and for labels of runs and
named ranges.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from untilt import __version__
from untilt.dashboard.hands.hand_folders import HandFolders
from untilt.dashboard.hands.hand_pages import HandPages
from untilt.dashboard.hands.hand_routes import hand_routes
from untilt.dashboard.server.answers import answer, problem
from untilt.dashboard.server.assets import STATIC, Assets
from untilt.dashboard.server.events import Broadcaster, parse_places
from untilt.dashboard.server.http_connection import left
from untilt.dashboard.server.query import integer, text
from untilt.dashboard.server.security import Guard
from untilt.dashboard.server.spot_solving import MAX_BYTES as MAX_SPOT_BYTES
from untilt.dashboard.server.spot_solving import SpotSolver, edit_range, measure
from untilt.dashboard.server.table_solving import MAX_BYTES as MAX_TABLE_BYTES
from untilt.dashboard.server.table_solving import TableProcess
from untilt.dashboard.server.workers import (
    HANDS,
    MEASURE,
    RUNS,
    SOLVE,
    TABLES,
    ThreadPool,
    Unwanted,
    Workers,
)
from untilt.dashboard.sources.documents import MAX_BYTES
from untilt.dashboard.sources.library import Library
from untilt.dashboard.sources.range_files import RangeFiles
from untilt.dashboard.sources.run_folder import ServedRun
from untilt.dashboard.sources.source import Json, NotAvailable
from untilt.dashboard.view import Handler
from untilt.dashboard.views import VIEWS, detail_of, spot
from untilt.errors import FormatError, UntiltError
from untilt.formats.base.files import parse_json
from untilt.formats.run.frames import FileReplaced
from untilt.formats.run.run_label import RunLabel

_MAX_LABEL_BYTES = 16 << 10
_ATTEMPTS = 4
"""A run writes its frames at most twice a second, and reading them takes milliseconds."""

_log = logging.getLogger(__name__)

Endpoint = Callable[[Request], Json]
AsyncEndpoint = Callable[[Request], Awaitable[Response]]


def make_app(
    library: Library,
    broadcaster: Broadcaster,
    workers: Workers,
    *,
    port: int,
    token: str,
    is_dev: bool = False,
    is_private: bool = False,
) -> Starlette:
    """Return the application that serves `library` on loopback `port`.

    Requests that change something must carry `token`; with `is_private`, all requests must.
    `broadcaster` sends the events, and `workers` compute what takes time.
    """
    assets = Assets(port, token, is_dev=is_dev, folder=STATIC)
    solver = SpotSolver(library)
    ranges = RangeFiles(library.root)
    hands = HandPages(HandFolders(library.root))
    tables = TableProcess()

    async def session(request: Request) -> Response:
        del request
        return answer({"version": __version__, "root": library.shown_root, "start": library.start})

    def runs(request: Request) -> Json:
        del request
        return {
            "runs": [source.summary() for source in library.sources()],
            "reports": [report.summary() for report in library.reports()],
        }

    def examples(request: Request) -> Json:
        del request
        return {"runs": [example.summary() for example in library.examples()]}

    def report(request: Request) -> Json:
        found = library.report(request.path_params["report"])
        return found.page(text(request, "line") or "", library.runs())

    def set_label(request: Request, data: bytes) -> Json:
        found = library.run_of_folder(request.path_params["run"])
        found.set_label(RunLabel.of(parse_json(data)))
        return found.summary()

    def against(source: ServedRun, request: Request) -> Json:
        return spot.against(source, library.source(text(request, "with") or ""), request)

    def of_run(handler: Handler, kind: str = RUNS) -> AsyncEndpoint:
        def respond(request: Request) -> Json:
            source = library.source(request.path_params["run"])
            try:
                return _with_retries(handler, source, request)
            except UntiltError as error:
                raise type(error)(source.message(error)) from error

        return computed(respond, kind)

    def computed(endpoint: Endpoint, kind: str = RUNS) -> AsyncEndpoint:
        async def respond(request: Request) -> Response:
            answering = _answering(endpoint, request)
            return await _unless_left(request, workers.run(kind, answering))

        return respond

    def posted(
        what: str, max_bytes: int, kind: str, handler: Callable[[Request, bytes], Json]
    ) -> AsyncEndpoint:
        """Return an endpoint for a body of at most `max_bytes`."""

        async def respond(request: Request) -> Response:
            data = bytearray()
            with suppress(ClientDisconnect):  # nobody reads the answer then
                async for piece in request.stream():
                    data += piece
                    if len(data) > max_bytes:
                        return problem(413, f"the {what} is larger than {_shown_size(max_bytes)}")
                answering = _answering(
                    lambda asked: handler(asked, bytes(data)), request, format_status=400
                )
                return await _unless_left(request, workers.run(kind, answering))
            return problem(400, f"the {what} is not complete")

        return respond

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

    def table_job(request: Request) -> Json:
        del request
        return tables.job()

    def table_chart(request: Request) -> Json:
        return tables.chart(integer(request, "number", 0, 0, 1 << 31))

    def asked(max_bytes: int, kind: str, handler: Callable[[object], Json]) -> AsyncEndpoint:
        return posted("request", max_bytes, kind, lambda _, data: handler(parse_json(data)))

    def about_ranges(change: Callable[[object], list[Json]]) -> AsyncEndpoint:
        return posted(
            "request", MAX_SPOT_BYTES, RUNS, lambda _, data: {"ranges": change(parse_json(data))}
        )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        yield
        for closing in (solver.close, tables.close):
            await ThreadPool(1).run(closing)

    return Starlette(
        routes=[
            Route("/", assets.page),
            Route("/api/session", session),
            Route("/api/runs", computed(runs)),
            Route("/api/examples", computed(examples)),
            Route("/api/reports/{report}", computed(report)),
            Route("/api/runs/{run}", of_run(_detail)),
            Route(
                "/api/runs/{run}/label",
                posted("label", _MAX_LABEL_BYTES, RUNS, set_label),
                methods=["POST"],
            ),
            Route("/api/runs/{run}/against", of_run(against)),
            *(
                Route(f"/api/runs/{{run}}/{path}", of_run(handler, view.workers))
                for view in VIEWS
                for path, handler in view.routes.items()
            ),
            *(
                Route(path, computed(endpoint, HANDS))
                for path, endpoint in hand_routes(hands).items()
            ),
            Route("/api/events", events),
            Route(
                "/api/documents",
                posted("document", MAX_BYTES, RUNS, add_document),
                methods=["POST"],
            ),
            Route("/api/ranges", computed(lambda _: {"ranges": ranges.all()})),
            *(
                Route(f"/api/ranges/{path}", about_ranges(change), methods=["POST"])
                for path, change in (("save", ranges.save), ("remove", ranges.remove))
            ),
            Route("/api/spots", computed(job, SOLVE)),
            *(
                Route(f"/api/spots/{path}", asked(MAX_SPOT_BYTES, kind, handler), methods=["POST"])
                for path, kind, handler in (
                    ("range", MEASURE, edit_range),
                    ("measure", MEASURE, measure),
                    ("solve", SOLVE, solver.start),
                    ("resume", SOLVE, solver.resume),
                    ("respond", SOLVE, solver.respond),
                    ("stop", SOLVE, lambda _: solver.stop()),
                )
            ),
            Route("/api/tables", computed(table_job, TABLES)),
            Route("/api/tables/chart", computed(table_chart, TABLES)),
            *(
                Route(
                    f"/api/tables/{path}",
                    asked(MAX_TABLE_BYTES, TABLES, handler),
                    methods=["POST"],
                )
                for path, handler in (("solve", tables.solve), ("stop", lambda _: tables.stop()))
            ),
            Route("/{name}", assets.asset),
        ],
        middleware=[Middleware(Guard, port=port, token=token, is_private=is_private)],
        exception_handlers={HTTPException: _refuse},
        lifespan=lifespan,
    )


def _detail(source: ServedRun, request: Request) -> Json:
    del request
    return detail_of(source)


def _with_retries(handler: Handler, source: ServedRun, request: Request) -> Json:
    """Return the handler's result; try again if a file is replaced while it is read."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(FileReplaced):
            return handler(source, request)
    return handler(source, request)


def _answering(
    endpoint: Endpoint, request: Request, *, format_status: int = 409
) -> Callable[[], Response]:
    """Return the endpoint's answer to `request` as a function, with its errors as one line.

    `format_status` is the status for damaged data: 409 for files on disk, 400 for uploads.
    """

    def answered() -> Response:
        try:
            return answer(endpoint(request))
        except NotAvailable as error:
            return problem(404, str(error))
        except FormatError as error:
            return problem(format_status, str(error))
        except UntiltError as error:
            return problem(400, str(error))
        except Unwanted:
            raise
        except Exception:
            _log.exception("%s failed", request.url.path)
            return problem(500, "internal error; see the server's terminal")

    return answered


async def _unless_left(request: Request, computing: Coroutine[None, None, Response]) -> Response:
    """Return what is computed; cancel that if the client leaves or the server stops."""
    answering, leaving = asyncio.ensure_future(computing), asyncio.ensure_future(left(request))
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            return answering.result()
    except Unwanted:
        pass
    finally:
        answering.cancel()
        leaving.cancel()
    return problem(503, "the server is stopping; start it again and reload the page")


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
