"""The kernels of the model of a table: what seats do given two hands, and what that is worth.

`programs` explains the model. A *node* is a state whose seat may be all-in; a pair of classes x ≤ y
has row y (y + 1) / 2 + x. For each node and pair,

    orders[node, pair, o]    the probability that the seat is all-in, and that the pair and its hand
                             finish in order o
    shares[node, pair, r]    the probability that the seat is all-in, given the relation r of the
                             pair
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import NUM_CLASSES
from untilt.games.pushfold.tables.positions import NUM_RELATIONS
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import allocates, inlined, kernel
from untilt.regret.matching import learn
from untilt.regret.rule import UpdateRule
from untilt.regret.step import step_of

NUM_PAIRS = NUM_CLASSES * (NUM_CLASSES + 1) // 2
_MOST_STEPS = 1 << 9
"""More than the ways in which at most three of eight seats join a pot."""


class Pairs(NamedTuple):
    """Two classes of hands, dealt together."""

    probability: Floats
    """[pairs] of one seat having the first class and another the second"""
    relation: Floats
    """[pairs, 3] the chance that the first is better, equal, worse"""
    scale: Floats
    """[pairs] what makes a probability of a count of the table of three-way all-ins"""


class Program(NamedTuple):
    """The possible ends of a state, for a partner; numbers are nodes, −1 for none."""

    partner: int
    """The node in which the partner is all-in."""
    before: Offsets
    """Nodes of seats before the own one that folded."""
    between: Offsets
    """Nodes of seats between the own one and a later partner that folded."""
    joined: Offsets
    """Nodes of other earlier seats that are all-in."""
    step_parent: Offsets
    """[steps] step 0 is the state itself; later ones follow from one before"""
    step_node: Offsets
    """[steps] the node of the seat that folds in this step"""
    end_step: Offsets
    """[ends] the step after which the hand ends so"""
    end_others: Offsets
    """[ends, 3] nodes of seats in the pot beside the own and the partner's"""
    end_known: Offsets
    """[ends] 0–3: what is known of the pot; see `positions`"""
    end_utility: Offsets
    """[ends] where the utilities of the end begin: [2, known]"""
    end_row: Offsets
    """[ends] the row of the values that the end belongs to"""


class KnownHands(NamedTuple):
    """The tables of `positions`."""

    relation_of_order: Offsets
    combinations: Offsets
    to_partner: Offsets


@kernel
def follow(
    counts: npt.NDArray[np.uint32],
    order_before_sorting: Offsets,
    pairs: Pairs,
    relation_of_order: Offsets,
    change: Floats,
    orders: Floats,
    shares: Floats,
) -> None:
    """Add the `change` [169] of a node's range to its `orders` [pairs, 13] and renew `shares`."""
    num_orders = orders.shape[1]
    for y in range(NUM_CLASSES):
        begin = y * (y + 1) // 2
        for z in range(NUM_CLASSES):
            weight = change[z]
            if weight == 0.0:
                continue
            for x in range(y + 1):
                # The three classes are sorted in three ways only, as x ≤ y.
                if z >= y:
                    row = z * (z + 1) * (z + 2) // 6 + begin + x
                    way = 0
                elif z >= x:
                    row = y * (y + 1) * (y + 2) // 6 + z * (z + 1) // 2 + x
                    way = 1
                else:
                    row = y * (y + 1) * (y + 2) // 6 + x * (x + 1) // 2 + z
                    way = 4
                part = weight * pairs.scale[begin + x]
                for order in range(num_orders):
                    orders[begin + x, order_before_sorting[way, order]] += part * counts[row, order]
    for pair in range(NUM_PAIRS):
        for relation in range(NUM_RELATIONS):
            shares[pair, relation] = 0.0
        for order in range(num_orders):
            shares[pair, relation_of_order[order]] += orders[pair, order]
        for relation in range(NUM_RELATIONS):
            share = shares[pair, relation] / pairs.relation[pair, relation]
            shares[pair, relation] = min(max(share, 0.0), 1.0)


