"""An agent that thinks at the table: a blueprint whose turns and rivers are solved again.

    agent = ResolvingAgent("bp/", think=0.3)
    agent.begin(seat, rules)
    agent.act(turn, rng, clock)
    agent.ranges                      # both players' 1,326 weights, by seat
    agent.explain()                   # mix, values, and what thinking has changed

When the agent first has to act on the river, it solves the street for both ranges within its time,
with the real cards, so that it understands a bet of any size, and such that no hand of the opponent
wins more than against the blueprint (`untilt.solvers.public_tree.gadget`). With a second or more it
also solves the turn, with all its rivers; the river then continues from that solution. If time is
short it follows the blueprint.

Solving loads Numba, which the rest of `play` does without; so this module is imported when such an
agent is asked for.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.abstraction.translated_hand import action_of, moves_of
from untilt.abstraction.translation import PSEUDO_HARMONIC
from untilt.cards.combos import COMBO_MASKS, combo_index
from untilt.errors import InvalidOption, UnknownName
from untilt.game.actions import ActionData
from untilt.game.protocol import Action, Game, InfoSet, Uniforms
from untilt.games.holdem.game import HoldemInfoset
from untilt.numeric.arrays import Floats
from untilt.play.agents import Rules
from untilt.play.blueprint_agent import BlueprintAgent
from untilt.play.clock import Clock
from untilt.play.entrants import Entrant, Mix
from untilt.play.hand import Hand, Turn
from untilt.play.public_hand import PublicHand, Thinker
from untilt.play.solved_street import FLOP, RIVER, TURN, Effort

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.blueprint_translation import BlueprintTranslation

AUTO = "auto"
"""Think as long as the clock allows."""
MODES = ("gadget", "maxmargin", "unsafe")
STREETS = (AUTO, "river", "turn", "flop")
"""What is solved: rivers only, turns too, flops too, or turns too if time allows."""

_USUAL_SECONDS = 0.3
_MOST_SECONDS = {FLOP: 9.5, TURN: 4.5, RIVER: 2.0}
"""The most time spent on a decision; more hardly improves it. A turn stays below 5 seconds."""
_LEAST_SECONDS = {FLOP: 6.0, TURN: 1.0, RIVER: 0.02}
"""With less time than this, the blueprint is followed."""
_SHARE_OF_DECISION, _SHARE_OF_MATCH = 0.5, 0.01
"""How much of the remaining time for a decision, or for the match, is spent on one decision."""
_DURATION = re.compile(r"(\d+\.?\d*|\.\d+)\s*(ms|s)?")


def parse_think(given: str | float) -> float | str:
    """Return the seconds of `0.3`, `0.3s` or `300ms`, or `auto`; else raise InvalidOption."""
    if given == AUTO:
        return AUTO
    found = _DURATION.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is not None:
        given = float(found[1]) / (1000.0 if found[2] == "ms" else 1.0)
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not (is_number and 0.0 < given < math.inf):  # type: ignore[operator]
        raise InvalidOption.of("think", given, "give a time such as 0.3s or 500ms, or auto")
    return float(given)


@dataclass(frozen=True, eq=False)
class Thought:
    """A decision of the agent, and the reasons for it."""

    hand: PublicHand
    """The hand, with the street that was solved, if one was."""
    infoset: HoldemInfoset
    moves: tuple[tuple[ActionData, float], ...]
    """The agent's actions with their probabilities."""
    before: PublicHand
    """The same without thinking."""


class _Followed:
    """A hand as one seat sees it."""

    def __init__(self, hand: PublicHand) -> None:
        self.hand = hand
        self.moves: list[str] = []


