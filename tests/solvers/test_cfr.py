"""The CFR family: the same numbers as slow recursion, known equilibria, and exact continuation."""

import itertools
import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.trees import AGAINST_NATURE, NATURE_AGAINST, TreeGame, random_trees
from tests.reference.cfr import ReferenceCfr

from untilt.errors import FormatError
from untilt.evaluation.best_response import evaluate, evaluate_plans, plans_of
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.protocol import Action, Game, InfoSet
from untilt.game.strategy.strategy import profile_from_arrays, uniform_profile
from untilt.games import kuhn, leduc, leduc_276, resolve
from untilt.numeric.arrays import Floats
from untilt.solvers.cfr import CfrSolver
from untilt.solvers.methods import METHODS
from untilt.solvers.moments import MOMENTS, next_moment

LIARS_DICE = resolve(
    f"{Path(__file__).parents[2] / 'examples' / 'liars_dice.py'}:game", {"sides": 3}
).game
GAMES: dict[str, Game] = {
    "kuhn": kuhn(),
    "leduc": leduc(),
    "leduc-276": leduc_276(),
    "liar's dice": LIARS_DICE,
    "against nature": AGAINST_NATURE,
    "nature against": NATURE_AGAINST,
}
COMPILED = {name: compile(game) for name, game in GAMES.items()}
VALUES = {
    "kuhn": -1 / 18,
    "leduc": -0.085606424078,
    "leduc-276": 0.070940775743,
    "liar's dice": 1 / 9,
    "against nature": 2.6,
    "nature against": -0.2,
}
VARIANTS = [
    name for name, method in METHODS.items() if method.has_iterations and not method.is_sampling
]
PerAction = dict[str, dict[str, float]]


def solver_of(
    game: str | CompiledGame, method: str, iterations: int | None = None, **options: Any
) -> CfrSolver:
    compiled = COMPILED[game] if isinstance(game, str) else game
    chosen = METHODS[method]
    solver = chosen.build(compiled, chosen.options(options), iterations)
    assert isinstance(solver, CfrSolver)
    return solver


def table(game: CompiledGame, arrays: tuple[Floats, ...]) -> PerAction:
    return profile_from_arrays(game, arrays).to_dict()


def assert_same(found: PerAction, expected: PerAction, tolerance: float = 1e-12) -> None:
    assert set(found) == set(expected)
    for label, numbers in expected.items():
        assert found[label] == pytest.approx(numbers, abs=tolerance, rel=0), label


def assert_same_matching(found: PerAction, twin: ReferenceCfr) -> None:
    """Assert the same strategies; matching divides by the regrets, and so their rounding."""
    for label, strategy in twin.current.items():
        total = sum(max(regret, 0.0) for regret in twin.regrets[label].values())
        assert total == 0.0 or total > 1e-9, f"a tie at {label}: rounding decides"
        tolerance = 1e-12 / min(total or 1.0, 1.0)
        if total == 0.0 and "prediction" in twin.options:
            tolerance = 1e-10  # matched to the prediction alone, which may be small
        assert found[label] == pytest.approx(strategy, abs=tolerance, rel=0), label


WITH_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in VARIANTS),
    ("cfr+", {"average": "linear"}),
    ("cfr+", {"average": "quadratic"}),
    ("pcfr+", {"average": "linear"}),
    ("pcfr+", {"prediction": 0.5}),
    ("sapcfr+", {"average": "linear", "prediction": 0.75}),
    ("dcfr", {"alpha": 2.0, "beta": 0.5, "gamma": 1.0}),
    ("dcfr", {"alpha": 0.0, "beta": 3.0, "gamma": 0.0}),
    ("dcfr", {"alpha": 1.5, "beta": -1.0, "gamma": 3.5}),
    ("dcfr", {"beta": -math.inf}),
    ("linear", {"alpha": 1.3, "beta": 0.6, "gamma": 1.5}),
    ("dcfr+", {"alpha": 2.5, "gamma": 2.0, "defer_averaging": 0}),
    ("pdcfr+", {"alpha": 1.0, "gamma": 2.0, "prediction": 0.5}),
    ("apcfr+", {"average": "linear", "prediction": 0.5}),
    ("apdcfr+", {"alpha": 1.5, "gamma": 2.0}),
    ("hs-dcfr", {"horizon": 7}),
    ("hs-pcfr+", {"gamma": 8.0, "horizon": 12, "prediction": 0.25}),
]


