"""Hands of poker sites: chips, actions and boards are those that PokerKit played."""

from pathlib import Path

import pytest
from tests.hands.simulated import (
    Money,
    Simulated,
    chips,
    dollars,
    euros,
    gg_names,
    ggpoker_text,
    grouped,
    pokerstars_text,
    simulate,
)
from tests.hands.write_examples import FOLDER, texts

from untilt.cards.card import parse_cards
from untilt.errors import FormatError
from untilt.hands.hand import RecordedHand
from untilt.hands.reading import Unreadable, read, read_file

HANDS = [simulate(seed) for seed in range(150)]
LETTERS = {"folds": "f", "checks": "x", "calls": "c", "bets": "b", "raises": "r"}


def read_text(
    text: str, tmp_path: Path, encoding: str = "utf-8"
) -> list[RecordedHand | Unreadable]:
    path = tmp_path / "hands.txt"
    path.write_bytes(text.encode(encoding))
    return list(read_file(path))


def only(text: str, tmp_path: Path) -> RecordedHand:
    [found] = read_text(text, tmp_path)
    assert isinstance(found, RecordedHand), found
    return found


def reason_of(text: str, tmp_path: Path) -> str:
    [found] = read_text(text, tmp_path)
    assert isinstance(found, Unreadable), found
    return found.reason


def verify(hand: RecordedHand, played: Simulated) -> None:
    """Compare a hand that was read with the one that was played."""
    assert hand.stacks == played.stacks
    assert hand.seats == played.seats
    assert hand.board == tuple(parse_cards("".join(played.boards)))
    assert hand.won == played.collected
    assert hand.rake == played.rake
    assert hand.gains is not None
    assert sum(hand.gains) == -played.rake
    assert hand.pot == played.pot
    assert hand.returned[played.back[0]] == sum(hand.returned) == played.back[1]
    actions = [(each.player, each.move.value, each.amount) for s in hand.streets for each in s]
    assert [(player, move) for player, move, _ in actions] == [
        (player, LETTERS[verb]) for verb, player, _, _ in played.events if verb != "board"
    ]
    assert [to for _, move, to in actions if move in "cbr"] == [
        to for verb, _, _, to in played.events if verb in ("calls", "bets", "raises")
    ]
    assert len(hand.streets) == len(played.boards) + 1
    shown = {*played.shown, 0}
    for player, held in enumerate(hand.cards):
        expected = tuple(parse_cards(played.holes[player])) if player in shown else None
        assert held == expected


@pytest.mark.parametrize("money", [dollars, euros, chips], ids=["dollars", "euros", "chips"])
def test_pokerstars_hands_have_the_chips_that_were_played(money: Money, tmp_path: Path) -> None:
    text = "".join(pokerstars_text(hand, money) for hand in HANDS)
    found = read_text(text, tmp_path)
    assert len(found) == len(HANDS)
    codes: dict[Money, str] = {dollars: "USD", euros: "EUR"}
    for hand, played in zip(found, HANDS, strict=True):
        assert isinstance(hand, RecordedHand), hand
        verify(hand, played)
        assert hand.players == played.names
        assert (hand.site, hand.number, hand.hero) == ("PokerStars", str(played.number), 0)
        assert hand.scale == (1 if money is chips else 100)
        assert hand.currency == codes.get(money, "")
        assert hand.tournament == ("77" if money is chips else "")


@pytest.mark.parametrize("money", [dollars, grouped], ids=["dollars", "chips"])
def test_ggpoker_hands_have_the_chips_that_were_played(money: Money, tmp_path: Path) -> None:
    found = read_text("".join(ggpoker_text(hand, money, hero=0) for hand in HANDS), tmp_path)
    for hand, played in zip(found, HANDS, strict=True):
        assert isinstance(hand, RecordedHand), hand
        verify(hand, played)
        assert hand.players == tuple(gg_names(played))
        assert hand.hero == 0
        assert hand.number == f"{'RC' if money is dollars else 'TM'}{played.number}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_encodings_and_line_ends_do_not_matter(encoding: str, end: str, tmp_path: Path) -> None:
    hands = [simulate(seed, num_players=3) for seed in range(5)]
    text = "".join(map(pokerstars_text, hands)).replace("\n", end)
    if encoding in ("utf-16-le", "utf-16-be"):  # without a mark, only ASCII can be recognised
        text = text.encode("ascii", "replace").decode()
    found = read_text(text, tmp_path, encoding)
    for hand, played in zip(found, hands, strict=True):
        assert isinstance(hand, RecordedHand), hand
        verify(hand, played)


def test_hands_of_several_sites_may_stand_in_one_file(tmp_path: Path) -> None:
    text = pokerstars_text(HANDS[0]) + ggpoker_text(HANDS[1]) + pokerstars_text(HANDS[2], chips)
    sites = [hand.site for hand in read_text(text, tmp_path) if isinstance(hand, RecordedHand)]
    assert sites == ["PokerStars", "GGPoker", "PokerStars"]


