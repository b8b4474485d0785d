"""The market games: rules, closed forms, and how play moves with β."""

import io
from collections.abc import Mapping
from itertools import pairwise, product

import pytest
from tests.reference.histories import Chance, Decision, End, History, write_out
from tests.reference.order_book import write_out_market

from untilt.errors import GameError, InvalidOption
from untilt.evaluation.best_response import evaluate
from untilt.formats.exchange.efg import write_efg
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import Profile, profile_from_dict
from untilt.games import auction, limit_order, market_maker, order_routing, resolve
from untilt.games.markets.auction import Pricing
from untilt.games.markets.order_routing import EQUILIBRIUM
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.branches.branch import REACHED
from untilt.solvers.qre.problem import QuantalProblem

from .playing import play


def quantal_response(game: Game, beta: float) -> Profile:
    """Return the logit equilibrium on the principal branch at `beta`."""
    problem = QuantalProblem(compile_histories(game))
    branch = trace(problem.system, beta)
    assert branch.ending == REACHED
    return problem.profile(branch.log_odds[-1])


def mean(distribution: Mapping[str, float]) -> float:
    return sum(float(name) * probability for name, probability in distribution.items())


def play_surely(compiled: CompiledGame, action_of_label: Mapping[str, str]) -> Profile:
    """Return the profile that takes these actions for certain."""
    plain = {
        label: {action: float(action == action_of_label[label]) for action in actions}
        for table in compiled.infosets
        for label, actions in table.items()
    }
    return profile_from_dict(compiled, plain)


class TestAuction:
    @pytest.mark.parametrize(
        ("pricing", "moves", "gains"),
        [
            ("first", "5 3 4 2", (1.0, 0.0)),
            ("first", "5 3 2 2", (1.5, 0.5)),
            ("first", "1 3 4 2", (-3.0, 0.0)),
            ("second", "5 3 4 2", (3.0, 0.0)),
            ("second", "5 3 2 2", (1.5, 0.5)),
            ("second", "5 3 0 3", (0.0, 3.0)),
        ],
    )
    def test_one_unit_goes_to_the_highest_bid_and_ties_are_split(
        self, pricing: Pricing, moves: str, gains: tuple[float, float]
    ) -> None:
        end = play(auction(pricing), moves)
        assert (end.payoff(0), end.payoff(1)) == gains

    @pytest.mark.parametrize(
        ("moves", "gains"),
        [
            ("5 3 4+0 2+0", (5.0, 3.0)),  # one each, the third bid is 0
            ("5 3 4+3 2+1", (6.0, 0.0)),  # both to the first, for 2 each
            ("5 3 4+2 2+1", (3.0 + 3.0 / 2, 1.0 / 2)),  # the second unit is drawn, price 2
            ("5 3 2+2 2+2", (3.0, 1.0)),  # one unit each in expectation
            ("5 3 0+0 3+3", (0.0, 6.0)),
        ],
    )
    def test_several_units_are_paid_at_the_first_rejected_bid(
        self, moves: str, gains: tuple[float, float]
    ) -> None:
        end = play(auction("uniform", units=2), moves)
        assert (end.payoff(0), end.payoff(1)) == pytest.approx(gains)

    def test_uniform_pricing_of_one_unit_is_the_second_price(self) -> None:
        first = compile_histories(auction("uniform"))
        assert first.fingerprint() == compile_histories(auction("second")).fingerprint()

    def test_every_unit_is_sold_whatever_is_bid(self) -> None:
        rules = auction("uniform", values=1, bids=4, units=3).rules
        for own, other in product(rules.schedules, repeat=2):
            # Per value, a bidder gains as many units as she wins.
            won = [
                rules.gain(2, *bids) - rules.gain(1, *bids) for bids in ((own, other), (other, own))
            ]
            assert sum(won) == pytest.approx(3)

    @pytest.mark.parametrize(("values", "bids", "tick"), [(5, 6, 1.0), (4, 16, 0.5)])
    def test_truthful_bids_are_an_equilibrium_of_the_second_price(
        self, values: int, bids: int, tick: float
    ) -> None:
        compiled = compile_histories(auction("second", values, bids, tick))
        truthful = {f"P{p}:{v}:": str(v) for p in (0, 1) for v in range(1, values + 1)}
        found = evaluate(compiled.exact_form(), play_surely(compiled, truthful))
        assert found.nash_conv == pytest.approx(0.0, abs=1e-12)

    def test_truthful_bids_are_weakly_dominant_in_the_second_price(self) -> None:
        rules = auction("second").rules
        for value in range(1, 6):
            for own, other in product(rules.schedules, repeat=2):
                assert rules.gain(value, str(value), other) >= rules.gain(value, own, other)

    def test_demand_reduction_is_an_equilibrium_of_uniform_pricing(self) -> None:
        compiled = compile_histories(auction("uniform", units=2))
        reduced = {f"P{p}:{v}:": f"{v}+0" for p in (0, 1) for v in range(1, 6)}
        found = evaluate(compiled.exact_form(), play_surely(compiled, reduced))
        assert found.values == pytest.approx((3.0, 3.0))  # a unit each for nothing
        assert found.nash_conv == pytest.approx(0.0, abs=1e-12)
        # So is the truth, by which both get about half as much.
        truthful = {f"P{p}:{v}:": f"{v}+{v}" for p in (0, 1) for v in range(1, 6)}
        found = evaluate(compiled.exact_form(), play_surely(compiled, truthful))
        assert found.values == pytest.approx((1.6, 1.6))
        assert found.nash_conv == pytest.approx(0.0, abs=1e-12)

    def test_bids_approach_half_the_value_at_the_first_price(self) -> None:
        profile = quantal_response(auction("first", 10, 21, 0.5), beta=100)
        for value in range(1, 11):
            assert mean(profile[f"P1:{value}:"]) == pytest.approx(value / 2, abs=0.15)

    def test_bids_approach_the_value_at_the_second_price(self) -> None:
        profile = quantal_response(auction("second", 10, 21, 0.5), beta=100)
        for value in range(1, 11):
            assert mean(profile[f"P0:{value}:"]) == pytest.approx(value, abs=0.25)

    @pytest.mark.parametrize(
        "given",
        [
            {"pricing": "third"},
            {"values": 0},
            {"bids": 1},
            {"units": 0},
            {"units": 2},
            {"tick": 0.0},
            {"tick": float("nan")},
            {"pricing": "uniform", "units": 6, "bids": 50},
        ],
        ids=str,
    )
    def test_parameters_out_of_range_are_refused(self, given: dict[str, str]) -> None:
        with pytest.raises(InvalidOption):
            resolve("auction", given)

    @pytest.mark.parametrize("moves", ["6", "5 3 7", "5 3 4 2 0"])
    def test_illegal_moves_are_refused(self, moves: str) -> None:
        with pytest.raises(GameError, match="not legal"):
            play(auction(), moves)


