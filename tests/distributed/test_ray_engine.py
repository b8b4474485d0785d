"""The engine on something that behaves like Ray, in this process."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.distributed.counting import Counter

from untilt.distributed import ray_engine
from untilt.distributed.address import parse_address
from untilt.distributed.driver import Driver
from untilt.distributed.engine import InProcess
from untilt.distributed.ray_engine import RayEngine
from untilt.distributed.shard import Message
from untilt.distributed.shared_memory import can_make_segments
from untilt.errors import ClusterError
from untilt.formats.run.shard_folder import ShardFolder

GROUPS = [1] * 7


class RayError(Exception):
    pass


class RayTaskError(RayError):
    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class OutOfMemoryError(RayError):
    pass


class Reference:
    """An answer, or what is raised instead."""

    def __init__(self, value: Any, error: Exception | None = None) -> None:
        self.value, self.error = value, error


class Actor:
    """Does calls at once, until it is killed."""

    def __init__(self, ray: "FakeRay", host: Any) -> None:
        self._ray, self._host = ray, host
        self.is_dead = False

    def __getattr__(self, method: str) -> Any:
        return SimpleNamespace(remote=lambda *arguments: self._called(method, arguments))

    def _called(self, method: str, arguments: Sequence[Any]) -> Reference:
        self._ray.calls.append((method, arguments))
        if self.is_dead or self._ray.kills.pop(len(self._ray.calls), False):
            self.is_dead = True
            return Reference(None, RayError("it died"))
        given = [each.value if isinstance(each, Reference) else each for each in arguments]
        try:
            return Reference(getattr(self._host, method)(*given))
        except Exception as error:
            return Reference(None, RayTaskError(error))


class FakeRay:
    """What the engine uses of the module `ray`."""

    exceptions = SimpleNamespace(
        RayError=RayError, RayTaskError=RayTaskError, OutOfMemoryError=OutOfMemoryError
    )

    def __init__(self, processors: int, kills: Sequence[int] = ()) -> None:
        self.processors = processors
        self.kills = dict.fromkeys(kills, True)
        self.calls: list[tuple[str, Sequence[Any]]] = []

    def remote(self, **_: Any) -> Any:
        return lambda made: SimpleNamespace(remote=lambda: Actor(self, made()))

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.processors)}

    def wait(self, references: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
        return references, []

    def get(self, reference: Reference) -> Any:
        if reference.error is not None:
            raise reference.error
        return reference.value

    def put(self, value: Any) -> Reference:
        return Reference(value)

    def kill(self, actor: Actor) -> None:
        actor.is_dead = True


class Vector(Counter):
    """A counter with messages that are worth to be shared."""

    def advance(self, inputs: Message) -> Message:
        super().advance({"number": float(inputs["numbers"].sum())})
        return {"values": np.arange(inputs["size"]) * self.state[0]}


def engine_on(ray: FakeRay) -> RayEngine:
    engine = RayEngine(ray, parse_address(f"local:{ray.processors}"))
    engine.start()
    return engine


def worked(engine: Any, folder: Path) -> list[Any]:
    """Do steps with growing and shrinking messages; return all that is found."""
    driver = Driver(engine, Vector, GROUPS, ShardFolder(folder))
    found: list[Any] = []
    for step, size in enumerate((5, 3000, 10, 50_000, 50_000, 1, 60_000)):
        answers = driver.advance({"numbers": np.full(size, 0.1 * step), "size": size})
        found += [answer["values"].copy() for answer in answers]
    return [*found, driver.digests()]


@pytest.fixture(params=["near", "far"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether workers share the memory of the driver."""
    if request.param == "far":
        monkeypatch.setattr(ray_engine, "can_make_segments", lambda: False)
    elif not can_make_segments():
        pytest.skip("needs Linux")
    return str(request.param)


def test_messages_arrive_from_workers_here_and_elsewhere(place: str, tmp_path: Path) -> None:
    ray = FakeRay(3)
    found = worked(engine_on(ray), tmp_path / "ray")
    np.testing.assert_equal(found, worked(InProcess(3), tmp_path / "here"))
    assert ("answer" in {method for method, _ in ray.calls}) is (place == "near")


def test_a_worker_that_answers_twice_to_one_message_keeps_both_answers(
    place: str, tmp_path: Path
) -> None:
    expected = worked(InProcess(3), tmp_path / "here")
    whole = FakeRay(3)
    worked(engine_on(whole), tmp_path / "whole")
    for number in range(4, len(whole.calls) + 1):
        ray = FakeRay(3, kills=[number])
        found = worked(engine_on(ray), tmp_path / str(number))
        np.testing.assert_equal(found, expected)
        assert not ray.kills, place


def test_a_large_message_for_other_machines_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "can_make_segments", lambda: False)
    engine = engine_on(FakeRay(2))
    assert isinstance(engine.post({"a": np.zeros(100_000)}).far, Reference)
    assert isinstance(engine.post({"a": np.zeros(100)}).far, dict)
    assert isinstance(engine_on(FakeRay(1)).post({"a": np.zeros(100_000)}).far, dict)


def test_what_a_shard_raises_is_raised_here_and_leaves_the_room_free(
    place: str, tmp_path: Path
) -> None:
    engine = engine_on(FakeRay(1))
    driver = Driver(engine, Vector, [1], ShardFolder(tmp_path))
    for _ in range(3):
        with pytest.raises(KeyError, match="factor"):
            driver.ask({"wrong": np.zeros(10)})
    assert all(room.num_open == 0 for room in engine._rooms.values()), place


def test_a_cluster_without_enough_processors_is_refused() -> None:
    with pytest.raises(ClusterError, match="has no processors: add a node"):
        RayEngine(FakeRay(0), parse_address("auto")).start()
    with pytest.raises(ClusterError, match="has 2 processors, not 3: ask for fewer"):
        RayEngine(FakeRay(2), parse_address("auto:3")).start()
