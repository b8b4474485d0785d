"""`untilt chart`: what it prints and writes, and what it refuses."""

import csv
import json
import re
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from untilt.cards.combos import CLASS_NAMES
from untilt.cards.ranges.range import Range

FIELDS = [
    *("stack_bb", "value_bb", "exploitability_mbb", "push", "call", "push_ev", "call_ev"),
    *("push_percent", "call_percent"),
]


def test_json_has_exactly_the_promised_fields(command: Command) -> None:
    outcome = command("chart", "--stack", 10, "--json")
    assert outcome.status == 0
    chart = outcome.json
    assert list(chart) == FIELDS
    assert chart["stack_bb"] == 10.0
    assert chart["value_bb"] == pytest.approx(-0.0453708, abs=5e-8)
    assert 0.0 <= chart["exploitability_mbb"] < 1e-6
    assert round(chart["push_percent"], 2) == 58.28
    assert round(chart["call_percent"], 2) == 37.38
    for name in ("push", "call", "push_ev", "call_ev"):
        assert list(chart[name]) == list(CLASS_NAMES)
    assert 0.0 < chart["push"]["43s"] < 1.0
    assert 0.0 < chart["call"]["Q6s"] < 1.0
    # A mixed hand gains as much by playing as by folding.
    assert chart["push_ev"]["43s"] == pytest.approx(-0.5, abs=1e-9)
    assert chart["call_ev"]["Q6s"] == pytest.approx(-1.0, abs=1e-9)


def test_the_text_has_both_grids_ranges_and_mixed_hands(command: Command) -> None:
    lines = command("chart").out.splitlines()
    assert lines[0] == "Push/fold at 10 bb: the small blind loses 0.0453708 bb/hand"
    assert "mixed: 43s 71.07 %" in lines
    assert "mixed: Q6s 40.28 %" in lines
    assert [line.partition("; ")[2] for line in lines if "folding" in line] == [
        "folding loses 0.5 bb",
        "folding loses 1 bb",
    ]
    ranges = [line.removeprefix("range: ") for line in lines if line.startswith("range: ")]
    percents = [round(Range.parse(text).percent, 2) for text in ranges]
    assert percents == [58.28, 37.38]
    assert sum(line.startswith("AA  ") and "AKs" in line for line in lines) == 2
    assert max(map(len, lines[:18])) <= 80


def test_a_stack_needs_no_flag(command: Command) -> None:
    for short, long in (("8", ("--stack", "8")), ("2:3:0.5", ("--sweep", "2:3:0.5"))):
        assert command("chart", short, "--json").json == command("chart", *long, "--json").json
    for option in (("--stack", "10"), ("--sweep", "2:3:1")):
        refused = command("chart", "8", *option)
        assert refused.error == f"'8' and {option[0]} are given; give only one of them"
    assert "--stack contains 'x', which is not a number" in command("chart", "x").error
    twice = command("chart", "--stack", "10", "--sweep", "2:3:1")
    assert twice.error == "--stack and --sweep are given; give only one of them"


def test_ev_shows_what_hands_gain(command: Command) -> None:
    text = command("chart", "--ev").out
    assert "bb that pushing gains over folding (-0.5 bb)" in text
    assert "bb that calling gains over folding (-1 bb)" in text
    assert "pushing gains" not in command("chart").out


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (("--stack", "20"), -0.1831897),
        # Both were found by best responses that bracket them: tests/runs/pushfold/test_charts.py.
        (("--stack", "10", "--blinds", "50/100"), -0.0453708),
        (("--stack", "1_0"), -0.0453708),
        (("--stack", "15/10"), -0.0453708),
    ],
)
def test_values_at_other_stakes(command: Command, options: tuple[str, ...], value: float) -> None:
    assert command("chart", *options, "--json").json["value_bb"] == pytest.approx(value, abs=5e-8)


def test_antes_make_the_small_blind_push_more(command: Command) -> None:
    plain = command("chart", "--json").json
    ante = command("chart", "--ante", 0.1, "--json").json
    dead = command("chart", "--bb-ante", 1, "--json").json
    assert plain["push_percent"] < ante["push_percent"] < dead["push_percent"]
    assert "ante 0.1 each" in command("chart", "--ante", 0.1).out
    assert "big-blind ante 1" in command("chart", "--bb-ante", 1).out


