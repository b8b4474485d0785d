"""Training blueprints in run folders, with dealt buckets that need no tables of cards."""

import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runs import game_runs
from tests.runs.folders import can_fork, count_file_operations, ended, forked, save_often
from tests.runs.random_dealer import draw_buckets

import untilt
from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.menus import Menu, sizes
from untilt.errors import (
    FormatError,
    GameTooLarge,
    InvalidOption,
    RunError,
    StorageError,
    UntiltError,
)
from untilt.formats.base.files import write_atomically
from untilt.formats.run.checkpoint import NEWEST, load_checkpoint, save_checkpoint
from untilt.formats.run.progress_reader import read_progress
from untilt.formats.run.run_folder import RunFolder
from untilt.runs import background_save, recorder
from untilt.runs.background_save import BackgroundSave
from untilt.runs.blueprints import blueprint_material
from untilt.runs.blueprints.ares import checkpoint_chunks, import_blueprint, strategy_chunks
from untilt.runs.blueprints.blueprint_material import TrainedBlueprint
from untilt.runs.blueprints.blueprint_request import checked_options
from untilt.runs.blueprints.trainer import (
    DEFAULT_MENU,
    BlueprintTrainer,
    cards_for,
    menu_for,
    resume_blueprint,
    rules_for,
    train_blueprint,
)
from untilt.runs.interrupt import Interrupted

RULES = rules_for("5bb")
MENU = menu_for("1, a", 3)
CARDS = CardAbstraction(preflop=169, flop=4, turn=4, river=10)


@pytest.fixture(autouse=True)
def without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_buckets(monkeypatch)


def train(folder: Path, **options: Any) -> TrainedBlueprint:
    return train_blueprint(RULES, MENU, CARDS, output=folder, **{"batch": 32, **options})


def numbers(folder: Path) -> bytes:
    return (folder / "blueprint.bin").read_bytes()


def test_a_training_leaves_a_strategy_and_a_result(tmp_path: Path) -> None:
    trained = train(tmp_path / "bp", iterations=320, threads=2)
    found = trained.to_json()
    assert found["iterations"] == 320
    assert repr(trained).startswith("<TrainedBlueprint of hold'em, ")
    assert ": 320 deals, " in repr(trained)
    assert "<table" in trained._repr_html_()
    assert found["infosets"] == Blueprint(tmp_path / "bp" / "blueprint.bin").num_infosets
    assert found["table_bytes"] > 8 * found["infosets"]
    assert found["hand_nodes_per_second"] > 0.0
    assert RunFolder(tmp_path / "bp").status() == "finished"
    strategy = game_runs.load_blueprint(tmp_path / "bp")
    assert strategy.meta["iterations"] == 320
    mix = strategy.probabilities("", "AsAh")
    assert sum(mix.values()) == pytest.approx(1.0)
    # The best hand of this deck of numbers does not fold to a bet.
    assert strategy.probabilities("a", "2c2d")["fold"] < 0.5


def test_more_threads_than_processors_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for threads, is_noted in ((2, False), (3, True)):
        notes: list[str] = []
        folder = tmp_path / str(threads)
        train(
            folder,
            iterations=32,
            threads=threads,
            watcher=lambda status, notes=notes: notes.append(status.note or ""),
        )
        assert "betting nodes" in notes[0]
        assert ("3 threads share 2 processors" in notes[0]) == is_noted
    assert numbers(tmp_path / "2") == numbers(tmp_path / "3")


def test_a_resumed_training_has_the_same_bits(tmp_path: Path) -> None:
    train(tmp_path / "whole", iterations=640)
    train(tmp_path / "parts", iterations=320)
    resumed = resume_blueprint(tmp_path / "parts", iterations=640, threads=3)
    assert resumed.iterations == 640
    assert numbers(tmp_path / "whole") == numbers(tmp_path / "parts")


