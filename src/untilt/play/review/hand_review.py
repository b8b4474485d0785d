"""A recorded hand, decision by decision, compared with what a strategy would have done.

A strategy is whatever plays. Bets are interpreted as those of the menu of an abstract game. A
solved spot is consulted from the street that has its board, pot and stacks.
"""

import math
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from untilt.abstraction.bet_translation import PSEUDO_HARMONIC
from untilt.abstraction.translated_hand import Translator
from untilt.abstraction.translation import Translation
from untilt.cards.combos import combo_index
from untilt.display import Cell, html_table, short_number, shortened_text
from untilt.errors import Argument, InvalidOption, StrategyError, UntiltError, require
from untilt.formats.base.files import path_of, shown
from untilt.formats.exchange.phh import HandHistory
from untilt.formats.kinds.blueprint_path import is_blueprint
from untilt.formats.run.run_folder import SavedRun
from untilt.game.histories.tree_position import TreePosition
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Game
from untilt.games.holdem.bets.sizes import STREETS
from untilt.games.holdem.game import Holdem, cards_text
from untilt.games.holdem.replay import Replay, ReplayStep, replay_hand, root_of
from untilt.games.holdem.solutions.solution import Solution
from untilt.hands.hand import RecordedHand
from untilt.hands.histories import read_history
from untilt.number import Integer
from untilt.policy.hands.advice import Advice
from untilt.policy.load import THINKING, AnyAgent, holds_spot, parse_agent
from untilt.policy.policy import Policy
from untilt.policy.saved.given_agents import given_agents, verify_trust
from untilt.policy.saved.saved_run import (
    Solved,
    abstract_root,
    read_saved_run,
    root_of_run,
    run_in_memory,
)
from untilt.policy.spot import advice_at, read_spot
from untilt.policy.tabular import TabularPolicy
from untilt.policy.translated import TranslatedPolicy

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.policy.thinking.insight import Insight

_MAX_LISTED = 100_000
"""More actions than this are not listed for a strategy that knows all sizes."""


class Consulted(NamedTuple):
    """The policy that reviews a hand, and its settings."""

    root: Holdem | None
    """The game that it plays; None if it fits any game."""
    advice: "Callable[[ReplayStep, Replay], Advice | None]"
    """Returns what it says about a step of a hand; None if it does not know it."""


@dataclass(frozen=True)
class ReviewedDecision:
    """A decision of a hand."""

    step: ReplayStep
    private: str | None
    """The player's cards; None if unknown."""
    advice: Advice | None

    @property
    def cost(self) -> float | None:
        """What the choice gave away in chips; None if unknown."""
        return None if self.advice is None else self.advice.cost(str(self.step.action))

    def to_json(self, *, ranges: bool = False) -> dict[str, Any]:
        """Return the decision as plain data; with `ranges`, also the ranges that an agent knows."""
        return self._plain() | ({} if self._insight is None else self._known(self._insight, ranges))

    @property
    def _insight(self) -> "Insight | None":
        return None if self.advice is None else self.advice.insight

    @staticmethod
    def _known(insight: "Insight", ranges: bool) -> dict[str, Any]:
        from untilt.policy.thinking.insight import class_shares

        known = insight.to_json()
        found = {name: known[name] for name in ("error", "basis", "blueprint", "solved")}
        if ranges:
            found["ranges"] = [class_shares(each) for each in insight.ranges]
        return found

    def _plain(self) -> dict[str, Any]:
        position = self.step.position
        return {
            "seat": self.step.player,
            "hand": self.private,
            "line": position.line,
            "board": cards_text(position.board),
            "pot": position.betting.total_pot,
            "mix": None if self.advice is None else dict(self.advice.mix),
            "values": None if self.advice is None else self.advice.complete_values,
            "chosen": str(self.step.action),
            "cost": self.cost,
            "comment": self.step.comment,
        }


