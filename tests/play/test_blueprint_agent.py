"""Blueprints as agents: never illegal, mixing, with the ranges that Bayes gives."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import MENU, random_blueprint
from tests.runs import game_runs

import untilt
from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.blueprint_translation import (
    MAX_DRIFT,
    BlueprintTranslation,
    FormTranslation,
)
from untilt.abstraction.menus import Menu, capped_bets, pot_fractions
from untilt.cards.combos import COMBO_CARDS
from untilt.errors import EngineError, InvalidOption, RunError, UnknownName
from untilt.game.actions import action_data
from untilt.game.histories.walking import Choice
from untilt.games.holdem.game import Holdem
from untilt.play.engines.bot import Bot
from untilt.play.engines.pokerbots import PokerbotsPlayer
from untilt.play.matches.head_to_head import play_match
from untilt.play.review.replay import state_of_hand
from untilt.play.table.hand import Table
from untilt.play.table.versus import Versus, load_versus
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.hands.streams import LightStream, Role
from untilt.policy.hands.turn import Rules
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.nodes.public_state import follow
from untilt.policy.saved.match_game import MatchGame, named_game
from untilt.policy.simple import RandomPolicy
from untilt.policy.thinking.public_hand import PublicHand

__all__ = ["stored"]  # a fixture


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("agent") / "blueprint.bin"
    random_blueprint(path)
    return path


@pytest.fixture(scope="module")
def blueprint(path: Path) -> Blueprint:
    return Blueprint(path)


def positions(root: Holdem, agent: BlueprintTranslation, seed: int) -> list[Holdem]:
    """Play a hand of the agent, as player `seed % 2`, against random bets; return all positions."""
    rng = random.Random(seed)
    hand = agent.begin(rng)
    other = RandomPolicy()
    position, found = root, []
    while not position.terminal:
        if position.chance:
            position = position.apply(position.sample(rng))
        else:
            infoset = position.infoset(position.active)
            if position.active == seed % 2:
                action = hand.act(infoset)
                assert action in infoset.actions()
            else:
                action, _ = other.choose(None, Choice(position, infoset, infoset.actions()), rng)
            position = position.apply(action)
        found.append(position)
    return found


@pytest.mark.parametrize(
    ("stack", "menu", "num_hands"),
    [
        (3, MENU, 100),
        (21, capped_bets(pot_fractions(1.0), 2), 150),  # no all-in on the menu
        (40, MENU, 250),
        (200, capped_bets(pot_fractions(0.5, all_in=True), 2), 250),
        (1_000, capped_bets(pot_fractions(1.0), 1), 150),  # one bet a street, none preflop
        pytest.param(40, MENU, 5_000, marks=pytest.mark.long),
        pytest.param(200, capped_bets(pot_fractions(0.5, 1.0), 2), 5_000, marks=pytest.mark.long),
    ],
)
def test_it_never_answers_illegally_whatever_is_bet(
    stored: Path, tmp_path: Path, stack: int, menu: Menu, num_hands: int
) -> None:
    agent = BlueprintTranslation(random_blueprint(tmp_path / "blueprint.bin", stack, menu))
    deepest = 0
    for seed in range(num_hands):
        played = positions(agent.root, agent, seed)
        deepest = max(deepest, len(played))
        assert played[-1].terminal
    assert deepest > 8


def test_it_follows_its_own_tree_exactly(blueprint: Blueprint) -> None:
    """Two blueprints at a table stay on the tree: the betting seen is the real one."""
    agent = BlueprintTranslation(blueprint)
    num_seen = 0
    for seed in range(120):
        rng = random.Random(seed)
        hands = agent.begin(rng), agent.begin(rng)
        position = agent.root
        while not position.terminal:
            if position.chance:
                position = position.apply(position.sample(rng))
                continue
            infoset = position.infoset(position.active)
            for hand in hands:
                assert hand.sight(position.line).betting == position.betting
                num_seen += 1
            mix = hands[position.active].probabilities(infoset)
            board = "".join(untilt.cards.card_name(card) for card in position.board)
            private = "".join(untilt.cards.card_name(card) for card in infoset.hand)
            expected = blueprint.probabilities(position.line, private, board)
            assert {str(each): share for each, share in mix.items()} == pytest.approx(
                {name: share for name, share in expected.items() if share > 0.0}
            )
            position = position.apply(hands[position.active].act(infoset))
    assert num_seen > 500


@pytest.mark.parametrize(
    ("line", "board"),
    [("", ""), ("cc/", "Td9d6h"), ("cc/cc/c", "Td9d6h2c"), ("cc/cc/cc/", "Td9d6h2cAs")],
)
def test_all_hands_at_once_are_the_hands_one_by_one(
    blueprint: Blueprint, line: str, board: str
) -> None:
    cards = untilt.cards.parse_cards(board)
    node = blueprint.form.find(line).node
    mixes = blueprint.mixes_at(node, cards)
    for combo, (low, high) in enumerate(COMBO_CARDS.tolist()):
        if combo % 3 and board:
            continue
        if low in cards or high in cards:
            assert not mixes[combo].any()
            continue
        hand = untilt.cards.card_name(low) + untilt.cards.card_name(high)
        expected = list(blueprint.probabilities(line, hand, board).values())
        assert mixes[combo].tolist() == expected


def test_a_bet_is_taken_for_the_real_share_of_the_pot_and_remembered(blueprint: Blueprint) -> None:
    bets = FormTranslation(blueprint.form)
    root = Holdem(blueprint.rules)
    betting = root.betting
    # A raise to 5 over blinds of 1 and 2 is ¾ of the pot of 4, taken for ½ in 3/7 of all hands.
    found = bets.after(bets.start, betting, betting.named_bet(5))
    assert [max(place.betting.bets) for place, _ in found] == [4, 6]
    assert [chance for _, chance in found] == pytest.approx([3 / 7, 4 / 7])
    for amount, seen in ((4, 4), (6, 6), (40, 40)):
        [(place, chance)] = bets.after(bets.start, betting, betting.named_bet(amount))
        assert (max(place.betting.bets), chance) == (seen, 1.0)
    agent = BlueprintTranslation(blueprint)
    taken = [
        max(agent.begin(random.Random(seed)).sight("r5").betting.bets) for seed in range(2_000)
    ]
    assert np.mean(np.array(taken) == 4) == pytest.approx(3 / 7, abs=0.045)
    hand = agent.begin(random.Random(1))
    assert len({hand.sight("r5") for _ in range(20)}) == 1


def test_a_small_bet_lies_between_no_bet_and_the_smallest(blueprint: Blueprint) -> None:
    """A bet of ¼ of the pot makes a fifth fold where half of the pot makes a third fold."""
    bets = FormTranslation(blueprint.form)
    place = blueprint.form.find("r6c/")
    [(unseen, often), (half, rest)] = bets.after(place, place.betting, place.betting.named_bet(3))
    assert [often, rest] == pytest.approx([0.4, 0.6])
    assert (unseen.betting.bets, half.betting.bets) == ((0, 0), (0, 6))
    assert rest * 1 / 3 == pytest.approx(0.25 / (1 + 0.25))
    real = place.betting.bet_to(3)
    # Nobody folds to what was not seen: it is called, or raised by shares of the real pot.
    assert bets.aligned(unseen, real) == unseen
    answers = [bets.realised(unseen, number, real) for number in range(len(bets.actions(unseen)))]
    assert [each.name for each in answers] == ["call", "raise 12", "raise 21", "all-in 34"]
    [(after, _)] = bets.after(unseen, real, answers[1])
    assert (after.betting.player, after.betting.can_fold()) == (1, True)


@pytest.mark.parametrize(
    ("line", "moves", "end"),
    [
        ("r6c/", ["check", "bet 3"], "r6c/cc/"),
        ("r6c/cc/cc/", ["check", "bet 3"], "r6c/cc/cc/cc"),
        ("r6c/", ["bet 6", "raise 12"], "r6c/b6c/"),
    ],
)
def test_a_bet_that_ended_the_street_unseen_is_called(
    blueprint: Blueprint, line: str, moves: list[str], end: str
) -> None:
    agent = BlueprintTranslation(blueprint)
    place = blueprint.form.find(line)
    real = place.betting
    for move in moves:
        action = action_data(move)
        place = agent.bets.after(place, real, action)[0][0]
        real = real.apply(action)
    assert place.node == blueprint.form.find(end).node
    assert agent.bets.aligned(place, real) == place
    board = untilt.cards.parse_cards("Td9d6h2cAs")[: real.street + 2]
    [(call, shares, after)] = agent.moves(real, board, place)
    assert (call.name, after, shares.min()) == ("call", place, 1.0)
    # Who raises instead is seen to, at the place of that street which is most like the real one.
    [(raised, _)] = agent.bets.after(place, real, real.named_bet(real.all_in_to))
    assert (raised.betting.street, raised.betting.can_fold()) == (real.street, True)


def test_what_the_tree_would_bet_is_that_bet(blueprint: Blueprint) -> None:
    """Half of a pot of 5 is rounded to 2, below the smallest size; it is seen all the same."""
    bets = FormTranslation(blueprint.form)
    place = blueprint.form.find("cc/")
    real = place.betting._replace(pot=5)
    bet = bets.realised(place, 1, real)
    assert bet.name == "bet 2"
    [(after, chance)] = bets.after(place, real, bet)
    assert (after.betting.bets, chance) == ((0, 2), 1.0)


def test_ranges_take_a_small_bet_for_both(blueprint: Blueprint) -> None:
    agent = BlueprintTranslation(blueprint)
    place = blueprint.form.find("r6c/")
    board = untilt.cards.parse_cards("Td9d6h")
    mixes = blueprint.mixes_at(place.node, board)
    found = agent.likelihood(place.betting, board, place, place.betting.named_bet(3))
    np.testing.assert_allclose(found, 0.4 * mixes[:, 0] + 0.6 * mixes[:, 1])


def test_the_pot_of_the_tree_stays_like_the_real_one(blueprint: Blueprint) -> None:
    agent = BlueprintTranslation(blueprint)
    starts = 0
    for seed in range(200):
        rng = random.Random(seed)
        hand = agent.begin(rng)
        for position in positions(agent.root, agent, seed):
            if position.line.endswith("/") and not (position.terminal or position.chance):
                place = hand.sight(position.line)
                assert place.betting.street == position.street
                assert place.betting.player == position.active
                starts += 1
                _, paid = agent.bets._starts(position.street)
                ratio = place.betting.pot / position.betting.pot
                if not 1.0 / MAX_DRIFT <= ratio <= MAX_DRIFT:  # then no other is nearer
                    nearest = np.abs(np.log(2.0 * paid / position.betting.pot)).min()
                    assert abs(np.log(ratio)) == pytest.approx(nearest)
    assert starts > 100


def test_ranges_are_the_products_of_the_mixes(blueprint: Blueprint) -> None:
    policy = BlueprintPolicy(blueprint)
    root = policy.translation.root
    position = root.apply(root.sample(random.Random(3))).apply("raise 4").apply("call")
    position = position.apply(position.sample(random.Random(4)))
    state = follow(policy, root.rules, position.line, position.board)
    small, big = state.reach
    names, first = blueprint.mixes("")
    _, second = blueprint.mixes("r4")
    live = blueprint.buckets_on(position.board) >= 0
    np.testing.assert_allclose(small, np.where(live, first[:, names.index("raise 4")], 0.0))
    np.testing.assert_allclose(big, np.where(live, second[:, 1], 0.0))
    assert isinstance(state, PublicHand)
    assert state.sight.betting == position.betting
    assert state.letters == position.line
    total = np.sum([shares for _, shares in policy.moves(state)], axis=0)
    np.testing.assert_allclose(total[live], 1.0)


def test_another_game_is_refused(path: Path, blueprint: Blueprint) -> None:
    agent = BlueprintPolicy(blueprint)
    with pytest.raises(InvalidOption, match="not this game"):
        agent.begin(0, Rules.of(untilt.games.holdem(stack=50)))
    with pytest.raises(InvalidOption, match="plays 16 to 25 of them, not 26"):
        load_agents([parse_agent(str(path)), parse_agent("random")], _game("holdem", stack=52))
    with pytest.raises(InvalidOption, match="not with"):
        load_agents([parse_agent(str(path))], _game("river-of-blood"))
    with pytest.raises(UnknownName, match="translation"):
        load_agents([parse_agent(f"{path} translation=nerest")])


def _game(name: str, **parameters: int) -> MatchGame:

    return named_game(name, parameters)


def test_it_plays_matches_and_in_engines(path: Path) -> None:
    game, [first, second] = load_agents(
        [parse_agent(str(path)), parse_agent(f"{path} translation=nearest")]
    )
    # Bets of the menu are not translated, so the two are one strategy.
    assert play_match(game.root, first, second, 60, rules=game.rules).value == 0.0
    result = play_match(game.root, first, RandomPolicy(), 60, rules=game.rules)
    assert result.mbb is not None
    bot = Bot(game, first, seed=1)
    bot.begin(0)
    position = game.root.apply(game.root.sample(LightStream(1, 1, Role.CHANCE)))
    assert bot.choose(position) in position.infoset(0).actions()
    assert bot.report.failure is None
    with pytest.raises(EngineError, match="plays River of Blood"):
        PokerbotsPlayer(Bot(game, first))


def test_a_person_plays_it_and_sees_its_mixes(path: Path) -> None:
    opponent = load_versus(path)
    assert opponent.thoughts is not None
    assert opponent.described == "the blueprint"
    num_reviewed = 0
    for hand in range(3):
        actions: list[str] = []
        while True:
            state = state_of_hand(opponent, seed=3, hand=hand, seat=hand % 2, actions=actions)
            if state.to_act is None:
                break
            actions.append("check" if "check" in state.to_act.actions else "call")
        assert state.review is not None
        for each in state.review:
            assert sum(each.probabilities) == pytest.approx(1.0)
            num_reviewed += 1
    assert num_reviewed > 5


def test_a_folder_without_a_strategy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError):
        load_versus(tmp_path)


def test_loading_play_without_a_blueprint_loads_no_numba(path: Path) -> None:
    code = (
        "import sys, json, untilt.policy.load as s; "
        "s.load_agents([s.parse_agent('random')], 'kuhn'); "
        "print(json.dumps([name for name in ('numba', 'scipy') if name in sys.modules]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == []


class TestLoading:
    """A blueprint in the calls of the Python API."""

    @pytest.fixture
    def folder(self, blueprint: Blueprint, tmp_path: Path) -> Path:
        """Return the run folder of a finished training."""
        (tmp_path / "bp").mkdir()
        record = {"format": 1, "kind": "blueprint", "game": "holdem"}
        (tmp_path / "bp" / "run.json").write_text(json.dumps(record))
        (tmp_path / "bp" / "blueprint.bin").write_bytes(blueprint.path.read_bytes())
        return tmp_path / "bp"

    @pytest.mark.parametrize("load", [untilt.play.StrategyAgent.from_run, Versus.load])
    def test_loading_it_as_the_strategy_of_a_small_game_names_the_call_that_works(
        self, load: Callable[[Path], object], folder: Path
    ) -> None:
        with pytest.raises(RunError, match="is a blueprint, which plays hold'em") as refusal:
            load(folder)
        [call] = re.findall(r"`(.*)`", str(refusal.value))
        known: dict[str, Any] = {"untilt": untilt}
        exec(call, known)  # as a user would paste it
        hand = Table(known["game"].root, (known["agent"], known["agent"]), seed=2).play_hand(0)
        assert sum(hand.payoffs) == 0.0

    def test_the_folder_and_the_file_load_as_the_same_blueprint(self, folder: Path) -> None:
        one, other = (
            game_runs.load_blueprint(folder),
            game_runs.load_blueprint(folder / "blueprint.bin"),
        )
        assert one.probabilities(hand="AsKh") == other.probabilities(hand="AsKh")

    def test_it_shows_its_game_bets_and_size(self, folder: Path) -> None:
        found = game_runs.load_blueprint(folder)
        shown = repr(found)
        assert shown.startswith("<Blueprint of hold'em, no-limit 1/2, stacks 40: ")
        assert f"{found.num_infosets:,} infosets, buckets 169/200/100/50\n" in shown
        assert shown.endswith(f"bets {found.menu.text}, in {folder / 'blueprint.bin'}>")
        table = found._repr_html_()
        assert "<table" in table
        assert f"{found.num_infosets:,}" in table
