"""Re-solving a subgame safely: the opponent may stay out of it in exchange for a known value.

The new solution of a subgame, for a belief about the opponent's hands, can be worse than before
against hands that the belief leaves out. So the opponent gets a choice at the root, hand by hand:
enter the subgame, or take the alternative, which is what the hand was worth before. Then a strategy
that gives a hand more than its alternative is punished, whatever the belief.

SAFE      each hand enters or stays out (Burch, Johanson & Bowling 2014, "Solving imperfect
          information games using decomposition")
MARGIN    the opponent picks the hand that gains most over its alternative, so the least margin of
          all hands is maximised (Moravčík et al. 2016, "Refining subgames in large imperfect
          information games")
UNSAFE    every hand enters: the belief is trusted

A share of the opponent's hands always enters as believed. Where the alternatives are those of an
equilibrium, this is as safe as without it; elsewhere it plays better against such opponents.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from untilt.errors import InvalidOption, UnknownName
from untilt.game.public.public_layout import LayoutSide, Singles
from untilt.game.public.public_snapshot import PublicSnapshot
from untilt.game.public.public_tree import PublicTree
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import kernel
from untilt.regret.matching import predicted, updated
from untilt.regret.rule import UpdateRule
from untilt.regret.step import step_of

SAFE, MARGIN, UNSAFE = "gadget", "maxmargin", "unsafe"
MODES = (SAFE, MARGIN, UNSAFE)

DEFAULT_BELIEF = 0.8


@dataclass(frozen=True, eq=False)
class Gadget:
    """A player's alternative to entering a subgame."""

    player: int
    """The player who chooses: the opponent of the one whose strategy is wanted."""
    alternatives: Floats
    """[lanes of the first board]: the value of not entering, weighted by the other player's
    reaches as values of the tree are, and without the baseline."""
    belief: float = DEFAULT_BELIEF
    """Share of the player's hands that enter as the weights of the tree say, 0–1."""
    mode: str = SAFE

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UnknownName.among("mode", self.mode, MODES)
        if not 0.0 <= self.belief <= 1.0:
            raise InvalidOption.of("belief", self.belief, "give a share from 0 to 1")


class Entry(NamedTuple):
    """The choice at the root, by lane with padding; padding never enters."""

    alternative: Singles
    per_hand: Singles
    """The factor applied to values before hands are compared with one another (MARGIN)."""
    certain: Singles
    """The reach that always enters."""
    chosen: Singles
    """The reach that enters if that is chosen."""
    enter: Singles
    """The frequency with which each hand enters, or, for MARGIN, is picked."""
    regret: Singles
    """[2, lanes]: of entering and staying out; for MARGIN only the first."""
    enter_sum: Singles
    """Like the strategy sums in the tables."""
    weight: Singles
    """The weights of the hands, as a solver reads them: certain + chosen · enter."""


