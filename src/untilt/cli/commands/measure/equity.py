"""`untilt equity`."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.options.option_flags import with_options
from untilt.errors import InvalidOption
from untilt.options.cards import EQUITY

if TYPE_CHECKING:
    from untilt.cards.equity.all_in import Equity, HandEquity
    from untilt.numeric.chunks import OnShare

_QUIET_SECONDS = 0.5
"""Shorter computations show no progress."""
_PLAIN_SECONDS = 5.0
"""Time between two progress lines if stderr is not a terminal."""


@with_options(EQUITY)
def equity(
    hands: Annotated[
        list[str],
        typer.Argument(
            metavar="HAND_OR_RANGE",
            help="Two to six: AsAh, QQ, 22+,A2s+,KTs-K7s,AQo:0.5 or random.",
            show_default=False,
        ),
    ],
    **given: Any,
) -> None:
    """Compute the all-in equity of hands and ranges, exactly wherever possible.

    Shows for each side how often it wins, ties and loses, and its share of the pot.
    """
    from untilt.cards.equity.all_in import equity as all_in_equity
    from untilt.cards.equity.all_in import hand_equities
    from untilt.cli.app.output import print_json

    as_json, per_hand = given.pop("as_json", False), given.pop("per_hand", False)
    if per_hand and len(hands) != 2:
        raise InvalidOption(f"--per-hand needs two hands or ranges; {len(hands)} given")
    if per_hand and "samples" in given:
        raise InvalidOption("--per-hand is always exact; leave --samples out")
    given.setdefault("threads", os.cpu_count() or 1)
    with _progress() as watcher:
        found = all_in_equity(*hands, watcher=watcher, **given)
        sides = None
        if per_hand:
            given.pop("seed", None)
            sides = hand_equities(*hands, watcher=watcher, **given)
    if as_json:
        document = found.to_json()
        if sides is not None:
            document["hands"] = [[hand.to_json() for hand in side] for side in sides]
        print_json(document)
        return
    _print_sides(hands, found)
    for text, side in zip(hands, sides or (), strict=False):
        _print_hands(text, side)


@contextmanager
def _progress() -> "Iterator[OnShare]":
    """Provide a watcher that draws a bar on stderr once the computation takes long."""
    from untilt.cli.app.output import say

    begin = said = time.monotonic()
    bar: Any = None
    task: Any = None

    def watch(share: float) -> None:
        nonlocal bar, task, said
        now = time.monotonic()
        if now - begin < _QUIET_SECONDS:
            return
        if bar is None:
            bar = _new_bar()
            bar.start()
            task = bar.add_task("equity", total=1.0)
        bar.update(task, completed=share)
        if not bar.console.is_terminal and now - said >= _PLAIN_SECONDS:
            said = now
            say(f"equity  {share:.0%}")

    try:
        yield watch
    finally:
        if bar is not None:
            bar.stop()


def _new_bar() -> Any:
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    from untilt.cli.app.output import stderr

    console = stderr()
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _print_sides(hands: list[str], found: "Equity") -> None:
    width = max(5, *(len(_short(text)) for text in hands))
    is_sampled = found.standard_errors is not None
    heading = f"{'':{width}}   equity      win      tie     lose"
    typer.echo(heading + ("  standard error" if is_sampled else ""))
    for side, text in enumerate(hands):
        counts = found.wins[side], found.ties[side], found.losses[side]
        line = f"{_short(text):{width}}  {_percent(found.equities[side])}{_shares(counts)}"
        if found.standard_errors is not None:
            line += f"{100 * found.standard_errors[side]:15.4f}%"
        typer.echo(line)
    if is_sampled:
        typer.echo(f"estimated from {found.boards:,} random deals")
    else:
        table = "match-ups" if len(hands) == 2 else "three-way all-ins"
        way = f"by the table of {table}" if found.method == "table" else "by enumeration"
        plural = "board" if found.boards == 1 else "boards"
        typer.echo(f"exact {way}: {found.boards:,} {plural} for every choice of hands")


def _print_hands(text: str, side: "list[HandEquity]") -> None:
    typer.echo(f"\n{_short(text)}")
    for hand in sorted(side, key=lambda hand: -hand.equity if hand.is_met else 1.0):
        weight = "" if hand.weight == 1.0 else f"  weight {hand.weight:g}"
        if hand.is_met:
            shares = _percent(hand.equity) + _shares((hand.wins, hand.ties, hand.losses))
        else:
            shares = "  conflicts with every opposing hand"
        typer.echo(f"{hand.name:5}  {shares}{weight}")


def _shares(counts: tuple[float, float, float]) -> str:
    total = sum(counts)
    return "".join(f"  {100 * count / total:6.2f}%" for count in counts)


def _percent(share: float) -> str:
    return f"{100 * share:6.2f}%"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
