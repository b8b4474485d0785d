"""Push/fold strategies from wherever they come, as frequencies of the 169 hands.

hune                    a published chart, at the stack in question
nash                    the equilibrium
push=22+,A2s+;call=QQ+  two ranges, frequencies as QQ:0.5
chart.csv               columns hand, push, call: frequencies of all 169 hands from 0 to 1
strategy.json           a strategy file, or what `untilt chart --json` printed
regret.dat              338 regrets of the learner: a positive one acts, zero is a coin
runs/pushfold-lp-1      the folder of a run
"""

import csv
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES
from untilt.cards.range import Range
from untilt.errors import FormatError, InvalidOption, StrategyError
from untilt.formats.files import open_regular, read_given_json, shown, unreadable
from untilt.formats.strategy import read_plain_strategy
from untilt.game.compiled import compile as compile_game
from untilt.game.strategy import profile_from_dict
from untilt.games.pushfold.chart import Play, play_of
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.games.pushfold.published import PUBLISHED, published_chart
from untilt.numeric.arrays import Floats
from untilt.runs.loading import load
from untilt.runs.pushfold import solve_chart
from untilt.runs.training_start import learned_strategy

NASH = "nash"

_MAX_CSV_BYTES = 1 << 20


def read_play(text: str, stakes: Stakes) -> Play:
    """Return the play that `text` names or describes, for a game with these stakes."""
    if text in PUBLISHED:
        chart = published_chart(text)
        return Play(
            chart.push(stakes.stack).astype(np.float64), chart.call(stakes.stack).astype(np.float64)
        )
    if text == NASH:
        return solve_chart(stakes).play
    if _is_range_pair(text):
        return _from_ranges(text)
    path = Path(text)
    if not path.exists():
        raise InvalidOption(
            f"{shown(path)} is no strategy: give a file, the folder of a run, "
            f"'push=RANGE;call=RANGE', {NASH} or {', '.join(PUBLISHED)}"
        )
    if path.is_dir():
        return _from_run(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _from_csv(path)
    if suffix == ".json":
        return _from_json(path, stakes)
    return _from_regrets(path)


def range_shares(text: str) -> Floats:
    """Return [169] how much of each class is in the range written as `text`."""
    return Range.parse(text).class_weights()


def caveat(text: str, stakes: Stakes) -> str | None:
    """Return in what the strategy `text` was not made for these stakes, if that is known."""
    if text not in PUBLISHED:
        return None if _is_range_pair(text) else _other_stakes(Path(text), stakes)
    chart = published_chart(text)
    if stakes.ante or stakes.bb_ante or stakes.small_blind != 0.5:
        return f"the chart {text} is for blinds 0.5/1 without antes"
    if stakes.stack > chart.largest_stack:
        return (
            f"the chart {text} ends at {chart.largest_stack:g} bb: hands that it plays there are "
            "taken to be played"
        )
    return None


def _is_range_pair(text: str) -> bool:
    # Asked before any file is: a range can be longer than a file's name may be.
    return text.partition("=")[0].strip().lower() in ("push", "call")


_AMOUNTS = {
    "stack": ("{:g} bb", "--stack {:g}"),
    "small_blind": ("small blind {:g}", "--blinds {:g}/1"),
    "ante": ("ante {:g}", "--ante {:g}"),
    "bb_ante": ("big-blind ante {:g}", "--bb-ante {:g}"),
}
"""Stakes in words, and the option that sets each."""


def _other_stakes(path: Path, stakes: Stakes) -> str | None:
    """Return in what `stakes` differ from those for which the strategy was made, if known."""
    made = _own_stakes(path)
    others = [
        name for name in _AMOUNTS if made.get(name, getattr(stakes, name)) != getattr(stakes, name)
    ]
    if not others:
        return None
    before, here = (
        ", ".join(_AMOUNTS[name][0].format(amounts[name]) for name in others)
        for amounts in (made, {name: getattr(stakes, name) for name in others})
    )
    options = " ".join(_AMOUNTS[name][1].format(made[name]) for name in others)
    return f"{path} was made for {before} and plays here with {here}; {options} plays it as made"


def _own_stakes(path: Path) -> dict[str, float]:
    """Return what is known of the stakes for which a strategy was made."""
    found: Mapping[str, object] = {}
    if path.is_dir():
        found = load(path).request.parameters
    elif path.suffix.lower() == ".json" and path.is_file():
        match read_given_json(path):
            case {"stack_bb": stack}:
                found = {"stack": stack}
            case {"parameters": Mapping() as parameters}:
                found = parameters
    elif path.suffix.lower() != ".csv" and path.is_file():
        settings = learned_strategy(path)[1]
        found = {} if settings is None else PushFold(Stakes(settings.stack)).parameters
    return {
        name: float(amount) for name, amount in found.items() if isinstance(amount, int | float)
    }


def _from_ranges(text: str) -> Play:
    ranges: dict[str, Floats] = {}
    for part in text.split(";"):
        name, equals, written = part.partition("=")
        name = name.strip().lower()
        if not equals or name not in ("push", "call") or name in ranges:
            raise InvalidOption(
                f"{text[:60]!r} is no strategy: give 'push=RANGE;call=RANGE', such as "
                "'push=22+,A2s+;call=QQ+,AK'"
            )
        ranges[name] = range_shares(written)
    if len(ranges) < 2:
        missing = "call" if "push" in ranges else "push"
        raise InvalidOption(f"{text[:60]!r} lacks {missing}=: give 'push=RANGE;call=RANGE'")
    return Play(ranges["push"], ranges["call"])


def _from_run(path: Path) -> Play:
    run = load(path)
    game = compile_game(PushFold())
    if list(run.game.infosets[0]) != list(game.infosets[0]):
        raise InvalidOption(f"{shown(path)} is a run of {run.request.game}; give a run of pushfold")
    return play_of(run.profile)


def _from_json(path: Path, stakes: Stakes) -> Play:
    parsed = read_given_json(path)
    match parsed:
        case {"push": Mapping() as push, "call": Mapping() as call}:
            return Play(_from_hands(path, "push", push), _from_hands(path, "call", call))
    try:
        profile = profile_from_dict(compile_game(PushFold(stakes)), read_plain_strategy(path))
    except StrategyError as error:
        raise StrategyError(f"{shown(path)}: {error}") from error
    return play_of(profile)


def _from_hands(path: Path, action: str, shares: Mapping[str, object]) -> Floats:
    """Return [169] the frequencies by hand, which must be complete."""
    unknown = [name for name in shares if name not in CLASS_NAMES]
    if unknown:
        raise FormatError(
            f"{shown(path)}: {unknown[0][:20]!r} is no hand; hands are written AA, AKs, AKo"
        )
    missing = [name for name in CLASS_NAMES if name not in shares]
    if missing:
        raise FormatError(
            f"{shown(path)} lacks {action} for {len(missing)} of {NUM_CLASSES} hands, the first is "
            f"{missing[0]}; add it"
        )
    return np.array([_share(path, name, action, shares[name]) for name in CLASS_NAMES])


def _share(path: Path, name: str, action: str, given: object) -> float:
    try:
        share = float(given) if isinstance(given, str | int | float) else math.nan
    except ValueError:
        share = math.nan
    if isinstance(given, bool) or not 0.0 <= share <= 1.0:
        raise FormatError(
            f"{shown(path)}: {action} of {name} is {str(given)[:20]!r}; "
            "give a frequency from 0 to 1"
        )
    return share


def _from_csv(path: Path) -> Play:
    try:
        with open_regular(path) as file:
            data = file.read(_MAX_CSV_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from error
    if len(data) > _MAX_CSV_BYTES:
        raise FormatError(f"{shown(path)} is too large for a chart of {NUM_CLASSES} hands")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{shown(path)} is not UTF-8 text (byte {error.start})") from error
    try:
        return _from_rows(path, csv.DictReader(text.splitlines()))
    except csv.Error as error:  # a cell of more than 131,072 characters, or one without an end
        raise FormatError(f"{shown(path)} is not valid CSV ({error})") from error


def _from_rows(path: Path, reader: "csv.DictReader[str]") -> Play:
    columns = [name.strip().lower() for name in reader.fieldnames or ()]
    reader.fieldnames = columns
    if not {"hand", "push", "call"} <= set(columns):
        raise FormatError(
            f"{shown(path)} has the columns {', '.join(columns)[:80] or 'none'}; a chart needs "
            "hand, push and call"
        )
    shares: dict[str, dict[str, object]] = {"push": {}, "call": {}}
    for row in reader:
        name = (row["hand"] or "").strip()
        if name in shares["push"]:
            raise FormatError(f"{shown(path)} has the hand {name} twice, in line {reader.line_num}")
        for action, by_hand in shares.items():
            by_hand[name] = row[action]
    return Play(*(_from_hands(path, action, by_hand) for action, by_hand in shares.items()))


def _from_regrets(path: Path) -> Play:
    probabilities, _ = learned_strategy(path)
    return Play(probabilities[0], probabilities[1])
