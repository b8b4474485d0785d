"""Games of three players on the command line: what works, and what says that it needs two."""

import io
from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt

KUHN = ("kuhn", "-p", "players=3")


def test_a_run_prints_every_player_and_what_best_responses_gain(command: Command) -> None:
    found = command("solve", *KUHN, "--method", "cfr+", "--iterations", "500", "--output", "run")
    assert found.status == 0
    assert "values player 0 -0.0" in found.out
    assert "with more than two players no method promises an equilibrium" in found.out
    shown = command("show", "run", "--player", "2").out
    assert "Player 2" in shown
    assert "Player 1" not in shown
    document = command("evaluate", "run", "--json").json
    assert len(document["values"]) == len(document["gains"]) == 3
    assert document["exploitability"] == pytest.approx(document["nash_conv"] / 3)
    assert command("tree", *KUHN, "--depth", "4", "-o", "tree.svg").status == 0


@pytest.mark.parametrize("on", ["tree", "objects"])
@pytest.mark.parametrize("method", ["es", "cs", "os"])
def test_sampling_runs_save_measure_and_resume(command: Command, method: str, on: str) -> None:
    options = ("--method", method, "--on", on, "--average", "lazy", "--seed", "3")
    whole = command("solve", *KUHN, *options, "--iterations", "4000", "--json").json
    assert whole["nash_conv"] == pytest.approx(sum(whole["gains"]))
    assert whole["nash_conv"] < 1.5
    command("solve", *KUHN, *options, "--iterations", "1500", "--output", "run")
    resumed = command("solve", "--resume", "run", "--iterations", "4000", "--json").json
    assert resumed["values"] == whole["values"]
    assert command("show", "run", "--player", "2").status == 0


def test_the_quantal_branch_of_three_players_is_printed(command: Command) -> None:
    found = command("qre", *KUHN, "--beta", "2", "--trace")
    assert found.status == 0
    assert "player 2 +0.0" in found.out


def test_agents_of_three_seats_play_each_deal_in_every_seat(command: Command) -> None:
    command("solve", *KUHN, "--method", "cfr+", "--iterations", "500", "--output", "run")
    found = command("match", "run", "random", "--hands", "3000", "--seed", "1", "--json").json
    assert found["hands"] == 3000
    seats = [f"as_player_{seat}" for seat in range(3)]
    assert found["value"] == pytest.approx(sum(found[seat] for seat in seats) / 3)
    assert found["exact"]["value"] == pytest.approx(sum(found["exact"][seat] for seat in seats) / 3)
    assert found["interval"][0] < found["exact"]["value"] < found["interval"][1]
    assert "values" not in found
    three = command("match", "run", "random", "call", "--seed", "1", "--json").json
    assert three["hands"] == 10_002
    assert sum(three["values"]) == pytest.approx(0.0, abs=1e-9)
    assert sum(three["exact"]["values"]) == pytest.approx(0.0, abs=1e-9)
    for value, (low, high) in zip(three["exact"]["values"], three["intervals"], strict=True):
        assert low - 0.01 < value < high + 0.01
    text = command("match", "run", "random", "call", "--hands", "30").out
    assert "each deal in all 3 seats" in text
    assert "exact expectation of call" in text


def test_equal_agents_gain_nothing_from_one_another(command: Command) -> None:
    command("solve", *KUHN, "--method", "cfr+", "--iterations", "100", "--output", "run")
    for agents in (("run", "run"), ("run", "run", "run")):
        found = command("match", *agents, "--hands", "300", "--json").json
        assert found["value"] == pytest.approx(0.0, abs=1e-12)


