"""`untilt play`: a person, or a pipe, against a strategy."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command, Outcome

import untilt
from untilt.cli.commands.play.play import actions_meant, review_line, score_line
from untilt.game.terms import Terms
from untilt.play.review.review import Reviewed
from untilt.play.table.score import Score
from untilt.policy.hands.turn import Decision, Turn

DOCS = Path(__file__).resolve().parents[4] / "docs"


@pytest.fixture
def play(command: Command, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run `untilt play` with these answers on standard input; seed 0 unless one is given."""

    def call(answers: str, *arguments: object) -> Outcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        seed = () if "--seed" in arguments else ("--seed", 0)
        return command("play", *arguments, *seed)

    return call


def test_a_hand_tells_cards_moves_result_and_review(play: Any, runs: Path) -> None:
    found = play("bet\n" * 20, runs / "lp", "--hands", 6, "--seat", 0)
    assert (found.status, found.err) == (0, "")
    first, *hands, score = found.out.split("\n\n")
    assert first == "Kuhn Poker against the equilibrium, seed 0; ? shows the rules, q ends"
    assert len(hands) == 6
    for number, hand in enumerate(hands, start=1):
        head, chips, question, answer, result, review = hand.splitlines()
        card = re.fullmatch(rf"Hand {number}: you are player 0 with ([JQK])", head)
        assert card is not None
        assert chips == "  pot 2 chips"
        assert question == "  opening action: check, bet 1? bet"
        assert answer in ("  player 1 folds", "  player 1 calls 1")
        amount = "1 chip" if answer.endswith("folds") else "2 chips"
        verdict = "1 mistake · gave away 0.17" if card[1] == "Q" else "no mistakes"
        assert re.fullmatch(rf"  you (win|lose) {amount} · {verdict}; player 1 had [JQK]", result)
        assert review.startswith(
            f"  opening action with {card[1]}: you bet 1; the equilibrium checks"
        )
        assert review.endswith("cost 0.167" if card[1] == "Q" else "cost 0.000")
    assert re.fullmatch(
        r"6 hands: [+-]\d chips, [+-][\d.]+ a hand \(95 %: .* to .*\); "
        r"\d mistakes? in 6 decisions, cost [\d.]+ chips\n",
        score,
    )


def test_seats_alternate_unless_one_is_given(play: Any, runs: Path) -> None:
    def seats(*arguments: object) -> list[int]:
        found = play("1\n" * 40, runs / "kuhn", "--hands", 4, "--json", *arguments)
        return [state["seat"] for state in found.json["played"]]

    assert seats() == seats("--seat", "alternate") == [0, 1, 0, 1]
    assert seats("--seat", 0) == [0] * 4
    assert seats("--seat", 1) == [1] * 4


def test_json_stands_alone_on_stdout_and_adds_up(play: Any, runs: Path) -> None:
    found = play("2\n" * 100, runs / "leduc", "--hands", 12, "--json", "--seed", 3)
    assert found.status == 0
    document = found.json
    assert list(document) == [
        *("game", "parameters", "unit", "seed", "hands", "total", "mean", "interval"),
        *("decisions", "mistakes", "cost", "played"),
    ]
    assert (document["game"], document["unit"], document["seed"]) == ("leduc", "chips", 3)
    played = document["played"]
    assert [state["hand"] for state in played] == list(range(12)) == list(range(document["hands"]))
    assert document["total"] == pytest.approx(sum(state["payoff"] for state in played))
    assert document["mean"] == pytest.approx(document["total"] / 12)
    reviewed = [each for state in played for each in state["review"]]
    assert document["decisions"] == len(reviewed) >= 12
    assert document["cost"] == pytest.approx(sum(each["cost"] for each in reviewed))
    assert document["mistakes"] == sum(each["cost"] > 1e-3 for each in reviewed) > 0
    assert "Hand 12: you are player 1 with" in found.err
    assert " on the board\n" in found.err