@dataclass(frozen=True)
class Uneven(Game):
    """A game with payoffs changed by up to a tenth of a chip, different for every history.

    Kuhn and Leduc have actions that are worth exactly the same: there the rounding of the
    last digit decides what regret matching plays next. Here nothing is worth the same.
    """

    position: Game
    history: tuple[str, ...] = ()

    terminal = property(lambda self: self.position.terminal)
    chance = property(lambda self: self.position.chance)
    active = property(lambda self: self.position.active)

    def payoff(self, player: int) -> float:
        shift = 0.1 * random.Random(" ".join(self.history)).random()
        return self.position.payoff(player) + (shift if player == 0 else -shift)

    def chances(self) -> Iterable[tuple[Action, float]]:
        return self.position.chances()

    def infoset(self, player: int) -> InfoSet:
        return self.position.infoset(player)

    def apply(self, action: Action) -> "Uneven":
        return Uneven(self.position.apply(action), (*self.history, str(action)))


UNTIL_TIE = {
    ("pdcfr+", "kuhn"): 1,
    ("pdcfr+", "leduc"): 3,
    ("apcfr+", "kuhn"): 1,
    ("hs-dcfr", "kuhn"): 2,
    ("hs-pcfr+", "leduc"): 3,
}
"""Iterations before two actions are worth exactly the same, and rounding decides between them."""


def check_first_iterations(
    game: Game, compiled: CompiledGame, iterations: int, method: str, options: dict[str, Any]
) -> None:
    twin_options = {name: value for name, value in options.items() if name != "defer_averaging"}
    twin = ReferenceCfr(game, method, **twin_options)
    solver = solver_of(compiled, method, **options)
    for iteration in range(1, iterations + 1):
        twin.iterate()
        solver.advance(1)
        assert solver.iteration == iteration
        assert_same(table(compiled, solver.regrets()), twin.regrets)
        assert_same_matching(table(compiled, solver.current_behaviours()), twin)
        assert_same(table(compiled, solver.snapshot().behaviours), twin.average(), 1e-11)


class TestAgainstSlowRecursion:
    @pytest.mark.parametrize(("game", "iterations"), [("kuhn", 10), ("leduc", 8)])
    @pytest.mark.parametrize("method", VARIANTS)
    def test_the_first_iterations_are_the_same(
        self, game: str, iterations: int, method: str
    ) -> None:
        iterations = UNTIL_TIE.get((method, game), iterations)
        check_first_iterations(GAMES[game], COMPILED[game], iterations, method, {})

    @pytest.mark.parametrize(
        ("game", "iterations"),
        [(Uneven(kuhn()), 20), (Uneven(leduc()), 5), (AGAINST_NATURE, 10)],
        ids=["uneven kuhn", "uneven leduc", "against nature"],
    )
    @pytest.mark.parametrize(
        ("method", "options"),
        WITH_OPTIONS,
        ids=[f"{name} {options or ''}" for name, options in WITH_OPTIONS],
    )
    def test_so_they_are_with_every_option_where_no_two_actions_are_equal(
        self, game: Game, iterations: int, method: str, options: dict[str, Any]
    ) -> None:
        check_first_iterations(game, compile(game), iterations, method, options)

    @given(game=random_trees(max_depth=4), variant=st.sampled_from(VARIANTS))
    @settings(deadline=None, max_examples=40)
    def test_so_are_those_of_random_games(self, game: TreeGame, variant: str) -> None:
        uneven = Uneven(game)
        compiled = compile(uneven)
        twin = ReferenceCfr(uneven, variant)
        solver = solver_of(compiled, variant)
        for _ in range(4):
            twin.iterate()
        solver.advance(4)
        regrets = table(compiled, solver.regrets())
        # The twin also sees forced moves, and what chance never leads to.
        assert_same(regrets, {label: twin.regrets[label] for label in regrets})

    @pytest.mark.parametrize(
        ("iterations", "asked", "deferred"), [(60, 5, 5), (60, 1000, 6), (5, 1000, 0)]
    )
    def test_averaging_of_a_known_run_starts_within_its_first_tenth(
        self, iterations: int, asked: int, deferred: int
    ) -> None:
        twin = ReferenceCfr(kuhn(), "dcfr+", defer=deferred)
        solver = solver_of("kuhn", "dcfr+", iterations, defer_averaging=asked)
        for _ in range(iterations):
            twin.iterate()
        solver.advance(iterations)
        assert_same(table(COMPILED["kuhn"], solver.snapshot().behaviours), twin.average())

    @pytest.mark.parametrize(
        ("iterations", "deferred"), [(1, 0), (9, 0), (99, 0), (100, 10), (250, 10), (1000, 100)]
    )
    def test_averaging_of_an_open_run_starts_at_growing_powers_of_ten(
        self, iterations: int, deferred: int
    ) -> None:
        twin = ReferenceCfr(kuhn(), "dcfr+", defer=deferred)
        solver = solver_of("kuhn", "dcfr+")
        for _ in range(iterations):
            twin.iterate()
        solver.advance(iterations)
        assert_same(table(COMPILED["kuhn"], solver.snapshot().behaviours), twin.average())

    def test_before_the_first_iteration_all_is_uniform(self) -> None:
        for method in VARIANTS:
            solver = solver_of("leduc", method)
            uniform = uniform_profile(COMPILED["leduc"]).to_dict()
            assert table(COMPILED["leduc"], solver.snapshot().behaviours) == uniform
            assert table(COMPILED["leduc"], solver.current_behaviours()) == uniform
            assert solver.mean_regret() == 0.0


