"""Messages in shared memory; a process that opens its own segment stands for another one."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from untilt.distributed.shared_memory import (
    Parts,
    Segment,
    SegmentPlace,
    Segments,
    can_make_segments,
)

pytestmark = pytest.mark.skipif(not can_make_segments(), reason="needs Linux")

MESSAGES = [
    {"number": 3, "text": "a"},
    {"empty": np.zeros(0), "one": np.float32(2.5)},
    {"a": np.arange(7, dtype=np.int16), "b": [np.ones((3, 5), np.float32), np.eye(3)[:, ::2]]},
    {3: {"values": np.linspace(0, 1, 1000).reshape(10, 100, order="F")}, 4: {}},
]


def equal(one: object, other: object) -> bool:
    np.testing.assert_equal(one, other)
    return True


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_arrives_as_it_was_sent_and_cannot_be_changed(message: object) -> None:
    parts = Parts(message)
    segment = Segment(parts.num_bytes)
    packed = segment.pack(parts)
    assert packed is not None
    for found in (Segments().unpack(packed), segment.unpack(packed)):
        assert equal(found, message)
        for array in found.values() if isinstance(found, dict) else ():
            assert not isinstance(array, np.ndarray) or not array.flags.writeable


def test_an_answer_lies_in_the_room_that_was_given_if_it_fits() -> None:
    parts = Parts({"values": np.arange(100.0)})
    segment = Segment(parts.num_bytes)
    packed = Segments().pack(parts, segment.place)
    assert packed is not None
    assert len(packed.head) < 300
    assert equal(segment.unpack(packed), {"values": np.arange(100.0)})
    assert Segments().pack(Parts({"values": np.arange(200.0)}), segment.place) is None
    assert Segment(parts.num_bytes - 64).pack(parts) is None


def test_only_the_right_segment_is_opened() -> None:
    segment, other = Segment(10), Segment(10)
    assert Segments().can_open(segment.place)
    assert not Segments().can_open(SegmentPlace(other.place.path, segment.place.token))
    assert not Segments().can_open(SegmentPlace("/proc/1/fd/99999", segment.place.token))


def test_another_process_finds_a_segment_until_it_is_given_back() -> None:
    segment = Segment(10)
    script = (
        "import sys; from untilt.distributed.shared_memory import SegmentPlace, Segments;"
        "print(Segments().can_open(SegmentPlace(sys.argv[1], bytes.fromhex(sys.argv[2]))))"
    )
    place = segment.place
    command = [sys.executable, "-c", script, place.path, place.token.hex()]
    assert subprocess.check_output(command, text=True) == "True\n"
    del segment
    gc.collect()
    assert not Path(place.path).exists()


def test_a_worker_forgets_old_segments_and_keeps_what_it_reads() -> None:
    segments = Segments()
    parts = Parts({"values": np.arange(5.0)})
    first = Segment(parts.num_bytes)
    packed = first.pack(parts)
    assert packed is not None
    message = segments.unpack(packed)
    others = [Segment(1) for _ in range(20)]
    assert all(segments.can_open(each.place) for each in others)
    assert len(segments._mapped) < 20
    assert equal(message, {"values": np.arange(5.0)})