def always(actions: dict[str, str]) -> dict[str, dict[str, float]]:
    """Return a strategy of Kuhn poker that checks and folds, with these exceptions."""
    return {
        label: {action: float(action == actions.get(label, menu[0])) for action in menu}
        for table in untilt.games.compile("kuhn").infosets
        for label, menu in table.items()
    }


def test_a_file_is_played_and_mistakes_are_measured_by_the_best_response(play: Any) -> None:
    # Player 1 never bets and always folds to a bet: betting wins 1 with any card, checking less.
    document = {"game": "kuhn", "parameters": {}, "strategy": always({})}
    Path("fit.json").write_text(json.dumps(document), encoding="utf-8")
    found = play("check\n" * 20, "fit.json", "--hands", 8, "--seat", 0)
    assert found.status == 0
    assert found.out.startswith("Kuhn Poker against fit.json, seed 0;")
    costs = {"J": "2.000", "Q": "1.000", "K": "0.000"}
    hands = re.findall(r"with ([JQK])\n.*?cost ([\d.]+)\n", found.out, re.DOTALL)
    assert len(hands) == 8
    assert all(cost == costs[card] for card, cost in hands)
    assert "-p out" in play("", "fit.json", "-p", "x=1").error
    Path("own.json").write_text(json.dumps(always({})), encoding="utf-8")
    assert "add --against own.json" in play("", "own.json").error


def test_the_same_seed_deals_the_same_hands(play: Any, runs: Path) -> None:
    one, again, other = (
        play("1\n" * 40, runs / "leduc", "--hands", 8, "--seed", seed).out for seed in (5, 5, 6)
    )
    assert one == again != other


def test_without_a_seed_every_session_deals_other_hands_and_names_its_seed(
    command: Command, play: Any, monkeypatch: pytest.MonkeyPatch, runs: Path
) -> None:
    sessions = []
    for _ in range(2):
        monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 40))
        sessions.append(command("play", runs / "leduc", "--hands", 8).out)
    seeds = [re.findall(r", seed (\d+); \? shows", session) for session in sessions]
    assert seeds[0] != seeds[1]
    assert sessions[0] != sessions[1]
    assert play("1\n" * 40, runs / "leduc", "--hands", 8, "--seed", *seeds[0]).out == sessions[0]


@pytest.mark.parametrize(("seat", "next_line"), [(0, "  pot "), (1, "  player 0 ")])
def test_a_board_is_told_once_and_in_its_place(
    play: Any, runs: Path, seat: int, next_line: str
) -> None:
    found = play("c\n" * 99, runs / "leduc", "--hands", 20, "--seat", seat)
    lines = found.out.splitlines()
    for number, line in enumerate(lines):
        if line.endswith(" on the board"):
            assert lines[number + 1].startswith(next_line)
    hands = found.out.split("\nHand ")[1:]
    assert [hand.count(" on the board\n") for hand in hands] == [1] * 20


@pytest.mark.parametrize("end", ["q\n", "quit\n", "EXIT\n", ""])
def test_q_and_the_end_of_input_end_with_the_score(play: Any, runs: Path, end: str) -> None:
    found = play(f"bet\n{end}", runs / "kuhn", "--seat", 0)
    assert found.status == 0
    assert found.out.splitlines()[-1].startswith("1 hand: ")
    assert play(end, runs / "kuhn", "--json", "--seat", 0).json["hands"] == 0
    assert play(end, runs / "kuhn").out.endswith("\nno hand was completed\n")


def test_help_and_wrong_answers_ask_again(play: Any, runs: Path) -> None:
    found = play("?\nraise\n\nBET\n", runs / "kuhn", "--hands", 1, "--seat", 0)
    assert found.out.count("opening action: check, bet 1? ") == 4
    assert found.out.count("  Three cards: J, Q, K. Each player antes 1") == 1
    explained = (
        "Type a name, its beginning or its number: 1 check, 2 bet; q quits and shows the score."
    )
    assert found.out.count(explained) == 3
    assert "'raise' is not an action here" in found.out
    assert "opening action with" in found.out


