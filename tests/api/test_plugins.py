"""Games and methods of other packages: seen by all commands, loaded only when needed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.api.toy_package import BROKEN, MODULE, install
from tests.runs import game_runs

import untilt
from untilt.cli.main import run as run_command
from untilt.cli.options import method_options
from untilt.errors import GameError, InvalidOption, PluginError, UnknownName
from untilt.games import REGISTRY
from untilt.games.kuhn import Kuhn
from untilt.games.matrix import matrix
from untilt.plugins import PluginWarning
from untilt.research import METHODS, Method, Option, cfr_variant
from untilt.solvers.methods import RESERVED

CATALOGUES: list[Any] = [REGISTRY, METHODS]


def forget() -> None:
    """Let entry points be looked up again."""
    for catalogue in CATALOGUES:
        for kept in (catalogue._registered, catalogue._loaded, catalogue._faults):
            kept.clear()
        catalogue._warned.clear()
        catalogue._offered = None


@pytest.fixture(autouse=True)
def _forgetting() -> Iterator[None]:
    forget()
    yield
    forget()
    for give_flags in method_options._REFRESHED:
        give_flags()
    for name in ("toy_untilt", "toy_broken", "other_toy"):
        sys.modules.pop(name, None)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the toy package, on the path of Python."""
    folder = install(tmp_path / "site")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def out_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run_command(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.usefixtures("site")
class TestAToyPackage:
    def test_its_game_is_listed_and_its_method_is_in_the_help(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        status, out, _ = out_of(capsys, "games")
        assert status == 0
        assert "odd-one-out: Odd One Out\n    Two coins; player 0 wins the prize if both" in out
        assert "    from the package toy-untilt\n    -p prize: float = 2.0" in out
        listed = json.loads(out_of(capsys, "games", "--json")[1])["games"]
        packages = {game["name"]: game["package"] for game in listed}
        assert packages == {**dict.fromkeys(REGISTRY.own), "odd-one-out": "toy-untilt"}
        status, out, _ = out_of(capsys, "solve", "--help")
        words = " ".join(out.split())
        assert "hs-pcfr+, lp, toy-cfr; sampling:" in words
        assert "1.25 (toy-cfr)" in words
        assert "--patience <int> Unused, but a flag of its own. By default 7 (toy-cfr)." in words

    def test_it_is_solved_resumed_shown_and_evaluated(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        solve = ["solve", "odd-one-out", "-p", "prize=3", "-m", "toy-cfr", "-o", "run", "--json"]
        status, out, err = out_of(capsys, *solve, "-n", "200", "--patience", "9")
        assert status == 0, err
        found = json.loads(out)  # what the package prints does not get into the result
        assert found["options"] == {"alpha": 1.25, "gamma": 3.5, "patience": 9}
        assert found["parameters"] == {"prize": 3.0}
        status, out, err = out_of(capsys, "solve", "--resume", "run", "-n", "2000", "--json")
        assert status == 0, err
        resumed = json.loads(out)
        # The value of [[p, -1], [-1, 1]] is (p − 1) / (p + 3).
        assert resumed["value"] == pytest.approx(2 / 6, abs=1e-4)
        for command in (["show", "run"], ["evaluate", "run"], ["runs", "."]):
            assert out_of(capsys, *command)[0] == 0

    def test_it_is_there_in_python(self) -> None:
        run = untilt.solve("odd-one-out", "toy-cfr", iterations=2_000, save=False)
        assert run.value == pytest.approx(1 / 5, abs=1e-4)
        assert run.request.game == "odd-one-out"
        assert "odd-one-out" in REGISTRY
        assert METHODS["toy-cfr"].summary == "discounted regrets with exponents of its own"

    def test_nothing_is_loaded_before_it_is_needed(self) -> None:
        untilt.solve("kuhn", "cfr", iterations=2, save=False)
        assert "odd-one-out" in REGISTRY.names()
        with pytest.raises(UnknownName, match=r"did you mean 'odd-one-out'\?"):
            untilt.solve("odd-one-oud", save=False)
        assert "toy_untilt" not in sys.modules

    def test_a_run_does_not_bring_the_code_of_another_package_to_run(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A folder may come from anywhere: only our own games are made from its names."""
        assert out_of(capsys, "solve", "odd-one-out", "-n", "5", "-o", "run")[0] == 0
        forget()
        del sys.modules["toy_untilt"]
        run = game_runs.load("run")
        assert out_of(capsys, "show", "run")[0] == 0
        assert run.game.num_infosets == 2
        assert "toy_untilt" not in sys.modules


def test_a_new_process_sees_the_package_and_stays_light(tmp_path: Path) -> None:
    folder = install(tmp_path / "site")
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); import untilt\n"
        "from untilt.cli.main import run\n"
        "run(['--help']); assert 'toy_untilt' not in sys.modules\n"
        "run(['solve', '--help']); assert 'toy_untilt' in sys.modules\n"
        "assert not {'numba', 'scipy', 'numpy', 'pandas', 'matplotlib'} & {*sys.modules}"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "toy-cfr" in done.stdout
    assert "toy is being imported" not in done.stdout


class TestBrokenPlugins:
    def broken(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
        install(
            tmp_path / "site",
            "broken-toy",
            {"toy_broken": BROKEN if value == "raises" else MODULE},
            {
                "untilt.games": {"broken": _VALUES[value]},
                "untilt.methods": {"broken": _VALUES[value]},
            },
        )
        monkeypatch.syspath_prepend(str(tmp_path / "site"))

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            ("raises", "RuntimeError: the disk of this plug-in is upside down"),
            ("missing", "AttributeError: module 'toy_broken' has no attribute 'nothing'"),
            ("absent", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
            ("other", "is neither a position, nor a class or function that makes one"),
        ],
    )
    def test_a_broken_one_is_one_line_and_the_others_work(
        self, value: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.broken(tmp_path, monkeypatch, value)
        with pytest.warns(PluginWarning) as caught:
            games = list(REGISTRY)
        assert games == list(REGISTRY.own)
        [warning] = caught
        message = str(warning.message)
        assert message.startswith("the game 'broken' of the package broken-toy cannot be used: ")
        assert words in message
        assert "\n" not in message
        assert list(REGISTRY) == list(REGISTRY.own)  # said once
        with pytest.raises(PluginError, match="cannot be used"):
            untilt.solve("broken", save=False)
        with pytest.warns(PluginWarning, match="the method 'broken'"):
            assert list(METHODS) == list(METHODS.own)
        with pytest.raises(PluginError, match="the method 'broken'"):
            untilt.solve("kuhn", "broken", save=False)
        assert untilt.solve("kuhn", "cfr", iterations=2, save=False).iterations == 2

    def test_the_command_says_it_on_stderr(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.broken(tmp_path, monkeypatch, "raises")
        with pytest.warns(PluginWarning, match="the method 'broken'"):
            status, out, _ = out_of(capsys, "solve", "--help")
        assert (status, "broken" in out) == (0, False)
        status, _, err = out_of(capsys, "solve", "broken")
        assert status == 2
        assert err.startswith("error: the game 'broken' of the package broken-toy cannot be used")
        assert len(err.splitlines()) == 1

    def test_a_package_with_unreadable_entry_points_costs_only_what_it_adds(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(tmp_path / "site", "unreadable", {}, {"untilt.games": {"x": "x:x"}})
        [file] = (tmp_path / "site").rglob("entry_points.txt")
        file.write_bytes(b"[untilt.games]\nx = \xff\n")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        with pytest.warns(PluginWarning, match="the package unreadable cannot be asked") as caught:
            assert list(REGISTRY) == list(REGISTRY.own)
        assert all("\n" not in str(warning.message) for warning in caught)

    def test_whatever_an_import_raises_is_one_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code = "class Odd(BaseException): pass\nraise Odd('odd')\n"
        given = {"untilt.games": {"odd": "odd_plugin:game"}}
        install(tmp_path / "site", "odd", {"odd_plugin": code}, given)
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        with pytest.raises(PluginError, match="cannot be used: Odd: odd"):
            untilt.solve("odd", save=False)

    @pytest.mark.parametrize("kind", ["Exception", "ValueError", "BaseException"])
    def test_an_error_without_a_text_is_one_line(
        self, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code = (
            f"class Mute({kind}):\n    def __str__(self):\n        raise ValueError\nraise Mute\n"
        )
        given = {"untilt.games": {"mute": "mute_plugin:game"}}
        install(tmp_path / "site", "mute", {"mute_plugin": code}, given)
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        monkeypatch.delitem(sys.modules, "mute_plugin", raising=False)
        with pytest.raises(PluginError, match="the package mute cannot be used") as caught:
            untilt.solve("mute", save=False)
        assert "\n" not in str(caught.value)

    def test_a_name_of_ours_is_not_replaced(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(
            tmp_path / "site",
            entry_points={
                "untilt.games": {"kuhn": "toy_untilt:odd_one_out"},
                "untilt.methods": {"cfr": "toy_untilt:METHOD"},
            },
        )
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        assert isinstance(REGISTRY["kuhn"].factory(), Kuhn)
        for catalogue in CATALOGUES:
            with pytest.warns(PluginWarning, match="Untilt has one of that name, which is used"):
                assert list(catalogue) == list(catalogue.own)

    def test_two_packages_with_one_name_are_both_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(tmp_path / "site")
        install(
            tmp_path / "site",
            "other-toy",
            {"other_toy": MODULE},
            {"untilt.games": {"odd-one-out": "other_toy:odd_one_out"}},
        )
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        with pytest.raises(PluginError, match="offered by other-toy and toy-untilt"):
            untilt.games.compile("odd-one-out")

    def test_a_game_that_fails_when_it_is_made_is_one_line(self) -> None:
        def fails(depth: int = 1) -> untilt.Game:
            raise ZeroDivisionError("no rules")

        untilt.games.register_game("fails", fails)
        with pytest.raises(GameError, match=r"fails cannot be loaded: ZeroDivisionError: no rules"):
            untilt.games.compile("fails")


_VALUES = {
    "raises": "toy_broken:anything",
    "missing": "toy_broken:nothing",
    "absent": "nowhere_to_be_found:x",
    "other": "toy_broken:METHOD",
}


def coins() -> untilt.Game:
    """Heads or tails."""
    return matrix(payoffs="1 -1; -1 1")


class TestRegistering:
    def test_a_function_a_class_a_position_and_a_spec_are_games(self) -> None:
        class Small(Kuhn):
            """Kuhn again."""

        spec = untilt.games.GameSpec("spec", "A Spec", coins, "", "two coins", infosets=2)
        for name, game in (("f", coins), ("c", Small), ("p", Kuhn()), ("spec", spec)):
            registered = untilt.games.register_game(name, game)
            assert REGISTRY[name] is registered
            assert untilt.games.compile(name).num_infosets == (12 if name in "cp" else 2)
        assert REGISTRY["f"].summary == "Heads or tails"
        assert REGISTRY["spec"].title == "A Spec"
        titled = untilt.games.register_game("t", coins, title="Coins", summary="Two of them.")
        assert (titled.title, titled.summary) == ("Coins", "Two of them.")

    @pytest.mark.parametrize("name", ["kuhn", "", "Upper", "a b", "a/b", "x" * 41, None, 3])
    def test_a_name_that_is_taken_or_odd_is_refused(self, name: Any) -> None:
        with pytest.raises(InvalidOption):
            untilt.games.register_game(name, coins)

    def test_a_second_registration_needs_to_be_asked_for(self) -> None:
        untilt.games.register_game("coins", coins)
        with pytest.raises(InvalidOption, match="replace=True"):
            untilt.games.register_game("coins", coins)
        untilt.games.register_game("coins", Kuhn, replace=True)
        assert untilt.games.compile("coins").num_infosets == 12

    @pytest.mark.usefixtures("site")
    def test_a_name_of_an_installed_package_is_refused(self) -> None:
        with pytest.raises(InvalidOption, match="comes with the package toy-untilt"):
            untilt.games.register_game("odd-one-out", coins, replace=True)

    def test_a_method_is_registered_once(self) -> None:
        method = cfr_variant("mine", "of mine")
        assert untilt.research.register_method(method) is method
        run = untilt.solve("kuhn", "mine", iterations=10, save=False)
        assert run.request.method == "mine"
        with pytest.raises(InvalidOption, match="registered already"):
            untilt.research.register_method(method)

    @pytest.mark.parametrize(
        ("option", "words"),
        [
            (Option("output", str, "", "A folder."), "has a name that is taken"),
            (Option("no way", str, "", "A folder."), "has a name that is taken or not allowed"),
            (Option("alpha", str, "", "A letter."), "is of type str, but other methods have"),
        ],
    )
    def test_an_option_must_fit_the_others(self, option: Option, words: str) -> None:
        with pytest.raises(InvalidOption, match=words):
            untilt.research.register_method(cfr_variant("mine", "of mine", option))

    def test_only_methods_are_methods(self) -> None:
        for junk in (None, "cfr", coins, Method):
            with pytest.raises(InvalidOption):
                untilt.research.register_method(junk)  # type: ignore[arg-type]

    def test_what_the_command_and_the_function_take_is_reserved(self) -> None:
        import inspect

        from untilt.cli.commands.solve.solve import solve
        from untilt.runs.kinds import KINDS
        from untilt.runs.solve import solve as solve_in_python

        options = {option.name for method in METHODS.own.values() for option in method.takes}
        kind = KINDS["solve"]
        functions = (solve, solve_in_python, kind.task)
        taken = {name for each in functions for name in inspect.signature(each).parameters}
        taken = (taken | kind.means) - {"subject", "arguments"}
        assert taken - options - {"options"} <= RESERVED
        assert not RESERVED & options
