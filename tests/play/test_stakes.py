"""Blueprints at other stakes: the same game in other chips, nearly the same depth, or a refusal."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint
from tests.play.test_blueprint_agent import positions

import untilt
from untilt.abstraction.blueprint_translation import BlueprintTranslation
from untilt.abstraction.stakes import MOST_DEPTH_RATIO, chips_per_chip
from untilt.errors import FormatError, InvalidOption
from untilt.games.holdem.rules import HoldemRules
from untilt.play.engines.acpc import AcpcPlayer
from untilt.play.engines.acpc_game import (
    STANDARD_NO_LIMIT,
    game_definition,
    read_acpc_game,
    seat_at_dealer,
)
from untilt.play.engines.bot import Bot
from untilt.play.engines.mirrored_hand import Mismatch
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.nodes.public_state import follow
from untilt.policy.resolving import ResolvingPolicy
from untilt.policy.saved.match_game import named_game

__all__ = ["stored"]  # a fixture

OWN = HoldemRules(stacks=(40, 40))
"""The game of `path`: 20 big blinds of 2."""


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stakes") / "blueprint.bin"
    random_blueprint(path)
    return path


def _stakes(stack: int, small: int, big: int, **others: Any) -> HoldemRules:
    return untilt.games.holdem(stack=stack, small_blind=small, big_blind=big, **others).rules


@pytest.mark.parametrize("factor", [2, 50])
def test_a_match_in_other_chips_is_the_same_match(path: Path, factor: int) -> None:
    other = untilt.games.holdem(stack=40 * factor, small_blind=factor, big_blind=2 * factor)
    for opponent in ("call", f"{path} translation=nearest"):
        small = untilt.match(path, opponent, 300, seed=2)
        large = untilt.match(path, opponent, 300, seed=2, game=other)
        assert large.value == factor * small.value
        assert large.mbb == small.mbb
    assert small.value == 0.0  # two names of one strategy; `call` wins or loses
    assert untilt.match(path, "call", 300, seed=2).value != 0.0


def test_ranges_in_other_chips_are_the_same(path: Path) -> None:
    policy = BlueprintPolicy(path)
    other = policy.translation.at_stakes(_stakes(2_000, 50, 100))
    board = untilt.cards.parse_cards("Td9d6h2c")
    first = follow(policy, policy.rules, "r6c/b6c/", board)
    second = follow(BlueprintPolicy(other), other.rules, "r300c/b300c/", board)
    np.testing.assert_array_equal(first.reach, second.reach)
    for (own, shares), (real, same) in zip(
        policy.moves(first), BlueprintPolicy(other).moves(second), strict=True
    ):
        assert real.amount == (None if own.amount is None else 50 * own.amount)
        np.testing.assert_array_equal(shares, same)


def test_a_solved_river_in_other_chips_is_the_same(path: Path) -> None:
    policy = ResolvingPolicy(path, iterations=20)
    other = policy.playing(
        named_game("holdem", {"stack": 2_000, "small_blind": 50, "big_blind": 100})
    )
    assert isinstance(other, ResolvingPolicy)
    assert policy.rules == OWN
    board = untilt.cards.parse_cards("Td9d6h2cAs")
    found = []
    for each, line in ((policy, "r6c/cc/cc/"), (other, "r300c/cc/cc/")):
        state = each.thought(follow(each, each.rules, line, board))
        assert state.solved is not None
        assert state.solved.is_safe
        found.append((each.moves(state), each.values(state)))
    (first, values), (second, others) = found
    assert values is not None
    assert others is not None
    for (own, shares), (real, same) in zip(first, second, strict=True):
        assert real.amount == (None if own.amount is None else 50 * own.amount)
        np.testing.assert_allclose(shares, same, atol=1e-3)
    np.testing.assert_allclose(50.0 * values, others, rtol=1e-3, atol=0.05)


@pytest.mark.parametrize(
    ("stack", "small", "big"),
    [(2_000, 50, 100), (1_950, 50, 100), (45, 1, 2), (333, 10, 20), (20, 0, 1), (16, 0, 1)],
)
def test_it_is_never_illegal_at_any_stakes(
    stored: Path, tmp_path: Path, stack: int, small: int, big: int
) -> None:
    """Also where a chip is worth two of the blueprint's, and bets must be rounded."""
    blueprint = random_blueprint(tmp_path / "blueprint.bin")
    if not small:  # blinds of 0/1: a blueprint with the same, in chips of a half
        blueprint.rules = HoldemRules(stacks=(40, 40), blinds=(0, 2))
    agent = BlueprintTranslation(blueprint, rules=_stakes(stack, small, big))
    for seed in range(60):
        assert positions(agent.root, agent, seed)[-1].terminal


