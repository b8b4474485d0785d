"""What the strategy would have done at a decision, and what the choice cost.

    cost = max over actions b of Q(b) − Q(a)        where a is the action taken

Q(a) is the value of the action in chips, given that the infoset is reached, if both players follow
the strategy afterwards. The actions that an equilibrium mixes have the same value, so choosing any
of them costs nothing.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from untilt.formats.strategy import Values
from untilt.game.snapshot import Snapshot, snapshot_of
from untilt.game.strategy import Profile
from untilt.game.terms import Terms
from untilt.play.hand import Decision
from untilt.play.words import situation

if TYPE_CHECKING:
    from untilt.play.insight import Insight

MISTAKE = 1e-3
"""By default, a larger cost, in chips or bb, is a mistake. If the strategy is not quite an
equilibrium, actions that should have the same value may differ by less."""

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
    return reviewed_decision(decision, row.probabilities, row.values)


def reviewed_decision(
    decision: Decision,
    probabilities: tuple[float, ...],
    values: tuple[float, ...],
    *,
    mistake: float = MISTAKE,
) -> Reviewed:
    """Return a decision compared with a strategy; values that are not finite are unknown."""
    worth = tuple(value if math.isfinite(value) else None for value in values)
    return Reviewed(
        decision=decision,
        probabilities=probabilities,
        values=worth,
        cost=_cost(worth, decision.actions.index(decision.action)),
        mistake=mistake,
    )


def _cost(worth: tuple[float | None, ...], chosen: int) -> float | None:
    known = [value for value in worth if value is not None]
    own = worth[chosen]
    if own is None or len(known) < len(worth):
        return None
    cost = max(known) - own
    return cost if cost > _NOISE else 0.0
