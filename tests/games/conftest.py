import pytest

from untilt.games import REGISTRY

from .half_street import SPEC


@pytest.fixture
def half_street(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry with one row more, as if it stood there."""
    assert SPEC.name not in REGISTRY
    monkeypatch.setattr(REGISTRY, "own", {**REGISTRY.own, SPEC.name: SPEC})
