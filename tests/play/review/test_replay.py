"""States of a hand: the same hand as at a table, and nothing in it that the person may not know."""

import json
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.play.tables import all_hands, kuhn_opponent, opponent_of, texts_of

import untilt
from untilt.errors import InvalidOption, UnknownName
from untilt.game.protocol import Uniforms
from untilt.games.leduc import Leduc
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.play.review.replay import PlayState, seat_of_hand, state_of_hand
from untilt.play.table.hand import Table
from untilt.play.table.versus import Versus, versus_strategy

KEYS = [
    *("hand", "seat", "private", "faces", "opponent", "opponent_faces", "num_hidden"),
    *(
        "opponents",
        "public",
        "public_faces",
        "events",
        "to_act",
        "chips",
        "opening",
        "runout",
        "terms",
        "is_over",
    ),
    *("payoff", "payoffs", "winner", "outcome", "verdict", "review", "thoughts", "ranges"),
]


class Scripted:
    """Plays a list of actions and writes down that it was asked."""

    def __init__(self, actions: list[str]) -> None:
        self.actions = list(actions)

    def act(self, label: str, rng: Uniforms) -> str:
        del label, rng
        return self.actions.pop(0)


@pytest.fixture(scope="module")
def kuhn() -> Versus:
    return kuhn_opponent()


@pytest.fixture(scope="module")
def leduc() -> Versus:
    return opponent_of(Leduc(), "leduc")


@pytest.fixture(scope="module")
def auction() -> Versus:
    return opponent_of(untilt.games.auction(), "auction")


@pytest.fixture(scope="module")
def pushfold() -> Versus:
    return opponent_of(PushFold(), "pushfold")


def test_a_state_has_the_shape_that_the_page_expects(kuhn: Versus) -> None:
    hand = next(
        number
        for number in range(50)
        if state_of_hand(kuhn, seed=0, hand=number, seat=0, actions=[]).private == "K"
    )
    start = state_of_hand(kuhn, seed=0, hand=hand, seat=0, actions=[]).to_json()
    assert start == {
        "hand": hand,
        "seat": 0,
        "private": "K",
        "faces": ["K"],
        "opponent": None,
        "opponent_faces": None,
        "num_hidden": 1,
        "opponents": [{"seat": 1, "private": None, "faces": None, "num_hidden": 1}],
        "public": "",
        "public_faces": [],
        "events": [],
        "to_act": {
            "label": "P0:K:",
            "words": "opening action",
            "line": "",
            "actions": ["check", "bet"],
            "action_data": [
                {"kind": "check", "amount": None, "name": "check", "words": "check"},
                {"kind": "bet", "amount": 1.0, "name": "bet", "words": "bet 1"},
            ],
        },
        "chips": {"pot": 2.0, "bets": (0.0, 0.0), "stacks": (None, None)},
        "opening": ["2 in the pot"],
        "runout": None,
        "terms": {
            "unit": "chips",
            "seats": ["player 0", "player 1"],
            "private": "card",
            "public": "",
            "has_chips": True,
            "has_forced_moves": False,
            "verbs": ["choose", "choose"],
            "rules": kuhn.terms.rules,
        },
        "is_over": False,
        "payoff": None,
        "payoffs": None,
        "winner": None,
        "outcome": None,
        "verdict": None,
        "review": None,
        "thoughts": [],
        "ranges": None,
    }
    end = state_of_hand(kuhn, seed=0, hand=hand, seat=0, actions=["bet"]).to_json()
    assert list(end) == KEYS
    assert end["opponent"] in ("J", "Q")
    assert end["opponent_faces"] == [end["opponent"]]
    assert end["opponents"][0]["private"] == end["opponent"]
    answer = end["events"][1]["action"]
    assert end["events"] == [
        {"player": 0, "is_you": True, "action": "bet", "public": "", "words": "you bet 1"},
        {
            "player": 1,
            "is_you": False,
            "action": answer,
            "public": "",
            "words": {"fold": "player 1 folds", "call": "player 1 calls 1"}[answer],
        },
    ]
    assert (
        end["outcome"] == {"fold": "player 1 folds: you win", "call": "showdown: you win"}[answer]
    )
    assert end["verdict"] == "no mistakes"
    assert end["winner"] == 0
    assert end["payoffs"] == [end["payoff"], -end["payoff"]]
    assert (end["to_act"], end["is_over"]) == (None, True)
    assert end["payoff"] == {"fold": 1.0, "call": 2.0}[answer]
    [review] = end["review"]
    assert (review["label"], review["chosen"], review["cost"]) == ("P0:K:", "bet", 0.0)
    json.dumps(end, allow_nan=False)


