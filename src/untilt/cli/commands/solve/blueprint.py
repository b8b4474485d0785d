"""`untilt blueprint`: train a strategy for whole hold'em, and look at it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.jobs import following, print_found
from untilt.cli.app.sources import Json
from untilt.cli.commands.solve.cluster import walkers_on
from untilt.cli.options.blueprint_options import BlueprintPath, taken_cards, taken_menu
from untilt.cli.options.option_flags import setting_of, with_options
from untilt.durations import shown_duration
from untilt.errors import InvalidOption
from untilt.options.blueprint import (
    EXPLOITER,
    LBR_DEALS,
    LEARNT,
    SHOWN_BOARD,
    SHOWN_LINE,
    TRAIN,
)
from untilt.options.option import verify_unchanged

if TYPE_CHECKING:
    from untilt.runs.blueprints.blueprint_material import TrainedBlueprint

app = typer.Typer(
    name="blueprint",
    help="Whole no-limit hold'em, heads-up: train a strategy on card buckets and a bet menu.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command()
@with_options(TRAIN)
def train(**given: Any) -> None:
    """Train a strategy for whole heads-up no-limit hold'em.

    Ctrl-C saves the run, and --resume continues it. The first training builds the card buckets,
    which takes about half a minute, and keeps them for the next one.
    """
    as_json = given.pop("as_json", False)
    if "resume" in given:
        verify_unchanged(TRAIN, given, "a training")
    with walkers_on(given.pop("cluster", None)) as walkers:
        trained = (_resume if "resume" in given else _train)({**given, "cluster": walkers})
    print_found(trained.warning, trained.to_json, lambda: _print(trained), as_json=as_json)


def _train(given: dict[str, Any]) -> "TrainedBlueprint":
    from untilt.runs.blueprints.blueprint_request import training_stop
    from untilt.runs.blueprints.trainer import rules_for, train_blueprint

    rules = rules_for(given.pop("stack", "100bb"))
    menu, cards = taken_menu(given), taken_cards(given)
    stop = training_stop(given.get("iterations"), given.get("time"))
    with following("blueprint train", f"blueprint · {rules}", stop) as line:
        return train_blueprint(rules, menu, cards, watcher=line, **given)


def _resume(given: dict[str, Any]) -> "TrainedBlueprint":
    from untilt.runs.blueprints.blueprint_request import training_stop
    from untilt.runs.blueprints.trainer import resume_blueprint
    from untilt.runs.kinds import BLUEPRINT, read_task

    path = given.pop("resume")
    request, _ = read_task(path, BLUEPRINT)
    is_new = not {"iterations", "time"}.isdisjoint(given)
    stop = training_stop(given.get("iterations"), given.get("time")) if is_new else request.stop
    with following("blueprint train", f"blueprint · {request.subject.rules}", stop) as line:
        return resume_blueprint(path, watcher=line, **given)


def _print(trained: "TrainedBlueprint") -> None:
    from untilt.cli.app.output import echo, quoted

    found = trained.to_json()
    echo(f"deals         {found['iterations']:,} ({found['iterations_per_second']:,.0f} a second)")
    echo(f"hand-nodes    {found['hand_nodes_per_second'] / 1e6:,.1f} million a second")
    echo(f"infosets      {found['infosets']:,} on {found['nodes']:,} betting nodes")
    echo(f"tables        {found['table_bytes'] / 1e6:,.1f} MB")
    if "visits" in found:
        echo(f"visits        {found['visits']:,}; {found['unvisited']:,} infosets have none")
    echo(f"chart: untilt blueprint chart {quoted(trained.path)} --line ''")


@app.command()
def chart(
    path: BlueprintPath,
    line: Annotated[str, setting_of(SHOWN_LINE)] = "",
    board: Annotated[str, setting_of(SHOWN_BOARD)] = "",
    as_json: Json = False,
) -> None:
    """Show how each class of hands plays after a line of betting, as a 13 × 13 grid.

    Hands count as often as they get there by their own moves; a class of which only a part does
    shows how many percent.
    """
    from untilt.cards.combos import CLASS_NAMES
    from untilt.charts.mix_grid import print_mixes
    from untilt.cli.app.output import print_json, say, stdout
    from untilt.formats.kinds.blueprint_path import blueprint_file
    from untilt.play.review.blueprint_chart import BlueprintCharts, verify_decision

    found = BlueprintCharts(blueprint_file(path)).at(line, board)
    verify_decision(found)
    if as_json:
        names, by_class = found.names, found.class_mix()
        weights = found.class_weights(found.player)
        print_json(
            {
                "line": line,
                "board": board,
                "actions": list(names),
                "shares": found.shares,
                "is_reached": found.is_reached,
                "classes": {
                    name: dict(zip(names, by_class[:, number].tolist(), strict=True))
                    for number, name in enumerate(CLASS_NAMES)
                    if weights[number] > 0.0
                },
                "weights": {
                    name: float(weights[number])
                    for number, name in enumerate(CLASS_NAMES)
                    if weights[number] > 0.0
                },
            }
        )
        return
    console = stdout()
    print_mixes(console, found)
    if not found.is_reached:
        say("no hand gets here by its own moves; all count the same")


@app.command("lbr")
@with_options(LBR_DEALS, after="path")
def lbr(path: BlueprintPath, as_json: Json = False, **given: Any) -> None:
    """Measure how much local best response wins: an older name of `untilt exploit`.

    Variants of the exploiter play the same deals with real cards: fold or call, all-in, all sizes
    of the blueprint's menu, and all sizes from the turn or the river on. The best counts: it is
    chosen on one half of the deals and measured on the other.
    """
    from untilt.cli.app.output import print_json, print_lines, say
    from untilt.cli.commands.measure.lbr import response_lines, showing_best
    from untilt.cli.text.hands_bar import HandsBar
    from untilt.exploitation.exploit import local_best_response
    from untilt.exploitation.measuring.variants import ON_TREE
    from untilt.formats.kinds.blueprint_path import is_blueprint
    from untilt.play.matches.head_to_head import MAX_HANDS

    deals, time = given.pop("deals", None), given.get("time")
    if path.exists() and not is_blueprint(path):
        raise InvalidOption(f"{path} is not a blueprint; `untilt lbr` measures other agents")
    count = deals or (MAX_HANDS // 2 if time is not None else 5_000)
    with HandsBar(2 * count if time is None or deals else None, seconds=time) as bar:
        found = local_best_response(
            path,
            2 * count,
            variants=ON_TREE,
            watcher=showing_best(bar),
            **given,
        )
    if as_json:
        document = found.to_json()
        left_out = ("agent", "seconds", "agents")
        print_json({name: each for name, each in document.items() if name not in left_out})
    else:
        folded = f"an agent that always folds loses {found.always_fold_mbb:.0f} mbb a hand"
        print_lines([*response_lines(found), (folded, "")])
    say("hint: `untilt exploit BLUEPRINT --variant 'own menu'` measures the same")


@app.command()
@with_options(LEARNT, after="output")
def exploit(
    path: BlueprintPath,
    output: Annotated[
        Path,
        setting_of(EXPLOITER),
    ],
    as_json: Json = False,
    **given: Any,
) -> None:
    """Learn to win from a blueprint: an older name of `untilt exploit --variant learned`.

    The blueprint does not change, and the card buckets may be finer than its own.
    The result is a blueprint too. `untilt match` shows what it wins, which is a lower bound of
    what the blueprint can lose.
    """
    from untilt.cli.app.output import echo, print_json, quoted, say
    from untilt.cli.commands.measure.exploit import learn

    found = learn(path, taken_cards(given), output, **given)
    if as_json:
        print_json(
            {"path": str(found.path), "iterations": found.iterations, "seconds": found.seconds}
        )
    else:
        echo(f"deals         {found.iterations:,} in {shown_duration(found.seconds)}")
        echo(f"what it wins: untilt match {quoted(found.path)} {quoted(path)} --hands 20_000")
    say("hint: `untilt exploit BLUEPRINT --variant learned` does the same, and plays the match")
