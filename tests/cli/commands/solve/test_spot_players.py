"""`untilt fit --spot` and `untilt exploit` of a solved spot."""

from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt

RIVER = untilt.Spot(
    "Td9d6hQc2s", ("QQ,JTs,87s,A5s", "TT,KJs,QJs,65s"), 100, 250, untilt.Sizes("60%,a", raises="3x")
)
HANDS = 'line,count\n"check, check",80\n"bet 60, fold",30\n"bet 60, call",15\n"cb60f",20\n'


@pytest.fixture(autouse=True)
def _files() -> None:
    Path("river.toml").write_text(RIVER.to_toml())
    Path("hands.csv").write_text(HANDS)


FIT = ("fit", "hands.csv", "--spot", "river.toml", "--rungs", "5")


def test_noise_is_fitted_as_in_python(command: Command) -> None:
    found = command(*FIT, "--json").json
    library = untilt.spots.fit("hands.csv", {"river": RIVER}, rungs=5).to_json()
    assert {**found, "seconds": 0} == {**library, "seconds": 0}
    assert found["hands"] == 145
    shown = command(*FIT).out
    assert "310 decisions in 145 hands" in shown
    assert "of the pot (95 %" in shown
    assert "fit of the lines: G²" in shown


def test_each_player_may_have_a_noise(command: Command) -> None:
    found = command(*FIT, "--per-player", "--ladder", "40%..5%", "--rungs", "4", "--json").json
    assert len(found["per_player"]["noises"]) == 2
    assert found["ladder"] == pytest.approx([0.4, 0.2, 0.1, 0.05])
    assert 0.0 < found["likelihood_ratio"]["p_value"] <= 1.0
    shown = command(*FIT, "--per-player", "--ladder", "5%..40%", "--rungs", "4").out
    assert "one noise against two" in shown


def test_wrong_ranges_are_said_to_be_wrong(command: Command) -> None:
    """Nobody who looks at values folds the best hands so often to nothing."""
    Path("hands.csv").write_text("line\n" + '"bet 60, raise 180, fold"\n' * 100)
    shown = command(*FIT).out
    assert "no noise explains these lines" in shown
    assert command(*FIT, "--json").json["goodness"]["is_outside"] is True


def test_a_solved_spot_stands_for_its_spot(command: Command) -> None:
    flags = ("river.toml", "-n", "5", "-o", "solved")
    assert command("spot", *flags).status == 0
    from_run = command(*FIT[:3], "solved", *FIT[4:], "--json").json
    assert from_run["common"] == command(*FIT, "--json").json["common"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("fit", "hands.csv"), "--game GAME, or the spot, --spot SPOT.toml"),
        (("fit", "hands.csv", "-g", "kuhn", "--ladder", "9%..1%"), "--ladder is for spots"),
        ((*FIT, "--max-beta", "3"), "--max-beta is for games, not for spots"),
        ((*FIT, "-g", "kuhn"), "--game is for games, not for spots"),
        ((*FIT, "--spot", "river.toml"), "two spots are called river"),
        ((*FIT[:4], "--ladder", "5%"), "--ladder is '5%'; give two noises, such as 40%..1%"),
        ((*FIT[:4], "--ladder", "5%..5%"), "give two different noises"),
        ((*FIT[:4], "--ladder", "5%..0%"), "that is Nash"),
        ((*FIT[:4], "--rungs", "2"), "--rungs is 2"),
        (("fit", "hands.csv", "--spot", "nowhere.toml"), "nowhere.toml"),
        (("fit", "river.toml", *FIT[2:]), "river.toml"),
        (("exploit", "random", "-g", "holdem", "--seat", "oop"), "--seat is for solved spots"),
    ],
)
def test_what_does_not_fit_is_refused(
    command: Command, arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in command(*arguments).error


def test_gains_and_risk_of_a_solved_spot(command: Command) -> None:
    for name, noise in (("mine", "oop=1%,ip=20%"), ("theirs", "20%"), ("nash", None)):
        flags = ("river.toml", *(("--noise", noise) if noise else ("--target", "0.05%")))
        assert command("spot", *flags, "-o", name).status == 0
    shown = command("exploit", "mine").out
    assert "oop of mine" in shown
    assert "noise 40%" in shown
    assert "risk: an opponent who knows the strategy takes" in shown
    given = ("exploit", "mine", "--seat", "ip", "--against", "theirs", "--nash", "nash")
    found = command(*given, "--json").json
    assert [row["opponent"] for row in found["against"]][1:] == ["theirs", "Nash"]
    mine, theirs, nash = (untilt.load(name) for name in ("mine", "theirs", "nash"))
    assert isinstance(mine, untilt.Solution)
    library = untilt.spots.gains(mine, "ip", against=[theirs], nash=nash)  # type: ignore[list-item, arg-type]
    assert found == library.to_json()


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("--deals", "5"), "--deals is not for spots; use --seat, --against, --nash"),
        (("-g", "kuhn"), "-g, -p and --trust are not for spots"),
        (("--seat", "button"), "unknown --seat 'button'"),
        (("--against", "nowhere"), "nowhere"),
    ],
)
def test_measurements_that_cannot_be_made_are_refused(
    command: Command, flags: tuple[str, ...], reason: str
) -> None:
    assert command("spot", "river.toml", "-n", "5", "-o", "run").status == 0
    assert reason in command("exploit", "run", *flags).error


def test_a_spot_solved_for_nash_shows_what_it_risks(command: Command) -> None:
    assert command("spot", "river.toml", "-n", "5", "-o", "run").status == 0
    shown = command("exploit", "run").out
    assert "risk: an opponent who knows the strategy takes" in shown
    found = command("exploit", "run", "--json").json
    assert [row["opponent"] for row in found["against"]] == [
        "the opponent it was solved with",
        "Nash",
    ]