def test_a_training_is_a_run_and_continues_as_all_runs_do(tmp_path: Path) -> None:
    train(tmp_path / "whole", iterations=640)
    part = train(tmp_path / "parts", iterations=320)
    assert isinstance(part, untilt.Run)
    assert part.result.iterations == part.iterations == 320
    resumed = untilt.resume(tmp_path / "parts", iterations=640, threads=2)
    assert numbers(tmp_path / "whole") == numbers(tmp_path / "parts")
    assert resumed.progress is not None
    assert resumed.progress["iteration"][-1] == 640
    loaded = game_runs.load_blueprint(tmp_path / "parts")
    assert loaded.seconds == pytest.approx(resumed.seconds)
    assert loaded.progress["iteration"][-1] == 640
    with pytest.raises(InvalidOption, match="iterations or time"):
        untilt.resume(tmp_path / "parts", target=0.1)


@pytest.mark.long
def test_tables_of_half_the_size(tmp_path: Path) -> None:
    whole = train(tmp_path / "whole", iterations=640, precision="bfloat16").to_json()
    usual = train(tmp_path / "usual", iterations=320).to_json()
    assert whole["precision"] == "bfloat16"
    assert 2 * whole["table_bytes"] == usual["table_bytes"]
    train(tmp_path / "parts", iterations=320, precision="bfloat16")
    sizes = [(tmp_path / name / NEWEST).stat().st_size for name in ("parts", "usual")]
    assert sizes[1] - sizes[0] == pytest.approx(whole["table_bytes"], rel=0.1)
    resume_blueprint(tmp_path / "parts", iterations=640, threads=3)
    assert numbers(tmp_path / "whole") == numbers(tmp_path / "parts")
    assert RunFolder(tmp_path / "parts").record().options["precision"] == "bfloat16"
    # Other programs get float32, exactly.
    write_atomically(tmp_path / "c.bin", checkpoint_chunks(tmp_path / "parts"))
    import_blueprint(tmp_path / "c.bin", MENU, CARDS, output=tmp_path / "again")
    assert numbers(tmp_path / "again") == numbers(tmp_path / "parts")


@pytest.mark.parametrize(
    "options",
    [
        {"visits": True},
        {"sampling": "chance"},
        pytest.param({"precision": "sparse", "rule": "rm+"}, marks=pytest.mark.long),
    ],
)
def test_options_survive_a_break(tmp_path: Path, options: dict[str, Any]) -> None:
    whole = train(tmp_path / "whole", iterations=320, **options).to_json()
    train(tmp_path / "parts", iterations=160, **options)
    parts = resume_blueprint(tmp_path / "parts", iterations=320, threads=2).to_json()
    assert numbers(tmp_path / "whole") == numbers(tmp_path / "parts")
    assert (tmp_path / "whole" / NEWEST).stat().st_size == (
        tmp_path / "parts" / NEWEST
    ).stat().st_size
    recorded = RunFolder(tmp_path / "parts").record().options
    assert options.items() <= recorded.items()
    if "visits" in options:
        assert parts["visits"] == whole["visits"] > 320 * 16
        assert 0 <= parts["unvisited"] == whole["unvisited"] < whole["infosets"]
    elif "precision" in options:
        assert whole["table_bytes"] == parts["table_bytes"]
    else:
        assert "visits" not in whole


def test_a_checkpoint_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    """It knows nothing of options that came later."""
    train(tmp_path / "whole", iterations=640)
    train(tmp_path / "old", iterations=320)
    file = tmp_path / "old" / "run.json"
    record = json.loads(file.read_text("utf-8"))
    for name in ("sampling", "visits", "lbr"):
        del record["options"][name]
    file.write_text(json.dumps(record), "utf-8")
    loaded = load_checkpoint(tmp_path / "old", record["fingerprint"])
    assert loaded is not None
    assert set(loaded.container.meta["recipe"]["options"]) == {
        *("rule", "alpha", "gamma", "defer_averaging", "batch", "synchronised", "precision")
    }
    resume_blueprint(tmp_path / "old", iterations=640)
    assert numbers(tmp_path / "whole") == numbers(tmp_path / "old")