BOUNDS: dict[str, dict[str, float]] = {
    "kuhn": {
        "cfr": 0.0094,
        "cfr+": 0.00023,
        "linear": 0.00012,
        "dcfr": 0.00019,
        "dcfr+": 0.00013,
        "pcfr+": 3.1e-08,
        "sapcfr+": 1e-11,
        "pdcfr+": 1e-11,
        "apcfr+": 1.1e-08,
        "apdcfr+": 1e-11,
        "hs-dcfr": 0.0011,
        "hs-pcfr+": 1e-11,
    },
    "leduc": {
        "cfr": 0.052,
        "cfr+": 0.0002,
        "linear": 0.0074,
        "dcfr": 0.00022,
        "dcfr+": 0.00021,
        "pcfr+": 0.00092,
        "sapcfr+": 0.0003,
        "pdcfr+": 0.0012,
        "apcfr+": 0.00025,
        "apdcfr+": 0.00025,
        "hs-dcfr": 0.00085,
        "hs-pcfr+": 0.0013,
    },
    "leduc-276": {
        "cfr": 0.031,
        "cfr+": 0.00016,
        "linear": 0.003,
        "dcfr": 4.6e-05,
        "dcfr+": 8.8e-05,
        "pcfr+": 0.0001,
        "sapcfr+": 2.4e-05,
        "pdcfr+": 5e-05,
        "apcfr+": 4.3e-05,
        "apdcfr+": 3.3e-05,
        "hs-dcfr": 0.00031,
        "hs-pcfr+": 0.00011,
    },
    "liar's dice": {
        "cfr": 0.0041,
        "cfr+": 3.8e-08,
        "linear": 0.0004,
        "dcfr": 5.1e-08,
        "dcfr+": 1e-11,
        "pcfr+": 9.2e-08,
        "sapcfr+": 1e-11,
        "pdcfr+": 1e-11,
        "apcfr+": 4.3e-08,
        "apdcfr+": 1e-11,
        "hs-dcfr": 1e-11,
        "hs-pcfr+": 1e-11,
    },
    "against nature": {
        "cfr": 0.0012,
        "cfr+": 7.8e-09,
        "linear": 3e-06,
        "dcfr": 7.2e-09,
        "dcfr+": 1e-11,
        "pcfr+": 6.9e-09,
        "sapcfr+": 1e-11,
        "pdcfr+": 1e-11,
        "apcfr+": 7.4e-09,
        "apdcfr+": 1e-11,
        "hs-dcfr": 1e-11,
        "hs-pcfr+": 1e-11,
    },
}
"""Exploitability after 1,000 iterations: 1.3 times what each variant reaches, at least 1e-11."""


