"""`untilt show`: the table, its filters and labels, and how an infoset learned."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command
from tests.runs import game_runs

import untilt
from untilt.cli.text.explain import rule_in_words
from untilt.solvers.methods import METHODS


def labels_of(rows: list[dict[str, Any]]) -> list[str]:
    return [row["label"] for row in rows]


def test_the_table_shows_value_exploitability_and_every_infoset(
    command: Command, runs: Path
) -> None:
    found = command("show", runs / "kuhn")
    assert (found.status, found.err) == (0, "")
    assert "Kuhn Poker by cfr+" in found.out
    assert "value -0.0555" in found.out
    assert "reach" not in found.out
    assert found.out.count("call") == 6
    king = next(line for line in found.out.splitlines() if line.startswith("K     cb"))
    assert king.split()[2:] == ["▓" * 24, "fold", "0.0%", "call", "100.0%"]


def test_reach_and_values_are_columns_on_demand(command: Command, runs: Path) -> None:
    found = command("show", runs / "lp", "--reach", "--values", "--card", "K", "--line", "cb")
    line = next(line for line in found.out.splitlines() if line.startswith("K "))
    assert "fold -1.0000  call +2.0000" in line
    assert "reach" in found.out


def test_rows_as_json_hold_probabilities_values_and_reaches(command: Command, runs: Path) -> None:
    document = command("show", runs / "lp", "--json").json
    assert document["game"] == "kuhn"
    assert document["iterations"] is None
    assert len(document["rows"]) == 12
    row = next(row for row in document["rows"] if row["label"] == "P0:J:")
    assert (row["player"], row["private"], row["public"], row["line"]) == (0, "J", "", "")
    assert row["actions"]["check"]["probability"] + row["actions"]["bet"][
        "probability"
    ] == pytest.approx(1.0)
    assert row["actions"]["check"]["value"] == pytest.approx(-1.0)
    assert (row["own_reach"], row["opponent_reach"]) == (1.0, pytest.approx(1 / 3))


def test_a_value_that_is_undefined_is_null(command: Command) -> None:
    plain = untilt.strategies.uniform(untilt.games.compile(untilt.games.kuhn())).to_dict()
    always_check = {
        label: {**p, "check": 1.0, "bet": 0.0} for label, p in plain.items() if "check" in p
    }
    Path("passive.json").write_text(json.dumps({**plain, **always_check}), encoding="utf-8")
    rows = command("show", "passive.json", "--game", "kuhn", "--line", "b", "--json").json["rows"]
    assert labels_of(rows) == ["P1:J:b", "P1:Q:b", "P1:K:b"]
    assert all(row["actions"]["call"]["value"] is None for row in rows)
    assert all(row["opponent_reach"] == 0.0 for row in rows)
    shown = command("show", "passive.json", "--game", "kuhn", "--line", "b", "--values").out
    assert "call       –" in shown


def test_filters_by_player_card_board_and_line_combine(command: Command, runs: Path) -> None:
    def shown(*options: object) -> list[str]:
        return labels_of(command("show", runs / "leduc", "--json", *options).json["rows"])

    assert len(shown("--player", 1)) == 144
    assert shown("--player", 0, "--card", "K", "--board", "Q", "--line", "cc/cb") == [
        "P0:K:Q:cc/cb"
    ]
    assert shown("--line", "", "--player", 0) == ["P0:J::", "P0:Q::", "P0:K::"]
    in_words = shown(
        "--player", 0, "--card", "K", "--board", "Q", "--line", "check, check / c, Bet"
    )
    assert in_words == ["P0:K:Q:cc/cb"]
    assert shown("--line", "bet, raise*") == shown("--line", "br*")
    assert all(label.split(":")[3].startswith("br") for label in shown("--line", "br*"))
    assert len(shown("--line", "*")) == 288
    assert len(shown("--board", "")) == 3 * (4 + 4 - 2)
    assert shown("--player", 1, "--line", "") == []
    assert len(shown("--top", 7)) == 7
    assert "P0:J::" in shown("--top", 7)


def test_a_card_or_line_that_the_game_has_not_is_refused_with_those_it_has(
    command: Command, runs: Path
) -> None:
    assert command("show", runs / "kuhn", "--card", "A").error == "unknown card 'A': known: J, Q, K"
    assert "known: '', cb, c, b" in command("show", runs / "kuhn", "--line", "x*").error
    assert command("show", runs / "kuhn", "--line", "chekc, bet").error == (
        "unknown line 'chekc, bet': did you mean 'check, bet'? known: '', 'check, bet', check, bet"
    )
    assert "unknown board 'K'" in command("show", runs / "kuhn", "--board", "K").error
    assert command("show", runs / "kuhn", "--player", 2).status == 2


def test_compact_labels_number_the_cards_and_letters_keep_them(
    command: Command, runs: Path
) -> None:
    def labels(form: str) -> list[str]:
        found = command("show", runs / "kuhn", "--player", 0, "--labels", form, "--json")
        return labels_of(found.json["rows"])

    assert labels("compact") == ["1/", "1/CB", "2/", "2/CB", "3/", "3/CB"]
    assert labels("letters") == ["J/", "J/CB", "Q/", "Q/CB", "K/", "K/CB"]
    assert labels("full") == ["P0:J:", "P0:J:cb", "P0:Q:", "P0:Q:cb", "P0:K:", "P0:K:cb"]
    table = command("show", runs / "kuhn", "--labels", "compact", "--card", "K").out
    assert "infoset  strategy" in table
    assert "\n3/CB " in table


def test_compact_labels_name_the_public_card_where_there_is_one(
    command: Command, runs: Path
) -> None:
    options = ("--card", "K", "--board", "Q", "--line", "cc/cb", "--json")
    rows = command("show", runs / "leduc", "--labels", "compact", *options).json["rows"]
    assert labels_of(rows) == ["3:2/CC/CB"]


def test_compact_labels_need_a_card_and_a_line(command: Command) -> None:
    Path("coins.py").write_text(COINS, encoding="utf-8")
    assert command("solve", "coins.py", "-n", 10, "-o", "coins").status == 0
    error = command("show", "coins", "--labels", "compact").error
    assert "needs infosets with a private card and a line" in error
    assert "first [bold]" in command("show", "coins").out


COINS = '''
"""Matching pennies: no cards, no line, and labels that look like markup."""
from typing import NamedTuple
from untilt.game.protocol import Game

class Knowledge(NamedTuple):
    name: str
    def actions(self): return ("heads", "tails")
    def __str__(self): return self.name

class Coins(Game):
    def __init__(self, shown=()): self.shown = shown
    terminal = property(lambda self: len(self.shown) == 2)
    chance = False
    active = property(lambda self: len(self.shown))
    def payoff(self, player): return 1.0 if len(set(self.shown)) - 1 == player else -1.0
    def infoset(self, player): return Knowledge(("first [bold]", "second :x:")[player])
    def apply(self, action): return Coins((*self.shown, action))

game = Coins
'''


def test_explain_ends_at_the_strategy_of_the_run(command: Command, runs: Path) -> None:
    run = game_runs.load(runs / "cfr")
    for label in ("P0:K:", "P1:Q:b"):
        document = command("show", runs / "cfr", "--explain", label, "--json").json
        moments = document["moments"]
        assert [moment["iteration"] for moment in moments] == [1, 2, 3, 5, 10, 20, 50, 100, 200]
        assert moments[-1]["average"] == run.strategy[label]
        assert set(moments[0]["average"].values()) == {0.5}


def test_explained_regrets_give_the_current_strategy_by_regret_matching(
    command: Command, runs: Path
) -> None:
    moments = command("show", runs / "cfr", "--explain", "P0:J:", "--json").json["moments"]
    assert moments[0]["regrets"] == pytest.approx({"check": -0.125, "bet": 0.125})
    for moment in moments:
        positive = {name: max(regret, 0.0) for name, regret in moment["regrets"].items()}
        total = sum(positive.values())
        assert moment["current"] == pytest.approx(
            {name: regret / total for name, regret in positive.items()}
        )


def test_explain_prints_a_table_and_what_is_seen(command: Command, runs: Path) -> None:
    found = command("show", runs / "cfr", "--explain", "P0:J:").out
    assert "regret sum" in found
    assert "        1  -0.1250  0.1250    0.0% 100.0%   50.0%  50.0%" in found
    assert "Actions with a negative sum are not played" in " ".join(found.split())


def test_what_cannot_be_explained_is_refused_with_the_reason(command: Command, runs: Path) -> None:
    assert "did you mean 'P0:K:cb'?" in command("show", runs / "cfr", "--explain", "P0:K:bc").error
    assert (
        "lp solves the whole game in one step"
        in command("show", runs / "lp", "--explain", "P0:K:").error
    )
    command("export", runs / "lp")
    assert (
        "a strategy file has no iterations"
        in command("show", "lp.json", "--explain", "P0:K:").error
    )


def test_a_branch_of_quantal_responses_has_no_regrets_to_explain(command: Command) -> None:
    command("qre", "kuhn", "--beta", 1, "-o", "branch")
    error = command("show", "branch", "--explain", "P0:J:").error
    assert "qre follows a branch of quantal responses, without regrets" in error


def test_an_unfinished_run_shows_its_last_checkpoint(command: Command) -> None:
    command("solve", "kuhn", "-n", 50, "-o", "half way")
    (Path("half way") / "result.json").unlink()
    (Path("half way") / "strategy.bin").unlink()
    found = command("show", "half way")
    assert found.status == 0
    assert "50 iterations" in found.out
    assert "unfinished; continue with: untilt solve --resume 'half way'" in found.out


def test_a_damaged_or_missing_run_is_refused_in_one_line(command: Command) -> None:
    command("solve", "kuhn", "-n", 5, "-o", "run")
    path = Path("run") / "game.bin"
    content = bytearray(path.read_bytes())
    content[-3] ^= 0x40
    path.write_bytes(content)
    assert "game.bin" in command("show", "run").error
    (Path("run") / "run.json").write_text("{}", encoding="utf-8")
    assert "run.json is damaged" in command("show", "run").error
    assert "does not exist" in command("show", "nowhere").error
    Path("empty").mkdir()
    assert "holds no run" in command("show", "empty").error


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("cfr", {}, ("every iteration count the same", "Both players respond to the strategies")),
        ("cfr", {}, ("negative sum are not played", "weights every iteration equally")),
        ("cfr+", {}, ("sums are set to 0", "proportion to the sums", "iteration t by t^2")),
        ("linear", {}, ("regrets of iteration t count t times", "iteration t by t.")),
        ("linear", {"beta": -math.inf}, ("by (t-1)/((t-1)+1) and negative ones by 0",)),
        ("dcfr", {}, ("by (t-1)^1.5/((t-1)^1.5+1) and negative ones by 1/2",)),
        ("dcfr", {"alpha": 2.0}, ("by (t-1)^2/((t-1)^2+1) and negative",)),
        ("dcfr+", {}, ("leaves out the first 1,000, at most a tenth", "sums are set to 0")),
        ("pcfr+", {}, ("plus a prediction, the regret of the last", "Player 1 responds")),
        ("sapcfr+", {}, ("plus a prediction, 0.333 times the regret", "iteration t by t^4")),
        ("pdcfr+", {}, ("the regret of the last", "first discounted once more", "t by t^5")),
        ("apcfr+", {}, ("the regret of the last", "counts the less the more it has been wrong")),
        (
            "hs-dcfr",
            {"horizon": 50},
            ("move until iteration 50: those of the discounts from 1 to 4 and from -1 to -3",),
        ),
        ("hs-pcfr+", {}, ("until iteration 1,000: that of the average from 30 to 25",)),
        ("es", {}, ("estimates from samples", "a period is 10,000 iterations")),
        ("es+", {}, ("Negative sums are set to 0", "weights period t by t.")),
        ("os", {"period": 5}, ("regrets of period t count t times", "a period is 5 iterations")),
    ],
)
def test_a_rule_is_explained_by_its_numbers(
    method: str, options: dict[str, float], said: tuple[str, ...]
) -> None:
    chosen = METHODS[method]
    words = rule_in_words(chosen, chosen.options(options))
    for part in said:
        assert part in words
