"""Games from Gambit's extensive-form files (`.efg`), read as data: nothing is executed.

A file is a header, `EFG 2 R "title" { "player" "player" } "comment"`, then the nodes of the tree
in depth-first order, the children of each in the order of its actions:

    c "" 1 "deal" { "high" 1/2 "low" 1/2 } 0       chance: number, name, outcomes, outcome
    p "" 2 7 "Q bet" { "fold" "call" } 0           player, her infoset, name, actions, outcome
    t "" 3 "wins" { 1, -1 }                        end: outcome, its name, payoffs

The name and actions of an infoset, and the name and payoffs of an outcome, may be left out once
they have been given. An outcome at an inner node counts too: payoffs add up along a history. They
are summed as fractions and rounded once, when a payoff is requested.

Names become labels. An infoset without a name is called `P0:3`, by player and number; infosets that
share a name get this as a suffix. Actions without a name are called by their number. Gambit's
documentation ("Game representation formats") describes the format. A backslash escapes a quotation
mark and nothing else.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from untilt.errors import GameError, GameTooLarge
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.gambit_text import GambitText, Payoffs, distinct, read_text, seats_of

MAX_NODES = 10_000_000

_SUM_TOLERANCE = Fraction(1, 10**9)
_SUM_BITS = 256


class EfgInfoset(NamedTuple):
    """An infoset of a file."""

    player: int
    label: str
    legal: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        """Return the names of the actions in the order of the file."""
        return self.legal

    def __str__(self) -> str:
        return self.label


class ChanceMove(NamedTuple):
    """A chance move of a file."""

    outcomes: tuple[str, ...]
    probabilities: tuple[Fraction, ...]
    rounded: tuple[float, ...]
    """The probabilities as floats, converted once because they are used often."""


@dataclass(frozen=True, slots=True, eq=False)
class EfgTree:
    """The content of a file, shared by all positions of the game."""

    title: str
    comment: str
    players: tuple[str, ...]
    """The names of the players as the file gives them."""
    moves: Sequence[EfgInfoset | ChanceMove | None]
    """For each node in the order of the file; None at ends."""
    places: Sequence[Mapping[str, int]]
    """For each node: the position of each action name in its move."""
    children: Sequence[Sequence[int]]
    payoffs: Sequence[Payoffs]
    """For each node: what all players have gained on the way to it, in chips."""
    is_zero_sum: bool
    """Whether the payoffs of every end sum to zero, exactly."""
    terms: Terms
    """The players' names, if they differ, and whether moves are forced."""


@dataclass(frozen=True, slots=True, repr=False)
class EfgGame(Game):
    """A position of a game read from a file; node 0 is the root."""

    tree: EfgTree
    node: int = 0

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.tree.players)

    @property
    def terminal(self) -> bool:
        return self.tree.moves[self.node] is None

    @property
    def chance(self) -> bool:
        return isinstance(self.tree.moves[self.node], ChanceMove)

    @property
    def active(self) -> int:
        return self._infoset().player

    @property
    def terms(self) -> Terms:
        """The names of the players, and whether moves are forced."""
        return self.tree.terms

    @property
    def is_zero_sum(self) -> bool:
        """Whether payoffs sum to zero exactly, as fractions."""
        return self.tree.is_zero_sum

    def payoff(self, player: int) -> float:
        return float(self.tree.payoffs[self.node][player])

    def chances(self) -> list[tuple[str, float]]:
        move = self.tree.moves[self.node]
        assert isinstance(move, ChanceMove)
        return list(zip(move.outcomes, move.rounded, strict=True))

    def infoset(self, player: int) -> EfgInfoset:
        infoset = self._infoset()
        assert infoset.player == player
        return infoset

    def apply(self, action: Action) -> "EfgGame":
        places = self.tree.places[self.node]
        # Anything but a name may be unhashable, and cannot be looked up.
        place = places.get(action) if isinstance(action, str) else None
        if place is not None:
            return EfgGame(self.tree, self.tree.children[self.node][place])
        listed = ", ".join(places) or "nothing, the game is over"
        raise GameError(f"{self.tree.title}: {action!r} is not legal here; legal: {listed}")

    def __repr__(self) -> str:
        return f"<EfgGame {self.tree.title!r} node={self.node}>"

    def _infoset(self) -> EfgInfoset:
        move = self.tree.moves[self.node]
        assert isinstance(move, EfgInfoset)
        return move


