"""Hands are played in one place: who asks a policy to act, and who takes the next choice."""

import ast

import pytest
from tests.project.test_layers import SOURCE

ASKED = {
    "play/table/hand.py",  # the hand loop of tables, matches and measurements
    "play/table/versus.py",  # a person's turns in between, for a terminal and a page
    "play/matches/holdem_luck.py",  # a policy that plays as another one does
    "play/engines/bot.py",  # somebody else's engine deals and asks
    "play/engines/acpc.py",  # asks the bot, which has a `choose` of its own
    "play/engines/pokerbots.py",
}


def calling(method: str) -> set[str]:
    """Return the modules that call a function or method of this name on anything but `super()`."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called.rpartition(".")[2] == method and not called.startswith("super()"):
                    found.add(path.relative_to(SOURCE).as_posix())
    return found


@pytest.mark.parametrize(
    ("method", "modules"),
    [("next_choice", {"play/table/hand.py"}), ("choose", ASKED)],
)
def test_hands_are_played_in_one_place(method: str, modules: set[str]) -> None:
    assert calling(method) == modules
