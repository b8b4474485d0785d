"""Numbers that nobody means, in every flag that takes one: refused in one line, or harmless."""

import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.abstraction.buckets.tables import stored
from tests.cli.conftest import Command
from tests.play.blueprints import random_blueprint
from tests.runs import game_runs

from untilt.cli.main import app
from untilt.errors import InvalidOption
from untilt.solvers.methods import METHODS

__all__ = ["stored"]  # a fixture

HOSTILE = (
    *("inf", "-inf", "nan", "1e308", "-1e308", "1e300", "1e-300", "1e-320", "1e999", "-1"),
    *("9" * 400, "9" * 10_000, "", " ", "٣", "0x10", "1__0", "--", "1e5.5"),
)
SPOT = (
    *("spot", "--board", "2c2d2h3c3d", "--oop", "AA,QQ", "--ip", "KK", "--pot", "100"),
    *("--stack", "300", "-n", "2", "--threads", "1"),
)
FIT = ("fit", "lines.csv", "--spot", "{runs}/spot")
BUCKETS = ("--preflop", "2", "--flop", "200", "--turn", "100", "--river", "50")
REVIEW = ("hands", "review", "--agent", "pushfold")
COMMANDS: dict[str, tuple[str, ...]] = {
    "solve": ("solve", "kuhn", "-n", "2"),
    "spot": SPOT,
    "qre": ("qre", "kuhn", "--beta", "0.5", "--max-iters", "50"),
    "fit": ("fit", "observed.csv", "-g", "kuhn"),
    "show": ("show", "{runs}/kuhn"),
    "compare": ("compare", "{runs}/kuhn", "{runs}/lp"),
    "report": ("report", "{runs}/spot", "--flops", "1", "-n", "1"),
    "tree": ("tree", "kuhn", "-o", "tree.svg"),
    "play": ("play", "kuhn", "--hands", "1"),
    "match": ("match", "{runs}/kuhn", "{runs}/lp", "-n", "2"),
    "lbr": ("lbr", "{runs}/bp.bin", "-n", "1"),
    "exploit": ("exploit", "{runs}/bp.bin", "-n", "1"),
    "hand": ("hand", "{hands}"),
    "hands list": ("hands", "list", "{runs}/store"),
    "hands review": (*REVIEW, "{runs}/store", "-o", "leaks"),
    "hands tilt": ("hands", "tilt", "{runs}/leaks"),
    "serve": ("serve", "{runs}"),
    "docs": ("docs",),
    "equity": ("equity", "AA", "KK", "--samples", "10"),
    "games": ("games", "--check", "kuhn"),
    "chart": ("chart",),
    "buckets": ("buckets",),
    "import": ("import", "{runs}/none.bin", "--stack", "20bb"),
    "pushfold train": ("pushfold", "train", "--hands", "10"),
    "pushfold match": ("pushfold", "match", "hune", "hune"),
    "pushfold quiz": ("pushfold", "quiz", "--hands", "1"),
    "blueprint train": ("blueprint", "train", "--stack", "20bb", "-n", "1", *BUCKETS),
    "blueprint lbr": ("blueprint", "lbr", "{runs}/bp.bin", "--deals", "1"),
    "blueprint exploit": ("blueprint", "exploit", "{runs}/bp.bin", "-n", "1", *BUCKETS),
    "bot acpc": ("bot", "acpc", "{runs}/bp.bin", "127.0.0.1"),
    "bot pokerbots": ("bot", "pokerbots", "{runs}/bp.bin", "127.0.0.1"),
}
"""A line of each command that has a flag for a number; it takes a moment."""

