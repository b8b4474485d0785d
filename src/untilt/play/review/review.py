"""The strategy's own choice at a decision, and the cost of the choice made.

    cost = max over actions b of Q(b) − Q(a)        where a is the action taken

Q(a) is the value of the action in chips, given that the infoset is reached, if both players follow
the strategy afterwards. The actions that an equilibrium mixes have the same value, so choosing any
of them costs nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from untilt.formats.kinds.strategy_file import Values
from untilt.game.strategy.snapshot import Snapshot, snapshot_of
from untilt.game.strategy.strategy import Profile
from untilt.game.terms import Terms
from untilt.number import finite
from untilt.play.narration import situation
from untilt.policy.hands.advice import MISTAKE, Advice
from untilt.policy.hands.turn import Decision

if TYPE_CHECKING:
    from untilt.policy.thinking.insight import Insight

_NOISE = 1e-9


@dataclass(frozen=True)
class Reviewed:
    """A decision compared with the strategy; probabilities and values are in action order."""

    decision: Decision
    probabilities: tuple[float, ...]
    values: tuple[float | None, ...]
    """The value of each action, in chips; None if unknown."""
    cost: float | None
    """What the choice cost, at least 0; None if unknown."""
    mistake: float = MISTAKE
    """A larger cost is a mistake."""
    insight: "Insight | None" = None
    """What a blueprint knows about the decision; None for other strategies."""

    @property
    def is_mistake(self) -> bool:
        """Whether the choice cost more than the inaccuracy of the strategy can explain."""
        return self.cost is not None and self.cost > self.mistake

    def to_json(self, terms: Terms) -> dict[str, Any]:
        """Return the review as plain data for JSON, in the words of the game."""
        decision = self.decision
        return {
            "label": decision.label,
            "words": situation(decision, terms),
            "private": decision.private,
            "public": decision.public,
            "line": decision.line,
            "actions": list(decision.actions),
            "action_data": [action.to_json() for action in decision.legal],
            "chosen": decision.action,
            "probabilities": list(self.probabilities),
            "values": list(self.values),
            "cost": self.cost,
            "mistake": self.mistake,
            "insight": None if self.insight is None else self.insight.to_json(),
        }


def review_decisions(
    decisions: Iterable[Decision], player: int, profile: Profile, values: Values | None
) -> list[Reviewed]:
    """Return the review of the decisions that `player` took."""
    snapshot = snapshot_of(profile, values)
    return [_reviewed(each, snapshot) for each in decisions if each.player == player]


def _reviewed(decision: Decision, snapshot: Snapshot) -> Reviewed:
    index = snapshot.infosets[decision.player].find(decision.label)
    if index is None:  # sampling has not reached it: all actions are equally likely
        count = len(decision.actions)
        return Reviewed(decision, (1.0 / count,) * count, (None,) * count, None)
    row = snapshot.row(decision.player, index)
    worth = tuple(map(finite, row.values))
    return Reviewed(decision, row.probabilities, worth, _cost(worth, decision))


def reviewed_by(decision: Decision, advice: Advice) -> Reviewed:
    """Return a decision compared with what a policy says about it."""
    worth = tuple(advice.values.get(name) for name in decision.actions)
    insight = advice.insight
    return Reviewed(
        decision,
        tuple(advice.mix.get(name, 0.0) for name in decision.actions),
        worth,
        _cost(worth, decision) if insight is None else insight.cost,
        mistake=advice.mistake,
        insight=insight,
    )


def _cost(worth: tuple[float | None, ...], decision: Decision) -> float | None:
    known = [value for value in worth if value is not None]
    if len(known) < len(worth):
        return None
    own = worth[decision.actions.index(decision.action)]
    if own is None:
        return None
    cost = max(known) - own
    return cost if cost > _NOISE else 0.0
