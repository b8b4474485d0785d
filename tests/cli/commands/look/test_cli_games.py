"""`untilt games`, its `--check`, and the library's `check` behind it."""

from collections import Counter
from collections.abc import Callable

import pytest
from tests.cli import faulty_games
from tests.cli.conftest import Command

from untilt.game.checking.check import check, deviation_of
from untilt.games.leduc import Leduc
from untilt.games.registry import REGISTRY

FOUND_BY_CHECK = [
    ("Raises", "the game raised RuntimeError: out of"),
    ("Exits", "SystemExit"),
    ("NeverEnds", "returns the position it was called on at the root"),
    ("ChangesInPlace", "`apply` changed the position it was called on"),
    ("SharesItsLine", "changed"),
    ("Fickle", "`actions()` is ('"),
    ("Nameless", "is not equal to itself"),
    ("Scattered", "has two hashes"),
    ("Merged", "are equal: equal infosets must have the same label"),
    ("Repeating", "offers an action twice"),
    ("Forgetful", "imperfect recall: at infoset 'P0:?:cb'"),
    ("Varying", "an infoset must always offer the same actions"),
    ("LosesChance", "the chance probabilities sum to 0.9 at the root"),
    ("PaysNan", "payoff(0) is nan at history [J, Q, check, check]"),
    ("SamplesBiased", "draws; `chances` says"),
    ("SamplesUnlisted", "`sample` draws 'A' at the root, which `chances` does not list"),
    ("SamplesTwice", "drew 2 random numbers per outcome"),
    ("Misbuilt", "sequence_form() and the histories differ: player 0's payoffs differ"),
]


@pytest.mark.parametrize(("name", "words"), FOUND_BY_CHECK)
def test_each_way_of_breaking_the_rules_is_found_and_named(name: str, words: str) -> None:
    report = check(getattr(faulty_games, name)())
    assert not report.is_sound
    assert any(words in problem for problem in report.problems), report.problems


@pytest.mark.parametrize("name", ["Sound", "SamplesFairly"])
def test_a_sound_game_has_no_problem(name: str) -> None:
    report = check(getattr(faulty_games, name)())
    assert report.problems == ()
    assert report.notes == ()
    assert report.positions > 500
    shape = report.shape
    assert shape is not None
    assert (shape.infosets, shape.action_variables, shape.sequences) == ((6, 6), (12, 12), (13, 13))
    assert (shape.terminals, shape.nodes, shape.chance_nodes, shape.depth) == (30, 58, 4, 5)
    assert shape.payoffs == ((-2.0, 2.0), (-2.0, 2.0))
    assert shape.is_zero_sum
    assert shape.has_perfect_recall


def test_a_general_sum_game_is_sound_with_a_note_on_where() -> None:
    report = check(faulty_games.PaysBoth())
    assert report.is_sound
    assert report.shape is not None
    assert not report.shape.is_zero_sum
    assert "the payoffs sum to 2 at history [J, Q, " in report.notes[0]


def test_a_game_that_can_only_be_sampled_is_sound_with_a_note() -> None:
    report = check(faulty_games.OnlySampled())
    assert report.is_sound
    assert report.shape is None
    assert "it cannot be compiled, only sampled" in report.notes[0]


def test_a_game_with_its_own_sequence_form_is_compared_with_its_histories() -> None:
    report = check(Leduc(ranks=7))
    assert report.problems == ()
    assert report.notes == ()


def test_a_game_too_large_to_walk_is_described_by_its_own_sequence_form() -> None:
    report = check(Leduc(ranks=13), max_nodes=1_000)
    assert report.is_sound
    assert report.shape is not None
    assert sum(report.shape.infosets) == 5_148
    assert report.shape.nodes is None
    assert "was not checked" in report.notes[0]


def test_deviation_is_small_for_fair_counts_and_large_for_biased_ones() -> None:
    fair = {"a": 0.5, "b": 0.3, "c": 0.2}
    assert deviation_of(Counter(a=10_030, b=5_950, c=4_020), fair) < 2.0
    assert deviation_of(Counter(a=10_600, b=5_600, c=3_800), fair) > 6.0
    assert deviation_of(Counter(a=20), {"a": 1.0}) == 0.0


def test_the_list_tells_sizes_values_and_parameters_of_every_registered_game(
    command: Command,
) -> None:
    found = command("games")
    assert found.status == 0
    assert "12 infosets, 24 action variables, 30 terminals; value -1/18" in found.out
    assert "-p suits: 'merged' | 'distinguished' = 'merged'" in found.out
    assert "untilt games --check path/to/mygame.py:attr" in found.out
    assert all(len(line) <= 80 for line in found.out.splitlines())
    assert all(spec.summary in found.out for spec in REGISTRY.values())


def test_the_list_as_json_holds_every_registered_game(command: Command) -> None:
    listed = command("games", "--json").json["games"]
    assert [game["name"] for game in listed] == list(REGISTRY)
    kuhn, leduc = listed[0], listed[1]
    assert kuhn["value"] == pytest.approx(-1 / 18)
    assert leduc["parameters"][0] == {
        "name": "ranks",
        "types": ["int"],
        "choices": [],
        "default": 3,
    }


def test_check_prints_what_it_found(command: Command) -> None:
    found = command("games", "--check", "kuhn")
    assert (found.status, found.err) == (0, "")
    assert "infosets          12 (6 + 6)" in found.out
    assert "recall            perfect" in found.out
    assert "sound; tried" in found.out


def test_check_takes_parameters_and_counts_both_players_in_json(command: Command) -> None:
    found = command("games", "--check", "leduc", "-p", "suits=distinguished", "--json")
    assert found.status == 0
    assert found.json["infosets"] == 936
    assert found.json["infosets_by_player"] == [468, 468]
    assert found.json["action_variables"] == 2_184
    assert found.json["is_sound"] is True
    assert found.json["parameters"]["suits"] == "distinguished"


def test_check_of_a_broken_game_prints_a_line_per_problem(
    command: Command, faulty: Callable[[str], str]
) -> None:
    found = command("games", "--check", faulty("Raises"))
    assert found.status == 2
    assert found.err.startswith("error: the game raised RuntimeError: out of cards at history [")
    assert found.err.count("\n") == 1
    assert "1 problem" in found.out
    several = command("games", "--check", faulty("Nameless"), "--json")
    assert several.status == 2
    assert several.json["is_sound"] is False
    assert len(several.json["problems"]) == several.err.count("\n") == 2


def test_check_says_how_far_from_zero_sum_a_game_is(
    command: Command, faulty: Callable[[str], str]
) -> None:
    found = command("games", "--check", faulty("PaysBoth"))
    assert "not zero-sum, sums up to 2 chips" in found.out
    assert command("games", "--check", "kuhn", "--json").json["largest_payoff_sum"] == 0.0


def test_parameters_without_a_game_to_check_are_refused(command: Command) -> None:
    assert "--check" in command("games", "-p", "ranks=3").error


def test_what_a_game_prints_does_not_mix_with_json(
    command: Command, faulty: Callable[[str], str]
) -> None:
    found = command("games", "--check", faulty("Prints"), "--json")
    assert found.json["is_sound"] is True
    assert "{" in found.err
