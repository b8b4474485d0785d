"""All decisions of a player in a folder of hands, judged, in a folder of their own.

    leaks/
      review.json            whose decisions, of which hands, by which agents
      values-N.bin           what the actions of agent N are worth
      parts/FILE-ROW.bin     the decisions of some hands

Each part is a file of its own, so a review that was stopped continues where it was, and hands that
are imported later are added. The result does not depend on the number of processes.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from untilt.errors import FormatError, InvalidOption, RunError, UntiltError
from untilt.formats.base.container import open_container
from untilt.formats.base.files import (
    REPEAT,
    is_there,
    path_of,
    read_json,
    remove_leftovers,
    shown,
    storage_error,
    write_json,
)
from untilt.formats.base.lock import FolderLock
from untilt.formats.base.store import fingerprint_of
from untilt.formats.kinds.blueprint_path import blueprint_file
from untilt.hands.store.filters import Filter
from untilt.hands.store.hand_store import HandStore
from untilt.lazy import provided
from untilt.options.hands import BOARDS
from untilt.play.leaks.choices import PUSHFOLD
from untilt.play.leaks.decision_file import (
    KIND,
    JudgedDecisions,
    PlacedChoice,
    read_decisions,
    together,
    write_decisions,
)
from untilt.play.leaks.judge import Depth, Judge, blueprint_of
from untilt.play.leaks.leaks import Leaks
from untilt.play.leaks.preset_ranges import PresetRanges
from untilt.play.leaks.ring_pots import RingJudge, verify_ranges
from untilt.policy.load import parse_agent

if TYPE_CHECKING:
    from untilt.runs.batches.pool import Pool

FILE_NAME = "review.json"
FORMAT = 1
_NAME = "review of hands"
_PARTS = "parts"
_PART_HANDS = 1_000
_RING_PART_HANDS = 20
"""Fewer where spots are solved, which takes seconds each."""
_STEPS = 20
"""How often progress is told within a part."""


class ReviewMoment(NamedTuple):
    """The progress of a review."""

    doing: str
    done: int
    of: int
    decisions: int


OnReview: TypeAlias = Callable[[ReviewMoment], None]


@dataclass(frozen=True)
class _Asked:
    """The question of a review: all that the decisions depend on."""

    player: str
    agents: tuple[str, ...]
    think: str | None
    boards: int
    blueprints: tuple[str, ...]
    """What is in the files of the agents, by fingerprint."""
    hands: str
    """Where the hands are, seen from the folder of the review."""
    ranges: dict[str, dict[str, str]] | None
    """With which players come to the flop at larger tables; None if those are not judged."""

    @property
    def part_hands(self) -> int:
        """Hands in a part: as many as take minutes at most, which an interruption may lose."""
        return _PART_HANDS if self.ranges is None else _RING_PART_HANDS

    @property
    def document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "kind": _NAME,
            "player": self.player,
            "agents": list(self.agents),
            "think": self.think,
            "boards": self.boards,
            "blueprints": list(self.blueprints),
            "hands": self.hands,
            "ranges": self.ranges,
        }

    @property
    def fingerprint(self) -> str:
        known = dict(self.document)
        for name in ("agents", "hands"):  # which may have been moved
            del known[name]
        return fingerprint_of(known)


class _Part(NamedTuple):
    file: int
    begin: int
    rows: tuple[int, ...]
    seats: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"{self.file:05}-{self.begin:05}.bin"


def review(
    hands: str | os.PathLike[str],
    *,
    player: str = "me",
    agent: str | Sequence[str] = (),
    output: str | os.PathLike[str],
    think: str | None = None,
    ranges: str | None = None,
    boards: int = BOARDS.default,
    processes: int = 1,
    pool: "Pool | None" = None,
    watcher: OnReview | None = None,
) -> Leaks:
    """Judge all decisions of a player in a folder of imported hands, and return what they cost.

    `agent` is a blueprint such as `bp/`, or several of different depths: a hand is judged by the
    one with the nearest stacks; `pushfold` judges pushes, calls and folds of short stacks by exact
    charts. Values come from `boards` boards on which both follow the blueprint; with `think`, such
    as `0.3s`, streets that it solves are judged by their solutions. `ranges` is a file, or
    `default`: then pots of two players at larger tables are solved from the flop on, with these
    ranges. Decisions are kept in the folder `output`: the same call continues a review that was
    stopped, and adds hands that were imported since. `processes` share the work, or a `pool` of
    workers who see both folders; neither changes the result. Raises InvalidOption for an agent that
    is not a blueprint, and for a player who takes part in no hand.

    >>> import untilt
    >>> try:
    ...     untilt.hands.review("hands/", agent="random", output="leaks/")
    ... except untilt.UntiltError as error:
    ...     print(error)
    agent is 'random'; give a blueprint, such as bp/, or pushfold, which judge hands
    """
    folder = path_of(output)
    asked = _asked(player, agent, think, ranges, boards, _place(path_of(hands), folder))
    workers: Pool = provided("independent tasks")(processes) if pool is None else pool
    store = HandStore(path_of(hands))
    selected = store.select(Filter(player=asked.player))
    _begin(folder, asked)
    with FolderLock(folder):
        remove_leftovers(folder)
        remove_leftovers(folder / _PARTS)
        parts = [
            part
            for number, (_, rows, seats) in enumerate(selected)
            for part in _parts(number, rows.tolist(), seats.tolist(), asked.part_hands)
        ]
        left = [part for part in parts if not _is_done(folder, part, asked)]
        if left:
            _prepare(folder, asked, watcher)
            for shared in (folder, store.folder) if workers.size > 1 else ():
                workers.verify_shared(shared)
        count = sum(len(part.rows) for part in parts)
        done = count - sum(len(part.rows) for part in left)
        decisions = 0
        for hands_judged, found in _judged(store.folder, folder, asked, left, workers):
            done += hands_judged
            decisions += found
            if watcher is not None:
                watcher(ReviewMoment("judging", done, count, decisions))
    return _read(folder, asked, parts)


def _place(hands: Path, folder: Path) -> str:
    """Return where hands are, seen from the folder of their review: both may be moved together."""
    try:
        return os.path.relpath(hands.resolve(), folder.resolve())
    except ValueError:  # on another drive
        return str(hands.resolve())


def _asked(
    player: str,
    agent: str | Sequence[str],
    think: str | None,
    ranges: str | None,
    boards: int,
    hands: str,
) -> _Asked:
    if not isinstance(player, str) or not player:
        raise InvalidOption.of("player", player, "give a name, or 'me'")
    given = [agent] if isinstance(agent, str) else agent
    preset = verify_ranges(ranges)
    is_list = isinstance(given, Sequence) and all(isinstance(each, str) for each in given)
    if not is_list or not (given or preset):
        raise InvalidOption.of("agent", agent, "give a blueprint, such as 'bp/', or ranges")
    if think is not None and not isinstance(think, str):
        raise InvalidOption.of("think", think, "give a time such as '0.3s'")
    BOARDS.verify(boards)
    texts = tuple(text if text == PUSHFOLD else blueprint_of(text)[1] for text in given)
    fingerprints = tuple(
        text if text == PUSHFOLD else _fingerprint(*blueprint_of(text)) for text in given
    )
    document = None if preset is None else preset.document
    return _Asked(player, texts, think, int(boards), fingerprints, hands, document)


def _fingerprint(path: Path, text: str) -> str:
    """Return what distinguishes an agent: the blueprint, its tables' checksums, and options."""
    from untilt.abstraction.blueprint import Blueprint

    blueprint = Blueprint(blueprint_file(path))
    with open_container(blueprint.path, "blueprint") as opened:
        checks = [opened.read(name).tolist() for name in opened.names if name.endswith(".crc32")]
    options = dict(parse_agent(text).options)
    return fingerprint_of({"meta": dict(blueprint.meta), "checks": checks, "options": options})


