"""Data files that come with the package: a magic word, a checksum, the content.

8 bytes   the magic word
16 bytes  BLAKE2b of everything that follows
content   little-endian numbers
"""

import hashlib
from importlib.resources import files

from untilt.errors import FormatError

_DIGEST_SIZE = 16


def head_of(magic: bytes, content: bytes | memoryview) -> bytes:
    """Return the bytes of the file that come before its content."""
    return magic + hashlib.blake2b(content, digest_size=_DIGEST_SIZE).digest()


def sealed(magic: bytes, content: bytes) -> bytes:
    """Return the bytes of the file."""
    return head_of(magic, content) + content


def unsealed(magic: bytes, data: bytes, what: str) -> memoryview:
    """Return the content of a file, which is not copied; `what` names it in errors.

    Raises FormatError if a byte was changed or is missing.
    """
    size = len(magic) + _DIGEST_SIZE
    content = memoryview(data)[size:]
    if data[:size] != head_of(magic, content):
        raise FormatError(f"{what} is damaged: reinstall Untilt")
    return content


def read_data(name: str) -> bytes:
    """Return the bytes of a data file of the package."""
    try:
        return (files("untilt.cards") / "data" / name).read_bytes()
    except FileNotFoundError as error:
        raise FormatError(f"the data file {name} is missing: reinstall Untilt") from error
