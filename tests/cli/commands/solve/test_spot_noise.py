"""`untilt spot --noise` and `--ladder`: what is printed, begun with, and refused."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt

RIVER = untilt.Spot(
    "Td9d6hQc2s", ("QQ,JTs,87s,A5s", "TT,KJs,QJs,65s"), 100, 250, untilt.Sizes("60%,a", raises="3x")
)


@pytest.fixture(autouse=True)
def _files(command: Command) -> None:
    Path("river.toml").write_text(RIVER.to_toml())
    assert command("spot", "river.toml", "-n", "50", "-o", "nash").status == 0


def test_noise_and_beta_residual_and_what_exploitability_means_are_printed(
    command: Command,
) -> None:
    shown = command("spot", "river.toml", "--noise", "oop=1%,ip=10%", "-o", "q").out
    assert "noise 1% v 10% of the pot (β 1 v 0.1 per chip)   residual " in shown
    assert "a property of the noise, not an error" in shown
    document = command("spot", "river.toml", "--noise", "0.25/chip", "--json").json
    assert document["noise_shares"] == [0.04, 0.04]
    assert document["betas"] == [0.25, 0.25]
    assert document["beta"] == 0.25
    assert document["residual"] <= 1e-3
    raked = command("spot", "river.toml", "--noise", "5%", "--rake", "5%").out
    assert "no longer bounds what a strategy can lose" in raked


def test_beta_per_chip_is_noise_unless_it_is_an_exponent(command: Command) -> None:
    found = command("spot", "river.toml", "--beta", "0.25", "--json").json
    assert (found["method"], found["betas"], found["noise_shares"]) == (
        *("quantal", [0.25, 0.25]),
        [0.04, 0.04],
    )
    assert found["ev"] == command("spot", "river.toml", "--noise", "4%", "--json").json["ev"]
    for flags in (("-m", "dcfr"), ("--alpha", "2")):
        exponent = command("spot", "river.toml", "--beta", "0.25", *flags, "--json").json
        assert (exponent["method"], exponent["options"]["beta"]) == ("dcfr", 0.25)
    assert "mean the same" in command("spot", "river.toml", "--beta", "1", "--noise", "2%").error


def test_the_time_announced_is_that_of_quantal_response(command: Command) -> None:
    dry = ("spot", "river.toml", "--dry-run")
    assert "to 0.1% of the pot" in command(*dry).out
    assert "to a residual of 0.001" in command(*dry, "--noise", "5%").out
    seconds = [command(*dry, "--noise", n, "--json").json["seconds_high"] for n in ("5%", "0.5%")]
    assert seconds[1] > 2.0 * seconds[0]
    shown = command("spot", "river.toml", "--noise", "5%", "-o", "q").err
    assert "of one processor to a residual of 0.001" in shown


def test_a_run_is_what_another_begins_with_and_keeps_its_locks(command: Command) -> None:
    lock = ("--lock", "check: TT bet 60")
    assert command("spot", "nash", "--noise", "10%", *lock, "-o", "first").status == 0
    found = command("spot", "first", "--noise", "5%", "-o", "second")
    assert "starting from first\n" in found.err
    document = json.loads(Path("second/run.json").read_text())
    assert document["parameters"]["start"] == {"run": "first"}
    assert document["parameters"]["spot"]["locks"]
    assert (
        document["parameters"]["spot"]
        == json.loads(Path("first/run.json").read_text())["parameters"]["spot"]
    )
    other = command("spot", "first", "--noise", "5%", "--stack", "300", "-o", "third")
    assert "starting from" not in other.err


def test_a_ladder_is_a_table_and_a_folder_of_runs(command: Command) -> None:
    ladder = ("spot", "nash", "--ladder", "20%..5%", "--rungs", "3", "-o", "ladder")
    shown = command(*ladder).out
    assert [line.split()[0] for line in shown.splitlines()[3:6]] == ["20%", "10%", "5%"]
    found = command(*ladder, "--json").json
    assert [rung["noise"] for rung in found["rungs"]] == [0.2, 0.1, 0.05]
    assert [Path(rung["run"]).name for rung in found["rungs"]] == [
        *("noise-20", "noise-10", "noise-5")
    ]
    assert command("show", "ladder/noise-5", "--line", "check").status == 0
    assert command("show", "ladder").out == shown
    at_line = command("show", "ladder", "--line", "check").out
    assert "check: ip acts" in at_line
    assert [line.split()[0] for line in at_line.splitlines()[4:7]] == ["20%", "10%", "5%"]
    mixes = command("show", "ladder", "--line", "check", "--json").json["mixes"]
    alone = command("show", "ladder/noise-10", "--line", "check", "--json").json
    assert mixes[1]["frequencies"] == alone["frequencies"]
    assert command("show", "ladder", "--line", "bet 60, call").out.count("showdown") == 1
    assert "use --line and --board" in command("show", "ladder", "--card", "K").error
    assert (
        "give one of the runs in it, such as ladder/noise-10"
        in command("spot", "ladder", "--noise", "2%").error
    )


def test_runs_are_listed_with_their_noise(command: Command) -> None:
    assert command("spot", "river.toml", "--noise", "oop=1%,ip=10%", "-o", "all/q").status == 0
    (row,) = command("runs", "all", "--json").json["runs"]
    assert (row["method"], row["noise"]) == ("quantal", "oop=1%,ip=10%")
    assert "quantal oop=1%,ip=10%" in command("runs", "all").out


def test_a_report_over_flops_takes_noise(command: Command) -> None:
    flop = untilt.Spot("Td9d6h", RIVER.ranges, 100, 100, untilt.Sizes("a", raises=""))
    Path("flop.toml").write_text(flop.to_toml())
    report = ("report", "flop.toml", "--flops", "7c7d2s", "--line", "check")
    found = command(*report, "--noise", "5%", "-o", "report", "--json").json
    alone = untilt.solve(flop.replaced(board="7c7d2s"), noise="5%", save=False).at("check")
    assert "quantal" in Path("report/report.json").read_text()
    shares = found["rows"][0]["frequencies"]
    assert shares["check"] == pytest.approx(alone.frequencies["check"], abs=1e-6)
    assert "that is Nash" in command(*report, "--noise", "0%").error


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--noise", "0%"), "that is Nash: leave it out"),
        (("--noise", "0"), "that is Nash: leave it out"),
        (("--noise", "-1%"), "that is Nash: leave it out"),
        (("--beta", "0"), "give a finite number above 0 per chip"),
        (("--beta", "nan"), "give a finite number above 0 per chip"),
        (("--noise", "1001%"), "at most 1000%"),
        (("--noise", "nan%"), "give a share of the pot"),
        (("--noise", "bb=1%,ip=2%"), "name both seats once"),
        (("--noise", "2%", "--precision", "int16"), "known: float32, float64"),
        (("--noise", "2%", "--target", "1e-12"), "in float32 at this noise, only about"),
        (("--noise", "2%", "--target-max", "1e-12"), "add --precision float64"),
        (("--noise", "2%", "--precision", "float64", "--target", "1e-20"), "not even in float64"),
        (("--noise", "2%", "--target", "2"), "a residual is a distance of probabilities"),
        (("--target-max", "1e-3"), "add --noise"),
        (("--ladder", "20%"), "give two noises"),
        (("--ladder", "20%..1%", "--noise", "2%"), "leave --noise out"),
        (("--ladder", "20%..1%", "--rungs", "1"), "an integer from 2 to 50"),
        (("--ladder", "20%..1%", "-m", "dcfr"), "leave --method out"),
        (("--ladder", "20%..1%", "-o", "nash"), "already holds a run"),
        (("--rungs", "3"), "add --ladder"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    command: Command, flags: tuple[str, ...], words: str
) -> None:
    assert words in command("spot", "river.toml", *flags).error
