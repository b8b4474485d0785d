"""Colours of actions: told apart with any colour vision, visible on paper, the same everywhere."""

import re
from itertools import combinations
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt
from pathlib import Path

import pytest

from untilt.charts.palette import (
    DARK,
    LIGHT,
    TERMINAL,
    Style,
    blend,
    contrast,
    ink_on,
    name_hash,
    step,
    style_sheet,
    styles_of,
)

WEB = Path(__file__).parents[2] / "web" / "src"

NORMAL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# Machado, Oliveira and Fernandes 2009, table 1, severity 1.0; they apply to linear RGB.
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
PROTANOPIA = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)
VISIONS = {"normal": NORMAL, "deuteranopia": DEUTERANOPIA, "protanopia": PROTANOPIA}
TO_XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE = (0.95047, 1.0, 1.08883)

Matrix = tuple[tuple[float, float, float], ...]
Lab = tuple[float, float, float]


def lab(colour: str, vision: Matrix = NORMAL) -> Lab:
    """Return the colour as it is seen, in CIELAB."""
    parts = [int(colour[begin : begin + 2], 16) / 255 for begin in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    seen = [min(max(dot(row, linear), 0.0), 1.0) for row in vision]
    shares = [dot(row, seen) / white for row, white in zip(TO_XYZ, WHITE, strict=True)]
    x, y, z = (
        share ** (1 / 3) if share > 216 / 24389 else (24389 / 27 * share + 16) / 116
        for share in shares
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def dot(row: tuple[float, ...], values: list[float]) -> float:
    return sum(weight * value for weight, value in zip(row, values, strict=True))


def ciede2000(one: Lab, other: Lab) -> float:
    """Return the difference of two colours (Sharma, Wu and Dalal 2005)."""
    mean_chroma = (hypot(*one[1:]) + hypot(*other[1:])) / 2
    stretch = 1.5 - 0.5 * sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    (l1, a1, b1), (l2, a2, b2) = ((each[0], each[1] * stretch, each[2]) for each in (one, other))
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    is_grey = c1 * c2 == 0
    turn = 0.0 if is_grey else (h2 - h1 + 180) % 360 - 180
    hue_part = 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + h2 if is_grey else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    by_lightness = 1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2)
    by_chroma, by_hue = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    rotation = -2 * sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation *= sin(radians(60 * exp(-(((hue - 275) / 25) ** 2))))
    dl, dc, dh = (l2 - l1) / by_lightness, (c2 - c1) / by_chroma, hue_part / by_hue
    return sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh)


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((63.0109, -31.0961, -5.8663), (62.8187, -29.7946, -4.0864), 1.2630),
        ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
    ],
)
def test_differences_are_those_of_the_published_pairs(
    one: Lab, other: Lab, published: float
) -> None:
    """Rows 1, 17, 25 and 33 of table 1 in Sharma, Wu and Dalal 2005."""
    assert ciede2000(one, other) == pytest.approx(published, abs=1e-4)


def kind(name: str) -> str:
    return re.sub(r"-\d$", "", name)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_kinds_of_actions_differ_with_any_colour_vision(
    colours: dict[str, str], vision: str
) -> None:
    """Other actions are hatched, a second cue; among themselves they differ as kinds do."""
    plain = [name for name in colours if kind(name) != "other"]
    pairs = [pair for pair in combinations(plain, 2) if kind(pair[0]) != kind(pair[1])]
    pairs += combinations([name for name in colours if kind(name) == "other"], 2)
    for one, other in pairs:
        seen = [lab(colours[name], VISIONS[vision]) for name in (one, other)]
        assert ciede2000(*seen) >= 15, (one, other)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_bets_get_darker_by_size_and_all_in_is_the_darkest(colours: dict[str, str]) -> None:
    ramp = [lab(colours[name])[0] for name in ("bet-0", "bet-1", "bet-2", "bet-3", "all-in")]
    assert ramp == sorted(ramp, reverse=True)
    assert (
        min(lab(colour)[0] for name, colour in colours.items() if kind(name) != "other") == ramp[-1]
    )


