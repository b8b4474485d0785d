"""Bots in engines: recorded matches are played again, and engines that misbehave are survived.

The transcripts in tests/data/engines were recorded from the real engines, with our own bots on
both sides; `<` is what the engine sent, `>` what our bot answered.
"""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import untilt
from untilt.errors import EngineError, UntiltError
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, Uniforms
from untilt.play.engines.acpc import AcpcPlayer, MatchState, play_acpc
from untilt.play.engines.acpc_game import game_definition
from untilt.play.engines.bot import Bot
from untilt.play.engines.mirrored_hand import Mismatch
from untilt.play.engines.pokerbots import PokerbotsPlayer, export_bot, play_pokerbots
from untilt.policy.hands.clock import Clock
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame, named_game
from untilt.policy.simple import RandomPolicy

DATA = Path(__file__).parent.parent / "data" / "engines"

KUHN = named_game("kuhn", {})
LEDUC = named_game("leduc", {})
NO_LIMIT = named_game("holdem", {"stack": 20_000, "small_blind": 50, "big_blind": 100})
LIMIT = named_game(
    "holdem",
    {"stack": 2_000, "small_blind": 5, "big_blind": 10, "limit": "10/10/20/20", "max_raises": 3},
)
BLOOD = named_game("river-of-blood", {})


