"""`untilt pushfold match` and `untilt pushfold quiz`."""

import io
import re

import numpy as np
import pytest
from tests.cli.conftest import Command, Outcome


def test_any_two_lose_nine_big_blinds_in_a_hundred_as_small_blind(command: Command) -> None:
    call = "22+,A2+,K2s+,K5o+,Q7s+,Q9o+,J8s+,JTo,T9s,Q6s:0.4027788"
    outcome = command("pushfold", "match", f"push=random;call={call}", "nash", "--json")
    assert outcome.status == 0
    match = outcome.json
    assert match["as_small_blind_bb_100"] == pytest.approx(-4.53708 - 9.07, abs=0.006)
    assert match["as_big_blind_bb_100"] == pytest.approx(4.53708, abs=1e-4)
    assert match["mean_bb_100"] == pytest.approx(
        (match["as_small_blind_bb_100"] + match["as_big_blind_bb_100"]) / 2.0
    )
    assert match["b_loses_to_best_response_bb_100"] == pytest.approx(0.0, abs=1e-9)
    assert match["a_loses_to_best_response_bb_100"] > -match["mean_bb_100"]


def test_a_strategy_breaks_even_against_itself(command: Command) -> None:
    match = command("pushfold", "match", "hune", "hune", "--stack", 12, "--json").json
    assert match["stack_bb"] == 12.0
    assert match["mean_bb_100"] == pytest.approx(0.0, abs=1e-10)


def test_the_text_names_both_and_their_results(command: Command) -> None:
    text = command("pushfold", "match", "hune", "nash", "--stack", "10").out
    assert "A = hune" in text
    assert "B = nash" in text
    assert re.search(r"changing seats +\+0\.000000", text)


def test_a_regret_file_plays(command: Command) -> None:
    np.full(338, 5, dtype="<i4").tofile("regret.dat")
    match = command("pushfold", "match", "regret.dat", "push=random;call=random", "--json").json
    assert match["mean_bb_100"] == pytest.approx(0.0, abs=1e-10)
    np.zeros(10, dtype="<i4").tofile("short.dat")
    assert "40 bytes" in command("pushfold", "match", "short.dat", "hune").error


def test_a_strategy_for_other_stakes_plays_with_a_warning(command: Command) -> None:
    command("solve", "pushfold", "-m", "lp", "-p", "stack=5", "-p", "ante=0.25", "-o", "made")
    command("export", "made", "--to", "json", "-o", "made.json")
    words = "was made for 5 bb, ante 0.25 but is used with 10 bb, ante 0"
    for name in ("made", "made.json"):
        expected = f"warning: {name} {words}; to use it as made, give --stack 5 --ante 0.25\n"
        assert expected in command("pushfold", "match", name, "nash").err
        assert expected in command("chart", "--compare", name, "--json").err
        as_made = ("--stack", 5, "--ante", 0.25)
        assert "warning" not in command("pushfold", "match", name, "nash", *as_made).err
        assert "warning" not in command("chart", "--compare", name, *as_made).err
    other_blinds = command("pushfold", "match", "made", "nash", *as_made, "--blinds", "0.4/1").err
    assert "made for small blind 0.5 but is used with small blind 0.4;" in other_blinds


def test_a_match_of_any_game_says_how_it_takes_the_stakes_of_a_chart(command: Command) -> None:
    command("solve", "pushfold", "-m", "lp", "-p", "stack=5", "-p", "small_blind=0.4", "-o", "made")
    command("export", "made", "--to", "json", "-o", "made.json")
    match = ("match", "made.json", "random", "--game", "pushfold", "--hands", 20)
    warned = command(*match, "-p", "ante=0.25").err
    advice = "to use it as made, give -p stack=5 -p small_blind=0.4 -p ante=0\n"
    assert warned.endswith(advice)
    taken = command(*match, *advice.split("give ")[1].split())
    assert taken.status == 0
    assert "made for" not in taken.err


