"""Strategies as arrays with names, and their way to and from plain dictionaries."""

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.trees import AGAINST_NATURE, FORCED, TreeGame, random_trees

from untilt.errors import StrategyError, UnknownName
from untilt.game.compiled import compile  # noqa: A004
from untilt.game.strategy.strategy import (
    profile_from_arrays,
    profile_from_dict,
    random_profile,
    strategy_from_dict,
    uniform_profile,
)
from untilt.games import kuhn, leduc

KUHN = compile(kuhn())
PerAction = dict[str, dict[str, Any]]


def uniform_kuhn() -> PerAction:
    return uniform_profile(KUHN).to_dict()


class TestReading:
    def test_a_profile_reads_like_a_dictionary(self) -> None:
        profile = uniform_profile(KUHN)
        assert profile["P0:J:"] == {"check": 0.5, "bet": 0.5}
        assert profile["P1:Q:b"] == {"fold": 0.5, "call": 0.5}
        assert len(profile) == len(list(profile)) == 12
        assert set(profile) == {*KUHN.infosets[0].labels, *KUHN.infosets[1].labels}
        assert "P0:K:cb" in profile
        assert "P1:K:cb" not in profile

    def test_one_players_strategy_knows_her_infosets_only(self) -> None:
        own = uniform_profile(KUHN).strategies[1]
        assert len(own) == 6
        assert own["P1:J:c"] == {"check": 0.5, "bet": 0.5}
        with pytest.raises(UnknownName, match="unknown infoset 'P0:J:'"):
            own["P0:J:"]

    def test_an_unknown_label_suggests_the_nearest(self) -> None:
        with pytest.raises(UnknownName, match="did you mean 'P0:J:cb'"):
            uniform_profile(KUHN)["P0:J:ccb"]

    def test_uniform_and_random_profiles_sum_to_one_everywhere(self) -> None:
        game = compile(leduc())
        for profile in (uniform_profile(game), random_profile(game, np.random.default_rng(1))):
            for label, actions in profile.items():
                assert math.fsum(actions.values()) == pytest.approx(1.0, abs=1e-15), label
                assert min(actions.values()) > 0.0
            assert all(behaviour[0] == 1.0 for behaviour in profile.behaviours)

    def test_random_profiles_are_a_function_of_the_generator(self) -> None:
        first, again, other = (
            random_profile(KUHN, np.random.default_rng(seed)).to_dict() for seed in (1, 1, 2)
        )
        assert first == again != other

    def test_random_profiles_are_uniform_on_the_simplex(self) -> None:
        # Of three actions each is Beta(1, 2): mean 1/3, variance 1/18.
        game = compile(leduc())
        index = game.infosets[1].index("P1:Q::b")
        rng = np.random.default_rng(3)
        block = game.infosets[1].block(index)
        drawn = np.array([random_profile(game, rng).behaviours[1][block] for _ in range(2000)])
        assert np.abs(drawn.mean(axis=0) - 1 / 3).max() < 5 * (1 / 18 / 2000) ** 0.5
        assert np.abs(drawn.var(axis=0) - 1 / 18).max() < 0.007

    def test_a_player_without_infosets_has_an_empty_strategy(self) -> None:
        game = compile(AGAINST_NATURE)
        for profile in (uniform_profile(game), random_profile(game, np.random.default_rng(1))):
            assert dict(profile.strategies[1]) == {}
            assert profile.behaviours[1].tolist() == [1.0]
            assert profile_from_dict(game, profile.to_dict()).behaviours[1].tolist() == [1.0]


