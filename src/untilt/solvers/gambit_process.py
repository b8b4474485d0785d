"""Gambit in a separate process: `python -m untilt.solvers.gambit_process`.

Gambit does not release the interpreter lock while it computes, so nothing else could run in its
process, not even the handling of Ctrl-C. One JSON object, {"program", "exact", "game"}, is read
from stdin, with the game as the text of an `.efg` file. The equilibria are written to stdout as
JSON: for each of them a list per player of a list per infoset of the probabilities of actions, as
text, or null where Gambit leaves them open because the infoset is not reached.
"""

import io
import json
import signal
import sys
from typing import Any


def main() -> None:
    """Answer the question on stdin."""
    # The default action ends the process at once, even while Gambit computes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _end_with_parent()
    json.dump(answer(json.load(sys.stdin)), sys.stdout)


def answer(asked: dict[str, Any]) -> list[list[list[list[str] | None]]]:
    """Return the equilibria that `asked` is about."""
    import pygambit

    game = pygambit.read_efg(io.StringIO(asked["game"]))
    if asked["program"] == "lcp":
        found = [pygambit.nash.lcp_solve(game, rational=asked["exact"]).equilibrium]
    else:
        mixed = pygambit.nash.enummixed_solve(game, rational=asked["exact"]).equilibria
        found = [profile.as_behavior() for profile in mixed]
    return [[_infosets(own) for own in profile] for profile in found]


def _end_with_parent() -> None:
    """Ask Linux to end this process with the one that started it, however that ends.

    Elsewhere Ctrl-C reaches this process by itself.
    """
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1  # of prctl(2)
        ctypes.CDLL(None).prctl(set_parent_death_signal, int(signal.SIGKILL))


def _infosets(own: Any) -> list[list[str] | None]:
    """Return the probabilities at a player's infosets, in the order of their numbers."""
    rows: list[list[str] | None] = []
    for _, distribution in own:
        shares = [None if share is None else str(share) for share in dict(distribution).values()]
        is_open = any(share is None or share == "nan" for share in shares)
        rows.append(None if is_open else [share for share in shares if share is not None])
    return rows


if __name__ == "__main__":
    main()
