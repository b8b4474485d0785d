"""`untilt rank`: hands on the command line."""

import subprocess
import sys

import pytest
from tests.cli.conftest import Command


def test_a_royal_flush_is_shown_with_rank_category_and_cards(command: Command) -> None:
    found = command("rank", "As Ks Qs Js Ts 2d 3c")
    assert (found.status, found.err) == (0, "")
    lines = [" ".join(line.split()) for line in found.out.splitlines()]
    assert lines == [
        "As Ks Qs Js Ts 2d 3c",
        "rank 1 of 7,462",
        "category straight flush",
        "cards As Ks Qs Js Ts",
        "that is royal flush",
    ]


def test_json_holds_every_hand_and_the_winners(command: Command) -> None:
    result = command("rank", "KsKhKd2c2s9h7d", "7c5d4h3s2c", "--json").json
    assert result["winners"] == [0]
    assert result["hands"][0] == {
        "hand": "Ks Kh Kd 2c 2s 9h 7d",
        "rank": 190,
        "strength": 7273,
        "category": "full house",
        "cards": "Ks Kh Kd 2s 2c",
        "text": "full house, kings full of twos",
    }
    assert result["hands"][1]["rank"] == 7462


def test_the_best_of_several_hands_is_marked(command: Command) -> None:
    found = command("rank", "AsKd", "AhAd", "--board", "2c7dTh9s3c")
    heads = [line for line in found.out.splitlines() if not line.startswith(" ")]
    assert heads == ["As Kd 2c 7d Th 9s 3c", "Ah Ad 2c 7d Th 9s 3c  (best)"]


def test_equal_hands_are_all_winners(command: Command) -> None:
    result = command("rank", "AsKd", "AhKc", "2h2d", "--board", "QcJdTh2s3c", "--json").json
    assert result["winners"] == [0, 1]
    assert [hand["category"] for hand in result["hands"]] == ["straight"] * 2 + ["three of a kind"]


def test_long_hands_are_ranked_by_their_best_five(command: Command) -> None:
    found = command("rank", "AsKs", "9d8d", "--board", "2s4s6s8cTs8h8s", "--json")
    assert [hand["category"] for hand in found.json["hands"]] == ["flush", "four of a kind"]
    assert found.json["winners"] == [1]


def test_hands_without_a_board_may_share_cards(command: Command) -> None:
    found = command("rank", "AsKd2c7dTh", "AsQd2c7dTh", "--json")
    assert found.json["winners"] == [0]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("As", "Ks"), "hand 'As' has 1 card in total; give 5 or more"),
        (("AsKs", "--board", "QsJs"), "has 4 cards with the board"),
        (("AsKsQsJsTx",), "character 10 ('x'): a suit is one of cdhs"),
        (("AsKsQsJsAs",), "As appears twice"),
        (("AsKs", "KsQd", "--board", "2c3c4c5c6c"), "Ks appears twice"),
        (("AsKs", "--board", "2c3c4c5cAs"), "As appears twice"),
        ((), "argument"),
    ],
)
def test_bad_hands_are_refused_in_one_line(
    command: Command, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in command("rank", *arguments).error


def test_ranking_a_hand_loads_no_compiler() -> None:
    code = (
        "import sys; from untilt.cli.main import run; run(['rank', 'AsKsQsJsTs']);"
        "sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)
