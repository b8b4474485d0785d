"""Every kind of file may be forged with valid checksums: it is refused in one line, or harmless."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runs.folders import can_fork
from tests.runs.forged_kinds import KINDS, forger_of
from tests.runs.forging import assert_harmless, try_forgeries

import untilt
from untilt.errors import FormatError
from untilt.formats.base.container import container_chunks, read_container
from untilt.game.terms import Terms

_QUICK = 25


def try_kind(name: str, folder: Path, count: int) -> None:
    """Forge a file of a kind so many times, and read each forgery."""
    kind = KINDS[name]
    path = kind.make(folder)
    forger = (kind.forger or forger_of)(path)

    def attempt(rng: random.Random) -> None:
        path.write_bytes(forger(rng))
        kind.read(path)

    kind.read(path)  # what was not forged is read
    counts = try_forgeries(count, attempt)
    assert_harmless(name, counts)
    assert kind.is_rebuilt or counts["refused"] > 0


@can_fork
@pytest.mark.parametrize("name", KINDS)
def test_forgeries_of_every_kind_are_refused_in_one_line_or_harmless(
    tmp_path: Path, name: str
) -> None:
    try_kind(name, tmp_path, _QUICK)


@can_fork
@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_a_hundred_thousand_forgeries_are_refused_in_one_line_or_harmless(
    tmp_path: Path, name: str
) -> None:
    try_kind(name, tmp_path, KINDS[name].num_forgeries)


@pytest.mark.parametrize(
    ("name", "array", "value"),
    [
        ("hands", "gains", np.inf),
        ("hands", "pots", np.nan),
        ("hands", "times", 2**62),
        ("decisions of a review", "error", np.nan),
        ("decisions of a review", "frequency", np.inf),
        ("decisions of a review", "gain", -np.inf),
        ("decisions of a review", "pot", np.nan),
        ("decisions of a review", "time", -(2**62)),
        ("decisions of a review", "weight", 7.0),
        ("charts of a table", "ev", np.inf),
        ("charts of a table", "gains", 1e300),
        ("charts of a table", "other_nash_conv", -1e308),
        ("charts of a table", "values_bb", 22.0),
    ],
)
def test_an_impossible_number_is_refused(
    tmp_path: Path, name: str, array: str, value: float
) -> None:
    path = KINDS[name].make(tmp_path)
    found = read_container(path, path.read_bytes()[24:40].rstrip(b"\0").decode(), in_memory=True)
    arrays = {**found.arrays, array: np.full_like(found.arrays[array], value)}
    path.write_bytes(b"".join(container_chunks(found.kind, found.meta, arrays)))
    with pytest.raises(FormatError, match=re.escape(path.name)):
        KINDS[name].read(path)


@pytest.mark.parametrize("change", [{"values_0": np.inf}, {"boards": None}, {"boards": "inf"}])
def test_impossible_values_of_a_review_are_computed_again(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    kind = KINDS["values of a review"]
    path = kind.make(tmp_path)
    sound = path.read_bytes()
    found = read_container(path, "values", in_memory=True)
    arrays = {
        name: np.full_like(array, change.get(name)) if name in change else array
        for name, array in found.arrays.items()
    }
    meta = {name: change.get(name, value) for name, value in found.meta.items()}
    path.write_bytes(b"".join(container_chunks("values", meta, arrays)))
    kind.read(path)
    assert path.read_bytes() == sound


def test_seats_of_another_number_of_players_are_refused(tmp_path: Path) -> None:
    path = KINDS["run.json of three players"].make(tmp_path)
    document = json.loads(path.read_text())
    assert len(document["terms"]["seats"]) == 3
    without = {name: value for name, value in document.items() if name != "terms"}
    for changed in (without, {**document, "terms": Terms().to_json()}):
        path.write_text(json.dumps(changed))
        with pytest.raises(FormatError, match="names 2 seats, and the game has 3 players"):
            untilt.load(path.parent)


def test_the_long_test_tries_a_hundred_thousand_forgeries() -> None:
    assert sum(kind.num_forgeries for kind in KINDS.values()) >= 100_000
