"""Flags of commands, made from rows: an option is declared once, in `untilt.options` or beside its
method, and never written out as a flag."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar, cast

import typer

from untilt.errors import flag_of
from untilt.options.option import Option, Value, renamed

F = TypeVar("F", bound=Callable[..., object])
_ALSO = "__also__"
"""Between an option's name and another name of it, in the name of a hidden flag."""


class Flag(NamedTuple):
    """A flag: its option, and what its help says."""

    option: Option
    help: str
    choices: tuple[str, ...] = ()
    is_checked: bool = True
    """Whether a value is checked here; several methods may take different ones."""

    @classmethod
    def of(cls, option: Option) -> "Flag":
        """Return the flag of one option."""
        return cls(option, f"{described(option)}{_default_of(option)}", option.choices)

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Yield the parameter of a command that stands for it, then one for each other name."""
        option = self.option
        spellings = [*([option.short] if option.short else []), _spelled(option)]
        yield self._parameter(option.name, spellings)
        for other in option.also:
            yield self._parameter(f"{option.name}{_ALSO}{other}", [flag_of(other)], hidden=True)

    def _parameter(self, name: str, spellings: list[str], **how: Any) -> inspect.Parameter:
        kind = list[str] if self.option.type is list else self.option.type
        return inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kind | None, _setting(self, spellings, **how)],
        )


def setting_of(option: Option) -> Any:
    """Return how Typer reads the flag of an option, for a parameter that is written out."""
    spellings = [*([option.short] if option.short else []), _spelled(option)]
    return _setting(Flag.of(option), spellings)


def with_options(options: Iterable[Option], *, after: str = "") -> Callable[[F], F]:
    """Give a command that takes `**given` a flag for each of these, the last ones in its help.

    They can come `after` another parameter. The command is called with what was given, verified,
    under the names of today.
    """
    return with_flags([Flag.of(option) for option in options if option.is_flag], after=after)


def with_flags(flags: Iterable[Flag], *, after: str = "") -> Callable[[F], F]:
    """Give a command that takes `**given` these flags, as `with_options`."""

    def decorate(command: F) -> F:
        own = {each.name for each in inspect.signature(command).parameters.values()}
        rows: dict[str, Flag] = {}

        @functools.wraps(command)
        def run(**asked: Any) -> object:
            chosen = {name: value for name, value in asked.items() if name in own}
            rest = {name: value for name, value in asked.items() if name not in own}
            return command(**chosen, **_given(rows, rest))

        def give(flags: Iterable[Flag]) -> None:
            rows.clear()
            rows.update({flag.option.name: flag for flag in flags})
            cast(Any, run).__signature__ = _with_parameters(command, rows.values(), after)

        cast(Any, run).give_flags = give
        give(flags)
        return cast(F, run)

    return decorate


def _with_parameters(
    command: Callable[..., object], flags: Iterable[Flag], after: str
) -> inspect.Signature:
    """Return the signature of a command with its flags in place of `**given`."""
    signature = inspect.signature(command)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        is_last = parameter.kind is parameter.VAR_KEYWORD
        if not is_last:
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))
        if is_last if not after else parameter.name == after:
            parameters += [each for flag in flags for each in flag.parameters()]
    return signature.replace(parameters=parameters)


def chosen_of(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is given of some options."""
    names = {option.name for option in options}
    return {name: value for name, value in given.items() if name in names}


def described(option: Option) -> str:
    """Return the help of an option, preceded by its choices."""
    text = option.help
    return f"{option.allowed}: {text[0].lower()}{text[1:]}" if option.choices else text


def shown_value(value: Value) -> str:
    """Return a default as the help shows it."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) < 1e15 else f"{value:g}"


def _given(rows: Mapping[str, Flag], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options whose flags were given, verified."""
    spelled = {
        name.rpartition(_ALSO)[2]: value
        for name, value in asked.items()
        if value not in (None, [], ())
    }
    found = renamed([flag.option for flag in rows.values()], spelled)
    for name, value in found.items():
        option = rows[name].option
        if option.is_off_switch:
            found[name] = not value
        if rows[name].is_checked:
            option.verify(found[name])
    return found


def _spelled(option: Option) -> str:
    """Return the flag as Typer declares it; a switch that is on needs one that turns it off."""
    flag = option.flag or option.spelling
    is_on = option.default is True and not option.flag
    return f"{flag}/--no-{flag[2:]}" if is_on else flag


def _setting(flag: Flag, spellings: list[str], *, hidden: bool = False) -> Any:
    def complete(incomplete: str) -> list[str]:
        return [choice for choice in flag.choices if choice.startswith(incomplete)]

    return typer.Option(
        *spellings,
        metavar=flag.option.metavar,
        help=flag.help,
        show_default=False,
        autocompletion=complete if flag.choices else None,
        hidden=hidden,
    )


def _default_of(option: Option) -> str:
    """Return a sentence on the default; empty if the default is zero, off or nothing."""
    is_shown = option.default and option.type is not bool
    return f" By default {shown_value(option.default)}." if is_shown else ""
