"""`CardAbstraction`: a bucket for every hand on every board of hold'em.

    cards = CardAbstraction(preflop=169, flop=200, turn=200, river=200)
    cards.bucket("AsKh", "Td9d6h")

Before the flop hands are the 169 classes, or fewer buckets of them. On flop and turn, hands with
similar distributions of their final equity share a bucket (Johanson, Burch, Valenzano & Bowling
2013, "Evaluating state-space abstractions in extensive-form games"). On the river, buckets are
equal parts of the equity against a random hand. Within a street the weakest bucket is 0; only the
169 classes have the order of the grid. Tables are built when they are first needed, see `store`.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.abstraction.buckets.board_rows import row_tables
from untilt.abstraction.buckets.lookup import (
    Buckets,
    LookUpTables,
    board_buckets,
    bucket_in_rows,
    deal_buckets,
    river_buckets,
    row_of_board,
)
from untilt.abstraction.buckets.recipe import (
    DEFAULT_BINS,
    DEFAULT_ITERATIONS,
    FLOP,
    MOST_OF_STREET,
    PREFLOP,
    RIVER,
    STREETS,
    TURN,
    BucketRecipe,
    check_recipe,
)
from untilt.abstraction.buckets.rivers import LevelRows, equal_width, hand_equity, new_scratch
from untilt.abstraction.buckets.store import buckets_folder, obtain, path_of
from untilt.abstraction.buckets.streets import (
    OnStage,
    StreetBuilder,
    StreetTable,
    fill_rivers,
    smallest_type,
)
from untilt.abstraction.buckets.texture import FEATURES, Textures, textures_of
from untilt.cards.card import card_name, is_card, parse_cards
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_CARDS, COMBO_OF_CARDS, NUM_CLASSES
from untilt.cards.evaluator.evaluator_tables import load_tables
from untilt.errors import Argument, CardError, InvalidOption, UnknownName, shortened
from untilt.numeric.chunks import check_threads

CardsLike: TypeAlias = str | Sequence[int]
"""`AsKh`, or integers as in `untilt.cards`."""

Bytes = npt.NDArray[np.uint8]


class CardAbstraction:
    """Buckets of hands on every street; see the module."""

    def __init__(
        self,
        preflop: int = NUM_CLASSES,
        flop: int = 200,
        turn: int = 200,
        river: int = 200,
        *,
        texture: str | Iterable[str] = (),
        features: str | Iterable[str] = FEATURES,
        bins: int = DEFAULT_BINS,
        iterations: int = DEFAULT_ITERATIONS,
        seed: int = 0,
        threads: int | None = None,
        watcher: OnStage | None = None,
    ) -> None:
        """Divide buckets by the texture of the board on the streets `texture`, by `features`.

        `bins` are those of equity histograms, `iterations` is the maximum number of clustering
        steps. `threads` (all processors by default) and `watcher` do not change the result.
        """
        street_of = {name: street for street, name in STREETS.items()}
        recipe = BucketRecipe(PREFLOP, preflop, bins, iterations, seed)
        self._recipes = {
            PREFLOP: recipe,
            FLOP: replace(recipe, street=FLOP, buckets=flop),
            TURN: replace(recipe, street=TURN, buckets=turn),
        }
        for each in (*self._recipes.values(), replace(recipe, street=RIVER, buckets=river)):
            check_recipe(each)
        self._river = river
        self._features = _names("features", features)
        self._textured: list[int] = []
        for name in _names("texture", texture):
            if name not in street_of or street_of[name] == PREFLOP:
                raise UnknownName.among("street with a board", name, list(street_of)[1:])
            self._textured.append(street_of[name])
        for name in self._features:
            if name not in FEATURES:
                raise UnknownName.among("feature of the board", name, FEATURES)
        for name, size in self.sizes.items() if self._textured else ():
            if size > MOST_OF_STREET[FLOP]:
                raise InvalidOption(
                    f"the textures make {size:,} buckets on the {name}; use fewer than "
                    f"{MOST_OF_STREET[FLOP]:,}: fewer ",
                    Argument(name),
                    " or ",
                    Argument("features"),
                )
        self._threads = (os.cpu_count() or 1) if threads is None else threads
        check_threads(self._threads)
        self._watcher = watcher
        self._tables: dict[int, StreetTable] = {}
        self._river_rows: LevelRows | None = None

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        return f"CardAbstraction({sizes})"

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of buckets of each street, including textures."""
        counts = {street: recipe.buckets for street, recipe in self._recipes.items()}
        counts[RIVER] = self._river
        return {
            STREETS[street]: count
            * (len(self._textures[street].names) if self._is_textured(street) else 1)
            for street, count in counts.items()
        }

    @property
    def fingerprint(self) -> str:
        """A hash of all parameters: two abstractions with the same one have the same buckets."""
        text = json.dumps(
            {
                "streets": [recipe.fingerprint for recipe in self._recipes.values()],
                "river": self._river,
                "texture": sorted(self._textured),
                "features": list(self._features) if self._textured else [],
            }
        )
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that rebuild this abstraction, as JSON."""
        recipe = asdict(self._recipes[PREFLOP])
        return {
            "preflop": recipe["buckets"],
            "flop": self._recipes[FLOP].buckets,
            "turn": self._recipes[TURN].buckets,
            "river": self._river,
            "texture": [STREETS[street] for street in self._textured],
            "features": list(self._features),
            "bins": recipe["bins"],
            "iterations": recipe["iterations"],
            "seed": recipe["seed"],
        }

    @property
    def folder(self) -> "os.PathLike[str]":
        """The folder of the tables."""
        return buckets_folder()

    @property
    def is_stored(self) -> bool:
        """Whether all tables are on disk already."""
        return all(path_of(self._recipes[street]).exists() for street in self._clustered)

    def build(self) -> "CardAbstraction":
        """Build what is missing, or open it; return self."""
        builder = StreetBuilder(self._threads, self._watcher)
        for street in self._clustered:
            if street not in self._tables:
                self._tables[street] = obtain(self._recipes[street], builder)
        return self

    def table(self, street: str) -> StreetTable:
        """Return the table of `preflop`, `flop` or `turn`, without textures.

        There is none before the flop if each class is a bucket.
        """
        for number in self._clustered:
            if STREETS[number] == street:
                return self._table(number)
        raise UnknownName.among(
            "street with a table", street, [STREETS[number] for number in self._clustered]
        )

    @property
    def spread(self) -> dict[str, float]:
        """The mean earth mover's distance, in equity, of hands from their bucket's centroid."""
        return {STREETS[street]: self._table(street).spread for street in self._clustered}

    def bucket(self, hand: CardsLike, board: CardsLike = ()) -> int:
        """Return the bucket of a hand on a board of 0, 3, 4 or 5 cards."""
        cards, shown = verify_cards(hand, board)
        if len(cards) != 2:
            raise CardError(f"a hand has {len(cards)} cards: give two, such as 'AsKh'")
        return self.bucket_of(cards[0], cards[1], shown)

    def bucket_of(self, card: int, other: int, board: Sequence[int]) -> int:
        """Return the bucket of two cards on a board, unchecked: integers as in `untilt.cards`."""
        size = len(board)
        if size == 0:
            return self._preflop[card << 6 | other]
        mask = _mask(board)
        if size != RIVER:
            return bucket_in_rows(row_tables(), self._rows[size], mask, card, other)
        hand = np.uint64(1 << card | 1 << other)
        equity = hand_equity(load_tables(), mask, hand, np.empty(64, dtype=np.uint8))
        bucket = int(self._levels[equity])
        if self._is_textured(RIVER):
            bucket += int(self._river_offsets[row_of_board(row_tables(), mask)])
        return bucket

    def buckets_on(self, board: CardsLike) -> npt.NDArray[np.int32]:
        """Return [1326] the bucket of every combo on a board, −1 if it holds a card of the board.

        The river is computed from scratch, by one sort of all hands.
        """
        _, shown = verify_cards("", board)
        buckets = np.empty(len(COMBO_CARDS), dtype=np.int32)
        if not shown:
            buckets[:] = [self._preflop[low << 6 | high] for low, high in COMBO_CARDS.tolist()]
            return buckets
        mask = _mask(shown)
        if len(shown) != RIVER:
            board_buckets(row_tables(), self._rows[len(shown)], mask, _COMBOS, buckets)
            return buckets
        river_buckets(load_tables(), self._levels, mask, _COMBOS, new_scratch(), buckets)
        if self._is_textured(RIVER):
            buckets[buckets >= 0] += int(self._river_offsets[row_of_board(row_tables(), mask)])
        return buckets

    def deals(self, boards: Bytes, hands: Bytes) -> Buckets:
        """Return [deals, streets, hands] the buckets of `hands` on all streets of complete boards.

        `boards` [deals, 5] and `hands` [deals, hands, 2] are cards, uint8, all different within a
        deal; they are not checked. `keep_rivers` makes this fast.
        """
        buckets = np.empty((len(boards), len(STREETS), hands.shape[1]), dtype=np.uint16)
        deal_buckets(self.lookup_tables, boards, hands, new_scratch(), buckets)
        return buckets

    def keep_rivers(self) -> "CardAbstraction":
        """Compute the buckets of all hands on all complete boards once; return self.

        This takes seconds, and 151 MB (303 MB with more than 256 buckets).
        """
        if self._river_rows is None:
            rows = fill_rivers(self._river, 0, self._threads, self._watcher)
            if self._is_textured(RIVER):
                whole = smallest_type(self.sizes["river"])
                rows = rows.astype(whole) + self._river_offsets.astype(whole)[:, None]
            self._river_rows = rows
            self.__dict__.pop("lookup_tables", None)
        return self

    @cached_property
    def lookup_tables(self) -> LookUpTables:
        """The tables for kernels."""
        river = self._river_rows
        kinds = [rows.dtype for rows in (*self._rows.values(), river) if rows is not None]
        kind = max(kinds, key=lambda dtype: dtype.itemsize)
        return LookUpTables(
            row_tables(),
            self._preflop_array,
            self._rows[FLOP].astype(kind, copy=False),
            self._rows[TURN].astype(kind, copy=False),
            np.empty((0, 1), dtype=kind) if river is None else river.astype(kind, copy=False),
            self._river_offsets,
            self._levels,
            load_tables(),
        )

    @property
    def _clustered(self) -> list[int]:
        """The streets with a table."""
        return [
            street
            for street, recipe in self._recipes.items()
            if street != PREFLOP or recipe.buckets < NUM_CLASSES
        ]

    def _is_textured(self, street: int) -> bool:
        return street in self._textured

    @cached_property
    def _textures(self) -> dict[int, Textures]:
        return {street: textures_of(street, self._features) for street in self._textured}

    def _table(self, street: int) -> StreetTable:
        if street not in self._tables:
            self.build()
        return self._tables[street]

    @cached_property
    def _preflop(self) -> list[int]:
        """The bucket of two cards, a and b, at 64 a + b."""
        buckets: list[int] = self._preflop_array.tolist()
        return buckets

    @cached_property
    def _preflop_array(self) -> Buckets:
        classes = np.arange(NUM_CLASSES)
        if PREFLOP in self._clustered:
            classes = self._table(PREFLOP).buckets[0].astype(np.int64)
        combos = np.maximum(COMBO_OF_CARDS, 0)
        return classes[CLASS_OF_COMBO[combos]].astype(np.uint16).reshape(-1)

    @cached_property
    def _rows(self) -> dict[int, LevelRows]:
        """The buckets of flop and turn, textures included."""
        found: dict[int, LevelRows] = {}
        for street in (FLOP, TURN):
            rows = self._table(street).buckets
            if self._is_textured(street):
                kind = smallest_type(self.sizes[STREETS[street]])
                offsets = self._textures[street].of_row * self._recipes[street].buckets
                rows = rows.astype(kind) + offsets.astype(kind)[:, None]
            found[street] = rows
        return found

    @cached_property
    def _levels(self) -> npt.NDArray[np.uint16]:
        return equal_width(self._river)

    @cached_property
    def _river_offsets(self) -> Buckets:
        if not self._is_textured(RIVER):
            return np.zeros(0, dtype=np.uint16)
        return (self._textures[RIVER].of_row * self._river).astype(np.uint16)


_COMBOS: Bytes = COMBO_CARDS.copy()
"""Writable: a kernel would be compiled again for a read-only array."""


def _names(argument: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names from a list, or from text with commas, each once."""
    parts = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, Iterable):
        raise InvalidOption.of(argument, given, "give names with commas between them, or a list")
    parts = list(parts)
    if not all(isinstance(part, str) for part in parts):
        raise InvalidOption.of(argument, given, "give names with commas between them, or a list")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _cards(given: CardsLike) -> list[int]:
    if isinstance(given, str):
        return parse_cards(given)
    if isinstance(given, Iterable):
        return list(given)
    raise CardError(f"cards are {shortened(given)}: give text, such as 'AsKh', or integers")


def verify_cards(hand: CardsLike, board: CardsLike) -> tuple[list[int], list[int]]:
    """Return the cards of a hand and a board; raise CardError if they cannot be dealt together."""
    cards, shown = _cards(hand), _cards(board)
    if len(shown) not in STREETS:
        raise CardError(f"the board has {len(shown)} cards: give 0, 3, 4 or 5")
    seen: set[int] = set()
    for card in (*cards, *shown):
        if not is_card(card):
            raise CardError(f"{shortened(card)} is not a card: give text, such as 'AsKh'")
        if card in seen:
            raise CardError(f"{card_name(card)} appears twice: give each card once")
        seen.add(card)
    return cards, shown


def _mask(cards: Sequence[int]) -> np.uint64:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return np.uint64(mask)
