"""The regret learner of push/fold: its hands, its regrets, and where they lead."""

import math

import numpy as np
import pytest
from tests.reference import pushfold_learner as reference

from untilt.cards.combos import (
    CLASS_NAMES,
    GRID_OF_PAIRS_FIRST,
    NUM_CLASSES,
    NUM_COMBOS,
    NUM_COMBOS_OF_CLASS,
    class_index,
)
from untilt.errors import GameError, UntiltError
from untilt.games.pushfold.dealt_hands import make_deck, make_rules, play
from untilt.games.pushfold.form import build_form
from untilt.games.pushfold.game import Stakes, deals
from untilt.games.pushfold.learner import (
    RegretLearner,
    Settings,
    acting_probabilities,
    batch_at,
    end_of_batch,
)
from untilt.games.pushfold.regret_code import LARGEST_REGRET, SIZES, RegretCode, added
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.streams import root_of
from untilt.options.pushfold import BATCH, GROWTH
from untilt.runs.pushfold.trainee import evaluate_strategy

NEVER, ALWAYS = 0, 2**32
LOG = RegretCode(1, "log")


def learned(settings: Settings, hands: int, threads: int = 1) -> Offsets:
    learner = RegretLearner(settings, threads=threads)
    learner.advance(hands)
    return learner.codes.astype(np.int64)


def played(push: int, call: int, hands: int, *, stack: int = 20) -> Offsets:
    """Return what is regretted if all hands push and call with these chances of 2³²."""
    thresholds = np.repeat(np.array([push, call], dtype=np.uint64), NUM_CLASSES)
    rules = make_rules(stack, is_exact=False, is_matching=False)
    sums = np.zeros(2 * NUM_CLASSES, dtype=np.int64)
    play(make_deck(), rules, thresholds, np.uint64(root_of(np.uint64(7))), 0, hands, sums)
    return sums


def exact_called(own: int, other: int) -> float:
    table = deals()
    place = int(GRID_OF_PAIRS_FIRST[own]), int(GRID_OF_PAIRS_FIRST[other])
    win, tie = float(table.win[place]), float(table.tie[place])
    return 1.0 + 20 * (2.0 * win + tie - 1.0)


@pytest.mark.parametrize("batch", [1, 7, BATCH.default])
@pytest.mark.parametrize("is_matching", [False, True])
def test_regrets_are_those_of_the_slow_twin(batch: int, is_matching: bool) -> None:
    settings = Settings(seed=5, batch=batch, choice="matching" if is_matching else "sign")
    twin = reference.train(2_500, seed=5, batch=batch, is_matching=is_matching)
    assert learned(settings, 2_500).tolist() == twin


def test_another_stack_pays_other_sums() -> None:
    settings = Settings(stack=100.5, seed=2**64 - 1, batch=1)
    twin = reference.train(1_000, stack=201, seed=2**64 - 1)
    assert learned(settings, 1_000).tolist() == twin


@pytest.mark.parametrize("choice", ["sign", "matching"])
def test_exact_equities_are_rounded_as_the_slow_twin_rounds_them(choice: str) -> None:
    settings = Settings(seed=3, boards="exact", choice="sign" if choice == "sign" else "matching")
    twin = reference.train(
        6_000, seed=3, batch=BATCH.default, is_matching=choice == "matching", called=exact_called
    )
    assert learned(settings, 6_000).tolist() == twin


@pytest.mark.parametrize("is_matching", [False, True])
def test_a_byte_of_logarithm_is_that_of_the_slow_twin(is_matching: bool) -> None:
    settings = Settings(seed=1, batch=1, choice="matching" if is_matching else "sign", code=LOG)
    twin = reference.train(2_500, seed=1, is_matching=is_matching, code=reference.OneByteLog())
    assert learned(settings, 2_500).tolist() == twin


def test_a_byte_saturates_as_the_slow_twin_does() -> None:
    learner = RegretLearner(Settings(seed=1, batch=1, code=RegretCode(1)))
    learner.advance(2_500)
    twin = reference.train(2_500, seed=1, code=reference.Linear(1))
    assert learner.codes.tolist() == twin
    assert learner.num_cut > 10
    assert {-128, 127} <= set(twin)


def test_an_uncalled_push_gains_three_small_blinds_and_classes_come_as_often_as_dealt() -> None:
    hands = 1_000_000
    sums = played(NEVER, NEVER, hands)
    assert sums[NUM_CLASSES:].tolist() == [0] * NUM_CLASSES
    assert sums.sum() == 3 * hands
    assert chi_square(sums[:NUM_CLASSES] / 3, hands) < 1.35 * NUM_CLASSES


