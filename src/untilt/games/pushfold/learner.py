"""The regret learner: plays random hands of push/fold and acts if it regrets not having acted.

Hands are scored in small blinds. Folding is worth 0, so the blinds count as part of the pot. With
S small blinds in a stack (20 at 10 big blinds),

    push   uncalled 3; called: won S + 1, tied 1, lost 1 − S
    call   won S + 2, tied 2, lost 2 − S

The regret of pushing is updated in every hand, against what the big blind does with her cards. The
regret of calling is updated only in hands that the small blind pushes. Otherwise the big blind
would assume that she faces any two cards, and would call 66 % instead of 37 % at 10 big blinds.

There are 338 nodes, numbered as in `regret.dat`: the 169 classes "pairs first" (see
`cards.combos`) of the small blind, then of the big blind.

**Choice.** By *sign*, a node acts if its regret is positive, folds if it is negative and tosses a
coin at exactly 0: this is fictitious play (Brown 1951) on samples. By *matching*, it acts in
proportion to positive regrets (Hart & Mas-Colell 2000). Folding then has its own regret, 338 nodes
later, and a regret counts how much more the other action would have gained.

**Batches.** All hands of a batch are played against the choices at its beginning. Each hand draws
from its own stream, and regrets are summed as integers, so threads can share a batch in any way
and the result has the same bits. Batches grow with the hands played; see `batch_at`.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import NUM_CLASSES, PAIRS_FIRST_OF_GRID
from untilt.errors import Argument, InvalidOption
from untilt.games.pushfold.dealt_hands import (
    NUM_NODES,
    Deck,
    HandRules,
    Thresholds,
    make_deck,
    make_rules,
    play,
)
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.regret_code import RegretCode, added, level
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.streams import draw, root_of, split
from untilt.numeric.team import (
    COMMIT,
    LEAD,
    OVER,
    SETTLE,
    WORK,
    TeamSeat,
    close_round,
    make_seats,
    next_task,
    open_round,
    task_is_done,
    work_together,
)
from untilt.options.option import verify
from untilt.options.pushfold import BATCH, BOARDS, CHOICE, HANDS_SEED, LEARNING, THREADS

Choice = Literal["sign", "matching"]
Boards = Literal["random", "exact"]

MAX_HANDS = 2**62


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the regrets depend on, except the number of hands."""

    stack: float = 10.0
    """In big blinds, before posting; a multiple of the small blind, 0.5."""
    seed: int = HANDS_SEED.default
    batch: int = BATCH.default
    """The maximum number of hands against one strategy; 1 learns after every hand."""
    choice: Choice = CHOICE.default
    boards: Boards = BOARDS.default
    code: RegretCode = field(default_factory=RegretCode)

    def __post_init__(self) -> None:
        Stakes(self.stack)  # refuses stacks that are too small or too large
        if not (2 * self.stack).is_integer():
            raise InvalidOption(
                Argument("stack"),
                f" is {self.stack:g} bb, which is {2 * self.stack:g} small blinds; regrets "
                "are integers in small blinds, so the stack must be a multiple of 0.5 bb: "
                "round it, or solve it exactly with `untilt chart`",
            )
        given = {"seed": self.seed, "batch": self.batch}
        verify(LEARNING, **given, choice=self.choice, boards=self.boards)

    @property
    def num_regrets(self) -> int:
        """The number of integers in a file: 338, or 676 if folding has regrets too."""
        return NUM_NODES if self.choice == "sign" else 2 * NUM_NODES


def acting_probabilities(codes: npt.ArrayLike, code: RegretCode | None = None) -> Floats:
    """Return [2, 169] how often each player acts with each class, in the order of the grid.

    `codes` are the integers of a regret file: with 338 the choice is by sign, with 676 by matching.
    """
    regrets = (code or RegretCode()).decoded(np.asarray(codes))
    if len(regrets) == NUM_NODES:
        probabilities = (1.0 + np.sign(regrets)) / 2.0
    else:
        acting, folding = np.maximum(regrets, 0.0).reshape(2, NUM_NODES)
        total = acting + folding
        probabilities = np.divide(acting, total, out=np.full(NUM_NODES, 0.5), where=total > 0.0)
    return probabilities.reshape(2, NUM_CLASSES)[:, PAIRS_FIRST_OF_GRID]


