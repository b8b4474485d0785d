"""Counterfactual regret minimization: one regret learner per infoset.

One iteration of a player sweeps that player's side of the sequence form:

    operator        values of the player's sequences against the opponent's plan
    leaf to root    the mean of each infoset joins the value of the sequence that leads to it
    root to leaf    each infoset learns from its action values, and the new behaviour
                    becomes a plan (own reach of every sequence)

The average strategy is the plan S / S₀, because a weighted sum of plans is a plan. All
variants are one loop under different `UpdateRule`s; it runs inside the kernel. More than two
players update in turn, 0, 1, …, n − 1; their operator reads the plans of all others.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from untilt.errors import FormatError
from untilt.evaluation.best_response import evaluate_plans
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.game.sequence.plan_form import PlanForm, Treeplex
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.game.sequence.sweeps import (
    apply_payoff,
    apply_terminals,
    behaviour_from_plan,
    plan_from_behaviour,
    sweep_expectation,
)
from untilt.game.sequence.terminal_form import TerminalForm, TerminalSide, first_places
from untilt.game.strategy.snapshot import SequenceSnapshot
from untilt.numeric.arrays import AnyArray, Floats, Offsets
from untilt.numeric.kernel import called, kernel
from untilt.regret.matching import learn, learn_adaptively
from untilt.regret.rule import UpdateRule
from untilt.regret.step import Step, step_of
from untilt.solvers.moments import is_moment, next_moment
from untilt.solvers.progress import Progress
from untilt.solvers.saved_state import array_of, iteration_of, verify_blocks

_TICK_SECONDS = 0.05
_FLOW_TOLERANCE = 1e-6
"""The tolerance for the sums of a saved state as sums of plans, relative to the root's."""


class Learner(NamedTuple):
    """One player's state; I infosets, S sequences."""

    regret_sum: Floats
    """[S]"""
    strategy_sum: Floats
    """[S] Σ of the player's plans weighted by t^γ, divided by the last weight."""
    behaviour: Floats
    """[S] current strategy"""
    plan: Floats
    """[S] the player's own reach under it"""
    values: Floats
    """[S] scratch: counterfactual value of every sequence in the current sweep."""
    means: Floats
    """[I] scratch: counterfactual value of every infoset in the current sweep."""
    instants: Floats
    """[S] the last instantaneous regrets; [0] unless the rule is adaptive."""
    changes: Floats
    """[I, 2] by how much they and the accumulated regrets have changed, in squares; see `rule`."""


@kernel
def iterate(
    sides: tuple[Side, Side],
    learners: tuple[Learner, Learner],
    rule: UpdateRule,
    clock: Offsets,
    count: int,
) -> None:
    """Run `count` iterations after iteration clock[0]; `learners` and `clock` are modified."""
    for _ in range(count):
        step = step_of(rule, clock[0] + 1)
        if not rule.is_alternating:
            # Both players respond to the plans from the start of the iteration.
            apply_payoff(sides[1], sides[1].payoff, learners[0].plan, learners[1].values)
        for player in range(2):
            side = sides[player]
            learner = learners[player]
            if player == 0 or rule.is_alternating:
                apply_payoff(side, side.payoff, learners[1 - player].plan, learner.values)
            _accumulate_plan(learner, step.decay)
            sweep_expectation(side, learner.behaviour, learner.values, learner.means)
            _sweep_learning(side, learner, step)
        clock[0] += 1


@kernel
def iterate_many(
    sides: tuple[TerminalSide, ...],
    learners: tuple[Learner, ...],
    plans: Floats,
    rule: UpdateRule,
    clock: Offsets,
    count: int,
) -> None:
    """Like `iterate`, of more than two players; each learner's plan is its part of `plans`."""
    num_players = len(learners)
    for _ in range(count):
        step = step_of(rule, clock[0] + 1)
        if not rule.is_alternating:
            for player in range(num_players):
                apply_terminals(sides[player], sides[player].payoff, plans, learners[player].values)
        for player in range(num_players):
            side = sides[player]
            learner = learners[player]
            if rule.is_alternating:
                apply_terminals(side, side.payoff, plans, learner.values)
            _accumulate_plan(learner, step.decay)
            sweep_expectation(side, learner.behaviour, learner.values, learner.means)
            _sweep_learning(side, learner, step)
        clock[0] += 1


@called
def _accumulate_plan(learner: Learner, decay: float) -> None:
    strategy_sum = learner.strategy_sum
    for sequence in range(len(strategy_sum)):
        strategy_sum[sequence] = strategy_sum[sequence] * decay + learner.plan[sequence]


@called
def _sweep_learning(side: Treeplex, learner: Learner, step: Step) -> None:
    behaviour = learner.behaviour
    plan = learner.plan
    for infoset in range(len(side.parent_sequence)):
        begin = side.first_sequence[infoset]
        end = side.first_sequence[infoset + 1]
        if len(learner.instants) > 0:
            learn_adaptively(
                learner.regret_sum, learner.values, learner.means[infoset], behaviour,
                learner.instants, learner.changes[infoset], begin, end, step,
            )  # fmt: skip
        else:
            learn(
                learner.regret_sum, learner.values, learner.means[infoset], behaviour,
                begin, end, step,
            )  # fmt: skip
        reach = plan[side.parent_sequence[infoset]]
        for sequence in range(begin, end):
            plan[sequence] = reach * behaviour[sequence]


