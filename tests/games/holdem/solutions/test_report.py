"""A line over all cards: rows against the nodes they come from, and exact totals."""

import csv
import io
import json
import math

import pytest

from untilt.errors import InvalidOption
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.solutions.report import Report, report_line
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve as solve_spot

TURN = Spot("Td9d6hQd", ("QQ, TT, AJs, KJs, 87s", "JJ, KQs, J8s, A9s"), 200, 400, Sizes("60%, a"))


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve_spot(TURN, iterations=60, save=False, threads=1)


@pytest.fixture(scope="module")
def checked(solution: Solution) -> Report:
    return report_line(solution, "check, check")


def test_the_mean_over_all_rivers_is_the_value_of_the_turn(
    solution: Solution, checked: Report
) -> None:
    deal = solution.at("check, check")
    assert deal.kind == "deal"
    assert len(checked.rows) == 48
    total = checked.total
    assert total.weight == pytest.approx(1.0, abs=1e-12)
    for player, side in enumerate(deal.sides):
        # The solver keeps the values of deals in single precision.
        assert total.ev[player] == pytest.approx(side.mean_ev, rel=1e-5)
        assert total.equity[player] == pytest.approx(side.mean_equity, abs=1e-9)
        assert total.eqr[player] == pytest.approx(side.mean_eqr, rel=1e-5)
    assert sum(total.ev) == pytest.approx(200.0, rel=1e-5)
    assert sum(total.frequencies.values()) == pytest.approx(1.0)


def test_a_row_is_the_node_on_its_board(solution: Solution, checked: Report) -> None:
    for row in checked.rows[::7]:
        node = solution.at("check, check", board=row.board)
        assert row.board == node.board
        assert dict(row.frequencies) == pytest.approx(node.frequencies)
        assert row.ev == pytest.approx([side.mean_ev for side in node.sides])


def test_merged_boards_appear_once_per_real_card(solution: Solution, checked: Report) -> None:
    kept = len(list(solution.boards(1)))
    assert kept < 48
    assert len({row.board for row in checked.rows}) == 48
    by_board = {row.board[-2:]: row for row in checked.rows}
    assert by_board["2s"].ev == by_board["2c"].ev  # neither suit is on the board
    assert by_board["2d"].ev != by_board["2s"].ev


def test_the_weight_of_a_board_is_how_often_the_line_leads_to_it(solution: Solution) -> None:
    report = report_line(solution, "check, check / bet 120")
    assert report.player == 1
    before = {row.board: row for row in report_line(solution, "check, check").rows}
    joint = {board: row.weight * row.frequencies["bet 120"] for board, row in before.items()}
    total = sum(joint.values())
    for row in report.rows:
        assert row.weight == pytest.approx(joint[row.board] / total, rel=1e-9, abs=1e-12)


def test_a_line_inside_the_street_is_followed_by_calls(solution: Solution) -> None:
    assert report_line(solution, "check, bet 120").line == "check, bet 120, call"
    assert report_line(solution).line == "check, check"


def test_a_river_has_one_row() -> None:
    river = solve_spot(TURN.replaced(board="Td9d6hQd2s"), iterations=20, save=False, threads=1)
    report = report_line(river, "check")
    assert [row.board for row in report.rows] == ["Td9d6hQd2s"]
    assert report.rows[0].weight == 1.0
    assert report.player == 1


def test_a_line_that_nobody_can_follow_is_refused(solution: Solution) -> None:
    with pytest.raises(InvalidOption, match="nobody acts any more"):
        report_line(solution, "all-in 400")
    with pytest.raises(InvalidOption, match="nobody acts any more"):
        report_line(solution, "bet 120, fold")
    with pytest.raises(InvalidOption, match="not in the tree"):
        report_line(solution, "bet 7")
    with pytest.raises(InvalidOption, match="board"):
        report_line(solution, "check, check", board="Td9d6hQd2s3s")


def test_json_and_csv_have_all_rows_and_the_total(checked: Report) -> None:
    document = json.loads(json.dumps(checked.to_json(), allow_nan=False))
    assert set(document["rows"][0]) == {"board", "weight", "frequencies", "ev", "equity", "eqr"}
    assert document["total"]["weight"] == pytest.approx(1.0)
    lines = list(csv.DictReader(io.StringIO(checked.to_csv())))
    assert len(lines) == 49
    assert lines[-1]["board"] == "total"
    assert float(lines[-1]["ev_oop"]) == pytest.approx(checked.total.ev[0])


def test_sorting_puts_the_largest_first(checked: Report) -> None:
    shares = [row.frequencies["bet 120"] for row in checked.sorted("bet 120").rows]
    assert shares == sorted(shares, reverse=True)
    assert checked.sorted("board") is checked
    with pytest.raises(InvalidOption, match="give board"):
        checked.sorted("colour")


def test_a_report_without_rows_has_no_numbers() -> None:
    total = Report("check", "river", 0, 10, ("check",), (), "nothing").total
    assert math.isnan(total.ev[0])
    assert total.to_json()["ev"] == [None, None]
