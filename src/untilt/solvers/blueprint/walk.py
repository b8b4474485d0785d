"""One walk through the betting for a deal: external sampling for sixteen hands at once.

A walk learns for the player in `seat`. It explores all of that player's actions, with LANES hands
that share board and opponent, and draws one action of the opponent, whose strategy it adds to the
average. It needs no recursion: the first pass lists the places of the walk, starting at the root,
and prefetches what they will need; the second goes back through the learning player's decisions, so
that children are known before parents. A decision of the opponent does not take a place: the node
that follows the drawn action stands in for it.

A walk changes the tables at once, or, if others read them at the same time, writes what it would
add into a log. Logs are committed in the order of deals, so the result does not depend on which
thread walked what.

Reference: Lanctot, Waugh, Zinkevich & Bowling 2009, "Monte Carlo sampling for regret minimization
in extensive games".
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.game.deals.deal_tree import DECISION, LANES, SHOWDOWN, DealTree, TrainerDeals
from untilt.numeric.arrays import Indices, Offsets, Record, Records
from untilt.numeric.half_floats import add_number, number_at
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.prefetch import prefetch
from untilt.numeric.streams import draw, root_of, split
from untilt.numeric.vectors import add16x4, fma, gather16x4, load16, splat16, store, where
from untilt.regret.matching import matched
from untilt.solvers.blueprint.tables import Counts, Numbers, TrainerTables

Floats32 = npt.NDArray[np.float32]

_USUAL_ACTIONS = 4
"""The average number of actions per decision for which logs have room."""
_AHEAD = 4
"""How many log entries ahead the rows of a decision are prefetched."""
_SUMS_AHEAD = 8
_FOUR = 4
"""Actions that are read and written together."""
_MOST_VISITS = np.uint32(0xFFFFFFFF)
"""The largest count; counting stops there."""


class Span(NamedTuple):
    """The deals to walk, and the players to walk them for."""

    begin: int
    end: int
    """Deals [begin, end) of the batch."""
    first_seat: int
    last_seat: int
    """The players who learn, one after another."""
    number: int
    """The number of the batch's first deal within the run, which determines the random numbers."""
    seed: np.uint64
    floor: float
    """Lower bound of regrets: 0 for regret matching+, else −∞."""
    rounding: np.uint64
    """The beginning of the random streams for rounding numbers of 16 bits."""


class WalkSpace(NamedTuple):
    """A walk's list of places; V is the most nodes that a walk visits."""

    visited: Indices
    """[V]: the node at each place."""
    decisions: Indices
    """[V]: the learning player's decisions, as nodes."""
    places: Indices
    """[V]: their places."""
    firsts: Indices
    """[V]: the place of their first child; the others follow."""
    values: Floats32
    """[(V + 4) · LANES]: what the learning player wins with each hand, in chips, by place."""
    bases: Offsets
    """[streets · LANES]: where the rows of each hand begin."""
    opponent: Offsets
    """[streets]: where the rows of the opponent's hand begin."""
    signs: Floats32
    """[LANES]: 1 where the hand beats the opponent's, 0 for a tie, else −1."""
    weights: Floats32
    """[actions]: how regret matching weighs the opponent's actions."""
    instants: Floats32
    """[actions · LANES]: what one decision adds to regrets."""
    reaches: Floats32
    """[V]: how likely the opponent's hand reaches each place, if all actions are explored."""
    chances: Floats32
    """[V]: how likely the opponent takes the action that leads to each place, in the same case."""
    num_visited: Offsets
    """[1]: nodes visited so far, times hands."""


