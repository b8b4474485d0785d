"""`untilt pushfold quiz`."""

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.seeds import SeedOption, seed_or_new
from untilt.cli.app.sources import Json
from untilt.cli.options.option_flags import setting_of
from untilt.cli.options.pushfold_options import (
    AnteOption,
    BbAnteOption,
    BlindsOption,
    StackOption,
    parse_stakes,
)
from untilt.errors import InvalidOption
from untilt.options.playing import HANDS
from untilt.options.pushfold import OTHERS, PRIZES, SEATS, STACKS

if TYPE_CHECKING:
    from untilt.games.pushfold.quiz import Question
    from untilt.games.pushfold.tables.table_chart import TableChart

_QUIT = {"q", "quit", "exit"}
_EVEN = 1e-3
"""At a whole table, solved to about this, smaller gains in big blinds are none."""


def quiz(
    stack: StackOption = "10",
    ante: AnteOption = 0.0,
    bb_ante: BbAnteOption = 0.0,
    blinds: BlindsOption = "0.5/1",
    seats: Annotated[int | None, setting_of(SEATS)] = None,
    stacks: Annotated[str | None, setting_of(STACKS)] = None,
    prizes: Annotated[str | None, setting_of(PRIZES)] = None,
    others: Annotated[str | None, setting_of(OTHERS)] = None,
    hands: Annotated[
        int | None,
        setting_of(HANDS),
    ] = None,
    seed: SeedOption = None,
    as_json: Json = False,
) -> None:
    """Deal hands, ask for the right play, and show what each mistake costs.

    Answers are p (push) or c (call), f (fold), q to end. The opponents play the equilibrium.
    """
    from untilt.cli.app.output import print_json, say
    from untilt.games.pushfold.quiz import QuizScore, deal_question, deal_table_question
    from untilt.numeric.streams import Stream
    from untilt.runs.pushfold.charts import solve_chart

    if hands is not None and hands < 1:
        raise InvalidOption(f"--hands is {hands}; give 1 or more")
    number = seed_or_new(seed)
    stream = Stream(number)
    score = QuizScore()
    deal: Callable[[], Question]
    document: dict[str, Any]
    if seats is None and stacks is None:
        if prizes is not None or others is not None:
            raise InvalidOption("--prizes and --others are for a whole table; add --seats N")
        stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
        chart = solve_chart(stakes)
        if word:
            say(word)
        title = f"{stakes.stack:g} bb, {chart.stakes_text}"
        document = {"stack_bb": stakes.stack}
        deal = partial(deal_question, chart, stream)
    else:
        table = _solved_table(
            seats, stack, stacks, ante, bb_ante, blinds, prizes=prizes, others=others
        )
        title, document = table.stakes_text, {"stacks_bb": list(table.table.stacks)}
        score.unit, score.indifferent = table.unit, _EVEN / table.bb_per_unit
        deal = partial(deal_table_question, table, stream)
    say(f"push/fold at {title}, seed {number}; q ends the quiz")
    while hands is None or score.num_answers < hands:
        question = deal()
        is_played = _ask(question)
        if is_played is None:
            break
        say(f"  {score.mark(question, is_played=is_played)}")
    if as_json:
        print_json(
            {
                **document,
                "seed": number,
                "answers": score.num_answers,
                "right": score.num_right,
                "cost_bb": score.cost,
                "cost_bb_100": score.cost_per_100,
            }
        )
        return
    typer.echo(
        f"{score.num_right} of {score.num_answers} right; mistakes cost {score.cost:.4f} "
        f"{score.unit}, {score.cost_per_100:.2f} {score.unit}/100"
    )


def _solved_table(
    seats: int | None,
    stack: str,
    stacks: str | None,
    ante: float,
    bb_ante: float,
    blinds: str,
    **of_prizes: str | None,
) -> "TableChart":
    """Return the charts of the table that was asked for."""
    from untilt.cli.commands.solve.table_chart import progress, table_of
    from untilt.runs.pushfold.tables import solve_asked_table

    given: dict[str, Any] = {"ante": ante, "bb_ante": bb_ante, "blinds": blinds}
    given |= {"stack": stack} if stacks is None else {"stacks": stacks}
    given |= {name: text for name, text in of_prizes.items() if text is not None}
    if seats is not None:
        given["seats"] = seats
    with progress("push/fold") as watcher:
        return solve_asked_table(table_of(given), threads=os.cpu_count() or 1, watcher=watcher)


def _ask(question: "Question") -> bool | None:
    """Return whether the hand is to be played; None at the end."""
    # Questions go to stderr, so that stdout holds only the --json result.
    while True:
        sys.stderr.write(f"{question.text} ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        answer = line.strip().lower()
        if not line:
            sys.stderr.write("\n")
        if not line or answer in _QUIT:
            return None
        is_played = question.is_played(answer)
        if is_played is not None:
            return is_played
        sys.stderr.write(f"  {answer[:20]!r} is not an answer: {question.letter}, f, or q to end\n")
