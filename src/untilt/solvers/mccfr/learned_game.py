"""A game of positions as a sampling solver learns it: its infosets, and a store that grows."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from untilt.errors import Argument, FormatError, ImperfectRecall, NotZeroSum
from untilt.game.compiled import CompiledGame, is_general_sum, met_infosets
from untilt.game.histories.walking import different_actions
from untilt.game.protocol import Action, Game, InfoSet, num_players_of
from untilt.numeric.arrays import AnyArray, Floats, Indices, Offsets
from untilt.solvers.mccfr.met_infosets import MetInfosets
from untilt.solvers.mccfr.regret_store import RegretStore, make_store
from untilt.solvers.saved_state import array_of


class LearnedGame:
    """The infosets met so far, numbered in that order, with a store for them."""

    def __init__(self, root: Game | None, measure: CompiledGame, *, is_lazy: bool = False) -> None:
        """Start without infosets.

        `measure` is the same game; if it was small enough to be compiled, strategies are in its
        order.
        """
        self._measure = measure
        self._is_lazy = is_lazy
        self.num_players = measure.num_players if root is None else num_players_of(root)
        self._names = MetInfosets(self.num_players)
        if root is not None and self.num_players == 2 and is_general_sum(root):
            raise NotZeroSum.of_solver()
        self.store = self._make_store(np.ones(1, dtype=np.uint32), np.zeros(0, dtype=np.uint32))

    def _make_store(self, first_entry: Indices, parent_entry: Indices) -> RegretStore:
        return make_store(first_entry, parent_entry, self.num_players)

    @property
    def num_infosets(self) -> int:
        """Infosets met so far, of all players."""
        return len(self._names.labels)

    def _intern(
        self,
        player: int,
        infoset: InfoSet,
        actions: tuple[Action, ...],
        entry: int,
        history: Callable[[], str],
    ) -> int:
        """Return the index of an infoset, a new one if it was not met before.

        `entry` is the player's previous one, `history` names the position in errors.
        """
        number = self._names.number[player].get(infoset)
        if number is None:
            number, is_new = self._names.add(player, infoset, actions)
            if is_new:
                self._grow_store(number, len(actions), entry)
        names = self._names.actions[number]
        if len(names) != len(actions) or names != tuple(map(str, actions)):
            raise different_actions(infoset, names, actions, history())
        if self._is_lazy and self.store.parent_entry[number] != entry:
            raise ImperfectRecall(
                f"imperfect recall: at infoset {str(infoset)!r} player {player} has forgotten a "
                "move or an observation; the lazy average needs perfect recall: use ",
                Argument("average", "stochastic"),
            )
        return number

    def _grow_store(self, number: int, num_actions: int, entry: int) -> None:
        store = self.store
        begin = int(store.first_entry[number])
        end = begin + num_actions
        if number >= len(store.mass) or end > len(store.behaviour):
            infosets = max(2 * len(store.mass), number + 1, 64)
            entries = max(2 * len(store.behaviour), end, 256)
            lengths = {"first_entry": infosets + 1}
            lengths |= {"clock": len(store.clock), "num_touched": len(store.num_touched)}
            lengths |= dict.fromkeys(("regret_sum", "strategy_sum", "behaviour"), entries)
            arrays = store._asdict()
            touched = longer_array(arrays.pop("touched").T, infosets).T
            self.store = store = RegretStore(
                **{
                    name: longer_array(values, lengths.get(name, infosets))
                    for name, values in arrays.items()
                },
                touched=np.ascontiguousarray(touched),
            )
        store.first_entry[number + 1] = end
        store.parent_entry[number] = entry
        store.behaviour[begin:end] = 1.0 / num_actions

    def game(self) -> CompiledGame:
        """Return the game compiled, or else the names of the infosets met so far."""
        if not self._measure.is_partial:
            return self._measure
        return met_infosets(tuple(map(self._names.as_infosets, range(self.num_players))))

    def players_of(self, infosets: Indices) -> Offsets:
        """Return the player of each of these infosets."""
        return np.array(self._names.players, dtype=np.int64)[infosets]

    def split(self, values: Floats, unmet: float | None = None) -> tuple[Floats, ...]:
        """Return the entries of each player in the order of `game`."""
        return tuple(self._split(values, player, unmet) for player in range(self.num_players))

    def _split(self, values: Floats, player: int, unmet: float | None) -> Floats:
        first = self.store.first_entry
        if self._measure.is_partial:
            numbers = self._names.order(player)
            blocks = [values[first[number] : first[number + 1]] for number in numbers]
            return np.concatenate(([1.0], *blocks))
        infosets = self._measure.infosets[player]
        sizes = np.diff(infosets.first_sequence)
        fill = np.repeat(1.0 / sizes, sizes) if unmet is None else np.full(sizes.sum(), unmet)
        found = np.concatenate(([1.0], fill))
        for number in self._names.order(player):
            block = infosets.block(infosets.index(self._names.labels[number]))
            found[block] = values[first[number] : first[number + 1]]
        return found

    def names_state(self) -> dict[str, AnyArray]:
        """Return the names of all infosets with their parent entries."""
        return {
            "names": self._names.to_array(),
            "parent_entry": self.store.parent_entry[: self.num_infosets],
        }

    def restore_names(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `names_state`, with a fresh store; raise FormatError if it does not fit."""
        packed = array_of(state, "names", (None,), np.uint8)
        names = MetInfosets.from_array(packed, self.num_players)
        sizes = np.array([len(block) for block in names.actions], dtype=np.int64)
        first = np.concatenate(([1], 1 + np.cumsum(sizes)))
        parents = array_of(state, "parent_entry", (len(sizes),), np.uint32)
        # Entry 0 belongs to all players.
        players = np.array(names.players, dtype=np.int64)
        owners = np.concatenate(([-1], np.repeat(players, sizes)))
        if np.any(parents >= first[:-1]) or not np.all(
            (parents == 0) | (owners[parents] == players)
        ):
            raise FormatError("the infosets of the saved state contradict one another")
        if not self._measure.is_partial and not names.are_part_of(self._measure):
            raise FormatError("the saved state has infosets that its game does not have")
        self._names = names
        self.store = self._make_store(first.astype(np.uint32), parents.copy())


def longer_array(values: Any, length: int, fill: float = 0.0) -> Any:
    """Return the array with `length` rows, the new ones filled."""
    longer = np.full((length, *values.shape[1:]), fill, dtype=values.dtype)
    longer[: len(values)] = values
    return longer
