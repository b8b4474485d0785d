"""`untilt fit`: from a table of observed play to β and a strategy file."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

import untilt
from untilt.game.compiled import compile_histories
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.problem import QuantalProblem

BETA = 3.0


@pytest.fixture(scope="module")
def profile() -> dict[str, dict[str, float]]:
    problem = QuantalProblem(compile_histories(untilt.games.kuhn()))
    return problem.profile(trace(problem.system, BETA).log_odds[-1]).to_dict()


def write_hands(
    path: Path, profile: dict[str, dict[str, float]], num_hands: int, seed: int = 2
) -> None:
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("p0", "p1", "public", "line"))
        for _ in range(num_hands):
            position = untilt.games.kuhn()
            while not position.terminal:
                if position.chance:
                    position = position.apply(position.sample(rng))
                    continue
                mixed = profile[str(position.infoset(position.active))]
                position = position.apply(rng.choices(list(mixed), list(mixed.values()))[0])
            cards, line = position.cards, position.line
            writer.writerow((cards[0], cards[1], "", line))


@pytest.fixture
def hands(profile: dict[str, dict[str, float]]) -> Path:
    write_hands(Path("hands.csv"), profile, 4_000)
    return Path("hands.csv")


def test_hands_give_beta_with_its_standard_error(command: Command, hands: Path) -> None:
    found = command("fit", hands, "--game", "kuhn", "--json")
    assert (found.status, found.err) == (0, "")
    result = found.json
    assert (result["game"], result["definition"], result["method"]) == (
        "kuhn",
        "agent",
        "likelihood",
    )
    assert abs(result["beta"] - BETA) < 3 * result["standard_error"]
    assert result["interval"][0] < result["beta"] < result["interval"][1]
    assert result["interval_scale"] == "log"
    assert result["hands"] == 4_000
    assert 8_000 < result["observations"] < 12_000
    assert result["uniform_log_likelihood"] < result["log_likelihood"]
    assert result["nash_log_likelihood"] is None
    assert result["per_player"] is None
    assert result["goodness"]["p_value"] > 0.01
    assert len(result["goodness"]["infosets"]) == 12
    p_values = [row["p_value"] for row in result["goodness"]["infosets"]]
    assert p_values == sorted(p_values)


def test_counts_and_hands_give_the_same(command: Command, hands: Path) -> None:
    first = command("fit", hands, "--game", "kuhn", "--json").json
    rows = [
        f"{row['infoset']},{action},{count}"
        for row in first["goodness"]["infosets"]
        for action, count in row["observed"].items()
        if count
    ]
    Path("counts.csv").write_text("\n".join(["infoset,action,count", *rows]), encoding="utf-8")
    second = command("fit", "counts.csv", "--game", "kuhn", "--json").json
    assert second["beta"] == first["beta"]
    assert second["hands"] is None


def test_the_json_is_that_of_the_python_result(command: Command, experiment: Path) -> None:
    asked: dict[str, Any] = {
        "subject": "who",
        "treatment": "treatment",
        "group": "cohort",
        "folds": 2,
    }
    flags = [part for name, value in asked.items() for part in (f"--{name}", value)]
    command_line = ("fit", experiment, "-g", "kuhn", "--per-player", *flags)
    printed = command(*command_line, "-o", "a.json", "--json").json
    found = untilt.fit(experiment, "kuhn", per_player=True, output="b.json", **asked)
    expected = json.loads(json.dumps(found.to_json(), allow_nan=False))
    for document in (printed, expected):
        del document["seconds"], document["file"]
    assert printed == expected
    assert list(printed) == list(expected)
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert "file" not in untilt.fit(experiment, "kuhn").to_json()


def test_the_fitted_strategy_can_be_evaluated_and_exploited(command: Command, hands: Path) -> None:
    found = command("fit", hands, "-g", "kuhn", "--per-player", "-o", "fit.json", "--json").json
    both = found["per_player"]
    assert found["file"] == "fit.json"
    assert set(both) >= {"beta0", "beta1", "standard_errors", "covariance", "log_likelihood"}
    assert both["likelihood_ratio"] >= 0.0
    assert 0.0 <= both["p_value"] <= 1.0
    document = json.loads(Path("fit.json").read_text(encoding="utf-8"))
    assert document["game"] == "kuhn"
    measured = command(
        *("evaluate", "fit.json", "--game", "kuhn", "--best-response", "br.json", "--json")
    ).json
    assert measured["exploitability"] > 0.01
    match = command("evaluate", "br.json", "-g", "kuhn", "--against", "fit.json", "--json").json
    assert match["against"]["mean"] == pytest.approx(sum(measured["best_response"]["values"]) / 2)


def test_the_readable_form_names_estimate_models_and_worst_infosets(
    command: Command, hands: Path
) -> None:
    found = command("fit", hands, "--game", "kuhn", "--per-player")
    assert found.status == 0
    for words in (
        "Kuhn Poker",
        "in 4,000 hands",
        "standard error",
        "(symmetric in log beta)",
        "one beta against two: likelihood ratio",
        "-inf (it rules out observed actions)",
        "goodness of fit: chi-square",
        "observed / fitted",
        "residual",
        "the worst of 12 infosets: p-value",
        "corrected for their number (Holm)",
    ):
        assert words in found.out


def test_a_player_outside_the_model_is_pointed_out(
    command: Command, profile: dict[str, dict[str, float]]
) -> None:
    write_hands(Path("odd.csv"), {**profile, "P1:K:b": {"fold": 0.3, "call": 0.7}}, 4_000)
    found = command("fit", "odd.csv", "--game", "kuhn")
    lines = [line for line in found.out.splitlines() if "outside the model" in line]
    assert any(line.strip().startswith("player 1") for line in lines)
    first_row = found.out.partition("observed / fitted")[2].splitlines()[1]
    assert first_row.startswith("P1:K:b")


def test_p_values_and_residuals_of_infosets_are_in_the_json(command: Command, hands: Path) -> None:
    goodness = command("fit", hands, "--game", "kuhn", "--json").json["goodness"]
    assert goodness["is_tested"]
    assert goodness["fitted_parameters"] == 1
    assert 8.0 < goodness["df"] < 11.0
    assert sum(player["df"] for player in goodness["players"]) == pytest.approx(
        goodness["df"], abs=1.0
    )
    for row in goodness["infosets"]:
        assert row["adjusted_p_value"] >= row["p_value"]
        first, second = row["residuals"].values()
        assert first == pytest.approx(-second)


def test_payoffs_from_the_observations_are_not_tested(command: Command, hands: Path) -> None:
    found = command("fit", hands, "--game", "kuhn", "--method", "empirical")
    assert found.status == 0
    assert "not tested: the payoffs were computed from the same observations" in found.out
    assert "p-value" not in found.out
    found = command("fit", hands, "--game", "kuhn", "--method", "empirical", "--json")
    assert found.json["goodness"]["p_value"] is None


ONE_SHOT = """EFG 2 R "one shot" {{ "Row" "Column" }}
p "" 1 1 "row" {{ "up" "down" }} 0
p "" 2 1 "column" {{ "left" "right" }} 0
t "" 1 "" {{ 3 {0} }}
t "" 2 "" {{ 0 {1} }}
p "" 2 1 "column" {{ "left" "right" }} 0
t "" 3 "" {{ 1 {2} }}
t "" 4 "" {{ 1 {3} }}
"""
COUNTS = "infoset,action,count\nrow,up,70\nrow,down,30\n"


def test_a_beta_that_is_not_identified_is_named_as_such(command: Command) -> None:
    Path("indifferent.efg").write_text(ONE_SHOT.format(1, 1, 1, 1), encoding="utf-8")
    counts = COUNTS + "column,left,48\ncolumn,right,52\n"
    Path("counts.csv").write_text(counts, encoding="utf-8")
    found = command("fit", "counts.csv", "--game", "indifferent.efg", "--per-player")
    assert found.status == 0
    assert "Column: beta not identified: to first order, these observations" in found.out
    assert "one beta against two: not tested" in found.out
    result = command(
        *("fit", "counts.csv", "--game", "indifferent.efg", "--per-player", "--json")
    ).json
    both = result["per_player"]
    assert both["is_identified"] == [True, False]
    assert both["standard_errors"] == [pytest.approx(result["standard_error"]), None]
    assert both["p_value"] is None


def test_a_model_that_can_follow_any_counts_is_not_tested(command: Command) -> None:
    Path("shot.efg").write_text(ONE_SHOT.format(2, 0, 2, 0), encoding="utf-8")
    Path("counts.csv").write_text(COUNTS, encoding="utf-8")
    found = command("fit", "counts.csv", "--game", "shot.efg")
    assert "goodness of fit: not tested: the fitted parameters can follow any counts" in found.out
    found = command("fit", "counts.csv", "--game", "shot.efg", "--per-player")
    assert "Row: beta not identified: only the two together are" in found.out


@pytest.mark.parametrize("definition", ["counterfactual", "ex-ante"])
def test_other_definitions_and_the_empirical_method(
    command: Command, hands: Path, definition: str
) -> None:
    for method in ("likelihood", "empirical"):
        found = command(
            *("fit", hands, "-g", "kuhn", "--definition", definition, "--method", method, "--json")
        ).json
        assert (found["definition"], found["method"]) == (definition, method)
        assert found["beta"] > BETA  # their values are smaller than conditional ones


def test_a_search_that_ends_too_early_says_at_least(command: Command, hands: Path) -> None:
    found = command("fit", hands, "--game", "kuhn", "--max-beta", "1")
    assert found.status == 0
    assert "beta at least" in found.out
    result = command("fit", hands, "--game", "kuhn", "--max-beta", "1", "--json").json
    assert result["is_at_least"]
    assert result["standard_error"] is None
    assert result["interval"][1] is None


@pytest.mark.parametrize("method", ["likelihood", "empirical"])
def test_the_largest_search_there_is_finds_the_same_beta(
    command: Command, hands: Path, method: str
) -> None:
    asked = ("fit", hands, "-g", "kuhn", "--method", method, "--per-player", "--json")
    usual, largest = (command(*asked, "--max-beta", most).json for most in ("1e6", "1e300"))
    for name in ("beta", "standard_error"):
        assert largest[name] == pytest.approx(usual[name], rel=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("a,b\n1,2\n", "row 1: the header is 'a,b'"),
        ("infoset,action,count\nP0:X:,bet,1\n", "row 2: the game has no infoset 'P0:X:'"),
        ("infoset,action,count\nP0:J:,fold,1\n", "row 2: infoset 'P0:J:' has no action 'fold'"),
        ("infoset,action,count\nP0:J:,bet,-3\n", "row 2: the count is -3"),
        ("infoset,action,count\nP0:J:,bet,0\n", "row 2: the count is 0; it must be from 1 to"),
        ("infoset,action,count\nP0:J:,bet,0.5\n", "row 2: the count '0.5' is not an integer"),
        ("p0,p1,public,line\nJ,Q,,cbx\n", "row 2: infoset 'P0:J:cb' has no action for the letter"),
    ],
)
def test_bad_observations_are_refused_in_one_line(command: Command, text: str, words: str) -> None:
    Path("bad.csv").write_text(text, encoding="utf-8")
    error = command("fit", "bad.csv", "--game", "kuhn").error
    assert words in error
    assert "bad.csv" in error


def test_bad_options_are_refused_in_one_line(command: Command, hands: Path) -> None:
    assert "missing.csv does not exist" in command("fit", "missing.csv", "-g", "kuhn").error
    assert "--game" in command("fit", hands).error
    assert "--max-beta is nan" in command("fit", hands, "-g", "kuhn", "--max-beta", "nan").error
    assert (
        "--max-beta is -1.0; it must be a finite number above 0"
        in command("fit", hands, "-g", "kuhn", "--max-beta", "-1").error
    )
    for flag in ("--definition", "--method"):
        assert (
            f"unknown {flag} 'dilated'"
            in command("fit", hands, "-g", "kuhn", flag, "dilated").error
        )
    Path("fit.json").write_text("{}", encoding="utf-8")
    assert "fit.json already exists" in command("fit", hands, "-g", "kuhn", "-o", "fit.json").error


@pytest.fixture
def experiment(profile: dict[str, dict[str, float]]) -> Path:
    """Twelve subjects in two treatments, one of which plays nearly at random."""
    hurried = {
        label: {action: 0.4 + 0.2 * share for action, share in row.items()}
        for label, row in profile.items()
    }
    rows = []
    for subject in range(12):
        treatment = ("calm", "hurry")[subject % 2]
        write_hands(Path("own.csv"), (profile, hurried)[subject % 2], 40, seed=subject)
        own = Path("own.csv").read_text(encoding="utf-8").splitlines()[1:]
        rows += [f"{line},s{subject},{treatment},{'xy'[subject > 5]},7" for line in own]
    header = "p0,p1,public,line,who,Treatment,cohort,age"
    Path("lab.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    return Path("lab.csv")


def test_subjects_treatments_and_folds_are_reported(command: Command, experiment: Path) -> None:
    asked = ("fit", experiment, "-g", "kuhn", "--subject", "who", "--treatment", "treatment")
    result = command(*asked, "--folds", "3", "--seed", "4", "--json").json
    assert result["unused_columns"] == ["cohort", "age"]
    assert result["clustered"]["subjects"] == 12
    assert result["clustered"]["standard_error"] > result["standard_error"]
    groups = result["groups"]
    assert [level["name"] for level in groups["levels"]] == ["calm", "hurry"]
    assert groups["levels"][0]["beta"] > 1.5 > groups["levels"][1]["beta"]
    (test,) = groups["tests"]
    assert (test["beta_depends_on"], test["df"], test["parameters"]) == ([], 1, 1)
    assert test["p_value"] < 1e-6
    assert test["robust"]["df"] == [1, 11]
    validation = result["cross_validation"]
    assert (validation["folds"], validation["seed"]) == (3, 4)
    assert validation["subjects_by_fold"] == [4, 4, 4]
    totals = {each["model"]: each["log_likelihood"] for each in validation["models"]}
    assert list(totals) == ["uniform", "beta", "beta per level", "frequencies"]
    assert totals["beta"] < totals["beta per level"]
    assert (
        result["cross_validation"]
        == command(*asked, "--folds", "3", "--seed", "4", "--json").json["cross_validation"]
    )


def test_the_readable_form_has_subjects_groups_and_folds(
    command: Command, experiment: Path
) -> None:
    found = command(
        *("fit", experiment, "-g", "kuhn", "--subject", "who", "--treatment", "treatment"),
        *("--group", "cohort", "--folds", "2", "--per-player"),
    )
    assert found.status == 0
    for words in (
        "columns not used: age",
        "clustered by subject (12): standard error",
        "group, treatment",
        "x, calm",
        "one beta against beta per group and treatment: likelihood ratio",
        "beta per treatment against beta per group and treatment",
        "cross-validation: 2 folds of 12 subjects, seed 0",
        "held-out log-likelihood",
        "frequencies of the other folds",
    ):
        assert words in found.out


def test_options_of_subjects_that_do_not_go_together_are_refused(
    command: Command, experiment: Path
) -> None:
    start = ("fit", experiment, "-g", "kuhn")
    assert "--subject COLUMN" in command(*start, "--folds", "3").error
    assert "add --folds" in command(*start, "--seed", "3").error
    assert "there is no column 'whom'" in command(*start, "--subject", "whom").error
    error = command(*start, "--subject", "who", "--method", "empirical").error
    assert "--method likelihood" in error
    assert "there are 12 subjects" in command(*start, "--subject", "who", "--folds", "13").error
    assert "at least two values" in command(*start, "--group", "age").error
