"""The protocol of the Annual Computer Poker Competition, version 2.0.0.

A player connects to the dealer and sends `VERSION:2.0.0`. After every action the dealer sends both
players the whole hand as each of them sees it:

    MATCHSTATE:0:31:cr200c/:|TsJd/2h8h5h        position, number of the hand, betting, cards

Whoever is to act answers with the same line followed by `:f`, `:c` or `:r`, in no-limit games
`:r400`: the total that the player has put into the pot in the whole hand. Position 0 is the big
blind of heads-up hold'em, and the first to act in Kuhn and Leduc. The dealer closes the connection
after the last hand.
"""

import re
from dataclasses import dataclass

from untilt.game.actions import Kind
from untilt.game.protocol import Action, Game
from untilt.games.holdem.game import Holdem
from untilt.play.engines.bot import Bot, BotReport
from untilt.play.engines.engine_connection import Link
from untilt.play.engines.mirrored_hand import Mismatch, Replica, replica_of
from untilt.policy.hands.turn import data_of
from untilt.policy.saved.match_game import MatchGame

VERSION = "VERSION:2.0.0"
ENGINE = "ACPC dealer"

_STATE = re.compile(
    r"MATCHSTATE:(?P<position>[01]):(?P<hand>\d{1,12}):(?P<betting>(?:[fc/]|r\d{0,12})*):"
    r"(?P<first>(?:[2-9TJQKA][cdhs])*)\|(?P<second>(?:[2-9TJQKA][cdhs])*)"
    r"(?P<board>(?:/(?:[2-9TJQKA][cdhs])*)*)"
)
_MOVE = re.compile(r"([fcr])(\d*)")
_LETTER_OF = {Kind.FOLD: "f", Kind.CHECK: "c", Kind.CALL: "c"}


@dataclass(frozen=True)
class MatchState:
    """A message of the dealer."""

    text: str
    position: int
    """0 or 1, as the dealer counts."""
    hand: int
    moves: tuple[tuple[str, int | None], ...]
    """Letter and amount of each move; the amount is the total of the whole hand."""
    cards: tuple[str, str]
    """By position; empty if hidden."""
    board: str

    @classmethod
    def parse(cls, line: str) -> "MatchState":
        """Return the state that a line describes; raise Mismatch if it is not one."""
        found = _STATE.fullmatch(line)
        if found is None:
            raise Mismatch("expected MATCHSTATE:position:hand:betting:cards")
        moves = _MOVE.findall(found["betting"])
        return cls(
            line,
            int(found["position"]),
            int(found["hand"]),
            tuple((letter, int(amount) if amount else None) for letter, amount in moves),
            (found["first"], found["second"]),
            found["board"].replace("/", ""),
        )


class AcpcPlayer:
    """Follows the dealer's messages and answers them."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._replica: Replica = replica_of(bot.game.root)
        root = bot.game.root
        self._limits = root.rules if isinstance(root, Holdem) else None
        self._hand: tuple[int, int] | None = None
        self._moves: tuple[tuple[str, int | None], ...] = ()
        self._sent: tuple[int, str] | None = None
        """The last answer, and the number of moves before it."""
        self.is_between_hands = True
        """Whether the last hand is over, so that the match may end."""

    def answer(self, line: str) -> str | None:
        """Return the answer to a line of the dealer; None if it needs none.

        Raises Mismatch if the line is not possible in the game.
        """
        if line.startswith(("#", ";")) or not line.strip():
            return None
        state = MatchState.parse(line)
        seat = self._seat_of(state.position)
        if self._hand != (state.hand, state.position):
            if not self.is_between_hands:
                raise Mismatch("the hand before is not over yet")
            self._sent = None
            self._hand, self._moves = (state.hand, state.position), ()
            self.is_between_hands = False
            self._replica.begin(seat, state.cards[state.position])
            self._bot.begin(seat)
        self._follow(state)
        position = self._replica.position
        if position.terminal:
            if not self.is_between_hands:
                self.is_between_hands = True
                self._bot.end(self._replica.gain(state.cards[1 - state.position] or None))
            return None
        if position.chance or position.active != seat:
            return None
        action = self._bot.choose(position)
        letters = self._letters(position, action)
        self._sent = len(self._moves), letters
        return f"{state.text}:{letters}"

    def _seat_of(self, position: int) -> int:
        return 1 - position if self._limits is not None else position

    def _follow(self, state: MatchState) -> None:
        """Make the moves that are new since the last message."""
        known = len(self._moves)
        if state.moves[:known] != self._moves:
            raise Mismatch("the betting has changed")
        self._verify_sent(state)
        for letter, amount in state.moves[known:]:
            if self._replica.position.chance:
                self._replica.show(self._board_now(state.board))
            self._replica.move(letter, self._on_street(amount))
        self._moves = state.moves
        self._replica.show(self._board_now(state.board))
        position = self._replica.position
        if isinstance(position, Holdem) and not (position.terminal or position.chance):
            street = state.text.split(":")[3].count("/")
            if street != position.betting.street:
                raise Mismatch("the betting of a street ends where somebody could still bet")

    def _verify_sent(self, state: MatchState) -> None:
        """Raise Mismatch if the dealer has changed the last answer, because it was not legal."""
        if self._sent is None or len(state.moves) <= self._sent[0]:
            return
        letter, amount = state.moves[self._sent[0]]
        taken = letter if amount is None else f"{letter}{amount}"
        if taken != self._sent[1]:
            raise Mismatch(f"our {self._sent[1]} was taken for {taken}")

    def _on_street(self, total: int | None) -> int | None:
        """Return a raise to `total` in the whole hand as an amount on the street."""
        if self._limits is None or total is None:
            return None
        return total - self._spent_before(self._replica.position)

    def _board_now(self, board: str) -> str:
        """Return the part of the board that has been dealt at the replica's position."""
        position = self._replica.position
        if not isinstance(position, Holdem):
            return board
        shown = len(position.board)
        if position.chance and not position.betting.is_all_in:
            shown += position.rules.num_dealt_next(position.board)
            return board[: 2 * shown]
        return board if position.chance else board[: 2 * shown]

    def _spent_before(self, position: Game) -> int:
        """Return what the player to act has put in on earlier streets."""
        assert isinstance(position, Holdem)
        betting, player = position.betting, position.active
        if player < 0:
            raise Mismatch("nobody has to act")
        return position.rules.stacks[player] - betting.stacks[player] - betting.bets[player]

    def _letters(self, position: Game, action: Action) -> str:
        data = data_of(action)
        if data.kind in _LETTER_OF:
            return _LETTER_OF[data.kind]
        if self._limits is None or self._limits.is_limit:
            return "r"
        assert data.amount is not None
        return f"r{int(data.amount) + self._spent_before(position)}"


def play_acpc(
    bot: Bot, host: str, port: int, *, wait: float = 10.0, is_assumed: bool = False
) -> BotReport:
    """Play a match in the ACPC dealer at `host` and `port`, and return the report.

    `is_assumed` says that the stakes are not known for certain; it belongs to the message of an
    amount that contradicts them. Raises EngineError if there is no dealer, if it disappears, or if
    it sends rubbish.

    >>> from untilt.play import Bot, load_agents, named_game, parse_agent, play_acpc
    >>> game, [agent] = load_agents([parse_agent("random")], named_game("kuhn", {}))
    >>> play_acpc(Bot(game, agent, seed=1), "localhost", 9, wait=0.0)
    Traceback (most recent call last):
    untilt.errors.EngineError: no ACPC dealer answers at localhost:9 (Connection refused); start it
    first, and check host and port
    """
    player = AcpcPlayer(bot)
    bot.warm_up()
    with Link.open(host, port, engine=ENGINE, wait=wait) as link:
        link.send(f"{VERSION}\r\n")
        while (line := link.receive()) is not None:
            try:
                answer = player.answer(line)
            except Mismatch as error:
                raise link.rubbish(line, _why(error, bot.game, is_assumed=is_assumed)) from error
            if answer is not None:
                link.send(f"{answer}\r\n")
        if not player.is_between_hands:
            raise link.gone("in the middle of a hand")
    return bot.report


def _why(error: Mismatch, game: MatchGame, *, is_assumed: bool) -> str:
    """Return why a message is not possible, and what may be wrong."""
    if is_assumed and isinstance(game.root, Holdem):
        return (
            f"{error} in the game that was assumed, {game.root.rules}; give the dealer's "
            "definition: --game-file FILE"
        )
    return f"{error}; is it a game of {game.described}?"
