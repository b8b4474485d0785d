"""Opponents from run folders: what is loaded, what is refused, and that no code is executed."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.faulty_games import OnlySampled
from tests.runs import game_runs

import untilt
from untilt.errors import FormatError, GameError, InvalidOption, RunError, UntiltError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.kinds.strategy_file import read_strategy, write_strategy
from untilt.formats.run.compiled_game import read_game
from untilt.formats.run.frames import Frames, write_frames
from untilt.game.histories.tree_position import TreePosition
from untilt.games.leduc import Leduc
from untilt.games.pushfold.game import PushFold
from untilt.games.recipe import Recipe, verify_fits
from untilt.play.review.replay import state_of_hand
from untilt.play.table.hand import Table
from untilt.play.table.versus import Versus
from untilt.policy.tabular import TabularPolicy


def copied(folder: Path, target: Path) -> Path:
    target.mkdir()
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of Kuhn, push/fold and Leduc with many ranks."""
    folder = tmp_path_factory.mktemp("saved")
    untilt.solve("kuhn", "cfr+", iterations=300, output=folder / "kuhn")
    untilt.solve("pushfold", "cfr+", iterations=30, parameters={"stack": 8}, output=folder / "push")
    untilt.solve("leduc", "cfr+", iterations=5, parameters={"ranks": 7}, output=folder / "ranks")
    return folder


@pytest.fixture
def kuhn_copy(saved: Path, tmp_path: Path) -> Path:
    return copied(saved / "kuhn", tmp_path / "copy")


def edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "run.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def without_tree(folder: Path) -> None:
    """Rewrite game.bin as that of a game that was not walked."""
    container = read_container(folder / "game.bin", "game", in_memory=True)
    arrays = {
        name: array for name, array in container.arrays.items() if not name.startswith("tree.")
    }
    write_container(folder / "game.bin", "game", {**container.meta, "has_tree": False}, arrays)


def test_a_run_is_played_on_its_tree(saved: Path) -> None:
    opponent = Versus.load(saved / "kuhn")
    assert isinstance(opponent.root, TreePosition)
    assert (opponent.name, opponent.title, opponent.terms.unit) == ("kuhn", "Kuhn Poker", "chips")
    assert opponent.is_finished
    run = game_runs.load(saved / "kuhn")
    assert opponent.profile.to_dict() == run.strategy.to_dict()
    assert opponent.values is not None
    for player in (0, 1):
        values = untilt.strategies.action_values(
            run.game.exact_form(), run.strategy, player
        ).conditional
        assert np.array_equal(opponent.values[player], values, equal_nan=True)


def test_games_without_histories_are_made_again_from_their_own_rules(saved: Path) -> None:
    pushfold = Versus.load(saved / "push")
    assert isinstance(pushfold.root, PushFold)
    assert pushfold.root.stakes.stack == 8.0
    assert (pushfold.terms.unit, pushfold.has_hand_classes) == ("bb", True)
    leduc = Versus.load(saved / "ranks")
    assert isinstance(leduc.root, Leduc)
    assert leduc.root.parameters["ranks"] == 7
    assert not leduc.has_hand_classes
    for opponent in (pushfold, leduc):
        hands = Table(opponent.root, (opponent.policy, opponent.policy)).play(50)
        assert all(sum(hand.payoffs) == 0.0 for hand in hands)


def test_an_agent_from_a_run_plays_its_strategy(saved: Path) -> None:
    agent = TabularPolicy.from_run(saved / "kuhn")
    opponent = Versus.load(str(saved / "kuhn"))
    assert list(Table(opponent.root, (agent, agent)).play(50)) == list(
        Table(opponent.root, (opponent.policy, opponent.policy)).play(50)
    )


