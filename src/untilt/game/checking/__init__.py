"""Checks of a game that a user wrote."""
