"""The result of a solver so far: a strategy with its names, as rows and as frames.

The *kind* of a snapshot says how its numbers are laid out. Snapshots of a sequence form have the
kind "sequence": a probability per sequence. Code that runs, saves or shows a solver uses the
methods of its snapshot, and does not depend on the layout.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from untilt.game.names.names import Names
from untilt.game.strategy.rows import Listing, ProfileView, Row
from untilt.game.strategy.strategy import Profile, Strategy, is_behaviour
from untilt.numeric.arrays import Floats, Offsets

Number = TypeVar("Number", bound=np.generic)

FRAME_DTYPE = np.float32
"""The type of numbers in frames, which are displayed but never computed with."""

_FRAME_BYTES_PER_SEQUENCE = 2 * np.dtype(FRAME_DTYPE).itemsize  # strategy and action values


class Snapshot(Protocol):
    """The interface of every kind of snapshot."""

    @property
    def kind(self) -> str:
        """The layout of the numbers."""
        ...

    @property
    def infosets(self) -> tuple[Names, ...]:
        """All players' infosets by name."""
        ...

    @property
    def listing(self) -> Listing:
        """The infosets in the order of tables, to choose rows from."""
        ...

    @property
    def profile(self) -> Profile:
        """The strategy as a mapping from labels."""
        ...

    @property
    def values(self) -> tuple[Floats, ...] | None:
        """The value of each action, in chips, given that its infoset is reached; nan where it
        cannot be reached. None if unknown."""
        ...

    def is_sound(self) -> bool:
        """Whether the numbers of every infoset are probabilities that sum to 1."""
        ...

    def frame(self) -> tuple[Floats, Floats]:
        """Return the two rows of a frame: strategy and action values of all players."""
        ...

    def row(self, player: int, index: int) -> Row:
        """Return one of the player's infosets; unknown numbers are nan."""
        ...

    def rows(self, chosen: Iterable[Offsets]) -> Iterator[Row]:
        """Yield the chosen rows of each player in turn, by index."""
        ...

    def most_reached(self, chosen: tuple[Offsets, ...], count: int) -> tuple[Offsets, ...]:
        """Return the `count` of the `chosen` that are reached most often, in the same order."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class SequenceSnapshot:
    """A probability per sequence of every player."""

    kind: ClassVar[str] = "sequence"

    infosets: tuple[Names, ...]
    behaviours: tuple[Floats, ...]
    """Per player, [sequences]: the probability of each action; 1 for the empty sequence."""
    appraise: Callable[[int], ProfileView] | None = None
    """Computes the view of a player; None if that is impossible."""

    def __repr__(self) -> str:
        return f"<SequenceSnapshot of {sum(map(len, self.infosets)):,} infosets>"

    @cached_property
    def listing(self) -> Listing:
        """The infosets in the order of tables, to choose rows from."""
        return Listing(self.infosets)

    @cached_property
    def profile(self) -> Profile:
        """The strategy as a mapping from labels."""
        return Profile(tuple(map(Strategy, self.infosets, self.behaviours)))

    @cached_property
    def _views(self) -> dict[int, ProfileView]:
        return {}

    def view(self, player: int) -> ProfileView | None:
        """Return the player's action values and reaches, computed once; None if unknown."""
        if self.appraise is None:
            return None
        if player not in self._views:
            self._views[player] = self.appraise(player)
        return self._views[player]

    @property
    def values(self) -> tuple[Floats, ...] | None:
        """The value of each action, in chips, given that its infoset is reached; nan where it
        cannot be reached. None if unknown."""
        views = [self.view(player) for player in range(len(self.infosets))]
        values = tuple(view.values for view in views if view is not None)
        return values if len(values) == len(views) else None

    def is_sound(self) -> bool:
        """Whether the numbers of every infoset are probabilities that sum to 1."""
        return all(map(is_behaviour, self.infosets, self.behaviours))

    def frame(self) -> tuple[Floats, Floats]:
        """Return the two rows of a frame: strategy and action values of all players.

        Each is [sequences of player 0, then of player 1, …]; unknown values are nan.
        """
        strategy = np.concatenate(self.behaviours)
        if self.values is None:
            return strategy, np.full_like(strategy, np.nan)
        return strategy, np.concatenate(self.values)

    def row(self, player: int, index: int) -> Row:
        """Return one of the player's infosets; unknown numbers are nan."""
        names, view = self.infosets[player], self.view(player)
        block = names.block(index)
        probabilities = self.behaviours[player][block].tolist()
        return Row(
            player,
            names.label(index),
            *names.parts(index),
            actions=names.actions(index),
            probabilities=tuple(probabilities),
            values=tuple(
                [np.nan] * len(probabilities) if view is None else view.values[block].tolist()
            ),
            own_reach=np.nan if view is None else float(view.own_reach[index]),
            opponent_reach=np.nan if view is None else float(view.opponent_reach[index]),
        )

    def rows(self, chosen: Iterable[Offsets]) -> Iterator[Row]:
        """Yield the chosen rows of each player in turn, by index."""
        for player, numbers in enumerate(chosen):
            for index in numbers.tolist():
                yield self.row(player, index)

    def most_reached(self, chosen: tuple[Offsets, ...], count: int) -> tuple[Offsets, ...]:
        """Return the `count` of the `chosen` that are reached most often, in the same order."""
        reaches = []
        for player, numbers in enumerate(chosen):
            view = self.view(player)
            nowhere = np.zeros(len(numbers))  # unknown: the first infosets are chosen
            reaches.append(
                nowhere if view is None else (view.own_reach * view.opponent_reach)[numbers]
            )
        kept = np.sort(np.argsort(-np.concatenate(reaches), kind="stable")[:count])
        starts = np.concatenate(([0], np.cumsum([len(numbers) for numbers in chosen])))
        bounds = np.searchsorted(kept, starts)
        return tuple(
            numbers[kept[bounds[player] : bounds[player + 1]] - starts[player]]
            for player, numbers in enumerate(chosen)
        )


