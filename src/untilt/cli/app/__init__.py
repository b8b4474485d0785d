"""What all commands share: output, signals, progress."""
