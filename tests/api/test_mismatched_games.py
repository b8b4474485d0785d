"""A profile knows its game: no function of ours takes it for one of another game.

Kernels follow indices without looking, so a profile of another length used to crash the
interpreter. Functions are found by looking into the modules: a new one that takes a game and
a strategy is tried here without being named, and has to refuse as well.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.errors import InvalidOption, StrategyError, UntiltError
from untilt.evaluation import action_values, best_response, comparison
from untilt.evaluation.best_response import evaluate_plans, plans_of
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.names.infosets import Infosets
from untilt.game.names.names import PARTS
from untilt.game.sequence.sequence_form import SequenceForm, Terminals, build_sequence_form
from untilt.game.strategy import rows, strategy
from untilt.game.strategy.strategy import Profile, Strategy, profile_from_arrays, uniform_profile
from untilt.games import kuhn, leduc, leduc_276
from untilt.games.pushfold.chart import PushFoldPlay, play_of
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.play.table.versus import versus_strategy
from untilt.policy.saved.match_game import MatchGame
from untilt.solvers.qre.branches.arclength import converge
from untilt.solvers.qre.estimates.likelihood import profile_log_likelihood
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.soft.soft_response import residual_norm, soft_best_responses

GAMES = {
    "kuhn": compile_histories(kuhn()),
    "leduc": compile_histories(leduc()),
    "four ranks": compile_histories(leduc(ranks=4)),
    "three bets": compile_histories(leduc(bets=3)),
    "suits": compile_histories(leduc(suits="distinguished")),
    "276": compile_histories(leduc_276()),
}
PAIRS = list(itertools.permutations(GAMES, 2))

GAME_ARGUMENTS = {"game", "form", "infosets"}
STRATEGY_ARGUMENTS = {"profile", "other", "plain", "plans", "behaviours"}
OTHER_ARGUMENTS: dict[str, Any] = {"player": 0, "rng": 1, "views": ()}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public function that takes a game and a strategy, kernels left out."""
    public = [untilt, untilt.strategies]
    modules = [*public, action_values, best_response, comparison, strategy, rows]
    for module in modules:
        for name in dir(module) if module in public else vars(module):
            function = getattr(module, name)
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            if module not in public and function.__module__ != module.__name__:
                continue
            names = set(inspect.signature(function).parameters)
            if names & GAME_ARGUMENTS and names & STRATEGY_ARGUMENTS:
                yield f"{module.__name__}.{name}", function


FUNCTIONS = dict(functions())


def arguments(
    function: Callable[..., Any], game: CompiledGame, other: CompiledGame
) -> Iterator[dict[str, Any]]:
    """Return arguments of which one strategy, each in turn, is of the other game."""
    names = list(inspect.signature(function).parameters)
    strategies = [name for name in names if name in STRATEGY_ARGUMENTS]
    takes_form = "form" in names
    for wrong in strategies:
        given: dict[str, Any] = {}
        for name in names:
            owner = other if name == wrong else game
            if name in GAME_ARGUMENTS:
                given[name] = game.exact_form() if takes_form else game
                if name == "infosets":
                    given[name] = game.infosets
            elif name in ("plans", "behaviours"):
                given[name] = uniform_profile(owner).behaviours
            elif name in STRATEGY_ARGUMENTS:
                given[name] = uniform_profile(owner)
            else:
                given[name] = OTHER_ARGUMENTS[name]
        yield given


