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
from untilt.options.run import CLUSTER
from untilt.options.spot import (
    DESCRIPTION,
    DRY_RUN,
    LADDER,
    LOCK,
    ME,
    OBSERVED,
    RUNGS,
    SEATS,
    SHRINK,
    SOURCE,
    SPOT,
    TARGET_MAX,
)
from untilt.solvers.public_tree.methods import (
    BETA,
    METHOD,
    NOISE,
    QUANTAL,
    SPOT_METHODS,
    THREADS,
    method_for,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from untilt.cli.text.progress_line import ProgressLine
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.games.holdem.spots.spot import Spot

_OF_METHODS = tuple(option for each in SPOT_METHODS.values() for option in each.takes)
_OPTIONS = (*SOURCE, *DESCRIPTION, METHOD, *SPOT, *_OF_METHODS)
_FLAGS = (
    *map(Flag.of, (*SOURCE, *DESCRIPTION, METHOD)),
    *method_flags(SPOT_METHODS.values()),
    *map(Flag.of, (ME, OBSERVED, SHRINK)),
    *map(Flag.of, SPOT),
)


@with_flags(_FLAGS)
def spot(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SPOT.toml|RUN]",
            help="A spot as a file, that of a run, or libratus-1 to libratus-4; flags replace its "
            "entries.",
            show_default=False,
        ),
    ] = None,
    **given: Any,
) -> int:
    """Solve a spot of no-limit hold'em: a board, two ranges, a pot, stacks and bet sizes.

    Without -n, --target or --time it stops at 0.1% of the pot or after 60 seconds; with --noise, at
    a residual of 1e-3. Ctrl-C saves the run, and --resume continues it bit for bit. RUN --noise
    begins with the solution in RUN.
    """
    as_json, per_hand = given.pop("as_json", False), given.pop("per_hand", False)
    _know_the_player(file, given)
    with Watching.asked(given) as page:
        if "resume" in given:
            solution = _resume(file, given, page)
        elif "respond" in given:
            solution = _respond(file, given)
        elif "ladder" in given:
            return _ladder(file, given, page, as_json=as_json)
        elif RUNGS.name in given:
            raise InvalidOption("--rungs is for a ladder of noises: add --ladder 20%..1%")
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
            start = _start(file, asked, method)
            return solve(asked, watcher=line, cluster=trees, start=start, **given)


def _know_the_player(file: Path | None, given: dict[str, Any]) -> None:
    """Replace estimates of noise by numbers, `me` and `villain` by seats, and hands by locks."""
    me, observed = given.pop(ME.name, None), given.pop(OBSERVED.name, None)
    shrink = given.pop(SHRINK.name, None)
    if observed is None and shrink is not None:
        raise InvalidOption("--shrink is for hands that were seen: add --observed HANDS.csv")
    if observed is not None:
        if me is None or file is None or not file.is_dir():
            raise InvalidOption("--observed needs your seat and a solution: RUN --me oop")
        given["lock"] = [*given.get("lock", ()), *_locks_of(file, observed, me, shrink)]
    is_named = "me=" in given.get(NOISE.name, "") or "villain=" in given.get(NOISE.name, "")
    if NOISE.name in given or (me is not None and observed is None):
        from untilt.runs.spots.fitted_noise import fitted_noise

        seat = me if observed is None or is_named else None
        given[NOISE.name] = fitted_noise(given.get(NOISE.name, ""), seat)


def _locks_of(run: Path, observed: Path, me: str, shrink: float | None) -> list[str]:
    """Return the locks of the other player, as flags have them."""
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.games.holdem.spots.locks import Lock
    from untilt.runs.loading import load
    from untilt.runs.spots.observed_locks import observed_locks

    other = SEATS[1 - SEATS.index(me)]
    strength = SHRINK.default if shrink is None else shrink
    solution = load(run)
    if not isinstance(solution, Solution):
        raise InvalidOption(f"{run} is no solution of a spot; give the folder of `untilt spot`")
    tables = observed_locks(solution, observed, other, shrink=strength)
    return [str(Lock(table["line"], "", None, table["actions"])) for table in tables]


