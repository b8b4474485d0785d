"""`untilt evaluate`: exact measures of runs and of hand-written strategies."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

import untilt


def uniform_kuhn() -> dict[str, dict[str, float]]:
    return untilt.strategies.uniform(untilt.games.compile(untilt.games.kuhn())).to_dict()


def write(name: str, document: Any) -> Path:
    path = Path(name)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_run_is_measured_with_the_game_that_it_holds(command: Command, runs: Path) -> None:
    found = command("evaluate", runs / "kuhn", "--json")
    assert (found.status, found.err) == (0, "")
    result = found.json
    assert result["game"] == "kuhn"
    assert result["value"] == pytest.approx(-1 / 18, abs=1e-5)
    assert result["values"][1] == pytest.approx(-result["values"][0], abs=1e-15)
    assert 0.0 < result["exploitability"] <= 1e-6
    assert result["nash_conv"] == sum(result["gains"]) == 2 * result["exploitability"]


def test_uniform_kuhn_written_by_hand_has_nash_conv_eleven_twelfths(command: Command) -> None:
    path = write("uniform.json", uniform_kuhn())
    result = command("evaluate", path, "--game", "kuhn", "--json").json
    assert result["nash_conv"] == pytest.approx(11 / 12, abs=1e-12)
    assert result["value"] == pytest.approx(1 / 8, abs=1e-12)


def test_a_best_response_wins_what_the_evaluation_says(command: Command, runs: Path) -> None:
    path = write("uniform.json", uniform_kuhn())
    found = command("evaluate", path, "-g", "kuhn", "--best-response", "best.json", "--json").json
    values = found["best_response"]["values"]
    assert values == pytest.approx(
        [value + gain for value, gain in zip(found["values"], found["gains"], strict=True)]
    )
    best = json.loads(Path("best.json").read_text(encoding="utf-8"))
    assert set(best) == set(uniform_kuhn())
    assert best["P0:K:cb"] == {"fold": 0.0, "call": 1.0}
    match = command("evaluate", "best.json", "-g", "kuhn", "--against", path, "--json").json
    assert match["against"]["as_player_0"] == pytest.approx(values[0])
    assert match["against"]["as_player_1"] == pytest.approx(values[1])
    assert match["against"]["mean"] == pytest.approx(sum(values) / 2)
    assert match["distance"]["largest"] == 0.5


def test_the_best_responses_of_all_three_players_are_written(command: Command) -> None:
    three = {"players": 3}
    run = untilt.solve("kuhn", "cfr", parameters=three, iterations=20, output="three")
    found = command("evaluate", "three", "--best-response", "best.json", "--json").json
    values = found["best_response"]["values"]
    assert values == pytest.approx(
        [value + gain for value, gain in zip(found["values"], found["gains"], strict=True)]
    )
    best = json.loads(Path("best.json").read_text(encoding="utf-8"))
    assert set(best) == set(run.profile)
    for player in range(3):
        response, value = untilt.strategies.best_response(run.game, run, player)
        assert value == pytest.approx(values[player])
        assert {label: best[label] for label in response} == dict(response)
        seated = [*run.profile.strategies]
        seated[player] = response
        measured = untilt.evaluate(run.game, tuple(seated))
        assert measured.values[player] == pytest.approx(value)


@pytest.mark.parametrize("players", [2, 3])
def test_action_values_are_plain_data_as_a_strategy_is_shown(
    command: Command, players: int
) -> None:
    parameters = {"players": players}
    run = untilt.solve("kuhn", "cfr", parameters=parameters, iterations=20, output="run")
    passive = {
        label: {name: float(name in ("check", "fold")) for name in mix}
        for label, mix in run.profile.items()
    }
    write("passive.json", passive)
    game = ("--game", "kuhn", "-p", f"players={players}")
    for options, strategy in ((("run",), run), (("passive.json", *game), "passive.json")):
        shown = command("show", *options, "--json").json["rows"]
        for player in range(players):
            found = untilt.strategies.action_values(run.game, strategy, player).to_json()
            assert found["player"] == player
            rows = {row["label"]: row for row in json.loads(json.dumps(found["rows"]))}
            expected = [row for row in shown if row["player"] == player]
            assert len(rows) == len(expected)
            for row in expected:
                own = rows[row["label"]]
                for name, action in row["actions"].items():
                    value, weighted = action["value"], own["actions"][name].pop("counterfactual")
                    if value is None:
                        assert weighted == 0.0
                    else:
                        assert weighted == pytest.approx(value * row["opponent_reach"], abs=1e-15)
                    del action["probability"]
                assert own == row
    unreached = [row for row in shown if row["opponent_reach"] == 0.0]
    assert unreached


def test_an_existing_file_is_not_overwritten_by_a_best_response(
    command: Command, runs: Path
) -> None:
    path = write("mine.json", {"precious": True})
    error = command("evaluate", runs / "kuhn", "--best-response", path).error
    assert "mine.json already exists" in error
    assert json.loads(path.read_text(encoding="utf-8")) == {"precious": True}


def test_a_profile_against_itself_wins_nothing_and_is_at_distance_zero(
    command: Command, runs: Path
) -> None:
    result = command("evaluate", runs / "kuhn", "--against", runs / "kuhn", "--json").json
    assert result["against"]["mean"] == pytest.approx(0.0, abs=1e-15)
    assert result["against"]["as_player_0"] == result["value"]
    assert result["distance"]["largest"] == 0.0


def test_the_readable_form_names_both_players_and_the_other_strategy(
    command: Command, runs: Path
) -> None:
    found = command("evaluate", runs / "kuhn", "--against", runs / "cfr")
    assert "Kuhn Poker" in found.out
    assert "player 0" in found.out
    assert "gain of a best response" in found.out
    assert f"against {runs / 'cfr'}: " in found.out
    assert "distance (total variation): largest" in found.out


def test_a_general_sum_game_is_evaluated(command: Command, faulty: Callable[[str], str]) -> None:
    path = write("uniform.json", uniform_kuhn())
    result = command("evaluate", path, "--game", faulty("PaysBoth"), "--json").json
    assert result["values"] == pytest.approx([1 + 1 / 8, 1 - 1 / 8])
    assert result["nash_conv"] == pytest.approx(11 / 12)


def test_strategies_of_different_games_are_not_compared(command: Command, runs: Path) -> None:
    error = command("evaluate", runs / "kuhn", "--against", runs / "leduc").error
    assert "different games (kuhn and leduc(ranks=3" in error


def test_a_run_is_not_of_the_game_that_was_given(command: Command, runs: Path) -> None:
    assert (
        "is a run of kuhn, not of leduc"
        in command("evaluate", runs / "kuhn", "--game", "leduc").error
    )
    assert command("evaluate", runs / "kuhn", "--game", "kuhn", "--json").status == 0


def change(**entries: dict[str, Any] | None) -> dict[str, Any]:
    """Return uniform Kuhn with some infosets replaced, or left out where None."""
    changed = {**uniform_kuhn(), **{name.replace("_", ":"): e for name, e in entries.items()}}
    return {label: actions for label, actions in changed.items() if actions is not None}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (change(P0_K_=None), "lacks 1 of player 0's 6 infosets, first 'P0:K:'"),
        (change(P0_K_={"raise": 1.0}), "infoset 'P0:K:' has no action 'raise'"),
        (change(P0_K_={"check": 0.7, "bet": 0.7}), "of infoset 'P0:K:' sum to 1.4"),
        (change(P0_K_={"check": -0.5, "bet": 1.5}), "it must be a number in [0, 1]"),
        (change(P0_K_={"check": "1"}), "it must be a number in [0, 1]"),
        (change(P0_A_={"check": 1.0}), "the infoset 'P0:A:', which the game does not have"),
        ([1, 2], "is not a strategy"),
        ({"P0:K:": 1.0}, "is not a strategy"),
    ],
)
def test_a_strategy_that_does_not_fit_its_game_is_refused_by_name(
    command: Command, document: Any, words: str
) -> None:
    error = command("evaluate", write("mine.json", document), "--game", "kuhn").error
    assert words in error
    assert "mine.json" in error


def test_a_strategy_file_needs_its_game(command: Command) -> None:
    error = command("evaluate", write("mine.json", uniform_kuhn())).error
    assert "add --game" in error


def test_what_does_not_exist_is_said_so(command: Command, runs: Path) -> None:
    assert "nowhere does not exist" in command("evaluate", "nowhere").error
    assert "other does not exist" in command("evaluate", runs / "kuhn", "--against", "other").error
    assert "give --game too" in command("evaluate", runs / "kuhn", "-p", "ranks=3").error
