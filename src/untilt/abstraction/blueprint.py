"""A blueprint: a strategy for the whole of hold'em, read from its file as needed.

    strategy = Blueprint("bp/blueprint.bin")
    strategy.probabilities(line="cr4c/", hand="AsKh", board="Td9d6h")

The file is mapped into memory, so opening it takes a millisecond whatever its size. Rules,
menu and card abstraction are part of it; bets that are not on the menu are refused here, and
translated by an agent that plays.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.abstraction.betting_form import BettingForm, BettingPlace
from untilt.abstraction.buckets.card_abstraction import CardAbstraction, CardsLike, verify_cards
from untilt.abstraction.expressions import parse_menu
from untilt.abstraction.menus import Menu
from untilt.cards.combos import CLASS_NAMES, CLASS_OF_COMBO, COMBO_CARDS
from untilt.charts.figures.run_curves import RunCurve
from untilt.display import Cell, html_table
from untilt.errors import (
    CardError,
    FormatError,
    InvalidOption,
    UnknownName,
    UntiltError,
    shortened,
)
from untilt.formats.base.files import path_of, shown
from untilt.formats.kinds.blueprint_file import RowReader, StoredBlueprint, joined, open_blueprint
from untilt.formats.run.progress import FILE_NAME as PROGRESS_FILE
from untilt.formats.run.progress_table import ProgressTable
from untilt.formats.run.result_file import FILE_NAME as RESULT_FILE
from untilt.formats.run.result_file import read_result
from untilt.game.deals.deal_tree import DECISION
from untilt.games.holdem.rules import HoldemRules
from untilt.games.holdem.rules import joined as joined_numbers
from untilt.games.registry import holdem
from untilt.numeric.arrays import Floats, Offsets
from untilt.result import Run

_MAX_BOARDS = 1_000
"""The number of boards whose buckets are cached, 5 kB each."""


def blueprint_meta(rules: HoldemRules, menu: Menu, cards: CardAbstraction) -> dict[str, Any]:
    """Return the description of a file's game, as JSON."""
    return {
        "rules": rules.parameters,
        "menu": menu.text,
        "cards": cards.parameters,
        "cards_hash": cards.fingerprint,
    }


