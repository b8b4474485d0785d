"""The program as a whole: help, exit statuses, one-line errors, and streams that misbehave."""

import errno
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.conftest import Command

import untilt
from untilt.cli.app.activity import KERNELS
from untilt.cli.main import app, run
from untilt.cli.text.progress_line import ProgressLine
from untilt.formats.base.lock import FolderLock

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def parameters() -> Iterator[Any]:
    for name, command in COMMANDS.items():
        for parameter in command.params:
            yield pytest.param(parameter, id=f"{name} {parameter.name}")


def program(
    *arguments: object, env: dict[str, str] | None = None, shell: Sequence[str] = (), **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own, behind the words of a `shell` command if given."""
    code = "from untilt.cli.main import main; main()"
    found = subprocess.run(
        [*shell, sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, **(env or {})},
        timeout=120,
        check=False,
        **options,
    )
    if found.stderr:  # with a cold cache it is said, and no test of what is said here
        found.stderr = found.stderr.replace(f"{KERNELS}\n".encode(), b"")
    return found


def test_help_lists_every_command_by_its_purpose_the_most_used_first(command: Command) -> None:
    purposes = {
        "Most used": ["solve", "spot", "chart", "play", "serve"],
        "Solve": ["qre", "report", "buckets", "pushfold", "blueprint", "cluster"],
        "Look": ["show", "plot", "tree", "hand", "games", "docs", "doctor"],
        "Play": ["match", "bot"],
        "Measure": ["equity", "rank", "icm", "evaluate", "compare", "lbr", "exploit", "fit"],
        "Files": ["runs", "export", "import"],
        "Hands": ["hands"],
    }
    assert sorted(COMMANDS) == sorted(name for names in purposes.values() for name in names)
    listed: dict[str, list[str]] = {}
    for section in command("--help").out.split("\n\n")[3:]:
        title, _, rows = section.partition(":\n")
        listed[title] = re.findall(r"^  (\w+) ", rows, flags=re.MULTILINE)
    assert list(listed.items()) == list(purposes.items())


def test_help_shows_whole_summaries_of_commands(command: Command) -> None:
    for group in ((), ("blueprint",), ("pushfold",)):
        found = command(*group, "--help").out
        assert "..." not in found.partition("...\n")[2]
        assert max(map(len, found.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_prints_json_on_demand(name: str, command: Command) -> None:
    found = command(name, "-h")
    assert found.status == 0
    assert found.out.startswith(f"Usage: untilt {name} ")
    assert len(COMMANDS[name].help.strip()) > 20
    assert "--json" in found.out


@pytest.mark.parametrize("parameter", list(parameters()))
def test_every_option_has_help_that_is_a_sentence(parameter: Any) -> None:
    help_ = parameter.help
    assert help_, parameter.name
    assert len(help_) > 10
    assert help_.endswith("."), help_


@pytest.mark.parametrize("line", ["play kuhn 8", "pushfold quiz 8"])
def test_an_argument_too_many_is_named_with_where_to_look(command: Command, line: str) -> None:
    found = command(*line.split())
    path = " ".join(line.split()[: 1 + line.startswith("pushfold")])
    assert found.status == 2
    assert found.error == f"unexpected argument 8; see untilt {path} --help for what it takes"


def test_no_arguments_show_three_commands_that_work(command: Command) -> None:
    found = command()
    assert (found.status, found.err) == (0, "")
    shown = re.findall(r"^  untilt (.*?)   ", found.out.partition("Then")[0], flags=re.MULTILINE)
    assert len(shown) == 3
    for line in shown:
        tried = command(*line.split())
        assert (line, tried.status) == (line, 0)
        assert tried.out
    others = re.findall(r"^  untilt (.*?)   ", found.out.partition("Then")[2], flags=re.MULTILINE)
    assert [command(*line.split()).status for line in others] == [0, 0, 0]
    assert max(map(len, found.out.splitlines())) <= 80


def test_help_lists_the_commands_and_version_is_the_version(command: Command) -> None:
    assert command("-h").out == command("--help").out
    assert "solve" in command("-h").out
    assert command("--version").out == f"untilt {untilt.__version__}\n"


HEAVY = "{'numpy', 'numba', 'scipy', 'rich', 'hypothesis'} & set(sys.modules)"


@pytest.mark.parametrize(
    "arguments",
    [
        *(["--help"], ["solve", "--help"], ["qre", "--help"], ["fit", "--help"], ["chart", "-h"]),
        *(["show", "-h"], ["games"], ["games", "--json"]),
    ],
)
def test_help_and_the_list_of_games_load_nothing_heavy(arguments: list[str]) -> None:
    code = f"import sys; from untilt.cli.main import run; run({arguments}); loaded = {HEAVY}"
    code += "; assert not loaded, loaded"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [("untilt ev", b"evaluate"), ("untilt qre --definition ex", b"ex-ante")],
)
def test_shell_completion_is_offered_and_completes(words: str, completed: bytes) -> None:
    # The shell is found among the parents of the process, and tests may be started without one.
    under_bash = ("bash", "-c", '"$@"; exit $?', "bash")
    shown = program("--show-completion", shell=under_bash, capture_output=True)
    assert b"_UNTILT_COMPLETE" in shown.stdout or b"untilt" in shown.stdout
    found = program(
        env={
            "_UNTILT_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
    )
    assert found.stdout.split() == [completed]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("slove kuhn", "No such command 'slove'"),
        ("solve kuhn --iteratons 5", "No such option: --iteratons"),
        ("solve kuhn --iterations many", "'--iterations'"),
        ("solve kuhn --iterations", "requires an argument"),
        ("solve", "no game given; try `untilt solve kuhn`"),
        ("solve kuhnn", "unknown game 'kuhnn': did you mean 'kuhn'?"),
        ("solve kuhn --method cfrr", "unknown method 'cfrr': did you mean 'cfr'?"),
        ("solve kuhn --target -1", "--target is -1.0"),
        ("solve kuhn --target nan", "--target is nan"),
        ("solve kuhn --target 0", "may never be reached"),
        ("solve kuhn --iterations 0", "--iterations is 0"),
        ("solve kuhn --time 0", "--time is 0.0"),
        ("solve kuhn --time inf", "--time is inf"),
        ("solve kuhn --seed -1", "--seed is -1"),
        ("solve kuhn --max-nodes 0", "--max-nodes"),
        ("solve kuhn --average cubic", "cubic"),
        ("solve kuhn --method lp --iterations 5", "lp runs to its end"),
        ("solve leduc -p ranks", "is not of the form NAME=VALUE"),
        ("solve leduc -p ranks=3 -p ranks=4", "-p ranks is given twice"),
        ("solve leduc -p rank=3", "did you mean 'ranks'?"),
        ("solve leduc -p ranks=many", "ranks=many is not allowed"),
        ("solve leduc -p ranks=13 --max-nodes 10 -p bets=99", "bets=99"),
        ("solve leduc-276 -p ranks=3", "leduc-276 takes no parameters"),
        ("solve missing.py", "no game file 'missing.py'"),
        (
            "solve auction",
            "use `untilt qre auction --limit`, or `untilt solve auction --method gam",
        ),
        ("solve auction -m es -p bids=2", "use `untilt qre auction -p bids=2 --limit`, or"),
        ("solve g.nfg", "no game file 'g.nfg': give path/to/game.nfg"),
        ("solve .", "'.' is a folder; give the name of a game or a file"),
        (
            "solve kuhn -n 99999999999999999999",
            "it must be an integer from 1 to 4,611,686,018,427,387,904",
        ),
        (
            "pushfold train --hands 99999999999999999999",
            "it must be an integer from 1 to 4,611,686,018,427,387,904",
        ),
        ("solve kuhn --target 1e-x", "Invalid value '1e-x' for '--target'"),
        ("solve kuhn --target=1e-x", "Invalid value '1e-x' for '--target'"),
        ("solve kuhn -n 1.5", "Invalid value '1.5' for '-n' / '--iterations': not an integer"),
        ("solve kuhn -n5x", "Invalid value '5x' for '-n' / '--iterations'"),
        ("chart --ante some", "Invalid value 'some' for '--ante'"),
        ("play --seat 3", "--seat is '3'; give 0, 1 or alternate"),
        ("show kuhn", "(kuhn is a game: `untilt solve kuhn` makes a run)"),
        ("export kuhn", "kuhn is a game, and --to json exports the strategy of a run"),
        (
            "export kuhn --to csv -p a=1",
            "kuhn is a game, and --to csv exports the strategy of a run",
        ),
        ("fit nowhere.csv --game kuhn", "nowhere.csv does not exist; check the path"),
        ("solve no_such_module:game", "no_such_module"),
        ("solve --resume nowhere", "nowhere is not a folder"),
        ("show", "Missing argument"),
        ("show nowhere", "nowhere does not exist"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_leaves_nothing_behind(
    line: str, words: str, command: Command
) -> None:
    error = command(*line.split()).error
    assert words in error
    assert error.count("nowhere") <= 1, "a file is named once"
    assert not list(Path("runs").glob("*"))


def test_a_file_that_is_not_a_game_is_called_that(command: Command) -> None:
    Path("notes.txt").write_text("to do", encoding="utf-8")
    assert "'notes.txt' is not a game file" in command("solve", "notes.txt").error


class ClosedPipe(io.StringIO):
    """A reader who has seen enough."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_target_that_is_missed_is_status_one_whoever_reads(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["solve", "kuhn", "-n", "5", "--target", "1e-9", *options]
    monkeypatch.setattr("sys.stdout", ClosedPipe())
    assert run(line) == 1
    assert "the target 1e-09 was not reached" in capsys.readouterr().err
    assert run(["solve", "kuhn", "-n", "5", *options]) == 0


def test_a_target_below_rounding_is_not_to_be_tried_again(command: Command) -> None:
    missed = command("solve", "leduc", "-m", "lp", "--target", "0")
    assert missed.status == 1
    assert "lp cannot get closer; the rest is rounding error" in missed.err


def test_a_branch_or_a_check_that_fails_has_its_status_whoever_reads(
    monkeypatch: pytest.MonkeyPatch, faulty: Callable[[str], str]
) -> None:
    monkeypatch.setattr("sys.stdout", ClosedPipe())
    assert run(["games", "--check", faulty("PaysNan")]) == 2
    assert run(["qre", "kuhn", "--beta", "5", "--tol", "1e-300", "--json"]) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Raises", "the game raised RuntimeError: out of cards at history [J, Q, check]"),
        ("Exits", "exit"),
        ("NeverEnds", "returns the position it was called on"),
        ("Forgetful", "imperfect recall: at infoset 'P0:?:cb'"),
        ("PaysBoth", "do not sum to zero"),
        ("LosesChance", "the chance probabilities sum to 0.9"),
        ("PaysNan", "payoff(0) is nan"),
        ("Nameless", "have no equality"),
        ("OnlySampled", "it cannot be compiled, only sampled"),
        ("NoSuchGame", "has no attribute 'NoSuchGame'"),
    ],
)
def test_a_users_game_that_cannot_be_solved_is_refused_in_one_line(
    name: str, words: str, command: Command, faulty: Callable[[str], str]
) -> None:
    assert words in command("solve", faulty(name)).error
    assert not list(Path("runs").glob("*"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise ValueError('no luck')", "ValueError: no luck (mine.py, line 1)"),
        ("def game(:", "SyntaxError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("game = 3", "which is not a game"),
    ],
)
def test_a_users_file_that_cannot_be_loaded_is_refused_in_one_line(
    source: str, words: str, command: Command
) -> None:
    Path("mine.py").write_text(source, encoding="utf-8")
    assert words in command("solve", "mine.py").error
    assert words in command("games", "--check", "mine.py").error


def test_what_a_users_game_prints_stays_out_of_the_json(
    command: Command, faulty: Callable[[str], str]
) -> None:
    found = command("solve", faulty("Prints"), "-n", 5, "--json")
    assert found.json["iterations"] == 5
    assert "{" in found.err


def test_a_run_that_exists_is_not_overwritten(command: Command) -> None:
    command("solve", "kuhn", "-n", 5, "-o", "mine")
    before = (Path("mine") / "result.json").read_bytes()
    assert "mine already holds a run" in command("solve", "kuhn", "-o", "mine").error
    assert (Path("mine") / "result.json").read_bytes() == before
    Path("file").write_text("precious", encoding="utf-8")
    assert "file is a file" in command("solve", "kuhn", "-o", "file").error
    assert Path("file").read_text(encoding="utf-8") == "precious"


def test_a_run_that_another_process_writes_is_left_alone(command: Command) -> None:
    command("solve", "kuhn", "-n", 5, "-o", "mine")
    with FolderLock(Path("mine")):
        error = command("solve", "--resume", "mine", "-n", 10).error
    assert "mine is being written by process" in error
    assert command("solve", "--resume", "mine", "-n", 10, "--json").json["iterations"] == 10


def test_resuming_takes_no_other_game_or_method(command: Command) -> None:
    command("solve", "kuhn", "-n", 5, "-o", "mine")
    assert "leave --method out" in command("solve", "--resume", "mine", "-m", "cfr").error
    assert "a run of kuhn, not of leduc" in command("solve", "leduc", "--resume", "mine").error
    assert command("solve", "kuhn", "--resume", "mine", "-n", 9, "--json").json["iterations"] == 9


def test_a_read_only_folder_is_bad_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def mkdir(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", mkdir)
    error = command("solve", "kuhn", "-n", 5, "-o", "mine").error
    assert "cannot write mine (Read-only file system); choose another --output" in error


@pytest.mark.parametrize("arguments", [("solve", "kuhn", "-n", 5), ("export",)])
def test_a_full_disk_is_status_one_and_leaves_no_half_file(
    arguments: tuple[object, ...], command: Command, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fsync(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    given = (*arguments, runs / "lp") if arguments == ("export",) else arguments
    found = command(*given)
    assert found.status == 1
    assert found.err.startswith("error: cannot write ")
    assert "the disk is full" in found.err
    assert found.err.count("\n") == 1
    assert not [path for path in Path().rglob("*") if path.is_file()]


def test_a_missed_target_is_status_one_and_says_how_to_go_on(command: Command) -> None:
    found = command("solve", "kuhn", "--target", "1e-12", "-n", 5, "-o", "my run", "--json")
    assert found.status == 1
    assert found.json["iterations"] == 5
    assert "was not reached" in found.err
    assert "untilt solve --resume 'my run' --target 1e-12" in found.err


def test_ctrl_c_saves_says_how_to_resume_and_resuming_ends_where_it_would_have(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = command("solve", "kuhn", "-n", 200, "-o", "whole", "--json", "--strategy").json
    with monkeypatch.context() as patch:

        def press_ctrl_c(_: ProgressLine, status: Any) -> None:
            if status.progress is not None and status.progress.iteration >= 50:
                raise KeyboardInterrupt

        patch.setattr(ProgressLine, "__call__", press_ctrl_c)
        stopped = command("solve", "kuhn", "-n", 200, "-o", "half", "--json")
    assert (stopped.status, stopped.out) == (130, "")
    assert "saved. Continue with: untilt solve --resume half" in stopped.err
    assert "Traceback" not in stopped.err
    resumed = command("solve", "--resume", "half", "--json", "--strategy").json
    assert resumed["strategy"] == whole["strategy"]


def test_ctrl_c_before_the_first_iteration_leaves_nothing(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def press_ctrl_c(_: ProgressLine, status: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "__call__", press_ctrl_c)
    stopped = command("solve", "kuhn", "-o", "mine")
    assert (stopped.status, stopped.out) == (130, "")
    assert stopped.err == "stopped; nothing was saved\n"
    assert not Path("mine").exists()


def test_solve_prints_the_table_and_where_it_was_saved(command: Command) -> None:
    found = command("solve", "kuhn")
    assert (found.status, found.err) == (0, "")
    assert "Kuhn Poker by " in found.out
    assert "saved in runs" in found.out
    assert found.out.count("check") == 6


def test_numbers_may_contain_underscores_and_runs_are_numbered(command: Command) -> None:
    for number in (1, 2):
        found = command("solve", "kuhn", "-m", "cfr", "-n", "1_000", "--json").json
        assert found["iterations"] == 1_000
        assert Path(found["run"]) == Path("runs") / f"kuhn-cfr-{number}"


def test_solve_of_a_larger_game_prints_the_infosets_that_matter_most(command: Command) -> None:
    found = command("solve", "leduc", "-n", 20)
    assert "… the 48 of 288 infosets that are reached most often" in found.out


def test_verbose_prints_a_line_per_measured_moment_to_stderr(command: Command) -> None:
    found = command("solve", "kuhn", "-n", 5, "--verbose", "--json")
    assert found.json["iterations"] == 5
    assert found.err.count("exploitability") == 5


@pytest.mark.parametrize("arguments", [("--help",), ("games",), ("show", "--labels", "full")])
def test_a_reader_that_goes_away_is_no_error(arguments: tuple[str, ...], runs: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    given = (*arguments, runs / "leduc") if arguments[0] == "show" else arguments
    try:
        found = program(*given, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_stdout_is_status_one() -> None:
    with Path("/dev/full").open("wb") as full:
        found = program("games", stdout=full, stderr=subprocess.PIPE)
    assert found.returncode == 1
    assert found.stderr == b"error: the disk is full; free some space and try again\n"


@pytest.mark.skipif(os.name == "nt", reason="descriptors are closed otherwise there")
def test_a_closed_stdout_is_no_traceback(runs: Path) -> None:
    for arguments in (("games",), ("show", runs / "lp", "--json")):
        closing = ("sh", "-c", 'exec "$0" "$@" >&-')
        found = program(*arguments, shell=closing, stderr=subprocess.PIPE)
        assert (found.returncode, found.stderr) == (0, b"")


def test_a_terminal_that_knows_only_ascii_gets_ascii() -> None:
    found = program(
        *("solve", "leduc", "-n", 5, "-o", "mine"),
        env={"PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.isascii()
    assert b"?" not in found.stdout
    assert b"====" in found.stdout
    assert b"\n... the 48 of 288 infosets" in found.stdout


def test_brackets_and_colons_in_names_are_no_markup(command: Command) -> None:
    found = command("solve", "kuhn", "-n", 5, "-o", "[red]")
    assert "saved in [red]" in found.out
    assert "[red]" in command("evaluate", "[red]").out


@pytest.mark.long
def test_the_whole_way_in_processes_of_their_own(tmp_path: Path) -> None:
    solved = program("solve", "kuhn", "-m", "lp", "-o", "mine", "--json", capture_output=True)
    assert (solved.returncode, solved.stderr) == (0, b"")
    assert b'"value": -0.0555' in solved.stdout
    exported = program("export", "mine", "--to", "csv", "-o", "-", capture_output=True)
    assert exported.stdout.count(b"\n") == 25


@pytest.mark.parametrize("written", ["100", "1e2", "1_00", "10E1"])
def test_an_integer_may_be_written_with_an_exponent_or_underscores(
    written: str, command: Command
) -> None:
    found = command("solve", "kuhn", "-m", "cfr", "-n", written, "--json").json
    assert found["iterations"] == 100
