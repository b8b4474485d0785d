"""The infosets that a sampling solver has met so far, and their names."""

import json

import numpy as np

from untilt.errors import FormatError
from untilt.game.compiled import CompiledGame
from untilt.game.names.infosets import Infosets
from untilt.game.names.labels import knowledge_of
from untilt.game.names.names import check_names, same_label
from untilt.game.protocol import Action, InfoSet
from untilt.numeric.arrays import AnyArray


class MetInfosets:
    """The infosets that samples have met, numbered in that order, with their names."""

    def __init__(self, num_players: int = 2) -> None:
        self.num_players = num_players
        self.number: tuple[dict[InfoSet, int], ...] = tuple({} for _ in range(num_players))
        self._by_label: dict[str, int] = {}
        self._bound: set[int] = set()
        self.players: list[int] = []
        self.labels: list[str] = []
        self.actions: list[tuple[str, ...]] = []
        self.shown: list[tuple[str, str, str]] = []

    def add(self, player: int, infoset: InfoSet, actions: tuple[Action, ...]) -> tuple[int, bool]:
        """Return the index of an infoset that was not met yet, and whether its label is new.

        After a checkpoint is restored, labels are known but the infoset objects are not.
        """
        label = str(infoset)
        number = self._by_label.get(label)
        is_new = number is None
        if number is None:
            number = self._by_label[label] = len(self.labels)
            self.players.append(player)
            self.labels.append(label)
            self.actions.append(tuple(str(action) for action in actions))
            self.shown.append(knowledge_of(infoset))
            check_names(label, self.actions[number])
        elif number in self._bound or self.players[number] != player:
            raise same_label(label)
        self._bound.add(number)
        self.number[player][infoset] = number
        return number, is_new

    def order(self, player: int) -> list[int]:
        """Return the indices of one player's infosets, sorted by label.

        The order in which they were met differs after a checkpoint is restored, because
        histories are met again.
        """
        own = [number for number, owner in enumerate(self.players) if owner == player]
        return sorted(own, key=self.labels.__getitem__)

    def as_infosets(self, player: int) -> Infosets:
        """Return one player's infosets, in `order`."""
        numbers = self.order(player)
        columns = list(zip(*(self.shown[number] for number in numbers), strict=True)) or [()] * 3
        return Infosets(
            player=player,
            labels=tuple(self.labels[number] for number in numbers),
            actions=tuple(self.actions[number] for number in numbers),
            private=columns[0],
            public=columns[1],
            line=columns[2],
        )

    def to_array(self) -> AnyArray:
        """Return all names as the bytes of a JSON text."""
        text = json.dumps([self.players, self.labels, self.actions, self.shown])
        return np.frombuffer(text.encode(), dtype=np.uint8)

    @classmethod
    def from_array(cls, packed: AnyArray, num_players: int = 2) -> "MetInfosets":
        """Return the names of `to_array`; raise FormatError if they are damaged."""
        names = cls(num_players)
        try:
            players, labels, actions, shown = json.loads(packed.tobytes())
            names.players = [int(player) for player in players]
            names.labels = [str(label) for label in labels]
            names.actions = [tuple(str(action) for action in block) for block in actions]
            names.shown = [(str(card), str(board), str(line)) for card, board, line in shown]
        except (ValueError, TypeError, UnicodeDecodeError, RecursionError, OverflowError) as error:
            raise FormatError("the names of the saved state are damaged") from error
        names._by_label = {label: number for number, label in enumerate(names.labels)}
        lengths = {len(names.players), len(names.labels), len(names.actions), len(names.shown)}
        is_sound = (
            len(lengths) == 1
            and set(names.players) <= set(range(num_players))
            and len(names._by_label) == len(names.labels)
            and all(len(set(block)) == len(block) >= 2 for block in names.actions)
        )
        if not is_sound:
            raise FormatError("the names of the saved state contradict one another")
        return names

    def are_part_of(self, game: CompiledGame) -> bool:
        """Whether the game has all these infosets, with the same actions."""
        for player, label, actions in zip(self.players, self.labels, self.actions, strict=True):
            infosets = game.infosets[player]
            if label not in infosets or infosets.actions(infosets.index(label)) != actions:
                return False
        return True
