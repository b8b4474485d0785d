"""Folders of hands: every hand once, found by filters, whatever happens to the writer."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.hands.simulated import ggpoker_text, pokerstars_text, simulate

import untilt
from untilt.errors import FormatError, InvalidOption, RunError, UnknownName, UntiltError
from untilt.formats.base.container import read_container, write_container
from untilt.hands.hand import STREET_NAMES, RecordedHand
from untilt.hands.reading import read
from untilt.hands.store import hand_file
from untilt.hands.store.filters import Filter
from untilt.hands.store.hand_codec import decoded, encoded
from untilt.hands.store.hand_store import Adding, HandStore
from untilt.hands.store.importing import import_hands

EXAMPLES = Path(__file__).parents[2] / "examples" / "hands"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of 300 hands of two sites."""
    folder = tmp_path_factory.mktemp("texts")
    hands = [simulate(seed) for seed in range(300)]
    (folder / "stars.txt").write_text("".join(map(pokerstars_text, hands[:200])), "utf-8")
    (folder / "below").mkdir()
    (folder / "below" / "gg.txt").write_text("".join(map(ggpoker_text, hands[200:])), "utf-8")
    return folder


@pytest.fixture(scope="module")
def store(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> HandStore:
    folder = tmp_path_factory.mktemp("stores") / "hands"
    import_hands(texts, folder)
    return HandStore(folder)


def hands_in(store: HandStore) -> list[RecordedHand]:
    return [found.hand for found in HandStore(store.folder).hands()]


def test_a_hand_is_stored_as_it_was_read(texts: Path, store: HandStore) -> None:
    assert sorted(hands_in(store), key=repr) == sorted(read(texts), key=repr)
    for hand in read(EXAMPLES):
        assert decoded(encoded(hand)) == hand
        assert decoded(encoded(hand)).row == hand.row


def test_hands_that_are_imported_again_are_known(texts: Path, tmp_path: Path) -> None:
    first = import_hands(texts / "stars.txt", tmp_path / "hands")
    again = import_hands(texts, tmp_path / "hands")
    assert (first.imported, first.known) == (200, 0)
    assert (again.imported, again.known) == (100, 200)
    assert len(hands_in(HandStore(tmp_path / "hands"))) == 300
    assert import_hands(texts, tmp_path / "hands").imported == 0
    assert len(list((tmp_path / "hands").glob("*.hands"))) == 2


def test_hands_of_matches_with_the_same_numbers_are_all_kept(tmp_path: Path) -> None:
    first = "STATE:0:cr300f:AhKd|QsJc:100|-100:Ann|Bob\n"
    second = "STATE:0:cr300f:AhKc|QsJc:100|-100:Ann|Bob\n"
    (tmp_path / "one.log").write_text(first)
    (tmp_path / "two.log").write_text(first + second)
    found = import_hands([tmp_path / "one.log", tmp_path / "two.log"], tmp_path / "hands")
    assert (found.imported, found.known) == (2, 1)


def test_an_exported_hand_is_known_when_it_comes_back(store: HandStore, tmp_path: Path) -> None:
    from untilt.hands.store.exporting import phhs_chunks

    (tmp_path / "all.phhs").write_bytes(b"".join(phhs_chunks(hands_in(store))))
    assert import_hands(tmp_path / "all.phhs", store.folder).known == 300


def test_what_cannot_be_read_is_listed_and_the_rest_imported(texts: Path, tmp_path: Path) -> None:
    text = (texts / "stars.txt").read_text("utf-8")
    (tmp_path / "cut.txt").write_text(text[:-700], "utf-8")
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\0\0\0\1" * 100)
    found = import_hands(tmp_path, tmp_path / "hands")
    assert found.imported == 199
    assert [Path(each.file).name for each in found.unreadable] == ["cut.txt", "picture.txt"]
    assert found.unreadable[0].line > 1
    assert found.unreadable[1].reason == "it is a binary file, not text"


def by_hand(hand: RecordedHand, wanted: Filter) -> bool:
    """Whether a hand is wanted, decided from the hand itself."""
    if wanted.player is not None and wanted.player not in hand.players:
        return False
    if wanted.pot is not None and not hand.pot > float(wanted.pot.strip(">b")) * hand.big_blind:
        return False
    if wanted.street is not None and len(hand.streets) <= STREET_NAMES.index(wanted.street):
        return False
    if wanted.line is None:
        return True
    words = {"check": "x", "bet": "b", "call": "c", "fold": "f", "raise": "r"}
    asked = [words.get(word.strip(), "?") for word in wanted.line.split(",")]
    streets = [
        [action.move.value for action in street]
        for name, street in zip(STREET_NAMES, hand.streets, strict=False)
        if wanted.street in (None, name)
    ]
    return any(
        len(street) >= len(asked)
        and all(want in ("?", have) for want, have in zip(asked, street, strict=False))
        for street in streets
    )


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(),
        Filter(pot=">20bb"),
        Filter(street="river"),
        Filter(street="flop", line="check, bet"),
        Filter(line="check, bet, ?"),
        Filter(line="fold, fold"),
        Filter(pot=">5", street="turn", line="?, ?"),
    ],
)
def test_filters_find_what_a_look_at_every_hand_finds(store: HandStore, wanted: Filter) -> None:
    expected = [hand for hand in hands_in(store) if by_hand(hand, wanted)]
    assert [found.hand for found in store.hands(wanted)] == expected
    assert expected
    names = {name for hand in expected for name in hand.players}
    player = min(names)
    of_player = replace(wanted, player=player)
    found = list(store.hands(of_player))
    assert [each.hand for each in found] == [hand for hand in expected if player in hand.players]
    assert all(each.hand.players[each.player or 0] == player for each in found)


