"""The options of solving methods as flags of a command, generated from the table of methods."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast

import typer

from untilt.errors import flag_of
from untilt.options.option import Option, Options, Value
from untilt.solvers.methods import DEFAULT_METHOD, METHODS, Method

F = TypeVar("F", bound=Callable[..., object])


def with_method_options(*, after: str) -> Callable[[F], F]:
    """Give a command that takes `**options` a flag for every option of `untilt solve`.

    The help lists them after the parameter `after`. A flag that is not given is None. The command
    also takes `method`, whose help names all methods.
    """

    def decorate(command: F) -> F:
        signature = inspect.signature(command)

        def give_flags() -> None:
            cast(Any, command).__signature__ = _with_method_help(signature)
            with_flags(method_flags(_offered()), after=after)(command)

        give_flags()
        _REFRESHED.append(give_flags)
        return command

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


def _with_method_help(signature: inspect.Signature) -> inspect.Signature:
    setting = typer.Option("-m", "--method", help=method_help(), show_default=False)
    return signature.replace(
        parameters=[
            parameter.replace(annotation=Annotated[str | None, setting])
            if parameter.name == "method"
            else parameter
            for parameter in signature.parameters.values()
        ]
    )


def method_flags(methods: Iterable[Method]) -> list[inspect.Parameter]:
    """Return a flag for every option of these methods."""
    offered = list(methods)
    names = dict.fromkeys(option.name for method in offered for option in method.takes)
    return [_shared_flag(name, offered) for name in names]


def with_options(
    options: Iterable[Option], *, after: str, also: Mapping[str, str] = MappingProxyType({})
) -> Callable[[F], F]:
    """Give a command that takes `**options` a flag for each of these, as `with_method_options`.

    `also` holds a second spelling of an option's flag, by the name of the option.
    """
    flags = [
        _flag([option], f"{_described(option)}{_default_of(option)}", also.get(option.name))
        for option in options
        if option.is_flag
    ]
    return with_flags(flags, after=after)


def given_of(options: Mapping[str, Value | None]) -> Options:
    """Return the options whose flags were given."""
    return {name: value for name, value in options.items() if value is not None}


def with_flags(flags: list[inspect.Parameter], *, after: str) -> Callable[[F], F]:
    """Give a command that takes `**options` these flags, after the parameter `after`."""

    def decorate(command: F) -> F:
        signature = inspect.signature(command)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            if parameter.kind is not parameter.VAR_KEYWORD:
                parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))
            if parameter.name == after:
                parameters += flags
        cast(Any, command).__signature__ = signature.replace(parameters=parameters)
        return command

    return decorate


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


def _shared_flag(name: str, offered: list[Method]) -> inspect.Parameter:
    """Return the flag for the option `name` of all methods that take it."""
    takers = [
        (method, option) for method in offered for option in method.takes if option.name == name
    ]
    helps: dict[str, list[Method]] = {}
    defaults: dict[Value, list[Method]] = {}
    for method, option in takers:
        helps.setdefault(_described(option), []).append(method)
        defaults.setdefault(option.default, []).append(method)
    texts = [
        text if len(helps) == 1 else f"{text.removesuffix('.')} ({_names(methods, offered)})."
        for text, methods in helps.items()
    ]
    shown = ", ".join(
        f"{_shown(value)} ({_names(methods, offered)})" for value, methods in defaults.items()
    )
    return _flag([option for _, option in takers], f"{' '.join(texts)} By default {shown}.")


def _flag(options: list[Option], help_text: str, also: str | None = None) -> inspect.Parameter:
    """Return the flag that sets these options, all of one name and type."""
    first = options[0]
    spellings = [flag_of(first.name)]
    if also is not None:
        spellings.insert(0 if len(also) == 2 else 1, also)  # -m, --method; --beta, --lambda
    choices = dict.fromkeys(choice for option in options for choice in option.choices)

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    setting = typer.Option(
        *spellings,
        metavar=first.metavar,
        help=help_text,
        show_default=False,
        autocompletion=complete if choices else None,
    )
    return inspect.Parameter(
        first.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[first.type | None, setting],
    )


def _offered() -> list[Method]:
    """Return the methods of `untilt solve`, without short names."""
    return [
        method
        for method in METHODS.loaded().values()
        if method.command == "solve" and method.short_for is None
    ]


def _short_names(method: Method) -> list[str]:
    return [other.name for other in METHODS.loaded().values() if other.short_for == method.name]


def _described(option: Option) -> str:
    """Return the help of an option, preceded by its choices."""
    text = option.help
    return f"{option.allowed}: {text[0].lower()}{text[1:]}" if option.choices else text


def _default_of(option: Option) -> str:
    """Return a sentence on the default; empty if the default is zero, off or nothing."""
    return f" By default {_shown(option.default)}." if option.default else ""


def _names(methods: list[Method], offered: list[Method]) -> str:
    """Return the names of the methods; a complete family is named once, by its family name."""
    names: list[str] = []
    for method in methods:
        family = [other for other in offered if other.family == method.family]
        is_whole = len(family) > 1 and all(other in methods for other in family)
        names.append(method.family if is_whole else method.name)
    return ", ".join(dict.fromkeys(names))


def _shown(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.3g}"
    return f"{value:,g}"
