"""Snapshots of strategies whose action values and reaches can be computed."""

from untilt.evaluation.action_values import action_values
from untilt.game.names import Names
from untilt.game.rows import View
from untilt.game.sequence_form import SequenceForm
from untilt.game.snapshot import SequenceSnapshot, Views
from untilt.game.strategy import Profile
from untilt.numeric.arrays import Floats


def sequence_snapshot(
    infosets: tuple[Names, Names],
    behaviours: tuple[Floats, Floats],
    form: SequenceForm | None,
) -> SequenceSnapshot:
    """Return the snapshot with these probabilities per sequence.

    What actions are worth is computed when it is first asked for, and not known without a form.
    """
    if form is None:
        return SequenceSnapshot(infosets, behaviours)
    known = form

    def appraise(profile: Profile) -> Views:
        first, second = (action_values(known, profile, player) for player in (0, 1))
        return (
            View(first.conditional, first.own_reach, first.opponent_reach),
            View(second.conditional, second.own_reach, second.opponent_reach),
        )

    return SequenceSnapshot(infosets, behaviours, appraise)