class WalkLog(NamedTuple):
    """The additions of walks to the tables; each share of the deals writes to its own *slot*.

    Independent parts of the tables are kept apart. A part is what one player's walks do on one
    street: part 2 · street + seat.
    """

    lengths: Offsets
    """[slots, 2]: walks and instants so far."""
    bases: Offsets
    """[slots, walks, streets · LANES]: where the rows of each hand begin."""
    num_decisions: Offsets
    """[slots, parts]"""
    decisions: Offsets
    """[slots, parts, entries, 2]: row and number of actions; walk and place of the instants."""
    instants: Floats32
    """[slots, numbers]: what to add to regrets, [actions, LANES] for each decision."""
    num_drawn: Offsets
    """[slots, 2, 2]: drawn actions and shares of each player's walks."""
    drawn: Offsets
    """[slots, 2, entries]: where the sums of each drawn action's decision begin, and how many."""
    shares: Floats32
    """[slots, 2, numbers]: what to add to sums."""


_WALKS, _INSTANTS = 0, 1


def most_listed(tree: DealTree, *, is_full: bool) -> int:
    """Return the most places of a walk; a full one explores the actions of both players."""
    return len(tree.nodes) if is_full else tree.most_visited


def make_workspace(tree: DealTree, *, is_full: bool = False) -> WalkSpace:
    """Return memory for the walks of one thread."""
    most, most_actions = most_listed(tree, is_full=is_full), tree.most_actions
    streets, num_reaches = tree.num_streets, most if is_full else 0
    return WalkSpace(
        visited=np.zeros(most, dtype=np.uint32),
        decisions=np.zeros(most, dtype=np.uint32),
        places=np.zeros(most, dtype=np.uint32),
        firsts=np.zeros(most, dtype=np.uint32),
        values=np.zeros((most + _FOUR) * LANES, dtype=np.float32),
        bases=np.zeros(streets * LANES, dtype=np.int64),
        opponent=np.zeros(streets, dtype=np.int64),
        signs=np.zeros(LANES, dtype=np.float32),
        weights=np.zeros(most_actions, dtype=np.float32),
        instants=np.zeros(most_actions * LANES, dtype=np.float32),
        reaches=np.zeros(num_reaches, dtype=np.float32),
        chances=np.zeros(num_reaches, dtype=np.float32),
        num_visited=np.zeros(1, dtype=np.int64),
    )


def _log(slots: int, walks: int, streets: int, entries: int, instants: int, shares: int) -> WalkLog:
    return WalkLog(
        lengths=np.zeros((slots, 2), dtype=np.int64),
        bases=np.zeros((slots, walks, streets * LANES), dtype=np.int64),
        num_decisions=np.zeros((slots, 2 * streets), dtype=np.int64),
        decisions=np.zeros((slots, 2 * streets, entries, 2), dtype=np.int64),
        instants=np.zeros((slots, instants), dtype=np.float32),
        num_drawn=np.zeros((slots, 2, 2), dtype=np.int64),
        drawn=np.zeros((slots, 2, entries), dtype=np.int64),
        shares=np.zeros((slots, 2, shares), dtype=np.float32),
    )


NO_LOG = _log(1, 0, 0, 0, 0, 0)
"""For walks that change the tables at once."""


def make_log(
    tree: DealTree, num_slots: int, num_deals: int, usual: int, *, is_full: bool = False
) -> WalkLog:
    """Return an empty log for shares of up to `num_deals` deals.

    There is room for `usual` decisions of each player in a walk on average, and always for the
    longest walks of one deal.
    """
    most = 2 * most_listed(tree, is_full=is_full)
    entries = most + usual * num_deals
    return _log(
        num_slots,
        2 * num_deals,
        tree.num_streets,
        entries,
        (most + 2 * _USUAL_ACTIONS * usual * num_deals) * LANES,
        most * tree.most_actions + _USUAL_ACTIONS * usual * num_deals,
    )


def clear_log(log: WalkLog) -> None:
    """Make a log empty."""
    for lengths in (log.lengths, log.num_decisions, log.num_drawn):
        lengths.fill(0)


