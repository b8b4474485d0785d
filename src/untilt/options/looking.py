"""Options of the commands that show something: pages, figures, recorded hands."""

from dataclasses import replace
from pathlib import Path

from untilt.options.option import Option
from untilt.options.run import AS_JSON, FORCE, NO_OPEN, OUTPUT, PORT, TRUST, told

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
