"""A hand as everybody sees it, and what an agent that solves streets does with any two cards.

A `PublicHand` is one public state: betting, board, both players' ranges, and the strategy that is
in use. It is immutable, so that an exploiter can try an action and go back. `Thinker` moves from
state to state. On early streets the strategy is a blueprint; where the agent first has to act on
the turn (given the time) and on the river, the street is solved from its beginning, and again from
where the opponent makes a bet that the solution does not have. Ranges follow whatever strategy is
in use, and what the opponent's hands were worth before is also taken from it.
"""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from untilt.abstraction.betting_form import Place
from untilt.cards.combos import NUM_COMBOS
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData
from untilt.game.protocol import Uniforms
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.betting_tree import offered_bets
from untilt.games.holdem.rules import BIG_BLIND
from untilt.games.holdem.sizes import Sizes
from untilt.games.holdem.subgame import PLAIN, swapped, with_floor
from untilt.numeric.arrays import Floats
from untilt.play.blueprint_pairs import leaf_values
from untilt.play.blueprint_values import blueprint_values
from untilt.play.solved_street import (
    FLOP,
    RIVER,
    Effort,
    SolvedStreet,
    compiled_subgame,
    in_range,
    solve_street,
    subgame_of,
)

if TYPE_CHECKING:
    from untilt.abstraction.blueprint_translation import BlueprintTranslation
    from untilt.games.holdem.public_form import SpotForm

_MAX_BYTES = 150_000_000
"""Memory for cached solutions of streets: a river takes about 4 MB, a turn 20 to 60."""

_SHARE_OF_VALUES = 0.8
"""How much of the time for a flop may be spent on what its ends are worth."""

_LEAST_ITERATIONS = 20
"""A solution with fewer iterations in the given time is not used."""


@dataclass(frozen=True, eq=False)
class Root:
    """A state from which the rest of a street can be solved: the strategy up to it is fixed."""

    betting: Betting
    line: tuple[str, ...]
    ranges: tuple[Floats, Floats]
    sight: Place
    solved: SolvedStreet | None = None
    """The previous solution, if the opponent has left it, or if it ended with the street."""
    node: int = 0
    card: int | None = None
    """The card that was dealt after it."""


@dataclass(frozen=True, eq=False)
class PublicHand:
    """A public state of a hand; see the module."""

    betting: Betting
    board: tuple[int, ...]
    line: tuple[str, ...]
    """The names of all actions so far, and a `/` where a street ends."""
    ranges: tuple[Floats, Floats]
    """By seat, [1326] weights that sum to 1; cards of the other player are not removed."""
    sight: Place
    """Where the blueprint sees the hand."""
    root: Root
    answer: ActionData | None = None
    """What the opponent did at the root, if anything."""
    solved: SolvedStreet | None = None
    node: int = 0
    """The node in `solved`."""


