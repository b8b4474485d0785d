"""Logit response to the values of actions, as a system of equations in log-odds.

For every infoset I of player p and every action a but the first, with z the log-odds of a
against the first action,

    F = z − β_p (Q_{I,a} − Q_{I,0}) = 0,      Q_{I,a} = Σ_{h ∈ I} μ(h) v_p(h, a)

where v_p(h, a) is p's expected payoff after a at the history h, and the weight μ is

    agent            chance × opponent's reach, normalised over the infoset
    counterfactual   chance × opponent's reach
    ex-ante          chance × opponent's × own reach

With more than two players the opponent's reach is the product of all others'.

`agent` is the agent logit equilibrium of McKelvey & Palfrey 1998, "Quantal response equilibria
for extensive form games".
Reaches are stored as logarithms, so large β and rarely reached infosets cause no underflow.
The derivatives follow two paths. A variable at h moves the value of whatever leads to h; and a
variable at an ancestor g moves the weight of h. With a the action at g towards h and P the
probability of the way from there:

    (i)   ∂Q_{I_g,a} / ∂z_{I_h,b}  += μ(g) P σ_b (v(h,b) − v(h))                 v of g's player
    (ii)  ∂Q_{I_h,c} / ∂z_{I_g,b}  += μ(h) (v(h,c) − k Q_{I_h,c}) (1{b=a} − σ_b)

(ii) applies to ancestors of the other player; with `ex-ante`, to the player's own ones too.
k = 1 for `agent`, whose weights are normalised, else 0.
"""

import math
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import allocates, fused, kernel
from untilt.solvers.qre.branches.bordered import BlockMatrix
from untilt.solvers.qre.branches.dissection import Dissection
from untilt.solvers.qre.decision_tree import Decisions, Variables
from untilt.solvers.qre.options import BRANCH_DEFINITION, RESPONSES

AGENT, COUNTERFACTUAL, EX_ANTE = 0, 1, 2

Betas = tuple[float, ...] | Floats
"""β of each player."""

DEFINITIONS = dict(zip(RESPONSES, (AGENT, COUNTERFACTUAL, EX_ANTE), strict=True))
"""What a player responds to, by name; `dilated` is another system, see `dilated.py`."""


def definition_named(name: str) -> int:
    """Return the number by which kernels know a definition."""
    BRANCH_DEFINITION.verify(name)
    return DEFINITIONS[name]


class Response(NamedTuple):
    """All that follows from log-odds; D decisions, T slots, I infosets, A actions, V variables."""

    log_behaviour: Floats
    """[A] log σ"""
    behaviour: Floats
    """[A] σ"""
    slot_values: Floats
    """[T, players] v(h, a)"""
    node_values: Floats
    """[D, players] v(h)"""
    log_reach: Floats
    """[D, players] log of each player's own reach of the node"""
    weight: Floats
    """[D] μ"""
    log_scale: Floats
    """[I] log of what the weights were divided by; scratch"""
    values: Floats
    """[A] Q"""
    advantage: Floats
    """[V] Q_a − Q_0"""


def new_response(decisions: Decisions, variables: Variables) -> Response:
    """Return the arrays, not yet filled."""
    num_decisions, num_slots = len(decisions.parent), len(decisions.ends)
    num_actions, num_players = variables.num_actions, len(decisions.root_payoffs)
    return Response(
        log_behaviour=np.empty(num_actions),
        behaviour=np.empty(num_actions),
        slot_values=np.empty((num_slots, num_players)),
        node_values=np.empty((num_decisions, num_players)),
        log_reach=np.empty((num_decisions, num_players)),
        weight=np.empty(num_decisions),
        log_scale=np.empty(len(variables.player)),
        values=np.empty(num_actions),
        advantage=np.empty(variables.num_variables),
    )


@kernel
def respond(
    decisions: Decisions, variables: Variables, definition: int, log_odds: Floats, out: Response
) -> None:
    """Fill `out` with behaviour, values and advantages under `log_odds`."""
    _fill_behaviour(variables, log_odds, out)
    _fill_node_values(decisions, variables, out)
    _fill_weights(decisions, variables, definition, out)
    for action in range(len(out.values)):
        out.values[action] = 0.0
    for node in range(len(decisions.parent)):
        action = variables.first_action[decisions.infoset[node]]
        for slot in range(decisions.first_slot[node], decisions.first_slot[node + 1]):
            value = out.slot_values[slot, decisions.player[node]]
            out.values[action] += out.weight[node] * value
            action += 1
    for infoset in range(len(variables.player)):
        first = variables.first_action[infoset]
        variable = variables.first_variable[infoset]
        for action in range(first + 1, variables.first_action[infoset + 1]):
            out.advantage[variable] = out.values[action] - out.values[first]
            variable += 1


