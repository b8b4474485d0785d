"""A recorded hand, replayed by our rules.

A history names what was dealt and done; `untilt.formats.exchange.phh` reads it. Here every action
is made in the game, so an impossible one is detected and named. Histories may leave cards unknown
and may stop before the end.

With two players, player 1 of a history is the big blind, our player 1, and player 2 the button.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from untilt.errors import FormatError, GameError, UntiltError
from untilt.game.actions import ActionData
from untilt.games.holdem.betting import NOBODY
from untilt.games.holdem.game import Deal, Holdem, cards_text, highest_first
from untilt.games.holdem.rules import HoldemRules
from untilt.games.river_of_blood import RiverOfBlood

if TYPE_CHECKING:
    from untilt.formats.exchange.phh import HandHistory, PhhAction

GAME_FIELD = "_game"
"""The field of a history of River of Blood; user-defined fields begin with an underscore."""

RIVER_OF_BLOOD = "river-of-blood"

_LIMIT_RAISES = 3


@dataclass(frozen=True)
class ReplayStep:
    """A decision of a replayed hand."""

    position: Holdem
    """Before the decision; a hand that is not known is filled with other cards."""
    action: ActionData
    """The action, named as our rules name it."""
    comment: str

    @property
    def player(self) -> int:
        """The player who decided."""
        return self.position.active


@dataclass(frozen=True)
class Replay:
    """A replayed hand."""

    root: Holdem
    steps: tuple[ReplayStep, ...]
    end: Holdem
    """The position where the history stops."""
    is_known: tuple[bool, bool]
    """Whether the history contains the cards of each player."""
    gains: tuple[float, float] | None
    """The gain of each player in chips; None if the hand is not over, or if it is unknown."""

    def private(self, player: int) -> str | None:
        """Return a player's cards, None if they are not known."""
        hands = self.end.hands
        return cards_text(hands[player]) if hands is not None and self.is_known[player] else None


def replay_hand(history: "HandHistory", root: Holdem | None = None) -> Replay:
    """Return a history played by our rules; raises GameError, naming an impossible action.

    Histories do not specify the deck. With `root`, it is that of this game, which must have the
    same stakes.
    """
    written = root_of(history)
    if root is None:
        root = written
    elif stakes_of(root.rules) != stakes_of(written.rules):
        raise GameError(f"{history.source} is a hand of {written.rules}, not of {root.rules}")
    hands, is_known = _hands(history, root)
    state = _Replaying(root, hands)
    for number, action in enumerate(history.actions, start=1):
        try:
            state.make(action)
        except UntiltError as error:
            raise GameError(
                f"{history.source}, action {number} ({str(action)!r}) is not possible: {error}"
            ) from None
    gains = _gains(history, state, is_known)
    return Replay(root, tuple(state.steps), state.position, is_known, gains)


def root_of(history: "HandHistory") -> Holdem:
    """Return the game of a history; raises GameError if it is not one of ours."""
    count = len(history.stacks)
    if count != 2:
        raise GameError(
            f"{history.source} has {count} players; only hands of two players can be replayed"
        )
    first, second = history.stacks
    if first is None or second is None:
        raise GameError(
            f"{history.source}: starting_stacks are not known (inf), so it cannot be replayed by "
            "the rules; `untilt hands import` reads it as it was recorded"
        )
    if history.blinds[0] > history.blinds[1]:
        raise GameError(
            f"{history.source}: the button has the big blind; only hands in which it has the "
            "small blind can be replayed"
        )
    is_limit = len(history.sizes) > 1
    if not is_limit and history.sizes[0] != history.blinds[1]:
        raise GameError(
            f"{history.source}: min_bet is {history.sizes[0]}, the big blind {history.blinds[1]}; "
            "they must be equal"
        )
    small, big = history.antes
    is_bloody = history.fields.get(GAME_FIELD) == RIVER_OF_BLOOD
    try:
        if small > big:
            raise GameError("the small blind has the larger ante")
        rules = HoldemRules(
            stacks=(second, first),
            blinds=(history.blinds[0], history.blinds[1]),
            ante=small,
            bb_ante=big - small,
            limit=(history.sizes[0], history.sizes[0], history.sizes[1]) if is_limit else None,
            max_raises=max(_LIMIT_RAISES, _most_raises(history)) if is_limit else None,
            red_runs_on=is_bloody,
        )
    except UntiltError as error:
        raise GameError(f"{history.source}: {error}") from None
    return RiverOfBlood(rules) if is_bloody else Holdem(rules)


def stakes_of(rules: HoldemRules) -> tuple[object, ...]:
    """Return the rules that must agree for a history to fit two games: all but deck and cap."""
    limit = None if rules.limit is None else rules.limit + (rules.limit[-1],) * 4
    is_bloody = rules.red_runs_on
    return rules.stacks, rules.blinds, rules.antes, limit and limit[:4], is_bloody


