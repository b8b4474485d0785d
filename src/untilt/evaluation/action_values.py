"""The value of every action under a profile, and the reach of its infoset.

One operator sweep with the payoffs gives counterfactual values; the same sweep with
payoff 1 gives each infoset's reach by chance and the opponent. The ratio is the value
conditional on reaching the infoset.
"""

from dataclasses import dataclass

import numpy as np

from untilt.evaluation.best_response import plans_of
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.sequence.sweeps import apply_payoff, sweep_expectation
from untilt.game.strategy.strategy import Profile, verify_player
from untilt.numeric.arrays import Floats


@dataclass(frozen=True, eq=False, repr=False)
class ActionValues:
    """One player's view of a profile; I infosets, S sequences; in chips."""

    counterfactual: Floats
    """[S] value of each action, weighted by the reach of chance and the opponent."""
    conditional: Floats
    """[S] the same given that the infoset is reached; nan where that cannot happen."""
    own_reach: Floats
    """[I] probability that the player's own moves lead here."""
    opponent_reach: Floats
    """[I] probability that chance and the opponent's moves lead here."""

    def __repr__(self) -> str:
        return (
            f"<ActionValues of {len(self.own_reach):,} infosets, "
            f"{len(self.conditional) - 1:,} actions>"
        )


def action_values(form: SequenceForm, profile: Profile, player: int) -> ActionValues:
    """Return `player`'s action values and reaches under `profile`."""
    player = verify_player(player)
    plans = plans_of(form, profile)
    side = form.sides[player]
    behaviour = profile.behaviours[player]
    counterfactual = np.empty(side.num_sequences)
    means = np.empty(side.num_infosets)
    apply_payoff(side, side.payoff, plans[1 - player], counterfactual)
    sweep_expectation(side, behaviour, counterfactual, means)

    probability = np.empty(side.num_sequences)
    opponent_reach = np.empty(side.num_infosets)
    apply_payoff(side, side.weight, plans[1 - player], probability)
    sweep_expectation(side, behaviour, probability, opponent_reach)

    reach_of_sequence = np.ones(side.num_sequences)
    reach_of_sequence[1:] = np.repeat(opponent_reach, np.diff(side.first_sequence))
    conditional = np.full(side.num_sequences, np.nan)
    np.divide(counterfactual, reach_of_sequence, out=conditional, where=reach_of_sequence > 0.0)
    return ActionValues(
        counterfactual=counterfactual,
        conditional=conditional,
        own_reach=plans[player][side.parent_sequence],
        opponent_reach=opponent_reach,
    )


def conditional_values(form: SequenceForm, profile: Profile) -> tuple[Floats, Floats]:
    """Return both players' action values given that the infoset is reached, per sequence."""
    return (
        action_values(form, profile, 0).conditional,
        action_values(form, profile, 1).conditional,
    )
