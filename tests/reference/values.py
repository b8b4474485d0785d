"""Expected values, best responses and action values by plain recursion over histories.

A profile maps the label of every infoset, of both players, to the probability of each
action by name; infosets with a single action may be missing.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

from untilt.game.protocol import Game

from .histories import Chance, Decision, End, History, decisions, write_out

Profile = Mapping[str, Mapping[str, float]]


class Reach(NamedTuple):
    """Probability of arriving at an infoset: own actions, and all others' (with chance)."""

    own: float
    others: float


class _Visit(NamedTuple):
    """One history of an infoset, with its reach and how often its player moved before."""

    history: Decision
    own: float
    others: float
    own_moves: int


def uniform_profile(game: Game) -> dict[str, dict[str, float]]:
    """Return the profile that plays every action with the same probability."""
    return {
        decision.label: dict.fromkeys(decision.children, 1.0 / len(decision.children))
        for decision in decisions(write_out(game))
    }


def expected_value(game: Game, profile: Profile, player: int) -> float:
    """Return what `player` gains on average when both play `profile`."""
    return _expected(write_out(game), profile, player)


def best_response_value(game: Game, profile: Profile, player: int) -> float:
    """Return the most `player` can gain against the opponent's part of `profile`.

    Infoset by infoset, the deepest first (most own moves before it): take the action with
    the best sum, over all histories that look the same, of opponent × chance reach × value.
    What `player` does further down is decided already.
    """
    root = write_out(game)
    visits = _visits(root, profile, player)
    response = {label: dict(actions) for label, actions in profile.items()}
    for label in sorted(visits, key=lambda label: -visits[label][0].own_moves):
        totals = _action_totals(visits[label], response, player)
        best = max(totals, key=lambda action: totals[action])
        response[label] = {action: float(action == best) for action in totals}
    return _expected(root, response, player)


def best_response_value_by_enumeration(game: Game, profile: Profile, player: int) -> float:
    """Return the same by trying every pure strategy of `player`; for tiny games only."""
    root = write_out(game)
    children_of_label = {
        decision.label: list(decision.children)
        for decision in decisions(root)
        if decision.player == player
    }
    best = float("-inf")
    for choice in itertools.product(*children_of_label.values()):
        plan = {
            label: {action: float(action == chosen) for action in children_of_label[label]}
            for label, chosen in zip(children_of_label, choice, strict=True)
        }
        best = max(best, _expected(root, {**profile, **plan}, player))
    return best


def nash_conv(game: Game, profile: Profile) -> float:
    """Return the sum of what each player would gain by a best response."""
    return sum(
        best_response_value(game, profile, player) - expected_value(game, profile, player)
        for player in (0, 1)
    )


def infoset_reach(game: Game, profile: Profile, player: int) -> dict[str, Reach]:
    """Return the reach of each infoset of `player`: own, and chance × opponent in total."""
    return {
        label: Reach(visits[0].own, sum(visit.others for visit in visits))
        for label, visits in _visits(write_out(game), profile, player).items()
    }


def counterfactual_values(game: Game, profile: Profile, player: int) -> dict[str, dict[str, float]]:
    """Return for each infoset and action of `player` its counterfactual value.

    This is the sum over the infoset's histories of chance × opponent reach × the value of
    taking the action there and following `profile` afterwards.
    """
    return {
        label: _action_totals(visits, profile, player)
        for label, visits in _visits(write_out(game), profile, player).items()
    }


def conditional_values(game: Game, profile: Profile, player: int) -> dict[str, dict[str, float]]:
    """Return for each infoset and action of `player` what it gains on average from there.

    An infoset that chance and opponent never reach has no such value and is left out.
    """
    reach = infoset_reach(game, profile, player)
    return {
        label: {action: total / reach[label].others for action, total in totals.items()}
        for label, totals in counterfactual_values(game, profile, player).items()
        if reach[label].others > 0.0
    }


def _strategy(profile: Profile, decision: Decision) -> Mapping[str, float]:
    if len(decision.children) == 1:
        return dict.fromkeys(decision.children, 1.0)
    return profile[decision.label]


def _expected(history: History, profile: Profile, player: int) -> float:
    if isinstance(history, End):
        return history.payoffs[player]
    if isinstance(history, Chance):
        return sum(
            probability * _expected(child, profile, player)
            for probability, child in history.outcomes
        )
    strategy = _strategy(profile, history)
    return sum(
        strategy[action] * _expected(child, profile, player)
        for action, child in history.children.items()
    )


def _visits(root: History, profile: Profile, player: int) -> dict[str, list[_Visit]]:
    """Return all histories of each infoset of `player`, in the order of their discovery."""
    visits: dict[str, list[_Visit]] = {}

    def walk(history: History, own: float, others: float, own_moves: int) -> None:
        if isinstance(history, Chance):
            for probability, child in history.outcomes:
                walk(child, own, others * probability, own_moves)
        elif isinstance(history, Decision):
            strategy = _strategy(profile, history)
            mine = history.player == player
            if mine:
                visit = _Visit(history, own, others, own_moves)
                visits.setdefault(history.label, []).append(visit)
            for action, child in history.children.items():
                if mine:
                    walk(child, own * strategy[action], others, own_moves + 1)
                else:
                    walk(child, own, others * strategy[action], own_moves)

    walk(root, 1.0, 1.0, 0)
    for label, same in visits.items():
        ways = {(visit.own, visit.own_moves) for visit in same}
        assert len(ways) == 1, f"player {player} forgets his own moves at {label}"
    return visits


def _action_totals(visits: list[_Visit], profile: Profile, player: int) -> dict[str, float]:
    return {
        action: sum(
            visit.others * _expected(visit.history.children[action], profile, player)
            for visit in visits
        )
        for action in visits[0].history.children
    }
