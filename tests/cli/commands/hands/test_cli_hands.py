"""`untilt hands`: folders of hands."""

from pathlib import Path

import pytest
from tests.cli.conftest import Command

EXAMPLES = Path(__file__).parents[4] / "examples" / "hands"


@pytest.fixture
def hands(command: Command) -> Path:
    document = command("hands", "import", EXAMPLES, "-o", "hands", "--json").json
    assert (document["imported"], document["known"], document["unreadable"]) == (70, 10, [])
    return Path("hands")


def test_an_import_says_what_was_new_and_what_could_not_be_read(
    command: Command, hands: Path
) -> None:
    Path("bad.txt").write_text("PokerStars Hand #1: Omaha Pot Limit ($1/$2 USD)\n")
    found = command("hands", "import", "bad.txt", EXAMPLES, "-o", hands)
    assert found.status == 0
    assert found.out.splitlines() == [
        "imported    0 hands into hands",
        "known       80",
        "unreadable  1",
        "  bad.txt:1: the game is 'Omaha Pot Limit'; hold'em can be read, no limit or limit, 52 "
        "cards",
    ]


def test_hands_are_listed_by_player_pot_street_and_line(command: Command, hands: Path) -> None:
    asked = ("--player", "me", "--pot", ">10bb", "--street", "river", "--line", "check, bet, ?")
    document = command("hands", "list", hands, *asked, "--json").json
    assert (document["found"], document["of"]) == (3, 70)
    assert document["gains_bb"] == pytest.approx(-80.4, abs=0.05)
    assert all(each["player"] == each["hero"] for each in document["hands"])
    shown = command("hands", "list", hands, *asked)
    assert shown.out.count("\n") == 4
    assert "3 of 70 hands; won -80.4 bb in 3\n" in shown.err
    assert len(command("hands", "list", hands, "--limit", 5, "--json").json["hands"]) == 5


def test_a_hand_is_shown_by_its_number(command: Command, hands: Path) -> None:
    shown = command("hands", "show", hands, "PokerStars #10035")
    assert shown.out.startswith("PokerStars #10035: no limit, big blind ")
    document = command("hands", "show", hands, "10035", "--json").json
    assert (document["number"], document["line"]) == ("10035", "1c0x/0x1b0c/0x1x/0x1B0f")
    assert "no hand has it" in command("hands", "show", hands, "GGPoker #10035").error


def test_exported_hands_are_read_again(command: Command, hands: Path) -> None:
    assert command("hands", "export", hands, "--to", "phh", "--json").json["hands"] == 70
    assert command("hands", "import", "hands.phhs", "-o", hands, "--json").json["known"] == 70
    assert "already exists" in command("hands", "export", hands).error


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("list", "none"), "none is not a folder of hands"),
        (("import", "none"), "none does not exist"),
        (("list", "hands", "--player", "Hiro"), "the nearest names are Hero"),
        (("list", "hands", "--pot", "big"), "--pot is 'big'; give big blinds"),
        (("show", "hands", "77"), "'77'; no hand has it"),
        (("list", "hands", "--limit", "0"), "--limit is 0"),
        (("export", "hands", "--to", "csv"), "unknown --to 'csv': known: phh"),
    ],
)
def test_wrong_input_is_refused_in_one_line(
    command: Command, hands: Path, arguments: tuple[str, ...], error: str
) -> None:
    assert hands.is_dir()
    assert error in command("hands", *arguments).error
