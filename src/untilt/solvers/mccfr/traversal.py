"""One sample of a game: a traversal (chance or external sampling) or an episode (outcome).

A traversal for player p explores all of p's actions. External sampling draws chance and the
opponents; chance sampling draws chance only and explores the opponents' actions too, weighted.
An episode draws one history and corrects by importance weights.

The average of external and outcome sampling is that of the *visitor*, the player after the one
whom the sample is for: the only opponent of two players. With more, the sample has drawn others'
actions as well, and weighs the visitor's infosets with the inverse of their probability, so that
the average is that of CFR.

A sample changes nothing but the `Workspace` and a log, which is committed to the store later. So
the same code serves immediate updates, batches and threads: logs are committed in the order of
their samples, whoever drew them.

A sample may stop at an unknown node, or when the log is full; the workspace keeps its place and
the next call continues.
"""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Records
from untilt.numeric.kernel import called, inlined, kernel
from untilt.numeric.streams import draw, root_of, split
from untilt.solvers.mccfr.histories import (
    CHANCE,
    DEAL,
    FIRST_CHILD,
    INFOSET,
    KEYED,
    KIND,
    LINK,
    NUM_CHILDREN,
    SHOWDOWN,
    STAGE_END,
    TERMINAL,
    Histories,
    place_in_table,
)
from untilt.solvers.mccfr.logs import MemberLog
from untilt.solvers.mccfr.regret_store import RegretStore

DONE, EXPAND, FULL = 0, 1, 2
"""How a call ended: all samples done; at a node that must be expanded; with a full log."""

CHANCE_SAMPLING, EXTERNAL_SAMPLING, OUTCOME_SAMPLING = 0, 1, 2


class Scheme(NamedTuple):
    """The settings of sampling; a run records all of them."""

    sampling: int
    exploration: float
    """Outcome sampling: share of uniform play in the updating player's moves."""
    has_baseline: bool
    """Outcome sampling: whether values are corrected by the baselines of histories."""
    baseline_rate: float
    """The weight of the newest value in a baseline."""
    is_lazy: bool
    """Whether the average is exact and lazy, or stochastic."""
    is_clipped: bool
    """Whether regrets are clipped at zero as they are added."""
    seed: np.uint64


class SamplerSpace(NamedTuple):
    """A sampler's place in the tree; D levels."""

    cursor: Records
    """[1] of CURSOR"""
    branchings: Records
    """[D] of BRANCHING: the nodes above the cursor's that a traversal explores."""
    moves: Records
    """[D] of MOVE: an episode's moves down to the cursor."""


CURSOR = np.dtype(
    (
        np.record,
        [
            ("sample", np.int64),
            ("end", np.int64),
            ("step", np.int64),
            ("node", np.int64),
            ("depth", np.int64),
            ("num_draws", np.int64),
            ("own_reach", np.float64),
            ("other_reach", np.float64),
            ("num_nodes", np.int64),
        ],
    )
)
"""Number of the sample, number of the first one after this member's, and the step between its
samples; node, depth, draws and reaches within the sample; nodes visited so far."""

BRANCHING = np.dtype(
    (
        np.record,
        [
            ("child", np.int64),
            ("entry", np.int64),
            ("position", np.int64),
            ("left", np.int64),
            ("count", np.int64),
            ("is_own", np.int64),
            ("expected", np.float64),
            ("own_reach", np.float64),
            ("other_reach", np.float64),
        ],
    )
)
"""A node all of whose actions a traversal explores: the child being explored, its entry and its
position in `regrets`; how many actions are left, and how many there are; whether they belong to the
player it samples for; the mean so far; and both reaches. In external sampling with more than two
players `other_reach` is that of the players who are neither sampled for nor the visitor."""

MOVE = np.dtype(
    (
        np.record,
        [
            ("node", np.int64),
            ("child", np.int64),
            ("action", np.int64),
            ("position", np.int64),
            ("own_reach", np.float64),
            ("probability", np.float64),
        ],
    )
)
"""A move of an episode: node and child; the action, its position in `regrets`; the reach before,
and with what probability the move was drawn."""


def new_cursor() -> Records:
    """Return the cursor before a sample."""
    cursor = np.zeros(1, dtype=CURSOR)
    cursor["step"] = 1
    cursor["own_reach"] = cursor["other_reach"] = 1.0
    return cursor