class Thinker:
    """Follows hands with a blueprint, and solves streets for one seat."""

    def __init__(self, translation: "BlueprintTranslation", effort: Effort | None) -> None:
        """Without `effort`, the blueprint is followed to the end."""
        self.translation = translation
        self.effort = effort
        self._kept: OrderedDict[tuple[object, ...], SolvedStreet] = OrderedDict()

    def start(self) -> PublicHand:
        """Return the state before the first decision."""
        every = np.full(NUM_COMBOS, 1.0 / NUM_COMBOS)
        betting = self.translation.blueprint.rules.start
        sight = self.translation.start
        root = Root(betting, (), (every, every), sight)
        return PublicHand(betting, (), (), (every, every), sight, root)

    def deal(self, hand: PublicHand, cards: Sequence[int]) -> PublicHand:
        """Return the state after the next cards of the board."""
        if set(cards) & set(hand.board) or len(set(cards)) != len(cards):
            raise InvalidOption("a card of the board is dealt twice; deal every card once")
        board = (*hand.board, *cards)
        betting = hand.betting.next_street(first=BIG_BLIND)
        first, second = (with_floor(each, board) for each in hand.ranges)
        ranges = first, second
        sight = self.translation.after_deal(hand.sight, betting)
        line = (*hand.line, "/")
        root = Root(betting, line, ranges, sight)
        if hand.solved is not None and hand.solved.has_next_street:
            root = replace(root, solved=hand.solved, node=hand.node, card=cards[0])
        return PublicHand(betting, board, line, ranges, sight, root)

    def after(self, hand: PublicHand, action: ActionData, rng: Uniforms | None) -> PublicHand:
        """Return the state after an action of whoever is to act.

        `rng` draws how the blueprint interprets a bet; without it, the likeliest reading is used.
        """
        real = hand.betting
        line = (*hand.line, action.name)
        sight = self._sight_after(hand, action, rng)
        solved, node, root, answer = hand.solved, hand.node, hand.root, hand.answer
        if solved is not None:
            number = solved.action_number(node, action)
            if number is None:
                root = Root(real, hand.line, hand.ranges, hand.sight, solved, node)
                answer, solved, node = action, None, 0
            else:
                _, shares = solved.moves(node)
                ranges = _updated(hand, shares[number])
                node = solved.child(node, number)
        elif root.betting is real:
            answer = action
        if solved is None:
            likelihood = self.translation.likelihood(real, hand.board, hand.sight, action)
            ranges = _updated(hand, likelihood)
        return PublicHand(
            *(real.apply(action), hand.board, line, ranges, sight, root),
            answer=answer,
            solved=solved,
            node=node,
        )

    def outcomes(self, hand: PublicHand, action: ActionData) -> list[tuple[PublicHand, float]]:
        """Return the states after an action, each with its probability.

        They differ in how the blueprint interprets a bet, where that matters on the street.
        """
        found = self.after(hand, action, None)
        is_solved = self.effort is not None and hand.betting.street >= self.effort.first_street
        if found.solved is not None or is_solved:
            return [(found, 1.0)]
        seen = self.translation.after_action(hand.sight, hand.betting, action)
        return [(replace(found, sight=sight), chance) for sight, chance in seen]

    def after_quick(self, hand: PublicHand, action: ActionData, rng: Uniforms | None) -> PublicHand:
        """Return the state after an action that followed the blueprint.

        What is solved later on the street begins after it.
        """
        found = self.after(hand, action, rng)
        if found.solved is not None:
            return found
        root = Root(found.betting, found.line, found.ranges, found.sight)
        return replace(found, root=root, answer=None)

    def thought(self, hand: PublicHand, seat: int, effort: Effort | None = None) -> PublicHand:
        """Return the same state with its street solved for `seat`, who is to act.

        The state is returned as it is where nothing is solved: early streets, no effort, or too
        little time for a solution that is better than the blueprint.
        """
        effort = effort or self.effort
        if effort is None or hand.solved is not None or hand.betting.street < effort.first_street:
            return hand
        root = hand.root
        is_reached = root.betting is hand.betting or (
            hand.answer is not None and hand.line == (*root.line, hand.answer.name)
        )
        if not is_reached or root.betting.player < 0:
            return hand
        solved = self._solved(hand, seat, effort)
        if solved is None or (effort.iterations is None and solved.iterations < _LEAST_ITERATIONS):
            return hand
        node, ranges = 0, root.ranges
        if hand.answer is not None:
            number = solved.action_number(0, hand.answer)
            assert number is not None, "the real bet is in the tree"
            _, shares = solved.moves(0)
            before = replace(hand, betting=root.betting, ranges=ranges)
            ranges = _updated(before, shares[number])
            node = solved.child(0, number)
        return replace(hand, solved=solved, node=node, ranges=ranges)

    def moves(self, hand: PublicHand) -> list[tuple[ActionData, Floats]]:
        """Return the actions of whoever is to act, each with [1326] how often a hand takes it."""
        if hand.solved is not None:
            actions, shares = hand.solved.moves(hand.node)
            return list(zip(actions, shares, strict=True))
        found: dict[ActionData, Floats] = {}
        for move in self.translation.moves(hand.betting, hand.board, hand.sight):
            known = found.get(move.action)
            found[move.action] = move.shares if known is None else known + move.shares
        return list(found.items())

    def forget(self) -> None:
        """Forget what was solved."""
        self._kept.clear()

    def _solved(self, hand: PublicHand, seat: int, effort: Effort) -> SolvedStreet | None:
        """Return the street from the root; the previous solution is reused if it has the bet.

        None if time ran out before anything was solved.
        """
        root = hand.root
        for line in ((), hand.line[len(root.line) :]):
            known = self._kept.get((seat, hand.board, root.line, line))
            if known is not None and (
                hand.answer is None or known.action_number(0, hand.answer) is not None
            ):
                return known
        solved = self._solve(hand, seat, effort)
        if solved is None:
            return None
        is_plain = hand.answer is None or solved.added is None
        line = () if is_plain else hand.line[len(root.line) :]
        self._kept[seat, hand.board, root.line, line] = solved
        while len(self._kept) > 1 and sum(s.num_bytes for s in self._kept.values()) > _MAX_BYTES:
            self._kept.popitem(last=False)
        return solved

    def _solve(self, hand: PublicHand, seat: int, effort: Effort) -> SolvedStreet | None:
        began = time.perf_counter()
        root, street = hand.root, hand.betting.street
        sizes = effort.sizes(root.betting)
        added = None
        if hand.answer is not None and hand.answer.amount is not None:
            added = min(int(hand.answer.amount), root.betting.all_in_to)
            if added in offered_bets(swapped(root.betting), street, sizes, PLAIN):
                added = None
        ranges = list(root.ranges)
        if street < RIVER:
            ranges[seat] = in_range(ranges[seat])
        both = ranges[0], ranges[1]
        if street == FLOP:
            until = began + _SHARE_OF_VALUES * effort.seconds
            flop = self._flop(
                hand.board, both, root, sizes, added, until if effort.iterations is None else inf
            )
            if flop is None:
                return None
            form, known = flop, root.solved
            alternatives = None if known is None else known.values(root.node, 1 - seat)
        else:
            form = compiled_subgame(hand.board, both, root.betting, sizes, added)
            alternatives = self._alternatives(form, root, seat, effort.threads)
        left = effort.seconds - (time.perf_counter() - began)
        return solve_street(
            form,
            replace(effort, seconds=left),
            seat,
            alternatives,
            added,
            iterations=effort.iterations_on(street),
        )

    def _flop(
        self,
        board: tuple[int, ...],
        ranges: tuple[Floats, Floats],
        root: Root,
        sizes: Sizes,
        added: int | None,
        until: float,
    ) -> "SpotForm | None":
        """Return a flop that ends with what hands are worth if the blueprint is followed.

        None if that is not known in time.
        """
        from untilt.games.holdem.public_form import compile_first_street

        subgame = subgame_of(board, ranges, root.betting, sizes, added)
        forest = subgame.betting_tree().streets[0]
        start = self.translation.bets.aligned(root.sight, root.betting), root.betting
        values = leaf_values(self.translation, board, ranges, start, forest, until)
        return None if values is None else compile_first_street(subgame, values)

    def _alternatives(self, form: "SpotForm", root: Root, seat: int, threads: int) -> Floats | None:
        """Return what the opponent's hands were worth before; None if it is not known."""
        if root.solved is not None:
            if root.card is None:
                return root.solved.values(root.node, 1 - seat)
            return root.solved.values_after(root.node, root.card, 1 - seat)
        bets = self.translation.bets
        place = bets.aligned(root.sight, root.betting)
        seen = place.betting
        is_alike = bets.is_decision(place) and (seen.player, seen.street) == (
            root.betting.player,
            root.betting.street,
        )
        if not is_alike:
            return None
        blueprint = self.translation.blueprint
        return blueprint_values(blueprint, place, form, root.betting, 1 - seat, threads)

    def _sight_after(self, hand: PublicHand, action: ActionData, rng: Uniforms | None) -> Place:
        seen = self.translation.after_action(hand.sight, hand.betting, action)
        if rng is None:
            return max(seen, key=lambda each: each[1])[0]
        is_second = len(seen) > 1 and rng.random() >= seen[0][1]
        return seen[is_second][0]


def _updated(hand: PublicHand, likelihood: Floats) -> tuple[Floats, Floats]:
    """Return the ranges after an action of the player to act, by Bayes' rule, with a floor."""
    ranges = list(hand.ranges)
    player = hand.betting.player
    ranges[player] = with_floor(ranges[player] * likelihood, hand.board)
    return ranges[0], ranges[1]
