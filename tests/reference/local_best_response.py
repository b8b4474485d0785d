"""A slow, obvious twin of local best response on the tree of a blueprint: one hand in plain Python.

Betting follows the rules of the game, the agent's mixes come from the blueprint's own look-ups, and
shares of the pot from full enumeration. Only those on the flop, which are estimates, are given.
"""

from collections.abc import Callable, Sequence

import numpy as np

from untilt.abstraction.betting_form import BettingPlace
from untilt.abstraction.blueprint import Blueprint
from untilt.cards.combos import COMBO_CARDS
from untilt.exploitation.streets.rollout import compare
from untilt.game.actions import Kind
from untilt.game.deals.deal_tree import DECISION, FOLD
from untilt.numeric.arrays import Floats

BOARD_CARDS = (0, 3, 4, 5)


def gain(
    blueprint: Blueprint,
    board: Sequence[int],
    own: tuple[int, int],
    other: int,
    seat: int,
    draws: Callable[[int], float],
    flop_shares: tuple[Floats, Floats],
    first_street: int | None,
    *,
    all_in_only: bool,
) -> float:
    """Return what the exploiter wins with `own` against an agent who holds the combo `other`.

    It bets from `first_street` on. `draws(n)` is the agent's n-th random number. `flop_shares` are
    the exploiter's, for its decisions and for its result.
    """
    form = blueprint.form
    place = form.root
    range_weights = np.array([not set(pair) & set(own) for pair in COMBO_CARDS.tolist()], float)
    num_drawn = 0
    while form.tree.nodes[place.node]["kind"] == DECISION:
        betting = place.betting
        shown = tuple(board[: BOARD_CARDS[betting.street]])
        blocked = [bool(set(pair) & set(shown)) for pair in COMBO_CARDS.tolist()]
        range_weights[blocked] = 0.0
        actions = form.actions(place)
        if betting.player != seat:
            num_drawn += 1
            mixes = blueprint.mixes_at(place.node, shown)
            mark, chosen = int(draws(num_drawn) * 255.0), 0
            left = mark - round(255.0 * mixes[other, 0])
            while left >= 0:
                chosen += 1
                left -= round(255.0 * mixes[other, chosen])
            range_weights = range_weights * mixes[:, chosen]
            place = form.after(place, chosen)
            continue
        won = flop_shares[0] if betting.street == 1 else compare(blueprint.rules, own, shown).shares
        chance = range_weights @ won / range_weights.sum()
        best = 0 if actions[0].kind is not Kind.FOLD else 1
        value = chance * betting.total_pot - (1.0 - chance) * betting.to_call
        for number, action in enumerate(actions):
            if action.kind in {Kind.FOLD, Kind.CHECK, Kind.CALL}:
                continue
            if first_street is None or betting.street < first_street:
                continue
            after = form.after(place, number)
            if all_in_only and after.betting.stacks[seat] > 0:
                continue
            found = _value_of_bet(blueprint, place, after, shown, range_weights, won, seat)
            if found > value:
                best, value = number, found
        if value < 0.0 and actions[0].kind is Kind.FOLD:
            best = 0
        place = form.after(place, best)
    end = form.tree.nodes[place.node]
    if end["kind"] == FOLD:
        return float(end["stake"]) * (1.0 if seat == 0 else -1.0)
    street = place.betting.street
    won = flop_shares[1] if street == 1 else compare(blueprint.rules, own, shown).shares
    chance = range_weights @ won / range_weights.sum()
    return float(end["stake"]) * (2.0 * float(chance) - 1.0)


def _value_of_bet(
    blueprint: Blueprint,
    before: BettingPlace,
    after: BettingPlace,
    shown: Sequence[int],
    range_weights: Floats,
    won: Floats,
    seat: int,
) -> float:
    """Return what a bet wins if the agent folds or calls, and nobody bets afterwards."""
    folds = range_weights * blueprint.mixes_at(after.node, shown)[:, 0]
    stays = range_weights - folds
    often = folds.sum() / range_weights.sum()
    own = before.betting.stacks[seat] - after.betting.stacks[seat]
    answer = after.betting.to_call
    pot = before.betting.total_pot
    if not stays.sum() > 0.0:
        return float(pot)
    chance = stays @ won / stays.sum()
    return float(often * pot + (1.0 - often) * (chance * (pot + answer) - (1.0 - chance) * own))
