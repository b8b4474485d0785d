"""Two solutions of one board beside each other, node by node."""

from pathlib import Path

import numpy as np
import pytest
from tests.dashboard.serving import Client, client_of, fields_of

import untilt
from untilt.dashboard.sources.library import Library
from untilt.policy.nodes.solution_difference import counterpart, difference

SPOT = untilt.Spot(
    "2c2d2h3c4d", ("AA,KQs,55", "KK,QQ,A5s"), 100, 300, untilt.Sizes("50%", raises="a")
)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("compared") / "runs"
    untilt.solve(SPOT, iterations=200, output=root / "nash")
    untilt.solve(SPOT, noise="5%", iterations=100, output=root / "noisy")
    wider = SPOT.replaced(sizes=untilt.Sizes("40%,120%", raises="a"))
    untilt.solve(wider, iterations=200, output=root / "sizes")
    untilt.solve(SPOT.replaced(board="2c2d2h3c4s"), iterations=20, output=root / "elsewhere")
    return root


@pytest.fixture(scope="module")
def client(solved: Path) -> Client:
    return client_of(Library.of(solved))


def solution(folder: Path) -> untilt.Solution:
    run: untilt.Solution = untilt.load(folder).result
    return run


def test_a_solution_does_not_differ_from_itself(client: Client) -> None:
    found = client.get("/api/runs/nash/against", **{"with": "nash"})
    assert found.keys() == fields_of("SolutionDifference")
    assert found["here"].keys() == fields_of("DifferenceHere")
    assert all(line.keys() == fields_of("DifferentLine") for line in found["lines"])
    assert found["here"]["distance"] == 0.0
    assert found["here"]["mix"] == pytest.approx(found["here"]["other_mix"])
    assert [line["cost"] for line in found["lines"]] == pytest.approx(
        [0.0] * len(found["lines"]), abs=1e-12
    )
    assert len(found["lines"]) == sum(1 for _ in solution_nodes(client))


def solution_nodes(client: Client) -> list[str]:
    """Walk the page's nodes: every decision of the river, by its line."""
    waiting, found = [""], []
    for line in waiting:
        node = client.get("/api/runs/nash/spot", line=line)
        if node["kind"] == "decision":
            found.append(line)
            waiting += [child["line"] for child in node["children"]]
    return found


def test_what_a_mix_costs_hand_by_hand(client: Client, solved: Path) -> None:
    page = client.get("/api/runs/nash/against", **{"with": "noisy", "line": "c"})["here"]
    nash, noisy = solution(solved / "nash").at("check"), solution(solved / "noisy").at("check")
    own = dict(zip(nash.hands, nash.strategy.T, strict=True))
    theirs = dict(zip(noisy.hands, noisy.strategy.T, strict=True))
    values = dict(zip(nash.hands, nash.action_ev.T, strict=True))
    total = mass = 0.0
    for label, cost, weight in zip(
        page["hands"]["label"], page["hands"]["cost"], nash.own.mass.tolist(), strict=True
    ):
        expected = sum(
            value * (mine - other)
            for value, mine, other in zip(values[label], own[label], theirs[label], strict=True)
        )
        assert cost == pytest.approx(expected, abs=1e-4)
        total, mass = total + weight * expected, mass + weight
    assert page["loss"] == pytest.approx(total / mass, rel=1e-6)
    assert page["cost"] == pytest.approx(total / mass * nash.reach, rel=1e-6)
    assert page["loss"] > 0.005


def test_lines_are_sorted_by_what_they_cost(client: Client) -> None:
    costs = [
        line["cost"] for line in client.get("/api/runs/nash/against", **{"with": "noisy"})["lines"]
    ]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > 0.001


def test_bets_of_other_sizes_count_as_the_nearest(client: Client, solved: Path) -> None:
    first, second = solution(solved / "nash"), solution(solved / "sizes")
    place = counterpart(second, first.at("bet 50"))
    assert place is not None
    assert place.line == "bet 40"
    found = difference(first.root, second)
    assert found is not None
    shares = dict(zip(second.root.actions, second.root.strategy, strict=True))
    assert shares.keys() == {"check", "bet 40", "bet 120"}
    placed = dict(zip(first.root.actions, found.other_mix, strict=True))
    assert placed.keys() == {"check", "bet 50"}
    assert np.allclose(placed["bet 50"], shares["bet 40"] + shares["bet 120"])
    page = client.get("/api/runs/nash/against", **{"with": "sizes", "line": "b50"})["here"]
    assert page["line"] == "b40"


def test_other_boards_and_other_runs_are_refused(client: Client) -> None:
    status, words = client.refusal("/api/runs/nash/against", **{"with": "elsewhere"})
    assert status == 400
    assert "2c2d2h3c4s" in words
    assert client.refusal("/api/runs/nash/against", **{"with": "nothing"})[0] == 404
    assert client.refusal("/api/runs/nash/against")[0] == 404
