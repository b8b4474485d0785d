"""Run folders that are damaged, hostile or half written: listed, told in a line, never followed."""

import json
import os
import shutil
import struct
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.dashboard.serving import Client

from untilt.dashboard.nodes import infoset_table
from untilt.dashboard.nodes.infoset_table import InfosetTable
from untilt.dashboard.sources.reading import WatchedFile
from untilt.dashboard.sources.run_facts import read_run, read_short_result
from untilt.errors import FormatError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.kinds.sweep_file import Sweep, write_sweep
from untilt.formats.run.frames import FileReplaced, FramesFile
from untilt.formats.run.result_file import RunResult
from untilt.game.names.infosets import Infosets

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


def edit(folder: Path, **changes: object) -> None:
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def frames_of(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    container = read_container(folder / "frames.bin", "frames", in_memory=True)
    return container.meta, container.arrays


@pytest.mark.parametrize("name", ["progress.jsonl", "result.json"])
def test_what_only_some_views_need_leaves_the_others(
    runs: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    (runs / "kuhn" / name).unlink()
    (runs / "kuhn" / name).mkdir()
    client = client_for(runs)
    detail = client.get("/api/runs/kuhn")
    assert detail["status"] == "damaged"
    assert name in detail["problem"]
    assert len(detail["frames"]) > 10
    for endpoint in ("strategy", "infoset?label=P0:J:", "play?seat=0"):
        assert client.raw.get(f"/api/runs/kuhn/{endpoint}").status_code in (200, 409)
    assert client.get("/api/runs/kuhn/strategy")["total"] == 6
    assert len(client.get("/api/runs/kuhn/infoset", label="P0:J:")["frames"]) > 10


def test_an_array_that_is_missing_is_named(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    meta, arrays = frames_of(runs / "kuhn")
    del arrays["action_values"]
    write_container(runs / "kuhn" / "frames.bin", "frames", meta, arrays)
    status, line = client_for(runs).refusal("/api/runs/kuhn/strategy")
    assert status == 409
    assert "'action_values' is missing" in line


def test_frames_may_hold_any_number(runs: Path, client_for: Callable[[Path], Client]) -> None:
    for name in ("kuhn", "pushfold"):
        (runs / name / "strategy.bin").unlink()
        meta, arrays = frames_of(runs / name)
        arrays["strategy"][:] = np.inf
        arrays["strategy"][:, ::3] = 0.0
        arrays["action_values"][:] = -np.inf
        arrays["action_values"][:, ::2] = np.inf
        write_container(runs / name / "frames.bin", "frames", meta, arrays)
    client = client_for(runs)
    assert client.get("/api/runs/kuhn/strategy")["rows"][0]["values"] == [None, None]
    assert client.get("/api/runs/pushfold/pushfold")["sides"][0]["values"][1][0] is None


def test_frames_that_are_replaced_by_as_many_others_are_noticed(runs: Path) -> None:
    path = runs / "kuhn" / "frames.bin"
    file = FramesFile(path)
    file.row(3)
    meta, arrays = frames_of(runs / "kuhn")
    arrays["index"] *= 2
    write_container(path, "frames", meta, arrays)
    with pytest.raises(FileReplaced):
        file.row(3)
    with pytest.raises(FileReplaced):
        file.columns(slice(1, 3))


def test_a_long_description_is_told_in_short(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    long = "x" * 100_000
    numbers = {str(number): number for number in range(1_000)}
    edit(runs / "kuhn", title=long, method=long, parameters={"a": long, **numbers})
    client = client_for(runs)
    summary = summary_of(client, "kuhn")
    assert summary["title"] == "x" * 199 + "…"
    assert len(client.raw.get("/api/runs").content) < 20_000


@pytest.mark.parametrize("stack", [10**400, "ten", None])
def test_a_stack_that_is_no_number_is_told(
    runs: Path, client_for: Callable[[Path], Client], stack: object
) -> None:
    edit(runs / "pushfold", parameters={"stack": stack})
    status, line = client_for(runs).refusal("/api/runs/pushfold/pushfold")
    assert status == 409
    assert "stack" in line


def test_damaged_charts_of_a_sweep_are_told(
    tmp_path: Path, client_for: Callable[[Path], Client]
) -> None:
    path = tmp_path / "sweep" / "sweep.bin"
    path.parent.mkdir()
    (path.parent / "run.json").write_text('{"game": "pushfold", "kind": "sweep"}')
    row, hands, folds = np.zeros(2), np.zeros((2, 169)), np.zeros((2, 2))
    stack = np.array([5.0, 6.0])
    sweep = Sweep(0.5, 0.0, 0.0, stack, row, row, hands, hands, hands, hands, folds)
    write_sweep(path, sweep)
    client = client_for(tmp_path)
    assert client.get("/api/runs/sweep")["stacks"] == [5.0, 6.0]
    path.write_bytes(path.read_bytes()[:-1])
    detail = client.get("/api/runs/sweep")
    assert detail["status"] == "damaged"
    assert "sweep.bin" in detail["problem"]
    assert detail["stacks"] == []
    assert client.refusal("/api/runs/sweep/pushfold")[0] == 409


@pytest.mark.parametrize("name", ["game.bin", "frames.bin", "strategy.bin", "result.json"])
def test_a_file_full_of_holes_is_told_and_not_read(
    runs: Path, client_for: Callable[[Path], Client], name: str
) -> None:
    with (runs / "kuhn" / name).open("wb") as file:
        file.truncate(1 << 40)
    client = client_for(runs)
    verify_told(client, "kuhn", runs)
    assert "1,099,511,627,776 bytes" in str(summary_of(client, "kuhn")["problem"])


def test_damage_that_is_told_again_takes_no_more_memory(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{")
    file = WatchedFile(tmp_path / "run.json", read_run)
    lengths = []
    for _ in range(3):
        with pytest.raises(FormatError) as caught:
            file.get()
        lengths.append(len(list(traceback.walk_tb(caught.value.__traceback__))))
    assert len(set(lengths)) == 1


def test_a_file_that_goes_while_it_is_read_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("{}")

    def going(path: Path) -> RunResult | None:
        path.unlink()
        return read_short_result(path)

    file = WatchedFile(path, going)
    assert file.get() is None
    assert file.get() is None


def test_a_game_deeper_than_any_is_refused() -> None:
    def chain(length: int) -> InfosetTable:
        labels = tuple(f"P0:{number}" for number in range(length))
        texts = ("",) * length
        infosets = Infosets(0, labels, (("a", "b"),) * length, texts, texts, texts)
        parents = np.concatenate(([0], 1 + 2 * np.arange(length - 1))).astype(np.uint32)
        nobody = (Infosets(1, (), (), (), (), ()), np.zeros(0, np.uint32))
        return InfosetTable((infosets, nobody[0]), (parents, nobody[1]))

    own_moves = chain(5).own_moves
    assert own_moves is not None
    reach = own_moves[0].own_reach(np.array([1.0] + [0.5] * 10))
    assert reach.tolist() == [1.0, 0.5, 0.25, 0.125, 0.0625]
    with pytest.raises(FormatError, match="10,001 decisions of player 0 in a row"):
        chain(10_001)


def test_both_players_have_lines_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(infoset_table, "MAX_LINES", 6)

    def infosets(player: int) -> Infosets:
        lines = ("", "c", "b", "cb", "cbc/", "cbc/c")
        labels = tuple(f"P{player}:K:{line}" for line in lines)
        return Infosets(player, labels, (("a", "b"),) * 6, ("K",) * 6, ("",) * 6, lines)

    found = InfosetTable((infosets(0), infosets(1))).lines()
    assert [(line["player"], line["line"]) for line in found] == [
        *((0, ""), (0, "c"), (0, "b")),
        *((1, ""), (1, "c"), (1, "b")),
    ]
