"""Two strategies of the same game side by side: values, head to head, where they differ."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from untilt.display import Cell, gain_text, html_table, short_number
from untilt.errors import Argument, InvalidOption, require
from untilt.evaluation.best_response import Evaluation, evaluate
from untilt.evaluation.comparison import (
    Distance,
    HeadToHead,
    Variations,
    head_to_head,
    overall,
    variations,
)
from untilt.game.histories.tree import OnWalked
from untilt.game.strategy.strategy import Profile
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.parameters import verify_mapping
from untilt.games.registry import GameLike
from untilt.policy.saved.given_agents import verify_trust
from untilt.runs.results.given_strategies import AnyStrategy, names_game, source_beside, source_of
from untilt.runs.results.sources import LoadedProfile, lifted

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.runs.results.spot_comparing import SpotComparison

_MAX_SHOWN = 10
"""Infosets of the table in a notebook."""


@dataclass(frozen=True)
class ComparedStrategy:
    """One of the two strategies."""

    name: str
    """Where it comes from: a path, or a description."""
    method: str | None
    """The method of its run; None if it is not one."""
    iterations: int | None
    seconds: float | None
    evaluation: Evaluation
    profile: Profile = field(repr=False)

    @classmethod
    def of(cls, source: LoadedProfile, measured: LoadedProfile) -> "ComparedStrategy":
        """Return the strategy of `source`; `measured` is the same in the game of comparison."""
        run = source.run
        return cls(
            source.name,
            None if run is None else run.request.method,
            None if run is None else run.iterations,
            None if run is None else run.seconds,
            evaluate(measured.game.plan_form(), measured.profile),
            measured.profile,
        )

    def to_json(self) -> dict[str, Any]:
        """Return where it comes from and how good it is, as plain data."""
        return {
            "path": self.name,
            "method": self.method,
            "iterations": self.iterations,
            "seconds": self.seconds,
            **self.evaluation.to_json(),
        }


@dataclass(frozen=True)
class InfosetDifference:
    """An infoset at which two strategies differ."""

    label: str
    distance: float
    """The total variation of the action probabilities: 0 if they agree, 1 if nothing is shared."""
    reaches: tuple[float, float]
    """How often each of the two, playing both seats, reaches this infoset."""
    strategies: tuple[dict[str, float], dict[str, float]]
    """What each of the two does here."""

    @property
    def reach(self) -> float:
        """How often the two reach this infoset on average."""
        return sum(self.reaches) / 2.0

    def to_json(self) -> dict[str, Any]:
        """Return the infoset as plain data."""
        return asdict(self) | {"reaches": [*self.reaches], "strategies": [*self.strategies]}


@dataclass(frozen=True, eq=False, repr=False)
class StrategyComparison:
    """Two strategies of the same game: the result of `untilt.compare`."""

    game: str
    title: str
    parameters: Mapping[str, Any]
    unit: str
    """The unit of payoffs."""
    players: tuple[str, ...]
    """The names of the players."""
    is_zero_sum: bool
    is_full_game: bool
    """Whether strategies of an abstract game were compared in the full one."""
    strategies: tuple[ComparedStrategy, ComparedStrategy]
    head_to_head: HeadToHead
    """What the first wins from the second."""
    variations: Variations
    """How far apart the two are at every infoset."""
    warnings: tuple[str, ...] = ()
    """What the user should know about the runs."""

    @property
    def distance(self) -> Distance:
        """How far apart the two are altogether."""
        return overall(self.variations)

    @property
    def num_infosets(self) -> int:
        """Infosets of both players."""
        return len(self.variations.labels)

    @cached_property
    def differences(self) -> tuple[InfosetDifference, ...]:
        """The infosets at which they differ, those that matter most first.

        They are ordered by distance times mean reach.
        """
        apart = self.variations
        one, other = (each.profile for each in self.strategies)
        return tuple(
            InfosetDifference(
                label=apart.labels[number],
                distance=float(apart.variation[number]),
                reaches=(float(apart.reaches[0, number]), float(apart.reaches[1, number])),
                strategies=(one[apart.labels[number]], other[apart.labels[number]]),
            )
            for number in apart.differing()
        )

    def to_json(self, top: int | None = None) -> dict[str, Any]:
        """Return the object that `untilt compare --json` prints, with the `top` differences."""
        return {
            "game": self.game,
            "parameters": dict(self.parameters),
            "unit": self.unit,
            "players": list(self.players),
            "is_full_game": self.is_full_game,
            "strategies": [each.to_json() for each in self.strategies],
            "head_to_head": self.head_to_head.to_json(),
            "distance": asdict(self.distance),
            "differing_infosets": len(self.differences),
            "infosets": [each.to_json() for each in self.differences[:top]],
        }

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per differing infoset and action."""
        pandas = require("pandas", "to_frame")
        frame: DataFrame = pandas.DataFrame(
            [
                (each.label, action, share, each.strategies[1][action], each.distance, each.reach)
                for each in self.differences
                for action, share in each.strategies[0].items()
            ],
            columns=["infoset", "action", "first", "second", "distance", "reach"],
        )
        return frame

    def __repr__(self) -> str:
        one, other = (each.evaluation.exploitability for each in self.strategies)
        return (
            f"<StrategyComparison of {self.game[:80]}: exploitability {one:.3g} and {other:.3g}, "
            f"the first {gain_text(self.head_to_head.mean, '.3g')} a hand, "
            f"{len(self.differences):,} of {self.num_infosets:,} infosets differ>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: the infosets that matter most."""
        one, other = self.strategies
        rows: list[list[Cell]] = [
            [each.label, short_number(each.distance), short_number(each.reach), *map(_mix, mixes)]
            for each in self.differences[:_MAX_SHOWN]
            for mixes in [each.strategies]
        ]
        match = self.head_to_head
        note = (
            f"exploitability {one.evaluation.exploitability:.3g} and "
            f"{other.evaluation.exploitability:.3g}; first {gain_text(match.mean, '.3g')}"
        )
        header = ("infoset", "distance", "reach", "first", "second")
        return html_table(f"{self.title}: {len(rows)} differences", rows, header=header, note=note)


@overload
def compare(
    first: Solution, second: Solution, *, streets: int | None = ...
) -> "SpotComparison": ...


@overload
def compare(
    first: AnyStrategy,
    second: AnyStrategy,
    *,
    game: GameLike | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    trust: bool = ...,
    watcher: OnWalked | None = ...,
) -> StrategyComparison: ...


def compare(
    first: "AnyStrategy | Solution",
    second: "AnyStrategy | Solution",
    *,
    game: GameLike | None = None,
    parameters: Mapping[str, Any] | None = None,
    trust: bool = False,
    streets: int | None = None,
    watcher: OnWalked | None = None,
) -> "StrategyComparison | SpotComparison":
    """Return two strategies of a game side by side: values, head to head, where they differ.

    `game` and its `parameters` are needed if neither strategy is a run or names its game. Runs on
    an abstract game are compared in the full game, if that compiles; `trust` allows running the
    Python code that they name. `watcher` is called while a game is walked.

    Two solutions of the same spot are compared line by line; the first is measured against the
    opponent of the second. `streets` is how many streets are compared, by default those with at
    most 200 boards.

    >>> import untilt
    >>> exact = untilt.solve("kuhn", "lp", save=False)
    >>> found = untilt.compare(exact, untilt.strategies.uniform("kuhn"))
    >>> found.head_to_head.mean > 0.0, found.differences[0].distance
    (True, 0.5)
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> late, early = (untilt.solve(river, iterations=n, save=False) for n in (100, 1))
    >>> untilt.compare(late, early).differences[0].line
    'all-in 100'
    """
    if isinstance(first, Solution) or isinstance(second, Solution):
        for name, given in (("game", game), ("parameters", parameters)):
            if given is not None:
                raise InvalidOption("solved spots need no ", Argument(name), "; leave it out")
        from untilt.runs.results.spot_comparing import compare_spots

        return compare_spots(first, second, streets=streets)
    if streets is not None:
        raise InvalidOption(Argument("streets"), " is for solved spots; leave it out")
    return _compare_strategies(first, second, game, parameters, trust, watcher)


def _compare_strategies(
    first: AnyStrategy,
    second: AnyStrategy,
    game: GameLike | None,
    parameters: Mapping[str, Any] | None,
    trust: bool,
    watcher: OnWalked | None,
) -> StrategyComparison:
    verify_trust(trust)
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "give a function, or None")
    given = {} if parameters is None else parameters
    verify_mapping(given)
    if game is None and not names_game(first):
        other = source_of(second, None, given, watcher)
        return compare_sources(source_beside(first, other), other, trust=trust, watcher=watcher)
    one = source_of(first, game, given, watcher)
    return compare_sources(one, source_beside(second, one), trust=trust, watcher=watcher)


