"""`untilt`: the commands, and how errors become one line and an exit status.

Exit status: 0 done; 1 a goal was not reached, or the disk is full; 2 bad input;
130 stopped by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP.
"""

import copy
import errno
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from untilt import __version__
from untilt.cli.app import activity, signals
from untilt.cli.app.number_flags import read_numbers
from untilt.cli.app.output import abandon_stdout, make_printable, printing, say, warn
from untilt.cli.commands.files.export import export
from untilt.cli.commands.files.import_ import import_
from untilt.cli.commands.files.runs import runs
from untilt.cli.commands.hands.hands import app as hands
from untilt.cli.commands.look.docs import docs
from untilt.cli.commands.look.doctor import doctor
from untilt.cli.commands.look.games import games
from untilt.cli.commands.look.hand import hand
from untilt.cli.commands.look.plot import plot
from untilt.cli.commands.look.serve import serve
from untilt.cli.commands.look.show import show
from untilt.cli.commands.look.tree import tree
from untilt.cli.commands.measure.compare import compare
from untilt.cli.commands.measure.equity import equity
from untilt.cli.commands.measure.evaluate import evaluate
from untilt.cli.commands.measure.exploit import exploit
from untilt.cli.commands.measure.fit import fit
from untilt.cli.commands.measure.icm import icm
from untilt.cli.commands.measure.lbr import lbr
from untilt.cli.commands.measure.rank import rank
from untilt.cli.commands.play.bot import app as bot
from untilt.cli.commands.play.match import match
from untilt.cli.commands.play.play import play
from untilt.cli.commands.solve.blueprint import app as blueprint
from untilt.cli.commands.solve.buckets import buckets
from untilt.cli.commands.solve.chart import chart
from untilt.cli.commands.solve.cluster import app as cluster
from untilt.cli.commands.solve.pushfold import app as pushfold
from untilt.cli.commands.solve.qre import qre
from untilt.cli.commands.solve.report import report
from untilt.cli.commands.solve.solve import solve
from untilt.cli.commands.solve.spot import spot
from untilt.cli.options.method_options import include_plugins
from untilt.errors import ClusterError, EngineError, StorageError, UntiltError, readable, shortened
from untilt.formats.run.run_command import made_by
from untilt.runs.interrupt import signal_of


class Commands(TyperGroup):
    """Commands whose help lists them below the name of their panel, with whole summaries.

    Typer's own panels are drawn by Rich, which takes longer to load than many commands take.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, panel by panel, in the order in which they were added."""
        width = max(map(len, self.commands))
        for title, names in panels(self).items():
            with formatter.section(title):
                # Padded, so that summaries begin in the same column in every panel.
                formatter.write_dl([(name.ljust(width), self._summary(name)) for name in names])

    def _summary(self, name: str) -> str:
        more_than_any_has = 10_000
        return self.commands[name].get_short_help_str(more_than_any_has)


def panels(group: Any) -> dict[str, list[str]]:
    """Return the names of a group's commands by panel; "Commands" are those without one."""
    found: dict[str, list[str]] = {}
    for name, command in group.commands.items():
        panel = command.rich_help_panel
        found.setdefault(panel if isinstance(panel, str) else "Commands", []).append(name)
    return found


# Typer bundles a copy of Click or uses the installed one; this is the base error of either.
ClickError: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="untilt",
    cls=Commands,
    help="Compute, show and play equilibria of imperfect-information poker games.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_FIRST_STEPS = f"""\
Untilt {__version__}: equilibria of games with hidden information, above all poker.

Try one of these:
  untilt solve kuhn                 solve Kuhn poker, and see when to bluff
  untilt chart --stack 10           push or fold with 10 big blinds
  untilt tree kuhn -o tree.svg      draw a game tree with its infosets

Then play against an equilibrium, with every mistake priced: untilt play kuhn

  untilt --help      all commands by purpose; untilt COMMAND --help explains one
  untilt games       the games, and how to use your own
  untilt doctor      what this installation has and lacks"""
"""What `untilt` prints without a command."""


_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")
"""What Click says of arguments that a command does not take."""


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"untilt {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Compute, show and play equilibria of imperfect-information poker games."""
    del version
    if context.invoked_subcommand is None:
        typer.echo(_FIRST_STEPS)


_PANELS: dict[str, tuple[Callable[..., int | None] | typer.Typer, ...]] = {
    "Most used": (solve, spot, chart, play, serve),
    "Solve": (qre, report, buckets, pushfold, blueprint, cluster),
    "Look": (show, plot, tree, hand, games, docs, doctor),
    "Play": (match, bot),
    "Measure": (equity, rank, icm, evaluate, compare, lbr, exploit, fit),
    "Files": (runs, export, import_),
    "Hands": (hands,),
}
"""The commands by purpose, in the order of help."""

