"""Checkpoints that are written while a run goes on."""

import threading
from pathlib import Path

import numpy as np
import pytest

from untilt.formats.run.checkpoint import load_checkpoint, save_checkpoint
from untilt.numeric.arrays import AnyArray
from untilt.runs import background_save
from untilt.runs.background_save import BackgroundSave

META = {"fingerprint": "f"}


def make(folder: Path, arrays: dict[str, AnyArray]) -> BackgroundSave:
    return BackgroundSave(folder, lambda: None, arrays)


def saved(folder: Path) -> dict[str, AnyArray]:
    loaded = load_checkpoint(folder, "f")
    assert loaded is not None
    return dict(loaded.container.arrays)


def test_what_changes_after_the_beginning_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = {"numbers": np.arange(1_000_000, dtype=np.float32), "n": np.array([[1, 2]])}
    expected = {name: array.copy() for name, array in arrays.items()}
    monkeypatch.setattr(background_save, "_LEAST_PIECE_BYTES", 1_000_003)
    may_write = threading.Event()

    def write(*arguments: object) -> None:
        may_write.wait(60.0)
        save_checkpoint(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(background_save, "save_checkpoint", write)
    save = make(tmp_path, arrays)
    assert save.settle() is None
    save.begin(7, META, arrays)
    arrays["numbers"] += 1.0
    arrays["n"][:] = 0
    assert save.is_busy()
    assert not (tmp_path / "checkpoint.bin").exists()
    may_write.set()
    assert save.settle() == 7
    assert not save.is_busy()
    for name, array in saved(tmp_path).items():
        np.testing.assert_array_equal(array, expected[name])
    save.begin(8, META, arrays)
    assert save.settle() == 8
    np.testing.assert_array_equal(saved(tmp_path)["numbers"], arrays["numbers"])


def test_an_error_of_the_thread_is_raised_where_the_run_waits_for_it(tmp_path: Path) -> None:
    arrays = {"numbers": np.zeros(5)}

    def refuse() -> None:
        raise OSError("no room")

    save = BackgroundSave(tmp_path, refuse, arrays)
    save.begin(1, META, arrays)
    with pytest.raises(OSError, match="no room"):
        save.settle()
    assert not (tmp_path / "checkpoint.bin").exists()
    assert save.settle() is None
