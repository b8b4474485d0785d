"""The command that repeats a run, made from its `run.json`.

All options are written out, defaults too, so that the command does the same if a later version has
other defaults.
"""

import math
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from untilt.errors import flag_of

if TYPE_CHECKING:
    from untilt.formats.run_file import Bounds, RunRecord

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_LENGTH = 4_000


class Command(NamedTuple):
    """How to repeat a run."""

    text: str | None
    """A line for a shell; None if no command can repeat the run."""
    note: str
    """Why there is no command, or what to know about it; may be empty."""


def command_of(record: "RunRecord", *, stacks: Sequence[float] = ()) -> Command:
    """Return the command that repeats a run; `stacks` are those of a sweep."""
    needed = {"parameters", "method"}
    if record.kind != "sweep":
        needed |= {"options", "stop"}
    names = (*record.parameters, *record.options)
    if record.flaws.keys() & needed or not all(map(_NAME.fullmatch, names)):
        return Command(None, "run.json does not say in full how the run was made")
    if record.kind == "sweep":
        return _sweep_command(record, stacks)
    if record.kind == "training":
        return _training_command(record)
    if record.kind == "spot":
        return _spot_command(record)
    if record.kind == "blueprint":
        return _blueprint_command(record)
    if record.reference is None:
        return Command(None, "its game is a position made in Python: repeat it from Python")
    is_branch = record.method == "qre"
    words = ["untilt", "qre" if is_branch else "solve", record.reference]
    for name, value in record.parameters.items():
        words += ["-p", f"{name}={value}"]
    if is_branch:
        words += _branch_flags(record.options)
    else:
        words += ["--method", record.method, *_flags(record.options), *_stop_flags(record.stop)]
        words += ["--seed", str(record.seed or 0)]
    is_code = re.search(r"[:/\\]|\.py", record.reference) is not None
    return _command(words, f"this runs the code of {record.reference}" if is_code else "")


def _sweep_command(record: "RunRecord", stacks: Sequence[float]) -> Command:
    steps = [round(after - before, 9) for before, after in pairwise(stacks)]
    if not stacks:
        return Command(None, "its charts are not finished, so its stacks are not known")
    if any(abs(step - steps[0]) > 1e-6 for step in steps):
        return Command(None, "its stacks are not evenly spaced: repeat it from Python")
    blinds = {name: record.parameters.get(name) for name in ("small_blind", "ante", "bb_ante")}
    words = ["untilt", "chart", "--sweep", f"{stacks[0]:g}:{stacks[-1]:g}:{[*steps, 1.0][0]:g}"]
    words += ["--method", record.method, "--blinds", f"{blinds['small_blind']}/1"]
    words += ["--ante", str(blinds["ante"]), "--bb-ante", str(blinds["bb_ante"])]
    return _command([*words, "--output", _again(record)])


def _training_command(record: "RunRecord") -> Command:
    if record.hands_before:
        return Command(
            None, f"it continued a regret file of {record.hands_before:,} hands, not a new one"
        )
    stop = record.stop
    words = ["untilt", "pushfold", "train", "--stack", str(record.parameters.get("stack"))]
    words += [] if stop.iterations is None else ["--hands", str(stop.iterations)]
    words += [] if stop.seconds is None else ["--time", repr(stop.seconds)]
    words += [*_flags(record.options), "--seed", str(record.seed or 0)]
    return _command([*words, "--output", _again(record)])


