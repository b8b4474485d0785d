"""The twins against known values, against one another and against OpenSpiel.

How OpenSpiel 2.0.2 relates to our variants (seen by running and reading it):
- `pyspiel.CFRSolver` and its Python namesake update the players one after the other, hence
  are our `cfr` with `alternating=True`; our default, simultaneous updates as in the paper
  of 2007, is the Python `_CFRSolver(alternating_updates=False, …)`.
- `pyspiel.CFRPlusSolver` weights the average linearly: our `cfr+` with `average="linear"`.
- The Python `DCFRSolver` and `LCFRSolver` discount after iteration t with t, we before
  iteration t with t − 1. Strategies and averages are the same, the stored regrets differ by
  the last discount.
OpenSpiel has neither `dcfr+` nor `pcfr+`; these are checked by hand on a 2×2 game.
"""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from .cfr import OPTIONS, ReferenceCfr
from .games import Kuhn, Leduc, Matrix
from .histories import Chance, End, History, write_out
from .values import (
    best_response_value,
    best_response_value_by_enumeration,
    conditional_values,
    counterfactual_values,
    expected_value,
    infoset_reach,
    nash_conv,
    uniform_profile,
)

PerAction = dict[str, dict[str, float]]

PENNIES = Matrix(((2.0, -1.0), (-1.0, 1.0)))

NASH_CONV_ON_KUHN = {
    "cfr": 0.05,
    "cfr+": 0.003,
    "dcfr": 0.003,
    "linear": 0.003,
    "dcfr+": 0.001,
    "pcfr+": 0.00002,
    "sapcfr+": 1e-7,
    "pdcfr+": 1e-8,
    "apcfr+": 5e-6,
    "apdcfr+": 1e-9,
    "hs-dcfr": 0.01,
    "hs-pcfr+": 1e-12,
}
"""What each variant stays below after 200 iterations, one to three times what it reaches."""


def random_profile(game: Kuhn | Leduc, seed: int) -> PerAction:
    """A profile in which about every fifth action is never played."""
    rng = random.Random(seed)
    profile: PerAction = {}
    for label, strategy in uniform_profile(game).items():
        weights = {action: max(rng.random() - 0.2, 0.0) for action in strategy}
        weights[rng.choice(list(weights))] += 0.1
        total = sum(weights.values())
        profile[label] = {action: weight / total for action, weight in weights.items()}
    return profile


def kuhn_equilibrium(alpha: float) -> PerAction:
    """The family of Kuhn 1950: player 0 opens the jack with probability `alpha`."""
    bet_or_call = {
        "P0:J:": alpha,
        "P0:Q:": 0.0,
        "P0:K:": 3 * alpha,
        "P0:J:cb": 0.0,
        "P0:Q:cb": alpha + 1 / 3,
        "P0:K:cb": 1.0,
        "P1:J:c": 1 / 3,
        "P1:Q:c": 0.0,
        "P1:K:c": 1.0,
        "P1:J:b": 0.0,
        "P1:Q:b": 1 / 3,
        "P1:K:b": 1.0,
    }
    profile: PerAction = {}
    for label, probability in bet_or_call.items():
        passive, active = ("fold", "call") if label.endswith("b") else ("check", "bet")
        profile[label] = {passive: 1 - probability, active: probability}
    return profile


def ends(history: History) -> int:
    if isinstance(history, End):
        return 1
    if isinstance(history, Chance):
        return sum(ends(child) for _, child in history.outcomes)
    return sum(ends(child) for child in history.children.values())


def run(game: Kuhn | Leduc | Matrix, variant: str, iterations: int, **options: Any) -> ReferenceCfr:
    solver = ReferenceCfr(game, variant, **options)
    for _ in range(iterations):
        solver.iterate()
    return solver


def assert_same(found: PerAction, expected: PerAction, tolerance: float = 1e-12) -> None:
    assert set(found) == set(expected)
    for label, numbers in expected.items():
        assert found[label] == pytest.approx(numbers, abs=tolerance, rel=0), label


