"""`untilt blueprint`: train a strategy for whole hold'em, and look at it."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.blueprint_options import (
    BlueprintPath,
    Cap,
    Flop,
    Iterations,
    MenuSizes,
    Preflop,
    River,
    Seconds,
    Texture,
    Turn,
    chosen_cards,
    chosen_menu,
)
from untilt.cli.cluster import ClusterOption, walkers_on
from untilt.cli.solve import saying_how_to_resume
from untilt.cli.sources import Json
from untilt.durations import shown_duration
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from collections.abc import Iterator

    from untilt.cli.progress_line import ProgressLine
    from untilt.games.holdem.rules import HoldemRules
    from untilt.runs.blueprint_material import TrainedBlueprint
    from untilt.runs.stop import Stop

app = typer.Typer(
    name="blueprint",
    help="Whole no-limit hold'em, heads-up: train a strategy on card buckets and a bet menu.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command()
def train(
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNT",
            help="Stacks, in big blinds (100bb, the default, or 92.5bb); a number without a unit "
            "is in chips of half a big blind.",
            show_default=False,
        ),
    ] = None,
    menu: MenuSizes = None,
    cap: Cap = None,
    preflop: Preflop = None,
    flop: Flop = None,
    turn: Turn = None,
    river: River = None,
    texture: Texture = None,
    iterations: Iterations = None,
    time: Seconds = None,
    rule: Annotated[
        str | None,
        typer.Option(help="linear (default), dcfr+, rm+ or rm.", show_default=False),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="Exponent of the discount of regrets, at least 1.", show_default=False),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="Deal t weighs t^gamma in the average; at most 3.", show_default=False),
    ] = None,
    defer_averaging: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Leave the first N deals out of the average.", show_default=False
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Deals between two updates; 256 by default, 16,384 on a cluster. Changes the "
            "result.",
            show_default=False,
        ),
    ] = None,
    unsynchronised: Annotated[
        bool,
        typer.Option(
            "--unsynchronised",
            help="Update without waiting for other threads: faster, but not reproducible.",
        ),
    ] = False,
    precision: Annotated[
        str | None,
        typer.Option(
            help="float32 (default); float16: tables of half the size; bfloat16: likewise, less "
            "exact; sparse: only positive regrets, for dcfr+ and rm+, smaller still and slower.",
            show_default=False,
        ),
    ] = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            help="external (default): draw cards and the opponent's actions; chance: draw cards "
            "only, for small trees.",
            show_default=False,
        ),
    ] = None,
    visits: Annotated[
        bool, typer.Option("--visits", help="Count how often each infoset is learnt from.")
    ] = False,
    lbr: Annotated[
        int | None,
        typer.Option(
            metavar="DEALS",
            help="Measure local best response on this many deals whenever training has doubled, "
            "for the progress, with its 95 % interval. It costs extra time and changes nothing "
            "else.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Threads to use, 1 by default. The result is the same for any number, unless "
            "--unsynchronised.",
            show_default=False,
        ),
    ] = None,
    cluster: ClusterOption = None,
    chunks: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="With --cluster: parts in which a batch is walked; 8 by default. Changes the "
            "result.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the deals; 0 by default.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="The run folder; runs/holdem-blueprint-{n} by default.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Continue this training bit for bit. -n and --time count from its beginning: "
            "--time is the time in all.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a strategy for whole heads-up no-limit hold'em.

    Ctrl-C saves the run, and --resume continues it. The first training builds the card buckets,
    which takes about half a minute, and keeps them for the next one.
    """
    of_cards = {"preflop": preflop, "flop": flop, "turn": turn, "river": river, "texture": texture}
    options = {
        "rule": rule,
        "alpha": alpha,
        "gamma": gamma,
        "defer_averaging": defer_averaging,
        "batch": batch,
        "synchronised": False if unsynchronised else None,
        "precision": precision,
        "sampling": sampling,
        "visits": visits or None,
        "lbr": lbr,
        "chunks": chunks,
    }
    stops = {"iterations": iterations, "time": time}
    if resume is not None:
        fixed = {"stack": stack, "menu": menu, "cap": cap, **of_cards, **options, "seed": seed}
        for name, value in {**fixed, "output": output}.items():
            if value is not None:
                flag = "unsynchronised" if name == "synchronised" else name.replace("_", "-")
                raise InvalidOption(
                    f"--resume continues a training with its original settings; leave --{flag} out"
                )
        with walkers_on(cluster) as walkers:
            trained = _resume(resume, stops, {"threads": threads, "cluster": walkers})
    else:
        extra: dict[str, Any] = {**options, "threads": threads, "seed": seed or 0}
        extra["output"] = output
        with walkers_on(cluster) as walkers:
            extra["cluster"] = walkers
            trained = _train(stack or "100bb", menu, cap, of_cards, stops, extra)
    _tell(trained, as_json=as_json)


def _train(
    stack: str,
    menu: str | None,
    cap: int | None,
    of_cards: dict[str, Any],
    stops: dict[str, Any],
    extra: dict[str, Any],
) -> "TrainedBlueprint":
    from untilt.runs.blueprint_request import training_stop
    from untilt.runs.blueprints import rules_for, train_blueprint

    rules = rules_for(stack)
    chosen = chosen_menu(menu, cap)
    cards = chosen_cards(**of_cards)
    stop = training_stop(stops["iterations"], stops["time"])
    with _followed(rules, stop) as line:
        return train_blueprint(rules, chosen, cards, watcher=line, **stops, **extra)


