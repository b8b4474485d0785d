"""A device or a pipe in place of every file that a command reads: refused in one line, at once."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.runs.folders import can_fork

READS_PIPES: tuple[tuple[str, ...], ...] = (
    ("show", "{}.bin"),
    ("show", "{}.toml"),
    ("evaluate", "{}.bin", "-g", "kuhn"),
    ("compare", "{}.bin", "{}.bin", "-g", "kuhn"),
    ("export", "{}.bin", "--to", "csv"),
)
"""Strategies may come from another program, as in `untilt show <(…)`."""
LINES: tuple[tuple[str, ...], ...] = (
    ("solve", "{}.efg", "-n", "2"),
    ("solve", "{}.nfg", "-n", "2"),
    ("solve", "{}.py", "-n", "2"),
    ("solve", "--resume", "{}"),
    ("qre", "{}.efg", "--beta", "1"),
    ("games", "--check", "{}.efg"),
    ("tree", "{}.efg"),
    ("plot", "{}"),
    ("spot", "{}.toml"),
    ("spot", "--resume", "{}"),
    ("import", "{}.bin", "--stack", "20bb"),
    ("play", "{}.bin"),
    ("play", "kuhn", "--against", "{}.py"),
    ("match", "{}.bin", "call", "-g", "kuhn"),
    ("match", "{}.txt", "call", "-g", "pushfold"),
    ("hand", "{}"),
    ("hand", "{}.txt"),
    ("hand", "{}.phh"),
    ("hand", "{}.log"),
    ("hand", "{hand}", "--agent", "{}.bin"),
    ("fit", "{}.csv", "-g", "kuhn"),
    ("fit", "{}.csv", "--spot", "{toml}"),
    ("fit", "{csv}", "--spot", "{}.toml"),
    ("exploit", "{}.bin"),
    ("exploit", "{}.py", "--trust"),
    ("exploit", "{}"),
    ("lbr", "{}.bin"),
    ("chart", "--against-call", "@{}.txt"),
    ("chart", "--compare", "{}.txt"),
    ("report", "{}.toml", "--flops", "1"),
    ("blueprint", "chart", "{}.bin"),
    ("blueprint", "train", "--resume", "{}.bin"),
    ("pushfold", "train", "--resume", "{}.bin"),
    ("pushfold", "match", "{}.bin", "hune"),
    ("serve", "{}", "--no-open", "--port", "0"),
)


@contextmanager
def at_once() -> Iterator[None]:
    """Fail if the block waits, or reads without end."""

    def stop(*_: object) -> None:
        raise AssertionError("it waits, or reads without end")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@can_fork  # has devices and pipes, too
@pytest.mark.parametrize(
    ("kind", "line"),
    [
        *(
            pytest.param("device", line, id=f"device {' '.join(line)}")
            for line in (*LINES, *READS_PIPES)
        ),
        *(pytest.param("pipe", line, id=f"pipe {' '.join(line)}") for line in LINES),
    ],
)
def test_what_is_no_file_is_refused_at_once(
    kind: str, line: tuple[str, ...], command: Command
) -> None:
    known = {
        "{hand}": next(iter((Path(__file__).parents[1] / "data/hands").glob("*.phh"))),
        "{csv}": Path("lines.csv"),
        "{toml}": Path("spot.toml"),
    }
    Path("lines.csv").write_text("line\ncc\n")
    Path("spot.toml").write_text(
        'board = "2c2d2h3c3d"\npot = 100\nstack = 300\n[ranges]\noop = "AA"\nip = "KK"\n'
    )
    arguments = []
    for word in line:
        if "{}" in word:
            path = Path(word.removeprefix("@").replace("{}", kind))
            if kind == "device" and not path.is_symlink():
                path.symlink_to("/dev/zero")
            elif kind == "pipe" and not path.exists():
                os.mkfifo(path)
        arguments.append(str(known.get(word, word.replace("{}", kind))))
    with at_once():
        assert "\n" not in command(*arguments).error
