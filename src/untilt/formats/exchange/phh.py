"""Hand histories in the PHH format, read and written as plain data.

A .phh file is TOML with the stakes, the stacks and a list of actions; a .phhs file has many hands
as tables [1], [2] … (Kim 2024, "Recording and describing poker hands"; uoftcprg/phh-std):

    variant = "NT"
    antes = [0, 0]
    blinds_or_straddles = [1, 2]
    min_bet = 2
    starting_stacks = [200, 200]
    actions = ["d dh p1 AsKh", "d dh p2 ????", "p2 cbr 6", "p1 f"]

Actions are `d dh pN cards` and `d db cards` (deals to a player and to the board), `pN f`, `pN cc`
(check or call), `pN cbr amount` (bet or raise to) and `pN sm cards` (show; `-` for the cards that
were dealt, nothing for mucking), with or without a comment after `#`. With two players, antes and
blinds are those of the small blind and the big blind, but player 1 of stacks and actions is the
big blind.

Nothing is played here: `untilt.games.holdem.replay` checks that actions are legal.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from enum import StrEnum
from pathlib import Path
from typing import Any

from untilt.cards.card import card_name, parse_cards
from untilt.errors import CardError, FormatError, shortened
from untilt.formats.base.files import open_regular, shown, unreadable
from untilt.formats.exchange.other_histories import READABLE, program_of
from untilt.toml_text import parse_toml

MAX_BYTES = 64 << 20
"""A larger file is not read."""

MAX_ACTIONS = 10_000
_MOST_CHIPS = 10**15

NO_LIMIT, FIXED_LIMIT = "NT", "FT"
"""Codes of hold'em variants."""

