"""How the command line spells the arguments of the library."""

_IRREGULAR_FLAGS = {
    "branch": "--trace",
    "max_iterations": "--max-iters",
    "path": "--method",
    "seconds": "--time",
    "tolerance": "--tol",
}
"""Arguments whose flag is not simply their name with dashes."""


def flag_of(argument: str) -> str:
    """Return the flag that sets an argument: `--max-nodes` for `max_nodes`."""
    return _IRREGULAR_FLAGS.get(argument) or f"--{argument.replace('_', '-')}"