@kernel
def walk(
    nodes: Records,
    tables: TrainerTables,
    deals: TrainerDeals,
    weights: Floats32,
    span: Span,
    work: WalkSpace,
    logs: WalkLog,
    slot: int,
) -> bool:
    """Walk the deals of `span`; return whether the log had room for all of them.

    `weights` [deals, 2] are the weights of regrets and of strategies. With NO_LOG the tables are
    changed at once, and with another log not at all.
    """
    is_logged = logs.bases.shape[1] > 0
    log = slot_of(logs, slot)
    root = root_of(span.seed)
    for deal in range(span.begin, span.end):
        if is_logged and not has_room(log, work):
            return False
        for seat in range(span.first_seat, span.last_seat + 1):
            look_up(tables, deals, deal, seat, work)
            number = np.uint64(2 * (span.number + deal) + seat)
            stream, rounding = split(root, number), split(span.rounding, number)
            num_decisions = _explore(
                nodes, tables, weights[deal, 1], seat, stream, rounding, work, log, is_logged
            )
            _learn(
                nodes, tables, weights[deal, 0], span.floor, rounding, seat, num_decisions,
                work, log, is_logged,
            )  # fmt: skip
            if is_logged:
                log_walk(log, work)
    return True


@inlined
def log_walk(log: WalkLog, work: WalkSpace) -> None:
    """Write where the rows of a walk's hands begin, after its decisions."""
    bases = log.bases[log.lengths[_WALKS]]
    for column in range(len(bases)):
        bases[column] = work.bases[column]
    log.lengths[_WALKS] += 1


@inlined
def slot_of(logs: WalkLog, slot: int) -> WalkLog:
    """Return one share's slot of a log, without the first axis."""
    return WalkLog(
        logs.lengths[slot],
        logs.bases[slot],
        logs.num_decisions[slot],
        logs.decisions[slot],
        logs.instants[slot],
        logs.num_drawn[slot],
        logs.drawn[slot],
        logs.shares[slot],
    )


@inlined
def has_room(log: WalkLog, work: WalkSpace) -> bool:
    """Whether a walk for each player fits into the slot, however long they are."""
    most = np.int64(2) * len(work.visited)
    num_entries = log.drawn.shape[1]
    is_room: bool = log.lengths[_WALKS] + 2 <= len(log.bases) and log.lengths[
        _INSTANTS
    ] + most * LANES <= len(log.instants)
    for part in range(len(log.num_decisions)):
        is_room = is_room and log.num_decisions[part] + most <= num_entries
    for seat in range(2):
        is_room = is_room and log.num_drawn[seat, 0] + most <= num_entries
        most_shares = most * len(work.weights)
        is_room = is_room and log.num_drawn[seat, 1] + most_shares <= log.shares.shape[1]
    return is_room


@inlined
def look_up(
    tables: TrainerTables, deals: TrainerDeals, deal: int, seat: int, work: WalkSpace
) -> None:
    """Find where the rows of a deal's hands begin, and which of them beat the opponent's."""
    for street in range(len(tables.origins)):
        origin, width = tables.origins[street, seat], tables.widths[street, seat]
        for lane in range(LANES):
            bucket = np.int64(deals.buckets[deal, street, lane])
            work.bases[street * LANES + lane] = origin + bucket * width
        bucket = np.int64(deals.buckets[deal, street, LANES])
        work.opponent[street] = (
            tables.origins[street, 1 - seat] + bucket * tables.widths[street, 1 - seat]
        )
    other = deals.strength[deal, LANES]
    for lane in range(LANES):
        own = deals.strength[deal, lane]
        work.signs[lane] = np.float32(own > other) - np.float32(own < other)


