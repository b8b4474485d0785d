"""A recorded hand, decision by decision, compared with what a strategy would have done.

A strategy is a run: of the same game, of an abstract one (bets are then interpreted as those of its
menu), or a solved spot, which is consulted from the street that has its board, pot and stacks.
"""

import math
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from untilt.abstraction.translated_hand import TranslatedHand, Translator
from untilt.abstraction.translation import PSEUDO_HARMONIC, Translation
from untilt.cards.combos import combo_index
from untilt.display import Cell, html_table, short_number, shortened_text
from untilt.errors import InvalidOption, StrategyError, UntiltError, require
from untilt.formats.blueprint_path import is_blueprint
from untilt.formats.files import path_of, shown
from untilt.formats.phh import HandHistory
from untilt.formats.run_folder import RunFolder
from untilt.game.tree_position import TreePosition
from untilt.games.holdem.game import Holdem, cards_text
from untilt.games.holdem.replay import Replay, Step, replay_hand
from untilt.games.holdem.sizes import STREETS
from untilt.games.holdem.solution import Solution
from untilt.play.abstract_opponent import abstract_root
from untilt.play.hand import Decision, turn_at
from untilt.play.opponent import Opponent
from untilt.play.review import Reviewed
from untilt.play.spot_opponent import SPOT_KIND, SpotOpponent, mix_at

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.play.insight import Insight
    from untilt.play.resolving_agent import ResolvingAgent

_MAX_LISTED = 100_000
"""More actions than this are not listed for a strategy that knows all sizes."""


class Advice(NamedTuple):
    """What a strategy does at a decision, by the names of actions."""

    mix: dict[str, float]
    values: dict[str, float] | None
    """The value of every action, in chips; None if unknown."""
    insight: "Insight | None" = None
    """What an agent knows about the decision."""

    def cost(self, chosen: str) -> float | None:
        """Return what a choice gives away, None if unknown."""
        if self.insight is not None:
            return self.insight.cost
        if self.values is None or chosen not in self.values:
            return None
        return max(max(self.values.values()) - self.values[chosen], 0.0)


class Adviser(Protocol):
    """A strategy that can be asked about the decisions of a hand."""

    @property
    def root(self) -> Holdem | None:
        """The game that it plays; None if it fits any game that reaches its spot."""
        ...

    def advice(self, step: Step, replay: Replay) -> Advice | None:
        """Return what the strategy does at a step of a hand; None if it does not know it."""
        ...


@dataclass(frozen=True)
class ReviewedDecision:
    """A decision of a hand."""

    step: Step
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
        from untilt.play.insight import class_shares

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
            "mix": None if self.advice is None else self.advice.mix,
            "values": None if self.advice is None else self.advice.values,
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
            return seats
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


def review_hand(history: HandHistory, adviser: Adviser | None = None) -> HandReview:
    """Return a hand replayed by our rules, with what the adviser says about each decision.

    Raises GameError if an action is impossible, or if the adviser plays another game.
    """
    replay = replay_hand(history, None if adviser is None else adviser.root)
    decisions = []
    for step in replay.steps:
        private = replay.private(step.player)
        advice = None
        if adviser is not None and private is not None:
            advice = adviser.advice(step, replay)
        decisions.append(ReviewedDecision(step, private, advice))
    return HandReview(history, replay, tuple(decisions))


def load_adviser(folder: str | Path, *, trust: bool = False) -> Adviser:
    """Return the strategy of a run; `trust` allows it to run the code that the run names.

    Raises StrategyError if it is not a strategy for hold'em.
    """
    path = path_of(folder)
    if is_blueprint(path):
        from untilt.play.blueprint_agent import load_blueprint

        translation = load_blueprint(path)
        return AbstractAdviser(translation.root, translation)
    if RunFolder(path).record().kind == SPOT_KIND:
        return SpotAdviser(SpotOpponent.load(path).solution)
    opponent = Opponent.load(path, trust=trust)
    abstract = abstract_root(opponent.root)
    if abstract is not None and isinstance(abstract.base, Holdem):
        return AbstractAdviser(abstract.base, Translation(abstract, opponent.profile))
    root = opponent.root
    real = root.rules if isinstance(root, TreePosition) else root
    if not isinstance(real, Holdem):
        raise StrategyError(
            f"{shown(path)} is a run of {opponent.name}, which is not hold'em: give a run of "
            "holdem, river-of-blood or an abstraction of them, or a solved spot"
        )
    return RunAdviser(real, opponent)