def end_of_batch(hands: int, batch: int) -> int:
    """Return the smallest number of hands, at least `hands` ≥ 1, at which a batch ends."""
    size = batch_at(hands - 1, batch)
    return -(-hands // size) * size


class LearnedRegrets(NamedTuple):
    """The state of the learner."""

    codes: Offsets
    """[338] or [676] regrets, encoded."""
    thresholds: Thresholds
    """[338] the choices that follow from them."""
    is_cut: npt.NDArray[np.bool_]
    """[338] or [676] whether a regret ever exceeded the limits of its integer."""
    clock: Offsets
    """[1] hands played."""


class BatchSchedule(NamedTuple):
    """The batches of hands, and their conversion to regrets."""

    root: np.uint64
    """The root of the seed's streams."""
    batch: int
    step: float
    """See `RegretCode`."""
    low: int
    high: int


class RegretLearner:
    """Learns regrets by playing hands.

    It starts from `codes`, the integers of a regret file, after `hands` hands; `is_cut` says which
    of them have been cut. All three are optional. `threads` do not change the result.
    """

    def __init__(
        self,
        settings: Settings,
        codes: npt.ArrayLike | None = None,
        hands: int = 0,
        threads: int = 1,
        is_cut: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        THREADS.verify(threads)
        self.settings = settings
        self._threads = threads
        self._seats = make_seats(threads)
        own = np.zeros(settings.num_regrets, dtype=np.int64)
        if codes is not None:
            own[:] = codes
        low, high = settings.code.limits
        self._learned = LearnedRegrets(
            codes=np.clip(own, low, high),
            thresholds=np.empty(NUM_NODES, dtype=np.uint64),
            is_cut=np.zeros(len(own), dtype=np.bool_) if is_cut is None else is_cut.copy(),
            clock=np.array([hands], dtype=np.int64),
        )
        self._deck = make_deck()
        self._rules = make_rules(
            round(2 * settings.stack),
            is_exact=settings.boards == "exact",
            is_matching=settings.choice == "matching",
        )
        root = root_of(np.uint64(settings.seed))
        self._schedule = BatchSchedule(
            np.uint64(root), settings.batch, settings.code.step, int(low), int(high)
        )
        choose_all(self._learned, self._schedule)

    @property
    def hands(self) -> int:
        """Hands played so far."""
        return int(self._learned.clock[0])

    @property
    def codes(self) -> npt.NDArray[np.signedinteger]:
        """The regrets as the integers of a file."""
        return self._learned.codes.astype(self.settings.code.dtype)

    @property
    def is_cut(self) -> npt.NDArray[np.bool_]:
        """[338] or [676] whether a regret has been cut at the limits of its integer."""
        return self._learned.is_cut.copy()

    @property
    def num_cut(self) -> int:
        """The number of regrets that were cut at the limits of their integer."""
        return int(np.count_nonzero(self._learned.is_cut))

    @property
    def threads(self) -> int:
        """The number of threads that share a batch."""
        return self._threads

    def probabilities(self) -> Floats:
        """Return [2, 169] how often each player acts now, in the order of the grid."""
        return acting_probabilities(self._learned.codes, self.settings.code)

    def warm_up(self) -> None:
        """Compile the kernels without playing a hand."""
        self.advance(self.hands)

    def advance(self, until: int) -> None:
        """Play hands until `until` have been played in total.

        Stopping inside a batch (see `end_of_batch`) shortens it, and continuing then gives a
        different result than not stopping. The default batches end at round numbers.
        """
        # A cache line apart, to avoid false sharing between threads.
        sums = np.zeros((self._threads, len(self._learned.codes) + _LINE), dtype=np.int64)
        task = self._deck, self._rules, self._schedule, self._learned, until, sums

        def work(rank: int) -> bool:
            return _advance(*task, self._seats[rank])

        work_together(self._seats, work)


_LINE = 8
_SMALL = 2_000
"""The leader plays smaller batches alone: they are over before another thread could start."""


@inlined
def _threshold(learned: LearnedRegrets, step: float, node: int) -> np.uint64:
    """Return the threshold of a node; see `Thresholds`."""
    acting = level(max(learned.codes[node], 0), step)
    if len(learned.codes) == NUM_NODES:
        if learned.codes[node] < 0:
            return np.uint64(0)
        return np.uint64(1 << 32) if acting > 0.0 else np.uint64(1 << 31)
    folding = level(max(learned.codes[node + NUM_NODES], 0), step)
    if acting + folding == 0.0:
        return np.uint64(1 << 31)
    return np.uint64(acting / (acting + folding) * 4294967296.0)


@kernel
def choose_all(learned: LearnedRegrets, schedule: BatchSchedule) -> None:
    """Set the threshold of every node from its regrets."""
    for node in range(NUM_NODES):
        learned.thresholds[node] = _threshold(learned, schedule.step, node)


@kernel
def _learn(learned: LearnedRegrets, schedule: BatchSchedule, stop: int, sums: Offsets) -> None:
    """Add the members' `sums`, from the hands up to `stop`, to the regrets; reset them to 0."""
    # The streams of hands have numbers below 2⁶³.
    origin = split(schedule.root, np.uint64(learned.clock[0]) | np.uint64(1 << 63))
    for node in range(len(learned.codes)):
        gain = 0
        for rank in range(len(sums)):
            gain += sums[rank, node]
            sums[rank, node] = 0
        if gain != 0:
            code = added(learned.codes[node], gain, schedule.step, draw(origin, node))
            learned.codes[node] = min(max(code, schedule.low), schedule.high)
            if learned.codes[node] != code:
                learned.is_cut[node] = True
            chooser = node % NUM_NODES
            learned.thresholds[chooser] = _threshold(learned, schedule.step, chooser)
    learned.clock[0] = stop


@kernel
def batch_at(hands: int, batch: int) -> int:
    """Return the batch size after `hands` hands, at most `batch`.

    1 below a hundred hands, 10 below a thousand and so on: between a hundredth and a tenth of
    what has been played. So the first hands, which teach most, count at once.
    """
    size = 1
    while size < batch and 100 * size <= hands:
        size *= 10
    return min(size, batch)


@inlined
def _next_stop(schedule: BatchSchedule, begin: int, until: int) -> int:
    size = batch_at(begin, schedule.batch)
    return min((begin // size + 1) * size, until)


@kernel
def _advance(
    deck: Deck,
    rules: HandRules,
    schedule: BatchSchedule,
    learned: LearnedRegrets,
    until: int,
    sums: Offsets,
    seat: TeamSeat,
) -> bool:
    """Play up to `until` as a member of a team; return whether that is done.

    `sums` [members, …] are the regrets of each member's hands in a batch.
    """
    clock, member = learned.clock, seat.member[0]
    while True:
        task = next_task(seat)
        if task <= WORK:
            own = sums[seat.rank]
            play(deck, rules, learned.thresholds, schedule.root, member.begin, member.end, own)
        elif task == SETTLE:
            _learn(learned, schedule, member.stop, sums)
        elif task == LEAD:
            close_round(seat)
            begin = clock[0]
            if begin >= until:
                return True
            stop = _next_stop(schedule, begin, until)
            open_round(seat, begin, stop, stop - begin >= _SMALL)
            continue
        elif task != COMMIT:  # a member's sums are added when all of them are complete
            return bool(task == OVER)
        task_is_done(seat)
