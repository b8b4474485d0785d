"""A trainer learns Leduc from deals, with the same bits on any number of threads."""

from typing import Any

import numpy as np
import pytest
from tests.reference.blueprint import Node
from tests.reference.blueprint import full_walk as slow_full_walk
from tests.reference.blueprint import walk as slow_walk
from tests.solvers.blueprint.leduc import LeducDealer, leduc_tree, profile_of

import untilt
from untilt.errors import FormatError, InvalidOption
from untilt.game.deals.deal_tree import (
    DECISION,
    FOLD,
    LANES,
    DealTree,
    DecisionNode,
    Fold,
    ShowdownNode,
    grow,
    make_deals,
)
from untilt.numeric.half_floats import narrowed, widened
from untilt.solvers.blueprint.layout import lay_out
from untilt.solvers.blueprint.rule import RULES, Discounting
from untilt.solvers.blueprint.tables import block, make_tables, table_bytes, used_bytes
from untilt.solvers.blueprint.trainer import Trainer
from untilt.solvers.blueprint.walk import NO_LOG, Span, make_workspace, walk

TREE, LINES = leduc_tree()
VALUE = -0.0856064


def bits(learner: Trainer) -> bytes:
    state = learner.state()
    return b"".join(
        array.tobytes()
        for name, array in state.items()
        if name.startswith(("regrets", "sums", "visits", "scales"))
    )


def trainer(rule: str = "dcfr+", gamma: float | None = None, **options: Any) -> Trainer:
    named = RULES[rule]
    chosen = named if gamma is None else named._replace(gamma=gamma)
    return Trainer(TREE, LeducDealer(1), chosen, seed=3, **options)


LONG = pytest.mark.long
"""Each of these compiles kernels of its own."""


def test_tree_of_leduc() -> None:
    assert TREE.num_infosets((3, 9)) == 288
    assert TREE.num_entries((3, 9)) == 672
    assert table_bytes(TREE.widths, (3, 9)) == 672 * 8
    for precision in ("float16", "bfloat16"):
        assert table_bytes(TREE.widths, (3, 9), precision) == 672 * 4
    assert table_bytes(TREE.widths, (3, 9), has_visits=True) == 672 * 12


@pytest.mark.parametrize(
    ("rule", "options", "most"),
    [
        ("linear", {"gamma": 1.0}, 0.16),
        ("dcfr+", {}, 0.12),
        ("rm+", {}, 0.12),
        pytest.param("linear", {"gamma": 1.0, "precision": "bfloat16"}, 0.16, marks=LONG),
        pytest.param("linear", {"gamma": 1.0, "precision": "float16"}, 0.16, marks=LONG),
        pytest.param("linear", {"gamma": 1.0, "sampling": "chance"}, 0.16, marks=LONG),
        pytest.param("dcfr+", {"precision": "sparse"}, 0.12, marks=LONG),
    ],
)
def test_learns_leduc(rule: str, options: dict[str, Any], most: float) -> None:
    learner = trainer(rule, batch=64, **options)
    learner.train(1_000)
    before = untilt.evaluate("leduc", profile_of(learner, LINES)).exploitability
    learner.train(15_000)
    found = untilt.evaluate("leduc", profile_of(learner, LINES))
    assert found.exploitability < min(most, 0.5 * before)
    assert found.value == pytest.approx(VALUE, abs=0.03)


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"precision": "bfloat16"}, marks=LONG),
        pytest.param({"precision": "float16"}, marks=LONG),
        {"counts_visits": True},
        pytest.param({"sampling": "chance"}, marks=LONG),
        pytest.param({"sampling": "chance", "precision": "bfloat16"}, marks=LONG),
        pytest.param({"precision": "sparse"}, marks=LONG),
        pytest.param({"sampling": "chance", "precision": "sparse"}, marks=LONG),
    ],
)
def test_same_bits_on_any_number_of_threads_and_after_a_break(options: dict[str, Any]) -> None:
    found = []
    for threads in (1, 2, 3):
        learner = trainer(threads=threads, batch=64, **options)
        learner.train(640)
        found.append(bits(learner))
    first, second = (trainer(batch=64, **options) for _ in range(2))
    first.train(320)
    second.restore(first.state())
    second.train(640)
    found.append(bits(second))
    assert len(set(found)) == 1


