"""The order in which the files of the suite are begun."""

import pytest
from tests.conftest import FIRST, TESTS


@pytest.mark.parametrize("name", FIRST)
def test_a_file_that_comes_first_exists(name: str) -> None:
    assert (TESTS / name).is_file()


def test_no_file_comes_first_twice() -> None:
    assert len(set(FIRST)) == len(FIRST)
