"""Hands of a solved spot, dealt and played at random: lines as an observer would note them."""

import numpy as np

from untilt.cards.card import cards_name
from untilt.cards.combos import COMBO_MASKS, combo_name
from untilt.errors import InvalidOption, UnknownName, shortened
from untilt.formats.exchange.observed_lines import ObservedLine
from untilt.game.public.public_tree import FOLD
from untilt.games.holdem.solutions.line_chances import BettingEnd, LineChances, betting_ends
from untilt.games.holdem.solutions.solution import Solution
from untilt.number import Integer
from untilt.numeric.arrays import Floats
from untilt.runs.spots.spot_pairs import verify_same_spot

SHOWN = ("nothing", "showdowns", "everything")
"""What an observer sees of the hands."""
_MOST = 10**9


def sample_lines(
    solution: Solution, hands: int, *, seed: int = 0, shown: str = "nothing"
) -> list[ObservedLine]:
    """Return `hands` hands of a spot, played as in a solution, as `untilt.spots.fit` reads them.

    `shown` says what is seen of the cards: nothing, both hands at showdowns, or everything. Hands
    of which the same was seen are one row with a count. Boards that differ only by a renaming of
    suits are given as one of them.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> solution = untilt.solve(river, iterations=50, save=False)
    >>> rows = untilt.spots.sample_lines(solution, 1_000, seed=1)
    >>> sum(row.times for row in rows), max(rows, key=lambda row: row.times).line
    (1000, 'all-in 100, call')
    """
    verify_same_spot([solution])
    if not Integer(1, _MOST).accepts(hands):
        raise InvalidOption.of("hands", hands, f"give an integer from 1 to {_MOST:,}")
    if not Integer(0, 2**64 - 1).accepts(seed):
        raise InvalidOption.of("seed", seed, "give an integer, at least 0")
    if not isinstance(shown, str) or shown not in SHOWN:
        text = shown if isinstance(shown, str) else shortened(shown)
        raise UnknownName.among("shown", text, SHOWN)
    rng = np.random.default_rng(seed)
    ends = betting_ends(solution.view)
    chances = list(LineChances(solution).by_board(ends))
    flat = np.concatenate([each.ravel() for each in chances])
    drawn = rng.multinomial(hands, flat / flat.sum())
    rows: list[ObservedLine] = []
    begin = 0
    for street, each in enumerate(chances):
        here = [end for end in ends if end.street == street]
        counts = drawn[begin : begin + each.size].reshape(each.shape)
        begin += each.size
        for board, number in np.argwhere(counts).tolist():
            count = int(counts[board, number])
            rows += _rows(solution, here[number], board, count, shown, rng)
    return rows


def _rows(
    solution: Solution,
    end: BettingEnd,
    board: int,
    count: int,
    shown: str,
    rng: np.random.Generator,
) -> list[ObservedLine]:
    """Return the rows of hands that ended in one way on one board."""
    view = solution.view
    dealt = view.boards.streets[end.street].cards[board]
    public = cards_name(dealt, "")
    is_fold = int(view.betting.streets[end.street].kind[end.node]) == FOLD
    if shown == SHOWN[0] or (shown == SHOWN[1] and is_fold):
        return [ObservedLine(end.line, public, times=count)]
    node = solution.node(dealt, end.street, end.node)
    first, second = (node.combos(player) for player in (0, 1))
    pairs = _pairs(node.numbers.reach, (first, second))
    counts = rng.multinomial(count, pairs.ravel() / pairs.sum()).reshape(pairs.shape)
    return [
        ObservedLine(
            end.line,
            public,
            (combo_name(int(first[one])), combo_name(int(second[other]))),
            int(counts[one, other]),
        )
        for one, other in np.argwhere(counts).tolist()
    ]


def _pairs(reaches: tuple[Floats, Floats], combos: tuple[np.ndarray, np.ndarray]) -> Floats:
    """Return [hands, hands] the products of reaches of hands that can be dealt together."""
    masks, others = (COMBO_MASKS[each] for each in combos)
    can_meet = (masks[:, None] & others[None, :]) == 0
    pairs: Floats = np.where(can_meet, np.outer(*reaches), 0.0)
    return pairs