def test_walks_at_once_and_walks_with_logs_learn_the_same_from_one_deal() -> None:
    """With one deal and seat nothing is read that was changed before."""
    at_once = trainer(batch=1, is_synchronised=False)
    logged = trainer(batch=1)
    at_once.train(1)
    logged.train(1)
    # Player 0's walk changes regrets of player 0, which player 1's walk then sees.
    for street, count in enumerate((3, 9)):
        changed, expected = (
            block(each.tables.regrets, each.tables, street, 0, count) for each in (at_once, logged)
        )
        assert np.any(expected != 0.0)
        np.testing.assert_array_equal(changed, expected)


def test_a_log_that_is_too_small_is_made_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = trainer(batch=64, threads=2)
    usual.train(128)
    monkeypatch.setattr("untilt.solvers.blueprint.trainer._USUAL_DECISIONS", 1)
    tight = trainer(batch=64, threads=2)
    tight.train(128)
    assert tight._usual > 1
    assert bits(tight) == bits(usual)
    assert tight.hand_nodes == usual.hand_nodes


def _twin(tree: DealTree, index: int, numbers: dict[int, int]) -> Node:
    node = tree.nodes[index]
    if node["kind"] == DECISION:
        first = int(node["first_child"])
        children = tuple(
            _twin(tree, first + action, numbers) for action in range(int(node["num_actions"]))
        )
        made = Node(int(node["player"]), int(node["street"]), children)
    elif node["kind"] == FOLD:
        made = Node(fold_win=float(node["stake"]))
    else:
        made = Node(stake=float(node["stake"]))
    numbers[id(made)] = index
    return made


def wide_tree() -> DealTree:
    """A tree without a game, with 1 to 9 actions at its decisions."""
    rng = np.random.default_rng(4)

    def expand(depth: int) -> DecisionNode | Fold | ShowdownNode:
        if depth and rng.random() < 0.2:
            return Fold(float(rng.integers(-9, 9)))
        if depth == 4:
            return ShowdownNode(float(rng.integers(1, 9)))
        return DecisionNode(depth % 2, depth // 2, [depth + 1] * int(rng.integers(1, 10)))

    return grow(0, expand)


def test_layout_keeps_the_tree_and_numbers_actions_by_player() -> None:
    for tree in (TREE, wide_tree()):
        layout = lay_out(tree)
        rows: dict[tuple[int, int], list[range]] = {}
        pairs, num_met = [(0, 0)], 0
        while pairs:
            old, new = pairs.pop()
            num_met += 1
            before, after = tree.nodes[old], layout.nodes[new]
            for name in ("stake", "kind", "player", "street", "num_actions"):
                assert before[name] == after[name]
            if before["kind"] == DECISION:
                count = int(before["num_actions"])
                assert after["row"] == layout.rows[old]
                place = int(before["street"]), int(before["player"])
                rows.setdefault(place, []).append(range(after["row"], after["row"] + count))
                firsts = int(before["first_child"]), int(after["first_child"])
                pairs.extend((firsts[0] + n, firsts[1] + n) for n in range(count))
        assert num_met == len(tree.nodes) == len(layout.nodes)
        for place, ranges in rows.items():
            numbered = sorted(row for each in ranges for row in each)
            assert numbered == list(range(layout.widths[place]))


@pytest.mark.parametrize("tree", [TREE, wide_tree()], ids=["leduc", "wide"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    "precision",
    ["float32", *(pytest.param(name, marks=LONG) for name in ("bfloat16", "float16"))],
)
def test_walk_against_twin(precision: str, seat: int, tree: DealTree) -> None:
    rng = np.random.default_rng(seat)
    layout = lay_out(tree)
    tables = make_tables(layout, (3, 9), precision)
    is_narrow = precision != "float32"
    deals = make_deals(1, 2)
    LeducDealer(5).fill(deals, 0, 1, seat)

    def begin_of(index: int, bucket: int) -> int:
        place = int(tree.nodes[index]["street"]), int(tree.nodes[index]["player"])
        return int(tables.origins[place] + bucket * tables.widths[place] + layout.rows[index])

    # The player who learns mixes, the other one does not.
    for index, node in enumerate(tree.nodes):
        if node["kind"] == DECISION:
            count = int(node["num_actions"])
            for bucket in range((3, 9)[int(node["street"])]):
                begin = begin_of(index, bucket)
                weights = rng.normal(size=count)
                if int(node["player"]) != seat:
                    weights = np.where(np.arange(count) == rng.integers(count), 1.0, -1.0)
                given = weights.astype(np.float32)
                kept = narrowed(given, tables.regrets.dtype) if is_narrow else given
                tables.regrets[begin : begin + count] = kept
    before = widened(tables.regrets).copy()

    numbers: dict[int, int] = {}
    root = _twin(tree, 0, numbers)

    def mixes(node: Node, bucket: int) -> list[float]:
        begin = begin_of(numbers[id(node)], bucket)
        weights = np.maximum(before[begin : begin + len(node.children)].astype(float), 0.0)
        total = weights.sum()
        return list(weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights)))

    regrets: dict[tuple[int, int], list[float]] = {}
    strength = deals.strength[0].tolist()
    for lane in range(LANES):
        sign = (strength[lane] > strength[LANES]) - (strength[lane] < strength[LANES])
        own, other = deals.buckets[0, :, lane].tolist(), deals.buckets[0, :, LANES].tolist()
        slow_walk(root, seat, own, other, sign, mixes, regrets)

    weight = 2.0
    factors = np.array([[weight, 0.0]], dtype=np.float32)
    start, work = tables.regrets.copy(), make_workspace(tree)
    found = []
    for rounding in range(400 if is_narrow else 1):
        tables.regrets[:] = start
        span = Span(0, 1, seat, seat, 0, np.uint64(9), -np.inf, np.uint64(rounding))
        assert walk(layout.nodes, tables, deals, factors, span, work, NO_LOG, 0)
        found.append(widened(tables.regrets).astype(np.float64))
    expected = before.astype(np.float64)
    for (node_id, bucket), row in regrets.items():
        begin = begin_of(numbers[node_id], bucket)
        expected[begin : begin + len(row)] += weight * np.array(row)
    assert regrets
    # Rounding is right in the mean; a neighbour that is rare may be missing among so many walks.
    rare = 0.05 * np.abs(expected) / 128.0
    spread = np.std(found, axis=0) / np.sqrt(len(found))
    bound = 2e-4 + (6.0 * spread + rare if is_narrow else 0.0)
    assert np.all(np.abs(np.mean(found, axis=0) - expected) <= bound)
    assert np.any(spread > 0.0) == is_narrow


