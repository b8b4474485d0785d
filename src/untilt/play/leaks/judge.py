"""The cost of decisions of recorded hands, by the values of a blueprint.

    judge = Judge(judged_by(["bp25/", "bp100/"]))
    for found in judge.decisions(hand, player): ...

A hand of two players is followed on the blueprint whose stacks are nearest. Chips are converted at
the size of the big blind, and all-in stays all-in; bets that the blueprint does not make are read
as the likeliest of its own. What a choice costs is the value of the best action less that of the
choice, both with the bucket of the player's hand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from untilt.abstraction.bet_translation import drawn_reading
from untilt.abstraction.betting_form import BettingPlace
from untilt.cards.combos import CLASS_OF_COMBO, combo_index
from untilt.errors import InvalidOption
from untilt.formats.kinds.blueprint_path import is_blueprint
from untilt.game.actions import ActionData, Kind, action_data
from untilt.games.holdem.betting import FOLD, NOBODY, Betting
from untilt.games.holdem.game import HoldemInfoset, highest_first, move_letters
from untilt.games.holdem.rules import BIG_BLIND
from untilt.hands.hand import HandAction, HandMove, RecordedHand
from untilt.lazy import provided
from untilt.play.leaks.choices import (
    ALL_IN,
    ANTES,
    DEPTH,
    FREE,
    LIMIT,
    MULTIWAY,
    NEVER,
    NO_BET,
    NO_PUSH,
    REVERSED,
    STACKS,
    UNKNOWN_CARDS,
    JudgedChoice,
    PlayedAction,
    joined,
    judged_by_values,
    plain_choice,
    plain_choices,
    played_actions,
)
from untilt.play.leaks.ring_pots import RingJudge
from untilt.play.leaks.spots import action_words
from untilt.play.leaks.table_pushes import judged_by_charts
from untilt.policy.load import THINKING, parse_agent

if TYPE_CHECKING:
    from untilt.abstraction.blueprint_translation import BlueprintTranslation
    from untilt.games.pushfold.chart import PushFoldChart
    from untilt.policy.blueprint import BlueprintPolicy
    from untilt.policy.thinking.insight import Insights
    from untilt.policy.thinking.tabulated_values import BucketValues

MOST_DISTANCE = 1.5
"""Stacks of the hand and the blueprint may differ by this factor."""

MOST_PUSHFOLD = 20.0
"""Larger stacks, in big blinds, are not judged by charts."""


_MIXED = 2
"""Readings of a bet: at most two."""


@dataclass(frozen=True)
class Depth:
    """A blueprint that judges hands of about its depth."""

    text: str
    stack: float
    """In big blinds."""
    translation: "BlueprintTranslation"
    values: "BucketValues"
    thinking: "BlueprintPolicy | None"
    """Solves streets; None if values come from the table alone."""


def blueprint_of(text: str) -> tuple[Path, str]:
    """Return the blueprint of an agent's text and the text; InvalidOption for other agents."""
    spec = parse_agent(text)
    if not is_blueprint(spec.source):
        raise InvalidOption.of(
            "agent",
            text,
            "give a blueprint, such as bp/, or pushfold, which judge hands",
        )
    spec.take(*THINKING)
    return Path(spec.source), spec.text


class Judge:
    """Judges decisions; see the module."""

    def __init__(
        self,
        depths: Sequence[Depth],
        *,
        has_charts: bool = False,
        ring: RingJudge | None = None,
    ) -> None:
        """With `has_charts`, short stacks that no blueprint is near to are judged by charts.

        `ring` judges pots of two players at larger tables.
        """
        self._depths = depths
        self._has_charts = has_charts
        self._ring = ring

    def nearest(self, stack: float) -> tuple[Depth, float] | None:
        """Return the blueprint of the nearest stacks, and their ratio to the hand's, at least 1.

        Stacks are in big blinds. None if they differ too much.
        """

        def distance(depth: Depth) -> float:
            return max(depth.stack / stack, stack / depth.stack)

        if not self._depths:
            return None
        found = min(self._depths, key=distance)
        return (found, distance(found)) if distance(found) <= MOST_DISTANCE else None

    def decisions(self, hand: RecordedHand, player: int) -> Iterator[JudgedChoice]:
        """Yield the decisions of a player, judged or with the reason why not."""
        stacks = hand.known_stacks
        if stacks is None:
            # Every agent is one for some stacks.
            yield from plain_choices(hand, player, STACKS)
            return
        least = min(stacks)
        if hand.num_players > 2 and hand.variant == "NT":
            yield from self._at_table(hand, player)
            return
        reason = self._reason(hand, player)
        found = None if reason else self.nearest(least / hand.big_blind)
        is_short = least <= MOST_PUSHFOLD * hand.big_blind
        if found is None and reason in (0, ANTES) and self._has_charts and is_short:
            yield from _pushed(hand, player, least)
        elif found is None:
            yield from plain_choices(hand, player, reason or DEPTH)
        else:
            depth, distance = found
            for choice in _Followed(hand, player, least, depth).choices():
                judge = depth.text if not choice.reason else ""
                yield choice._replace(judge=judge, distance=distance)

    def _at_table(self, hand: RecordedHand, player: int) -> Iterator[JudgedChoice]:
        """Yield the decisions of a player at a larger table."""
        choices = plain_choices(hand, player, MULTIWAY)
        if self._ring is not None:
            choices = self._ring.decisions(hand, player)
        yield from judged_by_charts(hand, player, choices) if self._has_charts else choices

    def _reason(self, hand: RecordedHand, player: int) -> int:
        """Return why nothing of a hand can be judged; 0 if something can."""
        if hand.num_players != 2:
            return MULTIWAY
        if hand.variant != "NT":
            return LIMIT
        if hand.cards[player] is None:
            return UNKNOWN_CARDS
        if hand.due != 0:
            return REVERSED
        return ANTES if any(hand.antes) else 0