class TestPlainProfiles:
    @given(seed=st.integers(0, 2**32 - 1), game=random_trees())
    @settings(deadline=None)
    def test_a_profile_survives_the_way_to_json_and_back(self, seed: int, game: TreeGame) -> None:
        compiled = compile(game)
        profile = random_profile(compiled, np.random.default_rng(seed))
        again = profile_from_dict(compiled, json.loads(json.dumps(profile.to_dict())))
        for mine, other in zip(profile.behaviours, again.behaviours, strict=True):
            assert np.abs(mine - other).max() <= 2**-52

    @given(seed=st.integers(0, 2**32 - 1))
    @settings(deadline=None)
    def test_order_does_not_matter(self, seed: int) -> None:
        rng = random.Random(seed)
        plain = random_profile(KUHN, np.random.default_rng(seed)).to_dict()
        labels = rng.sample(list(plain), len(plain))
        shuffled = {label: dict(reversed(plain[label].items())) for label in labels}
        for mine, other in zip(
            profile_from_dict(KUHN, plain).behaviours,
            profile_from_dict(KUHN, shuffled).behaviours,
            strict=True,
        ):
            assert np.array_equal(mine, other)

    def test_probabilities_are_rescaled(self) -> None:
        plain = uniform_kuhn() | {"P0:J:": {"check": 0.3333333, "bet": 0.6666666}}
        rescaled = profile_from_dict(KUHN, plain)["P0:J:"]
        assert rescaled == pytest.approx({"check": 1 / 3, "bet": 2 / 3}, abs=1e-15, rel=0)

    def test_an_action_left_out_is_never_played(self) -> None:
        plain = uniform_kuhn() | {"P0:J:": {"bet": 1}}
        assert profile_from_dict(KUHN, plain)["P0:J:"] == {"check": 0.0, "bet": 1.0}

    def test_forced_moves_may_stand_in_it_or_not(self) -> None:
        game = compile(FORCED)
        plain = uniform_profile(game).to_dict()
        assert "P0:a" not in plain
        with_forced = plain | {"P0:a": {"only": 1.0}, "P1:must": {"only": 1.0}}
        assert profile_from_dict(game, with_forced).to_dict() == plain
        with pytest.raises(StrategyError, match="'P0:a' has no action 'other'"):
            profile_from_dict(game, plain | {"P0:a": {"other": 1.0}})
        with pytest.raises(StrategyError, match="'P0:a': expected"):
            profile_from_dict(game, plain | {"P0:a": 1.0})  # type: ignore[dict-item]

    def test_one_players_part_is_enough_for_her_strategy(self) -> None:
        own = {label: actions for label, actions in uniform_kuhn().items() if label[1] == "1"}
        strategy = strategy_from_dict(KUHN, 1, own)
        assert dict(strategy) == own
        with pytest.raises(StrategyError, match="lacks 6 of player 0's 6 infosets"):
            strategy_from_dict(KUHN, 0, own)
        with pytest.raises(StrategyError, match="'P2:'"):
            strategy_from_dict(KUHN, 1, own | {"P2:": {"bet": 1.0}})


class TestRefusals:
    def test_a_missing_infoset_is_named(self) -> None:
        plain = uniform_kuhn()
        del plain["P1:Q:b"]
        with pytest.raises(StrategyError, match="lacks 1 of player 1's 6 infosets, first 'P1:Q:b'"):
            profile_from_dict(KUHN, plain)

    def test_an_unknown_infoset_is_named(self) -> None:
        with pytest.raises(StrategyError, match="infoset 'P0:A:', which the game does not have"):
            profile_from_dict(KUHN, uniform_kuhn() | {"P0:A:": {"bet": 1.0}})

    @pytest.mark.parametrize(
        ("actions", "said"),
        [
            ({"check": 0.5, "raise": 0.5}, "'P0:J:' has no action 'raise'; its actions are check"),
            ({"check": 0.5, "bet": 0.4}, "of infoset 'P0:J:' sum to 0.9; they must sum to 1"),
            ({"check": 0.5, "bet": 0.50002}, "'P0:J:' sum to 1.00002"),
            ({}, "'P0:J:' sum to 0"),
            ({"check": 1.5, "bet": -0.5}, "'P0:J:': the probability of 'check' is 1.5"),
            ({"check": -0.5, "bet": 1.0}, "the probability of 'check' is -0.5"),
            ({"check": math.nan, "bet": 1.0}, "the probability of 'check' is nan"),
            ({"check": math.inf, "bet": 1.0}, "the probability of 'check' is inf"),
            ({"check": True, "bet": 0.0}, "the probability of 'check' is True"),
            ({"check": "1", "bet": 0.0}, "the probability of 'check' is '1'"),
            ({"check": None, "bet": 1.0}, "the probability of 'check' is None"),
            ([0.5, 0.5], "'P0:J:': expected {action: probability}"),
            (1.0, "'P0:J:': expected {action: probability}, got 1.0"),
            (None, "'P0:J:': expected {action: probability}, got None"),
        ],
    )
    def test_what_is_wrong_at_an_infoset_is_named(self, actions: Any, said: str) -> None:
        with pytest.raises(StrategyError) as caught:
            profile_from_dict(KUHN, uniform_kuhn() | {"P0:J:": actions})
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_arrays_of_another_game_are_refused(self) -> None:
        with pytest.raises(StrategyError, match=r"must be float64 of shape \(13,\)"):
            profile_from_arrays(KUHN, (np.ones(13), np.ones(12)))


def test_thirds_written_with_six_digits_are_accepted() -> None:
    plain = uniform_profile(KUHN).to_dict()
    plain["P0:J:"] = {"check": 0.333333, "bet": 0.666666}
    assert profile_from_dict(KUHN, plain)["P0:J:"]["check"] == pytest.approx(1 / 3, abs=1e-6)
