"""Frames: which are kept, and that files of them are not trusted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.errors import FormatError
from untilt.formats.base.container import Array, container_chunks, write_container
from untilt.formats.run.frames import Frames, read_frames, write_frames


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("frames")


def offer(frames: Frames, index: int) -> None:
    def row() -> tuple[Array, Array]:
        strategy = np.full(frames.num_sequences, index, np.float64)
        return strategy, -strategy

    frames.offer(index, 10 * index, index / 8, row)


def kept_after(moments: int, **bounds: int) -> Frames:
    frames = Frames(3, **bounds)
    for index in range(moments):
        offer(frames, index)
    return frames


def indices(frames: Frames) -> list[int]:
    found: list[int] = frames.to_arrays()["index"].tolist()
    return found


def assert_same(a: Frames, b: Frames) -> None:
    assert a.meta == b.meta
    assert a.capacity == b.capacity
    arrays, others = a.to_arrays(), b.to_arrays()
    assert list(arrays) == list(others)
    for name, array in arrays.items():
        assert array.dtype == others[name].dtype
        np.testing.assert_array_equal(array, others[name])


def test_frames_are_thinned_by_halving() -> None:
    assert indices(kept_after(4, max_frames=4)) == [0, 1, 2, 3]
    assert indices(kept_after(5, max_frames=4)) == [0, 2, 4]
    assert indices(kept_after(8, max_frames=4)) == [0, 2, 4, 6]
    assert indices(kept_after(9, max_frames=4)) == [0, 4, 8]
    assert indices(kept_after(1000, max_frames=4)) == [0, 256, 512, 768]
    assert indices(kept_after(0)) == []


@settings(deadline=None, max_examples=100)
@given(moments=st.integers(1, 300), max_frames=st.integers(-1, 20))
def test_what_is_kept_depends_on_the_number_of_moments_only(moments: int, max_frames: int) -> None:
    frames = kept_after(moments, max_frames=max_frames)
    stride = 1
    while len(range(0, moments, stride)) > max(2, max_frames):
        stride *= 2
    assert indices(frames) == list(range(0, moments, stride))
    assert frames.stride == stride
    for position in range(len(frames)):
        frame = frames[position]
        assert frame.iteration == 10 * frame.index
        assert frame.seconds == frame.index / 8
        assert frame.strategy.tolist() == [frame.index] * 3
        assert frame.action_values.tolist() == [-frame.index] * 3


def test_bytes_bound_the_number_too_but_two_are_always_kept() -> None:
    assert Frames(1000, max_bytes=8 * 1000 * 5).capacity == 5
    assert Frames(1000, max_bytes=8 * 1000 * 5 - 1).capacity == 4
    assert Frames(10**9).capacity == 2
    assert Frames(1000).capacity == 256
    assert Frames(0).capacity == 256


def test_a_row_is_computed_only_for_a_frame_that_is_kept() -> None:
    for max_frames in (2, 3, 4, 5):
        calls: list[int] = []
        frames = Frames(1, max_frames=max_frames)
        for index in range(100):

            def row(index: int = index, calls: list[int] = calls) -> tuple[Array, Array]:
                calls.append(index)
                return np.zeros(1), np.zeros(1)

            frames.offer(index, index, 0.0, row)
            assert (calls[-1] == index) == (indices(frames)[-1] == index)


def test_rows_are_copies() -> None:
    buffer = np.zeros(2, np.float32)
    frames = Frames(2)
    frames.offer(0, 0, 0.0, lambda: (buffer, buffer))
    buffer[:] = 1
    assert frames.to_arrays()["strategy"].tolist() == [[0, 0]]


def test_values_beyond_float32_are_infinite_and_nan_stays() -> None:
    frames = Frames(2)
    frames.offer(0, 0, 0.0, lambda: (np.array([0.5, np.nan]), np.array([1e300, -1e300])))
    assert np.isnan(frames[0].strategy[1])
    assert frames[0].action_values.tolist() == [np.inf, -np.inf]


@settings(deadline=None, max_examples=60)
@given(
    moments=st.integers(1, 120),
    killed=st.integers(0, 120),
    lost=st.integers(0, 10),
    max_frames=st.integers(2, 9),
)
def test_a_resumed_run_ends_with_the_frames_of_one_never_stopped(
    moments: int, killed: int, lost: int, max_frames: int
) -> None:
    # Killed with frames on disk, resumed from a checkpoint that is a few moments older.
    killed = min(killed, moments)
    stopped = kept_after(killed, max_frames=max_frames)
    checkpoint = max(0, killed - lost)
    resumed = Frames.from_arrays(
        stopped.to_arrays(), stopped.meta, up_to_iteration=10 * (checkpoint - 1)
    )
    assert all(index < checkpoint for index in indices(resumed))
    for index in range(checkpoint, moments):
        offer(resumed, index)
    assert_same(resumed, kept_after(moments, max_frames=max_frames))


def test_moments_gone_through_once_more_replace_the_old_ones() -> None:
    frames = kept_after(6)
    frames.offer(4, 40, 9.0, lambda: (np.ones(3), np.ones(3)))
    assert indices(frames) == [0, 1, 2, 3, 4]
    assert frames[4].seconds == 9.0


@pytest.mark.parametrize(
    ("index", "iteration", "seconds", "size"),
    [(-1, 0, 0.0, 3), (6, 49, 0.0, 3), (6, 60, float("nan"), 3), (6, 60, 0.0, 2)],
)
def test_impossible_moments_are_refused(
    index: int, iteration: int, seconds: float, size: int
) -> None:
    with pytest.raises(ValueError, match=r"moment|row of shape"):
        kept_after(6).offer(index, iteration, seconds, lambda: (np.ones(size), np.ones(size)))


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Frames(-1)


@pytest.mark.parametrize("moments", [0, 1, 7, 500])
def test_frames_come_back_from_a_file(tmp_path: Path, moments: int) -> None:
    frames = kept_after(moments)
    write_frames(tmp_path / "frames.bin", frames)
    found = read_frames(tmp_path / "frames.bin")
    assert_same(found, frames)
    offer(found, moments)
    offer(frames, moments)
    assert_same(found, frames)


def test_frames_of_a_game_without_sequences_come_back(tmp_path: Path) -> None:
    frames = Frames(0)
    frames.offer(0, 0, 0.0, lambda: (np.ones(0), np.ones(0)))
    write_frames(tmp_path / "frames.bin", frames)
    assert_same(read_frames(tmp_path / "frames.bin"), frames)


def test_reading_can_stop_at_an_iteration(tmp_path: Path) -> None:
    write_frames(tmp_path / "frames.bin", kept_after(6))
    assert indices(read_frames(tmp_path / "frames.bin", up_to_iteration=35)) == [0, 1, 2, 3]


ARRAY_CHANGES: list[tuple[str, Array]] = [
    ("index", np.arange(4)),
    ("index", np.array([0, 1, 1, 2, 3])),
    ("index", np.array([0, 1, 3, 2, 4])),
    ("index", np.array([-1, 1, 2, 3, 4])),
    ("index", np.arange(5, dtype=np.int32)),
    ("index", np.array(0)),
    ("iteration", np.array([0, 1, 2, 3, 2])),
    ("iteration", np.arange(6)),
    ("seconds", np.zeros(4)),
    ("seconds", np.full(5, np.nan)),
    ("strategy", np.zeros((5, 2), np.float32)),
    ("strategy", np.zeros((4, 3), np.float32)),
    ("strategy", np.zeros((5, 3), np.float64)),
    ("action_values", np.zeros(15, np.float32)),
]


@pytest.mark.parametrize(("name", "array"), ARRAY_CHANGES)
def test_arrays_that_do_not_fit_one_another_are_refused(
    tmp_path: Path, name: str, array: Array
) -> None:
    frames = kept_after(5)
    path = tmp_path / "frames.bin"
    write_container(path, "frames", frames.meta, frames.to_arrays() | {name: array})
    with pytest.raises(FormatError, match=r"frames\.bin is damaged"):
        read_frames(path)
    arrays = frames.to_arrays()
    del arrays[name]
    write_container(path, "frames", frames.meta, arrays)
    with pytest.raises(FormatError, match=f"array '{name}' is missing"):
        read_frames(path)


@pytest.mark.parametrize(
    "change",
    [
        {"stride": 0},
        {"stride": 3},
        {"stride": 2},
        {"stride": True},
        {"stride": -1},
        {"stride": "1"},
        {"num_sequences": -3},
        {"num_sequences": 3.0},
        {"num_sequences": 2**80},
        {"max_frames": 4},
        {"max_frames": None},
        {"max_bytes": 0},
        {"max_bytes": [1] * 1000},
    ],
)
def test_bounds_that_do_not_fit_the_frames_are_refused(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    frames = kept_after(5)
    path = tmp_path / "frames.bin"
    write_container(path, "frames", frames.meta | change, frames.to_arrays())
    with pytest.raises(FormatError, match=r"frames\.bin is damaged") as caught:
        read_frames(path)
    assert len(str(caught.value)) < len(str(path)) + 400


@settings(deadline=None, max_examples=150)
@given(
    cut=st.integers(0, 5000),
    flips=st.dictionaries(st.integers(0, 5000), st.integers(1, 255), max_size=3),
    tail=st.binary(max_size=3),
)
def test_damaged_files_give_the_original_or_a_format_error(
    folder: Path, cut: int, flips: dict[int, int], tail: bytes
) -> None:
    frames = kept_after(5)
    path = folder / "fuzz.bin"
    original = b"".join(container_chunks("frames", frames.meta, frames.to_arrays()))
    data = bytearray(original)
    for at, mask in flips.items():
        data[at % len(data)] ^= mask
    damaged = bytes(data[:cut]) + tail
    path.write_bytes(damaged)
    try:
        found = read_frames(path)
    except FormatError:
        assert damaged != original
    else:
        assert_same(found, frames)


@settings(deadline=None, max_examples=150)
@given(
    arrays=st.dictionaries(
        st.sampled_from(["index", "iteration", "seconds", "strategy", "action_values"]),
        st.sampled_from([array for _, array in ARRAY_CHANGES]),
    ),
    meta=st.dictionaries(
        st.sampled_from(["num_sequences", "max_frames", "max_bytes", "stride"]),
        st.integers(-(2**70), 2**70) | st.integers(-1, 5) | st.none() | st.text(max_size=3),
    ),
)
def test_sound_containers_with_any_content_are_frames_or_refused(
    arrays: dict[str, Array], meta: dict[str, Any]
) -> None:
    frames = kept_after(5)
    try:
        found = Frames.from_arrays(frames.to_arrays() | arrays, frames.meta | meta)
    except FormatError:
        return
    offer(found, 1 << 20)  # still works, and within its bound
    assert len(found) <= found.capacity