def test_unequal_stacks_are_said_to_count_as_the_smaller(command: Command) -> None:
    words = "the effective stack counts: 8 bb, the smaller of 12 (small blind) and 8 (big blind)"
    assert words in command("chart", "--stack", "12/8").out
    as_json = command("chart", "--stack", "12/8", "--json")
    assert as_json.json["stack_bb"] == 8.0
    assert words in as_json.err


def test_a_big_blind_who_covers_ante_and_call_plays_for_one_ante_more(command: Command) -> None:
    """By the rules, and by PokerKit: won 9, lost 8, tied 0.5, and the value below."""
    found = command("chart", "--stack", "8/12", "--bb-ante", 1, "--json")
    assert found.json["value_bb"] == pytest.approx(0.49866, abs=5e-6)
    assert "8 (small blind) and 12 (big blind) are played like equal stacks of 9 bb" in found.err
    reverse = command("chart", "--stack", "12/8", "--bb-ante", 1, "--json").json
    assert reverse["value_bb"] == pytest.approx(0.52099, abs=5e-6)


def test_a_stack_that_cannot_push_is_refused_for_its_own_reason(command: Command) -> None:
    short = command("chart", "--stack", "1/12")
    assert short.status == 2
    assert "the small blind cannot push more than the big blind" in short.error
    assert "the stack is -5 bb; it must be more than 1" in command("chart", "--stack", -5).error


def test_iterative_methods_can_be_chosen(command: Command) -> None:
    chart = command("chart", "--method", "dcfr", "--json").json
    assert 0.0 < chart["exploitability_mbb"] <= 1e-3
    assert chart["value_bb"] == pytest.approx(-0.0453708, abs=2e-6)
    assert "does not make charts" in command("chart", "--method", "es").error
    assert "did you mean 'dcfr'" in command("chart", "--method", "dcfx").error


@pytest.mark.parametrize("option", ["png", "svg", "csv", "html"])
def test_a_file_is_what_its_name_says(command: Command, option: str) -> None:
    error = command("chart", f"--{option}", "x.jpg").error
    assert error.startswith(
        f"--{option} writes {option.upper()}, but x.jpg does not end in .{option}"
    )
    assert not Path("x.jpg").exists()


def test_what_is_not_a_strategy_is_refused_without_options_of_other_commands(
    command: Command,
) -> None:
    Path("c.png").write_bytes(bytes(5000))
    for line in (("chart", "--compare", "c.png"), ("pushfold", "match", "c.png", "nash")):
        error = command(*line).error
        assert "c.png has more than 2,704 bytes" in error
        assert "--" not in error


@pytest.mark.long
def test_the_page_fits_a_phone(command: Command) -> None:
    from tests.dashboard.browser import chromium

    command("chart", "--ev", "--html", "chart.html")
    command("chart", "--sweep", "4:12:1", "--html", "sweep.html")
    with chromium() as browser:
        for width in (320, 375):
            page = browser.new_page(viewport={"width": width, "height": 700})
            for name in ("chart.html", "sweep.html"):
                page.goto(Path(name).resolve().as_uri())
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            page.close()


