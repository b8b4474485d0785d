"""The protocol of MIT's Pokerbots engine of 2023, whose game is River of Blood.

The engine sends what has happened since its last message, as clauses with spaces between them:

    T29.998 P0 HAh,Kd          clock in seconds, player (0 posts the small blind), hand
    F C K R6                   fold, call, check, raise to 6 on the street; own moves too
    B2h,8h,5h                  all cards of the board so far
    O2c,2d D-40                the opponent's hand, if shown; what the player gained
    Q                          the match is over

Each message is answered: with `F`, `C`, `K` or `R6`, and with `K` if the hand is over. After an
all-in the engine asks for a check on every street that is left. An illegal answer counts as a check
or a fold, and a player who runs out of time is no longer asked.
"""

import json
import re
import shutil
import sys
from pathlib import Path

from untilt.errors import EngineError, RunError, StorageError
from untilt.formats.base.files import path_of, shown
from untilt.formats.run.run_folder import RunFolder
from untilt.game.actions import Kind
from untilt.game.protocol import Action
from untilt.games.holdem.game import Holdem
from untilt.play.engines.bot import Bot, BotReport
from untilt.play.engines.engine_connection import Link
from untilt.play.engines.mirrored_hand import HoldemReplica, Mismatch
from untilt.policy.hands.turn import data_of

ENGINE = "Pokerbots engine"
NUM_HANDS = 1_000
"""Hands of a match, as the engine is configured."""

_CLAUSE = re.compile(
    r"T(?P<clock>\d{1,9}(?:\.\d*)?)|P(?P<player>[01])|H(?P<hand>\w\w,\w\w)|(?P<move>[FCK])|"
    r"R(?P<amount>\d{1,9})|B(?P<board>\w\w(?:,\w\w)*)|O(?P<other>\w\w,\w\w)|"
    r"D(?P<delta>-?\d{1,12})|(?P<over>Q)"
)
_LETTER_OF = {Kind.FOLD: "F", Kind.CALL: "C", Kind.CHECK: "K"}
_OURS = {"F": "f", "C": "c", "K": "c"}


class PokerbotsPlayer:
    """Follows the engine's messages and answers them."""

    def __init__(self, bot: Bot) -> None:
        root = bot.game.root
        if not isinstance(root, Holdem) or not root.rules.red_runs_on:
            raise EngineError(
                "the Pokerbots engine of 2023 plays River of Blood, not "
                f"{bot.game.described}: give an agent of river-of-blood"
            )
        self._bot = bot
        self._replica = HoldemReplica(root)
        self._seat: int | None = None
        self._clock: float | None = None
        self._has_hand = False
        self.is_over = False
        """Whether the match has ended."""

    def answer(self, line: str) -> str | None:
        """Return the answer to a message; None after the end of the match.

        Raises Mismatch if the message is not possible.
        """
        is_hand_over = False
        for text in line.split():
            found = _CLAUSE.fullmatch(text)
            if found is None:
                raise Mismatch(f"{text[:40]!r} is not a clause of the protocol")
            if found["over"]:
                self.is_over = True
                return None
            is_hand_over |= found["delta"] is not None
            self._follow(found)
        if is_hand_over:
            return "K"
        position = self._replica.position
        if not self._has_hand:
            raise Mismatch("no hand was dealt")
        if self._is_run_out:
            return "K"  # nobody can bet now
        if position.terminal or position.chance or position.active != self._seat:
            raise Mismatch("an answer is expected where this player does not act")
        return _letters(self._bot.choose(position, self._clock))

    @property
    def _is_run_out(self) -> bool:
        """Whether all chips are in, so that only cards are dealt."""
        position = self._replica.position
        return (
            position.betting.folded < 0
            and (position.terminal or position.chance)
            and (position.betting.is_all_in)
        )

    def _follow(self, found: re.Match[str]) -> None:
        replica = self._replica
        if found["clock"]:
            self._clock = float(found["clock"])
        elif found["player"]:
            self._seat = int(found["player"])
        elif found["hand"]:
            if self._seat is None:
                raise Mismatch("a hand is dealt before the engine says which player this is")
            replica.begin(self._seat, found["hand"].replace(",", ""))
            self._bot.begin(self._seat)
            self._has_hand = True
        elif not self._has_hand:
            raise Mismatch("no hand was dealt")
        elif found["move"]:
            if not (found["move"] == "K" and self._is_run_out):
                replica.move(_OURS[found["move"]])
        elif found["amount"]:
            replica.move("r", int(found["amount"]))
        elif found["board"]:
            replica.show(found["board"].replace(",", ""))
        elif found["delta"]:
            self._bot.end(float(found["delta"]))
            self._has_hand = False


