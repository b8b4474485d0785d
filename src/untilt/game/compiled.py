"""`compile(game)`: turn the rules that a user writes into the arrays that solvers sweep."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from untilt.errors import Argument, GameError, GameTooLarge, ImperfectRecall, NotZeroSum, shortened
from untilt.game.faults import errors_of_game
from untilt.game.histories.tree import DEFAULT_MAX_NODES, GameTree, OnWalked, walk
from untilt.game.names.infosets import Infosets
from untilt.game.names.names import Names, check_labels
from untilt.game.protocol import Game
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.sequence.sequence_form import SequenceForm, build_sequence_form
from untilt.game.sequence.terminal_form import TerminalForm, build_terminal_form


@runtime_checkable
class OffersSequenceForm(Protocol):
    """A game that can build its sequence form without being walked, if it has many histories."""

    def sequence_form(self) -> SequenceForm | None:
        """Return the form, with the labels that a walk would find; None if it is to be walked."""
        ...


Form = SequenceForm | TerminalForm | GameTree
"""A game in arrays; see each class for its purpose."""

AnyForm = TypeVar("AnyForm", SequenceForm, TerminalForm, GameTree, PlanForm)


@dataclass(frozen=True)
class Missing:
    """The reason that a game has no form of some kind."""

    error: type[GameError]
    """The exception to raise where the form is needed."""
    reason: str
    advice: str


def imperfect_recall(reason: str) -> Missing:
    """Return why a game with imperfect recall, as `reason` says, has no sequence form."""
    return Missing(
        ImperfectRecall,
        reason,
        "exact solvers and best responses need perfect recall: use a sampling solver, or make "
        "str(infoset) and == depend on all that the player has seen",
    )


def only_for_two_players(num_players: int) -> Missing:
    """Return why a game with more than two players has no sequence form."""
    return Missing(
        GameError,
        f"this needs a game of two players, and the game has {num_players}",
        "the CFR family and `untilt qre` solve games of any number of players",
    )


ONLY_FOR_MORE_PLAYERS = Missing(
    GameError,
    "a game of two players has no terminal form",
    "use its sequence form: plan_form() returns whichever a game has",
)
"""The reason that a game of two players has no terminal form."""

NOT_WALKED = Missing(
    GameError,
    "this game has only its sequence form, not its histories",
    "if there are not too many, compile it with compile_histories",
)
"""The reason that a game with its own sequence form has no tree."""

ONLY_SAMPLED = Missing(
    GameTooLarge,
    "the game was sampled, not compiled: only the infosets that were met are known",
    "nothing exact can be said about it",
)
"""The reason that a game that was only sampled has no form at all."""


@dataclass(frozen=True, eq=False, repr=False)
class CompiledGame:
    """A game in arrays: the names of its infosets, and the forms that solvers and measures need.

    A game of two players with perfect recall has a `SequenceForm`, one of more players a
    `TerminalForm`.

    Two are equal if their fingerprints are.
    """

    infosets: tuple[Names, ...]
    """The infosets of each player."""
    forms: tuple[Form, ...]
    """The known forms, at most one of each kind; the first one identifies the game. Empty if the
    game was only sampled."""
    forced: dict[str, str]
    """Label → the only action, for infosets with a forced move."""
    is_zero_sum: bool
    num_terminals: int
    """Terminals in the forms; 0 if there are none."""
    missing: Mapping[type, Missing]
    """The reasons that other forms are missing, by kind."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompiledGame):
            return NotImplemented
        return self is other or self.fingerprint() == other.fingerprint()

    __hash__ = None  # type: ignore[assignment]  # equal games would be hashed at great cost

    def __repr__(self) -> str:
        first = next((label for table in self.infosets for label in table), None)
        kind = "sampled" if self.is_partial else f"{self.num_terminals:,} terminals"
        return (
            f"<CompiledGame of {self.num_infosets:,} infosets, first {first!r:.80}, "
            f"{self.num_action_variables:,} actions, {kind}>"
        )

    @property
    def is_partial(self) -> bool:
        """Whether only the infosets that a sampling solver has met are known."""
        return not self.forms

    @property
    def num_infosets(self) -> int:
        """Infosets of all players, forced moves excluded."""
        return sum(map(len, self.infosets))

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.infosets)

    @property
    def has_one_value(self) -> bool:
        """Whether the value of player 0 is all: in zero-sum games of two players."""
        return self.is_zero_sum and self.num_players == 2

    @property
    def num_action_variables(self) -> int:
        """Actions summed over all infosets of all players."""
        return sum(names.num_sequences - 1 for names in self.infosets)

    @property
    def recall_error(self) -> str | None:
        """The place where a player forgets a move or an observation; None if none is known."""
        missing = self.missing.get(SequenceForm)
        return missing.reason if missing and missing.error is ImperfectRecall else None

    def has(self, kind: type[Form] | type[PlanForm]) -> bool:
        """Whether the game has a form of this kind; `PlanForm` is either of its two kinds."""
        return any(isinstance(form, kind) for form in self.forms)

    def require(self, kind: type[AnyForm], *advice: str | Argument) -> AnyForm:
        """Return the form of this kind, or raise with the reason why there is none.

        `advice` replaces the game's own advice in the error.
        """
        for form in self.forms:
            if isinstance(form, kind):
                return form
        missing = self.missing.get(kind)
        if missing is None:
            is_terminal = kind is TerminalForm and self.num_players == 2
            missing = ONLY_FOR_MORE_PLAYERS if is_terminal else self.missing[SequenceForm]
        raise missing.error(f"{missing.reason}; ", *advice or (missing.advice,))

    def exact_form(self) -> SequenceForm:
        """Return the sequence form of a game of two players, or raise with the reason."""
        return self.require(SequenceForm)

    def plan_form(self) -> PlanForm:
        """Return the exact form for any number of players: the sequence form of two, the terminal
        form of more; or raise with the reason why there is none.
        """
        return self.require(PlanForm)  # type: ignore[type-abstract]

    def zero_sum_form(self) -> SequenceForm:
        """Return the sequence form of a zero-sum game, or raise with the reason."""
        form = self.require(SequenceForm)
        if not form.is_zero_sum:
            raise NotZeroSum.of_solver()
        return form

    def fingerprint(self) -> str:
        """Return a hash of everything that matters for play: infosets, actions, payoffs."""
        digest = hashlib.blake2b(digest_size=16)
        for table in self.infosets:
            for label, actions in table.items():
                digest.update("\x1f".join((label, *actions)).encode())
                digest.update(b"\x1e")
        for form in self.forms[:1]:
            for values in form if isinstance(form, GameTree) else chain(*form.sides):
                digest.update(values.tobytes())
        return digest.hexdigest()


