"""Tracers stay on the principal branch, in games made to lead them astray.

Games with coordination have several equilibria at one β, and where the principal branch turns
sharply, another part of the solutions is its straight continuation. All tracers are compared
with a slow one in tiny steps (`tests/reference/logit_branch.py`) at several β, each asked for by
itself: where a branch ends must not depend on how far it was to go.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tests.game.trees import Choice, End, Nature, Node, TreeGame
from tests.reference.games import Matrix
from tests.reference.logit_branch import family_of, first_meetings, strategy

from untilt.game.compiled import compile_histories
from untilt.game.protocol import Game
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.branches.branch import REACHED
from untilt.solvers.qre.branches.limit import nash_limit
from untilt.solvers.qre.branches.sparse import trace_sparse
from untilt.solvers.qre.estimates.estimation import fit
from untilt.solvers.qre.points.classic import classic
from untilt.solvers.qre.points.newton import newton
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import DEFINITIONS

LURING = ([[10, 2], [1, 13]], [[12, 2], [2, 10]])
"""Straight on from β = 0.09 lies the middle equilibrium of β = 0.3, not the branch."""

STRENGTHS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0)
"""β × the spread of a game's payoffs."""

Solver = Callable[[QuantalProblem, float], Floats | None]
"""Returns the log-odds at β, or None if it says that it failed."""


def bimatrix(rows: object, columns: object) -> Matrix:
    matrices = [np.asarray(each, dtype=float).tolist() for each in (rows, columns)]
    first, second = (tuple(tuple(row) for row in matrix) for matrix in matrices)
    return Matrix(first, second)


def coordination(rng: np.random.Generator, size: int) -> Matrix:
    matrices = [rng.uniform(0, 3, (size, size)) + np.diag(rng.uniform(5, 12, size)) for _ in (0, 1)]
    scale = 10.0 ** rng.uniform(-3, 3)
    return bimatrix(scale * matrices[0], scale * matrices[1])


def near_a_pitchfork(rng: np.random.Generator, size: int) -> Matrix:
    noise = 10.0 ** rng.uniform(-5, -0.5)
    return bimatrix(*(np.eye(size) + noise * rng.normal(size=(size, size)) for _ in (0, 1)))


def near_a_circulant(rng: np.random.Generator, size: int) -> Matrix:
    """All but symmetric under turning the actions round, so that two modes cross at once."""
    noise = 10.0 ** rng.uniform(-4, 0)
    circle = rng.normal(size=size)
    shift = (np.arange(size) - np.arange(size)[:, None]) % size
    return bimatrix(*(circle[shift] + noise * rng.normal(size=(size, size)) for _ in (0, 1)))


def common_interest(rng: np.random.Generator, size: int) -> Matrix:
    payoffs = rng.normal(size=(size, size))
    return bimatrix(payoffs, payoffs + 0.2 * rng.normal(size=(size, size)))


def chicken(rng: np.random.Generator, size: int) -> Matrix:
    """With three actions a ring of all but equilibria, round which the branch winds."""
    noise = 10.0 ** rng.uniform(-4, 0)
    return bimatrix(*(-np.eye(size) + noise * rng.normal(size=(size, size)) for _ in (0, 1)))


KINDS = (coordination, near_a_pitchfork, near_a_circulant, common_interest, chicken)


def matrix_games(seed: int, size: int, number: int) -> list[Game]:
    rng = np.random.default_rng((seed, size))
    return [KINDS[index % len(KINDS)](rng, size) for index in range(number)]


def shared(rng: np.random.Generator, payoff: float) -> End:
    return End(payoff, payoff + 0.2 * float(rng.normal()))


def repeated(rng: np.random.Generator) -> TreeGame:
    """Two rounds of coordination; both see the first."""
    first = 4.0 * np.eye(2) + rng.uniform(0, 1.5, (2, 2))

    def round_after(seen: str) -> Node:
        def after(row: int, column: int) -> Node:
            if not seen:
                return round_after(f"{row}{column}")
            payoff = 4.0 * (row == column) + float(rng.uniform(0, 1.5))
            return shared(rng, payoff + float(first[int(seen[0]), int(seen[1])]))

        return Choice(
            0,
            f"P0:{seen}",
            tuple(
                (
                    f"row {row}",
                    Choice(
                        1,
                        f"P1:{seen}",
                        tuple((f"column {column}", after(row, column)) for column in (0, 1)),
                    ),
                )
                for row in (0, 1)
            ),
        )

    return TreeGame(round_after(""))