def called(function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Call `function`, and run what it returns if that is a generator."""
    found = function(**given)
    if inspect.isgenerator(found):
        list(found)


def test_the_functions_that_crashed_are_among_those_tried() -> None:
    names = ["best_response", "action_values", "head_to_head", "distance"]
    assert {f"untilt.strategies.{name}" for name in names} <= FUNCTIONS.keys()
    assert "untilt.evaluate" in FUNCTIONS
    assert "untilt.evaluation.best_response.evaluate_plans" in FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_profile_of_another_game_is_refused(name: str) -> None:
    function = FUNCTIONS[name]
    for game, other in PAIRS:
        for given in arguments(function, GAMES[game], GAMES[other]):
            with pytest.raises(StrategyError) as caught:
                called(function, given)
            assert "\n" not in str(caught.value)


def test_the_message_says_what_both_games_look_like() -> None:
    with pytest.raises(
        StrategyError,
        match="of a game with 288 infosets, first 'P0:J::'; this game has 12, first 'P0:J:'",
    ):
        untilt.evaluate(kuhn(), uniform_profile(GAMES["leduc"]))


def test_infosets_of_equal_names_with_other_actions_are_told_apart() -> None:
    with pytest.raises(StrategyError, match="in the profile's game"):
        plans_of(GAMES["leduc"].exact_form(), renamed(GAMES["leduc"]))


def renamed(game: CompiledGame) -> Profile:
    """Return a profile with the labels of `game` in which an action has another name."""
    first, second = uniform_profile(game).strategies
    table = first.infosets
    actions = [("pass", "bet"), *(table.actions(index) for index in range(1, len(table)))]
    parts = (tuple(table.column(part)) for part in PARTS)
    other = Strategy(Infosets(0, table.labels, tuple(actions), *parts), first.behaviour)
    return Profile((other, second))


@pytest.mark.parametrize(
    ("game", "root"), [("kuhn", kuhn()), ("leduc", leduc()), ("276", leduc_276())]
)
def test_a_profile_of_an_equal_game_is_taken(game: str, root: untilt.Game) -> None:
    again = compile_histories(root)
    profile = uniform_profile(again)
    assert profile.strategies[0].infosets is not GAMES[game].infosets[0]
    assert best_response.evaluate(GAMES[game].exact_form(), profile).nash_conv > 0.0


def test_the_same_game_compiled_in_another_order_is_taken_by_name() -> None:
    direct, walked = untilt.games.compile(leduc(ranks=7)), compile_histories(leduc(ranks=7))
    profile = untilt.strategies.random(walked, 3)
    assert direct.infosets[0].labels != walked.infosets[0].labels
    with pytest.raises(StrategyError):
        best_response.evaluate(direct.exact_form(), profile)
    found, expected = untilt.evaluate(direct, profile), untilt.evaluate(walked, profile)
    assert found.values == pytest.approx(expected.values)
    assert found.gains == pytest.approx(expected.gains)


WRONG_ROWS: list[Any] = [
    np.ones(3),
    np.ones(13, dtype=np.float32),
    np.ones(13, dtype=np.int64),
    np.ones((13, 1)),
    [1.0] * 13,
    None,
]


@pytest.mark.parametrize("row", WRONG_ROWS, ids=[str(type(row)) for row in WRONG_ROWS])
def test_arrays_of_another_length_or_type_are_refused(row: Any) -> None:
    form, right = GAMES["kuhn"].exact_form(), np.ones(13)
    for rows_given in ((row, right), (right, row)):
        for use in (
            form.plans,
            form.behaviours,
            lambda given: evaluate_plans(form, given),
            lambda given: profile_from_arrays(GAMES["kuhn"], given),
            lambda given: soft_best_responses(form, given, 1.0),
            lambda given: residual_norm(form, given, 1.0),
        ):
            with pytest.raises(StrategyError):
                use(rows_given)
    with pytest.raises(StrategyError):
        Strategy(form.infosets[0], row)


@pytest.mark.parametrize("player", [2, -1, 1.0, True, None, "0"])
def test_only_players_0_and_1_exist(player: Any) -> None:
    profile = uniform_profile(GAMES["kuhn"])
    for function in (
        untilt.strategies.best_response,
        untilt.strategies.action_values,
        best_response.best_response,
        action_values.action_values,
    ):
        with pytest.raises(InvalidOption, match="it must be 0 or 1"):
            function(GAMES["kuhn"].exact_form(), profile, player)


def test_a_profile_needs_a_strategy_of_each_player() -> None:
    first, second = uniform_profile(GAMES["kuhn"]).strategies
    for given in ((first, first), (second, first), (first,), (first, None), None):
        with pytest.raises(StrategyError):
            Profile(given)  # type: ignore[arg-type]


def test_quantal_response_takes_only_what_is_of_its_game() -> None:
    problem = QuantalProblem(GAMES["kuhn"])
    other = uniform_profile(GAMES["leduc"])
    with pytest.raises(StrategyError):
        problem.log_odds(other)
    with pytest.raises(StrategyError):
        profile_log_likelihood(GAMES["kuhn"], other, np.ones(24))
    with pytest.raises(InvalidOption):
        profile_log_likelihood(GAMES["kuhn"], uniform_profile(GAMES["kuhn"]), np.ones(672))
    for log_odds in (np.zeros(384), np.zeros(12, dtype=np.float32), np.zeros(0), None):
        for use in (
            problem.respond,
            problem.profile,
            problem.payoffs,
            problem.action_values,
            lambda given: problem.residual_norm(given, 1.0),
            lambda given: converge(problem.system, given, 1.0),
        ):
            with pytest.raises(StrategyError):
                use(log_odds)  # type: ignore[arg-type]


def test_an_opponent_plays_its_own_game() -> None:
    game = MatchGame("kuhn", "Kuhn", {}, kuhn(), GAMES["kuhn"])
    with pytest.raises(StrategyError):
        versus_strategy(game, uniform_profile(GAMES["leduc"]), None)


def test_push_fold_play_has_a_share_per_hand() -> None:
    with pytest.raises(StrategyError, match="169"):
        play_of(uniform_profile(GAMES["kuhn"]))
    for shares in (np.ones(3), np.full(169, np.nan), np.full(169, 1.5)):
        with pytest.raises(StrategyError):
            PushFoldPlay(shares, np.ones(169))


def test_push_fold_strategies_of_other_stacks_share_their_names() -> None:
    ten, twenty = (
        untilt.games.compile(PushFold(Stakes(10.0))),
        untilt.games.compile(PushFold(Stakes(20.0))),
    )
    assert untilt.evaluate(twenty, uniform_profile(ten)).nash_conv > 0.0


BROKEN_SIDES: list[tuple[str, Callable[[Any], Any]]] = [
    ("parent_sequence", lambda values: values[:-1]),
    ("parent_sequence", lambda values: values + np.uint32(100)),
    ("first_sequence", lambda values: values + np.uint32(1)),
    ("row_start", lambda values: values[:-1]),
    ("row_start", lambda values: values[::-1].copy()),
    ("opponent_sequence", lambda values: values + np.uint32(1000)),
    ("opponent_sequence", lambda values: values.astype(np.int64)),
    ("weight", lambda values: values[:-1]),
    ("weight", lambda values: values.astype(np.float32)),
    ("payoff", lambda values: values * np.nan),
    ("payoff", lambda values: values.tolist()),
]


@pytest.mark.parametrize(("name", "broken"), BROKEN_SIDES)
def test_a_sequence_form_that_does_not_fit_together_is_not_made(
    name: str, broken: Callable[[Any], Any]
) -> None:
    form = GAMES["kuhn"].exact_form()
    side = form.sides[0]._replace(**{name: broken(getattr(form.sides[0], name))})
    with pytest.raises(UntiltError, match="inconsistent"):
        SequenceForm((side, form.sides[1]), form.infosets, form.num_terminals, is_zero_sum=True)


def test_terminals_that_do_not_fit_together_make_no_sequence_form() -> None:
    infosets = GAMES["kuhn"].exact_form().infosets
    parents = (np.zeros(6, np.uint32), np.zeros(6, np.uint32))
    one, ones = np.ones(1), np.ones(2)
    sequence = np.ones(1, np.uint32)
    for terminals in (
        Terminals((sequence, sequence), ones, (one, one)),
        Terminals((sequence, np.full(1, 99, np.uint32)), one, (one, one)),
        Terminals((sequence, sequence), one, (one, one * np.inf)),
        Terminals((sequence[:0], sequence[:0]), one[:0], (one[:0], one[:0])),
    ):
        with pytest.raises(UntiltError):
            build_sequence_form(infosets, parents, terminals)