@kernel
@allocates
def value_state(
    program: Program,
    pairs: Pairs,
    known: KnownHands,
    orders: Floats,
    shares: Floats,
    ranges: Floats,
    utilities: Floats,
    values: Floats,
    reach: Floats,
    arrival: Floats,
) -> None:
    """Fill what each hand [169] of the own seat meets in a state.

    `values` [rows, 169] are utilities times probabilities, `reach` the probability of hand and
    state, `arrival` the same without the partner's decision. `orders` and `shares` are those of all
    nodes, `ranges` [nodes, 169] how often they are all-in.
    """
    range_of_partner = ranges[program.partner]
    weights = np.empty((_MOST_STEPS, NUM_RELATIONS))
    values[:] = 0.0
    for own in range(NUM_CLASSES):
        reached, arrived = 0.0, 0.0
        for partner in range(NUM_CLASSES):
            pair = _row_of(own, partner)
            side = 0 if own <= partner else 1
            share = range_of_partner[partner]
            for relation in range(NUM_RELATIONS):
                weight = pairs.probability[pair] * pairs.relation[pair, relation]
                for node in program.before:
                    weight *= 1.0 - shares[node, pair, relation]
                arrived += weight
                weight *= share
                for node in program.between:
                    weight *= 1.0 - shares[node, pair, relation]
                weights[0, relation] = weight
                for node in program.joined:
                    weight *= shares[node, pair, relation]
                reached += weight
            if share == 0.0:
                continue
            for step in range(1, len(program.step_parent)):
                node = program.step_node[step]
                parent = program.step_parent[step]
                for relation in range(NUM_RELATIONS):
                    weights[step, relation] = weights[parent, relation] * (
                        1.0 - shares[node, pair, relation]
                    )
            for end in range(len(program.end_step)):
                values[program.end_row[end], own] += _value_of_end(
                    program,
                    end,
                    pairs,
                    known,
                    orders,
                    utilities,
                    weights[program.end_step[end]],
                    pair,
                    side,
                )
        reach[own] = reached
        arrival[own] = arrived


@inlined
def _row_of(one: int, other: int) -> int:
    """Return the row of a pair of classes in either sequence."""
    if one <= other:
        return other * (other + 1) // 2 + one
    return one * (one + 1) // 2 + other


@inlined
def _value_of_end(
    program: Program,
    end: int,
    pairs: Pairs,
    known: KnownHands,
    orders: Floats,
    utilities: Floats,
    weights: Floats,
    pair: int,
    side: int,
) -> float:
    """Return the probability of an end times its utility, for one pair of hands."""
    kind = program.end_known[end]
    at = program.end_utility[end]
    value = 0.0
    if kind == 0:
        at += side * NUM_RELATIONS
        for relation in range(NUM_RELATIONS):
            value += weights[relation] * utilities[at + relation]
        return value
    first = orders[program.end_others[end, 0], pair]
    num_orders = len(first)
    # The hands of others are independent given the pair and its relation.
    given = (
        1.0 / pairs.relation[pair, 0],
        1.0 / pairs.relation[pair, 1],
        1.0 / pairs.relation[pair, 2],
    )
    if kind == 1:
        at += side * num_orders
        for order in range(num_orders):
            relation = known.relation_of_order[order]
            value += weights[relation] * given[relation] * first[order] * utilities[at + order]
        return value
    second = orders[program.end_others[end, 1], pair]
    if kind == 2:
        num = len(known.combinations)
        at += side * num
        for each in range(num):
            one, other = known.combinations[each, 0], known.combinations[each, 1]
            relation = known.relation_of_order[one]
            scale = weights[relation] * given[relation] * given[relation]
            value += scale * first[one] * second[other] * utilities[at + each]
        return value
    third = orders[program.end_others[end, 2], pair]
    at += side * NUM_RELATIONS**4
    for one in range(num_orders):
        relation = known.relation_of_order[one]
        scale = weights[relation] * given[relation] * given[relation] * given[relation]
        for two in range(num_orders):
            if known.relation_of_order[two] != relation:
                continue
            for three in range(num_orders):
                if known.relation_of_order[three] != relation:
                    continue
                place = relation * NUM_RELATIONS + known.to_partner[side, one]
                place = place * NUM_RELATIONS + known.to_partner[side, two]
                place = place * NUM_RELATIONS + known.to_partner[side, three]
                product = first[one] * second[two] * third[three]
                value += scale * product * utilities[at + place]
    return value


@kernel
def learn_state(
    values: Floats,
    rule: UpdateRule,
    iteration: int,
    regrets: Floats,
    strategy: Floats,
    total: Floats,
) -> None:
    """Let all hands of a state learn from the values of folding and of being all-in.

    `values`, `regrets` and `strategy` [338] have both actions for each hand; `total` [169] sums how
    often the seat is all-in, each time with the number of the iteration as its weight.
    """
    step = step_of(rule, iteration)
    weight = float(iteration)
    for hand in range(NUM_CLASSES):
        begin = 2 * hand
        mean = 0.0
        for action in range(begin, begin + 2):
            mean += strategy[action] * values[action]
        learn(regrets, values, mean, strategy, begin, begin + 2, step)
        total[hand] += weight * strategy[begin + 1]
