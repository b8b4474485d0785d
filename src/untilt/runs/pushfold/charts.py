"""Push/fold charts: solve one stack or many, answer a range, compare two strategies.

Everything uses the ordinary solvers and measures on the compiled game; `games.pushfold`
translates their results to the 169 hands. Values are in big blinds per hand.
"""

import signal
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import TYPE_CHECKING, overload

import numpy as np

from untilt.cards.combos import NUM_CLASSES
from untilt.errors import Argument, InvalidOption
from untilt.evaluation.action_values import conditional_values
from untilt.evaluation.best_response import best_response, evaluate
from untilt.evaluation.comparison import head_to_head
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.strategy.strategy import Profile
from untilt.games.pushfold.analysis import Answer, Comparison, Match, comparison_of, sweep_of
from untilt.games.pushfold.chart import (
    PushFoldChart,
    PushFoldPlay,
    PushFoldSweep,
    play_of,
    profile_of,
)
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.number import Amount, Number
from untilt.numeric.arrays import Floats
from untilt.numeric.chunks import OnShare, check_threads
from untilt.options.run import PROCESSES
from untilt.runs.solve import solve
from untilt.solvers.methods import METHODS, method_named

if TYPE_CHECKING:
    from untilt.games.pushfold.tables.table_chart import TableChart

DEFAULT_METHOD = "lp"
"""Exact, and as fast as the CFR family takes to reach 1e-6 bb."""
TARGET = 1e-6
"""Exploitability in bb at which an iterative method ends."""

MAX_STACKS = 10_000
_STACKS_PER_PROCESS = 40
"""Starting a process takes as long as solving this many stacks."""


@overload
def chart(
    stack: float | str = 10.0,
    *,
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    method: str = "lp",
) -> PushFoldChart: ...
@overload
def chart(
    stack: float | None = None,
    *,
    seats: int,
    stacks: Iterable[float] | None = None,
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    prizes: Iterable[float] = (),
    others: Iterable[float] = (),
    bounty: float | Iterable[float] = 0.0,
    max_all_in: int | None = None,
    locked: str | None = None,
    target: float | None = None,
    iterations: int | None = None,
    threads: int = 1,
) -> "TableChart": ...
@overload
def chart(
    stack: None = None,
    *,
    stacks: Iterable[float],
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    prizes: Iterable[float] = (),
    others: Iterable[float] = (),
    bounty: float | Iterable[float] = 0.0,
    max_all_in: int | None = None,
    locked: str | None = None,
    target: float | None = None,
    iterations: int | None = None,
    threads: int = 1,
) -> "TableChart": ...
def chart(
    stack: float | str | None = None,
    *,
    seats: int | None = None,
    stacks: Iterable[float] | None = None,
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    method: str | None = None,
    prizes: Iterable[float] = (),
    others: Iterable[float] = (),
    bounty: float | Iterable[float] = 0.0,
    max_all_in: int | None = None,
    locked: str | None = None,
    target: float | None = None,
    iterations: int | None = None,
    threads: int = 1,
) -> "PushFoldChart | TableChart":
    """Return the push/fold chart of heads-up hold'em for a `stack` in big blinds, or of a table.

    The small blind pushes or folds, the big blind calls or folds; deals and equities are exact. The
    stack is counted before posting, 10 by default; `ante` is posted by each player, `bb_ante` by
    the big blind for everyone. With `lp`, the default, the chart is exact; an iterative method
    stops at exploitability 1e-6 bb.

    With `seats`, two to nine, or with `stacks`, in the order in which seats act before the flop,
    the result has a chart for every seat and everyone who may be all-in before it. With `prizes`,
    best first, it is played for shares of the pool; `others` are stacks at other tables, and a
    `bounty` is on every head. At most `max_all_in` seats are all-in, 4 by default. Ranges that are
    `locked`, such as `"button: 45%"`, are kept. Solving ends when best responses gain `target`
    together, 2.5e-5 bb with three seats, or after so many `iterations`.

    >>> import untilt
    >>> chart = untilt.pushfold.chart(10)
    >>> round(chart.push.percent, 1), chart.call.frequency.shape
    (58.3, (169,))
    >>> bubble = untilt.pushfold.chart(stacks=[10, 6], prizes=[2, 1])
    >>> bubble.seats, round(float(bubble.values.sum()), 6)
    (('small blind', 'big blind'), 1.0)
    """
    of_table = {
        "prizes": prizes,
        "others": others,
        "bounty": bounty,
        "max_all_in": max_all_in,
        "locked": locked,
        "target": target,
        "iterations": iterations,
    }
    if seats is None and stacks is None:
        for name, value in of_table.items():
            is_empty = isinstance(value, int | float | str | tuple | list) and not value
            if value is not None and not is_empty:
                raise InvalidOption(Argument(name), " is for a table; give ", Argument("seats"))
        check_threads(threads)
        if threads != 1:
            raise InvalidOption(Argument("threads"), " is for a table; give ", Argument("seats"))
        stakes = _stakes(10.0 if stack is None else stack, small_blind, ante, bb_ante)
        return solve_chart(stakes, DEFAULT_METHOD if method is None else method)
    if method is not None:
        raise InvalidOption(
            Argument("method"), " is for two players without ", Argument("seats"), "; leave it out"
        )
    if stack is not None and stacks is not None:
        raise InvalidOption("stack and stacks are given; give one of them")
    if isinstance(stack, str):
        stack = Amount.read("stack", stack, "it must be a number of big blinds, such as 7.5").number
    from untilt.runs.pushfold.tables import make_table, solve_asked_table

    table = make_table(
        seats,
        stack,
        stacks,
        small_blind=small_blind,
        ante=ante,
        bb_ante=bb_ante,
        prizes=prizes,
        others=others,
        bounty=bounty,
        max_all_in=max_all_in,
    )
    return solve_asked_table(
        table, locked=locked, target=target, iterations=iterations, threads=threads
    )


