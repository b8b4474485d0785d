"""Sentences about hands, in games of every kind."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.play.tables import EXAMPLES, kuhn_opponent, opponent_of

import untilt
from untilt.game.actions import ActionData, Kind, action_data
from untilt.game.terms import Chips, Terms
from untilt.games import resolve
from untilt.games.leduc import Leduc
from untilt.games.pushfold.game import PushFold
from untilt.play.narration import (
    chips_words,
    choice_words,
    move_words,
    named,
    opening_words,
    outcome_words,
    public_words,
    situation,
    verdict_words,
)
from untilt.play.review.replay import PlayState, state_of_hand
from untilt.play.table.versus import Versus
from untilt.policy.hands.turn import Decision, Turn

POKER = Terms(unit="bb", seats=("small blind", "big blind"), has_chips=True)


def holdem_turn() -> Turn:
    """A spot of hold'em on the turn: three sizes, and a stack behind."""
    legal = (
        ActionData("fold", Kind.FOLD),
        ActionData("call", Kind.CALL, 40.0),
        ActionData("raise 120", Kind.RAISE, 120.0),
        ActionData("raise 300", Kind.RAISE, 300.0),
        ActionData("all-in", Kind.ALL_IN, 900.0),
    )
    return Turn(
        1,
        "P1:AsKd:2c7d9hQs:cb40",
        "AsKd",
        "2c7d9hQs",
        "cb40",
        tuple(action.name for action in legal),
        legal=legal,
        chips=Chips(100.0, (40.0, 0.0), (860.0, 900.0)),
    )


def test_buttons_say_what_a_choice_costs_and_wins() -> None:
    turn = holdem_turn()
    assert [choice_words(turn, action) for action in turn.legal] == [
        *("fold", "call 40 to win 140", "raise to 120", "raise to 300", "all-in 900")
    ]
    assert chips_words(turn.chips or Chips(0, (0, 0), (0, 0)), POKER, 1) == (
        "pot 140 bb with 40 from the small blind; you have 900 left"
    )


def test_a_short_call_wins_only_what_it_covers() -> None:
    legal = (ActionData("fold", Kind.FOLD), ActionData("call", Kind.CALL, 30.0))
    chips = Chips(100.0, (10.0, 500.0), (20.0, 0.0))
    turn = Turn(0, "P0:AA:a", "AA", "", "a", ("fold", "call"), legal=legal, chips=chips)
    # 20 more for the pot of 100, her own 10 and 30 of the opponent's 500.
    assert choice_words(turn, legal[1]) == "call 20 to win 140"


def test_an_action_without_a_known_amount_is_its_name() -> None:
    turn = Turn(0, "P0:K:", "K", "", "", ("check", "bet"))
    assert [choice_words(turn, action) for action in turn.legal] == ["check", "bet"]


@pytest.mark.parametrize(
    ("action", "yours", "theirs"),
    [
        ("check", "you check", "the big blind checks"),
        ("fold", "you fold", "the big blind folds"),
        ("all-in", "you go all in", "the big blind goes all in"),
        ("all-in 9.5", "you go all in for 9.5", "the big blind goes all in for 9.5"),
        ("bet 120", "you bet 120", "the big blind bets 120"),
        ("raise 300", "you raise to 300", "the big blind raises to 300"),
        ("1-3", "you say 1-3", "the big blind says 1-3"),
    ],
)
def test_verbs_have_the_right_form_for_you_and_for_a_seat(
    action: str, yours: str, theirs: str
) -> None:
    terms = Terms(seats=("small blind", "big blind"), verbs=("say", "say"))
    legal = (action_data(action), action_data("pass"))
    decision = Decision(1, "P1:K:", "K", "", "", (action, "pass"), action, legal=legal)
    assert move_words(decision, terms, is_you=True) == yours
    assert move_words(decision, terms, is_you=False) == theirs


@pytest.mark.parametrize(
    ("verb", "form"),
    [("buy", "buys"), ("pass", "passes"), ("try", "tries"), ("go", "goes"), ("quote", "quotes")],
)
def test_actions_that_are_verbs_are_conjugated(verb: str, form: str) -> None:
    terms = Terms(seats=("maker", "trader"), verbs=("", ""))
    decision = Decision(1, "P1:", "", "", "", (verb, "x"), verb)
    assert move_words(decision, terms, is_you=False) == f"the trader {form}"
    assert move_words(decision, terms, is_you=True) == f"you {verb}"


@pytest.mark.parametrize(
    ("seat", "name"),
    [("player 1", "player 1"), ("small blind", "the small blind"), ("Ann", "Ann"), ("", "")],
)
def test_names_have_an_article_only_where_english_wants_one(seat: str, name: str) -> None:
    assert named(Terms(seats=("first", seat)), 1) == name


def test_blinds_and_antes_are_told_at_the_beginning() -> None:
    blinds = Chips(0.25, (0.5, 1.0), (9.5, 9.0))
    assert opening_words(blinds, POKER, 0) == [
        *("0.25 in the pot", "you post 0.5", "the big blind posts 1")
    ]
    assert opening_words(Chips(2.0, (0.0, 0.0), (None, None)), Terms(), 1) == ["2 in the pot"]
    assert opening_words(None, Terms(), 0) == []


