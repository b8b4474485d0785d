"""`untilt export`: what other programs read."""

import csv
import errno
import io
import json
import os
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Command
from tests.runs import game_runs


def test_json_is_read_again_by_evaluate_without_naming_the_game(
    command: Command, runs: Path
) -> None:
    assert command("export", runs / "leduc").out.startswith("saved in leduc.json (")
    document = json.loads(Path("leduc.json").read_text(encoding="utf-8"))
    assert document["game"] == "leduc"
    assert document["parameters"] == {"ranks": 3, "suits": "merged", "bets": 2}
    assert document["strategy"] == game_runs.load(runs / "leduc").strategy.to_dict()
    again = command("evaluate", "leduc.json", "--json").json
    once = command("evaluate", runs / "leduc", "--json").json
    assert again["exploitability"] == pytest.approx(once["exploitability"], rel=1e-9)


def test_csv_has_a_line_per_action_and_probabilities_that_sum_to_one(
    command: Command, runs: Path
) -> None:
    found = command("export", runs / "leduc", "--to", "csv", "--output", "-")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert len(rows) == 672
    assert list(rows[0]) == [
        *("player", "infoset", "private", "public", "line", "action"),
        *("probability", "value", "own_reach", "opponent_reach"),
    ]
    sums = {
        label: sum(float(row["probability"]) for row in group)
        for label, group in groupby(rows, key=lambda row: row["infoset"])
    }
    assert len(sums) == 288
    assert all(total == pytest.approx(1.0) for total in sums.values())
    openings = [row for row in rows if row["player"] == "0" and row["line"] == ""]
    value = sum(
        float(row["opponent_reach"]) * float(row["probability"]) * float(row["value"])
        for row in openings
    )
    assert value == pytest.approx(game_runs.load(runs / "leduc").value)
    assert rows[0]["infoset"] == "P0:J::"


def test_csv_leaves_the_value_empty_where_an_infoset_cannot_be_reached(
    command: Command, runs: Path
) -> None:
    strategy = game_runs.load(runs / "lp").strategy
    assert strategy["P0:Q:"]["bet"] == 0.0
    command("export", runs / "lp", "--to", "csv")
    rows = list(csv.DictReader(io.StringIO(Path("lp.csv").read_text(encoding="utf-8"))))
    unreached = [row for row in rows if float(row["opponent_reach"]) == 0.0]
    assert all(row["value"] == "" for row in unreached)
    assert all(row["value"] != "" for row in rows if row not in unreached)


def test_npz_alone_gives_the_value_of_the_profile(command: Command, runs: Path) -> None:
    found = command("export", runs / "cfr", "--to", "npz", "--json")
    path = Path(found.json["file"])
    assert path == Path("cfr.npz")
    assert found.json["bytes"] == path.stat().st_size
    with np.load(path, allow_pickle=False) as arrays:
        own = np.repeat(arrays["plan_0"], np.diff(arrays["row_start_0"]))
        other = arrays["plan_1"][arrays["opponent_sequence_0"]]
        value = float((own * other * arrays["payoff_0"]).sum())
        assert value == pytest.approx(game_runs.load(runs / "cfr").value, abs=1e-12)
        assert float((own * other * arrays["weight_0"]).sum()) == pytest.approx(1.0)
        assert arrays["labels_0"].tolist()[:2] == ["P0:J:", "P0:J:cb"]
        assert arrays["actions_0"].tolist()[:3] == ["", "check", "bet"]
        assert arrays["labels_0"].dtype.kind == "U"
        assert len(arrays["parent_sequence_1"]) == len(arrays["first_sequence_1"]) - 1 == 6


def test_an_existing_file_is_replaced_only_by_force(command: Command, runs: Path) -> None:
    Path("lp.json").write_text("precious", encoding="utf-8")
    assert "lp.json already exists" in command("export", runs / "lp").error
    assert Path("lp.json").read_text(encoding="utf-8") == "precious"
    assert command("export", runs / "lp", "--force").status == 0
    assert json.loads(Path("lp.json").read_text(encoding="utf-8"))["game"] == "kuhn"
    assert [path.name for path in Path().iterdir()] == ["lp.json"]


def test_stdout_is_for_text_and_for_one_thing_at_a_time(command: Command, runs: Path) -> None:
    assert "npz is not text" in command("export", runs / "lp", "--to", "npz", "-o", "-").error
    assert "--json prints there too" in command("export", runs / "lp", "-o", "-", "--json").error


def test_a_form_that_does_not_exist_is_refused(command: Command, runs: Path) -> None:
    assert (
        "'xml' is not one of 'json', 'csv', 'npz'"
        in command("export", runs / "lp", "--to", "xml").error
    )


def test_a_folder_that_does_not_exist_is_not_written(command: Command, runs: Path) -> None:
    error = command("export", runs / "lp", "-o", "nowhere/lp.json").error
    assert "cannot write nowhere/lp.json" in error.replace("\\", "/")


def test_after_a_full_disk_an_export_is_repeated_not_resumed(
    command: Command, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    told = command("export", runs / "leduc", "--output", "full.json")
    assert told.status == 1
    assert told.err == (
        "error: cannot write full.json: the disk is full; free some space, then run the command "
        "again\n"
    )
