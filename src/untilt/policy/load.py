"""Agents by name: what a user types for an agent of a match or a bot.

    run/                          the folder of a run, including a blueprint's
    blueprint.bin                 a blueprint without its run
    strategy.json                 a file {infoset: {action: probability}}
    bot.py:Careful                a class or function in a Python file; running it requires trust
    random, call, fold            see `untilt.policy.simple`
    hune, nash, push=22+;call=AA  a chart of push/fold; if that is played, also its files

Options follow the name, in the same text: `"bot.py:Careful level=3"`, or `"bp/ --think 1s"`. Those
of a class are the arguments of its constructor. A blueprint that has time to `think` solves its
rivers at the table.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from untilt.abstraction.bet_translation import MAPPINGS, PSEUDO_HARMONIC
from untilt.abstraction.translation import Translation
from untilt.errors import (
    Argument,
    GameError,
    InvalidOption,
    RunError,
    StrategyError,
    UnknownName,
    UntiltError,
    shortened,
)
from untilt.formats.base.files import read_given_json, shown
from untilt.formats.kinds.blueprint_path import is_blueprint
from untilt.formats.kinds.strategy_file import read_plain_strategy
from untilt.formats.run.run_folder import RunFolder, SavedRun
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import PlainProfile, Profile, profile_from_dict
from untilt.games.registry import GameLike, name_game
from untilt.lazy import provided
from untilt.options.thinking import THINKING as OPTIONS
from untilt.policy.code import CodePolicy, PolicyLike, as_policy
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame, is_same_game, made_game, registered_game
from untilt.policy.saved.saved_run import (
    SPOT_KIND,
    Solved,
    abstract_root,
    read_saved_run,
    root_of_run,
    run_in_memory,
    verify_strategy,
)
from untilt.policy.simple import BUILT_IN
from untilt.policy.tabular import TabularPolicy
from untilt.policy.translated import translated_policy

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.games.holdem.spots.reached_spot import HasPath
    from untilt.games.pushfold.chart import PushFoldChart

_OPTION = re.compile(r"([A-Za-z_]\w*)=(\S*)")
_FLAG = re.compile(r"--([A-Za-z][\w-]*)")
_CODE = re.compile(r"(.+\.py):([A-Za-z_]\w*)", re.DOTALL)


@dataclass(frozen=True)
class PolicySpec:
    """An agent as a user typed it."""

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


def parse_agent(text: str) -> PolicySpec:
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
    return PolicySpec(text, rest, dict(reversed(options.items())))


AnyAgent: TypeAlias = (
    "PolicySpec | str | os.PathLike[str] | HasPath | Solution | PushFoldChart | PolicyLike"
)
"""Text as on the command line, a path, what was loaded from one, or anything that can play."""


class Loaded(NamedTuple):
    """A policy that has been found, before it is known which game is played."""

    game: MatchGame | None
    """The game that it names; None if it plays any, or does not say."""
    policy: Callable[[MatchGame], Policy]
    """Returns the policy for a game; raises UntiltError if it plays another."""
    has_other_stakes: bool = False
    """Whether it also plays games that are its own up to a factor of chips."""


def load_agents(
    agents: Sequence[AnyAgent],
    game: "MatchGame | GameLike | None" = None,
    *,
    trust: bool = False,
) -> tuple[MatchGame, list[Policy]]:
    """Return the game and the agents, for `match`, `Table` and `Bot`.

    An agent is text as on the command line, what `untilt.load` returns, or anything that can sit
    at a table. `game` is needed if no agent names its game.

    Raises InvalidOption if nothing says which game it is, RunError if agents play different ones.

    >>> from untilt.play import Table, load_agents
    >>> game, agents = load_agents(["random", "call"], "kuhn")
    >>> sum(Table(game.root, agents, seed=1).play_hand(0).payoffs)
    0.0
    """
    if isinstance(agents, str):
        raise InvalidOption(f"agents is {shortened(agents)}; give a list: [{shortened(agents)}]")
    if game is not None and not isinstance(game, MatchGame):
        game = made_game(name_game(game))
    given = list(map(_spec_of, agents))
    is_named = game is not None
    charts = game is not None and plays_charts(game.root)
    loaded = [find_any(agent, is_named=is_named, charts=charts, trust=trust) for agent in given]
    for spec, agent in zip(given, loaded, strict=True):
        if agent.game is None:
            continue
        if game is None:
            game = agent.game
        elif not agent.has_other_stakes and not is_same_game(game, agent.game):
            raise RunError(
                f"{_source(spec)} plays {agent.game.described}, not {game.described}: agents of a "
                "match must play the same game"
            )
    if game is None:
        raise InvalidOption(
            "no agent says which game it plays; add ",
            Argument("game"),
            ", such as ",
            Argument("game", "kuhn"),
        )
    return game, [agent.policy(game) for agent in loaded]


def _spec_of(agent: AnyAgent) -> "PolicySpec | Solution | PushFoldChart | PolicyLike":
    """Return an agent that is named, or that was loaded from a path, as what is found there."""
    if isinstance(agent, PolicySpec):
        return agent
    if isinstance(agent, str | os.PathLike):
        return parse_agent(os.fspath(agent))
    path = None if hasattr(agent, "act") else getattr(agent, "path", None)
    if isinstance(path, Path):
        return PolicySpec(str(path), str(path), {})
    return agent  # type: ignore[return-value]  # its form is checked when it sits down


def _source(agent: "PolicySpec | Solution | PushFoldChart | PolicyLike") -> str:
    return agent.source if isinstance(agent, PolicySpec) else shortened(agent)


def find_any(
    agent: AnyAgent,
    *,
    is_named: bool = False,
    charts: bool = False,
    trust: bool = False,
) -> Loaded:
    """Return the policy of one of the agents that `load_agents` takes.

    If the caller names the game, `is_named`, policies and runs in memory are taken as they are; if
    that is push/fold, files are `charts`.
    """
    spec = _spec_of(agent)
    if isinstance(spec, PolicySpec):
        return find_agent(spec, is_named=is_named, charts=charts, trust=trust)
    return _given(spec, is_named=is_named)


def holds_spot(path: Path) -> bool:
    """Whether a folder holds a solved spot; raise RunError if it holds no run."""
    return RunFolder(path).record().kind == SPOT_KIND


def plays_charts(root: object) -> bool:
    """Whether a game is push/fold, which charts of all its sources can play."""
    from untilt.games.pushfold.game import PushFold

    return isinstance(root, PushFold)


def solved_spot(agent: AnyAgent) -> "Solution | None":
    """Return the solved spot that an agent is or names; None for any other agent."""
    spec = _spec_of(agent)
    if isinstance(spec, PolicySpec):
        path, is_folder = Path(spec.source), False
        with suppress(OSError):  # a range can be longer than the longest file name
            is_folder = path.is_dir()
        if not is_folder or is_blueprint(path) or not holds_spot(path):
            return None
        spec.take()
        from untilt.policy.spot import read_spot

        return read_spot(path)
    if not hasattr(spec, "spot"):
        return getattr(spec, "solution", None)
    from untilt.games.holdem.solutions.solution import Solution

    return spec if isinstance(spec, Solution) else None


def find_agent(
    spec: PolicySpec, *, is_named: bool = False, charts: bool = False, trust: bool = False
) -> Loaded:
    """Return the policy that `spec` names; a policy of a user's file as one that is given."""
    if spec.source in BUILT_IN:
        spec.take()
        return Loaded(None, _always(BUILT_IN[spec.source]()))
    if (code := _CODE.fullmatch(spec.source)) is not None:
        return _given(_code(spec, code[1], code[2], trust=trust), is_named=is_named)
    if charts or _names_chart(spec.text):
        return Loaded(None, _chart(spec.text))
    path = Path(spec.source)
    if is_blueprint(path):
        return _blueprint(spec, path)
    if path.is_dir():
        if holds_spot(path):
            spec.take()
            from untilt.policy.spot import read_spot

            return _of_solution(spec.source, read_spot(path))
        saved = read_saved_run(path)
        return _run(spec, saved, root_of_run(saved, trust=trust))
    if path.is_file() and path.suffix != ".py":
        spec.take()
        return _file(spec, path)
    hint = ": name the class too, file.py:Class" if path.suffix == ".py" else ""
    raise RunError(
        f"{shown(path)} is not an agent{hint}; give the folder of a run, a strategy file, "
        f"file.py:Class or one of {', '.join(BUILT_IN)}"
    )


