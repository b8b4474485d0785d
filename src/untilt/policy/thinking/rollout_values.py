"""Values of actions if both players follow a blueprint, with real cards and bets.

    outlook = Outlooks(translation).at(public_hand, (ace, king))
    outlook.values, outlook.errors                   # by action, in chips won in the hand

The opponent holds all hands of its range at once. On the river and the turn, every card and every
move is counted, so that values are exact; earlier, boards are drawn, and so are the player's own
moves on later streets. The same boards are used for all actions, so that differences are more
precise than values.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from time import thread_time
from typing import TYPE_CHECKING

import numpy as np

from untilt.abstraction.betting_form import BettingPlace
from untilt.cards.card import mask_of
from untilt.cards.combos import COMBO_MASKS, combo_index
from untilt.game.actions import ActionData
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.rules import BIG_BLIND
from untilt.numeric.arrays import Floats, Offsets
from untilt.policy.thinking.public_hand import PublicHand

if TYPE_CHECKING:
    from untilt.abstraction.blueprint_translation import BlueprintTranslation

NUM_RUNOUTS = 40
"""How many boards are drawn for a decision before the turn."""
_FEWEST_RUNOUTS = 8
_LEAST_WEIGHT = 1e-7
"""Hands of the opponent that are less likely than this do not count."""
_SMALL = 0.01
"""A part of the opponent's range below this is followed only now and then if boards are drawn."""
_COUNTED_CARDS = 1
"""If at most this many cards are still to come, all of them are counted."""


@dataclass(frozen=True)
class Outlook:
    """The value of each action; see the module."""

    values: Mapping[str, float]
    """In chips won in the hand."""
    num_runouts: int
    """How many boards were considered."""
    is_exact: bool
    """Whether nothing was drawn."""
    behind: Mapping[str, tuple[float, float]]
    """What each action gives away compared with the best one, and the standard error of that."""

    @property
    def words(self) -> str:
        """Where the values come from."""
        if self.is_exact:
            return "if both follow the blueprint, exactly"
        return f"if both follow the blueprint, from {self.num_runouts} boards"


class Outlooks:
    """Asks a blueprint for the value of actions."""

    def __init__(self, translation: "BlueprintTranslation") -> None:
        self._translation = translation

    def at(
        self,
        hand: PublicHand,
        own: tuple[int, int],
        *,
        more: Sequence[ActionData] = (),
        num_runouts: int = NUM_RUNOUTS,
        seconds: float | None = None,
        seed: int = 0,
    ) -> Outlook:
        """Return what the blueprint's actions, and `more`, are worth to the player to act.

        With a limit of `seconds` of processor time, fewer boards may be drawn, and values then
        depend on the machine.
        """
        children = _children(self._translation, hand, more)
        lanes, weights = _against(hand, own)
        sums: list[list[float]] = []
        counts: list[float] = []
        until = None if seconds is None else thread_time() + seconds
        runouts, is_exact = self._runouts(hand.board, own, num_runouts, seed)
        for number, runout in enumerate(runouts):
            is_late = until is not None and thread_time() > until
            if is_late and not is_exact and number >= _FEWEST_RUNOUTS:
                break
            is_open = COMBO_MASKS[lanes] & np.uint64(mask_of(runout)) == 0
            left = weights[is_open]
            if not left.size:
                continue
            rng = None if is_exact else random.Random(f"{seed} {number}")
            deal = _Deal(self._translation, hand, runout, own, lanes[is_open], rng)
            sums.append([deal.value(child, left) for child in children.values()])
            counts.append(float(left.sum()))
        return _outlook(tuple(children), np.array(sums), np.array(counts), is_exact=is_exact)

    def _runouts(
        self, board: tuple[int, ...], own: tuple[int, int], count: int, seed: int
    ) -> tuple[Iterator[tuple[int, ...]], bool]:
        """Return possible boards, and whether these are all of them."""
        rules = self._translation.blueprint.rules
        missing = sum(rules.board_cards) - len(board)
        known = {*board, *own}
        left = [card for card in rules.deck if card not in known]
        if missing <= _COUNTED_CARDS:
            return combinations(left, missing), True
        rng = random.Random(seed)
        return (tuple(rng.sample(left, missing)) for _ in range(count)), False


def _outlook(names: tuple[str, ...], sums: Floats, counts: Floats, *, is_exact: bool) -> Outlook:
    values = sums.sum(axis=0) / counts.sum()
    best = int(values.argmax())
    gaps = sums[:, [best]] - sums
    behind = values[best] - values
    # A ratio of sums: its error comes from what each board adds to the numerator beyond its share.
    rest = gaps - behind * counts[:, np.newaxis]
    spread = np.zeros(len(names))
    if not is_exact and len(sums) > 1:
        spread = rest.std(axis=0, ddof=1) * np.sqrt(len(sums)) / counts.sum()
    return Outlook(
        dict(zip(names, values.tolist(), strict=True)),
        len(sums),
        is_exact,
        {name: (float(behind[i]), float(spread[i])) for i, name in enumerate(names)},
    )


def _against(hand: PublicHand, own: tuple[int, int]) -> tuple[Offsets, Floats]:
    """Return the hands that the opponent may hold, and their weights."""
    held = COMBO_MASKS[combo_index(*own)]
    weights = hand.ranges[1 - hand.betting.player]
    lanes = np.flatnonzero((COMBO_MASKS & held == 0) & (weights > _LEAST_WEIGHT))
    return lanes, weights[lanes]


