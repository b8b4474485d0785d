"""A game as a quantal response problem: log-odds in, strategies and measures out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untilt.game.compiled import CompiledGame
from untilt.game.protocol import verify_two_players
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
from untilt.solvers.qre.response import definition_named, expected_payoffs, respond
from untilt.solvers.qre.system import System, new_system


@dataclass(frozen=True)
class QuantalProblem:
    """The equations of one game under one definition.

    `scale` gives each player's rationality as a share of β: β_p = scale_p × β, and the larger
    share is 1, so that β is the rationality of the more rational player.
    """

    game: CompiledGame
    definition: str = "agent"
    scale: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        definition_named(self.definition)
        verify_two_players(self.game, "quantal response")
        verify_scale(self.scale)

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
            self.scale,
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

    def per_player(self, of_actions: AnyArray, empty: float) -> tuple[AnyArray, AnyArray]:
        """Return an array over actions as one per player's sequences, `empty` for the empty one."""
        first = self.game.infosets[0].num_sequences - 1
        return np.insert(of_actions[:first], 0, empty), np.insert(of_actions[first:], 0, empty)

    def log_odds(self, profile: Profile) -> Floats:
        """Return the log-odds of a profile without zeros."""
        behaviours = verify_profile(self.game.infosets, profile).behaviours
        logs = np.log(np.concatenate((behaviours[0][1:], behaviours[1][1:])))
        return over_variables(self.variables, logs)

    def payoffs(self, log_odds: Floats) -> tuple[float, float]:
        """Return both players' expected payoffs, in chips."""
        self.respond(log_odds)
        values = expected_payoffs(self.decisions, self.system.response)
        return float(values[0]), float(values[1])

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
        betas = beta * np.array(self.scale)[self.variables.player]
        scaled = np.repeat(betas, sizes) * response.values
        shares = np.exp(scaled - np.repeat(np.maximum.reduceat(scaled, first[:-1]), sizes))
        shares /= np.repeat(np.add.reduceat(shares, first[:-1]), sizes)
        return float(np.linalg.norm(response.behaviour - shares))
