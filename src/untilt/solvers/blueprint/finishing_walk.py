"""One walk over a whole betting tree with all buckets of both players at once.

It goes depth first, so that memory is needed for one line only. On the way down it carries how
likely each player's buckets are to get there; on the way up, what they win. Where a street ends,
buckets turn into those of the next street as `BucketPairs` says.

At each decision on the way up, the values of the actions are known. There the learnt row is mixed
with a *fallback*, in which better actions are more likely: the fewer deals the learnt row has
learnt from, the more of it.

After an all-in only the answer is left, and cards decide. The answer is that of an equilibrium: the
player who may go all-in chooses, bucket by bucket, between that and the best of the other actions,
whose values stay as they are. A best answer to the learnt all-ins alone would be easy to exploit:
it folds too much (local best response won 300 to 800 mbb a hand more from blueprints of 100 big
blinds). Before the flop, buckets may be single hands whose equities are exact; then nothing learnt
is left of the answers. Finally, nobody folds to an all-in that costs hardly anything.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.game.deals.deal_tree import DECISION, FOLD
from untilt.numeric.arrays import Offsets, Record, Records
from untilt.numeric.byte_shares import WHOLE, round_row
from untilt.numeric.kernel import called, inlined, kernel
from untilt.numeric.vectors import fma, load_like, splat32, store, zeros32
from untilt.solvers.blueprint.bucket_pairs import WIDTH, BucketPairs

Singles = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

_TREMBLE = np.float32(1e-4)
"""The share of each decision that is spread over all actions, so that every line is reached."""
_LEAST_REACH = np.float32(1e-30)
_ENOUGH = np.float32(300.0)
"""A row that has learnt from this many hands counts as much as its fallback."""
_TEMPERATURE = np.float32(0.1)
"""Actions that differ by this share of what is at stake: the worse one is e times as rare. Where
it was 0.04, local best response won more on the turn."""
_CHEAP = np.float32(0.02)
"""A call for at most this share of the pot is never a fold for hands that all hands together would
pay for. (Where calls cost 10 % or more, such a rule calls too much.)"""
_ROUNDS = (300, 20, 20, 40)
"""Rounds for each answer to an all-in, by street; the last also applies to all later streets."""
_NOISE = np.float32(0.02)
"""The share of the learnt all-ins among those that the answer to an all-in is solved for."""


class FinishTree(NamedTuple):
    """A betting tree as the walk needs it."""

    nodes: Records
    stakes: Singles
    """[nodes]: the least that the hand can still be decided for, in chips."""
    is_answer: npt.NDArray[np.bool_]
    """[nodes]: whether the decision is the answer to an all-in: to fold, or to show down."""
    widths: Offsets
    bases: Offsets
    """[streets]: where the rows of a street begin."""
    num_buckets: Offsets


class Goal(NamedTuple):
    """What a walk is to do."""

    num_hands: np.float32
    """Hands that training has learnt from."""
    share: np.float32
    """The share of each row that this walk replaces."""
    is_exact: bool
    """Whether the buckets of the first street are single hands with exact equities."""


class FinishSpace(NamedTuple):
    """Memory for one line; D is the greatest depth, A the most actions, B the most buckets."""

    nodes: Offsets
    """[D]"""
    streets: Offsets
    """[D]: a hand ends on the street of its last decision."""
    actions: Offsets
    """[D]: the action whose child comes next; −1 if the node is new."""
    reaches: Singles
    """[D, 2, B]: how likely the own actions of each player lead here."""
    values: Singles
    """[D, 2, B]: what each player wins, times how likely the opponent comes here."""
    mixes: Singles
    """[D, A, B]"""
    utilities: Singles
    """[D, A, B]: the values of the actions for the player who decides."""
    vectors: Singles
    """[10, B]: for intermediate results."""
    row: Singles
    """[A]"""


@kernel
def finish_once(
    tree: FinishTree,
    pairs: BucketPairs,
    goal: Goal,
    learnt: Bytes,
    work: FinishSpace,
    finished: Bytes,
) -> None:
    """Replace a share of all rows of `finished` by what follows from `learnt` and this walk."""
    work.nodes[0] = 0
    work.streets[0] = tree.nodes[0].street
    work.actions[0] = -1
    for seat in range(2):
        for bucket in range(tree.num_buckets[work.streets[0]]):
            work.reaches[0, seat, bucket] = np.float32(1.0)
    depth = 0
    while depth >= 0:
        node = tree.nodes[work.nodes[depth]]
        street: Any = work.streets[depth]
        if node.kind != DECISION:
            _end_hand(node, pairs, street, depth, tree.num_buckets[street], work)
            depth -= 1
            continue
        player: Any = np.int64(node.player)
        count: Any = np.int64(node.num_actions)
        buckets = tree.num_buckets[street]
        action: Any = work.actions[depth]
        if action < 0:
            _read_mix(tree, node, street, finished, work.mixes[depth])
            _clear(work.values[depth, 1 - player], buckets)
            action = 0
        else:
            _collect(tree, pairs, depth, street, player, action, work)
            action += 1
        work.actions[depth] = action
        if action < count:
            _descend(tree, pairs, depth, street, player, np.int64(node.first_child) + action, work)
            depth += 1
            continue
        _answer_all_ins(tree, pairs, goal, learnt, depth, work, finished)
        _finish_rows(tree, pairs, goal, learnt, depth, work, finished)
        depth -= 1


@called
def _product(matrix: Singles, spans: Offsets, vector: Singles, out: Singles) -> None:
    """Write the sum of the rows of a matrix, each times a number of the vector.

    WIDTH columns have numbers in a span of rows only: on a river, no hands meet but those of the
    same texture.
    """
    width = len(spans) * WIDTH
    for block in range(len(spans)):
        at: Any = block * WIDTH
        total = zeros32(matrix)
        for row in range(spans[block, 0], spans[block, 1]):
            total = fma(splat32(vector[row]), load_like(matrix, row * width + at, total), total)
        store(out, at, total)


@called
def _turn(matrix: Singles, spans: Offsets, vector: Singles, spare: Singles) -> None:
    """Turn numbers of the buckets of one street, the rows, into those of another, the columns."""
    for row in range(len(vector)):
        spare[row] = vector[row]
    _product(matrix, spans, spare, vector)


@inlined
def _clear(vector: Singles, count: int) -> None:
    for place in range(count):
        vector[place] = np.float32(0.0)


@called
def _end_hand(
    node: Record, pairs: BucketPairs, street: int, depth: int, count: int, work: FinishSpace
) -> None:
    matrix = pairs.met if node.kind == FOLD else pairs.net
    for player in range(2):
        stake = node.stake
        if node.kind == FOLD and player == 1:
            stake = -stake
        out = work.values[depth, player]
        _product(matrix[street], pairs.spans[street], work.reaches[depth, 1 - player], out)
        for bucket in range(count):
            out[bucket] *= stake


@called
def _read_mix(tree: FinishTree, node: Record, street: int, finished: Bytes, mix: Singles) -> None:
    """Read a decision's rows, with a little of every action."""
    count = np.int64(node.num_actions)
    scale = (np.float32(1.0) - _TREMBLE) / np.float32(WHOLE)
    least = _TREMBLE / np.float32(count)
    for bucket in range(tree.num_buckets[street]):
        row = tree.bases[street] + bucket * tree.widths[street] + np.int64(node.row)
        for action in range(count):
            mix[action, bucket] = np.float32(finished[row + action]) * scale + least


