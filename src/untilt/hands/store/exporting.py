"""Hands of a folder as one file of another format."""

from collections.abc import Iterable, Iterator

from untilt.formats.exchange.phh import format_phh
from untilt.hands.hand import RecordedHand


def phhs_chunks(hands: Iterable[RecordedHand]) -> Iterator[bytes]:
    """Yield the parts of a file of many hands in the PHH format."""
    for number, hand in enumerate(hands, start=1):
        yield f"[{number}]\n{format_phh(hand.to_history())}\n".encode()
