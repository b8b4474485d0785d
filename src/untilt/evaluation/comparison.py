"""Comparison of two profiles: exact head-to-head result, and distance."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from untilt.display import html_table, short_number
from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import evaluate_plans, plans_of, verify_form
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.strategy.strategy import Profile, verify_profile
from untilt.numeric.arrays import Floats

_ROUNDING = 1e-12
"""Variation up to which two profiles agree: probabilities read from files are rescaled."""


@dataclass(frozen=True)
class HeadToHead:
    """Exact result of one profile against another: what the first wins per hand."""

    as_player: tuple[float, ...]
    """In each seat, with the other profile in all other seats."""

    @property
    def as_player_0(self) -> float:
        """What it wins as player 0."""
        return self.as_player[0]

    @property
    def as_player_1(self) -> float:
        """What it wins as player 1."""
        return self.as_player[1]

    @property
    def mean(self) -> float:
        """The winnings of the first profile per hand if the players change seats every hand."""
        return sum(self.as_player[1:], self.as_player[0]) / len(self.as_player)

    def to_json(self) -> dict[str, float]:
        """Return what it wins in each seat, and the mean."""
        won = {f"as_player_{player}": value for player, value in enumerate(self.as_player)}
        return won | {"mean": self.mean}

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows = [
            [f"as player {player}", short_number(won, 7)]
            for player, won in enumerate(self.as_player)
        ]
        rows.append(["mean", short_number(self.mean, 7)])
        return html_table("Head to head, per hand", rows)


def head_to_head(form: PlanForm, profile: Profile, other: Profile) -> HeadToHead:
    """Return the winnings of `profile` in each seat, with `other` in all other seats."""
    plans, other_plans = plans_of(form, profile), plans_of(form, other)

    def winnings(player: int) -> float:
        seated = (*other_plans[:player], plans[player], *other_plans[player + 1 :])
        return evaluate_plans(form, seated).values[player]

    return HeadToHead(tuple(map(winnings, range(form.num_players))))


@dataclass(frozen=True)
class Distance:
    """Total variation between two profiles' action probabilities, per infoset, in [0, 1]."""

    largest: float
    mean: float
    reach_weighted: float
    """Mean weighted by how often the first profile reaches the infoset."""
    label: str
    """The infoset where the profiles differ most."""

    def to_json(self) -> dict[str, Any]:
        """Return the distance as plain data."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows = [
            ["largest", short_number(self.largest)],
            ["at", self.label],
            ["mean", short_number(self.mean)],
            ["mean, weighted by reach", short_number(self.reach_weighted)],
        ]
        return html_table("Distance (total variation)", rows)


@dataclass(frozen=True)
class Variations:
    """The differences of two profiles; n infosets of all players, player 0's first."""

    labels: tuple[str, ...]
    variation: Floats
    """[n] total variation between the action probabilities, in [0, 1]."""
    reaches: Floats
    """[2, n] how often each of the two profiles, playing all seats, reaches the infoset."""

    def differing(self) -> list[int]:
        """Return the infosets where the profiles differ, those that matter most first.

        They are ordered by variation times mean reach; those that are never reached come last.
        """
        weight = self.variation * self.reaches.mean(axis=0)
        order = np.lexsort((-self.variation, -weight)).tolist()
        return [each for each in order if self.variation[each] > _ROUNDING]


def variations(form: PlanForm, profile: Profile, other: Profile) -> Variations:
    """Return the distance between two profiles at each infoset."""
    both = (profile, other)
    for each in both:
        verify_profile(verify_form(form).infosets, each)
    found, reaches = [], []
    labels: list[str] = []
    for player, table in enumerate(form.infosets):
        if not len(table):
            continue
        gap = np.abs(profile.behaviours[player] - other.behaviours[player])
        found.append(np.add.reduceat(gap, table.first_sequence[:-1]) / 2.0)
        values = [action_values(form, each, player) for each in both]
        reaches.append(np.array([each.own_reach * each.opponent_reach for each in values]))
        labels.extend(table)
    return Variations(tuple(labels), np.concatenate(found), np.concatenate(reaches, axis=1))


def distance(form: PlanForm, profile: Profile, other: Profile) -> Distance:
    """Return the distance between two profiles."""
    return overall(variations(form, profile, other))


def overall(apart: Variations) -> Distance:
    """Return the distance between two profiles, given how far apart they are at each infoset."""
    variation, reach = apart.variation, apart.reaches[0]
    return Distance(
        largest=float(variation.max()),
        mean=float(variation.mean()),
        reach_weighted=float(variation @ reach / reach.sum()),
        label=apart.labels[int(variation.argmax())],
    )
