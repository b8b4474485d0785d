"""The public-tree solver against closed forms, the sequence form and a slow twin."""

import functools
import itertools
from collections.abc import Callable

import numpy as np
import pytest
from tests.reference import public_tree as reference
from tests.solvers.public_tree.forms import infosets_of_leduc, kuhn, leduc

import untilt
from untilt.errors import FormatError, InvalidOption
from untilt.game.public.public_layout import layout_of
from untilt.game.public.public_tree import DECISION, PublicTree
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import Floats
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.solver import PublicTreeSolver
from untilt.solvers.public_tree.tables import LockedRows

DCFR = UpdateRule(alpha=1.5, beta=0.0, gamma=2.0)
RULES = {
    "dcfr": DCFR,
    "cfr+": UpdateRule(gamma=2.0, is_clipped=True),
    "pcfr+": UpdateRule(gamma=2.0, is_clipped=True, prediction=1.0),
}


def turn_spot(*, is_merged: bool = True, rake: float = 0.0) -> PublicTree:
    """A turn with all-ins, merged suits and few hands."""
    spot = Spot(
        board="Td9d6h2c",
        ranges=("AA, KQs, 87s, T9o:0.5", "KK, QJs, A5s, 96s"),
        pot=100,
        stack=150,
        sizes=Sizes("60%, a", raises="a"),
        rake=rake,
        rake_cap=10,
    )
    return compile_spot(spot, is_merged=is_merged).tree


def river_spot(bets: str, raises: str) -> PublicTree:
    """A river with as many betting lines as sizes make."""
    return compile_spot(
        Spot(
            board="Td9d6hQc2s",
            ranges=("AA, KQs, 87s, T9o:0.5", "KK, QJs, A5s, 96s, T9o"),
            pot=100,
            stack=400,
            sizes=Sizes(bets, raises=raises),
        )
    ).tree


RIVERS = {
    "narrow river": ("60%, a", "2.5x", (None, 16)),
    "wide river": ("50%, 100%, a", "100%", (32, None)),
    "river of both widths": ("33%, 66%, 100%, a", "60%", (32, 16)),
}
"""Bets, raises, and the widths in which their leaves are settled."""


def flop_spot() -> PublicTree:
    """A flop whose chance cards can be merged."""
    spot = Spot(board="TdTh6s", ranges=("AA, KQs", "KK, QJs"), pot=100, stack=100, sizes=Sizes("a"))
    return compile_spot(spot).tree


def solved(tree: PublicTree, iterations: int, rule: UpdateRule = DCFR) -> PublicTreeSolver:
    solver = PublicTreeSolver(tree, rule)
    solver.advance(iterations)
    return solver


@pytest.mark.parametrize("rule", RULES)
def test_kuhn_as_a_public_tree_has_the_value_of_kuhn(rule: str) -> None:
    evaluation = solved(kuhn(), 3000, RULES[rule]).evaluate()
    assert evaluation.exploitability < 2e-4
    assert evaluation.value == pytest.approx(-1 / 18, abs=1e-4)
    assert evaluation.values[1] == pytest.approx(1 / 18, abs=1e-4)


@pytest.mark.parametrize("rule", RULES)
def test_leduc_as_a_public_tree_has_the_value_of_leduc(rule: str) -> None:
    evaluation = solved(leduc(), 5000, RULES[rule]).evaluate()
    assert evaluation.exploitability < 2e-4
    assert evaluation.value == pytest.approx(-0.0856064, abs=1e-4)


def test_uniform_kuhn_has_nash_conv_eleven_twelfths() -> None:
    evaluation = PublicTreeSolver(kuhn(), DCFR).evaluate()
    assert evaluation.nash_conv == pytest.approx(11 / 12, abs=1e-6)


def test_the_sequence_form_measures_the_same_exploitability_of_leduc() -> None:
    solver = solved(leduc(), 40)
    snapshot = solver.snapshot()
    game = untilt.games.compile(untilt.games.leduc(suits="distinguished"))
    strategy: dict[str, dict[str, float]] = {}
    for label, path, lane in infosets_of_leduc():
        names = game.infosets[int(label[1])]
        mix = snapshot.strategy(*path)[:, lane].tolist()
        strategy[label] = dict(zip(names.actions(names.index(label)), mix, strict=True))
    measured = untilt.evaluate(game, strategy)
    evaluation = solver.evaluate()
    assert measured.exploitability == pytest.approx(evaluation.exploitability, abs=2e-6)
    assert measured.value == pytest.approx(evaluation.value, abs=2e-6)


