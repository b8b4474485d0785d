"""Slips of new users of the Python API: what was meant works, or the message says how."""

import re
from pathlib import Path
from typing import Any

import pytest

import untilt
from untilt.errors import GameError, InvalidOption, UnknownName
from untilt.play import Bot, StrategyAgent, Table, load_agents


def bettor(label: str) -> str:
    return "call" if label.endswith("b") else "bet"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> untilt.GameRun:
    return untilt.solve("kuhn", "cfr+", iterations=20, output=tmp_path_factory.mktemp("run") / "r")


class TestSolving:
    @pytest.mark.parametrize("game", ["leduc", untilt.games.leduc])
    def test_a_parameter_of_the_game_is_named_as_one(self, game: Any) -> None:
        with pytest.raises(InvalidOption) as refusal:
            untilt.solve(game, ranks=2, save=False)
        assert "ranks is a parameter of the game, not of its solver" in str(refusal.value)
        [given] = re.findall(r"parameters=(\{.*\})", str(refusal.value))
        found = untilt.solve(game, parameters=eval(given), iterations=2, save=False)
        assert found.request.parameters["ranks"] == 2

    def test_a_misspelt_argument_is_corrected(self) -> None:
        with pytest.raises(InvalidOption, match=r"no argument iters: did you mean iterations\?"):
            untilt.solve("kuhn", iters=10, save=False)

    def test_an_option_of_another_method_is_refused_with_those_of_this_one(self) -> None:
        with pytest.raises(InvalidOption, match="lp takes no option average; it takes none"):
            untilt.solve("kuhn", "lp", average="linear", save=False)

    @pytest.mark.parametrize("given", [None, 3, {"P0:J:": {"bet": 1.0}}, [1, 2]])
    def test_what_is_nothing_like_a_game_is_refused_with_what_is_one(self, given: Any) -> None:
        for use in (untilt.solve, untilt.games.compile, lambda game: untilt.evaluate(game, "kuhn")):
            with pytest.raises(GameError, match=r"is not a game: give a name such as 'kuhn', a po"):
                use(given)

    def test_an_object_with_a_part_of_a_game_is_refused_with_what_it_lacks(self) -> None:
        class Half:
            terminal = False

        with pytest.raises(GameError, match="object of type 'Half' is not a game: it lacks payoff"):
            untilt.games.compile(Half())  # type: ignore[arg-type]


class TestAgents:
    def test_code_that_is_not_trusted_is_refused_with_the_argument_that_trusts_it(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "bot.py").write_text("def bot(label):\n    return 'check'\n")
        with pytest.raises(InvalidOption, match="if you trust it, add trust=True to run it"):
            untilt.match(f"{tmp_path / 'bot.py'}:bot", "random", 2, game="kuhn")

    def test_a_table_takes_games_and_agents_as_they_come(self, run: untilt.GameRun) -> None:
        expected = list(Table(untilt.games.kuhn(), (StrategyAgent(run.profile), bettor)).play(20))
        loaded, _ = load_agents([run])
        for game in ("kuhn", untilt.games.kuhn, loaded):
            for agent in (run, run.strategy, run.strategy.to_dict()):
                assert list(Table(game, (agent, bettor)).play(20)) == expected

    def test_agents_are_loaded_from_runs_and_paths_for_a_game_by_name(
        self, run: untilt.GameRun
    ) -> None:
        assert run.path is not None
        for agent in (run, run.path, str(run.path)):
            for game in (None, "kuhn", untilt.games.kuhn()):
                found, [policy] = load_agents([agent], game)
                assert (found.name, policy.name) == ("kuhn", str(run.path))

    def test_an_unsaved_run_plays_its_strategy(self) -> None:
        unsaved = untilt.solve("kuhn", "cfr+", iterations=20, save=False)
        _, [one, other] = load_agents([unsaved, unsaved.profile], "kuhn")
        hands = [list(Table("kuhn", (agent, bettor)).play(20)) for agent in (one, other)]
        assert hands[0] == hands[1]

    def test_a_name_in_the_place_of_an_agent_is_refused_with_the_call_that_loads_it(self) -> None:
        with pytest.raises(InvalidOption) as refusal:
            Table("kuhn", ("random", bettor))  # type: ignore[arg-type]
        assert "game, [agent] = load_agents(['random'])" in str(refusal.value)

    def test_a_bot_is_made_of_what_was_loaded(self, run: untilt.GameRun) -> None:
        game, [agent] = load_agents([run])
        assert Bot(game, agent).game.name == "kuhn"
        with pytest.raises(InvalidOption, match=r"made of what load_agents returns"):
            Bot("kuhn", str(run.path))  # type: ignore[arg-type]


class TestPictures:
    def test_a_file_in_the_place_of_a_run_is_refused_with_its_argument(
        self, run: untilt.GameRun
    ) -> None:
        with pytest.raises(InvalidOption, match=r"'c.svg' is not a run; .* path='c.svg'"):
            untilt.plot(run, "c.svg")

    def test_a_list_of_runs_is_refused_with_a_star(self, run: untilt.GameRun) -> None:
        with pytest.raises(InvalidOption, match=r"list of runs; .*untilt\.plot\(\*runs\)"):
            untilt.plot([run, run])  # type: ignore[arg-type]

    def test_what_a_branch_does_not_have_is_refused_with_what_it_has(self) -> None:
        branch = untilt.qre("kuhn", beta=1, trace=True, save=False).branch
        with pytest.raises(UnknownName, match=r"infoset 'P0:X:': .* known: P0:J:"):
            branch.probabilities("P0:X:", "bet")
        with pytest.raises(UnknownName, match=r"action 'raise': .*known: check, bet"):
            branch.probabilities("P0:J:", "raise")
        with pytest.raises(UnknownName, match=r"column 'betas': did you mean 'beta'\?"):
            branch.column("betas")
        with pytest.raises(InvalidOption, match="player is 2"):
            branch.values(2)
