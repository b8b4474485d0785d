"""Options of playing: at the terminal, and in engines that other people wrote."""

from dataclasses import replace
from pathlib import Path

from untilt.options.option import Option
from untilt.options.run import OUTPUT, SEED, told

SEAT = Option(
    "seat",
    str,
    "alternate",
    "Be player 0, player 1 and so on, or change seats after every hand.",
    metavar="[0|1|…|alternate]",
)
HANDS = Option("hands", int, None, "End after this many hands; endless by default.", metavar="N")
SKIP = Option(
    "skip", bool, False, "Do not show hands in which you have no decision; they count all the same."
)
LINE = Option(
    "line",
    str,
    "",
    "Of a solved spot: begin hands after this betting, such as 'check, bet 120'.",
)
BOARD = Option(
    "board",
    str,
    None,
    "Of a solved spot: the board on which hands begin, if --line leads to a later street.",
)
AGAINST = Option(
    "against",
    str,
    None,
    "Play the game GAME against this agent, without solving it: random, call, fold, a run, a "
    "strategy file or file.py:Class, as for `untilt match`.",
    metavar="AGENT",
)
RANGES = Option(
    "ranges",
    bool,
    False,
    "Of a blueprint: show both ranges after every hand, at each of its decisions.",
)
NEW_SEED = replace(
    SEED,
    default=None,
    help="Seed of the deals; by default a new one each time, which is shown.",
)

BOT_SEED = replace(
    SEED,
    default=None,
    help="Seed of the bot's decisions; by default a new one, so that nobody can predict them.",
)
WAIT = Option(
    "wait",
    float,
    10.0,
    "Try this long to reach an engine that is starting.",
    metavar="SECONDS",
)
GAME_FILE = Option(
    "game_file",
    Path,
    None,
    "The dealer's definition of the game. Without it, a blueprint assumes the competition's "
    "standard stakes if it can play them, else its own.",
    metavar="FILE",
)
MATCH_HANDS = Option(
    "hands",
    int,
    1_000,
    "The hands of the match: time is kept for all of them.",
    metavar="N",
)
BOT_FOLDER = told(OUTPUT, "The same, as an option.", metavar="DIR")
PYTHON = Option(
    "python",
    str,
    None,
    "The Python that the engine starts; by default the one of this command.",
    metavar="PROGRAM",
)
