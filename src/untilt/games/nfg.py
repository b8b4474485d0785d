"""Games from Gambit's strategic-form files (`.nfg`), read as data: nothing is executed.

A file is a header, `NFG 1 R "title" { "player" "player" }`, the strategies of the players, as
their number or their names, an optional comment, and payoffs in one of two forms. Player 1's
strategy changes fastest, the last player's slowest:

    { 2 2 }                            1 -1  -1 1  -1 1  1 -1        payoffs of all players in turn
    { { "U" "D" } { "L" "R" } }        { { "win" 1, -1 } … } 1 2 …   outcomes, then their numbers

Outcome 0 pays nothing. Gambit's documentation ("Game representation formats") describes the format.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from untilt.errors import GameTooLarge
from untilt.games.gambit_text import GambitText, Payoffs, distinct, read_text, seats_of
from untilt.games.matrix import MAX_ACTIONS, AnyTable, MatrixGame, MatrixRules, terms_of_matrix

MAX_CELLS = MAX_ACTIONS**2


def read_nfg(path: str | Path) -> MatrixGame:
    """Return the game in the file at `path`.

    Raises FormatError, with line and column, if the file is malformed.
    """
    return parse_nfg(read_text(path), str(path))


def parse_nfg(text: str, source: str = "the text") -> MatrixGame:
    """Return the game that `text` describes; `source` names it in messages."""
    return MatrixGame(_Parser(text, source).parse())


@dataclass(slots=True)
class _Parser(GambitText):
    def parse(self) -> MatrixRules:
        title, players = self.take_header("NFG", "1", "strategic-form")
        actions = self.take_strategies()
        if self.kind == "text":
            self.take_text("a comment")
        shape = tuple(map(len, actions))
        if math.prod(shape) > MAX_CELLS:
            raise GameTooLarge(
                f"{self.source} has {math.prod(shape):,} cells; at most {MAX_CELLS:,} are supported"
            )
        cells = self.take_outcomes(shape) if self.is_symbol("{") else self.take_table(shape)
        if self.kind != "end":
            raise self.error(f"the table is complete, but {self.shown()} follows")
        return MatrixRules(
            payoffs=tuple(_table(cells, shape, player) for player in range(len(shape))),
            actions=actions,
            terms=terms_of_matrix(seats_of(players), shape),
            parameters=None,
            title=" ".join(title.split()) or "matrix",
        )

    def take_strategies(self) -> tuple[tuple[str, ...], ...]:
        """Take the names of all players' strategies, or their number."""
        start = self.start
        self.take_symbol("{")
        found: list[tuple[str, ...]] = []
        while not self.is_symbol("}"):
            place = self.start
            if self.kind == "number":
                count = self.take_integer("a number of strategies")
                names = [""] * min(count, MAX_ACTIONS + 1)
            else:
                names = self.take_texts("the name of a strategy")
            if not names:
                raise self.error("a player has no strategy", place)
            if len(names) > MAX_ACTIONS:
                raise GameTooLarge(
                    f"{self.source} has a player with more than {MAX_ACTIONS:,} strategies, which "
                    "is the limit"
                )
            numbers = [str(number) for number in range(1, len(names) + 1)]
            known = [name or number for name, number in zip(names, numbers, strict=True)]
            found.append(tuple(distinct(known, [f" ({number})" for number in numbers])))
        self.take_symbol("}")
        if len(found) != self.num_players:
            wanted = "two" if self.num_players == 2 else self.num_players
            raise self.error(f"strategies of {len(found)} players, of {wanted} are needed", start)
        return tuple(found)

    def take_table(self, shape: tuple[int, ...]) -> list[Payoffs]:
        """Take the payoffs of every cell in turn."""
        return [
            tuple(self.take_payoff() for _ in range(self.num_players))
            for _ in range(math.prod(shape))
        ]

    def take_payoff(self) -> Fraction:
        number = self.take_number("a payoff")
        if self.is_symbol(","):
            self.advance()
        return number

    def take_outcomes(self, shape: tuple[int, ...]) -> list[Payoffs]:
        """Take the outcomes, and then the number of one for every cell."""
        self.take_symbol("{")
        outcomes = [self.nothing]
        while self.is_symbol("{"):
            outcomes.append(self.take_payoffs(with_name=True))
        self.take_symbol("}")
        cells = []
        for _ in range(math.prod(shape)):
            place = self.start
            number = self.take_integer("the number of an outcome")
            if number >= len(outcomes):
                raise self.error(f"outcome {number} is not among the {len(outcomes) - 1}", place)
            cells.append(outcomes[number])
        return cells


def _table(cells: list[Payoffs], shape: tuple[int, ...], player: int) -> AnyTable:
    """Return one player's payoffs by row, column, …; the row changes fastest in `cells`."""

    def part(axis: int, begin: int, step: int) -> Any:
        if axis == len(shape):
            return float(cells[begin][player])
        return tuple(
            part(axis + 1, begin + step * number, step * shape[axis])
            for number in range(shape[axis])
        )

    table: AnyTable = part(0, 0, 1)
    return table
