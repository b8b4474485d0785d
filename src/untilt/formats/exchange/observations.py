"""Observed play in CSV files: counts per infoset and action, or hands to be replayed.

    infoset,action,count          p0,p1,public,line
    P0:J:,check,812               J,Q,,cbf
    P0:J:,bet,188                 K,J,,bc

A hand gives each player's private card (p0, p1, p2 and so on), the public card if one was dealt,
and the line of betting (c check or call, b bet, r raise, a all-in, f fold, / a new street). It is
followed through the game's tree by matching what the infosets show, and each decision of a player
is added to the counts.

More columns may say who decided and under which conditions: `Columns` names them. Columns that
are not named are left out and listed.
"""

import csv
import io
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path

import numpy as np

from untilt.errors import FormatError, InvalidOption
from untilt.formats.base.files import open_regular, shown, unreadable
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree
from untilt.numeric.arrays import Floats, Offsets

COUNTS_HEADER = ("infoset", "action", "count")


def hands_header(num_players: int) -> tuple[str, ...]:
    """Return the header of a file of hands."""
    return *(f"p{player}" for player in range(num_players)), "public", "line"


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
MAX_NUMBERS = 50_000_000
"""The most counts that are kept apart by subject, group and treatment: 400 MB."""

Row = tuple[int, Sequence[str]]
"""A row with its number in the file."""


