"""The sampling solver: runs batches of samples of one game; can be saved and resumed."""

import math
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.errors import Argument, FormatError, InvalidOption
from untilt.evaluation.best_response import Evaluation, evaluate_plans
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.game.compiled import CompiledGame
from untilt.game.faults import errors_of_game
from untilt.game.histories.split import OffersSplit, Split
from untilt.game.protocol import Game, num_players_of
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.strategy.snapshot import SequenceSnapshot
from untilt.numeric.arrays import AnyArray, Floats, Offsets, Records
from untilt.numeric.team import TeamSeat, make_seats, work_together
from untilt.regret.rule import UpdateRule
from untilt.regret.step import step_of
from untilt.solvers.mccfr.batches import WAIT, SamplingSchedule, advance
from untilt.solvers.mccfr.deals import SampledDeals
from untilt.solvers.mccfr.histories import num_columns
from untilt.solvers.mccfr.logs import SharedLogs, make_logs
from untilt.solvers.mccfr.objects import SampledObjects
from untilt.solvers.mccfr.regret_store import (
    CLOCK,
    RegretStore,
    average,
    discount,
    end_batch,
    make_clock,
)
from untilt.solvers.mccfr.sampled_game import SampledGame, SampledTree, refuse_general_sum
from untilt.solvers.mccfr.traversal import (
    CHANCE_SAMPLING,
    EXPAND,
    EXTERNAL_SAMPLING,
    FULL,
    OUTCOME_SAMPLING,
    Scheme,
    make_workspace,
    new_cursor,
)
from untilt.solvers.moments import is_moment, next_moment
from untilt.solvers.progress import Progress
from untilt.solvers.saved_state import LAST_ITERATION, array_of, verify_blocks

_TICK_SECONDS = 0.05
_LONGEST_SECONDS = 0.2
"""On objects an iteration may take minutes; after this time it is suspended to report."""
_CACHE_CHECK = 256
"""Iterations between two checks of the size of the cache of objects."""
_NEVER = 2**62
_NUM_COUNTERS = make_clock().view(np.int64).size
"""Numbers of the clock in a checkpoint."""
_BASELINE_RATE = 0.5
"""As in the experiments of Schmid et al. 2019; smaller ones converge more slowly on Leduc."""

SAMPLINGS = {
    "chance": CHANCE_SAMPLING,
    "external": EXTERNAL_SAMPLING,
    "outcome": OUTCOME_SAMPLING,
}


@dataclass(frozen=True)
class Team:
    """The number of threads, and whether they wait for one another."""

    threads: int = 1
    is_synchronised: bool = True


ALONE = Team()
"""One thread."""


