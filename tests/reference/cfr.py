"""Counterfactual regret minimization by plain recursion over histories, in every variant.

Iteration t = 1, 2, … For every infoset of the player who learns, x_t is the strategy in
force, and the counterfactual regret of action a is the sum over the histories of the infoset

    r_t(a) = chance reach × opponent reach × (value of playing a − value of playing x_t).

The variants differ in how r_t enters the regrets R, how R makes the next strategy, and
with what weight x_t (times own reach) enters the average:

    cfr      R += r                                        both learn at once     weight 1
    cfr+     R = max(R + r, 0)                             one after the other    t² or t
    dcfr     R = R · d(α where R > 0, else β) + r          one after the other    t^γ
    linear   dcfr with α = β = γ = 1
    dcfr+    R = max(R · d(α) + r, 0)                      one after the other    t^γ, t > defer
    pcfr+    R = max(R + r, 0), strategy from R + r        one after the other    t² or t
    sapcfr+  R = max(R + r, 0), strategy from R + r/3      one after the other    t⁴
    pdcfr+   R = max(R · d(α) + r, 0),                     one after the other    t^γ
             strategy from R · d'(α) + r
    apcfr+   pcfr+, apdcfr+ pdcfr+, with r / (1 + min(√(E/C), 5)) in place of r, where E sums
             |r_s − r_{s−1}|² and C sums |R_s − R_{s−1}|² over s ≤ t and the infoset's actions
    hs-dcfr  dcfr with α = 1 + 3u, β = −1 − 2u and γ = 30 − 5u
    hs-pcfr+ pcfr+ whose average has γ = 30 − 5u, not a power of t

with d(e) = (t−1)^e / ((t−1)^e + 1), d'(e) the same for t + 1, and u = t/horizon, at most 1. A sum
with exponent γ is multiplied by ((t−1)/t)^γ before x_t is added. "One after the other": player 0
learns, then player 1 against player 0's new strategy, then player 2 if there is one; together they
are one iteration.

Zinkevich et al. 2007 (cfr); Tammelin 2014 (cfr+; its average has weight t, t² is common
practice); Brown and Sandholm 2019 (linear, dcfr); Xu et al. 2022 and 2024 (dcfr+);
Farina, Kroer and Sandholm 2021 (pcfr+, with the last regret as the prediction); Meng et al.
2026 (sapcfr+); Xu et al. 2024 (pdcfr+); Zhang, McAleer and Sandholm 2026 (hs-dcfr, hs-pcfr+).
"""

import math

from untilt.game.protocol import Game

from .histories import Chance, End, History, decisions, write_out

PerAction = dict[str, dict[str, float]]
"""Label of an infoset → name of an action → number."""

OPTIONS: dict[str, dict[str, float | str]] = {
    "cfr": {"alternating": False},
    "cfr+": {"alternating": True, "average": "quadratic"},
    "dcfr": {"alternating": True, "alpha": 1.5, "beta": 0.0, "gamma": 2.0},
    "linear": {"alternating": True, "alpha": 1.0, "beta": 1.0, "gamma": 1.0},
    "dcfr+": {"alternating": True, "alpha": 1.5, "gamma": 1.0, "defer": 0},
    "pcfr+": {"alternating": True, "average": "quadratic", "prediction": 1.0},
    "sapcfr+": {"alternating": True, "average": "quartic", "prediction": 1 / 3},
    "pdcfr+": {"alternating": True, "alpha": 2.3, "gamma": 5.0, "prediction": 1.0},
    "apcfr+": {"alternating": True, "average": "quadratic", "prediction": 1.0},
    "apdcfr+": {"alternating": True, "alpha": 2.3, "gamma": 5.0, "prediction": 1.0},
    "hs-dcfr": {"alternating": True, "alpha": 1.0, "beta": -1.0, "gamma": 30.0, "horizon": 1000},
    "hs-pcfr+": {"alternating": True, "gamma": 30.0, "prediction": 1.0, "horizon": 1000},
}
"""The variants, the options of each and their defaults.

`alternating`: whether the players learn one after the other; `average`: "linear", "quadratic"
or "quartic"; `prediction`: how much of r the strategy expects to come again.
"""


