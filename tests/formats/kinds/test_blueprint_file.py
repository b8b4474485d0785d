"""Blueprints in files: bytes that sum to 255, checked before they are used."""

from pathlib import Path

import numpy as np
import pytest
from tests.solvers.blueprint.leduc import LeducDealer, leduc_tree

from untilt.errors import FormatError
from untilt.formats.base.container import read_container, write_container
from untilt.formats.kinds.blueprint_file import (
    _sums_to_whole,
    open_blueprint,
    read_blueprint,
    write_blueprint,
)
from untilt.game.deals.deal_tree import DECISION
from untilt.numeric.byte_shares import WHOLE
from untilt.solvers.blueprint.rule import RULES
from untilt.solvers.blueprint.trainer import Trainer

TREE, _ = leduc_tree()


@pytest.fixture(scope="module")
def averages() -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    learner = Trainer(TREE, LeducDealer(1), RULES["linear"], batch=32)
    learner.train(320)
    return list(learner.averages())


@pytest.fixture
def path(tmp_path: Path, averages: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]) -> Path:
    write_blueprint(tmp_path / "b.bin", {"menu": "x"}, TREE, (3, 9), averages)
    return tmp_path / "b.bin"


def test_every_row_is_within_a_byte_of_the_strategy(
    path: Path, averages: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]
) -> None:
    stored = read_blueprint(path)
    assert stored.meta["menu"] == "x"
    assert stored.num_buckets == (3, 9)
    np.testing.assert_array_equal(stored.tree.nodes, TREE.nodes)
    for index in np.flatnonzero(TREE.nodes["kind"] == DECISION):
        node = TREE.nodes[index]
        street, row, count = int(node["street"]), int(node["row"]), int(node["num_actions"])
        whole = stored.rows(int(index))
        np.testing.assert_allclose(whole.sum(axis=1), 1.0, atol=1e-12)
        exact = averages[street][:, row : row + count]
        assert np.max(np.abs(whole - exact)) < 1.0 / WHOLE
        for bucket in range((3, 9)[street]):
            np.testing.assert_array_equal(stored.row(int(index), bucket), whole[bucket])


@pytest.mark.parametrize("street", [0, 1])
def test_a_part_of_a_table_is_sound_if_all_infosets_that_begin_in_it_are(street: int) -> None:
    starts, _ = (each.astype(int) for each in TREE.rows_of(street))
    width, buckets = int(TREE.widths[street]), 4
    table = np.zeros((buckets, width), np.uint8)
    table[:, starts] = WHOLE
    flat, is_sound = table.ravel(), _sums_to_whole(TREE, street)
    begins = np.add.outer(width * np.arange(buckets), starts).ravel()
    rng = np.random.default_rng(street)
    for _ in range(200):
        place = int(rng.integers(len(flat)))
        damaged = flat.copy()
        damaged[place] ^= 1
        start, stop = sorted(rng.integers(0, len(flat) + 1, 2).tolist())
        begin = begins[begins <= place].max()
        assert is_sound(flat, start, stop)
        assert is_sound(damaged, start, stop) == (not start <= begin < stop)


def test_two_wrong_infosets_do_not_make_up_for_each_other() -> None:
    starts, _ = (each.astype(int) for each in TREE.rows_of(0))
    table = np.zeros(int(TREE.widths[0]), np.uint8)
    table[starts] = WHOLE
    table[starts[1]] -= 1
    table[starts[1] - 1] += 1
    assert not _sums_to_whole(TREE, 0)(table, 0, len(table))


def test_the_fast_reader_gives_the_same_rows(path: Path) -> None:
    stored = read_blueprint(path)
    reader = stored.reader()
    pairs = [
        (int(node), bucket)
        for node in np.flatnonzero(TREE.nodes["kind"] == DECISION)
        for bucket in range((3, 9)[TREE.nodes[node]["street"]])
    ]
    nodes, buckets = (np.array(column, np.uint32) for column in zip(*pairs, strict=True))
    many = reader.look_up(nodes, buckets)
    for (node, bucket), found in zip(pairs, many, strict=True):
        row = stored.row(node, bucket).tolist()
        assert reader.row(node, bucket) == row
        np.testing.assert_allclose(found, [*row, *[0.0] * (len(found) - len(row))], atol=1e-7)


def test_a_file_that_is_replaced_after_opening_is_read_as_it_was(
    path: Path, averages: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]
) -> None:
    opened = open_blueprint(path)
    expected = read_blueprint(path).table(0)
    others = [average[::-1].copy() for average in averages]
    write_blueprint(path, {"menu": "y"}, TREE, (3, 9), others)
    np.testing.assert_array_equal(opened.table(0), expected)
    assert open_blueprint(path).meta["menu"] == "y"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1.0, 0.0, 0.0], [255, 0, 0]),
        ([1 / 3, 1 / 3, 1 / 3], [85, 85, 85]),
        ([0.5, 0.25, 0.25], [127, 64, 64]),
        ([0.998, 0.001, 0.001], [255, 0, 0]),
        ([0.0, 0.9999999, 1e-7], [0, 255, 0]),
    ],
)
def test_largest_remainders(tmp_path: Path, row: list[float], expected: list[int]) -> None:
    averages = [np.zeros((1, int(width)), np.float32) for width in TREE.widths]
    for street in (0, 1):
        for begin, count in zip(*map(np.ndarray.tolist, TREE.rows_of(street)), strict=True):
            averages[street][0, begin : begin + count] = [1.0] + [0.0] * (count - 1)
    index = next(i for i, node in enumerate(TREE.nodes) if node["num_actions"] == 3)
    begin = int(TREE.nodes[index]["row"])
    averages[0][0, begin : begin + 3] = row
    write_blueprint(tmp_path / "b.bin", {}, TREE, (1, 1), averages)
    found = read_blueprint(tmp_path / "b.bin").row(index, 0) * WHOLE
    assert found.round().astype(int).tolist() == expected


def use_all(path: Path) -> None:
    for strategy in read_blueprint(path).strategies:
        strategy[:]


def test_any_changed_byte_is_noticed(path: Path) -> None:
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.choice(len(data), 300, replace=False).tolist():
        changed = bytearray(data)
        changed[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        with pytest.raises(FormatError):
            use_all(path)
    for length in rng.integers(0, len(data), 50).tolist():
        path.write_bytes(data[:length])
        with pytest.raises(FormatError):
            read_blueprint(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nodes.first_child", 10_000),
        ("nodes.row", 5),
        ("nodes.kind", 7),
        ("nodes.street", 200),
        ("nodes.num_actions", 0),
        ("nodes.player", 2),
        ("nodes.stake", np.nan),
    ],
)
def test_a_tree_that_contradicts_itself_is_refused(path: Path, name: str, value: float) -> None:
    container = read_container(path, "blueprint")
    arrays = {each: array.copy() for each, array in container.arrays.items()}
    arrays[name][1] = value
    write_container(path, "blueprint", container.meta, arrays)
    with pytest.raises(FormatError):
        read_blueprint(path)


@pytest.mark.parametrize("num_buckets", [None, [3], [3, 0], [3, True], [4, 9], [3, 1 << 40]])
def test_numbers_of_buckets_must_fit(path: Path, num_buckets: object) -> None:
    container = read_container(path, "blueprint")
    meta = {**container.meta, "num_buckets": num_buckets}
    write_container(path, "blueprint", meta, container.arrays)
    with pytest.raises(FormatError):
        read_blueprint(path)