def chart_sweep(
    stacks: Iterable[float | str],
    *,
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    method: str = "lp",
    processes: int = 1,
) -> PushFoldSweep:
    """Return push/fold charts for many stacks, and for each hand the stacks at which it is played.

    The `stacks` are in big blinds; see `untilt.pushfold.chart`. With several `processes`, the main
    module must be importable, as always in Python.

    >>> import untilt
    >>> sweep = untilt.pushfold.chart_sweep([5, 10, 15])
    >>> sweep.call["22"]
    [(5.0, 15.0)]
    """
    given: object = stacks
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidOption.of("stacks", stacks, "give numbers of big blinds, such as [5, 10, 15]")
    PROCESSES.verify(processes)
    wanted = list(islice(given, MAX_STACKS + 1))
    if not 1 <= len(wanted) <= MAX_STACKS:
        raise InvalidOption(f"give 1 to {MAX_STACKS:,} stacks")
    all_stakes = [_stakes(stack, small_blind, ante, bb_ante) for stack in wanted]
    all_stakes.sort(key=lambda stakes: stakes.stack)
    return sweep_charts(all_stakes, method, processes=processes)


def _stakes(stack: object, small_blind: object, ante: object, bb_ante: object) -> Stakes:
    if isinstance(stack, str):
        stack = Amount.read("stack", stack, "it must be a number of big blinds, such as 7.5").number
    given = {"stack": stack, "small_blind": small_blind, "ante": ante, "bb_ante": bb_ante}
    for name, value in given.items():
        if not Number(above=-1e9, below=1e9).accepts(value):
            raise InvalidOption.of(name, value, "it must be a number of big blinds")
    return Stakes(**{name: float(value) for name, value in given.items()})  # type: ignore[arg-type]


def solve_chart(stakes: Stakes, method: str = DEFAULT_METHOD) -> PushFoldChart:
    """Return the equilibrium chart: exact with `lp`, otherwise to exploitability 1e-6 bb."""
    chosen = method_named(method)
    if not chosen.is_full_width:
        others = [other.name for other in METHODS.loaded().values() if other.is_full_width]
        raise InvalidOption(
            Argument("method", method), f" does not make charts; use {', '.join(others)}"
        )
    target = TARGET if chosen.has_iterations else None
    run = solve(PushFold(stakes), method, target=target, save=False)
    return _chart(stakes, run.game, run.profile)


