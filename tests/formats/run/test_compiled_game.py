"""Compiled games on disk: they come back as they were, and no lie reaches a kernel."""

import importlib.util
import os
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.reference.games import Matrix

from untilt.errors import FormatError
from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import evaluate
from untilt.formats.base.container import (
    Array,
    container_chunks,
    pack_strings,
    read_container,
    write_container,
)
from untilt.formats.run.compiled_game import read_game, write_game
from untilt.game.compiled import CompiledGame, compile, compile_histories  # noqa: A004
from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree
from untilt.game.protocol import Action
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.strategy.strategy import uniform_profile
from untilt.games import kuhn, leduc
from untilt.solvers.methods import METHODS


class Seen(NamedTuple):
    """An infoset of the two games below."""

    label: str
    legal: tuple[str, ...]
    private: str = ""
    public: str = ""
    line: str = ""

    def actions(self) -> tuple[str, ...]:
        return self.legal

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Odd:
    """A forced move between two real ones, and names that break careless files."""

    moves: tuple[str, ...] = ()

    terminal = property(lambda self: len(self.moves) == 3)
    chance = False
    active = property(lambda self: (0, 1, 1)[len(self.moves)])

    def payoff(self, player: int) -> float:
        value = 1.0 if self.moves[0] == "" else -2.0 + len(self.moves[2])
        return value if player == 0 else -value

    def chances(self) -> list[tuple[str, float]]:
        raise AssertionError("there is no chance")

    def sample(self, rng: object) -> str:
        raise AssertionError("there is no chance")

    def infoset(self, player: int) -> Seen:
        return (
            Seen("", ("", 'β\n"quoted"'), private="♠️", public="\t", line="\0"),
            Seen("forced\n", ("only\x1f",)),
            Seen(f"{self.moves[:1]}'🂡'", ("a\r\n", "a", "\\")),
        )[len(self.moves)]

    def apply(self, action: Action) -> "Odd":
        return Odd((*self.moves, str(action)))


@dataclass(frozen=True)
class Forgetful:
    """Player 0 moves twice and forgets in between what he did first."""

    moves: tuple[str, ...] = ()

    terminal = property(lambda self: len(self.moves) == 2)
    chance = False
    active = 0

    def payoff(self, player: int) -> float:
        value = 1.0 if self.moves[0] == self.moves[1] else -1.0
        return value if player == 0 else -value

    def chances(self) -> list[tuple[str, float]]:
        raise AssertionError("there is no chance")

    def sample(self, rng: object) -> str:
        raise AssertionError("there is no chance")

    def infoset(self, player: int) -> Seen:
        return Seen(str(len(self.moves)), ("left", "right"))

    def apply(self, action: Action) -> "Forgetful":
        return Forgetful((*self.moves, str(action)))