@pytest.mark.parametrize("tree", [TREE, wide_tree()], ids=["leduc", "wide"])
@pytest.mark.parametrize("seat", [0, 1])
def test_full_walk_against_twin(seat: int, tree: DealTree) -> None:
    """Both players mix, and some actions have no chance."""
    rng = np.random.default_rng(seat)
    learner = Trainer(
        tree,
        LeducDealer(5),
        RULES["linear"],
        seed=3,
        sampling="chance",
        batch=1,
        counts_visits=True,
    )
    numbers: dict[int, int] = {}
    root = _twin(tree, 0, numbers)
    for street, count in enumerate((3, 9)):
        for player in (0, 1):
            own = block(learner.tables.regrets, learner.tables, street, player, count)
            own[:] = np.where(rng.random(own.shape) < 0.4, -1.0, rng.random(own.shape))
    before = learner.tables.regrets.copy()
    deals = make_deals(1, 2)
    learner.dealer.fill(deals, 0, 1, 0)
    learner.train(1)

    def begin_of(node: Node, bucket: int) -> int:
        index = numbers[id(node)]
        place = int(tree.nodes[index]["street"]), int(tree.nodes[index]["player"])
        tables = learner.tables
        return int(tables.origins[place] + bucket * tables.widths[place]) + int(
            learner.layout.rows[index]
        )

    def mixes(node: Node, bucket: int) -> list[float]:
        begin = begin_of(node, bucket)
        weights = np.maximum(before[begin : begin + len(node.children)].astype(float), 0.0)
        total = weights.sum()
        return list(weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights)))

    regrets: dict[tuple[int, int], list[float]] = {}
    sums: dict[tuple[int, int], list[float]] = {}
    strength = deals.strength[0].tolist()
    other = deals.buckets[0, :, LANES].tolist()
    for lane in range(LANES):
        sign = (strength[lane] > strength[LANES]) - (strength[lane] < strength[LANES])
        own_buckets = deals.buckets[0, :, lane].tolist()
        slow_full_walk(root, seat, own_buckets, other, sign, mixes, 1.0, regrets, sums)
    node_of = {index: made for made, index in _made(root, numbers)}
    for found, added in ((learner.tables.regrets - before, regrets), (learner.tables.sums, sums)):
        assert added
        for (node_id, bucket), row in added.items():
            begin = begin_of(node_of[numbers[node_id]], bucket)
            np.testing.assert_allclose(found[begin : begin + len(row)], row, atol=2e-4)


