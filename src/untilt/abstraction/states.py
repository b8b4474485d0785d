"""Ready-made state abstractions.

They read these parts of an infoset: `player` and `line` of any game; `private` and `public`, the
texts of cards, of any game; `hand`, `board` and `betting` of hold'em only.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Any

from untilt.abstraction.algebra import About, Factor, Read, StateAbstraction
from untilt.cards.card import NUM_RANKS, RANKS, rank_of, suit_of
from untilt.errors import InvalidOption, shortened
from untilt.games.holdem.bets.sizes import STREETS
from untilt.games.holdem.betting import Betting

_MAX_STEPS = 100_000
_STRAIGHT = 5
_RED_SUITS = (1, 2)
"""Diamonds and hearts."""


def _ready(name: str, read: Read, about: About, show: Any = None) -> StateAbstraction:
    return StateAbstraction.of([Factor(name, read, about, show, is_ready_made=True)])


def _street(infoset: Any) -> int:
    number: int | None = getattr(infoset, "street", None)
    return str(infoset.line).count("/") if number is None else number


def _street_name(number: int) -> str:
    extra = number - len(STREETS) + 1
    return STREETS[number] if extra <= 0 else f"{STREETS[-1]}+{extra}"


street = _ready("street", _street, About.PUBLIC, _street_name)
"""The street: preflop, flop, turn, river, and each further one of River of Blood."""

player = _ready("player", lambda infoset: infoset.player, About.PUBLIC, lambda number: "")
"""The player to act. Labels begin with it, and players never share infosets, so it changes nothing
in a game; it is there for abstractions that are used on their own."""

private = _ready("private", lambda infoset: infoset.private, About.PRIVATE, str)
"""Exactly what the player holds."""

public = _ready("public", lambda infoset: infoset.public, About.PUBLIC, str)
"""Exactly what lies on the table."""

betting_line = _ready("betting_line", lambda infoset: infoset.line, About.LINE, str)
"""All betting so far; with a menu, each bet by its size: `cr100%c/b50%`."""


def alike(*groups: str) -> StateAbstraction:
    """Return what the player holds, without distinguishing cards of the same group.

    A group is a text with one card after the other: `alike("QK")` in Kuhn poker, or with spaces
    between them: `alike("Js Jh", "Qs Qh")` in Leduc with suits.

    >>> import untilt
    >>> from untilt.abstraction import abstract, alike, betting_line
    >>> untilt.games.compile(abstract(untilt.games.kuhn(), alike("QK") * betting_line)).num_infosets
    8
    """
    name_of: dict[str, str] = {}
    for group in groups:
        cards = group.split() if isinstance(group, str) and " " in group.strip() else list(group)
        if len(cards) < 2:
            raise InvalidOption(f"alike({shortened(group)}): a group has two cards or more: 'QK'")
        for card in cards:
            if card in name_of:
                raise InvalidOption(f"alike: {card!r} is in two groups; give each card once")
            name_of[card] = "".join(cards)

    def read(infoset: Any) -> str:
        held = str(infoset.private)
        return name_of.get(held, held)

    return _ready(f"alike({', '.join(map(repr, groups))})", read, About.PRIVATE, str)


def _steps(name: str, steps: object) -> int:
    if type(steps) is not int or not 1 <= steps <= _MAX_STEPS:
        raise InvalidOption(
            f"{name}({shortened(steps)}): give the number of steps, an integer from 1 to "
            f"{_MAX_STEPS:,}"
        )
    return steps


def linear_pot(steps: int) -> StateAbstraction:
    """Return the pot in equal steps: 1 to `steps`, the last when all chips are in.

    The pot includes the bets of the street.
    """
    count = _steps("linear_pot", steps)

    def read(infoset: Any) -> int:
        betting: Betting = infoset.betting
        pot = betting.total_pot
        return -(-count * pot // (pot + sum(betting.stacks)))

    return _ready(f"linear_pot({count})", read, About.LINE, lambda step: f"pot{step}")


def linear_cost(steps: int) -> StateAbstraction:
    """Return the price of a call in equal steps of half of all chips: 0 only if it is free.

    >>> from untilt.abstraction import linear_cost, street
    >>> street * linear_cost(5)
    linear_cost(5) * street
    """
    count = _steps("linear_cost", steps)

    def read(infoset: Any) -> int:
        betting: Betting = infoset.betting
        whole = betting.total_pot + sum(betting.stacks)
        return min(-(-2 * count * betting.to_call // whole), count)

    return _ready(f"linear_cost({count})", read, About.LINE, lambda step: f"cost{step}")


def _hand_class(infoset: Any) -> str:
    first, second = infoset.hand
    high, low = (first, second) if rank_of(first) >= rank_of(second) else (second, first)
    ranks = RANKS[rank_of(high)] + RANKS[rank_of(low)]
    if rank_of(high) == rank_of(low):
        return ranks
    return ranks + ("s" if suit_of(high) == suit_of(low) else "o")


hand_class = _ready("hand_class", _hand_class, About.PRIVATE, str)
"""One of the 169 starting hands, whatever the board: AKs, QQ, 72o."""


def _last_card_run(infoset: Any) -> int:
    count = 0
    for card in reversed(infoset.board):
        if suit_of(card) not in _RED_SUITS:
            break
        count += 1
    return count


last_card_run = _ready("last_card_run", _last_card_run, About.PUBLIC, lambda run: f"red{run}")
"""The number of red cards at the end of the board: 0 if the last is black. In River of Blood the
hand continues after the fifth card while this is not 0."""


def _board_texture(infoset: Any) -> Hashable:
    board = infoset.board
    if not board:
        return (0, 0, 0)
    ranks = [rank_of(card) for card in board]
    pairs = sorted(Counter(ranks).values(), reverse=True)
    most_of_a_rank = pairs[0] * 10 + (pairs[1] if len(pairs) > 1 else 0)
    most_of_a_suit = max(Counter(map(suit_of, board)).values())
    present = {rank + 1 for rank in ranks} | ({0} if NUM_RANKS - 1 in ranks else set())
    in_a_row = max(
        len(present & set(range(lowest, lowest + _STRAIGHT)))
        for lowest in range(NUM_RANKS + 2 - _STRAIGHT)
    )
    return (most_of_a_rank, min(most_of_a_suit, 5), in_a_row)


def _texture_text(texture: Any) -> str:
    return "no board" if texture == (0, 0, 0) else "x{}s{}r{}".format(*texture)


board_texture = _ready("board_texture", _board_texture, About.PUBLIC, _texture_text)
"""The shape of the board: how often its two most frequent ranks occur (11 unpaired, 21 a pair, 22
two, 31 three of a kind), the most cards of one suit, and the most ranks within a straight."""