ACTIONS = ("check", "call", "all-in", "Raise 2", "1")


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("check", ["check"]),
        ("ch", ["check"]),
        ("c", ["check", "call"]),
        ("a", ["all-in"]),
        ("raise", ["Raise 2"]),
        ("CALL", ["call"]),
        ("2", ["call"]),
        ("1", ["1"]),  # a name comes before a number
        ("5", ["1"]),
        ("6", []),
        ("0", []),
        ("-1", []),
        ("²", []),
        ("", []),
        ("fold", []),
    ],
)
def test_an_answer_is_a_name_a_number_or_a_beginning(answer: str, meant: list[str]) -> None:
    assert actions_meant(answer, Turn(0, "P0:", "", "", "", ACTIONS)) == meant


SIZES = ("fold", "call", *(f"raise {amount}" for amount in range(4, 40)), "all-in 40")


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("raise 12", ["raise 12"]),
        ("r12", ["raise 12"]),
        ("R 12", ["raise 12"]),
        ("12", ["raise 12"]),
        ("40", ["all-in 40"]),
        ("a", ["all-in 40"]),
        ("41", []),
        ("1", []),
    ],
)
def test_of_many_sizes_a_number_is_an_amount(answer: str, meant: list[str]) -> None:
    assert actions_meant(answer, Turn(0, "P0:", "", "", "", SIZES)) == meant


def test_holdem_is_played_against_a_simple_agent(play: Any) -> None:
    found = play("c\n" * 4 + "r\n5\n2\n", "holdem", "--against", "call", "--seat", 0, "--hands", 1)
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("Hold'em against call, seed 0; ? shows")
    assert "opening action: fold, call 1 to win 3, raise to 4–199, all-in 200? c" in found.out
    assert "the big blind checks" in found.out
    assert found.out.count(" on the board\n") == 3
    assert "· not reviewed; the big blind had " in found.out


def test_the_big_blind_acts_after_a_call_and_may_bet_any_size(play: Any) -> None:
    answers = "r\n3\n12\nf\n"
    found = play(answers, "holdem", "--against", "call", "--seat", 1, "--hands", 1)
    assert "after a call: check, raise to 4–199, all-in 200? r" in found.out
    assert "'r' may be raise 4 or raise 5 or raise 6 or raise 7 …: type more of it" in found.out
    assert (
        "'3' is not an action here. Type a name or its beginning, or the size of a bet" in found.out
    )
    assert "the small blind calls 10" in found.out


def test_a_river_of_blood_can_be_played(play: Any) -> None:
    options = ("--against", "random", "--hands", 20, "--json")
    found = play("c\nfold\n" * 400, "river-of-blood", *options)
    assert found.json["hands"] == 20
    assert found.json["decisions"] == 0
    assert all(hand["verdict"] is not None for hand in found.json["played"])


def test_an_agent_of_another_game_or_none_is_refused(command: Command, runs: Path) -> None:
    assert "plays kuhn, not holdem" in command("play", "holdem", "--against", runs / "lp").error
    assert "is not an agent" in command("play", "holdem", "--against", "nobody").error
    too_large = command("play", "holdem")
    assert (too_large.status, "--against random" in too_large.err) == (2, True)
    refused = command("play", "holdem", "--against", "random", "--line", "c")
    assert "leave them out" in refused.error


def test_a_beginning_of_two_actions_asks_for_more(play: Any, runs: Path) -> None:
    reference = "game.py:game"
    Path("game.py").write_text(CALL_OR_CHECK, encoding="utf-8")
    found = play("c\nca\n", reference, "--seat", 0, "--hands", 1)
    assert "'c' may be check or call: type more of it" in found.out
    assert "you choose" not in found.out  # both have words of their own
    del runs


CALL_OR_CHECK = """
import untilt
from typing import NamedTuple


class Known(NamedTuple):
    player: int

    def actions(self):
        return ("check", "call") if self.player == 0 else ("left", "right")

    def __str__(self):
        return f"coin of {self.player}"


class Coins(untilt.Game):
    def __init__(self, moves=()):
        self.moves = moves

    chance = False
    terminal = property(lambda self: len(self.moves) == 2)
    active = property(lambda self: len(self.moves))

    def payoff(self, player):
        win = 1.0 if (self.moves[0] == "check") == (self.moves[1] == "left") else -1.0
        return win if player == 0 else -win

    def infoset(self, player):
        return Known(player)

    def apply(self, action):
        return Coins((*self.moves, action))


game = Coins()
"""


