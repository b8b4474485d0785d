"""Comparison of two profiles: exact head-to-head result, and distance."""

from dataclasses import dataclass

import numpy as np

from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import evaluate_plans, plans_of, verify_form
from untilt.game.sequence_form import SequenceForm
from untilt.game.strategy import Profile, verify_profile


@dataclass(frozen=True)
class HeadToHead:
    """Exact result of one profile against another, in chips per hand won by the first."""

    as_player_0: float
    as_player_1: float

    @property
    def mean(self) -> float:
        """What the first profile wins per hand when the players change seats every hand."""
        return (self.as_player_0 + self.as_player_1) / 2.0


def head_to_head(form: SequenceForm, profile: Profile, other: Profile) -> HeadToHead:
    """Return what `profile` wins from `other` in either seat."""
    plans, other_plans = plans_of(form, profile), plans_of(form, other)
    return HeadToHead(
        as_player_0=evaluate_plans(form, (plans[0], other_plans[1])).values[0],
        as_player_1=evaluate_plans(form, (other_plans[0], plans[1])).values[1],
    )


@dataclass(frozen=True)
class Distance:
    """Total variation between two profiles' action probabilities, per infoset, in [0, 1]."""

    largest: float
    mean: float
    reach_weighted: float
    """Mean weighted by how often the first profile reaches the infoset."""
    label: str
    """The infoset where the profiles differ most."""


def distance(form: SequenceForm, profile: Profile, other: Profile) -> Distance:
    """Return how far apart two profiles play."""
    for each in (profile, other):
        verify_profile(verify_form(form).infosets, each)
    variations, reaches = [], []
    labels: list[str] = []
    for player, table in enumerate(form.infosets):
        if not len(table):
            continue
        gap = np.abs(profile.behaviours[player] - other.behaviours[player])
        variations.append(np.add.reduceat(gap, table.first_sequence[:-1]) / 2.0)
        values = action_values(form, profile, player)
        reaches.append(values.own_reach * values.opponent_reach)
        labels.extend(table)
    variation, reach = np.concatenate(variations), np.concatenate(reaches)
    return Distance(
        largest=float(variation.max()),
        mean=float(variation.mean()),
        reach_weighted=float(variation @ reach / reach.sum()),
        label=labels[int(variation.argmax())],
    )