def test_the_big_blinds_hands_come_as_often_as_dealt() -> None:
    # Without chips behind, a call gains 2 whatever happens.
    hands = 1_000_000
    sums = played(ALWAYS, ALWAYS, hands, stack=0)
    assert sums.sum() == (1 + 2) * hands
    assert chi_square(sums[NUM_CLASSES:] / 2, hands) < 1.35 * NUM_CLASSES


def chi_square(counts: Floats, hands: int) -> float:
    """Return Pearson's sum, 168 on average and below 1.35 · 169 with probability 0.999."""
    expected = hands * NUM_COMBOS_OF_CLASS[GRID_OF_PAIRS_FIRST] / NUM_COMBOS
    return float(((counts - expected) ** 2 / expected).sum())


def test_push_and_call_together_gain_the_blinds_on_every_board() -> None:
    assert played(ALWAYS, ALWAYS, 50_000).sum() == 3 * 50_000


def test_a_called_push_gains_its_equity_on_average() -> None:
    hands = 2_000_000
    sums = played(ALWAYS, ALWAYS, hands)[:NUM_CLASSES]
    for name in ("AA", "72o", "AKs"):
        row = class_index(name)
        node = int(np.flatnonzero(row == GRID_OF_PAIRS_FIRST)[0])
        table = deals()
        weights = table.probability[row] / table.probability[row].sum()
        equity = float(weights @ (table.win[row] + table.tie[row] / 2))
        count = hands * NUM_COMBOS_OF_CLASS[row] / NUM_COMBOS
        mean = 1 + 20 * (2 * equity - 1)
        # A gain of ±20 has a standard deviation below 20; four of the mean's are allowed, and
        # the number of hands is itself random.
        assert abs(sums[node] - count * mean) < 4 * 21 * math.sqrt(count) * 1.5, name


def test_the_call_learns_only_from_hands_that_are_pushed() -> None:
    assert played(NEVER, ALWAYS, 10_000)[NUM_CLASSES:].tolist() == [0] * NUM_CLASSES
    assert np.count_nonzero(played(ALWAYS, NEVER, 10_000)[NUM_CLASSES:]) > 160


@pytest.mark.parametrize("code", [RegretCode(), RegretCode(2, "log")])
@pytest.mark.parametrize("choice", ["sign", "matching"])
def test_threads_do_not_change_a_bit(code: RegretCode, choice: str) -> None:
    settings = Settings(
        batch=3_000, seed=8, code=code, choice="sign" if choice == "sign" else "matching"
    )
    alone = learned(settings, 300_000)
    for threads in (2, 3):
        assert learned(settings, 300_000, threads).tolist() == alone.tolist()


def test_another_batch_and_another_seed_are_other_runs() -> None:
    alone = learned(Settings(), 200_000).tolist()
    assert learned(Settings(batch=10), 200_000).tolist() != alone
    assert learned(Settings(seed=1), 200_000).tolist() != alone


@pytest.mark.parametrize("code", [RegretCode(), LOG])
def test_a_learner_that_goes_on_from_a_file_is_one_that_never_stopped(code: RegretCode) -> None:
    settings = Settings(batch=700, seed=4, code=code)
    whole = learned(settings, 150_000)
    stop = end_of_batch(60_001, 700)
    first = RegretLearner(settings)
    first.advance(stop)
    second = RegretLearner(settings, first.codes, first.hands, threads=2)
    second.advance(150_000)
    assert second.codes.tolist() == whole.tolist()


def test_batches_grow_from_one_hand_and_end_at_round_numbers() -> None:
    sizes = [batch_at(hands, 10_000) for hands in (0, 99, 100, 999, 1_000, 10**6, 10**9)]
    assert sizes == [1, 1, 10, 10, 100, 10_000, 10_000]
    assert [batch_at(10**6, batch) for batch in (1, 700)] == [1, 700]
    ends = [end_of_batch(hands, 10_000) for hands in (1, 100, 101, 10**6, 10**6 + 1)]
    assert ends == [1, 100, 110, 10**6, 10**6 + 10_000]


def exploitability_mbb(learner: RegretLearner) -> float:
    form = build_form(Stakes(learner.settings.stack))
    return 1e3 * evaluate_strategy(form, learner.probabilities()).exploitability


