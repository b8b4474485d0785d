"""Values, reaches and best responses against slow recursion and known numbers."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.trees import (
    AGAINST_NATURE,
    FORCED,
    GENERAL_SUM,
    NATURE_AGAINST,
    End,
    TreeGame,
    choice,
    nature,
    random_trees,
)
from tests.reference import values as reference

from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import best_response, evaluate
from untilt.evaluation.comparison import distance, head_to_head
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import (
    Profile,
    profile_from_dict,
    random_profile,
    uniform_profile,
)
from untilt.games import kuhn, leduc, leduc_276, resolve

LIARS_DICE = resolve(
    f"{Path(__file__).parents[2] / 'examples' / 'liars_dice.py'}:game", {"sides": 3}
).game

GAMES: dict[str, Game] = {
    "kuhn": kuhn(),
    "leduc": leduc(),
    "general sum": GENERAL_SUM,
    "forced moves": FORCED,
    "liar's dice": LIARS_DICE,
    "against nature": AGAINST_NATURE,
    "nature against": NATURE_AGAINST,
}
COMPILED = {name: compile(game) for name, game in GAMES.items()}
SEEDS = st.integers(0, 2**32 - 1)


def close(expected: float | list[float]) -> object:
    return pytest.approx(expected, abs=1e-12, rel=0)


def sparse_profile(game: CompiledGame, seed: int) -> Profile:
    """Return a random profile in which a third of the actions are never played."""
    rng = np.random.default_rng(seed)
    plain = random_profile(game, rng).to_dict()
    for actions in plain.values():
        for name in list(actions)[1:]:
            if rng.random() < 0.33:
                actions[name] = 0.0
        total = sum(actions.values())
        for name in actions:
            actions[name] /= total
    return profile_from_dict(game, plain)


def written_out(game: Game, profile: Profile) -> dict[str, dict[str, float]]:
    """Return `profile` with something at infosets that chance never leads to."""
    return reference.uniform_profile(game) | profile.to_dict()


def check_against_reference(game: Game, compiled: CompiledGame, profile: Profile) -> None:
    form = compiled.exact_form()
    plain = written_out(game, profile)
    found = evaluate(form, profile)
    for player in (0, 1):
        expected = reference.expected_value(game, plain, player)
        best = reference.best_response_value(game, plain, player)
        assert found.values[player] == close(expected)
        assert found.gains[player] == close(best - expected)
        strategy, value = best_response(form, profile, player)
        assert value == close(best)
        check_action_values(game, compiled, profile, player)
        # The strategy attains the value that it claims.
        answered = plain | dict(strategy)
        assert reference.expected_value(game, answered, player) == close(best)
        assert all(set(actions.values()) <= {0.0, 1.0} for actions in strategy.values())


def check_action_values(game: Game, compiled: CompiledGame, profile: Profile, player: int) -> None:
    found = action_values(compiled.exact_form(), profile, player)
    plain = written_out(game, profile)
    counterfactual = reference.counterfactual_values(game, plain, player)
    conditional = reference.conditional_values(game, plain, player)
    reach = reference.infoset_reach(game, plain, player)
    table = compiled.infosets[player]
    assert set(table.labels) <= set(counterfactual)
    left_out = set(counterfactual) - set(table.labels) - set(compiled.forced)
    assert all(reach[label].others == 0.0 for label in left_out)
    for index, label in enumerate(table.labels):
        block = table.block(index)
        assert found.own_reach[index] == close(reach[label].own)
        assert found.opponent_reach[index] == close(reach[label].others)
        assert found.counterfactual[block].tolist() == close(list(counterfactual[label].values()))
        if label in conditional:
            # Divided by the reach, so is the error.
            tolerance = 1e-12 * max(1.0, 1.0 / reach[label].others)
            assert found.conditional[block].tolist() == pytest.approx(
                list(conditional[label].values()), abs=tolerance, rel=0
            )
        else:
            assert np.isnan(found.conditional[block]).all()
    assert found.counterfactual[0] == close(reference.expected_value(game, plain, player))
    assert found.conditional[0] == found.counterfactual[0]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_all_measures_are_those_of_the_slow_recursion(name: str, seed: int) -> None:
    game, compiled = GAMES[name], COMPILED[name]
    check_against_reference(game, compiled, random_profile(compiled, np.random.default_rng(seed)))
    check_against_reference(game, compiled, sparse_profile(compiled, seed))


@given(game=random_trees(is_zero_sum=False), seed=SEEDS)
@settings(deadline=None, max_examples=60)
def test_so_they_are_on_random_games(game: TreeGame, seed: int) -> None:
    compiled = compile(game)
    check_against_reference(game, compiled, random_profile(compiled, np.random.default_rng(seed)))
    check_against_reference(game, compiled, sparse_profile(compiled, seed))


@given(seed=SEEDS)
@settings(deadline=None, max_examples=20)
def test_a_best_response_in_kuhn_is_the_best_of_all_pure_strategies(seed: int) -> None:
    profile = sparse_profile(COMPILED["kuhn"], seed)
    for player in (0, 1):
        best = reference.best_response_value_by_enumeration(kuhn(), profile.to_dict(), player)
        assert best_response(COMPILED["kuhn"].exact_form(), profile, player)[1] == close(best)


@pytest.mark.parametrize("name", GAMES)
@given(seed=SEEDS)
@settings(deadline=None, max_examples=25)
def test_no_strategy_does_better_than_a_best_response(name: str, seed: int) -> None:
    compiled = COMPILED[name]
    form = compiled.exact_form()
    rng = np.random.default_rng(seed)
    profile, tried = random_profile(compiled, rng), random_profile(compiled, rng)
    for player in (0, 1):
        pair = [tried.strategies[0], profile.strategies[1]]
        if player == 1:
            pair = [profile.strategies[0], tried.strategies[1]]
        gained = evaluate(form, Profile((pair[0], pair[1]))).values[player]
        assert best_response(form, profile, player)[1] >= gained - 1e-12
    found = evaluate(form, profile)
    assert found.nash_conv == found.gains[0] + found.gains[1]
    assert found.exploitability == found.nash_conv / 2
    assert found.value == found.values[0]


class TestKnownNumbers:
    def test_uniform_kuhn_has_nash_conv_eleven_twelfths(self) -> None:
        compiled = COMPILED["kuhn"]
        found = evaluate(compiled.exact_form(), uniform_profile(compiled))
        assert found.nash_conv == pytest.approx(11 / 12, abs=1e-15, rel=0)
        assert found.value == pytest.approx(1 / 8, abs=1e-15, rel=0)

    def test_uniform_leduc_has_the_nash_conv_that_openspiel_states(self) -> None:
        # 4.7472… and not the 4.7 of older papers: open_spiel's exploitability_test.py.
        compiled = COMPILED["leduc"]
        found = evaluate(compiled.exact_form(), uniform_profile(compiled))
        assert found.nash_conv == pytest.approx(float(Fraction(1709, 360)), abs=1e-13, rel=0)
        assert f"{found.nash_conv:.9f}" == "4.747222222"

    def test_suits_do_not_change_what_uniform_play_is_worth(self) -> None:
        distinguished = compile(leduc(suits="distinguished"))
        found = evaluate(distinguished.exact_form(), uniform_profile(distinguished))
        assert found.nash_conv == pytest.approx(float(Fraction(1709, 360)), abs=1e-13, rel=0)

    @given(alpha=st.floats(0.0, 1 / 3))
    @settings(deadline=None)
    def test_kuhns_family_of_equilibria_cannot_be_exploited(self, alpha: float) -> None:
        found = evaluate(COMPILED["kuhn"].exact_form(), kuhn_equilibrium(alpha))
        assert found.exploitability <= 1e-15
        assert found.value == pytest.approx(-1 / 18, abs=1e-15, rel=0)

    def test_leaving_the_family_can_be_exploited(self) -> None:
        form = COMPILED["kuhn"].exact_form()
        assert evaluate(form, kuhn_equilibrium(0.2, queen_calls=0.6)).exploitability > 0.005
        assert evaluate(form, kuhn_equilibrium(0.2, jack_bluffs=0.4)).exploitability > 0.005

    def test_a_best_response_to_a_calling_station_bets_the_king_only(self) -> None:
        # Against one who always calls and never bets, J and Q gain nothing by betting.
        plain = {
            label: {name: float(name in ("call", "check")) for name in actions}
            for label, actions in uniform_profile(COMPILED["kuhn"]).items()
        }
        station = profile_from_dict(COMPILED["kuhn"], plain)
        strategy, value = best_response(COMPILED["kuhn"].exact_form(), station, 0)
        assert strategy["P0:K:"]["bet"] == 1.0
        assert strategy["P0:J:"]["bet"] == 0.0
        # King ±: she wins 2 with it, J loses 1, Q is even whether she bets or not.
        assert value == pytest.approx((2 - 1 + 0) / 3, abs=1e-15, rel=0)


def kuhn_equilibrium(
    alpha: float, *, queen_calls: float | None = None, jack_bluffs: float = 1 / 3
) -> Profile:
    """Return the equilibrium of Kuhn 1950 in which player 0 opens the jack with `alpha`."""
    bold = {
        "P0:J:": alpha,
        "P0:Q:": 0.0,
        "P0:K:": 3 * alpha,
        "P0:J:cb": 0.0,
        "P0:Q:cb": alpha + 1 / 3 if queen_calls is None else queen_calls,
        "P0:K:cb": 1.0,
        "P1:J:c": jack_bluffs,
        "P1:Q:c": 0.0,
        "P1:K:c": 1.0,
        "P1:J:b": 0.0,
        "P1:Q:b": 1 / 3,
        "P1:K:b": 1.0,
    }
    plain = {}
    for label, share in bold.items():
        names = ("fold", "call") if label.endswith("b") else ("check", "bet")
        plain[label] = dict(zip(names, (1.0 - min(share, 1.0), min(share, 1.0)), strict=True))
    return profile_from_dict(COMPILED["kuhn"], plain)


class TestNotClairvoyant:
    def test_who_cannot_see_the_coin_does_not_win_by_guessing(self) -> None:
        def guess(payoff_heads: float) -> object:
            return choice(0, "P0:blind", heads=End(payoff_heads), tails=End(-payoff_heads))

        game = compile(
            TreeGame(nature(heads=(0.5, guess(1.0)), tails=(0.5, guess(-1.0))))  # type: ignore[arg-type]
        )
        assert best_response(game.exact_form(), uniform_profile(game), 0)[1] == 0.0

    def test_a_best_response_in_kuhn_does_not_know_the_other_card(self) -> None:
        profile = kuhn_equilibrium(0.2)
        clairvoyant = 0.0
        for mine in "JQK":
            for other in set("JQK") - {mine}:
                position = kuhn().apply(mine).apply(other)
                clairvoyant += best_if_all_is_seen(position, profile) / 6
        value = best_response(COMPILED["kuhn"].exact_form(), profile, 0)[1]
        assert value == pytest.approx(-1 / 18, abs=1e-15, rel=0)
        assert clairvoyant > 0.1


def best_if_all_is_seen(position: Game, profile: Profile) -> float:
    """Return what player 0 gains who sees both cards, against player 1's part of `profile`."""
    if position.terminal:
        return position.payoff(0)
    infoset = position.infoset(position.active)
    after = {str(a): best_if_all_is_seen(position.apply(a), profile) for a in infoset.actions()}
    if position.active == 0:
        return max(after.values())
    return sum(profile[str(infoset)][name] * value for name, value in after.items())


