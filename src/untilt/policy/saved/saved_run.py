"""The run of a game that is to be played, saved or not; other kinds of runs are refused.

It is played from the root of its game, and its strategy must fit an abstract one.
"""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol, runtime_checkable

from untilt.abstraction.abstract_game import AbstractPosition
from untilt.errors import Argument, RunError, StrategyError, UntiltError
from untilt.formats.base.files import shown
from untilt.formats.run.run_file import kinds_of_runs
from untilt.formats.run.run_folder import Described, RunFolder, SavedRun
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import GameTree
from untilt.game.histories.tree_position import TreePosition
from untilt.game.histories.walking import Place, past_forced_moves
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import PlainProfile, Profile
from untilt.game.terms import Terms
from untilt.games.recipe import registered_terms


@runtime_checkable
class Solved(Protocol):
    """A run in memory, see `untilt.solve`."""

    @property
    def request(self) -> Described:
        """What was asked for."""
        ...

    @property
    def game(self) -> CompiledGame:
        """The game."""
        ...

    @property
    def profile(self) -> Profile:
        """The strategy."""
        ...

    @property
    def is_finished(self) -> bool:
        """Whether the strategy is final."""
        ...


SPOT_KIND = "spot"
"""`kind` in the run.json of a solved spot."""


def run_in_memory(run: Solved) -> SavedRun:
    """Return a run that need not have been saved, as if it were loaded; without values."""
    return SavedRun(run.request, run.game, run.profile, None, run.is_finished)


def read_saved_run(path: Path) -> SavedRun:
    """Return the run in the folder `path`; raise RunError if something is missing."""
    folder = RunFolder(path)
    record = folder.record()
    kind = kinds_of_runs()[record.kind]
    if not kind.is_of_game:
        raise RunError(f"{shown(path)} {kind.played_otherwise(path)}")
    record.verify("format", "title", "reference", "parameters", "fingerprint")
    if not folder.game_file.exists():
        raise RunError(
            f"{shown(path)} has no game.bin yet: its game is too large to compile and is only "
            "sampled; wait for the run to end"
        )
    return folder.newest(record)


def terms_of_run(asked: Described) -> Terms:
    """Return the terms of a run's game; the registered ones if the run is older than terms."""
    # A sweep has no reference: its game is the registered one of that name.
    return asked.terms or registered_terms(asked.reference or asked.game)


_NUM_TRIED = 20
_NUM_DECISIONS = 4
"""In this many deals, a strategy must know the first decisions at least once: in hold'em, those
before and on the flop."""


def abstract_root(root: Game) -> AbstractPosition | None:
    """Return the abstract game that `root` is, or whose histories it holds; None if neither."""
    rules = root.rules if isinstance(root, TreePosition) else root
    return rules if isinstance(rules, AbstractPosition) else None


def verify_strategy(game: AbstractPosition, profile: PlainProfile, source: str) -> None:
    """Raise StrategyError if `profile`, of the run `source`, belongs to another abstraction.

    Labels and actions show this. Sampling reaches the first decisions of a hand without bets in
    every iteration; a strategy that knows none of them was made for other states or another menu.
    """
    known = [0] * _NUM_DECISIONS
    met: list[tuple[str, str]] = [("", "")] * _NUM_DECISIONS
    for seed in range(_NUM_TRIED):
        for number, place in enumerate(_unraised_decisions(game, random.Random(seed))):
            label, names = str(place.infoset), [str(action) for action in place.actions]
            known[number] += label in profile and set(profile[label]) == set(names)
            met[number] = label, ", ".join(names)
    for count, (label, listed) in zip(known, met, strict=True):
        if label and not count:
            raise StrategyError(
                f"{source} is the strategy of another abstraction: it does not know {label!r} "
                f"with the actions {listed}; solve the game again"
            )


def _unraised_decisions(game: AbstractPosition, rng: random.Random) -> Iterator[Place]:
    """Yield the first decisions of a hand in which everybody checks or calls."""
    place = past_forced_moves(game, lambda: "the root")
    for _ in range(_NUM_DECISIONS):
        while place.infoset is None:
            if place.position.terminal:
                return
            after = place.position.apply(place.position.sample(rng))
            place = past_forced_moves(after, lambda: "a random hand")
        yield place
        actions = place.actions
        passive = next((each for each in actions if str(each) in ("check", "call")), actions[0])
        after = place.position.apply(passive)
        place = past_forced_moves(after, lambda: "a random hand")


def root_of_run(saved: SavedRun, given: Game | None = None, *, trust: bool = False) -> Game:
    """Return the root to play from: the saved histories if there are any, else the rules.

    Code that the run refers to is executed only with `trust`, and only if the run has no saved
    histories to play on. `given` is the root of a game made in Python, which a run cannot save.
    """
    from untilt.abstraction.recipe import verify_abstraction
    from untilt.games.recipe import Recipe, Use, rebuild_root, verify_fits

    game = saved.game
    recipe = Recipe(saved.asked.reference, saved.asked.parameters)
    if game.has(GameTree):
        # The rules add pot and bets; if they do not match, the histories are enough.
        with suppress(UntiltError):
            if recipe.is_ours or (trust and recipe.reference is not None):
                rules = recipe.make()
                verify_fits(rules, game, recipe)
                return TreePosition.root_of(game, rules)
        return TreePosition.root_of(game)
    use = Use(
        doing="playing",
        advice=("add ", Argument("trust", True)),
        in_python="play it with untilt.play.Versus.load(path, game=position)",
    )
    root = given if given is not None else rebuild_root(recipe, game, use, trust=trust)
    verify_abstraction(root, saved.asked.abstraction)
    verify_fits(root, game, recipe)
    return root
