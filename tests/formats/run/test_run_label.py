"""What a user calls a run: kept in its folder, checked when it is read."""

import json
from pathlib import Path
from typing import Any

import pytest

from untilt.errors import FormatError, InvalidOption
from untilt.formats.run.run_label import MAX_NAME, MAX_NOTE, RunLabel, read_label, write_label


def test_a_label_is_kept_until_it_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "label.json"
    label = RunLabel("BTN v BB", "after the lock\nsecond line", is_starred=True)
    write_label(path, label)
    assert read_label(path) == label
    write_label(path, RunLabel())
    assert not path.exists()
    assert read_label(path) is None
    write_label(path, RunLabel())


@pytest.mark.parametrize(
    "given",
    [
        [],
        {"title": "x"},
        {"name": 3},
        {"name": "two\nlines"},
        {"name": "x" * (MAX_NAME + 1)},
        {"note": "x" * (MAX_NOTE + 1)},
        {"note": "bell\x07"},
        {"is_starred": 1},
    ],
)
def test_other_labels_are_refused_in_one_line(given: Any) -> None:
    with pytest.raises(InvalidOption) as refusal:
        RunLabel.of(given)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("change", [{"name": "other"}, {"kind": "x"}, {"version": 2}, {"note": 1}])
def test_a_label_that_was_changed_by_hand_is_damaged(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "label.json"
    write_label(path, RunLabel("name", "note"))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FormatError):
        read_label(path)
