"""`untilt match`."""

from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt


def test_an_equilibrium_beats_a_random_agent_by_the_exact_amount(
    command: Command, tmp_path: Path
) -> None:
    untilt.solve("kuhn", target=1e-6, output=tmp_path / "kuhn")
    found = command("match", tmp_path / "kuhn", "random", "--hands", "100_000", "--json").json
    assert found["hands"] == 100_000
    low, high = found["interval"]
    exact = found["exact"]["value"]
    assert low < found["value"] < high
    # Three times the interval, about six standard errors: the seed is fixed anyway.
    assert abs(found["value"] - exact) < 1.5 * (high - low)
    assert high - low < 0.01
    assert "mbb" not in found
    assert found["unit"] == "chips"


def test_the_text_says_who_wins_what(command: Command) -> None:
    text = command("match", "random", "call", "--game", "leduc", "--hands", "1000").out
    assert "Leduc Hold'em: random against call" in text
    assert "1,000 hands, each deal in both seats" in text
    assert "exact expectation: +0.000000 chips a hand" in text


def test_a_loss_is_named_a_loss(command: Command) -> None:
    # Half a big blind as small blind, a whole one as big blind.
    always = "push=random;call=random"
    both = "--game", "pushfold", "--hands", "100"
    text = command("match", "fold", always, *both).out
    assert "\nfold loses 0.7500 bb a hand (95 %: -0.7500 to -0.7500)\n" in text
    text = command("match", always, "fold", *both).out
    assert f"\n{always} wins 0.7500 bb a hand (95 %: +0.7500 to +0.7500)\n" in text


def test_push_fold_charts_play_in_big_blinds(command: Command) -> None:
    texts = "push=22+,A2s+;call=QQ+", "hune"
    found = command("match", *texts, "--game", "pushfold", "--hands", "2_000", "--json").json
    exact = command("pushfold", "match", *texts, "--json").json
    assert found["exact"]["value"] == pytest.approx(exact["mean_bb_100"] / 100.0, abs=1e-12)
    low, high = found["interval_mbb"]
    assert low < found["mbb"] < high
    assert found["mbb"] == pytest.approx(1_000.0 * found["value"])
    assert abs(found["mbb"] - 1_000.0 * found["exact"]["value"]) < 1.5 * (high - low)


def test_a_bot_in_a_file_plays_with_trust_only(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("def bot(label):\n    return 'bet' if label[-1] in ':c' else 'fold'\n")
    arguments = ("match", f"{file}:bot", "call", "--game", "kuhn", "--hands", "100", "--json")
    assert "add --trust" in command(*arguments).error
    found = command(*arguments, "--trust").json
    assert found["exact"] is None
    assert found["agents"] == [f"{file}:bot", "call"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("random", "call"), "add --game"),
        (("random", "call", "-p", "ranks=3"), "give --game too"),
        (("random", "call", "--game", "kuhn", "--hands", "3"), "--hands is 3; it must be an even"),
        (("random", "nobody", "--game", "kuhn"), "nobody is not an agent"),
        (("random", "call", "--game", "kuhn", "--seed", "-1"), "seed"),
        (("random", "", "--game", "kuhn"), "is not an agent"),
        (("random", "bot.py", "--game", "kuhn"), "name the class too"),
    ],
)
def test_bad_input_gets_one_line(command: Command, arguments: tuple[str, ...], words: str) -> None:
    assert words in command("match", *arguments).error
