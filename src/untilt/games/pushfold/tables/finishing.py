"""The Malmuth–Harville model: what stacks are worth when chips are not money.

The winner of the tournament is drawn in proportion to chips, the second from the others in
proportion to theirs, and so on (Harville 1973, "Assigning probabilities to the outcomes of
multi-entry competitions", for horses). With P(S) the probability that the set S of players takes
the first |S| places, c(S) their chips and C all chips,

    P(S ∪ i) += P(S) · c_i / (C − c(S))        value_i += P(S) · c_i / (C − c(S)) · prize_{|S|+1}

Sets are bits of a mask. All players have chips here; those who are out take the places below.
"""

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.numeric.bits import popcount
from untilt.numeric.kernel import allocates, inlined, kernel

MAX_PLAYERS = 20
"""Work and memory double with every player."""


@inlined
def chips_of_sets(stacks: Floats, chips: Floats) -> None:
    """Fill chips [2^n] with the chips of every set of players."""
    chips[0] = 0.0
    for player in range(len(stacks)):
        size = 1 << player
        for others in range(size):
            chips[size + others] = chips[others] + stacks[player]


@kernel
def finish(stacks: Floats, prizes: Floats, chips: Floats, reach: Floats, values: Floats) -> None:
    """Fill values [n] for players who all have chips; chips and reach [2^n] are scratch.

    Afterwards `reach` holds P(S) for all S with fewer players than there are `prizes`.
    """
    chips_of_sets(stacks, chips)
    num = len(stacks)
    full = (1 << num) - 1
    num_paid = min(num, len(prizes))
    reach[: full + 1] = 0.0
    reach[0] = 1.0
    values[:num] = 0.0
    for taken in range(full):
        share = reach[taken]
        if share == 0.0:
            continue
        place = popcount(taken)
        if place >= num_paid:
            continue
        share /= chips[full ^ taken]
        for player in range(num):
            if not taken >> player & 1:
                chance = share * stacks[player]
                values[player] += chance * prizes[place]
                if place + 1 < num_paid:
                    reach[taken | 1 << player] += chance


@kernel
def differentiate(
    stacks: Floats, prizes: Floats, chips: Floats, reach: Floats, later: Floats, jacobian: Floats
) -> None:
    """Fill jacobian [n, n]: what a chip of the column's player changes for the row's.

    `chips` and `reach` are those that `finish` leaves, `later` [2^n, n] is scratch: the expected
    prizes of each player in the places after S, given S.
    """
    num = len(stacks)
    full = (1 << num) - 1
    num_paid = min(num, len(prizes))
    jacobian[:] = 0.0
    for taken in range(full, -1, -1):
        mean = later[taken]
        mean[:] = 0.0
        place = popcount(taken)
        if place >= num_paid:
            continue
        left = 1.0 / chips[full ^ taken]
        for player in range(num):
            if not taken >> player & 1:
                chance = left * stacks[player]
                mean[player] += chance * prizes[place]
                then = later[taken | 1 << player]
                for each in range(num):
                    mean[each] += chance * then[each]
        share = reach[taken] * left
        if share == 0.0:
            continue
        for player in range(num):
            if not taken >> player & 1:
                then = later[taken | 1 << player]
                for each in range(num):
                    jacobian[each, player] += share * (then[each] - mean[each])
                jacobian[player, player] += share * prizes[place]


@kernel
def knock_out(stacks: Floats, heads: Floats, chips: Floats, reach: Floats, values: Floats) -> None:
    """Fill values [n] with the expected bounties, of which each player has one on the head.

    A player who is out after the set S of better places was knocked out by one of S, each with the
    chance of the share in the chips of S; the winner keeps the own bounty.
    """
    chips_of_sets(stacks, chips)
    num = len(stacks)
    full = (1 << num) - 1
    reach[: full + 1] = 0.0
    reach[0] = 1.0
    values[:num] = 0.0
    for taken in range(full):
        share = reach[taken] / chips[full ^ taken]
        bounties = 0.0
        for player in range(num):
            if not taken >> player & 1:
                chance = share * stacks[player]
                reach[taken | 1 << player] += chance
                bounties += chance * heads[player]
                if taken == 0:
                    values[player] += chance * heads[player]
        if taken:
            bounties /= chips[taken]
            for player in range(num):
                if taken >> player & 1:
                    values[player] += bounties * stacks[player]


@kernel
@allocates
def finish_hands(
    final: Floats, start: Floats, others: Floats, prizes: Floats, heads: Floats, values: Floats
) -> None:
    """Fill values [rows, n] for the stacks `final` [rows, n] after a hand that began with `start`.

    Players without chips take the places below all others: the better one has the larger stack at
    the start, equal ones share. `others` [m] are stacks at other tables, who only wait; `heads`
    [rows, n + m] the bounties on each head, or empty.
    """
    num_rows, num = final.shape
    most = num + len(others)
    chips, reach = np.empty(1 << most), np.empty(1 << most)
    alive, worth = np.empty(most), np.empty(most)
    bounties = np.empty(most)
    for row in range(num_rows):
        count = 0
        for player in range(num):
            if final[row, player] > 0.0:
                alive[count] = final[row, player]
                if heads.shape[1]:
                    bounties[count] = heads[row, player]
                count += 1
        num_here = count
        for other in range(len(others)):
            alive[count] = others[other]
            if heads.shape[1]:
                bounties[count] = heads[row, num + other]
            count += 1
        finish(alive[:count], prizes, chips, reach, worth)
        place = 0
        for player in range(num):
            if final[row, player] > 0.0:
                values[row, player] = worth[place]
                place += 1
            else:
                values[row, player] = _prize_of_loser(final[row], start, prizes, count, player)
        if heads.shape[1]:
            knock_out(alive[:count], bounties[:count], chips, reach, worth)
            place = 0
            for player in range(num):
                if final[row, player] > 0.0:
                    values[row, player] += worth[place]
                    place += 1
        assert place == num_here


@inlined
def _prize_of_loser(
    final: Floats, start: Floats, prizes: Floats, num_alive: int, player: int
) -> float:
    """Return the prize of a player without chips, shared with those who had as many."""
    better, equal = 0, 0
    for other in range(len(final)):
        if final[other] <= 0.0:
            if start[other] > start[player]:
                better += 1
            elif start[other] == start[player]:
                equal += 1
    total = 0.0
    for place in range(num_alive + better, num_alive + better + equal):
        if place < len(prizes):
            total += prizes[place]
    return total / equal
