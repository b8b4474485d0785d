"""Large linear programs leave actions out at first; the equilibrium is that of the whole game."""

import pytest

from untilt.evaluation.best_response import evaluate_plans
from untilt.game.compiled import compile  # noqa: A004
from untilt.games import leduc
from untilt.games.registry import pushfold
from untilt.solvers import lp


@pytest.mark.parametrize("stack", [2.0, 10.0, 20.0])
def test_push_fold_is_solved_exactly(stack: float) -> None:
    form = compile(pushfold(stack)).zero_sum_form()
    assert form.num_pairs > lp._LEAST_SIFTED
    found = evaluate_plans(form, form.plans(form.behaviours(lp.solve_plans(form))))
    assert found.nash_conv < 1e-13
    if stack == 10.0:
        assert found.value == pytest.approx(-0.0453708, abs=5e-8)
    if stack == 20.0:
        assert found.value == pytest.approx(-0.1831897, abs=5e-8)


@pytest.mark.parametrize("margin", [3.0, 0.0], ids=["usual margin", "best responses alone"])
def test_what_was_left_out_comes_back(monkeypatch: pytest.MonkeyPatch, margin: float) -> None:
    """On Leduc much of what was left out is needed off the path of play."""
    form = compile(leduc()).zero_sum_form()
    monkeypatch.setattr(lp, "_LEAST_SIFTED", 1)
    monkeypatch.setattr(lp, "_MARGIN", margin)
    rounds = []
    solve_program = lp._solve_program

    def counted(*arguments):  # type: ignore[no-untyped-def]
        rounds.append(1)
        return solve_program(*arguments)

    monkeypatch.setattr(lp, "_solve_program", counted)
    found = evaluate_plans(form, form.plans(form.behaviours(lp.solve_plans(form))))
    assert found.value == pytest.approx(-0.085606424078, abs=5e-13)
    assert found.nash_conv < 1e-12
    assert margin > 0.0 or len(rounds) > 1
