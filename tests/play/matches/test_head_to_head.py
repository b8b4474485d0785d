"""Matches: duplicate deals, their confidence interval, and agents by name."""

import json
from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.errors import InvalidOption, RunError, StrategyError, UnknownName, UntiltError
from untilt.evaluation.comparison import head_to_head
from untilt.game.mix import Mix
from untilt.game.protocol import Uniforms
from untilt.play.matches.head_to_head import play_match
from untilt.play.table.hand import Table
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.streams import LightStream, LightStreams, Role
from untilt.policy.hands.turn import Hand, Turn
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame, named_game
from untilt.policy.simple import RandomPolicy, always_call, always_fold
from untilt.policy.tabular import TabularPolicy

KUHN = named_game("kuhn", {})
LEDUC = named_game("leduc", {})


def _equilibrium(game: str) -> TabularPolicy:
    run = untilt.solve(game, target=1e-5, save=False)
    return TabularPolicy(run.profile, name="equilibrium")


@pytest.fixture(scope="module")
def kuhn_agent() -> TabularPolicy:
    return _equilibrium("kuhn")


def test_a_strategy_gains_exactly_nothing_from_itself(kuhn_agent: TabularPolicy) -> None:
    result = play_match(KUHN.root, kuhn_agent, kuhn_agent, 200, seed=3)
    assert result.value == 0.0
    assert result.interval == (0.0, 0.0)
    assert result.as_player[0] == -result.as_player[1] != 0.0


@pytest.mark.parametrize("game", [KUHN, LEDUC])
def test_batches_play_the_same_hands_as_positions(
    game: MatchGame, kuhn_agent: TabularPolicy
) -> None:
    one: Policy = kuhn_agent if game is KUHN else always_call()
    by_hand = play_match(game.root, one, RandomPolicy(), 3_000, seed=7)
    in_batches = play_match(
        game.root,
        one,
        RandomPolicy(),
        3_000,
        seed=7,
        compiled=game.compiled,
    )
    assert by_hand.value == in_batches.value
    assert by_hand.interval == in_batches.interval
    assert by_hand.as_player == in_batches.as_player


def test_the_interval_covers_the_exact_expectation_19_times_in_20(
    kuhn_agent: TabularPolicy,
) -> None:
    assert KUHN.compiled is not None
    other = RandomPolicy()
    exact = head_to_head(
        KUHN.compiled.exact_form(),
        kuhn_agent.profile(KUHN.compiled),
        other.profile(KUHN.compiled),
    ).mean
    covered = 0
    for seed in range(400):
        found = play_match(KUHN.root, kuhn_agent, other, 400, seed, compiled=KUHN.compiled)
        assert found.interval is not None
        covered += found.interval[0] <= exact <= found.interval[1]
    # Binomial with p = 0.95: mean 380, standard deviation 4.4.
    assert 364 <= covered <= 396


def test_equal_seeds_play_equal_matches() -> None:
    one = play_match(LEDUC.root, RandomPolicy(), always_call(), 100, seed=5)
    again = play_match(LEDUC.root, RandomPolicy(), always_call(), 100, seed=5)
    other = play_match(LEDUC.root, RandomPolicy(), always_call(), 100, seed=6)
    assert one.value == again.value
    assert one.as_player == again.as_player
    assert one.as_player != other.as_player


def test_streams_of_many_hands_are_those_of_each_hand() -> None:
    hands = np.arange(90, 120, dtype=np.uint64)
    for seed in (0, 1, 2**64 - 1):
        together = LightStreams(seed, hands, Role.PLAYER_1)
        alone = [LightStream(seed, int(hand), Role.PLAYER_1) for hand in hands]
        for _ in range(3):
            drawn = together.random(np.arange(30))
            assert drawn.tolist() == [stream.random() for stream in alone]
            assert ((drawn >= 0.0) & (drawn < 1.0)).all()


def test_streams_of_seeds_hands_and_roles_differ() -> None:
    firsts = {
        LightStream(seed, hand, role).random()
        for seed in range(10)
        for hand in range(10)
        for role in range(4)
    }
    assert len(firsts) == 400
    numbers = [LightStream(1, hand, 0).random() for hand in range(20_000)]
    assert abs(sum(numbers) / len(numbers) - 0.5) < 4 * 12**-0.5 / 20_000**0.5


