"""What the endpoints say, against numbers computed without them."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.dashboard.serving import Client, fields_of
from tests.runs import game_runs

import untilt
from untilt.cli.main import run as run_command
from untilt.dashboard.sources.run_folder import ServedRun
from untilt.evaluation.action_values import action_values
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.formats.run.frames import read_frames, write_frames
from untilt.formats.run.progress_reader import read_progress
from untilt.game.terms import Terms, terms_of
from untilt.games.pushfold.game import Stakes
from untilt.runs.pushfold.charts import sweep_charts
from untilt.runs.pushfold.sweep_folder import save_sweep

ALL = ["kuhn", "deeper~leduc", "path", "pushfold", "exact"]


def test_the_session_names_the_version_and_the_folder(client: Client, solved_runs: Path) -> None:
    session = client.get("/api/session")
    assert session == {"version": untilt.__version__, "root": str(solved_runs), "start": None}
    assert session.keys() == fields_of("Session")


def test_all_runs_are_listed_the_newest_first(client: Client) -> None:
    runs = client.get("/api/runs")["runs"]
    assert {run["id"] for run in runs} == set(ALL)
    assert {run["name"] for run in runs} == {each.replace("~", "/") for each in ALL}
    created = [run["created"] for run in runs]
    assert created == sorted(created, reverse=True)


def test_a_summary_tells_what_the_run_says(client: Client, solved_runs: Path) -> None:
    (summary,) = (run for run in client.get("/api/runs")["runs"] if run["id"] == "deeper~leduc")
    run = game_runs.load(solved_runs / "deeper" / "leduc")
    assert summary.keys() == fields_of("RunSummary")
    assert summary["kind"] == "solve"
    assert (summary["game"], summary["title"]) == ("leduc", "Leduc Hold'em")
    assert (summary["method"], summary["unit"]) == ("cfr+", "chips")
    assert (summary["status"], summary["problem"]) == ("finished", None)
    assert summary["infosets"] == 288
    assert summary["views"] == ["convergence", "strategy", "play", "facts"]
    assert summary["last"].keys() == fields_of("ProgressRow")
    assert summary["last"]["iteration"] == 200
    assert summary["last"]["exploitability"] == pytest.approx(run.exploitability)
    assert summary["last"]["seconds_left"] == 0.0
    assert 2 <= len(summary["sparkline"]) <= 40
    assert summary["sparkline"][-1] == pytest.approx(math.log10(run.exploitability), abs=1e-3)


def test_views_depend_on_what_a_run_has(client: Client) -> None:
    views = {run["id"]: run["views"] for run in client.get("/api/runs")["runs"]}
    assert views["path"] == ["convergence", "strategy", "branch", "play", "facts"]
    assert views["pushfold"] == ["convergence", "strategy", "pushfold", "play", "facts"]


def test_a_run_carries_the_terms_of_its_game(client: Client) -> None:
    terms = {run["id"]: run["terms"] for run in client.get("/api/runs")["runs"]}
    units = {run["id"]: run["unit"] for run in client.get("/api/runs")["runs"]}
    assert units == {run: each["unit"] for run, each in terms.items()}
    assert terms["kuhn"] == terms_of(untilt.games.kuhn()).to_json()
    assert terms["pushfold"]["seats"] == ["small blind", "big blind"]
    assert (units["pushfold"], units["kuhn"]) == ("bb", "chips")


def test_a_run_without_terms_has_those_of_the_registered_game(
    client_for: Callable[[Path], Client], runs: Path
) -> None:
    expected = client_for(runs).get("/api/runs/pushfold")["terms"]
    path = runs / "pushfold" / "run.json"
    given = json.loads(path.read_text())
    given.pop("terms", None)
    # Whatever the parameters are: only the name counts.
    given["parameters"]["stack"] = 1e300
    path.write_text(json.dumps(given))
    assert client_for(runs).get("/api/runs/pushfold")["terms"] == expected
    path.write_text(json.dumps(given | {"reference": "mine.py:pushfold"}))
    found = client_for(runs).get("/api/runs/pushfold")["terms"]
    assert found == Terms().to_json()


def test_actions_carry_their_meaning(client: Client) -> None:
    rows = client.get("/api/runs/kuhn/strategy", player=1, line="b")["rows"]
    assert [action["kind"] for action in rows[0]["action_data"]] == rows[0]["actions"]
    rows = client.get("/api/runs/pushfold/strategy", limit=1)["rows"]
    assert [action["kind"] for action in rows[0]["action_data"]] == ["fold", "all-in"]
    history = client.get("/api/runs/kuhn/infoset", label="P0:K:")
    assert [action["name"] for action in history["action_data"]] == history["actions"]


@pytest.mark.parametrize("run", ALL)
def test_shapes_are_those_of_the_page(client: Client, run: str) -> None:
    detail = client.get(f"/api/runs/{run}")
    assert detail.keys() == fields_of("RunDetail")
    assert detail["terms"].keys() == fields_of("Terms")
    assert detail["lines"][0].keys() == fields_of("LineInfo")
    assert all(move.keys() == fields_of("LineMove") for move in detail["moves"])
    assert detail["frames"][0].keys() == fields_of("FrameInfo")
    progress = client.get(f"/api/runs/{run}/progress")
    assert progress.keys() == fields_of("ProgressPage") - {"K"}
    assert progress["columns"].keys() == fields_of("ProgressRow")
    page = client.get(f"/api/runs/{run}/strategy")
    assert page.keys() == fields_of("StrategyPage")
    assert page["rows"][0].keys() == fields_of("StrategyRow")
    assert page["rows"][0]["action_data"][0].keys() == fields_of("ActionData")
    label = page["rows"][0]["label"]
    assert client.get(f"/api/runs/{run}/infoset", label=label).keys() == fields_of("InfosetHistory")
    state = client.get(f"/api/runs/{run}/play", seed=1, hand=0, seat=0)
    assert state.keys() == fields_of("PlayState")
    assert state["chips"].keys() == fields_of("Chips")
    assert state["terms"] == detail["terms"]
    assert state["to_act"]["action_data"][0].keys() == fields_of("PlayAction")


def test_the_detail_of_leduc_has_its_cards_boards_and_lines(client: Client) -> None:
    detail = client.get("/api/runs/deeper~leduc")
    assert detail["cards"] == ["J", "Q", "K"]
    assert detail["boards"] == ["", "J", "Q", "K"]
    assert detail["stop"] == {"iterations": 200, "target": None, "seconds": None}
    assert detail["options"]["average"] == "quadratic"
    lines = [line for line in detail["lines"] if line["player"] == 0]
    assert {line["line"] for line in lines[:3]} == {"", "cb", "br"}
    assert all("/" in line["line"] for line in lines[3:])
    # 3 private cards before the board; with one, 3 · 3 pairs.
    assert [line["infosets"] for line in lines[:4]] == [3, 3, 3, 9]
    assert sum(line["infosets"] for line in detail["lines"]) == 288
    by_line = {(line["player"], line["line"]): line["words"] for line in detail["lines"]}
    assert by_line[0, ""] == "opening action"
    assert by_line[1, "b"] == "facing a bet"
    assert by_line[1, "cc/cbr"] == "facing a raise"


def test_progress_has_every_row_of_a_short_run(client: Client, solved_runs: Path) -> None:
    rows = read_progress(solved_runs / "kuhn" / "progress.jsonl")
    page = client.get("/api/runs/kuhn/progress")
    assert page["total"] == len(rows)
    assert page["offset"] == (solved_runs / "kuhn" / "progress.jsonl").stat().st_size
    absent = {"value_1", "beta", "residual", "drift", "nodes", "infosets", "lbr", "lbr_margin"}
    for name in fields_of("ProgressRow") - absent:
        assert page["columns"][name] == [row[name] for row in rows]
    for name in absent:
        assert page["columns"][name] == [None] * len(rows)


def test_progress_is_thinned_on_demand(client: Client, solved_runs: Path) -> None:
    rows = read_progress(solved_runs / "kuhn" / "progress.jsonl")
    page = client.get("/api/runs/kuhn/progress", points=10)
    iterations = page["columns"]["iteration"]
    assert 5 <= len(iterations) <= 10
    assert (iterations[0], iterations[-1]) == (1, rows[-1]["iteration"])
    assert page["total"] == len(rows)


@pytest.mark.parametrize(("run", "folder"), [("kuhn", "kuhn"), ("deeper~leduc", "deeper/leduc")])
@pytest.mark.parametrize("player", [0, 1])
def test_the_last_frame_is_the_final_strategy_with_its_values_and_reaches(
    client: Client, solved_runs: Path, run: str, folder: str, player: int
) -> None:
    solved = game_runs.load(solved_runs / folder)
    snapshot = sequence_snapshot(
        solved.game.infosets, solved.profile.behaviours, solved.game.exact_form()
    )
    names = solved.game.infosets[player]
    cards = [each.parts(index).private for each in snapshot.infosets for index in range(len(each))]
    order = sorted(range(len(names)), key=lambda index: cards.index(names.parts(index).private))
    expected = [snapshot.row(player, index) for index in order]
    page = client.get(f"/api/runs/{run}/strategy", player=player, limit=1000)
    assert page["iteration"] == solved.iterations
    assert page["total"] == len(expected)
    assert [row["label"] for row in page["rows"]] == [row.label for row in expected]
    for shown, row in zip(page["rows"], expected, strict=True):
        assert (shown["card"], shown["board"], shown["line"]) == (row.private, row.public, row.line)
        assert shown["actions"] == list(row.actions)
        assert shown["probabilities"] == pytest.approx(row.probabilities)
        assert shown["own_reach"] == pytest.approx(row.own_reach)
        values = [math.nan if value is None else value for value in shown["values"]]
        assert values == pytest.approx(row.values, nan_ok=True)


def test_an_earlier_frame_is_what_was_kept_then(client: Client, solved_runs: Path) -> None:
    kept = read_frames(solved_runs / "kuhn" / "frames.bin")
    frames = client.get("/api/runs/kuhn")["frames"]
    assert [frame["iteration"] for frame in frames] == [
        kept[position].iteration for position in range(len(kept))
    ]
    page = client.get("/api/runs/kuhn/strategy", frame=7, player=0)
    assert (page["frame"], page["iteration"]) == (7, kept[7].iteration)
    shown = [value for row in sorted_by_label(page) for value in row["probabilities"]]
    run = game_runs.load(solved_runs / "kuhn")
    table = run.game.infosets[0]
    order = sorted(range(len(table)), key=lambda index: table.labels[index])
    expected = np.concatenate([kept[7].strategy[table.block(index)] for index in order])
    assert shown == pytest.approx(expected.tolist())


def sorted_by_label(page: Any) -> list[Any]:
    return sorted(page["rows"], key=lambda row: str(row["label"]))


def test_filters_leave_what_they_name(client: Client) -> None:
    def labels(**query: Any) -> list[str]:
        page = client.get("/api/runs/deeper~leduc/strategy", limit=1000, **query)
        return [row["label"] for row in page["rows"]]

    everything = labels(player=0)
    assert labels(player=0, card="K") == [each for each in everything if each.startswith("P0:K:")]
    assert labels(player=0, board="Q", line="cc/") == ["P0:J:Q:cc/", "P0:Q:Q:cc/", "P0:K:Q:cc/"]
    assert labels(player=0, board="") == [each for each in everything if each.split(":")[2] == ""]
    assert labels(player=1, line="b", board="") == ["P1:J::b", "P1:Q::b", "P1:K::b"]
    assert labels(player=0, search="K:j:CC") == [
        each for each in everything if "k:j:cc" in each.lower()
    ]
    assert labels(player=0, card="7") == []


def test_pages_put_together_are_the_whole(client: Client) -> None:
    whole = client.get("/api/runs/deeper~leduc/strategy", limit=1000)["rows"]
    parts = [
        row
        for offset in range(0, 144, 50)
        for row in client.get("/api/runs/deeper~leduc/strategy", limit=50, offset=offset)["rows"]
    ]
    assert parts == whole
    assert len(whole) == 144


def test_an_infoset_is_followed_through_all_frames(client: Client, solved_runs: Path) -> None:
    kept = read_frames(solved_runs / "deeper" / "leduc" / "frames.bin")
    history = client.get("/api/runs/deeper~leduc/infoset", label="P1:Q:K:cbc/c")
    run = game_runs.load(solved_runs / "deeper" / "leduc")
    table = run.game.infosets[1]
    block = table.block(table.index("P1:Q:K:cbc/c"))
    first = run.game.infosets[0].num_sequences
    own = slice(first + block.start, first + block.stop)
    assert history["player"] == 1
    assert history["words"] == "after a check, K on the board"
    assert history["parent"] == {"label": "P1:Q::c", "action": "bet"}
    assert len(history["probabilities"]) == len(history["frames"]) == len(kept)
    for position in range(len(kept) - 1):
        assert history["probabilities"][position] == pytest.approx(kept[position].strategy[own])
        assert history["values"][position] == pytest.approx(kept[position].action_values[own])


def test_frames_of_a_path_carry_their_beta(client: Client, solved_runs: Path) -> None:
    rows = read_progress(solved_runs / "path" / "progress.jsonl")
    detail = client.get("/api/runs/path")
    assert [frame["beta"] for frame in detail["frames"]] == [row["beta"] for row in rows]
    assert [frame["moment"] for frame in detail["frames"]] == list(range(len(rows)))
    assert detail["folds"] == []
    page = client.get("/api/runs/path/strategy", frame=0)
    assert page["beta"] == 0.0
    assert all(row["probabilities"] == [0.5, 0.5] for row in page["rows"])


def test_a_frame_belongs_to_the_row_of_its_iteration(client: Client) -> None:
    progress = client.get("/api/runs/deeper~leduc/progress")["columns"]
    for frame in client.get("/api/runs/deeper~leduc")["frames"]:
        assert progress["iteration"][frame["moment"]] == frame["iteration"]


def test_the_final_strategy_follows_frames_that_end_before_it(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    kept = read_frames(runs / "kuhn" / "frames.bin", up_to_iteration=100)
    write_frames(runs / "kuhn" / "frames.bin", kept)
    client = client_for(runs)
    frames = client.get("/api/runs/kuhn")["frames"]
    assert [frame["iteration"] for frame in frames[-2:]] == [kept[-1].iteration, 500]
    history = client.get("/api/runs/kuhn/infoset", label="P0:J:")
    assert len(history["probabilities"]) == len(kept) + 1
    final = game_runs.load(runs / "kuhn").strategy["P0:J:"]
    assert history["probabilities"][-1] == pytest.approx(list(final.values()))


def test_a_run_with_a_strategy_alone_has_one_frame(
    runs: Path, client_for: Callable[[Path], Client]
) -> None:
    (runs / "kuhn" / "frames.bin").unlink()
    client = client_for(runs)
    detail = client.get("/api/runs/kuhn")
    assert [frame["iteration"] for frame in detail["frames"]] == [500]
    assert "strategy" in detail["views"]
    assert client.get("/api/runs/kuhn/strategy", frame=0)["frame"] == 0


def test_a_push_fold_chart_is_that_of_the_solution(client: Client, solved_runs: Path) -> None:
    run = game_runs.load(solved_runs / "pushfold")
    chart = client.get("/api/runs/pushfold/pushfold")
    assert chart.keys() == fields_of("NodePage")
    facts = chart["panels"]["stack"]
    assert (facts["stack"], facts["stakes"]) == (10.0, "blinds 0.5/1")
    assert facts["value"] == pytest.approx(run.value)
    assert facts["exploitability"] == pytest.approx(run.exploitability)
    for player, node in enumerate((chart, chart["panels"]["reply"])):
        assert (node["player"], len(node["actions"])) == (player, 2)
        seat = node["sides"][player]
        assert seat.keys() == fields_of("NodeSide")
        frequency = run.profile.behaviours[player][2::2]
        values = action_values(run.game.exact_form(), run.profile, player).conditional
        assert seat["mix"] == [pytest.approx(1.0 - frequency), pytest.approx(frequency)]
        # What folding is worth, from the action values as well.
        assert seat["values"] == [pytest.approx(values[1::2]), pytest.approx(values[2::2])]
        played = frequency * values[2::2] + (1.0 - frequency) * values[1::2]
        assert seat["columns"]["regret"] == pytest.approx(
            np.maximum(values[1::2], values[2::2]) - played, abs=1e-12
        )
    assert chart["panels"]["range"].startswith("22+")


def test_an_early_push_fold_frame_has_its_own_value(client: Client, solved_runs: Path) -> None:
    rows = read_progress(solved_runs / "pushfold" / "progress.jsonl")
    chart = client.get("/api/runs/pushfold/pushfold", frame=3)["panels"]["stack"]
    assert chart["value"] == rows[3]["value"]
    assert chart["exploitability"] == rows[3]["exploitability"]


def test_the_published_chart_stands_beside_a_run_of_its_stakes(client: Client) -> None:
    first = client.get("/api/runs/pushfold/pushfold")["panels"]
    for published in (first["published"], first["reply"]["panels"]["published"]):
        assert published["name"] == "hune"
        assert len(published["hands"]) == 169
        assert published["hands"][0] is True


def test_a_sweep_shows_the_stack_nearest_to_the_one_asked_for(
    tmp_path: Path, client_for: Callable[[Path], Client]
) -> None:
    found = sweep_charts([Stakes(stack) for stack in (4.0, 9.0, 25.0)])
    charts = found.charts
    save_sweep(found, "lp", tmp_path / "sweep")
    client = client_for(tmp_path)
    detail = client.get("/api/runs/sweep")
    assert (detail["kind"], detail["unit"], detail["status"]) == ("sweep", "bb", "finished")
    assert (detail["stacks"], detail["views"]) == ([4.0, 9.0, 25.0], ["pushfold", "facts"])
    for asked, chart in ((1.0, charts[0]), (9.5, charts[1]), (100.0, charts[2])):
        shown = client.get("/api/runs/sweep/pushfold", stack=asked)
        reply = shown["panels"]["reply"]
        assert shown["panels"]["stack"]["stack"] == chart.stack
        assert shown["panels"]["stack"]["value"] == pytest.approx(chart.value)
        assert shown["sides"][0]["mix"][1] == pytest.approx(chart.push.frequency)
        assert 100.0 * reply["mix"][1] == pytest.approx(chart.call.percent)
        assert reply["panels"]["range"] == chart.call.range_text()
        # The published chart ends at 20 bb.
        assert (shown["panels"]["published"] is None) == (chart.stack > 20.0)


def test_a_hand_can_be_played_to_its_end(client: Client) -> None:
    actions: list[str] = []
    query: dict[str, Any] = {"seed": 3, "hand": 5, "seat": 1}
    state = client.get("/api/runs/kuhn/play", **query)
    while not state["is_over"]:
        assert state["opponent"] is None
        actions.append(state["to_act"]["actions"][-1])
        state = client.get("/api/runs/kuhn/play", action=actions, **query)
    assert abs(state["payoff"]) in (1.0, 2.0)
    assert state["opponent"] in {"J", "Q", "K"} - {state["private"]}
    assert [each["chosen"] for each in state["review"]] == actions
    assert state["review"][0].keys() == fields_of("ReviewedDecision")


def test_a_spot_is_dealt_again(client: Client) -> None:
    query: dict[str, Any] = {"seed": 3, "seat": 0, "action": ["check"]}
    found = client.get("/api/runs/kuhn/deal", label="P0:Q:cb", hand=0, **query)
    assert found.keys() == fields_of("DealtSpot")
    state = client.get("/api/runs/kuhn/play", hand=found["hand"], **query)
    assert state["to_act"]["label"] == "P0:Q:cb"
    # Without the check there is no way to this spot; a hand has a number below 2^61.
    last = {"seed": 3, "seat": 0, "hand": (1 << 63) - 1}
    assert client.get("/api/runs/kuhn/deal", label="P0:Q:cb", **last) == {"hand": None}


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/api/runs/nothing", {}, 404),
        ("/api/runs/kuhn/strategy", {"frame": 1000}, 404),
        ("/api/runs/kuhn/strategy", {"frame": "x"}, 400),
        ("/api/runs/kuhn/strategy", {"player": 2}, 400),
        ("/api/runs/kuhn/strategy", {"limit": 0}, 400),
        ("/api/runs/kuhn/strategy", {"limit": 10**30}, 400),
        ("/api/runs/kuhn/strategy", {"offset": -1}, 400),
        ("/api/runs/kuhn/strategy", {"search": "x" * 3000}, 400),
        ("/api/runs/kuhn/infoset", {"label": "P0:A:"}, 404),
        ("/api/runs/kuhn/infoset", {}, 404),
        ("/api/runs/kuhn/progress", {"points": 1}, 400),
        ("/api/runs/kuhn/progress", {"points": "١٢"}, 400),
        ("/api/runs/kuhn/pushfold", {}, 404),
        ("/api/runs/pushfold/pushfold", {"stack": "nan"}, 400),
        ("/api/runs/kuhn/play", {"seat": 2}, 400),
        ("/api/runs/kuhn/play", {"action": "raise"}, 400),
        ("/api/runs/kuhn/deal", {"seat": 0}, 400),
        ("/api/runs/kuhn/deal", {"seat": 1, "label": "P0:Q:"}, 400),
        ("/api/runs/kuhn/deal", {"seat": 2, "label": "P0:Q:"}, 400),
        ("/api/runs/kuhn/deal", {"seat": 0, "label": "P0:Q:", "hand": -1}, 400),
        ("/api/runs/kuhn/nothing", {}, 404),
        ("/api/nothing", {}, 404),
        ("/nothing.js", {}, 404),
        ("/api/events", {"run": "kuhn"}, 400),
        ("/api/events", {"run": "kuhn@-1"}, 400),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_line(
    client: Client, path: str, query: dict[str, Any], status: int
) -> None:
    assert client.refusal(path, **query)[0] == status


def test_answers_are_not_cached(client: Client) -> None:
    assert client.raw.get("/api/runs").headers["cache-control"] == "no-store"
    assert client.raw.get("/api/runs/none").headers["cache-control"] == "no-store"


def test_a_failure_of_ours_is_one_line_and_a_log(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: ServedRun) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(ServedRun, "asked", fail)
    status, line = client.refusal("/api/runs/kuhn")
    assert status == 500
    assert "secret" not in line
    assert "ZeroDivisionError" in caplog.text


def test_facts_say_where_a_run_is_and_how_to_repeat_it(client: Client, solved_runs: Path) -> None:
    facts = client.get("/api/runs/deeper~leduc/facts")
    assert facts.keys() == fields_of("RunFacts")
    assert facts["folder"] == str(solved_runs / "deeper" / "leduc")
    assert facts["version"] == untilt.__version__
    assert facts["machine"]["cores"] >= 1
    assert facts["command"] is None
    assert facts["note"] == "made from Python; repeat it there"


def test_facts_have_the_command_as_it_was_typed(
    client_for: Callable[[Path], Client], tmp_path: Path
) -> None:
    words = ["solve", "kuhn", "-n", "3", "--output", str(tmp_path / "a run")]
    assert run_command(words) == 0
    facts = client_for(tmp_path).get("/api/runs/a run/facts")
    assert facts["command"] == f"untilt solve kuhn -n 3 --output '{tmp_path}/a run'"
    assert facts["note"] is None


def test_parameters_that_differ_from_the_defaults_are_told_apart(
    client_for: Callable[[Path], Client], tmp_path: Path
) -> None:
    untilt.solve("leduc", "cfr+", parameters={"ranks": 4}, iterations=2, output=tmp_path / "four")
    untilt.solve("leduc", "cfr+", iterations=2, output=tmp_path / "plain")
    runs = {run["id"]: run for run in client_for(tmp_path).get("/api/runs")["runs"]}
    assert runs["four"]["parameters"] == {"ranks": 4, "suits": "merged", "bets": 2}
    assert runs["four"]["changed"] == {"ranks": 4}
    assert runs["plain"]["changed"] == {}
