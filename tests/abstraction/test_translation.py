"""How real bets are taken for bets of the menu."""

import math
import random
from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untilt
from untilt.abstraction import (
    Translation,
    abstract,
    alike,
    betting_line,
    capped_bets,
    linear_pot,
    pot_fractions,
    private,
    public,
    street,
)
from untilt.abstraction.bet_translation import (
    NEAREST,
    drawn_reading,
    probability_of_lower,
    taken_for,
)
from untilt.abstraction.translated_hand import TranslatedHand
from untilt.abstraction.translation import Sight
from untilt.errors import InvalidOption, StrategyError, UnknownName
from untilt.game.actions import ActionData, action_data
from untilt.games import holdem, kuhn, river_of_blood
from untilt.games.holdem.game import Deal, Holdem, HoldemInfoset

shares = st.floats(0.01, 20.0)
ladders = st.lists(shares, min_size=1, max_size=5, unique=True).map(sorted)


@pytest.mark.parametrize(
    ("share", "lower", "upper", "expected"),
    [
        (0.5, 0.5, 1.0, 1.0),
        (1.0, 0.5, 1.0, 0.0),
        (0.75, 0.5, 1.0, 3 / 7),  # (0.25 · 1.5) / (0.5 · 1.75)
        (1.0, 0.0, 2.0, 1 / 4),
        (0.2, 0.5, 1.0, 1.0),
        (9.0, 0.5, 1.0, 0.0),
    ],
)
def test_the_formula_gives_the_values_worked_out_by_hand(
    share: float, lower: float, upper: float, expected: float
) -> None:
    assert probability_of_lower(share, lower, upper) == pytest.approx(expected)


@given(shares, shares, shares)
def test_the_mapping_falls_from_one_size_to_the_next(a: float, b: float, c: float) -> None:
    """Ganzfried & Sandholm's axioms: boundaries, monotony, and a value within [0, 1]."""
    low, middle, high = sorted((a, b, c))
    if low == high:
        return
    assert probability_of_lower(low, low, high) == 1.0
    assert probability_of_lower(high, low, high) == 0.0
    assert 0.0 <= probability_of_lower(middle, low, high) <= 1.0
    nearer = (low + middle) / 2
    assert probability_of_lower(nearer, low, high) >= probability_of_lower(middle, low, high)


@given(shares, shares)
def test_the_middle_is_taken_for_both_alike(low: float, high: float) -> None:
    """The median of the mapping, in their closed form (A + B + 2AB) / (A + B + 2)."""
    if abs(low - high) < 1e-6:
        return
    low, high = sorted((low, high))
    median = (low + high + 2 * low * high) / (low + high + 2)
    assert probability_of_lower(median, low, high) == pytest.approx(0.5)


@given(shares, ladders)
def test_a_bet_is_taken_for_its_neighbours_of_which_no_bet_is_one(
    share: float, ladder: list[float]
) -> None:
    places = taken_for(share, ladder)
    assert sum(weight for _, weight in places) == pytest.approx(1.0)
    assert all(weight > 0.0 for _, weight in places)
    below = max(place for place, size in enumerate([0.0, *ladder]) if size <= share)
    assert {place for place, _ in places} <= {below, min(below + 1, len(ladder))}
    if share < ladder[0] * (1.0 - 1e-9):
        assert dict(places)[0] == pytest.approx((ladder[0] - share) / (ladder[0] * (1.0 + share)))


@given(shares, ladders)
def test_the_nearest_ratio_draws_nothing(share: float, ladder: list[float]) -> None:
    ((place, weight),) = taken_for(share, ladder, NEAREST)
    assert weight == 1.0
    ratios = [max(share / size, size / share) for size in ladder]
    assert ratios[place - 1] == pytest.approx(min(ratios))


MENU = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 4)
STATES = street * linear_pot(4)


@pytest.fixture(scope="module")
def trained() -> Translation:
    game = abstract(river_of_blood(), STATES, MENU)
    run = untilt.solve(game, "es-linear", iterations=200, save=False)
    return Translation(game, run.profile)


