"""The options of solving methods as flags of a command, generated from the table of methods."""

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar, cast

import typer

from untilt.solvers.methods import DEFAULT_METHOD, METHODS, Method
from untilt.solvers.options import Option, Value

F = TypeVar("F", bound=Callable[..., object])


def with_method_options(*, after: str) -> Callable[[F], F]:
    """Give a command that takes `**options` a flag for every option of a method.

    The help lists them after the parameter `after`. A flag that is not given is None.
    """

    def decorate(command: F) -> F:
        signature = inspect.signature(command)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            if parameter.kind is not parameter.VAR_KEYWORD:
                parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))
            if parameter.name == after:
                parameters += _flags()
        cast(Any, command).__signature__ = signature.replace(parameters=parameters)
        return command

    return decorate


def method_help() -> str:
    """Return the help of `--method`."""
    full_width = [method.name for method in _offered() if not method.is_sampling]
    sampling = [
        f"{method.name} ({', '.join(short)})" if (short := _short_names(method)) else method.name
        for method in _offered()
        if method.is_sampling
    ]
    return (
        f"{', '.join(full_width)}; sampling: {', '.join(sampling)}. The fastest "
        f"({DEFAULT_METHOD}) by default. For quantal response see `untilt qre`."
    )


def _flags() -> list[inspect.Parameter]:
    names = dict.fromkeys(option.name for method in _offered() for option in method.takes)
    return [_flag(name) for name in names]


def _flag(name: str) -> inspect.Parameter:
    """Return the flag for the option `name` of all methods that take it."""
    takers = [
        (method, option) for method in _offered() for option in method.takes if option.name == name
    ]
    helps: dict[str, list[Method]] = {}
    defaults: dict[Value, list[Method]] = {}
    for method, option in takers:
        helps.setdefault(_described(option), []).append(method)
        defaults.setdefault(option.default, []).append(method)
    texts = [
        text if len(helps) == 1 else f"{text.removesuffix('.')} ({_names(methods)})."
        for text, methods in helps.items()
    ]
    shown = ", ".join(f"{_shown(value)} ({_names(methods)})" for value, methods in defaults.items())
    help_text = f"{' '.join(texts)} By default {shown}."
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[takers[0][1].type | None, typer.Option(help=help_text)],
    )


def _offered() -> Iterable[Method]:
    """Return the methods of `untilt solve`, without short names."""
    return [
        method
        for method in METHODS.values()
        if method.command == "solve" and method.short_for is None
    ]


def _short_names(method: Method) -> list[str]:
    return [other.name for other in METHODS.values() if other.short_for == method.name]


def _described(option: Option) -> str:
    """Return the help of an option, preceded by its choices."""
    text = option.help
    return f"{option.allowed}: {text[0].lower()}{text[1:]}" if option.choices else text


def _names(methods: list[Method]) -> str:
    """Return the names of the methods; a complete family is named once, by its family name."""
    names: list[str] = []
    for method in methods:
        family = [other for other in _offered() if other.family == method.family]
        is_whole = len(family) > 1 and all(other in methods for other in family)
        names.append(method.family if is_whole else method.name)
    return ", ".join(dict.fromkeys(names))


def _shown(value: Value) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.3g}" if isinstance(value, float) else f"{value:,}"
