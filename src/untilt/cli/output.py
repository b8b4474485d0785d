"""Where commands print: results to stdout, everything else to stderr."""

import json
import sys
from typing import Any

from rich.console import Console


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON object to stdout."""
    json.dump(document, sys.stdout, allow_nan=False, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
    sys.stdout.flush()


def stdout() -> Console:
    """Return the console for results; as wide as its content needs when piped."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


def stderr() -> Console:
    """Return the console for progress and messages."""
    return Console(stderr=True, highlight=False)