def test_a_mix_never_draws_an_action_of_probability_zero() -> None:
    class Fixed:
        def __init__(self, number: float) -> None:
            self.number = number

        def random(self) -> float:
            return self.number

    mix = Mix.of([("a", 0.0), ("b", 0.3), ("c", 0.0), ("d", 0.7 - 1e-12), ("e", 0.0)])
    assert mix.draw(Fixed(0.0)) == "b"
    assert mix.draw(Fixed(0.3)) == "d"
    assert mix.draw(Fixed(1.0 - 2**-53)) == "d"


def _bets(label: str) -> str:
    return "call" if label.endswith("b") else "bet"


def test_an_agent_that_folds_to_every_bet_loses_its_antes() -> None:
    assert play_match(KUHN.root, _bets, always_fold(), 200, seed=1).value == 1.0


class Talker:
    """An agent of turns that records what it is told."""

    def __init__(self, level: int = 1) -> None:
        self.level = level
        self.seats: list[int] = []
        self.gains: list[float] = []

    def begin(self, seat: int, rules: object) -> None:
        self.seats.append(seat)

    def act(self, turn: Turn, rng: Uniforms, clock: Clock) -> str:
        return turn.actions[0]

    def end(self, hand: Hand) -> None:
        assert hand.agents[self.seats[-1]] == 0
        assert None not in hand.privates
        self.gains.append(hand.gain(0))


def test_agents_in_python_get_turns_change_seats_and_learn_the_result() -> None:
    agent = Talker()
    result = play_match(KUHN.root, agent, always_call(), 60)
    assert agent.seats == [0, 1] * 30
    assert sum(agent.gains) / 60 == pytest.approx(result.value)
    # Without `end` hands are not recorded, but they are the same hands.
    assert play_match(KUHN.root, Talker().act, always_call(), 60).as_player == result.as_player


@pytest.mark.parametrize("hands", [0, 1, 3, -2, 2.0, True, "10"])
def test_odd_numbers_of_hands_are_refused(hands: object) -> None:
    with pytest.raises(InvalidOption, match="even integer"):
        play_match(KUHN.root, always_call(), always_call(), hands)  # type: ignore[arg-type]


def test_an_illegal_answer_and_an_error_name_the_agent() -> None:
    with pytest.raises(UnknownName, match=r"answered 'jump' at infoset 'P0:"):
        play_match(KUHN.root, lambda label: "jump", always_call(), 2)

    def fails(label: str) -> str:
        raise KeyError(label)

    with pytest.raises(UntiltError, match=r"failed at infoset 'P0:.*KeyError"):
        play_match(KUHN.root, fails, always_call(), 2)


def test_an_agent_without_its_only_action_says_so() -> None:
    with pytest.raises(InvalidOption, match="can only check or call"):
        play_match(untilt.games.pushfold(), always_call(), always_call(), 2)


@pytest.mark.parametrize(
    ("text", "source", "options"),
    [
        ("random", "random", {}),
        ("  run/ ", "run/", {}),
        ("run/ translation=nearest", "run/", {"translation": "nearest"}),
        ("my runs/a b  level=3 name=x=y", "my runs/a b", {"level": "3", "name": "x=y"}),
        ("push=22+", "push=22+", {}),
    ],
)
def test_options_follow_the_name(text: str, source: str, options: dict[str, str]) -> None:
    spec = parse_agent(text)
    assert (spec.source, spec.options) == (source, options)


def test_a_file_of_another_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.json"
    kuhn = untilt.solve("kuhn", target=1e-3, save=False)
    file.write_text(json.dumps({label: dict(row) for label, row in kuhn.profile.items()}))
    spec = parse_agent(str(file))
    game, agents = load_agents([spec, parse_agent("random")], KUHN)
    assert play_match(game.root, agents[0], agents[1], 200).value != 0.0
    with pytest.raises(StrategyError, match=r"kuhn\.json.*which the game does not have"):
        load_agents([spec, parse_agent("random")], LEDUC)
    with pytest.raises(InvalidOption, match="add game, such as game='kuhn'"):
        load_agents([spec, parse_agent("random")])


def test_runs_of_different_games_do_not_meet(tmp_path: Path) -> None:
    untilt.solve("kuhn", target=1e-2, output=tmp_path / "kuhn")
    untilt.solve("leduc", target=1.0, output=tmp_path / "leduc")
    specs = [parse_agent(str(tmp_path / name)) for name in ("kuhn", "leduc")]
    with pytest.raises(RunError, match=r"leduc plays leduc\(ranks=3.*, not kuhn"):
        load_agents(specs)