def test_what_all_see_has_its_own_word() -> None:
    assert public_words("K", Terms()) == "K on the board"
    assert public_words("0.4", Terms(public="half-spread")) == "half-spread 0.4"
    assert public_words("", Terms()) == ""


def test_the_verdict_counts_mistakes_and_what_they_gave_away() -> None:
    assert verdict_words([3.0, 1.22, 0.0], 2) == "2 mistakes · gave away 4.22"
    assert verdict_words([0.5], 1) == "1 mistake · gave away 0.50"
    assert verdict_words([0.002], 1) == "1 mistake · gave away 0.002"
    assert verdict_words([0.0, 0.0005], 0) == "no mistakes"
    assert verdict_words([None, 0.0], 0) == "no mistakes, as far as known"
    assert verdict_words([None], 0) == "cost unknown"
    assert verdict_words([], 0) == "no decision of yours"


def decided(player: int, action: str) -> Decision:
    return Decision(player, "P0:K:", "K", "", "", (action, "x"), action)


@pytest.mark.parametrize(
    ("last", "payoffs", "words"),
    [
        (decided(1, "fold"), (1.0, -1.0), "player 1 folds: you win"),
        (decided(0, "fold"), (-1.0, 1.0), "you fold: you lose"),
        (decided(1, "call"), (-2.0, 2.0), "showdown: you lose"),
        (decided(1, "check"), (0.0, 0.0), "showdown: the pot is split"),
        (decided(0, "liar"), (1.0, -1.0), "you win"),
        (decided(0, "left"), (0.0, 0.0), "a draw"),
    ],
)
def test_the_end_of_a_zero_sum_hand(
    last: Decision, payoffs: tuple[float, float], words: str
) -> None:
    assert outcome_words([last], payoffs, Terms(), 0, is_zero_sum=True) == words


def test_nobody_is_said_to_win_or_lose_where_both_may_gain() -> None:
    terms = Terms(seats=("bidder 0", "bidder 1"))
    bid = decided(1, "3")
    assert outcome_words([bid], (0.0, 2.0), terms, 0, is_zero_sum=False) == (
        "you gain nothing, bidder 1 gains 2"
    )
    assert outcome_words([bid], (0.0, 2.0), terms, 1, is_zero_sum=False) == (
        "you gain 2, bidder 0 gains nothing"
    )


def last_state(opponent: Versus, seat: int, hand: int) -> tuple[list[PlayState], PlayState]:
    """Return the states of a hand in which the person always takes the last action."""
    states: list[PlayState] = []
    actions: list[str] = []
    while True:
        state = state_of_hand(opponent, seed=1, hand=hand, seat=seat, actions=actions)
        if state.to_act is None:
            return states, state
        states.append(state)
        actions.append(state.to_act.actions[-1])


GAMES: dict[str, Callable[[], Versus]] = {
    "kuhn": kuhn_opponent,
    "leduc": lambda: opponent_of(Leduc(), "leduc"),
    "pushfold": lambda: opponent_of(PushFold(), "pushfold"),
    "auction": lambda: opponent_of(untilt.games.auction(), "auction"),
    "market-maker": lambda: opponent_of(untilt.games.market_maker(), "market-maker"),
    "order-routing": lambda: opponent_of(untilt.games.order_routing(), "order-routing"),
    "limit-order": lambda: opponent_of(untilt.games.limit_order(), "limit-order"),
    "liars-dice": lambda: opponent_of(
        resolve(f"{EXAMPLES / 'liars_dice.py'}:game", {"sides": 3}).game, "liars-dice"
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_every_game_reads_well_and_has_rules(name: str) -> None:
    opponent = GAMES[name]()
    assert 60 < len(opponent.terms.rules) <= 400
    is_poker = opponent.terms.has_chips
    for hand in range(12):
        states, end = last_state(opponent, hand % 2, hand)
        texts = [end.words_of(event) for event in end.events] + [str(end.outcome)]
        texts += [situation(state.to_act, opponent.terms) for state in states if state.to_act]
        for text in texts:
            assert text
            assert "  " not in text
            assert not text.startswith(("P0:", "P1:"))
            assert "opponent" not in text
            assert is_poker or not any(
                word in text for word in ("on the board", "opening action", "showdown", "card")
            )
        assert "nobody wins" not in texts
        if end.payoff and end.is_zero_sum and end.runout is None:
            assert ("you win" in str(end.outcome)) == (end.payoff > 0.0)
            assert end.winner == (end.seat if end.payoff > 0.0 else 1 - end.seat)
        else:
            assert end.winner is None


def test_a_player_who_holds_nothing_has_nothing_hidden() -> None:
    maker = GAMES["market-maker"]()
    assert [maker.num_held[player] for player in (0, 1)] == [0, 1]
    assert [GAMES["pushfold"]().num_held[player] for player in (0, 1)] == [2, 2]
    assert [GAMES["liars-dice"]().num_held[player] for player in (0, 1)] == [1, 1]


def test_the_example_declares_words_of_its_own() -> None:
    source = Path(EXAMPLES / "liars_dice.py").read_text(encoding="utf-8")
    assert "verbs=SAY" in source
