"""Agents and their game as callers of Python functions give them."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption, shortened
from untilt.games.holdem.game import Holdem
from untilt.games.parameters import verify_mapping
from untilt.games.registry import GameLike, name_game
from untilt.options.run import TRUST
from untilt.policy.load import AnyAgent, find_any, load_agents
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame, made_game

if TYPE_CHECKING:
    from untilt.games.holdem.rules import HoldemRules


def given_agents(
    agents: Sequence[AnyAgent],
    game: GameLike | MatchGame | None,
    parameters: Mapping[str, Any] | None,
    *,
    trust: bool,
) -> tuple[MatchGame, list[Policy]]:
    """Return the agents that are given, and the game that they or the caller name."""
    verify_trust(trust)
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


def verify_trust(trust: object) -> None:
    """Raise InvalidOption unless it is said by True or False whether code may run."""
    TRUST.verify(trust)


def agent_of_holdem(
    agent: AnyAgent, rules: "HoldemRules | None" = None, *, trust: bool = False
) -> "tuple[Policy, HoldemRules]":
    """Return an agent of hold'em and the rules of its game; `rules` are for one that plays any."""
    verify_trust(trust)
    loaded = find_any(agent, is_named=rules is not None, trust=trust)
    game = loaded.game
    if game is None and rules is not None:
        game = made_game(name_game(Holdem(rules)))
    if game is None or not isinstance(game.root, Holdem):
        name = os.fspath(agent) if isinstance(agent, str | os.PathLike) else shortened(agent)
        played = "plays any game, or does not say which" if game is None else f"plays {game.name}"
        raise InvalidOption(f"{name} {played}: give a blueprint, or a run of hold'em")
    return loaded.policy(game), game.root.rules if rules is None else rules
