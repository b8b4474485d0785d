"""A policy in one file plays, is shown, reviewed, measured and exported; nothing else is added."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tests.policy.mean_policy import mean

import untilt
from untilt.charts.mix_grid import print_mixes
from untilt.cli.main import run
from untilt.games import holdem
from untilt.play.table.versus import versus_policy
from untilt.policy.load import load_agents
from untilt.policy.nodes.node_json import node_json
from untilt.policy.nodes.public_state import follow
from untilt.policy.saved.match_game import named_game
from untilt.policy.tabular import TabularPolicy

NAMED = f"{Path(__file__).with_name('mean_policy.py')}:mean"
HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [40, 40]
actions = ["d dh p1 AcKc", "d dh p2 QcTc", "p2 cc", "p1 cc", "d db Jc9c8d", "p1 cc", "p2 cc"]
"""
MEASURED = ("-p", "stack=20", "--variant", "fold or call", "--seed", 3)


def test_it_plays_matches_by_itself_and_from_its_file() -> None:
    leduc = untilt.match(mean, "call", 2_000, game="leduc", seed=1)
    again = untilt.match(NAMED, "call", 2_000, game="leduc", seed=1, trust=True)
    assert leduc.value == again.value != 0.0
    game, [policy] = load_agents([NAMED], "leduc", trust=True)
    assert versus_policy(game, policy).described == "random or call"


def test_it_is_shown(tmp_path: Path) -> None:
    root = holdem()
    board = tuple(sorted(root.rules.deck_set)[:3])
    node = mean.at(follow(mean, root.rules, "cc/", board))
    # Half of the hands check anyway; of the others one in two does.
    assert node.shares["check"] == pytest.approx(0.75)
    found = node_json(node)
    assert found["line"] == "cc/"
    assert len(found["actions"]) == len(node.actions)
    console = Console(width=100, record=True, file=None)
    with console.capture() as captured:
        print_mixes(console, node)
    assert "check" in captured.get()
    node.plot(tmp_path / "node.svg")
    assert "check 75.0%" in (tmp_path / "node.svg").read_text()


def test_it_reviews_a_hand() -> None:
    root = holdem()
    hand = untilt.play.record_hand(root, [root.sample(random.Random(1)), "call", "check"])
    review = untilt.review(hand, mean)
    first = review.decisions[0].advice
    assert first is not None
    assert first.mix["call"] == pytest.approx(0.5 + 0.5 / 3)
    assert first.complete_values is None


def test_what_can_be_won_from_it_is_measured() -> None:
    game = named_game("holdem", {"stack": "20"})
    found = untilt.exploit(mean, 20, game=game, variants=["fold or call"], seed=3)
    assert found.deals == 20
    assert found.mbb > 0.0


def test_it_is_exported_and_measured_exactly(tmp_path: Path) -> None:
    kuhn = untilt.games.compile("kuhn")
    profile = mean.profile(kuhn)
    exact = untilt.evaluate(kuhn, profile).exploitability
    assert exact > 0.1
    file = tmp_path / "mean.json"
    file.write_text(json.dumps(profile.to_dict()))
    assert untilt.evaluate(kuhn, str(file)).exploitability == exact
    played = untilt.match(TabularPolicy.from_file(file), "call", 500, game="kuhn", seed=2)
    assert played.value == untilt.match(mean, "call", 500, game="kuhn", seed=2).value


def test_a_spot_begins_with_its_ranges() -> None:
    rules = holdem().rules
    spot = untilt.Spot.from_policy(mean, "call, check", "Ks7h2d", rules=rules)
    assert np.all(spot.ranges[0].weights[spot.combos(0)] == 1.0)


def test_commands_take_it_by_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hand.phh").write_text(HAND)

    def command(*arguments: object) -> Any:
        capsys.readouterr()
        status = run([*map(str, arguments), "--trust", "--json"])
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return json.loads(captured.out)

    played = command("match", NAMED, "call", "--game", "leduc", "--hands", 2_000, "--seed", 1)
    assert played["value"] == untilt.match(mean, "call", 2_000, game="leduc", seed=1).value
    reviewed = command("hand", "hand.phh", "--strategy", NAMED)
    mix = reviewed["decisions"][0]["mix"]
    assert mix["call"] == pytest.approx(0.5 + 0.5 / 3)
    won = command("exploit", NAMED, "--deals", 2, "--game", "holdem", *MEASURED)
    game = named_game("holdem", {"stack": "20"})
    found = untilt.exploit(mean, 2, game=game, variants=["fold or call"], seed=3)
    assert won["lbr_mbb"] == found.mbb
