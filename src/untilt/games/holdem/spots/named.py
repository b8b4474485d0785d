"""Spots with names: the four endgames of Libratus that its authors published.

Board, pot and ranges are those of the match in January 2017, with blinds of 50/100 and stacks of
20,000: how likely the blueprint of Libratus was to get there with each hand (Brown & Sandholm, data
at github.com/Sandholm-Lab/LibratusEndgames, rounded to seven digits). Papers on methods compare
them on these endgames. The bets are ours: half the pot, the pot and all-in, for bets and raises.
"""

from pathlib import Path

NAMED_SPOTS = ("libratus-1", "libratus-2", "libratus-3", "libratus-4")
"""1 and 2 begin on the turn, 3 and 4 on the river; 1 and 3 have small pots, 2 and 4 large ones."""


def spot_file(path: str | Path) -> Path:
    """Return the file of a named spot if nothing else has this name; else the path as it is."""
    given = Path(path)
    if str(path) in NAMED_SPOTS and not given.exists():
        return Path(__file__).parent / "data" / f"{path}.toml"
    return given
