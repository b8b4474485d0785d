"""The functions of `import untilt`, which accept games and strategies in many forms.

A game is a position, a class or function that makes one, a reference as on the command line (a
name, `file.py:attr`, a Gambit file), a compiled game, a sequence form, or a run. A strategy is a
profile, a run, a pair of strategies, a plain `{infoset: {action: probability}}`, or the path of a
run or of a strategy file. Arguments are checked here, once; the functions called from here work
on sequence forms and profiles.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from untilt.errors import Argument, InvalidOption, RunError, StrategyError, shortened
from untilt.formats.files import path_of
from untilt.formats.strategy import read_plain_strategy
from untilt.game import compiled, strategy
from untilt.game.compiled import CompiledGame, compiled_form
from untilt.game.sequence_form import SequenceForm
from untilt.game.strategy import (
    PlainProfile,
    Profile,
    Strategy,
    strategy_from_dict,
    verify_player,
    verify_probabilities,
    verify_profile,
)
from untilt.game.tree import DEFAULT_MAX_NODES
from untilt.games.parameters import verify_mapping
from untilt.games.registry import REGISTRY, GameLike, name_game
from untilt.number import Amount, Integer, Number
from untilt.options.option import verify
from untilt.options.run import DRAWING, MAX_NODES, PORT, PROCESSES, REPLACE, TRUST

if TYPE_CHECKING:  # these load Numba, which is not needed to compile or play a game
    from untilt.abstraction.blueprint import Blueprint
    from untilt.cards.hand import RankedHand
    from untilt.dashboard.server import RunningServer
    from untilt.evaluation.action_values import ActionValues
    from untilt.evaluation.best_response import Evaluation
    from untilt.evaluation.comparison import Distance, HeadToHead
    from untilt.exploitation.local_best_response import OnHands
    from untilt.exploitation.measure import Exploitation
    from untilt.formats.phh import HandHistory
    from untilt.formats.run_list import RunSummary
    from untilt.game.check import GameReport
    from untilt.game.tree import OnWalked
    from untilt.games.holdem.solution import Solution
    from untilt.games.pushfold.chart import PushFoldChart, PushFoldSweep
    from untilt.games.pushfold.game import Stakes
    from untilt.play.hand_review import HandReview
    from untilt.play.head_to_head import MatchResult
    from untilt.policy.code import PolicyLike
    from untilt.policy.match_game import MatchGame
    from untilt.runs.comparing import StrategyComparison
    from untilt.runs.quantal import QuantalResponse
    from untilt.runs.run import Run
    from untilt.runs.sources import LoadedProfile
    from untilt.runs.tree_drawing import TreeDrawing

AnyGame: TypeAlias = "GameLike | CompiledGame | SequenceForm | Run"
"""Anything that stands for a game."""

AnyStrategy: TypeAlias = (
    "PlainProfile | Run | tuple[PlainProfile, PlainProfile] | str | os.PathLike[str]"
)
"""Anything that stands for a strategy of both players."""

AnyAgent: TypeAlias = "str | os.PathLike[str] | Blueprint | Solution | PolicyLike"
"""Anything that plays hands."""


def compile(  # noqa: A001
    game: AnyGame,
    *,
    parameters: Mapping[str, Any] | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
) -> CompiledGame:
    """Return `game` compiled: directly if the game supports that, else by walking its histories.

    `parameters` apply to a game given by name, class or function. `max_nodes` limits the histories
    walked; GameTooLarge is raised beyond it.

    >>> import untilt
    >>> untilt.compile("leduc", parameters={"ranks": 4}).num_infosets
    504
    """
    _verify_max_nodes(max_nodes)
    given = {} if parameters is None else parameters
    verify_mapping(given)
    known = game.game if _is_run(game) else game
    if isinstance(known, CompiledGame | SequenceForm):
        if given:
            raise InvalidOption("a compiled game takes no parameters; give the game by name")
        return known if isinstance(known, CompiledGame) else compiled_form(known)
    named = name_game(known, given)  # type: ignore[arg-type]  # a run was taken above
    return compiled.compile(named.game, max_nodes=int(max_nodes))


def uniform_profile(game: AnyGame) -> Profile:
    """Return the profile in which all actions of an infoset are equally likely.

    >>> import untilt
    >>> untilt.uniform_profile("kuhn")["P0:J:"]
    {'check': 0.5, 'bet': 0.5}
    """
    return strategy.uniform_profile(compile(game))


def random_profile(game: AnyGame, rng: np.random.Generator | int | None = None) -> Profile:
    """Return a profile drawn uniformly from each infoset's simplex.

    `rng` is a NumPy generator or a seed; without it the profile is not reproducible.

    >>> import untilt
    >>> untilt.random_profile("kuhn", 1) == untilt.random_profile("kuhn", 1)
    True
    """
    if isinstance(rng, np.random.Generator):
        return strategy.random_profile(compile(game), rng)
    if rng is not None and not Integer(0).accepts(rng):
        raise InvalidOption(
            f"rng is {shortened(rng)}; give numpy.random.default_rng(seed), or a seed, at least 0"
        )
    return strategy.random_profile(compile(game), np.random.default_rng(rng))


def profile_from_dict(game: AnyGame, plain: AnyStrategy) -> Profile:
    """Return `plain` as a profile, checked against the game.

    It must have every infoset of both players; forced moves are optional. A missing action has
    probability 0. Probabilities must sum to 1 within 1e-5, and are rescaled.

    >>> import untilt
    >>> plain = untilt.uniform_profile("kuhn").to_dict()
    >>> plain["P0:K:"] = {"bet": 1.0}
    >>> untilt.profile_from_dict("kuhn", plain)["P0:K:"]
    {'check': 0.0, 'bet': 1.0}
    """
    return _profile(compile(game), plain)


def evaluate(game: AnyGame, profile: "AnyStrategy | None" = None) -> "Evaluation":
    """Return the values and best-response gains of `profile`, in general-sum games too.

    For a run or its folder, no profile is needed: `untilt.evaluate(run)`.

    >>> import untilt
    >>> round(untilt.evaluate("kuhn", untilt.uniform_profile("kuhn")).nash_conv, 6)  # 11 / 12
    0.916667
    """
    from untilt.evaluation.best_response import evaluate as evaluate_form

    known = _loaded(game)
    if profile is None:
        if not _is_run(known):
            raise InvalidOption(
                "give the strategy to evaluate: a profile, a run, a file, or "
                "{infoset: {action: probability}}"
            )
        profile = known
    about = compile(known)
    return evaluate_form(about.exact_form(), _profile(about, profile))


def best_response(game: AnyGame, profile: AnyStrategy, player: int) -> tuple[Strategy, float]:
    """Return `player`'s pure best response to the other's strategy, and its value.

    `profile` may contain only the other player's strategy. Among equally good actions the response
    takes the first, even at infosets that the opponent never lets the player reach.

    >>> import untilt
    >>> response, value = untilt.best_response("kuhn", untilt.uniform_profile("kuhn"), player=0)
    >>> response["P0:K:"], round(value, 6)
    ({'check': 1.0, 'bet': 0.0}, 0.5)
    """
    from untilt.evaluation.best_response import best_response as respond

    player = verify_player(player)
    about = compile(_loaded(game))
    if isinstance(profile, Mapping) and not isinstance(profile, Profile):
        both = list(strategy.uniform_profile(about).strategies)
        both[1 - player] = strategy_from_dict(about, 1 - player, profile)
        profile = Profile((both[0], both[1]))
    return respond(about.exact_form(), _profile(about, profile), player)


def action_values(game: AnyGame, profile: AnyStrategy, player: int) -> "ActionValues":
    """Return `player`'s action values and reaches under `profile`.

    >>> import untilt
    >>> untilt.action_values("kuhn", untilt.uniform_profile("kuhn"), player=0).own_reach
    array([1. , 0.5, 1. , 0.5, 1. , 0.5])
    """
    from untilt.evaluation.action_values import action_values as values_of

    about = compile(_loaded(game))
    return values_of(about.exact_form(), _profile(about, profile), player)


def head_to_head(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> "HeadToHead":
    """Return what `profile` wins against `other` in each seat.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "lp", save=False)
    >>> untilt.head_to_head("kuhn", run, untilt.uniform_profile("kuhn")).mean > 0.0
    True
    """
    from untilt.evaluation.comparison import head_to_head as compare

    about = compile(_loaded(game))
    both = _profile(about, profile), _profile(about, other)
    return compare(about.exact_form(), *both)


def distance(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> "Distance":
    """Return how far apart two profiles are.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "lp", save=False)
    >>> untilt.distance("kuhn", run, run).largest
    0.0
    """
    from untilt.evaluation.comparison import distance as compare

    about = compile(_loaded(game))
    both = _profile(about, profile), _profile(about, other)
    return compare(about.exact_form(), *both)


def compare(
    first: AnyStrategy,
    second: AnyStrategy,
    *,
    game: GameLike | None = None,
    parameters: Mapping[str, Any] | None = None,
    trust: bool = False,
    watcher: "OnWalked | None" = None,
) -> "StrategyComparison":
    """Return two strategies of a game side by side: values, head to head, where they differ.

    `game` and its `parameters` are needed if neither strategy is a run or names its game. Runs on
    an abstract game are compared in the full game, if that compiles; `trust` allows running the
    Python code that they name. `watcher` is called while a game is walked.

    >>> import untilt
    >>> exact = untilt.solve("kuhn", "lp", save=False)
    >>> found = untilt.compare(exact, untilt.uniform_profile("kuhn"))
    >>> found.head_to_head.mean > 0.0, found.differences[0].distance
    (True, 0.5)
    """
    from untilt.runs.comparing import compare_sources

    _verify_trust(trust)
    _verify_watcher(watcher)
    given = {} if parameters is None else parameters
    verify_mapping(given)
    if game is None and not _names_game(first):
        other = _source(second, None, given, watcher)
        return compare_sources(_beside(first, other), other, trust=trust, watcher=watcher)
    one = _source(first, game, given, watcher)
    return compare_sources(one, _beside(second, one), trust=trust, watcher=watcher)


def tree(
    game: "GameLike | Run",
    strategy: "AnyStrategy | None" = None,
    *,
    after: str | Iterable[str] = (),
    depth: int | None = None,
    max_nodes: int = 300,
    parameters: Mapping[str, Any] | None = None,
) -> "TreeDrawing":
    """Return the tree of a game with its infosets as a picture, for notebooks and `.save(path)`.

    A run, or its folder, is drawn with its strategy, any other game with `strategy` if one is
    given: the more likely an action, the wider its line. `after` lists the moves, such as
    `"J, Q, check"`, that come before the part to draw. `depth` limits the number of moves and
    `max_nodes` the number of nodes: as many whole levels as fit are drawn.

    >>> import untilt
    >>> drawing = untilt.tree("kuhn", untilt.uniform_profile("kuhn"))
    >>> len(drawing.outline.nodes), len(drawing.outline.infosets())
    (58, 12)
    >>> drawing.save("kuhn.svg").name
    'kuhn.svg'
    """
    from untilt.runs.tree_drawing import DrawnGame, draw_tree

    verify(DRAWING, max_nodes=max_nodes, depth=depth)
    if not isinstance(after, Iterable):
        raise InvalidOption.of("after", after, "give moves, such as 'J, Q, check'")
    moves = after.split(",") if isinstance(after, str) else [str(move) for move in after]
    given = {} if parameters is None else parameters
    verify_mapping(given)
    if is_run_folder(game) or _is_run(game):
        if given or strategy is not None:
            raise InvalidOption(
                "a run has its own parameters and strategy; leave others out, or give the game"
            )
        drawn = DrawnGame.of_run(_source(game, None, {}))
    else:
        named = name_game(game, given)  # type: ignore[arg-type]  # a run was taken above
        played = None if strategy is None else _source(strategy, named, {})
        drawn = DrawnGame.of_game(named, played)
    wanted = [move.strip() for move in moves if move.strip()]
    return draw_tree(drawn, after=wanted, depth=depth, max_nodes=int(max_nodes))


def is_run_folder(game: object) -> bool:
    """Whether `game` is the path of a folder; a game's name never is, whatever folders exist."""
    if not isinstance(game, str | os.PathLike) or str(game) in REGISTRY:
        return False
    return path_of(game).is_dir()


