"""Betting lines move by move."""

from itertools import pairwise

import pytest

from untilt.dashboard.nodes.line_moves import line_moves


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["", "c", "b", "cb"], {"c": "check", "b": "bet", "cb": "bet"}),
        (
            ["cc/", "cc/c", "cbc/", "br"],
            {
                "c": "check",
                "cc/": "check, next street",
                "cc/c": "check",
                "cb": "bet",
                "cbc/": "call, next street",
                "b": "bet",
                "br": "raise",
            },
        ),
        (["bc/c"], {"b": "bet", "bc/": "call, next street", "bc/c": "check"}),
        (
            ["b60", "b120r300c/"],
            {
                "b60": "bet 60",
                "b120": "bet 120",
                "b120r300": "raise 300",
                "b120r300c/": "call, next street",
            },
        ),
        (["a2.50f"], {"a2.50": "all-in 2.5", "a2.50f": "fold"}),
        (["/c"], {"/": "next street", "/c": "check"}),
        (["1-1", "1-1 2-2"], {"1-1": "1-1", "1-1 2-2": "2-2"}),
        (["xy", "x/é"], {"x": "x", "xy": "y", "x/": "x/", "x/é": "é"}),
        ([""], {}),
    ],
)
def test_each_move_on_the_way_is_named_once(lines: list[str], words: dict[str, str]) -> None:
    assert {move["line"]: move["words"] for move in line_moves(lines)} == words


def test_moves_are_actions_as_data() -> None:
    by_line = {move["line"]: move["action"] for move in line_moves(["cb120c/", "/c", "a"])}
    assert by_line["cb120"] == {"kind": "bet", "amount": 120.0, "name": "bet 120"}
    assert by_line["cb120c/"] == {"kind": "call", "amount": None, "name": "call"}
    assert by_line["/"] is None
    assert line_moves(["2-5 liar"])[1]["action"] == {
        "kind": "other",
        "amount": None,
        "name": "liar",
    }


@pytest.mark.parametrize("lines", [["cbc/b60r120c/c"], ["1-1 2-2 3-3"], ["xyz/q"]])
def test_moves_lead_back_to_the_start(lines: list[str]) -> None:
    moves = line_moves(lines)
    assert moves[0]["before"] == ""
    for before, move in pairwise(moves):
        assert move["before"] == before["line"]
    assert moves[-1]["line"] == lines[0]
