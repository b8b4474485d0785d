"""An opponent: a game and the strategy that plays it, with what every action is worth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from untilt.cards.combos import CLASS_NAMES
from untilt.formats.files import path_of
from untilt.formats.strategy import Values
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.strategy import Profile, verify_profile
from untilt.game.terms import Terms, terms_of
from untilt.play.agents import StrategyAgent
from untilt.play.root import root_of
from untilt.play.saved_run import SavedRun, read_saved_run


@dataclass(frozen=True, eq=False, repr=False)
class Opponent:
    """Everything needed to play against a strategy and to say what mistakes cost."""

    name: str
    """Short name of the game, such as `leduc`."""
    title: str
    parameters: Mapping[str, Any]
    root: Game
    game: CompiledGame
    profile: Profile
    values: Values | None
    """Per player and sequence: what an action is worth against the strategy; None if unknown."""
    is_finished: bool = True
    """Whether the strategy is final; False for one that is still being solved."""
    terms: Terms = field(default_factory=Terms)
    """What the game calls its unit, its seats and what players hold."""

    def __post_init__(self) -> None:
        verify_profile(self.game.infosets, self.profile)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r:.40}" for name, value in self.parameters.items())
        return f"<Opponent at {self.title!r:.80}, {given or 'no parameters'}: {self.game!r}>"

    @classmethod
    def load(cls, folder: str | Path) -> "Opponent":
        """Return the opponent saved in a run folder; no code of the folder is executed."""
        saved = read_saved_run(path_of(folder))
        return cls(
            name=saved.name,
            title=saved.title,
            parameters=saved.parameters,
            root=root_of(saved.game, saved.reference, saved.parameters),
            game=saved.game,
            profile=saved.profile,
            values=saved.values,
            is_finished=saved.is_finished,
            terms=_terms(saved),
        )

    @cached_property
    def agent(self) -> StrategyAgent:
        """The strategy as a player of either seat."""
        return StrategyAgent(self.profile, self.game.forced)

    @cached_property
    def has_hand_classes(self) -> bool:
        """Whether players hold classes of hold'em hands (AKs, QQ), as in push/fold.

        All of them must be: a card called 22 in a deck of numbers is no pair of deuces.
        """
        held = {text for table in self.game.infosets for text in table.column("private").texts}
        return held <= set(CLASS_NAMES)


def _terms(saved: SavedRun) -> Terms:
    from untilt.games.registry import REGISTRY, resolve

    if saved.reference in REGISTRY:
        return terms_of(resolve(str(saved.reference), saved.parameters).game)
    return Terms()
