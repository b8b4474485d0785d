"""The library of ranges: files that the page writes, and that may come from anybody."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.serving import ORIGIN, PORT, TOKEN, Client, client_of, fields_of

from untilt.cards.ranges.range import Range
from untilt.dashboard.sources.library import Library


def post(client: Client, path: str, body: Any, **headers: str) -> tuple[int, Any]:
    sent = {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}={TOKEN}"} | headers
    answer = client.raw.post(f"/api/ranges/{path}", content=json.dumps(body), headers=sent)
    return answer.status_code, answer.json()


@pytest.fixture
def shelf(tmp_path: Path) -> Client:
    return client_of(Library(tmp_path, "runs"))


def test_ranges_are_kept_replaced_and_removed(shelf: Client, tmp_path: Path) -> None:
    assert shelf.get("/api/ranges") == {"ranges": []}
    post(shelf, "save", {"name": "open 20%", "text": "top 20%"})
    status, found = post(shelf, "save", {"name": "BB call", "text": "99-22, A5s:0.5"})
    assert status == 200
    assert [each["name"] for each in found["ranges"]] == ["BB call", "open 20%"]
    assert found["ranges"][0].keys() == fields_of("NamedRange")
    assert found["ranges"][0]["combos"] == 8 * 6 + 2
    assert Range.parse((tmp_path / "ranges" / "BB call.txt").read_text().strip()).num_combos == 50
    post(shelf, "save", {"name": "BB call", "text": "AA"})
    assert shelf.get("/api/ranges")["ranges"][0]["text"] == "AA"
    assert len(post(shelf, "remove", {"name": "BB call"})[1]["ranges"]) == 1
    assert post(shelf, "remove", {"name": "BB call"})[0] == 404


@pytest.mark.parametrize(
    "name", ["", "../out", "a/b", ".hidden", "x" * 61, "nul\x00", "two\nlines", 3, None, "a\\b"]
)
def test_names_never_lead_out_of_the_folder(shelf: Client, tmp_path: Path, name: Any) -> None:
    for path, body in (("save", {"name": name, "text": "AA"}), ("remove", {"name": name})):
        status, found = post(shelf, path, body)
        assert status == 400
        assert "\n" not in found["error"]
    assert not list(tmp_path.rglob("*.txt"))


def test_what_is_not_a_range_is_not_kept(shelf: Client, tmp_path: Path) -> None:
    for text in ("", "A!", 5, None, ["AA"]):
        assert post(shelf, "save", {"name": "x", "text": text})[0] == 400
    assert post(shelf, "save", ["x"])[0] == 400
    assert post(shelf, "save", {"name": "x", "text": "AA", "more": 1})[0] == 400
    assert post(shelf, "save", {"name": "x", "text": "AA"}, Cookie="")[0] == 403
    assert not (tmp_path / "ranges").exists()


def test_damaged_files_say_so_and_hide_no_others(shelf: Client, tmp_path: Path) -> None:
    folder = tmp_path / "ranges"
    folder.mkdir()
    (folder / "good.txt").write_text("AA, KK\n")
    (folder / "bad.txt").write_text("A!")
    (folder / "binary.txt").write_bytes(b"\xff\xfe")
    (folder / "large.txt").write_text("AA," * 100_000)
    (folder / "link.txt").symlink_to("/etc/passwd")
    (folder / "pipe.txt").mkdir()
    found = {each["name"]: each for each in shelf.get("/api/ranges")["ranges"]}
    assert found["good"]["problem"] is None
    assert found["good"]["combos"] == 12
    assert {name for name, each in found.items() if each["problem"]} == {
        *("bad", "binary", "large", "link", "pipe")
    }


def test_without_a_folder_of_runs_nothing_is_kept(runs: Path) -> None:
    client = client_of(Library.of(runs / "kuhn"))
    assert client.get("/api/ranges") == {"ranges": []}
    assert post(client, "save", {"name": "x", "text": "AA"})[0] == 400
    assert not (runs / "kuhn" / "ranges").exists()
