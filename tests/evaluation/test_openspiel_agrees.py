"""Exploitability by OpenSpiel, an independent program, of the same strategies."""

import re
from typing import Any

import numpy as np
import pytest

from untilt.evaluation.best_response import evaluate
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.strategy.strategy import Profile, random_profile, uniform_profile
from untilt.games import kuhn, leduc, resolve

pyspiel = pytest.importorskip("pyspiel")

KUHN = "kuhn_poker"
LEDUC = "leduc_poker(suit_isomorphism=True)"
Policy = dict[str, list[tuple[int, float]]]
CARDS = "JQK"


def profiles(game: CompiledGame) -> list[Profile]:
    rng = np.random.default_rng(11)
    return [uniform_profile(game), *(random_profile(game, rng) for _ in range(5))]


def their_nash_conv(game: str, policy: Policy) -> float:
    return float(pyspiel.nash_conv(pyspiel.load_game(game), pyspiel.TabularPolicy(policy)))


def decisions(game: str) -> dict[str, list[int]]:
    """Return all information states of a game of OpenSpiel with their legal actions."""
    found: dict[str, list[int]] = {}
    stack: list[Any] = [pyspiel.load_game(game).new_initial_state()]
    while stack:
        state = stack.pop()
        if not state.is_terminal():
            if not state.is_chance_node():
                found[state.information_state_string()] = state.legal_actions()
            stack.extend(state.child(action) for action in state.legal_actions())
    return found


@pytest.mark.parametrize("name", [KUHN, LEDUC])
def test_their_games_through_our_compiler_have_their_exploitability(name: str) -> None:
    """Our numbers of actions are theirs, in their order; labels are `P0:` and their string."""
    game = compile(resolve(f"openspiel:{name}").game)
    form = game.exact_form()
    for profile in profiles(game):
        policy = {
            state: list(zip(legal, probabilities(profile, state), strict=True))
            for state, legal in decisions(name).items()
        }
        found = evaluate(form, profile)
        assert found.nash_conv == pytest.approx(their_nash_conv(name, policy), abs=1e-9, rel=0)


def probabilities(profile: Profile, state: str) -> list[float]:
    label = f"P0:{state}" if f"P0:{state}" in profile else f"P1:{state}"
    return list(profile[label].values())


def our_label_of_kuhn(state: str) -> str:
    """`2pb`: the king after check (p) and bet (b)."""
    line = state[1:].replace("p", "c")
    return f"P{len(line) % 2}:{CARDS[int(state[0])]}:{line}"


def our_label_of_leduc(state: str) -> str:
    """`[Observer: 1][Private: 0]…[Public: 2][Round1: 1 2 1][Round2: ]`, 1 call and 2 raise."""
    fields = dict(re.findall(r"\[(\w+): ([^\]]*)\]", state))
    streets = []
    for numbers in (fields["Round1"], fields["Round2"]):
        letters = numbers.replace(" ", "").replace("1", "c")
        streets.append(letters.replace("2", "b", 1).replace("2", "r"))
    public = CARDS[int(fields["Public"])] if "Public" in fields else ""
    line = "/".join(streets) if public else streets[0]
    return f"P{fields['Observer']}:{CARDS[int(fields['Private'])]}:{public}:{line}"


NUMBER_OF_ACTION = {
    KUHN: {"check": 0, "fold": 0, "bet": 1, "call": 1},
    LEDUC: {"fold": 0, "check": 1, "call": 1, "bet": 2, "raise": 2},
}


@pytest.mark.parametrize(
    ("ours", "theirs"), [(kuhn(), KUHN), (leduc(), LEDUC)], ids=["kuhn", "leduc"]
)
def test_strategies_of_our_games_are_as_exploitable_in_theirs(ours: Any, theirs: str) -> None:
    game = compile(ours)
    form = game.exact_form()
    our_label = our_label_of_kuhn if theirs == KUHN else our_label_of_leduc
    states = {state: our_label(state) for state in decisions(theirs)}
    assert sorted(states.values()) == sorted([*game.infosets[0].labels, *game.infosets[1].labels])
    for profile in profiles(game):
        policy: Policy = {}
        for state, legal in decisions(theirs).items():
            actions = profile[states[state]]
            numbers = [NUMBER_OF_ACTION[theirs][name] for name in actions]
            assert numbers == legal
            policy[state] = list(zip(numbers, actions.values(), strict=True))
        found = evaluate(form, profile)
        assert found.nash_conv == pytest.approx(their_nash_conv(theirs, policy), abs=1e-9, rel=0)
        exploitability = pyspiel.exploitability(pyspiel.load_game(theirs), policy)
        assert found.exploitability == pytest.approx(exploitability, abs=1e-9, rel=0)