@called
def _descend(
    tree: FinishTree,
    pairs: BucketPairs,
    depth: int,
    street: int,
    player: int,
    child: int,
    work: FinishSpace,
) -> None:
    """Write the reaches of a child, with the buckets of its street."""
    count = tree.num_buckets[street]
    action = child - np.int64(tree.nodes[work.nodes[depth]].first_child)
    below = depth + 1
    work.nodes[below] = child
    work.actions[below] = -1
    for bucket in range(count):
        work.reaches[below, 1 - player, bucket] = work.reaches[depth, 1 - player, bucket]
        work.reaches[below, player, bucket] = max(
            work.reaches[depth, player, bucket] * work.mixes[depth, action, bucket], _LEAST_REACH
        )
    last: Any = street
    if tree.nodes[child].kind == DECISION:
        last = np.int64(tree.nodes[child].street)
    work.streets[below] = last
    for passed in range(street, last):
        for seat in range(2):
            _turn(pairs.back[passed], pairs.all_rows, work.reaches[below, seat], work.vectors[0])


@called
def _collect(
    tree: FinishTree,
    pairs: BucketPairs,
    depth: int,
    street: int,
    player: int,
    action: int,
    work: FinishSpace,
) -> None:
    """Take the values of a child, with the buckets of this street."""
    below, count = depth + 1, tree.num_buckets[street]
    for passed in range(work.streets[below] - 1, street - 1, -1):
        for seat in range(2):
            _turn(pairs.onward[passed], pairs.all_rows, work.values[below, seat], work.vectors[0])
    for bucket in range(count):
        work.utilities[depth, action, bucket] = work.values[below, player, bucket]
        work.values[depth, 1 - player, bucket] += work.values[below, 1 - player, bucket]