def _begin(folder: Path, asked: _Asked) -> None:
    """Make the folder, or check that it is of the same review."""
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_free = not any(folder.iterdir())
        if not is_there(path) and not is_free:
            raise InvalidOption.of("output", str(folder), "choose a new folder")
        if is_there(path):
            before = _read_asked(folder)
            if before.fingerprint != asked.fingerprint:
                raise RunError(
                    f"{shown(folder)} has another review (another player, agent or options); "
                    "choose another folder"
                )
            if before == asked:
                return
        (folder / _PARTS).mkdir(exist_ok=True)
    except OSError as error:
        raise storage_error(folder, error, REPEAT) from error
    write_json(path, asked.document, remedy=REPEAT)


def _read_asked(folder: Path) -> _Asked:
    path = folder / FILE_NAME
    if not is_there(path):
        raise RunError(
            f"{shown(folder)} is not the folder of a review: it has no {FILE_NAME}; make one with "
            "`untilt hands review`"
        )
    found = read_json(path)
    match found:
        case {
            "kind": str(kind),
            "format": int(version),
            "player": str(player),
            "agents": list(agents),
            "think": None | str() as think,
            "boards": int(boards),
            "blueprints": list(blueprints),
            "hands": str(hands),
            "ranges": None | dict() as ranges,
        } if kind == _NAME and all(isinstance(each, str) for each in (*agents, *blueprints)):
            if version != FORMAT:
                raise FormatError(
                    f"{shown(path)} has format {version}, this version reads format {FORMAT}: "
                    "update untilt"
                )
            if ranges is not None:
                try:
                    ranges = PresetRanges(ranges).document
                except UntiltError as error:
                    raise FormatError(f"{shown(path)} is damaged (its ranges: {error})") from None
            return _Asked(player, tuple(agents), think, boards, tuple(blueprints), hands, ranges)
    raise FormatError(f"{shown(path)} is damaged (its entries); restore it from a copy")


