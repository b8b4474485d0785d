"""Run folders that are damaged, hostile or half written: listed, told in a line, never followed."""

import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.serving import Client

ENDPOINTS = ("", "/progress", "/strategy", "/infoset?label=P0:J:", "/pushfold", "/play?seat=0")


def summary_of(client: Client, run: str) -> dict[str, object]:
    """The summary of one run, after checking that the others are listed and sound."""
    runs = {each["id"]: each for each in client.get("/api/runs")["runs"]}
    others = {each["status"] for name, each in runs.items() if name != run}
    assert others == {"finished"}
    found: dict[str, object] = runs[run]
    return found


def verify_told(client: Client, run: str, folder: Path) -> None:
    """The run is listed as damaged, in one line without the way to its folder."""
    summary = summary_of(client, run)
    assert summary["status"] == "damaged"
    problem = str(summary["problem"])
    assert problem
    assert "\n" not in problem
    assert str(folder) not in problem
    for endpoint in ENDPOINTS:
        answer = client.raw.get(f"/api/runs/{run}{endpoint}")
        assert answer.status_code in (200, 400, 404, 409), answer.text
        assert str(folder) not in answer.text
        if answer.status_code != 200:
            assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"game": 5}',
        b'{"game": "kuhn", "kind": "other"}',
        b'{"game": "kuhn", "game": "leduc"}',
        b'{"game": NaN}',
        b'{"game": "kuhn", "format": 99}',
        b"[" * 100_000,
        b'{"game": "' + b"x" * (2 << 20) + b'"}',
    ],
)
def test_a_damaged_description_is_told(
    runs: Path, client_for: Callable[[Path], Client], content: bytes
) -> None:
    (runs / "kuhn" / "run.json").write_bytes(content)
    verify_told(client_for(runs), "kuhn", runs)


@pytest.mark.parametrize("name", ["game.bin", "frames.bin", "strategy.bin"])
@pytest.mark.parametrize("length", [0, 1, 20, 60, -1])
def test_a_truncated_file_is_told(
    runs: Path, client_for: Callable[[Path], Client], name: str, length: int
) -> None:
    path = runs / "kuhn" / name
    path.write_bytes(path.read_bytes()[:length])
    verify_told(client_for(runs), "kuhn", runs)


