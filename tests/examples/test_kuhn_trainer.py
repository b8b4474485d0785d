"""The trainer in plain Python finds what the library finds, which shares no code with it."""

import io
import runpy
from collections import defaultdict
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import untilt
from untilt.game.compiled import CompiledGame

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "kuhn_trainer.py"
PerAction = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def kuhn() -> CompiledGame:
    return untilt.games.compile(untilt.games.kuhn())


@pytest.fixture(scope="module")
def trained() -> dict[str, Any]:
    """What the script has computed when it is done, by name; what it has printed is `printed`."""
    with redirect_stdout(io.StringIO()) as out:
        names = runpy.run_path(str(SCRIPT), run_name="__main__")
    return {**names, "printed": out.getvalue()}


def in_full(table: PerAction) -> PerAction:
    """Return a table with the labels and action names of the library."""
    full: PerAction = {}
    for infoset, numbers in table.items():
        card, history = infoset.split("/")
        names = {"F": "fold", "B": "bet", "C": "call" if history.endswith("B") else "check"}
        label = f"P{len(history) % 2}:{'JQK'[int(card) - 1]}:{history.lower()}"
        full[label] = {names[action]: number for action, number in numbers.items()}
    return full


def test_the_trainer_stays_within_sixty_lines_of_its_own() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert "untilt" not in text


def test_regrets_of_all_six_deals_add_up_to_the_exact_counterfactual_regrets(
    kuhn: CompiledGame,
) -> None:
    fresh = runpy.run_path(str(SCRIPT), run_name="imported")
    regret_sum: PerAction = fresh["regret_sum"]
    mean: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for deal in fresh["DEALS"]:
        regret_sum.clear()  # so that every deal is played uniformly
        fresh["walk"](deal, "", (1.0, 1.0))
        for label, regrets in in_full(regret_sum).items():
            for action, regret in regrets.items():
                mean[label][action] += regret / 6
    uniform = untilt.strategies.uniform(kuhn)
    for player in (0, 1):
        table = kuhn.infosets[player]
        values = untilt.strategies.action_values(kuhn.exact_form(), uniform, player).counterfactual
        for index, label in enumerate(table.labels):
            block = values[table.block(index)]
            exact = dict(zip(table.actions(index), block - block.mean(), strict=True))
            assert mean[label] == pytest.approx(exact, abs=1e-12), label


def test_the_average_counts_an_infoset_as_often_as_the_own_moves_lead_there() -> None:
    fresh = runpy.run_path(str(SCRIPT), run_name="imported")
    fresh["regret_sum"]["3/"] = {"C": 1.0, "B": 3.0}  # checks in one hand of four
    fresh["walk"]((3, 1), "", (1.0, 1.0))
    mass = {infoset: sum(played.values()) for infoset, played in fresh["strategy_sum"].items()}
    assert mass == {"3/": 1.0, "1/C": 1.0, "3/CB": 0.25, "1/B": 1.0}


def test_the_trained_strategy_is_hardly_exploitable_and_has_the_value_of_kuhn(
    kuhn: CompiledGame, trained: dict[str, Any]
) -> None:
    profile = untilt.strategies.from_dict(kuhn, in_full(trained["average"]))
    evaluation = untilt.evaluate(kuhn.exact_form(), profile)
    assert evaluation.exploitability < 0.004
    assert evaluation.value == pytest.approx(-1 / 18, abs=1e-3)
    own_value = sum(trained["value"](trained["average"], deal) for deal in trained["DEALS"]) / 6
    assert own_value == pytest.approx(evaluation.value, abs=1e-12)


def test_the_trained_strategy_is_a_member_of_the_family_of_equilibria(
    trained: dict[str, Any],
) -> None:
    found: PerAction = trained["average"]
    alpha = found["1/"]["B"]  # how often player 0 bluffs with the lowest card
    assert -0.02 < alpha < 1 / 3 + 0.02
    expected = {
        ("2/", "B"): 0.0,
        ("3/", "B"): 3 * alpha,
        ("1/CB", "C"): 0.0,
        ("2/CB", "C"): alpha + 1 / 3,
        ("3/CB", "C"): 1.0,
    }
    for (infoset, action), share in expected.items():
        assert found[infoset][action] == pytest.approx(share, abs=0.03), infoset


def test_player_1_learns_the_strategy_that_the_library_finds(trained: dict[str, Any]) -> None:
    # Player 1 has one equilibrium strategy only, so both must find the same one.
    exact = untilt.solve("kuhn", "cfr+", target=1e-6, save=False).strategy
    for label, strategy in in_full(trained["average"]).items():
        if label.startswith("P1"):
            assert strategy == pytest.approx(dict(exact[label]), abs=0.03), label


def test_the_trainer_prints_every_infoset_as_show_names_it_and_the_value(
    trained: dict[str, Any],
) -> None:
    *rows, last = trained["printed"].splitlines()
    histories = [(card, line) for card in "123" for line in ("", "B", "C", "CB")]
    assert [row.split()[0] for row in rows] == [f"{card}/{line}" for card, line in histories]
    word, value, *_ = last.replace(",", "").split()
    assert word == "value"
    assert float(value) == pytest.approx(-1 / 18, abs=1e-3)
