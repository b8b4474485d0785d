"""A frame as pages of rows, and one infoset through all frames."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.dashboard.infoset_table import InfosetTable
from untilt.dashboard.source import Frames, Json, NotAvailable, Row, finite_list, position_of
from untilt.game.actions import action_data
from untilt.game.wording import decision_words


@dataclass(frozen=True)
class Filters:
    """Which rows are wanted; None lets all through."""

    player: int
    card: str | None = None
    board: str | None = None
    line: str | None = None
    search: str = ""


def strategy_page(
    table: InfosetTable, frames: Frames, frame: int, filters: Filters, offset: int, limit: int
) -> Json:
    """Return the `StrategyPage` of the rows `offset` … `offset + limit − 1` that pass."""
    position = position_of(frames, frame)
    info = frames.infos[position]
    player = filters.player
    found = table.matching(player, filters.card, filters.board, filters.line, filters.search)
    chosen = found[offset : offset + limit]
    probabilities, values = (_of_player(table, player, row) for row in frames.row(position))
    reach: list[float | None] = [None] * len(chosen)
    if table.own_moves is not None:
        own_reach = table.own_moves[player].own_reach(probabilities.astype(np.float64))
        reach = finite_list(own_reach[chosen])
    rows = []
    for number, index in enumerate(chosen.tolist()):
        block = table.infosets[player].block(index)
        rows.append(
            {
                **_names(table, player, index),
                "probabilities": finite_list(probabilities[block]),
                "values": finite_list(values[block]),
                "own_reach": reach[number],
            }
        )
    return {
        "frame": position,
        "iteration": info.iteration,
        "seconds": info.seconds,
        "beta": info.beta,
        "player": player,
        "offset": offset,
        "total": len(found),
        "rows": rows,
    }


def infoset_history(table: InfosetTable, frames: Frames, label: str) -> Json:
    """Return the `InfosetHistory` of a label."""
    player = table.player_of(label)
    if player is None:
        raise NotAvailable(f"there is no infoset {label[:80]!r} in this game; see its strategy")
    infosets = table.infosets[player]
    index = infosets.index(label)
    own, first = infosets.block(index), table.first[player]
    probabilities, values = frames.columns(slice(first + own.start, first + own.stop))
    return {
        **_names(table, player, index),
        "player": player,
        "parent": _parent(table, player, index),
        "frames": [info.to_json() for info in frames.infos],
        "probabilities": [finite_list(row) for row in probabilities],
        "values": [finite_list(row) for row in values],
    }


def _names(table: InfosetTable, player: int, index: int) -> dict[str, Any]:
    infosets = table.infosets[player]
    label, actions = infosets.label(index), infosets.actions(index)
    card, board, line = infosets.parts(index)
    return {
        "label": label,
        "card": card,
        "board": board,
        "line": line,
        "words": decision_words(label, board, line),
        "actions": list(actions),
        "action_data": [action_data(name).to_json() for name in actions],
    }


def _parent(table: InfosetTable, player: int, index: int) -> Json | None:
    """Return the player's own decision before this one."""
    if table.own_moves is None:
        return None
    sequence = int(table.own_moves[player].parent_sequence[index])
    if sequence == 0:
        return None
    infosets = table.infosets[player]
    before = int(np.searchsorted(infosets.first_sequence, sequence, side="right")) - 1
    action = infosets.actions(before)[sequence - infosets.block(before).start]
    return {"label": infosets.label(before), "action": action}


def _of_player(table: InfosetTable, player: int, row: Row) -> Row:
    first = table.first[player]
    return row[first : first + table.infosets[player].num_sequences]
