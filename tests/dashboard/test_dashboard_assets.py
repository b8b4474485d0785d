"""The built page: what is cached, what is not, and what is said where it was not built."""

from pathlib import Path

import pytest
from tests.dashboard.serving import PORT, TOKEN, Client, client_of

from untilt.dashboard.server import app
from untilt.dashboard.sources.library import Library

FILES = {
    "index.html": b"<!doctype html><title>Untilt</title>",
    "app-AB12CD34.js": b"export {};",
    "app-ZZ99YY88.css": b"body {}",
    "favicon.svg": b"<svg/>",
    "NOTICE.txt": b"licences",
}


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "static"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "secret.py").write_text("import os")
    (folder / ".hidden.js").write_text("import os")
    monkeypatch.setattr(app, "STATIC", folder)
    return folder


def client_at(static: Path, *, is_dev: bool = False) -> Client:
    return client_of(Library(static.parent / "runs", "runs"), is_dev=is_dev)


def test_the_page_comes_with_the_token_and_is_asked_for_again(static: Path) -> None:
    answer = client_at(static).raw.get("/")
    assert answer.status_code == 200
    assert answer.content == FILES["index.html"]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["set-cookie"] == (
        f"untilt-{PORT}={TOKEN}; Path=/; HttpOnly; SameSite=Strict"
    )


@pytest.mark.parametrize(
    ("name", "kind"), [("app-AB12CD34.js", "text/javascript"), ("app-ZZ99YY88.css", "text/css")]
)
def test_files_named_by_their_content_are_kept_for_good(static: Path, name: str, kind: str) -> None:
    answer = client_at(static).raw.get(f"/{name}")
    assert answer.content == FILES[name]
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "set-cookie" not in answer.headers


def test_other_files_are_asked_for_again(static: Path) -> None:
    answer = client_at(static).raw.get("/favicon.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "name", ["secret.py", ".hidden.js", "none.js", "static", "APP-AB12CD34.JS"]
)
def test_nothing_else_is_served(static: Path, name: str) -> None:
    assert client_at(static).refusal(f"/{name}")[0] == 404


def test_in_development_changes_are_seen_at_once_and_nothing_is_kept(static: Path) -> None:
    client, old = client_at(static, is_dev=True), client_at(static)
    (static / "app-NEWNEW00.js").write_text("changed")
    assert old.refusal("/app-NEWNEW00.js")[0] == 404
    answer = client.raw.get("/app-NEWNEW00.js")
    assert answer.text == "changed"
    assert answer.headers["cache-control"] == "no-store"
    assert client.raw.get("/").headers["cache-control"] == "no-store"


def test_in_development_a_file_that_a_build_removes_is_not_there(
    static: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_at(static, is_dev=True)
    read = Path.read_bytes

    def removing(path: Path) -> bytes:
        if path.name == "app-AB12CD34.js":
            path.unlink(missing_ok=True)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", removing)
    assert client.raw.get("/").status_code == 200
    assert client.refusal("/app-AB12CD34.js")[0] == 404


def test_a_page_that_was_not_built_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "STATIC", tmp_path / "none")
    answer = client_at(tmp_path / "none").raw.get("/")
    assert answer.status_code == 503
    assert "uv sync --reinstall-package untilt" in answer.text
    assert "npm ci" in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_a_page_that_is_built_anew_stays_whole_until_the_server_restarts(static: Path) -> None:
    client = client_at(static)
    script = client.raw.get("/app-AB12CD34.js").content
    (static / "app-AB12CD34.js").unlink()
    assert client.raw.get("/app-AB12CD34.js").content == script
    assert client_at(static).refusal("/app-AB12CD34.js")[0] == 404