def _made(root: Node, numbers: dict[int, int]) -> list[tuple[Node, int]]:
    waiting = [root]
    for node in waiting:
        waiting.extend(node.children)
    return [(node, numbers[id(node)]) for node in waiting]


@pytest.mark.long
def test_the_sparse_form_keeps_what_is_positive() -> None:
    """After one batch it differs from float32 by the rounding alone, and later it learns on."""
    exact, sparse = (trainer("rm+", batch=64, precision=each) for each in ("float32", "sparse"))
    for each in (exact, sparse):
        each.train(64)
    num_positive = num_averaged = 0
    for street, count in enumerate((3, 9)):
        for player in (0, 1):
            width = int(exact.tables.widths[street, player])
            for name in ("regrets", "sums"):
                expected, found = (
                    block(getattr(each.tables, name), each.tables, street, player, count)[:, :width]
                    for each in (exact, sparse)
                )
                np.testing.assert_allclose(found, expected, rtol=2.0**-7)
                num_positive += int((expected > 0.0).sum()) if name == "regrets" else 0
                num_averaged += int((expected > 0.0).sum()) if name == "sums" else 0
    regrets, sums = sparse.tables.regrets, sparse.tables.sums
    assert 0 < num_positive == regrets.num_kept < 672
    assert 0 < num_averaged == sums.num_kept < 672
    assert used_bytes(sparse.tables) == regrets.nbytes + sums.nbytes < 672 * 8 * 0.45
    assert sparse.state()["regrets_values"].shape == (regrets.num_values,)


@pytest.mark.long
def test_float16_differs_from_float32_by_rounding_alone() -> None:
    """In the first batch everybody sees the same strategies, whatever the tables hold."""
    learners = [
        trainer("linear", 1.0, batch=512, precision=each) for each in ("float32", "float16")
    ]
    for each in learners:
        each.train(512)
    exact, narrow = ([table.copy() for table in each.learnt()] for each in learners)
    assert (learners[1].tables.scales > 1.0).all()
    for expected, found in zip(exact, narrow, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0.1, atol=0.02 * np.abs(expected).max())


def test_the_sparse_form_needs_regrets_that_are_clipped_and_threads_in_step() -> None:
    with pytest.raises(InvalidOption, match="use the rule dcfr"):
        trainer("linear", precision="sparse")
    with pytest.raises(InvalidOption, match="synchronise the threads"):
        trainer(precision="sparse", is_synchronised=False)
    with pytest.raises(InvalidOption, match="does not count visits"):
        trainer(precision="sparse", counts_visits=True)
    state = trainer(precision="sparse").state()
    with pytest.raises(FormatError, match="regrets_values"):
        trainer(precision="sparse").restore(state | {"regrets_values": np.zeros(3, np.uint8)})
    bases = np.full_like(state["sums_bases"], 0x7F00)
    with pytest.raises(FormatError, match="'sums' of the saved state has values"):
        trainer(precision="sparse").restore(state | {"sums_bases": bases})


@pytest.mark.parametrize("is_synchronised", [True, False])
def test_visits_are_counted_for_each_hand_that_learns(is_synchronised: bool) -> None:
    plain = trainer(batch=8, is_synchronised=is_synchronised)
    learner = trainer(batch=8, is_synchronised=is_synchronised, counts_visits=True)
    for each in (plain, learner):
        each.train(24)
    assert learner.tables.regrets.tobytes() == plain.tables.regrets.tobytes()
    first, second = learner.visits()
    assert (first.shape[0], second.shape[0]) == (3, 9)
    # The first decision is met with every hand of every deal, by the player who has it.
    assert first[:, 0].sum() == 24 * LANES
    hands = np.zeros(3, dtype=np.int64)
    deals = make_deals(24, 2)
    learner.dealer.fill(deals, 0, 24, 0)
    np.add.at(hands, deals.buckets[:, 0, :LANES].astype(np.int64), 1)
    assert first[:, 0].tolist() == hands.tolist()
    assert 0 < second.sum() < first.sum() * 20
    assert "visits" not in plain.state()
    with pytest.raises(FormatError, match="visits"):
        learner.restore(plain.state())


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5])
def test_weights_are_the_discounts_of_the_rule(alpha: float) -> None:
    """R_t = R_{t−1} · d_t + r_t up to a common factor."""
    count = 50
    weights, last = Discounting(alpha, 2.0, is_clipped=True, deferred=3).weights(0, 1.0, count)
    again, _ = Discounting(alpha, 2.0, is_clipped=True).weights(20, float(weights[19, 0]), 30)
    instants = np.random.default_rng(0).uniform(size=count)
    regret = 0.0
    for t, instant in enumerate(instants, start=1):
        discount = (t - 1) ** alpha / ((t - 1) ** alpha + 1.0) if t > 1 else 0.0
        regret = regret * discount + instant
    # Two sums of regrets keep their ratio.
    total = 0.0
    for t in range(1, count + 1):
        discount = (t - 1) ** alpha / ((t - 1) ** alpha + 1.0) if t > 1 else 0.0
        total = total * discount + 1.0
    by_weight = (weights[:, 0] @ instants) / weights[:, 0].sum()
    assert by_weight == pytest.approx(regret / total, rel=1e-5)
    assert last == pytest.approx(float(weights[-1, 0]), rel=1e-6)
    np.testing.assert_allclose(again[:, 0], weights[20:, 0], rtol=1e-5)
    assert weights[:3, 1].tolist() == [0.0, 0.0, 0.0]
    assert weights[9, 1] == 100.0