for panel, commands in _PANELS.items():
    for command in commands:
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=command.info.name, cls=Commands, rich_help_panel=panel)
        else:
            name = command.__name__.rstrip("_")  # import_, because `import` is a keyword
            app.command(name, rich_help_panel=panel)(command)
read_numbers(app)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    try:
        if arguments[:1] == ["solve"] and include_plugins():
            read_numbers(app)
            _parser.cache_clear()
        parser = _parser(_command_of(arguments))
        with made_by(["untilt", *arguments]):
            status = parser(args=list(arguments), prog_name="untilt", standalone_mode=False)
        with printing():
            sys.stdout.flush()
    except ClickError as error:
        return _fail(_usage_message(error, arguments), 2)
    except StorageError as error:
        return _fail(error.for_command(), 1 if error.is_full else 2)
    except (ClusterError, EngineError) as error:
        return _fail(error.for_command(), 1 if error.is_gone else 2)
    except UntiltError as error:
        return _fail(error.for_command(), 2)
    except BrokenPipeError:
        # The reader of our output has closed the pipe.
        abandon_stdout()
        return 0
    except OSError as error:
        abandon_stdout()
        if error.errno == errno.ENOSPC:
            return _fail("the disk is full; free some space and try again", 1)
        place = "" if error.filename is None else f"{error.filename}: "
        return _fail(f"{place}{error.strerror or error}", 2)
    except MemoryError:
        return _fail("not enough memory; make the game smaller or use a sampling method", 1)
    except (KeyboardInterrupt, typer.Abort) as error:
        say("stopped")
        return 128 + signal_of(error if isinstance(error, KeyboardInterrupt) else error.__cause__)
    except SystemExit as exit_:  # from shell completion, or from help printed to a broken pipe
        if isinstance(exit_.__context__, BrokenPipeError):
            return 0
        return exit_.code if isinstance(exit_.code, int) else 0
    return status if isinstance(status, int) else 0


def _command_of(arguments: Sequence[str]) -> str | None:
    """Return the command that a command line begins with; None if it begins with anything else."""
    names = {info.name for info in app.registered_commands}
    names |= {info.name for info in app.registered_groups}
    return arguments[0] if arguments and arguments[0] in names else None


@cache
def _parser(command: str | None) -> Callable[..., object]:
    """Return the parser of command lines that begin with this command; of all others, if None.

    Making one for all commands would take longer (50 ms) than many commands do.
    """
    if command is None:
        return typer.main.get_command(app)
    only = copy.copy(app)
    only.registered_commands = [info for info in app.registered_commands if info.name == command]
    only.registered_groups = [info for info in app.registered_groups if info.name == command]
    return typer.main.get_command(only)


def _fail(message: str, status: int) -> int:
    say(f"error: {readable(' '.join(message.split()))}")
    return status


def _usage_message(error: Exception, arguments: Sequence[str]) -> str:
    """Return what is wrong with the command line, quoting the value that was given."""
    message = getattr(error, "format_message", None)
    text = str(message() if message else error)
    if extra := _EXTRA.match(text):
        command = getattr(getattr(error, "ctx", None), "command_path", "untilt")
        return f"unexpected argument {extra[1]}; see {command} --help for what it takes"
    given = _value_given(getattr(getattr(error, "param", None), "opts", ()), arguments)
    if given is None or repr(given) in text:
        return text
    return text.replace("Invalid value for", f"Invalid value {shortened(given)} for", 1)


def _value_given(options: Sequence[str], arguments: Sequence[str]) -> str | None:
    """Return the value of the last of `options` on the command line; None if none is given."""
    found = None
    for argument, following in zip(arguments, [*arguments[1:], None], strict=True):
        name, equals, value = argument.partition("=")
        if argument in options:
            found = following
        elif equals and name in options:
            found = value
        elif argument[:2] in options and not argument.startswith("--") and len(argument) > 2:
            found = argument[2:]
    return found


def _show_warning(
    message: Warning | str, category: type[Warning], *_place: object, **_more: object
) -> None:
    """Print a library's warning as one line, without the location in the code."""
    prefix = "" if category.__module__.startswith("untilt.") else f"{category.__name__}: "
    warn(f"{prefix}{message}")


def main() -> None:
    """Run the command line of this process."""
    # Sums must not depend on the number of threads, and for matrices of a few hundred rows more
    # threads are slower. NumPy is not loaded yet, so the setting takes effect.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    make_printable()
    warnings.showwarning = _show_warning
    activity.begin(sys.argv[1:])
    try:
        signals.answer_signals()
        status = run(sys.argv[1:])
        signals.leave_at_once()
    except KeyboardInterrupt as error:  # just before or after the command
        say("stopped")
        status = 128 + signal_of(error)
    activity.end()
    if status > 128:  # stopped
        signals.end_at_once(status)
    sys.exit(status)
