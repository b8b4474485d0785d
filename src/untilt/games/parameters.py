"""Parameters of a game given by name, converted by the signature of its factory.

A factory is any callable: a class of positions or a function that returns the root. A parameter
can be set by name if its annotation, or else its default, is an int, float, bool or str, a
`Literal` of these, or an optional one (`| None`). Others keep their default.

The constructor of a class of positions also takes the state of a position, such as `line=""`. An
argument that is empty at the root and changes as hands are played is state, not a parameter.
"""

import inspect
import random
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from untilt.errors import InvalidOption, UnknownName, UntiltError, shortened
from untilt.game.histories.walking import random_hand
from untilt.number import Integer, Number, number_in

ParameterValue = str | int | float | bool | None
"""The type of a parameter; text is converted to the type that the game expects."""

REQUIRED: Any = inspect.Parameter.empty
"""Marks a parameter without a default."""

_NONE = type(None)
# Narrow types first: for `int | str`, the text "3" becomes an integer.
_SCALARS: tuple[type, ...] = (bool, int, float, str, _NONE)
_TRUTH_OF_WORD = {
    **dict.fromkeys(("true", "yes", "1"), True),
    **dict.fromkeys(("false", "no", "0"), False),
}


_HANDS_TRIED = 10
_MOVES_TRIED = 50


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that can be set by name."""

    name: str
    kinds: tuple[type, ...] = ()
    """The types that it accepts, in the order in which text is converted to them."""
    choices: tuple[ParameterValue, ...] = ()
    """Single values that it accepts in addition to `kinds`."""
    default: Any = REQUIRED

    def __str__(self) -> str:
        allowed = [repr(choice) for choice in self.choices]
        allowed += ["None" if kind is _NONE else kind.__name__ for kind in self.kinds]
        default = "" if self.default is REQUIRED else f" = {self.default!r}"
        return f"{self.name}: {' | '.join(allowed)}{default}"

    def convert(self, given: ParameterValue) -> ParameterValue:
        """Return `given` as one of the allowed values; raise ValueError if it is not one."""
        for choice in self.choices:
            # `type` because True == 1 would match the choice 1.
            if (given == choice and type(given) is type(choice)) or given == str(choice):
                return choice
        for kind in self.kinds:
            try:
                return _convert_to(kind, given)
            except ValueError:
                continue
        raise ValueError


P = ParamSpec("P")
Made = TypeVar("Made")


def checked(factory: Callable[P, Made]) -> Callable[P, Made]:
    """Make a factory refuse arguments of the wrong type, as `untilt solve -p` does."""
    parameters = parameters_of(factory)
    signature = inspect.signature(factory)
    by_name: Callable[..., Made] = factory

    @wraps(factory)
    def make(*args: P.args, **kwargs: P.kwargs) -> Made:
        given = signature.bind(*args, **kwargs).arguments
        try:
            bound = bind_parameters(factory.__name__, parameters, given)
        except InvalidOption as refusal:
            try:
                factory(*args, **kwargs)  # its own error may state the limits
            except UntiltError:
                raise
            except Exception:
                raise refusal from None
            raise
        return by_name(**bound)

    return make


def parameters_of(factory: Callable[..., object]) -> tuple[Parameter, ...]:
    """Return the parameters of `factory` that can be set by name, in the order of its signature."""
    try:
        signature = inspect.signature(factory, eval_str=True)
    except Exception:  # an annotation that cannot be evaluated; defaults still give the type
        try:
            signature = inspect.signature(factory)
        except (TypeError, ValueError):  # some callables written in C have no signature
            return ()
    parameters = (_parameter(each) for each in signature.parameters.values())
    return tuple(parameter for parameter in parameters if parameter is not None)


def without_state(
    factory: Callable[..., Any],
    parameters: Iterable[Parameter],
    given: Mapping[str, ParameterValue],
) -> tuple[Parameter, ...]:
    """Return the `parameters` that are not state of the positions that `factory` makes.

    Returns all of them if it is not a class, or cannot make a root from `given`; a later call
    reports the error.
    """
    all_of_them = tuple(parameters)
    names = [each.name for each in all_of_them if each.default in ("", 0, None)]
    if not isinstance(factory, type) or not names:
        return all_of_them
    state: set[str] = set()
    # An error of the user's code occurs again later, and is reported then.
    with suppress(Exception):
        others = {each.name for each in all_of_them} - set(names)
        usable = {name: value for name, value in given.items() if name in others}
        root = factory(**bind_parameters("", all_of_them, usable))
        rng = random.Random(0)
        for _ in range(_HANDS_TRIED):
            for position in random_hand(root, rng, _MOVES_TRIED):
                state.update(name for name in names if _differ(root, position, name))
    return tuple(each for each in all_of_them if each.name not in state)


def _differ(root: Any, position: Any, name: str) -> bool:
    return hasattr(root, name) and getattr(position, name, None) != getattr(root, name)


def bind_parameters(
    owner: str, parameters: Iterable[Parameter], given: Mapping[str, ParameterValue]
) -> dict[str, ParameterValue]:
    """Return a value for each of the `parameters`: the one given, converted, or its default.

    `owner` names the game in messages.
    """
    verify_mapping(given)
    parameter_of_name = {parameter.name: parameter for parameter in parameters}
    listed = ", ".join(str(parameter) for parameter in parameter_of_name.values())
    for name, value in given.items():
        if not parameter_of_name:
            raise InvalidOption(f"{owner} takes no parameters, given {name}={_shown(value)}")
        if name not in parameter_of_name:
            near = get_close_matches(str(name), parameter_of_name, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise UnknownName(f"unknown parameter {name!r}: {hint}{owner} takes {listed}")
    bound: dict[str, ParameterValue] = {}
    for name, parameter in parameter_of_name.items():
        if name in given:
            try:
                bound[name] = parameter.convert(given[name])
            except ValueError:
                raise InvalidOption(
                    f"{name}={_shown(given[name])} is not allowed: {owner} takes {listed}"
                ) from None
        elif parameter.default is REQUIRED:
            raise InvalidOption(f"{owner} needs a value for {name}: it takes {listed}")
        else:
            bound[name] = parameter.default
    return bound


def verify_integer(owner: str, name: str, given: object, least: int, most: int) -> None:
    """Raise InvalidOption unless a parameter of the game `owner` is an integer in this range."""
    if not Integer(least, most).accepts(given):
        raise InvalidOption(
            f"{owner}: {name}={shortened(given)}; allowed: an integer from {least} to {most}"
        )


def verify_number(owner: str, name: str, given: float, least: float, most: float) -> None:
    """Raise InvalidOption unless a parameter of the game `owner` is a number in this range."""
    if not Number(least=least, most=most).accepts(given):
        raise InvalidOption(
            f"{owner}: {name}={shortened(given)}; allowed: a number from {least:g} to {most:g}"
        )


def verify_word(owner: str, name: str, given: object, allowed: Iterable[str]) -> None:
    """Raise InvalidOption unless a parameter of the game `owner` is one of these words."""
    words = tuple(allowed)
    if given not in words:
        raise InvalidOption(f"{owner}: {name}={shortened(given)}; allowed: {', '.join(words)}")


def verify_mapping(given: object) -> None:
    """Raise InvalidOption unless parameters are given by name."""
    if not isinstance(given, Mapping):
        raise InvalidOption(
            f"parameters are {shortened(given)}; give them by name, such as {{'ranks': 5}}"
        )


def _shown(given: object) -> str:
    return given if isinstance(given, str) and given.isprintable() else shortened(given)


def _parameter(declared: inspect.Parameter) -> Parameter | None:
    """Return the parameter that a signature declares; None if it cannot be set by name."""
    if declared.kind not in (declared.POSITIONAL_OR_KEYWORD, declared.KEYWORD_ONLY):
        return None
    default = declared.default
    if default is not REQUIRED and type(default) not in _SCALARS:
        return None
    kinds, choices = _allowed(declared.annotation, default)
    if kinds or choices:
        return Parameter(declared.name, kinds, choices, default)
    # Without a default it must be given: pass it on as text.
    return Parameter(declared.name, (str,)) if default is REQUIRED else None


def _allowed(
    annotation: Any, default: object
) -> tuple[tuple[type, ...], tuple[ParameterValue, ...]]:
    """Return the types and the single values that an annotation allows; both may be empty."""
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    annotation = getattr(annotation, "__value__", annotation)  # a `type` statement's alias
    if annotation is REQUIRED or isinstance(annotation, str):
        if default is REQUIRED:
            return (int, float, str), ()
        # A default of None says nothing about the type of other values.
        return ((int, float, str, _NONE) if default is None else (type(default),)), ()
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return (), arguments
    if origin in (typing.Union, types.UnionType):
        members = [_allowed(argument, REQUIRED) for argument in arguments]
        choices = tuple(choice for _, member in members for choice in member)
        kinds = tuple(kind for member, _ in members for kind in member)
        return tuple(sorted(set(kinds), key=_SCALARS.index)), choices
    if annotation in (None, _NONE):
        return (_NONE,), ()
    return ((annotation,) if annotation in _SCALARS else ()), ()


def _convert_to(kind: type, given: ParameterValue) -> ParameterValue:
    if isinstance(given, kind) and not (isinstance(given, bool) and kind is not bool):
        return given
    if kind is float and isinstance(given, int) and Number().accepts(given):
        return float(given)
    if not isinstance(given, str):
        raise ValueError
    if kind is bool:
        word = given.strip().lower()
        if word not in _TRUTH_OF_WORD:
            raise ValueError
        return _TRUTH_OF_WORD[word]
    number = number_in(given)
    if kind is int and isinstance(number, int) and Integer().accepts(number):
        return number
    if kind is float and Number(or_infinite=True).accepts(number):
        return float(number or 0.0)
    if kind is _NONE and given.strip().lower() == "none":
        return None
    raise ValueError
