"""A solved spot that plays: its average strategy."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from untilt.cards.card import parse_cards
from untilt.cards.combos import combo_index
from untilt.errors import CardError, FormatError, InvalidOption, RunError
from untilt.formats.base.files import shown
from untilt.formats.kinds.solution_file import read_solution
from untilt.formats.run.run_folder import RunFolder
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, InfoSet, Uniforms
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.numeric.arrays import Floats
from untilt.policy.hands.advice import MISTAKE, Advice
from untilt.policy.policy import Stationary

if TYPE_CHECKING:
    from untilt.games.holdem.rules import HoldemRules
    from untilt.policy.nodes.public_state import PublicState
    from untilt.policy.saved.match_game import MatchGame

_MISTAKE_SHARE = 1e-3
"""As a share of the pot: how much equally good actions may differ in a good solution."""


class SpotPolicy(Stationary):
    """Plays the average strategy of a solution."""

    name = "the solution"

    def __init__(self, solution: Solution) -> None:
        super().__init__()
        self.solution = solution

    def own_game(self) -> "MatchGame":
        """Return the hands that begin where the spot does."""
        from untilt.policy.saved.spot_game import game_of_spot

        return game_of_spot(self.solution.at())

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the actions of a position of the spot with their probabilities."""
        node, lane = place_of(self.solution, infoset)  # type: ignore[arg-type]  # of a spot
        return list(zip(actions, mix_at(node)[:, lane].tolist(), strict=True))

    def start(self, rules: "HoldemRules | None" = None) -> "PublicState":
        """Refuse: a spot begins with a board and ranges, not with the hand."""
        raise InvalidOption(
            f"{self.name} is a solved spot, which does not play hands from their beginning; "
            "`untilt spot RUN --line … --board …` solves one of its streets, `--respond` answers it"
        )

    def advice(
        self,
        state: Any,
        asked: Choice,
        chosen: Action,
        rng: Uniforms | None = None,
        seconds: float | None = None,
    ) -> tuple[Advice | None, Any]:
        """Return the mix and what each action is worth."""
        del chosen, rng, seconds
        return advice_at(*place_of(self.solution, asked.infoset)), state  # type: ignore[arg-type]


def advice_at(node: SolutionNode, lane: int) -> Advice:
    """Return what a hand does at a node, and what its actions are worth."""
    mix, values = mix_at(node)[:, lane].tolist(), node.action_ev[:, lane].tolist()
    return Advice(
        dict(zip(node.actions, mix, strict=True)),
        {
            name: value
            for name, value in zip(node.actions, values, strict=True)
            if math.isfinite(value)
        },
        max(MISTAKE, _MISTAKE_SHARE * node.pot),
    )


class Known(Protocol):
    """The knowledge of the player to act: an infoset of a spot, or a turn."""

    @property
    def player(self) -> int:
        """Who is to act."""
        ...

    @property
    def private(self) -> str:
        """The hand, such as `AsKh`."""
        ...

    @property
    def public(self) -> str:
        """The board."""
        ...

    @property
    def line(self) -> str:
        """The betting."""
        ...


def place_of(solution: Solution, known: Known) -> tuple[SolutionNode, int]:
    """Return the node of a decision, and the number of the player's hand there."""
    node = solution.at(known.line, board=known.public)
    lanes = np.flatnonzero(node.combos(known.player) == _combo_of(known.private))
    if not len(lanes):
        raise CardError(f"{known.private} is not in the range of player {known.player} here")
    return node, int(lanes[0])


def _combo_of(private: str) -> int:
    """Return the combo of a text such as `AsKh`."""
    first, second = parse_cards(private)
    return combo_index(first, second)


def mix_at(node: SolutionNode) -> Floats:
    """Return [actions, hands] the strategy at a node, without computing values."""
    place = node.place
    return node.solution.snapshot.strategy(place.street, node.concrete.board, place.node)


def read_spot(folder: Path) -> Solution:
    """Return the solution of a finished run of a spot."""
    files = RunFolder(folder)
    record = files.record()
    if not files.strategy_file.exists():
        raise RunError(
            f"{shown(folder)} is not finished, so there is no strategy to play against; "
            f"continue it with: untilt spot --resume {shown(folder)}"
        )
    stored = read_solution(files.strategy_file)
    if stored.meta.get("fingerprint") != record.fingerprint:
        raise FormatError(f"{shown(files.strategy_file)} is the solution of another spot")
    try:
        return Solution.from_stored(stored.meta, stored.snapshot, path=folder)
    except FormatError as error:
        raise FormatError(f"{shown(files.strategy_file)}: {error}") from error
