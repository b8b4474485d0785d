"""Noise over time, from a review of simulated hands."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.cli.conftest import Command, command
from tests.play.leaks.test_reviewing import place

import untilt
from untilt.errors import InvalidOption
from untilt.play.leaks.leaks import Leaks
from untilt.play.leaks.reviewing import read_leaks
from untilt.play.leaks.tilt import choice_gaps, tilt

__all__ = ["command", "place", "stored"]  # fixtures


def test_gaps_are_values_less_that_of_the_choice(place: Path) -> None:
    decisions = read_leaks(place / "leaks").decisions
    gaps, firsts = choice_gaps(decisions), decisions.firsts
    for number in np.flatnonzero(decisions.is_judged).tolist():
        row = {name: column[number].item() for name, column in decisions.numbers.items()}
        values = decisions.values[firsts[number] : firsts[number + 1]].astype(float)
        own = row["weight"] * values[row["first"]]
        if row["second"] >= 0:
            own += (1.0 - row["weight"]) * values[row["second"]]
        assert gaps[number, : len(values)] == pytest.approx(values - own)
        assert np.isneginf(gaps[number, len(values) :]).all()


def test_a_player_at_random_is_noisy_in_every_period(place: Path) -> None:
    found = tilt(place / "leaks", window=40)
    assert found.noise.low > 0.3
    assert [(each.first, each.last) for each in found.periods][:2] == [(0, 39), (40, 79)]
    assert sum(each.noise.decisions for each in found.periods) == found.noise.decisions
    assert sum(each.decisions for each in found.by_street.values()) == found.noise.decisions
    assert found.changes == ()


def shuffled_in_time(leaks: Leaks) -> Leaks:
    """Return the review with hands whose times are in the opposite order."""
    decisions = leaks.decisions
    times = -decisions.hands
    return replace(
        leaks, decisions=replace(decisions, numbers={**decisions.numbers, "time": times})
    )


def test_hands_are_taken_in_the_order_of_their_times(place: Path) -> None:
    leaks = read_leaks(place / "leaks")
    backwards = tilt(shuffled_in_time(leaks), window=10**6)
    forwards = tilt(leaks, window=10**6)
    assert backwards.noise.low == pytest.approx(forwards.noise.low)
    halves = tilt(shuffled_in_time(leaks), window=60).periods
    assert halves[0].begins is not None
    assert halves[0].noise != tilt(leaks, window=60).periods[0].noise


def test_hands_after_large_losses_are_compared(place: Path) -> None:
    found = tilt(place / "leaks", loss=3.0, after=2).after_losses
    assert found.num_losses > 3
    assert found.noise is not None
    assert found.otherwise is not None
    total = tilt(place / "leaks").noise.decisions
    assert found.noise.decisions + found.otherwise.decisions == total
    assert found.strength is not None
    assert tilt(place / "leaks", loss=1e6).after_losses.strength is None


def test_the_command_shows_noise_with_intervals(
    place: Path, command: Command, tmp_path: Path
) -> None:
    document = command("hands", "tilt", place / "leaks", "--player", "Ann", "--json").json
    assert document == json.loads(json.dumps(tilt(place / "leaks").to_json()))
    assert set(document["noise"]) == {"noise", "interval", "decisions", "hands"}
    shown = command("hands", "tilt", place / "leaks", "--window", 50)
    assert "change   none that is stronger than chance\n" in shown.out
    assert (
        "the review is of Ann" in command("hands", "tilt", place / "leaks", "--player", "Bob").error
    )
    assert "--window is 0" in command("hands", "tilt", place / "leaks", "--window", 0).error


def test_noise_is_drawn(place: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = untilt.hands.tilt(place / "leaks", window=30)
    found.plot(tmp_path / "noise.svg")
    assert "noise, share of the pot" in (tmp_path / "noise.svg").read_text("utf-8")


def test_a_review_without_judged_decisions_has_no_noise(place: Path) -> None:
    leaks = read_leaks(place / "leaks")
    reasons = np.ones_like(leaks.decisions.numbers["reason"])
    numbers = {**leaks.decisions.numbers, "reason": reasons}
    nothing = replace(leaks, decisions=replace(leaks.decisions, numbers=numbers))
    with pytest.raises(InvalidOption, match="no decision of this review was judged"):
        tilt(nothing)
    with pytest.raises(InvalidOption, match="loss is nan"):
        tilt(leaks, loss=float("nan"))
