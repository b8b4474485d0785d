"""`untilt hands`: folders of hand histories."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import Json
from untilt.cli.options.option_flags import chosen_of, with_options
from untilt.errors import InvalidOption
from untilt.options.hands import EXPORT, FILTERS, IMPORT, LIST, RANGES, REPORT, REVIEW, TILT

if TYPE_CHECKING:
    from untilt.hands.store.hand_store import Found, HandStore
    from untilt.hands.store.importing import HandImport, OnImport
    from untilt.play.leaks.leaks import Leaks
    from untilt.play.leaks.reviewing import OnReview, ReviewMoment
    from untilt.play.leaks.tilt import Tilt

app = typer.Typer(
    name="hands",
    help="Hand histories: import them into a folder, find hands, export them.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

Folder = Annotated[
    Path,
    typer.Argument(metavar="HANDS", help="A folder of imported hands.", show_default=False),
]

LeaksFolder = Annotated[
    Path,
    typer.Argument(metavar="LEAKS", help="The folder of a review.", show_default=False),
]

_MOST_SHOWN = 50
_MOST_GROUPS = 8
_MOST_REASONS = 8


@app.command("import")
@with_options(IMPORT)
def import_hands(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH…",
            help="Files of PokerStars or GGPoker, in the PHH format, or ACPC logs; or folders with "
            "such files, and all folders below them.",
            show_default=False,
        ),
    ],
    **given: Any,
) -> None:
    """Add hands to a folder, each once; files that were imported before add only what is new.

    Hands that cannot be read are counted and listed with file, line and reason. Ctrl-C keeps what
    was read so far, and the same command continues.
    """
    from untilt.cli.app.output import echo, print_json, printing, quoted, say
    from untilt.hands.store.importing import import_hands as imported

    folder = given.get("output") or Path("hands")
    with _import_line() as watcher:
        found = imported(paths, folder, watcher=watcher)
    if given.get("as_json"):
        print_json(found.to_json())
        return
    if not found.files:
        say("there is no file to read")
    with printing():
        echo(f"imported    {found.imported:,} hands into {quoted(folder)}")
        echo(f"known       {found.known:,}")
        echo(f"unreadable  {found.num_unreadable:,}")
        for line in _reasons(found):
            echo(line)


def _reasons(found: "HandImport") -> Iterator[str]:
    for each in found.unreadable[:_MOST_REASONS]:
        yield f"  {each.file}:{each.line}: {each.reason}"
    if found.num_unreadable > _MOST_REASONS:
        yield f"  … and {found.num_unreadable - _MOST_REASONS:,} more; --json lists them"


@contextmanager
def _import_line() -> "Iterator[OnImport]":
    """Yield a watcher that draws progress."""
    from untilt.cli.text.hands_bar import HandsBar

    with HandsBar(None, doing="importing") as bar:

        def show(found: "HandImport") -> None:
            bar.show(
                found.imported + found.known,
                f"{found.files:,} of {found.num_files:,} files, {found.imported:,} new",
            )

        yield show


@app.command("list")
@with_options(LIST)
def list_hands(folder: Folder, **given: Any) -> None:
    """List hands, by player, pot, street and line."""
    from rich.table import Table

    from untilt.cli.app.output import print_json, printing, say, stdout
    from untilt.hands.store.hand_store import gains_of

    as_json, limit = given.get("as_json", False), given.get("limit")
    store, wanted = _opened(folder, given)
    selected = store.select(wanted)
    count = sum(len(rows) for _, rows, _ in selected)
    num_known, gains = gains_of(selected)
    if as_json:
        found = [_plain(each) for each in store.hands(wanted, limit)]
        totals = {"gains_bb": gains if num_known else None, "num_results": num_known}
        print_json({"found": count, "of": len(store), **totals, "hands": found})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("hand", "played", "players", "seat", "cards", "board"):
        table.add_column(name)
    for name in ("pot", "won"):
        table.add_column(f"{name}, bb", justify="right")
    table.add_column("line")
    shown = 0
    for each in store.hands(wanted, limit or _MOST_SHOWN):
        table.add_row(*_cells(each))
        shown += 1
    with printing():
        stdout().print(table)
    if shown < count:
        say(f"{count - shown:,} more hands; --limit shows more of them")
    of_all = f"{count:,} of {len(store):,} hands"
    say(of_all if not num_known else f"{of_all}; won {gains:+,.1f} bb in {num_known:,}")


def _opened(folder: Path, given: dict[str, Any]) -> "tuple[HandStore, Any]":
    from untilt.hands.store.filters import Filter
    from untilt.hands.store.hand_store import HandStore

    return HandStore(folder), Filter(**chosen_of(FILTERS, given))


def _plain(found: "Found") -> dict[str, Any]:
    return {**found.hand.to_json(), "player": found.player}


def _cells(found: "Found") -> list[str]:
    from untilt.cards.card import cards_name

    hand, player = found
    seat = hand.hero if player is None else player
    held = None if seat is None else hand.cards[seat]
    gains = hand.gains
    won = None if seat is None or gains is None else gains[seat] / hand.big_blind
    return [
        hand.title,
        "" if hand.played is None else f"{hand.played:%Y-%m-%d %H:%M}",
        str(hand.num_players),
        "" if seat is None else hand.positions[seat],
        "" if held is None else cards_name(held, ""),
        cards_name(hand.board, ""),
        f"{hand.pot / hand.big_blind:,.1f}",
        "" if won is None else f"{won:+,.1f}",
        hand.line,
    ]


@app.command()
def show(
    folder: Folder,
    number: Annotated[
        str,
        typer.Argument(
            metavar="NUMBER",
            help="The number of a hand, as list and report show it.",
            show_default=False,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show one hand of a folder, action by action."""
    from untilt.cli.app.output import echo, print_json, printing
    from untilt.hands.hand_text import hand_lines
    from untilt.hands.store.hand_store import HandStore

    hand = HandStore(folder).numbered(number)
    if as_json:
        print_json(hand.to_json())
        return
    with printing():
        for line in hand_lines(hand):
            echo(line)


