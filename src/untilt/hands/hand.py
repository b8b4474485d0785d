"""A hand of hold'em as it was played at some table: who held what, did what and won what.

Players are in the order of the blinds: player 0 is the small blind and the last one the button; of
two players, player 0 is the big blind and player 1 the button and small blind, unless the record
says that they posted the other way round. Chips are integers in the smallest unit, such as cents.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from untilt.cards.card import card_name
from untilt.formats.exchange.phh import FIXED_LIMIT, NO_LIMIT, HandHistory, PhhAction, Verb

MOST_PLAYERS = 10
"""At one table."""

STREET_NAMES = ("preflop", "flop", "turn", "river")
BOARD_SIZES = (0, 3, 4, 5)
"""Cards on the board on each street."""

LIMITS = {NO_LIMIT: "no limit", FIXED_LIMIT: "limit"}
"""The variants of hold'em that are read, by their codes in the PHH format."""

ROW_COLUMNS = (
    *("site", "number", "played", "table", "tournament", "players", "big_blind", "player"),
    *("position", "is_hero", "hand", "board", "line", "stack", "pot", "won"),
)
"""Of the table of players; the big blind is in the currency, chips are in big blinds."""

HERO_FIELD, SCALE_FIELD = "_hero", "_chips_per_unit"
"""Fields of ours in the PHH format: whose cards the record shows, and chips per unit."""

_MIDDLE = ("UTG", "UTG+1", "UTG+2", "UTG+3", "LJ", "HJ", "CO")


class HandMove(StrEnum):
    """A player's move; the value is its letter in a line, a capital for all one's chips."""

    FOLD = "f"
    CHECK = "x"
    CALL = "c"
    BET = "b"
    RAISE = "r"


MOVE_WORDS = {"fold": "f", "check": "x", "call": "c", "bet": "b", "raise": "r"}
"""The letters of moves by their names."""


class HandAction(NamedTuple):
    """A player's action."""

    player: int
    move: HandMove
    amount: int
    """What the player has put in on this street, after the action."""
    is_all_in: bool

    @property
    def letter(self) -> str:
        """Its letter in a line, a capital for all of the player's chips."""
        return self.move.upper() if self.is_all_in else self.move.value


Street = tuple[HandAction, ...]
Hole = tuple[int, int]


