"""Charts of blueprints on the server: what the page gets, refusals, damage."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.abstraction.buckets.tables import stored
from tests.dashboard.serving import Client, client_of, fields_of
from tests.runs.random_dealer import train_small

import untilt
from untilt.dashboard.sources.library import Library
from untilt.dashboard.views.chart import charts_of
from untilt.games.holdem.spots.spot import Spot
from untilt.play.review.blueprint_chart import BlueprintCharts
from untilt.policy.blueprint import BlueprintPolicy

__all__ = ["stored"]  # a fixture


@pytest.fixture(scope="module")
def trained(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("blueprints") / "runs"
    train_small(root / "bp")
    untilt.solve("kuhn", "cfr+", iterations=20, output=root / "kuhn")
    return root


@pytest.fixture
def client(trained: Path) -> Client:
    return client_of(Library.of(trained))


def test_a_blueprint_offers_charts_and_its_progress(client: Client) -> None:
    views = {run["name"]: run["views"] for run in client.get("/api/runs")["runs"]}
    assert views["bp"] == ["convergence", "chart", "play", "facts"]
    assert "chart" not in views["kuhn"]
    columns = client.get("/api/runs/bp/progress")["columns"]
    assert columns.keys() == fields_of("ProgressRow")
    for name in ("nodes", "rate", "drift", "infosets", "regret"):
        assert any(value is not None for value in columns[name]), name


def test_the_first_decision_is_the_default(client: Client, trained: Path) -> None:
    node = client.get("/api/runs/bp/chart")
    assert node.keys() == fields_of("NodePage")
    assert (node["line"], node["board"], node["kind"], node["player"]) == ("", "", "decision", 0)
    assert node["stations"] == []
    strategy = untilt.Blueprint(trained / "bp" / "blueprint.bin")
    side = node["sides"][0]
    # Before the flop all combos of a class do the same.
    for name, hand in (("AA", "AsAh"), ("72o", "7s2h")):
        at = side["hand"].index(hand)
        mix = [row[at] for row in side["mix"]]
        assert mix == pytest.approx(list(strategy.chart()[name].values()), abs=1e-5)
        assert mix == pytest.approx(list(strategy.probabilities("", hand).values()), abs=1e-5)
    assert (len(side["hand"]), side["total"]) == (1326, 1326.0)


def test_ranges_of_a_blueprint_have_exact_equities(client: Client, trained: Path) -> None:
    facts = client.get("/api/runs/bp/chart-ranges", line="cc/", board="Td9d6h")
    assert facts.keys() == fields_of("RangeFacts")
    node = client.get("/api/runs/bp/chart", line="cc/", board="Td9d6h")
    acting = facts["sides"][node["player"]]
    assert facts["sides"][1 - node["player"]]["classes"][0]["mix"] == []
    policy = BlueprintPolicy(untilt.Blueprint(trained / "bp" / "blueprint.bin"))
    spot = Spot.from_policy(policy, "cc/", "Td9d6h")
    # A spot begins with the player out of position, who is the big blind.
    exact = untilt.cards.equity(*spot.ranges, board="Td9d6h").equities
    assert [side["equity"] for side in facts["sides"]] == pytest.approx(exact[::-1], abs=1e-6)
    made = [row for row in acting["classes"] if row["kind"] == "made"]
    assert sum(row["share"] for row in made) == pytest.approx(1.0)
    assert {row["ev"] for row in made} == {None}
    mean = sum(row["share"] * row["mix"][0] for row in made)
    # The node does not know which hands of the other range are left, so its mean is another one.
    assert mean == pytest.approx(node["mix"][0], abs=0.02)
    assert max(max(row["hands"]) for row in made) < node["sides"][node["player"]]["num_hands"]


@pytest.mark.parametrize(
    ("line", "board", "words"),
    [("", "", "before the flop"), ("cc/", "", "cards"), ("f", "", "the hand is over")],
)
def test_ranges_need_a_decision_after_the_flop(
    client: Client, line: str, board: str, words: str
) -> None:
    status, said = client.refusal("/api/runs/bp/chart-ranges", line=line, board=board)
    assert status == 400
    assert words in said


def test_cards_are_stations_that_lead_to_where_they_are_missing(client: Client) -> None:
    node = client.get("/api/runs/bp/chart", line="cc/cc/c", board="Td9d6hQc")
    assert [station["chosen"] for station in node["stations"]] == [
        *("call", "check", "Td9d6h", "check", "check", "Qc", "check"),
    ]
    assert node["stations"][0].keys() == fields_of("Station")
    for at, board, missing in ((2, "", 4), (5, "Td9d6h", 1)):
        place = node["stations"][at]["place"]
        assert place == {"line": "cc/cc/c", "board": board, "kind": "deal"}
        deal = client.get("/api/runs/bp/chart", line=place["line"], board=place["board"])
        assert (deal["kind"], deal["panels"]["missing"], deal["actions"]) == ("deal", missing, [])
    for child in (*node["children"], *(each["place"] for each in node["stations"][0]["choices"])):
        found = client.get("/api/runs/bp/chart", line=child["line"], board=child["board"])
        assert [found[key] for key in ("line", "board", "kind")] == list(child.values())


def test_a_street_of_a_blueprint_is_a_spot_with_the_ranges_that_get_there(
    client: Client, trained: Path
) -> None:
    found = client.get("/api/runs/bp/chart-street", line="cc/", board="Td9d6h")
    policy = BlueprintPolicy(trained / "bp")
    spot = untilt.Spot.from_policy(policy, "call, check", "Td9d6h")
    assert found == json.loads(json.dumps(spot.to_dict()))
    assert untilt.Spot.from_dict(found) == spot
    _, refused = client.refusal("/api/runs/bp/chart-street", line="c", board="Td9d6h")
    assert "does not lead to the beginning of a street" in refused


def test_words_and_letters_are_the_same_line(client: Client) -> None:
    query = {"board": "Td9d6h"}
    letters = client.get("/api/runs/bp/chart", line="cc/c", **query)
    assert client.get("/api/runs/bp/chart", line="call, check / check", **query) == letters
    assert letters["sides"][0]["num_hands"] == 1176


@pytest.mark.parametrize(
    "query",
    [
        {"line": "r5"},
        {"line": "zzz"},
        {"line": "c" * 5000},
        {"line": "c" * 1000},
        {"board": "As"},
        {"line": "cc/", "board": "AsAs"},
        {"line": "cc/", "board": "AsKsQsJs"},
        {"line": "cc/", "board": "1x"},
        {"line": "cc/", "board": "\u0000"},
    ],
    ids=lambda query: str(query)[:30],
)
def test_places_that_do_not_exist_are_refused_in_one_line(
    client: Client, query: dict[str, str]
) -> None:
    assert client.refusal("/api/runs/bp/chart", **query)[0] == 400


def test_another_run_has_no_chart(client: Client) -> None:
    assert client.refusal("/api/runs/kuhn/chart")[0] == 404


@pytest.mark.parametrize("length", [0, 30, 3000])
def test_a_cut_blueprint_is_reported_and_other_runs_stay(
    trained: Path, tmp_path: Path, length: int
) -> None:
    runs = Path(shutil.copytree(trained, tmp_path / "runs"))
    file = runs / "bp" / "blueprint.bin"
    file.write_bytes(file.read_bytes()[:length])
    client = client_of(Library.of(runs))
    status = {run["name"]: run["status"] for run in client.get("/api/runs")["runs"]}
    assert status == {"bp": "damaged", "kuhn": "finished"}
    assert client.refusal("/api/runs/bp/chart")[0] == 409
    file.unlink()
    assert client.refusal("/api/runs/bp/chart")[0] == 404


def test_blueprints_stay_open_but_only_a_few(trained: Path, tmp_path: Path) -> None:
    for number in range(6):
        shutil.copytree(trained / "bp", tmp_path / f"bp{number}")
    library = Library.of(tmp_path)

    def opened(number: int) -> BlueprintCharts:
        return charts_of(library.source(f"bp{number}"))

    client_of(library).get("/api/runs")  # finds the runs
    first = opened(0)
    assert opened(0) is first
    for number in range(1, 6):
        opened(number)
    assert opened(0) is not first


def test_listing_blueprints_loads_no_compiler(trained: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from untilt.dashboard.sources.library import Library\n"
        "from untilt.dashboard.views import detail_of\n"
        "from untilt.dashboard.views.chart import charts_of\n"
        "source = Library.of(Path(sys.argv[1])).source('bp')\n"
        "assert 'chart' in detail_of(source)['views']\n"
        "charts = charts_of(source)\n"
        "assert not {'numba', 'llvmlite'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(trained)], check=True)


def played(client: Client, **given: int | float) -> dict[str, Any]:
    """Return the end of a hand in which the person checks and calls."""
    actions: list[str] = []
    while True:
        state: dict[str, Any] = client.get("/api/runs/bp/play", action=actions, **given)
        assert state.keys() == fields_of("PlayState")
        if state["is_over"]:
            return state
        assert [len(each) for each in state["ranges"]] == [169, 169]
        for thought in state["thoughts"]:
            assert "hand" not in thought
        legal = state["to_act"]["actions"]
        actions.append("check" if "check" in legal else "call")


def test_a_blueprint_plays_and_says_what_it_thought(client: Client) -> None:
    for hand in range(3):
        state = played(client, seed=1, hand=hand, seat=0)
        for decision in state["review"]:
            assert decision.keys() == fields_of("ReviewedDecision")
            assert decision["insight"].keys() == fields_of("Thought")
            assert decision["cost"] is not None
        for thought in state["thoughts"]:
            assert thought["hand"] == state["opponent"]
            assert thought["solved"] is None


def test_with_time_to_think_it_solves_its_rivers(client: Client) -> None:
    def on_rivers(**given: int | float) -> list[Any]:
        thoughts = played(client, seed=1, seat=1, **given)["thoughts"]
        return [thought["solved"] for thought in thoughts if len(thought["board"]) == 10]

    hands = [hand for hand in range(12) if on_rivers(hand=hand)]
    assert hands
    # A second is more than enough, also where others use the processor.
    solved = on_rivers(hand=hands[0], think=1.0)
    assert solved
    assert all(each is not None and each["iterations"] >= 1 for each in solved)


@pytest.mark.parametrize("think", ["0", "60", "-1", "soon", "nan"])
def test_other_times_to_think_are_refused(client: Client, think: str) -> None:
    status, error = client.refusal("/api/runs/bp/play", seed=1, hand=0, seat=0, think=think)
    assert status == 400
    assert "think is" in error


def test_every_kind_of_node_has_the_same_shape(trained: Path, tmp_path: Path) -> None:
    runs = Path(shutil.copytree(trained, tmp_path / "runs"))
    spot = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    untilt.solve(spot, iterations=10, output=runs / "spot")
    untilt.solve("pushfold", "cfr+", iterations=10, output=runs / "pushfold")
    shown = client_of(Library.of(runs))
    first = shown.get("/api/runs/pushfold/pushfold")
    nodes = [shown.get(f"/api/runs/{path}") for path in ("bp/chart", "spot/spot", "kuhn/node")]
    for node in (*nodes, first, first["panels"]["reply"]):
        assert node.keys() == fields_of("NodePage")
        assert node["panels"].keys() <= fields_of("NodePanels")
        for side in node["sides"]:
            assert side.keys() == fields_of("NodeSide")
            assert side["columns"].keys() <= fields_of("NodeColumns")
            columns = [side["reach"], *side["mix"], *(side["values"] or [])]
            assert {len(column) for column in columns if column is not None} <= {side["num_hands"]}