def test_a_run_from_before_precisions_is_float32(tmp_path: Path) -> None:
    train(tmp_path / "old", iterations=320)
    file = tmp_path / "old" / "run.json"
    record = json.loads(file.read_text("utf-8"))
    del record["options"]["precision"]
    file.write_text(json.dumps(record), "utf-8")
    assert resume_blueprint(tmp_path / "old", iterations=640).to_json()["precision"] == "float32"


def test_an_interrupted_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(tmp_path / "whole", iterations=640)
    count = 0

    def interrupt(status: object) -> None:
        nonlocal count
        count += 1
        if count == 5:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        train(tmp_path / "cut", iterations=640, watcher=interrupt)
    with pytest.raises(RunError, match=r"has no blueprint\.bin yet"):
        game_runs.load_blueprint(tmp_path / "cut")
    resume_blueprint(tmp_path / "cut")
    assert numbers(tmp_path / "whole") == numbers(tmp_path / "cut")


def test_a_trainer_in_python(tmp_path: Path) -> None:
    train(tmp_path / "whole", iterations=640)
    options: dict[str, Any] = {"stack": "5bb", "cards": CARDS, "menu": MENU, "batch": 32}
    trainer = BlueprintTrainer(**options, checkpoint_dir=tmp_path / "steps")
    trainer.train(iterations=320)
    trainer.train(iterations=320)
    assert trainer.iterations == 640
    assert numbers(tmp_path / "steps") == numbers(tmp_path / "whole")
    for path in (tmp_path / "steps", tmp_path / "steps" / NEWEST):
        assert BlueprintTrainer.load(path).iterations == 640
    alone = BlueprintTrainer(**options)
    alone.train(iterations=640)
    saved = alone.save(tmp_path / "alone.bin")
    assert saved.probabilities("", "7h2c") == game_runs.load_blueprint(
        tmp_path / "whole"
    ).probabilities("", "7h2c")


def test_river_buckets_follow_the_board_unless_others_are_given() -> None:
    given: list[dict[str, Any]] = [{}, {"river": 200, "texture": None}, {"river": 2, "flop": 5}]
    assert [cards_for(**each).sizes["river"] for each in given] == [198, 200, 2]
    assert cards_for(river=40, texture="river").sizes["river"] == 880


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rule": "best"}, "linear"),
        ({"alpha": 1.5}, "use dcfr"),
        ({"rule": "dcfr+", "alpha": -1.0}, "alpha"),
        ({"rule": "dcfr+", "alpha": 0.9}, "alpha is 0.9; it must be a number, at least 1"),
        ({"gamma": float("nan")}, "gamma"),
        ({"gamma": 20.0}, "gamma is 20.0; it must be a number, at least 0 and at most 3"),
        ({"defer_averaging": 1.5}, "defer_averaging"),
        ({"threads": 0}, "threads"),
        ({"batch": 0}, "batch"),
        ({"colour": "red"}, "colour"),
        ({"synchronised": 1}, "synchronised"),
        ({"precision": "float64"}, "float32.*float16.*bfloat16"),
        ({"sampling": "outcome"}, "external.*chance"),
        ({"visits": 1}, "visits"),
        ({"precision": "sparse"}, "use the rule dcfr"),
        ({"lbr": -1}, "lbr"),
    ],
)
def test_bad_options(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UntiltError, match=words):
        checked_options(given)


@pytest.mark.parametrize(
    ("menu", "cap", "text"),
    [
        ("1, a", None, "capped_bets(sizes('100%, a'), 4)"),
        ("1, a", 2, "capped_bets(sizes('100%, a'), 2)"),
        ("sizes('1, a')", None, "sizes('100%, a')"),
        ("sizes('1, a')", 2, "capped_bets(sizes('100%, a'), 2)"),
        (sizes("1, a"), 2, "capped_bets(sizes('100%, a'), 2)"),
        ("1, a / 0.5", None, "capped_bets(by_street(sizes('100%, a'), sizes('50%')), 4)"),
        ("1/a/.5", 3, "capped_bets(by_street(sizes('100%'), sizes('a'), sizes('50%')), 3)"),
    ],
)
def test_a_cap_applies_to_any_menu(menu: str | Menu, cap: int | None, text: str) -> None:
    assert menu_for(menu, cap).text == text


