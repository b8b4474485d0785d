"""Opponents for the tests: Kuhn's equilibria in closed form, and games made by hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import untilt
from untilt.evaluation.action_values import conditional_values
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.histories.tree import GameTree
from untilt.game.histories.tree_position import TreePosition
from untilt.game.protocol import Game
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.strategy.strategy import Profile, profile_from_dict
from untilt.game.terms import terms_of
from untilt.play.review.replay import PlayState, state_of_hand
from untilt.play.table.versus import Versus, versus_strategy
from untilt.policy.saved.match_game import MatchGame

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def kuhn_equilibrium(alpha: float) -> dict[str, dict[str, float]]:
    """Return the equilibrium of Kuhn poker in which player 0 bluffs with `alpha` in [0, 1/3]."""

    def split(passive: str, active: str, share: float) -> dict[str, float]:
        return {passive: 1.0 - share, active: share}

    bets = {
        "P0:J:": alpha,
        "P0:Q:": 0.0,
        "P0:K:": 3.0 * alpha,
        "P1:J:c": 1.0 / 3.0,
        "P1:Q:c": 0.0,
        "P1:K:c": 1.0,
    }
    calls = {
        "P0:J:cb": 0.0,
        "P0:Q:cb": alpha + 1.0 / 3.0,
        "P0:K:cb": 1.0,
        "P1:J:b": 0.0,
        "P1:Q:b": 1.0 / 3.0,
        "P1:K:b": 1.0,
    }
    return {label: split("check", "bet", share) for label, share in bets.items()} | {
        label: split("fold", "call", share) for label, share in calls.items()
    }


def opponent_of(root: Game, name: str, profile: Profile | None = None) -> Versus:
    """Return an opponent of the game that plays `profile`, uniformly if there is none."""
    game = compile_game(root)
    profile = profile or untilt.strategies.uniform(game)
    tree = TreePosition.root_of(game, root) if game.has(GameTree) else root
    values = conditional_values(game.exact_form(), profile) if game.has(SequenceForm) else None
    return versus_strategy(MatchGame(name, name, {}, tree, game, terms_of(root)), profile, values)


def kuhn_opponent(alpha: float = 0.25) -> Versus:
    """Return Kuhn's equilibrium with that `alpha` as an opponent."""
    game = compile_game(untilt.games.kuhn())
    profile = profile_from_dict(game, kuhn_equilibrium(alpha))
    return opponent_of(untilt.games.kuhn(), "kuhn", profile)


def all_hands(
    opponent: Versus, *, seat: int, hand: int, seed: int = 0
) -> Iterator[tuple[list[str], PlayState]]:
    """Yield the actions and the state of every way in which the person can play a hand."""
    waiting: list[list[str]] = [[]]
    while waiting:
        actions = waiting.pop()
        state = state_of_hand(opponent, seed=seed, hand=hand, seat=seat, actions=actions)
        yield actions, state
        if state.to_act is not None:
            waiting.extend([*actions, action] for action in state.to_act.actions)


def texts_of(document: Any) -> Iterator[str]:
    """Yield every text in a JSON document, keys included."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for key, value in document.items():
            yield key
            yield from texts_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from texts_of(value)


def compiled(name: str, **parameters: int) -> CompiledGame:
    """Return a game compiled by its name or reference."""
    return compile_game(untilt.games.resolve(name, parameters).game)
