"""`untilt export` of solved spots: what is written, how it is limited, and what it takes."""

import csv
import io
import json
import tracemalloc
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Command

import untilt
from untilt.cards.combos import combo_name
from untilt.errors import InvalidOption
from untilt.games.holdem.solutions.solution import Solution
from untilt.runs.results.spot_exporting import CSV_COLUMNS, export_of

SPOT = {
    "board": "AhAs7h7s",
    "pot": 100,
    "stack": 100,
    "ranges": {"oop": "QQ,KQs", "ip": "JJ,KJs"},
    "sizes": {"bets": "50%", "raises": ""},
    "locks": [{"line": "", "lock": "KQs check"}],
}


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    folder = tmp_path_factory.mktemp("exports") / "turn"
    found = untilt.solve(untilt.Spot.from_dict(SPOT), iterations=30, output=folder)
    assert found.view.boards.streets[1].num_boards == 24  # suits are merged in pairs
    return found


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def exported(solution: Solution, **chosen: Any) -> list[dict[str, str]]:
    return rows_of(b"".join(export_of(solution, "csv", **chosen).chunks()).decode())


def test_the_whole_tree_has_every_decision_with_the_numbers_of_its_node(
    solution: Solution,
) -> None:
    rows = exported(solution)
    assert tuple(rows[0]) == CSV_COLUMNS
    places = list(dict.fromkeys((row["line"], row["board"]) for row in rows))
    nodes = list(solution.nodes())
    assert len(nodes) == export_of(solution, "csv").num_nodes
    # Hands that never get to a node are left out, and so may be nodes.
    assert set(places) <= {(node.line, node.board) for node in nodes}
    by_place: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        by_place.setdefault((row["line"], row["board"]), []).append(row)
    for place in places[::23]:
        node = solution.at(place[0], board=place[1])
        table = {row.hand: row for row in node.table().present()}
        found = by_place[place]
        assert len(found) == len(table) * len(node.actions)
        for row in found:
            known = table[row["hand"]]
            assert row["player"] == ("oop", "ip")[node.player]
            for name, value in (
                ("frequency", known.mix[row["action"]]),
                ("action_ev", known.action_ev[row["action"]]),
                *((name, getattr(known, name)) for name in ("weight", "equity", "ev", "eqr")),
            ):
                assert float(row[name] or "nan") == pytest.approx(
                    value, rel=1e-8, abs=1e-12, nan_ok=True
                )
            assert row["locked"] == str(int(known.is_locked))
    assert Counter(row["locked"] for row in rows if not row["line"])["1"] > 0


def test_decisions_are_limited_by_line_board_street_and_player(solution: Solution) -> None:
    whole = exported(solution)
    below = exported(solution, below="check, bet 50")
    assert below == [row for row in whole if row["line"].startswith("check, bet 50")]
    assert {row["line"] for row in below} > {"check, bet 50"}
    assert exported(solution, street="river") == [row for row in whole if len(row["board"]) == 10]
    assert exported(solution, player="ip") == [row for row in whole if row["player"] == "ip"]
    assert exported(solution, player=0) == [row for row in whole if row["player"] == "oop"]
    one = exported(solution, below="check, check", board="AhAs7h7s3h", player="oop")
    assert {(row["board"], row["player"]) for row in one} == {("AhAs7h7s3h", "oop")}
    # A board that another one stands for has its own suits.
    twin = exported(solution, board="3s")
    kept = exported(solution, board="3h")
    assert {row["board"] for row in twin} == {"AhAs7h7s3s"}
    assert len(twin) == len(kept)
    node = solution.at("check, check", board="3s")
    shown = {row.hand: row for row in node.table().present()}
    found = [row for row in twin if row["line"] == node.line and row["action"] == "check"]
    assert {row["hand"] for row in found} == shown.keys()
    for row in found:
        assert float(row["ev"]) == pytest.approx(shown[row["hand"]].ev, rel=1e-8)
    assert {row["hand"] for row in found} != {row["hand"] for row in kept}
    last = exported(solution, line="check")
    assert {row["line"] for row in last} == {"check"}


