"""Walks that explore all actions of both players: chance sampling.

Only the cards are drawn. With π the probability that the opponent's hand reaches a decision, the
regrets of the learning player are weighted by π, and so is the opponent's strategy in the average.
Both are what external sampling adds on average. A walk visits the whole tree, except where π is 0,
so this suits small trees: each deal has less noise, but takes longer.

Reference: Zinkevich, Johanson, Bowling & Piccione 2007, "Regret minimization in games with
incomplete information", section 3.4; the name is that of Lanctot et al. 2009.
"""

from typing import Any

import numpy as np

from untilt.game.deals.deal_tree import DECISION, LANES, SHOWDOWN, TrainerDeals
from untilt.numeric.arrays import Record, Records
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.streams import split
from untilt.numeric.vectors import fma, load16, splat16, store
from untilt.solvers.blueprint.tables import TrainerTables
from untilt.solvers.blueprint.walk import (
    Floats32,
    Span,
    WalkLog,
    WalkSpace,
    add_strategy,
    has_room,
    learn_at,
    log_walk,
    look_up,
    slot_of,
    weigh,
)


@kernel
def full_walk(
    nodes: Records,
    tables: TrainerTables,
    deals: TrainerDeals,
    weights: Floats32,
    span: Span,
    work: WalkSpace,
    logs: WalkLog,
    slot: int,
) -> bool:
    """Walk the deals of `span`, exploring all actions; see `walk.walk`."""
    is_logged = logs.bases.shape[1] > 0
    log = slot_of(logs, slot)
    for deal in range(span.begin, span.end):
        if is_logged and not has_room(log, work):
            return False
        for seat in range(span.first_seat, span.last_seat + 1):
            look_up(tables, deals, deal, seat, work)
            rounding = split(span.rounding, np.uint64(2 * (span.number + deal) + seat))
            num_decisions = _explore(
                nodes, tables, weights[deal, 1], seat, rounding, work, log, is_logged
            )
            for number in range(num_decisions - 1, -1, -1):
                node = nodes[work.decisions[number]]
                place: Any = np.int64(work.places[number])
                first: Any = np.int64(work.firsts[number])
                if node.player != seat:
                    _expect(node, first, place, work)
                    continue
                weight = weights[deal, 0] * work.reaches[place]
                learn_at(
                    node, tables, first * LANES, place, weight, span.floor,
                    rounding + np.uint64(number << 8), seat, work, log, is_logged,
                )  # fmt: skip
            if is_logged:
                log_walk(log, work)
    return True


@inlined
def _explore(
    nodes: Records,
    tables: TrainerTables,
    weight: np.float32,
    seat: int,
    rounding: np.uint64,
    work: WalkSpace,
    log: WalkLog,
    is_logged: bool,
) -> int:
    """List the places of the walk, add the opponent's strategy, and write the values of ends.

    Returns the number of decisions, of both players.
    """
    fold_sign = np.float32(1.0) if seat == 0 else np.float32(-1.0)
    signs = load16(work.signs, 0)
    work.visited[0] = 0
    work.reaches[0] = np.float32(1.0)
    num_listed, num_decisions = 1, 0
    place = 0
    while place < num_listed:
        node = nodes[work.visited[place]]
        reach = work.reaches[place]
        if node.kind == DECISION and reach > 0.0:
            work.decisions[num_decisions] = work.visited[place]
            work.places[num_decisions] = place
            work.firsts[num_decisions] = num_listed
            num_decisions += 1
            count: Any = np.int64(node.num_actions)
            scale = np.float32(1.0)
            if node.player == seat:
                for action in range(count):
                    work.weights[action] = np.float32(1.0)
            else:
                at = work.opponent[node.street] + np.int64(node.row)
                scale = np.float32(1.0) / weigh(tables.regrets, at, count, work)
                key = rounding - np.uint64(num_decisions << 8)
                share = weight * reach * scale
                add_strategy(tables.sums, at, count, share, key, seat, work, log, is_logged)
            for action in range(count):
                chance = scale * work.weights[action]
                work.visited[num_listed] = np.uint32(node.first_child + action)
                work.chances[num_listed] = chance
                work.reaches[num_listed] = reach * chance
                num_listed += 1
        elif node.kind == DECISION:  # the opponent never reaches this place
            store(work.values, place * LANES, splat16(0.0))
        elif node.kind == SHOWDOWN:
            store(work.values, place * LANES, signs * node.stake)
        else:
            store(work.values, place * LANES, splat16(fold_sign * node.stake))
        place += 1
    work.num_visited[0] += num_listed * LANES
    return num_decisions


@inlined
def _expect(node: Record, first: int, place: int, work: WalkSpace) -> None:
    """Write the value of each hand at a decision of the opponent."""
    value = splat16(0.0)
    for child in range(first, first + np.int64(node.num_actions)):
        value = fma(splat16(work.chances[child]), load16(work.values, child * LANES), value)
    store(work.values, place * LANES, value)
