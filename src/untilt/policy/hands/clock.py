"""Thinking time: what an agent has left for a decision and for the match."""

import time

from untilt.errors import InvalidOption

_SHARE_OF_DECISION, _SHARE_OF_MATCH = 0.5, 0.01
"""How much of the remaining time for a decision, or for the match, is spent on one decision."""


class Clock:
    """The clock of one agent, in seconds of wall time; None means no limit.

    It runs inside a `with` block. It only shows the time: an agent that takes longer is not
    stopped, but has 0 seconds left.
    """

    def __init__(
        self,
        decision_seconds: float | None = None,
        match_seconds: float | None = None,
        *,
        advised: float | None = None,
    ) -> None:
        """Make a clock with limits; `advised` is how long a decision should take."""
        for name, given in (
            ("decision_seconds", decision_seconds),
            ("match_seconds", match_seconds),
        ):
            if given is not None and not given > 0.0:
                raise InvalidOption.of(name, given, "it must be a positive number, or None")
        self._decision_seconds = decision_seconds
        self._match_seconds = match_seconds
        self._advised = advised
        self._used = 0.0
        self._began: float | None = None

    @property
    def decision_left(self) -> float | None:
        """Seconds left for this decision, at least 0."""
        return _left(self._decision_seconds, self._running)

    @property
    def match_left(self) -> float | None:
        """Seconds left for this and all later decisions, at least 0."""
        return _left(self._match_seconds, self._used + self._running)

    @property
    def left(self) -> float | None:
        """The lesser of the two."""
        limits = [left for left in (self.decision_left, self.match_left) if left is not None]
        return min(limits, default=None)

    @property
    def advised(self) -> float | None:
        """How long an agent that thinks should take for this decision; None without a limit."""
        limits = [] if self._advised is None else [self._advised]
        if self.decision_left is not None:
            limits.append(_SHARE_OF_DECISION * self.decision_left)
        if self.match_left is not None:
            limits.append(_SHARE_OF_MATCH * self.match_left)
        return min(limits, default=None)

    def __enter__(self) -> "Clock":
        """Count the time until the end of the block as one decision."""
        self._began = time.monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        self._used += self._running
        self._began = None

    @property
    def _running(self) -> float:
        return 0.0 if self._began is None else time.monotonic() - self._began


def _left(limit: float | None, used: float) -> float | None:
    return None if limit is None else max(0.0, limit - used)
