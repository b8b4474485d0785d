"""Every kind of file may be forged with valid checksums: it is refused in one line, or harmless."""

import random
from pathlib import Path

import pytest
from tests.runs.folders import can_fork
from tests.runs.forged_kinds import KINDS, forger_of
from tests.runs.forging import assert_harmless, try_forgeries

_QUICK = 25


def try_kind(name: str, folder: Path, count: int) -> None:
    """Forge a file of a kind so many times, and read each forgery."""
    kind = KINDS[name]
    path = kind.make(folder)
    forger = forger_of(path)

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


def test_the_long_test_tries_a_hundred_thousand_forgeries() -> None:
    assert sum(kind.num_forgeries for kind in KINDS.values()) >= 100_000
