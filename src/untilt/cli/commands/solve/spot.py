"""`untilt spot`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app import activity
from untilt.cli.app.jobs import following, new_stop, print_found, stops_of, tell_missed, to_continue
from untilt.cli.app.sources import users_code
from untilt.cli.app.watching import Watching
from untilt.cli.commands.solve.cluster import trees_on
from untilt.cli.options.method_options import method_flags
from untilt.cli.options.option_flags import Flag, chosen_of, with_flags
from untilt.cli.options.spot_options import spot_from
from untilt.errors import InvalidOption
from untilt.options.option import refuse_others, verify_unchanged
from untilt.options.spot import DESCRIPTION, LOCK, SOURCE, SPOT, TARGET_MAX
from untilt.solvers.public_tree.methods import METHOD, SPOT_METHODS, THREADS, method_for

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.games.holdem.spots.spot import Spot

_OF_METHODS = tuple(option for each in SPOT_METHODS.values() for option in each.takes)
_OPTIONS = (*SOURCE, *DESCRIPTION, METHOD, *SPOT, *_OF_METHODS)
_FLAGS = (
    *map(Flag.of, (*SOURCE, *DESCRIPTION, METHOD)),
    *method_flags(SPOT_METHODS.values()),
    *map(Flag.of, SPOT),
)


@with_flags(_FLAGS)
def spot(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SPOT.toml|RUN]",
            help="A spot as a file, or that of a run; flags replace its entries.",
            show_default=False,
        ),
    ] = None,
    **given: Any,
) -> int:
    """Solve a spot of no-limit hold'em: a board, two ranges, a pot, stacks and bet sizes.

    Without -n, --target or --time it stops at 0.1% of the pot or after 60 seconds. Ctrl-C saves
    the run, and --resume continues it bit for bit.
    """
    as_json, per_hand = given.pop("as_json", False), given.pop("per_hand", False)
    with Watching.asked(given) as page:
        if "resume" in given:
            solution = _resume(file, given, page)
        elif "respond" in given:
            solution = _respond(file, given)
        elif given.pop("dry_run", False):
            return _print_size(file, given, as_json=as_json)
        else:
            solution = _solve(file, given, page)
        print_found(
            solution.warning,
            lambda: solution.to_json(per_hand=per_hand),
            lambda: _print(solution),
            as_json=as_json,
        )
        status = _tell_missed(solution) if solution.missed_target else 0
        page.stay()
    return status


def _asked(file: Path | None, given: dict[str, Any]) -> "Spot":
    """Return the spot that is described, and take what describes it out of `given`."""
    from untilt.cli.app.output import say

    line, agent = given.pop("line", None), given.pop("agent", None)
    trust = given.pop("trust", False)
    if trust and agent is None:
        raise InvalidOption("--trust is for the agent of --from: leave it out")
    described = chosen_of(DESCRIPTION, given)
    for name in described:
        del given[name]
    with users_code():
        asked = spot_from(file, described, line, agent, trust=trust)
    for note in asked.notes:
        say(f"note: {note}")
    return asked


def _solve(file: Path | None, given: dict[str, Any], page: Watching) -> "Solution":
    from untilt.runs.solve import solve
    from untilt.runs.spots.spot_request import stop_for

    with trees_on(given.pop("cluster", None)) as trees:
        asked, verbose = _asked(file, given), given.pop("verbose", False)
        method = method_for(given.get("method"), given)
        stop = stop_for(method, asked.pot, *stops_of(given), largest=given.get(TARGET_MAX.name))
        title = f"{asked.board_text} · {method}"
        with following("spot", title, stop, page, verbose=verbose, pot=asked.pot) as line:
            return solve(asked, watcher=line, cluster=trees, **given)


def _resume(file: Path | None, given: dict[str, Any], page: Watching) -> "Solution":
    from untilt.runs.kinds import SPOT as SPOT_KIND
    from untilt.runs.kinds import read_task
    from untilt.runs.spots.solutions import resume_spot
    from untilt.runs.spots.spot_request import stop_for

    verify_unchanged(_OPTIONS, [*([] if file is None else ["SPOT.toml"]), *given])
    path, verbose = given.pop("resume"), given.pop("verbose", False)
    with trees_on(given.pop("cluster", None)) as trees:
        request, _ = read_task(path, SPOT_KIND)
        pot = request.subject.spot.pot
        stop = new_stop(given, request.stop, partial(stop_for, request.method, pot))
        title = f"{request.subject.spot.board_text} · {request.method}"
        with following("spot", title, stop, page, verbose=verbose, pot=pot) as line:
            return resume_spot(path, watcher=line, cluster=trees, **given)


def _respond(run: Path | None, given: dict[str, Any]) -> "Solution":
    """Return the best response to a solution; of all that describes a spot, it takes locks."""
    from untilt.cli.text.spot_runs import holds_spot
    from untilt.games.holdem.spots.locks import parse_lock
    from untilt.runs.spots.solutions import load_spot
    from untilt.runs.spots.spot_response import respond

    if run is None or not holds_spot(run):
        raise InvalidOption("--respond answers a solved spot: give its run, untilt spot RUN")
    reason = "--respond answers the solution as it is"
    allowed = ("respond", LOCK.name, THREADS.name, "output", "verbose")
    refuse_others(_OPTIONS, given, allowed, reason)
    activity.doing(activity.BUILDING)
    return respond(
        load_spot(run),
        given["respond"],
        locks=list(map(parse_lock, given.get("lock", []))),
        output=given.get("output"),
        threads=given.get("threads", THREADS.default),
    )


def _print(solution: "Solution") -> None:
    from untilt.cli.app.output import quoted, stdout
    from untilt.cli.text.spot_tables import print_node, print_solution
    from untilt.policy.nodes.spot_node import spot_node

    console = stdout()
    print_solution(console, solution)
    print_node(console, spot_node(solution.root), solution.spot, with_hands=False)
    console.print(
        f"hands: untilt show {quoted(solution.path)}   a line: --line "
        f"'{solution.spot.in_unit(solution.root.actions[0])}'",
        style="dim",
        soft_wrap=True,
    )


def _tell_missed(solution: "Solution") -> int:
    residual, targets = solution.residual, solution.facts.residual_targets
    if residual is not None:
        from untilt.cli.app.output import quoted, say

        say(
            f"the residual is {residual.mean:.1e}, at most {residual.largest:.1e}: the target was "
            f"not reached; continue with: untilt spot --resume {quoted(solution.path)} --target "
            f"{targets[0] or residual.mean:g}"
        )
        return 1
    target = solution.facts.target
    advice = to_continue("spot", solution.path, target)
    return tell_missed(target, solution.exploitability, advice, " chips")


def _print_size(file: Path | None, given: dict[str, Any], *, as_json: bool) -> int:
    """Print how large the tree is, and how long an iteration and a solve may take."""
    from untilt.cli.text.spot_tables import print_size
    from untilt.runs.spots.spot_request import request_of, stop_for

    asked = _asked(file, given)
    method, options = method_for(given.get("method"), given), chosen_of(_OF_METHODS, given)
    stop = stop_for(method, asked.pot, *stops_of(given), largest=given.get(TARGET_MAX.name))
    print_size(request_of(asked, method, options, stop), as_json=as_json)
    return 0
