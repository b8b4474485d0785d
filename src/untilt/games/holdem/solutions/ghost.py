"""Ghost lines: decisions that an equilibrium almost never reaches.

A Nash equilibrium says nothing about them: any answer that does not invite the opponent is as good
as another there, so what a solver happens to have found is arbitrary. Players who make mistakes do
get there, and a quantal response equilibrium says what is best then.
"""

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

GHOST_REACH = 1e-4
"""A decision that is reached less often is a ghost line."""
GHOST_NOISE = "2%"
"""The noise with which a quantal answer is offered."""
RESPONSES = frozenset({"best-response"})
"""Methods whose solutions are answers to a given opponent: nothing about them is arbitrary."""


@dataclass(frozen=True)
class GhostLine:
    """A decision of a Nash equilibrium about which the equilibrium says nothing."""

    reach: float
    """How often it is reached."""
    threshold: float
    """What counts as reached."""
    command: str
    """The command that solves the spot for players who make mistakes."""

    @property
    def words(self) -> str:
        """What it means, in a sentence."""
        return (
            f"ghost line: Nash gets here in less than 1 of {1.0 / self.threshold:,.0f} hands, so "
            "its answer is arbitrary; for an opponent who makes mistakes"
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self) | {"words": self.words, "noise": GHOST_NOISE}


def ghost_line(reach: float, path: Path | None) -> GhostLine | None:
    """Return what to say about a decision of a Nash equilibrium in the folder `path`, or None."""
    if not reach < GHOST_REACH:
        return None
    run = "RUN" if path is None else shlex.quote(str(path))
    return GhostLine(reach, GHOST_REACH, f"untilt spot {run} --noise {GHOST_NOISE}")
