"""Strategies of abstract games in the full game."""

import pytest

import untilt
from untilt.abstraction import abstract, alike, betting_line, private, public, street
from untilt.abstraction.lifting import lift
from untilt.evaluation.best_response import evaluate
from untilt.game.compiled import compile_histories
from untilt.games import kuhn, leduc


def test_lifting_from_everything_changes_nothing() -> None:
    root = leduc()
    game = abstract(root, private * public * betting_line)
    run = untilt.solve(game, "cfr+", iterations=200, save=False)
    full = compile_histories(root)
    lifted = lift(game, run.profile, full)
    assert run.exploitability == pytest.approx(
        evaluate(full.exact_form(), lifted).exploitability, abs=1e-12
    )


def test_not_telling_queen_from_king_costs_what_it_should_in_kuhn() -> None:
    game = abstract(kuhn(), alike("QK") * betting_line)
    run = untilt.solve(game, "lp", save=False)
    full = compile_histories(kuhn())
    lifted = lift(game, run.profile, full)
    assert lifted["P0:Q:"] == lifted["P0:K:"] == run.profile["P0:QK::"]
    found = evaluate(full.exact_form(), lifted)
    # In the abstract game nobody bluffs, and Queens and Kings always call. Against that, a King
    # wins one chip more from a Queen, which it meets with probability 1/6; nothing else helps.
    assert run.exploitability == pytest.approx(0.0, abs=1e-9)
    assert found.gains == pytest.approx((1 / 6, 1 / 6))
    assert found.value == pytest.approx(0.0)


def test_forgetful_strategies_are_lifted_too() -> None:
    game = abstract(leduc(), private * public * street)
    run = untilt.solve(game, "es", iterations=20_000, save=False)
    full = compile_histories(leduc())
    found = evaluate(full.exact_form(), lift(game, run.profile, full))
    assert 0.0 < found.exploitability < 2.0