class TestRules:
    @pytest.mark.parametrize(
        ("game", "infosets", "variables"),
        [
            (Kuhn(), 12, 24),
            (Leduc(), 288, 672),
            (Leduc(suits=("s", "h")), 936, 2184),
            (Leduc(bets=3), 528, 1320),
        ],
        ids=["kuhn", "leduc", "distinguished", "three-bets"],
    )
    def test_the_games_have_the_published_sizes(
        self, game: Kuhn | Leduc, infosets: int, variables: int
    ) -> None:
        profile = uniform_profile(game)
        assert len(profile) == infosets
        assert sum(len(strategy) for strategy in profile.values()) == variables

    def test_kuhn_has_thirty_terminals(self) -> None:
        assert ends(write_out(Kuhn())) == 30

    def test_labels_read_as_documented(self) -> None:
        assert {"P0:J:", "P1:Q:b", "P0:K:cb"} <= set(uniform_profile(Kuhn()))
        leduc = uniform_profile(Leduc())
        assert {"P0:J::", "P1:Q::b", "P1:Q:K:cbc/c"} <= set(leduc)
        assert list(leduc["P0:J::"]) == ["check", "bet"]
        assert list(leduc["P1:Q::b"]) == ["fold", "call", "raise"]
        assert list(leduc["P0:J:K:cc/br"]) == ["fold", "call"]
        assert "P0:Js:Jh:cc/" in uniform_profile(Leduc(suits=("s", "h")))

    @pytest.mark.parametrize(
        ("cards", "line", "gain"),
        [
            ("JQK", "cc/cc", -1),
            ("JQJ", "cc/cc", 1),
            ("JKJ", "brc/brc", 13),
            ("KKJ", "brc/brc", 0),
            ("KJQ", "brf", -3),
            ("KJQ", "cbf", -1),
            ("KJQ", "bf", 1),
            ("KJQ", "bc/cbf", -3),
            ("QJK", "bc/cbrc", 11),
        ],
    )
    def test_leduc_pays_what_was_put_in(self, cards: str, line: str, gain: float) -> None:
        end = Leduc(private=(cards[0], cards[1]), board=cards[2] if "/" in line else "", line=line)
        assert end.terminal
        assert (end.payoff(0), end.payoff(1)) == (gain, -gain)


