"""`untilt report`, and `untilt play` on the run of a spot."""

import io
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve as solve_spot

TURN = Spot("Td9d6hQc", ("QQ, TT, AJs", "JJ, KQs, J8s"), 200, 300, Sizes("60%, a"))
SHORT = """
pot = 100
stack = 60
[ranges]
oop = "TT, AKs"
ip = "JJ, AQs"
[sizes]
bets = "a"
raises = "a"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spots") / "turn"
    solve_spot(TURN, iterations=20, output=path, threads=1)
    return path


def test_a_line_over_all_rivers_as_table_json_csv_and_chart(
    command: Command, run: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    found = command("report", run, "--line", "check, check", "--csv", "r.csv", "--plot", "r.svg")
    assert found.status == 0, found.err
    lines = found.out.splitlines()
    assert lines[0] == "OOP acts after check, check, pot 200"
    assert lines[-1].split()[:3] == ["total", "100.000", "%"]
    assert len(lines) == 3 + 48 + 1
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 50
    assert "Td9d6hQcAs" in (tmp_path / "r.svg").read_text()
    document = command("report", run, "--line", "check, check", "--json").json
    assert len(document["rows"]) == 48
    assert set(document["total"]) == {"board", "weight", "frequencies", "ev", "equity", "eqr"}
    again = command("report", run, "--line", "check, check", "--csv", "r.csv")
    assert "already exists" in again.error


def test_only_boards_that_begin_with_a_card(command: Command, run: Path) -> None:
    found = command("report", run, "--line", "check, check", "--board", "2c", "--json")
    assert [row["board"] for row in found.json["rows"]] == ["Td9d6hQc2c"]


def test_flops_are_solved_kept_and_shown_again(command: Command, tmp_path: Path) -> None:
    (tmp_path / "spot.toml").write_text(SHORT)
    stop = ("-n", 3, "--threads", 1)
    found = command(
        "report", "spot.toml", "--flops", "AsKs2h,7c7d2s", *stop, "-o", "kept", "--json"
    )
    assert found.status == 0, found.err
    assert [row["board"] for row in found.json["rows"]] == ["AsKs2h", "7c7d2s"]
    assert command("report", "kept", "--json").json == found.json
    (tmp_path / "kept" / "flops" / "7c7d2s.json").unlink()
    part = command("report", "kept", "--json")
    assert "1 flops are not solved yet" in part.err
    assert command("report", "--resume", "kept", "--json").json == found.json
    facing = command("report", "kept", "--line", "all-in 60", "--json").json
    assert facing["player"] == "ip"
    again = command("report", "spot.toml", "--flops", "AsKs2h", "-o", "kept").error
    assert "kept already holds a report" in again
    assert "--resume kept" in again


def test_a_missed_target_is_said_and_exits_with_1(command: Command, tmp_path: Path) -> None:
    (tmp_path / "spot.toml").write_text(SHORT)
    found = command(
        *("report", "spot.toml", "--flops", "AsKs2h", "-n", 1, "--target", "0.0001%"),
        *("--threads", 1, "--json"),
    )
    assert found.status == 1
    assert "did not reach the target" in found.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give the folder of a run"),
        (("spot.toml",), "add --flops"),
        (("spot.toml", "--flops", "0"), "--flops is 0"),
        (("spot.toml", "--flops", "9", "--line", "bet 7"), "not in the tree"),
        (("spot.toml", "--flops", "9", "--processes", "0"), "--processes is 0"),
        (("nothing", "--flops", "9"), "cannot be read"),
        (("spot.toml", "--resume", "x"), "give nothing else"),
        (("nothing",), "nothing"),
        (("spot.toml", "-n", "3"), "only for --flops"),
    ],
)
def test_wrong_requests_are_refused(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "spot.toml").write_text(SHORT)
    assert message in command("report", *arguments).error


def test_a_spot_is_played_from_any_line(
    command: Command, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("fold\n" * 3))
    found = command(
        *("play", run, "--seed", 1, "--hands", 3, "--seat", 0, "--line", "check, bet 120", "--json")
    )
    assert found.status == 0, found.err
    document = found.json
    assert document["hands"] == 3
    assert document["total"] == -300.0
    assert document["played"][0]["review"][0]["chosen"] == "fold"
    assert "facing a bet of 120" in found.err


def test_lines_are_only_for_spots(command: Command, run: Path) -> None:
    assert "--line and --board" in command("play", "kuhn", "--line", "check").error
    assert "the hand is over" in command("play", run, "--line", "bet 120, fold").error
