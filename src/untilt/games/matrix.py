"""Matrix games: all players choose at once, and a table says what each gains.

`matching_pennies` is the smallest with a mixed equilibrium. Its parameter makes it the game of
experiments on quantal response: raising the row player's own payoff does not change her equilibrium
strategy, but clearly changes how people play (Ochs 1995; Goeree, Holt & Palfrey 2003). `matrix`
takes any table of two players; files of Gambit (`.nfg`), with any number of players, are read by
`untilt.games.nfg`.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from untilt.errors import GameError, InvalidOption, shortened
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import ParameterValue, checked

Table = tuple[tuple[float, ...], ...]
"""[actions of player 0][actions of player 1], in chips."""

AnyTable = tuple[Any, ...]
"""[actions of player 0][actions of player 1] … [actions of the last player], in chips."""

MAX_ACTIONS = 1_000
_CHOOSE_AT_ONCE = (
    "Player 0 chooses a row of the table and player 1 a column, at once, so that neither sees the "
    "other's choice. The cell where they meet says what each gains."
)
_ALL_CHOOSE_AT_ONCE = "All players choose at once. A table says what each gains."


class MatrixInfoset(NamedTuple):
    """A player's only infoset, `P0:`, `P1:`, …"""

    player: int
    legal: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        """Return the rows, the columns, or what else the player chooses from."""
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:"


@dataclass(frozen=True)
class MatrixRules:
    """A table for each player, the names of the actions, and what the game is called."""

    payoffs: tuple[AnyTable, ...]
    actions: tuple[tuple[str, ...], ...]
    terms: Terms
    parameters: dict[str, ParameterValue] | None
    """Those that rebuild the game; None if there are none."""
    title: str = "matrix"
    """The beginning of messages."""


@dataclass(frozen=True, slots=True)
class MatrixGame(Game):
    """A position of a matrix game; players do not see the choices before theirs."""

    rules: MatrixRules
    chosen: tuple[str, ...] = ()

    @property
    def terms(self) -> Terms:
        """The names of the players, and the rules in a sentence."""
        return self.rules.terms

    @property
    def parameters(self) -> dict[str, ParameterValue] | None:
        """The parameters with which this game is made."""
        return self.rules.parameters

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.rules.actions)

    @property
    def terminal(self) -> bool:
        return len(self.chosen) == len(self.rules.actions)

    @property
    def chance(self) -> bool:
        return False

    @property
    def active(self) -> int:
        return len(self.chosen)

    def payoff(self, player: int) -> float:
        found: Any = self.rules.payoffs[player]
        for names, name in zip(self.rules.actions, self.chosen, strict=True):
            found = found[names.index(name)]
        return float(found)

    def chances(self) -> Sequence[tuple[Action, float]]:
        return ()

    def infoset(self, player: int) -> MatrixInfoset:
        return MatrixInfoset(player, self.rules.actions[player])

    def apply(self, action: Action) -> "MatrixGame":
        legal = () if self.terminal else self.rules.actions[self.active]
        if action not in legal:
            listed = ", ".join(legal) or "nothing, the game is over"
            raise GameError(f"{self.rules.title}: {action!r} is not legal here; legal: {listed}")
        return type(self)(self.rules, (*self.chosen, str(action)))


class MatchingPennies(MatrixGame):
    """A position of matching pennies; `matching_pennies()` makes the game."""

    __slots__ = ()


@checked
def matching_pennies(heads: float = 1.0) -> MatrixGame:
    """Return matching pennies: player 0 wins 1 if both coins show the same, else player 1.

    Player 0 gains `heads` instead if both show heads; the game is zero-sum only if that is 1.
    """
    sides = ("heads", "tails")
    rules = MatrixRules(
        payoffs=(((heads, -1.0), (-1.0, 1.0)), ((-1.0, 1.0), (1.0, -1.0))),
        actions=(sides, sides),
        terms=Terms(
            seats=("matcher", "mismatcher"),
            private="",
            public="",
            verbs=("show", "show"),
            rules="Both players show a side of a coin at once, heads or tails. The matcher wins a "
            "chip from the other if the sides are equal; otherwise the mismatcher does.",
        ),
        parameters={"heads": heads},
        title="matching-pennies",
    )
    return MatchingPennies(rules)


@checked
def matrix(payoffs: str = "0 -1 1; 1 0 -1; -1 1 0", other: str = "") -> MatrixGame:
    """Return the game of a table: rows divided by semicolons, numbers by spaces.

    `payoffs` are those of player 0, who chooses the row. `other` are those of player 1; without
    them she loses what player 0 gains. The default is rock, paper, scissors.
    """
    own = _table("payoffs", payoffs)
    shape = (len(own), len(own[0]))
    theirs = _table("other", other) if other else tuple(tuple(-x for x in row) for row in own)
    if (len(theirs), len(theirs[0])) != shape:
        raise InvalidOption(
            f"matrix: payoffs has {shape[0]} × {shape[1]} numbers and other "
            f"{len(theirs)} × {len(theirs[0])}; give tables of the same shape"
        )
    rows, columns = (tuple(str(number) for number in range(1, count + 1)) for count in shape)
    rules = MatrixRules(
        payoffs=(own, theirs),
        actions=(rows, columns),
        terms=terms_of_matrix(("row", "column"), shape),
        parameters={"payoffs": payoffs, "other": other},
    )
    return MatrixGame(rules)


def terms_of_matrix(seats: tuple[str, ...], shape: Sequence[int]) -> Terms:
    """Return the terms of a table with these numbers of rows and columns, and of more of them."""
    return Terms(
        seats=seats,
        verbs=Terms.verbs[:1] * len(seats),
        private="",
        public="",
        has_forced_moves=1 in shape,
        rules=_CHOOSE_AT_ONCE if len(seats) == 2 else _ALL_CHOOSE_AT_ONCE,
    )


def _table(name: str, text: str) -> Table:
    try:
        rows = [tuple(float(number) for number in row.split()) for row in text.split(";")]
        is_sound = all(abs(number) < float("inf") for row in rows for number in row)
    except ValueError:
        is_sound = False
    if not is_sound or not rows[0] or len({len(row) for row in rows}) > 1:
        raise InvalidOption(
            f"matrix: {name}={shortened(text)}; give rows of finite numbers, all of the same "
            "length, such as '1 -1; -1 1'"
        )
    if max(len(rows), len(rows[0])) > MAX_ACTIONS:
        raise InvalidOption(
            f"matrix: {name} has {len(rows):,} × {len(rows[0]):,} numbers; at most "
            f"{MAX_ACTIONS:,} rows and columns are supported"
        )
    return tuple(rows)
