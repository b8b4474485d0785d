"""The chart that people print: up to which stack each hand is pushed or called with."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.serving import Client, fields_of

from untilt.cards.combos import CLASS_NAMES
from untilt.games.pushfold.game import Stakes
from untilt.runs.pushfold.charts import sweep_charts
from untilt.runs.pushfold.sweep_folder import save_sweep


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limits") / "sweep"
    save_sweep(sweep_charts([Stakes(stack) for stack in (3.0, 5.0, 8.0, 12.0)]), "lp", folder)
    return folder


def test_limits_are_those_of_the_single_charts(
    sweep: Path, client_for: Callable[[Path], Client]
) -> None:
    client = client_for(sweep.parent)
    limits = client.get("/api/runs/sweep/limits")
    assert limits.keys() == fields_of("PushFoldLimits")
    assert limits["stacks"] == [3.0, 5.0, 8.0, 12.0]
    for index, seat in enumerate(limits["seats"]):
        assert seat.keys() == fields_of("LimitsOfSeat")
        frequencies = []
        for stack in limits["stacks"]:
            first = client.get("/api/runs/sweep/pushfold", stack=stack)
            node = (first, first["panels"]["reply"])[index]
            frequencies.append(node["sides"][index]["mix"][1])
        for hand in range(len(CLASS_NAMES)):
            played = [one[hand] > 0.5 for one in frequencies]
            count = played.index(False) if False in played else len(played)
            expected = limits["stacks"][count - 1] if count else None
            assert seat["up_to"][hand] == expected
            assert seat["is_gapped"][hand] == any(played[count:])
    push = dict(zip(CLASS_NAMES, limits["seats"][0]["up_to"], strict=True))
    assert push["AA"] == 12.0
    assert push["72o"] is None or push["72o"] < 5.0


def test_only_a_sweep_has_limits(client: Client) -> None:
    status, line = client.refusal("/api/runs/pushfold/limits")
    assert status == 404
    assert "only a sweep" in line
