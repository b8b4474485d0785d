"""Hands that random players play by PokerKit's rules, and how sites would write them down.

PokerKit keeps the chips here, so what the readers find is compared with another program.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pokerkit

_AUTOMATIONS = (
    pokerkit.Automation.ANTE_POSTING,
    pokerkit.Automation.BET_COLLECTION,
    pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    pokerkit.Automation.RUNOUT_COUNT_SELECTION,
    pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    pokerkit.Automation.HAND_KILLING,
    pokerkit.Automation.CHIPS_PUSHING,
    pokerkit.Automation.CHIPS_PULLING,
)
NAMES = (
    *("Ann", "Bob: x", "C3-PO (bot)", "Dörte", "Eve said", "Hero", "Ивaн", "$hark", "a", "zz top"),
)


@dataclass(frozen=True)
class Simulated:
    """A hand; lists are by player, from the small blind on, the big blind first of two."""

    number: int
    names: tuple[str, ...]
    seats: tuple[int, ...]
    stacks: tuple[int, ...]
    small: int
    big: int
    ante: int
    events: tuple[tuple[str, int, int, int], ...]
    """What was done, by whom, by how much and to what; `board` has neither."""
    holes: tuple[str, ...]
    boards: tuple[str, ...]
    """The cards dealt on each street."""
    shown: tuple[int, ...]
    """Who reached the showdown."""
    back: tuple[int, int]
    """Who got back how much."""
    won: tuple[int, ...]
    """Collected, before rake."""
    gains: tuple[int, ...]
    """Won or lost, before rake."""
    rake: int = 0
    is_limit: bool = False

    @property
    def collected(self) -> tuple[int, ...]:
        """Collected, after rake."""
        top = self.won.index(max(self.won))
        return tuple(chips - self.rake * (player == top) for player, chips in enumerate(self.won))

    @property
    def pot(self) -> int:
        return sum(self.won)


def simulate(
    seed: int,
    *,
    num_players: int | None = None,
    ante: int | None = None,
    people: Sequence[str] = NAMES,
) -> Simulated:
    """Return a hand at a table of 2 to 9 players, with stacks of all sizes."""
    rng = random.Random(seed)
    count = rng.randint(2, 9) if num_players is None else num_players
    big = rng.choice([2, 10, 25, 100])
    small = big // 2
    ante = rng.choice([0, 0, max(big // 8, 1)]) if ante is None else ante
    stacks = tuple(
        rng.choice([rng.randint(1, 3 * big), rng.randint(big, 300 * big)]) + ante + big
        for _ in range(count)
    )
    state: Any = pokerkit.NoLimitTexasHoldem.create_state(
        _AUTOMATIONS, True, ante, (small, big), big, stacks, count
    )
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    rng.shuffle(deck)
    holes = ["" for _ in range(count)]
    boards: list[str] = []
    events: list[tuple[str, int, int, int]] = []
    while state.status:
        if state.can_deal_hole():
            card = deck.pop()
            holes[state.hole_dealee_index] += card
            state.deal_hole(card)
        elif state.can_burn_card():
            state.burn_card("??")
        elif state.can_deal_board():
            cards = "".join(deck.pop() for _ in range(state.board_dealing_count))
            boards.append(cards)
            events.append(("board", -1, 0, 0))
            state.deal_board(cards)
        else:
            events.append(_act(state, rng))
    seats = _seats(rng, count)
    payoffs = [int(stack) - start for stack, start in zip(state.stacks, stacks, strict=True)]
    paid, back = _paid(events, stacks, small, big, ante)
    folded = {player for verb, player, _, _ in events if verb == "folds"}
    left = tuple(player for player in range(count) if player not in folded)
    won = tuple(chips + gain for chips, gain in zip(paid, payoffs, strict=True))
    names = list(rng.sample(people, count))
    return Simulated(
        number=10_000 + seed,
        names=tuple(names),
        seats=seats,
        stacks=stacks,
        small=small,
        big=big,
        ante=ante,
        events=tuple(events),
        holes=tuple(holes),
        boards=tuple(boards),
        shown=left if len(left) > 1 else (),
        back=back,
        won=won,
        gains=tuple(payoffs),
        rake=min(sum(won) // 20, 300) if sum(map(bool, won)) == 1 and boards else 0,
    )


def _act(state: Any, rng: random.Random) -> tuple[str, int, int, int]:
    player = state.actor_index
    own, level = state.bets[player], max(state.bets)
    least, most = (
        state.min_completion_betting_or_raising_to_amount,
        state.max_completion_betting_or_raising_to_amount,
    )
    roll = rng.random()
    if roll < 0.22 and state.can_fold():
        state.fold()
        return "folds", player, 0, 0
    if roll > 0.72 and state.can_complete_bet_or_raise_to():
        amount = rng.choice(
            [least, most, min(most, max(least, 3 * level)), rng.randint(least, most)]
        )
        state.complete_bet_or_raise_to(amount)
        verb = "raises" if level else "bets"
        return verb, player, amount - level, amount
    call = int(state.checking_or_calling_amount)
    state.check_or_call()
    return ("calls" if call else "checks"), player, call, own + call


def _paid(
    events: Sequence[tuple[str, int, int, int]],
    stacks: Sequence[int],
    small: int,
    big: int,
    ante: int,
) -> tuple[list[int], tuple[int, int]]:
    """Return what each player put into the pot, and what was returned to whom."""
    count = len(stacks)
    blinds = (big, small) if count == 2 else (small, big, *(0,) * (count - 2))
    bets = [min(blind, stack - ante) for blind, stack in zip(blinds, stacks, strict=True)]
    paid = [ante] * count
    back = 0, 0
    for verb, player, _, to in (*events, ("board", -1, 0, 0)):
        if verb != "board":
            bets[player] = max(bets[player], to)
            continue
        first, second = sorted(bets)[:-3:-1]
        if first > second:
            back = bets.index(first), first - second
            bets[back[0]] = second
        paid = [total + bet for total, bet in zip(paid, bets, strict=True)]
        bets = [0] * count
    return paid, back


def _seats(rng: random.Random, count: int) -> tuple[int, ...]:
    """Return seats, clockwise from the small blind; of two, from the big blind."""
    seats = sorted(rng.sample(range(1, 11), count))
    begin = rng.randrange(count)
    return tuple(seats[begin:] + seats[:begin])


Money = Callable[[int], str]


def dollars(cents: int) -> str:
    """Return an amount as PokerStars writes it: without `.00`."""
    return f"${cents / 100:,.2f}".removesuffix(".00")


def euros(cents: int) -> str:
    """Return an amount with a decimal comma and the sign behind it."""
    text = f"{cents / 100:,.2f}".replace(",", "\u00a0").replace(".", ",")
    return f"€{text}"


def chips(amount: int) -> str:
    """Return an amount of a tournament."""
    return f"{amount}"


def grouped(amount: int) -> str:
    """Return an amount of a tournament of GGPoker."""
    return f"{amount:,}"


def pokerstars_text(hand: Simulated, money: Money = dollars, hero: int = 0) -> str:
    """Return a hand as PokerStars would write it."""
    is_cash = money in (dollars, euros)
    codes: dict[Money, str] = {dollars: " USD", euros: " EUR"}
    code = codes.get(money, "")
    if is_cash:
        stakes = f"Hold'em No Limit ({money(hand.small)}/{money(hand.big)}{code})"
    else:
        stakes = f"Tournament #77, $10+$1 USD Hold'em No Limit - Level I ({hand.small}/{hand.big})"
    header = f"PokerStars Hand #{hand.number}:  {stakes} - 2025/03/04 17:05:59 ET"
    return _text(hand, money, header, hero, "SHOW DOWN", "", is_named=True)


def ggpoker_text(hand: Simulated, money: Money = dollars, hero: int = 0) -> str:
    """Return a hand as GGPoker would write it: names are anonymous."""
    if money is dollars:
        ante = f"({money(hand.ante)})" if hand.ante else ""
        stakes = f"Hold'em No Limit ({money(hand.small)}/{money(hand.big)}{ante})"
        number = f"RC{hand.number}"
    else:
        stakes = (
            f"Tournament #88, Bounty Hunters $5 Hold'em No Limit - "
            f"Level7({money(hand.small)}/{money(hand.big)}({money(hand.ante)}))"
        )
        number = f"TM{hand.number}"
    header = f"Poker Hand #{number}: {stakes} - 2025/03/04 17:05:59"
    fees = f" | Jackpot {money(0)} | Bingo {money(0)} | Fortune {money(0)} | Tax {money(0)}"
    return _text(hand, money, header, hero, "SHOWDOWN", fees, is_named=False)


def gg_names(hand: Simulated, hero: int = 0) -> list[str]:
    """Return the names that GGPoker gives."""
    return [
        "Hero" if player == hero else f"{hand.number * 37 + player:x}"
        for player in range(len(hand.names))
    ]


def _text(
    hand: Simulated,
    money: Money,
    header: str,
    hero: int,
    showdown: str,
    fees: str,
    *,
    is_named: bool,
) -> str:
    names = hand.names if is_named else gg_names(hand, hero)
    count = len(names)
    button = hand.seats[-1]
    lines = [header, f"Table 'Ceres II' 10-max Seat #{button} is the button"]
    lines += [
        f"Seat {seat}: {name} ({money(stack)} in chips)"
        for seat, name, stack in sorted(zip(hand.seats, names, hand.stacks, strict=True))
    ]
    if hand.ante:
        lines += [f"{name}: posts the ante {money(hand.ante)}" for name in names]
    small, big = (1, 0) if count == 2 else (0, 1)
    for player, word, blind in ((small, "small", hand.small), (big, "big", hand.big)):
        left = hand.stacks[player] - hand.ante
        all_in = " and is all-in" if left <= blind else ""
        amount = money(min(blind, left))
        lines.append(f"{names[player]}: posts {word} blind {amount}{all_in}")
    lines.append("*** HOLE CARDS ***")
    if not is_named:
        lines += [f"Dealt to {name}" for player, name in enumerate(names) if player != hero]
    lines.append(f"Dealt to {names[hero]} [{_spaced(hand.holes[hero])}]")
    lines += _play(hand, names, money)
    if hand.shown:
        lines.append(f"*** {showdown} ***")
        lines += [f"{names[each]}: shows [{_spaced(hand.holes[each])}]" for each in hand.shown]
    elif not is_named:
        lines.append(f"*** {showdown} ***")
    lines += [
        f"{names[player]} collected {money(amount)} from pot"
        for player, amount in enumerate(hand.collected)
        if amount
    ]
    lines += ["*** SUMMARY ***", f"Total pot {money(hand.pot)} | Rake {money(hand.rake)}{fees}"]
    if hand.boards:
        lines.append(f"Board [{_spaced(''.join(hand.boards))}]")
    lines += [
        f"Seat {seat}: {name} did something" for seat, name in zip(hand.seats, names, strict=True)
    ]
    return "\n".join(lines) + "\n\n\n"


def _play(hand: Simulated, names: Sequence[str], money: Money) -> list[str]:
    lines = []
    street = 0
    is_returned = not hand.back[1]
    bets = _first_bets(hand)
    left = [stack - hand.ante - bet for stack, bet in zip(hand.stacks, bets, strict=True)]
    last_board = max((n for n, event in enumerate(hand.events) if event[0] != "board"), default=-1)
    for number, (verb, player, by, to) in enumerate(hand.events):
        if number > last_board and not is_returned:
            lines.append(_returned(hand, names, money))
            is_returned = True
        if verb == "board":
            street += 1
            before = "".join(hand.boards[: street - 1])
            shown = f"[{_spaced(before)}] " if before else ""
            word = ("FLOP", "TURN", "RIVER")[street - 1]
            lines.append(f"*** {word} *** {shown}[{_spaced(hand.boards[street - 1])}]")
            bets = [0] * len(bets)
            continue
        more = max(to - bets[player], 0)
        left[player] -= more
        bets[player] = max(bets[player], to)
        all_in = " and is all-in" if more and not left[player] else ""
        amount = {
            "calls": f" {money(by)}",
            "bets": f" {money(to)}",
            "raises": f" {money(by)} to {money(to)}",
        }.get(verb, "")
        lines.append(f"{names[player]}: {verb}{amount}{all_in}")
    if not is_returned:
        lines.append(_returned(hand, names, money))
    return lines


def _first_bets(hand: Simulated) -> list[int]:
    count = len(hand.names)
    blinds = (hand.big, hand.small) if count == 2 else (hand.small, hand.big, *(0,) * (count - 2))
    return [min(b, s - hand.ante) for b, s in zip(blinds, hand.stacks, strict=True)]


def _returned(hand: Simulated, names: Sequence[str], money: Money) -> str:
    player, amount = hand.back
    return f"Uncalled bet ({money(amount)}) returned to {names[player]}"


def _spaced(cards: str) -> str:
    return " ".join(cards[begin : begin + 2] for begin in range(0, len(cards), 2))