def signalling(rng: np.random.Generator) -> TreeGame:
    """One knows the state and sends a word; the other acts on the word."""
    worth = 3.0 * rng.normal(size=(2, 2))

    def act(state: int, word: str) -> Node:
        actions = ((f"act {a}", shared(rng, float(worth[state, a]))) for a in (0, 1))
        return Choice(1, f"P1:{word}", tuple(actions))

    def speak(state: int) -> Node:
        return Choice(0, f"P0:{state}", tuple((word, act(state, word)) for word in ("a", "b")))

    return TreeGame(Nature((("low", 0.3, speak(0)), ("high", 0.7, speak(1)))))


def twins(rng: np.random.Generator) -> TreeGame:
    """Chance picks one of two coordination games that are all but the same."""
    noise = 10.0 ** float(rng.uniform(-5, -1))

    def either(name: str) -> Node:
        game = [np.eye(2) + noise * rng.normal(size=(2, 2)) for _ in (0, 1)]

        def answer(row: int) -> Node:
            ends = (
                (f"column {c}", End(float(game[0][row, c]), float(game[1][row, c]))) for c in (0, 1)
            )
            return Choice(1, f"P1:{name}", tuple(ends))

        return Choice(0, f"P0:{name}", tuple((f"row {row}", answer(row)) for row in (0, 1)))

    return TreeGame(Nature((("left", 0.5, either("left")), ("right", 0.5, either("right")))))


TREES = {"repeated": repeated, "signalling": signalling, "twins": twins}


def by_arclength(problem: QuantalProblem, beta: float) -> Floats | None:
    branch = trace(problem.system, beta)
    return branch.log_odds[-1] if branch.ending == REACHED else None


def by_sparse_elimination(problem: QuantalProblem, beta: float) -> Floats | None:
    branch = trace_sparse(problem.system, beta)
    return branch.log_odds[-1] if branch.ending == REACHED else None


def by_newton(problem: QuantalProblem, beta: float) -> Floats | None:
    result = newton(problem, beta)
    return result.log_odds if result.converged else None


def strayed(
    games: Sequence[Game], solve: Solver, definition: str = "agent", strengths: object = STRENGTHS
) -> tuple[list[int], list[int]]:
    """Return the games in which `solve` is wrong, and those in which it fails, at some β."""
    family = family_of(games, definition)
    betas = np.asarray(strengths) / family.spread[:, None]
    meetings, _ = first_meetings(family, betas)
    wrong, failed = [], []
    for index, game in enumerate(games):
        problem = QuantalProblem(compile_histories(game), definition)
        for beta, expected in zip(betas[index], meetings[index], strict=True):
            assert not np.isnan(expected).any(), "the slow tracer did not arrive"
            found = solve(problem, float(beta))
            if found is None:
                failed.append(index)
                continue
            profile = problem.profile(found)
            for label, row in strategy(family, expected).items():
                if any(abs(share - profile[label][a]) > 1e-6 for a, share in row.items()):
                    wrong.append(index)
    return sorted(set(wrong)), sorted(set(failed))


@pytest.mark.parametrize(
    ("beta", "share"), [(0.1, 0.483873), (0.2, 0.498473), (0.3, 0.903409), (1.0, 0.999876)]
)
def test_the_luring_game_is_followed_round_its_bend(beta: float, share: float) -> None:
    problem = QuantalProblem(compile_histories(bimatrix(*LURING)))
    for solve in (by_arclength, by_sparse_elimination, by_newton):
        found = solve(problem, beta)
        assert found is not None
        assert problem.profile(found)["P0::"]["0"] == pytest.approx(share, abs=1e-6)
    result = classic(problem, beta)
    assert result.converged
    assert problem.profile(result.log_odds)["P0::"]["0"] == pytest.approx(share, abs=1e-6)


def test_the_luring_games_limit_is_the_branchs_own_equilibrium() -> None:
    limit = nash_limit(QuantalProblem(compile_histories(bimatrix(*LURING))))
    assert limit.converged
    assert limit.profile["P0::"]["0"] == limit.profile["P1::"]["0"] == 1.0


def test_gambit_goes_round_the_same_bend() -> None:
    gambit = pytest.importorskip("pygambit")
    game = gambit.StrategicGame.from_arrays(*(np.array(each, dtype=float) for each in LURING))
    profile = gambit.qre.logit_solve_lambda(game, [0.3])[0].profile
    theirs = [float(share) for mixed in profile for _, share in mixed]
    assert theirs[0] == pytest.approx(0.903409, abs=1e-5)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_no_branch_strays_in_games_of_coordination(size: int) -> None:
    assert strayed(matrix_games(0, size, 15), by_arclength) == ([], [])


