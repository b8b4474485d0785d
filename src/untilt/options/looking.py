"""Options of the commands that show something: pages, figures, recorded hands."""

from dataclasses import replace
from pathlib import Path

from untilt.options.option import Option, integer
from untilt.options.run import (
    AS_JSON,
    FORCE,
    MAX_NODES,
    NO_OPEN,
    OUTPUT,
    PARAMETER,
    PORT,
    STRATEGY_GAME,
    TRUST,
    told,
)

SERVE = (
    replace(PORT, help="Port on this machine, 0 for any; 8080 or the next free one by default."),
    replace(NO_OPEN, help="Do not open a browser."),
    Option(
        "private",
        bool,
        False,
        "Answer only requests that carry the token in the printed address, for a machine that "
        "others use too. No browser is opened.",
    ),
    Option(
        "dev",
        bool,
        False,
        "For development of the page: no caching, and rebuild it when its sources change.",
    ),
    AS_JSON,
)
"""The options of `untilt serve`."""

DOCS = (
    Option("text", bool, False, "Show the page in the terminal; as Markdown in a pipe."),
    replace(NO_OPEN, help="Print where the page is; do not open or show it."),
    Option(
        "serve",
        bool,
        False,
        "Serve the site on this machine until Ctrl-C, for browsers that may not read files.",
    ),
    replace(PORT, default=0, help="With --serve: the port, 0 for any."),
    AS_JSON,
)
"""The options of `untilt docs`."""

FIGURE = (
    told(
        OUTPUT,
        "The figure to write, convergence.svg by default; it ends in .svg, .png or .pdf.",
        metavar="FILE",
    ),
    Option(
        "by",
        str,
        "iteration",
        "The horizontal axis.",
        choices=("iteration", "seconds"),
    ),
    Option(
        "measure",
        str,
        None,
        "What to draw: exploitability, nash_conv, regret, residual, drift or lbr; by default the "
        "first that the runs have.",
    ),
    Option("title", str, None, "The title; the game's by default."),
    FORCE,
    AS_JSON,
)
"""The options of `untilt plot`."""

HAND = (
    Option(
        "strategy",
        Path,
        None,
        "Compare with the strategy of a run: of the same game, of an abstraction of it, or a "
        "solved spot that the hand comes to.",
        metavar="RUN",
    ),
    Option(
        "agent",
        str,
        None,
        "Say what this blueprint would do at every decision, with values and the cost of the "
        'choice; it thinks if asked to: "bp/ --think 0.5s".',
        metavar="AGENT",
    ),
    Option("ranges", bool, False, "With --agent, show both players' ranges at each decision."),
    Option("number", int, 1, "Which hand of a file with several, from 1.", metavar="N"),
    told(TRUST, "Allow running the Python code that the run names."),
    AS_JSON,
)
"""The options of `untilt hand`."""

SELECTION = (
    Option("player", int, None, "Only this player.", integer(0)),
    Option("card", str, None, "Only this private card, such as K."),
    Option(
        "board",
        str,
        None,
        "Only this public card; '' before it is dealt. Of a spot: the board of a later street.",
    ),
    Option(
        "line",
        str,
        None,
        "Only after this line of betting, such as cb or 'check, bet'; 'cb*' includes all lines "
        "that begin with it.",
    ),
    Option("top", int, None, "Only the N infosets reached most often.", integer(1), metavar="N"),
)
"""Which part of a strategy is shown."""
SORT = Option(
    "sort",
    str,
    "hand",
    "Spots: order hands by weight, equity, ev, eqr or an action.",
    metavar="COLUMN",
)
SHOW = (
    *SELECTION,
    Option("values", bool, False, "Show what each action is worth, in chips."),
    Option("reach", bool, False, "Show how often each infoset is reached."),
    Option(
        "labels",
        str,
        None,
        "Name infosets in full (P0:K:cb), compact (3/CB: cards by number) or by letters (K/CB), "
        "instead of by columns.",
        choices=("full", "compact", "letters"),
    ),
    Option(
        "explain",
        str,
        None,
        "Show how this infoset learned: regrets and strategy by iteration.",
        metavar="LABEL",
    ),
    SORT,
    Option("whole", bool, False, "Spots: print every hand.", flag="--all"),
    STRATEGY_GAME,
    PARAMETER,
    AS_JSON,
)
"""The options of `untilt show`."""

COMPARE = (
    Option("top", int, 10, "List the N infosets where they differ most.", integer(1), metavar="N"),
    Option(
        "streets",
        int,
        None,
        "Of spots: compare this many streets, by default those with at most 200 boards.",
        integer(1, 3),
        metavar="N",
    ),
)
"""The options of `untilt compare`, besides the game."""

EVALUATE = (
    Option(
        "against",
        Path,
        None,
        "Another run or strategy file of the same game: show the exact head-to-head result, and "
        "how far apart the two play.",
        metavar="OTHER",
    ),
    Option(
        "best_response",
        Path,
        None,
        "Write the best responses of all players, each to the others' strategies, to this new JSON "
        "file.",
        metavar="FILE",
    ),
)
"""The options of `untilt evaluate`, besides the game."""

GAMES = (
    Option(
        "check",
        str,
        None,
        "Test a registered game or your own against all rules of the protocol.",
        metavar="GAME",
    ),
    PARAMETER,
    told(MAX_NODES, "With --check: stop beyond this many histories."),
    AS_JSON,
)
"""The options of `untilt games`."""
