"""Flags that take a number, read by `untilt.number` as in files and in Python."""

import inspect
import math
import typing
from collections.abc import Callable
from typing import Any

import typer
from typer.models import ArgumentInfo, OptionInfo

from untilt.number import LARGEST_NUMBER, number_in


def read_numbers(app: typer.Typer) -> None:
    """Let every flag of these commands that takes an int or float be read by `untilt.number`."""
    for command in app.registered_commands:
        if command.callback is not None:
            for parameter in inspect.signature(command.callback).parameters.values():
                _read(parameter.annotation)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            read_numbers(group.typer_instance)


def integer_of(given: str | int) -> int:
    """Return the integer of a flag, such as 100000 or 1e5, or its default."""
    number = number_in(str(given))
    if not isinstance(number, int):
        raise typer.BadParameter("not an integer; give one such as 1000 or 1e3")
    return number


def float_of(given: str | float) -> float:
    """Return the number of a flag, perhaps infinite, or its default.

    Even nan is one here: what the flag is for refuses it, and says what is allowed.
    """
    text = str(given)
    number = math.nan if text.strip().lower() == "nan" else number_in(text)
    if number is None:
        raise typer.BadParameter("not a number; give one such as 0.5 or 1e3")
    if isinstance(number, int) and abs(number) > LARGEST_NUMBER:
        raise typer.BadParameter(f"too large; give a number up to {LARGEST_NUMBER:g}")
    return float(number)


_READERS: dict[type, tuple[Callable[[Any], float], str]] = {
    int: (integer_of, "int"),
    float: (float_of, "float"),
}


def _read(annotation: object) -> None:
    if typing.get_origin(annotation) is not typing.Annotated:
        return
    kind, *settings = typing.get_args(annotation)
    kinds = [each for each in (*typing.get_args(kind), kind) if each in _READERS]
    for setting in settings:
        if kinds and isinstance(setting, OptionInfo | ArgumentInfo):
            reader, word = _READERS[kinds[0]]
            setting.parser = _within(reader, setting.min, setting.max)
            is_bounded = setting.min is not None or setting.max is not None
            setting.metavar = setting.metavar or (f"<{word} range>" if is_bounded else f"<{word}>")


def _within(
    reader: Callable[[Any], float], least: float | None, most: float | None
) -> Callable[[Any], float]:
    """Return a reader that refuses numbers outside of the limits of a flag."""
    if least is None and most is None:
        return reader

    def read(given: Any) -> float:
        number = reader(given)
        if (least is not None and number < least) or (most is not None and number > most):
            lower, upper = (
                "" if least is None else f"{least}<=",
                "" if most is None else f"<={most}",
            )
            raise typer.BadParameter(f"{number} is not in the range {lower}x{upper}.")
        return number

    return read
