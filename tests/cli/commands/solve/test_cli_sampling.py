"""Sampling methods on the command line: what is printed, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Command

FORGETFUL = f"{Path(__file__).parents[3] / 'game' / 'trees.py'}:FORGETFUL"
GENERAL_SUM = f"{Path(__file__).parents[3] / 'game' / 'trees.py'}:GENERAL_SUM"


@pytest.mark.parametrize(
    "method",
    ["mccfr-chance", "mccfr-external", "mccfr-outcome", "cs", "es", "es+", "es-linear", "os"],
)
def test_every_sampling_method_solves_kuhn(method: str, command: Command) -> None:
    found = command("solve", "kuhn", "--method", method, "-n", "20_000", "--json", "--strategy")
    assert found.status == 0
    assert found.json["iterations"] == 20_000
    assert found.json["exploitability"] < 0.1
    assert found.json["outcome"]["infosets_met"] == 12
    assert found.json["strategy"]["P1:K:b"]["call"] > 0.9


def test_seed_and_threads_on_the_command_line(command: Command) -> None:
    def strategy(*options: object) -> object:
        asked = ("solve", "leduc", "--method", "es", "-n", 5000, "--json", "--strategy")
        return command(*asked, *options).json["strategy"]

    assert strategy("--seed", 7) == strategy("--seed", 7, "--threads", 3)
    assert strategy("--seed", 7) == strategy("--seed", 7, "--on", "objects")
    assert strategy("--seed", 7) != strategy("--seed", 8)
    assert strategy("--seed", 7) != strategy("--seed", 7, "--batch", 1)


def test_a_target_that_is_missed_is_exit_status_1(command: Command) -> None:
    found = command("solve", "kuhn", "--method", "es", "-n", 50, "--target", 1e-9)
    assert found.status == 1
    assert "was not reached" in found.err


EXTERNAL = ("solve", "kuhn", "--method", "mccfr-external", "-n", "100")
OUTCOME = ("solve", "kuhn", "--method", "mccfr-outcome", "-n", "100")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*OUTCOME, "--exploration", "0"), "--exploration is 0.0; it must be a number in (0, 1]"),
        ((*OUTCOME, "--exploration", "1.5"), "--exploration is 1.5; it must be a number in (0, 1]"),
        ((*OUTCOME, "--exploration", "-0.1"), "--exploration is -0.1"),
        ((*OUTCOME, "--exploration", "nan"), "--exploration is nan; it must be a number"),
        ((*EXTERNAL, "--exploration", "0.5"), "mccfr-external takes no option --exploration"),
        ((*EXTERNAL, "--baseline", "none"), "mccfr-external takes no option --baseline"),
        ((*EXTERNAL, "--threads", "0"), "--threads is 0; it must be an integer from 1 to 256"),
        ((*EXTERNAL, "--threads", "100000"), "--threads is 100000"),
        ((*EXTERNAL, "--threads", "2", "--on", "objects"), "use --on tree"),
        ((*EXTERNAL, "--batch", "-1"), "--batch is -1; it must be an integer from"),
        ((*EXTERNAL, "--batch", "10_000_001"), "--batch is 10000001"),
        ((*EXTERNAL, "--period", "0"), "--period is 0; it must be an integer from 1"),
        ((*EXTERNAL, "--cache", "1"), "--cache is 1; it must be an integer from 1,000"),
        ((*EXTERNAL, "--regret", "rm++"), "unknown --regret 'rm++'"),
        ((*EXTERNAL, "--average", "lasy"), "unknown --average 'lasy': did you mean 'lazy'"),
        ((*EXTERNAL, "--average", "quadratic"), "unknown --average 'quadratic'"),
        ((*EXTERNAL, "--on", "trees"), "unknown --on 'trees': did you mean 'tree'"),
        ((*EXTERNAL, "--sync", "off"), "unknown --sync 'off'"),
        ((*OUTCOME, "--baseline", "histories"), "unknown --baseline 'histories'"),
        ((*EXTERNAL, "--sync", "none", "--average", "lazy"), "--sync none goes only with"),
        ((*OUTCOME, "--sync", "none"), "--sync none goes only with"),
        ((*EXTERNAL, "--seed", "-1"), "--seed is -1"),
        (("solve", "kuhn", "--method", "mccfr"), "unknown method 'mccfr'"),
        (("solve", GENERAL_SUM, "--method", "es", "-n", "9"), "zero-sum games only"),
        (("solve", GENERAL_SUM, "--method", "es", "-n", "9", "--on", "objects"), "zero-sum"),
        (("solve", FORGETFUL, "--method", "es", "--target", "0.1"), "use --time or --iterations"),
        (
            ("solve", FORGETFUL, "--method", "es", "-n", "9", "--average", "lazy"),
            "use --average stochastic",
        ),
        (
            (
                "solve",
                "leduc",
                "-p",
                "ranks=58",
                "--method",
                "es",
                "-n",
                "9",
                "--on",
                "tree",
                "--max-nodes",
                "1000",
            ),
            "histories",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_leaves_nothing(
    arguments: tuple[str, ...], said: str, command: Command
) -> None:
    error = command(*arguments).error
    assert said in error
    assert "Traceback" not in error
    assert not Path("runs").exists() or not any(Path("runs").iterdir())


@pytest.mark.parametrize(
    "option",
    [
        ("--exploration", "0.5"),
        ("--threads", "2"),
        ("--batch", "10"),
        ("--regret", "rm"),
        ("--on", "tree"),
        ("--sync", "none"),
        ("--baseline", "none"),
        ("--period", "10"),
        ("--cache", "5000"),
    ],
    ids=lambda option: option[0],
)
def test_options_of_sampling_are_refused_by_other_methods(
    option: tuple[str, str], command: Command
) -> None:
    error = command("solve", "kuhn", "--method", "cfr+", "-n", "9", *option).error
    assert f"method cfr+ takes no option {option[0]}; it takes --average quadratic" in error
    assert not Path("runs").exists()


def test_resuming_with_another_recipe_is_refused(command: Command) -> None:
    assert command(*EXTERNAL, "-o", "run").status == 0
    error = command("solve", "--resume", "run", "--batch", "5").error
    assert "leave --batch out" in error
    resumed = command("solve", "--resume", "run", "-n", "300", "--threads", "2", "--json")
    assert resumed.json["iterations"] == 300


@pytest.mark.parametrize(
    "name", ["Raises", "NeverEnds", "Nameless", "PaysNan", "Varying", "PaysBoth"]
)
def test_a_broken_game_on_objects_is_refused_in_one_line(
    name: str, command: Command, faulty: Callable[[str], str]
) -> None:
    options = ("--method", "es", "-n", "500", "--on", "objects", "-o", "run")
    assert "Traceback" not in command("solve", faulty(name), *options).error
    assert not Path("run", "result.json").exists()


class TestImperfectRecall:
    @pytest.mark.parametrize("on", ["tree", "objects"])
    def test_solve_and_show_say_that_it_is_not_measured(self, on: str, command: Command) -> None:
        solved = command(
            "solve", FORGETFUL, "--method", "es", "-n", "2000", "--on", on, "-o", "run", "--json"
        )
        assert solved.status == 0
        assert solved.json["exploitability"] is None
        for arguments in (("show", "run"), ("show", "run", "--json"), ("solve", "--resume", "run")):
            shown = command(*arguments)
            assert shown.status == 0, shown.err
            assert "nan" not in shown.out.lower()
        assert "P0:again" in command("show", "run").out
        json.loads(command("show", "run", "--json").out)


def test_a_game_without_a_list_of_outcomes_is_solved_and_shown(
    command: Command, faulty: Callable[[str], str]
) -> None:
    game = faulty("OnlySampled")
    solved = command("solve", game, "--method", "es", "-n", "500", "-o", "run")
    assert solved.status == 0, solved.err
    shown = command("show", "run")
    assert shown.status == 0, shown.err
    assert "12 infosets reached" in shown.out
    assert "exploitability not measured" in shown.out
