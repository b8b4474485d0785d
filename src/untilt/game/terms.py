"""The vocabulary of a game: unit, seats, what players hold and what both see.

A game declares its terms in an attribute of its positions; without it, defaults apply:

    class Dice(Game):
        terms = Terms(private="die")

Tables, charts, the page and agents read the terms, and never check the name of a game. A run
stores them in run.json.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from untilt.errors import FormatError, GameError, shortened
from untilt.game.protocol import num_players_of

_MAX_LENGTH = 40
_MAX_RULES = 400


@dataclass(frozen=True)
class Terms:
    """The declaration of a game; every text is at most 40 characters, `rules` at most 400."""

    unit: str = "chips"
    """The unit of payoffs: `chips`, `bb`, `points`."""
    seats: tuple[str, ...] = ("player 0", "player 1")
    """The names of the players, such as `small blind` and `big blind`. A game of more players that
    keeps the default has `player 2` and so on besides."""
    private: str = "card"
    """What a player holds: `card`, `cards`, `hand class`, `die`, `value`; empty for nothing."""
    public: str = "board"
    """What all players see in addition to the betting: `board`, `price`; empty for nothing."""
    has_chips: bool = False
    """Whether positions have an attribute `chips`, see `Chips`."""
    has_forced_moves: bool = False
    """Whether an infoset may offer a single action, which is then played without asking."""
    verbs: tuple[str, ...] = ("choose", "choose")
    """What each player does with an action that is not one of poker: `say` makes "you say 2-3" and
    "player 1 says 2-3". Empty if the actions are verbs: "you buy", "the trader buys"."""
    rules: str = ""
    """The rules in one or two sentences, for somebody about to play; empty for none."""

    def __post_init__(self) -> None:
        lists = (self.seats, self.verbs)
        are_lists = all(isinstance(each, tuple) and len(each) >= 2 for each in lists)
        are_lists = are_lists and len(self.seats) == len(self.verbs)
        texts = [self.unit, self.private, self.public]
        flags = (self.has_chips, self.has_forced_moves)
        if are_lists:
            texts += [*self.seats, *self.verbs]
        is_sound = are_lists and all(isinstance(flag, bool) for flag in flags)
        is_sound = is_sound and all(is_term(text) for text in texts)
        if not is_sound or not is_term(self.rules, _MAX_RULES):
            raise GameError(
                f"{shortened(self)} are not the terms of a game: unit, private and public are "
                f"texts of at most {_MAX_LENGTH} characters, seats and verbs are one of them for "
                "each player, "
                f"rules is one line of at most {_MAX_RULES} characters, has_chips and "
                "has_forced_moves are True or False"
            )

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the players as titles, with a capital letter: `Player 0`."""
        return tuple(seat[:1].upper() + seat[1:] for seat in self.seats)

    def for_players(self, num_players: int) -> "Terms":
        """Return the terms for a game of so many players; default seats get further ones.

        Raises GameError if the seats that a game names are not as many.
        """
        if len(self.seats) == num_players:
            return self
        if self.seats != Terms.seats or self.verbs[0] != self.verbs[1]:
            raise GameError(
                f"the terms name {len(self.seats)} seats, and the game has {num_players} players; "
                "name a seat and a verb for each"
            )
        seats = tuple(f"player {player}" for player in range(num_players))
        return replace(self, seats=seats, verbs=self.verbs[:1] * num_players)

    def values_text(self, values: tuple[float, ...], form: str, *, is_zero_sum: bool) -> str:
        """Return the value of the first player; of each by name, if `is_zero_sum` is false."""
        if is_zero_sum and len(values) == 2:
            return f"value {values[0]:{form}}"
        pairs = zip(self.seats, values, strict=True)
        return "values " + ", ".join(f"{seat} {value:{form}}" for seat, value in pairs)

    def to_json(self) -> dict[str, Any]:
        """Return the terms in the form of run.json and the page."""
        return asdict(self) | {"seats": list(self.seats), "verbs": list(self.verbs)}


def terms_of(game: object) -> Terms:
    """Return the terms that a game declares, the defaults if it declares none."""
    terms = getattr(game, "terms", None)
    if terms is None:
        terms = Terms()
    if not isinstance(terms, Terms):
        raise GameError(f"the attribute terms is {shortened(terms)}; it must be an untilt Terms")
    return terms.for_players(2 if game is None else num_players_of(game))


def terms_from_json(given: object, source: str) -> Terms:
    """Return the terms of a file; raise FormatError, naming `source`, if they are not valid."""
    try:
        assert isinstance(given, Mapping)
        # Runs written before games had verbs and rules get the defaults.
        pairs = {name: tuple(given[name]) for name in ("seats", "verbs") if name in given}
        assert "seats" in pairs
        return Terms(**{**given, **pairs})
    except (AssertionError, GameError, KeyError, TypeError):
        raise FormatError(f"{source} is damaged (the terms of its game)") from None


class Chips(NamedTuple):
    """The money on the table at one position, in the game's unit."""

    pot: float
    """The chips that were put in before this street."""
    bets: tuple[float, ...]
    """Each player's bet on this street, including blinds."""
    stacks: tuple[float | None, ...]
    """Each player's stack; None where a game sets no limit."""


def chips_of(position: object) -> Chips | None:
    """Return the money on the table, None for a game without chips."""
    chips = getattr(position, "chips", None)
    return chips if isinstance(chips, Chips) else None


def is_term(text: object, most: int = _MAX_LENGTH) -> bool:
    """Whether a text may be used in the terms of a game: printable and short."""
    return isinstance(text, str) and text.isprintable() and len(text) <= most