_SIZES = {NO_LIMIT: ("min_bet",), FIXED_LIMIT: ("small_bet", "big_bet")}
_REQUIRED = ("variant", "antes", "blinds_or_straddles", "starting_stacks", "actions")
_LISTS = {"finishing_stacks", "winnings"}
"""Optional fields with a number of chips per player."""
_ROUNDING = 1e-4
_UNKNOWN = "??"
_READ = (
    "what can be read are .phh and .phhs files, histories of PokerStars and GGPoker, and ACPC "
    "logs: see `untilt docs hands`"
)
_ACTION = re.compile(
    r"d\s+dh\s+p(?P<hand>\d+)\s+(?P<held>\S+)|d\s+db\s+(?P<board>\S+)|"
    r"p(?P<player>\d+)\s+(?:(?P<verb>f|cc)|cbr\s+(?P<amount>\S+)|sm(?:\s+(?P<shown>\S+))?)"
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class Verb(StrEnum):
    """The effect of an action of a history."""

    DEAL_HAND = "dh"
    DEAL_BOARD = "db"
    FOLD = "f"
    CALL = "cc"
    RAISE = "cbr"
    SHOW = "sm"
    NOTHING = ""
    """Only a comment."""


@dataclass(frozen=True, slots=True)
class PhhAction:
    """One action of a history."""

    verb: Verb
    player: int | None = None
    """Counted from 0, as p1 is player 0; None for deals to the board and comments."""
    cards: tuple[int | None, ...] = ()
    """Cards dealt or shown, None for unknown ones; empty for mucking. Shown cards that are all
    unknown are those that were dealt."""
    amount: int | None = None
    """The total of a bet or raise on the street."""
    comment: str = ""

    def __str__(self) -> str:
        who = "d" if self.verb in (Verb.DEAL_HAND, Verb.DEAL_BOARD) else f"p{_number(self.player)}"
        words = [] if self.verb is Verb.NOTHING else [who, self.verb.value]
        if self.verb is Verb.DEAL_HAND:
            words.append(f"p{_number(self.player)}")
        if self.cards:
            is_known_already = self.verb is Verb.SHOW and all(card is None for card in self.cards)
            words.append("-" if is_known_already else cards_text(self.cards))
        if self.amount is not None:
            words.append(str(self.amount))
        if self.comment:
            words.append(f"# {self.comment}")
        return " ".join(words)


@dataclass(frozen=True)
class HandHistory:
    """A hand of hold'em as it was written down; lists are by player, p1 first."""

    variant: str
    """NT or FT."""
    antes: tuple[int, ...]
    blinds: tuple[int, ...]
    """With two players, antes and blinds are the small blind's and then the big blind's."""
    sizes: tuple[int, ...]
    """The smallest bet, or the small bet and the big bet of a limit game."""
    stacks: tuple[int | None, ...]
    """None if not known, which the format writes as `inf`."""
    actions: tuple[PhhAction, ...]
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Everything else: players, finishing_stacks, event, year, user-defined fields …"""
    source: str = "the hand history"
    """The file, for messages."""

    @property
    def finishing_stacks(self) -> tuple[int, ...] | None:
        """Stacks at the end, by player; None if the history does not say."""
        given = self.fields.get("finishing_stacks")
        return None if given is None else _chips(given, "finishing_stacks", self.source)

    @property
    def winnings(self) -> tuple[int, ...] | None:
        """What each player collected; None if the history does not say."""
        given = self.fields.get("winnings")
        return None if given is None else _chips(given, "winnings", self.source)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players; empty if the history does not name them."""
        given = self.fields.get("players", ())
        return tuple(map(str, given)) if isinstance(given, list | tuple) else ()


def read_phh(path: Path) -> list[HandHistory]:
    """Return the hands of a .phh or .phhs file; raises FormatError, naming the first mistake."""
    try:
        with open_regular(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from error
    if len(data) > MAX_BYTES:
        raise FormatError(f"{shown(path)} is larger than {MAX_BYTES >> 20} MB: split it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # The beginning that identifies a program is ASCII in all of its encodings.
        raise _not_phh(data.decode("latin-1"), shown(path), "it is not UTF-8 text") from None
    return parse_phh(text, shown(path))


def parse_phh(text: str, source: str = "the hand history") -> list[HandHistory]:
    """Return the hands in the text of a .phh or .phhs file; `source` names it in errors."""
    try:
        document = parse_toml(text, "it")
    except FormatError as error:
        raise _not_phh(text, source, str(error)) from None
    hands = [value for value in document.values() if isinstance(value, dict)]
    if hands and "variant" not in document:
        return [history_of(hand, f"{source}, hand {name}") for name, hand in document.items()]
    return [history_of(document, source)]


def _not_phh(text: str, source: str, reason: str) -> FormatError:
    program = program_of(text)
    if program in READABLE:
        return FormatError(
            f"{source} is a hand history of {program}, not in the PHH format: read it with "
            "untilt.hands.read"
        )
    return FormatError(
        f"{source} is not a hand history in the PHH format: {reason}; {_READ}"
        if program is None
        else f"{source} is a hand history of {program}, which cannot be imported yet; {_READ}"
    )


def format_phh(history: HandHistory) -> str:
    """Return the text of a .phh file."""
    sizes = dict(zip(_SIZES[history.variant], history.sizes, strict=True))
    document: dict[str, Any] = {
        "variant": history.variant,
        "antes": history.antes,
        "blinds_or_straddles": history.blinds,
        **sizes,
        "starting_stacks": [math.inf if each is None else each for each in history.stacks],
        "actions": tuple(map(str, history.actions)),
        **history.fields,
    }
    return "".join(f"{_key(name)} = {_toml(value)}\n" for name, value in document.items())


def cards_text(cards: tuple[int | None, ...]) -> str:
    """Return cards as in a history, `AsKh`, with `??` for unknown ones."""
    return "".join(_UNKNOWN if card is None else card_name(card) for card in cards)


def history_of(document: object, source: str, *, scale: int = 1) -> HandHistory:
    """Return the hand of a TOML document that was read; `source` names it in errors.

    Amounts are multiplied by `scale`, such as 100 for amounts with cents, and are integers then.
    """
    if not isinstance(document, dict):
        raise FormatError(f"{source} is not a hand history: it is {shortened(document)}")
    if "variant" not in document:
        raise _not_phh("", source, "the field variant is missing")
    variant = document["variant"]
    if not isinstance(variant, str) or variant not in _SIZES:
        raise FormatError(
            f"{source}: the variant is {shortened(variant)}; only hold'em can be read: NT (no "
            "limit) and FT (limit)"
        )
    sizes = _SIZES[variant]
    for name in (*_REQUIRED, *sizes):
        if name not in document:
            raise FormatError(f"{source} is not a hand history: the field {name} is missing")
    stacks = _stacks(document["starting_stacks"], source, scale)
    listed = document["actions"]
    if not isinstance(listed, list) or len(listed) > MAX_ACTIONS:
        raise FormatError(f"{source}: actions is not a list of at most {MAX_ACTIONS:,} texts")
    known = {*_REQUIRED, *sizes}
    fields = {name: value for name, value in document.items() if name not in known}
    if None in stacks:
        fields.pop("finishing_stacks", None)
    for name in _LISTS & fields.keys():
        fields[name] = list(_chips(fields[name], name, source, scale))
    # The blind of a player who is not due has a sign; of two players, both are.
    least = 0 if len(stacks) == 2 else -_MOST_CHIPS
    history = HandHistory(
        variant=variant,
        antes=_chips(document["antes"], "antes", source, scale),
        blinds=_chips(
            document["blinds_or_straddles"], "blinds_or_straddles", source, scale, least=least
        ),
        sizes=tuple(_chips([document[name]], name, source, scale)[0] for name in sizes),
        stacks=stacks,
        actions=tuple(
            _action(text, len(stacks), f"{source}, action {number}", scale)
            for number, text in enumerate(listed, start=1)
        ),
        fields=fields,
        source=source,
    )
    counts = {len(stacks), len(history.antes), len(history.blinds)}
    counts |= {len(fields[name]) for name in _LISTS & fields.keys()}
    if len(counts) > 1 or not stacks:
        raise FormatError(f"{source}: antes, blinds and stacks are of different numbers of players")
    return history


def _action(text: object, num_players: int, source: str, scale: int) -> PhhAction:
    if not isinstance(text, str):
        raise FormatError(f"{source} is {shortened(text)}; it must be text, such as 'p1 cbr 6'")
    move, _, comment = (part.strip() for part in text.partition("#"))
    if not move:
        return PhhAction(Verb.NOTHING, comment=comment)
    found = _ACTION.fullmatch(move)
    if found is None:
        raise FormatError(
            f"{source} is {shortened(move)}; write 'd dh p1 AsKh', 'd db AsKhQd', 'p1 f', 'p1 cc', "
            "'p1 cbr 6' or 'p1 sm AsKh'"
        )
    number = found["player"] or found["hand"]
    player = None if number is None else int(number) - 1
    if player is not None and not 0 <= player < num_players:
        raise FormatError(f"{source} is {shortened(move)}, but there are {num_players} players")
    if found["held"] or found["board"]:
        verb = Verb.DEAL_HAND if found["held"] else Verb.DEAL_BOARD
        cards = _cards(found["held"] or found["board"], source)
        return PhhAction(verb, player, cards, comment=comment)
    if found["verb"]:
        return PhhAction(Verb(found["verb"]), player, comment=comment)
    if found["amount"]:
        (amount,) = _chips([_as_number(found["amount"])], "the amount", source, scale)
        return PhhAction(Verb.RAISE, player, amount=amount, comment=comment)
    # `-` shows cards that are already known; the cards themselves are not repeated in the data.
    shown_cards = found["shown"]
    cards = () if shown_cards is None else _cards(shown_cards.replace("-", "????"), source)
    return PhhAction(Verb.SHOW, player, cards, comment=comment)


def _cards(text: str, source: str) -> tuple[int | None, ...]:
    pairs = [text[begin : begin + 2] for begin in range(0, len(text), 2)]
    try:
        known = parse_cards("".join(pair for pair in pairs if pair != _UNKNOWN))
    except CardError as error:
        raise FormatError(f"{source}: {error}") from None
    if len(known) + pairs.count(_UNKNOWN) != len(pairs):
        raise FormatError(f"{source}: {shortened(text)} are not cards, such as AsKh or ????")
    left = iter(known)
    return tuple(None if pair == _UNKNOWN else next(left) for pair in pairs)


def _as_number(text: str) -> object:
    try:
        return float(text) if not text.isdecimal() else int(text[:20])
    except ValueError:
        return text


def _chips(
    given: object, name: str, source: str, scale: int = 1, *, least: int = 0
) -> tuple[int, ...]:
    """Return amounts times `scale` as integers; 2.0 counts as one."""
    if not isinstance(given, list | tuple):
        raise FormatError(f"{source}: {name} is {shortened(given)}; it must be a list of chips")
    amounts = []
    for each in given:
        is_number = isinstance(each, int | float) and not isinstance(each, bool)
        if is_number and each == math.inf:
            raise FormatError(f"{source}: {name} are not known (inf), so chips cannot be counted")
        if not is_number or not least <= each <= _MOST_CHIPS or not _is_whole(each, scale):
            raise FormatError(
                f"{source}: {name} has {shortened(each)}; chips are integers, at least 0: count in "
                "the smallest unit, such as cents"
            )
        amounts.append(round(each * scale))
    return tuple(amounts)


def _stacks(given: object, source: str, scale: int) -> tuple[int | None, ...]:
    """Return stacks as integers, None for those that are not known (inf)."""
    is_known = [each != math.inf for each in given] if isinstance(given, list) else []
    if all(is_known):
        return _chips(given, "starting_stacks", source, scale)
    assert isinstance(given, list)
    known = [each for each in given if each != math.inf]
    chips = iter(_chips(known, "starting_stacks", source, scale))
    return tuple(next(chips) if each else None for each in is_known)


def _is_whole(amount: float, scale: int) -> bool:
    """Whether an amount has no fraction of a chip; 0.29 has none with a scale of 100."""
    chips = amount * scale
    return abs(chips - round(chips)) < _ROUNDING if scale > 1 else chips == int(chips)


def _number(player: int | None) -> int:
    assert player is not None
    return player + 1


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _quoted(name)


def _toml(value: object) -> str:
    """Return a value of a history in TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list() | tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case dict():
            pairs = ", ".join(f"{_key(str(name))} = {_toml(each)}" for name, each in value.items())
            return f"{{{pairs}}}"
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return _quoted(str(value))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"'
        + "".join(each if each.isprintable() else f"\\U{ord(each):08X}" for each in escaped)
        + '"'
    )
