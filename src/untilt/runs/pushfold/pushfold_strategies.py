"""Push/fold strategies from all supported sources, as frequencies of the 169 hands.

hune                    a published chart, at the stack in question
nash                    the equilibrium
push=22+,A2s+;call=QQ+  two ranges; frequencies such as QQ:0.5
ranges.txt              the same in a file: push=… and call=…, one of them or both, # comments
chart.csv               columns hand, push, call: frequencies of all 169 hands from 0 to 1
strategy.json           a strategy file, or the output of `untilt chart --json`
regret.dat              338 regrets of the learner: act if positive, flip a coin if zero
runs/pushfold-lp-1      the folder of a run
"""

from collections.abc import Mapping
from pathlib import Path

from untilt.errors import CardError, FormatError, InvalidOption, StrategyError
from untilt.formats.base.files import read_given_json, shown
from untilt.formats.kinds.strategy_file import read_plain_strategy
from untilt.game.compiled import compile as compile_game
from untilt.game.strategy.strategy import profile_from_dict
from untilt.games.pushfold.chart import PushFoldPlay, play_of
from untilt.games.pushfold.chart_text import (
    NASH,
    STAKES_OPTIONS,
    is_range_pair,
    play_of_csv,
    play_of_hands,
    play_of_ranges,
    published_caveat,
    published_play,
    stakes_caveat,
    written_halves,
)
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.games.pushfold.published import PUBLISHED
from untilt.numeric.arrays import Floats
from untilt.runs.loading import load_run
from untilt.runs.pushfold.charts import solve_chart
from untilt.runs.pushfold.text_file import text_of
from untilt.runs.pushfold.training_start import learned_strategy


def read_play(text: str, stakes: Stakes) -> PushFoldPlay:
    """Return the play that `text` names or describes, for a game with these stakes."""
    if text in PUBLISHED:
        return published_play(text, stakes)
    if text == NASH:
        return solve_chart(stakes).play
    # Checked before files: a range can be longer than the longest file name.
    if is_range_pair(text):
        return play_of_ranges(text)
    path = Path(text)
    if not path.exists():
        raise InvalidOption(
            f"{shown(path)} is not a strategy: give a file, the folder of a run, "
            f"'push=RANGE;call=RANGE', {NASH} or {', '.join(PUBLISHED)}"
        )
    if path.is_dir():
        return _from_run(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _from_csv(path)
    if suffix == ".txt":
        return _from_ranges(path, stakes)
    if suffix == ".json":
        return _from_json(path, stakes)
    probabilities, _ = learned_strategy(path)
    return PushFoldPlay(probabilities[0], probabilities[1])


def caveat(text: str, stakes: Stakes, options: Mapping[str, str] = STAKES_OPTIONS) -> str | None:
    """Return how the stakes of the strategy `text` differ from these; None if not known.

    `options` are those of the command that set stakes, with a place for each amount.
    """
    if text in PUBLISHED:
        return published_caveat(text, stakes)
    if is_range_pair(text):
        return None
    path = Path(text)
    if path.suffix.lower() == ".txt" and path.is_file():
        missing = {"push", "call"} - {*_halves_of(path)}
        half = next(iter(missing), None)
        plural = {"push": "pushes", "call": "calls"}
        return half and f"{path} has no {half}=: the equilibrium's {plural[half]} are used"
    return stakes_caveat(str(path), _own_stakes(path), stakes, options)


def _own_stakes(path: Path) -> Mapping[str, object]:
    """Return what is known about the stakes that a strategy was made for."""
    if path.is_dir():
        return load_run(path).request.parameters
    if path.suffix.lower() == ".json" and path.is_file():
        match read_given_json(path):
            case {"stack_bb": stack}:
                return {"stack": stack}
            case {"parameters": Mapping() as parameters}:
                return parameters
    elif path.suffix.lower() != ".csv" and path.is_file():
        settings = learned_strategy(path)[1]
        return {} if settings is None else PushFold(Stakes(settings.stack)).parameters
    return {}


def _from_run(path: Path) -> PushFoldPlay:
    run = load_run(path)
    game = compile_game(PushFold())
    if list(run.game.infosets[0]) != list(game.infosets[0]):
        raise InvalidOption(f"{shown(path)} is a run of {run.request.game}; give a run of pushfold")
    return play_of(run.profile)


def _from_json(path: Path, stakes: Stakes) -> PushFoldPlay:
    match read_given_json(path):
        case {"push": Mapping() as push, "call": Mapping() as call}:
            return play_of_hands(shown(path), push, call)
    try:
        profile = profile_from_dict(compile_game(PushFold(stakes)), read_plain_strategy(path))
    except StrategyError as error:
        raise StrategyError(f"{shown(path)}: {error}") from error
    return play_of(profile)


def _from_csv(path: Path) -> PushFoldPlay:
    return play_of_csv(shown(path), text_of(path))


def _halves_of(path: Path) -> dict[str, Floats]:
    """Return the ranges in a file of text, by action."""
    try:
        return written_halves(text_of(path))
    except (CardError, InvalidOption) as error:
        raise FormatError(f"{shown(path)}: {error}") from error


def _from_ranges(path: Path, stakes: Stakes) -> PushFoldPlay:
    """Return the play of a file of ranges; a half that it lacks is the equilibrium's."""
    halves = _halves_of(path)
    if len(halves) < 2:
        equilibrium = solve_chart(stakes).play
        halves = {"push": equilibrium.push, "call": equilibrium.call, **halves}
    return PushFoldPlay(halves["push"], halves["call"])
