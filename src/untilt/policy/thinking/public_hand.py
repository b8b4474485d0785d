"""A public state of a hand as a blueprint follows it, thinking or not.

Beside what everybody sees, it has both players' ranges as they are believed to be, where the
blueprint sees the hand, and the street that is solved, if one is.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

from untilt.abstraction.betting_form import BettingPlace
from untilt.game.actions import ActionData
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.spots.subgame import with_floor
from untilt.numeric.arrays import Floats
from untilt.policy.nodes.public_state import PublicState
from untilt.policy.thinking.solved_street import SolvedStreet

_MAX_BYTES = 150_000_000
"""Memory for cached solutions of streets: a river takes about 4 MB, a turn 20 to 60."""


@dataclass(frozen=True, eq=False)
class Root:
    """A state from which the rest of a street can be solved: the strategy up to it is fixed."""

    betting: Betting
    line: tuple[str, ...]
    ranges: tuple[Floats, Floats]
    sight: BettingPlace
    solved: SolvedStreet | None = None
    """The previous solution, if the opponent has left it, or if it ended with the street."""
    node: int = 0
    card: int | None = None
    """The card that was dealt after it."""


class Solutions:
    """Streets that were solved in one hand, by seat, board and line; the oldest ones go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], SolvedStreet] = OrderedDict()

    def get(self, key: tuple[object, ...]) -> SolvedStreet | None:
        """Return a solution that is remembered."""
        return self._kept.get(key)

    def keep(self, key: tuple[object, ...], solved: SolvedStreet) -> None:
        """Remember a solution."""
        self._kept[key] = solved
        while len(self._kept) > 1 and sum(s.num_bytes for s in self._kept.values()) > _MAX_BYTES:
            self._kept.popitem(last=False)


@dataclass(frozen=True, eq=False)
class PublicHand(PublicState):
    """A public state of a hand; see the module."""

    ranges: tuple[Floats, Floats] = field(kw_only=True)
    """By seat, [1326] weights that sum to 1; cards of the other player are not removed."""
    sight: BettingPlace = field(kw_only=True)
    """Where the blueprint sees the hand."""
    root: Root = field(kw_only=True)
    answer: ActionData | None = field(default=None, kw_only=True)
    """What the opponent did at the root, if anything."""
    solved: SolvedStreet | None = field(default=None, kw_only=True)
    node: int = field(default=0, kw_only=True)
    """The node in `solved`."""
    solutions: Solutions = field(default_factory=Solutions, kw_only=True, repr=False)
    """What was solved in this hand."""


def followed(state: PublicState) -> PublicHand:
    """Return a state that a blueprint has made."""
    assert isinstance(state, PublicHand), "a state of a blueprint"
    return state


def dealt_ranges(hand: PublicHand, board: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the ranges on a longer board."""
    first, second = (with_floor(each, board) for each in hand.ranges)
    return first, second


def updated_ranges(hand: PublicHand, likelihood: Floats) -> tuple[Floats, Floats]:
    """Return the ranges after an action of the player to act, by Bayes' rule, with a floor."""
    ranges = list(hand.ranges)
    player = hand.betting.player
    ranges[player] = with_floor(ranges[player] * likelihood, hand.board)
    return ranges[0], ranges[1]