def liars_dice() -> Any:
    path = Path(__file__).parents[3] / "examples" / "liars_dice.py"
    spec = importlib.util.spec_from_file_location("liars_dice", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.game(sides=3)


GAMES: dict[str, Callable[[], CompiledGame]] = {
    "kuhn": lambda: compile(kuhn()),
    "leduc": lambda: compile_histories(leduc()),
    "leduc without histories": lambda: compile(leduc(ranks=13)),
    "liar's dice": lambda: compile(liars_dice()),
    "general-sum": lambda: compile(Matrix(((3.0, 0.0), (5.0, 1.0)), ((3.0, 5.0), (0.0, 1.0)))),
    "imperfect recall": lambda: compile(Forgetful()),
    "odd names": lambda: compile(Odd()),
}


@cache
def compiled(name: str) -> CompiledGame:
    return GAMES[name]()


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("games")


def assert_same_game(found: CompiledGame, expected: CompiledGame) -> None:
    assert found.infosets == expected.infosets
    assert found.forced == expected.forced
    assert list(found.forced) == list(expected.forced)
    for name in ("is_zero_sum", "num_terminals", "recall_error"):
        assert getattr(found, name) == getattr(expected, name)
    assert found.fingerprint() == expected.fingerprint()
    assert list(map(type, found.forms)) == list(map(type, expected.forms))
    assert found.missing == expected.missing
    pairs: list[tuple[Any, Any]] = []
    if found.has(GameTree):
        pairs.append((found.require(GameTree), expected.require(GameTree)))
    if found.has(SequenceForm):
        assert found.exact_form().num_terminals == expected.exact_form().num_terminals
        assert found.exact_form().is_zero_sum == expected.exact_form().is_zero_sum
        assert found.exact_form().infosets == expected.exact_form().infosets
        pairs += zip(found.exact_form().sides, expected.exact_form().sides, strict=True)
    for one, other in pairs:
        for array, wanted in zip(one, other, strict=True):
            assert array.dtype == wanted.dtype
            np.testing.assert_array_equal(array, wanted)
            assert array.flags.c_contiguous


@pytest.mark.parametrize("name", GAMES)
def test_a_game_comes_back_as_it_was(folder: Path, name: str) -> None:
    game = compiled(name)
    path = folder / "game.bin"
    write_game(path, game)
    assert_same_game(read_game(path), game)
    first = path.read_bytes()
    write_game(path, read_game(path))
    assert path.read_bytes() == first


def test_the_games_above_are_what_they_are_for() -> None:
    assert not compiled("imperfect recall").has(SequenceForm)
    assert not compiled("general-sum").is_zero_sum
    assert not compiled("leduc without histories").has(GameTree)
    assert compiled("leduc").has(GameTree)
    assert compiled("odd names").forced == {"forced\n": "only\x1f"}
    assert "" in compiled("odd names").infosets[0].labels


def test_a_label_that_utf8_cannot_hold_is_refused(folder: Path) -> None:
    @dataclass(frozen=True)
    class Surrogate(Forgetful):
        def infoset(self, player: int) -> Seen:
            return Seen("\ud800", ("left", "right"))

    game = compile(Surrogate())
    path = folder / "surrogate.bin"
    with pytest.raises(FormatError, match="cannot be written as UTF-8"):
        write_game(path, game)
    assert not path.exists()


# --- damage: nothing but the original passes the checksums ---

MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "insert", "append", "zero"]),
        st.integers(0, 100_000),
        st.binary(min_size=1, max_size=40),
    ),
    min_size=1,
    max_size=3,
)


def mutated(data: bytes, mutations: list[tuple[str, int, bytes]]) -> bytes:
    for how, where, new in mutations:
        at = where % (len(data) + 1)
        rest = data[at + len(new) :]
        match how:
            case "flip":
                old = data[at : at + len(new)]
                data = data[:at] + bytes(a ^ b for a, b in zip(old, new, strict=False)) + rest
            case "cut":
                data = data[:at]
            case "insert":
                data = data[:at] + new + data[at:]
            case "append":
                data += new
            case _:
                data = data[:at] + bytes(min(len(new), len(data) - at)) + rest
    return data


def read_bytes(folder: Path, data: bytes) -> CompiledGame:
    path = folder / "fuzz.bin"
    path.write_bytes(data)
    return checked_read(path)


def checked_read(path: Path) -> CompiledGame:
    try:
        return read_game(path)
    except FormatError as error:
        assert str(path) in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        assert len(str(error)) < len(str(path)) + 400  # noqa: PT017
        raise


@settings(deadline=None, max_examples=150)
@given(name=st.sampled_from(["kuhn", "imperfect recall", "odd names"]), mutations=MUTATIONS)
def test_damaged_bytes_give_the_original_or_a_format_error(
    folder: Path, name: str, mutations: list[tuple[str, int, bytes]]
) -> None:
    path = folder / "whole.bin"
    write_game(path, compiled(name))
    try:
        found = read_bytes(folder, mutated(path.read_bytes(), mutations))
    except FormatError:
        return
    assert_same_game(found, compiled(name))


# --- lies: the checksums and the fingerprint are right, the content is not ---


def rewritten(
    folder: Path, name: str, change: Callable[[dict[str, Any], dict[str, Array]], None]
) -> Path:
    """Write the game with other content, checksums and, if it gets so far, fingerprint."""
    path = folder / "lie.bin"
    write_game(path, compiled(name))
    container = read_container(path, "game", in_memory=True)
    meta, arrays = dict(container.meta), dict(container.arrays)
    change(meta, arrays)
    write_container(path, "game", meta, arrays)
    return path


