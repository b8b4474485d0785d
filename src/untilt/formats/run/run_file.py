"""`run.json`, the file that marks a folder as a run: the request and its game."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from untilt.errors import FormatError, RunError
from untilt.formats.base.entries import Entries, damaged, verify
from untilt.formats.base.files import RESUME, json_bytes, read_json, shown, write_json
from untilt.formats.base.store import GRID, Store
from untilt.formats.run.run_command import Command, command_of
from untilt.game.compiled import CompiledGame
from untilt.game.terms import Terms, terms_from_json
from untilt.lazy import provided

FILE_NAME = "run.json"

FORMAT = 1
"""Version of the file."""

MAX_BYTES = 1 << 20
"""Our own files are about a thousandth of this size."""

USUAL_KIND = "solve"
"""The kind of a run whose file names none."""

UNCOMPILED = "uncompiled"
"""Stands in for a fingerprint: the game was too large to compile, and is sampled as objects."""


def fingerprint_of(game: CompiledGame) -> str:
    """Return the fingerprint of a run's game as run.json and checkpoints record it."""
    return UNCOMPILED if game.is_partial else game.fingerprint()


MAX_ITERATION = 2**62

_LARGEST_PARAMETER = 1 << 63
_OUT_OF_RANGE = "its seed or horizon is out of range"


@dataclass(frozen=True)
class Bounds:
    """A run ends at the first of these; None means no such bound."""

    iterations: int | None = None
    target: float | None = None
    """Exploitability in the game's unit."""
    seconds: float | None = None
    """Solver time: iterations and stopping tests."""
    is_default: bool = False
    """Whether the user gave no stop, so that missing the target is not a failure."""
    residual: float | None = None
    """For quantal response: the mean distance of the strategies from their responses."""
    largest_residual: float | None = None
    """The same, over all hands at all nodes."""

    def to_json(self) -> dict[str, Any]:
        """Return the bounds as run.json has them: residuals only where they are given."""
        found = asdict(self)
        for name in ("residual", "largest_residual"):
            if found[name] is None:
                del found[name]
        return found


@dataclass(frozen=True)
class RunRecord:
    """The content of run.json. An entry with a flaw is replaced by a default."""

    path: Path
    """The file."""
    kind: str
    """One of `kinds_of_runs`."""
    game: str
    """Short name of the game."""
    title: str
    """The game's name for people; the short name if the file has none."""
    reference: str | None
    """A reference that resolves to the game; None for a position given from Python."""
    parameters: Mapping[str, Any]
    method: str
    """Name of the method; the kind of run if the file has none."""
    options: Mapping[str, Any]
    """Of the method; infinite numbers are strings."""
    stop: Bounds
    horizon: int | None
    """Iterations planned when the run began, if any."""
    seed: int | None
    fingerprint: str
    """Of the game; empty if the file has none, as in sweeps."""
    created: str | None
    """When the run began, as ISO 8601 in UTC."""
    version: str | None
    """The version of Untilt that wrote it. This and `machine` are only shown, never a flaw."""
    command: Command
    """What made the run. Like `version`, it is only shown."""
    machine: Mapping[str, Any]
    """System, processor, cores, and the versions of Python and its packages."""
    hands_before: int | None
    """For a training: how many hands its regret file had at the start; None if not recorded, as in
    trainings without checkpoints."""
    terms: Terms | None
    """The terms that the game uses; None for runs written before games declared them."""
    abstraction: Mapping[str, Any] | None
    """Of a run on an abstract game: the game's name, states, actions and their fingerprint."""
    flaws: Mapping[str, str]
    """Faults by the name of the entry: missing, of the wrong type, or out of range."""

    def verify(self, *names: str) -> None:
        """Raise FormatError if one of these entries has a flaw."""
        verify(self.path, self.flaws, *names)


class KindOfRun(Protocol):
    """A kind of run as readers of folders need it; see `untilt.runs.kinds`."""

    @property
    def command(self) -> str:
        """Begins such a run, and continues it with --resume."""
        ...

    @property
    def steps(self) -> str:
        """What the iterations of such a run are, in a word."""
        ...

    @property
    def result_file(self) -> str:
        """The file of its folder that holds the result."""
        ...

    @property
    def views(self) -> frozenset[str]:
        """The views that the page may offer, by name."""
        ...

    @property
    def is_of_game(self) -> bool:
        """Whether it gives a strategy by the infosets of a compiled game."""
        ...

    @property
    def is_from_elsewhere(self) -> bool:
        """Whether such folders are made of what other programs wrote."""
        ...

    def played_otherwise(self, folder: Path) -> str:
        """Return what a run that is not of a game is, and how it is played, in words."""
        ...

    @property
    def is_whole_or_nothing(self) -> bool:
        """Whether a folder without the result is what a killed process left."""
        ...


def kinds_of_runs() -> Mapping[str, KindOfRun]:
    """Return the kinds of runs by name."""
    kinds: Mapping[str, KindOfRun] = provided("the kinds of runs")
    return kinds


