"""A solved spot in the terminal: what was found, and the grid and hands of a node."""

import math
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from untilt.charts.mix_grid import MARK, print_mixes
from untilt.durations import shown_duration
from untilt.games.holdem.bets.sizes import SEATS
from untilt.solvers.public_tree.methods import RESPONSE

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.hand_table import HandTable
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.games.holdem.spots.noise import Noise
    from untilt.games.holdem.spots.spot import Spot
    from untilt.policy.nodes.node import Node
    from untilt.runs.spots.spot_request import SpotTask

MAX_ROWS = 60
"""Most hands in a table, unless all are asked for."""
_LEAST = 1e-6
"""A hand with less weight counts as absent."""


def print_solution(console: Console, solution: "Solution") -> None:
    """Print what was solved, how, and how good the result is."""
    spot, facts = solution.spot, solution.facts
    hands = " v ".join(f"{len(combos)}" for combos in solution.view.combos)
    title = Text(spot.board_text, style="bold")
    title.append(
        f"  pot {spot.amount_text(spot.pot)}, stack {spot.amount_text(spot.stack)}, {hands} hands",
        style="not bold",
    )
    title.append(f", by {facts.method}", style="not bold")
    console.print(title, soft_wrap=True)
    first, second = (spot.amount_text(value, "z.2f") for value in solution.ev)
    worth = f"EV {first} v {second}"
    how = (
        f"exploitability {solution.exploitability_percent:.3f}% of the pot   "
        f"{facts.iterations:,} iterations in {shown_duration(facts.seconds)}"
    )
    if facts.method == RESPONSE.name:
        # The player who responds has nothing left to gain; the other may have.
        how = f"the other could gain {spot.amount_text(max(facts.gains), '.2f')} in return"
    console.print(f"{worth}   {how}   {facts.nodes:,} nodes", soft_wrap=True)
    if solution.noise is not None and solution.residual is not None:
        console.print(
            f"noise {_noise_text(solution.noise, spot)}   residual {solution.residual.mean:.1e}, "
            f"at most {solution.residual.largest:.1e}",
            soft_wrap=True,
        )
        console.print(
            "exploitability is what these players lose to a perfect one: a property of the noise, "
            "not an error",
            style="dim",
            soft_wrap=True,
        )
    if not spot.is_zero_sum:
        console.print(
            "with rake this is not zero-sum: exploitability is the mean of what best responses "
            "would gain, and no longer bounds what a strategy can lose",
            style="dim",
            soft_wrap=True,
        )
    if spot.chips_per_unit > 1 and spot.bb is None:
        console.print(
            f"bets are named in hundredths: bet {spot.chips_per_unit} is 1 of the amounts given; "
            "with --bb, or amounts such as 10.5bb, they are in big blinds",
            style="dim",
            soft_wrap=True,
        )
    if not solution.is_finished:
        console.print(f"unfinished; continue with: untilt spot --resume {solution.path}")
    console.print()


def _noise_text(noise: "Noise", spot: "Spot") -> str:
    """Return noise in both units: as shares of the pot, and β per chip."""
    shares = [f"{100.0 * share:.4g}%" for share in noise.shares(spot.pot)]
    betas = [f"{beta:.4g}" for beta in noise.betas(spot.pot)]
    if noise.shares(spot.pot)[0] == noise.shares(spot.pot)[1]:
        return f"{shares[0]} of the pot (β {betas[0]} per chip)"
    return f"{shares[0]} v {shares[1]} of the pot (β {betas[0]} v {betas[1]} per chip)"


