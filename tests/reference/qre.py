"""Logit response by plain recursion over histories: what actions are worth, and the residual.

Definitions are taken at their word. `agent`: the mean payoff after an action, given that the
infoset was reached. `counterfactual`: the sum over its histories of payoff × probability of
getting there if the player tries to. `ex-ante`: the payoff of the whole game if the action is
forced at the infoset, from the root, however rarely that is reached.
"""

import math
from collections.abc import Mapping

from untilt.game.protocol import Game

from .histories import Chance, Decision, End, History, decisions, write_out

Profile = Mapping[str, Mapping[str, float]]
PerAction = dict[str, dict[str, float]]


def action_payoffs(game: Game, profile: Profile, definition: str) -> PerAction:
    """Return what each action of each infoset with a choice is worth to its player."""
    root = _possible(write_out(game))
    menus = {d.label: d for d in decisions(root) if len(d.children) > 1}
    if definition == "ex-ante":
        return {
            label: {
                action: _payoff(root, {**profile, label: {action: 1.0}}, menu.player)
                for action in menu.children
            }
            for label, menu in menus.items()
        }
    totals: PerAction = {label: dict.fromkeys(menu.children, 0.0) for label, menu in menus.items()}
    reached = dict.fromkeys(menus, 0.0)

    def visit(history: History, probability: float, trying: tuple[float, ...]) -> None:
        """`trying[p]` is the probability of the history if player p wants to get there."""
        if isinstance(history, Chance):
            for share, child in history.outcomes:
                visit(child, probability * share, tuple(each * share for each in trying))
        elif isinstance(history, Decision):
            player, label = history.player, history.label
            for action, child in history.children.items():
                if label in menus:
                    payoff = _payoff(child, profile, player)
                    weight = probability if definition == "agent" else trying[player]
                    totals[label][action] += weight * payoff
                share = _share(history, profile, action)
                after = tuple(
                    each if number == player else each * share for number, each in enumerate(trying)
                )
                visit(child, probability * share, after)
            if label in menus:
                reached[label] += probability

    visit(root, 1.0, (1.0,) * getattr(game, "num_players", 2))
    if definition == "agent":
        return {
            label: {action: total / reached[label] for action, total in row.items()}
            for label, row in totals.items()
        }
    assert definition == "counterfactual"
    return totals


def logit_residual(
    game: Game, profile: Profile, definition: str, betas: tuple[float, ...]
) -> PerAction:
    """Return σ − LogitBR_β(σ) per infoset and action; `betas` are the players' rationality."""
    player_of = {d.label: d.player for d in decisions(_possible(write_out(game)))}
    residual: PerAction = {}
    for label, payoffs in action_payoffs(game, profile, definition).items():
        beta = betas[player_of[label]]
        residual[label] = {}
        for action, payoff in payoffs.items():
            odds_against = sum(math.exp(beta * (other - payoff)) for other in payoffs.values())
            residual[label][action] = profile[label][action] - 1.0 / odds_against
    return residual


def _possible(history: History) -> History:
    """Return the tree without what chance never does."""
    if isinstance(history, Chance):
        happens = [(share, child) for share, child in history.outcomes if share > 0.0]
        return Chance(tuple((share, _possible(child)) for share, child in happens))
    if isinstance(history, Decision):
        children = {action: _possible(child) for action, child in history.children.items()}
        return Decision(history.player, history.label, children)
    return history


def _share(decision: Decision, profile: Profile, action: str) -> float:
    if len(decision.children) == 1:
        return 1.0
    return profile[decision.label].get(action, 0.0)


def _payoff(history: History, profile: Profile, player: int) -> float:
    if isinstance(history, End):
        return history.payoffs[player]
    if isinstance(history, Chance):
        return sum(share * _payoff(child, profile, player) for share, child in history.outcomes)
    total = 0.0
    for action, child in history.children.items():
        share = _share(history, profile, action)
        if share > 0.0:
            total += share * _payoff(child, profile, player)
    return total