@dataclass(frozen=True, slots=True, repr=False)
class RecordedHand:
    """A hand as a site or program recorded it; see the module. Lists are by player."""

    site: str
    """Such as `PokerStars`; of a file in the PHH format, its venue."""
    number: str
    """The number of the hand at the site; empty if it has none."""
    variant: str
    """NT (no limit) or FT (limit)."""
    players: tuple[str, ...]
    seats: tuple[int, ...]
    """Their seat numbers; empty if unknown."""
    stacks: tuple[int | None, ...]
    """Chips before the hand; None if the record does not tell."""
    antes: tuple[int, ...]
    """Dead money that each player posted: antes, and blinds that are not part of a bet."""
    posts: tuple[int, ...]
    """Live blinds that each player posted."""
    sizes: tuple[int, ...]
    """The big blind, or the small bet and the big bet of a limit game."""
    streets: tuple[Street, ...]
    """The actions of each street that was dealt."""
    cards: tuple[Hole | None, ...]
    """What each player held; None if it was not shown."""
    board: tuple[int, ...]
    returned: tuple[int, ...]
    """What each player got back of a bet that nobody called."""
    won: tuple[int, ...] | None
    """What each player collected; None if the record does not tell."""
    rake: int = 0
    """What the house took, less what it added."""
    scale: int = 1
    """Chips per unit of the currency: 100 if chips are cents."""
    currency: str = ""
    """Its sign or code; empty for chips without one."""
    hero: int | None = None
    """The player whose cards the record shows from the beginning."""
    played: datetime | None = None
    """When, by the clock of the site."""
    table: str = ""
    tournament: str = ""
    """Its number; empty at a cash game."""
    source: str = field(default="", compare=False)
    """The file that it was read from."""
    row: int = field(default=0, compare=False)
    """The line of the file on which it begins, from 1."""

    @property
    def big_blind(self) -> int:
        """The big blind, or the small bet of a limit game."""
        return self.sizes[0]

    @property
    def num_players(self) -> int:
        """Players who were dealt in."""
        return len(self.players)

    @property
    def known_stacks(self) -> tuple[int, ...] | None:
        """The stacks; None if one is not known."""
        known = tuple(stack for stack in self.stacks if stack is not None)
        return known if len(known) == self.num_players else None

    @property
    def pot(self) -> int:
        """All chips that were bet, without what was returned."""
        return sum(self.paid)

    @property
    def paid(self) -> tuple[int, ...]:
        """What each player put into the pot, without what was returned."""
        paid = [ante - back for ante, back in zip(self.antes, self.returned, strict=True)]
        for number, street in enumerate(self.streets):
            on_street = list(self.posts) if number == 0 else [0] * self.num_players
            for action in street:
                on_street[action.player] = action.amount
            paid = [total + more for total, more in zip(paid, on_street, strict=True)]
        return tuple(paid)

    @property
    def gains(self) -> tuple[int, ...] | None:
        """What each player won or lost; None if the record does not tell."""
        if self.won is None:
            return None
        return tuple(won - paid for won, paid in zip(self.won, self.paid, strict=True))

    @property
    def line(self) -> str:
        """The betting: `2r0f1c/1x2b1f`, a player and a letter per action, streets divided by `/`.

        Letters are those of `HandMove`; capitals are all-in.
        """
        return "/".join(
            "".join(f"{action.player}{action.letter}" for action in street)
            for street in self.streets
        )

    @property
    def positions(self) -> tuple[str, ...]:
        """The names of the players' positions, such as BTN."""
        return position_names(self.num_players, self.due)

    @property
    def due(self) -> int:
        """The player with the big blind."""
        return big_blind_of(self.posts, self.big_blind)

    @property
    def button(self) -> int:
        """The player on the button."""
        return self.num_players - 1

    @property
    def title(self) -> str:
        """The site and number of the hand, or its place in a file."""
        if self.number:
            return f"{self.site} #{self.number}"
        return f"{self.site}, {self.source}:{self.row}" if self.source else self.site

    def __repr__(self) -> str:
        board = "".join(map(card_name, self.board))
        on_board = f" on {board}" if board else ""
        pot = self.pot / self.big_blind
        return f"<Hand {self.title}: {self.num_players} players{on_board}, pot {pot:.4g} bb>"

    def to_json(self) -> dict[str, Any]:
        """Return the hand as plain data; chips are in its smallest unit."""
        return {
            "site": self.site,
            "number": self.number,
            "variant": self.variant,
            "played": None if self.played is None else self.played.isoformat(),
            "table": self.table,
            "tournament": self.tournament or None,
            "currency": self.currency,
            "scale": self.scale,
            "big_blind": self.big_blind,
            "players": list(self.players),
            "positions": list(self.positions),
            "seats": list(self.seats),
            "stacks": list(self.stacks),
            "antes": list(self.antes),
            "posts": list(self.posts),
            "hero": self.hero,
            "hands": [None if held is None else _text(held) for held in self.cards],
            "board": _text(self.board),
            "line": self.line,
            "streets": [
                [
                    {
                        "player": each.player,
                        "move": each.move.name.lower(),
                        "amount": each.amount,
                        "is_all_in": each.is_all_in,
                    }
                    for each in street
                ]
                for street in self.streets
            ],
            "pot": self.pot,
            "rake": self.rake,
            "won": None if self.won is None else list(self.won),
            "gains": None if self.gains is None else list(self.gains),
            "source": self.source,
            "row": self.row,
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row of a table for each player; its columns are `ROW_COLUMNS`."""
        gains = self.gains
        for player, name in enumerate(self.players):
            held, stack = self.cards[player], self.stacks[player]
            cells = (
                self.site,
                self.number,
                self.played,
                self.table,
                self.tournament,
                self.num_players,
                self.big_blind / self.scale,
                name,
                self.positions[player],
                player == self.hero,
                "" if held is None else _text(held),
                _text(self.board),
                self.line,
                math.nan if stack is None else stack / self.big_blind,
                self.pot / self.big_blind,
                math.nan if gains is None else gains[player] / self.big_blind,
            )
            yield dict(zip(ROW_COLUMNS, cells, strict=True))

    def to_history(self) -> HandHistory:
        """Return the hand in the PHH format, for `format_phh` and `untilt.review`."""
        actions = [
            PhhAction(Verb.DEAL_HAND, player, (None, None) if held is None else held)
            for player, held in enumerate(self.cards)
        ]
        shown = 0
        last_bet = max((n for n, street in enumerate(self.streets) if street), default=0)
        for number, street in enumerate(self.streets):
            size = BOARD_SIZES[number]
            if size:
                actions.append(PhhAction(Verb.DEAL_BOARD, cards=self.board[shown:size]))
                shown = size
            actions.extend(map(_phh_action, street))
            if number == last_bet:
                # Hands are shown when the betting is over, before the rest of the board is dealt.
                actions.extend(self._showdown())
        antes, posts = list(self.antes), self._nominal_posts()
        if self.num_players == 2:
            antes.reverse()
            posts.reverse()
        else:
            # A blind of a player who is not due is live, and the format marks it by its sign.
            due = self.due
            posts = [post if player <= due else -post for player, post in enumerate(posts)]
        fields: dict[str, Any] = {"venue": self.site, "players": self.players}
        if self.number:
            fields["hand"] = int(self.number) if self.number.isdecimal() else self.number
        if self.seats:
            fields["seats"] = self.seats
        if self.table:
            fields["table"] = self.table
        if self.tournament:
            fields["tournament"] = self.tournament
        if self.currency:
            fields["currency"] = self.currency
        if self.played is not None:
            when = self.played
            fields |= {"time": when.time(), "day": when.day, "month": when.month, "year": when.year}
        if self.hero is not None:
            fields[HERO_FIELD] = self.hero + 1
        if self.won is not None and self.gains is not None:
            fields["winnings"] = list(self.won)
            if self.known_stacks is not None:
                fields["finishing_stacks"] = [
                    stack + gain for stack, gain in zip(self.known_stacks, self.gains, strict=True)
                ]
        if self.scale != 1:
            fields[SCALE_FIELD] = self.scale
        return HandHistory(
            variant=self.variant,
            antes=tuple(antes),
            blinds=tuple(posts),
            sizes=self.sizes,
            stacks=self.stacks,
            actions=tuple(actions),
            fields=fields,
            source=self.title,
        )

    @property
    def contenders(self) -> tuple[int, ...]:
        """The players who did not fold."""
        folded = {
            action.player
            for street in self.streets
            for action in street
            if action.move is HandMove.FOLD
        }
        return tuple(player for player in range(self.num_players) if player not in folded)

    def _showdown(self) -> Iterator[PhhAction]:
        contenders = self.contenders
        if len(contenders) < 2:
            return
        for player in contenders:
            if self.cards[player] is not None:
                yield PhhAction(Verb.SHOW, player, (None, None))
            elif self.won is not None and not self.won[player]:
                yield PhhAction(Verb.SHOW, player)  # mucks

    def _nominal_posts(self) -> list[int]:
        """Return the blinds as the format states them: whole, also if a stack is too short."""
        posts = list(self.posts)
        due = self.due
        if posts[due] and posts[due] + self.antes[due] == self.stacks[due]:
            posts[due] = max(posts[due], self.big_blind)
        return posts


def big_blind_of(posts: Sequence[int], big_blind: int) -> int:
    """Return the player with the big blind; posting less means having no more chips."""
    if len(posts) == 2:
        return int(posts[1] > posts[0] and posts[1] >= big_blind)
    if posts[0] >= big_blind or (posts[0] and not posts[1]):
        return 0
    return 1


def position_names(num_players: int, due: int) -> tuple[str, ...]:
    """Return the names of positions in the order of the players; `due` has the big blind."""
    if num_players == 2:
        return ("SB", "BB") if due else ("BB", "BTN")
    blinds = ("SB", "BB") if due else ("BB",)
    middle = num_players - len(blinds) - 1
    return (*blinds, *_MIDDLE[len(_MIDDLE) - middle :], "BTN")


def _phh_action(action: HandAction) -> PhhAction:
    if action.move is HandMove.FOLD:
        return PhhAction(Verb.FOLD, action.player)
    if action.move in (HandMove.CHECK, HandMove.CALL):
        return PhhAction(Verb.CALL, action.player)
    return PhhAction(Verb.RAISE, action.player, amount=action.amount)


def _text(cards: Sequence[int]) -> str:
    return "".join(map(card_name, cards))


Hand = RecordedHand
"""Its public name."""