def play(root: Holdem, hand: TranslatedHand[Sight], rng: random.Random) -> list[Holdem]:
    """Return the positions of a hand against somebody who bets anything; seat 0 translates."""
    position, passed = root, []
    while not position.terminal:
        passed.append(position)
        if position.chance:
            position = position.apply(position.sample(rng))
        elif position.active == 0:
            known = position.infoset(0)
            mix = hand.probabilities(known)
            assert sum(mix.values()) == pytest.approx(1.0)
            legal = set(map(str, known.actions()))
            assert set(map(str, mix)) <= legal
            action = hand.act(known)
            assert action in mix
            position = position.apply(action)
        else:
            actions = position.infoset(1).actions()
            # Mostly bets of any size: folding and calling alone would end most hands.
            low = 1 if len(actions) > 2 and rng.random() < 0.9 else 0
            position = position.apply(actions[rng.randrange(low, len(actions))])
    return [*passed, position]


def test_a_translated_strategy_never_acts_illegally(trained: Translation) -> None:
    root = trained.root
    assert isinstance(root, Holdem)
    num_bets = 0
    for number in range(300):
        rng = random.Random(number)
        last = play(root, trained.begin(rng), rng)[-1]
        num_bets += last.line.count("r") + last.line.count("b")
    assert num_bets > 200


def test_what_is_seen_never_drifts_from_the_real_pot(trained: Translation) -> None:
    root = trained.root
    assert isinstance(root, Holdem)
    num_streets = 0
    for number in range(200):
        rng = random.Random(number)
        hand = trained.begin(rng)
        for position in play(root, hand, rng):
            if position.line.endswith("/") and not (position.terminal or position.chance):
                sight = hand.sight(position.line)
                assert sight.betting == position.betting
                num_streets += 1
    assert num_streets > 50


def facing(amount: int) -> HoldemInfoset:
    """Return what the big blind knows on facing a raise to `amount`."""
    position = river_of_blood().apply(Deal((60, 44, 59, 43)))
    return position.apply(f"raise {amount}").infoset(1)


def test_a_bet_is_drawn_once_and_remembered(trained: Translation) -> None:
    """A raise to 5 over blinds of 1 and 2 is 0.75 of the pot of 4: taken for half in 3/7."""
    taken = []
    for number in range(4_000):
        rng = random.Random(number)
        hand = trained.begin(rng)
        first = hand.sight(facing(5).line)
        assert first.line in ("r50%", "r100%")
        state = rng.getstate()
        for _ in range(3):
            assert hand.sight(facing(5).line) == first
        assert rng.getstate() == state
        taken.append(first.line == "r50%")
    assert sum(taken) / len(taken) == pytest.approx(3 / 7, abs=4 * 0.5 / math.sqrt(len(taken)))


@pytest.mark.parametrize(
    ("amount", "seen"), [(4, "r50%"), (6, "r100%"), (400, "a"), (399, "a"), (7, None)]
)
def test_bets_on_the_menu_are_taken_for_themselves(
    trained: Translation, amount: int, seen: str | None
) -> None:
    lines = {trained.begin(random.Random(n)).sight(facing(amount).line).line for n in range(300)}
    if seen is None:
        assert "r100%" in lines  # between the pot and all-in, but close to the pot
    elif amount == 399:
        assert seen in lines
    else:
        assert lines == {seen}


def test_the_nearest_ratio_never_draws(trained: Translation) -> None:
    nearest = Translation(trained.game, trained.profile, mapping="nearest")

    class Never:
        def random(self) -> float:
            raise AssertionError("a number was drawn")

    # 0.75 of the pot is nearer to 1 than to 0.5 in ratio.
    assert nearest.begin(Never()).sight(facing(5).line).line == "r100%"
    with pytest.raises(UnknownName, match="did you mean 'nearest'"):
        Translation(trained.game, trained.profile, mapping="nearst")