def _pushed(hand: RecordedHand, player: int, stack: int) -> Iterator[JudgedChoice]:
    """Yield the decisions of a player in a hand of short stacks, judged by an exact chart."""
    spots = list(played_actions(hand))
    for number, spot in enumerate(spots):
        if spot.action.player != player:
            continue
        plain = plain_choice(hand, spot, NO_PUSH)
        is_all_in = spot.action.is_all_in or spot.action.amount >= stack
        is_fold = spot.action.move is HandMove.FOLD
        is_push = number == 0 and (is_fold or is_all_in)
        is_answer = number == 1 and spots[0].action.amount + max(hand.antes) >= stack
        if is_push or (is_answer and spot.action.move in (HandMove.FOLD, HandMove.CALL)):
            plain = _by_chart(hand, plain, player, stack, is_played=not is_fold)
        yield plain


def _by_chart(
    hand: RecordedHand, plain: JudgedChoice, player: int, least: int, *, is_played: bool
) -> JudgedChoice:
    """Return a push, a call or a fold with what it cost by the chart of the stacks."""
    big_blind = hand.big_blind
    antes = [round(ante / big_blind, 3) for ante in hand.antes]
    is_even = antes[0] == antes[1]
    if not is_even and antes[1]:
        return plain._replace(reason=ANTES)
    stack = least / big_blind
    chart = _chart(
        round(stack, 1),
        round(hand.posts[1] / big_blind, 3),
        antes[0] if is_even else 0.0,
        0.0 if is_even else antes[0],
    )
    seat = chart.call if player == 0 else chart.push
    held = hand.cards[player]
    assert held is not None
    number = int(CLASS_OF_COMBO[combo_index(*held)])
    values = (float(seat.fold_ev), float(seat.ev[number]))
    share = float(seat.frequency[number])
    return judged_by_values(plain, values, seat.action, share, is_played=is_played, error=0.0)


@lru_cache(maxsize=1_000)
def _chart(stack: float, small_blind: float, ante: float, bb_ante: float) -> "PushFoldChart":
    """Return the chart for stacks in big blinds."""
    solve = provided("the chart of push/fold")
    found: PushFoldChart = solve(stack, small_blind=small_blind, ante=ante, bb_ante=bb_ante)
    return found


