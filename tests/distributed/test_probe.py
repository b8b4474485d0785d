"""What is said about an address where no Ray cluster answers, and how soon."""

import importlib
import importlib.util
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from untilt.distributed import probe
from untilt.distributed.probe import verify_connects, verify_is_ray
from untilt.errors import ClusterError

needs_grpc = pytest.mark.skipif(
    importlib.util.find_spec("grpc") is None, reason="needs the extra ray"
)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS = 1
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


def headers(block: bytes) -> bytes:
    """Return the frame that answers the first request and ends its stream."""
    return bytes([0, 0, len(block), HEADERS, 5, 0, 0, 0, 1]) + block


ANSWERS = {
    "found": headers(b"\x88"),
    "not found": headers(b"\x8d"),
    "password": headers(b"\x08\x03401"),
}


@contextmanager
def serving(first: bytes, then: bytes = b"") -> Iterator[tuple[str, int]]:
    """Provide a port that answers a connection with `first`, and a request with `then`."""
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as pool:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    pool.submit(answer, server.accept()[0])

        def answer(connection: socket.socket) -> None:
            with connection, suppress(OSError), connection.makefile("rb") as stream:
                connection.settimeout(2)  # the client holds on to it for 20 s
                connection.sendall(first)
                stream.read(len(PREFACE))
                while head := stream.read(9):
                    stream.read(int.from_bytes(head[:3], "big"))
                    if head[3] == HEADERS:
                        connection.sendall(then)

        accepting = pool.submit(accept)
        yield server.getsockname()
        server.shutdown(socket.SHUT_RDWR)
        accepting.result()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_CONNECT_SECONDS", 0.3)
    monkeypatch.setattr(probe, "_ANSWER_SECONDS", 1.5)


def test_all_limits_leave_time_for_a_slow_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert probe._CONNECT_SECONDS + probe._ANSWER_SECONDS <= 7


def test_a_port_that_nobody_has_is_refused_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = server.getsockname()
    with pytest.raises(ClusterError, match=r"^the Ray cluster here:1 does not answer \(Conn.*ref"):
        verify_connects("here:1", place)


def test_a_name_that_is_looked_up_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = Event()

    def look_up(*_: object, **__: object) -> None:
        is_over.wait(60)
        raise OSError("nobody has this name")

    monkeypatch.setattr(socket, "create_connection", look_up)
    with pytest.raises(ClusterError, match=r"does not answer \(nothing in 0\.3 s\); is it running"):
        verify_connects("here:1", ("here", 1))
    is_over.set()


@needs_grpc
@pytest.mark.parametrize("target", ["here:1", "ray://here:1"])
@pytest.mark.parametrize("first", [b"", SETTINGS, b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_a_server_that_never_answers_is_given_up(target: str, first: bytes) -> None:
    with (
        serving(first) as place,
        pytest.raises(ClusterError, match=r"does not answer: something else has the port, or the"),
    ):
        verify_is_ray(target, place)


@needs_grpc
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_web_server_is_not_taken_for_ray(answer: str) -> None:
    with (
        serving(SETTINGS, ANSWERS[answer]) as place,
        pytest.raises(ClusterError, match=r"does not answer: something else has the port; a head"),
    ):
        verify_is_ray("here:1", place)


@needs_grpc
def test_another_service_of_grpc_is_not_taken_for_ray() -> None:
    import grpc

    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with pytest.raises(ClusterError, match="something else has the port; a head has 6379"):
            verify_is_ray("ray://here:1", ("127.0.0.1", port))
    finally:
        server.stop(0).wait()


@needs_grpc
def test_a_token_is_sent_and_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import grpc

    def answer(request: bytes, context: Any) -> bytes:
        if ("authorization", "Bearer right") not in context.invocation_metadata():
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "give a token")
        return request

    handlers = {"CheckAlive": grpc.unary_unary_rpc_method_handler(answer)}
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    server = grpc.server(ThreadPoolExecutor(1))
    service = grpc.method_handlers_generic_handler("ray.rpc.NodeInfoGcsService", handlers)
    server.add_generic_rpc_handlers((service,))
    place = ("127.0.0.1", server.add_insecure_port("127.0.0.1:0"))
    server.start()
    asked = "^the Ray cluster here:1 asks for another token: set RAY_AUTH_MODE=token, and"
    try:
        with pytest.raises(ClusterError, match=asked):
            verify_is_ray("here:1", place)
        monkeypatch.setenv("RAY_AUTH_MODE", "token")
        with pytest.raises(ClusterError, match=asked):
            verify_is_ray("here:1", place)
        (tmp_path / ".ray").mkdir()
        (tmp_path / ".ray" / "auth_token").write_text("right\n")
        verify_is_ray("here:1", place)
        monkeypatch.setenv("RAY_AUTH_TOKEN", "wrong")
        with pytest.raises(ClusterError, match=asked):
            verify_is_ray("here:1", place)
        monkeypatch.setenv("RAY_AUTH_MODE", "k8s")  # of which only Ray knows more
        verify_is_ray("here:1", place)
    finally:
        server.stop(0).wait()


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra ray")
def test_the_calls_are_those_of_the_installed_ray() -> None:
    gcs, client = (
        importlib.import_module(f"ray.core.generated.{name}_pb2")
        for name in ("gcs_service", "ray_client")
    )
    ping = client.ClusterInfoRequest(type=client.ClusterInfoType.PING)
    assert ping.SerializeToString() == probe._CLIENT_CALL[1]
    services = (
        (gcs, "NodeInfoGcsService", "CheckAlive", probe._GCS_CALL),
        (client, "RayletDriver", "ClusterInfo", probe._CLIENT_CALL),
    )
    for module, service, method, (name, _) in services:
        found = module.DESCRIPTOR.services_by_name[service]
        assert method in found.methods_by_name
        assert name == f"/{found.full_name}/{method}"
