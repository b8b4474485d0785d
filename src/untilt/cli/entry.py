"""The entry point of the program; signals are handled before any slow import."""

import os
import sys


def main() -> None:
    """Run the command line of this process."""
    try:
        from untilt.cli.app import activity, signals

        signals.leave_at_once()
    except KeyboardInterrupt:
        os.write(2, b"stopped\n")
        os._exit(130)
    activity.begin(sys.argv[1:])
    import gc

    # Modules stay: searching them for garbage takes a tenth of a short command.
    gc.disable()
    from untilt.cli.main import main as run_command

    gc.freeze()
    gc.enable()
    run_command()
