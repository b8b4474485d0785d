"""`untilt equity`: hands and ranges on the command line."""

import subprocess
import sys

import pytest
from tests.cli.conftest import Command

from untilt.cards import equity


def test_two_hands_are_shown_with_win_tie_lose_and_equity(command: Command) -> None:
    found = command("equity", "AsAh", "KdKc")
    assert (found.status, found.err) == (0, "")
    *table, last = found.out.splitlines()
    assert [line.split() for line in table] == [
        ["equity", "win", "tie", "lose"],
        ["AsAh", "81.26%", "81.06%", "0.38%", "18.55%"],
        ["KdKc", "18.74%", "18.55%", "0.38%", "81.06%"],
    ]
    assert last == "exact by the table of match-ups: 1,712,304 boards for every choice of hands"


def test_json_holds_integers_if_all_weights_are_one(command: Command) -> None:
    assert command("equity", "AsAh", "KdKc", "--json").json == {
        "equity": [0.8125548967940273, 0.18744510320597277],
        "wins": [1388072, 317694],
        "ties": [6538, 6538],
        "losses": [317694, 1388072],
        "boards": 1712304,
        "method": "table",
    }
    weighted = command("equity", "AA:0.5", "KK", "--board", "2c3c4c", "--json").json
    assert weighted["method"] == "exact"
    assert weighted["boards"] == 990
    assert sum(weighted[kind][0] for kind in ("wins", "ties", "losses")) == 0.5 * 36 * 990


def test_a_range_against_a_random_hand_on_a_flop(command: Command) -> None:
    arguments = ("22+,A2s+,KTs+,AJo+", "random")
    result = command("equity", *arguments, "--board", "Td9d6h", "--json").json
    found = equity(*arguments, board="Td9d6h")
    assert result["equity"] == list(found.equities)
    assert result["wins"] == list(found.wins)
    assert sum(result["equity"]) == pytest.approx(1.0)


def test_dead_cards_are_on_no_board(command: Command) -> None:
    result = command("equity", "AsAh", "KdKc", "--dead", "KsKh", "--json").json
    assert result["boards"] == 1370754
    assert result["equity"][0] > 0.86


def test_every_hand_of_both_sides_is_listed_the_best_first(command: Command) -> None:
    arguments = ("equity", "AK:0.5", "QQ", "--board", "Td9d6h", "--per-hand")
    first, second = command(*arguments, "--json").json["hands"]
    assert (len(first), len(second)) == (16, 6)
    assert set(first[0]) == {"hand", "weight", "equity", "wins", "ties", "losses"}
    assert {hand["weight"] for hand in first} == {0.5}
    lines = command(*arguments).out.splitlines()
    listed = lines[lines.index("AK:0.5") + 1 :][:16]
    assert listed[0].startswith("AdKd")
    shares = [float(line.split()[1].rstrip("%")) for line in listed]
    assert shares == sorted(shares, reverse=True)
    assert all(line.endswith("weight 0.5") for line in listed)


def test_a_hand_that_meets_nothing_is_said_to(command: Command) -> None:
    arguments = ("equity", "AsKs,QdJd", "AsAh", "--board", "2c3c4c", "--per-hand")
    assert "AsKs     conflicts with every opposing hand" in command(*arguments).out
    assert command(*arguments, "--json").json["hands"][0][1]["equity"] is None


def test_samples_come_with_a_standard_error_and_a_seed(command: Command) -> None:
    arguments = ("equity", "AA", "KK", "random", "--samples", 20_000)
    result = command(*arguments, "--json").json
    assert result["method"] == "monte carlo"
    assert result["boards"] == 20_000
    assert all(0 < error < 0.01 for error in result["standard_errors"])
    again = command(*arguments, "--json", "--threads", 1, "--seed", 0).json
    assert again == result
    assert command(*arguments, "--json", "--seed", 1).json != result
    shown = command(*arguments).out
    assert "standard error" in shown
    assert "estimated from 20,000 random deals" in shown


def test_long_work_reports_its_progress_on_stderr(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("untilt.cli.commands.measure.equity._QUIET_SECONDS", 0.0)
    monkeypatch.setattr("untilt.cli.commands.measure.equity._PLAIN_SECONDS", 0.0)
    found = command("equity", "AA", "KK", "--board", "Td9c6h", "--json")
    assert found.json["boards"] == 990
    assert found.err.splitlines()[-1] == "equity  100%"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("AsAh",), "the number of hands and ranges is 1: give 2 to 6"),
        (("AsAh", "AsKd"), "As appears twice"),
        (("AsAh", "KK", "--board", "As2d3d"), "As appears twice"),
        (("AA", "KK", "--board", "2c3c4c", "--dead", "4c"), "4c appears twice"),
        (("AA", "KK", "--board", "2c"), "has 1 cards: give 0, 3, 4 or 5"),
        (("AA", "KK", "--board", "2c3c"), "has 2 cards"),
        (("AA", "KK", "--board", "AsAdAh"), "no combo of the range AA remains"),
        (("AA", "A1s"), "range 'A1s', character 2"),
        (("AA", "KK", "QQ", "--per-hand"), "--per-hand needs two hands or ranges; 3 given"),
        (("AA", "KK", "--per-hand", "--samples", "9"), "leave --samples out"),
        (("AA", "KK", "--samples", "1"), "samples is 1"),
        (("AA", "KK", "--threads", "0"), "--threads is 0; it must be at least 1"),
        (("AA", "KK", "--seed", "-1"), "seed is -1"),
        ((), "argument"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    command: Command, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in command("equity", *arguments).error


def test_equity_before_the_flop_loads_no_compiler() -> None:
    code = (
        "import sys; from untilt.cli.main import run; run(['equity', 'AsAh', 'KdKc']);"
        "sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)
