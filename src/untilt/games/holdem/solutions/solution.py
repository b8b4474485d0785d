"""The solution of a spot, queried node by node, in cards and chips.

    node = solution.at("check", "bet 120")
    node.frequencies, node.ev, node.equity, node.table()
    solution.at("check, check", board="Td9d6hQc")
    solution.at("check, check").deal("Qc")                    # the same

Everything is computed in NumPy from stored tables: pages and bots need no compiler.

Values are from the node onwards: what a hand takes out of the middle on average, less what it
still puts in. Folding is worth 0, and without rake both players' values sum to the pot of the node.
Means over a range weigh each hand by how often it is dealt against a hand of the opponent's.
"""

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from untilt.cards.card import cards_name, parse_cards
from untilt.cards.combos import NUM_COMBOS, Combos, class_means, combo_name
from untilt.cards.ranges.range import Range
from untilt.display import Cell, html_table, short_number
from untilt.durations import shown_duration
from untilt.errors import (
    Argument,
    CardError,
    FormatError,
    InvalidOption,
    UnknownName,
    UntiltError,
    shortened,
)
from untilt.game.actions import ActionData
from untilt.game.line import parse_line
from untilt.game.public.public_snapshot import NodeView, PublicSnapshot
from untilt.game.public.public_tree import CHANCE, DECISION, FOLD, NO_PARENT, RUNOUT, SHOWDOWN
from untilt.game.public.quantal_snapshot import QuantalSnapshot, Residual
from untilt.games.holdem.bets.sizes import SEATS, Sizes
from untilt.games.holdem.solutions.ghost import RESPONSES, GhostLine, ghost_line
from untilt.games.holdem.solutions.hand_table import HandTable
from untilt.games.holdem.solutions.mean_residual import MeanResidual
from untilt.games.holdem.spots.locks import LockedCombos, locked_combos
from untilt.games.holdem.spots.noise import Noise
from untilt.games.holdem.spots.spot import Spot
from untilt.games.holdem.spots.spot_view import ConcreteBoard, SpotPlace, SpotView, view_spot
from untilt.games.holdem.spots.stored_tree import is_tree_of
from untilt.number import LARGEST_NUMBER, finite, from_plain, plain
from untilt.numeric.arrays import Bools, Floats
from untilt.result import Run

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.figures.picture import Picture
    from untilt.charts.figures.run_curves import RunCurve
    from untilt.formats.run.progress_table import ProgressTable

LEAST_EQUITY = 1e-6
"""With less, rounding decides how much of it is realized."""
KIND_NAMES = {
    DECISION: "decision",
    FOLD: "fold",
    SHOWDOWN: "showdown",
    RUNOUT: "all-in",
    CHANCE: "deal",
}
"""Kinds of nodes in words: `all-in` is run out without betting, `deal` waits for a card."""


