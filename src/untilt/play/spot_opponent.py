"""A solved spot as an opponent: its average strategy, and what each action is worth."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from untilt.cards.card import parse_cards
from untilt.cards.combos import combo_index
from untilt.errors import CardError, FormatError, InvalidOption, RunError, UntiltError
from untilt.formats.files import shown
from untilt.formats.run_folder import RunFolder
from untilt.formats.solution_file import read_solution
from untilt.game.labels import split_label
from untilt.game.protocol import Uniforms
from untilt.game.public_tree import CHANCE, DECISION
from untilt.game.terms import Terms
from untilt.games.holdem.solution import Node, Solution
from untilt.numeric.arrays import Floats
from untilt.play.agents import Rules
from untilt.play.clock import Clock
from untilt.play.hand import Decision, Turn
from untilt.play.opponent import StrategyOpponent
from untilt.play.review import MISTAKE, Reviewed, reviewed_decision
from untilt.play.spot_game import SPOT_TERMS, SpotPosition

SPOT_KIND = "spot"
"""`kind` in the run.json of a solved spot."""

_MISTAKE_SHARE = 1e-3
"""As a share of the pot: how much equally good actions may differ in a good solution."""


@dataclass(frozen=True, eq=False)
class SpotAgent:
    """Plays the average strategy of a solution: one random number per decision."""

    solution: Solution

    def probabilities(self, turn: Turn) -> dict[str, float]:
        """Return `{action: probability}` at a turn."""
        node, lane = place_of(self.solution, turn)
        return dict(zip(node.actions, mix_at(node)[:, lane].tolist(), strict=True))

    def act(self, turn: Turn, rng: Uniforms, clock: Clock | None = None) -> str:
        """Return an action drawn from the strategy's probabilities."""
        shares = np.array(list(self.probabilities(turn).values())).cumsum()
        place = int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))
        return turn.actions[min(place, len(shares) - 1)]


@dataclass(frozen=True, eq=False)
class SpotOpponent(StrategyOpponent):
    """Everything needed to play against a solved spot and to compute what mistakes cost."""

    start: Node
    """Where hands begin."""
    is_finished: bool = True

    name = SPOT_KIND
    terms: Terms = SPOT_TERMS
    is_partial = False
    gap_words = ""
    has_hand_classes = False

    def __post_init__(self) -> None:
        if self.start.place.kind not in (DECISION, CHANCE):
            raise InvalidOption(
                f"the hand is over after {self.start.line!r}: give a shorter line to play from"
            )
        if not self.start.sides[0].mass.sum() > 0.0:
            raise InvalidOption(
                f"the line {self.start.line!r} is never played on {self.start.board}, so no hands "
                "can be dealt there: give another one"
            )

    @classmethod
    def load(cls, folder: Path, *, line: str = "", board: str | None = None) -> "SpotOpponent":
        """Return the opponent from a finished run of a spot, starting at a line and board."""
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
        solution = Solution.from_stored(stored.meta, stored.snapshot, path=folder)
        return cls(solution.at(line, board=board))

    @property
    def solution(self) -> Solution:
        """What it plays."""
        return self.start.solution

    @property
    def title(self) -> str:
        """The spot in a few words."""
        spot = self.solution.spot
        return f"Spot {spot.board_text}, pot {spot.pot}, stack {spot.stack}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The spot as data, and where hands begin."""
        return {
            "spot": self.solution.spot.to_dict(),
            "line": self.start.line,
            "board": self.start.board,
        }

    @cached_property
    def root(self) -> SpotPosition:
        """The game."""
        return SpotPosition.root_of(self.start)

    @cached_property
    def agent(self) -> SpotAgent:
        """The strategy as an agent for either seat."""
        return SpotAgent(self.solution)

    @property
    def rules(self) -> Rules:
        """The game being played, for agents at a table."""
        return Rules(self.name, self.parameters, self.terms)

    @property
    def is_zero_sum(self) -> bool:
        """Whether there is no rake."""
        return self.solution.spot.is_zero_sum

    def num_hidden(self, player: int) -> int:
        """Return how many cards a player holds."""
        del player
        return 2

    def has_decisions(self, player: int) -> bool:
        """Whether a player ever acts."""
        streets = self.solution.view.betting.streets
        return any(bool(np.any(forest.player == player)) for forest in streets)

    def has_infoset(self, player: int, label: str) -> bool:
        """Whether a player can reach the infoset `label`."""
        owner, known = split_label(label)
        if owner != player:
            return False
        try:
            turn = Turn(player, label, *known, ())
            return place_of(self.solution, turn)[0].player == player
        except UntiltError:
            return False

    def review(self, decisions: Iterable[Decision], player: int) -> list[Reviewed]:
        """Return the review of the decisions that `player` took."""
        return [self._reviewed(each) for each in decisions if each.player == player]

    def _reviewed(self, decision: Decision) -> Reviewed:
        node, lane = place_of(self.solution, decision)
        return reviewed_decision(
            decision,
            tuple(mix_at(node)[:, lane].tolist()),
            tuple(node.action_ev[:, lane].tolist()),
            mistake=max(MISTAKE, _MISTAKE_SHARE * node.pot),
        )


def place_of(solution: Solution, turn: Turn) -> tuple[Node, int]:
    """Return the node of a turn, and the number of the player's hand there."""
    node = solution.at(turn.line, board=turn.public)
    lanes = np.flatnonzero(node.combos(turn.player) == combo_of(turn.private))
    if not len(lanes):
        raise CardError(f"{turn.private} is not in the range of player {turn.player} here")
    return node, int(lanes[0])


def combo_of(private: str) -> int:
    """Return the combo of a text such as `AsKh`."""
    first, second = parse_cards(private)
    return combo_index(first, second)


def mix_at(node: Node) -> Floats:
    """Return [actions, hands] the strategy at a node, without computing values."""
    place = node.place
    return node.solution.snapshot.strategy(place.street, node.concrete.board, place.node)
