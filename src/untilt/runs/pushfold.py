"""Push/fold charts: solving a stack or many, best answers to a range, two strategies compared.

Everything goes through the ordinary solvers and measures on the compiled game; what stands
here only says what they mean for the 169 hands. Values are in big blinds per hand.
"""

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.charts.push_fold import Intervals, PushFoldChart, PushFoldSweep, Seat
from untilt.errors import Argument, InvalidOption, StrategyError
from untilt.evaluation.action_values import conditional_values
from untilt.evaluation.best_response import best_response, evaluate
from untilt.evaluation.comparison import head_to_head
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.strategy import Profile, profile_from_arrays
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.numeric.arrays import Floats
from untilt.runs.solve import solve
from untilt.solvers.methods import METHODS, method_named

DEFAULT_METHOD = "lp"
"""Exact, and as fast as the CFR family is to 1e-6 bb."""
TARGET = 1e-6
"""Exploitability in bb at which an iterative method ends."""

METHODS_FOR_CHARTS = tuple(
    name for name, method in METHODS.items() if not method.is_sampling and name != "qre"
)

INDIFFERENT = 1e-6
"""Where playing and folding differ by less, in bb, the frequency decides which it is."""

MAX_STACKS = 10_000
_STACKS_PER_PROCESS = 40
"""Starting a process takes as long as solving so many stacks."""


@dataclass(frozen=True)
class Play:
    """How often both players act with each hand; [169] from 0 to 1, in the order of the grid."""

    push: Floats
    call: Floats

    def __post_init__(self) -> None:
        for shares in (self.push, self.call):
            if np.shape(shares) != (NUM_CLASSES,):
                raise StrategyError(
                    f"{NUM_CLASSES} frequencies are needed, one per hand class, given "
                    f"{np.shape(shares)}"
                )
            if not np.all((shares >= 0.0) & (shares <= 1.0)):  # false for nan too
                raise StrategyError("a frequency is not a number in [0, 1]")


def play_of(profile: Profile) -> Play:
    """Return the frequencies of a profile of the game."""
    push, call = (behaviour[2::2].copy() for behaviour in profile.behaviours)
    return Play(push, call)


def profile_of(game: CompiledGame, play: Play) -> Profile:
    """Return the profile of the compiled game that plays with these frequencies."""

    def behaviour(shares: Floats) -> Floats:
        # After the empty sequence each hand has two: fold, and push or call.
        return np.concatenate(([1.0], np.stack((1.0 - shares, shares), axis=1).ravel()))

    return profile_from_arrays(game, (behaviour(play.push), behaviour(play.call)))


def solve_chart(stakes: Stakes, method: str = DEFAULT_METHOD) -> PushFoldChart:
    """Return the equilibrium chart: exact by `lp`, else to exploitability 1e-6 bb."""
    chosen = method_named(method)
    if method not in METHODS_FOR_CHARTS:
        raise InvalidOption(
            Argument("method", method),
            f" does not make charts; use {', '.join(METHODS_FOR_CHARTS)}",
        )
    target = TARGET if chosen.has_iterations else None
    run = solve(PushFold(stakes), method, target=target, save=False)
    return _chart(stakes, run.game, run.profile)


def chart_of(stakes: Stakes, play: Play) -> PushFoldChart:
    """Return the chart of any play, with its value, exploitability and EVs."""
    game = compile_game(PushFold(stakes))
    return _chart(stakes, game, profile_of(game, play))


def _chart(stakes: Stakes, game: CompiledGame, profile: Profile) -> PushFoldChart:
    form = game.exact_form()
    found = evaluate(form, profile)
    play = play_of(profile)
    pushing, calling = conditional_values(form, profile)
    return PushFoldChart(
        stack=stakes.stack,
        small_blind=stakes.small_blind,
        ante=stakes.ante,
        bb_ante=stakes.bb_ante,
        value=found.value,
        exploitability=found.exploitability,
        push=Seat("small blind", "push", play.push, pushing[2::2], stakes.folded),
        call=Seat("big blind", "call", play.call, calling[2::2], -stakes.uncalled),
    )


@dataclass(frozen=True)
class Answer:
    """The best answer to a range, in big blinds per hand for the player who answers."""

    chart: PushFoldChart
    """The given range and the answer to it."""
    seat: Seat
    """The half that answers."""
    value: float
    """What the answer gains."""
    equilibrium_value: float
    """What the equilibrium range gains against the given one."""
    game_value: float
    """What the equilibrium range gains against the equilibrium."""

    @property
    def gain(self) -> float:
        """How much better the answer does than the equilibrium range."""
        return self.value - self.equilibrium_value


def best_push(stakes: Stakes, call: Floats, method: str = DEFAULT_METHOD) -> Answer:
    """Return the best pushing range against the calling frequencies `call` [169]."""
    return _answer(stakes, Play(np.zeros(NUM_CLASSES), call), 0, method)


def best_call(stakes: Stakes, push: Floats, method: str = DEFAULT_METHOD) -> Answer:
    """Return the best calling range against the pushing frequencies `push` [169].

    Somebody must push, or there is nothing to answer.
    """
    if not push.any():
        raise InvalidOption("nobody pushes, so nobody calls: give a pushing range with a hand")
    return _answer(stakes, Play(push, np.zeros(NUM_CLASSES)), 1, method)


