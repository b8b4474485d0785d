"""The value of every action under a profile, and the reach of its infoset.

One operator sweep with the payoffs gives counterfactual values; the same sweep with
payoff 1 gives each infoset's reach by chance and the other players. The ratio is the value
conditional on reaching the infoset.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.evaluation.best_response import plans_of, verify_form
from untilt.game.names.names import Names
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.sequence.sweeps import sweep_expectation
from untilt.game.strategy.strategy import Profile, verify_player
from untilt.number import finite
from untilt.numeric.arrays import Floats


@dataclass(frozen=True, eq=False, repr=False)
class ActionValues:
    """One player's view of a profile; I infosets, S sequences; in chips."""

    infosets: Names
    """The player's infosets by name."""
    counterfactual: Floats
    """[S] value of each action, weighted by the reach of chance and the other players."""
    conditional: Floats
    """[S] the same given that the infoset is reached; nan where that cannot happen."""
    own_reach: Floats
    """[I] probability that the player's own moves lead here."""
    opponent_reach: Floats
    """[I] probability that the moves of chance and of the other players lead here."""

    def to_json(self) -> dict[str, Any]:
        """Return the infosets as plain data, as in the rows of `untilt show --json`.

        Instead of probabilities they have counterfactual values. What cannot be reached is None.
        """
        return {
            "player": self.infosets.player,
            "rows": [self._row(index) for index in range(len(self.infosets))],
        }

    def _row(self, index: int) -> dict[str, Any]:
        parts, block = self.infosets.parts(index), self.infosets.block(index)
        values = self.conditional[block].tolist(), self.counterfactual[block].tolist()
        return {
            "label": self.infosets.label(index),
            "player": self.infosets.player,
            "private": parts.private,
            "public": parts.public,
            "line": parts.line,
            "actions": {
                name: {"value": finite(value), "counterfactual": finite(weighted)}
                for name, value, weighted in zip(self.infosets.actions(index), *values, strict=True)
            },
            "own_reach": finite(float(self.own_reach[index])),
            "opponent_reach": finite(float(self.opponent_reach[index])),
        }

    def __repr__(self) -> str:
        return (
            f"<ActionValues of {len(self.own_reach):,} infosets, "
            f"{len(self.conditional) - 1:,} actions>"
        )


def action_values(form: PlanForm, profile: Profile, player: int) -> ActionValues:
    """Return `player`'s action values and reaches under `profile`."""
    plans = plans_of(form, profile)
    player = verify_player(player, form.num_players)
    side = form.sides[player]
    behaviour = profile.behaviours[player]
    means = np.empty(side.num_infosets)
    counterfactual = form.end_values(player, plans)
    sweep_expectation(side, behaviour, counterfactual, means)

    opponent_reach = np.empty(side.num_infosets)
    probability = form.end_weights(player, plans)
    sweep_expectation(side, behaviour, probability, opponent_reach)

    reach_of_sequence = np.ones(side.num_sequences)
    reach_of_sequence[1:] = np.repeat(opponent_reach, np.diff(side.first_sequence))
    conditional = np.full(side.num_sequences, np.nan)
    np.divide(counterfactual, reach_of_sequence, out=conditional, where=reach_of_sequence > 0.0)
    return ActionValues(
        infosets=form.infosets[player],
        counterfactual=counterfactual,
        conditional=conditional,
        own_reach=plans[player][side.parent_sequence],
        opponent_reach=opponent_reach,
    )


def conditional_values(form: PlanForm, profile: Profile) -> tuple[Floats, ...]:
    """Return all players' action values given that the infoset is reached, per sequence."""
    players = range(verify_form(form).num_players)
    return tuple(action_values(form, profile, player).conditional for player in players)
