"""The chips of one hand at a table of any size: whose turn it is, and where every chip is.

A reader posts blinds and makes the recorded actions. A record in which a player acts out of turn,
bets chips that are not there or leaves a street unfinished is refused: something is missing from
it. Sizes of raises are not checked, because sites differ in their rules.
"""

from collections.abc import Sequence

from untilt.errors import FormatError
from untilt.hands.hand import BOARD_SIZES, HandAction, HandMove, big_blind_of

NOBODY = -1
"""Whose turn it is when a street is over."""


class Ledger:
    """The chips of a hand; players are in the order of `RecordedHand`."""

    def __init__(
        self,
        names: Sequence[str],
        stacks: Sequence[int],
        antes: Sequence[int],
        posts: Sequence[int],
        big_blind: int,
        *,
        last: int | None = None,
        is_open: bool = False,
    ) -> None:
        """Post antes and blinds; `last` is the player after whom the betting begins.

        By default that is whoever posted the big blind. With `is_open`, stacks are not known, and
        players who do nothing after the flop may be all-in.
        """
        count = len(names)
        self.names = names
        self.left = [
            stack - ante - post for stack, ante, post in zip(stacks, antes, posts, strict=True)
        ]
        """Chips that each player has not bet."""
        for player in range(count):
            if self.left[player] < 0:
                raise FormatError(f"{names[player]} posts more chips than there are")
        self.bets = list(posts)
        """Bets on this street."""
        self.level = max(posts)
        """The bet to call on this street."""
        # Who calls a blind that is short of chips may call all of it.
        self._whole_blind = big_blind if self.level else 0
        self.returned = [0] * count
        self.streets: list[tuple[HandAction, ...]] = []
        """The actions of the streets that are over."""
        self._dead = sum(antes)
        self._is_in = [True] * count
        self._num_in = count
        self._street: list[HandAction] = []
        self._has_acted = [False] * count
        self._count = count
        self._last = big_blind_of(posts, big_blind) if last is None else last
        self._is_open = is_open

    @property
    def turn(self) -> int:
        """The player to act; -1 if the street is over."""
        if self._num_in < 2:
            return NOBODY
        last, count, level, bets, left = self._last, self._count, self.level, self.bets, self.left
        for step in range(1, count + 1):
            player = (last + step) % count
            if (
                left[player]
                and self._is_in[player]
                and (not self._has_acted[player] or bets[player] < level)
                and self._can_matter(player)
            ):
                return player
        return NOBODY

    def _can_matter(self, player: int) -> bool:
        """Whether another player has chips or has bet more."""
        own = self.bets[player]
        return any(
            other != player and self._is_in[other] and (self.left[other] or self.bets[other] > own)
            for other in range(self._count)
        )

    def act(self, player: int, move: HandMove, amount: int | None = None) -> None:
        """Make an action; `amount` is that of `HandAction`, needed for a bet or raise.

        A fold where checking is free is accepted: sites fold for players who have left.
        """
        if move is HandMove.FOLD and self._is_in[player] and not self.left[player]:
            self._give_up(player)
            return
        if player != self.turn:
            raise FormatError(self._out_of_turn(player))
        name, own, level = self.names[player], self.bets[player], self.level
        total = own
        if move is HandMove.FOLD:
            self._is_in[player] = False
            self._num_in -= 1
        elif move is HandMove.CHECK:
            if own < level:
                raise FormatError(f"{name} checks, but there is a bet")
        elif move is HandMove.CALL:
            most = own + self.left[player]
            total = min(level, most)
            if amount == min(self._whole_blind, most) > total:
                total = amount
            if total == own:
                raise FormatError(f"{name} calls, but there is no bet")
            if amount is not None and amount != total:
                raise FormatError(f"{name} calls to {amount:,}, but the bet is {total:,}")
        else:
            assert amount is not None
            total = amount
            if total <= level:
                raise FormatError(f"{name} raises to {total:,}, but the bet is {level:,}")
            if total > own + self.left[player]:
                raise FormatError(f"{name} bets more chips than there are")
        self.left[player] -= total - own
        self.bets[player] = total
        self.level = max(level, total)
        if self.level > self._whole_blind:
            self._whole_blind = 0
        self._has_acted[player] = True
        self._last = player
        is_all_in = not self.left[player] and total > own
        self._street.append(HandAction(player, move, total, is_all_in))

    def _give_up(self, player: int) -> None:
        """Fold a player without chips, out of turn: some sites do so if the player is away."""
        self._is_in[player] = False
        self._num_in -= 1
        self._street.append(HandAction(player, HandMove.FOLD, self.bets[player], False))

    def call_or_check(self, player: int) -> None:
        """Check if that is free, else call."""
        is_free = self.bets[player] >= self.level
        self.act(player, HandMove.CHECK if is_free else HandMove.CALL)

    def bet_or_raise(self, player: int, amount: int) -> None:
        """Bet if nobody has, else raise, to `amount` on this street."""
        self.act(player, HandMove.RAISE if self.level else HandMove.BET, amount)

    def close_street(self) -> None:
        """End the street, and return a bet that nobody could call.

        Raises FormatError if somebody has still to act.
        """
        is_run_out = self._is_open and self.streets and not self._street
        if self.turn != NOBODY and not is_run_out:
            raise FormatError(f"an action of {self.names[self.turn]} is missing")
        bets = self.bets
        top = max(range(self._count), key=bets.__getitem__)
        back = bets[top] - max(bet for player, bet in enumerate(bets) if player != top)
        if back:
            bets[top] -= back
            self.left[top] += back
            self.returned[top] += back
        self._dead += sum(bets)
        self.bets = [0] * self._count
        self.level = self._whole_blind = 0
        self.streets.append(tuple(self._street))
        self._street = []

    def open_street(self) -> None:
        """Begin the next street."""
        if self._num_in < 2 or len(self.streets) >= len(BOARD_SIZES):
            raise FormatError("a card is dealt after the hand is over")
        self._has_acted = [False] * self._count
        self._last = self._count - 1

    @property
    def pot(self) -> int:
        """The chips of all streets that are over, without those that were returned."""
        return self._dead

    @property
    def contenders(self) -> list[int]:
        """The players who have not folded."""
        return [player for player in range(self._count) if self._is_in[player]]

    def _out_of_turn(self, player: int) -> str:
        turn, name = self.turn, self.names[player]
        if turn == NOBODY:
            return f"{name} acts after the betting is over"
        return f"{name} acts, but it is the turn of {self.names[turn]}"
