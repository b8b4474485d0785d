"""Mutated run folders: one that is damaged never hides the others, never ends the server."""

import json
import logging
import math
import os
import random
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.serving import Client, client_of, raw_get
from tests.dashboard.test_dashboard_server import process_of

from untilt.dashboard.server.events import Broadcaster, Connection, News
from untilt.dashboard.sources.library import Library
from untilt.dashboard.sources.run_folder import ServedRun
from untilt.formats.base.container import read_container, write_container

ENDPOINTS = ("", "/progress", "/strategy", "/infoset?label=P0:J:", "/pushfold", "/play?seat=0")
NASTY = (
    *("1e999", "-1e999", "NaN", "Infinity", "-Infinity", "1e308", "-0.0", "1e-999"),
    *("null", "true", "[]", "{}", '""', '"text"', '"\\u001b]0;x\\u0007"', '"\\ud800"', "-1"),
    *("9" * 30, "9" * 400, "9" * 5000, "18446744073709551615", "9223372036854775808"),
    *("[" * 500 + "]" * 500, "[" * 50_000, '{"a":' * 500 + "1" + "}" * 500, "0.5", '"1"'),
)
KINDS = {"game.bin": "game", "frames.bin": "frames", "strategy.bin": "strategy"}


def mutated_json(rng: random.Random, text: str) -> str:
    """Return the text with a value anywhere in it replaced by a nasty one."""
    document = json.loads(text)
    places: list[tuple[Any, Any]] = []

    def visit(node: Any) -> None:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            places.append((node, key))
            if isinstance(node[key], dict | list):
                visit(node[key])

    visit(document)
    node, key = rng.choice(places)
    node[key] = "@@@"
    return json.dumps(document).replace('"@@@"', rng.choice(NASTY))


def mutate(rng: random.Random, folder: Path) -> str:
    """Damage one file of the folder; return what was done."""
    name = rng.choice(["run.json", "result.json", *["progress.jsonl"] * 3, *KINDS])
    path = folder / name
    if not path.exists():
        return "nothing"
    if rng.random() < 0.25 or name == "game.bin":
        data = bytearray(path.read_bytes())
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(1, len(data) + 1)] if rng.random() < 0.3 else data)
        return f"bytes of {name}"
    if name == "progress.jsonl":
        lines = path.read_text("utf-8").splitlines()
        for _ in range(rng.randrange(1, 3)):
            place = rng.randrange(len(lines))
            try:
                lines[place] = mutated_json(rng, lines[place])
            except ValueError:  # mutated twice
                lines[place] = rng.choice(NASTY)
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return "a row"
    if name in KINDS:
        container = read_container(path, KINDS[name], in_memory=True)
        array = rng.choice([each for each in container.arrays.values() if each.size])
        values = [0, 1, 2, 100] + [-1.0, math.nan, math.inf] * (array.dtype.kind == "f")
        array.reshape(-1)[rng.randrange(array.size)] = rng.choice(values)
        write_container(path, KINDS[name], container.meta, container.arrays)
        return f"an array of {name}"
    path.write_text(mutated_json(rng, path.read_text("utf-8")), "utf-8")
    return f"an entry of {name}"


def verify_shown(library: Library, client: Client, what: str) -> None:
    answer = client.raw.get("/api/runs")
    assert answer.status_code == 200, what
    statuses = {run["id"]: run["status"] for run in answer.json()["runs"]}
    assert statuses.pop("spoiled") in {"finished", "interrupted", "damaged"}, what
    assert set(statuses.values()) == {"finished"}, what
    for endpoint in ENDPOINTS:
        status = client.raw.get(f"/api/runs/spoiled{endpoint}").status_code
        assert status in (200, 400, 404, 409), f"{what}: {endpoint}"
    broadcaster = Broadcaster(library)
    offsets = {run.id: {0} for run in library.runs()}
    found = broadcaster._look(offsets, set(offsets))
    connection = Connection(dict.fromkeys(offsets, 0))
    sent = [
        *found.common,
        *(n for m in (found.rows, found.states) for news in m.values() for n in news),
    ]
    connection.send_all(sent)
    assert {run for run, _ in found.rows} >= statuses.keys(), what


def fuzz(solved_runs: Path, tmp_path: Path, seed: int, count: int) -> None:
    rng = random.Random(seed)
    root = tmp_path / "runs"
    shutil.copytree(solved_runs / "exact", root / "exact")
    shutil.copytree(solved_runs / "kuhn", root / "kuhn")
    sources = [solved_runs / name for name in ("kuhn", "path", "pushfold", "deeper/leduc")]
    done: dict[str, int] = {}
    for number in range(count):
        shutil.rmtree(root / "spoiled", ignore_errors=True)
        shutil.copytree(rng.choice(sources), root / "spoiled")
        what = mutate(rng, root / "spoiled")
        done[what] = done.get(what, 0) + 1
        library = Library.of(root)
        verify_shown(library, client_of(library), f"seed {seed}, number {number}: {what}")
    print(f"{count} mutated folders: {done}")


