"""A decision as a blueprint sees it: its mix, what actions are worth, ranges, the cost of a choice.

    insights = Insights(ResolvingPolicy("bp/", think=0.5))
    insight = insights.at(infoset, chosen)

Where the blueprint solves the street at the table, values come from that solution; elsewhere from
following the blueprint to the end of the hand (`untilt.policy.thinking.rollout_values`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.abstraction.translated_hand import moves_of
from untilt.cards.combos import CLASS_NAMES, CLASS_OF_COMBO, NUM_CLASSES, class_sums, combo_index
from untilt.game.actions import ActionData
from untilt.game.protocol import Uniforms
from untilt.games.holdem.game import HoldemInfoset
from untilt.games.holdem.spots.subgame import live_on
from untilt.numeric.arrays import Floats
from untilt.policy.nodes.public_state import continue_line
from untilt.policy.thinking.public_hand import PublicHand, Solutions, followed
from untilt.policy.thinking.rollout_values import Outlooks

if TYPE_CHECKING:
    from untilt.policy.blueprint import BlueprintPolicy
    from untilt.policy.thinking.solved_street import SolvedStreet

BY_SOLUTION = "by the solution"
_MISTAKE = 0.005
_LEAST_SHADE = 0.005
"""Classes less likely than this, relative to the likeliest, are left out of grids."""


@dataclass(frozen=True, eq=False)
class Insight:
    """The knowledge of a decision; see the module."""

    infoset: HoldemInfoset
    hand: "PublicHand"
    """As everybody sees it, before the decision."""
    mix: Mapping[str, float]
    """How often each action is taken with the cards that are held."""
    blueprint: Mapping[str, float] | None
    """The mix without thinking; None if nothing was solved, or an earlier solution is continued."""
    solved: Mapping[str, Any] | None
    """What was solved; None if nothing was."""
    range_mix: Mapping[str, float]
    """How often the whole range takes each action."""
    range_before: Mapping[str, float] | None
    """The same without thinking; None as for `blueprint`."""
    chosen: str | None = None
    """What was done; None if that is not known."""
    values: Mapping[str, float] = field(default_factory=dict)
    """What actions are worth, in chips won in the hand; empty if that is not known."""
    cost: float | None = None
    """What the choice gives away; None if unknown."""
    error: float = 0.0
    """The standard error of the cost; 0 if boards were not drawn."""
    basis: str = ""
    """Where the values come from, in words."""

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """By seat, [1326] probabilities; cards that players hold are not removed."""
        return self.hand.ranges

    @property
    def mistake(self) -> float:
        """A larger cost is a mistake: beyond twice its error and half a percent of the pot."""
        return max(2.0 * self.error, _MISTAKE * self.infoset.betting.total_pot)

    def public_json(self) -> dict[str, Any]:
        """Return the part that reveals nothing about the cards that are held."""
        return {
            "seat": self.infoset.player,
            "line": self.infoset.line,
            "board": self.infoset.public,
            "chosen": self.chosen,
            "ranges": shaded_ranges(self.hand),
            "range_mix": dict(self.range_mix),
            "range_before": None if self.range_before is None else dict(self.range_before),
            "solved": None if self.solved is None else dict(self.solved),
        }

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return self.public_json() | {
            "hand": self.infoset.private,
            "mix": dict(self.mix),
            "blueprint": None if self.blueprint is None else dict(self.blueprint),
            "values": dict(self.values),
            "cost": self.cost,
            "error": self.error,
            "basis": self.basis,
        }


class Insights:
    """A blueprint that is asked about the decisions of one hand, in order."""

    def __init__(self, policy: "BlueprintPolicy", *, seconds: float | None = None) -> None:
        """`seconds` limits the time to follow the blueprint: fewer boards are then drawn."""
        self.policy = policy
        self._seconds = seconds
        self._outlooks = Outlooks(policy.translation)
        self._hands: dict[int, PublicHand] = {}
        """By seat, the hand at the last decision."""
        self._solutions = Solutions()
        """What was solved for either seat."""

    def at(self, infoset: HoldemInfoset, chosen: ActionData) -> Insight:
        """Return what is known about a decision, and what the choice cost.

        Bets that are not on the blueprint's menu are interpreted as the likeliest one.
        """
        return self.valued(self.seen(infoset, None), chosen)

    def seen(self, infoset: HoldemInfoset, rng: Uniforms | None) -> Insight:
        """Return what is known about a decision, without values.

        `rng` draws how bets outside the menu are interpreted.
        """
        last = self._hands.get(infoset.player)
        if last is None:
            last = replace(self.policy.start(), solutions=self._solutions)
        thought = self.policy.considered(last, infoset, rng)
        self._hands[infoset.player] = thought.hand
        told = thought.explain()
        hand, before = thought.hand, thought.before
        is_new = hand.solved is not None and before.solved is None
        return Insight(
            infoset,
            hand,
            mix=told["mix"],
            blueprint=told["blueprint"] if is_new else None,
            solved=told["solved"],
            range_mix=self._range_mix(hand),
            range_before=self._range_mix(before) if is_new else None,
        )

    def valued(self, insight: Insight, chosen: ActionData) -> Insight:
        """Return the insight with the values of actions and the choice."""
        hand, infoset = insight.hand, insight.infoset
        if hand.solved is not None:
            worth = self._solved_values(hand, hand.solved, infoset, chosen)
            known = worth.get(chosen.name)
            cost = None if known is None else max(max(worth.values()) - known, 0.0)
            return replace(insight, chosen=chosen.name, values=worth, cost=cost, basis=BY_SOLUTION)
        outlook = self._outlooks.at(hand, infoset.hand, more=(chosen,), seconds=self._seconds)
        cost, error = outlook.behind[chosen.name]
        return replace(
            insight,
            chosen=chosen.name,
            values=outlook.values,
            cost=cost,
            error=error,
            basis=outlook.words,
        )

    def followed(self, last: Insight | None, infoset: HoldemInfoset) -> "PublicHand":
        """Return the hand at `infoset`, continued from the last decision, which may be None.

        Ranges follow the strategies that were used.
        """
        hand = self.policy.start() if last is None else last.hand
        moves = moves_of(infoset.line)[len(hand.line) :]
        return followed(continue_line(self.policy, hand, moves, infoset.board))

    def _range_mix(self, hand: "PublicHand") -> dict[str, float]:
        weights = hand.ranges[hand.betting.player]
        sums = {action.name: float(weights @ shares) for action, shares in self.policy.moves(hand)}
        total = sum(sums.values())
        return {name: share / total for name, share in sums.items()}

    def _solved_values(
        self,
        hand: "PublicHand",
        solved: "SolvedStreet",
        infoset: HoldemInfoset,
        chosen: ActionData,
    ) -> dict[str, float]:
        """Return the values of a solution; it is solved again with a bet that it does not have."""
        number = solved.action_number(hand.node, chosen)
        if number is not None:
            found = _values(solved, hand.node, infoset)
            return {**found, chosen.name: list(found.values())[number]}
        answered = self.policy.thought(self.policy.after(hand, chosen))
        again = answered.solved
        if again is None or again.action_number(0, chosen) is None:
            return _values(solved, hand.node, infoset)
        return _values(again, 0, infoset)


def _values(solved: "SolvedStreet", node: int, infoset: HoldemInfoset) -> dict[str, float]:
    """Return what each action of a solution is worth with the cards that are held."""
    combo = combo_index(*infoset.hand)
    actions, _ = solved.moves(node)
    return {
        action.name: float(solved.values(solved.child(node, number), infoset.player)[combo])
        for number, action in enumerate(actions)
    }


def evened(weights: Floats, board: Sequence[int]) -> Floats:
    """Return [1326] how likely a hand's class is, per combo, relative to the likeliest class: 0–1.

    All combos of a class that the board allows have the same weight.
    """
    live = live_on(board)
    found: Floats = np.where(live, _shades(weights, board)[CLASS_OF_COMBO], 0.0)
    return found


def shaded_ranges(hand: "PublicHand") -> list[list[float]]:
    """Return [169] by seat how likely a combo of each class is, relative to the likeliest class."""
    return [_shades(weights, hand.board).round(4).tolist() for weights in hand.ranges]


def _shades(weights: Floats, board: Sequence[int]) -> Floats:
    live = class_sums(live_on(board).astype(np.float64))
    each = np.divide(class_sums(weights), live, out=np.zeros(NUM_CLASSES), where=live > 0.0)
    # A share of every range is spread over all hands, so that none is ruled out for good.
    found: Floats = np.where(each < _LEAST_SHADE * each.max(), 0.0, each / each.max())
    return found


def class_shares(weights: Floats) -> dict[str, float]:
    """Return the probability of every class of hands in a range [1326]."""
    return dict(zip(CLASS_NAMES, class_sums(weights).tolist(), strict=True))
