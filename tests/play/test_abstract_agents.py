"""Strategies of abstract games in the real game: matches, engines, and a person at the table."""

from pathlib import Path

import pytest

import untilt
from untilt.abstraction import abstract, hand_class, pot_fractions, street
from untilt.cli.commands.play.match import exact_result
from untilt.errors import RunError, UnknownName, UntiltError
from untilt.games.holdem.game import Holdem
from untilt.play.engines.bot import Bot
from untilt.play.engines.pokerbots import PokerbotsPlayer
from untilt.play.matches.head_to_head import play_match
from untilt.play.matches.seatings import seatings_of
from untilt.play.review.replay import state_of_hand
from untilt.play.table.versus import load_versus, versus_abstract
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.translated import StatesPolicy, TranslatedPolicy

GAME = """
from untilt.abstraction import abstract, algebraic, capped_bets, hand_class, pot_fractions, street
from untilt.games import river_of_blood


@algebraic
def is_late(infoset):
    return len(infoset.board) > 5


menu = capped_bets(pot_fractions(1, all_in=True), 1)
game = abstract(river_of_blood(stack=20), street * hand_class * is_late, menu)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an abstract game, after a little sampling."""
    folder = tmp_path_factory.mktemp("abstract")
    (folder / "mine.py").write_text(GAME)
    untilt.solve(
        f"{folder / 'mine.py'}:game", "mccfr-external", iterations=200, output=folder / "run"
    )
    return folder / "run"


def test_a_run_of_an_abstract_game_plays_the_real_one(run: Path) -> None:
    specs = [parse_agent(f"{run} translation=nearest"), parse_agent("random")]
    game, [agent, other] = load_agents(specs, trust=True)
    assert isinstance(agent, TranslatedPolicy)
    assert type(game.root).__name__ == "RiverOfBlood"
    assert game.parameters["stack"] == 20
    result = play_match(game.root, agent, other, 200, seed=1)
    assert result.mbb is not None
    assert play_match(game.root, agent, other, 200, seed=1).value == result.value
    assert play_match(game.root, agent, agent, 100, seed=1).value == 0.0


def test_code_of_a_run_needs_trust_and_options_are_checked(run: Path) -> None:
    with pytest.raises(RunError, match="if you trust it"):
        load_agents([parse_agent(str(run))])
    with pytest.raises(UnknownName, match="pseudo-harmonic, nearest"):
        load_agents([parse_agent(f"{run} translation=guess")], trust=True)


def test_a_strategy_of_another_abstraction_is_refused(run: Path) -> None:
    file = run.parent / "mine.py"
    file.write_text(GAME.replace("pot_fractions(1,", "pot_fractions(0.5, 1,"))
    try:
        for load in (
            lambda: load_versus(run, trust=True),
            lambda: load_agents([parse_agent(str(run))], trust=True),
        ):
            with pytest.raises(UntiltError, match="of another abstraction"):
                load()
    finally:
        file.write_text(GAME)


def test_it_answers_every_bet_of_an_engine_legally(run: Path) -> None:
    game, [agent] = load_agents([parse_agent(str(run))], trust=True)
    bot = Bot(game, agent, seed=1)
    player = PokerbotsPlayer(bot)
    for amount in (4, 5, 7, 11, 19, 20):
        # Raises of any size, on and off the menu.
        answer = player.answer(f"T30.000 P1 HAh,Kd R{amount}")
        assert answer is not None
        assert answer[0] in "FCR"
        if answer[0] == "R":
            assert 2 * amount - 2 <= int(answer[1:]) <= 20 or int(answer[1:]) == 20
        player.answer("T30.000 D0")
    assert bot.report.num_quick == 0
    assert bot.report.failure is None