def _parts(number: int, rows: list[int], seats: list[int], size: int) -> Iterator[_Part]:
    """Yield the wanted hands of a file in parts that do not depend on what is wanted."""
    begin = 0
    while begin < len(rows):
        first = rows[begin] // size * size
        end = begin
        while end < len(rows) and rows[end] < first + size:
            end += 1
        yield _Part(number, first, tuple(rows[begin:end]), tuple(seats[begin:end]))
        begin = end


def _is_done(folder: Path, part: _Part, asked: _Asked) -> bool:
    path = folder / _PARTS / part.name
    try:
        with open_container(path, KIND) as opened:
            return bool(opened.meta.get("of") == asked.fingerprint)
    except FormatError:
        return False


def _prepare(folder: Path, asked: _Asked, watcher: OnReview | None) -> None:
    """Compute the values of the agents that are not in the folder yet."""
    from untilt.abstraction.blueprint import Blueprint
    from untilt.policy.thinking.tabulated_values import BucketValues, tabulated

    for number, text in enumerate(asked.agents):
        if text == PUSHFOLD:
            continue
        blueprint = Blueprint(blueprint_file(blueprint_of(text)[0]))
        path, of = _values_file(folder, asked, number)
        if BucketValues.read(path, blueprint, of) is not None:
            continue

        def tell(done: int) -> None:
            if watcher is not None:
                watcher(ReviewMoment("valuing actions", done, asked.boards, 0))

        tabulated(blueprint, asked.boards, watcher=tell).write(path, of)


def _values_file(folder: Path, asked: _Asked, number: int) -> tuple[Path, str]:
    return folder / f"values-{number}.bin", f"{asked.blueprints[number]} {asked.boards}"


def _judge(folder: Path, asked: _Asked, threads: int) -> Judge:
    """Return the judge of a review whose values are known."""
    from untilt.policy.blueprint import load_blueprint
    from untilt.policy.resolving import policy_with_options
    from untilt.policy.thinking.tabulated_values import BucketValues

    depths = []
    for number, text in enumerate(asked.agents):
        if text == PUSHFOLD:
            continue
        path, _ = blueprint_of(text)
        translation = load_blueprint(path)
        blueprint = translation.blueprint
        values = BucketValues.read(*_reading(folder, asked, number, blueprint))
        if values is None:
            raise RunError(f"{shown(folder)} has lost the values of {text}; start again")
        thinking = None
        options = dict(parse_agent(text).options)
        if asked.think is not None:
            options["think"] = asked.think
        if options:
            thinking = policy_with_options(translation, options, text)
            thinking.warm_up()
        stack = min(blueprint.rules.stacks) / blueprint.rules.blinds[1]
        depths.append(Depth(text, stack, translation, values, thinking))
    ring = None if asked.ranges is None else RingJudge(PresetRanges(asked.ranges), threads=threads)
    return Judge(depths, has_charts=PUSHFOLD in asked.agents, ring=ring)


