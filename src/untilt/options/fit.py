"""Options of fits to observed play; those of the model of games are in `solvers/qre/options`."""

from pathlib import Path

from untilt.options.option import Option, integer
from untilt.options.run import STRATEGY_GAME, told

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

COLUMNS = (
    Option(
        "subject",
        str,
        None,
        "The column that says who decided, for standard errors clustered by subject; for hands "
        "perhaps one per player, the subjects in the seats of player 0, 1 and so on.",
        metavar="COLUMN[,COLUMN]",
    ),
    Option(
        "group",
        str,
        None,
        "Fit a beta for every value of this column, and test whether they differ.",
        metavar="COLUMN",
    ),
    Option(
        "treatment",
        str,
        None,
        "The same; with --group, a beta for every combination of the two.",
        metavar="COLUMN",
    ),
)
"""The columns that say who decided, and under which conditions."""
WRITTEN = Option(
    "output",
    Path,
    None,
    "Write the fitted strategies to this new file, which `untilt evaluate` reads.",
    short="-o",
    metavar="FIT.json",
)
PLAYED = told(STRATEGY_GAME, "The game that was played, as for `untilt solve`.")