@app.command("export")
@with_options(EXPORT)
def export_hands(folder: Folder, **given: Any) -> None:
    """Write hands into one file that other programs read."""
    from untilt.cli.app.output import echo, print_json, quoted
    from untilt.formats.base.files import REPEAT, write_atomically
    from untilt.hands.store.exporting import phhs_chunks

    path = given.get("output") or Path("hands.phhs")
    if path.exists():
        raise InvalidOption(f"{path} already exists; choose another --output")
    store, wanted = _opened(folder, given)
    count = sum(len(rows) for _, rows, _ in store.select(wanted))
    write_atomically(path, phhs_chunks(each.hand for each in store.hands(wanted)), remedy=REPEAT)
    if given.get("as_json"):
        print_json({"path": str(path), "hands": count})
        return
    echo(f"saved {count:,} hands in {quoted(path)}")


@app.command()
@with_options(REVIEW)
def review(folder: Folder, **given: Any) -> None:
    """Judge all decisions of a player: what the agent does, and what the choice cost.

    Hands of two players are judged, with --ranges also pots of two players at larger tables; all
    other decisions are counted with the reason. Ctrl-C keeps what is done, and the same command
    continues, also with hands that were imported since.
    """
    from untilt.cli.app.output import print_json
    from untilt.cli.commands.solve.cluster import pool_on
    from untilt.play.leaks.reviewing import review as reviewed

    as_json = given.pop("as_json", False)
    if not {"agent", "ranges"} & given.keys():
        raise InvalidOption(
            "give a blueprint that judges, such as --agent bp/, or --ranges default"
        )
    output, cluster = given.pop("output", None) or Path("leaks"), given.pop("cluster", None)
    if cluster is not None and "processes" in given:
        raise InvalidOption("--processes is for this machine alone: leave it out with --cluster")
    with pool_on(cluster) as pool, _review_line() as watcher:
        found = reviewed(folder, output=output, pool=pool, watcher=watcher, **given)
    if as_json:
        print_json(found.to_json())
        return
    _print(found)


@contextmanager
def _review_line() -> "Iterator[OnReview]":
    """Yield a watcher that draws progress."""
    from untilt.cli.text.hands_bar import HandsBar

    with HandsBar(None, doing="reviewing") as bar:

        def show(moment: "ReviewMoment") -> None:
            unit = "boards" if moment.doing == "valuing actions" else "hands"
            words = f"{moment.doing}, {moment.done:,} of {moment.of:,} {unit}"
            bar.show(moment.done, f"{words}, {moment.decisions:,} decisions")

        yield show


@app.command()
@with_options(RANGES)
def ranges(**given: Any) -> None:
    """Write the ranges of `review --ranges default`, to be changed."""
    from untilt.cli.app.output import echo, quoted
    from untilt.formats.base.files import REPEAT, write_atomically
    from untilt.play.leaks.preset_ranges import default_text

    path = given.get("output") or Path("ranges.toml")
    if path.exists():
        raise InvalidOption(f"{path} already exists; choose another --output")
    write_atomically(path, [default_text().encode()], remedy=REPEAT)
    echo(f"saved {quoted(path)}")


