"""Folders of hands and a review of short stacks by charts, which is made quickly."""

from pathlib import Path

from tests.hands.simulated import pokerstars_text, simulate

import untilt

_PUSH = """
[{number}]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [1000, 1000]
actions = ['d dh p1 {big}', 'd dh p2 {small}', {actions}]
players = ['Bob', 'Ann']
hand = {number}
time = 18:{minute:02}:00
day = 4
month = 3
year = 2026
"""
_PLAYED = (
    ("7h2c", "AsAh", "'p2 cbr 1000', 'p1 f'"),
    ("7h2c", "KsKh", "'p2 f'"),
    ("7h2c", "7s2d", "'p2 cbr 1000', 'p1 cc', 'd db 3h4s8s', 'd db Jd', 'd db Kc'"),
    ("AcAd", "QsJs", "'p2 cbr 1000', 'p1 f'"),
    ("AcAd", "QsJs", "'p2 cbr 200', 'p1 f'"),
)
NUM_SHORT = 60
NUM_RING = 40


def make_folders(root: Path) -> None:
    """Make `hands` with short stacks, its review `leaks`, and `deep/ring` with larger tables."""
    root.mkdir(exist_ok=True)
    texts = [
        _PUSH.format(number=number + 1, minute=number, big=big, small=small, actions=actions)
        for number in range(NUM_SHORT)
        for big, small, actions in [_PLAYED[number % len(_PLAYED)]]
    ]
    given = root / "short.phhs"
    given.write_text("".join(texts), "utf-8")
    untilt.hands.import_hands(given, root / "hands")
    untilt.hands.review(root / "hands", player="Ann", agent="pushfold", output=root / "leaks")
    given.write_text("".join(pokerstars_text(simulate(seed)) for seed in range(NUM_RING)), "utf-8")
    given.rename(root / "ring.txt")
    untilt.hands.import_hands(root / "ring.txt", root / "deep" / "ring")
