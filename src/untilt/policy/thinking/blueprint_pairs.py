"""Values of all pairs of hands after a flop if both players follow a blueprint.

A flop with all its turns and rivers is too large to be solved at the table. So it is solved alone,
and where it ends, every pair of hands is worth what it wins if both follow the blueprint from
there. That is a sum over the lines of the blueprint's tree, of the products of how often each hand
plays a line and what the line pays,

    Σ over folds of x(i) y(j) stake  +  sign(i, j) · Σ over showdowns of x(i) y(j) stake

on average over boards: two products of matrices for each. All turns are dealt, each with one river.
"""

import math
import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.abstraction.betting_form import BettingPlace
from untilt.cards.card import mask_of
from untilt.cards.combos import COMBO_MASKS, NUM_COMBOS
from untilt.game.deals.deal_streets import DealStreets, streets_below
from untilt.game.public.public_layout import Singles
from untilt.game.public.public_tree import (
    CHANCE,
    DECISION,
    FOLD,
    NO_PARENT,
    RUNOUT,
    SHOWDOWN,
    Street,
)
from untilt.games.holdem.bets.betting_tree import BettingStreet
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.rules import BIG_BLIND
from untilt.numeric.arrays import Bools, Floats, Ints
from untilt.policy.hands.streams import LightStream, Role
from untilt.policy.thinking.blueprint_values import rows_of_decision

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.blueprint_translation import BlueprintTranslation

_LEAST_CHANCES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
"""Lines that both players choose less often than this are left out. The first bound that leaves at
most `_MAX_NODES` nodes is used."""
_MAX_NODES = 400
_RIVERS_OF_ALL_INS = 4
"""How many rivers are dealt after each turn for all-ins on the flop."""


def leaf_values(
    translation: "BlueprintTranslation",
    board: tuple[int, ...],
    ranges: tuple[Floats, Floats],
    start: tuple[BettingPlace, Betting],
    forest: BettingStreet,
    until: float = math.inf,
) -> dict[int, Singles] | None:
    """Return what pairs of hands win where a flop ends and play continues, by node of `forest`.

    `start` is where the blueprint sees the beginning of the forest, and the real betting there.
    Values are [1326, 1326] chips that the big blind wins; pairs without weight in `ranges` have 0.
    None if the clock (`time.perf_counter`) shows `until` before all are known.
    """
    bets = translation.bets
    pairs = PairValues(translation.blueprint, board, (ranges[0] > 0.0) | (ranges[1] > 0.0))
    states = {0: start}
    found: dict[int, Singles] = {}
    for node in range(forest.num_nodes):
        if time.perf_counter() >= until:
            return None
        if node:
            parent = int(forest.parent[node])
            place, real = states[parent]
            action = forest.actions[parent][node - int(forest.first_child[parent])]
            seen = max(bets.after(place, real, action), key=lambda each: each[1])[0]
            states[node] = seen, real.apply(action)
        place, real = states[node]
        if forest.kind[node] == CHANCE:
            begin = real.next_street(first=BIG_BLIND)
            seen = bets.after_deal(place, begin)
            if bets.is_decision(seen) and seen.betting.street == begin.street:
                unit = np.float32(begin.total_pot / max(seen.betting.total_pot, 1))
                found[node] = pairs.after(seen) * unit
                continue
        if forest.kind[node] in (CHANCE, RUNOUT):  # all-in, or the tree has no equivalent
            found[node] = pairs.all_in * np.float32(real.pot / 2.0 + min(real.bets))
    return found


class _Board(NamedTuple):
    """A turn and a river, as hands see them."""

    turn: Ints
    """[hands] buckets, −1 if the hand has a card of the board."""
    river: Ints
    ranks: npt.NDArray[np.int16]
    """[hands] 1 for the best hand, 0 if it has a card of the board."""


class PairValues:
    """Values of all pairs of hands on one flop, from the turn onwards; see the module."""

    def __init__(self, blueprint: "Blueprint", flop: tuple[int, ...], is_in: Bools) -> None:
        """Hands for which `is_in` [1326] is False are left out."""
        self._blueprint = blueprint
        self._flop = flop
        live = blueprint.buckets_on(flop) >= 0
        self._combos = np.flatnonzero(live & is_in)
        self._left = [card for card in blueprint.rules.deck if card not in flop]
        self._rng = LightStream(0, sum(1 << card for card in flop), Role.CHANCE)
        self._boards = [self._board(turn, river) for turn, river in self._draws(1)]
        self._share = _share_of_boards([board.ranks > 0 for board in self._boards])
        self._known: dict[int, Singles] = {}

    def after(self, place: BettingPlace) -> Singles:
        """Return [1326, 1326] what the big blind wins if the turn begins at a place of the tree."""
        if place.node not in self._known:
            self._known[place.node] = self._spread(self._summed(place.node) * self._share)
        return self._known[place.node]

    @cached_property
    def all_in(self) -> Singles:
        """[1326, 1326] how much more often the row wins than the column if both are all-in."""
        from untilt.cards.showdown.showdown_matrix import pair_balance

        boards = [(*self._flop, *cards) for cards in self._draws(_RIVERS_OF_ALL_INS)]
        return pair_balance(boards)

    def _draws(self, rivers: int) -> list[tuple[int, int]]:
        """Return every turn, each with some randomly drawn rivers."""
        found = []
        for turn in self._left:
            others = [card for card in self._left if card != turn]
            drawn = [others.pop(int(self._rng.random() * len(others))) for _ in range(rivers)]
            found += [(turn, river) for river in drawn]
        return found

    def _board(self, turn: int, river: int) -> _Board:
        from untilt.cards.evaluator.evaluator import evaluate

        whole = (*self._flop, turn, river)
        buckets = self._blueprint.buckets_on(whole)[self._combos]
        ranks = np.zeros(len(self._combos), np.int16)
        live = buckets >= 0
        masks = COMBO_MASKS[self._combos[live]] | np.uint64(mask_of(whole))
        ranks[live] = evaluate(masks)
        return _Board(self._blueprint.buckets_on(whole[:-1])[self._combos], buckets, ranks)

    def _summed(self, node: int) -> Singles:
        """Return [hands, hands] what the first player wins on all boards together."""
        from untilt.cards.showdown.showdown_matrix import add_balanced

        below = _likely_streets(self._blueprint, node)
        lines = [_lines(self._blueprint, below, kinds) for kinds in ((FOLD,), (SHOWDOWN, RUNOUT))]
        total: Singles = np.zeros((len(self._combos), len(self._combos)), np.float32)
        product = np.empty_like(total)
        for board in self._boards:
            for is_compared, known in enumerate(lines):
                first, second = (_played(part, board) for part in known)
                np.matmul(first.T, second, out=product)
                if is_compared:
                    add_balanced(product, board.ranks, total)
                else:
                    total += product
        return total

    def _spread(self, values: Singles) -> Singles:
        found: Singles = np.zeros((NUM_COMBOS, NUM_COMBOS), np.float32)
        found[np.ix_(self._combos, self._combos)] = values
        return found