def test_learned_regrets_for_another_stack_play_with_a_warning(command: Command) -> None:
    command("pushfold", "train", "--stack", 5, "--hands", 1000, "--regret-file", "regret.dat")
    warned = command("pushfold", "match", "regret.dat", "nash", "--bb-ante", 1).err
    assert "made for 5 bb, big-blind ante 0 but is used with 10 bb, big-blind ante 1;" in warned


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hune", "nowhere"), "nowhere is not a strategy"),
        (("push=AA", "hune"), "lacks call="),
        (("hune", "hune", "--stack", "1"), "no decision"),
    ],
)
def test_bad_input_is_one_line(command: Command, arguments: tuple[str, ...], message: str) -> None:
    assert message in command("pushfold", "match", *arguments).error


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_quiz_ends_with_a_score(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "f\nf\nfold\n")
    outcome = command("pushfold", "quiz", "--hands", 3)
    assert outcome.status == 0
    assert re.fullmatch(r"\d of 3 right; mistakes cost [\d.]+ bb, [\d.]+ bb/100\n", outcome.out)
    assert outcome.err.count(" or fold? [") == 3


@pytest.mark.parametrize("end", ["q\n", "quit\n", ""])
def test_a_quiz_ends_on_q_or_at_the_end_of_input(
    command: Command, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    answer(monkeypatch, "f\n" + end)
    score = command("pushfold", "quiz", "--json").json
    assert score["answers"] == 1


def test_every_wrong_answer_costs_what_it_says(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "f\n" * 40)
    folding = command("pushfold", "quiz", "--seed", 7, "--json")
    costs = [float(cost) for cost in re.findall(r"that costs ([\d.]+) bb", folding.err)]
    score = folding.json
    assert score["answers"] == 40
    assert score["right"] == 40 - len(costs)
    assert 5 < len(costs) < 35
    assert score["cost_bb"] == pytest.approx(sum(costs), abs=1e-2)
    assert score["cost_bb_100"] == pytest.approx(score["cost_bb"] / 40 * 100)
    # Playing what folding got wrong, and folding the rest, is right everywhere.
    questions = re.findall(r"\[(p|c)/f\] +(right|wrong|\w+ is mixed)", folding.err)
    assert len(questions) == 40
    answer(monkeypatch, "".join(f"{k if mark == 'wrong' else 'f'}\n" for k, mark in questions))
    assert command("pushfold", "quiz", "--seed", 7, "--json").json["right"] == 40


def test_a_quiz_is_a_function_of_its_seed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    deals = []
    for seed in (1, 1, 2):
        answer(monkeypatch, "f\n" * 10)
        deals.append(command("pushfold", "quiz", "--seed", seed, "--hands", 10).err)
    assert deals[0] == deals[1] != deals[2]
    assert "small blind, " in deals[0]
    assert "against a push: call or fold?" in deals[0]


def test_without_a_seed_every_quiz_asks_other_hands_and_names_its_seed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes: list[Outcome] = []
    for options in ((), (), ("--seed", None)):
        answer(monkeypatch, "f\n" * 10)
        given = [outcomes[0].json["seed"] if option is None else option for option in options]
        outcomes.append(command("pushfold", "quiz", "--hands", 10, "--json", *given))
    first, second, again = outcomes
    assert f", seed {first.json['seed']}; q ends the quiz" in first.err
    assert first.err != second.err
    assert first.err == again.err


def test_a_seed_that_is_none_is_refused(command: Command) -> None:
    assert "the seed is '-1'" in command("pushfold", "quiz", "--seed", -1).error


def test_an_answer_that_is_none_is_asked_again(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "maybe\nf\n")
    outcome = command("pushfold", "quiz", "--hands", 1, "--json")
    assert "'maybe' is not an answer" in outcome.err
    assert outcome.json["answers"] == 1


def test_a_quiz_of_no_hands_is_refused(command: Command) -> None:
    assert "--hands is 0" in command("pushfold", "quiz", "--hands", 0).error