class TestValues:
    def test_uniform_kuhn_has_nash_conv_eleven_twelfths(self) -> None:
        assert nash_conv(Kuhn(), uniform_profile(Kuhn())) == pytest.approx(11 / 12, abs=1e-12)

    @pytest.mark.parametrize("suits", [("", ""), ("s", "h")], ids=["merged", "distinguished"])
    def test_uniform_leduc_has_nash_conv_of_4_747222(self, suits: tuple[str, str]) -> None:
        game = Leduc(suits=suits)
        profile = uniform_profile(game)
        assert nash_conv(game, profile) == pytest.approx(4.747222222222222, abs=1e-12)
        assert expected_value(game, profile, 0) == pytest.approx(-0.078125, abs=1e-12)

    @pytest.mark.parametrize("alpha", [0, 1 / 6, 1 / 3])
    def test_the_known_kuhn_equilibria_cannot_be_exploited(self, alpha: float) -> None:
        profile = kuhn_equilibrium(alpha)
        assert nash_conv(Kuhn(), profile) == pytest.approx(0, abs=1e-12)
        assert expected_value(Kuhn(), profile, 0) == pytest.approx(-1 / 18, abs=1e-12)

    @pytest.mark.parametrize("bluff", [0.2, 0.4])
    def test_bluffing_too_little_or_too_much_can_be_exploited(self, bluff: float) -> None:
        profile = kuhn_equilibrium(1 / 3) | {"P0:J:": {"check": 1 - bluff, "bet": bluff}}
        assert nash_conv(Kuhn(), profile) > 0.01

    @pytest.mark.parametrize("seed", range(20))
    @pytest.mark.parametrize("player", [0, 1])
    def test_no_pure_strategy_beats_the_best_response(self, seed: int, player: int) -> None:
        profile = random_profile(Kuhn(), seed)
        assert best_response_value(Kuhn(), profile, player) == pytest.approx(
            best_response_value_by_enumeration(Kuhn(), profile, player), abs=1e-14
        )

    def test_best_responses_of_a_game_with_common_interest(self) -> None:
        game = Matrix(((3.0, 0.0), (0.0, 2.0)), ((1.0, 0.0), (0.0, 4.0)))
        profile = uniform_profile(game)
        assert [best_response_value(game, profile, player) for player in (0, 1)] == [1.5, 2.0]
        assert nash_conv(game, profile) == pytest.approx(0.25 + 0.75)

    def test_action_values_of_uniform_kuhn(self) -> None:
        profile = uniform_profile(Kuhn())
        values = conditional_values(Kuhn(), profile, 1)
        assert values["P1:Q:b"] == pytest.approx({"fold": -1, "call": 0})
        assert values["P1:K:b"] == pytest.approx({"fold": -1, "call": 2})
        assert values["P1:K:c"] == pytest.approx({"check": 1, "bet": 1.5})
        reach = infoset_reach(Kuhn(), profile, 1)["P1:Q:b"]
        assert reach == pytest.approx((1, 1 / 6))
        totals = counterfactual_values(Kuhn(), profile, 1)
        assert totals["P1:Q:b"] == pytest.approx({"fold": -1 / 6, "call": 0})
        assert infoset_reach(Kuhn(), profile, 0)["P0:Q:cb"] == pytest.approx((0.5, 1 / 6))

    def test_an_unreached_infoset_has_no_conditional_value(self) -> None:
        profile = kuhn_equilibrium(0) | {
            f"P0:{card}:": {"check": 1.0, "bet": 0.0} for card in "JQK"
        }
        assert set(conditional_values(Kuhn(), profile, 1)) == {"P1:J:c", "P1:Q:c", "P1:K:c"}

    @pytest.mark.parametrize("player", [0, 1])
    def test_first_infosets_carry_the_whole_value(self, player: int) -> None:
        game = Leduc()
        profile = random_profile(game, 1)
        totals = counterfactual_values(game, profile, player)
        # Player 0's first line is empty, player 1's is one letter, c or b.
        first = [label for label in totals if len(label.split(":")[3]) == player]
        assert len(first) == 3 * (player + 1)
        whole = sum(
            probability * totals[label][action]
            for label in first
            for action, probability in profile[label].items()
        )
        assert whole == pytest.approx(expected_value(game, profile, player), abs=1e-12)