def snapshot_of(
    profile: Profile,
    values: tuple[Floats, ...] | None = None,
    own_reach: Callable[[int], Floats] | None = None,
) -> SequenceSnapshot:
    """Return the snapshot of a profile whose action values, and own reaches, were stored with it.

    Nothing else is known: reaches that are not given are nan.
    """
    infosets = profile.infosets
    if values is None:
        return SequenceSnapshot(infosets, profile.behaviours)
    known = values

    def view(player: int) -> ProfileView:
        unknown = np.broadcast_to(np.nan, len(infosets[player]))
        return ProfileView(
            known[player], unknown if own_reach is None else own_reach(player), unknown
        )

    return SequenceSnapshot(infosets, profile.behaviours, view)


def frame_length(infosets: tuple[Names, ...]) -> int:
    """Return the length of a frame's row: one number per sequence of every player."""
    return sum(names.num_sequences for names in infosets)


def frames_within(num_bytes: int, length: int) -> int:
    """Return the number of frames with rows of this length that fit into `num_bytes`."""
    return num_bytes // (_FRAME_BYTES_PER_SEQUENCE * max(1, length))


def parts_of(
    infosets: tuple[Names, ...], row: npt.NDArray[Number]
) -> tuple[npt.NDArray[Number], ...]:
    """Return the parts of a frame's row that belong to each player."""
    return tuple(row[_part(infosets, player)] for player in range(len(infosets)))


def _part(infosets: tuple[Names, ...], player: int) -> slice:
    begin = frame_length(infosets[:player])
    return slice(begin, begin + infosets[player].num_sequences)


def block_of_frame(infosets: tuple[Names, ...], player: int, index: int) -> slice:
    """Return the range of an infoset's actions in a frame's row."""
    block = infosets[player].block(index)
    begin = _part(infosets, player).start
    return slice(begin + block.start, begin + block.stop)
