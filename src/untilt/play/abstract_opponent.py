"""A strategy of an abstract game as an opponent in the real game, through translation."""

import random
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from untilt.abstraction.abstract_game import AbstractPosition
from untilt.abstraction.translated_hand import TranslatedHand, Translator
from untilt.abstraction.translation import PSEUDO_HARMONIC, Translation
from untilt.errors import StrategyError
from untilt.game.protocol import Game, Uniforms
from untilt.game.strategy import PlainProfile
from untilt.game.terms import Terms, terms_of
from untilt.game.tree_position import TreePosition
from untilt.game.walking import Place, past_forced_moves
from untilt.games.holdem.game import Holdem
from untilt.games.registry import NamedGame, name_position
from untilt.play.agents import Rules
from untilt.play.clock import Clock
from untilt.play.hand import Decision, NamedInfoset, Turn
from untilt.play.opponent import StrategyOpponent
from untilt.play.replica import HoldemReplica
from untilt.play.review import Reviewed

_NUM_TRIED = 20
_NUM_DECISIONS = 4
"""In this many deals, a strategy must know the first decisions at least once: in hold'em, those
before and on the flop."""


def abstract_root(root: Game) -> AbstractPosition | None:
    """Return the abstract game that `root` is, or whose histories it holds; None if neither."""
    rules = root.rules if isinstance(root, TreePosition) else root
    return rules if isinstance(rules, AbstractPosition) else None


def verify_abstraction(game: AbstractPosition, profile: PlainProfile, source: str) -> None:
    """Raise StrategyError if `profile`, of the run `source`, belongs to another abstraction.

    Labels and actions show this. Sampling reaches the first decisions of a hand without bets in
    every iteration; a strategy that knows none of them was made for other states or another menu.
    """
    known = [0] * _NUM_DECISIONS
    met: list[tuple[str, str]] = [("", "")] * _NUM_DECISIONS
    for seed in range(_NUM_TRIED):
        for number, place in enumerate(_unraised_decisions(game, random.Random(seed))):
            label, names = str(place.infoset), [str(action) for action in place.actions]
            known[number] += label in profile and set(profile[label]) == set(names)
            met[number] = label, ", ".join(names)
    for count, (label, listed) in zip(known, met, strict=True):
        if label and not count:
            raise StrategyError(
                f"{source} is the strategy of another abstraction: it does not know {label!r} "
                f"with the actions {listed}; solve the game again"
            )


def _unraised_decisions(game: AbstractPosition, rng: random.Random) -> Iterator[Place]:
    """Yield the first decisions of a hand in which everybody checks or calls."""
    place = past_forced_moves(game, lambda: "the root")
    for _ in range(_NUM_DECISIONS):
        while place.infoset is None:
            if place.position.terminal:
                return
            after = place.position.apply(place.position.sample(rng))
            place = past_forced_moves(after, lambda: "a random hand")
        yield place
        actions = place.actions
        passive = next((each for each in actions if str(each) in ("check", "call")), actions[0])
        after = place.position.apply(passive)
        place = past_forced_moves(after, lambda: "a random hand")


