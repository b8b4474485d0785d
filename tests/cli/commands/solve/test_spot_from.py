"""`untilt spot --from`: a street with the ranges that an agent gets there with."""

from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.cli.conftest import Command
from tests.play.blueprints import random_blueprint

import untilt
from untilt.cards.card import parse_cards
from untilt.errors import InvalidOption
from untilt.games.holdem.solutions.solution import Solution
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.nodes.public_state import follow

__all__ = ["stored"]  # a fixture

LINE, BOARD = "raise 3bb, call, check, check, bet 6, call", "Ks7h2d3c9s"


@pytest.fixture
def path(stored: Path, tmp_path: Path) -> Path:
    path = tmp_path / "blueprint.bin"
    random_blueprint(path)
    return path


def test_a_river_is_solved_with_the_ranges_of_a_blueprint(command: Command, path: Path) -> None:
    flags = ("--line", LINE, "--board", BOARD, "--bets", "100%", "-n", "5", "-o", "run", "--json")
    assert command("spot", "--from", str(path), *flags).json["iterations"] == 5
    policy = BlueprintPolicy(path)
    state = follow(policy, policy.rules, "r6c/cc/b6c/", tuple(parse_cards(BOARD)))
    solution = untilt.load("run")
    assert isinstance(solution, Solution)
    assert (solution.spot.pot, solution.spot.board_text) == (24, BOARD)
    for player, seat in ((0, 1), (1, 0)):
        combos = solution.spot.combos(player)
        expected = state.reach[seat] / state.reach[seat].max()
        np.testing.assert_allclose(
            solution.spot.ranges[player].weights[combos], expected[combos], atol=1e-6
        )
        assert np.count_nonzero(expected) == len(combos)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--from", "bp"), "--from needs --line and --board"),
        (("--from", "random", "--line", LINE, "--board", BOARD), "random plays any game"),
        (("--from", "bot.py:Bot", "--line", LINE, "--board", BOARD), "add --trust"),
        (("--board", BOARD, "--trust"), "--trust is for the agent of --from"),
        (("--line", LINE, "--board", BOARD), "untilt spot --from bp/"),
        (("spot.toml", "--from", "bp", "--line", LINE), "choose one of them"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    command: Command, flags: tuple[str, ...], words: str
) -> None:
    assert words in command("spot", *flags).error


def test_code_that_is_trusted_begins_a_spot(command: Command, path: Path) -> None:
    code = (
        f"from untilt.policy.blueprint import BlueprintPolicy\nown = BlueprintPolicy({str(path)!r})"
    )
    Path("bot.py").write_text(code)
    flags = ("--line", LINE, "--board", BOARD, "--bets", "100%", "--dry-run", "--json")
    expected = command("spot", "--from", str(path), *flags).json
    assert command("spot", "--from", "bot.py:own", "--trust", *flags).json == expected
    with pytest.raises(InvalidOption, match="trust=True"):
        untilt.Spot.from_policy("bot.py:own", LINE, BOARD)
    spot = untilt.Spot.from_policy("bot.py:own", LINE, BOARD, trust=True)
    assert spot == untilt.Spot.from_policy(str(path), LINE, BOARD)
