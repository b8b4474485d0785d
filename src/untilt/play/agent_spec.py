"""Agents by name: what a user types for an agent of a match or a bot.

    run/                          the folder of a run, including a blueprint's
    blueprint.bin                 a blueprint without its run
    strategy.json                 a file {infoset: {action: probability}}
    bot.py:Careful                a class or function in a Python file; running it requires trust
    random, call, fold            see `untilt.play.entrants`

Options follow the name, in the same text: `"bot.py:Careful level=3"`, or `"bp/ --think 1s"`. Those
of a class are the arguments of its constructor. A blueprint that has time to `think` solves its
rivers at the table.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from untilt.abstraction.abstract_game import AbstractPosition
from untilt.abstraction.translation import MAPPINGS, PSEUDO_HARMONIC, Translation
from untilt.errors import (
    Argument,
    GameError,
    GameTooLarge,
    InvalidOption,
    RunError,
    StrategyError,
    UnknownName,
    UntiltError,
    shortened,
)
from untilt.formats.blueprint_path import is_blueprint
from untilt.formats.files import read_given_json, shown
from untilt.formats.strategy import read_plain_strategy
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.protocol import Game
from untilt.game.strategy import PlainProfile, profile_from_dict
from untilt.game.terms import terms_of
from untilt.games.registry import NamedGame, name_position, resolve
from untilt.play.abstract_opponent import abstract_root, verify_abstraction
from untilt.play.agents import Rules
from untilt.play.entrants import (
    CodeEntrant,
    Entrant,
    RandomEntrant,
    StrategyEntrant,
    TranslatedEntrant,
    call_entrant,
    fold_entrant,
    translated_entrant,
)
from untilt.play.opponent import Opponent
from untilt.play.strategy_agent import StrategyAgent

BUILT_IN: Mapping[str, Callable[[], Entrant]] = {
    "random": RandomEntrant,
    "call": call_entrant,
    "fold": fold_entrant,
}
"""Agents that need nothing but their name."""

MAX_COMPILED = 500_000
"""A game given by name is compiled, to check strategies against it, up to this many histories."""

_OPTION = re.compile(r"([A-Za-z_]\w*)=(\S*)")
_FLAG = re.compile(r"--([A-Za-z][\w-]*)")
_CODE = re.compile(r"(.+\.py):([A-Za-z_]\w*)", re.DOTALL)


@dataclass(frozen=True)
class AgentSpec:
    """What a user typed for an agent."""

    text: str
    source: str
    options: Mapping[str, str] = field(default_factory=dict)

    def take(self, *known: str) -> Mapping[str, str]:
        """Return the options; raise InvalidOption if one is not among the `known`."""
        for name in self.options:
            if name not in known:
                allowed = f"it has {', '.join(known)}" if known else "it has none"
                raise InvalidOption(f"{self.source} has no option {name!r}; {allowed}")
        return self.options


def parse_agent(text: str) -> AgentSpec:
    """Return name and options of an agent: words at the end, `name=value` or `--name value`."""
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise InvalidOption(
            f"{shortened(text)} is not an agent; give a run, a strategy file, file.py:Class or "
            f"one of {', '.join(BUILT_IN)}"
        )
    words = text.split()
    options: dict[str, str] = {}
    rest = text.strip()
    while len(words) > 1:
        flag = _FLAG.fullmatch(words[-2]) if len(words) > 2 else None
        found = _OPTION.fullmatch(words[-1].removeprefix("--")) if flag is None else None
        if flag is not None:
            name, value = flag[1].replace("-", "_"), words[-1]
        elif found is not None:
            name, value = found[1], found[2]
        else:
            break
        if name in options:
            raise InvalidOption(f"the option {name} is given twice in {text!r}; give it once")
        options[name] = value
        for _ in range(1 if flag is None else 2):
            rest = rest[: -len(words.pop())].rstrip()
    return AgentSpec(text, rest, dict(reversed(options.items())))


@dataclass(frozen=True, eq=False)
class MatchGame:
    """The game of a match."""

    name: str
    title: str
    parameters: Mapping[str, Any]
    root: Game
    compiled: CompiledGame | None = None
    """None for a game that is too large."""

    @property
    def rules(self) -> Rules:
        """What agents learn about the game."""
        return Rules(self.name, self.parameters, terms_of(self.root))

    @property
    def described(self) -> str:
        """Name and parameters, for messages."""
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}({given})" if given else self.name


class LoadedAgent(Protocol):
    """An agent that has been found, before its game is known."""

    @property
    def game(self) -> MatchGame | None:
        """The game that the agent itself names; None if it plays any, or does not say."""
        ...

    def entrant(self, game: MatchGame) -> Entrant:
        """Return the agent for a match of `game`; raises StrategyError if it plays another."""
        ...


def load_agents(
    specs: Sequence[AgentSpec], game: MatchGame | None = None, *, trust: bool = False
) -> tuple[MatchGame, list[Entrant]]:
    """Return the game and the agents; `game` is needed if no agent names its game.

    Raises InvalidOption if nothing says which game it is, RunError if agents play different ones.
    """
    loaded = [find_agent(spec, trust=trust) for spec in specs]
    for spec, agent in zip(specs, loaded, strict=True):
        if agent.game is None:
            continue
        if game is None:
            game = agent.game
        elif not _is_same(game, agent.game):
            raise RunError(
                f"{spec.source} plays {agent.game.described}, not {game.described}: agents of a "
                "match must play the same game"
            )
    if game is None:
        raise InvalidOption(
            "no agent says which game it plays; add ",
            Argument("game"),
            ", such as ",
            Argument("game", "kuhn"),
        )
    return game, [agent.entrant(game) for agent in loaded]


def find_agent(spec: AgentSpec, *, trust: bool = False) -> LoadedAgent:
    """Return the agent that `spec` names."""
    if spec.source in BUILT_IN:
        spec.take()
        return _BuiltIn(spec.source)
    if (code := _CODE.fullmatch(spec.source)) is not None:
        return _Code(spec, code[1], code[2], trust=trust)
    path = Path(spec.source)
    if is_blueprint(path):
        return _Blueprint(spec, path)
    if path.is_dir():
        opponent = Opponent.load(path, trust=trust)
        root = abstract_root(opponent.root)
        if root is not None:
            return _AbstractRun(spec, opponent, root)
        spec.take()
        return _Run(spec, opponent)
    if path.is_file() and path.suffix != ".py":
        spec.take()
        return _File(spec, path)
    hint = ": name the class too, file.py:Class" if path.suffix == ".py" else ""
    raise RunError(
        f"{shown(path)} is not an agent{hint}; give the folder of a run, a strategy file, "
        f"file.py:Class or one of {', '.join(BUILT_IN)}"
    )


@dataclass(frozen=True)
class _BuiltIn:
    name: str
    game: None = None

    def entrant(self, game: MatchGame) -> Entrant:
        return BUILT_IN[self.name]()


class _Run:
    """The strategy of a run of a game that was compiled, or sampled on its own positions."""

    def __init__(self, spec: AgentSpec, opponent: Opponent) -> None:
        self._spec = spec
        self._opponent = opponent

    @property
    def game(self) -> MatchGame:
        found = self._opponent
        root = getattr(found.root, "rules", None)
        return MatchGame(
            found.name,
            found.title,
            found.parameters,
            # The rules themselves, if known, are faster than the saved histories.
            root if isinstance(root, Game) else found.root,
            found.game,
        )

    def entrant(self, game: MatchGame) -> Entrant:
        found = self._opponent
        return StrategyEntrant(self._spec.source, found.agent)


class _AbstractRun:
    """The strategy of a run of an abstract game, which plays the real game."""

    def __init__(self, spec: AgentSpec, opponent: Opponent, root: AbstractPosition) -> None:
        mapping = _mapping(spec)
        verify_abstraction(root, opponent.profile, spec.source)
        self._name = spec.source
        self._root = root
        self._translation = Translation(root, opponent.profile, mapping=mapping)

    @property
    def game(self) -> MatchGame:
        return made_game(name_position(self._root.base))

    def entrant(self, game: MatchGame) -> Entrant:
        return translated_entrant(self._name, self._translation)


class _Blueprint:
    """A blueprint, which plays no-limit hold'em with the stacks that it was trained for."""

    def __init__(self, spec: AgentSpec, path: Path) -> None:
        from untilt.play.blueprint_agent import load_blueprint

        self._spec = spec
        self._options = spec.take("translation", *THINKING)
        self._translation = load_blueprint(path, mapping=_mapping(spec, *THINKING))

    @property
    def game(self) -> MatchGame:
        return made_game(name_position(self._translation.root))

    def entrant(self, game: MatchGame) -> Entrant:
        if not any(name in self._options for name in THINKING):
            return TranslatedEntrant(self._spec.source, self._translation)
        from untilt.play.resolving_agent import ResolvingEntrant, agent_with_options

        return ResolvingEntrant(
            self._spec.text, agent_with_options(self._translation, self._options)
        )