class TestUnfinishedRuns:
    def test_the_last_frame_plays_until_there_is_a_strategy(self, kuhn_copy: Path) -> None:
        final = Versus.load(kuhn_copy)
        (kuhn_copy / "strategy.bin").unlink()
        (kuhn_copy / "result.json").unlink()
        opponent = Versus.load(kuhn_copy)
        assert not opponent.is_finished
        for player, table in enumerate(opponent.compiled.infosets):
            behaviour = opponent.profile.behaviours[player]
            sums = np.add.reduceat(behaviour, table.first_sequence[:-1])
            assert sums == pytest.approx(1.0, abs=1e-15)
            assert behaviour == pytest.approx(final.profile.behaviours[player], abs=1e-6)
            assert opponent.values is not None
            assert final.values is not None
            assert opponent.values[player] == pytest.approx(
                final.values[player], abs=1e-6, nan_ok=True
            )
        read_container(kuhn_copy / "frames.bin", "frames")  # nothing was changed

    def test_a_resumed_run_is_played_as_it_stands_and_not_as_it_once_ended(
        self, kuhn_copy: Path
    ) -> None:
        (kuhn_copy / "result.json").unlink()  # as resuming does
        frames = read_container(kuhn_copy / "frames.bin", "frames", in_memory=True)
        last = frames.arrays["strategy"][-1]
        last[1:3] = 0.25, 0.75
        write_container(kuhn_copy / "frames.bin", "frames", frames.meta, frames.arrays)
        opponent = Versus.load(kuhn_copy)
        assert not opponent.is_finished
        assert opponent.profile.behaviours[0][1:3].tolist() == [0.25, 0.75]
        (kuhn_copy / "frames.bin").unlink()
        assert not Versus.load(kuhn_copy).is_finished  # the earlier end is all there is

    def test_values_come_from_the_frames_where_the_strategy_has_none(self, kuhn_copy: Path) -> None:
        game = read_game(kuhn_copy / "game.bin")
        path = kuhn_copy / "strategy.bin"
        write_strategy(path, read_strategy(path, game), game.fingerprint())
        opponent = Versus.load(kuhn_copy)
        assert opponent.is_finished
        assert opponent.values is not None
        assert np.nanmax(opponent.values[0]) == pytest.approx(2.0)
        (kuhn_copy / "frames.bin").unlink()
        assert Versus.load(kuhn_copy).values is None
        state = state_of_hand(Versus.load(kuhn_copy), seed=0, hand=0, seat=0, actions=["bet"])
        assert state.review is not None
        assert [each.cost for each in state.review] == [None]

    def test_a_run_without_any_strategy_is_refused(self, kuhn_copy: Path) -> None:
        (kuhn_copy / "strategy.bin").unlink()
        game = read_game(kuhn_copy / "game.bin")
        num_sequences = sum(table.num_sequences for table in game.infosets)
        write_frames(kuhn_copy / "frames.bin", Frames(num_sequences))
        with pytest.raises(RunError, match="has no strategy yet"):
            Versus.load(kuhn_copy)
        (kuhn_copy / "frames.bin").unlink()
        with pytest.raises(RunError, match="has no strategy yet; wait a moment, or continue it"):
            Versus.load(kuhn_copy)

    @pytest.mark.parametrize("entry", [np.nan, -0.5, 0.7, np.inf])
    def test_a_frame_that_is_no_strategy_is_refused(self, kuhn_copy: Path, entry: float) -> None:
        (kuhn_copy / "strategy.bin").unlink()
        container = read_container(kuhn_copy / "frames.bin", "frames", in_memory=True)
        container.arrays["strategy"][-1, 3] = entry
        write_container(kuhn_copy / "frames.bin", "frames", container.meta, container.arrays)
        with pytest.raises(FormatError, match=r"frames\.bin is damaged"):
            Versus.load(kuhn_copy)

    def test_frames_of_another_game_are_refused(self, kuhn_copy: Path) -> None:
        (kuhn_copy / "strategy.bin").unlink()
        frames = Frames(7)
        frames.offer(0, 1, 0.0, lambda: (np.ones(7), np.ones(7)))
        write_frames(kuhn_copy / "frames.bin", frames)
        with pytest.raises(FormatError, match=r"frames\.bin belongs to another game"):
            Versus.load(kuhn_copy)


