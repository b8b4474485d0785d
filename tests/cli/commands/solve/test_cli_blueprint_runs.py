"""`untilt blueprint chart`, and blueprints to and from other programs."""

from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.cli.conftest import Command
from tests.runs.random_dealer import CARDS, draw_buckets, train_small

from untilt.abstraction.blueprint import Blueprint

__all__ = ["stored"]  # a fixture

MADE_WITH = [
    *("--menu", "1, a", "--cap", "3"),
    *(word for name, count in CARDS.items() for word in (f"--{name}", str(count))),
]


@pytest.fixture(scope="module")
def run(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blueprint") / "bp"
    train_small(folder)
    return folder


@pytest.mark.long
def test_a_blueprint_comes_back_from_the_plain_layout(command: Command, run: Path) -> None:
    saved = command("export", run, "--to", "ares", "-o", "plain.bin", "--json").json
    assert saved == {"file": "plain.bin", "bytes": Path("plain.bin").stat().st_size}
    found = command("import", "plain.bin", "-o", "back", *MADE_WITH, "--json").json
    assert (found["content"], found["iterations"]) == ("strategy", 320)
    once, again = Blueprint(run / "blueprint.bin"), Blueprint(Path("back") / "blueprint.bin")
    assert found["infosets"] == once.num_infosets
    for street in range(4):
        assert np.array_equal(once.table(street), again.table(street))


def test_a_checkpoint_is_trained_on(
    command: Command, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_buckets(monkeypatch)
    assert command("export", run, "--to", "ares", "--checkpoint", "-o", "all.bin").status == 0
    said = command("import", "all.bin", "-o", "back", *MADE_WITH)
    assert said.status == 0
    assert "go on: untilt blueprint train --resume back --time SECONDS" in said.out
    resumed = command("blueprint", "train", "--resume", "back", "-n", "640", "--json")
    assert resumed.json["iterations"] == 640
    assert "continuing after 320 iterations in " in resumed.err
    assert "up to 640 iterations in all" in resumed.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--menu", "0.5, a"], "plain.bin"),
        ([*MADE_WITH, "--stack", "6bb"], "6"),
        ([*MADE_WITH[:-1], "49"], "plain.bin"),
    ],
)
def test_a_file_of_another_game_is_refused(
    command: Command, run: Path, arguments: list[str], words: str
) -> None:
    command("export", run, "--to", "ares", "-o", "plain.bin")
    assert words in command("import", "plain.bin", "-o", "back", *arguments).error
    assert not Path("back").exists()


def test_damaged_and_foreign_files_are_refused(command: Command, run: Path) -> None:
    command("export", run, "--to", "ares", "-o", "plain.bin")
    whole = Path("plain.bin").read_bytes()
    for content in (b"", whole[:100], whole[:-1], whole + b"x", b"x" * 200):
        Path("bad.bin").write_bytes(content)
        assert "bad.bin" in command("import", "bad.bin", "-o", "back", *MADE_WITH).error
    assert "already exists" in command("export", run, "--to", "ares", "-o", "plain.bin").error
    assert "text" in command("export", run, "--to", "ares", "-o", "-").error


def test_the_chart_and_its_document_agree(command: Command, run: Path) -> None:
    found = command("blueprint", "chart", run, "--line", "cc/", "--board", "Td9d6h", "--json").json
    assert found["classes"].keys() == found["weights"].keys()
    assert sum(found["shares"].values()) == pytest.approx(1.0)
    aces = found["classes"]["AA"]
    assert list(aces) == found["actions"]
    text = command("blueprint", "chart", run, "--line", "cc/", "--board", "Td9d6h").out
    legend, ranks, first, *_ = lines = text.splitlines()
    assert len(lines) == 1 + 14 + 1
    assert ranks.split() == list("AKQJT98765432")
    for name, share in found["shares"].items():
        assert f"{name} {share:.1%}" in legend
    letter = "ABCDEFGH"[list(aces.values()).index(max(aces.values()))]
    cell = f"{letter}{100.0 * max(aces.values()):.0f}"
    assert first.split()[:2] == ["A", cell if found["weights"]["AA"] > 0.995 else cell.lower()]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--line", "cc/"], "where 3 cards lie, not 0: give them with --board"),
        (["--line", "cc/cc/", "--board", "Td9d6h"], "where 4 cards lie, not 3"),
        (["--board", "Td9d6h"], "before the flop, where none lie"),
        (["--line", "f"], "the hand is over"),
        (["--line", "r7"], "not on the menu; possible: fold, call, raise 6, all-in 10"),
    ],
)
def test_a_place_without_a_chart_is_refused(
    command: Command, run: Path, arguments: list[str], words: str
) -> None:
    assert words in command("blueprint", "chart", run, *arguments).error