@inlined
def _explore(
    nodes: Records,
    tables: TrainerTables,
    weight: np.float32,
    seat: int,
    stream: np.uint64,
    rounding: np.uint64,
    work: WalkSpace,
    log: WalkLog,
    is_logged: bool,
) -> int:
    """List the places of the walk, draw the opponent's actions, and write the values of ends.

    Returns the number of the learning player's decisions.
    """
    regrets, sums = tables.regrets, tables.sums
    fold_sign = np.float32(1.0) if seat == 0 else np.float32(-1.0)
    signs = load16(work.signs, 0)
    work.visited[0] = 0
    num_listed, num_decisions, num_drawn = 1, 0, 0
    place = 0
    while place < num_listed:
        index: Any = work.visited[place]
        node = nodes[index]
        while node.kind == DECISION and node.player != seat:
            at = work.opponent[node.street] + np.int64(node.row)
            count: Any = np.int64(node.num_actions)
            number = draw(stream, np.uint64(num_drawn))
            key = rounding - np.uint64((num_drawn + 1) << 8)
            action = _drawn(
                regrets, sums, at, count, number, weight, key, seat, work, log, is_logged
            )
            num_drawn += 1
            index = np.uint32(node.first_child + action)
            node = nodes[index]
        if node.kind == DECISION:
            work.decisions[num_decisions] = index
            work.places[num_decisions] = place
            work.firsts[num_decisions] = num_listed
            num_decisions += 1
            base, row = np.int64(node.street) * LANES, np.int64(node.row)
            for lane in range(LANES):
                prefetch(regrets, work.bases[base + lane] + row)
            for child in range(node.first_child, node.first_child + node.num_actions):
                work.visited[num_listed] = child
                num_listed += 1
                after = nodes[child]
                if after.kind == DECISION and after.player != seat:
                    at = work.opponent[after.street] + np.int64(after.row)
                    prefetch(regrets, at)
                    prefetch(sums, at)
        elif node.kind == SHOWDOWN:
            store(work.values, place * LANES, signs * node.stake)
        else:
            store(work.values, place * LANES, splat16(fold_sign * node.stake))
        place += 1
    work.num_visited[0] += (num_listed + num_drawn) * LANES
    return num_decisions


@inlined
def _drawn(
    regrets: Numbers,
    sums: Numbers,
    at: int,
    count: int,
    number: float,
    weight: np.float32,
    key: np.uint64,
    seat: int,
    work: WalkSpace,
    log: WalkLog,
    is_logged: bool,
) -> int:
    """Draw an action by regret matching, and add the strategy to the average.

    `number` is in [0, 1). An action of probability 0 is never drawn: the numbers are added in the
    same order twice, so the last sum is the total.
    """
    total = weigh(regrets, at, count, work)
    mark = number * np.float64(total)
    cumulative = np.float32(0.0)
    chosen = 0
    for action in range(count):
        cumulative += work.weights[action]
        if np.float64(cumulative) <= mark:
            chosen += 1
    add_strategy(sums, at, count, weight / total, key, seat, work, log, is_logged)
    return chosen


@inlined
def weigh(regrets: Numbers, at: int, count: int, work: WalkSpace) -> np.float32:
    """Write the weights of actions by regret matching into the workspace, and return their sum."""
    total = np.float32(0.0)
    for action in range(count):
        chance = np.float32(matched(number_at(regrets, at + action)))
        work.weights[action] = chance
        total += chance
    if not total > 0.0:
        for action in range(count):
            work.weights[action] = np.float32(1.0)
        total = np.float32(count)
    return total


@inlined
def add_strategy(
    sums: Numbers,
    at: int,
    count: int,
    share: np.float32,
    key: np.uint64,
    seat: int,
    work: WalkSpace,
    log: WalkLog,
    is_logged: bool,
) -> None:
    """Add `share` times the weights in the workspace to the average of the other player."""
    if share == 0.0:  # averaging has not begun, or the opponent never gets here
        return
    if not is_logged:
        for action in range(count):
            add_number(sums, at + action, share * work.weights[action], key + np.uint64(action))
        return
    entry, end = log.num_drawn[seat, 0], log.num_drawn[seat, 1]
    log.drawn[seat, entry] = at << 8 | count
    for action in range(count):
        log.shares[seat, end + action] = share * work.weights[action]
    log.num_drawn[seat, 0] = entry + 1
    log.num_drawn[seat, 1] = end + count


