"""Colours of actions by their meaning, and of runs, for charts, exports and the page.

Fold is blue, check and call are green, bets and raises go from amber to dark red by size, and
all-in is the darkest. Any other action gets a colour that depends on its name alone, and a hatch.

Any two kinds differ by at least 15 (CIEDE2000) with normal vision, deuteranopia and protanopia, and
every colour has a contrast of at least 3:1 to the paper; `tests/charts/test_palette.py` computes
both. `docs/generate_palette.py` writes the same colours to the page's style sheet.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from untilt.game.actions import ActionData, Kind, action_data

NUM_SIZES = 4
"""Steps between the smallest and the largest bet; with more sizes, neighbours share a step."""
NUM_OTHERS = 4
NUM_HATCHES = 4

LIGHT: Mapping[str, str] = {
    "fold": "#5a86cc",
    "check": "#379a82",
    "call": "#075a56",
    "bet-0": "#c08200",
    "bet-1": "#c45210",
    "bet-2": "#ad3f14",
    "bet-3": "#942d16",
    "all-in": "#560b18",
    "other-0": "#5d3fb0",
    "other-1": "#7d858e",
    "other-2": "#8f8400",
    "other-3": "#3d4753",
}
"""On light paper: `#rrggbb` by style."""

DARK: Mapping[str, str] = {
    "fold": "#6f9be0",
    "check": "#8ae6cc",
    "call": "#37a586",
    "bet-0": "#ffdb8f",
    "bet-1": "#ffb04d",
    "bet-2": "#f78a40",
    "bet-3": "#f06a2c",
    "all-in": "#c92f42",
    "other-0": "#9a7cf0",
    "other-1": "#aab2bc",
    "other-2": "#d8cf4a",
    "other-3": "#eef1f4",
}
"""On dark paper."""

TERMINAL: Mapping[str, str] = {
    "fold": "steel_blue1",
    "check": "aquamarine3",
    "call": "dark_cyan",
    "bet-0": "orange1",
    "bet-1": "dark_orange",
    "bet-2": "orange_red1",
    "bet-3": "red1",
    "all-in": "red3",
    "other-0": "medium_purple2",
    "other-1": "grey62",
    "other-2": "yellow3",
    "other-3": "grey78",
}
"""The nearest of a terminal's 256 colours that are readable on black and on white."""

RUNS_LIGHT = ("#0b6e8f", "#d4730b", "#7a4fa3", "#2f8f4e", "#c23b6b", "#6b6f1a")
"""Colours of runs drawn together, by their position, on light paper."""

RUNS_DARK = ("#4fb3d3", "#f09a42", "#b08fd6", "#62bf81", "#ec7aa2", "#c1c45c")
"""Colours of runs on dark paper."""

INKS = ("#ffffff", "#10161c")
"""Colours of text on an action's colour."""


class Style(NamedTuple):
    """The look of an action."""

    name: str
    """A key of `LIGHT` and `DARK`."""
    hatch: int | None = None
    """The pattern over the colour, one of `NUM_HATCHES`; None for poker actions."""


def styles_of(actions: Sequence[str]) -> list[Style]:
    """Return the styles of the actions of one decision."""
    data = [action_data(name) for name in actions]
    sizes = sorted({_size(one) for one in data if _is_bet(one)})
    return [
        Style(f"bet-{step(sizes.index(_size(one)), len(sizes))}") if _is_bet(one) else _style(one)
        for one in data
    ]


def colour_of(action: str) -> str:
    """Return the colour of an action on light paper, whatever the other actions are."""
    return LIGHT[styles_of([action])[0].name]


def run_colour(position: int) -> str:
    """Return the colour of the run at `position`, from 0, among those drawn together."""
    return RUNS_LIGHT[position % len(RUNS_LIGHT)]


def is_run_dashed(position: int) -> bool:
    """Whether the line of that run is dashed, because another run has its colour."""
    return position >= len(RUNS_LIGHT)


def step(rank: int, num_sizes: int) -> int:
    """Return the step of the `rank`-th smallest of `num_sizes` bets; a single one is in between."""
    return (
        1
        if num_sizes == 1
        else (2 * rank * (NUM_SIZES - 1) + num_sizes - 1) // (2 * (num_sizes - 1))
    )


def ink_on(colour: str) -> str:
    """Return the colour of text that has the larger contrast on `colour`."""
    return max(INKS, key=lambda ink: contrast(ink, colour))


def blend(paper: str, colour: str, depth: float) -> str:
    """Return `colour` painted over `paper` with the opacity `depth`, 0–1."""
    pairs = zip(_parts(paper), _parts(colour), strict=True)
    return "#" + "".join(f"{round(low + depth * (high - low)):02x}" for low, high in pairs)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def style_sheet() -> str:
    """Return the colours as custom properties and classes, in CSS."""
    rules = [
        _properties(":root", LIGHT, RUNS_LIGHT),
        _properties(':root[data-theme="dark"]', DARK, RUNS_DARK),
    ]
    rules += [
        f".action-{name} {{ --colour: var(--action-{name}); --on: var(--on-{name}); }}"
        for name in LIGHT
    ]
    return "\n".join(["/* Written by docs/generate_palette.py. */", *rules, ""])


def _properties(selector: str, colours: Mapping[str, str], runs: Sequence[str]) -> str:
    lines = [
        f"  --action-{name}: {colour}; --on-{name}: {ink_on(colour)};"
        for name, colour in colours.items()
    ]
    lines += [f"  --run-{position}: {colour};" for position, colour in enumerate(runs)]
    return "\n".join([f"{selector} {{", *lines, "}"])


def _is_bet(action: ActionData) -> bool:
    return action.kind in (Kind.BET, Kind.RAISE)


def _size(action: ActionData) -> float:
    return 0.0 if action.amount is None else action.amount


def _style(action: ActionData) -> Style:
    if action.kind is not Kind.OTHER:
        return Style(action.kind.value)
    number = name_hash(action.name)
    return Style(f"other-{number % NUM_OTHERS}", number // NUM_OTHERS % NUM_HATCHES)


def name_hash(name: str) -> int:
    """Return the 32-bit FNV-1a hash of a name's UTF-8 bytes, spread to its low bits.

    The page computes the same.
    """
    number = 0x811C9DC5
    for byte in name.encode():
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return number ^ number >> 16


def _parts(colour: str) -> list[int]:
    return [int(colour[begin : begin + 2], 16) for begin in (1, 3, 5)]


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in _parts(colour)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