class TestMarketMaker:
    @pytest.mark.parametrize(
        ("moves", "gains"),
        [
            (("high", "informed", "0.4", "buy"), (-0.6, 0.6)),
            (("low", "informed", "0.4", "sell"), (-0.6, 0.6)),
            (("low", "buyer 0.7", "0.4", "buy"), (1.4, -0.7)),
            (("high", "buyer 0.7", "0.4", "buy"), (-0.6, 1.3)),
            (("high", "buyer 0.7", "0.4", "sell"), (1.4, -1.4)),
            (("high", "seller 0.7", "0.4", "sell"), (1.4, -0.7)),
            (("low", "seller 0.1", "1", "pass"), (0.0, 0.0)),
        ],
    )
    def test_gains_are_value_spread_and_private_benefit(
        self, moves: tuple[str, ...], gains: tuple[float, float]
    ) -> None:
        end: Game = market_maker()
        for move in moves:
            end = end.apply(move)
        assert (end.payoff(0), end.payoff(1)) == pytest.approx(gains)

    @pytest.mark.parametrize("informed", [0.0, 0.1, 0.2, 0.3, 0.4])
    @pytest.mark.parametrize("levels", [4, 5])
    def test_a_quote_earns_what_the_closed_form_says(self, informed: float, levels: int) -> None:
        compiled = compile_histories(market_maker(informed, levels))
        for step in range(1, levels):  # at 0 and 1 some traders are indifferent
            spread = step / levels
            sensible = {"P0:quote": f"{spread:.10g}"}
            for label in compiled.infosets[1].labels:
                wanted, _, benefit = label.split(":")[1].partition(" ")
                quote = float(label.split(":")[2])
                trade = "buy" if wanted in ("high", "buyer") else "sell"
                gains = wanted in ("high", "low") or float(benefit) > quote
                sensible[label] = trade if gains else "pass"
            found = evaluate(compiled.exact_form(), play_surely(compiled, sensible))
            expected = (1 - informed) * spread * (1 - spread) - informed * (1 - spread)
            assert found.values[0] == pytest.approx(expected)
            assert found.gains[1] == pytest.approx(0.0, abs=1e-12)

    @pytest.mark.parametrize("beta", [1, 10, 100])
    def test_the_spread_widens_with_the_share_of_informed_traders(self, beta: float) -> None:
        shares = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
        spreads = [mean(quantal_response(market_maker(s), beta)["P0:quote"]) for s in shares]
        assert all(narrow < wide for narrow, wide in pairwise(spreads))

    @pytest.mark.parametrize(("informed", "spread"), [(0.0, 0.5), (0.2, 0.6), (0.4, 0.8)])
    def test_the_limit_is_the_quote_of_largest_profit(self, informed: float, spread: float) -> None:
        # 1 / (2 (1 − informed)) is 0.5, between two equal quotes, 0.625 and 0.833.
        profile = quantal_response(market_maker(informed), beta=2_000)
        assert mean(profile["P0:quote"]) == pytest.approx(spread, abs=1e-3)

    @pytest.mark.parametrize("given", [{"informed": -0.1}, {"informed": "1.1"}, {"levels": 0}])
    def test_parameters_out_of_range_are_refused(self, given: dict[str, float]) -> None:
        with pytest.raises(InvalidOption):
            resolve("market-maker", given)