def test_code_runs_only_if_it_is_trusted(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(
        "class Bot:\n"
        "    def __init__(self, level: int = 1) -> None:\n"
        "        self.level = level\n"
        "    def act(self, turn, rng, clock):\n"
        "        return turn.actions[self.level]\n"
    )
    with pytest.raises(InvalidOption, match="if you trust it, add trust=True to run it"):
        load_agents([parse_agent(f"{file}:Bot")], KUHN)
    _, [bot] = load_agents([parse_agent(f"{file}:Bot level=0")], KUHN, trust=True)
    assert play_match(KUHN.root, bot, always_call(), 20).hands == 20
    with pytest.raises(InvalidOption, match="level"):
        load_agents([parse_agent(f"{file}:Bot level=high")], KUHN, trust=True)
    with pytest.raises(UntiltError, match="no attribute 'Nobody'"):
        load_agents([parse_agent(f"{file}:Nobody")], KUHN, trust=True)
    with pytest.raises(InvalidOption, match="has no option 'size'"):
        load_agents([parse_agent("random size=3")], KUHN)


def test_bots_of_hold_em_get_a_million_sizes_without_listing_them() -> None:
    asked: list[int] = []

    def bot(turn: Turn, rng: Uniforms, clock: Clock) -> str:
        asked.append(len(turn.actions))
        assert "jump" not in turn.actions
        assert "all-in 1" not in turn.actions
        passive = "check" if "check" in turn.actions else "call"
        assert turn.legal[len(turn.legal) - 1].name == turn.actions[-1]
        return turn.actions[-1] if rng.random() < 0.2 else passive

    root = untilt.games.holdem(stack=1_000_000)
    result = play_match(root, bot, always_call(), 20, seed=1)
    assert max(asked) > 900_000
    assert result.mbb is not None
    with pytest.raises(UnknownName, match="'raise 3'"):
        play_match(root, lambda label: "raise 3", always_call(), 2)
    limit = untilt.games.holdem(limit="2/4")
    assert play_match(limit, lambda label: "raise" if label.endswith("::") else "fold",
                 always_fold(), 2).hands == 2  # fmt: skip


def bettor(label: str) -> str:
    return "call" if label.endswith("b") else "bet"


class TestLoadedAgents:
    """What `load_agents` returns plays wherever an agent does."""

    def test_a_loaded_run_plays_the_same_hands_at_a_table_as_its_strategy(
        self, tmp_path: Path
    ) -> None:
        untilt.solve("kuhn", "cfr+", iterations=20, output=tmp_path / "run")
        game, [loaded, function] = load_agents([str(tmp_path / "run"), bettor])
        strategy = TabularPolicy.from_run(tmp_path / "run")
        hands = list(Table(game.root, [loaded, function], seed=5).play(50))
        assert hands == list(Table(game.root, (strategy, bettor), seed=5).play(50))
        assert {hand.decisions[0].action for hand in hands} == {"check", "bet"}

    def test_untilt_match_takes_them_with_their_game(self) -> None:
        game, (one, other) = load_agents(["random", "call"], KUHN)
        found = untilt.match(one, other, 400, game=game, seed=3)
        named = untilt.match("random", "call", 400, game="kuhn", seed=3)
        assert (found.value, found.as_player) == (named.value, named.as_player)

    def test_untilt_match_takes_functions_profiles_and_runs(self, tmp_path: Path) -> None:
        run = untilt.solve("kuhn", "lp", output=tmp_path / "run")
        unsaved = untilt.solve("kuhn", "lp", save=False)
        expected = untilt.match(str(run.path), bettor, 400, seed=3)
        for agent in (run, unsaved, run.profile, run.profile.to_dict()):
            found = untilt.match(agent, bettor, 400, game=untilt.games.kuhn(), seed=3)
            assert (found.value, found.as_player) == (expected.value, expected.as_player)

    def test_one_text_in_the_place_of_a_list_is_refused(self) -> None:
        with pytest.raises(InvalidOption, match=r"agents is 'random'; give a list: \['random'\]"):
            load_agents("random", KUHN)


def test_an_agent_written_in_python_is_named_in_its_errors() -> None:
    with pytest.raises(UnknownName, match="bettor answered 'bet'"):
        untilt.match(bettor, "random", 2, game="pushfold")
