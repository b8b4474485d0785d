"""Abstract games as data: what a run stores about them, and how they are rebuilt.

The registered game `abstract` takes texts: the game, its parameters, the states, the menu. A game
that is made of ready-made parts is rebuilt from them without any other code.
"""

from collections.abc import Mapping
from typing import Any

from untilt.abstraction.abstract_game import AbstractPosition, abstract
from untilt.abstraction.algebra import fingerprint_of
from untilt.abstraction.expressions import parse_menu, parse_states
from untilt.errors import Argument, InvalidOption, RunError, UnknownName, shortened
from untilt.games.registry import REGISTRY, name_position, resolve

ABSTRACT = "abstract"
"""The name of the registered game."""


_EMPTY_AT_ROOT = (
    *("board", "cards", "drawn", "hands", "line", "made", "moves"),
    *("quote", "trade", "trader", "urgency", "value"),
)
"""The state of registered games. Parameters describe the root, not a position after it."""


def make(game: str, parameters: str, states: str, actions: str) -> AbstractPosition:
    """Return the abstract game that these texts describe; `parameters` are `stack=40, ranks=6`."""
    if game not in REGISTRY.own or game == ABSTRACT:
        others = [name for name in REGISTRY.own if name != ABSTRACT]
        raise UnknownName.among("game", game, others)
    root = resolve(game, _parsed_parameters(parameters)).game
    return abstract(root, parse_states(states), parse_menu(actions) if actions.strip() else None)


def _parsed_parameters(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise InvalidOption(
                Argument("parameters"),
                f" has {shortened(part)}; write them as 'stack=40, ranks=6'",
            )
        found[name.strip()] = value.strip()
    return found


def parameters_of_abstract(position: AbstractPosition) -> dict[str, str] | None:
    """Return the parameters with which `make` returns this root; None if other code is needed."""
    base = name_position(position.base)
    abstraction = position.abstraction
    if not (base.is_builtin and abstraction.is_ready_made and type(position) is AbstractPosition):
        return None
    if any(getattr(position.base, name, None) for name in _EMPTY_AT_ROOT):
        return None
    given = ", ".join(
        f"{name}={value}" for name, value in base.parameters.items() if value not in (None, "")
    )
    return {
        "game": str(base.reference),
        "parameters": given,
        "states": repr(abstraction.states),
        "actions": "" if abstraction.menu is None else repr(abstraction.menu),
    }


def described(root: object) -> dict[str, Any] | None:
    """Return the description of an abstract game that a run stores; None for any other game."""
    if not isinstance(root, AbstractPosition):
        return None
    base = name_position(root.base)
    menu = root.abstraction.menu
    return {
        "game": base.name,
        "states": repr(root.abstraction.states),
        "actions": None if menu is None else repr(menu),
        "fingerprint": _fingerprint(root),
    }


def _fingerprint(root: AbstractPosition) -> str:
    base = name_position(root.base)
    given = sorted((name, str(value)) for name, value in base.parameters.items())
    return fingerprint_of(base.name, repr(given), root.abstraction.fingerprint)


def verify_abstraction(root: object, stored: Mapping[str, Any] | None) -> None:
    """Raise RunError unless `root` is the abstract game that a run has stored.

    Runs of earlier versions stored nothing.
    """
    if stored is None:
        return
    if not isinstance(root, AbstractPosition):
        raise RunError(
            f"the run is of an abstract game, with the states {shortened(stored.get('states'))}; "
            "the game given is not abstract"
        )
    now = described(root)
    assert now is not None
    if now["fingerprint"] == stored.get("fingerprint"):
        return
    for what in ("game", "states", "actions"):
        if now[what] != stored.get(what):
            raise RunError(
                f"the run is of another abstraction: its {what} are {stored.get(what)}, those of "
                f"the game given are {now[what]}; restore them, or start a new run"
            )
    raise RunError(
        "the run is of another abstraction: a function in "
        f"{shortened(now['states'], 200)} has changed, or a parameter of the game; restore it, or "
        "start a new run"
    )
