"""The linear program: exact equilibria, and what iterative solvers find is the same."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.game.trees import AGAINST_NATURE, NATURE_AGAINST, TreeGame, random_trees
from tests.reference.games import Matrix

from untilt.evaluation.best_response import Evaluation, evaluate
from untilt.evaluation.comparison import head_to_head
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import Profile, random_profile, uniform_profile
from untilt.games import kuhn, leduc, leduc_276, resolve
from untilt.solvers.lp import LpSolver
from untilt.solvers.methods import METHODS

LIARS_DICE = f"{Path(__file__).parents[2] / 'examples' / 'liars_dice.py'}:game"


def solved(game: CompiledGame) -> tuple[Profile, Evaluation]:
    solver = LpSolver(game.zero_sum_form())
    steps = list(solver.progress())
    assert len(steps) == 1
    assert steps[0].iteration is None
    assert steps[0].evaluation is not None
    return solver.snapshot().profile, steps[0].evaluation


@pytest.mark.parametrize(
    ("game", "value", "digits"),
    [
        (kuhn(), -1 / 18, 1e-14),
        (leduc(), -0.085606424078, 5e-13),
        (leduc(suits="distinguished"), -0.085606424078, 5e-13),
        (leduc(bets=3), -0.0779040568, 5e-11),
        (leduc_276(), 0.0709407757, 5e-11),
        (resolve(LIARS_DICE, {"sides": 3}).game, 1 / 9, 1e-14),
        (AGAINST_NATURE, 2.6, 1e-14),
        (NATURE_AGAINST, -0.2, 1e-14),
        (Matrix(((2.0, -1.0), (-1.0, 1.0))), 1 / 5, 1e-14),
        (Matrix(((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))), 0.0, 1e-14),
    ],
    ids=[
        "kuhn",
        "leduc",
        "leduc, suits distinguished",
        "leduc, three bets",
        "leduc-276",
        "liar's dice, 3 sides",
        "against nature",
        "nature against",
        "pennies",
        "rock paper scissors",
    ],
)
def test_equilibria_are_exact(game: Game, value: float, digits: float) -> None:
    compiled = compile(game)
    profile, said = solved(compiled)
    found = evaluate(compiled.exact_form(), profile)
    assert found.exploitability <= 1e-12
    assert found.value == pytest.approx(value, abs=digits, rel=0)
    assert said == found


def test_the_equilibrium_of_kuhn_is_one_of_the_known_family() -> None:
    profile, _ = solved(compile(kuhn()))
    alpha = profile["P0:J:"]["bet"]
    assert -1e-12 <= alpha <= 1 / 3 + 1e-12
    bold = {label: actions.get("bet", actions.get("call")) for label, actions in profile.items()}
    assert bold == pytest.approx(
        {
            "P0:J:": alpha,
            "P0:Q:": 0.0,
            "P0:K:": 3 * alpha,
            "P0:J:cb": 0.0,
            "P0:Q:cb": alpha + 1 / 3,
            "P0:K:cb": 1.0,
            "P1:J:c": 1 / 3,
            "P1:Q:c": 0.0,
            "P1:K:c": 1.0,
            "P1:J:b": 0.0,
            "P1:Q:b": 1 / 3,
            "P1:K:b": 1.0,
        },
        abs=1e-12,
    )


def test_before_it_has_solved_it_plays_uniformly() -> None:
    game = compile(leduc())
    solver = LpSolver(game.zero_sum_form())
    solver.warm_up()
    found = solver.snapshot().profile.to_dict()
    assert found == uniform_profile(game).to_dict()
    assert solver.state() == {}
    solver.restore({})
    assert solver.iteration is None


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc-276"])
def test_cfr_plus_agrees_to_a_millionth(name: str) -> None:
    game = compile(resolve(name).game)
    method = METHODS["cfr+"]
    last = list(method.build(game, method.options({}), None).progress(50_000))[-1]
    assert last.evaluation is not None
    assert last.evaluation.exploitability <= 2e-5
    assert last.evaluation.value == pytest.approx(solved(game)[1].value, abs=1e-6, rel=0)


@pytest.mark.parametrize(
    ("method", "tolerance"),
    [
        ("cfr", 2e-6),
        ("cfr+", 2e-11),
        ("linear", 2e-11),
        ("dcfr", 4e-11),
        ("dcfr+", 3e-11),
        ("pcfr+", 5e-12),
        ("sapcfr+", 3e-12),
        ("pdcfr+", 3e-12),
        ("apcfr+", 3e-12),
        ("apdcfr+", 3e-12),
        ("hs-dcfr", 1e-10),
        ("hs-pcfr+", 3e-12),
    ],
)
def test_every_method_finds_the_value_of_kuhn(method: str, tolerance: float) -> None:
    game = compile(kuhn())
    solver = METHODS[method].build(game, METHODS[method].options({}), 200_000)
    last = list(solver.progress(200_000))[-1]
    assert last.evaluation is not None
    assert last.evaluation.value == pytest.approx(-1 / 18, abs=tolerance, rel=0)


def test_the_methods_above_are_all_there_are() -> None:
    marks = getattr(test_every_method_finds_the_value_of_kuhn, "pytestmark")  # noqa: B009
    exact = {
        name for name, method in METHODS.items() if not method.is_sampling and method.extra is None
    }
    assert {method for method, _ in marks[0].args[1]} == exact - {"lp", "qre"}


@given(game=random_trees(max_depth=6))
@settings(deadline=None, max_examples=40)
def test_random_games_have_one_value_by_both_ways(game: TreeGame) -> None:
    compiled = compile(game)
    _, exact = solved(compiled)
    assert exact.exploitability <= 1e-9
    method = METHODS["cfr+"]
    solver = method.build(compiled, method.options({}), None)
    for step in solver.progress(100_000):
        if step.evaluation and step.evaluation.nash_conv <= 5e-5:
            break
    assert step.evaluation is not None
    assert step.evaluation.value == pytest.approx(exact.value, abs=1e-4, rel=0)


@given(game=random_trees(max_depth=4))
@settings(deadline=None, max_examples=25)
def test_no_player_can_do_better_than_the_value(game: TreeGame) -> None:
    compiled = compile(game)
    profile, exact = solved(compiled)
    form = compiled.exact_form()
    rng = np.random.default_rng(1)
    for _ in range(5):
        found = head_to_head(form, random_profile(compiled, rng), profile)
        assert found.as_player_0 <= exact.value + 1e-9
        assert found.as_player_1 <= -exact.value + 1e-9