@dataclass(frozen=True)
class SolvingFacts:
    """The origin and accuracy of a solution."""

    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    iterations: int = 0
    seconds: float = 0.0
    """Wall time in iterations and stopping tests."""
    compile_seconds: float = 0.0
    total_seconds: float = 0.0
    values: tuple[float, ...] = (math.nan, math.nan)
    """The value of each player, in chips out of the spot's pot."""
    gains: tuple[float, ...] = (math.nan, math.nan)
    """The gain of a best response for each player, in chips."""
    nodes: int = 0
    memory_bytes: int = 0
    path: Path | None = None
    """The run folder; None if it was not saved."""
    target: float | None = None
    """The requested exploitability, in chips."""
    betas: tuple[float, float] | None = None
    """By quantal response: each player's β per chip."""
    residual: Residual | None = None
    """By quantal response: how far the strategies are from their responses."""
    residual_targets: tuple[float | None, float | None] = (None, None)
    """The requested residuals, mean and largest."""
    is_finished: bool = True
    warning: str | None = None
    """Notes for the user."""
    progress: "ProgressTable | None" = field(default=None, compare=False, repr=False)
    """The convergence; None if it was not recorded, as by `resolve`."""

    @property
    def exploitability(self) -> float:
        """The mean of both gains, in chips. With rake it does not bound the other's loss."""
        return (self.gains[0] + self.gains[1]) / 2.0


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Run["Solution"]):
    """A solved spot."""

    view: SpotView
    snapshot: PublicSnapshot
    """With run-outs on all streets but the last, for equities."""
    facts: SolvingFacts = SolvingFacts()
    is_merged: bool = True
    """Whether interchangeable boards are stored once."""

    @classmethod
    def from_stored(
        cls, meta: Mapping[str, Any], snapshot: PublicSnapshot, **facts: Any
    ) -> "Solution":
        """Return the solution with the description and the tables of a file, see `to_meta`.

        `facts` are what the file does not know: the folder, or how long it took. Raises FormatError
        if the description does not fit the tables.
        """
        try:
            spot = Spot.from_dict(_stored(meta, "spot", dict))
            most = _ROUNDED * (spot.pot + 2 * spot.stack)
            known = SolvingFacts(
                method=_stored(meta, "method", str),
                options={
                    name: from_plain(value)
                    for name, value in _stored(meta, "options", dict).items()
                },
                iterations=_count(meta, "iterations"),
                values=_pair(meta, "values", -most, most),
                gains=_pair(meta, "gains", 0.0, most),
                nodes=_count(meta, "nodes"),
                memory_bytes=_count(meta, "memory_bytes"),
                betas=_pair(meta, "betas", 0.0, LARGEST_NUMBER) if "betas" in meta else None,
                residual=(
                    Residual(*_pair(meta, "residual", 0.0, LARGEST_NUMBER))
                    if "residual" in meta
                    else None
                ),
            )
            _verify_noise(known, snapshot)
            is_merged = _stored(meta, "is_merged", bool)
        except (ValueError, UntiltError) as error:
            raise FormatError(f"the solution does not say what it solves: {error}") from None
        if meta.get("fingerprint") == spot.fingerprint():
            view = view_spot(spot, is_merged=is_merged)
            if is_tree_of(view, snapshot.tree):
                return cls(view, snapshot, replace(known, **facts), is_merged)
        raise FormatError("the solution and its spot do not fit together")

    def to_meta(self) -> dict[str, Any]:
        """Return the description that a file stores beside the tables, as JSON."""
        facts = self.facts
        return {
            "fingerprint": self.spot.fingerprint(),
            "spot": self.spot.to_dict(),
            "is_merged": self.is_merged,
            "method": facts.method,
            "options": plain({k: v for k, v in facts.options.items() if k != "threads"}),
            "iterations": facts.iterations,
            "values": list(facts.values),
            "gains": list(facts.gains),
            "nodes": facts.nodes,
            "memory_bytes": facts.memory_bytes,
            **({} if facts.betas is None else {"betas": list(facts.betas)}),
            **({} if facts.residual is None else {"residual": list(facts.residual)}),
        }

    def __repr__(self) -> str:
        facts, spot = self.facts, self.spot
        first, second = (spot.amount_text(value, ".6g") for value in self.ev)
        return (
            f"<Solution of {spot.board_text}, pot {spot.amount_text(spot.pot)}: EV {first} v "
            f"{second}, exploitability {self.exploitability_percent:.3g} % of the pot, "
            f"{facts.iterations:,} iterations, {shown_duration(facts.seconds)}>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        facts = self.facts
        rows: list[list[Cell]] = [
            ["pot and stack, chips", f"{short_number(self.spot.pot)} and {self.spot.stack:g}"],
            ["EV, chips", f"{self.ev[0]:.6g} v {self.ev[1]:.6g}"],
            ["exploitability, % of the pot", short_number(self.exploitability_percent, 3)],
            ["iterations", facts.iterations],
            ["time", shown_duration(facts.seconds)],
        ]
        rows += [[action, f"{share:.1%}"] for action, share in self.root.frequencies.items()]
        note = ".root.plot() draws the strategy, .to_frame() has every hand"
        return html_table(f"Spot {self.spot.board_text}, {facts.method}", rows, note=note)

    def to_frame(self, player: int | None = None) -> "DataFrame":
        """Return the hands at the first decision as a pandas frame; see `Node.to_frame`."""
        return self.root.to_frame(player)

    @property
    def curve(self) -> "RunCurve":
        """The convergence with what a figure says about it; InvalidOption if there is none."""
        from untilt.charts.figures.run_curves import RunCurve

        if self.progress is None:
            raise InvalidOption(f"{self!r} has no convergence: it was made without recording it")
        facts = self.facts
        return RunCurve(
            f"Spot {self.spot.board_text}",
            facts.method,
            facts.options,
            facts.path,
            "chips",
            facts.target,
            self.progress,
        )

    @property
    def result(self) -> "Solution":
        """The solution itself."""
        return self

    @property
    def spot(self) -> Spot:
        """The spot that was solved."""
        return self.view.spot

    @property
    def path(self) -> Path | None:
        """Its run folder; None if it was not saved."""
        return self.facts.path

    @property
    def iterations(self) -> int:
        """Iterations done."""
        return self.facts.iterations

    @property
    def seconds(self) -> float:
        """Wall time in iterations and stopping tests."""
        return self.facts.seconds

    @property
    def is_finished(self) -> bool:
        """Whether it reached its stopping point; False if it was interrupted."""
        return self.facts.is_finished

    @property
    def warning(self) -> str | None:
        """Notes for the user."""
        return self.facts.warning

    @property
    def progress(self) -> "ProgressTable | None":
        """The convergence, exploitability in chips; None if it was not recorded."""
        return self.facts.progress

    @property
    def ev(self) -> tuple[float, ...]:
        """The value of each player in chips; their sum is the pot less rake."""
        return self.facts.values

    @property
    def exploitability(self) -> float:
        """The mean of what best responses gain, in chips."""
        return self.facts.exploitability

    @property
    def noise(self) -> Noise | None:
        """The noise of both players; None for a Nash equilibrium or best response."""
        text = self.facts.options.get("noise")
        return None if text is None else Noise.parse(text)

    @property
    def residual(self) -> MeanResidual | None:
        """How far the strategies are from quantal response: a number, averaged over the range, with
        the `largest`; None for other solutions."""
        return None if self.facts.residual is None else MeanResidual.of(self.facts.residual)

    @property
    def exploitability_percent(self) -> float:
        """The exploitability as a percentage of the spot's pot."""
        return 100.0 * self.exploitability / self.spot.pot

    @property
    def missed_target(self) -> bool:
        """Whether a requested exploitability, or residual, was not reached."""
        if self.facts.residual is not None:
            pairs = zip(self.facts.residual, self.facts.residual_targets, strict=True)
            return any(bound is not None and not found <= bound for found, bound in pairs)
        return self.facts.target is not None and not self.exploitability <= self.facts.target

    @property
    def root(self) -> "SolutionNode":
        """The first decision."""
        return self.node((), 0, 0)

    def at(self, *moves: str, board: str | None = None) -> "SolutionNode":
        """Return the node after these moves, `at("check", "bet 120")`, `at("cb120c/c", board=…)`.

        `board` is the whole board of a later street, or only the cards that were dealt; boards
        that differ by a renaming of suits are found too. A line that ends a street leads to its
        deal if no board is given. Raises InvalidOption or CardError if there is no such node.
        """
        for move in moves:
            if not isinstance(move, str):
                raise InvalidOption.of("moves", move, "give text, such as 'check' or 'bet 120'")
        line = parse_line(self.spot.in_chips(", ".join(moves)))
        street, node = self.view.betting.find(line, self.spot.in_unit)
        dealt = self.dealt_cards(board)
        if len(dealt) == street:
            return self.node(dealt, street, node)
        forest = self.view.betting.streets
        if len(dealt) == street - 1 and forest[street].parent[node] == NO_PARENT:
            return self.node(dealt, street - 1, int(forest[street - 1].nodes_of(CHANCE)[node]))
        wanted = len(self.spot.board) + street
        raise InvalidOption(
            f"the line {line.words!r} leads to the {forest[street].name}: give a board of "
            f"{wanted} cards that begins with {self.spot.board_text}"
        )

    def boards(self, street: int) -> Iterator[tuple[str, float]]:
        """Yield the boards of a street counted from the spot's own, and their probabilities.

        Boards that differ by a renaming of suits are given once, with their joint probability
        before hands are known.
        """
        kept = self.view.boards.streets[street]
        weights: Floats = np.ones(1)
        for number in range(1, street + 1):
            edges = self.view.boards.streets[number]
            weights = np.bincount(
                edges.edge_child, weights[edges.edge_parent], minlength=edges.num_boards
            ).astype(np.float64)
        for board, share in enumerate((weights / weights.sum()).tolist()):
            yield cards_name(self.spot.board + kept.cards[board], ""), share

    def nodes(self, street: int | None = None) -> Iterator["SolutionNode"]:
        """Yield all decisions on all boards that are kept, street by street."""
        for number, forest in enumerate(self.view.betting.streets):
            if street is None or number == street:
                for dealt in self.view.boards.streets[number].cards:
                    for node in forest.nodes_of(DECISION).tolist():
                        yield self.node(dealt, number, node)

    def to_json(self, *, per_hand: bool = False) -> dict[str, Any]:
        """Return the solution as the object that `untilt spot --json` prints."""
        facts, root = self.facts, self.root
        document: dict[str, Any] = {
            "board": self.spot.board_text,
            "pot": self.spot.pot,
            "stack": self.spot.stack,
            **({} if self.spot.bb is None else {"bb": self.spot.bb}),
            "method": facts.method,
            "options": plain(facts.options),
            "ev": list(self.ev),
            "gains": list(facts.gains),
            "exploitability": self.exploitability,
            "exploitability_percent": self.exploitability_percent,
            "is_zero_sum": self.spot.is_zero_sum,
            "iterations": facts.iterations,
            "seconds": facts.seconds,
            "compile_seconds": facts.compile_seconds,
            "total_seconds": facts.total_seconds,
            "nodes": facts.nodes,
            "memory_bytes": facts.memory_bytes,
            **self._noise_json(),
            "hands": [len(combos) for combos in self.view.combos],
            "frequencies": root.frequencies,
            "equity": [side.mean_equity for side in root.sides],
            "run": None if facts.path is None else str(facts.path),
        }
        if per_hand:
            document["per_hand"] = {
                seat: root.table(player).to_dict() for player, seat in enumerate(SEATS)
            }
        return document

    def _noise_json(self) -> dict[str, Any]:
        """Return what quantal response adds to the object; nothing for other solutions."""
        noise, residual = self.noise, self.residual
        if noise is None or residual is None:
            return {}
        betas = noise.betas(self.spot.pot)
        return {
            "noise": noise.text,
            "noise_shares": list(noise.shares(self.spot.pot)),
            "beta": max(betas),
            "betas": list(betas),
            "residual": residual.mean,
            "largest_residual": residual.largest,
        }

    @cached_property
    def locked(self) -> dict[tuple[int, int], list[LockedCombos]]:
        """The combos whose play was given, not solved, by street and node."""
        return locked_combos(self.view)

    def with_facts(self, **changes: Any) -> "Solution":
        """Return the solution with other facts."""
        return replace(self, facts=replace(self.facts, **changes))

    def dealt_cards(self, board: str | None) -> tuple[int, ...]:
        """Return the cards dealt after the spot's own, of a whole board or of these alone."""
        if board is None:
            return ()
        cards = tuple(parse_cards(board))
        own = self.spot.board
        if len(cards) >= len(own) and set(cards[: len(own)]) == set(own):
            return cards[len(own) :]
        if set(cards) & set(own):
            raise CardError(
                f"the board {board!r} does not begin with {self.spot.board_text}: give the whole "
                "board, or only the cards dealt later"
            )
        return cards

    def lane_combos(self, street: int, board: int, player: int) -> Combos:
        """Return the combo of every lane of a player on a board that is kept."""
        boards = self.snapshot.tree.boards[street][player]
        return self.view.combos[player][boards.hand[boards.lanes(board)]]

    def node(self, dealt: tuple[int, ...], street: int, node: int) -> "SolutionNode":
        """Return a node of a street of the betting, after these cards were dealt."""
        return SolutionNode(self, dealt, self.view.board_of(dealt), self.view.place(street, node))


@dataclass(frozen=True, eq=False, repr=False)
class NodeSide:
    """One player's range at a node, hand by hand."""

    combos: Combos
    """[hands]"""
    weights: Floats
    """[hands]: the weight in the range times the player's own probability of getting here, 0–1."""
    met: Floats
    """[hands]: the sum of the opponent's weights over hands that can be dealt with this one."""
    ev: Floats
    """[hands], in chips; nan for a hand that meets no other."""
    equity: Floats
    """[hands], 0–1: the share of the pot if there were no more betting."""
    pot: float

    @property
    def hands(self) -> list[str]:
        """The names of the hands, such as `AsKh`."""
        return [combo_name(combo) for combo in self.combos.tolist()]

    @property
    def eqr(self) -> Floats:
        """[hands]: equity realization, the value divided by what equity alone would be worth.

        nan where that is almost nothing.
        """
        is_some = self.equity >= LEAST_EQUITY
        realized: Floats = self.ev / np.where(is_some, self.equity * self.pot, np.nan)
        return realized

    @property
    def mass(self) -> Floats:
        """[hands]: the weights in means over the range; they need not sum to 1."""
        return self.weights * self.met

    @property
    def mean_ev(self) -> float:
        """The value of the whole range."""
        return self.mean(self.ev)

    @property
    def mean_equity(self) -> float:
        """The equity of the whole range."""
        return self.mean(self.equity)

    @property
    def mean_eqr(self) -> float:
        """The equity realization of the whole range; nan if it has almost no equity."""
        return realized_share(self.mean_ev, self.mean_equity, self.pot)

    @property
    def num_combos(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    def mean(self, values: Floats) -> float:
        """Return the mean of numbers by hand; nan if the range is empty."""
        mass = self.mass
        total = float(mass.sum())
        return float(mass @ np.where(mass > 0.0, values, 0.0)) / total if total > 0.0 else math.nan

    def range(self) -> Range:
        """Return the range, with the probabilities of getting here as weights."""
        weights = np.zeros(NUM_COMBOS)
        weights[self.combos] = np.minimum(self.weights, 1.0)
        return Range(weights)

    def class_weights(self) -> Floats:
        """Return [169] the mean weight of the combos of each class that the board leaves."""
        return class_means(self.combos, self.weights, np.ones(len(self.combos)))

    def by_class(self, values: Floats) -> Floats:
        """Return [169] the mean of numbers by hand over each class; nan for classes not here."""
        return class_means(self.combos, values, self.mass)


@dataclass(frozen=True, eq=False, repr=False)
class SolutionNode:
    """A node of a solution on one board; `ev`, `hands` and so on are the acting player's."""

    solution: Solution
    dealt: tuple[int, ...]
    """Cards after the spot's own."""
    concrete: ConcreteBoard
    place: SpotPlace

    def __repr__(self) -> str:
        mix = ", ".join(f"{name} {share:.1%}" for name, share in self.frequencies.items())
        return f"<Node {self.line or 'root'!r} on {self.board}: {mix or self.kind}>"

    @property
    def kind(self) -> str:
        """`decision`, `deal`, `fold`, `showdown` or `all-in`."""
        return KIND_NAMES[self.place.kind]

    @property
    def board(self) -> str:
        """The board as text, such as `Td9d6hQc`."""
        return cards_name(self.solution.spot.board + self.dealt, "")

    @property
    def street(self) -> str:
        """flop, turn or river."""
        return self.place.street_name

    @property
    def player(self) -> int:
        """The player to act: 0 out of position, 1 in position, −1 at a leaf or deal."""
        return self.place.player

    @property
    def line(self) -> str:
        """The moves so far in words, such as `check, bet 120`."""
        return self.place.line.words

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions, such as `bet 120`."""
        return self.place.action_names

    @property
    def action_data(self) -> tuple[ActionData, ...]:
        """The actions with their kinds and amounts."""
        return self.place.actions

    @property
    def pot(self) -> int:
        """All chips in the middle, with the bets of the street."""
        return self.place.pot

    @property
    def bets(self) -> tuple[int, int]:
        """Each player's bet on the street."""
        return self.place.bets

    @property
    def stacks(self) -> tuple[int, int]:
        """Each player's stack."""
        return self.place.stacks

    @cached_property
    def numbers(self) -> NodeView:
        """The numbers by lane, as the snapshot has them."""
        return self.solution.snapshot.view(self._path())

    @cached_property
    def sides(self) -> tuple[NodeSide, NodeSide]:
        """Both players' ranges here: out of position, in position."""
        return self._side(0), self._side(1)

    @property
    def own(self) -> NodeSide:
        """The range of the player who acts; of player 0 at a leaf or deal."""
        return self.sides[max(self.player, 0)]

    @property
    def opponent(self) -> NodeSide:
        """The range of the other player."""
        return self.sides[1 - max(self.player, 0)]

    @property
    def hands(self) -> list[str]:
        """The names of the hands of the player who acts, in the order of the arrays."""
        return self.own.hands

    @property
    def weights(self) -> Floats:
        """[hands]: the range of the player who acts, as it gets here."""
        return self.own.weights

    @property
    def ev(self) -> Floats:
        """[hands]: what each hand of the player who acts is worth, in chips."""
        return self.own.ev

    @property
    def equity(self) -> Floats:
        """[hands]: the equity of each hand of the player who acts."""
        return self.own.equity

    @property
    def eqr(self) -> Floats:
        """[hands]: the equity realization of each hand of the player who acts."""
        return self.own.eqr

    @property
    def strategy(self) -> Floats:
        """[actions, hands]: how often each hand takes each action."""
        return self.numbers.strategy

    @property
    def action_ev(self) -> Floats:
        """[actions, hands]: what each action is worth, in chips."""
        return self.numbers.action_values + self._invested(max(self.player, 0))

    @property
    def is_locked(self) -> Bools:
        """[hands]: whether a lock fixes what each hand of the player who acts does."""
        street, board = self.place.street, self.concrete.board
        is_locked = np.zeros(len(self.own.combos), np.bool_)
        locks = self.solution.locked.get((street, self.place.node), ())
        kept = self.solution.lane_combos(street, board, max(self.player, 0)) if locks else ()
        for lock in locks:
            if lock.boards is None or board in lock.boards:
                is_locked |= lock.is_locked[kept]
        return is_locked

    @property
    def frequencies(self) -> dict[str, float]:
        """The share of the range that takes each action; empty at a leaf or deal."""
        if self.player < 0:
            return {}
        own = self.own
        return {name: own.mean(row) for name, row in zip(self.actions, self.strategy, strict=True)}

    @property
    def range_advantage(self) -> float:
        """The equity of player 0's range minus that of player 1's, −1 to 1."""
        return self.sides[0].mean_equity - self.sides[1].mean_equity

    @property
    def reach(self) -> float:
        """The probability of this node, given the board and that it can be dealt."""
        return math.exp(self.log_reach)

    @property
    def log_reach(self) -> float:
        """The natural logarithm of `reach`; with quantal response it may be below −700."""
        snapshot = self.solution.snapshot
        street, board = self.place.street, self.concrete.board
        first, second = (
            weights[boards.hand[boards.lanes(board)]]
            for weights, boards in zip(
                snapshot.tree.weights, snapshot.tree.boards[street], strict=True
            )
        )
        total = float(first @ snapshot.met(street, board, 0, second))
        mass = float(self.sides[0].mass.sum())
        if total <= 0.0 or mass <= 0.0:
            return -math.inf
        return math.log(mass / total) + sum(self.numbers.log_scale)

    @cached_property
    def ghost(self) -> GhostLine | None:
        """What to say about a decision that a Nash equilibrium almost never reaches, else None."""
        facts = self.solution.facts
        is_nash = facts.betas is None and facts.method not in RESPONSES
        if not is_nash or self.kind != KIND_NAMES[DECISION]:
            return None
        return ghost_line(self.reach, facts.path)

    @property
    def children(self) -> dict[str, "SolutionNode"]:
        """The nodes after each action, by its name."""
        return {name: self.child(name) for name in self.actions}

    def child(self, action: str) -> "SolutionNode":
        """Return the node after an action: a leaf, a deal or the next decision."""
        if action not in self.actions:
            raise UnknownName.among("action", action, self.actions)
        street = self.place.street
        forest = self.solution.view.betting.streets[street]
        child = int(forest.first_child[self.place.node]) + self.actions.index(action)
        return self.solution.node(self.dealt, street, child)

    def deal(self, cards: str) -> "SolutionNode":
        """Return the first decision of the next street after a card is dealt here."""
        if self.place.kind != CHANCE:
            raise InvalidOption(f"nothing is dealt after {self.line!r}: the betting is not over")
        new = tuple(parse_cards(cards))
        if len(new) != 1:
            raise CardError(f"{cards!r} are {len(new)} cards: give one")
        street = self.place.street
        forest = self.solution.view.betting.streets[street]
        root = int(np.searchsorted(forest.nodes_of(CHANCE), self.place.node))
        return self.solution.node(self.dealt + new, street + 1, root)

    def parent(self) -> "SolutionNode | None":
        """Return the previous node: the decision, or the deal, that led here; None at the root."""
        street, node = self.place.street, self.place.node
        streets = self.solution.view.betting.streets
        above = int(streets[street].parent[node])
        if above != NO_PARENT:
            return self.solution.node(self.dealt, street, above)
        if street == 0:
            return None
        leaf = int(streets[street - 1].nodes_of(CHANCE)[node])
        return self.solution.node(self.dealt[:-1], street - 1, leaf)

    def table(self, player: int | None = None) -> HandTable:
        """Return the hands of a player (by default the one who acts) as a table."""
        if player not in (None, 0, 1):
            raise InvalidOption.of("player", player, "give 0 or 1")
        seat = max(self.player, 0) if player is None else player
        side = self.sides[seat]
        is_acting = seat == self.player
        return HandTable(
            combos=side.combos,
            weight=side.weights,
            equity=side.equity,
            ev=side.ev,
            eqr=side.eqr,
            actions=self.actions if is_acting else (),
            mix=self.strategy if is_acting else np.zeros((0, len(side.combos))),
            action_ev=self.action_ev if is_acting else np.zeros((0, len(side.combos))),
            is_locked=self.is_locked if is_acting else np.zeros(len(side.combos), np.bool_),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the node with both players' hands as the object of `untilt show --json`."""
        return {
            "board": self.board,
            "line": self.line,
            "kind": self.kind,
            "street": self.street,
            "player": None if self.player < 0 else SEATS[self.player],
            "pot": self.pot,
            "bets": list(self.bets),
            "stacks": list(self.stacks),
            "actions": list(self.actions),
            "reach": self.reach,
            "ghost": self.ghost and self.ghost.to_json(),
            "frequencies": {name: finite(share) for name, share in self.frequencies.items()},
            "locked_hands": int(self.is_locked.sum()),
            "range_advantage": finite(self.range_advantage),
            "ranges": {
                seat: {
                    "combos": side.num_combos,
                    "ev": finite(side.mean_ev),
                    "equity": finite(side.mean_equity),
                    "eqr": finite(side.mean_eqr),
                    "hands": self.table(number).to_dict(),
                }
                for number, (seat, side) in enumerate(zip(SEATS, self.sides, strict=True))
            },
        }

    def to_frame(self, player: int | None = None) -> "DataFrame":
        """Return a pandas frame with a row per hand of a player, by default the one who acts.

        Its columns are weight, equity, ev and eqr, and for the player who acts how often each
        action is taken and what it is worth.
        """
        return self.table(player).to_frame()

    def plot(self, path: "str | os.PathLike[str] | None" = None) -> "Picture":
        """Return the acting player's 13 × 13 grid; `path` also saves it as .svg, .png or .pdf."""
        from untilt.games.holdem.solutions.node_figure import plot_node

        return plot_node(self, path)

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: both ranges, and the actions taken."""
        rows: list[list[Cell]] = [
            [
                seat,
                short_number(side.num_combos, 5),
                f"{side.mean_equity:.1%}",
                short_number(side.mean_ev, 5),
                f"{side.mean_eqr:.1%}",
            ]
            for seat, side in zip(SEATS, self.sides, strict=True)
        ]
        mix = ", ".join(f"{name} {share:.1%}" for name, share in self.frequencies.items())
        title = f"{self.board}, {self.line or 'first decision'}"
        header = ("", "combos", "equity", "EV, chips", "EQR")
        return html_table(title, rows, header=header, note=mix or self.kind)

    def spot(self, sizes: Sizes | None = None, **changes: Any) -> Spot:
        """Return the spot that begins here: with the ranges, pot and stacks of this node.

        Other `sizes`, or any argument of `Spot`, replace those of the solution. The node must be
        the start of a street.
        """
        if self.kind == "deal":
            raise InvalidOption(
                f"a card is dealt after {self.line!r}: give the whole ", Argument("board")
            )
        if any(self.bets) or self.kind != "decision" or self._forest_parent() != NO_PARENT:
            raise InvalidOption(
                f"{self.line!r} is inside a street: only the start of a street can be a new spot"
            )
        spot = self.solution.spot
        first, second = (side.range() for side in self.sides)
        arguments: dict[str, Any] = {
            "board": spot.board + self.dealt,
            "ranges": (first, second),
            "pot": self.pot,
            "stack": min(self.stacks),
            "rake_cap": spot.rake_cap,
            "locks": (),
            **({} if sizes is None else {"sizes": sizes}),
            **changes,
        }
        return spot.replaced(**arguments)

    def _forest_parent(self) -> int:
        return int(self.solution.view.betting.streets[self.place.street].parent[self.place.node])

    def _path(self) -> list[tuple[int, int]]:
        """Return board and node of each street on the way, as `PublicSnapshot.view` takes it."""
        solution = self.solution
        street, board, node = self.place.street, self.concrete.board, self.place.node
        path = [(board, node)]
        while street:
            root = solution.view.betting.streets[street].moves_to(node)[0]
            street -= 1
            node = int(solution.view.betting.streets[street].nodes_of(CHANCE)[root])
            deals = solution.snapshot.tree.deals[street]
            board = int(deals.parent[int(np.searchsorted(deals.child, board))])
            path.append((board, node))
        return path[::-1]

    def combos(self, player: int) -> Combos:
        """Return the combos of a player's hands on this board, in the order of the arrays."""
        kept = self.solution.lane_combos(self.place.street, self.concrete.board, player)
        return self.concrete.combos(kept)

    def _side(self, player: int) -> NodeSide:
        numbers = self.numbers
        snapshot = self.solution.snapshot
        street, board = self.place.street, self.concrete.board
        met = numbers.met[player]
        balance = snapshot.balance(street, board, player, numbers.reach[1 - player])
        with np.errstate(divide="ignore", invalid="ignore"):
            equity = 0.5 + 0.5 * balance / np.where(met > _LEAST_MET, met, np.nan)
        return NodeSide(
            combos=self.combos(player),
            weights=numbers.reach[player],
            met=np.where(met > _LEAST_MET, met, 0.0),
            ev=numbers.values[player] + self._invested(player),
            equity=np.clip(equity, 0.0, 1.0),
            pot=self.pot,
        )

    def _invested(self, player: int) -> int:
        """Return the chips that a player has put in since the spot began."""
        return self.solution.spot.stack - self.stacks[player]


def realized_share(ev: float, equity: float, pot: float) -> float:
    """Return the equity realization of a range; nan if it has almost no equity."""
    return ev / (equity * pot) if equity >= LEAST_EQUITY else math.nan


_ROUNDED = 1.001
"""Room for rounding errors in bounds."""


def _verify_noise(facts: SolvingFacts, snapshot: PublicSnapshot) -> None:
    """Raise ValueError unless there is noise where the tables are those of quantal response."""
    text = facts.options.get("noise")
    is_whole = text is not None and facts.betas is not None and facts.residual is not None
    if is_whole != isinstance(snapshot, QuantalSnapshot) or (text is None) == is_whole:
        raise ValueError("its noise and its tables differ")
    if text is not None:
        Noise.parse(text)


T = TypeVar("T")


def _stored(meta: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return a file's entry of this name; raise ValueError unless it is of that type."""
    found = meta.get(name)
    if type(found) is not kind:
        raise ValueError(f"its {name} is {shortened(found)}")
    return found


def _count(meta: Mapping[str, Any], name: str) -> int:
    found = _stored(meta, name, int)
    if not 0 <= found < 1 << 63:
        raise ValueError(f"its {name} is {shortened(found)}")
    return found


def _pair(meta: Mapping[str, Any], name: str, low: float, high: float) -> tuple[float, float]:
    """Return the numbers of both players; raise ValueError unless they are within bounds."""
    found = meta.get(name)
    if isinstance(found, list) and len(found) == 2 and {*map(type, found)} <= {int, float}:
        first, second = found
        if low <= first <= high and low <= second <= high:
            return float(first), float(second)
    raise ValueError(f"its {name} are {shortened(found)}")


_LEAST_MET = 1e-9
"""A smaller weight of opposing hands is a rounding error."""