class Blueprint(Run["Blueprint"]):
    """A strategy in a file; see the module.

    As a run it is the end of its training, as far as the file and the folder around it say.
    """

    path: Path
    """The file."""

    def __init__(self, path: str | Path) -> None:
        self.path = path_of(path)
        self._stored: StoredBlueprint = open_blueprint(self.path)
        meta = self._stored.meta
        try:
            self.rules = holdem(**_arguments(meta, "rules", HoldemRules().parameters)).rules
            self.cards = CardAbstraction(**_arguments(meta, "cards", CardAbstraction().parameters))
            self._menu = parse_menu(str(meta.get("menu")))
        except UntiltError as error:
            raise FormatError(
                f"{shown(self.path)} is not a blueprint of hold'em: {error}"
            ) from None
        stored_hash, own_hash = meta.get("cards_hash"), self.cards.fingerprint
        if own_hash != stored_hash:
            raise FormatError(
                f"{shown(self.path)} was trained with other card buckets "
                f"({shortened(stored_hash)}) than this version makes ({own_hash!r}); train it again"
            )
        self._buckets: dict[tuple[int, ...], npt.NDArray[np.int32]] = {}
        expected = tuple(self.cards.sizes.values())[: len(self._stored.num_buckets)]
        if self._stored.num_buckets != expected:
            raise FormatError(
                f"{shown(self.path)} has {self._stored.num_buckets} buckets, but its cards have "
                f"{expected}"
            )

    def __repr__(self) -> str:
        return (
            f"<Blueprint of hold'em, {self.rules}: {self.num_infosets:,} infosets, "
            f"buckets {joined_numbers(self.num_buckets)}\n"
            f"     bets {self.menu.text[:80]}, in {shown(self.path)[-120:]}>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        tree = self._stored.tree
        rows: list[list[Cell]] = [
            ["game", str(self.rules)],
            ["bets", self.menu.text],
            ["buckets per street", joined_numbers(self.num_buckets)],
            ["decisions", sum(map(tree.num_decisions, range(tree.num_streets)))],
            ["infosets", self.num_infosets],
            ["saved in", shown(self.path)[-50:]],
        ]
        return html_table("Blueprint of hold'em", rows)

    @property
    def meta(self) -> Mapping[str, Any]:
        """The content of the file: rules, menu, cards, and training."""
        return self._stored.meta

    @property
    def result(self) -> "Blueprint":
        """The blueprint itself."""
        return self

    @property
    def iterations(self) -> int | None:
        """Deals that it has learnt from; None if the file does not say."""
        given = self.meta.get("iterations")
        return given if type(given) is int else None

    @cached_property
    def seconds(self) -> float:
        """Wall time of its training; nan for a file without the folder of its training."""
        try:
            return read_result(self.path.parent / RESULT_FILE).seconds
        except FormatError:
            return math.nan

    @property
    def is_finished(self) -> bool:
        """Whether its training has come to its end: only then there is a file."""
        return True

    @cached_property
    def progress(self) -> ProgressTable:
        """How it was trained; no rows for a file without the folder of its training."""
        return ProgressTable.read(self.path.parent / PROGRESS_FILE)

    @property
    def curve(self) -> RunCurve:
        """The training with what a figure says about it."""
        title = f"Blueprint of {self.rules}"
        return RunCurve(title, "blueprint", {}, self.path.parent, "chips", None, self.progress)

    def to_json(self) -> dict[str, Any]:
        """Return what the file says of itself and of its training, as plain data."""
        return {
            **self.meta,
            "infosets": self.num_infosets,
            "seconds": None if math.isnan(self.seconds) else self.seconds,
            "file": str(self.path),
        }

    @property
    def menu(self) -> Menu:
        """The bets of the tree."""
        return self._menu

    @cached_property
    def form(self) -> BettingForm:
        """The betting."""
        tree = self._stored.tree
        is_possible = tree.num_streets <= len(self.rules.board_cards) and np.abs(
            tree.nodes["stake"]
        ).max() <= max(self.rules.stacks)
        if not is_possible:
            raise FormatError(
                f"{shown(self.path)} is damaged (its betting tree is not that of its rules); "
                "restore it from a copy or train it again"
            )
        return BettingForm(self.rules, self._menu, tree)

    @property
    def num_buckets(self) -> tuple[int, ...]:
        """Buckets of each street."""
        return self._stored.num_buckets

    def table(self, street: int) -> npt.NDArray[np.float32]:
        """Return all probabilities of a street, [buckets, actions of all its decisions]."""
        return self._stored.table(street)

    def reader(self) -> RowReader:
        """Return a fast reader of rows, by node (`form.find(line).node`) and bucket."""
        return self._stored.reader()

    @property
    def num_infosets(self) -> int:
        """Decisions times buckets."""
        return self._stored.tree.num_infosets(self._stored.num_buckets)

    def probabilities(
        self, line: str = "", hand: CardsLike = (), board: CardsLike = ()
    ) -> dict[str, float]:
        """Return the mix of actions with a hand, after a line of betting.

        `line` is in letters or words; `board` has the cards of the line's street.
        """
        place = self._decision(line)
        cards, shown_cards = verify_cards(hand, board)
        self._verify_board(place, len(shown_cards))
        if len(cards) != 2:
            raise CardError(f"a hand has {len(cards)} cards: give two, such as 'AsKh'")
        row = self._stored.row(place.node, self.cards.bucket_of(cards[0], cards[1], shown_cards))
        names = [action.name for action in self.form.actions(place)]
        return dict(zip(names, row.tolist(), strict=True))

    def mixes(self, line: str = "", board: CardsLike = ()) -> tuple[tuple[str, ...], Floats]:
        """Return the names of the actions after a line, and how often each of the 1,326 combos
        takes them: [combos, actions], nan for combos that the board blocks.
        """
        place = self._decision(line)
        _, shown_cards = verify_cards((), board)
        self._verify_board(place, len(shown_cards))
        names = tuple(action.name for action in self.form.actions(place))
        buckets = self.cards.buckets_on(shown_cards)
        found = self._stored.rows(place.node)[buckets]
        found[buckets < 0] = np.nan
        return names, found

    def mixes_at(self, node: int, board: Sequence[int]) -> Floats:
        """Return [combos, actions] what every combo does at a decision of the betting tree.

        `board` are the cards of the decision's street, unchecked. Combos that it blocks have zeros.
        """
        buckets = self.buckets_on(board)
        found = self._stored.rows(node)[buckets]
        found[buckets < 0] = 0.0
        return found

    def rows_at(self, node: int) -> Floats:
        """Return [buckets, actions] what every bucket does at a decision of the betting tree."""
        return self._stored.rows(node)

    def columns(self, street: int, rows: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the strategy of all buckets of a street, [actions, buckets], for some actions.

        An action is named by its place among all of the street, `row` of the tree's nodes.
        """
        return self._stored.columns(street, rows)

    def mean_mix(self, node: int) -> Floats:
        """Return [actions] what is done at a decision on average over all buckets."""
        mean: Floats = self.rows_at(node).mean(axis=0)
        return mean

    def row_at(self, node: int, hand: tuple[int, int], board: Sequence[int]) -> Floats:
        """Return the mix of one hand at a decision of the betting tree, unchecked."""
        return self._stored.row(node, self.cards.bucket_of(hand[0], hand[1], board))

    def all_bytes(self) -> tuple[npt.NDArray[np.uint8], Offsets]:
        """Return the probabilities of all streets in one array, and where each street begins.

        They are laid out as in the file, see `untilt.formats.kinds.blueprint_file`.
        """
        return joined(np.asarray(part[:]) for part in self._stored.strategies)

    def buckets_on(self, board: Sequence[int]) -> npt.NDArray[np.int32]:
        """Return [1326] the bucket of every combo on a board, −1 if the board blocks it.

        The most recent boards are cached.
        """
        key = tuple(board)
        if key not in self._buckets:
            if len(self._buckets) >= _MAX_BOARDS:
                self._buckets.clear()
            self._buckets[key] = self.cards.buckets_on(key)
        return self._buckets[key]

    def chart(self, line: str = "") -> dict[str, dict[str, float]]:
        """Return the mix of each of the 169 classes before the flop."""
        names, mixes = self.mixes(line)
        found: dict[str, dict[str, float]] = {}
        for combo in range(len(COMBO_CARDS)):
            name = CLASS_NAMES[CLASS_OF_COMBO[combo]]
            found.setdefault(name, dict(zip(names, mixes[combo].tolist(), strict=True)))
        return found

    def _decision(self, line: str) -> BettingPlace:
        place = self.form.find(line)
        if self.form.tree.nodes[place.node]["kind"] != DECISION:
            raise InvalidOption(f"after the line {line!r} the hand is over, or only cards follow")
        return place

    def _verify_board(self, place: BettingPlace, count: int) -> None:
        wanted = self.rules.num_shown(place.betting.street)
        if count != wanted:
            raise CardError(
                f"the board has {count} cards, but the line ends on a street with {wanted}"
            )


def _arguments(meta: Mapping[str, Any], name: str, known: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments that a file has under a name; raise FormatError if they are others."""
    found = meta.get(name)
    if not isinstance(found, dict):
        raise FormatError(f"it has no {name}")
    for each in found:
        if each not in known:
            raise UnknownName.among(f"entry of its {name}", each, known)
    return found