def _answer(stakes: Stakes, given: Play, player: int, method: str) -> Answer:
    equilibrium = solve_chart(stakes, method)
    game = compile_game(PushFold(stakes))
    form = game.exact_form()
    given_profile = profile_of(game, given)
    strategy, value = best_response(form, given_profile, player)
    shares = strategy.behaviour[2::2]
    if player == 0:
        play = Play(shares, given.call)
        standard = Play(equilibrium.push.frequency, given.call)
    else:
        play = Play(given.push, shares)
        standard = Play(given.push, equilibrium.call.frequency)
    chart = _chart(stakes, game, profile_of(game, play))
    standard_value = evaluate(form, profile_of(game, standard)).values[player]
    game_value = equilibrium.value if player == 0 else -equilibrium.value
    return Answer(chart, chart.seats[player], value, standard_value, game_value)


@dataclass(frozen=True)
class Match:
    """Two plays head to head, exact, in big blinds per hand for the first."""

    as_small_blind: float
    as_big_blind: float
    losses: tuple[float, float]
    """What each play loses to a best response, mean of both seats and of the game's value."""

    @property
    def mean(self) -> float:
        """What the first wins when the players change seats every hand."""
        return (self.as_small_blind + self.as_big_blind) / 2.0


def play_match(stakes: Stakes, first: Play, second: Play) -> Match:
    """Return what `first` wins from `second`, and what a best response wins from either."""
    game = compile_game(PushFold(stakes))
    form = game.exact_form()
    profiles = profile_of(game, first), profile_of(game, second)
    found = head_to_head(form, *profiles)
    losses = tuple(evaluate(form, profile).exploitability for profile in profiles)
    return Match(found.as_player_0, found.as_player_1, (losses[0], losses[1]))


@dataclass(frozen=True)
class Difference:
    """A hand that two charts play differently."""

    action: str
    """`push` or `call`."""
    hand: str
    ours: float
    """How often the first chart plays it."""
    theirs: float
    ev_difference: float
    """What playing it gains over folding against the first chart, in bb."""


@dataclass(frozen=True)
class Comparison:
    """A chart beside another play of the same game."""

    differences: tuple[Difference, ...]
    """Where one plays a hand more often than not and the other does not."""
    match: Match
    """The chart is the first, the other play the second."""


def compare(chart: PushFoldChart, stakes: Stakes, other: Play) -> Comparison:
    """Return where the chart and `other` differ, and what that costs."""
    differences = [
        Difference(
            seat.action,
            CLASS_NAMES[hand],
            float(seat.frequency[hand]),
            float(shares[hand]),
            float(seat.ev[hand] - seat.fold_ev),
        )
        for seat, shares in zip(chart.seats, (other.push, other.call), strict=True)
        for hand in np.flatnonzero((seat.frequency > 0.5) != (shares > 0.5)).tolist()
    ]
    own = Play(chart.push.frequency, chart.call.frequency)
    return Comparison(tuple(differences), play_match(stakes, own, other))


Watcher = Callable[[float], None]
"""Is told which share of the work is done, 0–1."""


def sweep_charts(
    all_stakes: Sequence[Stakes],
    method: str = DEFAULT_METHOD,
    *,
    processes: int = 1,
    watcher: Watcher | None = None,
) -> PushFoldSweep:
    """Solve every one of `all_stakes`, by ascending stack, and find the stacks of each hand.

    `processes` share the work without changing the result; short sweeps use fewer. More than
    one needs, as always in Python, a main module that can be imported.
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
        # Processes, because HiGHS holds the interpreter's lock; started afresh rather than
        # forked, because threads of this process may hold locks of their own.
        with ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interrupts) as pool:
            for chart in pool.map(solve_one, all_stakes, chunksize=4):
                charts.append(chart)
                if watcher is not None:
                    watcher(len(charts) / len(all_stakes))
    return PushFoldSweep(
        tuple(charts),
        push=_intervals([chart.push for chart in charts], all_stakes),
        call=_intervals([chart.call for chart in charts], all_stakes),
    )


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _intervals(seats: list[Seat], all_stakes: Sequence[Stakes]) -> Intervals:
    """Return for each hand the maximal runs of neighbouring stacks at which it is played."""
    stacks = [stakes.stack for stakes in all_stakes]
    is_played = np.array([_played(seat) for seat in seats])
    found: dict[str, list[tuple[float, float]]] = {}
    for hand, name in enumerate(CLASS_NAMES):
        steps = np.diff(is_played[:, hand].astype(np.int8), prepend=0, append=0)
        begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) - 1
        found[name] = [
            (stacks[begin], stacks[end]) for begin, end in zip(begins, ends, strict=True)
        ]
    return found


def _played(seat: Seat) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return [169] which hands are played: by the sign of what it gains, where that is clear.

    At an equilibrium that sign is the same whatever equilibrium was found; the frequency of a
    hand that gains nothing either way need not be.
    """
    gain = seat.ev - seat.fold_ev
    return np.where(np.abs(gain) > INDIFFERENT, gain > 0.0, seat.frequency > 0.5)