class TestOnePlayerAgainstNature:
    def test_the_one_who_decides_gains_and_the_other_cannot(self) -> None:
        compiled = COMPILED["against nature"]
        found = evaluate(compiled.exact_form(), uniform_profile(compiled))
        assert found.values == (0.6 * 2.0 + 0.4 * 0.5, -(0.6 * 2.0 + 0.4 * 0.5))
        assert found.gains[0] == pytest.approx(2.6 - 1.4, abs=1e-15, rel=0)
        assert found.gains[1] == 0.0
        strategy, value = best_response(compiled.exact_form(), uniform_profile(compiled), 1)
        assert dict(strategy) == {}
        assert value == -1.4

    def test_it_does_not_matter_which_seat_is_empty(self) -> None:
        compiled = COMPILED["nature against"]
        strategy, value = best_response(compiled.exact_form(), uniform_profile(compiled), 1)
        assert value == pytest.approx(0.2, abs=1e-15, rel=0)
        assert strategy["P1:sun"] == {"out": 0.0, "home": 1.0}

    def test_comparisons_work(self) -> None:
        compiled = COMPILED["against nature"]
        form = compiled.exact_form()
        uniform = uniform_profile(compiled)
        other = random_profile(compiled, np.random.default_rng(1))
        assert head_to_head(form, uniform, other).as_player_1 == evaluate(form, other).values[1]
        assert distance(form, uniform, other).largest > 0.0


