"""`untilt buckets`, on made-up tables."""

import json
from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored

from untilt.cli.main import run

__all__ = ["stored"]  # a fixture

pytestmark = pytest.mark.usefixtures("stored")

COUNTS = ("--flop", "200", "--turn", "100", "--river", "10")


def test_json_says_what_was_built(capsys: pytest.CaptureFixture[str], stored: Path) -> None:
    assert run(["buckets", *COUNTS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sizes"] == {"preflop": 169, "flop": 200, "turn": 100, "river": 10}
    assert set(found["spread"]) == {"flop", "turn"}
    assert found["path"] == str(stored / "buckets")
    assert found["seconds"] >= 0.0
    assert found["peak_bytes"] > 1 << 20


def test_the_report_shows_every_street_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["buckets", "--preflop", "8", *COUNTS]) == 0
    out, err = capsys.readouterr()
    assert "preflop: 8 buckets, spread 0.0061" in out
    assert "flop: 200 buckets, spread 0.0061" in out
    assert "river: 10 buckets, equal parts of the equity" in out
    assert out.count(" on ") > 30
    assert "turn: 100 buckets" in out
    assert "opened in" in err


def test_a_board_shows_which_hands_merge(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["buckets", *COUNTS, "--board", "Td9d6h2c3s", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["board"]
    assert sum(line["num_combos"] for line in lines) == 1081
    assert [line["bucket"] for line in lines] == sorted(
        (line["bucket"] for line in lines), reverse=True
    )
    assert "8d7d" in lines[0]["hands"] or "87s" in lines[0]["hands"]
    assert run(["buckets", *COUNTS, "--board", ""]) == 0
    assert "no board: 169 buckets" in capsys.readouterr().out


def test_textures_multiply_the_buckets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["buckets", *COUNTS, "--texture", "river", "--features", "pairs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"]["river"] == 30


def test_the_figure_is_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "buckets.svg"
    assert run(["buckets", *COUNTS, "--plot", str(path)]) == 0
    assert "200 flop buckets" in path.read_text() or path.stat().st_size > 10_000
    assert f"saved {path}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--flop", "0"), "--flop is 0; use an integer from 1 to 65,536"),
        (("--preflop", "170"), "--preflop is 170; use an integer from 1 to 169"),
        (("--board", "AsAs"), "As appears twice"),
        (("--board", "AsKs"), "the board has 2 cards: give 0, 3, 4 or 5"),
        (("--texture", "rive"), "unknown street with a board 'rive': did you mean 'river'?"),
        (("--plot", "x.gif"), "give a name that ends in .svg, .png or .pdf"),
        (("--threads", "0"), "--threads is 0"),
        (("--flop", "many"), "Invalid value 'many' for '--flop'"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert run(["buckets", *options]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err
    assert len(err.strip().splitlines()) == 1