def test_the_decorator_gives_the_playing_side(trained: Translation) -> None:
    @abstract(Translation, STATES, MENU)
    class Player(Translation):
        """Plays River of Blood."""

    player = Player(river_of_blood(), trained.profile)
    assert player.begin(random.Random(1)).probabilities(facing(6)) == trained.begin(
        random.Random(1)
    ).probabilities(facing(6))
    with pytest.raises(InvalidOption, match="not the"):
        Player(abstract(river_of_blood(), street, MENU), trained.profile)
    with pytest.raises(InvalidOption, match="needs an abstract game"):
        Translation(river_of_blood(), trained.profile)


def test_a_strategy_of_another_abstraction_is_noticed(trained: Translation) -> None:
    wrong = {key: {"whistle": 1.0} for key in trained.profile}
    other = Translation(trained.game, wrong)
    with pytest.raises(StrategyError, match="it is of another abstraction"):
        other.begin(random.Random(1)).probabilities(facing(6))


def test_where_the_strategy_was_never_trained_it_checks_or_calls(trained: Translation) -> None:
    mix = Translation(trained.game, {}).begin(random.Random(1)).probabilities(facing(6))
    assert {str(action): share for action, share in mix.items()} == {"call": 1.0}


def test_kuhn_is_played_through_its_abstraction() -> None:
    game = abstract(kuhn(), alike("QK") * betting_line)
    profile = untilt.solve(game, "lp", save=False).profile
    hand = Translation(game, profile).begin(random.Random(1))
    known = kuhn().apply("K").apply("J").infoset(0)
    assert hand.probabilities(known) == {"check": 1.0}
    assert hand.act(known) == "check"


class Defender(dict[str, Mapping[str, float]]):
    """Folds a third of its hands to any bet, which half the pot cannot exploit."""

    def __contains__(self, label: object) -> bool:
        return True

    def __getitem__(self, label: str) -> Mapping[str, float]:
        return {"fold": 1 / 3, "call": 2 / 3, "check": 1.0}


def defender() -> Translation:
    return Translation(abstract(holdem(stack=200), street, pot_fractions(0.5)), Defender())


def on_flop(*actions: str) -> Holdem:
    """Return the position after a raise to 40 of 200 chips, a call, a flop, and `actions`."""
    position = holdem(stack=200).apply(Deal((60, 44, 59, 43)))
    for action in ("raise 40", "call", Deal((0, 1, 2)), *actions):
        position = position.apply(action)
    return position


def readings(translation: Translation, position: Holdem) -> dict[Sight, float]:
    """Return what may be seen of the betting at a position, with probabilities."""
    found: dict[Sight, float] = {}
    for number in range(2_000):
        sight = translation.begin(random.Random(number)).sight(position.line)
        found[sight] = found.get(sight, 0.0) + 1 / 2_000
    return found


@pytest.mark.parametrize("amount", [*range(2, 60), 80, 159, 160])
def test_no_bet_of_any_size_profits_with_any_two_cards(amount: int) -> None:
    """Whoever folds ⅓ to half the pot folds x / (1 + x) to smaller bets of x: nothing is gained."""
    translation, before = defender(), on_flop()
    pot, answering = 80, on_flop("all-in" if amount == 160 else f"bet {amount}")
    known = answering.infoset(answering.active)
    [bet] = [each for each in before.infoset(before.active).actions() if each.amount == amount]
    start = Sight(before.betting, "")
    seen = translation.after_action(start, before.betting, bet)
    folds = sum(
        weight * share
        for sight, weight in seen
        for action, _, share in translation.mix(known, sight)
        if str(action) == "fold"
    )
    assert folds == pytest.approx(min(amount / (pot + amount), 1 / 3))
    bluff = folds * pot - (1.0 - folds) * amount
    assert bluff <= 1e-9


def test_a_small_bet_is_often_unseen_and_then_never_folded_to() -> None:
    translation, position = defender(), on_flop("bet 20")
    lines = {sight.line: weight for sight, weight in readings(translation, position).items()}
    # (0.5 − 0.25) / (0.5 · 1.25)
    assert lines == {
        "r50%c/c": pytest.approx(0.4, abs=0.05),
        "r50%c/b50%": pytest.approx(0.6, abs=0.05),
    }
    known = position.infoset(position.active)
    for sight in readings(translation, position):
        mix = {str(action): share for action, _, share in translation.mix(known, sight)}
        expected = {"call": 1.0} if sight.line == "r50%c/c" else {"fold": 1 / 3, "call": 2 / 3}
        assert mix == pytest.approx(expected)


