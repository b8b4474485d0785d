"""Push/fold strategies written as text, read as frequencies of the 169 hands.

push=22+,A2s+;call=QQ+  two ranges, frequencies as QQ:0.5; also over several lines
CSV                     columns hand, push, call: frequencies of all hands from 0 to 1
JSON                    the same, by hand, as `untilt chart --json` prints them

`source` says in errors where the text comes from.
"""

import csv
import math
import re
from collections.abc import Mapping

import numpy as np

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.cards.ranges.range import Range
from untilt.errors import FormatError, InvalidOption
from untilt.games.pushfold.chart import PushFoldPlay
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.published import PUBLISHED, published_chart
from untilt.numeric.arrays import Floats

NASH = "nash"
"""The name of the equilibrium, at the stakes in question."""
_ACTIONS = ("push", "call")
_HALF = re.compile(r"(?:^|[;\n])\s*(push|call)\s*[=:]", re.IGNORECASE)
"""Where a written range begins; `push 15%` is part of one, because no sign follows the word."""


def published_play(name: str, stakes: Stakes) -> PushFoldPlay:
    """Return the frequencies of a published chart at the stack of `stakes`."""
    chart = published_chart(name)
    push, call = chart.push(stakes.stack), chart.call(stakes.stack)
    return PushFoldPlay(push.astype(np.float64), call.astype(np.float64))


def is_chart_name(text: str) -> bool:
    """Whether the text is a chart without any file: by name, or two ranges."""
    return text == NASH or text in PUBLISHED or is_range_pair(text)


def is_range_pair(text: str) -> bool:
    """Whether the text is meant as `push=RANGE;call=RANGE`."""
    return text.partition("=")[0].strip().lower() in _ACTIONS


def play_of_ranges(text: str) -> PushFoldPlay:
    """Return the play written as `push=RANGE;call=RANGE`."""
    halves = written_halves(text)
    for action in _ACTIONS:
        if action not in halves:
            raise InvalidOption(f"{text[:60]!r} lacks {action}=: give 'push=RANGE;call=RANGE'")
    return PushFoldPlay(halves["push"], halves["call"])


def written_halves(text: str) -> dict[str, Floats]:
    """Return the ranges written as `push=RANGE` and `call=RANGE`, one of them or both.

    They are separated by a semicolon or a new line, and a range may span several lines. A colon may
    replace the equals sign; what follows `#` in a line is a comment.
    """
    bare = "\n".join(line.partition("#")[0] for line in text.splitlines())
    found = list(_HALF.finditer(bare))
    names = [match[1].lower() for match in found]
    ends = [*(match.start() for match in found[1:]), len(bare)]
    ranges = [
        " ".join(bare[match.end() : end].split()).rstrip("; ")
        for match, end in zip(found, ends, strict=False)  # without a match, the end is left over
    ]
    is_other = not found or bare[: found[0].start()].strip()
    if is_other or len({*names}) < len(names) or any({*";="} & {*own} for own in ranges):
        raise InvalidOption(
            f"{text[:60]!r} is not a strategy: give 'push=RANGE;call=RANGE', each at most once, "
            "such as 'push=22+,A2s+;call=QQ+,AK'"
        )
    return {name: range_shares(own) for name, own in zip(names, ranges, strict=True)}


def range_shares(text: str) -> Floats:
    """Return [169] the share of each class that is in the range written as `text`."""
    return Range.parse(text).class_weights()


def play_of_csv(source: str, text: str) -> PushFoldPlay:
    """Return the play of a CSV chart."""
    try:
        return _play_of_rows(source, csv.DictReader(text.splitlines()))
    except csv.Error as error:  # a cell is longer than 131,072 characters, or not closed
        raise FormatError(f"{source} is not valid CSV ({error})") from error


def play_of_hands(
    source: str, push: Mapping[str, object], call: Mapping[str, object]
) -> PushFoldPlay:
    """Return the play with these frequencies by hand; all 169 hands must be there."""
    return PushFoldPlay(
        *(_shares(source, *half) for half in zip(_ACTIONS, (push, call), strict=True))
    )


