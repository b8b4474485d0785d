"""Snapshots of strategies whose action values and reaches can be computed."""

from untilt.evaluation.action_values import action_values
from untilt.game.names import Names
from untilt.game.rows import View
from untilt.game.sequence_form import SequenceForm
from untilt.game.snapshot import SequenceSnapshot
from untilt.game.strategy import Profile, Strategy
from untilt.numeric.arrays import Floats


def sequence_snapshot(
    infosets: tuple[Names, Names],
    behaviours: tuple[Floats, Floats],
    form: SequenceForm | None,
) -> SequenceSnapshot:
    """Return the snapshot with these probabilities per sequence.

    Action values are computed on first use; without a form they are unknown.
    """
    if form is None:
        return SequenceSnapshot(infosets, behaviours)
    known = form

    def appraise(player: int) -> View:
        first, second = map(Strategy, infosets, behaviours)
        found = action_values(known, Profile((first, second)), player)
        return View(found.conditional, found.own_reach, found.opponent_reach)

    return SequenceSnapshot(infosets, behaviours, appraise)