def check(
    game: GameLike,
    *,
    parameters: Mapping[str, Any] | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
) -> "GameReport":
    """Return what a game looks like, and every rule of the protocol that it breaks.

    The game and its `parameters` are as for `untilt.solve`; `max_nodes` limits the histories
    walked.

    >>> import untilt
    >>> report = untilt.check("kuhn")
    >>> report.is_sound, report.shape.infosets
    (True, (6, 6))
    """
    from untilt.game.check import check as check_game

    _verify_max_nodes(max_nodes)
    given = {} if parameters is None else parameters
    return check_game(name_game(game, given).game, max_nodes=int(max_nodes))


def rank(hand: str, board: str = "") -> "RankedHand":
    """Return what a poker hand is worth: its rank, 1 (best) to 7462, category and five cards.

    `hand` and `board` are cards as text; together they have five cards or more.

    >>> import untilt
    >>> untilt.rank("AsKs", board="QsJsTs2d3c").text
    'royal flush'
    """
    from untilt.cards.card import parse_cards
    from untilt.cards.hand import describe_hand

    for name, text in (("hand", hand), ("board", board)):
        if not isinstance(text, str):
            raise InvalidOption.of(name, text, "give cards as text, such as 'AsKs'")
    return describe_hand(parse_cards(f"{hand} {board}"))