def test_a_users_game_is_solved_and_hidden_moves_stay_hidden(play: Any) -> None:
    Path("game.py").write_text(CALL_OR_CHECK, encoding="utf-8")
    found = play("left\n", "game.py", "--seat", 1, "--hands", 1)
    assert found.status == 0
    assert found.err.startswith("solving game …\nsolved to exploitability ")
    _, hand, _ = found.out.split("\n\n")
    head, question, opponent, result, review = hand.splitlines()
    assert head == "Hand 1: you are player 1"
    assert question == "  coin of 1: left, right? left"
    assert opponent in ("  player 0 checks", "  player 0 calls")
    assert re.fullmatch(r"  you (win|lose) 1 chip · no mistakes", result)
    assert re.fullmatch(
        r"  coin of 1: you choose left; the equilibrium plays left \(50\.0 %\), right \(50\.0 %\); "
        r"cost 0\.000",
        review,
    )


def test_push_fold_counts_big_blinds_and_shows_a_hand_folded_to(play: Any) -> None:
    untilt.solve("pushfold", "cfr+", iterations=30, output="push")
    found = play("fold\n" * 40, "./push", "--hands", 20, "--seat", 1)
    assert found.status == 0
    folded_to = (
        r"you are the big blind with \w+\n  the small blind folds\n"
        r"  you win 0\.5 bb · no decision of yours; the small blind had "
    )
    assert re.search(folded_to, found.out)
    assert re.search(
        r"the small blind goes all in for 10\n"
        r"  pot 11 bb with 10 from the small blind and 1 from you; you have 9 left\n"
        r"  facing an all-in: fold, call 9 to win 11\? fold\n  you lose 1 bb · ",
        found.out,
    )
    assert re.search(r"decisions, cost [\d.]+ bb$", found.out.strip())


def test_hands_without_a_decision_may_be_skipped_and_still_count(play: Any) -> None:
    untilt.solve("pushfold", "cfr+", iterations=30, output="push")
    shown = play("fold\n" * 40, "./push", "--hands", 20, "--seat", 1)
    skipped = play("fold\n" * 40, "./push", "--hands", 20, "--seat", 1, "--skip")
    assert "no decision of yours" in shown.out
    assert "no decision of yours" not in skipped.out
    assert shown.out.splitlines()[-1] == skipped.out.splitlines()[-1]


def test_a_called_all_in_shows_a_board_and_counts_the_equity(play: Any) -> None:
    untilt.solve("pushfold", "cfr+", iterations=30, output="push")
    found = play("call\n" * 40, "./push", "--hands", 12, "--seat", 1)
    ends = re.findall(
        r"  board (?:\w\w ){4}\w\w: .*this board.*\n  you (win|lose) ([\d.]+) bb .*\n"
        r"  called: the score counts your exact equity, ([\d.]+) %\n",
        found.out,
    )
    assert len(ends) >= 4
    for word, amount, equity in ends:
        # Ten big blinds a side, no antes: 20 × equity − 10, ties counted half.
        gain = float(amount) if word == "win" else -float(amount)
        assert gain == pytest.approx(20.0 * float(equity) / 100.0 - 10.0, abs=0.011)


def test_parameters_reach_the_game(play: Any) -> None:
    document = play("1\n" * 9, "leduc", "-p", "ranks=4", "--hands", 2, "--json").json
    assert document["parameters"]["ranks"] == 4
    assert {state["private"] for state in document["played"]} <= {"1", "2", "3", "4"}


def test_an_unfinished_run_is_played_as_it_stands(play: Any) -> None:
    untilt.solve("kuhn", "cfr+", iterations=50, output="half")
    for name in ("strategy.bin", "result.json"):
        (Path("half") / name).unlink()
    found = play("bet\n", "half", "--hands", 1, "--seat", 0)
    assert found.out.startswith("Kuhn Poker against the strategy so far, seed 0; ")
    assert "; the strategy so far checks " in found.out