def compile(  # noqa: A001
    game: Game, *, max_nodes: int = DEFAULT_MAX_NODES, watcher: OnWalked | None = None
) -> CompiledGame:
    """Return `game` compiled: by its own `sequence_form()` if it has one, else by walking it.

    Raises GameTooLarge if a walk would exceed `max_nodes` histories. `watcher` is called
    regularly with the number walked.
    """
    return compile_directly(game) or compile_histories(game, max_nodes=max_nodes, watcher=watcher)


def compile_directly(game: Game) -> CompiledGame | None:
    """Return `game` compiled from its own sequence form; None if it offers none."""
    if not isinstance(game, OffersSequenceForm):
        return None
    with errors_of_game(lambda: "sequence_form()"):
        form = game.sequence_form()
    return None if form is None else compiled_form(form)


def compiled_form(form: SequenceForm) -> CompiledGame:
    """Return a sequence form as a compiled game without histories."""
    if not isinstance(form, SequenceForm):
        raise GameError(f"sequence_form() returned {shortened(form)}; it must be a SequenceForm")
    check_labels(form.infosets)
    return CompiledGame(
        infosets=form.infosets,
        forms=(form,),
        forced={},
        is_zero_sum=form.is_zero_sum,
        num_terminals=form.num_terminals,
        missing={GameTree: NOT_WALKED},
    )


def met_infosets(infosets: tuple[Names, ...]) -> CompiledGame:
    """Return a zero-sum game of which sampling knows only these infosets, without any form."""
    return CompiledGame(
        infosets=infosets,
        forms=(),
        forced={},
        is_zero_sum=True,
        num_terminals=0,
        missing={SequenceForm: ONLY_SAMPLED, GameTree: ONLY_SAMPLED},
    )


NOTHING_KNOWN = met_infosets((Infosets(0, (), (), (), (), ()), Infosets(1, (), (), (), (), ())))
"""A game that is too large to compile and has not been sampled yet."""


def compile_histories(
    game: Game, *, max_nodes: int = DEFAULT_MAX_NODES, watcher: OnWalked | None = None
) -> CompiledGame:
    """Return `game` compiled with its tree, which always walks the histories."""
    walked = walk(game, max_nodes=max_nodes, watcher=watcher)
    if not any(map(len, walked.infosets)):
        raise GameError("nobody has a choice in this game: every infoset offers one action")
    num_players = len(walked.infosets)
    form: SequenceForm | TerminalForm
    if num_players == 2:
        form = build_sequence_form(
            (walked.infosets[0], walked.infosets[1]),
            walked.parent_sequences,
            walked.terminals,
            is_general_sum=is_general_sum(game),
        )
    else:
        form = build_terminal_form(
            walked.infosets,
            walked.parent_sequences,
            walked.terminals,
            is_general_sum=is_general_sum(game),
        )
    tree = walked.tree
    if form.is_zero_sum and num_players == 2:
        # Without rounding, so that both forms agree, also with readers that take the payoffs
        # exactly.
        mine, yours = tree.payoffs.T
        tree.payoffs[:, 1] = np.where(yours == -mine, yours, -mine)
    fault = walked.recall_error
    missing: dict[type, Missing] = {}
    if fault is not None:
        missing = {SequenceForm: imperfect_recall(fault)}
    elif num_players > 2:
        missing = {SequenceForm: only_for_two_players(num_players)}
    return CompiledGame(
        infosets=walked.infosets,
        forms=(form, tree) if fault is None else (tree,),
        forced=walked.forced,
        is_zero_sum=form.is_zero_sum,
        num_terminals=form.num_terminals,
        missing=missing,
    )


def is_general_sum(game: Game) -> bool:
    """Whether the game itself says that its payoffs do not sum to zero.

    A game that knows its payoffs more exactly than floats can has an attribute `is_zero_sum`.
    """
    return getattr(game, "is_zero_sum", True) is False