def chart(
    stack: float | str = 10.0,
    *,
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    method: str = "lp",
) -> "PushFoldChart":
    """Return the push/fold chart of heads-up hold'em for a `stack` in big blinds.

    The small blind pushes or folds, the big blind calls or folds; deals and equities are exact. The
    stack is counted before posting; `ante` is posted by each player, `bb_ante` by the big blind for
    both. With `lp` the chart is exact; an iterative method stops at exploitability 1e-6 bb.

    >>> import untilt
    >>> chart = untilt.chart(10)
    >>> round(chart.push.percent, 1), chart.call.frequency.shape
    (58.3, (169,))
    """
    from untilt.runs.pushfold import solve_chart

    return solve_chart(_stakes(stack, small_blind, ante, bb_ante), method)


def chart_sweep(
    stacks: Iterable[float | str],
    *,
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    method: str = "lp",
    processes: int = 1,
) -> "PushFoldSweep":
    """Return push/fold charts for many stacks, and for each hand the stacks at which it is played.

    The `stacks` are in big blinds; see `untilt.chart`. With several `processes`, the main module
    must be importable, as always in Python.

    >>> import untilt
    >>> sweep = untilt.chart_sweep([5, 10, 15])
    >>> sweep.call["22"]
    [(5.0, 15.0)]
    """
    from untilt.runs.pushfold import MAX_STACKS, sweep_charts

    given: object = stacks
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidOption.of("stacks", stacks, "give numbers of big blinds, such as [5, 10, 15]")
    PROCESSES.verify(processes)
    wanted = list(islice(given, MAX_STACKS + 1))
    if not 1 <= len(wanted) <= MAX_STACKS:
        raise InvalidOption(f"give 1 to {MAX_STACKS:,} stacks")
    all_stakes = [_stakes(stack, small_blind, ante, bb_ante) for stack in wanted]
    all_stakes.sort(key=lambda stakes: stakes.stack)
    return sweep_charts(all_stakes, method, processes=processes)


