"""Our bots in the engines themselves, if they are on this machine.

UNTILT_ACPC_DEALER is the dealer of the Annual Computer Poker Competition (a program, compiled from
project_acpc_server); UNTILT_POKERBOTS is a folder with MIT's Pokerbots engine of 2023, which needs
eval7. Without them these tests are skipped.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint

import untilt
from untilt.evaluation.comparison import head_to_head
from untilt.games.holdem.game import Holdem
from untilt.play.engines.acpc_game import game_definition
from untilt.policy.saved.match_game import named_game
from untilt.policy.simple import RandomPolicy

__all__ = ["stored"]  # a fixture

DEALER = os.environ.get("UNTILT_ACPC_DEALER")
POKERBOTS = os.environ.get("UNTILT_POKERBOTS")
SECONDS = 300.0

pytestmark = pytest.mark.long

HOLDEM = ("--game", "holdem", "-p", "stack=20000", "-p", "small_blind=50", "-p", "big_blind=100")
LIMIT = (
    *("--game", "holdem", "-p", "stack=2000", "-p", "small_blind=5", "-p", "big_blind=10"),
    *("-p", "limit=10/10/20/20", "-p", "max_raises=3"),
)


def _bot(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "untilt", "bot", *arguments, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _dealt(
    definition: str, hands: int, first: tuple[str, ...], second: tuple[str, ...], folder: Path
) -> tuple[dict[str, object], float]:
    """Return the report of the first bot, and the dealer's own score of it."""
    assert DEALER is not None
    (folder / "match.game").write_text(definition)
    command = [DEALER, "match", "match.game", str(hands), "1", "A", "B", "-q"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as dealer:
        assert dealer.stdout is not None
        ports = dealer.stdout.readline().split()
        bots = [
            _bot("acpc", agent[0], "127.0.0.1", port, *agent[1:])
            for agent, port in zip((first, second), ports, strict=True)
        ]
        reports = [bot.communicate(timeout=SECONDS)[0] for bot in bots]
        assert [bot.returncode for bot in bots] == [0, 0]
        score = re.match(r"SCORE:(-?[\d.]+)\|", dealer.stdout.read())
    assert score is not None
    report: dict[str, object] = json.loads(reports[0])
    return report, float(score[1])


@pytest.mark.skipif(DEALER is None, reason="UNTILT_ACPC_DEALER is not set")
def test_an_equilibrium_wins_in_the_dealer_what_theory_says(tmp_path: Path) -> None:
    kuhn = named_game("kuhn", {})
    assert kuhn.compiled is not None
    run = untilt.solve("kuhn", target=1e-6, output=tmp_path / "run")
    random = RandomPolicy().profile(kuhn.compiled)
    exact = head_to_head(kuhn.compiled.exact_form(), run.profile, random).mean
    report, score = _dealt(
        game_definition(kuhn.root),
        4_000,
        (str(tmp_path / "run"),),
        ("random", "--game", "kuhn"),
        tmp_path,
    )
    assert report["hands"] == 4_000
    assert report["gain"] == score
    assert isinstance(report["interval"], list)
    low, high = report["interval"]
    # Twice the interval: four standard errors, of cards that the dealer's seed fixes.
    assert abs(score / 4_000 - exact) < high - low


@pytest.mark.skipif(DEALER is None, reason="UNTILT_ACPC_DEALER is not set")
@pytest.mark.parametrize("options", [("--game", "leduc"), HOLDEM, LIMIT])
def test_random_agents_agree_with_the_dealer(options: tuple[str, ...], tmp_path: Path) -> None:
    parameters = dict(each.split("=") for each in options[3::2])
    root = named_game(options[1], parameters).root
    agent = ("random", *options)
    report, score = _dealt(game_definition(root), 500, agent, agent, tmp_path)
    assert report["hands"] == 500
    assert report["gain"] == score
    assert report["quick"] == 0


@pytest.mark.skipif(DEALER is None, reason="UNTILT_ACPC_DEALER is not set")
def test_a_blueprint_that_thinks_agrees_with_the_dealer(stored: Path, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.bin"
    blueprint = random_blueprint(path)
    first = (f"{path} --iterations 3", "--think", "auto", "--wait", "60")
    second = ("random", "--game", "holdem", "-p", "stack=40", "--wait", "60")
    report, score = _dealt(game_definition(Holdem(blueprint.rules)), 300, first, second, tmp_path)
    assert report["hands"] == 300
    assert report["gain"] == score
    assert report["quick"] == 0
    assert report["failure"] is None


@pytest.mark.skipif(POKERBOTS is None, reason="UNTILT_POKERBOTS is not set")
def test_a_match_in_the_pokerbots_engine_has_no_illegal_answer(tmp_path: Path) -> None:
    assert POKERBOTS is not None
    shutil.copy2(Path(POKERBOTS) / "config.py", tmp_path)
    engine = (Path(POKERBOTS) / "engine.py").read_text()
    # It would listen on all interfaces.
    (tmp_path / "engine.py").write_text(engine.replace("bind(('', 0))", "bind(('127.0.0.1', 0))"))
    shutil.copytree(Path(POKERBOTS) / "python_skeleton", tmp_path / "skeleton")
    (tmp_path / "ours").mkdir()
    arguments = ["--game", "river-of-blood", "--json"]
    command = f"['bot', 'pokerbots', 'random', '127.0.0.1', sys.argv[1], *{arguments!r}]"
    (tmp_path / "ours" / "player.py").write_text(
        f"import sys\nfrom untilt.cli.main import run\nsys.exit(run({command}))\n"
    )
    for name in ("ours", "skeleton"):
        commands = {"build": [], "run": [sys.executable, "player.py"]}
        (tmp_path / name / "commands.json").write_text(json.dumps(commands))
    config = (tmp_path / "config.py").read_text()
    config = re.sub(r"PLAYER_1_PATH = .*", "PLAYER_1_PATH = './ours'", config)
    config = re.sub(r"PLAYER_2_PATH = .*", "PLAYER_2_PATH = './skeleton'", config)
    (tmp_path / "config.py").write_text(config)
    subprocess.run(
        [sys.executable, "engine.py"],
        cwd=tmp_path,
        timeout=SECONDS,
        check=True,
        capture_output=True,
    )
    log = (tmp_path / "gamelog.txt").read_text()
    assert not re.search(r"attempted illegal|misformatted|ran out of time|disconnected", log)
    report = json.loads((tmp_path / "A.txt").read_text())
    final = re.search(r"Final, .*\bA \((-?\d+)\)", log)
    assert final is not None
    assert report["gain"] == float(final[1])
    assert report["hands"] == 1_000
