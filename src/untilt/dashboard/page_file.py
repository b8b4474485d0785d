"""The page of one run as a single HTML file that opens anywhere, without a server.

The file holds the built page and the answers that the server would give about the run: all of them
for small solutions, else a node and what follows it, as far as there is room. Nothing is computed
in it, so it cannot solve, respond or deal hands.
"""

import base64
import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from untilt import __version__
from untilt.dashboard.server.assets import STATIC
from untilt.dashboard.sources.library import Library
from untilt.dashboard.sources.run_folder import ServedRun
from untilt.dashboard.sources.source import Json
from untilt.dashboard.views import VIEWS, detail_of
from untilt.errors import InvalidOption, RunError

MAX_BYTES = 12 << 20
"""About the most that the answers take; nodes that lie deeper are left out."""

_SHOWN = ("convergence", "spot", "pushfold", "facts")
"""The views that a file can have; the others ask about more than can be listed."""
_NEEDED = ("spot", "pushfold")
"""A file has at least one of these."""
_POINTS = (2, 2_000)
"""The lengths of progress that the page asks for."""
_MODULE = re.compile(r'"\./([\w-]+\.js)"')

_START = """
(() => {
  const answers = JSON.parse(document.getElementById("answers").textContent);
  const keyOf = (address) => {
    const url = new URL(address, "http://file");
    const pairs = [...url.searchParams].map(([name, value]) => name + "=" + value).sort();
    return decodeURIComponent(url.pathname) + "?" + pairs.join("&");
  };
  const missing = { error: "this file does not contain that; open the run with untilt serve" };
  window.fetch = async (address) => {
    const found = answers[keyOf(String(address))];
    const known = found !== undefined;
    return new Response(JSON.stringify(known ? found : missing), { status: known ? 200 : 404 });
  };
  window.EventSource = class extends EventTarget {
    constructor() {
      super();
      setTimeout(() => this.dispatchEvent(new Event("open")));
    }
    close() {}
  };
  document.documentElement.dataset.offline = "";
  if (location.hash === "") history.replaceState(null, "", answers.start);
})();
"""


def page_file(
    folder: Path, *, line: str | None = None, board: str | None = None, static: Path = STATIC
) -> str:
    """Return the HTML of the run in a folder; of a spot from a node on, if `line` is given.

    Raises InvalidOption for runs that a file cannot show, and RunError if the page is not built.
    """
    library = Library.of(folder)
    source = next(iter(library.runs()), None)
    if source is None or library.start is None:
        raise RunError(f"{folder} is not the folder of a run")
    detail = detail_of(source)
    views = [view for view in detail["views"] if view in _SHOWN]
    if not set(views) & set(_NEEDED):
        raise InvalidOption(
            f"{source.name} cannot be exported to html: give a solved spot or a push/fold chart"
        )
    answers = _answers(source, detail | {"views": views}, line, board)
    return _html(static, answers, detail["title"])


def _answers(
    source: ServedRun, detail: Json, line: str | None, board: str | None
) -> dict[str, Any]:
    """Return what the server would answer, by address; `start` is the address of the page."""
    # A note is for its writer, and the file is for others.
    detail = detail | {"label": detail["label"] | {"note": "", "is_starred": False}}
    summary = {name: value for name, value in source.summary().items() if name in detail}
    summary |= {"label": detail["label"]}
    run, path = summary | {"views": detail["views"]}, f"/api/runs/{source.id}"
    given: dict[str, Any] = {
        "/api/session?": {"version": __version__, "root": source.name, "start": source.id},
        "/api/runs?": {"runs": [run], "reports": []},
        "/api/examples?": {"runs": []},
        f"{path}?": detail,
    }
    for points in _POINTS:
        given[f"{path}/progress?points={points}"] = source.progress(points)
    if "facts" in detail["views"]:
        given[f"{path}/facts?"] = _asked(source, "facts", {})
    view = next(name for name in _NEEDED if name in detail["views"])
    start = f"#/{source.id}/{view}"
    if view == "pushfold":
        given |= _charts(source, detail, path)
        return given | {"start": start}
    first = _asked(source, "spot", {"line": line or "", "board": board or ""})
    size = 0
    for name, query, answer in _nodes(source, first):
        size += len(json.dumps(answer))
        given[_key(f"{path}/{name}", query)] = answer
        if size > MAX_BYTES:
            break
    # The root is asked for by an empty board, too.
    place = _place(first)
    for name in ("spot", "ranges"):
        given[_key(f"{path}/{name}", {"line": "", "board": ""})] = given[
            _key(f"{path}/{name}", place)
        ]
    if line is not None:
        start += f"?{urlencode(place)}"
    return given | {"start": start}