def test_me_is_whose_cards_the_record_shows(store: HandStore) -> None:
    found = list(store.hands(Filter(player="me")))
    assert found
    assert all(each.player == each.hand.hero for each in found)


def test_pots_are_compared_as_asked(store: HandStore) -> None:
    pots = [hand.pot / hand.big_blind for hand in hands_in(store)]
    some = pots[0]
    for text, expected in (
        (f"={some:.4f}", [pot for pot in pots if abs(pot - some) < 2e-4]),
        ("3-9bb", [pot for pot in pots if 3 <= pot <= 9]),
        ("<= 9", [pot for pot in pots if pot <= 9]),
    ):
        found = [each.hand.pot / each.hand.big_blind for each in store.hands(Filter(pot=text))]
        assert found == expected


def test_a_player_who_never_appears_has_nearest_names(store: HandStore) -> None:
    name = sorted(store.names)[0]
    with pytest.raises(
        InvalidOption, match=f"none of the 300 hands; the nearest names are.*{re.escape(name)}"
    ):
        list(store.hands(Filter(player=name[:-1] + "_")))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"pot": "many"}, "give big blinds"),
        ({"street": "showdown"}, "unknown street"),
        ({"line": "check, jump"}, "unknown action in a line"),
        ({"line": "?, " * 50 + "?"}, "at most 40"),
    ],
)
def test_filters_that_cannot_be_understood_are_refused(wrong: dict[str, str], error: str) -> None:
    with pytest.raises((InvalidOption, UnknownName), match=error):
        Filter(**wrong)


