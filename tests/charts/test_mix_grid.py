"""The grid of a decision in the terminal."""

import io
import re
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from untilt.cards.combos import class_index
from untilt.charts.mix_grid import mix_grid, print_mixes
from untilt.game.actions import action_data
from untilt.policy.nodes.node import NO_HANDS, Hands, Node, NodePlace


def printed(weights: dict[str, float], marked: tuple[str, ...] = (), **console: Any) -> list[str]:
    """The lines of a grid in which AA mostly bets, and everything else checks or bets half."""
    mix = np.full((2, 169), 0.5)
    mix[:, class_index("AA")] = 0.25, 0.75
    mix[:, class_index("KK")] = 1.0, 0.0
    here, is_marked = np.zeros(169), np.zeros(169)
    for name, weight in weights.items():
        here[class_index(name)] = weight
        is_marked[class_index(name)] = name in marked
    file = io.StringIO()
    shown = Console(file=file, width=80, **console)
    node = Node(
        place=NodePlace("", "", "decision"),
        words="",
        player=0,
        hands=(Hands.of_classes(), NO_HANDS),
        reach=(here, None),
        mix=mix,
        actions=(action_data("check"), action_data("bet 50")),
        columns=({"locked": is_marked}, {}),
    )
    print_mixes(shown, node)
    return file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("console", "environment"),
    [({}, {}), ({"force_terminal": True}, {"NO_COLOR": "1"}), ({}, {"TERM": "dumb"})],
    ids=["pipe", "NO_COLOR", "dumb"],
)
def test_without_colour_a_cell_says_how_often_its_action_is_taken(
    console: dict[str, Any], environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    lines = [
        re.sub(r"\x1b\[[12]?0?m", "", line)  # bold and dim are no colours
        for line in printed({"AA": 1.0, "AKs": 0.25, "KK": 1.0}, ("KK",), **console)
    ]
    # Of 6, 1 and 6 combos, aces bet ¾, one AKs half of the time, and kings never.
    assert lines[0] == "A check 61.5%   B bet 50 38.5%"
    assert lines[1].split() == list("AKQJT98765432")
    assert lines[2].split()[:4] == ["A", "B75", "a50", "."]
    assert lines[3].split()[:4] == ["K", ".", "A100*", "."]
    assert "B75: bet 50 75% of the time" in lines[15]
    assert "a small letter: only a part of the hand is here" in lines[15]
    assert lines[2].index("B75") + 2 == lines[1].index("A")
    assert "small letter" not in printed({"AA": 1.0, "KK": 1.0}, **console)[15]


def test_in_colour_the_digits_after_a_hand_are_explained() -> None:
    colour: dict[str, Any] = {
        "force_terminal": True,
        "color_system": "truecolor",
        "no_color": False,
    }
    text = "\n".join(printed({"AA": 1.0, "AKs": 0.25}, **colour))
    assert "AKs25: 25% of the combos of this hand are here" in text
    assert "combos of this hand" not in "\n".join(printed({"AA": 1.0}, **colour))
    assert "\x1b[" in text


def test_a_marked_class_has_a_star_and_its_weight_where_there_is_room() -> None:
    weights = np.zeros(169)
    marked = np.zeros(169, np.bool_)
    for name, weight in (("AA", 1.0), ("AKs", 0.25), ("KK", 0.25), ("QQ", 0.5)):
        weights[class_index(name)] = weight
        marked[class_index(name)] = name != "QQ"
    plain = mix_grid(["check", "bet 50"], np.full((2, 169), 0.5), weights)
    starred = mix_grid(["check", "bet 50"], np.full((2, 169), 0.5), weights, marked)
    assert str(plain).splitlines()[0].startswith("AA    AKs25 .")
    first, second, third = str(starred).splitlines()[:3]
    assert first.startswith("AA*   AKs*  .")
    assert second.startswith(".     KK*25 .")
    assert third.startswith(".     .     QQ 50")
