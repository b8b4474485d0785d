"""An agent of matches as the opponent of a person: `random`, a bot, a translated strategy."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from untilt.game.labels import knowledge_of
from untilt.game.protocol import Game
from untilt.game.terms import Terms, terms_of
from untilt.game.walking import random_hand
from untilt.play.agent_spec import MatchGame
from untilt.play.agents import Rules
from untilt.play.entrants import Entrant
from untilt.play.faces import faces_of
from untilt.play.hand import Decision, LiveHand
from untilt.play.review import Reviewed

_MAX_MOVES = 1_000


@dataclass(frozen=True, eq=False)
class EntrantOpponent:
    """Plays hands of a game; it says nothing about what mistakes cost."""

    game: MatchGame
    entrant: Entrant
    is_finished = True
    is_partial = False
    gap_words = ""

    @property
    def name(self) -> str:
        """Short name of the game."""
        return self.game.name

    @property
    def title(self) -> str:
        """The game in words."""
        return self.game.title

    @property
    def described(self) -> str:
        """Who plays."""
        return self.entrant.name

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the game."""
        return self.game.parameters

    @property
    def root(self) -> Game:
        """The position from which hands are dealt."""
        return self.game.root

    @property
    def terms(self) -> Terms:
        """The words of the game."""
        return terms_of(self.game.root)

    @property
    def rules(self) -> Rules:
        """The game being played, for agents at a table."""
        return self.game.rules

    @property
    def is_zero_sum(self) -> bool:
        """Whether one player gains what the other loses; a game that is not compiled is poker."""
        return self.game.compiled is None or self.game.compiled.is_zero_sum

    @property
    def has_hand_classes(self) -> bool:
        """Whether players hold hand classes of hold'em."""
        return self.terms.private == "hand class"

    def begin(self, seat: int) -> None:
        """Begin a hand as player `seat`."""
        self.entrant.begin(seat, self.rules)

    def act(self, live: LiveHand) -> str:
        """Return the name of the action to take at a hand's turn."""
        position = live.position
        player = position.active
        infoset = position.infoset(player)
        action = self.entrant.choose(position, infoset, infoset.actions(), live.stream(player))
        return str(action)

    def num_hidden(self, player: int) -> int:
        """Return how many cards `player` holds; 0 if nothing."""
        return self._num_hidden[player]

    @cached_property
    def _num_hidden(self) -> tuple[int, int]:
        counts = [0, 0]
        for position in random_hand(self.root, random.Random(0), _MAX_MOVES):
            if not position.terminal and not position.chance:
                player = position.active
                private = knowledge_of(position.infoset(player)).private
                counts[player] = 2 if self.has_hand_classes else len(faces_of(private))
        return counts[0], counts[1] or counts[0]

    def has_decisions(self, player: int) -> bool:
        """Whether `player` ever has a choice."""
        return self.game.compiled is None or bool(self.game.compiled.infosets[player])

    def has_infoset(self, player: int, label: str) -> bool:
        """Whether `player` has the infoset `label`; False if the game is not compiled."""
        compiled = self.game.compiled
        return compiled is not None and compiled.infosets[player].find(label) is not None

    def review(self, decisions: Iterable[Decision], player: int) -> list[Reviewed]:
        """Return nothing: the agent knows no values."""
        del decisions, player
        return []
