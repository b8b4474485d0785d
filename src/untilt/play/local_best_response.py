"""Local best response: a lower bound on how much can be won from a hold'em agent.

Lisý & Bowling 2016 ("Equilibrium approximation quality of current no-limit poker bots"). The
exploiter knows the agent's strategy, and so how likely the agent is to hold each hand. At each of
its decisions it compares what its actions would win if nobody bet afterwards:

    fold                 0
    check or call        w · pot − (1 − w) · price
    bet b over a call    f · pot + (1 − f) (w' · (pot + b) − (1 − w') · (price + b))

where w is its share of the pot against the agent's range if all cards are dealt, f how often the
agent folds to the bet, and w' the share against the hands that do not fold. It takes the best, and
plays on. What it wins on average is a lower bound on what a best response wins, and it knows
nothing that would be hidden from an opponent who has studied the agent.

More bets are not always better for such a short-sighted player. So several variants play the same
deals, and the one that wins most counts.

Against a blueprint, if the exploiter's bets are those of the blueprint's tree, many deals are
played at once in a kernel (`untilt.abstraction.tree_response`); any other agent is asked hand by
hand.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.abstraction.menus import Menu, pot_fractions, sizes
from untilt.cards.combos import combo_index
from untilt.display import shortened_text
from untilt.errors import InvalidOption, UnknownName, shortened
from untilt.game.actions import ActionData, Kind
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.sizes import STREETS
from untilt.numeric.arrays import Bools, Floats
from untilt.numeric.chunks import check_threads
from untilt.play.agent_range import AgentRange, range_of
from untilt.play.agents import Rules
from untilt.play.entrants import Entrant
from untilt.play.gains import Gain, gain_words, gains_frame, gains_table, plot_gains
from untilt.play.match import MAX_HANDS, MatchResult
from untilt.play.rollout import is_exact, live_combos, shares
from untilt.play.score import Score
from untilt.play.streams import LightStream, Role, verify_numbers

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.picture import Picture
    from untilt.play.agent_spec import MatchGame

_AGGRESSIVE = frozenset({Kind.BET, Kind.RAISE, Kind.ALL_IN})
_ALL_IN = pot_fractions(all_in=True)
_BATCH = 64
"""Deals that a kernel plays at a time."""
DEFAULT_SIZES = "50%, 100%, a"
"""Bets of the exploiter, in the language of sizes."""
BLUEPRINT_VARIANTS = ("fold or call", "all-in", "all sizes", "from the turn", "from the river")
"""The variants by which a blueprint is measured."""


@dataclass(frozen=True)
class Variant:
    """What the exploiter may do."""

    name: str
    menu: Menu | None = None
    """Its bets; None to check, call and fold only."""
    first_street: int = 0
    """The first street on which it bets."""


def default_variants(
    streets: int = len(STREETS), bets: str | Menu = DEFAULT_SIZES
) -> tuple[Variant, ...]:
    """Return fold or call, all-in, all sizes, and all sizes only from each later street onwards."""
    menu = bets if isinstance(bets, Menu) else sizes(bets)
    later = tuple(
        Variant(f"from the {STREETS[street]}", menu, street)
        for street in range(1, min(streets, len(STREETS)))
    )
    return (
        Variant("fold or call"),
        Variant("all-in", _ALL_IN),
        Variant("all sizes", menu),
        *later,
    )


def blueprint_variants(menu: Menu, streets: int = len(STREETS)) -> tuple[Variant, ...]:
    """Return the variants with which a blueprint is measured, on its own menu."""
    known = default_variants(streets, menu)
    return tuple(each for each in known if each.name in BLUEPRINT_VARIANTS)


def variants_named(known: Sequence[Variant], names: Iterable[str]) -> tuple[Variant, ...]:
    """Return the variants with these names; raise UnknownName for any other."""
    by_name = {variant.name: variant for variant in known}
    wanted = list(names)
    for name in wanted:
        if not isinstance(name, str) or name not in by_name:
            raise UnknownName.among("variant", shortened(name).strip("'"), by_name)
    if not wanted:
        raise InvalidOption.of("variants", wanted, f"give some of {', '.join(by_name)}")
    return tuple(by_name[name] for name in wanted)


@dataclass(frozen=True, repr=False)
class LocalBestResponse:
    """What each variant wins from the agent."""

    variants: tuple[Variant, ...]
    results: tuple[MatchResult, ...]
    always_fold_mbb: float
    """What an agent that always folds loses per hand, in thousandths of a big blind."""
    agent: str = ""
    """The agent that was measured."""
    game: "MatchGame | None" = field(default=None, compare=False)
    """The game that was played; None if it was not named."""

    @property
    def best(self) -> int:
        """The place of the variant that wins most."""
        return int(np.argmax([result.value for result in self.results]))

    @property
    def result(self) -> MatchResult:
        """What that variant wins."""
        return self.results[self.best]

    @property
    def variant(self) -> str:
        """The name of the variant that wins most."""
        return self.variants[self.best].name

    @property
    def mbb(self) -> float:
        """What it wins per hand, in thousandths of a big blind: the agent loses at least that."""
        assert self.result.mbb is not None, "hold'em has blinds"
        return self.result.mbb

    @property
    def interval_mbb(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of `mbb`; None after a single deal."""
        return self.result.interval_mbb

    def summary(self) -> dict[str, Any]:
        """Return the largest result, all variants and the always-fold line, in mbb per hand."""
        return {
            "lbr_mbb": self.mbb,
            "interval_mbb": _listed(self.interval_mbb),
            "variant": self.variant,
            "deals": self.result.hands // 2,
            "variants": {
                variant.name: {"mbb": result.mbb, "interval": _listed(result.interval_mbb)}
                for variant, result in zip(self.variants, self.results, strict=True)
            },
            "always_fold_mbb": self.always_fold_mbb,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data: the largest, then all variants."""
        return {
            "variant": self.variant,
            **self.result.to_json(),
            "variants": [
                {"variant": variant.name, **result.to_json()}
                for variant, result in zip(self.variants, self.results, strict=True)
            ],
        }

    def gains(self) -> list[Gain]:
        """Return what each variant wins, in thousandths of a big blind per hand."""
        return [
            Gain(self.agent, variant.name, result.mbb or 0.0, result.interval_mbb)
            for variant, result in zip(self.variants, self.results, strict=True)
        ]

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per variant."""
        return gains_frame(self.gains())

    def plot(self, path: "str | os.PathLike[str] | None" = None) -> "Picture":
        """Return what each variant wins as a figure; with `path`, also written there."""
        return plot_gains(self.gains(), f"Local best response against {self.agent}", path)

    def __repr__(self) -> str:
        return (
            f"<LocalBestResponse: {self.variant!r} wins {gain_words(self.gains()[self.best])} from "
            f"{shortened_text(self.agent) or 'the agent'}, {self.result.hands:,} hands>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        note = f"{self.result.hands:,} hands; always folding loses {self.always_fold_mbb:.0f}"
        return gains_table(self.gains(), f"Local best response: {self.agent}", note)


OnDeal = Callable[[int, Sequence[Score]], None]
"""Called after every deal with the hands played and the scores of all variants."""


def local_best_response(
    root: Holdem,
    agent: Entrant,
    hands: int,
    seed: int = 0,
    *,
    variants: Sequence[Variant] | None = None,
    watcher: OnDeal | None = None,
    seconds: float | None = None,
    threads: int = 1,
) -> LocalBestResponse:
    """Return what local best response wins from `agent` in `hands` hands per variant.

    Each deal is played in both seats. Called all-ins are counted by their equity. It ends early
    after `seconds`. Without `variants` the exploiter has the bets of a blueprint, or half the pot,
    the pot and all-in. `threads` are used for blueprints, and do not change the result.
    """
    verify_numbers(seed)
    if not isinstance(root, Holdem):
        raise InvalidOption(
            f"local best response plays hold'em, not {type(root).__name__}; small games have an "
            "exact one: untilt evaluate"
        )
    if type(hands) is not int or not 2 <= hands <= MAX_HANDS or hands % 2:
        raise InvalidOption.of(
            "hands", hands, "it must be an even integer, at least 2: each deal is played twice"
        )
    if seconds is not None and not seconds > 0.0:
        raise InvalidOption.of("seconds", seconds, "it must be a positive number")
    check_threads(threads)
    streets = len(root.rules.board_cards)
    chosen = tuple(variants or default_variants(streets, own_menu(agent) or DEFAULT_SIZES))
    by_pair = [Score() for _ in chosen]
    by_seat = [(Score(), Score()) for _ in chosen]
    played = _on_tree(agent, chosen, hands // 2, seed, threads)
    if played is None:
        played = _one_by_one(root, agent, chosen, hands // 2, seed)
    began = time.monotonic()
    num_deals = 0
    for gains in played:
        for pair, scores, score in zip(gains, by_seat, by_pair, strict=True):
            scores[0].add(pair[0])
            scores[1].add(pair[1])
            score.add((pair[0] + pair[1]) / 2.0)
        num_deals += 1
        if watcher is not None:
            watcher(2 * num_deals, by_pair)
        if seconds is not None and time.monotonic() - began > seconds:
            break
    spent = time.monotonic() - began
    results = tuple(
        MatchResult(
            hands=2 * num_deals,
            seconds=spent / len(chosen),
            value=(score.mean or 0.0) + 0.0,
            interval=score.interval,
            as_player=(seats[0].mean or 0.0, seats[1].mean or 0.0),
            big_blind=float(root.rules.blinds[1]),
        )
        for score, seats in zip(by_pair, by_seat, strict=True)
    )
    return LocalBestResponse(chosen, results, always_fold_mbb(root))


def own_menu(agent: Entrant) -> Menu | None:
    """Return the menu of a blueprint; None for any other agent."""
    blueprint = getattr(getattr(agent, "translation", None), "blueprint", None)
    menu: Menu | None = getattr(blueprint, "menu", None)
    return menu


def always_fold_mbb(root: Holdem) -> float:
    """Return what an agent that always folds loses per hand: the blinds and antes."""
    start = root.rules.start
    posted = sum(root.rules.stacks) - sum(start.stacks)
    return 1_000.0 * posted / 2.0 / root.rules.blinds[1]


def _on_tree(
    agent: Entrant, variants: Sequence[Variant], num_deals: int, seed: int, threads: int
) -> Iterator[list[list[float]]] | None:
    """Return the gains of deals, [variants][seats], on a blueprint's tree; None if impossible.

    It is possible if the bets of all variants are those of the tree.
    """
    menu = own_menu(agent)
    if menu is None or any(each.menu not in (None, _ALL_IN, menu) for each in variants):
        return None
    from concurrent.futures import ThreadPoolExecutor

    from untilt.abstraction.tree_response import TreeResponse

    response = TreeResponse.of(getattr(agent, "translation").blueprint, seed)  # noqa: B009
    allowed = np.stack(
        [
            response.allowed(
                None if each.menu is None else each.first_street,
                all_in_only=each.menu == _ALL_IN != menu,
            )
            for each in variants
        ]
    )

    response.gains(0, 1, allowed)  # compiles the kernels, which is not timed

    def play(first: int) -> list[list[list[float]]]:
        found: list[list[list[float]]] = response.gains(
            first, min(_BATCH, num_deals - first), allowed
        ).tolist()
        return found

    def batches() -> Iterator[list[list[float]]]:
        with ThreadPoolExecutor(threads) as pool:
            for begin in range(0, num_deals, _BATCH * threads):
                firsts = range(begin, min(begin + _BATCH * threads, num_deals), _BATCH)
                for batch in pool.map(play, firsts):
                    yield from batch

    return batches()


def _one_by_one(
    root: Holdem, agent: Entrant, variants: Sequence[Variant], num_deals: int, seed: int
) -> Iterator[list[list[float]]]:
    """Yield the gains of deals, [variants][seats], from hands that are played by the rules."""
    rules = Rules.of(root)
    start = range_of(agent)
    for deal in range(num_deals):
        dealt = root.apply(root.sample(LightStream(seed, deal, Role.CHANCE)))
        cache = _Shares(root)
        gains: list[list[float]] = []
        for variant in variants:
            gains.append([])
            for seat in (0, 1):
                hand = _Hand(variant, agent, seat, cache, seed, deal)
                agent.begin(1 - seat, rules)
                gains[-1].append(hand.play(dealt, start))
        yield gains


def local_action(
    variant: Variant, position: Holdem, hand: tuple[int, int], against: AgentRange, wins: Floats
) -> ActionData:
    """Return what local best response does at `position` with `hand`.

    `wins` are the shares of the pot against each combo, see `rollout.shares`.
    """
    betting = position.betting
    live = live_combos(position.rules, (*hand, *position.board))
    pot, price = betting.total_pot, betting.to_call
    passive = betting.passive_actions()
    share = _share(against.weights, wins, live)
    best, value = passive[-1], share * pot - (1.0 - share) * price
    if variant.menu is not None and betting.street >= variant.first_street and betting.can_bet():
        for offer in variant.menu.offers(betting):
            if offer.action.kind not in _AGGRESSIVE:
                continue
            found = _value_of_bet(offer.action, position, against, wins, live)
            if found > value:
                best, value = offer.action, found
    return passive[0] if value < 0.0 and betting.can_fold() else best


def _value_of_bet(
    action: ActionData,
    position: Holdem,
    against: AgentRange,
    wins: Floats,
    live: Bools,
) -> float:
    """Return what a bet wins, if the agent folds or calls and nobody bets afterwards."""
    betting, player = position.betting, position.active
    after = position.apply(action)
    level = max(after.betting.bets)
    own = min(level, betting.all_in_to) - betting.bets[player]
    other = min(level, betting.all_in_to) - betting.bets[1 - player]
    answered = against.after_other(position, action)
    weights = answered.weights * live
    total = weights.sum()
    if not total > 0.0:
        weights, total = live.astype(np.float64), float(live.sum())
        folds = np.zeros(len(weights))
    else:
        folds = answered.folding(after) * live
    share_of_folds = float(folds.sum() / total)
    share = _share(weights - folds, wins, live)
    pot = betting.total_pot
    called = share * (pot + other) - (1.0 - share) * own
    return share_of_folds * pot + (1.0 - share_of_folds) * called


def _share(weights: Floats, wins: Floats, live: Bools) -> float:
    """Return the share of the pot against a range; against all hands if the range is empty."""
    counted = weights * live
    total = float(counted.sum())
    if not total > 1e-12 * len(weights):
        return float(wins[live].mean())
    return float(counted @ wins) / total


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


class _Shares:
    """Shares of the pot in one deal, computed once for all variants."""

    def __init__(self, root: Holdem) -> None:
        self._rules = root.rules
        self._found: dict[tuple[tuple[int, int], tuple[int, ...]], Floats] = {}
        self.are_exact = is_exact(root.rules)

    def of(self, hand: tuple[int, int], board: tuple[int, ...]) -> Floats:
        key = hand, board
        if key not in self._found:
            self._found[key] = shares(self._rules, hand, board)
        return self._found[key]


class _Hand:
    """One hand of a variant against the agent."""

    def __init__(
        self, variant: Variant, agent: Entrant, seat: int, cache: _Shares, seed: int, deal: int
    ) -> None:
        self.variant = variant
        self.agent = agent
        self.seat = seat
        self.cache = cache
        self._chance = LightStream(seed, deal, Role.CHANCE)
        self._chance.random()  # the hands have been dealt
        self._stream = LightStream(seed, deal, Role.PLAYER_0 + 1 - seat)

    def play(self, position: Holdem, against: AgentRange) -> float:
        """Return what the exploiter gains from `position`, after the deal."""
        assert position.hands is not None
        own = position.hands[self.seat]
        while not position.terminal:
            if position.chance:
                if position.betting.is_all_in and self.cache.are_exact:
                    return self._equity(position, own)
                position = position.apply(position.sample(self._chance))
                if not position.terminal and not position.chance:
                    against = against.after_deal(position)
            elif position.active == self.seat:
                wins = self.cache.of(own, position.board)
                action = local_action(self.variant, position, own, against, wins)
                after = position.apply(action)
                against = against.after_other(position, action)
                position = after
            else:
                infoset = position.infoset(position.active)
                actions = infoset.actions()
                done = self.agent.choose(position, infoset, actions, self._stream)
                if not isinstance(done, ActionData):
                    done = next(each for each in actions if str(each) == str(done))
                against = against.after_own(position, done)
                position = position.apply(done)
        return position.payoff(self.seat)

    def _equity(self, position: Holdem, own: tuple[int, int]) -> float:
        """Return what a called all-in wins on average over the boards."""
        assert position.hands is not None
        wins = self.cache.of(own, position.board)
        share = float(wins[combo_index(*position.hands[1 - self.seat])])
        staked = position.rules.stacks[self.seat] - position.betting.stacks[self.seat]
        return (2.0 * share - 1.0) * staked
