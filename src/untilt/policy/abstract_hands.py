"""What a strategy of an abstract game does with all hands at a public state of real hold'em.

A ready-made factor of an abstraction depends on the hand only if it describes something private,
and then on nothing but the hand and the board. What a user's function reads is not known, so it is
called for every hand and state.
"""

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.abstraction.algebra import About, Factor
from untilt.abstraction.translation import Sight, Translation
from untilt.cards.combos import NUM_COMBOS
from untilt.game.actions import ActionData
from untilt.games.holdem.game import HoldemInfoset
from untilt.numeric.arrays import Floats
from untilt.policy.hands.turn import data_of
from untilt.policy.nodes.public_state import HANDS, Moves, PublicState

_Members: TypeAlias = npt.NDArray[np.int64]
"""Combos that are played alike."""

_MAX_STATES, _MAX_BOARDS = 2_000, 200
"""How many public states and boards are remembered; a state has about 40 kB."""


class AbstractHands:
    """All hands of an abstract strategy; the states met last are remembered."""

    def __init__(self, translation: Translation) -> None:
        self._translation = translation
        factors = translation.game.abstraction.states.factors
        self._private = [
            each for each in factors if each.is_ready_made and each.about is About.PRIVATE
        ]
        self._users = [each for each in factors if not each.is_ready_made]
        self._groups: dict[tuple[int, ...], list[_Members]] = {}
        self._moves: dict[tuple[tuple[int, ...], str, int, Sight | None], Moves] = {}

    def moves(self, state: PublicState, sight: Sight | None) -> Moves:
        """Return what is done at a state, whose betting the strategy sees as `sight`."""
        key = state.board, state.letters, state.player, sight
        found = self._moves.get(key)
        if found is None:
            if len(self._moves) >= _MAX_STATES:
                self._moves.clear()
            found = self._moves[key] = self._made(state, sight)
        return found

    def _made(self, state: PublicState, sight: Sight | None) -> Moves:
        found: dict[ActionData, Floats] = {}
        infoset = state.infoset()
        for members in self._groups_at(infoset, sight, state.rules.deck_set):
            known = infoset._replace(hand=HANDS[members[0]])
            for action, _, share in self._translation.mix(known, sight):
                shares = found.setdefault(data_of(action), np.zeros(NUM_COMBOS))
                shares[members] += share
        return list(found.items())

    def _groups_at(
        self, infoset: HoldemInfoset, sight: Sight | None, deck: frozenset[int]
    ) -> list[_Members]:
        """Return the combos that the abstraction does not tell apart at a state."""
        board = infoset.board
        if board not in self._groups:
            if len(self._groups) >= _MAX_BOARDS:
                self._groups.clear()
            left = deck.difference(board)
            possible = [combo for combo, hand in enumerate(HANDS) if left.issuperset(hand)]
            self._groups[board] = _grouped(self._private, infoset, possible)
        if not self._users:
            return self._groups[board]
        if sight is not None:
            infoset = infoset._replace(betting=sight.betting, line=sight.line)
        return [
            part
            for members in self._groups[board]
            for part in _grouped(self._users, infoset, members.tolist())
        ]


def _grouped(
    factors: Sequence[Factor], infoset: HoldemInfoset, combos: Sequence[int]
) -> list[_Members]:
    """Return combos with equal values of all `factors` together."""
    found: dict[tuple[Hashable, ...], list[int]] = {}
    for combo in combos:
        known = infoset._replace(hand=HANDS[combo])
        found.setdefault(tuple([each.value(known) for each in factors]), []).append(combo)
    return [np.array(members) for members in found.values()]