@dataclass(frozen=True)
class ObservationColumns:
    """Names of the columns that say who decided, and under which conditions."""

    subject: tuple[str, ...] = ()
    """One column; in a file of hands perhaps one per player, the subjects in the players' seats."""
    group: str | None = None
    treatment: str | None = None

    def __post_init__(self) -> None:
        names = [name.strip().lower() for name in self.names]
        if not all(names):
            raise InvalidOption("the name of a column is empty; give a name from the header")
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise InvalidOption(f"the column {twice[0]!r} is named twice; name each column once")

    @property
    def conditions(self) -> dict[str, str]:
        """The columns of conditions: the role of each, and its name."""
        roles = {"group": self.group, "treatment": self.treatment}
        return {role: name for role, name in roles.items() if name is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are named."""
        return *self.subject, *self.conditions.values()


@dataclass(frozen=True)
class Cells:
    """Counts kept apart: a cell has the same subject, group and treatment; C cells, A actions."""

    counts: Floats
    """[C, A] as in `Observations.counts`."""
    subjects: tuple[str, ...] | None
    """[C] who decided; None if no column was named."""
    conditions: dict[str, tuple[str, ...]]
    """[C] by role, `group` and `treatment`, as far as columns were named."""

    def subject_codes(self) -> Offsets | None:
        """Return [C] a number per subject, from 0 in the order of the names."""
        return None if self.subjects is None else _codes(self.subjects)[1]

    def by_subject(self) -> Floats | None:
        """Return [G, A] the counts of each of G subjects, in the order of `subject_codes`."""
        codes = self.subject_codes()
        if codes is None:
            return None
        counts = np.zeros((int(codes.max()) + 1, self.counts.shape[1]))
        np.add.at(counts, codes, self.counts)
        return counts

    def levels(self, roles: Iterable[str]) -> tuple[tuple[str, ...], Offsets]:
        """Return the names of all combinations of these conditions, and [C] the number of each.

        Without conditions, all cells are alike.
        """
        parts = [self.conditions[role] for role in roles]
        texts = [", ".join(each) for each in zip(*parts, strict=True)] or [""] * len(self.counts)
        return _codes(texts)


def _codes(texts: Sequence[str]) -> tuple[tuple[str, ...], Offsets]:
    names, codes = np.unique(np.array(texts, dtype=np.str_), return_inverse=True)
    return tuple(names.tolist()), codes.astype(np.int64).reshape(-1)


@dataclass(frozen=True)
class Observations:
    """The numbers of times that each action of a game was taken."""

    counts: Floats
    """[actions] player 0's infosets first, each with its actions in order."""
    num_hands: int | None
    """How many hands the file held; None if it held counts."""
    cells: Cells | None = None
    """The same counts by subject, group and treatment; None if no column was named."""
    unused: tuple[str, ...] = ()
    """Columns that were neither needed nor named."""

    @property
    def num_decisions(self) -> int:
        """Decisions in total, without forced ones."""
        return int(self.counts.sum())


def read_observations(
    path: Path, game: CompiledGame, columns: ObservationColumns | None = None
) -> Observations:
    """Return the observations in a CSV file; FormatError, naming the row, if they do not fit."""
    rows = read_rows(path)
    try:
        return observations_of_rows(rows, game, columns)
    except FormatError as error:
        raise FormatError(f"{shown(path)}: {error}") from error


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a CSV file that are not blank; FormatError if it cannot be read."""
    data = _data(path)
    try:
        return list(_rows(_text(data)))
    except FormatError as error:
        raise FormatError(f"{shown(path)}: {error}") from error


def observations_of_rows(
    rows: Sequence[Row], game: CompiledGame, columns: ObservationColumns | None = None
) -> Observations:
    """Return the observations in a table whose first row is the header; FormatError as above."""
    columns = columns or ObservationColumns()
    if len(columns.subject) not in (0, 1, game.num_players):
        raise InvalidOption(
            f"{len(columns.subject)} columns are named as subject; name one, or one per player"
        )
    hands, expected = hands_header(game.num_players), _expected_headers(game.num_players)
    if not rows:
        raise FormatError(f"the file is empty; {expected}")
    number, header = rows[0]
    names = tuple(name.strip().lower() for name in header)
    needed = next((each for each in (COUNTS_HEADER, hands) if {*each} <= {*names}), None)
    if needed is None:
        given = ",".join(header)[:80]
        raise FormatError(f"row {number}: the header is {given!r}; {expected}")
    if len({*names}) < len(names):
        raise FormatError(f"row {number}: a column appears twice; give each column its own name")
    layout = _Layout.of(names, needed, columns, game.num_players)
    if len(rows) == 1:
        raise FormatError("the file has a header but no observations")
    for number, row in rows[1:]:
        if len(row) != len(names):
            raise FormatError(
                f"row {number} has {len(row)} fields; {','.join(names)} needs {len(names)}"
            )
    read = _read_counts if needed == COUNTS_HEADER else _read_hands
    tally, num_hands = read(rows[1:], game, layout)
    counts = tally.counts()
    if not counts.any():
        raise FormatError(
            "nothing was observed: all counts belong to infosets with a single action"
        )
    cells = tally.cells(columns) if columns.names else None
    unused = tuple(name for name in names if name not in {*needed, *layout.places})
    return Observations(counts, num_hands, cells, unused)


@dataclass(frozen=True)
class _Layout:
    """Which column of a row holds what."""

    needed: tuple[int, ...]
    """Places of the columns that every file has."""
    places: dict[str, int]
    """Places of the columns of subjects and conditions, by name."""
    subjects: tuple[str, ...]
    conditions: tuple[str, ...]
    num_players: int

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        needed: tuple[str, ...],
        columns: ObservationColumns,
        num_players: int,
    ) -> "_Layout":
        subjects, conditions = (
            tuple(name.strip().lower() for name in each)
            for each in (columns.subject, columns.conditions.values())
        )
        for name in (*subjects, *conditions):
            if name in needed:
                raise FormatError(f"the column {name!r} is part of the observations; name another")
            if name not in names:
                raise FormatError(
                    f"there is no column {name[:40]!r}; the columns are {', '.join(names)[:200]}"
                )
        if len(subjects) > 1 and needed == COUNTS_HEADER:
            count = "two" if len(subjects) == 2 else str(len(subjects))
            raise FormatError(
                f"{count} columns are named as subject, but a row of infoset,action,count is of "
                "one subject; name one column"
            )
        return cls(
            tuple(names.index(name) for name in needed),
            {name: names.index(name) for name in (*subjects, *conditions)},
            subjects,
            conditions,
            num_players,
        )

    def fields(self, row: Sequence[str]) -> tuple[str, ...]:
        """Return the fields that every file has."""
        return tuple(row[place].strip() for place in self.needed)

    def keys(self, row: Row) -> tuple["_Key", ...]:
        """Return the cells of what each player decided in a row."""
        if not self.places:
            return (_NOBODY,) * self.num_players
        number, fields = row
        texts = {name: fields[place].strip() for name, place in self.places.items()}
        for name, text in texts.items():
            if not text:
                raise FormatError(f"row {number}: the column {name!r} is empty")
        subjects = [texts[name] for name in self.subjects] or [""]
        if len(subjects) == 1:
            subjects *= self.num_players
        conditions = [texts[name] for name in self.conditions]
        return tuple((subject, *conditions) for subject in subjects)


_Key = tuple[str, ...]
"""Subject and conditions of a cell; the subject is empty if there is none."""

_NOBODY: _Key = ("",)


class _Tally:
    """Counts by cell, collected row by row."""

    def __init__(self, num_actions: int) -> None:
        self._num_actions = num_actions
        self._counts: dict[_Key, Counter[int]] = {}

    def add(self, key: _Key, action: int, amount: int) -> None:
        self._counts.setdefault(key, Counter())[action] += amount

    def counts(self) -> Floats:
        """Return [A] the counts of all cells together."""
        total = np.zeros(self._num_actions)
        for own in self._counts.values():
            for action, amount in own.items():
                total[action] += amount
        return total

    def cells(self, columns: ObservationColumns) -> Cells:
        """Return the counts by cell, in the order of their subjects and conditions."""
        keys = sorted(self._counts)
        if len(keys) * self._num_actions > MAX_NUMBERS:
            raise FormatError(
                f"{len(keys):,} combinations of subject, group and treatment for "
                f"{self._num_actions:,} actions are too many; name fewer columns"
            )
        counts = np.zeros((len(keys), self._num_actions))
        for cell, key in enumerate(keys):
            for action, amount in self._counts[key].items():
                counts[cell, action] = amount
        texts = list(zip(*keys, strict=True))
        return Cells(
            counts,
            texts[0] if columns.subject else None,
            dict(zip(columns.conditions, texts[1:], strict=True)),
        )


def _expected_headers(num_players: int) -> str:
    return f"expected {','.join(COUNTS_HEADER)} or {','.join(hands_header(num_players))}"


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


def _read_counts(
    rows: Sequence[Row], game: CompiledGame, layout: _Layout
) -> tuple[_Tally, int | None]:
    first = _first_actions(game)
    tally = _Tally(game.num_action_variables)
    for number, row in rows:
        label, action, count = layout.fields(row)
        key = layout.keys((number, row))[0]
        amount = count_of(number, count)
        if label in game.forced:
            _check_action(number, label, action, (game.forced[label],))
            continue
        for player, table in enumerate(game.infosets):
            if label in table:
                index = table.index(label)
                actions = table.actions(index)
                _check_action(number, label, action, actions)
                at = first[player] + table.block(index).start - 1
                tally.add(key, at + actions.index(action), amount)
                break
        else:
            raise FormatError(
                f"row {number}: the game has no infoset {label[:80]!r}; its infosets are named "
                f"like {_examples(game)}"
            )
    return tally, None


def _first_actions(game: CompiledGame) -> list[int]:
    """Return the number of each player's first action."""
    counts = [table.num_sequences - 1 for table in game.infosets]
    return [0, *accumulate(counts[:-1])]


def _examples(game: CompiledGame) -> str:
    labels = (*islice(game.infosets[0], 2), *islice(game.infosets[1], 1))
    return ", ".join(map(repr, labels))


def _check_action(number: int, label: str, action: str, actions: tuple[str, ...]) -> None:
    if action not in actions:
        raise FormatError(
            f"row {number}: infoset {label!r} has no action {action[:40]!r}; its actions are "
            f"{', '.join(actions)}"
        )


def count_of(number: int, given: str) -> int:
    """Return the count in a row; FormatError, which names the row, if it is not one."""
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


def _read_hands(
    rows: Sequence[Row], game: CompiledGame, layout: _Layout
) -> tuple[_Tally, int | None]:
    replay = _Replay(game, game.require(GameTree, "give infoset,action,count instead of hands"))
    hands: Counter[tuple[tuple[str, ...], tuple[_Key, ...]]] = Counter()
    first_row: dict[tuple[str, ...], int] = {}
    for number, row in rows:
        hand = layout.fields(row)
        hands[hand, layout.keys((number, row))] += 1
        first_row.setdefault(hand, number)
    taken = {
        hand: replay.actions(number, hand[:-2], hand[-2], hand[-1])
        for hand, number in first_row.items()
    }
    tally = _Tally(game.num_action_variables)
    first = _first_actions(game)
    for (hand, keys), times in hands.items():
        for action in taken[hand]:
            tally.add(keys[bisect_right(first, action) - 1], action, times)
    return tally, len(rows)


@dataclass(frozen=True)
class _Replay:
    """Hands followed through the tree: all nodes that agree with what a hand shows."""

    game: CompiledGame
    tree: GameTree

    @cached_property
    def _publics(self) -> set[str]:
        return {public for table in self.game.infosets for public in table.column("public").texts}

    def actions(self, row: int, cards: tuple[str, ...], public: str, line: str) -> list[int]:
        """Return the indices of the actions that were taken in a hand."""
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
        self, nodes: list[int], cards: tuple[str, ...], public: str, line: str
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
        self, row: int, cards: tuple[str, ...], public: str, line: str, at: int
    ) -> FormatError:
        if not any(any(table.column("line").texts) for table in self.game.infosets):
            return FormatError(
                "the infosets of this game do not show the line; give infoset,action,count"
            )
        shown_public = f", public {public[:20]!r}" if public else ""
        return FormatError(
            f"row {row}: no decision of the game has the cards "
            f"{' and '.join(repr(card[:20]) for card in cards)}{shown_public} and the line "
            f"{line[:at][:80]!r}; infosets are named like {_examples(self.game)}"
        )
