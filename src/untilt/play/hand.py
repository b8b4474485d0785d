"""One hand: cards are dealt, players are asked, and everything is written down.

A hand is a function of the seed, its number and the players' choices; see `streams`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from untilt.errors import UnknownName
from untilt.game.faults import errors_of_game
from untilt.game.labels import knowledge_of
from untilt.game.protocol import Action, Game, InfoSet, Uniforms
from untilt.game.walking import (
    DEFAULT_MAX_DEPTH,
    described_history,
    past_forced_moves,
    payoff_of,
    too_deep,
)
from untilt.game.wording import decision_words
from untilt.play.streams import Role, hand_stream, verify_numbers

_MAX_LOOKAHEAD = 64
"""Positions searched for a card that its owner was never asked about."""


@dataclass(frozen=True)
class Turn:
    """A player's turn to act, and what she knows; the texts are those of her infoset."""

    player: int
    label: str
    private: str
    public: str
    line: str
    actions: tuple[str, ...]
    """Names of the legal actions, at least two."""

    @property
    def words(self) -> str:
        """What she faces, such as `facing a bet`."""
        return decision_words(self.label, self.public, self.line)


@dataclass(frozen=True)
class Decision(Turn):
    """A turn and the action taken."""

    action: str


@dataclass(frozen=True)
class Hand:
    """A hand that was played to its end."""

    number: int
    decisions: tuple[Decision, ...]
    """In order, of both players; forced moves are none."""
    payoffs: tuple[float, float]
    """What each player gains, in chips."""
    privates: tuple[str | None, str | None]
    """What each player held; None if no decision tells."""
    public: str
    """What all saw at the last decision."""
    agents: tuple[int, int] = (0, 1)
    """Which agent sat as player 0, and which as player 1."""

    def gain(self, agent: int) -> float:
        """Return what agent 0 or 1 gained, whichever seat it had."""
        return self.payoffs[self.agents.index(agent)]


class LiveHand:
    """A hand in progress: it deals by itself and waits where a player has a choice."""

    def __init__(self, root: Game, seed: int, number: int) -> None:
        verify_numbers(seed, number)
        self.seed = seed
        self.number = number
        self.position = root
        self.decisions: list[Decision] = []
        self.turn: Turn | None = None
        """Whose turn it is; None when the hand is over."""
        self._actions: dict[str, Action] = {}
        self._chance = hand_stream(seed, number, Role.CHANCE)
        self._streams: dict[int, Uniforms] = {}
        self._asked: Game | None = None  # the last position at which somebody had a choice
        self._num_moves = 0
        with errors_of_game(self._history):
            self._go_on()

    @property
    def is_over(self) -> bool:
        """Whether the hand has come to its end."""
        return self.turn is None

    def stream(self, player: int) -> Uniforms:
        """Return the player's random numbers, the same source throughout the hand."""
        if player not in self._streams:
            self._streams[player] = hand_stream(self.seed, self.number, Role.PLAYER_0 + player)
        return self._streams[player]

    def take(self, action: str) -> None:
        """Let the player whose turn it is take the action of that name."""
        turn = self.turn
        if turn is None:
            raise UnknownName(f"{action!r} was given after the hand was over; leave it out")
        if action not in self._actions:
            raise UnknownName(
                f"{str(action)[:40]!r} is no action at infoset {turn.label!r}; "
                f"its actions are {', '.join(turn.actions)}"
            )
        self.decisions.append(Decision(**vars(turn), action=action))
        self._asked = self.position
        with errors_of_game(self._history):
            self._apply(self._actions[action])
            self._go_on()

    def privates(self) -> tuple[str | None, str | None]:
        """Return what each player holds as far as decisions tell, else None."""
        return self._private(0), self._private(1)

    def public(self) -> str:
        """Return what all saw at the last decision, the present one included."""
        last = self.turn or (self.decisions[-1] if self.decisions else None)
        return last.public if last else ""

    def finished(self, agents: tuple[int, int] = (0, 1)) -> Hand:
        """Return the record of a hand that is over."""
        assert self.is_over, "the hand goes on"
        return Hand(
            number=self.number,
            decisions=tuple(self.decisions),
            # Adding 0 makes a plain zero of a negative one.
            payoffs=(self._payoff(0) + 0.0, self._payoff(1) + 0.0),
            privates=self.privates(),
            public=self.public(),
            agents=agents,
        )

    def _payoff(self, player: int) -> float:
        with errors_of_game(self._history):
            return payoff_of(self.position, player, self._history)

    def _history(self) -> str:
        """Return the decisions so far, for errors; what was dealt is not written down."""
        return described_history([decision.action for decision in self.decisions])

    def _private(self, player: int) -> str | None:
        if self.turn is not None and self.turn.player == player:
            return self.turn.private
        for decision in reversed(self.decisions):
            if decision.player == player:
                return decision.private
        return None if self._asked is None else _private_ahead(self._asked, player)

    def _apply(self, action: Action) -> None:
        self._num_moves += 1
        if self._num_moves > DEFAULT_MAX_DEPTH:
            raise too_deep(DEFAULT_MAX_DEPTH)
        self.position = self.position.apply(action)

    def _go_on(self) -> None:
        """Deal and play forced moves until somebody has a choice or the hand is over."""
        self.turn = None
        while True:
            self.position, infoset, actions = past_forced_moves(self.position, self._history)
            if infoset is not None:
                self.turn = _turn(self.position.active, infoset, actions)
                self._actions = {str(action): action for action in actions}
                return
            if self.position.terminal:
                return
            self._apply(self.position.sample(self._chance))


def _turn(player: int, infoset: InfoSet, actions: Sequence[Action]) -> Turn:
    names = tuple(str(action) for action in actions)
    return Turn(player, str(infoset), *knowledge_of(infoset), names)


def _private_ahead(position: Game, player: int) -> str | None:
    """Return what `player` will hold wherever she is asked next if no card falls before.

    So one learns the hand of a big blind who was folded to. None if that is not one text.
    """
    texts: set[str] = set()
    waiting = [position]
    num_searched = 0
    while waiting and num_searched < _MAX_LOOKAHEAD:
        position = waiting.pop(0)
        num_searched += 1
        if position.terminal or position.chance:
            continue
        infoset = position.infoset(position.active)
        if position.active == player:
            texts.add(knowledge_of(infoset).private)
        else:
            waiting.extend(position.apply(action) for action in infoset.actions())
    return texts.pop() if len(texts) == 1 else None
