"""Methods by name, their options, and games that they refuse."""

import math
from typing import Any

import numpy as np
import pytest
from tests.game.trees import FORGETFUL, GENERAL_SUM

from untilt.errors import ImperfectRecall, InvalidOption, NotZeroSum, UnknownName
from untilt.evaluation.action_values import action_values
from untilt.game.compiled import compile  # noqa: A004
from untilt.games import kuhn
from untilt.solvers.methods import DEFAULT_METHOD, METHODS, method_named

KUHN = compile(kuhn())


def test_methods_are_found_by_name() -> None:
    assert {"cfr", "cfr+", "linear", "dcfr", "dcfr+", "pcfr+", "lp"} <= set(METHODS)
    for name, method in METHODS.items():
        assert method_named(name) is method
        assert method.name == name
        assert "\n" not in method.summary
    assert DEFAULT_METHOD in METHODS


def test_an_unknown_method_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown method 'dcfr\+\+': did you mean 'dcfr\+'"):
        method_named("dcfr++")


def test_published_defaults() -> None:
    assert METHODS["dcfr"].options({}) == {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}
    assert METHODS["linear"].options({}) == {"alpha": 1.0, "beta": 1.0, "gamma": 1.0}
    assert METHODS["cfr"].options({}) == {"average": "uniform"}
    assert METHODS["cfr+"].options({}) == {"average": "quadratic"}
    assert METHODS["dcfr+"].options({}) == {"alpha": 1.5, "gamma": 1.0, "defer_averaging": 1000}
    assert METHODS["pcfr+"].options({}) == {"average": "quadratic", "prediction": 1.0}
    assert METHODS["lp"].options({}) == {}


@pytest.mark.parametrize(
    ("short", "long", "regret"),
    [
        ("cs", "mccfr-chance", "rm"),
        ("es", "mccfr-external", "rm"),
        ("es+", "mccfr-external", "rm+"),
        ("es-linear", "mccfr-external", "linear"),
        ("os", "mccfr-outcome", "linear"),
    ],
)
def test_a_short_name_stands_for_a_sampling_method_and_its_regrets(
    short: str, long: str, regret: str
) -> None:
    assert METHODS[short].options({}) == METHODS[long].options({"regret": regret})