@pytest.mark.parametrize(
    ("menu", "words"),
    [("1/1/1/1/1", "at most 4 streets"), ("1 / ", "offers no bet"), ("1 / x", "x")],
)
def test_menus_with_streets_that_make_no_sense(menu: str, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        menu_for(menu)


def test_the_default_menu_has_raises_of_two_pots_before_the_flop_only() -> None:
    form = BettingForm(rules_for("100bb"), menu_for(DEFAULT_MENU))
    offered = [
        [int(action.amount or 0) for action in form.actions(form.find(line)) if action.amount]
        for line in ("", "cc/")
    ]
    assert offered == [[4, 6, 10, 200], [2, 4, 198]]


def test_other_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for stack in ("100 chips", "-5bb", "", 1.5):
        with pytest.raises(InvalidOption, match="stack"):
            rules_for(stack)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="offers no bet"):
        menu_for("")
    monkeypatch.setattr(blueprint_material, "available_bytes", lambda: 1_000)
    with pytest.raises(GameTooLarge, match="drop a size of menu, lower cap, or use fewer buckets"):
        train(tmp_path / "bp")
    assert not (tmp_path / "bp").exists()


def test_a_damaged_request_is_refused(tmp_path: Path) -> None:
    train(tmp_path / "bp", iterations=32)
    file = tmp_path / "bp" / "run.json"
    file.write_text(file.read_text().replace('"river": 10', '"river": 11'))
    with pytest.raises(FormatError, match="its training and its fingerprint differ"):
        resume_blueprint(tmp_path / "bp")


def test_a_strategy_survives_the_exchange_layout(tmp_path: Path) -> None:
    train(tmp_path / "bp", iterations=320)
    file = tmp_path / "b.bin"
    write_atomically(file, strategy_chunks(tmp_path / "bp"))
    found = import_blueprint(file, MENU, CARDS, output=tmp_path / "again")
    assert found.to_json() == {
        "run": str(tmp_path / "again"),
        "content": "strategy",
        "iterations": 320,
        "infosets": found.trained.num_infosets,
        "missing": 0,
        "nodes": found.trained.num_nodes,
    }
    ours, theirs = (
        Blueprint(tmp_path / "bp/blueprint.bin"),
        game_runs.load_blueprint(tmp_path / "again"),
    )
    for street in range(4):
        np.testing.assert_array_equal(ours.table(street), theirs.table(street))
    with pytest.raises(RunError, match="no checkpoint to continue from"):
        resume_blueprint(tmp_path / "again", iterations=640)


