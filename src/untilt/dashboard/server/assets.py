"""The built page: `index.html` and the files it refers to, served by exact name only."""

import re
from contextlib import suppress
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from untilt.dashboard.server.security import session_cookie

STATIC = Path(__file__).parents[1] / "static"

_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_HASHED = re.compile(r".+-[A-Za-z0-9_]{8,}\.(js|css)")
_FOREVER = "public, max-age=31536000, immutable"
_PAGE = "index.html"

NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Untilt: the page is not built</title></head>
<body><h1>The page is not built</h1>
<p>The server is running, but this installation has no web page. The page is bundled during
installation, and the packages it needs could not be downloaded then. With an internet connection,
run</p>
<pre>uv sync --reinstall-package untilt</pre>
<p>or, in the <code>web</code> folder of the source tree,</p>
<pre>npm ci &amp;&amp; npm run build</pre>
<p>then restart the server. The data is available in the meantime: see <code>/api/runs</code>.</p>
</body></html>
"""


class Assets:
    """The files of the page, read once, so a rebuild never mixes old and new files.

    In development they are read on each request.
    """

    def __init__(self, port: int, token: str, *, is_dev: bool, folder: Path = STATIC) -> None:
        self._folder = folder
        self._is_dev = is_dev
        self._cookie = session_cookie(port, token)
        self._files = self._read()

    async def page(self, request: Request) -> Response:
        """Respond with the page, and with the token that lets it make changes."""
        del request
        content = self._current().get(_PAGE)
        if content is None:
            return HTMLResponse(NOT_BUILT, 503, {"Cache-Control": "no-store"})
        answer = self._answer(_PAGE, content)
        answer.headers["Set-Cookie"] = self._cookie
        return answer

    async def asset(self, request: Request) -> Response:
        """Respond with a file that the page refers to."""
        name = request.path_params["name"]
        content = None if name == _PAGE else self._current().get(name)
        if content is None:
            raise HTTPException(404)
        return self._answer(name, content)

    def _answer(self, name: str, content: bytes) -> Response:
        is_lasting = not self._is_dev and _HASHED.fullmatch(name)
        caching = "no-store" if self._is_dev else _FOREVER if is_lasting else "no-cache"
        media_type = _TYPES[Path(name).suffix]
        return Response(content, headers={"Cache-Control": caching}, media_type=media_type)

    def _current(self) -> dict[str, bytes]:
        return self._read() if self._is_dev else self._files

    def _read(self) -> dict[str, bytes]:
        if not self._folder.is_dir():
            return {}
        found = {}
        for path in self._folder.iterdir():
            if path.suffix in _TYPES and path.is_file() and not path.name.startswith("."):
                with suppress(FileNotFoundError):  # a build has just replaced it
                    found[path.name] = path.read_bytes()
        return found