class TranslatedAgent:
    """A translated strategy at a table: it remembers how it interpreted the bets of a hand."""

    def __init__(self, translation: Translator[Any]) -> None:
        self._translation = translation
        # A server plays hands in several threads at once, each hand in one of them.
        self._playing = threading.local()

    def act(self, turn: Turn, rng: Uniforms, clock: Clock | None = None) -> str:
        """Return an action drawn from the strategy; a hand has one source of random numbers."""
        del clock
        if rng is not getattr(self._playing, "rng", None):
            self._playing.rng = rng
            self._playing.hand = TranslatedHand(self._translation, rng)
        hand: TranslatedHand[Any] = self._playing.hand
        return str(hand.act(self.infoset(turn)))

    def probabilities(self, turn: Turn) -> dict[str, float]:
        """Return what the strategy would do at a turn, by the names of real actions.

        Where a bet may be interpreted as one of two sizes, this is one of the answers.
        """
        hand = TranslatedHand(self._translation, _Middle())
        return {str(each): share for each, share in hand.probabilities(self.infoset(turn)).items()}

    def review(self, decisions: Iterable[Decision], player: int) -> list[Reviewed]:
        """Return what the strategy would have done at the decisions that `player` took."""
        return [self._reviewed(each) for each in decisions if each.player == player]

    def _reviewed(self, decision: Decision) -> Reviewed:
        share_of = self.probabilities(decision)
        shares = tuple(share_of.get(name, 0.0) for name in decision.actions)
        return Reviewed(decision, shares, (None,) * len(shares), None)

    def infoset(self, turn: Turn) -> Any:
        """Return the real infoset of a turn, by replaying the hand."""
        root = self._translation.root
        if not isinstance(root, Holdem):
            known = turn.private, turn.public, turn.line
            return NamedInfoset(turn.player, turn.label, *known, tuple(turn.actions))
        replica = HoldemReplica(root)
        replica.begin(turn.player, turn.private)
        board = "".join(turn.public.split())
        for move in _moves(turn.line):
            if move == "/":
                shown = len(replica.position.board)
                count = root.rules.num_dealt_next(replica.position.board)
                replica.show(board[: 2 * (shown + count)])
            else:
                letter = move[0] if move[0] in "fc" else "r"
                replica.move(letter, int(move[1:]) if move[1:] else None)
        return replica.position.infoset(turn.player)


class _Middle:
    """Draws ½, which selects the likelier of two sizes."""

    def random(self) -> float:
        return 0.5


def _moves(line: str) -> Iterable[str]:
    """Yield the moves of a line, `c`, `b10` or `/`."""
    move = ""
    for letter in line:
        if not letter.isdigit() and move:
            yield move
            move = ""
        move += letter
    if move:
        yield move


class TranslatedOpponent(StrategyOpponent):
    """What strategies that play the real game through translation have in common."""

    is_partial = True
    has_hand_classes = False

    @property
    def root(self) -> Game:
        """The real game."""
        raise NotImplementedError

    @cached_property
    def _named(self) -> NamedGame:
        return name_position(self.root)

    @property
    def name(self) -> str:
        """Short name of the real game."""
        return self._named.name

    @property
    def title(self) -> str:
        """The real game in words."""
        return self._named.title

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the real game."""
        return self._named.parameters

    @property
    def terms(self) -> Terms:
        """The terms of the real game."""
        return terms_of(self.root)

    @property
    def rules(self) -> Rules:
        """The game being played, for agents at a table."""
        return Rules(self.name, self.parameters, self.terms)

    def has_decisions(self, player: int) -> bool:
        """Whether `player` ever has a choice: in these games both have."""
        del player
        return True

    def has_infoset(self, player: int, label: str) -> bool:
        """Whether `player` may have the infoset `label`; it need not be possible."""
        return label.startswith(f"P{player}:")


@dataclass(frozen=True, eq=False)
class AbstractOpponent(TranslatedOpponent):
    """Everything needed to play against a strategy of an abstract game in the real one.

    What a choice costs is not known: the real game is too large for values.
    """

    game: AbstractPosition
    profile: PlainProfile
    is_finished: bool = True
    mapping: str = PSEUDO_HARMONIC

    gap_words = "where the abstract strategy has never been, it checks or calls"

    @property
    def root(self) -> Game:
        """The real game."""
        return self.game.base

    @cached_property
    def agent(self) -> TranslatedAgent:
        """The strategy as an agent for either seat."""
        return TranslatedAgent(Translation(self.game, self.profile, mapping=self.mapping))

    @property
    def is_zero_sum(self) -> bool:
        """Whether the real game says that it is."""
        return self.game.is_zero_sum

    def num_hidden(self, player: int) -> int:
        """Return how many cards a player holds."""
        del player
        return 2 if isinstance(self.game.base, Holdem) else 1

    def review(self, decisions: Iterable[Decision], player: int) -> list[Reviewed]:
        """Return what the strategy would have done at the decisions that `player` took."""
        return self.agent.review(decisions, player)
