"""Sizes of spots: nodes of the leading solver, and bytes of what is built."""

import numpy as np
import pytest

from untilt.errors import GameTooLarge, InvalidOption
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.cost.spot_memory import Storage
from untilt.games.holdem.cost.spot_size import check_fits, measure_spot, shown_bytes
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.holdem.spots.spot import Spot

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


def spot(board: str, sizes: Sizes) -> Spot:
    return Spot(board, (OOP, IP), 200, 900, sizes)


@pytest.mark.parametrize(
    ("board", "sizes", "num_nodes"),
    [
        ("Td9d6hQc2s", Sizes("60%, a", "2.5x"), 27),
        ("Td9d6hQc2s", Sizes("33%, 75%, 150%, a", "50%, 100%, a"), 105),
        ("Td9d6hQc", Sizes("60%, e, a", "2.5x", river_donk="50%"), 7_347),
        ("Td9d6h", Sizes("60%", "2.5x"), 238_362),
    ],
)
def test_nodes_are_counted_as_in_the_leading_solver(
    board: str, sizes: Sizes, num_nodes: int
) -> None:
    assert measure_spot(spot(board, sizes)).nodes == num_nodes


def test_bytes_are_those_of_the_form_that_is_built() -> None:
    given = spot("Td9d6h", Sizes("60%", "2.5x"))
    size, tree = measure_spot(given), compile_spot(given).tree
    assert size.hands == tuple(len(weights) for weights in tree.weights)
    assert size.boards == tuple(boards[0].num_boards for boards in tree.boards)
    numbers = 0
    for street, boards in zip(tree.streets, tree.boards, strict=True):
        for player in (0, 1):
            rows = int(street.num_actions[street.player == player].sum())
            lanes = np.diff(boards[player].first_lane)
            numbers += 2 * rows * int((np.ceil(lanes / 16) * 16).sum())
    assert size.numbers == numbers
    assert size.storage_bytes() == 4 * numbers
    assert size.storage_bytes("int16") == 2 * numbers
    form_bytes = sum(
        array.nbytes
        for boards in tree.boards
        for own in boards
        for array in (own.hand, own.blockers, own.strength)
    )
    form_bytes += sum(lane.nbytes for deals in tree.deals for lane in deals.lane)
    form_bytes += sum(runouts.balance.nbytes for runouts in tree.runouts if runouts)
    assert size.form_bytes == form_bytes
    assert size.total_bytes() == 4 * numbers + form_bytes
    quantal = Storage("float64", num_tables=1)
    assert size.total_bytes(quantal) == 8 * numbers // 2 + form_bytes


def test_a_tree_that_does_not_fit_is_refused_with_advice() -> None:
    given = spot("Td9d6h", Sizes("33%, 75%, a", "50%, a"))
    assert check_fits(given, 10**10) == measure_spot(given)
    with pytest.raises(GameTooLarge) as caught:
        check_fits(given, 360_000_000)
    assert str(caught.value) == (
        "the tree of 1,458,986 nodes needs 2.45 GB, but 360 MB are available: drop 33% of bets "
        "(673 MB without it), or limit raises with max_raises"
    )
    with pytest.raises(GameTooLarge, match=r"give precision='int16' \(1\.35 GB\), or drop 33%"):
        check_fits(given, 1_500_000_000)


def test_other_precisions_are_refused() -> None:
    with pytest.raises(InvalidOption, match="precision is 'float16'"):
        measure_spot(spot("Td9d6hQc2s", Sizes())).storage_bytes("float16")


def test_bytes_are_shown_for_people() -> None:
    shown = {
        12: "12 bytes",
        3_450: "3.45 kB",
        345_000_000: "345 MB",
        999_700_000: "1 GB",
        2_000_000_000: "2 GB",
        5_570 * 10**12: "5.57 PB",
        10**40: "1,000 EB",
    }
    assert list(map(shown_bytes, shown)) == list(shown.values())