class TestRefusedFolders:
    def test_what_is_no_run_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(RunError, match="nowhere is not a folder"):
            Versus.load(tmp_path / "nowhere")
        with pytest.raises(RunError, match="holds no run"):
            Versus.load(tmp_path)

    @pytest.mark.parametrize("key", ["game", "title", "reference", "parameters", "fingerprint"])
    def test_a_description_that_lacks_something_is_damaged(self, kuhn_copy: Path, key: str) -> None:
        edit(kuhn_copy, lambda document: document.pop(key))
        with pytest.raises(FormatError, match=r"run\.json is damaged"):
            Versus.load(kuhn_copy)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
    def test_a_pipe_is_no_description_and_is_not_waited_for(self, kuhn_copy: Path) -> None:
        (kuhn_copy / "run.json").unlink()
        os.mkfifo(kuhn_copy / "run.json")
        with pytest.raises(FormatError, match=r"run\.json .*is not a regular file"):
            Versus.load(kuhn_copy)

    def test_a_description_of_megabytes_is_refused(self, kuhn_copy: Path) -> None:
        edit(kuhn_copy, lambda document: document.update(note="x" * (1 << 20)))
        with pytest.raises(FormatError, match=r"run\.json is larger than"):
            Versus.load(kuhn_copy)

    def test_a_parameter_beyond_all_numbers_is_damage(self, saved: Path, tmp_path: Path) -> None:
        folder = copied(saved / "push", tmp_path / "copy")
        edit(folder, lambda document: document["parameters"].update(stack=10**400))
        with pytest.raises(FormatError, match=r"run\.json is damaged \(a parameter"):
            Versus.load(folder)

    def test_a_newer_run_asks_to_upgrade(self, kuhn_copy: Path) -> None:
        edit(kuhn_copy, lambda document: document.update(format=2))
        with pytest.raises(FormatError, match="newer Untilt; upgrade"):
            Versus.load(kuhn_copy)

    def test_charts_of_many_stacks_are_not_one_opponent(self, kuhn_copy: Path) -> None:
        edit(kuhn_copy, lambda document: document.update(kind="sweep"))
        with pytest.raises(RunError, match="charts of many stacks"):
            Versus.load(kuhn_copy)

    def test_files_of_different_games_are_not_mixed(self, kuhn_copy: Path, saved: Path) -> None:
        (kuhn_copy / "game.bin").write_bytes((saved / "ranks" / "game.bin").read_bytes())
        with pytest.raises(FormatError, match="belong to different games"):
            Versus.load(kuhn_copy)

    def test_a_strategy_of_another_game_is_refused(self, kuhn_copy: Path, saved: Path) -> None:
        (kuhn_copy / "strategy.bin").write_bytes((saved / "ranks" / "strategy.bin").read_bytes())
        with pytest.raises(FormatError, match="strategy of another game"):
            Versus.load(kuhn_copy)

    @pytest.mark.parametrize("name", ["run.json", "game.bin", "strategy.bin"])
    def test_a_damaged_file_is_an_error_of_one_line(self, kuhn_copy: Path, name: str) -> None:
        path = kuhn_copy / name
        path.write_bytes(path.read_bytes()[:-5])
        with pytest.raises(UntiltError) as refusal:
            Versus.load(kuhn_copy)
        assert name in str(refusal.value)
        assert "\n" not in str(refusal.value)

    def test_a_game_that_is_only_sampled_has_to_be_awaited(self, kuhn_copy: Path) -> None:
        edit(kuhn_copy, lambda document: document.update(fingerprint="uncompiled"))
        (kuhn_copy / "game.bin").unlink()
        with pytest.raises(RunError, match="wait for the run to end"):
            Versus.load(kuhn_copy)


