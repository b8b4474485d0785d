"""Push/fold charts of many stacks on disk."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from untilt.errors import FormatError
from untilt.formats.kinds.sweep_file import Sweep, read_sweep, write_sweep


def sweep(count: int = 3) -> Sweep:
    rng = np.random.default_rng(1)
    hands = rng.random((4, count, 169))
    hands[2, 0, 5] = np.nan
    return Sweep(
        small_blind=0.5,
        ante=0.0,
        bb_ante=0.125,
        stack=np.arange(count, dtype=np.float64) + 2.5,
        value=rng.normal(size=count),
        exploitability=rng.random(count),
        push=hands[0],
        call=hands[1],
        push_ev=hands[2],
        call_ev=hands[3],
        fold_ev=rng.normal(size=(count, 2)),
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written = sweep()
    write_sweep(tmp_path / "sweep.bin", written)
    found = read_sweep(tmp_path / "sweep.bin")
    for field in fields(Sweep):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(written, field.name))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"stack": np.array([3.0, 2.0, 1.0])}, "ascend"),
        ({"stack": np.array([1.0, np.nan, 3.0])}, "ascend"),
        ({"push": np.full((3, 169), 1.5)}, "frequency is not between 0 and 1"),
        ({"call": np.full((3, 169), np.nan)}, "frequency is not between 0 and 1"),
        ({"push": np.zeros((3, 168))}, "push"),
        ({"value": np.zeros(2)}, "value"),
        ({"ante": 7.0}, "ante"),
    ],
)
def test_charts_that_cannot_be_are_refused(tmp_path: Path, change: dict, what: str) -> None:  # type: ignore[type-arg]
    write_sweep(tmp_path / "sweep.bin", replace(sweep(), **change))
    with pytest.raises(FormatError, match=what):
        read_sweep(tmp_path / "sweep.bin")


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "sweep.bin"
    write_sweep(path, sweep(1))
    data = bytearray(path.read_bytes())
    for position in range(0, len(data), 97):
        damaged = bytearray(data)
        damaged[position] ^= 0x40
        path.write_bytes(damaged)
        with pytest.raises(FormatError):
            read_sweep(path)
