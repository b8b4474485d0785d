"""An audit of the model of a table: random full deals, without the model.

Every seat gets two cards and the board five, all from one deck; then every way in which the seats
can act has its exact probability under the charts, and its exact utility. So a deal tells something
about all decisions. Folded cards, and pots of four, are what they are.

Half of the deals say which hands a best response would be all-in with, the other half what that
gains: the gain is not overestimated by choosing and measuring on the same deals. Hands for which
the first half does not say clearly what is better are played as in the chart. All intervals are
95 %, from the spread between chunks of deals.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from untilt.cards.card import BOARD_SIZE, DECK, NUM_CARDS
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_OF_CARDS
from untilt.cards.equity.multiway import key_of
from untilt.cards.evaluator.evaluator import rank_of_key
from untilt.cards.evaluator.evaluator_tables import EvaluatorTables, load_tables
from untilt.games.pushfold.tables.table import CHOICE, OUT, TableState, weak_orders
from untilt.games.pushfold.tables.table_chart import TableChart, TableDecision
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.chunks import OnShare, in_chunks
from untilt.numeric.kernel import allocates, kernel
from untilt.numeric.streams import draw, root_of, split
from untilt.numeric.student import student_quantile

_NUM_CHUNKS = 200
_CLEAR = 2.0
"""Standard errors from which on a hand counts as better all-in or folded."""
_PLACES = 4
"""Hands of an order are numbers in base 4."""


class DealRules(NamedTuple):
    """The strategies of the seats and what they bring, for the kernel."""

    node: Offsets
    """[n, 2^n] the node of a seat after a mask; −1 if it is out"""
    can_fold: Offsets
    """[nodes] 0 if the seat is all-in without a decision"""
    masks: Offsets
    """[ends] the seats that are all-in at the end"""
    begins: Offsets
    """[ends] where the utilities of an end begin in `utilities`"""
    order_of_code: Offsets
    """[5, 256] the number of the weak order of k hands, by their places in base 4"""
    utilities: Floats
    """[orders, n] of one end after the other"""


@dataclass(frozen=True)
class Frequency:
    """The frequency with which a seat is all-in in a decision, 0–1."""

    decision: TableDecision
    model: float
    dealt: float
    """By the deals; nan if it never came."""
    margin: float


@dataclass(frozen=True)
class Audit:
    """Random deals against the model; amounts are in the unit of the chart."""

    chart: TableChart
    num_deals: int
    seed: int
    frequencies: tuple[Frequency, ...]
    values: Floats
    """[n] what the seats gain"""
    value_margins: Floats
    gains: Floats
    """[n] what best responses gain that are chosen by half of the deals"""
    gain_margins: Floats

    def to_json(self) -> dict[str, Any]:
        """Return the audit as plain data."""
        return {
            "deals": self.num_deals,
            "seed": self.seed,
            "values": self.values.tolist(),
            "value_margins": self.value_margins.tolist(),
            "gains": self.gains.tolist(),
            "gain_margins": self.gain_margins.tolist(),
            "gain": float(self.gains.sum()),
            "frequencies": [
                {
                    "seat": each.decision.player,
                    "before": list(each.decision.before),
                    "model": each.model,
                    "dealt": None if np.isnan(each.dealt) else each.dealt,
                    "margin": None if np.isnan(each.margin) else each.margin,
                }
                for each in self.frequencies
            ],
        }


def audit_chart(
    chart: TableChart,
    num_deals: int,
    *,
    seed: int = 0,
    threads: int = 1,
    watcher: OnShare | None = None,
) -> Audit:
    """Return what random deals say of the charts of a table; the same for any `threads`."""
    table = chart.table
    rules = _rules(chart)
    size = -(-num_deals // _NUM_CHUNKS)
    num_chunks = _NUM_CHUNKS
    half = num_chunks // 2
    shape = chart.ranges.shape
    num_seats = table.num_seats
    seat_of_node = np.array([state.seat for state in table.states])

    def part(begin: int, end: int, best: Floats) -> list[tuple[Floats, Floats, Floats, Floats]]:
        def work(place: int) -> tuple[Floats, Floats, Floats, Floats]:
            found = (
                np.zeros(shape),
                np.zeros((shape[0], 2)),
                np.zeros(num_seats),
                np.zeros(shape[0]),
            )
            _deal_chunk(
                load_tables(),
                _CLASS_OF_CARDS,
                rules,
                chart.ranges,
                best,
                np.uint64(seed),
                np.uint64(begin + place),
                size,
                *found,
            )
            return found

        def watch(share: float) -> None:
            if watcher is not None:
                watcher((begin + share * (end - begin)) / num_chunks)

        return in_chunks(work, end - begin, threads, watch)

    first = part(0, half, chart.ranges)
    gained, squares = np.zeros(shape), np.zeros(shape)
    for found in first:
        gained += found[0]
        squares += found[0] ** 2
    # Where deals do not say clearly what is better, the chart is kept.
    errors = np.sqrt(np.maximum(squares - gained**2 / half, 0.0))
    best = np.where(
        gained > _CLEAR * errors, 1.0, np.where(gained < -_CLEAR * errors, 0.0, chart.ranges)
    )
    is_choice = np.array([table.decision(state) == CHOICE for state in table.states])
    best[~is_choice] = chart.ranges[~is_choice]
    second = part(half, num_chunks, best)
    both = [*first, *second]
    values = np.array([found[2] for found in both]) / size
    by_node = np.array([found[3] for found in second]) / size
    gains = np.zeros((len(second), num_seats))
    for node, seat in enumerate(seat_of_node.tolist()):
        gains[:, seat] += by_node[:, node]
    comes = np.array([found[1] for found in both])
    nodes = {state: node for node, state in enumerate(table.states)}
    return Audit(
        chart=chart,
        num_deals=size * num_chunks,
        seed=seed,
        frequencies=tuple(
            _frequency(each, comes[:, nodes[each.state]]) for each in chart.decisions
        ),
        values=values.mean(axis=0),
        value_margins=_margin(values),
        gains=gains.mean(axis=0),
        gain_margins=_margin(gains),
    )


def _margin(rows: Floats) -> Floats:
    """Return half of the 95 % interval of the means of rows."""
    margin: Floats = student_quantile(len(rows) - 1) * rows.std(axis=0, ddof=1) / len(rows) ** 0.5
    return margin


def _frequency(decision: TableDecision, comes: Floats) -> Frequency:
    """Return the frequency for [chunks, 2] how often the decision came, and was all-in."""
    reached, played = comes.sum(axis=0).tolist()
    if reached <= 0.0:
        return Frequency(decision, decision.played, float("nan"), float("nan"))
    share = played / reached
    # A ratio of sums: its spread is that of the difference from the share.
    rest = comes[:, 1] - share * comes[:, 0]
    margin = float(_margin(rest)) * len(comes) / reached
    return Frequency(decision, decision.played, share, margin)


def _rules(chart: TableChart) -> DealRules:
    table = chart.table
    num = table.num_seats
    node = np.full((num, 1 << num), -1, dtype=np.int64)
    for place, state in enumerate(table.states):
        node[state.seat, state.all_in] = place
    can_fold = np.array([int(table.decision(state) == CHOICE) for state in table.states])
    flat, begins, masks, length = [], [], [], 0
    for seats in dict.fromkeys(table.final_sets()):
        utilities = table.utilities(seats)
        begins.append(length)
        masks.append(sum(1 << seat for seat in seats))
        flat.append(utilities)
        length += len(utilities)
    order_of_code = np.full((_PLACES + 1, _PLACES**_PLACES), -1, dtype=np.int64)
    order_of_code[0, 0] = 0
    for count in range(1, _PLACES + 1):
        for order, places in enumerate(weak_orders(count)):
            code = 0
            for place in places:
                code = code * _PLACES + place
            order_of_code[count, code] = order
    assert all(table.decision(TableState(each.seat, each.all_in)) != OUT for each in table.states)
    return DealRules(
        node, can_fold, np.array(masks), np.array(begins), order_of_code, np.concatenate(flat)
    )


_CLASS_OF_CARDS: Offsets = np.zeros((64, 64), dtype=np.int64)
for _first in DECK:
    for _second in DECK:
        if _first != _second:
            _CLASS_OF_CARDS[_first, _second] = CLASS_OF_COMBO[COMBO_OF_CARDS[_first, _second]]


@kernel
@allocates
def _deal_chunk(
    tables: EvaluatorTables,
    class_of_cards: Offsets,
    rules: DealRules,
    ranges: Floats,
    best: Floats,
    seed: np.uint64,
    stream: np.uint64,
    num_deals: int,
    gained: Floats,
    comes: Floats,
    values: Floats,
    best_gains: Floats,
) -> None:
    """Add up what random deals say; the last four arrays are modified.

    `gained` [nodes, 169] is what being all-in gains over folding, `comes` [nodes, 2] how often a
    node comes and its seat is all-in, `values` [n] utilities, `best_gains` [nodes] what the ranges
    `best` gain over `ranges`.
    """
    num_seats, num_masks = rules.node.shape
    deck = np.array(DECK, dtype=np.uint64)
    origin = split(root_of(seed), stream)
    counter = 0
    hands = np.empty(num_seats, dtype=np.int64)
    cards = np.empty(2 * num_seats + BOARD_SIZE, dtype=np.uint64)
    ranks = np.empty(num_seats, dtype=np.int64)
    factors = np.empty(num_seats)
    nodes = np.empty(num_seats, dtype=np.int64)
    for _ in range(num_deals):
        used = np.uint64(0)
        dealt = 0
        while dealt < len(cards):
            card = deck[int(draw(origin, counter) * NUM_CARDS)]
            counter += 1
            bit = np.uint64(1) << card
            if used & bit == 0:
                used |= bit
                cards[dealt] = card
                dealt += 1
        board = np.uint64(0)
        for place in range(2 * num_seats, len(cards)):
            board |= np.uint64(1) << cards[place]
        board_key = key_of(tables, board)
        for seat in range(num_seats):
            one, other = cards[2 * seat], cards[2 * seat + 1]
            hands[seat] = class_of_cards[one, other]
            key = board_key + tables.card_keys[one] + tables.card_keys[other]
            mask = board | np.uint64(1) << one | np.uint64(1) << other
            ranks[seat] = rank_of_key(tables, key, mask)
        for end in range(len(rules.masks)):
            mask_of_end = rules.masks[end]
            num_zero, zero = 0, -1
            whole = 1.0
            for seat in range(num_seats):
                before = mask_of_end & ((1 << seat) - 1)
                node = rules.node[seat, before]
                nodes[seat] = node
                is_in = mask_of_end >> seat & 1
                share = 0.0 if node < 0 else ranges[node, hands[seat]]
                factors[seat] = share if is_in else 1.0 - share
                if factors[seat] == 0.0:
                    num_zero += 1
                    zero = seat
                    if num_zero > 1:
                        break
                else:
                    whole *= factors[seat]
            if num_zero > 1:
                continue
            code, count = 0, 0
            for seat in range(num_seats):
                if mask_of_end >> seat & 1:
                    place = 0
                    for other_seat in range(num_seats):
                        if mask_of_end >> other_seat & 1 and ranks[other_seat] < ranks[seat]:
                            is_first = True
                            for third in range(other_seat):
                                if mask_of_end >> third & 1 and ranks[third] == ranks[other_seat]:
                                    is_first = False
                            place += is_first
                    code = code * _PLACES + place
                    count += 1
            row = rules.begins[end] + rules.order_of_code[count, code]
            for seat in range(num_seats):
                utility = rules.utilities[row, seat]
                if num_zero == 0:
                    values[seat] += whole * utility
                elif seat != zero:
                    continue
                node = nodes[seat]
                if node < 0 or rules.can_fold[node] == 0:
                    continue
                hand = hands[seat]
                others = whole if num_zero else whole / factors[seat]
                signed = others * utility
                if mask_of_end >> seat & 1 == 0:
                    signed = -signed
                gained[node, hand] += signed
                best_gains[node] += (best[node, hand] - ranges[node, hand]) * signed
                # All that comes after is decided by others: their chances sum to 1.
                comes[node, 0] += others * (
                    ranges[node, hand] if mask_of_end >> seat & 1 else 1.0 - ranges[node, hand]
                )
                if mask_of_end >> seat & 1:
                    comes[node, 1] += others * ranges[node, hand]
    assert num_masks > 0
