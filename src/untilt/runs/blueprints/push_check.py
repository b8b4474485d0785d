"""Checking a blueprint where the exact answer is known: calls of an all-in before the flop.

    push_check(Blueprint("bp/blueprint.bin")).loss_mbb

At short stacks push/fold has an exact equilibrium, with 169 classes of hands and exact equities. A
blueprint that keeps the classes apart before the flop says how often its big blind calls an all-in
of the small blind, and each frequency can be compared with what it should be.
"""

from dataclasses import dataclass

import numpy as np

from untilt.abstraction.blueprint import Blueprint
from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.errors import InvalidOption
from untilt.games.pushfold.chart import play_of
from untilt.games.pushfold.game import Stakes, deals
from untilt.games.registry import pushfold
from untilt.numeric.arrays import Floats
from untilt.runs.solve import solve

_ACCURACY = 1e-5
"""Exploitability of the equilibrium, in big blinds."""


@dataclass(frozen=True)
class PushCheck:
    """The loss of the big blind's calls, in thousandths of a big blind per hand."""

    loss_mbb: float
    """How much more than in equilibrium a small blind can win by pushing or folding if it knows how
    often each hand calls."""
    regret_mbb: float
    """How much more the best calls would win from the equilibrium's pushes."""
    aces_call: float
    """How often aces call, 0–1."""


def push_check(blueprint: Blueprint) -> PushCheck:
    """Return what the blueprint's calls of an all-in before the flop give away."""
    rules = blueprint.rules
    if blueprint.cards.sizes["preflop"] != NUM_CLASSES or rules.stacks[0] != rules.stacks[1]:
        raise InvalidOption(
            f"the check needs equal stacks and {NUM_CLASSES} buckets before the flop, not "
            f"{blueprint.cards.sizes['preflop']}"
        )
    big = rules.blinds[1]
    stakes = Stakes(rules.stacks[0] / big, rules.blinds[0] / big, rules.ante / big)
    chart = blueprint.chart("all-in")
    call = np.array([chart[name]["call"] for name in CLASS_NAMES])
    game = pushfold(stack=stakes.stack, small_blind=stakes.small_blind, ante=stakes.ante)
    exact = play_of(solve(game, target=_ACCURACY, save=False).profile)
    value = push_values(exact.call, stakes)[1]
    return PushCheck(
        loss_mbb=1_000.0 * (push_values(call, stakes)[1] - value),
        regret_mbb=1_000.0 * calling_regret(call, exact.push, stakes),
        aces_call=float(call[CLASS_NAMES.index("AA")]),
    )


def push_values(call: Floats, stakes: Stakes) -> tuple[Floats, float]:
    """Return [169] what each class wins by pushing, and the value of the best pushes and folds.

    `call` is how often each class of the big blind calls. Units are big blinds.
    """
    dealt = deals()
    called = stakes.called(dealt.win, dealt.tie)
    wins = dealt.probability * (call * called + (1.0 - call) * stakes.uncalled)
    held = dealt.probability.sum(axis=1)
    pushed: Floats = wins.sum(axis=1) / held
    return pushed, float(held @ np.maximum(pushed, stakes.folded))


def calling_regret(call: Floats, push: Floats, stakes: Stakes) -> float:
    """Return how much more the best calls win than `call` against `push`, in big blinds."""
    dealt = deals()
    # How much more the small blind wins if called than if not, for each class of the big blind.
    more = dealt.probability * (stakes.called(dealt.win, dealt.tie) - stakes.uncalled)
    lost = push @ more
    return float(call @ lost - np.minimum(lost, 0.0).sum())
