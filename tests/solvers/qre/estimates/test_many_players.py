"""Estimates of β with three players: derivatives, known βs recovered, hands as they were played."""

from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.game.many_players import random_game

import untilt
from untilt.errors import FormatError
from untilt.game.compiled import compile_histories
from untilt.solvers.qre.estimates.likelihood import equilibrium_at
from untilt.solvers.qre.estimates.observed_play import ObservedPlay
from untilt.solvers.qre.problem import QuantalProblem

KUHN = {"players": 3}
BETAS = (6.0, 3.0, 12.0)


def drawn(number: int, seed: int) -> list[dict[str, object]]:
    """Return decisions of players with `BETAS`, so many at each infoset."""
    strategy = untilt.qre("kuhn", BETAS, parameters=KUHN, save=False).strategy.to_dict()
    rng = np.random.default_rng(seed)
    return [
        {"infoset": label, "action": action, "count": int(count)}
        for label, row in strategy.items()
        for action, count in zip(row, rng.multinomial(number, list(row.values())), strict=True)
        if count
    ]


@pytest.mark.parametrize("betas", [(0.5, 0.5, 0.5), (2.0, 0.7, 1.1)])
def test_scores_and_information_are_derivatives_of_the_likelihood(
    betas: tuple[float, ...],
) -> None:
    problem = QuantalProblem(compile_histories(random_game(3, 3, depth=4)))
    start = np.zeros(problem.variables.num_variables)
    uniform = ObservedPlay(problem, np.ones(problem.variables.num_actions))
    middle = equilibrium_at(uniform, betas, start)
    assert middle is not None
    # With counts in proportion to σ itself, the observed curvature is the expected one.
    sizes = np.diff(problem.variables.first_action)
    totals = np.arange(1.0, 1.0 + len(sizes)) * 100.0
    counts = problem.behaviour(middle.log_odds) * np.repeat(totals, sizes)
    observed = ObservedPlay(problem, counts)
    point = equilibrium_at(observed, betas, middle.log_odds)
    assert point is not None
    assert point.scores == pytest.approx((0.0,) * 3, abs=1e-6)
    step = 1e-5
    for player, row in enumerate(point.information.tolist()):
        moved = [
            equilibrium_at(
                observed,
                (*betas[:player], betas[player] + sign * step, *betas[player + 1 :]),
                point.log_odds,
            )
            for sign in (1, -1)
        ]
        assert moved[0] is not None
        assert moved[1] is not None
        slopes = [
            -(up - down) / (2 * step)
            for up, down in zip(moved[0].scores, moved[1].scores, strict=True)
        ]
        assert row == pytest.approx(slopes, rel=1e-4, abs=1e-3)
        numeric = (moved[0].log_likelihood - moved[1].log_likelihood) / (2 * step)
        assert point.scores[player] == pytest.approx(numeric, abs=1e-2)


@pytest.mark.parametrize("method", ["likelihood", "empirical"])
def test_a_beta_for_each_of_three_players_is_recovered(method: str) -> None:
    found = untilt.fit(drawn(20_000, 1), "kuhn", parameters=KUHN, per_player=True, method=method)
    each = found.estimate.per_player
    assert each is not None
    assert found.betas == each.betas
    assert each.betas == pytest.approx(BETAS, rel=0.08)
    assert each.p_value is not None
    assert each.p_value < 1e-6
    document = found.to_json()
    assert set(document["per_player"]) >= {"beta0", "beta1", "beta2"}
    assert len(document["goodness"]["players"]) == 3
    assert document["nash_log_likelihood"] is None
    covariance = np.array(document["per_player"]["covariance"])
    assert np.sqrt(np.diag(covariance)) == pytest.approx(each.standard_errors)
    if method == "likelihood":
        for beta, true, error in zip(each.betas, BETAS, each.standard_errors, strict=True):
            assert error is not None
            assert abs(beta - true) < 4.0 * error
        assert found.p_value is not None
        assert found.p_value > 0.001


def test_hands_of_three_players_give_the_counts_of_their_decisions(tmp_path: Path) -> None:
    file = tmp_path / "hands.csv"
    file.write_text("p0,p1,p2,public,line\nT,J,Q,,cbff\nK,J,Q,,bcf\n", encoding="utf-8")
    found = untilt.fit(file, "kuhn", parameters=KUHN)
    assert found.observations.num_hands == 2
    game = found.game
    labels = [
        (label, action) for table in game.infosets for label, row in table.items() for action in row
    ]
    seen = {
        labels[place]: count
        for place, count in enumerate(found.observations.counts.tolist())
        if count
    }
    assert seen == {
        ("P0:T:", "check"): 1.0,
        ("P1:J:c", "bet"): 1.0,
        ("P2:Q:cb", "fold"): 1.0,
        ("P0:T:cbf", "fold"): 1.0,
        ("P0:K:", "bet"): 1.0,
        ("P1:J:b", "call"): 1.0,
        ("P2:Q:bc", "fold"): 1.0,
    }
    bounds = [0, *accumulate(table.num_sequences - 1 for table in game.infosets)]
    of_players = [found.observations.counts[a:b].sum() for a, b in pairwise(bounds)]
    assert of_players == [3.0, 2.0, 2.0]
    file.write_text("p0,p1,public,line\nT,J,,cb\n", encoding="utf-8")
    with pytest.raises(FormatError, match="expected infoset,action,count or p0,p1,p2,public,line"):
        untilt.fit(file, "kuhn", parameters=KUHN)
