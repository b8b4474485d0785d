"""A blueprint that thinks on the command line: playing against it, and asking it about hands."""

import io
from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored
from tests.cli.conftest import Command
from tests.play.blueprints import random_blueprint

__all__ = ["stored"]  # a fixture

HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [40, 40]
actions = ["d dh p1 AsKh", "d dh p2 TcTs", "p2 cc", "p1 cc", "d db Td9d6h", "p1 cc", "p2 cc",
  "d db 2c", "p1 cc", "p2 cc", "d db 5s", "p1 cbr 3", "p2 cc"]
"""


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("thinking") / "blueprint.bin"
    random_blueprint(path)
    return path


@pytest.fixture
def hand(tmp_path: Path) -> Path:
    file = tmp_path / "hand.phh"
    file.write_text(HAND)
    return file


@pytest.mark.long
def test_an_agent_is_asked_about_every_decision(command: Command, path: Path, hand: Path) -> None:
    found = command("hand", hand, "--agent", f"{path} --iterations 3", "--ranges", "--json")
    assert found.status == 0
    decisions = found.json["decisions"]
    assert len(decisions) == 8
    for decision in decisions:
        assert sum(decision["mix"].values()) == pytest.approx(1.0)
        assert decision["chosen"] in decision["values"]
        assert decision["cost"] >= 0.0
        assert [sum(each.values()) for each in decision["ranges"]] == pytest.approx([1.0, 1.0])
    assert [each["solved"] is not None for each in decisions] == [False] * 6 + [True] * 2
    assert decisions[-2]["basis"] == "by the solution"
    assert "ranges" not in command("hand", hand, "--agent", path, "--json").json["decisions"][0]


@pytest.mark.long
def test_the_agent_is_told_in_words(command: Command, path: Path, hand: Path) -> None:
    found = command("hand", hand, "--agent", f"{path} --iterations 3", "--ranges")
    assert found.status == 0
    assert "agent: " in found.out
    assert "by the solution" in found.out
    assert "the blueprint: " in found.out
    assert "if both follow the blueprint, exactly" in found.out


def test_a_person_plays_it_while_it_thinks(
    command: Command, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("r\n" + "c\n" * 30))
    found = command("play", path, "--think", "20ms", "--seed", "4", "--hands", "2")
    assert found.status == 0
    assert "the blueprint, thinking" in found.out
    assert "your range, as it sees it" in found.out
    assert "follow the blueprint" in found.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("hand", "HAND", "--agent", "random"), "is not a blueprint"),
        (("hand", "HAND", "--agent", "BLUEPRINT --think soon"), "give a time such as"),
        (("hand", "HAND", "--agent", "BLUEPRINT", "--strategy", "BLUEPRINT"), "choose one"),
        (("hand", "HAND", "--ranges"), "--ranges needs --agent"),
        (("play", "kuhn", "--think", "1s"), "--think needs a blueprint"),
        (("play", "BLUEPRINT", "--think", "1h"), "give a time such as"),
        (("play", "kuhn", "--against", "random", "--think", "1s"), "goes into the agent"),
        (("play", "kuhn", "--against", "random", "--ranges"), "--ranges is for blueprints"),
    ],
)
def test_wrong_input_is_refused_in_one_line(
    command: Command, path: Path, hand: Path, arguments: tuple[str, ...], words: str
) -> None:
    given = [each.replace("BLUEPRINT", str(path)).replace("HAND", str(hand)) for each in arguments]
    assert words in command(*given).error


def test_a_hand_with_other_stacks_is_refused(command: Command, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "deep.phh"
    file.write_text(HAND.replace("[40, 40]", "[200, 200]"))
    assert "not of no-limit 1/2, stacks 40" in command("hand", file, "--agent", path).error