class Chooser:
    """The player at the root of a subgame who chooses whether to enter."""

    def __init__(self, tree: PublicTree, side: LayoutSide, gadget: Gadget) -> None:
        """`side` is that of the player; its weights are replaced by what enters."""
        self.player = gadget.player
        self._is_margin = gadget.mode == MARGIN
        weights = tree.weights[gadget.player]
        count = len(weights)
        if len(gadget.alternatives) != count or not np.isfinite(gadget.alternatives).all():
            raise InvalidOption(
                f"there are {len(gadget.alternatives)} alternatives for {count} hands: give a "
                "finite number for each"
            )
        share = 1.0 if gadget.mode == UNSAFE else gadget.belief
        met = _met(tree, gadget.player)
        # A hand that meets no other has no value to compare; it stays out.
        meets = met > 1e-12 * met.max(initial=0.0)
        num_hands = max(int(np.count_nonzero(meets)), 1)
        per_hand = np.where(meets, 1.0 / np.where(meets, met, 1.0), 0.0)
        pairs = float(weights.sum() * met.sum()) / num_hands
        if self._is_margin:
            # Whatever hand is picked, the same weight of pairs is played.
            chosen, begin = (1.0 - share) * pairs * per_hand, 1.0 / num_hands
        else:
            chosen, begin = (1.0 - share) * weights.sum() / num_hands * meets, 0.5

        def lanes(values: Floats) -> Singles:
            found = np.zeros(len(side.weight), np.float32)
            found[:count] = values
            return found

        self.entry = Entry(
            alternative=lanes(gadget.alternatives),
            per_hand=lanes(per_hand),
            certain=lanes(share * weights),
            chosen=lanes(chosen),
            enter=lanes(np.where(meets, begin, 0.0)),
            regret=np.zeros((2, len(side.weight)), np.float32),
            enter_sum=lanes(np.zeros(count)),
            weight=side.weight,
        )
        self.enter_as_chosen()
        self._total = float(share * (weights @ met) + (1.0 - share) * pairs)
        self._belief = lanes(weights)
        self._weight = 0.0

    def learn(self, values: Singles, rule: UpdateRule, iteration: int) -> None:
        """Choose again, given what entering was worth in this iteration, by lane with padding."""
        self._weight = self._weight * ((iteration - 1) / iteration) ** rule.gamma + 1.0
        if self._is_margin:
            _pick(self.entry, values, rule, iteration)
        else:
            _choose(self.entry, values, rule, iteration)

    def enter_on_average(self) -> None:
        """Let the hands enter as often as on average, until `enter_as_chosen`."""
        self.entry.weight[:] = self.entry.certain + self.entry.chosen * self.average

    def enter_as_believed(self) -> None:
        """Let all hands enter with the weights of the tree, until `enter_as_chosen`."""
        self.entry.weight[:] = self._belief

    def enter_as_chosen(self) -> None:
        """Let the hands enter as they choose now."""
        self.entry.weight[:] = self.entry.certain + self.entry.chosen * self.entry.enter

    @property
    def average(self) -> Singles:
        """[lanes with padding]: how often each hand enters, or is picked, on average."""
        if self._weight == 0.0:
            return self.entry.enter
        average: Singles = self.entry.enter_sum / np.float32(self._weight)
        return average

    def values(self, followed: Floats, best: Floats) -> tuple[float, float]:
        """Return the value of the choosing player, and that of a best response.

        `followed` and `best` are the values of the lanes at the root under the average strategy
        and a best response. Both results are per pair of hands.
        """
        entry, count = self.entry, len(followed)
        certain, chosen, alternative = (
            each[:count].astype(np.float64)
            for each in (entry.certain, entry.chosen, entry.alternative)
        )
        average = self.average[:count].astype(np.float64)
        value, most = float(certain @ followed), float(certain @ best)
        if self._is_margin:
            value += float(chosen * average @ (followed - alternative))
            most += float(np.max(chosen * (best - alternative), initial=-np.inf, where=chosen > 0))
        else:
            value += float(chosen @ (average * followed + (1.0 - average) * alternative))
            most += float(chosen @ np.maximum(best, alternative))
        return value / self._total, most / self._total

    def value_of_other(self, values: Floats, weights: Floats) -> float:
        """Return the other player's value against the hands that enter, per pair of hands."""
        return float(values @ weights) / self._total


def _met(tree: PublicTree, player: int) -> Floats:
    """Return [lanes] the other player's weights that each hand does not exclude."""
    nothing = np.zeros(0, np.float32)
    snapshot = PublicSnapshot(tree, (nothing, nothing), (nothing, nothing))
    return snapshot.met(0, 0, player, tree.weights[1 - player])


@kernel
def _choose(entry: Entry, values: Singles, rule: UpdateRule, iteration: int) -> None:
    """Let every hand learn whether to enter, from the values of entering."""
    step = step_of(rule, iteration)
    for lane in range(len(entry.weight)):
        enter, value, other = entry.enter[lane], values[lane], entry.alternative[lane]
        entry.enter_sum[lane] = entry.enter_sum[lane] * step.decay + enter
        mean = enter * value + (1.0 - enter) * other
        first = updated(entry.regret[0, lane], value - mean, step)
        second = updated(entry.regret[1, lane], other - mean, step)
        entry.regret[0, lane], entry.regret[1, lane] = first, second
        x, y = predicted(first, value - mean, step), predicted(second, other - mean, step)
        enter = x / (x + y) if x + y > 0.0 else 0.5
        entry.enter[lane] = enter
        entry.weight[lane] = entry.certain[lane] + entry.chosen[lane] * enter


@kernel
def _pick(entry: Entry, values: Singles, rule: UpdateRule, iteration: int) -> None:
    """Let the player learn which hand to enter with, from the values of entering."""
    step = step_of(rule, iteration)
    mean = 0.0
    for lane in range(len(entry.weight)):
        gain = (values[lane] - entry.alternative[lane]) * entry.per_hand[lane]
        mean += entry.enter[lane] * gain
    total, count = 0.0, 0
    for lane in range(len(entry.weight)):
        entry.enter_sum[lane] = entry.enter_sum[lane] * step.decay + entry.enter[lane]
        if entry.per_hand[lane] > 0.0:
            gain = (values[lane] - entry.alternative[lane]) * entry.per_hand[lane]
            regret = updated(entry.regret[0, lane], gain - mean, step)
            entry.regret[0, lane] = regret
            entry.enter[lane] = predicted(regret, gain - mean, step)
            total += entry.enter[lane]
            count += 1
    for lane in range(len(entry.weight)):
        if entry.per_hand[lane] > 0.0:
            enter = entry.enter[lane] / total if total > 0.0 else 1.0 / count
            entry.enter[lane] = enter
            entry.weight[lane] = entry.certain[lane] + entry.chosen[lane] * enter