def test_each_player_may_have_a_rationality(command: Command) -> None:
    found = command("qre", *KUHN, "--betas", "6,3,12", "--json").json
    assert found["betas"] == [6.0, 3.0, 12.0]
    assert found["converged"]
    assert len(found["values"]) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qre", *KUHN, "--betas", "6,3"), "2 betas were given, and the game has 3 players"),
        (("qre", *KUHN, "--betas", "6,x,3"), "--betas is '6,x,3'; give a number of at least 0"),
        (("qre", *KUHN, "--betas", "6,-1,3"), "--betas is '6,-1,3'; give a number of at least 0"),
        (("qre", *KUHN, "--betas", "6,1,3", "--beta", "2"), "leave out the others"),
        (("match", "random", "call", "--game", *KUHN, "--hands", "10"), "a multiple of 3"),
        (("match", *["call"] * 4, "--game", *KUHN), "give 2 agents, or one for each seat: 3"),
        (("match", *["call"] * 3, "--game", "kuhn"), "the game has 2 players, and 3 agents"),
        (("play", *KUHN, "--seat", "3"), "--seat is '3'; give 0, 1, 2 or alternate"),
    ],
)
def test_seats_that_the_game_does_not_have_are_refused_on_one_line(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    found = command(*arguments)
    assert found.status == 2
    assert message in found.err
    assert found.err.splitlines()[-1].startswith("error: ")


def test_a_person_plays_in_every_seat_of_three(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 40))
    found = command("play", *KUHN, "--hands", "6", "--seed", "4", "--json").json
    played = found["played"]
    assert [state["seat"] for state in played] == [0, 1, 2, 0, 1, 2]
    assert found["decisions"] >= 6
    for state in played:
        assert len(state["payoffs"]) == 3
        assert sum(state["payoffs"]) == 0.0
        others = [each["seat"] for each in state["opponents"]]
        assert others == [(state["seat"] + step) % 3 for step in (1, 2)]
        held = {state["private"], *(each["private"] for each in state["opponents"])}
        assert len(held) == 3
        winners = [seat for seat, payoff in enumerate(state["payoffs"]) if payoff > 0]
        assert [state["winner"]] == winners


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", *KUHN, "--method", "lp"),
        ("qre", *KUHN, "--beta", "2", "--limit"),
        ("solve", *KUHN, "--method", "gambit-lcp"),
    ],
)
def test_what_needs_two_players_says_so_on_one_line(
    command: Command, arguments: tuple[str, ...]
) -> None:
    found = command(*arguments)
    assert found.status == 2
    assert "a game of two players" in found.err
    assert len([line for line in found.err.splitlines() if line.startswith("error")]) == 1


@pytest.mark.parametrize(
    ("players", "given", "message"),
    [
        (3, 2, "the profile is of a game of 2 players; this game has 3"),
        (2, 3, "the profile is of a game of 3 players; this game has 2"),
        (3, (2, 2, 2), "a profile of 2 players was given for player 0, and the game has 3 players"),
        (3, (3, 3), "a strategy for each of the 3 players"),
    ],
)
def test_strategies_of_another_number_of_players_are_refused(
    players: int, given: int | tuple[int, ...], message: str
) -> None:
    def uniform(count: int) -> untilt.Profile:
        return untilt.strategies.uniform(
            untilt.games.compile("kuhn", parameters={"players": count})
        )

    game = untilt.games.compile("kuhn", parameters={"players": players})
    profile = uniform(given) if isinstance(given, int) else tuple(map(uniform, given))
    with pytest.raises(untilt.UntiltError, match=message):
        untilt.evaluate(game, profile)


FAULTY = """
import untilt
from untilt.game.protocol import Game


class Sound(Game):
    num_players = 3

    def __init__(self, kuhn=None):
        self.kuhn = kuhn or untilt.games.kuhn(players=3)

    terminal = property(lambda self: self.kuhn.terminal)
    chance = property(lambda self: self.kuhn.chance)
    active = property(lambda self: self.kuhn.active)

    def payoff(self, player):
        return self.kuhn.payoff(player)

    def chances(self):
        return self.kuhn.chances()

    def infoset(self, player):
        return self.kuhn.infoset(player)

    def apply(self, action):
        return type(self)(self.kuhn.apply(action))


class PaysTwo(Sound):
    def payoff(self, player):
        return (1.0, -1.0)[player]


class PaysNobody(Sound):
    def payoff(self, player):
        return None if player == 2 else self.kuhn.payoff(player)


class SeatsFour(Sound):
    active = property(lambda self: 3 if self.kuhn.active == 2 else self.kuhn.active)


class Forgets(Sound):
    num_players = 2


class CountsInWords(Sound):
    num_players = "three"
"""