@pytest.mark.long
def test_files_are_written_and_never_over_others(command: Command) -> None:
    pytest.importorskip("matplotlib")
    options: list[str] = []
    for form in ("png", "svg", "csv", "html"):
        options += [f"--{form}", f"chart.{form}"]
    outcome = command("chart", *options, "--json")
    assert outcome.status == 0
    assert list(outcome.json) == FIELDS
    assert Path("chart.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in Path("chart.svg").read_text(encoding="utf-8")
    assert "<!doctype html>" in Path("chart.html").read_text(encoding="utf-8")
    with Path("chart.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["hand"]: row for row in csv.DictReader(file)}
    assert list(rows) == list(CLASS_NAMES)
    assert float(rows["43s"]["push"]) == outcome.json["push"]["43s"]
    before = Path("chart.csv").read_bytes()
    assert "chart.csv already exists" in command("chart", "--csv", "chart.csv").error
    assert Path("chart.csv").read_bytes() == before
    assert "the folder of no/c.csv does not exist" in command("chart", "--csv", "no/c.csv").error
    assert sorted(path.name for path in Path().iterdir()) == [
        *("chart.csv", "chart.html", "chart.png", "chart.svg")
    ]


def test_images_need_an_extra(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "--png needs matplotlib: pip install 'untilt[plot]'" in (
        command("chart", "--png", "chart.png").error
    )


def test_a_sweep_gives_intervals(command: Command) -> None:
    outcome = command("chart", "--sweep", "2:11:0.5", "--csv", "table.csv", "--json")
    assert outcome.status == 0
    sweep = outcome.json
    assert [one["stack_bb"] for one in sweep["stacks"]] == [2.0 + 0.5 * n for n in range(19)]
    assert sweep["stacks"][16]["value_bb"] == pytest.approx(-0.0453708, abs=5e-8)
    assert sweep["push"]["43s"] == [[2.0, 2.0], [5.0, 7.5], [9.0, 9.0], [10.0, 10.0]]
    with Path("table.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["hand"]: row for row in csv.DictReader(file)}
    assert rows["43s"]["push"] == "2;5-7.5;9;10"
    assert rows["Q6s"]["call"] == "2-9.5"


def test_a_sweep_by_tenths_ends_where_it_should(command: Command) -> None:
    sweep = command("chart", "--sweep", "2:2.3:0.1", "--html", "table.html", "--json").json
    assert [one["stack_bb"] for one in sweep["stacks"]] == [2.0, 2.1, 2.2, 2.3]
    assert Path("table.html").exists()
    printed = command("chart", "--sweep", "2:2.3:0.1").out
    assert printed.startswith("Push/fold from 2 to 2.3 bb, 4 stacks")


def test_the_best_pushes_against_a_range_and_their_gain(command: Command) -> None:
    caller = "22+,A2s+,KTs+,A8o+,KJo+"
    chart = command("chart", "--against-call", caller, "--json").json
    assert list(chart) == [*FIELDS, "against"]
    answer = chart["against"]
    assert answer["best_range"] == "random"
    assert chart["value_bb"] == pytest.approx(answer["value_bb"])
    assert answer["gain_bb_100"] == pytest.approx(
        100.0 * (answer["value_bb"] - answer["equilibrium_range_value_bb"])
    )
    assert answer["gain_bb_100"] > 20.0
    assert "so the gain is" in command("chart", "--against-call", caller).out


def test_the_best_calls_against_any_two(command: Command) -> None:
    chart = command("chart", "--against-push", "random", "--json").json
    assert chart["push_percent"] == pytest.approx(100.0)
    assert round(chart["call_percent"]) == 66
    assert chart["against"]["player"] == "big blind"
    assert chart["against"]["value_bb"] == pytest.approx(-chart["value_bb"])


def test_the_published_chart_agrees_at_ten(command: Command) -> None:
    found = command("chart", "--compare", "hune", "--json").json["comparison"]
    assert found["cells_that_differ"] == 0
    assert found["wins_bb_100"] == pytest.approx(0.0, abs=1e-6)
    assert found["loses_to_best_response_bb_100"] == pytest.approx(0.0, abs=1e-9)
    assert found["other_loses_to_best_response_bb_100"] > 0.0
    assert "0 of 338 cells differ from hune" in command("chart", "--compare", "hune").out


def test_cells_that_differ_are_told_with_their_evs(command: Command) -> None:
    outcome = command("chart", "--stack", 8, "--compare", "hune", "--json")
    cells = outcome.json["comparison"]["cells"]
    assert [(cell["action"], cell["hand"]) for cell in cells] == [("push", "84s"), ("push", "43s")]
    assert all(cell["ev_difference_bb"] < 0.0 for cell in cells)
    assert all((cell["frequency"], cell["other_frequency"]) == (0.0, 1.0) for cell in cells)
    text = command("chart", "--stack", 8, "--compare", "hune").out
    assert "2 of 338 cells differ from hune" in text
    assert "84s" in text[text.index("338") :]


def test_a_chart_compared_with_its_own_file_is_the_same(command: Command) -> None:
    printed = command("chart", "--stack", 7, "--csv", "own.csv", "--json")
    Path("own.json").write_text(printed.out, encoding="utf-8")
    for name in ("own.csv", "own.json"):
        found = command("chart", "--stack", 7, "--compare", name, "--json").json["comparison"]
        assert found["cells_that_differ"] == 0
        assert found["other_loses_to_best_response_bb_100"] == pytest.approx(0.0, abs=1e-9)


def test_a_chart_of_other_stakes_is_compared_with_a_word(command: Command) -> None:
    assert "hune is for blinds 0.5/1 without antes" in (
        command("chart", "--ante", 0.1, "--compare", "hune", "--json").err
    )
    Path("seven.json").write_text(
        json.dumps(command("chart", "--stack", 7, "--json").json), encoding="utf-8"
    )
    assert "seven.json was made for 7 bb but is used with 10" in (
        command("chart", "--compare", "seven.json", "--json").err
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--stack", "1"), "no decision: the small blind should push every hand"),
        (("--stack", "0.3"), "no decision"),
        (("--stack", "-4"), "it must be more than 1"),
        (("--stack", "ten"), "--stack contains 'ten', which is not a number; give one"),
        (("--stack", "nan"), "--stack contains 'nan'"),
        (("--stack", "10/9/8"), "give one stack, or two"),
        (("--stack", "2000"), "at most 1000"),
        (("--ante", "-0.1"), "ante is -0.1 bb; it must be from 0 to 1"),
        (("--ante", "3"), "ante is 3 bb; it must be from 0 to 1"),
        (("--bb-ante", "7"), "bb_ante is 7 bb"),
        (("--stack", "2", "--bb-ante", "1"), "all-in after posting 2"),
        (("--blinds", "1"), "give small and big blind, such as 0.5/1"),
        (("--blinds", "2/1"), "the small blind must lie between 0 and the big blind"),
        (("--blinds", "0/0"), "the small blind must lie between 0 and the big blind"),
        (("--sweep", "2:25"), "give first, last and step"),
        (("--sweep", "25:2:1"), "the last stack not below the first"),
        (("--sweep", "2:25:0"), "the step must be positive"),
        (("--sweep", "2:25:1e-9"), "has more than 10,000 stacks"),
        (("--sweep", "0.5:25:0.5"), "no decision"),
        (("--sweep", "2:3:1", "--stack", "9"), "--stack and --sweep are given"),
        (("--sweep", "2:3:1", "--ev"), "--ev is for a single stack"),
        (("--sweep", "2:3:1", "--compare", "hune"), "--compare and --sweep are given"),
        (("--compare", "hune", "--against-call", "AA"), "give only one of them"),
        (("--sweep", "2:3:1", "--processes", "0"), "--processes is 0"),
        (("--processes", "2"), "--processes shares the work of a --sweep"),
        (("--against-call", "ZZ"), "a rank, one of"),
        (("--against-push", "none"), "the pushing range is empty"),
        (("--compare", "hume"), "hume is not a strategy"),
    ],
)
def test_bad_input_is_one_line(command: Command, options: tuple[str, ...], message: str) -> None:
    assert message in command("chart", *options).error


MINE = """# what I play at 10 bb
push = 22+, A2+, K2s+, K7o+, Q8s+,
       QTo+, J9s+, T9s, 72o
CALL: 22+, A2s+, A7o+, KTs+   # and KJo+ now and then
"""


def test_ranges_of_a_file_are_compared_with_marks_and_costs(command: Command) -> None:
    Path("mine.txt").write_text(MINE, encoding="utf-8")
    found = command("chart", "--compare", "mine.txt", "--json")
    assert found.err == ""
    chart, comparison = found.json, found.json["comparison"]
    cells = {(cell["action"], cell["hand"]): cell for cell in comparison["cells"]}
    assert len(cells) == comparison["cells_that_differ"]
    assert cells["push", "72o"]["other_frequency"] == 1.0
    assert cells["call", "KJo"]["other_frequency"] == 0.0
    assert all(cell["cost_bb_100"] > -1e-9 for cell in cells.values())
    # What each half costs against the equilibrium, computed from the match as a whole.
    value = 100.0 * chart["value_bb"]
    assert comparison["push_cost_bb_100"] == pytest.approx(
        comparison["as_big_blind_bb_100"] + value, abs=1e-9
    )
    assert comparison["call_cost_bb_100"] == pytest.approx(
        comparison["as_small_blind_bb_100"] - value, abs=1e-9
    )
    total = sum(cell["cost_bb_100"] for cell in cells.values())
    both = comparison["push_cost_bb_100"] + comparison["call_cost_bb_100"]
    assert total == pytest.approx(both, abs=1e-9)  # mixed hands gain nothing either way
    text = command("chart", "--compare", "mine.txt").out
    for words in ("+72o", "-JTo", "-KJo", "+ only mine.txt plays it", "costs bb/100"):
        assert words in text
    grid = text[text.index("small blind: push\n") :].splitlines()[1:14]
    assert grid[0].split() == [f"A{rank}{'s' * (rank != 'A')}" for rank in "AKQJT98765432"]
    assert all(len(line) == 13 * 6 - 1 for line in grid)
    assert f"the 20 of {len(cells)} that cost most" in text


def test_pages_and_pictures_mark_the_same_hands_as_the_terminal(command: Command) -> None:
    Path("mine.txt").write_text(MINE, encoding="utf-8")
    pytest.importorskip("matplotlib")
    files = ("--html", "c.html", "--svg", "c.svg", "--png", "c.png")
    found = command("chart", "--compare", "mine.txt", *files, "--json").json["comparison"]
    marks = {
        f"{'+' if cell['other_frequency'] > 0.5 else '-'}{cell['hand']}": cell["frequency"]
        for cell in found["cells"]
    }
    page = Path("c.html").read_text(encoding="utf-8")
    assert set(re.findall(r"<b>([+-]\w+)</b>", page)) == {*marks}
    assert page.count(" marked ") == found["cells_that_differ"]
    assert page.count("<p>+ only mine.txt plays it, - only this chart does</p>") == 2
    assert f"{found['cells_that_differ']} of 338 cells differ from mine.txt" in page
    picture = Path("c.svg").read_text(encoding="utf-8")
    # The names of mixed hands have a halo, so they are outlines without a comment.
    pure = {name for name, share in marks.items() if share < 1e-3 or share > 1.0 - 1e-3}
    assert set(re.findall(r"<!-- ([+-]\w+) -->", picture)) == pure
    assert picture.count("stroke: #ffc400") == found["cells_that_differ"]
    assert "mine.txt plays it" in picture
    assert Path("c.png").stat().st_size > 10_000
    plain = command("chart", "--html", "plain.html")
    assert plain.status == 0
    assert " marked " not in Path("plain.html").read_text(encoding="utf-8")


def test_a_file_with_one_range_takes_the_other_from_the_equilibrium(command: Command) -> None:
    Path("calls.txt").write_text("call=QQ+", encoding="utf-8")
    found = command("chart", "--compare", "calls.txt", "--json")
    assert "calls.txt has no push=: the equilibrium's pushes are used" in found.err
    assert {cell["action"] for cell in found.json["comparison"]["cells"]} == {"call"}
    assert found.json["comparison"]["push_cost_bb_100"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("22+,AK", "bad.txt: '22+,AK' is not a strategy: give 'push=RANGE;call=RANGE'"),
        ("push=22+\npush=AA", "each at most once"),
        ("push=22+,ZZ", "bad.txt: range '22+,ZZ', character 5"),
        ("", "is not a strategy"),
    ],
)
def test_files_of_ranges_that_do_not_fit_are_refused(
    command: Command, text: str, words: str
) -> None:
    Path("bad.txt").write_text(text, encoding="utf-8")
    assert words in command("chart", "--compare", "bad.txt").error
