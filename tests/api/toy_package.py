"""A package of somebody else's that adds a game and a method, as if pip had installed it.

`install` writes its modules and its metadata into a folder; no network and no build is needed.
"""

from pathlib import Path

MODULE = '''
"""A toy package: a game, a method, and plug-ins that are broken in every way."""

import sys

from untilt import Game
from untilt.games.matrix import matrix
from untilt.research import ALPHA, GAMMA, Option, cfr_variant, integer

print("toy is being imported")  # must not get into results


def odd_one_out(prize: float = 2.0) -> Game:
    """Two coins; player 0 wins the prize if both show heads, else one chip each way."""
    return matrix(payoffs=f"{prize} -1; -1 1")


METHOD = cfr_variant(
    "toy-cfr",
    "discounted regrets with exponents of its own",
    ALPHA.by_default(1.25),
    GAMMA.by_default(3.5),
    Option("patience", int, 7, "Unused, but a flag of its own.", check=integer(1, 100)),
)
'''

BROKEN = "raise RuntimeError('the disk of this plug-in\\nis upside down')\n"

ENTRY_POINTS = {
    "untilt.games": {"odd-one-out": "toy_untilt:odd_one_out"},
    "untilt.methods": {"toy-cfr": "toy_untilt:METHOD"},
}


def install(
    folder: Path,
    name: str = "toy-untilt",
    modules: dict[str, str] | None = None,
    entry_points: dict[str, dict[str, str]] | None = None,
) -> Path:
    """Write a package to `folder`, with its dist-info, and return the folder."""
    folder.mkdir(exist_ok=True)
    for module, source in (modules or {"toy_untilt": MODULE}).items():
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("")
    lines = []
    for group, points in (entry_points or ENTRY_POINTS).items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder
