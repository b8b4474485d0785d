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

from untilt.errors import UntiltError
from untilt.game.actions import Kind
from untilt.game.protocol import Action, Game
from untilt.games.holdem.game import Holdem
from untilt.games.kuhn import Kuhn
from untilt.games.leduc import Leduc
from untilt.play.engines.bot import Bot, BotReport
from untilt.play.engines.engine_connection import Link
from untilt.play.engines.mirrored_hand import Mismatch, Replica, replica_of
from untilt.policy.hands.turn import data_of

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
        return f"{state.text}:{self._letters(position, action)}"

    def _seat_of(self, position: int) -> int:
        return 1 - position if self._limits is not None else position

    def _follow(self, state: MatchState) -> None:
        """Make the moves that are new since the last message."""
        known = len(self._moves)
        if state.moves[:known] != self._moves:
            raise Mismatch("the betting has changed")
        for letter, amount in state.moves[known:]:
            if self._replica.position.chance:
                self._replica.show(self._board_now(state.board))
            self._replica.move(letter, self._on_street(amount))
        self._moves = state.moves
        self._replica.show(self._board_now(state.board))

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


def play_acpc(bot: Bot, host: str, port: int, *, wait: float = 10.0) -> BotReport:
    """Play a match in the ACPC dealer at `host` and `port`, and return the report.

    Raises EngineError if there is no dealer, if it disappears, or if it sends rubbish.

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
                raise link.rubbish(
                    line, f"{error}; is it a game of {bot.game.described}?"
                ) from error
            if answer is not None:
                link.send(f"{answer}\r\n")
        if not player.is_between_hands:
            raise link.gone("in the middle of a hand")
    return bot.report


def game_definition(root: Game) -> str:
    """Return the definition of a game for the dealer, as the content of a .game file."""
    if isinstance(root, Kuhn):
        stakes = (root.rules.ante, root.rules.bet)
        if not all(stake.is_integer() for stake in stakes):
            raise UntiltError(f"the dealer has whole chips, not an ante and a bet of {stakes}")
        ante, bet = (f"{stake:.0f}" for stake in stakes)
        fields = _fields(
            "limit",
            f"{ante} {ante}",
            1,
            root.rules.cards,
            1,
            raise_sizes=bet,
            max_raises="1",
            board="0",
        )
    elif isinstance(root, Leduc):
        rules = root.rules
        if rules.ranks > 13:
            raise UntiltError(f"the dealer has 13 ranks, not {rules.ranks}")
        fields = _fields(
            "limit",
            "1 1",
            2,
            rules.ranks,
            1,
            raise_sizes="2 4",
            max_raises=f"{rules.bets} {rules.bets}",
            board="0 1",
            suits=2,
        )
    elif isinstance(root, Holdem):
        fields = _holdem_fields(root)
    else:
        raise UntiltError(f"the dealer does not play {type(root).__name__}")
    lines = [f"{name} = {value}" if value else name for name, value in fields.items()]
    return "\n".join(["GAMEDEF", *lines, "END GAMEDEF"]) + "\n"


def _fields(
    betting: str,
    blinds: str,
    rounds: int,
    ranks: int,
    held: int,
    *,
    board: str,
    raise_sizes: str = "",
    max_raises: str = "",
    first: str = "",
    stacks: str = "",
    suits: int = 1,
) -> dict[str, str]:
    fields = {betting: "", "numPlayers": "2", "numRounds": str(rounds)}
    if stacks:
        fields["stack"] = stacks
    fields["blind"] = blinds
    if raise_sizes:
        fields["raiseSize"] = raise_sizes
    fields["firstPlayer"] = first or " ".join(["1"] * rounds)
    if max_raises:
        fields["maxRaises"] = max_raises
    return fields | {
        "numSuits": str(suits),
        "numRanks": str(ranks),
        "numHoleCards": str(held),
        "numBoardCards": board,
    }


def _holdem_fields(root: Holdem) -> dict[str, str]:
    rules = root.rules
    rounds = len(rules.board_cards)
    if rules.red_runs_on or rules.ante or rounds > 4 or rules.suits < 4:
        raise UntiltError(
            "the dealer plays hold'em of at most four streets with four suits and without antes, "
            "and not River of Blood"
        )
    raise_sizes = max_raises = ""
    if rules.limit is not None:
        by_street = [rules.limit[min(street, len(rules.limit) - 1)] for street in range(rounds)]
        raise_sizes = " ".join(map(str, by_street))
    if rules.max_raises is not None:
        # The dealer does not count a blind as a bet.
        counts = [rules.max_raises, *[rules.max_raises + 1] * (rounds - 1)]
        max_raises = " ".join(map(str, counts))
    return _fields(
        "nolimit" if rules.limit is None else "limit",
        f"{rules.blinds[1]} {rules.blinds[0]}",
        rounds,
        rules.ranks,
        2,
        board=" ".join(map(str, rules.board_cards)),
        raise_sizes=raise_sizes,
        max_raises=max_raises,
        first=" ".join(["2", *["1"] * (rounds - 1)]),
        stacks="" if rules.limit is not None else f"{rules.stacks[1]} {rules.stacks[0]}",
        suits=rules.suits,
    )