@given(data=st.data(), hand=st.integers(0, 10_000), seat=st.integers(0, 1), seed=st.integers(0, 9))
def test_a_replayed_hand_is_the_hand_of_a_table(
    leduc: Versus, data: st.DataObject, hand: int, seat: int, seed: int
) -> None:
    actions: list[str] = []
    state = state_of_hand(leduc, seed=seed, hand=hand, seat=seat, actions=actions)
    while state.to_act is not None:
        actions.append(data.draw(st.sampled_from(state.to_act.actions)))
        state = state_of_hand(leduc, seed=seed, hand=hand, seat=seat, actions=actions)
    person, strategy = Scripted(actions), leduc.policy
    agents = (person, strategy) if seat == 0 else (strategy, person)
    played = Table(leduc.root, agents, seed).play_hand(hand)
    assert person.actions == []
    assert state.events == list(played.decisions)
    assert state.payoff == played.payoffs[seat]
    assert (state.private, state.opponent) == (played.privates[seat], played.privates[1 - seat])
    assert state.public == played.public
    assert state.review is not None
    assert [each.decision.action for each in state.review] == actions
    assert all(each.cost is None or each.cost >= 0.0 for each in state.review)


@given(data=st.data(), hand=st.integers(0, 100), seat=st.integers(0, 1))
def test_what_was_seen_stays_so_while_the_hand_goes_on(
    leduc: Versus, data: st.DataObject, hand: int, seat: int
) -> None:
    actions: list[str] = []
    events: list[Any] = []
    while True:
        state = state_of_hand(leduc, seed=0, hand=hand, seat=seat, actions=actions)
        assert state.events[: len(events)] == events
        events = state.events
        if state.to_act is None:
            return
        assert state.to_act.player == seat
        actions.append(data.draw(st.sampled_from(state.to_act.actions)))


def without_number(state: PlayState) -> str:
    return json.dumps({**state.to_json(), "hand": None}, sort_keys=True)


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
@pytest.mark.parametrize("seat", [0, 1])
def test_hands_that_differ_only_in_the_hidden_card_look_the_same(
    request: pytest.FixtureRequest, game: str, seat: int
) -> None:
    opponent: Versus = request.getfixturevalue(game)
    looks: defaultdict[str, set[str]] = defaultdict(set)
    hidden: defaultdict[str, set[str | None]] = defaultdict(set)
    for hand in range(120 if game == "kuhn" else 20):
        states = list(all_hands(opponent, seat=seat, hand=hand))
        cards = {state.opponent for _, state in states if state.is_over}
        assert len(cards) == 1
        for _, state in states:
            if state.to_act is not None:
                place = state.to_act.label  # all that she knows
                looks[place].add(without_number(state))
                hidden[place] |= cards
                assert [state.opponent, state.opponent_faces] == [None, None]
                assert [state.payoff, state.review] == [None, None]
    assert all(len(each) == 1 for each in looks.values())
    assert sum(len(cards) > 1 for cards in hidden.values()) >= 4


def test_the_suits_one_sees_do_not_tell_of_the_others_hand() -> None:
    kinds = [PushFold(Stakes(10.0), (number, 1)) for number in (0, 1, 2, 14, 100, 168)]
    rows = []
    for root in kinds:  # the person holds AKs, the other one of six hands
        opponent = opponent_of(PushFold(), "pushfold")
        game = replace(opponent.game, root=root)
        opponent = versus_strategy(game, always_pushing(opponent), opponent.values)
        rows.append(state_of_hand(opponent, seed=4, hand=9, seat=1, actions=[]))
    assert len({without_number(state) for state in rows}) == 1
    assert rows[0].private == "AKs"
    assert len(rows[0].faces) == 2


def always_pushing(opponent: Versus) -> untilt.Profile:
    plain = {
        label: {actions[-1]: 1.0}
        for table in opponent.compiled.infosets
        for label, actions in table.items()
    }
    return untilt.strategies.from_dict(opponent.compiled, plain)


def test_nothing_of_the_opponents_is_said_before_the_end(pushfold: Versus) -> None:
    num_turns = 0
    for hand in range(60):
        seat = hand % 2
        deal = Table(pushfold.root, (pushfold.policy, pushfold.policy)).deal(hand)
        assert isinstance(deal.position, PushFold)
        held = str(deal.position.infoset(1 - seat).private)
        own = str(deal.position.infoset(seat).private)
        state = state_of_hand(pushfold, seed=0, hand=hand, seat=seat, actions=[])
        assert state.private == own  # also where she was folded to
        if state.to_act is not None:
            num_turns += 1
            assert held == own or held not in set(texts_of(state.to_json()))
        else:
            assert state.opponent == held
    assert num_turns > 30


