"""Files that other programs write or read."""