@dataclass(frozen=True, repr=False)
class HandReview:
    """A hand and its review."""

    history: HandHistory
    replay: Replay
    decisions: tuple[ReviewedDecision, ...]

    @property
    def names(self) -> tuple[str, str]:
        """What the players are called, the small blind first: by name if the history has names."""
        seats, written = Holdem.terms.seats, self.history.players
        if len(written) != 2 or not all(written):
            return seats[0], seats[1]
        return f"{written[1]} ({seats[0]})", f"{written[0]} ({seats[1]})"

    @property
    def costs(self) -> tuple[float, float]:
        """What each player gave away in chips, the small blind first, where it is known."""
        first, second = (
            sum(each.cost or 0.0 for each in self.decisions if each.step.player == player)
            for player in (0, 1)
        )
        return float(first), float(second)

    @property
    def result_words(self) -> str:
        """How the hand ended."""
        gains = self.replay.gains
        if gains is None:
            is_over = self.replay.end.terminal
            return "the result is not known" if is_over else "the history stops here"
        if gains[0] == gains[1] == 0.0:
            return "the pot is split"
        winner = 0 if gains[0] > 0.0 else 1
        return f"{self.names[winner]} wins {gains[winner]:,.0f}"

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per decision: who, where, what, and what it cost.

        `probability` is how often the strategy or agent chooses the same.
        """
        pandas = require("pandas", "to_frame")
        frame: DataFrame = pandas.DataFrame([self._row(each) for each in self.decisions])
        return frame

    def _row(self, decision: ReviewedDecision) -> dict[str, Any]:
        plain, mix = decision.to_json(), None if decision.advice is None else decision.advice.mix
        chosen = plain["chosen"]
        return {
            "player": self.names[decision.step.player],
            "hand": plain["hand"],
            "street": street_name(decision.step.position.street),
            "board": plain["board"],
            "line": plain["line"],
            "pot": plain["pot"],
            "action": chosen,
            "probability": math.nan if mix is None else mix.get(chosen, 0.0),
            "cost": math.nan if decision.cost is None else decision.cost,
        }

    def __repr__(self) -> str:
        hands = " v ".join(self.replay.private(player) or "unknown" for player in (0, 1))
        board = cards_text(self.replay.end.board)
        count = f"{len(self.decisions)} decision{'s' if len(self.decisions) != 1 else ''}"
        known = sum(each.cost is not None for each in self.decisions)
        costs = "cost {:.4g} and {:.4g}, ".format(*self.costs) if known else ""
        return (
            f"<HandReview of {hands}{f' on {board}' if board else ''}: "
            f"{count}, {costs}{shortened_text(self.result_words)}>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        rows: list[list[Cell]] = [
            [
                row["player"],
                row["street"],
                row["board"] or "–",
                row["pot"],
                row["action"],
                short_number(row["probability"], 3),
                short_number(row["cost"]),
            ]
            for row in map(self._row, self.decisions)
        ]
        header = ("player", "street", "board", "pot", "action", "probability", "cost")
        return html_table(str(self.replay.root.rules), rows, header=header, note=self.result_words)

    def to_json(self, *, ranges: bool = False) -> dict[str, Any]:
        """Return the review as plain data; lists are by seat, the small blind first.

        With `ranges`, decisions have both players' classes of hands with their probabilities, if an
        agent knows them.
        """
        replay = self.replay
        end, rules = replay.end, replay.root.rules
        gains = replay.gains
        return {
            "decisions": [each.to_json(ranges=ranges) for each in self.decisions],
            "result": {
                "is_over": end.terminal,
                "gains": None if gains is None else list(gains),
                "stacks": None
                if gains is None
                else [round(s + g) for s, g in zip(rules.stacks, gains, strict=True)],
                "hands": [replay.private(0), replay.private(1)],
                "board": cards_text(end.board),
                "line": end.line,
            },
        }


def street_name(number: int) -> str:
    """Return the name of a street; games that run on have more than one river."""
    last = len(STREETS) - 1
    return STREETS[number] if number <= last else f"street {number - last + 1} of the river"


def review(
    hand: str | os.PathLike[str] | HandHistory | RecordedHand,
    strategy: "AnyAgent | None" = None,
    *,
    agent: str | None = None,
    number: int = 1,
    trust: bool = False,
) -> HandReview:
    """Return a recorded hand of hold'em, decision by decision.

    `hand` is a file of PokerStars, GGPoker, in the PHH format or of an ACPC dealer (`number`
    selects one of several hands), or what `untilt.hands.read` yields. Each decision is shown beside
    what `strategy` does there and what the choice cost, as far as that is known. A strategy is
    given as an agent of `untilt.match`: a run or its folder, of the same game or of an abstraction
    of it, a blueprint, a policy, text such as `"bp/ --think 0.5s"`, or a solved spot that the hand
    reaches.
    `agent` compares with a blueprint instead, which may think: `"bp/ --think 0.5s"`. `trust` allows
    running the Python code that a run names.

    >>> import random, untilt
    >>> root = untilt.games.holdem()
    >>> hand = untilt.play.record_hand(root, [root.sample(random.Random(1)), "fold"])
    >>> untilt.review(hand)
    <HandReview of Qh4d v 9h3h: 1 decision, big blind wins 1>
    """
    verify_trust(trust)
    chosen = _given_hand(hand, number)
    if not (agent is None or isinstance(agent, str)):
        raise InvalidOption.of("agent", agent, "give a blueprint, such as 'bp/ --think 0.5s'")
    if strategy is not None and agent is not None:
        raise InvalidOption(
            Argument("strategy"), " and ", Argument("agent"), " are given; choose one of them"
        )
    consulted: Consulted | None = None
    if strategy is not None:
        consulted = consult(strategy, chosen, trust=trust)
    elif agent is not None:
        consulted = consult_agent(agent)
    return review_hand(chosen, consulted)


def _given_hand(
    hand: str | os.PathLike[str] | HandHistory | RecordedHand, number: int
) -> HandHistory:
    """Return the hand that was given, or hand `number` of the file."""
    if not isinstance(hand, HandHistory | RecordedHand):
        return read_history(path_of(hand), number)
    if not Integer(1, 1).accepts(number):
        raise InvalidOption.of("number", number, "there is one hand, counted from 1")
    return hand if isinstance(hand, HandHistory) else hand.to_history()


def review_hand(history: HandHistory, consulted: Consulted | None = None) -> HandReview:
    """Return a hand replayed by our rules, with what a policy says about each decision.

    Raises GameError if an action is impossible, or if the policy plays another game.
    """
    replay = replay_hand(history, None if consulted is None else consulted.root)
    decisions = []
    for step in replay.steps:
        private = replay.private(step.player)
        advice = None
        if consulted is not None and private is not None:
            advice = consulted.advice(step, replay)
        decisions.append(ReviewedDecision(step, private, advice))
    return HandReview(history, replay, tuple(decisions))


def consult(given: AnyAgent, history: HandHistory, *, trust: bool = False) -> Consulted:
    """Return whatever plays, to be asked about the decisions of a hand.

    It is given as for `untilt.match`; agents that play any game play that of the hand.
    """
    if isinstance(given, Solution):
        return consult_spot(given)
    if isinstance(given, Policy):
        return consult_policy(given)
    source: object = given
    if not isinstance(given, str | os.PathLike) and hasattr(given, "path"):
        source = given.path
        if source is None and isinstance(given, Solved):
            saved = run_in_memory(given)
            return _consult_saved(saved, root_of_run(saved, trust=trust), "the strategy")
    if isinstance(source, str | os.PathLike):
        spec = parse_agent(os.fspath(source))
        if is_blueprint(spec.text) or Path(spec.text).is_dir():
            return consult_run(spec.text, trust=trust)
        if is_blueprint(spec.source):
            return consult_agent(spec.text)
    _, [policy] = given_agents([given], root_of(history), None, trust=trust)
    return _consult_table(policy) if isinstance(policy, TabularPolicy) else consult_policy(policy)


def _consult_table(policy: TabularPolicy, root: Holdem | None = None) -> Consulted:
    """Return a strategy by labels; it does not know infosets that it lacks."""

    def knows(asked: Choice) -> bool:
        return len(asked.actions) <= _MAX_LISTED and str(asked.infoset) in policy.by_label

    return consult_policy(policy, root, knows)


def consult_run(folder: str | Path, *, trust: bool = False) -> Consulted:
    """Return the strategy of a run; `trust` allows it to run the code that the run names.

    Raises StrategyError if it is not a strategy for hold'em.
    """
    path = path_of(folder)
    if is_blueprint(path):
        from untilt.policy.blueprint import load_blueprint

        translation = load_blueprint(path)
        return consult_strategy(translation.root, translation)
    if holds_spot(path):
        return consult_spot(read_spot(path))
    saved = read_saved_run(path)
    return _consult_saved(saved, root_of_run(saved, trust=trust), shown(path))


def _consult_saved(saved: SavedRun, root: Game, name: str) -> Consulted:
    """Return the strategy of a run of hold'em, or of an abstraction of it."""
    abstract = abstract_root(root)
    if abstract is not None and isinstance(abstract.base, Holdem):
        return consult_strategy(abstract.base, Translation(abstract, saved.profile))
    real = root.rules if isinstance(root, TreePosition) else root
    if not isinstance(real, Holdem):
        raise StrategyError(
            f"{name} is a run of {saved.asked.game}, which is not hold'em: give a run of "
            "holdem, river-of-blood or an abstraction of them, or a solved spot"
        )
    return _consult_table(TabularPolicy.of(saved), real)


