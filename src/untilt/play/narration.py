"""Events at the table, in words: "you call 2", "the small blind goes all in", "you win".

The words follow from the kinds and amounts of actions and from the game's terms, so that every
game reads well: no code here knows a game by its name.
"""

import re
from collections.abc import Sequence

from untilt.game.actions import ActionData, Kind, action_data, shown_amount
from untilt.game.names.labels import split_label
from untilt.game.terms import Chips, Terms
from untilt.game.wording import decision_words
from untilt.policy.hands.turn import Decision, Turn

_VERBS = {
    Kind.FOLD: "fold",
    Kind.CHECK: "check",
    Kind.CALL: "call",
    Kind.BET: "bet",
    Kind.RAISE: "raise",
    Kind.ALL_IN: "go all in",
}
_BEFORE_AMOUNT = {Kind.RAISE: " to", Kind.ALL_IN: " for"}
_OF_SHOWDOWN = frozenset({Kind.CHECK, Kind.CALL})
_HISSING = re.compile(r"(s|x|z|ch|sh|[^aeiou]o)$")
_NAME = re.compile(r"\d$|^[A-Z]")


def named(terms: Terms, player: int) -> str:
    """Return a player's seat in a sentence: `the small blind`, `player 1`, `Ann`."""
    seat = terms.seats[player]
    return seat if not seat or _NAME.search(seat) else f"the {seat}"


def situation(turn: Turn, terms: Terms) -> str:
    """Return what the player to act faces: `facing a bet`, `after 1-3`, `half-spread 0.4`."""
    if any(action.kind is not Kind.OTHER for action in turn.legal):
        if not turn.public or terms.public == "board":
            return _decision_words(turn, turn.public)
        words = _decision_words(turn, "")
    elif turn.line:
        words = f"after {turn.line}"
    else:
        words = "" if turn.private or turn.public else _bare(turn.label)
    seen = public_words(turn.public, terms)
    return ", ".join(part for part in (words, seen) if part) or "opening move"


def _decision_words(turn: Turn, public: str) -> str:
    """Return what the player to act faces; a bet that nobody has made is a blind."""
    has_bets = turn.chips is not None and max(turn.chips.bets) > 0.0
    return decision_words(turn.label, public, turn.line, has_blinds=has_bets)


def public_words(public: str, terms: Terms) -> str:
    """Return what all players see: `K on the board`, `half-spread 0.4`."""
    if not public:
        return ""
    return f"{public} on the board" if terms.public == "board" else f"{terms.public} {public}"


def move_words(decision: Decision, terms: Terms, *, is_you: bool) -> str:
    """Return who does what: `you bet 2`, `the big blind calls 9`, `player 1 says 2-3`."""
    who = "you" if is_you else named(terms, decision.player)
    verb, rest = _parts(_taken(decision), decision, terms)
    return f"{who} {verb if is_you else _third_person(verb)}{rest}"


def third_person(turn: Turn, action: str, terms: Terms) -> str:
    """Return what somebody else does with an action: `checks`, `goes all in`, `says 2-3`.

    The amount is left out unless there are several of its kind.
    """
    data = next(each for each in turn.legal if each.name == action)
    is_only = sum(each.kind is data.kind for each in turn.legal) == 1
    verb, rest = _parts(ActionData(data.name, data.kind) if is_only else data, turn, terms)
    return _third_person(verb) + rest


def choice_words(turn: Turn, action: ActionData) -> str:
    """Return an action as a button shows it: `call 2 to win 6`, `raise to 6`, `all-in 9.5`."""
    chips, amount = turn.chips, action.amount
    if amount is None:
        return action.name
    if action.kind is Kind.CALL and chips is not None:
        return f"call {_price(turn, action)} to win {shown_amount(_to_win(turn, chips, amount))}"
    return f"{action.kind.value}{' to' if action.kind is Kind.RAISE else ''} {shown_amount(amount)}"


def opening_words(chips: Chips | None, terms: Terms, seat: int) -> list[str]:
    """Return the money at the first decision: `pot 2`, `you post 0.5`, `the big blind posts 1`."""
    if chips is None:
        return []
    pot = [f"{shown_amount(chips.pot)} in the pot"] if chips.pot else []
    return pot + [
        f"{'you post' if player == seat else f'{named(terms, player)} posts'} {shown_amount(bet)}"
        for player, bet in enumerate(chips.bets)
        if bet
    ]


def chips_words(chips: Chips, terms: Terms, seat: int) -> str:
    """Return the money on the table in one line: `pot 6 (player 1 bet 2) · you have 9 behind`."""
    bets = [
        f"{shown_amount(bet)} from {'you' if player == seat else named(terms, player)}"
        for player, bet in enumerate(chips.bets)
        if bet
    ]
    total = shown_amount(chips.pot + sum(chips.bets))
    words = f"pot {total} {terms.unit}" + (f" with {' and '.join(bets)}" if bets else "")
    own = chips.stacks[seat]
    return words if own is None else f"{words}; you have {shown_amount(own)} left"


