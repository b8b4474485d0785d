"""Games from Gambit's files: what is read, what is refused and where the fault lies."""

import importlib.util
import pickle
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest

import untilt
from untilt.errors import FormatError, GameError, GameTooLarge, ImperfectRecall, UntiltError
from untilt.game.checking.check import check
from untilt.game.compiled import compile_histories
from untilt.games import efg as reader
from untilt.games import gambit_text, resolve
from untilt.games.efg import EfgInfoset, parse_efg, read_efg

from .playing import play

# Myerson 1991, figure 2.1, in the layout that Gambit writes.
POKER = """EFG 2 R "A simple Poker game" { "Fred" "Alice" }
"One-card poker, \\"folding\\" included."

c "" 1 "deal" { "Red" 1/2 "Black" .5 } 0
p "" 1 1 "red" { "Raise" "Fold" } 0
p "" 2 1 "raised" { "Meet" "Pass" } 0
t "" 1 "Win Big" { 2, -2 }
t "" 2 "Win" { 1, -1 }
t "" 2 "Win" { 1, -1 }
p "" 1 2 "black" { "Raise" "Fold" } 0
p "" 2 1 "raised" { "Meet" "Pass" } 0
t "" 3 "Lose Big" { -2, 2 }
t "" 2 "Win" { 1, -1 }
t "" 4 "Lose" { -1, 1 }
"""

HEADER = 'EFG 2 R "" { "A" "B" } ""\n'


