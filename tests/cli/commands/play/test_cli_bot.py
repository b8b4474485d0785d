"""`untilt bot`."""

import json
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt


def _engine(lines: list[bytes]) -> tuple[int, threading.Thread]:
    """Start an engine for one player that sends `lines` and reads an answer after each."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(30.0)

    def serve() -> None:
        with server, server.accept()[0] as connection:
            for line in lines:
                connection.sendall(line)
                if not line.startswith(b"Q"):
                    connection.recv(1_000)

    thread = threading.Thread(target=serve)
    thread.start()
    return server.getsockname()[1], thread


def test_a_bot_reports_its_match(command: Command) -> None:
    lines = [b"T30.000 P0 HAh,Kd\n", b"T30.000 F D-1\n", b"Q\n"]
    port, thread = _engine(lines)
    arguments = ("bot", "pokerbots", "fold", "127.0.0.1", port, "--game", "river-of-blood")
    found = command(*arguments, "--json")
    thread.join(30.0)
    assert found.status == 0
    assert found.json["hands"] == 1
    assert found.json["gain"] == -1.0
    assert found.json["mbb"] == -500.0
    assert found.json["decisions"] == 1
    assert found.json["quick"] == 0


def test_an_engine_that_disappears_gives_status_1(command: Command) -> None:
    port, thread = _engine([b"T30.000 P0 HAh,Kd\n"])
    found = command(
        "bot", "pokerbots", "call", "127.0.0.1", port, "--game", "river-of-blood", "--json"
    )
    thread.join(30.0)
    assert found.status == 1
    assert found.out == ""
    assert "closed the connection" in found.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("acpc", "random", "127.0.0.1", "9", "--game", "kuhn", "--wait", "0"), "no ACPC dealer"),
        (("acpc", "random", "127.0.0.1", "9"), "add --game"),
        (("acpc", "random", "127.0.0.1", "0", "--game", "kuhn"), "--port is 0"),
        (("acpc", "random", "127.0.0.1", "9", "--game", "auction"), "no engine plays"),
        (("pokerbots", "random", "127.0.0.1", "9", "--game", "kuhn"), "not kuhn"),
        (("pokerbots-export", "random", "bot"), "not the folder of a run"),
        (("pokerbots-export", "run"), "no folder to write is given; add one, such as --output bot"),
        (("pokerbots-export", "run", "bot", "-o", "bot2"), "given twice, bot and bot2"),
        (("acpc-game", "random", "--game", "river-of-blood"), "not River of Blood"),
    ],
)
def test_bad_input_gets_one_line(command: Command, arguments: tuple[str, ...], words: str) -> None:
    assert words in command("bot", *arguments).error


def test_the_folder_of_an_exported_bot_is_an_argument_or_an_option(
    command: Command, tmp_path: Path
) -> None:
    blood = {"game": "river-of-blood", "states": "street", "actions": "pot_fractions(1)"}
    untilt.solve("abstract", "es", parameters=blood, iterations=20, output=tmp_path / "run")
    for number, option in enumerate([(), ("-o",), ("--output",)]):
        folder = tmp_path / f"bot{number}"
        found = command("bot", "pokerbots-export", tmp_path / "run", *option, folder)
        assert found.status == 0, found.err
        assert (folder / "commands.json").is_file()
        assert (folder / "run" / "run.json").is_file()


def test_a_strategy_of_another_game_is_not_exported(command: Command, tmp_path: Path) -> None:
    untilt.solve("kuhn", target=1e-2, output=tmp_path / "kuhn")
    assert "not kuhn" in command("bot", "pokerbots-export", tmp_path / "kuhn", "bot").error
    assert not Path("bot").exists()


def test_bots_and_matches_do_not_load_numba() -> None:
    code = (
        "import json, sys; import untilt.play.engines.acpc, untilt.play.engines.pokerbots; "
        "import untilt.play.matches.head_to_head; "
        "print(json.dumps([name for name in ('numba', 'scipy') if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
