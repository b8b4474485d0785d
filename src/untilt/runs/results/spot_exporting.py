"""Decisions of a solved spot as CSV, JSON and NumPy arrays, streamed board by board.

A turn has a million rows, one per hand and action, and a flop a hundred times as many. So nothing
is gathered: memory is that of one board, and the size of a file is estimated from a few boards.
"""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from untilt.errors import InvalidOption
from untilt.formats.base.files import REPEAT, json_bytes, write_atomically
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.node_parts import NodePart, choose_nodes, nodes_of
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.numeric.arrays import AnyArray

CSV_COLUMNS = (
    *("board", "line", "player", "hand", "action", "frequency", "action_ev"),
    *("weight", "equity", "ev", "eqr", "locked"),
)
"""Header of the CSV form; what is not known is empty, and `locked` is 1 or 0."""

_SAMPLE_BOARDS = 3
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The time of all members of an archive: the same solution gives the same bytes."""
_COMPRESSION = 1
"""The zlib level: higher ones take several times as long, and save 2 % (measured)."""

Watch = Callable[[int], None]
"""Called with the number of nodes that are done."""


@dataclass(frozen=True, eq=False)
class SpotExport:
    """Which parts of a solution are written, and in which form."""

    solution: Solution
    form: str
    """One of `FORMS`."""
    parts: list[NodePart] | None
    """Decisions; None for a single node."""
    node: SolutionNode | None

    @property
    def num_nodes(self) -> int:
        """How many nodes are written."""
        return 1 if self.parts is None else sum(part.num_nodes for part in self.parts)

    @property
    def num_rows(self) -> int:
        """How many rows, one per hand and action, they have."""
        if self.parts is None:
            assert self.node is not None
            return len(self.node.own.combos) * max(len(self.node.actions), 1)
        return sum(part.num_rows(self.solution) for part in self.parts)

    def estimated_bytes(self) -> int:
        """Return about how large the file will be, from a few boards of every street."""
        if self.parts is None:
            return sum(map(len, self.chunks()))
        total = 0.0
        for part in self.parts:
            sample = part.sample(_SAMPLE_BOARDS)
            nodes = nodes_of(self.solution, [sample])
            written = sum(map(len, _WRITERS[self.form](self.solution, nodes)))
            total += written * part.num_rows(self.solution) / sample.num_rows(self.solution)
        return round(total)

    def chunks(self, watch: Watch | None = None) -> Iterator[bytes]:
        """Yield the content of the file."""
        if self.parts is None:
            assert self.node is not None
            nodes = iter([self.node])
        else:
            nodes = nodes_of(self.solution, self.parts)
        return _WRITERS[self.form](self.solution, _watched(nodes, watch))

    def write(self, file: Path, watch: Watch | None = None) -> None:
        """Write the file, completely or not at all."""
        write_atomically(file, self.chunks(watch), remedy=REPEAT)


def export_of(
    solution: Solution,
    form: str,
    *,
    line: str | None = None,
    below: str | None = None,
    board: str | None = None,
    street: str | None = None,
    player: int | str | None = None,
) -> SpotExport:
    """Return the export of one node, after `line`, or of decisions; see `choose_nodes`.

    By default, all decisions are exported.
    """
    if form not in FORMS:
        raise InvalidOption(f"{form!r} is not for spots: use {', '.join(FORMS)}")
    if line is None:
        seat = SEATS.index(player) if isinstance(player, str) and player in SEATS else player
        if seat not in (None, 0, 1) or isinstance(seat, bool):
            raise InvalidOption.of("player", player, "give oop or ip")
        parts = choose_nodes(solution, below=below or "", board=board, street=street, player=seat)
        return SpotExport(solution, form, parts, None)
    for name, value in (("below", below), ("street", street), ("player", player)):
        if value is not None:
            raise InvalidOption.of(name, value, "it is not for a single node: give no line")
    return SpotExport(solution, form, None, solution.at(line, board=board))


def _watched(nodes: Iterator[SolutionNode], watch: Watch | None) -> Iterator[SolutionNode]:
    for number, node in enumerate(nodes):
        yield node
        if watch is not None:
            watch(number + 1)


def _csv(solution: Solution, nodes: Iterator[SolutionNode]) -> Iterator[bytes]:
    """Yield a line per node, hand and action; hands that never get there are left out.

    Numbers have 9 digits, which is more than the solution has.
    """
    del solution
    yield (",".join(CSV_COLUMNS) + "\n").encode()
    for node in nodes:
        table = node.table().present()
        names = io.StringIO()
        csv.writer(names, lineterminator="").writerow(
            [node.board, node.line, SEATS[max(node.player, 0)]]
        )
        begin = names.getvalue()
        numbers = zip(
            *(column.tolist() for column in (table.weight, table.equity, table.ev, table.eqr)),
            table.is_locked.tolist(),
            strict=True,
        )
        ends = [
            f"{weight:.9g},{equity:.9g},{ev:.9g},{eqr:.9g},{is_locked:d}\n"
            for weight, equity, ev, eqr, is_locked in numbers
        ]
        actions = table.actions or ("",)
        mixes = table.mix.T.tolist() if table.actions else [[np.nan]] * len(table)
        values = table.action_ev.T.tolist() if table.actions else mixes
        text = "".join(
            f"{begin},{hand},{action},{share:.9g},{value:.9g},{end}"
            for hand, mix, worth, end in zip(table.hands, mixes, values, ends, strict=True)
            for action, share, value in zip(actions, mix, worth, strict=True)
        )
        yield text.replace("nan", "").encode()


def _json(solution: Solution, nodes: Iterator[SolutionNode]) -> Iterator[bytes]:
    """Yield an object with the spot and a list of nodes, each as in `untilt show --json`."""
    result = json.dumps(solution.to_json(), allow_nan=False, ensure_ascii=False)
    spot = json.dumps(solution.spot.to_dict())
    yield f'{{"spot": {spot}, "result": {result}, "nodes": ['.encode()
    separator = b""
    for node in nodes:
        yield separator + json_bytes(node.to_json())
        separator = b",\n"
    yield b"]}\n"


def _npz(solution: Solution, nodes: Iterator[SolutionNode]) -> Iterator[bytes]:
    """Yield an archive of arrays by board, such as `Td9d6hQc.oop.ev`, and of lists of nodes.

    By board and seat: `combos` [hands], `weights`, `ev` and `equity` [nodes, hands]; of the nodes
    where the seat acts, `strategy`, `action_ev` [actions of all nodes, hands] and `locked` [nodes
    of the seat, hands]. The lists, of all nodes in order, are `board`, `line`, `player`, `actions`.
    """
    del solution
    listed: dict[str, list[Any]] = {"board": [], "line": [], "player": [], "actions": []}
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as archive:
        for board, group in groupby(nodes, lambda node: node.board):
            here = list(group)
            for each in here:
                place = (board, each.line, each.player, ";".join(each.actions))
                for column, value in zip(listed.values(), place, strict=True):
                    column.append(value)
            for player, seat in enumerate(SEATS):
                for name, array in _arrays(here, player).items():
                    _add(archive, f"{board}.{seat}.{name}", array)
            yield sink.taken()
        for name, column in listed.items():
            _add(archive, name, np.array(column))
    yield sink.taken()


def _arrays(nodes: list[SolutionNode], player: int) -> dict[str, AnyArray]:
    sides = [node.sides[player] for node in nodes]
    found: dict[str, AnyArray] = {"combos": sides[0].combos}
    for name in ("weights", "ev", "equity"):
        found[name] = np.array([getattr(side, name) for side in sides], np.float32)
    own = [node for node in nodes if node.player == player]
    if own:
        found["strategy"] = np.concatenate([node.strategy for node in own]).astype(np.float32)
        found["action_ev"] = np.concatenate([node.action_ev for node in own]).astype(np.float32)
        found["locked"] = np.array([node.is_locked for node in own])
    return found


def _add(archive: zipfile.ZipFile, name: str, array: AnyArray) -> None:
    member = zipfile.ZipInfo(f"{name}.npy", _FIRST_DAY)
    member.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(member, "w", force_zip64=True) as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


class _Sink:
    """The file of an archive: its bytes are taken at once, never gathered."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is waiting."""

    def close(self) -> None:
        """Nothing is open."""

    def taken(self) -> bytes:
        """Return what was written since it was last taken."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data


_WRITERS: Mapping[str, Callable[[Solution, Iterator[SolutionNode]], Iterator[bytes]]] = (
    MappingProxyType({"csv": _csv, "json": _json, "npz": _npz})
)
FORMS = tuple(_WRITERS)
"""Forms in which spots are exported."""
