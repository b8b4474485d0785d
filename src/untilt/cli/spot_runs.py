"""What `show`, `evaluate` and `export` do with the run of a spot."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption, UntiltError

if TYPE_CHECKING:
    from untilt.games.holdem.solution import Node


def holds_spot(path: Path) -> bool:
    """Whether a path is the folder of a solved spot; others are left to the usual readers."""
    from untilt.formats.run_folder import RunFolder

    try:
        return path.is_dir() and RunFolder(path).record().kind == "spot"
    except UntiltError:
        return False


def show_spot(
    path: Path,
    line: str,
    board: str | None,
    player: int | None,
    sort: str,
    *,
    is_whole: bool,
    as_json: bool,
) -> None:
    """Print a node of a solved spot."""
    from untilt.cli.output import print_json, stdout, warn
    from untilt.cli.spot_tables import MAX_ROWS, print_node, print_solution
    from untilt.runs.spots import load_spot

    solution = load_spot(path)
    warn(solution.warning)
    node = solution.at(line, board=board)
    if as_json:
        print_json(node_document(node))
        return
    console = stdout()
    print_solution(console, solution)
    limit = None if is_whole else MAX_ROWS
    print_node(console, node, player=player, sort=sort, limit=limit)


def node_document(node: "Node") -> dict[str, Any]:
    """Return a node with both players' hands, for JSON."""
    from untilt.games.holdem.sizes import SEATS

    return {
        "board": node.board,
        "line": node.line,
        "kind": node.kind,
        "street": node.street,
        "player": None if node.player < 0 else SEATS[node.player],
        "pot": node.pot,
        "bets": list(node.bets),
        "stacks": list(node.stacks),
        "actions": list(node.actions),
        "reach": node.reach,
        "frequencies": node.frequencies,
        "locked_hands": int(node.is_locked.sum()),
        "range_advantage": _finite(node.range_advantage),
        "ranges": {
            seat: {
                "combos": side.num_combos,
                "ev": _finite(side.mean_ev),
                "equity": _finite(side.mean_equity),
                "eqr": _finite(side.mean_eqr),
                "hands": node.table(number).to_dict(),
            }
            for number, (seat, side) in enumerate(zip(SEATS, node.sides, strict=True))
        },
    }


def evaluate_spot(path: Path, *, as_json: bool) -> None:
    """Measure a solved spot again from its tables, and print values and best-response gains."""
    from untilt.cli.output import echo, print_json, warn
    from untilt.runs.spots import evaluate_solution, load_spot

    solution = load_spot(path)
    warn(solution.warning)
    found = evaluate_solution(solution)
    pot = solution.spot.pot
    if as_json:
        print_json(
            {
                "board": solution.spot.board_text,
                "pot": pot,
                "ev": list(found.values),
                "gains": list(found.gains),
                "exploitability": found.exploitability,
                "exploitability_percent": 100.0 * found.exploitability / pot,
                "nash_conv": found.nash_conv,
                "is_zero_sum": solution.spot.is_zero_sum,
                "locks": len(solution.spot.locks),
            }
        )
        return
    echo(f"{solution.spot.board_text}, pot {pot}")
    echo(f"{'':26}{'oop':>12}{'ip':>12}")
    echo(f"{'EV':26}{found.values[0]:>12.4f}{found.values[1]:>12.4f}")
    echo(f"{'gain of a best response':26}{found.gains[0]:>12.4f}{found.gains[1]:>12.4f}")
    echo(
        f"exploitability {found.exploitability:.4f} chips, "
        f"{100.0 * found.exploitability / pot:.4f}% of the pot"
    )
    if solution.spot.locks:
        echo("locked hands are followed by best responses: they are measured around the locks")
    if not solution.spot.is_zero_sum:
        echo("with rake, gains are not what the other player loses: the house takes a part")


def spot_chunks(path: Path, form: str, line: str | None, board: str | None) -> Iterator[bytes]:
    """Yield a node of a solved spot, or all of them, as a file."""
    from untilt.cli import spot_export
    from untilt.runs.spots import load_spot

    solution = load_spot(path)
    if form not in spot_export.WRITERS:
        raise InvalidOption(f"--to {form} is not for spots: use {', '.join(spot_export.WRITERS)}")
    if line is None and board is not None:
        raise InvalidOption("--board needs --line; give the line that leads there")
    nodes = solution.nodes() if line is None else iter([solution.at(line, board=board)])
    return spot_export.WRITERS[form](solution, nodes)


def _finite(number: float) -> float | None:
    return number if abs(number) < float("inf") else None
