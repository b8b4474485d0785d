"""Best responses and exploitability, exact and never clairvoyant.

A best response chooses once per infoset: one operator sweep gives the value of each of the
player's sequences against the plans of the others, and a leaf-to-root maximum does the rest.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.display import html_table, short_number
from untilt.errors import InvalidOption
from untilt.game.sequence.plan_form import PlanForm, Treeplex
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.game.sequence.sweeps import apply_payoff, sweep_maximum
from untilt.game.strategy.strategy import Profile, Strategy, verify_player, verify_profile
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import allocates, called, kernel


@dataclass(frozen=True)
class Evaluation:
    """Values and exploitability of a profile, in chips."""

    values: tuple[float, ...]
    """Expected payoff of each player."""
    gains: tuple[float, ...]
    """The gain of each player by a best response to the strategies of the others."""

    @property
    def value(self) -> float:
        """Player 0's expected payoff."""
        return self.values[0]

    @property
    def nash_conv(self) -> float:
        """The sum of all players' gains; 0 exactly at an equilibrium."""
        return sum(self.gains[1:], self.gains[0])

    @property
    def exploitability(self) -> float:
        """Mean gain per player: with two, half of `nash_conv`."""
        return self.nash_conv / len(self.gains)

    def to_json(self) -> dict[str, Any]:
        """Return values and gains as plain data."""
        return {
            "value": self.value,
            "values": list(self.values),
            "exploitability": self.exploitability,
            "nash_conv": self.nash_conv,
            "gains": list(self.gains),
        }

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows = [
            ["value", *(short_number(value, 9) for value in self.values)],
            ["gain of a best response", *(short_number(gain) for gain in self.gains)],
        ]
        note = f"exploitability {short_number(self.exploitability)}"
        players = (f"player {player}" for player in range(len(self.values)))
        return html_table("Evaluation", rows, header=("chips", *players), note=note)


def evaluate(form: PlanForm, profile: Profile) -> Evaluation:
    """Return values and best-response gains of `profile`; the game may be general-sum."""
    return evaluate_plans(form, plans_of(form, profile))


def evaluate_plans(form: PlanForm, plans: tuple[Floats, ...]) -> Evaluation:
    """Return values and best-response gains of realization plans, float64[sequences] each."""
    verify_form(form).verify_rows(plans)
    if isinstance(form, SequenceForm):
        value_0, value_1, best_0, best_1 = measure(form.sides, plans[0], plans[1])
        values, bests = (value_0, value_1), (best_0, best_1)
    else:
        measured = [
            measure_plan(side, plans[player], form.end_values(player, plans))
            for player, side in enumerate(form.sides)
        ]
        values, bests = zip(*measured, strict=True)
    # A gain is never negative; rounding may make it −1e-17.
    gains = tuple(max(best - value, 0.0) for best, value in zip(bests, values, strict=True))
    return Evaluation(values=values, gains=gains)


def plans_of(form: PlanForm, profile: Profile) -> tuple[Floats, ...]:
    """Return all players' realization plans: their own reach of every sequence.

    Raises StrategyError if `profile` is for another game.
    """
    return form.plans(verify_profile(verify_form(form).infosets, profile).behaviours)


def verify_form(form: object) -> PlanForm:
    """Return `form`, or raise InvalidOption if it has no plans."""
    if not isinstance(form, PlanForm):
        raise InvalidOption(
            f"expected a sequence form, got {type(form).__name__!r}; a compiled game gives it by "
            "exact_form()"
        )
    return form


def best_response(form: PlanForm, profile: Profile, player: int) -> tuple[Strategy, float]:
    """Return `player`'s pure best response to the strategies of the others, and its value.

    Among equally good actions it takes the first, even at infosets that cannot be reached.
    """
    plans = plans_of(form, profile)
    player = verify_player(player, form.num_players)
    side = form.sides[player]
    values = form.end_values(player, plans)
    best = np.empty(side.num_infosets, dtype=np.uint32)
    sweep_maximum(side, values, best)
    behaviour = np.zeros(side.num_sequences)
    behaviour[0] = 1.0
    behaviour[best] = 1.0
    return Strategy(form.infosets[player], behaviour), float(values[0])


@kernel
def measure(
    sides: tuple[Side, Side], plan_0: Floats, plan_1: Floats
) -> tuple[float, float, float, float]:
    """Return both expected values, then both best-response values, of two plans."""
    value_0, best_0 = _measure_side(sides[0], plan_0, plan_1)
    value_1, best_1 = _measure_side(sides[1], plan_1, plan_0)
    return value_0, value_1, best_0, best_1


@called
@allocates
def _measure_side(side: Side, plan: Floats, opponent_plan: Floats) -> tuple[float, float]:
    values = np.empty(len(plan))
    apply_payoff(side, side.payoff, opponent_plan, values)
    return measure_plan(side, plan, values)


@kernel
@allocates
def measure_plan(side: Treeplex, plan: Floats, values: Floats) -> tuple[float, float]:
    """Return the expected value of a plan and that of a best response.

    `values` are those of the ends after each sequence; they are overwritten.
    """
    expected = 0.0
    for sequence in range(len(plan)):
        expected += plan[sequence] * values[sequence]
    best = np.empty(len(side.parent_sequence), np.uint32)
    sweep_maximum(side, values, best)
    return expected, values[0]
