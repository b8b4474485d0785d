"""`compile(game)`: from the rules that a user writes to the arrays that solvers sweep."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from untilt.errors import Argument, GameError, GameTooLarge, ImperfectRecall, NotZeroSum, shortened
from untilt.game.faults import errors_of_game
from untilt.game.infosets import Infosets
from untilt.game.names import Names, check_labels
from untilt.game.protocol import Game
from untilt.game.sequence_form import SequenceForm, build_sequence_form
from untilt.game.tree import DEFAULT_MAX_NODES, GameTree, OnWalked, walk


@runtime_checkable
class OffersSequenceForm(Protocol):
    """A game that can build its sequence form itself, when its histories are too many."""

    def sequence_form(self) -> SequenceForm | None:
        """Return the form with the labels that walking would give; None to be walked."""
        ...


Form = SequenceForm | GameTree
"""A game in arrays; what each kind is good for stands at its class."""

AnyForm = TypeVar("AnyForm", bound=Form)


@dataclass(frozen=True)
class Missing:
    """Why a game has no form of some kind."""

    error: type[GameError]
    """What is raised where the form is needed."""
    reason: str
    advice: str


def imperfect_recall(reason: str) -> Missing:
    """Return why a game in which a player forgets, as `reason` says, has no sequence form."""
    return Missing(
        ImperfectRecall,
        reason,
        "exact solvers and best responses need perfect recall: use a sampling solver, or let "
        "str(infoset) and == keep all that was seen",
    )


NOT_WALKED = Missing(
    GameError,
    "this game has its sequence form only, not its histories",
    "if they are not too many, compile it with compile_histories",
)
"""Why a game that gives its sequence form itself has no tree."""

ONLY_SAMPLED = Missing(
    GameTooLarge,
    "the game was sampled, not compiled: only the infosets that were met are known",
    "nothing exact can be said about it",
)
"""Why a game that was only sampled has no form at all."""


@dataclass(frozen=True, eq=False, repr=False)
class CompiledGame:
    """A game in arrays: the names of its infosets, and the forms that solvers and measures need.

    Two are equal if their fingerprints are.
    """

    infosets: tuple[Names, Names]
    forms: tuple[Form, ...]
    """What is known besides the names: at most one of each kind, the one that identifies the game
    first. Empty if the game was only sampled."""
    forced: dict[str, str]
    """Label → only action of the infosets that were played through."""
    is_zero_sum: bool
    num_terminals: int
    """Terminals in the forms; 0 if there are none."""
    missing: Mapping[type, Missing]
    """Why the other forms are missing, by kind."""

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
        """Whether only those infosets are known that a sampling solver has met."""
        return not self.forms

    @property
    def num_infosets(self) -> int:
        """Infosets of both players, forced moves excluded."""
        return len(self.infosets[0]) + len(self.infosets[1])

    @property
    def num_action_variables(self) -> int:
        """Actions summed over all infosets of both players."""
        return self.infosets[0].num_sequences + self.infosets[1].num_sequences - 2

    @property
    def recall_error(self) -> str | None:
        """Where a player forgets what she did or knew; None if nobody is known to."""
        missing = self.missing.get(SequenceForm)
        return missing.reason if missing and missing.error is ImperfectRecall else None

    def has(self, kind: type[Form]) -> bool:
        """Whether the game has a form of this kind."""
        return any(isinstance(form, kind) for form in self.forms)

    def require(self, kind: type[AnyForm], *advice: str | Argument) -> AnyForm:
        """Return the form of this kind, or raise with the reason why there is none.

        `advice` says what to do then, if the caller knows better than the game.
        """
        for form in self.forms:
            if isinstance(form, kind):
                return form
        missing = self.missing[kind]
        raise missing.error(f"{missing.reason}; ", *advice or (missing.advice,))

    def exact_form(self) -> SequenceForm:
        """Return the sequence form, or raise with the reason why there is none."""
        return self.require(SequenceForm)

    def zero_sum_form(self) -> SequenceForm:
        """Return the sequence form of a zero-sum game, or raise with the reason."""
        form = self.require(SequenceForm)
        if not form.is_zero_sum:
            raise NotZeroSum(
                "the payoffs of this game do not sum to zero at every terminal, and this solver "
                "is for zero-sum games only; use `untilt qre`, or the method qre"
            )
        return form

    def fingerprint(self) -> str:
        """Return a hash of everything that matters to play: infosets, actions, payoffs."""
        digest = hashlib.blake2b(digest_size=16)
        for table in self.infosets:
            for label, actions in table.items():
                digest.update("\x1f".join((label, *actions)).encode())
                digest.update(b"\x1e")
        for form in self.forms[:1]:
            for values in form if isinstance(form, GameTree) else form.sides[0] + form.sides[1]:
                digest.update(values.tobytes())
        return digest.hexdigest()


def compile(  # noqa: A001
    game: Game, *, max_nodes: int = DEFAULT_MAX_NODES, watcher: OnWalked | None = None
) -> CompiledGame:
    """Return the compiled form of `game`: the direct one if it offers that, else by walking.

    `max_nodes` bounds the histories walked; beyond it GameTooLarge is raised. `watcher` is
    called now and then with their number.
    """
    return compile_directly(game) or compile_histories(game, max_nodes=max_nodes, watcher=watcher)


def compile_directly(game: Game) -> CompiledGame | None:
    """Return the compiled form that `game` offers without being walked; None if it does not."""
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


def met_infosets(infosets: tuple[Names, Names]) -> CompiledGame:
    """Return the names of infosets that sampling a zero-sum game has met, without any form."""
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
    """Return the compiled form of `game` with its tree, walking the histories in any case."""
    walked = walk(game, max_nodes=max_nodes, watcher=watcher)
    if not len(walked.infosets[0]) and not len(walked.infosets[1]):
        raise GameError("nobody has a choice in this game: every infoset offers one action")
    form = build_sequence_form(
        walked.infosets,
        walked.parent_sequences,
        walked.terminals,
        is_general_sum=is_general_sum(game),
    )
    fault = walked.recall_error
    return CompiledGame(
        infosets=walked.infosets,
        forms=(form, walked.tree) if fault is None else (walked.tree,),
        forced=walked.forced,
        is_zero_sum=form.is_zero_sum,
        num_terminals=form.num_terminals,
        missing={} if fault is None else {SequenceForm: imperfect_recall(fault)},
    )


def is_general_sum(game: Game) -> bool:
    """Whether the game itself says that its payoffs do not sum to zero.

    One that knows its payoffs better than floats can show has an attribute `is_zero_sum`.
    """
    return getattr(game, "is_zero_sum", True) is False