@app.command()
@with_options(REPORT)
def report(folder: LeaksFolder, **given: Any) -> None:
    """Show where a player loses: by street, position, line, action, size and hand."""
    from untilt.cli.app.output import print_json, say
    from untilt.formats.base.files import REPEAT, write_atomically
    from untilt.play.leaks.reviewing import read_leaks

    for name in ("html", "csv"):
        if name in given and given[name].exists():
            raise InvalidOption(f"{given[name]} already exists; choose another --{name}")
    found = read_leaks(folder)
    for name, text in (("html", found.to_html), ("csv", found.to_csv)):
        if name in given:
            write_atomically(given[name], [text().encode()], remedy=REPEAT)
            say(f"saved {given[name]}")
    if given.get("as_json"):
        print_json(found.to_json())
        return
    _print(found)


def _print(found: "Leaks") -> None:
    from rich.table import Table

    from untilt.cli.app.output import echo, printing, stdout
    from untilt.play.leaks.leaks import GROUPS, cost_words

    total = found.total
    with printing():
        echo(f"player      {found.player}, {found.num_hands:,} hands")
        echo(f"decisions   {len(found.decisions):,}")
        judges = ", ".join(group.name for group in found.by["judge"]) or "none"
        echo(f"judged      {found.num_judged:,} by {judges}")
        for reason, count in found.not_judged.items():
            echo(f"not judged  {count:,}: {reason}")
        if total is None:
            return
        echo(f"cost        {cost_words(total)} a decision, {total.total_bb:,.1f} bb in all")
        console = stdout()
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("by", "", "decisions", "cost each", "in all"):
            table.add_column(name, justify="left" if name in ("by", "") else "right")
        for name, groups in found.by.items():
            for place, group in enumerate(groups[:_MOST_GROUPS]):
                cells = (f"{group.count:,}", cost_words(group), f"{group.total_bb:,.1f} bb")
                table.add_row("" if place else GROUPS[name], group.name, *cells)
            table.add_section()
        console.print(table)
        echo()
        dearest = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("cost", "street", "seat", "cards", "line", "did", "best", "pot", "hand"):
            dearest.add_column(name, justify="right" if name in ("cost", "pot") else "left")
        for each in found.dearest():
            did = each["action"] if each["size"] == "no bet" else f"{each['action']} {each['size']}"
            dearest.add_row(
                f"{each['cost_bb']:.1f} bb", each["street"], each["position"], each["held"],
                each["line"], did, each["best"], f"{each['pot_bb']:.1f} bb", each["hand"],
            )  # fmt: skip
        console.print(dearest)


@app.command()
@with_options(TILT)
def tilt(folder: LeaksFolder, **given: Any) -> None:
    """Estimate how noisy a player is, by street and over time, and whether that changes.

    Noise is 1/β of a logit response to the agent's values, as a share of the pot. A change is shown
    with its strength: how often one as large would be found by chance at any hand.
    """
    from untilt.charts.figures.plot_file import verify_plot
    from untilt.cli.app.output import print_json, say
    from untilt.play.leaks.reviewing import read_leaks
    from untilt.play.leaks.tilt import tilt as estimated

    as_json, plot = given.pop("as_json", False), given.pop("plot", None)
    if plot is not None:
        verify_plot(plot)
    leaks = read_leaks(folder)
    player = given.pop("player", leaks.player)
    if player != leaks.player:
        raise InvalidOption.of("player", player, f"the review is of {leaks.player}")
    found = estimated(leaks, **given)
    if plot is not None:
        found.plot(plot)
        say(f"saved {plot}")
    if as_json:
        print_json(found.to_json())
        return
    _print_tilt(found)


def _print_tilt(found: "Tilt") -> None:
    from rich.table import Table

    from untilt.cli.app.output import echo, printing, stdout

    with printing():
        echo(f"player   {found.player}, {found.noise.hands:,} hands with judged decisions")
        echo(f"noise    {found.noise} of the pot")
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("hands", "begins", "noise", "decisions"):
            table.add_column(name, justify="right" if name == "decisions" else "left")
        for name, each in found.by_street.items():
            table.add_row(name, "", str(each), f"{each.decisions:,}")
        table.add_section()
        for period in found.periods:
            begins = "" if period.begins is None else f"{period.begins:%Y-%m-%d %H:%M}"
            where = f"{period.first:,} to {period.last:,}"
            table.add_row(where, begins, str(period.noise), f"{period.noise.decisions:,}")
        stdout().print(table)
        echo()
        if not found.changes:
            echo("change   none that is stronger than chance")
        for change in found.changes:
            echo(
                f"change   at hand {change.hand:,}: {change.before}, then {change.after} "
                f"(strength {change.strength:.3f})"
            )
        losses = found.after_losses
        about = f"{losses.num_losses:,} losses of {losses.loss:g} bb"
        if losses.noise is None or losses.strength is None:
            echo(f"losses   {about}, nothing to compare")
        else:
            echo(
                f"losses   {about}: noise {losses.noise} in the next {losses.hands} hands, else "
                f"{losses.otherwise} (strength {losses.strength:.3f})"
            )