class ResolvingAgent:
    """A blueprint that thinks; see the module."""

    def __init__(
        self,
        blueprint: "str | Path | Blueprint | BlueprintTranslation",
        think: float | str = _USUAL_SECONDS,
        *,
        iterations: int | None = None,
        streets: str = AUTO,
        threads: int = 2,
        mode: str = MODES[0],
        belief: float = 0.8,
        mapping: str = PSEUDO_HARMONIC,
    ) -> None:
        """Make an agent that spends `think` seconds on a decision.

        With `iterations` instead, its play depends only on the random numbers, whatever the number
        of threads; a turn gets a quarter of the iterations, a flop half. `streets` says what is
        solved: `river`, `turn` (both), `flop` (all three, the flop with at least 6 seconds), or
        `auto`: also the turn, if there is at least a second for it, but not with `iterations`.
        `mode` is how safe the solution is, and `belief` how much of it trusts the ranges.
        """
        if streets not in STREETS:
            raise UnknownName.among("streets", str(streets), STREETS)
        if mode not in MODES:
            raise UnknownName.among("mode", str(mode), MODES)
        if iterations is not None and not (type(iterations) is int and iterations >= 1):
            raise InvalidOption.of("iterations", iterations, "it must be an integer, at least 1")
        if not (isinstance(belief, int | float) and 0.0 <= belief <= 1.0):
            raise InvalidOption.of("belief", belief, "give a share from 0 to 1")
        from untilt.abstraction.blueprint_translation import BlueprintTranslation

        self.think = parse_think(think)
        if isinstance(blueprint, BlueprintTranslation):
            mapping = blueprint.bets.mapping
            blueprint = blueprint.blueprint
        self._table = BlueprintAgent(blueprint, mapping=mapping)
        seconds = _USUAL_SECONDS if self.think == AUTO else float(self.think)
        self.streets = streets
        self._iterations = iterations
        self.effort = Effort(
            seconds, iterations, threads, mode, belief, first_street=self._first_street(seconds)
        )
        self.thinker = Thinker(self._table.translation, self.effort)
        self._followed: dict[int, _Followed] = {}
        self._is_warm = False
        self.last: Thought | None = None
        """The last decision."""

    @property
    def translation(self) -> "BlueprintTranslation":
        """The blueprint, with its translation of a real hand."""
        return self._table.translation

    def begin(self, seat: int, rules: Rules) -> None:
        """Begin a hand; InvalidOption if the game is not the blueprint's."""
        self._table.begin(seat, rules)
        self.reset()

    def reset(self) -> None:
        """Forget the last hand; the first time, compile what thinking needs."""
        if not self._is_warm:
            self.warm_up()
        self._followed = {}
        self.thinker.forget()
        self.last = None

    def act(self, turn: Turn, rng: Uniforms, clock: Clock | None = None) -> str:
        """Return the action to take, drawn from the mix."""
        left = None if clock is None else self._allowed(clock)
        return self.choose(self._table.infoset(turn), rng, left).name

    def end(self, hand: Hand) -> None:
        """Forget the hand."""
        self._table.end(hand)
        self.thinker.forget()

    def choose(
        self, infoset: HoldemInfoset, rng: Uniforms, seconds: float | None = None
    ) -> ActionData:
        """Return the action to take at an infoset; `seconds` is the most time for it."""
        thought = self.thought(infoset, rng, seconds)
        action = Mix.of(thought.moves).draw(rng)
        assert isinstance(action, ActionData)
        return action

    def thought(
        self, infoset: HoldemInfoset, rng: Uniforms | None, seconds: float | None = None
    ) -> Thought:
        """Return what the agent would do at an infoset, and why."""
        seat = infoset.player
        followed = self._follow(infoset, rng)
        before = followed.hand
        effort = self._effort(infoset.street, seconds)
        hand = before if effort is None else self.thinker.thought(before, seat, effort)
        followed.hand = hand
        self.last = Thought(
            hand, infoset, _row(self.thinker.moves(hand), infoset.hand), replace(before)
        )
        return self.last

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """By seat, [1326] weights at the last decision, which sum to 1.

        Those of the opponent leave out the cards that the agent holds.
        """
        last = self._last()
        ranges = list(last.hand.ranges)
        own = last.infoset.player
        held = np.uint64(sum(1 << card for card in last.infoset.hand))
        left = np.where(COMBO_MASKS & held == 0, ranges[1 - own], 0.0)
        ranges[1 - own] = left / left.sum()
        return ranges[0], ranges[1]

    def explain(self) -> dict[str, Any]:
        """Return the last decision as plain data.

        `mix` and `values` (chips won in the hand, None where nothing was solved) are by action,
        `blueprint` is the mix without thinking; then what was solved, if anything.
        """
        last = self._last()
        hand, solved = last.hand, last.hand.solved
        combo = combo_index(*last.infoset.hand)
        document: dict[str, Any] = {
            "seat": last.infoset.player,
            "hand": last.infoset.private,
            "board": last.infoset.public,
            "line": last.infoset.line,
            "mix": {action.name: share for action, share in last.moves},
            "blueprint": {
                action.name: share
                for action, share in _row(self.thinker.moves(last.before), last.infoset.hand)
            }
            if last.before.solved is None
            else None,
            "values": None,
            "solved": None,
        }
        if solved is not None:
            seat = last.infoset.player
            document["values"] = {
                action.name: float(solved.values(solved.child(hand.node, number), seat)[combo])
                for number, (action, _) in enumerate(self.thinker.moves(hand))
            }
            document["solved"] = {
                "iterations": solved.iterations,
                "seconds": solved.seconds,
                "exploitability": solved.exploitability,
                "share_of_pot": solved.exploitability / solved.pot,
                "is_safe": solved.is_safe,
            }
        return document

    def warm_up(self) -> None:
        """Load and compile everything now: it then costs no time at the table."""
        self._is_warm = True
        first = self.effort.first_street
        if self.think == AUTO and self.streets != "river":
            first = FLOP if self.streets == "flop" else TURN
        thinker = Thinker(self.translation, replace(self.effort, iterations=2, first_street=first))
        hand = thinker.start()
        rules = self.translation.blueprint.rules
        deck = iter(rules.deck)
        while True:
            if hand.betting.street >= first:
                thinker.thought(_with_few_hands(hand), hand.betting.player)
            if hand.betting.street == RIVER:
                return
            while hand.betting.player >= 0:
                thinker.moves(hand)
                hand = thinker.after(hand, hand.betting.passive_actions()[-1], None)
            count = rules.board_cards[hand.betting.street + 1]
            hand = thinker.deal(hand, [next(deck) for _ in range(count)])

    def _allowed(self, clock: Clock) -> float | None:
        """Return how long a decision may take by the clock; None if it sets no limit."""
        limits = []
        if clock.decision_left is not None:
            limits.append(_SHARE_OF_DECISION * clock.decision_left)
        if clock.match_left is not None:
            limits.append(_SHARE_OF_MATCH * clock.match_left)
        return min(limits, default=None)

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

    def _follow(self, infoset: HoldemInfoset, rng: Uniforms | None) -> _Followed:
        """Return the public hand of an infoset: what is new since the last decision is added."""
        seat = infoset.player
        moves = moves_of(infoset.line)
        followed = self._followed.get(seat)
        known = [] if followed is None else followed.moves
        if followed is None or moves[: len(known)] != known:
            followed = self._followed[seat] = _Followed(self.thinker.start())
        for move in moves[len(followed.moves) :]:
            followed.hand = self._after(followed.hand, move, infoset, rng)
            followed.moves.append(move)
        return followed

    def _after(
        self, hand: PublicHand, move: str, infoset: HoldemInfoset, rng: Uniforms | None
    ) -> PublicHand:
        if move == "/":
            counts = self.translation.blueprint.rules.board_cards
            begin = len(hand.board)
            cards = infoset.board[begin : begin + counts[hand.betting.street + 1]]
            return self.thinker.deal(hand, cards)
        action = action_of(hand.betting, move)
        is_own = hand.betting.player == infoset.player
        step = self.thinker.after_quick if is_own else self.thinker.after
        return step(hand, action, rng)

    def _last(self) -> Thought:
        if self.last is None:
            raise InvalidOption("the agent has not acted in this hand yet: call act first")
        return self.last


