"""Damaged texts are refused or read, and never stop the reader."""

import io
import os
import random
from pathlib import Path

import pytest
from tests.hands.simulated import chips, ggpoker_text, grouped, pokerstars_text, simulate
from tests.hands.test_other_readers import DOLLARS, LOG

from untilt.formats.exchange.phh import format_phh
from untilt.hands.hand import RecordedHand
from untilt.hands.reading import Unreadable, read_lines, read_stream

COUNT = int(os.environ.get("UNTILT_DAMAGED_TEXTS", "40000"))
"""Texts that the long test damages."""

PIECES = (
    *("$", "€", ",", ".", "-", "0", "99999999999999999999", "\n", "\r\n", ": ", "[", "]", "(", ")"),
    *("***", "*** FLOP ***", "Seat 1: ", "raises", "folds", "and is all-in", "nan", "inf", "1e999"),
    *(
        "\x00",
        "\ufeff",
        "\u2028",
        "\x85",
        "\x0c",
        "²",
        "٣",
        "\udcff",
        "#",
        "'",
        '"',
        "=",
        "p9 cbr 1",
    ),
    *(
        "STATE:",
        "PokerStars Hand #",
        "Poker Hand #",
        "variant = ",
        "[1]\n",
        "collected $1 from pot",
    ),
)


def texts() -> list[str]:
    hands = [simulate(seed) for seed in range(2_000, 2_012)]
    found = [pokerstars_text(hand) for hand in hands[:3]]
    found += [pokerstars_text(hand, chips) for hand in hands[3:6]]
    found += [ggpoker_text(hand) for hand in hands[6:9]]
    found += [ggpoker_text(hand, grouped) for hand in hands[9:]]
    for text in found[:3]:
        [hand] = read_lines(iter(text.splitlines()), "x")
        assert isinstance(hand, RecordedHand)
        found.append(format_phh(hand.to_history()))
    return [*found, DOLLARS, LOG]


TEXTS = texts()


def damaged(rng: random.Random) -> bytes:
    """Return a text with a few changes: of characters, pieces and lines, or its encoding."""
    text = rng.choice(TEXTS)
    for _ in range(rng.randint(1, 4)):
        place, other = rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)
        begin, end = sorted((place, min(place + rng.randint(0, 12), other)))
        match rng.randrange(7):
            case 0:
                text = text[:begin] + text[end:]
            case 1:
                text = text[:place] + rng.choice(PIECES) + text[place:]
            case 2:
                text = text[:place] + chr(rng.randrange(0x3000)) + text[place + 1 :]
            case 3:
                lines = text.split("\n")
                del lines[rng.randrange(len(lines))]
                text = "\n".join(lines)
            case 4:
                lines = text.split("\n")
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                text = "\n".join(lines)
            case 5:
                text = text[:place]
            case _:
                text = text[:place] + rng.choice(TEXTS)[other:]
        text = text or "x"
    data = text.encode(rng.choice(["utf-8", "utf-8", "utf-16", "cp1252"]), "replace")
    if rng.random() < 0.1:
        place = rng.randrange(len(data))
        data = data[:place] + rng.randbytes(3) + data[place + 1 :]
    return data


def verify(data: bytes) -> int:
    """Read a text, and return how many hands it has; their chips are conserved."""
    count = 0
    for found in read_stream(io.BytesIO(data), "x"):
        if isinstance(found, Unreadable):
            assert found.reason
            assert found.line >= 1
            continue
        count += 1
        if found.won is not None:
            assert sum(found.won) + found.rake == found.pot
            assert min(found.won) >= 0
        assert len({*found.board}) == len(found.board)
        assert found.to_json()
        assert format_phh(found.to_history())
    return count


def test_damaged_texts_do_not_stop_the_reader() -> None:
    rng = random.Random(1)
    counts = [verify(damaged(rng)) for _ in range(1_500)]
    assert 0 in counts
    assert max(counts) > 0


@pytest.mark.long
def test_many_damaged_texts_do_not_stop_the_reader() -> None:
    rng = random.Random(2)
    assert sum(verify(damaged(rng)) for _ in range(COUNT)) > COUNT // 20


def test_random_bytes_do_not_stop_the_reader() -> None:
    rng = random.Random(3)
    for size in range(200):
        verify(rng.randbytes(size))


def test_a_file_without_line_ends_takes_no_memory(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "x.txt"
    path.write_bytes(b"PokerStars Hand #1: " + b"a" * 40_000_000)
    tracemalloc.start()
    with path.open("rb") as file:
        found = list(read_stream(file, "x"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 1
    assert most < 20_000_000
