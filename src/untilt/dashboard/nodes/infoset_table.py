"""The names of a game's infosets, arranged for filtering: codes of cards, boards and lines.

Rows are in the order of tables and exports: by private card, then in the order of play.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.game.histories.walking import DEFAULT_MAX_DEPTH
from untilt.game.names.names import Names
from untilt.game.strategy.rows import Listing
from untilt.game.strategy.snapshot import Snapshot, frame_length, parts_of, snapshot_of
from untilt.game.strategy.strategy import Profile, Strategy
from untilt.game.wording import decision_words
from untilt.numeric.arrays import Floats, Indices

MAX_LINES = 5_000


@dataclass(frozen=True)
class OwnMoves:
    """The order of one player's infosets, level by level."""

    parent_sequence: Indices
    """[I] the player's sequence that leads to each infoset; 0 is the empty one."""
    levels: tuple[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], ...]
    """By the player's number of earlier decisions: the sequences of the infosets at that level, and
    for each of them the sequence that leads to its infoset."""
    infoset_of_sequence: npt.NDArray[np.int64]
    """[S] the infoset of each sequence, −1 for the empty one."""

    @classmethod
    def of(cls, infosets: Names, parent_sequence: Indices) -> "OwnMoves":
        """Return the levels, parents before children; raise FormatError if there are too many."""
        sizes = np.diff(infosets.first_sequence).astype(np.int64)
        infoset_of_sequence = np.concatenate(([-1], np.repeat(np.arange(len(infosets)), sizes)))
        parents = parent_sequence.astype(np.int64)
        depths = [0] * len(infosets)
        for index, before in enumerate(infoset_of_sequence[parents].tolist()):
            if before >= 0:
                depths[index] = depths[before] + 1
        num_levels = max(depths, default=-1) + 1
        if num_levels > DEFAULT_MAX_DEPTH:
            raise FormatError(
                f"game.bin has {num_levels:,} decisions of player {infosets.player} in a row; "
                f"games have at most {DEFAULT_MAX_DEPTH:,}"
            )
        depth_of_sequence = np.repeat(np.array(depths, np.int64), sizes)
        by_depth = np.argsort(depth_of_sequence, kind="stable")
        ends = np.searchsorted(depth_of_sequence[by_depth], np.arange(1, num_levels))
        levels = tuple(
            (sequences, parents[infoset_of_sequence[sequences]])
            for sequences in np.split(1 + by_depth, ends)
        )
        return cls(parent_sequence, levels, infoset_of_sequence)

    def own_reach(self, behaviour: Floats) -> Floats:
        """Return [I] the probability that the player's own moves lead to each infoset."""
        return self.plan(behaviour)[self.parent_sequence]

    def plan(self, behaviour: Floats) -> Floats:
        """Return [S] the probability that the player's own moves make up each sequence."""
        plan = np.ones(len(behaviour))
        with np.errstate(all="ignore"):  # frames from elsewhere may hold any number
            for sequences, before in self.levels:
                plan[sequences] = behaviour[sequences] * plan[before]
        return plan


class InfosetTable(Listing):
    """All players' infosets, and how they follow one another, if known."""

    def __init__(
        self,
        infosets: tuple[Names, ...],
        parent_sequences: tuple[Indices, ...] | None = None,
    ) -> None:
        super().__init__(infosets)
        self.own_moves: tuple[OwnMoves, ...] | None = None
        if parent_sequences is not None:
            self.own_moves = tuple(map(OwnMoves.of, infosets, parent_sequences))
        self.num_sequences = frame_length(infosets)

    @property
    def num_infosets(self) -> int:
        """Number of infosets of all players."""
        return sum(map(len, self.infosets))

    @cached_property
    def num_bytes(self) -> int:
        """Approximate memory of the table."""
        return sum(table.num_bytes for table in self.infosets) + 40 * self.num_sequences

    def player_of(self, label: str) -> int | None:
        """Return the player who acts at this infoset; None if there is no such infoset."""
        return next((table.player for table in self.infosets if label in table), None)

    def lines(self) -> list[dict[str, Any]]:
        """Return the `LineInfo`s: betting lines by player in the order of play, up to a limit."""
        found = []
        for table, lines in zip(self.infosets, self.lines_of_player, strict=True):
            codes = self.codes("line", table.player)
            counts = np.bincount(codes, minlength=len(lines)).tolist()
            first = np.unique(codes, return_index=True)[1].tolist()
            rows = list(zip(lines, counts, first, strict=True))
            for line, count, index in rows[: MAX_LINES // len(self.infosets)]:
                label = table.label(index)
                words = decision_words(label, "", line)
                # A game without lines has one group, and no single label names it.
                is_vague = words == label and count > 1
                found.append(
                    {
                        "player": table.player,
                        "line": line,
                        "words": "any decision" if is_vague else words,
                        "infosets": count,
                    }
                )
        return found

    def snapshot(
        self,
        strategy: npt.NDArray[np.floating[Any]],
        values: npt.NDArray[np.floating[Any]],
    ) -> Snapshot:
        """Return a frame as a snapshot, from its two rows.

        The reach of the opponent and of chance is unknown.
        """
        parts = parts_of(self.infosets, strategy.astype(np.float64))
        own_moves = self.own_moves
        return snapshot_of(
            Profile(tuple(map(Strategy, self.infosets, parts))),
            parts_of(self.infosets, values.astype(np.float64)),
            None
            if own_moves is None
            else (lambda player: own_moves[player].own_reach(parts[player])),
        )
