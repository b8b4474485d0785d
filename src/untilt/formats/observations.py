"""Observed play in CSV files: counts per infoset and action, or hands to be replayed.

    infoset,action,count          p0,p1,public,line
    P0:J:,check,812               J,Q,,cbf
    P0:J:,bet,188                 K,J,,bc

A hand gives each player's private card, the public card if one was dealt, and the line of betting
(c check or call, b bet, r raise, a all-in, f fold, / a new street). It is followed through the
game's tree by what the infosets show, and adds each decision of both players to the counts.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from untilt.errors import FormatError
from untilt.formats.files import open_regular, shown, unreadable
from untilt.game.compiled import CompiledGame
from untilt.game.tree import CHANCE, TERMINAL, GameTree
from untilt.numeric.arrays import Floats

COUNTS_HEADER = ("infoset", "action", "count")
HANDS_HEADER = ("p0", "p1", "public", "line")

ACTIONS_OF_LETTER = {
    "c": ("check", "call"),
    "b": ("bet",),
    "r": ("raise",),
    "a": ("all-in",),
    "f": ("fold",),
}
"""What each letter of a line stands for."""

MAX_BYTES = 256 << 20
MAX_COUNT = 10**15
"""Integers up to this, and sums of a few of them, are exact in a float."""


@dataclass(frozen=True)
class Observations:
    """How often each action of a game was taken."""

    counts: Floats
    """[actions] player 0's infosets first, each with its actions in order."""
    num_hands: int | None
    """How many hands the file held; None if it held counts."""

    @property
    def num_decisions(self) -> int:
        """Decisions in total, without forced ones."""
        return int(self.counts.sum())


def read_observations(path: Path, game: CompiledGame) -> Observations:
    """Return the observations in a CSV file; FormatError, naming the row, if they do not fit."""
    data = _data(path)
    try:
        rows = list(_rows(_text(data)))
        if not rows:
            raise FormatError(f"the file is empty; {_expected_headers()}")
        number, header = rows[0]
        names = tuple(name.strip().lower() for name in header)
        if names not in (COUNTS_HEADER, HANDS_HEADER):
            given = ",".join(header)[:80]
            raise FormatError(f"row {number}: the header is {given!r}; {_expected_headers()}")
        if len(rows) == 1:
            raise FormatError("the file has a header but no observations")
        for number, row in rows[1:]:
            if len(row) != len(names):
                raise FormatError(
                    f"row {number} has {len(row)} fields; {','.join(names)} needs {len(names)}"
                )
        if names == COUNTS_HEADER:
            observations = _read_counts(rows[1:], game)
        else:
            observations = _read_hands(rows[1:], game)
        if not observations.num_decisions:
            raise FormatError(
                "nothing was observed: all counts belong to infosets with a single action"
            )
    except FormatError as error:
        raise FormatError(f"{shown(path)}: {error}") from error
    return observations


def _expected_headers() -> str:
    return f"expected {','.join(COUNTS_HEADER)} or {','.join(HANDS_HEADER)}"