def test_a_raise_that_ended_the_street_unseen_is_called() -> None:
    translation, position = defender(), on_flop("bet 40", "raise 80")
    known = position.infoset(position.active)
    unseen = [each for each in readings(translation, position) if each.betting.is_over_street]
    assert len(unseen) == 1
    [(done, number, share)] = translation.mix(known, unseen[0])
    assert isinstance(done, ActionData)
    assert (done.name, share) == ("call", 1.0)
    after = translation.after_own(unseen[0], position.betting, number, done)
    assert after == unseen[0]
    turn = position.apply("call").apply(Deal((3,)))
    assert after is not None
    assert translation.after_deal(after, turn.betting).betting == turn.betting


@pytest.fixture(scope="module")
def solved() -> Translation:
    """Return an equilibrium of a hold'em with nine ranks and bets of the pot, in the real game."""
    root = holdem(stack=24, board="3", ranks=9, suits=1)
    menu = capped_bets(pot_fractions(1.0, all_in=True), 2)
    game = abstract(root, private * public * betting_line, menu)
    run = untilt.solve(game, "cfr+", iterations=100, save=False)
    assert run.exploitability is not None
    assert run.exploitability < 0.02
    return Translation(game, run.profile)


def folds_on_flop(translation: Translation, amount: int) -> float:
    """Return how often the button, called before the flop, folds to a bet on the flop.

    This is the mean over all hands and flops, so over all that the other player may hold.
    """
    root = translation.root
    assert isinstance(root, Holdem)
    deck, folds, reach = sorted(root.rules.deck, reverse=True), 0.0, 0.0
    for own in combinations(deck, 2):
        for flop in combinations([card for card in deck if card not in own], 3):
            left = [card for card in deck if card not in (*own, *flop)]
            position, sight = root.apply(Deal((*own, *left[:2]))), translation.start
            mix = translation.mix(position.infoset(0), sight)
            weight = sum(share for action, _, share in mix if action.name == "raise 6")
            for name in ("raise 6", "call", "", f"bet {amount}"):
                if not name:
                    position = position.apply(Deal(flop))
                    sight = translation.after_deal(sight, position.betting)
                    continue
                done = action_data(name)
                seen = translation.after_action(sight, position.betting, done)
                sight, position = seen[0][0], position.apply(done)
            folds += weight * sum(
                chance * share
                for each, chance in seen
                for action, _, share in translation.mix(position.infoset(0), each)
                if action.name == "fold"
            )
            reach += weight
    return folds / reach


@pytest.mark.parametrize("amount", [2, 3, 4, 6, 12])
def test_no_small_bet_profits_with_any_two_cards_against_an_abstract_run(
    solved: Translation, amount: int
) -> None:
    """A bet of ¼ of the pot of 12 is below the only size of the run, and needs one fold in five."""
    folds = folds_on_flop(solved, amount)
    assert folds * 12 - (1.0 - folds) * amount <= 0.0
    assert folds > 0.1  # the run does fold: nearly half its hands to a bet of the pot


def test_a_reading_takes_one_number_if_there_are_two_and_none_otherwise() -> None:
    class Numbers:
        drawn = 0

        def random(self) -> float:
            self.drawn += 1
            return 0.5

    rng = Numbers()
    assert drawn_reading([("check", 1.0)], rng) == "check"
    assert rng.drawn == 0
    assert drawn_reading([("check", 0.6), ("bet", 0.4)], rng) == "check"
    assert drawn_reading([("check", 0.4), ("bet", 0.6)], rng) == "bet"
    assert rng.drawn == 2
    # Without numbers, the likelier; of two that are equally likely, the smaller.
    assert drawn_reading([("check", 0.4), ("bet", 0.6)], None) == "bet"
    assert drawn_reading([("check", 0.5), ("bet", 0.5)], None) == "check"
