"""Names of a module that are loaded on first use: importing the module stays fast (PEP 562)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
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
        if home[name] == module:
            return import_module(f"{module}.{name}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    def listed() -> list[str]:
        return sorted([*home, "__version__"] if module == "untilt" else home)

    return get, listed
