"""Push/fold hands played by PokerKit, another program: the truth about unequal stacks and antes.

`python -m tests.games.pushfold.pokerkit_table` plays all cases and writes `tests/data/
pushfold_stacks.json`; it needs `pip install pokerkit` and nothing of ours.
"""

import json
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).parents[2] / "data" / "pushfold_stacks.json"

BIG_BLIND = 40
"""Chips; PokerKit counts in whole ones."""

_CARDS = {
    "win": ("AsAh", "2c7d", "KsKdQh9c3s"),
    "lose": ("2c7d", "AsAh", "KsKdQh9c3s"),
    "tie": ("2c7d", "2d7h", "AsKsQsJsTs"),
}
"""The small blind's cards, the big blind's and the board."""


class Case(NamedTuple):
    """Stacks before posting, blind and antes, in big blinds."""

    small_stack: float
    big_stack: float
    small_blind: float = 0.5
    ante: float = 0.0
    bb_ante: float = 0.0


def rows() -> list[dict[str, Any]]:
    """Return the table: each case with what PokerKit paid."""
    found: list[dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))["rows"]
    return found


def cases() -> list[Case]:
    """Return unequal stacks with and without antes, also too short for blind or ante."""
    stacks = (0.25, 0.5, 1.0, 1.25, 2.0, 2.25, 3.0, 8.0, 12.0)
    antes = ((0.5, 0.0, 0.0), (0.5, 0.25, 0.0), (0.5, 0.0, 1.0), (0.25, 0.125, 0.5))
    return [Case(*both, *posts) for both, posts in product(product(stacks, stacks), antes)]


def played(case: Case) -> dict[str, Any]:
    """Return what the small blind gains at every end, and whether the big blind has a decision."""
    found: dict[str, Any] = {"fold": _gain(case, "fold", "win")}
    found["has_decision"] = found["fold"] is not None and _asks_big_blind(case)
    if found["has_decision"]:
        found["uncalled"] = _gain(case, "uncalled", "win")
        found |= {name: _gain(case, "called", name) for name in _CARDS}
    return found


def _state(case: Case, cards: str) -> Any:
    from pokerkit import Automation, NoLimitTexasHoldem

    chips = [round(BIG_BLIND * amount) for amount in case]
    small_stack, big_stack, small_blind, ante, bb_ante = chips
    by_hand = ("CARD_BURNING", "HOLE_DEALING", "BOARD_DEALING", "RUNOUT_COUNT_SELECTION")
    automations = tuple(one for one in Automation if one.name not in by_hand)
    # Of two players the second is the button, who posts the small blind; antes and blinds are
    # given in the order of the blinds. An ante that the other cannot match is not given back
    # when one player posts it for both.
    state = NoLimitTexasHoldem.create_state(
        automations,
        bb_ante == 0,
        (ante, ante + bb_ante),
        (small_blind, BIG_BLIND),
        BIG_BLIND,
        (big_stack, small_stack),
        2,
    )
    small_cards, big_cards, _ = _CARDS[cards]
    state.deal_hole(big_cards)
    state.deal_hole(small_cards)
    return state


def _push(state: Any) -> None:
    if state.can_complete_bet_or_raise_to():
        state.complete_bet_or_raise_to(state.max_completion_betting_or_raising_to_amount)
    else:  # all-in by no more than a call
        state.check_or_call()


def _asks_big_blind(case: Case) -> bool:
    state = _state(case, "win")
    if state.actor_index != 1:
        return False
    _push(state)
    return bool(state.actor_index == 0 and state.can_fold())


def _gain(case: Case, end: str, cards: str) -> float | None:
    state = _state(case, cards)
    if state.actor_index != 1:
        return None
    if end == "fold":
        state.fold()
    else:
        _push(state)
        if end == "uncalled":
            state.fold()
        else:
            state.check_or_call()
            board = _CARDS[cards][2]
            for begin, stop in ((0, 6), (6, 8), (8, 10)):
                state.burn_card("??")
                state.deal_board(board[begin:stop])
    assert not state.status, "the hand is over"
    return float(state.payoffs[1]) / BIG_BLIND


def main() -> None:
    """Write the table."""
    from importlib.metadata import version

    lines = ",\n".join(json.dumps({"case": list(case), **played(case)}) for case in cases())
    origin = f"PokerKit {version('pokerkit')}, by python -m tests.games.pushfold.pokerkit_table"
    text = f'{{"origin": {json.dumps(origin)},\n"rows": [\n{lines}\n]}}\n'
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