class TestCfr:
    def test_first_regrets_are_differences_of_counterfactual_values(self) -> None:
        game = Leduc()
        uniform = uniform_profile(game)
        regrets = run(game, "cfr", 1).regrets
        for player in (0, 1):
            for label, totals in counterfactual_values(game, uniform, player).items():
                mean = sum(totals.values()) / len(totals)
                expected = {action: total - mean for action, total in totals.items()}
                assert regrets[label] == pytest.approx(expected, abs=1e-12)

    def test_the_second_player_learns_against_the_new_first(self) -> None:
        # On PENNIES player 0 learns to play row 0; then column 1 is better by 3 than column 0.
        assert run(PENNIES, "cfr+", 1).regrets["P1::"] == pytest.approx({"0": 0, "1": 1.5})
        simultaneous = run(PENNIES, "cfr", 1)
        assert simultaneous.regrets["P1::"] == pytest.approx({"0": -0.25, "1": 0.25})

    @pytest.mark.parametrize(
        ("average", "share_of_the_first"), [("linear", 1 / 3), ("quadratic", 1 / 5)]
    )
    def test_cfr_plus_by_hand(self, average: str, share_of_the_first: float) -> None:
        solver = run(PENNIES, "cfr+", 2, average=average)
        assert solver.regrets["P0::"] == pytest.approx({"0": 0.25, "1": 2})
        half = share_of_the_first / 2
        assert solver.average()["P0::"] == pytest.approx({"0": 1 - half, "1": half})

    def test_discounted_cfr_by_hand(self) -> None:
        # Both signs of the stored regret are halved at t = 2, whatever the exponents.
        solver = run(PENNIES, "dcfr", 2)
        assert solver.regrets["P0::"] == pytest.approx({"0": 0.125, "1": 1.875})
        assert solver.average()["P0::"] == pytest.approx({"0": 0.9, "1": 0.1})
        positive, negative = 2**1.5 / (2**1.5 + 1), 1 / 2
        solver.regrets["P0::"] = {"0": 1.0, "1": -1.0}
        solver.current |= {"P0::": {"0": 1.0, "1": 0.0}, "P1::": {"0": 1.0, "1": 0.0}}
        solver.iterate()
        assert solver.regrets["P0::"] == pytest.approx({"0": positive, "1": -negative - 3})

    def test_discounted_cfr_plus_by_hand(self) -> None:
        solver = run(PENNIES, "dcfr+", 2)
        assert solver.regrets["P0::"] == pytest.approx({"0": 0.125, "1": 2})
        assert solver.regrets["P1::"] == pytest.approx({"0": 29 / 17, "1": 0.75})
        assert solver.average()["P0::"] == pytest.approx({"0": 5 / 6, "1": 1 / 6})
        deferred = run(PENNIES, "dcfr+", 2, defer=1)
        assert deferred.regrets == solver.regrets
        assert deferred.average()["P0::"] == pytest.approx({"0": 1, "1": 0})
        assert run(PENNIES, "dcfr+", 2, defer=2).average()["P0::"] == {"0": 0.5, "1": 0.5}

    def test_predictive_cfr_plus_by_hand(self) -> None:
        solver = run(PENNIES, "pcfr+", 2)
        assert solver.regrets["P0::"] == pytest.approx({"0": 0.25, "1": 2})
        assert solver.current["P0::"] == pytest.approx({"0": 1 / 17, "1": 16 / 17})
        assert solver.regrets["P1::"] == pytest.approx({"0": 29 / 17, "1": 1.5})
        second = 58 / 17 / (58 / 17 + 1.5)
        assert solver.current["P1::"] == pytest.approx({"0": second, "1": 1 - second})
        assert solver.average()["P0::"] == pytest.approx({"0": 0.9, "1": 0.1})

    def test_infinite_exponents_keep_or_forget_regrets(self) -> None:
        solver = run(PENNIES, "dcfr", 2, alpha=float("inf"), beta=float("-inf"))
        solver.regrets["P0::"] = {"0": 1.0, "1": -1.0}
        solver.current |= {"P0::": {"0": 1.0, "1": 0.0}, "P1::": {"0": 1.0, "1": 0.0}}
        solver.iterate()
        assert solver.regrets["P0::"] == {"0": 1.0, "1": -3.0}

    @pytest.mark.parametrize(("variant", "bound"), NASH_CONV_ON_KUHN.items())
    def test_every_variant_approaches_equilibrium_on_kuhn(self, variant: str, bound: float) -> None:
        profile = run(Kuhn(), variant, 200).average()
        assert nash_conv(Kuhn(), profile) < bound
        assert expected_value(Kuhn(), profile, 0) == pytest.approx(-1 / 18, abs=bound)

    def test_the_convergence_table_names_every_variant(self) -> None:
        assert set(NASH_CONV_ON_KUHN) == set(OPTIONS)

    @pytest.mark.parametrize(("bets", "value"), [(2, -0.0856064), (3, -0.077904)])
    def test_best_responses_bracket_the_published_value_of_leduc(
        self, bets: int, value: float
    ) -> None:
        game = Leduc(bets=bets)
        profile = run(game, "dcfr+", 100).average()
        lower = -best_response_value(game, profile, 1)
        upper = best_response_value(game, profile, 0)
        assert lower < value < upper
        assert upper - lower < 0.05

    def test_unknown_variants_and_options_are_refused(self) -> None:
        with pytest.raises(ValueError, match="unknown variant"):
            ReferenceCfr(Kuhn(), "cfr++")
        with pytest.raises(ValueError, match="no option gamma"):
            ReferenceCfr(Kuhn(), "cfr", gamma=2)


def kuhn_label(info_state: str) -> str:
    line = info_state[1:].replace("p", "c")
    return f"P{len(line) % 2}:{'JQK'[int(info_state[0])]}:{line}"


def leduc_label(info_state: str) -> str:
    fields = dict(re.findall(r"\[(\w+): ([^]]*)\]", info_state))
    streets = [
        fields[name].replace(" ", "").replace("1", "c").replace("2", "b", 1).replace("2", "r")
        for name in ("Round1", "Round2")
    ]
    line = "/".join(streets) if "Public" in fields else streets[0]
    public = "JQK"[int(fields["Public"])] if "Public" in fields else ""
    return f"P{fields['Player']}:{'JQK'[int(fields['Private'])]}:{public}:{line}"


