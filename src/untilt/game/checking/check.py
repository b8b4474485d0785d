"""`check(game)`: whether a game obeys the protocol, and what it looks like.

Compiling visits every history. It finds actions that vary within an infoset, imperfect recall,
chance probabilities that do not sum to 1, payoffs that are not finite, and shared labels.
Random plays test the rest: every position is queried twice, and again after all its moves
were made; equal infosets must have equal hashes and equal labels; the outcomes that `sample` draws
must have the frequencies that `chances` gives.
"""

import itertools
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from untilt.errors import GameError, GameTooLarge, UntiltError, shortened
from untilt.game.compiled import CompiledGame, OffersSequenceForm, compile_histories
from untilt.game.faults import EQUALITY_REMEDY, errors_of_game, game_raised
from untilt.game.histories.tree import (
    CHANCE,
    DEFAULT_MAX_NODES,
    TERMINAL,
    GameTree,
    OnWalked,
)
from untilt.game.histories.walking import described_history, possible_moves, replayed_moves
from untilt.game.names.labels import knowledge_of
from untilt.game.names.names import check_labels
from untilt.game.protocol import (
    Action,
    Game,
    InfoSet,
    chances_of,
    num_players_of,
    sample_chance,
)
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.sequence.sequence_form import SequenceForm

_PLAYS = 200
_PLAY_SECONDS = 5.0
_MAX_MOVES_PLAYED = 1_000
_MAX_MOVES_TRIED = 16
_MAX_LABELS_COMPARED = 400
_SAMPLED_CHANCE_NODES = 4
_DRAWS = 20_000
_COST_OF_FORGETTING = (
    "full-width methods, lp, qre, best responses and exploitability are not available for it; "
    "sampling methods are, and `untilt evaluate` measures their strategies in the full game"
)
_MAX_DEVIATION = 6.0
"""Standard deviations beyond which drawn frequencies contradict the chances: one in 10⁹."""


@dataclass(frozen=True)
class Shape:
    """The size and payoffs of a game; tuples are per player."""

    infosets: tuple[int, ...]
    """Without forced moves."""
    action_variables: tuple[int, ...]
    sequences: tuple[int, ...]
    forced_moves: int
    """Infosets with a single action."""
    terminals: int
    is_zero_sum: bool
    has_perfect_recall: bool
    nodes: int | None
    """Histories, without forced moves. This and the fields below are known only after a walk."""
    chance_nodes: int | None
    depth: int | None
    """Moves of the longest history, without forced ones."""
    payoffs: tuple[tuple[float, float], ...] | None
    """Lowest and highest payoff of each player, in chips."""
    largest_payoff_sum: float | None
    """The distance from zero-sum: the largest |sum of all payoffs| at an end, in chips."""