def test_an_archive_has_arrays_by_board_and_the_same_bytes_each_time(
    solution: Solution, tmp_path: Path
) -> None:
    export = export_of(solution, "npz")
    export.write(tmp_path / "turn.npz")
    assert (tmp_path / "turn.npz").read_bytes() == b"".join(export.chunks())
    with np.load(tmp_path / "turn.npz", allow_pickle=False) as arrays:
        assert len(arrays["line"]) == export.num_nodes
        for board in ("AhAs7h7s", "AhAs7h7s9h"):
            numbers = np.flatnonzero(arrays["board"] == board)
            first_row = [0, 0]
            for place, number in enumerate(numbers):
                player = int(arrays["player"][number])
                node = solution.at(str(arrays["line"][number]), board=board)
                assert str(arrays["actions"][number]) == ";".join(node.actions)
                for seat, side in zip(("oop", "ip"), node.sides, strict=True):
                    names = [combo_name(int(combo)) for combo in arrays[f"{board}.{seat}.combos"]]
                    assert names == side.hands
                    for name in ("weights", "ev", "equity"):
                        found = arrays[f"{board}.{seat}.{name}"][place]
                        assert found == pytest.approx(getattr(side, name), rel=1e-6, nan_ok=True)
                seat = ("oop", "ip")[player]
                rows = slice(first_row[player], first_row[player] + len(node.actions))
                first_row[player] = rows.stop
                assert arrays[f"{board}.{seat}.strategy"][rows] == pytest.approx(
                    node.strategy, abs=1e-6
                )
            assert first_row == [len(arrays[f"{board}.{seat}.strategy"]) for seat in ("oop", "ip")]
        assert arrays["AhAs7h7s.oop.locked"][0].sum() == solution.root.is_locked.sum() > 0
    assert zipfile.ZipFile(tmp_path / "turn.npz").testzip() is None


def test_json_has_nodes_as_they_are_shown(solution: Solution) -> None:
    text = b"".join(export_of(solution, "json", street="turn").chunks())
    document = json.loads(text)
    assert document["spot"]["board"] == "AhAs7h7s"
    assert [node["line"] for node in document["nodes"]] == [node.line for node in solution.nodes(0)]
    assert document["nodes"][0] == json.loads(json.dumps(solution.root.to_json()))


@pytest.mark.parametrize("form", ["csv", "json", "npz"])
def test_the_size_is_known_before(solution: Solution, form: str) -> None:
    export = export_of(solution, form)
    size = sum(map(len, export.chunks()))
    assert export.estimated_bytes() == pytest.approx(size, rel=0.1)
    done: list[int] = []
    for _ in export.chunks(done.append):
        pass
    assert done == list(range(1, export.num_nodes + 1))


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv", "json", "npz"])
def test_memory_is_that_of_a_board_not_of_the_file(solution: Solution, form: str) -> None:
    whole, part = export_of(solution, form), export_of(solution, form, board="3s")
    peaks = []
    for export in (part, whole):
        for _ in export.chunks():  # what is computed once stays
            pass
        tracemalloc.start()
        for _ in export.chunks():
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert whole.num_nodes > 20 * part.num_nodes
    assert peaks[1] < 4 * peaks[0]


def test_the_command_says_how_much_it_writes(
    command: Command, solution: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = solution.path
    assert run is not None
    dry = command("export", run, "--to", "csv", "--dry-run", "--street", "turn", "--json").json
    assert dry["nodes"] == len(list(solution.nodes(0)))
    assert list(Path().iterdir()) == []
    words = command("export", run, "--to", "csv", "--dry-run").out
    assert f"{len(list(solution.nodes())):,} nodes" in words
    assert "about" in words
    monkeypatch.setattr("untilt.cli.text.spot_runs._MANY_ROWS", 10)
    found = command("export", run, "--to", "csv", "-o", "turn.csv")
    assert "rows of a hand and an action, about" in found.err
    assert rows_of(Path("turn.csv").read_text(encoding="utf-8")) == exported(solution)
    monkeypatch.undo()
    one = command("export", run, "--to", "csv", "-o", "-", "--line", "check")
    assert rows_of(one.out) == exported(solution, line="check")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--street", "flop"), "unknown street 'flop'"),
        (("--player", "me"), "give oop or ip"),
        (("--below", "bet 7"), "not in the tree"),
        (("--below", "zzz"), "zzz"),
        (("--below", "check, fold"), "fold"),
        (("--below", "bet 50, fold"), "nobody acts there"),
        (("--board", "Ah"), "does not begin with"),
        (("--board", "2h2h"), "2h"),
        (("--board", "3s", "--street", "turn"), "nobody acts there"),
        (("--line", "check", "--street", "turn"), "--street"),
        (("--line", "check", "--below", "check"), "--below"),
        (("--to", "efg"), "not for spots"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_chosen_is_refused(
    command: Command, solution: Solution, flags: tuple[str, ...], words: str
) -> None:
    assert solution.path is not None
    assert words in command("export", solution.path, "--to", "csv", *flags).error
    assert list(Path().iterdir()) == []


def test_spots_are_exported_from_python(solution: Solution, tmp_path: Path) -> None:
    file = untilt.runs.export(solution, tmp_path / "river.csv", street="river", player="oop")
    assert rows_of(file.read_text(encoding="utf-8")) == exported(
        solution, street="river", player="oop"
    )
    with pytest.raises(InvalidOption, match="not for spots"):
        untilt.runs.export(solution, tmp_path / "river.xml")
    with pytest.raises(InvalidOption, match="player is 7"):
        untilt.runs.export(solution, tmp_path / "other.csv", player=7)
