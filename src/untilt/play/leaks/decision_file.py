"""Judged decisions as columns: a file for each part of a review, and all parts together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.formats.base.container import Container, pack_strings, read_container, write_container
from untilt.formats.base.files import REPEAT
from untilt.hands.store.hand_file import are_times
from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.play.leaks.choices import REASONS, JudgedChoice

KIND = "leaks"
WORDS = (
    *("hand", "position", "pot_type", "line", "held", "action", "size", "best", "choices"),
    "judge",
)
"""Columns of text."""
_NUMBERS: dict[str, Any] = {
    "file": np.int32,
    "row": np.int32,
    "time": np.int64,
    "gain": np.float32,
    "street": np.uint8,
    "reason": np.uint8,
    "pot": np.float32,
    "cost": np.float32,
    "error": np.float32,
    "frequency": np.float32,
    "num_values": np.uint8,
    "first": np.int16,
    "second": np.int16,
    "weight": np.float32,
    "distance": np.float32,
}
"""Columns of numbers; chips in big blinds."""
_MOST_ACTIONS = 64
_SLACK = 1e-3
"""Rounding of a share that is a sum of others."""


@dataclass(frozen=True)
class PlacedChoice:
    """A decision and its hand: the file and row in the folder of hands."""

    file: int
    row: int
    time: int
    gain: float
    """What the player won in the hand, in big blinds; nan if unknown."""
    choice: JudgedChoice


def write_decisions(path: Path, found: Sequence[PlacedChoice], meta: dict[str, Any]) -> None:
    """Write decisions; `meta` says of which review they are."""
    arrays: dict[str, Any] = {}
    numbers = [_numbers(each) for each in found]
    for place, (name, dtype) in enumerate(_NUMBERS.items()):
        arrays[name] = np.array([row[place] for row in numbers], dtype)
    for name in WORDS:
        words = [getattr(each.choice, name) for each in found]
        known = sorted(set(words))
        number_of = {word: number for number, word in enumerate(known)}
        arrays[name] = np.array([number_of[word] for word in words], np.int32)
        arrays |= pack_strings(f"{name}_words", known)
    values = [value for each in found for value in each.choice.values]
    arrays["values"] = np.array(values, np.float32)
    write_container(path, KIND, meta, arrays, remedy=REPEAT)


def _numbers(found: PlacedChoice) -> tuple[float, ...]:
    choice = found.choice
    chosen = [*choice.chosen, (-1, 0.0), (-1, 0.0)]
    return (
        *(found.file, found.row, found.time, found.gain, choice.street, choice.reason),
        *(choice.pot, choice.cost, choice.error, choice.frequency, len(choice.values)),
        *(chosen[0][0], chosen[1][0], chosen[0][1], choice.distance),
    )


@dataclass(frozen=True, eq=False)
class JudgedDecisions:
    """Decisions in the order of the hands; columns by name."""

    numbers: dict[str, npt.NDArray[Any]]
    codes: dict[str, npt.NDArray[np.int32]]
    """[decisions] a place in `words`."""
    words: dict[str, list[str]]
    values: npt.NDArray[np.float32]
    """What actions are worth, as shares of the pot, decision by decision."""

    def __len__(self) -> int:
        return len(self.numbers["row"])

    @property
    def is_judged(self) -> Bools:
        """[decisions]"""
        found: Bools = self.numbers["reason"] == 0
        return found

    @property
    def costs(self) -> Floats:
        """[decisions] in big blinds; nan if not judged."""
        return self.numbers["cost"].astype(np.float64)

    @property
    def firsts(self) -> Offsets:
        """[decisions + 1] where the values of each begin."""
        found = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.numbers["num_values"], out=found[1:])
        return found

    @property
    def hands(self) -> Offsets:
        """[decisions] numbers of their hands, 0, 1, … in order."""
        if not len(self):
            return np.zeros(0, np.int64)
        file, row = self.numbers["file"], self.numbers["row"]
        is_new = np.append(False, (np.diff(file) != 0) | (np.diff(row) != 0))
        return np.cumsum(is_new).astype(np.int64)

    def text(self, name: str, place: int) -> str:
        """Return the text of a column."""
        return self.words[name][int(self.codes[name][place])]


def read_decisions(path: Path, fingerprint: str) -> JudgedDecisions:
    """Return the decisions in a file; FormatError if it is damaged or of another review."""
    found = read_container(path, KIND)
    if found.meta.get("of") != fingerprint:
        raise FormatError(f"{path} is of another review; remove it")
    return _checked(found)


def _checked(found: Container) -> JudgedDecisions:
    count = len(found.array("row", np.int32, (None,)))
    numbers = {name: found.array(name, dtype, (count,)) for name, dtype in _NUMBERS.items()}
    words = {name: found.strings(f"{name}_words", at_most=count) for name in WORDS}
    codes = {name: found.array(name, np.int32, (count,)) for name in WORDS}
    total = int(numbers["num_values"].sum())
    values = found.array("values", np.float32, (total,))
    sizes = numbers["num_values"].astype(np.int64)
    is_sound = all(
        not count or 0 <= codes[name].min() <= codes[name].max() < len(words[name])
        for name in WORDS
    ) and (
        not count
        or (
            sizes.max() <= _MOST_ACTIONS
            and numbers["reason"].max() < len(REASONS)
            and numbers["street"].max() < 4
            and bool((numbers["first"] < np.maximum(sizes, 1)).all())
            and bool((numbers["second"] < np.maximum(sizes, 1)).all())
            and are_times(numbers["time"])
            and bool(np.isfinite(numbers["pot"]).all())
            and bool(np.isfinite(numbers["distance"]).all())
            and not np.isinf(numbers["gain"]).any()
            and bool(np.isfinite(values).all())
            and _have_names(numbers, codes["choices"], words["choices"])
        )
    )
    if not is_sound:
        raise found.error("its columns do not fit each other")
    is_judged = numbers["reason"] == 0
    if not _are_judgements({name: each[is_judged] for name, each in numbers.items()}):
        raise found.error("what decisions cost")
    return JudgedDecisions(numbers, codes, words, values)


def _are_judgements(numbers: dict[str, npt.NDArray[Any]]) -> bool:
    """Whether the numbers of judged decisions are possible."""
    return (
        all(bool(np.isfinite(numbers[name]).all()) for name in ("cost", "error"))
        and bool((numbers["first"] >= 0).all())
        and all(
            bool(np.all((numbers[name] >= -_SLACK) & (numbers[name] <= 1.0 + _SLACK)))
            for name in ("frequency", "weight")
        )
    )


def _have_names(
    numbers: dict[str, npt.NDArray[Any]], codes: npt.NDArray[np.int32], words: list[str]
) -> bool:
    """Whether every judged decision has as many names of actions as values."""
    counts = np.array([word.count("|") + 1 for word in words], np.int64)[codes]
    is_judged = numbers["reason"] == 0
    return bool((counts[is_judged] == numbers["num_values"][is_judged]).all())


def together(parts: Iterable[JudgedDecisions]) -> JudgedDecisions:
    """Return the decisions of all parts, in order."""
    given = list(parts)
    numbers = {
        name: np.concatenate([np.zeros(0, dtype), *(each.numbers[name] for each in given)])
        for name, dtype in _NUMBERS.items()
    }
    words: dict[str, list[str]] = {}
    codes: dict[str, npt.NDArray[np.int32]] = {}
    for name in WORDS:
        every = sorted({word for each in given for word in each.words[name]})
        number_of = {word: number for number, word in enumerate(every)}
        mapped = [
            np.array([number_of[word] for word in each.words[name]], np.int32)[each.codes[name]]
            for each in given
            if len(each)
        ]
        words[name], codes[name] = every, np.concatenate([np.zeros(0, np.int32), *mapped])
    values = np.concatenate([np.zeros(0, np.float32), *(each.values for each in given)])
    return JudgedDecisions(numbers, codes, words, values)