def _stakes(stack: object, small_blind: object, ante: object, bb_ante: object) -> "Stakes":
    from untilt.games.pushfold.game import Stakes

    if isinstance(stack, str):
        stack = Amount.read("stack", stack, "it must be a number of big blinds, such as 7.5").number
    given = {"stack": stack, "small_blind": small_blind, "ante": ante, "bb_ante": bb_ante}
    for name, value in given.items():
        if not Number(above=-1e9, below=1e9).accepts(value):
            raise InvalidOption.of(name, value, "it must be a number of big blinds")
    return Stakes(**{name: float(value) for name, value in given.items()})  # type: ignore[arg-type]


def match(
    first: "AnyAgent",
    second: "AnyAgent",
    hands: int = 10_000,
    *,
    game: "GameLike | MatchGame | None" = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    trust: bool = False,
) -> "MatchResult":
    """Let two agents play `hands` hands, each deal in both seats, and return what the first wins.

    Agents are given as for `untilt match`: the folder of a run, a strategy file, `file.py:Class`,
    or a built-in one such as `random`; or as objects: a run, a profile, a function of a label, an
    object with `act`, or what `untilt.play.load_agents` returns. `game` and its `parameters` are
    needed if no agent names its game. `trust` allows running the Python code that a run on an
    abstract game names.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=500, output="kuhn-to-play")
    >>> untilt.match("kuhn-to-play", "random", 2_000, seed=1).value > 0.0
    True
    """
    from untilt.play.head_to_head import play_match
    from untilt.policy.given_agents import given_agents

    found, (one, other) = given_agents([first, second], game, parameters, trust=trust)
    return play_match(
        found.root, one, other, hands, seed, rules=found.rules, compiled=found.compiled
    )


