"""The functions of `import untilt`, which accept games and strategies in many forms.

A game is a position, a class or function that makes one, a reference as on the command line (a
name, `file.py:attr`, a Gambit file), a compiled game, a sequence form, or a run. A strategy is a
profile, a run, a pair of strategies, a plain `{infoset: {action: probability}}`, or the path of a
run or of a strategy file. Arguments are checked here, once; the functions called from here work
on sequence forms and profiles.
"""

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from untilt.errors import InvalidOption, RunError, StrategyError, shortened
from untilt.formats.files import path_of
from untilt.formats.strategy import read_plain_strategy
from untilt.game import compiled, strategy
from untilt.game.compiled import CompiledGame, compiled_form
from untilt.game.sequence_form import SequenceForm
from untilt.game.strategy import (
    PlainProfile,
    Profile,
    Strategy,
    strategy_from_dict,
    verify_player,
    verify_probabilities,
    verify_profile,
)
from untilt.game.tree import DEFAULT_MAX_NODES
from untilt.games.parameters import verify_mapping
from untilt.games.registry import REGISTRY, GameLike, name_game

if TYPE_CHECKING:
    from untilt.cards.range import Range
    from untilt.games.holdem.sizes import Sizes
    from untilt.games.holdem.solution import Node, Solution
    from untilt.games.holdem.spot import Spot

if TYPE_CHECKING:  # these load Numba, which is not needed to compile or play a game
    from untilt.evaluation.action_values import ActionValues
    from untilt.evaluation.best_response import Evaluation
    from untilt.evaluation.comparison import Distance, HeadToHead
    from untilt.runs.run import Run

AnyGame: TypeAlias = "GameLike | CompiledGame | SequenceForm | Run"
"""Anything that stands for a game."""

AnyStrategy: TypeAlias = (
    "PlainProfile | Run | tuple[PlainProfile, PlainProfile] | str | os.PathLike[str]"
)
"""Anything that stands for a strategy of both players."""


def compile(  # noqa: A001
    game: AnyGame,
    *,
    parameters: Mapping[str, Any] | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
) -> CompiledGame:
    """Return `game` compiled: directly if the game supports that, else by walking its histories.

    `parameters` apply to a game given by name, class or function. `max_nodes` limits the histories
    walked; GameTooLarge is raised beyond it.
    """
    if not (_is_integer(max_nodes) and max_nodes >= 1):
        raise InvalidOption(
            f"max_nodes is {shortened(max_nodes)}; it must be an integer, at least 1"
        )
    given = {} if parameters is None else parameters
    verify_mapping(given)
    known = game.game if _is_run(game) else game
    if isinstance(known, CompiledGame | SequenceForm):
        if given:
            raise InvalidOption("a compiled game takes no parameters; give the game by name")
        return known if isinstance(known, CompiledGame) else compiled_form(known)
    named = name_game(known, given)  # type: ignore[arg-type]  # a run was taken above
    return compiled.compile(named.game, max_nodes=int(max_nodes))


def uniform_profile(game: AnyGame) -> Profile:
    """Return the profile in which all actions of an infoset are equally likely."""
    return strategy.uniform_profile(compile(game))


def random_profile(game: AnyGame, rng: np.random.Generator | int | None = None) -> Profile:
    """Return a profile drawn uniformly from each infoset's simplex.

    `rng` is a NumPy generator or a seed; without it the profile is not reproducible.
    """
    if isinstance(rng, np.random.Generator):
        return strategy.random_profile(compile(game), rng)
    if rng is not None and not (_is_integer(rng) and rng >= 0):
        raise InvalidOption(
            f"rng is {shortened(rng)}; give numpy.random.default_rng(seed), or a seed, at least 0"
        )
    return strategy.random_profile(compile(game), np.random.default_rng(rng))


def profile_from_dict(game: AnyGame, plain: AnyStrategy) -> Profile:
    """Return `plain` as a profile, checked against the game.

    It must have every infoset of both players; forced moves are optional. A missing action has
    probability 0. Probabilities must sum to 1 within 1e-5, and are rescaled.
    """
    return _profile(compile(game), plain)


def evaluate(game: AnyGame, profile: "AnyStrategy | None" = None) -> "Evaluation":
    """Return the values and best-response gains of `profile`, in general-sum games too.

    For a run or its folder, no profile is needed: `untilt.evaluate(run)`.
    """
    from untilt.evaluation.best_response import evaluate as evaluate_form

    known = _loaded(game)
    if profile is None:
        if not _is_run(known):
            raise InvalidOption(
                "give the strategy to evaluate: a profile, a run, a file, or "
                "{infoset: {action: probability}}"
            )
        profile = known
    about = compile(known)
    return evaluate_form(about.exact_form(), _profile(about, profile))


def best_response(game: AnyGame, profile: AnyStrategy, player: int) -> tuple[Strategy, float]:
    """Return `player`'s pure best response to the other's strategy, and its value.

    `profile` may contain the other's strategy alone. Among equally good actions the response takes
    the first, also at infosets that the opponent never lets her reach.
    """
    from untilt.evaluation.best_response import best_response as respond

    player = verify_player(player)
    about = compile(_loaded(game))
    if isinstance(profile, Mapping) and not isinstance(profile, Profile):
        both = list(strategy.uniform_profile(about).strategies)
        both[1 - player] = strategy_from_dict(about, 1 - player, profile)
        profile = Profile((both[0], both[1]))
    return respond(about.exact_form(), _profile(about, profile), player)


def action_values(game: AnyGame, profile: AnyStrategy, player: int) -> "ActionValues":
    """Return `player`'s action values and reaches under `profile`."""
    from untilt.evaluation.action_values import action_values as values_of

    about = compile(_loaded(game))
    return values_of(about.exact_form(), _profile(about, profile), player)


