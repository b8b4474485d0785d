"""`untilt chart --seats`, `untilt icm` and the quiz of a table."""

import csv
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command


def test_the_json_of_a_table_has_the_promised_fields(command: Command) -> None:
    outcome = command("chart", "--seats", 3, "--stack", 5, "--json")
    assert outcome.status == 0
    found = outcome.json
    assert found["seats"] == 3
    assert found["stacks_bb"] == [5.0, 5.0, 5.0]
    assert found["values_bb"] == pytest.approx([0.28895, -0.03502, -0.25393], abs=2e-5)
    assert found["nash_conv_bb"] == pytest.approx(sum(found["gains_bb"]), abs=1e-12)
    assert found["nash_conv_bb"] <= 1e-4
    assert found["returned"] in ("current", "average")
    assert [(each["seat"], each["before"]) for each in found["charts"]] == [
        ("button", []),
        ("small blind", []),
        ("small blind", ["button"]),
        ("big blind", ["button"]),
        ("big blind", ["small blind"]),
        ("big blind", ["button", "small blind"]),
    ]
    assert all(len(each["hands"]) == 169 for each in found["charts"])
    assert found["charts"][0]["hands"]["AA"] == 1.0


def test_a_table_is_compared_locked_audited_saved_and_written(
    command: Command, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("# mine\nbutton: 45%\nBB vs BTN: QQ+\n")
    outcome = command(
        *("chart", "--stacks", "9,7", "--ante", 0.1, "--compare", "SB: 22+"),
        *("--audit", "20k", "--csv", tmp_path / "a.csv", "--html", tmp_path / "a.html"),
        *("--save", tmp_path / "a.table", "--threads", 2),
    )
    assert outcome.status == 0
    assert "random deals" in outcome.out
    assert "costs" in outcome.out
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert len(rows) == 2 * 169
    assert (tmp_path / "a.html").read_text().startswith("<!")
    again = command("chart", "--stacks", "9,7", "--compare", tmp_path / "a.table", "--json")
    assert again.json["comparison"]["costs"][0] > 0.0
    locked = command("chart", "--seats", 3, "--stack", 4, "--locked", mine, "--json")
    button = locked.json["charts"][0]
    assert button["percent"] == pytest.approx(45.0)
    assert locked.json["gains_bb"][0] > 0.0


def test_prizes_give_shares_of_the_pool(command: Command) -> None:
    found = command(
        *("chart", "--stacks", "10,6", "--prizes", "50,30,20", "--others", "5", "--json")
    ).json
    assert sum(found["values"]) < 1.0
    assert sum(found["values_bb"]) == pytest.approx(0.0, abs=1e-6)
    with_bounty = command(
        *("chart", "--stacks", "10,6", "--prizes", "2,1", "--bounty", "1", "--json")
    ).json
    assert sum(with_bounty["values"]) == pytest.approx(1.0)


def test_a_sweep_of_tables_has_a_table_for_each_stack(command: Command) -> None:
    outcome = command("chart", "--seats", 2, "--sweep", "4:6:1", "--json")
    assert [each["stacks_bb"][0] for each in outcome.json["tables"]] == [4.0, 5.0, 6.0]
    outcome = command("chart", "--stacks", "6,x", "--sweep", "4:5:1", "--json")
    assert [each["stacks_bb"] for each in outcome.json["tables"]] == [[6.0, 4.0], [6.0, 5.0]]
    assert "write x" in command("chart", "--stacks", "6,7", "--sweep", "4:5:1").err
    assert "  stack" in command("chart", "--seats", 2, "--sweep", "4:5:1").out


def test_icm_prints_values_and_the_jacobian(command: Command) -> None:
    found = command("icm", "5000,3000,2000", "--prizes", "50,30,20", "--json").json
    assert found["values"] == pytest.approx([38.3928571, 32.75, 28.8571429])
    assert len(found["jacobian"]) == 3
    text = command("icm", "5_000,3000,2000", "--prizes", "50,30,20").out
    assert "38.3929" in text


def test_a_quiz_of_a_table_asks_for_its_decisions(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("f\n" * 5))
    outcome = command(*("pushfold", "quiz", "--stacks", "6,6", "--hands", 5, "--seed", 1, "--json"))
    assert outcome.status == 0
    assert json.loads(outcome.out)["answers"] == 5


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("chart", "--seats", "1"), "2 to 9"),
        (("chart", "--seats", "10"), "2 to 9"),
        (("chart", "--stacks", "10"), "2 to 9 seats"),
        (("chart", "--seats", "3", "--stack", "0"), "above 0"),
        (("chart", "--seats", "3", "--stack", "nan"), "not a number"),
        (("chart", "--stacks", "5,0,5"), "above 0"),
        (("chart", "--seats", "3", "--prizes", "1,2"), "first prize first"),
        (("chart", "--seats", "3", "--prizes", "4,3,2,1"), "4 prizes are given for 3 players"),
        (("chart", "--seats", "3", "--method", "lp"), "--method"),
        (("chart", "--seats", "3", "--audit", "many"), "--audit"),
        (("chart", "--seats", "3", "--compare", "missing.txt"), "missing.txt"),
        (("chart", "--prizes", "2,1"), "--seats"),
        (("icm", "5,0", "--prizes", "1"), "leave out who has none"),
        (("icm", "5,3", "--prizes", "1,2"), "first prize first"),
        (("icm", "5,3"), "--prizes"),
        (("icm", "5,x", "--prizes", "1"), "not a number"),
    ],
)
def test_bad_input_is_one_line(command: Command, words: tuple[str, ...], told: str) -> None:
    outcome = command(*words)
    assert outcome.status == 2
    assert told in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
