"""Tables: what agents win in the long run, and that a hand depends on nothing but its own."""

import json
import math
import re
from collections import Counter, defaultdict
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.game.trees import End, TreeGame, choice, nature
from tests.play.tables import kuhn_equilibrium, opponent_of

import untilt
from untilt.errors import GameError, InvalidOption, StrategyError, UnknownName
from untilt.game.protocol import Uniforms
from untilt.game.strategy.strategy import profile_from_arrays
from untilt.games.kuhn import Kuhn
from untilt.games.leduc import Leduc
from untilt.games.pushfold.game import PushFold
from untilt.play.table.hand import Table
from untilt.policy.hands.turn import Hand
from untilt.policy.tabular import TabularPolicy

NUM_HANDS = 20_000


class Always:
    """Takes the first of its actions that is legal; which are, it tells by what it is told."""

    def __init__(self, *actions: str) -> None:
        self.actions = actions

    def act(self, label: str, rng: Uniforms) -> str:
        del rng
        line = label.rpartition(":")[2].rpartition("/")[2]
        if not line.endswith(("b", "r", "a")):
            legal = {"check", "bet"}
        else:
            legal = {"fold", "call"} | ({"raise"} if line.count("r") == 0 else set())
        return next(action for action in self.actions if action in legal)


class Drawn:
    """A source that gives these numbers, and no more."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


@pytest.fixture(scope="module")
def equilibrium_hands() -> list[Hand]:
    agents = (TabularPolicy(kuhn_equilibrium(0.0)), TabularPolicy(kuhn_equilibrium(0.25)))
    return list(Table(Kuhn(), (agents[1], agents[0]), seed=5).play(NUM_HANDS))


def test_equilibrium_against_equilibrium_wins_minus_an_eighteenth_per_hand(
    equilibrium_hands: list[Hand],
) -> None:
    gains = [hand.payoffs[0] for hand in equilibrium_hands]
    mean = sum(gains) / NUM_HANDS
    error = sqrt(sum((gain - mean) ** 2 for gain in gains)) / NUM_HANDS
    assert 0.005 < error < 0.02
    assert abs(mean + 1 / 18) < 4 * error
    assert all(hand.payoffs[0] == -hand.payoffs[1] for hand in equilibrium_hands)


def test_actions_come_as_often_as_the_strategy_says(equilibrium_hands: list[Hand]) -> None:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for hand in equilibrium_hands:
        for decision in hand.decisions:
            counts[decision.label][decision.action] += 1
    expected = kuhn_equilibrium(0.25)  # player 1's is the same for every alpha
    assert counts.keys() == expected.keys()
    for label, actions in expected.items():
        total = counts[label].total()
        assert total > 200, label
        for action, share in actions.items():
            spread = sqrt(total * share * (1.0 - share))
            assert abs(counts[label][action] - total * share) <= 4 * spread + 1e-6, label


def test_all_six_deals_of_kuhn_are_equally_likely(equilibrium_hands: list[Hand]) -> None:
    counts = Counter(hand.privates for hand in equilibrium_hands)
    assert len(counts) == 6
    spread = sqrt(NUM_HANDS * (1 / 6) * (5 / 6))
    assert all(abs(count - NUM_HANDS / 6) < 4 * spread for count in counts.values())


@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_cards_do_not_depend_on_how_a_hand_is_played(seed: int) -> None:
    passive, wild = Always("check", "call"), Always("raise", "bet", "call")
    timid = Always("check", "fold")
    first = list(Table(Leduc(), (passive, passive), seed).play(100))
    public_cards = set()
    for agents in ((wild, wild), (wild, timid), (timid, wild)):
        for one, other in zip(first, Table(Leduc(), agents, seed).play(100), strict=True):
            assert one.privates == other.privates
            if other.public:
                assert one.public == other.public
                public_cards.add(one.public)
    assert public_cards == {"J", "Q", "K"}


def test_a_hand_is_the_same_whichever_hands_were_played_before() -> None:
    opponent = opponent_of(Leduc(), "leduc")
    table = Table(opponent.root, (opponent.policy, opponent.policy), seed=11)
    hands = list(table.play(20))
    assert [hand.number for hand in hands] == list(range(20))
    assert table.play_hand(13) == hands[13]
    assert list(table.play(5, first=15)) == hands[15:]
    other = Table(opponent.root, (opponent.policy, opponent.policy), seed=12)
    assert [hand.privates for hand in other.play(20)] != [hand.privates for hand in hands]


def test_a_players_luck_does_not_depend_on_what_the_other_draws() -> None:
    class Wasteful(TabularPolicy):
        # An agent of labels, as they were written before there were turns.
        def act(self, label: str, rng: Uniforms | None = None) -> str:  # type: ignore[override]
            assert rng is not None
            for _ in range(3):
                rng.random()
            return super().act(label, rng)

    plain = TabularPolicy(kuhn_equilibrium(0.25))
    wasteful = Wasteful(kuhn_equilibrium(0.25))
    for one, other in zip(
        Table(Kuhn(), (plain, plain)).play(200),
        Table(Kuhn(), (plain, wasteful)).play(200),
        strict=True,
    ):
        assert one.privates == other.privates
        assert one.decisions[0] == other.decisions[0]


def test_a_game_plays_alike_as_positions_and_as_its_tree() -> None:
    agent = TabularPolicy(kuhn_equilibrium(0.25))
    tree = opponent_of(Kuhn(), "kuhn").root
    assert list(Table(Kuhn(), (agent, agent)).play(300)) == list(
        Table(tree, (agent, agent)).play(300)
    )


def test_seats_alternate_by_the_number_of_the_hand() -> None:
    better, caller = Always("bet", "call"), Always("check", "fold")
    hands = list(Table(Kuhn(), (better, caller), is_alternating=True).play(4))
    assert [hand.agents for hand in hands] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert [hand.decisions[0].action for hand in hands] == ["bet", "check", "bet", "check"]
    assert [hand.gain(0) for hand in hands] == [1.0] * 4
    assert [hand.gain(1) for hand in hands] == [-1.0] * 4


def test_decisions_tell_what_the_player_knew() -> None:
    hand = Table(Leduc(), (Always("check", "call"), Always("bet", "call"))).play_hand(0)
    first, second, *_ = hand.decisions
    assert (first.player, first.label) == (0, f"P0:{hand.privates[0]}::")
    assert (first.words, first.actions) == ("opening action", ("check", "bet"))
    assert (second.player, second.private) == (1, hand.privates[1])
    assert [decision.action for decision in hand.decisions] == [
        *("check", "bet", "call"),
        *("check", "bet", "call"),
    ]
    assert hand.decisions[-1].line == "cbc/cb"
    assert hand.public == hand.decisions[-1].public != ""


def test_a_big_blind_who_is_folded_to_still_has_a_hand() -> None:
    class Folder:
        def act(self, label: str, rng: Uniforms) -> str:
            del label, rng
            return "fold"

    hand = Table(PushFold(), (Folder(), Folder())).play_hand(0)
    assert hand.payoffs == (-0.5, 0.5)
    assert [decision.player for decision in hand.decisions] == [0]
    deal = Table(PushFold(), (Folder(), Folder())).deal(0)
    assert isinstance(deal.position, PushFold)
    assert hand.privates == tuple(str(deal.position.infoset(player).private) for player in (0, 1))


def test_forced_moves_are_played_and_nobody_is_asked() -> None:
    root = TreeGame(choice(0, "P0:only", go=choice(1, "P1", left=End(3.0), right=End(-1.0))))
    agent = TabularPolicy({"P1": {"left": 1.0}})
    hand = Table(root, (agent, agent)).play_hand(0)
    assert [decision.label for decision in hand.decisions] == ["P1"]
    assert (hand.payoffs, hand.privates[1], hand.public) == ((3.0, -3.0), "", "")


def test_zero_is_never_negative() -> None:
    root = TreeGame(choice(0, "P0", stay=End(0.0), go=End(0.0)))
    agent = TabularPolicy({"P0": {"stay": 1.0}})
    assert str(Table(root, (agent, agent)).play_hand(0).payoffs) == "(0.0, 0.0)"


def test_a_game_without_end_is_refused() -> None:
    class Endless(TreeGame):
        def apply(self, action: object) -> "Endless":
            del action
            return self

    root = Endless(choice(0, "P0", stay=End(0.0), go=End(0.0)))
    agent = TabularPolicy({"P0": {"stay": 1.0}})
    with pytest.raises(GameError, match="does the game ever end"):
        Table(root, (agent, agent)).play_hand(0)


def test_a_position_without_moves_is_refused() -> None:
    agent = TabularPolicy({})
    with pytest.raises(GameError, match="'P0' offers no action"):
        Table(TreeGame(choice(0, "P0")), (agent, agent)).play_hand(0)


@pytest.mark.parametrize("answer", ["rise", "", None, "call"])
def test_an_action_that_is_not_legal_is_named_with_the_legal_ones(answer: str) -> None:
    class Confused:
        def act(self, label: str, rng: Uniforms) -> str:
            del label, rng
            return answer

    table = Table(Kuhn(), (Confused(), Confused()))
    label = table.deal(0).turn
    assert label is not None
    with pytest.raises(UnknownName) as refusal:
        table.play_hand(0)
    assert str(refusal.value) == (
        f"Confused answered {str(answer)!r} at infoset {label.label!r}; the actions are check, bet"
    )


def test_a_seed_that_has_no_stream_is_refused() -> None:
    agent = TabularPolicy({})
    with pytest.raises(InvalidOption, match="the seed is '-1'"):
        Table(Kuhn(), (agent, agent), seed=-1)


class TestStrategyAgent:
    def test_it_draws_one_number_per_decision_and_none_for_a_forced_move(self) -> None:
        agent = TabularPolicy({"P0": {"a": 0.5, "b": 0.5}}, forced={"P0:only": "go"})
        source = Drawn(0.2, 0.7)
        assert [agent.act("P0", source) for _ in range(2)] == ["a", "b"]
        assert agent.act("P0:only", source) == "go"
        assert source.numbers == []

    @pytest.mark.parametrize(
        ("number", "action"),
        [(0.0, "b"), (0.24, "b"), (0.25, "c"), (0.9999999999999999, "c")],
    )
    def test_it_never_takes_an_action_of_probability_zero(self, number: float, action: str) -> None:
        # The sum falls short of 1 by more than rounding does, to be sure.
        agent = TabularPolicy({"P0": {"a": 0.0, "b": 0.25, "c": 0.75 - 1e-9, "d": 0.0}})
        assert agent.act("P0", Drawn(number)) == action

    @given(
        st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any),
        st.floats(0.0, 1.0, exclude_max=True),
    )
    def test_it_takes_the_action_whose_share_holds_the_number(
        self, shares: list[int], number: float
    ) -> None:
        total = sum(shares)
        strategy = {str(place): share / total for place, share in enumerate(shares)}
        taken = int(TabularPolicy({"P0": strategy}).act("P0", Drawn(number)))
        assert shares[taken] > 0
        before = sum(shares[:taken]) / total
        assert before - 1e-12 <= number <= before + shares[taken] / total + 1e-12

    def test_a_mistyped_infoset_suggests_the_one_meant(self) -> None:
        agent = TabularPolicy(kuhn_equilibrium(0.25))
        with pytest.raises(StrategyError, match=r"'P0:j:cb': did you mean 'P0:J:cb'\?") as caught:
            agent.act("P0:j:cb", Drawn(0.5))
        assert "another game" not in str(caught.value)

    def test_an_infoset_of_another_game_is_named(self) -> None:
        agent = TabularPolicy(kuhn_equilibrium(0.25))
        with pytest.raises(StrategyError, match=r"no infoset 'P0:J::'.*named like 'P0:J:'"):
            agent.act("P0:J::", Drawn(0.5))

    def test_a_strategy_without_any_probability_is_refused(self) -> None:
        with pytest.raises(StrategyError, match="of infoset 'P0' sum to 0; they must sum to 1"):
            TabularPolicy({"P0": {"a": 0.0}})

    @pytest.mark.parametrize(
        ("actions", "words"),
        [
            ({"a": 0.25, "b": 0.25}, "sum to 0.5; they must sum to 1"),
            ({"a": math.nan, "b": 1.0}, "the probability of 'a' is nan"),
            ({"a": -0.5, "b": 1.5}, "the probability of 'a' is -0.5"),
            ({"a": "1"}, "the probability of 'a' is '1'"),
            ({"a": True}, "the probability of 'a' is True"),
            ({}, "sum to 0; they must sum to 1"),
            ("bet", "expected {action: probability}, got 'bet'"),
        ],
    )
    def test_what_is_no_distribution_is_refused_before_a_hand_is_played(
        self, actions: Any, words: str
    ) -> None:
        with pytest.raises(StrategyError, match=re.escape(words)):
            TabularPolicy({"P0": {"a": 1.0}, "P1": actions})

    @pytest.mark.parametrize("share", [math.nan, 0.0, 2.0])
    def test_so_is_a_profile_with_such_probabilities(self, share: float) -> None:
        game = untilt.games.compile(Kuhn())
        behaviours = [row.copy() for row in untilt.strategies.uniform(game).behaviours]
        behaviours[1][4] = share
        profile = profile_from_arrays(game, (behaviours[0], behaviours[1]))
        label = game.infosets[1].labels[1]
        with pytest.raises(StrategyError, match=f"infoset {label!r}"):
            TabularPolicy(profile)
        with pytest.raises(StrategyError, match=f"infoset {label!r}"):
            TabularPolicy(profile.strategies[1])

    def test_it_is_read_from_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "plain.json"
        path.write_text(json.dumps({"strategy": kuhn_equilibrium(0.25)}))
        for name in (path, str(path)):
            agent = TabularPolicy.from_file(name)
            assert agent.probabilities("P0:J:") == {"check": 0.75, "bet": 0.25}
        path.write_text(json.dumps({"P0:J:": {"check": 0.5}}))
        with pytest.raises(StrategyError, match=r"plain\.json: .* sum to 0\.5"):
            TabularPolicy.from_file(path)
        with pytest.raises(StrategyError, match="is a folder; load a run with"):
            TabularPolicy.from_file(tmp_path)

    def test_it_shows_its_probabilities(self) -> None:
        agent = TabularPolicy(kuhn_equilibrium(0.25), {"P0:only": "go"})
        assert agent.probabilities("P0:only") == {"go": 1.0}
        assert math.fsum(agent.probabilities("P1:Q:b").values()) == pytest.approx(1.0)
        with pytest.raises(StrategyError, match="did you mean 'P1:Q:b'"):
            agent.probabilities("P1:Q:bb")

    def test_it_has_random_numbers_of_its_own(self) -> None:
        plain = {"P0": {"a": 0.5, "b": 0.5}}
        seen = {TabularPolicy(plain).act("P0") for _ in range(200)}
        assert seen == {"a", "b"}
        assert TabularPolicy(plain, rng=Drawn(0.2)).act("P0") == "a"
        assert TabularPolicy(plain, rng=Drawn(0.2)).act("P0", Drawn(0.7)) == "b"

    def test_a_profile_is_played_as_it_is(self) -> None:
        game = untilt.games.compile(Kuhn())
        agent = TabularPolicy(untilt.strategies.uniform(game), game.forced)
        assert agent.act("P0:K:", Drawn(0.4)) == "check"
        assert agent.act("P1:K:b", Drawn(0.6)) == "call"


def test_chances_of_a_tree_are_followed() -> None:
    root = TreeGame(
        nature(
            rare=(0.1, choice(0, "P0:rare", a=End(1.0), b=End(0.0))),
            common=(0.9, choice(0, "P0:common", a=End(-1.0), b=End(0.0))),
        )
    )
    agent = TabularPolicy({"P0:rare": {"a": 1.0}, "P0:common": {"a": 1.0}})
    hands = Table(opponent_of(root, "two").root, (agent, agent)).play(2_000)
    rare = sum(hand.payoffs[0] == 1.0 for hand in hands)
    assert abs(rare - 200) < 4 * sqrt(2_000 * 0.1 * 0.9)
