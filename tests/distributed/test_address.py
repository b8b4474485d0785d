import pytest

from untilt.distributed.address import IN_PROCESS, LOCAL, RAY, Address, parse_address
from untilt.errors import InvalidOption


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("in-process", Address(IN_PROCESS, 1)),
        ("in-process:3", Address(IN_PROCESS, 3)),
        (" local:2 ", Address(LOCAL, 2)),
        ("auto", Address(RAY, None, "auto")),
        ("auto:8", Address(RAY, 8, "auto")),
        ("ray://head:10001", Address(RAY, None, "ray://head:10001")),
        ("10.0.0.1:6379", Address(RAY, None, "10.0.0.1:6379")),
    ],
)
def test_an_address_says_what_to_start_or_to_join(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "local", "local:0", "local:9999", "local:x", "ray://", "ray://head", "http://a:1"]
)
def test_another_text_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(InvalidOption, match=r"^cluster is .*local:"):
        parse_address(text)


def test_the_place_of_a_cluster_elsewhere_is_known() -> None:
    assert parse_address("ray://head:10001").host_and_port == ("head", 10001)
    assert parse_address("[::1]:6379").host_and_port == ("::1", 6379)
    assert parse_address("auto").host_and_port is None
