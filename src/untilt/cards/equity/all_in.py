"""All-in equity of hands and ranges, exact unless there are too many deals.

    equity("AsAh", "KdKc").equities                            # (0.8260…, 0.1739…)
    equity("22+,A2s+", "random", board="Td9d6h")
    equity("AsAh", "KdKc", "QsQd").wins                        # three sides

The equity of two sides is always exact: before the flop it comes from a table (`preflop_table`),
after it from sorting the hands of every run-out (`showdown`), and with dead cards from counting
suits (`match_up`). Three ranges of whole classes before the flop come from a table that is built
when it is first needed (`three_way_table`). Otherwise three to six sides are enumerated up to a few
hundred million deals, and sampled beyond. A board of more than five cards, as in River of Blood, is
assumed to be complete (`long_board`) and allows only two sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, isnan, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.cards.card import (
    BOARD_SIZE,
    NUM_CARDS,
    card_name,
    cards_of,
    is_integer,
    mask_of,
    parse_cards,
)
from untilt.cards.combos import COMBO_MASKS, NUM_COMBOS, blocked_combos, combo_index, combo_name
from untilt.cards.equity.outcomes import HandOutcomes
from untilt.cards.equity.preflop_table import preflop_outcomes
from untilt.cards.ranges.range import Range
from untilt.cards.suits import symmetries
from untilt.display import html_table, short_number
from untilt.errors import CardError, InvalidOption, require, shortened
from untilt.numeric.arrays import Floats
from untilt.numeric.chunks import OnShare, check_threads

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.cards.equity.runouts import Runouts

Side: TypeAlias = str | Range | Sequence[int]
"""A range as text, a `Range`, or the two cards of a combo."""

Number: TypeAlias = int | float

MAX_SIDES = 6
DEFAULT_SAMPLES = 1_000_000
MAX_SAMPLES = 10**12
MAX_DEALS = 300_000_000
"""The maximum number of deals of three or more sides to enumerate; a few seconds of work."""

_BOARD_SIZES = (0, 3, 4)
_MATCH_UPS_PER_BOARD = 0.15
"""The cost of sorting and sweeping all hands of a board, in match-ups counted by suits."""


@dataclass(frozen=True)
class Equity:
    """Each side's share of the pot; all tuples have one entry per side.

    Wins, ties and losses are weights of deals: one hand per side and a complete board. They
    are integers if all weights of the ranges are 1. A tie is a pot that the side shares.
    """

    equities: tuple[float, ...]
    """Mean share of the pot, 0–1; they sum to 1."""
    wins: tuple[Number, ...]
    ties: tuple[Number, ...]
    losses: tuple[Number, ...]
    boards: int
    """Complete boards for every choice of hands; with Monte Carlo, the number of random deals."""
    method: str
    """`table`, `exact` or `monte carlo`"""
    standard_errors: tuple[float, ...] | None = None
    """Standard errors of the equities; only with Monte Carlo."""

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per side."""
        pandas = require("pandas", "to_frame")
        columns = {
            "equity": self.equities,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
        }
        if self.standard_errors is not None:
            columns["standard_error"] = self.standard_errors
        frame: DataFrame = pandas.DataFrame(columns)
        return frame

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data, as `untilt equity --json` prints it."""
        document: dict[str, Any] = {
            "equity": list(self.equities),
            "wins": list(self.wins),
            "ties": list(self.ties),
            "losses": list(self.losses),
            "boards": self.boards,
            "method": self.method,
        }
        if self.standard_errors is not None:
            document["standard_errors"] = list(self.standard_errors)
        return document

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        header = ("side", "equity", "wins", "ties", "losses")
        rows = [
            [str(side + 1), f"{equity:.4%}", *map(short_number, counts)]
            for side, (equity, *counts) in enumerate(
                zip(self.equities, self.wins, self.ties, self.losses, strict=True)
            )
        ]
        return html_table("All-in equity", rows, header=header, note=f"method: {self.method}")


@dataclass(frozen=True)
class HandEquity:
    """One combo of a range against the other range."""

    combo: int
    weight: float
    """Its weight in its own range, 0–1."""
    equity: float
    """Share of the pot, 0–1; nan if it blocks every hand of the other range."""
    wins: Number
    ties: Number
    losses: Number
    """Weights of the other range's hands, summed over boards, without its own weight."""

    @property
    def name(self) -> str:
        """The cards, such as `AsKh`."""
        return combo_name(self.combo)

    @property
    def is_met(self) -> bool:
        """Whether it can meet any hand of the other range; otherwise it has no equity."""
        return not isnan(self.equity)

    def to_json(self) -> dict[str, Any]:
        """Return the combo as plain data, as `untilt equity --per-hand --json` prints it."""
        return {
            "hand": self.name,
            "weight": self.weight,
            "equity": self.equity if self.is_met else None,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
        }


