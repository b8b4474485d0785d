"""`untilt.review`: what it takes, and how a review shows itself."""

import json
import math
import random
from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint

import untilt
from untilt.errors import InvalidOption, StrategyError
from untilt.games.holdem.game import Holdem
from untilt.policy.load import AnyAgent
from untilt.policy.simple import always_call

__all__ = ["stored"]  # a fixture

HANDS = Path(__file__).parents[2] / "data" / "hands"
RIVER_HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [25, 50]
min_bet = 50
starting_stacks = [150, 150]
players = ["Ann", "Bob"]
actions = ["d dh p1 AsAh", "d dh p2 KsKh", "p2 cc", "p1 cc", "d db 2c2d2h", "p1 cc", "p2 cc",
  "d db 3c", "p1 cc", "p2 cc", "d db 3d", "p1 cbr 100", "p2 cc"]
"""
SPOT = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))


def test_a_solved_spot_judges_the_street_that_it_knows() -> None:
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    found = untilt.review(history, untilt.solve(SPOT, iterations=200, save=False))
    known = [each for each in found.decisions if each.cost is not None]
    assert [str(each.step.action) for each in known] == ["all-in 100", "call"]
    assert sum(found.costs) == pytest.approx(sum(each.cost or 0.0 for each in known))
    assert repr(found) == (
        f"<HandReview of KsKh v AsAh on 2h2d2c3c3d: 8 decisions, cost {found.costs[0]:.4g} and "
        f"{found.costs[1]:.4g}, Ann (big blind) wins 150>"
    )
    html = found._repr_html_()
    assert html.count("<tr>") == 9
    assert "Bob (small blind)" in html


def test_a_spot_with_noise_judges_by_what_its_players_win() -> None:
    (history,) = untilt.play.parse_phh(RIVER_HAND.replace("AsAh", "QsQh"))
    solution = untilt.solve(SPOT, noise="40%", target=1e-6, save=False)
    found = untilt.review(history, solution)
    bluff, call = (each.cost for each in found.decisions if each.cost is not None)
    for cost, line, hand, action in (
        (bluff, "", "QsQh", "all-in 100"),
        (call, "all-in 100", "KsKh", "call"),
    ):
        node = solution.at(line)
        values = node.action_ev[:, node.hands.index(hand)]
        assert cost == pytest.approx(max(values) - values[node.actions.index(action)], abs=1e-6)
    assert bluff > 5.0  # players with so much noise call bluffs too often


def test_a_file_has_one_hand_or_several() -> None:
    found = untilt.review(HANDS / "openspiel-raises.phh")
    assert found.costs == (0.0, 0.0)
    assert len(repr(found)) < 200
    with pytest.raises(InvalidOption, match="number is 2; there is one hand"):
        untilt.review(HANDS / "openspiel-raises.phh", number=2)


def test_only_one_adviser_and_one_of_holdem() -> None:
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    with pytest.raises(InvalidOption, match="strategy and agent are given"):
        untilt.review(history, "run", agent="bp")
    with pytest.raises(StrategyError, match="a run of kuhn, which is not hold'em"):
        untilt.review(history, untilt.solve("kuhn", iterations=2, save=False))


@pytest.mark.parametrize("given", ["text", "policy", "function", "table"])
def test_whatever_plays_can_be_given(given: str) -> None:
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    strategies: dict[str, AnyAgent] = {
        "text": "call",
        "policy": always_call(),
        "function": lambda label: "call",
        "table": {"P0:KsKh::": {"fold": 0.25, "call": 0.75}},
    }
    found = [each.advice for each in untilt.review(history, strategies[given]).decisions]
    if given == "function":  # code says what it does with its own hand at a table only
        assert found == [None] * 8
    else:
        assert found[0] is not None
        assert found[0].mix["call"] == (0.75 if given == "table" else 1.0)
        assert (found[1] is None) == (given == "table")  # which lacks the other decisions


def test_a_blueprint_that_thinks_and_a_file_are_text_too(stored: Path, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.bin"
    blueprint = random_blueprint(path)
    root = Holdem(blueprint.rules)
    history = untilt.play.record_hand(root, [root.sample(random.Random(1)), "call", "check"])
    text = f"{path} --think 1s --iterations 2"
    by_text = untilt.review(history, text)
    assert by_text.to_json() == untilt.review(history, agent=text).to_json()
    assert by_text.decisions[0].cost is not None
    label = str(by_text.decisions[0].step.position.infoset(0))
    file = tmp_path / "strategy.json"
    file.write_text(json.dumps({label: {"call": 1.0}}))
    advice = untilt.review(history, f"{file}").decisions[0].advice
    assert advice is not None
    assert advice.mix == {"call": 1.0}


def test_code_is_run_only_if_it_is_trusted(tmp_path: Path) -> None:
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    file = tmp_path / "bot.py"
    file.write_text("from untilt.policy.simple import always_call\ncalls = always_call()\n")
    with pytest.raises(InvalidOption, match="if you trust it, add trust=True"):
        untilt.review(history, f"{file}:calls")
    advice = untilt.review(history, f"{file}:calls", trust=True).decisions[0].advice
    assert advice is not None
    assert advice.mix["call"] == 1.0


def test_the_frame_has_a_row_per_decision() -> None:
    pytest.importorskip("pandas")
    (history,) = untilt.play.parse_phh(RIVER_HAND)
    solution = untilt.solve(SPOT, iterations=200, save=False)
    frame = untilt.review(history, solution).to_frame()
    assert frame["street"].tolist() == [
        *("preflop", "preflop", "flop", "flop", "turn", "turn", "river", "river")
    ]
    assert math.isnan(frame["cost"][0])
    assert frame["action"].tolist()[-2:] == ["all-in 100", "call"]
    assert 0.0 <= frame["probability"].iloc[-1] <= 1.0