def outcome_words(
    decisions: Sequence[Decision],
    payoffs: tuple[float, ...],
    terms: Terms,
    seat: int,
    *,
    is_zero_sum: bool,
) -> str:
    """Return how a hand ended for the player in `seat`: `the big blind folds: you win`.

    If payoffs do not sum to zero, all sides may gain, and so all are named.
    """
    own = payoffs[seat]
    if not is_zero_sum:
        others = [
            f"{named(terms, player)} {_gain(payoff, 'gains', 'loses')}"
            for player, payoff in enumerate(payoffs)
            if player != seat
        ]
        return ", ".join([f"you {_gain(own, 'gain', 'lose')}", *others])
    if len(payoffs) > 2:
        return _outcome_of_many(decisions, payoffs, terms, seat)
    result = "you win" if own > 0.0 else "you lose" if own < 0.0 else ""
    last = decisions[-1] if decisions else None
    kind = Kind.OTHER if last is None else action_data(last.action).kind
    if last is not None and kind is Kind.FOLD:
        end = "you fold" if last.player == seat else f"{named(terms, last.player)} folds"
        return f"{end}: {result or 'nobody wins'}"
    if kind in _OF_SHOWDOWN:
        return f"showdown: {result or 'the pot is split'}"
    return result or "a draw"


def _outcome_of_many(
    decisions: Sequence[Decision], payoffs: tuple[float, ...], terms: Terms, seat: int
) -> str:
    """Return who wins a hand of more than two players: `showdown: player 2 wins`, `you fold: …`."""
    winners = [player for player, payoff in enumerate(payoffs) if payoff > 0.0]
    names = ["you" if player == seat else named(terms, player) for player in winners]
    if not winners:
        result = "nobody wins"
    elif len(winners) > 1:
        result = f"{', '.join(names[:-1])} and {names[-1]} win"
    else:
        result = f"{names[0]} {'win' if winners[0] == seat else 'wins'}"
    kinds = {each.player: action_data(each.action).kind for each in decisions}
    folded = [player for player, kind in kinds.items() if kind is Kind.FOLD]
    if len(folded) == len(payoffs) - 1:
        return f"all others fold: {result}"
    if seat in folded:
        return f"you fold: {result}"
    is_shown = bool(decisions) and action_data(decisions[-1].action).kind in {
        *_OF_SHOWDOWN,
        Kind.FOLD,
    }
    return f"showdown: {result}" if is_shown else result


def verdict_words(costs: Sequence[float | None], count: int) -> str:
    """Return what decisions cost: `2 mistakes · gave away 4.22`, `no mistakes`.

    `count` of the decisions with these costs were mistakes.
    """
    if not costs:
        return "no decision of yours"
    known = [cost for cost in costs if cost is not None]
    if not known:
        return "cost unknown"
    if not count:
        return "no mistakes" if len(known) == len(costs) else "no mistakes, as far as known"
    cost = sum(known)
    shown = f"{cost:.2f}" if cost >= 0.01 else f"{cost:.3f}"
    return f"{count} mistake{'' if count == 1 else 's'} · gave away {shown}"


def _gain(amount: float, gains: str, loses: str) -> str:
    return f"{loses if amount < 0.0 else gains} {f'{abs(amount):.4g}' if amount else 'nothing'}"


def _bare(label: str) -> str:
    """Return the label of an infoset that shows nothing else, without its player."""
    player, _ = split_label(label)
    return label if player is None and not label.startswith(("P0:", "P1:")) else label[3:]


def _taken(decision: Decision) -> ActionData:
    return next(each for each in decision.legal if each.name == decision.action)


def _parts(action: ActionData, turn: Turn, terms: Terms) -> tuple[str, str]:
    """Return the verb of a move, and what follows it."""
    if action.kind is Kind.OTHER:
        verb = terms.verbs[turn.player]
        return (verb, f" {action.name}") if verb else (action.name, "")
    verb, _, more = _VERBS[action.kind].partition(" ")
    more = f" {more}" if more else ""
    if action.amount is None:
        return verb, more
    size = _price(turn, action) if action.kind is Kind.CALL else shown_amount(action.amount)
    return verb, f"{more}{_BEFORE_AMOUNT.get(action.kind, '')} {size}"


def _price(turn: Turn, call: ActionData) -> str:
    """Return what a call adds to what the player has already put in on the street."""
    assert call.amount is not None
    before = 0.0 if turn.chips is None else turn.chips.bets[turn.player]
    return shown_amount(call.amount - before)


def _to_win(turn: Turn, chips: Chips, level: float) -> float:
    """Return what is in the pot before a call; an uncalled part of a bet is given back."""
    bets = list(chips.bets)
    own = bets.pop(turn.player)
    return sum((min(bet, level) for bet in bets), chips.pot + own)


def _third_person(verb: str) -> str:
    if _HISSING.search(verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"
