"""Options of a blueprint that solves streets at the table."""

from untilt.number import Integer, Number
from untilt.options.option import Check, Option, checked_by, integer

AUTO = "auto"
"""Think as long as the clock allows; solve what there is time for."""
MODES = ("gadget", "maxmargin", "unsafe")
STREETS = (AUTO, "river", "turn", "flop")
"""What is solved: rivers only, turns too, flops too, or turns too if time allows."""

THINK = Option(
    "think",
    str,
    None,
    "How long a decision is solved at the table: 0.3s, 500ms, or auto.",
    metavar="TIME",
)
ITERATIONS = Option(
    "iterations",
    int,
    None,
    "Solve a river with this many iterations instead, a turn with a quarter of them, a flop with "
    "half: the same result again.",
    integer(1),
    metavar="N",
)
SOLVED = Option(
    "streets",
    str,
    AUTO,
    "What is solved: river, turn (and river), flop (all three), or auto: the turn, too, with 1s or "
    "more.",
    choices=STREETS,
)
THREADS = Option("threads", int, 2, "Threads that solve.", checked_by(Integer(1, 1_024)))
MODE = Option("mode", str, MODES[0], "How safe a solution is.", choices=MODES)
BELIEF = Option(
    "belief",
    float,
    0.8,
    "The share of a solution that trusts the ranges, 0 to 1.",
    Check("a share from 0 to 1", Number(least=0, most=1).accepts),
)
THINKING = (THINK, ITERATIONS, SOLVED, THREADS, MODE, BELIEF)
"""How a blueprint thinks; any of them makes it do so."""
