"""Random hands of hold'em through PokerKit and through our engine, compared move by move.

PokerKit's player 0 is the big blind, so seats are swapped. PokerKit allows bets that nobody can
call in full; ours end at the other player's stack, which is the same hand.
"""

import random
from typing import Any

import pytest

from untilt.cards.card import cards_name
from untilt.game.actions import Kind
from untilt.games.holdem.betting import NOBODY
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.rules import HoldemRules

pokerkit: Any = pytest.importorskip("pokerkit")

_AUTOMATIC = (
    *("ANTE_POSTING", "BET_COLLECTION", "BLIND_OR_STRADDLE_POSTING"),
    *("RUNOUT_COUNT_SELECTION", "HOLE_CARDS_SHOWING_OR_MUCKING", "HAND_KILLING"),
    *("CHIPS_PUSHING", "CHIPS_PULLING"),
)


def random_rules(rng: random.Random) -> HoldemRules:
    """Stakes of all kinds: short and deep stacks, antes, limit and no limit."""
    big = rng.choice([1, 2, 2, 10, 100])
    # PokerKit finds the seats by the blinds, so they must differ.
    blinds = rng.choice([big // 2, big // 2, big - 1, 0]), big
    ante, bb_ante = rng.choice([(0, 0), (0, 0), (1, 0), (big, 0), (0, big), (1, 3)])
    posted = ante + bb_ante
    depth = rng.choice([1, 3, 20, 100])
    stacks = tuple(posted + 1 + rng.randrange(big * depth) for _ in range(2))
    is_limit = rng.random() < 0.3
    return HoldemRules(
        stacks=(stacks[0], stacks[1]),
        blinds=blinds,
        ante=ante,
        bb_ante=bb_ante,
        limit=(big, big, 2 * big) if is_limit else None,
        max_raises=3 if is_limit else None,
    )


def pokerkit_state(rules: HoldemRules) -> Any:
    """The same game in PokerKit."""
    big = rules.blinds[1]
    bets = (big, big, big, big) if rules.limit is None else (big, big, 2 * big, 2 * big)
    streets = tuple(
        pokerkit.Street(
            number > 0,
            () if number else (False, False),
            (0, 3, 1, 1)[number],
            False,
            pokerkit.Opening.POSITION,
            bet,
            # The big blind is the first of four bets.
            None if rules.limit is None else 4 - (number == 0),
        )
        for number, bet in enumerate(bets)
    )
    return pokerkit.State(
        tuple(getattr(pokerkit.Automation, name) for name in _AUTOMATIC),
        pokerkit.Deck.STANDARD,
        (pokerkit.StandardHighHand,),
        streets,
        pokerkit.BettingStructure.NO_LIMIT
        if rules.limit is None
        else pokerkit.BettingStructure.FIXED_LIMIT,
        False,
        rules.antes,
        rules.blinds,
        0,
        rules.stacks[::-1],
        2,
    )


def play_both(seed: int) -> int:
    """Play one hand through both; assert that they agree, and return how many moves were made."""
    rng = random.Random(seed)
    rules = random_rules(rng)
    theirs = pokerkit_state(rules)
    ours = Holdem(rules)
    deal = ours.sample(rng)
    ours = ours.apply(deal)
    theirs.deal_hole(_cards(deal[2:]))
    theirs.deal_hole(_cards(deal[:2]))
    num_moves = 0
    while not ours.terminal:
        context = f"seed {seed}: {ours!r}"
        if ours.chance:
            cards = ours.sample(rng)
            theirs.burn_card("??")
            theirs.deal_board(_cards(cards))
            ours = ours.apply(cards)
            continue
        _assert_same_choices(ours, theirs, context)
        actions = ours.infoset(ours.active).actions()
        # Checks and calls are likely enough to see all streets, and large bets to see all-ins.
        last = len(actions) - 1
        passive = len(ours.betting.passive_actions()) - 1
        sizes = [passive + 1, passive + 1, rng.randrange(last + 1), last]
        action = actions[min(rng.choice([0, *[passive] * 5, *sizes]), last)]
        ours = ours.apply(action)
        _make(theirs, action.kind, 0 if action.amount is None else int(action.amount))
        num_moves += 1
        _assert_same_chips(ours, theirs, f"seed {seed}: {ours!r}")
    assert not theirs.status, f"seed {seed}: {ours!r}"
    gains = tuple(theirs.stacks[1 - player] - rules.stacks[player] for player in (0, 1))
    assert (ours.payoff(0), ours.payoff(1)) == gains, f"seed {seed}: {ours!r}"
    return num_moves


def _assert_same_choices(ours: Holdem, theirs: Any, context: str) -> None:
    betting = ours.betting
    assert theirs.actor_index == 1 - ours.active, context
    actions = ours.infoset(ours.active).actions()
    kinds = {action.kind for action in actions[:2]}
    assert theirs.can_fold() == (Kind.FOLD in kinds), context
    assert theirs.checking_or_calling_amount == betting.to_call, context
    assert theirs.can_complete_bet_or_raise_to() == betting.can_bet(), context
    if betting.can_bet():
        most = betting.all_in_to
        least = theirs.min_completion_betting_or_raising_to_amount
        largest = theirs.max_completion_betting_or_raising_to_amount
        num_passive = len(betting.passive_actions())
        amounts = actions[num_passive].amount, actions[-1].amount
        assert amounts == (min(least, most), min(largest, most)), context


def _make(theirs: Any, kind: Kind, amount: int) -> None:
    if kind is Kind.FOLD:
        theirs.fold()
    elif kind in (Kind.CHECK, Kind.CALL):
        theirs.check_or_call()
    else:
        least = theirs.min_completion_betting_or_raising_to_amount
        theirs.complete_bet_or_raise_to(max(amount, least))


def _assert_same_chips(ours: Holdem, theirs: Any, context: str) -> None:
    """Compare while the hand goes on; a bet that cannot be called in full is cut to what can."""
    betting = ours.betting
    if ours.terminal or betting.player == NOBODY:
        return
    most = betting.all_in_to
    bets = tuple(min(bet, most) for bet in theirs.bets[::-1])
    assert betting.bets == bets, context
    left = tuple(
        stack + bet - kept
        for stack, bet, kept in zip(theirs.stacks, theirs.bets, bets[::-1], strict=True)
    )
    assert betting.stacks == left[::-1], context
    assert betting.total_pot == theirs.total_pot_amount - sum(theirs.bets) + sum(bets), context


def _cards(cards: tuple[int, ...]) -> str:
    return cards_name(cards).replace(" ", "")