@dataclass(frozen=True)
class _Spot:
    """The checked arguments."""

    board: int
    dead: int
    ranges: tuple[Floats, ...]

    @cached_property
    def is_integral(self) -> bool:
        """Whether all weights are 0 or 1, so that sums of products are integers."""
        return all(np.array_equal(weights, weights > 0) for weights in self.ranges)

    @property
    def num_boards(self) -> int:
        """The number of boards for each choice of hands."""
        seen = self.board.bit_count() + self.dead.bit_count()
        num_left = NUM_CARDS - seen - 2 * len(self.ranges)
        return comb(num_left, max(BOARD_SIZE - self.board.bit_count(), 0))

    @property
    def is_long(self) -> bool:
        """Whether the board has more than five cards."""
        return self.board.bit_count() > BOARD_SIZE

    @property
    def num_different_boards(self) -> int:
        """Approximately how many boards there are up to renaming suits, whatever the hands."""
        num_live = NUM_CARDS - self.board.bit_count() - self.dead.bit_count()
        num_boards = comb(num_live, BOARD_SIZE - self.board.bit_count())
        return num_boards // len(symmetries([self.board, self.dead], list(self.ranges)))

    def runouts(self) -> "Runouts":
        from untilt.cards.equity.runouts import runouts_of

        return runouts_of(self.board, self.dead, list(self.ranges))


def equity(
    *sides: Side,
    board: str = "",
    dead: str = "",
    samples: int | None = None,
    seed: int = 0,
    threads: int = 1,
    watcher: OnShare | None = None,
) -> Equity:
    """Return the all-in equity of two to six hands or ranges.

    `board` has 0, 3, 4 or 5 cards, or more if it is complete, as in River of Blood; `dead` cards
    are in no hand and on no board. With `samples` the equity is estimated from that many random
    deals of `seed`; without it, only if there are too many deals to enumerate. Three ranges of
    whole classes, such as AKs or 22+, need a table that takes seconds to build, once. Results do
    not depend on `threads`. Raises CardError if the hands cannot be dealt.

    >>> import untilt
    >>> untilt.cards.equity("AsAh", "KdKc").wins
    (1388072, 317694)
    """
    if not 2 <= len(sides) <= MAX_SIDES:
        raise CardError(f"the number of hands and ranges is {len(sides)}: give 2 to {MAX_SIDES}")
    for name, cards in (("board", board), ("dead", dead)):
        if not isinstance(cards, str):
            raise CardError(f"{name} is {shortened(cards)}: give cards as text, such as 'Td9d6h'")
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "it must be a function of a share")
    spot = _spot(sides, board, dead)
    check_threads(threads)
    if samples is not None and not (is_integer(samples) and 2 <= samples <= MAX_SAMPLES):
        raise InvalidOption.of(
            "samples", samples, f"use at least 2, for a standard error, and at most {MAX_SAMPLES:,}"
        )
    if not (is_integer(seed) and 0 <= seed < 1 << 64):
        raise InvalidOption.of("seed", seed, "use an integer from 0 to 2⁶⁴ − 1")
    if spot.is_long and (len(sides) > 2 or samples is not None):
        raise CardError(
            f"the board has {spot.board.bit_count()} cards: on more than {BOARD_SIZE}, give two "
            "hands or ranges and no samples"
        )
    if samples is not None:
        return _sampled(spot, samples, seed, threads, watcher)
    if len(spot.ranges) == 2:
        method, outcomes = _two_sided(spot, 1, threads, watcher)
        return _summed(spot, method, outcomes[0])

    if (classes := _three_classes(spot)) is not None:
        from untilt.cards.equity.three_way_file import three_way_counts
        from untilt.cards.equity.three_way_table import range_outcomes

        shared = range_outcomes(three_way_counts(threads, watcher), classes)
        return _shared(spot, shared, method="table")

    from untilt.cards.equity.multiway import enumerate_deals, num_deals

    if num_deals(spot.ranges, spot.num_different_boards) > MAX_DEALS:
        return _sampled(spot, DEFAULT_SAMPLES, seed, threads, watcher)
    return _shared(spot, enumerate_deals(spot.runouts(), spot.ranges, threads, watcher))


