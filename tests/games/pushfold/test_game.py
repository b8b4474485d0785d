"""Push/fold: payoffs counted chip by chip, deals from one deck, the form against the histories."""

import math
from typing import Any

import numpy as np
import pytest
from tests.games.pushfold import pokerkit_table
from tests.reference import pushfold as counted

from untilt.cards.combos import CLASS_NAMES, NUM_COMBOS, NUM_COMBOS_OF_CLASS, class_index
from untilt.errors import GameError
from untilt.game.compiled import compile, compile_histories  # noqa: A004
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.games.pushfold.game import PushFold, Stakes, deals
from untilt.games.registry import pushfold
from untilt.numeric.streams import Stream

STAKES = [
    Stakes(10.0),
    Stakes(1.5),
    Stakes(13.7, small_blind=0.4),
    Stakes(8.0, ante=0.125),
    Stakes(10.0, bb_ante=1.0),
    Stakes(6.5, small_blind=0.3, ante=0.1, bb_ante=0.75),
]


def blinds_of(stakes: Stakes) -> counted.Blinds:
    return counted.Blinds(stakes.stack, stakes.small_blind, stakes.ante, stakes.bb_ante)


def after(stakes: Stakes, hand: str, other: str, *actions: str) -> PushFold:
    position = PushFold(stakes)
    for action in (hand, other, *actions):
        position = position.apply(action)
    return position


@pytest.mark.parametrize("stakes", STAKES, ids=str)
def test_payoffs_are_the_chips_on_the_table(stakes: Stakes) -> None:
    blinds = blinds_of(stakes)
    fold = after(stakes, "AKs", "72o", "fold")
    uncalled = after(stakes, "AKs", "72o", "all-in", "fold")
    called = after(stakes, "AKs", "72o", "all-in", "call")
    win, tie = (
        float(shares[class_index("AKs"), class_index("72o")])
        for shares in (deals().win, deals().tie)
    )
    assert fold.payoff(0) == pytest.approx(counted.chips(blinds, "fold"), abs=1e-12)
    assert uncalled.payoff(0) == pytest.approx(counted.chips(blinds, "uncalled"), abs=1e-12)
    assert called.payoff(0) == pytest.approx(counted.called(blinds, (win, tie)), abs=1e-12)
    assert [end.payoff(1) for end in (fold, uncalled, called)] == [
        -end.payoff(0) for end in (fold, uncalled, called)
    ]


def test_a_big_blind_ante_of_one_is_dead_money() -> None:
    stakes = Stakes(10.0, bb_ante=1.0)
    never, always = np.array(0.0), np.array(1.0)
    assert stakes.called(always, never) == 10.0
    assert stakes.called(never, never) == -9.0
    assert stakes.called(never, always) == 0.5
    assert (stakes.folded, stakes.uncalled) == (-0.5, 2.0)


def test_ten_big_blinds_in_small_blinds_over_a_fold_are_those_of_the_learner() -> None:
    stakes = Stakes(10.0)
    never, always = np.array(0.0), np.array(1.0)
    over_fold = [
        2.0 * (gain - stakes.folded)
        for gain in (
            float(stakes.called(always, never)),
            float(stakes.called(never, never)),
            stakes.uncalled,
            float(stakes.called(never, always)),
        )
    ]
    assert over_fold == [21.0, -19.0, 3.0, 1.0]


def test_deals_are_those_of_one_deck() -> None:
    counts = counted.num_deals()
    total = sum(counts.values())
    expected = np.array([[counts[one, two] / total for two in CLASS_NAMES] for one in CLASS_NAMES])
    np.testing.assert_allclose(deals().probability, expected, rtol=1e-13)
    np.testing.assert_allclose(
        deals().probability.sum(axis=1), NUM_COMBOS_OF_CLASS / NUM_COMBOS, rtol=1e-13
    )


def test_what_one_hand_wins_the_other_loses() -> None:
    win, tie = deals().win, deals().tie
    np.testing.assert_allclose(win + tie + win.T, 1.0, atol=1e-14)
    np.testing.assert_array_equal(tie, tie.T)


def test_the_direct_form_is_the_one_walked_from_the_histories() -> None:
    game = PushFold(Stakes(6.5, small_blind=0.3, ante=0.1, bb_ante=0.75))
    direct = compile(game).exact_form()
    walked = compile_histories(game).exact_form()
    assert direct.num_terminals == walked.num_terminals
    for player in (0, 1):
        assert set(direct.infosets[player].labels) == set(walked.infosets[player].labels)
        expected = _pairs(walked, player)
        found = _pairs(direct, player)
        assert found.keys() == expected.keys()
        np.testing.assert_allclose(
            [found[pair] for pair in expected], list(expected.values()), rtol=1e-11, atol=1e-15
        )