@pytest.mark.parametrize("name", ["game.bin", "frames.bin", "strategy.bin"])
def test_a_flipped_bit_is_told_once_the_file_was_read(
    runs: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    path = runs / "kuhn" / name
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    client = client_for(runs)
    status, line = client.refusal("/api/runs/kuhn/strategy")
    assert status == 409
    assert "checksum" in line
    verify_told(client, "kuhn", runs)


@pytest.mark.parametrize("name", ["game.bin", "frames.bin", "strategy.bin"])
def test_no_flipped_byte_breaks_the_server(
    runs: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    path = runs / "kuhn" / name
    original = path.read_bytes()
    client = client_for(runs)
    for place in range(0, len(original), max(1, len(original) // 40)):
        data = bytearray(original)
        data[place] ^= 0xFF
        path.write_bytes(data)
        for endpoint in ENDPOINTS:
            assert client.raw.get(f"/api/runs/kuhn{endpoint}").status_code != 500


def test_sound_files_of_different_games_are_told(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    shutil.copy(runs / "deeper" / "leduc" / "frames.bin", runs / "kuhn" / "frames.bin")
    assert client_for(runs).refusal("/api/runs/kuhn/strategy")[0] == 409
    shutil.copy(runs / "deeper" / "leduc" / "game.bin", runs / "kuhn" / "game.bin")
    # The final strategy is of Kuhn still.
    assert client_for(runs).refusal("/api/runs/kuhn/strategy")[0] == 409


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"iterations": "x", "outcome": 5}'])
def test_a_damaged_result_leaves_the_rest(
    runs: Path, client_for: Callable[[Path], Client], content: bytes
) -> None:
    (runs / "kuhn" / "result.json").write_bytes(content)
    client = client_for(runs)
    assert client.get("/api/runs/kuhn/progress")["total"] > 10
    assert summary_of(client, "kuhn")["status"] in ("damaged", "finished")


@pytest.mark.parametrize("name", ["game.bin", "frames.bin", "strategy.bin"])
def test_a_run_that_is_repaired_is_sound_again(
    runs: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    path = runs / "kuhn" / name
    original = path.read_bytes()
    path.write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    client = client_for(runs)
    client.refusal("/api/runs/kuhn/strategy")
    assert summary_of(client, "kuhn")["status"] == "damaged"
    path.write_bytes(original)
    os.utime(path)
    assert summary_of(client, "kuhn")["status"] == "finished"
    assert client.get("/api/runs/kuhn/strategy")["total"] == 6


def test_a_header_that_lies_about_lengths_is_told(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    path = runs / "kuhn" / "frames.bin"
    data = bytearray(path.read_bytes())
    data[12:16] = struct.pack("<I", 0xFFFFFFF0)
    path.write_bytes(data)
    verify_told(client_for(runs), "kuhn", runs)


@pytest.mark.parametrize("missing", ["game.bin", "progress.jsonl", "frames.bin", "strategy.bin"])
def test_a_run_may_lack_any_file(
    runs: Path, client_for: Callable[[Path], Client], missing: str
) -> None:
    (runs / "kuhn" / missing).unlink()
    client = client_for(runs)
    summary = summary_of(client, "kuhn")
    assert (summary["status"], summary["problem"]) == ("finished", None)
    for endpoint in ENDPOINTS:
        assert client.raw.get(f"/api/runs/kuhn{endpoint}").status_code in (200, 400, 404)


NAMES = ("run.json", "result.json", "game.bin", "frames.bin", "strategy.bin", "progress.jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
@pytest.mark.parametrize("name", NAMES)
def test_a_pipe_in_place_of_a_file_is_told_and_never_opened(
    runs: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    (runs / "kuhn" / name).unlink()
    os.mkfifo(runs / "kuhn" / name)
    verify_told(client_for(runs), "kuhn", runs)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_in_place_of_a_file_is_told(
    runs: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    (runs / "kuhn" / name).unlink()
    (runs / "kuhn" / name).mkdir()
    verify_told(client_for(runs), "kuhn", runs)


@pytest.mark.parametrize("name", NAMES)
def test_a_link_in_place_of_a_file_is_not_followed(
    runs: Path, tmp_path: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    outside = tmp_path / "outside"
    shutil.move(runs / "kuhn" / name, outside)
    (runs / "kuhn" / name).symlink_to(outside)
    verify_told(client_for(runs), "kuhn", tmp_path)


def test_folders_of_links_are_not_served(
    runs: Path, tmp_path: Path, client_for: Callable[[Path], Client]
) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(runs / "kuhn", outside / "secret")
    (runs / "link").symlink_to(outside, target_is_directory=True)
    (runs / "direct").symlink_to(outside / "secret", target_is_directory=True)
    client = client_for(runs)
    assert {run["id"] for run in client.get("/api/runs")["runs"]}.isdisjoint(
        {"direct", "link~secret"}
    )
    assert client.refusal("/api/runs/direct")[0] == 404


def test_a_stranger_cannot_make_us_run_code(
    runs: Path, tmp_path: Path, client_for: Callable[[Path], Client]
) -> None:
    path = runs / "pushfold" / "run.json"
    mark = tmp_path / "executed"
    code = tmp_path / "game.py"
    code.write_text(f"open({str(mark)!r}, 'w')\ngame = None\n")
    path.write_text(path.read_text().replace('"reference": "pushfold"', f'"reference": "{code}"'))
    client = client_for(runs)
    for endpoint in ENDPOINTS:
        client.raw.get(f"/api/runs/pushfold{endpoint}")
    assert "play" not in client.get("/api/runs/pushfold")["views"]
    assert not mark.exists()