def _reading(folder: Path, asked: _Asked, number: int, blueprint: Any) -> tuple[Path, Any, str]:
    path, of = _values_file(folder, asked, number)
    return path, blueprint, of


def _judged(
    hands: Path, folder: Path, asked: _Asked, parts: list[_Part], pool: "Pool"
) -> Iterator[tuple[int, int]]:
    """Judge parts and write them; yield the numbers of hands and decisions since the last."""
    if pool.size == 1 or len(parts) == 1:
        worker = _Worker(hands, folder, asked)
        for part in parts:
            yield from worker.steps(part)
        return
    tasks = [(hands.resolve(), folder.resolve(), asked, part) for part in parts]
    for number, decisions in pool.each(judge_part, tasks):
        yield len(parts[number].rows), decisions


@lru_cache(maxsize=1)
def _worker(hands: Path, folder: Path, of: str) -> "_Worker":
    """Return what judges the parts of a review in this process."""
    asked = _read_asked(folder)
    assert asked.fingerprint == of
    return _Worker(hands, folder, asked, threads=1)


def judge_part(hands: Path, folder: Path, asked: _Asked, part: _Part) -> int:
    """Judge the hands of a part, write it, and return the number of decisions."""
    return _worker(hands, folder, asked.fingerprint).do(part)


class _Worker:
    """Judges parts of a review."""

    def __init__(self, hands: Path, folder: Path, asked: _Asked, threads: int = 0) -> None:
        """`threads` share out the solving of a spot; 0 for one per processor."""
        self._store = HandStore(hands)
        self._folder = folder
        self._asked = asked
        self._judge = _judge(folder, asked, threads)

    def do(self, part: _Part) -> int:
        """Judge the hands of a part, write it, and return the number of decisions."""
        return sum(decisions for _, decisions in self.steps(part))

    def steps(self, part: _Part) -> Iterator[tuple[int, int]]:
        """Do the same; yield the numbers of hands and decisions now and then."""
        file = self._store.files[part.file]
        found: list[PlacedChoice] = []
        step = max(self._asked.part_hands // _STEPS, 1)
        told_hands = told_decisions = 0
        hands = file.hands(part.rows)
        for done, (row, seat, hand) in enumerate(zip(part.rows, part.seats, hands, strict=True)):
            if done >= told_hands + step:
                yield done - told_hands, len(found) - told_decisions
                told_hands, told_decisions = done, len(found)
            gain, time = float(file.gains[file.firsts[row] + seat]), int(file.times[row])
            found += [
                PlacedChoice(part.file, row, time, gain, choice)
                for choice in self._judge.decisions(hand, seat)
            ]
        meta = {"of": self._asked.fingerprint, "hands": len(part.rows)}
        write_decisions(self._folder / _PARTS / part.name, found, meta)
        yield len(part.rows) - told_hands, len(found) - told_decisions


def _read(folder: Path, asked: _Asked, parts: Sequence[_Part]) -> Leaks:
    found = [read_decisions(folder / _PARTS / part.name, asked.fingerprint) for part in parts]
    num_hands = sum(len(part.rows) for part in parts)
    return _leaks(folder, asked, num_hands, together(found))


def _leaks(folder: Path, asked: _Asked, num_hands: int, decisions: JudgedDecisions) -> Leaks:
    hands = folder / asked.hands
    return Leaks(folder, asked.player, asked.agents, num_hands, decisions, hands)


def read_leaks(folder: str | os.PathLike[str]) -> Leaks:
    """Return a review that was made before.

    Raises RunError if there is none in the folder, FormatError if it is damaged.

    >>> import tempfile, untilt
    >>> try:
    ...     untilt.hands.read_leaks(tempfile.mkdtemp())
    ... except untilt.UntiltError as error:
    ...     print(str(error).rpartition(": ")[2])
    it has no review.json; make one with `untilt hands review`
    """
    path = path_of(folder)
    asked = _read_asked(path)
    try:
        names = sorted(each for each in (path / _PARTS).iterdir() if each.suffix == ".bin")
    except OSError as error:
        raise storage_error(path, error, REPEAT) from error
    found, num_hands = [], 0
    for name in names:
        with open_container(name, KIND) as opened:
            given = opened.meta.get("hands")
            num_hands += given if isinstance(given, int) else 0
        found.append(read_decisions(name, asked.fingerprint))
    return _leaks(path, asked, num_hands, together(found))