def make_workspace(max_depth: int) -> SamplerSpace:
    """Return a workspace before a sample, for trees of up to `max_depth` levels."""
    return SamplerSpace(
        cursor=new_cursor(),
        branchings=np.zeros(max_depth, dtype=BRANCHING),
        moves=np.zeros(max_depth, dtype=MOVE),
    )


@inlined
def _outcome(cumulative: Floats, first: np.int64, count: np.int64, number: float) -> np.int64:
    """Return the child that `number` in [0, 1) selects; the guess is exact if all are alike."""
    child = first + int(number * count)
    while number >= cumulative[child]:
        child += 1
    while child > first and number < cumulative[child - 1]:
        child -= 1
    return child


@inlined
def _action(behaviour: Floats, begin: np.int64, count: np.int64, number: float) -> np.int64:
    """Return the action that `number` falls on; never one of probability 0."""
    # Counting without an early exit: the processor could not predict that branch.
    cumulative = 0.0
    chosen = np.int64(0)
    for action in range(count - 1):
        cumulative += behaviour[begin + action]
        chosen += number >= cumulative
    while behaviour[begin + chosen] <= 0.0:  # rounding may have left the sum slightly below 1
        chosen -= 1
    return chosen


@called
def traverse(
    histories: Histories, store: RegretStore, work: SamplerSpace, log: MemberLog, scheme: Scheme
) -> int:
    """Draw the traversals up to cursor.end against the store's behaviour; return how it ended.

    With n players, sample s is for player s % n, within iteration s // n.
    """
    # Arrays are unpacked from their tuples once: Numba counts references at every use.
    nodes, cumulative, payoff = histories.nodes, histories.cumulative, histories.payoff
    deals = histories.deals
    num_slots = max(1, len(deals.sample))
    behaviour, first_entry = store.behaviour, store.first_entry
    cursor, branchings = work.cursor[0], work.branchings
    records, regrets, visits, masses = log.records, log.regrets, log.visits, log.masses
    capacity = regrets.shape[1]
    is_external = scheme.sampling == EXTERNAL_SAMPLING
    num_players = store.num_touched.shape[0]
    has_columns = payoff.shape[1] > 1
    keeps_reach = num_players > 2 or not is_external
    node = cursor.node
    depth = cursor.depth
    num_draws = cursor.num_draws
    num_nodes = cursor.num_nodes
    own_reach = cursor.own_reach
    other_reach = cursor.other_reach
    root = root_of(scheme.seed)
    status = DONE
    index = cursor.sample
    end = cursor.end
    step = cursor.step
    # Divisions would take a tenth of the time of an episode.
    turn, shift = index % num_players, step % num_players
    while index < end:
        player = np.uint32(turn)
        following = turn + 1 if turn + 1 < num_players else 0
        visitor = np.uint32(following) if is_external else player
        own, visited = log.lengths[player], log.lengths[visitor]
        num_records = own.records
        num_regrets = own.regrets
        num_visits = visited.visits
        column = np.int64(player) if has_columns else 0
        sign = 1.0 if has_columns or player == 0 else -1.0
        origin = split(root, np.uint64(index))
        slot = index // step % num_slots
        while True:
            # Down to a terminal.
            while True:
                kind = nodes[node, KIND]
                if kind == TERMINAL:
                    break
                first_child = np.int64(nodes[node, FIRST_CHILD])
                count = np.int64(nodes[node, NUM_CHILDREN])
                if kind == CHANCE:
                    num_nodes += 1
                    number = draw(origin, num_draws)
                    num_draws += 1
                    node = _outcome(cumulative, first_child, count, number)
                    continue
                infoset = nodes[node, INFOSET]
                if kind > TERMINAL:
                    if kind == LINK:
                        node = first_child
                        continue
                    if kind == SHOWDOWN:
                        break
                    if kind == STAGE_END:
                        num_nodes += 1
                        follows = deals.has_stage[slot, deals.stage[node] + 1]
                        node = first_child + 1 - follows
                        continue
                    if kind == DEAL and deals.sample[slot] == index:
                        num_nodes += 1
                        node = first_child
                        continue
                    status = EXPAND
                    if kind == KEYED or kind == KEYED + 1:
                        kind -= np.uint32(KEYED)
                        key = deals.key[slot, kind, deals.stage[node]]
                        wanted = np.int64(infoset) << 32 | key
                        place = place_in_table(deals.table_key, wanted)
                        if deals.table_key[place] == wanted:
                            infoset = deals.table_infoset[place]
                            status = DONE
                    if status != DONE:
                        break
                begin = np.int64(first_entry[infoset])
                if num_regrets + count > capacity or num_visits >= capacity:
                    status = FULL
                    break
                num_nodes += 1
                if kind != player and is_external:
                    number = draw(origin, num_draws)
                    num_draws += 1
                    action = _action(behaviour, begin, count, number)
                    node = first_child + action
                    if kind == visitor:
                        visits[visitor, num_visits] = infoset
                        masses[visitor, num_visits] = 1.0 / other_reach
                        num_visits += 1
                    else:
                        other_reach *= behaviour[begin + action]
                    continue
                level = branchings[depth]
                level.child = first_child
                level.entry = begin
                level.position = num_regrets
                level.left = count
                level.count = count
                level.is_own = kind == player
                level.expected = 0.0
                if kind == player:
                    records[player, num_records] = infoset
                    num_records += 1
                    num_regrets += count
                if keeps_reach:
                    level.own_reach = own_reach
                    level.other_reach = other_reach
                if not is_external:
                    if kind == player:
                        visits[visitor, num_visits] = infoset
                        masses[visitor, num_visits] = own_reach
                        num_visits += 1
                        own_reach *= behaviour[begin]
                    else:
                        other_reach *= behaviour[begin]
                depth += 1
                node = first_child
            if status != DONE:
                break
            num_nodes += 1
            value = sign * payoff[node, column]
            if kind == SHOWDOWN:
                value *= deals.winner[slot]
            # Up to a node with an unexplored action.
            while depth > 0:
                level = branchings[depth - 1]
                entry = level.entry
                position = level.position
                left = level.left - 1
                is_own = level.is_own
                mean = level.expected + behaviour[entry] * value
                if is_own:
                    regrets[player, position] = value
                if left > 0:
                    level.expected = mean
                    node = level.child + 1
                    level.child = node
                    level.entry = entry + 1
                    level.position = position + 1
                    level.left = left
                    if keeps_reach:
                        own_reach = level.own_reach
                        other_reach = level.other_reach
                    if not is_external:
                        if is_own:
                            own_reach *= behaviour[entry + 1]
                        else:
                            other_reach *= behaviour[entry + 1]
                    break
                if is_own:
                    weight = 1.0 if is_external else level.other_reach
                    first = position + 1 - level.count
                    for explored in range(first, position + 1):
                        regrets[player, explored] = (regrets[player, explored] - mean) * weight
                value = mean
                depth -= 1
            if depth == 0:
                break
        own.records = num_records
        own.regrets = num_regrets
        visited.visits = num_visits
        if status != DONE:
            break
        index += step
        turn += shift
        if turn >= num_players:
            turn -= num_players
        node = 0
        num_draws = 0
        own_reach = 1.0
        other_reach = 1.0
    cursor.own_reach = own_reach
    cursor.other_reach = other_reach
    cursor.sample = index
    cursor.node = node
    cursor.depth = depth
    cursor.num_draws = num_draws
    cursor.num_nodes = num_nodes
    return status