THINKING = ("think", "iterations", "streets", "threads", "mode", "belief")
"""Options with which a blueprint solves streets."""


def _mapping(spec: AgentSpec, *others: str) -> str:
    mapping = spec.take("translation", *others).get("translation", PSEUDO_HARMONIC)
    if mapping not in MAPPINGS:
        raise UnknownName.among("translation", mapping, MAPPINGS)
    return mapping


class _File:
    """A strategy as a JSON file."""

    def __init__(self, spec: AgentSpec, path: Path) -> None:
        self._spec = spec
        self._path = path
        self._plain: PlainProfile = read_plain_strategy(path)

    @property
    def game(self) -> MatchGame | None:
        match read_given_json(self._path):
            case {"game": str() as name, "parameters": dict() as parameters}:
                return registered_game(name, parameters)
        return None

    def entrant(self, game: MatchGame) -> Entrant:
        with _naming(self._path):
            if game.compiled is not None:
                profile = profile_from_dict(game.compiled, self._plain)
                agent = StrategyAgent(profile, game.compiled.forced)
            else:
                agent = StrategyAgent(self._plain)
        return StrategyEntrant(self._spec.source, agent)


class _Code:
    """A class or function that a user wrote."""

    game: None = None

    def __init__(self, spec: AgentSpec, file: str, attribute: str, *, trust: bool) -> None:
        from untilt.games.loading import load_file
        from untilt.games.parameters import bind_parameters, parameters_of

        if not trust:
            raise InvalidOption(
                f"{spec.source} is Python code; if you trust it, add --trust to run it"
            )
        found: Any = getattr(load_file(file), attribute, None)
        if found is None:
            raise GameError(f"{file} has no attribute {attribute!r}")
        agent = found
        if isinstance(found, type):
            given = bind_parameters(spec.source, parameters_of(found), spec.options)
            try:
                agent = found(**given)
            except UntiltError:
                raise
            except Exception as error:
                from untilt.game.faults import described_error

                raise GameError(
                    f"{spec.source} cannot be made: {described_error(error)}"
                ) from error
        else:
            spec.take()
        self._entrant = CodeEntrant(spec.source, agent)

    def entrant(self, game: MatchGame) -> Entrant:
        return self._entrant


