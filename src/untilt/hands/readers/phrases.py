"""The phrases of hand histories: a table for each site.

Sites of this family write a hand as one action per line below a header; they differ in words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from untilt.hands.readers.amounts import AMOUNT, SIGN


class Word(Enum):
    """The statement of a line about a player."""

    FOLD = auto()
    CHECK = auto()
    CALL = auto()
    BET = auto()
    RAISE = auto()
    """By an amount, to an amount."""
    POST = auto()
    SHOW = auto()


class Post(Enum):
    """The kinds of posts."""

    SMALL = auto()
    BIG = auto()
    BOTH = auto()
    """A big blind, and a small blind that is dead."""
    ANTE = auto()
    DEAD = auto()


class Section(Enum):
    """A part of the text."""

    HOLE_CARDS = auto()
    FLOP = auto()
    TURN = auto()
    RIVER = auto()
    SHOWDOWN = auto()
    SUMMARY = auto()


BOARD_SECTIONS = (Section.FLOP, Section.TURN, Section.RIVER)
"""The sections that begin with a card of the board."""


@dataclass(frozen=True)
class Phrases:
    """The words of a site; patterns are searched for in a line, names of players left out."""

    site: str
    begins: re.Pattern[str]
    """The beginning of the first line, with `number` and, for a tournament, `tournament`."""
    hero: str = ""
    """What the site calls the owner of the file; empty if by name."""
    games: Mapping[str, str] = field(
        default_factory=lambda: {"Hold'em No Limit": "NT", "Hold'em Limit": "FT"}
    )
    """The games that can be read, with their codes in the PHH format."""
    other_games: tuple[str, ...] = ("6+ Hold'em", "ShortDeck", "Mixed ", "HORSE", "8-Game")
    """Names of games that contain or accompany those above."""
    stakes: re.Pattern[str] = re.compile(
        rf"\((?P<sign>{SIGN})?(?P<small>{AMOUNT})/(?:{SIGN})?(?P<big>{AMOUNT})"
        r"(?:\((?:[^()]*)\))?[^()]*?(?: (?P<code>[A-Z]{3}))?\)"
    )
    cap: re.Pattern[str] = re.compile(r" Cap ")
    """In the header, if nobody can bet more than a certain amount."""
    when: re.Pattern[str] = re.compile(r" - (\d{4})/(\d\d)/(\d\d) (\d{1,2}):(\d\d):(\d\d)(?: |$)")
    table: re.Pattern[str] = re.compile(r"Table '(?P<table>.*)' (?P<most>\d+)-max ")
    button: re.Pattern[str] = re.compile(r"Seat #(\d+) is the button")
    seat: re.Pattern[str] = re.compile(
        rf"Seat (?P<seat>\d{{1,2}}): (?P<name>.+) \((?:{SIGN})?(?P<stack>{AMOUNT}) in chips"
        r"(?:, [^()]*)?\)"
    )
    dealt: str = "Dealt to "
    sections: Mapping[str, Section] = field(
        default_factory=lambda: {
            "HOLE CARDS": Section.HOLE_CARDS,
            "PRE-FLOP": Section.HOLE_CARDS,
            "FLOP": Section.FLOP,
            "TURN": Section.TURN,
            "RIVER": Section.RIVER,
            "SHOW DOWN": Section.SHOWDOWN,
            "SHOWDOWN": Section.SHOWDOWN,
            "SUMMARY": Section.SUMMARY,
        }
    )
    words: Mapping[str, Word] = field(
        default_factory=lambda: {
            "folds": Word.FOLD,
            "checks": Word.CHECK,
            "calls": Word.CALL,
            "bets": Word.BET,
            "raises": Word.RAISE,
            "posts": Word.POST,
            "shows": Word.SHOW,
        }
    )
    """The first word of what a player does."""
    posts: Mapping[str, Post] = field(
        default_factory=lambda: {
            "posts small blind ": Post.SMALL,
            "posts big blind ": Post.BIG,
            "posts small & big blinds ": Post.BOTH,
            "posts the ante ": Post.ANTE,
        }
    )
    all_in: str = "is all-in"
    uncalled: re.Pattern[str] = re.compile(
        rf"Uncalled bet \((?:{SIGN})?(?P<amount>{AMOUNT})[^()]*\) returned to (?P<name>.+)"
    )
    collected: re.Pattern[str] = re.compile(
        rf"(?P<name>.+) (?:collected|cashed out the hand for) (?:{SIGN})?(?P<amount>{AMOUNT})"
        r"[^|]{0,12}? from (?:side |main )?pot"
    )
    revealed: re.Pattern[str] = re.compile(r"(?:showed|mucked|shows) \[([^\]]*)\]")
    """Cards in the summary or at the showdown."""
    total: re.Pattern[str] = re.compile(rf"Total pot (?:{SIGN})?(?P<amount>{AMOUNT})")
    fees: re.Pattern[str] = re.compile(rf"\| (?:Rake) (?:{SIGN})?({AMOUNT})")
    """What the house takes, in the line of the total; all matches are added."""
    added: re.Pattern[str] | None = None
    """Chips that the house adds to the pot."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Phrases of what cannot be read, by the beginning of a player's line or of a section, with
    what it is called."""