class _Followed:
    """A hand of two players on the tree of a blueprint."""

    def __init__(self, hand: RecordedHand, player: int, stack: int, depth: Depth) -> None:
        self._hand = hand
        self._player = player
        self._depth = depth
        self._translation = depth.translation
        rules = depth.translation.blueprint.rules
        self._factor = rules.blinds[1] / hand.big_blind
        self._stack = stack
        self._real: Betting = rules.start
        self._sight: BettingPlace = depth.translation.start
        self._letters = ""
        self._paid = [0, 0]
        """On the streets before."""
        self._insights: Insights | None = None

    def choices(self) -> Iterator[JudgedChoice]:
        """Yield the decisions of the player."""
        street, is_lost = 0, False
        for spot in played_actions(self._hand):
            action = spot.action
            if spot.street > street and not is_lost:
                is_lost = not self._deal(spot.street - street)
                street = spot.street
            is_lost = is_lost or self._real.player != 1 - action.player
            if is_lost:
                if action.player == self._player:
                    yield plain_choice(self._hand, spot, ALL_IN)
                continue
            made = self._converted(action)
            if action.player == self._player:
                yield self._judged(spot, made)
            self._move(made)

    def _deal(self, count: int) -> bool:
        """Begin the next street; False if the agent has none to begin."""
        for _ in range(count):
            real = self._real
            if not real.is_over_street or real.is_all_in or real.folded != NOBODY:
                return False
            self._paid = [
                self._paid[player]
                + max((a.amount for a in street if a.player == player), default=0)
                for street in [self._hand.streets[real.street]]
                for player in (0, 1)
            ]
            self._real = real.next_street(first=BIG_BLIND)
            self._sight = self._translation.after_deal(self._sight, self._real)
            self._letters += "/"
        return True

    def _converted(self, action: HandAction) -> ActionData:
        """Return an action in the chips of the blueprint."""
        real = self._real
        if action.move is HandMove.FOLD:
            return FOLD if real.can_fold() else real.passive_actions()[-1]
        limits = real.bet_limits()
        if action.move in (HandMove.CHECK, HandMove.CALL) or limits is None:
            return real.passive_actions()[-1]
        is_all_in = action.is_all_in or (self._paid[action.player] + action.amount >= self._stack)
        amount = real.all_in_to if is_all_in else round(action.amount * self._factor)
        return real.named_bet(min(max(amount, limits[0]), limits[1], real.all_in_to))

    def _move(self, made: ActionData) -> None:
        real = self._real
        seen = self._translation.after_action(self._sight, real, made)
        self._sight = drawn_reading(seen, None)
        self._real = real.apply(made)
        self._letters += move_letters(real, made.kind, self._real)

    def _judged(self, spot: PlayedAction, made: ActionData) -> JudgedChoice:
        """Return a decision with what it cost."""
        real, translation = self._real, self._translation
        plain = plain_choice(self._hand, spot, 0)
        if spot.action.move is HandMove.FOLD and not real.can_fold():
            return plain._replace(reason=FREE)
        place = translation.decision(self._sight, real)
        if place is None:
            return plain._replace(reason=NEVER)
        held = self._hand.cards[self._player]
        assert held is not None
        board = self._hand.board[: translation.blueprint.rules.num_shown(spot.street)]
        if self._depth.thinking is not None:
            solved = self._solved(plain, held, board, made)
            if solved is not None:
                return solved
        bucket = translation.blueprint.cards.bucket_of(*held, board)
        values = self._depth.values.at(place.node, bucket).astype(np.float64)
        if np.isnan(values).any():
            return plain._replace(reason=NEVER)
        is_fold = made.kind is Kind.FOLD
        chosen = [(0, 1.0)] if is_fold else translation.bets.seen_as(place, real, made)
        if not chosen or (is_fold and not place.betting.can_fold()):
            return plain._replace(reason=NO_BET)
        # Chips of the tree as chips of the hand: their pots may differ.
        unit = real.total_pot / max(place.betting.total_pot, 1)
        big_blind = translation.blueprint.rules.blinds[1]
        own = np.sum([weight * values[:, number] for number, weight in chosen], axis=0)
        best = values.argmax(axis=1)
        # What one table finds best is valued with the other, so that chance does not flatter it.
        crossed = [values[1 - half, best[half]] - own[1 - half] for half in range(2)]
        scale = unit / big_blind
        means = values.mean(axis=0)
        names = [action_words(each, big_blind) for each in translation.bets.actions(place)]
        mix = translation.blueprint.row_at(place.node, held, board)
        return plain._replace(
            cost=float(np.mean(crossed)) * scale,
            error=abs(float(crossed[0] - crossed[1])) / 2.0 * scale,
            frequency=float(sum(weight * mix[number] for number, weight in chosen)),
            best=names[int(means.argmax())],
            choices=joined(names),
            values=tuple((means / max(place.betting.total_pot, 1)).tolist()),
            chosen=tuple(chosen[:_MIXED]),
        )

    def _solved(
        self, plain: JudgedChoice, held: tuple[int, int], board: tuple[int, ...], made: ActionData
    ) -> JudgedChoice | None:
        """Return a decision judged by solving its street; None where the agent solves none."""
        from untilt.policy.thinking.insight import Insights

        if self._insights is None:
            assert self._depth.thinking is not None
            self._insights = Insights(self._depth.thinking)
        real = self._real
        first, second = highest_first(held)
        infoset = HoldemInfoset(real.player, (first, second), board, self._letters, real)
        seen = self._insights.seen(infoset, None)
        if seen.hand.solved is None:
            return None
        found = self._insights.valued(seen, made)
        if found.cost is None:
            return plain._replace(reason=NO_BET)
        big_blind = self._translation.blueprint.rules.blinds[1]
        names = list(found.values)
        words = [action_words(action_data(name), big_blind) for name in names]
        return plain._replace(
            cost=found.cost / big_blind,
            error=found.error / big_blind,
            frequency=found.mix.get(made.name, 0.0),
            best=words[max(range(len(names)), key=lambda place: found.values[names[place]])],
            choices=joined(words),
            values=tuple(found.values[name] / real.total_pot for name in names),
            chosen=((names.index(made.name), 1.0),),
        )