@fused
def _fill_behaviour(variables: Variables, log_odds: Floats, out: Response) -> None:
    for infoset in range(len(variables.player)):
        first = variables.first_action[infoset]
        begin = variables.first_variable[infoset]
        end = variables.first_variable[infoset + 1]
        top = 0.0
        for variable in range(begin, end):
            top = log_odds[variable] if log_odds[variable] > top else top
        total = math.exp(-top)
        for variable in range(begin, end):
            total += math.exp(log_odds[variable] - top)
        log_total = top + math.log(total)
        out.log_behaviour[first] = -log_total
        for variable in range(begin, end):
            out.log_behaviour[first + 1 + variable - begin] = log_odds[variable] - log_total
        for action in range(first, variables.first_action[infoset + 1]):
            out.behaviour[action] = math.exp(out.log_behaviour[action])


@fused
def _fill_node_values(decisions: Decisions, variables: Variables, out: Response) -> None:
    num_players = len(decisions.root_payoffs)
    for slot in range(len(decisions.ends)):
        for player in range(num_players):
            out.slot_values[slot, player] = decisions.ends[slot, player]
    for distance in range(1, len(decisions.parent) + 1):
        node = len(decisions.parent) - distance
        first = variables.first_action[decisions.infoset[node]]
        begin, end = decisions.first_slot[node], decisions.first_slot[node + 1]
        parent = decisions.parent[node]
        for player in range(num_players):
            mean = 0.0
            for slot in range(begin, end):
                mean += out.behaviour[first + slot - begin] * out.slot_values[slot, player]
            out.node_values[node, player] = mean
            if parent >= 0:
                above = decisions.first_slot[parent] + decisions.parent_action[node]
                out.slot_values[above, player] += decisions.chance[node] * mean


@fused
@allocates
def _fill_weights(
    decisions: Decisions, variables: Variables, definition: int, out: Response
) -> None:
    weight = out.weight
    num_players = len(decisions.root_payoffs)
    for infoset in range(len(out.log_scale)):
        out.log_scale[infoset] = -np.inf if definition == AGENT else 0.0
    for node in range(len(decisions.parent)):
        parent = decisions.parent[node]
        for each in range(num_players):
            out.log_reach[node, each] = out.log_reach[parent, each] if parent >= 0 else 0.0
        if parent >= 0:
            action = variables.first_action[decisions.infoset[parent]]
            action += decisions.parent_action[node]
            out.log_reach[node, decisions.player[parent]] += out.log_behaviour[action]
        player = decisions.player[node]
        weight[node] = decisions.log_chance[node]
        for each in range(num_players):
            if each != player:
                weight[node] += out.log_reach[node, each]
        if definition == EX_ANTE:
            weight[node] += out.log_reach[node, player]
        if definition == AGENT:
            infoset = decisions.infoset[node]
            out.log_scale[infoset] = max(out.log_scale[infoset], weight[node])
    if definition == AGENT:
        total = np.zeros(len(variables.player))
        for node in range(len(decisions.parent)):
            infoset = decisions.infoset[node]
            total[infoset] += math.exp(weight[node] - out.log_scale[infoset])
        for infoset in range(len(total)):
            out.log_scale[infoset] += math.log(total[infoset])
    for node in range(len(decisions.parent)):
        weight[node] = math.exp(weight[node] - out.log_scale[decisions.infoset[node]])


@kernel
def expected_payoff(decisions: Decisions, response: Response, player: int) -> float:
    """Return a player's expected payoff, after `respond`."""
    total = decisions.root_payoffs[player]
    for node in range(len(decisions.parent)):
        if decisions.parent[node] < 0:
            total += decisions.chance[node] * response.node_values[node, player]
    return float(total)


@kernel
def fill_residual(
    variables: Variables,
    log_odds: Floats,
    betas: Betas,
    response: Response,
    out: Floats,
) -> None:
    """Set out = F, after `respond` at the same log-odds."""
    for infoset in range(len(variables.player)):
        beta = betas[variables.player[infoset]]
        for variable in range(
            variables.first_variable[infoset], variables.first_variable[infoset + 1]
        ):
            out[variable] = log_odds[variable] - beta * response.advantage[variable]


