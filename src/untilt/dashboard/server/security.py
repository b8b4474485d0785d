"""Access control: only pages of this server, on this machine, are answered.

Any web site can make the user's browser send requests to loopback. So the Host must be ours (a
foreign name that was made to point to 127.0.0.1 shows there), an Origin must be ours, cross-site
requests are refused, and a request that changes state also needs a cookie with a token that only
our page is given. The token belongs to the user and survives a restart of the server, so open
pages keep working.

This keeps out other sites, not other users of the machine: any local process may request the page,
and gets the token with it. A private server has a separate token and refuses every request without
it; the page gets the token from an address that only the user has seen.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from untilt.cache_folder import cache_folder, make_private
from untilt.dashboard.server.answers import problem
from untilt.errors import FormatError
from untilt.formats.base.files import open_own

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_SAFE_METHODS = {"GET", "HEAD"}
_TOKEN_LENGTH = 64
_PRIVATE = "this server is private; open the address with the token that untilt serve printed"


class Guard:
    """ASGI middleware that refuses foreign requests and adds the headers that browsers enforce."""

    def __init__(self, app: ASGIApp, port: int, token: str, *, is_private: bool = False) -> None:
        self._app = app
        self._is_private = is_private
        hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        if port == 80:
            hosts |= {"127.0.0.1", "localhost", "[::1]"}
        self._hosts = hosts
        self._origins = {f"http://{host}" for host in hosts}
        self._port = port
        self._cookie = cookie_name(port)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            await problem(*refusal)(scope, receive, send_guarded)
        elif not self._is_private or self._has_token(headers.get("cookie", "")):
            await self._app(scope, receive, send_guarded)
        elif self._is_token_address(scope):
            # Without the token, the address is safe to show and to keep in the history.
            cookie = {"Set-Cookie": session_cookie(self._port, self._token)}
            await RedirectResponse("/", 303, cookie)(scope, receive, send_guarded)
        else:
            await problem(403, _PRIVATE)(scope, receive, send_guarded)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """Return the status and message if the request is refused, None if it is allowed."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if len(headers.getlist("host")) != 1 or host.lower() not in self._hosts:
            return 421, "this server answers only to 127.0.0.1 and localhost, with its own port"
        if origin is not None and origin.lower() not in self._origins:
            return 403, "requests from other web pages are refused; open this server's page"
        site = headers.get("sec-fetch-site", "none")
        is_navigation = headers.get("sec-fetch-mode") == "navigate"
        if site == "cross-site" or (site == "same-site" and not is_navigation):
            return 403, "requests from other sites are refused; type the address instead"
        if method in _SAFE_METHODS:
            return None
        if origin is None:
            return 403, "a request that changes something must come from this server's page"
        if not self._has_token(headers.get("cookie", "")):
            return 403, "the token is missing or out of date; reload the page"
        return None

    def _is_token_address(self, scope: Scope) -> bool:
        """Whether the request is for the page, with the token in its address."""
        given = QueryParams(scope["query_string"]).get("token", "")
        is_page = scope["method"] == "GET" and scope["path"] == "/"
        return is_page and secrets.compare_digest(given.encode(), self._token.encode())

    def _has_token(self, cookies: str) -> bool:
        # Cookies ignore ports, so cookies of other programs on this machine arrive too, in any
        # form, and the standard library's parser stops at the first malformed one.
        given = cookie_parser(cookies).get(self._cookie, "")
        # As bytes: text that is not ASCII cannot be compared in constant time.
        return secrets.compare_digest(given.encode(), self._token.encode())


def cookie_name(port: int) -> str:
    """Return the cookie's name; it has the port, because cookies are shared between ports."""
    return f"untilt-{port}"


def session_cookie(port: int, token: str) -> str:
    """Return the header that gives the browser the token, for this server's pages only."""
    return f"{cookie_name(port)}={token}; Path=/; HttpOnly; SameSite=Strict"


def private_token() -> str:
    """Return a new token; the user's token is not secret: every other server gives it out."""
    return secrets.token_hex(_TOKEN_LENGTH // 2)


def user_token() -> str:
    """Return the user's token, created on first use; a temporary one if it cannot be stored."""
    try:
        path = cache_folder() / "dashboard-token"
        return _read_token(path) or _create_token(path)
    except (OSError, ValueError, RuntimeError):  # the last one: no home folder
        return private_token()


def _read_token(path: Path) -> str | None:
    """Return the token in a file that only the user can read; None if there is no such file."""
    try:
        with open_own(path) as file:
            found = os.fstat(file.fileno())
            token = file.read(_TOKEN_LENGTH + 2).decode("ascii").strip()
    except (FormatError, UnicodeDecodeError):  # missing, unreadable, a link or a pipe
        return None
    is_private = os.name == "nt" or found.st_mode & 0o077 == 0
    is_sound = len(token) == _TOKEN_LENGTH and set(token) <= set("0123456789abcdef")
    return token if is_private and is_sound else None


def _create_token(path: Path) -> str:
    """Write and return a new token, or return the one that another process has just written."""
    make_private(path.parent)
    token = secrets.token_hex(_TOKEN_LENGTH // 2)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(token + "\n")
        if os.path.lexists(path):  # it is unusable, see `_read_token`
            temporary.replace(path)
            return token
        # A link never replaces a file, so only one of two processes succeeds.
        with suppress(FileExistsError):
            os.link(temporary, path)
        return _read_token(path) or token
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
