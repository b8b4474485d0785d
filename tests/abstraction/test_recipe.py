"""Runs on abstract games: rebuilt from text, refused if the abstraction has changed."""

import json
import math
from pathlib import Path

import pytest
from tests.runs import game_runs
from tests.runs.game_runs import load, resume

import untilt
from untilt.abstraction import (
    AbstractPosition,
    abstract,
    alike,
    betting_line,
    hand_class,
    linear_pot,
    private,
    public,
    sizes,
    street,
)
from untilt.abstraction.lifting import lift
from untilt.abstraction.recipe import described, parameters_of_abstract
from untilt.errors import InvalidOption, RunError, UnknownName
from untilt.games import holdem, kuhn, river_of_blood
from untilt.games.registry import name_position, resolve
from untilt.play.table.versus import Versus
from untilt.runs.games.full_game import lift_run

READY = """
from untilt.abstraction import abstract, hand_class, linear_pot, sizes, street
from untilt.games import river_of_blood
game = abstract(river_of_blood(), street * hand_class * linear_pot(5), sizes("100%, a"))
"""

WRITTEN = """
from untilt.abstraction import abstract, algebraic, sizes, street
from untilt.games import river_of_blood

@algebraic
def high_card(infoset):
    return infoset.hand[0] & 15

game = abstract(river_of_blood(), street * high_card, sizes("100%, a"))
"""


def solved(folder: Path, source: str, iterations: int = 60) -> Path:
    (folder / "game.py").write_text(source)
    run = folder / "run"
    untilt.solve(f"{folder}/game.py:game", "es-linear", iterations=iterations, output=run, batch=10)
    return run


def test_a_game_of_ready_made_parts_is_the_registered_one() -> None:
    texts = {"game": "river-of-blood", "parameters": "stack=50", "states": "street * hand_class"}
    made = resolve("abstract", {**texts, "actions": "sizes('50%, a')"})
    own = abstract(river_of_blood(stack=50), street * hand_class, sizes("50%, a"))
    named = name_position(own)
    assert named.is_builtin
    assert named.reference == "abstract"
    again = resolve("abstract", named.parameters).game
    assert described(again) == described(own) == described(made.game)
    assert isinstance(again, AbstractPosition)
    assert again.parameters == own.parameters


def test_other_positions_and_functions_are_not_rebuilt_from_text() -> None:
    dealt = AbstractPosition(kuhn().apply("J"), abstract(kuhn(), betting_line).abstraction)
    assert parameters_of_abstract(dealt) is None
    assert not name_position(abstract(dealt.base, betting_line)).is_builtin


def test_a_run_of_ready_made_parts_is_resumed_without_its_file(tmp_path: Path) -> None:
    run = solved(tmp_path, READY)
    (tmp_path / "game.py").unlink()
    record = json.loads((run / "run.json").read_text())
    assert record["reference"] == "abstract"
    assert record["game"] == "game"
    longer = resume(run, iterations=120)
    whole = untilt.solve(
        abstract(river_of_blood(), street * hand_class * linear_pot(5), sizes("100%, a")),
        "es-linear", iterations=120, batch=10, save=False,
    )  # fmt: skip
    assert longer.iterations == 120
    assert longer.profile == whole.profile
    assert load(run).profile == whole.profile


def test_a_run_with_a_users_function_needs_trust_and_the_same_function(tmp_path: Path) -> None:
    run = solved(tmp_path, WRITTEN)
    with pytest.raises(RunError, match=r"would execute .*game\.py.*--trust"):
        resume(run, iterations=80)
    assert resume(run, iterations=80, trust=True).iterations == 80
    (tmp_path / "game.py").write_text(WRITTEN.replace("& 15", "& 7"))
    with pytest.raises(RunError, match=r"another abstraction: a function in 'high_card \* street'"):
        resume(run, iterations=90, trust=True)
    (tmp_path / "game.py").write_text(WRITTEN.replace("street *", "hand_class *").replace(
        "algebraic, sizes, street", "algebraic, hand_class, sizes"))  # fmt: skip
    with pytest.raises(RunError, match=r"its states are high_card \* street, those of the game"):
        resume(run, iterations=90, trust=True)
    (tmp_path / "game.py").write_text(WRITTEN.replace("100%", "50%"))
    with pytest.raises(RunError, match=r"its actions are sizes\('100%, a'\), those of the game"):
        resume(run, iterations=90, trust=True)


def test_a_run_of_kuhn_is_lifted_to_kuhn(tmp_path: Path) -> None:
    run = untilt.solve("abstract", "lp", output=tmp_path / "run")
    lifted = lift_run(game_runs.load(tmp_path / "run"))
    assert lifted is not None
    assert lifted.name == "kuhn"
    found = untilt.evaluate(lifted.game, lifted.profile)
    assert run.exploitability == pytest.approx(0.0, abs=1e-12)
    assert found.exploitability == pytest.approx(1 / 6)
    assert lift_run(untilt.solve("kuhn", "lp", save=False)) is None


def test_small_holdem_under_a_menu_is_lifted_to_all_its_bets() -> None:
    root = holdem(stack=6, board="3", ranks=7, suits=1)
    full = untilt.games.compile(root)
    game = abstract(root, private * public * betting_line, sizes("100%, a"))
    run = untilt.solve(game, "cfr+", iterations=300, save=False)
    for mapping in ("pseudo-harmonic", "nearest"):
        found = untilt.evaluate(full, lift(game, run.profile, full, mapping=mapping))
        # Exact in the abstract game, beaten by bets outside the menu, but far from random play.
        assert run.exploitability < 0.01
        assert run.exploitability < found.exploitability < 0.5
        assert math.isfinite(found.value)
    everything = untilt.evaluate(full, untilt.strategies.uniform(full))
    assert everything.exploitability > 1.0


def test_wrong_texts_are_refused() -> None:
    with pytest.raises(UnknownName, match="'chess'"):
        resolve("abstract", {"game": "chess"})
    with pytest.raises(UnknownName):
        resolve("abstract", {"game": "abstract"})
    with pytest.raises(InvalidOption, match="write them as 'stack=40"):
        resolve("abstract", {"game": "holdem", "parameters": "deep"})
    with pytest.raises(InvalidOption, match="is not a menu"):
        resolve("abstract", {"game": "holdem", "states": "street", "actions": "street"})
    with pytest.raises(InvalidOption, match="for hold'em"):
        resolve("abstract", {"actions": "sizes('a')"})
    assert repr(abstract(kuhn(), alike("QK")).abstraction) == "alike('QK')"


def test_a_changed_abstraction_is_refused_at_the_table(tmp_path: Path) -> None:
    run = solved(tmp_path, WRITTEN)
    assert Versus.load(run, trust=True).name == "game"
    (tmp_path / "game.py").write_text(WRITTEN.replace("& 15", "& 7"))
    with pytest.raises(RunError, match="another abstraction: a function in"):
        Versus.load(run, trust=True)
