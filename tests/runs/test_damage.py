"""Run folders with damaged files: the previous checkpoint, or one line that says what is wrong."""

import copy
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.runs.folders import assert_same, contents, outcome, save_often
from tests.runs.game_runs import load, resume

from untilt.errors import FormatError, RunError, UntiltError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.run.checkpoint import DAMAGED, NEWEST, PREVIOUS
from untilt.runs.interrupt import Interrupted
from untilt.runs.solve import solve
from untilt.runs.watching import Status

DCFR: dict[str, Any] = {"game": "kuhn", "method": "dcfr+", "iterations": 300}


def stopped(folder: Path, iteration: int = 100, **asked: Any) -> Path:
    """Return a folder with a run that was interrupted, with a checkpoint and the one before."""

    def watch(status: Status) -> None:
        if status.progress is not None and (status.progress.iteration or 0) >= iteration:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        save_often(patch)
        with pytest.raises(Interrupted):
            solve(**(asked or DCFR), output=folder, watcher=watch)
    assert (folder / NEWEST).exists()
    assert (folder / PREVIOUS).exists()
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("whole") / "run"
    solve(**DCFR, output=folder)
    return outcome(folder)


def flipped(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def halved(data: bytes) -> bytes:
    return data[: len(data) // 2]


DAMAGES: list[Callable[[bytes], bytes]] = [flipped, halved, lambda _: b"", lambda data: data + b"x"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_gives_way_to_the_previous_one(
    tmp_path: Path, whole: dict[str, Any], damage: Callable[[bytes], bytes]
) -> None:
    folder = stopped(tmp_path / "run")
    newest = folder / NEWEST
    newest.write_bytes(damage(newest.read_bytes()))
    before = contents(folder)
    seen = load(folder)
    assert seen.warning is not None
    assert str(newest) in seen.warning
    assert "using the previous checkpoint" in seen.warning
    assert contents(folder) == before
    run = resume(folder)
    assert run.warning == seen.warning
    assert run.is_finished
    assert_same(outcome(folder), whole)
    assert load(folder).warning is None


def test_a_damaged_checkpoint_never_becomes_the_previous_one(
    tmp_path: Path, whole: dict[str, Any]
) -> None:
    folder = stopped(tmp_path / "run")
    (folder / NEWEST).write_bytes(flipped((folder / NEWEST).read_bytes()))

    def stop_at_once(status: Status) -> None:
        if status.progress is not None:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        resume(folder, watcher=stop_at_once)
    assert (folder / DAMAGED).exists()
    (folder / NEWEST).unlink()
    assert load(folder).warning is None
    resume(folder)
    assert_same(outcome(folder), whole)


@pytest.mark.parametrize("damage", DAMAGES)
def test_two_damaged_checkpoints_are_refused_and_left_alone(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    folder = stopped(tmp_path / "run")
    for name in (NEWEST, PREVIOUS):
        (folder / name).write_bytes(damage((folder / name).read_bytes()))
    before = contents(folder)
    for act in (load, resume, lambda path: resume(path, iterations=500)):
        with pytest.raises(
            FormatError, match=r"no usable checkpoint.*start the run again"
        ) as error:
            act(folder)
        assert "\n" not in str(error.value)
    assert contents(folder) == before


def rewrite(
    path: Path, kind: str, change: Callable[[dict[str, Any], dict[str, Any]], None]
) -> None:
    """Change meta and arrays of a container, whose checksums stay right."""
    container = read_container(path, kind, in_memory=True)
    meta, arrays = dict(container.meta), dict(container.arrays)
    change(meta, arrays)
    write_container(path, kind, meta, arrays)


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        ({"game": "leduc", "method": "dcfr+", "iterations": 300}, "belongs to another game"),
        (
            {"game": "kuhn", "method": "cfr+", "iterations": 300},
            "another method or with different opt",
        ),
        (
            {"game": "kuhn", "method": "dcfr+", "iterations": 200},
            "another method or with different opt",
        ),
        ({**DCFR, "defer_averaging": 7}, "another method or with different options"),
        ({**DCFR, "alpha": 2.0}, "another method or with different options"),
        ({**DCFR, "seed": 1}, "another method or with different options"),
    ],
)
def test_checkpoints_of_another_run_are_refused(
    tmp_path: Path, other: dict[str, Any], complaint: str
) -> None:
    folder = stopped(tmp_path / "run")
    stranger = stopped(tmp_path / "other", **other)
    for name in (NEWEST, PREVIOUS):
        shutil.copy(stranger / name, folder / name)
    before = contents(folder)
    for act in (load, resume):
        with pytest.raises(FormatError, match=complaint):
            act(folder)
    assert contents(folder) == before


Change = Callable[[dict[str, Any], dict[str, Any]], None]
CHANGES: list[tuple[Change, str]] = [
    (lambda meta, arrays: arrays.pop("skipped_30_0"), "lacks 'skipped_30_0'"),
    (lambda meta, arrays: arrays.pop("regret_sum_1"), "lacks 'regret_sum_1'"),
    (lambda meta, arrays: arrays.update(regret_sum_0=np.zeros(3)), "regret_sum_0"),
    (
        lambda meta, arrays: arrays.update(behaviour_0=arrays["behaviour_0"] * math.nan),
        "not finite",
    ),
    (lambda meta, arrays: arrays.update(iteration=np.array([-1])), "invalid iteration, -1"),
    (lambda meta, arrays: arrays.update(iteration=np.array([0])), "iteration 0"),
    (
        lambda meta, arrays: arrays.update(iteration=np.array([2**63 - 1])),
        "invalid iteration, 9223",
    ),
    (lambda meta, arrays: arrays.update(iteration=np.array([7], np.int32)), "iteration"),
    (lambda meta, arrays: arrays.update(strategy_sum_0=np.zeros(13)), "strategy"),
    (lambda meta, arrays: meta.update(seconds=-1), "time of the run"),
    (lambda meta, arrays: meta.update(seconds=True), "time of the run"),
    (lambda meta, arrays: meta.update(total_seconds=10**400), "time of the run"),
    (lambda meta, arrays: meta.pop("compile_seconds"), "time of the run"),
    (lambda meta, arrays: meta.pop("recipe"), "another method"),
]


@pytest.mark.parametrize(("change", "complaint"), CHANGES)
def test_a_checkpoint_whose_content_does_not_fit_counts_as_damaged(
    tmp_path: Path, whole: dict[str, Any], change: Change, complaint: str
) -> None:
    folder = stopped(tmp_path / "run")
    rewrite(folder / NEWEST, "checkpoint", change)
    run = resume(folder)
    assert run.warning is not None
    assert str(folder / NEWEST) in run.warning
    assert complaint in run.warning
    assert_same(outcome(folder), whole)


# --- run.json ---


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished run, whose run.json may be overwritten."""
    folder = tmp_path_factory.mktemp("sample") / "run"
    solve("kuhn", "dcfr+", iterations=20, output=folder)
    shutil.copy(folder / "run.json", folder.parent / "run.json")
    return folder


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**63, 2**64, 10**400, 1e308, -1e308, "inf", "-inf", "nan", ""])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from(["cfr", "lp", "dcfr", "quadratic"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
PLACES = [
    *([key] for key in ("format", "game", "title", "reference", "parameters", "method", "options")),
    *(
        [key]
        for key in ("stop", "horizon", "seed", "fingerprint", "created", "machine", "surprise")
    ),
    *(["stop", key] for key in ("iterations", "target", "seconds", "is_default")),
    *(["options", key] for key in ("alpha", "gamma", "defer_averaging", "average", "surprise")),
]


@settings(
    deadline=None,
    max_examples=400,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(PLACES), st.booleans(), JUNK), min_size=1, max_size=3
    )
)
def test_any_run_json_is_read_or_refused_in_one_line(
    sample: Path, changes: list[tuple[list[str], bool, Any]]
) -> None:
    entries = json.loads((sample.parent / "run.json").read_text())
    for place, is_dropped, value in changes:
        *outer, last = place
        where = entries
        for key in outer:
            where = where.get(key)
        if not isinstance(where, dict):
            continue
        if is_dropped:
            where.pop(last, None)
        else:
            where[last] = copy.deepcopy(value)
    (sample / "run.json").write_text(json.dumps(entries))
    try:
        run = load(sample)
    except UntiltError as error:
        assert "\n" not in str(error)  # noqa: PT017
        assert str(sample) in str(error)  # noqa: PT017
        return
    json.dumps(run.to_json(), allow_nan=False)
    assert run.iterations == 20


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ({"method": "cfr++"}, "run.json is damaged .unknown method 'cfr..'"),
        ({"options": {"alpha": "much"}}, "run.json is damaged .alpha is 'much'"),
        ({"options": {"surprise": 1}}, "run.json is damaged .method dcfr. takes no option"),
        ({"options": {"gamma": [1]}}, "run.json is damaged"),
        ({"format": 2}, "newer Untilt; upgrade"),
        ({"seed": True}, "run.json is damaged"),
        ({"seed": -1}, "run.json is damaged .its seed or horizon is out of range"),
        ({"seed": 2**70}, "run.json is damaged .its seed or horizon is out of range"),
        ({"horizon": -1}, "run.json is damaged .its seed or horizon is out of range"),
    ],
)
def test_what_is_wrong_in_a_run_json_is_said(
    sample: Path, entries: dict[str, Any], complaint: str
) -> None:
    before = json.loads((sample.parent / "run.json").read_text())
    (sample / "run.json").write_text(json.dumps({**before, **entries}))
    with pytest.raises(FormatError, match=complaint):
        resume(sample)


WRONG: dict[str, list[Any]] = {
    "beta": ["much", True, None, [1]],
    "scale0": ["much", False],
    "tolerance": ["small"],
    "max_iterations": ["x", 2.5, "inf", True],
    "schedule": [3, False, "1,x"],
    "limit": [1, "no"],
    "branch": ["yes"],
    "definition": [7, "none"],
    "path": [7, "straight"],
    "jacobian": [7],
}


def test_options_of_the_wrong_type_are_refused_by_every_method(tmp_path: Path) -> None:
    solve("kuhn", "qre", beta=1.0, output=tmp_path / "qre")
    solve("kuhn", "os", iterations=20, output=tmp_path / "os")
    sampling: dict[str, list[Any]] = {
        "batch": ["x", 1.5, True],
        "threads": ["2"],
        "exploration": ["x", True],
        "on": [1],
        "regret": [1, None],
        "cache": ["inf"],
    }
    for name, wrong in (("qre", WRONG), ("os", sampling)):
        folder = tmp_path / name
        (folder / "result.json").unlink()
        before = json.loads((folder / "run.json").read_text())
        for option, values in wrong.items():
            for value in values:
                entries = {**before, "options": {**before["options"], option: value}}
                (folder / "run.json").write_text(json.dumps(entries))
                for act in (load, resume):
                    with pytest.raises(UntiltError) as error:
                        act(folder)
                    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "entries", [{"iterations": -1}, {"iterations": 2**70}, {"seconds": -1.0}, {"seconds": 10**30}]
)
def test_counts_and_times_of_a_result_are_possible(tmp_path: Path, entries: dict[str, Any]) -> None:
    solve("kuhn", "cfr+", iterations=20, output=tmp_path / "run")
    path = tmp_path / "run" / "result.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))
    with pytest.raises(FormatError, match=r"result\.json is damaged"):
        load(tmp_path / "run")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"a": 1, "a": 2}', "\x00", "[" * 99_999])
def test_a_run_json_that_is_no_object_is_refused(sample: Path, text: str) -> None:
    (sample / "run.json").write_text(text)
    before = contents(sample)
    for act in (load, resume):
        with pytest.raises(FormatError, match=r"run\.json"):
            act(sample)
    assert contents(sample) == before


# --- the other files ---


def test_half_lines_of_the_log_are_passed_over(tmp_path: Path, whole: dict[str, Any]) -> None:
    folder = stopped(tmp_path / "run")
    log = folder / "progress.jsonl"
    log.write_bytes(log.read_bytes() + b'{"iteration":101,"expl')
    resume(folder)
    assert_same(outcome(folder), whole)


def test_leftovers_of_killed_writers_are_removed(tmp_path: Path, whole: dict[str, Any]) -> None:
    folder = stopped(tmp_path / "run")
    (folder / ".checkpoint.bin.123-0123abcd.tmp").write_bytes(b"half")
    (folder / "notes.tmp").write_text("of the user")
    resume(folder)
    assert not list(folder.glob(".*.tmp"))
    assert (folder / "notes.tmp").read_text() == "of the user"
    (folder / "notes.tmp").unlink()
    assert_same(outcome(folder), whole)


@pytest.mark.parametrize("damage", [*DAMAGES, None])
def test_a_run_goes_on_without_its_frames(
    tmp_path: Path, whole: dict[str, Any], damage: Callable[[bytes], bytes] | None
) -> None:
    folder = stopped(tmp_path / "run")
    frames = folder / "frames.bin"
    if damage is None:
        frames.unlink()
    else:
        frames.write_bytes(damage(frames.read_bytes()))
    resume(folder)
    found = outcome(folder)
    assert 0 < len(found["frames"]) < len(whole["frames"])
    assert found["frames"] == whole["frames"][-len(found["frames"]) :]
    assert_same({**found, "frames": whole["frames"]}, whole)


@pytest.mark.parametrize("name", ["strategy.bin", "result.json"])
def test_a_damaged_result_is_refused_and_made_anew_by_resuming(
    tmp_path: Path, whole: dict[str, Any], name: str
) -> None:
    folder = tmp_path / "run"
    solve(**DCFR, output=folder)
    (folder / name).write_bytes(halved((folder / name).read_bytes()))
    with pytest.raises(FormatError, match=name):
        load(folder)
    assert resume(folder).iterations == 300
    assert_same(outcome(folder), whole)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("seconds", "x"),
        ("seconds", 10**400),
        ("seconds", None),
        ("iterations", []),
        ("iterations", 1.5),
        ("total_seconds", {}),
    ],
)
def test_odd_entries_of_a_result_are_refused(tmp_path: Path, entry: str, value: Any) -> None:
    folder = tmp_path / "run"
    solve("kuhn", "lp", output=folder)
    result = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps({**result, entry: value}))
    with pytest.raises(FormatError, match=r"result\.json is damaged"):
        load(folder)


def test_a_game_of_another_run_is_refused_before_anything_changes(tmp_path: Path) -> None:
    folder = stopped(tmp_path / "run")
    solve("leduc", "cfr+", iterations=2, output=tmp_path / "other")
    shutil.copy(tmp_path / "other" / "game.bin", folder / "game.bin")
    for name in (NEWEST, PREVIOUS):  # nothing but the fingerprint tells
        (folder / name).unlink()
    before = contents(folder)
    for act in (load, lambda path: resume(path, iterations=5)):
        with pytest.raises(FormatError, match="belong to different games"):
            act(folder)
    assert contents(folder) == before


@pytest.mark.parametrize("damage", [*DAMAGES, None])
def test_a_damaged_game_is_refused_before_anything_changes(
    tmp_path: Path, damage: Callable[[bytes], bytes] | None
) -> None:
    folder = stopped(tmp_path / "run")
    game = folder / "game.bin"
    if damage is None:
        game.unlink()
    else:
        game.write_bytes(damage(game.read_bytes()))
    before = contents(folder)
    for act in (load, lambda path: resume(path, iterations=5)):
        with pytest.raises(FormatError, match=r"game\.bin"):
            act(folder)
    assert contents(folder) == before


def test_folders_without_a_run_are_refused_and_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("years of work")
    empty = tmp_path / "empty"
    empty.mkdir()
    for act in (load, resume):
        for folder in (foreign, empty):
            with pytest.raises(RunError, match=r"holds no run \(run.json is missing\)"):
                act(folder)
        for path in (tmp_path / "missing", foreign / "thesis.tex"):
            with pytest.raises(RunError, match="is not a folder"):
                act(path)
    assert [path.name for path in foreign.iterdir()] == ["thesis.tex"]
    assert list(empty.iterdir()) == []