def chart_of(stakes: Stakes, play: PushFoldPlay) -> PushFoldChart:
    """Return the chart of any play, with its value, exploitability and EVs."""
    game = compile_game(PushFold(stakes))
    return _chart(stakes, game, profile_of(game, play))


def _chart(stakes: Stakes, game: CompiledGame, profile: Profile) -> PushFoldChart:
    form = game.exact_form()
    found = evaluate(form, profile)
    pushing, calling = conditional_values(form, profile)
    evs = (pushing[2::2], calling[2::2])
    return PushFoldChart.of(stakes, play_of(profile), evs, found.value, found.exploitability)


def best_push(stakes: Stakes, call: Floats, method: str = DEFAULT_METHOD) -> Answer:
    """Return the best pushing range against the calling frequencies `call` [169]."""
    return _answer(stakes, PushFoldPlay(np.zeros(NUM_CLASSES), call), 0, method)


def best_call(stakes: Stakes, push: Floats, method: str = DEFAULT_METHOD) -> Answer:
    """Return the best calling range against the pushing frequencies `push` [169].

    The pushing range must not be empty.
    """
    if not push.any():
        raise InvalidOption("the pushing range is empty; give one with at least one hand")
    return _answer(stakes, PushFoldPlay(push, np.zeros(NUM_CLASSES)), 1, method)


def _answer(stakes: Stakes, given: PushFoldPlay, player: int, method: str) -> Answer:
    equilibrium = solve_chart(stakes, method)
    game = compile_game(PushFold(stakes))
    form = game.exact_form()
    given_profile = profile_of(game, given)
    strategy, value = best_response(form, given_profile, player)
    shares = strategy.behaviour[2::2]
    if player == 0:
        play = PushFoldPlay(shares, given.call)
        standard = PushFoldPlay(equilibrium.push.frequency, given.call)
    else:
        play = PushFoldPlay(given.push, shares)
        standard = PushFoldPlay(given.push, equilibrium.call.frequency)
    chart = _chart(stakes, game, profile_of(game, play))
    standard_value = evaluate(form, profile_of(game, standard)).values[player]
    game_value = equilibrium.value if player == 0 else -equilibrium.value
    return Answer(chart, chart.seats[player], value, standard_value, game_value)


def play_match(stakes: Stakes, first: PushFoldPlay, second: PushFoldPlay) -> Match:
    """Return what `first` wins against `second`, and what a best response wins against each."""
    game = compile_game(PushFold(stakes))
    form = game.exact_form()
    profiles = profile_of(game, first), profile_of(game, second)
    found = head_to_head(form, *profiles)
    losses = tuple(evaluate(form, profile).exploitability for profile in profiles)
    return Match(found.as_player_0, found.as_player_1, (losses[0], losses[1]))


def compare(chart: PushFoldChart, stakes: Stakes, other: PushFoldPlay) -> Comparison:
    """Return where the chart and `other` differ, and what that costs."""
    return comparison_of(chart, other, play_match(stakes, chart.play, other))


def sweep_charts(
    all_stakes: Sequence[Stakes],
    method: str = DEFAULT_METHOD,
    *,
    processes: int = 1,
    watcher: OnShare | None = None,
) -> PushFoldSweep:
    """Solve all of `all_stakes`, by ascending stack, and find the stacks at which each hand plays.

    The number of `processes` does not change the result; short sweeps use fewer. More than one
    requires a main module that can be imported, as always in Python.
    """
    assert all_stakes, "at least one stack"
    solve_one = partial(solve_chart, method=method)
    workers = min(processes, len(all_stakes) // _STACKS_PER_PROCESS)
    charts: list[PushFoldChart] = []
    if workers <= 1:
        for stakes in all_stakes:
            charts.append(solve_one(stakes))
            if watcher is not None:
                watcher(len(charts) / len(all_stakes))
    else:
        # Processes rather than threads: HiGHS releases the GIL, but a third of a chart's time is
        # Python code around it. Spawned rather than forked, because threads of this process may
        # hold locks.
        with ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interrupts) as pool:
            for chart in pool.map(solve_one, all_stakes, chunksize=4):
                charts.append(chart)
                if watcher is not None:
                    watcher(len(charts) / len(all_stakes))
    return sweep_of(charts)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
