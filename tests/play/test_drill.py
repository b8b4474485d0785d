"""Dealing a spot again: the person comes back to the infoset, and the hidden cards are fair."""

from collections import Counter
from typing import Any

import pytest
from tests.play.tables import kuhn_opponent, opponent_of

from untilt.errors import UnknownName
from untilt.games.leduc import Leduc
from untilt.play.drill import find_hand
from untilt.play.review.replay import state_of_hand
from untilt.play.table.versus import Versus


@pytest.fixture(scope="module")
def kuhn() -> Versus:
    return kuhn_opponent()


def test_the_hand_found_leads_to_the_spot() -> None:
    leduc = opponent_of(Leduc(), "leduc")
    spots = [(1, "P1:Q::b", []), (0, "P0:K:J:cc/", ["check"]), (1, "P1:J:Q:cc/b", ["check"])]
    for seat, label, actions in spots:
        first = 0
        for _ in range(3):
            hand = find_hand(leduc, seed=5, first=first, seat=seat, label=label, actions=actions)
            assert hand is not None
            assert hand >= first
            state = state_of_hand(leduc, seed=5, hand=hand, seat=seat, actions=actions)
            assert state.to_act is not None
            assert state.to_act.label == label
            first = hand + 1


def test_hidden_cards_have_the_probabilities_of_real_play(kuhn: Versus) -> None:
    # Player 0 holds Q and checked; player 1 bets K always and J with 1/3: three kings to one jack.
    held = Counter[str | None]()
    first = 0
    for _ in range(400):
        hand = find_hand(kuhn, seed=2, first=first, seat=0, label="P0:Q:cb", actions=["check"])
        assert hand is not None
        first = hand + 1
        end = state_of_hand(kuhn, seed=2, hand=hand, seat=0, actions=["check", "fold"])
        held[end.opponent] += 1
    assert set(held) == {"J", "K"}
    # Of 400, mean 300 and standard deviation 8.7.
    assert 265 < held["K"] < 335


def test_a_spot_that_does_not_come_is_given_up(kuhn: Versus) -> None:
    found = find_hand(kuhn, seed=2, first=0, seat=0, label="P0:Q:cb", actions=["bet"], most=50)
    assert found is None
    assert find_hand(kuhn, seed=2, first=0, seat=0, label="P0:Q:cb", actions=[], most=50) is None


def test_an_unknown_spot_is_refused_in_one_line(kuhn: Versus) -> None:
    for seat, label in ((0, "P0:X:"), (0, "P1:Q:b"), (1, ""), (1, "x" * 1_000)):
        with pytest.raises(UnknownName, match="has no infoset") as refusal:
            find_hand(kuhn, seed=0, first=0, seat=seat, label=label, actions=[])
        assert len(str(refusal.value)) < 200


def test_a_search_ends_when_its_time_is_over_or_nobody_wants_its_result(kuhn: Versus) -> None:
    asked: dict[str, Any] = {"seed": 2, "first": 0, "seat": 1, "label": "P1:K:b"}
    tried: list[None] = []

    def check() -> None:
        tried.append(None)
        if len(tried) == 5:
            raise TimeoutError

    # No hand leads there after an action that does not exist.
    assert find_hand(kuhn, actions=["never"], **asked, seconds=0.0, check=check) is None
    assert len(tried) == 1
    with pytest.raises(TimeoutError):
        find_hand(kuhn, actions=["never"], **asked, check=check)
    with pytest.raises(TimeoutError):
        state_of_hand(kuhn, seed=2, hand=0, seat=1, actions=[], check=_given_up)


def _given_up() -> None:
    raise TimeoutError