def test_a_registered_name_is_the_game_even_beside_a_run_of_that_name(play: Any) -> None:
    untilt.solve("leduc", "cfr+", iterations=5, output="kuhn")
    assert play("", "kuhn").out.startswith("Kuhn Poker")
    assert play("", "./kuhn").out.startswith("Leduc")


def test_an_answer_that_is_no_text_is_asked_again(
    command: Command, monkeypatch: pytest.MonkeyPatch, runs: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\nq\n"), "utf-8"))
    found = command("play", runs / "kuhn")
    assert found.status == 0
    assert "'\ufffd' is not an action here" in found.out


def test_without_any_input_no_hand_is_played(
    command: Command, monkeypatch: pytest.MonkeyPatch, runs: Path
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    found = command("play", runs / "kuhn")
    assert (found.status, found.err) == (0, "")
    assert found.out.endswith("\nno hand was completed\n")


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_ends_with_the_score(
    command: Command, monkeypatch: pytest.MonkeyPatch, runs: Path, as_json: bool
) -> None:
    answers = ["bet\n", "bet\n"]

    class Interrupting:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            if not answers:
                raise KeyboardInterrupt
            return answers.pop()

    monkeypatch.setattr("sys.stdin", Interrupting())
    options = ["--json"] if as_json else []
    found = command("play", runs / "kuhn", "--seat", 0, *options)
    assert found.status == 130
    if as_json:
        assert found.json["hands"] == 2
    else:
        assert found.out.splitlines()[-1].startswith("2 hands: ")


class TestRefusals:
    def test_a_general_sum_game_says_what_to_do_instead(self, play: Any) -> None:
        found = play("", "auction")
        assert found.status == 2
        error = found.err.splitlines()[-1]
        assert "run `untilt qre auction --limit --output RUN`, then `untilt play RUN`" in error

    def test_its_quantal_response_is_played(self, play: Any) -> None:
        untilt.solve("auction", "qre", beta=1.0, output="bids")
        found = play("0\n0\n", "bids", "--hands", 2)
        assert found.status == 0
        assert re.search(r"  bidder 1 bids \d", found.out)
        assert "you gain " in found.out or "you lose " in found.out

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("runs/nowhere",), "runs/nowhere is not the folder of a run"),
            (("khun",), "did you mean 'kuhn'"),
            (("kuhn", "--hands", 0), "--hands is 0; give 1 or more"),
            (("kuhn", "--seed", -1), "the seed is '-1'"),
            (("kuhn", "--seat", 2), "--seat is '2'; give 0, 1 or alternate"),
            (("leduc-276", "-p", "ranks=3"), "leduc-276 takes no parameters"),
            ((".",), "holds no run"),
        ],
    )
    def test_bad_input_is_one_line(
        self, play: Any, arguments: tuple[object, ...], message: str
    ) -> None:
        assert message in play("", *arguments).error

    def test_a_seat_without_decisions_is_refused(self, play: Any) -> None:
        source = CALL_OR_CHECK.replace('"left", "right")', '"left",)')
        Path("game.py").write_text(source, encoding="utf-8")
        found = play("", "game.py", "--seat", 1)
        assert found.status == 2
        assert found.err.splitlines()[-1] == (
            "error: player 1 has no decisions in this game; give --seat 0"
        )

    def test_names_in_a_run_do_not_steer_the_terminal(self, play: Any) -> None:
        untilt.solve("kuhn", "cfr+", iterations=5, output="run")
        path = Path("run") / "run.json"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("Kuhn Poker", "\\u001b[2J\\rKuhn"), encoding="utf-8")
        assert play("", "run").out.startswith(r"\x1b[2J\rKuhn against")

    def test_a_run_takes_no_parameters(self, play: Any, runs: Path) -> None:
        assert "a run records its parameters" in play("", runs / "kuhn", "-p", "ranks=3").error