class TestHeadToHead:
    @pytest.mark.parametrize("name", ["kuhn", "leduc", "liar's dice", "against nature"])
    @given(seed=SEEDS)
    @settings(deadline=None, max_examples=20)
    def test_what_one_wins_in_a_zero_sum_game_the_other_loses(self, name: str, seed: int) -> None:
        compiled = COMPILED[name]
        form = compiled.exact_form()
        rng = np.random.default_rng(seed)
        first, second = random_profile(compiled, rng), random_profile(compiled, rng)
        mine, others = head_to_head(form, first, second), head_to_head(form, second, first)
        assert mine.as_player_0 == close(-others.as_player_1)
        assert mine.as_player_1 == close(-others.as_player_0)
        assert mine.mean == close(-others.mean)
        itself = head_to_head(form, first, first)
        assert itself.mean == close(0.0)
        assert itself.as_player_0 == evaluate(form, first).values[0]

    def test_in_a_general_sum_game_both_may_win(self) -> None:
        compiled = COMPILED["general sum"]
        form = compiled.exact_form()
        rng = np.random.default_rng(4)
        first, second = random_profile(compiled, rng), random_profile(compiled, rng)
        found = head_to_head(form, first, second)
        mixed = first.to_dict() | dict(second.strategies[1])
        assert found.as_player_0 == close(reference.expected_value(GENERAL_SUM, mixed, 0))
        mixed = second.to_dict() | dict(first.strategies[1])
        assert found.as_player_1 == close(reference.expected_value(GENERAL_SUM, mixed, 1))

    def test_nothing_beats_an_equilibrium_in_both_seats(self) -> None:
        form = COMPILED["kuhn"].exact_form()
        for seed in range(50):
            challenger = random_profile(COMPILED["kuhn"], np.random.default_rng(seed))
            assert head_to_head(form, challenger, kuhn_equilibrium(0.1)).mean <= 1e-15


