"""`untilt pushfold quiz`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.app.seeds import SeedOption, seed_or_new
from untilt.cli.app.sources import Json
from untilt.cli.options.pushfold_options import (
    AnteOption,
    BbAnteOption,
    BlindsOption,
    StackOption,
    parse_stakes,
)
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from untilt.games.pushfold.quiz import Question

_QUIT = {"q", "quit", "exit"}


def quiz(
    stack: StackOption = "10",
    ante: AnteOption = 0.0,
    bb_ante: BbAnteOption = 0.0,
    blinds: BlindsOption = "0.5/1",
    hands: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="End after this many hands; endless by default.", show_default=False
        ),
    ] = None,
    seed: SeedOption = None,
    as_json: Json = False,
) -> None:
    """Deal hands, ask for the right play, and show what each mistake costs.

    Answers are p (push) or c (call), f (fold), q to end. The opponent plays the equilibrium.
    """
    from untilt.cli.app.output import print_json, say
    from untilt.games.pushfold.quiz import QuizScore, deal_question
    from untilt.numeric.streams import Stream
    from untilt.runs.pushfold.charts import solve_chart

    if hands is not None and hands < 1:
        raise InvalidOption(f"--hands is {hands}; give 1 or more")
    number = seed_or_new(seed)
    stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
    chart = solve_chart(stakes)
    if word:
        say(word)
    say(f"push/fold at {stakes.stack:g} bb, {chart.stakes_text}, seed {number}; q ends the quiz")
    score = QuizScore()
    stream = Stream(number)
    while hands is None or score.num_answers < hands:
        question = deal_question(chart, stream)
        is_played = _ask(question)
        if is_played is None:
            break
        say(f"  {score.mark(question, is_played=is_played)}")
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
