"""The process behind *Solve* on the page: `untilt spot`, interrupted when its stdin closes.

python -m untilt.cli.spot_process SPOT.toml --output FOLDER …
"""

import os
import signal
import sys
import threading

from untilt.cli.entry import main


def _interrupt_at_end() -> None:
    # Not `sys.stdin`: the interpreter cannot end while a thread reads from it.
    while os.read(0, 1024):
        pass
    signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    threading.Thread(target=_interrupt_at_end, daemon=True).start()
    sys.argv[1:1] = ["spot"]
    main()
