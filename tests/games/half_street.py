"""Half-street Kuhn poker: a game with forced moves, and its row of the registry.

Player 0 checks or bets 1. After a check player 1 must show her card; after a bet she folds or
calls. It is what CONTRIBUTING asks of a new game, and no more: a file of rules and a row.
"""

from fractions import Fraction
from typing import NamedTuple

from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games import GameSpec

_ACTIONS = {"": ("check", "bet"), "c": ("show",), "b": ("fold", "call")}
_LETTER = {"check": "c", "bet": "b", "show": "s", "fold": "f", "call": "c"}


class Held(NamedTuple):
    """A card and the line; it has no `public`, which is optional."""

    player: int
    private: str
    line: str

    def actions(self) -> tuple[str, ...]:
        return _ACTIONS[self.line]

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.line}"


class HalfStreet(Game):
    """A position; `HalfStreet()` is the game."""

    terms = Terms(public="", has_forced_moves=True)

    def __init__(self, cards: str = "", line: str = "") -> None:
        self.cards, self.line = cards, line

    @property
    def terminal(self) -> bool:
        return len(self.line) == 2

    @property
    def chance(self) -> bool:
        return len(self.cards) < 2

    @property
    def active(self) -> int:
        return len(self.line)

    def payoff(self, player: int) -> float:
        if self.line == "bf":
            gain = 1.0
        else:
            stake = 2.0 if self.line == "bc" else 1.0
            is_first = "JQK".index(self.cards[0]) > "JQK".index(self.cards[1])
            gain = stake if is_first else -stake
        return gain if player == 0 else -gain

    def chances(self) -> list[tuple[str, float]]:
        left = [card for card in "JQK" if card not in self.cards]
        return [(card, 1 / len(left)) for card in left]

    def infoset(self, player: int) -> Held:
        return Held(player, self.cards[player], self.line)

    def apply(self, action: Action) -> "HalfStreet":
        if self.chance:
            return HalfStreet(self.cards + str(action), "")
        return HalfStreet(self.cards, self.line + _LETTER[str(action)])


SPEC = GameSpec(
    name="half-street",
    title="Half-Street Kuhn",
    factory=HalfStreet,
    position=f"{__name__}.HalfStreet",
    summary="Kuhn poker in which player 1 never bets",
    infosets=6,
    action_variables=12,
    sequences=(7, 7),
    terminals=18,
    known_value=Fraction(1, 18),
    value_source="player 0 bluffs a third of her jacks, player 1 calls with a third of his queens",
)
