"""Checkpoints: a run killed or damaged at any point finds a whole one."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.errors import FormatError, StorageError
from untilt.formats.base.container import Container, container_chunks, write_container
from untilt.formats.run.checkpoint import load_checkpoint, save_checkpoint

NEWEST, PREVIOUS = "checkpoint.bin", "checkpoint.previous.bin"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


def content(iteration: int) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    meta = {"fingerprint": "kuhn", "iteration": iteration}
    return meta, {"regret_sum": np.full(9, iteration, np.float64)}


def save(folder: Path, iteration: int) -> None:
    save_checkpoint(folder, *content(iteration))


def loaded(folder: Path) -> int:
    """Return the iteration of what is loaded, after checking that its arrays belong to it."""
    found = load_checkpoint(folder, "kuhn")
    assert found is not None
    iteration = found.container.meta["iteration"]
    np.testing.assert_array_equal(found.container.arrays["regret_sum"], np.full(9, iteration))
    assert isinstance(iteration, int)
    return iteration


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_the_newest_is_loaded_and_one_before_it_kept(tmp_path: Path) -> None:
    assert load_checkpoint(tmp_path, "kuhn") is None
    assert load_checkpoint(tmp_path / "missing", "kuhn") is None
    for iteration in (1, 2, 3):
        save(tmp_path, iteration)
        assert loaded(tmp_path) == iteration
    assert names(tmp_path) == [NEWEST, PREVIOUS]
    (tmp_path / NEWEST).unlink()
    assert loaded(tmp_path) == 2


def test_arrays_are_writable_and_private(tmp_path: Path) -> None:
    save(tmp_path, 1)
    found = load_checkpoint(tmp_path, "kuhn")
    assert found is not None
    assert found.damage is None
    found.container.arrays["regret_sum"] += 1
    assert loaded(tmp_path) == 1


@pytest.mark.parametrize("killed_at", [1, 2])
def test_a_kill_at_either_rename_leaves_a_whole_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_at: int
) -> None:
    save(tmp_path, 1)
    save(tmp_path, 2)
    real_replace = os.replace
    calls: list[object] = []

    def replace(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == killed_at:
            raise KeyboardInterrupt
        real_replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            save(tmp_path, 3)
    assert loaded(tmp_path) == 2
    assert all(not name.endswith(".tmp") for name in names(tmp_path))
    found = load_checkpoint(tmp_path, "kuhn")
    assert found is not None
    assert found.damage is None  # a kill is not damage
    save(tmp_path, 4)
    assert loaded(tmp_path) == 4


def test_a_full_disk_leaves_both_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, 1)
    save(tmp_path, 2)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match=r"checkpoint\.bin: the disk is full"):
            save(tmp_path, 3)
    assert names(tmp_path) == [NEWEST, PREVIOUS]
    assert loaded(tmp_path) == 2


def test_a_damaged_checkpoint_falls_back_to_the_previous_and_says_so(tmp_path: Path) -> None:
    save(tmp_path, 1)
    save(tmp_path, 2)
    damage(tmp_path / NEWEST)
    found = load_checkpoint(tmp_path, "kuhn")
    assert found is not None
    assert found.container.meta["iteration"] == 1
    assert found.damage is not None
    assert "checkpoint.bin is damaged" in found.damage
    assert "\n" not in found.damage
    damage(tmp_path / PREVIOUS)
    with pytest.raises(FormatError, match=r"no usable checkpoint: .*checkpoint\.previous\.bin"):
        load_checkpoint(tmp_path, "kuhn")
    (tmp_path / PREVIOUS).unlink()
    with pytest.raises(FormatError, match="no usable checkpoint"):
        load_checkpoint(tmp_path, "kuhn")


def test_a_truncated_checkpoint_does_not_push_out_the_previous(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, 1)
    save(tmp_path, 2)
    (tmp_path / NEWEST).write_bytes((tmp_path / NEWEST).read_bytes()[:-1])

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            save(tmp_path, 3)
    assert loaded(tmp_path) == 1
    save(tmp_path, 3)
    assert loaded(tmp_path) == 3
    damage(tmp_path / NEWEST)
    assert loaded(tmp_path) == 1


def test_a_checkpoint_of_another_game_is_refused(tmp_path: Path) -> None:
    save(tmp_path, 1)
    with pytest.raises(FormatError, match="belongs to another game"):
        load_checkpoint(tmp_path, "leduc")
    save(tmp_path, 2)
    damage(tmp_path / NEWEST)
    with pytest.raises(FormatError, match="belongs to another game"):
        load_checkpoint(tmp_path, "leduc")


@pytest.mark.parametrize("meta", [{}, {"fingerprint": 3}])
def test_a_checkpoint_needs_a_fingerprint(tmp_path: Path, meta: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="fingerprint"):
        save_checkpoint(tmp_path, meta, {})
    save(tmp_path, 1)
    save(tmp_path, 2)
    write_container(tmp_path / NEWEST, "checkpoint", meta, {})
    assert loaded(tmp_path) == 1


def test_a_checkpoint_that_the_caller_rejects_counts_as_damaged(tmp_path: Path) -> None:
    save(tmp_path, 1)
    save(tmp_path, 2)
    seen: list[int] = []

    def reject(container: Container) -> None:
        seen.append(container.meta["iteration"])
        if container.meta["iteration"] in rejected:
            raise container.error("regret_sum does not fit the game")

    rejected = {2}
    found = load_checkpoint(tmp_path, "kuhn", check=reject)
    assert found is not None
    assert found.container.meta["iteration"] == 1
    assert "regret_sum does not fit the game" in (found.damage or "")
    assert seen == [2, 1]
    rejected = {1, 2}
    with pytest.raises(FormatError, match="no usable checkpoint"):
        load_checkpoint(tmp_path, "kuhn", check=reject)
    rejected = set()
    found = load_checkpoint(tmp_path, "kuhn", check=reject)
    assert found is not None
    assert found.damage is None


MANGLES = st.none() | st.tuples(
    st.integers(0, 700), st.binary(max_size=9), st.sampled_from(["cut", "insert", "overwrite"])
)


@settings(deadline=None, max_examples=200)
@given(MANGLES, MANGLES)
def test_any_damage_gives_a_saved_checkpoint_or_a_format_error(
    folder: Path,
    newest: tuple[int, bytes, str] | None,
    previous: tuple[int, bytes, str] | None,
) -> None:
    intact: list[bool] = []
    for name, mangle, iteration in ((NEWEST, newest, 2), (PREVIOUS, previous, 1)):
        original = b"".join(container_chunks("checkpoint", *content(iteration)))
        data = original
        if mangle is not None:
            at, new, how = mangle
            rest = {"cut": b"", "insert": data[at:], "overwrite": data[at + len(new) :]}[how]
            data = data[:at] + new + rest
        (folder / name).write_bytes(data)
        intact.append(data == original)
    if any(intact):
        assert loaded(folder) == (2 if intact[0] else 1)
    else:
        with pytest.raises(FormatError, match="no usable checkpoint"):
            load_checkpoint(folder, "kuhn")
