"""The options of solving methods as flags of a command, generated from the table of methods."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar, cast

from untilt.cli.options.option_flags import Flag, described, shown_value, with_flags
from untilt.options.option import Option, Value
from untilt.options.run import METHOD
from untilt.solvers.methods import DEFAULT_METHOD, METHODS, Method

F = TypeVar("F", bound=Callable[..., object])


def with_method_options(*options: Option) -> Callable[[F], F]:
    """Give a command a flag for `method`, for these options, and for all of `untilt solve`."""

    def flags() -> list[Flag]:
        method = Flag.of(replace(METHOD, help=method_help()))
        return [method, *map(Flag.of, options), *method_flags(_offered())]

    def decorate(command: F) -> F:
        given = with_flags(flags())(command)
        _REFRESHED.append(lambda: cast(Any, given).give_flags(flags()))
        return given

    return decorate


_REFRESHED: list[Callable[[], None]] = []
"""Functions that give the commands their flags again once there are more methods."""


def include_plugins() -> bool:
    """Add the methods of other packages to the flags and the help of commands, if there are any."""
    has_plugins = any(name not in METHODS.own for name in METHODS)
    if has_plugins:
        for give_flags in _REFRESHED:
            give_flags()
    return has_plugins


def method_flags(methods: Iterable[Method]) -> list[Flag]:
    """Return a flag for every option of these methods; each checks its own."""
    offered = list(methods)
    names = dict.fromkeys(option.name for method in offered for option in method.takes)
    return [_shared_flag(name, offered) for name in names]


def method_help() -> str:
    """Return the help of `--method`."""
    full_width = [method.name for method in METHODS.loaded().values() if method.is_full_width]
    sampling = [
        f"{method.name} ({', '.join(short)})" if (short := _short_names(method)) else method.name
        for method in _offered()
        if method.is_sampling
    ]
    extras = [method.name for method in _offered() if method.extra is not None]
    return (
        f"{', '.join(full_width)}; sampling: {', '.join(sampling)}; by other programs, for "
        f"general-sum games: {', '.join(extras)}. The fastest "
        f"({DEFAULT_METHOD}) by default. Several, such as cfr+,dcfr, are solved one after the "
        "other and kept. For quantal response see `untilt qre`."
    )


def chart_method_help() -> str:
    """Return the help of `untilt chart --method`."""
    offered = [method for method in METHODS.own.values() if method.is_full_width]
    exact = [method.name for method in offered if not method.has_iterations]
    others = [method.name for method in offered if method.has_iterations]
    return f"{', '.join(exact)} is exact; {', '.join(others)} stop at 1e-6 bb."


def _shared_flag(name: str, offered: list[Method]) -> Flag:
    """Return the flag for the option `name` of all methods that take it."""
    takers = [
        (method, option) for method in offered for option in method.takes if option.name == name
    ]
    helps: dict[str, list[Method]] = {}
    defaults: dict[Value, list[Method]] = {}
    for method, option in takers:
        helps.setdefault(described(option), []).append(method)
        defaults.setdefault(option.default, []).append(method)
    texts = [
        text if len(helps) == 1 else f"{text.removesuffix('.')} ({_names(methods, offered)})."
        for text, methods in helps.items()
    ]
    shown = ", ".join(
        f"{shown_value(value)} ({_names(methods, offered)})"
        for value, methods in defaults.items()
        if value is not None
    )
    choices = tuple(dict.fromkeys(choice for _, option in takers for choice in option.choices))
    text = " ".join([*texts, f"By default {shown}."] if shown else texts)
    return Flag(takers[0][1], text, choices, is_checked=False)


def _offered() -> list[Method]:
    """Return the methods of `untilt solve`, without short names."""
    return [
        method
        for method in METHODS.loaded().values()
        if method.command == "solve" and method.short_for is None
    ]


def _short_names(method: Method) -> list[str]:
    return [other.name for other in METHODS.loaded().values() if other.short_for == method.name]


def _names(methods: list[Method], offered: list[Method]) -> str:
    """Return the names of the methods; a complete family is named once, by its family name."""
    names: list[str] = []
    for method in methods:
        family = [other for other in offered if other.family == method.family]
        is_whole = len(family) > 1 and all(other in methods for other in family)
        names.append(method.family if is_whole else method.name)
    return ", ".join(dict.fromkeys(names))
