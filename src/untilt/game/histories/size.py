"""The number of histories of a game, estimated from random plays before all are walked."""

import math
import random
import time
from dataclasses import dataclass

from untilt.errors import GameTooLarge, UntiltError
from untilt.game.faults import verify_position_type
from untilt.game.histories.walking import DEFAULT_MAX_DEPTH, possible_moves, too_deep
from untilt.game.protocol import Game

PROBE_SECONDS = 1.0
"""Processor time for the random plays of one estimate."""

_CERTAINTY = 30.0
"""A game that fits passes for one that is too large with probability at most exp(−30)."""

_WIDEST = 1e100
"""Width of the tree at which a play is cut short. The first such play continues without counting: a
game that never ends is refused for that reason, and not for its size."""


@dataclass(frozen=True)
class SizeEstimate:
    """An estimate of how many histories a game has, from random plays."""

    probes: tuple[float, ...]
    """The estimate of each play; its expectation is the number of histories."""
    is_cut: bool
    """Whether a play was cut short, so that its estimate is too small."""
    seconds_per_position: float
    """Processor time per position."""

    @property
    def num_histories(self) -> float:
        """The mean over the plays."""
        return sum(self.probes) / len(self.probes)

    def is_surely_above(self, limit: float) -> bool:
        """Whether the game is larger than `limit`, beyond reasonable doubt.

        One rare play can dominate the mean, so the mean alone is not enough. If the game had at
        most `limit` histories, a play would exceed c times that number with probability at most
        1/c (Markov's inequality). Plays are independent, so the number of plays that do is the
        evidence (Chernoff's bound).
        """
        count = len(self.probes)
        ranked = sorted(self.probes, reverse=True)
        for number, probe in enumerate(ranked, start=1):
            excess = probe / limit
            if excess <= 1.0:
                break
            share = number / count
            if share <= 1.0 / excess:
                continue
            doubt = share * math.log(share * excess)
            if share < 1.0:
                doubt += (1.0 - share) * math.log((1.0 - share) / (1.0 - 1.0 / excess))
            if count * doubt > _CERTAINTY:
                return True
        return False


def estimate_size(
    root: Game,
    *,
    limit: float = math.inf,
    probes: int = 1000,
    seconds: float = PROBE_SECONDS,
    seed: int = 0,
    max_depth: int = DEFAULT_MAX_DEPTH,
) -> SizeEstimate:
    """Return an estimate of the number of histories, from random plays.

    Knuth 1975, "Estimating the efficiency of backtrack programs": along a random path, the
    product of the numbers of children up to each level has that level's size as its mean.
    A play in which the game raises ends there: the walk will meet that history and name it.
    Plays stop after `seconds` of processor time, or once the game can be compared with `limit`.
    """
    verify_position_type(root, lambda: "the root")
    rng = random.Random(seed)
    found: list[float] = []
    is_cut = False
    num_wide = num_positions = 0
    begin = time.thread_time()
    # A game that sleeps or waits uses no processor time, but the user waits all the same.
    begin_waiting = time.monotonic()

    def is_late() -> bool:
        waited = time.monotonic() - begin_waiting
        return time.thread_time() - begin > seconds or waited > 4.0 * seconds

    while len(found) < probes and not (found and is_late()):
        position, width, depth, total, is_wide = root, 1.0, 0, 0.0, False
        while True:
            total += 0.0 if is_wide else width
            num_positions += 1
            try:
                children = possible_moves(position)
                if not children:
                    break
                if width > _WIDEST and not is_wide:
                    is_cut = is_wide = True
                    num_wide += 1
                if (is_wide and num_wide > 1) or (depth % 16 == 15 and is_late()):
                    is_cut = True
                    break
                position = position.apply(rng.choice(children))
            except UntiltError:
                raise
            except Exception:  # whatever a user's game may raise
                break
            width *= 1 if is_wide else len(children)
            depth += 1
            if depth > max_depth:
                raise too_deep(max_depth)
        found.append(total)
        # Only at powers of two, because the comparison sorts all plays.
        if limit < math.inf and len(found).bit_count() == 1:
            so_far = SizeEstimate(tuple(found), is_cut, 0.0)
            is_small = len(found) > 1000 and 8.0 * so_far.num_histories < limit
            if is_small or so_far.is_surely_above(limit):
                break
    spent = time.thread_time() - begin
    return SizeEstimate(tuple(found), is_cut, spent / num_positions)


def too_large(size: SizeEstimate, num_nodes: int, max_nodes: int) -> GameTooLarge:
    """Return the error for a game of this size, of which `num_nodes` nodes have been walked."""
    about = "more than" if size.is_cut else "about"
    return GameTooLarge(
        f"the game has {about} {max(size.num_histories, num_nodes):.1e} histories, more than the "
        f"limit of {max_nodes:,} nodes: raise the limit, shrink the game, or use a sampling "
        "solver (mccfr-external), which needs no tree"
    )
