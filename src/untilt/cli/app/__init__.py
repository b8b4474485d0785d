"""Parts that all commands share: output, signals, progress."""
