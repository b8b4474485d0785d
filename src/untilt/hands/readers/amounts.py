"""Amounts of chips in texts: `$1,234.50`, `1.234,50 €`, `1 234`, in cents or in chips."""

import re
from functools import lru_cache

from untilt.errors import FormatError

_GROUPS = "[,.'\u2019 \u00a0\u202f\u2009]"
AMOUNT = rf"\d{{1,15}}(?:{_GROUPS}\d{{3}}(?!\d))*(?:[.,]\d{{1,2}}(?!\d))?"
"""A number; its groups of thousands and its decimals are marked as in any country."""

SIGN = r"[$€£¥₹₽₩₴₺฿]|[A-Z]{1,3}\$|R\$|kr|zł|[A-Z]{3} "
"""What stands before a number of some currency."""

_WHOLE = re.compile(rf"(\d{{1,15}}(?:{_GROUPS}\d{{3}}(?!\d))*)(?:[.,](\d{{1,2}}))?")
_MARKS = re.compile(_GROUPS)
MOST_CHIPS = 10**15


@lru_cache(maxsize=1 << 16)
def chips_in(text: str, scale: int) -> int:
    """Return the chips that a text of the form `AMOUNT` names, `scale` of them to a unit."""
    found = _WHOLE.fullmatch(text)
    if found is None:
        raise FormatError(f"{text[:40]!r} is not an amount")
    whole, decimals = found.groups()
    if not whole.isdecimal():
        whole = _MARKS.sub("", whole)
    part = 0
    if decimals:
        if scale == 1:
            raise FormatError(f"{text[:40]!r} is not a whole number of chips")
        part = int(decimals.ljust(2, "0"))
    chips = int(whole) * scale + part
    if chips > MOST_CHIPS:
        raise FormatError(f"{text[:40]!r} is more than anybody plays for")
    return chips