def test_a_person_plays_the_real_game_against_it(run: Path) -> None:
    opponent = load_versus(run, trust=True)
    assert isinstance(opponent.policy, TranslatedPolicy)
    assert isinstance(opponent.root, Holdem)
    for hand in range(6):
        actions: list[str] = []
        while True:
            state = state_of_hand(opponent, seed=4, hand=hand, seat=hand % 2, actions=actions)
            if state.to_act is None:
                break
            names = state.to_act.actions
            # An unusual raise first, then check or call.
            choice = next((name for name in names if name in ("raise 7", "bet 7")), None)
            passive = next(name for name in names if name in ("check", "call"))
            actions.append(passive if choice is None or len(actions) > 0 else choice)
        assert state.payoff is not None
        assert state.review is not None
        assert all(sum(each.probabilities) == pytest.approx(1.0) for each in state.review)
        assert all(each.cost is None for each in state.review)


def test_play_in_the_terminal_takes_sizes(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io

    from untilt.cli.main import run as command

    answers = io.StringIO("raise\n500\n7\nc\nc\nc\nc\nc\nc\nc\nc\nq\n")
    monkeypatch.setattr("sys.stdin", answers)
    assert command(["play", str(run), "--trust", "--seed", "1", "--seat", "0"]) == 0
    shown = capsys.readouterr().out
    assert "where the abstract strategy has never been, it checks or calls" in shown
    assert "raise to 4–19, all-in 20?" in shown
    assert "'raise' may be raise 4 or raise 5 or raise 6 or raise 7 …" in shown
    assert "'500' is not an action here" in shown
    assert "you raise to 7" in shown


def test_a_strategy_that_knows_nothing_checks_and_calls() -> None:
    root = untilt.games.holdem(stack=20)
    game = abstract(root, street * hand_class, pot_fractions(1, all_in=True))
    opponent = versus_abstract(game, {})
    state = state_of_hand(opponent, seed=1, hand=0, seat=0, actions=["all-in 20"])
    assert state.is_over
    assert [event.action for event in state.events] == ["all-in 20", "call"]


def test_abstract_states_of_kuhn_play_kuhn_with_an_exact_expectation(tmp_path: Path) -> None:
    (tmp_path / "blind.py").write_text(
        "from untilt.abstraction import abstract, alike, betting_line\n"
        "game = abstract('kuhn', alike('QK') * betting_line)\n"
    )
    untilt.solve(f"{tmp_path / 'blind.py'}:game", "cfr+", target=1e-6, output=tmp_path / "blind")
    untilt.solve("kuhn", target=1e-6, output=tmp_path / "kuhn")
    specs = [parse_agent(str(tmp_path / name)) for name in ("blind", "kuhn")]
    game, [blind, kuhn] = load_agents(specs, trust=True)
    assert isinstance(blind, StatesPolicy)
    assert game.name == "kuhn"
    found = exact_result(game, [blind, kuhn], seatings_of(2, 2))
    assert found is not None
    [exact] = found
    assert exact.mean < -0.01  # who cannot tell queen from king loses to an equilibrium
    result = play_match(game.root, blind, kuhn, 20_000, seed=1, compiled=game.compiled)
    assert result.interval is not None
    low, high = result.interval
    assert abs(result.value - exact.mean) < high - low
    by_hand = play_match(game.root, blind, kuhn, 400, seed=1)
    assert by_hand.value == play_match(game.root, blind, kuhn, 400, 1, compiled=game.compiled).value
    # A person, too, plays Kuhn itself.
    opponent = load_versus(tmp_path / "blind", trust=True)
    state = state_of_hand(opponent, seed=1, hand=0, seat=1, actions=[])
    assert state.private in ("J", "Q", "K")


def test_a_run_of_ready_made_parts_needs_no_trust(tmp_path: Path) -> None:
    game = abstract(untilt.games.holdem(stack=20), street * hand_class, pot_fractions(1))
    untilt.solve(game, "mccfr-external", iterations=50, output=tmp_path / "run")
    found, [agent] = load_agents([parse_agent(str(tmp_path / "run"))])
    assert isinstance(agent, TranslatedPolicy)
    assert found.name == "holdem"
    assert isinstance(load_versus(tmp_path / "run").policy, TranslatedPolicy)
