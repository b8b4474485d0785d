"""Lines for the terminal with a blueprint's knowledge of a decision."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from untilt.durations import shown_duration

if TYPE_CHECKING:
    from untilt.game.terms import Terms
    from untilt.policy.thinking.insight import Insight
    from untilt.policy.thinking.public_hand import PublicHand

_MOST_SHOWN = 6
_LEAST_SHOWN = 0.0005


def mix_words(mix: Mapping[str, float]) -> str:
    """Return the most frequent actions of a mix: `check 64.0 %, bet 12 36.0 %`."""
    ordered = sorted(mix.items(), key=lambda pair: -pair[1])[:_MOST_SHOWN]
    return ", ".join(
        f"{name} {100.0 * share:.1f} %" for name, share in ordered if share >= _LEAST_SHOWN
    )


def values_words(insight: "Insight") -> str:
    """Return what actions are worth, the best first; empty if that is not known."""
    ordered = sorted(insight.values.items(), key=lambda pair: -pair[1])[:_MOST_SHOWN]
    return ", ".join(f"{name} {value:+.3g}" for name, value in ordered)


def cost_words(insight: "Insight") -> str:
    """Return what a choice cost, with its standard error, and where the number comes from."""
    if insight.cost is None:
        return "cost not known"
    spread = f" ± {insight.error:.2g}" if insight.error > 0.0 else ""
    return f"cost {insight.cost:.3f}{spread} ({insight.basis})"


def solved_words(insight: "Insight") -> str:
    """Return what was solved, and what that changed; empty if nothing was."""
    if insight.solved is None:
        return ""
    share = 100.0 * insight.solved["share_of_pot"]
    words = f"solved in {shown_duration(insight.solved['seconds'])} to {share:.2f} % of the pot"
    if insight.blueprint is None:
        return words
    return f"{words}; the blueprint: {mix_words(insight.blueprint)}"


def thought_line(insight: "Insight", terms: "Terms") -> str:
    """Return what the opponent thought at a decision of its own."""
    seat, board = terms.seats[insight.infoset.player], insight.infoset.public
    where = f" on {board}" if board else ""
    parts = [
        f"{seat} with {insight.infoset.private}{where}: {insight.chosen}, of "
        f"{mix_words(insight.mix)}"
    ]
    if insight.values:
        parts.append(f"worth {values_words(insight)}")
    if insight.solved is not None:
        parts.append(solved_words(insight))
    return "; ".join(parts)


def range_grids(
    hand: "PublicHand",
    seat: int,
    names: tuple[str, str] = ("its range", "your range, as it sees it"),
) -> str:
    """Return the ranges of both players as grids, that of the opponent of `seat` first."""
    from untilt.cards.ranges.range import Range
    from untilt.charts.hand_grid import range_grid
    from untilt.policy.thinking.insight import evened

    lines = []
    for player, words in ((1 - seat, names[0]), (seat, names[1])):
        grid = range_grid(Range(evened(hand.ranges[player], hand.board)))
        lines += [words, *str(grid).splitlines()[:-1], ""]
    return "".join(f"  {line}".rstrip() + "\n" for line in lines)
