"""Playing a solved spot: fair deals, fair scores, and what a decision costs."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.cards.combos import COMBO_MASKS, combo_name
from untilt.errors import InvalidOption, RunError
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.spot import Spot
from untilt.play.drill import find_hand
from untilt.play.review.replay import state_of_hand
from untilt.play.table.hand import LiveHand, Table
from untilt.play.table.versus import Versus, load_versus, versus_spot
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import Turn
from untilt.policy.spot import SpotPolicy, place_of
from untilt.runs.solve import solve as solve_spot

SPOT = Spot(
    "Td9d6hQc", ("QQ:0.5, TT, AJs, KJs, 87s", "JJ, KQs, J8s, A9s:0.25"), 200, 300, Sizes("60%, a")
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spots") / "run"
    solve_spot(SPOT, iterations=60, output=path, threads=1)
    return path


@pytest.fixture(scope="module")
def opponent(folder: Path) -> Versus:
    return load_versus(folder)


@pytest.fixture(scope="module")
def solution(opponent: Versus) -> Solution:
    assert isinstance(opponent.policy, SpotPolicy)
    return opponent.policy.solution


def _gains(opponent: Versus, count: int, seed: int = 1) -> np.ndarray:
    table = Table(opponent.root, (opponent.policy, opponent.policy), seed, rules=opponent.rules)
    return np.array([hand.payoffs for hand in table.play(count)])


def test_the_mean_score_is_the_solved_value(opponent: Versus, solution: Solution) -> None:
    gains = _gains(opponent, 1500)
    error = gains[:, 0].std() / math.sqrt(len(gains))
    # Gains count half of the pot as put in.
    assert abs(gains[:, 0].mean() - (solution.ev[0] - 100.0)) < 4.0 * error
    assert np.allclose(gains.sum(axis=1), 0.0)


def test_the_mean_score_from_a_line_is_the_value_there(solution: Solution) -> None:
    start = solution.at("check, bet 120")
    gains = _gains(versus_spot(start), 1200)
    error = gains[:, 0].std() / math.sqrt(len(gains))
    put_in = [SPOT.stack - left for left in start.stacks]
    for player, side in enumerate(start.sides):
        assert abs(gains[:, player].mean() - (side.mean_ev - put_in[player] - 100.0)) < 4.0 * error


def test_hands_are_dealt_as_often_as_pairs_of_the_ranges_allow(opponent: Versus) -> None:
    count = 6000
    dealt = Counter()  # type: ignore[var-annotated]
    for number in range(count):
        position = LiveHand(opponent.root, 5, number).position
        dealt[position.combos] += 1  # type: ignore[attr-defined]
    ranges = [each.weights for each in SPOT.ranges]
    board = np.uint64(sum(1 << card for card in SPOT.board))
    first, second = (
        np.flatnonzero((weights > 0) & (COMBO_MASKS & board == 0)) for weights in ranges
    )
    exact = {
        (one, other): ranges[0][one] * ranges[1][other]
        for one in first.tolist()
        for other in second.tolist()
        if COMBO_MASKS[one] & COMBO_MASKS[other] == 0
    }
    total = sum(exact.values())
    assert set(dealt) <= set(exact)
    for seat in (0, 1):
        shares: Counter[int] = Counter()
        seen: Counter[int] = Counter()
        for pair, weight in exact.items():
            shares[pair[seat]] += weight / total
            seen[pair[seat]] += dealt[pair]
        for combo, share in shares.items():
            spread = math.sqrt(share * (1.0 - share) / count)
            assert abs(seen[combo] / count - share) < 5.0 * spread, combo_name(combo)


def test_the_chances_of_a_position_sum_to_one(opponent: Versus) -> None:
    position: Any = opponent.root
    while not position.terminal:
        if position.chance:
            chances = dict(position.chances())
            assert sum(chances.values()) == pytest.approx(1.0)
            position = position.apply(next(iter(chances)))
        else:
            position = position.apply(position.infoset(position.active).actions()[-1])
    assert len(position.board) == 5


def test_a_perfect_player_gives_away_nothing(opponent: Versus, solution: Solution) -> None:
    def best(turn: Turn) -> str:
        node, lane = place_of(solution, turn)
        return node.actions[int(np.argmax(node.action_ev[:, lane]))]

    num_decisions = 0
    for number in range(40):
        actions: list[str] = []
        while True:
            state = state_of_hand(opponent, seed=2, hand=number, seat=number % 2, actions=actions)
            if state.to_act is None:
                break
            actions.append(best(state.to_act))
        assert state.review is not None
        assert [each.cost for each in state.review] == [0.0] * len(actions)
        assert state.verdict in ("no mistakes", "no decision of yours")
        num_decisions += len(actions)
    assert num_decisions > 40


def test_folding_the_best_hand_costs_what_calling_was_worth(solution: Solution) -> None:
    opponent = versus_spot(solution.at("check, bet 120"))
    hand = next(
        number
        for number in range(200)
        if state_of_hand(opponent, seed=1, hand=number, seat=0, actions=[]).private[0::2] == "QQ"
    )
    state = state_of_hand(opponent, seed=1, hand=hand, seat=0, actions=["fold"])
    assert state.review is not None
    assert state.payoffs == (-100.0, 100.0)
    cost = state.review[0].cost
    assert cost is not None
    assert cost > 1.0
    assert state.review[0].is_mistake
    # Folding is worth nothing from here on; the best action is worth the cost.
    worth = [value for value in state.review[0].values if value is not None]
    assert max(worth) == pytest.approx(cost)


def test_an_all_in_is_run_out_to_the_river(opponent: Versus) -> None:
    table = Table(
        opponent.root,
        (lambda label: "all-in 300", lambda label: "call"),
        seed=4,
        rules=opponent.rules,
    )
    hand = table.play_hand(0)
    assert len(hand.public) == 10
    assert abs(hand.payoffs[0]) in (0.0, 400.0)


def test_a_state_hides_the_opponents_hand_until_the_end(opponent: Versus) -> None:
    state = state_of_hand(opponent, seed=3, hand=0, seat=0, actions=[])
    document = state.to_json()
    assert document["opponent"] is None
    assert document["num_hidden"] == 2
    assert len(document["faces"]) == 2
    assert document["chips"]["pot"] == 200.0
    assert document["chips"]["stacks"] == (300.0, 300.0)
    again = state_of_hand(opponent, seed=3, hand=0, seat=0, actions=[])
    assert again.private == state.private


def test_a_decision_can_be_dealt_again(opponent: Versus) -> None:
    label = state_of_hand(opponent, seed=3, hand=0, seat=0, actions=[]).to_act.label  # type: ignore[union-attr]
    number = find_hand(opponent, seed=9, first=0, seat=0, label=label, actions=[])
    assert number is not None
    assert state_of_hand(opponent, seed=9, hand=number, seat=0, actions=[]).to_act.label == label  # type: ignore[union-attr]
    assert not opponent.has_infoset(1, label)
    assert not opponent.has_infoset(0, "P0:2c2d:Td9d6hQc:")


def test_an_agent_answers_turns_with_the_strategy(opponent: Versus) -> None:
    live = LiveHand(opponent.root, 0, 0)
    assert live.asked is not None
    assert isinstance(opponent.policy, SpotPolicy)
    shares = dict(opponent.policy.weights(live.asked.infoset, live.asked.actions))
    assert sum(shares.values()) == pytest.approx(1.0)
    action, _ = opponent.policy.choose(None, live.asked, live.stream(0), Clock())
    assert shares[action] > 0.0


def test_a_solution_plays_matches_as_an_object_and_by_its_folder(
    solution: Solution, folder: Path
) -> None:
    by_object = untilt.match(solution, "random", 400, seed=3)
    by_folder = untilt.match(str(folder), "random", 400, seed=3)
    assert by_object.value == by_folder.value > 0.0
    assert untilt.match(solution, str(folder), 200, seed=1).value == 0.0


def test_hands_cannot_begin_where_nobody_acts(solution: Solution, tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="the hand is over"):
        versus_spot(solution.at("bet 120, fold"))
    with pytest.raises(RunError):
        load_versus(tmp_path)
