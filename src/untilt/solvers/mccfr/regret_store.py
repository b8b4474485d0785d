"""The store of a sampling solver: numbers of each infoset, and their update by a batch.

The infosets of all players are numbered together. Infoset i owns the entries first_entry[i] …
first_entry[i + 1] − 1, one per action, and entry 0 stands for the start of the game.

Samples are drawn against `behaviour`, which does not change during a batch. Their regrets are
added to `regret_sum` as they arrive; at the end of the batch every infoset that was touched is
*settled* (its old behaviour joins the average) and *matched* (it gets a new one).

The average needs the mass that reached an infoset while its behaviour did not change. There are
two ways to find it:

    stochastic   samples leave it at the infosets that they pass; unbiased, cheap, noisy
    lazy         it is what has gone through the player's previous entry,
                 strategy_sum[parent_entry], since the infoset was last settled; exact,
                 but needs perfect recall
"""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Indices, Offsets, Records
from untilt.numeric.kernel import kernel
from untilt.regret.matching import discounted, matched, normalise
from untilt.regret.step import Step
from untilt.solvers.mccfr.histories import CHANCE, KIND, Histories


class RegretStore(NamedTuple):
    """I infosets, E entries; arrays may be longer, to grow into."""

    first_entry: Indices
    """[I + 1]"""
    parent_entry: Indices
    """[I] the player's previous entry; 0 if there is none."""
    regret_sum: Floats
    """[E]"""
    strategy_sum: Floats
    """[E] behaviour weighted by the mass that reached it; [0] is the weight of all iterations."""
    behaviour: Floats
    """[E] the strategy that samples are drawn against."""
    mass: Floats
    """[I] stochastic: mass since the infoset was settled; lazy: mass until it was settled."""
    touched: Indices
    """[players, I] each player's infosets touched in this batch, in order; parents precede
    children."""
    num_touched: Offsets
    """[players, 8] how many those are, in [player, 0]: a cache line apart, as threads count
    them."""
    stamp: Offsets
    """[I] the last batch in which each infoset was touched."""
    clock: Records
    """[1] of CLOCK"""


CLOCK = np.dtype(
    (
        np.record,
        [
            (name, np.int64)
            for name in ("iteration", "batch_end", "batch", "num_touched", "num_baselines")
        ],
    )
)
"""Iterations done, where the batch ends, the number of the batch; infosets (only in a saved
state) and baselines touched in it."""


def make_clock(iteration: int = 0) -> Records:
    """Return the clock at the start of a first batch, after `iteration` iterations."""
    return np.array([(iteration, iteration, 1, 0, 0)], dtype=CLOCK)


@kernel
def end_batch(
    histories: Histories, store: RegretStore, is_lazy: bool, player: int, root_sum: float
) -> None:
    """Settle and match the touched infosets of a player; with player 1's, update the baselines.

    `root_sum` is the weight of all iterations, the batch included.
    """
    first_entry, parent_entry = store.first_entry, store.parent_entry
    regret_sum, strategy_sum = store.regret_sum, store.strategy_sum
    behaviour, mass = store.behaviour, store.mass
    touched = store.touched[player]
    clock = store.clock[0]
    for position in range(store.num_touched[player, 0]):
        infoset = touched[position]
        begin = first_entry[infoset]
        end = first_entry[infoset + 1]
        if is_lazy:
            parent_of_infoset = parent_entry[infoset]
            before = strategy_sum[parent_of_infoset] if parent_of_infoset else root_sum
            waiting = before - mass[infoset]
            mass[infoset] = before
        else:
            waiting = mass[infoset]
            mass[infoset] = 0.0
        total = 0.0
        for entry in range(begin, end):
            strategy_sum[entry] += waiting * behaviour[entry]
            weight = matched(regret_sum[entry])
            behaviour[entry] = weight
            total += weight
        normalise(behaviour, begin, end, total)
    store.num_touched[player, 0] = 0
    if player != 1:
        return
    baselines, columns = histories.baselines, histories.payoff.shape[1]
    for position in range(clock.num_baselines):
        place = np.int64(baselines.touched[position])
        node, column = place // columns, place % columns
        change = baselines.fresh[place] - baselines.value[place]
        baselines.value[place] = baselines.fresh[place]
        parent = np.int64(histories.parent[node])
        if histories.nodes[parent, KIND] == CHANCE:
            above = parent * columns + column
            baselines.chance_mean[above] += histories.probability[node] * change
    clock.num_baselines = 0


@kernel
def discount(store: RegretStore, num_infosets: int, step: Step) -> None:
    """Discount regrets and the average as the update rule says."""
    for entry in range(store.first_entry[num_infosets]):
        store.regret_sum[entry] = discounted(store.regret_sum[entry], step)
        store.strategy_sum[entry] *= step.decay
    for infoset in range(num_infosets):
        store.mass[infoset] *= step.decay


@kernel
def average(store: RegretStore, num_infosets: int, is_lazy: bool, behaviour: Floats) -> None:
    """Fill `behaviour`, float64[E], with the average strategy; uniform at infosets without mass.

    The store is not changed; mass that is not settled yet is included.
    """
    plan = behaviour  # sums first, in place
    plan[0] = store.strategy_sum[0]
    for infoset in range(num_infosets):
        mass = store.mass[infoset]
        if is_lazy:
            mass = plan[store.parent_entry[infoset]] - mass
        for entry in range(store.first_entry[infoset], store.first_entry[infoset + 1]):
            plan[entry] = store.strategy_sum[entry] + mass * store.behaviour[entry]
    for infoset in range(num_infosets):
        begin = store.first_entry[infoset]
        end = store.first_entry[infoset + 1]
        total = 0.0
        for entry in range(begin, end):
            total += plan[entry]
        for entry in range(begin, end):
            behaviour[entry] = plan[entry] / total if total > 0.0 else 1.0 / (end - begin)
    behaviour[0] = 1.0


def make_store(first_entry: Indices, parent_entry: Indices, num_players: int = 2) -> RegretStore:
    """Return a store without regrets, which plays uniformly."""
    num_infosets = len(parent_entry)
    num_entries = int(first_entry[-1])
    counts = np.diff(first_entry).astype(np.int64)
    behaviour = np.ones(num_entries)
    behaviour[1:] = np.repeat(1.0 / counts, counts)
    return RegretStore(
        first_entry=first_entry,
        parent_entry=parent_entry,
        regret_sum=np.zeros(num_entries),
        strategy_sum=np.zeros(num_entries),
        behaviour=behaviour,
        mass=np.zeros(num_infosets),
        touched=np.zeros((num_players, num_infosets), dtype=np.uint32),
        num_touched=np.zeros((num_players, 8), dtype=np.int64),
        stamp=np.zeros(num_infosets, dtype=np.int64),
        clock=make_clock(),
    )