@called
def _answer_all_ins(
    tree: FinishTree,
    pairs: BucketPairs,
    goal: Goal,
    learnt: Bytes,
    depth: int,
    work: FinishSpace,
    finished: Bytes,
) -> None:
    """Solve the answers to all-ins of this decision, and write what these all-ins then win."""
    node, street = tree.nodes[work.nodes[depth]], work.streets[depth]
    player, count = np.int64(node.player), np.int64(node.num_actions)
    buckets = tree.num_buckets[street]
    spans = pairs.spans[street]
    is_exact = goal.is_exact and street == 0
    for action in range(count):
        child = np.int64(node.first_child) + action
        if not tree.is_answer[child]:
            continue
        alternative = work.vectors[9]
        for bucket in range(buckets):
            alternative[bucket] = np.float32(-np.inf)
            for other in range(count):
                if other != action:
                    utility = work.utilities[depth, other, bucket]
                    alternative[bucket] = max(alternative[bucket], utility)
        answer = tree.nodes[child]
        first = np.int64(answer.first_child)
        folds = 0 if tree.nodes[first].kind == FOLD else 1
        won = tree.nodes[first + folds].stake
        if player == 1:
            won = -won
        stake = tree.nodes[first + 1 - folds].stake
        is_cheap = stake - won <= _CHEAP * np.float32(2.0) * stake
        _solve_answer(
            pairs.met[street], pairs.net[street], spans, buckets, _rounds_on(street), won, stake,
            work.reaches[depth, player], work.reaches[depth, 1 - player],
            work.mixes[depth, action], work.utilities[depth, action], work.vectors,
        )  # fmt: skip
        meets, pushed, calls = work.vectors[0], work.vectors[1], work.vectors[8]
        for bucket in range(buckets):
            mix = work.mixes[depth, action, bucket]
            pushed[bucket] = work.reaches[depth, player, bucket] * mix
        _product(pairs.met[street], spans, pushed, meets)
        for bucket in range(buckets):
            row = tree.bases[street] + bucket * tree.widths[street] + np.int64(answer.row)
            call = calls[bucket]
            if is_cheap and stake * pairs.odds[street, bucket] + won > np.float32(0.0):
                call = np.float32(1.0)
            elif not is_exact:
                trust = _trust(pairs, goal, street, bucket, meets[bucket])
                own = np.float32(learnt[row + 1 - folds]) / np.float32(WHOLE)
                call += trust * (own - call)
            for place in range(2):
                old = np.float32(finished[row + place]) / np.float32(WHOLE)
                new = np.float32(1.0) - call if place == folds else call
                work.row[place] = old + goal.share * (new - old)
            round_row(work.row, 0, 2, finished, row)


@inlined
def _rounds_on(street: int) -> int:
    return _ROUNDS[min(street, len(_ROUNDS) - 1)]


@inlined
def _trust(
    pairs: BucketPairs, goal: Goal, street: int, bucket: int, meets: np.float32
) -> np.float32:
    """Return the share of a learnt row: the more hands it has learnt from, the greater."""
    known = goal.num_hands * pairs.chances[street, bucket] * meets
    return np.float32(known / (known + _ENOUGH))


