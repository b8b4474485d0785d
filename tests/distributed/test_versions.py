"""What is said about a cluster that does not fit, or that loses workers; no Ray is needed."""

from typing import Any

import pytest

from untilt.distributed.ray_engine import reason_of, verify_versions
from untilt.distributed.shard import Host
from untilt.errors import ClusterError


@pytest.mark.parametrize("name", ["python", "untilt", "numba", "numpy"])
def test_another_version_is_named_with_its_machine(name: str) -> None:
    ours = Host().facts()
    theirs = {**ours, name: "0.0.7", "machine": "far"}
    with pytest.raises(
        ClusterError, match=rf"^far has {name} 0\.0\.7, this machine has \d"
    ) as caught:
        verify_versions(ours, [ours, theirs])
    assert not caught.value.is_gone


def test_another_processor_is_only_worth_a_note() -> None:
    ours = Host().facts()
    assert verify_versions(ours, [ours, ours]) == []
    (note,) = verify_versions(ours, [ours, {**ours, "processor": "z80"}])
    assert "different processors" in note
    assert "z80" in note


class NodeDiedError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            Exception("Task was killed due to the node running low on memory."),
            "its machine ran out",
        ),
        (NodeDiedError("gone"), "its machine was lost"),
        (Exception("The actor died: killed by the OOM killer, or (2) …"), "its process ended"),
    ],
)
def test_why_a_worker_was_lost_is_said_in_a_few_words(error: Any, words: str) -> None:
    assert words in reason_of(error)
