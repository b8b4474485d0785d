import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilt.distributed.plan import cut, num_groups, shared_out

SIZES = st.lists(st.integers(1, 1000), min_size=1, max_size=60)


@given(SIZES, st.integers(1, 70))
def test_groups_are_consecutive_and_cover_everything_once(sizes: list[int], most: int) -> None:
    groups = cut(sizes, most)
    assert len(groups) == min(most, len(sizes))
    assert [piece for begin, end in groups for piece in range(begin, end)] == [*range(len(sizes))]
    assert all(begin < end for begin, end in groups)


@pytest.mark.parametrize(
    ("megabytes", "count"), [(1, 12), (400, 12), (480, 15), (2_048, 64), (100_000, 64)]
)
def test_small_states_have_few_groups(megabytes: int, count: int) -> None:
    assert num_groups(megabytes << 20) == count


@given(SIZES, st.integers(1, 9))
def test_every_group_has_one_worker_and_none_is_idle(sizes: list[int], count: int) -> None:
    shares = shared_out(sizes, [*range(10, 10 + count)])
    assert len(shares) == min(count, len(sizes))
    assert sorted(group for held in shares.values() for group in held) == [*range(len(sizes))]
    assert all(shares.values())


@given(st.integers(1, 200), st.integers(1, 9))
def test_equal_groups_are_shared_out_evenly(num_groups: int, count: int) -> None:
    shares = shared_out([7] * num_groups, [*range(count)])
    counts = [len(held) for held in shares.values()]
    assert max(counts) - min(counts) <= 1