@inlined
def _learn(
    nodes: Records,
    tables: TrainerTables,
    weight: np.float32,
    floor: float,
    rounding: np.uint64,
    seat: int,
    num_decisions: int,
    work: WalkSpace,
    log: WalkLog,
    is_logged: bool,
) -> None:
    """Go back through the decisions: the values of all hands, and what their regrets become."""
    for number in range(num_decisions - 1, -1, -1):
        node = nodes[work.decisions[number]]
        first: Any = np.int64(work.firsts[number]) * LANES
        place: Any = np.int64(work.places[number])
        learn_at(
            node, tables, first, place, weight, floor,
            rounding + np.uint64(number << 8), seat, work, log, is_logged,
        )  # fmt: skip


@inlined
def learn_at(
    node: Record,
    tables: TrainerTables,
    first: int,
    place: int,
    weight: np.float32,
    floor: float,
    key: np.uint64,
    seat: int,
    work: WalkSpace,
    log: WalkLog,
    is_logged: bool,
) -> None:
    """Write the values of all hands at a decision, and add to its regrets, or to the log."""
    mean = mean_of_hands(node, tables.regrets, first, work)
    store(work.values, place * LANES, mean)
    if is_logged:
        end = log.lengths[_INSTANTS]
        write_instants(node, first, mean, weight, work.values, log.instants, end)
        log_decision(node, seat, log)
    else:
        write_instants(node, first, mean, weight, work.values, work.instants, 0)
        count: Any = np.int64(node.num_actions)
        row: Any = np.int64(node.row)
        base: Any = np.int64(node.street) * LANES
        bound = np.float32(floor)
        add_instants(work.instants, 0, count, tables.regrets, work.bases, base, row, bound, key)
        _count_visits(tables.visits, work.bases, base, row)


@inlined
def _count_visits(visits: Counts, bases: Offsets, base: int, row: int) -> None:
    """Count that each hand has learnt at a decision; do nothing if visits are not counted."""
    if len(visits):
        for lane in range(LANES):
            at = bases[base + lane] + row
            visits[at] += np.uint32(visits[at] < _MOST_VISITS)


@inlined
def mean_of_hands(node: Record, regrets: Numbers, first: int, work: WalkSpace) -> float:
    """Return the value of each hand: the mean over actions, weighted by regret matching."""
    count = np.int64(node.num_actions)
    base, row = np.int64(node.street) * LANES, np.int64(node.row)
    total, weighted, plain = splat16(0.0), splat16(0.0), splat16(0.0)
    for action in range(0, count, _FOUR):
        a, b, c, d = gather16x4(regrets, work.bases, base, row + action)
        at = first + action * LANES
        left = count - action
        value = load16(work.values, at)
        total = total + matched(a)
        weighted = fma(matched(a), value, weighted)
        plain = plain + value
        if left > 1:
            value = load16(work.values, at + LANES)
            total = total + matched(b)
            weighted = fma(matched(b), value, weighted)
            plain = plain + value
        if left > 2:
            value = load16(work.values, at + 2 * LANES)
            total = total + matched(c)
            weighted = fma(matched(c), value, weighted)
            plain = plain + value
        if left > 3:
            value = load16(work.values, at + 3 * LANES)
            total = total + matched(d)
            weighted = fma(matched(d), value, weighted)
            plain = plain + value
    mixed = weighted / where(total > 0.0, total, 1.0)
    return where(total > 0.0, mixed, plain * (np.float32(1.0) / np.float32(count)))


@inlined
def write_instants(
    node: Record,
    first: int,
    mean: float,
    weight: np.float32,
    values: Floats32,
    instants: Floats32,
    at: int,
) -> None:
    """Write what a decision adds to regrets, [actions, LANES], starting at `at`."""
    for action in range(np.int64(node.num_actions)):
        value = load16(values, first + action * LANES)
        store(instants, at + action * LANES, (value - mean) * weight)


