"""Which runs are found, by which ids, and what state they are in."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.dashboard.serving import Client, client_of

from untilt.dashboard.sources import library as library_module
from untilt.dashboard.sources.bounded_cache import BoundedCache
from untilt.dashboard.sources.library import Library
from untilt.errors import RunError, UntiltError
from untilt.formats.base.lock import LOCK_NAME, FolderLock, writer_of


def ids(library: Library) -> set[str]:
    return {source.id for source in library.sources()}


def make_run(folder: Path, name: str = "kuhn") -> Path:
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(f'{{"game": "{name}"}}')
    return folder


def test_runs_are_found_four_folders_deep(tmp_path: Path) -> None:
    make_run(tmp_path / "a")
    make_run(tmp_path / "b" / "c" / "d" / "e")
    make_run(tmp_path / "b" / "c" / "d" / "f" / "too-deep")
    make_run(tmp_path / ".hidden")
    make_run(tmp_path / "node_modules" / "x")
    make_run(tmp_path / "a" / "inside-a-run")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("no folder")
    assert ids(Library.of(tmp_path)) == {"a", "b~c~d~e"}


def test_a_run_that_is_served_itself_has_its_own_name(
    solved_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library.of(solved_runs / "kuhn")
    assert ids(library) == {"kuhn"}
    assert library.start == "kuhn"
    monkeypatch.chdir(solved_runs / "kuhn")
    assert ids(Library.of(Path())) == {"kuhn"}


def test_ids_are_never_shared(tmp_path: Path) -> None:
    make_run(tmp_path / "a~b", "first")
    make_run(tmp_path / "a" / "b", "second")
    found = {source.id: source.summary()["game"] for source in Library.of(tmp_path).sources()}
    assert sorted(found.values()) == ["first", "second"]
    assert len(found) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="only here names may be any bytes")
def test_a_run_that_comes_later_gets_an_id_of_its_own(tmp_path: Path) -> None:
    make_run(tmp_path / "a" / "b", "first")
    library = Library.of(tmp_path)
    before = library.source("a~b")
    make_run(tmp_path / "a~b", "second")
    assert len(ids(library)) == 2
    assert library.source("a~b") is before


def test_only_so_many_folders_are_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "MAX_FOLDERS", 50)
    for number in range(80):
        make_run(tmp_path / f"{number:02}")
    # The served folder itself is the first of them.
    assert len(ids(Library.of(tmp_path))) == 49


def test_documents_can_come_while_they_are_listed(tmp_path: Path) -> None:
    point = {"iteration": 0, "beta": 0, "strategy": {"P0:J:": {"a": 1}}, "action_evs": {}}
    document = json.dumps({"game": "K", "game_id": "k", "iterations": [point]}).encode()
    library = Library(None, "nothing")
    with ThreadPoolExecutor(1) as pool:
        adding = pool.submit(lambda: [library.add_document(document) for _ in range(100)])
        while not adding.done():
            for source in library.sources():  # the oldest are removed meanwhile
                assert source.summary()["id"] == source.id
        assert len(set(adding.result())) == 100


def test_names_that_are_no_text_can_be_asked_for(tmp_path: Path) -> None:
    make_run(tmp_path / os.fsdecode(b"run-\xff"))
    make_run(tmp_path / "Übung 1 & 2 #")
    client = client_of(Library.of(tmp_path))
    for run in client.get("/api/runs")["runs"]:
        assert client.get(f"/api/runs/{quote(run['id'])}")["id"] == run["id"]


def test_runs_that_come_and_go_are_noticed(tmp_path: Path) -> None:
    library = Library.of(tmp_path)
    assert ids(library) == set()
    run = make_run(tmp_path / "one")
    assert library.scan()
    assert not library.scan()
    assert ids(library) == {"one"}
    (run / "run.json").unlink()
    assert library.scan()
    assert ids(library) == set()


def test_changes_are_noticed_in_folders_that_are_old(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    make_run(deep / "one")
    for folder in (tmp_path, tmp_path / "a", deep, deep / "one"):
        os.utime(folder, (1e9, 1e9))
    library = Library.of(tmp_path)
    assert ids(library) == {"a~b~one"}
    make_run(deep / "two")
    assert ids(library) == {"a~b~one", "a~b~two"}
    shutil.rmtree(deep / "one")
    assert ids(library) == {"a~b~two"}


def test_unchanged_folders_are_not_listed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(tmp_path / "a" / "one")
    for folder in (tmp_path, tmp_path / "a", tmp_path / "a" / "one"):
        os.utime(folder, (1e9, 1e9))
    library = Library.of(tmp_path)
    monkeypatch.setattr(os, "scandir", lambda path: pytest.fail("listed again"))
    assert ids(library) == {"a~one"}


def test_a_folder_that_does_not_exist_yet_can_be_served(tmp_path: Path) -> None:
    library = Library(tmp_path / "later", "later")
    assert ids(library) == set()
    make_run(tmp_path / "later")
    assert library.source("later").id == "later"


def test_the_number_of_runs_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "MAX_RUNS", 5)
    for number in range(9):
        make_run(tmp_path / f"run-{number}")
    assert len(ids(Library.of(tmp_path))) == 5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
def test_what_is_there_but_no_run_is_not_said_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    os.mkfifo(tmp_path / "pipe.json")  # reading it would wait for its other end
    for name in ("notes.txt", "pipe.json"):
        with pytest.raises(RunError, match="neither a folder nor"):
            Library.of(tmp_path / name)


@pytest.mark.parametrize("target", ["missing", "missing.json", "notes.txt"])
def test_what_cannot_be_served_is_refused_in_one_line(tmp_path: Path, target: str) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(UntiltError) as caught:
        Library.of(tmp_path / target)
    assert "\n" not in str(caught.value)


def test_a_run_is_running_while_its_lock_is_held(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    (runs / "kuhn" / "result.json").unlink()
    client = client_for(runs / "kuhn")
    assert client.get("/api/runs/kuhn")["status"] == "interrupted"
    with FolderLock(runs / "kuhn"):
        detail = client.get("/api/runs/kuhn")
        assert detail["status"] == "running"
        # It has come to its last iteration.
        assert detail["last"]["seconds_left"] == 0.0
        with pytest.raises(RunError), FolderLock(runs / "kuhn"):
            pass
    assert client.get("/api/runs/kuhn")["status"] == "interrupted"


def test_the_writer_of_a_folder_is_the_process_in_its_lock(tmp_path: Path) -> None:
    assert writer_of(tmp_path) is None
    with FolderLock(tmp_path):
        assert writer_of(tmp_path) == os.getpid()
    assert writer_of(tmp_path) is None


def test_a_dead_process_writes_nothing(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    (tmp_path / LOCK_NAME).write_text(f"{process.pid}\n")
    assert writer_of(tmp_path) is None


def test_a_number_that_another_process_has_by_now_names_nobody(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_text(f"{os.getpid()}\n")
    assert writer_of(tmp_path) is None
    with FolderLock(tmp_path):  # which asking has left free
        assert writer_of(tmp_path) == os.getpid()


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "9" * 30, "99999999999", "1 2"])
def test_a_lock_with_another_text_names_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / LOCK_NAME).write_text(text)
    assert writer_of(tmp_path) is None


def test_asking_for_the_writer_turns_no_writer_away(tmp_path: Path) -> None:
    for _ in range(50):
        with FolderLock(tmp_path):
            assert writer_of(tmp_path) == os.getpid()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
def test_a_lock_that_is_a_pipe_names_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOCK_NAME)
    assert writer_of(tmp_path) is None


def test_the_cache_keeps_what_was_used_last() -> None:
    cache = BoundedCache(100)
    made: list[str] = []

    def get(key: str, stamp: int = 0, size: int = 40) -> str:
        def make() -> str:
            made.append(key)
            return key

        return cache.get(key, stamp, make, lambda _: size)

    get("a")
    get("b")
    get("a")
    get("c")  # b goes
    assert made == ["a", "b", "c"]
    get("a")
    assert made == ["a", "b", "c"]
    get("b")
    assert made == ["a", "b", "c", "b"]
    get("b", stamp=1)
    assert made == ["a", "b", "c", "b", "b"]
    assert cache.num_bytes <= 100
    before = cache.num_bytes
    get("large", size=1_000)
    assert cache.num_bytes == before
    cache.forget(lambda key: key == "b")
    assert cache.num_bytes == before - 40
