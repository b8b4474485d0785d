"""Blueprints as agents of commands: measured, matched, played."""

from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored
from tests.cli.conftest import Command
from tests.play.blueprints import random_blueprint

__all__ = ["stored"]  # a fixture


@pytest.fixture
def file(stored: Path, tmp_path: Path) -> Path:
    path = tmp_path / "blueprint.bin"
    random_blueprint(path, 20)
    return path


@pytest.mark.long
def test_local_best_response_has_all_variants_and_the_always_fold_line(
    command: Command, file: Path
) -> None:
    document = command("blueprint", "lbr", file, "--deals", "100", "--json").json
    assert set(document) == {
        *("lbr_mbb", "interval_mbb", "variant", "chosen", "deals", "variants", "always_fold_mbb")
    }
    assert document["deals"] == 100
    assert document["variants"][document["variant"]]["mbb"] >= document["lbr_mbb"]
    low, high = document["interval_mbb"]
    assert low < document["lbr_mbb"] < high
    # `untilt lbr` is the same exploiter on the same deals, with one more variant.
    same = command("lbr", file, "-n", "200", "--json").json
    assert {
        each["variant"]: each["mbb"]
        for each in same["variants"]
        if each["variant"] != "from the flop"
    } == {name: each["mbb"] for name, each in document["variants"].items()}
    told = command("blueprint", "lbr", file, "--time", "0.2")
    assert "an agent that always folds loses 750 mbb a hand" in told.out


def test_bad_numbers_are_refused(command: Command, file: Path) -> None:
    for given in (("--deals", "0"), ("--time", "-1"), ("--threads", "0")):
        found = command("blueprint", "lbr", file, *given)
        assert found.status == 2
        assert found.err.count("\n") == 1


def test_it_is_matched_and_compared_with_a_hand(
    command: Command, file: Path, tmp_path: Path
) -> None:
    document = command("match", file, "call", "-n", "20", "--json").json
    assert document["hands"] == 20
    history = tmp_path / "hand.phh"
    history.write_text(
        'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\n'
        "starting_stacks = [20, 20]\n"
        'actions = ["d dh p1 AcKc", "d dh p2 QcTc", "p2 cbr 5", "p1 f"]\n'
    )
    found = command("hand", history, "--strategy", file, "--json")
    assert found.status == 0, found.err
    for decision in found.json["decisions"]:
        assert sum(decision["mix"].values()) == pytest.approx(1.0)
    refused = command("bot", "pokerbots", file, "localhost", "9")
    assert refused.status == 2
    assert "plays River of Blood" in refused.err
