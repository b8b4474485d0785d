"""Values of hands on a real board if both players follow a blueprint to the end of the hand.

A blueprint knows buckets, and its bets may differ from the real ones. So the part of its tree that
begins where it sees the hand is followed on the real board, with all cards that can still come.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from untilt.abstraction.betting_form import BettingPlace
from untilt.cards.combos import NUM_COMBOS
from untilt.game.deals.deal_streets import DealStreets, streets_below
from untilt.game.public.public_layout import padded
from untilt.game.public.public_snapshot import PublicSnapshot
from untilt.game.public.public_tree import RUNOUT, PublicTree, Street
from untilt.games.holdem.betting import Betting
from untilt.numeric.arrays import AnyArray, Floats, Ints

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.games.holdem.spots.public_form import SpotForm
    from untilt.solvers.public_tree.solver import PublicTreeSolver

_LEAST_CHANCES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
"""Lines that both players choose less often than this are left out, if streets follow. The first
bound that leaves at most `_MAX_NODES` nodes is used."""
_MAX_NODES = 800
"""What fits into about 200 MB with all rivers of a turn."""


def blueprint_values(
    blueprint: "Blueprint",
    place: BettingPlace,
    form: "SpotForm",
    real: Betting,
    seat: int,
    threads: int = 1,
) -> Floats:
    """Return [1326] what each hand of a seat is worth if both follow a blueprint, in chips won.

    `place` is where the blueprint sees the hand, and `form` has the ranges and the boards.
    """
    from untilt.solvers.public_tree.resolve import RULE
    from untilt.solvers.public_tree.solver import PublicTreeSolver

    unit = real.total_pot / max(place.betting.total_pot, 1)
    below = streets_of_blueprint(blueprint, place.node, unit=unit)
    tree = tree_of_blueprint(below, form)
    solver = PublicTreeSolver(tree, RULE, threads=threads)
    tables = follow_blueprint(solver, blueprint, below, form)
    player = 1 - seat
    values = solver.values_under(tables, player)
    solver.close()
    met = met_by(tree, player)
    found = np.full(NUM_COMBOS, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        found[form.combos[player]] = np.where(met > 0.0, values / met, np.nan)
    return found


def streets_of_blueprint(blueprint: "Blueprint", node: int, *, unit: float = 1.0) -> DealStreets:
    """Return the betting of a blueprint from a decision onwards.

    If streets follow, lines that are hardly ever played are left out: they are most of the tree.
    """
    *_, last = _streets(blueprint, node, unit, None)
    return last


def streets_of_response(
    blueprint: "Blueprint", node: int, responder: int, *, unit: float = 1.0
) -> DealStreets | None:
    """Return the streets for a player who may do anything that the blueprint knows.

    What the other player hardly ever does is left out. None if that leaves too many nodes.
    """
    *_, last = _streets(blueprint, node, unit, responder)
    return last if _size(last) <= _MAX_NODES else None


def _streets(
    blueprint: "Blueprint", node: int, unit: float, responder: int | None
) -> Iterator[DealStreets]:
    """Yield ever smaller parts of the betting, up to the first that is small enough."""
    tree = blueprint.form.tree
    is_last = int(tree.nodes[node]["street"]) == tree.num_streets - 1

    def likely(decision: int, chance: float) -> list[float]:
        if int(tree.nodes[decision]["player"]) == responder:
            return [chance] * int(tree.nodes[decision]["num_actions"])
        chances: list[float] = (chance * blueprint.mean_mix(decision)).tolist()
        return chances

    for least in (0.0,) if is_last else _LEAST_CHANCES:
        known = None if is_last else likely
        found = streets_below(tree, node, is_swapped=True, unit=unit, likely=known, least=least)
        yield found
        if _size(found) <= _MAX_NODES:
            return


def _size(streets: DealStreets) -> int:
    return sum(street.num_nodes for street in streets.streets)


def tree_of_blueprint(below: DealStreets, form: "SpotForm") -> PublicTree:
    """Return the hands and boards of a subgame with the betting of a blueprint."""
    from untilt.games.holdem.spots.public_form import with_runouts

    count = len(below.streets)
    whole = with_runouts(form.tree) if len(form.tree.boards) > 1 else form.tree
    return replace(
        whole,
        streets=below.streets,
        boards=whole.boards[:count],
        deals=whole.deals[: count - 1],
        runouts=tuple(
            known if (street.kind == RUNOUT).any() else None
            for known, street in zip(whole.runouts, below.streets, strict=False)
        ),
    )


def follow_blueprint(
    solver: "PublicTreeSolver", blueprint: "Blueprint", below: DealStreets, form: "SpotForm"
) -> tuple[AnyArray, AnyArray]:
    """Set the average strategies of a solver to those of a blueprint; return their tables.

    The solver must be one for `tree_of_blueprint`.
    """
    state = solver.state()
    tables = state["strategy_sum_0"], state["strategy_sum_1"]
    for player, table in enumerate(tables):
        _fill(table, blueprint, below, form, player)
    return tables


def _fill(
    table: AnyArray, blueprint: "Blueprint", below: DealStreets, form: "SpotForm", player: int
) -> None:
    first = int(blueprint.form.tree.nodes[below.nodes[0][0]]["street"])
    begin = 0
    for number, (street, nodes) in enumerate(zip(below.streets, below.nodes, strict=True)):
        rows = [
            row
            for decision in np.flatnonzero(street.player == player).tolist()
            for row in rows_of_decision(blueprint, street, nodes, decision)
        ]
        columns = blueprint.columns(first + number, rows)
        boards = form.tree.boards[number][player]
        for board, dealt in enumerate(form.boards.streets[number].cards):
            buckets = blueprint.buckets_on((*form.spot.board, *dealt))
            combos = form.combos[player][boards.hand[boards.lanes(board)]]
            width = int(padded(len(combos)))
            part = table[begin : begin + len(rows) * width].reshape(len(rows), width)
            part[:, : len(combos)] = columns[:, buckets[combos]]
            begin += part.size
    assert begin == len(table), "all boards were filled"


def rows_of_decision(
    blueprint: "Blueprint", street: Street, nodes: Ints, decision: int
) -> list[int]:
    """Return where the actions of a decision are in the blueprint's table of the street."""
    place = blueprint.form.tree.nodes[nodes[decision]]
    begin, count = int(street.first_child[decision]), int(street.num_actions[decision])
    offset = int(place["row"]) - int(place["first_child"])
    return (nodes[begin : begin + count] + offset).tolist()  # type: ignore[no-any-return]


def met_by(tree: PublicTree, player: int) -> Floats:
    """Return [hands] the weights of the other player that each hand does not exclude."""
    nothing = np.zeros(0, np.float32)
    snapshot = PublicSnapshot(tree, (nothing, nothing), (nothing, nothing))
    return snapshot.met(0, 0, player, tree.weights[1 - player])
