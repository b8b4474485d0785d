"""Who is refused, which headers every answer has, and where the token lies."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.dashboard.serving import ORIGIN, PORT, TOKEN, Client, raw_get

from untilt.dashboard.server.app import make_app
from untilt.dashboard.server.events import Broadcaster
from untilt.dashboard.server.security import POLICY, user_token
from untilt.dashboard.server.server import DashboardServer, RunningServer
from untilt.dashboard.server.workers import Workers
from untilt.dashboard.sources.documents import MAX_BYTES
from untilt.dashboard.sources.library import Library

COOKIE = {"Cookie": f"untilt-{PORT}={TOKEN}"}
PATHS = ["/", "/api/session", "/api/runs", "/api/runs/none", "/nothing", "/api/events?run=x"]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1.evil.example:{PORT}",
        f"127.0.0.2:{PORT}",
        f"0.0.0.0:{PORT}",
        f"127.0.0.1:{PORT}:{PORT}",
        f"user@127.0.0.1:{PORT}",
        "",
    ],
)
@pytest.mark.parametrize("path", PATHS)
def test_a_foreign_host_is_refused(client: Client, host: str, path: str) -> None:
    answer = client.raw.get(path, headers={"Host": host})
    assert answer.status_code == 421
    assert "error" in answer.json()


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
def test_names_of_loopback_are_hosts(client: Client, host: str) -> None:
    assert client.raw.get("/api/session", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://127.0.0.1:{PORT}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": f"{ORIGIN}.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ],
)
@pytest.mark.parametrize("path", PATHS)
def test_requests_of_other_pages_are_refused(
    client: Client, headers: dict[str, str], path: str
) -> None:
    answer = client.raw.get(path, headers=headers)
    assert answer.status_code == 403
    assert "error" in answer.json()
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_requests_of_our_page_and_of_the_user_are_answered(
    client: Client, headers: dict[str, str]
) -> None:
    assert client.raw.get("/api/session", headers=headers).status_code == 200


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_headers_that_a_browser_enforces(client: Client, path: str) -> None:
    for headers in ({}, {"Host": "evil.example"}, {"Origin": "null"}):
        found = client.raw.get(path, headers=headers).headers
        assert found["content-security-policy"] == POLICY
        assert "default-src 'none'" in POLICY
        assert "unsafe" not in POLICY
        assert found["x-content-type-options"] == "nosniff"
        assert found["referrer-policy"] == "no-referrer"
        assert found["cross-origin-opener-policy"] == "same-origin"
        assert found["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in found if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": ORIGIN},
        COOKIE,
        {"Origin": "http://evil.example", **COOKIE},
        {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}={'6' * 64}"},
        {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}="},
        {"Origin": ORIGIN, "Cookie": f"untilt-1={TOKEN}"},
        {"Origin": ORIGIN, "Cookie": TOKEN},
        {"Origin": ORIGIN, "Cookie": 'untilt-8123="\\303\\251"'},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site", **COOKIE},
    ],
)
def test_what_changes_something_needs_our_origin_and_the_token(
    client: Client, headers: dict[str, str]
) -> None:
    answer = client.raw.post("/api/documents", content=b"{}", headers=headers)
    assert answer.status_code == 403
    assert "error" in answer.json()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/api/runs", "/api/runs/kuhn", "/api/events"])
def test_other_methods_are_refused(client: Client, method: str, path: str) -> None:
    assert client.raw.request(method, path).status_code == 403
    allowed = client.raw.request(method, path, headers={"Origin": ORIGIN, **COOKIE})
    assert allowed.status_code == 405
    assert allowed.json() == {"error": "use GET here"}


@pytest.mark.parametrize("other", ['a={"x": 1}', "b[0]=c", "d=e f", "g", "=", "h=\u00e9"])
def test_cookies_of_other_programs_do_not_hide_the_token(client: Client, other: str) -> None:
    cookie = f"{other}; untilt-{PORT}={TOKEN}".encode()
    headers = {b"Origin": ORIGIN.encode(), b"Cookie": cookie}
    answer = client.raw.post("/api/documents", content=b"{}", headers=headers)
    assert answer.status_code == 400  # it is no document


def test_with_origin_and_token_a_request_gets_through(client: Client) -> None:
    status, content = client.add_document({})
    assert status == 400
    assert "game" in content["error"]


def test_a_body_that_is_too_large_is_refused(client: Client) -> None:
    assert client.add_document(b"[" + b" " * MAX_BYTES + b"]")[0] == 413


@pytest.mark.parametrize(
    "run",
    [
        "..",
        "../kuhn",
        "..%2fkuhn",
        "%2e%2e",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "..~..~etc",
        "kuhn%00",
        "%00",
        "kuhn%2f..%2fkuhn",
        "./kuhn",
        "/etc",
        "%ff%fe",
        "k" * 10_000,
        "C:%5Cwindows",
        "kuhn%20",
        ".",
    ],
)
@pytest.mark.parametrize("part", ["", "/progress", "/strategy", "/pushfold", "/play?seat=0"])
def test_an_id_is_never_a_path(served: RunningServer, run: str, part: str) -> None:
    status, body = raw_get(served.port, f"/api/runs/{run}{part}")
    assert status == 404
    answer = json.loads(body)
    assert list(answer) == ["error"]
    assert len(answer["error"]) < 200


@pytest.mark.parametrize(
    "name",
    [
        "..%2fapp.py",
        "../app.py",
        "%2e%2e/app.py",
        "static/index.html",
        "..%5capp.py",
        "index.html",
        "index.html%00",
        "%2e",
        "..",
        "/",
        ".hidden",
        "app.py",
    ],
)
def test_an_asset_is_never_a_path(served: RunningServer, name: str) -> None:
    status, body = raw_get(served.port, f"/{name}")
    assert status == 404
    assert list(json.loads(body)) == ["error"]


@pytest.mark.parametrize("target", ["api/session", "*", "http://evil.example/api/session", "//x"])
def test_odd_targets_are_not_answered_with_data(served: RunningServer, target: str) -> None:
    status, body = raw_get(served.port, target)
    assert status >= 400
    assert b"version" not in body


def test_the_token_is_the_users_alone_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path / "cache"))
    token = user_token()
    assert len(token) == 64
    assert user_token() == token
    (file,) = (tmp_path / "cache").iterdir()
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64, b"g" * 64, b"a" * 200])
def test_a_damaged_token_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    file = tmp_path / "dashboard-token"
    file.write_bytes(content)
    file.chmod(0o600)
    token = user_token()
    assert set(token) <= set("0123456789abcdef")
    assert file.read_text().strip() == token == user_token()


@pytest.mark.skipif(sys.platform == "win32", reason="rights of files are others on Windows")
def test_a_token_that_others_can_read_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    token = user_token()
    (tmp_path / "dashboard-token").chmod(0o644)
    assert user_token() != token
    assert stat.S_IMODE((tmp_path / "dashboard-token").stat().st_mode) == 0o600


def test_without_a_place_for_the_token_there_is_one_for_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert len(user_token()) == 64


def test_without_a_home_there_is_a_token_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for variable in ("UNTILT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    assert len(user_token()) == 64


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_in_place_of_the_token_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    os.mkfifo(tmp_path / "dashboard-token", 0o600)
    assert user_token() == user_token()
    assert (tmp_path / "dashboard-token").is_file()


class TestPrivate:
    @pytest.fixture
    def private(self, solved_runs: Path) -> Client:
        library = Library.of(solved_runs)
        app = make_app(
            library, Broadcaster(library), Workers(), port=PORT, token=TOKEN, is_private=True
        )
        return Client(TestClient(app, base_url=ORIGIN, follow_redirects=False))

    @pytest.mark.parametrize("path", [*PATHS, "/?token=", f"/?token={'6' * 64}", "/?token=é"])
    @pytest.mark.parametrize("cookie", [None, f"untilt-{PORT}={'6' * 64}", "untilt-1=x"])
    def test_nothing_is_answered_without_the_token(
        self, private: Client, path: str, cookie: str | None
    ) -> None:
        answer = private.raw.get(path, headers={"Cookie": cookie} if cookie else {})
        assert answer.status_code == 403
        assert "private" in answer.json()["error"]
        assert "set-cookie" not in answer.headers
        assert TOKEN not in answer.text

    def test_the_token_opens_the_page_only_and_leaves_the_address(self, private: Client) -> None:
        for path in ("/api/runs", "/nothing"):
            assert private.raw.get(f"{path}?token={TOKEN}").status_code == 403
        assert private.raw.post(f"/?token={TOKEN}", headers={"Origin": ORIGIN}).status_code == 403
        answer = private.raw.get(f"/?token={TOKEN}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert cookie == f"untilt-{PORT}={TOKEN}; Path=/; HttpOnly; SameSite=Strict"
        assert answer.headers["Content-Security-Policy"] == POLICY

    def test_whoever_has_the_token_is_served_as_ever(self, private: Client) -> None:
        for path in ("/", "/api/session", "/api/runs", "/api/runs/kuhn"):
            assert private.raw.get(path, headers=COOKIE).status_code == 200
        status, _ = private.add_document({}, Origin=ORIGIN)
        assert status == 400  # it is no document, but it was looked at

    def test_a_page_elsewhere_is_refused_even_with_the_token(self, private: Client) -> None:
        headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        assert private.raw.get(f"/?token={TOKEN}", headers=headers).status_code == 403

    def test_its_token_is_not_the_users(
        self, solved_runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
        library = Library.of(solved_runs)
        addresses = []
        for is_private in (True, True, False):
            server = DashboardServer(library, port=0, is_dev=False, is_private=is_private)
            server.socket.close()
            addresses.append(server.address)
        tokens = [address.partition("?token=")[2] for address in addresses]
        assert [len(token) for token in tokens] == [64, 64, 0]
        assert tokens[0] != tokens[1]
        assert user_token() not in tokens

    def test_without_it_any_local_process_gets_the_page(self, client: Client) -> None:
        answer = client.raw.get("/")
        assert answer.status_code == 200
        assert TOKEN in answer.headers["set-cookie"]
        assert client.raw.get("/api/runs").status_code == 200
