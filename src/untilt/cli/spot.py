"""`untilt spot`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli import activity
from untilt.cli.cluster import ClusterOption, trees_on
from untilt.cli.method_options import given_of, method_flags, with_flags
from untilt.cli.pipes import printing
from untilt.cli.solve import saying_how_to_resume
from untilt.cli.sources import Json
from untilt.cli.spot_options import SEATS, size_parameters, spot_from
from untilt.cli.watching import NoOpenOption, PortOption, Watching, WatchOption
from untilt.errors import InvalidOption, flag_of
from untilt.solvers.public_tree.methods import DEFAULT_METHOD, SPOT_METHODS

if TYPE_CHECKING:
    from untilt.games.holdem.solution import Solution
    from untilt.games.holdem.spot import Spot
    from untilt.runs.spot_request import SpotTask


@with_flags([*size_parameters(), *method_flags(SPOT_METHODS.values())], after="method")
def spot(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SPOT.toml|RUN]",
            help="A spot as a file, or that of a run; flags replace its entries.",
            show_default=False,
        ),
    ] = None,
    line: Annotated[
        str | None,
        typer.Option(
            help="With RUN or --from: solve the street that begins after this betting, on --board, "
            "with the ranges that get there.",
            show_default=False,
        ),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="AGENT",
            help="A blueprint or another agent of hold'em: solve the street that begins after "
            "--line on --board, with the ranges that it gets there with.",
            show_default=False,
        ),
    ] = None,
    respond: Annotated[
        str | None,
        typer.Option(
            metavar="oop|ip",
            help="With RUN: the best response of this player to the other's strategy there, "
            "changed by --lock.",
            show_default=False,
        ),
    ] = None,
    board: Annotated[
        str | None, typer.Option(help="Three to five cards: Td9d6h.", show_default=False)
    ] = None,
    oop: Annotated[
        str | None,
        typer.Option(
            metavar="RANGE", help="The range out of position: '66+, A8s+'.", show_default=False
        ),
    ] = None,
    ip: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help="The range in position.", show_default=False),
    ] = None,
    pot: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNT",
            help="What is in the middle: chips such as 105, or big blinds such as 10.5bb.",
            show_default=False,
        ),
    ] = None,
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNT",
            help="What each player has left: 925, or 92.5bb.",
            show_default=False,
        ),
    ] = None,
    bb: Annotated[
        int | None,
        typer.Option(
            metavar="CHIPS",
            help="The chips of a big blind; amounts are then shown in big blinds. 100 by default "
            "if --pot and --stack are in big blinds.",
            show_default=False,
        ),
    ] = None,
    bets: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Bet sizes: '33%, 75%, a', of the pot, 100c for chips, e geometric, a all-in; "
            "60% by default.",
            show_default=False,
        ),
    ] = None,
    raises: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Sizes of raises, such as 2.5x; '2.5x; a' for the first and later ones. 2.5x by "
            "default.",
            show_default=False,
        ),
    ] = None,
    max_raises: Annotated[
        int | None,
        typer.Option(metavar="N", help="Raises of a bet on a street, at most.", show_default=False),
    ] = None,
    rake: Annotated[
        str | None,
        typer.Option(help="Share of the pot that the house takes, 5%.", show_default=False),
    ] = None,
    rake_cap: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNT", help="The most that the house takes: 30, or 3bb.", show_default=False
        ),
    ] = None,
    add_all_in: Annotated[
        float | None,
        typer.Option(
            help="Offer all-in up to this multiple of the pot; 1.5 by default.", show_default=False
        ),
    ] = None,
    force_all_in: Annotated[
        float | None,
        typer.Option(
            help="A bet becomes all-in if at most this multiple of the pot is left behind; 0.15 by "
            "default.",
            show_default=False,
        ),
    ] = None,
    merge: Annotated[
        float | None,
        typer.Option(help="How different sizes must be; 0.1 by default.", show_default=False),
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOCK",
            help="Fix a part of a strategy: 'check: AA bet 100%', 'check: 22+ bet; rest check', or "
            "all hands, ': all check'; repeatable.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--method",
            help=f"{', '.join(SPOT_METHODS)}; {DEFAULT_METHOD} by default.",
            show_default=False,
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("-n", "--iterations", help="Stop after this many iterations.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="Stop at this exploitability: 0.1% of the pot, or chips.", show_default=False
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(help="Stop after this many seconds of solving."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Run folder; runs/spot-{board}-{n} by default.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Continue this run to its original stop or a new one. -n and --time count from "
            "its beginning: --time is the time in all.",
        ),
    ] = None,
    cluster: ClusterOption = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only print the size of the tree, memory and time needed."),
    ] = False,
    per_hand: Annotated[
        bool, typer.Option("--per-hand", help="With --json: include every hand at the root.")
    ] = False,
    watch: WatchOption = False,
    port: PortOption = None,
    no_open: NoOpenOption = False,
    as_json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print a line per measurement.")
    ] = False,
    **options: Any,
) -> int:
    """Solve a spot of no-limit hold'em: a board, two ranges, a pot, stacks and bet sizes.

    Without -n, --target or --time it stops at 0.1% of the pot or after 60 seconds. Ctrl-C saves
    the run, and --resume continues it bit for bit.
    """
    described = {
        "board": board,
        "oop": oop,
        "ip": ip,
        "pot": pot,
        "stack": stack,
        "bb": bb,
        "bets": bets,
        "raises": raises,
        "max_raises": max_raises,
        "rake": rake,
        "rake_cap": rake_cap,
        "add_all_in": add_all_in,
        "force_all_in": force_all_in,
        "merge": merge,
        "lock": lock,
    }
    of_method = {option.name for each in SPOT_METHODS.values() for option in each.takes}
    described |= {name: value for name, value in options.items() if name not in of_method}
    given = given_of({name: value for name, value in options.items() if name in of_method})
    stops = {"iterations": iterations, "target": target, "time": time}
    with (
        Watching(is_wanted=watch, port=port, no_open=no_open) as page,
        trees_on(None if dry_run else cluster) as trees,
    ):
        if resume is not None:
            threads = given.pop("threads", None)
            fixed = {"SPOT.toml": file, "--line": line, "--respond": respond, "--from": from_}
            fixed |= {"--method": method, "--output": output}
            flags = {flag_of(name): value for name, value in {**described, **given}.items()}
            for flag, value in {**fixed, **flags}.items():
                if value not in (None, [], ()):
                    raise InvalidOption(
                        f"--resume continues a run with its original settings; leave {flag} out"
                    )
            again = {"threads": threads, "cluster": trees}
            solution = _resume(resume, stops, again, page, verbose=verbose)
        elif respond is not None:
            unused = {**described, **given, **stops, "line": line, "method": method, "from": from_}
            unused |= {"cluster": cluster, "dry_run": dry_run or None}
            solution = _respond(file, respond, unused, output)
        else:
            from untilt.cli.output import say

            asked = spot_from(file, described, line, from_)
            for note in asked.notes:
                say(f"note: {note}")
            if dry_run:
                return _print_size(_request(asked, method, given, stops), as_json=as_json)
            extra: dict[str, Any] = {"output": output, "cluster": trees, **given}
            extra["method"] = method or DEFAULT_METHOD
            solution = _solve(asked, stops, extra, page, verbose=verbose)
        status = _tell(solution, per_hand=per_hand, as_json=as_json)
        page.stay()
    return status


def _request(
    asked: "Spot", method: str | None, given: dict[str, Any], stops: dict[str, Any]
) -> "SpotTask":
    from untilt.runs.spot_request import request_of, spot_stop

    stop = spot_stop(asked.pot, stops["iterations"], stops["target"], stops["time"])
    return request_of(asked, method or DEFAULT_METHOD, given, stop)


def _solve(
    asked: "Spot",
    stops: dict[str, Any],
    extra: dict[str, Any],
    page: Watching,
    *,
    verbose: bool,
) -> "Solution":
    from untilt.cli.output import stderr
    from untilt.cli.progress_line import ProgressLine
    from untilt.runs.solve import solve
    from untilt.runs.spot_request import spot_stop

    stop = spot_stop(asked.pot, stops["iterations"], stops["target"], stops["time"])
    title = f"{asked.board_text} · {extra['method']}"
    with (
        saying_how_to_resume("spot"),
        ProgressLine(stderr(), title, stop, verbose=verbose, page=page, pot=asked.pot) as line,
    ):
        return solve(asked, watcher=line, **stops, **extra)


def _respond(
    run: Path | None, player: str, given: dict[str, Any], output: Path | None
) -> "Solution":
    """Return the best response to a solution; of all flags (`given`), only locks are allowed."""
    from untilt.cli.spot_runs import holds_spot
    from untilt.games.holdem.locks import parse_lock
    from untilt.runs.spot_response import respond
    from untilt.runs.spots import load_spot

    if run is None or not holds_spot(run):
        raise InvalidOption("--respond answers a solved spot: give its run, untilt spot RUN")
    if player not in SEATS:
        raise InvalidOption(f"--respond is {player!r}; give oop or ip")
    locks = list(map(parse_lock, given.pop("lock", None) or []))
    threads = given.pop("threads", 0)
    for name, value in given.items():
        if value not in (None, [], ()):
            raise InvalidOption(
                f"--respond answers the solution as it is; leave {flag_of(name)} out"
            )
    activity.doing(activity.BUILDING)
    return respond(load_spot(run), player, locks=locks, output=output, threads=threads)


def _resume(
    path: Path,
    stops: dict[str, Any],
    again: dict[str, Any],
    page: Watching,
    *,
    verbose: bool,
) -> "Solution":
    from untilt.cli.output import stderr
    from untilt.cli.progress_line import ProgressLine
    from untilt.runs.kinds import SPOT, read_task
    from untilt.runs.spot_request import spot_stop
    from untilt.runs.spots import resume_spot

    request, _ = read_task(path, SPOT)
    asked = request.subject.spot
    pot = asked.pot
    is_new = any(value is not None for value in stops.values())
    stop = (
        spot_stop(pot, stops["iterations"], stops["target"], stops["time"])
        if is_new
        else request.stop
    )
    title = f"{asked.board_text} · {request.method}"
    with (
        saying_how_to_resume("spot"),
        ProgressLine(stderr(), title, stop, verbose=verbose, page=page, pot=pot) as line,
    ):
        return resume_spot(path, watcher=line, **stops, **again)


def _tell(solution: "Solution", *, per_hand: bool, as_json: bool) -> int:
    """Print the result and return the exit status."""
    from untilt.cli.output import print_json, quoted, say, stdout, warn
    from untilt.cli.spot_tables import print_node, print_solution
    from untilt.policy.spot_node import spot_node

    warn(solution.warning)
    with printing():
        if as_json:
            print_json(solution.to_json(per_hand=per_hand))
        else:
            console = stdout()
            print_solution(console, solution)
            print_node(console, spot_node(solution.root), solution.spot, with_hands=False)
            console.print(
                f"hands: untilt show {quoted(solution.path)}   a line: --line "
                f"'{solution.spot.in_unit(solution.root.actions[0])}'",
                style="dim",
                soft_wrap=True,
            )
    if solution.missed_target:
        target = solution.facts.target
        say(
            f"the target {target:g} chips was not reached (exploitability "
            f"{solution.exploitability:.3g}); continue with: untilt spot --resume "
            f"{quoted(solution.path)} --target {target:g}"
        )
        return 1
    return 0


def _print_size(request: "SpotTask", *, as_json: bool) -> int:
    """Print how large the tree is, and how long an iteration and a solve may take."""
    from untilt.cli.output import echo, print_json
    from untilt.durations import shown_range
    from untilt.games.holdem.locks import is_merged_for
    from untilt.games.holdem.spot_size import measure_spot, shown_bytes
    from untilt.runs.spot_request import storage_of

    asked = request.subject.spot
    size = measure_spot(asked, is_merged=is_merged_for(asked))
    storage = storage_of(request.options)
    tables, peak = size.table_bytes(storage), size.peak_bytes(storage)
    document = {
        "board": asked.board_text,
        "nodes": size.nodes,
        "betting_nodes": list(size.betting_nodes),
        "boards": list(size.boards),
        "hands": list(size.hands),
        "memory_bytes": size.total_bytes(storage.precision),
        "table_bytes": tables,
        "peak_bytes": peak,
        "seconds_per_iteration": size.seconds_per_iteration,
        "seconds_low": size.seconds.low,
        "seconds_high": size.seconds.high,
    }
    if as_json:
        print_json(document)
        return 0
    boards = " / ".join(f"{count:,}" for count in size.boards)
    nodes = " / ".join(f"{count:,}" for count in size.betting_nodes)
    amounts = f"pot {asked.amount_text(asked.pot)}, stack {asked.amount_text(asked.stack)}"
    echo(f"{asked.board_text}  {amounts}, {size.hands[0]} v {size.hands[1]} hands")
    word = "board" if boards == "1" else "boards"
    echo(f"nodes         {size.nodes:,} ({nodes} of betting on {boards} {word})")
    echo(f"memory        {shown_bytes(peak)} at the peak, {shown_bytes(tables)} of it tables")
    echo(f"time          {shown_range(*size.seconds)} of one processor to 0.1% of the pot")
    return 0
