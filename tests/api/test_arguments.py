"""What the functions of `import untilt` take, and that all else is refused in one line."""

import inspect
import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from inspect import isfunction
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.game.trees import GENERAL_SUM
from tests.play.blueprints import random_blueprint
from tests.runs import game_runs

import untilt
import untilt.cards
import untilt.games
import untilt.play
from untilt.cli.main import run as run_command
from untilt.dashboard.server.server import DashboardServer
from untilt.errors import GameError, InvalidOption, StrategyError
from untilt.evaluation import best_response
from untilt.exploitation.measuring.measure import CONTROLS
from untilt.game.compiled import compile_histories
from untilt.game.strategy.strategy import profile_from_arrays
from untilt.games import REGISTRY
from untilt.games.kuhn import Kuhn
from untilt.games.leduc import Leduc
from untilt.play import StrategyAgent, Table, Versus
from untilt.research import METHODS, cfr_variant

__all__ = ["stored"]  # a fixture

JUNK: list[Any] = [
    *(None, -1, 7, 1.5, math.nan, math.inf, True, 1j, 10**400, 10**5_000, np.float64(2.0)),
    *("", "nonsense", "a/b", "x.py", "y.efg", "module:attr", "\0", "a" * 1000, "\ud800", b"x"),
    *([], {}, (), (1, 2), [None, None], {"a": 1}, {"P0:J:": {"check": 2}}, {1: 2}, set(), range(3)),
    *(object(), int, len, lambda: None, lambda x: x, Path("/"), Path("/nonexistent")),
    *(np.zeros(3), np.zeros((2, 2)), np.full(13, np.nan)),
]

KUHN = Kuhn()
UNIFORM = untilt.strategies.uniform(KUHN)
COUNTS = [
    {"infoset": "P0:J:", "action": "check", "count": 80},
    {"infoset": "P0:J:", "action": "bet", "count": 20},
]
HAND = Path(__file__).parents[1] / "data" / "hands" / "openspiel-raises.phh"
QUICK = {"control": 0, "off_menu": False, "best_turn": False}
SPOT = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))


@cache
def valid() -> dict[str, dict[str, Any]]:
    """Return arguments that are right, of every function; a new function has to be added."""
    solution = untilt.solve(SPOT, iterations=2, save=False)
    return {
        "cards.equity": {"sides": ("AsAh", "KdKc"), "board": "2c2d2h"},
        "cards.rank": {"hand": "AsKs", "board": "QsJsTs"},
        "compare": {"first": "run", "second": UNIFORM},
        "evaluate": {"game": KUHN, "profile": UNIFORM},
        "exploit": {"agent": "blueprint.bin", "deals": 1, **QUICK},
        "fit": {"observed": COUNTS, "game": "kuhn"},
        "games.check": {"game": KUHN},
        "games.compile": {"game": KUHN},
        "games.register_game": {"name": "coins", "game": KUHN, "replace": True},
        "games.tree": {"game": KUHN, "strategy": UNIFORM},
        "hands.find": {
            "folder": "hands",
            "player": "p1",
            "pot": ">1",
            "street": "flop",
            "line": "?",
        },
        "hands.import_hands": {"paths": HAND, "output": "hands"},
        "hands.read": {"path": HAND},
        "load": {"path": "run"},
        "match": {"first": "run", "second": "random", "hands": 2},
        "plot": {"runs": (untilt.solve(KUHN, iterations=2, save=False),)},
        "pushfold.chart": {"stack": 5.0},
        "pushfold.chart_sweep": {"stacks": [5.0]},
        "pushfold.icm": {"stacks": [5.0, 3.0], "prizes": [2.0, 1.0]},
        "pushfold.load_chart": {"path": "bubble.table"},
        "qre": {"game": KUHN, "beta": 1.0, "save": False},
        "research.register_method": {"method": cfr_variant("mine", "of mine"), "replace": True},
        "resume": {"path": "run"},
        "review": {"hand": HAND},
        "runs.export": {"run": "run", "path": "run.json", "replace": True},
        "runs.list_runs": {"folder": "."},
        "serve": {"path": "run", "port": 0},
        "solve": {"game": KUHN, "iterations": 2, "save": False},
        "spots.fit": {"observed": [{"line": "check, check", "count": 9}], "spot": SPOT, "rungs": 4},
        "spots.gains": {"solution": solution, "seat": 0, "against": [solution], "nash": solution},
        "spots.ladder": {"spot": SPOT, "noises": "40%..20%", "rungs": 2, "save": False},
        "spots.load_ladder": {"folder": "ladder"},
        "spots.report": {"source": solution, "line": "check"},
        "spots.observed_locks": {
            "solution": solution,
            "hands": [{"line": "check, check"}],
            "player": "oop",
        },
        "spots.resolve": {"subject": SPOT, "budget": 0.01},
        "spots.respond": {"solution": solution, "player": 0, "save": False},
        "spots.sample_lines": {"solution": solution, "hands": 5},
        "strategies.action_values": {"game": KUHN, "profile": UNIFORM, "player": 1},
        "strategies.best_response": {"game": KUHN, "profile": UNIFORM, "player": 0},
        "strategies.distance": {"game": KUHN, "profile": UNIFORM, "other": UNIFORM},
        "strategies.from_dict": {"game": KUHN, "plain": UNIFORM.to_dict()},
        "strategies.head_to_head": {"game": KUHN, "profile": UNIFORM, "other": UNIFORM},
        "strategies.random": {"game": KUHN, "rng": 1},
        "strategies.uniform": {"game": KUHN},
    }


