"""Observed play in CSV files: what is counted, and what is refused by row."""

from pathlib import Path

import numpy as np
import pytest
from tests.game.trees import FORCED

from untilt.errors import FormatError, InvalidOption
from untilt.formats.exchange.observations import ObservationColumns, read_observations
from untilt.game.compiled import CompiledGame, compile, compile_histories  # noqa: A004
from untilt.games import kuhn, leduc


@pytest.fixture(scope="module")
def game() -> CompiledGame:
    return compile_histories(kuhn())


@pytest.fixture(scope="module")
def leduc_game() -> CompiledGame:
    return compile_histories(leduc())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "seen.csv"


def seen(game: CompiledGame, file: Path, text: str) -> dict[str, dict[str, int]]:
    """Return the counts by name, without zeros."""
    file.write_text(text, encoding="utf-8")
    counts = iter(read_observations(file, game).counts.tolist())
    named = {
        label: {action: int(next(counts)) for action in actions}
        for table in game.infosets
        for label, actions in table.items()
    }
    found = {
        label: {action: count for action, count in actions.items() if count}
        for label, actions in named.items()
    }
    return {label: actions for label, actions in found.items() if actions}


def test_counts_are_summed_per_infoset_and_action(game: CompiledGame, file: Path) -> None:
    text = "infoset,action,count\nP0:J:,bet,3\nP1:K:cb,check,1\n"
    with pytest.raises(FormatError, match="row 3: the game has no infoset 'P1:K:cb'"):
        seen(game, file, text)
    text = "infoset, action ,count\nP0:J:,bet,3\n\nP1:K:b,call,1_000\nP0:J:,bet,2\n"
    assert seen(game, file, text) == {"P0:J:": {"bet": 5}, "P1:K:b": {"call": 1000}}


def test_a_hand_counts_each_decision_of_both_players(game: CompiledGame, file: Path) -> None:
    found = seen(game, file, "p0,p1,public,line\nJ,Q,,cbf\nJ,Q,,cbf\nK,J,,bf\n")
    assert found == {
        "P0:J:": {"check": 2},
        "P1:Q:c": {"bet": 2},
        "P0:J:cb": {"fold": 2},
        "P0:K:": {"bet": 1},
        "P1:J:b": {"fold": 1},
    }
    assert read_observations(file, game).num_hands == 3
    assert read_observations(file, game).num_decisions == 8


def test_a_hand_of_two_streets_is_replayed(leduc_game: CompiledGame, file: Path) -> None:
    found = seen(leduc_game, file, "p0,p1,public,line\nJ,Q,K,cbc/cbrc\nK,K,,bf\n")
    assert found == {
        "P0:J::": {"check": 1},
        "P1:Q::c": {"bet": 1},
        "P0:J::cb": {"call": 1},
        "P0:J:K:cbc/": {"check": 1},
        "P1:Q:K:cbc/c": {"bet": 1},
        "P0:J:K:cbc/cb": {"raise": 1},
        "P1:Q:K:cbc/cbr": {"call": 1},
        "P0:K::": {"bet": 1},
        "P1:K::b": {"fold": 1},
    }


def test_a_byte_order_mark_and_windows_line_ends_are_read(game: CompiledGame, file: Path) -> None:
    file.write_bytes("\ufeffinfoset,action,count\r\nP0:J:,bet,3\r\n".encode())
    assert read_observations(file, game).num_decisions == 3