def use(game: CompiledGame) -> None:
    """Do what follows the indices of a game, in Python where numpy checks every one."""
    for table in game.infosets:
        assert table.num_sequences == 1 + sum(len(actions) for _, actions in table.items())
    if game.has(GameTree):
        tree = game.require(GameTree)
        for node in range(len(tree.parent)):
            children = range(
                tree.first_child[node], tree.first_child[node] + tree.num_children[node]
            )
            assert all(tree.parent[child] == node for child in children)
            player = int(tree.player[node])
            if player in (0, 1):
                assert len(game.infosets[player].actions(tree.infoset[node])) == len(children)
            else:
                assert player in (CHANCE, TERMINAL)
    if game.has(SequenceForm):
        for player, side in enumerate(game.exact_form().sides):
            assert side.row_start[-1] == len(side.weight) == len(side.payoff)
            assert (np.diff(side.row_start.astype(np.int64)) >= 0).all()
            assert (side.parent_sequence < side.first_sequence[:-1]).all()
            other = game.exact_form().sides[1 - player].num_sequences
            assert (side.opponent_sequence < other).all()
        profile = uniform_profile(game)
        with np.errstate(all="ignore"):
            evaluate(game.exact_form(), profile)
            action_values(game.exact_form(), profile, 0)
            if game.is_zero_sum:
                method = METHODS["cfr+"]
                solver = method.build(game, method.options({}), 5)
                for _ in solver.progress(5):
                    pass


INDICES = st.integers(0, 40) | st.sampled_from(
    [2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, -1, -2, -(2**31)]
)
NAMES = [
    *(
        f"side_{player}.{name}"
        for player in (0, 1)
        for name in ("parent_sequence", "first_sequence", "row_start", "opponent_sequence")
    ),
    *(f"tree.{name}" for name in ("parent", "first_child", "num_children", "player", "infoset")),
    *(f"num_actions_{player}" for player in (0, 1)),
    *(f"{name}_{player}.offsets" for name in ("labels", "actions", "line") for player in (0, 1)),
    "forced_labels.offsets",
]


@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(["kuhn", "imperfect recall", "odd names", "general-sum"]),
    changes=st.lists(
        st.tuples(st.sampled_from(NAMES), st.integers(0, 10_000), INDICES), min_size=1, max_size=3
    ),
    is_resigned=st.booleans(),
)
def test_a_hostile_index_is_refused_or_harmless(
    folder: Path, name: str, changes: list[tuple[str, int, int]], is_resigned: bool
) -> None:
    def change(meta: dict[str, Any], arrays: dict[str, Array]) -> None:
        for array_name, at, value in changes:
            array = arrays.get(array_name)
            if array is not None and len(array):
                bits = 8 * array.itemsize
                wrapped = np.array(value % 2**bits, f"u{array.itemsize}").astype(array.dtype)
                array[at % len(array)] = wrapped

    path = rewritten(folder, name, change)
    with pytest.MonkeyPatch.context() as patch:
        if is_resigned:  # as if the liar had computed the fingerprint, too
            claimed = read_container(path, "game").meta["fingerprint"]
            patch.setattr(CompiledGame, "fingerprint", lambda _: claimed)
        try:
            found = checked_read(path)
        except FormatError:
            return
    use(found)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(["kuhn", "imperfect recall", "odd names"]),
    which=st.integers(0, 100),
    how=st.sampled_from(["drop", "shorten", "lengthen", "empty", "retype", "reshape"]),
)
def test_arrays_of_another_length_or_type_are_refused(
    folder: Path, name: str, which: int, how: str
) -> None:
    def change(_: dict[str, Any], arrays: dict[str, Array]) -> None:
        key = sorted(arrays)[which % len(arrays)]
        array = arrays[key]
        match how:
            case "drop":
                del arrays[key]
            case "shorten":
                arrays[key] = array[:-1]
            case "lengthen":
                arrays[key] = (
                    np.concatenate((array, np.zeros_like(array[:1])))
                    if len(array)
                    else (np.zeros(1, array.dtype))
                )
            case "empty":
                arrays[key] = array[:0]
            case "retype":
                arrays[key] = array.astype(np.float32 if array.dtype != np.float32 else np.int8)
            case _:
                arrays[key] = array[None]

    path = rewritten(folder, name, change)
    try:
        found = checked_read(path)
    except FormatError:
        return
    assert_same_game(found, compiled(name))  # it was empty already


