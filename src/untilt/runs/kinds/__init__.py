"""The kinds of runs by name. Nothing else compares the name of a kind."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption
from untilt.formats.base.files import shown
from untilt.formats.run.run_file import read_run_file
from untilt.runs.kinds.blueprint import BlueprintKind
from untilt.runs.kinds.document import DocumentKind
from untilt.runs.kinds.game import GameKind
from untilt.runs.kinds.kind import RunKind
from untilt.runs.kinds.pushfold import TrainingKind
from untilt.runs.kinds.spot import SpotKind
from untilt.runs.kinds.sweep import SweepKind

if TYPE_CHECKING:
    from untilt.formats.run.run_file import RunRecord
    from untilt.runs.task import RunTask

GAME, TRAINING, SWEEP = GameKind(), TrainingKind(), SweepKind()
SPOT, BLUEPRINT, DOCUMENT = SpotKind(), BlueprintKind(), DocumentKind()

KINDS: dict[str, RunKind] = {
    kind.name: kind for kind in (GAME, TRAINING, SWEEP, SPOT, BLUEPRINT, DOCUMENT)
}
"""By the name in run.json. What no other kind takes is a game."""


def kind_for(subject: object) -> RunKind:
    """Return the kind of run that works on `subject`."""
    *others, usual = sorted(KINDS.values(), key=lambda kind: kind.takes_the_rest)
    return next((kind for kind in others if kind.takes(subject)), usual)


def kind_of(folder: Path) -> RunKind:
    """Return the kind of the run in `folder`; raise RunError if it holds none."""
    return KINDS[read_run_file(folder).kind]


def read_task(folder: Path, kind: RunKind | None = None) -> "tuple[RunTask[Any], RunRecord]":
    """Return the checked task of the run in `folder`, which is of a given `kind`, and run.json."""
    record = read_run_file(folder)
    found = KINDS[record.kind]
    if kind is not None and found is not kind:
        raise InvalidOption(
            f"{shown(folder)} holds {found.noun}, not {kind.noun}; {found.advice(folder)}"
        )
    return found.read(record), record