TABLE = """\
PokerStars Hand #5: Hold'em No Limit ($0.50/$1.00 USD) - 2025/03/04 17:05:59 ET
Table 'Ceres' 6-max Seat #1 is the button
Seat 1: Ann ($100 in chips)
Seat 2: Bob ($50.50 in chips)
Seat 3: Eve ($1,000 in chips)
Seat 4: Moe ($80 in chips) is sitting out
Bob: posts small blind $0.50
Eve: posts big blind $1
*** HOLE CARDS ***
Dealt to Ann [As Ah]
Moe said, "Bob: folds"
Ann: raises $2 to $3
Bob: calls $2.50
Eve: folds
*** FLOP *** [Kd 7h 2c]
Bob: checks
Ann: bets $4
Bob: raises $6 to $10
Ann: folds
Uncalled bet ($6) returned to Bob
Bob collected $14.25 from pot
*** SUMMARY ***
Total pot $15 | Rake $0.75
Board [Kd 7h 2c]
Seat 2: Bob (small blind) collected ($14.25)
"""


def test_a_hand_is_read_line_by_line(tmp_path: Path) -> None:
    hand = only(TABLE, tmp_path)
    assert hand.players == ("Bob", "Eve", "Ann")
    assert hand.positions == ("SB", "BB", "BTN")
    assert hand.line == "2r0c1f/0x2b0r2f"
    assert hand.gains == (725, -100, -700)
    assert (hand.pot, hand.rake, hand.big_blind) == (1500, 75, 100)
    assert hand.hero == 2
    assert str(hand.played) == "2025-03-04 17:05:59"
    assert repr(hand) == "<Hand PokerStars #5: 3 players on Kd7h2c, pot 15 bb>"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Ann: raises $2 to $3\n", "Bob acts, but it is the turn of Ann"),
        ("Bob: calls $2.50\n", "Eve acts, but it is the turn of Bob"),
        ("Eve: folds\n", "an action of Eve is missing"),
        ("*** FLOP *** [Kd 7h 2c]\n", "Bob acts after the betting is over"),
        ("Bob collected $14.25 from pot\n", "chips are not conserved"),
        ("Uncalled bet ($6) returned to Bob\n", None),
        ("Bob: posts small blind $0.50\n", "Bob calls to 250, but the bet is 300"),
        ("Seat 2: Bob ($50.50 in chips)\n", "'Uncalled bet ($6) returned to Bob' cannot be read"),
        ("Ann: bets $4\n", "is from no bet that was made"),
        ("Total pot $15 | Rake $0.75\n", "it is cut off: there is no summary"),
    ],
)
def test_a_missing_line_is_noticed(line: str, reason: str | None, tmp_path: Path) -> None:
    assert line in TABLE
    text = TABLE.replace(line, "")
    if reason is None:  # nobody could have called: the chips are known without the line
        assert only(text, tmp_path).gains == only(TABLE, tmp_path).gains
    else:
        assert reason in reason_of(text, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("posts big blind $1", "posts straddle $2", "a straddle cannot be read"),
        ("*** FLOP ***", "*** FIRST FLOP ***", "a board that was run more than once"),
        ("$1.00 USD)", "$1.00 - $20 Cap -  USD)", "a pot with a cap"),
        ("Hold'em No Limit", "Omaha Pot Limit", "the game is 'Omaha Pot Limit'"),
        ("Hold'em No Limit", "6+ Hold'em No Limit", "52 cards"),
        ("[As Ah]", "[As Kd]", "a card is dealt twice"),
        ("[As Ah]", "[As 1x]", "a rank is one of"),
        ("collected $14.25", "collected $14.26", "chips are not conserved"),
        ("Rake $0.75", "Rake $0.74", "chips are not conserved"),
        ("bets $4", "bets $4.0015", "does not say how much"),
        ("raises $2 to $3", "raises $99 to $100.50", "from no bet"),
        ("raises $6 to $10", "raises $76 to $80", "Bob bets more chips than there are"),
        ("Seat 3: Eve", "Seat 2: Eve", "seat 2 is taken twice"),
        ("Seat 3: Eve", "Seat 3: Bob", "two players are called 'Bob'"),
        ("2025/03/04", "2025/13/04", "is not a date"),
        ("($0.50/$1.00", "($1.00/$0.50", "are not possible"),
        ("calls $2.50", "calls $2.40", "Bob calls to 290, but the bet is 300"),
        ("calls $2.50", "calls $2.50 and is all-in", "Bob is all-in with 4,750 left"),
        ("Eve: folds", "Eve: checks", "Eve checks, but there is a bet"),
        ("*** FLOP ***", "*** PRESTO ***", "the section 'PRESTO' is not known"),
        ("*** FLOP *** [Kd 7h 2c]", "*** TURN *** [Kd 7h 2c] [3c]", "the board of the turn"),
        ("Bob collected", "Ann collected", "Ann collects chips after folding"),
    ],
)
def test_what_is_wrong_with_a_hand_is_said(old: str, new: str, reason: str, tmp_path: Path) -> None:
    assert old in TABLE
    assert reason in reason_of(TABLE.replace(old, new), tmp_path)


