"""The noise of a spot from estimates in files."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command, command

from untilt.errors import FormatError, InvalidOption
from untilt.runs.spots.fitted_noise import fitted_noise

__all__ = ["command"]  # a fixture

FIT = {"common": {"noises": [0.08]}, "per_player": {"noises": [0.02, 0.125]}}
TILT = {"player": "Bob", "noise": {"noise": 0.0625, "interval": [0.05, 0.08]}}
RIVER = (
    *("--board", "Td9d6hQc2s", "--oop", "AA,87s", "--ip", "KK,QJs"),
    *("--pot", 100, "--stack", 100, "--bets", "75%"),
)


def written(folder: Path, content: Any) -> Path:
    file = folder / "fit.json"
    file.write_text(json.dumps(content), "utf-8")
    return file


def test_a_fit_has_the_noise_of_each_seat(tmp_path: Path) -> None:
    file = written(tmp_path, FIT)
    assert fitted_noise(f"oop=1%,ip={file}") == "oop=1%,ip=12.5%"
    assert fitted_noise(f"oop={file},ip=1%") == "oop=2%,ip=1%"
    assert fitted_noise(f"me=1%,villain={file}", "oop") == "oop=1%,ip=12.5%"
    assert fitted_noise(f"villain={file},me=1%", "ip") == "oop=2%,ip=1%"
    assert fitted_noise(str(file)) == "8%"
    assert fitted_noise("oop=1%, ip=4/chip") == "oop=1%,ip=4/chip"


def test_tilt_and_a_common_fit_are_the_same_for_both_seats(tmp_path: Path) -> None:
    file = written(tmp_path, TILT)
    assert fitted_noise(f"me=1%,villain={file}", "ip") == "ip=1%,oop=6.25%"
    assert fitted_noise(f"ip={written(tmp_path, {**FIT, 'per_player': None})},oop=1%") == (
        "ip=8%,oop=1%"
    )


@pytest.mark.parametrize("content", [[], {}, {"noise": 3}, {"common": {"noises": ["2%"]}}, None])
def test_other_files_are_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(FormatError, match="is no estimate of noise"):
        fitted_noise(f"oop=1%,ip={written(tmp_path, content)}")


@pytest.mark.parametrize("noise", [None, 0, -1.0])
def test_estimates_without_a_number_are_refused(tmp_path: Path, noise: Any) -> None:
    with pytest.raises(FormatError, match="between none and infinite"):
        fitted_noise(str(written(tmp_path, {"noise": {"noise": noise}})))


def test_seats_and_names_go_together(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="say which seat is yours: me oop"):
        fitted_noise("me=1%,villain=2%")
    with pytest.raises(InvalidOption, match="me is for noise such as"):
        fitted_noise("oop=1%,ip=2%", "oop")


def test_the_command_solves_for_the_noise_of_a_player(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, FIT)
    given = ("spot", *RIVER, "--noise", f"me=1%,villain={file}")
    command(*given, "--me", "ip", "-n", 20, "-o", tmp_path / "run")
    record = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    assert record["options"]["noise"] == "oop=2%,ip=1%"
    assert "--me oop" in command(*given).error
    assert "--me is for noise" in command("spot", *RIVER, "--me", "ip").error
