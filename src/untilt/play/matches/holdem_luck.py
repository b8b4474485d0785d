"""The luck of a deal of hold'em that is played twice: what AIVAT subtracts, see `aivat`.

What a hand is worth is estimated by its chances if nobody bets any more: the share of the pot that
it wins from the opponent's actual cards. Before the flop that is known exactly. Later it is counted
on some boards that could still come, which are drawn for each deal and street by a stream of their
own; so it is right on average, whatever cards come next.

Each agent gives a view: its possible hands are those that it might have held, and the opponent's
cards are the actual ones. If an agent does not say what other hands would have done, there is one
possible hand, the actual one, and the luck of the deals is known all the same.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.cards.card import mask_of
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_MASKS, NUM_COMBOS, combo_index
from untilt.cards.equity.preflop_table import (
    preflop_outcomes,
    preflop_table,
    renaming_to_representative,
)
from untilt.cards.suits import renamed_combos
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, Uniforms
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.game import Holdem, HoldemInfoset
from untilt.games.holdem.rules import HoldemRules
from untilt.numeric.arrays import Floats
from untilt.play.matches.aivat import Coefficients, Draw, mean_value
from untilt.play.table.score import Score
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.streams import Role, hand_stream
from untilt.policy.hands.turn import Hand, Rules, data_of
from untilt.policy.nodes.public_state import hands_of
from untilt.policy.policy import Policy

_NUM_BOARDS = 32
"""How many boards are drawn on a street; if there are no more, all are taken."""
_NUM_STREETS = 4
"""Corrections are kept apart by street; later streets count as the last."""
_NUM_OF_VIEW = 1 + 2 * _NUM_STREETS
"""Of a view: the mean over possible hands, then deals by street, then decisions by street."""

NUM_CORRECTIONS = 2 * _NUM_OF_VIEW + 2
"""Of both views; then how good the cards are that were dealt to each seat."""

Ranks = npt.NDArray[np.int32]


class Observed(Policy):
    """A policy that plays as another does, and remembers its decisions of the hand."""

    def __init__(self, policy: Policy) -> None:
        self.name = policy.name
        self.wants_records = policy.wants_records
        self.policy = policy
        self.seen: list[tuple[Any, Choice, Action]] = []
        """The state, choice and action of each decision."""

    def begin(self, seat: int, rules: Rules) -> Any:
        """Return the policy's state at the beginning of a hand."""
        self.seen.clear()
        return self.policy.begin(seat, rules)

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return what the policy does."""
        action, state = self.policy.choose(state, asked, rng, clock)
        self.seen.append((state, asked, action))
        return action, state

    def end(self, state: Any, hand: Hand) -> None:
        """Let the policy know the whole hand."""
        self.policy.end(state, hand)


class MatchLuck:
    """The luck of a match whose deals are played twice."""

    def __init__(self, rules: HoldemRules, policies: tuple[Policy, Policy]) -> None:
        self.observed = Observed(policies[0]), Observed(policies[1])
        """The policies to play with instead."""
        self.score = Score()
        """By deal: the mean gain per hand without luck."""
        self._rules = rules
        self._coefficients = Coefficients(_first_shares(policies))
        self._deal: DealLuck | None = None
        self._gain = 0.0
        self._corrections = np.zeros(NUM_CORRECTIONS)

    def add(self, key: tuple[int, int], moves: Sequence[Action], seat: int, gain: float) -> None:
        """Add a hand of the deal of seed and number `key`, which the first agent played on `seat`.

        Both hands of a deal follow each other.
        """
        if self._deal is None:
            self._deal = DealLuck(self._rules, *key)
            self._gain, self._corrections = 0.0, np.zeros(NUM_CORRECTIONS)
        self._gain += 0.5 * gain
        self._corrections += 0.5 * self._deal.corrections(moves, self.observed, seat)
        if seat == 1:
            self._deal = None
            self.score.add(self._coefficients.add(self._gain, self._corrections))


def _first_shares(policies: tuple[Policy, Policy]) -> Floats:
    """Return how much of each correction AIVAT adds: both views alike if both are complete."""
    knows = [float(policy.knows_all_hands) for policy in policies]
    if not any(knows):
        knows = [1.0, 1.0]
    shares = [np.full(_NUM_OF_VIEW, each / sum(knows)) for each in knows]
    return np.concatenate([*shares, np.zeros(2)])


class DealLuck:
    """One deal; what its boards say is kept for the second hand."""

    def __init__(self, rules: HoldemRules, seed: int, number: int) -> None:
        self._rules = rules
        self._rng = hand_stream(seed, number, Role.FACES)
        self._deck = hands_of(rules)
        self._known: dict[tuple[int, ...], Ranks] = {}
        self._kept: dict[tuple[tuple[int, ...], int], Floats] = {}

    def corrections(
        self, moves: Sequence[Action], agents: tuple[Observed, Observed], seat: int
    ) -> Floats:
        """Return [corrections] of a hand with all its moves, in chips of the first agent.

        The first agent sat on `seat`.
        """
        positions = [Holdem(self._rules)]
        for move in moves:
            positions.append(positions[-1].apply(move))
        end = positions[-1]
        found = np.zeros(NUM_CORRECTIONS)
        for view, agent in enumerate(agents):
            own_seat = seat if view == 0 else 1 - seat
            sign = 1.0 if view == 0 else -1.0
            part = found[view * _NUM_OF_VIEW : (view + 1) * _NUM_OF_VIEW]
            part += sign * self._view(positions[1:], agent, own_seat)
        assert end.hands is not None
        strengths = _strengths(self._rules.ranks, self._rules.suits)
        big_blind = self._rules.blinds[1]
        for player, hand in enumerate(end.hands):
            sign = 1.0 if player == seat else -1.0
            found[2 * _NUM_OF_VIEW + player] = sign * big_blind * strengths[combo_index(*hand)]
        return found

    def _view(self, positions: Sequence[Holdem], agent: Observed, seat: int) -> Floats:
        """Return [corrections of a view] with the hands that the player on `seat` might have."""
        end = positions[-1]
        assert end.hands is not None
        found = np.zeros(_NUM_OF_VIEW)
        own, other = (combo_index(*end.hands[player]) for player in (seat, 1 - seat))
        knows = agent.policy.knows_all_hands
        weights = np.zeros(NUM_COMBOS)
        weights[own] = 1.0
        if knows:
            weights = self._deck * (COMBO_MASKS & COMBO_MASKS[other] == 0)
        seen = {_line_of(each): each for each in agent.seen}
        board: tuple[int, ...] = ()
        shares = self._shares(board, other)
        for position in positions:
            street = min(position.street, _NUM_STREETS - 1)
            if position.board != board:
                before = mean_value(weights, _value(self._rules, position.betting, seat, shares))
                board = position.board
                shares = self._shares(board, other)
                weights = weights * (COMBO_MASKS & np.uint64(mask_of(board)) == 0)
                after = mean_value(weights, _value(self._rules, position.betting, seat, shares))
                found[1 + _dealt_street(self._rules, board)] += before - after
            if knows and position.active == seat and position.line in seen:
                draw = self._decision(weights, position, agent, seen[position.line], shares)
                found[1 + _NUM_STREETS + street] += draw.correction
                weights = weights * draw.chances[draw.drawn]
        if knows:
            found[0] = mean_value(weights, _gains(end, seat, shares)) - end.payoff(seat)
        return found

    def _decision(
        self,
        weights: Floats,
        position: Holdem,
        agent: Observed,
        seen: tuple[Any, Choice, Action],
        shares: Floats,
    ) -> Draw:
        """Return a decision of the player to act, with all possible hands."""
        state, asked, action = seen
        taken = data_of(action)
        moves = agent.policy.moves_of_all_hands(state, asked, action)
        drawn = next(
            number
            for number, (each, _) in enumerate(moves)
            if (each.kind, each.amount) == (taken.kind, taken.amount)
        )
        values = [
            _value(self._rules, position.betting.apply(each), position.active, shares)
            for each, _ in moves
        ]
        chances = np.array([row for _, row in moves])
        total = chances.sum(axis=0)
        chances = np.divide(
            chances, total, out=np.full_like(chances, 1.0 / len(moves)), where=total > 0.0
        )
        return Draw(weights, chances, np.array(values), drawn)

    def _shares(self, board: tuple[int, ...], other: int) -> Floats:
        """Return [1326] the share of the pot that each hand wins from hand `other`."""
        found = self._kept.get((board, other))
        if found is None:
            found = self._kept[board, other] = self._counted(board, other)
        return found

    def _counted(self, board: tuple[int, ...], other: int) -> Floats:
        if not board and self._rules.ranks == 13 and self._rules.suits == 4:
            return _preflop_shares(other)
        ranks = self._ranks(board)
        ranks = ranks[ranks[:, other] > 0]
        others = ranks[:, [other]]
        is_open = ranks > 0
        wins = ((ranks < others) & is_open) + 0.5 * (ranks == others)
        counts = is_open.sum(axis=0)
        return np.where(counts > 0, wins.sum(axis=0) / np.maximum(counts, 1), 0.5)

    def _ranks(self, board: tuple[int, ...]) -> Ranks:
        """Return [boards, 1326] ranks on complete boards, 1 the best; 0 if a card is on it."""
        found = self._known.get(board)
        if found is None:
            found = self._known[board] = self._ranks_of(board)
        return found

    def _ranks_of(self, board: tuple[int, ...]) -> Ranks:
        from untilt.cards.evaluator.evaluator import evaluate

        left = [card for card in self._rules.deck if card not in board]
        missing = sum(self._rules.board_cards) - len(board)
        if math.comb(len(left), missing) <= _NUM_BOARDS:
            runouts = list(combinations(left, missing))
        else:
            drawn = self._rng.random((_NUM_BOARDS, len(left)))
            order = np.argsort(drawn, axis=1)[:, :missing]
            runouts = [tuple(left[place] for place in row) for row in order.tolist()]
        masks = np.array([mask_of((*board, *cards)) for cards in runouts], dtype=np.uint64)
        ranks: Ranks = np.zeros((len(masks), NUM_COMBOS), np.int32)
        is_open = (COMBO_MASKS & masks[:, np.newaxis] == 0) & (self._deck > 0.0)
        ranks[is_open] = evaluate((COMBO_MASKS | masks[:, np.newaxis])[is_open])
        return ranks


def _line_of(seen: tuple[Any, Choice, Action]) -> str:
    _, asked, _ = seen
    assert isinstance(asked.infoset, HoldemInfoset)
    return asked.infoset.line


def _dealt_street(rules: HoldemRules, board: tuple[int, ...]) -> int:
    """Return the street on which the last cards of a board came, 1 for the flop."""
    street, shown = 0, 0
    while shown < len(board):
        street += 1
        shown += rules.board_cards[street]
    return min(street, _NUM_STREETS - 1)


def _value(rules: HoldemRules, betting: Betting, seat: int, shares: Floats) -> Floats:
    """Return [1326] the gain of a player if bets are called, and nobody bets any more."""
    paid = [rules.stacks[player] - betting.stacks[player] for player in (seat, 1 - seat)]
    if betting.folded != NOBODY:
        return np.full(NUM_COMBOS, float(-paid[0] if betting.folded == seat else paid[1]))
    level = min(max(betting.bets), betting.all_in_to)
    own, other = (
        amount + level - betting.bets[player]
        for amount, player in zip(paid, (seat, 1 - seat), strict=True)
    )
    return (own + other) * shares - own


def _gains(end: Holdem, seat: int, shares: Floats) -> Floats:
    """Return [1326] what a player gains at the end with each hand."""
    if end.betting.folded != NOBODY:
        return np.full(NUM_COMBOS, end.payoff(seat))
    win, tie, loss = end.showdown_payoffs(seat)
    return np.where(shares == 0.5, tie, np.where(shares > 0.5, win, loss))


@lru_cache(maxsize=8)
def _strengths(ranks: int, suits: int) -> Floats:
    """Return [1326] how much more of the pot a hand wins from any other than hands do on average.

    Known for the whole deck only; else 0.
    """
    if (ranks, suits) != (13, 4):
        return np.zeros(NUM_COMBOS)
    met = preflop_outcomes(np.ones(NUM_COMBOS))
    shares: Floats = (met.wins + 0.5 * met.ties) / met.totals
    centred: Floats = shares - shares.mean()
    return centred


def _preflop_shares(other: int) -> Floats:
    """Return [1326] the exact share of the pot that each hand wins before the flop."""
    table = preflop_table()
    row = CLASS_OF_COMBO[other]
    met = renamed_combos()[renaming_to_representative()[other]]
    boards = table.boards[row, met]
    lost = table.wins[row, met] + 0.5 * table.ties[row, met]
    half = np.full(NUM_COMBOS, 0.5)
    shares: Floats = 1.0 - np.divide(lost, boards, out=half, where=boards > 0.0)
    return shares