class TestOrderRouting:
    @pytest.mark.parametrize(
        ("moves", "gains"),
        [
            ("patient tight lit", (0.25, 0.23)),
            ("urgent wide lit", (0.65, 0.23)),
            ("urgent dark lit", (0.65, 0.23)),
            ("patient dark dark filled", (0.4, 0.1)),
            ("patient wide dark filled", (0.4, 0.0)),
            ("urgent dark dark filled", (1.1, -0.2)),
            ("urgent wide dark unfilled chase", (0.15, 0.23)),
            ("patient dark dark unfilled cancel", (-0.05, 0.0)),
        ],
    )
    def test_gains_are_worth_spread_fee_delay_and_toxicity(
        self, moves: str, gains: tuple[float, float]
    ) -> None:
        end = play(order_routing(), moves)
        assert end.terminal
        assert (end.payoff(0), end.payoff(1)) == pytest.approx(gains)

    def test_the_trader_does_not_see_who_rests_in_the_dark(self) -> None:
        seen = [play(order_routing(), f"urgent {move}").infoset(0) for move in ("wide", "dark")]
        assert seen[0] == seen[1]

    def test_the_equilibrium_in_closed_form_cannot_be_improved_on(self) -> None:
        compiled = compile_histories(order_routing())
        found = evaluate(compiled.exact_form(), profile_from_dict(compiled, EQUILIBRIUM))
        assert found.nash_conv == pytest.approx(0.0, abs=1e-12)
        assert found.values[0] == pytest.approx(159 / 380)

    def test_quantal_responses_lead_to_the_equilibrium_in_closed_form(self) -> None:
        profile = quantal_response(order_routing(), beta=10_000)
        for label in ("P1:quote", "P0:urgent:wide:", "P0:patient:wide:"):
            assert profile[label] == pytest.approx(EQUILIBRIUM[label], abs=5e-4)

    @pytest.mark.parametrize("beta", [1, 3, 10, 30, 100])
    def test_urgent_orders_prefer_the_lit_venue_more_than_patient_ones(self, beta: float) -> None:
        profile = quantal_response(order_routing(), beta)
        for quote in ("tight", "wide"):
            urgent, patient = (profile[f"P0:{kind}:{quote}:"] for kind in ("urgent", "patient"))
            assert urgent["lit"] > patient["lit"]

    def test_a_better_fill_draws_urgent_orders_into_the_dark(self) -> None:
        shares = [
            quantal_response(order_routing(fill=fill), beta=5)["P0:urgent:wide:"]["dark"]
            for fill in (0.2, 0.4, 0.6, 0.8, 1.0)
        ]
        assert all(less < more for less, more in pairwise(shares))

    @pytest.mark.parametrize("given", [{"urgent": 1.5}, {"fill": -0.1}, {"fee": "nan"}])
    def test_parameters_out_of_range_are_refused(self, given: dict[str, float]) -> None:
        with pytest.raises(InvalidOption):
            resolve("order-routing", given)


def rounded(history: History) -> History:
    """Return histories with rounded payoffs: the twin multiplies in another order."""
    if isinstance(history, End):
        return End((round(history.payoffs[0], 12), round(history.payoffs[1], 12)))
    if isinstance(history, Chance):
        return Chance(tuple((share, rounded(child)) for share, child in history.outcomes))
    children = {name: rounded(child) for name, child in history.children.items()}
    return Decision(history.player, history.label, children)


