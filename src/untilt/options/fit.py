"""Options of fitting noise to hands of spots; those of games are in `solvers/qre/options`."""

from untilt.options.option import Option, integer

SPOTS = Option(
    "spot",
    list,
    None,
    "Fit the noise of players of this spot, a file as of `untilt spot` or the run of one; can be "
    "repeated, for rows with a column spot that has the name of the file or folder.",
    metavar="SPOT.toml",
)
LADDER = Option(
    "ladder",
    str,
    "40%..1%",
    "Of spots: the noises at which they are solved, as shares of the pot.",
    metavar="FROM..TO",
)
RUNGS = Option(
    "rungs",
    int,
    None,
    "Of spots: how many noises; 9 by default. With --per-player all pairs are solved, 7 × 7 by "
    "default.",
    integer(4, 50),
    metavar="N",
)
OF_SPOTS = (SPOTS, LADDER, RUNGS)
"""The options of `untilt fit` that are for spots only."""