def test_ten_million_hands_lead_within_1_5_mbb_of_equilibrium() -> None:
    found = []
    for seed in range(3):
        learner = RegretLearner(Settings(seed=seed), threads=2)
        learner.advance(10_000_000)
        found.append(exploitability_mbb(learner))
    assert sum(found) / 3 <= 1.5
    push, call = (
        100 * float(row @ NUM_COMBOS_OF_CLASS) / NUM_COMBOS for row in learner.probabilities()
    )
    assert push == pytest.approx(58.28, abs=1.5)
    assert call == pytest.approx(37.38, abs=1.5)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(choice="matching"),
        Settings(boards="exact"),
        Settings(code=RegretCode(2, "log")),
        Settings(stack=20.0),
        Settings(stack=1.5),
    ],
    ids=str,
)
def test_every_way_of_learning_converges(settings: Settings) -> None:
    learner = RegretLearner(settings)
    learner.advance(3_000_000)
    assert exploitability_mbb(learner) < 3.0


def test_probabilities_are_in_the_order_of_the_grid() -> None:
    codes = np.full(338, -5)
    codes[297] = 5  # T5s of the big blind
    codes[12] = 1  # AA of the small blind
    codes[13] = 0  # 32o
    push, call = acting_probabilities(codes)
    assert [CLASS_NAMES[place] for place in np.flatnonzero(call)] == ["T5s"]
    assert push[class_index("AA")] == 1.0
    assert push[class_index("32o")] == 0.5
    assert push.sum() == 1.5


def test_matching_acts_in_proportion_to_positive_regrets() -> None:
    codes = np.zeros(676, dtype=np.int64)
    codes[[12, 350]] = 30, 10  # AA of the small blind: acting, folding
    codes[[11, 349]] = -30, 10
    codes[[10, 348]] = -30, -10
    push, _ = acting_probabilities(codes)
    assert [push[class_index(name)] for name in ("AA", "KK", "QQ", "JJ")] == [0.75, 0.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("num_bytes", "gain", "count"),
    [(1, 21, 6), (2, 21, 1_560), (2, 201, 163), (4, 21, 102_261_126)],
)
def test_how_many_won_pushes_fit_into_a_regret(num_bytes: int, gain: int, count: int) -> None:
    high = RegretCode(num_bytes).limits[1]
    assert count * gain <= high < (count + 1) * gain


@pytest.mark.parametrize("num_bytes", SIZES)
def test_levels_grow_by_a_constant_factor_to_the_reach(num_bytes: int) -> None:
    code = RegretCode(num_bytes, "log")
    high = code.limits[1]
    values = code.decoded(np.array([-high, -1, 0, 1, 2, high - 1, high]))
    assert values[1:4].tolist() == [-1.0, 0.0, 1.0]
    assert values[-1] == pytest.approx(LARGEST_REGRET[num_bytes])
    assert values[0] == -values[-1]
    assert values[-1] == pytest.approx(values[-2] * (values[4] - 1.0) + 1.0)


@pytest.mark.parametrize("gain", [-300, -7, 2, 19, 5_000])
@pytest.mark.parametrize("begin", [-30, -1, 0, 3, 40])
def test_stochastic_rounding_keeps_the_mean(begin: int, gain: int) -> None:
    chances = (np.arange(20_000) + 0.5) / 20_000
    codes = np.array([added(begin, gain, LOG.step, chance) for chance in chances])
    wanted = LOG.decoded(np.array([begin]))[0] + gain
    neighbours = LOG.decoded(np.unique(codes))
    assert len(neighbours) <= 2
    spread = float(np.ptp(neighbours))
    assert float(LOG.decoded(codes).mean()) == pytest.approx(wanted, abs=spread / 10_000 + 1e-9)


@pytest.mark.parametrize("growth", GROWTH.choices)
def test_a_regret_comes_back_from_its_limit(growth: str) -> None:
    code = RegretCode(1, "log" if growth == "log" else "linear")
    high = code.limits[1]
    reach = int(code.decoded(np.array([high]))[0])
    assert added(high, -2 * reach, code.step, 0.5) < 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stack": 10.25}, "20.5 small blinds; regrets are integers"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is"),
        ({"batch": 0}, "batch is 0"),
        ({"choice": "best"}, "unknown choice 'best': known: sign, matching"),
        ({"boards": "none"}, "unknown boards 'none': known: random, exact"),
    ],
)
def test_settings_that_mean_nothing_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(UntiltError, match=words):
        Settings(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("stack", [1.0, 0.5, -3.0, 5_000.0, math.nan, math.inf])
def test_stacks_that_leave_nothing_to_decide_are_refused(stack: float) -> None:
    with pytest.raises(GameError):
        Settings(stack=stack)


def test_codes_and_threads_out_of_range_are_refused() -> None:
    with pytest.raises(UntiltError, match="bytes is 3"):
        RegretCode(3)
    with pytest.raises(UntiltError, match="unknown growth 'square'"):
        RegretCode(1, "square")  # type: ignore[arg-type]
    with pytest.raises(UntiltError, match="threads is 0"):
        RegretLearner(Settings(), threads=0)