def refusal(text: str) -> str:
    """Return the message of reading `text`, which must be one line."""
    with pytest.raises(UntiltError) as caught:
        parse_efg(text, "game.efg")
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestReading:
    def test_names_become_labels(self) -> None:
        game = parse_efg(POKER)
        compiled = compile_histories(game)
        assert compiled.infosets[0].labels == ("red", "black")
        assert compiled.infosets[1].labels == ("raised",)
        assert compiled.infosets[1].actions(0) == ("Meet", "Pass")
        assert game.tree.title == "A simple Poker game"
        assert game.tree.players == ("Fred", "Alice")
        assert game.tree.comment == 'One-card poker, "folding" included.'

    def test_positions_keep_the_rules_of_the_protocol(self) -> None:
        report = check(parse_efg(POKER))
        assert report.problems == ()
        assert report.shape is not None
        assert (report.shape.terminals, report.shape.is_zero_sum) == (6, True)

    def test_positions_survive_pickling(self) -> None:
        game = parse_efg(POKER)
        twin = pickle.loads(pickle.dumps(game))
        assert compile_histories(twin).fingerprint() == compile_histories(game).fingerprint()

    def test_the_value_is_that_of_the_book(self, tmp_path: Path) -> None:
        file = tmp_path / "poker.efg"
        file.write_text(POKER, encoding="utf-8")
        run = untilt.solve(str(file), "lp", save=False)
        assert run.value == pytest.approx(1 / 3)

    def test_layout_does_not_matter(self) -> None:
        joined = " ".join(POKER.split()).replace(", ", " ").replace("{ ", "{").replace(" }", "}")
        windows = "\ufeff" + POKER.replace("\n", "\r\n")
        expected = compile_histories(parse_efg(POKER)).fingerprint()
        for text in (joined, windows.removeprefix("\ufeff")):
            assert compile_histories(parse_efg(text)).fingerprint() == expected

    def test_a_byte_order_mark_is_skipped(self, tmp_path: Path) -> None:
        file = tmp_path / "poker.efg"
        file.write_bytes(b"\xef\xbb\xbf" + POKER.encode())
        assert read_efg(file).tree.title == "A simple Poker game"

    def test_what_was_told_once_may_be_left_out(self) -> None:
        short = POKER.replace('t "" 2 "Win" { 1, -1 }\np "" 1 2', 't "" 2\np "" 1 2')
        short = short.replace(
            '"black" { "Raise" "Fold" } 0\np "" 2 1 "raised" { "Meet" "Pass" } 0',
            '"black" { "Raise" "Fold" } 0\np "" 2 1 0',
        )
        assert len(short) < len(POKER) - 30
        assert (
            compile_histories(parse_efg(short)).fingerprint()
            == compile_histories(parse_efg(POKER)).fingerprint()
        )

    def test_outcomes_on_the_way_add_up_exactly(self) -> None:
        game = parse_efg(
            HEADER
            + 'p "" 1 1 "" { "a" "b" } 1 "ante" { 0.1, -1/3 }\n'
            + 'p "" 2 1 "" { "c" "d" } 2 "" { 0.2 1/3 }\n'
            + 't "" 1\nt "" 0\nt "" 3 "" { 1e-3, -.5E1 }\n'
        )
        assert game.tree.payoffs[2] == (Fraction(4, 10), Fraction(-1, 3))
        end = play(game, "a d")
        assert (end.payoff(0), end.payoff(1)) == (0.3, 0.0)  # 0.1 + 0.2 in floats is not 0.3
        assert (play(game, "b").payoff(0), play(game, "b").payoff(1)) == (0.101, -5 - 1 / 3)

    def test_chances_are_rounded_once(self) -> None:
        game = parse_efg(HEADER + 'c "" 1 "" { "x" 1/3 "y" 0.25 "z" 5/12 } 0' + ' t "" 0' * 3)
        assert game.chances() == [("x", 1 / 3), ("y", 0.25), ("z", 5 / 12)]

    def test_infosets_and_actions_without_names_are_numbered(self) -> None:
        game = parse_efg(
            HEADER + 'p "" 1 7 "" { "" "" } 0 p "" 2 3 "" { "x" "" } 0' + ' t "" 0' * 3
        )
        assert game.infoset(0) == EfgInfoset(0, "P0:7", ("1", "2"))
        assert game.apply("1").infoset(1) == EfgInfoset(1, "P1:3", ("x", "2"))

    def test_equal_names_are_distinguished_by_number(self) -> None:
        game = parse_efg(
            HEADER
            + 'p "" 1 1 "move" { "go" "go" "stay" } 0 '
            + 'p "" 2 1 "move" { "a" "b" } 0 t "" 0 t "" 0 '
            + 'p "" 2 2 "move" { "a" "b" } 0 t "" 0 t "" 0 t "" 0'
        )
        assert game.infoset(0).actions() == ("go (1)", "go (2)", "stay")
        labels = compile_histories(game).infosets
        assert labels[0].labels == ("move (P0:1)",)
        assert labels[1].labels == ("move (P1:1)", "move (P1:2)")

    def test_a_name_may_be_that_of_an_unnamed_infoset(self) -> None:
        game = parse_efg(
            HEADER + 'p "" 1 1 "P1:1" { "a" "b" } 0 p "" 2 1 "" { "a" "b" } 0' + ' t "" 0' * 3
        )
        compiled = compile_histories(game)
        assert compiled.infosets[0].labels + compiled.infosets[1].labels == (
            "P1:1 (P0:1)",
            "P1:1 (P1:1)",
        )

    def test_backslashes_escape_quotation_marks_only(self) -> None:
        text = HEADER + 'p "" 1 1 "\\"K\\" \\x" { "a\\\\b" "c" } 0 t "" 0 t "" 0'
        infoset = parse_efg(text).infoset(0)
        assert (str(infoset), infoset.actions()) == ('"K" \\x', ("a\\\\b", "c"))

    def test_forgetful_players_are_refused_by_exact_solvers_only(self) -> None:
        text = HEADER + 'p "" 1 1 "" { "a" "b" } 0 p "" 1 1 0' + ' t "" 0' * 3
        compiled = compile_histories(parse_efg(text))
        with pytest.raises(ImperfectRecall):
            compiled.exact_form()

    def test_a_tree_may_be_deeper_than_the_stack(self) -> None:
        depth = 9_000
        moves = (f'p "" {1 + i % 2} {i + 1} "" {{ "on" "end" }} 0\n' for i in range(depth))
        text = HEADER + "".join(moves) + 't "" 1 "" { 1, -1 }\n' + 't "" 0\n' * depth
        compiled = compile_histories(parse_efg(text))
        assert (compiled.num_infosets, compiled.num_terminals) == (depth, depth + 1)

    def test_illegal_actions_are_refused(self) -> None:
        with pytest.raises(GameError, match="'Call' is not legal here; legal: Raise, Fold"):
            play(parse_efg(POKER), "Red Call")
        with pytest.raises(GameError, match="the game is over"):
            play(parse_efg(POKER), "Red Fold Fold")