@pytest.mark.parametrize(
    "options",
    [
        *({"rule": rule} for rule in ("linear", "dcfr+", "rm+", "rm")),
        {"sampling": "chance", "visits": True},
    ],
)
def test_a_checkpoint_of_the_exchange_layout_continues_bit_for_bit(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    whole = train(tmp_path / "whole", iterations=640, seed=3, **options).to_json()
    train(tmp_path / "part", iterations=320, seed=3, **options)
    file = tmp_path / "c.bin"
    write_atomically(file, checkpoint_chunks(tmp_path / "part"))
    found = import_blueprint(file, MENU, CARDS, stack="5bb", output=tmp_path / "again")
    assert found.is_checkpoint
    assert numbers(tmp_path / "again") == numbers(tmp_path / "part")
    write_atomically(tmp_path / "d.bin", checkpoint_chunks(tmp_path / "again"))
    assert (tmp_path / "d.bin").read_bytes() == file.read_bytes()
    resumed = resume_blueprint(tmp_path / "again", iterations=640).to_json()
    assert numbers(tmp_path / "again") == numbers(tmp_path / "whole")
    assert resumed.get("visits") == whole.get("visits")
    curves = [
        [
            row["regret"]
            for row in read_progress(tmp_path / name / "progress.jsonl")
            if row["iteration"] == 640
        ]
        for name in ("again", "whole")
    ]
    assert curves[0] == pytest.approx(curves[1])


@pytest.mark.parametrize(
    ("menu", "cards", "stack", "message"),
    [
        ("0.5, a", CARDS, None, "entry"),
        ("0.5, 1, a", CARDS, None, "entry"),
        ("1, a", CardAbstraction(169, 5, 4, 10), None, "nothing for bucket 4 of street 1"),
        ("1, a", CardAbstraction(169, 3, 4, 10), None, "infosets"),
        ("1, a", CARDS, "6bb", "made for 5bb"),
    ],
)
def test_an_exchange_file_of_another_game_is_refused_and_leaves_nothing(
    tmp_path: Path, menu: str, cards: CardAbstraction, stack: str | None, message: str
) -> None:
    train(tmp_path / "bp", iterations=64)
    file = tmp_path / "b.bin"
    write_atomically(file, strategy_chunks(tmp_path / "bp"))
    with pytest.raises(UntiltError, match=message):
        import_blueprint(file, menu_for(menu, 3), cards, stack=stack, output=tmp_path / "no")
    assert not (tmp_path / "no").exists()


@can_fork
@pytest.mark.parametrize(
    ("options", "moments"),
    [
        ({}, range(12, 90, 7)),
        pytest.param(
            {"rule": "dcfr+", "precision": "bfloat16", "visits": True},
            (21, 40),
            marks=pytest.mark.long,
        ),
        pytest.param({"precision": "float16"}, (21, 40), marks=pytest.mark.long),
        pytest.param({"rule": "rm+", "precision": "sparse"}, (21, 40), marks=pytest.mark.long),
        ({"rule": "rm", "sampling": "chance", "defer_averaging": 100}, (21, 40)),
        pytest.param({"synchronised": False}, (21, 40), marks=pytest.mark.long),
    ],
    ids=lambda each: "-".join(map(str, each.values())) if isinstance(each, dict) else "",
)
def test_a_kill_at_any_file_operation_changes_no_bit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    moments: Sequence[int],
) -> None:
    """Checkpoints are written by a thread, at each progress, while training goes on."""
    save_often(monkeypatch)
    monkeypatch.setattr(recorder, "_MAX_WRITING_SHARE", 1e9)
    whole = train(tmp_path / "whole", iterations=640, **options).to_json()
    num_killed = 0
    for moment in moments:
        folder = tmp_path / f"killed at {moment}"

        def die(count: int, moment: int = moment) -> None:
            if count == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        def work(folder: Path = folder, die: Callable[[int], None] = die) -> None:
            count_file_operations(monkeypatch, die)
            train(folder, iterations=640, **options)

        num_killed += ended(forked(work)) == -signal.SIGKILL
        if not (folder / "run.json").exists():
            continue
        resumed = resume_blueprint(folder).to_json()
        assert numbers(folder) == numbers(tmp_path / "whole")
        assert resumed.get("visits") == whole.get("visits")
        assert not list(folder.glob("*.tmp"))
    assert num_killed > len(moments) // 3


def test_a_disk_that_fills_in_the_background_leaves_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tmp_path / "whole", iterations=640)
    save_often(monkeypatch)
    monkeypatch.setattr(recorder, "_MAX_WRITING_SHARE", 1e9)
    count = 0

    def save(*arguments: Any) -> None:
        nonlocal count
        count += 1
        if count == 3:
            raise StorageError("the disk is full")
        save_checkpoint(*arguments)

    def wait(writer: BackgroundSave) -> bool:
        if writer._thread is not None:
            writer._thread.join()
        return False

    with monkeypatch.context() as patched:
        patched.setattr(background_save, "save_checkpoint", save)
        # Otherwise it depends on the disk how many checkpoints are written at all.
        patched.setattr(BackgroundSave, "is_busy", wait)
        with pytest.raises(StorageError, match="disk is full"):
            train(tmp_path / "full", iterations=640)
    assert count == 3
    resume_blueprint(tmp_path / "full")
    assert numbers(tmp_path / "full") == numbers(tmp_path / "whole")
