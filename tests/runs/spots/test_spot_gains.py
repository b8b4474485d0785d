"""What strategies of a spot win and risk, against enumeration and exact best responses."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.runs.spot_twins import hands_of, slow_spot

import untilt
from untilt.errors import InvalidOption
from untilt.games.holdem.solutions.solution import Solution
from untilt.policy.spot import SpotPolicy
from untilt.runs.spots.spot_gains import SpotGains, gains

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
LARGE = untilt.Spot(
    "Td9d6hQc2s", (OOP, IP), pot=200, stack=900, sizes=untilt.Sizes("60%,a", raises="2.5x")
)
SMALL = untilt.Spot(
    "Td9d6hQc2s",
    ("QQ:0.5,JTs,87s,A5s", "TT,KJs,QJs,65s"),
    100,
    250,
    untilt.Sizes("60%,a", raises="3x"),
)


@cache
def noisy(spot: untilt.Spot, first: str, second: str) -> Solution:
    return untilt.solve(spot, noise=(first, second), target=1e-4, save=False)


@cache
def nash(spot: untilt.Spot) -> Solution:
    return untilt.solve(spot, target="0.01%", save=False)


@cache
def measured(seat: int) -> SpotGains:
    opponents = [noisy(SMALL, "10%", "10%"), noisy(SMALL, "30%", "30%")]
    careful = noisy(SMALL, *(("1%", "20%") if seat == 0 else ("20%", "1%")))
    return gains(careful, seat, against=opponents, nash=nash(SMALL))


@pytest.mark.parametrize("seat", [0, 1])
def test_values_are_those_of_enumeration(seat: int) -> None:
    found = measured(seat)
    careful = noisy(SMALL, *(("1%", "20%") if seat == 0 else ("20%", "1%")))
    opponents = [careful, noisy(SMALL, "10%", "10%"), noisy(SMALL, "30%", "30%"), nash(SMALL)]
    hands = hands_of(SMALL)
    assert len(found.rows) == len(opponents)
    for row, opponent in zip(found.rows, opponents, strict=True):
        for value, hero in ((row.value, careful), (row.nash, nash(SMALL))):
            pair = (hero, opponent) if seat == 0 else (opponent, hero)
            expected = slow_spot(*pair).values(hands)[seat] + SMALL.pot / 2
            assert value == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("seat", [0, 1])
def test_best_responses_and_risk_are_those_of_solutions_that_respond(seat: int) -> None:
    found = measured(seat)
    careful = noisy(SMALL, *(("1%", "20%") if seat == 0 else ("20%", "1%")))
    worst = untilt.spots.respond(careful, 1 - seat, save=False).ev[1 - seat]
    of_nash = untilt.spots.respond(nash(SMALL), 1 - seat, save=False).ev[1 - seat]
    assert found.risk == pytest.approx(worst - of_nash, abs=1e-3)
    assert found.risk > 0.1
    best = untilt.spots.respond(noisy(SMALL, "30%", "30%"), seat, save=False).ev[seat]
    assert found.rows[2].best == pytest.approx(best, abs=1e-3)


def test_the_equilibrium_itself_gains_and_risks_nothing() -> None:
    found = gains(nash(SMALL), "oop", against=[noisy(SMALL, "10%", "10%")], nash=nash(SMALL))
    assert [row.gain for row in found.rows] == [0.0, 0.0, 0.0]
    assert found.risk == 0.0


def test_one_noise_per_seat_wins_more_from_mistakes_than_nash() -> None:
    """A careful player who expects mistakes of 10 % against a player who makes them."""
    ratios = []
    for seat, careful in ((0, noisy(LARGE, "1%", "10%")), (1, noisy(LARGE, "10%", "1%"))):
        found = gains(careful, against=[noisy(LARGE, "10%", "10%")], nash=nash(LARGE))
        assert found.player == seat
        value = nash(LARGE).ev[seat]
        ratios.append((found.rows[1].value - value) / (found.rows[1].nash - value))
        assert 0.0 < found.percent(found.risk) < 3.0
    assert min(ratios) > 1.1
    assert max(ratios) > 1.4


def test_by_default_opponents_err_half_and_twice_as_much() -> None:
    found = gains(noisy(SMALL, "1%", "20%"))
    assert [row.opponent for row in found.rows] == [
        "the opponent it was solved with",
        *("noise 10%", "noise 20%", "noise 40%", "Nash"),
    ]
    assert [row.noise for row in found.rows] == pytest.approx([0.2, 0.1, 0.2, 0.4, None])
    document = found.to_json()
    assert document["seat"] == "oop"
    assert document["noises"] == pytest.approx([0.01, 0.2])
    assert document["against"][0]["gain"] == found.rows[0].gain
    assert document["risk"] == found.risk
    assert "risk" in repr(found)
    assert "<table" in found._repr_html_()


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(InvalidOption, match="seat is 'button'"):
        gains(noisy(SMALL, "10%", "10%"), "button")
    with pytest.raises(InvalidOption, match="not solutions of the same spot"):
        gains(noisy(SMALL, "10%", "10%"), 0, against=[nash(LARGE)])
    with pytest.raises(InvalidOption, match="is not a solved spot"):
        gains(SMALL, 0)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="against is"):
        gains(noisy(SMALL, "10%", "10%"), 0, against=7)  # type: ignore[arg-type]


def test_a_spot_without_noise_is_measured_against_its_own_opponent_and_nash(
    tmp_path: Path,
) -> None:
    spot = SMALL
    rough = untilt.solve(spot, iterations=3, output=tmp_path / "rough")
    found = untilt.exploit(rough, nash=nash(spot))
    assert isinstance(found, SpotGains)
    assert [row.opponent for row in found.rows] == ["the opponent it was solved with", "Nash"]
    # Both seats' best responses together take what the exploitability says.
    other = untilt.exploit(rough, seat="ip", nash=nash(spot))
    assert found.taken + other.taken - spot.pot == pytest.approx(2.0 * rough.exploitability)
    assert found.risk > 0.0


def test_exploit_takes_spots_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "spot"
    solution = untilt.solve(SMALL, iterations=3, output=path)
    expected = gains(solution, nash=nash(SMALL)).to_json()
    for agent in (path, str(path), SpotPolicy(solution)):
        measured: Any = untilt.exploit(agent, nash=nash(SMALL))  # type: ignore[call-overload]
        assert {**measured.to_json(), "solution": ""} == {**expected, "solution": ""}
    with pytest.raises(InvalidOption, match="deals is for whole hands; leave it out"):
        untilt.exploit(solution, 10)
    with pytest.raises(InvalidOption, match="seat is for solved spots; leave it out"):
        untilt.exploit("random", 10, game="holdem", seat="oop")  # type: ignore[call-overload]