@pytest.mark.parametrize(
    ("seed", "index", "beta", "log_odds"),
    [
        (21, 199, 4.98389477, (-2.435465, -2.402884, 3.847957, 3.831851)),
        (20, 282, 17.29096576, (14.071477, 4.098076, 0.696525, -23.416377)),
    ],
)
def test_no_branch_strays_where_weak_modes_differ_within_a_correction(
    seed: int, index: int, beta: float, log_odds: tuple[float, ...]
) -> None:
    # Expected values by the slow tracer, which takes some seconds for them.
    problem = QuantalProblem(compile_histories(matrix_games(seed, 3, 300)[index]))
    found = by_arclength(problem, beta)
    assert found is not None
    np.testing.assert_allclose(found, log_odds, atol=2e-6)


@pytest.mark.parametrize("solve", [by_sparse_elimination, by_newton])
def test_the_other_methods_do_not_stray_either(solve: Solver) -> None:
    assert strayed(matrix_games(1, 2, 10), solve, strengths=(2.0, 5.0)) == ([], [])


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_no_branch_strays_in_games_of_common_interest_with_several_moves(definition: str) -> None:
    rng = np.random.default_rng(3)
    games = [signalling(rng) for _ in range(10)]
    assert strayed(games, by_arclength, definition) == ([], [])


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([[3, 0], [0, 2]], [[2, 0], [0, 3]]),  # battle of the sexes
        ([[6, 2], [7, 0]], [[6, 7], [2, 0]]),  # chicken
        (np.eye(3), np.eye(3)),
    ],
)
def test_an_exact_pitchfork_is_passed_along_the_symmetric_branch(
    rows: object, columns: object
) -> None:
    problem = QuantalProblem(compile_histories(bimatrix(rows, columns)))
    for solve in (by_arclength, by_sparse_elimination, by_newton):
        for beta in (1.0, 20.0):
            found = solve(problem, beta)
            assert found is not None
            own, other = (np.sort(each[1:]) for each in problem.profile(found).behaviours)
            np.testing.assert_allclose(own, other, atol=1e-7)
    assert trace(problem.system, 20.0).folds == ()


def test_a_hair_beside_the_pitchfork_the_branch_leaves_the_symmetric_one() -> None:
    for favoured in (0, 1):
        payoffs = np.eye(2)
        payoffs[favoured, favoured] += 1e-12
        found = by_arclength(QuantalProblem(compile_histories(bimatrix(payoffs, payoffs))), 20.0)
        assert found is not None
        assert bool((found > 5.0).all() if favoured else (found < -5.0).all())


def test_counts_of_the_luring_game_are_fitted_where_they_came_from() -> None:
    problem = QuantalProblem(compile_histories(bimatrix(*LURING)))
    family = family_of([bimatrix(*LURING)], "agent")
    meetings, _ = first_meetings(family, np.array([[0.3]]))
    shares = strategy(family, meetings[0, 0])
    counts = np.array([1e4 * share for row in shares.values() for share in row.values()])
    found = fit(problem, counts)
    assert found.beta == pytest.approx(0.3, rel=1e-4)
    assert found.standard_error is not None
    assert not found.is_at_least
    assert found.log_likelihood == pytest.approx(found.saturated_log_likelihood, abs=1e-3)


@pytest.mark.long
@pytest.mark.parametrize("size", [2, 3, 4])
def test_no_branch_strays_in_two_thousand_games_of_coordination(size: int) -> None:
    number = {2: 700, 3: 700, 4: 600}[size]
    wrong, failed = strayed(matrix_games(10, size, number), by_arclength)
    print(f"{number} games of {size} x {size}: {len(wrong)} wrong, {len(failed)} failed")
    assert (wrong, failed) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("solve", [by_sparse_elimination, by_newton])
def test_the_other_methods_stray_in_no_game_of_many(solve: Solver) -> None:
    for size in (2, 3, 4):
        assert strayed(matrix_games(11, size, 20), solve, strengths=(2.0, 5.0, 30.0)) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("definition", DEFINITIONS)
def test_no_branch_strays_in_many_games_with_several_moves(tree: str, definition: str) -> None:
    rng = np.random.default_rng(5)
    games = [TREES[tree](rng) for _ in range(25)]
    assert strayed(games, by_arclength, definition) == ([], [])


@pytest.mark.long
def test_limits_are_where_slow_branches_go() -> None:
    for size in (2, 3):
        games = matrix_games(12, size, 60)
        family = family_of(games, "agent")
        meetings, _ = first_meetings(family, 100.0 / family.spread[:, None])
        num_clear = 0
        for game, log_odds in zip(games, meetings[:, 0], strict=True):
            shares = strategy(family, log_odds)
            pure = {label: max(row, key=lambda a: row[a]) for label, row in shares.items()}
            if all(shares[label][action] > 0.999 for label, action in pure.items()):
                num_clear += 1
                limit = nash_limit(QuantalProblem(compile_histories(game)))
                assert limit.converged
                assert all(limit.profile[label][a] > 0.999 for label, a in pure.items())
        assert num_clear > 30