def _always(policy: Policy) -> Callable[[MatchGame], Policy]:
    return lambda game: policy


def _run(spec: PolicySpec, saved: SavedRun, root: Game) -> Loaded:
    """Return the strategy of a run; one of an abstract game plays the real game."""
    abstract = abstract_root(root)
    if abstract is not None:
        mapping = _mapping(spec)
        verify_strategy(abstract, saved.profile, spec.source)
        translation = Translation(abstract, saved.profile, mapping=mapping)
        policy = translated_policy(spec.source, translation)
        return Loaded(policy.own_game(), _always(policy))
    spec.take()
    rules = getattr(root, "rules", None)
    # The rules themselves, if known, are faster than the saved histories.
    fast = rules if isinstance(rules, Game) else root
    asked = saved.asked
    game = MatchGame(asked.game, asked.title, asked.parameters, fast, saved.game)
    policy = TabularPolicy.of(saved, spec.source)
    policy.game = game
    return Loaded(game, _always(policy))


def _given(agent: "Solution | PushFoldChart | PolicyLike", *, is_named: bool) -> Loaded:
    """Return an agent that is given as an object; runs and solutions need not be saved."""
    if isinstance(agent, Policy):
        own = None if is_named else agent.own_game()
        return Loaded(own, as_policy(agent).playing, agent.has_other_stakes)
    if hasattr(agent, "spot"):
        from untilt.games.holdem.solutions.solution import Solution

        if isinstance(agent, Solution):
            return _of_solution("the solution", agent)
    if hasattr(agent, "play"):
        from untilt.games.pushfold.chart import PushFoldChart

        if isinstance(agent, PushFoldChart):
            return _of_chart(agent, is_named=is_named)
    if not is_named and isinstance(agent, Solved) and isinstance(agent.profile, Profile):
        saved = run_in_memory(agent)
        try:
            return _run(PolicySpec("a profile", "a profile"), saved, root_of_run(saved))
        except UntiltError:  # of a game made in Python, which the caller has to give
            return Loaded(None, _always(as_policy(agent)))
    return Loaded(None, _always(as_policy(agent)))