def test_given_options_come_before_defaults() -> None:
    options = METHODS["dcfr"].options({"beta": 0.5})
    assert options == {"alpha": 1.5, "beta": 0.5, "gamma": 2.0}
    assert METHODS["dcfr"].options({}) == {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("cfr", {"alpha": 1.0}, "method cfr takes no option alpha; it takes average='uniform'"),
        ("lp", {"average": "linear"}, "method lp takes no option average; it takes none"),
        ("dcfr+", {"beta": 1.0}, "takes no option beta"),
        ("dcfr", {"alpha": math.nan}, "alpha is nan; it must be a number"),
        ("dcfr", {"alpha": "big"}, "alpha is 'big'; it must be a number"),
        ("dcfr", {"beta": True}, "beta is True; it must be a number"),
        ("dcfr", {"gamma": -1.0}, "gamma is -1.0; it must be a number in [0, 100]"),
        ("dcfr", {"gamma": math.inf}, "gamma is inf; it must be a number in [0, 100]"),
        ("dcfr", {"gamma": None}, "gamma is None; it must be a number in [0, 100]"),
        (
            "dcfr+",
            {"defer_averaging": -1},
            "is -1; it must be an integer, at least 0",
        ),
        (
            "dcfr+",
            {"defer_averaging": 1.5},
            "is 1.5; it must be an integer, at least 0",
        ),
        ("dcfr+", {"defer_averaging": True}, "defer_averaging is True"),
        ("pcfr+", {"prediction": 1.5}, "prediction is 1.5"),
        ("pcfr+", {"prediction": -0.1}, "prediction is -0.1"),
        ("os", {"exploration": 0.0}, "exploration is 0.0; it must be a number in (0, 1]"),
        ("os", {"exploration": 1.01}, "exploration is 1.01; it must be a number in (0, 1]"),
        ("os", {"exploration": math.nan}, "exploration is nan; it must be a number"),
        ("es", {"exploration": 0.5}, "method es takes no option exploration"),
        ("es", {"threads": 0}, "threads is 0; it must be an integer from 1 to 256"),
        ("es", {"threads": 257}, "threads is 257"),
        ("es", {"threads": 2.0}, "threads is 2.0"),
        ("es", {"batch": -1}, "batch is -1; it must be an integer from"),
        ("es", {"batch": 1.5}, "batch is 1.5; it must be an integer from"),
        ("es", {"period": 0}, "period is 0"),
        ("es", {"cache": 999}, "cache is 999"),
    ],
)
def test_options_out_of_range_are_refused(method: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        METHODS[method].options(options)
    assert said in str(caught.value)


@pytest.mark.parametrize("average", ["cubic", "", 2, None])
def test_an_unknown_average_lists_the_known_ones(average: Any) -> None:
    with pytest.raises(UnknownName, match="known: uniform, linear, quadratic"):
        METHODS["cfr+"].options({"average": average})


OWN = [name for name, method in METHODS.items() if method.extra is None]
"""Methods that need no other program."""
ZERO_SUM_ONLY = [name for name in OWN if name != "qre"]
NEEDS_RECALL = [name for name in ZERO_SUM_ONLY if not METHODS[name].is_sampling]


@pytest.mark.parametrize("method", ZERO_SUM_ONLY)
def test_a_general_sum_game_is_refused_by_name(method: str) -> None:
    with pytest.raises(NotZeroSum, match="do not sum to zero at every terminal"):
        METHODS[method].build(compile(GENERAL_SUM), METHODS[method].options({}), None)


@pytest.mark.parametrize("method", NEEDS_RECALL)
def test_imperfect_recall_is_refused_with_the_infoset(method: str) -> None:
    with pytest.raises(ImperfectRecall, match=r"'P0:again'.*sampling solver"):
        METHODS[method].build(compile(FORGETFUL), METHODS[method].options({}), None)


@pytest.mark.parametrize("method", OWN)
def test_every_method_is_a_solver(method: str) -> None:
    solver = METHODS[method].build(KUHN, METHODS[method].options({}), 10)
    solver.warm_up()
    assert (solver.iteration is None) == (method == "lp")
    assert solver.seconds == 0.0
    steps = list(solver.progress(10))
    assert steps[-1].evaluation is not None
    assert solver.seconds == steps[-1].seconds > 0.0
    snapshot = solver.snapshot()
    assert snapshot.kind == "sequence"
    assert snapshot.is_sound()
    first, second = snapshot.profile.behaviours
    assert (len(first), len(second)) == (13, 13)


@pytest.mark.parametrize("method", OWN)
def test_a_snapshot_keeps_strategy_and_action_values_in_a_frame(method: str) -> None:
    solver = METHODS[method].build(KUHN, METHODS[method].options({}), 10)
    list(solver.progress(10))
    snapshot = solver.snapshot()
    worth = [action_values(KUHN.exact_form(), snapshot.profile, p).conditional for p in (0, 1)]
    strategy, values = snapshot.frame()
    assert strategy.tolist() == np.concatenate(snapshot.profile.behaviours).tolist()
    np.testing.assert_array_equal(values, np.concatenate(worth))


def test_a_snapshot_without_perfect_recall_knows_no_action_values() -> None:
    method = METHODS["mccfr-external"]
    solver = method.build(compile(FORGETFUL), method.options({"on": "tree"}), 10)
    list(solver.progress(10))
    strategy, values = solver.snapshot().frame()
    assert solver.snapshot().values is None
    assert len(values) == len(strategy)
    assert np.isnan(values).all()
