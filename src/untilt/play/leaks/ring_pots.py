"""Decisions from the flop on, in pots of two players at larger tables.

    judge = RingJudge(PresetRanges.load("default"))
    for found in judge.decisions(hand, player): ...

When two players come to the flop, their ranges are taken from a file, by position and by what they
did before it, and the rest of the hand is solved as a spot, with the bets that were really made
among the sizes. What a choice costs is the value of the best action less that of the choice, for
the player's hand, in this solution. It says nothing of the play before the flop, and depends on the
ranges: a hand that is not in its range is not judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from untilt.cards.card import card_name
from untilt.cards.combos import combo_index
from untilt.cards.ranges.range import Range
from untilt.errors import InvalidOption, UntiltError
from untilt.game.actions import ActionData, Kind
from untilt.games.holdem.bets.sizes import STREETS, Sizes
from untilt.games.holdem.spots.spot import Spot
from untilt.games.holdem.spots.subgame import PLAIN
from untilt.hands.hand import HandAction, HandMove, RecordedHand
from untilt.lazy import provided
from untilt.play.leaks.choices import (
    ALL_IN,
    BEFORE_FLOP,
    MULTIWAY,
    NEVER,
    NO_BET,
    NOT_IN_RANGE,
    TOO_LARGE,
    UNKNOWN_CARDS,
    JudgedChoice,
    PlayedAction,
    joined,
    plain_choice,
    played_actions,
)
from untilt.play.leaks.preset_ranges import PresetRanges, way_to_flop
from untilt.play.leaks.spots import action_words

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.solution import Solution, SolutionNode

AGENT = "ranges"
"""Who judges, in reports."""
TARGET = "1%"
"""A spot is solved until best responses win less than this share of the pot…"""
ITERATIONS = 200
"""…or for as many iterations."""

_BB = 100
"""Chips of a big blind in the spot."""
_BETS = {"flop": "50%", "turn": "66%", "river": "75%"}
_RAISES = {"flop": "3x", "turn": "", "river": ""}
"""Raises of later streets would treble the tree; those that were made are added."""
_MOST_RATIO = 1.15
"""A bet is the one of the spot that is at most this much larger or smaller."""


@dataclass(frozen=True)
class FlopPot:
    """A pot of two players as it comes to the flop; chips are hundredths of a big blind."""

    players: tuple[int, int]
    """Out of position and in position."""
    ways: tuple[str, str]
    pot: int
    stack: int


class RingJudge:
    """Judges pots of two players from the flop on; see the module."""

    def __init__(self, ranges: PresetRanges, *, threads: int = 0) -> None:
        self._ranges = ranges
        self._threads = threads

    def decisions(self, hand: RecordedHand, player: int) -> Iterator[JudgedChoice]:
        """Yield the decisions of a player, judged or with the reason why not."""
        pot = flop_pot(hand)
        reason = MULTIWAY
        if pot is not None and player in pot.players:
            reason = UNKNOWN_CARDS if hand.cards[player] is None else 0
        played = list(played_actions(hand))
        for each in played:
            if each.action.player == player and not each.street:
                yield plain_choice(hand, each, BEFORE_FLOP)
        later = [each for each in played if each.street]
        if not any(each.action.player == player for each in later):
            return
        if reason or pot is None:
            for each in later:
                if each.action.player == player:
                    yield plain_choice(hand, each, reason)
            return
        yield from self._judged(hand, player, pot, later)

    def _judged(
        self, hand: RecordedHand, player: int, pot: FlopPot, played: Sequence[PlayedAction]
    ) -> Iterator[JudgedChoice]:
        held = hand.cards[player]
        assert held is not None
        seat = pot.players.index(player)
        solution, reason = None, NOT_IN_RANGE
        if self.range_of(hand, pot, seat).weights[combo_index(*held)] > 0.0:
            solution, reason = self._solved(hand, pot)
        followed = None if solution is None else _FollowedSpot(hand, pot, solution)
        for each in played:
            if each.action.player != player:
                if followed is not None:
                    followed.move(each)
                continue
            if followed is None:
                yield plain_choice(hand, each, reason)
            else:
                yield followed.judged(each, held)
                followed.move(each)

    def range_of(self, hand: RecordedHand, pot: FlopPot, seat: int) -> Range:
        """Return the preset range of a seat of the pot."""
        return self._ranges.range_of(pot.ways[seat], hand.positions[pot.players[seat]])

    def spot(self, hand: RecordedHand, pot: FlopPot) -> Spot:
        """Return the spot from the flop on."""
        return Spot(
            hand.board[:3],
            (self.range_of(hand, pot, 0), self.range_of(hand, pot, 1)),
            pot.pot,
            pot.stack,
            sizes_of(hand, pot),
            bb=_BB,
            thresholds=PLAIN,
        )

    def _solved(self, hand: RecordedHand, pot: FlopPot) -> "tuple[Solution | None, int]":
        solve = provided("the solution of a spot")
        try:
            found: Solution = solve(
                self.spot(hand, pot), target=TARGET, iterations=ITERATIONS, save=False,
                precision="int16", threads=self._threads,
            )  # fmt: skip
        except UntiltError:  # empty on this board, or too large
            return None, TOO_LARGE
        return found, 0


def flop_pot(hand: RecordedHand) -> FlopPot | None:
    """Return the pot that comes to the flop; None unless two players with known chips."""
    stacks = hand.known_stacks
    if hand.variant != "NT" or len(hand.streets) < 2 or len(hand.board) < 3 or stacks is None:
        return None
    before = hand.streets[0]
    folded = {action.player for action in before if action.move is HandMove.FOLD}
    left = [player for player in range(hand.num_players) if player not in folded]
    if len(left) != 2:
        return None
    bets = list(hand.posts)
    for action in before:
        bets[action.player] = action.amount
    paid = [bet + ante for bet, ante in zip(bets, hand.antes, strict=True)]
    behind = min(stacks[player] - paid[player] for player in left)
    ways = [way_to_flop(before, player) for player in left]
    stack = _in_chips(hand, behind)
    if stack < 1 or ways[0] is None or ways[1] is None:
        return None
    # A bet that nobody called is returned before the flop.
    pot = _in_chips(hand, sum(paid) - max(paid[left[0]] - paid[left[1]], 0))
    return FlopPot((left[0], left[1]), (ways[0], ways[1]), max(pot, 1), stack)


def sizes_of(hand: RecordedHand, pot: FlopPot) -> Sizes:
    """Return the sizes of a spot: a usual bet, on the flop a raise, and all that were made."""
    lists: dict[str, list[str]] = {}
    most = 1
    for number, street in enumerate(hand.streets[1:], start=1):
        level, raises = 0, 0
        for action in street:
            if action.move not in (HandMove.BET, HandMove.RAISE):
                continue
            kind = "raises" if level else "bets"
            raises += bool(level)
            by = _in_chips(hand, action.amount - level)
            seat = ("oop", "ip")[pot.players.index(action.player)]
            made = "a" if action.is_all_in else f"{by}c"
            lists.setdefault(f"{seat}_{STREETS[number]}_{kind}", []).append(made)
            level = action.amount
        most = max(most, raises)
    usual = {
        f"{street}_{kind}": size
        for kind, table in (("bets", _BETS), ("raises", _RAISES))
        for street, size in table.items()
    }
    given = dict(usual)
    for name, sizes in lists.items():
        of_both = usual[name.partition("_")[2]]
        given[name] = ", ".join((of_both, *sizes) if of_both else sizes)
    return Sizes(_BETS["flop"], _RAISES["flop"], max_raises=most, **given)


def _in_chips(hand: RecordedHand, amount: int) -> int:
    return round(amount * _BB / hand.big_blind)


class _FollowedSpot:
    """The actions of a hand in the solution of its spot."""

    def __init__(self, hand: RecordedHand, pot: FlopPot, solution: "Solution") -> None:
        self._hand = hand
        self._pot = pot
        self._solution = solution
        self._node: SolutionNode | None = solution.root
        self._street = 1

    def move(self, played: PlayedAction) -> None:
        """Follow an action; what the solution does not have ends the way."""
        node = self._at(played)
        number = None if node is None else self._number(node, played)
        self._node = None
        if node is not None and number is not None:
            self._node = node.child(node.actions[number])

    def judged(self, played: PlayedAction, held: tuple[int, int]) -> JudgedChoice:
        """Return a decision of the player with what it cost."""
        plain = plain_choice(self._hand, played, 0)
        node = self._at(played)
        if node is None:
            return plain._replace(reason=ALL_IN)
        number = self._number(node, played)
        if number is None:
            return plain._replace(reason=NO_BET)
        places = np.flatnonzero(node.combos(node.player) == combo_index(*held))
        if not len(places):
            return plain._replace(reason=NOT_IN_RANGE)
        lane = int(places[0])
        values = node.action_ev[:, lane].astype(np.float64)
        if not np.isfinite(values).all():
            return plain._replace(reason=NEVER)
        names = [action_words(each, _BB) for each in node.action_data]
        return plain._replace(
            judge=AGENT,
            cost=float(values.max() - values[number]) / _BB,
            error=float(self._solution.exploitability) / _BB,
            frequency=float(node.strategy[number, lane]),
            best=names[int(values.argmax())],
            choices=joined(names),
            values=tuple((values / node.pot).tolist()),
            chosen=((number, 1.0),),
        )

    def _at(self, played: PlayedAction) -> "SolutionNode | None":
        """Return the decision at which an action was taken."""
        node = self._node
        while node is not None and self._street < played.street:
            self._street += 1
            if node.kind != "deal":
                return None
            node = self._node = node.deal(card_name(self._hand.board[self._street + 1]))
        is_theirs = (
            node is not None
            and node.kind == "decision"
            and self._pot.players[node.player] == played.action.player
        )
        return node if is_theirs else None

    def _number(self, node: "SolutionNode", played: PlayedAction) -> int | None:
        """Return the action of the solution that is the nearest; None if none is near."""
        action = played.action
        kind = Kind(action.move.name.lower())
        if kind in (Kind.FOLD, Kind.CHECK, Kind.CALL):
            same = [n for n, each in enumerate(node.action_data) if each.kind is kind]
            return same[0] if same else None
        return _nearest(node, _in_chips(self._hand, action.amount), action)


def _nearest(node: "SolutionNode", amount: int, action: HandAction) -> int | None:
    own = node.bets[node.player]
    limit = own + node.stacks[node.player]
    wanted = limit if action.is_all_in else min(amount, limit)
    found, least = None, _MOST_RATIO
    for number, each in enumerate(node.action_data):
        if each.kind not in (Kind.BET, Kind.RAISE, Kind.ALL_IN):
            continue
        to = _amount(each, limit)
        ratio = max(to / wanted, wanted / to)
        if ratio <= least:
            found, least = number, ratio
    return found


def _amount(action: ActionData, limit: int) -> float:
    return float(limit if action.amount is None else action.amount)


def verify_ranges(given: object) -> PresetRanges | None:
    """Return the ranges that were asked for; None for none."""
    if given is None:
        return None
    if not isinstance(given, str) or not given:
        raise InvalidOption.of("ranges", given, "give a file, or 'default'")
    return PresetRanges.load(given)
