"""`untilt lbr`."""

import pytest
from tests.cli.conftest import Command


def test_always_folding_loses_750_mbb(command: Command) -> None:
    found = command("lbr", "fold", "--game", "holdem", "--hands", "20", "--json").json
    assert found["mbb"] == 750.0
    assert found["interval_mbb"] == [750.0, 750.0]
    assert found["variant"] in ("all-in", "all sizes")
    assert [each["variant"] for each in found["variants"]] == [
        "fold or call",
        "all-in",
        "all sizes",
        "from the flop",
        "from the turn",
        "from the river",
    ]
    assert found["hands"] == 20


def test_the_best_variant_is_chosen_and_measured_on_different_deals(command: Command) -> None:
    found = command(
        "lbr", "call", "--game", "holdem", "-p", "stack=20", "--hands", "60", "--json"
    ).json
    values = {each["variant"]: each["mbb"] for each in found["variants"]}
    assert found["mbb"] <= max(values.values())
    assert values[found["variant"]] == max(values.values())
    assert set(found["chosen"]) <= set(values)
    low, high = found["interval_mbb"]
    assert low < found["mbb"] < high
    text = command("lbr", "call", "--game", "holdem", "-p", "stack=20", "--hands", "20").out
    assert "chosen on one half of the deals and measured on the other: " in text
    assert "local best response against call" in text
    assert "fold or call" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("random", "--game", "kuhn"), "plays hold'em, not Kuhn"),
        (("random",), "add --game"),
        (("random", "-p", "stack=3"), "give --game too"),
        (("random", "--game", "holdem", "--hands", "3"), "even integer"),
        (("random", "--game", "holdem", "--sizes", "huge"), "huge"),
    ],
)
def test_bad_input_gets_one_line(command: Command, arguments: tuple[str, ...], words: str) -> None:
    assert words in command("lbr", *arguments).error
