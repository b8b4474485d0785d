"""Hand histories: read, replayed by our rules, written, and compared with PokerKit's reader."""

import random
from pathlib import Path
from typing import Any

import pytest

from untilt.cards.card import parse_cards
from untilt.errors import FormatError, UntiltError
from untilt.formats.exchange.phh import HandHistory, format_phh, parse_phh, read_phh
from untilt.games import holdem, river_of_blood
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.replay import replay_hand
from untilt.play.review.hand_record import record_hand

from .pokerkit_hands import random_rules

HANDS = sorted((Path(__file__).parents[2] / "data" / "hands").glob("*.phh"))
PUBLISHED = {
    "acpc-2014-limit": (70.0, -70.0),
    "openspiel-raises": (-5_900.0, 5_900.0),
    "wsop-2023-last-hand": (-171_500_000.0, 171_500_000.0),
}
TEXT = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [200, 100]
actions = [ACTIONS]
"""
DEALS = ("d dh p1 AsKh", "d dh p2 QdQc")


def history(*actions: str, text: str = TEXT) -> HandHistory:
    (found,) = parse_phh(text.replace("ACTIONS", ", ".join(f"'{each}'" for each in actions)))
    return found


def final_stacks_of_pokerkit(text: str) -> list[int]:
    pokerkit: Any = pytest.importorskip("pokerkit")
    *_, last = pokerkit.HandHistory.loads(text)
    return list(last.stacks)


@pytest.mark.parametrize("path", HANDS, ids=lambda path: path.stem)
def test_published_hands_replay_to_their_results(path: Path) -> None:
    (found,) = read_phh(path)
    replay = replay_hand(found)
    assert replay.gains == PUBLISHED[path.stem]
    stacks = found.finishing_stacks
    assert stacks is not None
    assert [
        stack + gain
        for stack, gain in zip(replay.root.rules.stacks[::-1], replay.gains[::-1], strict=True)
    ] == [*stacks]


@pytest.mark.parametrize("path", HANDS, ids=lambda path: path.stem)
def test_pokerkit_reads_the_same_from_our_files(path: Path) -> None:
    (found,) = read_phh(path)
    for text in (path.read_text(), format_phh(found)):
        assert tuple(final_stacks_of_pokerkit(text)) == found.finishing_stacks


@pytest.mark.parametrize("path", HANDS, ids=lambda path: path.stem)
def test_what_is_written_is_read_again(path: Path, tmp_path: Path) -> None:
    (found,) = read_phh(path)
    (tmp_path / "hand.phh").write_text(format_phh(found), "utf-8")
    (again,) = read_phh(tmp_path / "hand.phh")
    assert (again.actions, again.stacks, again.fields) == (
        *(found.actions, found.stacks, found.fields),
    )
    assert format_phh(again) == format_phh(found)


def played_at_random(root: Holdem, rng: random.Random) -> tuple[list[Any], Holdem]:
    moves: list[Any] = []
    while not root.terminal:
        if root.chance:
            moves.append(root.sample(rng))
        else:
            actions = root.infoset(root.active).actions()
            moves.append(actions[rng.choice([0, 1, min(2, len(actions) - 1)])])
        root = root.apply(moves[-1])
    return moves, root


def test_random_hands_are_written_read_and_replayed_here_and_by_pokerkit() -> None:
    rng = random.Random(11)
    for _ in range(150):
        root = Holdem(random_rules(rng))
        moves, end = played_at_random(root, rng)
        text = format_phh(record_hand(root, moves))
        (found,) = parse_phh(text)
        replay = replay_hand(found)
        assert replay.gains == (end.payoff(0), end.payoff(1))
        assert replay.end.line == end.line
        assert found.finishing_stacks == tuple(final_stacks_of_pokerkit(text)), text


def test_a_river_of_blood_is_written_and_replayed() -> None:
    rng = random.Random(2)
    lengths = set()
    for _ in range(40):
        moves, end = played_at_random(river_of_blood(), rng)
        (found,) = parse_phh(format_phh(record_hand(river_of_blood(), moves)))
        replay = replay_hand(found)
        assert replay.gains == (end.payoff(0), end.payoff(1))
        lengths.add(len(replay.end.board))
    assert max(lengths) > 5


def test_decisions_are_those_of_our_game() -> None:
    found = history(*DEALS, "p2 cbr 6 # a try", "p1 cc", "d db Td9d6h", "p1 cc", "p2 cbr 94")
    replay = replay_hand(found)
    assert [(step.player, str(step.action), step.position.line) for step in replay.steps] == [
        (0, "raise 6", ""),
        (1, "call", "r6"),
        (1, "check", "r6c/"),
        (0, "all-in 94", "r6c/c"),
    ]
    assert replay.steps[0].comment == "a try"
    assert (replay.gains, replay.end.terminal) == (None, False)
    assert (replay.private(0), replay.private(1)) == ("QdQc", "AsKh")


def test_more_than_the_other_player_can_call_is_all_in() -> None:
    replay = replay_hand(history(*DEALS, "p2 cc", "p1 cbr 200", "p2 cc"))
    assert str(replay.steps[1].action) == "all-in 100"


def test_unknown_hands_lose_if_they_are_mucked_and_are_known_if_shown() -> None:
    unknown = ("d dh p1 ????", "d dh p2 QdQc")
    checked = (
        *("p2 cc", "p1 cc", "d db Td9d6h", "p1 cc", "p2 cc"),
        *("d db 2s", "p1 cc", "p2 cc", "d db 3s", "p1 cc", "p2 cc"),
    )
    mucked = replay_hand(history(*unknown, *checked, "p2 sm QdQc", "p1 sm"))
    assert (mucked.gains, mucked.is_known, mucked.private(1)) == ((2.0, -2.0), (True, False), None)
    shown = replay_hand(history(*unknown, *checked, "p1 sm AsAh"))
    assert (shown.gains, shown.private(1)) == ((-2.0, 2.0), "AsAh")
    silent = replay_hand(history(*unknown, *checked))
    assert silent.gains is None
    text = TEXT + "finishing_stacks = [198, 102]"
    assert replay_hand(history(*unknown, *checked, text=text)).gains == (2.0, -2.0)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ((*DEALS, "p2 cbr 3"), "action 3 ('p2 cbr 3') is not possible: a bet to 3 is not legal"),
        ((*DEALS, "p1 cc"), "action 3 ('p1 cc') is not possible: it is p2's turn"),
        ((*DEALS, "p2 cc", "p1 f"), "action 4 ('p1 f') is not possible: there is no bet to fold"),
        ((*DEALS, "d db AdAcAh"), "action 3 ('d db AdAcAh') is not possible: no card is dealt now"),
        ((*DEALS, "p2 cc", "p1 cc", "d db AdAcAs"), "action 5"),
        ((*DEALS, "p2 cc", "p1 cc", "p1 cc"), "cards are dealt first"),
        ((*DEALS, "p2 f", "p1 cc"), "the hand is over"),
        ((*DEALS, "p2 sm QdQc"), "nobody shows cards before the betting is over"),
        (("p2 cc",), "both players get their cards first"),
        (("d dh p1 AsKh", "d dh p1 AsKh"), "the player has got cards already"),
        (("d dh p1 AsKh", "d dh p2 AsQc"), "action 2"),
        ((*DEALS, "p2 f", "p1 sm 2c2d"), "p1 shows 2c2d, which are not the cards"),
        (("d dh p1 AsKhQd", "d dh p2 QdQc"), "two cards"),
        ((*DEALS, "p3 f"), "action 3 is 'p3 f', but there are 2 players"),
        ((*DEALS, "p2 raises"), "action 3 is 'p2 raises'; write"),
        ((*DEALS, "p2 cbr 6.5"), "chips are integers"),
        (("d dh p1 AsKx",), "a suit is one of cdhs"),
    ],
)
def test_impossible_actions_are_named(actions: tuple[str, ...], words: str) -> None:
    with pytest.raises(UntiltError) as refusal:
        replay_hand(history(*actions))
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (("NT", "PO"), "only hold'em can be read"),
        (("[200, 100]", "[200, 100, 50]"), "different numbers of players"),
        (("[200, 100]", "[0.5, 100]"), "starting_stacks has 0.5; chips are integers"),
        (("[200, 100]", "[inf, 100]"), "starting_stacks are not known (inf)"),
        (("min_bet = 2", "min_bet = 4"), "min_bet is 4, the big blind 2"),
        (("min_bet = 2", ""), "the field min_bet is missing"),
        (("antes = [0, 0]", "antes = [1, 0]"), "the small blind has the larger ante"),
        (("antes = [0, 0]", "antes = [100, 100]"), "leaves nothing to bet after the ante"),
        (("variant", "]]variant"), "is not TOML"),
        (("actions = [", "actions = 3 #"), "actions is not a list"),
    ],
)
def test_histories_that_make_no_sense_are_refused(changed: tuple[str, str], words: str) -> None:
    with pytest.raises(UntiltError) as refusal:
        replay_hand(history(*DEALS, text=TEXT.replace(*changed)))
    assert words in str(refusal.value)


def test_hands_of_more_players_are_refused() -> None:
    text = TEXT.replace("[0, 0]", "[0, 0, 0]").replace("[1, 2]", "[1, 2, 0]")
    with pytest.raises(UntiltError, match="has 3 players; only hands of two players"):
        replay_hand(history(text=text.replace("[200, 100]", "[200, 100, 50]")))


def test_files_of_many_hands_are_read_in_order(tmp_path: Path) -> None:
    one = TEXT.replace("ACTIONS", "'d dh p1 AsKh', 'd dh p2 QdQc', 'p2 f'")
    (tmp_path / "hands.phhs").write_text(f"[1]{one}[2]{one.replace('200', '300')}")
    hands = read_phh(tmp_path / "hands.phhs")
    assert [hand.stacks[0] for hand in hands] == [200, 300]
    assert [replay_hand(hand).gains for hand in hands] == [(-1.0, 1.0)] * 2
    (tmp_path / "bad.phhs").write_text(f"[1]{one}[2]{one.replace('p2 f', 'p2 x')}")
    with pytest.raises(FormatError, match="hand 2, action 3"):
        read_phh(tmp_path / "bad.phhs")


def test_texts_of_any_kind_survive_writing() -> None:
    moves = [tuple(parse_cards("AsKhQdQc")), "fold"]
    fields = {"event": 'a "quoted" \\ name\n', "year": 2026, "_mine": {"a b": [1.5, True]}}
    found = record_hand(holdem(), moves, fields)
    (again,) = parse_phh(format_phh(found))
    assert again.fields == {**fields, "finishing_stacks": [201, 199]}
