"""Strategies on disk, and hand-written ones."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.errors import FormatError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.kinds.strategy_file import read_plain_strategy, read_strategy, write_strategy
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.strategy.strategy import random_profile, uniform_profile
from untilt.games import kuhn, leduc


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="module")
def game() -> CompiledGame:
    return compile(kuhn())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("strategies")


@pytest.mark.parametrize("seed", range(3))
def test_a_strategy_comes_back_to_the_last_bit(folder: Path, seed: int) -> None:
    for made in (compile(kuhn()), compile(leduc())):
        profile = random_profile(made, np.random.default_rng(seed))
        write_strategy(folder / "strategy.bin", profile, made.fingerprint())
        found = read_strategy(folder / "strategy.bin", made)
        for one, other in zip(found.behaviours, profile.behaviours, strict=True):
            assert one.tobytes() == other.tobytes()
        assert found.to_dict() == profile.to_dict()


def test_a_strategy_of_another_game_is_refused(folder: Path, game: CompiledGame) -> None:
    other = compile(leduc())
    write_strategy(folder / "strategy.bin", uniform_profile(other), other.fingerprint())
    with pytest.raises(FormatError, match="is a strategy of another game"):
        read_strategy(folder / "strategy.bin", game)


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays["behaviour_0"].__setitem__(0, 0.5),
        lambda arrays: arrays["behaviour_0"].__setitem__(1, np.nan),
        lambda arrays: arrays["behaviour_0"].__setitem__(1, np.inf),
        lambda arrays: arrays["behaviour_1"].__setitem__(slice(1, 3), (-0.5, 1.5)),
        lambda arrays: arrays["behaviour_1"].__setitem__(-1, 0.4),
        lambda arrays: arrays.pop("behaviour_1"),
        lambda arrays: arrays.update(behaviour_0=np.ones(12)),
        lambda arrays: arrays.update(behaviour_0=np.ones(13, np.float32)),
    ],
)
def test_what_is_no_strategy_is_refused(folder: Path, game: CompiledGame, change: Change) -> None:
    path = folder / "lie.bin"
    write_strategy(path, uniform_profile(game), game.fingerprint())
    container = read_container(path, "strategy", in_memory=True)
    arrays = dict(container.arrays)
    change(arrays)
    write_container(path, "strategy", container.meta, arrays)
    with pytest.raises(FormatError, match=r"lie\.bin is damaged"):
        read_strategy(path, game)


@settings(deadline=None, max_examples=200)
@given(
    at=st.integers(0, 2_000),
    new=st.binary(min_size=1, max_size=20),
    how=st.sampled_from(["flip", "cut", "insert", "append"]),
)
def test_damaged_bytes_give_the_original_or_a_format_error(
    folder: Path, game: CompiledGame, at: int, new: bytes, how: str
) -> None:
    profile = random_profile(game, np.random.default_rng(0))
    path = folder / "fuzz.bin"
    write_strategy(path, profile, game.fingerprint())
    data = path.read_bytes()
    at %= len(data)
    match how:
        case "flip":
            old = data[at : at + len(new)]
            changed = bytes(a ^ b for a, b in zip(old, new, strict=False))
            data = data[:at] + changed + data[at + len(new) :]
        case "cut":
            data = data[:at]
        case "insert":
            data = data[:at] + new + data[at:]
        case _:
            data += new
    path.write_bytes(data)
    try:
        found = read_strategy(path, game)
    except FormatError as error:
        assert str(path) in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert found.to_dict() == profile.to_dict()


def test_a_hand_written_strategy_is_read_bare_or_from_a_result(
    folder: Path, game: CompiledGame
) -> None:
    plain = uniform_profile(game).to_dict()
    path = folder / "plain.json"
    for document in (plain, {"game": "kuhn", "strategy": plain}):
        path.write_text(json.dumps(document))
        assert read_plain_strategy(path) == plain


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.just("strategy"), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=200)
@given(JSON | st.binary(max_size=30))
def test_any_file_is_a_plain_strategy_or_refused(folder: Path, document: Any) -> None:
    path = folder / "any.json"
    path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    try:
        found = read_plain_strategy(path)
    except FormatError as error:
        assert str(path) in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert all(isinstance(actions, dict) for actions in found.values())