@pytest.mark.parametrize(
    "how",
    [
        ("solve", "{}", "-n", "5"),
        ("solve", "{}", "-n", "5", "--method", "es", "--on", "objects"),
        ("games", "--check", "{}"),
        ("match", "random", "call", "--game", "{}", "--hands", "30"),
    ],
    ids=["tree", "objects", "check", "match"],
)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PaysTwo", "payoff(2) raised IndexError at history [T, J, Q, check, check, check]: a game "
         "of 3 players must return the payoffs of players 0 to 2"),
        ("PaysNobody", "payoff(2) is None at history"),
        ("SeatsFour", "the game has 3 players: return 0, 1 or 2, or give the class the attribute "
         "`num_players = 4`"),
        ("Forgets", "the game has 2 players: return 0 or 1, or give the class the attribute "
         "`num_players = 3`"),
        ("CountsInWords", "`num_players` is 'three'; it must be an integer from 2 to 100"),
    ],
)  # fmt: skip
def test_a_faulty_game_of_three_players_is_refused_on_one_line(
    command: Command, how: tuple[str, ...], name: str, message: str
) -> None:
    Path("faulty.py").write_text(FAULTY, encoding="utf-8")
    found = command(*(each.format(f"faulty.py:{name}") for each in how))
    assert found.status == 2
    assert message in found.err.splitlines()[-1]
    assert found.err.count("error: ") == 1
    assert "Traceback" not in found.out + found.err


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (
            "four.efg",
            'EFG 2 R "" { "A" "B" "C" }\np "" 4 1 "" { "l" "r" } 0\nt "" 1 "" { 1 0 0 }\n'
            't "" 2 "" { 0 0 1 }\n',
            "four.efg, line 2, column 6: player 4 does not exist; use 1 to 3",
        ),
        (
            "two.efg",
            'EFG 2 R "" { "A" "B" "C" }\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1 0 }\n'
            't "" 2 "" { 0 0 1 }\n',
            "two.efg, line 3, column 11: 2 payoffs for 3 players",
        ),
        (
            "short.nfg",
            'NFG 1 R "" { "A" "B" "C" } { 2 2 2 } 1 2 3 4 5 6 7 8 9 10\n',
            "expected a payoff, found the end of the file",
        ),
        (
            "few.nfg",
            'NFG 1 R "" { "A" "B" "C" } { 2 2 } 1 2 3 4 5 6 7 8 9 10 11 12\n',
            "strategies of 2 players, of 3 are needed",
        ),
    ],
)
def test_a_file_that_leaves_a_player_out_is_refused_at_its_place(
    command: Command, file: str, text: str, message: str
) -> None:
    Path(file).write_text(text, encoding="utf-8")
    for arguments in (("solve", file, "-n", "5"), ("qre", file, "--beta", "1")):
        found = command(*arguments)
        assert found.status == 2
        assert message in found.err
        assert len(found.err.splitlines()) == 1


def test_strategies_of_another_table_are_refused_by_every_command(command: Command) -> None:
    command("solve", "kuhn", "-n", "20", "--output", "two")
    command("solve", *KUHN, "-n", "20", "--output", "three")
    command("evaluate", "two", "--best-response", "two.json")
    command("evaluate", "three", "--best-response", "three.json")
    for arguments, message in (
        (("evaluate", "two.json", "--game", *KUHN), "which the game does not have"),
        (("evaluate", "three.json", "--game", "kuhn"), "which the game does not have"),
        (("evaluate", "three", "--against", "two"), "different games (kuhn(players=3) and kuhn)"),
        (("evaluate", "three", "--against", "two.json"), "which the game does not have"),
        (("compare", "two", "three"), "different games (kuhn and kuhn(players=3))"),
        (("match", "two", "three"), "agents of a match must play the same game"),
        (("match", "two.json", "random", "--game", *KUHN), "which the game does not have"),
        (("play", *KUHN, "--against", "two"), "must play the same game"),
        (("show", "three", "--player", "3"), "--player 3: the game has players 0 to 2"),
    ):
        found = command(*arguments)
        assert found.status == 2
        assert message in found.err
        assert len(found.err.splitlines()) == 1
