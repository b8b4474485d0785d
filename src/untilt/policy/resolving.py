"""A policy that thinks at the table: a blueprint whose turns and rivers are solved again.

    policy = ResolvingPolicy("bp/", think=0.3)
    state = policy.begin(seat, rules)
    action, state = policy.choose(state, asked, rng, clock)
    thought = policy.considered(state, infoset)
    thought.ranges                    # both players' 1,326 weights, by seat
    thought.explain()                 # mix, values, and what thinking has changed

On early streets it follows the blueprint. When it first has to act on the river, it solves the
street for both ranges within its time, with the real cards, so that it understands a bet of any
size, and such that no hand of the opponent wins more than against the blueprint
(`untilt.solvers.public_tree.gadget`). With a second or more it also solves the turn, with all its
rivers; the river then continues from that solution. If time is short it follows the blueprint.

The street is solved from its beginning, and again from where the opponent makes a bet that the
solution does not have. Ranges follow whatever strategy is in use, and what the opponent's hands
were worth before is also taken from it.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.abstraction.bet_translation import PSEUDO_HARMONIC
from untilt.errors import InvalidOption
from untilt.game.histories.walking import Choice
from untilt.game.mix import Mix
from untilt.game.protocol import Action, Uniforms
from untilt.games.holdem.bets.betting_tree import offered_bets
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.game import HoldemInfoset
from untilt.games.holdem.spots.subgame import PLAIN, swapped
from untilt.number import Number
from untilt.numeric.arrays import Floats
from untilt.options.option import verify
from untilt.options.thinking import AUTO, BELIEF, MODE, SOLVED, THINKING, THREADS
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import Rules
from untilt.policy.nodes.public_state import PublicState
from untilt.policy.thinking.blueprint_pairs import leaf_values
from untilt.policy.thinking.blueprint_values import blueprint_values
from untilt.policy.thinking.public_hand import PublicHand, Root, followed, updated_ranges
from untilt.policy.thinking.solved_street import (
    FLOP,
    RIVER,
    TURN,
    Effort,
    SolvedStreet,
    compiled_subgame,
    in_range,
    solve_street,
    subgame_of,
)

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.blueprint_translation import BlueprintTranslation
    from untilt.games.holdem.spots.public_form import SpotForm

_USUAL_SECONDS = 0.3
_MOST_SECONDS = {FLOP: 9.5, TURN: 4.5, RIVER: 2.0}
"""The most time spent on a decision; more hardly improves it. A turn stays below 5 seconds."""
_LEAST_SECONDS = {FLOP: 6.0, TURN: 1.0, RIVER: 0.02}
"""With less time than this, the blueprint is followed."""
_SHARE_OF_VALUES = 0.8
"""How much of the time for a flop may be spent on what its ends are worth."""
_LEAST_ITERATIONS = 20
"""A solution with fewer iterations in the given time is not used."""
_DURATION = re.compile(r"(\d+\.?\d*|\.\d+)\s*(ms|s)?")


def parse_think(given: str | float) -> float | str:
    """Return the seconds of `0.3`, `0.3s` or `300ms`, or `auto`; else raise InvalidOption."""
    if given == AUTO:
        return AUTO
    found = _DURATION.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is not None:
        given = float(found[1]) / (1000.0 if found[2] == "ms" else 1.0)
    if isinstance(given, str) or not Number(above=0).accepts(given):
        raise InvalidOption.of("think", given, "give a time such as 0.3s or 500ms, or auto")
    return float(given)


class ResolvingPolicy(BlueprintPolicy):
    """A blueprint that thinks; see the module."""

    effort: Effort

    def __init__(
        self,
        blueprint: "str | Path | Blueprint | BlueprintTranslation",
        think: float | str = _USUAL_SECONDS,
        *,
        iterations: int | None = None,
        streets: str = SOLVED.default,
        threads: int = THREADS.default,
        mode: str = MODE.default,
        belief: float = BELIEF.default,
        mapping: str = PSEUDO_HARMONIC,
        name: str = "the blueprint, thinking",
    ) -> None:
        """Make a policy that spends `think` seconds on a decision.

        With `iterations` instead, its play depends only on the random numbers, whatever the number
        of threads; a turn gets a quarter of the iterations, a flop half. `streets` says what is
        solved: `river`, `turn` (both), `flop` (all three, the flop with at least 6 seconds), or
        `auto`: also the turn, if there is at least a second for it, but not with `iterations`.
        `mode` is how safe the solution is, and `belief` how much of it trusts the ranges.
        """
        verify(THINKING, iterations=iterations, streets=streets, mode=mode, belief=belief)
        self.think = parse_think(think)
        super().__init__(blueprint, name=name, mapping=mapping)
        seconds = _USUAL_SECONDS if self.think == AUTO else float(self.think)
        self.streets = streets
        self._iterations = iterations
        self.effort = Effort(
            seconds, iterations, threads, mode, belief, first_street=self._first_street(seconds)
        )
        self._is_warm = False

    @classmethod
    def of(cls, translation: "BlueprintTranslation", effort: Effort) -> "ResolvingPolicy":
        """Return a policy that makes this effort wherever it solves."""
        found = cls(
            *(translation, effort.seconds),
            iterations=effort.iterations,
            threads=effort.threads,
            mode=effort.mode,
            belief=effort.belief,
        )
        found.effort = effort
        return found

    def begin(self, seat: int, rules: Rules) -> PublicHand:
        """Return a hand of which nothing was seen; the first time, compile what thinking needs."""
        super().begin(seat, rules)
        if not self._is_warm:
            self.warm_up()
        return self.start()

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return an action drawn from the mix, and the hand as it was understood."""
        assert isinstance(asked.infoset, HoldemInfoset)
        seconds = None if clock is None else clock.advised
        thought = self.considered(state, asked.infoset, rng, seconds)
        return Mix.of(thought.moves).draw(rng), thought.hand

    def _pondered(self, hand: PublicHand, seconds: float | None) -> PublicHand:
        effort = self._effort(hand.betting.street, seconds)
        return hand if effort is None else self.thought(hand, effort)

    def thought(self, state: PublicState, effort: Effort | None = None) -> PublicHand:
        """Return the state with its street solved for the player to act.

        The state is returned as it is where nothing is solved: early streets, or too little time
        for a solution that is better than the blueprint.
        """
        hand, effort = followed(state), effort or self.effort
        if hand.solved is not None or hand.betting.street < effort.first_street:
            return hand
        root = hand.root
        is_reached = root.betting is hand.betting or (
            hand.answer is not None and hand.line == (*root.line, hand.answer.name)
        )
        if not is_reached or root.betting.player < 0:
            return hand
        solved = self._solved(hand, effort)
        if solved is None or (effort.iterations is None and solved.iterations < _LEAST_ITERATIONS):
            return hand
        node, ranges = 0, root.ranges
        if hand.answer is not None:
            number = solved.action_number(0, hand.answer)
            assert number is not None, "the real bet is in the tree"
            _, shares = solved.moves(0)
            before = replace(hand, betting=root.betting, ranges=ranges)
            ranges = updated_ranges(before, shares[number])
            node = solved.child(0, number)
        return replace(hand, solved=solved, node=node, ranges=ranges)

    def warm_up(self) -> None:
        """Load and compile everything now: it then costs no time at the table."""
        self._is_warm = True
        first = self.effort.first_street
        if self.think == AUTO and self.streets != "river":
            first = FLOP if self.streets == "flop" else TURN
        effort = replace(self.effort, iterations=2, first_street=first)
        hand = self.start()
        deck = iter(self.rules.deck)
        while True:
            if hand.betting.street >= first:
                self.thought(_with_few_hands(hand), effort)
            if hand.betting.street == RIVER:
                return
            while hand.betting.player >= 0:
                self.moves(hand)
                hand = self.after(hand, hand.betting.passive_actions()[-1])
            count = self.rules.board_cards[hand.betting.street + 1]
            hand = self.dealt(hand, [next(deck) for _ in range(count)])

    def _first_street(self, seconds: float) -> int:
        """Return the first street to solve, given this much time for a decision."""
        if self._iterations is not None:
            return {"flop": FLOP, "turn": TURN}.get(self.streets, RIVER)
        if self.streets == "flop" and seconds >= _LEAST_SECONDS[FLOP]:
            return FLOP
        return RIVER if self.streets == "river" or seconds < _LEAST_SECONDS[TURN] else TURN

    def _effort(self, street: int, seconds: float | None) -> Effort | None:
        """Return how long to think, at most `seconds`; None to follow the blueprint."""
        if self.effort.iterations is not None:
            return self.effort
        if street not in _MOST_SECONDS:
            return None
        most = _MOST_SECONDS[street]
        limits = [most, *([] if seconds is None else [seconds])]
        if self.think != AUTO or seconds is None:
            limits.append(self.effort.seconds)
        spent = min(limits)
        if spent < _LEAST_SECONDS[street]:
            return None
        return replace(self.effort, seconds=spent, first_street=self._first_street(spent))

    def _solved(self, hand: PublicHand, effort: Effort) -> SolvedStreet | None:
        """Return the street from the root; the previous solution is reused if it has the bet.

        None if time ran out before anything was solved.
        """
        root, seat = hand.root, hand.betting.player
        for line in ((), hand.line[len(root.line) :]):
            known = hand.solutions.get((seat, hand.board, root.line, line))
            if known is not None and (
                hand.answer is None or known.action_number(0, hand.answer) is not None
            ):
                return known
        solved = self._solve(hand, effort)
        if solved is None:
            return None
        is_plain = hand.answer is None or solved.added is None
        line = () if is_plain else hand.line[len(root.line) :]
        hand.solutions.keep((seat, hand.board, root.line, line), solved)
        return solved

    def _solve(self, hand: PublicHand, effort: Effort) -> SolvedStreet | None:
        began = time.perf_counter()
        root, street, seat = hand.root, hand.betting.street, hand.betting.player
        sizes = effort.sizes(root.betting)
        added = None
        if hand.answer is not None and hand.answer.amount is not None:
            added = min(int(hand.answer.amount), root.betting.all_in_to)
            if added in offered_bets(swapped(root.betting), street, sizes, PLAIN):
                added = None
        ranges = list(root.ranges)
        if street < RIVER:
            ranges[seat] = in_range(ranges[seat])
        both = ranges[0], ranges[1]
        if street == FLOP:
            until = began + _SHARE_OF_VALUES * effort.seconds
            flop = self._flop(
                hand.board, both, root, sizes, added, until if effort.iterations is None else inf
            )
            if flop is None:
                return None
            form, known = flop, root.solved
            alternatives = None if known is None else known.values(root.node, 1 - seat)
        else:
            form = compiled_subgame(hand.board, both, root.betting, sizes, added)
            alternatives = self._alternatives(form, root, seat, effort.threads)
        left = effort.seconds - (time.perf_counter() - began)
        return solve_street(
            form,
            replace(effort, seconds=left),
            seat,
            alternatives,
            added,
            iterations=effort.iterations_on(street),
        )

    def _flop(
        self,
        board: tuple[int, ...],
        ranges: tuple[Floats, Floats],
        root: Root,
        sizes: Sizes,
        added: int | None,
        until: float,
    ) -> "SpotForm | None":
        """Return a flop that ends with what hands are worth if the blueprint is followed.

        None if that is not known in time.
        """
        from untilt.games.holdem.spots.public_form import compile_first_street

        subgame = subgame_of(board, ranges, root.betting, sizes, added)
        forest = subgame.betting_tree().streets[0]
        start = self.translation.bets.aligned(root.sight, root.betting), root.betting
        values = leaf_values(self.translation, board, ranges, start, forest, until)
        return None if values is None else compile_first_street(subgame, values)

    def _alternatives(self, form: "SpotForm", root: Root, seat: int, threads: int) -> Floats | None:
        """Return what the opponent's hands were worth before; None if it is not known."""
        if root.solved is not None:
            if root.card is None:
                return root.solved.values(root.node, 1 - seat)
            return root.solved.values_after(root.node, root.card, 1 - seat)
        bets = self.translation.bets
        place = bets.aligned(root.sight, root.betting)
        seen = place.betting
        is_alike = bets.is_decision(place) and (seen.player, seen.street) == (
            root.betting.player,
            root.betting.street,
        )
        if not is_alike:
            return None
        blueprint = self.translation.blueprint
        return blueprint_values(blueprint, place, form, root.betting, 1 - seat, threads)


def policy_with_options(
    translation: "BlueprintTranslation", options: Mapping[str, str], name: str | None = None
) -> ResolvingPolicy:
    """Return a policy with options as a user types them: think, iterations, threads and so on."""
    given = {row.name: row.parse(options[row.name]) for row in THINKING if row.name in options}
    if name is not None:
        given["name"] = name
    return ResolvingPolicy(translation, **{"think": _USUAL_SECONDS, **given})


def _with_few_hands(hand: PublicHand) -> PublicHand:
    """Return the state with narrow ranges, which are solved at once."""
    first, second = (np.where(np.arange(len(each)) % 40 == 0, each, 0.0) for each in hand.ranges)
    root = replace(hand.root, ranges=(first, second))
    return replace(hand, ranges=(first, second), root=root)