TEXTS: tuple[tuple[str, ...], ...] = (
    (*SPOT, "--pot={}"),
    (*SPOT, "--stack={}"),
    (*SPOT, "--stack={}bb"),
    (*SPOT, "--bb={}", "--stack=10bb"),
    (*SPOT, "--rake={}"),
    (*SPOT, "--rake={}%"),
    (*SPOT, "--rake=5%", "--rake-cap={}"),
    (*SPOT, "--target={}"),
    (*SPOT, "--target={}%"),
    (*SPOT, "--bets={}"),
    (*SPOT, "--bets={}%"),
    (*SPOT, "--bets={}c"),
    (*SPOT, "--bets={}bb"),
    (*SPOT, "--bets={}e"),
    (*SPOT, "--raises={}x"),
    (*SPOT, "--raises=20c{}r"),
    (*SPOT, "--oop=AA:{}"),
    (*SPOT, "--oop=AA:{},QQ:1"),
    (*SPOT, "--oop=AA:{}", "--ip=KK:{}"),
    (*SPOT, "--oop=top {}%"),
    (*SPOT, "--lock=: AA bet {}%"),
    (*SPOT, "--lock=: AA bet {}"),
    (*SPOT, "--noise={}"),
    (*SPOT, "--noise={}%"),
    (*SPOT, "--noise=oop={}%,ip=5%"),
    (*SPOT, "--noise=oop=5%,ip={}"),
    (*SPOT, "--noise=5%", "--target={}"),
    (*SPOT, "--noise=5%", "--target-max={}"),
    (*SPOT, "--noise=5%", "--pot={}", "--stack={}"),
    (*SPOT, "--method=quantal", "--beta={}"),
    (*SPOT, "--method=quantal", "--precision=float64", "--beta={}"),
    (*FIT, "--ladder={}..{}"),
    (*FIT, "--ladder={}%..5%"),
    (*FIT, "--ladder=20%..{}%"),
    (*FIT, "--ladder=20%..5%", "--rungs={}"),
    (*FIT, "--ladder=20%..5%", "--rungs={}", "--per-player"),
    ("solve", "kuhn", "-n", "2", "-p", "ante={}"),
    ("solve", "kuhn", "-n", "2", "-p", "cards={}"),
    ("solve", "kuhn", "-n", "2", "-p", "players={}"),
    ("solve", "goofspiel", "-n", "2", "-p", "cards={}"),
    ("solve", "kuhn", "-n", "2", "--grid", "alpha={}"),
    ("qre", "kuhn", "--beta", "0.5", "--method", "newton", "--schedule={}"),
    ("chart", "--stack={}"),
    ("chart", "--stack={}bb"),
    ("chart", "--stack={}/8"),
    ("chart", "--blinds={}/1"),
    ("chart", "--blinds=0.5/{}"),
    ("chart", "--sweep={}:8:1"),
    ("chart", "--sweep=2:{}:1"),
    ("chart", "--sweep=2:8:{}"),
    ("chart", "--against-call=AA:{}"),
    ("chart", "--seats", "2", "--stacks={},9"),
    ("chart", "--seats", "2", "--stacks=10,9", "--ante={}"),
    ("chart", "--seats", "2", "--stacks=10,9", "--prizes={}"),
    ("chart", "--seats", "2", "--stacks=10,9", "--prizes=50,{}"),
    ("chart", "--seats", "2", "--stacks=10,9", "--prizes=50,30", "--others={}"),
    ("chart", "--seats", "2", "--stacks=10,9", "--prizes=50,30", "--bounty={}"),
    ("icm", "{},2000", "--prizes=50,30"),
    ("icm", "5000,2000", "--prizes={}"),
    ("icm", "5000,2000", "--prizes=50,{}"),
    ("icm", "5000,2000", "--prizes=50,30", "--others={}"),
    ("icm", "5000,2000", "--prizes=50,30", "--bounty={}"),
    ("hands", "list", "{runs}/store", "--pot=>{}bb"),
    ("equity", "AA:{}", "KK"),
    ("pushfold", "train", "--hands", "10", "--stack={}"),
    ("blueprint", "train", "-n", "1", *BUCKETS, "--stack={}"),
    ("blueprint", "train", "-n", "1", *BUCKETS, "--stack={}bb"),
    ("blueprint", "train", "-n", "1", "--stack", "20bb", *BUCKETS, "--menu={}"),
    ("import", "none.bin", "--stack={}"),
    ("play", "{runs}/bp.bin", "--hands", "1", "--think={}s"),
    ("lbr", "{runs}/bp.bin", "-n", "1", "--sizes={}%"),
    ("report", "{runs}/spot", "-n", "1", "--flops={}"),
    ("match", "{runs}/kuhn", "uniform", "-n", "2", "-g", "kuhn(ante={})"),
)
"""Flags whose text contains a number, here {}."""