def translated(policy: Any, game: Kuhn | Leduc) -> PerAction:
    """An OpenSpiel policy in our labels; the order of actions agrees."""
    label_of: Callable[[str], str] = kuhn_label if isinstance(game, Kuhn) else leduc_label
    rows = policy.policy_table() if hasattr(policy, "policy_table") else policy.to_dict()
    names = uniform_profile(game)
    return {
        label_of(info_state): dict(
            zip(
                names[label_of(info_state)],
                (probability for _, probability in sorted(row)),
                strict=True,
            )
        )
        for info_state, row in rows.items()
    }


GAMES = [
    pytest.param(Kuhn(), "kuhn_poker", (1, 2, 5, 10), id="kuhn"),
    pytest.param(Leduc(), "leduc_poker(suit_isomorphism=True)", (1, 2, 5), id="leduc"),
]


class TestOpenSpiel:
    @pytest.mark.parametrize(("game", "name", "moments"), GAMES)
    @pytest.mark.parametrize("solver_name", ["CFRSolver", "CFRPlusSolver"])
    def test_compiled_solvers_agree(
        self, game: Kuhn | Leduc, name: str, moments: tuple[int, ...], solver_name: str
    ) -> None:
        pyspiel = pytest.importorskip("pyspiel")
        theirs = getattr(pyspiel, solver_name)(pyspiel.load_game(name))
        if solver_name == "CFRSolver":
            ours = ReferenceCfr(game, "cfr", alternating=True)
        else:
            ours = ReferenceCfr(game, "cfr+", average="linear")
        for iteration in range(1, moments[-1] + 1):
            theirs.evaluate_and_update_policy()
            ours.iterate()
            if iteration in moments:
                assert_same(translated(theirs.tabular_average_policy(), game), ours.average())

    @pytest.mark.parametrize("variant", ["cfr", "dcfr", "linear"])
    def test_python_solvers_agree(self, variant: str) -> None:
        pyspiel = pytest.importorskip("pyspiel")
        cfr = pytest.importorskip("open_spiel.python.algorithms.cfr")
        discounted = pytest.importorskip("open_spiel.python.algorithms.discounted_cfr")
        spiel_game = pyspiel.load_game("kuhn_poker")
        theirs: Any
        if variant == "cfr":
            theirs = cfr._CFRSolver(
                spiel_game,
                alternating_updates=False,
                linear_averaging=False,
                regret_matching_plus=False,
            )
        else:
            name = {"dcfr": "DCFRSolver", "linear": "LCFRSolver"}[variant]
            theirs = getattr(discounted, name)(spiel_game)
        game = Kuhn()
        ours = ReferenceCfr(game, variant)
        for _ in range(10):
            theirs.evaluate_and_update_policy()
            ours.iterate()
            assert_same(translated(theirs.average_policy(), game), ours.average())
            assert_same(translated(theirs.current_policy(), game), ours.current)

    @pytest.mark.parametrize(("game", "name", "moments"), GAMES)
    @pytest.mark.parametrize("seed", range(3))
    def test_nash_conv_of_random_profiles_agrees(
        self, game: Kuhn | Leduc, name: str, moments: tuple[int, ...], seed: int
    ) -> None:
        pyspiel = pytest.importorskip("pyspiel")
        spiel_game = pyspiel.load_game(name)
        solver = pyspiel.CFRSolver(spiel_game)
        profile = random_profile(game, seed)
        label_of: Callable[[str], str] = kuhn_label if isinstance(game, Kuhn) else leduc_label
        rows = {
            info_state: list(
                zip(
                    sorted(action for action, _ in row),
                    profile[label_of(info_state)].values(),
                    strict=True,
                )
            )
            for info_state, row in solver.tabular_average_policy().policy_table().items()
        }
        theirs = pyspiel.nash_conv(spiel_game, pyspiel.TabularPolicy(rows))
        assert nash_conv(game, profile) == pytest.approx(theirs, abs=1e-12)
