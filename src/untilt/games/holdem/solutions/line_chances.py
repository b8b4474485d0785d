"""The chances of the lines of a solved spot, with hands unknown, shown or known.

With weights w and own probabilities π of getting there, a line with all of its cards has

    P(line) = c Σ w_i w_j π_0(i) π_1(j) / W     over pairs of hands i, j that can be dealt together,

where W is the sum of w_i w_j and c is the chance of the cards dealt on the way. What is known of
the hands restricts the sum: to one term if both are, to one sum if one is.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from untilt.cards.card import parse_cards
from untilt.cards.combos import COMBO_MASKS, Combos, combo_index, combo_name
from untilt.errors import InvalidOption, UntiltError, shortened
from untilt.game.line import parse_line
from untilt.game.public.public_tree import FOLD, RUNOUT, SHOWDOWN
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.spot import Spot
from untilt.games.holdem.spots.spot_view import SpotView
from untilt.numeric.arrays import Floats

Shown = tuple[int | None, int | None]
"""The combo of each player; None if it is not known."""
_ENDS = (FOLD, SHOWDOWN, RUNOUT)


class PlayedLine(NamedTuple):
    """A hand of a spot that was played to its end, as far as it was seen."""

    street: int
    """The street on which it ended, counted from the spot's own."""
    node: int
    """The leaf."""
    dealt: tuple[int, ...]
    """The cards that were dealt after the spot's own, up to that street."""
    shown: Shown


class BettingEnd(NamedTuple):
    """A way in which the betting can end, whatever the cards."""

    street: int
    node: int
    line: str
    """The moves in words."""


class _Arrivals(NamedTuple):
    """Both players' hands at the end of a line."""

    combos: tuple[Combos, Combos]
    reaches: tuple[Floats, Floats]
    met: Floats
    """[hands of player 0]: the reaches of player 1's hands that can be dealt with each."""
    board: int
    factor: float
    """Turns sums of products of reaches into probabilities."""


class LineChances:
    """The probabilities of lines under one solution; what is asked for again is kept."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._arrivals: dict[tuple[int, int, tuple[int, ...]], _Arrivals] = {}
        self._of_betting: dict[tuple[BettingEnd, ...], Floats] = {}

    def chance(self, played: PlayedLine) -> float:
        """Return the probability of a line, its cards and the hands that are known."""
        key = played[:3]
        if key not in self._arrivals:
            self._arrivals[key] = self._arrive(played)
        found = self._arrivals[key]
        first, second = (
            reach if combo is None else np.where(own == combo, reach, 0.0)
            for combo, own, reach in zip(played.shown, found.combos, found.reaches, strict=True)
        )
        if played.shown[1] is None:
            pairs = float(first @ found.met)
        elif played.shown[0] is None:
            snapshot = self.solution.snapshot
            pairs = float(first @ snapshot.met(played.street, found.board, 0, second))
        else:
            pairs = float(first.sum() * second.sum())
        # C is a difference of sums, of which rounding may leave less than nothing.
        return max(pairs, 0.0) * found.factor

    def of_betting(self, ends: tuple[BettingEnd, ...]) -> Floats:
        """Return [ends] the probabilities of all ways in which the betting can end."""
        if ends not in self._of_betting:
            found = np.concatenate([chances.sum(axis=0) for chances in self.by_board(ends)])
            self._of_betting[ends] = found
        return self._of_betting[ends]

    def by_board(self, ends: tuple[BettingEnd, ...]) -> Iterator[Floats]:
        """Yield, street by street, [boards, ends of the street] their probabilities."""
        snapshot = self.solution.snapshot
        tree = snapshot.tree
        for street in range(len(tree.streets)):
            nodes = [end.node for end in ends if end.street == street]
            chances = tree.board_chances(street) / tree.total_weight
            yield np.array(
                [
                    chance * snapshot.masses(street, board, nodes)
                    for board, chance in enumerate(chances.tolist())
                ]
            )

    def _arrive(self, played: PlayedLine) -> _Arrivals:
        solution = self.solution
        tree = solution.snapshot.tree
        node = solution.node(played.dealt, played.street, played.node)
        numbers = node.numbers
        factor = math.exp(sum(numbers.log_scale)) / tree.total_weight
        for deals in tree.deals[: played.street]:
            factor *= deals.probability
        return _Arrivals(
            (node.combos(0), node.combos(1)),
            numbers.reach,
            numbers.met[0],
            node.concrete.board,
            factor,
        )


def betting_ends(view: SpotView) -> tuple[BettingEnd, ...]:
    """Return all ways in which the betting of a spot can end, street by street."""
    return tuple(
        BettingEnd(street, node, view.place(street, node).line.words)
        for street, forest in enumerate(view.betting.streets)
        for node, kind in enumerate(forest.kind.tolist())
        if kind in _ENDS
    )


def played_line(
    view: SpotView, line: str, board: str = "", hands: tuple[str, str] = ("", "")
) -> PlayedLine:
    """Return a line that was played, in the words of the spot; raise InvalidOption if it cannot be.

    `board` is the whole board, or only the cards dealt after the spot's own; cards that came after
    the last bet are left out. A hand is two cards, or empty if it was not seen.
    """
    spot = view.spot
    street, node = view.betting.find(parse_line(spot.in_chips(line)), spot.in_unit)
    forest = view.betting.streets[street]
    if forest.kind[node] not in _ENDS:
        offered = ", ".join(view.place(street, node).action_names)
        raise InvalidOption(
            f"the line {shortened(line)} ends before the hand does; next would be {offered}"
        )
    dealt = _dealt(spot, board)
    if len(dealt) < street:
        raise InvalidOption(
            f"the line {shortened(line)} ends on the {forest.name}: give its "
            f"{street} card{'s' * (street > 1)}, or the whole board"
        )
    dealt = dealt[:street]
    view.board_of(dealt)
    mask = sum(1 << card for card in (*spot.board, *dealt))
    first, second = (_combo(spot, player, text, mask) for player, text in enumerate(hands))
    if first is not None and second is not None and COMBO_MASKS[first] & COMBO_MASKS[second]:
        raise InvalidOption(
            f"both players cannot hold {combo_name(first)} and {combo_name(second)}"
        )
    return PlayedLine(street, node, dealt, (first, second))


def _dealt(spot: Spot, board: str) -> tuple[int, ...]:
    try:
        cards = tuple(parse_cards(board)) if board.strip() else ()
    except UntiltError as error:
        raise InvalidOption(f"the board {shortened(board)}: {error}") from None
    own = spot.board
    if len(cards) >= len(own) and set(cards[: len(own)]) == set(own):
        return cards[len(own) :]
    if {*cards} & {*own}:
        raise InvalidOption(
            f"the board {shortened(board)} does not begin with {spot.board_text}: give the whole "
            "board, or only the cards dealt later"
        )
    return cards


def _combo(spot: Spot, player: int, text: str, board: int) -> int | None:
    if not text.strip():
        return None
    cards = parse_cards(text)
    if len(cards) != 2:
        raise InvalidOption(f"{shortened(text)} is not a hand: give two cards such as AsKh")
    combo = int(combo_index(*cards))
    if int(COMBO_MASKS[combo]) & board:
        raise InvalidOption(f"{combo_name(combo)} shares a card with the board")
    if spot.ranges[player].weights[combo] <= 0.0:
        raise InvalidOption(
            f"{SEATS[player]} showed {combo_name(combo)}, which is not in its range of the spot: "
            "the range cannot be right"
        )
    return combo
