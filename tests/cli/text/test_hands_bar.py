"""The progress of hands that are played, where stderr is not a terminal."""

import io
import time

import pytest
from rich.console import Console

from untilt.cli.text.hands_bar import HandsBar


def test_lines_are_logged_while_a_hand_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr("untilt.cli.app.output.stderr", lambda: Console(file=log))
    monkeypatch.setattr("untilt.cli.text.hands_bar.PLAIN_SECONDS", 0.01)

    def wait_for(words: str) -> None:
        deadline = time.monotonic() + 60.0
        while words not in log.getvalue():
            assert time.monotonic() < deadline, log.getvalue()
            time.sleep(0.01)

    with HandsBar(1_000, unit="flops") as bar:
        wait_for("playing  0 of 1,000 flops  ")
        bar.show(3, "best +5 mbb")
        wait_for("playing  3 of 1,000 flops  best +5 mbb  ")
    with HandsBar(None, seconds=9.0) as bar:
        bar.show(12, "best +1")
        wait_for("playing  12 hands  best +1  ")
    # Nothing is logged after the end.
    assert log.getvalue().endswith(" s\n")
