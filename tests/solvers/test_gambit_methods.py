"""Nash equilibria found by Gambit: known games, which one is kept, and what is refused."""

from typing import Any

import numpy as np
import pytest
from tests.reference.games import Matrix

from untilt.errors import GameTooLarge, InvalidOption, UntiltError
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.games.registry import resolve
from untilt.solvers import gambit, gambit_process
from untilt.solvers.methods import METHODS
from untilt.solvers.progress import Solver

pytest.importorskip("pygambit", minversion="17.0.0b2")

BATTLE = Matrix(((3.0, 0.0), (0.0, 2.0)), ((2.0, 0.0), (0.0, 3.0)))
"""Battle of the sexes: two pure equilibria, and the mixed one (3/5, 2/5), (2/5, 3/5)."""
PRISONERS = Matrix(((2.0, 0.0), (3.0, 1.0)), ((2.0, 3.0), (0.0, 1.0)))
STAG_HUNT = Matrix(((4.0, 0.0), (3.0, 3.0)), ((4.0, 3.0), (0.0, 3.0)))


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask Gambit here: starting a process takes longer than solving these games."""
    if "process" not in request.node.name:
        monkeypatch.setattr(gambit, "_ask", gambit_process.answer)


def test_a_process_gives_the_same_and_says_why_it_failed() -> None:
    game = compile_histories(BATTLE)
    (apart,) = solved(game, "gambit-lcp").outcome()["equilibria"]
    assert sorted(apart["values"]) == [2.0, 3.0]
    with pytest.raises(UntiltError, match="Gambit's lcp failed: "):
        gambit._ask({"program": "lcp", "exact": True, "game": "nonsense"})


def solved(game: CompiledGame, method: str, **options: Any) -> Solver:
    chosen = METHODS[method]
    solver = chosen.build(game, chosen.options(options), None)
    solver.warm_up()
    (step,) = solver.progress()
    assert step.evaluation is not None
    assert step.evaluation.nash_conv == pytest.approx(0.0, abs=1e-12)
    return solver


def shares(solver: Solver) -> list[list[float]]:
    snapshot = solver.snapshot()
    assert snapshot.kind == "sequence"
    behaviours = snapshot.profile.behaviours
    return [behaviour[1:].tolist() for behaviour in behaviours]


def test_all_three_equilibria_of_battle_of_the_sexes_are_listed() -> None:
    solver = solved(compile_histories(BATTLE), "gambit-enummixed")
    outcome = solver.outcome()
    payoffs = sorted(tuple(np.round(each["values"], 12)) for each in outcome["equilibria"])
    assert payoffs == [(1.2, 1.2), (2.0, 3.0), (3.0, 2.0)]
    # The sums of both pure ones are equal: the first that Gambit lists is kept.
    sums = [round(sum(each["values"]), 9) for each in outcome["equilibria"]]
    assert outcome["saved"] == 1 + sums.index(5.0)
    assert outcome["chosen_by"] == "largest sum of payoffs"
    assert outcome["equilibria"][outcome["saved"] - 1]["strategy"] == (
        solver.snapshot().profile.to_dict()
    )


def test_an_equilibrium_can_be_chosen_by_its_number() -> None:
    game = compile_histories(BATTLE)
    found = [solved(game, "gambit-enummixed", equilibrium=number) for number in (1, 2, 3)]
    strategies = [shares(each) for each in found]
    assert [each.outcome()["saved"] for each in found] == [1, 2, 3]
    mixed = [[0.6, 0.4], [0.4, 0.6]]
    assert sum(np.allclose(each, mixed) for each in strategies) == 1
    with pytest.raises(InvalidOption, match="Gambit found 3"):
        solved(game, "gambit-enummixed", equilibrium=4)


@pytest.mark.parametrize("method", ["gambit-lcp", "gambit-enummixed"])
def test_known_games_have_their_known_equilibria(method: str) -> None:
    pennies = solved(compile_histories(resolve("matching-pennies", {}).game), method)
    np.testing.assert_allclose(shares(pennies), [[0.5, 0.5], [0.5, 0.5]])
    defect = solved(compile_histories(PRISONERS), method)
    np.testing.assert_allclose(shares(defect), [[0.0, 1.0], [0.0, 1.0]])
    if method == "gambit-enummixed":  # both hunt the stag: the largest sum of payoffs
        hunt = solved(compile_histories(STAG_HUNT), method)
        np.testing.assert_allclose(shares(hunt), [[1.0, 0.0], [1.0, 0.0]])


def test_lcp_finds_an_equilibrium_of_the_auction_and_of_kuhn() -> None:
    # A first-price auction with private values; not zero-sum, and payoffs in fractions.
    auction = compile_histories(resolve("auction", {"values": "3", "bids": "3"}).game)
    assert not auction.exact_form().is_zero_sum
    solved(auction, "gambit-lcp")
    kuhn = solved(compile_histories(resolve("kuhn", {}).game), "gambit-lcp")
    (found,) = kuhn.outcome()["equilibria"]
    assert found["values"] == pytest.approx([-1 / 18, 1 / 18], abs=1e-12)


def test_bidding_ones_value_is_among_the_equilibria_of_a_second_price_auction() -> None:
    game = resolve("auction", {"pricing": "second", "values": "2", "bids": "3"}).game
    found = solved(compile_histories(game), "gambit-enummixed").outcome()["equilibria"]
    truthful = {"1": {"0": 0.0, "1": 1.0, "2": 0.0}, "2": {"0": 0.0, "1": 0.0, "2": 1.0}}
    expected = {f"P{player}:{value}:": truthful[value] for player in (0, 1) for value in "12"}
    assert expected in [each["strategy"] for each in found]
    assert len(found) > 2


def test_large_games_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    kuhn = compile_histories(resolve("kuhn", {}).game)
    with pytest.raises(GameTooLarge, match=r"27 and 64: use gambit-lcp"):
        METHODS["gambit-enummixed"].build(kuhn, {"equilibrium": 0}, None)
    monkeypatch.setattr(gambit, "MOST_SEQUENCES", 20)
    with pytest.raises(GameTooLarge, match="up to 20 sequences of both players; this one has 26"):
        METHODS["gambit-lcp"].build(kuhn, {}, None)


def test_without_the_extra_the_method_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InvalidOption, match=r"pip install 'untilt\[gambit\]'"):
        METHODS["gambit-lcp"].build(compile_histories(BATTLE), {}, None)
