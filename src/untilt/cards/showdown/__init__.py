"""Showdowns of all hands at once."""