def play_pokerbots(bot: Bot, host: str, port: int, *, wait: float = 10.0) -> BotReport:
    """Play a match in the Pokerbots engine at `host` and `port`, and return the report.

    Raises EngineError if there is no engine, if it disappears, or if it sends rubbish.
    """
    player = PokerbotsPlayer(bot)
    bot.warm_up()
    with Link.open(host, port, engine=ENGINE, wait=wait) as link:
        while not player.is_over:
            line = link.receive()
            if line is None:
                raise link.gone("before the end of the match")
            try:
                answer = player.answer(line)
            except Mismatch as error:
                why = f"{error}; is it a game of {bot.game.described}?"
                raise link.rubbish(line, why) from error
            if answer is not None:
                link.send(f"{answer}\n")
    return bot.report


def _letters(action: Action) -> str:
    data = data_of(action)
    letter = _LETTER_OF.get(data.kind)
    return letter if letter is not None else f"R{int(data.amount or 0)}"


_PLAYER = '''"""A bot for the Pokerbots engine, written by `untilt bot pokerbots-export`.

It needs Python with untilt. The engine calls it with the port to connect to.
"""

import argparse
import os
import sys
from pathlib import Path

from untilt.cli.main import run

parser = argparse.ArgumentParser()
parser.add_argument("--host", default="localhost")
parser.add_argument("port")
given = parser.parse_args()
os.chdir(Path(__file__).resolve().parent)
sys.exit(run(["bot", "pokerbots", {agent!r}, given.host, given.port{trust}]))
'''


def export_bot(
    run: str | Path,
    folder: str | Path,
    *,
    options: str = "",
    trust: bool = False,
    python: str | None = None,
) -> Path:
    """Write a folder with which the engine starts a bot: the run, `commands.json`, `player.py`.

    `options` are those of the agent, such as `translation=nearest`. `python` is the interpreter
    to start, by default this one. If the run names its game by a file below the current folder,
    the file is copied too. Returns the folder, which must not exist before.
    """
    source, target = path_of(run), path_of(folder)
    if target.exists():
        raise RunError(f"{shown(target)} already exists; choose another folder")
    agent = f"run {options}".rstrip()
    player = _PLAYER.format(agent=agent, trust=', "--trust"' if trust else "")
    commands = {"build": [], "run": [python or sys.executable, "player.py"]}
    try:
        shutil.copytree(source, target / "run", ignore=shutil.ignore_patterns("checkpoint*"))
        _copy_code(source, target)
        (target / "player.py").write_text(player, encoding="utf-8")
        (target / "commands.json").write_text(json.dumps(commands, indent=4) + "\n", "utf-8")
    except OSError as error:
        shutil.rmtree(target, ignore_errors=True)
        raise StorageError(f"{shown(target)} cannot be written: {error.strerror}") from error
    return target


def _copy_code(run: Path, target: Path) -> None:
    """Copy the file of a run's game, if the run names it relative to the current folder."""
    reference = RunFolder(run).record().reference or ""
    file = Path(reference.partition(":")[0])
    is_below = not file.is_absolute() and ".." not in file.parts
    if file.suffix == ".py" and is_below and file.is_file():
        (target / file.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target / file)