Change = Callable[[dict[str, Any], dict[str, Array]], Any]
LIES: list[tuple[str, Change, str]] = [
    ("kuhn", lambda meta, _: meta.update(num_terminals=0), "contradicts itself"),
    ("kuhn", lambda meta, _: meta.update(recall_error="some"), "contradicts itself"),
    ("kuhn", lambda meta, _: meta.update(has_form=False), "contradicts itself"),
    ("imperfect recall", lambda meta, _: meta.update(has_tree=False), "contradicts itself"),
    ("imperfect recall", lambda meta, _: meta.update(recall_error=None), "contradicts itself"),
    ("kuhn", lambda meta, _: meta.update(is_zero_sum=1), "incomplete"),
    ("kuhn", lambda meta, _: meta.pop("fingerprint"), "incomplete"),
    ("kuhn", lambda meta, _: meta.update(fingerprint="0"), "fingerprint differs"),
    ("kuhn", lambda _, a: a.update(pack_strings("labels_0", ["x"] * 6)), "the same name"),
    ("kuhn", lambda _, a: a.update(pack_strings("actions_0", ["x\n"] * 12)), "the same name"),
    ("kuhn", lambda _, a: a.update(pack_strings("forced_labels", ["x"])), "forced moves lack"),
    ("kuhn", lambda _, a: a["num_actions_0"].__setitem__(0, 1), "do not fit"),
    ("kuhn", lambda _, a: a["num_actions_0"].__setitem__(slice(0, 2), (1, 3)), "fewer than two"),
    ("kuhn", lambda _, a: a["side_0.payoff"].__setitem__(0, np.nan), "form of player 0"),
    ("kuhn", lambda _, a: a["side_1.weight"].__setitem__(0, np.inf), "form of player 1"),
    ("kuhn", lambda _, a: a["side_0.parent_sequence"].__setitem__(0, 1), "form of player 0"),
    ("kuhn", lambda _, a: a["side_0.opponent_sequence"].__setitem__(0, 13), "form of player 0"),
    ("kuhn", lambda _, a: a["side_0.row_start"].__setitem__(-1, 2**32 - 1), "form of player 0"),
    ("kuhn", lambda _, a: a["tree.infoset"].__setitem__(-1, 0), "the tree"),
    ("kuhn", lambda _, a: a["tree.probability"].__setitem__(1, -0.5), "the tree"),
    ("kuhn", lambda _, a: a["tree.probability"].__setitem__(1, 0.5), "the tree"),
    ("kuhn", lambda _, a: a["tree.payoffs"].__setitem__((-1, 0), np.inf), "the tree"),
    ("kuhn", lambda _, a: a["tree.player"].__setitem__(0, 5), "the tree"),
    ("kuhn", lambda _, a: a["tree.num_children"].__setitem__(0, 2**31 - 1), "the tree"),
]


@pytest.mark.parametrize(("name", "change", "complaint"), LIES)
def test_lies_are_named(folder: Path, name: str, change: Change, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        checked_read(rewritten(folder, name, change))


def test_lies_about_lengths_allocate_nothing(folder: Path) -> None:
    def change(_: dict[str, Any], arrays: dict[str, Array]) -> None:
        arrays["tree.num_children"][:] = 2**31 - 1
        arrays["num_actions_0"][:] = 2**32 - 1
        arrays["side_0.row_start"][:] = 2**32 - 1

    path = rewritten(folder, "kuhn", change)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError):
            read_game(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def hollow(folder: Path, name: str, length: int) -> Path:
    """Write a Kuhn game in which a table of strings has `length` offsets, all 0, as a hole."""
    write_game(folder / "whole.bin", compiled("kuhn"))
    container = read_container(folder / "whole.bin", "game", in_memory=True)
    arrays = {**container.arrays, f"{name}.offsets": np.zeros(length, np.int64)}
    arrays[f"{name}.bytes"] = np.zeros(0, np.uint8)
    path = folder / "hollow.bin"
    with path.open("wb") as file:
        for chunk in container_chunks("game", container.meta, arrays):
            data = memoryview(chunk)
            if data.nbytes > 1 << 20:
                file.seek(data.nbytes, os.SEEK_CUR)
            else:
                file.write(data)
        file.truncate(file.tell())
    return path


@pytest.mark.parametrize("name", ["private_0", "labels_1", "actions_0", "forced_labels"])
def test_millions_of_empty_strings_are_refused_before_they_are_made(
    folder: Path, name: str
) -> None:
    path = hollow(folder, name, 2_000_000)
    assert path.stat().st_size > 16_000_000
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"offsets of '.*' do not fit|do not fit"):
            read_game(path)
        # The array itself is read; its strings would take as much again and more.
        assert tracemalloc.get_traced_memory()[1] < 1.5 * path.stat().st_size
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not hasattr(os.stat_result, "st_blocks"), reason="holes cannot be seen")
def test_a_file_of_holes_is_not_read_at_all(folder: Path) -> None:
    path = hollow(folder, "private_0", 10_000_000)
    if 512 * path.stat().st_blocks > path.stat().st_size // 1024:
        pytest.skip("the file system has no holes")
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="larger than what the disk holds of it"):
            read_game(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