@kernel
def play(
    histories: Histories, store: RegretStore, work: SamplerSpace, log: MemberLog, scheme: Scheme
) -> int:
    """Play the episodes up to cursor.end against the store's behaviour; return how it ended.

    With n players, episode s is iteration s, for player s % n.
    """
    nodes, cumulative, payoff = histories.nodes, histories.cumulative, histories.payoff
    baseline, chance_baseline = histories.baselines.value, histories.baselines.chance_mean
    behaviour, first_entry = store.behaviour, store.first_entry
    cursor, moves = work.cursor[0], work.moves
    records, regrets, visits, masses = log.records, log.regrets, log.visits, log.masses
    values, value_places = log.values, log.value_places
    capacity = regrets.shape[1]
    num_players = store.num_touched.shape[0]
    columns = payoff.shape[1]
    has_baseline = scheme.has_baseline
    share = 1.0 - scheme.exploration
    node = cursor.node
    depth = cursor.depth
    num_draws = cursor.num_draws
    num_values = log.lengths[1].values
    own_reach = cursor.own_reach
    other_reach = cursor.other_reach
    root = root_of(scheme.seed)
    status = DONE
    index = cursor.sample
    end = cursor.end
    step = cursor.step
    # Divisions would take a tenth of the time of an episode.
    turn, shift = index % num_players, step % num_players
    while index < end:
        player = np.uint32(turn)
        following = turn + 1 if turn + 1 < num_players else 0
        visitor = np.uint32(following)
        own, visited = log.lengths[player], log.lengths[visitor]
        num_records = own.records
        num_regrets = own.regrets
        num_visits = visited.visits
        column = np.int64(player) if columns > 1 else 0
        sign = 1.0 if columns > 1 or player == 0 else -1.0
        origin = split(root, np.uint64(index))
        # Down: one history.
        while True:
            kind = nodes[node, KIND]
            if kind == TERMINAL:
                break
            if kind > TERMINAL:
                status = EXPAND
                break
            first_child = np.int64(nodes[node, FIRST_CHILD])
            count = np.int64(nodes[node, NUM_CHILDREN])
            if (
                num_regrets + count > capacity
                or num_visits >= capacity
                or num_values + depth + 1 >= len(values)
            ):
                status = FULL
                break
            number = draw(origin, num_draws)
            num_draws += 1
            probability = 1.0
            move = moves[depth]
            move.node = node
            move.own_reach = own_reach
            if kind == CHANCE:
                node = _outcome(cumulative, first_child, count, number)
            else:
                infoset = nodes[node, INFOSET]
                begin = np.int64(first_entry[infoset])
                if kind == player:
                    floor = scheme.exploration / count
                    total = 0.0
                    action = count - 1
                    for candidate in range(count):
                        total += floor + share * behaviour[begin + candidate]
                        if number < total:
                            action = np.int64(candidate)
                            break
                    probability = floor + share * behaviour[begin + action]
                    records[player, num_records] = infoset
                    num_records += 1
                    move.position = num_regrets
                    num_regrets += count
                else:
                    action = _action(behaviour, begin, count, number)
                    if kind == visitor:
                        visits[visitor, num_visits] = infoset
                        masses[visitor, num_visits] = 1.0 / (own_reach * other_reach)
                        num_visits += 1
                    else:
                        other_reach *= behaviour[begin + action]
                move.action = action
                node = first_child + action
            move.child = node
            move.probability = probability
            own_reach *= probability
            depth += 1
        own.records = num_records
        own.regrets = num_regrets
        visited.visits = num_visits
        if status != DONE:
            break
        # Up: what each node is worth to the player, as an unbiased estimate.
        cursor.num_nodes += depth + 1
        value = sign * payoff[node, column]
        while depth > 0:
            depth -= 1
            move = moves[depth]
            node = move.node
            child = move.child
            kind = nodes[node, KIND]
            expected = 0.0
            if has_baseline:
                values[num_values] = sign * value
                place = child * columns + column
                value_places[num_values] = place
                num_values += 1
                expected = sign * baseline[place]
            if kind == CHANCE:
                if has_baseline:
                    value += sign * chance_baseline[node * columns + column] - expected
                continue
            first_child = np.int64(nodes[node, FIRST_CHILD])
            count = np.int64(nodes[node, NUM_CHILDREN])
            begin = np.int64(first_entry[nodes[node, INFOSET]])
            if kind != player:
                if has_baseline:
                    value -= expected
                    for other in range(count):
                        place = (first_child + other) * columns + column
                        value += behaviour[begin + other] * sign * baseline[place]
                continue
            surprise = (value - expected) / move.probability
            where = move.position
            mean = 0.0
            for other in range(count):
                place = (first_child + other) * columns + column
                estimate = sign * baseline[place] if has_baseline else 0.0
                if other == move.action:
                    estimate += surprise
                regrets[player, where + other] = estimate
                mean += behaviour[begin + other] * estimate
            weight = 1.0 / move.own_reach
            for position in range(where, where + count):
                regrets[player, position] = (regrets[player, position] - mean) * weight
            value = mean
        index += step
        turn += shift
        if turn >= num_players:
            turn -= num_players
        node = 0
        num_draws = 0
        own_reach = 1.0
        other_reach = 1.0
    cursor.own_reach = own_reach
    cursor.other_reach = other_reach
    cursor.sample = index
    cursor.node = node
    cursor.depth = depth
    cursor.num_draws = num_draws
    log.lengths[1].values = num_values
    return status