def local_best_response(
    agent: "AnyAgent",
    hands: int = 1_000,
    *,
    variants: Iterable[str] | None = None,
    sizes: str | None = None,
    seed: int = 0,
    time: float | None = None,
    threads: int = 1,
    game: "GameLike | MatchGame | None" = None,
    parameters: Mapping[str, Any] | None = None,
    trust: bool = False,
    watcher: "OnHands | None" = None,
) -> "Exploitation":
    """Return what local best response wins from a hold'em agent: a lower bound on what it can lose.

    This is `untilt.exploit` with the variants of local best response and `hands` hands for each,
    two for every deal; `watcher` is called after every deal with the hands played and the scores.

    >>> import untilt
    >>> found = untilt.local_best_response("fold", 20, game="holdem")  # it gives away its blinds
    >>> found.mbb, found.variant
    (750.0, 'all-in')
    """
    from untilt.exploitation.exploit import respond_locally

    _verify_watcher(watcher)
    return respond_locally(
        *(agent, hands),
        variants=variants,
        sizes=sizes,
        seed=seed,
        time=time,
        threads=threads,
        game=game,
        parameters=parameters,
        trust=trust,
        watcher=watcher,
    )


def review(
    hand: "str | os.PathLike[str] | HandHistory",
    strategy: "AnyAgent | None" = None,
    *,
    agent: str | None = None,
    number: int = 1,
    trust: bool = False,
) -> "HandReview":
    """Return a recorded hand of hold'em, decision by decision.

    `hand` is a file in the PHH format (`number` selects one of several hands), or what
    `untilt.play.read_phh` returns. Each decision is shown beside what `strategy` does there and
    what the choice cost, as far as that is known. A strategy is given as an agent of
    `untilt.match`: a run or its folder, of the same game or of an abstraction of it, a blueprint, a
    policy, text such as `"bp/ --think 0.5s"`, or a solved spot that the hand reaches.
    `agent` compares with a blueprint instead, which may think: `"bp/ --think 0.5s"`. `trust` allows
    running the Python code that a run names.

    >>> import random, untilt
    >>> root = untilt.games.holdem()
    >>> hand = untilt.play.record_hand(root, [root.sample(random.Random(1)), "fold"])
    >>> untilt.review(hand)
    <HandReview of Qh4d v 9h3h: 1 decision, big blind wins 1>
    """
    from untilt.formats.phh import HandHistory, read_phh
    from untilt.play.hand_review import Consulted, consult, consult_agent, review_hand

    _verify_trust(trust)
    hands = [hand] if isinstance(hand, HandHistory) else read_phh(path_of(hand))
    if not Integer(1, len(hands)).accepts(number):
        count = f"{len(hands)} hands" if len(hands) != 1 else "one hand"
        raise InvalidOption.of("number", number, f"there is {count}, counted from 1")
    if not (agent is None or isinstance(agent, str)):
        raise InvalidOption.of("agent", agent, "give a blueprint, such as 'bp/ --think 0.5s'")
    if strategy is not None and agent is not None:
        raise InvalidOption(
            Argument("strategy"), " and ", Argument("agent"), " are given; choose one of them"
        )
    consulted: Consulted | None = None
    chosen = hands[number - 1]
    if strategy is not None:
        consulted = consult(strategy, chosen, trust=trust)
    elif agent is not None:
        consulted = consult_agent(agent)
    return review_hand(chosen, consulted)


