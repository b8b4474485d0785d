"""The start of a push/fold training: new settings, or the regret file of an earlier one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from untilt.errors import Argument, FormatError, InvalidOption, UntiltError
from untilt.formats.base.files import shown
from untilt.formats.kinds.regret_file import (
    Origin,
    RegretFile,
    read_regrets,
    sidecar_of,
    was_never_written,
)
from untilt.games.pushfold.learner import Settings, acting_probabilities
from untilt.games.pushfold.regret_code import RegretCode
from untilt.numeric.arrays import Floats
from untilt.options.pushfold import LEARNING


@dataclass
class Start:
    """The state from which a training begins."""

    settings: Settings
    file: RegretFile | None = None
    hands: int = 0
    notes: list[str] = field(default_factory=list)


def learned_strategy(path: Path) -> tuple[Floats, Settings | None]:
    """Return the frequencies [2, 169] of pushes and calls of a regret file, in grid order.

    Also return the settings it was trained with; None for a file without a sidecar, which is read
    as 338 linear regrets of 4 bytes.
    """
    file = read_regrets(path)
    if file.origin is None:
        return acting_probabilities(file.codes), None
    settings = settings_from(_own_options(path, file.origin))
    return acting_probabilities(file.codes, settings.code), settings


def prepare(path: Path | None, given: Mapping[str, Any]) -> Start:
    """Return the start of a new training, or of one that continues the file at `path`.

    `given` are the options of `LEARNING` that the user has chosen. Those that differ from an
    existing file's are rejected.
    """
    asked = settings_from({**options_of(Settings()), **given})
    if path is None:
        return Start(asked)
    if not path.exists():
        if sidecar_of(path).exists() and not was_never_written(path):
            raise FormatError(
                f"{shown(sidecar_of(path))} exists but {shown(path)} does not; restore the "
                "data, or remove the sidecar to start over"
            )
        return Start(asked)
    file = read_regrets(path, num_bytes=asked.code.num_bytes, num_regrets=asked.num_regrets)
    if file.origin is None:
        note = (
            f"{shown(path)} has no sidecar: its stack, hands played and seed are unknown; assuming "
            f"{asked.stack:g} bb, 0 hands and seed {asked.seed} (give another seed if it has "
            "already played those hands)"
        )
        return Start(asked, file, 0, [note])
    own = _own_options(path, file.origin)
    for name, value in given.items():
        if own[name] != value:
            raise InvalidOption(
                Argument(name),
                f" is {_text(value)}, but {shown(path)} was started with {_text(own[name])}; "
                "leave it out, or give another file",
            )
    return Start(settings_from(own), file, file.origin.hands)


def options_of(settings: Settings) -> dict[str, Any]:
    """Return the settings under their names on the command line."""
    of_code = {"bytes": settings.code.num_bytes, "growth": settings.code.growth}
    return {
        option.name: of_code.get(option.name) or getattr(settings, option.name)
        for option in LEARNING
    }


def settings_from(options: Mapping[str, Any]) -> Settings:
    """Return the checked settings; `options` are those of `options_of`."""
    own = dict(options)
    code = RegretCode(own.pop("bytes"), own.pop("growth"))
    return Settings(float(own.pop("stack")), **own, code=code)


def _own_options(path: Path, origin: Origin) -> dict[str, Any]:
    own = {name: value for name, value in asdict(origin).items() if name in options_of(Settings())}
    own["stack"] = origin.stack_bb
    try:
        settings_from(own)
    except UntiltError as error:
        raise FormatError(f"{shown(sidecar_of(path))}: {error}") from error
    return own


def _text(value: object) -> str:
    return f"{value:,g}" if isinstance(value, float) else str(value)
