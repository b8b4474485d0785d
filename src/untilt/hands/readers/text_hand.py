"""A hand in the words of a site, read line by line with its table of phrases.

Lines that name no player and no section, such as chat, are skipped: if one of them mattered, the
chips would not add up, or a player would act out of turn.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from untilt.cards.card import parse_cards
from untilt.errors import FormatError, shortened
from untilt.hands.hand import BOARD_SIZES, MOST_PLAYERS, HandMove, Hole, RecordedHand
from untilt.hands.ledger import Ledger
from untilt.hands.readers.amounts import AMOUNT, chips_in
from untilt.hands.readers.phrases import BOARD_SECTIONS, Phrases, Post, Section, Word

_AMOUNT = re.compile(AMOUNT)
_CARDS = re.compile(r"\[([^\[\]]*)\]")
_SECTION = re.compile(r"\*\*\* ([A-Z][A-Z -]*?) \*\*\*")
_MOVES = {Word.FOLD: HandMove.FOLD, Word.CHECK: HandMove.CHECK, Word.CALL: HandMove.CALL}
_MOST_LINES = 2_000
_HIDDEN = "XX"
"""A card that was not shown, as some programs write it."""


def read_text_hand(lines: Sequence[str], phrases: Phrases, source: str, row: int) -> RecordedHand:
    """Return the hand of these lines, the first of which is the header.

    Raises FormatError with the reason if it cannot be read.
    """
    if len(lines) > _MOST_LINES:
        raise FormatError(f"it has more than {_MOST_LINES:,} lines")
    return _TextHand(phrases, lines[0]).read(lines, source, row)


class _TextHand:
    """A hand while it is read."""

    def __init__(self, phrases: Phrases, header: str) -> None:
        self.phrases = phrases
        found = phrases.begins.match(header)
        if found is None:
            raise FormatError(f"{shortened(header)} is not the first line of a hand")
        self.number: str = found["number"]
        self.tournament: str = found["tournament"] or ""
        rest = header[found.end() :]
        self.variant = self._variant(rest)
        if phrases.cap.search(rest):
            raise FormatError("a pot with a cap cannot be read")
        stakes = phrases.stakes.search(rest)
        if stakes is None:
            raise FormatError(f"the stakes in {shortened(header)} cannot be read")
        small, big = stakes["small"], stakes["big"]
        sign = stakes["sign"] or ""
        is_money = bool(sign) or "." in big or "." in small
        self.scale = 100 if is_money and not self.tournament else 1
        self.currency: str = "" if self.tournament else (stakes["code"] or sign)
        blinds = chips_in(small, self.scale), chips_in(big, self.scale)
        self.sizes = blinds if self.variant == "FT" else blinds[1:]
        if not 0 < blinds[0] <= blinds[1]:
            raise FormatError(f"blinds of {small} and {big} are not possible")
        self.played = self._time(rest)
        self.table = ""
        self.button = 0
        self.seats: dict[str, tuple[int, int]] = {}
        self.antes: dict[str, int] = {}
        self.live: dict[str, int] = {}
        self.big_blinds: list[str] = []
        self.has_small_blind = False
        self.moves: list[tuple[str, Word, int, bool] | tuple[int, ...]] = []
        self.acted: set[str] = set()
        self.cards: dict[str, Hole] = {}
        self.hero = ""
        self.returned: dict[str, int] = {}
        self.won: dict[str, int] = {}
        self.added = 0
        self.total: int | None = None
        self.fees = 0
        self.bets = {0, self.sizes[0]}
        """Bets on this street so far."""
        self.board: tuple[int, ...] = ()

    def read(self, lines: Sequence[str], source: str, row: int) -> RecordedHand:
        """Return the hand."""
        section: Section | None = None
        for line in lines[1:]:
            if line.startswith("***"):
                section = self._section(line)
            elif section is None:
                self._opening(line)
            elif section is Section.SUMMARY:
                self._summary(line)
            else:
                self._line(line)
        if section is not Section.SUMMARY or self.total is None:
            raise FormatError("it is cut off: there is no summary")
        return self._hand(source, row)

    def _variant(self, header: str) -> str:
        phrases = self.phrases
        for name, code in phrases.games.items():
            if name in header and not any(other in header for other in phrases.other_games):
                return code
        game = header.partition(" (")[0].rpartition(", ")[2].strip()
        raise FormatError(
            f"the game is {shortened(game)}; hold'em can be read, no limit or limit, 52 cards"
        )

    def _time(self, header: str) -> datetime | None:
        found = self.phrases.when.search(header)
        if found is None:
            return None
        year, month, day, hour, minute, second = map(int, found.groups())
        try:
            return datetime(year, month, day, hour, minute, second)
        except ValueError:
            raise FormatError(f"{found[0].strip(' -')} is not a date") from None

    def _chips(self, text: str) -> int:
        return chips_in(text, self.scale)

    def _player_of(self, line: str) -> tuple[str, str] | None:
        """Return the player that a line begins with, and what follows; names may contain `: `."""
        place = line.find(": ")
        while place > 0:
            if line[:place] in self.seats:
                return line[:place], line[place + 2 :]
            place = line.find(": ", place + 2)
        return None

    def _opening(self, line: str) -> None:
        """Read a line before the cards are dealt: the table, a seat or a blind."""
        phrases = self.phrases
        if line.startswith("Seat "):
            found = phrases.seat.match(line)
            if found is None:
                return
            name = found["name"]
            if name in self.seats:
                raise FormatError(f"two players are called {shortened(name)}")
            seat = int(found["seat"])
            if any(seat == other for other, _ in self.seats.values()):
                raise FormatError(f"seat {seat} is taken twice")
            self.seats[name] = seat, self._chips(found["stack"])
        elif line.startswith("Table "):
            table = phrases.table.match(line)
            self.table = "" if table is None else table["table"]
            button = phrases.button.search(line)
            if button is not None:
                self.button = int(button[1])
        else:
            self._line(line)

    def _section(self, line: str) -> Section:
        found = _SECTION.match(line)
        name = found[1] if found else line.strip("* ")
        for beginning, what in self.phrases.refused.items():
            if name.startswith(beginning):
                raise FormatError(f"{what} cannot be read")
        section = self.phrases.sections.get(name)
        if section is None:
            raise FormatError(f"the section {shortened(name)} is not known")
        if section in BOARD_SECTIONS:
            street = BOARD_SECTIONS.index(section) + 1
            given = [_cards_in(each) for each in _CARDS.findall(line)]
            cards = tuple(card for each in given for card in each)
            known = len(self.board)
            is_next = len(cards) == BOARD_SIZES[street] and known == BOARD_SIZES[street - 1]
            # Some programs sort the cards of the flop when they repeat them.
            if not is_next or set(cards[:known]) != set(self.board):
                raise FormatError(f"the board of the {name.lower()} cannot be read")
            self.board += cards[known:]
            self.bets = {0}
            self.moves.append(cards)
        return section

    def _line(self, line: str) -> None:
        """Read a line of play."""
        found = self._player_of(line)
        if found is not None:
            name, text = found
            word = self.phrases.words.get(text.partition(" ")[0])
            if word is not None:
                self._act(name, word, text)
                return
            self._refuse(text)
        elif line.startswith(self.phrases.dealt):
            self._dealt(line[len(self.phrases.dealt) :])
            return
        self._aside(line)

    def _refuse(self, text: str) -> None:
        for beginning, what in self.phrases.refused.items():
            if text.startswith(beginning):
                raise FormatError(f"{what} cannot be read")

    def _act(self, name: str, word: Word, text: str) -> None:
        if word is Word.SHOW:
            found = _CARDS.search(text)
            if found is not None:
                self._reveal(name, found[1])
            return
        if word is Word.POST:
            self._post(name, text)
            return
        amounts = _AMOUNT.findall(text)
        is_all_in = self.phrases.all_in in text
        amount = 0
        if word is Word.RAISE:
            if len(amounts) != 2:
                raise FormatError(f"{shortened(text)} does not say by how much and to what")
            by, amount = map(self._chips, amounts)
            # One of the two numbers would do: the other shows whether a line is missing. It is
            # counted from the last bet, the last complete one, one's own, or nothing.
            if amount - by not in self.bets:
                raise FormatError(f"{name} {text}, which is from no bet that was made")
            self.bets.add(amount)
        elif word in (Word.BET, Word.CALL):
            if len(amounts) != 1:
                raise FormatError(f"{shortened(text)} does not say how much")
            amount = self._chips(amounts[0])
            if word is Word.BET:
                self.bets.add(amount)
        self.moves.append((name, word, amount, is_all_in))
        self.acted.add(name)

    def _post(self, name: str, text: str) -> None:
        self._refuse(text)
        phrases = self.phrases.posts
        beginning = next((each for each in phrases if text.startswith(each)), None)
        if beginning is None:
            raise FormatError(f"{shortened(text)} cannot be read")
        post = phrases[beginning]
        found = _AMOUNT.search(text, len(beginning))
        if found is None:
            raise FormatError(f"{shortened(text)} does not say how much")
        amount = self._chips(found[0])
        if post is Post.SMALL:
            if self.has_small_blind:
                post = Post.DEAD  # that of a player who missed it
            self.has_small_blind = True
        if post in (Post.ANTE, Post.DEAD):
            self.antes[name] = self.antes.get(name, 0) + amount
            return
        if post is Post.BOTH:
            dead = max(amount - self.sizes[0], 0)
            self.antes[name] = self.antes.get(name, 0) + dead
            amount -= dead
        if post is Post.BIG:
            self.big_blinds.append(name)
        self.live[name] = self.live.get(name, 0) + amount
        self.bets.add(self.live[name])

    def _dealt(self, text: str) -> None:
        name, bracket, cards = text.rpartition(" [")
        if not bracket or name not in self.seats:
            return
        self._reveal(name, cards.rstrip().removesuffix("]"))
        if not self.hero and self.phrases.hero in ("", name):
            self.hero = name

    def _reveal(self, name: str, text: str) -> None:
        cards = _cards_in(text)
        if len(cards) == 2:
            hole = cards[0], cards[1]
            known = self.cards.setdefault(name, hole)
            if set(known) != set(hole):
                raise FormatError(f"{name} has two different hands")
        elif len(cards) > 2:
            raise FormatError(f"{name} has {len(cards)} cards")

    def _aside(self, line: str) -> None:
        """Read a line that is not an action: chips that move, or anything else."""
        phrases = self.phrases
        if line.startswith("Uncalled "):
            found = phrases.uncalled.match(line)
            if found is None or found["name"] not in self.seats:
                raise FormatError(f"{shortened(line)} cannot be read")
            _add(self.returned, found["name"], self._chips(found["amount"]))
        elif " pot" in line:
            found = phrases.collected.match(line)
            if found is not None and found["name"] in self.seats:
                _add(self.won, found["name"], self._chips(found["amount"]))
        if phrases.added is not None:
            added = phrases.added.match(line)
            if added is not None:
                self.added += self._chips(added[1])

    def _summary(self, line: str) -> None:
        phrases = self.phrases
        if line.startswith("Seat "):
            if "[" not in line:
                return
            seat, _, text = line[5:].partition(": ")
            for name, (number, _) in self.seats.items():
                if seat == str(number) and text.startswith(name):
                    found = phrases.revealed.search(text, len(name))
                    if found is not None:
                        self._reveal(name, found[1])
            return
        total = phrases.total.match(line)
        if total is not None:
            self.total = self._chips(total["amount"])
            self.fees = sum(map(self._chips, phrases.fees.findall(line)))

    def _hand(self, source: str, row: int) -> RecordedHand:
        """Return the hand, its chips counted."""
        names = self._names()
        index = {name: player for player, name in enumerate(names)}
        stacks = [self.seats[name][1] for name in names]
        antes = [self.antes.get(name, 0) for name in names]
        posts = [self.live.get(name, 0) for name in names]
        due = [index[name] for name in self.big_blinds]
        last = min(due) if due and len(names) > 2 else None
        ledger = Ledger(names, stacks, antes, posts, self.sizes[0], last=last)
        for step in self.moves:
            if isinstance(step[0], int):
                ledger.close_street()
                ledger.open_street()
                continue
            name, word, amount, is_all_in = step
            _make(ledger, index[name], word, amount, is_all_in)
        ledger.close_street()
        won = self._settled(ledger, names)
        held = tuple(self.cards.get(name) for name in names)
        _verify_deck(held, self.board)
        return RecordedHand(
            site=self.phrases.site,
            number=self.number,
            variant=self.variant,
            players=tuple(names),
            seats=tuple(self.seats[name][0] for name in names),
            stacks=tuple(stacks),
            antes=tuple(antes),
            posts=tuple(posts),
            sizes=self.sizes,
            streets=tuple(ledger.streets),
            cards=held,
            board=self.board,
            returned=tuple(ledger.returned),
            won=won,
            rake=ledger.pot - sum(won),
            scale=self.scale,
            currency=self.currency,
            hero=index.get(self.hero),
            played=self.played,
            table=self.table,
            tournament=self.tournament,
            source=source,
            row=row,
        )

    def _names(self) -> list[str]:
        """Return the players who were dealt in, from the left of the button on."""
        present = self.acted | self.antes.keys() | self.live.keys()
        names = sorted(
            (name for name in self.seats if name in present), key=lambda name: self.seats[name]
        )
        if not 2 <= len(names) <= MOST_PLAYERS:
            raise FormatError(f"{len(names)} players take part; there must be 2 to {MOST_PLAYERS}")
        after = sum(self.seats[name][0] <= self.button for name in names)
        names = names[after:] + names[:after]
        if len(names) == 2:
            # The button posts the small blind; if its seat is not in the hand, the posts tell.
            is_button_in = self.seats[names[1]][0] == self.button
            if not is_button_in and self.live.get(names[1], 0) > self.live.get(names[0], 0):
                names.reverse()
        return names

    def _settled(self, ledger: Ledger, names: Sequence[str]) -> tuple[int, ...]:
        """Return what each player collected; FormatError if chips are missing or too many."""
        won = []
        for player, name in enumerate(names):
            chips = self.won.get(name, 0) + self.returned.get(name, 0) - ledger.returned[player]
            won.append(chips)
        if not self.returned and sum(won) + self.fees < ledger.pot + self.added:
            # The text does not count chips that were not called, neither as returned nor as won.
            won = [self.won.get(name, 0) for name in names]
        contenders = set(ledger.contenders)
        for player, chips in enumerate(won):
            if chips < 0:
                raise FormatError(f"{names[player]} gets back too few chips")
            if chips and player not in contenders:
                raise FormatError(f"{names[player]} collects chips after folding")
        if sum(won) + self.fees != ledger.pot + self.added:
            raise FormatError(
                f"chips are not conserved: {ledger.pot + self.added:,} were bet, "
                f"{sum(won):,} collected and {self.fees:,} taken as rake"
            )
        return tuple(won)


def _make(ledger: Ledger, player: int, word: Word, amount: int, is_all_in: bool) -> None:
    """Make an action as its line states it."""
    if word in (Word.BET, Word.RAISE):
        ledger.act(player, HandMove.BET if word is Word.BET else HandMove.RAISE, amount)
    elif word is Word.CALL:
        ledger.act(player, HandMove.CALL, ledger.bets[player] + amount)
    else:
        ledger.act(player, _MOVES[word])
    if is_all_in and ledger.left[player]:
        raise FormatError(f"{ledger.names[player]} is all-in with {ledger.left[player]:,} left")


def _add(counts: dict[str, int], name: str, amount: int) -> None:
    counts[name] = counts.get(name, 0) + amount


@lru_cache(maxsize=1 << 12)
def _cards_in(text: str) -> tuple[int, ...]:
    return () if _HIDDEN in text else tuple(parse_cards(text))


def _verify_deck(hands: Sequence[Hole | None], board: Sequence[int]) -> None:
    """Raise FormatError if a card is dealt twice."""
    cards = [*board, *(card for hand in hands if hand is not None for card in hand)]
    if len(set(cards)) < len(cards):
        raise FormatError("a card is dealt twice")
