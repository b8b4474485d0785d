"""Names in games and files that try to steer the terminal, or a spreadsheet."""

import csv
import io
import sys
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text
from tests.cli.conftest import Command

from untilt.cli.app import output
from untilt.formats.exchange.export import spreadsheet_cell

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202egnp\x7f[red]x[/red]\u2066"
RAW = set(HOSTILE) - set("]0;owned31mgnp[red]x[/red]")

EFG = f"""EFG 2 R "title{HOSTILE}" {{ "a{HOSTILE}" "b" }}
"comment"
c "" 1 "" {{ "high{HOSTILE}" 1/2 "low" 1/2 }} 0
p "" 1 1 "H{HOSTILE}" {{ "=1+2{HOSTILE}" "fold" }} 0
t "" 1 "" {{ 1, -1 }}
t "" 2 "" {{ -1, 1 }}
p "" 1 2 "@SUM(A1)" {{ "+go" "-1" }} 0
t "" 2 "" {{ -1, 1 }}
t "" 1 "" {{ 1, -1 }}
"""


@pytest.fixture
def hostile_game(tmp_path: Path) -> str:
    (tmp_path / "hostile.efg").write_text(EFG, "utf-8")
    return "hostile.efg"


def verify_safe(text: str) -> None:
    found = {character for character in text if character in RAW}
    assert not found, f"{found} in {text!r}"


def test_names_never_reach_the_terminal_raw(command: Command, hostile_game: str) -> None:
    for line in (
        ["games", "--check", hostile_game],
        ["solve", hostile_game, "--output", "run", "-n", "20"],
        ["solve", hostile_game, "--output", "run2", "-n", "20", "--json"],
        ["show", "run"],
        ["show", "run", "--infoset", "nothing"],
        ["show", "run", "--infoset", f"H{HOSTILE}"],
        ["evaluate", "run"],
        ["evaluate", "run", "--json"],
        ["show", "run", "--json"],
        ["show", f"nothing{HOSTILE}"],
        ["solve", f"kuhn{HOSTILE}"],
        ["solve", "kuhn", "-p", f"{HOSTILE}=1"],
        ["solve", "kuhn", f"--{HOSTILE}"],
        ["export", "run", "--to", "json", "--output", "out.json"],
    ):
        outcome = command(*line)
        verify_safe(outcome.out + outcome.err)
        assert "Traceback" not in outcome.err


def test_names_are_shown_escaped_and_markup_is_not_read(
    command: Command, hostile_game: str
) -> None:
    report = command("games", "--check", hostile_game).out
    assert r"title\x1b]0;owned\x07\x9b31m\u202egnp\x7f[red]x[/red]\u2066" in report


def test_json_says_the_same_as_before(command: Command, hostile_game: str) -> None:
    command("solve", hostile_game, "--output", "run", "-n", "20")
    outcome = command("show", "run", "--json")
    verify_safe(outcome.out)
    assert f"H{HOSTILE}" in {row["label"] for row in outcome.json["rows"]}


def test_the_opponent_of_a_game_cannot_steer_the_terminal(
    command: Command, hostile_game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("solve", hostile_game, "--output", "run", "-n", "20")
    monkeypatch.setattr(sys, "stdin", io.StringIO("?\n=\nq\n"))
    outcome = command("play", "run")
    verify_safe(outcome.out + outcome.err)
    assert r"title\x1b" in outcome.out + outcome.err


def test_tables_on_a_terminal_keep_their_colours_and_lose_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    console = output._console(file=io.StringIO(), force_terminal=True, width=200)
    table = Table("name")
    table.add_row(Text(HOSTILE, style="bold"))
    console.print(table)
    console.print(HOSTILE)
    written = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[1m" in written
    assert "\x1b]0;" not in written
    assert not {"\x07", "\x9b", "\u202e", "\u2066", "\x7f"} & set(written)
    assert r"\x1b]0;owned" in written
    assert "[red]x[/red]" in written


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+2", "'=1+2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+go", "'+go"),
        ("-go", "'-go"),
        ("\t=1", "'\t=1"),
        ("-", "'-"),
        ("-1", "-1"),
        ("+2.5e-3", "+2.5e-3"),
        (".5", ".5"),
        ("-1+cmd", "'-1+cmd"),
        ("P0:K:", "P0:K:"),
        ("", ""),
        ("a=b", "a=b"),
    ],
)
def test_a_cell_is_never_a_formula(text: str, cell: str) -> None:
    assert spreadsheet_cell(text) == cell


def test_exported_names_are_no_formulas(command: Command, hostile_game: str) -> None:
    command("solve", hostile_game, "--output", "run", "-n", "20")
    assert command("export", "run", "--to", "csv", "--output", "out.csv").status == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["action"][:5] for row in rows} == {"'=1+2", "fold", "'+go", "-1"}
    assert "'@SUM(A1)" in {row["infoset"] for row in rows}
    assert all(float(row["probability"]) >= 0.0 for row in rows)
