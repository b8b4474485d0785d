"""General-sum games of Gambit's files: every player's value, by the names of the file."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.runs import game_runs

import untilt
from untilt.errors import NotZeroSum

CENTIPEDE = """EFG 2 R "Centipede" { "Ann" "bob [x]" }
""

p "" 1 1 "a" { "Take" "Pass" } 0
t "" 1 "" { 4, 1 }
p "" 2 1 "b" { "Take" "Pass" } 0
t "" 2 "" { 2, 8 }
p "" 1 2 "c" { "Take" "Pass" } 0
t "" 3 "" { 16, 4 }
p "" 2 2 "d" { "Take" "Pass" } 0
t "" 4 "" { 8, 32 }
t "" 5 "" { 64, 16 }
"""
UNIFORM = (9.0, 6.0)
"""½·4 + ¼·2 + ⅛·16 + 1/16·8 + 1/16·64, and the same of 1, 8, 4, 32, 16."""
DILEMMA = """NFG 1 R "Prisoner's dilemma" { "Alice" "Bob" }
{ { "C" "D" } { "C" "D" } }

3 3 4 0 0 4 1 1
"""


@pytest.fixture(autouse=True)
def _files(_empty_folder: None) -> None:
    Path("centipede.efg").write_text(CENTIPEDE)
    Path("dilemma.nfg").write_text(DILEMMA)


@pytest.mark.parametrize("options", [[], ["--method", "es"], ["--method", "cfr+,dcfr"]])
def test_a_zero_sum_solver_names_the_commands_that_solve_the_game(
    command: Command, options: list[str]
) -> None:
    error = command("solve", "centipede.efg", *options).error
    advised = re.findall("`untilt (.*?)`", error)
    assert advised == [
        "qre centipede.efg --limit",
        "solve centipede.efg --method gambit-lcp",
    ]
    if importlib.util.find_spec("pygambit") is None:
        advised.pop()
    for line in advised:
        found = command(*shlex.split(line))
        assert found.status == 0, found.err
        assert "values Ann +4.00000000, bob [x] +1.00000000   exploitability" in found.out


def test_in_python_it_names_the_calls() -> None:
    with pytest.raises(NotZeroSum) as refusal:
        untilt.solve("centipede.efg", save=False)
    assert "untilt.qre(game, limit=True)" in str(refusal.value)
    assert 'untilt.solve(game, "gambit-lcp")' in str(refusal.value)
    found = untilt.qre("centipede.efg", limit=True, save=False)
    assert found.values == pytest.approx((4.0, 1.0), abs=1e-6)


def test_other_advice_is_kept(command: Command) -> None:
    error = command("qre", "centipede.efg", "--definition", "dilated").error
    assert error.endswith("use --definition agent, counterfactual or ex-ante")
    assert str(NotZeroSum(error).for_game("centipede.efg")) == error


def test_names_and_values_of_both_players_are_shown(command: Command) -> None:
    assert command("qre", "centipede.efg", "--beta", "0.01", "--output", "run").status == 0
    values = game_runs.load("run").values
    both = f"values Ann {values[0]:+.8f}, bob [x] {values[1]:+.8f}   exploitability"
    for found in (
        command("qre", "centipede.efg", "--beta", "0.01"),
        command("show", "run"),
    ):
        assert both in found.out
        titles = [line.strip() for line in found.out.splitlines()]
        assert "Ann" in titles
        assert "Bob [x]" in titles
        assert "Player 0" not in found.out
    measured = command("evaluate", "run").out.splitlines()
    assert measured[2].split(maxsplit=1) == ["Ann", "bob [x]"]
    assert measured[3].split() == ["value", *(f"{value:+.9f}" for value in values)]
    compared = command("compare", "run", "run").out
    for name, value in zip(("Ann", "bob [x]"), values, strict=True):
        assert re.search(
            rf"value of {re.escape(name)}( +{re.escape(f'{value:+.9f}')}){{2}}", compared
        )
        assert re.search(rf"[+-][\d.]+ (chips per hand )?as {re.escape(name)}", compared)
    checked = command("games", "--check", "centipede.efg").out
    assert "  Ann gains         +2 to +64 chips\n  bob [x] gains     +1 to +32 chips\n" in checked


def test_the_path_of_quantal_response_has_a_column_for_each_player(command: Command) -> None:
    found = command("qre", "centipede.efg", "--beta", "1", "--output", "run").out
    lines = [line.split() for line in found.splitlines()]
    [head] = (number for number, line in enumerate(lines) if line[:1] == ["beta"])
    assert lines[head] == ["beta", "Ann", "bob", "[x]", "exploitability"]
    assert [float(cell) for cell in lines[head + 1][:3]] == [0.0, *UNIFORM]
    progress = game_runs.load("run").progress
    assert (progress["value"][0], progress["value_1"][0]) == UNIFORM


def test_a_path_in_python_has_both_values(command: Command) -> None:
    found = untilt.qre("centipede.efg", beta=1, trace=True, save=False)
    assert (found.branch.values(0)[0], found.branch.values(1)[0]) == UNIFORM
    assert f"values Ann {found.values[0]:.9g}, bob [x] {found.values[1]:.9g}" in repr(found)
    assert "value of bob [x], chips" in found.run._repr_html_()


def test_zero_sum_games_have_one_value(command: Command) -> None:
    found = command("qre", "kuhn", "--beta", "1", "--output", "run")
    assert re.search(r"^value [+-]\d", found.out, re.MULTILINE)
    assert re.search("^ *beta +value  exploitability$", found.out, re.MULTILINE)
    assert "Player 0" in found.out
    assert "value_1" not in game_runs.load("run").progress


def test_names_are_in_json(command: Command) -> None:
    names = ["Alice", "Bob"]
    assert command("qre", "dilemma.nfg", "--output", "run", "--json").json["players"] == names
    assert command("evaluate", "run", "--json").json["players"] == names
    assert command("show", "run", "--json").json["players"] == names
    assert command("compare", "run", "run", "--json").json["players"] == names
    assert command("games", "--check", "dilemma.nfg", "--json").json["players"] == names
    assert command("solve", "kuhn", "--method", "lp", "--json").json["players"] == [
        "player 0",
        "player 1",
    ]


@pytest.mark.parametrize(
    ("game", "form", "names"),
    [
        ("centipede.efg", "efg", '{ "Ann" "bob [x]" }'),
        ("dilemma.nfg", "nfg", '{ "Alice" "Bob" }'),
        ("dilemma.nfg", "efg", '{ "Alice" "Bob" }'),
        ("kuhn", "efg", '{ "Player 0" "Player 1" }'),
    ],
)
def test_names_are_written_to_files_of_gambit(
    command: Command, game: str, form: str, names: str
) -> None:
    assert command("qre", game, "--beta", "1", "--output", "run").status == 0
    for number, source in enumerate(("run", game)):
        file = Path(f"copy{number}.{form}")
        assert command("export", source, "--to", form, "-o", file).status == 0
        assert names in file.read_text().splitlines()[0]