def agent_with_options(
    translation: "BlueprintTranslation", options: Mapping[str, str]
) -> ResolvingAgent:
    """Return an agent with options as a user types them: think, iterations, threads and so on."""
    given: dict[str, Any] = {}
    for name, kind in (("iterations", int), ("threads", int), ("belief", float)):
        if name in options:
            try:
                given[name] = kind(options[name])
            except ValueError:
                raise InvalidOption.of(name, options[name], "give a number") from None
    given |= {name: options[name] for name in ("mode", "streets") if name in options}
    return ResolvingAgent(translation, options.get("think", _USUAL_SECONDS), **given)


class ResolvingEntrant(Entrant):
    """A resolving agent in a match or engine."""

    def __init__(self, name: str, agent: ResolvingAgent) -> None:
        self.name = name
        self.agent = agent
        self._seconds: float | None = None

    def begin(self, seat: int, rules: Rules) -> None:
        """Forget the last hand."""
        del seat, rules
        self.agent.reset()

    def allow(self, seconds: float | None) -> None:
        """Limit the time for the next decisions."""
        self._seconds = seconds

    def choose(
        self, position: Game, infoset: InfoSet, actions: Sequence[Action], rng: Uniforms
    ) -> Action:
        """Return what the agent does."""
        assert isinstance(infoset, HoldemInfoset)
        return self.agent.choose(infoset, rng, self._seconds)


def _with_few_hands(hand: PublicHand) -> PublicHand:
    """Return the same with narrow ranges, which are solved at once."""
    first, second = (np.where(np.arange(len(each)) % 40 == 0, each, 0.0) for each in hand.ranges)
    root = replace(hand.root, ranges=(first, second))
    return replace(hand, ranges=(first, second), root=root)


def _row(
    moves: Sequence[tuple[ActionData, Floats]], hand: tuple[int, int]
) -> tuple[tuple[ActionData, float], ...]:
    """Return what one hand does, with probabilities that sum to 1."""
    combo = combo_index(*hand)
    weights = [float(shares[combo]) for _, shares in moves]
    total = sum(weights)
    return tuple(
        (action, weight / total if total > 0.0 else 1.0 / len(weights))
        for (action, _), weight in zip(moves, weights, strict=True)
    )
