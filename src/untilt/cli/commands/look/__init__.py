"""Commands that show games, runs and the documentation."""
