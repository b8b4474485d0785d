"""`untilt qre`: paths of quantal response equilibria from the command line."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt
from untilt.errors import InvalidOption

KEYS = {
    *("game", "definition", "method", "beta", "iterations", "seconds", "value", "values"),
    *("exploitability", "nash_conv", "residual_norm", "converged", "run"),
}


def test_without_arguments_kuhn_is_solved_at_beta_ten(command: Command) -> None:
    found = command("qre")
    assert found.status == 0
    assert "Kuhn Poker: agent quantal response, beta 10" in found.out
    assert "exploitability" in found.out
    assert "saved in runs/kuhn-qre-1" in found.out


@pytest.mark.parametrize(
    ("game", "value"), [("kuhn", -0.033625), ("leduc", -0.148617)], ids=["kuhn", "leduc"]
)
def test_the_agent_equilibrium_at_beta_one_has_its_published_value(
    command: Command, game: str, value: float
) -> None:
    result = command("qre", game, "--beta", 1, "--tol", 1e-10, "--json").json
    assert set(result) >= KEYS
    assert result["value"] == pytest.approx(value, abs=5e-7)
    assert result["converged"] is True
    assert result["residual_norm"] < 1e-9


@pytest.mark.parametrize("definition", ["agent", "counterfactual", "ex-ante"])
def test_every_method_finds_the_same_point(command: Command, definition: str) -> None:
    strategies = [
        command(
            "qre", "--beta", 3, "--definition", definition, "--method", method, "--json",
            "--strategy",
        ).json["strategy"]
        for method in ("arclength", "newton", "classic")
    ]  # fmt: skip
    for label, actions in strategies[0].items():
        for other in strategies[1:]:
            assert other[label] == pytest.approx(actions, abs=1e-6)


def test_dilated_play_at_beta_zero_counts_plans(command: Command) -> None:
    result = command("qre", "--definition", "dilated", "--beta", 0, "--json", "--strategy").json
    assert result["strategy"]["P0:J:"]["check"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("definition", ["agent", "counterfactual", "ex-ante", "dilated"])
def test_all_definitions_tend_to_the_value_of_the_game(command: Command, definition: str) -> None:
    result = command("qre", "--definition", definition, "--beta", 2000, "--json").json
    assert result["value"] == pytest.approx(-1 / 18, abs=1e-3)


def test_the_limit_is_a_nash_equilibrium(command: Command) -> None:
    result = command("qre", "--limit", "--json", "--strategy").json
    assert result["exploitability"] < 1e-12
    assert result["strategy"]["P0:J:"]["bet"] == pytest.approx(0.20174, abs=5e-4)
    assert result["limit"]["converged"] is True


def test_a_trace_holds_every_point(command: Command) -> None:
    result = command("qre", "--trace", "--max-beta", 1e6, "--json").json
    betas = [point["beta"] for point in result["branch"]]
    assert betas[0] == 0.0
    assert betas == sorted(betas)
    assert betas[-1] == 1e6
    assert result["branch"][0]["strategy"]["P0:K:"] == {"check": 0.5, "bet": 0.5}
    assert set(result["branch"][3]) >= {"value", "exploitability", "strategy", "action_values"}
    assert result["exploitability"] < 1e-5


def test_players_may_differ_in_rationality(command: Command) -> None:
    result = command("qre", "--beta0", 1, "--beta1", 4, "--json").json
    assert result["betas"] == [1.0, 4.0]
    same = command("qre", "--beta", 4, "--json").json
    assert result["value"] < same["value"]  # the duller player 0 loses more


def test_a_json_output_holds_the_whole_path(command: Command) -> None:
    assert command("qre", "--beta", 2, "--output", "path.json").status == 0
    document = json.loads(Path("path.json").read_text(encoding="utf-8"))
    assert set(document) == {"game", "game_id", "iteration_count", "iterations", "latest"}
    assert (document["game"], document["game_id"]) == ("Kuhn Poker", "kuhn")
    last = document["iterations"][-1]
    assert set(last) == {
        *("iteration", "beta", "residual_norm", "exploitability", "expected_value"),
        *("strategy", "action_evs"),
    }
    assert last["beta"] == 2.0
    assert document["latest"] == {
        "type": "complete",
        "final_exploitability": last["exploitability"],
    }
    assert Path("runs/kuhn-qre-1/strategy.bin").exists()
    assert "already exists" in command("qre", "--output", "path.json").error


def test_the_json_is_that_of_the_python_result(command: Command) -> None:
    printed = command("qre", "--beta0", 1, "--beta1", 2, "--trace", "--json", "--strategy").json
    found = untilt.qre("kuhn", beta=(1, 2), trace=True, save=False)
    expected = json.loads(json.dumps(found.to_json(strategy=True), allow_nan=False))
    for document in (printed, expected):
        del document["seconds"], document["run"]
    assert printed == expected
    assert list(printed) == list(expected)
    assert "branch" not in found.to_json(branch=False)
    assert "branch" not in untilt.qre("kuhn", beta=1, save=False).to_json()


def test_points_that_were_not_kept_cannot_be_written() -> None:
    found = untilt.qre("kuhn", beta=1, save=False)
    for write in (found.to_document, lambda: found.to_json(branch=True)):
        with pytest.raises(InvalidOption, match="trace=True"):
            write()


def test_newton_is_told_line_by_line(command: Command) -> None:
    found = command("qre", "--method", "classic", "--beta", 1, "--verbose")
    lines = [line for line in found.err.splitlines() if line.startswith("beta ")]
    assert len(lines) > 6
    assert all("lambda" in line and "condition" in line for line in lines)


def test_a_saved_path_can_be_shown_and_evaluated(command: Command) -> None:
    command("qre", "--beta", 5, "--output", "five")
    assert "Kuhn Poker" in command("show", "five").out
    assert command("evaluate", "five", "--json").json["exploitability"] > 0.0


def test_a_branch_is_drawn(command: Command) -> None:
    pytest.importorskip("matplotlib")
    outcome = command("qre", "--max-beta", 100, "--plot", "branch.svg", "-o", "path.json")
    assert outcome.status == 0
    assert "written: path.json, branch.svg\n" in outcome.err
    assert "<svg" in Path("branch.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--beta", -1), "--beta is -1.0; it must be a finite number"),
        (("--beta", "nan"), "--beta is nan"),
        (("--beta", "inf"), "--beta is inf"),
        (("--beta0", 1), "--beta0 and --beta1 need each other"),
        (("--beta0", 1, "--beta1", -2), "--beta1 is -2.0"),
        (("--definition", "agents"), "unknown --definition 'agents': did you mean 'agent'?"),
        (("--method", "newtn"), "unknown --method 'newtn': did you mean 'newton'?"),
        (("--tol", 0), "--tolerance is 0.0; it must be a number in (0, 1)"),
        (("--max-iters", 0), "--max-iterations is 0; it must be an integer, at least 1"),
        (("--jacobian", "numeric"), "unknown --jacobian 'numeric'"),
        (("--method", "newton", "--schedule", "3,1"), "--schedule has 3.0 before 1.0"),
        (("--schedule", "1,2"), "--schedule is for --method newton and --method classic"),
        (
            ("--method", "newton", "--schedule", "1,x"),
            "--schedule is '1,x'; it must be ascending numbers",
        ),
        (("--method", "newton", "--limit"), "--limit follows a branch; use --method arclength"),
        (("--definition", "dilated", "--limit"), "--definition dilated does not have"),
        (
            ("--plot", "branch.gif"),
            "--plot is branch.gif; give a name that ends in .svg, .png or .pdf",
        ),
        (("--beta", 1, "--max-beta", 2), "mean the same"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    command: Command, arguments: tuple[object, ...], message: str
) -> None:
    if message.startswith("must end"):
        pytest.importorskip("matplotlib")
    assert message in command("qre", *arguments).error
    assert not list(Path.cwd().glob("runs/*"))


def test_an_unreachable_tolerance_ends_with_the_best_residual(command: Command) -> None:
    found = command("qre", "--method", "classic", "--tol", 1e-30, "--beta", 1)
    assert found.status == 1
    assert "not converged" in found.err