def head_to_head(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> "HeadToHead":
    """Return what `profile` wins against `other` in each seat."""
    from untilt.evaluation.comparison import head_to_head as compare

    about = compile(_loaded(game))
    both = _profile(about, profile), _profile(about, other)
    return compare(about.exact_form(), *both)


def distance(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> "Distance":
    """Return how far apart two profiles are."""
    from untilt.evaluation.comparison import distance as compare

    about = compile(_loaded(game))
    both = _profile(about, profile), _profile(about, other)
    return compare(about.exact_form(), *both)


def resolve(
    subject: "Spot | Node",
    *,
    ranges: "tuple[str | Range, str | Range] | None" = None,
    sizes: "Sizes | None" = None,
    budget: float = 0.05,
    target: str | float | None = None,
    threads: int = 1,
) -> "Solution":
    """Solve a spot, or the street that begins at a node of a solution, within `budget` seconds.

    For bots: nothing is written, and once the kernels are compiled it takes the budget, or less
    if `target` (chips, or a share of the pot such as `"0.5%"`) is reached before. `ranges` and
    `sizes` replace those of the spot or node.
    """
    from untilt.games.holdem.locks import is_merged_for
    from untilt.games.holdem.public_form import compile_spot, with_runouts
    from untilt.games.holdem.solution import Node, Solution, SolvingFacts
    from untilt.games.holdem.spot import Spot, share_of_pot
    from untilt.solvers.public_tree.resolve import resolve_tree

    if not (_is_number(budget) and budget > 0.0):
        raise InvalidOption.of("budget", budget, "give seconds, more than 0")
    if not (target is None or isinstance(target, str) or (_is_number(target) and target >= 0.0)):
        raise InvalidOption.of("target", target, "give chips such as 0.5, or a share such as 0.1%")
    if not _is_integer(threads):
        raise InvalidOption.of("threads", threads, "it must be an integer, at least 1")
    changes: dict[str, Any] = {} if ranges is None else {"ranges": ranges}
    if sizes is not None:
        changes["sizes"] = sizes
    if isinstance(subject, Node):
        spot = subject.spot(**changes)
    elif isinstance(subject, Spot):
        spot = subject.replaced(**changes) if changes else subject
    else:
        raise InvalidOption(f"{shortened(subject)} is neither a spot nor a node of a solution")
    if spot.locks:
        raise InvalidOption("resolve takes no locks; use untilt.solve")
    began = time.perf_counter()
    is_merged = is_merged_for(spot)
    form = compile_spot(spot, is_merged=is_merged)
    left = max(budget - (time.perf_counter() - began), 1e-4)
    goal = None if target is None else share_of_pot("target", target, spot.pot)
    found = resolve_tree(form.tree, budget=left, target=goal, threads=threads)
    facts = SolvingFacts(
        method="dcfr",
        iterations=found.iterations,
        seconds=found.seconds,
        total_seconds=time.perf_counter() - began,
        values=found.evaluation.values,
        gains=found.evaluation.gains,
    )
    snapshot = replace(found.snapshot, tree=with_runouts(form.tree))
    return Solution(form, snapshot, facts, is_merged)


def _loaded(game: AnyGame) -> AnyGame:
    """Return the run if `game` is a run folder; a registered name always means the game."""
    if isinstance(game, str | os.PathLike) and str(game) not in REGISTRY:
        path = path_of(game)
        if path.is_dir():
            return _load(path)
    return game


def _load(path: Path) -> "Run":
    from untilt.runs.loading import load_run

    return load_run(path)


def _is_run(given: object) -> "TypeGuard[Run]":
    """Whether `given` is a run; there are none before their module is loaded."""
    module = sys.modules.get("untilt.runs.run")
    return module is not None and isinstance(given, module.Run)


def _is_integer(given: object) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def _is_number(given: object) -> bool:
    return _is_integer(given) or isinstance(given, float)


def _profile(game: CompiledGame, given: object) -> Profile:
    """Return the profile of `game` that `given` stands for."""
    if _is_run(given):
        given = given.profile
    elif isinstance(given, str | os.PathLike):
        given = _read(path_of(given))
    if isinstance(given, Profile):
        return _fitted(game, given)
    if isinstance(given, tuple | list) and len(given) == 2:
        return Profile((_strategy(game, 0, given[0]), _strategy(game, 1, given[1])))
    if isinstance(given, Mapping):
        return strategy.profile_from_dict(game, given)
    raise StrategyError(
        f"{shortened(given)} is not a strategy: give a profile, a run, a pair of strategies, a "
        "file, or {infoset: {action: probability}}"
    )


def _fitted(game: CompiledGame, profile: Profile) -> Profile:
    """Return `profile` for `game`, reordered if the same game was compiled in another order."""
    try:
        verify_profile(game.infosets, profile)
    except StrategyError as error:
        try:
            return strategy.profile_from_dict(game, profile)
        except StrategyError:
            raise error from None
    for each in profile.strategies:
        verify_probabilities(each)
    return profile


def _strategy(game: CompiledGame, player: int, given: object) -> Strategy:
    if not isinstance(given, Mapping):
        raise StrategyError(
            f"{shortened(given)} is not a strategy of player {player}: give a Strategy, or "
            "{infoset: {action: probability}}"
        )
    if isinstance(given, Profile):
        given = given.strategies[player]
    return strategy_from_dict(game, player, given)


def _read(path: Path) -> Profile | PlainProfile:
    """Return the strategy of a run folder or of a strategy file."""
    if path.is_dir():
        return _load(path).profile
    if not path.exists():
        raise RunError(f"{path} does not exist; give a run folder or a strategy file")
    return read_plain_strategy(path)
