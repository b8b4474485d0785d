"""Re-solving with a choice at the root: a slow twin, and exact exploitability of the whole."""

import functools
from collections.abc import Callable

import numpy as np
import pytest
from tests.reference import public_tree as reference
from tests.solvers.public_tree.forms import kuhn, leduc
from tests.solvers.public_tree.test_public_tree import river_spot, turn_spot

from untilt.errors import InvalidOption, UnknownName
from untilt.game.public.public_tree import CHANCE, NO_PARENT, PublicTree, Street
from untilt.numeric.arrays import Floats, Offsets
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.gadget import MARGIN, MODES, SAFE, UNSAFE, Gadget
from untilt.solvers.public_tree.resolve import resolve_tree
from untilt.solvers.public_tree.solver import PublicTreeSolver

EXPONENTS = 1.5, 0.25, 5.0
RULE = UpdateRule(*EXPONENTS)
TREES: dict[str, Callable[[], PublicTree]] = {
    "kuhn": kuhn,
    "leduc": leduc,
    "river": lambda: river_spot("60%, a", "2.5x"),
    "turn": turn_spot,
}


def some_values(tree: PublicTree, player: int) -> Floats:
    """Alternatives of a similar size as the values of hands."""
    stake = max(float(np.abs(street.stakes).max()) for street in tree.streets)
    rng = np.random.default_rng(5)
    meets = tree.weights[1 - player].sum()
    return np.asarray(0.2 * stake * meets * rng.normal(size=len(tree.weights[player])))


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("mode", [SAFE, MARGIN])
@pytest.mark.parametrize("name", TREES)
def test_choices_and_strategies_agree_with_the_slow_twin(name: str, mode: str, player: int) -> None:
    tree = TREES[name]()
    alternatives = some_values(tree, player)
    solver = PublicTreeSolver(tree, RULE, gadget=Gadget(player, alternatives, 0.6, mode))
    twin = reference.ChoosingLearner(
        tree, EXPONENTS, player, alternatives, 0.6, is_margin=mode == MARGIN
    )
    count = 3 if name == "turn" else 12
    solver.advance(count)
    for _ in range(count):
        twin.iterate()
    assert solver._chooser is not None
    hands = len(alternatives)
    np.testing.assert_allclose(solver._chooser.entry.enter[:hands], twin.enter, atol=2e-4)
    np.testing.assert_allclose(
        solver._chooser.entry.weight[:hands], twin.entering(twin.enter), rtol=1e-3, atol=1e-4
    )
    snapshot = solver.snapshot()
    # On a turn, regrets that should be 0 fall on either side of it in float32.
    for (street, board, node), sums in twin.sums.items() if name != "turn" else ():
        mix = sums / sums.sum(axis=0)
        np.testing.assert_allclose(snapshot.strategy(street, board, node), mix, atol=2e-3)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("mode", [SAFE, MARGIN])
def test_what_best_responses_gain_is_that_of_the_game_with_the_choice(
    mode: str, player: int
) -> None:
    tree = leduc()
    alternatives = some_values(tree, player)
    solver = PublicTreeSolver(tree, RULE, gadget=Gadget(player, alternatives, 0.6, mode))
    solver.advance(30)
    assert solver._chooser is not None
    snapshot = solver.snapshot()
    enter = solver._chooser.average[: len(alternatives)].astype(float)
    twin = reference.ChoosingLearner(
        tree, EXPONENTS, player, alternatives, 0.6, is_margin=mode == MARGIN
    )

    def mix(street: int, board: int, node: int, _: int) -> Floats:
        return snapshot.strategy(street, board, node)

    weights = tree.weights
    entering = twin.entering(enter)
    reach = [weights[0], weights[1]]
    reach[player] = entering
    followed = reference._values_at(tree, mix, 0, 0, 0, (reach[0], reach[1]))
    other = 1 - player
    best = reference.best_values(tree, mix, other, entering)
    others_gain = weights[other] @ (best - followed[other])
    own_best = reference.best_values(tree, mix, player, weights[other])
    own = followed[player]
    everywhere = twin.entering(np.ones(len(enter))) - twin.entering(np.zeros(len(enter)))
    believed = 0.6 * weights[player]
    if mode == SAFE:
        most = believed @ own_best + everywhere @ np.maximum(own_best, alternatives)
        mean = believed @ own + everywhere @ (enter * own + (1.0 - enter) * alternatives)
        total = (believed + everywhere) @ twin.met
    else:
        most = believed @ own_best + np.max(everywhere * (own_best - alternatives))
        mean = believed @ own + (everywhere * enter) @ (own - alternatives)
        total = believed @ twin.met + 0.4 * weights[player].sum() * twin.met.mean()
    gains = solver.evaluate().gains
    assert gains[player] == pytest.approx((most - mean) / total, abs=1e-5)
    assert gains[other] == pytest.approx(others_gain / total, abs=1e-5)
    assert min(gains) > 1e-4