@dataclass(frozen=True)
class GameReport:
    """The findings of `check`."""

    shape: Shape | None
    """None if the game could not be compiled."""
    positions: int
    """The number of positions that random plays tested."""
    problems: tuple[str, ...]
    """One line per broken rule, with the infoset or history."""
    notes: tuple[str, ...]
    """Properties that are allowed, but limit the use of the game."""

    @property
    def is_sound(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data, as `untilt games --check --json` prints it."""
        shape = {} if self.shape is None else asdict(self.shape)
        for name in ("infosets", "action_variables"):
            if name in shape:
                # As in all our JSON, the plain name counts all players.
                shape[f"{name}_by_player"] = shape[name]
                shape[name] = sum(shape[name])
        return {
            "is_sound": self.is_sound,
            "problems": list(self.problems),
            "notes": list(self.notes),
            "positions_tried": self.positions,
            **shape,
        }


def check(
    game: Game, *, max_nodes: int = DEFAULT_MAX_NODES, watcher: OnWalked | None = None
) -> GameReport:
    """Return the shape of `game`, and every rule of the protocol that it was found to break.

    A game that can check itself more closely offers `checked()`, the same game with those checks.
    `watcher` is called with the number of histories walked.
    """
    if callable(checked := getattr(game, "checked", None)):
        game = checked()
    probe = _Probe(game)
    probe.run()
    problems = list(probe.problems.values())
    notes: list[str] = []
    shape: Shape | None = None
    try:
        shape = _compile(game, max_nodes, watcher, problems, notes)
    except GameTooLarge as error:
        if not problems:  # a game that never ends is not reported as too large
            (notes if probe.is_sampled_only else problems).append(str(error))
    except UntiltError as error:
        problems.append(str(error))
    if probe.raised is not None and not problems:
        problems.append(probe.raised)
    return GameReport(shape, probe.num_positions, tuple(problems), tuple(notes))


def _compile(
    game: Game,
    max_nodes: int,
    watcher: OnWalked | None,
    problems: list[str],
    notes: list[str],
) -> Shape:
    """Return the shape of the game; add what is wrong with it to `problems`."""
    direct = _direct_form(game)
    try:
        compiled = compile_histories(game, max_nodes=max_nodes, watcher=watcher)
    except GameTooLarge:
        if direct is None:
            raise
        notes.append(
            "it has too many histories to walk; its sequence_form() was not checked against them"
        )
        return _shape_of_form(direct)
    if compiled.recall_error is not None:
        if getattr(game, "is_abstract", False):  # it forgets on purpose
            notes.append(f"{compiled.recall_error}: {_COST_OF_FORGETTING}")
        else:
            problems.append(compiled.recall_error)
    tree = compiled.require(GameTree)
    for player, names in enumerate(compiled.infosets):
        if not len(names) and compiled.num_players > 2:
            notes.append(f"player {player} never has a choice")
    if not compiled.is_zero_sum:
        notes.append(_distance_from_zero_sum(game, tree))
    if direct is not None and compiled.has(SequenceForm):
        difference = _difference(direct, compiled.exact_form())
        if difference is not None:
            problems.append(f"sequence_form() and the histories differ: {difference}")
    return _shape_of_tree(compiled, tree)


def _distance_from_zero_sum(game: Game, tree: GameTree) -> str:
    """Return where the payoffs of a general-sum game are farthest from zero-sum, and how far."""
    sums = tree.payoffs.sum(axis=1)
    node = int(np.abs(sums).argmax())
    largest = float(np.abs(tree.payoffs).max())
    share = abs(float(sums[node])) / largest if largest > 0.0 else 0.0
    how_far = f"{share:.3g} of the largest payoff, {largest:g}"
    if share == 0.0:
        how_far = "less than a float can show, but not zero"
    return (
        f"not zero-sum: the payoffs sum to {sums[node]:g} at "
        f"{_history_of_node(game, tree, node)} ({how_far})"
        + ("; `untilt qre` and the method gambit-lcp can solve it" * (tree.num_players == 2))
    )


def _direct_form(game: Game) -> SequenceForm | None:
    if not isinstance(game, OffersSequenceForm):
        return None
    with errors_of_game(lambda: "sequence_form()"):
        form = game.sequence_form()
    if form is not None:
        check_labels(form.infosets)
    return form


def _shape_of_form(form: SequenceForm) -> Shape:
    return Shape(
        infosets=tuple(map(len, form.infosets)),
        action_variables=tuple(names.num_sequences - 1 for names in form.infosets),
        sequences=tuple(names.num_sequences for names in form.infosets),
        forced_moves=0,
        terminals=form.num_terminals,
        is_zero_sum=form.is_zero_sum,
        has_perfect_recall=True,
        nodes=None,
        chance_nodes=None,
        depth=None,
        payoffs=None,
        largest_payoff_sum=None,
    )


def _shape_of_tree(compiled: CompiledGame, tree: GameTree) -> Shape:
    ends = tree.payoffs[tree.player == TERMINAL]
    lowest, highest = ends.min(axis=0).tolist(), ends.max(axis=0).tolist()
    return Shape(
        infosets=tuple(map(len, compiled.infosets)),
        action_variables=tuple(names.num_sequences - 1 for names in compiled.infosets),
        sequences=tuple(names.num_sequences for names in compiled.infosets),
        forced_moves=len(compiled.forced),
        terminals=compiled.num_terminals,
        is_zero_sum=compiled.is_zero_sum,
        has_perfect_recall=compiled.has(PlanForm),
        nodes=len(tree.parent),
        chance_nodes=int((tree.player == CHANCE).sum()),
        depth=_depth(tree),
        payoffs=tuple(zip(lowest, highest, strict=True)),
        largest_payoff_sum=float(np.abs(ends.sum(axis=1)).max()),
    )


def _depth(tree: GameTree) -> int:
    """Return the number of moves to the deepest terminal, climbing from all terminals at once."""
    climbing = np.arange(len(tree.player), dtype=np.int32)[tree.player == TERMINAL]
    steps = -1
    while len(climbing):
        above = tree.parent[climbing]
        climbing = above[above >= 0]
        steps += 1
    return steps


def _difference(direct: SequenceForm, walked: SequenceForm) -> str | None:
    """Return how two sequence forms of one game differ, None if only in the order of infosets."""
    number_of_sequence = []
    for player in (0, 1):
        ours, theirs = direct.infosets[player], walked.infosets[player]
        actions = dict(ours.items())
        expected = dict(theirs.items())
        for label in itertools.chain(expected, actions):
            if actions.get(label) != expected.get(label):
                return (
                    f"infoset {label!r} has the actions {actions.get(label)} in the one and "
                    f"{expected.get(label)} in the other"
                )
        numbers = np.zeros(ours.num_sequences, dtype=np.int64)
        for index, label in enumerate(ours.labels):
            block = theirs.block(theirs.index(label))
            numbers[ours.block(index)] = np.arange(block.start, block.stop)
        number_of_sequence.append(numbers)
        order = [theirs.index(label) for label in ours.labels]
        parents = numbers[direct.sides[player].parent_sequence]
        wrong = np.flatnonzero(parents != walked.sides[player].parent_sequence[order])
        if len(wrong):
            return f"infoset {ours.labels[int(wrong[0])]!r} follows a different move of its player"
    if direct.num_terminals != walked.num_terminals:
        return f"{direct.num_terminals:,} and {walked.num_terminals:,} terminals"
    for player in (0, 1):
        ours_side, theirs_side = direct.sides[player], walked.sides[player]
        count = walked.sides[1 - player].num_sequences
        own = np.repeat(number_of_sequence[player], np.diff(ours_side.row_start))
        pair = own * count + number_of_sequence[1 - player][ours_side.opponent_sequence]
        own = np.repeat(np.arange(theirs_side.num_sequences), np.diff(theirs_side.row_start))
        expected_pair = own * count + theirs_side.opponent_sequence
        by_pair, by_expected = np.argsort(pair), np.argsort(expected_pair)
        if not np.array_equal(pair[by_pair], expected_pair[by_expected]):
            return "different pairs of sequences meet at a terminal"
        for name in ("weight", "payoff"):
            found, wanted = getattr(ours_side, name), getattr(theirs_side, name)
            if not np.allclose(found[by_pair], wanted[by_expected], rtol=1e-9, atol=1e-12):
                return f"player {player}'s {name}s differ"
    return None


def _history_of_node(root: Game, tree: GameTree, node: int) -> str:
    """Return the moves that lead to a node of the tree, replayed from the root."""
    path = [node]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    ordinals = [
        child - int(tree.first_child[parent])
        for parent, child in itertools.pairwise(reversed(path))
    ]
    return described_history(list(replayed_moves(root, ordinals)))


_Answers = dict[str, object]


class _Probe:
    """Random plays through a game, and the first problem of each kind that they meet."""

    def __init__(self, root: Game) -> None:
        self.root = root
        self.problems: dict[str, str] = {}
        self.raised: str | None = None
        """The first exception of the game; if compiling meets it too, that report is better."""
        self.is_sampled_only = False
        self.num_positions = 0
        self._rng = random.Random(0)
        self._infoset_of_label: dict[str, InfoSet] = {}
        self._sampled: set[tuple[object, ...]] = set()
        self._moves: list[str] = []

    def run(self) -> None:
        deadline = time.monotonic() + _PLAY_SECONDS
        for _ in range(_PLAYS):
            self._guarded(self._play)
            if self.raised is not None or time.monotonic() > deadline:
                break
        self._guarded(self._compare_infosets)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (Exception, SystemExit) as error:  # whatever a user's game may raise
            self.raised = self.raised or str(game_raised(error, described_history(self._moves)))

    def _play(self) -> None:
        position = self.root
        self._moves = []
        visited: list[tuple[Game, _Answers, int]] = []
        while len(self._moves) <= _MAX_MOVES_PLAYED and "same" not in self.problems:
            self.num_positions += 1
            answers = self._ask(position)
            visited.append((position, answers, len(self._moves)))
            if answers["terminal"]:
                break
            moves = self._moves_to_try(position, answers)
            self._try_moves(position, answers, moves)
            if answers["chance"]:
                self._sample(position, answers["chances"])
            move = self._rng.choice(moves)
            self._moves.append(str(move))
            position = position.apply(move)
        played = list(self._moves)
        for earlier, answers, length in visited:
            self._compare("mutable", answers, _answers_of(earlier), played[:length], _AFTER_PLAY)

    def _report(self, kind: str, message: str) -> None:
        self.problems.setdefault(kind, message)

    def _ask(self, position: Game) -> _Answers:
        """Return the position's answers, after querying it twice."""
        answers = _answers_of(position)
        self._compare("fickle", answers, _answers_of(position), self._moves, _ASKED_TWICE)
        if not answers["terminal"] and not answers["chance"]:
            self._ask_infoset(position)
        return answers

    def _compare(
        self, kind: str, before: _Answers, now: _Answers, moves: Sequence[str], reason: str
    ) -> None:
        for name in [*before, *(name for name in now if name not in before)]:
            if before.get(name) != now.get(name):
                self._report(
                    kind,
                    f"`{name}` is {shortened(before.get(name))} and then "
                    f"{shortened(now.get(name))} at {described_history(moves)}: {reason}",
                )
                return

    def _ask_infoset(self, position: Game) -> None:
        infoset, again = (position.infoset(position.active) for _ in range(2))
        label, where = str(infoset), described_history(self._moves)
        if infoset != again:
            self._report(
                "unequal",
                f"infoset {label!r}, queried twice at {where}, is not equal to itself: "
                f"{EQUALITY_REMEDY}",
            )
            return
        first = self._infoset_of_label.setdefault(label, infoset)
        if infoset == first and not hash(infoset) == hash(again) == hash(first):
            self._report(
                "hash",
                f"infoset {label!r} at {where} has two hashes: equal infosets must have "
                "equal hashes",
            )
        actions = list(infoset.actions())
        if len(set(actions)) < len(actions):
            self._report(
                "duplicate",
                f"infoset {label!r} offers an action twice at {where}: {shortened(actions)}",
            )

    def _compare_infosets(self) -> None:
        """Look for infosets of different labels that are equal."""
        known = list(self._infoset_of_label.items())[:_MAX_LABELS_COMPARED]
        for (label, infoset), (other_label, other) in itertools.combinations(known, 2):
            if infoset == other:
                self._report(
                    "labels",
                    f"the infosets {label!r} and {other_label!r} are equal: equal infosets must "
                    "have the same label, so make == compare what str(infoset) shows",
                )
                return

    def _moves_to_try(self, position: Game, answers: _Answers) -> list[Action]:
        if answers["chance"] and answers["chances"] is None:
            self.is_sampled_only = True
            return [position.sample(self._rng)]
        moves = list(possible_moves(position))
        if not moves:
            raise GameError("no move is possible; a position without moves must be terminal")
        if len(moves) > _MAX_MOVES_TRIED:
            return self._rng.sample(moves, _MAX_MOVES_TRIED)
        return moves

    def _try_moves(self, position: Game, answers: _Answers, moves: Sequence[Action]) -> None:
        for move in moves:
            after = position.apply(move)
            # Checked at once: if `apply` changed the position, the next move may not be legal.
            self._compare("mutable", answers, _answers_of(position), self._moves, _AFTER_APPLY)
            if after is position:
                self._report(
                    "same",
                    f"`apply({str(move)!r})` returns the position it was called on at "
                    f"{described_history(self._moves)}; it must return a new one, one move further",
                )
            again = _answers_of(position.apply(move))
            where = [*self._moves, str(move)]
            self._compare("apply", _answers_of(after), again, where, _APPLIED_TWICE)

    def _sample(self, position: Game, chances: object) -> None:
        """Compare `sample` with `chances` at the first few chance nodes that differ."""
        if not isinstance(chances, tuple) or len(self._sampled) >= _SAMPLED_CHANCE_NODES:
            return
        if chances in self._sampled:
            return
        self._sampled.add(chances)
        where = described_history(self._moves)
        if getattr(type(position), "sample", None) is Game.sample:
            self._sample_exactly(position, where)
        else:
            self._sample_often(position, chances, where)

    def _sample_exactly(self, position: Game, where: str) -> None:
        """Compare the inherited `sample` with a walk along `chances`, draw by draw."""
        for seed in range(100):
            drawn = position.sample(_Uniforms(seed))
            expected = sample_chance(position, _Uniforms(seed))
            if drawn != expected:
                self._report(
                    "sample", f"`sample` draws {drawn!r} instead of {expected!r} at {where}"
                )
                return

    def _sample_often(
        self, position: Game, chances: Sequence[tuple[Action, float]], where: str
    ) -> None:
        """Compare the frequencies of the game's own `sample` with `chances`."""
        uniforms = _Uniforms(0)
        drawn = Counter(position.sample(uniforms) for _ in range(_DRAWS))
        probability_of: dict[Action, float] = {}
        for outcome, probability in chances:
            probability_of[outcome] = probability_of.get(outcome, 0.0) + probability
        for outcome in drawn:
            if not probability_of.get(outcome, 0.0) > 0.0:
                self._report(
                    "sample",
                    f"`sample` draws {str(outcome)!r} at {where}, which `chances` does not list",
                )
                return
        if uniforms.num_drawn != _DRAWS:
            self._report(
                "uniforms",
                f"`sample` drew {uniforms.num_drawn / _DRAWS:g} random numbers per outcome at "
                f"{where}; it must draw exactly one, to make runs reproducible",
            )
        if deviation_of(drawn, probability_of) > _MAX_DEVIATION:
            gaps = {key: abs(drawn[key] / _DRAWS - p) for key, p in probability_of.items()}
            worst = max(gaps, key=lambda key: gaps[key])
            self._report(
                "sample",
                f"`sample` draws {str(worst)!r} at {where} in {drawn[worst] / _DRAWS:.1%} of "
                f"{_DRAWS:,} draws; `chances` says {probability_of[worst]:.1%}",
            )


_ASKED_TWICE = "a position must give the same answer every time"
_APPLIED_TWICE = "`apply` must give the same position for the same move"
_AFTER_APPLY = "`apply` changed the position it was called on; it must return a new one"
_AFTER_PLAY = "a later `apply` changed this position; positions must share nothing that changes"


class _Uniforms:
    """Counted random numbers, with only the methods that the protocol promises."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.num_drawn = 0

    def random(self) -> float:
        """Return the next number in [0, 1)."""
        self.num_drawn += 1
        return self._rng.random()


def deviation_of(counts: Mapping[Any, int], probability_of: Mapping[Any, float]) -> float:
    """Return how far counts are from their expectation, in standard deviations of a χ² test.

    Outcomes expected less than five times are pooled. The cube root makes the statistic
    approximately normal (Wilson & Hilferty 1931).
    """
    total = sum(counts.values())
    statistic, cells = 0.0, 0
    rare_count, rare_expected = 0.0, 0.0
    for outcome, probability in probability_of.items():
        expected = total * probability
        if expected < 5.0:
            rare_count += counts.get(outcome, 0)
            rare_expected += expected
        else:
            statistic += (counts.get(outcome, 0) - expected) ** 2 / expected
            cells += 1
    if rare_expected > 0.0:
        statistic += (rare_count - rare_expected) ** 2 / max(rare_expected, 1.0)
        cells += 1
    freedom = cells - 1
    if freedom < 1:
        return 0.0
    spread = 2.0 / (9.0 * freedom)
    return (math.cbrt(statistic / freedom) - (1.0 - spread)) / math.sqrt(spread)


def _answers_of(position: Game) -> _Answers:
    """Return all answers of a position by name, in a form that can be compared."""
    if position.terminal:
        # As text, because nan is never equal to itself.
        players = range(num_players_of(position))
        payoffs = {f"payoff({player})": repr(position.payoff(player)) for player in players}
        return {"terminal": True, **payoffs}
    if position.chance:
        try:
            chances = tuple((outcome, float(p)) for outcome, p in chances_of(position))
        except NotImplementedError:
            return {"terminal": False, "chance": True, "chances": None}
        return {"terminal": False, "chance": True, "chances": chances}
    player = position.active
    infoset = position.infoset(player)
    return {
        "terminal": False,
        "chance": False,
        "active": player,
        "str(infoset)": str(infoset),
        "actions()": tuple(infoset.actions()),
        **{f"infoset.{name}": text for name, text in knowledge_of(infoset)._asdict().items()},
    }