def _transcript(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text(encoding="ascii").splitlines()
    return [(line[0], line[2:]) for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(
    ("name", "game", "hands", "gain"),
    [
        # The gains are those that the dealer printed as SCORE.
        ("acpc-kuhn.txt", KUHN, 12, -4.0),
        ("acpc-leduc.txt", LEDUC, 12, 5.0),
        ("acpc-nolimit.txt", NO_LIMIT, 20, -12_431.0),
        ("acpc-limit.txt", LIMIT, 12, -40.0),
    ],
)
def test_a_match_in_the_acpc_dealer_is_played_again(
    name: str, game: MatchGame, hands: int, gain: float
) -> None:
    bot = Bot(game, RandomPolicy(), seed=3)
    player = AcpcPlayer(bot)
    sent: list[str] = []
    for direction, line in _transcript(name):
        if direction == "<":
            answer = player.answer(line)
            sent += [answer] if answer is not None else []
        elif not line.startswith("VERSION"):
            assert sent.pop() == line
            assert not sent
    assert player.is_between_hands
    assert bot.report.score.num_hands == hands
    assert bot.report.score.total == gain
    assert bot.report.num_quick == 0


def test_a_match_in_the_pokerbots_engine_is_played_again() -> None:
    bot = Bot(BLOOD, RandomPolicy(), seed=3, num_hands=60)
    player = PokerbotsPlayer(bot)
    replica = player._replica
    answer: str | None = None
    longest, num_shown = 0, 0
    for direction, line in _transcript("pokerbots.txt"):
        if direction == ">":
            assert answer == line
            continue
        answer = player.answer(line)
        longest = max(longest, len(replica.position.board))
        if (gain := re.search(r" D(-?\d+)$", line)) is None:
            continue
        other = re.search(r" O(\w\w),(\w\w) ", line)
        num_shown += other is not None
        assert replica.position.terminal
        assert replica.gain(other and other[1] + other[2]) == float(gain[1])
    assert player.is_over
    assert answer is None
    assert bot.report.score.num_hands == 60
    assert bot.report.score.total == -224.0
    # The recording has red rivers, showdowns and hands that end without one.
    assert longest > 5
    assert 0 < num_shown < 60


def _serve(script: Callable[[socket.socket], None]) -> Iterator[int]:
    """Yield the port of an engine that runs `script` for one player."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20.0)

        def accept() -> None:
            connection, _ = server.accept()
            with connection:
                script(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            thread.join(20.0)


def _read_line(connection: socket.socket) -> bytes:
    """Return the next line; what there is of it if the connection is closed."""
    data = b""
    while not data.endswith(b"\n") and (piece := connection.recv(1)):
        data += piece
    return data


def _play(
    kind: str, game: MatchGame, script: Callable[[socket.socket], None], agent: Policy
) -> Bot:
    bot = Bot(game, agent, seed=1)
    for port in _serve(script):
        (play_acpc if kind == "acpc" else play_pokerbots)(bot, "127.0.0.1", port)
    return bot


def test_a_dealer_that_ends_the_match_is_left_in_peace() -> None:
    def script(connection: socket.socket) -> None:
        assert _read_line(connection) == b"VERSION:2.0.0\r\n"
        connection.sendall(b"# a comment\r\nMATCHSTATE:0:0::Ks|\r\n")
        assert re.fullmatch(rb"MATCHSTATE:0:0::Ks\|:[cr]\r\n", _read_line(connection))
        connection.sendall(b"MATCHSTATE:0:0:rf:Ks|\r\n")

    bot = _play("acpc", KUHN, script, RandomPolicy())
    assert bot.report.score.total == 1.0


@pytest.mark.parametrize(
    ("kind", "game", "sent", "words", "is_gone"),
    [
        ("acpc", KUHN, b"MATCHSTATE:0:0::Ks|\r\n", "closed the connection", True),
        ("acpc", KUHN, b"MATCHSTATE:0:0::Ks", "middle of a line", True),
        ("acpc", KUHN, b"HELLO\r\n", "sent 'HELLO': expected MATCHSTATE", False),
        ("acpc", KUHN, b"\xff\xfe\x00\r\n", "it is not text", False),
        ("acpc", KUHN, b"x" * 200_000, "a line without end", False),
        ("acpc", KUHN, b"MATCHSTATE:0:0:rrrr:Ks|\r\n", "is it a game of kuhn", False),
        ("acpc", KUHN, b"MATCHSTATE:0:0::2c|\r\n", "not among the 3 highest ranks", False),
        ("acpc", KUHN, b"MATCHSTATE:0:0::KsAs|\r\n", "are not 1 cards", False),
        ("acpc", LEDUC, b"MATCHSTATE:0:0:rc/:Kh|/2d\r\n", "highest ranks", False),
        ("acpc", NO_LIMIT, b"MATCHSTATE:0:0:r150:AsAh|\r\n", "not legal", False),
        ("acpc", NO_LIMIT, b"MATCHSTATE:0:0:cc/:AsAh|/AsKd2c\r\n", "cards", False),
        ("pokerbots", BLOOD, b"", "before the end of the match", True),
        ("pokerbots", BLOOD, b"T30. P0 HAh,Kd\n", "closed the connection", True),
        ("pokerbots", BLOOD, b"T30. P0 HAh,Xd\n", "X", False),
        ("pokerbots", BLOOD, b"T30. Z9\n", "'Z9' is not a clause", False),
        ("pokerbots", BLOOD, b"T30. P0 C\n", "no hand was dealt", False),
        ("pokerbots", BLOOD, b"T30. HAh,Kd\n", "which player", False),
        ("pokerbots", BLOOD, b"T30. P0 HAh,Kd R3\n", "not legal", False),
        ("pokerbots", BLOOD, b"T30. P1 HAh,Kd\n", "does not act", False),
        ("pokerbots", BLOOD, b"\n", "no hand was dealt", False),
    ],
)
def test_engines_that_vanish_or_send_rubbish_get_one_line(
    kind: str, game: MatchGame, sent: bytes, words: str, is_gone: bool
) -> None:
    def script(connection: socket.socket) -> None:
        if kind == "acpc":
            _read_line(connection)
        connection.sendall(sent)

    with pytest.raises(EngineError) as caught:
        _play(kind, game, script, RandomPolicy())
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert caught.value.is_gone is is_gone


def test_nobody_at_the_port_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    bot = Bot(KUHN, RandomPolicy())
    with pytest.raises(EngineError, match=r"no ACPC dealer answers at 127\.0\.0\.1"):
        play_acpc(bot, "127.0.0.1", port, wait=0.2)
    with pytest.raises(UntiltError, match="65535"):
        play_acpc(bot, "127.0.0.1", 70_000)


class Broken(Policy):
    """Fails, or answers what is not legal."""

    name = "broken"

    def __init__(self, answer: Action | None) -> None:
        self.answer = answer

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        if self.answer is None:
            raise ZeroDivisionError("of the agent")
        return self.answer, state


@pytest.mark.parametrize("answer", [None, "raise 1", "jump"])
def test_an_agent_that_fails_still_answers_legally(answer: str | None) -> None:
    bot = Bot(BLOOD, Broken(answer), seed=1)
    player = PokerbotsPlayer(bot)
    assert player.answer("T30.000 P0 HAh,Kd") == "F"  # half of the pot to call
    assert player.answer("T29.000 F D-1") == "K"
    assert player.answer("T29.000 P1 HAh,Kd C") == "K"
    assert player.answer("T29.000 K B2c,3c,4c") == "K"
    assert bot.report.num_quick == 3
    assert bot.report.failure is not None


def test_a_low_clock_leads_to_the_fast_path() -> None:
    bot = Bot(BLOOD, RandomPolicy(), seed=1, num_hands=1_000)
    player = PokerbotsPlayer(bot)
    player.answer("T30.000 P1 HAh,Kd C")
    assert bot.report.num_quick == 0
    player.answer("T1.900 K D0")
    # 999 hands are left, and the clock has less than 2 ms for each.
    assert player.answer("T1.900 P1 HAh,Kd C") == "K"
    assert bot.report.num_quick == 1


def test_an_agent_mixes() -> None:
    answers = set()
    for seed in range(40):
        player = PokerbotsPlayer(Bot(BLOOD, RandomPolicy(), seed=seed))
        answers.add((player.answer("T30.000 P0 HAh,Kd") or "")[0])
    assert answers == {"F", "C", "R"}


@pytest.mark.parametrize(
    "line", ["", "MATCHSTATE", "MATCHSTATE:2:0::Ks|", "MATCHSTATE:0:0:x:Ks|", "MATCHSTATE:0:-1::|"]
)
def test_what_is_not_a_state_is_refused(line: str) -> None:
    with pytest.raises(Mismatch):
        MatchState.parse(line)


def test_game_definitions_are_those_of_the_dealer() -> None:
    assert "stack = 20000 20000\nblind = 100 50\n" in game_definition(NO_LIMIT.root)
    assert "maxRaises = 3 4 4 4" in game_definition(LIMIT.root)
    assert "numRanks = 3" in game_definition(KUHN.root)
    assert "maxRaises = 2 2" in game_definition(LEDUC.root)
    with pytest.raises(UntiltError, match="not River of Blood"):
        game_definition(BLOOD.root)
    large = game_definition(untilt.games.kuhn(cards=5, ante=2, bet=3))
    assert all(line in large for line in ("numRanks = 5\n", "blind = 2 2\n", "raiseSize = 3\n"))
    with pytest.raises(UntiltError, match="whole chips"):
        game_definition(untilt.games.kuhn(bet=0.5))


def test_an_exported_bot_has_what_the_engine_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games").mkdir()
    Path("games/mine.py").write_text("from untilt.games import kuhn\n\ngame = kuhn()\n")
    untilt.solve("games/mine.py:game", target=1e-2, output="run")
    folder = export_bot("run", "bot", options="translation=nearest", python="python3", trust=True)
    commands = json.loads((folder / "commands.json").read_text())
    assert commands == {"build": [], "run": ["python3", "player.py"]}
    player = (folder / "player.py").read_text()
    compile(player, "player.py", "exec")
    assert "'run translation=nearest'" in player
    assert '"--trust"' in player
    assert (folder / "run" / "run.json").exists()
    assert (folder / "games" / "mine.py").exists()
    with pytest.raises(UntiltError, match="already exists"):
        export_bot("run", folder)