@kernel
def fill_jacobian(
    decisions: Decisions,
    variables: Variables,
    dissection: Dissection,
    definition: int,
    betas: Betas,
    response: Response,
    out: BlockMatrix,
) -> None:
    """Set `out` to ∂F/∂z, its border excepted, after `respond`; nodes × depth in time."""
    for entry in range(len(out.entries)):
        out.entries[entry] = 0.0
    for infoset in range(len(variables.player)):
        begin, stride = _place(dissection, out, infoset, infoset)
        count = variables.first_variable[infoset + 1] - variables.first_variable[infoset]
        for offset in range(count):
            out.entries[begin + offset * (stride + 1)] = 1.0
    for node in range(len(decisions.parent)):
        probability = decisions.chance[node]
        ancestor = decisions.parent[node]
        action = decisions.parent_action[node]
        while ancestor >= 0:
            above, below = decisions.infoset[ancestor], decisions.infoset[node]
            begin, stride = _place(dissection, out, above, below)
            add_value_path(
                decisions,
                variables,
                betas,
                response,
                out.entries,
                begin,
                stride,
                node,
                ancestor,
                action,
                probability,
            )
            if definition == EX_ANTE or decisions.player[ancestor] != decisions.player[node]:
                begin, stride = _place(dissection, out, below, above)
                add_weight_path(
                    decisions,
                    variables,
                    definition,
                    betas,
                    response,
                    out.entries,
                    begin,
                    stride,
                    node,
                    ancestor,
                    action,
                )
            first = variables.first_action[decisions.infoset[ancestor]]
            probability *= response.behaviour[first + action] * decisions.chance[ancestor]
            action = decisions.parent_action[ancestor]
            ancestor = decisions.parent[ancestor]


@fused
def _place(dissection: Dissection, out: BlockMatrix, row: int, column: int) -> tuple[int, int]:
    """Return where the part (row infoset, column infoset) begins, and its row stride."""
    row_block, column_block = dissection.block[row], dissection.block[column]
    row_at, column_at = dissection.position[row], dissection.position[column]
    width = dissection.num_root + 1
    if row_block < 0:
        if column_block < 0:
            return out.first_below[-1] + row_at * width + column_at, width
        size = dissection.size[column_block]
        return out.first_below[column_block] + row_at * size + column_at, size
    if column_block < 0:
        return out.first_right[row_block] + row_at * width + column_at, width
    size = dissection.size[row_block]
    return out.first_inside[row_block] + row_at * size + column_at, size


@fused
def add_value_path(
    decisions: Decisions,
    variables: Variables,
    betas: Betas,
    response: Response,
    entries: Floats,
    begin: int,
    stride: int,
    node: int,
    ancestor: int,
    action: int,
    probability: float,
) -> None:
    """Add (i), what a variable at `node` does to the values at `ancestor`.

    Row r of that part of the Jacobian begins at entries[begin + r × stride].
    """
    below, above = decisions.infoset[node], decisions.infoset[ancestor]
    player = decisions.player[ancestor]
    first = variables.first_action[below]
    num_below = variables.first_action[below + 1] - first
    num_above = variables.first_action[above + 1] - variables.first_action[above]
    scale = betas[player] * response.weight[ancestor] * probability
    mean = response.node_values[node, player]
    for moved in range(1, num_below):
        value = response.slot_values[decisions.first_slot[node] + moved, player]
        change = scale * response.behaviour[first + moved] * (value - mean)
        if action > 0:
            entries[begin + (action - 1) * stride + moved - 1] -= change
        else:  # the action that all advantages are measured against
            for row in range(num_above - 1):
                entries[begin + row * stride + moved - 1] += change


@fused
def add_weight_path(
    decisions: Decisions,
    variables: Variables,
    definition: int,
    betas: Betas,
    response: Response,
    entries: Floats,
    begin: int,
    stride: int,
    node: int,
    ancestor: int,
    action: int,
) -> None:
    """Add (ii), what a variable at `ancestor` does to the weight of `node`, likewise."""
    below, above = decisions.infoset[node], decisions.infoset[ancestor]
    player = decisions.player[node]
    first, first_above = variables.first_action[below], variables.first_action[above]
    num_below = variables.first_action[below + 1] - first
    num_above = variables.first_action[above + 1] - first_above
    slot = decisions.first_slot[node]
    scale = betas[player] * response.weight[node]
    for row in range(1, num_below):
        gap = response.slot_values[slot + row, player] - response.slot_values[slot, player]
        if definition == AGENT:
            gap -= response.values[first + row] - response.values[first]
        for moved in range(1, num_above):
            share = (1.0 if moved == action else 0.0) - response.behaviour[first_above + moved]
            entries[begin + (row - 1) * stride + moved - 1] -= scale * gap * share
