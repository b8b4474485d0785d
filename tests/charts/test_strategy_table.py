"""The table of a strategy: what it shows, and that it fits where it is printed."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from untilt.charts.strategy_table import ASCII_SHADES, StrategyTable, TableColumns, bar
from untilt.game.strategy.rows import Row

NAN = float("nan")


def row(
    private: str = "K",
    public: str = "",
    line: str = "cb",
    actions: tuple[str, ...] = ("fold", "call", "raise"),
    probabilities: tuple[float, ...] = (0.25, 0.25, 0.5),
    player: int = 0,
    reach: float = 0.5,
    values: tuple[float, ...] | None = None,
) -> Row:
    return Row(
        player=player,
        label=f"P{player}:{private}:{public}:{line}",
        private=private,
        public=public,
        line=line,
        actions=actions,
        probabilities=probabilities,
        values=tuple(-1.0 - index for index in range(len(actions))) if values is None else values,
        own_reach=1.0,
        opponent_reach=reach,
    )


LEDUC = [
    row("J", "", "", ("check", "bet"), (0.9, 0.1)),
    row("J", "Q", "cbc/cbr", ("fold", "call"), (1.0, 0.0)),
    row("K", "K", "brc/cb", reach=1e-7),
    row("K", "K", "brc/c", player=1),
]


def printed(
    rows: list[Row], columns: TableColumns, width: int, encoding: str = "utf-8", **options: object
) -> list[str]:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    console = Console(file=stream, width=width, markup=False, emoji=False)
    console.print(StrategyTable(rows, columns, **options))  # type: ignore[arg-type]
    return [line.rstrip() for line in raw.getvalue().decode(encoding).splitlines()]


@pytest.mark.parametrize("width", [72, 80, 100, 120, 200, 10_000])
@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("reach", [False, True])
def test_the_table_fits_its_width_without_losing_a_number(
    width: int, values: bool, reach: bool
) -> None:
    lines = printed(LEDUC, TableColumns(values, reach), width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "…" not in text
    assert "cbc/cbr" in text
    assert text.count("raise  50.0%") == 2
    assert text.count("-3.0000") == (2 if values else 0)
    assert ("1e-07" in text) == reach


def test_bars_shrink_before_anything_wraps() -> None:
    def bar_width(width: int) -> int:
        line = next(
            line for line in printed(LEDUC, TableColumns(), width) if line.startswith("J  ")
        )
        return sum(line.count(shade) for shade in "░▓█▒▚")

    assert [bar_width(width) for width in (200, 80, 72)] == [24, 15, 7]
    assert bar_width(69) == 0


def test_values_stand_beside_the_strategy_where_there_is_room_and_else_below() -> None:
    wide = printed(LEDUC[2:3], TableColumns(values=True), 120)
    assert "value of each action" in wide[1]
    assert wide[2].endswith("fold -1.0000  call -2.0000  raise -3.0000")
    narrow = printed(LEDUC[2:3], TableColumns(values=True), 72)
    assert narrow[2].endswith("fold  25.0%  call  25.0%  raise  50.0%")
    assert narrow[3].split() == ["-1.0000", "-2.0000", "-3.0000"]
    assert len(narrow[3]) == len(narrow[2])


def test_columns_that_say_nothing_are_left_out() -> None:
    assert printed([row()], TableColumns(), 80)[1].split() == ["card", "line", "strategy"]
    assert printed([row(private="", line="")], TableColumns(), 80)[1].split() == [
        "infoset",
        "strategy",
    ]
    assert printed([], TableColumns(), 80) == ["no infoset matches"]


def test_labels_are_printed_as_they_are() -> None:
    strange = row(private="[bold]", public=":x:", line="[/]")
    text = "\n".join(printed([strange], TableColumns(), 120))
    assert "[bold]" in text
    assert ":x:" in text
    assert "[/]" in text


def test_a_value_that_is_undefined_is_a_dash() -> None:
    lines = printed([row(values=(NAN, NAN, 1.0))], TableColumns(values=True), 120)
    assert lines[2].endswith("fold       –  call       –  raise +1.0000")


def test_of_many_actions_only_those_that_are_played_are_listed() -> None:
    actions = tuple(f"bid {number}" for number in range(12))
    probabilities = tuple(0.2 if number in {1, 3, 5, 7, 9} else 0.0 for number in range(12))
    lines = printed([row(actions=actions, probabilities=probabilities)], TableColumns(), 80)
    text = "\n".join(lines)
    assert max(map(len, lines)) <= 80
    assert text.count("20.0%") == 5
    assert "bid 0 " not in text


def test_where_only_ascii_can_be_printed_the_table_is_ascii() -> None:
    text = "\n".join(printed(LEDUC, TableColumns(True, True), 100, encoding="ascii"))
    assert text.isascii()
    assert any(shade * 3 in text for shade in ASCII_SHADES)


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=13).filter(lambda raw: sum(raw) > 0.0),
    st.integers(1, 60),
)
def test_a_bar_is_always_as_wide_as_asked_and_each_share_is_right_to_a_cell(
    raw: list[float], width: int
) -> None:
    probabilities = [one / sum(raw) for one in raw]
    text = bar(tuple(map(str, range(len(raw)))), probabilities, width)
    assert len(text.plain) == width
    if len(raw) <= 5:
        for action, probability in enumerate(probabilities):
            cells = text.plain.count("░▓█▒▚"[action])
            assert abs(cells - probability * width) <= 1.0 + 1e-9