@called
def _solve_answer(
    met: Singles,
    net: Singles,
    spans: Offsets,
    count: int,
    rounds: int,
    won: np.float32,
    stake: np.float32,
    pusher: Singles,
    caller: Singles,
    learnt: Singles,
    utility: Singles,
    vectors: Singles,
) -> None:
    """Write how often each bucket calls (vectors[8]) and what all-in wins then (`utility`).

    vectors[9] are the alternatives to all-in. It is solved by regret matching+ in turns, with an
    average that weights later rounds more.
    """
    pushes, push_regret, no_push_regret = vectors[0], vectors[1], vectors[2]
    call_regret, fold_regret, calls, gain, weights = (
        vectors[3], vectors[4], vectors[5], vectors[6], vectors[7],
    )  # fmt: skip
    average, alternative = vectors[8], vectors[9]
    for vector in range(9):
        _clear(vectors[vector], count)
    for bucket in range(count):
        calls[bucket] = np.float32(0.5)
    total = np.float32(0.0)
    for number in range(1, rounds + 1):
        _value_of_all_in(met, net, spans, count, won, stake, caller, calls, weights, utility, gain)
        for bucket in range(count):
            push, no_push = push_regret[bucket], no_push_regret[bucket]
            whole = push + no_push
            chance = push / whole if whole > 0.0 else np.float32(0.5)
            more = utility[bucket] - alternative[bucket]
            push = max(push + (np.float32(1.0) - chance) * more, np.float32(0.0))
            no_push = max(no_push - chance * more, np.float32(0.0))
            push_regret[bucket], no_push_regret[bucket] = push, no_push
            whole = push + no_push
            chance = push / whole if whole > 0.0 else np.float32(0.5)
            pushes[bucket] = pusher[bucket] * (chance + _NOISE * (learnt[bucket] - chance))
        _product(met, spans, pushes, weights)
        _product(net, spans, pushes, gain)
        total += np.float32(number)
        for bucket in range(count):
            # To call instead of folding, which loses what the pusher then wins.
            more = stake * gain[bucket] + won * weights[bucket]
            chance = calls[bucket]
            call = max(call_regret[bucket] + (np.float32(1.0) - chance) * more, np.float32(0.0))
            fold = max(fold_regret[bucket] - chance * more, np.float32(0.0))
            call_regret[bucket], fold_regret[bucket] = call, fold
            if call + fold > np.float32(0.0):
                calls[bucket] = call / (call + fold)
            average[bucket] += (
                np.float32(number) / np.float32(total) * (calls[bucket] - average[bucket])
            )
    _value_of_all_in(met, net, spans, count, won, stake, caller, average, weights, utility, gain)


@inlined
def _value_of_all_in(
    met: Singles,
    net: Singles,
    spans: Offsets,
    count: int,
    won: np.float32,
    stake: np.float32,
    caller: Singles,
    calls: Singles,
    weights: Singles,
    utility: Singles,
    gain: Singles,
) -> None:
    """Write what each bucket wins by going all-in against these calls."""
    for bucket in range(count):
        weights[bucket] = caller[bucket] * (np.float32(1.0) - calls[bucket]) * won
    _product(met, spans, weights, utility)
    for bucket in range(count):
        weights[bucket] = caller[bucket] * calls[bucket] * stake
    _product(net, spans, weights, gain)
    for bucket in range(count):
        utility[bucket] += gain[bucket]


@called
def _finish_rows(
    tree: FinishTree,
    pairs: BucketPairs,
    goal: Goal,
    learnt: Bytes,
    depth: int,
    work: FinishSpace,
    finished: Bytes,
) -> None:
    """Write the rows of a decision, unless it answers an all-in, and what the player wins there."""
    number, street = work.nodes[depth], work.streets[depth]
    node = tree.nodes[number]
    player = np.int64(node.player)
    count: Any = np.int64(node.num_actions)
    buckets = tree.num_buckets[street]
    first = np.int64(node.first_child)
    at_stake = np.float32(0.0)
    for action in range(count):
        at_stake = max(at_stake, tree.stakes[first + action])
    meets = work.vectors[0]
    _product(pairs.met[street], pairs.spans[street], work.reaches[depth, 1 - player], meets)
    for bucket in range(buckets):
        row = tree.bases[street] + bucket * tree.widths[street] + np.int64(node.row)
        met = meets[bucket]
        if not tree.is_answer[number] and met > np.float32(0.0) and at_stake > np.float32(0.0):
            best = np.float32(-np.inf)
            for action in range(count):
                best = max(best, work.utilities[depth, action, bucket])
            total = np.float32(0.0)
            scale = np.float32(1.0) / (met * at_stake * _TEMPERATURE)
            for action in range(count):
                behind = (work.utilities[depth, action, bucket] - best) * scale
                work.row[action] = np.exp(max(behind, np.float32(-40.0)))
                total += work.row[action]
            trust = _trust(pairs, goal, street, bucket, met)
            for action in range(count):
                own = np.float32(learnt[row + action]) / np.float32(WHOLE)
                old = np.float32(finished[row + action]) / np.float32(WHOLE)
                fallback = work.row[action] / total
                new = fallback + trust * (own - fallback)
                work.row[action] = old + goal.share * (new - old)
            round_row(work.row, 0, count, finished, row)
        value = np.float32(0.0)
        for action in range(count):
            mix = np.float32(finished[row + action]) / np.float32(WHOLE)
            value += mix * work.utilities[depth, action, bucket]
        work.values[depth, player, bucket] = value