def test_trusting_the_belief_entirely_is_solving_without_a_choice() -> None:
    tree = river_spot("60%, a", "2.5x")
    plain = PublicTreeSolver(tree, RULE)
    plain.advance(50)
    alternatives = some_values(tree, 1)
    for gadget in (Gadget(1, alternatives, 1.0, SAFE), Gadget(1, alternatives, 0.3, UNSAFE)):
        solver = PublicTreeSolver(tree, RULE, gadget=gadget)
        solver.advance(50)
        for table, other in zip(plain.snapshot().tables, solver.snapshot().tables, strict=True):
            np.testing.assert_array_equal(table, other)
        assert solver.evaluate().nash_conv == pytest.approx(plain.evaluate().nash_conv, abs=1e-4)


@pytest.mark.parametrize("mode", [SAFE, MARGIN])
def test_any_number_of_threads_gives_the_same_choices(mode: str) -> None:
    tree = turn_spot()
    gadget = Gadget(0, some_values(tree, 0), 0.5, mode)
    found = [
        resolve_tree(tree, iterations=20, threads=threads, gadget=gadget) for threads in (1, 2, 3)
    ]
    for other in found[1:]:
        assert other.iterations == found[0].iterations == 20
        assert other.evaluation == found[0].evaluation
        for table, again in zip(found[0].snapshot.tables, other.snapshot.tables, strict=True):
            np.testing.assert_array_equal(table, again)


BOARDS = 0, 2, 4
"""One of each rank."""


class Leduc:
    """An equilibrium of Leduc, and its second street solved anew."""

    def __init__(self) -> None:
        self.tree = leduc()
        solver = PublicTreeSolver(self.tree, UpdateRule(1.5, 0.0, 3.0))
        solver.advance(4000)
        self.snapshot = solver.snapshot()

    def mix(self, street: int, board: int, node: int, _: int = 0) -> Floats:
        return self.snapshot.strategy(street, board, node)

    def subgame(self, board: int, root: int) -> PublicTree:
        """Return the second street on a board, after the line that leads to a root."""
        leaf = int(np.flatnonzero(self.tree.streets[0].kind == CHANCE)[root])
        reach = self.snapshot.view([(0, leaf), (board, root)]).reach
        boards = self.tree.boards[1]
        first, second = (
            each._replace(
                first_lane=np.array([0, each.first_lane[1]]),
                hand=np.arange(each.first_lane[1], dtype=np.uint16),
                blockers=each.blockers[each.lanes(board)],
                strength=each.strength[each.lanes(board)],
            )
            for each in boards
        )
        return PublicTree(
            weights=reach,
            streets=(_below(self.tree.streets[1], root)[0],),
            boards=((first, second),),
            deals=(),
            runouts=(None,),
            num_blockers=self.tree.num_blockers,
        )

    def solved_anew(self, player: int, mode: str, belief: float, iterations: int) -> float:
        """Return what a best response wins from `player`, whose second street is solved anew."""
        tree = self.tree
        opponent = 1 - player
        found: dict[tuple[int, int], Floats] = {}
        for board in BOARDS:
            for root in range(tree.streets[1].num_roots):
                small = self.subgame(board, root)
                _, nodes = _below(tree.streets[1], root)

                def before(
                    _: int, __: int, node: int, ___: int, board: int = board, nodes: Offsets = nodes
                ) -> Floats:
                    return self.mix(1, board, int(nodes[node]))

                known = reference.best_values(small, before, opponent, small.weights[player])
                solved = resolve_tree(
                    small, iterations=iterations, gadget=Gadget(opponent, known, belief, mode)
                )
                for node in np.flatnonzero(small.streets[0].player == player).tolist():
                    found[board, int(nodes[node])] = solved.snapshot.strategy(0, 0, node)

        def mix(street: int, board: int, node: int, seat: int) -> Floats:
            if street and seat == player and board in BOARDS:
                return found[board, node]
            return self.mix(street, board, node)

        return self.best_against(player, mix)

    def best_against(self, player: int, mix: reference.Mix) -> float:
        weights = self.tree.weights
        best = reference.best_values(self.tree, mix, 1 - player, weights[player])
        return float(weights[1 - player] @ best) / self.tree.total_weight


