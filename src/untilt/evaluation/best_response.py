"""Best responses and exploitability, exact and never clairvoyant.

A best response chooses once per infoset: one operator sweep gives the value of each of the
player's sequences against the opponent's plan, and a leaf-to-root maximum does the rest.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.display import html_table, short_number
from untilt.errors import InvalidOption
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.game.sequence.sweeps import apply_payoff, sweep_maximum
from untilt.game.strategy.strategy import Profile, Strategy, verify_player, verify_profile
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import allocates, called, kernel


@dataclass(frozen=True)
class Evaluation:
    """Values and exploitability of a profile, in chips."""

    values: tuple[float, float]
    """Expected payoff of each player."""
    gains: tuple[float, float]
    """The gain of each player by a best response to the other's strategy."""

    @property
    def value(self) -> float:
        """Player 0's expected payoff."""
        return self.values[0]

    @property
    def nash_conv(self) -> float:
        """The sum of both players' gains; 0 exactly at an equilibrium."""
        return self.gains[0] + self.gains[1]

    @property
    def exploitability(self) -> float:
        """Mean gain per player: half of `nash_conv`."""
        return self.nash_conv / 2.0

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
        return html_table("Evaluation", rows, header=("chips", "player 0", "player 1"), note=note)


def evaluate(form: SequenceForm, profile: Profile) -> Evaluation:
    """Return values and best-response gains of `profile`; the game may be general-sum."""
    return evaluate_plans(form, plans_of(form, profile))


def evaluate_plans(form: SequenceForm, plans: tuple[Floats, Floats]) -> Evaluation:
    """Return values and best-response gains of realization plans, float64[sequences] each."""
    verify_form(form).verify_rows(plans)
    value_0, value_1, best_0, best_1 = measure(form.sides, plans[0], plans[1])
    # A gain is never negative; rounding may make it −1e-17.
    gains = (max(best_0 - value_0, 0.0), max(best_1 - value_1, 0.0))
    return Evaluation(values=(value_0, value_1), gains=gains)


def plans_of(form: SequenceForm, profile: Profile) -> tuple[Floats, Floats]:
    """Return both players' realization plans: their own reach of every sequence.

    Raises StrategyError if `profile` is for another game.
    """
    return form.plans(verify_profile(verify_form(form).infosets, profile).behaviours)


def verify_form(form: object) -> SequenceForm:
    """Return `form`, or raise InvalidOption if it is not a sequence form."""
    if not isinstance(form, SequenceForm):
        raise InvalidOption(
            f"expected a sequence form, got {type(form).__name__!r}; a compiled game gives it by "
            "exact_form()"
        )
    return form


def best_response(form: SequenceForm, profile: Profile, player: int) -> tuple[Strategy, float]:
    """Return `player`'s pure best response to the other's strategy, and its value.

    Among equally good actions it takes the first, even at infosets that cannot be reached.
    """
    player = verify_player(player)
    opponent_plan = plans_of(form, profile)[1 - player]
    side = form.sides[player]
    values = np.empty(side.num_sequences)
    best = np.empty(side.num_infosets, dtype=np.uint32)
    apply_payoff(side, side.payoff, opponent_plan, values)
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
    expected = 0.0
    for sequence in range(len(plan)):
        expected += plan[sequence] * values[sequence]
    best = np.empty(len(side.parent_sequence), np.uint32)
    sweep_maximum(side, values, best)
    return expected, values[0]