def numeric_flags() -> Iterator[tuple[str, Any]]:
    """Yield each command with each of its flags and arguments that take a number."""

    def below(command: Any, name: str) -> Iterator[tuple[str, Any]]:
        for word, inner in getattr(command, "commands", {}).items():
            yield from below(inner, f"{name} {word}".strip())
        for parameter in command.params:
            if (parameter.metavar or "").startswith(("<int", "<float")) or _kind(parameter) in (
                int,
                float,
            ):
                yield name, parameter

    yield from below(typer.main.get_command(app), "")


def _kind(parameter: Any) -> type | None:
    """The type that the flag was declared with."""
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is not None:
        return descriptor.annotation  # type: ignore[no-any-return]
    return {"integer": int, "float": float}.get(parameter.type.name)


FLAGS = [(name, parameter) for name, parameter in numeric_flags()]


@pytest.fixture(scope="module")
def files(runs: Path, stored: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    from untilt.cli.main import run

    if not (runs / "bp.bin").exists():
        random_blueprint(runs / "bp.bin", 20)
        assert run([*SPOT, "-o", str(runs / "spot"), "--json"]) == 0
    root = Path(__file__).parents[2]
    hands = next(iter(sorted((root / "tests" / "data" / "hands").glob("*.phh"))))
    if not (runs / "store").exists():
        assert (
            run(["hands", "import", str(root / "examples" / "hands"), "-o", str(runs / "store")])
            == 0
        )
        assert run([*REVIEW, str(runs / "store"), "-o", str(runs / "leaks")]) == 0
    return {"runs": runs, "hands": hands}


def _measure_nothing(*_: object, **__: object) -> None:
    """A measurement or training takes long; its arguments have been checked by now."""
    raise InvalidOption("nothing is measured here")


@pytest.fixture
def harmless(command: Command, files: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command, of which nothing must be seen but its results or one line."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("untilt.exploitation.exploit.measure_agents", _measure_nothing)
    monkeypatch.setattr("untilt.runs.blueprints.trainer.begin", _measure_nothing)
    monkeypatch.setattr("untilt.exploitation.local_best_response._on_tree", _measure_nothing)
    monkeypatch.setattr("untilt.exploitation.local_best_response._one_by_one", _measure_nothing)
    Path("observed.csv").write_text("p0,p1,public,line\nJ,Q,,kk\nK,Q,,bk\nQ,J,,kbf\n")

    Path("lines.csv").write_text("line\ncc\ncb60c\n")

    def check(*arguments: str) -> None:
        filled = [argument.replace("{runs}", str(files["runs"])) for argument in arguments]
        filled = [argument.replace("{hands}", str(files["hands"])) for argument in filled]
        found = command(*filled)
        assert found.status in (0, 1, 2, 130), (filled, found)
        assert "Traceback" not in found.err, filled
        assert "nan" not in found.out.lower().replace("nand", ""), (filled, found.out)
        if found.status == 2:
            assert found.err.splitlines()[-1].startswith("error: "), (filled, found.err)
            assert max(map(len, found.err.splitlines())) < 1_000, filled

    return check


@pytest.mark.parametrize(
    ("name", "parameter"),
    [pytest.param(*flag, id=f"{flag[0]} {flag[1].opts[-1]}") for flag in FLAGS],
)
def test_a_hostile_number_in_a_flag_never_ends_in_a_traceback(
    name: str, parameter: Any, harmless: Any
) -> None:
    line = list(COMMANDS[name])
    option = parameter.opts[-1]
    if name == "solve":
        takers = [
            method.name
            for method in METHODS.own.values()
            if parameter.name in {each.name for each in method.takes} and method.extra is None
        ]
        line += ["-m", takers[0]] if takers else []
    for value in HOSTILE:
        given = [f"{option}={value}"] if option.startswith("--") else [value]
        harmless(*line, *given)


@pytest.mark.parametrize("line", TEXTS, ids=lambda line: f"{line[0]} {line[-1]}")
@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: value[:8] or "empty")
def test_a_hostile_number_within_a_text_never_ends_in_a_traceback(
    line: tuple[str, ...], value: str, harmless: Any
) -> None:
    harmless(*(argument.replace("{}", value) for argument in line))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("pot", "9" * 400),
        ("stack", "9" * 400),
        ("stack", "1e308"),
        ("rake", "9" * 400),
        ("rake_cap", "9" * 400),
        ("add_all_in", "1e308"),
        ("force_all_in", "9" * 400),
        ("merge", "inf"),
        ("rake", "nan"),
    ],
)
def test_a_hostile_number_in_a_spot_file_is_refused_in_one_line(
    setting: str, value: str, command: Command
) -> None:
    rest = {"pot": "100", "stack": "300"} | {setting: value}
    lines = [f"{name} = {number}" for name, number in rest.items()]
    Path("spot.toml").write_text(
        "\n".join(['board = "2c2d2h3c3d"', *lines, "[ranges]", 'oop = "AA"', 'ip = "KK"'])
    )
    assert len(command("spot", "spot.toml", "-n", "2").error) < 300


