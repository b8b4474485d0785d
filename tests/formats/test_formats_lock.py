"""One writer per folder, between processes and within one."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from untilt.errors import RunError, StorageError
from untilt.formats.base import lock
from untilt.formats.base.lock import FolderLock

HOLDER = """
import sys
from pathlib import Path
from untilt.formats.base.lock import FolderLock
with FolderLock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def holder(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock until it reads a line."""
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "locked\n"
            yield process
        finally:
            process.kill()


def test_the_lock_can_be_taken_again_and_again(tmp_path: Path) -> None:
    for _ in range(3):
        with FolderLock(tmp_path):
            assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"
        assert (tmp_path / ".lock").read_text() == ""


def test_a_second_writer_in_the_same_process_is_refused(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    with first:
        for second in (FolderLock(tmp_path), first):
            with pytest.raises(RunError, match=f"written by process {os.getpid()}; wait"), second:
                pass
        with pytest.raises(RunError), FolderLock(tmp_path):
            pass
    with FolderLock(tmp_path):
        pass


def test_another_process_is_named_and_its_orderly_end_releases(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        expected = rf"written by process {process.pid}; wait for it, or choose another output"
        with pytest.raises(RunError, match=expected), FolderLock(tmp_path):
            pass
        process.communicate("\n", timeout=10)
        with FolderLock(tmp_path):
            pass


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_writer_releases_the_lock(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)
        assert (tmp_path / ".lock").read_text() == f"{process.pid}\n"
        with FolderLock(tmp_path):
            assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


def test_an_exception_releases_the_lock(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), FolderLock(tmp_path):
        raise KeyboardInterrupt
    with FolderLock(tmp_path):
        pass


def test_leaving_releases_the_lock_although_a_forked_child_shares_it(tmp_path: Path) -> None:
    with FolderLock(tmp_path) as held:
        assert held._descriptor is not None
        shared = os.dup(held._descriptor)  # what a child gets by fork
    with FolderLock(tmp_path):
        pass
    os.close(shared)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files in /proc")
def test_a_refused_writer_leaves_no_file_open(tmp_path: Path) -> None:
    with FolderLock(tmp_path):
        before = len(list(Path("/proc/self/fd").iterdir()))
        with pytest.raises(RunError), FolderLock(tmp_path):
            pass
        assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("text", [b"", b"\xff\xfe", b"12 34", b"9" * 100, "٣".encode()])
def test_an_unreadable_holder_is_another_process(tmp_path: Path, text: bytes) -> None:
    with FolderLock(tmp_path):
        (tmp_path / ".lock").write_bytes(text)
        with pytest.raises(RunError, match=r"written by (another process|process 9+);") as caught:
            FolderLock(tmp_path).__enter__()
        assert len(str(caught.value)) < len(str(tmp_path)) + 150


def test_a_full_disk_does_not_refuse_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with (
            FolderLock(tmp_path),
            pytest.raises(RunError, match="another process"),
            FolderLock(tmp_path),
        ):
            pass


def test_a_folder_that_is_missing_or_has_no_locks_is_a_storage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StorageError, match="create the folder"), FolderLock(tmp_path / "missing"):
        pass

    def no_locks(_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(lock, "_lock", no_locks)
    with pytest.raises(StorageError, match="No locks available"), FolderLock(tmp_path):
        pass
