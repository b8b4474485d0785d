"""Strategies of abstract games in the full game."""

import pytest

import untilt
from untilt.abstraction import (
    Translation,
    abstract,
    alike,
    betting_line,
    pot_fractions,
    private,
    public,
    street,
)
from untilt.abstraction.lifting import _Lifting, lift
from untilt.abstraction.translation import Sight
from untilt.evaluation.best_response import evaluate
from untilt.game.compiled import compile_histories
from untilt.games import holdem, kuhn, leduc


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


def test_a_pair_of_readings_that_both_call_is_lifted_to_a_certain_call() -> None:
    """The weights of readings are rounded; their shares once summed to 1 + 2⁻⁵², an error."""
    root = holdem(stack=5, board="2/1", ranks=7, suits=1)
    game = abstract(root, street * betting_line, pot_fractions(0.5))
    walk = _Lifting(Translation(game, {}))
    readings = {Sight(root.betting, str(number)): 0.1 for number in range(11)}
    mixes = {sight: {"call": {1: 1.0}} for sight in readings}
    walk._add_row("P0:", ("fold", "call"), mixes, readings)
    assert walk.rows["P0:"] == {"fold": 0.0, "call": 1.0}
