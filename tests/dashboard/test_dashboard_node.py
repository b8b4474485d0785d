"""Nodes of a game: who decides, what the whole range does, what may follow."""

import math
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from tests.dashboard.serving import Client, fields_of
from tests.runs import game_runs

import untilt
from untilt.dashboard.nodes.infoset_node import chips_on
from untilt.dashboard.nodes.infoset_table import OwnMoves
from untilt.dashboard.nodes.reaches import read_meetings
from untilt.formats.run.compiled_game import read_game


@pytest.fixture(scope="module")
def three_players(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Kuhn poker with three players; not to be changed."""
    folder = tmp_path_factory.mktemp("served") / "three"
    untilt.solve("kuhn", "cfr+", parameters={"players": 3}, iterations=200, output=folder)
    return folder


def test_the_opening_of_kuhn_is_what_the_equilibrium_does(client: Client) -> None:
    node = client.get("/api/runs/kuhn/node", line="")
    assert node.keys() == fields_of("NodePage")
    hands = node["sides"][0]
    assert hands.keys() == fields_of("NodeSide")
    assert (node["player"], node["words"], hands["num_hands"]) == (0, "opening action", 3)
    assert [action["name"] for action in node["actions"]] == ["check", "bet"]
    assert [child["line"] for child in node["children"]] == ["c", "b"]
    assert node["reach"] == pytest.approx(1.0)
    assert node["pot"] == 2.0
    assert node["chips"] == {"pot": 2.0, "bets": [0.0, 0.0], "stacks": node["chips"]["stacks"]}
    assert hands["hand"] == ["J", "Q", "K"]
    assert hands["reach"] == [1.0] * 3
    assert hands["columns"]["weight"] == pytest.approx([1 / 3] * 3)
    # J bets with alpha, K with three times alpha, Q never: four thirds of alpha in all.
    alpha = hands["mix"][1][0]
    assert node["mix"][1] == pytest.approx(4 / 3 * alpha, abs=0.01)
    assert hands["means"]["ev"] == pytest.approx(-1 / 18, abs=1e-3)


def test_after_a_bet_the_hands_are_weighted_by_how_often_they_get_there(client: Client) -> None:
    """Against J with alpha and K with 3 alpha, Q is seen by both, J and K only by the other."""
    node = client.get("/api/runs/kuhn/node", line="b")
    bets = client.get("/api/runs/kuhn/node", line="")["sides"][0]["mix"][1]
    weights = [(bets[1] + bets[2]) / 6, (bets[0] + bets[2]) / 6, (bets[0] + bets[1]) / 6]
    assert node["sides"][1]["columns"]["weight"] == pytest.approx(weights, abs=1e-6)
    assert node["reach"] == pytest.approx(sum(weights), abs=1e-6)
    calls = node["sides"][1]["mix"][1]
    share = sum(w * c for w, c in zip(weights, calls, strict=True)) / sum(weights)
    assert node["mix"][1] == pytest.approx(share, abs=1e-6)
    assert node["children"] == [None, None]
    assert node["chips"]["bets"] == [1.0, 0.0]


def test_shapes_of_three_players_are_those_of_the_page(
    client_for: Callable[[Path], Client], three_players: Path
) -> None:
    client = client_for(three_players.parent)
    detail = client.get("/api/runs/three")
    assert detail.keys() == fields_of("RunDetail")
    assert detail["terms"]["seats"] == ["player 0", "player 1", "player 2"]
    assert {line["player"] for line in detail["lines"]} == {0, 1, 2}
    assert client.get("/api/runs/three/node", line="cc").keys() == fields_of("NodePage")
    state = client.get("/api/runs/three/play", seed=1, hand=0, seat=2)
    assert state.keys() == fields_of("PlayState")
    assert [each.keys() for each in state["opponents"]] == [fields_of("Opponent")] * 2


@pytest.mark.parametrize("players", [2, 3])
def test_reaches_are_those_of_the_evaluation(
    solved_runs: Path, three_players: Path, players: int
) -> None:
    folder = solved_runs / "deeper" / "leduc" if players == 2 else three_players
    run = game_runs.load(folder)
    meetings = read_meetings(folder)
    assert meetings is not None
    game = read_game(folder / "game.bin")
    form = game.plan_form()
    behaviours = run.strategy.behaviours
    moves = [
        OwnMoves.of(names, side.parent_sequence)
        for names, side in zip(form.infosets, form.sides, strict=True)
    ]
    for player in range(game.num_players):
        found = meetings[player].opponent_reach(player, behaviours, moves)
        view = untilt.strategies.action_values(game, run.strategy, player=player)
        np.testing.assert_allclose(found, view.opponent_reach, atol=1e-12)


def test_every_one_of_three_players_has_a_node(
    client_for: Callable[[Path], Client], three_players: Path
) -> None:
    client = client_for(three_players.parent)
    run = game_runs.load(three_players)
    kuhn = untilt.games.compile("kuhn", parameters={"players": 3})
    for player, line in enumerate(("", "c", "cc")):
        node = client.get("/api/runs/three/node", line=line)
        assert node["player"] == player
        assert [side["num_hands"] for side in node["sides"]] == [
            4 if seat == player else 0 for seat in range(3)
        ]
        side = node["sides"][player]
        view = untilt.strategies.action_values(kuhn, run.strategy, player)
        names = kuhn.infosets[player]
        for hand, label in enumerate(side["label"]):
            index = names.index(label)
            mix = [side["mix"][action][hand] for action in range(2)]
            assert mix == pytest.approx(list(run.strategy[label].values()), abs=1e-6)
            values = view.conditional[names.block(index)]
            assert [row[hand] for row in side["values"]] == pytest.approx(list(values), abs=1e-5)
            weight = view.own_reach[index] * view.opponent_reach[index]
            assert side["columns"]["weight"][hand] == pytest.approx(weight, abs=1e-6)
        assert node["reach"] == pytest.approx(sum(side["columns"]["weight"]), abs=1e-9)
        assert client.get("/api/runs/three/node", line=line, seat=str(player)) == node
    assert node["reach"] < 1.0


def test_the_mix_of_a_push_is_the_percentage_of_the_chart(client: Client) -> None:
    chart = client.get("/api/runs/pushfold/pushfold")
    for line, seat in (("", 0), ("a", 1)):
        node = client.get("/api/runs/pushfold/node", line=line, hands="0")
        assert (node["player"], node["sides"][seat]["hand"]) == (seat, [])
        assert node["sides"][seat]["num_hands"] == 169
        if seat == 0:
            assert node["mix"][1] == pytest.approx(chart["mix"][1], abs=1e-5)
    assert node["reach"] == pytest.approx(chart["mix"][1], abs=1e-5)


def test_streets_and_boards(client: Client) -> None:
    start = client.get("/api/runs/deeper~leduc/node", line="c")
    assert [child["line"] for child in start["children"]] == ["cc/", "cb"]
    everywhere = client.get("/api/runs/deeper~leduc/node", line="cc/")
    assert everywhere["sides"][0]["num_hands"] == 9
    king = client.get("/api/runs/deeper~leduc/node", line="cc/", board="K")
    assert king["sides"][0]["num_hands"] == 3
    assert "K on the board" in king["words"]
    by_board = [
        client.get("/api/runs/deeper~leduc/node", line="cc/", board=board)["reach"]
        for board in "JQK"
    ]
    assert sum(by_board) == pytest.approx(everywhere["reach"])
    assert everywhere["chips"]["pot"] == 2.0
    assert client.get("/api/runs/deeper~leduc/node", line="check, bet")["line"] == "cb"


def test_without_a_sequence_form_nothing_is_weighted(client: Client) -> None:
    found = untilt.qre("kuhn", beta=2.0, save=False, trace=True)
    status, answer = client.add_document(found.to_document())
    assert status == 200
    node = client.get(f"/api/runs/{answer['id']}/node", line="")
    assert (node["mix"], node["reach"]) == (None, None)
    assert (node["sides"][0]["reach"], node["sides"][0]["means"]) == (None, {})
    assert node["sides"][0]["num_hands"] == 3
    assert node["chips"] is None


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("line=never", 404, "nobody decides on the line 'never'"),
        ("line=&board=K", 404, "with 'K' on the board"),
        ("line=b&seat=0", 404, "nobody decides"),
        ("line=&seat=2", 400, "seat is '2'"),
        ("line=&hands=2", 400, "hands is '2'"),
        ("line=&frame=99999", 404, "frame 99999 does not exist"),
    ],
)
def test_what_is_not_there_is_said(client: Client, query: str, status: int, words: str) -> None:
    got, line = client.refusal(
        "/api/runs/kuhn/node", **dict(parse_qsl(query, keep_blank_values=True))
    )
    assert got == status
    assert words in line


def test_money_is_found_without_walking_a_whole_game() -> None:
    root = untilt.games.leduc(ranks=13)
    chips = chips_on(root, "brc/cb")
    assert chips is not None
    assert chips.pot == 10.0
    assert sum(chips.bets) == 4.0
    assert chips_on(root, "never") is None
    assert not math.isnan(chips.pot)