def _play_of_rows(source: str, reader: "csv.DictReader[str]") -> PushFoldPlay:
    columns = [name.strip().lower() for name in reader.fieldnames or ()]
    reader.fieldnames = columns
    if not {"hand", *_ACTIONS} <= set(columns):
        raise FormatError(
            f"{source} has the columns {', '.join(columns)[:80] or 'none'}; a chart needs "
            "hand, push and call"
        )
    halves: dict[str, dict[str, object]] = {action: {} for action in _ACTIONS}
    for row in reader:
        name = (row["hand"] or "").strip()
        if name in halves["push"]:
            raise FormatError(f"{source}, line {reader.line_num}: {name} appears twice")
        for action, by_hand in halves.items():
            by_hand[name] = row[action]
    return play_of_hands(source, **halves)


def _shares(source: str, action: str, by_hand: Mapping[str, object]) -> Floats:
    """Return [169] the frequencies of an action."""
    unknown = [name for name in by_hand if name not in CLASS_NAMES]
    if unknown:
        raise FormatError(
            f"{source}: {unknown[0][:20]!r} is not a hand; hands are written AA, AKs, AKo"
        )
    missing = [name for name in CLASS_NAMES if name not in by_hand]
    if missing:
        raise FormatError(
            f"{source} lacks {action} for {len(missing)} of {NUM_CLASSES} hands, the first of them "
            f"{missing[0]}; add them"
        )
    return np.array([_share(source, name, action, by_hand[name]) for name in CLASS_NAMES])


def _share(source: str, name: str, action: str, given: object) -> float:
    try:
        share = float(given) if isinstance(given, str | int | float) else math.nan
    except ValueError:
        share = math.nan
    if isinstance(given, bool) or not 0.0 <= share <= 1.0:
        raise FormatError(
            f"{source}: {action} of {name} is {str(given)[:20]!r}; give a frequency from 0 to 1"
        )
    return share


def published_caveat(name: str, stakes: Stakes) -> str | None:
    """Return why a published chart does not fit these stakes, if it does not."""
    assert name in PUBLISHED
    chart = published_chart(name)
    if stakes.ante or stakes.bb_ante or stakes.small_blind != 0.5:
        return f"the chart {name} is for blinds 0.5/1 without antes"
    if stakes.stack > chart.largest_stack:
        return (
            f"the chart {name} ends at {chart.largest_stack:g} bb: hands without a limit are "
            "assumed to be played beyond it"
        )
    return None


_AMOUNTS = {
    "stack": "{:g} bb",
    "small_blind": "small blind {:g}",
    "ante": "ante {:g}",
    "bb_ante": "big-blind ante {:g}",
}
"""Stakes in words."""

STAKES_OPTIONS: Mapping[str, str] = {
    "stack": "--stack {:g}",
    "small_blind": "--blinds {:g}/1",
    "ante": "--ante {:g}",
    "bb_ante": "--bb-ante {:g}",
}
"""What sets stakes in commands for push/fold."""

STAKES_PARAMETERS: Mapping[str, str] = {name: f"-p {name}={{:g}}" for name in _AMOUNTS}
"""What sets stakes in commands that take any game."""


def stakes_caveat(
    source: str, made: Mapping[str, object], stakes: Stakes, options: Mapping[str, str]
) -> str | None:
    """Return the difference of `stakes` from those that a strategy was made for, if any.

    Amounts that are not in `made` are assumed to be the same. `options` are the command's own.
    """
    before = {
        name: float(amount)
        for name in _AMOUNTS
        if isinstance(amount := made.get(name), int | float) and amount != getattr(stakes, name)
    }
    if not before:
        return None
    here = {name: getattr(stakes, name) for name in before}
    then, now = (
        ", ".join(_AMOUNTS[name].format(amount) for name, amount in amounts.items())
        for amounts in (before, here)
    )
    given = " ".join(options[name].format(amount) for name, amount in before.items())
    return f"{source} was made for {then} but is used with {now}; to use it as made, give {given}"
