"""The terms of games whose run or document does not say them."""

from functools import cache

from untilt.game.terms import Terms, terms_of


@cache
def registered_terms(name: str) -> Terms:
    """Return the terms of the registered game of this name, the defaults if there is none.

    No code of a user is executed. Terms do not depend on parameters, so that those of a stranger's
    file are not tried: some would take all memory.
    """
    from untilt.games.registry import REGISTRY

    spec = REGISTRY.get(name)
    return Terms() if spec is None else terms_of(spec.factory())
