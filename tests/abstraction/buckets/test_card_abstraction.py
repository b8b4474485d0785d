"""Looking hands up, and tables on disk. The tables are made up; long tests build real ones."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.abstraction.buckets.tables import made_up, scattered, store_made_up, stored
from tests.reference import buckets as reference

import untilt
from untilt.abstraction.buckets.board_rows import NUM_ROWS, boards_of
from untilt.abstraction.buckets.recipe import FLOP, PREFLOP, RIVER, BucketRecipe
from untilt.abstraction.buckets.store import BucketsWarning, obtain, path_of, read_table
from untilt.abstraction.buckets.streets import StreetBuilder, StreetTable
from untilt.abstraction.buckets.texture import FEATURES, textures_of
from untilt.cards import DECK, card_name, equity, parse_cards
from untilt.cards.card import cards_of
from untilt.cards.combos import COMBO_CARDS, COMBO_OF_CARDS, class_index
from untilt.cards.suits import RENAMINGS
from untilt.errors import FormatError, UntiltError

__all__ = ["stored"]  # a fixture


@pytest.fixture
def cards(stored: Path) -> untilt.abstraction.CardAbstraction:
    return untilt.abstraction.CardAbstraction(flop=200, turn=100, river=50, threads=1)


def random_deals(count: int, num_hands: int, seed: int) -> tuple[list[list[int]], list[list[int]]]:
    rng = np.random.default_rng(seed)
    dealt = [rng.permutation(DECK)[: 5 + 2 * num_hands].tolist() for _ in range(count)]
    return [cards[:5] for cards in dealt], [cards[5:] for cards in dealt]


class TestLookingUp:
    def test_before_the_flop_buckets_are_classes_in_the_order_of_the_grid(
        self, cards: untilt.abstraction.CardAbstraction
    ) -> None:
        assert cards.bucket("AsAh") == class_index("AA") == 0
        assert cards.bucket("KhAs") == cards.bucket("AsKh") == class_index("AKo")
        assert cards.bucket("2c2d") == 168
        assert len(set(cards.buckets_on("").tolist())) == 169

    def test_river_buckets_are_equal_parts_of_the_equity(
        self, cards: untilt.abstraction.CardAbstraction
    ) -> None:
        for hand in ("AsKh", "Jd8d", "2c2d", "3c4c"):
            exact = equity(hand, "random", board="Td9d6hQc2s").equities[0]
            assert cards.bucket(hand, "Td9d6hQc2s") == min(int(exact * 50 + 1e-9), 49)
        assert cards.bucket("AsKs", "QsJsTs2d3c") == 49

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
    @given(st.permutations(DECK), st.sampled_from([3, 4, 5]), st.sampled_from(RENAMINGS))
    def test_names_of_suits_and_the_order_of_cards_do_not_matter(
        self,
        cards: untilt.abstraction.CardAbstraction,
        deck: list[int],
        size: int,
        renaming: tuple[int, ...],
    ) -> None:
        other = [card & 15 | renaming[card >> 4] << 4 for card in deck[: size + 2]]
        found = cards.bucket(deck[size : size + 2], deck[:size])
        assert found == cards.bucket(other[size:][::-1], other[:size][::-1])

    def test_one_hand_a_whole_board_and_many_deals_agree(
        self, cards: untilt.abstraction.CardAbstraction
    ) -> None:
        boards, hands = random_deals(40, 3, 1)
        given_hands = np.array(hands, dtype=np.uint8).reshape(40, 3, 2)
        found = cards.deals(np.array(boards, dtype=np.uint8), given_hands)
        for deal, (board, held) in enumerate(zip(boards, hands, strict=True)):
            for street, size in enumerate((0, 3, 4, 5)):
                on_board = cards.buckets_on(board[:size])
                for number in range(3):
                    hand = held[2 * number : 2 * number + 2]
                    bucket = cards.bucket(hand, board[:size])
                    assert bucket == on_board[COMBO_OF_CARDS[hand[0], hand[1]]]
                    assert bucket == found[deal, street, number]

    def test_a_board_excludes_the_hands_that_hold_its_cards(
        self, cards: untilt.abstraction.CardAbstraction
    ) -> None:
        for board in ("Td9d6h", "Td9d6hQc", "Td9d6hQc2s"):
            held = np.isin(COMBO_CARDS, parse_cards(board)).any(axis=1)
            assert ((cards.buckets_on(board) == -1) == held).all()

    def test_sizes_and_fingerprints_follow_the_parameters(self) -> None:
        plain = untilt.abstraction.CardAbstraction(flop=200, turn=100, river=50)
        assert plain.sizes == {"preflop": 169, "flop": 200, "turn": 100, "river": 50}
        same = untilt.abstraction.CardAbstraction(**plain.parameters)
        assert same.fingerprint == plain.fingerprint
        others: list[dict[str, Any]] = [
            {"flop": 201},
            {"river": 51},
            {"seed": 1},
            {"bins": 50},
            {"texture": "river"},
        ]
        prints = {
            untilt.abstraction.CardAbstraction(**{**plain.parameters, **other}).fingerprint
            for other in others
        }
        assert len(prints | {plain.fingerprint}) == len(others) + 1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"flop": 0}, "flop is 0; use an integer from 1 to 65,536"),
            ({"preflop": 170}, "preflop is 170; use an integer from 1 to 169"),
            ({"river": 1982}, "river is 1982; use an integer from 1 to 1,981"),
            ({"turn": 2.5}, "turn is 2.5; use an integer"),
            ({"turn": True}, "turn is True; use an integer"),
            ({"bins": 1}, "bins is 1; use an integer from 2 to 250"),
            ({"iterations": 0}, "iterations is 0"),
            ({"texture": "rivr"}, "unknown street with a board 'rivr': did you mean 'river'?"),
            ({"texture": "preflop"}, "unknown street with a board 'preflop'"),
            ({"features": "suit"}, "unknown feature of the board 'suit': did you mean 'suits'?"),
            ({"threads": 0}, "threads is 0"),
            (
                {"turn": 65_000, "texture": "turn"},
                "buckets on the turn; use fewer than 65,536: fewer turn or features",
            ),
        ],
    )
    def test_wrong_parameters_are_refused(self, options: dict[str, object], message: str) -> None:
        with pytest.raises(UntiltError) as error:
            untilt.abstraction.CardAbstraction(**options)  # type: ignore[arg-type]
        assert message in str(error.value)

    @pytest.mark.parametrize(
        ("hand", "board", "message"),
        [
            ("As", "", "a hand has 1 cards: give two"),
            ("AsKh", "Td9d", "the board has 2 cards: give 0, 3, 4 or 5"),
            ("AsKh", "AsTd9d", "As appears twice"),
            ("AsKx", "", "a suit is one of cdhs"),
            ([1, 99], "", "99 is not a card"),
            (7, "", "give text, such as 'AsKh', or integers"),
        ],
    )
    def test_wrong_cards_are_refused(self, hand: object, board: str, message: str) -> None:
        with pytest.raises(UntiltError) as error:
            untilt.abstraction.CardAbstraction().bucket(hand, board)  # type: ignore[arg-type]
        assert message in str(error.value)


class TestTexture:
    @pytest.mark.usefixtures("stored")
    def test_textures_divide_the_buckets_of_a_street(self) -> None:
        options: dict[str, Any] = {"flop": 9, "turn": 100, "river": 40}
        plain = untilt.abstraction.CardAbstraction(**options)
        divided = untilt.abstraction.CardAbstraction(**options, texture="flop,river")
        assert divided.sizes["turn"] == 100
        assert divided.sizes["flop"] == 9 * len(textures_of(FLOP, FEATURES).names)
        assert divided.sizes["river"] % 40 == 0
        assert divided.sizes["river"] // 40 == len(textures_of(RIVER, FEATURES).names)
        boards, hands = random_deals(60, 2, 2)
        given_hands = np.array(hands, dtype=np.uint8).reshape(60, 2, 2)
        found = divided.deals(np.array(boards, dtype=np.uint8), given_hands)
        for number, (board, held) in enumerate(zip(boards, hands, strict=True)):
            hand = held[:2]
            for size, count in ((3, 9), (4, 100), (5, 40)):
                bucket = divided.bucket(hand, board[:size])
                assert bucket % count == plain.bucket(hand, board[:size])
                assert bucket == found[number, size - 2, 0]
                on_board = divided.buckets_on(board[:size])
                assert bucket == on_board[COMBO_OF_CARDS[hand[0], hand[1]]]

    @pytest.mark.parametrize("size", [3, 4, 5])
    def test_textures_are_levels_of_the_features(self, size: int) -> None:
        found = textures_of(size, FEATURES)
        for row in range(0, NUM_ROWS[size], NUM_ROWS[size] // 200):
            board = [card_name(card) for card in cards_of(int(boards_of(size).masks[row]))]
            suits, more, straight = reference.texture(board)
            levels = (
                {3: suits - 1, 4: min(suits - 1, 2), 5: min(max(suits - 2, 0), 2)}[size],
                min(more, 2),
                {3: straight - 1, 4: max(straight - 2, 0), 5: min(max(straight - 2, 0), 2)}[size],
            )
            name = ", ".join(f"{f} {level}" for f, level in zip(FEATURES, levels, strict=True))
            assert found.names[found.of_row[row]] == name
        assert set(found.of_row.tolist()) == set(range(len(found.names)))


class TestFiles:
    def test_a_table_comes_back_as_it_was(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        store_made_up(monkeypatch, tmp_path, preflop=8, flop=300)
        for recipe in (BucketRecipe(PREFLOP, 8), BucketRecipe(FLOP, 300)):
            table = read_table(path_of(recipe), recipe)
            assert table.recipe == recipe
            assert np.array_equal(table.buckets, scattered(recipe.street, recipe.buckets))
            assert table.spread == pytest.approx(100 / 255 / 64)
            # A kernel must not see the difference between a file and memory.
            assert type(table.buckets) is np.ndarray
            assert table.buckets.flags.writeable

    def test_changing_a_table_in_memory_does_not_change_the_file(
        self, cards: untilt.abstraction.CardAbstraction
    ) -> None:
        table = cards.table("flop")
        before = path_of(table.recipe).read_bytes()
        table.buckets[0, 0] ^= 1
        assert path_of(table.recipe).read_bytes() == before

    @pytest.mark.parametrize("place", [4, 40, 200, 5000, -100_000, -1])
    def test_a_damaged_table_is_built_again_with_a_message(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: int
    ) -> None:
        store_made_up(monkeypatch, tmp_path, flop=20)
        recipe = BucketRecipe(FLOP, 20)
        path = path_of(recipe)
        content = bytearray(path.read_bytes())
        whole = bytes(content)
        content[place] ^= 0x10
        path.write_bytes(content)
        with pytest.warns(BucketsWarning, match="the table is built again"):
            table = obtain(recipe, builder_of_made_up())
        assert np.array_equal(table.buckets, scattered(FLOP, 20))
        assert path.read_bytes() == whole

    @pytest.mark.parametrize("length", [0, 47, 1000, 2_000_000])
    def test_a_truncated_table_is_built_again_with_a_message(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, length: int
    ) -> None:
        store_made_up(monkeypatch, tmp_path, flop=20)
        path = path_of(BucketRecipe(FLOP, 20))
        os.truncate(path, length)
        with pytest.warns(BucketsWarning, match="the table is built again"):
            obtain(BucketRecipe(FLOP, 20), builder_of_made_up())

    def test_a_table_of_other_parameters_is_not_used(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        store_made_up(monkeypatch, tmp_path, flop=20)
        other = BucketRecipe(FLOP, 20, seed=5)
        path_of(BucketRecipe(FLOP, 20)).rename(path_of(other))
        with pytest.raises(FormatError, match="other parameters than its name says"):
            read_table(path_of(other), other)

    def test_without_a_writable_folder_tables_are_not_kept(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        in_the_way = tmp_path / "file"
        in_the_way.write_text("")
        monkeypatch.setenv("UNTILT_CACHE_DIR", str(in_the_way))
        with pytest.warns(BucketsWarning, match="the table is not kept; set UNTILT_CACHE_DIR"):
            table = obtain(BucketRecipe(FLOP, 20), builder_of_made_up())
        assert np.array_equal(table.buckets, scattered(FLOP, 20))

    def test_an_interrupted_build_leaves_no_file(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))

        def interrupt(stage: str, share: float) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            untilt.abstraction.CardAbstraction(threads=1, watcher=interrupt).build()
        assert not list(tmp_path.rglob("*.bin"))
        assert not list(tmp_path.rglob("*.tmp"))

    def test_a_disk_that_fills_leaves_no_file(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))

        def fail(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.warns(BucketsWarning, match="the disk is full.*; the table is not kept"):
            obtain(BucketRecipe(FLOP, 20), builder_of_made_up())
        assert not list((tmp_path / "buckets").iterdir())


class Remembering(StreetBuilder):
    """Builds made-up tables."""

    def build(self, recipe: BucketRecipe) -> StreetTable:
        return made_up(recipe)


def builder_of_made_up() -> StreetBuilder:
    return Remembering()
