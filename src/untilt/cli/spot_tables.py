"""A solved spot in the terminal: what was found, and the grid and hands of a node."""

import math
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from untilt.charts.mix_grid import MARK, mix_grid, mix_legend
from untilt.games.holdem.sizes import SEATS
from untilt.numeric.arrays import Bools
from untilt.solvers.public_tree.methods import RESPONSE

if TYPE_CHECKING:
    from untilt.games.holdem.hand_table import HandTable
    from untilt.games.holdem.solution import Node, Solution

MAX_ROWS = 60
"""Most hands in a table, unless all are asked for."""
_LEAST = 1e-6
"""A hand with less weight counts as absent."""


def print_solution(console: Console, solution: "Solution") -> None:
    """Print what was solved, how, and how good the result is."""
    spot, facts = solution.spot, solution.facts
    hands = " v ".join(f"{len(combos)}" for combos in solution.view.combos)
    title = Text(spot.board_text, style="bold")
    title.append(f"  pot {spot.pot}, stack {spot.stack}, {hands} hands", style="not bold")
    title.append(f", by {facts.method}", style="not bold")
    console.print(title, soft_wrap=True)
    worth = f"EV {solution.ev[0]:z.2f} v {solution.ev[1]:z.2f}"
    how = (
        f"exploitability {solution.exploitability_percent:.3f}% of the pot   "
        f"{facts.iterations:,} iterations in {facts.seconds:.2f} s"
    )
    if facts.method == RESPONSE.name:
        # The player who responds has nothing left to gain; the other may have.
        how = f"the other could gain {max(facts.gains):.2f} in return"
    console.print(f"{worth}   {how}   {facts.nodes:,} nodes", soft_wrap=True)
    if not spot.is_zero_sum:
        console.print(
            "with rake this is not zero-sum: exploitability is the mean of what best responses "
            "would gain, and no longer bounds what a strategy can lose",
            style="dim",
            soft_wrap=True,
        )
    if not solution.is_finished:
        console.print(f"unfinished; continue with: untilt spot --resume {solution.path}")
    console.print()


def print_node(
    console: Console,
    node: "Node",
    *,
    player: int | None = None,
    sort: str = "hand",
    limit: int | None = MAX_ROWS,
    with_hands: bool = True,
) -> None:
    """Print the summary of a node, its grid and its hands."""
    where = node.line or "start"
    who = SEATS[node.player] if node.player >= 0 else node.kind
    heading = Text(f"{where}", style="bold")
    heading.append(
        f"  {node.board} · {who} · pot {node.pot} · left {node.stacks[0]} v {node.stacks[1]}",
        style="not bold",
    )
    console.print(heading, soft_wrap=True)
    console.print(_ranges(node))
    console.print()
    seat = max(node.player, 0) if player is None else player
    side = node.sides[seat]
    if seat == node.player:
        console.print(mix_legend(node.actions, list(node.frequencies.values())), soft_wrap=True)
        mix = np.array([side.by_class(row) for row in node.strategy])
        is_locked = node.is_locked
        marked = side.by_class(is_locked.astype(np.float64)) > 0.0
        console.print(mix_grid(node.actions, mix, side.class_weights(), marked))
        if marked.any():
            console.print(_lock_legend(is_locked, side.weights > _LEAST), style="dim")
        console.print()
    if with_hands:
        table = node.table(seat).sorted(sort).present(_LEAST)
        console.print(_hands(table, limit))
        if limit is not None and len(table) > limit:
            console.print(f"… {limit} of {len(table)} hands; all of them: --all", style="dim")


def _lock_legend(is_locked: Bools, is_here: Bools) -> str:
    locked, here = int((is_locked & is_here).sum()), int(is_here.sum())
    return f"{MARK} locked: {locked} of {here} hands do what was given, not what was solved"


def _ranges(node: "Node") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("", "combos", "equity", "EV", "EQR"):
        table.add_column(header, justify="right" if header else "left")
    for seat, side in zip(SEATS, node.sides, strict=True):
        table.add_row(
            seat,
            f"{side.num_combos:.1f}",
            _percent(side.mean_equity),
            _number(side.mean_ev),
            _percent(side.mean_eqr),
        )
    return table


def _hands(table: "HandTable", limit: int | None) -> Table:
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("hand", "weight", "equity", "EV", "EQR", *table.actions):
        shown.add_column(header, justify="left" if header == "hand" else "right")
    for row in table.rows()[:limit]:
        shown.add_row(
            row.hand + MARK * row.is_locked,
            _percent(row.weight),
            _percent(row.equity),
            _number(row.ev),
            _percent(row.eqr),
            *(_percent(share) for share in row.mix.values()),
        )
    return shown


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100.0 * share:z.1f}%"


def _number(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:z.2f}"
