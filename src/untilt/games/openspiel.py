"""Sequential OpenSpiel games of any number of players, as positions of the `Game` protocol.

This needs the extra `untilt[openspiel]`; pyspiel is imported only when a game is loaded.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

from untilt.errors import GameError, UnknownName
from untilt.game.protocol import MAX_PLAYERS, Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import Parameter, ParameterValue, bind_parameters

_NO_PARAMETERS: Mapping[str, ParameterValue] = {}


class OpenSpielAction(NamedTuple):
    """An action or chance outcome: OpenSpiel's number for it, and its name."""

    number: int
    name: str

    def __str__(self) -> str:
        return self.name


class OpenSpielInfoset:
    """The information state of a player; its label is `P0:` and OpenSpiel's string on one line."""

    __slots__ = ("_actions", "_hash", "information_state", "player")

    def __init__(
        self, player: int, information_state: str, actions: tuple[OpenSpielAction, ...]
    ) -> None:
        self.player = player
        self.information_state = information_state
        self._actions = actions
        self._hash = hash((player, information_state))

    def actions(self) -> tuple[OpenSpielAction, ...]:
        """Return the legal actions in OpenSpiel's order."""
        return self._actions

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        # Actions are not compared, so that a game that offers different ones is detected.
        if not isinstance(other, OpenSpielInfoset):
            return NotImplemented
        return self.player == other.player and self.information_state == other.information_state

    def __str__(self) -> str:
        return f"P{self.player}:{_one_line(self.information_state)}"

    def __repr__(self) -> str:
        return f"<OpenSpielInfoset {self}>"


class OpenSpielGame(Game):
    """A position of an OpenSpiel game, around a pyspiel state that is never changed."""

    terms = Terms(has_forced_moves=True)  # some have them; OpenSpiel does not say which

    def __init__(
        self,
        state: Any,
        infosets: dict[tuple[int, str, tuple[int, ...]], OpenSpielInfoset] | None = None,
    ) -> None:
        self.state = state
        # Each action name costs a call into C++, so every infoset is named only once.
        self._infosets = {} if infosets is None else infosets

    @cached_property
    def num_players(self) -> int:
        """The number of players."""
        return int(self.state.num_players())

    @cached_property
    def terminal(self) -> bool:
        return bool(self.state.is_terminal())

    @cached_property
    def chance(self) -> bool:
        return bool(self.state.is_chance_node())

    @cached_property
    def active(self) -> int:
        return int(self.state.current_player())

    @cached_property
    def _returns(self) -> list[float]:
        return list(self.state.returns())

    def payoff(self, player: int) -> float:
        return self._returns[player]

    def chances(self) -> Sequence[tuple[OpenSpielAction, float]]:
        outcomes = self.state.chance_outcomes()
        names = self._named([number for number, _ in outcomes], self.state.current_player())
        return [(name, probability) for name, (_, probability) in zip(names, outcomes, strict=True)]

    def infoset(self, player: int) -> OpenSpielInfoset:
        numbers = tuple(self.state.legal_actions(player))
        key = player, self.state.information_state_string(player), numbers
        infoset = self._infosets.get(key)
        if infoset is None:
            infoset = OpenSpielInfoset(player, key[1], self._named(numbers, player))
            self._infosets[key] = infoset
        return infoset

    def apply(self, action: Action) -> "OpenSpielGame":
        if not isinstance(action, OpenSpielAction):
            raise GameError(f"{action!r} is not an action of this game; use one of actions()")
        return OpenSpielGame(self.state.child(action.number), self._infosets)

    def __repr__(self) -> str:
        return f"<OpenSpielGame {self.state.get_game()} after {self.state.history()}>"

    def _named(self, numbers: Sequence[int], player: int) -> tuple[OpenSpielAction, ...]:
        names = [_one_line(self.state.action_to_string(player, number)) for number in numbers]
        occurrences = Counter(names)
        return tuple(
            OpenSpielAction(number, name if occurrences[name] == 1 else f"{name} ({number})")
            for number, name in zip(numbers, names, strict=True)
        )


class LoadedOpenSpiel(NamedTuple):
    """An OpenSpiel game with its names."""

    game: OpenSpielGame
    name: str
    """OpenSpiel's short name, such as `leduc_poker`."""
    title: str
    parameters: dict[str, ParameterValue]
    """All its parameters, except those that are games themselves."""


def load_openspiel(
    text: str, parameters: Mapping[str, ParameterValue] = _NO_PARAMETERS
) -> LoadedOpenSpiel:
    """Return the game that OpenSpiel calls `text`, as in `leduc_poker(suit_isomorphism=True)`.

    `parameters` override those written inside `text`.
    """
    pyspiel = _import_pyspiel()
    try:
        given: dict[str, Any] = pyspiel.game_parameters_from_string(text)
    except pyspiel.SpielError as error:
        raise GameError(f"openspiel:{text} cannot be read: {_one_line(str(error))}") from None
    name = given.pop("name", "")
    if name not in pyspiel.registered_names():
        raise UnknownName.among("OpenSpiel game", name, pyspiel.registered_names())
    specification: dict[str, Any] = next(
        each.parameter_specification
        for each in pyspiel.registered_games()
        if each.short_name == name
    )
    # A game that is a parameter of a game is a dict here; it can only be given inside `text`.
    settable = [
        Parameter(key, (type(default),), default=default)
        for key, default in specification.items()
        if isinstance(default, bool | int | float | str)
    ]
    nested = {key: value for key, value in given.items() if isinstance(value, dict)}
    scalars = {key: value for key, value in given.items() if key not in nested}
    asked = {**scalars, **parameters}
    bound = bind_parameters(f"openspiel:{name}", settable, asked)
    # Only given parameters are passed on: a default in the specification may be a placeholder.
    chosen = {key: bound[key] for key in asked}
    try:
        game = pyspiel.load_game(name, {**nested, **chosen})
    except Exception as error:  # OpenSpiel does not only raise SpielError
        raise GameError(f"openspiel:{text} cannot be loaded: {_one_line(str(error))}") from None
    _verify_supported(game, f"openspiel:{text}", pyspiel)
    root = OpenSpielGame(game.new_initial_state())
    return LoadedOpenSpiel(root, name, f"{game.get_type().long_name} (OpenSpiel)", bound)


def _verify_supported(game: Any, reference: str, pyspiel: ModuleType) -> None:
    kind = game.get_type()
    if not 2 <= game.num_players() <= MAX_PLAYERS:
        raise GameError(
            f"{reference} has {game.num_players()} player{'s' * (game.num_players() != 1)}; games "
            f"have 2 to {MAX_PLAYERS}"
        )
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise GameError(
            f"{reference} has simultaneous moves; only turn-based games are supported: "
            f"try 'openspiel:turn_based_simultaneous_game(game={game})'"
        )
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{reference} does not list its chance outcomes with probabilities")
    if not kind.provides_information_state_string:
        raise GameError(
            f"{reference} does not provide information state strings, so it has no infosets"
        )


def _import_pyspiel() -> ModuleType:
    try:
        import pyspiel
    except ImportError as error:
        raise GameError(
            f"OpenSpiel games need an extra: pip install 'untilt[openspiel]' ({error})"
        ) from None
    assert isinstance(pyspiel, ModuleType)
    return pyspiel


def _one_line(text: str) -> str:
    return text.strip().replace("\n", " | ")