def test_a_writer_that_is_killed_loses_and_doubles_nothing(texts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    code = (
        "import sys; from untilt.hands.store import hand_file, hand_store\n"
        "hand_store.MOST_HANDS = 20\n"
        "from untilt.hands.store.importing import import_hands\n"
        f"import_hands({str(texts)!r}, {str(folder)!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    while process.poll() is None and len(list(folder.glob("*.hands"))) < 3:
        time.sleep(0.001)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = len(hands_in(HandStore(folder)))
    assert before % 20 == 0
    found = import_hands(texts, folder)
    assert (found.imported, found.known) == (300 - before, before)
    hands = hands_in(HandStore(folder))
    assert len(hands) == len({hand_file.key_of(hand) for hand in hands}) == 300


def test_hands_are_written_before_an_error_leaves_the_import(texts: Path, tmp_path: Path) -> None:
    store = HandStore.create(tmp_path / "hands")
    hands = list(read(texts / "stars.txt"))[:7]

    def interrupted() -> None:
        with Adding(store) as adding:
            for hand in hands:
                adding.add(hand)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert hands_in(store) == hands


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    store = HandStore.create(tmp_path / "hands")
    with Adding(store), pytest.raises(RunError, match="is being written"), Adding(store):
        pass


def test_any_changed_byte_of_a_file_is_noticed(store: HandStore, tmp_path: Path) -> None:
    [path] = store.folder.glob("*.hands")
    data = path.read_bytes()
    copy = HandStore.create(tmp_path / "copy")
    target = copy.folder / path.name
    for place in range(11, len(data), len(data) // 150):
        damaged = bytearray(data)
        damaged[place] ^= 0x20
        target.write_bytes(damaged)
        with pytest.raises(FormatError):
            hands_in(copy)
    for length in (0, 40, len(data) // 2, len(data) - 1):
        target.write_bytes(data[:length])
        with pytest.raises(FormatError):
            hands_in(copy)


@pytest.mark.parametrize(
    "text", ["", "[]", "[1]", "{}", "null", "[[[[", '["a","b"]', "1e999", "[" * 100_000]
)
def test_a_stored_hand_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="a stored hand cannot be read"):
        decoded(text)


def test_a_stored_hand_with_impossible_fields_is_refused(store: HandStore) -> None:
    fields = json.loads(encoded(next(store.hands()).hand))
    assert decoded(json.dumps(fields)) == next(store.hands()).hand
    changes: list[tuple[int, Any]] = [
        (2, "N9T"),
        (2, "FT"),
        *((8, sizes) for sizes in ([], [2, 4], [0], [2.0])),
        *((9, streets) for streets in (5, [], [None], ["0f0"] * 5, ["0b-5"])),
        (9, ["0b" + "9" * 400]),
        (10, fields[10][:-1]),
        (11, list(range(6))),
        (14, 10**400),
        (15, True),
        *((17, hero) for hero in (0.5, True, -1)),
        *((22, row) for row in (float("inf"), "1", None)),
    ]
    for place, value in changes:
        text = json.dumps([*fields[:place], value, *fields[place + 1 :]])
        with pytest.raises(FormatError, match="a stored hand cannot be read"):
            decoded(text)


def test_a_folder_of_format_1_is_read_and_kept_up(texts: Path, tmp_path: Path) -> None:
    import_hands(texts, tmp_path / "hands")
    note = tmp_path / "hands" / "hands.json"
    note.write_text('{"format": 1, "kind": "hands"}', "utf-8")
    before = hands_in(HandStore(tmp_path / "hands"))
    assert before
    assert import_hands(texts, tmp_path / "hands").imported == 0
    assert json.loads(note.read_text("utf-8"))["format"] == 2
    assert hands_in(HandStore(tmp_path / "hands")) == before


def test_a_hand_has_as_many_players_as_its_file_says(store: HandStore, tmp_path: Path) -> None:
    [path] = store.folder.glob("*.hands")
    found = read_container(path, hand_file.KIND, in_memory=True)
    counts = found.arrays["counts"].copy()
    one, other = (int(np.flatnonzero(counts == count)[0]) for count in (counts.min(), counts.max()))
    counts[one], counts[other] = counts[other], counts[one]
    copy = HandStore.create(tmp_path / "copy")
    arrays = {**found.arrays, "counts": counts}
    write_container(copy.folder / path.name, hand_file.KIND, found.meta, arrays)
    with pytest.raises(FormatError, match=rf"the players of hand {min(one, other) + 1}"):
        hands_in(copy)


def test_folders_of_something_else_are_left_alone(tmp_path: Path, store: HandStore) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InvalidOption, match="choose a new folder"):
        HandStore.create(tmp_path)
    with pytest.raises(RunError, match="untilt hands import"):
        HandStore(tmp_path)
    with pytest.raises(InvalidOption, match="is a folder of imported hands"):
        import_hands(store.folder, tmp_path / "more")
    (tmp_path / "hands.json").write_text('{"kind": "hands", "format": 9}')
    with pytest.raises(FormatError, match="update untilt"):
        HandStore(tmp_path)


def test_hands_are_found_from_python(store: HandStore) -> None:
    pytest.importorskip("pandas")
    frame = untilt.hands.find(store.folder, player="me", street="river").to_frame()
    assert set(frame["player"][frame["is_hero"]]) <= store.names
    with pytest.raises(UntiltError, match="takes part in none"):
        list(untilt.hands.find(store.folder, player="Nobody at all"))
