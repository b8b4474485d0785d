"""What is written to disk, and how it is read back without trusting it."""
