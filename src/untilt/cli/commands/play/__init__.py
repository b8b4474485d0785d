"""Commands that play hands."""
