"""Who is refused, which headers every answer has, and where the token lies."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from tests.dashboard.serving import ORIGIN, PORT, TOKEN, Client, raw_get

from untilt.dashboard.documents import MAX_BYTES
from untilt.dashboard.security import POLICY, user_token
from untilt.dashboard.server import RunningServer

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