def test_bad_input() -> None:
    with pytest.raises(InvalidOption, match="batch"):
        trainer(batch=0)
    with pytest.raises(InvalidOption, match="threads"):
        trainer(threads=0)
    state = trainer().state()
    with pytest.raises(FormatError, match="regrets"):
        trainer().restore(state | {"regrets": state["regrets"][1:]})
    with pytest.raises(FormatError, match="weight"):
        trainer().restore(state | {"weight": np.array([0.0])})
    with pytest.raises(FormatError, match="uint16"):
        trainer().restore(trainer(precision="bfloat16").state())
    for name in ("regrets", "sums"):
        for precision, infinite in (("float32", np.inf), ("bfloat16", 0x7F80), ("float16", 0x7C00)):
            learner = trainer(precision=precision)
            broken = learner.state()[name].copy()
            broken[5] = infinite
            with pytest.raises(FormatError, match="not finite"):
                learner.restore(learner.state() | {name: broken})
    learner = trainer(precision="float16")
    with pytest.raises(FormatError, match="scales"):
        learner.restore(learner.state() | {"scales": np.array([1.0, 3.0])})


def test_seeds_do_not_depend_on_one_another() -> None:
    """Some streams begin above 2⁶³, which is no reason to compile or refuse anything."""
    for seed in range(6):
        learner = Trainer(TREE, LeducDealer(1), RULES["linear"], seed=seed, batch=8)
        learner.train(8)
        assert learner.iteration == 8


def test_progress_is_reported_at_moments_that_do_not_depend_on_the_clock() -> None:
    first, second = trainer(batch=32), trainer(batch=32)
    first.warm_up()
    assert first.iteration == first.hand_nodes == 0
    rows = [each for each in first.progress(1_000) if each.is_moment]
    assert [each.iteration for each in rows][-1] == 1_000
    assert [(each.iteration or 0) // 32 for each in rows[:-1]] == [
        *range(1, 21),
        22,
        24,
        26,
        28,
        30,
    ]
    assert rows[-1].nodes == first.hand_nodes > 1_000 * 2 * LANES
    largest = num_met = 0.0
    for table in first.learnt():
        street = 0 if len(table) == 3 else 1
        for row, count in zip(*TREE.rows_of(street), strict=True):
            regrets = table[:, 2 * row : 2 * row + count]
            largest += float(np.maximum(regrets.max(axis=1), 0.0).astype(np.float64).sum())
            num_met += int(np.any(regrets != 0.0, axis=1).sum())
    weights = RULES["dcfr+"].weights(0, 1.0, 1_000)[0][:, 0].astype(np.float64)
    assert rows[-1].regret == pytest.approx(largest / weights.sum(), rel=1e-9)
    assert rows[-1].infosets == num_met <= 288
    list(second.progress(320))
    third = trainer(batch=32)
    third.restore(second.state())
    assert third.hand_nodes == second.hand_nodes
    again = [each for each in third.progress(1_000) if each.is_moment]
    assert [each.drift for each in again] == [each.drift for each in rows[10:]]
    assert [each.regret for each in again] == [each.regret for each in rows[10:]]
    assert bits(third) == bits(first)