def consult_agent(text: str) -> Consulted:
    """Return the blueprint of a text such as `bp/ --think 0.5s`, asked what it would do.

    Raises InvalidOption for any other agent.
    """
    from untilt.policy.blueprint import BlueprintPolicy, load_blueprint
    from untilt.policy.resolving import policy_with_options

    spec = parse_agent(text)
    if not is_blueprint(spec.source):
        raise InvalidOption(
            f"{spec.source} is not a blueprint, so it does not know ranges: give a blueprint, or "
            "the run with --strategy"
        )
    options = spec.take("translation", *THINKING)
    translation = load_blueprint(spec.source, mapping=options.get("translation", PSEUDO_HARMONIC))
    if not any(name in options for name in THINKING):
        return consult_policy(BlueprintPolicy(translation, name=spec.source), translation.root)
    policy = policy_with_options(translation, options, spec.text)
    policy.warm_up()  # what is compiled must not take time from the first decision
    return consult_policy(policy, translation.root)


def consult_policy(
    policy: Policy, root: Holdem | None = None, knows: Callable[[Choice], bool] = lambda _: True
) -> Consulted:
    """Return a policy that is asked about decisions; None of those that it does not know."""
    state = None

    def advice(step: ReplayStep, replay: Replay) -> Advice | None:
        nonlocal state
        del replay
        asked = _choice(step)
        if not knows(asked):
            return None
        found, state = policy.advice(state, asked, step.action)
        return found

    return Consulted(root, advice)