class TestReferences:
    def test_a_path_is_a_game_wherever_a_name_is(self, tmp_path: Path) -> None:
        file = tmp_path / "my game.efg"
        file.write_text(POKER, encoding="utf-8")
        named = resolve(str(file))
        assert (named.name, named.title) == ("my-game", "A simple Poker game")
        assert (named.reference, named.parameters) == (str(file), {})
        assert not named.is_builtin

    def test_parameters_are_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "poker.efg"
        file.write_text(POKER, encoding="utf-8")
        with pytest.raises(UntiltError, match="takes no parameters, given ranks=3"):
            resolve(str(file), {"ranks": 3})

    def test_a_missing_file_is_named(self) -> None:
        with pytest.raises(GameError, match=r"no game file 'nowhere\.efg'"):
            resolve("nowhere.efg")

    def test_bytes_that_are_no_text_are_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "poker.efg"
        file.write_bytes(POKER.encode().replace(b"Fred", b"Fr\xe9d"))
        with pytest.raises(FormatError, match=r"byte 35 is not UTF-8 text"):
            resolve(str(file))


class TestDamage:
    @pytest.mark.parametrize("count", [0, 1, 101])
    def test_other_numbers_of_players_are_refused(self, count: int) -> None:
        names = " ".join(f'"{number}"' for number in range(count))
        message = refusal(f'EFG 2 R "" {{ {names} }} t "" 0')
        plural = "" if count == 1 else "s"
        assert message == f"game.efg has {count} player{plural}; games have 2 to 100"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", "line 1, column 1: not a Gambit extensive-form file"),
            ('NFG 1 R "x"', "line 1, column 1: not a Gambit extensive-form file"),
            ('EFG 3 R "x"', "line 1, column 5: format version 3"),
            ('EFG 2 X "x"', "line 1, column 7: expected R or D, found X"),
            ("EFG 2 R { }", 'line 1, column 9: expected the title in "…", found {'),
            (HEADER, "line 2, column 1: the file ends before its tree is complete"),
            (HEADER + "x", "line 2, column 1: expected a node (c, p or t), found x"),
            (HEADER + 't "a', "column 3: this quotation mark is never closed"),
            (HEADER + 't "" 1', "column 6: outcome 1 is used before its payoffs are given"),
            (HEADER + 't "" 1 "" { 1 }', "column 11: 1 payoffs for two players"),
            (HEADER + 't "" 1 "" { 1 2 3 }', "column 11: 3 payoffs for two players"),
            (HEADER + 't "" 1 "" { 1 x }', "column 15: expected }, found x"),
            (HEADER + 't "" 1 "" { 1 1/0 }', "column 15: 1/0 is not a finite number"),
            (HEADER + 't "" 1 "" { 1 1e999999999 }', "column 15: the number has too many digits"),
            (HEADER + 't "" 1 "" { 1 1e500 }', "column 15: 1e500 is out of range"),
            (HEADER + 't "" 1 "" { 1 1e399 }', "column 15: 1e399 is not a finite number"),
            (HEADER + 't "" 1 "" { 1 ' + "9" * 5000 + " }", "too many digits"),
            (HEADER + 't "" 1.5', "column 6: expected the number of an outcome, found 1.5"),
            (HEADER + 't "" 1a', "column 6: cannot read '1a'"),
            (HEADER + 't "" 0 t "" 0', "column 8: the tree is complete, but t follows"),
            (HEADER + 'p "" 3 1 "" { "a" } 0', "column 6: player 3 does not exist"),
            (HEADER + 'p "" 1 1 0', "column 8: infoset 1 is used before its name and actions"),
            (HEADER + 'p "" 1 1 "" { } 0', "column 13: a node without actions"),
            (HEADER + 'p "" 1 1 "" { "a" 0', "column 19: expected }, found 0"),
            (HEADER + 'p "" 1 1 "" { "a" "b" } 0 t "" 0', "before its tree is complete"),
            (HEADER + 'c "" 1 "" { "a" 1/2 "b" 1/3 } 0', "sum to 0.833333333333, not to 1"),
            (HEADER + 'c "" 1 "" { "a" 2 "b" -1 } 0', "column 23: a probability is negative"),
            (HEADER + 'c "" 1 "" { "a" "b" } 0', 'expected a probability, found "b"'),
            (
                POKER.replace('"Lose" { -1', '"Win" { -1').replace("4 ", "2 "),
                "different payoffs than",
            ),
            (POKER.replace('1 2 "black"', '1 1 "black"'), "does not have the same name, actions"),
            (POKER.replace('1 "raised" { "Meet" "P', '1 "raised" { "M" "P', 1), "actions or prob"),
        ],
    )
    def test_faults_are_reported_with_their_place(self, text: str, expected: str) -> None:
        message = refusal(text)
        assert message.startswith("game.efg, line ")
        assert expected in message

    def test_every_file_cut_short_is_refused_in_one_line(self) -> None:
        for end in range(len(POKER.rstrip()) - 1):
            assert refusal(POKER[:end])

    def test_a_flipped_character_is_refused_or_gives_a_game(self) -> None:
        for place in range(len(POKER)):
            for character in 'x"}\\':
                text = POKER[:place] + character + POKER[place + 1 :]
                with suppress(UntiltError):
                    assert parse_efg(text).tree.players

    def test_too_many_nodes_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reader, "MAX_NODES", 5)
        with pytest.raises(GameTooLarge, match="more than 5 nodes"):
            parse_efg(POKER)

    def test_too_large_files_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(gambit_text, "MAX_BYTES", 100)
        file = tmp_path / "poker.efg"
        file.write_text(POKER, encoding="utf-8")
        with pytest.raises(GameTooLarge, match="the limit is 100"):
            read_efg(file)


