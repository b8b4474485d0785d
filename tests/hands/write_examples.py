"""The hands in examples/hands: simulated, as each site would write them.

uv run python -m tests.hands.write_examples
"""

from pathlib import Path

from tests.hands.simulated import (
    Simulated,
    chips,
    dollars,
    ggpoker_text,
    grouped,
    pokerstars_text,
    simulate,
)

from untilt.formats.exchange.phh import format_phh
from untilt.hands.hand import RecordedHand
from untilt.hands.reading import read_lines

FOLDER = Path(__file__).parents[2] / "examples" / "hands"
PEOPLE = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn")


def texts() -> dict[str, str]:
    """Return the files by name."""
    ring = [simulate(seed, num_players=6, ante=0, people=PEOPLE) for seed in range(20)]
    pairs = [simulate(seed, num_players=2, ante=0, people=PEOPLE) for seed in range(20, 40)]
    late = [simulate(seed, num_players=5, ante=5, people=PEOPLE) for seed in range(40, 50)]
    return {
        "pokerstars-cash.txt": "".join(pokerstars_text(hand, dollars) for hand in ring),
        "pokerstars-heads-up.txt": "".join(pokerstars_text(hand, dollars) for hand in pairs),
        "pokerstars-tournament.txt": "".join(pokerstars_text(hand, chips) for hand in late),
        "ggpoker-cash.txt": "".join(ggpoker_text(hand, dollars) for hand in ring[:10]),
        "ggpoker-tournament.txt": "".join(ggpoker_text(hand, grouped) for hand in late),
        "cash.phhs": "".join(
            f"[{number}]\n{_phh(hand)}\n" for number, hand in enumerate(ring[10:], start=1)
        ),
    }


def _phh(played: Simulated) -> str:
    [hand] = read_lines(iter(pokerstars_text(played).splitlines()), "")
    assert isinstance(hand, RecordedHand)
    return format_phh(hand.to_history())


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