class TestConvergence:
    @pytest.mark.parametrize(
        "game", ["kuhn", "leduc", "leduc-276", "liar's dice", "against nature"]
    )
    @pytest.mark.parametrize("method", VARIANTS)
    def test_a_thousand_iterations_reach_the_bound_of_the_method(
        self, game: str, method: str
    ) -> None:
        solver = solver_of(game, method, 1000)
        solver.advance(1000)
        compiled = COMPILED[game]
        found = evaluate(compiled.exact_form(), table_profile(compiled, solver))
        assert found.exploitability <= BOUNDS[game][method]
        assert found.value == pytest.approx(VALUES[game], abs=2 * found.exploitability + 1e-12)

    @pytest.mark.parametrize("method", VARIANTS)
    @pytest.mark.parametrize("game", ["against nature", "nature against"])
    def test_a_player_without_decisions_is_no_obstacle(self, game: str, method: str) -> None:
        solver = solver_of(game, method)
        last = list(solver.progress(5000))[-1]
        assert last.evaluation is not None
        assert last.evaluation.value == pytest.approx(VALUES[game], abs=1e-3)
        assert last.evaluation.gains[1 if game == "against nature" else 0] == 0.0
        again = solver_of(game, method)
        again.restore(solver.state())
        assert again.iteration == 5000

    @pytest.mark.parametrize("game", ["kuhn", "leduc", "liar's dice"])
    def test_the_mean_regret_of_cfr_bounds_its_nash_conv(self, game: str) -> None:
        solver = solver_of(game, "cfr")
        form = COMPILED[game].exact_form()
        for _ in range(40):
            solver.advance(7)
            assert (
                evaluate_plans(form, solver.average_plans()).nash_conv
                <= solver.mean_regret() + 1e-12
            )
        assert solver.mean_regret() < 6.0

    @pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.5])
    @pytest.mark.parametrize("method", ["dcfr", "dcfr+"])
    def test_regrets_that_fade_away_leave_all_numbers_finite(
        self, method: str, alpha: float
    ) -> None:
        # With α ≤ 0 a regret is at least halved in every iteration: 1,100 of them reach 5e-324.
        solver = solver_of("kuhn", method, alpha=alpha)
        solver.advance(5000)
        for array in (
            *solver.regrets(),
            *solver.current_behaviours(),
            *solver.snapshot().behaviours,
        ):
            assert np.isfinite(array).all()

    def test_averages_are_plans(self) -> None:
        form = COMPILED["leduc"].exact_form()
        for method in VARIANTS:
            solver = solver_of("leduc", method)
            solver.advance(123)
            profile = table_profile(COMPILED["leduc"], solver)
            for plan, again in zip(solver.average_plans(), plans_of(form, profile), strict=True):
                assert np.abs(plan - again).max() < 1e-13


def table_profile(compiled: CompiledGame, solver: CfrSolver) -> Any:
    return solver.snapshot().profile


def bits(solver: CfrSolver) -> dict[str, bytes]:
    first, second = solver.snapshot().behaviours
    everything = {"average_0": first, "average_1": second, **solver.state()}
    return {name: array.tobytes() for name, array in everything.items()}


class TestContinuation:
    @pytest.mark.parametrize("method", VARIANTS)
    @given(splits=st.lists(st.integers(0, 60), max_size=6))
    @settings(deadline=None, max_examples=12)
    def test_the_way_of_cutting_a_run_into_pieces_does_not_matter(
        self, method: str, splits: list[int]
    ) -> None:
        whole, pieces = solver_of("kuhn", method), solver_of("kuhn", method)
        total = max(sum(splits), 150)
        whole.advance(total)
        for count in splits:
            pieces.advance(count)
        pieces.advance(total - sum(splits))
        assert bits(whole) == bits(pieces)

    @pytest.mark.parametrize("method", VARIANTS)
    @pytest.mark.parametrize("game", ["kuhn", "leduc"])
    @pytest.mark.parametrize("iterations", [None, 200])
    def test_a_saved_and_restored_run_continues_bit_for_bit(
        self, game: str, method: str, iterations: int | None
    ) -> None:
        # Averaging may start after 10 and 100, or 20: save before, at and after these.
        whole = solver_of(game, method, iterations)
        whole.advance(200)
        for saved_at in (0, 1, 9, 10, 11, 20, 21, 99, 100, 101, 200):
            first = solver_of(game, method, iterations)
            first.advance(saved_at)
            first.snapshot()
            saved = {name: array.copy() for name, array in first.state().items()}
            second = solver_of(game, method, iterations)
            second.restore(saved)
            assert second.iteration == saved_at
            assert bits(second) == bits(first)
            second.advance(200 - saved_at)
            assert bits(second) == bits(whole)

    def test_asking_on_the_way_changes_nothing(self) -> None:
        for method in VARIANTS:
            silent, asked = solver_of("kuhn", method), solver_of("kuhn", method)
            silent.advance(120)
            for _ in range(120):
                asked.advance(1)
                asked.snapshot()
                asked.regrets()[0][:] = math.nan
                asked.current_behaviours()[0][:] = math.nan
                asked.average_plans()[1][:] = math.nan
                asked.mean_regret()
                asked.warm_up()
            assert bits(silent) == bits(asked)

    def test_a_restored_solver_has_its_own_arrays(self) -> None:
        first, second = solver_of("kuhn", "dcfr+"), solver_of("kuhn", "dcfr+")
        first.advance(150)
        second.restore(first.state())
        before = bits(second)
        first.advance(50)
        assert bits(second) == before

    @pytest.mark.parametrize(
        "name", ["iteration", "regret_sum_0", "strategy_sum_1", "behaviour_0", "skipped_10_1"]
    )
    def test_a_state_with_something_missing_or_wrong_is_refused(self, name: str) -> None:
        solver = solver_of("kuhn", "dcfr+")
        solver.advance(150)
        good = {key: array.copy() for key, array in solver.state().items()}
        fresh = solver_of("kuhn", "dcfr+")
        before = bits(fresh)
        wrong: list[dict[str, Any]] = [
            {key: array for key, array in good.items() if key != name},
            good | {name: np.append(good[name], good[name][-1])},
            good | {name: good[name].reshape(1, -1)},
            good | {name: good[name].astype(np.float32)},
        ]
        if name != "iteration":
            for bad in (math.nan, math.inf):
                spoiled = good[name].copy()
                spoiled[-1] = bad
                wrong.append(good | {name: spoiled})
        for state in wrong:
            with pytest.raises(FormatError, match=name):
                fresh.restore(state)
            # Nothing has been taken over from a state that was refused.
            assert bits(fresh) == before

    def test_a_negative_iteration_is_refused(self) -> None:
        solver = solver_of("kuhn", "cfr")
        with pytest.raises(FormatError, match="invalid iteration, -1"):
            solver.restore(solver.state() | {"iteration": np.array([-1])})

    def test_the_state_of_another_game_is_refused(self) -> None:
        with pytest.raises(FormatError, match="regret_sum_0"):
            solver_of("leduc", "cfr").restore(solver_of("kuhn", "cfr").state())