def read_efg(path: str | Path) -> EfgGame:
    """Return the game in the file at `path`.

    Raises FormatError, with line and column, if the file is malformed.
    """
    return parse_efg(read_text(path), str(path))


def parse_efg(text: str, source: str = "the text") -> EfgGame:
    """Return the game that `text` describes; `source` names it in messages."""
    return EfgGame(_Parser(text, source).parse())


@dataclass(slots=True)
class _Declared:
    """The file's declaration of an infoset or a chance move."""

    name: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()
    place: int = 0
    """Position among the moves of the file."""


@dataclass(slots=True)
class _Parser(GambitText):
    declared: dict[tuple[int, int], _Declared] = field(default_factory=dict)
    """By player, −1 for chance, and number."""
    payoffs_of_outcome: dict[int, Payoffs] = field(default_factory=dict)

    def parse(self) -> EfgTree:
        title, players = self.take_header("EFG", "2", "extensive-form")
        comment = self.take_text("a comment") if self.kind == "text" else ""
        moves, children, payoffs = self.take_tree()
        made = self.named_moves()
        nowhere: dict[str, int] = {}
        places = [{name: place for place, name in enumerate(_names(move))} for move in made]
        return EfgTree(
            title=title,
            comment=comment,
            players=players,
            moves=[None if move is None else made[move] for move in moves],
            places=[nowhere if move is None else places[move] for move in moves],
            children=children,
            payoffs=payoffs,
            is_zero_sum=all(
                sum(gained) == 0
                for gained, move in zip(payoffs, moves, strict=True)
                if move is None
            ),
            terms=_terms(players, made),
        )

    def take_tree(self) -> tuple[list[int | None], list[list[int]], list[Payoffs]]:
        """Return the moves, by their place in `declared`, children and payoffs of all nodes."""
        moves: list[int | None] = []
        children: list[list[int]] = []
        payoffs: list[Payoffs] = []
        is_open: list[tuple[int, int]] = []  # nodes that lack children, and how many they need
        is_first = True
        nothing = self.nothing
        while is_open or is_first:
            is_first = False
            if len(moves) >= MAX_NODES:
                raise GameTooLarge(
                    f"{self.source} has more than {MAX_NODES:,} nodes, which is the limit"
                )
            node = len(moves)
            gained = nothing
            if is_open:
                parent, full = is_open[-1]
                gained = payoffs[parent]
                children[parent].append(node)
                if len(children[parent]) == full:
                    is_open.pop()
            move = self.take_move()
            outcome = self.take_outcome()
            if any(outcome):
                gained = tuple(map(operator.add, gained, outcome))
            moves.append(None if move is None else move.place)
            children.append([])
            payoffs.append(gained)
            if move is not None:
                is_open.append((node, len(move.actions)))
        if self.kind != "end":
            raise self.error(f"the tree is complete, but {self.shown()} follows")
        return moves, children, payoffs

    def take_move(self) -> _Declared | None:
        """Take a node up to its outcome; None for an end."""
        if self.kind == "end":
            raise self.error("the file ends before its tree is complete")
        if self.kind != "symbol" or self.value not in ("c", "p", "t"):
            raise self.error(f"expected a node (c, p or t), found {self.shown()}")
        letter = self.value
        self.advance()
        self.take_text("the name of the node")
        if letter == "t":
            return None
        player = -1
        if letter == "p":
            start = self.start
            player = self.take_integer("the number of a player") - 1
            if not 0 <= player < self.num_players:
                players = "1 or 2" if self.num_players == 2 else f"1 to {self.num_players}"
                raise self.error(f"player {player + 1} does not exist; use {players}", start)
        start = self.start
        number = self.take_integer("the number of an infoset")
        known = self.declared.get((player, number))
        if self.kind != "text":
            if known is None:
                raise self.error(
                    f"infoset {number} is used before its name and actions are given", start
                )
            return known
        name = self.take_text("the name of the infoset")
        actions, probabilities = self.take_actions(is_chance=player < 0)
        if known is None:
            known = _Declared(name, actions, probabilities, len(self.declared))
            self.declared[player, number] = known
        elif (actions, probabilities) != (known.actions, known.probabilities) or (
            name and name != known.name
        ):
            owner = "chance" if player < 0 else f"player {player + 1}"
            raise self.error(
                f"infoset {number} of {owner} does not have the same name, actions or "
                "probabilities as before",
                start,
            )
        return known

    def take_actions(self, *, is_chance: bool) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        start = self.start
        self.take_symbol("{")
        actions: list[str] = []
        probabilities: list[Fraction] = []
        while self.kind == "text":
            actions.append(self.take_text("an action"))
            if is_chance:
                place = self.start
                probabilities.append(self.take_number("a probability"))
                if probabilities[-1] < 0:
                    raise self.error("a probability is negative", place)
        self.take_symbol("}")
        if not actions:
            raise self.error("a node without actions; write the end of a history as t", start)
        if is_chance:
            # In units far below the tolerance: the exact sum of many fractions may have as many
            # digits as all denominators together.
            units = sum((each.numerator << _SUM_BITS) // each.denominator for each in probabilities)
            total = Fraction(units, 1 << _SUM_BITS)
            if abs(total - 1) > _SUM_TOLERANCE:
                raise self.error(f"the probabilities sum to {float(total):.12g}, not to 1", start)
        return tuple(actions), tuple(probabilities)

    def take_outcome(self) -> Payoffs:
        start = self.start
        number = self.take_integer("the number of an outcome")
        known = self.nothing if number == 0 else self.payoffs_of_outcome.get(number)
        if self.kind == "text":
            self.take_text("the name of the outcome")
        if not self.is_symbol("{"):
            if known is None:
                raise self.error(f"outcome {number} is used before its payoffs are given", start)
            return known
        given = self.take_payoffs()
        if known is not None and known != given:
            raise self.error(f"outcome {number} has different payoffs than before", start)
        self.payoffs_of_outcome[number] = given
        return given

    def named_moves(self) -> list[EfgInfoset | ChanceMove]:
        """Return the infosets and chance moves of the file, under distinct names."""
        keys = list(self.declared)
        names = [
            None if player < 0 else self.declared[player, number].name or f"P{player}:{number}"
            for player, number in keys
        ]
        suffixes = [f" (P{player}:{number})" for player, number in keys]
        labels = distinct(names, suffixes)
        moves: list[EfgInfoset | ChanceMove] = []
        for (player, _), label in zip(keys, labels, strict=True):
            declared = self.declared[keys[len(moves)]]
            numbers = [str(number) for number in range(1, len(declared.actions) + 1)]
            actions = tuple(
                distinct(
                    [
                        name or number
                        for name, number in zip(declared.actions, numbers, strict=True)
                    ],
                    [f" ({number})" for number in numbers],
                )
            )
            if player < 0:
                rounded = tuple(map(float, declared.probabilities))
                moves.append(ChanceMove(actions, declared.probabilities, rounded))
            else:
                moves.append(EfgInfoset(player, label, actions))
        return moves


def _terms(players: tuple[str, ...], moves: Iterable[EfgInfoset | ChanceMove]) -> Terms:
    is_forced = any(isinstance(move, EfgInfoset) and len(move.legal) == 1 for move in moves)
    verbs = Terms.verbs[:1] * len(players)
    return Terms(seats=seats_of(players), verbs=verbs, has_forced_moves=is_forced)


def _names(move: EfgInfoset | ChanceMove) -> tuple[str, ...]:
    return move.legal if isinstance(move, EfgInfoset) else move.outcomes