@pytest.mark.parametrize(
    ("real", "reason"),
    [
        (_stakes(2_000, 40, 100), "small blind is another share"),
        (_stakes(2_000, 50, 100, ante=10), "ante is another share"),
        (_stakes(2_000, 50, 100, bb_ante=100), "ante of the big blind"),
        (_stakes(2_000, 50, 100, limit="100/100/200/200"), "size of bets"),
        (_stakes(2_000, 50, 100, max_raises=3), "number of raises"),
        (_stakes(2_000, 50, 100, board="3/1"), "cards on the board"),
        (_stakes(2_000, 50, 100, ranks=9), "deck"),
        (_stakes(2_501, 50, 100), "plays 16 to 25 of them, not 25.01; train one"),
        (_stakes(1_599, 50, 100), "not 15.99"),
        (_stakes(4_000, 50, 100, other_stack=1_500), "not 15;"),
    ],
)
def test_what_is_another_game_is_refused_with_the_reason(real: HoldemRules, reason: str) -> None:
    with pytest.raises(InvalidOption, match=re.escape(reason)):
        chips_per_chip(OWN, real)


def test_depths_up_to_the_limit_are_played() -> None:
    assert MOST_DEPTH_RATIO == 1.25
    assert chips_per_chip(OWN, _stakes(2_500, 50, 100)) == 50.0
    assert chips_per_chip(OWN, _stakes(1_600, 50, 100)) == 50.0
    assert chips_per_chip(OWN, _stakes(9_000, 50, 100, other_stack=2_000)) == 50.0
    assert chips_per_chip(_stakes(2_000, 50, 100), OWN) == 0.02