class TestProgress:
    def test_exploitability_is_measured_at_moments_that_depend_on_nothing_else(self) -> None:
        solver = solver_of("kuhn", "cfr+")
        seen = list(solver.progress(3000))
        measured = [step.iteration for step in seen if step.evaluation is not None]
        expected = [moment for moment in MOMENTS if moment < 3000]
        assert measured == [*expected, 3000]
        for step in seen:
            assert (step.evaluation is None) == (step.regret is None)
        iterations = [step.iteration for step in seen]
        assert iterations == sorted(set(iterations), key=lambda i: i or 0)
        assert [step.seconds for step in seen] == sorted(step.seconds for step in seen)

    @given(pauses=st.lists(st.integers(1, 400), max_size=5))
    @settings(deadline=None, max_examples=20)
    def test_stopping_and_going_on_does_not_move_the_moments(self, pauses: list[int]) -> None:
        whole = {
            step.iteration: step.evaluation
            for step in solver_of("kuhn", "pcfr+").progress(400)
            if step.evaluation
        }
        solver = solver_of("kuhn", "pcfr+")
        seen = {}
        for until in [*sorted(pauses), 400]:
            for step in solver.progress(until):
                if step.evaluation:
                    seen[step.iteration] = step.evaluation
        assert {key: seen[key] for key in whole} == whole
        assert set(seen) - set(whole) <= set(pauses)

    def test_an_open_run_goes_on_for_ever(self) -> None:
        solver = solver_of("kuhn", "cfr+")
        for step in solver.progress():
            if step.iteration and step.iteration >= 1000:
                break
        assert solver.iteration >= 1000

    def test_a_run_that_is_done_yields_nothing(self) -> None:
        solver = solver_of("kuhn", "cfr+")
        solver.advance(10)
        assert list(solver.progress(10)) == []

    def test_the_last_measure_is_that_of_the_strategy_given_out(self) -> None:
        for method in VARIANTS:
            solver = solver_of("leduc", method, 500)
            last = list(solver.progress(500))[-1].evaluation
            assert last is not None
            again = evaluate(
                COMPILED["leduc"].exact_form(), table_profile(COMPILED["leduc"], solver)
            )
            assert last.exploitability == pytest.approx(again.exploitability, abs=1e-13)
            assert last.value == pytest.approx(again.value, abs=1e-13)

    def test_moments_are_one_by_one_to_twenty_then_a_tenth_apart(self) -> None:
        assert MOMENTS[:24] == [*range(1, 21), 22, 24, 26, 28]
        found, moment = [], 0
        while moment < 10_000:
            moment = next_moment(moment)
            found.append(moment)
        assert found == MOMENTS[: len(found)]
        for before, after in itertools.pairwise(found[20:]):
            assert 1.05 <= after / before <= 1.1

    @given(iteration=st.integers(0, 10**18))
    @settings(deadline=None)
    def test_the_next_moment_lies_ahead_and_near(self, iteration: int) -> None:
        moment = next_moment(iteration)
        assert iteration < moment <= max(iteration * 1.1, iteration + 1)
        assert moment in MOMENTS