TREES: dict[str, Callable[[], PublicTree]] = {
    "kuhn": kuhn,
    "leduc": leduc,
    "turn": turn_spot,
    "turn with every suit": lambda: turn_spot(is_merged=False),
    "turn with rake": lambda: turn_spot(rake=0.05),
    "flop": flop_spot,
    **{
        name: functools.partial(river_spot, bets, raises)
        for name, (bets, raises, _) in RIVERS.items()
    },
}


# The slow twin takes half a minute for all boards of a flop.
SMALL_FIRST = [
    pytest.param(name, marks=pytest.mark.long) if name == "flop" else name for name in TREES
]


def table(solver: PublicTreeSolver, name: str, key: tuple[int, int, int]) -> Floats:
    """Return the rows of a node, [actions, lanes], from a solver's state."""
    street, board, node = key
    layout, sides = solver.layout
    forest = solver.tree.streets[street]
    player, count = int(forest.player[node]), int(forest.num_actions[node])
    place = sides[player].board[layout.street[street].first_board + board]
    child = int(layout.street[street].first_node) + int(forest.first_child[node])
    begin = int(place.table + sides[player].node[child].row * place.width)
    rows = solver.state()[f"{name}_{player}"][begin : begin + count * int(place.width)]
    return rows.reshape(count, -1)[:, : place.num_lanes].astype(np.float64)


@pytest.mark.parametrize("name", SMALL_FIRST)
def test_regrets_and_averages_agree_with_the_slow_twin(name: str) -> None:
    # Later on, a regret that should be 0 may fall on either side of it in float32.
    tree = TREES[name]()
    solver = solved(tree, 2)
    twin = reference.Learner(tree, *DCFR[:3])
    twin.iterate()
    first = dict(twin.regrets)
    twin.iterate()
    scale = max(float(np.abs(regrets).max()) for regrets in twin.regrets.values())
    for key, regrets in twin.regrets.items():
        assert np.allclose(table(solver, "regret_sum", key), regrets, rtol=0, atol=2e-6 * scale)
        is_clear = np.abs(first[key]).max(axis=0) > 1e-4 * scale
        difference = np.abs(table(solver, "strategy_sum", key) - twin.sums[key])
        assert difference[:, is_clear].max(initial=0.0) < 1e-4


@pytest.mark.parametrize("name", SMALL_FIRST)
def test_values_agree_with_those_of_all_pairs(name: str) -> None:
    tree = TREES[name]()
    solver = solved(tree, 30)
    snapshot = solver.snapshot()

    def mix(street: int, board: int, node: int, player: int) -> Floats:
        del player
        return snapshot.strategy(street, board, node)

    expected = reference.values(tree, mix)
    evaluation = solver.evaluate()
    for player in (0, 1):
        found = evaluation.values[player] - tree.baseline[player]
        assert found == pytest.approx(expected[player], abs=1e-4)


@pytest.mark.parametrize("name", TREES)
def test_a_view_of_the_root_sums_to_the_values_of_the_game(name: str) -> None:
    tree = TREES[name]()
    solver = solved(tree, 30)
    view = solver.snapshot().view([(0, 0)])
    evaluation = solver.evaluate()
    for player in (0, 1):
        weights = view.reach[player] * view.met[player]
        mean = float(np.nansum(view.values[player] * weights) / weights.sum())
        assert mean == pytest.approx(evaluation.values[player], abs=1e-4)
    mean_of_actions = (view.strategy * view.action_values).sum(axis=0)
    assert np.allclose(mean_of_actions, view.values[view.player], atol=1e-4, equal_nan=True)