def papers(theme: str) -> list[str]:
    """Return the page's colours of paper and panel."""
    sheet = (WEB / "styles.css").read_text("utf-8")
    block = sheet.partition(f"color-scheme: {theme};")[2].partition("}")[0]
    return re.findall(r"--(?:paper|panel): (#\w{6});", block)


@pytest.mark.parametrize(("theme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_lines_are_visible_on_the_paper_and_text_on_the_colours(
    theme: str, colours: dict[str, str]
) -> None:
    assert len(papers(theme)) == 2
    for name, colour in colours.items():
        for paper in papers(theme):
            assert contrast(colour, paper) >= 3, name
        assert contrast(ink_on(colour), colour) >= 4.5, name


# Where text on a shade of the page's grids of hands changes, as in hand_grid.css.
TURNS = {
    "light": {"push": 0.575, "call": 0.725, "gain": 0.7, "loss": 0.7, "regret": 0.7},
    "dark": {"push": 1.0, "call": 0.725, "gain": 0.54, "loss": 0.54, "regret": 0.54},
}


@pytest.mark.parametrize(("theme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_text_is_readable_on_every_shade_of_a_grid_of_hands(
    theme: str, colours: dict[str, str]
) -> None:
    sheet = (WEB / "charts" / "hand_grid.css").read_text("utf-8")
    start = ".hand-grid, .picture {" if theme == "light" else ":is(.hand-grid, .picture) {"
    block = sheet.partition(start)[2].partition("}")[0]
    shades = dict(re.findall(r"--([\w-]+): (#\w{6});", block))
    tones = shades | {"push": colours["all-in"], "call": colours["call"]}
    depths = (WEB / "charts" / "hand_grid.ts").read_text("utf-8")
    assert "{ medium: 0.54, middling: 0.575, strong: 0.7, deep: 0.725 }" in depths
    for tone, turn in TURNS[theme].items():
        for percent in range(101):
            painted = blend(shades["blank"], tones[tone], percent / 100)
            ink = shades["shade-ink" if percent / 100 > turn else "pale-ink"]
            assert contrast(ink, painted) >= 4.4, (tone, percent)


def test_the_page_has_the_same_colours() -> None:
    """Otherwise run `uv run python docs/generate_palette.py`."""
    assert (WEB / "palette.css").read_text("utf-8") == style_sheet()


def test_every_style_has_a_colour_in_each_theme_and_in_the_terminal() -> None:
    assert list(LIGHT) == list(DARK) == list(TERMINAL)


def test_the_style_of_an_action_is_its_meaning_not_its_place() -> None:
    assert styles_of(["fold", "call", "raise"]) == [Style("fold"), Style("call"), Style("bet-1")]
    assert styles_of(["check", "bet"]) == [Style("check"), Style("bet-1")]
    sized = ["check", "bet 33", "bet 75", "bet 150", "all-in"]
    assert [style.name for style in styles_of(sized)] == [
        "check",
        "bet-0",
        "bet-2",
        "bet-3",
        "all-in",
    ]
    assert styles_of(["bid 2", "liar"])[1] == styles_of(["liar"])[0]
    assert styles_of(["liar"])[0].hatch is not None


def test_sizes_are_spread_over_all_steps() -> None:
    assert [step(rank, 2) for rank in range(2)] == [0, 3]
    assert [step(rank, 4) for rank in range(4)] == [0, 1, 2, 3]
    assert [step(rank, 7) for rank in range(7)] == [0, 1, 1, 2, 2, 3, 3]


def test_the_hash_is_fnv_1a() -> None:
    """FNV-1a of "" and "a" as in the draft of Fowler, Noll, Vo and Eastlake, folded to 16 bits."""
    assert name_hash("") == 0x811C9DC5 ^ 0x811C
    assert name_hash("a") == 0xE40C292C ^ 0xE40C
    assert name_hash("3 × 5 – bluff") == 0xB2912F9C