class TestStrangers:
    """A run folder that somebody sent."""

    @pytest.fixture
    def trap(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A module, importable and in the current folder, that leaves a trace if executed."""
        source = f"""
            from pathlib import Path
            Path({str(tmp_path / "sprung")!r}).touch()
            from untilt.games.kuhn import Kuhn
            game = Kuhn()
        """
        (tmp_path / "trap.py").write_text(textwrap.dedent(source), encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(str(tmp_path))
        return tmp_path / "sprung"

    @pytest.mark.parametrize(
        "reference",
        ["trap.py:game", "trap.py", "trap:game", "./trap.py:game", "openspiel:kuhn_poker", None],
    )
    def test_no_code_of_a_run_is_executed(
        self, kuhn_copy: Path, trap: Path, reference: str | None
    ) -> None:
        edit(kuhn_copy, lambda document: document.update(reference=reference))
        opponent = Versus.load(kuhn_copy)  # on its tree
        state_of_hand(opponent, seed=0, hand=0, seat=0, actions=["bet"])
        without_tree(kuhn_copy)
        with pytest.raises(UntiltError, match=r"playing this run (would execute|needs its game)"):
            Versus.load(kuhn_copy)
        assert not trap.exists()

    def test_the_trap_would_spring(self, trap: Path) -> None:
        untilt.games.resolve("trap.py:game")
        assert trap.exists()

    def test_rules_that_do_not_fit_the_saved_names_are_refused(
        self, kuhn_copy: Path, saved: Path
    ) -> None:
        edit(kuhn_copy, lambda document: document.update(reference="pushfold"))
        without_tree(kuhn_copy)
        with pytest.raises(GameError, match=r"game\.bin is not a game of 'pushfold'"):
            Versus.load(kuhn_copy)
        game = read_game(saved / "ranks" / "game.bin")
        for parameters in ({"ranks": 9}, {"ranks": 7, "bets": 3}):
            recipe = Recipe("leduc", parameters)
            with pytest.raises(GameError, match="is not a game of 'leduc'"):
                verify_fits(recipe.make(), game, recipe)

    def test_parameters_that_the_game_has_not_are_refused(self) -> None:
        with pytest.raises(UntiltError, match="unknown parameter 'command'"):
            Recipe("pushfold", {"command": "rm"}).make()


def test_a_game_made_in_python_is_given_again(tmp_path: Path) -> None:
    untilt.solve(OnlySampled(), "mccfr-external", iterations=3, output=tmp_path / "run")
    with pytest.raises(InvalidOption, match=r"untilt\.play\.Versus\.load\(path, game=position\)"):
        Versus.load(tmp_path / "run", trust=True)
    opponent = Versus.load(tmp_path / "run", game=OnlySampled())
    assert opponent.compiled.is_partial
    for hand in Table(opponent.root, (opponent.policy, opponent.policy)).play(50):
        assert sum(hand.payoffs) == 0.0
    with pytest.raises(GameError, match="random hands reach none of its infosets"):
        Versus.load(tmp_path / "run", game=Leduc())


@pytest.mark.parametrize("name", ["kuhn", "push", "ranks"])
def test_playing_loads_neither_numba_nor_scipy(saved: Path, name: str) -> None:
    code = f"""
        import sys
        from untilt.play import Versus, TabularPolicy, Table, state_of_hand

        opponent = Versus.load({str(saved / name)!r})
        agent = TabularPolicy.from_run({str(saved / name)!r})
        for hand in Table(opponent.root, (agent, opponent.policy)).play(5):
            state = state_of_hand(opponent, seed=0, hand=hand.number, seat=1, actions=[])
            state.to_json()
        heavy = ("numba", "llvmlite", "scipy", "typer", "rich", "untilt.solvers")
        found = [name for name in heavy if name in sys.modules]
        # The kinds of runs by name are a few light files.
        runs = [name for name in sys.modules if name.startswith("untilt.runs.")]
        print(found + [name for name in runs if not name.startswith("untilt.runs.kinds")])
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