def read_run_file(folder: Path) -> RunRecord:
    """Return the content of `run.json` in `folder`; raise RunError if there is no run."""
    if not folder.is_dir():
        raise RunError(f"{shown(folder)} is not a folder; give the folder of a run, see runs/")
    try:
        return read_run_record(folder / FILE_NAME)
    except FormatError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        if Store(GRID, folder).exists:
            raise RunError(
                f"{shown(folder)} is a grid of runs; give one of them, see "
                f"`untilt runs {shown(folder)}`"
            ) from error
        inner = sorted(file.parent.name for file in folder.glob(f"*/{FILE_NAME}"))
        advice = f"give one of the runs in it, such as {shown(folder / inner[0])}" if inner else ""
        raise RunError(
            f"{shown(folder)} holds no run ({FILE_NAME} is missing); {advice or 'check the path'}"
        ) from error


def read_run_record(path: Path) -> RunRecord:
    """Return the content of a `run.json`; raise FormatError unless game and kind are valid."""
    given = read_json(path, max_bytes=MAX_BYTES)
    if not isinstance(given, dict):
        raise damaged(path)
    entries = Entries(given)
    if entries.take("format", int, 0) > FORMAT:
        raise FormatError(f"{shown(path)} was written by a newer Untilt; upgrade")
    game = entries.take("game", str, "")
    kind = given.get("kind", USUAL_KIND)
    if "game" in entries.flaws or not isinstance(kind, str) or kind not in kinds_of_runs():
        raise damaged(path, "it names no game, or an unknown kind of run")
    record = RunRecord(
        path=path,
        kind=kind,
        game=game,
        title=entries.take("title", str, game) or game,
        reference=entries.optional("reference", str),
        parameters=entries.take("parameters", dict, {}),
        method=entries.take("method", str, kind) or kind,
        options=entries.take("options", dict, {}),
        stop=_bounds(entries),
        horizon=entries.optional("horizon", int),
        seed=entries.take("seed", int, None),
        fingerprint=entries.take("fingerprint", str, ""),
        created=entries.take("created", str, None),
        version=given["untilt"] if isinstance(given.get("untilt"), str) else None,
        command=command_of(given),
        machine=given["machine"] if isinstance(given.get("machine"), dict) else {},
        hands_before=entries.take("hands_before", int, None) if "hands_before" in given else None,
        terms=_terms(given, path, entries.flaws),
        abstraction=entries.take("abstraction", dict, None) if "abstraction" in given else None,
        flaws=entries.flaws,
    )
    _note_ranges(record, entries.flaws)
    return record


def write_run_file(folder: Path, entries: Mapping[str, Any], *, remedy: str = RESUME) -> None:
    """Write `run.json`; raise RunError, before anything is written, if it is too large to read.

    `remedy` is what to do after the disk was full.
    """
    if len(json_bytes(entries, indent=2)) >= MAX_BYTES:
        raise RunError(
            f"the parameters and options of this run are too long for {FILE_NAME} (1 MiB); "
            "shorten them"
        )
    write_json(folder / FILE_NAME, entries, remedy=remedy)


def save_stop(folder: Path, stop: Bounds) -> None:
    """Set the stop of the run in `folder`, and leave everything else in `run.json` unchanged."""
    given = read_json(folder / FILE_NAME, max_bytes=MAX_BYTES)
    write_run_file(folder, {**given, "stop": stop.to_json()})


def _bounds(entries: Entries) -> Bounds:
    given = entries.take("stop", dict, {})
    inner = Entries(given)
    bounds = Bounds(
        iterations=inner.optional("iterations", int),
        target=inner.optional("target", (int, float)),
        seconds=inner.optional("seconds", (int, float)),
        is_default=inner.take("is_default", bool, False),
        **{
            name: inner.optional(name, (int, float))
            for name in ("residual", "largest_residual")
            if name in given
        },
    )
    if inner.flaws:
        entries.flaws.setdefault("stop", next(iter(inner.flaws.values())))
    return bounds


def _terms(given: Mapping[str, Any], path: Path, flaws: dict[str, str]) -> Terms | None:
    try:
        return terms_from_json(given["terms"], shown(path)) if "terms" in given else None
    except FormatError:
        flaws["terms"] = "the terms of its game"
        return None


def _note_ranges(record: RunRecord, flaws: dict[str, str]) -> None:
    """Add flaws for entries that are out of range."""
    if record.seed is not None and not 0 <= record.seed < 2**64:
        flaws["seed"] = _OUT_OF_RANGE
    if record.horizon is not None and not 0 < record.horizon <= MAX_ITERATION:
        flaws["horizon"] = _OUT_OF_RANGE
    numbers = [value for value in record.parameters.values() if isinstance(value, int)]
    if any(abs(value) >= _LARGEST_PARAMETER for value in numbers):
        flaws["parameters"] = "a parameter is too large"