def consult_strategy(root: Holdem, translation: Translator[Any]) -> Consulted:
    """Return a run of an abstract game, or a blueprint's mixes; readings have a fixed seed."""
    policy = TranslatedPolicy("the strategy", translation)

    def advice(step: ReplayStep, replay: Replay) -> Advice | None:
        del replay
        return policy.advice(None, _choice(step), step.action, random.Random(0))[0]

    return Consulted(root, advice)


def consult_spot(solution: Solution) -> Consulted:
    """Return a solved spot: it knows hands that reach its board with its pot and stacks."""
    street = len(solution.spot.board) - 2

    def advice(step: ReplayStep, replay: Replay) -> Advice | None:
        if not _is_reached(solution, street, step, replay):
            return None
        # Player 0 of a spot is out of position: the big blind.
        player = 1 - step.player
        first, second = step.position.infoset(step.player).hand
        line = "/".join(step.position.line.split("/")[street:])
        try:
            node = solution.at(line, board=cards_text(step.position.board))
        except UntiltError:  # a bet that is not in the tree
            return None
        lanes = np.flatnonzero(node.combos(player) == combo_index(first, second))
        if node.player != player or not len(lanes):
            return None
        return advice_at(node, int(lanes[0]))

    return Consulted(None, advice)


def _is_reached(solution: Solution, street: int, step: ReplayStep, replay: Replay) -> bool:
    """Return whether the hand has come through a spot: same board, pot and effective stack."""
    spot = solution.spot
    for first in replay.steps:
        position = first.position
        if position.street == street:
            betting = position.betting
            return (
                step.position.street >= street
                and set(position.board) == set(spot.board)
                and (betting.pot, min(betting.stacks)) == (spot.pot, spot.stack)
            )
    return False


def _choice(step: ReplayStep) -> Choice:
    infoset = step.position.infoset(step.player)
    return Choice(step.position, infoset, infoset.actions())