def _initial_learner(side: Treeplex, plan: Floats, *, is_adaptive: bool) -> Learner:
    """Return a learner without regrets, which plays uniformly; it keeps its plan in `plan`."""
    num_sequences = side.num_sequences
    learner = Learner(
        regret_sum=np.zeros(num_sequences),
        strategy_sum=np.zeros(num_sequences),
        behaviour=np.empty(num_sequences),
        plan=plan,
        values=np.empty(num_sequences),
        means=np.empty(side.num_infosets),
        instants=np.zeros(num_sequences if is_adaptive else 0),
        changes=np.zeros((side.num_infosets if is_adaptive else 0, 2)),
    )
    behaviour_from_plan(side, np.zeros(num_sequences), learner.behaviour)
    plan_from_behaviour(side, learner.behaviour, learner.plan)
    return learner


class CfrSolver:
    """Full-width CFR under one update rule; an iterator of progress.

    Averaging starts after the last of the iterations `defer_averaging` that lies within the
    first tenth of the run so far: [1000] for a run of 10,000 iterations or more whose length
    is known, [10, 100, 1000] for one of unknown length, [] for an average over everything.
    """

    def __init__(
        self, form: PlanForm, rule: UpdateRule, *, defer_averaging: Sequence[int] = ()
    ) -> None:
        self._form = form
        self._rule = rule
        starts = first_places(form.infosets)
        self._plans = np.empty(int(starts[-1]))
        self._learners = tuple(
            _initial_learner(side, self._plans[begin:end], is_adaptive=rule.is_adaptive)
            for side, (begin, end) in zip(form.sides, pairwise(starts.tolist()), strict=True)
        )
        self._clock = np.zeros(1, dtype=np.int64)
        self._defer_averaging = sorted(defer_averaging)
        self._skipped: dict[int, tuple[Floats, ...]] = {}
        self.seconds = 0.0

    @property
    def iteration(self) -> int:
        """The number of iterations done."""
        return int(self._clock[0])

    @property
    def is_at_moment(self) -> bool:
        """Whether the strategy is measured at the current iteration."""
        return is_moment(self.iteration)

    def warm_up(self) -> None:
        """Compile the kernels, so later timings do not include it."""
        self._iterate(0)
        evaluate_plans(self._form, tuple(learner.plan for learner in self._learners))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Iterate up to iteration `until` (forever if None), yielding about every 50 ms.

        Exploitability is measured at the moments of `Progress` and at `until` only.
        """
        tick = 1
        while until is None or self.iteration < until:
            begin = time.perf_counter()
            moment = next_moment(self.iteration)
            stop = moment if until is None else min(moment, until)
            count = min(stop - self.iteration, tick)
            self.advance(count)
            elapsed = time.perf_counter() - begin
            tick = max(1, min(2 * count, int(count * _TICK_SECONDS / max(elapsed, 1e-9))))
            is_measured = self.iteration == stop
            evaluation = evaluate_plans(self._form, self.average_plans()) if is_measured else None
            self.seconds += time.perf_counter() - begin
            yield Progress(
                iteration=self.iteration,
                seconds=self.seconds,
                evaluation=evaluation,
                regret=self.mean_regret() if is_measured else None,
            )

    def advance(self, count: int) -> None:
        """Run `count` iterations."""
        until = self.iteration + count
        while self.iteration < until:
            # Before iterating, not after: Ctrl-C may interrupt in between.
            self._remember_skipped()
            ahead = [point for point in self._defer_averaging if point > self.iteration]
            stop = min([until, *ahead])
            self._iterate(stop - self.iteration)

    def _iterate(self, count: int) -> None:
        form, learners = self._form, self._learners
        if isinstance(form, SequenceForm):
            iterate(form.sides, (learners[0], learners[1]), self._rule, self._clock, count)
        else:
            assert isinstance(form, TerminalForm)
            iterate_many(form.sides, learners, self._plans, self._rule, self._clock, count)

    def _remember_skipped(self) -> None:
        if self.iteration in self._defer_averaging and self.iteration not in self._skipped:
            self._skipped[self.iteration] = tuple(
                learner.strategy_sum.copy() for learner in self._learners
            )

    def average_plans(self) -> tuple[Floats, ...]:
        """Return the average strategy as realization plans."""
        done = self.iteration
        if done == 0:
            return tuple(learner.plan.copy() for learner in self._learners)
        self._remember_skipped()
        skipped = max((point for point in self._skipped if 10 * point <= done), default=0)

        def average(player: int) -> Floats:
            total = self._learners[player].strategy_sum
            if skipped:
                share = (skipped / done) ** self._rule.gamma
                total = np.maximum(total - share * self._skipped[skipped][player], 0.0)
            plan: Floats = total / total[0]
            return plan

        return tuple(map(average, range(len(self._learners))))

    def snapshot(self) -> SequenceSnapshot:
        """Return the average strategy."""
        form = self._form
        return sequence_snapshot(form.infosets, form.behaviours(self.average_plans()), form)

    def current_behaviours(self) -> tuple[Floats, ...]:
        """Return the strategy that the next iteration plays."""
        return tuple(learner.behaviour.copy() for learner in self._learners)

    def regrets(self) -> tuple[Floats, ...]:
        """Return the accumulated regret of every sequence, in chips; 0 for the empty one."""
        return tuple(learner.regret_sum.copy() for learner in self._learners)

    def mean_regret(self) -> float:
        """Return Σ over infosets of the largest positive regret, per iteration.

        For `cfr` and two players it bounds `nash_conv` from above (Zinkevich et al. 2007,
        theorem 3); for the discounted and clipped rules it only shows the trend. For more players
        and `cfr` it bounds what a player gains by one fixed strategy against the past play of all.
        """
        total = 0.0
        for side, learner in zip(self._form.sides, self._learners, strict=True):
            if side.num_infosets:
                tops = np.maximum.reduceat(learner.regret_sum, side.first_sequence[:-1])
                total += float(np.maximum(tops, 0.0).sum())
        return total / max(self.iteration, 1)

    def outcome(self) -> dict[str, Any]:
        """Return nothing in addition to the strategy."""
        return {}

    def state(self) -> dict[str, AnyArray]:
        """Return everything needed to continue, by name; arrays are not copied."""
        state: dict[str, AnyArray] = {"iteration": self._clock}
        for player, learner in enumerate(self._learners):
            state[f"regret_sum_{player}"] = learner.regret_sum
            state[f"strategy_sum_{player}"] = learner.strategy_sum
            state[f"behaviour_{player}"] = learner.behaviour
            if self._rule.is_adaptive:
                state[f"instants_{player}"] = learner.instants
                state[f"changes_{player}"] = learner.changes
        for point, sums in self._skipped.items():
            for player, total in enumerate(sums):
                state[f"skipped_{point}_{player}"] = total
        return state

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()` of a solver of the same game and rule.

        Raises FormatError, and changes nothing, if the state cannot come from such a solver.
        """
        iteration = iteration_of(state)
        arrays: list[tuple[Floats, Floats, Floats]] = []
        skipped: dict[int, tuple[Floats, ...]] = {}
        shapes = [(side.num_sequences,) for side in self._form.sides]
        for player in range(len(shapes)):
            names = ("regret_sum", "strategy_sum", "behaviour")
            found = [
                array_of(state, f"{name}_{player}", shapes[player], np.float64) for name in names
            ]
            arrays.append((found[0], found[1], found[2]))
        predictions = self._stored_predictions(state)
        for point in self._defer_averaging:
            if point < iteration:
                skipped[point] = tuple(
                    array_of(state, f"skipped_{point}_{player}", shape, np.float64)
                    for player, shape in enumerate(shapes)
                )
        for player, (_, strategy_sum, behaviour) in enumerate(arrays):
            side = self._form.sides[player]
            verify_blocks("behaviour", behaviour, side.first_sequence)
            sums = [strategy_sum, *(each[player] for each in skipped.values())]
            if iteration and not all(_is_sum_of_plans(side, total) for total in sums):
                raise FormatError("strategy_sum of the saved state is not a sum of plans")
        for player, (regret_sum, strategy_sum, behaviour) in enumerate(arrays):
            learner = self._learners[player]
            learner.regret_sum[:] = regret_sum
            learner.strategy_sum[:] = strategy_sum
            learner.behaviour[:] = behaviour
            plan_from_behaviour(self._form.sides[player], learner.behaviour, learner.plan)
        for learner, (instants, changes) in zip(self._learners, predictions, strict=False):
            learner.instants[:] = instants
            learner.changes[:] = changes
        self._skipped = {
            point: tuple(total.copy() for total in sums) for point, sums in skipped.items()
        }
        self._clock[0] = iteration

    def _stored_predictions(self, state: Mapping[str, AnyArray]) -> list[tuple[Floats, Floats]]:
        """Return what an adaptive rule has learnt about its predictions; nothing for others."""
        if not self._rule.is_adaptive:
            return []
        found = []
        for player, learner in enumerate(self._learners):
            names = (f"instants_{player}", f"changes_{player}")
            shapes = (learner.instants.shape, learner.changes.shape)
            instants, changes = (
                array_of(state, name, shape, np.float64)
                for name, shape in zip(names, shapes, strict=True)
            )
            if np.any(changes < 0.0):
                raise FormatError(f"{names[1]} of the saved state has negative sums of squares")
            found.append((instants, changes))
        return found


def _is_sum_of_plans(side: Treeplex, total: Floats) -> bool:
    """Whether a weighted sum of plans can be `total`: the actions of each infoset sum to what
    leads to it.
    """
    if total[0] <= 0.0 or bool(np.any(total < 0.0)):
        return False
    if not side.num_infosets:
        return True
    blocks = np.add.reduceat(total, side.first_sequence[:-1])
    gaps = np.abs(blocks - total[side.parent_sequence])
    return bool(np.all(gaps <= _FLOW_TOLERANCE * total[0]))
