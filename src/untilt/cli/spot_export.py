"""Nodes of a solved spot as CSV, JSON and NumPy arrays."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cli.spot_runs import node_document
from untilt.formats.files import json_bytes
from untilt.games.holdem.sizes import SEATS

if TYPE_CHECKING:
    from untilt.games.holdem.solution import Node, Solution

_HEADER = (
    *("board", "line", "player", "hand", "action"),
    *("frequency", "action_ev", "weight", "equity", "ev", "eqr"),
)


def _csv(solution: "Solution", nodes: Iterator["Node"]) -> Iterator[bytes]:
    """Yield a line per node, hand and action; hands that never get there are left out."""
    del solution
    yield (",".join(_HEADER) + "\n").encode()
    for node in nodes:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        seat = SEATS[max(node.player, 0)]
        for row in node.table().present():
            numbers = (row.weight, row.equity, row.ev, row.eqr)
            for action in node.actions or ("",):
                cells = (row.mix.get(action, math.nan), row.action_ev.get(action, math.nan))
                writer.writerow(
                    [node.board, node.line, seat, row.hand, action, *map(_cell, (*cells, *numbers))]
                )
        yield text.getvalue().encode()


def _json(solution: "Solution", nodes: Iterator["Node"]) -> Iterator[bytes]:
    """Yield an object with the spot and a list of nodes, each as in `untilt show --json`."""
    spot = json.dumps(solution.to_json(), allow_nan=False, ensure_ascii=False)
    yield f'{{"spot": {json.dumps(solution.spot.to_dict())}, "result": {spot}, "nodes": ['.encode()
    separator = b""
    for node in nodes:
        yield separator + json_bytes(node_document(node))
        separator = b",\n"
    yield b"]}\n"


def _npz(solution: "Solution", nodes: Iterator["Node"]) -> Iterator[bytes]:
    """Yield arrays by node: `n.combos`, `n.weights`, `n.strategy`, `n.ev`, `n.equity` and so on.

    `nodes` lists board, line, player and actions of every number n.
    """
    arrays: dict[str, Any] = {}
    listed = []
    for number, node in enumerate(nodes):
        actions = ";".join(node.actions)
        listed.append((node.board, node.line, str(node.player), actions))
        arrays[f"{number}.strategy"] = node.strategy
        arrays[f"{number}.action_ev"] = node.action_ev
        for seat, side in zip(SEATS, node.sides, strict=True):
            stem = f"{number}.{seat}"
            arrays[f"{stem}.combos"] = side.combos
            arrays[f"{stem}.weights"] = side.weights
            arrays[f"{stem}.ev"] = side.ev
            arrays[f"{stem}.equity"] = side.equity
    del solution
    file = io.BytesIO()
    np.savez_compressed(file, nodes=np.array(listed), **arrays)
    yield file.getvalue()


def _cell(number: float) -> str:
    return "" if math.isnan(number) else repr(number)


WRITERS: Mapping[str, Callable[["Solution", Iterator["Node"]], Iterator[bytes]]] = MappingProxyType(
    {"csv": _csv, "json": _json, "npz": _npz}
)