def _blueprint_command(record: "RunRecord") -> Command:
    rules, cards = _table(record.parameters, "rules"), _table(record.parameters, "cards")
    menu = record.parameters.get("menu")
    is_usual = rules.get("small_blind") == 1 and rules.get("big_blind") == 2
    if not isinstance(menu, str) or not is_usual or rules.get("other_stack") is not None:
        return Command(None, "its blinds or stacks have no flags: repeat it from Python")
    words = ["untilt", "blueprint", "train", "--stack", str(rules.get("stack")), "--menu", menu]
    for name in ("preflop", "flop", "turn", "river"):
        words += [f"--{name}", str(cards.get(name))]
    if cards.get("texture"):
        words += ["--texture", ",".join(map(str, cards["texture"]))]
    switches = {"synchronised", "visits"}
    options = {name: value for name, value in record.options.items() if name not in switches}
    words += [*_flags(options), *_stop_flags(record.stop), "--seed", str(record.seed or 0)]
    words += [] if record.options.get("synchronised", True) else ["--unsynchronised"]
    words += ["--visits"] if record.options.get("visits") else []
    return _command([*words, "--output", _again(record)])


def _spot_command(record: "RunRecord") -> Command:
    spot = record.parameters.get("spot")
    if not isinstance(spot, dict) or not isinstance(spot.get("ranges"), dict):
        return Command(None, "run.json does not say in full how the run was made")
    response = record.parameters.get("response")
    if response is not None:
        return _response_command(response if isinstance(response, dict) else {})
    words = ["untilt", "spot"]
    flat = {**spot, **spot["ranges"], **_table(spot, "sizes"), **_table(spot, "thresholds")}
    locks = flat.pop("locks", [])
    for name in ("ranges", "sizes", "thresholds"):
        flat.pop(name, None)
    words += _flags(flat)
    words += ["--method", record.method, *_flags(record.options), *_stop_flags(record.stop)]
    return _locked_command(words, locks)


def _response_command(response: Mapping[str, Any]) -> Command:
    if not response.get("run"):
        return Command(None, "it answers a solution that was not saved: repeat it from Python")
    words = ["untilt", "spot", str(response["run"]), "--respond", str(response.get("player"))]
    return _locked_command(words, response.get("locks", []))


def _locked_command(words: list[str], locks: object) -> Command:
    """Return the command with a flag for each lock."""
    for lock in locks if isinstance(locks, list) else []:
        if not isinstance(lock, dict):
            return Command(None, "run.json does not say in full how the run was made")
        board = f" @ {lock['board']}" if "board" in lock else ""
        ranges = (f"{name} = {hands}" for name, hands in _table(lock, "actions").items())
        words += ["--lock", f"{lock.get('line')}{board}: {lock.get('lock') or '; '.join(ranges)}"]
    return _command(words)


def _table(spot: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = spot.get(name, {})
    return table if isinstance(table, dict) else {}


def _branch_flags(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the flags of a quantal response path, whose players may differ in rationality."""
    rest = dict(options)
    beta, *scales = (rest.pop(name, 1.0) for name in ("beta", "scale0", "scale1"))
    if scales == [1.0, 1.0]:
        yield from ("--beta", str(beta))
    else:
        for player, scale in enumerate(scales):
            yield from (f"--beta{player}", repr(_product(scale, beta)))
    yield from _flags({name: value for name, value in rest.items() if value != ""})


def _product(scale: float, beta: float) -> float:
    """Return `scale * beta`, rounded such that dividing by `beta` gives `scale` again."""
    near = scale * beta
    candidates = (near, math.nextafter(near, math.inf), math.nextafter(near, 0.0))
    return next((one for one in candidates if one / beta == scale), near)


def _stop_flags(stop: "Bounds") -> Iterator[str]:
    if stop.is_default:
        return
    given = {"iterations": stop.iterations, "target": stop.target, "seconds": stop.seconds}
    yield from _flags({name: value for name, value in given.items() if value is not None})


def _flags(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if isinstance(value, bool):
            yield from [flag_of(name)] if value else []
        elif value is not None:
            yield from (flag_of(name), str(value))


def _again(record: "RunRecord") -> str:
    return f"runs/{record.path.parent.name}-again"


def _command(words: Iterable[str], note: str = "") -> Command:
    # One word, whatever it contains: run.json may come from a stranger.
    text = " ".join(map(shlex.quote, words))
    if len(text) > _MAX_LENGTH or not text.isprintable():
        return Command(None, "its parameters are too long for a command, or cannot be printed")
    return Command(text, note)