def _nodes(source: ServedRun, first: Json) -> Iterator[tuple[str, Mapping[str, str], Json]]:
    """Yield a node, and those below it, the nearest first, each with its ranges."""
    waiting = deque([_place(first)])
    while waiting:
        place = waiting.popleft()
        node = _asked(source, "spot", place)
        yield "spot", place, node
        yield "ranges", place, _asked(source, "ranges", place)
        if node["kind"] == "deal":
            yield "runouts", place, _asked(source, "runouts", place)
            waiting += (
                {"line": f"{node['line']}/", "board": node["board"] + card}
                for card in node["panels"]["cards"]
            )
        else:
            waiting += (_place(child) for child in node["children"] if child is not None)


def _place(node: Mapping[str, Any]) -> dict[str, str]:
    return {"line": node["line"], "board": node["board"]}


def _charts(source: ServedRun, detail: Json, path: str) -> dict[str, Any]:
    """Return the charts of all stacks of a sweep, or of all frames of a run."""
    given: dict[str, Any] = {}
    if detail["stacks"]:
        given[f"{path}/limits?"] = _asked(source, "limits", {})
        queries = [{"stack": repr(stack).removesuffix(".0")} for stack in detail["stacks"]]
    else:
        queries = [{"frame": str(frame)} for frame in (*range(len(detail["frames"])), -1)]
    for query in queries:
        given[_key(f"{path}/pushfold", query)] = _asked(source, "pushfold", query)
    return given


def _asked(source: ServedRun, path: str, query: Mapping[str, str]) -> Json:
    """Return what the server answers to a request about the run."""
    handler = next(view.routes[path] for view in VIEWS if path in view.routes)
    scope = {"type": "http", "query_string": urlencode(query).encode(), "headers": []}
    return handler(source, Request(scope))


def _key(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?" + "&".join(sorted(f"{name}={value}" for name, value in query.items()))


def _html(static: Path, answers: Mapping[str, Any], title: str) -> str:
    """Return the page with its style, its modules and the answers inside."""
    try:
        page = (static / "index.html").read_text("utf-8")
        style = next(static.glob("app-*.css")).read_text("utf-8")
        modules = {path.name: path.read_text("utf-8") for path in static.glob("*.js")}
        entry = re.search(r'src="/(app-\w+\.js)"', page)
    except (OSError, StopIteration) as error:
        raise RunError("the page is not built, so there is nothing to export it with") from error
    if entry is None:
        raise RunError("the page is not built, so there is nothing to export it with")
    # Modules name one another as they lie beside one another; inside a file only a map can.
    imports = {
        f"untilt/{name}": "data:text/javascript;base64,"
        + base64.b64encode(_MODULE.sub(r'"untilt/\1"', text).encode()).decode()
        for name, text in modules.items()
    }
    head = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_escaped(title)}</title>",
        f"<style>\n{style}\n</style>",
        f'<script type="importmap">{_json({"imports": imports})}</script>',
        f'<script type="application/json" id="answers">{_json(answers)}</script>',
        f"<script>{_START}</script>",
        f'<script type="module">import "untilt/{entry[1]}";</script>',
    ]
    return "\n".join([*head, '</head>\n<body><div id="app"></div></body>\n</html>\n'])


def _json(value: object) -> str:
    """Return JSON that may stand inside a script."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
