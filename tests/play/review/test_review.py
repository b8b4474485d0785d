"""What choices cost, against values of Kuhn poker worked out by hand and push/fold counted."""

import math

import numpy as np
import pytest
from tests.play.tables import kuhn_opponent, opponent_of
from tests.reference import pushfold as reference

import untilt
from untilt.cards.combos import CLASS_NAMES
from untilt.formats.kinds.strategy_file import Values
from untilt.game.protocol import Game
from untilt.game.terms import Terms
from untilt.games.kuhn import Kuhn
from untilt.games.pushfold.game import PushFold, deals
from untilt.play.review.review import Reviewed, review_decisions
from untilt.play.table.versus import Versus
from untilt.policy.hands.turn import Decision


def reviewed(opponent: Versus, label: str, action: str, values: Values | None = None) -> Reviewed:
    player = int(label[1])
    table = opponent.compiled.infosets[player]
    index = table.index(label)
    decision = Decision(
        player,
        label,
        *table.parts(index),
        table.actions(index),
        action,
    )
    [found] = review_decisions([decision], player, opponent.profile, values or opponent.values)
    return found


# Player 0 bluffs with 1/4 of her jacks, hence bets 3/4 of her kings and calls with 7/12 of her
# queens. After a check player 1 faces jack : king = 3/4 : 1/4 with a queen in hand, and
# jack : queen = 3/4 : 1 with a king.
COSTS = {
    ("P1:K:b", "fold"): 3.0,  # −1 instead of +2
    ("P0:K:cb", "fold"): 3.0,
    ("P1:J:b", "call"): 1.0,  # −2 instead of −1
    ("P0:J:cb", "call"): 1.0,
    ("P0:Q:", "bet"): 1 / 6,  # jack folds, king calls: (1 − 2) / 2 instead of −1/3
    ("P1:K:c", "check"): 1 / 3,  # misses 4/7 · 7/12 calls
    ("P1:Q:c", "bet"): 1 / 4,  # a quarter of the hands are kings, who call
    ("P1:Q:b", "fold"): 0.0,  # indifferent: one jack bets for three kings
    ("P1:Q:b", "call"): 0.0,
    ("P0:J:", "check"): 0.0,
    ("P0:J:", "bet"): 0.0,
    ("P0:K:", "check"): 0.0,
    ("P0:K:", "bet"): 0.0,
    ("P0:Q:cb", "fold"): 0.0,
    ("P0:Q:cb", "call"): 0.0,
    ("P1:J:c", "bet"): 0.0,
}


@pytest.mark.parametrize(("choice", "cost"), COSTS.items(), ids=str)
def test_choices_in_kuhn_cost_what_one_works_out(choice: tuple[str, str], cost: float) -> None:
    found = reviewed(kuhn_opponent(0.25), *choice)
    assert found.cost == pytest.approx(cost, abs=1e-12)
    assert found.is_mistake == (cost > 0.0)
    if cost == 0.0:
        assert found.cost == 0.0  # no noise is left


def test_the_review_shows_the_equilibrium_beside_the_choice() -> None:
    found = reviewed(kuhn_opponent(0.25), "P1:Q:b", "call").to_json(Terms())
    assert found["probabilities"] == pytest.approx([2 / 3, 1 / 3])
    assert found["values"] == pytest.approx([-1.0, -1.0])
    del found["probabilities"], found["values"]
    assert found == {
        "label": "P1:Q:b",
        "words": "facing a bet",
        "private": "Q",
        "public": "",
        "line": "b",
        "actions": ["fold", "call"],
        "action_data": [
            {"kind": "fold", "amount": None, "name": "fold"},
            {"kind": "call", "amount": None, "name": "call"},
        ],
        "chosen": "call",
        "cost": 0.0,
        "mistake": 0.001,
        "insight": None,
    }


def test_where_the_opponent_never_leads_nothing_is_known() -> None:
    never_bets = kuhn_opponent(0.0)
    found = reviewed(never_bets, "P1:K:b", "fold")
    assert found.values == (None, None)
    assert found.cost is None
    assert not found.is_mistake


def test_without_values_costs_are_not_known() -> None:
    opponent = kuhn_opponent()
    decision = reviewed(opponent, "P0:Q:", "bet").decision
    [found] = review_decisions([decision], 0, opponent.profile, None)
    assert found.values == (None, None)
    assert found.cost is None
    assert found.probabilities == (1.0, 0.0)


