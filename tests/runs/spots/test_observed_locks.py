"""Locks from how often a player was seen to take each action."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Command, command

import untilt
from untilt.errors import FormatError, InvalidOption
from untilt.runs.spots.observed_locks import observed_locks, raked

__all__ = ["command"]  # a fixture

RIVER = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK, JJ"), 100, 100, untilt.Sizes("100%"))


@pytest.fixture(scope="module")
def solution() -> untilt.Solution:
    return untilt.solve(RIVER, iterations=400, save=False)


def rows(folds: int, calls: int) -> list[dict[str, object]]:
    return [
        {"line": "all-in 100, fold", "count": folds},
        {"line": "all-in 100, call", "count": calls},
    ]


def calls_of(locked: untilt.Solution) -> float:
    return locked.at("all-in 100").frequencies["call"]


@pytest.mark.parametrize(("folds", "calls", "shrink"), [(90, 10, 20), (900, 100, 20), (9, 1, 100)])
def test_frequencies_lie_between_those_seen_and_those_of_the_solution(
    solution: untilt.Solution, folds: int, calls: int, shrink: float
) -> None:
    locks = observed_locks(solution, rows(folds, calls), "ip", shrink=shrink)
    locked = untilt.solve(RIVER.replaced(locks=locks), iterations=400, save=False)
    usual = solution.at("all-in 100").frequencies["call"]
    expected = (calls + shrink * usual) / (folds + calls + shrink)
    assert calls_of(locked) == pytest.approx(expected, abs=0.002)


def test_the_answer_to_a_player_who_folds_too_much_bluffs_more_and_wins_more(
    solution: untilt.Solution,
) -> None:
    locks = observed_locks(solution, rows(95, 5), "ip", shrink=5)
    answer = untilt.solve(RIVER.replaced(locks=locks), iterations=400, save=False)
    queens = [name for name in answer.root.hands if name.startswith("Q")]
    places = [answer.root.hands.index(name) for name in queens]
    push = answer.root.actions.index("all-in 100")
    assert answer.root.strategy[push, places].min() > 0.95
    assert answer.ev[0] > solution.ev[0] + 5


def test_hands_keep_their_inclination(solution: untilt.Solution) -> None:
    node = solution.at("all-in 100")
    call = node.actions.index("call")
    before = node.strategy[call]
    after = raked(node.strategy, np.ones(len(before)), np.array([0.7, 0.3]))[call]
    assert after.mean() == pytest.approx(0.3, abs=1e-6)
    order = np.argsort(before, kind="stable")
    assert (np.diff(after[order]) > -1e-9).all()


def test_actions_that_the_solution_never_takes_can_be_locked() -> None:
    mix = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    found = raked(mix, np.array([1.0, 2.0, 1.0]), np.array([0.4, 0.6]))
    assert (found @ np.array([0.25, 0.5, 0.25])) == pytest.approx([0.4, 0.6])


def test_later_streets_are_left_to_the_solver() -> None:
    turn = untilt.Spot("2c2d2h3c", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    solution = untilt.solve(turn, iterations=50, save=False)
    lines = [{"line": "check, check, check, all-in 100, fold", "public": "3d", "count": 10}]
    locks = observed_locks(solution, lines, "ip")
    assert [lock["line"] for lock in locks] == ["check"]


def test_what_makes_no_sense_is_refused(solution: untilt.Solution) -> None:
    with pytest.raises(InvalidOption, match="give oop or ip"):
        observed_locks(solution, rows(1, 1), "villain")
    with pytest.raises(InvalidOption, match="shrink is nan"):
        observed_locks(solution, rows(1, 1), "ip", shrink=float("nan"))
    with pytest.raises(FormatError):
        observed_locks(solution, [{"line": "raise 7"}], "ip")


def test_the_command_answers_a_player(command: Command, tmp_path: Path) -> None:
    untilt.solve(RIVER, iterations=400, output=tmp_path / "run")
    file = tmp_path / "hands.csv"
    file.write_text('line,count\n"all-in 100, fold",95\n"all-in 100, call",5\n', "utf-8")
    given = ("spot", tmp_path / "run", "--observed", file)
    command(*given, "--me", "oop", "--shrink", 5, "-n", 400, "-o", tmp_path / "answer")
    found = untilt.load(tmp_path / "answer").result
    usual = untilt.load(tmp_path / "run").result
    assert calls_of(found) < 0.5 * calls_of(usual)
    assert found.ev[0] > usual.ev[0] + 5
    assert "needs your seat and a solution" in command(*given).error
    assert "--shrink is for hands" in command("spot", tmp_path / "run", "--shrink", 5).error
