"""Agents and their game as callers of Python functions give them."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from untilt.errors import InvalidOption
from untilt.games.parameters import verify_mapping
from untilt.games.registry import GameLike, name_game
from untilt.policy.code import PolicyLike
from untilt.policy.load import HasPath, PolicySpec, load_agents
from untilt.policy.match_game import MatchGame, made_game
from untilt.policy.policy import Policy

if TYPE_CHECKING:
    from untilt.games.holdem.solution import Solution

AnyAgent: TypeAlias = "PolicySpec | str | os.PathLike[str] | HasPath | Solution | PolicyLike"
"""Text as on the command line, a path, what was loaded from one, or anything that can play."""


def given_agents(
    agents: Sequence[AnyAgent],
    game: GameLike | MatchGame | None,
    parameters: Mapping[str, Any] | None,
    *,
    trust: bool,
) -> tuple[MatchGame, list[Policy]]:
    """Return the agents that are given, and the game that they or the caller name."""
    if not isinstance(trust, bool):
        raise InvalidOption.of("trust", trust, "it must be True or False")
    given = {} if parameters is None else parameters
    verify_mapping(given)
    if game is None and given:
        raise InvalidOption("parameters are those of game; give the game, too")
    if isinstance(game, MatchGame):
        if given:
            raise InvalidOption("a game that was loaded takes no parameters; leave them out")
        named: MatchGame | None = game
    else:
        named = None if game is None else made_game(name_game(game, given))
    return load_agents(agents, named, trust=trust)
