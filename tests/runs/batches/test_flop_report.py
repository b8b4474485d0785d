"""Reports over flops: kept flop by flop, continued after anything, equal on several processes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import untilt
from untilt.errors import FormatError, InvalidOption, RunError
from untilt.formats.base.store import sealed
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.batches.flop_report import (
    FlopReport,
    FlopStatus,
    load_report,
    report_spot,
    resume_report,
)
from untilt.runs.solve import solve as solve_spot

SPOT = Spot("Td9d6h", ("TT, AKs", "JJ, AQs"), 100, 60, Sizes("a", raises="a"))
FLOPS = "AsKs2h, 7c7d2s, JsTs9s"
HOW = {"iterations": 5, "threads": 1}


def solved(folder: Path, **more: object) -> FlopReport:
    return report_spot(SPOT, FLOPS, output=folder, **{**HOW, **more})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> FlopReport:
    return solved(tmp_path_factory.mktemp("reports") / "whole")


def test_each_row_is_the_solution_of_its_flop(whole: FlopReport) -> None:
    report = whole.at()
    assert [row.board for row in report.rows] == ["AsKs2h", "7c7d2s", "JsTs9s"]
    for row in report.rows[:2]:
        solution = solve_spot(SPOT.replaced(board=row.board), save=False, **HOW)  # type: ignore[call-overload]
        assert row.ev == pytest.approx(solution.ev, rel=1e-5)
        assert dict(row.frequencies) == pytest.approx(solution.root.frequencies)
        assert row.exploitability == pytest.approx(solution.exploitability)
    total = report.total
    assert total.weight == pytest.approx(1.0)
    for player in (0, 1):
        mean = sum(row.weight * row.ev[player] for row in report.rows)
        assert total.ev[player] == pytest.approx(mean, rel=1e-12)


def test_another_line_needs_no_solving_and_counts_how_often_it_is_played(
    whole: FlopReport,
) -> None:
    root, facing = whole.at(), whole.at("all-in 60")
    assert facing.player == 1
    assert set(facing.actions) == {"fold", "call"}
    joint = [row.weight * row.frequencies["all-in 60"] for row in root.rows]
    for row, share in zip(facing.rows, joint, strict=True):
        assert row.weight == pytest.approx(share / sum(joint), rel=1e-6)


@pytest.mark.long
def test_several_processes_find_the_same_bits(whole: FlopReport, tmp_path: Path) -> None:
    statuses: list[FlopStatus] = []
    both = solved(tmp_path / "both", processes=2, watcher=statuses.append)
    assert both.at().rows == whole.at().rows
    assert [status.done for status in statuses] == [0, 1, 2, 3]
    assert statuses[-1].seconds_left == 0.0


def test_missing_and_damaged_flops_are_solved_again(whole: FlopReport, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    solved(folder)
    flops = folder / "flops"
    (flops / "7c7d2s.json").unlink()
    cut = flops / "JsTs9s.json"
    cut.write_bytes(cut.read_bytes()[:200])
    changed = flops / "AsKs2h.json"
    document = json.loads(changed.read_text())
    document["exploitability"] = 0.0
    changed.write_text(json.dumps(document))
    (flops / ".JsTs9s.json.1-abcd.tmp").write_text("half")
    assert load_report(folder).num_missing == 3
    statuses: list[FlopStatus] = []
    again = resume_report(folder, watcher=statuses.append)
    assert statuses[0].done == 0
    assert again.at().rows == whole.at().rows


@pytest.mark.parametrize(
    ("ev", "is_possible"), [(159, True), (162, False), (-59, True), (-62, False)]
)
def test_nobody_wins_more_than_the_pot_and_the_others_stack(
    tmp_path: Path, ev: int, is_possible: bool
) -> None:
    folder = tmp_path / "forged"
    solved(folder)
    path = folder / "flops" / "AsKs2h.json"
    document = json.loads(path.read_text())
    document["lines"][""]["ev"][0] = ev
    del document["checksum"]
    path.write_text(json.dumps(sealed(document)))
    assert load_report(folder).num_missing == (0 if is_possible else 1)


def test_a_flop_that_does_not_say_its_exploitability_is_solved_again(tmp_path: Path) -> None:
    folder = tmp_path / "forged"
    solved(folder)
    path = folder / "flops" / "AsKs2h.json"
    document = json.loads(path.read_text())
    document["exploitability"] = None
    del document["checksum"]
    path.write_text(json.dumps(sealed(document)))
    assert load_report(folder).num_missing == 1


@pytest.mark.long
def test_a_killed_report_keeps_its_flops_and_continues(whole: FlopReport, tmp_path: Path) -> None:
    (tmp_path / "spot.toml").write_text(SPOT.to_toml())
    command = [
        *(sys.executable, "-m", "untilt", "report", "spot.toml", "--flops", FLOPS),
        *("--iterations", "5", "--threads", "1", "--output", "killed"),
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    flops = tmp_path / "killed" / "flops"
    deadline = time.monotonic() + 120
    while process.poll() is None and not list(flops.glob("*.json")):
        assert time.monotonic() < deadline, "no flop was solved"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = {path: path.stat().st_mtime_ns for path in flops.glob("[!.]*.json")}
    found = load_report(tmp_path / "killed")
    assert len(found.documents) == len(kept)
    again = resume_report(tmp_path / "killed")
    assert again.at().rows == whole.at().rows
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in kept.items())


def test_a_part_of_the_flops_is_weighted_among_itself(tmp_path: Path) -> None:
    folder = tmp_path / "part"
    solved(folder)
    (folder / "flops" / "JsTs9s.json").unlink()
    report = load_report(folder).at()
    assert report.words.startswith("2 flops solved so far of 3 given flops")
    assert report.total.weight == pytest.approx(1.0)


def test_a_number_of_flops_means_what_it_meant_when_the_report_was_made(tmp_path: Path) -> None:
    folder = tmp_path / "chosen"
    report_spot(SPOT, 2, output=folder, **HOW)  # type: ignore[arg-type]
    file = folder / "report.json"
    asked = json.loads(file.read_text())
    assert asked["weights"] == pytest.approx([0.5, 0.5])
    file.write_text(json.dumps({**asked, "weights": [0.25, 0.75]}))
    found = load_report(folder)
    assert [flop.weight for flop in found.choice.flops] == [0.25, 0.75]
    assert found.choice.words == asked["words"]
    for name in ("weights", "words"):  # as in 0.1.0
        del asked[name]
    file.write_text(json.dumps(asked))
    found = load_report(folder)
    assert [flop.weight for flop in found.choice.flops] == [0.5, 0.5]
    assert "equal slices" in found.choice.words
    file.write_text(json.dumps({**asked, "weights": [1.0]}))
    with pytest.raises(FormatError, match="damaged"):
        load_report(folder)


def test_reports_from_python(whole: FlopReport, tmp_path: Path) -> None:
    assert untilt.spots.report(whole.path).rows == whole.at().rows
    found = untilt.spots.report(SPOT, flops=["AsKs2h"], output=tmp_path / "one", **HOW)  # type: ignore[arg-type]
    assert [row.board for row in found.rows] == ["AsKs2h"]
    with pytest.raises(InvalidOption, match="flops"):
        untilt.spots.report(SPOT)
    with pytest.raises(InvalidOption, match="iterations"):
        untilt.spots.report(whole.path, iterations=3)


def test_wrong_requests_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="processes"):
        solved(tmp_path / "a", processes=0)
    with pytest.raises(InvalidOption, match="decisions on the flop"):
        solved(tmp_path / "a", line="check, check")
    for lock in (
        {"line": "", "lock": "AhKh check"},
        {"line": "check", "lock": "JJ check", "board": "Qc"},
    ):
        with pytest.raises(InvalidOption, match="names suits or a card"):
            report_spot(SPOT.replaced(locks=[lock]), FLOPS, output=tmp_path / "a")
    assert not list(tmp_path.iterdir())
    with pytest.raises(RunError, match="not the folder of a report"):
        resume_report(tmp_path)


def test_a_report_of_a_newer_version_or_of_something_else_is_refused(tmp_path: Path) -> None:
    solved(tmp_path / "new")
    file = tmp_path / "new" / "report.json"
    asked = json.loads(file.read_text())
    for change, message in (
        ({"format": 2}, "update untilt"),
        ({"kind": "x"}, "damaged"),
        ({"stop": 3}, "damaged"),
    ):
        file.write_text(json.dumps({**asked, **change}))
        with pytest.raises(FormatError, match=message):
            load_report(tmp_path / "new")


def test_hands_that_the_first_flop_excludes_are_on_the_others() -> None:
    ranges = ("AsKs,AhKh,JJ", "QQ,TT")
    spot = untilt.Spot("AsKsQs", ranges, 60, 60, untilt.Sizes("50%", raises="a"))
    told = untilt.spots.report(spot, flops=["AsKs2h", "7h6d5c"], iterations=5)
    alone = untilt.solve(spot.replaced(board="7h6d5c"), iterations=5, save=False)
    assert told.rows[1].board == "7h6d5c"
    assert told.rows[1].ev == pytest.approx(alone.ev, rel=1e-6)
    assert alone.root.sides[0].num_combos == 8.0