def test_a_mutated_run_never_hides_the_others(
    solved_runs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fuzz(solved_runs, tmp_path, seed=1, count=25)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.long
def test_hundreds_of_mutated_runs_never_hide_the_others(
    solved_runs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fuzz(solved_runs, tmp_path, seed=2, count=200)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "9" * 400])
@pytest.mark.parametrize("column", ["exploitability", "seconds", "beta", "value"])
def test_a_row_with_a_number_that_is_not_finite_is_left_out(
    runs: Path, client_for: Callable[[Path], Client], column: str, number: str
) -> None:
    path = runs / "kuhn" / "progress.jsonl"
    row = json.loads(path.read_text().splitlines()[-1]) | {"iteration": 501, column: "@"}
    with path.open("a") as file:
        file.write(json.dumps(row).replace('"@"', number) + "\n")
    client = client_for(runs)
    listed = {run["id"]: run for run in client.get("/api/runs")["runs"]}
    assert {run["status"] for run in listed.values()} == {"finished"}
    # A number that is only too long for a float is left out alone.
    kept = number.isdigit()
    assert listed["kuhn"]["last"]["iteration"] == (501 if kept else 500)
    assert listed["kuhn"]["last"][column] is None or not kept or column == "seconds"
    library = Library.of(runs)
    found = Broadcaster(library)._look({"kuhn": {0}}, {"kuhn"})
    connection = Connection({"kuhn": 0})
    connection.send_all([*found.states["kuhn"], *found.rows["kuhn", 0]])
    assert len(connection._queue) == len(found.states["kuhn"]) + len(found.rows["kuhn", 0])


def test_what_nobody_thought_of_hides_one_run_and_none_of_its_neighbours(
    runs: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    honest = ServedRun.status

    def broken(self: ServedRun) -> str:
        if self.id == "kuhn":
            raise ZeroDivisionError
        return honest(self)

    monkeypatch.setattr(ServedRun, "status", broken)
    library = Library.of(runs)
    listed = {run["id"]: run for run in client_of(library).get("/api/runs")["runs"]}
    assert listed["kuhn"]["status"] == "damaged"
    assert "ZeroDivisionError" in listed["kuhn"]["problem"]
    assert {run["status"] for name, run in listed.items() if name != "kuhn"} == {"finished"}
    found = Broadcaster(library)._look({name: {0} for name in listed}, set(listed))
    assert {run for run, _ in found.rows} == listed.keys()
    assert "kuhn" in caplog.text


def test_an_event_that_cannot_be_sent_leaves_the_next_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    connection = Connection({"a": 0})
    connection.send(News("rows", {"value": float("inf")}, "a", 5))
    connection.send(News("rows", {"value": 1.0}, "a", 6))
    assert [b'"value":1.0' in text for text in connection._queue] == [True]
    assert "cannot be sent" in caplog.text


def test_a_run_of_the_far_future_hides_none(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    path = runs / "kuhn" / "run.json"
    description = json.loads(path.read_text())
    del description["created"]
    path.write_text(json.dumps(description))
    os.utime(path, (1e12, 1e12))
    assert len(client_for(runs).get("/api/runs")["runs"]) == 5


def serve_while_truncating(runs: Path, seconds: float, names: list[str]) -> None:
    """Ask a real server for everything while files of a run are cut off and written again."""
    folder = runs / "deeper" / "leduc"
    contents = {name: (folder / name).read_bytes() for name in names}
    with process_of(runs) as (process, port):
        is_over = threading.Event()
        answers: dict[int, int] = {}

        def ask() -> None:
            while not is_over.is_set():
                for endpoint in ("/strategy", "/infoset?label=P0:J::", "", "/play?seat=0"):
                    status, _ = raw_get(port, f"/api/runs/deeper~leduc{endpoint}")
                    answers[status] = answers.get(status, 0) + 1
                status, _ = raw_get(port, "/api/runs")
                assert status == 200

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        count = 0
        rng = random.Random(1)
        while time.monotonic() < end and process.poll() is None:
            name = rng.choice(names)
            os.truncate(folder / name, rng.choice([0, 50, 5_000, len(contents[name]) // 2]))
            time.sleep(rng.choice([0.0, 0.001, 0.01]))
            with (folder / name).open("r+b") as file:  # in place, the same inode
                file.write(contents[name])
            count += 1
        is_over.set()
        for thread in threads:
            thread.join()
        assert process.poll() is None, "the server was killed"
        assert raw_get(port, "/api/runs")[0] == 200
    assert set(answers) <= {200, 400, 404, 409}, answers
    assert answers.get(200)
    print(f"{count} truncations, answers by status: {answers}")


FILES = ["game.bin", "frames.bin", "strategy.bin", "progress.jsonl", "result.json", "run.json"]


@pytest.mark.long
def test_files_that_are_cut_off_in_place_do_not_kill_the_server(runs: Path) -> None:
    serve_while_truncating(runs, 3.0, FILES)


@pytest.mark.long
def test_files_that_are_cut_off_in_place_for_long_do_not_kill_the_server(runs: Path) -> None:
    serve_while_truncating(runs, 15.0, FILES[:3])
