"""The content of buckets: sizes, spreads, examples, and hands that merge on a board."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, NUM_ROWS, boards_of
from untilt.abstraction.buckets.card_abstraction import CardAbstraction, CardsLike
from untilt.abstraction.buckets.recipe import PREFLOP
from untilt.abstraction.buckets.streets import StreetTable
from untilt.cards.card import DECK, card_name, cards_of, index_of
from untilt.cards.combos import (
    CLASS_NAMES,
    CLASS_OF_COMBO,
    NUM_COMBOS_OF_CLASS,
    combo_name,
)

_NUM_PROBES = 40_000
_GOLDEN = (5**0.5 - 1) / 2
_ROOT = 2**0.5 - 1


class BucketLine(NamedTuple):
    """One bucket of a street."""

    bucket: int
    equity: float
    """Mean of its centroid."""
    deviation: float
    """Standard deviation of the final equity in the centroid: high for draws."""
    share: float
    """Of all deals."""
    spread: float
    """Mean earth mover's distance of its hands from the centroid."""
    examples: list[str]
    """Such as `AsKh on Td9d6h`; before the flop its hand classes."""


class MergedHands(NamedTuple):
    """The hands of one bucket on a given board."""

    bucket: int
    num_combos: int
    hands: list[str]
    """Hand classes, or combos where only some of a class are in the bucket."""


def describe_buckets(
    table: StreetTable, buckets: Sequence[int], examples: int = 3
) -> list[BucketLine]:
    """Return the content of these buckets of a street."""
    found = _examples(table, buckets, examples)
    bins = table.recipe.bins
    middles = (np.arange(bins) + 0.5) / bins
    histograms = table.histograms
    means, spreads = table.means, table.spreads
    deviations = np.sqrt(np.maximum(histograms @ middles**2 - means**2, 0.0))
    total = table.sizes.sum()
    return [
        BucketLine(
            bucket,
            float(means[bucket]),
            float(deviations[bucket]),
            float(table.sizes[bucket] / total),
            float(spreads[bucket]),
            found[bucket],
        )
        for bucket in buckets
    ]


def some_buckets(num_buckets: int, count: int = 9) -> list[int]:
    """Return up to `count` buckets from the weakest to the strongest, evenly apart."""
    places = np.linspace(0, num_buckets - 1, min(count, num_buckets))
    chosen: list[int] = np.unique(np.rint(places).astype(int)).tolist()
    return chosen


def merged_on(cards: CardAbstraction, board: CardsLike) -> list[MergedHands]:
    """Return the buckets that occur on a board with their hands, the last bucket first."""
    buckets = cards.buckets_on(board)
    lines = []
    for bucket in np.unique(buckets[buckets >= 0])[::-1].tolist():
        combos = np.flatnonzero(buckets == bucket)
        lines.append(MergedHands(bucket, len(combos), _named(combos.tolist(), buckets)))
    return lines


def _named(combos: list[int], buckets: "np.typing.NDArray[np.int32]") -> list[str]:
    by_class: dict[int, list[int]] = {}
    for combo in combos:
        by_class.setdefault(int(CLASS_OF_COMBO[combo]), []).append(combo)
    possible = np.bincount(CLASS_OF_COMBO[buckets >= 0], minlength=len(NUM_COMBOS_OF_CLASS))
    names = []
    for number, members in sorted(by_class.items()):
        if len(members) == possible[number]:
            names.append(CLASS_NAMES[number])
        else:
            names.extend(combo_name(combo) for combo in members[::-1])
    return names


def _examples(table: StreetTable, buckets: Sequence[int], count: int) -> dict[int, list[str]]:
    street = table.recipe.street
    if street == PREFLOP:
        classes = {bucket: np.flatnonzero(table.buckets[0] == bucket) for bucket in buckets}
        return {
            bucket: [CLASS_NAMES[number] for number in numbers]
            for bucket, numbers in classes.items()
        }
    # Entries that are spread evenly over rows and columns, and the same each time.
    turns = np.arange(_NUM_PROBES)
    rows = (turns * _GOLDEN % 1.0 * NUM_ROWS[street]).astype(np.int64)
    columns = (turns * _ROOT % 1.0 * NUM_COLUMNS[street]).astype(np.int64)
    probed = table.buckets[rows, columns]
    found = {}
    for bucket in buckets:
        places = np.flatnonzero(probed == bucket)[:count]
        entries = list(zip(rows[places].tolist(), columns[places].tolist(), strict=True))
        if not entries:
            entries = [divmod(int(np.argmax(table.buckets == bucket)), NUM_COLUMNS[street])]
        found[bucket] = [_entry_name(street, row, column) for row, column in entries]
    return found


def _entry_name(street: int, row: int, column: int) -> str:
    board = cards_of(int(boards_of(street).masks[row]))
    live = sorted(card for card in DECK if card not in board)
    high = int((1 + (1 + 8 * column) ** 0.5) / 2)
    hand = [live[high], live[column - high * (high - 1) // 2]]
    return f"{_text(hand)} on {_text(board)}"


def _text(cards: Sequence[int]) -> str:
    return "".join(card_name(card) for card in sorted(cards, key=index_of, reverse=True))