def serve(path: str | os.PathLike[str] = ".", *, port: int | None = None) -> "RunningServer":
    """Show runs on a web page, served by a thread on this machine only; no browser is opened.

    `path` is a folder with runs, the folder of a run, or a document of `untilt qre`; `port` is 8080
    or the next free one by default, and 0 means any free one. `.address` is the page's address;
    `.stop()`, or leaving a `with` block, stops the server.

    >>> import untilt
    >>> run = untilt.solve("kuhn", iterations=10, output="shown/kuhn")
    >>> with untilt.serve("shown", port=0) as server:
    ...     server.address.startswith("http://127.0.0.1:")
    True
    """
    from untilt.dashboard.library import Library
    from untilt.dashboard.server import start_in_thread

    PORT.verify(port)
    return start_in_thread(Library.of(path_of(path)), port=port)


def list_runs(folder: str | os.PathLike[str] = "runs") -> "list[RunSummary]":
    """Return the runs below a folder, newest first, including unfinished and damaged ones.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=10, output="my-runs/first")
    >>> [(each.name, each.method, each.status) for each in untilt.list_runs("my-runs")]
    [('first', 'cfr+', 'finished')]
    """
    from untilt.formats.run_list import list_runs as listed

    return listed(path_of(folder))


def export(
    run: "Run | QuantalResponse | Solution | str | os.PathLike[str]",
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    line: str | None = None,
    below: str | None = None,
    board: str | None = None,
    street: str | None = None,
    player: int | str | None = None,
) -> Path:
    """Write the strategy of a run for other programs, and return the file.

    The extension of `path` decides: `.json` is a strategy file, which `untilt.evaluate` and
    `TabularPolicy.from_file` read, `.csv` a line per infoset and action, `.npz` NumPy arrays with
    the sequence form, `.nfg` the game itself as Gambit's table. An existing file is refused, unless
    `replace` is given.

    For a solved spot, `.csv`, `.json` and `.npz` hold every decision with its hands. `line` selects
    a single node, on `board`; `below`, `board`, `street` (`"turn"`) and `player` (`"oop"`, `"ip"`)
    limit the decisions to those from a line onwards, to boards that begin with some cards, to a
    street and to a player.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=100, save=False)
    >>> file = untilt.export(run, "kuhn.json", replace=True)
    >>> untilt.StrategyAgent.from_file(file).probabilities("P0:K:").keys()
    dict_keys(['check', 'bet'])
    """
    from untilt.runs.exporting import export_run

    file = path_of(path)
    given: object = getattr(run, "run", run)
    known = _load(path_of(given)) if isinstance(given, str | os.PathLike) else given
    if not (_is_solution(known) or _is_run(known)):
        raise InvalidOption(f"{shortened(run)} is not a run; give a run or the folder of one")
    REPLACE.verify(replace)
    if file.exists() and not replace:
        raise RunError(f"{file} already exists; choose another path, or give replace=True")
    chosen: dict[str, Any] = {"line": line, "below": below, "board": board, "street": street}
    for name, value in chosen.items():
        if not (value is None or isinstance(value, str)):
            raise InvalidOption.of(name, value, "give text")
    if _is_solution(known):
        from untilt.runs.spot_exporting import export_of

        form = file.suffix.lower().removeprefix(".")
        export_of(known, form, **chosen, player=player).write(file)
        return file
    for name, value in {**chosen, "player": player}.items():
        if value is not None:
            raise InvalidOption.of(name, value, "it is for solved spots: leave it out")
    assert _is_run(known)
    export_run(known, file)
    return file


def _names_game(strategy: object) -> bool:
    """Whether a strategy comes with its game: a run or a path."""
    return _is_run(strategy) or isinstance(strategy, str | os.PathLike)


