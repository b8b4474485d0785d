"""Actions as data: what kind of move a name stands for, and its amount.

    fold  check  call  bet  bet 120  raise  raise 300  all-in          anything else is `other`
    bet 50%  raise 2.5x                        sizes of an abstract game, whose chips vary

Games name their actions in these words; tables, pages and agents colour, sort and translate them
by kind and amount. An amount is the total that the player has put in on the street.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

_NAME = re.compile(r"(fold|check|call|bet|raise|all-in)(?: (\d+(?:\.\d+)?))?")
_RELATIVE = re.compile(r"(bet|raise) (?:[\d.]+[%x]|\d+c(?:\d+r)?|\d*e(?:[\d.]+%)?)")


class Kind(StrEnum):
    """The kind of a move, by what it does."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"
    ALL_IN = "all-in"
    OTHER = "other"


_SIZED = frozenset({Kind.CALL, Kind.BET, Kind.RAISE, Kind.ALL_IN})
"""Kinds that may have an amount."""


@dataclass(frozen=True, slots=True)
class ActionData:
    """The meaning of an action."""

    name: str
    kind: Kind
    amount: float | None = None
    """What the player has put in on the street afterwards, in the game's unit; None if the name
    does not say."""

    def __str__(self) -> str:
        return self.name

    def to_json(self) -> dict[str, str | float | None]:
        """Return the action in the form that pages and agents receive."""
        return {"kind": self.kind.value, "amount": self.amount, "name": self.name}


MANY: set[type] = set()
"""The kinds of `ManyActions`."""


class ManyActions(Sequence[ActionData]):
    """Actions that are made when they are asked for: hundreds of bets are seldom listed."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        MANY.add(cls)

    @property
    @abstractmethod
    def passive(self) -> tuple[ActionData, ...]:
        """The actions that are not bets; they come first."""

    @abstractmethod
    def named(self, name: str) -> ActionData | None:
        """Return the action with this name; None if it is not legal."""


def many_of(actions: Sequence[object]) -> ManyActions | None:
    """Return actions that are not listed; None for those that are."""
    # isinstance takes longer for an abstract class than everything else about a decision.
    return actions if type(actions) in MANY else None  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def action_data(name: str) -> ActionData:
    """Return the meaning of an action's name; `other` if it is not a poker action."""
    relative = _RELATIVE.fullmatch(name)
    if relative is not None:
        return ActionData(name, Kind(relative[1]))
    found = _NAME.fullmatch(name)
    if found is None:
        return ActionData(name, Kind.OTHER)
    kind = Kind(found[1])
    if found[2] is None:
        return ActionData(name, kind)
    return (
        ActionData(name, kind, float(found[2])) if kind in _SIZED else ActionData(name, Kind.OTHER)
    )


def action_name(kind: Kind, amount: float | None = None) -> str:
    """Return the name of an action of this kind: `bet 120`, `check`."""
    return kind.value if amount is None else f"{kind.value} {shown_amount(amount)}"


def shown_amount(amount: float) -> str:
    """Return an amount as written in names and lines: 120, 2.5."""
    return f"{amount:.10g}" if amount < 1e10 else f"{amount:.0f}"