class TestDistance:
    @pytest.mark.parametrize("name", ["kuhn", "leduc", "general sum", "against nature"])
    @given(seed=SEEDS)
    @settings(deadline=None, max_examples=20)
    def test_it_is_a_distance(self, name: str, seed: int) -> None:
        compiled = COMPILED[name]
        form = compiled.exact_form()
        rng = np.random.default_rng(seed)
        a, b, c = (random_profile(compiled, rng) for _ in range(3))
        found = distance(form, a, b)
        assert 0.0 < found.reach_weighted <= found.largest <= 1.0
        assert 0.0 < found.mean <= found.largest
        back = distance(form, b, a)
        assert (found.largest, found.mean, found.label) == (back.largest, back.mean, back.label)
        detour = (distance(form, a, c), distance(form, c, b))
        assert found.largest <= detour[0].largest + detour[1].largest + 1e-15
        assert found.mean <= detour[0].mean + detour[1].mean + 1e-15
        itself = distance(form, a, a)
        assert (itself.largest, itself.mean, itself.reach_weighted) == (0.0, 0.0, 0.0)

    def test_it_names_the_infoset_that_differs_most(self) -> None:
        compiled = COMPILED["kuhn"]
        uniform = uniform_profile(compiled)
        plain = uniform.to_dict()
        plain["P1:Q:b"] = {"fold": 1.0, "call": 0.0}
        plain["P0:J:"] = {"check": 0.4, "bet": 0.6}
        found = distance(compiled.exact_form(), uniform, profile_from_dict(compiled, plain))
        assert found.label == "P1:Q:b"
        assert found.largest == 0.5
        assert found.mean == pytest.approx(0.6 / 12, abs=1e-15, rel=0)
        # Reaches: 1/3 each of three first decisions and 1/6 of each of six second ones for
        # player 1, 1/12 of each of player 0's second: 1 + 1 + 1/4 in all.
        weighted = (0.1 / 3 + 0.5 / 6) / 2.25
        assert found.reach_weighted == pytest.approx(weighted, abs=1e-15, rel=0)

    def test_playing_the_opposite_everywhere_is_distance_one(self) -> None:
        compiled = COMPILED["kuhn"]
        profiles = [
            profile_from_dict(
                compiled,
                {
                    label: {name: float(index == chosen) for index, name in enumerate(actions)}
                    for label, actions in uniform_profile(compiled).items()
                },
            )
            for chosen in (0, 1)
        ]
        found = distance(compiled.exact_form(), *profiles)
        assert (found.largest, found.mean, found.reach_weighted) == (1.0, 1.0, 1.0)


def test_action_values_average_to_the_value_of_the_infoset_before() -> None:
    compiled = compile(leduc_276())
    form = compiled.exact_form()
    profile = random_profile(compiled, np.random.default_rng(8))
    for player in (0, 1):
        side = form.sides[player]
        found = action_values(form, profile, player)
        weighted = found.counterfactual * profile.behaviours[player]
        sums = np.add.reduceat(weighted, side.first_sequence[:-1])
        roots = side.parent_sequence == 0
        assert math.fsum(sums[roots]) == close(evaluate(form, profile).values[player])
