"""Spans of time are written for people, by one function."""

import re
from pathlib import Path

import pytest

import untilt
from untilt.durations import shown_duration, shown_range

SOURCE = Path(untilt.__file__).parent


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0 s"),
        (0.000321, "0.00032 s"),
        (0.0996, "0.1 s"),
        (0.416, "0.42 s"),
        (4.24, "4.2 s"),
        (5, "5 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.7, "1 min"),
        (125, "2 min 5 s"),
        (599.6, "10 min"),
        (1_600, "27 min"),
        (3_590, "1 h"),
        (4_800, "1 h 20 min"),
        (36 * 3_600, "36 h"),
        (1e7, "2,778 h"),
        (float("inf"), "unknown"),
    ],
)
def test_a_duration_has_the_units_that_fit(seconds: float, shown: str) -> None:
    assert shown_duration(seconds) == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (20.3, 45.1, "20 to 45 s"),
        (0.041, 0.116, "0.041 to 0.12 s"),
        (48.0, 121.0, "48 s to 2 min"),
        (1_620, 3_010, "27 to 50 min"),
        (4_790, 9_000, "1 h 20 min to 2 h 30 min"),
        (3.04, 2.96, "3 s"),
        (0.00086, 0.0065, "less than 0.1 s"),
    ],
)
def test_a_range_names_a_common_unit_once(low: float, high: float, shown: str) -> None:
    assert shown_range(low, high) == shown


def test_no_command_formats_seconds_by_itself() -> None:
    formats = re.compile(r"(seconds(\(\)|'\])?|monotonic\(\) - [\w.]+):[^}]*[efg]\} s\b")
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if formats.search(line)
    ]
    assert found == []
