"""The other side of a person at the table: a game, and a policy in all other seats.

    versus = load_versus("run/")
    states = versus.begin(seat)                   # the person's
    versus.play_on(states, live, seat)
    versus.review(live, player)

A terminal, a page and a drill ask all kinds of opponents in this way: the strategy of a run, a
solved spot, a blueprint that may think, and every policy of a match.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.abstraction.abstract_game import AbstractPosition
from untilt.abstraction.translation import Translation
from untilt.cards.combos import CLASS_NAMES
from untilt.errors import Argument, InvalidOption, UntiltError
from untilt.formats.base.files import path_of, shown
from untilt.formats.kinds.blueprint_path import is_blueprint
from untilt.formats.kinds.strategy_file import Values
from untilt.game.compiled import CompiledGame
from untilt.game.histories.walking import random_hand
from untilt.game.names.labels import knowledge_of, split_label
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import PlainProfile, Profile, verify_profile
from untilt.game.terms import Terms
from untilt.games.holdem.game import Holdem
from untilt.games.registry import name_position
from untilt.play.card_text import faces_of
from untilt.play.review.review import Reviewed, reviewed_by
from untilt.play.table.hand import LiveHand
from untilt.policy.hands.turn import Rules, Turn
from untilt.policy.load import holds_spot
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame
from untilt.policy.saved.saved_run import (
    abstract_root,
    read_saved_run,
    root_of_run,
    terms_of_run,
    verify_strategy,
)
from untilt.policy.tabular import TabularPolicy
from untilt.policy.translated import translated_policy

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.solution import SolutionNode
    from untilt.play.review.thoughts import Thoughts
    from untilt.policy.blueprint import BlueprintPolicy

_MAX_MOVES = 1_000


@dataclass(frozen=True, eq=False, repr=False)
class Versus:
    """A game and the policy that a person plays against."""

    game: MatchGame
    policy: Policy
    described: str
    """Who plays: `the equilibrium`."""
    has_infoset: Callable[[int, str], bool]
    """Whether a player has the infoset with a label; it need not be possible in a large game."""
    num_held: tuple[int, ...] = (2, 2)
    """How many cards, dice or other things each player holds; 0 if nothing."""
    decides: tuple[bool, ...] = (True, True)
    """Whether each player ever has a choice."""
    is_finished: bool = True
    """Whether the strategy is final; False for one that is still being solved."""
    is_partial: bool = False
    """Whether infosets may be missing, which are then played as `gap_words` says."""
    gap_words: str = ""
    """What is done at infosets that are missing, in words; empty if none can be."""
    is_zero_sum: bool = True
    """Whether the players gain what others lose."""
    has_hand_classes: bool = False
    """Whether players hold hand classes of hold'em (AKs, QQ) instead of cards."""
    is_reviewed: bool = True
    """Whether the person's decisions are compared with the policy."""
    thoughts: "Thoughts | None" = None
    """What a blueprint thinks; None for other policies."""

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r:.40}" for name, value in self.parameters.items())
        form = "" if self.game.compiled is None else f": {self.game.compiled!r}"
        return f"<Versus at {self.title!r:.80}, {given or 'no parameters'}{form}>"

    @classmethod
    def load(cls, folder: str | Path, *, game: Game | None = None, trust: bool = False) -> "Versus":
        """Return the strategy of a game that is saved in a run folder.

        Code that the run refers to is executed only with `trust`, and only if the run has no saved
        histories to play on. `game` is the root of a game made in Python, which a run cannot save.
        """
        saved = read_saved_run(path_of(folder))
        root = root_of_run(saved, game, trust=trust)
        asked = saved.asked
        words = terms_of_run(asked)
        return versus_strategy(
            MatchGame(asked.game, asked.title, asked.parameters, root, saved.game, words),
            saved.profile,
            saved.values,
            is_finished=saved.is_finished,
        )

    @property
    def name(self) -> str:
        """Short name of the game, such as `leduc`."""
        return self.game.name

    @property
    def title(self) -> str:
        """The game in words."""
        return self.game.title

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the game, as plain data."""
        return self.game.parameters

    @property
    def root(self) -> Game:
        """The position from which hands are dealt."""
        return self.game.root

    @property
    def terms(self) -> Terms:
        """The game's words for its unit, its seats and what players hold."""
        return self.game.terms

    @property
    def rules(self) -> Rules:
        """The game being played, for policies at a table."""
        return self.game.rules

    @property
    def profile(self) -> Profile:
        """The strategy by labels; InvalidOption if the policy is of another kind."""
        profile = self._tabular.by_label
        assert isinstance(profile, Profile), "of a compiled game"
        return profile

    @property
    def compiled(self) -> CompiledGame:
        """The compiled game; InvalidOption if it is too large."""
        if self.game.compiled is None:
            raise InvalidOption(f"{self.title} is too large to be compiled")
        return self.game.compiled

    @property
    def values(self) -> Values | None:
        """Per player and sequence: the value of an action against the strategy; None if unknown."""
        return self._tabular.action_values

    @property
    def _tabular(self) -> TabularPolicy:
        if not isinstance(self.policy, TabularPolicy):
            raise InvalidOption(f"{self.described} has no strategy by labels")
        return self.policy

    @property
    def num_players(self) -> int:
        """The number of players, the person included."""
        return len(self.decides)

    def begin(self, seat: int) -> dict[int, Any]:
        """Return the policy's state in each other seat, at the beginning of a hand."""
        if self.thoughts is not None:
            return {}
        others = [player for player in range(self.num_players) if player != seat]
        return {player: self.policy.begin(player, self.rules) for player in others}

    def act(self, state: Any, live: LiveHand) -> tuple[str, Any]:
        """Return the action to take at a hand's turn, by name, and that player's state after it."""
        assert live.asked is not None, "nobody is to act"
        if self.thoughts is not None:
            return self.thoughts.act(live), state
        action, state = self.policy.choose(state, live.asked, live.stream(live.asked.player))
        return str(action), state

    def play_on(
        self,
        states: dict[int, Any],
        live: LiveHand,
        seat: int,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Play a hand until it is the turn of the person in `seat`, or over.

        The states of `begin` are replaced by those after it. `check` is called before each
        decision, and may raise to give up.
        """
        while live.asked is not None and (player := live.asked.player) != seat:
            check()
            action, states[player] = self.act(states.get(player), live)
            live.take(action)

    def review(self, live: LiveHand, player: int) -> list[Reviewed]:
        """Return the review of the decisions that `player` took; none if nothing is known."""
        if not self.is_reviewed:
            return []
        if self.thoughts is not None:
            return self.thoughts.review(live, player)
        found, state = [], None
        for decision, (asked, action) in zip(live.decisions, live.taken, strict=True):
            if decision.player == player:
                advice, state = self.policy.advice(state, asked, action)
                if advice is not None:
                    found.append(reviewed_by(decision, advice))
        return found


def load_versus(
    folder: str | Path,
    *,
    trust: bool = False,
    line: str = "",
    board: str | None = None,
    thinking: Mapping[str, str] | None = None,
) -> Versus:
    """Return what a run folder has to play against, of whatever kind the run is.

    `trust` is as in `Versus.load`. Hands of a solved spot begin after `line`, on `board`.
    `thinking` are options with which a blueprint thinks, such as `{"think": "1s"}`.
    """
    path = path_of(folder)
    if not is_blueprint(path) and holds_spot(path):
        from untilt.policy.spot import read_spot

        return versus_spot(read_spot(path).at(line, board=board))
    if line or board is not None:
        raise InvalidOption(
            Argument("line"), " and ", Argument("board"), " are for solved spots: leave them out"
        )
    if is_blueprint(path):
        from untilt.policy.blueprint import BlueprintPolicy, load_blueprint
        from untilt.policy.resolving import policy_with_options

        translation = load_blueprint(path)
        if not thinking:
            return versus_blueprint(BlueprintPolicy(translation))
        policy = policy_with_options(translation, thinking)
        policy.warm_up()  # what is compiled must not take time from the first hand
        return versus_blueprint(policy)
    if thinking:
        raise InvalidOption(
            Argument("think"), f" is for blueprints, and {shown(path)} is none: leave it out"
        )
    found = Versus.load(path, trust=trust)
    abstract = abstract_root(found.root)
    if abstract is None:
        return found
    verify_strategy(abstract, found.profile, shown(path))
    return versus_abstract(abstract, found.profile, is_finished=found.is_finished)


def versus_strategy(
    game: MatchGame,
    profile: Profile,
    values: Values | None,
    *,
    called: str = "",
    is_finished: bool = True,
) -> Versus:
    """Return a strategy of a compiled game; `values` are those of actions against it.

    `called` is what the strategy is called; empty: an equilibrium, or one on the way to it.
    """
    compiled = game.compiled
    assert compiled is not None, "a strategy has infosets"
    verify_profile(compiled.infosets, profile)
    # With more than two players nothing promises that it is near an equilibrium.
    is_equilibrium = not compiled.is_partial and compiled.num_players == 2
    described = called or _described(is_finished, is_partial=not is_equilibrium)
    held = {text for table in compiled.infosets for text in table.column("private").texts}
    # Every private text must be one: a card called 22 in a deck of numbers is not a pair.
    has_classes = held <= set(CLASS_NAMES)
    return Versus(
        game,
        TabularPolicy(
            profile,
            compiled.forced,
            name=described,
            is_partial=compiled.is_partial,
            values=values,
        ),
        described,
        lambda player, label: compiled.infosets[player].find(label) is not None,
        tuple(_num_held(compiled, each, has_classes) for each in range(compiled.num_players)),
        tuple(map(bool, compiled.infosets)),
        is_finished=is_finished,
        is_partial=compiled.is_partial,
        gap_words="infosets that sampling has not reached are played uniformly at random"
        if compiled.is_partial
        else "",
        is_zero_sum=compiled.is_zero_sum,
        has_hand_classes=has_classes,
    )


def versus_abstract(
    game: AbstractPosition, profile: PlainProfile, *, is_finished: bool = True
) -> Versus:
    """Return a strategy of an abstract game, in the real one through translation.

    What a choice costs is not known: the real game is too large for values.
    """
    described = _described(is_finished, is_partial=True)
    num_held = 2 if isinstance(game.base, Holdem) else 1
    return Versus(
        _named(game.base),
        translated_policy(described, Translation(game, profile)),
        described,
        _may_have,
        (num_held, num_held),
        is_finished=is_finished,
        is_partial=True,
        gap_words="where the abstract strategy has never been, it checks or calls",
        is_zero_sum=game.is_zero_sum,
    )


def versus_blueprint(policy: "BlueprintPolicy") -> Versus:
    """Return a blueprint, thinking or not; it says what it thinks."""
    from untilt.play.review.thoughts import Thoughts

    return Versus(
        _named(policy.translation.root),
        policy,
        policy.name,
        _may_have,
        is_partial=True,
        gap_words="bets that are not on the blueprint's menu are taken for those that are",
        thoughts=Thoughts(policy),
    )


def versus_spot(start: "SolutionNode", *, is_finished: bool = True) -> Versus:
    """Return a solved spot, whose hands begin at a node of its solution."""
    from untilt.policy.saved.spot_game import game_of_spot
    from untilt.policy.spot import SpotPolicy, place_of

    game, solution = game_of_spot(start), start.solution
    streets = solution.view.betting.streets
    policy = SpotPolicy(solution)

    def has_infoset(player: int, label: str) -> bool:
        owner, known = split_label(label)
        if owner != player:
            return False
        try:
            return place_of(solution, Turn(player, label, *known, ()))[0].player == player
        except UntiltError:
            return False

    first, second = (
        any(bool(np.any(forest.player == player)) for forest in streets) for player in (0, 1)
    )
    return Versus(
        game,
        policy,
        _described(is_finished, is_partial=False),
        has_infoset,
        decides=(first, second),
        is_finished=is_finished,
        is_zero_sum=solution.spot.is_zero_sum,
    )


def versus_policy(game: MatchGame, policy: Policy) -> Versus:
    """Return a policy of matches; what mistakes cost against it is not said."""
    compiled = game.compiled
    has_classes = game.terms.private == "hand class"

    def has_infoset(player: int, label: str) -> bool:
        return compiled is not None and compiled.infosets[player].find(label) is not None

    counts = [0] * game.num_players
    for position in random_hand(game.root, random.Random(0), _MAX_MOVES):
        if not position.terminal and not position.chance:
            player = position.active
            private = knowledge_of(position.infoset(player)).private
            counts[player] = 2 if has_classes else len(faces_of(private))
    decides = (True,) * game.num_players
    if compiled is not None:
        decides = tuple(map(bool, compiled.infosets))
    return Versus(
        game,
        policy,
        policy.name,
        has_infoset,
        (counts[0], *(count or max(counts) for count in counts[1:])),
        decides,
        is_zero_sum=compiled is None or compiled.is_zero_sum,
        has_hand_classes=has_classes,
        is_reviewed=False,
    )


def _described(is_finished: bool, *, is_partial: bool) -> str:
    if not is_finished:
        return "the strategy so far"
    return "the strategy" if is_partial else "the equilibrium"


def _may_have(player: int, label: str) -> bool:
    """Return whether a player may have an infoset of a game that is too large to list them."""
    return label.startswith(f"P{player}:")


def _named(root: Game) -> MatchGame:
    named = name_position(root)
    return MatchGame(named.name, named.title, named.parameters, root)


def _num_held(compiled: CompiledGame, player: int, has_classes: bool) -> int:
    """Return how many cards, dice or other things a player holds; 0 if nothing."""
    texts = [text for text in compiled.infosets[player].column("private").texts if text]
    if has_classes and texts:
        return 2
    return len(faces_of(texts[0])) if texts else 0
