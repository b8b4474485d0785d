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
    module: str, home: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module whose public names are those of `home`.

    `home` maps each name to the module that defines it; a name mapped to the module itself is a
    submodule. The list of names is also the module's `__all__`.
    """

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(home)
        if name not in home:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        from importlib import import_module

        if home[name] == module:
            return import_module(f"{module}.{name}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    def listed() -> list[str]:
        return sorted([*home, "__version__"] if module == "untilt" else home)

    return get, listed


_PROVIDED: dict[str, tuple[str, str]] = {}


def provide(what: str, module: str, name: str) -> None:
    """Say that `name` of `module` is what others ask for as `what`; nothing is loaded yet."""
    _PROVIDED[what] = module, name


def provided(what: str) -> Any:
    """Return what was provided under a name."""
    from importlib import import_module

    module, name = _PROVIDED[what]
    return getattr(import_module(module), name)
