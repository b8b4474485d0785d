"""The board of a called all-in: dealt for show, from the hand's stream, and never scored."""

from collections import Counter

import pytest
from tests.play.tables import opponent_of

from untilt.cards.card import parse_cards
from untilt.cards.hand import describe_hand
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.play.card_text import deal_board
from untilt.play.review.replay import PlayState, state_of_hand
from untilt.play.table.versus import Versus
from untilt.policy.hands.streams import Role, hand_stream


@pytest.fixture(scope="module")
def pushfold() -> Versus:
    return opponent_of(PushFold(Stakes(8.0, ante=0.125)), "pushfold")


def called(opponent: Versus, count: int) -> list[PlayState]:
    """Return hands in which the person called all-in from the big blind."""
    found: list[PlayState] = []
    hand = 0
    while len(found) < count:
        state = state_of_hand(opponent, seed=3, hand=hand, seat=1, actions=[])
        if state.to_act is not None:
            found.append(state_of_hand(opponent, seed=3, hand=hand, seat=1, actions=["call"]))
        hand += 1
    return found


def test_nine_different_cards_and_the_winner_of_the_board_is_right(pushfold: Versus) -> None:
    words = Counter[str]()
    for state in called(pushfold, 60):
        assert state.runout is not None
        assert state.opponent_faces is not None
        board = state.runout.faces
        assert len({*state.faces, *state.opponent_faces, *board}) == 9
        own, other = (
            describe_hand(parse_cards("".join([*hand, *board]))).rank
            for hand in (state.faces, state.opponent_faces)
        )
        begin = "you would win" if own < other else "the small blind would win"
        expected = "this board is split" if own == other else begin
        assert state.runout.words.startswith(expected)
        words[expected] += 1
    assert len(words) >= 2


def test_the_score_is_the_exact_equity_whatever_the_board(pushfold: Versus) -> None:
    for state in called(pushfold, 40):
        assert state.runout is not None
        # 8 big blinds a side: the person gets the share of 16, and has put in 8.
        assert state.payoff == pytest.approx(16.0 * state.runout.equity - 8.0)
        assert f"{100.0 * state.runout.equity:.1f} %" in str(state.outcome)


def test_no_board_without_a_call(pushfold: Versus) -> None:
    folded = state_of_hand(pushfold, seed=0, hand=0, seat=0, actions=["fold"])
    assert folded.is_over
    assert folded.runout is None
    assert folded.to_json()["runout"] is None


def test_the_same_hand_has_the_same_board(pushfold: Versus) -> None:
    one, again = called(pushfold, 3), called(pushfold, 3)
    assert [state.runout for state in one] == [state.runout for state in again]
    assert len({tuple(state.runout.faces) for state in one if state.runout}) == 3


def test_every_free_card_comes_equally_often() -> None:
    taken = ["As", "Kd", "7h", "7c"]
    rng = hand_stream(1, 0, Role.FACES)
    count = Counter(card for _ in range(4_000) for card in deal_board(rng, taken))
    assert set(count).isdisjoint(taken)
    assert len(count) == 48
    # 20,000 cards of 48: mean 417, standard deviation 20.
    assert all(330 < number < 510 for number in count.values())
