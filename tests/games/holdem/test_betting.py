"""The betting rules of heads-up hold'em."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from untilt.errors import InvalidOption
from untilt.game.actions import Kind, action_data
from untilt.games.holdem.betting import NOBODY, Betting, BettingRules

BLINDS = Betting.new(0, (200, 200), blinds=(2, 1), first=1, rules=BettingRules(smallest_bet=2))
"""Player 1 has the button and the small blind."""


def test_a_street_of_a_spot() -> None:
    state = Betting.new(200, (900, 900))
    assert (state.player, state.to_call, state.least_to, state.most_to) == (0, 0, 1, 900)
    state = state.check_or_call().bet_to(120)
    assert (state.player, state.to_call, state.pot_after_call) == (0, 120, 440)
    assert state.least_to == 240
    state = state.bet_to(300)
    assert (state.player, state.to_call, state.least_to) == (1, 180, 480)
    state = state.check_or_call()
    assert state.is_over_street
    assert (state.total_pot, state.stacks) == (800, (600, 600))
    state = state.next_street()
    assert (state.pot, state.bets, state.street, state.player) == (800, (0, 0), 1, 0)
    assert state.least_to == 1


def test_the_big_blind_may_raise_after_a_limp() -> None:
    assert (BLINDS.player, BLINDS.to_call, BLINDS.least_to) == (1, 1, 4)
    limped = BLINDS.check_or_call()
    assert (limped.player, limped.to_call, limped.least_to) == (0, 0, 4)
    assert limped.named_bet(6).name == "raise 6"
    assert limped.check_or_call().is_over_street
    assert limped.bet_to(6).check_or_call().next_street().pot == 12


def test_a_raise_is_at_least_as_large_as_the_last_one() -> None:
    raised = BLINDS.bet_to(10)
    assert raised.least_to == 18
    assert raised.bet_to(40).least_to == 70
    with pytest.raises(InvalidOption, match=r"a bet to 17 is not legal: .* from 18 to 200"):
        raised.bet_to(17)


def test_an_all_in_may_be_less_than_the_least_raise() -> None:
    state = Betting.new(0, (30, 200), blinds=(2, 1), first=1).bet_to(20)
    assert (state.player, state.least_to, state.most_to) == (0, 30, 30)
    after = state.bet_to(30)
    assert (after.to_call, after.can_bet()) == (10, False)
    with pytest.raises(InvalidOption, match="is not possible here"):
        after.bet_to(60)
    assert after.check_or_call().stacks == (0, 170)


def test_what_a_call_for_less_does_not_match_is_returned() -> None:
    state = Betting.new(10, (200, 50)).bet_to(120)
    assert state.to_call == 50
    after = state.check_or_call()
    assert (after.is_over_street, after.bets, after.stacks) == (True, (50, 50), (150, 0))
    assert after.total_pot == 110
    nobody = after.next_street()
    assert (nobody.player, nobody.street) == (NOBODY, 1)


def test_blinds_that_take_a_whole_stack_leave_no_needless_turn() -> None:
    assert Betting.new(0, (1, 100), blinds=(2, 1), first=1).player == NOBODY
    short = Betting.new(0, (100, 1), blinds=(2, 1), first=1)
    assert (short.player, short.bets, short.stacks) == (NOBODY, (1, 1), (99, 0))
    still = Betting.new(0, (2, 100), blinds=(2, 1), first=1)
    assert (still.player, still.to_call, still.can_bet()) == (1, 1, False)


def test_limit_games_have_one_size_and_a_cap() -> None:
    rules = BettingRules(smallest_bet=2, fixed_bets=(2, 4), max_raises=3)
    state = Betting.new(0, (100, 100), blinds=(2, 1), first=1, rules=rules)
    for amount in (4, 6, 8):
        assert (state.least_to, state.most_to) == (amount, amount)
        state = state.bet_to(amount)
    assert not state.can_bet()
    flop = state.check_or_call().next_street()
    assert (flop.least_to, flop.most_to) == (4, 4)


def test_actions_are_applied_by_name() -> None:
    state = Betting.new(200, (900, 900))
    for name in ("check", "bet 120", "raise 300", "all-in 900", "call"):
        state = state.apply(action_data(name))
    assert (state.total_pot, state.is_all_in) == (2000, True)
    start = Betting.new(200, (900, 900))
    assert start.apply(action_data("all-in")).bets == (900, 0)
    assert start.named_bet(900).kind is Kind.ALL_IN
    assert start.bet_to(120).named_bet(300).name == "raise 300"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("call", "there is nothing to call"),
        ("fold", "there is no bet to fold to"),
        ("bet", "no whole number of chips"),
        ("bet 12.5", "no whole number of chips"),
        ("bet 901", "from 1 to 900"),
        ("dance", "not an action"),
    ],
)
def test_illegal_actions_are_refused(name: str, why: str) -> None:
    with pytest.raises(InvalidOption, match=why):
        Betting.new(200, (900, 900)).apply(action_data(name))


def test_folding_when_free_is_refused_and_after_the_end_nobody_acts() -> None:
    state = Betting.new(200, (900, 900)).bet_to(100)
    with pytest.raises(InvalidOption, match="there is something to call"):
        state.apply(action_data("check"))
    folded = state.fold()
    assert (folded.player, folded.folded, folded.is_over_street) == (NOBODY, 1, False)
    with pytest.raises(InvalidOption, match="is over"):
        folded.check_or_call()
    with pytest.raises(InvalidOption, match="is not over"):
        state.next_street()


@given(
    some.tuples(some.integers(1, 300), some.integers(1, 300)),
    some.sampled_from([(0, 0), (2, 1), (10, 5)]),
    some.lists(some.floats(0, 1), max_size=40),
)
def test_no_chip_is_lost_and_every_hand_ends(
    stacks: tuple[int, int], blinds: tuple[int, int], choices: list[float]
) -> None:
    state = Betting.new(7, stacks, blinds=blinds, first=1, rules=BettingRules(max(blinds[0], 1)))
    for choice in choices:
        assert state.total_pot + sum(state.stacks) == 7 + sum(stacks)
        assert min(state.stacks) >= 0
        if state.folded != NOBODY:
            break
        if state.player == NOBODY:
            assert state.bets[0] == state.bets[1]
            state = state.next_street()
            continue
        options = [state.check_or_call()]
        if state.can_fold():
            options.append(state.fold())
        if state.can_bet():
            assert max(state.bets) < state.least_to <= state.most_to
            options += [state.bet_to(state.least_to), state.bet_to(state.most_to)]
        state = options[int(choice * (len(options) - 1))]
