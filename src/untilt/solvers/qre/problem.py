"""A game as a quantal response problem: log-odds in, strategies and measures out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untilt.game.compiled import CompiledGame
from untilt.game.strategy.strategy import Profile, profile_from_arrays, verify_profile
from untilt.numeric.arrays import AnyArray, Floats
from untilt.solvers.qre.branches.dissection import Dissection, dissect
from untilt.solvers.qre.decision_tree import (
    Decisions,
    Variables,
    collapse_chance,
    over_variables,
    variables_of,
    verify_log_odds,
)
from untilt.solvers.qre.options import verify_scale
from untilt.solvers.qre.response import definition_named, expected_payoff, respond
from untilt.solvers.qre.system import System, new_system


@dataclass(frozen=True)
class QuantalProblem:
    """The equations of one game under one definition.

    `scale` gives each player's rationality as a share of β: β_p = scale_p × β, and the larger
    share is 1, so that β is the rationality of the more rational player.
    """

    game: CompiledGame
    definition: str = "agent"
    scale: tuple[float, ...] | None = None
    """None: the same rationality for all players."""

    def __post_init__(self) -> None:
        definition_named(self.definition)
        if self.scale is not None:
            verify_scale(self.scale)

    @property
    def shares(self) -> tuple[float, ...]:
        """Each player's share of β."""
        return (1.0,) * self.game.num_players if self.scale is None else self.scale

    @cached_property
    def decisions(self) -> Decisions:
        """The game's decisions, chance collapsed."""
        return collapse_chance(self.game)

    @cached_property
    def variables(self) -> Variables:
        """Where infosets keep their actions and log-odds."""
        return variables_of(self.game)

    @cached_property
    def dissection(self) -> Dissection:
        """The blocks of the Jacobian."""
        return dissect(self.decisions, self.variables)

    @cached_property
    def system(self) -> System:
        """The equations with their work arrays; not safe for two threads at once."""
        return new_system(
            self.decisions,
            self.variables,
            self.dissection,
            definition_named(self.definition),
            self.shares,
        )

    def respond(self, log_odds: Floats) -> None:
        """Fill `system.response` with everything derived from `log_odds`."""
        system = self.system
        verify_log_odds(self.variables, log_odds)
        respond(system.decisions, system.variables, system.definition, log_odds, system.response)

    def behaviour(self, log_odds: Floats) -> Floats:
        """Return the probability of each action that `log_odds` stand for."""
        self.respond(log_odds)
        return self.system.response.behaviour.copy()

    def profile(self, log_odds: Floats) -> Profile:
        """Return the strategies that `log_odds` stand for."""
        return self.profile_of(self.behaviour(log_odds))

    def profile_of(self, behaviour: Floats) -> Profile:
        """Return the strategies with these probabilities, one per action."""
        return profile_from_arrays(self.game, self.per_player(behaviour, 1.0))

    def per_player(self, of_actions: AnyArray, empty: float) -> tuple[AnyArray, ...]:
        """Return an array over actions as one per player's sequences, `empty` for the empty one."""
        counts = [names.num_sequences - 1 for names in self.game.infosets]
        parts = np.split(of_actions, np.cumsum(counts)[:-1])
        return tuple(np.insert(part, 0, empty) for part in parts)

    def log_odds(self, profile: Profile) -> Floats:
        """Return the log-odds of a profile without zeros."""
        behaviours = verify_profile(self.game.infosets, profile).behaviours
        logs = np.log(np.concatenate([behaviour[1:] for behaviour in behaviours]))
        return over_variables(self.variables, logs)

    def payoffs(self, log_odds: Floats) -> tuple[float, ...]:
        """Return all players' expected payoffs, in chips."""
        self.respond(log_odds)
        decisions, response = self.decisions, self.system.response
        players = range(self.game.num_players)
        return tuple(float(expected_payoff(decisions, response, player)) for player in players)

    def action_values(self, log_odds: Floats) -> tuple[Floats, ...]:
        """Return the value of each action in the unit of the definition, per sequence."""
        self.respond(log_odds)
        return self.per_player(self.system.response.values, 0.0)

    def residual_norm(self, log_odds: Floats, beta: float) -> float:
        """Return ‖σ − LogitBR_β(σ)‖₂ over all actions."""
        self.respond(log_odds)
        response = self.system.response
        first = self.variables.first_action
        sizes = np.diff(first)
        betas = beta * np.array(self.shares)[self.variables.player]
        scaled = np.repeat(betas, sizes) * response.values
        shares = np.exp(scaled - np.repeat(np.maximum.reduceat(scaled, first[:-1]), sizes))
        shares /= np.repeat(np.add.reduceat(shares, first[:-1]), sizes)
        return float(np.linalg.norm(response.behaviour - shares))
