"""`untilt pushfold`: train a strategy, match strategies, and quiz the user."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.jobs import print_found
from untilt.cli.app.sources import Json
from untilt.cli.app.watching import Watching
from untilt.cli.commands.solve.pushfold_quiz import quiz
from untilt.cli.options.option_flags import chosen_of, with_options
from untilt.cli.options.pushfold_options import (
    AnteOption,
    BbAnteOption,
    BlindsOption,
    StackOption,
    parse_stack,
    parse_stakes,
)
from untilt.cli.text.training_line import cut_warning, following_training, print_training
from untilt.options.option import verify_unchanged
from untilt.options.pushfold import LEARNING, TRAIN

if TYPE_CHECKING:
    from untilt.runs.pushfold.training_material import Training

_STRATEGY_HELP = (
    "A CSV chart, a strategy file, regret.dat, the folder of a run, 'push=RANGE;call=RANGE', "
    "hune or nash."
)


def match(
    first: Annotated[str, typer.Argument(metavar="A", help=_STRATEGY_HELP, show_default=False)],
    second: Annotated[str, typer.Argument(metavar="B", help="The same.", show_default=False)],
    stack: StackOption = "10",
    ante: AnteOption = 0.0,
    bb_ante: BbAnteOption = 0.0,
    blinds: BlindsOption = "0.5/1",
    as_json: Json = False,
) -> None:
    """Compute exactly what push/fold strategy A wins against B, in bb/100.

    No hands are dealt: the result is the expectation over all deals and boards.
    """
    from untilt.cli.app.output import print_json, print_lines, warn
    from untilt.games.pushfold.text import match_document, match_lines
    from untilt.runs.pushfold.charts import play_match
    from untilt.runs.pushfold.pushfold_strategies import caveat, read_play

    stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
    names = first, second
    for name in dict.fromkeys(names):
        warn(caveat(name, stakes))
    found = play_match(stakes, read_play(first, stakes), read_play(second, stakes))
    if as_json:
        if word:
            warn(word)
        print_json(match_document(stakes, names, found))
        return
    print_lines(match_lines(stakes, names, found, word))


app = typer.Typer(
    name="pushfold",
    help="Push/fold hold'em: train a strategy on random hands, compare strategies, practise.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command()
@with_options(TRAIN)
def train(**given: Any) -> None:
    """Learn push/fold from random hands by regret minimization.

    Shows how exploitability falls with the hands played. Ctrl-C saves, and the same command
    continues.
    """
    from untilt.cli.app.output import say

    as_json = given.pop("as_json", False)
    with Watching.asked(given) as page:
        found = _resume(given, page) if "resume" in given else _train(given, page)
        for note in found.notes:
            say(note)
        print_found(
            cut_warning(found), found.to_json, lambda: print_training(found), as_json=as_json
        )
        page.stay()


def _train(given: dict[str, Any], page: Watching) -> "Training":
    from untilt.runs.pushfold.training import DEFAULT_HANDS, train
    from untilt.runs.pushfold.training_start import prepare

    if "stack" in given:
        given["stack"] = parse_stack("--stack", given["stack"])
    path, output = given.pop("regret_file", None), given.pop("output", None)
    start = prepare(path, chosen_of(LEARNING, given))
    how = _how(given)
    hands, seconds = how.get("hands"), how.get("seconds")
    expected = DEFAULT_HANDS if hands is None and seconds is None else hands
    with following_training(start.settings.stack, expected, seconds, page) as line:
        return train(start, path=path, watcher=line, record=page.is_wanted, output=output, **how)


def _resume(given: dict[str, Any], page: Watching) -> "Training":
    from untilt.runs.pushfold.training import read_training, resume_training

    verify_unchanged(TRAIN, given, "a training")
    settings, stop = read_training(given["resume"])
    how = _how(given)
    hands, seconds = how.get("hands"), how.get("seconds")
    if hands is None and seconds is None:
        hands, seconds = stop.iterations, stop.seconds
    with following_training(settings.stack, hands, seconds, page) as line:
        return resume_training(
            given["resume"], regret_file=given.get("regret_file"), watcher=line, **how
        )


def _how(given: dict[str, Any]) -> dict[str, Any]:
    """Return how long and in how many threads to train."""
    names = {"hands": "hands", "time": "seconds", "threads": "threads", "pace": "pace"}
    return {names[name]: value for name, value in given.items() if name in names}


for command in (match, quiz):
    app.command()(command)
