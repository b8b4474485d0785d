"""What is done to a blueprint after training: values of a model where there were too few deals."""

import numpy as np
import pytest
from tests.reference import finishing as twin
from tests.solvers.blueprint.leduc import RANKS, LeducDealer, leduc_tree

import untilt
from untilt.game.deals.deal_tree import (
    DECISION,
    FOLD,
    DealTree,
    DecisionNode,
    Fold,
    ShowdownNode,
    TrainerDeals,
    grow,
    make_deals,
)
from untilt.games.pushfold.chart import play_of
from untilt.games.pushfold.game import Stakes, deals
from untilt.numeric.arrays import Floats
from untilt.runs.blueprints.push_check import calling_regret, push_values
from untilt.solvers.blueprint.bucket_pairs import BucketPairs, StreetPairs, count_pairs
from untilt.solvers.blueprint.finishing import finish

TREE, LINES = leduc_tree()
BUCKETS = (3, 9)
HANDS = [(own, other, board) for own in range(6) for other in range(6) for board in range(6)]
DEALS = [deal for deal in HANDS if len(set(deal)) == 3]


def leduc_model() -> tuple[list[Floats], list[Floats], list[Floats]]:
    """Return how Leduc's buckets meet, what they win, and how they move, by counting all deals."""
    joint, net = [np.zeros((3, 3)), np.zeros((9, 9))], [np.zeros((3, 3)), np.zeros((9, 9))]
    moved = [np.zeros((3, 9))]
    for cards in DEALS:
        own, other, board = (card // 2 for card in cards)
        sign = (10 * (own == board) + own > 10 * (other == board) + other) * 1.0
        sign -= (10 * (own == board) + own < 10 * (other == board) + other) * 1.0
        chance = 1.0 / len(DEALS)
        later = 3 * own + board, 3 * other + board
        joint[0][own, other] += chance
        joint[1][later] += chance
        net[0][own, other] += chance * sign
        net[1][later] += chance * sign
        moved[0][own, later[0]] += chance
    return joint, net, moved


@pytest.fixture(scope="module")
def pairs() -> BucketPairs:
    return count_pairs(LeducDealer(5), num_deals=3_000)


def random_rows(tree: DealTree, buckets: tuple[int, ...], seed: int) -> list[Floats]:
    rng = np.random.default_rng(seed)
    streets = []
    for street, count in enumerate(buckets):
        rows = np.zeros((count, int(tree.widths[street])))
        for row, actions in zip(*map(np.ndarray.tolist, tree.rows_of(street)), strict=True):
            parts = rng.multinomial(255, rng.dirichlet(np.full(actions, 0.5)), size=count)
            rows[:, row : row + actions] = parts
        streets.append(rows)
    return streets


def in_bytes(streets: list[Floats]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.concatenate([rows.reshape(-1) for rows in streets]).astype(np.uint8)


def rows_of(
    tree: DealTree, buckets: tuple[int, ...], found: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
) -> dict[int, Floats]:
    """Return [buckets, actions] of each decision."""
    begins = np.cumsum([0, *(n * int(w) for n, w in zip(buckets, tree.widths, strict=True))])
    rows = {}
    for number, node in enumerate(tree.nodes):
        if node["kind"] == DECISION:
            street, row = int(node["street"]), int(node["row"])
            table = found[begins[street] : begins[street + 1]].reshape(buckets[street], -1)
            rows[number] = table[:, row : row + int(node["num_actions"])] / 255.0
    return rows


def place_of(tree: DealTree, rows: dict[int, Floats], number: int) -> twin.Place:
    node = tree.nodes[number]
    if node["kind"] != DECISION:
        stake = float(node["stake"])
        return twin.Place(win=stake) if node["kind"] == FOLD else twin.Place(stake=stake)
    first = int(node["first_child"])
    children = [place_of(tree, rows, first + each) for each in range(int(node["num_actions"]))]
    player, street = int(node["player"]), int(node["street"])
    return twin.Place(player, street, children, learnt=rows[number])


def in_order(tree: DealTree, root: twin.Place) -> dict[int, Floats]:
    found, waiting = {}, [(0, root)]
    while waiting:
        number, place = waiting.pop()
        if place.children:
            found[number] = place.row
            first = int(tree.nodes["first_child"][number])
            waiting.extend((first + each, child) for each, child in enumerate(place.children))
    return found


@pytest.mark.parametrize("num_deals", [0, 100, 100_000])
@pytest.mark.parametrize("is_exact", [False, True])
# A walk rounds to bytes, and the next walk starts from what is rounded.
@pytest.mark.parametrize(("num_walks", "most"), [(1, 1.5), (2, 8.0)])
def test_rows_are_those_of_the_slow_twin(
    num_deals: int, is_exact: bool, num_walks: int, most: float
) -> None:
    joint, net, moved = leduc_model()
    padded = count_pairs(LeducDealer(5), num_deals=1)
    width = padded.chances.shape[1]

    for street in range(2):
        count = BUCKETS[street]
        chance = joint[street].sum(axis=1)
        for array, numbers in ((padded.met, joint), (padded.net, net)):
            whole = np.zeros((width, width))
            whole[:count, :count] = (numbers[street] / chance[:, None]).T
            array[street] = whole.reshape(-1)
        padded.chances[street, :count] = chance
        padded.odds[street, :count] = net[street].sum(axis=1) / chance
        padded.spans[street] = (0, count)
    for array, sums, is_back in ((padded.onward, 1, False), (padded.back, 0, True)):
        whole = np.zeros((width, width))
        given = moved[0] / moved[0].sum(axis=sums, keepdims=True)
        if is_back:
            whole[:3, :9] = given
        else:
            whole[:9, :3] = given.T
        array[0] = whole.reshape(-1)
    learnt = random_rows(TREE, BUCKETS, 7)
    found = finish(
        TREE, BUCKETS, padded, in_bytes(learnt), num_deals, is_exact=is_exact, num_walks=num_walks
    )
    root = place_of(TREE, rows_of(TREE, BUCKETS, in_bytes(learnt)), 0)
    model = twin.Model(joint, net, moved)
    twin.finish(root, model, 16.0 * num_deals, is_exact=is_exact, walks=num_walks)
    expected = in_order(TREE, root)
    for number, row in rows_of(TREE, BUCKETS, found).items():
        assert np.abs(row - expected[number]).max() < most / 255.0, LINES[number]


def profile_of(found: dict[int, Floats]) -> dict[str, dict[str, float]]:
    profile = {}
    for number, rows in found.items():
        line = LINES[number]
        street = line.rpartition("/")[2]
        bets = street.count("b") + street.count("r")
        names = ("fold", "call", "raise") if bets else ("check", "bet")
        for bucket, row in enumerate(rows):
            own = RANKS[bucket // 3] if "/" in line else RANKS[bucket]
            board = RANKS[bucket % 3] if "/" in line else ""
            mix = dict(zip(names, (row / row.sum()).tolist(), strict=False))
            profile[f"P{TREE.nodes['player'][number]}:{own}:{board}:{line}"] = mix
    return profile


def test_pairs_are_counted_as_all_deals_say(pairs: BucketPairs) -> None:
    joint, net, moved = leduc_model()
    width = pairs.chances.shape[1]
    for street, count in enumerate(BUCKETS):
        chance = joint[street].sum(axis=1)
        met = pairs.met[street].reshape(width, width)[:count, :count]
        won = pairs.net[street].reshape(width, width)[:count, :count]
        assert np.allclose(pairs.chances[street, :count], chance, atol=0.02)
        assert np.allclose(met, (joint[street] / chance[:, None]).T, atol=0.05)
        assert np.allclose(won, (net[street] / chance[:, None]).T, atol=0.05)
    onward = pairs.onward[0].reshape(width, width)[:9, :3]
    assert np.allclose(onward, (moved[0] / moved[0].sum(axis=1, keepdims=True)).T, atol=0.05)


def test_rows_that_learnt_much_stay(pairs: BucketPairs) -> None:
    learnt = in_bytes(random_rows(TREE, BUCKETS, 3))
    found = finish(TREE, BUCKETS, pairs, learnt, 10**12)
    assert np.abs(found.astype(int) - learnt).max() <= 1


def test_finishing_makes_a_random_strategy_hard_to_exploit(pairs: BucketPairs) -> None:
    learnt = in_bytes(random_rows(TREE, BUCKETS, 3))
    before = untilt.evaluate("leduc", profile_of(rows_of(TREE, BUCKETS, learnt)))
    found = finish(TREE, BUCKETS, pairs, learnt, 0)
    after = untilt.evaluate("leduc", profile_of(rows_of(TREE, BUCKETS, found)))
    assert before.exploitability > 1.5
    assert after.exploitability < 0.6 * before.exploitability


def push_fold(stack: float) -> DealTree:
    """Return a game in which player 0 folds or goes all-in, and player 1 folds or calls."""

    def expand(line: str) -> DecisionNode | Fold | ShowdownNode:
        if line in ("", "a"):
            return DecisionNode(len(line), 0, [line + "f", line + ("c" if line else "a")])
        return ShowdownNode(stack) if line == "ac" else Fold(-0.5 if line == "f" else 1.0)

    return grow("", expand)


def test_answers_to_all_ins_are_those_of_push_fold() -> None:
    class Dealer:
        num_buckets = (169,)

        def fill(self, *_: object) -> None:
            """Deal nothing: the pairs are exact."""

    dealt, tree = deals(), push_fold(10.0)
    exact = StreetPairs(dealt.probability, dealt.probability * (dealt.win - dealt.win.T))
    learnt = in_bytes(random_rows(tree, (169,), 1))
    found = finish(tree, (169,), count_pairs(Dealer(), exact), learnt, 1, is_exact=True)
    call = rows_of(tree, (169,), found)[2][:, 1]
    stakes = Stakes(10.0)
    best = untilt.solve(untilt.games.pushfold(stack=10.0), target=1e-6, save=False)
    nash = play_of(best.profile)
    loss = push_values(call, stakes)[1] - push_values(nash.call, stakes)[1]
    # In big blinds a hand: what the best pusher wins more than against the equilibrium's calls.
    assert -1e-6 < loss < 1e-3
    assert calling_regret(call, nash.push, stakes) < 2e-3


def test_nobody_folds_the_last_chip() -> None:
    def expand(line: str) -> DecisionNode | Fold | ShowdownNode:
        if line in ("", "a"):
            return DecisionNode(len(line), 0, [line + "f", line + ("c" if line else "a")])
        return ShowdownNode(200.0) if line == "ac" else Fold(-199.0 if line == "f" else 199.0)

    class Dealer(LeducDealer):
        num_buckets = (3,)  # type: ignore[assignment]

        def fill(self, deals: TrainerDeals, begin: int, end: int, first: int) -> None:
            both = make_deals(end - begin, 2)
            super().fill(both, 0, end - begin, first)
            deals.buckets[begin:end, 0] = both.buckets[:, 0]
            deals.strength[begin:end] = both.strength

    tree = grow("", expand)
    learnt = np.array([255, 0] * 2 * 3, dtype=np.uint8)
    found = finish(tree, (3,), count_pairs(Dealer(2), num_deals=500), learnt, 10**9)
    assert rows_of(tree, (3,), found)[2][:, 0].max() == 0.0