def test_a_view_behind_a_deal_continues_the_one_before() -> None:
    tree = turn_spot()
    solver = solved(tree, 60)
    snapshot = solver.snapshot()
    forest = tree.streets[0]
    leaf = int(np.flatnonzero(forest.kind == 4)[0])
    before = snapshot.view([(0, leaf)])
    total = np.zeros(len(before.reach[0]))
    deals = tree.deals[0]
    for edge, board in enumerate(deals.child.tolist()):
        view = snapshot.view([(0, leaf), (board, 0)])
        lanes = deals.lane[0][deals.first_lane[0][edge] : deals.first_lane[0][edge + 1]]
        values = (view.values[0] - tree.baseline[0]) * view.met[0]
        np.add.at(total, lanes, deals.probability * np.nan_to_num(values))
    expected = (before.values[0] - tree.baseline[0]) * before.met[0]
    assert np.allclose(total, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["leduc", "turn", "flop"])
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    tree = TREES[name]()
    states = []
    for threads in (1, 2, 3):
        solver = PublicTreeSolver(tree, DCFR, threads=threads)
        solver.advance(7)
        states.append(solver.state())
        solver.close()
    for state in states[1:]:
        assert all(np.array_equal(state[key], states[0][key]) for key in states[0])


def test_merging_suits_changes_no_value() -> None:
    merged, whole = (solved(turn_spot(is_merged=flag), 200).evaluate() for flag in (True, False))
    assert merged.value == pytest.approx(whole.value, abs=2e-2)
    assert merged.exploitability == pytest.approx(whole.exploitability, abs=2e-2)


@pytest.mark.parametrize("rule", RULES)
def test_a_restored_solver_continues_with_the_same_bits(rule: str) -> None:
    through = solved(leduc(), 20, RULES[rule])
    first = solved(leduc(), 9, RULES[rule])
    second = PublicTreeSolver(leduc(), RULES[rule])
    second.restore({name: array.copy() for name, array in first.state().items()})
    second.advance(11)
    for name, array in through.state().items():
        assert np.array_equal(array, second.state()[name])


def test_a_state_of_another_tree_is_refused() -> None:
    with pytest.raises(FormatError, match="regret_sum_0"):
        PublicTreeSolver(kuhn(), DCFR).restore(solved(leduc(), 2).state())


@pytest.mark.parametrize("precision", ["float32", pytest.param("int16", marks=pytest.mark.long)])
def test_a_locked_player_does_not_move_and_is_exploited(precision: str) -> None:
    tree = kuhn()
    solver = PublicTreeSolver(tree, DCFR)
    layout, sides = solver.layout
    node = int(np.flatnonzero((layout.node["player"] == 1) & (layout.node["kind"] == DECISION))[1])
    width = int(sides[1].board[0].width)
    row = int(sides[1].node[layout.node[node].first_child].row)
    # Facing a bet, player 1 always folds, whatever the card.
    positions = (row + np.array([[0, 1]])) * width + np.array([[0], [1], [2]])
    lock = LockedRows(1, positions, np.array([[1.0, 0.0]] * 3))
    locked = PublicTreeSolver(tree, DCFR, precision=precision, locks=[lock])
    locked.advance(2000)
    mix = locked.snapshot().strategy(0, 0, node)
    assert np.allclose(mix, [[1.0] * 3, [0.0] * 3])
    evaluation = locked.evaluate()
    # Betting everything wins the ante every time.
    assert evaluation.value == pytest.approx(1.0, abs=1e-3)
    assert evaluation.exploitability < 1e-3


@pytest.mark.long
@pytest.mark.parametrize("name", ["leduc", "turn"])
def test_sixteen_bits_find_the_same_values(name: str) -> None:
    tree = TREES[name]()
    stake = 1.0 if name == "leduc" else 100.0
    full = solved(tree, 600).evaluate()
    solver = PublicTreeSolver(tree, DCFR, precision="int16")
    solver.advance(600)
    short = solver.evaluate()
    assert short.value == pytest.approx(full.value, abs=1e-3 * stake)
    assert short.exploitability < 2.5e-3 * stake
    assert solver.state()["regret_sum_0"].dtype == np.int16
    first = PublicTreeSolver(tree, DCFR, precision="int16")
    first.advance(250)
    second = PublicTreeSolver(tree, DCFR, precision="int16", threads=2)
    second.restore({key: array.copy() for key, array in first.state().items()})
    second.advance(350)
    for key, array in solver.state().items():
        assert np.array_equal(array, second.state()[key])


@pytest.mark.parametrize("precision", ["float64", "int8"])
def test_an_unknown_precision_is_refused(precision: str) -> None:
    with pytest.raises(InvalidOption, match="float32 or int16"):
        PublicTreeSolver(kuhn(), DCFR, precision=precision)


def test_predictions_need_float32() -> None:
    with pytest.raises(InvalidOption, match="predictive methods need float32"):
        PublicTreeSolver(kuhn(), RULES["pcfr+"], precision="int16")