@pytest.mark.parametrize("option", ["--alpha", "--beta"])
def test_an_endless_discount_exponent_is_saved_loaded_and_continued(
    option: str, command: Command
) -> None:
    asked = *SPOT, "--method", "dcfr", f"{option}=inf", "-o", "endless"
    assert command(*asked).status == 0
    name = option.removeprefix("--")
    assert game_runs.load_spot("endless").facts.options[name] == math.inf
    assert command("spot", "--resume", "endless", "-n", "4").status == 0
    assert game_runs.load_spot("endless").facts.iterations == 4


@pytest.mark.parametrize("weight", ["1e-12", "1e-300", "1e-320"])
def test_only_the_ratio_of_weights_matters_however_small_they_are(
    weight: str, command: Command
) -> None:
    whole = command(*SPOT, "--oop=AA,QQ", "--ip=KK", "--json").json
    ranges = (f"--oop=AA:{weight},QQ:{weight}", f"--ip=KK:{weight}")
    tiny = command(*SPOT, *ranges, "-o", "tiny", "--json").json
    assert tiny["ev"] == pytest.approx(whole["ev"], rel=1e-6)
    assert tiny["exploitability"] == pytest.approx(whole["exploitability"], rel=1e-4)
    assert command("show", "tiny").status == 0
    assert command("spot", "--resume", "tiny", "-n", "4").status == 0
    assert game_runs.load_spot("tiny").facts.iterations == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "x" * 10_000),
        ("y" * 10_000,),
        ("solve", "kuhn", f"--{'z' * 10_000}"),
        ("solve", "kuhn", "-p", f"{'z' * 10_000}=1"),
        ("solve", "kuhn", "--method", "m" * 10_000),
        ("solve", "kuhn", "-n", "5 " * 5_000),
        ("show", "f" * 10_000),
        ("play", "kuhn", "--seat", "s" * 10_000),
        ("equity", "A " * 5_000, "KK"),
        ("spot", "--board", "A" * 10_000),
        (*SPOT, "--lock", ": AA " + "bet " * 3_000),
        (*SPOT, "--oop", "AA, " * 3_000 + "?"),
        ("chart", "--stack", "c" * 10_000),
        ("match", "a" * 10_000, "b" * 10_000),
        ("qre", "kuhn", "--beta", "0.5", "extra" * 2_000),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_long_value_is_never_echoed_whole(arguments: tuple[str, ...], command: Command) -> None:
    assert len(command(*arguments).error) < 2_000
