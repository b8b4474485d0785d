"""Policies: their states belong to hands, and one of a user's own plays everywhere."""

from collections.abc import Sequence
from itertools import zip_longest

import pytest

import untilt
import untilt.play
from untilt.abstraction import Translation, abstract, capped_bets, linear_pot, pot_fractions, street
from untilt.game.protocol import Action, InfoSet
from untilt.games import kuhn, river_of_blood
from untilt.play import Table
from untilt.play.matches.head_to_head import play_match
from untilt.play.table.hand import LiveHand
from untilt.policy.hands.streams import LightStream
from untilt.policy.hands.turn import Rules
from untilt.policy.policy import Policy, Stationary
from untilt.policy.simple import RandomPolicy, always_call
from untilt.policy.tabular import TabularPolicy
from untilt.policy.translated import TranslatedPolicy


@pytest.fixture(scope="module")
def translated() -> TranslatedPolicy:
    menu = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 3)
    game = abstract(river_of_blood(stack=40), street * linear_pot(4), menu)
    run = untilt.solve(game, "es-linear", iterations=200, save=False)
    return TranslatedPolicy("trained", Translation(game, run.profile))


class Seated:
    """A hand whose policies act one at a time."""

    def __init__(self, policies: Sequence[Policy], number: int) -> None:
        self.live = LiveHand(river_of_blood(stack=40), 5, number, LightStream)
        rules = Rules.of(self.live.position)
        self.policies = policies
        self.states = [policy.begin(seat, rules) for seat, policy in enumerate(policies)]

    def step(self) -> bool:
        asked = self.live.asked
        if asked is None:
            return False
        player = asked.player
        action, self.states[player] = self.policies[player].choose(
            self.states[player], asked, self.live.stream(player)
        )
        self.live.play(action)
        return True

    @property
    def actions(self) -> list[str]:
        return [decision.action for decision in self.live.decisions]


def test_hands_that_take_turns_are_played_as_one_after_another(
    translated: TranslatedPolicy,
) -> None:
    policies = RandomPolicy(), translated
    alone = []
    for number in range(60):
        hand = Seated(policies, number)
        while hand.step():
            pass
        alone.append(hand.actions)
    together = [Seated(policies, number) for number in range(60)]
    while sum(hand.step() for hand in together):
        pass
    assert [hand.actions for hand in together] == alone
    assert max(map(len, alone)) > 4
    assert sum(map(len, alone)) > 120


def test_a_state_is_never_changed(translated: TranslatedPolicy) -> None:
    num_steps = 0
    for number in range(20):
        hand = Seated((translated, RandomPolicy()), number)
        while hand.live.asked is not None:
            before = list(hand.states)
            shown = [repr(state) for state in before]
            hand.step()
            assert [repr(state) for state in before] == shown
            num_steps += 1
    assert num_steps > 40


class Mean(Stationary):
    """Plays the mean of two policies."""

    def __init__(self, first: Stationary, second: Stationary) -> None:
        super().__init__()
        self.name = f"{first.name} or {second.name}"
        self.both = first, second

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        found = dict.fromkeys(actions, 0.0)
        for policy in self.both:
            for action, weight in policy.weights(infoset, actions):
                found[action] += weight / 2.0
        return list(found.items())


def test_a_policy_of_ones_own_plays_at_tables_and_in_matches() -> None:
    mean = Mean(RandomPolicy(), always_call())
    compiled = untilt.games.compile(kuhn())
    profile = mean.profile(compiled)
    # A raise comes half as often as at random: a quarter.
    assert profile["P0:K:"] == pytest.approx({"check": 0.75, "bet": 0.25})
    result = play_match(kuhn(), mean, RandomPolicy(), 400, seed=1)
    assert (
        play_match(kuhn(), mean, RandomPolicy(), 400, seed=1, compiled=compiled).value
        == result.value
    )
    hands = list(Table("kuhn", (mean, mean), seed=2).play(400))
    first = [hand.decisions[0].action for hand in hands]
    assert 0.18 < first.count("bet") / len(first) < 0.32
    assert untilt.match(mean, "call", 200, game="kuhn").hands == 200


def test_a_run_a_profile_and_a_policy_are_one_agent() -> None:
    run = untilt.solve("kuhn", iterations=50, save=False)
    agents = run, run.profile, TabularPolicy(run.profile)
    played = [list(Table("kuhn", (agent, agent), seed=4).play(30)) for agent in agents]
    for hands in zip_longest(*played):
        assert hands[0] == hands[1] == hands[2]
