import sys

import pytest

from untilt.games import REGISTRY

from .half_street import SPEC


@pytest.fixture
def half_street(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry with one row more, as if it stood there."""
    longer = {**REGISTRY, SPEC.name: SPEC}
    for module in list(sys.modules.values()):
        if vars(module).get("REGISTRY") is REGISTRY and module.__name__.startswith("untilt"):
            monkeypatch.setattr(module, "REGISTRY", longer)
