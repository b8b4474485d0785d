"""Snapshots of strategies whose action values and reaches can be computed."""

from untilt.evaluation.action_values import action_values
from untilt.game.compiled import CompiledGame
from untilt.game.names.names import Names
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.strategy.rows import ProfileView
from untilt.game.strategy.snapshot import SequenceSnapshot, Snapshot
from untilt.game.strategy.strategy import Profile, Strategy, verify_profile
from untilt.numeric.arrays import Floats, Offsets


def sequence_snapshot(
    infosets: tuple[Names, ...],
    behaviours: tuple[Floats, ...],
    form: PlanForm | None,
) -> SequenceSnapshot:
    """Return the snapshot with these probabilities per sequence.

    Action values are computed on first use; without a form they are unknown.
    """
    if form is None:
        return SequenceSnapshot(infosets, behaviours)
    known = form

    def appraise(player: int) -> ProfileView:
        profile = Profile(tuple(map(Strategy, infosets, behaviours)))
        found = action_values(known, profile, player)
        return ProfileView(found.conditional, found.own_reach, found.opponent_reach)

    return SequenceSnapshot(infosets, behaviours, appraise)


def snapshot_for(game: CompiledGame, profile: Profile) -> SequenceSnapshot:
    """Return the profile as rows: strategy, action values, reaches."""
    verified = verify_profile(game.infosets, profile)
    form = game.plan_form() if game.has(PlanForm) else None
    return sequence_snapshot(game.infosets, verified.behaviours, form)


def all_rows(snapshot: Snapshot) -> tuple[Offsets, ...]:
    """Return the indices of all rows of each player, in listing order."""
    return tuple(map(snapshot.listing.matching, range(len(snapshot.infosets))))