@pytest.mark.skipif(importlib.util.find_spec("pygambit") is None, reason="needs pygambit")
@pytest.mark.parametrize("kind", ["even chances", "uneven chances", "actions"])
def test_a_node_with_many_branches_is_read_in_linear_time(kind: str) -> None:
    """Looking up every branch in a list took 10 s of these, adding uneven fractions 5 s."""
    count = 20_000
    shares = [Fraction(1, count)] * count
    if kind == "uneven chances":
        shares = [Fraction(n, 2 * count * n + n % 13) for n in range(1, count)]
        shares.append(Fraction(1 - sum(map(float, shares))))
    if kind == "actions":
        root = 'p "" 1 1 "A" { ' + " ".join(f'"o{n}"' for n in range(count))
    else:
        told = (f'"o{n}" {share}' for n, share in enumerate(shares))
        root = 'c "" 1 "" { ' + " ".join(told)
    ends = 't "" 1 "" { 1, -1 }\nt "" 2 "" { -1, 1 }\n' * (count // 2)
    begin = time.process_time()
    game = parse_efg(f'EFG 2 R "wide" {{ "a" "b" }}\n{root} }} 0\n{ends}')
    payoffs = {game.apply(f"o{n}").payoff(0) for n in range(count)}
    assert time.process_time() - begin < 4.0
    assert payoffs == {1.0, -1.0}


def test_gambits_own_examples_are_read_or_refused_for_their_players() -> None:
    spec = importlib.util.find_spec("pygambit")
    if spec is None:
        pytest.skip("pygambit is not installed")
    assert spec.origin is not None
    files = sorted(Path(spec.origin).parent.rglob("*.efg"))
    if not files:
        pytest.skip("this version of pygambit has no catalog")
    read = 0
    several = 0
    for file in files:
        try:
            found = compile_histories(read_efg(file))
            read += 1
            several += found.num_players > 2
        except GameError as error:
            assert "games have 2 to 100" in str(error)  # noqa: PT017
    assert read > len(files) / 2
    assert several