@contextmanager
def _followed(rules: "HoldemRules", stop: "Stop") -> "Iterator[ProgressLine]":
    """Show the progress of a training run, and say how to continue it after Ctrl-C."""
    from untilt.cli.output import stderr
    from untilt.cli.progress_line import ProgressLine

    with (
        saying_how_to_resume("blueprint train"),
        ProgressLine(stderr(), f"blueprint · {rules}", stop) as line,
    ):
        yield line


def _resume(path: Path, stops: dict[str, Any], again: dict[str, Any]) -> "TrainedBlueprint":
    from untilt.runs.blueprint_request import training_stop
    from untilt.runs.blueprints import resume_blueprint
    from untilt.runs.kinds import BLUEPRINT, read_task

    request, _ = read_task(path, BLUEPRINT)
    is_new = any(value is not None for value in stops.values())
    stop = training_stop(stops["iterations"], stops["time"]) if is_new else request.stop
    with _followed(request.subject.rules, stop) as line:
        return resume_blueprint(path, watcher=line, **stops, **again)


def _tell(trained: "TrainedBlueprint", *, as_json: bool) -> None:
    from untilt.cli.output import echo, print_json, quoted, warn

    warn(trained.warning)
    found = trained.to_json()
    if as_json:
        print_json(found)
        return
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
    line: Annotated[
        str, typer.Option(help="The betting so far: 'cr6', 'call, raise 6' or 'call, raise 3bb'.")
    ] = "",
    board: Annotated[
        str, typer.Option(metavar="CARDS", help="The board, after the flop: Td9d6h.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show how each class of hands plays after a line of betting, as a 13 × 13 grid.

    Hands count as often as they get there by their own moves; a class of which only a part does
    shows how many percent.
    """
    from untilt.cards.combos import CLASS_NAMES
    from untilt.charts.mix_grid import print_mixes
    from untilt.cli.output import print_json, say, stdout
    from untilt.formats.blueprint_path import blueprint_file
    from untilt.play.blueprint_chart import BlueprintCharts, verify_decision

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
def lbr(
    path: BlueprintPath,
    deals: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Deals, each played in both seats by every variant; 5,000 unless --time is given.",
            show_default=False,
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Stop after this much time.", show_default=False),
    ] = None,
    threads: Annotated[
        int, typer.Option(metavar="N", help="Threads to use; they do not change the result.")
    ] = 1,
    seed: Annotated[int, typer.Option(help="Seed of deals and decisions.")] = 0,
    as_json: Json = False,
) -> None:
    """Measure how much local best response wins: an older name of `untilt exploit`.

    Variants of the exploiter play the same deals with real cards: fold or call, all-in, all sizes
    of the blueprint's menu, and all sizes from the turn or the river on. The best counts: it is
    chosen on one half of the deals and measured on the other.
    """
    from untilt.cli.hands_bar import HandsBar
    from untilt.cli.lbr import response_lines, showing_best
    from untilt.cli.output import print_json, print_lines, say
    from untilt.exploitation.exploit import local_best_response
    from untilt.exploitation.variants import ON_TREE
    from untilt.formats.blueprint_path import is_blueprint
    from untilt.play.head_to_head import MAX_HANDS

    if deals is not None and not 1 <= deals <= MAX_HANDS // 2:
        raise InvalidOption(f"--deals is {deals}; give an integer, at least 1")
    if path.exists() and not is_blueprint(path):
        raise InvalidOption(f"{path} is not a blueprint; `untilt lbr` measures other agents")
    count = deals or (MAX_HANDS // 2 if time is not None else 5_000)
    with HandsBar(2 * count if time is None or deals else None, seconds=time) as bar:
        found = local_best_response(
            path,
            2 * count,
            variants=ON_TREE,
            seed=seed,
            time=time,
            threads=threads,
            watcher=showing_best(bar),
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
def exploit(
    path: BlueprintPath,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the exploiter here, as a blueprint."
        ),
    ],
    preflop: Preflop = None,
    flop: Flop = None,
    turn: Turn = None,
    river: River = None,
    texture: Texture = None,
    iterations: Iterations = None,
    time: Seconds = None,
    threads: Annotated[int, typer.Option(metavar="N", help="Threads to use.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 0,
    as_json: Json = False,
) -> None:
    """Learn to win from a blueprint: an older name of `untilt exploit --variant learned`.

    The blueprint does not change, and the card buckets may be finer than its own.
    The result is a blueprint too. `untilt match` shows what it wins, which is a lower bound of
    what the blueprint can lose.
    """
    from untilt.cli.exploit import learn
    from untilt.cli.output import echo, print_json, quoted, say

    cards = chosen_cards(preflop=preflop, flop=flop, turn=turn, river=river, texture=texture)
    found = learn(path, cards, output, iterations=iterations, time=time, threads=threads, seed=seed)
    if as_json:
        print_json(
            {"path": str(found.path), "iterations": found.iterations, "seconds": found.seconds}
        )
    else:
        echo(f"deals         {found.iterations:,} in {shown_duration(found.seconds)}")
        echo(f"what it wins: untilt match {quoted(found.path)} {quoted(path)} --hands 20_000")
    say("hint: `untilt exploit BLUEPRINT --variant learned` does the same, and plays the match")