def _below(street: Street, root: int) -> tuple[Street, Offsets]:
    """Return the tree of one root, and the nodes of the forest that are its own."""
    above = np.arange(street.num_nodes)
    while (street.parent[above] != NO_PARENT).any():
        above = np.where(street.parent[above] == NO_PARENT, above, street.parent[above])
    nodes = np.flatnonzero(above == root)
    number = np.full(street.num_nodes + 1, len(nodes), np.int32)
    number[nodes] = np.arange(len(nodes))
    parent = street.parent[nodes]
    small = Street(
        street.kind[nodes],
        street.player[nodes],
        np.where(parent == NO_PARENT, NO_PARENT, number[parent]).astype(np.int32),
        number[street.first_child[nodes]],
        street.num_actions[nodes],
        street.stakes[nodes],
    )
    return small, nodes


@functools.cache
def equilibrium() -> Leduc:
    return Leduc()


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("mode", "belief"), [(SAFE, 0.0), (SAFE, 0.8), (MARGIN, 0.8)])
def test_safe_subgames_leave_the_whole_as_hard_to_exploit(
    mode: str, belief: float, player: int
) -> None:
    known = equilibrium()
    before = known.best_against(player, known.mix)
    # What is left is the error of so few iterations.
    assert known.solved_anew(player, mode, belief, 400) < before + 2.5e-3


@pytest.mark.long
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("mode", [SAFE, MARGIN])
def test_the_error_of_safe_subgames_vanishes_with_iterations(mode: str, player: int) -> None:
    known = equilibrium()
    before = known.best_against(player, known.mix)
    assert known.solved_anew(player, mode, 0.8, 6400) < before + 2e-4


@pytest.mark.parametrize("player", [0, 1])
def test_subgames_that_trust_a_belief_can_be_exploited(player: int) -> None:
    known = equilibrium()
    before = known.best_against(player, known.mix)
    assert known.solved_anew(player, UNSAFE, 1.0, 400) > before + 0.02


def test_wrong_gadgets_are_refused() -> None:
    tree = kuhn()
    with pytest.raises(UnknownName, match="mode"):
        Gadget(0, np.zeros(3), mode="safest")
    with pytest.raises(InvalidOption, match="belief"):
        Gadget(0, np.zeros(3), belief=1.5)
    with pytest.raises(InvalidOption, match="2 alternatives for 3 hands"):
        PublicTreeSolver(tree, RULE, gadget=Gadget(0, np.zeros(2)))
    with pytest.raises(InvalidOption, match="finite"):
        PublicTreeSolver(tree, RULE, gadget=Gadget(0, np.full(3, np.nan)))
    with pytest.raises(InvalidOption, match="iterations"):
        resolve_tree(tree, iterations=0)


@pytest.mark.parametrize("mode", MODES)
def test_a_budget_of_time_ends_a_solve(mode: str) -> None:
    tree = kuhn()
    found = resolve_tree(tree, budget=0.3, gadget=Gadget(1, np.zeros(3), mode=mode))
    assert found.iterations > 1
    assert found.seconds > 0.0