def _pairs(form: SequenceForm, player: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Return weight and payoff of every pair of sequences that meets, by name."""
    names = [
        [
            "",
            *(f"{label} {action}" for label, actions in table.items() for action in actions),
        ]
        for table in form.infosets
    ]
    side = form.sides[player]
    rows = np.repeat(np.arange(side.num_sequences), np.diff(side.row_start))
    columns = zip(rows, side.opponent_sequence, side.weight, side.payoff, strict=True)
    return {
        (names[player][row], names[1 - player][met]): (float(weight), float(payoff))
        for row, met, weight, payoff in columns
    }


def test_labels_name_player_hand_and_line() -> None:
    position = after(Stakes(), "AKs", "QQ")
    assert str(position.infoset(0)) == "P0:AKs:"
    assert str(position.apply("all-in").infoset(1)) == "P1:QQ:a"
    assert list(position.infoset(0).actions()) == ["fold", "all-in"]
    assert list(position.apply("all-in").infoset(1).actions()) == ["fold", "call"]


def test_hands_are_dealt_by_sampling() -> None:
    stream = Stream(5)
    aces = 0
    for _ in range(400):
        first = PushFold().sample(stream)
        position = PushFold().apply(first)
        assert position.chance
        position = position.apply(position.sample(stream))
        assert not position.chance
        aces += str(first).startswith("A")
    # A hand with an ace comes 198 times in 1,326: 60 of 400, standard deviation 7.
    assert 30 < aces < 90


@pytest.mark.parametrize("stack", [1.0, 0.5])
def test_a_stack_that_is_posted_whole_is_refused_with_what_is_right_there(stack: float) -> None:
    with pytest.raises(GameError, match=r"no decision.*push every hand"):
        pushfold(stack)


def test_pushing_every_hand_is_advised_only_where_it_is_right() -> None:
    """With 32o, calling 1 to win 2 costs 1 − 0.323 · 2 more than folding without a small blind."""
    with pytest.raises(GameError, match=r"no decision; give a larger stack"):
        pushfold(1.0, small_blind=0.3)
    with pytest.raises(GameError, match="push every hand"):
        pushfold(1.0, small_blind=0.36)
    win, tie = deals().win, deals().tie
    equity = (deals().probability * (win + tie / 2.0)).sum(axis=1) / deals().probability.sum(axis=1)
    assert CLASS_NAMES[int(equity.argmin())] == "32o"
    assert equity.min() == pytest.approx(0.323, abs=5e-4)


@pytest.mark.parametrize("stack", [0.0, -3.0])
def test_a_stack_without_chips_is_refused(stack: float) -> None:
    with pytest.raises(GameError, match=r"must be more than 1\.5 \(what the big blind posts\)"):
        pushfold(stack, ante=0.5)
    with pytest.raises(GameError, match=r"stack of the big blind is .* must be positive"):
        Stakes.of_stacks((10.0, stack))


def test_a_stack_within_blind_and_antes_is_refused() -> None:
    with pytest.raises(GameError, match=r"posting 2\.25"):
        pushfold(2.25, ante=0.25, bb_ante=1.0)


@pytest.mark.parametrize("amount", [-0.1, 1.5, math.nan, math.inf])
@pytest.mark.parametrize("name", ["small_blind", "ante", "bb_ante"])
def test_negative_and_absurd_amounts_are_refused(name: str, amount: float) -> None:
    with pytest.raises(GameError, match=f"{name} is .* it must be from 0 to 1"):
        Stakes(10.0, **{name: amount})


@pytest.mark.parametrize("stack", [math.nan, math.inf, 1e9])
def test_a_stack_without_measure_is_refused(stack: float) -> None:
    with pytest.raises(GameError, match="at most 1000"):
        pushfold(stack)


@pytest.mark.parametrize("row", pokerkit_table.rows(), ids=lambda row: str(row["case"]))
def test_unequal_stacks_gain_what_pokerkit_pays(row: dict[str, Any]) -> None:
    small, big, *amounts = row["case"]
    if not row["has_decision"]:
        with pytest.raises(GameError, match="no decision"):
            Stakes.of_stacks((small, big), *amounts)
        return
    stakes = Stakes.of_stacks((small, big), *amounts)
    never, always = np.array(0.0), np.array(1.0)
    found = {
        "fold": stakes.folded,
        "uncalled": stakes.uncalled,
        "win": float(stakes.called(always, never)),
        "lose": float(stakes.called(never, never)),
        "tie": float(stakes.called(never, always)),
    }
    assert found == pytest.approx({name: row[name] for name in found}, abs=1e-12)


def test_the_table_is_what_pokerkit_plays_today() -> None:
    pytest.importorskip("pokerkit")
    for row in pokerkit_table.rows()[::7]:
        played = pokerkit_table.played(pokerkit_table.Case(*row["case"]))
        assert {"case": row["case"], **played} == row


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(GameError, match="legal: fold, all-in"):
        after(Stakes(), "AKs", "QQ", "call")
