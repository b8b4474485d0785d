"""A blueprint as the opponent of a person: what it tells during a hand, and after it."""

import json
from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint

from untilt.errors import UntiltError
from untilt.play.review.replay import PlayState, state_of_hand
from untilt.play.table.versus import Versus, load_versus

__all__ = ["stored"]  # a fixture


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("opponent") / "blueprint.bin"
    random_blueprint(path)
    return path


@pytest.fixture(scope="module")
def thinking(path: Path) -> Versus:
    found = load_versus(path, thinking={"iterations": "3"})
    assert found.thoughts is not None
    return found


def passive(opponent: Versus, hand: int, *, bet: str = "") -> list[PlayState]:
    """Return the states of a hand in which the person checks and calls; `bet` on the river."""
    actions: list[str] = []
    states = []
    while True:
        state = state_of_hand(opponent, seed=3, hand=hand, seat=1, actions=actions)
        states.append(state)
        if state.to_act is None:
            return states
        legal = state.to_act.actions
        is_river = len(state.public) == 10
        free = "check" if "check" in legal else "call"
        actions.append(bet if bet and is_river and bet in legal else free)


def to_showdown(opponent: Versus, **bets: str) -> list[PlayState]:
    """Return the states of the first hand that comes to the river with chips left."""
    for hand in range(40):
        states = passive(opponent, hand, **bets)
        if any(each.hand.solved is not None for each in states[-1].thoughts):
            return states
    raise AssertionError("no hand came to the river")


def test_its_cards_are_not_told_before_the_end(thinking: Versus) -> None:
    states = to_showdown(thinking)
    held = states[-1].opponent
    assert held is not None
    for state in states[:-1]:
        assert state.now is not None
        for thought in state.to_json()["thoughts"]:
            assert not {"hand", "mix", "values", "blueprint"} & thought.keys()
        assert held not in json.dumps(state.to_json())
    told = states[-1].to_json()["thoughts"]
    assert {thought["hand"] for thought in told} == {held}


def test_the_same_hand_is_played_the_same_way_again(path: Path) -> None:
    first, second = (load_versus(path, thinking={"iterations": "3"}) for _ in range(2))
    assert first.thoughts is not None
    assert second.thoughts is not None
    for hand in range(4):
        # The second opponent sees only the end of the hand, as after a restart.
        states = passive(first, hand)
        own = [each.action for each in states[-1].events if each.player == 1]
        again = state_of_hand(second, seed=3, hand=hand, seat=1, actions=own)
        assert again.to_json()["events"] == states[-1].to_json()["events"]
        assert again.payoff == states[-1].payoff


def test_what_was_solved_is_told_with_what_it_changed(thinking: Versus) -> None:
    (last,) = [each for each in to_showdown(thinking)[-1].thoughts if each.solved is not None][:1]
    assert last.solved is not None
    assert last.solved["iterations"] == 3
    assert last.blueprint is not None
    assert last.range_before is not None
    assert sum(last.range_mix.values()) == pytest.approx(1.0)
    assert set(last.values) >= set(last.mix)
    assert last.cost is not None
    assert last.cost == pytest.approx(max(last.values.values()) - last.values[str(last.chosen)])


def test_decisions_of_the_person_are_valued_on_every_street(thinking: Versus) -> None:
    state = to_showdown(thinking)[-1]
    assert state.review
    for each in state.review:
        assert each.insight is not None
        assert each.cost is not None
        assert each.cost >= 0.0
        chosen = each.decision.actions.index(each.decision.action)
        assert each.values[chosen] is not None
        is_river = len(each.decision.public) == 10
        assert (each.insight.basis == "by the solution") == is_river


def test_a_bet_outside_the_solution_is_solved_for_its_value(thinking: Versus) -> None:
    for hand in range(60):
        state = passive(thinking, hand, bet="bet 5")[-1]
        bets = [each for each in state.review or [] if each.decision.action == "bet 5"]
        if bets:
            (found,) = bets
            assert found.insight is not None
            assert "bet 5" in found.insight.values
            assert found.cost is not None
            return
    raise AssertionError("nobody bet 5 on the river")


def test_without_time_it_follows_the_blueprint_and_reviews_by_its_values(path: Path) -> None:
    opponent = load_versus(path)
    assert opponent.thoughts is not None
    state = passive(opponent, 1)[-1]
    assert all(each.solved is None for each in state.thoughts)
    for each in state.review or []:
        assert each.insight is not None
        assert "follow the blueprint" in each.insight.basis


@pytest.mark.parametrize("options", [{"think": "soon"}, {"iterations": "0"}, {"mode": "best"}])
def test_wrong_options_are_refused_when_it_sits_down(path: Path, options: dict[str, str]) -> None:
    with pytest.raises(UntiltError, match=r"think|iterations|mode"):
        load_versus(path, thinking=options)


def test_a_verdict_at_once_tells_nothing_of_its_cards(path: Path) -> None:
    opponent = load_versus(path, thinking={})
    states = to_showdown_of(opponent)
    held = states[-1].opponent
    assert held is not None
    for state in states[:-1]:
        document = json.dumps(state.to_json())
        assert held not in document
        assert state.review is not None
        assert len(state.review) == sum(event.player == 1 for event in state.events)
    before, after = states[-2].review, states[-1].review
    assert before
    assert after
    assert [each.cost for each in after[: len(before)]] == [each.cost for each in before]


def to_showdown_of(opponent: Versus) -> list[PlayState]:
    """Return the states, judged at once, of the first hand with cards to the river."""
    for hand in range(40):
        actions: list[str] = []
        states = [state_of_hand(opponent, seed=3, hand=hand, seat=1, actions=(), feedback=True)]
        while (turn := states[-1].to_act) is not None:
            actions.append("check" if "check" in turn.actions else "call")
            states.append(
                state_of_hand(opponent, seed=3, hand=hand, seat=1, actions=actions, feedback=True)
            )
        if len(states) > 3 and len(states[-1].public) == 10:
            return states
    raise AssertionError("no hand came to the river")