def _source(
    strategy: object,
    game: GameLike | None,
    parameters: Mapping[str, Any],
    watcher: "OnWalked | None" = None,
) -> "LoadedProfile":
    """Return a strategy with its game; `game` is needed unless the strategy names its own."""
    from untilt.runs.sources import read_source, source_of_profile, source_of_run, verify_game

    if parameters and game is None:
        raise InvalidOption("parameters are those of game; give the game, too")
    if isinstance(strategy, str | os.PathLike):
        return read_source(path_of(strategy), game, parameters, watcher=watcher)
    if _is_run(strategy):
        return verify_game(source_of_run(strategy), game, parameters, watcher)
    if game is None:
        raise InvalidOption(
            f"{shortened(strategy)} does not say which game it is for; give the game, too"
        )
    return source_of_profile(game, lambda about: _profile(about, strategy), parameters, watcher)


def _beside(strategy: object, known: "LoadedProfile") -> "LoadedProfile":
    """Return a strategy of the same game as one that is known."""
    from untilt.runs.sources import read_other, source_of_run, verify_same_game

    if isinstance(strategy, str | os.PathLike):
        return read_other(path_of(strategy), known)
    if _is_run(strategy):
        return verify_same_game(known, source_of_run(strategy))
    return known.with_profile(_profile(known.game, strategy))


def _verify_trust(trust: object) -> None:
    TRUST.verify(trust)


def _verify_watcher(watcher: object) -> None:
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "give a function, or None")


def _loaded(game: AnyGame) -> AnyGame:
    """Return the run if `game` is a run folder; a registered name always means the game."""
    return _load(path_of(game)) if is_run_folder(game) else game


def _load(path: Path) -> "Run":
    from untilt.runs.loading import load_run

    return load_run(path)


def _is_run(given: object) -> "TypeGuard[Run]":
    """Whether `given` is a run; none exist until their module is loaded."""
    module = sys.modules.get("untilt.runs.run")
    return module is not None and isinstance(given, module.Run)


def _is_solution(given: object) -> "TypeGuard[Solution]":
    """Whether `given` is a solved spot; none exist until their module is loaded."""
    module = sys.modules.get("untilt.games.holdem.solution")
    return module is not None and isinstance(given, module.Solution)


def _verify_max_nodes(max_nodes: object) -> None:
    MAX_NODES.by_default(DEFAULT_MAX_NODES).verify(max_nodes)


def _profile(game: CompiledGame, given: object) -> Profile:
    """Return the profile of `game` that `given` stands for."""
    if _is_run(given):
        given = given.profile
    elif isinstance(given, str | os.PathLike):
        given = _read(path_of(given))
    if isinstance(given, Profile):
        return _fitted(game, given)
    if isinstance(given, tuple | list) and len(given) == 2:
        return Profile((_strategy(game, 0, given[0]), _strategy(game, 1, given[1])))
    if isinstance(given, Mapping):
        return strategy.profile_from_dict(game, given)
    raise StrategyError(
        f"{shortened(given)} is not a strategy: give a profile, a run, a pair of strategies, a "
        "file, or {infoset: {action: probability}}"
    )


def _fitted(game: CompiledGame, profile: Profile) -> Profile:
    """Return `profile` for `game`, reordered if the same game was compiled in another order."""
    try:
        verify_profile(game.infosets, profile)
    except StrategyError as error:
        try:
            return strategy.profile_from_dict(game, profile)
        except StrategyError:
            raise error from None
    for each in profile.strategies:
        verify_probabilities(each)
    return profile


def _strategy(game: CompiledGame, player: int, given: object) -> Strategy:
    if not isinstance(given, Mapping):
        raise StrategyError(
            f"{shortened(given)} is not a strategy of player {player}: give a Strategy, or "
            "{infoset: {action: probability}}"
        )
    if isinstance(given, Profile):
        given = given.strategies[player]
    return strategy_from_dict(game, player, given)


def _read(path: Path) -> Profile | PlainProfile:
    """Return the strategy of a run folder or of a strategy file."""
    if path.is_dir():
        return _load(path).profile
    if not path.exists():
        raise RunError(f"{path} does not exist; give a run folder or a strategy file")
    return read_plain_strategy(path)
