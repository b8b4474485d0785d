"""An opponent: a game, the strategy that plays it, and the value of every action."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from untilt.cards.combos import CLASS_NAMES
from untilt.errors import Argument, InvalidOption, UntiltError
from untilt.formats.blueprint_path import is_blueprint
from untilt.formats.files import path_of, shown
from untilt.formats.run_folder import RunFolder
from untilt.formats.strategy import Values
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game, Uniforms
from untilt.game.strategy import Profile, verify_profile
from untilt.game.terms import Terms
from untilt.game.tree import GameTree
from untilt.game.tree_position import TreePosition
from untilt.play.agents import Rules
from untilt.play.faces import faces_of
from untilt.play.hand import Decision, LiveHand, Turn
from untilt.play.review import Reviewed, review_decisions
from untilt.play.saved_run import SavedRun, read_saved_run
from untilt.play.strategy_agent import StrategyAgent


class ActsAtTable(Protocol):
    """A strategy that answers turns."""

    def act(self, turn: Turn, rng: Uniforms) -> str:
        """Return the name of the action to take."""
        ...


class StrategyOpponent:
    """What opponents that play a strategy have in common."""

    is_finished: bool
    """Whether the strategy is final; False for one that is still being solved."""

    @property
    def is_partial(self) -> bool:
        """Whether infosets may be missing."""
        raise NotImplementedError

    @property
    def agent(self) -> ActsAtTable:
        """The strategy as an agent for either seat."""
        raise NotImplementedError

    @property
    def described(self) -> str:
        """Who plays."""
        if not self.is_finished:
            return "the strategy so far"
        return "the strategy" if self.is_partial else "the equilibrium"

    def begin(self, seat: int) -> None:
        """Do nothing: a strategy remembers nothing."""
        del seat

    def act(self, live: LiveHand) -> str:
        """Return the name of the action to take at a hand's turn."""
        turn = live.turn
        assert turn is not None, "nobody is to act"
        return self.agent.act(turn, live.stream(turn.player))


class AnyOpponent(Protocol):
    """What a table, a page and a review need of an opponent, whatever form its strategy has."""

    @property
    def name(self) -> str:
        """Short name of the game."""
        ...

    @property
    def title(self) -> str:
        """The game in words."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the game, as plain data."""
        ...

    @property
    def root(self) -> Game:
        """The position from which hands are dealt."""
        ...

    @property
    def terms(self) -> Terms:
        """The game's words for its unit, its seats and what players hold."""
        ...

    @property
    def described(self) -> str:
        """Who plays: `the equilibrium`."""
        ...

    def begin(self, seat: int) -> None:
        """Begin a hand as player `seat`."""
        ...

    def act(self, live: LiveHand) -> str:
        """Return the name of the action to take at a hand's turn."""
        ...

    @property
    def rules(self) -> Rules:
        """The game being played, for agents at a table."""
        ...

    @property
    def is_finished(self) -> bool:
        """Whether the strategy is final; False for one that is still being solved."""
        ...

    @property
    def is_zero_sum(self) -> bool:
        """Whether one player gains what the other loses."""
        ...

    @property
    def is_partial(self) -> bool:
        """Whether infosets may be missing, which are then played uniformly."""
        ...

    @property
    def gap_words(self) -> str:
        """What is done at infosets that are missing, in words; empty if none can be."""
        ...

    @property
    def has_hand_classes(self) -> bool:
        """Whether players hold hand classes of hold'em (AKs, QQ) instead of cards."""
        ...

    def num_hidden(self, player: int) -> int:
        """Return how many cards, dice or other things `player` holds; 0 if nothing."""
        ...

    def has_decisions(self, player: int) -> bool:
        """Whether `player` ever has a choice."""
        ...

    def has_infoset(self, player: int, label: str) -> bool:
        """Whether `player` has the infoset `label`."""
        ...

    def review(self, decisions: Iterable[Decision], player: int) -> list[Reviewed]:
        """Return the review of the decisions that `player` took."""
        ...


def load_opponent(
    folder: str | Path,
    *,
    trust: bool = False,
    line: str = "",
    board: str | None = None,
    thinking: Mapping[str, str] | None = None,
) -> AnyOpponent:
    """Return the opponent saved in a run folder, of whatever kind the run is.

    `trust` is as in `Opponent.load`. Hands of a solved spot begin after `line`, on `board`.
    `thinking` are options with which a blueprint thinks, such as `{"think": "1s"}`.
    """
    from untilt.play.spot_opponent import SPOT_KIND, SpotOpponent

    path = path_of(folder)
    if not is_blueprint(path) and RunFolder(path).record().kind == SPOT_KIND:
        return SpotOpponent.load(path, line=line, board=board)
    if line or board is not None:
        raise InvalidOption(
            Argument("line"), " and ", Argument("board"), " are for solved spots: leave them out"
        )
    if is_blueprint(path):
        from untilt.play.blueprint_agent import load_blueprint
        from untilt.play.blueprint_opponent import BlueprintOpponent

        blueprint = BlueprintOpponent(load_blueprint(path), options=thinking or {})
        blueprint.warm_up()
        return blueprint
    if thinking:
        raise InvalidOption(
            Argument("think"), f" is for blueprints, and {shown(path)} is none: leave it out"
        )
    from untilt.play.abstract_opponent import AbstractOpponent, abstract_root, verify_abstraction

    opponent = Opponent.load(path, trust=trust)
    abstract = abstract_root(opponent.root)
    if abstract is None:
        return opponent
    verify_abstraction(abstract, opponent.profile, shown(path))
    return AbstractOpponent(abstract, opponent.profile, opponent.is_finished)


