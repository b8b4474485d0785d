"""A blueprint at a table: it follows the hand, mixes, and knows both players' ranges.

    agent = BlueprintAgent("bp/")
    agent.begin(seat, rules)
    agent.act(turn, rng, clock)
    own, other = agent.ranges(turn)

Bets that are not on its menu are interpreted as bets that are, once per hand. Opening a blueprint
loads its card buckets, and with them Numba, which the rest of `play` does without; so they are
imported when a blueprint is opened.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from untilt.abstraction.betting_form import Place
from untilt.abstraction.translated_hand import TranslatedHand
from untilt.abstraction.translation import PSEUDO_HARMONIC
from untilt.errors import InvalidOption
from untilt.formats.blueprint_path import blueprint_file
from untilt.game.protocol import Uniforms
from untilt.games.holdem.game import HoldemInfoset
from untilt.games.registry import name_position
from untilt.numeric.arrays import Floats
from untilt.play.abstract_opponent import TranslatedAgent
from untilt.play.agents import Rules
from untilt.play.clock import Clock
from untilt.play.hand import Hand, Turn

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.blueprint_translation import BlueprintTranslation


def load_blueprint(path: str | Path, *, mapping: str = PSEUDO_HARMONIC) -> "BlueprintTranslation":
    """Return the blueprint of a run folder or file, ready to play the real game."""
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.blueprint_translation import BlueprintTranslation

    return BlueprintTranslation(Blueprint(blueprint_file(path)), mapping=mapping)


class BlueprintAgent:
    """Plays a blueprint; see the module. One object plays one hand at a time."""

    def __init__(
        self,
        blueprint: "str | Path | Blueprint",
        *,
        mapping: str = PSEUDO_HARMONIC,
    ) -> None:
        if isinstance(blueprint, str | Path):
            self.translation = load_blueprint(blueprint, mapping=mapping)
        else:
            from untilt.abstraction.blueprint_translation import BlueprintTranslation

            self.translation = BlueprintTranslation(blueprint, mapping=mapping)
        self.seat: int | None = None
        self._replayed = TranslatedAgent(self.translation)
        self._hand: TranslatedHand[Place] | None = None
        self._rng: Uniforms | None = None

    @property
    def blueprint(self) -> "Blueprint":
        """What it plays."""
        return self.translation.blueprint

    def begin(self, seat: int, rules: Rules) -> None:
        """Begin a hand; InvalidOption if the game is not the blueprint's."""
        own = name_position(self.translation.root)
        if (rules.name, dict(rules.parameters)) != (own.name, dict(own.parameters)):
            raise InvalidOption(
                f"the blueprint plays {own.name} with {self.blueprint.rules}, not this game"
            )
        self.seat = seat
        self._hand = None

    def act(self, turn: Turn, rng: Uniforms, clock: Clock | None = None) -> str:
        """Return an action drawn from the mix, given the hand as it was seen."""
        del clock  # a look-up takes microseconds
        if self._hand is None or rng is not self._rng:
            self._rng, self._hand = rng, self.translation.begin(rng)
        return str(self._hand.act(self.infoset(turn)))

    def end(self, hand: Hand) -> None:
        """Forget the hand."""
        del hand
        self._hand = None

    def infoset(self, turn: Turn) -> HoldemInfoset:
        """Return the real infoset of a turn."""
        found: HoldemInfoset = self._replayed.infoset(turn)
        return found

    def probabilities(self, turn: Turn) -> dict[str, float]:
        """Return the mix at a turn, by the names of real actions."""
        if self._hand is None:
            return self._replayed.probabilities(turn)
        mix = self._hand.probabilities(self.infoset(turn))
        return {str(action): share for action, share in mix.items()}

    def sight(self, turn: Turn) -> Place:
        """Return where the hand is on the betting tree, as this agent sees it."""
        return self._followed.sight(self.infoset(turn).line)

    def ranges(self, turn: Turn) -> tuple[Floats, Floats]:
        """Return [1326] both players' ranges at a turn, of player 0 and player 1; not normalised.

        They follow by Bayes' rule from the line as this agent has seen it, if both play the
        blueprint. Hands that the board blocks have 0; see `untilt.cards.combos` for their order.
        """
        infoset = self.infoset(turn)
        return self.translation.ranges(self._followed.steps(infoset.line), infoset.board)

    @property
    def _followed(self) -> TranslatedHand[Place]:
        if self._hand is None:
            raise InvalidOption("no hand has begun: call act first")
        return self._hand
