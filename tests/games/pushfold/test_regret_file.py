"""`regret.dat` and its sidecar: the layout, and files that are not what they seem."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from untilt.errors import FormatError
from untilt.formats.kinds.regret_file import (
    Codes,
    Origin,
    RegretFile,
    checksum_of,
    read_regrets,
    sidecar_of,
    write_regrets,
)
from untilt.games.pushfold.learner import Settings
from untilt.runs.pushfold.training_start import learned_strategy, prepare

ORIGIN = Origin(
    stack_bb=10.0,
    hands=1_000,
    seed=7,
    batch=100,
    choice="sign",
    boards="random",
    bytes=4,
    growth="linear",
    untilt="0.1.0",
)
CODES: Codes = np.arange(338, dtype=np.int32) * -1_000_003


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "regret.dat"


def test_a_file_is_338_little_endian_integers_of_four_bytes(path: Path) -> None:
    write_regrets(path, CODES, ORIGIN, None)
    data = path.read_bytes()
    assert len(data) == 1_352
    # T5s of the big blind is 169 + 91 + 3 · (25 − 3) / 2 + (8 − 3 − 1) = 297.
    assert int.from_bytes(data[4 * 297 : 4 * 298], "little", signed=True) == -1_000_003 * 297
    found = read_regrets(path)
    assert found.codes.tolist() == CODES.tolist()
    assert found.origin == ORIGIN


@pytest.mark.parametrize("num_bytes", [1, 2])
@pytest.mark.parametrize(("choice", "count"), [("sign", 338), ("matching", 676)])
def test_smaller_integers_and_regrets_of_folding_come_back(
    path: Path, num_bytes: int, choice: str, count: int
) -> None:
    codes: Codes = (np.arange(count) % 255 - 127).astype(np.int8)
    origin = replace(ORIGIN, bytes=num_bytes, choice=choice, growth="log")
    write_regrets(path, codes, origin, None)
    assert path.stat().st_size == count * num_bytes
    found = read_regrets(path)
    assert found.codes.tolist() == codes.tolist()
    assert found.origin == origin


def test_a_crash_between_sidecar_and_data_leaves_a_pair_that_belongs_together(path: Path) -> None:
    checksum = write_regrets(path, CODES, ORIGIN, None)
    old = path.read_bytes()
    before = RegretFile(CODES, ORIGIN, checksum)
    write_regrets(path, CODES + 1, replace(ORIGIN, hands=2_000), before)
    path.write_bytes(old)  # as if the data had never been renamed
    found = read_regrets(path)
    assert found.codes.tolist() == CODES.tolist()
    assert found.origin == ORIGIN


def test_a_bare_file_is_read_and_known_to_be_one(path: Path) -> None:
    path.write_bytes(CODES.astype("<i4").tobytes())
    found = read_regrets(path)
    assert found.codes.tolist() == CODES.tolist()
    assert found.origin is None
    assert found.checksum == checksum_of(path)
    start = prepare(path, {"stack": 12.5})
    assert (start.settings, start.hands) == (Settings(stack=12.5), 0)
    assert "has no sidecar: its stack, hands played and seed are unknown" in start.notes[0]


def test_a_bare_file_of_two_bytes_is_read_if_that_is_said(path: Path) -> None:
    path.write_bytes(bytes(676))
    assert len(read_regrets(path, num_bytes=2).codes) == 338
    with pytest.raises(FormatError, match="676 bytes; 338 regrets of 4 bytes each need 1,352"):
        read_regrets(path)


@pytest.mark.parametrize("size", [0, 1_351, 1_353, 10_000])
@pytest.mark.parametrize("is_bare", [False, True])
def test_a_file_of_another_size_is_refused(path: Path, size: int, is_bare: bool) -> None:
    if not is_bare:
        write_regrets(path, CODES, ORIGIN, None)
    path.write_bytes(bytes(size))
    with pytest.raises(FormatError, match="bytes; 338 regrets" if is_bare else "checksum differs"):
        read_regrets(path)


def test_data_that_were_changed_are_refused(path: Path) -> None:
    write_regrets(path, CODES, ORIGIN, None)
    data = bytearray(path.read_bytes())
    data[700] ^= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="checksum differs"):
        read_regrets(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 2}, "has version 2, but this program reads version 1"),
        ({"kind": "something"}, "is not the sidecar of a regret file"),
        ({"hands": -1}, "hands is -1"),
        ({"hands": "many"}, "hands is 'many'"),
        ({"hands": True}, "hands is True"),
        ({"bytes": 3}, "bytes is 3"),
        ({"seed": None}, "seed is None"),
        ({"checksum": "0"}, "checksum differs"),
    ],
)
def test_a_sidecar_that_says_nonsense_is_refused(
    path: Path, change: dict[str, Any], words: str
) -> None:
    write_regrets(path, CODES, ORIGIN, None)
    sidecar = sidecar_of(path)
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | change), encoding="utf-8")
    with pytest.raises(FormatError, match=words):
        read_regrets(path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"kind": "untilt regret file"}'])
def test_a_sidecar_that_is_none_is_refused(path: Path, text: str) -> None:
    write_regrets(path, CODES, ORIGIN, None)
    sidecar_of(path).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"regret\.dat\.json"):
        read_regrets(path)


def test_settings_in_a_sidecar_are_checked_too(path: Path) -> None:
    write_regrets(path, CODES, replace(ORIGIN, stack_bb=10.3), None)
    with pytest.raises(FormatError, match=r"regret\.dat\.json: stack is 10.3 bb"):
        prepare(path, {})


def test_a_sidecar_without_its_data_is_no_beginning(path: Path) -> None:
    write_regrets(path, CODES, ORIGIN, None)
    path.unlink()
    with pytest.raises(FormatError, match="restore the data, or remove the sidecar"):
        prepare(path, {})


def test_the_strategy_of_a_file_follows_its_own_sidecar(path: Path) -> None:
    codes: Codes = np.zeros(676, dtype=np.int8)
    codes[12], codes[350] = 2, 1  # AA of the small blind: acting and folding
    write_regrets(path, codes, replace(ORIGIN, bytes=1, growth="log", choice="matching"), None)
    (push, _), settings = learned_strategy(path)
    assert settings is not None
    assert (settings.choice, settings.code.num_bytes) == ("matching", 1)
    acting = float(settings.code.decoded(np.array([2]))[0])
    assert push[0] == pytest.approx(acting / (acting + 1.0))
    assert acting > 2.0