def hand_equities(
    hero: Side,
    villain: Side,
    *,
    board: str = "",
    dead: str = "",
    threads: int = 1,
    watcher: OnShare | None = None,
) -> tuple[list[HandEquity], list[HandEquity]]:
    """Return the exact equity of every hand of both ranges against the other range.

    Hands are in the order of `combos`, without those that the board or dead cards exclude.
    """
    spot = _spot((hero, villain), board, dead)
    check_threads(threads)
    _, (first, second) = _two_sided(spot, 2, threads, watcher)
    _check_dealt(float(spot.ranges[0] @ first.totals))
    return _hands(spot, 0, first), _hands(spot, 1, second)


def equity_histograms(
    opponent: Side,
    board: str,
    bins: int = 50,
    *,
    dead: str = "",
    threads: int = 1,
    watcher: OnShare | None = None,
) -> npt.NDArray[np.int64]:
    """Return [1326, bins] the number of run-outs on which each combo has an equity in each bin.

    The equity is that of the combo on the complete board against the range `opponent`, with
    card removal. Bin i holds equities from i / bins up to (i + 1) / bins; the last includes 1. Rows
    of impossible combos are 0. Card abstraction compares hands by this distribution (Johanson,
    Burch, Valenzano & Bowling 2013, "Evaluating state-space abstractions in extensive-form
    games").
    """
    spot = _spot((opponent,), board, dead)
    check_threads(threads)
    if bins < 1:
        raise InvalidOption.of("bins", bins, "use at least 1")
    if spot.is_long:
        raise CardError(f"the board {board!r} is longer than {BOARD_SIZE} cards: give at most that")

    from untilt.cards.showdown.showdown import count_equities

    combos = np.flatnonzero(~blocked_combos(spot.board | spot.dead))
    counts = count_equities(spot.runouts(), combos, spot.ranges[0], bins, threads, watcher)
    return np.rint(counts).astype(np.int64)


def _spot(sides: Sequence[Side], board: str, dead: str) -> _Spot:
    board_cards = parse_cards(board)
    if len(board_cards) < BOARD_SIZE and len(board_cards) not in _BOARD_SIZES:
        raise CardError(f"the board {board!r} has {len(board_cards)} cards: give 0, 3, 4 or 5")
    gone = mask_of(parse_cards(f"{board} {dead}"))
    ranges = [_range(side) for side in sides]
    _check_hands(ranges, gone)
    left = [hand_range.without(gone).weights for hand_range in ranges]
    board_set = mask_of(board_cards)
    num_missing = max(BOARD_SIZE - len(board_cards), 0)
    num_left = NUM_CARDS - gone.bit_count() - 2 * len(sides)
    if num_left < num_missing:
        raise CardError(
            f"{gone.bit_count()} cards on the board or dead and {len(sides)} hands leave too few "
            "cards for the board: give fewer dead cards"
        )
    return _Spot(board_set, gone & ~board_set, tuple(left))


def _range(side: Side) -> Range:
    if isinstance(side, Range):
        return side
    if isinstance(side, str):
        parsed = Range.parse(side)
        if not parsed:
            raise CardError(f"the range {side!r} has no hands: add one, such as AsKh or QQ+")
        return parsed
    if len(side) != 2:
        raise CardError(f"a hand has {len(side)} cards: give two, or a range as text")
    weights = np.zeros(NUM_COMBOS)
    weights[combo_index(*side)] = 1.0
    return Range(weights)


def _check_hands(ranges: Sequence[Range], gone: int) -> None:
    """Raise CardError if a card of a hand (a range of one combo) is also elsewhere."""
    seen = gone
    for hand_range in ranges:
        if len(hand_range) == 1:
            hand = int(COMBO_MASKS[next(iter(hand_range))[0]])
            if hand & seen:
                twice = card_name(cards_of(hand & seen)[0])
                raise CardError(
                    f"{twice} appears twice: a card can be in one hand, on the board or dead, but "
                    "only once"
                )
            seen |= hand


def _check_dealt(total: float) -> None:
    if total <= 0.0:
        raise CardError(
            "every choice of hands from the ranges has a repeated card: give ranges that can be "
            "dealt together"
        )