def registered_game(name: str, parameters: Mapping[str, Any]) -> MatchGame | None:
    """Return a game that comes with Untilt; None for any other name."""
    from untilt.games.recipe import Recipe

    if not Recipe(name, parameters).is_ours:
        return None
    return named_game(name, parameters)


def named_game(reference: str, parameters: Mapping[str, Any]) -> MatchGame:
    """Return the game that a reference names; this runs the code of a Python file."""
    return made_game(resolve(reference, parameters))


def made_game(named: NamedGame) -> MatchGame:
    """Return a game, compiled if it is small."""
    try:
        compiled = compile_game(named.game, max_nodes=MAX_COMPILED)
    except GameTooLarge:
        compiled = None
    return MatchGame(named.name, named.title, named.parameters, named.game, compiled)


def _is_same(game: MatchGame, other: MatchGame) -> bool:
    """Whether two games are the same: by all that matters for play, else by name."""
    known, given = game.compiled, other.compiled
    if known is None or given is None or known.is_partial or given.is_partial:
        return (game.name, dict(game.parameters)) == (other.name, dict(other.parameters))
    return known.fingerprint() == given.fingerprint()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of any error in its strategy."""
    try:
        yield
    except StrategyError as error:
        raise StrategyError(f"{shown(path)}: {error}") from error