def test_dead_blinds_are_not_part_of_a_bet(tmp_path: Path) -> None:
    text = TABLE.replace(" is sitting out", "").replace(
        "*** HOLE", "Moe: posts small & big blinds $1.50\n*** HOLE"
    )
    text = text.replace("Ann: raises $2", "Moe: checks\nAnn: raises $2").replace(
        "Eve: folds", "Eve: folds\nMoe: folds"
    )
    text = text.replace("Total pot $15", "Total pot $16.50").replace("$14.25 from", "$15.75 from")
    hand = only(text, tmp_path)
    assert hand.players == ("Bob", "Eve", "Moe", "Ann")
    assert (hand.antes, hand.posts) == ((0, 0, 50, 0), (50, 100, 100, 0))
    assert hand.paid == (700, 100, 150, 700)
    assert hand.to_history().blinds == (50, 100, -100, 0)


def test_a_short_big_blind_may_be_called_in_full(tmp_path: Path) -> None:
    text = """\
PokerStars Hand #6: Tournament #1, $1 Hold'em No Limit - Level II (15/30) - 2025/03/04 17:05:59
Table '1 1' 9-max Seat #1 is the button
Seat 1: Ann (1500 in chips)
Seat 2: Bob (1500 in chips)
Seat 3: Eve (20 in chips) is sitting out
Bob: posts small blind 15
Eve: posts big blind 20 and is all-in
*** HOLE CARDS ***
Ann: calls 30
Bob: folds
Eve: folds
Uncalled bet (10) returned to Ann
Ann collected 55 from pot
*** SUMMARY ***
Total pot 55 | Rake 0
"""
    hand = only(text, tmp_path)
    assert hand.gains == (-15, -20, 35)


def test_a_file_that_is_cut_loses_only_its_last_hand(tmp_path: Path) -> None:
    whole = "".join(map(pokerstars_text, HANDS[:3]))
    cut = whole[: whole.rindex("*** SUMMARY")]
    *hands, last = read_text(cut, tmp_path)
    assert all(isinstance(hand, RecordedHand) for hand in hands)
    assert isinstance(last, Unreadable)
    assert last.reason == "it is cut off: there is no summary"
    assert cut.splitlines()[last.line - 1].startswith("PokerStars Hand #10002")


def test_a_file_that_begins_within_a_hand_says_so(tmp_path: Path) -> None:
    first, hand = read_text("Ann: folds\n\n" + TABLE, tmp_path)
    assert isinstance(first, Unreadable)
    assert (first.line, isinstance(hand, RecordedHand)) == (1, True)


def test_the_examples_are_what_their_script_writes() -> None:
    written = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()}
    assert written == texts()


def test_other_programs_are_named(tmp_path: Path) -> None:
    assert "a hand history of Winamax" in reason_of(
        "Winamax Poker - CashGame - HandId: #1\n", tmp_path
    )


@pytest.mark.parametrize("data", [b"\x00" * 100, bytes(range(256)) * 10, b"\x7fELF\x00\x01"])
def test_binary_files_are_named(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    [found] = read_file(path)
    assert isinstance(found, Unreadable)
    assert found.reason == "it is a binary file, not text"


def test_a_folder_is_read_in_order_without_links(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for place, hand in (("b/2.txt", HANDS[1]), ("a.txt", HANDS[0]), ("z.doc", HANDS[2])):
        (tmp_path / place).write_text(pokerstars_text(hand), "utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    assert [hand.number for hand in read(tmp_path)] == ["10000", "10001"]


def test_unreadable_hands_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(TABLE + "\n\n" + TABLE.replace("$14.25 from", "$14.26 from"), "utf-8")
    hands = read(path)
    assert hands.unreadable == []
    assert len(list(hands)) == 1
    assert [(each.file, each.line) for each in hands.unreadable] == [(str(path), 28)]
    assert list(hands) == []


def test_hands_become_a_frame_with_a_row_per_player(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    path = tmp_path / "x.txt"
    path.write_text(TABLE, "utf-8")
    frame = read(path).to_frame()
    assert list(frame["player"]) == ["Bob", "Eve", "Ann"]
    assert list(frame["won"]) == [7.25, -1.0, -7.0]
    assert list(frame["stack"]) == [50.5, 1000.0, 100.0]
    assert list(frame["hand"]) == ["", "", "AsAh"]
    assert set(frame["big_blind"]) == {1.0}


def test_a_path_without_anything_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="does not exist; check the path"):
        read(tmp_path / "nothing")