def test_a_run_is_played_without_loading_a_solver(runs: Path) -> None:
    code = (
        "import sys; from untilt.cli.main import run\n"
        f"status = run(['play', {str(runs / 'kuhn')!r}, '--hands', '2', '--json'])\n"
        "heavy = ('numba', 'scipy', 'untilt.runs.solve', 'untilt.solvers.cfr')\n"
        "print(status, [name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        input="1\n1\n1\n1\n1\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.splitlines()[-1] == "0 []", done.stderr


def test_the_session_on_the_page_is_what_the_command_prints(play: Any) -> None:
    page = (DOCS / "play.md").read_text(encoding="utf-8")
    shown = re.search(r"^```text\n(Kuhn Poker against.*?)^```$", page, flags=re.S | re.M)
    assert shown is not None
    printed = play("bet\nc\n", "kuhn", "--hands", 2, "--seed", 2).out
    without_numbers = [re.sub(r"[-+]?\d[\d.]*", "#", text) for text in (shown[1], printed)]
    assert without_numbers[0] == without_numbers[1]


def test_words_for_a_review_and_a_score() -> None:
    decision = Decision(1, "P1:Q:K:cbc/b", "Q", "K", "cbc/b", ("fold", "call"), "call")
    known = Reviewed(decision, (0.25, 0.75), (-3.0, -3.5), 0.5)
    assert review_line(known, "the equilibrium", Terms()) == (
        "facing a bet with Q, K on the board: you call; the equilibrium folds 25.0 %, "
        "calls 75.0 %; cost 0.500"
    )
    unknown = Reviewed(decision, (0.25, 0.75), (None, None), None)
    assert review_line(unknown, "the equilibrium", Terms()).endswith("; cost not known")
    score = Score()
    assert score_line(score, "bb") == "no hand was completed"
    score.add(-3.5, [known])
    assert score_line(score, "bb") == (
        "1 hand: -3.5 bb, -3.500 a hand; 1 mistake in 1 decision, cost 0.500 bb"
    )


class TestGamesThatOnlyDeal:
    """A game of a user's that draws its cards and does not list them: it is solved by sampling."""

    @pytest.fixture
    def run(self, tmp_path: Path, command: Command) -> Path:
        file = tmp_path / "deals.py"
        file.write_text("from tests.cli.faulty_games import OnlySampled\ngame = OnlySampled()\n")
        asked = ("--method", "mccfr-external", "--iterations", 1, "--output", tmp_path / "run")
        assert command("solve", file, *asked).status == 0
        return tmp_path / "run"

    def test_its_code_runs_only_if_it_is_trusted(self, play: Any, run: Path) -> None:
        refused = play("", run)
        assert refused.status == 2
        assert "if you trust it: add --trust" in refused.err
        found = play("bet\n" * 20 + "call\n" * 20, run, "--trust", "--hands", 3, "--seat", 0)
        assert (found.status, found.err) == (0, "")
        assert (
            "infosets that sampling has not reached are played uniformly at random\n" in found.out
        )
        assert "3 hands: " in found.out

    def test_what_sampling_has_not_met_is_played_uniformly(self, play: Any, run: Path) -> None:
        found = play("bet\n" * 200, run, "--trust", "--hands", 40, "--seat", 0, "--json")
        reviews = [review for hand in found.json["played"] for review in hand["review"]]
        unknown = [review for review in reviews if review["probabilities"] == [0.5, 0.5]]
        assert unknown
        assert {review["cost"] for review in unknown} == {None}

    def test_the_game_itself_is_not_solved_here_but_says_how(self, play: Any, run: Path) -> None:
        found = play("", run.parent / "deals.py")
        assert found.status == 2
        assert "--method mccfr-external --output RUN`, then `untilt play RUN --trust`" in found.err

    def test_trust_is_for_runs(self, play: Any) -> None:
        found = play("", "kuhn", "--trust")
        assert (found.status, found.err) == (
            2,
            "error: --trust needs a run; a game given by name runs without it, "
            "so leave --trust out\n",
        )