def _data(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from error


def _text(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise FormatError(f"larger than {MAX_BYTES >> 20} MiB; sum it up as infoset,action,count")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, with their line numbers."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(f"row {reader.line_num}: not valid CSV ({error})") from error
        if any(field.strip() for field in row):
            yield reader.line_num, row


def _read_counts(rows: Sequence[tuple[int, list[str]]], game: CompiledGame) -> Observations:
    first = _first_actions(game)
    counts = np.zeros(game.num_action_variables)
    for number, row in rows:
        label, action, count = (field.strip() for field in row)
        amount = _count(number, count)
        if label in game.forced:
            _check_action(number, label, action, (game.forced[label],))
            continue
        for player, table in enumerate(game.infosets):
            if label in table:
                index = table.index(label)
                actions = table.actions(index)
                _check_action(number, label, action, actions)
                at = first[player] + table.block(index).start - 1
                counts[at + actions.index(action)] += amount
                break
        else:
            raise FormatError(
                f"row {number}: the game has no infoset {label[:80]!r}; its infosets are named "
                f"like {_examples(game)}"
            )
    return Observations(counts, None)


def _first_actions(game: CompiledGame) -> tuple[int, int]:
    return 0, game.infosets[0].num_sequences - 1


def _examples(game: CompiledGame) -> str:
    labels = (*islice(game.infosets[0], 2), *islice(game.infosets[1], 1))
    return ", ".join(map(repr, labels))


def _check_action(number: int, label: str, action: str, actions: tuple[str, ...]) -> None:
    if action not in actions:
        raise FormatError(
            f"row {number}: infoset {label!r} has no action {action[:40]!r}; its actions are "
            f"{', '.join(actions)}"
        )


def _count(number: int, given: str) -> int:
    try:
        count = int(given)
    except ValueError:
        raise FormatError(f"row {number}: the count {given[:40]!r} is not an integer") from None
    if not 1 <= count <= MAX_COUNT:
        raise FormatError(
            f"row {number}: the count is {given[:40]}; it must be from 1 to {MAX_COUNT:.0e}: "
            "leave out actions that were not observed"
        )
    return count


def _read_hands(rows: Sequence[tuple[int, list[str]]], game: CompiledGame) -> Observations:
    replay = _Replay(game, game.require(GameTree, "give infoset,action,count instead of hands"))
    counts = np.zeros(game.num_action_variables)
    hands: Counter[tuple[str, ...]] = Counter()
    first_row: dict[tuple[str, ...], int] = {}
    for number, row in rows:
        hand = tuple(field.strip() for field in row)
        hands[hand] += 1
        first_row.setdefault(hand, number)
    for hand, times in hands.items():
        for action in replay.actions(first_row[hand], hand[0], hand[1], hand[2], hand[3]):
            counts[action] += times
    return Observations(counts, len(rows))


@dataclass(frozen=True)
class _Replay:
    """Hands followed through the tree: all nodes that agree with what a hand shows."""

    game: CompiledGame
    tree: GameTree

    @cached_property
    def _publics(self) -> set[str]:
        return {public for table in self.game.infosets for public in table.column("public").texts}

    def actions(self, row: int, card_0: str, card_1: str, public: str, line: str) -> list[int]:
        """Return the indices of the actions taken in a hand."""
        cards = (card_0, card_1)
        if public and public not in self._publics:
            raise FormatError(f"row {row}: the game has no public card {public[:40]!r}")
        nodes = self._decisions_below([0])
        taken: list[int] = []
        first = _first_actions(self.game)
        for at, letter in enumerate(line):
            if letter == "/":
                continue
            nodes = self._showing(nodes, cards, public, line[:at])
            if not nodes:
                raise self._no_decision(row, cards, public, line, at)
            player, infoset = self._place(nodes[0])
            table = self.game.infosets[player]
            choice = self._choice(row, table.label(infoset), table.actions(infoset), letter)
            taken.append(first[player] + table.block(infoset).start - 1 + choice)
            nodes = [int(self.tree.first_child[node]) + choice for node in nodes]
            nodes = self._decisions_below(nodes)
        if nodes and not any(self.tree.player[node] == TERMINAL for node in nodes):
            waiting = self._showing(nodes, cards, public, line)
            player, infoset = self._place((waiting or nodes)[0])
            raise FormatError(
                f"row {row}: the line {line[:80]!r} ends before the hand does; player {player} "
                f"is to act" + (f" at {self._label(player, infoset)!r}" if waiting else "")
            )
        return taken

    def _label(self, player: int, infoset: int) -> str:
        return self.game.infosets[player].label(infoset)

    def _place(self, node: int) -> tuple[int, int]:
        return int(self.tree.player[node]), int(self.tree.infoset[node])

    def _decisions_below(self, nodes: list[int]) -> list[int]:
        """Return the decisions and ends that follow `nodes` by chance alone."""
        found: list[int] = []
        stack = nodes[::-1]
        while stack:
            node = stack.pop()
            if self.tree.player[node] == CHANCE:
                begin, size = int(self.tree.first_child[node]), int(self.tree.num_children[node])
                stack.extend(range(begin + size - 1, begin - 1, -1))
            else:
                found.append(node)
        return found

    def _showing(
        self, nodes: list[int], cards: tuple[str, str], public: str, line: str
    ) -> list[int]:
        """Return the decisions whose infosets show these cards and this line."""
        kept = []
        for node in nodes:
            player, infoset = self._place(node)
            if player < 0:
                continue
            known = self.game.infosets[player].parts(infoset)
            if (
                known.private == cards[player]
                and known.public in ("", public)
                and known.line == line
            ):
                kept.append(node)
        return kept

    @staticmethod
    def _choice(row: int, label: str, actions: tuple[str, ...], letter: str) -> int:
        for name in ACTIONS_OF_LETTER.get(letter, ()):
            if name in actions:
                return actions.index(name)
        raise FormatError(
            f"row {row}: infoset {label!r} has no action for the letter {letter!r}; its actions "
            f"are {', '.join(actions)}"
        )

    def _no_decision(
        self, row: int, cards: tuple[str, str], public: str, line: str, at: int
    ) -> FormatError:
        if not any(any(table.column("line").texts) for table in self.game.infosets):
            return FormatError(
                "the infosets of this game do not show the line; give infoset,action,count"
            )
        shown_public = f", public {public[:20]!r}" if public else ""
        return FormatError(
            f"row {row}: no decision of the game has the cards {cards[0][:20]!r} and "
            f"{cards[1][:20]!r}{shown_public} and the line {line[:at][:80]!r}; infosets are named "
            f"like {_examples(self.game)}"
        )