def compare_sources(
    first: LoadedProfile,
    second: LoadedProfile,
    *,
    trust: bool = False,
    watcher: OnWalked | None = None,
) -> StrategyComparison:
    """Return two strategies of the same game side by side, in the full game if it is abstract."""
    one, _ = lifted(first, trust=trust, watcher=watcher)
    is_full = one is not first
    other = lifted(second, trust=trust, watcher=watcher)[0] if is_full else second
    form = one.game.plan_form()
    if is_full and other.game.fingerprint() != one.game.fingerprint():
        raise InvalidOption(
            f"{second.name} is a strategy of the abstract game alone; give its run, so that both "
            "can be compared in the full game"
        )
    runs = [each.run for each in (first, second) if each.run is not None]
    return StrategyComparison(
        game=one.game_name,
        title=one.title,
        parameters=one.parameters,
        unit=one.terms.unit,
        players=one.terms.seats,
        is_zero_sum=one.game.has_one_value,
        is_full_game=is_full,
        strategies=(ComparedStrategy.of(first, one), ComparedStrategy.of(second, other)),
        head_to_head=head_to_head(form, one.profile, other.profile),
        variations=variations(form, one.profile, other.profile),
        warnings=tuple(run.warning for run in runs if run.warning),
    )


def _mix(mix: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {share:.1%}" for name, share in mix.items())
