"""Reading text in TOML that somebody wrote, perhaps to do harm."""

import re
import tomllib
from typing import Any

from untilt.errors import FormatError

_MAX_KEY_PARTS = 100
"""Time and memory that `tomllib` takes for a key grow with the square of its parts."""
_KEY_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*"""
_LONG_KEY = re.compile(
    rf"(?:^|[\[{{,])[ \t]*(?:{_KEY_PART}){{{_MAX_KEY_PARTS}}}", re.ASCII | re.MULTILINE
)


def parse_toml(text: str, subject: str) -> dict[str, Any]:
    """Return what a text in TOML says; FormatError says of the `subject` why it cannot be read."""
    if _LONG_KEY.search(text):
        raise FormatError(f"{subject} is nested too deeply")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{subject} is not TOML ({error})") from None
    except RecursionError:
        raise FormatError(f"{subject} is nested too deeply") from None
    except ValueError:  # of `int`, which `tomllib` lets through
        raise FormatError(f"{subject} has a number with too many digits") from None