def test_forced_moves_are_allowed_and_ignored(file: Path) -> None:
    forced = compile(FORCED)
    label, action = next(iter(forced.forced.items()))
    table = next(table for table in forced.infosets if len(table))
    rows = f"{label},{action},7\n{table.label(0)},{table.actions(0)[0]},2\n"
    file.write_text(f"infoset,action,count\n{rows}", encoding="utf-8")
    found = read_observations(file, forced)
    assert found.num_decisions == 2
    assert np.count_nonzero(found.counts) == 1
    file.write_text(f"infoset,action,count\n{label},{action},7\n", encoding="utf-8")
    with pytest.raises(FormatError, match="nothing was observed"):
        read_observations(file, forced)
    file.write_text(f"infoset,action,count\n{label},nonsense,7\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"row 2: infoset .* has no action 'nonsense'"):
        read_observations(file, forced)


COUNTS, HANDS = "infoset,action,count\n", "p0,p1,public,line\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("infoset,count\nP0:J:,3\n", "row 1: the header is 'infoset,count'; expected infoset,"),
        (COUNTS, "the file has a header but no observations"),
        (COUNTS + "P0:J:,bet\n", "row 2 has 2 fields; infoset,action,count needs 3"),
        (COUNTS + "P0:A:,bet,1\n", "row 2: the game has no infoset 'P0:A:'"),
        (COUNTS + "P0:J:,bet,1\nP0:J:,raise,1\n", "row 3: infoset 'P0:J:' has no action 'raise'"),
        (COUNTS + "P0:J:,bet,-1\n", "row 2: the count is -1; it must be from 1 to"),
        (COUNTS + "P0:J:,bet,1.5\n", "row 2: the count '1.5' is not an integer"),
        (COUNTS + "P0:J:,bet,nan\n", "row 2: the count 'nan' is not an integer"),
        (COUNTS + "P0:J:,bet,\n", "row 2: the count '' is not an integer"),
        (COUNTS + f"P0:J:,bet,{10**30}\n", "row 2: the count"),
        (COUNTS + "P0:J:,bet,0\n", "row 2: the count is 0; it must be from 1 to"),
        (COUNTS + '"P0:J:,bet,0\n', "not valid CSV"),
        (HANDS + "J,Q,,cbf\nJ,A,,cbf\n", "row 3: no decision of the game has the cards 'J' and"),
        (HANDS + "J,J,,cc\n", "row 2: no decision of the game has the cards 'J' and 'J'"),
        (HANDS + "J,Q,,cxf\n", "row 2: infoset 'P1:Q:c' has no action for the letter 'x'"),
        (HANDS + "J,Q,,cr\n", "row 2: infoset 'P1:Q:c' has no action for the letter 'r'"),
        (HANDS + "J,Q,,ccc\n", "row 2: no decision of the game"),
        (HANDS + "J,Q,,cb\n", "ends before the hand does; player 0 is to act at 'P0:J:cb'"),
        (HANDS + "J,Q,,\n", "ends before the hand does; player 0 is to act at 'P0:J:'"),
        (HANDS + "J,Q,7,cc\n", "row 2: the game has no public card '7'"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_row(
    game: CompiledGame, file: Path, text: str, words: str
) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_observations(file, game)
    assert words in str(caught.value)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_street_without_its_public_card_is_refused(leduc_game: CompiledGame, file: Path) -> None:
    file.write_text(HANDS + "J,Q,,cc/cc\n", encoding="utf-8")
    with pytest.raises(FormatError, match="row 2: no decision of the game"):
        read_observations(file, leduc_game)


def test_text_that_is_not_utf_8_and_missing_files_are_refused(
    game: CompiledGame, file: Path
) -> None:
    with pytest.raises(FormatError, match="does not exist"):
        read_observations(file, game)
    file.write_bytes(b"infoset,action,count\nP0:\xff:,bet,1\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_observations(file, game)


def test_columns_in_any_order_keep_subjects_and_conditions_apart(
    game: CompiledGame, file: Path
) -> None:
    file.write_text(
        "Session,subject,count,infoset,action,treatment\n"
        "1,ann,2,P0:J:,bet,low\n1,bob,1,P0:J:,check,low\n2,ann,4,P0:J:,bet,high\n"
        "2,ann,5,P0:J:,bet,high\n",
        encoding="utf-8",
    )
    found = read_observations(file, game, ObservationColumns(("subject",), treatment="Treatment"))
    assert found.unused == ("session",)
    cells = found.cells
    assert cells is not None
    assert cells.subjects == ("ann", "ann", "bob")
    assert cells.conditions == {"treatment": ("high", "low", "low")}
    assert cells.counts[:, :2].tolist() == [[0, 9], [0, 2], [1, 0]]
    assert np.array_equal(cells.counts.sum(axis=0), found.counts)
    by_subject = cells.by_subject()
    assert by_subject is not None
    assert by_subject[:, :2].tolist() == [[0, 11], [1, 0]]
    names, levels = cells.levels(["treatment"])
    assert (names, levels.tolist()) == (("high", "low"), [0, 1, 1])
    assert read_observations(file, game).cells is None
    assert read_observations(file, game).unused == ("session", "subject", "treatment")


def test_the_two_players_of_a_hand_may_be_two_subjects(game: CompiledGame, file: Path) -> None:
    text = "p0,p1,public,line,first,second\nJ,Q,,cbf,ann,bob\nK,J,,bf,bob,ann\n"
    file.write_text(text, encoding="utf-8")
    cells = read_observations(file, game, ObservationColumns(("first", "second"))).cells
    assert cells is not None
    assert cells.subjects == ("ann", "bob")
    by_subject = cells.by_subject()
    assert by_subject is not None
    assert by_subject.sum(axis=1).tolist() == [3, 2]  # ann: check, fold; fold. bob: bet; bet
    whole = read_observations(file, game, ObservationColumns(("first",))).cells
    assert whole is not None
    by_hand = whole.by_subject()
    assert by_hand is not None
    assert by_hand.sum(axis=1).tolist() == [3, 2]  # a hand belongs to the subject of its row


@pytest.mark.parametrize(
    ("header", "row", "columns", "words"),
    [
        (
            "who,",
            "x,",
            ObservationColumns(("whom",)),
            "there is no column 'whom'; the columns are who, info",
        ),
        (
            "who,",
            "x,",
            ObservationColumns(("count",)),
            "the column 'count' is part of the observations",
        ),
        ("who,", " ,", ObservationColumns(("who",)), "row 2: the column 'who' is empty"),
        ("who,", "x,", ObservationColumns((), "who", "why"), "there is no column 'why'"),
        (
            "a,b,",
            "x,y,",
            ObservationColumns(("a", "b")),
            "two columns are named as subject, but a row of",
        ),
        ("who,who,", "x,y,", ObservationColumns(), "row 1: a column appears twice"),
    ],
)
def test_columns_that_do_not_fit_are_refused(
    game: CompiledGame, file: Path, header: str, row: str, columns: ObservationColumns, words: str
) -> None:
    file.write_text(f"{header}infoset,action,count\n{row}P0:J:,bet,3\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_observations(file, game, columns)
    assert words in str(caught.value)


def test_columns_are_named_once_and_at_most_one_per_player_is_a_subject(
    game: CompiledGame, file: Path
) -> None:
    with pytest.raises(InvalidOption, match="named twice"):
        ObservationColumns(("a",), group="A")
    file.write_text("infoset,action,count\nP0:J:,bet,3\n", encoding="utf-8")
    with pytest.raises(InvalidOption, match="one per player"):
        read_observations(file, game, ObservationColumns(("a", "b", "c")))
    with pytest.raises(InvalidOption, match="is empty"):
        ObservationColumns(("a", " "))
