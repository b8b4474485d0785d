"""Games of three players on the command line: what works, and what says that it needs two."""

import pytest
from tests.cli.conftest import Command

KUHN = ("kuhn", "-p", "players=3")


def test_a_run_prints_every_player_and_what_best_responses_gain(command: Command) -> None:
    found = command("solve", *KUHN, "--method", "cfr+", "--iterations", "500", "--output", "run")
    assert found.status == 0
    assert "values player 0 -0.0" in found.out
    assert "with more than two players no method promises an equilibrium" in found.out
    shown = command("show", "run", "--player", "2").out
    assert "Player 2" in shown
    assert "Player 1" not in shown
    document = command("evaluate", "run", "--json").json
    assert len(document["values"]) == len(document["gains"]) == 3
    assert document["exploitability"] == pytest.approx(document["nash_conv"] / 3)
    assert command("tree", *KUHN, "--depth", "4", "-o", "tree.svg").status == 0


@pytest.mark.parametrize("on", ["tree", "objects"])
@pytest.mark.parametrize("method", ["es", "cs", "os"])
def test_sampling_runs_save_measure_and_resume(command: Command, method: str, on: str) -> None:
    options = ("--method", method, "--on", on, "--average", "lazy", "--seed", "3")
    whole = command("solve", *KUHN, *options, "--iterations", "4000", "--json").json
    assert whole["nash_conv"] == pytest.approx(sum(whole["gains"]))
    assert whole["nash_conv"] < 1.5
    command("solve", *KUHN, *options, "--iterations", "1500", "--output", "run")
    resumed = command("solve", "--resume", "run", "--iterations", "4000", "--json").json
    assert resumed["values"] == whole["values"]
    assert command("show", "run", "--player", "2").status == 0


def test_the_quantal_branch_of_three_players_is_printed(command: Command) -> None:
    found = command("qre", *KUHN, "--beta", "2", "--trace")
    assert found.status == 0
    assert "player 2 +0.0" in found.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", *KUHN, "--method", "lp"),
        ("qre", *KUHN, "--beta", "2", "--limit"),
        ("play", *KUHN),
        ("match", "random", "call", "--game", *KUHN, "--hands", "10"),
    ],
)
def test_what_needs_two_players_says_so_on_one_line(
    command: Command, arguments: tuple[str, ...]
) -> None:
    found = command(*arguments)
    assert found.status == 2
    assert "a game of two players" in found.err
    assert len([line for line in found.err.splitlines() if line.startswith("error")]) == 1
