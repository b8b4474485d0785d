"""The worth of stacks when chips are not money: the Malmuth–Harville model by itself."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from untilt.display import html_table, short_number
from untilt.errors import InvalidOption
from untilt.games.pushfold.tables.finishing import MAX_PLAYERS, differentiate, finish, knock_out
from untilt.games.pushfold.tables.table import MOST_PRIZE, verify_prizes
from untilt.number import LARGEST_NUMBER, Number, number_of
from untilt.numeric.arrays import Floats

MAX_AT_TABLE = 10
_LEAST_CHIPS, _MOST_CHIPS = 1e-15, 1e15
_BOUNTY = Number(least=0.0, most=MOST_PRIZE)


@dataclass(frozen=True, repr=False, eq=False)
class PrizeValues:
    """The mean winnings of players; amounts are in the unit of the prizes."""

    stacks: tuple[float, ...]
    prizes: tuple[float, ...]
    others: tuple[float, ...]
    """Stacks of players at other tables."""
    bounties: tuple[float, ...]
    """What is on the head of each player, those at other tables last; empty without bounties."""
    all_values: Floats
    """[players] what each player wins, those at other tables last"""
    all_bounties: Floats
    """[players] the part of the values that are bounties"""
    reach: Floats
    """[2^players] the probability that a set of players, as bits, takes the best places"""

    @property
    def values(self) -> Floats:
        """[n] what each player at the table wins on average."""
        return self.all_values[: len(self.stacks)]

    @property
    def pool(self) -> float:
        """All prizes and bounties."""
        return math.fsum((*self.prizes, *self.bounties))

    @property
    def shares(self) -> Floats:
        """[n] the values as shares of the pool."""
        return self.values / self.pool

    @cached_property
    def jacobian(self) -> Floats:
        """[n, n] how much one chip more for the column's player adds to the row's prizes.

        Bounties are left out. Over all players of the tournament, a row times the stacks is 0.
        """
        everyone = np.array((*self.stacks, *self.others))
        num = len(everyone)
        whole = np.empty((num, num))
        chips = np.empty(1 << num)
        reach = self.reach.copy()
        # The probabilities are kept, the chips of all sets are quicker to compute again.
        finish(everyone, np.array(self.prizes), chips, reach, np.empty(num))
        differentiate(
            everyone, np.array(self.prizes), chips, reach, np.empty((1 << num, num)), whole
        )
        return whole[: len(self.stacks), : len(self.stacks)]

    @property
    def chip_chop(self) -> Floats:
        """[n] a deal in proportion to chips, after everyone has got the last prize that is left.

        Only players at the table share; what they share is the sum of their `values`.
        """
        total = float(self.values.sum())
        everyone = len(self.stacks) + len(self.others)
        lowest = self.prizes[everyone - 1] if len(self.prizes) >= everyone else 0.0
        stacks = np.array(self.stacks)
        shared = total - lowest * len(stacks)
        chop: Floats = lowest + shared * stacks / stacks.sum()
        return chop

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data, as `untilt icm --json` prints it."""
        return {
            "stacks": list(self.stacks),
            "prizes": list(self.prizes),
            "others": list(self.others),
            "bounties": list(self.bounties),
            "values": self.values.tolist(),
            "shares": self.shares.tolist(),
            "bounty_values": self.all_bounties[: len(self.stacks)].tolist(),
            "others_values": self.all_values[len(self.stacks) :].tolist(),
            "jacobian": self.jacobian.tolist(),
            "chip_chop": self.chip_chop.tolist(),
        }

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return a row per player: number, chips, value, chip chop, and what 1 % of chips adds."""
        stacks = np.array(self.stacks)
        step = 0.01 * (stacks.sum() + math.fsum(self.others)) * np.diagonal(self.jacobian)
        columns = zip(
            self.stacks, self.values.tolist(), self.chip_chop.tolist(), step.tolist(), strict=True
        )
        return [
            (f"{place + 1}", f"{stack:,g}", f"{value:.4f}", f"{chop:.4f}", f"{more:.4f}")
            for place, (stack, value, chop, more) in enumerate(columns)
        ]

    def __repr__(self) -> str:
        shown = ", ".join(f"{value:.4f}" for value in self.values.tolist())
        return f"<PrizeValues: {shown} of {self.pool:g}>"

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        header = ("player", "chips", "prize model", "by chips", "1 % of chips adds")
        return html_table(f"{short_number(self.pool)} to win", self.rows(), header=header)


def icm(
    stacks: Iterable[float],
    prizes: Iterable[float],
    *,
    others: Iterable[float] = (),
    bounty: float | Iterable[float] = 0.0,
) -> PrizeValues:
    """Return what `stacks` win on average of `prizes`, the best prize first (Malmuth–Harville).

    The winner is drawn in proportion to chips, the second from the others in proportion to theirs,
    and so on. `others` are stacks at other tables. A `bounty` on every head, or one for each
    player, goes to whoever knocks its owner out: a player with more chips, in proportion to them.

    >>> import untilt
    >>> found = untilt.pushfold.icm([5000, 3000, 2000], [50, 30, 20])
    >>> found.values.round(5).tolist()
    [38.39286, 32.75, 28.85714]
    >>> found.jacobian.shape
    (3, 3)
    """
    own = _numbers("stacks", stacks, MAX_AT_TABLE)
    if not own:
        raise InvalidOption.of("stacks", list(own), "give the chips of at least one player")
    elsewhere = _numbers("others", others, MAX_PLAYERS)
    for name, each in (("stacks", own), ("others", elsewhere)):
        wrong = [stack for stack in each if not _LEAST_CHIPS <= stack <= _MOST_CHIPS]
        if wrong:
            raise InvalidOption.of(
                name, wrong[0], "give at least 1e-15, at most 1e15; leave out who has none"
            )
    amounts = _numbers("prizes", prizes, MAX_PLAYERS)
    everyone = (*own, *elsewhere)
    if not amounts:
        raise InvalidOption.of("prizes", [], "give at least one, such as [50, 30, 20]")
    verify_prizes(amounts, len(everyone))
    heads = _bounties(bounty, len(everyone))
    num = len(everyone)
    chips, reach, values = np.empty(1 << num), np.empty(1 << num), np.empty(num)
    chips_of_all = np.array(everyone)
    knocked = np.zeros(num)
    if heads:
        knock_out(chips_of_all, np.array(heads), chips, reach, knocked)
    finish(chips_of_all, np.array(amounts), chips, reach, values)
    return PrizeValues(own, amounts, elsewhere, heads, values + knocked, knocked, reach)


def _numbers(name: str, given: object, most: int) -> tuple[float, ...]:
    """Return the numbers of an argument as floats."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidOption.of(name, given, "give a list of numbers, such as [50, 30, 20]")
    found = list(islice(given, most + 1))
    if len(found) > most:
        raise InvalidOption.of(name, f"{len(found)} numbers or more", f"give at most {most}")
    numbers = [number_of(each) for each in found]
    for each, number in zip(found, numbers, strict=True):
        if number is None or not -LARGEST_NUMBER <= number <= LARGEST_NUMBER:
            raise InvalidOption.of(name, each, "give finite numbers")
    return tuple(float(number) for number in numbers if number is not None)


def _bounties(bounty: float | Iterable[float], num_players: int) -> tuple[float, ...]:
    """Return the bounty on the head of each player; empty if there are none."""
    if isinstance(bounty, Iterable):
        heads: Sequence[float] = _numbers("bounty", bounty, num_players)
        if len(heads) != num_players:
            raise InvalidOption.of(
                "bounty", list(heads), f"give one number, or one for each of {num_players} players"
            )
    else:
        heads = (_BOUNTY.read("bounty", bounty),) * num_players
    for head in heads:
        _BOUNTY.read("bounty", head)
    return tuple(heads) if any(heads) else ()