def _two_sided(
    spot: _Spot, num_sides: int, threads: int, watcher: OnShare | None
) -> tuple[str, list[HandOutcomes]]:
    """Return the method, and the outcomes of the hands of the first or of both sides."""
    first, second = spot.ranges
    if not spot.board and not spot.dead:
        ranges = [(first, second), (second, first)][:num_sides]
        return "table", [_only(preflop_outcomes(other), own) for own, other in ranges]

    if spot.is_long:
        from untilt.cards.showdown.long_board import long_board_outcomes

        return "exact", long_board_outcomes(spot.board, (first, second))[:num_sides]

    from untilt.cards.equity.match_up import sum_match_ups
    from untilt.cards.showdown.showdown import sum_showdowns

    num_match_ups = np.count_nonzero(first) * np.count_nonzero(second)
    if not spot.board and num_match_ups < _MATCH_UPS_PER_BOARD * spot.num_different_boards:
        return "exact", sum_match_ups((first, second), spot.dead, threads, watcher)
    return "exact", sum_showdowns(spot.runouts(), (first, second), num_sides, threads, watcher)


def _three_classes(spot: _Spot) -> list[Floats] | None:
    """Return the weights [169] of classes if the table of three-way all-ins has the answer."""
    if len(spot.ranges) != 3 or spot.board or spot.dead:
        return None
    from untilt.cards.equity.three_way_table import class_weights

    found = [class_weights(weights) for weights in spot.ranges]
    classes = [weights for weights in found if weights is not None]
    return classes if len(classes) == len(found) else None


def _only(outcomes: HandOutcomes, weights: Floats) -> HandOutcomes:
    """Return the outcomes of the hands of a range, with 0 for all others."""
    is_held = weights > 0
    return HandOutcomes(*(values * is_held for values in outcomes))


def _summed(spot: _Spot, method: str, outcomes: HandOutcomes) -> Equity:
    wins, ties, total = (float(spot.ranges[0] @ values) for values in outcomes)
    _check_dealt(total)
    losses = max(total - wins - ties, 0.0)
    return Equity(
        equities=((wins + ties / 2) / total, (losses + ties / 2) / total),
        wins=_numbers(spot, wins, losses),
        ties=_numbers(spot, ties, ties),
        losses=_numbers(spot, losses, wins),
        boards=spot.num_boards,
        method=method,
    )


def _numbers(spot: _Spot, *values: float) -> tuple[Number, ...]:
    return tuple(round(value) for value in values) if spot.is_integral else values


def _hands(spot: _Spot, side: int, outcomes: HandOutcomes) -> list[HandEquity]:
    equities = outcomes.equities()
    losses = np.maximum(outcomes.totals - outcomes.wins - outcomes.ties, 0.0)
    hands = []
    for combo in np.flatnonzero(spot.ranges[side]).tolist():
        values = (outcomes.wins[combo], outcomes.ties[combo], losses[combo])
        wins, ties, lost = _numbers(spot, *map(float, values))
        weight = float(spot.ranges[side][combo])
        hands.append(HandEquity(combo, weight, float(equities[combo]), wins, ties, lost))
    return hands


def _shared(spot: _Spot, shared: Floats, method: str = "exact") -> Equity:
    """Return the equity from the weights [S, S + 1] with which a side is among k best hands."""
    num_sides = len(shared)
    # Every deal has k sides among its k best hands.
    parts = shared[:, 1:] / np.arange(1, num_sides + 1)
    total = float(parts.sum())
    _check_dealt(total)
    if spot.is_integral:
        total = round(total)
    wins = shared[:, 1]
    ties = shared[:, 2:].sum(axis=1)
    return Equity(
        equities=tuple((parts.sum(axis=1) / total).tolist()),
        wins=_numbers(spot, *wins.tolist()),
        ties=_numbers(spot, *ties.tolist()),
        losses=_numbers(spot, *(total - wins - ties).tolist()),
        boards=spot.num_boards,
        method=method,
    )


def _sampled(spot: _Spot, samples: int, seed: int, threads: int, watcher: OnShare | None) -> Equity:
    from untilt.cards.equity.multiway import sample_deals

    shared = sample_deals(spot.board, spot.dead, spot.ranges, samples, seed, threads, watcher)
    shares = 1.0 / np.arange(1, len(shared) + 1)
    means = shared[:, 1:] @ shares / samples
    squares = shared[:, 1:] @ shares**2 / samples
    wins = shared[:, 1].tolist()
    ties = shared[:, 2:].sum(axis=1).tolist()
    return Equity(
        equities=tuple(means.tolist()),
        wins=tuple(wins),
        ties=tuple(ties),
        losses=tuple(samples - won - tied for won, tied in zip(wins, ties, strict=True)),
        boards=samples,
        method="monte carlo",
        standard_errors=tuple(
            sqrt(max(square - mean * mean, 0.0) / (samples - 1))
            for mean, square in zip(means.tolist(), squares.tolist(), strict=True)
        ),
    )
