"""A blueprint at other stakes: the same game up to a factor of chips, and of nearly the same depth.

A blueprint trained for blinds of 1/2 also plays 50/100, and one for 200 big blinds also plays 195:
its bets are shares of the pot, and its all-in is the real one. What else decides the strategy must
be the same: the ratio of blinds and antes, the bets of a limit game, the streets and the deck.
"""

from untilt.errors import InvalidOption
from untilt.games.holdem.rules import HoldemRules

MOST_DEPTH_RATIO = 1.25
"""The smaller stack in big blinds may differ from the blueprint's by this factor, either way."""


def chips_per_chip(own: HoldemRules, real: HoldemRules) -> float:
    """Return how many chips of the real game one chip of a blueprint's own game is worth.

    Raises InvalidOption, with the reason, if the blueprint does not play the real game.
    """
    reason = _difference(own, real)
    if reason is not None:
        raise InvalidOption(f"the blueprint plays hold'em with {own}, not with {real}: {reason}")
    return real.blinds[1] / own.blinds[1]


def _difference(own: HoldemRules, real: HoldemRules) -> str | None:
    """Return why a blueprint of one game does not play another; None if it does."""
    amounts = (
        ("small blind", own.blinds[:1], real.blinds[:1]),
        ("ante", (own.ante,), (real.ante,)),
        ("ante of the big blind", (own.bb_ante,), (real.bb_ante,)),
        ("size of bets", own.limit or (), real.limit or ()),
    )
    ours, theirs = own.blinds[1], real.blinds[1]
    for name, known, given in amounts:
        if [amount * theirs for amount in known] != [amount * ours for amount in given]:
            return f"the {name} is another share of the big blind"
    others = (
        ("number of raises", own.max_raises, real.max_raises),
        ("number of cards on the board", own.board_cards, real.board_cards),
        ("deck", (own.ranks, own.suits), (real.ranks, real.suits)),
        ("end of the board", own.red_runs_on, real.red_runs_on),
    )
    for name, mine, other in others:
        if mine != other:
            return f"the {name} differs"
    depth, real_depth = _depth(own), _depth(real)
    low, high = depth / MOST_DEPTH_RATIO, depth * MOST_DEPTH_RATIO
    if not low <= real_depth <= high:
        return (
            f"it has {depth:g} big blinds and plays {low:g} to {high:g} of them, not "
            f"{real_depth:g}; train one for this depth: untilt blueprint train --stack "
            f"{real_depth:g}bb"
        )
    return None


def _depth(rules: HoldemRules) -> float:
    """Return the chips in big blinds that can be lost."""
    return min(rules.stacks) / rules.blinds[1]
