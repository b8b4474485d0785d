"""`untilt hand`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import users_code
from untilt.cli.options.option_flags import with_options
from untilt.cli.text.insight_text import (
    cost_words,
    mix_words,
    range_grids,
    solved_words,
    values_words,
)
from untilt.errors import InvalidOption
from untilt.options.looking import HAND

if TYPE_CHECKING:
    from untilt.play.review.hand_review import HandReview, ReviewedDecision


@with_options(HAND)
def hand(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A hand history of PokerStars or GGPoker, in the PHH format, or an ACPC log.",
            show_default=False,
        ),
    ],
    **given: Any,
) -> None:
    """Replay a hand that was written down, decision by decision.

    A hand of more than two players is shown as it was played, without a comparison.

    With --strategy or --agent, each decision is shown beside what the strategy or agent does there
    and what the choice cost, as far as it is known.
    """
    from untilt.cli.app.output import echo, print_json, printing
    from untilt.hands.hand_text import hand_lines
    from untilt.hands.histories import read_recorded
    from untilt.play.review.hand_review import review as reviewed

    strategy, agent, ranges, number, trust, as_json = (
        given.get(option.name, option.default) for option in HAND
    )
    if strategy is None and trust:
        raise InvalidOption("--trust is for the run of --strategy: leave it out")
    if ranges and agent is None:
        raise InvalidOption("--ranges needs --agent: leave it out")
    is_compared = strategy is not None or agent is not None
    recorded = read_recorded(file, number)
    if recorded is not None and recorded.num_players > 2 and not is_compared:
        if as_json:
            print_json(recorded.to_json())
            return
        with printing():
            for line in hand_lines(recorded):
                echo(line)
        return
    with users_code():
        review = reviewed(file, strategy, agent=agent, number=number, trust=trust)
    if as_json:
        print_json(review.to_json(ranges=ranges))
        return
    with printing():
        _print(review, is_compared=is_compared, shows_ranges=ranges)


def _print(review: "HandReview", *, is_compared: bool, shows_ranges: bool) -> None:
    from untilt.cli.app.output import echo
    from untilt.games.holdem.game import cards_text
    from untilt.play.review.hand_review import street_name

    replay = review.replay
    names = review.names
    echo(f"{replay.root.rules}")
    for player in (0, 1):
        echo(f"  {names[player]}: {replay.private(player) or 'unknown cards'}")
    street = -1
    for decision in review.decisions:
        position = decision.step.position
        if position.street != street:
            street = position.street
            board = f" {cards_text(position.board)}" if position.board else ""
            echo(f"{street_name(street)}{board}, pot {position.betting.total_pot:,}")
        echo(f"  {names[decision.step.player]}: {decision.step.action}{_comment(decision)}")
        if is_compared:
            for line in _compared(decision):
                echo(f"    {line}")
        if shows_ranges and decision.advice is not None and decision.advice.insight is not None:
            seat = decision.step.player
            echo(
                range_grids(decision.advice.insight.hand, 1 - seat, (names[seat], names[1 - seat]))
            )
    end = replay.end
    if replay.steps and end.board != replay.steps[-1].position.board and end.betting.is_all_in:
        echo(f"board {cards_text(end.board)}")
    echo(review.result_words)


def _comment(decision: "ReviewedDecision") -> str:
    return f"  # {decision.step.comment}" if decision.step.comment else ""


def _compared(decision: "ReviewedDecision") -> list[str]:
    if decision.advice is None:
        return ["the strategy does not know this"]
    insight = decision.advice.insight
    if insight is not None:
        lines = [f"agent: {mix_words(insight.mix)}; {cost_words(insight)}"]
        return [*lines, f"worth {values_words(insight)}", *filter(None, [solved_words(insight)])]
    cost = "" if decision.cost is None else f"; cost {decision.cost:.4g}"
    return [f"strategy: {mix_words(decision.advice.mix)}{cost}"]