class _Replaying:
    """The hand so far."""

    def __init__(self, root: Holdem, hands: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        self.position = root
        self.hands = hands
        self.steps: list[ReplayStep] = []
        self.mucked = NOBODY
        self._is_dealt = [False, False]

    def make(self, action: "PhhAction") -> None:
        """Make an action; raises UntiltError if it is not possible."""
        player = NOBODY if action.player is None else 1 - action.player
        match action.verb.value:
            case "dh":
                self._deal_hand(player)
            case "db":
                self._deal_board(action.cards)
            case "f" | "cc" | "cbr":
                self._move(player, action)
            case "sm":
                self._show(player, action.cards)

    def _deal_hand(self, player: int) -> None:
        if self._is_dealt[player]:
            raise GameError("the player has got cards already")
        self._is_dealt[player] = True
        if all(self._is_dealt):
            self.position = self.position.apply(Deal(self.hands[0] + self.hands[1]))

    def _deal_board(self, cards: tuple[int | None, ...]) -> None:
        position = self.position
        if position.terminal or not position.chance:
            raise GameError("no card is dealt now: " + _turn(position))
        if not all(self._is_dealt):
            raise GameError("both players get their cards first")
        self.position = position.apply(cards)

    def _move(self, player: int, action: "PhhAction") -> None:
        position = self.position
        if position.terminal or position.chance or player != position.active:
            raise GameError(_turn(position))
        betting = position.betting
        match action.verb.value:
            case "f":
                move = betting.passive_actions()[0] if betting.can_fold() else None
                if move is None:
                    raise GameError("there is no bet to fold to")
            case "cc":
                move = betting.passive_actions()[-1]
            case _:
                assert action.amount is not None
                betting.verify_bet(action.amount)
                # More than the other player can call is all-in for that player's stack.
                move = betting.named_bet(min(action.amount, betting.all_in_to))
        self.steps.append(ReplayStep(position, move, action.comment))
        self.position = position.apply(move)

    def _show(self, player: int, cards: tuple[int | None, ...]) -> None:
        position = self.position
        if position.hands is None or position.betting.player != NOBODY:
            raise GameError("nobody shows cards before the betting is over")
        if not cards:
            self.mucked = player
        elif not {card for card in cards if card is not None} <= set(position.hands[player]):
            raise GameError(f"the player holds {cards_text(position.hands[player])}")


def _turn(position: Holdem) -> str:
    if position.terminal:
        return "the hand is over"
    if position.hands is None:
        return "both players get their cards first"
    return "cards are dealt first" if position.chance else f"it is p{2 - position.active}'s turn"


def _hands(
    history: "HandHistory", root: Holdem
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], tuple[bool, bool]]:
    """Return both hands, as dealt or as shown later, and which of them are known.

    Unknown cards are filled with cards that the history does not mention.
    """
    seen = {card for action in history.actions for card in action.cards if card is not None}
    left = [card for card in root.rules.deck if card not in seen]
    hands: list[tuple[int, ...]] = []
    is_known = []
    for player in (0, 1):
        given = [
            action.cards
            for action in history.actions
            if action.player == 1 - player and action.verb.value in ("dh", "sm") and action.cards
        ]
        if any(len(cards) != 2 for cards in given):
            raise FormatError(f"{history.source}: a hand of hold'em has two cards")
        known = list(dict.fromkeys(card for cards in given for card in cards if card is not None))
        if len(known) > 2:
            raise FormatError(
                f"{history.source}: p{2 - player} shows {cards_text(tuple(known[2:]))}, which are "
                "not the cards that were dealt"
            )
        is_known.append(len(known) == 2)
        hands.append(highest_first([*known, *(left.pop() for _ in range(2 - len(known)))]))
    return (hands[0], hands[1]), (is_known[0], is_known[1])


def _gains(
    history: "HandHistory", state: _Replaying, is_known: tuple[bool, bool]
) -> tuple[float, float] | None:
    end = state.position
    if not end.terminal:
        return None
    if end.betting.folded != NOBODY or (all(is_known) and state.mucked == NOBODY):
        return end.payoff(0), end.payoff(1)
    if state.mucked != NOBODY:
        lost = float(end.rules.stacks[state.mucked] - end.betting.stacks[state.mucked])
        return (-lost, lost) if state.mucked == 0 else (lost, -lost)
    finishing = history.finishing_stacks
    if finishing is None:
        return None
    first, second = (finishing[1 - p] - end.rules.stacks[p] for p in (0, 1))
    return float(first), float(second)


def _most_raises(history: "HandHistory") -> int:
    """Return the maximum number of bets and raises on a street."""
    most = count = 0
    for action in history.actions:
        count = 0 if action.verb.value == "db" else count + (action.verb.value == "cbr")
        most = max(most, count)
    return most