def test_only_the_players_own_decisions_are_reviewed() -> None:
    opponent = kuhn_opponent()
    decisions = [
        reviewed(opponent, label, action).decision
        for label, action in (("P0:Q:", "check"), ("P1:K:c", "bet"), ("P0:Q:cb", "fold"))
    ]
    labels = [
        [
            each.decision.label
            for each in review_decisions(decisions, player, opponent.profile, None)
        ]
        for player in (0, 1)
    ]
    assert labels == [["P0:Q:", "P0:Q:cb"], ["P1:K:c"]]


@pytest.mark.parametrize("noise", [0.0, 5e-10, -5e-10])
def test_what_floats_leave_between_equal_actions_is_no_cost(noise: float) -> None:
    opponent = kuhn_opponent()
    assert opponent.values is not None
    values = tuple(row.copy() for row in opponent.values)
    block = opponent.compiled.infosets[1].block(opponent.compiled.infosets[1].index("P1:Q:b"))
    values[1][block] = [-1.0, -1.0 + noise]
    assert reviewed(opponent, "P1:Q:b", "fold", (values[0], values[1])).cost == 0.0
    assert reviewed(opponent, "P1:Q:b", "call", (values[0], values[1])).cost == 0.0


def test_mistakes_cost_in_all_what_the_player_loses_by_them() -> None:
    # Whoever leaves the equilibrium loses the expected sum of the costs along her hands.
    opponent = kuhn_opponent(0.25)
    other = untilt.strategies.random(opponent.compiled, np.random.default_rng(8))
    for player in (0, 1):
        profiles = [opponent.profile, opponent.profile]
        profiles[player] = other

        def cost_and_gain(
            position: Game, player: int = player, profiles: list[untilt.Profile] = profiles
        ) -> tuple[float, float]:
            if position.terminal:
                return 0.0, position.payoff(player)
            if position.chance:
                branches = [(p, 0.0, position.apply(card)) for card, p in position.chances()]
            else:
                label = str(position.infoset(position.active))
                is_own = position.active == player
                branches = [
                    (
                        share,
                        (reviewed(opponent, label, action).cost or 0.0) if is_own else 0.0,
                        position.apply(action),
                    )
                    for action, share in profiles[position.active][label].items()
                ]
            cost = gain = 0.0
            for probability, here, after in branches:
                later, end = cost_and_gain(after)
                cost += probability * (here + later)
                gain += probability * end
            return cost, gain

        cost, gain = cost_and_gain(Kuhn())
        assert cost > 0.1
        assert gain + cost == pytest.approx(-1 / 18 if player == 0 else 1 / 18, abs=1e-12)


def test_pushing_and_folding_cost_what_counting_deals_says() -> None:
    opponent = opponent_of(PushFold(), "pushfold")
    rng = np.random.default_rng(3)
    profile = untilt.strategies.random(opponent.compiled, rng)
    opponent = opponent_of(PushFold(), "pushfold", profile)
    push = {hand: profile[f"P0:{hand}:"]["all-in"] for hand in CLASS_NAMES}
    call = {hand: profile[f"P1:{hand}:a"]["call"] for hand in CLASS_NAMES}
    table = deals()
    equities = {
        (one, other): (float(table.win[i, j]), float(table.tie[i, j]))
        for i, one in enumerate(CLASS_NAMES)
        for j, other in enumerate(CLASS_NAMES)
    }
    blinds = reference.Blinds(10.0)
    pushing = reference.gain_of_pushing(blinds, equities, call)
    calling = reference.gain_of_calling(blinds, equities, push)
    for hand in ("AA", "AKs", "72o", "22", "T9s"):
        gain = pushing[hand] + 0.5
        for action, cost in (("fold", max(gain, 0.0)), ("all-in", max(-gain, 0.0))):
            assert reviewed(opponent, f"P0:{hand}:", action).cost == pytest.approx(cost, abs=1e-9)
        gain = calling[hand] + 1.0
        for action, cost in (("fold", max(gain, 0.0)), ("call", max(-gain, 0.0))):
            assert reviewed(opponent, f"P1:{hand}:a", action).cost == pytest.approx(cost, abs=1e-9)
    assert not math.isclose(pushing["AA"], pushing["72o"], abs_tol=1.0)
