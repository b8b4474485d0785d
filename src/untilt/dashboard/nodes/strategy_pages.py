"""A frame as pages of rows, and one infoset through all frames."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.dashboard.nodes.infoset_table import InfosetTable
from untilt.dashboard.sources.source import (
    Json,
    NotAvailable,
    RunFrames,
    finite_list,
    position_of,
)
from untilt.game.actions import action_data
from untilt.game.names.labels import Knowledge
from untilt.game.strategy.snapshot import block_of_frame
from untilt.game.wording import decision_words
from untilt.number import finite


@dataclass(frozen=True)
class Filters:
    """Which rows to return; None does not filter."""

    player: int
    card: str | None = None
    board: str | None = None
    line: str | None = None
    search: str = ""


def strategy_page(
    table: InfosetTable, frames: RunFrames, frame: int, filters: Filters, offset: int, limit: int
) -> Json:
    """Return the `StrategyPage` of matching rows `offset` … `offset + limit − 1`."""
    position = position_of(frames, frame)
    info = frames.infos[position]
    player = filters.player
    found = table.matching(
        player,
        private=filters.card,
        public=filters.board,
        line=filters.line,
        search=filters.search,
    )
    snapshot = table.snapshot(*frames.row(position))
    rows = []
    for index in found[offset : offset + limit].tolist():
        row = snapshot.row(player, index)
        rows.append(
            {
                **_names(row.label, Knowledge(row.private, row.public, row.line), row.actions),
                "probabilities": [finite(value) for value in row.probabilities],
                "values": [finite(value) for value in row.values],
                "own_reach": finite(row.own_reach),
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


def infoset_history(table: InfosetTable, frames: RunFrames, label: str) -> Json:
    """Return the `InfosetHistory` of a label."""
    player = table.player_of(label)
    if player is None:
        raise NotAvailable(f"there is no infoset {label[:80]!r} in this game; see its strategy")
    infosets = table.infosets[player]
    index = infosets.index(label)
    probabilities, values = frames.columns(block_of_frame(table.infosets, player, index))
    return {
        **_names(label, infosets.parts(index), infosets.actions(index)),
        "player": player,
        "parent": _parent(table, player, index),
        "frames": [info.to_json() for info in frames.infos],
        "probabilities": [finite_list(row) for row in probabilities],
        "values": [finite_list(row) for row in values],
    }


def _names(label: str, shown: Knowledge, actions: tuple[str, ...]) -> dict[str, Any]:
    card, board, line = shown
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
    """Return the player's previous decision, None if there is none or it is unknown."""
    if table.own_moves is None:
        return None
    sequence = int(table.own_moves[player].parent_sequence[index])
    if sequence == 0:
        return None
    infosets = table.infosets[player]
    before = int(np.searchsorted(infosets.first_sequence, sequence, side="right")) - 1
    action = infosets.actions(before)[sequence - infosets.block(before).start]
    return {"label": infosets.label(before), "action": action}