class MccfrSolver:
    """Monte Carlo CFR under one scheme and schedule; an iterator of progress."""

    def __init__(
        self,
        sampled: SampledGame,
        scheme: Scheme,
        schedule: SamplingSchedule,
        team: Team = ALONE,
    ) -> None:
        self._sampled = sampled
        self._scheme = scheme
        self._schedule = schedule
        self._team = team
        self._workspaces = [make_workspace(sampled.max_depth + 1) for _ in range(team.threads)]
        self._seats = self._make_seats()
        if team.is_synchronised:
            num_shares = len(self._seats[0].doers)
            self._logs = [SharedLogs(make_logs(team.threads, num_shares, sampled.num_players))]
        else:
            self._logs = [
                SharedLogs(make_logs(1, 1, sampled.num_players)) for _ in range(team.threads)
            ]
        self._last_average: Floats | None = None
        self._nodes_before = 0  # visited before the run was resumed
        self._nodes = 0  # visited since, by whole iterations
        self._underway = 0  # the iteration at which suspended samples will end
        game = sampled.game()
        # A game that is not compiled now will not be compiled later.
        self._form = game.plan_form() if game.has(PlanForm) else None
        self._gap = _gap(game)
        self.seconds = 0.0

    @property
    def iteration(self) -> int:
        """The number of iterations done."""
        return int(self._sampled.store.clock["iteration"][0])

    @property
    def is_at_moment(self) -> bool:
        """Whether the strategy is measured at the present iteration."""
        return is_moment(self.iteration, self._gap)

    @property
    def nodes(self) -> int:
        """The number of nodes visited so far, including terminals."""
        return self._nodes_before + self._nodes

    def game(self) -> CompiledGame:
        """Return the game of `snapshot`; on objects, what is known of it."""
        return self._sampled.game()

    def warm_up(self) -> None:
        """Compile the kernels, so later timings do not include it."""
        self._advance_together(self.iteration)
        self._evaluate(self._average())

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Iterate up to iteration `until` (forever if None), yielding about every 50 ms.

        At the moments of `Progress` and at `until` the average strategy is measured: its
        exploitability if the game is compiled, and how far it has moved since the last such moment.
        A long iteration on objects is suspended regularly, to yield what was known before it.
        """
        tick = 1
        while until is None or self.iteration < until:
            begin = time.perf_counter()
            moment = next_moment(self.iteration, self._gap)
            stop = moment if until is None else min(moment, until)
            count = min(stop - self.iteration, tick)
            is_whole = self._advance(self.iteration + count, begin + _LONGEST_SECONDS)
            elapsed = time.perf_counter() - begin
            tick = max(1, min(2 * count, int(count * _TICK_SECONDS / max(elapsed, 1e-9))))
            is_measured = is_whole and self.iteration == stop
            evaluation = drift = None
            if is_measured:
                strategy = self._average()
                evaluation = self._evaluate(strategy)
                drift = self._drift(strategy)
            self.seconds += time.perf_counter() - begin
            yield Progress(
                iteration=self.iteration,
                seconds=self.seconds,
                evaluation=evaluation,
                regret=self.mean_regret() if is_measured else None,
                drift=drift,
                nodes=self.nodes,
                infosets=None if self._sampled.is_complete else self._sampled.num_infosets,
            )

    def _make_seats(self) -> list[TeamSeat]:
        """Return the seats of the team: a lane per player, or a single lane with baselines."""
        # Baselines belong to histories, where samples for both players meet.
        num_players = self._sampled.num_players  # the rows of each are committed separately
        num_lanes = 1 if self._scheme.has_baseline else num_players
        return make_seats(self._team.threads, num_lanes, num_parts=num_players)

    def advance(self, count: int) -> None:
        """Run `count` iterations."""
        self._advance(self.iteration + count, math.inf)

    def _advance(self, until: int, deadline: float) -> bool:
        """Iterate up to `until`; return False if samples were suspended at `deadline`.

        What they have found so far stays in the workspace and does not count yet. The next call
        resumes them, whatever its `until`.
        """
        if self._team.threads > 1 and not self._team.is_synchronised:
            self._advance_apart(until)
        elif self._sampled.is_complete:
            self._advance_together(until)
        while self.iteration < until:
            ahead = (self.iteration // _CACHE_CHECK + 1) * _CACHE_CHECK
            # Suspended samples must end where they were meant to.
            self._underway = max(self._underway, min(until, ahead))
            if not self._work(0, self._underway, self._seats[0], deadline=deadline):
                return False
            self._underway = 0
            if self.iteration == ahead:
                self._sampled.forget()
        self._nodes = sum(int(work.cursor["num_nodes"][0]) for work in self._workspaces)
        return True

    def _advance_together(self, until: int) -> None:
        """Share every batch among the threads; the result does not depend on their number."""
        work_together(self._seats, lambda rank: self._work(rank, until, self._seats[rank]))

    def _work(
        self,
        rank: int,
        until: int,
        seat: TeamSeat,
        schedule: SamplingSchedule | None = None,
        own: RegretStore | None = None,
        deadline: float = math.inf,
    ) -> bool:
        """Iterate up to `until` as a member of a team; return whether that is done.

        If not, it waits for others, or there are nodes to expand and `deadline` has passed.
        It works on the shared store, or on its `own` if that is given.
        """
        sampled, work = self._sampled, self._workspaces[rank]
        shared = self._logs[rank % len(self._logs)]
        while True:
            with shared.used() as logs:
                status = advance(
                    sampled.histories,
                    sampled.store if own is None else own,  # the shared one may have grown
                    work,
                    logs,
                    self._scheme,
                    schedule or self._schedule,
                    sampled.num_infosets,
                    until,
                    seat,
                )
            if status == FULL:
                shared.grow(logs)
            elif status == EXPAND:
                sampled.expand(work, self._scheme, deadline)
                if time.perf_counter() >= deadline:
                    return False
            else:
                return status != WAIT

    def _advance_apart(self, until: int) -> None:
        """Give each thread its own iterations; they change one store without waiting."""
        sampled, period = self._sampled, self._schedule.period
        while self.iteration < until:
            begin = self.iteration
            stop = min(until, (begin // period + 1) * period)
            bounds = np.linspace(begin, stop, self._team.threads + 1).astype(np.int64)

            def work_alone(rank: int, bounds: Offsets = bounds) -> None:
                self._run_apart(rank, int(bounds[rank]), int(bounds[rank + 1]))

            with ThreadPoolExecutor(self._team.threads) as pool:
                list(pool.map(work_alone, range(self._team.threads)))
            clock = sampled.store.clock
            clock["iteration"] = clock["batch_end"] = stop
            if stop % period == 0:
                step = step_of(self._schedule.rule, stop // period + 1)
                discount(sampled.store, sampled.num_infosets, step)

    def _run_apart(self, rank: int, begin: int, stop: int) -> None:
        shared = self._sampled.store
        store = shared._replace(
            touched=np.zeros_like(shared.touched),
            num_touched=np.zeros_like(shared.num_touched),
            stamp=np.zeros_like(shared.stamp),
            clock=make_clock(begin),
        )
        # Only the caller discounts, when all threads have reached the end of the period.
        schedule = self._schedule._replace(period=_NEVER)
        num_players = self._sampled.num_players
        self._work(rank, stop, make_seats(1, num_parts=num_players)[0], schedule, store)
        for player in range(num_players):
            end_batch(self._sampled.histories, store, self._scheme.is_lazy, player, 0.0)

    def _average(self) -> Floats:
        """Return the average strategy as probabilities per entry of the store."""
        store = self._sampled.store
        behaviour = np.empty(int(store.first_entry[self._sampled.num_infosets]))
        average(store, self._sampled.num_infosets, self._scheme.is_lazy, behaviour)
        return behaviour

    def snapshot(self) -> SequenceSnapshot:
        """Return the average strategy, at the infosets of `game`."""
        behaviours = self._sampled.split(self._average())
        return sequence_snapshot(self.game().infosets, behaviours, self._form)

    def current_behaviours(self) -> tuple[Floats, ...]:
        """Return the strategy that the next sample is drawn against."""
        return self._sampled.split(self._entries(self._sampled.store.behaviour))

    def regrets(self) -> tuple[Floats, ...]:
        """Return the sampled regret of every sequence, summed, in chips; 0 for the empty one."""
        regrets = self._sampled.split(self._entries(self._sampled.store.regret_sum), unmet=0.0)
        for regret in regrets:
            regret[0] = 0.0
        return regrets

    def _entries(self, values: Floats) -> Floats:
        """Return the part of a store's array that is in use."""
        return values[: int(self._sampled.store.first_entry[self._sampled.num_infosets])]

    def _evaluate(self, strategy: Floats) -> Evaluation | None:
        """Return the evaluation of a strategy per entry of the store; None if not measurable."""
        form = self._form
        if form is None:
            return None
        return evaluate_plans(form, form.plans(self._sampled.split(strategy)))

    def _drift(self, now: Floats) -> float:
        """Return the distance that the average strategy moved since the last call, and remember it.

        This is the total variation, averaged over the infosets known at the last call; 1 at
        first.
        """
        before = self._last_average
        self._last_average = now
        if before is None or len(before) < 2:
            return 1.0
        first_entry = self._sampled.store.first_entry[: self._sampled.num_infosets + 1]
        num_infosets = int(np.searchsorted(first_entry, len(before)))
        return _sum(np.abs(now[: len(before)] - before)) / (2 * num_infosets)

    def mean_regret(self) -> float:
        """Return Σ over infosets of the largest positive sampled regret, per iteration."""
        store, num_infosets = self._sampled.store, self._sampled.num_infosets
        if not num_infosets:
            return 0.0
        sums = self._entries(store.regret_sum)
        tops = np.maximum.reduceat(sums, store.first_entry[:num_infosets])
        # Without zeros, so infosets that were never met do not change the last bit.
        return _sum(tops[tops > 0.0]) / max(self.iteration, 1)

    def outcome(self) -> dict[str, Any]:
        """Return the visited part of the game, and the mean regret."""
        return {
            "nodes": self.nodes,
            "infosets_met": self._sampled.num_infosets,
            "mean_regret": self.mean_regret(),
        }

    def state(self) -> dict[str, AnyArray]:
        """Return everything needed to continue, by name; arrays are not copied."""
        store, size = self._sampled.store, self._sampled.num_infosets
        counts = store.num_touched[:, 0]
        touched = [own[:count] for own, count in zip(store.touched, counts, strict=True)]
        clock = store.clock.copy()
        clock["num_touched"] = counts.sum()
        state: dict[str, AnyArray] = {
            "clock": clock.view(np.int64),
            "nodes": np.array([self.nodes]),
            "mass": store.mass[:size],
            "touched": np.concatenate(touched),
            "last_average": np.empty(0) if self._last_average is None else self._last_average,
        }
        for name in ("regret_sum", "strategy_sum", "behaviour"):
            state[name] = self._entries(getattr(store, name))
        if self._scheme.has_baseline:
            state |= self._baseline_state()
        return state | self._sampled.state()

    @property
    def _num_places(self) -> int:
        """The number of baselines of the nodes known so far."""
        return self._sampled.num_nodes * num_columns(self._sampled.num_players)

    def _baseline_state(self) -> dict[str, AnyArray]:
        baselines, size = self._sampled.histories.baselines, self._num_places
        return {
            "baseline": baselines.value[:size],
            "chance_baseline": baselines.chance_mean[:size],
            "fresh_baseline": baselines.fresh[:size],
            "touched_baselines": baselines.touched[: self._sampled.store.clock["num_baselines"][0]],
        }

    def _restore_baselines(self, state: Mapping[str, AnyArray], clock: Records) -> None:
        baselines, size = self._sampled.histories.baselines, self._num_places
        touched = array_of(state, "touched_baselines", (int(clock["num_baselines"][0]),), np.uint32)
        if not _are_places(touched, size):
            raise FormatError("the baselines of the saved state contradict its histories")
        baselines.value[:size] = array_of(state, "baseline", (size,), np.float64)
        baselines.chance_mean[:size] = array_of(state, "chance_baseline", (size,), np.float64)
        baselines.fresh[:size] = array_of(state, "fresh_baseline", (size,), np.float64)
        baselines.stamp[:] = 0
        baselines.stamp[touched] = clock["batch"][0]
        baselines.touched[: len(touched)] = touched

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()` of a solver of the same game and options.

        Raises FormatError if it cannot come from such a solver, because kernels do not check
        its indices.
        """
        sampled, scheme = self._sampled, self._scheme
        clock = array_of(state, "clock", (_NUM_COUNTERS,), np.int64).copy().view(CLOCK)
        touched = array_of(state, "touched", (None,), np.uint32)
        last_average = array_of(state, "last_average", (None,), np.float64)
        nodes = int(array_of(state, "nodes", (1,), np.int64)[0])
        sampled.restore(state)
        store, size = sampled.store, sampled.num_infosets
        num_entries = int(store.first_entry[size])
        iteration, batch_end, batch, num_touched, num_baselines = clock[0].tolist()
        if (
            not 0 <= iteration <= batch_end < LAST_ITERATION
            or batch_end - iteration > self._schedule.batch
            or not 1 <= batch <= iteration + 1
            or num_touched != len(touched)
            or num_baselines < 0
            or (num_baselines > 0 and not scheme.has_baseline)
            or not _are_places(touched, size)
            or len(last_average) not in (0, *store.first_entry[: size + 1].tolist())
            or not 0 <= nodes < LAST_ITERATION
        ):
            raise FormatError("the clock of the saved state contradicts its arrays")
        mass = array_of(state, "mass", (size,), np.float64)
        found = {
            name: array_of(state, name, (num_entries,), np.float64)
            for name in ("regret_sum", "strategy_sum", "behaviour")
        }
        verify_blocks("behaviour", found["behaviour"], store.first_entry[: size + 1])
        if len(last_average):
            is_known = store.first_entry[: size + 1] <= len(last_average)
            verify_blocks("last_average", last_average, store.first_entry[: size + 1][is_known])
        if np.any(mass < 0.0) or np.any(found["strategy_sum"] < 0.0):
            raise FormatError("the sums of the saved state are negative")
        store.mass[:size] = mass
        for name, values in found.items():
            getattr(store, name)[:num_entries] = values
        if scheme.has_baseline:
            self._restore_baselines(state, clock)
        store.clock[:] = clock
        store.stamp[:] = 0
        store.stamp[touched] = clock["batch"][0]
        players = sampled.players_of(touched)
        for player in range(sampled.num_players):
            own = touched[players == player]
            store.touched[player, : len(own)] = own
            store.num_touched[player, 0] = len(own)
        self._last_average = last_average.copy() if len(last_average) else None
        self._nodes_before = nodes
        self._nodes = self._underway = 0
        for work in self._workspaces:
            work.cursor[:] = new_cursor()
        self._seats = self._make_seats()


def _are_places(places: AnyArray, size: int) -> bool:
    """Whether these are distinct indices into a list of that size."""
    return bool(np.all(places < size)) and len(np.unique(places)) == len(places)


def _sum(values: Floats) -> float:
    """Return the sum, the same to the last bit for any numbering of infosets."""
    return float(np.sort(values).sum())


def _gap(game: CompiledGame) -> int:
    """Return about how many samples take as long as ten measurements."""
    if not game.has(PlanForm):
        return 100
    return 1 + (game.plan_form().num_meetings + game.num_action_variables) // 20


def _split(root: Game) -> Split | None:
    """Return a game of two players split into public moves and deals, if it offers that."""
    if not isinstance(root, OffersSplit) or num_players_of(root) != 2:
        return None
    with errors_of_game(lambda: "split()"):
        return root.split()


def make_solver(
    sampling: str,
    rule: UpdateRule,
    options: Mapping[str, float | int | str],
    *,
    game: CompiledGame,
    root: Game | None,
    seed: int,
) -> MccfrSolver:
    """Return a solver for one kind of `sampling` (chance, external or outcome) with its `options`.

    With `on` = objects it samples the positions that start at `root`; without a root it can only
    be restored and inspected. Strategies are then measured on `game`, if it is compiled.
    """
    is_lazy = options["average"] == "lazy"
    is_synchronised = options["sync"] == "batch"
    has_baseline = options.get("baseline", "none") == "history"
    threads = int(options["threads"])
    sampled: SampledGame
    if options["on"] == "objects":
        if threads > 1:
            raise InvalidOption(
                Argument("threads"),
                " is for compiled games; a game as Python objects runs on one thread: use ",
                Argument("on", "tree"),
            )
        refuse_general_sum(game)  # if it is not compiled, a terminal will show it
        cache = int(options["cache"])
        is_traversal = SAMPLINGS[sampling] != OUTCOME_SAMPLING
        parts = _split(root) if root is not None and is_traversal and not is_lazy else None
        if root is not None and parts is not None:
            sampled = SampledDeals(root, parts, game, cache=cache)
        else:
            sampled = SampledObjects(
                root, game, cache=cache, is_lazy=is_lazy, has_baseline=has_baseline
            )
    else:
        if is_lazy and not game.has(PlanForm):
            advice = "the lazy average needs perfect recall: use "
            game.require(SequenceForm, advice, Argument("average", "stochastic"))
        sampled = SampledTree(game, has_baseline=has_baseline)
    if not is_synchronised and (is_lazy or has_baseline):
        raise InvalidOption(
            Argument("sync", "none"),
            " goes only with ",
            Argument("average", "stochastic"),
            " and ",
            Argument("baseline", "none"),
            ": threads that do not wait would read half-written sums",
        )
    scheme = Scheme(
        sampling=SAMPLINGS[sampling],
        exploration=float(options.get("exploration", 1.0)),
        has_baseline=has_baseline,
        baseline_rate=_BASELINE_RATE,
        is_lazy=is_lazy,
        is_clipped=rule.is_clipped,
        seed=np.uint64(seed),
    )
    schedule = SamplingSchedule(int(options["batch"]), int(options["period"]), rule)
    return MccfrSolver(sampled, scheme, schedule, Team(threads, is_synchronised))
