"""Solved spots on the server: nodes, run-outs, damage, and solving new ones for the page."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.serving import JOB_SECONDS, ORIGIN, PORT, TOKEN, Client, client_of, fields_of

import untilt
from untilt.cards.ranges.range import Range
from untilt.dashboard.sources.library import Library
from untilt.games.holdem.cost.spot_size import measure_spot, shown_bytes
from untilt.games.holdem.spots.spot import Spot

SPOT: dict[str, Any] = {
    "board": "2c2d2h3c3d",
    "pot": 100,
    "stack": 100,
    "ranges": {"oop": "AA,QQ", "ip": "KK"},
    "sizes": {"bets": "100%", "raises": "a"},
}
TURN: dict[str, Any] = {
    "board": "2c2d2h3c",
    "pot": 100,
    "stack": 100,
    "ranges": {"oop": "AA,QQ:0.5", "ip": "KK,JJ"},
    "sizes": {"bets": "100%", "raises": "a"},
}
ORDER = {"spot": SPOT, "target_percent": 0.5, "seconds": 30}


@pytest.fixture(scope="module")
def solved_spots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("spots") / "runs"
    for name, document in (("river", SPOT), ("turn", TURN)):
        spot = untilt.Spot.from_dict(document)
        untilt.solve(spot, iterations=400, output=root / name)
    untilt.solve("kuhn", "cfr+", iterations=20, output=root / "kuhn")
    return root


@pytest.fixture
def spots(solved_spots: Path) -> Client:
    return client_of(Library.of(solved_spots))


def posted(client: Client, path: str, content: Any, **headers: str) -> tuple[int, Any]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    sent = {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}={TOKEN}"} | headers
    answer = client.raw.post(f"/api/spots/{path}", content=data, headers=sent)
    return answer.status_code, answer.json()


def refused(client: Client, path: str, content: Any) -> str:
    status, answer = posted(client, path, content)
    assert status == 400, answer
    assert list(answer) == ["error"]
    return str(answer["error"])


def test_combos_that_the_board_blocks_are_left_out_with_a_note(spots: Client) -> None:
    ranges = {"oop": "AA, QQ, 2c3s, 3cKs", "ip": "KK"}
    status, answer = posted(spots, "measure", {"spot": SPOT | {"ranges": ranges}})
    assert status == 200
    assert answer["hands"] == [12, 6]
    (note,) = answer["notes"]
    assert note.startswith("2 combos of the range of player 0 (oop) need cards of the board")


@pytest.mark.parametrize("path", ["measure", "solve"])
@pytest.mark.parametrize("number", ["1e308", "9" * 400, "1e999", "-1"])
@pytest.mark.parametrize("name", ["pot", "stack", "rake", "rake_cap", "add_all_in", "merge"])
def test_a_hostile_number_is_a_bad_request(
    spots: Client, path: str, name: str, number: str
) -> None:
    marked: Any = "the number"
    if name in ("add_all_in", "merge"):
        spot = SPOT | {"thresholds": {name: marked}}
    else:
        spot = SPOT | {"rake": 0.05, name: marked}
    text = json.dumps(ORDER | {"spot": spot} if path == "solve" else {"spot": spot})
    said = refused(spots, path, text.replace('"the number"', number).encode())
    assert len(said) < 300


class TestNodes:
    def test_a_solved_spot_offers_its_nodes_and_no_infosets(self, spots: Client) -> None:
        views = {run["name"]: run["views"] for run in spots.get("/api/runs")["runs"]}
        assert views["river"] == ["convergence", "spot", "noise", "play", "facts"]
        assert "spot" not in views["kuhn"]
        assert spots.get("/api/runs/river")["frames"] == []

    def test_the_closed_form_is_shown(self, spots: Client) -> None:
        node = spots.get("/api/runs/river/spot")
        assert node.keys() == fields_of("NodePage")
        assert node["sides"][0].keys() == fields_of("NodeSide")
        assert node["panels"]["spot"].keys() == fields_of("SpotFacts")
        assert (node["line"], node["board"], node["player"]) == ("", "2c2d2h3c3d", 0)
        first, second = node["sides"]
        assert first["means"]["ev"] == pytest.approx(75.0, abs=0.5)
        assert second["means"]["ev"] == pytest.approx(25.0, abs=0.5)
        bet = [action["kind"] for action in node["actions"]].index("all-in")
        mix = dict(zip(first["hand"], first["mix"][bet], strict=True))
        assert min(share for hand, share in mix.items() if "A" in hand) > 0.98
        assert sum(share for hand, share in mix.items() if "Q" in hand) / 6 == pytest.approx(
            0.5, abs=0.03
        )
        assert second["mix"] == []

    def test_stations_lead_back_and_to_siblings(self, spots: Client) -> None:
        node = spots.get("/api/runs/turn/spot", line="cc/c", board="2c2d2h3c9s")
        seats = [station["seat"] for station in node["stations"]]
        assert seats == [0, 1, -1, 0]
        assert [station["chosen"] for station in node["stations"]] == [
            *("check", "check", "9s", "check"),
        ]
        card = node["stations"][2]
        assert card.keys() == fields_of("Station")
        assert len(card["choices"]) == 48
        for station in node["stations"]:
            place = station["choices"][-1]["place"]
            found = spots.get("/api/runs/turn/spot", line=place["line"], board=place["board"])
            assert (found["line"], found["board"]) == (place["line"], place["board"])

    def test_ranges_are_compared_hand_by_hand(self, spots: Client) -> None:
        facts = spots.get("/api/runs/river/ranges")
        assert facts.keys() == fields_of("RangeFacts")
        assert all(side.keys() == fields_of("RangeOfSide") for side in facts["sides"])
        node = spots.get("/api/runs/river/spot")
        for side, shown in zip(facts["sides"], node["sides"], strict=True):
            assert side["equity"] == pytest.approx(shown["means"]["equity"])
            classes = {row["name"]: row for row in side["classes"]}
            # Threes full of twos beat nobody here: every hand has a full house with its pair.
            assert classes.keys() == {"full house"}
            assert classes["full house"].keys() == fields_of("RangeClass")
            assert classes["full house"]["hands"] == list(range(shown["num_hands"]))
            assert classes["full house"]["ev"] == pytest.approx(shown["means"]["ev"])
        first = facts["sides"][0]["classes"][0]
        assert first["mix"] == pytest.approx(node["mix"])
        assert facts["blockers"][0].keys() == {"card", "mix", "ev"}
        # The king of spades is in half of IP's hands: OOP plays the same against all of them.
        kings = {row["card"]: row["mix"] for row in facts["blockers"] if row["mix"] is not None}
        assert kings.keys() == {"Kc", "Kd", "Kh", "Ks"}
        assert kings["Ks"] == pytest.approx(node["mix"])

    def test_what_follows_every_card_sums_to_the_deal(self, spots: Client) -> None:
        deal = spots.get("/api/runs/turn/spot", line="cc")
        assert (deal["kind"], deal["player"], len(deal["panels"]["cards"])) == ("deal", -1, 48)
        runouts = spots.get("/api/runs/turn/runouts", line="cc")
        assert runouts.keys() == fields_of("Runouts")
        assert runouts["rows"][0].keys() == fields_of("RunoutRow")
        assert sum(row["weight"] for row in runouts["rows"]) == pytest.approx(1.0)
        for player in (0, 1):
            mean = sum(row["weight"] * row["ev"][player] for row in runouts["rows"])
            assert mean == pytest.approx(deal["sides"][player]["means"]["ev"], abs=1e-3)

    @pytest.mark.parametrize(
        "query",
        [
            {"line": "bet 7"},
            {"line": "zzz"},
            {"line": "c" * 5000},
            {"board": "2c2c"},
            {"board": "KsQs"},
            {"line": "cc/c"},
            {"line": "cc", "board": "2c2d2h3c2c"},
            {"board": "\u0000"},
        ],
        ids=lambda query: str(query)[:30],
    )
    def test_places_that_do_not_exist_are_refused_in_one_line(
        self, spots: Client, query: dict[str, str]
    ) -> None:
        for path in ("spot", "runouts", "street"):
            status, _ = spots.refusal(f"/api/runs/turn/{path}", **query)
            assert status in (400, 404)

    def test_a_street_is_a_spot_of_its_own(self, spots: Client) -> None:
        river = spots.get("/api/runs/turn/street", line="cc/", board="2c2d2h3c9s")
        assert (river["board"], river["pot"]) == ("2c2d2h3c9s", SPOT["pot"])
        assert posted(spots, "measure", {"spot": river})[1]["street"] == "river"
        assert spots.refusal("/api/runs/turn/street", line="c", board="2c2d2h3c")[0] == 400

    def test_nothing_is_dealt_within_a_street(self, spots: Client) -> None:
        assert spots.refusal("/api/runs/turn/runouts", line="c")[0] == 404

    def test_hands_begin_at_a_node(self, spots: Client) -> None:
        state = spots.get("/api/runs/turn/play", seed=1, hand=0, seat=1, line="c")
        assert [event["action"] for event in state["events"]] in ([], ["check"])
        assert state["to_act"]["action_data"][0]["name"] == "check"
        river = spots.get("/api/runs/turn/play", seed=1, seat=0, line="cc/", board="2c2d2h3c9s")
        assert river["public_faces"][-1] == "9s"
        for query in ({"line": "b7"}, {"line": "cc/", "board": "2c2d2h3c2c"}):
            assert spots.refusal("/api/runs/turn/play", seed=1, **query)[0] == 400

    def test_another_run_has_no_nodes_of_a_spot(self, spots: Client) -> None:
        assert spots.refusal("/api/runs/kuhn/spot")[0] == 404

    @pytest.mark.parametrize("place", [0.0, 0.2, 0.5, 0.9, 0.999])
    def test_a_damaged_solution_is_reported_and_the_run_stays(
        self, solved_spots: Path, tmp_path: Path, place: float
    ) -> None:
        runs = Path(shutil.copytree(solved_spots, tmp_path / "runs"))
        file = runs / "turn" / "strategy.bin"
        data = bytearray(file.read_bytes())
        at = min(int(place * len(data)), len(data) - 1)
        data[at : at + 64] = bytes(byte ^ 0x55 for byte in data[at : at + 64])
        file.write_bytes(data)
        client = client_of(Library.of(runs))
        answers = [
            client.raw.get(
                "/api/runs/turn/spot", params={"line": "cc/", "board": f"2c2d2h3c{card}"}
            )
            for card in ("9s", "4d", "As")
        ]
        for answer in answers:
            assert answer.status_code in (200, 404, 409), answer.text
        assert client.get("/api/runs/river/spot")["player"] == 0
        assert {run["name"] for run in client.get("/api/runs")["runs"]} == {"kuhn", "river", "turn"}

    def test_a_cut_solution_is_refused(self, solved_spots: Path, tmp_path: Path) -> None:
        runs = Path(shutil.copytree(solved_spots, tmp_path / "runs"))
        file = runs / "turn" / "strategy.bin"
        file.write_bytes(file.read_bytes()[:-1000])
        client = client_of(Library.of(runs))
        assert client.refusal("/api/runs/turn/spot")[0] == 409

    def test_spots_are_shown_without_a_compiler(self, solved_spots: Path) -> None:
        program = (
            "import sys; from pathlib import Path\n"
            "from untilt.dashboard.sources.library import Library\n"
            "from untilt.dashboard.views.spot import solution_of\n"
            "from untilt.policy.nodes.node_json import node_json\n"
            "from untilt.policy.nodes.spot_node import spot_node\n"
            "found = solution_of(Library.of(Path(sys.argv[1])).source('turn'))\n"
            "node_json(spot_node(found.at('cc/', board='2c2d2h3c9s')))\n"
            "node_json(spot_node(found.at('cc').deal('9s')))\n"
            "from untilt.dashboard.server import spot_solving\n"
            "assert not {'numba', 'llvmlite'} & set(sys.modules)\n"
        )
        subprocess.run([sys.executable, "-c", program, str(solved_spots)], check=True)


class TestForm:
    def test_a_range_is_read_painted_and_written(self, spots: Client) -> None:
        status, answer = posted(spots, "range", {"text": "QQ+", "changes": {"AKs": 0.5, "KK": 0}})
        assert status == 200
        assert answer.keys() == fields_of("RangeText")
        assert Range.parse(answer["text"]) == Range.parse("AA,QQ,AKs:0.5")
        assert (answer["weights"][0], answer["weights"][1], answer["weights"][14]) == (1, 0.5, 0)
        assert posted(spots, "range", {"text": " "})[1]["text"] == ""

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"[",
            b"[]",
            b'{"text": 5}',
            b'{"text": "QQ", "changes": {"QQ": NaN}}',
            b'{"text": "QQ", "changes": {"QQ": 2}}',
            b'{"text": "QQ", "changes": {"QQ": true}}',
            b'{"text": "QQ", "changes": {"XX": 1}}',
            b'{"text": "QQ", "other": 1}',
            b'{"text": "Q!"}',
        ],
    )
    def test_ranges_that_are_none_are_refused(self, spots: Client, content: bytes) -> None:
        assert refused(spots, "range", content)

    def test_the_tree_is_measured_before_it_is_solved(self, spots: Client) -> None:
        status, answer = posted(spots, "measure", {"spot": SPOT})
        assert status == 200
        assert answer.keys() == fields_of("SpotMeasure")
        assert (answer["street"], answer["boards"], answer["hands"]) == ("river", [1], [12, 6])
        half = posted(spots, "measure", {"spot": SPOT, "precision": "int16"})[1]
        assert half["memory_bytes"] < answer["memory_bytes"]
        spot = Spot.from_dict(SPOT)
        assert answer["memory_bytes"] == measure_spot(spot).peak_bytes()
        assert answer["memory"] == shown_bytes(answer["memory_bytes"])

    def test_noise_is_measured_and_checked(self, spots: Client) -> None:
        plain = posted(spots, "measure", {"spot": SPOT, "noise": None})[1]
        much, little = (
            posted(spots, "measure", {"spot": SPOT, "noise": noise})[1]["seconds"]
            for noise in ("5%", "oop=0.1%,ip=0.1%")
        )
        assert much != plain["seconds"]
        assert little[1] > 10.0 * much[1]
        for noise, word in (("0%", "that is Nash"), ("bb=1%", "both seats"), (2, "noise is 2")):
            assert word in refused(spots, "measure", {"spot": SPOT, "noise": noise})
        short = {"spot": SPOT, "noise": "5%", "precision": "int16"}
        assert "choose 32 bits" in refused(spots, "measure", short)

    def test_a_lock_that_names_suits_makes_the_tree_larger(self, spots: Client) -> None:
        turn = SPOT | {"board": "2c2d2h3c"}
        sizes = [
            posted(spots, "measure", {"spot": turn, "locks": locks})[1]["boards"]
            for locks in ([], [": AA check"], [": AsAh check"])
        ]
        assert sizes[0] == sizes[1] < sizes[2] == [1, 48]

    @pytest.mark.parametrize(
        ("change", "word"),
        [
            ({"board": "2c2c2h"}, "2c"),
            ({"board": "2c"}, "cards"),
            ({"pot": 0}, "pot"),
            ({"pot": "100; rm"}, "pot"),
            ({"stack": -1}, "stack"),
            ({"ranges": {"oop": "AsAh", "ip": "AsAd"}}, "in common"),
            ({"ranges": {"oop": "2c2d", "ip": "KK"}}, "board"),
            ({"sizes": {"bets": "../../x"}}, "x"),
            ({"sizes": {"bets": "", "raises": ""}, "stack": 10000}, "bet"),
            ({"sizes": {"--output": "/"}}, "output"),
            ({"output": "/tmp/elsewhere"}, "output"),
            ({"rake": 3}, "rake"),
        ],
        ids=lambda given: str(given)[:40],
    )
    def test_spots_that_are_none_are_refused_before_anything_starts(
        self, tmp_path: Path, change: dict[str, Any], word: str
    ) -> None:
        client = client_of(Library.of(tmp_path))
        assert word in refused(client, "measure", {"spot": SPOT | change})
        assert word in refused(client, "solve", ORDER | {"spot": SPOT | change})
        assert client.get("/api/spots")["state"] == "idle"
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "change",
        [
            {"target_percent": "1"},
            {"target_percent": 0},
            {"seconds": 1e9},
            {"seconds": None},
            {"threads": 1.5},
            {"threads": 1000},
            {"precision": "int8"},
            {"locks": "check: AA bet"},
            {"locks": ["check"]},
            {"locks": [": AA check"] * 101},
            {"method": "cfr+"},
        ],
        ids=str,
    )
    def test_orders_with_other_bounds_are_refused(
        self, tmp_path: Path, change: dict[str, Any]
    ) -> None:
        client = client_of(Library.of(tmp_path))
        assert refused(client, "solve", ORDER | change)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("path", ["range", "measure", "solve", "resume", "respond", "stop"])
    def test_only_our_page_may_ask(self, tmp_path: Path, path: str) -> None:
        client = client_of(Library.of(tmp_path))
        content = {
            "range": {"text": "AA"},
            "measure": {"spot": SPOT},
            "solve": ORDER,
            "resume": {"run": "river", "target_percent": 0.1, "seconds": 60},
            "respond": {"run": "river", "player": "oop"},
            "stop": {},
        }[path]
        for headers in (
            {"Cookie": ""},
            {"Cookie": f"untilt-{PORT}={'6' * 64}"},
            {"Origin": "http://example.com"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            status, answer = posted(client, path, content, **headers)
            assert status == 403, answer
        without = client.raw.post(f"/api/spots/{path}", content=json.dumps(content))
        assert without.status_code == 403
        assert client.raw.get(f"/api/spots/{path}").status_code == 405
        assert list(tmp_path.iterdir()) == []

    def test_a_large_request_is_refused(self, spots: Client) -> None:
        assert posted(spots, "measure", b"[" * (300 << 10))[0] == 413

    def test_a_single_run_is_no_place_for_new_ones(self, solved_spots: Path) -> None:
        client = client_of(Library.of(solved_spots / "river"))
        assert "folder of runs" in refused(client, "solve", ORDER)


def solved_iterations(progress: Path) -> int:
    return int(json.loads(progress.read_text().splitlines()[-1])["iteration"])


class TestSolving:
    def wait(self, client: Client) -> Any:
        end = time.monotonic() + JOB_SECONDS
        while (job := client.get("/api/spots"))["state"] == "running":
            assert time.monotonic() < end, "it is still running"
            time.sleep(0.1)
        return job

    def test_a_spot_is_solved_and_appears(self, tmp_path: Path) -> None:
        client = client_of(Library.of(tmp_path))
        status, job = posted(client, "solve", ORDER)
        assert status == 200, job
        assert job.keys() == fields_of("SpotJob")
        assert "being solved" in refused(client, "solve", ORDER)
        job = self.wait(client)
        assert (job["state"], job["error"]) == ("finished", None)
        node = client.get(f"/api/runs/{job['run']}/spot")
        assert node["sides"][0]["means"]["ev"] == pytest.approx(75.0, abs=1.0)
        facts = client.get(f"/api/runs/{job['run']}/facts")
        assert facts["command"].startswith("untilt spot ")
        assert facts["command"].endswith("--target 0.5% --time 30.0 --threads 0")
        assert "solve it there again" in facts["note"]

    @pytest.mark.long
    def test_locks_precision_and_threads_reach_the_solver(self, tmp_path: Path) -> None:
        client = client_of(Library.of(tmp_path))
        chosen = {"precision": "int16", "threads": 1, "locks": [": QQ check"]}
        posted(client, "solve", ORDER | chosen)
        job = self.wait(client)
        assert (job["state"], job["error"]) == ("finished", None)
        # Without bluffs nobody calls, so the best hands win what is in the middle.
        node = client.get(f"/api/runs/{job['run']}/spot")
        assert node["sides"][0]["means"]["ev"] == pytest.approx(50.0, abs=1.0)
        record = json.loads((tmp_path / job["run"] / "run.json").read_text())
        assert (record["options"]["precision"], record["options"]["threads"]) == ("int16", 1)

    @pytest.mark.long
    def test_a_spot_is_solved_with_noise_and_exactly_as_asked(self, tmp_path: Path) -> None:
        client = client_of(Library.of(tmp_path))
        bounds = {"noise": "oop=1%,ip=10%", "target_percent": 0.01}
        posted(client, "solve", ORDER | bounds)
        job = self.wait(client)
        assert (job["state"], job["error"]) == ("finished", None)
        result = json.loads((tmp_path / job["run"] / "result.json").read_text())
        assert result["noise_shares"] == [0.01, 0.1]
        assert result["residual"] <= 1e-4

    def test_it_is_stopped_and_ends_with_the_server(self, tmp_path: Path) -> None:
        client = client_of(Library.of(tmp_path))
        endless = ORDER | {"target_percent": 1e-4, "seconds": 3600}
        with client.raw:
            posted(client, "solve", endless)
            status, job = posted(client, "stop", {})
            assert (status, job["state"]) == (200, "stopped")
            posted(client, "solve", endless)
            assert client.get("/api/spots")["state"] == "running"
        assert self.wait(client)["state"] == "stopped"

    def test_files_of_a_killed_server_are_removed_by_the_next(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        program = (
            "import os, signal, sys; from pathlib import Path\n"
            "from untilt.dashboard.sources.library import Library\n"
            "from untilt.dashboard.server.spot_solving import SpotSolver\n"
            "solver = SpotSolver(Library.of(Path(sys.argv[1])))\n"
            f"solver.start({ORDER!r})\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        served = tmp_path / "served"
        served.mkdir()
        given = {**os.environ, "TMPDIR": str(tmp_path)}
        subprocess.run([sys.executable, "-c", program, str(served)], env=given, check=False)
        assert len(list(tmp_path.glob("untilt-spot-*"))) == 1
        client_of(Library.of(served))
        assert list(tmp_path.glob("untilt-spot-*")) == []

    @pytest.mark.long
    def test_a_stopped_spot_is_resumed(self, tmp_path: Path) -> None:
        client = client_of(Library.of(tmp_path))
        bounds = {"target_percent": 1e-4, "seconds": 3600}
        with client.raw:
            _, job = posted(client, "solve", ORDER | bounds)
            progress = tmp_path / job["run"] / "progress.jsonl"
            end = time.monotonic() + JOB_SECONDS
            while not (progress.exists() and progress.stat().st_size):
                assert time.monotonic() < end, "it makes no progress"
                time.sleep(0.1)
            posted(client, "stop", {})
            done = solved_iterations(progress)
            status, resumed = posted(client, "resume", {**bounds, "run": job["run"]})
            assert status == 200, resumed
            assert resumed.keys() == fields_of("SpotJob")
            assert (resumed["state"], resumed["run"]) == ("running", job["run"])
            assert "being solved" in refused(client, "resume", {**bounds, "run": job["run"]})
            posted(client, "stop", {})
            easier = {"target_percent": 1.0, "seconds": 3600, "run": job["run"]}
            posted(client, "resume", easier)
            job = self.wait(client)
        assert (job["state"], job["error"]) == ("finished", None)
        assert solved_iterations(progress) >= done > 0
        node = client.get(f"/api/runs/{job['run']}/spot")
        assert node["sides"][0]["means"]["ev"] == pytest.approx(75.0, abs=1.0)

    @pytest.mark.parametrize(
        ("change", "word"),
        [
            ({"run": "nobody"}, "no run"),
            ({"run": "../river"}, "no run"),
            ({"run": 3}, "id of a run"),
            ({"run": "kuhn"}, "not the run of a spot"),
            ({"target_percent": 0}, "target percent"),
            ({"seconds": "60"}, "seconds"),
            ({"threads": -1}, "threads"),
            ({"output": "/tmp/x"}, "unknown entry"),
        ],
        ids=str,
    )
    def test_what_cannot_be_resumed_is_refused(
        self, spots: Client, change: dict[str, Any], word: str
    ) -> None:
        order = {"run": "river", "target_percent": 0.1, "seconds": 60} | change
        status, answer = posted(spots, "resume", order)
        assert status in (400, 404), answer
        assert word in answer["error"]

    def test_a_solution_is_answered_with_its_locks(
        self, solved_spots: Path, tmp_path: Path
    ) -> None:
        runs = Path(shutil.copytree(solved_spots / "river", tmp_path / "runs/river")).parent
        client = client_of(Library.of(runs))
        # The closed form pays 75; kings that always call pay aces 200 and queens nothing.
        order = {"run": "river", "player": "oop", "locks": ["all-in: KK call"], "threads": 1}
        with client.raw:
            status, job = posted(client, "respond", order)
            assert status == 200, job
            assert job.keys() == fields_of("SpotJob")
            assert (job["state"], job["task"]) == ("running", "respond")
            assert "being solved" in refused(client, "respond", order)
            job = self.wait(client)
            assert (job["state"], job["error"]) == ("finished", None)
            node = client.get(f"/api/runs/{job['run']}/spot")
            assert node["sides"][0]["means"]["ev"] == pytest.approx(100.0, abs=0.01)
            record = json.loads((runs / job["run"] / "run.json").read_text())
            assert record["parameters"]["response"]["player"] == "oop"
            facts = client.get(f"/api/runs/{job['run']}/spot", line="a100")
            assert facts["sides"][1]["columns"]["locked"] == list(range(6))
            assert "locked" not in facts["sides"][0]["columns"]
            # One that is stopped leaves nothing behind.
            posted(client, "respond", order)
            assert posted(client, "stop", {})[1]["state"] == "stopped"
        assert {path.name for path in runs.iterdir()} == {"river", job["run"]}

    @pytest.mark.parametrize(
        ("change", "word"),
        [
            ({"run": "nobody"}, "no run"),
            ({"run": "../river"}, "no run"),
            ({"run": None}, "id of a run"),
            ({"run": "kuhn"}, "not the run of a spot"),
            ({"player": "me"}, "give oop or ip"),
            ({"player": ["oop"]}, "give oop or ip"),
            ({"player": "--output"}, "give oop or ip"),
            ({"threads": 0.5}, "integer"),
            ({"locks": "all-in: KK call"}, "give texts"),
            ({"locks": ["KK call"]}, "not of the form"),
            ({"locks": ["bet 7: KK call"]}, "bet 7"),
            ({"locks": ["all-in: 22 call"]}, "none of its hands"),
            ({"locks": ["all-in: KK dance"]}, "names no action"),
            ({"locks": ["all-in: KK raise 100%"]}, "unknown action"),
            ({"locks": ["all-in: K\0K call"]}, "K"),
            ({"locks": [":--output=/tmp/x check"]}, "--output"),
            ({"output": "/tmp/x"}, "unknown entry"),
        ],
        ids=str,
    )
    def test_what_cannot_be_answered_is_refused(
        self, spots: Client, solved_spots: Path, change: dict[str, Any], word: str
    ) -> None:
        status, answer = posted(spots, "respond", {"run": "river", "player": "oop"} | change)
        assert status in (400, 404), answer
        assert word in answer["error"]
        assert "\n" not in answer["error"]
        assert {path.name for path in solved_spots.iterdir()} == {"kuhn", "river", "turn"}

    def test_an_answer_that_fails_says_why(self, solved_spots: Path, tmp_path: Path) -> None:
        runs = Path(shutil.copytree(solved_spots / "turn", tmp_path / "runs/turn")).parent
        client = client_of(Library.of(runs))
        # The page still has what was there a moment ago.
        client.get("/api/runs/turn/spot")
        order = {"run": "turn", "player": "ip", "locks": ["check, check @ 9s: AsAh check"]}
        (runs / "turn" / "result.json").write_text("{")
        posted(client, "respond", order)
        job = self.wait(client)
        assert job["state"] == "failed"
        assert "result.json" in job["error"]
        assert "\n" not in job["error"]
        assert {path.name for path in runs.iterdir()} == {"turn"}

    def test_a_failure_says_why(self, tmp_path: Path) -> None:
        client = client_of(Library.of(tmp_path))
        lock = {"line": "check", "lock": "no such thing"}
        posted(client, "solve", ORDER | {"spot": SPOT | {"locks": [lock]}})
        job = self.wait(client)
        assert job["state"] == "failed"
        assert job["error"]
        assert "\n" not in job["error"]


def test_a_spot_is_played_on_the_page(spots: Client) -> None:
    views = {run["name"]: run["views"] for run in spots.get("/api/runs")["runs"]}
    assert "play" in views["turn"]
    hand = {"seed": 1, "hand": 0, "seat": 0}
    state = spots.get("/api/runs/turn/play", **hand)
    assert state["opponent"] is None
    assert state["public"] == "2c2d2h3c"
    assert state["chips"]["pot"] == 100.0
    action = state["to_act"]["actions"][0]
    after = spots.get("/api/runs/turn/play", **hand, action=action)
    assert after["events"][0]["action"] == action
    label = state["to_act"]["label"]
    assert spots.get("/api/runs/turn/deal", **hand, label=label) == {"hand": 0}


@pytest.fixture(scope="module")
def noisy_summaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the list of runs says about the solutions of one spot, and about other runs, by name."""
    root = tmp_path_factory.mktemp("noises")
    spot = untilt.Spot(board="2c2d2h3c4s", ranges=("AA,55", "KK,QQ"), pot=10, stack=20)
    nash = untilt.solve(spot, iterations=50, output=root / "nash")
    untilt.solve(spot, noise="oop=1%,ip=10%", output=root / "share")
    untilt.solve(spot, noise=untilt.Noise(beta=2.0), output=root / "beta")
    untilt.spots.respond(nash, "ip", output=root / "response")
    untilt.solve("kuhn", "cfr+", iterations=5, output=root / "kuhn")
    return {source.name: source.summary()["spot"] for source in Library.of(root).sources()}


def test_solutions_of_a_spot_share_a_fingerprint_and_have_their_noise(
    noisy_summaries: dict[str, Any],
) -> None:
    nash, share, beta = (noisy_summaries[name] for name in ("nash", "share", "beta"))
    assert nash["fingerprint"] == share["fingerprint"] == beta["fingerprint"]
    assert nash["noise"] is None
    assert share["noise"] == pytest.approx((0.01, 0.1))
    assert beta["noise"] == pytest.approx((0.05, 0.05))  # 1 / (2 per chip · 10 chips)


def test_best_responses_and_games_are_no_solutions_of_a_spot(
    noisy_summaries: dict[str, Any],
) -> None:
    assert noisy_summaries["response"] is None
    assert noisy_summaries["kuhn"] is None
