"""`untilt pushfold train`: learning, continuing, and what is refused."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

from untilt.runs.pushfold import trainee

TRAIN = ("pushfold", "train")


def test_a_strategy_is_learned_and_shown(command: Command) -> None:
    found = command(*TRAIN, "--stack", 10, "--hands", "200_000")
    assert found.status == 0
    lines = found.out.splitlines()
    assert lines[0] == "push/fold 10 bb, 200,000 hands"
    assert [line.split()[0] for line in lines[1:]] == [
        "exploitability",
        "value",
        "push",
        "call",
        "played",
    ]
    marks = found.err.splitlines()
    assert len(marks) == 8
    assert marks[0].split()[:3] == ["1,000", "hands", "exploitability"]
    assert marks[-1].split()[0] == "200,000"
    assert not list(Path().iterdir())


def test_json_holds_the_strategy_and_how_it_was_learned(command: Command) -> None:
    result = command(
        *TRAIN, "--stack", 8, "--hands", 100_000, "--seed", 3, "--batch", 50, "--json"
    ).json
    assert result["stack_bb"] == 8.0
    assert (result["hands"], result["hands_before"]) == (100_000, 0)
    assert (result["seed"], result["batch"], result["threads"]) == (3, 50, 1)
    assert (result["choice"], result["boards"]) == ("sign", "random")
    assert (result["bytes"], result["growth"], result["saturated"]) == (4, "linear", 0)
    assert result["push"]["AA"] == result["call"]["AA"] == 1.0
    assert len(result["push"]) == len(result["call"]) == 169
    assert 40 < result["push_percent"] < 75
    assert 25 < result["call_percent"] < 60
    assert result["push_range"].startswith("22+")
    assert 0 < result["exploitability_mbb"] < 60
    assert result["value_bb"] == pytest.approx(-0.01, abs=0.05)
    hands = [moment["hands"] for moment in result["curve"]]
    assert hands == [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
    assert result["curve"][-1]["exploitability_mbb"] == result["exploitability_mbb"]
    assert result["regret_file"] is None


def trained(command: Command, name: str, *arguments: object) -> dict[str, Any]:
    return command(*TRAIN, "--regret-file", name, *arguments, "--json").json


def test_a_file_is_made_and_continued_as_if_never_stopped(command: Command) -> None:
    trained(command, "whole.dat", "--hands", 300_000, "--seed", 5)
    first = trained(command, "regret.dat", "--hands", 100_000, "--seed", 5)
    assert first["regret_file"] == "regret.dat"
    assert Path("regret.dat").stat().st_size == 1_352
    second = trained(command, "regret.dat", "--hands", 300_000, "--threads", 2)
    assert (second["hands"], second["hands_before"], second["seed"]) == (300_000, 100_000, 5)
    assert Path("regret.dat").read_bytes() == Path("whole.dat").read_bytes()
    sidecar = json.loads(Path("regret.dat.json").read_text(encoding="utf-8"))
    assert (sidecar["stack_bb"], sidecar["hands"], sidecar["seed"]) == (10.0, 300_000, 5)


def test_a_file_that_has_played_so_many_hands_is_left_as_it_is(command: Command) -> None:
    trained(command, "regret.dat", "--hands", 20_000)
    before = Path("regret.dat").read_bytes()
    found = command(*TRAIN, "--regret-file", "regret.dat", "--hands", 10_000)
    assert found.status == 0
    assert "20,000 hands have already been played; ask for more hands" in found.err
    assert Path("regret.dat").read_bytes() == before


def test_time_ends_a_run_with_a_whole_batch(command: Command) -> None:
    result = trained(command, "regret.dat", "--time", 0.05)
    assert result["hands"] > 0
    assert result["seconds"] >= 0.05
    whole = trained(command, "whole.dat", "--hands", result["hands"] + 400_000)
    trained(command, "regret.dat", "--hands", whole["hands"])
    assert Path("regret.dat").read_bytes() == Path("whole.dat").read_bytes()


def test_ctrl_c_saves_and_the_continued_run_is_the_same(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(command, "whole.dat", "--hands", 200_000)
    evaluate = trainee.evaluate_strategy
    calls = 0

    def press(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            signal.raise_signal(signal.SIGINT)
        return evaluate(*arguments)

    monkeypatch.setattr(trainee, "evaluate_strategy", press)
    stopped = command(*TRAIN, "--regret-file", "regret.dat", "--hands", 200_000)
    assert (stopped.status, stopped.out) == (130, "")
    assert "stopped after 10,000 hands; saved. Continue with: untilt pushfold train" in stopped.err
    assert json.loads(Path("regret.dat.json").read_text())["hands"] == 10_000
    calls = 3
    lost = command(*TRAIN, "--hands", 200_000)
    assert lost.status == 130
    assert "nothing is saved without --regret-file or --output" in lost.err
    trained(command, "regret.dat", "--hands", 200_000)
    assert Path("regret.dat").read_bytes() == Path("whole.dat").read_bytes()


def test_a_bare_file_is_continued_with_a_word_about_what_is_unknown(command: Command) -> None:
    Path("regret.dat").write_bytes(bytes(1_352))
    found = command(*TRAIN, "--regret-file", "regret.dat", "--hands", 5_000, "--json")
    assert "its stack, hands played and seed are unknown; assuming 10 bb" in found.err
    fresh = trained(command, "fresh.dat", "--hands", 5_000)
    assert found.json["push"] == fresh["push"]
    assert Path("regret.dat.json").exists()


def test_a_file_that_somebody_else_writes_is_left_alone(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = trainee.evaluate_strategy

    def overwrite(*arguments: Any) -> Any:
        Path("regret.dat").write_bytes(b"\x01" * 1_352)
        return evaluate(*arguments)

    monkeypatch.setattr(trainee, "evaluate_strategy", overwrite)
    found = command(*TRAIN, "--regret-file", "regret.dat", "--hands", 1_000)
    assert found.status == 2
    assert "regret.dat was changed by another program during the training" in found.err
    assert Path("regret.dat").read_bytes() == b"\x01" * 1_352


def test_regrets_that_reach_the_limit_are_warned_of(command: Command) -> None:
    found = command(*TRAIN, "--hands", 20_000, "--bytes", 1, "--json")
    assert found.json["saturated"] > 100
    assert "of 338 regrets have reached the limit of 1-byte integers (±127)" in found.err
    logarithmic = command(*TRAIN, "--hands", 20_000, "--bytes", 1, "--growth", "log", "--json")
    assert logarithmic.json["saturated"] == 0
    assert "warning" not in logarithmic.err


def test_options_choose_how_is_learned(command: Command) -> None:
    chosen = ("--choice", "matching", "--boards", "exact", "--bytes", 2, "--growth", "log")
    result = trained(command, "regret.dat", "--hands", 50_000, *chosen)
    assert [result[name] for name in ("choice", "boards", "bytes", "growth")] == [*chosen[1::2]]
    assert Path("regret.dat").stat().st_size == 2 * 676
    again = trained(command, "regret.dat", "--hands", 60_000)
    assert [again[name] for name in ("choice", "boards", "bytes", "growth")] == [*chosen[1::2]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--stack", 10.25), "10.25 bb, which is 20.5 small blinds; regrets are integers"),
        (("--stack", 1), "the big blind is all-in after posting"),
        (("--stack", "nan"), "--stack contains 'nan', which is not a number"),
        (("--stack", 2000), "at most 1000"),
        (("--hands", 0), "--hands is 0"),
        (("--hands", -5), "--hands is -5"),
        (("--hands", "many"), "'--hands'"),
        (("--time", 0), "--time is 0"),
        (("--time", "inf"), "--time is inf"),
        (("--time", "nan"), "--time is nan"),
        (("--threads", 0), "--threads is 0"),
        (("--batch", 0), "--batch is 0"),
        (("--seed", -1), "--seed is -1"),
        (("--choice", "random"), "unknown --choice 'random': known: sign, matching"),
        (("--boards", "all"), "unknown --boards 'all': known: random, exact"),
        (("--bytes", 8), "--bytes is 8; it must be 1, 2 or 4"),
        (("--growth", "square"), "unknown --growth 'square': known: linear, log"),
        (("--regret-file", "nowhere/regret.dat"), "cannot write nowhere/regret.dat.json"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_leaves_nothing_behind(
    command: Command, arguments: tuple[object, ...], words: str
) -> None:
    assert words in command(*TRAIN, *arguments).error
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("stack", 12),
        ("seed", 1),
        ("batch", 7),
        ("choice", "matching"),
        ("boards", "exact"),
        ("bytes", 2),
        ("growth", "log"),
    ],
)
def test_a_file_is_not_continued_with_other_settings(
    command: Command, option: str, value: object
) -> None:
    trained(command, "regret.dat", "--hands", 1_000)
    before = Path("regret.dat").read_bytes()
    error = command(*TRAIN, "--regret-file", "regret.dat", f"--{option}", value).error
    assert f"--{option} is {value}, but regret.dat was started with" in error
    assert Path("regret.dat").read_bytes() == before


def test_a_file_of_the_wrong_size_is_refused(command: Command) -> None:
    Path("regret.dat").write_bytes(bytes(1_000))
    error = command(*TRAIN, "--regret-file", "regret.dat").error
    assert "regret.dat has 1,000 bytes; 338 regrets of 4 bytes each need 1,352" in error
    assert Path("regret.dat").read_bytes() == bytes(1_000)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from untilt.cli.main import run; run(['pushfold', 'train', '--help']);"
        "sys.exit(bool({'numpy', 'numba', 'scipy', 'rich'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


def test_the_command_resumes_a_training(command: Command) -> None:
    asked = ("pushfold", "train", "--stack", 5, "--seed", 3, "--bytes", 1)
    whole = command(*asked, "--hands", 60_000, "--json").json
    command(*asked, "--hands", 20_000, "-o", "run", "--json")
    error = command("pushfold", "train", "--resume", "run", "--seed", 4).error
    assert "leave --seed out" in error
    found = command("pushfold", "train", "--resume", "run", "--hands", 60_000, "--json").json
    assert {name: found[name] for name in ("push", "call", "hands")} == {
        name: whole[name] for name in ("push", "call", "hands")
    }
    assert "60,000 hands" in command("pushfold", "train", "--resume", "run").out
