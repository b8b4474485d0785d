"""`untilt tree`: the picture and its data."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.conftest import Command

SVG = "{http://www.w3.org/2000/svg}"


def drawn(path: str) -> ElementTree.Element:
    return ElementTree.fromstring(Path(path).read_text(encoding="utf-8"))


def texts(picture: ElementTree.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]


def test_kuhn_is_drawn_with_its_infosets_and_payoffs(command: Command) -> None:
    found = command("tree", "kuhn", "-o", "tree.svg")
    assert (found.status, found.err) == (0, "")
    assert found.out == "saved in tree.svg (58 nodes, 12 infosets, 30 terminals)\n"
    picture = drawn("tree.svg")
    shown = texts(picture)
    assert shown[0] == "Kuhn Poker"
    # Each of the twelve infosets has two nodes, and each of 30 terminals a payoff.
    labels = [text for text in shown if re.fullmatch(r"P[01]:[JQK]:[cb]*", text)]
    assert len(labels) == 24
    assert len(set(labels)) == 12
    payoffs = [text for text in shown if re.fullmatch(r"[+−][12]", text)]
    assert len(payoffs) == 30
    assert payoffs.count("+2") == payoffs.count("−2") == 6
    # One arc joins the two nodes of an infoset; a thirteenth dashed line is in the legend.
    dashed = [path for path in picture.iter(f"{SVG}path") if path.get("stroke-dasharray")]
    assert len(dashed) == 13


def test_all_text_lies_inside_the_picture(command: Command) -> None:
    command("tree", "leduc", "-o", "tree.svg")
    picture = drawn("tree.svg")
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    places = [
        (float(each.attrib["x"]), float(each.attrib["y"]))
        for each in picture.iter()
        if each.tag == f"{SVG}text"
    ]
    assert all(0 < x < width and 0 < y < height for x, y in places)


def test_nodes_are_printed_with_json(command: Command) -> None:
    document = command("tree", "kuhn", "--json").json
    assert (document["file"], document["infosets"], document["cut"]) == ("kuhn-tree.svg", 12, 0)
    nodes = document["nodes"]
    assert nodes[0] == {
        "parent": None,
        "depth": 0,
        "move": "",
        "probability": None,
        "player": None,
        "infoset": "",
        "payoffs": None,
        "is_cut": False,
        "kind": "chance",
    }
    for node in nodes[1:]:
        assert nodes[node["parent"]]["depth"] == node["depth"] - 1
    ends = [node for node in nodes if node["kind"] == "terminal"]
    assert len(ends) == 30
    assert all(sum(node["payoffs"]) == 0 for node in ends)
    deals = [node["probability"] for node in nodes if node["depth"] in (1, 2)]
    assert deals == pytest.approx([1 / 3] * 3 + [1 / 2] * 6)


def test_a_run_is_drawn_with_its_strategy(command: Command, runs: Path) -> None:
    by_run = command("tree", runs / "lp", "-o", "run.svg", "--json").json
    by_name = command("tree", "kuhn", "-s", runs / "lp", "-o", "name.svg", "--json").json
    assert by_run["nodes"] == by_name["nodes"]
    nodes = by_run["nodes"]
    calls = {
        nodes[node["parent"]]["infoset"]: node["probability"]
        for node in nodes
        if node["move"] == "call"
    }
    assert calls["P1:Q:b"] == pytest.approx(1 / 3)
    assert calls["P1:K:b"] == 1.0
    assert calls["P0:J:cb"] == 0.0
    assert "call 33.3 %" in texts(drawn("run.svg"))


def test_a_strategy_file_may_lack_forced_moves_but_not_infosets(
    command: Command, runs: Path
) -> None:
    command("export", runs / "leduc", "--output", "leduc.json")
    error = command("tree", "kuhn", "-s", "leduc.json").error
    assert "leduc.json" in error
    assert "is a run of leduc" in command("tree", "kuhn", "-s", runs / "leduc").error


def test_a_large_tree_is_cut_after_whole_levels_and_says_so(command: Command) -> None:
    found = command("tree", "leduc", "--max-nodes", "100", "-o", "tree.svg", "--json")
    assert found.status == 0
    assert "the tree goes on: it is drawn to depth 4" in found.err
    nodes = found.json["nodes"]
    assert len(nodes) <= 100
    for node, later in pairwise(nodes):
        assert node["depth"] <= later["depth"]
    assert {node["depth"] for node in nodes if node["is_cut"]} == {4}
    assert found.json["cut"] == sum(node["is_cut"] for node in nodes)
    assert any("left out" in text for text in texts(drawn("tree.svg")))


def test_depth_cuts_without_a_message(command: Command) -> None:
    found = command("tree", "kuhn", "--depth", "3", "--json")
    assert (found.err, found.json["depth"]) == ("", 3)


def test_a_part_is_drawn_after_given_moves(command: Command) -> None:
    found = command("tree", "leduc", "--after", "J, Q,check , bet, call", "-o", "t.svg", "--json")
    assert found.json["nodes"][0]["kind"] == "chance"
    assert found.json["nodes"][1]["infoset"] == "P0:J:J:cbc/"
    assert "Leduc Hold'em after J, Q, check, bet, call" in texts(drawn("t.svg"))


def test_parameters_stand_in_the_title(command: Command) -> None:
    command("tree", "goofspiel", "-p", "cards=3")
    assert texts(drawn("goofspiel-tree.svg"))[0] == "Goofspiel (cards=3)"


def test_payoffs_that_do_not_sum_to_zero_are_shown_for_both(command: Command) -> None:
    command("tree", "order-routing")
    shown = texts(drawn("order-routing-tree.svg"))
    assert any("what both players gain" in text for text in shown)
    assert "+0.95, −0.07" in shown  # an urgent order at the tight quote


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn", "-o", "tree.png"], "the tree is drawn as SVG"),
        (["kuhn", "--after", "J, J"], "unknown move after history [J] 'J'"),
        (["kuhn", "--max-nodes", "3"], "the first move has 3 outcomes"),
        (["kuhn", "--max-nodes", "1"], "--max-nodes"),
        (["kuhn", "--depth", "0"], "--depth"),
        (["kunh"], "did you mean 'kuhn'?"),
        (["holdem"], "holdem does not list its chance outcomes, so its tree cannot be drawn"),
        (["kuhn", "-s", "nowhere"], "nowhere does not exist"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    command: Command, arguments: list[str], message: str
) -> None:
    assert message in command("tree", *arguments).error


def test_an_existing_file_is_replaced_only_on_demand(command: Command) -> None:
    Path("kuhn-tree.svg").write_text("precious", encoding="utf-8")
    assert "already exists" in command("tree", "kuhn").error
    assert command("tree", "kuhn", "--force").status == 0
    assert drawn("kuhn-tree.svg").tag == f"{SVG}svg"


def test_a_run_takes_neither_parameters_nor_another_strategy(command: Command, runs: Path) -> None:
    assert "leave -p out" in command("tree", runs / "lp", "-p", "cards=4").error
    assert "leave --strategy out" in command("tree", runs / "lp", "-s", runs / "kuhn").error


def test_names_with_markup_stay_text(command: Command) -> None:
    Path("odd.nfg").write_text(
        'NFG 1 R "<i>odd" { "a" "b" } { { "<b>&" "two" } { "one" "x" } }\n\n1 -1 2 -2 3 -3 4 -4\n',
        encoding="utf-8",
    )
    assert command("tree", "odd.nfg").status == 0
    shown = texts(drawn("odd-tree.svg"))
    assert shown[0] == "<i>odd"
    assert "<b>&" in shown


@pytest.mark.parametrize("name", ["Raises", "PaysNan"])
def test_a_fault_in_a_game_names_its_history(
    command: Command, faulty: Callable[[str], str], name: str
) -> None:
    assert "history [" in command("tree", faulty(name)).error