def test_a_sealed_bid_is_shown_only_when_the_hand_is_over(auction: Versus) -> None:
    state = state_of_hand(auction, seed=0, hand=0, seat=1, actions=[])
    assert state.to_act is not None
    assert state.events == []
    end = state_of_hand(auction, seed=0, hand=0, seat=1, actions=[state.to_act.actions[0]])
    assert [event.player for event in end.events] == [0, 1]


def test_cards_are_drawn_with_suits_and_never_twice(pushfold: Versus) -> None:
    for hand in range(40):
        *_, (_, end) = all_hands(pushfold, seat=hand % 2, hand=hand)
        assert end.is_over
        assert end.opponent_faces is not None
        assert len({*end.faces, *end.opponent_faces}) == 4


def test_a_deck_of_numbers_has_no_pairs() -> None:
    many = opponent_of(Leduc(ranks=30), "leduc")
    assert not many.has_hand_classes
    faces = {
        tuple(state_of_hand(many, seed=0, hand=hand, seat=0, actions=[]).faces)
        for hand in range(300)
    }
    assert ("22",) in faces
    assert all(len(cards) == 1 for cards in faces)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (["call"], "'call' is not an action at infoset 'P0:"),
        ([""], "'' is not an action"),
        (["bet", "bet"], "'bet' was given after the end of the hand"),
        (["x" * 100], f"'{'x' * 40}' is not an action"),
    ],
)
def test_an_action_that_is_not_legal_is_refused_in_one_line(
    kuhn: Versus, actions: list[str], message: str
) -> None:
    with pytest.raises(UnknownName) as refusal:
        state_of_hand(kuhn, seed=0, hand=0, seat=0, actions=actions)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seat": 2}, "the seat is '2'"),
        ({"seat": True}, "the seat is 'True'"),
        ({"hand": -1}, "the hand is '-1'"),
        ({"seed": 2**64}, "the seed is"),
    ],
)
def test_numbers_out_of_range_are_refused(
    kuhn: Versus, given: dict[str, int], message: str
) -> None:
    numbers: dict[str, Any] = {"seed": 0, "hand": 0, "seat": 0, **given}
    with pytest.raises(InvalidOption, match=message):
        state_of_hand(kuhn, actions=[], **numbers)


def test_seats_are_given_or_alternate() -> None:
    assert [seat_of_hand(hand, "alternate") for hand in range(4)] == [0, 1, 0, 1]
    assert [seat_of_hand(hand, "0") for hand in range(3)] == [0, 0, 0]
    assert [seat_of_hand(hand, "1") for hand in range(3)] == [1, 1, 1]


def test_decisions_are_judged_at_once_if_that_is_wanted(leduc: Versus) -> None:
    judged = 0
    for hand in range(40):
        actions: list[str] = []
        state = state_of_hand(leduc, seed=4, hand=hand, seat=hand % 2, actions=(), feedback=True)
        before: list[dict[str, Any]] = []
        while not state.is_over:
            assert state.verdict is None
            assert state.to_json()["review"] == before
            assert state.to_act is not None
            actions.append(state.to_act.actions[hand % len(state.to_act.actions)])
            asked: dict[str, Any] = {"seed": 4, "hand": hand, "seat": hand % 2, "actions": actions}
            state = state_of_hand(leduc, **asked, feedback=True)
            assert state.is_over or state_of_hand(leduc, **asked).review is None
            told = state.to_json()["review"]
            assert told[:-1] == before
            before = told
            judged += not state.is_over
        whole = state_of_hand(leduc, seed=4, hand=hand, seat=hand % 2, actions=actions)
        assert whole.to_json()["review"] == before
    assert judged > 10


def test_a_verdict_at_once_tells_nothing_of_the_hidden_card(leduc: Versus) -> None:
    told: dict[str, set[str]] = defaultdict(set)
    for hand in range(120):
        state = state_of_hand(leduc, seed=9, hand=hand, seat=0, actions=(), feedback=True)
        if state.to_act is None:
            continue
        action = state.to_act.actions[0]
        after = state_of_hand(leduc, seed=9, hand=hand, seat=0, actions=[action], feedback=True)
        if not after.is_over:
            assert after.review is not None
            told[after.review[0].decision.label].add(json.dumps(after.to_json()["review"]))
    assert told
    assert all(len(texts) == 1 for texts in told.values())
