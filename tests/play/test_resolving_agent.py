"""An agent that solves its rivers: never illegal, reproducible, with ranges by Bayes."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint, thinking
from tests.reference import public_tree as reference

import untilt
from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.blueprint_translation import BlueprintTranslation
from untilt.cards.card import parse_cards
from untilt.cards.combos import COMBO_MASKS, NUM_COMBOS, combo_index
from untilt.errors import InvalidOption, UnknownName
from untilt.exploitation.streets.river_showdown import RiverShowdown
from untilt.game.actions import action_data
from untilt.game.histories.walking import Choice
from untilt.games.holdem.bets.betting_tree import grow_betting_tree
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.game import Holdem, HoldemInfoset
from untilt.games.holdem.spots.public_form import SpotForm
from untilt.games.holdem.spots.subgame import PLAIN, live_on, with_floor
from untilt.numeric.arrays import Floats
from untilt.play.engines.bot import Bot
from untilt.play.matches.head_to_head import play_match
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.streams import LightStream
from untilt.policy.hands.turn import Rules
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.resolving import ResolvingPolicy, parse_think
from untilt.policy.simple import RandomPolicy, always_call
from untilt.policy.thinking.blueprint_values import (
    blueprint_values,
    streets_of_blueprint,
    tree_of_blueprint,
)
from untilt.policy.thinking.public_hand import PublicHand
from untilt.policy.thinking.solved_street import (
    RIVER,
    TURN,
    Effort,
    SolvedStreet,
    compiled_subgame,
    in_range,
    solve_street,
)

__all__ = ["stored"]  # a fixture

SMALL = Sizes("100%, a", raises="a", max_raises=1)
QUICK = Effort(iterations=4, river=SMALL)
BOARD = "Td9d6h 2c 5s"


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("thinking") / "blueprint.bin"
    random_blueprint(path)
    return path


@pytest.fixture(scope="module")
def translation(path: Path) -> BlueprintTranslation:
    return BlueprintTranslation(Blueprint(path))


def followed(thinker: BlueprintPolicy, *moves: str) -> PublicHand:
    """Return a hand after actions and, with `/` in front, cards."""
    hand = thinker.start()
    for move in moves:
        if move.startswith("/"):
            hand = thinker.dealt(hand, parse_cards(move[1:]))
        else:
            hand = thinker.after(hand, action_data(move), None)
    return hand


def at_river(thinker: BlueprintPolicy) -> PublicHand:
    early = "call", "check", "/Td9d6h", "check", "bet 4", "call", "/2c", "check", "check", "/5s"
    return followed(thinker, *early)


def at_turn(thinker: BlueprintPolicy) -> PublicHand:
    return followed(thinker, "call", "check", "/Td9d6h", "check", "bet 4", "call", "/2c")


def test_it_never_answers_illegally_whatever_is_bet(translation: BlueprintTranslation) -> None:
    agent = ResolvingPolicy(translation, iterations=2)
    root, caller, other = Holdem(translation.blueprint.rules), always_call(), RandomPolicy()
    num_solved = num_again = 0
    for seed in range(100):
        rng = random.Random(seed)
        state = agent.begin(seed % 2, Rules.of(root))
        position = root
        while not position.terminal:
            if position.chance:
                position = position.apply(position.sample(rng))
                continue
            infoset = position.infoset(position.active)
            asked = Choice(position, infoset, infoset.actions())
            if position.active == seed % 2:
                action, state = agent.choose(state, asked, rng)
                assert action in infoset.actions()
                is_solved = state.solved is not None
                assert is_solved == (infoset.street == 3)
                num_solved += is_solved
                num_again += is_solved and state.root.solved is not None
            else:
                policy = other if infoset.street == 3 else caller
                action, _ = policy.choose(None, asked, rng)
            position = position.apply(action)
    assert num_solved > 15
    assert num_again > 0


def test_the_same_random_numbers_give_the_same_actions(translation: BlueprintTranslation) -> None:
    root = Holdem(translation.blueprint.rules)
    results = [
        play_match(
            root,
            ResolvingPolicy(translation, iterations=3, name="thinks"),
            RandomPolicy(),
            30,
            seed=7,
        )
        for _ in range(2)
    ]
    assert results[0].value == results[1].value
    assert results[0].interval == results[1].interval


@pytest.mark.parametrize("street", ["turn", "river"])
def test_values_of_a_blueprint_are_those_of_all_pairs_of_hands(
    translation: BlueprintTranslation, street: str
) -> None:
    thinker = thinking(translation, None)
    hand = at_river(thinker) if street == "river" else at_turn(thinker)
    rng = np.random.default_rng(3)
    # A few hands for each player keep all pairs few.
    share = 0.03 if street == "river" else 0.008
    first, second = (
        np.where(rng.random(NUM_COMBOS) < share, with_floor(rng.random(NUM_COMBOS), hand.board), 0)
        for _ in range(2)
    )
    form = compiled_subgame(hand.board, (first, second), hand.betting, SMALL)
    place = translation.bets.aligned(hand.sight, hand.betting)
    below = streets_of_blueprint(translation.blueprint, place.node)
    tree = tree_of_blueprint(below, form)

    def mix(street: int, board: int, node: int, player: int) -> Floats:
        """Read what every lane does, action by action, from the blueprint itself."""
        cards = (*hand.board, *form.boards.streets[street].cards[board])
        begin, count = (
            int(column[node])
            for column in (below.streets[street].first_child, below.streets[street].num_actions)
        )
        decision = int(below.nodes[street][node])
        first = int(translation.blueprint.form.tree.nodes[decision]["first_child"])
        numbers = [int(below.nodes[street][begin + n]) - first for n in range(count)]
        boards = tree.boards[street][player]
        combos = form.combos[player][boards.hand[boards.lanes(board)]]
        shares: Floats = translation.blueprint.mixes_at(decision, cards)[combos][:, numbers].T
        shares /= shares.sum(axis=0)
        return shares

    expected = reference._values_at(tree, mix, 0, 0, 0, tree.weights)
    meets = reference._can_meet(tree, 0, 0)
    for seat in (0, 1):
        player = 1 - seat
        met = (meets if player == 0 else meets.T) @ tree.weights[1 - player]
        found = blueprint_values(translation.blueprint, place, form, hand.betting, seat)
        known = form.combos[player]
        can_meet = met > 0
        np.testing.assert_allclose(
            found[known][can_meet], (expected[player] / np.where(can_meet, met, 1))[can_meet], 1e-3
        )
        assert np.isnan(np.delete(found, known)).all()


def test_ranges_follow_the_strategy_that_was_solved(translation: BlueprintTranslation) -> None:
    thinker = thinking(translation, QUICK)
    hand = at_river(thinker)
    before = hand.ranges
    hand = thinker.after(hand, action_data("check"), None)
    hand = thinker.thought(hand)
    assert hand.solved is not None
    assert hand.solved.is_safe
    _, shares = hand.solved.moves(0)
    np.testing.assert_allclose(hand.ranges[1], with_floor(before[1] * shares[0], hand.board))
    np.testing.assert_allclose(hand.ranges[0], before[0])
    actions, own = hand.solved.moves(hand.node)
    after = thinker.after(hand, actions[-1], None)
    np.testing.assert_allclose(after.ranges[0], with_floor(before[0] * own[-1], hand.board))


def test_a_real_bet_is_added_to_what_is_solved(translation: BlueprintTranslation) -> None:
    thinker = thinking(translation, QUICK)
    hand = at_river(thinker)
    for bet, added in (("bet 12", None), ("bet 5", 5)):
        facing = thinker.thought(thinker.after(hand, action_data(bet), None))
        assert facing.solved is not None
        assert facing.solved.added == added
        names = [action.name for action in facing.solved.moves(0)[0]]
        assert bet in names
        assert [action.name for action, _ in thinker.moves(facing)][:2] == ["fold", "call"]


def test_small_pots_with_deep_stacks_have_fewer_raises() -> None:
    effort = Effort()
    limped = Betting.new(4, (198, 198))._replace(street=RIVER)
    raised = Betting.new(12, (194, 194))._replace(street=RIVER)
    assert effort.sizes(limped) == effort.deep_river
    assert effort.sizes(raised) == effort.river
    assert effort.sizes(limped._replace(street=TURN)) == effort.turn
    deep, usual = (
        grow_betting_tree(limped, RIVER, sizes, PLAIN).streets[0].num_nodes
        for sizes in (effort.deep_river, effort.river)
    )
    assert 2 * deep < usual


def test_what_was_solved_serves_for_other_bets_of_its_menu(
    translation: BlueprintTranslation,
) -> None:
    thinker = thinking(translation, QUICK)
    hand = at_river(thinker)
    found = [
        thinker.thought(thinker.after(hand, action_data(move), None)).solved
        for move in ("check", "bet 12", "bet 7", "check")
    ]
    assert found[0] is found[1] is found[3]
    assert found[2] is not found[0]


def test_after_a_bet_that_leaves_the_solution_it_is_solved_from_there(
    translation: BlueprintTranslation,
) -> None:
    thinker = thinking(translation, QUICK)
    hand = thinker.thought(at_river(thinker))
    assert hand.solved is not None
    first = hand.solved
    hand = thinker.after(hand, action_data("check"), None)
    hand = thinker.after(hand, action_data("bet 5"), None)
    assert hand.solved is None
    assert hand.root.solved is first
    again = thinker.thought(hand)
    assert again.solved is not None
    assert again.solved.is_safe
    assert [action.name for action, _ in thinker.moves(again)][:2] == ["fold", "call"]
    # The opponent's alternatives are the values of the solution before.
    known = first.values(hand.root.node, 0)
    assert np.isfinite(known[again.solved.form.combos[1]]).all()


THOROUGH = replace(QUICK, iterations=16, turn=SMALL, first_street=TURN)
"""Turns get a quarter of the iterations."""


def test_a_turn_is_solved_with_all_its_rivers(translation: BlueprintTranslation) -> None:
    hand = at_turn(thinking(translation, None))
    found = [
        thinking(translation, replace(THOROUGH, threads=threads)).thought(hand).solved
        for threads in (1, 2)
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].is_safe
    assert found[0].iterations == 4
    assert found[0].form.tree.boards[1][0].num_boards == 48
    for seat in (0, 1):
        np.testing.assert_array_equal(found[0].values(0, seat), found[1].values(0, seat))
    _, shares = found[0].moves(0)
    np.testing.assert_allclose(shares.sum(axis=0), 1.0, atol=1e-6)


def test_a_river_continues_from_the_solution_of_the_turn(
    translation: BlueprintTranslation,
) -> None:
    thinker = thinking(translation, THOROUGH)
    turn = thinker.thought(at_turn(thinker))
    solved = turn.solved
    assert solved is not None
    ended = thinker.after(
        thinker.after(turn, action_data("check"), None), action_data("check"), None
    )
    _, first = solved.moves(0)
    _, second = solved.moves(solved.child(0, 0))
    np.testing.assert_allclose(ended.ranges[1], with_floor(turn.ranges[1] * first[0], turn.board))
    np.testing.assert_allclose(ended.ranges[0], with_floor(turn.ranges[0] * second[0], turn.board))
    total, met = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
    reach = ended.ranges[1]
    for card in sorted(set(translation.blueprint.rules.deck) - set(turn.board)):
        river = thinker.dealt(ended, [card])
        assert river.root.solved is solved
        values = solved.values_after(ended.node, card, 0)
        left = RiverShowdown(river.board).met(np.where(live_on(river.board), reach, 0.0))
        is_live = live_on(river.board) & np.isfinite(values)
        total[is_live] += (values * left)[is_live]
        met[is_live] += left[is_live]
    # What rivers are worth on average is what the end of the turn is worth.
    expected = solved.values(ended.node, 0)
    known = np.isfinite(expected) & (met > 0.0)
    assert known.sum() > 1_000
    np.testing.assert_allclose((total[known] / met[known]), expected[known], atol=0.02)


@pytest.mark.parametrize("line", [("check", "check"), ("bet 12", "call")])
def test_a_river_takes_its_alternatives_from_the_solution_of_the_turn(
    translation: BlueprintTranslation, monkeypatch: pytest.MonkeyPatch, line: tuple[str, str]
) -> None:
    thinker = thinking(translation, THOROUGH)
    hand = turn = thinker.thought(at_turn(thinker))
    assert turn.solved is not None
    for move in line:
        hand = thinker.after(hand, action_data(move), None)
    river = thinker.dealt(hand, parse_cards("5s"))
    given: list[Floats | None] = []

    def recorded(
        form: SpotForm,
        effort: Effort,
        seat: int,
        alternatives: Floats | None,
        *rest: Any,
        **more: Any,
    ) -> SolvedStreet:
        given.append(alternatives)
        return solve_street(form, effort, seat, alternatives, *rest, **more)

    def refused(*_: object) -> None:
        pytest.fail("the blueprint was asked")

    monkeypatch.setattr("untilt.policy.resolving.solve_street", recorded)
    monkeypatch.setattr("untilt.policy.resolving.blueprint_values", refused)
    solved = thinker.thought(river).solved
    assert solved is not None
    assert solved.is_safe
    expected = turn.solved.values_after(hand.node, parse_cards("5s")[0], 0)
    (alternatives,) = given
    assert alternatives is not None
    np.testing.assert_array_equal(alternatives, expected)
    # Hands of the opponent have each their own, in chips that can be won or lost.
    known = alternatives[solved.form.combos[1]]
    assert np.isfinite(known).all()
    assert np.unique(known).size > 500
    assert np.abs(known).max() <= 40


def test_rare_hands_are_left_out_of_the_own_range_only(translation: BlueprintTranslation) -> None:
    weights = np.ones(NUM_COMBOS)
    weights[:100] = 1e-6
    assert not in_range(weights)[:100].any()
    assert (in_range(weights)[100:] == 1.0).all()
    thinker = thinking(translation, THOROUGH)
    hand = at_turn(thinker)
    rare = combo_index(*parse_cards("AsAh"))
    own = hand.ranges[1].copy()
    own[rare] = 1e-9
    hand = replace(hand, root=replace(hand.root, ranges=(hand.ranges[0], own)))
    solved = thinker.thought(hand).solved
    assert solved is not None
    assert rare not in solved.form.combos[0]
    assert rare in solved.form.combos[1]
    actions, shares = solved.moves(0)
    assert actions[0].name == "check"
    assert shares[0, rare] == 1.0


def test_the_turn_is_solved_if_there_is_time(translation: BlueprintTranslation) -> None:
    def first_street(seconds: float | None = None, **options: Any) -> int | None:
        effort = ResolvingPolicy(translation, **options)._effort(TURN, seconds)
        return None if effort is None else effort.first_street

    assert first_street(think=2.0) == TURN
    assert first_street(think=0.3) is None
    assert first_street(think=2.0, seconds=0.5) is None
    assert first_street(think=2.0, streets="river") == RIVER
    assert first_street(think="auto", seconds=3.0) == TURN
    assert first_street(iterations=9) == RIVER
    assert first_street(iterations=9, streets="turn") == TURN
    with pytest.raises(UnknownName, match="streets"):
        ResolvingPolicy(translation, streets="preflop")


def infoset_at_river(seat: int, hand: str, line: str, betting: PublicHand) -> HoldemInfoset:
    first, second = parse_cards(hand)
    return HoldemInfoset(seat, (first, second), betting.board, line, betting.betting)


def test_it_explains_what_it_does(translation: BlueprintTranslation) -> None:
    agent = ResolvingPolicy(translation, iterations=5)
    public = at_river(agent)
    infoset = infoset_at_river(1, "AsKh", "cc/cb4c/cc/", public)
    thought = agent.considered(None, infoset)
    found = thought.explain()
    assert found["hand"] == "AsKh"
    assert sum(found["mix"].values()) == pytest.approx(1.0)
    assert set(found["values"]) == set(found["mix"])
    assert found["solved"]["iterations"] == 5
    assert found["blueprint"] != found["mix"]
    own, other = thought.ranges[1], thought.ranges[0]
    assert own.sum() == pytest.approx(1.0)
    assert other.sum() == pytest.approx(1.0)
    held = COMBO_MASKS[combo_index(*infoset.hand)]
    assert not other[COMBO_MASKS & held != 0].any()
    assert other[COMBO_MASKS & held == 0].any()


def test_a_node_has_the_values_of_the_street_that_was_solved(
    translation: BlueprintTranslation,
) -> None:
    policy = ResolvingPolicy(translation, iterations=5)
    hand = at_river(policy)
    node = policy.at(hand)
    solved = policy.thought(hand).solved
    assert solved is not None
    assert node.values is not None
    assert node.values.shape == node.mix.shape
    combos = node.hands[1].combos
    assert combos is not None
    np.testing.assert_array_equal(node.values[0], solved.values(solved.child(0, 0), 1)[combos])
    assert policy.at(at_turn(policy)).values is None


def test_without_time_it_follows_the_blueprint(translation: BlueprintTranslation) -> None:
    agent = ResolvingPolicy(translation, think=1.0)
    public = at_river(agent)
    infoset = infoset_at_river(1, "AsKh", "cc/cb4c/cc/", public)
    thought = agent.considered(None, infoset, seconds=0.001)
    assert thought.hand.solved is None
    expected = translation.mix(infoset, thought.hand.sight)
    assert {str(a): s for a, s in thought.moves if s > 0.0} == pytest.approx(
        {str(action): share for action, _, share in expected}
    )


def test_it_answers_with_a_clock(path: Path) -> None:
    agent = untilt.play.ResolvingPolicy(path, think="20ms")
    root = Holdem(Blueprint(path).rules)
    state = agent.begin(0, Rules.of(root))
    position = root.apply(root.sample(LightStream(3, 0, 0)))
    infoset = position.infoset(0)
    asked = Choice(position, infoset, infoset.actions())
    with Clock(decision_seconds=5.0) as clock:
        answer, _ = agent.choose(state, asked, random.Random(1), clock)
    assert answer in infoset.actions()


def test_another_game_is_refused(path: Path) -> None:
    agent = ResolvingPolicy(path)
    other = Holdem(replace(Blueprint(path).rules, stacks=(60, 60)))
    with pytest.raises(InvalidOption, match="not this game"):
        agent.begin(0, Rules.of(other))


@pytest.mark.parametrize(
    ("given", "seconds"), [("0.3s", 0.3), ("500ms", 0.5), ("2", 2.0), (0.1, 0.1), ("auto", "auto")]
)
def test_times_to_think_are_read(given: str | float, seconds: float | str) -> None:
    assert parse_think(given) == seconds


@pytest.mark.parametrize("given", ["", "fast", "0", -1.0, "1h", float("nan")])
def test_other_times_are_refused(given: str | float) -> None:
    with pytest.raises(InvalidOption, match="give a time such as"):
        parse_think(given)


def test_wrong_options_are_refused(path: Path) -> None:
    with pytest.raises(UnknownName, match="mode"):
        ResolvingPolicy(path, mode="safest")
    with pytest.raises(InvalidOption, match="iterations"):
        ResolvingPolicy(path, iterations=0)
    with pytest.raises(InvalidOption, match="belief"):
        ResolvingPolicy(path, belief=2.0)


@pytest.mark.parametrize(
    ("text", "source", "options"),
    [
        ("bp/ --think 1s", "bp/", {"think": "1s"}),
        ("bp/ think=1s --threads 2", "bp/", {"think": "1s", "threads": "2"}),
        ("bp/ --think=1s", "bp/", {"think": "1s"}),
        ("my bp/ --mode unsafe", "my bp/", {"mode": "unsafe"}),
        ("bot.py:A level=3", "bot.py:A", {"level": "3"}),
    ],
)
def test_options_of_agents_may_be_flags(text: str, source: str, options: dict[str, str]) -> None:
    found = parse_agent(text)
    assert found.source == source
    assert dict(found.options) == options


def test_it_plays_matches_and_in_engines_by_its_name(path: Path) -> None:
    specs = [parse_agent(f"{path} --iterations 2 --think auto"), parse_agent(str(path))]
    game, (thinking, plain) = load_agents(specs)
    assert isinstance(thinking, ResolvingPolicy)
    assert not isinstance(plain, ResolvingPolicy)
    result = play_match(game.root, thinking, plain, 20, seed=2)
    assert result.hands == 20
    bot = Bot(game, thinking, seed=1, num_hands=10)
    bot.begin(0)
    position = game.root.apply(game.root.sample(LightStream(3, 0, 0)))
    assert bot.choose(position, left=30.0) in position.infoset(0).actions()
    assert bot.report.failure is None


@pytest.mark.parametrize("option", ["--iterations many", "--think soon", "--depth 3"])
def test_wrong_options_of_a_blueprint_are_refused(path: Path, option: str) -> None:
    with pytest.raises(InvalidOption):
        load_agents([parse_agent(f"{path} {option}")])


def test_a_board_with_a_card_twice_is_refused(translation: BlueprintTranslation) -> None:
    thinker = thinking(translation, QUICK)
    hand = followed(thinker, "call", "check", "/Td9d6h", "check", "check")
    with pytest.raises(InvalidOption, match="dealt twice"):
        thinker.dealt(hand, parse_cards("Td"))
