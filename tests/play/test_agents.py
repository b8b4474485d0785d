"""What agents are asked and told: turns, labels, hooks and clocks."""

import time
from typing import Any

import pytest

from untilt.errors import InvalidOption, UntiltError
from untilt.game.actions import ActionData, Kind
from untilt.game.protocol import Uniforms
from untilt.game.terms import Chips
from untilt.games import resolve
from untilt.games.kuhn import Kuhn
from untilt.games.leduc import Leduc
from untilt.play import Clock, Hand, Rules, Table, Turn, label_agent
from untilt.play.matches.head_to_head import play_match
from untilt.policy.code import as_policy

from .tables import kuhn_opponent


class Recorder:
    """Takes the last action and writes down all that it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def begin(self, seat: int, rules: Rules) -> None:
        self.told.append(("begin", seat, rules.name))

    def act(self, turn: Turn, rng: Uniforms, clock: Clock) -> str:
        self.told.append(turn)
        return turn.actions[-1]

    def end(self, hand: Hand) -> None:
        self.told.append(("end", hand.number))


def test_an_agent_sees_the_turn_between_the_beginning_and_the_end_of_a_hand() -> None:
    agent = Recorder()
    hand = Table(Leduc(), (agent, lambda label: "call"), seed=3).play_hand(0)
    begin, *turns, end = agent.told
    assert (begin, end) == (("begin", 0, "leduc"), ("end", 0))
    first, second = turns
    assert (first.player, first.street, first.chips) == (0, 0, Chips(2.0, (0.0, 0.0), (None, None)))
    assert first.private == hand.privates[0]
    assert first.legal == (
        ActionData("check", Kind.CHECK),
        ActionData("bet", Kind.BET, 2.0),
    )
    assert (second.street, second.public, second.line) == (1, hand.public, "bc/")
    assert second.chips == Chips(6.0, (0.0, 0.0), (None, None))
    assert second.legal[1] == ActionData("bet", Kind.BET, 4.0)


def test_amounts_are_what_a_player_has_put_in_on_the_street() -> None:
    big_blind = Recorder()
    game = resolve("pushfold", {"stack": 8.0, "ante": 0.5}).game
    Table(game, (lambda label: "all-in", big_blind)).play_hand(0)
    turn = big_blind.told[1]
    assert turn.chips == Chips(1.0, (7.5, 1.0), (0.0, 6.5))
    assert turn.legal == (ActionData("fold", Kind.FOLD), ActionData("call", Kind.CALL, 7.5))
    raiser = Recorder()
    Table(Leduc(), (lambda label: "call" if label.endswith("r") else "bet", raiser)).play_hand(0)
    assert [action.amount for action in raiser.told[1].legal] == [None, 2.0, 4.0]


def test_seats_and_rules_are_told_for_every_hand() -> None:
    agent = Recorder()
    opponent = kuhn_opponent()
    table = Table(opponent.root, (agent, agent), is_alternating=True, rules=opponent.rules)
    list(table.play(2))
    begun = [told for told in agent.told if isinstance(told, tuple) and told[0] == "begin"]
    assert [seat for _, seat, _ in begun] == [0, 1, 0, 1]
    assert {name for _, _, name in begun} == {"kuhn"}
    assert opponent.rules.terms == Kuhn().terms


class ByLabel:
    def act(self, label: str, rng: Uniforms) -> str:
        return "bet" if rng.random() < 0.5 and not label.endswith("b") else passive(label)


def passive(label: str) -> str:
    return "call" if label.endswith("b") else "check"


def by_label(label: str, rng: Uniforms) -> str:
    return ByLabel().act(label, rng)


def test_a_label_is_enough() -> None:
    def hands(agent: Any) -> list[Hand]:
        return list(Table(Kuhn(), (agent, passive), seed=5).play(30))

    assert hands(ByLabel()) == hands(by_label)
    assert hands(ByLabel()) == hands(label_agent(by_label))
    assert hands(passive) == hands(lambda turn, rng, clock: passive(turn.label))
    assert any(hand.decisions[0].action == "bet" for hand in hands(ByLabel()))


def test_how_an_agent_is_asked_is_decided_by_its_form() -> None:
    class Named:
        def act(self, label: str, rng: Uniforms, depth: int = 3) -> str:
            assert isinstance(label, str)
            assert depth == 3
            return passive(label)

    Table(Kuhn(), (Named(), passive)).play_hand(0)
    for wrong in (3, None, lambda: "bet", lambda a, b, c, d: "bet"):
        with pytest.raises(InvalidOption, match="is not an agent; give a function of a label"):
            as_policy(wrong)  # type: ignore[arg-type]


class ByTurn:
    def act(self, turn):  # type: ignore[no-untyped-def]
        return turn.actions[0]


class ByTurnWithNumbers:
    def act(self, turn, rng):  # type: ignore[no-untyped-def]
        assert 0.0 <= rng.random() < 1.0
        return turn.actions[0]


class ByAnnotation:
    def act(self, state: Turn) -> str:
        return state.actions[0]


class ByText:
    def act(self, state: "play.Turn") -> str:  # type: ignore[name-defined]  # noqa: F821
        return state.actions[0]  # type: ignore[no-any-return]


def first_action(label: str) -> str:
    return "fold" if label.endswith("b") else "check"


class ByLabelWithClock:
    def act(self, infoset: str, rng: Uniforms, clock: Clock) -> str:
        assert isinstance(clock, Clock)
        return first_action(infoset)


@pytest.mark.parametrize(
    "kind", [ByTurn, ByTurnWithNumbers, ByAnnotation, ByText, ByLabelWithClock]
)
def test_an_agent_gets_the_turn_or_the_label_that_its_first_argument_asks_for(kind: Any) -> None:
    def hands(agent: Any) -> list[Hand]:
        return list(Table(Kuhn(), (agent, ByLabel()), seed=9).play(20))

    assert hands(kind()) == hands(first_action)


def at_a_table(one: Any, other: Any) -> object:
    return Table(Kuhn(), (one, other)).play_hand(0)


def in_a_match(one: Any, other: Any) -> object:
    return play_match(Kuhn(), one, other, 2)


@pytest.mark.parametrize("play", [at_a_table, in_a_match])
def test_an_agent_that_expects_a_turn_under_another_name_learns_how_to_get_it(play: Any) -> None:
    with pytest.raises(
        InvalidOption, match=r"reads \.legal of the label 'P0:.*first argument.*turn"
    ):
        play(lambda state: state.legal[0].name, passive)
    with pytest.raises(
        (AttributeError, UntiltError), match="'str' object has no attribute 'spilt'"
    ):
        play(lambda label: label.spilt(":"), passive)


def test_a_class_in_the_place_of_an_agent_is_refused_with_the_call_that_makes_one() -> None:
    with pytest.raises(InvalidOption, match=r"ByTurn is a class.*make one of it: ByTurn\(\)"):
        Table(Kuhn(), (ByTurn, first_action))  # type: ignore[arg-type]


@pytest.mark.parametrize("agents", [(), (first_action,), (first_action,) * 3, "random", 3])
def test_a_table_has_two_agents(agents: Any) -> None:
    with pytest.raises(InvalidOption, match=r"^agents is .*give two, as \(first, second\)$"):
        Table(Kuhn(), agents)


def test_a_clock_counts_decisions_and_the_match() -> None:
    left: list[tuple[float | None, float | None, float | None]] = []

    def slow(turn: Turn, rng: Uniforms, clock: Clock) -> str:
        time.sleep(0.01)
        left.append((clock.decision_left, clock.match_left, clock.left))
        return passive(turn.label)

    table = Table(Kuhn(), (slow, passive), decision_seconds=100.0, match_seconds=50.0)
    list(table.play(3))
    assert len(left) == 3
    matches = [match for _, match, _ in left if match is not None]
    assert matches == sorted(matches, reverse=True)
    assert matches[-1] <= 50.0 - 0.03
    assert all(99.0 < (decision or 0.0) <= 99.99 for decision, _, _ in left)
    assert all(each == match for _, match, each in left) or matches[0] - matches[1] < 1.0


def test_a_clock_without_limits_has_none_to_tell() -> None:
    with Clock() as clock:
        assert (clock.decision_left, clock.match_left, clock.left) == (None, None, None)
    assert Clock(match_seconds=1e-9).match_left == 1e-9
    hasty = Clock(1e-9)
    with hasty:
        time.sleep(0.001)
        assert hasty.left == 0.0
    with pytest.raises(InvalidOption, match="decision_seconds is 0"):
        Clock(0)
