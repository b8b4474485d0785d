"""Quantal response on public trees against other solvers, a slow twin and itself."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from tests.reference import public_tree as reference
from tests.reference.quantal_tree import QuantalLearner
from tests.solvers.public_tree.forms import bet_street, infosets_of_leduc, kuhn, leduc
from tests.solvers.public_tree.test_public_tree import flop_spot, river_spot, turn_spot

import untilt
from untilt.errors import FormatError
from untilt.game.public.public_tree import DECISION, PublicTree
from untilt.game.public.quantal_snapshot import Residual
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.numeric.arrays import Floats
from untilt.solvers.public_tree.quantal_solver import QuantalSolver
from untilt.solvers.public_tree.tables import LockedRows

TREES: dict[str, Callable[[], PublicTree]] = {
    "kuhn": kuhn,
    "leduc": leduc,
    "turn": turn_spot,
    "turn with every suit": lambda: turn_spot(is_merged=False),
    "turn with rake": lambda: turn_spot(rake=0.05),
    "flop": flop_spot,
    "river": lambda: river_spot("60%, a", "2.5x"),
    "wide river": lambda: river_spot("33%, 66%, 100%, a", "60%"),
}
BETAS = {"kuhn": 3.0, "leduc": 2.0}
SMALL_FIRST = [
    pytest.param(name, marks=pytest.mark.long) if name == "flop" else name for name in TREES
]


def settled(
    tree: PublicTree,
    betas: tuple[float, float],
    *,
    largest: float = 1e-12,
    precision: str = "float64",
) -> QuantalSolver:
    """Return a solver that has come to rest."""
    solver = QuantalSolver(tree, betas, precision=precision)
    while solver.residual().largest > largest:
        solver.advance(100)
        assert solver.iteration < 40_000
    return solver


def decisions(tree: PublicTree) -> Iterator[tuple[int, int, int]]:
    """Yield all nodes where somebody acts."""
    for street, (forest, boards) in enumerate(zip(tree.streets, tree.boards, strict=True)):
        for board in range(boards[0].num_boards):
            for node in np.flatnonzero(forest.kind == DECISION).tolist():
                yield street, board, node


def infosets_of_kuhn() -> Iterator[tuple[str, tuple[int, int, int], int]]:
    street, lines, _ = bet_street([1.0], 1.0, 1, is_last=True)
    for node in np.flatnonzero(street.kind == DECISION).tolist():
        for card, name in enumerate("JQK"):
            yield f"P{street.player[node]}:{name}:{lines[node]}", (0, 0, node), card


def largest_difference(game: str, tree: PublicTree, betas: tuple[float, float]) -> float:
    """Return how far the public form is from the branch of quantal response equilibria."""
    snapshot = settled(tree, betas).snapshot()
    beta = max(betas)
    exact = untilt.solve(
        game,
        "qre",
        beta=beta,
        scale0=betas[0] / beta,
        scale1=betas[1] / beta,
        tolerance=1e-12,
        save=False,
    ).strategy.to_dict()
    infosets = infosets_of_kuhn() if game == "kuhn" else infosets_of_leduc()
    worst = 0.0
    for label, path, lane in infosets:
        # Suits change nothing in Leduc: `Js` and `Jh` play alike.
        expected = list(exact[re.sub("([JQK])[sh]", r"\1", label)].values())
        worst = max(worst, float(np.abs(snapshot.strategy(*path)[:, lane] - expected).max()))
    return worst


@pytest.mark.parametrize("beta", [1.0, 10.0, 30.0])
def test_kuhn_and_leduc_equal_the_branch_of_their_histories(beta: float) -> None:
    assert largest_difference("kuhn", kuhn(), (beta, beta)) < 1e-8
    assert largest_difference("leduc", leduc(), (beta, beta)) < 1e-8


@pytest.mark.parametrize("betas", [(2.0, 20.0), (12.0, 3.0)])
def test_players_of_unequal_noise_equal_the_branch_too(betas: tuple[float, float]) -> None:
    assert largest_difference("kuhn", kuhn(), betas) < 1e-8
    assert largest_difference("leduc", leduc(), betas) < 1e-8


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("name", SMALL_FIRST)
def test_every_iteration_agrees_with_the_slow_twin(name: str, precision: str) -> None:
    tree = TREES[name]()
    beta = BETAS.get(name, 0.04)
    solver = QuantalSolver(tree, (beta, 1.5 * beta), precision=precision)
    twin = QuantalLearner(tree, (beta, 1.5 * beta), solver.rate)
    for _ in range(4):
        solver.advance(1)
        twin.iterate()
    snapshot = solver.snapshot()
    tolerance = 1e-9 if precision == "float64" else 2e-4
    for key in decisions(tree):
        assert np.allclose(snapshot.strategy(*key), twin.mix(key), rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", ["leduc", "turn", "turn with rake", "wide river"])
def test_the_answer_is_its_own_response(name: str) -> None:
    tree = TREES[name]()
    beta = BETAS.get(name, 0.03)
    solver = settled(tree, (beta, 2.0 * beta), largest=1e-11)
    snapshot = solver.snapshot()
    twin = QuantalLearner(tree, (beta, 2.0 * beta), solver.rate)
    for key in decisions(tree):
        twin.logits[key] = snapshot.log_strategy(*key)
    values = solver.evaluate().values
    for player in (0, 1):
        for key, response in twin.responses(player).items():
            assert np.allclose(snapshot.strategy(*key), response, rtol=0, atol=1e-8)
        weights = tree.weights[player] * twin._met(player, 0, 0, tree.weights[1 - player])
        expected = weights @ twin.look(player) / tree.total_weight
        assert values[player] - tree.baseline[player] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", ["leduc", "turn", "wide river"])
def test_what_best_responses_gain_agrees_with_all_pairs(name: str) -> None:
    tree = TREES[name]()
    beta = BETAS.get(name, 0.03)
    solver = QuantalSolver(tree, (beta, beta))
    solver.advance(30)
    snapshot, found = solver.snapshot(), solver.evaluate()

    def mix(street: int, board: int, node: int, player: int) -> Floats:
        del player
        return snapshot.strategy(street, board, node)

    values = reference.values(tree, mix)
    for player in (0, 1):
        best = reference.best_values(tree, mix, player, tree.weights[1 - player])
        gain = best @ tree.weights[player] / tree.total_weight - values[player]
        assert found.gains[player] == pytest.approx(gain, abs=2e-4)
        assert found.values[player] - tree.baseline[player] == pytest.approx(
            values[player], abs=2e-4
        )


@pytest.mark.parametrize("name", ["leduc", "turn"])
def test_two_different_starts_give_the_same_answer(name: str) -> None:
    tree = TREES[name]()
    beta = BETAS.get(name, 0.03)
    first = settled(tree, (beta, beta), largest=1e-11)
    second = QuantalSolver(tree, (beta, beta), precision="float64")
    random = np.random.default_rng(5)
    state = {key: array.copy() for key, array in second.state().items()}
    for player in (0, 1):
        state[f"logs_{player}"] *= random.uniform(0.0, 8.0, len(state[f"logs_{player}"]))
    second.restore(state | {"iteration": np.array([1000])})
    assert second.residual().largest > 0.5
    while second.residual().largest > 1e-11:
        second.advance(100)
        assert second.iteration < 20_000
    one, other = first.snapshot(), second.snapshot()
    for key in decisions(tree):
        assert np.allclose(one.strategy(*key), other.strategy(*key), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["leduc", "turn", "flop"])
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    tree = TREES[name]()
    states, found = [], []
    for threads in (1, 2, 3):
        solver = QuantalSolver(tree, (0.05, 0.05), threads=threads)
        solver.advance(7)
        states.append(solver.state())
        found.append((solver.residual(), solver.evaluate()))
        solver.close()
    for state in states[1:]:
        assert all(np.array_equal(state[key], states[0][key]) for key in states[0])
    assert found[1:] == found[:1] * 2


def test_a_restored_solver_continues_with_the_same_bits() -> None:
    def run(solver: QuantalSolver, until: int) -> QuantalSolver:
        for _ in solver.progress(until):
            pass
        return solver

    through = run(QuantalSolver(leduc(), (5.0, 5.0)), 400)
    first = run(QuantalSolver(leduc(), (5.0, 5.0)), 230)
    second = QuantalSolver(leduc(), (5.0, 5.0))
    second.restore({name: array.copy() for name, array in first.state().items()})
    run(second, 400)
    for name in ("logs_0", "logs_1", "rate"):
        assert np.array_equal(through.state()[name], second.state()[name])


@pytest.mark.parametrize(
    "change",
    [
        {"rate": np.array([np.nan, 1.0])},
        {"rate": np.array([0.1, -1.0])},
        {"measured": np.array([[9.0, 0.1, 0.1]])},
        {"logs_0": np.full(64, 0.5, np.float32)},
        {"logs_1": np.full(64, np.nan, np.float32)},
        {"logs_1": np.zeros(48, np.float32)},
    ],
)
def test_a_state_that_cannot_be_is_refused(change: dict[str, np.ndarray]) -> None:
    solver = QuantalSolver(kuhn(), (1.0, 1.0))
    solver.advance(3)
    before = {name: array.copy() for name, array in solver.state().items()}
    with pytest.raises(FormatError, match=r"saved state|logs_1"):
        solver.restore(before | change)
    assert all(np.array_equal(array, before[name]) for name, array in solver.state().items())


def test_a_locked_hand_does_not_move_and_lines_behind_it_have_values() -> None:
    tree = kuhn()
    solver = QuantalSolver(tree, (8.0, 8.0))
    _, sides = solver.layout
    # Player 0 never bets, and player 1 has an answer to a bet all the same.
    row = int(sides[0].node[int(tree.streets[0].first_child[0])].row)
    width = int(sides[0].board[0].width)
    positions = (row + np.array([[0, 1]])) * width + np.arange(3)[:, None]
    locked = QuantalSolver(
        tree, (8.0, 8.0), locks=[LockedRows(0, positions, np.array([[1.0, 0.0]] * 3))]
    )
    while locked.residual().largest > 1e-5:
        locked.advance(50)
        assert locked.iteration < 5_000
    snapshot = locked.snapshot()
    assert np.allclose(snapshot.strategy(0, 0, 0), [[1.0] * 3, [0.0] * 3])
    (answer,) = [
        node
        for node in np.flatnonzero(tree.streets[0].kind == DECISION).tolist()
        if tree.streets[0].parent[node] == 0 and node == int(tree.streets[0].first_child[0]) + 1
    ]
    # All hands bet alike there: a king wins 2 chips or 1, a jack loses 1 or 2, a queen either.
    mix = snapshot.strategy(0, 0, answer)
    odds = np.exp(8.0 * np.array([-1.0, 1.0, 3.0]))
    assert np.allclose(mix[1], odds / (1.0 + odds), atol=1e-5)


@pytest.mark.parametrize("name", ["turn", "river", "leduc"])
def test_float32_and_float64_agree(name: str) -> None:
    tree = TREES[name]()
    beta = BETAS.get(name, 0.1)
    single = settled(tree, (beta, beta), largest=1e-4, precision="float32")
    double = settled(tree, (beta, beta), largest=1e-10)
    one, other = single.snapshot(), double.snapshot()
    for key in decisions(tree):
        assert np.allclose(one.strategy(*key), other.strategy(*key), rtol=0, atol=3e-3)
    assert single.evaluate().value == pytest.approx(double.evaluate().value, abs=1e-3)


OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


@pytest.mark.parametrize(
    ("share", "exploitability", "value", "iterations"),
    [
        (0.10, 3.0728, 93.1596, 120),
        (0.05, 1.2593, 92.9650, 250),
        (0.02, 0.3752, 92.7333, 550),
        (0.01, 0.1537, None, 1_200),
    ],
)
def test_a_river_of_whole_ranges_has_known_figures(
    share: float, exploitability: float, value: float | None, iterations: int
) -> None:
    """The figures are those of a prototype in float64, which shares no code with this one."""
    sizes = untilt.Sizes("60%,a", raises="2.5x")
    spot = untilt.Spot("Td9d6hQc2s", (OOP, IP), pot=200, stack=900, sizes=sizes)
    beta = 1.0 / (share * spot.pot)
    target = Residual(float("inf"), 1e-3)
    solver = QuantalSolver(compile_spot(spot).tree, (beta, beta), target=target)
    for _ in solver.progress():
        if solver.is_at_moment and solver.residual().largest <= 1e-3:
            break
    assert solver.iteration <= iterations
    found = solver.evaluate()
    assert 100.0 * found.exploitability / spot.pot == pytest.approx(exploitability, abs=2e-4)
    if value is not None:
        assert found.values[0] == pytest.approx(value, abs=2e-4)


@pytest.mark.parametrize(("depth", "share", "iterations"), [(10, 0.05, 400), (25, 0.02, 2_400)])
def test_deep_stacks_settle_at_the_first_rate(depth: int, share: float, iterations: int) -> None:
    """With λ as for small stakes, these took 995 and 3,204 iterations, and λ was cut."""
    sizes = untilt.Sizes("60%,a", raises="2.5x")
    spot = untilt.Spot("AsKd7h4c2d", (OOP, IP), pot=200, stack=200 * depth, sizes=sizes)
    beta = 1.0 / (share * spot.pot)
    solver = QuantalSolver(
        compile_spot(spot).tree, (beta, beta), target=Residual(1e-3, float("inf"))
    )
    first = solver.rate
    for _ in solver.progress():
        if solver.is_at_moment and solver.residual().mean <= 1e-3:
            break
    assert solver.rate == first
    assert solver.iteration <= iterations


def test_a_run_of_an_earlier_version_with_a_larger_rate_goes_on() -> None:
    sizes = untilt.Sizes("a", raises="a")
    spot = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK, JJ"), pot=10, stack=100, sizes=sizes)
    tree = compile_spot(spot).tree
    solver = QuantalSolver(tree, (1.0, 1.0), precision="float64")
    solver.advance(2_000)
    earlier = {name: array.copy() for name, array in solver.state().items()}
    earlier["rate"][0] = 1.5 * solver.rate
    resumed = QuantalSolver(tree, (1.0, 1.0), precision="float64")
    resumed.restore(earlier)
    resumed.advance(2_000)
    assert resumed.residual().largest < 1e-9