class _Lines(NamedTuple):
    """Reaches of a player's buckets at the ends of lines: [lines, buckets and one of zeros]."""

    turn: Singles
    river: Singles | None
    """None for lines that end on the turn."""


def _lines(
    blueprint: "Blueprint", below: DealStreets, kinds: Sequence[int]
) -> tuple[list[_Lines], list[_Lines]]:
    """Return the lines of both players that end with leaves of some kinds.

    Those of the first player are multiplied by what a line pays.
    """
    found: tuple[list[_Lines], list[_Lines]] = ([], [])
    turn = below.streets[0]
    last = np.flatnonzero(np.isin(turn.kind, kinds))
    roots: Ints = np.flatnonzero(turn.kind == CHANCE).astype(np.int32)
    rest = below.streets[1] if len(below.streets) > 1 else None
    ends = np.zeros(0, np.int64) if rest is None else np.flatnonzero(np.isin(rest.kind, kinds))
    first_street = int(blueprint.form.tree.nodes[below.nodes[0][0]]["street"])
    for player, lines in enumerate(found):
        on_turn = _reaches(blueprint, turn, below.nodes[0], first_street, player)
        lines.append(_Lines(_staked(on_turn[last], turn, last, player), None))
        if rest is not None:
            on_river = _reaches(blueprint, rest, below.nodes[1], first_street + 1, player)
            before = on_turn[roots[_root_of(rest)[ends]]]
            lines.append(_Lines(before, _staked(on_river[ends], rest, ends, player)))
    return found


def _staked(
    reaches: Singles, street: Street, leaves: npt.NDArray[np.int64], player: int
) -> Singles:
    """Return reaches of leaves, those of the first player times what the leaves pay."""
    if player:
        return reaches
    staked: Singles = reaches * street.stakes[leaves, 0].sum(axis=1)[:, None].astype(np.float32)
    return staked


def _played(lines: list[_Lines], board: _Board) -> Singles:
    """Return [lines, hands] how often each hand plays each line on a board; blocked ones never."""
    parts = []
    for turn, river in lines:
        part = turn[:, np.where(board.river < 0, -1, board.turn)]
        parts.append(part if river is None else part * river[:, board.river])
    return np.concatenate(parts)


def _reaches(
    blueprint: "Blueprint", street: Street, nodes: Ints, number: int, player: int
) -> Singles:
    """Return [nodes, buckets + 1] how often a player's buckets play on to a node of a street."""
    count = blueprint.num_buckets[number]
    found: Singles = np.ones((street.num_nodes, count + 1), np.float32)
    found[:, count] = 0.0  # hands that the board blocks
    for node in np.flatnonzero(street.kind == DECISION).tolist():
        begin = int(street.first_child[node])
        end = begin + int(street.num_actions[node])
        found[begin:end] = found[node]
        if street.player[node] == player:
            mix = blueprint.columns(number, rows_of_decision(blueprint, street, nodes, node))
            total = mix.sum(axis=0)
            is_known = total > 0.0
            shares = np.where(is_known, mix / np.where(is_known, total, 1.0), 1.0 / len(mix))
            found[begin:end, :count] *= shares
    return found


def _root_of(street: Street) -> Ints:
    """Return [nodes] the root above every node."""
    roots = np.arange(street.num_nodes, dtype=np.int32)
    for node, parent in enumerate(street.parent.tolist()):
        if parent != NO_PARENT:
            roots[node] = roots[parent]
    return roots


def _likely_streets(blueprint: "Blueprint", node: int) -> DealStreets:
    """Return the betting of a blueprint from the turn onwards, without rarely played lines."""

    def likely(decision: int, chance: float) -> list[float]:
        chances: list[float] = (chance * blueprint.mean_mix(decision)).tolist()
        return chances

    for least in _LEAST_CHANCES:
        found = streets_below(
            blueprint.form.tree, node, is_swapped=True, likely=likely, least=least
        )
        if sum(street.num_nodes for street in found.streets) <= _MAX_NODES:
            break
    return found


def _share_of_boards(lives: list[Bools]) -> Singles:
    """Return [hands, hands] one over the number of boards that allow both hands."""
    live = np.stack(lives).astype(np.float32)
    counts = live.T @ live
    share: Singles = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0.0)
    return share