def test_two_blueprints_of_different_chips_meet(stored: Path, path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    random_blueprint(other, seed=9)
    game = untilt.games.holdem(stack=2_000, small_blind=50, big_blind=100)
    # The game is the first agent's, if none is named.
    given = untilt.match(path, other, 100, seed=1)
    scaled = untilt.match(path, other, 100, seed=1, game=game)
    assert (given.big_blind, scaled.big_blind) == (2.0, 100.0)
    assert scaled.value == pytest.approx(50.0 * given.value)


def _file(folder: Path, rules: str) -> Path:
    file = folder / "match.game"
    file.write_text(rules)
    return file


STANDARD = """# the competition's
GAMEDEF
nolimit
numPlayers = 2
numRounds = 4
stack = 20000 20000
blind = 100 50
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""


def test_definitions_of_the_dealer_are_read(tmp_path: Path) -> None:
    read = read_acpc_game(_file(tmp_path, STANDARD))
    assert repr(read) == repr(untilt.games.holdem(20_000, None, 50, 100))
    games = [
        untilt.games.kuhn(cards=5, ante=2, bet=3),
        untilt.games.leduc(ranks=5, bets=3),
        untilt.games.holdem(stack=300, other_stack=200),
        untilt.games.holdem(stack=1_000, small_blind=5, big_blind=10, limit="10/10/20/20"),
        untilt.games.holdem(stack=60, board="3/1", ranks=9, suits=4, max_raises=2),
    ]
    for game in games:
        read = read_acpc_game(_file(tmp_path, game_definition(game)))
        assert game_definition(read) == game_definition(game)
        assert type(read) is type(game)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("END GAMEDEF", "", "GAMEDEF"),
        ("nolimit\n", "", "neither limit nor nolimit"),
        ("numSuits = 4\n", "", "lacks numsuits"),
        ("stack = 20000 20000", "stack = -1 3", "must be numbers"),
        ("stack = 20000 20000", "stack = 20000", "not two numbers"),
        ("stack = 20000 20000", "stack = 1 2 3", "more than 2"),
        ("stack = 20000 20000", "stake = 1", "not one of its fields"),
        ("numRounds = 4", "numRounds = 3", "for 3 rounds"),
        ("numPlayers = 2", "numPlayers = 3", "3 players"),
        ("blind = 100 50", "blind = 50 100", "not reversed"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 1 1 1 1", "acts first"),
        ("numHoleCards = 2", "numHoleCards = 4", "4 cards"),
        ("numHoleCards = 2", "numHoleCards = 1", "neither Kuhn nor Leduc"),
        ("numRanks = 13", "numRanks = 14", "ranks"),
        ("nolimit\n", "nolimit\nraiseSize = 1 1 1 1\n", "raiseSize belongs"),
        ("nolimit\n", "nolimit\nmaxRaises = 1 1 1 1\n", "one raise less"),
        ("stack = 20000 20000", "stack = 20000 20000\nstack = 1 1", "twice"),
        ("GAMEDEF", "\u00e9", "not text"),
    ],
)
def test_a_bad_definition_is_refused_in_one_line(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    file = tmp_path / "bad.game"
    file.write_text(STANDARD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises((FormatError, InvalidOption)) as caught:
        read_acpc_game(file)
    assert words in str(caught.value)
    assert "bad.game" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_a_definition_the_standard_game_is_assumed_if_it_is_played(
    stored: Path, path: Path, tmp_path: Path
) -> None:
    own = seat_at_dealer(parse_agent(str(path)))
    assert own.assumed is not None
    assert "its own game, no-limit 1/2, stacks 40, since" in own.assumed
    assert repr(own.game.root) == repr(untilt.games.holdem(stack=40))
    deep = tmp_path / "deep.bin"
    random_blueprint(deep, 400, always=-1)
    standard = seat_at_dealer(parse_agent(str(deep)))
    assert standard.assumed == "the competition's standard game, no-limit 50/100, stacks 20000"
    assert isinstance(standard.policy, BlueprintPolicy)
    assert standard.policy.rules == STANDARD_NO_LIMIT
    given = seat_at_dealer(parse_agent(str(path)), game_file=_game_file(tmp_path, 1_950))
    assert given.assumed is None
    assert repr(given.game.root) == repr(untilt.games.holdem(1_950, None, 50, 100))
    with pytest.raises(InvalidOption, match="16 to 25 of them, not 200"):
        seat_at_dealer(parse_agent(str(path)), game_file=_file(tmp_path, STANDARD))


def _game_file(folder: Path, stack: int) -> Path:
    return _file(folder, STANDARD.replace("20000", str(stack)))


def test_other_agents_play_the_game_of_a_definition(tmp_path: Path) -> None:
    file = _file(tmp_path, game_definition(untilt.games.leduc()))
    seat = seat_at_dealer(parse_agent("random"), game_file=file)
    assert repr(seat.game.root) == repr(untilt.games.leduc())
    run = untilt.solve(
        untilt.games.leduc(suits="distinguished"), iterations=2, output=tmp_path / "run"
    )
    assert run.path is not None
    # The dealer's definition is the same whether suits are told apart or not.
    assert seat_at_dealer(parse_agent(str(run.path)), game_file=file).game.name == "leduc"
    with pytest.raises(InvalidOption, match="which is not the game of"):
        seat_at_dealer(parse_agent(str(run.path)), game_file=_file(tmp_path, STANDARD))
    with pytest.raises(InvalidOption, match="leave one out"):
        seat_at_dealer(parse_agent("random"), named_game("kuhn", {}), file)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        # Smaller blinds: a raise to 4 is no raise at 50/100.
        ("MATCHSTATE:1:0:cr4:|AsKd", "'raise 4' is not legal"),
        ("MATCHSTATE:1:0:cr20001:|AsKd", "not legal"),
        # Smaller stacks: the dealer ends the betting where ours would go on.
        ("MATCHSTATE:1:0:cr900c///:|AsKd/2c3c4c/5c/6c", "a street ends"),
        ("MATCHSTATE:0:1::AsKd|", "the hand before is not over"),
    ],
)
def test_an_amount_that_contradicts_the_stakes_is_noticed(line: str, words: str) -> None:
    game, [agent] = load_agents(["call"], untilt.games.holdem(20_000, None, 50, 100))
    player = AcpcPlayer(Bot(game, agent, seed=1))
    assert player.answer("MATCHSTATE:1:0::|AsKd") == "MATCHSTATE:1:0::|AsKd:c"
    with pytest.raises(Mismatch, match=re.escape(words)):
        player.answer(line)


def test_an_answer_that_the_dealer_changes_is_noticed(stored: Path, tmp_path: Path) -> None:
    """It puts illegal bets right: at 1/2 with stacks of 400, a raise to 20,000 becomes 400."""
    deep = tmp_path / "deep.bin"
    random_blueprint(deep, 400, always=-1)
    seat = seat_at_dealer(parse_agent(str(deep)))
    player = AcpcPlayer(Bot(seat.game, seat.policy, seed=1))
    assert player.answer("MATCHSTATE:1:0::|AsKd") == "MATCHSTATE:1:0::|AsKd:r20000"
    with pytest.raises(Mismatch, match="our r20000 was taken for r400"):
        player.answer("MATCHSTATE:1:0:r400:|AsKd")