class _Node:
    """A point in the real betting, and the place where the blueprint sees it."""

    __slots__ = ("_translation", "betting", "children", "place", "rows")

    def __init__(
        self, translation: "BlueprintTranslation", betting: Betting, sight: BettingPlace
    ) -> None:
        rules = translation.blueprint.rules
        is_last = betting.street + 1 == len(rules.board_cards)
        if betting.is_over_street and not betting.is_all_in and not is_last:
            betting = betting.next_street(first=BIG_BLIND)
            sight = translation.after_deal(sight, betting)
        self._translation = translation
        self.betting = betting
        self.children: list[_Node] = []
        """What follows the actions; made by `open`."""
        self.place = sight
        self.rows: Floats | None = None
        """[buckets, actions] how often each is taken; None where the blueprint has no decision."""

    def open(self) -> None:
        """Find what the player to act may do."""
        translation, real = self._translation, self.betting
        place = translation.decision(self.place, real)
        if place is None:  # as after an all-in that was none in the real game
            passive = real.passive_actions()[-1]
            seen = translation.after_action(self.place, real, passive)[0][0]
            self.children = [_Node(translation, real.apply(passive), seen)]
            return
        bets = translation.bets
        self.rows = translation.blueprint.rows_at(place.node)
        self.children = [
            _Node(
                translation,
                real.apply(bets.realised(place, number, real)),
                bets.child(place, number),
            )
            for number in range(self.rows.shape[1])
        ]


def _children(
    translation: "BlueprintTranslation", hand: PublicHand, more: Sequence[ActionData]
) -> dict[str, _Node]:
    """Return what follows each action of the blueprint at a point, and each of `more`."""
    real, sight = hand.betting, hand.sight
    place = translation.decision(sight, real)
    found: dict[str, _Node] = {}
    if place is not None:
        for number in range(len(translation.bets.actions(place))):
            action = translation.bets.realised(place, number, real)
            after = translation.bets.child(place, number)
            found.setdefault(action.name, _Node(translation, real.apply(action), after))
    for action in (*real.passive_actions(), *more):
        if action.name not in found:
            seen = translation.after_action(sight, real, action)
            likeliest = max(seen, key=lambda each: each[1])[0]
            found[action.name] = _Node(translation, real.apply(action), likeliest)
    return found


class _Deal:
    """A complete board, on which one hand meets many."""

    def __init__(
        self,
        translation: "BlueprintTranslation",
        hand: PublicHand,
        runout: tuple[int, ...],
        own: tuple[int, int],
        lanes: Offsets,
        rng: random.Random | None,
    ) -> None:
        self._translation = translation
        self._board = (*hand.board, *runout)
        self._street = hand.betting.street
        self._own = combo_index(*own)
        self._lanes = lanes
        self._player = hand.betting.player
        self._rng = rng
        """Draws the player's own moves on later streets; None to count them all."""
        self._small = _SMALL * float(hand.ranges[1 - self._player][lanes].sum())
        self._buckets: dict[int, tuple[int, Offsets]] = {}

    def value(self, node: _Node, weights: Floats) -> float:
        """Return what the player wins against hands with these weights, summed."""
        betting = node.betting
        if betting.player == NOBODY:
            return self._result(betting, weights)
        if not node.children:
            node.open()
        rows, children = node.rows, node.children
        if rows is None:
            return self.value(children[0], weights)
        own, others = self._buckets_on(betting.street)
        if betting.player == self._player:
            shares = rows[own].tolist()
            if self._rng is not None and betting.street > self._street:
                (drawn,) = self._rng.choices(range(len(shares)), shares)
                return self.value(children[drawn], weights)
            followed = zip(shares, children, strict=True)
            return float(
                sum(share * self.value(child, weights) for share, child in followed if share > 0.0)
            )
        mixes = rows[others]
        total = 0.0
        for number, child in enumerate(children):
            left = self._worth_while(weights * mixes[:, number])
            if left is not None:
                total += self.value(child, left)
        return total

    def _worth_while(self, weights: Floats) -> Floats | None:
        """Return the weights to follow; of the small ones only a few, which stand for all."""
        total, small = float(weights.sum()), self._small
        if self._rng is None or total >= small:
            return weights if total > 0.0 else None
        return weights * (small / total) if self._rng.random() * small < total else None

    def _result(self, betting: Betting, weights: Floats) -> float:
        """Return what is won at the end of a hand."""
        own, other = self._player, 1 - self._player
        paid = [
            whole - left
            for whole, left in zip(self._translation.rules.stacks, betting.stacks, strict=True)
        ]
        if betting.folded != NOBODY:
            gain = -paid[own] if betting.folded == own else paid[other]
            return gain * float(weights.sum())
        wins, losses = self._showdown
        return paid[other] * float(weights @ wins) - paid[own] * float(weights @ losses)

    @cached_property
    def _showdown(self) -> tuple[Floats, Floats]:
        """Which of the opponent's hands lose to the player's, and which beat it."""
        from untilt.cards.evaluator.evaluator import evaluate

        board = np.uint64(mask_of(self._board))
        ranks = evaluate(COMBO_MASKS[[*self._lanes.tolist(), self._own]] | board).astype(np.int64)
        # Rank 1 is the best.
        return (ranks[:-1] > ranks[-1]).astype(float), (ranks[:-1] < ranks[-1]).astype(float)

    def _buckets_on(self, street: int) -> tuple[int, Offsets]:
        """Return the player's bucket on a street, and those of the opponent's hands."""
        found = self._buckets.get(street)
        if found is None:
            blueprint = self._translation.blueprint
            shown = self._board[: blueprint.rules.num_shown(street)]
            buckets = blueprint.buckets_on(shown)
            others = buckets[self._lanes].astype(np.int64)
            found = self._buckets[street] = int(buckets[self._own]), others
        return found
