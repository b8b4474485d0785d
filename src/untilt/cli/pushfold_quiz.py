"""`untilt pushfold quiz`."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.pushfold_options import (
    AnteOption,
    BbAnteOption,
    BlindsOption,
    StackOption,
    parse_stakes,
)
from untilt.cli.seeds import SeedOption, seed_or_new
from untilt.cli.sources import Json
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from untilt.charts.push_fold import PushFoldChart, Seat
    from untilt.numeric.streams import Stream

_INDIFFERENT = 1e-6
"""Below it, in bb, both answers are right."""

_QUIT = {"q", "quit", "exit"}


@dataclass
class Score:
    """What was answered so far."""

    num_answers: int = 0
    num_right: int = 0
    cost: float = 0.0
    """What all mistakes together cost, in bb."""

    @property
    def cost_per_100(self) -> float:
        """What mistakes cost, in bb per 100 answers."""
        return 100.0 * self.cost / self.num_answers if self.num_answers else 0.0


def quiz(
    stack: StackOption = "10",
    ante: AnteOption = 0.0,
    bb_ante: BbAnteOption = 0.0,
    blinds: BlindsOption = "0.5/1",
    hands: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="End after so many hands; without end by default.", show_default=False
        ),
    ] = None,
    seed: SeedOption = None,
    as_json: Json = False,
) -> None:
    """Deal hands, ask for the right play, and show what each mistake costs.

    Answers are p (push) or c (call), f (fold), q to end. The opponent plays the equilibrium.
    """
    from untilt.cli.output import print_json, say
    from untilt.numeric.streams import Stream
    from untilt.runs.pushfold import solve_chart

    if hands is not None and hands < 1:
        raise InvalidOption(f"--hands is {hands}; give 1 or more")
    number = seed_or_new(seed)
    stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
    chart = solve_chart(stakes)
    if word:
        say(word)
    say(f"push/fold at {stakes.stack:g} bb, {chart.stakes_text}, seed {number}; q ends the quiz")
    score = Score()
    stream = Stream(number)
    while hands is None or score.num_answers < hands:
        seat, cards, hand = _deal(chart, stream)
        is_played = _ask(seat, cards)
        if is_played is None:
            break
        _mark(score, seat, hand, is_played=is_played)
    if as_json:
        print_json(
            {
                "stack_bb": stakes.stack,
                "seed": number,
                "answers": score.num_answers,
                "right": score.num_right,
                "cost_bb": score.cost,
                "cost_bb_100": score.cost_per_100,
            }
        )
        return
    typer.echo(
        f"{score.num_right} of {score.num_answers} right; mistakes cost {score.cost:.4f} bb, "
        f"{score.cost_per_100:.2f} bb/100"
    )


def _deal(chart: "PushFoldChart", stream: "Stream") -> "tuple[Seat, str, int]":
    """Return a seat that has to decide, its two cards, and the number of their class."""
    from untilt.cards.card import DECK, card_name
    from untilt.cards.combos import CLASS_OF_COMBO, COMBO_OF_CARDS

    while True:
        deck = list(DECK)
        drawn = [deck.pop(int(stream.random() * len(deck))) for _ in range(4)]
        is_small_blind = stream.random() < 0.5
        opponent_class = CLASS_OF_COMBO[COMBO_OF_CARDS[drawn[2], drawn[3]]]
        # The big blind is only asked when she faces a push, which tells her something.
        if is_small_blind or stream.random() < chart.push.frequency[opponent_class]:
            own = sorted(drawn[:2], key=DECK.index, reverse=True)
            hand = int(CLASS_OF_COMBO[COMBO_OF_CARDS[own[0], own[1]]])
            cards = " ".join(card_name(card) for card in own)
            return chart.push if is_small_blind else chart.call, cards, hand


def _ask(seat: "Seat", cards: str) -> bool | None:
    """Return whether the hand is to be played; None at the end."""
    # Questions go to stderr, so that a --json result stands alone.
    faced = "" if seat.action == "push" else " against a push"
    letter = seat.action[0]
    while True:
        sys.stderr.write(f"{seat.player}, {cards}{faced}: {seat.action} or fold? [{letter}/f] ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        answer = line.strip().lower()
        if not line:
            sys.stderr.write("\n")
            return None
        if answer in _QUIT:
            return None
        if answer in (letter, seat.action):
            return True
        if answer in ("f", "fold"):
            return False
        sys.stderr.write(f"  {answer[:20]!r} is no answer: {letter}, f, or q to end\n")


def _mark(score: Score, seat: "Seat", hand: int, *, is_played: bool) -> None:
    from untilt.cards.combos import CLASS_NAMES
    from untilt.cli.output import say

    gain = float(seat.ev[hand] - seat.fold_ev)
    is_right = abs(gain) < _INDIFFERENT or (gain > 0.0) == is_played
    score.num_answers += 1
    score.num_right += is_right
    best = f"{seat.action}ing" if gain > 0.0 else "folding"
    name = CLASS_NAMES[hand]
    if abs(gain) < _INDIFFERENT:
        share = 100.0 * float(seat.frequency[hand])
        say(f"  {name} is mixed: both are worth the same ({seat.action} {share:.1f} %)")
    elif is_right:
        say(f"  right: {best} {name} is {abs(gain):.4f} bb better")
    else:
        score.cost += abs(gain)
        say(f"  wrong: {best} {name} is right; that costs {abs(gain):.4f} bb")