@inlined
def log_decision(node: Record, seat: int, log: WalkLog) -> None:
    """Write an entry for a decision whose instants were just written."""
    count = np.int64(node.num_actions)
    part = np.int64(2) * node.street + seat
    entry = log.num_decisions[part]
    log.decisions[part, entry, 0] = np.int64(node.row) << 8 | count
    log.decisions[part, entry, 1] = log.lengths[_WALKS] << 32 | log.lengths[_INSTANTS]
    log.num_decisions[part] = entry + 1
    log.lengths[_INSTANTS] += count * LANES


@kernel
def commit_regrets(
    logs: WalkLog,
    num_slots: int,
    part: int,
    tables: TrainerTables,
    floor: float,
    rounding: np.uint64,
) -> None:
    """Add the regrets of one part to the tables, in the order of slots and walks.

    `rounding` is where the random stream for rounding numbers of 16 bits begins.
    """
    regrets, bound = tables.regrets, np.float32(floor)
    key = split(rounding, np.uint64(part))
    width = logs.bases.shape[2]
    column = np.int64(part // 2) * LANES
    for slot in range(num_slots):
        log = slot_of(logs, slot)
        bases = log.bases.reshape(-1)
        num_entries = log.num_decisions[part]
        for entry in range(num_entries):
            if entry + _AHEAD < num_entries:
                row = log.decisions[part, entry + _AHEAD, 0] >> 8
                base = (log.decisions[part, entry + _AHEAD, 1] >> 32) * width + column
                for lane in range(LANES):
                    prefetch(regrets, bases[base + lane] + row)
            decision, source = log.decisions[part, entry, 0], log.decisions[part, entry, 1]
            count, row = decision & 255, decision >> 8
            base = (source >> 32) * width + column
            add_instants(
                log.instants, source & 0xFFFFFFFF, count, regrets, bases, base, row, bound, key
            )
            _count_visits(tables.visits, bases, base, row)
            key += np.uint64(256)


@inlined
def add_instants(
    instants: Floats32,
    first: int,
    count: int,
    regrets: Numbers,
    bases: Offsets,
    base: int,
    row: int,
    bound: np.float32,
    key: np.uint64,
) -> None:
    """Add to the regrets of a decision; `key` and the 255 numbers after it are used only here."""
    for action in range(0, count, _FOUR):
        at = first + action * LANES
        left = count - action
        a = load16(instants, at)
        # What follows the last action belongs to another decision and must not change.
        b = c = d = splat16(0.0)
        if left > 1:
            b = load16(instants, at + LANES)
        if left > 2:
            c = load16(instants, at + 2 * LANES)
        if left > 3:
            d = load16(instants, at + 3 * LANES)
        add16x4(regrets, bases, base, row + action, (a, b, c, d), bound, key + np.uint64(action))


@kernel
def commit_sums(
    logs: WalkLog, num_slots: int, seat: int, sums: Numbers, rounding: np.uint64
) -> None:
    """Add what the walks of a player have drawn to the sums of the other player, in order."""
    key = split(rounding, np.uint64(len(logs.num_decisions[0]) + seat))
    for slot in range(num_slots):
        log = slot_of(logs, slot)
        num_entries = log.num_drawn[seat, 0]
        at = 0
        for entry in range(num_entries):
            if entry + _SUMS_AHEAD < num_entries:
                prefetch(sums, log.drawn[seat, entry + _SUMS_AHEAD] >> 8)
            begin, count = log.drawn[seat, entry] >> 8, log.drawn[seat, entry] & 255
            for action in range(count):
                share = log.shares[seat, at + action]
                add_number(sums, begin + action, share, key + np.uint64(action))
            at += count
            key += np.uint64(count)