class TestLimitOrder:
    @pytest.mark.parametrize(
        ("levels", "turns", "news", "delay"),
        [(2, 3, 1.0, 0.1), (3, 3, 0.0, 0.2), (1, 4, 0.5, 0.0), (2, 4, 0.0, 0.1), (3, 2, 2.0, 1.0)],
    )
    def test_all_histories_are_those_of_a_book_of_bids_and_asks(
        self, levels: int, turns: int, news: float, delay: float
    ) -> None:
        ours = write_out(limit_order(levels, turns, news, delay))
        assert rounded(ours) == rounded(write_out_market(levels, turns, news, delay))

    @pytest.mark.parametrize(
        ("moves", "gains"),
        [
            ("high low|buy 1|-|hit", (0.45, 1.35)),  # 2.5 − 1 − 1 to the buyer, 1 − 0.5 + 1
            ("low high|sell 2|+|lift", (0.45, 1.35)),
            ("high high|buy 2|-|hit", (-0.45, 0.45)),  # a stale bid is picked off
            ("high low|buy 1|-|sell 2|-|lift", (-1.215, 2.835)),
            ("high low|buy 1|+|wait|+|wait", (0.0, 0.0)),
        ],
    )
    def test_trades_pay_what_the_rules_say(self, moves: str, gains: tuple[float, float]) -> None:
        position: Game = limit_order()
        for each in [*moves.partition("|")[0].split(), *moves.split("|")[1:]]:
            position = position.apply(each)
        assert position.terminal
        assert (position.payoff(0), position.payoff(1)) == pytest.approx(gains)

    @pytest.mark.parametrize("levels", [1, 2, 3, 5])
    def test_with_two_turns_and_no_news_the_only_offer_takes_all_but_half_a_tick(
        self, levels: int
    ) -> None:
        found = quantal_response(limit_order(levels, 2, 0.0, 0.1), beta=200)
        form = compile_histories(limit_order(levels, 2, 0.0, 0.1)).exact_form()
        # Values differ in half of all deals; the trade is in the second turn.
        gains = (0.5 * 0.9 * (levels - 0.5), 0.5 * 0.9 * 0.5)
        assert evaluate(form, found).values == pytest.approx(gains, abs=1e-6)
        assert found["P0:high::"]["buy 1"] == pytest.approx(1.0, abs=1e-6)
        assert found["P0:low::"][f"sell {levels}"] == pytest.approx(1.0, abs=1e-6)

    @pytest.mark.parametrize("levels", [2, 3])
    def test_with_three_turns_the_second_trader_has_the_last_offer(self, levels: int) -> None:
        # Her own offer would be worth 0.81 (levels − ½) to her, so only the best price, 0.9
        # (levels − ½), is accepted at once; the first trader then has 0.9 × ½, and with an offer
        # that is refused only 0.81 × ½.
        form = compile_histories(limit_order(levels, 3, 0.0, 0.1)).exact_form()
        found = quantal_response(limit_order(levels, 3, 0.0, 0.1), beta=400)
        gains = (0.5 * 0.9 * 0.5, 0.5 * 0.9 * (levels - 0.5))
        assert evaluate(form, found).values == pytest.approx(gains, abs=2e-3)
        assert found["P0:high::"][f"buy {levels}"] > 0.95

    def test_news_makes_limit_orders_less_generous(self) -> None:
        found = quantal_response(limit_order(), beta=100)
        calm = quantal_response(limit_order(news=0.0), beta=100)
        assert calm["P0:high::"]["buy 2"] > 0.7
        assert found["P0:high::"]["buy 2"] < 0.01
        # After bad news for its owner, an order is taken; after good news she gets a counter-offer.
        assert found["P1:low:-:b1"]["hit"] > 0.99
        assert found["P1:low:+:b1"]["sell 2"] > 0.99

    @pytest.mark.parametrize(
        "given", [{"levels": 0}, {"turns": 1}, {"turns": 7}, {"news": -1}, {"delay": 1.5}]
    )
    def test_parameters_out_of_range_are_refused(self, given: dict[str, float]) -> None:
        with pytest.raises(InvalidOption, match="limit-order: "):
            resolve("limit-order", given)

    def test_orders_that_cross_are_refused(self) -> None:
        position = play(limit_order(news=0.0), "low high").apply("sell 1")
        with pytest.raises(GameError, match="'buy 1' is not legal; legal: lift, sell 1, sell 2"):
            position.apply("buy 1")


@pytest.mark.parametrize("beta", [1.0, 10.0])
@pytest.mark.parametrize("name", ["auction", "market-maker", "order-routing", "limit-order"])
def test_gambit_finds_the_same_quantal_responses(name: str, beta: float) -> None:
    gambit = pytest.importorskip("pygambit", minversion="17.0.0b2")
    # Gambit takes minutes for the whole of the last game.
    game = resolve(name, {"levels": 1, "news": 0.5} if name == "limit-order" else {}).game
    compiled = compile_histories(game)
    text = write_efg(compiled, name, position=game)
    theirs = gambit.qre.logit_solve_lambda(gambit.read_efg(io.StringIO(text)), [beta])[0].profile
    ours = quantal_response(game, beta)
    # Gambit lists infosets by the numbers of the file, which are ours.
    for table, found in zip(compiled.infosets, theirs, strict=True):
        for label, (_, distribution) in zip(table.labels, found, strict=True):
            assert ours[label] == pytest.approx(dict(distribution), abs=1e-9)