class ReferenceCfr:
    """A run of one variant: `iterate` as often as you like, then ask for `average()`.

    `regrets` holds R and `current` the strategy for the next iteration. `strategy_sum` is
    the unnormalised average: the sum over the iterations so far of w · own reach · x, with
    w as in the module's table (the discounted variants divide all weights by t^γ).
    """

    def __init__(self, game: Game, variant: str, **options: float | str) -> None:
        if variant not in OPTIONS:
            raise ValueError(f"unknown variant {variant!r}; known are {', '.join(OPTIONS)}")
        unknown = set(options) - set(OPTIONS[variant])
        if unknown:
            raise ValueError(f"{variant} has no option {', '.join(sorted(unknown))}")
        self.variant = variant
        self.options: dict[str, float | str] = {**OPTIONS[variant], **options}
        self.iteration = 0
        self._last: dict[tuple[str, str], float] = {}
        self._changes: dict[str, tuple[float, float]] = {}
        """Sums of squares of how much the instantaneous and the accumulated regrets changed."""
        self._root = write_out(game)
        self._players = range(getattr(game, "num_players", 2))
        self._player_of_label: dict[str, int] = {}
        self.regrets: PerAction = {}
        self.current: PerAction = {}
        self.strategy_sum: PerAction = {}
        for decision in decisions(self._root):
            self._player_of_label[decision.label] = decision.player
            self.regrets[decision.label] = dict.fromkeys(decision.children, 0.0)
            self.strategy_sum[decision.label] = dict.fromkeys(decision.children, 0.0)
            self.current[decision.label] = _proportional(self.regrets[decision.label])

    def iterate(self) -> None:
        """Play and learn once for all players."""
        self.iteration += 1
        if self.options["alternating"]:
            for player in self._players:
                instant, own_reach = self._observe(player)
                self._learn(player, instant, own_reach)
        else:
            observed = [self._observe(player) for player in self._players]
            for player in self._players:
                self._learn(player, *observed[player])

    def average(self) -> PerAction:
        """Return the average strategy of all players, uniform where a player never came."""
        return {label: _proportional(sums) for label, sums in self.strategy_sum.items()}

    def _observe(self, player: int) -> tuple[PerAction, dict[str, float]]:
        """Return the regrets of this iteration and the own reach of `player`'s infosets."""
        instant: PerAction = {}
        own_reach: dict[str, float] = {}

        def value(history: History, own: float, others: float) -> float:
            """Return the value of `history` for `player`, recording what passes by."""
            if isinstance(history, End):
                return history.payoffs[player]
            if isinstance(history, Chance):
                return sum(
                    probability * value(child, own, others * probability)
                    for probability, child in history.outcomes
                )
            strategy = self.current[history.label]
            if history.player != player:
                return sum(
                    strategy[action] * value(child, own, others * strategy[action])
                    for action, child in history.children.items()
                )
            values = {
                action: value(child, own * strategy[action], others)
                for action, child in history.children.items()
            }
            expected = sum(strategy[action] * values[action] for action in values)
            regret = instant.setdefault(history.label, dict.fromkeys(values, 0.0))
            for action, gained in values.items():
                regret[action] += others * (gained - expected)
            # With perfect recall all histories of an infoset have the same own reach.
            own_reach[history.label] = own
            return expected

        value(self._root, 1.0, 1.0)
        return instant, own_reach

    def _learn(self, player: int, instant: PerAction, own_reach: dict[str, float]) -> None:
        for label, owner in self._player_of_label.items():
            if owner != player:
                continue
            for action in self.regrets[label]:
                contribution = own_reach[label] * self.current[label][action]
                self._accumulate(label, action, contribution)
                before = self.regrets[label][action]
                regret = self._updated_regret(before, instant[label][action])
                last = self._last.get((label, action), 0.0)
                errors, moves = self._changes.get(label, (0.0, 0.0))
                errors += (instant[label][action] - last) ** 2
                self._changes[label] = errors, moves + (regret - before) ** 2
                self._last[label, action] = instant[label][action]
                self.regrets[label][action] = regret
            basis = self.regrets[label]
            if "prediction" in self.options:
                share = self._number("prediction")
                if self.variant in ("apcfr+", "apdcfr+"):
                    errors, moves = self._changes[label]
                    share /= 1.0 + min(math.sqrt(errors / moves) if moves else 5.0, 5.0)
                if self.variant in ("pdcfr+", "apdcfr+"):
                    next_t = self.iteration + 1
                    kept = (next_t - 1) ** self._number("alpha")
                    basis = {action: basis[action] * kept / (kept + 1) for action in basis}
                basis = {action: basis[action] + share * instant[label][action] for action in basis}
            self.current[label] = _proportional(basis)

    def _updated_regret(self, regret: float, instant: float) -> float:
        match self.variant:
            case "cfr":
                return regret + instant
            case "cfr+" | "pcfr+" | "sapcfr+" | "apcfr+" | "hs-pcfr+":
                return max(regret + instant, 0.0)
            case "dcfr" | "linear":
                exponent = self._number("alpha") if regret > 0.0 else self._number("beta")
                return regret * self._discount(exponent) + instant
            case "hs-dcfr":
                moved = self._moved("alpha", 3.0) if regret > 0.0 else self._moved("beta", -2.0)
                return regret * self._discount(moved) + instant
            case "dcfr+" | "pdcfr+" | "apdcfr+":
                return max(regret * self._discount(self._number("alpha")) + instant, 0.0)
        raise AssertionError(self.variant)

    def _accumulate(self, label: str, action: str, contribution: float) -> None:
        t = self.iteration
        total = self.strategy_sum[label][action]
        if "gamma" in self.options:
            gamma = self._moved("gamma", -5.0) if "horizon" in self.options else None
            total *= ((t - 1) / t) ** (self._number("gamma") if gamma is None else gamma)
            if "defer" not in self.options or t > self._number("defer"):
                total += contribution
        elif "average" in self.options:
            power = {"linear": 1, "quadratic": 2, "quartic": 4}[str(self.options["average"])]
            total += t**power * contribution
        else:
            total += contribution
        self.strategy_sum[label][action] = total

    def _discount(self, exponent: float) -> float:
        if self.iteration == 1:
            return 0.0  # there is nothing yet to discount
        # (t−1)^e / ((t−1)^e + 1), divided through so that e may be infinite.
        return 1.0 / (1.0 + math.pow(self.iteration - 1, -exponent))

    def _moved(self, option: str, by: float) -> float:
        """Return an exponent that moves `by` this much until the horizon."""
        done = min(self.iteration / self._number("horizon"), 1.0)
        return self._number(option) + by * done

    def _number(self, option: str) -> float:
        return float(self.options[option])


def _proportional(weights: dict[str, float]) -> dict[str, float]:
    """Return probabilities proportional to the positive weights, uniform if there are none."""
    positive = {action: max(weight, 0.0) for action, weight in weights.items()}
    total = sum(positive.values())
    if total > 0.0:
        return {action: weight / total for action, weight in positive.items()}
    return dict.fromkeys(weights, 1.0 / len(weights))