def print_node(
    console: Console,
    node: "Node",
    spot: "Spot",
    *,
    player: int | None = None,
    sort: str = "hand",
    limit: int | None = MAX_ROWS,
    with_hands: bool = True,
) -> None:
    """Print the summary of a node, its grid and its hands, with amounts in the unit of a spot."""
    assert node.chips is not None
    where = spot.in_unit(node.words) or "start"
    who = SEATS[node.player] if node.player >= 0 else node.kind
    pot, *left = (spot.amount_text(chips or 0) for chips in (node.pot, *node.chips.stacks))
    heading = Text(f"{where}", style="bold")
    heading.append(
        f"  {node.board} · {who} · pot {pot} · left {left[0]} v {left[1]}",
        style="not bold",
    )
    console.print(heading, soft_wrap=True)
    console.print(_ranges(node, spot))
    if (ghost := node.panels["ghost"]) is not None:
        console.print(f"{ghost['words']}: {ghost['command']}", style="yellow", soft_wrap=True)
    if node.kind == "deal":
        console.print(
            f"a card is dealt here; the board with it leads on: --line '{where}' --board "
            f"{node.board}{node.panels['cards'][0]}",
            style="dim",
            soft_wrap=True,
        )
    console.print()
    seat = max(node.player, 0) if player is None else player
    if seat == node.player:
        print_mixes(console, node, list(map(spot.in_unit, node.names)))
        if (legend := _lock_legend(node)) is not None:
            console.print(legend, style="dim")
        console.print()
    if with_hands:
        table = node.table(seat).sorted(sort).present(_LEAST)
        console.print(_hands(table, limit, spot))
        if limit is not None and len(table) > limit:
            console.print(f"… {limit} of {len(table)} hands; all of them: --all", style="dim")


def _lock_legend(node: "Node") -> str | None:
    """Return how many hands are locked; None if none are."""
    is_locked, mass = node.is_locked(node.player), node.mass(node.player)
    reach = node.reach[node.player]
    if reach is None or mass is None or not (is_locked & (mass > 0.0)).any():
        return None
    is_here = reach > _LEAST
    locked, here = int((is_locked & is_here).sum()), int(is_here.sum())
    return f"{MARK} locked: {locked} of {here} hands do what was given, not what was solved"


def _ranges(node: "Node", spot: "Spot") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("", "combos", "equity", "EV", "EQR"):
        table.add_column(header, justify="right" if header else "left")
    for player, (seat, means) in enumerate(zip(SEATS, node.means, strict=True)):
        table.add_row(
            seat,
            f"{node.total(player):.1f}",
            _percent(means["equity"]),
            _amount(means["ev"], spot),
            _percent(means["eqr"]),
        )
    return table


def _hands(table: "HandTable", limit: int | None, spot: "Spot") -> Table:
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("hand", "weight", "equity", "EV", "EQR", *map(spot.in_unit, table.actions)):
        shown.add_column(header, justify="left" if header == "hand" else "right")
    for row in table.rows()[:limit]:
        shown.add_row(
            row.hand + MARK * row.is_locked,
            _percent(row.weight),
            _percent(row.equity),
            _amount(row.ev, spot),
            _percent(row.eqr),
            *(_percent(share) for share in row.mix.values()),
        )
    return shown


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100.0 * share:z.1f}%"


def _amount(chips: float, spot: "Spot") -> str:
    return "-" if math.isnan(chips) else spot.amount_text(chips, "z.2f")


def print_size(request: "SpotTask", *, as_json: bool) -> None:
    """Print how large the tree is, and how long an iteration and a solve may take."""
    from untilt.cli.app.output import echo, print_json
    from untilt.durations import shown_range
    from untilt.games.holdem.cost.spot_size import measure_spot, shown_bytes
    from untilt.games.holdem.spots.locks import is_merged_for
    from untilt.runs.spots.spot_request import expected_time, storage_of

    asked = request.subject.spot
    size = measure_spot(asked, is_merged=is_merged_for(asked))
    storage, time = storage_of(request.options), expected_time(request, size)
    if as_json:
        seconds = {
            "seconds_per_iteration": time.iteration,
            "seconds_low": time.solve.low,
            "seconds_high": time.solve.high,
        }
        print_json({"board": asked.board_text, **size.to_json(storage), **seconds})
        return
    tables, peak = size.table_bytes(storage), size.peak_bytes(storage)
    boards = " / ".join(f"{count:,}" for count in size.boards)
    nodes = " / ".join(f"{count:,}" for count in size.betting_nodes)
    amounts = f"pot {asked.amount_text(asked.pot)}, stack {asked.amount_text(asked.stack)}"
    echo(f"{asked.board_text}  {amounts}, {size.hands[0]} v {size.hands[1]} hands")
    word = "board" if boards == "1" else "boards"
    echo(f"nodes         {size.nodes:,} ({nodes} of betting on {boards} {word})")
    echo(f"memory        {shown_bytes(peak)} at the peak, {shown_bytes(tables)} of it tables")
    echo(f"time          {shown_range(*time.solve)} of one processor to {time.goal}")
