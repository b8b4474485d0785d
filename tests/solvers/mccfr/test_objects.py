"""Sampling straight from positions: games that cannot be compiled, and games that are broken."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.cli import faulty_games
from tests.game.trees import FORGETFUL, GENERAL_SUM, TreeGame, choice
from tests.game.trees import End as Worth
from tests.solvers.mccfr.solving import different, everything, shown, solver_of
from tests.solvers.mccfr.walks import (
    Circle,
    EndlessDealing,
    EndlessWaiting,
    EndlessWalk,
    SampledWalk,
    Walk,
)

from untilt.errors import GameError, ImperfectRecall, InvalidOption, NotZeroSum
from untilt.evaluation.best_response import evaluate
from untilt.game.compiled import compile_histories
from untilt.game.histories import walking
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import profile_from_dict
from untilt.solvers.mccfr import objects
from untilt.solvers.mccfr import solver as solving
from untilt.solvers.mccfr.objects import SampledObjects
from untilt.solvers.mccfr.solver import MccfrSolver

METHODS = ["mccfr-chance", "mccfr-external", "mccfr-outcome"]


def on_objects(game: Game, method: str = "mccfr-external", **options: Any) -> MccfrSolver:
    """Return a solver of positions that has no compiled game beside it."""
    return solver_of(game, method=method, on="objects", measured=False, **options)


def sampled_by(solver: MccfrSolver) -> SampledObjects:
    assert isinstance(solver._sampled, SampledObjects)
    return solver._sampled


@cache
def never_stopped(game: Walk, method: str) -> MccfrSolver:
    """Return a solver after 300 iterations, which nobody changes."""
    solver = on_objects(game, method, cache=1000)
    solver.advance(300)
    return solver


class TestGamesThatDoNotCompile:
    @pytest.mark.parametrize("method", METHODS)
    def test_a_game_without_a_list_of_outcomes_is_solved(self, method: str) -> None:
        game = faulty_games.OnlySampled()
        solver = on_objects(game, method, batch=1)
        solver.advance(2000)
        found = solver.snapshot().profile.to_dict()
        assert len(found) == 12
        compiled = compile_histories(faulty_games.Sound())
        measured = evaluate(compiled.exact_form(), profile_from_dict(compiled, found))
        assert measured.nash_conv < 0.3
        assert measured.value == pytest.approx(-1 / 18, abs=measured.nash_conv)

    @pytest.mark.parametrize("method", METHODS)
    def test_histories_below_a_deal_of_the_game_do_not_pile_up(self, method: str) -> None:
        solver = on_objects(faulty_games.OnlySampled(), method)
        sizes = []
        for _ in range(4):
            solver.advance(256)
            sizes.append(sampled_by(solver).num_nodes)
        assert sizes == [1] * 4
        solver.advance(255)
        assert sampled_by(solver).num_nodes < 256 * 40
        assert sampled_by(solver).num_infosets == 12

    @pytest.mark.parametrize("method", ["mccfr-external", "mccfr-chance"])
    def test_drawing_oneself_or_leaving_it_to_the_game_is_the_same(self, method: str) -> None:
        # Both take one number per move of chance and use it alike.
        listed, drawn = (on_objects(game, method) for game in (Walk(3), SampledWalk(3)))
        for solver in (listed, drawn):
            solver.advance(500)
        assert different(shown(drawn), shown(listed)) == []

    @pytest.mark.parametrize(
        "method", ["mccfr-external", pytest.param("mccfr-outcome", marks=pytest.mark.long)]
    )
    def test_a_game_of_a_billion_billion_histories_is_played_well_where_it_was_seen(
        self, method: str
    ) -> None:
        solver = on_objects(Walk(6), method)
        solver.advance(3000)
        found = solver.snapshot().profile.to_dict()
        assert found["P0:u"]["right"] > 0.9
        assert found["P0:d"]["right"] < 0.1
        vast = on_objects(Walk(30), "mccfr-outcome", cache=20_000)
        vast.advance(500)
        assert vast.game().num_infosets > 5000
        assert not vast.game().forms
        first, second = vast.snapshot().behaviours
        assert len(first) + len(second) == 2 * vast.game().num_infosets + 2

    def test_progress_tells_of_drift_and_regret_instead_of_exploitability(self) -> None:
        solver = on_objects(Walk(5))
        moments = [step for step in solver.progress(4000) if step.is_moment]
        assert all(step.evaluation is None for step in moments)
        drifts = [step.drift for step in moments if step.drift is not None]
        assert drifts[0] == 1.0
        assert 0.0 <= drifts[-1] < 0.1
        assert all(step.regret is not None and step.regret >= 0.0 for step in moments)
        assert moments[-1].nodes == solver.nodes > 4000
        assert solver.outcome()["infosets_met"] == solver.game().num_infosets

    @pytest.mark.parametrize("saved_at", [1, 256])
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("game", [Walk(5), SampledWalk(3)], ids=["listed", "sampled"])
    def test_a_saved_and_restored_run_goes_on_as_one_that_never_stopped(
        self, game: Walk, method: str, saved_at: int
    ) -> None:
        whole = never_stopped(game, method)
        first, second = (on_objects(game, method, cache=1000) for _ in range(2))
        first.advance(saved_at)
        second.restore({name: array.copy() for name, array in first.state().items()})
        assert different(shown(second), shown(first)) == []
        second.advance(300 - saved_at)
        assert different(shown(second), shown(whole)) == []
        assert second.game().fingerprint() == whole.game().fingerprint()


class TestLongIterations:
    """An iteration on objects can be left and taken up again."""

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(
        ("game", "batch"), [(Walk(5), 1), (SampledWalk(3), 40)], ids=["listed", "sampled"]
    )
    def test_how_often_it_was_left_does_not_change_a_bit(
        self, game: Game, method: str, batch: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole, sliced = (on_objects(game, method, batch=batch, cache=1000) for _ in range(2))
        whole.advance(300)
        monkeypatch.setattr(solving, "_LONGEST_SECONDS", 0.0)
        steps = list(sliced.progress(300))
        assert [step.iteration for step in steps if step.is_moment][-1] == 300
        assert sum(not step.is_moment for step in steps) > 50
        assert different(shown(sliced), shown(whole)) == []
        assert sliced.nodes == whole.nodes

    @pytest.mark.parametrize("method", METHODS)
    def test_what_is_saved_while_it_is_left_goes_on_as_if_it_never_was(
        self, method: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole, left, resumed = (on_objects(Walk(5), method) for _ in range(3))
        whole.advance(50)
        monkeypatch.setattr(solving, "_LONGEST_SECONDS", 0.0)
        steps = left.progress(50)
        for _ in range(25):
            next(steps)
        assert not left._advance(50, 0.0)
        resumed.restore({name: array.copy() for name, array in left.state().items()})
        assert resumed.nodes == left.nodes
        resumed.advance(50 - resumed.iteration)
        left.advance(50 - left.iteration)
        for solver in (resumed, left):
            assert different(shown(solver), shown(whole)) == []
            assert solver.nodes == whole.nodes


class TestCache:
    @pytest.mark.parametrize("method", ["mccfr-external", "mccfr-outcome"])
    def test_histories_are_forgotten_when_they_are_too_many(self, method: str) -> None:
        solver = on_objects(Walk(7), method, cache=1000)
        sampled = sampled_by(solver)
        most = after_forgetting = 0
        for _ in range(3):
            solver.advance(255)
            most = max(most, sampled.num_nodes)
            solver.advance(1)
            after_forgetting = max(after_forgetting, sampled.num_nodes)
            assert len(sampled._positions) == len(sampled._depths) == sampled.num_nodes
        assert after_forgetting <= 1000 < most
        # What 256 iterations can add at most: the tree has 2 ** 15 − 1 nodes.
        assert most < (1000 + 256 * 2 * 14 if method == "mccfr-outcome" else 2**15)

    @pytest.mark.parametrize(
        ("method", "options"),
        [
            ("mccfr-chance", {}),
            ("mccfr-chance", {"average": "lazy"}),
            ("mccfr-external", {}),
            ("mccfr-external", {"average": "lazy"}),
            ("mccfr-outcome", {"baseline": "none"}),
        ],
    )
    def test_forgetting_changes_nothing_but_baselines(
        self, monkeypatch: pytest.MonkeyPatch, method: str, options: dict[str, Any]
    ) -> None:
        wide, narrow = (
            on_objects(Walk(5), method, cache=cache, **options) for cache in (10**7, 1000)
        )
        wide.advance(1100)
        forgotten: list[int] = []
        clear = SampledObjects.clear

        def counted(sampled: SampledObjects) -> None:
            forgotten.append(sampled.num_nodes)
            clear(sampled)

        monkeypatch.setattr(SampledObjects, "clear", counted)
        narrow.advance(1100)
        assert len(forgotten) >= 2
        assert min(forgotten) > 1000
        assert different(shown(narrow), shown(wide)) == []


class TestBrokenGames:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(
        "game",
        [EndlessWalk(), EndlessDealing(), EndlessWaiting(), Circle(), faulty_games.NeverEnds()],
        ids=lambda game: type(game).__name__,
    )
    def test_a_game_without_end_is_noticed(
        self, game: Game, method: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Histories take time in proportion to the square of their lengths.
        for module in (objects, walking):
            monkeypatch.setattr(module, "DEFAULT_MAX_DEPTH", 1_000)
        with pytest.raises(GameError, match=r"longer than 1,000 moves: does the game ever end\?"):
            on_objects(game, method).advance(1)

    def test_ten_thousand_moves_count_as_endless(self) -> None:
        with pytest.raises(GameError, match=r"longer than 10,000 moves: does the game ever end\?"):
            on_objects(Circle()).advance(1)

    @pytest.mark.parametrize(
        ("game", "said"),
        [
            (faulty_games.Raises(), r"raised RuntimeError: out of\scards at history \[.*check"),
            (faulty_games.LosesChance(), "probabilities sum to 0.9 at the root"),
            (faulty_games.PaysNan(), r"nan.*history \["),
            (faulty_games.Repeating(), "two actions with the same name: check, bet, check"),
            (faulty_games.Nameless(), "'NamelessKnowledge' have no equality"),
            (faulty_games.Scattered(), "two different infosets have the label 'P"),
            (faulty_games.Varying(), r"infoset 'P\d:\w'.*history \["),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
    )
    @pytest.mark.parametrize("method", METHODS)
    def test_errors_name_the_infoset_or_the_history(
        self, game: Game, said: str, method: str
    ) -> None:
        with pytest.raises(GameError, match=said):
            on_objects(game, method).advance(200)

    def test_two_players_cannot_share_a_label(self) -> None:
        game = TreeGame(
            choice(0, "same", a=choice(1, "same", a=Worth(1.0), b=Worth(-1.0)), b=Worth(0.5))
        )
        with pytest.raises(GameError, match="two different infosets have the label 'same'"):
            on_objects(game).advance(10)

    def test_other_actions_after_a_resume_are_noticed_too(self) -> None:
        def game(*names: str) -> TreeGame:
            return TreeGame(choice(0, "P0:", **dict.fromkeys(names, Worth(1.0))))

        before, after = on_objects(game("a", "b")), on_objects(game("a", "c"))
        before.advance(10)
        after.restore(before.state())
        with pytest.raises(GameError, match=r"'P0:' offers \['a', 'c'\].* but \['a', 'b'\]"):
            after.advance(10)

    @pytest.mark.parametrize("method", METHODS)
    def test_general_sum_is_refused_where_it_is_met(self, method: str) -> None:
        with pytest.raises(NotZeroSum, match=r"payoffs are .* and .* at history \["):
            on_objects(GENERAL_SUM, method).advance(100)

    @pytest.mark.parametrize("method", METHODS)
    def test_general_sum_is_refused_on_the_tree(self, method: str) -> None:
        with pytest.raises(NotZeroSum, match="do not sum to zero"):
            solver_of(GENERAL_SUM, method=method)


class TestImperfectRecall:
    @pytest.mark.parametrize("on", ["tree", "objects"])
    @pytest.mark.parametrize("method", METHODS)
    def test_it_runs_and_is_not_measured(self, method: str, on: str) -> None:
        solver = solver_of(FORGETFUL, method=method, on=on)
        *_, last = solver.progress(5000)
        assert last.evaluation is None
        assert last.drift is not None
        for behaviour in solver.snapshot().behaviours:
            assert np.isfinite(behaviour).all()
        # Player 1 holds her to nothing by r; whoever plays l pays.
        found = solver.snapshot().profile.to_dict()
        assert found["P1:"]["r"] > 0.9

    @pytest.mark.parametrize("method", METHODS)
    def test_the_bits_are_the_same_on_both(self, method: str) -> None:
        tree, objects = (solver_of(FORGETFUL, method=method, on=on) for on in ("tree", "objects"))
        for solver in (tree, objects):
            solver.advance(3000)
        assert different(shown(objects), shown(tree)) == []

    @pytest.mark.parametrize("method", METHODS)
    def test_the_lazy_average_is_refused(self, method: str) -> None:
        with pytest.raises(ImperfectRecall, match=r"'P0:again'.*use average='stochastic'"):
            solver_of(FORGETFUL, method=method, average="lazy")
        with pytest.raises(ImperfectRecall, match=r"'P0:again'.*use average='stochastic'"):
            # With this seed, outcome sampling comes to both histories of the infoset.
            on_objects(FORGETFUL, method, average="lazy", seed=1).advance(100)


def test_several_threads_are_refused_on_objects() -> None:
    with pytest.raises(InvalidOption, match=r"threads is for compiled games.*use on='tree'"):
        on_objects(Walk(3), threads=2)


@pytest.mark.parametrize("options", [{"average": "lazy"}, {"baseline": "history"}])
def test_threads_that_do_not_wait_need_plain_sums(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match="sync='none' goes only with average='stochastic' and"):
        solver_of("kuhn", method="mccfr-outcome", sync="none", **{"baseline": "none", **options})


def test_a_restored_state_is_complete() -> None:
    first, second = (on_objects(Walk(4), "mccfr-outcome") for _ in range(2))
    first.advance(3000)
    second.restore(first.state())
    assert different(everything(second), everything(first)) == []