def load_agent_adviser(text: str) -> "AgentAdviser":
    """Return the blueprint of a text such as `bp/ --think 0.5s`, asked what it would do.

    Raises InvalidOption for any other agent.
    """
    from untilt.play.agent_spec import THINKING, parse_agent
    from untilt.play.blueprint_agent import load_blueprint
    from untilt.play.resolving_agent import agent_with_options

    spec = parse_agent(text)
    if not is_blueprint(spec.source):
        raise InvalidOption(
            f"{spec.source} is not a blueprint, so it does not know ranges: give a blueprint, or "
            "the run with --strategy"
        )
    options = spec.take("translation", *THINKING)
    translation = load_blueprint(spec.source, mapping=options.get("translation", PSEUDO_HARMONIC))
    agent = agent_with_options(translation, options)
    thinks = any(name in options for name in THINKING)
    if thinks:
        agent.warm_up()  # what is compiled must not take time from the first decision
    return AgentAdviser(translation.root, agent, thinks=thinks)


class AgentAdviser:
    """A blueprint that may think; bets outside its menu are interpreted as the likeliest one."""

    def __init__(self, root: Holdem, agent: "ResolvingAgent", *, thinks: bool) -> None:
        from untilt.play.insight import Insights

        self.root = root
        self._insights = Insights(agent, thinks=thinks)

    def advice(self, step: Step, replay: Replay) -> Advice:
        """Return what the agent would do with the cards of the player to act."""
        del replay
        infoset = step.position.infoset(step.player)
        found = self._insights.at(infoset, step.action)
        return Advice(dict(found.mix), dict(found.values), found)


@dataclass(frozen=True, eq=False)
class RunAdviser:
    """A run of hold'em itself."""

    root: Holdem
    opponent: Opponent

    def advice(self, step: Step, replay: Replay) -> Advice | None:
        """Return the row of the infoset, None if sampling has not reached it."""
        position = step.position
        infoset = position.infoset(step.player)
        actions = infoset.actions()
        is_known = self.opponent.has_infoset(step.player, str(infoset))
        if len(actions) > _MAX_LISTED or not is_known:
            return None
        turn = turn_at(position, infoset, tuple(actions))
        decision = Decision(**vars(turn), action=str(step.action))
        (found,) = self.opponent.review([decision], step.player)
        return _advice(found)


@dataclass(frozen=True, eq=False)
class AbstractAdviser:
    """A run of an abstract game, or a blueprint; how bets are read is drawn with a fixed seed."""

    root: Holdem
    translation: Translator[Any]

    def advice(self, step: Step, replay: Replay) -> Advice:
        """Return the strategy's mix, as real actions."""
        hand = TranslatedHand(self.translation, random.Random(0))
        mix = hand.probabilities(step.position.infoset(step.player))
        return Advice({str(action): weight for action, weight in mix.items()}, None)


@dataclass(frozen=True, eq=False)
class SpotAdviser:
    """A solved spot: it knows hands that reach its board with its pot and stacks."""

    solution: Solution
    root: None = None

    def advice(self, step: Step, replay: Replay) -> Advice | None:
        """Return what the solution does; None before the spot and off its tree."""
        if not self._is_reached(step, replay):
            return None
        # Player 0 of a spot is out of position: the big blind.
        player = 1 - step.player
        first, second = step.position.infoset(step.player).hand
        line = "/".join(step.position.line.split("/")[self._street :])
        try:
            node = self.solution.at(line, board=cards_text(step.position.board))
        except UntiltError:  # a bet that is not in the tree
            return None
        lanes = np.flatnonzero(node.combos(player) == combo_index(first, second))
        if node.player != player or not len(lanes):
            return None
        lane = int(lanes[0])
        mix = mix_at(node)[:, lane].tolist()
        values = node.action_ev[:, lane].tolist()
        known = dict(zip(node.actions, values, strict=True)) if np.isfinite(values).all() else None
        return Advice(dict(zip(node.actions, mix, strict=True)), known)

    @property
    def _street(self) -> int:
        """The street on which the spot begins; 1 is the flop."""
        return len(self.solution.spot.board) - 2

    def _is_reached(self, step: Step, replay: Replay) -> bool:
        """Whether the hand has come through the spot: same board, pot and effective stack."""
        spot = self.solution.spot
        for first in replay.steps:
            position = first.position
            if position.street == self._street:
                betting = position.betting
                return (
                    step.position.street >= self._street
                    and set(position.board) == set(spot.board)
                    and (betting.pot, min(betting.stacks)) == (spot.pot, spot.stack)
                )
        return False


def _advice(found: Reviewed) -> Advice:
    names = found.decision.actions
    mix = dict(zip(names, found.probabilities, strict=True))
    values = {
        name: value for name, value in zip(names, found.values, strict=True) if value is not None
    }
    return Advice(mix, values if len(values) == len(names) else None)
