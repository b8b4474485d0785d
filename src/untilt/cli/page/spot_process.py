"""The process behind *Solve* on the page: `untilt spot`, interrupted when its stdin closes.

    python -m untilt.cli.page.spot_process ARGUMENTS.json

The file is a list: SPOT.toml, --output, FOLDER … So nothing that a page sends, such as the text of
a lock, is part of a command line.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

from untilt.cli.entry import main


def _interrupt_at_end() -> None:
    # Not `sys.stdin`: the interpreter cannot end while a thread reads from it.
    while os.read(0, 1024):
        pass
    signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    threading.Thread(target=_interrupt_at_end, daemon=True).start()
    sys.argv[1:] = ["spot", *json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))]
    main()