def _ladder(file: Path | None, given: dict[str, Any], page: Watching, *, as_json: bool) -> int:
    """Solve a spot at a ladder of noises, and print what was found at each."""
    from untilt.cli.app.output import print_json
    from untilt.cli.text.noise_ladder import print_ladder
    from untilt.runs.spots.spot_ladder import rung_noises, watched_ladder
    from untilt.runs.spots.spot_request import stop_for

    refused = (NOISE.name, BETA.name, DRY_RUN.name)
    others = [name for name in given if name not in refused]
    refuse_others(_OPTIONS, given, others, "--ladder has noises of its own")
    asked, verbose = _asked(file, given), given.pop("verbose", False)
    method = given.pop("method", QUANTAL.name)
    if method != QUANTAL.name:
        raise InvalidOption(f"--ladder is of method {QUANTAL.name}; leave --method out")
    stop = stop_for(QUANTAL.name, asked.pot, *stops_of(given), largest=given.get(TARGET_MAX.name))
    title = f"{asked.board_text} · {QUANTAL.name}"

    def watching(noise: str) -> "AbstractContextManager[ProgressLine]":
        named = f"{title} {noise}"
        return following("spot", named, stop, page, verbose=verbose, pot=asked.pot)

    noises = rung_noises(given.pop(LADDER.name), given.pop(RUNGS.name, None))
    subject = _start(file, asked, QUANTAL.name) or asked
    with trees_on(given.pop(CLUSTER.name, None)) as trees:
        found = watched_ladder(subject, noises, watching, cluster=trees, **given)
    if as_json:
        print_json(found.to_json())
    else:
        print_ladder(found)
    missed = [each for each in found if each.missed_target]
    for each in missed:
        _tell_missed(each)
    page.stay()
    return 1 if missed else 0


def _start(file: Path | None, asked: "Spot", method: str) -> "Solution | None":
    """Return what quantal response begins with: the solution in the run that the spot is of."""
    from untilt.cli.app.output import say
    from untilt.cli.text.spot_runs import holds_spot
    from untilt.runs.kinds import SPOT as SPOT_KIND
    from untilt.runs.kinds import read_task

    if file is None or method != QUANTAL.name or not holds_spot(file):
        return None
    task, record = read_task(file, SPOT_KIND)
    if task.subject.spot.replaced(locks=()) != asked.replaced(locks=()):
        return None
    found = SPOT_KIND.finished(task, record)
    if found is not None:
        say(f"starting from {file}")
    return found


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
        largest = given.get(TARGET_MAX.name)
        make = partial(stop_for, request.method, pot, largest=largest)
        stop = new_stop(given, request.stop, make, has_more=largest is not None)
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
    residual = solution.residual
    if residual is not None:
        from untilt.cli.app.output import say

        say(
            f"the residual is {residual.mean:.1e}, at most {residual.largest:.1e}: the target was "
            f"not reached; {_residual_advice(solution)}"
        )
        return 1
    target = solution.facts.target
    advice = to_continue("spot", solution.path, target)
    return tell_missed(target, solution.exploitability, advice, " chips")


def _residual_advice(solution: "Solution") -> str:
    """Return how to get a residual that was not reached: more iterations, or more digits."""
    from untilt.cli.app.output import quoted
    from untilt.runs.spots.spot_request import least_residual_of
    from untilt.solvers.public_tree.methods import RESTING, precision_of

    facts, noise = solution.facts, solution.noise
    residual, targets = facts.residual, facts.residual_targets
    assert residual is not None
    assert noise is not None
    precision = precision_of(dict(facts.options))
    least = least_residual_of(solution.spot, noise, precision)
    missed = [
        found <= RESTING * bound
        for found, target, bound in zip(residual, targets, least, strict=True)
        if target is not None and found > target
    ]
    if missed and all(missed):
        return (
            "rounding allows no less in float32: solve it again with --precision float64"
            if precision == "float32"
            else "rounding allows no less even in float64"
        )
    flags = ("--target", "--target-max")
    wanted = [f"{f} {t:g}" for f, t in zip(flags, targets, strict=True) if t is not None]
    return f"continue with: untilt spot --resume {quoted(solution.path)} {' '.join(wanted)}"


def _print_size(file: Path | None, given: dict[str, Any], *, as_json: bool) -> int:
    """Print how large the tree is, and how long an iteration and a solve may take."""
    from untilt.cli.text.spot_tables import print_size
    from untilt.runs.spots.spot_request import request_of, stop_for

    asked = _asked(file, given)
    method, options = method_for(given.get("method"), given), chosen_of(_OF_METHODS, given)
    stop = stop_for(method, asked.pot, *stops_of(given), largest=given.get(TARGET_MAX.name))
    print_size(request_of(asked, method, options, stop), as_json=as_json)
    return 0