def refused_or_done(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Call `function`; whatever it raises must be an error of ours, of one line."""
    message = ""
    try:
        function(*args, **kwargs)
    except untilt.UntiltError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 1_500


def call(function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Call `function`; what it takes as `*name` is given under that name."""
    several = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind == parameter.VAR_POSITIONAL
    ]
    first = [one for name in several for one in given[name]]
    function(*first, **{name: one for name, one in given.items() if name not in several})


def is_left_out(name: str, value: Any) -> bool:
    """Whether a value is right, and would only take long; or code of the caller's own."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in ("time", "pace", "budget"):
        return is_number and value > 1
    if name in ("processes", "seats"):
        return is_number and value == 7
    return name == "watcher" and callable(value)


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    untilt.solve(KUHN, iterations=2, output="run")
    untilt.spots.ladder(SPOT, ["40%"], iterations=2, output="ladder")
    with REGISTRY.registering(), METHODS.registering():
        yield tmp_path / "run"


def checked_functions() -> Iterator[str]:
    """Yield the functions that are asked with wrong arguments, by their names below `untilt`."""
    for module in (untilt, untilt.pushfold, untilt.runs, untilt.spots, untilt.strategies):
        place = f"{module.__name__}.".removeprefix("untilt.")
        yield from (place + name for name in dir(module) if isfunction(getattr(module, name)))
    yield from (f"games.{name}" for name in ("check", "compile", "register_game", "tree"))
    yield from ("cards.equity", "cards.rank", "hands.find", "research.register_method")


@pytest.mark.parametrize("name", [*checked_functions()])
def test_wrong_arguments_are_refused_by_every_function(
    name: str, run_folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if name == "plot":
        pytest.importorskip("matplotlib")
    if name == "hands.find":
        untilt.hands.import_hands(HAND, "hands")
    if name == "pushfold.load_chart":
        table = untilt.pushfold.chart(seats=2, stacks=[10, 10], prizes=[2, 1], iterations=1)
        assert isinstance(table, untilt.pushfold.TableChart)
        table.save("bubble.table")
    if name == "exploit":
        request.getfixturevalue("stored")
        random_blueprint(Path("blueprint.bin"))
        won = {"blueprint": {"all-in": 1.0}, CONTROLS: {"all-in": 0.5}}
        monkeypatch.setattr(
            "untilt.exploitation.measuring.measure._Exploiter.gains", lambda *_: won
        )
    if name == "serve":  # the page itself is not needed

        def close(server: DashboardServer) -> None:
            server.socket.close()

        monkeypatch.setattr("untilt.dashboard.server.server.RunningServer", close)
    function = attrgetter(name)(untilt)
    call(function, valid()[name])
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind == parameter.VAR_KEYWORD:
            continue
        for number, junk in enumerate(JUNK):
            if is_left_out(parameter.name, junk):
                continue
            several = parameter.kind == parameter.VAR_POSITIONAL
            given = {**valid()[name], parameter.name: (junk,) if several else junk}
            if parameter.name == "output" and "save" in given:
                given["save"] = True
            if parameter.name == "save":
                given["output"] = str(number)
            refused_or_done(call, function, given)


def test_wrong_flops_are_refused() -> None:
    for junk in JUNK:
        if junk is not None:
            refused_or_done(untilt.spots.report, SPOT, flops=junk, processes=0)
            refused_or_done(untilt.spots.report, junk, flops="all", processes=0)


@pytest.mark.parametrize("method", ["cfr+", "dcfr+", "sapcfr+", "lp", "qre", "es", "mccfr-outcome"])
def test_wrong_options_are_refused_by_every_method(method: str) -> None:
    stop: Any = {"iterations": 2} if METHODS[method].has_iterations else {}
    for option in METHODS[method].defaults:
        for junk in JUNK:
            given: Any = {**stop, option: junk}
            refused_or_done(untilt.solve, KUHN, method, save=False, **given)


def test_wrong_parameters_are_refused_by_every_game() -> None:
    for name in untilt.games.__all__:
        function = getattr(untilt.games, name)
        if not isfunction(function) or f"games.{name}" in valid() or name == "resolve":
            continue
        for parameter in inspect.signature(function).parameters:
            for junk in JUNK:
                refused_or_done(function, **{parameter: junk})
    for junk in JUNK:
        refused_or_done(untilt.games.resolve, junk)
        refused_or_done(untilt.games.resolve, "leduc", junk)
        refused_or_done(untilt.games.resolve, "leduc", {"ranks": junk})


def test_whatever_is_put_on_a_table_is_refused_or_plays() -> None:
    agent = StrategyAgent(UNIFORM)
    run = untilt.solve(KUHN, iterations=2, save=False)
    for junk in JUNK:
        for function in (
            StrategyAgent,
            StrategyAgent.from_run,
            StrategyAgent.from_file,
            Versus.load,
            agent.act,
            agent.probabilities,
            UNIFORM.__getitem__,
            UNIFORM.__contains__,
            UNIFORM.__eq__,
            run.__eq__,
            run.game.__eq__,
            lambda given: Table(KUHN, (agent, agent), seed=given).play_hand(0),
            lambda given: Table(KUHN, (agent, agent)).play_hand(given),
            lambda given: Table(given, (agent, agent)).play_hand(0),
        ):
            refused_or_done(function, junk)


class TestWhatStandsForAGame:
    def test_everything_that_the_command_line_takes_and_objects(self, run_folder: Path) -> None:
        Path("own.py").write_text("from untilt.games.kuhn import Kuhn\ngame = Kuhn()\n")
        expected = compile_histories(KUHN)
        for game in (
            KUHN,
            Kuhn,
            untilt.games.kuhn,
            "kuhn",
            "own.py:game",
            Path("own.py"),
            untilt.games.resolve("kuhn"),
            expected,
            expected.exact_form(),
            game_runs.load(run_folder),
        ):
            assert untilt.games.compile(game) == expected
            assert untilt.evaluate(game, UNIFORM).nash_conv == pytest.approx(11 / 12)

    def test_parameters_belong_to_a_name_a_class_or_a_function(self) -> None:
        expected = compile_histories(Leduc(ranks=4))
        makers: list[Any] = ["leduc", untilt.games.leduc, Leduc]
        for game in makers:
            assert untilt.games.compile(game, parameters={"ranks": 4}) == expected
        run = untilt.solve(Leduc, parameters={"ranks": 4}, iterations=2, save=False)
        assert run.game == expected
        assert (run.request.game, run.request.parameters["ranks"]) == ("leduc", 4)
        made: list[Any] = [Leduc(), expected]
        for game in made:
            with pytest.raises(InvalidOption, match="takes no parameters"):
                untilt.games.compile(game, parameters={"ranks": 4})

    def test_a_class_of_the_users_own_is_named_after_itself(self) -> None:
        class SmallKuhn(Kuhn):
            pass

        run = untilt.solve(SmallKuhn, iterations=2, save=False)
        assert run.request.game == "small_kuhn"

    def test_a_class_that_cannot_be_made_is_an_error_of_one_line(self) -> None:
        def broken() -> Kuhn:
            raise ValueError("no cards")

        with pytest.raises(GameError, match=r"broken .*ValueError: no cards \(.*line \d+\)"):
            untilt.solve(broken, save=False)

    def test_push_fold_stands_beside_kuhn_and_leduc(self) -> None:
        from untilt.games.pushfold.game import PushFold  # which must not hide the function

        game = untilt.games.pushfold(stack=5.0)
        assert isinstance(game, PushFold)
        assert untilt.games.compile(game).num_infosets == 338


class TestWhatStandsForAStrategy:
    def test_profiles_runs_pairs_dictionaries_files_and_folders(self, run_folder: Path) -> None:
        run = game_runs.load(run_folder)
        plain = run.profile.to_dict()
        Path("plain.json").write_text(json.dumps(plain))
        first, second = run.profile.strategies
        expected = run.evaluation
        assert expected is not None
        for given in (
            run,
            run.profile,
            plain,
            (first, second),
            (dict(first), dict(second)),
            "run",
            Path("run"),
            "plain.json",
        ):
            found = untilt.evaluate("kuhn", given)
            assert found.values == pytest.approx(expected.values, abs=1e-12)
            assert untilt.strategies.distance("kuhn", given, run).largest == pytest.approx(
                0.0, abs=1e-12
            )
            assert untilt.strategies.head_to_head(KUHN, given, run).mean == pytest.approx(
                0.0, abs=1e-12
            )
            assert len(untilt.strategies.action_values("kuhn", given, 0).own_reach) == 6
            assert untilt.strategies.best_response(KUHN, given, 1)[1] == pytest.approx(
                best_response.best_response(run.game.exact_form(), run.profile, 1)[1], abs=1e-12
            )

    def test_a_run_is_measured_by_itself(self, run_folder: Path) -> None:
        run = game_runs.load(run_folder)
        assert untilt.evaluate(run) == untilt.evaluate("run") == run.evaluation
        with pytest.raises(InvalidOption, match="give the strategy"):
            untilt.evaluate("kuhn")

    def test_the_opponents_strategy_is_enough_for_a_best_response(self) -> None:
        first, second = UNIFORM.strategies
        expected = untilt.strategies.best_response(KUHN, UNIFORM, 0)[1]
        assert untilt.strategies.best_response(KUHN, second, 0)[1] == expected
        with pytest.raises(StrategyError, match="lacks 6 of player 1's 6 infosets"):
            untilt.strategies.best_response(KUHN, first, 0)

    def test_general_sum_games_are_measured_too(self) -> None:
        assert untilt.evaluate(GENERAL_SUM, untilt.strategies.uniform(GENERAL_SUM)).nash_conv > 0.0

    @pytest.mark.parametrize("share", [math.nan, -0.5, 0.25])
    def test_arrays_that_are_no_probabilities_are_refused(self, share: float) -> None:
        behaviours = [row.copy() for row in UNIFORM.behaviours]
        behaviours[0][3] = share
        rows = (behaviours[0], behaviours[1])
        profile = profile_from_arrays(untilt.games.compile(KUHN), rows)
        with pytest.raises(StrategyError, match="sum to 1"):
            untilt.evaluate(KUHN, profile)


class TestWhatIsShown:
    def test_nothing_prints_its_arrays(self, run_folder: Path) -> None:
        leduc = untilt.solve("leduc", iterations=5, save=False)
        for run in (game_runs.load(run_folder), leduc):
            form, profile = run.game.exact_form(), run.profile
            for shown in (
                run,
                run.game,
                form,
                form.infosets[0],
                profile,
                profile.strategies[1],
                run.evaluation,
                untilt.strategies.action_values(form, profile, 0),
                untilt.strategies.distance(form, profile, profile),
                untilt.strategies.head_to_head(form, profile, profile),
                untilt.strategies.best_response(form, profile, 0),
                StrategyAgent(profile),
            ):
                assert len(repr(shown)) < 500
                assert "array(" not in repr(shown)
        assert "leduc" in repr(leduc)
        assert len(repr(Versus.load(run_folder))) < 500

    def test_a_run_equals_itself_loaded_or_solved_again(self, run_folder: Path) -> None:
        run = game_runs.load(run_folder)
        again = untilt.solve(KUHN, iterations=2, save=False)
        assert run == game_runs.load(run_folder) == again
        assert run.game == again.game
        assert run.profile == again.profile == again.profile.to_dict()
        assert run != untilt.solve(KUHN, iterations=3, save=False)
        assert run != untilt.solve("leduc", iterations=2, save=False)
        other: object = 5
        assert (run == other) is False


@pytest.mark.parametrize(
    ("arguments", "flags", "said", "printed"),
    [
        ({"time": -1}, "--time -1", "time is -1; ", "--time is -1.0; "),
        (
            {"target": 0},
            "--target 0",
            "target 0 alone may never be reached; add iterations or time",
            "--target 0 alone may never be reached; add --iterations or --time",
        ),
        (
            {"method": "es", "on": "objects", "threads": 2},
            "--method es --on objects --threads 2",
            "threads is for compiled games; a game as Python objects runs on one thread: "
            "use on='tree'",
            "--threads is for compiled games; a game as Python objects runs on one thread: "
            "use --on tree",
        ),
    ],
)
def test_an_error_names_the_argument_in_python_and_the_flag_in_a_command(
    arguments: dict[str, Any],
    flags: str,
    said: str,
    printed: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidOption) as caught:
        untilt.solve("kuhn", save=False, **arguments)
    assert str(caught.value).startswith(said)
    assert run_command(["solve", "kuhn", *flags.split()]) == 2
    assert capsys.readouterr().err.startswith(f"error: {printed}")
