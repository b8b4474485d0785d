"""Names that are loaded on first use: importing the package stays fast (PEP 562).

The package `untilt` itself, above all others, also says here which function completes a package
that lies below it: `provide` names the function, `provided` loads it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(
    module: str,
    home: Mapping[str, str],
    renamed: Mapping[str, str | tuple[str, str]] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module whose public names are those of `home`.

    `home` maps each name to the module that defines it. A name mapped to the module itself is a
    submodule, one mapped to `untilt` is in a package above it and provided by its dotted name. The
    list of names is also the module's `__all__`, unless it has a longer one.

    `renamed` maps names of the version before to where they are now: they still work, with a
    DeprecationWarning, but are not listed. What has no equal now is a pair: the name to use instead
    and where the former object is.
    """
    former = renamed or {}
    for name, place in home.items():
        if place.startswith(f"{module}.{name}."):
            _leave_name(module, name)

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(home)
        if name in former:
            return _renamed(f"{module}.{name}", former[name])
        if name not in home:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        from importlib import import_module

        if home[name] == module:
            return import_module(f"{module}.{name}")
        if home[name] == "untilt":
            value = provided(f"{module}.{name}")
        else:
            value = getattr(import_module(home[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    def listed() -> list[str]:
        names = sys.modules[module].__all__
        return sorted([*names, "__version__"] if module == "untilt" else names)

    return get, listed


def _leave_name(module: str, name: str) -> None:
    """Take from a folder the attribute of its package, for the public object of the same name.

    It would get the attribute, and hide that object, when anything in it is first imported.
    """
    from importlib import import_module

    import_module(f"{module}.{name}")
    delattr(sys.modules[module], name)


def _renamed(name: str, place: str | tuple[str, str]) -> Any:
    """Return the object of a former name, and warn the line that asked for it."""
    import warnings
    from importlib import import_module

    now, found = (place, place) if isinstance(place, str) else place
    warnings.warn(f"{name} is now {now}", DeprecationWarning, stacklevel=3)
    module, _, attribute = found.rpartition(".")
    return getattr(import_module(module), attribute)


_PROVIDED: dict[str, tuple[str, str]] = {}


def provide(what: str, module: str, name: str) -> None:
    """Say that `name` of `module` is what others ask for as `what`; nothing is loaded yet."""
    _PROVIDED[what] = module, name


def provided(what: str) -> Any:
    """Return what was provided under a name."""
    from importlib import import_module

    module, name = _PROVIDED[what]
    return getattr(import_module(module), name)
