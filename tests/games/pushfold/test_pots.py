"""Pots, posts and decisions against PokerKit, which plays the same hands by its own rules."""

from typing import Any

import numpy as np
import pytest

from untilt.cards import evaluate, parse_cards
from untilt.cards.card import DECK, card_name
from untilt.games.pushfold.tables.pots import layers, post, won
from untilt.games.pushfold.tables.table import CHOICE, OUT, PushFoldTable, TableState, weak_orders

BIG_BLIND = 40
"""Chips; PokerKit counts in whole ones."""
NUM_TABLES = 400


class Case:
    """A random table, its cards, and what each seat would like to do."""

    def __init__(self, number: int) -> None:
        rng = np.random.default_rng(number)
        self.num = int(rng.integers(2, 10))
        kinds = (rng.integers(1, 60, self.num), rng.integers(40, 500, self.num))
        is_short = rng.random(self.num) < 0.35
        stacks = np.where(is_short, *kinds)
        if rng.random() < 0.3:
            stacks[:] = stacks[0]
        self.small = int(rng.choice([20, 10, 16]))
        self.ante, self.bb_ante = [(0, 0), (5, 0), (0, 40), (0, 13), (40, 0), (4, 40)][
            int(rng.integers(6))
        ]
        if self.ante and self.bb_ante:
            # PokerKit then counts all antes as dead, which differs if somebody lacks chips for one.
            stacks = np.maximum(stacks, self.ante + 1)
        self.stacks: list[int] = stacks.tolist()
        self.cards = [int(card) for card in rng.choice(DECK, 2 * self.num + 5, replace=False)]
        self.is_in: list[bool] = (rng.random(self.num) < 0.45).tolist()

    def table(self) -> PushFoldTable:
        """Return the table in big blinds."""
        return PushFoldTable(
            stacks=tuple(stack / BIG_BLIND for stack in self.stacks),
            small_blind=self.small / BIG_BLIND,
            ante=self.ante / BIG_BLIND,
            bb_ante=self.bb_ante / BIG_BLIND,
            max_all_in=9,
        )

    def index(self, seat: int) -> int:
        """Return PokerKit's number of a seat: the small blind is 0, of two players 1."""
        return 1 - seat if self.num == 2 else (seat + 2) % self.num


def cards_text(cards: list[int]) -> str:
    return "".join(card_name(card) for card in cards)


def played(case: Case) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """Return the stacks after the hand, who did not fold, and who was asked after whom."""
    from pokerkit import Automation, NoLimitTexasHoldem

    by_hand = ("CARD_BURNING", "HOLE_DEALING", "BOARD_DEALING", "RUNOUT_COUNT_SELECTION")
    automations = tuple(one for one in Automation if one.name not in by_hand)
    seats = {case.index(seat): seat for seat in range(case.num)}
    stacks = [case.stacks[seats[index]] for index in range(case.num)]
    antes = [case.ante] * case.num
    antes[1] += case.bb_ante
    state: Any = NoLimitTexasHoldem.create_state(
        automations,
        case.bb_ante == 0,
        antes,
        (case.small, BIG_BLIND),
        BIG_BLIND,
        stacks,
        case.num,
    )
    for index in range(case.num):
        seat = seats[index]
        state.deal_hole(cards_text(case.cards[2 * seat : 2 * seat + 2]))
    mask, asked = 0, []
    folded: set[int] = set()
    while state.status and state.street_index == 0 and state.actor_index is not None:
        seat = seats[state.actor_index]
        if not state.can_fold():
            state.check_or_call()
            continue
        asked.append((seat, mask))
        if not case.is_in[seat]:
            state.fold()
            folded.add(seat)
            continue
        mask |= 1 << seat
        if state.can_complete_bet_or_raise_to():
            state.complete_bet_or_raise_to(state.max_completion_betting_or_raising_to_amount)
        else:
            state.check_or_call()
    board = case.cards[2 * case.num :]
    for begin, stop in ((0, 3), (3, 4), (4, 5)):
        if not state.status:
            break
        while state.status and state.actor_index is not None:
            state.check_or_call()
        if state.status:
            state.burn_card("??")
            state.deal_board(cards_text(board[begin:stop]))
    while state.status and state.actor_index is not None:
        state.check_or_call()
    assert not state.status
    left = [int(state.stacks[case.index(seat)]) for seat in range(case.num)]
    return left, [seat for seat in range(case.num) if seat not in folded], asked


def ours(
    case: Case, table: PushFoldTable
) -> tuple[list[int], list[tuple[int, int]], np.ndarray[Any, Any]]:
    """Return who is all-in by our rules, who decides after whom, and the stacks after the hand."""
    state, asked = TableState(0, 0), []
    while state.seat < case.num and state != (case.num - 1, 0):
        decision = table.decision(state)
        is_in = decision != OUT and (decision != CHOICE or case.is_in[state.seat])
        if decision == CHOICE:
            asked.append((state.seat, state.all_in))
        state = TableState(state.seat + 1, state.all_in | (is_in << state.seat))
    seats = [seat for seat in range(case.num) if state.all_in >> seat & 1] or [case.num - 1]
    board = case.cards[2 * case.num :]
    hands = [case.cards[2 * seat : 2 * seat + 2] + board for seat in seats]
    ranks = evaluate(np.array(hands, dtype=np.uint8)).tolist()
    places = tuple(sorted(set(ranks)).index(rank) for rank in ranks)
    stacks = np.array(table.stacks) - table.posted.total
    stacks[seats] = 0.0
    stacks += won(case.num, table.pots(seats), seats, places)
    return seats, asked, stacks * BIG_BLIND


@pytest.mark.parametrize("number", range(NUM_TABLES))
def test_chips_and_decisions_are_those_of_pokerkit(number: int) -> None:
    case = Case(number)
    table = case.table()
    left, in_pot, asked = played(case)
    seats, decisions, stacks = ours(case, table)
    assert seats == in_pot
    assert [seat for seat, _ in decisions] == [seat for seat, _ in asked]
    # PokerKit gives odd chips to one of those who split a pot.
    np.testing.assert_allclose(stacks, left, atol=1.01 * case.num)
    assert stacks.sum() == pytest.approx(sum(case.stacks))
    if np.allclose(stacks, np.round(stacks)):
        np.testing.assert_allclose(stacks, left, atol=1e-9)


def test_cards_are_parsed_as_they_are_written() -> None:
    assert cards_text([int(card) for card in parse_cards("AsKd")]) == "AsKd"


def test_folded_blinds_and_antes_are_dead_money_in_the_main_pot() -> None:
    stacks = np.array([10.0, 8.0, 9.0])
    posted = post(stacks, 0.5, 0.1, 1.0)
    (pot,) = layers(stacks, posted, (0,))[:1]
    assert posted.total.tolist() == [0.1, 0.6, 2.1]
    assert pot.eligible == (0,)
    assert pot.amount == pytest.approx(10.0 + 0.6 + 2.1)


def test_the_winner_of_the_main_pot_may_not_be_in_the_side_pot() -> None:
    table = PushFoldTable((2.0, 10.0, 10.0))
    order = weak_orders(3).index((0, 1, 2))
    assert table.stacks_after((0, 1, 2))[order].tolist() == [6.0, 16.0, 0.0]


def test_a_big_blind_without_a_whole_blind_has_no_decision() -> None:
    table = PushFoldTable((10.0, 10.0, 0.7))
    assert all(state.seat != 2 for state in table.decisions)
    assert table.stacks_after((0, 2))[:, 1].tolist() == [9.5, 9.5, 9.5]