@dataclass(frozen=True, eq=False, repr=False)
class Opponent(StrategyOpponent):
    """Everything needed to play against a strategy and to compute what mistakes cost."""

    name: str
    """Short name of the game, such as `leduc`."""
    title: str
    parameters: Mapping[str, Any]
    root: Game
    game: CompiledGame
    profile: Profile
    values: Values | None
    """Per player and sequence: the value of an action against the strategy; None if unknown."""
    is_finished: bool = True
    """Whether the strategy is final; False for one that is still being solved."""
    terms: Terms = field(default_factory=Terms)
    """The game's words for its unit, its seats and what players hold."""
    called: str = ""
    """What the strategy is called; empty: an equilibrium, or a strategy on the way to one."""

    def __post_init__(self) -> None:
        verify_profile(self.game.infosets, self.profile)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r:.40}" for name, value in self.parameters.items())
        return f"<Opponent at {self.title!r:.80}, {given or 'no parameters'}: {self.game!r}>"

    @classmethod
    def load(
        cls, folder: str | Path, *, game: Game | None = None, trust: bool = False
    ) -> "Opponent":
        """Return the opponent saved in a run folder.

        Code that the run refers to is executed only with `trust`, and only if the run has no saved
        histories to play on. `game` is the root of a game made in Python, which a run cannot save.
        """
        path = path_of(folder)
        saved = read_saved_run(path)
        return cls(
            name=saved.name,
            title=saved.title,
            parameters=saved.parameters,
            root=_root(saved, game, trust=trust),
            game=saved.game,
            profile=saved.profile,
            values=saved.values,
            is_finished=saved.is_finished,
            terms=saved.terms,
        )

    @cached_property
    def agent(self) -> StrategyAgent:
        """The strategy as an agent for either seat."""
        return StrategyAgent(self.profile, self.game.forced, is_partial=self.game.is_partial)

    @property
    def described(self) -> str:
        """Who plays."""
        return self.called or super().described

    @property
    def rules(self) -> Rules:
        """The game being played, for agents at a table."""
        return Rules(self.name, self.parameters, self.terms)

    @property
    def is_zero_sum(self) -> bool:
        """Whether one player gains what the other loses."""
        return self.game.is_zero_sum

    @property
    def is_partial(self) -> bool:
        """Whether infosets may be missing, which are then played uniformly."""
        return self.game.is_partial

    @property
    def gap_words(self) -> str:
        """What is done at infosets that are missing, in words; empty if none can be."""
        if not self.is_partial:
            return ""
        return "infosets that sampling has not reached are played uniformly at random"

    def has_decisions(self, player: int) -> bool:
        """Whether `player` ever has a choice."""
        return bool(self.game.infosets[player])

    def has_infoset(self, player: int, label: str) -> bool:
        """Whether `player` has the infoset `label`."""
        return self.game.infosets[player].find(label) is not None

    def review(self, decisions: Iterable[Decision], player: int) -> list[Reviewed]:
        """Return the review of the decisions that `player` took."""
        return review_decisions(decisions, player, self.profile, self.values)

    def num_hidden(self, player: int) -> int:
        """Return how many cards, dice or other things `player` holds; 0 if nothing."""
        texts = [text for text in self.game.infosets[player].column("private").texts if text]
        if self.has_hand_classes and texts:
            return 2
        return len(faces_of(texts[0])) if texts else 0

    @cached_property
    def has_hand_classes(self) -> bool:
        """Whether players hold hand classes of hold'em (AKs, QQ), as in push/fold.

        Every private text must be one: a card called 22 in a deck of numbers is not a pair.
        """
        held = {text for table in self.game.infosets for text in table.column("private").texts}
        return held <= set(CLASS_NAMES)


def _root(saved: SavedRun, given: Game | None, *, trust: bool) -> Game:
    """Return the root to play from: the saved histories if there are any, else the rules."""
    from untilt.abstraction.recipe import verify_abstraction
    from untilt.games.recipe import Recipe, Use, rebuild_root, verify_fits

    game = saved.game
    recipe = Recipe(saved.reference, saved.parameters)
    if game.has(GameTree):
        # The rules add pot and bets; if they do not match, the histories are enough.
        with suppress(UntiltError):
            if recipe.is_ours or (trust and recipe.reference is not None):
                rules = recipe.make()
                verify_fits(rules, game, recipe)
                return TreePosition.root_of(game, rules)
        return TreePosition.root_of(game)
    use = Use(
        doing="playing",
        commands="add --trust",
        in_python="play it with untilt.play.Opponent.load(path, game=position)",
    )
    root = given if given is not None else rebuild_root(recipe, game, use, trust=trust)
    verify_abstraction(root, saved.abstraction)
    verify_fits(root, game, recipe)
    return root