@pytest.mark.parametrize("name", RIVERS)
def test_a_river_settles_its_lines_in_the_widths_that_it_needs(name: str) -> None:
    layout, _ = layout_of(TREES[name]())
    assert (layout.wide, layout.narrow) == RIVERS[name][2]


def test_only_rake_takes_from_the_sum_of_both_players() -> None:
    assert turn_spot().is_zero_sum
    assert kuhn().is_zero_sum
    assert not turn_spot(rake=0.05).is_zero_sum


def test_a_target_is_reached_with_few_measurements() -> None:
    target = 0.05
    solver = PublicTreeSolver(turn_spot(), DCFR, target=target)
    measured = []
    for progress in solver.progress():
        if progress.evaluation is not None:
            measured.append((progress.iteration, progress.evaluation.exploitability))
            if measured[-1][1] <= target:
                break
    assert len(measured) <= 12
    assert all(exploitability > target for _, exploitability in measured[:-1])
    # Not far beyond the first iteration that would have done.
    slow = PublicTreeSolver(turn_spot(), DCFR)
    while slow.evaluate().exploitability > target:
        slow.advance(1)
    assert solver.iteration <= 1.1 * slow.iteration


def test_measurements_of_a_restored_solver_are_those_of_one_that_never_stopped() -> None:
    def iterations(solver: PublicTreeSolver) -> list[int | None]:
        steps = itertools.takewhile(lambda step: (step.iteration or 0) <= 300, solver.progress())
        return [step.iteration for step in steps if step.evaluation is not None]

    through = PublicTreeSolver(leduc(), DCFR, target=1e-3)
    expected = iterations(through)
    first = PublicTreeSolver(leduc(), DCFR, target=1e-3)
    for progress in first.progress():
        if progress.iteration is not None and progress.iteration >= 70:
            break
    second = PublicTreeSolver(leduc(), DCFR, target=1e-3)
    second.restore({name: array.copy() for name, array in first.state().items()})
    found = iterations(second)
    assert found
    assert found == expected[-len(found) :]


@pytest.mark.parametrize("rows", [[[3.0, 1.0], [2.0, 1.0]], [[1.0, 1.0], [99.0, 1.0]]])
def test_measurements_that_cannot_be_are_refused(rows: list[list[float]]) -> None:
    state = solved(kuhn(), 5).state() | {"measured": np.array(rows)}
    with pytest.raises(FormatError, match="measurements"):
        PublicTreeSolver(kuhn(), DCFR).restore(state)


def test_a_state_saved_before_measurements_were_is_restored() -> None:
    state = solved(kuhn(), 5).state()
    del state["measured"]
    solver = PublicTreeSolver(kuhn(), DCFR)
    solver.restore(state)
    assert solver.iteration == 5


def test_progress_reports_what_evaluate_measures() -> None:
    solver = PublicTreeSolver(kuhn(), DCFR)
    *_, last = solver.progress(until=50)
    assert last.iteration == 50
    assert last.evaluation == solver.evaluate()


@pytest.mark.parametrize("name", ["leduc", "turn", "narrow river"])
def test_values_of_hands_and_nodes_agree_with_all_pairs(name: str) -> None:
    tree = TREES[name]()
    solver = solved(tree, 20)
    snapshot = solver.snapshot()

    def mix(street: int, board: int, node: int, player: int) -> Floats:
        del player
        return snapshot.strategy(street, board, node)

    expected = reference._values_at(tree, mix, 0, 0, 0, tree.weights)
    scale = float(max(np.abs(each).max() for each in expected))
    again = PublicTreeSolver(tree, DCFR)
    for player in (0, 1):
        values = again.values_under(snapshot.tables, player)
        assert np.allclose(values, expected[player], rtol=0, atol=1e-5 * scale)
        best = reference.best_values(tree, mix, player, tree.weights[1 - player])
        found = again.best_values_under(snapshot.tables, player)
        assert np.allclose(found, best, rtol=0, atol=1e-5 * scale)
        by_node = solver.node_values(player)
        for node in np.flatnonzero(tree.streets[0].kind == DECISION).tolist():
            view = snapshot.view([(0, node)])
            known = (view.values[player] - tree.baseline[player]) * view.met[player]
            assert np.allclose(by_node[node], np.nan_to_num(known), rtol=0, atol=1e-4 * scale)