def _names_chart(text: str) -> bool:
    from untilt.games.pushfold.chart_text import is_chart_name

    return is_chart_name(text)


def _chart(text: str) -> Callable[[MatchGame], Policy]:
    """Return what makes a policy of a chart: it plays at the stakes of the game.

    A range has equals signs of its own, so the text is taken as it is.
    """

    def policy(game: MatchGame) -> Policy:
        from untilt.games.pushfold.chart import PushFoldPlay, profile_of
        from untilt.games.pushfold.game import PushFold

        root: Any = game.root
        if not isinstance(root, PushFold) or game.compiled is None:
            raise InvalidOption(f"{text} is a chart of push/fold, but {game.described} is played")
        play: PushFoldPlay = provided("the play of a chart")(text, root.stakes)
        return TabularPolicy(profile_of(game.compiled, play), name=text)

    return policy


def _of_chart(chart: "PushFoldChart", *, is_named: bool) -> Loaded:
    """Return the play of a chart that was computed, for the stakes of the chart or of the game."""
    from untilt.games.pushfold.chart import profile_of

    def policy(game: MatchGame) -> Policy:
        if not plays_charts(game.root) or game.compiled is None:
            raise InvalidOption(f"{chart!r} does not play {game.described}")
        return TabularPolicy(profile_of(game.compiled, chart.play), name="the chart")

    own = None if is_named else registered_game("pushfold", chart.parameters)
    return Loaded(own, policy)


def _of_solution(name: str, solution: "Solution") -> Loaded:
    """Return a solved spot, which plays the hands that begin there."""
    from untilt.policy.spot import SpotPolicy

    policy = SpotPolicy(solution)
    policy.name = name
    return Loaded(policy.own_game(), _always(policy))


def _blueprint(spec: PolicySpec, path: Path) -> Loaded:
    """Return a blueprint, which plays the game it was trained for, at any stakes."""
    from untilt.policy.blueprint import BlueprintPolicy, load_blueprint

    options = spec.take("translation", *THINKING)
    translation = load_blueprint(path, mapping=_mapping(spec, *THINKING))
    policy = BlueprintPolicy(translation, name=spec.source)
    if any(name in options for name in THINKING):
        from untilt.policy.resolving import policy_with_options

        policy = policy_with_options(translation, options, spec.text)
    return Loaded(policy.own_game(), policy.playing, has_other_stakes=True)


THINKING = tuple(option.name for option in OPTIONS)
"""Options with which a blueprint solves streets."""


def _mapping(spec: PolicySpec, *others: str) -> str:
    mapping = spec.take("translation", *others).get("translation", PSEUDO_HARMONIC)
    if mapping not in MAPPINGS:
        raise UnknownName.among("translation", mapping, MAPPINGS)
    return mapping


def _file(spec: PolicySpec, path: Path) -> Loaded:
    """Return a strategy as a JSON file; it must fit the game that is played."""
    plain: PlainProfile = read_plain_strategy(path)

    def policy(game: MatchGame) -> Policy:
        with _naming(path):
            if game.compiled is None:
                return TabularPolicy(plain, name=spec.source)
            profile = profile_from_dict(game.compiled, plain)
            return TabularPolicy(profile, game.compiled.forced, name=spec.source)

    match read_given_json(path):
        case {"game": str() as name, "parameters": dict() as parameters}:
            return Loaded(registered_game(name, parameters), policy)
    return Loaded(None, policy)


def _code(spec: PolicySpec, file: str, attribute: str, *, trust: bool) -> Policy:
    """Return a class or function that a user wrote."""
    from untilt.games.loading import load_file
    from untilt.games.parameters import bind_parameters, parameters_of

    if not trust:
        raise InvalidOption(
            f"{spec.source} is Python code; if you trust it, add ",
            Argument("trust", True),
            " to run it",
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

            raise GameError(f"{spec.source} cannot be made: {described_error(error)}") from error
    else:
        spec.take()
    return agent if isinstance(agent, Policy) else CodePolicy(spec.source, agent)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of any error in its strategy."""
    try:
        yield
    except StrategyError as error:
        raise StrategyError(f"{shown(path)}: {error}") from error
