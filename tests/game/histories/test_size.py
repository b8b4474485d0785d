"""How large a game is, before all of it is walked: bounded, and wrong only on the safe side."""

import itertools
import math
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from untilt.errors import GameError, GameTooLarge
from untilt.game.compiled import compile  # noqa: A004
from untilt.game.histories import size as game_size
from untilt.game.histories import tree
from untilt.game.histories.size import SizeEstimate, estimate_size
from untilt.game.histories.tree import walk
from untilt.game.protocol import Action, Game
from untilt.games.registry import resolve


class Seen(NamedTuple):
    moves: str
    width: int

    def actions(self) -> tuple[str, ...]:
        return tuple("abcdefghij"[: self.width])

    def __str__(self) -> str:
        return f"P0:{self.moves}"


@dataclass(frozen=True)
class Line(Game):
    """Player 0 moves `length` times, with `width` actions each."""

    length: int
    width: int = 2
    moves: str = ""

    @property
    def terminal(self) -> bool:
        return len(self.moves) == self.length

    @property
    def chance(self) -> bool:
        return False

    @property
    def active(self) -> int:
        return 0

    def payoff(self, player: int) -> float:
        return 1.0 - 2.0 * player

    def chances(self) -> Iterable[tuple[Action, float]]:
        return []

    def infoset(self, player: int) -> Seen:
        return Seen(self.moves, self.width)

    def apply(self, action: Action) -> "Line":
        return replace(self, moves=self.moves + str(action))


class Comb(Line):
    """As many moves, but all actions except the first end the game."""

    @property
    def terminal(self) -> bool:
        return len(self.moves) == self.length or not set(self.moves) <= {"a"}

    @property
    def size(self) -> int:
        return 1 + self.length * self.width


def plays_of_comb(comb: Comb, rng: random.Random, count: int) -> tuple[float, ...]:
    """What Knuth's random plays of a comb say, without playing."""
    probes = []
    for _ in range(count):
        steps = 1
        while steps < comb.length and rng.random() < 1.0 / comb.width:
            steps += 1
        probes.append(sum(float(comb.width) ** step for step in range(steps + 1)))
    return tuple(probes)


def test_a_game_that_fits_is_not_refused_because_of_one_wide_play() -> None:
    comb = Comb(length=12, width=10)
    rng = random.Random(1)
    estimates = [SizeEstimate(plays_of_comb(comb, rng, 200), False, 0.0) for _ in range(1000)]
    # Plays are honest on the average only: some look as if the game were 8 times too large.
    assert any(each.num_histories > 8 * comb.size for each in estimates)
    assert not any(each.is_surely_above(comb.size) for each in estimates)


@pytest.mark.parametrize("length", [60, 600])
def test_a_game_that_is_far_too_large_is_recognised_after_a_few_plays(length: int) -> None:
    size = estimate_size(Line(length), limit=30_000_000)
    assert size.is_surely_above(30_000_000)
    assert len(size.probes) <= 16
    assert size.is_cut == (length == 600)  # 2 ** 600 is more than anybody wants to know


def test_a_game_that_never_ends_is_refused_for_that_and_not_for_its_size() -> None:
    class Endless(Line):
        terminal = property(lambda self: False)

    with pytest.raises(GameError, match="longer than 10,000 moves"):
        estimate_size(Endless(0), limit=30_000_000)


def test_a_game_twice_as_large_as_the_limit_is_told_from_one_of_half_of_it() -> None:
    size = estimate_size(Line(10))
    assert size.num_histories == 2**11 - 1
    assert size.is_surely_above(2**10)
    assert not size.is_surely_above(2**12)


def test_plays_end_when_their_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()
    ticking = SimpleNamespace(thread_time=lambda: 0.01 * next(clock), monotonic=time.monotonic)
    monkeypatch.setattr(game_size, "time", ticking)
    calls = []

    class Slow(Line):
        def apply(self, action: Action) -> "Line":
            calls.append(action)
            return super().apply(action)

    size = estimate_size(Slow(300), seconds=1.0)
    assert size.is_cut
    assert len(calls) < 100 * 16 + 300
    assert math.isfinite(size.num_histories)


def test_a_game_that_only_waits_does_not_take_more_of_our_time_than_one_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = itertools.count()
    ticking = SimpleNamespace(thread_time=time.thread_time, monotonic=lambda: 0.1 * next(clock))
    monkeypatch.setattr(game_size, "time", ticking)
    assert len(estimate_size(Line(3), probes=10**6, seconds=1.0).probes) < 100


def test_a_walk_is_refused_by_the_clock_long_before_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree, "_ESTIMATE_AFTER_SECONDS", 0.0)
    told: list[int] = []
    with pytest.raises(GameTooLarge, match=r"about 2.3e\+18 histories, .*limit of 30,000,000"):
        walk(Line(60), watcher=told.append)
    assert max(told, default=0) < 1000


def test_a_comb_that_fits_is_walked_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_ESTIMATE_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(tree, "_ESTIMATE_AGAIN", 1.0)
    monkeypatch.setattr(tree, "PROBE_SECONDS", 0.01)
    comb = Comb(length=100, width=10)
    assert len(walk(comb, max_nodes=comb.size).tree.parent) == comb.size


def test_whoever_watches_a_walk_is_told_how_far_it_is_and_may_stop_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree, "_REPORT_SECONDS", 0.0)
    told: list[int] = []
    compile(Line(10), watcher=told.append)
    assert told == sorted(told)
    assert 100 < told[-1] < 2**11

    def enough(histories: int) -> None:
        raise GameError(f"enough after {histories}")

    with pytest.raises(GameError, match="enough after 64"):
        walk(Line(10), watcher=enough)


@pytest.mark.parametrize("name", ["chess", "bargaining", "liars_dice(dice_sides=40)"])
def test_vast_games_of_openspiel_are_refused_long_before_the_limit(name: str) -> None:
    pytest.importorskip("pyspiel")
    game = resolve(f"openspiel:{name}", {}).game
    walked: list[int] = []
    with pytest.raises(GameTooLarge, match="use a sampling solver"):
        compile(game, watcher=walked.append)
    assert max(walked, default=0) < tree.DEFAULT_MAX_NODES / 50
